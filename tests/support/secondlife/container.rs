//! Writes files that contain assets: a viewer's model container, and a file of a viewer's disk
//! cache.

use meshpeek::secondlife::llsd::LlsdWriter;
use meshpeek::secondlife::{AssetPart, IDENTITY, Mesh};

/// A container of assets: an `.slm` file, which viewers store for uploaded models.
pub struct Container {
    pub name: String,
    pub assets: Vec<Vec<u8>>,
    pub instances: Vec<Instance>,
}

/// An asset that is shown with a transform and materials.
#[derive(Clone)]
pub struct Instance {
    /// The index of the asset in [`Container::assets`].
    pub asset: usize,
    pub label: String,
    /// A matrix that multiplies row vectors.
    pub transform: [f32; 16],
    /// For each material, its name in the mesh and the name of its texture.
    pub materials: Vec<[String; 2]>,
}

impl Default for Instance {
    fn default() -> Self {
        Self { asset: 0, label: String::new(), transform: IDENTITY, materials: Vec::new() }
    }
}

impl Container {
    pub fn to_bytes(&self) -> Vec<u8> {
        let count = |length: usize| u32::try_from(length).unwrap();
        let mut writer = LlsdWriter::new();
        writer.open_map(4).key("instance").open_array(count(self.instances.len()));
        for instance in &self.instances {
            writer.open_map(4).key("label").string(instance.label.as_bytes());
            writer.key("material").open_array(count(instance.materials.len()));
            for [binding, texture] in &instance.materials {
                writer.open_map(3).key("binding").string(binding.as_bytes());
                writer.key("diffuse").open_map(3).key("color").reals([1.0; 4].into_iter());
                writer.key("filename").string(format!("{texture}.png").as_bytes());
                writer.key("label").string(texture.as_bytes()).close_map();
                writer.key("fullbright").boolean(false).close_map();
            }
            writer.close_array().key("mesh_id").integer(i32::try_from(instance.asset).unwrap());
            writer.key("transform").reals(instance.transform.into_iter()).close_map();
        }
        writer.close_array().key("mesh").open_array(count(self.assets.len()));
        for asset in &self.assets {
            writer.string(asset);
        }
        writer.close_array().key("name").string(self.name.as_bytes()).key("version").integer(3).close_map();
        writer.into_bytes()
    }
}

/// Returns the bytes of a viewer's disk cache file that contains an asset. In the file, the bytes
/// and the flags of the blocks in `missing` are 0.
pub fn cache(asset: &[u8], missing: &[AssetPart]) -> Vec<u8> {
    let mesh = Mesh::open(asset).unwrap();
    let header = mesh.header().unwrap();
    let (mut bytes, mut flags) = (asset.to_vec(), 0);
    for block in header.blocks() {
        if missing.contains(&block.part) {
            bytes[usize::try_from(block.start).unwrap()..usize::try_from(block.end).unwrap()].fill(0);
        } else {
            flags |= block.part.cache_flag().unwrap_or_default();
        }
    }
    let preamble = [1, u32::try_from(header.len()).unwrap(), flags].map(u32::to_le_bytes);
    [preamble.as_flattened(), &bytes].concat()
}

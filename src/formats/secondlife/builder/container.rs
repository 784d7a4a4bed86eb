//! Writes files that contain assets: a viewer's model container, and a file of a viewer's disk
//! cache.

use zerocopy::IntoBytes as _;

use super::super::asset_part::AssetPart;
use super::super::header::{Header, HeaderPrefix};
use super::super::layout::{FORMAT, RawPreamble};
use super::super::llsd::LlsdWriter;
use super::super::matrix::{IDENTITY, Matrix};
use super::super::validate::rules::DAMAGED_ZLIB_STREAM;
use super::check::{fit, refused};
use super::encode::count;
use crate::error::debug::{items, short_debug, text};
use crate::error::{Cause, Error, Field, Result};
use crate::math::as_u64;
use crate::parse::Limits;

/// The version number that is written to a container (an `.slm` file).
const VERSION: i32 = 3;
/// The version number that is written to a cache file.
const CACHE_VERSION: u32 = 1;

/// A container of assets to write: an `.slm` file, which viewers store for uploaded models.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::secondlife::{Mesh, builder};
/// let asset = meshpeek::read("data/secondlife/quad.llmesh")?.to_vec();
/// let instance = builder::Instance { asset: 0, label: "left".into(), ..Default::default() };
/// let model = builder::Container { name: "pair".into(), assets: vec![asset], instances: vec![instance] };
/// let mesh = Mesh::open(model.to_bytes()?)?;
/// assert_eq!(mesh.container().unwrap().instances().count(), 1);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default, PartialEq)]
pub struct Container {
    /// The model's name.
    pub name: String,
    /// The assets. The assets of the container: each element contains the bytes of one asset.
    pub assets: Vec<Vec<u8>>,
    /// The instances: each instance shows one of the assets with a transform and materials.
    pub instances: Vec<Instance>,
}

short_debug!(Container: |container| {
    name: text(&container.name), assets: items(&container.assets), instances: items(&container.instances),
});

/// An instance of an asset in a container to write: the asset with a transform and materials.
///
/// The default instance shows the first asset with the identity transform.
#[derive(Clone, PartialEq)]
pub struct Instance {
    /// The index of the asset in [`Container::assets`].
    pub asset: usize,
    /// The name of the instance.
    pub label: String,
    /// The transform of the instance: a matrix that multiplies row vectors (`vector * matrix`).
    pub transform: Matrix,
    /// The materials of the instance.
    pub materials: Vec<Material>,
}

short_debug!(Instance: |instance| {
    asset: instance.asset, label: text(&instance.label), transform: instance.transform,
    materials: items(&instance.materials),
});

impl Default for Instance {
    fn default() -> Self {
        Self { asset: 0, label: String::new(), transform: IDENTITY, materials: Vec::new() }
    }
}

/// A material to write.
///
/// The default material is white.
#[derive(Clone, PartialEq)]
pub struct Material {
    /// The name of the material in a mesh's `material_list`.
    pub binding: String,
    /// The file name of the texture.
    pub filename: String,
    /// The name of the texture that viewers show to users.
    pub label: String,
    /// The color of the material: red, green, blue and alpha, from 0 to 1.
    pub color: [f32; 4],
    /// Whether the material is shown at full brightness, without lighting.
    pub fullbright: bool,
}

short_debug!(Material: |material| {
    binding: text(&material.binding), filename: text(&material.filename), label: text(&material.label),
    color: material.color, fullbright: material.fullbright,
});

impl Default for Material {
    fn default() -> Self {
        let [binding, filename, label] = [const { String::new() }; 3];
        Self { binding, filename, label, color: [1.0; 4], fullbright: false }
    }
}

impl Container {
    /// Encodes the container and returns its bytes.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Refused`] if the asset index of an instance is out of range, if a
    /// number is not finite, or if a string is too long for LLSD. If the header at the start of an
    /// asset cannot be read, returns the error from reading the header.
    ///
    /// [`ErrorKind::Refused`]: crate::ErrorKind::Refused
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        self.check()?;
        let mut writer = LlsdWriter::new();
        writer.open_map(4).key("instance").open_array(count(self.instances.len()));
        for instance in &self.instances {
            instance.write(&mut writer);
        }
        writer.close_array().key("mesh").open_array(count(self.assets.len()));
        for asset in &self.assets {
            writer.string(asset);
        }
        writer.close_array().key("name").string(self.name.as_bytes()).key("version").integer(VERSION).close_map();
        Ok(writer.into_bytes())
    }

    fn check(&self) -> Result<()> {
        fit(Field::new("name"), [self.name.len()])?;
        fit(Field::new("mesh"), self.assets.iter().map(Vec::len))?;
        for (index, asset) in self.assets.iter().enumerate() {
            header_of(asset, item("mesh", index))?;
        }
        for (index, instance) in self.instances.iter().enumerate() {
            let field = item("instance", index);
            if instance.asset >= self.assets.len() {
                let expected = format!("an asset number below {}", self.assets.len());
                return Err(refused(field.named("mesh_id"), expected, instance.asset.to_string()));
            }
            fit(field.named("label"), [instance.label.len()])?;
            if !instance.transform.iter().all(|number| number.is_finite()) {
                let found = format!("{:?}", instance.transform);
                return Err(refused(field.named("transform"), "finite numbers", found));
            }
            for material in &instance.materials {
                let Material { binding, filename, label, color, .. } = material;
                fit(field.named("material"), [binding, filename, label].map(String::len))?;
                if !color.iter().all(|number| number.is_finite()) {
                    return Err(refused(field.named("material"), "finite numbers", format!("{color:?}")));
                }
            }
        }
        Ok(())
    }
}

impl Instance {
    fn write(&self, writer: &mut LlsdWriter) {
        let asset = i32::try_from(self.asset).unwrap_or(i32::MAX);
        writer.open_map(4).key("label").string(self.label.as_bytes());
        writer.key("material").open_array(count(self.materials.len()));
        for material in &self.materials {
            writer.open_map(3).key("binding").string(material.binding.as_bytes());
            writer.key("diffuse").open_map(3).key("color").reals(material.color.into_iter());
            writer.key("filename").string(material.filename.as_bytes());
            writer.key("label").string(material.label.as_bytes()).close_map();
            writer.key("fullbright").boolean(material.fullbright).close_map();
        }
        writer.close_array().key("mesh_id").integer(asset);
        writer.key("transform").reals(self.transform.into_iter()).close_map();
    }
}

/// Returns the bytes of a viewer's disk cache file that contains the asset `asset`.
///
/// The blocks in `missing` are marked as not fetched: in the cache file, the bytes and the flags of
/// these blocks are 0.
///
/// ```
/// use meshpeek::secondlife::{Lod, Mesh, AssetPart, builder};
/// let file = builder::cache(&meshpeek::read("data/secondlife/quad.llmesh")?, &[AssetPart::HighLod])?;
/// let mesh = Mesh::open(file)?;
/// assert!(mesh.level(Lod::High).is_err() && mesh.level(Lod::Medium).is_ok());
/// # Ok::<(), meshpeek::Error>(())
/// ```
///
/// # Errors
///
/// Returns [`ErrorKind::Refused`] if the asset begins with an LLSD marker line before the header,
/// if the asset does not have a block in `missing`, or if the cache file format has no flag for a
/// block in `missing`. If the header at the start of `asset` cannot be read, returns the error from
/// reading the header. Returns [`ErrorKind::UnexpectedEnd`] if a block in `missing` ends after the
/// end of `asset`.
///
/// [`ErrorKind::Refused`]: crate::ErrorKind::Refused
/// [`ErrorKind::UnexpectedEnd`]: crate::ErrorKind::UnexpectedEnd
pub fn cache(asset: &[u8], missing: &[AssetPart]) -> Result<Vec<u8>> {
    let header = header_of(asset, Field::new("header"))?;
    if header.marker_line() > 0 {
        return Err(refused(Field::new("header"), "a header without a marker line", "one"));
    }
    let mut bytes = asset.to_vec();
    let mut flags = 0;
    for stored in header.blocks() {
        if !missing.contains(&stored.part) {
            flags |= stored.part.cache_flag().unwrap_or_default();
        }
    }
    for part in missing {
        let field = Field::new(part.key());
        if part.cache_flag().is_none() {
            return Err(refused(field, "a block that cache files have a flag for", part.key()));
        }
        let Some(stored) = header.block(*part)? else {
            return Err(refused(field, "a block of the asset", "none"));
        };
        let at = |offset| usize::try_from(offset).unwrap_or(usize::MAX);
        let Some(range) = bytes.get_mut(at(stored.start)..at(stored.end)) else {
            let left = as_u64(asset.len()).saturating_sub(stored.start);
            let kind = Cause::UnexpectedEnd { needed: stored.len(), left };
            return Err(
                Error::new(FORMAT, field, stored.start.min(as_u64(asset.len())), kind).breaking(&DAMAGED_ZLIB_STREAM)
            );
        };
        range.fill(0);
    }
    let header_size = u32::try_from(header.len()).unwrap_or(u32::MAX);
    let preamble = RawPreamble { version: CACHE_VERSION.into(), header_size: header_size.into(), flags: flags.into() };
    Ok([preamble.as_bytes(), &bytes].concat())
}

/// Reads the header of an asset. If the bytes end before the end of the header, returns an error
/// that names the field `field`.
fn header_of(asset: &[u8], field: Field) -> Result<Header<'_>> {
    match Header::of_prefix(asset, &Limits::default())? {
        HeaderPrefix::Ready(header) => Ok(header),
        HeaderPrefix::NeedMore(needed) => {
            let kind = Cause::UnexpectedEnd { needed, left: as_u64(asset.len()) };
            Err(Error::without_offset(FORMAT, field, kind))
        }
    }
}

/// Returns the field path of the item `index` in the list with the name `list`, for error messages.
fn item(list: &'static str, index: usize) -> Field {
    Field::new("").in_list(list, as_u64(index))
}

//! Implements the format-independent traits [`Contents`] and [`Asset`]: the placement and the
//! textures that the script of a mesh defines.

#[cfg(any(feature = "cli", feature = "internals"))]
use super::builder;
use super::file::Mesh;
use super::header::no_such;
use super::layout::DATA;
use super::script::Texture as StoredTexture;
use crate::error::{Result, expect_only};
use crate::model::animation::Animations;
use crate::model::contents::bytes_of;
use crate::model::{
    Asset, Contents, Geometry, Instance, Material, MaybeOwned, Metadata, MetadataValue, Texture, TextureRole,
};

/// The flag of a texture of which parts are cut out, according to unconfirmed descriptions.
const MASKED: i64 = 2;

impl<D: AsRef<[u8]> + Send + Sync> Contents for Mesh<D> {
    #[cfg(any(feature = "cli", feature = "internals"))]
    fn script_named(&self, stem: &str) -> Result<Option<Vec<u8>>> {
        match self.script() {
            Some(script) => builder::rename(&script, stem),
            None => builder::build(self, stem),
        }
        .map(Some)
    }

    fn file_bytes(&self) -> u64 {
        bytes_of(self)
    }

    fn asset(&self, asset: usize) -> Result<MaybeOwned<'_, dyn Asset + '_>> {
        expect_only(DATA, "asset", asset)?;
        Ok(MaybeOwned::Borrowed(self))
    }

    /// Returns the only instance: the mesh at the place that its script defines.
    fn instance(&self, instance: usize) -> Result<Instance<'_>> {
        expect_only(DATA, "instance", instance)?;
        let name = self.script().map(|script| script.name());
        let materials = 0..self.material_count()?;
        Ok(Instance { name, transform: self.space().placement, materials, ..Instance::default() })
    }

    /// Returns the number of textures that the script sets for the mesh.
    fn material_count(&self) -> Result<usize> {
        Ok(self.script().map_or(0, |script| script.texture_count()))
    }

    fn material(&self, material: usize) -> Result<Material<'_>> {
        let stored = self.script().and_then(|script| script.texture_at(material));
        match stored {
            Some(stored) => Ok(read_material(&stored)),
            None => Err(no_such("material", self.material_count()?, material)),
        }
    }

    /// Visits the keys of the commands that import the mesh and that set its levels of detail, such
    /// as `MLOD`.
    fn metadata(&self, visit: &mut dyn FnMut(Metadata<'_>)) -> Result<()> {
        let Some(script) = self.script() else { return Ok(()) };
        let import = script.import().map(|import| import.command);
        let commands = import.into_iter().chain(script.lod_params().map(|params| params.command));
        for argument in commands.flat_map(|command| command.arguments()) {
            let Some(value) = argument.value else { continue };
            visit(Metadata { key: argument.key, value: MetadataValue::Text(value) });
        }
        Ok(())
    }
}

impl<D: AsRef<[u8]> + Send + Sync> Asset for Mesh<D> {
    fn level(&self, level: usize) -> Result<MaybeOwned<'_, dyn Geometry + '_>> {
        expect_only(DATA, "level", level)?;
        Ok(MaybeOwned::Borrowed(self))
    }

    fn animations(&self) -> &dyn Animations {
        self
    }
}

fn read_material<'a>(stored: &StoredTexture<'a>) -> Material<'a> {
    let color = Texture { role: TextureRole::Color, name: stored.name, file: stored.import.map(|import| import.file) };
    let detail = stored.import.and_then(|import| import.detail);
    let detail = detail.map(|name| Texture { role: TextureRole::Detail, name, file: None });
    let flags = stored.import.and_then(|import| import.flags);
    Material {
        name: Some(stored.name),
        textures: [Some(color), detail].into_iter().flatten().collect(),
        masked: flags.map(|flags| flags & MASKED != 0),
        ..Material::default()
    }
}

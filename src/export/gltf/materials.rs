//! Materials by name, with their textures.

// Rule: this file sorts and maps by copies only.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::document::{AlphaMode, Document, MaterialObject, add};
use crate::error::Result;
use crate::export::loss::{LossKind, LossList};
use crate::export::options::ExportScene;
use crate::model::contents::MaterialIndex;
use crate::model::{Blend, DrawStyle, Material, TextureRole};
use crate::parse::Name;
use crate::scene::InstancePlace;

/// What the material of a primitive depends on.
#[derive(Clone, Debug)]
pub(super) struct PrimitiveMaterial {
    /// The name by which the surface refers to its material, or `None`.
    pub(super) stored: Option<Vec<u8>>,
    /// The name of the surface, which is the name of a material without one.
    pub(super) surface: String,
    pub(super) style: DrawStyle,
    pub(super) has_uvs: bool,
}

/// The materials that were added to the document.
#[derive(Default)]
pub(super) struct MaterialTable {
    /// The materials of the file by name, which are read when a surface first refers to one.
    names: Option<MaterialIndex>,
    added: BTreeMap<Vec<u8>, u32>,
    /// The indices of the materials by their content.
    made: BTreeMap<String, u32>,
}

impl MaterialTable {
    /// Returns the index of the material of a primitive at a place with these materials. A colour
    /// that glTF cannot hold is added to `losses`.
    pub(super) fn find(
        &mut self,
        scene: &ExportScene<'_>,
        document: &mut Document,
        key: &PrimitiveMaterial,
        place: &InstancePlace,
        losses: &mut LossList,
    ) -> Result<u32> {
        let own = format!("{:?} {:?} {:?} {} {:?}", key.stored, key.surface, key.style, key.has_uvs, place.materials);
        if let Some(index) = self.added.get(own.as_bytes()) {
            return Ok(*index);
        }
        let found = match &key.stored {
            Some(name) => {
                let names = match &self.names {
                    Some(names) => names,
                    None => self.names.insert(MaterialIndex::new(scene.placed.contents)?),
                };
                let index = names.find(&place.materials, Name::new(name));
                index.map(|index| scene.placed.contents.material(index)).transpose()?
            }
            None => None,
        };
        let object = make(scene, document, key, found.as_ref());
        let index = match self.made.entry(format!("{object:?}")) {
            Entry::Occupied(same) => *same.get(),
            Entry::Vacant(entry) => {
                let stored = found.and_then(|material| material.color);
                if stored.is_some_and(|stored| stored.map(f32::to_bits) != clamped(stored).map(f32::to_bits)) {
                    let text = format!("the colour of the material `{}`, which is not between 0 and 1", object.name);
                    losses.add(LossKind::Values, None, text);
                }
                *entry.insert(add(&mut document.materials, object))
            }
        };
        self.added.insert(own.into_bytes(), index);
        Ok(index)
    }
}

/// Makes a material of what the file states about it.
fn make(
    scene: &ExportScene<'_>,
    document: &mut Document,
    key: &PrimitiveMaterial,
    found: Option<&Material<'_>>,
) -> MaterialObject {
    let stored = key.stored.as_deref().map(|name| Name::new(name).to_string_lossy());
    let named = found.and_then(|material| material.name).map(|name| name.to_string_lossy());
    let name = named.or(stored.clone()).filter(|name| !name.is_empty()).unwrap_or_else(|| key.surface.clone());
    let is_masked = found.and_then(|material| material.masked) == Some(true);
    let color = found.and_then(|material| material.color).map(clamped);
    let alpha = match key.style.blend {
        Blend::Masked => AlphaMode::Mask,
        Blend::Translucent | Blend::Modulated | Blend::Alpha => AlphaMode::Blend,
        Blend::Opaque | Blend::Unknown(_) if is_masked => AlphaMode::Mask,
        Blend::Opaque | Blend::Unknown(_) if color.is_some_and(|[.., alpha]| alpha < 1.0) => AlphaMode::Blend,
        Blend::Opaque | Blend::Unknown(_) => AlphaMode::Opaque,
    };
    let mut object = MaterialObject {
        name,
        alpha,
        color,
        is_two_sided: key.style.two_sided,
        is_unlit: key.style.unlit || found.and_then(|material| material.unlit) == Some(true),
        ..MaterialObject::default()
    };
    if matches!(key.style.blend, Blend::Translucent | Blend::Modulated | Blend::Unknown(_)) {
        object.add_extra("blend", format!("{:?}", key.style.blend).to_lowercase());
    }
    let DrawStyle { flat, environment, unfiltered, .. } = key.style;
    for (is_set, style) in [(flat, "flat"), (environment, "environment"), (unfiltered, "unfiltered")] {
        if is_set {
            object.add_extra(style, "true".to_owned());
        }
    }
    add_textures(scene, document, key, found, stored.as_deref(), &mut object);
    if let Some(text) = found.and_then(|material| material.text) {
        object.add_extra("text", text.to_string_lossy());
    }
    object
}

/// Adds the colour texture if it is an image, and the names of all textures otherwise.
fn add_textures(
    scene: &ExportScene<'_>,
    document: &mut Document,
    key: &PrimitiveMaterial,
    found: Option<&Material<'_>>,
    stored: Option<&str>,
    object: &mut MaterialObject,
) {
    let mut names = Vec::new();
    for texture in found.iter().flat_map(|material| &material.textures) {
        let file = texture.file.unwrap_or(texture.name);
        match texture.role {
            TextureRole::Color => {
                // The image may have the name of the texture instead of that of its file.
                let is_image = |name: &Name<'_>| scene.options.source.image(name.as_bytes()).is_some();
                let name = [file, texture.name].into_iter().find(is_image).unwrap_or(file);
                names.push(name.to_string_lossy());
            }
            TextureRole::Detail => object.add_extra("detail_texture", file.to_string_lossy()),
        }
    }
    if found.is_none_or(|material| material.textures.is_empty()) {
        names.extend(stored.map(str::to_owned));
    }
    for name in names {
        let image = scene.options.source.image(name.as_bytes()).filter(|_| key.has_uvs && object.texture.is_none());
        match image {
            Some(image) => object.texture = Some(image_index(document, image)),
            None if found.is_some_and(|material| !material.textures.is_empty()) => object.add_extra("texture", name),
            None => {}
        }
    }
}

fn image_index(document: &mut Document, image: &str) -> u32 {
    let same = document.images.iter().position(|other| other == image).and_then(|same| u32::try_from(same).ok());
    same.unwrap_or_else(|| add(&mut document.images, image.to_owned()))
}

/// Returns a colour with each component between 0 and 1, as glTF demands.
fn clamped(color: [f32; 4]) -> [f32; 4] {
    color.map(|part| if part.is_finite() { part.clamp(0.0, 1.0) } else { 1.0 })
}

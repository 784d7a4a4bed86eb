//! Writes the JSON of a glTF file.

use std::io::Write;

use super::buffers::{BufferView, CompressedView, Planner};
use super::document::Document;
use super::elements::BufferUsage;
use super::json_objects::{
    list, name, objects, write_accessor, write_animation, write_material, write_mesh, write_node, write_skin,
};
use super::meshopt;
use crate::error::Result;
use crate::export::materials::write_metadata;
use crate::export::options::Compression;
use crate::scene::LevelChoice;
use crate::text::escape::percent_encoded;
use crate::text::json_text::JsonText;

use crate::export::scene::ExportScene;
use crate::math::as_index;
use crate::model::{Metadata, MetadataValue};

/// The name of the extension for levels of detail.
pub(super) const LOD: &str = "MSFT_lod";
/// The name of the extension for materials without lighting.
pub(super) const UNLIT: &str = "KHR_materials_unlit";
/// The name of the extension for quantized vertices.
const QUANTIZATION: &str = "KHR_mesh_quantization";

/// What the JSON contains, apart from the document.
pub(super) struct JsonSource<'s, 'a> {
    pub(super) scene: &'s ExportScene<'a>,
    pub(super) document: &'s Document,
    pub(super) plan: &'s Planner<'a>,
    /// The URI of each buffer, or `None` for the binary chunk of a GLB file.
    pub(super) uris: &'s dyn Fn(usize) -> Option<String>,
}

impl JsonSource<'_, '_> {
    /// Writes the JSON.
    pub(super) fn write(&self, out: &mut dyn Write) -> Result<()> {
        let Document { nodes, scenes, meshes, skins, materials, animations, images, .. } = self.document;
        let Planner { accessors, views, buffers, .. } = self.plan;
        let mut json = JsonText::export(out);
        json.object(|json| {
            json.key("asset").object(|json| self.asset(json))?;
            self.extensions(json)?;
            objects(json, "nodes", nodes, write_node)?;
            // A scene without nodes is valid, but not every reader accepts it.
            let has_roots = scenes.iter().any(|scene| !scene.roots.is_empty());
            if has_roots {
                json.key("scene").count(0)?;
            }
            objects(json, "scenes", if has_roots { scenes } else { &[] }, |json, scene| {
                name(json, scene.name.as_deref())?;
                list(json, "nodes", &scene.roots, |json, node| json.unsigned(*node))
            })?;
            objects(json, "meshes", meshes, write_mesh)?;
            objects(json, "skins", skins, write_skin)?;
            objects(json, "animations", animations, write_animation)?;
            objects(json, "materials", materials, write_material)?;
            if !images.is_empty() {
                json.key("textures").objects(0..images.len(), |json, image| json.key("source").count(image))?;
            }
            objects(json, "images", images, |json, image| json.key("uri").string(&encoded(image)))?;
            objects(json, "accessors", accessors, write_accessor)?;
            objects(json, "bufferViews", views, |json, view| self.view(json, view))?;
            if buffers.is_empty() { Ok(()) } else { json.key("buffers").list(|json| self.buffers(json)) }
        })?;
        json.finish()
    }

    fn buffers(&self, json: &mut JsonText<'_>) -> Result<()> {
        for (index, length) in self.plan.buffers.iter().enumerate() {
            json.object(|json| {
                if let Some(uri) = (self.uris)(index) {
                    json.key("uri").string(&encoded(&uri))?;
                }
                json.key("byteLength").unsigned(*length)
            })?;
        }
        let Some(compression) = self.plan.compression else { return Ok(()) };
        json.object(|json| {
            json.key("byteLength").unsigned(self.plan.fallback)?;
            let extension = meshopt::extension(compression);
            json.key("extensions").object(|json| json.key(extension).object(|json| json.key("fallback").boolean(true)))
        })
    }

    fn view(&self, json: &mut JsonText<'_>, view: &BufferView) -> Result<()> {
        let fallback = view.compressed.map(|_| self.plan.fallback_index());
        json.key("buffer").count(fallback.unwrap_or(as_index(view.buffer)))?;
        if view.offset > 0 {
            json.key("byteOffset").unsigned(view.offset)?;
        }
        json.key("byteLength").unsigned(view.length)?;
        match view.usage {
            BufferUsage::Vertices => {
                json.key("byteStride").unsigned(view.stride)?;
                json.key("target").unsigned(34962_u32)?;
            }
            BufferUsage::Indices => json.key("target").unsigned(34963_u32)?,
            BufferUsage::Other => {}
        }
        match view.compressed.zip(self.plan.compression) {
            Some((compressed, compression)) => write_compressed(json, view, &compressed, compression),
            None => Ok(()),
        }
    }

    fn asset(&self, json: &mut JsonText<'_>) -> Result<()> {
        let contents = self.scene.placed.contents;
        json.key("version").string("2.0")?;
        json.key("generator").string(concat!("meshpeek ", env!("CARGO_PKG_VERSION")))?;
        json.key("extras").object(|json| {
            json.key("source").object(|json| {
                json.key("format").string(contents.format())?;
                json.key("version").string(contents.version())?;
                name(json, self.scene.options.source.name())?;
                match self.scene.options.source.hash() {
                    Some(hash) => json.key("hash").string(hash),
                    None => Ok(()),
                }
            })?;
            self.metadata(json)
        })
    }

    fn metadata(&self, json: &mut JsonText<'_>) -> Result<()> {
        let mut count = 0_usize;
        let is_written =
            |entry: &Metadata<'_>| !matches!(entry.value, MetadataValue::Real(value) if !value.is_finite());
        self.scene.placed.contents.metadata(&mut |entry| count = count.saturating_add(is_written(&entry).into()))?;
        if count == 0 {
            return Ok(());
        }
        json.key("metadata").list(|json| write_metadata(self.scene.placed.contents, is_written, json))
    }

    /// Writes the names of the extensions that the file uses and requires.
    fn extensions(&self, json: &mut JsonText<'_>) -> Result<()> {
        let has_levels = self.scene.options.levels == LevelChoice::Nodes
            && self.document.nodes.iter().any(|node| !node.levels.is_empty());
        let is_unlit = self.document.materials.iter().any(|material| material.is_unlit);
        let is_quantized = self.document.is_quantized;
        let compression = self.plan.compression.filter(|_| !self.plan.views.is_empty()).map(meshopt::extension);
        let used = [(is_unlit, UNLIT), (has_levels, LOD)].into_iter().filter(|(is_used, _)| *is_used);
        let required = [is_quantized.then_some(QUANTIZATION), compression].into_iter().flatten();
        let used: Vec<&str> = used.map(|(_, name)| name).chain(required.clone()).collect();
        list(json, "extensionsUsed", &used, |json, name| json.string(name))?;
        let required: Vec<&str> = required.collect();
        list(json, "extensionsRequired", &required, |json, name| json.string(name))
    }
}

/// Writes the extension of a compressed view.
fn write_compressed(
    json: &mut JsonText<'_>,
    view: &BufferView,
    compressed: &CompressedView,
    compression: Compression,
) -> Result<()> {
    let mode = if view.usage == BufferUsage::Indices { "TRIANGLES" } else { "ATTRIBUTES" };
    json.key("extensions").object(|json| {
        json.key(meshopt::extension(compression)).object(|json| {
            json.key("buffer").unsigned(compressed.buffer)?;
            json.key("byteOffset").unsigned(compressed.offset)?;
            json.key("byteLength").unsigned(compressed.length)?;
            json.key("byteStride").unsigned(view.stride)?;
            json.key("count").unsigned(compressed.count)?;
            json.key("mode").string(mode)
        })
    })
}

/// Returns a file name as a URI without a scheme or a folder.
fn encoded(name: &str) -> String {
    percent_encoded(name.as_bytes(), b"-._~")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_become_uris() {
        assert_eq!(encoded("a b-1.png"), "a%20b-1.png");
        assert_eq!(encoded("é#?/:%.png"), "%C3%A9%23%3F%2F%3A%25.png");
    }
}

//! Writes the JSON of a glTF file: nodes, meshes, skins, animations, materials and accessors.

use std::io::Write;

use super::buffers::{Accessor, BufferView, CompressedView, Planner};
use super::document::{
    AlphaMode, AnimationObject, AttributeName, BufferUsage, Document, MaterialObject, MeshObject, NodeObject,
    Primitive, SkinObject, TargetNames,
};
use super::meshopt;
use crate::error::Result;
use crate::export::materials::write_metadata;
use crate::export::options::{Compression, ExportScene};
use crate::math::as_index;
use crate::model::{Metadata, MetadataValue, Transform};
use crate::scene::LevelChoice;
use crate::text::escape::percent_encoded;
use crate::text::json_text::JsonText;

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

/// Writes a field with a list, unless the list is empty: glTF allows no empty lists.
pub(super) fn list<T>(
    json: &mut JsonText<'_>,
    name: &str,
    items: &[T],
    write: impl FnMut(&mut JsonText<'_>, &T) -> Result<()>,
) -> Result<()> {
    if items.is_empty() { Ok(()) } else { json.key(name).each(items, write) }
}

/// Writes a field with a list of objects, whose fields `fill` writes, unless the list is empty.
pub(super) fn objects<T>(
    json: &mut JsonText<'_>,
    name: &str,
    items: &[T],
    fill: impl FnMut(&mut JsonText<'_>, &T) -> Result<()>,
) -> Result<()> {
    if items.is_empty() { Ok(()) } else { json.key(name).objects(items, fill) }
}

/// Writes the field `name`, unless the name is missing or empty.
pub(super) fn name(json: &mut JsonText<'_>, name: Option<&str>) -> Result<()> {
    match name.filter(|name| !name.is_empty()) {
        Some(name) => json.key("name").string(name),
        None => Ok(()),
    }
}

/// Writes a field with an index, unless it is missing.
pub(super) fn reference(json: &mut JsonText<'_>, name: &str, index: Option<u32>) -> Result<()> {
    match index {
        Some(index) => json.key(name).unsigned(index),
        None => Ok(()),
    }
}

pub(super) fn write_node(json: &mut JsonText<'_>, node: &NodeObject) -> Result<()> {
    name(json, node.name.as_deref())?;
    reference(json, "mesh", node.mesh)?;
    reference(json, "skin", node.skin)?;
    list(json, "children", &node.children, |json, child| json.unsigned(*child))?;
    if let Some(Transform { position, rotation, scale }) = node.transform.as_deref() {
        parts(json, "translation", position, &[0.0; 3])?;
        parts(json, "rotation", rotation, &[0.0, 0.0, 0.0, 1.0])?;
        parts(json, "scale", scale, &[1.0; 3])?;
    }
    if node.levels.is_empty() {
        return Ok(());
    }
    json.key("extensions").object(|json| {
        json.key(LOD).object(|json| list(json, "ids", &node.levels, |json, level| json.unsigned(*level)))
    })
}

/// Writes a part of a transform, unless it has its default value.
#[allow(clippy::float_cmp, reason = "the default value is exact")]
fn parts(json: &mut JsonText<'_>, name: &str, values: &[f32], default: &[f32]) -> Result<()> {
    if values == default { Ok(()) } else { json.key(name).floats(values) }
}

pub(super) fn write_mesh(json: &mut JsonText<'_>, mesh: &MeshObject) -> Result<()> {
    name(json, mesh.name.as_deref())?;
    json.key("primitives").objects(&mesh.primitives, write_primitive)?;
    let targets = mesh.primitives.first().map_or(0, |primitive| primitive.targets.len());
    if targets == 0 {
        return Ok(());
    }
    json.key("weights").each(0..targets, |json, _| json.count(0))?;
    json.key("extras").object(|json| {
        json.key("targetNames").each(0..targets, |json, target| {
            let number = u32::try_from(target).unwrap_or(u32::MAX);
            match mesh.target_names {
                TargetNames::Frames(first) => json.string(&format!("frame {}", first.saturating_add(number))),
                TargetNames::Targets | TargetNames::None => {
                    json.string(&format!("target {}", number.saturating_add(1)))
                }
            }
        })
    })
}

fn write_primitive(json: &mut JsonText<'_>, primitive: &Primitive) -> Result<()> {
    json.key("attributes").object(|json| {
        let mut attributes = primitive.attributes.iter();
        attributes.try_for_each(|(name, accessor)| json.key(&name.text()).unsigned(*accessor))
    })?;
    reference(json, "indices", primitive.indices)?;
    reference(json, "material", primitive.material)?;
    if primitive.is_points {
        json.key("mode").count(0)?;
    }
    objects(json, "targets", &primitive.targets, |json, target| {
        let names = [AttributeName::Position, AttributeName::Normal, AttributeName::Tangent];
        names.iter().zip(target).try_for_each(|(name, accessor)| reference(json, &name.text(), *accessor))
    })?;
    match primitive.name.as_deref().filter(|name| !name.is_empty()) {
        Some(text) => json.key("extras").object(|json| name(json, Some(text))),
        None => Ok(()),
    }
}

pub(super) fn write_skin(json: &mut JsonText<'_>, skin: &SkinObject) -> Result<()> {
    json.key("inverseBindMatrices").unsigned(skin.inverse_binds)?;
    json.key("skeleton").unsigned(skin.root)?;
    let joints = skin.first_joint..skin.first_joint.saturating_add(skin.joint_count);
    json.key("joints").each(joints.chain(skin.still_joint), JsonText::unsigned)
}

pub(super) fn write_animation(json: &mut JsonText<'_>, animation: &AnimationObject) -> Result<()> {
    name(json, animation.name.as_deref())?;
    json.key("samplers").objects(&animation.samplers, |json, sampler| {
        json.key("input").unsigned(sampler.input)?;
        json.key("output").unsigned(sampler.output)
    })?;
    json.key("channels").objects(&animation.channels, |json, channel| {
        json.key("sampler").unsigned(channel.sampler)?;
        json.key("target").object(|json| {
            json.key("node").unsigned(channel.node)?;
            json.key("path").string(channel.path)
        })
    })?;
    json.key("extras").object(|json| {
        json.key("frames").unsigned(animation.frames)?;
        json.key(if animation.has_rate { "rate" } else { "assumed_rate" }).float(animation.rate)?;
        objects(json, "notifies", &animation.events, |json, (time, function)| {
            json.key("time").float(*time)?;
            json.key("function").string(function)
        })
    })
}

pub(super) fn write_material(json: &mut JsonText<'_>, material: &MaterialObject) -> Result<()> {
    name(json, Some(&material.name))?;
    json.key("pbrMetallicRoughness").object(|json| {
        if let Some(color) = &material.color {
            json.key("baseColorFactor").floats(color)?;
        }
        if let Some(texture) = material.texture {
            json.key("baseColorTexture").object(|json| json.key("index").unsigned(texture))?;
        }
        json.key("metallicFactor").count(0)
    })?;
    match material.alpha {
        AlphaMode::Opaque => {}
        AlphaMode::Mask => json.key("alphaMode").string("MASK")?,
        AlphaMode::Blend => json.key("alphaMode").string("BLEND")?,
    }
    if material.is_two_sided {
        json.key("doubleSided").boolean(true)?;
    }
    if material.is_unlit {
        json.key("extensions").object(|json| json.key(UNLIT).object(|_| Ok(())))?;
    }
    if material.extras.is_empty() {
        return Ok(());
    }
    json.key("extras").object(|json| {
        let mut extras = material.extras.iter();
        extras.try_for_each(|(key, value)| json.key(key).string(value))
    })
}

pub(super) fn write_accessor(json: &mut JsonText<'_>, accessor: &Accessor) -> Result<()> {
    json.key("bufferView").unsigned(accessor.view)?;
    if accessor.offset > 0 {
        json.key("byteOffset").unsigned(accessor.offset)?;
    }
    json.key("componentType").unsigned(accessor.element.component.code())?;
    if accessor.element.is_normalized {
        json.key("normalized").boolean(true)?;
    }
    json.key("count").unsigned(accessor.count)?;
    json.key("type").string(accessor.element.name())?;
    let Some(bounds) = &accessor.bounds else { return Ok(()) };
    let width = accessor.element.width.into();
    json.key("min").floats(bounds.min.get(..width).unwrap_or(&bounds.min))?;
    json.key("max").floats(bounds.max.get(..width).unwrap_or(&bounds.max))
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

//! Writes the JSON of a glTF file.

use std::io::Write;

use super::buffers::{Accessor, CompressedView, Planner, View};
use super::document::{
    AlphaMode, AnimationObject, AttributeName, Document, MaterialObject, MeshObject, Node, Primitive, Skin, TargetNames,
};
use super::elements::Usage;
use super::meshopt;
use crate::error::Result;
use crate::export::json_text::JsonText;
use crate::export::options::{Compression, LevelChoice};

use crate::export::scene::Scene;
use crate::math::as_index;
use crate::model::{MetadataValue, Transform};

/// The name of the extension for levels of detail.
const LOD: &str = "MSFT_lod";
/// The name of the extension for materials without lighting.
const UNLIT: &str = "KHR_materials_unlit";
/// The name of the extension for quantized vertices.
const QUANTIZATION: &str = "KHR_mesh_quantization";

/// What the JSON contains, apart from the document.
pub(super) struct JsonSource<'s, 'a> {
    pub(super) scene: &'s Scene<'a>,
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
        let mut json = JsonText::new(out);
        json.object(|json| {
            json.field("asset").object(|json| self.asset(json))?;
            self.extensions(json)?;
            list(json, "nodes", nodes, write_node)?;
            // A scene without nodes is valid, but not every reader accepts it.
            let has_roots = scenes.iter().any(|scene| !scene.roots.is_empty());
            if has_roots {
                json.field("scene").count(0)?;
            }
            list(json, "scenes", if has_roots { scenes } else { &[] }, |json, scene| {
                json.object(|json| {
                    name(json, scene.name.as_deref())?;
                    list(json, "nodes", &scene.roots, |json, node| json.unsigned(u64::from(*node)))
                })
            })?;
            list(json, "meshes", meshes, write_mesh)?;
            list(json, "skins", skins, write_skin)?;
            list(json, "animations", animations, write_animation)?;
            list(json, "materials", materials, write_material)?;
            if !images.is_empty() {
                let write = |json: &mut JsonText<'_>, image| json.object(|json| json.field("source").count(image));
                json.field("textures").each(0..images.len(), write)?;
            }
            list(json, "images", images, |json, image| json.object(|json| json.field("uri").string(&encoded(image))))?;
            list(json, "accessors", accessors, write_accessor)?;
            list(json, "bufferViews", views, |json, view| self.view(json, view))?;
            if buffers.is_empty() { Ok(()) } else { json.field("buffers").list(|json| self.buffers(json)) }
        })?;
        json.finish()
    }

    fn buffers(&self, json: &mut JsonText<'_>) -> Result<()> {
        for (index, length) in self.plan.buffers.iter().enumerate() {
            json.object(|json| {
                if let Some(uri) = (self.uris)(index) {
                    json.field("uri").string(&encoded(&uri))?;
                }
                json.field("byteLength").unsigned(*length)
            })?;
        }
        let Some(compression) = self.plan.compression else { return Ok(()) };
        json.object(|json| {
            json.field("byteLength").unsigned(self.plan.fallback)?;
            let extension = meshopt::extension(compression);
            json.field("extensions")
                .object(|json| json.field(extension).object(|json| json.field("fallback").boolean(true)))
        })
    }

    fn view(&self, json: &mut JsonText<'_>, view: &View) -> Result<()> {
        json.object(|json| {
            let fallback = view.compressed.map(|_| self.plan.fallback_index());
            json.field("buffer").count(fallback.unwrap_or(as_index(view.buffer)))?;
            if view.offset > 0 {
                json.field("byteOffset").unsigned(view.offset)?;
            }
            json.field("byteLength").unsigned(view.length)?;
            match view.usage {
                Usage::Vertices => {
                    json.field("byteStride").unsigned(u64::from(view.stride))?;
                    json.field("target").unsigned(34962)?;
                }
                Usage::Indices => json.field("target").unsigned(34963)?,
                Usage::Other => {}
            }
            match view.compressed.zip(self.plan.compression) {
                Some((compressed, compression)) => write_compressed(json, view, &compressed, compression),
                None => Ok(()),
            }
        })
    }

    fn asset(&self, json: &mut JsonText<'_>) -> Result<()> {
        let contents = self.scene.contents;
        json.field("version").string("2.0")?;
        json.field("generator").string(concat!("meshpeek ", env!("CARGO_PKG_VERSION")))?;
        json.field("extras").object(|json| {
            json.field("source").object(|json| {
                json.field("format").string(contents.format())?;
                json.field("version").string(contents.version())?;
                name(json, self.scene.options.source.name())?;
                match self.scene.options.source.hash() {
                    Some(hash) => json.field("hash").string(hash),
                    None => Ok(()),
                }
            })?;
            self.metadata(json)
        })
    }

    fn metadata(&self, json: &mut JsonText<'_>) -> Result<()> {
        let mut count = 0_usize;
        self.scene.contents.metadata(&mut |_| count = count.saturating_add(1))?;
        if count == 0 {
            return Ok(());
        }
        json.field("metadata").list(|json| {
            let mut written = Ok(());
            self.scene.contents.metadata(&mut |entry| {
                if written.is_ok() {
                    written = json.object(|json| {
                        json.field("key").string(&entry.key.to_string_lossy())?;
                        write_value(json.field("value"), &entry.value)
                    });
                }
            })?;
            written
        })
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

/// Writes a field with a list, unless the list is empty: glTF allows no empty lists.
fn list<T>(
    json: &mut JsonText<'_>,
    name: &str,
    items: &[T],
    write: impl FnMut(&mut JsonText<'_>, &T) -> Result<()>,
) -> Result<()> {
    if items.is_empty() { Ok(()) } else { json.field(name).each(items, write) }
}

/// Writes the field `name`, unless the name is missing or empty.
fn name(json: &mut JsonText<'_>, name: Option<&str>) -> Result<()> {
    match name.filter(|name| !name.is_empty()) {
        Some(name) => json.field("name").string(name),
        None => Ok(()),
    }
}

/// Writes a field with an index, unless it is missing.
fn reference(json: &mut JsonText<'_>, name: &str, index: Option<u32>) -> Result<()> {
    match index {
        Some(index) => json.field(name).unsigned(u64::from(index)),
        None => Ok(()),
    }
}

fn write_value(json: &mut JsonText<'_>, value: &MetadataValue<'_>) -> Result<()> {
    match value {
        MetadataValue::Text(text) => json.string(&text.to_string_lossy()),
        MetadataValue::Integer(number) => json.signed(*number),
        MetadataValue::Real(number) => json.double(*number),
        MetadataValue::Bytes(bytes) => json.string(&hexadecimal(bytes)),
    }
}

fn write_node(json: &mut JsonText<'_>, node: &Node) -> Result<()> {
    json.object(|json| {
        name(json, node.name.as_deref())?;
        reference(json, "mesh", node.mesh)?;
        reference(json, "skin", node.skin)?;
        list(json, "children", &node.children, |json, child| json.unsigned(u64::from(*child)))?;
        if let Some(Transform { position, rotation, scale }) = node.transform.as_deref() {
            parts(json, "translation", position, &[0.0; 3])?;
            parts(json, "rotation", rotation, &[0.0, 0.0, 0.0, 1.0])?;
            parts(json, "scale", scale, &[1.0; 3])?;
        }
        if node.levels.is_empty() {
            return Ok(());
        }
        json.field("extensions").object(|json| {
            json.field(LOD)
                .object(|json| list(json, "ids", &node.levels, |json, level| json.unsigned(u64::from(*level))))
        })
    })
}

/// Writes a part of a transform, unless it has its default value.
#[allow(clippy::float_cmp, reason = "the default value is exact")]
fn parts(json: &mut JsonText<'_>, name: &str, values: &[f32], default: &[f32]) -> Result<()> {
    if values == default { Ok(()) } else { json.field(name).floats(values) }
}

fn write_mesh(json: &mut JsonText<'_>, mesh: &MeshObject) -> Result<()> {
    json.object(|json| {
        name(json, mesh.name.as_deref())?;
        json.field("primitives").each(&mesh.primitives, write_primitive)?;
        let targets = mesh.primitives.first().map_or(0, |primitive| primitive.targets.len());
        if targets == 0 {
            return Ok(());
        }
        json.field("weights").each(0..targets, |json, _| json.count(0))?;
        json.field("extras").object(|json| {
            json.field("targetNames").each(0..targets, |json, target| {
                let number = u32::try_from(target).unwrap_or(u32::MAX);
                match mesh.target_names {
                    TargetNames::Frames(first) => json.string(&format!("frame {}", first.saturating_add(number))),
                    TargetNames::Targets | TargetNames::None => {
                        json.string(&format!("target {}", number.saturating_add(1)))
                    }
                }
            })
        })
    })
}

fn write_primitive(json: &mut JsonText<'_>, primitive: &Primitive) -> Result<()> {
    json.object(|json| {
        json.field("attributes").object(|json| {
            let mut attributes = primitive.attributes.iter();
            attributes.try_for_each(|(name, accessor)| json.field(&name.text()).unsigned(u64::from(*accessor)))
        })?;
        reference(json, "indices", primitive.indices)?;
        reference(json, "material", primitive.material)?;
        if primitive.is_points {
            json.field("mode").count(0)?;
        }
        list(json, "targets", &primitive.targets, |json, target| {
            let names = [AttributeName::Position, AttributeName::Normal, AttributeName::Tangent];
            json.object(|json| {
                let mut parts = names.iter().zip(target);
                parts.try_for_each(|(name, accessor)| reference(json, &name.text(), *accessor))
            })
        })?;
        match primitive.name.as_deref().filter(|name| !name.is_empty()) {
            Some(text) => json.field("extras").object(|json| name(json, Some(text))),
            None => Ok(()),
        }
    })
}

fn write_skin(json: &mut JsonText<'_>, skin: &Skin) -> Result<()> {
    json.object(|json| {
        json.field("inverseBindMatrices").unsigned(u64::from(skin.inverse_binds))?;
        json.field("skeleton").unsigned(u64::from(skin.root))?;
        let joints = skin.first_joint..skin.first_joint.saturating_add(skin.joint_count);
        json.field("joints").each(joints.chain(skin.still_joint), |json, joint| json.unsigned(u64::from(joint)))
    })
}

fn write_animation(json: &mut JsonText<'_>, animation: &AnimationObject) -> Result<()> {
    json.object(|json| {
        name(json, animation.name.as_deref())?;
        json.field("samplers").each(&animation.samplers, |json, sampler| {
            json.object(|json| {
                json.field("input").unsigned(u64::from(sampler.input))?;
                json.field("output").unsigned(u64::from(sampler.output))
            })
        })?;
        json.field("channels").each(&animation.channels, |json, channel| {
            json.object(|json| {
                json.field("sampler").unsigned(u64::from(channel.sampler))?;
                json.field("target").object(|json| {
                    json.field("node").unsigned(u64::from(channel.node))?;
                    json.field("path").string(channel.path)
                })
            })
        })?;
        json.field("extras").object(|json| {
            json.field("frames").unsigned(u64::from(animation.frames))?;
            json.field(if animation.has_rate { "rate" } else { "assumed_rate" }).float(animation.rate)?;
            list(json, "notifies", &animation.events, |json, (time, function)| {
                json.object(|json| {
                    json.field("time").float(*time)?;
                    json.field("function").string(function)
                })
            })
        })
    })
}

fn write_material(json: &mut JsonText<'_>, material: &MaterialObject) -> Result<()> {
    json.object(|json| {
        name(json, Some(&material.name))?;
        json.field("pbrMetallicRoughness").object(|json| {
            if let Some(color) = &material.color {
                json.field("baseColorFactor").floats(color)?;
            }
            if let Some(texture) = material.texture {
                json.field("baseColorTexture").object(|json| json.field("index").unsigned(u64::from(texture)))?;
            }
            json.field("metallicFactor").count(0)
        })?;
        match material.alpha {
            AlphaMode::Opaque => {}
            AlphaMode::Mask => json.field("alphaMode").string("MASK")?,
            AlphaMode::Blend => json.field("alphaMode").string("BLEND")?,
        }
        if material.is_two_sided {
            json.field("doubleSided").boolean(true)?;
        }
        if material.is_unlit {
            json.field("extensions").object(|json| json.field(UNLIT).object(|_| Ok(())))?;
        }
        if material.extras.is_empty() {
            return Ok(());
        }
        json.field("extras").object(|json| {
            let mut extras = material.extras.iter();
            extras.try_for_each(|(key, value)| json.field(key).string(value))
        })
    })
}

fn write_accessor(json: &mut JsonText<'_>, accessor: &Accessor) -> Result<()> {
    json.object(|json| {
        reference(json, "bufferView", accessor.view)?;
        if accessor.offset > 0 {
            json.field("byteOffset").unsigned(u64::from(accessor.offset))?;
        }
        json.field("componentType").unsigned((accessor.element.component.code()).into())?;
        if accessor.element.is_normalized {
            json.field("normalized").boolean(true)?;
        }
        json.field("count").unsigned(accessor.count)?;
        json.field("type").string(accessor.element.name())?;
        let Some(bounds) = &accessor.bounds else { return Ok(()) };
        let width = accessor.element.width.into();
        json.field("min").floats(bounds.min.get(..width).unwrap_or(&bounds.min))?;
        json.field("max").floats(bounds.max.get(..width).unwrap_or(&bounds.max))
    })
}

/// Writes the extension of a compressed view.
fn write_compressed(
    json: &mut JsonText<'_>,
    view: &View,
    compressed: &CompressedView,
    compression: Compression,
) -> Result<()> {
    let mode = if view.usage == Usage::Indices { "TRIANGLES" } else { "ATTRIBUTES" };
    json.field("extensions").object(|json| {
        json.field(meshopt::extension(compression)).object(|json| {
            json.field("buffer").unsigned(u64::from(compressed.buffer))?;
            json.field("byteOffset").unsigned(compressed.offset)?;
            json.field("byteLength").unsigned(compressed.length)?;
            json.field("byteStride").unsigned(u64::from(view.stride))?;
            json.field("count").unsigned(compressed.count)?;
            json.field("mode").string(mode)
        })
    })
}

/// Returns bytes as hexadecimal digits.
fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().flat_map(|byte| digits(*byte)).collect()
}

/// Returns the two hexadecimal digits of a byte.
fn digits(byte: u8) -> [char; 2] {
    [byte >> 4, byte & 15].map(|digit| char::from_digit(digit.into(), 16).unwrap_or_default())
}

/// Returns a file name as a URI without a scheme or a folder.
fn encoded(name: &str) -> String {
    let mut uri = String::new();
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => uri.push(byte.into()),
            _ => {
                uri.push('%');
                uri.extend(digits(byte).map(|digit| digit.to_ascii_uppercase()));
            }
        }
    }
    uri
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

//! Writes the objects of a glTF file as JSON: nodes, meshes, skins, animations, materials and
//! accessors.

use super::buffers::Accessor;
use super::document::{
    AlphaMode, AnimationObject, AttributeName, MaterialObject, MeshObject, NodeObject, Primitive, SkinObject,
    TargetNames,
};
use super::json::{LOD, UNLIT};
use crate::error::Result;
use crate::export::json_text::JsonText;
use crate::model::Transform;

/// Writes a field with a list, unless the list is empty: glTF allows no empty lists.
pub(super) fn list<T>(
    json: &mut JsonText<'_>,
    name: &str,
    items: &[T],
    write: impl FnMut(&mut JsonText<'_>, &T) -> Result<()>,
) -> Result<()> {
    if items.is_empty() { Ok(()) } else { json.field(name).each(items, write) }
}

/// Writes the field `name`, unless the name is missing or empty.
pub(super) fn name(json: &mut JsonText<'_>, name: Option<&str>) -> Result<()> {
    match name.filter(|name| !name.is_empty()) {
        Some(name) => json.field("name").string(name),
        None => Ok(()),
    }
}

/// Writes a field with an index, unless it is missing.
pub(super) fn reference(json: &mut JsonText<'_>, name: &str, index: Option<u32>) -> Result<()> {
    match index {
        Some(index) => json.field(name).unsigned(u64::from(index)),
        None => Ok(()),
    }
}

pub(super) fn write_node(json: &mut JsonText<'_>, node: &NodeObject) -> Result<()> {
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

pub(super) fn write_mesh(json: &mut JsonText<'_>, mesh: &MeshObject) -> Result<()> {
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

pub(super) fn write_skin(json: &mut JsonText<'_>, skin: &SkinObject) -> Result<()> {
    json.object(|json| {
        json.field("inverseBindMatrices").unsigned(u64::from(skin.inverse_binds))?;
        json.field("skeleton").unsigned(u64::from(skin.root))?;
        let joints = skin.first_joint..skin.first_joint.saturating_add(skin.joint_count);
        json.field("joints").each(joints.chain(skin.still_joint), |json, joint| json.unsigned(u64::from(joint)))
    })
}

pub(super) fn write_animation(json: &mut JsonText<'_>, animation: &AnimationObject) -> Result<()> {
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

pub(super) fn write_material(json: &mut JsonText<'_>, material: &MaterialObject) -> Result<()> {
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

pub(super) fn write_accessor(json: &mut JsonText<'_>, accessor: &Accessor) -> Result<()> {
    json.object(|json| {
        json.field("bufferView").unsigned(u64::from(accessor.view))?;
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

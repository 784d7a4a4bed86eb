//! Writes the objects of a glTF file as JSON: nodes, meshes, skins, animations, materials and
//! accessors.

use super::buffers::Accessor;
use super::document::{
    AlphaMode, AnimationObject, AttributeName, MaterialObject, MeshObject, NodeObject, Primitive, SkinObject,
    TargetNames,
};
use super::json::{LOD, UNLIT};
use crate::error::Result;
use crate::model::Transform;
use crate::text::json_text::JsonText;

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

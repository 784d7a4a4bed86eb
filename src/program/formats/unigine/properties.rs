//! Creates the JSON objects `properties` of UNIGINE meshes, surfaces and animations.

use std::io;

use crate::decode;
use crate::formats::unigine::{Animation, AnimationView, BlockLocation, Coding, Mesh};
use serde_json::{Value, json};

use crate::program::render::json::{hex, numbers};
use crate::program::render::json_writer::JsonWriter;

/// Writes the JSON fields `properties` of a UNIGINE mesh: the lightmap bytes of all surfaces, the
/// number of triangles per tree leaf, the memory estimate of the engine that the file stores, and
/// the encoding of each embedded animation. Properties that the format version lacks are omitted.
pub fn write_properties<D: AsRef<[u8]> + Send + Sync>(mesh: &Mesh<D>, out: &mut JsonWriter<'_>) -> io::Result<()> {
    let heads = (0..mesh.surface_count()).filter_map(|surface| mesh.lightmap(surface).ok().flatten());
    let lightmaps: Vec<[u8; 2]> = heads.collect();
    if !lightmaps.is_empty() {
        out.field_items("lightmap_channel", lightmaps.iter().map(|[channel, _]| (*channel).into()))?;
        out.field_items("lightmap_resolution_code", lightmaps.iter().map(|[_, code]| (*code).into()))?;
    }
    if let (Some(leaf), Some(memory)) = (mesh.leaf_triangles(), mesh.memory_estimate()) {
        out.fields(&json!({ "leaf_triangles": leaf, "memory_estimate": memory }))?;
    }
    if mesh.animation_count() > 0 {
        let mut animations = (0..mesh.animation_count()).map(|index| mesh.animation(index));
        out.field_list("animations", |out| animations.try_for_each(|one| write_animation(&one, out)))?;
    }
    Ok(())
}

/// Returns the sizes of the compressed blocks of a surface as a JSON object, or an empty object if
/// the mesh has no blocks.
pub fn surface_properties<D: AsRef<[u8]> + Send + Sync>(mesh: &Mesh<D>, surface: usize) -> Value {
    match mesh.blocks(surface) {
        Ok(Some([geometry, tree])) => json!({ "geometry_block": block(&geometry), "tree_block": block(&tree) }),
        // If a compressed block of the surface cannot be found, `validate` reports the reason as a
        // finding.
        _ => json!({}),
    }
}

fn block(block: &BlockLocation) -> Value {
    json!({ "offset": block.offset, "raw": block.raw, "stored": block.stored, "verbatim": block.is_verbatim() })
}

/// Returns a text with the number and the sizes of the blocks of an ms14 or ms15 mesh, or `None`
/// for an older mesh, which has no blocks.
pub fn blocks_in_words<D: AsRef<[u8]> + Send + Sync>(mesh: &Mesh<D>) -> Option<String> {
    mesh.leaf_triangles()?;
    let mut sums = [0_u64; 3];
    for surface in 0..mesh.surface_count() {
        for block in mesh.blocks(surface).ok().flatten()? {
            let raw = u64::try_from(block.raw).unwrap_or_default();
            let parts = [raw, block.stored, u64::from(block.is_verbatim())];
            sums.iter_mut().zip(parts).for_each(|(sum, part)| *sum = sum.saturating_add(part));
        }
    }
    let [raw, stored, verbatim] = sums;
    let count = mesh.surface_count();
    Some(format!("{count} of geometry and {count} of trees: {stored} bytes hold {raw}; {verbatim} are stored verbatim"))
}

/// Returns a text with the path and the GUID of the skeleton that an animation file names.
pub fn skeleton_in_words<D: AsRef<[u8]> + Send + Sync>(file: &Animation<D>) -> Option<String> {
    let [guid, path] = file.skeleton().ok().flatten()?;
    Some(format!("{path}, GUID {guid}"))
}

/// Writes the JSON fields `properties` of a UNIGINE animation file.
pub fn write_animation_properties<D: AsRef<[u8]> + Send + Sync>(
    file: &Animation<D>,
    out: &mut JsonWriter<'_>,
) -> io::Result<()> {
    let mut animations = (0..file.animation_count()).map(|index| file.animation(index));
    out.field_list("animations", |out| animations.try_for_each(|one| write_animation(&one, out)))?;
    match skeleton(file) {
        Ok(Some(skeleton)) => out.fields(&skeleton),
        Ok(None) => Ok(()),
        Err(fault) => {
            out.fail(fault);
            Ok(())
        }
    }
}

/// Returns the fields about the skeleton of an animation file as a JSON object, or `None` if the
/// file names no skeleton.
fn skeleton<D: AsRef<[u8]> + Send + Sync>(file: &Animation<D>) -> crate::Result<Option<Value>> {
    let Some([guid, path]) = file.skeleton()? else { return Ok(None) };
    let tail = file.tail()?;
    let (root_motion, unknown) = tail.split_first().map_or((0, tail), |(first, rest)| (*first, rest));
    Ok(Some(json!({
        "skeleton_guid": guid.to_string_lossy(),
        "skeleton_path": path.to_string_lossy(),
        "rate": file.raw_rate(),
        "root_motion": root_motion,
        "unknown": Some(hex(unknown)).filter(|unknown| !unknown.is_empty()),
    })))
}

/// Writes the encoding of an animation as an item of a list. If the animation cannot be decoded,
/// the item is `null`, and `validate` reports a finding.
fn write_animation(found: &crate::Result<AnimationView<'_>>, out: &mut JsonWriter<'_>) -> io::Result<()> {
    let Ok(found) = found else { return out.item(&Value::Null) };
    let boxes = match found.coding() {
        Coding::Quantized([positions, scales]) => [Some(offset_scale_box(&positions)), Some(offset_scale_box(&scales))],
        _ => [None, None],
    };
    let [position_box, scale_box] = boxes;
    out.item_object(|out| {
        out.field_text("name", &found.name.to_string_lossy())?;
        out.field("flags", json!(found.flags))?;
        out.field("position_box", position_box)?;
        out.field("scale_box", scale_box)?;
        out.field("interval", json!(found.interval()))?;
        out.field("index_bytes", json!(found.index_size()))
    })
}

fn offset_scale_box(one: &decode::OffsetScale16) -> Value {
    json!({ "min": numbers(&one.min), "size": numbers(&one.size) })
}

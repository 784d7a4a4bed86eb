//! Passes the properties of meshes, surfaces and animations.

use std::io;

use super::animation::Animation;
use super::animation::coding::Coding;
use super::animation::view::AnimationView;
use super::blocks::block::BlockLocation;
use super::file::Mesh;
use crate::decode::OffsetScale16;
use crate::error::Result;
use crate::model::Properties;
use crate::parse::{Value, record};

/// Passes the lightmap bytes of all surfaces, the number of triangles per tree leaf, the memory
/// estimate of the engine that the file stores, and the encoding of each embedded animation.
/// Properties that the format version lacks are omitted.
pub(super) fn of_mesh<D: AsRef<[u8]> + Send + Sync>(mesh: &Mesh<D>, out: &mut Properties<'_>) -> io::Result<()> {
    let heads = (0..mesh.surface_count()).filter_map(|surface| mesh.lightmap(surface).ok().flatten());
    let lightmaps: Vec<[u8; 2]> = heads.collect();
    if !lightmaps.is_empty() {
        out.items("lightmap_channel", lightmaps.iter().map(|[channel, _]| *channel))?;
        out.items("lightmap_resolution_code", lightmaps.iter().map(|[_, code]| *code))?;
    }
    if let (Some(leaf), Some(memory)) = (mesh.leaf_triangles(), mesh.memory_estimate()) {
        out.field("leaf_triangles", leaf)?;
        out.field("memory_estimate", memory)?;
    }
    if mesh.animation_count() > 0 {
        out.items("animations", (0..mesh.animation_count()).map(|index| animation(&mesh.animation(index))))?;
    }
    Ok(())
}

/// Passes the sizes of the compressed blocks of a surface, or nothing if the mesh has no blocks.
pub(super) fn of_surface<D: AsRef<[u8]> + Send + Sync>(
    mesh: &Mesh<D>,
    surface: usize,
    out: &mut Properties<'_>,
) -> io::Result<()> {
    match mesh.blocks(surface) {
        Ok(Some([geometry, tree])) => {
            out.field("geometry_block", block(&geometry))?;
            out.field("tree_block", block(&tree))
        }
        // If a compressed block of the surface cannot be found, `validate` reports the reason as a
        // finding.
        _ => Ok(()),
    }
}

fn block(block: &BlockLocation) -> Value {
    record! { "offset": block.offset, "raw": block.raw, "stored": block.stored, "verbatim": block.is_verbatim() }
}

/// Returns a text with the number and the sizes of the blocks of an ms14 or ms15 mesh, or `None`
/// for an older mesh, which has no blocks.
pub(super) fn blocks_in_words<D: AsRef<[u8]> + Send + Sync>(mesh: &Mesh<D>) -> Option<String> {
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
pub(super) fn skeleton_in_words<D: AsRef<[u8]> + Send + Sync>(file: &Animation<D>) -> Option<String> {
    let [guid, path] = file.skeleton().ok().flatten()?;
    Some(format!("{path}, GUID {guid}"))
}

/// Passes the encoding of each animation of a file, and the skeleton that the file names.
pub(super) fn of_animation<D: AsRef<[u8]> + Send + Sync>(
    file: &Animation<D>,
    out: &mut Properties<'_>,
) -> io::Result<()> {
    out.items("animations", (0..file.animation_count()).map(|index| animation(&file.animation(index))))?;
    match skeleton(file) {
        Ok(Some(skeleton)) => out.fields(skeleton),
        Ok(None) => Ok(()),
        Err(error) => {
            out.fail(error);
            Ok(())
        }
    }
}

/// Returns what an animation file stores about its skeleton, or `None` if it names no skeleton.
fn skeleton<D: AsRef<[u8]> + Send + Sync>(file: &Animation<D>) -> Result<Option<Value>> {
    let Some([guid, path]) = file.skeleton()? else { return Ok(None) };
    let tail = file.tail()?;
    let (root_motion, unknown) = tail.split_first().map_or((0, tail), |(first, rest)| (*first, rest));
    Ok(Some(record! {
        "skeleton_guid": guid,
        "skeleton_path": path,
        "rate": file.raw_rate(),
        "root_motion": root_motion,
        "unknown": Some(Value::hex(unknown)).filter(|_| !unknown.is_empty()),
    }))
}

/// Returns the encoding of an animation. If the animation cannot be decoded, the value is missing,
/// and `validate` reports a finding.
fn animation(found: &Result<AnimationView<'_>>) -> Value {
    let Ok(found) = found else { return Value::Missing };
    let [position_box, scale_box] = match found.coding() {
        Coding::Quantized([positions, scales]) => [Some(offset_scale_box(&positions)), Some(offset_scale_box(&scales))],
        _ => [None, None],
    };
    record! {
        "name": found.name,
        "flags": found.flags,
        "position_box": position_box,
        "scale_box": scale_box,
        "interval": found.interval(),
        "index_bytes": found.index_size(),
    }
}

fn offset_scale_box(one: &OffsetScale16) -> Value {
    record! { "min": one.min, "size": one.size }
}

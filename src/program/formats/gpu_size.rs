//! Counts the vertices that a surface has on a GPU, and the bytes that they take.

// Rule: this file sorts and maps by copies only.

use std::collections::HashSet;

use crate::model::Counts;
use crate::{Array as _, Surface};

use crate::program::formats::summary::GpuSize;

/// The size of a position on a GPU, in bytes: three 32-bit floats.
const POSITION: u64 = 12;
/// The size of a normal: three 32-bit floats.
const NORMAL: u64 = 12;
/// The size of a tangent with its sign: four 32-bit floats.
const TANGENT: u64 = 16;
/// The size of texture coordinates: two 32-bit floats.
const UV: u64 = 8;
/// The size of a colour: four bytes.
const COLOR: u64 = 4;
/// The size of four bones, of 16 bits each, with their weights, which are 32-bit floats.
const INFLUENCES: u64 = 24;
/// The number of vertices up to which an index takes two bytes.
const MAX_SHORT_INDEX: u64 = 65_535;

/// Returns the size of a surface on a GPU, which has one index for all attributes of a vertex.
///
/// The vertices of a surface with one index stream are known without reading. If a surface has two
/// index streams, its vertices are the different pairs of their indices. They are counted only if
/// `is_wanted` is true, because all indices are then read. Returns `None` if the size is not known,
/// or if the indices are damaged.
pub fn gpu_size(surface: &Surface<'_>, counts: &Counts, is_wanted: bool) -> Option<GpuSize> {
    let counted = || if is_wanted { count_pairs(surface, counts) } else { None };
    let vertices = known_vertices(surface, counts).or_else(counted)?;
    let index_size = if vertices > MAX_SHORT_INDEX { 4 } else { 2 };
    Some(GpuSize {
        vertices,
        vertex_bytes: vertices.checked_mul(vertex_bytes(surface, counts)?)?,
        index_bytes: u64::from(counts.corners).checked_mul(index_size)?,
    })
}

/// Returns the number of vertices if it does not depend on the indices.
fn known_vertices(surface: &Surface<'_>, counts: &Counts) -> Option<u64> {
    let [_, attribute_width] = counts.index_widths;
    let is_single = surface.is_single_stream().ok()?;
    // A stream without a width is not stored: each corner has attributes of its own.
    let is_known = is_single || attribute_width == 0;
    is_known.then_some(u64::from(counts.attribute_vertices))
}

/// Counts the different pairs of a position and an attribute vertex.
///
/// Most attribute vertices belong to one position. Only the pairs of the others are collected in a
/// set. Returns `None` if an index is out of range.
fn count_pairs(surface: &Surface<'_>, counts: &Counts) -> Option<u64> {
    let corners = surface.corners().ok()?;
    let mut first = vec![None; usize::try_from(counts.attribute_vertices).ok()?];
    let mut others = HashSet::new();
    let mut count = 0_u64;
    for corner in corners.iter() {
        let is_new = match first.get_mut(usize::try_from(corner.attribute).ok()?)? {
            slot @ None => {
                *slot = Some(corner.position);
                true
            }
            Some(position) if *position == corner.position => false,
            Some(_) => others.insert((corner.position, corner.attribute)),
        };
        count = count.checked_add(u64::from(is_new))?;
    }
    Some(count)
}

/// Returns the size of one vertex, with the attributes that the surface has.
fn vertex_bytes(surface: &Surface<'_>, counts: &Counts) -> Option<u64> {
    let has_tangents = surface.tangent_frames().ok()?.is_some();
    let has_normals = has_tangents || surface.normals().ok()?.is_some();
    let uvs = UV.checked_mul(counts.uv_sets.into())?;
    let parts = [(has_normals, NORMAL), (has_tangents, TANGENT), (counts.colors, COLOR), (counts.weights, INFLUENCES)];
    let parts = parts.into_iter().filter(|(is_there, _)| *is_there).map(|(_, bytes)| bytes);
    Some(parts.fold(POSITION.saturating_add(uvs), u64::saturating_add))
}

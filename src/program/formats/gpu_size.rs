//! Counts the vertices that a surface has on a GPU, and the bytes that they take.

use crate::Surface;
use crate::export::{SceneInput, VertexCount, VertexCounter};
use crate::math::as_u64;
use crate::model::Counts;

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

/// Counts the vertices of surfaces on a GPU, which has one index for all attributes of a vertex.
///
/// The vertices are those of glTF output. They are counted only if all indices may be read, except
/// in a surface whose attribute vertices are its corners: such a surface is small.
pub struct GpuCounter<'a> {
    input: SceneInput<'a>,
    /// Whether all indices may be read.
    counts_all: bool,
    /// The counter of the surfaces that are drawn. The others are not exported.
    drawn: VertexCounter,
}

impl<'a> GpuCounter<'a> {
    pub fn new(input: SceneInput<'a>, counts_all: bool) -> Self {
        Self { input, counts_all, drawn: VertexCounter::default() }
    }

    /// Returns the size of the next surface, or `None` if it is not known, or if the surface is
    /// damaged. `shares` is whether the surface has the vertex pool of an earlier one.
    pub fn size(&mut self, surface: &Surface<'_>, counts: &Counts, shares: bool) -> Option<GpuSize> {
        let [_, attribute_width] = counts.index_widths;
        let is_single = surface.is_single_stream().ok()?;
        let has_stored = surface.normals().ok()?.is_some();
        let (vertices, is_repeated, has_normals) = if self.counts_all || !is_single && attribute_width == 0 {
            let mut hidden = VertexCounter::default();
            let counter = if surface.is_drawn().ok()? { &mut self.drawn } else { &mut hidden };
            let VertexCount { vertices, is_repeated, has_normals } = counter.count(surface, &self.input).ok()?;
            (as_u64(vertices), is_repeated, has_normals)
        } else {
            // Computed normals split vertices at creases.
            ((is_single && has_stored).then_some(u64::from(counts.attribute_vertices))?, shares, true)
        };
        let index_size = if vertices > MAX_SHORT_INDEX { 4 } else { 2 };
        Some(GpuSize {
            vertices,
            vertex_bytes: vertices.checked_mul(vertex_bytes(surface, counts, has_normals)?)?,
            index_bytes: u64::from(counts.corners).checked_mul(index_size)?,
            is_repeated,
        })
    }
}

/// Returns the size of one vertex, with the attributes that the surface has.
fn vertex_bytes(surface: &Surface<'_>, counts: &Counts, has_normals: bool) -> Option<u64> {
    let has_tangents = surface.tangent_frames().ok()?.is_some();
    let uvs = UV.checked_mul(counts.uv_sets.into())?;
    let parts = [(has_normals, NORMAL), (has_tangents, TANGENT), (counts.colors, COLOR), (counts.weights, INFLUENCES)];
    let parts = parts.into_iter().filter(|(is_there, _)| *is_there).map(|(_, bytes)| bytes);
    Some(parts.fold(POSITION.saturating_add(uvs), u64::saturating_add))
}

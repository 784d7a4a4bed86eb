//! A welded surface.

use crate::error::debug::{items, short_debug};
use crate::model::corners::Corner;

/// A surface in the form that GPUs use: one index stream, and for each vertex the index of its
/// position and the index of its attributes.
///
/// Every distinct pair of a position index and an attribute index that a corner uses becomes one
/// vertex. Vertices are numbered in the order in which the corners first use them. A pair of
/// indices that no corner uses does not become a vertex. For each corner of a surface,
/// `vertices[indices[corner]]` is therefore equal to the original corner, and no attribute is lost.
/// If the file stores only two bytes of UV for each corner and no other attributes, corners with
/// equal position indices and equal UVs are also merged, and the merged vertex gets the attribute
/// index of the first of the merged corners.
/// To upload an array to a GPU, [`gather`](Self::gather) its items in the order of the vertices.
///
/// Welding copies the indices, so this crate never welds a surface implicitly. A `Welded` takes 4
/// bytes per corner and 8 bytes per vertex. The time of welding is nearly linear in the number of
/// corners, and depends on the index streams:
///
/// - If the two index streams are equal, each index is looked up in a table. The table takes 4
///   bytes per vertex of the surface during the call. [A single
///   stream](crate::Surface::is_single_stream) is equal without a comparison. Two separate streams
///   are compared up to the first chunk with a difference.
/// - Otherwise, welding includes a sort of the corners that share an attribute index. During the
///   call, 12 bytes per corner and 4 bytes per attribute vertex of additional memory are needed.
/// - If the surface has more than eight times as many vertices as corners, all corners are sorted,
///   and the time and memory do not depend on the number of vertices.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// let model = meshpeek::Model::open(meshpeek::read("data/unigine/cube_ms13.mesh")?)?;
/// let surface = model.surface(0)?;
/// let welded = surface.weld()?;
/// let positions = welded.gather(surface.positions()?)?;
/// assert_eq!((welded.indices.len(), positions.len()), (36, 24));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Welded {
    /// For each vertex of the welded surface, the index of its position and the index of its
    /// attributes.
    pub vertices: Vec<Corner>,
    /// For each triangle corner, the index of its vertex in `vertices`. Each triangle has three
    /// corners, and the triangles are in file order.
    pub indices: Vec<u32>,
}

short_debug!(Welded: |welded| { vertices: items(&welded.vertices), indices: items(&welded.indices) });

//! The faces of a part of a surface, with the numbers of its vertices.

use super::vertices::VertexOrder;
use crate::error::Result;
use crate::math::as_index;
use crate::model::{Corner, Welded};
use crate::scene::PlacedSurface;
use crate::scene::shape::{LeftOut, PlacedPositions};

/// A corner of a face: the number of its vertex in the part, and the corner of the surface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FaceCorner {
    pub(crate) vertex: u32,
    pub(crate) corner: Corner,
}

/// Calls `visit` with each triangle of a part whose positions are finite, in the order of the
/// output. Returns the numbers of the other triangles.
pub(crate) fn each_face(
    surface: &PlacedSurface<'_>,
    positions: &PlacedPositions<'_>,
    order: &VertexOrder,
    visit: &mut dyn FnMut([FaceCorner; 3]) -> Result<()>,
) -> Result<LeftOut> {
    match order {
        VertexOrder::Stored => positions.each_triangle(None, &mut |corners, _| {
            visit(corners.map(|corner| FaceCorner { vertex: corner.position, corner }))
        }),
        VertexOrder::Welded(welded) => each_welded(surface, positions, welded, visit),
    }
}

fn each_welded(
    surface: &PlacedSurface<'_>,
    positions: &PlacedPositions<'_>,
    welded: &Welded,
    visit: &mut dyn FnMut([FaceCorner; 3]) -> Result<()>,
) -> Result<LeftOut> {
    let mut left_out = LeftOut::default();
    for vertices in welded.indices.as_chunks::<3>().0 {
        let corners = surface.conversion.triangle(*vertices).map(|vertex| {
            let corner = welded.vertices.get(as_index(vertex)).copied().unwrap_or_default();
            FaceCorner { vertex, corner }
        });
        if corners.iter().all(|face| positions.is_finite(face.corner.position)) {
            visit(corners)?;
        } else {
            left_out.not_finite = left_out.not_finite.saturating_add(1);
        }
    }
    Ok(left_out)
}

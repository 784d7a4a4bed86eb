//! The vertices of a surface with one index stream, which most formats need.

use std::ops::Range;

use super::loss::{LossKind, LossList, counted};
use crate::array::Array;
use crate::error::Result;
use crate::math::as_index;
use crate::model::{Corner, Surface, Welded};

/// The greatest number of triangles of a surface that are welded together. The parts of a larger
/// surface are welded one after another, so that welding takes at most 40 MiB.
const MAX_WELDED_TRIANGLES: u32 = 1 << 19;

/// The vertices of a surface, or of a part of it, in the order in which they are written.
pub(crate) enum VertexOrder {
    /// Vertex *i* has item *i* of each array of the surface.
    Stored,
    /// The vertices are those of a welded surface.
    Welded(Welded),
}

/// The parts of a surface that are exported one after another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VertexParts {
    /// One part with the stored vertices: both index streams are equal and use most vertices.
    Stored,
    /// Parts of a surface with this number of triangles, which are welded.
    Welded(u32),
    /// One part without the triangles that have an invalid index.
    Repaired,
}

/// The corners of the vertices of a part, in blocks.
pub(crate) struct CornerBlocks<'o> {
    order: &'o VertexOrder,
    /// The number of stored vertices.
    stored: usize,
}

/// The number of vertices in a block.
const CORNER_BLOCK: usize = 1024;

impl<'o> CornerBlocks<'o> {
    /// Makes the blocks of a part. `stored` is the number of positions of the surface.
    pub(crate) const fn new(order: &'o VertexOrder, stored: usize) -> Self {
        Self { order, stored }
    }

    /// Returns the number of vertices.
    pub(crate) fn len(&self) -> usize {
        match self.order {
            VertexOrder::Stored => self.stored,
            VertexOrder::Welded(welded) => welded.vertices.len(),
        }
    }

    /// Returns the corner of the first vertex, or `None` if there are no vertices.
    pub(crate) fn first(&self) -> Option<Corner> {
        match self.order {
            VertexOrder::Stored => (self.stored > 0).then(Corner::default),
            VertexOrder::Welded(welded) => welded.vertices.first().copied(),
        }
    }

    /// Calls `visit` with the corners of the vertices in order, in blocks.
    pub(crate) fn each(&self, visit: &mut dyn FnMut(&[Corner]) -> Result<()>) -> Result<()> {
        let VertexOrder::Welded(welded) = self.order else {
            let mut block = [Corner::default(); CORNER_BLOCK];
            for start in (0..self.stored).step_by(CORNER_BLOCK) {
                let count = self.stored.saturating_sub(start).min(CORNER_BLOCK);
                let first = u32::try_from(start).unwrap_or(u32::MAX);
                for (index, corner) in (first..=u32::MAX).zip(block.iter_mut()) {
                    *corner = Corner { position: index, attribute: index };
                }
                visit(block.get(..count).unwrap_or_default())?;
            }
            return Ok(());
        };
        welded.vertices.chunks(CORNER_BLOCK).try_for_each(visit)
    }
}

impl VertexParts {
    /// Reads both index streams of a surface, and returns its parts.
    pub(crate) fn new(surface: &Surface<'_>) -> Result<Self> {
        let counts = surface.counts()?;
        let [vertices, attributes] = [surface.positions()?.len(), as_index(counts.attribute_vertices)];
        let Ok(corners) = surface.corners() else { return Ok(Self::Repaired) };
        let (mut is_equal, mut greatest) = (true, [0, 0]);
        corners.for_each(|Corner { position, attribute }| {
            is_equal &= position == attribute;
            let [positions, attributes] = greatest;
            greatest = [positions.max(position), attributes.max(attribute)];
        });
        let [position, attribute] = greatest.map(as_index);
        Ok(match corners.len() {
            0 => Self::Welded(0),
            _ if position >= vertices || attribute >= attributes => Self::Repaired,
            count if is_equal && vertices == attributes && count >= vertices / 2 => Self::Stored,
            _ => Self::Welded(corners.triangle_count()),
        })
    }

    /// Returns the triangles of each part.
    pub(crate) fn ranges(self) -> impl Iterator<Item = Range<u32>> {
        let (triangles, step) = match self {
            Self::Stored | Self::Repaired => (1, 1),
            Self::Welded(triangles) => (triangles, MAX_WELDED_TRIANGLES),
        };
        let starts = (0..triangles).step_by(as_index(step));
        starts.map(move |start| start..start.saturating_add(step).min(triangles))
    }

    /// Returns the vertices of the part with the given triangles.
    ///
    /// If triangles with an invalid index are left out, they are added to `losses`. `number` is the
    /// index of the surface.
    pub(crate) fn order(
        self,
        surface: &Surface<'_>,
        triangles: Range<u32>,
        losses: &mut LossList,
        number: usize,
    ) -> Result<VertexOrder> {
        match self {
            Self::Stored => Ok(VertexOrder::Stored),
            Self::Welded(_) => surface.weld_triangles(triangles).map(VertexOrder::Welded),
            Self::Repaired => {
                let (welded, omitted) = surface.weld_lossy()?;
                let count = counted(omitted.triangles.len(), "triangle");
                let first = omitted.first.map(|first| format!(": {first}")).unwrap_or_default();
                losses.add(LossKind::Triangles, Some(number), format!("{count} with an invalid index{first}"));
                Ok(VertexOrder::Welded(welded))
            }
        }
    }
}

//! The vertices of a surface with one index stream, which most formats need.

use std::ops::Range;

use super::loss::{LossKind, LossList, counted};
use super::split::{PartNormals, WrittenPart};
use crate::array::Array;
use crate::error::Result;
use crate::math::as_index;
use crate::model::{
    Corner, NormalEncoding, Normals, PositionEncoding, Positions, Surface, UvEncoding, VertexPool, Welded,
};
use crate::scene::SceneInput;
use crate::scene::normals::CornerGroups;
use crate::scene::shape::{LeftOut, ShapePositions, SurfaceShape, is_finite};

/// The greatest number of triangles of a surface that are welded together. The parts of a larger
/// surface are welded one after another, so that welding takes at most 16 MiB.
const MAX_WELDED_TRIANGLES: u32 = 1 << 18;

/// The number of items of an array that are read before pages are released.
const SLICE: usize = 1 << 19;

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
    /// Reads both index streams and the positions of a surface, and returns its parts. A surface is
    /// repaired if the file has only a part of the vertex frame that is its `shape`.
    pub(crate) fn new(surface: &Surface<'_>, shape: SurfaceShape<'_>, input: &SceneInput<'_>) -> Result<Self> {
        let positions = surface.positions()?;
        let [vertices, attributes] = [positions.len(), as_index(surface.counts()?.attribute_vertices)];
        let Ok(corners) = surface.corners() else { return Ok(Self::Repaired) };
        let (mut is_equal, mut is_valid, mut is_finite) = (true, true, true);
        let [position_count, attribute_count] =
            [vertices, attributes].map(|count| u32::try_from(count).unwrap_or(u32::MAX));
        each_slice(&corners, input, |slice| {
            is_equal = is_equal && slice.has_equal_streams();
            let is_same = is_equal && position_count == attribute_count;
            is_valid = is_valid
                && slice.positions().first_out_of_range(position_count).is_none()
                && (is_same || slice.attributes().first_out_of_range(attribute_count).is_none());
        });
        each_slice(&positions, input, |slice| is_finite = is_finite && is_all_finite(&slice));
        Ok(match corners.len() {
            0 => Self::Welded(0),
            _ if !is_valid || !is_finite => Self::Repaired,
            _ if frame_positions(surface, shape)?.len() < vertices => Self::Repaired,
            count if is_equal && vertices == attributes && count >= vertices / 2 => Self::Stored,
            _ => Self::Welded(corners.triangle_count()),
        })
    }

    /// Returns the parts if the normals of the vertices are `computed`: stored vertices must be
    /// split at creases.
    pub(crate) fn for_normals(self, surface: &Surface<'_>, computed: bool) -> Result<Self> {
        Ok(match self {
            Self::Stored if computed => Self::Welded(surface.corners()?.triangle_count()),
            other => other,
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

    /// Returns the vertices of the part with the given triangles. If the normals are computed,
    /// `normals` has those of all corners of the surface, and a vertex belongs to one of their
    /// groups.
    ///
    /// If triangles with an invalid index are left out, they are added to `losses`. `number` is the
    /// index of the surface.
    pub(crate) fn order(
        self,
        surface: &Surface<'_>,
        (shape, normals): (SurfaceShape<'_>, Option<&CornerGroups>),
        triangles: Range<u32>,
        losses: &mut LossList,
        number: usize,
    ) -> Result<WrittenPart> {
        let split = |mut welded: Welded, triangle: &dyn Fn(u32) -> u32| {
            let normals = normals.map(|normals| PartNormals::split(&mut welded, normals, triangle));
            WrittenPart { order: VertexOrder::Welded(welded), normals }
        };
        Ok(match self {
            Self::Stored => WrittenPart { order: VertexOrder::Stored, normals: None },
            Self::Welded(_) => {
                let first = triangles.start;
                split(surface.weld_in_any_order(triangles)?, &|triangle| first.saturating_add(triangle))
            }
            Self::Repaired => {
                let (mut welded, omitted) = surface.weld_reported()?;
                if let Some(first) = omitted.first {
                    let count = counted(omitted.triangles.len(), "triangle");
                    losses.add(LossKind::Triangles, Some(number), format!("{count} with an invalid index: {first}"));
                }
                let (left_out, kept) = remove_unplaced(&mut welded, &frame_positions(surface, shape)?);
                losses.add_left_out(left_out, number);
                split(welded, &|triangle| {
                    omitted.source_triangle(kept.get(as_index(triangle)).copied().unwrap_or(triangle))
                })
            }
        })
    }
}

impl VertexOrder {
    /// Returns the number of vertices. `stored` is the number of positions of the surface.
    pub(crate) fn vertex_count(&self, stored: usize) -> usize {
        match self {
            Self::Stored => stored,
            Self::Welded(welded) => welded.vertices.len(),
        }
    }

    /// Returns the memory that the order takes, in bytes.
    pub(crate) fn byte_len(&self) -> usize {
        match self {
            Self::Stored => 0,
            Self::Welded(Welded { vertices, indices }) => {
                size_of_val(vertices.as_slice()).saturating_add(size_of_val(indices.as_slice()))
            }
        }
    }

    /// Returns the index of the position and of the attributes of a vertex.
    #[inline]
    pub(crate) fn corner(&self, vertex: usize) -> Corner {
        match self {
            Self::Stored => {
                let index = u32::try_from(vertex).unwrap_or(u32::MAX);
                Corner { position: index, attribute: index }
            }
            Self::Welded(welded) => welded.vertices.get(vertex).copied().unwrap_or_default(),
        }
    }
}

/// The vertices of a surface, which the surface after it may use, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct VertexRun {
    pool: VertexPool,
    count: usize,
}

impl VertexRun {
    /// Returns the vertices of a part of a surface, or `None` if they belong to this part only:
    /// surfaces share stored vertices. `count` is their number.
    pub(crate) fn of(surface: &Surface<'_>, order: &VertexOrder, count: usize) -> Result<Option<Self>> {
        // Surfaces of a pool with two index streams may have their own attributes.
        let is_shared = matches!(order, VertexOrder::Stored) && surface.is_single_stream()?;
        Ok(is_shared.then_some(Self { pool: surface.vertex_pool()?, count }))
    }
}

/// Passes slices of an array to `visit`, and releases pages after each.
fn each_slice<A: Array>(array: &A, input: &SceneInput<'_>, mut visit: impl FnMut(A)) {
    for start in (0..array.len()).step_by(SLICE) {
        array.slice(start..start.saturating_add(SLICE).min(array.len())).into_iter().for_each(&mut visit);
        if array.len() > SLICE {
            input.release();
        }
    }
}

/// Returns whether all coordinates are finite.
fn is_all_finite(positions: &Positions<'_>) -> bool {
    match &positions.0 {
        PositionEncoding::F32(array) => array.non_finite().count == 0,
        _ => positions.into_iter().all(is_finite),
    }
}

/// Returns the number of texture coordinates and normals with a number that is not finite.
pub(crate) fn non_finite_attributes(surface: &Surface<'_>, input: &SceneInput<'_>) -> Result<usize> {
    let mut count = 0_usize;
    for set in 0..surface.counts()?.uv_sets {
        let Some(uvs) = surface.uvs(as_index(set))? else { continue };
        each_slice(&uvs, input, |slice| {
            let found = match &slice.0 {
                UvEncoding::F32(array) => usize::try_from(array.non_finite().count).unwrap_or(usize::MAX),
                _ => slice.into_iter().filter(|uv| !is_finite(*uv)).count(),
            };
            count = count.saturating_add(found);
        });
    }
    // A normal that is decoded from integers is always finite.
    let is_float = |normals: &Normals<'_>| matches!(normals.0, NormalEncoding::F32(_) | NormalEncoding::Strided(_));
    if let Some(normals) = surface.normals()?.filter(is_float) {
        each_slice(&normals, input, |slice| {
            count = count.saturating_add(slice.into_iter().filter(|normal| !is_finite(*normal)).count());
        });
    }
    Ok(count)
}

/// Finds the positions of the vertex frame that is the shape, or else those of the base shape.
fn frame_positions<'a>(surface: &Surface<'a>, shape: SurfaceShape<'a>) -> Result<ShapePositions<'a>> {
    match shape {
        SurfaceShape::Frames(_) => shape.positions(surface),
        SurfaceShape::Base | SurfaceShape::Bones(_) => surface.positions().map(ShapePositions::Stored),
    }
}

/// Removes the triangles with a vertex that has no position or a position that is not finite, and
/// the vertices that only they use. Returns the numbers of removed triangles, and the numbers that
/// the other triangles had.
fn remove_unplaced(welded: &mut Welded, positions: &ShapePositions<'_>) -> (LeftOut, Vec<u32>) {
    let mut left_out = LeftOut::default();
    let position = |index: &u32| {
        let corner = welded.vertices.get(as_index(*index))?;
        positions.get(as_index(corner.position))
    };
    let (triangles, _) = welded.indices.as_chunks::<3>();
    let is_kept = |(_, triangle): &(u32, &[u32; 3])| {
        let [first, second, third] = triangle.each_ref().map(position);
        let count = match first.zip(second).zip(third) {
            Some(((first, second), third)) if [first, second, third].into_iter().all(is_finite) => return true,
            Some(_) => &mut left_out.not_finite,
            None => &mut left_out.invalid,
        };
        *count = count.saturating_add(1);
        false
    };
    let kept: (Vec<u32>, Vec<[u32; 3]>) = (0..=u32::MAX).zip(triangles).filter(is_kept).unzip();
    let (numbers, triangles) = kept;
    if left_out != LeftOut::default() {
        *welded = renumbered(welded, triangles.into_flattened());
    }
    (left_out, numbers)
}

/// Returns a surface with these indices and the vertices that they use.
fn renumbered(welded: &Welded, mut indices: Vec<u32>) -> Welded {
    let mut numbers = vec![None; welded.vertices.len()];
    let mut vertices = Vec::new();
    for index in &mut indices {
        let Some(number) = numbers.get_mut(as_index(*index)) else { continue };
        *index = *number.get_or_insert_with(|| {
            vertices.push(welded.vertices.get(as_index(*index)).copied().unwrap_or_default());
            u32::try_from(vertices.len().saturating_sub(1)).unwrap_or(u32::MAX)
        });
    }
    Welded { vertices, indices }
}

//! Parts of a mesh: consecutive triangles of a surface, with a bounding box.

use std::ops::{Deref, Range};

use super::memory::reserved;
use crate::array::{Array, Bounds};
use crate::error::Result;
use crate::math::{as_index, as_u64};
use crate::model::{
    AsMeshFile, Attribute, ByteRanges, Corners, Geometry, IndexStream, MeshSelection, Positions, Surface,
};

/// The greatest factor by which the vertex ranges of the parts of a surface may be longer than the
/// arrays of the surface. A surface whose triangles use vertices in no order is not divided.
const MAX_REPEATED: usize = 3;

/// A part of a mesh: consecutive triangles of one surface, in file order.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MeshPart {
    /// The index of the surface.
    pub surface: u32,
    /// The triangles of the part.
    pub triangles: Range<u32>,
    /// The range of the positions that the triangles use. It may contain other positions.
    pub positions: Range<u32>,
    /// The range of the attribute vertices that the triangles use.
    pub attributes: Range<u32>,
    /// Whether the part is all of the surface.
    pub is_whole: bool,
    /// Whether the arrays of the surface are in one compressed block. Such a part is all of the
    /// surface.
    pub is_block: bool,
    /// The bounding box.
    pub bounds: Bounds,
}

/// The parts of a mesh, in file order, with a tree over their bounding boxes. They can be used like
/// a slice of [`MeshPart`].
///
/// A part is what a program streams of a mesh that is too large for memory. The surfaces of a
/// format that compresses each surface are not divided, because a part of a block cannot be
/// inflated alone.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::streaming::MeshParts;
/// let model = meshpeek::open("data/unigine/cube_ms13.mesh")?;
/// let parts = MeshParts::new(&model, 64 << 10)?;
/// let mut visible = Vec::new();
/// parts.visit(|bounds| bounds.contains([0.0; 3]), |part| visible.push(part));
/// assert_eq!((parts.len(), visible.as_slice()), (1, &[0][..]));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct MeshParts {
    parts: Vec<MeshPart>,
    /// The levels of a binary tree over consecutive parts, from its leaves on: box *i* of a level
    /// contains boxes *2i* and *2i + 1* of the level before.
    levels: Vec<Vec<Bounds>>,
}

impl Deref for MeshParts {
    type Target = [MeshPart];

    fn deref(&self) -> &[MeshPart] {
        &self.parts
    }
}

impl MeshParts {
    /// Divides each surface into parts whose indices take `index_bytes` bytes in each index stream,
    /// which is usually 64 to 256 KiB.
    ///
    /// The method reads all indices and positions of the mesh once. Keep the result, or make it
    /// before the mesh is streamed.
    ///
    /// # Errors
    ///
    /// Returns the errors of the reader of the format, and
    /// [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory).
    pub fn new<M: AsMeshFile>(mesh: &M, index_bytes: u32) -> Result<Self> {
        let (geometry, file): (&dyn Geometry, &dyn ByteRanges) = (mesh.file(), mesh.file());
        let mut parts = Vec::new();
        for surface in geometry.surfaces()? {
            if is_block(file, surface.index())? {
                parts.push(MeshPart { is_block: true, ..whole(&surface)? });
            } else {
                divide(&surface, index_bytes, &mut parts)?;
            }
        }
        Self::of_parts(parts)
    }

    /// Makes one part of each surface. The method reads the names and boxes of the surfaces, and no
    /// array if the format stores boxes.
    ///
    /// # Errors
    ///
    /// Returns the errors of the reader of the format.
    pub fn of_surfaces<M: AsMeshFile>(mesh: &M) -> Result<Self> {
        let (geometry, file): (&dyn Geometry, &dyn ByteRanges) = (mesh.file(), mesh.file());
        let parts = geometry
            .surfaces()?
            .map(|surface| Ok(MeshPart { is_block: is_block(file, surface.index())?, ..whole(&surface)? }));
        Self::of_parts(parts.collect::<Result<_>>()?)
    }

    fn of_parts(parts: Vec<MeshPart>) -> Result<Self> {
        let mut level = reserved(parts.len())?;
        level.extend(parts.iter().map(|part| part.bounds));
        let mut levels = Vec::new();
        while level.len() > 1 {
            let mut above = reserved(level.len().div_ceil(2))?;
            above.extend(level.chunks(2).map(|pair| pair.iter().fold(Bounds::EMPTY, Bounds::union)));
            levels.push(std::mem::replace(&mut level, above));
        }
        levels.push(level);
        Ok(Self { parts, levels })
    }

    /// Calls `visit` for each part whose box `may_see` accepts, in file order. Parts are skipped
    /// together if `may_see` rejects the box around them.
    pub fn visit(&self, mut may_see: impl FnMut(&Bounds) -> bool, mut visit: impl FnMut(u32)) {
        // Each entry is a level and the index of a box. A level adds at most one entry.
        let mut open = [(0_usize, 0_usize); 64];
        let mut count = 1_usize;
        if let Some(first) = open.first_mut() {
            *first = (self.levels.len().saturating_sub(1), 0);
        }
        while let Some(next) = count.checked_sub(1) {
            count = next;
            let Some((level, index)) = open.get(count).copied() else { return };
            let Some(bounds) = self.levels.get(level).and_then(|level| level.get(index)) else { continue };
            if !may_see(bounds) {
                continue;
            }
            let Some(below) = level.checked_sub(1) else {
                visit(u32::try_from(index).unwrap_or(u32::MAX));
                continue;
            };
            let first = index.saturating_mul(2);
            for child in [first.saturating_add(1), first] {
                if let Some(place) = open.get_mut(count) {
                    *place = (below, child);
                    count = count.saturating_add(1);
                }
            }
        }
    }

    /// Passes the bytes of each array of its surface that a part uses to `visit`: both index
    /// streams, positions, tangent frames or normals, UV sets and colours. Bone weights are not
    /// included.
    ///
    /// # Errors
    ///
    /// Returns the errors of the methods of [`Surface`] that find the arrays.
    pub fn arrays<'a>(surface: &Surface<'a>, part: &MeshPart, mut visit: impl FnMut(&'a [u8])) -> Result<()> {
        let corners = as_range(&(part.triangles.start.saturating_mul(3)..part.triangles.end.saturating_mul(3)));
        let [positions, attributes] = [&part.positions, &part.attributes].map(as_range);
        let indices = surface.indices()?;
        visit(bytes(&indices, corners.clone()));
        let others = surface.attribute_indices()?;
        if !others.is_same_array(&indices) {
            visit(bytes(&others, corners));
        }
        visit(bytes(&surface.positions()?, positions));
        match surface.tangent_frames()? {
            Some(frames) => visit(bytes(&frames, attributes.clone())),
            None => {
                if let Some(normals) = surface.normals()? {
                    visit(bytes(&normals, attributes.clone()));
                }
            }
        }
        for set in 0.. {
            let Some(uvs) = surface.uvs(set)? else { break };
            visit(bytes(&uvs, attributes.clone()));
        }
        if let Some(colors) = surface.colors()? {
            visit(bytes(&colors, attributes));
        }
        Ok(())
    }
}

/// Returns the number of bytes of the arrays of a surface, without bone weights.
pub(super) fn array_bytes(surface: &Surface<'_>) -> Result<u64> {
    let mut sum = 0_u64;
    MeshParts::arrays(surface, &whole_with(surface.index(), Bounds::EMPTY), |bytes| {
        sum = sum.saturating_add(as_u64(bytes.len()));
    })?;
    Ok(sum)
}

fn as_range(range: &Range<u32>) -> Range<usize> {
    as_index(range.start)..as_index(range.end)
}

/// Returns the bytes of some items of an array. Items after its end are left out.
fn bytes<'a, A: Array + 'a>(array: &A, range: Range<usize>) -> &'a [u8] {
    let end = range.end.min(array.len());
    array.slice(range.start.min(end)..end).map_or(&[], |part| part.as_bytes())
}

/// Returns whether the arrays of a surface are in one compressed block: the positions then need the
/// same bytes of the file as the indices.
fn is_block(file: &dyn ByteRanges, surface: usize) -> Result<bool> {
    let ranges = |attribute| file.byte_ranges(0, &MeshSelection::Attribute { surface, attribute });
    let positions = ranges(Attribute::Positions(0))?;
    Ok(!positions.is_empty() && positions == ranges(Attribute::Indices)?)
}

/// Makes one part of a surface, without reading its arrays. The ranges end with the arrays.
fn whole(surface: &Surface<'_>) -> Result<MeshPart> {
    Ok(whole_with(surface.index(), surface.bounds()?))
}

/// Divides a surface into parts.
fn divide(surface: &Surface<'_>, index_bytes: u32, parts: &mut Vec<MeshPart>) -> Result<()> {
    let (corners, positions, index) = (surface.corners()?, surface.positions()?, surface.index());
    let width = corners_width(surface)?;
    let step = index_bytes.checked_div(width.saturating_mul(3)).unwrap_or_default().max(1);
    let count = corners.triangle_count();
    let start = parts.len();
    corners.prefetch();
    positions.prefetch();
    let mut first = 0_u32;
    let mut length = 0_usize;
    while first < count {
        let end = first.saturating_add(step).min(count);
        let triangles = as_index(first).saturating_mul(3)..as_index(end).saturating_mul(3);
        let part = corners.slice(triangles).map(|part| part_of(index, first..end, &part, &positions));
        let Some(part) = part else { break };
        length = length.saturating_add(as_range(&part.positions).len());
        parts.push(part);
        first = end;
    }
    // A surface without triangles, or with vertices in no order.
    if parts.len() <= start.saturating_add(1) || length > positions.len().saturating_mul(MAX_REPEATED) {
        let bounds = parts.iter().skip(start).fold(Bounds::EMPTY, |all, part| all.union(&part.bounds));
        parts.truncate(start);
        parts.push(whole_with(index, bounds));
    }
    Ok(())
}

fn whole_with(surface: usize, bounds: Bounds) -> MeshPart {
    MeshPart {
        surface: u32::try_from(surface).unwrap_or(u32::MAX),
        triangles: 0..u32::MAX / 3,
        positions: 0..u32::MAX,
        attributes: 0..u32::MAX,
        is_whole: true,
        is_block: false,
        bounds,
    }
}

/// Returns the size of an index of a surface in bytes.
fn corners_width(surface: &Surface<'_>) -> Result<u32> {
    let indices = surface.indices()?;
    let width = indices.as_bytes().len().checked_div(indices.len()).unwrap_or(1);
    Ok(u32::try_from(width.clamp(1, 4)).unwrap_or(4))
}

/// Finds the vertices that some triangles use, and their bounding box. Indices out of range are
/// ignored.
fn part_of(surface: usize, triangles: Range<u32>, corners: &Corners<'_>, positions: &Positions<'_>) -> MeshPart {
    let mut ranges = [IndexStream::Positions, IndexStream::Attributes].map(|stream| (stream, u32::MAX, 0_u32));
    let mut bounds = Bounds::EMPTY;
    corners.for_each(|corner| {
        for (stream, first, end) in &mut ranges {
            let index = corner.index(*stream);
            *first = index.min(*first);
            *end = index.saturating_add(1).max(*end);
        }
        bounds.extend(positions.get(as_index(corner.position)));
    });
    let [positions, attributes] = ranges.map(|(_, first, end)| first.min(end)..end);
    let surface = u32::try_from(surface).unwrap_or(u32::MAX);
    MeshPart { surface, triangles, positions, attributes, is_whole: false, is_block: false, bounds }
}

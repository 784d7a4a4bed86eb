//! The trait [`ByteRanges`]: which bytes of a file a part of a mesh needs.

// Rule: this file sorts and maps by copies only.

use std::ops::Range;

use super::written_form::FormatVersion;
use crate::error::{Cause, Error, Field, Result, expect_only, no_such};
use crate::math::as_u64;

/// A part of a mesh, of which [`Model::byte_ranges`](crate::Model::byte_ranges) returns the bytes.
///
/// The indices are those of the methods of [`Model`](crate::Model).
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::model::{Attribute, ByteRanges, MeshSelection};
/// let mesh = meshpeek::Model::open(meshpeek::read("data/unigine/cube_ms12.mesh")?)?;
/// let positions = MeshSelection::Attribute { surface: 0, attribute: Attribute::Positions(0) };
/// let ranges = mesh.byte_ranges(0, &positions)?;
/// assert_eq!(ranges.iter().map(|range| range.end - range.start).sum::<u64>(), 8 * 12);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MeshSelection {
    /// The bytes that opening the file and finding every other part read: the header, names, boxes,
    /// bones and counts.
    ///
    /// A format without a table of offsets interleaves counts with the items that they count. The
    /// structure then includes these items, such as weights, keys or polygons. Opening a text file
    /// reads all of it.
    ///
    /// Counts and names in the compressed block of a surface are not in the structure. Opening a
    /// file with [`strict`](crate::OpenOptions::with_strict) may read more than the structure.
    Structure,
    /// All attributes of surface `surface`.
    Surface(usize),
    /// One attribute of a surface.
    Attribute {
        /// The index of the surface.
        surface: usize,
        /// The attribute.
        attribute: Attribute,
    },
    /// The positions of all surfaces in some vertex frames.
    VertexFrames(Range<usize>),
    /// All frames of clip `clip`.
    Clip(usize),
    /// Some frames of a clip, with the earlier frames whose values they keep.
    Frames {
        /// The index of the clip.
        clip: usize,
        /// The indices of the frames.
        frames: Range<usize>,
    },
    /// The bones of the file.
    Bones,
    /// All surfaces that a level of detail draws.
    Level {
        /// The index of the asset.
        asset: usize,
        /// The index of the level. Level 0 is the most detailed.
        level: usize,
    },
    /// The collision shapes that are stored as points, of asset `asset`.
    Hulls(usize),
    /// The triangles for collision tests, of asset `asset`.
    CollisionMesh(usize),
}

/// An attribute of a surface: an array that a method of [`Geometry`](crate::Geometry) finds.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::model::{Attribute, ByteRanges, MeshSelection};
/// let mesh = meshpeek::Model::open(meshpeek::read("data/unigine/cube_ms12.mesh")?)?;
/// let colors = MeshSelection::Attribute { surface: 0, attribute: Attribute::Colors };
/// for range in mesh.byte_ranges(0, &colors)? {
///     println!("bytes {}..{}", range.start, range.end);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Attribute {
    /// The positions of shape `target`, which is 0 for the base shape.
    Positions(usize),
    /// The tangent frames of shape `target`, which is 0 for the base shape.
    TangentFrames(usize),
    /// The normals of shape `target`, which may be part of the tangent frames.
    Normals(usize),
    /// The coordinates of UV set `set`.
    Uvs(usize),
    /// The vertex colours.
    Colors,
    /// The bone weights.
    Weights,
    /// The index stream for positions and weights.
    Indices,
    /// The index stream for tangent frames, UVs and colours.
    AttributeIndices,
    /// The stored spatial tree.
    Partition,
}

/// The bytes of a file that a part of a mesh needs, for a program with I/O of its own.
///
/// [`Model`](crate::Model) implements this trait.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::model::{ByteRanges, MeshSelection};
/// let mesh = meshpeek::Model::open(meshpeek::read("data/unigine/room_ms14.mesh")?)?;
/// for range in mesh.byte_ranges(0, &MeshSelection::Surface(0))? {
///     println!("bytes {}..{}", range.start, range.end);
/// }
/// # Ok(())
/// # }
/// ```
pub trait ByteRanges: FormatVersion {
    /// Returns the byte ranges of the file `source` of the mesh that `part` needs besides
    /// [`MeshSelection::Structure`], in bytes from the start of the file.
    ///
    /// A reader that has the bytes of the structure and of the part reads the same values as from
    /// the whole file. The ranges are in ascending order, do not touch each other, and are not
    /// empty. The list is empty if the part needs no bytes of this file, as an attribute that the
    /// surface does not have. If a part is in a block, the ranges contain all stored bytes of the
    /// block, which is not inflated. The method reads the structure only, as far as it has to find
    /// the part, and no item of an array.
    ///
    /// The ranges lie in the file, unless it is opened as [`partial`](crate::OpenOptions::with_partial):
    /// its header then names the blocks before they are loaded.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::NoSuch`] if an index of the part or `source` is out of range, and
    /// [`ErrorKind::OutOfMemory`]. Returns the error of the reader if the structure is damaged or
    /// ends too early; [`Error::needed_range`] then names the missing bytes.
    ///
    /// [`ErrorKind::NoSuch`]: crate::ErrorKind::NoSuch
    /// [`ErrorKind::OutOfMemory`]: crate::ErrorKind::OutOfMemory
    fn byte_ranges(&self, source: usize, part: &MeshSelection) -> Result<Vec<Range<u64>>>;
}

/// Collects the byte ranges of a part.
#[derive(Debug, Default)]
pub struct RangeList(Vec<Range<u64>>);

impl RangeList {
    /// Adds a byte range. A range that continues the last one is joined with it.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory).
    pub fn push(&mut self, range: Range<u64>) -> Result<()> {
        if range.is_empty() {
            return Ok(());
        }
        if let Some(last) = self.0.last_mut().filter(|last| last.end == range.start) {
            last.end = range.end;
            return Ok(());
        }
        let asked = as_u64(self.0.len()).saturating_add(1).saturating_mul(as_u64(size_of::<Range<u64>>()));
        let fault = |_| Error::without_offset("file", Field::new("byte_ranges"), Cause::OutOfMemory { asked });
        self.0.try_reserve(1).map_err(fault)?;
        self.0.push(range);
        Ok(())
    }

    /// Adds the `length` bytes after offset `start`.
    pub(crate) fn push_sized(&mut self, start: u64, length: u64) -> Result<()> {
        self.push(start..start.saturating_add(length))
    }

    /// Returns the ranges in ascending order. Ranges that overlap or touch are joined.
    #[must_use]
    pub fn finish(mut self) -> Vec<Range<u64>> {
        self.0.sort_unstable_by_key(|range| range.start);
        self.0.dedup_by(|next, last| {
            let joined = next.start <= last.end;
            if joined {
                last.end = last.end.max(next.end);
            }
            joined
        });
        self.0
    }
}

impl MeshSelection {
    /// Returns an error if the part belongs to another asset or level than the only one of a file.
    pub(crate) fn expect_only_asset(&self, format: &'static str) -> Result<()> {
        match self {
            Self::Level { asset, level } => {
                expect_only(format, "asset", *asset)?;
                expect_only(format, "level", *level)
            }
            Self::Hulls(asset) | Self::CollisionMesh(asset) => expect_only(format, "asset", *asset),
            _ => Ok(()),
        }
    }
}

/// Returns an error unless the range is empty, for a format without vertex frames.
pub(crate) fn expect_no_frames(format: &'static str, frames: &Range<usize>) -> Result<()> {
    if frames.is_empty() { Ok(()) } else { Err(no_such(format, "frame", 0, frames.start)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joins_ranges_that_touch_or_overlap() {
        let mut ranges = RangeList::default();
        for range in [8..12, 12..14, 20..30, 4..8, 22..24, 29..31, 40..40] {
            ranges.push(range).unwrap();
        }
        ranges.push_sized(u64::MAX - 1, 9).unwrap();
        assert_eq!(ranges.finish(), [4..14, 20..31, u64::MAX - 1..u64::MAX]);
    }
}

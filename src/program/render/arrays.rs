//! Implements [`Values`] for the array types that several formats share, such as positions and
//! weights.

use std::io;
use std::ops::Range;

use crate::decode::{packed32, packed64};
use crate::io::prefetch;
use crate::model::{
    Colors, IndexEncoding, Indices, NormalEncoding, Normals, PositionEncoding, Positions, TangentFrameEncoding,
    TangentFrames, UvEncoding, Uvs,
};
use crate::{Array, Weights};

use super::values::{Item, Values, Visit, visit_rows};

/// Selects the axis of a tangent frame: the normal, tangent or bitangent.
#[derive(Clone, Copy, Debug)]
pub enum FrameAxis {
    Normal,
    Tangent,
    Bitangent,
}

/// The same axis of every tangent frame in an array, for example all normals.
pub struct FrameAxes<'a>(pub TangentFrames<'a>, pub FrameAxis);

impl Values for Positions<'_> {
    fn count(&self) -> usize {
        self.len()
    }

    fn visit(&self, range: Range<usize>, raw: bool, visit: Visit<'_>) -> io::Result<()> {
        let bytes = self.slice(range.clone()).map(|part| part.as_bytes()).unwrap_or_default();
        prefetch(bytes);
        match self {
            Positions(PositionEncoding::Packed32(_) | PositionEncoding::Packed64(_)) if raw => {
                visit_rows(range, |index| packed_integers(self, index), visit)
            }
            Positions(PositionEncoding::MinMax16(_)) if raw => visit_codes(bytes, 3, visit),
            _ => visit_rows(range, |index| self.get(index), visit),
        }
    }
}

impl Values for Normals<'_> {
    fn count(&self) -> usize {
        self.len()
    }

    fn visit(&self, range: Range<usize>, raw: bool, visit: Visit<'_>) -> io::Result<()> {
        let bytes = self.slice(range.clone()).map(|part| part.as_bytes()).unwrap_or_default();
        prefetch(bytes);
        match self {
            Normals(NormalEncoding::Unit16(_)) if raw => visit_codes(bytes, 3, visit),
            _ => visit_rows(range, |index| self.get(index), visit),
        }
    }
}

impl Values for Uvs<'_> {
    fn count(&self) -> usize {
        self.len()
    }

    fn visit(&self, range: Range<usize>, raw: bool, visit: Visit<'_>) -> io::Result<()> {
        let bytes = self.slice(range.clone()).map(|part| part.as_bytes()).unwrap_or_default();
        prefetch(bytes);
        match self {
            Uvs(UvEncoding::MinMax16(_)) if raw => visit_codes(bytes, 2, visit),
            Uvs(UvEncoding::Polygon255(_) | UvEncoding::Polygon256(_)) if raw => {
                visit_rows(range, |index| self.raw_bytes(index).map(|uv| uv.map(i32::from)), visit)
            }
            _ => visit_rows(range, |index| self.get(index), visit),
        }
    }
}

impl Values for Colors<'_> {
    fn count(&self) -> usize {
        self.len()
    }

    fn visit(&self, range: Range<usize>, raw: bool, visit: Visit<'_>) -> io::Result<()> {
        let bytes = self.slice(range.clone()).map(|part| part.as_bytes()).unwrap_or_default();
        prefetch(bytes);
        if !raw {
            return visit_rows(range, |index| self.get(index), visit);
        }
        let mut colors = bytes.chunks_exact(self.byte_offset(1));
        colors.try_for_each(|color| visit(Item::Integers(&color.iter().map(|c| i32::from(*c)).collect::<Vec<_>>())))
    }
}

impl Values for FrameAxes<'_> {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn visit(&self, range: Range<usize>, raw: bool, visit: Visit<'_>) -> io::Result<()> {
        let Self(frames, axis) = self;
        prefetch(frames.slice(range.clone()).map(|part| part.as_bytes()).unwrap_or_default());
        if raw {
            return visit_raw_frames(frames, range, visit);
        }
        let axis_of = |index| {
            frames.get(index).map(|frame| match axis {
                FrameAxis::Normal => frame.normal(),
                FrameAxis::Tangent => frame.tangent(),
                FrameAxis::Bitangent => frame.bitangent(),
            })
        };
        visit_rows(range, axis_of, visit)
    }
}

impl Values for Weights<'_> {
    fn count(&self) -> usize {
        self.len()
    }

    fn visit(&self, range: Range<usize>, raw: bool, visit: Visit<'_>) -> io::Result<()> {
        range.filter_map(|index| self.get(u32::try_from(index).ok()?)).try_for_each(|list| {
            if raw {
                let stored = (0..list.len()).filter_map(|index| list.raw(index));
                return visit(Item::RawInfluences(stored.collect()));
            }
            visit(Item::Influences(list.iter().map(|one| (one.bone, one.weight)).collect()))
        })
    }
}

impl Values for Indices<'_> {
    fn count(&self) -> usize {
        self.len()
    }

    fn visit(&self, range: Range<usize>, raw: bool, visit: Visit<'_>) -> io::Result<()> {
        prefetch(self.slice(range.clone()).map(|part| part.as_bytes()).unwrap_or_default());
        match self {
            Indices(IndexEncoding::U32(array)) if raw => {
                // Mesh files store vertex indices as signed integers, and a damaged file may
                // contain negative indices.
                let raw = array.raw().get(range).unwrap_or_default();
                raw.iter().try_for_each(|raw| visit(Item::Integer(i32::from_le_bytes(raw.to_bytes()))))
            }
            _ => visit_rows(range, |index| self.get(index), visit),
        }
    }
}

/// Passes the 16-bit integers in `bytes` to `visit`, in groups of `width` integers.
fn visit_codes(bytes: &[u8], width: usize, visit: Visit<'_>) -> io::Result<()> {
    let codes: Vec<i32> = bytes.as_chunks::<2>().0.iter().map(|code| i32::from(u16::from_le_bytes(*code))).collect();
    codes.chunks_exact(width).try_for_each(|item| visit(Item::Integers(item)))
}

/// Returns the stored integers x, y and z of a packed position, or `None` if the index is out of
/// range.
fn packed_integers(positions: &Positions<'_>, index: usize) -> Option<[i32; 3]> {
    let stored = match positions {
        Positions(PositionEncoding::Packed32(array)) => packed32::integers(array.raw().get(index)?),
        Positions(PositionEncoding::Packed64(array)) => packed64::integers(array.raw().get(index)?),
        _ => return None,
    };
    Some(stored.map(i32::from))
}

/// Passes the stored integers of the tangent frames, which are encoded as quaternions, to `visit`.
fn visit_raw_frames(frames: &TangentFrames<'_>, range: Range<usize>, visit: Visit<'_>) -> io::Result<()> {
    match frames {
        TangentFrames(TangentFrameEncoding::Quat8(array)) => {
            let raw = array.raw().get(range).unwrap_or_default();
            raw.iter().try_for_each(|raw| visit(Item::Integers(&raw.map(|part| i32::from(part.get())))))
        }
        TangentFrames(TangentFrameEncoding::Quat7(array)) => {
            let raw = array.raw().get(range).unwrap_or_default();
            raw.iter().try_for_each(|raw| {
                let [x, y, z] = raw.xyz.map(|part| i32::from(part.get()));
                visit(Item::Integers(&[x, y, z, i32::from(raw.sign)]))
            })
        }
    }
}

//! Implements [`Values`] for the array types that several formats share, such as positions and
//! weights.

use std::io;
use std::ops::Range;

use crate::decode::{packed32, packed64, unorm};
use crate::io::prefetch;
use crate::model::{
    ColorEncoding, Colors, IndexEncoding, Indices, Influences, NormalEncoding, Normals, NumberType, PositionEncoding,
    Positions, TangentFrame, TangentFrameEncoding, TangentFrames, UvEncoding, Uvs,
};
use crate::{Array, Weights};

use super::numbers::{Layout, Sink, write_encoded, write_items};
use super::values::{Item, Values, Visit, visit_rows};

/// Selects the axis of a tangent frame: the normal, tangent or bitangent.
#[derive(Clone, Copy, Debug)]
pub enum FrameAxis {
    Normal,
    Tangent,
    Bitangent,
}

impl FrameAxis {
    /// Returns this axis of a tangent frame.
    fn of(self, frame: &TangentFrame) -> [f32; 3] {
        match self {
            Self::Normal => frame.normal(),
            Self::Tangent => frame.tangent(),
            Self::Bitangent => frame.bitangent(),
        }
    }
}

/// The same axis of every tangent frame in an array, for example all normals.
pub struct FrameAxes<'a>(pub TangentFrames<'a>, pub FrameAxis);

/// An array of vectors, whose stored numbers may differ from the decoded floats.
trait StoredNumbers {
    /// Returns the layout of the stored numbers, or `None` if they are the decoded floats.
    fn stored(&self) -> Option<Layout>;

    /// Passes the stored numbers of the items in a range to `visit`. The items have the bytes
    /// `bytes`.
    fn visit_stored(&self, range: Range<usize>, bytes: &[u8], visit: Visit<'_>) -> io::Result<()>;
}

impl StoredNumbers for Positions<'_> {
    fn stored(&self) -> Option<Layout> {
        match self.0 {
            PositionEncoding::Packed32(_) | PositionEncoding::Packed64(_) => Some(Layout::numbers(NumberType::I16, 3)),
            PositionEncoding::MinMax16(_) => Some(Layout::numbers(NumberType::U16, 3)),
            _ => None,
        }
    }

    fn visit_stored(&self, range: Range<usize>, bytes: &[u8], visit: Visit<'_>) -> io::Result<()> {
        match self.0 {
            PositionEncoding::MinMax16(_) => visit_codes(bytes, 3, visit),
            _ => visit_rows(range, |index| packed_integers(self, index), visit),
        }
    }
}

impl StoredNumbers for Normals<'_> {
    fn stored(&self) -> Option<Layout> {
        matches!(self.0, NormalEncoding::Unit16(_)).then_some(Layout::numbers(NumberType::U16, 3))
    }

    fn visit_stored(&self, _range: Range<usize>, bytes: &[u8], visit: Visit<'_>) -> io::Result<()> {
        visit_codes(bytes, 3, visit)
    }
}

impl StoredNumbers for Uvs<'_> {
    fn stored(&self) -> Option<Layout> {
        match self.0 {
            UvEncoding::MinMax16(_) => Some(Layout::numbers(NumberType::U16, 2)),
            UvEncoding::Polygon255(_) | UvEncoding::Polygon256(_) => Some(Layout::numbers(NumberType::U8, 2)),
            _ => None,
        }
    }

    fn visit_stored(&self, range: Range<usize>, bytes: &[u8], visit: Visit<'_>) -> io::Result<()> {
        match self.0 {
            UvEncoding::MinMax16(_) => visit_codes(bytes, 2, visit),
            _ => visit_rows(range, |index| self.raw_bytes(index).map(|uv| uv.map(i64::from)), visit),
        }
    }
}

impl StoredNumbers for Colors<'_> {
    fn stored(&self) -> Option<Layout> {
        Some(match self.0 {
            ColorEncoding::Unorm8(_) => Layout::numbers(NumberType::U8, 4),
            ColorEncoding::Argb8(_) | ColorEncoding::Strided(_) => Layout::numbers(NumberType::U32, 1),
        })
    }

    fn visit_stored(&self, range: Range<usize>, bytes: &[u8], visit: Visit<'_>) -> io::Result<()> {
        if let ColorEncoding::Unorm8(_) = self.0 {
            let mut colors = bytes.as_chunks::<4>().0.iter();
            return colors.try_for_each(|color| visit(Item::Integers(&color.map(i64::from))));
        }
        // Every component of a decoded colour is exactly that of the stored word.
        let words = |color| {
            let [r, g, b, a] = unorm::encode(color);
            [i64::from(u32::from_be_bytes([a, r, g, b]))]
        };
        visit_rows(range, |index| self.get(index).map(words), visit)
    }
}

/// Implements [`Values`] for arrays of vectors with a number of floats.
macro_rules! vectors {
    ($($array:ident of $width:literal),+) => {$(
        impl Values for $array<'_> {
            fn count(&self) -> usize {
                self.len()
            }

            fn visit(&self, range: Range<usize>, raw: bool, visit: Visit<'_>) -> io::Result<()> {
                let bytes = self.slice(range.clone()).map(|part| part.as_bytes()).unwrap_or_default();
                prefetch(bytes);
                if raw && self.stored().is_some() {
                    return self.visit_stored(range, bytes, visit);
                }
                visit_rows(range, |index| self.get(index), visit)
            }

            fn layout(&self, raw: bool) -> Layout {
                self.stored().filter(|_| raw).unwrap_or(Layout::numbers(NumberType::F32, $width))
            }

            /// Stored numbers that differ from the decoded ones are encoded one by one.
            fn write_bytes(&self, range: Range<usize>, raw: bool, sink: Sink<'_>) -> io::Result<()> {
                if raw && self.stored().is_some() {
                    return write_encoded(self, range, raw, sink);
                }
                write_items(self, range, |item| item, sink)
            }
        }
    )+};
}
vectors!(Positions of 3, Normals of 3, Uvs of 2, Colors of 4);

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
        visit_rows(range, |index| frames.get(index).map(|frame| axis.of(&frame)), visit)
    }

    fn layout(&self, raw: bool) -> Layout {
        if raw { Layout::numbers(NumberType::I16, 4) } else { Layout::numbers(NumberType::F32, 3) }
    }

    fn write_bytes(&self, range: Range<usize>, raw: bool, sink: Sink<'_>) -> io::Result<()> {
        if raw {
            return write_encoded(self, range, raw, sink);
        }
        write_items(&self.0, range, |frame| self.1.of(&frame), sink)
    }
}

impl Values for Weights<'_> {
    fn count(&self) -> usize {
        self.len()
    }

    fn visit(&self, range: Range<usize>, raw: bool, visit: Visit<'_>) -> io::Result<()> {
        let (mut decoded, mut stored) = (Vec::new(), Vec::new());
        if let Some(lists) = self.slots().filter(|_| raw) {
            return range.filter_map(|index| lists.slots(index)).try_for_each(|slots| visit(Item::Influences(&slots)));
        }
        let mut each = |list: Influences<'_>| {
            if raw {
                stored.clear();
                stored.extend((0..list.len()).filter_map(|index| list.raw(index)));
                return visit(Item::RawInfluences(&stored));
            }
            decoded.clear();
            decoded.extend(list.iter().map(|one| (one.bone, one.weight)));
            visit(Item::Influences(&decoded))
        };
        // All lists are found in one walk. The lists of a part are found through an index.
        if range == (0..self.len()) {
            self.prefetch();
            return self.iter().try_for_each(each);
        }
        range.filter_map(|index| self.get(u32::try_from(index).ok()?)).try_for_each(&mut each)
    }

    fn layout(&self, raw: bool) -> Layout {
        if raw && self.slots().is_none() {
            return Layout::Influences { bone: NumberType::I16, weight: NumberType::U16 };
        }
        Layout::Influences { bone: NumberType::I32, weight: NumberType::F32 }
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
                raw.iter().try_for_each(|raw| visit(Item::Integers(&[i32::from_le_bytes(raw.to_bytes()).into()])))
            }
            _ => visit_rows(range, |index| self.get(index).map(|index| [i64::from(index)]), visit),
        }
    }

    fn layout(&self, raw: bool) -> Layout {
        Layout::numbers(
            match self.0 {
                IndexEncoding::U8(_) if raw => NumberType::U8,
                IndexEncoding::U16(_) | IndexEncoding::Polygon(_) if raw => NumberType::U16,
                IndexEncoding::U32(_) if raw => NumberType::I32,
                _ => NumberType::U32,
            },
            1,
        )
    }

    fn write_bytes(&self, range: Range<usize>, raw: bool, sink: Sink<'_>) -> io::Result<()> {
        if raw { write_encoded(self, range, raw, sink) } else { write_items(self, range, |index| index, sink) }
    }
}

/// Passes the 16-bit integers in `bytes` to `visit`, in groups of `width` integers.
fn visit_codes(bytes: &[u8], width: usize, visit: Visit<'_>) -> io::Result<()> {
    let codes: Vec<i64> = bytes.as_chunks::<2>().0.iter().map(|code| i64::from(u16::from_le_bytes(*code))).collect();
    codes.chunks_exact(width).try_for_each(|item| visit(Item::Integers(item)))
}

/// Returns the stored integers x, y and z of a packed position, or `None` if the index is out of
/// range.
fn packed_integers(positions: &Positions<'_>, index: usize) -> Option<[i64; 3]> {
    let stored = match positions {
        Positions(PositionEncoding::Packed32(array)) => packed32::integers(array.raw().get(index)?),
        Positions(PositionEncoding::Packed64(array)) => packed64::integers(array.raw().get(index)?),
        _ => return None,
    };
    Some(stored.map(i64::from))
}

/// Passes the stored integers of the tangent frames, which are encoded as quaternions, to `visit`.
fn visit_raw_frames(frames: &TangentFrames<'_>, range: Range<usize>, visit: Visit<'_>) -> io::Result<()> {
    match frames {
        TangentFrames(TangentFrameEncoding::Quat8(array)) => {
            let raw = array.raw().get(range).unwrap_or_default();
            raw.iter().try_for_each(|raw| visit(Item::Integers(&raw.map(|part| i64::from(part.get())))))
        }
        TangentFrames(TangentFrameEncoding::Quat7(array)) => {
            let raw = array.raw().get(range).unwrap_or_default();
            raw.iter().try_for_each(|raw| {
                let [x, y, z] = raw.xyz.map(|part| i64::from(part.get()));
                visit(Item::Integers(&[x, y, z, i64::from(raw.sign)]))
            })
        }
    }
}

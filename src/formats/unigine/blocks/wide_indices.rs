//! Index streams with an index width of four bytes, in the compressed format versions ms14 and
//! ms15.
//!
//! No real ms14 or ms15 file with four-byte indices is known. The vendor's documentation describes
//! four-byte indices in ms14 and ms15 as variable-length integers (compact ints), but earlier
//! format versions store four bytes per index. In ms14 and ms15, the reader first tries to read the
//! index streams with four bytes per index. If the index streams, read with four bytes per index,
//! do not end exactly at the end of the geometry block, the reader tries to read them as compact
//! ints.

use crate::decode::compact;

/// The two index streams at the end of a geometry block. If the index width of a stream is four
/// bytes, the stream stores each index as a variable-length integer (compact int).
#[derive(Clone, Copy, Debug)]
pub(crate) struct WideIndexStreams<'a> {
    before: &'a [u8],
    streams: &'a [u8],
    /// For each of the two index streams, the number of indices and the width of one index in
    /// bytes.
    shapes: [(u32, u32); 2],
    /// The size of the whole block in bytes, after each index that is stored as a compact int is
    /// replaced by an integer of four bytes.
    length: usize,
}

impl<'a> WideIndexStreams<'a> {
    /// Reads the two index streams from byte `start` to the end of the block. Indices with a width
    /// of four bytes are read as compact ints.
    ///
    /// Returns `None` if the index streams do not end exactly at the end of the block.
    pub(crate) fn find(bytes: &'a [u8], start: usize, shapes: [(u32, u32); 2]) -> Option<Self> {
        let (before, streams) = bytes.split_at_checked(start)?;
        let mut length = before.len();
        let mut rest = streams;
        for (count, width) in shapes {
            let [count, width] = [usize::try_from(count).ok()?, usize::try_from(width).ok()?];
            length = length.checked_add(count.checked_mul(width)?)?;
            if width < 4 {
                rest = rest.get(count.checked_mul(width)?..)?;
                continue;
            }
            for _ in 0..count {
                let (_, taken) = compact::decode(rest).ok()?;
                rest = rest.get(taken..)?;
            }
        }
        rest.is_empty().then_some(Self { before, streams, shapes, length })
    }

    /// Returns the size of the whole block in bytes, after each index that is stored as a compact
    /// int is replaced by an integer of four bytes.
    pub(crate) const fn length(&self) -> usize {
        self.length
    }

    /// Returns a copy of the block in which each index that is stored as a compact int is replaced
    /// by an integer of four bytes. Returns `None` if there is not enough memory.
    pub(crate) fn spell(&self) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        out.try_reserve_exact(self.length).ok()?;
        out.extend_from_slice(self.before);
        let mut rest = self.streams;
        for (count, width) in self.shapes {
            if width < 4 {
                let length = usize::try_from(count).ok()?.checked_mul(usize::try_from(width).ok()?)?;
                let (stream, after) = rest.split_at_checked(length)?;
                out.extend_from_slice(stream);
                rest = after;
                continue;
            }
            for _ in 0..count {
                let (index, length) = compact::decode(rest).ok()?;
                out.extend_from_slice(&index.to_le_bytes());
                rest = rest.get(length..)?;
            }
        }
        Some(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spells_compact_ints_out() {
        let mut bytes = vec![9, 9, 1, 2, 3];
        for index in [0, 70_000, 62] {
            let (spelled, length) = compact::encode(index);
            bytes.extend_from_slice(&spelled[..length]);
        }
        let expected = [9, 9, 1, 2, 3, 0, 0, 0, 0, 0x70, 0x11, 1, 0, 62, 0, 0, 0];
        let wide = WideIndexStreams::find(&bytes, 2, [(3, 1), (3, 4)]).unwrap();
        assert_eq!((wide.spell().unwrap().as_slice(), wide.length()), (&expected[..], expected.len()));
        for (start, shapes) in
            [(2, [(3, 1), (2, 4)]), (2, [(3, 1), (4, 4)]), (2, [(u32::MAX, 4), (u32::MAX, 4)]), (99, [(0, 1), (0, 4)])]
        {
            assert!(WideIndexStreams::find(&bytes, start, shapes).is_none(), "{shapes:?}");
        }
    }
}

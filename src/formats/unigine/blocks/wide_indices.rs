//! Indices of more than two bytes, which no real file of a compressed generation is known to have.
//!
//! The vendor's page says that they are compact ints; the generations before write four bytes. So four bytes are tried
//! first, and compact ints where those do not fill the block: whichever fills it is meant.

use crate::decode::compact;

/// Index streams at the end of a block, of which those of four bytes are compact ints.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WideIndexStreams<'a> {
    before: &'a [u8],
    streams: &'a [u8],
    /// The count and width of each.
    shapes: [(u32, u32); 2],
    /// Bytes of all, once they are spelled out.
    length: usize,
}

impl<'a> WideIndexStreams<'a> {
    /// Tests that streams from byte `start` on fill the block if they are compact ints; `None` where they do not.
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

    /// Returns how many bytes the block takes once they are spelled out.
    pub(crate) const fn length(&self) -> usize {
        self.length
    }

    /// Spells the block with four bytes for each compact int. `None` where there is no memory for it.
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

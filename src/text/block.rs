//! Output in blocks, with numbers as text, and a writer that counts its bytes.

use std::fmt;
use std::io::{self, Write};

use crate::error::Result;
use crate::math::as_u64;

/// The size from which a block is written.
const BLOCK: usize = 64 << 10;

/// A writer that collects bytes and passes them on in blocks of about 64 KiB.
pub(crate) struct BlockWriter<'o> {
    out: &'o mut dyn Write,
    bytes: Vec<u8>,
}

impl<'o> BlockWriter<'o> {
    pub(crate) fn new(out: &'o mut dyn Write) -> Self {
        Self { out, bytes: Vec::with_capacity(BLOCK.saturating_add(BLOCK / 4)) }
    }

    /// Creates a writer for the program, which writes out every token.
    #[cfg(feature = "cli")]
    pub(crate) const fn of_tokens(out: &'o mut dyn Write) -> Self {
        Self { out, bytes: Vec::new() }
    }

    /// Returns the output, for bytes that are written after [`finish`](Self::finish).
    pub(crate) fn out(&mut self) -> &mut dyn Write {
        self.out
    }

    /// Adds bytes.
    #[inline]
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.bytes.extend_from_slice(bytes);
        self
    }

    /// Adds text.
    #[inline]
    pub(crate) fn text(&mut self, text: &str) -> &mut Self {
        self.bytes(text.as_bytes())
    }

    /// Adds floats in little-endian byte order.
    #[inline]
    pub(crate) fn le_floats(&mut self, values: &[f32]) -> &mut Self {
        for value in values {
            self.bytes.extend_from_slice(&value.to_le_bytes());
        }
        self
    }

    /// Adds a float as the shortest text that reads back as the same `f32`, such as `0.1`, `-2` or
    /// `1e-7`.
    pub(crate) fn float(&mut self, value: f32) -> &mut Self {
        self.number(value.trunc().to_bits() == value.to_bits(), format_args!("{value:?}"))
    }

    /// Adds a float as the shortest text that reads back as the same `f64`.
    pub(crate) fn double(&mut self, value: f64) -> &mut Self {
        self.number(value.trunc().to_bits() == value.to_bits(), format_args!("{value:?}"))
    }

    fn number(&mut self, is_whole: bool, text: fmt::Arguments<'_>) -> &mut Self {
        self.display(text);
        if is_whole && self.bytes.ends_with(b".0") {
            self.bytes.truncate(self.bytes.len().saturating_sub(2));
        }
        self
    }

    /// Adds a word, and floats after blanks.
    pub(crate) fn numbers(&mut self, word: &str, values: &[f32]) -> &mut Self {
        self.text(word);
        values.iter().fold(self, |block, value| block.bytes(b" ").float(*value))
    }

    /// Adds formatted text.
    pub(crate) fn display(&mut self, text: fmt::Arguments<'_>) -> &mut Self {
        // Writing to a vector cannot fail.
        let _ = self.bytes.write_fmt(text);
        self
    }

    /// Adds a number in decimal.
    pub(crate) fn unsigned(&mut self, mut value: u64) -> &mut Self {
        let mut digits = [b'0'; 20];
        let mut first = digits.len();
        for (at, digit) in digits.iter_mut().enumerate().rev() {
            *digit = b'0'.saturating_add(u8::try_from(value % 10).unwrap_or_default());
            (value, first) = (value / 10, at);
            if value == 0 {
                break;
            }
        }
        self.bytes(digits.get(first..).unwrap_or_default())
    }

    /// Writes the block if it is full. Call it after each record.
    #[inline]
    pub(crate) fn end_record(&mut self) -> Result<()> {
        if self.is_full() { Ok(self.finish()?) } else { Ok(()) }
    }

    /// Returns whether the block is full.
    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.bytes.len() >= BLOCK
    }

    /// Writes the bytes that are left. Without this call at the end, they are lost.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        self.out.write_all(&self.bytes)?;
        self.bytes.clear();
        Ok(())
    }
}

/// A writer that counts the bytes that are written to it, and passes them to another writer.
pub(crate) struct CountingWriter<W> {
    pub(crate) out: W,
    pub(crate) written: u64,
}

impl<W: Write> CountingWriter<W> {
    pub(crate) const fn new(out: W) -> Self {
        Self { out, written: 0 }
    }
}

impl<W: Write> Write for CountingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.written = self.written.saturating_add(as_u64(written));
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(write: impl FnOnce(&mut BlockWriter<'_>)) -> String {
        let mut out = Vec::new();
        let mut block = BlockWriter::new(&mut out);
        write(&mut block);
        block.finish().unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn numbers_are_short_and_read_back() {
        for (value, expected) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.0, "1"),
            (-2.5, "-2.5"),
            (0.1, "0.1"),
            (1e-7, "1e-7"),
            (16_777_216.0, "16777216"),
            (f32::MAX, "3.4028235e38"),
            (f32::MIN_POSITIVE, "1.1754944e-38"),
        ] {
            let found = text(|block| {
                block.float(value);
            });
            assert_eq!(found, expected);
            assert_eq!(found.parse::<f32>().unwrap().to_bits(), value.to_bits());
            let double = text(|block| {
                block.double(value.into());
            });
            assert_eq!(double.parse::<f64>().unwrap().to_bits(), f64::from(value).to_bits(), "{double}");
        }
        for value in [0, 7, 10, 99, 100, 4_294_967_295, u64::MAX] {
            let found = text(|block| {
                block.unsigned(value);
            });
            assert_eq!(found, value.to_string());
        }
    }

    #[test]
    fn blocks_keep_the_order() {
        let all = text(|block| {
            for number in 0..40_000 {
                block.unsigned(number).bytes(b"\n");
                block.end_record().unwrap();
            }
        });
        assert!(all.lines().enumerate().all(|(line, found)| found == line.to_string()));
        assert_eq!(all.lines().count(), 40_000);
    }
}

//! Writes lines of XML text: tags with their attributes, and rows of numbers.

use std::fmt::{self, Write as _};
use std::io::Write;

use super::refusal::failed;
use crate::error::Result;

/// Maximum length of a line of numbers, in bytes.
const LINE: usize = 160;
/// Size of the output buffer, in bytes. The buffered bytes are written to the output when the
/// buffer holds at least 65,536 bytes.
const PIECE: usize = 64 << 10;

/// The text of one number, in a fixed-size buffer of 32 bytes without heap allocation.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct NumberText {
    bytes: [u8; 32],
    length: usize,
}

impl NumberText {
    pub(super) fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }
}

impl fmt::Write for NumberText {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let place = self.bytes.get_mut(self.length..).and_then(|rest| rest.get_mut(..text.len()));
        place.ok_or(fmt::Error)?.copy_from_slice(text.as_bytes());
        self.length = self.length.saturating_add(text.len());
        Ok(())
    }
}

/// Formats a number into a [`NumberText`]. The text of the number must have at most 32 bytes.
pub(super) fn spelled(text: fmt::Arguments<'_>) -> NumberText {
    let mut spelled = NumberText::default();
    // The buffer of 32 bytes is large enough for the text of any number.
    let _ = spelled.write_fmt(text);
    spelled
}

/// Formats a float with the fewest digits that parse to the same bits.
///
/// The text of a float has at most 26 bytes.
pub(super) fn float(number: f32) -> NumberText {
    let size = number.abs();
    if !number.is_finite() {
        spelled(format_args!("0${:08x}", number.to_bits()))
    } else if size == 0.0 || (1e-15..1e15).contains(&size) {
        spelled(format_args!("{number}"))
    } else {
        spelled(format_args!("{number:e}"))
    }
}

/// Writes lines of XML text to an output, through a buffer.
pub(super) struct Lines<'o> {
    out: &'o mut dyn Write,
    piece: Vec<u8>,
    /// Length of the current line so far, in bytes.
    column: usize,
    /// The number of open XML elements. Each open element indents a line by two spaces.
    depth: usize,
}

impl<'o> Lines<'o> {
    pub(super) fn new(out: &'o mut dyn Write) -> Self {
        Self { out, piece: Vec::new(), column: 0, depth: 0 }
    }

    fn put(&mut self, bytes: &[u8]) {
        self.piece.extend_from_slice(bytes);
        self.column = self.column.saturating_add(bytes.len());
    }

    fn indent(&mut self) {
        for _ in 0..self.depth {
            self.put(b"  ");
        }
    }

    /// Writes the bytes of a line without changes, and ends the line.
    pub(super) fn line(&mut self, line: &[u8]) -> Result<()> {
        self.put(line);
        self.end_line()
    }

    fn end_line(&mut self) -> Result<()> {
        self.put(b"\r\n");
        self.column = 0;
        if self.piece.len() >= PIECE {
            self.out.write_all(&self.piece).map_err(failed)?;
            self.piece.clear();
        }
        Ok(())
    }

    /// Writes the start of the tag of an element: `<` and the name.
    pub(super) fn tag(&mut self, name: &str) -> &mut Self {
        self.indent();
        self.put(b"<");
        self.put(name.as_bytes());
        self
    }

    /// Writes an attribute with a string value to the current tag.
    pub(super) fn text(&mut self, name: &str, value: &[u8]) -> &mut Self {
        self.put(b" ");
        self.put(name.as_bytes());
        self.put(b"=\"");
        for byte in value {
            match byte {
                b'"' => self.put(b"&quot;"),
                b'<' => self.put(b"&lt;"),
                byte => self.put(&[*byte]),
            }
        }
        self.put(b"\"");
        self
    }

    /// Writes an attribute with an integer value to the current tag.
    pub(super) fn number(&mut self, name: &str, number: impl Into<i64>) -> &mut Self {
        self.text(name, spelled(format_args!("{}", number.into())).bytes())
    }

    /// Writes the attribute `count` to the current tag.
    ///
    /// `Mesh::check` ensures that the value of the attribute fits in 32 bits.
    pub(super) fn count(&mut self, count: usize) -> &mut Self {
        self.number("count", u32::try_from(count).unwrap_or(u32::MAX))
    }

    /// Writes an attribute with floats as its value to the current tag. The byte `between`
    /// separates the floats.
    pub(super) fn floats(&mut self, name: &str, floats: &[f32], between: u8) -> &mut Self {
        self.put(b" ");
        self.put(name.as_bytes());
        self.put(b"=\"");
        for (number, one) in floats.iter().enumerate() {
            if number > 0 {
                self.put(&[between]);
            }
            self.put(float(*one).bytes());
        }
        self.put(b"\"");
        self
    }

    /// Ends the current tag with `>`, for an element with content.
    pub(super) fn open(&mut self) -> Result<()> {
        self.depth = self.depth.saturating_add(1);
        self.put(b">");
        self.end_line()
    }

    /// Ends the current tag with `/>`, for an element without content.
    pub(super) fn empty(&mut self) -> Result<()> {
        self.put(b"/>");
        self.end_line()
    }

    /// Writes the closing tag of an element.
    pub(super) fn close(&mut self, name: &str) -> Result<()> {
        self.depth = self.depth.saturating_sub(1);
        self.indent();
        self.put(b"</");
        self.put(name.as_bytes());
        self.put(b">");
        self.end_line()
    }

    /// Writes `token`, the text of one number, character or word.
    ///
    /// If the token and a comma do not fit on the current line, the token is written on the next
    /// line.
    pub(super) fn token(&mut self, token: &[u8]) -> Result<()> {
        if self.column > 0 && self.column.saturating_add(token.len()).saturating_add(2) > LINE {
            self.end_line()?;
        }
        match self.column {
            0 => self.indent(),
            _ => self.put(b" "),
        }
        self.put(token);
        Ok(())
    }

    /// Ends a row of numbers with a comma.
    ///
    /// If another row of `next` bytes does not fit on the current line, `row` also ends the line.
    pub(super) fn row(&mut self, next: usize) -> Result<()> {
        self.put(b",");
        if self.column.saturating_add(next) > LINE { self.end_line() } else { Ok(()) }
    }

    /// Ends the current line of numbers, if the line is not empty.
    pub(super) fn end_rows(&mut self) -> Result<()> {
        if self.column > 0 { self.end_line() } else { Ok(()) }
    }

    /// Writes the remaining buffered bytes and flushes the output.
    pub(super) fn finish(self) -> Result<()> {
        self.out.write_all(&self.piece).and_then(|()| self.out.flush()).map_err(failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spells_floats_in_at_most_26_bytes() {
        for (number, text) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.0, "1"),
            (-0.1, "-0.1"),
            (16_777_216.0, "16777216"),
            (1e15, "1e15"),
            (999_999_900_000_000.0, "999999900000000"),
            (1e-15, "0.000000000000001"),
            (9.999_999e-16, "9.999999e-16"),
            (f32::MAX, "3.4028235e38"),
            (f32::from_bits(1), "1e-45"),
            (f32::INFINITY, "0$7f800000"),
            (f32::NEG_INFINITY, "0$ff800000"),
            (f32::from_bits(0x7fc0_0001), "0$7fc00001"),
            (f32::from_bits(0xff80_0001), "0$ff800001"),
        ] {
            assert_eq!(float(number).bytes(), text.as_bytes(), "{text}");
        }
        let mut bits = 0_u32;
        for _ in 0..200_000 {
            bits = bits.wrapping_add(0x0005_4321);
            assert!((1..=26).contains(&float(f32::from_bits(bits)).bytes().len()), "{bits:#x}");
        }
    }
}

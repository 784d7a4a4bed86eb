//! Writes the parts of an EZ-Mesh file in either form: tags, attributes and rows of numbers in a
//! text file, and the same values as fields in a binary file.

use std::borrow::Cow;
use std::fmt;
use std::io::Write;

use crate::array::Bounds;
use crate::error::{Cause, Error, Field, Result, show_bytes};
use crate::formats::ezmesh::layout::{FORMAT, Scalar, VertexValue};
use crate::parse::Limits;
use crate::text::block::BlockWriter;

/// Maximum length of a line of numbers, in bytes.
const LINE: usize = 160;
/// The number of bytes of a text from which it is not copied into a block.
const LARGE: usize = 64 << 10;

/// Creates the error for data that the form of the output cannot store.
pub(crate) fn refused(
    field: Field,
    expected: impl Into<Cow<'static, str>>,
    found: impl Into<Cow<'static, str>>,
) -> Error {
    let kind = Cause::Refused { expected: expected.into(), found: found.into() };
    Error::without_offset(FORMAT, field, kind)
}

pub(crate) fn failed(error: std::io::Error) -> Error {
    Error::without_offset(FORMAT, Field::new("output"), error.into())
}

/// An EZ-Mesh file that is written. What a form does not have, such as the tags of a binary file,
/// is left out.
pub(crate) struct Output<'o> {
    /// Where the bytes go, or `None` if only the names of a text file are checked.
    out: Option<BlockWriter<'o>>,
    /// Whether a binary file is written, which is little-endian.
    is_binary: bool,
    /// The text of the token that is being written.
    token: Vec<u8>,
    /// Length of the current line so far, in bytes.
    column: usize,
    /// The number of open XML elements. Each open element indents a line by two spaces.
    depth: usize,
    /// The element that is being written.
    pub(crate) place: Field,
    /// The first name that a text file cannot store.
    fault: Option<Error>,
}

impl<'o> Output<'o> {
    /// Writes a text file or a binary file.
    pub(crate) fn new(out: &'o mut dyn Write, is_binary: bool) -> Self {
        Self { out: Some(BlockWriter::new(out)), is_binary, ..Self::checking() }
    }

    /// Checks that a text file can store the names that are written to it.
    pub(crate) const fn checking() -> Self {
        Self { out: None, is_binary: false, token: Vec::new(), column: 0, depth: 0, place: Field::new(""), fault: None }
    }

    pub(crate) const fn is_binary(&self) -> bool {
        self.is_binary
    }

    /// Returns whether nothing is written.
    pub(crate) const fn is_checking(&self) -> bool {
        self.out.is_none()
    }

    /// Writes all buffered bytes, and flushes the output.
    pub(crate) fn finish(self) -> Result<()> {
        let finish = |mut out: BlockWriter<'_>| out.finish().and_then(|()| out.out().flush());
        self.out.map_or(Ok(()), finish).map_err(failed)
    }

    /// Writes the block if it is full.
    fn end_record(&mut self) -> Result<()> {
        let block = self.out.as_mut().filter(|block| block.is_full());
        block.map_or(Ok(()), BlockWriter::finish).map_err(failed)
    }

    fn put(&mut self, bytes: &[u8]) {
        if let Some(out) = &mut self.out {
            out.bytes(bytes);
            self.column = self.column.saturating_add(bytes.len());
        }
    }

    /// Writes text that only a text file has.
    pub(crate) fn markup(&mut self, parts: &[&str]) {
        if !self.is_binary {
            for part in parts {
                self.put(part.as_bytes());
            }
        }
    }

    fn indent(&mut self) {
        (0..self.depth).for_each(|_| self.markup(&["  "]));
    }

    /// Ends a line of a text file.
    pub(crate) fn end_line(&mut self) -> Result<()> {
        self.markup(&["\r\n"]);
        self.column = 0;
        self.fault.take().map_or_else(|| self.end_record(), Err)
    }

    /// Writes the start of the tag of an element: `<` and the name.
    pub(crate) fn tag(&mut self, name: &str) -> &mut Self {
        self.indent();
        self.markup(&["<", name]);
        self
    }

    /// Ends the current tag with `>`, for an element with content.
    pub(crate) fn open(&mut self) -> Result<()> {
        self.depth = self.depth.saturating_add(1);
        self.markup(&[">"]);
        self.end_line()
    }

    /// Ends the current tag with `/>`, for an element without content.
    pub(crate) fn empty(&mut self) -> Result<()> {
        self.markup(&["/>"]);
        self.end_line()
    }

    /// Writes the closing tag of an element.
    pub(crate) fn close(&mut self, name: &str) -> Result<()> {
        self.depth = self.depth.saturating_sub(1);
        self.indent();
        self.markup(&["</", name, ">"]);
        self.end_line()
    }

    /// Writes a name or another text, which a text file stores in an attribute.
    pub(crate) fn text(&mut self, name: &'static str, value: &[u8]) -> &mut Self {
        let written = if self.is_binary {
            self.put(&u32::try_from(value.len()).unwrap_or(u32::MAX).to_le_bytes());
            self.put_all(value)
        } else if self.is_checking() {
            check_text(self.place.named(name), value)
        } else {
            self.attribute(name, value);
            Ok(())
        };
        self.fault = self.fault.take().or(written.err());
        self
    }

    /// Writes the bytes of a binary file without a copy of many bytes.
    fn put_all(&mut self, bytes: &[u8]) -> Result<()> {
        let Some(out) = self.out.as_mut().filter(|_| bytes.len() >= LARGE) else {
            self.put(bytes);
            return Ok(());
        };
        out.finish().and_then(|()| out.out().write_all(bytes)).map_err(failed)
    }

    /// Writes an attribute that only a text file has.
    pub(crate) fn attribute(&mut self, name: &str, value: &[u8]) -> &mut Self {
        if self.is_binary {
            return self;
        }
        self.markup(&[" ", name, "=\""]);
        for byte in value {
            match byte {
                b'"' => self.put(b"&quot;"),
                b'<' => self.put(b"&lt;"),
                byte => self.put(&[*byte]),
            }
        }
        self.markup(&["\""]);
        self
    }

    /// Writes a number of 32 bits.
    pub(crate) fn number(&mut self, name: &str, number: impl Into<i64>) -> &mut Self {
        let number = number.into();
        if self.is_binary {
            self.put(&lowest::<4>(number));
        } else {
            self.markup(&[" ", name, "=\"", &number.to_string(), "\""]);
        }
        self
    }

    /// Writes a count. The callers ensure that it fits in 32 bits.
    pub(crate) fn count(&mut self, name: &str, count: usize) -> &mut Self {
        self.number(name, u32::try_from(count).unwrap_or(u32::MAX))
    }

    /// Writes floats, which the byte `between` separates in a text file.
    pub(crate) fn floats(&mut self, name: &'static str, floats: &[f32], between: u8) -> &mut Self {
        self.markup(&[" ", name, "=\""]);
        for (number, one) in floats.iter().enumerate() {
            if self.is_binary {
                self.put(&one.to_le_bytes());
            } else {
                if number > 0 {
                    self.put(&[between]);
                }
                self.spell_float(*one);
                self.put_token();
            }
        }
        self.markup(&["\""]);
        self
    }

    /// Writes a bounding box, which is an element of its own in a text file.
    ///
    /// A binary file stores zeros in place of a box that is missing or empty.
    pub(crate) fn bounds(&mut self, bounds: Option<Bounds>) -> Result<()> {
        let nothing = Bounds { min: [0.0; 3], max: [0.0; 3] };
        let stored = bounds.filter(|bounds| !bounds.is_empty()).unwrap_or(nothing);
        let bounds = if self.is_binary { Some(stored) } else { bounds };
        bounds.map_or(Ok(()), |Bounds { min, max }| {
            self.tag("MeshAABB").floats("min", &min, b',').floats("max", &max, b',').empty()
        })
    }

    /// Writes a float of a row of numbers.
    pub(crate) fn float(&mut self, number: f32) -> Result<()> {
        self.value(Scalar::Float, VertexValue::Float(number))
    }

    /// Writes the indices of a triangle.
    pub(crate) fn triangle(&mut self, triangle: [u32; 3]) -> Result<()> {
        let mut length = 1_usize;
        for index in triangle {
            self.value(Scalar::Int32, VertexValue::Integer(index.into()))?;
            length = length.saturating_add(self.token.len()).saturating_add(1);
        }
        self.end_row(length)
    }

    /// Writes a value of a row: a number, a character or a word.
    ///
    /// If the value and a comma do not fit on the current line of a text file, the value is written
    /// on the next line.
    pub(crate) fn value(&mut self, scalar: Scalar, value: VertexValue<'_>) -> Result<()> {
        if self.is_binary {
            // Binary files store only these types of numbers.
            match (scalar, value) {
                (Scalar::Int16, VertexValue::Integer(number)) => self.put(&lowest::<2>(number)),
                (_, VertexValue::Integer(number)) => self.put(&lowest::<4>(number)),
                (_, VertexValue::Float(float)) => self.put(&float.to_le_bytes()),
                (_, VertexValue::Hex(number)) => self.put(&number.to_le_bytes()),
                _ => {}
            }
            return Ok(());
        }
        match (scalar, value) {
            (_, VertexValue::Float(float)) => self.spell_float(float),
            (Scalar::Int16, VertexValue::Integer(number)) => self.spell(format_args!("{}", number & 0xffff)),
            (Scalar::Int8, VertexValue::Integer(number)) => self.spell(format_args!("{}", number & 0xff)),
            (_, VertexValue::Integer(number)) => self.spell(format_args!("{number}")),
            (Scalar::Hex8, VertexValue::Hex(number)) => self.spell(format_args!("{number:02X}")),
            (Scalar::Hex16, VertexValue::Hex(number)) => self.spell(format_args!("{number:04X}")),
            (_, VertexValue::Hex(number)) => self.spell(format_args!("{number:08X}")),
            (_, VertexValue::Character(byte)) => self.spell_bytes(&[byte]),
            (_, VertexValue::Word(word)) => self.spell_bytes(word.as_bytes()),
        }
        if self.column > 0 && self.column.saturating_add(self.token.len()).saturating_add(2) > LINE {
            self.end_line()?;
        }
        match self.column {
            0 => self.indent(),
            _ => self.put(b" "),
        }
        self.put_token();
        Ok(())
    }

    fn spell(&mut self, text: fmt::Arguments<'_>) {
        self.token.clear();
        // Formatting to memory cannot fail.
        let _ = self.token.write_fmt(text);
    }

    fn spell_bytes(&mut self, bytes: &[u8]) {
        self.token.clear();
        self.token.extend_from_slice(bytes);
    }

    /// Spells a float with the fewest digits that parse to the same bits: at most 26 bytes.
    fn spell_float(&mut self, number: f32) {
        let size = number.abs();
        if !number.is_finite() {
            self.spell(format_args!("0${:08x}", number.to_bits()));
        } else if size == 0.0 || (1e-15..1e15).contains(&size) {
            self.spell(format_args!("{number}"));
        } else {
            self.spell(format_args!("{number:e}"));
        }
    }

    fn put_token(&mut self) {
        let token = std::mem::take(&mut self.token);
        self.put(&token);
        self.token = token;
    }

    /// Ends a row of numbers, which a text file does with a comma.
    ///
    /// If another row of `next` bytes does not fit on the current line, the line ends, too.
    fn end_row(&mut self, next: usize) -> Result<()> {
        self.markup(&[","]);
        if self.is_binary || self.column.saturating_add(next) <= LINE { self.end_record() } else { self.end_line() }
    }

    /// Ends the numbers of a vertex, a key or a tetrahedron, which have lines of their own.
    pub(crate) fn end_item(&mut self) -> Result<()> {
        self.end_row(usize::MAX)
    }

    /// Ends the current line of numbers, if the line is not empty.
    pub(crate) fn end_rows(&mut self) -> Result<()> {
        if self.column > 0 { self.end_line() } else { Ok(()) }
    }
}

/// Returns the lowest bytes of an integer, at most eight of them.
fn lowest<const N: usize>(number: i64) -> [u8; N] {
    number.to_le_bytes().first_chunk().copied().unwrap_or([0; N])
}

/// Checks that a text file can store a text in an attribute.
pub(crate) fn check_text(field: Field, text: &[u8]) -> Result<()> {
    if text.iter().any(|byte| matches!(byte, 0..=8 | 11 | 12 | 14..=31)) {
        let shown = show_bytes(text.get(..64).unwrap_or(text));
        return Err(refused(field, "text without control characters", shown));
    }
    let spelled = |byte: &u8| match byte {
        b'"' => 6,
        b'<' => 4,
        _ => 1_u64,
    };
    let (most, length) = (Limits::default().attribute, text.iter().map(spelled).fold(0, u64::saturating_add));
    if length > most { Err(refused(field, format!("at most {most} bytes"), length.to_string())) } else { Ok(()) }
}

//! [`LlsdWriter`]: writes values as binary LLSD.

use super::read::LlsdFault;
use super::text::LlsdText;
use super::value::{ContainerKind, LlsdLimits, LlsdValue};
use super::walk::{LlsdEvent, LlsdWalk};
use crate::error::debug::{items, short_debug};

/// A writer that appends encoded LLSD values to a byte vector.
///
/// In binary LLSD, the number of items comes before the items of an array or a map. The caller must
/// pass the number of items when it opens the array or map. After opening an array or a map, the
/// caller must write exactly the passed number of items, and then close the array or map.
///
/// ```
/// use meshpeek::secondlife::llsd::LlsdWriter;
/// let mut writer = LlsdWriter::new();
/// writer.open_map(1).key("size").integer(42).close_map();
/// assert_eq!(writer.into_bytes(), b"{\0\0\0\x01k\0\0\0\x04sizei\0\0\0\x2a}");
/// ```
#[derive(Clone, Default)]
pub struct LlsdWriter {
    out: Vec<u8>,
}

short_debug!(LlsdWriter: |writer| { out: items(&writer.out) });

impl LlsdWriter {
    /// Creates a writer with an empty byte vector.
    #[cfg(any(feature = "cli", feature = "internals"))]
    #[must_use]
    pub const fn new() -> Self {
        Self { out: Vec::new() }
    }

    /// Creates a writer that appends encoded values to the byte vector `out`.
    #[must_use]
    pub const fn after(out: Vec<u8>) -> Self {
        Self { out }
    }

    /// Returns the byte vector with all bytes that were written.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.out
    }

    /// Writes an undefined value.
    pub fn undefined(&mut self) -> &mut Self {
        self.mark(b'!')
    }

    /// Writes a boolean.
    pub fn boolean(&mut self, value: bool) -> &mut Self {
        self.mark(if value { b'1' } else { b'0' })
    }

    /// Writes an integer.
    pub fn integer(&mut self, value: i32) -> &mut Self {
        self.mark(b'i').put(&value.to_be_bytes())
    }

    /// Writes an LLSD real, which is a 64-bit floating-point number.
    pub fn real(&mut self, value: f64) -> &mut Self {
        self.mark(b'r').put(&value.to_be_bytes())
    }

    /// Writes a UUID.
    pub fn uuid(&mut self, value: &[u8; 16]) -> &mut Self {
        self.mark(b'u').put(value)
    }

    /// Writes a date in seconds since 1970-01-01 UTC. A date is the only type of number that LLSD
    /// stores in little-endian byte order.
    pub fn date(&mut self, seconds: f64) -> &mut Self {
        self.mark(b'd').put(&seconds.to_le_bytes())
    }

    /// Writes a string. A string longer than `i32::MAX` bytes is truncated to `i32::MAX` bytes.
    #[cfg(any(feature = "cli", feature = "internals"))]
    pub fn string(&mut self, value: &[u8]) -> &mut Self {
        self.mark(b's').counted(value)
    }

    /// Writes a URI. A URI longer than `i32::MAX` bytes is truncated to `i32::MAX` bytes.
    #[cfg(feature = "internals")]
    pub fn uri(&mut self, value: &[u8]) -> &mut Self {
        self.mark(b'l').counted(value)
    }

    /// Writes binary data. Data longer than `i32::MAX` bytes is truncated to `i32::MAX` bytes.
    pub fn binary(&mut self, value: &[u8]) -> &mut Self {
        self.mark(b'b').counted(value)
    }

    /// Writes the key of a map entry. A key longer than `i32::MAX` bytes is truncated to `i32::MAX`
    /// bytes.
    #[cfg(any(feature = "cli", feature = "internals"))]
    pub fn key(&mut self, key: &str) -> &mut Self {
        self.mark(b'k').counted(key.as_bytes())
    }

    /// Writes the key of a map entry with the same quotes and the same escape sequences with which
    /// the key was read.
    pub fn key_as_read(&mut self, key: LlsdText<'_>) -> &mut Self {
        self.text(b'k', key)
    }

    /// Writes the start of an array of `count` values.
    pub fn open_array(&mut self, count: u32) -> &mut Self {
        self.mark(b'[').put(&count.to_be_bytes())
    }

    /// Writes the end of an array.
    pub fn close_array(&mut self) -> &mut Self {
        self.mark(b']')
    }

    /// Writes the start of a map of `count` entries.
    pub fn open_map(&mut self, count: u32) -> &mut Self {
        self.mark(b'{').put(&count.to_be_bytes())
    }

    /// Writes the end of a map.
    pub fn close_map(&mut self) -> &mut Self {
        self.mark(b'}')
    }

    /// Writes a complete array of numbers. Each number of the array is written as an LLSD real.
    #[cfg(any(feature = "cli", feature = "internals"))]
    pub fn reals(&mut self, values: impl ExactSizeIterator<Item = f32>) -> &mut Self {
        self.open_array(values.len().try_into().unwrap_or(u32::MAX));
        for value in values {
            self.real(value.into());
        }
        self.close_array()
    }

    /// Appends the LLSD value at offset `at` of `bytes` to the output, with all values that it
    /// contains.
    ///
    /// Returns the offset in `bytes` of the first byte after the value. The copy of a well-formed
    /// value is byte for byte identical to the value in `bytes`.
    ///
    /// # Errors
    ///
    /// Returns the first error in the bytes of the value. If `copy` returns an error, the output
    /// contains the encoded values before the damaged value.
    pub fn copy(&mut self, bytes: &[u8], at: usize, limits: &LlsdLimits) -> Result<usize, LlsdFault> {
        let mut walk = LlsdWalk::new(bytes, at, limits);
        while let Some(event) = walk.next()? {
            match event {
                LlsdEvent::Open(ContainerKind::Array, count) => self.open_array(count),
                LlsdEvent::Open(ContainerKind::Map, count) => self.open_map(count),
                LlsdEvent::Key(key) => self.key_as_read(key),
                LlsdEvent::Close(ContainerKind::Array) => self.close_array(),
                LlsdEvent::Close(ContainerKind::Map) => self.close_map(),
                LlsdEvent::Scalar(value) => self.scalar(value),
            };
        }
        Ok(walk.at())
    }

    /// Writes a scalar value, which is neither an array nor a map. If `value` is an array or a map,
    /// this function writes nothing.
    pub fn scalar(&mut self, value: LlsdValue<'_>) -> &mut Self {
        match value {
            LlsdValue::Undefined => self.undefined(),
            LlsdValue::Boolean(value) => self.boolean(value),
            LlsdValue::Integer(value) => self.integer(value),
            LlsdValue::Real(value) => self.real(value),
            LlsdValue::Uuid(value) => self.uuid(value),
            LlsdValue::String(value) => self.text(b's', value),
            LlsdValue::Uri(value) => self.text(b'l', value),
            LlsdValue::Date(value) => self.date(value),
            LlsdValue::Binary(value) => self.binary(value),
            LlsdValue::Array(_) | LlsdValue::Map(_) => self,
        }
    }

    fn text(&mut self, mark: u8, text: LlsdText<'_>) -> &mut Self {
        match text.quote() {
            Some(quote) => self.mark(quote).put(text.stored()).mark(quote),
            None => self.mark(mark).counted(text.stored()),
        }
    }

    fn counted(&mut self, bytes: &[u8]) -> &mut Self {
        let length = i32::try_from(bytes.len()).unwrap_or(i32::MAX);
        let held = usize::try_from(length).ok().and_then(|length| bytes.get(..length)).unwrap_or(bytes);
        self.put(&length.to_be_bytes()).put(held)
    }

    fn mark(&mut self, mark: u8) -> &mut Self {
        self.out.push(mark);
        self
    }

    fn put(&mut self, bytes: &[u8]) -> &mut Self {
        self.out.extend_from_slice(bytes);
        self
    }
}

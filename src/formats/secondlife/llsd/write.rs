//! Writing LLSD: each value as its marker and its payload, in the order given.

use super::fault::LlsdFault;
use super::limits::LlsdLimits;
use super::text::LlsdText;
use super::value::{ContainerKind, LlsdValue};
use super::walk::{LlsdEvent, LlsdWalk};
use crate::error::ErrorKind;

/// Writes values into memory. Counts come first, so they are given before the values; that the two agree, and that every
/// container is closed, is the caller's to see to.
///
/// ```
/// use meshpeek::secondlife::llsd::LlsdWriter;
/// let mut writer = LlsdWriter::new();
/// writer.open_map(1).key("size").integer(42).close_map();
/// assert_eq!(writer.into_bytes(), b"{\0\0\0\x01k\0\0\0\x04sizei\0\0\0\x2a}");
/// ```
#[derive(Clone, Debug, Default)]
pub struct LlsdWriter {
    out: Vec<u8>,
}

impl LlsdWriter {
    /// Starts with nothing written.
    #[must_use]
    pub const fn new() -> Self {
        Self { out: Vec::new() }
    }

    /// Goes on behind what was written before.
    #[must_use]
    pub const fn after(out: Vec<u8>) -> Self {
        Self { out }
    }

    /// Returns what was written.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.out
    }

    /// Writes no value.
    pub fn undefined(&mut self) -> &mut Self {
        self.mark(b'!')
    }

    /// Writes true or false.
    pub fn boolean(&mut self, value: bool) -> &mut Self {
        self.mark(if value { b'1' } else { b'0' })
    }

    /// Writes a whole number.
    pub fn integer(&mut self, value: i32) -> &mut Self {
        self.mark(b'i').put(&value.to_be_bytes())
    }

    /// Writes a number.
    pub fn real(&mut self, value: f64) -> &mut Self {
        self.mark(b'r').put(&value.to_be_bytes())
    }

    /// Writes a UUID.
    pub fn uuid(&mut self, value: &[u8; 16]) -> &mut Self {
        self.mark(b'u').put(value)
    }

    /// Writes seconds since 1970-01-01 UTC: little-endian, as nothing else is.
    pub fn date(&mut self, seconds: f64) -> &mut Self {
        self.mark(b'd').put(&seconds.to_le_bytes())
    }

    /// Writes a string. Of more than `i32::MAX` bytes, the first so many.
    pub fn string(&mut self, value: &[u8]) -> &mut Self {
        self.mark(b's').counted(value)
    }

    /// Writes a URI, as [`string`](Self::string).
    pub fn uri(&mut self, value: &[u8]) -> &mut Self {
        self.mark(b'l').counted(value)
    }

    /// Writes bytes, as [`string`](Self::string).
    pub fn binary(&mut self, value: &[u8]) -> &mut Self {
        self.mark(b'b').counted(value)
    }

    /// Writes a key, as [`string`](Self::string).
    pub fn key(&mut self, key: &str) -> &mut Self {
        self.mark(b'k').counted(key.as_bytes())
    }

    /// Writes a key in the form that it was read in.
    pub fn key_as_read(&mut self, key: LlsdText<'_>) -> &mut Self {
        self.text(b'k', key)
    }

    /// Begins an array of `count` values.
    pub fn open_array(&mut self, count: u32) -> &mut Self {
        self.mark(b'[').put(&count.to_be_bytes())
    }

    /// Ends an array.
    pub fn close_array(&mut self) -> &mut Self {
        self.mark(b']')
    }

    /// Begins a map of `count` keys.
    pub fn open_map(&mut self, count: u32) -> &mut Self {
        self.mark(b'{').put(&count.to_be_bytes())
    }

    /// Ends a map.
    pub fn close_map(&mut self) -> &mut Self {
        self.mark(b'}')
    }

    /// Writes an array of numbers, as reals.
    pub fn reals(&mut self, values: impl ExactSizeIterator<Item = f32>) -> &mut Self {
        self.open_array(values.len().try_into().unwrap_or(u32::MAX));
        for value in values {
            self.real(value.into());
        }
        self.close_array()
    }

    /// Writes the value at byte `at` of `bytes` once more, with all that stands in it; returns the offset of the byte after
    /// it. Sound bytes come out as they were.
    ///
    /// # Errors
    ///
    /// The first fault; what comes before it has been written.
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

    /// Writes a value that is neither an array nor a map; of those, nothing.
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

/// Refuses what is too long for an LLSD length.
pub(crate) fn fits(length: usize) -> Result<(), ErrorKind> {
    match i32::try_from(length) {
        Ok(_) => Ok(()),
        Err(_) => Err(ErrorKind::Refused {
            expected: format!("at most {} bytes in one value", i32::MAX).into(),
            found: format!("{length}").into(),
        }),
    }
}

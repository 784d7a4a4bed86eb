//! Writes arrays in the `.npy` format of NumPy, version 1.0.

use std::io::Write;

use crate::model::NumberType;
use crate::program::output::Sink;

/// The magic number and the version of the format.
const MAGIC: &[u8] = b"\x93NUMPY\x01\x00";
/// The size of the header in bytes is a multiple of this number.
const HEADER_ALIGNMENT: usize = 64;
/// The size of a character of text in bytes.
const CHARACTER: usize = 4;

/// The type and the shape of an array.
#[derive(Clone, Debug)]
pub struct ArrayHead {
    /// The type in NumPy, such as `float32`.
    pub dtype: String,
    /// The type and its byte order in the file, such as `<f4`.
    code: String,
    /// The size of an element in bytes.
    element: usize,
    pub shape: Vec<usize>,
}

impl ArrayHead {
    pub fn numbers(number: NumberType, shape: &[usize]) -> Self {
        let [dtype, code] = number.numpy().map(str::to_owned);
        Self { dtype, code, element: number.size(), shape: shape.to_vec() }
    }

    /// Returns the head of an array of `count` texts with at most `length` characters each.
    pub fn texts(length: usize, count: usize) -> Self {
        let code = format!("<U{length}");
        Self { dtype: code.clone(), code, element: length.saturating_mul(CHARACTER), shape: vec![count] }
    }

    /// Returns the size of the values in bytes.
    pub fn size(&self) -> u64 {
        let sizes = self.shape.iter().chain([&self.element]);
        sizes.map(|size| u64::try_from(*size).unwrap_or(u64::MAX)).fold(1, u64::saturating_mul)
    }

    /// Returns the header of the file.
    pub fn header(&self) -> Vec<u8> {
        let shape: String = match &*self.shape {
            [only] => format!("{only},"),
            all => all.iter().map(usize::to_string).collect::<Vec<_>>().join(", "),
        };
        let mut text = format!("{{'descr': '{}', 'fortran_order': False, 'shape': ({shape}), }}", self.code);
        // Two bytes for the length of the text, and a line feed at its end.
        let used = MAGIC.len().saturating_add(text.len()).saturating_add(3);
        text.extend(std::iter::repeat_n(' ', used.next_multiple_of(HEADER_ALIGNMENT).saturating_sub(used)));
        text.push('\n');
        let length = u16::try_from(text.len()).unwrap_or(u16::MAX).to_le_bytes();
        [MAGIC, &length, text.as_bytes()].concat()
    }

    /// Calls `fill` to pass the values of the array to `sink`. Returns an error if the values are
    /// not those of the head.
    pub fn fill(&self, fill: ArrayFill<'_>, sink: Sink<'_>) -> anyhow::Result<()> {
        let mut size = 0_u64;
        fill(&mut |bytes| {
            size = size.saturating_add(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
            sink(bytes)
        })?;
        if size != self.size() {
            anyhow::bail!("an array has {size} bytes of values, expected {} by its length", self.size());
        }
        Ok(())
    }
}

/// A function that passes the values of an array to its argument, as little-endian bytes.
pub type ArrayFill<'f> = &'f dyn Fn(Sink<'_>) -> anyhow::Result<()>;

/// Writes an array as a file.
pub fn write_npy(out: &mut dyn Write, head: &ArrayHead, fill: ArrayFill<'_>) -> anyhow::Result<()> {
    out.write_all(&head.header())?;
    head.fill(fill, &mut |bytes| out.write_all(bytes))?;
    Ok(out.flush()?)
}

/// Passes a text to `sink` as an item of an array whose texts have `length` characters. A longer
/// text is cut.
pub fn write_text(length: usize, text: &str, sink: Sink<'_>) -> anyhow::Result<()> {
    let characters = text.chars().map(u32::from).chain(std::iter::repeat(0)).take(length);
    Ok(sink(&characters.flat_map(u32::to_le_bytes).collect::<Vec<_>>())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_those_of_numpy() {
        let head = ArrayHead::numbers(NumberType::F32, &[8, 3]);
        let header = head.header();
        assert_eq!((header.len(), head.size()), (128, 96));
        assert_eq!(header.get(..10), Some(&b"\x93NUMPY\x01\x00v\x00"[..]));
        let text = String::from_utf8(header.get(10..).unwrap().to_vec()).unwrap();
        assert_eq!(text.trim_end(), "{'descr': '<f4', 'fortran_order': False, 'shape': (8, 3), }");
        assert!(text.ends_with(" \n"));
        let text = String::from_utf8_lossy(&ArrayHead::texts(5, 2).header()).into_owned();
        assert!(text.contains("'descr': '<U5', 'fortran_order': False, 'shape': (2,), }"));
        for width in 0..200 {
            let shape = vec![7; width];
            assert_eq!(ArrayHead::numbers(NumberType::U8, &shape).header().len() % 64, 0);
        }
    }

    #[test]
    fn an_array_of_another_size_is_an_error() {
        let head = ArrayHead::numbers(NumberType::U8, &[4]);
        let fill = |sink: Sink<'_>| Ok(sink(b"abc")?);
        assert!(write_npy(&mut Vec::new(), &head, &fill).unwrap_err().to_string().contains("3 bytes"));
    }

    #[test]
    fn texts_are_padded_and_cut() {
        let mut found = Vec::new();
        for text in ["a", "\u{1f600}bc"] {
            write_text(2, text, &mut |bytes| std::io::Write::write_all(&mut found, bytes)).unwrap();
        }
        assert_eq!(found, [0x61_u32, 0, 0x1f600, 0x62].map(u32::to_le_bytes).concat());
    }
}

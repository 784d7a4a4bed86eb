//! Writes an array in the `.npy` format of NumPy, version 1.0, and several arrays as an `.npz`
//! file: a ZIP archive without compression.

use std::io::{self, Read as _, Seek, SeekFrom, Write};

use flate2::Crc;

use crate::model::NumberType;
use crate::program::output::{HeldOutput, Sink};

/// The size from which a file in the archive, and an offset, need the fields of ZIP64.
const ZIP64_SIZE: u64 = 0xffff_ffff;
/// The number of files from which the archive needs the end record of ZIP64.
const ZIP64_FILES: u64 = 0xffff;
/// The version of the format that a reader of ZIP64 fields needs: 4.5.
const ZIP64_VERSION: u16 = 45;
/// The version of the format that a reader of other archives needs: 2.0.
const VERSION: u16 = 20;
/// The date of all files in the archive: 1 January 1980, the first date of the format.
const DATE: u16 = 0x21;
/// The offset of the checksum in the local header of a file.
const CHECKSUM_OFFSET: u64 = 14;
/// The size up to which an array is held in memory until its checksum is known.
const SMALL: u64 = 64 << 10;
/// The number of bytes of small arrays that are written together.
const BLOCK: usize = 256 << 10;
/// The permissions of an extracted file.
const PERMISSIONS: u32 = 0o100_644 << 16;
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

/// An output whose earlier bytes can be changed.
pub trait SeekableOutput: Write + Seek {}

impl<T: Write + Seek> SeekableOutput for T {}

/// A writer of one archive. The list of its files is held in memory only up to a fixed size.
pub struct NpzWriter<'o> {
    out: &'o mut dyn SeekableOutput,
    /// Small arrays that are not written yet.
    small: Vec<u8>,
    /// The records of the directory at the end of the archive.
    directory: HeldOutput,
    files: u64,
    /// The number of bytes that were written.
    offset: u64,
}

impl<'o> NpzWriter<'o> {
    pub fn new(out: &'o mut dyn SeekableOutput) -> Self {
        Self { out, small: Vec::new(), directory: HeldOutput::start(), files: 0, offset: 0 }
    }

    /// Adds an array with a name, which a Python program uses as a key.
    pub fn add(&mut self, name: &str, head: &ArrayHead, fill: ArrayFill<'_>) -> anyhow::Result<()> {
        let start = head.header();
        let length = u64::try_from(start.len())?;
        let size = head.size().saturating_add(length);
        let entry = ZipFile { name: format!("{name}.npy"), size, offset: self.offset };
        let checksum = if size <= SMALL {
            self.add_small(&entry, &start, head, fill)?
        } else {
            self.add_large(&entry, &start, head, fill)?
        };
        self.directory.write_all(&entry.record(checksum))?;
        self.files = self.files.saturating_add(1);
        Ok(())
    }

    /// Collects a small array, whose checksum is then known before it is written. Returns the
    /// checksum.
    fn add_small(
        &mut self,
        entry: &ZipFile,
        start: &[u8],
        head: &ArrayHead,
        fill: ArrayFill<'_>,
    ) -> anyhow::Result<u32> {
        let mut content = start.to_vec();
        head.fill(fill, &mut |bytes| {
            content.extend_from_slice(bytes);
            Ok(())
        })?;
        let mut checksum = Crc::new();
        checksum.update(&content);
        let mut header = entry.local_header();
        let place = usize::try_from(CHECKSUM_OFFSET)?;
        if let Some(place) = header.get_mut(place..).and_then(|rest| rest.first_chunk_mut()) {
            *place = checksum.sum().to_le_bytes();
        }
        for bytes in [header, content] {
            self.offset = self.offset.saturating_add(u64::try_from(bytes.len())?);
            self.small.extend_from_slice(&bytes);
        }
        if self.small.len() >= BLOCK {
            self.write_small()?;
        }
        Ok(checksum.sum())
    }

    /// Writes the small arrays that were collected.
    fn write_small(&mut self) -> io::Result<()> {
        self.out.write_all(&self.small)?;
        self.small.clear();
        Ok(())
    }

    /// Writes an array, and then its checksum. Returns the checksum.
    fn add_large(
        &mut self,
        entry: &ZipFile,
        start: &[u8],
        head: &ArrayHead,
        fill: ArrayFill<'_>,
    ) -> anyhow::Result<u32> {
        self.write_small()?;
        self.write(&entry.local_header())?;
        let mut checksum = Crc::new();
        checksum.update(start);
        self.write(start)?;
        head.fill(fill, &mut |bytes| {
            checksum.update(bytes);
            self.write(bytes)
        })?;
        self.out.seek(SeekFrom::Start(entry.offset.saturating_add(CHECKSUM_OFFSET)))?;
        self.out.write_all(&checksum.sum().to_le_bytes())?;
        self.out.seek(SeekFrom::Start(self.offset))?;
        Ok(checksum.sum())
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)?;
        self.offset = self.offset.saturating_add(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
        Ok(())
    }

    /// Writes the directory, which ends the archive.
    pub fn finish(mut self) -> anyhow::Result<()> {
        self.write_small()?;
        let (start, size) = (self.offset, self.directory.written);
        io::copy(&mut self.directory.rewound()?.take(size), self.out)?;
        let end = start.saturating_add(size);
        self.out.write_all(&end_records(self.files, start, size, end))?;
        Ok(self.out.flush()?)
    }
}

/// A file in the archive.
struct ZipFile {
    name: String,
    size: u64,
    /// The offset of its local header.
    offset: u64,
}

impl ZipFile {
    /// Returns the header before the file, in which the checksum is still 0.
    fn local_header(&self) -> Vec<u8> {
        let extra = self.zip64(None);
        let mut header = b"PK\x03\x04".to_vec();
        self.push_fields(0, &extra, &mut header);
        header.extend(self.name.as_bytes());
        header.extend(extra);
        header
    }

    /// Returns the record of the file in the directory.
    fn record(&self, checksum: u32) -> Vec<u8> {
        let extra = self.zip64(Some(self.offset));
        let mut record = b"PK\x01\x02".to_vec();
        // Version 4.5 of the format, on Unix.
        record.extend(((3 << 8) | ZIP64_VERSION).to_le_bytes());
        self.push_fields(checksum, &extra, &mut record);
        // No comment, disk 0, and no internal attributes.
        record.extend([0; 6]);
        record.extend(PERMISSIONS.to_le_bytes());
        record.extend(short(self.offset).to_le_bytes());
        record.extend(self.name.as_bytes());
        record.extend(extra);
        record
    }

    /// Adds the fields that the local header and the record have in common.
    fn push_fields(&self, checksum: u32, extra: &[u8], out: &mut Vec<u8>) {
        let version = if extra.is_empty() { VERSION } else { ZIP64_VERSION };
        let name = u16::try_from(self.name.len()).unwrap_or(u16::MAX);
        // No flags, no compression, and the time 0.
        out.extend([version, 0, 0, 0, DATE].map(u16::to_le_bytes).concat());
        out.extend([checksum, short(self.size), short(self.size)].map(u32::to_le_bytes).concat());
        out.extend([name, u16::try_from(extra.len()).unwrap_or(u16::MAX)].map(u16::to_le_bytes).concat());
    }

    /// Returns the fields of ZIP64: both sizes and the offset, as far as 32 bits do not hold them.
    fn zip64(&self, offset: Option<u64>) -> Vec<u8> {
        let numbers = [Some(self.size), Some(self.size), offset].into_iter().flatten();
        let fields: Vec<u8> = numbers.filter(|number| *number >= ZIP64_SIZE).flat_map(u64::to_le_bytes).collect();
        if fields.is_empty() {
            return fields;
        }
        let length = u16::try_from(fields.len()).unwrap_or(u16::MAX);
        [&1_u16.to_le_bytes()[..], &length.to_le_bytes(), &fields].concat()
    }
}

/// Returns a size in a field of 32 bits. The greatest value refers to a field of ZIP64.
fn short(size: u64) -> u32 {
    u32::try_from(size).unwrap_or(u32::MAX)
}

/// Returns the records at the end of the archive. `start` and `size` are those of the directory.
fn end_records(files: u64, start: u64, size: u64, end: u64) -> Vec<u8> {
    let mut records = Vec::new();
    if files >= ZIP64_FILES || start >= ZIP64_SIZE || size >= ZIP64_SIZE {
        records.extend(b"PK\x06\x06");
        records.extend(44_u64.to_le_bytes());
        records.extend([ZIP64_VERSION, ZIP64_VERSION].map(u16::to_le_bytes).concat());
        records.extend([0; 8]);
        records.extend([files, files, size, start].map(u64::to_le_bytes).concat());
        records.extend(b"PK\x06\x07\0\0\0\0");
        records.extend(end.to_le_bytes());
        records.extend(1_u32.to_le_bytes());
    }
    let files = u16::try_from(files).unwrap_or(u16::MAX);
    records.extend(b"PK\x05\x06\0\0\0\0");
    records.extend([files, files].map(u16::to_le_bytes).concat());
    records.extend([short(size), short(start)].map(u32::to_le_bytes).concat());
    // No comment.
    records.extend([0; 2]);
    records
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_above_4_gib_are_in_fields_of_zip64() {
        let file = |size, offset| ZipFile { name: "a.npy".into(), size, offset };
        let small = file(ZIP64_SIZE - 1, ZIP64_SIZE - 1);
        assert_eq!((small.local_header().len(), small.record(0).len()), (30 + 5, 46 + 5));
        let large = file(ZIP64_SIZE, ZIP64_SIZE + 7);
        let (header, record) = (large.local_header(), large.record(0));
        assert_eq!((header.len(), record.len()), (30 + 5 + 20, 46 + 5 + 28));
        assert_eq!(header.get(4..6), Some(&[45, 0][..]));
        assert_eq!(header.get(18..26), Some(&[255; 8][..]));
        assert_eq!(header.get(26..30), Some(&[5, 0, 20, 0][..]));
        assert_eq!(header.get(35..39), Some(&[1, 0, 16, 0][..]));
        assert_eq!(record.get(42..46), Some(&[255; 4][..]));
        assert_eq!(record.get(record.len() - 8..), Some(&(ZIP64_SIZE + 7).to_le_bytes()[..]));
        assert_eq!(end_records(2, 10, 20, 30).len(), 22);
        assert_eq!(end_records(ZIP64_FILES, 10, 20, 30).len(), 56 + 20 + 22);
        assert_eq!(end_records(2, ZIP64_SIZE, 20, 30).len(), 56 + 20 + 22);
    }

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

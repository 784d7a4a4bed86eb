//! Building a sidecar: the records are first collected in memory, and then written to the sidecar
//! file.

use std::io::{self, Seek, SeekFrom, Write};
use std::sync::Arc;

use zerocopy::{FromZeros as _, IntoBytes as _};

use crate::error::debug::{items, short_debug};
use crate::error::{Cause, Error, Field, Result};
use crate::math::as_u64;
use crate::parse::Record;
use crate::sidecar::layout::{Kind, MAGIC, PAGE, ROOM, RawHeader, RawList, RawPage, VERSION, hash, hash_page};
use crate::sidecar::location::Key;
use crate::sidecar::records::Sidecar;

/// Collects the records and blobs (byte sequences of any length) of a sidecar, and writes them to a
/// sidecar file.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::sidecar::{Builder, Key, Kind, Sidecar, Trust};
/// use std::sync::Arc;
///
/// let path = "data/unigine/skinned_ms12.mesh";
/// let model = meshpeek::Model::open(meshpeek::read(path)?)?;
/// let mut builder = Builder::default();
/// meshpeek::internals::format_file(&model).index(&mut builder)?;
/// let key = Key::of(&std::fs::metadata(path).unwrap());
/// let mut bytes = Vec::new();
/// builder.write_to(&key, &mut bytes).unwrap();
///
/// let sidecar = Sidecar::open(bytes, &key, Trust::Trusted).expect("the sidecar belongs to that file");
/// assert!(Kind::Sections.count_in(&sidecar) > 0);
/// let model = model.with_sidecar(Arc::new(sidecar)); // finds surfaces and weights without a walk
/// # Ok(())
/// # }
/// ```
#[derive(Default)]
pub struct Builder {
    structure: u64,
    lists: [List; Kind::ALL.len()],
    blobs: Vec<u8>,
}

short_debug!(Builder: |builder| {
    lists: builder.lists.each_ref().map(|list| items(&list.bytes)), blobs: items(&builder.blobs),
});

/// The bytes of all records of one [`Kind`], and the size of one record in bytes.
#[derive(Debug, Default)]
struct List {
    size: usize,
    bytes: Vec<u8>,
}

impl List {
    fn count(&self) -> usize {
        self.bytes.len().checked_div(self.size).unwrap_or_default()
    }

    fn per_page(&self) -> usize {
        ROOM.checked_div(self.size).unwrap_or(1).max(1)
    }

    fn pages(&self) -> usize {
        self.count().div_ceil(self.per_page())
    }

    fn write(&self, number: &mut usize, out: &mut dyn Write) -> io::Result<()> {
        let bytes = self.per_page().saturating_mul(self.size).max(1);
        self.bytes.chunks(bytes).try_for_each(|content| write_page(content, number, out))
    }
}

impl Builder {
    /// Stores the hash of the header of a mesh file in the sidecar.
    ///
    /// If the hash of the header of the mesh file differs from the stored hash, the sidecar is
    /// ignored.
    pub(crate) fn bind_to(&mut self, header: &[u8]) {
        self.structure = hash(header);
    }

    /// Returns the number of records of the given kind that were added to the builder so far.
    #[must_use]
    pub fn count(&self, kind: Kind) -> u64 {
        self.lists.get(kind.number()).map_or(0, |list| as_u64(list.count()))
    }

    /// Returns whether the sidecar has no records that speed up access to the mesh file.
    ///
    /// If no record speeds up access to the mesh file, writing a sidecar would be useless.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let spares = [(Kind::Sections, 2), (Kind::WeightBlocks, 0), (Kind::Checkpoints, 0)];
        spares.into_iter().all(|(kind, needless)| self.count(kind) <= needless)
    }

    /// Returns whether `sidecar` has exactly the records and blobs of this builder.
    ///
    /// The query trees of `sidecar` are not compared with the query trees of this builder.
    pub(super) fn agrees(&self, sidecar: &Sidecar) -> bool {
        let alike = |(kind, list): (Kind, &List)| {
            let size = list.size.max(1);
            let same = |(index, record): (u64, &[u8])| sidecar.bytes_of(kind, index, size) == Some(record);
            kind.count_in(sidecar) == as_u64(list.count()) && (0..).zip(list.bytes.chunks(size)).all(same)
        };
        // A query tree is compared with the triangles of the mesh file later, when the tree is
        // first used.
        let kinds = Kind::ALL.into_iter().zip(&self.lists).filter(|(kind, _)| *kind != Kind::Trees);
        kinds.into_iter().all(alike) && sidecar.blobs() == self.blobs
    }

    /// Adds a record of the given kind to the sidecar.
    pub(crate) fn push<T: Record>(&mut self, kind: Kind, record: &T) -> Result<()> {
        let Some(list) = self.lists.get_mut(kind.number()) else { return Ok(()) };
        list.size = size_of::<T>();
        extend(&mut list.bytes, record.as_bytes())
    }

    /// Adds a blob, which is a byte sequence of any length. Returns the offset of the blob from the
    /// start of the first blob, its length and its hash.
    pub(crate) fn blob(&mut self, bytes: &[u8]) -> Result<[u64; 3]> {
        let at = as_u64(self.blobs.len());
        extend(&mut self.blobs, bytes)?;
        Ok([at, as_u64(bytes.len()), hash(bytes)])
    }

    /// Writes a sidecar without query trees for the mesh file with the identity `key`.
    ///
    /// # Errors
    ///
    /// Returns an error if writing to `out` fails.
    pub fn write_to(&self, key: &Key, out: &mut dyn Write) -> io::Result<()> {
        let header = self.header(key, 1);
        let mut number = 0;
        write_page(header.as_bytes(), &mut number, out)?;
        self.lists.iter().try_for_each(|list| list.write(&mut number, out))?;
        out.write_all(&self.blobs)
    }

    /// Writes a sidecar for the mesh file with the identity `key`.
    ///
    /// The closure `more` writes pages that contain no records, such as the nodes of query trees,
    /// between the header page and the pages of records.
    ///
    /// The closure `more` receives the index of the first page that it writes, and returns the
    /// index of the page after its last page. The closure `more` may add records to this builder.
    pub(crate) fn write_around<W: Write + Seek>(
        &mut self,
        key: &Key,
        out: &mut W,
        more: impl FnOnce(&mut Self, usize, &mut W) -> Result<usize>,
    ) -> Result<()> {
        write_page(&[], &mut 0, out).map_err(failed)?;
        let next = more(self, 1, out)?;
        let header = self.header(key, next);
        let mut write = || {
            out.seek(SeekFrom::Start(as_u64(next.saturating_mul(PAGE))))?;
            let mut number = next;
            self.lists.iter().try_for_each(|list| list.write(&mut number, out))?;
            out.write_all(&self.blobs)?;
            out.seek(SeekFrom::Start(0))?;
            write_page(header.as_bytes(), &mut 0, out)?;
            out.flush()
        };
        write().map_err(failed)
    }

    /// Returns the header of a sidecar whose first record is on the page with index `first`.
    fn header(&self, key: &Key, first: usize) -> RawHeader {
        let pages = self.lists.iter().fold(first, |pages, list| pages.saturating_add(list.pages()));
        let mut header = RawHeader {
            magic: MAGIC,
            version: VERSION.into(),
            page: u32::try_from(PAGE).unwrap_or_default().into(),
            key: key.raw,
            structure: self.structure.into(),
            pages: as_u64(pages).into(),
            size: as_u64(pages.saturating_mul(PAGE).saturating_add(self.blobs.len())).into(),
            ..RawHeader::default()
        };
        let mut next = first;
        for (raw, list) in header.lists.iter_mut().zip(&self.lists) {
            let size = u32::try_from(list.size).unwrap_or_default().into();
            *raw =
                RawList { count: as_u64(list.count()).into(), page: as_u64(next).into(), size, ..RawList::default() };
            next = next.saturating_add(list.pages());
        }
        header
    }
}

/// Converts an error of the operating system to an error of this crate.
pub(crate) fn failed(error: io::Error) -> Error {
    Error::without_offset("sidecar", Field::new("sidecar"), Cause::Io(Arc::new(error)))
}

/// Writes `content` as the page with index `number`, and then adds 1 to `number`.
pub(crate) fn write_page(content: &[u8], number: &mut usize, out: &mut dyn Write) -> io::Result<()> {
    let mut page = RawPage::new_zeroed();
    page.content.iter_mut().zip(content).for_each(|(place, byte)| *place = *byte);
    page.hash = hash_page(&page.content, *number).into();
    *number = number.saturating_add(1);
    out.write_all(page.as_bytes())
}

fn extend(list: &mut Vec<u8>, bytes: &[u8]) -> Result<()> {
    list.try_reserve(bytes.len()).map_err(|_| out_of_memory(list.len(), bytes.len()))?;
    list.extend_from_slice(bytes);
    Ok(())
}

/// Returns the error for a failed allocation of `more` bytes after `held` bytes.
fn out_of_memory(held: usize, more: usize) -> Error {
    let kind = Cause::OutOfMemory { asked: as_u64(held.saturating_add(more)) };
    Error::without_offset("sidecar", Field::new("records"), kind)
}

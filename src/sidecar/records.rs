//! Reading a sidecar. The checksum of each page is tested before the content of the page is used. A
//! [`SidecarSlot`] stores the optional sidecar of an opened mesh file.

use std::fmt;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use zerocopy::FromBytes;

use crate::error::Result;
use crate::io::FileStamp;
use crate::math::{as_index, as_u64};
use crate::parse::Record;
use crate::sidecar::builder::Builder;
use crate::sidecar::layout::{Kind, MAGIC, NUMBERS, PAGE, ROOM, RawHeader, RawList, RawPage, VERSION, hash, hash_page};
use crate::sidecar::location::Key;

/// Whether the content of a sidecar is used without computing it again from the mesh file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// The sidecar is in the cache folder of the user, and no other user owns it or can write to
    /// it. The content of a trusted sidecar is used if its key matches the mesh file.
    Trusted,
    /// The sidecar is outside the cache folder of the user, or another user owns it or can write to
    /// it. The records of an untrusted sidecar are used only if they equal the records that are
    /// computed again from the mesh file.
    Untrusted,
}

/// An opened sidecar of a mesh file. The bytes of the sidecar may be in a [`Map`](crate::io::Map)
/// or in any other type that implements `AsRef<[u8]>`.
pub struct Sidecar {
    bytes: Box<dyn AsRef<[u8]> + Send + Sync>,
    /// One bit for each page of the sidecar. The bit of a page is set if the checksum of the page
    /// was tested and is correct.
    whole: Box<[AtomicU64]>,
    /// Offset of the first blob in the sidecar, in bytes.
    blobs: usize,
    lists: [RawList; Kind::ALL.len()],
    structure: u64,
    trust: Trust,
}

impl Kind {
    /// Returns the number of records of this kind in a sidecar.
    #[must_use]
    pub fn count_in(self, sidecar: &Sidecar) -> u64 {
        sidecar.lists.get(self.number()).map_or(0, |list| list.count.get())
    }
}

impl fmt::Debug for Sidecar {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = out.debug_struct("Sidecar");
        shown.field("bytes", &self.bytes.as_ref().as_ref().len());
        for kind in Kind::ALL {
            shown.field(kind.name(), &kind.count_in(self));
        }
        shown.field("trust", &self.trust).finish_non_exhaustive()
    }
}

impl Sidecar {
    /// Opens a sidecar from the bytes of its file, and tests the checksum of its first page.
    ///
    /// Returns `None` if `bytes` is not a sidecar of the supported version, or if it does not
    /// belong to the mesh file with the stamp `mesh`, which has to be taken before the mesh file is
    /// opened. A sidecar is trusted if only the current user could have written it: the module
    /// [describes](crate::sidecar#verification) what is verified.
    #[must_use]
    pub fn new(bytes: impl AsRef<[u8]> + Send + Sync + 'static, mesh: &FileStamp, trust: Trust) -> Option<Self> {
        Self::open(bytes, &mesh.into(), trust)
    }

    /// Opens the sidecar of the mesh file with the identity `key`.
    #[doc(hidden)]
    #[must_use]
    pub fn open(bytes: impl AsRef<[u8]> + Send + Sync + 'static, key: &Key, trust: Trust) -> Option<Self> {
        let all = bytes.as_ref();
        let (first, _) = RawPage::ref_from_prefix(all).ok()?;
        let (header, _) = RawHeader::ref_from_prefix(&first.content).ok()?;
        let known = header.magic == MAGIC && header.version == VERSION && as_index(header.page.get()) == PAGE;
        if !known || first.hash != hash_page(&first.content, 0) || header.size != as_u64(all.len()) {
            return None;
        }
        if !key.matches(&header.key, trust == Trust::Trusted) {
            return None;
        }
        let pages = usize::try_from(header.pages.get()).ok().filter(|pages| *pages <= all.len() / PAGE)?;
        let mut whole = Vec::new();
        whole.try_reserve_exact(pages.div_ceil(64)).ok()?;
        whole.resize_with(pages.div_ceil(64), AtomicU64::default);
        let (lists, structure) = (header.lists, header.structure.get());
        let blobs = pages.checked_mul(PAGE)?;
        Some(Self { whole: whole.into(), blobs, lists, structure, trust, bytes: Box::new(bytes) })
    }

    /// Returns whether this sidecar is trusted: the [`Trust`] that was passed to
    /// [`new`](Self::new).
    #[doc(hidden)]
    #[must_use]
    pub const fn trust(&self) -> Trust {
        self.trust
    }

    /// Returns whether the sidecar was made for a mesh file whose header has the bytes `header`.
    pub(crate) fn matches(&self, header: &[u8]) -> bool {
        self.structure == hash(header)
    }

    /// Returns record `index` of the given kind.
    ///
    /// Returns `None` if the index is out of range, if the record size in the sidecar is not the
    /// size of `T`, or if the page that contains the record is damaged.
    #[inline]
    pub(crate) fn record<T: Record>(&self, kind: Kind, index: u64) -> Option<&T> {
        T::ref_from_bytes(self.bytes_of(kind, index, size_of::<T>())?).ok()
    }

    /// Returns whether the checksums of all pages are correct. The call reads the whole sidecar.
    ///
    /// A damaged page is also found when it is first read, and its records and nodes are then
    /// ignored.
    #[doc(hidden)]
    #[must_use]
    pub fn is_intact(&self) -> bool {
        (0..self.blobs / PAGE).all(|number| self.page(number).is_some())
    }

    /// Returns the bytes of record `index` of the given kind.
    ///
    /// Returns `None` if the index is out of range, if the record size in the sidecar is not `size`
    /// bytes, or if the page that contains the record is damaged.
    #[inline]
    pub(super) fn bytes_of(&self, kind: Kind, index: u64, size: usize) -> Option<&[u8]> {
        let list = self.lists.get(kind.number())?;
        if index >= list.count.get() || as_index(list.size.get()) != size {
            return None;
        }
        let index = usize::try_from(index).ok()?;
        let per_page = ROOM.checked_div(size)?;
        let [page, place] = [index.checked_div(per_page)?, index.checked_rem(per_page)?];
        let content = self.page(usize::try_from(list.page.get()).ok()?.checked_add(page)?)?;
        let start = place.checked_mul(size)?;
        content.get(start..start.checked_add(size)?)
    }

    /// Returns the bytes of all blobs (byte sequences of any length) of the sidecar, which are
    /// stored one after another.
    pub(super) fn blobs(&self) -> &[u8] {
        (*self.bytes).as_ref().get(self.blobs..).unwrap_or_default()
    }

    /// Returns the bytes of the blob with the given offset, length and hash.
    ///
    /// Returns `None` if the blob is out of range, or if the hash of its bytes is not the given
    /// hash.
    pub(crate) fn blob(&self, [at, length, expected]: [u64; 3]) -> Option<&[u8]> {
        let at = self.blobs.checked_add(usize::try_from(at).ok()?)?;
        let end = at.checked_add(usize::try_from(length).ok()?)?;
        let blob = (*self.bytes).as_ref().get(at..end)?;
        (hash(blob) == expected).then_some(blob)
    }

    /// Returns the bytes of `count` whole pages, starting at page `first`, without testing their
    /// checksums.
    ///
    /// Returns an empty slice if one of the `count` pages does not exist.
    pub(crate) fn pages(&self, first: u64, count: u64) -> &[u8] {
        let place = |page: u64| usize::try_from(page).ok()?.checked_mul(PAGE);
        let range = || Some(place(first)?..place(first.checked_add(count)?)?.min(self.blobs));
        range().and_then(|range| (*self.bytes).as_ref().get(range)).unwrap_or_default()
    }

    /// Returns one bit for each page of the sidecar.
    ///
    /// The bit of a page is set if the checksum of the page was tested and is correct.
    pub(crate) fn whole(&self) -> &[AtomicU64] {
        &self.whole
    }

    /// Returns item `index` of a `u32` array, such as triangle indices, that starts at page
    /// `first`.
    ///
    /// A `u32` array has its own pages, which contain no records.
    ///
    /// Returns `None` if the page that contains the array item is damaged or does not exist.
    #[inline]
    pub(crate) fn number(&self, first: u64, index: u32) -> Option<u32> {
        let page = usize::try_from(first.checked_add(u64::from(index / NUMBERS))?).ok()?;
        let number = self.page(page)?.as_chunks().0.get(as_index(index % NUMBERS))?;
        Some(u32::from_le_bytes(*number))
    }

    /// Returns the content of a page, or `None` if the page is damaged or does not exist.
    ///
    /// The first access to a page tests its checksum.
    #[inline]
    fn page(&self, number: usize) -> Option<&[u8; ROOM]> {
        let start = number.checked_mul(PAGE)?;
        let (page, _) = RawPage::ref_from_prefix((*self.bytes).as_ref().get(start..)?).ok()?;
        let (word, bit) = (self.whole.get(number / 64)?, 1_u64.wrapping_shl(u32::try_from(number % 64).unwrap_or(0)));
        if word.load(Ordering::Relaxed) & bit == 0 {
            if page.hash != hash_page(&page.content, number) {
                return None;
            }
            word.fetch_or(bit, Ordering::Relaxed);
        }
        Some(&page.content)
    }
}

/// A range of adjacent records of one kind in a sidecar.
pub struct RecordSlice<T> {
    sidecar: Arc<Sidecar>,
    kind: Kind,
    first: u64,
    count: u64,
    record: PhantomData<fn() -> T>,
}

impl<T> fmt::Debug for RecordSlice<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {}, {} of them", self.kind.name(), self.first, self.count)
    }
}

impl<T> Clone for RecordSlice<T> {
    fn clone(&self) -> Self {
        Self { sidecar: Arc::clone(&self.sidecar), ..*self }
    }
}

impl<T: Record> RecordSlice<T> {
    /// Makes a range of `count` records that starts at record `first`.
    ///
    /// For records that do not exist in the sidecar, [`get`](Self::get) returns `None`.
    pub(crate) const fn new(sidecar: Arc<Sidecar>, kind: Kind, first: u64, count: u64) -> Self {
        Self { sidecar, kind, first, count, record: PhantomData }
    }

    /// Returns the number of records in the range, including records that do not exist in the
    /// sidecar.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Returns record `index` of the range.
    ///
    /// Returns `None` if the index is out of range, or if the page that contains the record is
    /// damaged.
    #[inline]
    #[must_use]
    pub fn get(&self, index: u64) -> Option<&T> {
        if index >= self.count {
            return None;
        }
        self.sidecar.record(self.kind, self.first.checked_add(index)?)
    }

    pub(crate) fn sidecar(&self) -> &Sidecar {
        &self.sidecar
    }
}

/// The optional sidecar of an opened mesh file.
///
/// For an untrusted sidecar, the slot also stores whether the content of the sidecar agrees with
/// the mesh file.
#[derive(Debug, Default)]
pub(crate) struct SidecarSlot {
    sidecar: Option<Arc<Sidecar>>,
    agrees: OnceLock<bool>,
}

impl SidecarSlot {
    pub(crate) fn new(sidecar: Arc<Sidecar>) -> Self {
        Self { sidecar: Some(sidecar), agrees: OnceLock::new() }
    }

    /// Returns whether the opened mesh file has a sidecar, whether trusted or untrusted.
    pub(crate) const fn is_there(&self) -> bool {
        self.sidecar.is_some()
    }

    /// Returns the sidecar of the mesh file.
    ///
    /// Returns `None` if the mesh file has no sidecar, or if an untrusted sidecar does not agree
    /// with the mesh file.
    ///
    /// For an untrusted sidecar, the closure `index` computes the expected content from the mesh
    /// file. The closure `index` is called at most once, and its result is stored. An untrusted
    /// sidecar is never used if its content differs from the expected content.
    #[inline]
    pub(crate) fn get(&self, index: impl FnOnce(&mut Builder) -> Result<()>) -> Option<&Arc<Sidecar>> {
        let sidecar = self.sidecar.as_ref()?;
        let agrees = || {
            let mut builder = Builder::default();
            index(&mut builder).is_ok() && builder.agrees(sidecar)
        };
        let verified = sidecar.trust() == Trust::Trusted || *self.agrees.get_or_init(agrees);
        verified.then_some(sidecar)
    }
}

//! Reading a sidecar: nothing in it is believed before its page was tested.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use zerocopy::FromBytes;

use crate::math::{as_index, as_u64};
use crate::parse::Record;
use crate::sidecar::key::Key;
use crate::sidecar::layout::{Kind, MAGIC, NUMBERS, PAGE, ROOM, RawHeader, RawList, RawPage, VERSION, hash, hash_page};

/// How far a sidecar is believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// It lies in the user's own cache: what fits the file is believed.
    Trusted,
    /// It came from elsewhere: what it says is worked out from the file, too.
    Untrusted,
}

/// A sidecar that speaks for a file, over any owner of bytes, a [`Map`](crate::io::Map) as a rule.
pub struct Sidecar {
    bytes: Box<dyn AsRef<[u8]> + Send + Sync>,
    /// For each page one bit: whether it was tested and is whole.
    whole: Box<[AtomicU64]>,
    /// Where the blobs start.
    blobs: usize,
    lists: [RawList; Kind::ALL.len()],
    structure: u64,
    trust: Trust,
}

impl fmt::Debug for Sidecar {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = out.debug_struct("Sidecar");
        for kind in Kind::ALL {
            shown.field(kind.name(), &self.count(kind));
        }
        shown.field("trust", &self.trust).finish_non_exhaustive()
    }
}

impl Sidecar {
    /// Takes the bytes of a sidecar, and tests its first page. `None` where they are not one of this version, or speak for
    /// another file than that of `key`.
    #[must_use]
    pub fn new(bytes: impl AsRef<[u8]> + Send + Sync + 'static, key: &Key, trust: Trust) -> Option<Self> {
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

    /// Returns how far it is believed.
    #[must_use]
    pub const fn trust(&self) -> Trust {
        self.trust
    }

    /// Tells whether it speaks for a file with this header.
    pub(crate) fn matches(&self, header: &[u8]) -> bool {
        self.structure == hash(header)
    }

    /// Returns how many records of a kind it has.
    #[must_use]
    pub fn count(&self, kind: Kind) -> u64 {
        self.lists.get(kind.number()).map_or(0, |list| list.count.get())
    }

    /// Returns record `index` of a kind; `None` where there is none of this size, or its page is damaged.
    #[inline]
    pub(crate) fn record<T: Record>(&self, kind: Kind, index: u64) -> Option<&T> {
        T::ref_from_bytes(self.bytes_of(kind, index, size_of::<T>())?).ok()
    }

    /// Returns the bytes of record `index` of a kind, which are so many.
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

    /// Returns all blobs.
    pub(super) fn blobs(&self) -> &[u8] {
        (*self.bytes).as_ref().get(self.blobs..).unwrap_or_default()
    }

    /// Returns a blob; `None` where its bytes are not those of this hash.
    pub(crate) fn blob(&self, [at, length, expected]: [u64; 3]) -> Option<&[u8]> {
        let at = self.blobs.checked_add(usize::try_from(at).ok()?)?;
        let end = at.checked_add(usize::try_from(length).ok()?)?;
        let blob = (*self.bytes).as_ref().get(at..end)?;
        (hash(blob) == expected).then_some(blob)
    }

    /// Returns whole pages, untested: from the one numbered `first` on, `count` of them; none where they are not all there.
    pub(crate) fn pages(&self, first: u64, count: u64) -> &[u8] {
        let place = |page: u64| usize::try_from(page).ok()?.checked_mul(PAGE);
        let range = || Some(place(first)?..place(first.checked_add(count)?)?.min(self.blobs));
        range().and_then(|range| (*self.bytes).as_ref().get(range)).unwrap_or_default()
    }

    /// Returns, for each page, whether it was tested.
    pub(crate) fn whole(&self) -> &[AtomicU64] {
        &self.whole
    }

    /// Returns number `index` of a list of such that begins with page `first` and is no record's; `None` where its page is damaged.
    #[inline]
    pub(crate) fn number(&self, first: u64, index: u32) -> Option<u32> {
        let page = usize::try_from(first.checked_add(u64::from(index / NUMBERS))?).ok()?;
        let number = self.page(page)?.as_chunks().0.get(as_index(index % NUMBERS))?;
        Some(u32::from_le_bytes(*number))
    }

    /// Returns the content of a page, which is tested the first time.
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

/// Some of a sidecar's records of one kind.
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
    /// Takes `count` records from `first` on. Those that the sidecar does not have are not found.
    pub(crate) const fn new(sidecar: Arc<Sidecar>, kind: Kind, first: u64, count: u64) -> Self {
        Self { sidecar, kind, first, count, record: PhantomData }
    }

    /// Returns how many there should be.
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.count
    }

    /// Tells whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns record `index`; `None` where there is none, or its page is damaged.
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

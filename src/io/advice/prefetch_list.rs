//! Prefetching of bytes at many places, in one request.

// Rule: this file sorts and maps by copies only.

use super::residency::{are_cached, irregular, touch};
use super::system::{LARGE_PAGE, advise_in_order, advise_will_need};

/// The greatest number of bytes between two parts of a list that are read together.
///
/// Reading four pages more takes less time than a separate request to the disk.
const GAP: usize = 16 << 10;

/// The number of parts of a list that are read to test whether the parts are in memory.
const SAMPLES: usize = 15;

/// The greatest number of bytes between two parts of a region.
const REGION_GAP: usize = 4 << 20;

/// The least size of a region that is read as a whole, in pieces of 2 MiB, if a third of it is
/// wanted. Reading all of it takes less time than reading a third of it in many requests.
const MIN_REGION: usize = 4 << 20;

/// The address of the first byte and of the end of bytes in memory.
#[derive(Clone, Copy)]
struct Span {
    start: *const u8,
    end: usize,
}

impl Span {
    fn len(&self) -> usize {
        self.end.saturating_sub(self.start.addr())
    }
}

/// Joins spans with at most `gap` bytes between them. The spans are in the order of their
/// addresses. Returns each joined span, and the sum of the lengths of its spans.
fn join(spans: impl Iterator<Item = Span>, gap: usize) -> impl Iterator<Item = (Span, usize)> {
    let mut spans = spans.peekable();
    std::iter::from_fn(move || {
        let mut joined = spans.next()?;
        let mut length = joined.len();
        while let Some(next) = spans.next_if(|next| next.start.addr() <= joined.end.saturating_add(gap)) {
            joined.end = joined.end.max(next.end);
            length = length.saturating_add(next.len());
        }
        Some((joined, length))
    })
}

/// Returns the spans that `parts`, which are in the order of their addresses, are read in.
fn spans(parts: &[&[u8]]) -> impl Iterator<Item = Span> {
    let spans = parts.iter().map(|part| Span { start: part.as_ptr(), end: part.as_ptr_range().end.addr() });
    join(spans, GAP).map(|(span, _)| span)
}

/// A list of bytes at many places in mapped files, which a program will read soon in any order.
///
/// The first access to a page that is not in memory waits about 50 µs for the disk. A list sorts
/// its parts by their address, joins parts that are near each other, and requests all of them at
/// once, so the disk can read them in parallel and in large pieces. This is several times as fast
/// as reading the parts one after another. [`Array::gather`](crate::Array::gather) does so for
/// items of one array. A list can contain items of several arrays, of several surfaces, and of
/// several files:
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::io::PrefetchList;
/// use meshpeek::{Array, Model};
///
/// # let path = "data/unigine/room_ms14.mesh";
/// // SAFETY: No process writes to the sample while this runs.
/// let model = Model::open(unsafe { meshpeek::Map::open(path)? })?;
/// let arrays: Vec<_> =
///     model.surfaces()?.map(|surface| surface.positions()).collect::<Result<_, _>>()?;
/// let wanted = [(1, 3), (0, 0), (1, 0)]; // surface and vertex
/// let mut list = PrefetchList::default();
/// for (surface, vertex) in wanted {
///     arrays[surface].list_item(vertex, &mut list);
/// }
/// list.prefetch();
/// for (surface, vertex) in wanted {
///     println!("{:?}", arrays[surface].get(vertex));
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct PrefetchList<'a> {
    parts: Vec<&'a [u8]>,
}

impl<'a> PrefetchList<'a> {
    /// Makes an empty list, with memory for `count` parts.
    #[must_use]
    pub fn with_capacity(count: usize) -> Self {
        Self { parts: Vec::with_capacity(count) }
    }

    /// Adds bytes to the list. An empty slice adds nothing.
    #[inline]
    pub fn push(&mut self, bytes: &'a [u8]) {
        if !bytes.is_empty() {
            self.parts.push(bytes);
        }
    }

    /// Returns the number of parts in the list.
    #[doc(hidden)]
    #[allow(clippy::len_without_is_empty, reason = "only tests call it")]
    #[must_use]
    pub fn len(&self) -> usize {
        self.parts.len()
    }

    /// Advises the operating system that the program will soon read all bytes of the list.
    ///
    /// The method reads a few parts of the list first. If they are in memory, it gives no advice
    /// and does not sort the list. Parts with less than 16 KiB between them are read together with
    /// the bytes between them.
    ///
    /// If these are a third or more of a region of at least 4 MiB, without gaps of more than 4 MiB,
    /// the method reads the whole region in pieces of 2 MiB, and waits until most of it is in
    /// memory. This takes less time than reading the parts in smaller pieces.
    pub fn prefetch(self) {
        Self::prefetch_items(self.parts.len(), |part, list| list.extend(self.parts.get(part).copied()));
    }

    /// Prefetches `count` items at once. `add` adds the bytes of the item with the given number to
    /// a list. If a sample of the items is in memory, no list of all items is made.
    pub(crate) fn prefetch_items(count: usize, mut add: impl FnMut(usize, &mut Self)) {
        let step = count.div_ceil(SAMPLES).max(1);
        let mut sample = Self::with_capacity(1);
        let read = |number: usize| {
            add(irregular(number, step), &mut sample);
            sample.parts.drain(..).for_each(touch);
        };
        if !are_cached(count.min(SAMPLES), read) {
            let mut list = Self::with_capacity(count);
            (0..count).for_each(|item| add(item, &mut list));
            list.request();
        }
    }

    /// Requests all bytes of the list from the disk.
    fn request(mut self) {
        self.parts.sort_unstable_by_key(|part| part.as_ptr());
        let mut rest = self.parts.as_slice();
        for (region, wanted) in join(spans(&self.parts), REGION_GAP) {
            let count = rest.partition_point(|part| part.as_ptr().addr() < region.end);
            let (parts, after) = rest.split_at_checked(count).unwrap_or_default();
            rest = after;
            let is_dense = region.len() >= MIN_REGION && wanted >= region.len() / 3;
            if is_dense && advise_in_order(region.start, region.len()) {
                read_large_pages(parts);
            } else {
                spans(parts).for_each(|span| advise_will_need(span.start, span.len()));
            }
        }
    }
}

/// Loads the large pages that contain `parts`, which are in the order of their addresses. The
/// operating system reads one page ahead. If the program accessed the pages in another order, each
/// access would wait for the disk.
fn read_large_pages(parts: &[&[u8]]) {
    let mut last = None;
    for part in parts {
        for at in (0..part.len()).step_by(LARGE_PAGE) {
            let page = part.as_ptr().addr().saturating_add(at) / LARGE_PAGE;
            if last.replace(page) != Some(page) {
                touch(part.get(at..).unwrap_or_default());
            }
        }
    }
}

impl<'a> Extend<&'a [u8]> for PrefetchList<'a> {
    fn extend<I: IntoIterator<Item = &'a [u8]>>(&mut self, parts: I) {
        parts.into_iter().for_each(|part| self.push(part));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_parts_in_any_order() {
        let bytes = vec![3_u8; 1_000_000];
        let mut list = PrefetchList::with_capacity(3);
        list.push(&[]);
        assert_eq!(list.len(), 0);
        list.extend([&bytes[900_000..], &bytes[5..5], &bytes[..10], &bytes[5..300_000]]);
        assert_eq!(list.len(), 3);
        list.prefetch();
        PrefetchList::default().prefetch();
    }
}

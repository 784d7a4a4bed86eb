//! Telling the system what will be read next.

/// Bytes that a walk asks for at a time.
const WINDOW: usize = 1 << 20;

/// Tells the system that exactly these bytes are about to be read in order.
///
/// For bytes of a [`Map`](crate::Map) this starts reading them from the disk in large pieces; for any other memory it does
/// nothing. It waits for the disk for one page at most. Where the bytes are in memory already it costs two system calls
/// for each MiB, where the advice itself would cost a third of what reading them does.
pub fn prefetch(bytes: &[u8]) {
    if bytes.len() >= 2 * PAGE && !seems_cached(bytes) {
        advise_will_need(bytes);
    }
}

/// Bytes for each page that [`seems_cached`] looks at.
const SAMPLE: usize = 1 << 20;

/// Tells whether none of a sample of pages had to come from the disk: one in each MiB, and the last. The first page is
/// not among them, since a parser has often been there. Where a sample misses a gap, that gap is read page by page.
fn seems_cached(bytes: &[u8]) -> bool {
    let Some(before) = pages_from_disk() else { return false };
    let mut sample = bytes.iter().skip(PAGE).step_by(SAMPLE).chain(bytes.last());
    sample.all(|byte| {
        std::hint::black_box(*byte);
        pages_from_disk() == Some(before)
    })
}

/// Returns how many pages this thread has waited for so far, where the system says so.
#[cfg(all(target_os = "linux", not(miri)))]
fn pages_from_disk() -> Option<libc::c_long> {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the call writes a whole structure of this type where it succeeds, and zero is a value of each of its fields.
    let (refused, usage) = unsafe { (libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr()), usage.assume_init()) };
    (refused == 0).then_some(usage.ru_majflt)
}

#[cfg(not(all(target_os = "linux", not(miri))))]
fn pages_from_disk() -> Option<i64> {
    None
}

/// Reads ahead of a walk that does not know yet where it ends: asks for the next MiB whenever the last is used up.
#[derive(Debug, Default)]
pub(crate) struct ReadAhead {
    /// Where the bytes end that were asked for.
    until: usize,
}

impl ReadAhead {
    /// Notes that the walk has come to byte `at` of `bytes`, and that what is left of it should take `left` bytes: no
    /// more is asked for, lest other arrays are read, too. Returns where the bytes end that were asked for.
    #[inline]
    pub(crate) fn pass(&mut self, bytes: &[u8], at: usize, left: impl FnOnce() -> usize) -> usize {
        if at >= self.until {
            self.until = at.saturating_add(left().min(WINDOW));
            prefetch(bytes.get(at..self.until.min(bytes.len())).unwrap_or_default());
        }
        self.until
    }
}

/// Bytes that the system is advised about at a time. Linux reads no more of one piece of advice than the disk's
/// read-ahead, 128 KiB by default, and leaves the rest to be read page by page.
#[cfg(all(unix, not(miri)))]
const PIECE: usize = 128 << 10;

/// The least page size of the systems this runs on; advice about half a page is harmless.
pub(super) const PAGE: usize = 4096;

#[cfg(all(unix, not(miri)))]
fn advise_will_need(bytes: &[u8]) {
    let start = bytes.as_ptr();
    let before = start.addr() & page_mask();
    let (start, length) = (start.wrapping_sub(before), bytes.len().saturating_add(before));
    for piece in (0..length).step_by(PIECE) {
        let part = length.saturating_sub(piece).min(PIECE);
        // SAFETY: the range starts at the page that holds the first byte of a live slice and ends with its last byte,
        // so all of it is mapped, and so is each piece. This advice changes neither content nor protection, and its
        // failure changes nothing.
        unsafe {
            libc::madvise(start.wrapping_add(piece).cast_mut().cast(), part, libc::MADV_WILLNEED);
        }
    }
}

/// Returns the bits of an address that lie within its page.
#[cfg(all(unix, not(miri)))]
pub(super) fn page_mask() -> usize {
    use std::sync::OnceLock;
    static MASK: OnceLock<usize> = OnceLock::new();
    *MASK.get_or_init(|| {
        // SAFETY: asking for a system constant has no precondition.
        let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        usize::try_from(size).ok().filter(|size| size.is_power_of_two()).unwrap_or(PAGE).wrapping_sub(1)
    })
}

#[cfg(not(all(unix, not(miri))))]
fn advise_will_need(_bytes: &[u8]) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefetches_any_slice() {
        let bytes = vec![7_u8; 100_000];
        prefetch(&bytes[1..]);
        prefetch(&bytes[..0]);
        assert!(bytes.iter().all(|byte| *byte == 7));
    }
}

//! Advice to the operating system about the bytes that will be read next.

/// Maximum number of bytes that [`ReadAhead`] requests from the system at a time.
const WINDOW: usize = 1 << 20;

/// Advises the operating system that the program will soon read exactly these bytes, in order.
///
/// For bytes of a [`Map`](crate::Map), the system starts to read them from the disk in large
/// pieces. For bytes in any other memory, this function does nothing. The function waits for the
/// disk for one page at most. If the bytes are already in memory, the call costs two system calls
/// for each MiB. The advice itself would then cost a third of the time for reading the bytes.
pub fn prefetch(bytes: &[u8]) {
    if bytes.len() >= 2 * PAGE && !seems_cached(bytes) {
        advise_will_need(bytes);
    }
}

/// Distance between the pages that [`seems_cached`] samples, in bytes.
const SAMPLE: usize = 1 << 20;

/// Returns whether a sample of the pages of `bytes` is already in memory.
///
/// The sample consists of one page in each MiB and the last page. The first page is left out,
/// because a parser has often read it already. If the sample misses a page that is not in memory,
/// the system later reads that page when the program accesses it.
fn seems_cached(bytes: &[u8]) -> bool {
    let Some(before) = pages_from_disk() else { return false };
    let mut sample = bytes.iter().skip(PAGE).step_by(SAMPLE).chain(bytes.last());
    sample.all(|byte| {
        std::hint::black_box(*byte);
        pages_from_disk() == Some(before)
    })
}

/// Returns how many times this thread has waited for a page from the disk, or `None` if the system
/// does not report this number.
#[cfg(all(target_os = "linux", not(miri)))]
fn pages_from_disk() -> Option<libc::c_long> {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: If the call succeeds, it writes a whole structure of this type. Zero is a valid value
    // of each field of the structure, so the structure is initialised even if the call fails.
    let (refused, usage) = unsafe { (libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr()), usage.assume_init()) };
    (refused == 0).then_some(usage.ru_majflt)
}

#[cfg(not(all(target_os = "linux", not(miri))))]
fn pages_from_disk() -> Option<i64> {
    None
}

/// Requests bytes from the system before a loop reads them, if the end of these bytes is not known
/// yet.
///
/// `ReadAhead` requests the next MiB when the loop has read the MiB that was requested before.
#[derive(Debug, Default)]
pub(crate) struct ReadAhead {
    /// End of the bytes that have been requested from the system, as an index into the bytes of the
    /// loop.
    until: usize,
}

impl ReadAhead {
    /// Records that the loop has reached byte `at` of `bytes`. Returns the end of the bytes that
    /// have been requested from the system.
    ///
    /// `left` estimates the number of bytes that the loop still has to read. No bytes after these
    /// are requested, to avoid reading other arrays.
    #[inline]
    pub(crate) fn pass(&mut self, bytes: &[u8], at: usize, left: impl FnOnce() -> usize) -> usize {
        if at >= self.until {
            self.until = at.saturating_add(left().min(WINDOW));
            prefetch(bytes.get(at..self.until.min(bytes.len())).unwrap_or_default());
        }
        self.until
    }
}

/// Size of the byte range of one call that gives advice to the system, in bytes.
///
/// For one call, Linux reads no more than the read-ahead of the disk, which is 128 KiB by default.
/// The bytes after that would be read page by page.
#[cfg(all(unix, not(miri)))]
const PIECE: usize = 128 << 10;

/// The smallest page size of the supported systems, in bytes. It does no harm to give the system
/// advice for a range that covers only part of a page.
pub(super) const PAGE: usize = 4096;

#[cfg(all(unix, not(miri)))]
fn advise_will_need(bytes: &[u8]) {
    let start = bytes.as_ptr();
    let before = start.addr() & page_mask();
    let (start, length) = (start.wrapping_sub(before), bytes.len().saturating_add(before));
    for piece in (0..length).step_by(PIECE) {
        let part = length.saturating_sub(piece).min(PIECE);
        // SAFETY: The range starts at the page of the first byte of a live slice and ends with the
        // last byte of the slice. The whole range is therefore mapped, and so is each piece of it.
        // This advice changes neither the content nor the protection of a page. If the call fails,
        // nothing has changed.
        unsafe {
            libc::madvise(start.wrapping_add(piece).cast_mut().cast(), part, libc::MADV_WILLNEED);
        }
    }
}

/// Returns the mask of the bits that give the position of an address within its page.
#[cfg(all(unix, not(miri)))]
pub(super) fn page_mask() -> usize {
    use std::sync::OnceLock;
    static MASK: OnceLock<usize> = OnceLock::new();
    *MASK.get_or_init(|| {
        // SAFETY: `sysconf` has no precondition for the query of a system constant.
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

//! Advice to the operating system (`madvise`) about the bytes of a memory map that the program will
//! read next.

/// Maximum number of bytes that one call of [`ReadAhead::pass`] prefetches.
const WINDOW: usize = 1 << 20;

/// Advises the operating system that the program will soon read exactly `bytes`, from the first to
/// the last.
///
/// If `bytes` are in a [`Map`](crate::Map), the operating system starts to read them from the disk
/// in large pieces. If `bytes` are in other memory, `prefetch` has no effect. `prefetch` waits for
/// at most one page to be read from the disk. If `bytes` are already in memory, `prefetch` makes
/// two system calls per MiB to detect that they are, and then gives no advice. Giving the advice
/// for bytes that are already in memory would take a third of the time that reading them takes.
pub fn prefetch(bytes: &[u8]) {
    prefetch_all(std::iter::once(bytes));
}

/// Advises the operating system that the program will soon read all `parts`, as [`prefetch`] does
/// for one. If all parts are in memory, it makes no more system calls than `prefetch` makes for the
/// largest part. Otherwise it waits for at most one page of each part.
pub(crate) fn prefetch_all<'b>(parts: impl Iterator<Item = &'b [u8]> + Clone) {
    let parts = parts.filter(|part| part.len() >= 2 * PAGE);
    let most = parts.clone().map(<[u8]>::len).max();
    if most.is_some_and(|most| !seem_cached(&parts, most)) {
        parts.for_each(advise_will_need);
    }
}

/// Distance between two consecutive pages of the sample that [`seem_cached`] reads, in bytes.
const SAMPLE: usize = 1 << 20;

/// Returns whether all pages of a sample of `parts` are in memory, in which case all of `parts` is
/// probably in memory. `most` is the length of the largest part.
///
/// The sample consists of one page in each MiB and the last page of each part. The first page of a
/// part is not in the sample, because the parser of the file has often read this page already. If a
/// page outside the sample is not in memory, the operating system reads it from the disk when the
/// program accesses it.
fn seem_cached<'b>(parts: &(impl Iterator<Item = &'b [u8]> + Clone), most: usize) -> bool {
    let Some(before) = pages_from_disk() else { return false };
    let are_cached = |bytes: &mut dyn Iterator<Item = &'b u8>| {
        bytes.for_each(|byte| _ = std::hint::black_box(*byte));
        pages_from_disk() == Some(before)
    };
    (PAGE..most).step_by(SAMPLE).all(|at| are_cached(&mut parts.clone().filter_map(|part| part.get(at))))
        && are_cached(&mut parts.clone().filter_map(<[u8]>::last))
}

/// Returns how many times this thread has waited for a page from the disk, or `None` if the
/// operating system does not report this number.
#[cfg(all(target_os = "linux", not(miri)))]
fn pages_from_disk() -> Option<libc::c_long> {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: If `getrusage` succeeds, it writes a whole `rusage` structure. Zero is an allowed
    // value of each field of `rusage`, so `usage` is initialised even if `getrusage` fails.
    let (refused, usage) = unsafe { (libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr()), usage.assume_init()) };
    (refused == 0).then_some(usage.ru_majflt)
}

#[cfg(not(all(target_os = "linux", not(miri))))]
fn pages_from_disk() -> Option<i64> {
    None
}

/// Prefetches bytes before a loop reads them, for a loop that does not know in advance at which
/// byte it ends.
///
/// When the loop has read the MiB that was prefetched last, `ReadAhead` prefetches the next MiB.
#[derive(Debug, Default)]
pub(crate) struct ReadAhead {
    /// Offset of the end of the prefetched bytes, in the slice that the loop reads.
    until: usize,
}

impl ReadAhead {
    /// Prefetches more bytes if the loop, which has reached byte `at` of `bytes`, has read all
    /// prefetched bytes.
    ///
    /// Returns the offset of the end of the prefetched bytes.
    ///
    /// `left` returns an estimate of the number of bytes that the loop still has to read. `pass`
    /// prefetches at most the estimated number of bytes, to avoid reading the arrays that follow in
    /// the file.
    #[inline]
    pub(crate) fn pass(&mut self, bytes: &[u8], at: usize, left: impl FnOnce() -> usize) -> usize {
        if at >= self.until {
            self.until = at.saturating_add(left().min(WINDOW));
            prefetch(bytes.get(at..self.until.min(bytes.len())).unwrap_or_default());
        }
        self.until
    }
}

/// Maximum number of bytes for which one `madvise` call gives advice.
///
/// For one `madvise` call, Linux reads no more bytes than the read-ahead size of the disk, which is
/// 128 KiB by default. Bytes beyond the read-ahead size would be read page by page when the program
/// accesses them.
#[cfg(all(unix, not(miri)))]
const PIECE: usize = 128 << 10;

/// The smallest page size of the supported systems, in bytes. On a system with larger pages, the
/// value 4,096 can also be used, because advice for a part of a page is allowed.
pub(super) const PAGE: usize = 4096;

#[cfg(all(unix, not(miri)))]
fn advise_will_need(bytes: &[u8]) {
    let start = bytes.as_ptr();
    let before = start.addr() & page_mask();
    let (start, length) = (start.wrapping_sub(before), bytes.len().saturating_add(before));
    for piece in (0..length).step_by(PIECE) {
        let part = length.saturating_sub(piece).min(PIECE);
        // SAFETY: The address range starts at the page of the first byte of a live slice and ends
        // with the last byte of the slice. The whole address range is therefore mapped, and each
        // `madvise` call gets a part of this range. `MADV_WILLNEED` changes neither the content nor
        // the protection of a page. A failed `madvise` call changes nothing.
        unsafe {
            libc::madvise(start.wrapping_add(piece).cast_mut().cast(), part, libc::MADV_WILLNEED);
        }
    }
}

/// Returns a bit mask: an address combined with the mask by AND is the offset of the address in its
/// page.
#[cfg(all(unix, not(miri)))]
pub(super) fn page_mask() -> usize {
    use std::sync::OnceLock;
    static MASK: OnceLock<usize> = OnceLock::new();
    *MASK.get_or_init(|| {
        // SAFETY: `sysconf` has no precondition, and `_SC_PAGESIZE` only reads a constant of the
        // operating system.
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
        prefetch_all([&bytes[..50_000], &bytes[..0], &bytes[60_000..]].into_iter());
        prefetch_all(std::iter::empty());
        assert!(bytes.iter().all(|byte| *byte == 7));
    }
}

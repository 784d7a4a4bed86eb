//! The system calls that give advice.

/// Maximum number of bytes for which one `madvise` call gives advice.
///
/// For one `madvise` call, Linux reads no more bytes than the read-ahead size of the disk, which is
/// 128 KiB by default. Bytes beyond the read-ahead size would be read page by page when the program
/// accesses them.
#[cfg(all(unix, not(miri)))]
const PIECE: usize = 128 << 10;

/// The smallest page size of the supported systems, in bytes. On a system with larger pages, the
/// value 4,096 can also be used, because advice for a part of a page is allowed.
pub(in crate::io) const PAGE: usize = 4096;

/// Advises the operating system to read `length` bytes from the address `start` in the background.
///
/// Addresses that belong to no memory map are allowed, and the system ignores them.
#[cfg(all(unix, not(miri)))]
pub(super) fn advise_will_need(start: *const u8, length: usize) {
    let before = start.addr() & page_mask();
    let (start, length) = (start.wrapping_sub(before), length.saturating_add(before));
    for piece in (0..length).step_by(PIECE) {
        let part = length.saturating_sub(piece).min(PIECE);
        // SAFETY: `MADV_WILLNEED` changes neither the content nor the protection of a page, and it
        // unmaps no page, whatever is mapped at the addresses. If no memory is mapped there, or if
        // the call fails for another reason, it changes nothing.
        unsafe {
            libc::madvise(start.wrapping_add(piece).cast_mut().cast(), part, libc::MADV_WILLNEED);
        }
    }
}

/// Advises the operating system to read `length` bytes from the address `start` in order, ahead of
/// the program, in pieces of 2 MiB. Returns whether the system takes the advice.
///
/// Addresses that belong to no memory map are allowed, and the system does not take the advice.
#[cfg(all(target_os = "linux", not(miri)))]
pub(super) fn advise_in_order(start: *const u8, length: usize) -> bool {
    let mask = page_mask();
    let before = start.addr() & mask;
    let (first, length) = (start.wrapping_sub(before).cast_mut(), length.saturating_add(before));
    // Without `MADV_NORMAL`, a map with random-access advice is read without any read-ahead.
    let advise = |advice| {
        // SAFETY: The advice changes only how the system reads and maps pages, and neither their
        // content nor their protection, whatever is mapped at the addresses. A failed call changes
        // neither.
        unsafe { libc::madvise(first.cast(), length, advice) == 0 }
    };
    // A system without pages of 2 MiB reads ahead in smaller pieces.
    advise(libc::MADV_NORMAL) && (advise(libc::MADV_HUGEPAGE) || advise(libc::MADV_SEQUENTIAL))
}

/// Returns a bit mask: an address combined with the mask by AND is the offset of the address in its
/// page.
#[cfg(all(unix, not(miri)))]
pub(in crate::io) fn page_mask() -> usize {
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
pub(super) fn advise_will_need(_start: *const u8, _length: usize) {}

#[cfg(not(all(target_os = "linux", not(miri))))]
pub(super) fn advise_in_order(_start: *const u8, _length: usize) -> bool {
    false
}

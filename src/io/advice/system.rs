//! The system calls that give advice.

/// Maximum number of bytes for which one `madvise` call gives advice.
///
/// For one `madvise` call, Linux reads no more bytes than the read-ahead size of the disk, which is
/// 128 KiB by default. Bytes beyond the read-ahead size would be read page by page when the program
/// accesses them.
#[cfg(all(unix, not(miri)))]
pub(in crate::io) const PIECE: usize = 128 << 10;

/// The smallest page size of the supported systems, in bytes. On a system with larger pages, the
/// value 4,096 can also be used, because advice for a part of a page is allowed.
pub(in crate::io) const PAGE: usize = 4096;

/// Advises the operating system to read `length` bytes from the address `start` in the background.
///
/// Addresses that belong to no memory map are allowed, and the system ignores them.
#[cfg(all(unix, not(miri)))]
pub(in crate::io) fn advise_will_need(start: *const u8, length: usize) {
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

/// The greatest size of a page of a file, in bytes. Linux reads a file in such pages if it is
/// advised to read it in order.
pub(super) const LARGE_PAGE: usize = 2 << 20;

/// The greatest number of small pages that are dropped from memory before a large page is read.
/// Reading them again takes less time than reading the other small pages one by one.
#[cfg(all(target_os = "linux", not(miri)))]
const MOST_DROPPED: usize = 128;

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
    if !advise(libc::MADV_NORMAL) {
        return false;
    }
    // A system without large pages reads ahead in smaller pieces.
    if !advise(libc::MADV_HUGEPAGE) {
        return advise(libc::MADV_SEQUENTIAL);
    }
    let mut piece = 0;
    while piece < length {
        let start = first.wrapping_add(piece);
        let size = LARGE_PAGE.saturating_sub(start.addr() % LARGE_PAGE).min(length.saturating_sub(piece));
        drop_few_pages(start, size);
        piece = piece.saturating_add(size);
    }
    true
}

/// Drops the pages of a large page from memory if they are few. `start` is the start of a page, and
/// `length` is at most the size of a large page.
///
/// Where one small page is in memory, for example because a parser has read it, Linux can't read
/// the large page, and reads 512 small pages, which takes twice as long. Pages that other programs
/// use, and pages of files that the program may not write, stay in memory.
#[cfg(all(target_os = "linux", not(miri)))]
fn drop_few_pages(start: *mut u8, length: usize) {
    let mut pages = [0_u8; LARGE_PAGE / PAGE];
    // SAFETY: `mincore` writes one byte for each page of `length` bytes. `pages` has room for them,
    // because no page is smaller than `PAGE`. The call fails if a page is not mapped.
    let known = unsafe { libc::mincore(start.cast(), length, pages.as_mut_ptr().cast()) == 0 };
    let in_memory = pages.iter().filter(|page| **page & 1 != 0).count();
    if known && (1..=MOST_DROPPED).contains(&in_memory) {
        // SAFETY: The advice changes neither the content nor the protection of a page. A dropped
        // page is read again when it is accessed.
        unsafe {
            libc::madvise(start.cast(), length, libc::MADV_PAGEOUT);
        }
    }
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
pub(in crate::io) fn advise_will_need(_start: *const u8, _length: usize) {}

#[cfg(not(all(target_os = "linux", not(miri))))]
pub(super) fn advise_in_order(_start: *const u8, _length: usize) -> bool {
    false
}

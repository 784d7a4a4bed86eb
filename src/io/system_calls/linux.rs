//! The calls of Linux.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::FileExt as _;
use std::sync::OnceLock;

use super::is_enabled;
use crate::io::advice::{PIECE, page_mask};
use crate::math::as_u64;

// The bits of the calls that tests can switch off.
const CACHESTAT: u8 = 1;
const PREADV2: u8 = 2;
const PAGEMAP: u8 = 4;

/// The number of `cachestat`, which `libc` lacks. The numbers of the calls since Linux 5.1 have the
/// same distances on all processors, and `cachestat` is 451 where `pidfd_open` is 434.
const SYS_CACHESTAT: libc::c_long = libc::SYS_pidfd_open.saturating_add(17);

/// A descriptor of this process. A child that was made by `fork` inherits it, but it still refers
/// to the parent.
struct OfProcess<T> {
    process: u32,
    descriptor: T,
}

impl<T> OfProcess<T> {
    fn new(descriptor: T) -> Self {
        Self { process: std::process::id(), descriptor }
    }

    /// Returns the descriptor if it refers to the running process.
    fn get(&self) -> Option<&T> {
        (self.process == std::process::id()).then_some(&self.descriptor)
    }
}

/// The range of a file that `cachestat` examines, as the system defines it.
#[repr(C)]
struct CacheRange {
    offset: u64,
    length: u64,
}

/// The result of `cachestat`, as the system defines it.
#[repr(C)]
#[derive(Default)]
struct CacheCounts {
    cached: u64,
    dirty: u64,
    written_back: u64,
    evicted: u64,
    recently_evicted: u64,
}

/// Returns how many pages of a range of a file are in the page cache or are being read into it.
/// Returns `None` if the system does not report this.
pub(in crate::io) fn cached_pages(file: &File, range: &Range<usize>) -> Option<u64> {
    if range.is_empty() {
        return Some(0);
    }
    if !is_enabled(CACHESTAT) {
        return None;
    }
    let examined = CacheRange { offset: as_u64(range.start), length: as_u64(range.len()) };
    let mut counts = CacheCounts::default();
    // SAFETY: The call reads `examined` and writes `counts`, which have the layout of the system.
    let refused =
        unsafe { libc::syscall(SYS_CACHESTAT, file.as_raw_fd(), &raw const examined, &raw mut counts, 0_usize) };
    // In a stacked file system, the pages are in the cache of another file system.
    let is_known = refused == 0 && (counts.cached > 0 || !is_stacked(file));
    is_known.then_some(counts.cached)
}

/// Returns whether a file is in a file system that stores its files in another one.
fn is_stacked(file: &File) -> bool {
    let mut system = std::mem::MaybeUninit::<libc::statfs>::zeroed();
    // SAFETY: If `fstatfs` succeeds, it writes a whole `statfs` structure. Zero is an allowed value
    // of each of its fields, so `system` is initialised even if the call fails.
    let system = unsafe {
        libc::fstatfs(file.as_raw_fd(), system.as_mut_ptr());
        system.assume_init()
    };
    // The types of the two numbers depend on the processor.
    i128::from(system.f_type) == i128::from(libc::OVERLAYFS_SUPER_MAGIC)
}

/// Returns whether a page of a file is in the page cache. Returns `None` if the system does not
/// report this. The call may make the system read the page in the background.
pub(in crate::io) fn is_page_cached(file: &File, offset: usize) -> Option<bool> {
    if !is_enabled(PREADV2) {
        return None;
    }
    let mut byte = [0_u8; 1];
    let vector = libc::iovec { iov_base: byte.as_mut_ptr().cast(), iov_len: byte.len() };
    // SAFETY: The call writes at most one byte to `byte`. Its offset has two parts, of which the
    // second one is for offsets that do not fit in `usize`.
    let count = unsafe {
        libc::syscall(
            libc::SYS_preadv2,
            file.as_raw_fd(),
            &raw const vector,
            1_usize,
            offset,
            0_usize,
            libc::RWF_NOWAIT,
        )
    };
    match count {
        1 => Some(true),
        -1 if io::Error::last_os_error().raw_os_error() == Some(libc::EAGAIN) => Some(false),
        _ => None,
    }
}

/// Returns how many pages of `bytes`, which begin at the start of a page, are in the page tables of
/// the process. Returns `None` if the system does not report this.
pub(in crate::io) fn mapped_pages(bytes: &[u8]) -> Option<u64> {
    static TABLE: OnceLock<Option<OfProcess<File>>> = OnceLock::new();
    /// The size of an entry in bytes.
    const ENTRY: usize = size_of::<u64>();
    /// The number of entries that are read at a time.
    const ENTRIES: usize = 512;
    const IS_PRESENT: u64 = 1 << 63;
    if !is_enabled(PAGEMAP) {
        return None;
    }
    let open = || File::open("/proc/self/pagemap").ok().map(OfProcess::new);
    let table = TABLE.get_or_init(open).as_ref()?.get()?;
    let page = page_mask().saturating_add(1);
    let mut left = bytes.len().div_ceil(page);
    let mut entry = bytes.as_ptr().addr().checked_div(page)?;
    let mut buffer = [0_u8; ENTRIES * ENTRY];
    let mut mapped = 0_u64;
    while left > 0 {
        let count = left.min(ENTRIES);
        let entries = buffer.get_mut(..count.saturating_mul(ENTRY))?;
        table.read_exact_at(entries, as_u64(entry).saturating_mul(as_u64(ENTRY))).ok()?;
        let (entries, _) = entries.as_chunks::<ENTRY>();
        let present = entries.iter().filter(|entry| u64::from_ne_bytes(**entry) & IS_PRESENT != 0).count();
        mapped = mapped.saturating_add(as_u64(present));
        (entry, left) = (entry.saturating_add(count), left.saturating_sub(count));
    }
    Some(mapped)
}

/// Drops a range of a file from the page cache.
pub(in crate::io) fn drop_cache(file: &File, range: Range<usize>) {
    advise_about(file, as_u64(range.start), range.len(), libc::POSIX_FADV_DONTNEED);
}

/// Advises the operating system to read `bytes`, which a map has at `offset` of a file, in the
/// background.
///
/// The advice is for the file and not for the map, because `madvise` takes the lock on the address
/// space of the process.
pub(in crate::io) fn advise_mapped(file: &File, offset: u64, bytes: &[u8]) {
    advise_file(file, offset, bytes.len());
}

/// Advises the operating system to read `length` bytes of a file from `offset` in the background.
pub(in crate::io) fn advise_file(file: &File, offset: u64, length: usize) {
    for piece in (0..length).step_by(PIECE) {
        let length = length.saturating_sub(piece).min(PIECE);
        advise_about(file, offset.saturating_add(as_u64(piece)), length, libc::POSIX_FADV_WILLNEED);
    }
}

fn advise_about(file: &File, offset: u64, length: usize, advice: libc::c_int) {
    // The length 0 means all bytes to the end of the file.
    if let (Ok(offset), Ok(length @ 1..)) = (libc::off_t::try_from(offset), libc::off_t::try_from(length)) {
        // SAFETY: The descriptor is open. The advice does not change the content of the file.
        unsafe {
            libc::posix_fadvise(file.as_raw_fd(), offset, length, advice);
        }
    }
}

/// Lowers the priority of the calling thread. Threads that wait for a processor then run first.
///
/// The call has no effect on systems other than Linux.
pub(crate) fn lower_thread_priority() {
    const NICE: libc::c_int = 10;
    // SAFETY: The call changes only the priority of the calling thread, because Linux takes the
    // process number 0 as this thread. A refused call changes nothing.
    unsafe {
        libc::setpriority(libc::PRIO_PROCESS, 0, NICE);
    }
}

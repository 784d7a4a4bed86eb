//! Memory statistics of the system: the pages of this process, the pages of a file in the cache,
//! and page faults. They are available on Linux only. On other systems, the functions return
//! `None`, and `evict` does nothing.
#![allow(
    dead_code,
    unused_imports,
    unsafe_code,
    clippy::unwrap_used,
    clippy::as_conversions,
    clippy::cast_precision_loss,
    clippy::unnecessary_wraps,
    clippy::arithmetic_side_effects,
    reason = "each bench uses only a part of it, these are system calls, and a panic is how a bench fails"
)]

pub use system::{anonymous, evict, faults, free, peak, peak_of_children, read, resident};

#[cfg(target_os = "linux")]
mod system {
    use std::fs::{self, File};
    use std::os::fd::AsRawFd;
    use std::path::Path;

    /// Returns the bytes of this process that are not backed by a file: its heap and stacks.
    pub fn anonymous() -> Option<f64> {
        let status = fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
        Some(line.trim().strip_suffix(" kB").unwrap().parse::<f64>().unwrap() * 1024.0)
    }

    /// Returns the maximum number of bytes of memory that this process used at any time, including
    /// pages of files.
    pub fn peak() -> Option<f64> {
        let status = fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        Some(line.trim().strip_suffix(" kB").unwrap().parse::<f64>().unwrap() * 1024.0)
    }

    /// Returns the number of free bytes on the disk that contains a folder.
    pub fn free(folder: &Path) -> Option<f64> {
        let folder = std::ffi::CString::new(folder.as_os_str().as_encoded_bytes()).unwrap();
        // SAFETY: the structure consists of integers, for which zero is valid, and the call fills
        // it in. The path ends with a NUL.
        let (refused, found) = unsafe {
            let mut found = std::mem::zeroed::<libc::statvfs>();
            (libc::statvfs(folder.as_ptr(), &raw mut found), found)
        };
        assert_eq!(refused, 0);
        Some(found.f_bavail as f64 * found.f_frsize as f64)
    }

    /// Returns the number of bytes that this process has read from a disk.
    pub fn read() -> Option<f64> {
        let told = fs::read_to_string("/proc/self/io").ok()?;
        told.lines().find_map(|line| line.strip_prefix("read_bytes:"))?.trim().parse().ok()
    }

    /// Drops a file from the page cache, except pages that a process has mapped and read.
    pub fn evict(path: &Path) {
        let file = File::open(path).unwrap();
        file.sync_all().unwrap();
        // SAFETY: the descriptor is open, and the call changes only the cache of the file.
        let refused = unsafe { libc::posix_fadvise(file.as_raw_fd(), 0, 0, libc::POSIX_FADV_DONTNEED) };
        assert_eq!(refused, 0);
    }

    /// Returns the number of pages of a mapped file that are in the page cache.
    pub fn resident(map: &[u8]) -> Option<f64> {
        let mut pages = vec![0_u8; map.len().div_ceil(page())];
        // SAFETY: the slice is a whole mapping, and therefore starts at a page. `pages` has a byte
        // for each page.
        let refused = unsafe { libc::mincore(map.as_ptr().cast_mut().cast(), map.len(), pages.as_mut_ptr().cast()) };
        assert_eq!(refused, 0);
        Some(pages.iter().filter(|page| **page & 1 == 1).count() as f64)
    }

    fn page() -> usize {
        // SAFETY: querying a system constant has no precondition.
        usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap()
    }

    /// Returns the number of page faults of this process.
    pub fn faults() -> Option<f64> {
        let usage = usage(libc::RUSAGE_SELF);
        Some((usage.ru_minflt + usage.ru_majflt) as f64)
    }

    /// Returns the maximum number of bytes of memory that a child process used, including pages of
    /// files. Only children that have ended count.
    pub fn peak_of_children() -> Option<f64> {
        Some(usage(libc::RUSAGE_CHILDREN).ru_maxrss as f64 * 1024.0)
    }

    fn usage(of: libc::c_int) -> libc::rusage {
        // SAFETY: the structure consists of integers, for which zero is valid, and the call fills
        // it in.
        unsafe {
            let mut usage = std::mem::zeroed::<libc::rusage>();
            libc::getrusage(of, &raw mut usage);
            usage
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::path::Path;

    pub fn anonymous() -> Option<f64> {
        None
    }

    pub fn peak() -> Option<f64> {
        None
    }

    pub fn peak_of_children() -> Option<f64> {
        None
    }

    pub fn evict(_: &Path) {}

    pub fn free(_: &Path) -> Option<f64> {
        None
    }

    pub fn read() -> Option<f64> {
        None
    }

    pub fn resident(_: &[u8]) -> Option<f64> {
        None
    }

    pub fn faults() -> Option<f64> {
        None
    }
}

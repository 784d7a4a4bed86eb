//! The resource usage of a process on Linux: memory, page faults and bytes read from the disk. The
//! module also drops files from the page cache.

use std::path::Path;

/// The resource usage of a process. A field is `None` if the system does not report it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    /// Bytes of memory that are not backed by a file.
    pub anonymous: Option<u64>,
    /// Bytes of memory that are backed by files. The system may reclaim this memory at any time.
    pub file: Option<u64>,
    /// The number of page faults, with and without access to the disk.
    pub faults: Option<u64>,
    /// The number of page faults that waited for the disk.
    pub major: Option<u64>,
    /// The number of bytes read from the disk.
    pub read: Option<u64>,
    /// The maximum number of bytes of memory that the process used at any time.
    pub peak: Option<u64>,
}

impl Usage {
    /// Returns the resource usage of the current process.
    pub fn now() -> Self {
        let text = |name| std::fs::read_to_string(name).unwrap_or_default();
        // The numbers of page faults are read last, because reading the other files of `/proc`
        // causes page faults.
        let (status, io, stat) = (text("/proc/self/status"), text("/proc/self/io"), text("/proc/self/stat"));
        let kilobytes = |name| Some(number(&status, name)?.saturating_mul(1024));
        let [minor, major] = [7, 9].map(|field| {
            // The fields follow the name of the program, which is in parentheses and may contain
            // spaces.
            stat.rsplit(')').next()?.split_whitespace().nth(field)?.parse::<u64>().ok()
        });
        Self {
            anonymous: kilobytes("RssAnon:"),
            // Linux counts a file in an in-memory file system as shared memory.
            file: kilobytes("RssFile:").map(|file| file.saturating_add(kilobytes("RssShmem:").unwrap_or_default())),
            faults: minor.zip(major).map(|(minor, major)| minor.saturating_add(major)),
            major,
            read: number(&io, "read_bytes:"),
            peak: kilobytes("VmHWM:"),
        }
    }

    /// Returns the increase of each field since `before`. The peak is not an increase, but the peak
    /// of the whole process.
    pub fn since(&self, before: &Self) -> Self {
        let less = |now: Option<u64>, then: Option<u64>| Some(now?.saturating_sub(then?));
        Self {
            anonymous: less(self.anonymous, before.anonymous),
            file: less(self.file, before.file),
            faults: less(self.faults, before.faults),
            major: less(self.major, before.major),
            read: less(self.read, before.read),
            peak: self.peak,
        }
    }
}

/// Returns the number of bytes of memory that the system can give to programs, or `None` if the
/// system does not report it.
pub fn available() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    Some(number(&text, "MemAvailable:")?.saturating_mul(1024))
}

/// Returns the number that follows `name` at the start of a line.
fn number(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Drops a file from the page cache, except the pages that a process has mapped and read. Returns
/// `false` if the system has no call to do this.
#[cfg(target_os = "linux")]
pub fn evict(path: &Path) -> std::io::Result<bool> {
    use rustix::fs::{Advice, fadvise};
    let file = std::fs::File::open(path)?;
    // Data that is not yet written to the disk would stay in the page cache.
    file.sync_all()?;
    fadvise(&file, 0, None, Advice::DontNeed)?;
    Ok(true)
}

/// Returns the number of free bytes that this user can use on the disk that contains `folder`.
#[cfg(target_os = "linux")]
pub fn free(folder: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(folder).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

#[cfg(not(target_os = "linux"))]
#[allow(clippy::unnecessary_wraps, reason = "on systems with such a call, it may fail")]
pub fn evict(_: &Path) -> std::io::Result<bool> {
    Ok(false)
}

#[cfg(not(target_os = "linux"))]
pub fn free(_: &Path) -> Option<u64> {
    None
}

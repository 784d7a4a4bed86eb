//! The resource usage of a process on Linux: memory, page faults and bytes read from the disk. The
//! module can also drop files from the page cache.

use std::path::Path;

/// The resource usage of a process. A field is `None` if the operating system does not report its
/// value.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    /// Resident memory that is not backed by a file, such as the heap, in bytes.
    pub anonymous: Option<u64>,
    /// Resident memory that is backed by files, such as memory maps, in bytes. The operating system
    /// may reclaim the resident memory that is backed by files at any time.
    pub file: Option<u64>,
    /// The number of page faults, including page faults that did not read from the disk.
    pub faults: Option<u64>,
    /// The number of page faults that waited for the disk.
    pub major: Option<u64>,
    /// The number of bytes read from the disk.
    pub read: Option<u64>,
    /// The peak of the resident memory of the process, in bytes.
    pub peak: Option<u64>,
}

impl Usage {
    /// Returns the resource usage of the current process.
    pub fn now() -> Self {
        let text = |name| std::fs::read_to_string(name).unwrap_or_default();
        // The numbers of page faults are read last, because reading the other files of `/proc`
        // causes page faults.
        let (status, io, faults) = (text("/proc/self/status"), text("/proc/self/io"), faults("/proc/self/stat"));
        let kilobytes = |name| Some(number(&status, name)?.saturating_mul(1024));
        Self {
            anonymous: kilobytes("RssAnon:"),
            // Linux counts mapped pages of a file in an in-memory file system (tmpfs) as shared
            // memory.
            file: kilobytes("RssFile:").map(|file| file.saturating_add(kilobytes("RssShmem:").unwrap_or_default())),
            faults: faults.map(|[minor, major]| minor.saturating_add(major)),
            major: faults.map(|[_, major]| major),
            read: number(&io, "read_bytes:"),
            peak: kilobytes("VmHWM:"),
        }
    }

    /// Returns the increase of each field since `before`. The field `peak` is not an increase: it
    /// is the peak memory since the start of the process.
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

/// Returns the numbers of minor and major page faults in a file `stat` of `/proc`.
pub fn faults(stat: &str) -> Option<[u64; 2]> {
    let text = std::fs::read_to_string(stat).ok()?;
    // The numeric fields follow the name of the program, which is in parentheses and may contain
    // spaces.
    let fields = text.rsplit(')').next()?;
    let field = |number| fields.split_whitespace().nth(number)?.parse().ok();
    Some([field(7)?, field(9)?])
}

/// Returns the number of bytes of memory that programs can still allocate, or `None` if the
/// operating system does not report this number.
pub fn available() -> Option<u64> {
    of_system("MemAvailable:")
}

/// Returns a size in `/proc/meminfo` in bytes.
pub fn of_system(name: &str) -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    Some(number(&text, name)?.saturating_mul(1024))
}

/// Returns the number after `name` in the first line that starts with `name`.
fn number(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Drops a file from the page cache, except pages that are mapped and were accessed by a process.
/// Returns `false` if the operating system has no call to drop a file from the page cache.
#[cfg(target_os = "linux")]
pub fn evict(path: &Path) -> std::io::Result<bool> {
    use rustix::fs::{Advice, fadvise};
    let file = std::fs::File::open(path)?;
    // Modified pages that are not yet written to the disk would stay in the page cache.
    file.sync_all()?;
    fadvise(&file, 0, None, Advice::DontNeed)?;
    Ok(true)
}

/// Advises the operating system that a file will be read in order, which makes reading a file that
/// is not in the page cache faster. If the advice fails, reading is only slower.
#[cfg(target_os = "linux")]
pub fn advise_in_order(file: &std::fs::File) {
    let _ = rustix::fs::fadvise(file, 0, None, rustix::fs::Advice::Sequential);
}

/// Returns the number of bytes that the current user can still write to the file system of
/// `folder`.
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

#[cfg(not(target_os = "linux"))]
pub const fn advise_in_order(_: &std::fs::File) {}

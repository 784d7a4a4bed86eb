//! What a process takes: memory, page faults and bytes from the disk, as Linux tells them; and putting files out of the page
//! cache.

use std::path::Path;

/// What a process has taken; nothing where the system does not tell.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    /// Bytes of memory that no file backs.
    pub anonymous: Option<u64>,
    /// Bytes of memory that files back, of which the system may take back any.
    pub file: Option<u64>,
    /// Page faults, with and without the disk.
    pub faults: Option<u64>,
    /// Those that the disk was waited for in.
    pub major: Option<u64>,
    /// Bytes from the disk.
    pub read: Option<u64>,
    /// The most bytes of memory that the process ever had.
    pub peak: Option<u64>,
}

impl Usage {
    /// Returns what this process has taken.
    pub fn now() -> Self {
        let text = |name| std::fs::read_to_string(name).unwrap_or_default();
        // Last what looking itself adds to.
        let (status, io, stat) = (text("/proc/self/status"), text("/proc/self/io"), text("/proc/self/stat"));
        let kilobytes = |name| Some(number(&status, name)?.saturating_mul(1024));
        let [minor, major] = [7, 9].map(|field| {
            // Behind the program's name, which may have spaces in it.
            stat.rsplit(')').next()?.split_whitespace().nth(field)?.parse::<u64>().ok()
        });
        Self {
            anonymous: kilobytes("RssAnon:"),
            // A file of a file system in memory counts as shared.
            file: kilobytes("RssFile:").map(|file| file.saturating_add(kilobytes("RssShmem:").unwrap_or_default())),
            faults: minor.zip(major).map(|(minor, major)| minor.saturating_add(major)),
            major,
            read: number(&io, "read_bytes:"),
            peak: kilobytes("VmHWM:"),
        }
    }

    /// Returns what was taken since; of the peak, the whole.
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

/// Returns how many bytes of memory programs can have.
pub fn available() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    Some(number(&text, "MemAvailable:")?.saturating_mul(1024))
}

/// Returns the number that stands behind a name at the start of a line.
fn number(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Puts a file out of the page cache; what somebody has mapped and looked at stays. `false` where the system has no such call.
#[cfg(target_os = "linux")]
pub fn evict(path: &Path) -> std::io::Result<bool> {
    use rustix::fs::{Advice, fadvise};
    let file = std::fs::File::open(path)?;
    // What is not on the disk yet stays in the cache.
    file.sync_all()?;
    fadvise(&file, 0, None, Advice::DontNeed)?;
    Ok(true)
}

/// Returns the bytes that a folder's disk has left for this user.
#[cfg(target_os = "linux")]
pub fn free(folder: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(folder).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

#[cfg(not(target_os = "linux"))]
#[allow(clippy::unnecessary_wraps, reason = "where there is such a call, it may fail")]
pub fn evict(_: &Path) -> std::io::Result<bool> {
    Ok(false)
}

#[cfg(not(target_os = "linux"))]
pub fn free(_: &Path) -> Option<u64> {
    None
}

//! Counts the bytes that the process has read and mapped, as the system counts them.

use std::fs;

/// A count of the bytes that the process has read since a moment.
///
/// The bytes of mapped files are those of the pages that became part of the process. If pages are
/// released meanwhile, they still count. On systems without `/proc`, nothing is counted.
#[derive(Debug)]
pub struct ProcessIo {
    /// The bytes of mapped files that are part of the process.
    mapped: u64,
    /// The bytes that were read with system calls, at the start.
    read_before: u64,
    /// The sum of all increases of `mapped`.
    increases: u64,
    read_since: u64,
}

impl ProcessIo {
    /// Starts to count.
    pub fn start() -> Self {
        Self { mapped: mapped(), read_before: read_bytes(), increases: 0, read_since: 0 }
    }

    /// Takes a sample. The samples must be frequent enough that no pages come and go between them.
    pub fn sample(&mut self) {
        let mapped = mapped();
        self.increases = self.increases.saturating_add(mapped.saturating_sub(self.mapped));
        self.mapped = mapped;
        self.read_since = read_bytes().saturating_sub(self.read_before);
    }

    /// Returns the number of bytes that were read until the last sample.
    pub const fn read(&self) -> u64 {
        self.increases.saturating_add(self.read_since)
    }
}

/// Returns the size of the pages of mapped files that are part of the process.
fn mapped() -> u64 {
    let text = fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = text.split(' ').nth(2).and_then(|pages| pages.parse::<u64>().ok());
    pages.unwrap_or_default().saturating_mul(page_size())
}

/// Returns the size of a page in the counts of the system.
fn page_size() -> u64 {
    #[cfg(unix)]
    return u64::try_from(rustix::param::page_size()).unwrap_or_default();
    #[cfg(not(unix))]
    0
}

/// Returns the number of bytes that the process has read with system calls.
fn read_bytes() -> u64 {
    let text = fs::read_to_string("/proc/self/io").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("rchar: "));
    line.and_then(|count| count.parse().ok()).unwrap_or_default()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn counts_what_is_read() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), vec![1; 8 << 20]).unwrap();
        let mut io = ProcessIo::start();
        let bytes = fs::read(file.path()).unwrap();
        io.sample();
        assert!(io.read() >= 8 << 20, "{} of {}", io.read(), bytes.len());
    }
}

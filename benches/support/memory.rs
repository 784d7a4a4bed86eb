//! Memory statistics of the system: the pages of this process, the pages of a file in the cache,
//! and page faults. They are available on Linux only. On other systems, the functions return
//! `None`, and `evict` does nothing.
#![allow(
    dead_code,
    unsafe_code,
    clippy::unwrap_used,
    clippy::as_conversions,
    clippy::cast_precision_loss,
    clippy::unnecessary_wraps,
    reason = "each bench uses only a part of it, these are system calls, and a panic is how a bench fails"
)]

#[path = "../../src/program/bench/memory.rs"]
mod program;

use std::path::{Path, PathBuf};
use std::process::Command;

use program::Usage;

use super::claims::{Bar, claim, skipped};

/// The variables with the file that a child process opens, and with the loader that it uses.
const CHILD: [&str; 2] = ["MESHPEEK_BENCH_FILE", "MESHPEEK_BENCH_LOADER"];

/// Returns the file and the loader of a child process of [`claim_growth`].
pub fn child() -> Option<(PathBuf, String)> {
    let [path, loader] = CHILD.map(std::env::var);
    Some((path.ok()?.into(), loader.ok()?))
}

/// Prints the growth of this process in bytes after opening a file, while the file is still open.
pub fn print_growth<T>(open: impl FnOnce() -> T) {
    anonymous();
    let before = anonymous();
    let opened = std::hint::black_box(open());
    println!("{}", anonymous().zip(before).map_or("unknown".into(), |(now, before)| (now - before).to_string()));
    drop(opened);
}

/// Measures each loader in a new process, in which no freed memory can be reused.
pub fn claim_growth(path: &Path, loaders: [(&str, Bar); 2]) {
    for (loader, bar) in loaders {
        let what = format!("grows anonymous memory (RssAnon) by, {loader}");
        let child = Command::new(std::env::current_exe().unwrap());
        let growth = { child }.env(CHILD[0], path).env(CHILD[1], loader).output().unwrap();
        match String::from_utf8(growth.stdout).unwrap().trim().parse::<f64>() {
            Ok(growth) => drop(claim(&what, growth / 1e6, "MB", bar)),
            Err(_) => skipped(&what, "the system does not report it"),
        }
    }
}

/// Returns the bytes of this process that are not backed by a file: its heap and stacks.
pub fn anonymous() -> Option<f64> {
    Usage::now().anonymous.map(|bytes| bytes as f64)
}

/// Returns the maximum number of bytes of memory that this process used at any time, including
/// pages of files.
pub fn peak() -> Option<f64> {
    Usage::now().peak.map(|bytes| bytes as f64)
}

/// Makes the current memory of this process its [`peak`], and returns it in bytes.
pub fn reset_peak() -> Option<f64> {
    std::fs::write("/proc/self/clear_refs", "5").ok()?;
    peak()
}

/// Returns the number of bytes that this process has read from a disk.
pub fn read() -> Option<f64> {
    Usage::now().read.map(|bytes| bytes as f64)
}

/// Returns the number of page faults of this process.
pub fn faults() -> Option<f64> {
    Usage::now().faults.map(|faults| faults as f64)
}

/// Returns the number of free bytes on the disk that contains a folder.
pub fn free(folder: &Path) -> Option<f64> {
    program::free(folder).map(|bytes| bytes as f64)
}

/// Drops a file from the page cache, except pages that a process has mapped and read.
pub fn evict(path: &Path) {
    program::evict(path).unwrap();
}

/// Returns the number of pages of a mapped file that are in the page cache.
#[cfg(target_os = "linux")]
pub fn resident(map: &[u8]) -> Option<f64> {
    let mut pages = vec![0_u8; map.len().div_ceil(rustix::param::page_size())];
    // SAFETY: the slice is a whole mapping, and therefore starts at a page. `pages` has a byte
    // for each page.
    let refused = unsafe { libc::mincore(map.as_ptr().cast_mut().cast(), map.len(), pages.as_mut_ptr().cast()) };
    assert_eq!(refused, 0);
    Some(pages.iter().filter(|page| **page & 1 == 1).count() as f64)
}

/// Returns the maximum number of bytes of memory that a child process used, including pages of
/// files. Only children that have ended count.
#[cfg(target_os = "linux")]
pub fn peak_of_children() -> Option<f64> {
    // SAFETY: the structure consists of integers, for which zero is valid, and the call fills it
    // in.
    let usage = unsafe {
        let mut usage = std::mem::zeroed::<libc::rusage>();
        libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage);
        usage
    };
    Some(usage.ru_maxrss as f64 * 1024.0)
}

#[cfg(not(target_os = "linux"))]
pub fn resident(_: &[u8]) -> Option<f64> {
    None
}

#[cfg(not(target_os = "linux"))]
pub fn peak_of_children() -> Option<f64> {
    None
}

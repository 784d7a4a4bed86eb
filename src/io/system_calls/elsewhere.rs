//! Systems without the calls.

use std::fs::File;
use std::ops::Range;

use crate::io::advice::advise_will_need;

/// Advises the operating system to read `bytes` of a map in the background.
pub(in crate::io) fn advise_mapped(_file: &File, _offset: u64, bytes: &[u8]) {
    advise_will_need(bytes.as_ptr(), bytes.len());
}

/// Returns `None`, because the system does not report the page cache.
pub(in crate::io) fn cached_pages(_file: &File, _range: &Range<usize>) -> Option<u64> {
    None
}

/// Returns `None`, because the system cannot read a page only if it is in memory.
pub(in crate::io) fn is_page_cached(_file: &File, _offset: usize) -> Option<bool> {
    None
}

/// Returns `None`, because the system does not report its page tables.
pub(in crate::io) fn mapped_pages(_bytes: &[u8]) -> Option<u64> {
    None
}

/// Does nothing, because the system has no such call.
pub(in crate::io) fn drop_cache(_file: &File, _range: Range<usize>) {}

/// Does nothing, because the system has no such call.
pub(in crate::io) fn advise_file(_file: &File, _offset: u64, _length: usize) {}

pub(crate) fn lower_thread_priority() {}

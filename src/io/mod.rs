//! File access: mapping and reading files, and advice to the operating system about the next reads.
//!
//! # Why opening a map is `unsafe`
//!
//! A shared reference requires that its bytes do not change. Another process can violate this
//! requirement for a mapped file: the bytes that it writes are visible in the map at once. If
//! another process shortens the file, reading a page that the file no longer has kills this process
//! (SIGBUS). No flag of the mapping prevents either case. The caller therefore has to guarantee
//! that the file does not change, and [`Map::open`] documents this requirement. Callers that cannot
//! guarantee it use [`read`], which is safe and copies the file.
//!
//! The other modules of the crate limit the effect of changed bytes to a wrong value or an error.
//! Records contain only types for which any bits are valid. Names are bytes and not `str`. Every
//! count and every index from a file is checked where it is used.
//!
//! # Advice
//!
//! Unless the file is small, a map is opened with the advice that it is read in random order. The
//! first access to a page then loads only this page, which takes about 50 µs. Without this advice,
//! the read-ahead of the system would load megabytes and take milliseconds. Code that scans a whole
//! array calls [`prefetch`] first. Without this call, the scan would read page by page.
#![allow(
    unsafe_code,
    reason = "mapping a file and advising the system about it are unsafe calls; only this module makes them"
)]

mod advice;
mod huge_pages;
mod map;
mod read;
mod regular_file;

pub use advice::prefetch;
pub use map::{Map, map};
pub use read::{open_stream, read, read_up_to};

pub(crate) use advice::ReadAhead;
pub(crate) use huge_pages::Huge;
pub(crate) use regular_file::{is_own, open_regular};

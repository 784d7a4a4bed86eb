//! The one place that maps files, reads them, and tells the system what will be read next.
//!
//! # Why opening a map is `unsafe`
//!
//! A shared reference promises that its bytes do not change. Another process can break that promise for a mapped file:
//! bytes it writes are visible at once, and where it cuts the file, reading a lost page kills this process (SIGBUS).
//! No flag of the mapping prevents either, so the promise is the caller's, and [`Map::open`] says which. Those who
//! cannot give it call [`read`], which is safe and copies.
//!
//! The rest of the crate is written so that a broken promise about the bytes still gives a wrong value or an error and
//! nothing worse: records hold only types for which any bits are valid, names are bytes and not `str`, and every count
//! and index is checked where it is used.
//!
//! # Advice
//!
//! A map is opened with random-access advice, unless the file is small: a cold touch then costs one page and about 50 µs, where the system's
//! read-ahead would fetch megabytes and take milliseconds. Whoever is about to scan an array says so first, with
//! [`prefetch`]; a scan without it would read page by page.
#![allow(
    unsafe_code,
    reason = "mapping a file and advising the system about it are unsafe calls; this is their only home"
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

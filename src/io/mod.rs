//! File access: memory maps, reading of files, and advice to the operating system about the bytes
//! that will be read next.
//!
//! # Why opening a map is `unsafe`
//!
//! Rust requires that the bytes that a shared reference points to do not change. Another process
//! can change those of a memory-mapped file, because what it writes to the file is visible in the
//! map at once. If another process shortens the file, reading a page that the file no longer has
//! kills this process (SIGBUS). No flag of the `mmap` system call prevents writes to the file or a
//! truncation of the file by another process. The caller of [`Map::open`] therefore has to
//! guarantee that the file does not change. A program that cannot guarantee an unchanged file uses
//! [`read`], which is safe and copies the file to memory.
//!
//! If a mapped file changes nevertheless, the other modules of the crate return a wrong value or an
//! error, without an access out of bounds. The records that the crate reads contain only types for
//! which every bit pattern is allowed. Names that are borrowed from a file are byte slices and not
//! `str`. Every count and every index from a file is checked at each use.
//!
//! A program that cannot rule out that a mapped file is shortened installs the [`guard`]. Reading
//! a lost page then returns zeros, and [`Map::check`] returns an error. [`Map::open_protected`]
//! maps a file without `unsafe` code if the operating system forbids every change of the file.
//!
//! # Files that are replaced
//!
//! [`Map::has_changed`] returns whether the path of a map now leads to another file, for example
//! because a new version was renamed over it. A [`FileStamp`] does the same for a file that was
//! copied to memory.
//!
//! # Advice
//!
//! A file of more than 1 MiB is mapped with the advice that the program reads it in random order. A
//! smaller file is loaded as a whole by the first access to a page that is not in memory (on Linux;
//! on other Unix systems, a file of up to 128 KiB is). In random order, the first access to a page
//! loads only this page from the disk, which takes about 50 µs. Without the advice, the read-ahead
//! of the operating system would load megabytes and take milliseconds. Code that scans an array
//! calls [`prefetch`] first, because the scan would otherwise load the array from the disk page by
//! page. The methods of [`Array`](crate::Array) do so. A program that reads most of a file calls
//! [`Model::prefetch`](crate::Model::prefetch) once, and a program that reads bytes at many places
//! makes a [`PrefetchList`] of them.
#![allow(unsafe_code, reason = "mapping a file, advising the system about it and system calls in a folder are unsafe")]

mod advice;
mod atomic_file;
mod file_bytes;
pub mod guard;
mod map;
mod map_ranges;
mod new_memory;
mod range_source;
mod read;
mod regular_file;
mod residency;
mod system_calls;

pub(crate) use advice::prefetch_all;
pub(crate) use advice::prefetch_file;
pub use advice::{PrefetchList, prefetch};
pub use file_bytes::FileBytes;
#[cfg(all(unix, feature = "cli"))]
pub(crate) use guard::is_signal_ignored;
pub use map::Map;
pub(crate) use new_memory::{Huge, populate};
pub use range_source::{FileSource, RangeRead, RangeSource};
pub use read::{read, read_up_to};
pub use regular_file::FileStamp;
#[cfg(feature = "internals")]
pub use residency::{Residency, ResidencyState};
#[cfg(feature = "internals")]
pub(crate) use system_calls::disable_system_calls;

#[cfg(feature = "internals")]
pub use atomic_file::ExistingFile;
#[cfg(any(feature = "cli", feature = "internals"))]
internal_use!(read::open_stream);
internal_use!(
    residency::Eviction,
    atomic_file::AtomicFile,
    atomic_file::OpenFolder,
    read::read_start,
    read::read_unchanged
);

pub(crate) use advice::{ReadAhead, WalkAhead};
#[cfg(feature = "cli")]
pub(crate) use range_source::read_exact_at;
pub(crate) use regular_file::{is_own, open_in_own_folder, open_regular, open_without_following, regular_metadata};
pub(crate) use system_calls::lower_thread_priority;

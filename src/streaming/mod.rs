//! Streaming: loads parts of meshes on worker threads, within a budget of memory, while a program
//! draws frames.
//!
//! A [`Streamer`] loads the items of a [`Content`]. There are four contents:
//!
//! | content | item | a resident item is |
//! |---|---|---|
//! | [`MapRegions`] | 64 to 256 KiB of a mapped file | mapped pages, which arrays of the file are read from |
//! | [`PartVertices`] | a [part](MeshParts) of a mesh, in a layout | vertices and indices in a buffer of the program |
//! | [`AssetLevels`] | a level of detail of one of many files | vertices and indices in a buffer of the program |
//! | [`SourceRegions`] | 64 to 256 KiB of any [source](crate::io::RangeSource) | a copy of the bytes |
//!
//! The thread that draws never waits for the disk, for a lock or for an allocation. It chooses what
//! it needs, by [bounding boxes](MeshParts::visit) or by [size on the screen](LevelOfDetail), makes
//! requests with a [`Priority`], and draws what is resident.
//!
//! # How bytes are read
//!
//! For a mapped file, a worker advises the operating system to read the bytes of all new requests
//! in the background (`posix_fadvise`). It then waits until the bytes of a request are in the page
//! cache, by reading them with `pread`. Only then the streamer evicts other items if the budget has
//! no room, and a worker maps the pages by reading a byte of each.
//!
//! None of these calls takes the lock on the address space of the process, for which every `mmap`,
//! `munmap` and large allocation of the program waits. The calls for memory maps take it: with
//! `madvise` and `MADV_POPULATE_READ`, other threads waited 10 times as long.
//!
//! For a page fault, Linux maps up to 64 KiB around the page, or 2 MiB of a file that was just
//! written. The worker then unmaps the pages next to the region that belong to no resident region,
//! as it unmaps evicted regions. The mapped pages of the file are therefore within the budget.
//!
//! | system | difference |
//! |---|---|
//! | Linux before 6.6 | a page fault takes the lock for a moment |
//! | Linux before 6.5 | every byte counts as read from the disk in the statistics, because `cachestat` is missing |
//! | macOS and other Unix systems | `madvise` instead of `posix_fadvise`; every byte counts as read |
//! | Windows | no advice, and evicting a region has no effect: the system alone decides which pages stay in memory |
//!
//! # Levels of detail
//!
//! A Second Life asset stores up to four levels. Pin the coarsest level of each asset near the
//! camera with [`Streamer::request_pinned`], and draw the best level that is resident. A UNIGINE
//! file stores one level: its surfaces and parts are culled and ordered by their boxes.

mod asset_levels;
mod content;
mod items;
mod job;
mod lists;
mod log;
mod map_regions;
mod memory;
mod mesh_parts;
mod missing_bytes;
mod part_vertices;
mod pool;
mod projected_size;
mod region_grid;
mod request;
mod scheduler;
mod slots;
mod streamer;
#[cfg(test)]
mod test_content;
#[cfg(test)]
mod tests;
mod vertex_buffers;

pub use asset_levels::AssetLevels;
pub use content::Content;
pub use items::Lease;
#[cfg(feature = "internals")]
pub use log::{Clock, ManualClock, SystemClock};
pub use log::{Statistics, Work};
pub use map_regions::{MapRegions, SourceRegions};
pub use mesh_parts::{MeshPart, MeshParts};
pub use part_vertices::PartVertices;
pub use projected_size::LevelOfDetail;
pub use request::{ItemRange, Priority, Slot, StreamEvent, StreamOutcome};
pub use streamer::{StreamOptions, Streamer};
pub use vertex_buffers::{BufferSizes, BufferTarget, Buffers, Draw, MemoryTarget};

//! The stored index of a mesh file, in a separate file (a sidecar) that can also be memory-mapped.
//!
//! A sidecar stores byte offsets, checkpoints and query trees. Computing them without a sidecar
//! would require reading large ranges of the mesh file.
//!
//! | content | formats | saved work |
//! |---|---|---|
//! | the start of each section | UNIGINE ms10 to ms13, `.anim` | the walk over all weights and keys before it |
//! | the end of the weights, and a block for each 64 lists | UNIGINE ms10 to ms13, `.anim` | the walk over the weights of a surface |
//! | the results of a walk over the keys of an animation, and its checkpoints | UNIGINE, embedded and `.anim` | that walk |
//! | a tree over the triangles of each surface that has 1,024 or more | all but Unreal | [building it](crate::query) |
//!
//! [`open_mapped`](crate::open_mapped) uses the sidecar of a mesh.
//! [`OpenOptions::open_indexed`](crate::OpenOptions::open_indexed) and
//! [`open_mapped_indexed`](crate::OpenOptions::open_mapped_indexed) also write one if there is none.
//! Opening a mesh in any other way never writes a sidecar. A sidecar only saves time and
//! is never required for a correct result. If the content of a sidecar is missing or damaged, or
//! belongs to another mesh file, the needed offsets, checkpoints and query trees are computed from
//! the mesh file.
//!
//! # Verification
//!
//! A sidecar contains the identity of its mesh file: the file size, the times of modification and
//! status change, the device and inode number, and a hash of the mesh header. If one of
//! these identity values is compared and differs between the sidecar and the mesh file, the sidecar
//! is ignored. Each page of a sidecar has a checksum, which is tested when the page is first read.
//! Every number in a sidecar is checked against its allowed range before use. For each offset that
//! a sidecar stores, the bytes of the mesh file at this offset are compared with the sidecar, such
//! as the first bytes of a section or the number of bone weights of a vertex.
//!
//! A sidecar in the cache folder of the user that no other user can write to is used if its
//! identity and its checksums are correct ([`Trust::Trusted`]). A sidecar outside the cache folder,
//! or one that another user can write to, may be malicious ([`Trust::Untrusted`]). When an
//! untrusted sidecar is first used, all its records except the query trees are also computed from
//! the mesh file, for comparison. The untrusted sidecar is used only if its records are equal to
//! the computed records. Comparing an untrusted sidecar with the mesh file takes longer than
//! reading the mesh without a sidecar. The query trees of an untrusted sidecar are checked and not
//! computed again: each triangle has to be in exactly one leaf, and within all bounding boxes on
//! the path from the root to this leaf.
//!
//! If a program writes to the mesh file through a memory map, the size and the times of the mesh
//! file may stay unchanged. Such a change is not detected (see
//! [`Map::check`](crate::io::Map::check)), and an older sidecar still matches the file.
//!
//! # The file
//!
//! A sidecar consists of little-endian pages of 4,096 bytes: 4,088 bytes of content, and the XXH3
//! hash of the content with the page number as seed. Every record lies completely in one page. The
//! first page contains the header: the magic number, the version, the key of the mesh file, and for
//! each kind of record the number of records, the size of a record and the index of its first page.
//! The record of a query tree contains the page indices of the tree nodes. If the sidecar also
//! stores its triangle order, the record contains the page indices of that. Blobs (byte sequences
//! of any length), such as the key frames of a checkpoint, follow the last page. The record that
//! refers to a blob contains the hash of the blob.

mod builder;
mod layout;
mod location;
mod records;

pub(crate) use location::Found;
pub use location::{SidecarCache, adjacent_path};
pub use records::{Sidecar, Trust};

internal_use!(builder::Builder, location::Key, layout::Kind, records::RecordSlice);
#[cfg(any(feature = "cli", feature = "internals"))]
internal_use!(layout::MAGIC);

pub(crate) use builder::{failed, write_page};
pub(crate) use layout::{NUMBERS, PAGE, ROOM, hash_page};
pub(crate) use records::SidecarSlot;

//! The persisted index of a mesh file, in a separate file (a sidecar) that is also memory-mapped.
//!
//! A sidecar stores results that otherwise require reading large ranges of the mesh file.
//!
//! | content | formats | saved work |
//! |---|---|---|
//! | the start of each section | UNIGINE ms10 to ms13, `.anim` | the walk over all weights and keys before it |
//! | the end of the weights, and a block for each 64 lists | UNIGINE ms10 to ms13, `.anim` | the walk over the weights of a surface |
//! | the results of a walk over the keys of an animation, and its checkpoints | UNIGINE, embedded and `.anim` | that walk |
//! | the start of every 64th vertex in a block of text | EZ-Mesh text | unfolding the block for one vertex |
//! | a tree over the triangles of each surface that has 1,024 or more | all but Unreal | [building it](crate::query) |
//!
//! Only [`Builder`] makes a sidecar, and reading a mesh never makes one. A sidecar is never
//! required for a correct result. If the content of a sidecar is missing or damaged, or belongs to
//! another mesh file, it is ignored and the result is computed from the mesh file.
//!
//! # Verification
//!
//! A sidecar contains the identity of its mesh file: the size, the times, the device and inode
//! number, and a hash of the header ([`Key`]). If one of these values differs, the sidecar is not
//! used at all. Each page of a sidecar has a checksum, which is tested when the page is first read.
//! Every number in a sidecar is bounded before use. Each offset into the mesh file is compared with
//! the bytes at this offset, such as the first bytes of a section or the length of a weight list.
//!
//! These checks are sufficient for a sidecar in the cache folder of the user ([`Trust::Trusted`]).
//! A sidecar from another folder may have been made to deceive ([`Trust::Untrusted`]). When an
//! untrusted sidecar is first used, all its content is also computed from the mesh file. The
//! sidecar is used only if both agree completely, which takes longer than not using it. A tree is
//! not built again. Instead, the nodes of the tree are checked: each triangle has to be in exactly
//! one leaf, and within all bounding boxes on the path from the root to this leaf.
//!
//! If another mapping writes to the mesh file, the size and times of the file may stay unchanged.
//! Such a change cannot be detected ([`Map::check`](crate::io::Map::check) has details), so an
//! older sidecar still matches the changed file.
//!
//! # The file
//!
//! A sidecar consists of little-endian pages of 4,096 bytes: 4,088 bytes of content, and the XXH3
//! hash of the content with the page number as seed. Records do not cross pages. The first page is
//! the header: magic number, version and key, and for each kind of record the number of records,
//! their size and their first page. The record of a tree contains the page numbers of its nodes. If
//! the tree stores the order of its triangles, the record also contains the page numbers of this
//! order. After the pages follow blobs, such as the keys of a checkpoint. The hash of a blob is in
//! the record that refers to the blob.
//! hash of a blob is in the record that refers to it.

mod builder;
mod key;
mod layout;
mod location;
mod records;
mod slot;

pub use builder::Builder;
pub use key::Key;
pub use layout::Kind;
pub use location::{Found, adjacent_path, cache_path, find};
pub use records::{RecordSlice, Sidecar, Trust};

pub(crate) use builder::{failed, write_page};
pub(crate) use layout::{NUMBERS, PAGE, ROOM, hash, hash_page};
pub(crate) use slot::SidecarSlot;

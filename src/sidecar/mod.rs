//! The persisted index: what finding things again would cost a walk, in a file of its own that is mapped beside the mesh.
//!
//! | what it holds | of | spares |
//! |---|---|---|
//! | where each section starts | UNIGINE ms10 to ms13, `.anim` | the walk over all weights and keys before it |
//! | where weights end, and a block for each 64 lists | the same | the walk over a surface's weights |
//! | what a walk over an animation's keys found, and its checkpoints | UNIGINE, embedded and `.anim` | that walk |
//! | where every 64th vertex of a block of text starts | EZ-Mesh text | unfolding the block for one vertex |
//! | a tree over the triangles of each surface that has 1,024 or more | all but Unreal | [building it](crate::query) |
//!
//! Nothing but [`Builder`] makes one, and reading never does. It is never needed for a right answer: what is missing,
//! damaged or of another file is passed over, and found the other way.
//!
//! # What is believed
//!
//! A sidecar names the file that it speaks for: its size, its times, its place in the file system, and a hash of its header
//! ([`Key`]). Where one of them differs, it is not used at all. Each of its pages has a checksum, tested when the page is
//! first looked at. Every number in it is bounded where it is used, and what it says of a place in the file is compared
//! with what is there: the first bytes of a section, the count of a list of weights.
//!
//! That is enough for one that lies in the user's own cache ([`Trust::Trusted`]). One from anywhere else may have been made to
//! deceive ([`Trust::Untrusted`]): when it is first asked, all that it says is worked out from the file, too, and it is used
//! only where both agree in everything, which takes longer than doing without. A tree is not built again, but walked: each triangle
//! has to be in one leaf, and within all boxes on the way to it.
//!
//! Nothing can be done about a write through somebody's own mapping of the file, which leaves its size and times alone
//! ([`Map::check`](crate::io::Map::check) says more): a sidecar made before still speaks for that file.
//!
//! # The file
//!
//! Pages of 4,096 bytes, little-endian: 4,088 of content, and the XXH3 hash of the content with the page's number as seed.
//! Records do not cross pages. The first page is the header: magic, version, key, and for each kind of record how many there
//! are, their size and first page. The record of a tree says which pages its nodes are, and which the order of its triangles, if it
//! has one. Behind the pages are blobs, such as the keys of a checkpoint, whose hash is in the record
//! that names them.

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

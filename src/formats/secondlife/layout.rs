//! The preamble of a cache file, which is the only record that is not LLSD, and the constants of
//! the format.

use zerocopy::little_endian::U32;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::parse::Element;

/// The name of the format in error messages.
pub(crate) const FORMAT: &str = "secondlife";

/// The number of bytes that a network client requests from the start of an asset to get the header.
/// A client cannot read a header that is longer than this number of bytes.
pub const USUAL_PREFIX: u64 = 4096;
/// The maximum number of submeshes in a level of detail. Each submesh has one material.
pub const MAX_SUBMESHES: usize = 8;
/// The maximum number of vertices per submesh that importers allow. The 16-bit vertex indices could
/// address one vertex more.
pub const MAX_VERTICES: usize = 65_535;
/// The maximum number of skeleton joints that a viewer can bind a mesh to.
pub const MAX_JOINTS: usize = 110;
/// The maximum number of convex hulls in a collision shape.
pub const MAX_HULLS: usize = 256;
/// The maximum number of joints that influence a vertex.
pub const MAX_INFLUENCES: usize = 4;
/// The highest version number that this crate reads.
pub const HIGHEST_VERSION: i32 = 999;
/// The minimum and maximum that position codes are scaled to on each axis if the submesh has no
/// `PositionDomain`.
pub const DEFAULT_DOMAIN: [f32; 2] = [-0.5, 0.5];

/// The element of a region that holds a zlib stream: one byte.
pub(crate) const ZLIB: Element = Element::new("zlib", 1, 1);
/// The element of a region whose bytes have no meaning: one byte.
pub(crate) const BYTE: Element = Element::new("u8", 1, 1);
/// The element of a region that holds an LLSD tree: one byte.
pub(crate) const LLSD: Element = Element::new("llsd", 1, 1);
/// The element of a region that holds a number of the cache preamble: a little-endian `u32`.
pub(crate) const LITTLE_U32: Element = Element::new("u32", 4, 4);

/// Size in bytes of three 16-bit numbers: the vertex indices of a triangle, or the codes of a
/// position.
pub(crate) const TRIPLE: usize = 6;

/// The record that a viewer's disk cache writes before an asset.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct RawPreamble {
    /// Version of the cache file format: 1.
    pub version: U32,
    /// Size of the asset's header, in bytes.
    pub header_size: U32,
    /// Bit set of the blocks that the viewer fetched
    /// ([`AssetPart::cache_flag`](super::AssetPart::cache_flag)).
    ///
    /// The cache file contains zero bytes at the offsets of all blocks that were not fetched.
    pub flags: U32,
}

const _: () = assert!(size_of::<RawPreamble>() == 12);

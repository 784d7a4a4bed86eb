//! The constants of the Second Life mesh format, and the 12-byte preamble of a viewer's cache file.
//! The preamble of a viewer's cache file is the only record of the mesh format that is not LLSD.

use zerocopy::little_endian::U32;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::region_values::header_value;
use super::validate::rules::rule_of;
use crate::error::FormatName;
use crate::parse::ElementType;

/// The name of the Second Life mesh format in error messages.
pub(crate) const FORMAT: &FormatName = &FormatName::new("secondlife", rule_of).with_inflated(INFLATED);
/// The text before and after the offset of an inflated byte, at the end of a finding.
pub(super) const INFLATED: [&str; 2] = [" (inflated byte ", ")"];

/// The number of bytes that a network client requests from the start of an asset to get the header.
/// A network client cannot read a header that is longer than 4096 bytes.
pub const USUAL_PREFIX: u64 = 4096;
/// The maximum number of submeshes in a level of detail. Each submesh has one material.
pub const MAX_SUBMESHES: usize = 8;
/// The maximum number of vertices per submesh that importers allow. Without the limit of the
/// importers, 16-bit vertex indices could address 65,536 vertices.
pub const MAX_VERTICES: usize = 65_535;
/// The maximum number of skeleton joints that a viewer accepts in the skin of one mesh.
pub const MAX_JOINTS: usize = 110;
/// The maximum number of convex hulls in a collision shape.
pub const MAX_HULLS: usize = 256;
/// The maximum number of joints that influence one vertex.
#[cfg(any(feature = "cli", feature = "internals"))]
pub const MAX_INFLUENCES: usize = 4;
/// The highest asset format version that this crate reads.
pub const HIGHEST_VERSION: i32 = 999;
/// The minimum and maximum coordinate of the decoded positions on each axis, for a submesh without
/// `PositionDomain`.
pub const DEFAULT_DOMAIN: [f32; 2] = [-0.5, 0.5];

/// The element type of file regions that hold a zlib stream: one byte.
pub(crate) const ZLIB: ElementType = ElementType::new("zlib", 1, 1);
/// The element type of file regions whose bytes are not decoded, such as gaps between blocks: one
/// byte.
pub(crate) const BYTE: ElementType = ElementType::U8;
/// The element type of file regions that hold LLSD values: one byte.
pub(crate) const LLSD: ElementType =
    ElementType::new("llsd", 1, 1).decoded_by(|here| here.item(|_, _| header_value(here)));
/// The element type of file regions that hold an integer of the cache preamble: a little-endian
/// `u32`.
pub(crate) const LITTLE_U32: ElementType = ElementType::U32;

/// Size in bytes of three 16-bit integers: the vertex indices of a triangle, or the encoded
/// coordinates of a position.
pub(crate) const TRIPLE: usize = 6;

/// The record of 12 bytes before the asset in a file of a viewer's disk cache.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct RawPreamble {
    /// Version of the cache file format: always 1.
    pub version: U32,
    /// Size of the asset's header, in bytes.
    pub header_size: U32,
    /// Bit set of the blocks that the viewer has fetched over the network
    /// ([`AssetPart::cache_flag`](super::AssetPart::cache_flag)).
    ///
    /// The cache file contains zero bytes in place of each block that the viewer has not fetched.
    pub flags: U32,
}

const _: () = assert!(size_of::<RawPreamble>() == 12);

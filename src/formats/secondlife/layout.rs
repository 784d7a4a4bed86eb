//! The one record that is not LLSD, and the constants of the format.

use zerocopy::little_endian::U32;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::parse::Element;

/// The format's name in errors.
pub(crate) const FORMAT: &str = "secondlife";

/// Bytes that a client asks for to get the header: a longer header is out of its reach.
pub const USUAL_PREFIX: u64 = 4096;
/// The most materials, and so submeshes, of a mesh.
pub const MAX_SUBMESHES: usize = 8;
/// The most vertices of a submesh that importers allow. Indices would reach one further.
pub const MAX_VERTICES: usize = 65_535;
/// The most joints that a viewer binds a mesh to.
pub const MAX_JOINTS: usize = 110;
/// The most hulls of a collision shape.
pub const MAX_HULLS: usize = 256;
/// The most influences on a vertex.
pub const MAX_INFLUENCES: usize = 4;
/// The highest version that is this format.
pub const HIGHEST_VERSION: i32 = 999;
/// The interval of a domain that is left out.
pub const DEFAULT_DOMAIN: [f32; 2] = [-0.5, 0.5];

/// A zlib stream.
pub(crate) const ZLIB: Element = Element::new("zlib", 1, 1);
/// A byte that means nothing.
pub(crate) const BYTE: Element = Element::new("u8", 1, 1);
/// Part of an LLSD tree.
pub(crate) const LLSD: Element = Element::new("llsd", 1, 1);
/// A number of the cache preamble.
pub(crate) const LITTLE_U32: Element = Element::new("u32", 4, 4);

/// Bytes of a triangle's indices, and of a position's codes.
pub(crate) const TRIPLE: usize = 6;

/// What stands in front of an asset in a viewer's disk cache.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct RawPreamble {
    /// 1.
    pub version: U32,
    /// Bytes of the asset's header.
    pub header_size: U32,
    /// Which blocks were fetched ([`AssetPart::cache_flag`](super::AssetPart::cache_flag)); the others' bytes are 0.
    pub flags: U32,
}

const _: () = assert!(size_of::<RawPreamble>() == 12);

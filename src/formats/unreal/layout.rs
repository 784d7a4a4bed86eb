//! The raw records and the constants of the file format of Unreal vertex meshes. All numbers in the
//! headers and polygons of the files are little-endian and unsigned.

use zerocopy::little_endian::U16;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::validate::rules::rule_of;
pub use crate::decode::polygon::RawPolygon;
use crate::error::FormatName;
use crate::parse::ElementType;

/// The format names of the data file, the aniv file and the script in error messages.
pub(crate) const DATA: &FormatName = &FormatName::new("unreal data", rule_of);
pub(crate) const ANIV: &FormatName = &FormatName::new("unreal aniv", rule_of);
pub(crate) const SCRIPT: &str = "unreal script";

/// The header of a data file: 48 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct RawDataHeader {
    /// The number of triangles.
    pub polygons: U16,
    /// The number of vertices of each animation frame.
    pub vertices: U16,
    /// The 44 bytes of the data file's header that no known program reads. The published page of
    /// the format describes them as a rotation, a frame number, a normal and a scale. In many
    /// files, the unused bytes of the header are 0. In others, they are uninitialised memory of the
    /// program that exported the file.
    pub unused: [u8; UNUSED],
}

const _: () = assert!(size_of::<RawDataHeader>() == 48);

/// The number of unused bytes in the header of a data file.
pub const UNUSED: usize = 44;

/// The header of an aniv file: 4 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct RawAnivHeader {
    /// The number of animation frames.
    pub frames: U16,
    /// The size of each animation frame, in bytes.
    pub frame_size: U16,
}

const _: () = assert!(size_of::<RawAnivHeader>() == 4);

/// The storage format of the vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// In the classic format, a vertex is a 32-bit word with 11, 11 and 10 bits for x, y and z.
    /// Unreal and Unreal Tournament use the classic format.
    Classic,
    /// In the Deus Ex format, a vertex has 64 bits: three 16-bit integers and a padding field. Deus
    /// Ex and other Ion Storm games use this 64-bit format.
    DeusEx,
    /// In the prototype format, a vertex is a 32-bit word as in the classic format, but each
    /// animation frame has two more vertices: the minimum and maximum corners of the bounding box
    /// of the frame. The prototype format is documented, but no file in the prototype format is
    /// known.
    Prototype,
}

impl Variant {
    /// Returns the display name of the storage format, such as `classic`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Classic => "classic",
            Self::DeusEx => "deusex64",
            Self::Prototype => "prototype",
        }
    }

    /// Returns whether a vertex is stored as a 32-bit word with 11, 11 and 10 bits for x, y and z.
    #[must_use]
    pub const fn is_packed(self) -> bool {
        matches!(self, Self::Classic | Self::Prototype)
    }

    /// Returns the size of a stored vertex, in bytes.
    #[must_use]
    pub const fn vertex_size(self) -> u32 {
        match self {
            Self::Classic | Self::Prototype => 4,
            Self::DeusEx => 8,
        }
    }

    /// Returns the number of vertices that a frame has in addition to the vertices of the mesh: 2
    /// for the bounding box of a prototype frame, and otherwise 0.
    #[must_use]
    pub const fn extra_vertices(self) -> u32 {
        match self {
            Self::Classic | Self::DeusEx => 0,
            Self::Prototype => 2,
        }
    }

    /// Returns the size of a frame with the given number of vertices, in bytes. The frame size may
    /// exceed the range of the 16-bit field in the header of the aniv file.
    #[must_use]
    pub const fn frame_size(self, vertices: u32) -> u64 {
        widen(vertices.saturating_add(self.extra_vertices())).saturating_mul(widen(self.vertex_size()))
    }

    /// Returns the scale factor of each axis that converts stored integers to the units of the
    /// mesh's author. In the units of the author, a cube of 256 units per side contains every
    /// vertex.
    #[must_use]
    pub const fn author_scale(self) -> [f32; 3] {
        match self {
            Self::Classic | Self::Prototype => [0.125, 0.125, 0.25],
            Self::DeusEx => [1.0 / 256.0; 3],
        }
    }

    /// Returns the element type of the byte regions that contain stored vertices.
    pub(crate) const fn element(self) -> ElementType {
        match self {
            Self::Classic | Self::Prototype => ElementType::PACKED_32,
            Self::DeusEx => ElementType::PACKED_64,
        }
    }
}

#[allow(clippy::as_conversions, reason = "widening; `u64::from` is not const")]
const fn widen(number: u32) -> u64 {
    number as u64
}

/// The drawing style of a polygon: the low three bits of its type byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Style {
    /// Style 0: the polygon is opaque, and visible from the front side only.
    Normal,
    /// Style 1: the polygon is opaque, and visible from both sides.
    TwoSided,
    /// Style 2: the polygon is translucent (added to the background), and visible from both sides.
    Translucent,
    /// Style 3: the polygon is masked, with holes where the texture has colour 0, and visible from
    /// both sides.
    Masked,
    /// Style 4: the polygon is modulated (multiplied with the background), and visible from both
    /// sides.
    Modulated,
    /// Style 5: the polygon is blended with the background by the alpha of the texture. Only patch
    /// 227 of the game Unreal supports alpha-blended polygons.
    AlphaBlend,
    /// Style 6 or 7: the meaning of these two drawing styles is unknown.
    Unknown(u8),
}

/// The type byte of a polygon: the drawing style in the low three bits, and flags in the upper five
/// bits. The flags can be combined with any drawing style.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct PolygonType(pub u8);

impl PolygonType {
    /// Flag of a triangle that marks a weapon attachment. The engine does not render a triangle
    /// with this flag.
    pub const WEAPON: u8 = 0x08;
    /// Flag of a polygon that is rendered at full brightness.
    pub const UNLIT: u8 = 0x10;
    /// Flag of a polygon with flat shading. The flag for flat shading is also called `curvy`. Later
    /// engines light a flat-shaded polygon by the normal of the polygon's plane.
    pub const FLAT: u8 = 0x20;
    /// Flag of a polygon whose texture is rendered as a reflection of the environment (environment
    /// mapping).
    pub const ENVIRONMENT: u8 = 0x40;
    /// Flag of a polygon whose texture is rendered without filtering.
    pub const NO_SMOOTH: u8 = 0x80;
    /// All flags of a polygon's type byte, each with its display name.
    pub const FLAGS: [(u8, &'static str); 5] = [
        (Self::WEAPON, "weapon"),
        (Self::UNLIT, "unlit"),
        (Self::FLAT, "flat"),
        (Self::ENVIRONMENT, "environment"),
        (Self::NO_SMOOTH, "no-smooth"),
    ];

    /// Returns the drawing style of the polygon, which is in the low three bits of the type byte.
    #[must_use]
    pub const fn style(self) -> Style {
        match self.0 & 7 {
            0 => Style::Normal,
            1 => Style::TwoSided,
            2 => Style::Translucent,
            3 => Style::Masked,
            4 => Style::Modulated,
            5 => Style::AlphaBlend,
            code => Style::Unknown(code),
        }
    }

    /// Returns whether `flag`, such as [`UNLIT`](Self::UNLIT), is set in the type byte.
    #[must_use]
    pub const fn has(self, flag: u8) -> bool {
        self.0 & flag != 0
    }

    /// Returns the display names of the flags that are set in the type byte.
    pub fn flags(self) -> impl Iterator<Item = &'static str> {
        Self::FLAGS.into_iter().filter(move |(flag, _)| self.has(*flag)).map(|(_, name)| name)
    }
}

impl Style {
    /// Returns the display name of the drawing style, such as `two-sided`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::TwoSided => "two-sided",
            Self::Translucent => "translucent",
            Self::Masked => "masked",
            Self::Modulated => "modulated",
            Self::AlphaBlend => "alpha-blend",
            Self::Unknown(_) => "unknown",
        }
    }
}

pub(crate) const U16_COUNT: ElementType = ElementType::U16;
pub(crate) const BYTE: ElementType = ElementType::U8;
pub(crate) const POLYGON: ElementType = ElementType::new("polygon", 16, 2);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_style_and_flags_of_real_bytes() {
        let told = |byte| (PolygonType(byte).style(), PolygonType(byte).flags().collect::<Vec<_>>());
        assert_eq!(told(0), (Style::Normal, vec![]));
        assert_eq!(told(8), (Style::Normal, vec!["weapon"]));
        assert_eq!(told(50), (Style::Translucent, vec!["unlit", "flat"]));
        assert_eq!(told(179), (Style::Masked, vec!["unlit", "flat", "no-smooth"]));
        assert_eq!(told(66), (Style::Translucent, vec!["environment"]));
        assert_eq!(told(7).0, Style::Unknown(7));
    }

    #[test]
    fn sizes_of_frames() {
        assert_eq!(Variant::Classic.frame_size(16_383), 65_532);
        assert_eq!(Variant::DeusEx.frame_size(8_191), 65_528);
        assert_eq!((Variant::Prototype.frame_size(2), Variant::DeusEx.frame_size(2)), (16, 16));
    }
}

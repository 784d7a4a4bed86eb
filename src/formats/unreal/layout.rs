//! Raw records and constants of Unreal's vertex meshes, and nothing else. All numbers are little-endian and unsigned.

use zerocopy::little_endian::U16;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

pub use crate::decode::polygon::RawPolygon;
use crate::parse::Element;

/// The names that errors give the files of a mesh.
pub(crate) const DATA: &str = "unreal data";
pub(crate) const ANIV: &str = "unreal aniv";
pub(crate) const SCRIPT: &str = "unreal script";

/// The start of a data file: 48 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct RawDataHeader {
    /// Triangles.
    pub polygons: U16,
    /// Vertices of each frame.
    pub vertices: U16,
    /// What the published page names and nobody reads: a rotation, a frame number, a normal, a scale. Often 0, sometimes
    /// whatever was in the exporter's memory.
    pub unused: [u8; UNUSED],
}

const _: () = assert!(size_of::<RawDataHeader>() == 48);

/// Bytes of a data file's header that nobody reads.
pub const UNUSED: usize = 44;

/// The start of an aniv file: 4 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct RawAnivHeader {
    /// Frames.
    pub frames: U16,
    /// Bytes of each frame.
    pub frame_size: U16,
}

const _: () = assert!(size_of::<RawAnivHeader>() == 4);

/// How vertices are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// 11, 11 and 10 bits of a 32-bit word: Unreal and Unreal Tournament.
    Classic,
    /// Three 16-bit integers and a pad: Deus Ex and other Ion Storm games.
    DeusEx,
    /// As the classic one, with two vertices more in each frame: its least and its greatest corner. Documented, and in
    /// no file that was ever seen.
    Prototype,
}

impl Variant {
    /// Returns the name that is shown.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Classic => "classic",
            Self::DeusEx => "deusex64",
            Self::Prototype => "prototype",
        }
    }

    /// Tells whether a vertex is a word of 11, 11 and 10 bits.
    #[must_use]
    pub const fn is_packed(self) -> bool {
        matches!(self, Self::Classic | Self::Prototype)
    }

    /// Returns the bytes of a vertex.
    #[must_use]
    pub const fn vertex_size(self) -> u32 {
        match self {
            Self::Classic | Self::Prototype => 4,
            Self::DeusEx => 8,
        }
    }

    /// Returns the vertices that a frame has beyond those of the mesh.
    #[must_use]
    pub const fn extra_vertices(self) -> u32 {
        match self {
            Self::Classic | Self::DeusEx => 0,
            Self::Prototype => 2,
        }
    }

    /// Returns the bytes of a frame of so many vertices, which may be more than a file can say.
    #[must_use]
    pub const fn frame_size(self, vertices: u32) -> u64 {
        widen(vertices.saturating_add(self.extra_vertices())).saturating_mul(widen(self.vertex_size()))
    }

    /// Returns the factor along each axis that makes the units of the mesh's author of stored integers: a box of 256
    /// units a side holds every vertex.
    #[must_use]
    pub const fn author_scale(self) -> [f32; 3] {
        match self {
            Self::Classic | Self::Prototype => [0.125, 0.125, 0.25],
            Self::DeusEx => [1.0 / 256.0; 3],
        }
    }

    /// Returns what a vertex is made of.
    pub(crate) const fn element(self) -> Element {
        match self {
            Self::Classic | Self::Prototype => Element::new("packed 11/11/10", 4, 4),
            Self::DeusEx => Element::new("i16x4", 8, 2),
        }
    }
}

#[allow(clippy::as_conversions, reason = "widening; `u64::from` is not const")]
const fn widen(number: u32) -> u64 {
    number as u64
}

/// How a polygon is drawn: the low three bits of its type byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Style {
    /// 0: opaque, seen from its front only.
    Normal,
    /// 1: opaque, seen from both sides.
    TwoSided,
    /// 2: added to what is behind it, both sides.
    Translucent,
    /// 3: holes where the texture has colour 0, both sides.
    Masked,
    /// 4: multiplied with what is behind it, both sides.
    Modulated,
    /// 5: blended by the texture's alpha. A later patch (227) alone knows it.
    AlphaBlend,
    /// 6 or 7: nobody says what they mean.
    Unknown(u8),
}

/// A polygon's type byte: its style, and flags that go with any style.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct PolygonType(pub u8);

impl PolygonType {
    /// A triangle that marks where a weapon hangs. It is not drawn.
    pub const WEAPON: u8 = 0x08;
    /// Drawn at full brightness.
    pub const UNLIT: u8 = 0x10;
    /// Also called curvy: later engines light it by the normal of its own plane.
    pub const FLAT: u8 = 0x20;
    /// Textured by reflection.
    pub const ENVIRONMENT: u8 = 0x40;
    /// Textured without filtering.
    pub const NO_SMOOTH: u8 = 0x80;
    /// The flags by name.
    pub const FLAGS: [(u8, &'static str); 5] = [
        (Self::WEAPON, "weapon"),
        (Self::UNLIT, "unlit"),
        (Self::FLAT, "flat"),
        (Self::ENVIRONMENT, "environment"),
        (Self::NO_SMOOTH, "no-smooth"),
    ];

    /// Returns the style.
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

    /// Tells whether a flag is set.
    #[must_use]
    pub const fn has(self, flag: u8) -> bool {
        self.0 & flag != 0
    }

    /// Returns the names of the flags that are set.
    pub fn flags(self) -> impl Iterator<Item = &'static str> {
        Self::FLAGS.into_iter().filter(move |(flag, _)| self.has(*flag)).map(|(_, name)| name)
    }
}

impl Style {
    /// Returns the name that is shown.
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

/// The most of each thing that the files can hold.
pub mod most {
    /// Triangles, and also frames: 16 bits count them.
    pub const COUNT: u32 = 65_535;
    /// Vertices of a classic frame: its size in bytes has 16 bits.
    pub const CLASSIC_VERTICES: u32 = 16_383;
    /// Vertices of a Deus Ex frame.
    pub const DEUS_EX_VERTICES: u32 = 8_191;
}

pub(crate) const U16_COUNT: Element = Element::new("u16", 2, 2);
pub(crate) const BYTE: Element = Element::new("u8", 1, 1);
pub(crate) const POLYGON: Element = Element::new("polygon", 16, 2);

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
        assert_eq!(Variant::Classic.frame_size(most::CLASSIC_VERTICES), 65_532);
        assert_eq!(Variant::DeusEx.frame_size(most::DEUS_EX_VERTICES), 65_528);
        assert_eq!((Variant::Prototype.frame_size(2), Variant::DeusEx.frame_size(2)), (16, 16));
    }
}

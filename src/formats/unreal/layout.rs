//! Raw records and constants of Unreal vertex meshes, and nothing else. All numbers in these
//! records are little-endian and unsigned.

use zerocopy::little_endian::U16;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

pub use crate::decode::polygon::RawPolygon;
use crate::parse::Element;

/// The names by which error messages refer to the data file, the aniv file and the script.
pub(crate) const DATA: &str = "unreal data";
pub(crate) const ANIV: &str = "unreal aniv";
pub(crate) const SCRIPT: &str = "unreal script";

/// The header of a data file: 48 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct RawDataHeader {
    /// The number of triangles.
    pub polygons: U16,
    /// The number of vertices of each animation frame.
    pub vertices: U16,
    /// Bytes that no known program reads. The published page of the format gives these bytes names:
    /// a rotation, a frame number, a normal and a scale. The bytes are often 0. Sometimes the bytes
    /// contain uninitialised memory of the program that exported the file.
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
    /// A vertex is a 32-bit word with 11, 11 and 10 bits for x, y and z. Unreal and Unreal
    /// Tournament use this format.
    Classic,
    /// A vertex has three 16-bit integers and a padding field. Deus Ex and other Ion Storm games
    /// use this format.
    DeusEx,
    /// Like the classic format, with two more vertices in each frame: the minimum and maximum
    /// corners of the bounding box of the frame. The prototype format is documented, but no file in
    /// the prototype format is known.
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

    /// Returns whether a vertex is stored as a 32-bit word of 11, 11 and 10 bits.
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

    /// Returns the number of vertices that a frame has in addition to the vertices of the mesh.
    #[must_use]
    pub const fn extra_vertices(self) -> u32 {
        match self {
            Self::Classic | Self::DeusEx => 0,
            Self::Prototype => 2,
        }
    }

    /// Returns the size of a frame with the given number of vertices, in bytes. The size may exceed
    /// the range of the 16-bit field in the file.
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

    /// Returns the element type of a stored vertex, for the description of byte regions.
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

/// The drawing style of a polygon: the low three bits of its type byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Style {
    /// 0: opaque, visible from the front side of the polygon only.
    Normal,
    /// 1: opaque, visible from both sides.
    TwoSided,
    /// 2: translucent, added to the background, visible from both sides.
    Translucent,
    /// 3: masked, with holes where the texture has colour 0, visible from both sides.
    Masked,
    /// 4: modulated, multiplied with the background, visible from both sides.
    Modulated,
    /// 5: blended by the alpha of the texture. Only a later patch of the game (227) supports this
    /// style.
    AlphaBlend,
    /// 6 or 7: the meaning of these styles is unknown.
    Unknown(u8),
}

/// The type byte of a polygon: the drawing style of the polygon, and flags that can be combined
/// with any style.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct PolygonType(pub u8);

impl PolygonType {
    /// Flag of a triangle that marks a weapon attachment. Such a triangle is not drawn.
    pub const WEAPON: u8 = 0x08;
    /// Flag of a polygon that is drawn at full brightness.
    pub const UNLIT: u8 = 0x10;
    /// Flag of a flat polygon, also called curvy. Later engines light such a polygon by the normal
    /// of its own plane.
    pub const FLAT: u8 = 0x20;
    /// Flag of a polygon that is textured by a reflection of the environment.
    pub const ENVIRONMENT: u8 = 0x40;
    /// Flag of a polygon whose texture is drawn without filtering.
    pub const NO_SMOOTH: u8 = 0x80;
    /// All flags of the type byte, each with its display name.
    pub const FLAGS: [(u8, &'static str); 5] = [
        (Self::WEAPON, "weapon"),
        (Self::UNLIT, "unlit"),
        (Self::FLAT, "flat"),
        (Self::ENVIRONMENT, "environment"),
        (Self::NO_SMOOTH, "no-smooth"),
    ];

    /// Returns the drawing style, which is in the low three bits of the type byte.
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

/// The maximum numbers of triangles, frames and vertices that the files can hold.
pub mod most {
    /// The maximum number of triangles, and also of frames: the files store each of the two counts
    /// in 16 bits.
    pub const COUNT: u32 = 65_535;
    /// The maximum number of vertices of a classic frame: the file stores the frame size in bytes
    /// in 16 bits.
    pub const CLASSIC_VERTICES: u32 = 16_383;
    /// The maximum number of vertices of a Deus Ex frame.
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

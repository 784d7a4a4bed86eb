//! Raw records and constants of UNIGINE files, and nothing else. All numbers are little-endian, nothing is aligned.

use zerocopy::little_endian::{F32, I64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::array::{Bounds, Sphere};
use crate::model::Transform;
use crate::parse::Element;

/// A generation of `.mesh`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Generation {
    /// `ms10`: engine 2.0 alpha.
    Ms10,
    /// `ms11`: engine 2.0 to 2.12.
    Ms11,
    /// `ms12`: engine 2.13 to 2.18.
    Ms12,
    /// `ms13`: engine 2.19.
    Ms13,
    /// `ms14`: engine 2.20. Each surface is a compressed block.
    Ms14,
    /// `ms15`: engine 2.21. As ms14, for meshes without bones.
    Ms15,
}

impl Generation {
    /// All of them, the oldest first.
    pub const ALL: [Self; 6] = [Self::Ms10, Self::Ms11, Self::Ms12, Self::Ms13, Self::Ms14, Self::Ms15];

    /// Returns the four bytes that open, divide and close a file.
    #[must_use]
    pub const fn magic(self) -> &'static str {
        match self {
            Self::Ms10 => "ms10",
            Self::Ms11 => "ms11",
            Self::Ms12 => "ms12",
            Self::Ms13 => "ms13",
            Self::Ms14 => "ms14",
            Self::Ms15 => "ms15",
        }
    }

    /// Returns the name that errors give a file of this generation.
    #[must_use]
    pub const fn format(self) -> &'static str {
        match self {
            Self::Ms10 => "unigine ms10",
            Self::Ms11 => "unigine ms11",
            Self::Ms12 => "unigine ms12",
            Self::Ms13 => "unigine ms13",
            Self::Ms14 => "unigine ms14",
            Self::Ms15 => "unigine ms15",
        }
    }

    /// Tells whether the file has a list of embedded animations.
    #[must_use]
    pub const fn has_animations(self) -> bool {
        matches!(self, Self::Ms10 | Self::Ms11 | Self::Ms12)
    }

    /// Tells whether each surface is a block by itself, compressed or not, with a spatial tree and a place in a table.
    #[must_use]
    pub const fn is_compressed(self) -> bool {
        matches!(self, Self::Ms14 | Self::Ms15)
    }

    /// Tells whether the file has bones, and lists of weights. What moved to another kind of file in ms15.
    #[must_use]
    pub const fn has_bones(self) -> bool {
        !matches!(self, Self::Ms15)
    }

    /// Tells whether a surface may have several shapes.
    #[must_use]
    pub const fn has_targets(self) -> bool {
        !matches!(self, Self::Ms15)
    }

    /// Tells whether each surface has the two lightmap bytes.
    #[must_use]
    pub const fn has_lightmap(self) -> bool {
        !matches!(self, Self::Ms10 | Self::Ms11)
    }

    /// Returns what a tangent frame is made of.
    #[must_use]
    pub(crate) const fn frame(self) -> Element {
        match self {
            Self::Ms10 => FRAME_7,
            _ => FRAME_8,
        }
    }
}

/// A generation of `.anim`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AnimationGeneration {
    /// `an10`: engine 2.0 to 2.18. Quantized, and each frame tells only what changed.
    An10,
    /// `an11`: engine 2.19. Floats, and each frame tells all that is not the default.
    An11,
    /// `an12`: engine 2.20. As an11, with the skeleton's name and a rate.
    An12,
    /// `an13`: engine 2.21. As an12, with twelve bytes more that nobody has explained.
    An13,
}

impl AnimationGeneration {
    /// All of them, the oldest first.
    pub const ALL: [Self; 4] = [Self::An10, Self::An11, Self::An12, Self::An13];

    /// Returns the four bytes that open, divide and close a file.
    #[must_use]
    pub const fn magic(self) -> &'static str {
        match self {
            Self::An10 => "an10",
            Self::An11 => "an11",
            Self::An12 => "an12",
            Self::An13 => "an13",
        }
    }

    /// Returns the name that errors give a file of this generation.
    #[must_use]
    pub const fn format(self) -> &'static str {
        match self {
            Self::An10 => "unigine an10",
            Self::An11 => "unigine an11",
            Self::An12 => "unigine an12",
            Self::An13 => "unigine an13",
        }
    }

    /// Tells whether positions and scales are quantized, and frames tell only what changed.
    #[must_use]
    pub const fn is_quantized(self) -> bool {
        matches!(self, Self::An10)
    }

    /// Tells whether the file says where each bone rests.
    #[must_use]
    pub const fn has_binds(self) -> bool {
        matches!(self, Self::An10 | Self::An11)
    }

    /// Tells whether the file names the skeleton that it was made for, and a rate.
    #[must_use]
    pub const fn has_skeleton(self) -> bool {
        !self.has_binds()
    }

    /// Returns how many bytes stand between the rate and the inner magic: a flag, and in an13 twelve that are unknown.
    #[must_use]
    pub const fn tail(self) -> u32 {
        match self {
            Self::An10 | Self::An11 => 0,
            Self::An12 => 1,
            Self::An13 => 13,
        }
    }
}

/// A box that quantized values lie in, as stored: not its corners, but one and a size.
#[derive(Clone, Copy, Debug, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct RawBox {
    /// Least x, y, z.
    pub min: [F32; 3],
    /// How much more the greatest code stands for, along x, y, z.
    pub size: [F32; 3],
}

/// What stands in front of a block's bytes.
#[derive(Clone, Copy, Debug, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct RawFrame {
    /// Bytes of what the block holds.
    pub raw: I64,
    /// Bytes of the block in the file: as many where it is stored verbatim.
    pub stored: I64,
}

const _: () = assert!(size_of::<RawBox>() == 24);
const _: () = assert!(size_of::<RawFrame>() == 16);

/// A box and a sphere, as stored.
#[derive(Clone, Copy, Debug, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct RawBounds {
    /// Least x, y, z in scene units; 1e9 where there is nothing to bound.
    pub min: [F32; 3],
    /// Greatest x, y, z in scene units; −1e9 where there is nothing to bound.
    pub max: [F32; 3],
    /// Centre of the sphere in scene units.
    pub center: [F32; 3],
    /// Radius of the sphere in scene units; −1 where there is nothing to bound.
    pub radius: F32,
}

impl RawBounds {
    /// Returns the box.
    #[must_use]
    pub fn bounds(&self) -> Bounds {
        Bounds { min: self.min.map(F32::get), max: self.max.map(F32::get) }
    }

    /// Returns the sphere.
    #[must_use]
    pub fn sphere(&self) -> Sphere {
        Sphere { center: self.center.map(F32::get), radius: self.radius.get() }
    }

    /// Stores a box and a sphere.
    #[must_use]
    pub fn new(bounds: &Bounds, sphere: &Sphere) -> Self {
        Self {
            min: bounds.min.map(F32::new),
            max: bounds.max.map(F32::new),
            center: sphere.center.map(F32::new),
            radius: F32::new(sphere.radius),
        }
    }

    /// Returns the ten floats in file order.
    pub(crate) fn floats(&self) -> [f32; 10] {
        let floats: [F32; 10] = zerocopy::transmute!(*self);
        floats.map(F32::get)
    }
}

/// A bone's transform relative to its parent, as stored.
#[derive(Clone, Copy, Debug, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct RawTransform {
    /// Offset in scene units.
    pub position: [F32; 3],
    /// Quaternion x, y, z, w, unit length.
    pub rotation: [F32; 4],
    /// Factor along each axis.
    pub scale: [F32; 3],
}

impl RawTransform {
    /// Returns the values.
    #[must_use]
    pub fn get(&self) -> Transform {
        Transform {
            position: self.position.map(F32::get),
            rotation: self.rotation.map(F32::get),
            scale: self.scale.map(F32::get),
        }
    }

    /// Stores the values.
    #[must_use]
    pub fn new(transform: &Transform) -> Self {
        Self {
            position: transform.position.map(F32::new),
            rotation: transform.rotation.map(F32::new),
            scale: transform.scale.map(F32::new),
        }
    }
}

const _: () = assert!(size_of::<RawBounds>() == 40);
const _: () = assert!(size_of::<RawTransform>() == 40);
const _: () = assert!(size_of::<crate::decode::influence4::RawInfluence4>() == 4);
const _: () = assert!(size_of::<crate::decode::tangent_frame::RawQuat7>() == 7);

/// The parent number of a root bone.
pub const ROOT: i16 = -1;
/// The most surfaces, and the most bones, that the engine's 16-bit numbers can name.
pub const MAX_NUMBERED: u32 = 32_767;
/// The most influences on one vertex.
pub const INFLUENCES: u8 = 4;
/// Codes of the second lightmap byte: 32·2^code texels, code 0 to 7.
pub const LIGHTMAP_CODES: u8 = 8;
/// Least bytes of a bone in the header: an empty name and a parent.
pub(crate) const MIN_BONE_SIZE: u64 = 1 + 2;
/// Least bytes of an animation in the header: an empty name.
pub(crate) const MIN_ANIMATION_SIZE: u64 = 1;
/// Least bytes of a named animation in the whole file: its name; and two counts and the flags further on.
pub(crate) const MIN_WHOLE_ANIMATION_SIZE: u64 = 1 + 3;
/// Least bytes of a surface in the header: its name, bounds, and one target's count and name.
pub(crate) const MIN_SURFACE_SIZE: u64 = 1 + 40 + 1 + 1;
/// Least bytes of a surface in the header of a compressed generation: its name, lightmap, two counts, bounds, and one
/// count of positions.
pub(crate) const MIN_COMPRESSED_SIZE: u64 = 1 + 2 + 2 + 40 + 1;
/// Least bytes of a morph target's name.
pub(crate) const MIN_TARGET_SIZE: u64 = 1;

pub(crate) const MAGIC: Element = Element::new("magic", 4, 1);
pub(crate) const COMPACT: Element = Element::new("compact int", 0, 1);
pub(crate) const TEXT: Element = Element::new("string", 0, 1);
pub(crate) const BOUNDS: Element = Element::new("bounds", 40, 4);
pub(crate) const TRANSFORM: Element = Element::new("transform", 40, 4);
pub(crate) const PARENT: Element = Element::new("i16", 2, 2);
pub(crate) const BYTE: Element = Element::new("u8", 1, 1);
pub(crate) const LIGHTMAP: Element = Element::new("u8x2", 2, 1);
pub(crate) const POSITION: Element = Element::new("f32x3", 12, 4);
pub(crate) const FRAME_7: Element = Element::new("i16x3+i8 quaternion", 7, 2);
pub(crate) const FRAME_8: Element = Element::new("i16x4 quaternion", 8, 2);
pub(crate) const WEIGHTS: Element = Element::new("u8 + (i16, u16) list", 0, 1);
pub(crate) const UV: Element = Element::new("f32x2", 8, 4);
pub(crate) const COLOR: Element = Element::new("u8x4", 4, 1);
pub(crate) const INDEX_2: Element = Element::new("u16", 2, 2);
pub(crate) const INDEX_4: Element = Element::new("i32", 4, 4);
pub(crate) const I32: Element = Element::new("i32", 4, 4);
pub(crate) const OFFSET: Element = Element::new("i64", 8, 8);
pub(crate) const FRAME: Element = Element::new("i64x2 sizes", 16, 8);
pub(crate) const LZ4: Element = Element::new("lz4 block", 0, 1);
pub(crate) const BOX: Element = Element::new("f32x3 min, f32x3 size", 24, 4);
pub(crate) const BOX_6: Element = Element::new("f32x6 box", 24, 4);
pub(crate) const SPLIT: Element = Element::new("f32", 4, 4);
pub(crate) const NODES: Element = Element::new("u8 axis + 4 compact ints", 0, 1);
pub(crate) const COMPACTS: Element = Element::new("compact int list", 0, 1);
pub(crate) const TEXT_32: Element = Element::new("i32 string", 0, 1);
pub(crate) const KEYS: Element = Element::new("u8 flags + components", 0, 1);

/// Returns what an index into `count` items is made of: the width follows from the count alone.
pub(crate) const fn index_element(count: u32) -> Element {
    match count {
        0..=0xff => BYTE,
        0x100..=0xffff => INDEX_2,
        _ => INDEX_4,
    }
}

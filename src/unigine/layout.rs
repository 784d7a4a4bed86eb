//! Raw records and constants of UNIGINE files, and nothing else. All numbers are little-endian, nothing is aligned.

use zerocopy::little_endian::F32;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::region::Element;
use crate::surface::{Bounds, Sphere, Transform};

/// A generation of `.mesh` that lies uncompressed in the file.
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
}

impl Generation {
    /// All of them, the oldest first.
    pub const ALL: [Self; 4] = [Self::Ms10, Self::Ms11, Self::Ms12, Self::Ms13];

    /// Returns the four bytes that open, divide and close a file.
    #[must_use]
    pub const fn magic(self) -> &'static str {
        match self {
            Self::Ms10 => "ms10",
            Self::Ms11 => "ms11",
            Self::Ms12 => "ms12",
            Self::Ms13 => "ms13",
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
        }
    }

    /// Tells whether the file has a list of embedded animations.
    #[must_use]
    pub const fn has_animations(self) -> bool {
        !matches!(self, Self::Ms13)
    }

    /// Tells whether each surface has the two lightmap bytes.
    #[must_use]
    pub const fn has_lightmap(self) -> bool {
        matches!(self, Self::Ms12 | Self::Ms13)
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
const _: () = assert!(size_of::<crate::decode::influence::RawInfluence>() == 4);
const _: () = assert!(size_of::<crate::decode::frame::RawQuat7>() == 7);

/// The parent number of a root bone.
pub const ROOT: i16 = -1;
/// The most surfaces, and the most bones, that the engine's 16-bit numbers can name.
pub const MOST: u32 = 32_767;
/// The most influences on one vertex.
pub const INFLUENCES: u8 = 4;
/// Codes of the second lightmap byte: 32·2^code texels, code 0 to 7.
pub const LIGHTMAP_CODES: u8 = 8;
/// Least bytes of a bone: an empty name and a parent; and its bind transform further on.
pub(crate) const LEAST_BONE: [u64; 2] = [1 + 2, 40];
/// Least bytes of an embedded animation: its name; and two counts and the flags further on.
pub(crate) const LEAST_ANIMATION: [u64; 2] = [1, 3];
/// Least bytes of a surface: its name, bounds, and one target's count and name; and eight counts further on.
pub(crate) const LEAST_SURFACE: [u64; 2] = [1 + 40 + 1 + 1, 8];
/// Least bytes of a morph target's name.
pub(crate) const LEAST_TARGET: u64 = 1;

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
pub(crate) const KEYS: Element = Element::new("u8 flags + components", 0, 1);

/// Returns what an index into `count` items is made of: the width follows from the count alone.
pub(crate) const fn index_element(count: u32) -> Element {
    match count {
        0..=0xff => BYTE,
        0x100..=0xffff => INDEX_2,
        _ => INDEX_4,
    }
}

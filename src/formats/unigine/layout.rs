//! Records and constants of UNIGINE files. Each record type has the same byte layout as the record
//! in the file.
//!
//! All numbers in UNIGINE files are little-endian, and no field is aligned.

use zerocopy::little_endian::{F32, I64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::region_values;
use super::validate::rules::rule_of;
use crate::array::{Bounds, Sphere};
use crate::error::FormatName;
use crate::model::Transform;
use crate::parse::ElementType;

/// A generation (version) of the `.mesh` format.
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
    /// `ms14`: engine 2.20. The geometry of each surface is stored in a block, usually compressed.
    Ms14,
    /// `ms15`: engine 2.21. An ms15 file has the layout of an ms14 file, and contains only meshes
    /// without bones.
    Ms15,
}

/// The format of an error about no format version.
pub(crate) const UNIGINE: &FormatName = &FormatName::new("unigine", |_, _| None);

const fn named(name: &'static str) -> FormatName {
    FormatName::new(name, rule_of)
}

impl Generation {
    /// All supported generations of the `.mesh` format, from the oldest to the newest.
    pub const ALL: [Self; 6] = [Self::Ms10, Self::Ms11, Self::Ms12, Self::Ms13, Self::Ms14, Self::Ms15];

    /// Returns the magic number: the four bytes at the start, between the sections, and at the end
    /// of a file.
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

    /// Returns the format name that error messages show for files of this format version.
    #[must_use]
    pub const fn format(self) -> &'static str {
        self.format_name().name()
    }

    pub(crate) const fn format_name(self) -> &'static FormatName {
        match self {
            Self::Ms10 => const { &named("unigine ms10") },
            Self::Ms11 => const { &named("unigine ms11") },
            Self::Ms12 => const { &named("unigine ms12") },
            Self::Ms13 => const { &named("unigine ms13") },
            Self::Ms14 => const { &named("unigine ms14") },
            Self::Ms15 => const { &named("unigine ms15") },
        }
    }

    /// Returns whether a file of this format version has a list of embedded animations.
    #[must_use]
    pub const fn has_animations(self) -> bool {
        matches!(self, Self::Ms10 | Self::Ms11 | Self::Ms12)
    }

    /// Returns whether files of this format version store the geometry of each surface in a
    /// separate block, which may be LZ4-compressed.
    ///
    /// In files with separate blocks (ms14 and ms15), each surface also has a spatial tree and an
    /// entry in the table of blocks.
    #[must_use]
    pub const fn is_compressed(self) -> bool {
        matches!(self, Self::Ms14 | Self::Ms15)
    }

    /// Returns whether a file of this format version has bones and bone weights.
    ///
    /// From ms15 on, meshes with bones are stored in a different file format.
    #[must_use]
    pub const fn has_bones(self) -> bool {
        !matches!(self, Self::Ms15)
    }

    /// Returns whether a surface in a file of this format version can have morph targets in
    /// addition to the base shape.
    #[must_use]
    pub const fn has_targets(self) -> bool {
        !matches!(self, Self::Ms15)
    }

    /// Returns whether the header entry of each surface has two lightmap bytes in files of this
    /// format version.
    #[must_use]
    pub const fn has_lightmap(self) -> bool {
        !matches!(self, Self::Ms10 | Self::Ms11)
    }

    /// Returns the element type of a stored tangent frame: seven bytes in ms10, eight bytes in ms11
    /// to ms15.
    #[must_use]
    pub(crate) const fn frame(self) -> ElementType {
        match self {
            Self::Ms10 => FRAME_7,
            _ => FRAME_8,
        }
    }
}

/// A generation (version) of the `.anim` format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AnimationGeneration {
    /// `an10`: engine 2.0 to 2.18. In an10 files, positions and scales are quantized, and each
    /// animation frame stores only the values that change.
    An10,
    /// `an11`: engine 2.19. In an11 files, positions, rotations and scales are floats, and each
    /// animation frame stores all components that differ from their default value.
    An11,
    /// `an12`: engine 2.20. An an12 file has the layout of an an11 file, with an additional
    /// reference to the skeleton and a frame rate.
    An12,
    /// `an13`: engine 2.21. An an13 file has the layout of an an12 file, with twelve additional
    /// bytes of unknown meaning.
    An13,
}

impl AnimationGeneration {
    /// All supported generations of the `.anim` format, from the oldest to the newest.
    pub const ALL: [Self; 4] = [Self::An10, Self::An11, Self::An12, Self::An13];

    /// Returns the magic number: the four bytes at the start, between the sections, and at the end
    /// of a file.
    #[must_use]
    pub const fn magic(self) -> &'static str {
        match self {
            Self::An10 => "an10",
            Self::An11 => "an11",
            Self::An12 => "an12",
            Self::An13 => "an13",
        }
    }

    /// Returns the format name that error messages show for files of this format version.
    #[must_use]
    pub const fn format(self) -> &'static str {
        self.format_name().name()
    }

    pub(crate) const fn format_name(self) -> &'static FormatName {
        match self {
            Self::An10 => const { &named("unigine an10") },
            Self::An11 => const { &named("unigine an11") },
            Self::An12 => const { &named("unigine an12") },
            Self::An13 => const { &named("unigine an13") },
        }
    }

    /// Returns whether files of this format version quantize positions and scales, and store in
    /// each animation frame only the values that change.
    #[must_use]
    pub const fn is_quantized(self) -> bool {
        matches!(self, Self::An10)
    }

    /// Returns whether a file of this format version stores the bind transform of each bone.
    #[must_use]
    pub const fn has_binds(self) -> bool {
        matches!(self, Self::An10 | Self::An11)
    }

    /// Returns whether a file of this format version stores a reference to its skeleton and a frame
    /// rate.
    #[must_use]
    pub const fn has_skeleton(self) -> bool {
        !self.has_binds()
    }

    /// Returns the number of bytes between the frame rate and the inner magic number of a file.
    ///
    /// In an12 and an13 files, the first byte after the frame rate is the root motion flag. In an13
    /// files, twelve bytes of unknown meaning follow the root motion flag.
    #[must_use]
    pub const fn tail(self) -> u32 {
        match self {
            Self::An10 | Self::An11 => 0,
            Self::An12 => 1,
            Self::An13 => 13,
        }
    }
}

/// A quantization box, as stored in the file: the minimum corner and the size of the box that
/// contains all quantized values.
#[derive(Clone, Copy, Debug, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct RawBox {
    /// Minimum x, y, z of the quantized values.
    pub min: [F32; 3],
    /// Size of the quantization box along x, y, z: the decoded value of the greatest code minus the
    /// decoded value of code 0.
    pub size: [F32; 3],
}

/// The two sizes at the start of a block of an ms14 or ms15 file.
#[derive(Clone, Copy, Debug, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct RawFrame {
    /// Size of the uncompressed content of the block, in bytes.
    pub raw: I64,
    /// Size of the stored content of the block, in bytes. The stored size equals the size of the
    /// uncompressed content if the content is stored uncompressed.
    pub stored: I64,
}

const _: () = assert!(size_of::<RawBox>() == 24);
const _: () = assert!(size_of::<RawFrame>() == 16);

/// A bounding box and a bounding sphere, as stored in the file.
#[derive(Clone, Copy, Debug, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct RawBounds {
    /// Minimum x, y, z in scene units; 1e9 if the bounds are empty.
    pub min: [F32; 3],
    /// Maximum x, y, z in scene units; -1e9 if the bounds are empty.
    pub max: [F32; 3],
    /// Centre x, y, z of the bounding sphere in scene units.
    pub center: [F32; 3],
    /// Radius of the bounding sphere in scene units; -1 if the bounds are empty.
    pub radius: F32,
}

impl RawBounds {
    /// Returns the bounding box as floats.
    #[must_use]
    pub fn bounds(&self) -> Bounds {
        Bounds { min: self.min.map(F32::get), max: self.max.map(F32::get) }
    }

    /// Returns the bounding sphere.
    #[must_use]
    pub fn sphere(&self) -> Sphere {
        Sphere { center: self.center.map(F32::get), radius: self.radius.get() }
    }

    /// Converts a bounding box and a bounding sphere to the record that a file stores.
    #[cfg(any(feature = "cli", feature = "internals"))]
    #[must_use]
    pub fn new(bounds: &Bounds, sphere: &Sphere) -> Self {
        Self {
            min: bounds.min.map(F32::new),
            max: bounds.max.map(F32::new),
            center: sphere.center.map(F32::new),
            radius: F32::new(sphere.radius),
        }
    }

    /// Returns the ten floats of the bounds, in file order.
    pub(crate) fn floats(&self) -> [f32; 10] {
        let floats: [F32; 10] = zerocopy::transmute!(*self);
        floats.map(F32::get)
    }
}

/// The transform of a bone relative to its parent bone, as stored in the file.
#[derive(Clone, Copy, Debug, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct RawTransform {
    /// Translation in scene units.
    pub position: [F32; 3],
    /// Rotation, as a unit quaternion x, y, z, w.
    pub rotation: [F32; 4],
    /// Scale factor along each axis.
    pub scale: [F32; 3],
}

impl RawTransform {
    /// Returns the transform with its numbers converted to native `f32` values.
    #[must_use]
    pub fn get(&self) -> Transform {
        Transform {
            position: self.position.map(F32::get),
            rotation: self.rotation.map(F32::get),
            scale: self.scale.map(F32::get),
        }
    }

    /// Converts a transform to the record that a file stores.
    #[cfg(any(feature = "cli", feature = "internals"))]
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

/// The value of the parent field of a bone that has no parent.
pub const ROOT: i16 = -1;
/// The maximum number of surfaces in a file, and also the maximum number of bones. The engine uses
/// signed 16-bit integers as surface indices and bone indices.
pub const MAX_NUMBERED: u32 = 32_767;
/// The maximum number of bone influences on a vertex.
pub const INFLUENCES: u8 = 4;
/// The number of different codes for the lightmap resolution. The second lightmap byte stores a
/// code from 0 to 7. A code sets a lightmap resolution of 32 * 2^code texels.
pub const LIGHTMAP_CODES: u8 = 8;
/// Minimum size of a bone entry in the header, in bytes: an empty name and a parent index.
pub(crate) const MIN_BONE_SIZE: u64 = 1 + 2;
/// Minimum size of an animation entry in the header, in bytes: an empty name.
pub(crate) const MIN_ANIMATION_SIZE: u64 = 1;
/// Minimum size of a named animation, in the header and in its animation block together, in bytes.
///
/// The minimum size of a named animation consists of the animation's empty name in the header, and
/// of two counts and the flags byte in the animation block.
pub(crate) const MIN_WHOLE_ANIMATION_SIZE: u64 = 1 + 3;
/// Minimum size of a surface entry in the header, in bytes.
///
/// The minimum size of a surface entry consists of an empty surface name, the bounds, the number of
/// shapes (targets), and the empty name of one shape.
pub(crate) const MIN_SURFACE_SIZE: u64 = 1 + 40 + 1 + 1;
/// Minimum size of a surface entry in the header of ms14 and ms15, in bytes.
///
/// The minimum size of a surface entry consists of an empty surface name, the lightmap bytes, the
/// numbers of indices in the two index streams, the bounds, and the number of positions.
pub(crate) const MIN_COMPRESSED_SIZE: u64 = 1 + 2 + 2 + 40 + 1;
/// Minimum size of a morph target's name, in bytes.
pub(crate) const MIN_TARGET_SIZE: u64 = 1;

pub(crate) const MAGIC: ElementType = ElementType::MAGIC;
pub(crate) const COMPACT: ElementType = ElementType::new("compact int", 0, 1).decoded_by(region_values::compact);
pub(crate) const TEXT: ElementType = ElementType::new("string", 0, 1).decoded_by(region_values::string);
pub(crate) const BOUNDS: ElementType = ElementType::bounds(40);
pub(crate) const TRANSFORM: ElementType = ElementType::transform(40);
pub(crate) const PARENT: ElementType = ElementType::I16;
pub(crate) const BYTE: ElementType = ElementType::U8;
pub(crate) const LIGHTMAP: ElementType = ElementType::U8X2;
pub(crate) const POSITION: ElementType = ElementType::F32X3;
pub(crate) const FRAME_7: ElementType = ElementType::QUATERNION_7;
pub(crate) const FRAME_8: ElementType = ElementType::QUATERNION_8;
pub(crate) const WEIGHTS: ElementType =
    ElementType::new("u8 + (i16, u16) list", 0, 1).decoded_by(region_values::weights);
pub(crate) const UV: ElementType = ElementType::F32X2;
pub(crate) const COLOR: ElementType = ElementType::U8X4;
pub(crate) const INDEX_2: ElementType = ElementType::U16;
pub(crate) const INDEX_4: ElementType = ElementType::I32;
pub(crate) const I32: ElementType = ElementType::I32;
pub(crate) const OFFSET: ElementType = ElementType::I64;
pub(crate) const FRAME: ElementType = ElementType::SIZES;
pub(crate) const LZ4: ElementType = ElementType::new("lz4 block", 0, 1);
pub(crate) const BOX: ElementType = ElementType::MIN_SIZE;
pub(crate) const BOX_6: ElementType = ElementType::MIN_MAX;
pub(crate) const SPLIT: ElementType = ElementType::F32;
pub(crate) const NODES: ElementType =
    ElementType::new("u8 axis + 4 compact ints", 0, 1).decoded_by(region_values::nodes);
pub(crate) const COMPACTS: ElementType =
    ElementType::new("compact int list", 0, 1).decoded_by(region_values::compact_list);
pub(crate) const TEXT_32: ElementType = ElementType::new("i32 string", 0, 1).decoded_by(region_values::string_32);
pub(crate) const KEYS: ElementType = ElementType::new("u8 flags + components", 0, 1);

/// Returns the element type of an index into an array of `count` items.
///
/// The index width depends only on `count`: one byte below 256 items, two bytes below 65,536, and
/// four bytes otherwise.
pub(crate) const fn index_element(count: u32) -> ElementType {
    match count {
        0..=0xff => BYTE,
        0x100..=0xffff => INDEX_2,
        _ => INDEX_4,
    }
}

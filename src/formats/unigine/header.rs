//! Reads the header of a UNIGINE mesh file.
//!
//! The header consists of all bytes before the first animation block or surface geometry. The list
//! of bones and the list of animation names also exist in animation files. This module reads the
//! lists of bones and animation names for both mesh files and animation files.

use std::ops::Range;

use zerocopy::little_endian::{I16, I64};

use super::layout::{
    Generation, LIGHTMAP, MIN_ANIMATION_SIZE, MIN_BONE_SIZE, MIN_COMPRESSED_SIZE, MIN_SURFACE_SIZE, MIN_TARGET_SIZE,
    OFFSET, PARENT, RawBounds,
};
use super::reader::fields::{FieldReader, RegionSink};
use crate::error::{Cause, Field, FormatName, Result};
use crate::math::as_index;
use crate::parse::{Limits, Name};

/// Offsets of the header fields that exist in both meshes and animation files, in bytes from the
/// start of the file.
#[derive(Clone, Debug)]
pub(crate) struct SharedHeader {
    /// The format name that error messages show, such as `unigine ms10`.
    pub(crate) format: &'static FormatName,
    /// For each bone, the byte offset of its name in the file.
    pub(crate) bones: Box<[u64]>,
    /// For each named animation, the byte offset of its name in the file.
    pub(crate) animations: Box<[u64]>,
    /// Byte offset of the first bone's bind transform, or `None` in an12 and an13 files, which have
    /// no bind transforms.
    pub(crate) binds: Option<u64>,
    /// Byte offset of the first animation block or, if the file has no animations, of the geometry
    /// of the first surface.
    pub(crate) body: u64,
}

/// The header fields that only meshes have.
#[derive(Clone, Debug)]
pub(crate) struct Header {
    pub(crate) generation: Generation,
    /// For each surface, the byte offset of its name in the file.
    pub(crate) surfaces: Box<[u64]>,
    pub(crate) compressed: Option<CompressedHeader>,
}

/// The header fields that only ms14 and ms15 files have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CompressedHeader {
    /// The target number of triangles in a leaf of a spatial tree. It is 4 in every known file.
    pub(crate) leaf: u32,
    /// The engine's estimate of the memory that the mesh takes, in bytes.
    pub(crate) memory: i64,
    /// Byte offset of the bounds of the whole mesh. The bounds are stored after `leaf`, whose size
    /// differs between files because it is a variable-length integer.
    pub(crate) bounds_at: u64,
}

/// The number of indices in each of the two index streams of a surface, and the file offset of each
/// of these two numbers.
///
/// Only the headers of ms14 and ms15 store the numbers of indices in the index streams.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CornerCounts {
    pub(crate) counts: [u32; 2],
    pub(crate) offsets: [u64; 2],
}

/// The decoded header entry of a surface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SurfaceHeader<'a> {
    /// The number of indices in each of the two index streams of the surface, or `None` before
    /// ms14. Only the headers of ms14 and ms15 store the numbers of indices in the index streams.
    pub(crate) corners: Option<CornerCounts>,
    pub(crate) name: Name<'a>,
    pub(crate) lightmap: Option<[u8; 2]>,
    /// Byte offset of the two lightmap bytes in the file.
    pub(crate) lightmap_at: u64,
    pub(crate) bounds: &'a RawBounds,
    /// Byte offset of the bounds of the surface in the file.
    pub(crate) bounds_at: u64,
    pub(crate) targets: u32,
    /// Byte offset of the header entry of the base shape. The header entry of a shape (base shape
    /// or morph target) consists of the shape's name and, in ms14 and ms15, its number of
    /// positions.
    pub(crate) target_names: u64,
}

/// The field names and the minimum item size of a list in the file header. Such a list, for example
/// that of bones, starts with its number of items.
///
/// A `ListFormat` contains the field name of the list's number of items, the field name of one
/// item, and the minimum size of one item in bytes.
struct ListFormat {
    count_name: &'static str,
    name: &'static str,
    least: u64,
}

const BONES: ListFormat = ListFormat { count_name: "bones.count", name: "bone", least: MIN_BONE_SIZE };
const ANIMATIONS: ListFormat =
    ListFormat { count_name: "animations.count", name: "animation", least: MIN_ANIMATION_SIZE };

/// Byte offset of the mesh bounds in files before ms14, which store the bounds directly after the
/// magic number.
pub(crate) const BOUNDS_AT: u64 = 4;

impl<'a, S: RegionSink> FieldReader<'a, S> {
    /// Reads the whole header of a mesh, including the magic number.
    pub(crate) fn header(&mut self, generation: Generation, limits: &Limits) -> Result<(SharedHeader, Header)> {
        self.magic(generation.magic(), "magic")?;
        let leaf = if generation.is_compressed() { Some(self.count("leaf_triangles")?) } else { None };
        let bounds_at = self.cursor.offset();
        self.bounds()?;
        let bones = if generation.has_bones() { self.bones(limits)? } else { Box::default() };
        let animations = if generation.has_animations() { self.animation_names(limits)? } else { Box::default() };
        let surfaces = self.surfaces(generation, limits)?;
        let compressed = match leaf {
            Some(leaf) => {
                let memory = self.record::<I64>("memory_estimate", OFFSET)?.get();
                Some(CompressedHeader { leaf, memory, bounds_at })
            }
            None => None,
        };
        self.magic(generation.magic(), "inner_magic")?;
        let binds = self.cursor.offset();
        if generation.has_bones() {
            self.transforms(u32::try_from(bones.len()).unwrap_or(u32::MAX))?;
        }
        let body = self.cursor.offset();
        let shared = SharedHeader { format: generation.format_name(), bones, animations, binds: Some(binds), body };
        Ok((shared, Header { generation, surfaces, compressed }))
    }

    /// Reads a list of bones whose length is stored as a variable-length integer (compact int).
    /// Returns the byte offset of each bone.
    pub(crate) fn bones(&mut self, limits: &Limits) -> Result<Box<[u64]>> {
        let count = self.count_of(BONES.count_name, BONES.least, limits.items)?;
        self.list(&BONES, count, |reader| reader.bone_header().map(drop))
    }

    /// Reads a list of bones whose length is stored as a 32-bit integer. Returns the byte offset of
    /// each bone.
    pub(crate) fn bones_32(&mut self, limits: &Limits) -> Result<Box<[u64]>> {
        let count = self.count_32(BONES.count_name, BONES.least, limits.items)?;
        self.list(&BONES, count, |reader| reader.bone_header().map(drop))
    }

    /// Reads the list of animation names and returns the byte offset of each name.
    pub(crate) fn animation_names(&mut self, limits: &Limits) -> Result<Box<[u64]>> {
        let count = self.count_of(ANIMATIONS.count_name, ANIMATIONS.least, limits.items)?;
        self.list(&ANIMATIONS, count, |reader| reader.text("name").map(drop))
    }

    fn surfaces(&mut self, generation: Generation, limits: &Limits) -> Result<Box<[u64]>> {
        let least = if generation.is_compressed() { MIN_COMPRESSED_SIZE } else { MIN_SURFACE_SIZE };
        let list = ListFormat { count_name: "surfaces.count", name: "surface", least };
        let count = self.count_of(list.count_name, list.least, limits.items)?;
        self.list(&list, count, |reader| {
            let head = reader.surface_header(generation, limits)?;
            reader.targets(generation, 0..head.targets)
        })
    }

    /// Reads the items of a list in the file header and returns the byte offset of each item.
    fn list(
        &mut self,
        list: &ListFormat,
        count: u32,
        mut item: impl FnMut(&mut Self) -> Result<()>,
    ) -> Result<Box<[u64]>> {
        let mut starts = Vec::new();
        let asked = u64::from(count).saturating_mul(8);
        let reserved = starts.try_reserve_exact(as_index(count));
        reserved.map_err(|_| self.cursor.error(list.count_name, Cause::OutOfMemory { asked }))?;
        for index in 0..count {
            self.set_place(Field::new("").in_list(list.name, index.into()));
            starts.push(self.cursor.offset());
            item(self)?;
        }
        self.set_place(Field::new(""));
        Ok(starts.into())
    }

    /// Reads the name and the parent index of a bone.
    #[inline]
    pub(crate) fn bone_header(&mut self) -> Result<(Name<'a>, i16)> {
        let name = self.text("name")?;
        let parent = self.record::<I16>("parent", PARENT)?.get();
        Ok((name, parent))
    }

    /// Reads the header entry of a surface, up to the names of its morph targets.
    pub(crate) fn surface_header(&mut self, generation: Generation, limits: &Limits) -> Result<SurfaceHeader<'a>> {
        let name = self.text("name")?;
        let lightmap_at = self.cursor.offset();
        let lightmap = if generation.has_lightmap() { Some(*self.record("lightmap", LIGHTMAP)?) } else { None };
        let corners = if generation.is_compressed() { Some(self.corner_counts()?) } else { None };
        let bounds_at = self.cursor.offset();
        let bounds = self.bounds()?;
        let at = self.cursor.offset();
        let targets =
            if generation.has_targets() { self.count_of("targets.count", MIN_TARGET_SIZE, limits.items)? } else { 1 };
        if targets == 0 {
            let kind = Cause::value("at least the base shape", "0 targets");
            return Err(self.cursor.error_at(at, "targets.count", kind));
        }
        let target_names = self.cursor.offset();
        Ok(SurfaceHeader { corners, name, lightmap, lightmap_at, bounds, bounds_at, targets, target_names })
    }

    fn corner_counts(&mut self) -> Result<CornerCounts> {
        let first = self.cursor.offset();
        let indices = self.count("indices.count")?;
        let second = self.cursor.offset();
        let attributes = self.count("attribute_indices.count")?;
        Ok(CornerCounts { counts: [indices, attributes], offsets: [first, second] })
    }

    /// Reads and checks the header entries of some shapes (targets) of a surface.
    pub(crate) fn targets(&mut self, generation: Generation, targets: Range<u32>) -> Result<()> {
        let surface = self.cursor.field("");
        for target in targets {
            self.set_place(surface.in_inner_list("target", target.into()));
            self.target(generation)?;
        }
        self.set_place(surface);
        Ok(())
    }

    /// Reads the header entry of one shape (target): its name and, in ms14 and ms15, its number of
    /// positions.
    #[inline]
    pub(crate) fn target(&mut self, generation: Generation) -> Result<(Name<'a>, Option<u32>)> {
        let name = if generation.has_targets() { self.text("name")? } else { Name::default() };
        let positions = if generation.is_compressed() { Some(self.count("positions.count")?) } else { None };
        Ok((name, positions))
    }
}

//! The header: everything before the first animation or surface body.

use super::geometry::Memo;
use super::layout::{
    Generation, LEAST_ANIMATION, LEAST_BONE, LEAST_COMPRESSED, LEAST_QUANTIZED, LEAST_SURFACE, LEAST_TARGET, LIGHTMAP,
    OFFSET, PARENT, RawBounds,
};
use super::read::{Reader, Sink};
use crate::error::{ErrorKind, Field, Result};
use crate::math::as_u64;
use crate::parse::{Limits, Name};
use zerocopy::little_endian::{I16, I64};

/// Where things start, in bytes from the start of the file. 8 bytes for each bone, animation and surface: a fraction
/// of what each takes in the file.
#[derive(Clone, Debug)]
pub(crate) struct Header {
    pub(crate) generation: Generation,
    /// For each bone, its name.
    pub(crate) bones: Box<[u64]>,
    /// For each embedded animation, its name.
    pub(crate) animations: Box<[u64]>,
    /// For each surface, its name.
    pub(crate) surfaces: Box<[u64]>,
    /// The first bone's bind transform.
    pub(crate) binds: u64,
    /// The first animation block, or the first surface's geometry.
    pub(crate) body: u64,
    /// What only compressed generations say.
    pub(crate) particular: Option<Particular>,
}

/// What the header of a compressed generation says besides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Particular {
    /// How many triangles a leaf of a tree should have: 4 in every file seen.
    pub(crate) leaf: u32,
    /// What the engine reckons that the mesh takes in memory, in bytes.
    pub(crate) memory: i64,
    /// Offset of the bounds: the number before them varies in length.
    pub(crate) bounds_at: u64,
}

/// How many corners a surface has, where the header says so: in each index stream, and where that stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CornerCounts {
    pub(crate) counts: [u32; 2],
    pub(crate) places: [u64; 2],
}

/// What the header says of a surface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SurfaceHead<'a> {
    /// In compressed generations only.
    pub(crate) corners: Option<CornerCounts>,
    pub(crate) name: Name<'a>,
    pub(crate) lightmap: Option<[u8; 2]>,
    /// Offset of the lightmap bytes.
    pub(crate) lightmap_at: u64,
    pub(crate) bounds: &'a RawBounds,
    /// Offset of the bounds.
    pub(crate) bounds_at: u64,
    pub(crate) targets: u32,
    /// Offset of the first target: its name and, in compressed generations, its number of positions.
    pub(crate) target_names: u64,
}

/// A counted list of the header.
struct List {
    count_name: &'static str,
    name: &'static str,
    /// Least bytes of one item, here and further on.
    least: [u64; 2],
    /// Bytes of memory that one item will take.
    memory: usize,
}

/// How a list's count is spelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counted {
    /// As a compact int.
    Compact,
    /// In 32 bits, as in the newest animations, which say nothing more of their bones further on.
    Wide,
}

/// What lists have claimed so far.
#[derive(Default)]
pub(crate) struct Claims {
    /// Bytes further on: what one list was promised, the next cannot be paid with.
    owed: u64,
    /// Bytes of memory.
    memory: u64,
}

/// The memory that lists may take whether or not the bytes further on are there, so that the header of a file that was
/// cut can be read. Beyond that each item's bytes must be in hand, and none takes more than four times those.
const ON_CREDIT: u64 = 48 << 10;

const BONES: List = List { count_name: "bones.count", name: "bone", least: LEAST_BONE, memory: 8 };
const ANIMATIONS: List =
    List { count_name: "animations.count", name: "animation", least: LEAST_ANIMATION, memory: 2 * 8 };
const QUANTIZED: List = List { least: LEAST_QUANTIZED, ..ANIMATIONS };
const SURFACES: List =
    List { count_name: "surfaces.count", name: "surface", least: LEAST_SURFACE, memory: 2 * 8 + size_of::<Memo>() };
const COMPRESSED: List = List {
    count_name: "surfaces.count",
    name: "surface",
    least: LEAST_COMPRESSED,
    memory: 3 * 8 + size_of::<Memo>() + size_of::<super::block::Blocks>(),
};

/// Offset of the mesh bounds: right after the magic.
pub(crate) const BOUNDS_AT: u64 = 4;

impl<'a, S: Sink> Reader<'a, S> {
    /// Reads the whole header, the magic included.
    pub(crate) fn header(&mut self, generation: Generation, limits: &Limits) -> Result<Header> {
        self.magic(generation.magic(), "magic")?;
        let leaf = if generation.is_compressed() { Some(self.count("leaf_triangles")?) } else { None };
        let bounds_at = self.cursor.offset();
        self.bounds()?;
        let mut claims = Claims::default();
        let bones =
            if generation.has_bones() { self.list(&BONES, limits, &mut claims, Self::bone)? } else { Box::default() };
        let animations = if generation.has_animations() {
            self.list(&ANIMATIONS, limits, &mut claims, |reader| reader.text("name").map(drop))?
        } else {
            Box::default()
        };
        let list = if generation.is_compressed() { &COMPRESSED } else { &SURFACES };
        let surfaces = self.list(list, limits, &mut claims, |reader| {
            let head = reader.surface_head(generation, limits)?;
            reader.targets(generation, head.targets)
        })?;
        let particular = match leaf {
            Some(leaf) => {
                let memory = self.record::<I64>("memory_estimate", OFFSET)?.get();
                Some(Particular { leaf, memory, bounds_at })
            }
            None => None,
        };
        self.magic(generation.magic(), "inner_magic")?;
        let binds = self.cursor.offset();
        if generation.has_bones() {
            self.transforms(u32::try_from(bones.len()).unwrap_or(u32::MAX))?;
        }
        let body = self.cursor.offset();
        Ok(Header { generation, bones, animations, surfaces, binds, body, particular })
    }

    /// Reads the bones' list of an animation file.
    pub(crate) fn bones(&mut self, count: Counted, limits: &Limits, claims: &mut Claims) -> Result<Box<[u64]>> {
        self.list_of(count, &BONES, limits, claims, Self::bone)
    }

    /// Reads the names of the animations in a file of them.
    pub(crate) fn animation_names(&mut self, limits: &Limits, claims: &mut Claims) -> Result<Box<[u64]>> {
        self.list(&QUANTIZED, limits, claims, |reader| reader.text("name").map(drop))
    }

    /// Reads a counted list, and keeps where each item starts.
    fn list(
        &mut self,
        list: &List,
        limits: &Limits,
        claims: &mut Claims,
        item: impl FnMut(&mut Self) -> Result<()>,
    ) -> Result<Box<[u64]>> {
        self.list_of(Counted::Compact, list, limits, claims, item)
    }

    fn list_of(
        &mut self,
        counted: Counted,
        list: &List,
        limits: &Limits,
        claims: &mut Claims,
        mut item: impl FnMut(&mut Self) -> Result<()>,
    ) -> Result<Box<[u64]>> {
        let List { count_name, name, least: [here, further_on], memory } = *list;
        let further_on = if counted == Counted::Wide { 0 } else { further_on };
        let at = self.cursor.offset();
        let count = match counted {
            Counted::Compact => self.count_of(count_name, here, limits.items)?,
            Counted::Wide => self.count_32(count_name, here, limits.items)?,
        };
        let items = u64::from(count);
        claims.memory = claims.memory.saturating_add(items.saturating_mul(as_u64(memory)));
        let (size, left) = (here.saturating_add(further_on), self.cursor.left().saturating_sub(claims.owed));
        // Bytes that are there, up to the end of this list.
        let paid = at.saturating_add(items.saturating_mul(here)).saturating_mul(4);
        if claims.memory > paid.saturating_add(ON_CREDIT) && items.saturating_mul(size) > left {
            return Err(self.cursor.error_at(at, count_name, ErrorKind::Count { count: items, size, left }));
        }
        claims.owed = claims.owed.saturating_add(items.saturating_mul(further_on));
        let mut starts = Vec::new();
        let asked = u64::from(count).saturating_mul(8);
        starts
            .try_reserve_exact(crate::math::as_index(count))
            .map_err(|_| self.cursor.error_at(at, count_name, ErrorKind::OutOfMemory { asked }))?;
        for index in 0..count {
            self.set_place(Field::new("").in_list(name, index.into()));
            starts.push(self.cursor.offset());
            item(self)?;
        }
        self.set_place(Field::new(""));
        Ok(starts.into())
    }

    /// Reads a bone's name and parent.
    fn bone(&mut self) -> Result<()> {
        self.bone_head().map(drop)
    }

    /// Reads a bone's name and parent.
    pub(crate) fn bone_head(&mut self) -> Result<(Name<'a>, i16)> {
        let name = self.text("name")?;
        let parent = self.record::<I16>("parent", PARENT)?.get();
        Ok((name, parent))
    }

    /// Reads what the header says of a surface, up to its target names.
    pub(crate) fn surface_head(&mut self, generation: Generation, limits: &Limits) -> Result<SurfaceHead<'a>> {
        let name = self.text("name")?;
        let lightmap_at = self.cursor.offset();
        let lightmap = if generation.has_lightmap() { Some(*self.record("lightmap", LIGHTMAP)?) } else { None };
        let mut corners = None;
        if generation.is_compressed() {
            let first = self.cursor.offset();
            let indices = self.count("indices.count")?;
            let second = self.cursor.offset();
            let attributes = self.count("attribute_indices.count")?;
            corners = Some(CornerCounts { counts: [indices, attributes], places: [first, second] });
        }
        let bounds_at = self.cursor.offset();
        let bounds = self.bounds()?;
        let at = self.cursor.offset();
        let targets =
            if generation.has_targets() { self.count_of("targets.count", LEAST_TARGET, limits.items)? } else { 1 };
        if targets == 0 {
            let kind = ErrorKind::Value { expected: "at least the base shape".into(), found: "0 targets".into() };
            return Err(self.cursor.error_at(at, "targets.count", kind));
        }
        let target_names = self.cursor.offset();
        Ok(SurfaceHead { corners, name, lightmap, lightmap_at, bounds, bounds_at, targets, target_names })
    }

    /// Passes what the header says of a surface's targets.
    pub(crate) fn targets(&mut self, generation: Generation, targets: u32) -> Result<()> {
        let surface = self.cursor.field("");
        for target in 0..targets {
            self.set_place(surface.in_inner_list("target", target.into()));
            self.target(generation)?;
        }
        self.set_place(surface);
        Ok(())
    }

    /// Reads what the header says of a target: its name and, in compressed generations, its number of positions.
    pub(crate) fn target(&mut self, generation: Generation) -> Result<(Name<'a>, Option<u32>)> {
        let name = if generation.has_targets() { self.text("name")? } else { Name::default() };
        let positions = if generation.is_compressed() { Some(self.count("positions.count")?) } else { None };
        Ok((name, positions))
    }
}

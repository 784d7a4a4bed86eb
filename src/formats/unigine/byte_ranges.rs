//! Implements [`ByteRanges`] for meshes and animation files.

use std::ops::Range;

use super::animation::reader::{AnimationFileState, AnimationReader};
use super::animation::{Animation, AnimationView};
use super::file::Mesh;
use super::reader::arrays::ArrayKind;
use super::reader::mesh_reader::{MeshFileState, MeshReader};
use crate::error::{Result, expect_only};
use crate::math::{as_index, as_u64};
use crate::model::byte_ranges::{RangeList, expect_no_frames};
use crate::model::{Attribute, ByteRanges, MeshSelection};
use crate::parse::{AccessLog, OpenOptions};

impl<D: AsRef<[u8]> + Send + Sync> ByteRanges for Mesh<D> {
    fn byte_ranges(&self, source: usize, part: &MeshSelection) -> Result<Vec<Range<u64>>> {
        expect_only("unigine", "source", source)?;
        self.reader().byte_ranges(part)
    }
}

impl<D: AsRef<[u8]> + Send + Sync> ByteRanges for Animation<D> {
    fn byte_ranges(&self, source: usize, part: &MeshSelection) -> Result<Vec<Range<u64>>> {
        expect_only("unigine", "source", source)?;
        part.expect_only_asset("unigine")?;
        let (reader, mut ranges) = (self.reader(), RangeList::default());
        match part {
            MeshSelection::Structure => push_animation_structure(reader, &mut ranges)?,
            MeshSelection::Surface(surface) | MeshSelection::Attribute { surface, .. } => {
                return Err(reader.file().no_such("surface", 0, *surface));
            }
            MeshSelection::VertexFrames(frames) => expect_no_frames("unigine", frames)?,
            MeshSelection::Clip(clip) => push_clip(&reader.animation(*clip)?, &mut ranges)?,
            MeshSelection::Frames { clip, frames } => push_frames(&reader.animation(*clip)?, frames, &mut ranges)?,
            _ => {}
        }
        Ok(ranges.finish())
    }
}

impl MeshReader<'_> {
    fn byte_ranges(self, part: &MeshSelection) -> Result<Vec<Range<u64>>> {
        match part {
            MeshSelection::Level { asset, .. } => expect_only("unigine", "asset", *asset)?,
            part => part.expect_only_asset("unigine")?,
        }
        let mut ranges = RangeList::default();
        match part {
            MeshSelection::Structure => self.push_structure(&mut ranges)?,
            MeshSelection::Surface(surface) => self.push_surface(*surface, &mut ranges)?,
            MeshSelection::Attribute { surface, attribute } => {
                self.push_attribute(*surface, *attribute, &mut ranges)?;
            }
            MeshSelection::VertexFrames(frames) => expect_no_frames("unigine", frames)?,
            MeshSelection::Clip(clip) => push_clip(&self.animation(*clip)?, &mut ranges)?,
            MeshSelection::Frames { clip, frames } => push_frames(&self.animation(*clip)?, frames, &mut ranges)?,
            MeshSelection::Level { level, .. } => {
                self.expect_level(*level)?;
                let levels = self.levels()?;
                let mut shown = (0..self.surface_count()).filter(|surface| levels.shows(*level, *surface));
                shown.try_for_each(|surface| self.push_surface(surface, &mut ranges))?;
            }
            MeshSelection::Hulls(_) | MeshSelection::CollisionMesh(_) | MeshSelection::Bones => {}
        }
        Ok(ranges.finish())
    }

    /// Adds the header, and the bytes that locating all sections of the file reads.
    ///
    /// The sections are located in a new state, because the state of the open mesh keeps offsets
    /// and may have a sidecar.
    fn push_structure(self, ranges: &mut RangeList) -> Result<()> {
        let state = MeshFileState::open(self.bytes, &recorded(&self.state.file.context.options))?;
        let fresh = MeshReader { bytes: self.bytes, state: &state };
        ranges.push(0..state.file.header.body)?;
        if self.generation().is_compressed() {
            (0..self.surface_count()).try_for_each(|surface| fresh.blocks(surface).map(drop))?;
        } else {
            fresh.locate(fresh.section_count())?;
            // Every part can be found without the closing magic number.
            drop(fresh.end());
        }
        push_log(state.file.context.access_log(), ranges)
    }

    /// Adds the arrays of a surface, or its two blocks.
    fn push_surface(self, surface: usize, ranges: &mut RangeList) -> Result<()> {
        if let Some(blocks) = self.blocks(surface)? {
            return blocks.iter().try_for_each(|block| ranges.push(block.start()..block.end()));
        }
        let mut arrays = self.view(surface, None)?.arrays()?;
        while let Some(array) = arrays.next()? {
            ranges.push_sized(array.at, as_u64(array.bytes.len()))?;
        }
        Ok(())
    }

    /// Adds the array of an attribute, or the block that contains it.
    fn push_attribute(self, surface: usize, attribute: Attribute, ranges: &mut RangeList) -> Result<()> {
        if let Some([geometry, tree]) = self.blocks(surface)? {
            let block = if attribute == Attribute::Partition { tree } else { geometry };
            self.array_kind(surface, attribute)?;
            return ranges.push(block.start()..block.end());
        }
        let Some(kind) = self.array_kind(surface, attribute)? else { return Ok(()) };
        let array = self.view(surface, None)?.find(kind)?;
        ranges.push_sized(array.at, as_u64(array.bytes.len()))
    }

    /// Returns the array of an attribute, or `None` if no surface has such an array.
    fn array_kind(self, surface: usize, attribute: Attribute) -> Result<Option<ArrayKind>> {
        Ok(Some(match attribute {
            Attribute::Positions(target) => ArrayKind::Positions(self.target(surface, target)?),
            Attribute::TangentFrames(target) | Attribute::Normals(target) => {
                ArrayKind::TangentFrames(self.target(surface, target)?)
            }
            Attribute::Uvs(0) => ArrayKind::Uv0,
            Attribute::Uvs(1) => ArrayKind::Uv1,
            Attribute::Colors => ArrayKind::Colors,
            Attribute::Weights => ArrayKind::Weights,
            Attribute::Indices => ArrayKind::Indices,
            Attribute::AttributeIndices => ArrayKind::AttributeIndices,
            Attribute::Uvs(_) | Attribute::Partition => return Ok(None),
        }))
    }

    /// Returns the index of a shape, or an error if the surface does not have the shape.
    fn target(self, surface: usize, target: usize) -> Result<u32> {
        let targets = self.surface_header(surface)?.targets;
        let found = u32::try_from(target).ok().filter(|target| *target < targets);
        found.ok_or_else(|| self.file().no_such("target", as_index(targets), target))
    }
}

/// Adds the header of an animation file, and the bytes that locating all its animations reads.
fn push_animation_structure(reader: AnimationReader<'_>, ranges: &mut RangeList) -> Result<()> {
    let options = recorded(&reader.state.file.context.options);
    let state = AnimationFileState::open(reader.bytes, &options)?;
    ranges.push(0..state.file.header.body)?;
    let fresh = AnimationReader { bytes: reader.bytes, state: &state };
    fresh.locate(fresh.file().animation_count())?;
    // Every part can be found without the closing magic number.
    drop(fresh.end());
    push_log(state.file.context.access_log(), ranges)
}

/// Returns the options for opening a file again, with an access log.
const fn recorded(options: &OpenOptions) -> OpenOptions {
    OpenOptions { record_access: true, ..*options }
}

/// Adds the byte ranges of an access log.
fn push_log(log: Option<&AccessLog>, ranges: &mut RangeList) -> Result<()> {
    log.map_or(Ok(()), |log| log.try_for_each(&mut |range| ranges.push(range)))
}

/// Adds the bone indices and the keys of an animation.
fn push_clip(view: &AnimationView<'_>, ranges: &mut RangeList) -> Result<()> {
    ranges.push_sized(view.bones_offset(), as_u64(size_of_val(view.bones)))?;
    ranges.push_sized(view.keys_offset(), as_u64(view.key_bytes().len()))
}

/// Adds the bone indices and the keys of some frames. If a key stores only changes, the keys of all
/// frames before it are added, too.
fn push_frames(view: &AnimationView<'_>, frames: &Range<usize>, ranges: &mut RangeList) -> Result<()> {
    if frames.is_empty() {
        return Ok(());
    }
    ranges.push_sized(view.bones_offset(), as_u64(size_of_val(view.bones)))?;
    let first = if view.coding().is_delta() { 0 } else { frames.start };
    ranges.push(view.frame_at(first)?..view.frame_at(frames.end)?)
}

//! Implements [`ByteRanges`] for text and binary files.

use std::ops::Range;

use super::element_index::ElementKind;
use super::elements::Track;
use super::elements::buffers::VertexBuffer;
use super::file::Mesh;
use super::layout::{FORMAT, Semantic, TRANSFORM_SIZE};
use super::regions;
use crate::error::{Result, no_such};
use crate::math::{as_index, as_u64};
use crate::model::byte_ranges::{RangeList, expect_no_frames};
use crate::model::{Attribute, ByteRanges, MeshFile as _, MeshSelection};

/// The names of the regions that no other part of a binary file is found by.
const ARRAYS: [&str; 5] = ["pixels", "keys", "indexbuffer", "vertexbuffer", "end"];

impl<D: AsRef<[u8]> + Send + Sync> ByteRanges for Mesh<D> {
    fn byte_ranges(&self, source: usize, part: &MeshSelection) -> Result<Vec<Range<u64>>> {
        self.expect_source(source)?;
        part.expect_only_asset(FORMAT)?;
        let mut ranges = RangeList::default();
        match part {
            MeshSelection::Structure => self.push_structure(&mut ranges)?,
            MeshSelection::Surface(surface) => self.push_surface(*surface, &mut ranges)?,
            MeshSelection::Attribute { surface, attribute } => {
                self.push_attribute(*surface, *attribute, &mut ranges)?;
            }
            MeshSelection::VertexFrames(frames) => expect_no_frames(FORMAT, frames)?,
            MeshSelection::Clip(clip) => {
                let frames = as_index(self.animation(*clip)?.frame_count()?);
                self.push_frames(*clip, &(0..frames), &mut ranges)?;
            }
            MeshSelection::Frames { clip, frames } => self.push_frames(*clip, frames, &mut ranges)?,
            MeshSelection::Level { .. } => {
                let surfaces = self.view().count(ElementKind::Section);
                (0..surfaces).try_for_each(|surface| self.push_surface(surface, &mut ranges))?;
            }
            MeshSelection::Hulls(_) => self.push_hulls(&mut ranges)?,
            MeshSelection::CollisionMesh(_) | MeshSelection::Bones => {}
        }
        Ok(ranges.finish())
    }
}

impl<D: AsRef<[u8]> + Send + Sync> Mesh<D> {
    /// Adds the fields of a binary file without its arrays, or a whole text file.
    ///
    /// The search for tags reads all bytes of a text file.
    fn push_structure(&self, ranges: &mut RangeList) -> Result<()> {
        let view = self.view();
        if view.order().is_none() {
            return ranges.push(0..as_u64(view.bytes.len()));
        }
        let mut pushed = Ok(());
        regions::walk(view, &mut |region| {
            if !ARRAYS.contains(&region.field.name()) && pushed.is_ok() {
                pushed = ranges.push(region.start..region.end);
            }
        })?;
        pushed
    }

    fn push_surface(&self, surface: usize, ranges: &mut RangeList) -> Result<()> {
        push_vertices(&self.section(surface)?.vertex_buffer()?, ranges)?;
        self.push_triangles(surface, ranges)
    }

    fn push_attribute(&self, surface: usize, attribute: Attribute, ranges: &mut RangeList) -> Result<()> {
        let section = self.section(surface)?;
        let semantic = match attribute {
            Attribute::Positions(target) | Attribute::TangentFrames(target) | Attribute::Normals(target)
                if target > 0 =>
            {
                return Err(no_such(FORMAT, "target", 1, target));
            }
            // The format stores no tangent frames, but a request for them checks the positions.
            Attribute::Positions(_) | Attribute::TangentFrames(_) => Semantic::Position,
            Attribute::Normals(_) => Semantic::Normal,
            Attribute::Uvs(set) => Semantic::Texcoord(u8::try_from(set).unwrap_or(u8::MAX)),
            Attribute::Colors => Semantic::Color,
            Attribute::Weights => Semantic::BlendWeights,
            Attribute::Indices => return self.push_triangles(surface, ranges),
            Attribute::AttributeIndices | Attribute::Partition => return Ok(()),
        };
        let buffer = section.vertex_buffer()?;
        // The numbers of a text are parsed as a whole before one column is looked for.
        let is_stored = self.view().order().is_none() || buffer.format().column(semantic).is_some();
        if is_stored { push_vertices(&buffer, ranges) } else { Ok(()) }
    }

    fn push_triangles(&self, surface: usize, ranges: &mut RangeList) -> Result<()> {
        match self.section(surface)?.index_buffer()? {
            Some(triangles) => ranges.push(triangles.byte_range()?),
            None => Ok(()),
        }
    }

    /// Adds the keys of some frames of each track. After the end of a track, its last key is used.
    fn push_frames(&self, clip: usize, frames: &Range<usize>, ranges: &mut RangeList) -> Result<()> {
        let animation = self.animation(clip)?;
        let count = as_index(animation.frame_count()?);
        if frames.is_empty() {
            return Ok(());
        }
        if frames.end > count {
            return Err(no_such(FORMAT, "frame", count, frames.end.saturating_sub(1)));
        }
        animation.tracks().try_for_each(|track| push_keys(&track, frames, ranges))
    }

    fn push_hulls(&self, ranges: &mut RangeList) -> Result<()> {
        let elements = &self.view().state.elements;
        [ElementKind::HullVertices, ElementKind::HullTriangles].into_iter().try_for_each(|kind| {
            (0..elements.count(kind)).try_for_each(|index| {
                let [start, end] = [elements.start(kind, index), elements.end(kind, index).map(as_u64)];
                ranges.push(start.unwrap_or_default()..end.unwrap_or_default())
            })
        })
    }
}

fn push_vertices(buffer: &VertexBuffer<'_>, ranges: &mut RangeList) -> Result<()> {
    if buffer.element.view.order().is_some() {
        buffer.vertices()?;
    }
    ranges.push(buffer.byte_range()?)
}

fn push_keys(track: &Track<'_>, frames: &Range<usize>, ranges: &mut RangeList) -> Result<()> {
    if track.element.view.order().is_none() {
        return ranges.push(track.element.block("keys", "keys")?.byte_range());
    }
    let Some(last) = as_index(track.frame_count()?).checked_sub(1) else { return Ok(()) };
    let [first, end] = [frames.start, frames.end.saturating_sub(1)].map(|frame| as_u64(frame.min(last)));
    let at = |frame: u64| frame.saturating_mul(TRANSFORM_SIZE.into());
    let start = track.offset()?.saturating_add(at(first));
    ranges.push_sized(start, at(end.saturating_add(1).saturating_sub(first)))
}

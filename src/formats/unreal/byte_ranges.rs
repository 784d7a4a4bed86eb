//! Implements [`ByteRanges`] for pairs: surfaces are polygons of the data file, and positions are
//! frames of the aniv file.

use std::ops::Range;

use super::file::Mesh;
use super::header::{FRAMES_AT, POLYGONS_AT, no_such};
use super::layout::RawPolygon;
use crate::array::Array as _;
use crate::error::Result;
use crate::math::{as_index, as_u64};
use crate::model::animation::Animations as _;
use crate::model::byte_ranges::RangeList;
use crate::model::{Attribute, ByteRanges, MeshFile as _, MeshSelection};

/// The index of the data file among the files of a mesh.
const DATA_FILE: usize = 0;
/// The index of the aniv file among the files of a mesh.
const ANIV_FILE: usize = 1;

impl<D: AsRef<[u8]> + Send + Sync> ByteRanges for Mesh<D> {
    fn byte_ranges(&self, source: usize, part: &MeshSelection) -> Result<Vec<Range<u64>>> {
        self.expect_source(source)?;
        part.expect_only_asset("unreal")?;
        let mut ranges = PairRanges { mesh: self, source, ranges: RangeList::default() };
        match part {
            MeshSelection::Structure => ranges.push_structure()?,
            MeshSelection::Surface(surface) => {
                ranges.push_polygons(*surface)?;
                ranges.push_base()?;
            }
            MeshSelection::Attribute { surface, attribute } => ranges.push_attribute(*surface, *attribute)?,
            MeshSelection::VertexFrames(frames) => ranges.push_frames(frames)?,
            MeshSelection::Clip(clip) => ranges.push_clip(*clip, &(0..as_index(self.clip(*clip)?.frames)))?,
            MeshSelection::Frames { clip, frames } => ranges.push_clip(*clip, frames)?,
            MeshSelection::Level { .. } => {
                (0..self.surface_count()?).try_for_each(|surface| ranges.push_polygons(surface))?;
                ranges.push_base()?;
            }
            MeshSelection::Hulls(_) | MeshSelection::CollisionMesh(_) | MeshSelection::Bones => {}
        }
        Ok(ranges.ranges.finish())
    }
}

/// Collects the byte ranges of a part in one file of a mesh.
struct PairRanges<'a, D> {
    mesh: &'a Mesh<D>,
    source: usize,
    ranges: RangeList,
}

impl<D: AsRef<[u8]> + Send + Sync> PairRanges<'_, D> {
    /// Adds the header and, because they contain the texture and the type of each polygon, all
    /// polygons of the data file. The whole script is structure.
    fn push_structure(&mut self) -> Result<()> {
        let end = match self.source {
            DATA_FILE => {
                self.mesh.polygons()?;
                self.mesh.header.polygons_end()
            }
            ANIV_FILE => FRAMES_AT,
            script => self.mesh.source(script).map_or(0, |script| as_u64(script.as_ref().len())),
        };
        self.ranges.push(0..end)
    }

    /// Adds the polygons of a surface.
    fn push_polygons(&mut self, surface: usize) -> Result<()> {
        let view = self.mesh.surface(surface)?;
        if self.source != DATA_FILE {
            return Ok(());
        }
        let size = as_u64(size_of::<RawPolygon>());
        view.numbers().iter().try_for_each(|number| {
            let start = POLYGONS_AT.saturating_add(u64::from(*number).saturating_mul(size));
            self.ranges.push_sized(start, size)
        })
    }

    /// Adds the positions of the base shape: those of the first frame that the file contains.
    fn push_base(&mut self) -> Result<()> {
        let bytes = as_u64(self.mesh.base_positions()?.as_bytes().len());
        if self.source == ANIV_FILE { self.ranges.push_sized(FRAMES_AT, bytes) } else { Ok(()) }
    }

    fn push_attribute(&mut self, surface: usize, attribute: Attribute) -> Result<()> {
        self.mesh.surface(surface)?;
        match attribute {
            Attribute::Uvs(0) | Attribute::Indices => self.push_polygons(surface),
            // The format stores no normals, but a request for them checks the positions.
            Attribute::Positions(target) | Attribute::TangentFrames(target) | Attribute::Normals(target) => {
                if target > 0 {
                    return Err(no_such("target", 1, target));
                }
                self.push_base()
            }
            _ => Ok(()),
        }
    }

    /// Adds the positions of some vertex frames.
    fn push_frames(&mut self, frames: &Range<usize>) -> Result<()> {
        let Some(last) = frames.end.checked_sub(1).filter(|_| !frames.is_empty()) else { return Ok(()) };
        let (header, size) = (self.mesh.header, self.mesh.header.vertex_bytes());
        let [start, end] = [frames.start, last].map(|frame| header.frame_at(as_u64(frame)));
        // If the last frame is in the file, all frames before it are.
        self.mesh.whole_frame(last).map_err(|error| match error.needed_range() {
            Some(needed) => error.needing(start.min(needed.start)..end.saturating_add(size)),
            None => error,
        })?;
        if self.source != ANIV_FILE {
            return Ok(());
        }
        frames.clone().try_for_each(|frame| self.ranges.push_sized(header.frame_at(as_u64(frame)), size))
    }

    /// Adds the vertex frames of some frames of a clip.
    fn push_clip(&mut self, clip: usize, frames: &Range<usize>) -> Result<()> {
        let found = self.mesh.clip(clip)?;
        if !frames.is_empty() && frames.end > as_index(found.frames) {
            return Err(no_such("frame", as_index(found.frames), frames.end.saturating_sub(1)));
        }
        let first = as_index(found.first_vertex_frame.unwrap_or_default());
        let [start, end] = [frames.start, frames.end].map(|frame| first.saturating_add(frame));
        self.push_frames(&(start..end))
    }
}

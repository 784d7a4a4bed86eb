//! Implements [`ByteRanges`] for mesh assets: the header is the structure, and every part is a
//! compressed block.

use std::ops::Range;

use super::asset_view::AssetView;
use super::file::Mesh;
use super::geometry::no_such;
use super::header::BlockRange;
use super::layout::{AssetPart, FORMAT, LITTLE_U32, LLSD};
use super::regions::visit_regions;
use super::validate::rules::BLOCK_OUTSIDE_FILE;
use crate::error::{Cause, Error, Field, Result, expect_only};
use crate::model::Lod;
use crate::model::byte_ranges::{RangeList, expect_no_frames};
use crate::model::{ByteRanges, MeshSelection};

impl<D: AsRef<[u8]> + Send + Sync> ByteRanges for Mesh<D> {
    fn byte_ranges(&self, source: usize, part: &MeshSelection) -> Result<Vec<Range<u64>>> {
        expect_only(FORMAT, "source", source)?;
        let (view, mut ranges) = (self.view(), RangeList::default());
        match part {
            MeshSelection::Structure => push_structure(view, &mut ranges)?,
            MeshSelection::Surface(_) | MeshSelection::Attribute { .. } => {
                push(view, highest_part(view)?, &mut ranges)?;
            }
            MeshSelection::VertexFrames(frames) => expect_no_frames(FORMAT, frames)?,
            MeshSelection::Clip(clip) | MeshSelection::Frames { clip, .. } => return Err(no_such("clip", 0, *clip)),
            MeshSelection::Bones => push(view, AssetPart::Skin, &mut ranges)?,
            MeshSelection::Level { asset, level } => {
                of_asset(view, *asset, |view| push_level(view, *level, &mut ranges))?;
            }
            MeshSelection::Hulls(asset) => {
                of_asset(view, *asset, |view| push(view, AssetPart::PhysicsConvex, &mut ranges))?;
            }
            MeshSelection::CollisionMesh(asset) => of_asset(view, *asset, |view| push_collision(view, &mut ranges))?,
        }
        Ok(ranges.finish())
    }
}

/// Adds the preamble, the header of each asset and the map of a container.
fn push_structure(view: AssetView<'_>, ranges: &mut RangeList) -> Result<()> {
    let mut pushed = Ok(());
    visit_regions(view, &mut |region| {
        let is_header = [LLSD, LITTLE_U32].contains(&region.element) || region.field.name() == "marker_line";
        if is_header && pushed.is_ok() {
            pushed = ranges.push(region.start..region.end);
        }
    })?;
    pushed
}

/// Adds the stored bytes of a block, if the asset has this block.
fn push(view: AssetView<'_>, part: AssetPart, ranges: &mut RangeList) -> Result<()> {
    let block = view.range_of(part)?;
    block.map_or(Ok(()), |block| ranges.push(block.start..block.end))
}

/// Calls `push` with the view of an asset of the file.
fn of_asset(view: AssetView<'_>, asset: usize, push: impl FnOnce(AssetView<'_>) -> Result<()>) -> Result<()> {
    push(AssetView::new(view.file(), &view.asset_state(asset)?))
}

/// Adds the block of a level of detail.
fn push_level(view: AssetView<'_>, level: usize, ranges: &mut RangeList) -> Result<()> {
    let header = view.header()?;
    let lod = header.lods().nth(level).ok_or_else(|| no_such("level", header.lods().count(), level))?;
    push(view, lod.part(), ranges)
}

/// Adds the block of the collision triangles, which has one of two names.
fn push_collision(view: AssetView<'_>, ranges: &mut RangeList) -> Result<()> {
    let mesh = view.range_of(AssetPart::PhysicsMesh)?;
    push(view, mesh.map_or(AssetPart::PhysicsShape, |block| block.part), ranges)
}

/// Returns the block of the highest level of detail.
fn highest_part(view: AssetView<'_>) -> Result<AssetPart> {
    let header = view.header()?;
    let nearest = Lod::High.nearest(|lod| header.has(lod.part()));
    nearest.map_or_else(|| Err(view.no_level(None)), |lod| Ok(lod.part()))
}

impl BlockRange {
    /// Makes the error for a block of an asset that was not fetched as a whole. `end` is the offset
    /// of the end of the asset.
    pub(super) fn not_fetched(&self, end: u64) -> Error {
        let expected = format!("bytes {}..{}, which were not fetched yet", self.start, self.end).into();
        // If a block that was not fetched starts after the end of the asset, the error has the end
        // offset of the asset.
        let (field, kind) = (Field::new(self.part.key()), Cause::Missing { expected });
        Error::new(FORMAT, field, self.start.min(end), kind).needing(self.start..self.end)
    }

    /// Makes the error for a block that ends after the end of its asset. An asset of a container
    /// ends before the file ends.
    pub(super) fn cut(&self, end: u64, is_contained: bool) -> Error {
        let (start, left) = (self.start.min(end), end.saturating_sub(self.start));
        let field = Field::new("size").in_struct(self.part.key());
        let error = Error::new(FORMAT, field, start, Cause::UnexpectedEnd { needed: self.len(), left })
            .breaking(&BLOCK_OUTSIDE_FILE);
        if is_contained { error.at_fixed_end() } else { error.needing(start..self.end) }
    }
}

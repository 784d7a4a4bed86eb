//! Implements the traits of files and assets that consist of compressed blocks.

use std::ops::Range;

use super::asset_block::{AssetBlock, InflateBuffer};
use super::asset_view::AssetView;
use super::edit::extract_available;
use super::file::Mesh;
use super::geometry::LevelGeometry;
use super::layout::AssetPart;
use super::properties::physics_in_words;
use crate::error::Result;
use crate::math::as_u64;
use crate::model::{
    BlockAsset, BlockFile, BlockView, Geometry, InflatedSummary, LevelFile, Lod, MaybeOwned, MeshFile, StoredBlock,
};
use crate::parse::{Finding, OpenOptions};

impl<D: AsRef<[u8]> + Send + Sync> BlockFile for Mesh<D> {
    fn opened(&self) -> &dyn BlockAsset {
        self
    }

    fn is_container(&self) -> bool {
        self.container().is_some()
    }

    fn options(&self) -> &OpenOptions {
        Self::options(self)
    }

    fn each_alone(&self, most: usize, visit: &mut dyn FnMut(&dyn BlockAsset)) {
        self.assets().take(most).for_each(|asset| visit(&asset));
    }
}

impl<D: AsRef<[u8]> + Send + Sync> BlockAsset for Mesh<D> {
    fn blocks(&self) -> Result<Vec<StoredBlock>> {
        let blocks = self.header()?.blocks().map(|stored| {
            let part = stored.part;
            StoredBlock { name: part.key(), kind: part.kind(), range: stored.start..stored.end }
        });
        Ok(blocks.collect())
    }

    fn lods(&self) -> Result<Vec<Lod>> {
        Ok(self.header()?.lods().collect())
    }

    fn stored(&self, block: &str) -> Result<Option<Range<u64>>> {
        let Some(part) = AssetPart::named(block) else { return Ok(None) };
        Ok(self.view().stored(part)?.map(|(range, _)| range.start..range.end))
    }

    fn check_lod(&self, lod: Lod) -> Result<()> {
        self.view().level(lod)?.check()
    }

    fn inflate(&self, block: &str) -> Result<Option<Box<dyn BlockView + '_>>> {
        let (view, Some(part)) = (self.view(), AssetPart::named(block)) else { return Ok(None) };
        match view.block(part)? {
            Some(block) => Ok(Some(Box::new(ViewedBlock { view, part, block }))),
            None => Ok(None),
        }
    }

    fn count(&self, block: &str) -> Result<Option<InflatedSummary>> {
        let Some(part) = AssetPart::named(block) else { return Ok(None) };
        let mut buffer = InflateBuffer::default();
        let Some(block) = self.view().block_into(part, &mut buffer)? else { return Ok(None) };
        let counts = block.level().ok().map(|level| {
            let triangles = level.submeshes().map(|submesh| submesh.map_or(0, |submesh| submesh.triangle_count()));
            (level.len(), triangles.fold(0, usize::saturating_add))
        });
        Ok(Some(InflatedSummary { bytes: as_u64(block.bytes().len()), counts }))
    }

    fn lod(&self, lod: Option<Lod>) -> Result<MaybeOwned<'_, dyn Geometry + '_>> {
        let header = self.header()?;
        let nearest = || Lod::High.nearest(|lod| header.has(lod.part())).unwrap_or(Lod::High);
        let level = LevelGeometry::new(self.view(), lod.unwrap_or_else(nearest).part());
        // The message of this error lists the levels of detail of the asset.
        level.level()?;
        Ok(MaybeOwned::Owned(Box::new(level)))
    }

    fn collision_block(&self) -> Result<MaybeOwned<'_, dyn Geometry + '_>> {
        let header = self.header()?;
        // `physics_shape` is the older name of the block `physics_mesh`.
        let is_older = !header.has(AssetPart::PhysicsMesh) && header.has(AssetPart::PhysicsShape);
        let part = if is_older { AssetPart::PhysicsShape } else { AssetPart::PhysicsMesh };
        let level = LevelGeometry::new(self.view(), part);
        level.level()?;
        Ok(MaybeOwned::Owned(Box::new(level)))
    }

    fn physics_in_words(&self) -> String {
        physics_in_words(self.view())
    }

    fn header_bytes(&self) -> u64 {
        let before = if self.preamble().is_some() { as_u64(self.asset_range().start) } else { 0 };
        self.header().map_or(0, |header| header.len().saturating_add(before))
    }

    fn touched(&self) -> u64 {
        self.touched_bytes().unwrap_or_default()
    }

    fn level_file(&self, lod: Lod, is_nearest: bool) -> Result<LevelFile> {
        let (view, header) = (self.view(), self.header()?);
        let nearest = lod.nearest(|lod| header.has(lod.part())).filter(|_| is_nearest);
        let level = nearest.unwrap_or(lod);
        let (bytes, left_out) = extract_available(view, level)?;
        Ok(LevelFile { block: level.key(), bytes, left_out })
    }
}

/// An inflated block of an asset.
struct ViewedBlock<'a> {
    view: AssetView<'a>,
    part: AssetPart,
    block: AssetBlock<'a>,
}

impl BlockView for ViewedBlock<'_> {
    fn size(&self) -> usize {
        self.block.bytes().len()
    }

    fn validate_structure(&self, report: &mut dyn FnMut(Finding)) {
        self.block.validate_structure(report);
    }

    fn geometry(&self) -> Result<Option<Box<dyn Geometry + '_>>> {
        if !self.part.is_geometry() {
            return Ok(None);
        }
        self.block.level()?;
        Ok(Some(Box::new(LevelGeometry::new(self.view, self.part))))
    }

    fn is_placeholder(&self, surface: usize) -> Result<bool> {
        Ok(self.block.level()?.submesh(surface)?.is_placeholder())
    }
}

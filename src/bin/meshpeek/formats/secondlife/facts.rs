//! Implements [`FormatFacts`] for Second Life assets.

use std::io;

use meshpeek::Geometry;
use meshpeek::secondlife::{Lod, Mesh, extract_available};
use meshpeek::unreal::companions::Pair;

use super::level_args::{LevelArgs, LodFilter, LodLevel};
use super::survey::AssetSurvey;
use super::{properties, values};
use crate::formats::facts::{DumpRequest, FormatFacts, LevelFile};
use crate::formats::sample::SampleKind;
use crate::formats::summary::{BlockSurvey, DescribedBlocks};
use crate::render::json_writer::JsonWriter;
use crate::render::values::Values;

impl<D: AsRef<[u8]> + Send + Sync> FormatFacts for Mesh<D> {
    fn sample(&self) -> SampleKind {
        SampleKind::SecondLife
    }

    fn has_properties(&self) -> bool {
        self.container().is_some() || self.view().header().is_ok()
    }

    fn write_properties(
        &self,
        _pair: Option<&Pair>,
        blocks: &DescribedBlocks<'_>,
        out: &mut JsonWriter<'_>,
    ) -> io::Result<()> {
        properties::write_properties(self, blocks, out)
    }

    fn survey_blocks(&self, levels: LodFilter) -> Option<BlockSurvey> {
        Some(AssetSurvey::of(self, levels))
    }

    fn asset_count(&self) -> usize {
        self.asset_count()
    }

    fn level(&self, options: &LevelArgs) -> meshpeek::Result<Option<Box<dyn Geometry + '_>>> {
        Ok(Some(Box::new(options.detail(self)?)))
    }

    fn extract_level(&self, level: LodLevel, nearest: bool) -> Option<meshpeek::Result<LevelFile>> {
        Some(extract(self, level.into(), nearest))
    }

    fn values(&self, request: &DumpRequest<'_>) -> anyhow::Result<Option<Box<dyn Values + '_>>> {
        Ok(values::values(&request.level.detail(self)?, request.surface, request.attribute)?)
    }
}

/// Encodes one level of detail as a separate asset. If the asset lacks this level and `nearest` is
/// true, the level that a viewer would show instead is encoded.
fn extract<D: AsRef<[u8]> + Send + Sync>(mesh: &Mesh<D>, level: Lod, nearest: bool) -> meshpeek::Result<LevelFile> {
    let view = mesh.view();
    let header = view.header()?;
    let has_level = |lod: Lod| header.has(lod.part());
    let level = if nearest { level.nearest(has_level).unwrap_or(level) } else { level };
    let (bytes, left_out) = extract_available(view, level)?;
    Ok(LevelFile { level: level.part().key(), bytes, left_out })
}

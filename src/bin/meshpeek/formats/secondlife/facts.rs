//! Implements [`FormatFacts`] for Second Life assets.

use meshpeek::Geometry;
use meshpeek::secondlife::{Lod, Mesh, extract_available};
use meshpeek::unreal::companions::Pair;
use serde_json::Value;

use super::level_args::{LevelArgs, LodFilter, LodLevel};
use super::survey::AssetSurvey;
use super::values;
use crate::formats::facts::{DumpRequest, FormatFacts, LevelFile};
use crate::formats::sample::SampleKind;
use crate::formats::summary::BlockSurvey;
use crate::render::values::Values;

impl<D: AsRef<[u8]> + Send + Sync> FormatFacts for Mesh<D> {
    fn sample(&self) -> SampleKind {
        SampleKind::SecondLife
    }

    /// Returns `null`, because the `properties` of a Second Life asset are part of the result of
    /// `survey_blocks`.
    fn properties(&self, _pair: Option<&Pair>) -> meshpeek::Result<Value> {
        Ok(Value::Null)
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

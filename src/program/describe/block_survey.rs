//! Collects the data about a file whose assets are compressed blocks: the content of the headers
//! and of the inflated blocks.

// Rule: this file sorts and maps by copies only.

use std::collections::BTreeMap;

use super::file_summary::{FileSummary, SummaryRequest};
use crate::export::SceneInput;
use crate::math::{as_index, as_u64};
use crate::model::blocks::MAX_DESCRIBED;
use crate::model::{
    BlockAsset, BlockContent, BlockFile, BlockSummary, BlockView, Counts, DescribedBlocks, InflatedSummary, Lod,
    StoredBlock,
};
use crate::program::input::InputAsset;
use crate::scene::options::damage;
use crate::{Animations, Bounds, Error, Finding, Surface};

use crate::program::formats::{GpuCounter, LodFilter, SurfaceInBlock, SurfaceLod, SurfaceSummary};

/// The maximum number of joints that are listed. A block of 1 MiB may declare 200,000 joints, and
/// its compressed form takes a thousandth of that.
pub const MAX_JOINTS: usize = 100_000;
/// The maximum number of findings per rule in the output. The text of the last of these findings
/// says that any further findings are left out.
const MAX_FINDINGS_PER_RULE: usize = 1001;
/// The maximum number of inflated bytes per compressed byte of a block.
const MAX_RATIO: u64 = 1032;
/// The number of inflated bytes that take about as long as the description of one submesh or bone.
const ITEM_WORK: usize = 64;

/// The data that have been collected about a file.
pub struct AssetSurvey<'a> {
    asset: &'a InputAsset,
    request: &'a SummaryRequest,
    summary: FileSummary,
    /// The number of findings in the summary for each rule that has findings.
    counts: BTreeMap<&'static str, usize>,
    /// The work that further blocks may take, as a number of inflated bytes. A container may hold
    /// many assets whose blocks inflate to a thousand times their size.
    inflatable: u64,
    /// The maximum number of bytes to which one block may inflate.
    largest_block: u64,
}

impl<'a> AssetSurvey<'a> {
    /// Describes the blocks of a file.
    pub fn of(
        asset: &'a InputAsset,
        file: &dyn BlockFile,
        request: &'a SummaryRequest,
        start: FileSummary,
    ) -> FileSummary {
        let asset_count = asset.model.contents().asset_count().unwrap_or_default();
        let limits = &file.options().limits;
        let mut found = Self {
            asset,
            request,
            summary: FileSummary {
                described: DescribedBlocks { blocks: Vec::new(), is_header_only: request.levels == LodFilter::None },
                left_out_blocks: [asset_count.saturating_sub(MAX_DESCRIBED), 0, 0],
                touched: asset.model.file().touched_bytes().unwrap_or_default(),
                ..start
            },
            counts: BTreeMap::new(),
            // The same number as for `validate`.
            inflatable: limits.asset.max(asset.size().saturating_mul(64)),
            largest_block: limits.block,
        };
        let mut index = 0;
        file.each_alone(MAX_DESCRIBED, &mut |asset| {
            let number = file.is_container().then_some(index);
            // When the file was opened, the header bytes of the asset that was chosen on the
            // command line were already counted as read.
            let is_opened = number.unwrap_or_default() == file.options().asset;
            let before = if is_opened { asset.header_bytes() } else { 0 };
            found.add_asset(asset, number);
            found.summary.touched = found.summary.touched.saturating_add(asset.touched().saturating_sub(before));
            index = index.saturating_add(1);
        });
        found.summary
    }

    /// Adds an asset to the survey.
    fn add_asset(&mut self, asset: &dyn BlockAsset, number: Option<usize>) {
        let levels = self.request.levels;
        // Errors in the header of the asset and missing blocks are not reported here, because the
        // method `findings` reports them as findings about the structure of the file.
        let (Ok(blocks), Ok(lods)) = (asset.blocks(), asset.lods()) else { return };
        let is_there = |lod: Lod| lods.contains(&lod);
        let nearest = match levels {
            LodFilter::One(level) if self.request.replaces_damaged => {
                self.best_whole(asset, &lods, level.lod().nearest(is_there), number)
            }
            LodFilter::One(level) => level.lod().nearest(is_there),
            LodFilter::All | LodFilter::None => None,
        };
        let is_wanted = |kind: BlockContent| match (levels, kind) {
            (LodFilter::None, _) => false,
            (LodFilter::All, _) => true,
            (LodFilter::One(_), BlockContent::Level(lod)) => nearest == Some(lod),
            (LodFilter::One(_), _) => matches!(kind, BlockContent::Skin | BlockContent::Hulls),
        };
        let mut has_hulls_left = false;
        for block in blocks {
            let is_there = asset.stored(block.name).is_ok();
            let is_inflated = is_there && is_wanted(block.kind) && self.inflatable > 0;
            let inflated = if is_inflated {
                self.inflate(asset, &block, number)
            } else if is_there && levels != LodFilter::None {
                self.count(asset, &block)
            } else {
                None
            };
            has_hulls_left |= block.kind == BlockContent::Hulls && inflated.is_none();
            self.summary.described.blocks.push(BlockSummary {
                asset: number,
                name: block.name,
                is_lod: matches!(block.kind, BlockContent::Level(_)),
                offset: block.range.start,
                bytes: block.range.end.saturating_sub(block.range.start),
                inflated,
            });
        }
        if levels != LodFilter::None && number.is_none() && !has_hulls_left {
            self.summary.physics = Some(asset.physics_in_words());
        }
        if levels != LodFilter::None && self.inflatable > 0 && self.summary.bones.is_empty() {
            // An error in the skin is a finding about the block of the skin.
            let count = asset.animations().bone_count().unwrap_or_default();
            self.summary.bones = bones(asset.animations(), count.min(MAX_JOINTS));
            let [_, _, joints] = &mut self.summary.left_out_blocks;
            *joints = count.saturating_sub(MAX_JOINTS);
            self.charge(self.summary.bones.len().saturating_mul(ITEM_WORK));
        }
    }

    /// Returns the highest level of detail that is whole, or `first` if all of them are damaged.
    /// Adds a finding for each damaged level above it.
    fn best_whole(
        &mut self,
        asset: &dyn BlockAsset,
        lods: &[Lod],
        first: Option<Lod>,
        number: Option<usize>,
    ) -> Option<Lod> {
        let best = lods.iter().copied().find(|lod| asset.check_lod(*lod).is_ok()).filter(|best| Some(*best) != first);
        let Some(best) = best else { return first };
        for damaged in lods.iter().copied().take_while(|lod| *lod != best) {
            if let Err(error) = asset.check_lod(damaged) {
                self.charge_error(asset, damaged.key(), &error);
                let is_stored = asset.stored(damaged.key()).is_ok();
                let container = number.map(|number| format!("asset {number}, ")).unwrap_or_default();
                let [damaged, best] = [damaged, best].map(Lod::key);
                let why = damage(&error);
                let text = format!("{container}{best}, because {damaged} is {why}: {error}");
                self.summary.remarks.push(("level", text));
                // An error in the header entry of a block is a finding about the structure.
                if is_stored {
                    self.value_or_finding::<()>(Err(error), number);
                }
            }
        }
        Some(best)
    }

    /// Counts the triangles of a level that is not described, if they are requested. The inflated
    /// bytes are freed. A damaged level has no counts.
    fn count(&mut self, asset: &dyn BlockAsset, block: &StoredBlock) -> Option<InflatedSummary> {
        let is_counted = self.request.counts_levels && matches!(block.kind, BlockContent::Level(_));
        if !is_counted || self.inflatable == 0 {
            return None;
        }
        match asset.count(block.name) {
            Ok(counted) => {
                let counted = counted?;
                self.charge(usize::try_from(counted.bytes).unwrap_or(usize::MAX));
                Some(counted).filter(|counted| counted.counts.is_some())
            }
            Err(error) => {
                self.charge_error(asset, block.name, &error);
                None
            }
        }
    }

    fn inflate(
        &mut self,
        asset: &dyn BlockAsset,
        block: &StoredBlock,
        number: Option<usize>,
    ) -> Option<InflatedSummary> {
        let inflated = asset.inflate(block.name);
        if let Err(error) = &inflated {
            self.charge_error(asset, block.name, error);
        }
        let inflated = self.value_or_finding(inflated, number)??;
        inflated.validate_structure(&mut |finding| self.add_finding(finding, number));
        let bytes = as_u64(inflated.size());
        self.charge(inflated.size());
        let level = inflated.geometry();
        let Some(level) = self.value_or_finding(level, number).flatten() else {
            return Some(InflatedSummary { bytes, counts: None });
        };
        let count = level.surface_count().unwrap_or_default();
        self.charge(count.saturating_mul(ITEM_WORK));
        let mut gpu = GpuCounter::new(SceneInput::new(&self.asset.model), self.request.gpu);
        let triangles = level
            .surfaces()
            .into_iter()
            .flatten()
            .map(|surface| self.surface(block, &*inflated, &surface, number, &mut gpu));
        let triangles = triangles.fold(0_usize, usize::saturating_add);
        Some(InflatedSummary { bytes, counts: Some((count, triangles)) })
    }

    /// Subtracts the work for `bytes` inflated bytes from the work that is left.
    fn charge(&mut self, bytes: usize) {
        self.inflatable = self.inflatable.saturating_sub(u64::try_from(bytes).unwrap_or(u64::MAX));
    }

    /// Subtracts the work for a block that could not be read: the maximum number of bytes to which
    /// the compressed bytes before the error can inflate.
    fn charge_error(&mut self, asset: &dyn BlockAsset, block: &str, error: &Error) {
        let Ok(Some(range)) = asset.stored(block) else { return };
        // An error in an inflated value comes after the whole block was inflated.
        let is_inflated = error.inflated_offset().is_some();
        let end = error.offset().filter(|_| !is_inflated).unwrap_or(range.end);
        let read = end.saturating_sub(range.start).min(range.end.saturating_sub(range.start));
        self.inflatable = self.inflatable.saturating_sub(read.saturating_mul(MAX_RATIO).min(self.largest_block));
    }

    /// Adds the description of a surface to the survey, and returns the number of its triangles.
    /// Arrays that cannot be decoded are omitted.
    fn surface(
        &mut self,
        block: &StoredBlock,
        inflated: &dyn BlockView,
        surface: &Surface<'_>,
        asset: Option<usize>,
        gpu: &mut GpuCounter<'_>,
    ) -> usize {
        let index = surface.index();
        let Some(is_placeholder) = self.value_or_finding(inflated.is_placeholder(index), asset) else { return 0 };
        // A surface whose arrays cannot be read has the base shape, without vertices.
        let counts = surface.counts().unwrap_or(Counts { targets: 1, ..Counts::default() });
        let triangles = as_index(counts.corners / 3);
        if self.summary.surfaces.len() >= MAX_DESCRIBED {
            let [_, surfaces, _] = &mut self.summary.left_out_blocks;
            *surfaces = surfaces.saturating_add(1);
            return triangles;
        }
        let bounds = self.value_or_finding(surface.bounds(), asset).unwrap_or(Bounds::EMPTY);
        self.summary.bounds = self.summary.bounds.union(&bounds);
        let text = |name: crate::Name<'_>| name.to_string_lossy();
        self.summary.surfaces.push(SurfaceSummary {
            colors_are_data: surface.colors_are_data(),
            shares: false,
            index,
            lod: Some(SurfaceLod::Block(block.name)),
            is_counted: true,
            name: surface.name().map(text).unwrap_or_default(),
            material: surface.material().ok().flatten().map(text),
            bounds,
            is_whole: true,
            counts,
            gpu: gpu.size(surface, &counts, false),
            drawn: matches!(block.kind, BlockContent::Level(_)) && !is_placeholder,
            style: String::new(),
            in_block: Some(SurfaceInBlock { asset, is_placeholder }),
        });
        triangles
    }

    /// Returns the value of `result`. If `result` is an error, adds a finding for the error and
    /// returns `None`.
    fn value_or_finding<T>(&mut self, result: Result<T, Error>, asset: Option<usize>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                if let Some(finding) = crate::finding(&error) {
                    self.add_finding(finding, asset);
                }
                None
            }
        }
    }

    /// Adds a finding to the survey, unless the survey already contains the maximum number of
    /// findings for the same rule.
    fn add_finding(&mut self, mut finding: Finding, asset: Option<usize>) {
        let count = self.counts.entry(finding.rule).or_default();
        if *count < MAX_FINDINGS_PER_RULE {
            *count = count.saturating_add(1);
            let is_last = *count == MAX_FINDINGS_PER_RULE;
            let end = if is_last { "; any further findings by this rule are left out" } else { "" };
            let asset = asset.and_then(|asset| u64::try_from(asset).ok());
            if let Some(asset) = asset {
                finding.field = finding.field.in_outer_list("asset", asset);
            }
            finding.text += end;
            self.summary.findings.push(finding);
        }
    }
}

fn bones(animations: &dyn Animations, count: usize) -> Vec<(String, i32)> {
    let bones = (0..count).filter_map(|bone| animations.bone(bone).ok());
    bones.map(|bone| (bone.name.to_string_lossy(), bone.parent)).collect()
}

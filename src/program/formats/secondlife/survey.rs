//! Collects the data about a Second Life file that `info` prints: the content of the headers and of
//! the inflated blocks.

// Rule: this file sorts and maps by copies only.

use std::collections::BTreeMap;

use crate::export::SceneInput;
use crate::formats::secondlife::{AssetPart, AssetView, InflateBuffer, Level, LevelGeometry, Lod, Mesh};
use crate::model::Counts;
use crate::scene::levels::damage;
use crate::{Animations as _, Bounds, Error, Finding, MeshFile as _, Surface};

use super::level_args::LodFilter;
use super::properties::physics_in_words;
use crate::program::formats::gpu_size::GpuCounter;
use crate::program::formats::summary::{
    BlockSummary, BlockSurvey, DescribedBlocks, InflatedSummary, SurfaceInBlock, SurfaceLod, SurfaceSummary,
};

/// The maximum number of assets, of blocks and of surfaces that are described. A small file may
/// declare a million assets or surfaces.
pub const MAX_DESCRIBED: usize = 4096;
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

/// The data to collect about a Second Life file.
#[derive(Clone, Copy)]
pub struct SurveyRequest {
    pub levels: LodFilter,
    /// Whether the best whole level is described if the chosen one is damaged.
    pub replaces_damaged: bool,
    /// Whether the triangles of all levels are counted.
    pub counts_levels: bool,
    /// Whether all indices may be read to count the vertices on a GPU.
    pub counts_gpu: bool,
}

/// The data that have been collected about a Second Life file.
pub struct AssetSurvey {
    request: SurveyRequest,
    survey: BlockSurvey,
    /// The number of findings in the survey for each rule that has findings.
    counts: BTreeMap<&'static str, usize>,
    /// The work that further blocks may take, as a number of inflated bytes. A container may hold
    /// many assets whose blocks inflate to a thousand times their size.
    inflatable: u64,
    /// The maximum number of bytes to which one block may inflate.
    largest_block: u64,
}

impl AssetSurvey {
    pub fn of<D: AsRef<[u8]> + Send + Sync>(mesh: &Mesh<D>, request: SurveyRequest) -> BlockSurvey {
        let mut found = Self {
            request,
            survey: BlockSurvey {
                described: DescribedBlocks {
                    blocks: Vec::new(),
                    levels: request.levels,
                    left_out: [mesh.asset_count().saturating_sub(MAX_DESCRIBED), 0, 0],
                },
                surfaces: Vec::new(),
                bones: Vec::new(),
                bounds: Bounds::EMPTY,
                findings: Vec::new(),
                replaced: Vec::new(),
                physics: None,
                touched: mesh.touched_bytes().unwrap_or_default(),
            },
            counts: BTreeMap::new(),
            inflatable: inflatable(mesh),
            largest_block: mesh.options().limits.block,
        };
        let in_container = mesh.container().is_some();
        for (number, asset) in mesh.assets().take(MAX_DESCRIBED).enumerate() {
            let number = in_container.then_some(number);
            // When the file was opened, the header bytes of the asset that was chosen on the
            // command line were already counted as read.
            let before = if number.unwrap_or_default() == mesh.options().asset { header_bytes(&asset) } else { 0 };
            found.add_asset(&asset, number);
            let touched = asset.touched_bytes().unwrap_or_default();
            found.survey.touched = found.survey.touched.saturating_add(touched.saturating_sub(before));
        }
        found.survey
    }

    /// Adds an asset to the survey.
    fn add_asset(&mut self, asset: &Mesh<&[u8]>, number: Option<usize>) {
        let (view, levels) = (asset.view(), self.survey.described.levels);
        // Errors in the header of the asset and missing blocks are not reported here, because the
        // method `findings` reports them as findings about the structure of the file.
        let Ok(header) = view.header() else { return };
        let is_there = |lod: Lod| header.has(lod.part());
        let nearest = match levels {
            LodFilter::One(level) if self.request.replaces_damaged => {
                self.best_whole(view, level.lod().nearest(is_there), number)
            }
            LodFilter::One(level) => level.lod().nearest(is_there),
            LodFilter::All | LodFilter::None => None,
        };
        let nearest = nearest.map(Lod::part);
        let is_wanted = |part: AssetPart| match levels {
            LodFilter::None => false,
            LodFilter::All => true,
            LodFilter::One(_) => nearest == Some(part) || matches!(part, AssetPart::Skin | AssetPart::PhysicsConvex),
        };
        for stored in header.blocks() {
            let part = stored.part;
            let is_there = view.stored(part).is_ok();
            let is_inflated = is_there && is_wanted(part) && self.inflatable > 0;
            let inflated = if is_inflated {
                self.inflate(asset, part, number)
            } else if is_there && levels != LodFilter::None {
                self.count(view, part)
            } else {
                None
            };
            self.survey.described.blocks.push(BlockSummary {
                asset: number,
                name: part.key(),
                is_lod: part.lod().is_some(),
                offset: stored.start,
                bytes: stored.len(),
                inflated,
            });
        }
        let is_read = |block: &BlockSummary| block.name != AssetPart::PhysicsConvex.key() || block.inflated.is_some();
        if levels != LodFilter::None && number.is_none() && self.survey.described.blocks.iter().all(is_read) {
            self.survey.physics = Some(physics_in_words(view));
        }
        if levels != LodFilter::None && self.inflatable > 0 && self.survey.bones.is_empty() {
            // An error in the skin is a finding about the block of the skin.
            let count = asset.bone_count().unwrap_or_default();
            self.survey.bones = bones(asset, count.min(MAX_JOINTS));
            let [_, _, joints] = &mut self.survey.described.left_out;
            *joints = count.saturating_sub(MAX_JOINTS);
            self.charge(self.survey.bones.len().saturating_mul(ITEM_WORK));
        }
    }

    /// Returns the highest level of detail that is whole, or `first` if all of them are damaged.
    /// Adds a finding for each damaged level above it.
    fn best_whole(&mut self, view: AssetView<'_>, first: Option<Lod>, number: Option<usize>) -> Option<Lod> {
        let levels: Vec<Lod> = view.header().ok()?.lods().collect();
        let is_whole = |lod: &Lod| view.level(*lod).and_then(|level| level.check()).is_ok();
        let best = levels.iter().copied().find(is_whole).filter(|best| Some(*best) != first);
        let Some(best) = best else { return first };
        for damaged in levels.into_iter().take_while(|lod| *lod != best) {
            let error = view.level(damaged).and_then(|level| level.check()).err();
            if let Some(error) = error {
                self.charge_error(view, damaged.part(), &error);
                let is_stored = view.stored(damaged.part()).is_ok();
                let asset = number.map(|asset| format!("asset {asset}, ")).unwrap_or_default();
                let [damaged, best] = [damaged, best].map(|lod| lod.part().key());
                let why = damage(&error);
                self.survey.replaced.push(format!("{asset}{best}, because {damaged} is {why}: {error}"));
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
    fn count(&mut self, view: AssetView<'_>, part: AssetPart) -> Option<InflatedSummary> {
        part.lod().filter(|_| self.request.counts_levels && self.inflatable > 0)?;
        let mut buffer = InflateBuffer::default();
        match view.block_into(part, &mut buffer) {
            Ok(block) => {
                let block = block?;
                self.charge(block.bytes().len());
                let bytes = u64::try_from(block.bytes().len()).unwrap_or(u64::MAX);
                let level = block.level().ok()?;
                let triangles = level.submeshes().map(|submesh| submesh.map_or(0, |submesh| submesh.triangle_count()));
                let triangles = triangles.fold(0, usize::saturating_add);
                Some(InflatedSummary { bytes, counts: Some((level.len(), triangles)) })
            }
            Err(error) => {
                self.charge_error(view, part, &error);
                None
            }
        }
    }

    fn inflate(&mut self, mesh: &Mesh<&[u8]>, part: AssetPart, asset: Option<usize>) -> Option<InflatedSummary> {
        let view = mesh.view();
        let block = view.block(part);
        if let Err(error) = &block {
            self.charge_error(view, part, error);
        }
        let block = self.value_or_finding(block, asset)??;
        block.validate_structure(&mut |finding| self.add_finding(finding, asset));
        let bytes = u64::try_from(block.bytes().len()).unwrap_or(u64::MAX);
        self.charge(block.bytes().len());
        if !part.is_geometry() {
            return Some(InflatedSummary { bytes, counts: None });
        }
        let Some(level) = self.value_or_finding(block.level(), asset) else {
            return Some(InflatedSummary { bytes, counts: None });
        };
        self.charge(level.len().saturating_mul(ITEM_WORK));
        let mut gpu = GpuCounter::new(SceneInput::new(mesh.contents()), self.request.counts_gpu);
        let triangles = (0..level.len()).map(|index| self.surface(view, &level, index, asset, &mut gpu));
        let triangles = triangles.fold(0_usize, usize::saturating_add);
        Some(InflatedSummary { bytes, counts: Some((level.len(), triangles)) })
    }

    /// Subtracts the work for `bytes` inflated bytes from the work that is left.
    fn charge(&mut self, bytes: usize) {
        self.inflatable = self.inflatable.saturating_sub(u64::try_from(bytes).unwrap_or(u64::MAX));
    }

    /// Subtracts the work for a block that could not be read: the maximum number of bytes to which
    /// the compressed bytes before the error can inflate.
    fn charge_error(&mut self, view: AssetView<'_>, part: AssetPart, error: &Error) {
        let Ok(Some((range, _))) = view.stored(part) else { return };
        // An error in an inflated value comes after the whole block was inflated.
        let is_inflated = error.inflated_offset().is_some();
        let end = error.offset().filter(|_| !is_inflated).unwrap_or(range.end);
        let read = end.saturating_sub(range.start).min(range.len());
        self.inflatable = self.inflatable.saturating_sub(read.saturating_mul(MAX_RATIO).min(self.largest_block));
    }

    /// Adds the description of a submesh to the survey, and returns the number of triangles of the
    /// submesh. Arrays that cannot be decoded are omitted.
    fn surface(
        &mut self,
        view: AssetView<'_>,
        level: &Level<'_>,
        index: usize,
        asset: Option<usize>,
        gpu: &mut GpuCounter<'_>,
    ) -> usize {
        let Some(submesh) = self.value_or_finding(level.submesh(index), asset) else { return 0 };
        if self.survey.surfaces.len() >= MAX_DESCRIBED {
            let [_, surfaces, _] = &mut self.survey.described.left_out;
            *surfaces = surfaces.saturating_add(1);
            return submesh.triangle_count();
        }
        let detail = LevelGeometry::new(view, level.part());
        let surface = Surface::new(&detail, index);
        let bounds = self.value_or_finding(surface.bounds(), asset).unwrap_or(Bounds::EMPTY);
        self.survey.bounds = self.survey.bounds.union(&bounds);
        let text = |name: crate::Name<'_>| name.to_string_lossy();
        let counts = surface.counts().unwrap_or_else(|_| no_counts());
        self.survey.surfaces.push(SurfaceSummary {
            colors_are_data: surface.colors_are_data(),
            shares: false,
            index,
            lod: Some(SurfaceLod::Block(level.part().key())),
            is_counted: true,
            name: surface.name().map(text).unwrap_or_default(),
            material: surface.material().ok().flatten().map(text),
            bounds,
            is_whole: true,
            counts,
            gpu: gpu.size(&surface, &counts, false),
            drawn: level.part().lod().is_some() && !submesh.is_placeholder(),
            style: String::new(),
            in_block: Some(SurfaceInBlock { asset, is_placeholder: submesh.is_placeholder() }),
        });
        submesh.triangle_count()
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
            self.survey.findings.push(finding);
        }
    }
}

/// Returns the number of inflated bytes that all described blocks of a file may have: the same
/// number as for `validate`.
fn inflatable<D: AsRef<[u8]> + Send + Sync>(mesh: &Mesh<D>) -> u64 {
    let length = u64::try_from(mesh.data().as_ref().len()).unwrap_or(u64::MAX);
    mesh.options().limits.asset.max(length.saturating_mul(64))
}

fn header_bytes(asset: &Mesh<&[u8]>) -> u64 {
    let range = asset.asset_range();
    let before = if asset.preamble().is_some() { range.start } else { 0 };
    let before = u64::try_from(before).unwrap_or_default();
    asset.header().map_or(0, |header| header.len().saturating_add(before))
}

fn bones(asset: &Mesh<&[u8]>, count: usize) -> Vec<(String, i32)> {
    let bones = (0..count).filter_map(|bone| asset.bone(bone).ok());
    bones.map(|bone| (bone.name.to_string_lossy(), bone.parent)).collect()
}

/// Returns the counts of a surface whose arrays cannot be read: the base shape, without vertices.
fn no_counts() -> Counts {
    Counts { targets: 1, ..Counts::default() }
}

//! `bench --stream`: flies over a mesh or a folder of assets while its parts are streamed.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context as _, bail};
use clap::Args;

use crate::formats::{WriteAsset, sample_kinds};
use crate::gpu::{Semantic, VertexFormat, VertexLayout};
use crate::io::FileBytes;
use crate::math::as_index;
use crate::program::args::{Global, WalkArgs};
use crate::program::bench::measure;
use crate::program::bench::memory::{self, Usage};
use crate::program::bench::mesh_files::generate;
use crate::program::bench::stream::flight::{Flight, fly};
use crate::program::bench::stream::mesh::{MeshScene, read_boxes, reader};
use crate::program::bench::stream::plot;
use crate::program::bench::stream::report::{self, FlightSubject};
use crate::program::bench::stream::world::WorldScene;
use crate::program::input::bytes::map;
use crate::program::input::paths::InputPaths;
use crate::program::outcome::{Outcome, usage};
use crate::program::output::text::shown;
use crate::program::output::units;
use crate::streaming::{AssetLevels, MapRegions, MemoryTarget, MeshParts, PartVertices, StreamOptions, Streamer};
use crate::{Map, Model};

use super::bench::{BenchArgs, is_pair, parse_size};

/// The size of a generated mesh or world, in bytes, if `--size` is not given.
const DEFAULT_SIZE: u64 = 100_000_000;
/// The least and the greatest budget in bytes, and the part of the file that it is between them, if
/// `--budget` is not given.
const DEFAULT_BUDGETS: [u64; 2] = [16_000_000, 256_000_000];
const BUDGET_SHARE: u64 = 15;
/// The same for a folder, whose assets are larger in memory than in their files.
const DEFAULT_FOLDER_BUDGETS: [u64; 2] = [64_000_000, 256_000_000];
/// The part of the budget that only the coarsest levels of assets take.
const PINNED_SHARE: u64 = 4;
/// The greatest size of a region, and the least and the greatest size of the indices of a part, in
/// bytes.
const REGION_BYTES: u32 = 256 << 10;
const PART_INDEX_BYTES: [u32; 2] = [64 << 10, 256 << 10];
/// The part of the budget that the indices of a part take, between these sizes.
const PART_SHARE: u64 = 1000;
/// The greatest number of files that are mapped at a time.
const MAX_MAPS: usize = 4096;
/// The greatest number of requests for parts of a mesh at a time.
const MAX_REQUESTS: u32 = 1024;
/// The greatest number of requests for levels of assets at a time.
const MAX_ASSET_REQUESTS: u32 = 1 << 14;
/// The size of a generated asset in bytes, and the number of different ones.
const ASSET_BYTES: u64 = 8_000;
const DIFFERENT_ASSETS: usize = 64;

#[derive(Debug, Args)]
pub struct StreamArgs {
    /// Fly over a mesh or over a folder of assets, and stream the visible parts
    ///
    /// Measures page faults, waits and memory instead of comparing loaders.
    #[arg(long, conflicts_with = "rounds")]
    pub stream: bool,
    /// Number of frames of the flight
    #[arg(long, value_name = "N", default_value = "10000", requires = "stream", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    frames: u32,
    /// Memory for streamed data, in bytes or with the suffix K, M or G [default: a fifteenth of the
    /// data, from 16M (mesh) or 64M (folder) to 256M]
    #[arg(long, value_name = "SIZE", value_parser = parse_size, requires = "stream")]
    budget: Option<u64>,
    /// Number of threads that load
    #[arg(long, value_name = "N", default_value = "2", requires = "stream", value_parser = clap::value_parser!(u8).range(1..=64))]
    workers: u8,
}

impl StreamArgs {
    pub fn run(&self, input: &BenchArgs, scratch: &Path, global: &Global) -> anyhow::Result<Outcome> {
        for (count, option) in [(input.size.len(), "--size"), (input.format.len(), "--format")] {
            if count > 1 {
                usage!("bench: --stream takes one {option}; give it once");
            }
        }
        let size = input.size.first().copied().unwrap_or(DEFAULT_SIZE);
        let [first, ..] = sample_kinds();
        let kind = input.format.first().copied().unwrap_or(first);
        let (subject, flight) = match &input.file {
            Some(path) if path.is_dir() => self.fly_over_folder(path, folder_name(path), global)?,
            Some(path) => self.fly_over_mesh(path, measure::file_name(path), global)?,
            None => {
                if let Some((extension, write)) = kind.asset {
                    generate_world(size, extension, write, scratch)?;
                    self.fly_over_folder(scratch, format!("{} of assets", units::bytes(size)), global)?
                } else {
                    let files = generate(kind, size, scratch)?;
                    let name = format!("{} {}", units::bytes(measure::size(&files)?), kind.id);
                    self.fly_over_mesh(&files.data, name, global)?
                }
            }
        };
        let (json, text) = (
            || report::to_json(&subject, &flight),
            |out: &mut dyn std::io::Write| report::print(out, &subject, &flight),
        );
        input.print(json, text, || plot::draw(&subject, &flight), global)
    }

    /// Returns the budget for data of `bytes` bytes.
    fn budget(&self, bytes: u64, [least, most]: [u64; 2]) -> u64 {
        self.budget.unwrap_or_else(|| (bytes / BUDGET_SHARE).clamp(least, most))
    }

    fn options(&self, budget: u64, requests: u32) -> StreamOptions {
        let workers = usize::from(self.workers);
        StreamOptions::default().with_budget(budget).with_workers(workers).with_requests(requests)
    }

    fn fly_over_mesh(&self, path: &Path, name: String, global: &Global) -> anyhow::Result<(FlightSubject, Flight)> {
        let open = || -> crate::Result<(Arc<Map>, Model<FileBytes>)> {
            let map = Arc::new(map(path)?);
            let options = crate::OpenOptions::default();
            Ok((Arc::clone(&map), Model::open_with(FileBytes::Map(map), &options)?))
        };
        let open = || open().map_err(|error| error.at_path(path));
        if is_pair(path, global)? {
            usage!(
                "{}: bench: --stream expects a mesh in one file, found an Unreal mesh; use another format",
                shown(path)
            );
        }
        let (map, model) = open()?;
        let bytes = u64::try_from((*map).as_ref().len())?;
        let budget = self.budget(bytes, DEFAULT_BUDGETS);
        let [least, most] = PART_INDEX_BYTES;
        let index_bytes = u32::try_from(budget / PART_SHARE).unwrap_or(most).clamp(least, most);
        let parts = Arc::new(MeshParts::new(&model, index_bytes).map_err(|error| error.at_path(path))?);
        drop((map, model));
        memory::evict(path).with_context(|| format!("{}: cannot be read", shown(path)))?;

        let (before, start) = (Usage::now(), Instant::now());
        let (map, model) = open()?;
        let (elapsed, surfaces) = read_boxes(&model, start).map_err(|error| error.at_path(path))?;
        let read = Usage::now().since(&before).read.unwrap_or_default();
        let boxes = Some((elapsed.as_secs_f64() * 1e3, read, surfaces));
        let items = u64::try_from(parts.len())?;
        let requests = u32::try_from(parts.len().max(64))?;
        let options = self.options(budget, requests.min(MAX_REQUESTS));
        let is_mapped = parts.iter().all(|part| !part.is_block) && has_mapped_arrays(&map, &model, &parts)?;
        let flight = if is_mapped {
            let geometry = model.geometry();
            let mut ranges = Vec::new();
            for part in parts.iter() {
                let surface = geometry.surface(as_index(part.surface))?;
                MeshParts::arrays(&surface, part, |bytes| ranges.extend(map.range_of(bytes)))?;
            }
            let regions = Arc::new(MapRegions::with_ranges(map, REGION_BYTES, &ranges)?);
            drop(ranges);
            let content = Arc::clone(&regions);
            let items_of = |part: &crate::streaming::MeshPart, _, items: &mut Vec<_>| {
                let surface = geometry.surface(as_index(part.surface))?;
                MeshParts::arrays(&surface, part, |bytes| items.extend(content.items_of(bytes)))
            };
            let read = reader(geometry, &parts)?;
            let mut scene = MeshScene::new(Arc::clone(&parts), Arc::clone(&regions), budget, items_of, read)?;
            fly(&mut scene, &mut Streamer::new(regions, &options)?, self.frames)?
        } else {
            let content = PartVertices::new(Arc::new(model), Arc::clone(&parts), [layout()?], MemoryTarget)?;
            let content = Arc::new(content.with_map(map));
            let item = Arc::clone(&content);
            let items_of = |_: &crate::streaming::MeshPart, number, items: &mut Vec<_>| {
                items.push(item.item(number, 0));
                Ok(())
            };
            let read = Box::new(u64::from);
            let mut scene = MeshScene::new(Arc::clone(&parts), Arc::clone(&content), budget, items_of, read)?;
            fly(&mut scene, &mut Streamer::new(content, &options)?, self.frames)?
        };
        let subject = FlightSubject { name, bytes, budget, items, unit: "parts", boxes, inflated_per_shown: None };
        Ok((subject, flight))
    }

    fn fly_over_folder(&self, folder: &Path, name: String, global: &Global) -> anyhow::Result<(FlightSubject, Flight)> {
        let inputs = InputPaths::expand(&[folder.to_owned()], &WalkArgs::default())?;
        inputs.note_unused(global);
        let paths: Vec<PathBuf> = inputs.paths.into_iter().map(|input| input.path).collect();
        if paths.is_empty() {
            bail!("{}: expected meshes in the folder, found none", shown(folder));
        }
        let mut bytes = 0_u64;
        for path in &paths {
            let context = || format!("{}: cannot be read", shown(path));
            memory::evict(path).with_context(context)?;
            bytes = bytes.saturating_add(std::fs::metadata(path).with_context(context)?.len());
        }
        let assets = u32::try_from(paths.len())?;
        let budget = self.budget(bytes, DEFAULT_FOLDER_BUDGETS);
        let options = self.options(budget, assets.clamp(64, MAX_ASSET_REQUESTS));
        let options = options.with_ranges_per_request(1).with_pinned_budget(budget / PINNED_SHARE);
        let open_map = move |asset: u32| map(paths.get(as_index(asset)).map_or(Path::new(""), PathBuf::as_path));
        let content = AssetLevels::new(assets, MAX_MAPS, open_map, Model::open, layout()?, MemoryTarget)?;
        let content = Arc::new(content);
        let item_content = Arc::clone(&content);
        let mut scene = WorldScene::new(assets, move |asset, level| item_content.item(asset, level));
        let flight = fly(&mut scene, &mut Streamer::new(content, &options)?, self.frames)?;
        let (items, inflated_per_shown) = (assets.into(), scene.inflated_per_shown());
        let subject = FlightSubject { name, bytes, budget, items, unit: "assets", boxes: None, inflated_per_shown };
        Ok((subject, flight))
    }
}

fn folder_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

fn layout() -> crate::Result<VertexLayout> {
    VertexLayout::packed(&[
        (Semantic::Position, VertexFormat::Float32x3),
        (Semantic::Normal, VertexFormat::Snorm8x4),
        (Semantic::Uv(0), VertexFormat::Float16x2),
    ])
}

/// Returns whether the arrays of the first part are borrowed from the map.
fn has_mapped_arrays(map: &Map, model: &Model<FileBytes>, parts: &MeshParts) -> crate::Result<bool> {
    let Some(part) = parts.first() else { return Ok(false) };
    let mut is_mapped = true;
    let surface = model.surface(as_index(part.surface))?;
    MeshParts::arrays(&surface, part, |bytes| is_mapped &= bytes.is_empty() || map.range_of(bytes).is_some())?;
    Ok(is_mapped)
}

/// Writes assets of about `size` bytes together to a folder. `write` writes an asset of about some
/// bytes.
fn generate_world(size: u64, extension: &str, write: WriteAsset, folder: &Path) -> anyhow::Result<()> {
    let context = || format!("{}: cannot be written", shown(folder));
    let mut assets = Vec::new();
    for number in 0..DIFFERENT_ASSETS {
        let mut asset = Vec::new();
        let extra = u64::try_from(number)?.saturating_mul(ASSET_BYTES / 64);
        write(ASSET_BYTES.saturating_add(extra), &mut asset)?;
        assets.push(asset);
    }
    let (mut written, mut number) = (0_u64, 0_u64);
    for asset in assets.iter().cycle() {
        if written >= size {
            break;
        }
        // A folder of 1,000 files is listed faster than one of 100,000.
        let inner = folder.join(format!("{:03}", number / 1000));
        if number % 1000 == 0 {
            std::fs::create_dir(&inner).with_context(context)?;
        }
        std::fs::write(inner.join(format!("{number:06}.{extension}")), asset).with_context(context)?;
        written = written.saturating_add(u64::try_from(asset.len())?);
        number = number.saturating_add(1);
    }
    Ok(())
}

//! Tests of [`AssetLevels`]: each level equals a direct decode, and a damaged file fails only its
//! own requests.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use meshpeek::io::FileBytes;
use meshpeek::streaming::{
    AssetLevels, Content, MemoryTarget, Priority, StreamEvent, StreamOptions, StreamOutcome, Streamer,
};
use meshpeek::{ErrorKind, Map, Model, Surface};

use crate::support::secondlife::quad;
use crate::{corners, decoded, finish, layout, map, samples};

type Open = fn(FileBytes) -> meshpeek::Result<Model<FileBytes>>;

/// The assets of a list of paths, where an asset may occur more than once.
fn content(
    paths: Vec<PathBuf>,
    maps: usize,
) -> Arc<AssetLevels<impl Fn(u32) -> meshpeek::Result<Map> + Send + Sync + 'static, Open, MemoryTarget>> {
    let count = u32::try_from(paths.len()).unwrap();
    let map = move |asset: u32| map(&paths[asset as usize]);
    Arc::new(AssetLevels::new(count, maps, map, Model::open as Open, layout(), MemoryTarget).unwrap())
}

fn assets() -> Vec<PathBuf> {
    let mut paths = samples("secondlife");
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "llmesh"));
    assert!(paths.len() >= 5, "{paths:?}");
    paths
}

/// Requests all levels of all assets, each with its item as tag.
fn load_all<C: Content>(
    content: &Arc<C>,
    workers: usize,
    item: impl Fn(u32, u32) -> u32,
) -> (Streamer<C>, Vec<StreamEvent>) {
    let options = StreamOptions::default().with_workers(workers);
    let mut streamer = Streamer::new(Arc::clone(content), &options).unwrap();
    for asset in 0..content.item_count() / 4 {
        for level in 0..4 {
            let item = item(asset, level);
            let range = meshpeek::streaming::ItemRange::one(item);
            streamer.request(&[range], Priority::new((asset % 64) as u8), item.into()).unwrap();
        }
    }
    let events = finish(&mut streamer, workers);
    assert_eq!(events.len(), content.item_count() as usize);
    (streamer, events)
}

/// Returns the corners of each surface of a level. An asset with fewer levels has its last.
fn direct(path: &Path, level: usize) -> Vec<Vec<u8>> {
    let model = meshpeek::open(path).unwrap();
    let asset = model.contents().asset(0).unwrap();
    let level = level.min(asset.level_count().unwrap() - 1);
    let geometry = asset.level(level).unwrap();
    let surfaces = Surface::all(&*geometry).unwrap();
    surfaces.map(|surface| decoded(&surface, &layout()).unwrap()).collect()
}

/// Checks all levels of an asset that was loaded.
macro_rules! check_levels {
    ($streamer:expr, $content:expr, $asset:expr, $path:expr) => {
        for level in 0..4 {
            let buffers = $streamer.get($content.item($asset, level).first).unwrap();
            let surfaces = buffers.draws.iter().map(|draw| corners(buffers, draw, &layout()));
            let surfaces: Vec<_> = surfaces.collect();
            assert!(surfaces == direct($path, level as usize), "{}: level {level}", $path.display());
            assert!((0..).zip(&buffers.draws).all(|(surface, draw)| draw.surface == surface));
        }
    };
}

#[test]
fn each_level_equals_a_direct_decode() {
    let paths = assets();
    for workers in [0, 2] {
        let content = content(paths.clone(), 64);
        let (streamer, events) = load_all(&content, workers, |asset, level| content.item(asset, level).first);
        for event in &events {
            assert!(matches!(event.outcome, StreamOutcome::Done), "{event:?}");
            assert!(event.work.touched > 0 && event.work.inflated > 0, "{event:?}");
        }
        for (asset, path) in (0..).zip(&paths) {
            check_levels!(streamer, content, asset, path);
        }
        assert_eq!(content.item(1, 9), content.item(1, 3), "a level above 3 is level 3");
    }
}

#[test]
fn the_last_level_of_an_asset_serves_for_absent_levels() {
    let folder = tempfile::tempdir().unwrap();
    let shorter = |lods: usize| {
        let mut asset = quad();
        for level in [&mut asset.medium, &mut asset.low, &mut asset.lowest].into_iter().skip(lods - 1) {
            *level = None;
        }
        let path = folder.path().join(format!("{lods}.llmesh"));
        std::fs::write(&path, asset.to_bytes().unwrap()).unwrap();
        assert_eq!(meshpeek::open(&path).unwrap().contents().asset(0).unwrap().level_count().unwrap(), lods);
        path
    };
    let paths: Vec<_> = [1, 2, 3].map(shorter).into();
    let content = content(paths.clone(), 2);
    let (streamer, _) = load_all(&content, 0, |asset, level| content.item(asset, level).first);
    for (asset, path) in (0..).zip(&paths) {
        check_levels!(streamer, content, asset, path);
    }
}

#[test]
fn few_maps_serve_many_assets() {
    let samples = assets();
    let paths: Vec<_> = samples.iter().cycle().take(50).cloned().collect();
    for workers in [0, 3] {
        let content = content(paths.clone(), 4);
        let (streamer, events) = load_all(&content, workers, |asset, level| content.item(asset, level).first);
        assert!(events.iter().all(|event| matches!(event.outcome, StreamOutcome::Done)), "{events:?}");
        for (asset, path) in (0..).zip(&paths) {
            check_levels!(streamer, content, asset, path);
        }
    }
}

#[test]
fn a_damaged_asset_fails_its_own_requests() {
    let folder = tempfile::tempdir().unwrap();
    let samples = assets();
    let bytes = std::fs::read(&samples[4]).unwrap();
    let mut paths = samples.clone();
    // Each copy ends in another place. The missing file has no bytes at all.
    for length in [0, 10, bytes.len() / 4, bytes.len() / 2, bytes.len() - 40] {
        let path = folder.path().join(format!("{length}.llmesh"));
        std::fs::write(&path, &bytes[..length]).unwrap();
        paths.push(path);
    }
    paths.push(folder.path().join("missing.llmesh"));
    for workers in [0, 2] {
        let content = content(paths.clone(), 3);
        let (streamer, events) = load_all(&content, workers, |asset, level| content.item(asset, level).first);
        for (asset, path) in (0..).zip(&samples) {
            check_levels!(streamer, content, asset, path);
        }
        let mut failed = 0;
        for event in events.iter().skip(samples.len() * 4) {
            let (asset, level) = ((event.tag / 4) as usize, (event.tag % 4) as usize);
            let path = &paths[asset];
            // The result of a direct read of the level.
            let expected = map(path).and_then(|map| {
                let model = Model::open(FileBytes::from(map))?;
                let asset = model.contents().asset(0)?;
                let geometry = asset.level(level.min(asset.level_count()?.saturating_sub(1)))?;
                Surface::all(&*geometry)?
                    .map(|surface| decoded(&surface, &layout()))
                    .collect::<meshpeek::Result<Vec<_>>>()
            });
            match (&event.outcome, expected) {
                (StreamOutcome::Failed(error), Err(expected)) => {
                    assert_eq!(error.kind(), expected.kind(), "{path:?}: {error}");
                    assert_eq!(error.offset(), expected.offset(), "{path:?}: {error}");
                    assert_eq!(error.path(), Some(path.as_path()), "{error}");
                    failed += 1;
                }
                (StreamOutcome::Done, Ok(_)) => {
                    let buffers = streamer.get(u32::try_from(event.tag).unwrap()).unwrap();
                    assert!(!buffers.draws.is_empty());
                }
                (outcome, expected) => panic!("{path:?} {level}: {outcome:?}, not {expected:?}"),
            }
        }
        assert!(failed >= 16, "{failed}");
        let missing = events.last().unwrap();
        let StreamOutcome::Failed(error) = &missing.outcome else { panic!("{missing:?}") };
        assert_eq!((error.kind(), error.path()), (ErrorKind::Io, paths.last().map(PathBuf::as_path)));
        assert!(error.to_string().contains("missing.llmesh"), "{error}");
    }
}

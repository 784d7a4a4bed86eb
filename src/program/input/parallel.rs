//! Opens all files that are named on the command line, on all processors.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::asset::InputAsset;
use super::open::{Opener, Repeated};
use super::paths::InputPaths;
use crate::program::args::{Global, WalkArgs};

/// The number of files of each thread that are described before their results are passed on.
const FILES_PER_THREAD: usize = 64;

/// The results for one path, each with the key of its Unreal mesh.
type Results<T> = Vec<(Option<u128>, T)>;

/// Opens every file that is named on the command line, and passes each model to `describe` on all
/// processors. The results are passed to `receive` in the order of the files. At most 64 results for
/// each processor are held.
///
/// Returns the number of files in folders that are not meshes.
pub fn each_in_parallel<T: Send>(
    (names, walk): (&[PathBuf], &WalkArgs),
    global: &Global,
    describe: impl Fn(&Path, crate::Result<InputAsset>) -> T + Sync,
    mut receive: impl FnMut(T) -> anyhow::Result<()>,
) -> anyhow::Result<u64> {
    let mut inputs = InputPaths::expand(names, walk)?;
    let mut opener = Opener::new(global);
    inputs.settle(|path| opener.pairs.is_data_half(path));
    for (path, error) in inputs.take_errors() {
        receive(describe(&path, Err(error)))?;
    }
    let progress = inputs.progress(global);
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let mut openers: Vec<Opener<'_>> = (0..threads).map(|_| Opener::new(global)).collect();
    let mut visited = HashSet::new();
    for block in inputs.paths.chunks(threads.saturating_mul(FILES_PER_THREAD)) {
        // An Unreal mesh may be named several times, such as by both of its files.
        for (key, result) in describe_block(block, &mut openers, &describe) {
            if key.is_none_or(|key| visited.insert(key)) {
                receive(result)?;
            }
        }
        progress.add(u64::try_from(block.len()).unwrap_or(u64::MAX));
    }
    drop(progress);
    Ok(inputs.skipped)
}

/// Describes some files on all processors. Each thread takes the next file when it is done with one.
fn describe_block<T: Send>(
    block: &[PathBuf],
    openers: &mut [Opener<'_>],
    describe: &(impl Fn(&Path, crate::Result<InputAsset>) -> T + Sync),
) -> Results<T> {
    let next = AtomicUsize::new(0);
    let results: Vec<Mutex<Results<T>>> = block.iter().map(|_| Mutex::new(Vec::new())).collect();
    let work = |opener: &mut Opener<'_>| {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let (Some(path), Some(result)) = (block.get(index), results.get(index)) else { break };
            let mut found = Vec::new();
            let mut add = |key, opened| {
                found.push((key, describe(path, opened)));
                Ok(())
            };
            // The closure `add` returns no error.
            let _ = opener.open_path(path, Repeated::Refused, &mut |_| true, &mut add);
            if let Ok(mut result) = result.lock() {
                *result = found;
            }
        }
    };
    thread::scope(|scope| {
        for opener in openers.iter_mut() {
            scope.spawn(|| work(opener));
        }
    });
    results.into_iter().flat_map(|result| result.into_inner().unwrap_or_default()).collect()
}

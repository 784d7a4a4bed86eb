//! Opens all files that are named on the command line, on all processors.

// Rule: this file sorts and maps by copies only.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::asset::InputAsset;
use super::bytes::Data;
use super::not_opened::{NotOpened, PassedBy, note_omissions};
use super::open::Opener;
use super::paths::{InputPath, InputPaths};
use crate::formats::mesh_files::MissingMesh;
use crate::program::args::{Global, WalkArgs};
use crate::program::threads;

/// The number of files of each thread that are described before their results are passed on.
const FILES_PER_THREAD: usize = 64;
/// The number of results after which no further file is described before they are passed on.
const MAX_RESULTS: usize = 4096;

/// The results for one file.
struct FileResults<T> {
    /// The results for each mesh, with the key of an Unreal mesh.
    meshes: Vec<(Option<u128>, Vec<T>)>,
    /// The meshes of scripts whose files do not exist.
    missing: Vec<MissingMesh<Data>>,
    passed_by: PassedBy,
}

/// Opens every file that is named on the command line, and passes each model to `describe` on all
/// processors. The results, a list for each mesh, are passed to `receive` in the order of the
/// files. `size` returns the number of items that one of them holds. About 4,096 items are held,
/// and the lists of the last file of each thread.
///
/// Prints the same notes as [`each`](super::open::each), and returns what was left out.
pub fn each_in_parallel<T: Send>(
    (names, walk): (&[PathBuf], &WalkArgs),
    global: &Global,
    describe: impl Fn(&Path, crate::Result<InputAsset>) -> Vec<T> + Sync,
    size: impl Fn(&T) -> usize + Sync,
    mut receive: impl FnMut(Vec<T>) -> anyhow::Result<()>,
) -> anyhow::Result<NotOpened> {
    let mut inputs = InputPaths::expand(names, walk)?;
    let mut opener = Opener::new(global, true);
    inputs.settle(|path| opener.is_first_file(path));
    let mut omitted = NotOpened::default();
    omitted.passed_by.merge(&inputs.passed_by);
    let mut is_any = false;
    for (path, error) in inputs.take_errors() {
        is_any = true;
        receive(describe(&path, Err(error)))?;
    }
    let progress = inputs.progress(global);
    let count = threads::count();
    let mut openers: Vec<Opener<'_>> = (0..count).map(|_| Opener::new(global, true)).collect();
    let mut visited = HashSet::new();
    let mut left = &*inputs.paths;
    while !left.is_empty() {
        let block = left.get(..count.saturating_mul(FILES_PER_THREAD)).unwrap_or(left);
        let (results, done) = describe_block(block, &mut openers, &describe, &size);
        for FileResults { meshes, missing, passed_by } in results {
            omitted.missing.extend(missing);
            omitted.passed_by.merge(&passed_by);
            is_any |= !meshes.is_empty();
            // An Unreal mesh may be named several times, such as by both of its files.
            for (key, result) in meshes {
                if key.is_none_or(|key| visited.insert(key)) {
                    receive(result)?;
                }
            }
        }
        progress.add(u64::try_from(done).unwrap_or(u64::MAX));
        left = left.get(done..).unwrap_or_default();
    }
    drop(progress);
    omitted.set_opened(is_any, &inputs);
    note_omissions(&inputs, &omitted, global);
    omitted.note_no_mesh(global);
    Ok(omitted)
}

/// Describes some files on all processors. Each thread takes the next file when it is done with
/// one. Returns the results, and the number of files that were described.
fn describe_block<T: Send>(
    block: &[InputPath],
    openers: &mut [Opener<'_>],
    describe: &(impl Fn(&Path, crate::Result<InputAsset>) -> Vec<T> + Sync),
    size: &(impl Fn(&T) -> usize + Sync),
) -> (Vec<FileResults<T>>, usize) {
    let (next, count) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let results: Vec<Mutex<Option<FileResults<T>>>> = block.iter().map(|_| Mutex::new(None)).collect();
    let work = |opener: &mut Opener<'_>| {
        while count.load(Ordering::Relaxed) < MAX_RESULTS {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let (Some(InputPath { path, is_found }), Some(result)) = (block.get(index), results.get(index)) else {
                break;
            };
            let (mut meshes, mut passed_by) = (Vec::new(), PassedBy::default());
            let mut add = |key, opened: crate::Result<InputAsset>| {
                if *is_found && opened.as_ref().is_err_and(|error| passed_by.take(error)) {
                    return Ok(());
                }
                let result = describe(path, opened);
                let items = result.iter().map(size).fold(0, usize::saturating_add);
                count.fetch_add(items, Ordering::Relaxed);
                meshes.push((key, result));
                Ok(())
            };
            // The closure `add` returns no error, so the visit has none.
            let missing = opener.open_path(path, true, &mut |_| true, &mut add).unwrap_or_default();
            if let Ok(mut result) = result.lock() {
                *result = Some(FileResults { meshes, missing, passed_by });
            }
        }
    };
    threads::share(openers, work);
    let results = results.into_iter().filter_map(|result| result.into_inner().ok().flatten()).collect();
    (results, next.into_inner().min(block.len()))
}

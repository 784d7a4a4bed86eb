//! Runs a command again whenever one of its files changes.

// Rule: this file sorts and maps by copies only.

use std::collections::HashSet;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use xxhash_rust::xxh3::Xxh3Default;

use super::paths::walk_files;
use crate::formats::is_mesh_name;
use crate::program::args::{Global, STDIN, WalkArgs};
use crate::program::outcome::{Outcome, UsageError, usage};
use crate::program::output::{is_pipe_closed, note, report};

/// The time between two looks at the files.
const INTERVAL: Duration = Duration::from_millis(250);

/// Runs a command, and again whenever a file that it names changes, appears or disappears. The
/// command runs until a signal ends the program, or until the reader of the output closes the pipe.
///
/// Returns an error if the command line is wrong, because no change of a file mends it.
pub fn watch(
    (names, walk): (&[PathBuf], &WalkArgs),
    global: &Global,
    mut run: impl FnMut() -> anyhow::Result<Outcome>,
) -> anyhow::Result<Outcome> {
    if names.iter().any(|name| name == Path::new(STDIN)) {
        usage!("--watch: expected files, found -, which is standard input");
    }
    loop {
        let before = state_of(names, walk);
        match run() {
            Err(error) if is_pipe_closed(&error) || error.is::<UsageError>() => return Err(error),
            Err(error) => drop(report(&error, global)),
            Ok(outcome @ (Outcome::PipeClosed | Outcome::Usage)) => return Ok(outcome),
            Ok(_) => {}
        }
        while state_of(names, walk) == before {
            thread::sleep(INTERVAL);
        }
        // A program that is still writing changes the files again.
        let mut last = state_of(names, walk);
        loop {
            thread::sleep(INTERVAL);
            let now = state_of(names, walk);
            if now == last {
                break;
            }
            last = now;
        }
        note("changed", global);
    }
}

/// Returns a hash of the sizes and the times of all files that a command line names. No file is
/// opened.
fn state_of(names: &[PathBuf], walk: &WalkArgs) -> u128 {
    let mut hash = Xxh3Default::new();
    let mut folders = HashSet::new();
    for path in walk_files(names, walk) {
        add(&mut hash, &path);
        // The other files of an Unreal mesh are in its folder, and so are those of a stem.
        let folder = path.parent().filter(|_| !is_mesh_name(&path) && !path.is_dir());
        folders.extend(folder.map(Path::to_owned));
    }
    let mut folders: Vec<PathBuf> = folders.into_iter().collect();
    folders.sort();
    for folder in folders {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { &folder };
        for entry in folder.read_dir().into_iter().flatten().flatten() {
            add(&mut hash, &entry.path());
        }
    }
    hash.digest128()
}

fn add(hash: &mut Xxh3Default, path: &Path) {
    hash.update(path.as_os_str().as_encoded_bytes());
    let metadata = path.metadata().ok();
    let modified = metadata.as_ref().and_then(|metadata| metadata.modified().ok());
    hash.update(format!("{:?} {modified:?}", metadata.as_ref().map(Metadata::len)).as_bytes());
}

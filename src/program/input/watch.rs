//! Runs a command again whenever one of its files changes.

use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use xxhash_rust::xxh3::Xxh3Default;

use super::paths::InputPaths;
use crate::program::args::{Global, WalkArgs};
use crate::program::outcome::Outcome;
use crate::program::render::note::note;
use crate::program::render::report::{is_pipe_closed, report};

/// The time between two looks at the files.
const INTERVAL: Duration = Duration::from_millis(250);

/// Runs a command, and again whenever a file that it names changes, appears or disappears. The
/// command runs until a signal ends the program, or until the reader of the output closes the pipe.
pub fn watch(
    (names, walk): (&[PathBuf], &WalkArgs),
    global: &Global,
    mut run: impl FnMut() -> anyhow::Result<Outcome>,
) -> anyhow::Result<Outcome> {
    loop {
        let before = state_of(names, walk);
        match run() {
            Err(error) if is_pipe_closed(&error) => return Err(error),
            Err(error) => drop(report(&error, global)),
            Ok(Outcome::PipeClosed) => return Ok(Outcome::PipeClosed),
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

/// Returns a hash of the sizes and the times of all files that a command line names.
fn state_of(names: &[PathBuf], walk: &WalkArgs) -> u128 {
    let mut hash = Xxh3Default::new();
    for path in InputPaths::expand(names, walk).map(|inputs| inputs.paths).unwrap_or_default() {
        add(&mut hash, &path);
        // The other files of an Unreal mesh are in its folder, and so are those of a stem.
        let is_single = path.extension().is_some_and(|name| name != "3d" && name != "3D" && name != "uc");
        let folder = path.parent().filter(|_| !is_single);
        let folder = folder.map(|folder| if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
        for entry in folder.and_then(|folder| folder.read_dir().ok()).into_iter().flatten().flatten() {
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

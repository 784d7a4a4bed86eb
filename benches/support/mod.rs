//! The parts that the benches share: inputs and their builders, functions to measure and to
//! compare.
#![allow(
    dead_code,
    unused_imports,
    unsafe_code,
    clippy::unwrap_used,
    reason = "each bench uses a part of it, the files are mapped, and a panic is how a bench fails"
)]

pub mod claims;
pub mod inputs;
pub mod machine_limit;
pub mod memory;
#[path = "../../tests/support/secondlife/builder/mod.rs"]
pub mod secondlife_builder;
#[path = "../../tests/support/unigine/builder/mod.rs"]
pub mod unigine_builder;
#[path = "../../tests/support/unreal/builder.rs"]
pub mod unreal_builder;
pub mod xml_tree;

use std::path::{Path, PathBuf};

use meshpeek::internals::Lists;
use meshpeek::{Map, Model};
use tempfile::TempDir;

/// Loads a file as a loader that copies does: reads the whole file, and decodes every array into a
/// list.
pub fn load(path: &Path) -> Lists {
    Lists::load(Model::open(meshpeek::read(path).unwrap()).unwrap().geometry()).unwrap()
}

pub fn map(path: &Path) -> Map {
    // SAFETY: the file is in a temporary folder of the bench or is a sample, and no process writes
    // to it any more.
    unsafe { meshpeek::Map::open(path).unwrap() }
}

/// Opens a mapped UNIGINE mesh.
pub fn open(path: &Path) -> meshpeek::unigine::Mesh<Map> {
    meshpeek::unigine::Mesh::open(map(path)).unwrap()
}

/// Returns the value of a command line option.
pub fn option(name: &str) -> Option<String> {
    std::env::args().skip_while(|argument| argument != name).nth(1)
}

/// Creates a folder for large files: in that of the option `--folder` or of the variable
/// `MESHPEEK_BENCH_FOLDER`, or else in the default folder for temporary files.
pub fn folder() -> TempDir {
    let folder = option("--folder").map(Into::into).or_else(|| std::env::var_os("MESHPEEK_BENCH_FOLDER"));
    tempfile::tempdir_in(folder.map_or_else(std::env::temp_dir, PathBuf::from)).unwrap()
}

/// Returns the largest real file of a format whose name contains `part`, or `None` if
/// `MESHPEEK_CORPUS` does not name a folder with such a file.
pub fn real(format: &str, part: &str) -> Option<PathBuf> {
    let folder = PathBuf::from(std::env::var_os("MESHPEEK_CORPUS")?).join(format);
    let paths = std::fs::read_dir(folder).ok()?.map(|entry| entry.unwrap().path());
    let paths = paths.filter(|path| path.is_file() && path.to_string_lossy().contains(part));
    paths.max_by_key(|path| path.metadata().unwrap().len())
}

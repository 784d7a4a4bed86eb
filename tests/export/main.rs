//! Tests of exports: what is written is read back by naive readers, and compared with the arrays of
//! the mesh.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    clippy::float_cmp,
    clippy::many_single_char_names,
    clippy::too_many_lines,
    clippy::similar_names,
    reason = "a panic is how a test fails, and exact floats are meant"
)]

#[cfg(feature = "meshopt")]
mod compressed;
mod expected;
mod ezmesh;
mod flat;
mod flat_corpus;
mod flat_hostile;
mod gltf;
mod gltf_compare;
mod gltf_hostile;
mod gltf_motion;
mod gltf_options;
mod gltf_reader;
mod gltf_special;
mod gltf_structure;
mod gltf_unusual;
mod json_document;
mod limits;
mod normals;
mod readers;
mod rigged;
#[path = "../support/mod.rs"]
mod support;

use std::path::{Path, PathBuf};

use meshpeek::Result;
use meshpeek::export::{Export, ExportFormat, ExportOptions, Loss, SceneInput};
use meshpeek::model::Contents;

#[global_allocator]
static ALLOCATOR: support::allocations::CountingAllocator = support::allocations::CountingAllocator;

type Model = meshpeek::Model<meshpeek::io::FileBytes>;

/// The formats without a scene.
const FLAT: [ExportFormat; 4] = [ExportFormat::Obj, ExportFormat::Ply, ExportFormat::Stl, ExportFormat::Json];

/// Writes all files of an export, even if it loses data. Returns them with the losses.
fn export(contents: &dyn Contents, format: ExportFormat, options: &ExportOptions) -> Result<(Vec<Vec<u8>>, Vec<Loss>)> {
    let options = options.clone().with_allow_loss(true);
    let export = Export::new(&SceneInput::of_contents(contents), format, &options)?;
    let mut files = Vec::new();
    for file in 0..export.file_count() {
        files.push(Vec::new());
        export.write_file(file, "out", &mut files[file])?;
    }
    Ok((files, export.losses().to_vec()))
}

/// Returns the paths of all meshes with surfaces in a folder.
fn meshes(folder: &Path) -> Vec<PathBuf> {
    let (mut folders, mut files) = (vec![folder.to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    let ends = [".mesh", ".llmesh", ".slm", ".asset", ".ezm", ".ezb", "_d.3d"];
    files.retain(|path| ends.iter().any(|end| path.to_string_lossy().to_ascii_lowercase().ends_with(end)));
    files.sort();
    files
}

/// Returns the paths of the meshes of `data`.
fn samples() -> Vec<PathBuf> {
    let files = meshes(&Path::new(env!("CARGO_MANIFEST_DIR")).join("data"));
    assert!(files.len() >= 20, "{files:?}");
    files
}

/// Calls `check` with the name and the opened file of each sample.
fn for_each_sample(mut check: impl FnMut(&str, &Model)) {
    for path in samples() {
        let name = path.display().to_string();
        check(&name, &meshpeek::open(&path).unwrap_or_else(|error| panic!("{name}: {error}")));
    }
}

/// Opens the meshes of the folder of real files that can be opened. Without the folder, there are
/// none.
fn corpus_meshes() -> Vec<(String, Model)> {
    let Some(folder) = std::env::var_os("MESHPEEK_CORPUS") else {
        crate::support::skip("MESHPEEK_CORPUS names no folder of real files");
        return Vec::new();
    };
    let open = |path: PathBuf| Some((path.display().to_string(), meshpeek::open(&path).ok()?));
    meshes(Path::new(&folder)).into_iter().filter_map(open).collect()
}

/// Opens a sample.
fn sample(file: &str) -> Model {
    meshpeek::open(Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(file)).unwrap()
}

//! Runs every example on the files of `data`, and checks that examples are short and neutral.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::float_cmp,
    reason = "a panic is how a test fails, and exact floats are meant"
)]

#[path = "../../examples/animate.rs"]
#[allow(dead_code, reason = "tests call `run` and not `main`")]
mod animate;
mod animated;
#[path = "../../examples/convert_obj.rs"]
#[allow(dead_code, reason = "tests call `run` and not `main`")]
mod convert_obj;
mod converted_obj;
#[path = "../../examples/draw_ready.rs"]
#[allow(dead_code, reason = "tests call `run` and not `main`")]
mod draw_ready;
mod drawn;
mod listed;
#[path = "../../examples/out_of_core.rs"]
#[allow(dead_code, reason = "tests call `run` and not `main`")]
mod out_of_core;
#[path = "../../examples/pick.rs"]
#[allow(dead_code, reason = "tests call `run` and not `main`")]
mod pick;
mod picked;
#[path = "../../examples/raycast.rs"]
#[allow(dead_code, reason = "tests call `run` and not `main`")]
mod raycast;
mod rays;
mod rules;
#[path = "../../examples/stream.rs"]
#[allow(dead_code, reason = "tests call `run` and not `main`")]
mod stream;
mod streamed;
#[path = "../support/mod.rs"]
mod support;
#[path = "../../examples/walk.rs"]
#[allow(dead_code, reason = "tests call `run` and not `main`")]
mod walk;

use std::error::Error;
use std::path::{Path, PathBuf};

type Model = meshpeek::Model<meshpeek::io::FileBytes>;
type Run = fn(&Path, &mut Vec<u8>) -> Result<(), Box<dyn Error>>;

/// The name and the function of each example.
const EXAMPLES: [(&str, Run); 8] = [
    ("animate", animate::run),
    ("convert_obj", convert_obj::run),
    ("draw_ready", draw_ready::run),
    ("out_of_core", out_of_core::run),
    ("pick", pick::run),
    ("raycast", raycast::run),
    ("stream", stream::run),
    ("walk", walk::run),
];

/// Returns the paths of all meshes and animations in `data`.
fn files() -> Vec<PathBuf> {
    let mut folders = vec![PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/data"))];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    let ends = [".mesh", ".anim", ".llmesh", ".slm", ".asset", ".ezm", ".ezb", "_d.3d"];
    files.retain(|path| ends.iter().any(|end| path.to_string_lossy().to_ascii_lowercase().ends_with(end)));
    files.sort();
    assert!(files.len() >= 30, "{files:?}");
    files
}

/// Calls `check` with the path, the opened model and the output of an example for each file.
fn for_each_file(run: Run, mut check: impl FnMut(&str, &Model, &str)) {
    for path in files() {
        let shown = path.display().to_string();
        let mut out = Vec::new();
        run(&path, &mut out).unwrap_or_else(|error| panic!("{shown}: {error}"));
        check(&shown, &meshpeek::open(&path).unwrap(), &String::from_utf8(out).unwrap());
    }
}

#[test]
fn an_error_names_the_file() {
    for (name, run) in EXAMPLES {
        let error = run(Path::new("data/none.mesh"), &mut Vec::new()).unwrap_err().to_string();
        assert!(error.contains("none.mesh"), "{name}: {error}");
    }
}

//! Measures the conversion of a mesh of 1 GB to a binary glTF file, and compares it with a copy of
//! the output. Both wait until their file is on the disk.
//!
//! `cargo bench --bench export` measures the program. Without the feature `cli`, the bench measures
//! the library, which uses a single thread. `--gigabytes 1 --folder FOLDER` choose the size of the
//! mesh and the folder of the files.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a panic is how a bench fails"
)]

mod support;

use support::{claims, folder, map, memory, option};

use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use meshpeek::Model;
use meshpeek::export::{Export, ExportFormat, ExportOptions, SceneInput};
use meshpeek::io::{AtomicFile, OpenFolder};
use support::claims::{Bar, Series, claim};
use support::inputs::tiles::{self, Seams};

/// The program, if it is built with the bench.
const PROGRAM: Option<&str> = if cfg!(feature = "cli") { option_env!("CARGO_BIN_EXE_meshpeek") } else { None };
/// The size of the mesh in gigabytes, and that of the mesh for tests.
const GIGABYTES: f64 = 1.0;
const SMALL: f64 = 0.02;
/// The maximum memory of the process, including the pages of mapped files, in bytes.
const PEAK: f64 = 64e6;
/// The minimum of the time of the copy, divided by the time of the conversion.
const RATIO: f64 = 0.5;
const ROUNDS: usize = 7;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [_, "convert", input, _, output, _] => return convert(Path::new(input), Path::new(output)),
        [_, "generate", size, seams, path] => return generate(size.parse().unwrap(), seams, Path::new(path)),
        _ => {}
    }
    let folder = folder();
    let gigabytes = option("--gigabytes").map_or(GIGABYTES, |number| number.parse().unwrap());
    let gigabytes = if claims::testing() { SMALL } else { gigabytes };
    for (seams, name) in [("none", "equal index streams"), ("charts", "different index streams")] {
        let path = folder.path().join("big.mesh");
        // The peak of a child is at least the memory that this process has when it starts the
        // child, so this process must stay small.
        let size = (gigabytes * 1e9).to_string();
        run(Command::new(std::env::current_exe().unwrap()).args(["generate", &size, seams]).arg(&path));
        claims::title(&format!("a mesh of {gigabytes} GB to .glb, {name}"));
        measure(&path);
    }
}

fn generate(bytes: f64, seams: &str, path: &Path) {
    let seams = if seams == "charts" { Seams::Charts } else { Seams::None };
    let side = tiles::side(bytes as u64, tiles::TILES.len());
    tiles::write(side, tiles::TILES.len(), seams, File::create(path).unwrap());
}

fn measure(input: &Path) {
    let [output, target] = ["big.glb", "copy.glb"].map(|name| input.with_file_name(name));
    let (mut conversions, mut copies) = (Vec::new(), Vec::new());
    for _ in 0..claims::rounds(ROUNDS) {
        // Both then need memory for the whole output, whose pages the system has to clear.
        for path in [&output, &target] {
            drop(fs::remove_file(path));
        }
        conversions.push(seconds(|| {
            let program = PROGRAM.map_or_else(|| std::env::current_exe().unwrap(), Into::into);
            run(Command::new(program).arg("convert").arg(input).arg("-o").arg(&output).arg("--quiet"));
        }));
        copies.push(seconds(|| {
            fs::copy(&output, &target).unwrap();
            File::open(&target).unwrap().sync_all().unwrap();
        }));
    }
    let (conversions, copies) = (Series(conversions), Series(copies));
    claim("the output", output.metadata().unwrap().len() as f64 / 1e6, "MB", Bar::None);
    claim("converted in", conversions.clone(), "s", Bar::None);
    claim("copied in", copies.clone(), "s", Bar::None);
    claim("copy / conversion", copies.over(&conversions), "times", Bar::AtLeast(RATIO));
    match memory::peak_of_children() {
        Some(peak) => drop(claim("most memory, with pages of files", peak / 1e6, "MB", Bar::AtMost(PEAK / 1e6))),
        None => claims::skipped("most memory", "Linux only"),
    }
}

fn run(command: &mut Command) {
    assert!(command.output().unwrap().status.success());
}

fn seconds(job: impl FnOnce()) -> f64 {
    let start = Instant::now();
    job();
    start.elapsed().as_secs_f64()
}

/// Converts a file by the library, for the same arguments as the program.
fn convert(input: &Path, output: &Path) {
    let model = Model::open(map(input)).unwrap();
    let map = model.file().source(0).unwrap();
    let release = || map.release(map.as_ref());
    let export_input = SceneInput::new(&model).with_release(&release);
    let options = ExportOptions::default();
    let export = Export::new(&export_input, ExportFormat::Glb, &options).unwrap();
    let folder = OpenFolder::open(output.parent().unwrap()).unwrap();
    let mut file = AtomicFile::create(folder, output.file_name().unwrap_or(OsStr::new("")), Some(0o600)).unwrap();
    export.write_file(0, "big", &mut file).unwrap();
    file.finish(true).unwrap();
}

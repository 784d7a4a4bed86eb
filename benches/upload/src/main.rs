//! Uploads the surfaces of mesh files through `wgpu`, in the ways that the library offers, and
//! validates each shader and each pipeline. A fault ends the program with an error.
//!
//! `cargo run --manifest-path benches/upload/Cargo.toml -- FILE..` uploads the files. Without an
//! argument, all files in `data` are uploaded. The program needs no GPU.

mod gpu;
mod pushed;
mod stored;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use meshpeek::io::FileBytes;
use meshpeek::{ErrorKind, Model, Surface};

use crate::gpu::Gpu;

/// The numbers of surfaces, arrays and bytes.
#[derive(Debug, Default)]
struct Tally {
    files: usize,
    surfaces: usize,
    vertices: usize,
    indices: usize,
    stored_arrays: usize,
    vertex_buffers: usize,
    bytes: u64,
}

fn main() -> ExitCode {
    let result = upload_all();
    if let Err(error) = &result {
        eprintln!("error: {error}");
    }
    if result.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn upload_all() -> Result<(), Box<dyn Error>> {
    let gpu = Gpu::new();
    let mut tally = Tally::default();
    let functions = stored::check_all_functions(&gpu)?;
    let paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    for path in &paths {
        upload(&gpu, &meshpeek::open(path)?, path, &mut tally)?;
    }
    if paths.is_empty() {
        for path in files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data"))? {
            // The folder of samples also contains expected output, and animations without a mesh.
            let Ok(model) = meshpeek::open(&path) else { continue };
            // One sample is the first part of a file.
            match upload(&gpu, &model, &path, &mut tally) {
                Err(error) if is_partial(&*error) => println!("{}: {error}", path.display()),
                result => result?,
            }
        }
    }
    println!("{functions} functions, {tally:?}");
    Ok(())
}

/// Returns whether the bytes of an array are not in a partial file.
fn is_partial(error: &(dyn Error + 'static)) -> bool {
    let error = error.downcast_ref::<meshpeek::Error>();
    error.is_some_and(|error| matches!(error.kind(), ErrorKind::Missing { .. }))
}

/// Uploads all surfaces of a file.
fn upload(gpu: &Gpu, model: &Model<FileBytes>, path: &Path, tally: &mut Tally) -> Result<(), Box<dyn Error>> {
    let pipeline = pushed::pipeline(gpu)?;
    for asset in model.assets()? {
        let asset = asset?;
        for level in 0..asset.level_count()? {
            let geometry = asset.level(level)?;
            for surface in Surface::all(&*geometry)? {
                let locate =
                    |error: Box<dyn Error>| format!("{}, surface {}: {error}", path.display(), surface.index());
                pushed::upload(gpu, &pipeline, &surface, tally).map_err(locate)?;
                stored::upload(gpu, &surface, tally).map_err(locate)?;
                tally.surfaces += 1;
            }
        }
    }
    tally.files += 1;
    Ok(())
}

/// Returns all files in a folder.
fn files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() { all.extend(files(&path)?) } else { all.push(path) }
    }
    all.sort();
    Ok(all)
}

//! Reads a mesh that may be larger than memory: maps its files, decodes one surface after another
//! in parts, and returns the memory of each part to the operating system.
//!
//! `cargo run --release --example out_of_core FILE`
#![allow(unsafe_code, reason = "the files are mapped")]

use std::{error::Error, io::Write, path::Path};

use meshpeek::{Array, Bounds};

/// The number of positions that are decoded before their memory is returned.
const PART: usize = 1 << 20;

pub(crate) fn run(path: &Path, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    // SAFETY: no process writes to the files while this runs. `meshpeek::open` copies and is safe.
    let model = unsafe { meshpeek::open_mapped(path)? };
    for index in 0..model.surfaces()?.len() {
        // A surface that the file compresses is inflated here, and freed at the end of the loop.
        let lent = model.lend(index)?;
        let surface = lent.surface();
        let positions = surface.positions()?;
        // One vertex costs one page of the file.
        let middle = positions.get(positions.len() / 2);
        // All vertices of a part cost the pages of the part.
        let mut bounds = Bounds::EMPTY;
        for start in (0..positions.len()).step_by(PART) {
            let end = positions.len().min(start.saturating_add(PART));
            let Some(part) = positions.slice(start..end) else { break };
            bounds = bounds.union(&part.bounds());
            // The bytes of a part belong to one of the mapped files, or to an inflated surface.
            for map in (0..model.source_count()).filter_map(|source| model.source(source)) {
                map.release(part.as_bytes());
            }
        }
        let (name, count, Bounds { min, max }) = (surface.name()?, positions.len(), bounds);
        writeln!(out, "surface {index} ({name}): {count} positions, {middle:?} in the middle, {min:?} to {max:?}")?;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: out_of_core FILE")?;
    run(path.as_ref(), &mut std::io::stdout().lock())
}

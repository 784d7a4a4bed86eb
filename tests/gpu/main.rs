//! Tests of vertices and indices in the layout that a GPU reads. Their bytes are compared with a
//! reference that decodes and converts one vertex at a time.
#![allow(
    unsafe_code,
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
    reason = "a panic is how a test fails, and exact floats are meant; the counting allocator is unsafe"
)]

mod indices;
mod reference;
#[path = "../support/mod.rs"]
mod support;
mod vertices;

#[global_allocator]
static ALLOCATOR: support::allocations::CountingAllocator = support::allocations::CountingAllocator;

use std::path::PathBuf;

use meshpeek::{Geometry, Surface};

/// The greatest number of vertices of a surface that is compared vertex by vertex.
const MAX_VERTICES: usize = 1000;

/// Calls `check` with each surface of the sample files, and of real files if the machine has them.
fn each_surface(mut check: impl FnMut(&str, &dyn Geometry, &Surface<'_>)) {
    let data = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("data");
    let mut found = 0;
    for format in ["unigine", "unreal", "secondlife", "ezmesh"] {
        for folder in [Some(data.join(format)), support::corpus(format)].into_iter().flatten() {
            let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
            paths.sort();
            for path in paths.iter().filter(|path| path.is_file()) {
                let Ok(model) = meshpeek::open(path) else { continue };
                let Ok(surfaces) = model.surfaces() else { continue };
                for surface in surfaces.take(3) {
                    if surface.counts().is_ok_and(|counts| counts.vertices > 0) {
                        check(&path.display().to_string(), model.geometry(), &surface);
                        found += 1;
                    }
                }
            }
        }
    }
    assert!(found > 20, "{found} surfaces");
}

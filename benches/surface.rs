//! Measures the time from a closed file to all data that is needed to draw its last surface. Each
//! array is read once from the first byte to the last.
#![allow(
    clippy::unwrap_used,
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::cast_precision_loss,
    reason = "a panic is how a bench fails"
)]

mod support;

use support::{claims, load, open};

use std::path::Path;

use meshpeek::internals::SurfaceLists;
use meshpeek::unigine::Mesh;
use meshpeek::{Array, Map, Weights};
use support::claims::{Bar, Contestant, bits, claim};
use support::inputs::Inputs;

fn main() {
    let inputs = Inputs::write();
    let mut criterion = claims::criterion();
    for input in &inputs.all {
        claims::compare(&mut criterion, "one whole surface", &input.name, &loaders(&input.path));
    }
    criterion.final_summary();
    for input in inputs.largest() {
        claims::title(&format!("one whole surface of 16, {}", input.name));
        let [ours, copying] = claims::race(7, &loaders(&input.path));
        claim("meshpeek", ours.times(1e3), "ms", Bar::None);
        claim("copying", copying.times(1e3), "ms", Bar::None);
        claim("copying / meshpeek", copying.over(&ours), "times", Bar::None);
    }
}

fn loaders(path: &Path) -> [Contestant<'_, u64>; 2] {
    [
        Contestant::new("meshpeek", move || {
            let mesh = open(path);
            (mapped(&mesh), mesh)
        }),
        Contestant::new("copying", move || {
            let mesh = load(path);
            (copied(mesh.surfaces.last().unwrap()), mesh)
        }),
    ]
}

fn mapped(mesh: &Mesh<Map>) -> u64 {
    let surface = mesh.surface(mesh.surface_count() - 1).unwrap();
    let mut sum = 0_u64;
    let mut add = |bits: u64| sum = sum.wrapping_add(bits);
    let positions = surface.positions().unwrap();
    positions.prefetch();
    positions.iter().for_each(|position| add(bits(position)));
    surface.tangent_frames().unwrap().for_each(|frame| {
        add([frame.normal(), frame.tangent(), frame.bitangent()].map(bits).into_iter().sum());
    });
    for list in surface.weights().unwrap().iter().flat_map(Weights::iter) {
        list.iter().for_each(|one| add(bits([one.weight, one.bone as f32])));
    }
    surface.uvs(0).unwrap().unwrap().iter().for_each(|uv| add(bits(uv)));
    surface.indices().unwrap().for_each(|index| add(index.into()));
    surface.attribute_indices().unwrap().for_each(|index| add(index.into()));
    sum
}

fn copied(surface: &SurfaceLists) -> u64 {
    let mut sum = 0_u64;
    let mut add = |bits: u64| sum = sum.wrapping_add(bits);
    let base = surface.targets.first().unwrap();
    base.positions.iter().for_each(|position| add(bits(*position)));
    for frame in base.frames.iter().flat_map(|frames| frames.iter()) {
        add([frame.normal(), frame.tangent(), frame.bitangent()].map(bits).into_iter().sum());
    }
    let influences = surface.weights.iter().flat_map(|weights| &weights.all);
    influences.for_each(|one| add(bits([one.weight, one.bone as f32])));
    surface.uvs.iter().flat_map(|uvs| uvs.iter()).for_each(|uv| add(bits(*uv)));
    surface.indices.iter().for_each(|index| add((*index).into()));
    surface.attribute_indices.iter().flat_map(|indices| indices.iter()).for_each(|index| add((*index).into()));
    sum
}

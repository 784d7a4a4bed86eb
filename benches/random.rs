//! Measures the time to read 10,000 random vertices of a whole file: position, tangent frame, UV,
//! and weights if there are any.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::cast_precision_loss,
    reason = "a panic is how a bench fails"
)]

mod support;

use support::{claims, inputs, load, open};

use std::cell::Cell;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use meshpeek::decode::Floats;
use meshpeek::internals::Lists;
use meshpeek::model::TangentFrames;
use meshpeek::unigine::{Mesh, SurfaceView};
use meshpeek::{Array, Map, Packed, Weights};
use support::claims::{Bar, Contestant, bits, claim};
use support::inputs::{Input, Inputs};

const VERTICES: u32 = 10_000;
/// The number of vertices between the one that is read and the one that is prefetched to the cache.
const AHEAD: usize = 16;

fn main() {
    let inputs = Inputs::write();
    let mut criterion = claims::criterion();
    for input in &inputs.all {
        let picks = picks(&open(&input.path), 0);
        claims::compare(&mut criterion, "10,000 random vertices", &input.name, &loaders(&input.path, &picks));
    }
    criterion.final_summary();
    for input in inputs.largest() {
        claims::title(&format!("10,000 random vertices, {}", input.name));
        loaded(input);
        loaded_before(input);
        not_in_cache(input);
    }
}

/// The indices of a surface, of one of its positions, and of one of its tangent frames.
type Pick = [usize; 3];

/// Picks other vertices for each number of a measurement. All surfaces have the same counts.
fn picks(mesh: &Mesh<Map>, measurement: u32) -> Vec<Pick> {
    let counts = mesh.surface(0).unwrap().counts().unwrap();
    let below = |seed, count: u32| (inputs::random(seed) % count) as usize;
    let surfaces = u32::try_from(mesh.surface_count()).unwrap();
    let pick = |seed| [(seed, surfaces), (seed + 1, counts.vertices), (seed + 2, counts.attribute_vertices)];
    let first = measurement * VERTICES;
    (first..first + VERTICES).map(|number| pick(number * 3).map(|(seed, count)| below(seed, count))).collect()
}

fn loaders<'a>(path: &'a Path, picks: &'a [Pick]) -> [Contestant<'a, u64>; 2] {
    [
        Contestant::new("meshpeek", move || {
            let mesh = open(path);
            (mapped(&locate(&mesh), picks), mesh)
        }),
        Contestant::new("copying", move || {
            let mesh = load(path);
            (copied(&mesh, picks), mesh)
        }),
    ]
}

/// Loads the file and reads the vertices.
fn loaded(input: &Input) {
    let picks = picks(&open(&input.path), 0);
    let [ours, copying] = claims::race(7, &loaders(&input.path, &picks));
    claim("meshpeek, open and look up", ours.times(1e3), "ms", Bar::None);
    claim("copying, load and look up", copying.times(1e3), "ms", Bar::None);
    claim("copying / meshpeek", copying.over(&ours), "times", Bar::None);
}

/// Reads the vertices from a loaded file. Copying is faster here, because its values are decoded
/// and it has a full table of the offsets of weights. The vertices are those of the round before,
/// so they are in the caches of the processor.
fn loaded_before(input: &Input) {
    let (mesh, copy) = (open(&input.path), load(&input.path));
    let (picks, surfaces) = (picks(&mesh, 0), locate(&mesh));
    let contestants = [
        Contestant::new("meshpeek", || (mapped(&surfaces, &picks), ())),
        Contestant::new("copying", || (copied(&copy, &picks), ())),
    ];
    // The first round loads the pages and lists into memory, and builds the index of the weights.
    claims::race(1, &contestants);
    let [ours, copying] = claims::race(21, &contestants).map(|time| time.times(1e9 / f64::from(VERTICES)));
    claim("meshpeek, already located", ours.clone(), "ns a vertex", Bar::None);
    claim("copying, already copied", copying.clone(), "ns a vertex", Bar::None);
    claim("meshpeek / copying: the price of decoding on access", ours.over(&copying), "times", Bar::None);
}

/// Reads other vertices in each measurement, which are not in the caches of the processor. With
/// prefetching, meshpeek loads the next vertices while it decodes one. The influences of a vertex
/// take two loads, one after the other, and the second one is prefetched only after the first.
fn not_in_cache(input: &Input) {
    let (mesh, copy) = (open(&input.path), load(&input.path));
    let surfaces = locate(&mesh);
    for Located { positions, frames, uvs, weights } in &surfaces {
        // All pages are mapped, and the index of the weights is built.
        black_box((positions.bounds(), frames.iter().count(), uvs.to_vec()));
        black_box(weights.map(|weights| (weights.get(0).is_some(), weights.iter().count())));
    }
    let measurements = Cell::new(1);
    let read = |job: &dyn Fn(&[Pick]) -> u64| {
        let picks = picks(&mesh, measurements.replace(measurements.get() + 1));
        let start = Instant::now();
        black_box(job(&picks));
        (start.elapsed(), ())
    };
    let contestants = [
        Contestant { name: "meshpeek", run: Box::new(|| read(&|picks| mapped(&surfaces, picks))) },
        Contestant { name: "meshpeek, prefetched", run: Box::new(|| read(&|picks| prefetched(&surfaces, picks))) },
        Contestant { name: "copying", run: Box::new(|| read(&|picks| copied(&copy, picks))) },
    ];
    let times = claims::race(21, &contestants);
    let [ours, ahead, copying] = times.map(|time| time.times(1e9 / f64::from(VERTICES)));
    claim("from memory: meshpeek, one at a time", ours.clone(), "ns a vertex", Bar::None);
    claim("from memory: meshpeek, prefetched to the cache", ahead.clone(), "ns a vertex", Bar::None);
    claim("from memory: copying", copying.clone(), "ns a vertex", Bar::None);
    claim("from memory: one at a time / prefetched", ours.over(&ahead), "times", Bar::AtLeast(1.3));
    let has_weights = surfaces.iter().any(|surface| surface.weights.is_some());
    let bar = if has_weights { Bar::None } else { Bar::AtLeast(0.95) };
    claim("from memory: copying / meshpeek, prefetched", copying.over(&ahead), "times", bar);
}

/// The arrays of a surface.
struct Located<'a> {
    positions: Packed<'a, Floats<3>>,
    frames: TangentFrames<'a>,
    uvs: Packed<'a, Floats<2>>,
    weights: Option<Weights<'a>>,
}

fn locate(mesh: &Mesh<Map>) -> Vec<Located<'_>> {
    mesh.surfaces().map(|surface| arrays(surface.unwrap())).collect()
}

fn arrays(surface: SurfaceView<'_>) -> Located<'_> {
    Located {
        positions: surface.positions().unwrap(),
        frames: surface.tangent_frames().unwrap(),
        uvs: surface.uvs(0).unwrap().unwrap(),
        weights: surface.weights().unwrap(),
    }
}

/// Reads the vertices, and prefetches those that come `AHEAD` vertices later to the cache.
fn prefetched(surfaces: &[Located<'_>], picks: &[Pick]) -> u64 {
    let prefetch = |&[surface, position, attribute]: &Pick| {
        let Located { positions, frames, uvs, weights } = &surfaces[surface];
        positions.prefetch_to_cache(position);
        frames.prefetch_to_cache(attribute);
        uvs.prefetch_to_cache(attribute);
        if let Some(weights) = weights {
            weights.prefetch_to_cache(u32::try_from(position).unwrap());
        }
    };
    let mut ahead = picks.iter();
    ahead.by_ref().take(AHEAD).for_each(prefetch);
    let one = |pick: &Pick| {
        ahead.next().map(prefetch);
        vertex(surfaces, pick)
    };
    picks.iter().map(one).fold(0, u64::wrapping_add)
}

fn mapped(surfaces: &[Located<'_>], picks: &[Pick]) -> u64 {
    picks.iter().map(|pick| vertex(surfaces, pick)).fold(0, u64::wrapping_add)
}

fn vertex(surfaces: &[Located<'_>], &[surface, position, attribute]: &Pick) -> u64 {
    let Located { positions, frames, uvs, weights } = &surfaces[surface];
    let frame = frames.get(attribute).unwrap();
    let axes = [frame.normal(), frame.tangent(), frame.bitangent()].map(bits);
    let weights = weights
        .and_then(|weights| weights.get(u32::try_from(position).unwrap()))
        .into_iter()
        .flat_map(|list| list.iter());
    let weights = weights.map(|one| bits([one.weight, one.bone as f32]));
    let rest = [bits(positions.get(position).unwrap()), bits(uvs.get(attribute).unwrap())];
    axes.into_iter().chain(rest).chain(weights).fold(0, u64::wrapping_add)
}

fn copied(mesh: &Lists, picks: &[Pick]) -> u64 {
    let vertex = |&[surface, position, attribute]: &Pick| {
        let surface = &mesh.surfaces[surface];
        let base = &surface.targets[0];
        let frame = base.frames.as_ref().unwrap()[attribute];
        let axes = [frame.normal(), frame.tangent(), frame.bitangent()].map(bits);
        let weights = surface.weights.as_ref().and_then(|weights| weights.get(position)).unwrap_or_default();
        let weights = weights.iter().map(|one| bits([one.weight, one.bone as f32]));
        let rest = [bits(base.positions[position]), bits(surface.uvs[0][attribute])];
        axes.into_iter().chain(rest).chain(weights).fold(0, u64::wrapping_add)
    };
    picks.iter().map(vertex).fold(0, u64::wrapping_add)
}

//! Measures the time to read 10,000 random vertices of a whole file: position, tangent frame, UV,
//! and weights if there are any.
#![allow(
    unsafe_code,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::cast_precision_loss,
    reason = "the files are mapped, no other process uses them, and a panic is how a bench fails"
)]

mod support;

use support::{claims, copying_loader, inputs};

use std::path::Path;

use meshpeek::decode::Floats;
use meshpeek::model::TangentFrames;
use meshpeek::unigine::{Mesh, SurfaceView};
use meshpeek::{Array, Map, Packed, Weights};
use support::claims::{Bar, Contestant, bits, claim};
use support::inputs::{Input, Inputs};

const VERTICES: u32 = 10_000;

fn main() {
    let inputs = Inputs::write();
    let mut criterion = claims::criterion();
    for input in &inputs.all {
        let picks = picks(&open(&input.path));
        claims::compare(&mut criterion, "10,000 random vertices", &input.name, &loaders(&input.path, &picks));
    }
    criterion.final_summary();
    for input in inputs.largest() {
        claims::title(&format!("10,000 random vertices, {}", input.name));
        loaded(input);
        loaded_before(input);
    }
}

fn open(path: &Path) -> Mesh<Map> {
    // SAFETY: the file is in a temporary folder of this process, and no process writes to it any
    // more.
    Mesh::open(unsafe { meshpeek::map(path).unwrap() }).unwrap()
}

/// The indices of a surface, of one of its positions, and of one of its tangent frames.
type Pick = [usize; 3];

/// Picks vertices. All surfaces have the same counts.
fn picks(mesh: &Mesh<Map>) -> Vec<Pick> {
    let counts = mesh.surface(0).unwrap().counts().unwrap();
    let below = |seed, count: u32| (inputs::random(seed) % count) as usize;
    let surfaces = u32::try_from(mesh.surface_count()).unwrap();
    let pick = |seed| [(seed, surfaces), (seed + 1, counts.vertices), (seed + 2, counts.attribute_vertices)];
    (0..VERTICES).map(|number| pick(number * 3).map(|(seed, count)| below(seed, count))).collect()
}

fn loaders<'a>(path: &'a Path, picks: &'a [Pick]) -> [Contestant<'a, u64>; 2] {
    [
        Contestant::new("meshpeek", move || {
            let mesh = open(path);
            (mapped(&locate(&mesh), picks), mesh)
        }),
        Contestant::new("copying", move || {
            let mesh = copying_loader::load(path);
            (copied(&mesh, picks), mesh)
        }),
    ]
}

/// Loads the file and reads the vertices.
fn loaded(input: &Input) {
    let picks = picks(&open(&input.path));
    let [ours, copying] = claims::race(7, &loaders(&input.path, &picks));
    claim("meshpeek, open and look up", ours.times(1e3), "ms", Bar::None);
    claim("copying, load and look up", copying.times(1e3), "ms", Bar::None);
    claim("copying / meshpeek", copying.over(&ours), "times", Bar::None);
}

/// Reads the vertices from a loaded file. Copying is faster here, because its tangent frames are
/// decoded and it has a full table of the offsets of weights.
fn loaded_before(input: &Input) {
    let (mesh, copy) = (open(&input.path), copying_loader::load(&input.path));
    let (picks, surfaces) = (picks(&mesh), locate(&mesh));
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

fn mapped(surfaces: &[Located<'_>], picks: &[Pick]) -> u64 {
    let vertex = |&[surface, position, attribute]: &Pick| {
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
    };
    picks.iter().map(vertex).fold(0, u64::wrapping_add)
}

fn copied(mesh: &copying_loader::Mesh, picks: &[Pick]) -> u64 {
    let vertex = |&[surface, position, attribute]: &Pick| {
        let copying_loader::Surface { positions, frames, uvs, influences, starts, .. } = &mesh.surfaces[surface];
        let frame = frames[attribute];
        let axes = [frame.normal, frame.tangent, frame.bitangent].map(bits);
        let list = starts.get(position..position + 2).map_or(0..0, |starts| starts[0]..starts[1]);
        let weights = influences[list].iter().map(|(bone, weight)| bits([*weight, f32::from(*bone)]));
        let rest = [bits(positions[position]), bits(uvs[0][attribute])];
        axes.into_iter().chain(rest).chain(weights).fold(0, u64::wrapping_add)
    };
    picks.iter().map(vertex).fold(0, u64::wrapping_add)
}

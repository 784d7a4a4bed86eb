//! How many instructions does one vertex cost through a [`Packed`] array, next to a native slice? And one key of a pose?
//!
//! The bench runs itself under valgrind, once for a number of items and once for twice as many; what the second run
//! took more is what the items cost. Each loop is what a caller would write, and the work in it is the same.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::cast_precision_loss,
    reason = "a panic is how a bench fails"
)]

mod claims;
mod inputs;

use std::hint::black_box;
use std::process::{Command, Stdio};

use claims::{Bar, claim, skipped};
use meshpeek::decode::Floats;
use meshpeek::surface::{Indices, Transform};
use meshpeek::unigine::{Animation, AnimationGeneration, AnimationView, Mesh, SurfaceView};
use meshpeek::{Packed, Weights};

/// Names the kernel that a child process runs, and the number of items it runs over.
const CHILD: [&str; 2] = ["MESHPEEK_BENCH_KERNEL", "MESHPEEK_BENCH_ITEMS"];
/// Quads along one side of the surface, which has a vertex more along each.
const SIDE: u32 = 160;
/// Items of the shorter of two runs: half the surface's vertices at most.
const ITEMS: usize = 12_000;
/// Frames of the animations, which have sixty bones: as many keys as the longer run has items.
const FRAMES: u32 = 400;
/// What a vertex may cost, with its share in a box.
const BAR: Bar = Bar::AtMost(22.0);

/// What a key may cost of a pose by its number, where its bone first rests, and of poses in order.
const KEY: [Bar; 2] = [Bar::AtMost(105.0), Bar::AtMost(50.0)];

/// A loop over some items.
type Kernel = fn(&Data<'_>);

const KERNELS: [(&str, Kernel, Bar); 7] = [
    ("native slice, box", |data| keep(native(&data.native)), Bar::None),
    ("Packed::get, box", |data| keep(get(data.packed)), BAR),
    ("Packed::iter, box", |data| keep(iter(data.packed)), BAR),
    ("Weights::get, sum", |data| keep(weights(data.weights, data.packed.len())), Bar::None),
    ("Indices::for_each, sum", |data| keep(indices(data.indices)), Bar::None),
    ("AnimationView::pose of an11, each key", |data| keep(poses(&data.whole, data.packed.len())), KEY[0]),
    ("AnimationView::play of an10, each key", |data| keep(play(&data.changes, data.packed.len())), KEY[1]),
];

fn main() {
    let mesh = Mesh::open(inputs::mesh(1, SIDE, true).to_bytes().unwrap()).unwrap();
    let surface = mesh.surface(0).unwrap();
    let files = [AnimationGeneration::An11, AnimationGeneration::An10]
        .map(|generation| Animation::open(inputs::motion::file(generation, FRAMES)).unwrap());
    let views = files.each_ref().map(|file| file.animation(0).unwrap());
    if let [Ok(kernel), Ok(items)] = CHILD.map(std::env::var) {
        let (_, kernel, _) = KERNELS.iter().find(|(name, ..)| *name == kernel).unwrap();
        return kernel(&Data::new(surface, views, items.parse().unwrap()));
    }
    time(&Data::new(surface, views, ITEMS));
    claims::title("instructions for each item");
    if cfg!(debug_assertions) {
        return skipped("all", "this build is not optimised");
    }
    for (name, _, bar) in KERNELS {
        match instructions(name) {
            Some(count) => assert!(claim(name, count, "instructions", bar), "{name} costs too many instructions"),
            None => skipped(name, "valgrind is not installed"),
        }
    }
}

/// The first so many items of each array.
struct Data<'a> {
    packed: Packed<'a, Floats<3>>,
    native: Vec<[f32; 3]>,
    weights: Weights<'a>,
    indices: Indices<'a>,
    whole: AnimationView<'a>,
    changes: AnimationView<'a>,
}

impl<'a> Data<'a> {
    /// Does the same work for any number of items, so that it cancels out between two runs.
    fn new(surface: SurfaceView<'a>, [whole, changes]: [AnimationView<'a>; 2], items: usize) -> Self {
        let all = surface.positions().unwrap();
        let mut native: Vec<_> = all.iter().collect();
        native.truncate(items);
        let weights = surface.weights().unwrap().unwrap();
        let indices = surface.indices().unwrap().slice(0..items).unwrap();
        assert!(whole.index_size() > 0, "what is built once is built here");
        Self { packed: all.slice(0..items).unwrap(), native, weights, indices, whole, changes }
    }
}

/// Keeps the compiler from leaving out what nobody looks at.
fn keep<T>(answer: T) {
    black_box(answer);
}

/// Tests that the three boxes are one, then lets criterion time each kernel.
fn time(data: &Data<'_>) {
    assert_eq!(get(data.packed), native(&data.native));
    assert_eq!(iter(data.packed), native(&data.native));
    let mut criterion = claims::criterion();
    let mut group = criterion.benchmark_group(format!("{ITEMS} items"));
    for (name, kernel, _) in KERNELS {
        group.bench_function(name, |bencher| bencher.iter(|| kernel(data)));
    }
    group.finish();
    criterion.final_summary();
}

/// Counts the instructions that one item costs; `None` without valgrind.
fn instructions(kernel: &str) -> Option<f64> {
    let [once, twice] = [ITEMS, 2 * ITEMS].map(|items| collected(kernel, items));
    Some((twice? - once?) / ITEMS as f64)
}

/// Runs this program under valgrind, and reads what it counted: `==1== Collected : 12345`.
fn collected(kernel: &str, items: usize) -> Option<f64> {
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(std::env::current_exe().unwrap());
    valgrind.env(CHILD[0], kernel).env(CHILD[1], items.to_string()).stdout(Stdio::null());
    let report = String::from_utf8(valgrind.output().ok()?.stderr).unwrap();
    let (_, count) = report.split_once("Collected : ").unwrap();
    Some(count.lines().next().unwrap().trim().parse().unwrap())
}

type Box3 = [[f32; 3]; 2];

const EMPTY: Box3 = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];

/// The work on each vertex, as a caller would write it.
#[inline]
fn widen([low, high]: &mut Box3, position: [f32; 3]) {
    for ((low, high), value) in low.iter_mut().zip(high).zip(position) {
        if value < *low {
            *low = value;
        }
        if value > *high {
            *high = value;
        }
    }
}

#[inline(never)]
fn native(positions: &[[f32; 3]]) -> Box3 {
    let mut found = EMPTY;
    for position in positions {
        widen(&mut found, *position);
    }
    found
}

#[inline(never)]
fn get(positions: Packed<'_, Floats<3>>) -> Box3 {
    let mut found = EMPTY;
    for index in 0..positions.len() {
        widen(&mut found, positions.get(index).unwrap());
    }
    found
}

#[inline(never)]
fn iter(positions: Packed<'_, Floats<3>>) -> Box3 {
    let mut found = EMPTY;
    for position in positions.iter() {
        widen(&mut found, position);
    }
    found
}

#[inline(never)]
fn weights(weights: Weights<'_>, items: usize) -> f32 {
    let mut sum = 0.0;
    for vertex in 0..items {
        for influence in &weights.get(vertex).unwrap() {
            sum += influence.weight;
        }
    }
    sum
}

#[inline(never)]
fn indices(indices: Indices<'_>) -> u32 {
    let mut sum = 0_u32;
    indices.for_each(|index| sum = sum.wrapping_add(index));
    sum
}

/// Poses frames one after another, by number.
#[inline(never)]
fn poses(animation: &AnimationView<'_>, keys: usize) -> f32 {
    let mut pose = vec![Transform::default(); animation.bone_count()];
    let mut sum = 0.0;
    for frame in (0..animation.frames).take(keys / animation.bone_count()) {
        animation.pose(frame, &mut pose).unwrap();
        sum += pose[0].position[0];
    }
    sum
}

#[inline(never)]
fn play(animation: &AnimationView<'_>, keys: usize) -> f32 {
    let mut frames = animation.play().unwrap();
    let mut sum = 0.0;
    for _ in 0..keys / animation.bones.len() {
        sum += frames.next().unwrap().unwrap()[0].position[0];
    }
    sum
}

//! Access to single items in a loop as a caller would write it. The work for each item is the same
//! in all loops.

use std::sync::Arc;

use meshpeek::decode::Floats;
use meshpeek::model::{Indices, Transform};
use meshpeek::sidecar::{Builder, Key, Sidecar, Trust};
use meshpeek::unigine::{Animation, AnimationGeneration, AnimationView, Mesh};
use meshpeek::{Array, MeshFile as _, Packed, Weights};

use super::callgrind::{Kernel, keep, lend};
use crate::support::inputs;

/// The number of quads along one side of the surface; there is one more vertex than quads.
const SIDE: u32 = 160;
/// The number of items in the shorter of two runs: at most half of the vertices of the surface.
const ITEMS: usize = 12_000;
/// The number of frames of the animations, which have sixty bones. The number of keys is the number
/// of items in the longer run.
const FRAMES: u32 = 400;
/// The maximum number of instructions for a vertex, including its part in a bounding box.
const VERTEX: f64 = 22.0;
/// The maximum number of instructions for a key: of a pose by its frame number, in which the bone
/// is first reset to its rest pose, and of poses in order.
const KEY: [f64; 2] = [105.0, 50.0];

pub fn kernels() -> Vec<Kernel> {
    let mesh = mesh();
    let surface = mesh.surface(0).unwrap();
    let (positions, indices) = (surface.positions().unwrap(), surface.indices().unwrap());
    let floats: &[[f32; 3]] = lend(positions.iter().collect::<Vec<_>>());
    let skin = surface.weights().unwrap().unwrap();
    let stored = lend(Mesh::open(mesh.as_bytes()).unwrap().with_sidecar(sidecar(mesh)));
    let skin_of_sidecar = stored.surface(0).unwrap().weights().unwrap().unwrap();
    let [whole, changes] = [AnimationGeneration::An11, AnimationGeneration::An10]
        .map(|generation| lend(Animation::open(inputs::motion::file(generation, FRAMES)).unwrap()))
        .map(|file| file.animation(0).unwrap());
    assert!(whole.index_size() > 0, "the index is built once, before the runs");
    vec![
        Kernel::new("native slice, box", ITEMS, |items| keep(native(&floats[..items]))),
        Kernel::new("Packed::get, box", ITEMS, move |items| keep(get(first(positions, items)))).at_most(VERTEX),
        Kernel::new("Packed::iter, box", ITEMS, move |items| keep(iter(first(positions, items)))).at_most(VERTEX),
        Kernel::new("Weights::get, sum", ITEMS, move |items| keep(weights(skin, items))),
        Kernel::new("Weights::get by a sidecar, sum", ITEMS, move |items| keep(weights(skin_of_sidecar, items))),
        Kernel::new("Weights::iter, sum", ITEMS, move |items| keep(lists(skin, items))),
        Kernel::new("Indices::for_each, sum", ITEMS, move |items| keep(sum(indices.slice(0..items).unwrap()))),
        Kernel::new("AnimationView::pose of an11, each key", ITEMS, move |keys| keep(poses(&whole, keys)))
            .at_most(KEY[0]),
        Kernel::new("AnimationView::play of an10, each key", ITEMS, move |keys| keep(play(&changes, keys)))
            .at_most(KEY[1]),
    ]
}

/// Asserts that the three bounding boxes are equal.
pub fn agree() {
    let positions = mesh().surface(0).unwrap().positions().unwrap();
    let floats: Vec<_> = positions.iter().collect();
    assert_eq!(get(positions), native(&floats));
    assert_eq!(iter(positions), native(&floats));
}

fn mesh() -> &'static Mesh<Vec<u8>> {
    lend(Mesh::open(inputs::mesh(1, SIDE, true).to_bytes().unwrap()).unwrap())
}

/// Returns the sidecar of a mesh.
pub fn sidecar(mesh: &Mesh<Vec<u8>>) -> Arc<Sidecar> {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), mesh.as_bytes()).unwrap();
    let key = Key::of(&file.path().metadata().unwrap());
    let (mut builder, mut bytes) = (Builder::default(), Vec::new());
    mesh.index(&mut builder).unwrap();
    builder.write_to(&key, &mut bytes).unwrap();
    Arc::new(Sidecar::open(bytes, &key, Trust::Trusted).unwrap())
}

fn first(positions: Packed<'_, Floats<3>>, items: usize) -> Packed<'_, Floats<3>> {
    positions.slice(0..items).unwrap()
}

type Box3 = [[f32; 3]; 2];

const EMPTY: Box3 = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];

/// The work for each vertex, as a caller would write it.
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
    for vertex in 0..u32::try_from(items).unwrap() {
        for influence in &weights.get(vertex).unwrap() {
            sum += influence.weight;
        }
    }
    sum
}

#[inline(never)]
fn lists(weights: Weights<'_>, items: usize) -> f32 {
    let mut sum = 0.0;
    for influences in weights.iter().take(items) {
        for influence in &influences {
            sum += influence.weight;
        }
    }
    sum
}

#[inline(never)]
fn sum(indices: Indices<'_>) -> u32 {
    let mut sum = 0_u32;
    indices.for_each(|index| sum = sum.wrapping_add(index));
    sum
}

/// Computes the poses of frames one after another, by frame number.
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

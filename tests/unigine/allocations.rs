//! Counts the allocations for reading animations and blocks of UNIGINE files.
//!
//! Posing a frame allocates nothing. A surface in a block allocates the raw size of the block.

use crate::support::unigine::builder;
use meshpeek::Array;
use meshpeek::model::Transform;
use meshpeek::unigine::{Animation, AnimationGeneration, Generation, InflateBuffer, Mesh};

use crate::support::allocations::{allocations, most_held};
use crate::support::unigine::{bytes, grid, wave, wave_pose};

/// Builds the waving sample with enough frames for checkpoints.
fn long_wave(generation: AnimationGeneration) -> Vec<u8> {
    let mut file = wave(generation);
    let again = file.animations[0].frames.clone();
    for _ in 0..100 {
        file.animations[0].frames.extend(again.iter().cloned());
    }
    file.to_bytes().unwrap()
}

/// Allocations of an open file: the lists of bones, of animations, and of their cached state.
const OPEN: u64 = 4;
/// Allocations for the located keys of an animation, its nearby checkpoints, and the list of such
/// checkpoints.
const FOUND: u64 = 3;

#[test]
fn opening_and_posing_allocate_next_to_nothing() {
    for generation in AnimationGeneration::ALL {
        let whole = long_wave(generation);
        let count = allocations(|| Animation::open(whole.as_slice()).unwrap());
        assert!(count <= OPEN, "{count} allocations to open {}", generation.magic());
        let file = Animation::open(whole.as_slice()).unwrap();
        let found = allocations(|| file.animation(0).unwrap());
        assert!(found <= FOUND, "{found} allocations to find the keys");
        let view = file.animation(0).unwrap();
        let mut pose = vec![Transform::default(); file.bone_count()];
        // Frames near the start need no checkpoint.
        assert_eq!(allocations(|| view.pose(0, &mut pose).unwrap()), 0);
        view.pose(view.frames - 1, &mut pose).unwrap();
        assert!(view.index_size() > 0);
        let count = allocations(|| {
            for frame in (0..view.frames).rev().step_by(37) {
                file.animation(0).unwrap().pose(frame, &mut pose).unwrap();
            }
        });
        assert_eq!(count, 0, "{}", generation.magic());
        let mut frames = view.play().unwrap();
        assert_eq!(allocations(|| while frames.next().unwrap().is_some() {}), 0);
        assert_eq!(allocations(|| view.play().unwrap()), 1, "one pose");
    }
    assert!(wave_pose(0).len() == 5);
}

#[test]
fn a_mesh_poses_without_allocating() {
    let whole = bytes("skinned_ms12");
    let mesh = Mesh::open(whole.as_slice()).unwrap();
    let mut pose = vec![Transform::default(); 2];
    let count = allocations(|| (0..3).for_each(|frame| mesh.animation(0).unwrap().pose(frame, &mut pose).unwrap()));
    assert_eq!(count, 0);
}

/// Allocations for a block: its slot, and its bytes.
const BLOCK: u64 = 2;
/// Bytes that a surface may allocate in addition to the inflated size of its block.
const SMALL: u64 = 256;

#[test]
fn a_surface_is_inflated_once() {
    let built = builder::Mesh {
        surfaces: vec![grid("one", 30, true), grid("two", 40, true), grid("three", 20, false)],
        ..builder::Mesh::new(Generation::Ms14)
    };
    let whole = built.to_bytes().unwrap();
    for index in [2, 0, 1] {
        let mesh = Mesh::open(whole.as_slice()).unwrap();
        let [geometry, tree] = mesh.blocks(index).unwrap().unwrap();
        let raw = geometry.raw as u64;
        let (count, held) = most_held(|| allocations(|| mesh.surface(index).unwrap()));
        assert_eq!(count, BLOCK);
        assert!((raw..=raw + SMALL).contains(&held), "{held} bytes held for {raw}");
        let count = allocations(|| {
            let view = mesh.surface(index).unwrap();
            view.positions().unwrap().for_each(|_| {});
            view.tangent_frames().unwrap().for_each(|_| {});
            view.indices().unwrap().for_each(|_| {});
            view.uvs(0).unwrap();
        });
        assert_eq!(count, 0);
        // The parts of the tree whose length varies are decoded into lists as well: four bytes for
        // a corner, twenty for a node.
        let (_, held) = most_held(|| mesh.tree(index).unwrap().is_some());
        let unfolded = {
            let tree = mesh.tree(index).unwrap().unwrap();
            (tree.corners().len() * 4 + tree.nodes().len() * 20) as u64
        };
        let raw = tree.raw as u64;
        assert!(
            (raw + unfolded..=raw + unfolded + 2 * SMALL).contains(&held),
            "{held} bytes held for {raw} and {unfolded} bytes"
        );
        assert_eq!(allocations(|| mesh.tree(index).unwrap()), 0);
    }
}

#[test]
fn a_buffer_is_filled_again_without_allocating() {
    let built = builder::Mesh {
        surfaces: vec![grid("one", 30, true), grid("two", 40, true), grid("three", 20, false)],
        ..builder::Mesh::new(Generation::Ms15)
    };
    let whole = built.to_bytes().unwrap();
    let mesh = Mesh::open(whole.as_slice()).unwrap();
    let mut buffer = InflateBuffer::default();
    mesh.surface_in(1, &mut buffer).unwrap();
    for index in [0, 1, 2, 1] {
        let count = allocations(|| mesh.surface_in(index, &mut buffer).unwrap().positions().unwrap().len());
        assert_eq!(count, 0, "surface {index}");
    }
    // A block that is stored verbatim needs no memory at all.
    let raw = bytes("cube_ms14_raw");
    let mesh = Mesh::open(raw.as_slice()).unwrap();
    let count = allocations(|| mesh.surface_in(0, &mut InflateBuffer::default()).unwrap().positions().unwrap().len());
    assert_eq!(count, 0);
}

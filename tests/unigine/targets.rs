//! Tests of surfaces with many shapes (morph targets).

use crate::support::unigine::builder;
use meshpeek::Array;
use meshpeek::model::SurfaceArrays as _;
use meshpeek::unigine::{Generation, Mesh};

use crate::support::stopwatch::expect_linear;
use crate::support::unigine::raw_blocks::{RawBlock, header_of, put_together};
use crate::support::unigine::{RawFile, grid};

const GENERATIONS: [Generation; 3] = [Generation::Ms11, Generation::Ms13, Generation::Ms14];

/// A mesh of two surfaces whose shapes differ.
fn many_shapes(generation: Generation, count: usize) -> builder::Mesh {
    let surface = |name: &str, first: f32| {
        let mut surface = grid(name, 1, false);
        let base = surface.targets[0].clone();
        surface.targets = (0..count)
            .map(|number| {
                let mut target = base.clone();
                target.positions.iter_mut().for_each(|position| position[2] = first + number as f32);
                target
            })
            .collect();
        surface
    };
    builder::Mesh { surfaces: vec![surface("one", 0.0), surface("two", 1000.0)], ..builder::Mesh::new(generation) }
}

#[test]
fn shapes_are_found_in_any_order() {
    for generation in GENERATIONS {
        for count in [1, 15, 16, 17, 32, 33, 100] {
            let built = many_shapes(generation, count);
            let bytes = built.to_bytes().unwrap();
            let mesh = Mesh::open(bytes.as_slice()).unwrap();
            for target in (0..count).rev().chain(0..count) {
                for (surface, first) in [(1, 1000.0), (0, 0.0)] {
                    let positions = mesh.positions(surface, target).unwrap();
                    assert_eq!(positions.get(3).unwrap()[2], first + target as f32, "{generation:?}, shape {target}");
                    let frames = mesh.tangent_frames(surface, target).unwrap().unwrap();
                    assert_eq!(frames.len(), built.surfaces[surface].targets[target].frames.len());
                }
            }
            let view = mesh.surface(1).unwrap();
            assert_eq!(view.indices().unwrap().len(), built.surfaces[1].indices.len());
            assert!(mesh.positions(0, count).is_err());
        }
    }
}

/// A shape with a damaged count hides those after it, and no other.
#[test]
fn a_damaged_shape_hides_only_those_after_it() {
    let count = 100;
    let raw = RawFile::new(Generation::Ms13).count(0).count(1).text(b"").put(&[0, 0]).bounds();
    let raw = raw.count(count).times(count, |raw, _| raw.text(b"")).put(b"ms13");
    let raw = raw.times(70, |raw, _| raw.put(&[0; 2])).put(&[0x41, 0xff, 0xff, 0x7f]);
    let mesh = Mesh::open(raw.0.as_slice()).unwrap();
    for target in [69, 40, 0] {
        assert!(mesh.positions(0, target).unwrap().is_empty());
    }
    for target in [70, 75, 99] {
        let error = mesh.positions(0, target).unwrap_err();
        assert_eq!(error.field().to_string(), "surface[0].target[70].positions.count", "{target}");
    }
}

#[test]
fn the_time_for_all_shapes_is_linear() {
    let plain = |count: usize| {
        let times = i32::try_from(count).unwrap();
        let raw = RawFile::new(Generation::Ms13).count(0).count(1).text(b"").put(&[0, 0]).bounds();
        let raw = raw.count(times).times(times, |raw, _| raw.text(b"")).put(b"ms13");
        raw.times(times, |raw, _| raw.put(&[0; 2])).put(&[0; 6]).put(b"ms13").0
    };
    let compressed = |count: usize| {
        let header = header_of(Generation::Ms14, 1, count, [0; 3]);
        put_together(&header, &[RawBlock::lz4(&vec![0; count + 4])], &[RawBlock::lz4(&[0; 3])])
    };
    let ask = |bytes: &Vec<u8>| {
        let mesh = Mesh::open(bytes.as_slice()).unwrap();
        let count = mesh.surface(0).unwrap().target_count();
        for target in 0..count {
            mesh.positions(0, target).unwrap();
            mesh.tangent_frames(0, target).unwrap();
        }
    };
    expect_linear("shapes of ms13", 400, plain, ask);
    expect_linear("shapes of ms14", 400, compressed, ask);
}

//! Tests queries on the same triangles in every encoding of positions and with every index width.
//!
//! The results equal those of `f32` positions with 32-bit indices.

use std::sync::Arc;

use meshpeek::decode::endian::RawWord;
use meshpeek::decode::{
    ByteOrder, Decode as _, EndianFloats, EndianIndex, Floats, Index, MinMax16, Packed32, Packed64,
};
use meshpeek::model::{IndexEncoding, Indices, PositionEncoding, Positions};
use meshpeek::query::{Scene, Tree, Triangles};
use meshpeek::{Array, Packed, Strided};
use zerocopy::little_endian::{F32, I16, U16, U32};
use zerocopy::{FromBytes as _, IntoBytes as _};

use crate::support::query::{Oracle, Questions, Shape, ask, expect, faces_of};
use crate::support::random::Random;

fn scene_over<'a>(positions: Positions<'a>, indices: Indices<'a>) -> Scene<'a> {
    let triangles = Triangles::from_arrays(positions, indices);
    let mut scene = Scene::empty();
    scene.add(0, triangles, Arc::new(Tree::new(&triangles).unwrap()));
    scene
}

/// Runs the same queries on encoded positions and on floats.
fn expect_encoded(positions: Positions<'_>, random: &mut Random, count: usize) {
    let len = positions.len();
    let near = |random: &mut Random| (random.below(len), random.below(8));
    let mut numbers = Vec::new();
    for _ in 0..count {
        let (first, off) = near(random);
        let numbers_of = [first, first + off, first + random.below(12)];
        numbers.extend(numbers_of.map(|number| number as u32));
    }
    let wide: Vec<U32> = numbers.iter().copied().map(U32::new).collect();
    let indices = Indices(IndexEncoding::U32(Packed::new(&wide, Index::new())));
    let faces = [faces_of(&positions, &indices)];
    let oracle = Oracle::new(&faces);
    let questions = Questions::new(random, &oracle, &faces, (20_000 / count).clamp(16, 200));
    let scene = scene_over(positions, indices);
    expect(&scene, &oracle, &questions);
    let expected = ask(&scene, &questions);
    let points: Vec<[f32; 3]> = (0..len).map(|at| positions.get(at).unwrap()).collect();
    let plain = Shape::new(&points, &numbers);
    assert_eq!(ask(&plain.scene(), &questions), expected, "{positions:?}");
    let words: Vec<u8> = numbers.iter().flat_map(|number| number.to_be_bytes()).collect();
    let big = <[RawWord]>::ref_from_bytes(&words).unwrap();
    let ordered = Indices(IndexEncoding::Endian(Packed::new(big, EndianIndex(ByteOrder::Big))));
    assert_eq!(ask(&scene_over(positions, ordered), &questions), expected, "ordered");
    // Indices that fit into fewer bits.
    let narrow = |bits: u32| numbers.iter().map(|number| number & ((1 << bits) - 1)).collect::<Vec<u32>>();
    let (bytes, halves) = (narrow(8), narrow(16));
    let ask_wide = |numbers: &[u32]| {
        let wide: Vec<U32> = numbers.iter().copied().map(U32::new).collect();
        ask(&scene_over(positions, Indices(IndexEncoding::U32(Packed::new(&wide, Index::new())))), &questions)
    };
    let thin: Vec<u8> = bytes.iter().map(|number| *number as u8).collect();
    let found = ask(&scene_over(positions, Indices(IndexEncoding::U8(Packed::new(&thin, Index::new())))), &questions);
    assert_eq!(found, ask_wide(&bytes), "8 bits");
    let thin: Vec<U16> = halves.iter().map(|number| U16::new(*number as u16)).collect();
    let found = ask(&scene_over(positions, Indices(IndexEncoding::U16(Packed::new(&thin, Index::new())))), &questions);
    assert_eq!(found, ask_wide(&halves), "16 bits");
    // Without stored indices, each corner is a separate vertex.
    let own = Shape::new(&points, &(0..len as u32).collect::<Vec<_>>());
    let counting = Indices(IndexEncoding::Consecutive(meshpeek::array::Consecutive::new(len as u32)));
    assert_eq!(ask(&scene_over(positions, counting), &questions), ask(&own.scene(), &questions), "none");
}

const COUNTS: [usize; 3] = [5, 60, 600];

#[test]
fn floats() {
    let mut random = Random::new(21);
    for count in COUNTS {
        let raw: Vec<[F32; 3]> =
            (0..400).map(|at| [at as f32 * 0.01, random.unit(), random.unit()].map(F32::new)).collect();
        expect_encoded(Positions(PositionEncoding::F32(Packed::new(&raw, Floats))), &mut random, count);
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it")]
fn words() {
    let mut random = Random::new(22);
    for count in COUNTS {
        let raw: Vec<U32> = (0..400).map(|_| U32::new(random.next() as u32)).collect();
        expect_encoded(Positions(PositionEncoding::Packed32(Packed::new(&raw, Packed32))), &mut random, count);
        let bytes: Vec<u8> = (0..400 * 8).map(|_| random.next().to_le_bytes()[3]).collect();
        let raw = <[[I16; 4]]>::ref_from_bytes(&bytes).unwrap();
        expect_encoded(Positions(PositionEncoding::Packed64(Packed::new(raw, Packed64))), &mut random, count);
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn codes() {
    let mut random = Random::new(23);
    for count in COUNTS {
        for (min, max) in [([-0.5; 3], [0.5; 3]), ([3.0, -1e6, 0.25], [4.0, 1e6, 0.25]), ([1.0; 3], [-1.0, 2.0, 1.0])] {
            let raw: Vec<[U16; 3]> = (0..400).map(|_| [0; 3].map(|_| U16::new(random.next() as u16))).collect();
            let decoder = MinMax16::new(min, max);
            let first = decoder.decode(&raw[0]);
            let positions = Positions(PositionEncoding::MinMax16(Packed::new(&raw, decoder)));
            assert_eq!(
                Triangles::from_arrays(positions, Indices(IndexEncoding::U8(Packed::new(&[0, 0, 0], Index::new()))))
                    .get(0),
                Some([first; 3])
            );
            expect_encoded(positions, &mut random, count);
        }
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn records() {
    let mut random = Random::new(24);
    for count in COUNTS {
        for (order, stride, at) in [(ByteOrder::Little, 12, 0), (ByteOrder::Big, 20, 8), (ByteOrder::Little, 13, 1)] {
            let mut bytes = vec![0xee; 400 * stride];
            for (number, record) in bytes.chunks_mut(stride).enumerate() {
                let point = [number as f32 * 0.01, random.unit(), random.unit()];
                let parts =
                    point.map(|part| if order == ByteOrder::Little { part.to_le_bytes() } else { part.to_be_bytes() });
                record[at..at + 12].copy_from_slice(parts.as_bytes());
            }
            let array = Strided::new(&bytes, stride, at, EndianFloats::<3>(order)).unwrap();
            expect_encoded(Positions(PositionEncoding::Strided(array)), &mut random, count);
        }
    }
}

//! Any bytes as a mesh and as queries on it: rays, points and boxes.
//!
//! The results are bit-identical to a loop that queries each triangle separately. Results that do
//! not depend on rounding equal those in `f64`. They do not depend on the tree, nor on the number
//! of queries in a batch.
#![no_main]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    reason = "a panic is how a fuzz target fails"
)]

#[path = "../../support/mod.rs"]
mod support;

use libfuzzer_sys::fuzz_target;
use meshpeek::array::Bounds;
use meshpeek::query::{Nearest, Ray};
use support::query::{Lists as _, Oracle, Questions, Shape, ask, expect};

/// Reads numbers from the start of the bytes: any floats, or those of a coarse grid.
struct Numbers<'a> {
    left: &'a [u8],
    coarse: bool,
}

impl Numbers<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (byte, left) = self.left.split_first()?;
        self.left = left;
        Some(*byte)
    }

    fn float(&mut self) -> Option<f32> {
        if self.coarse {
            return Some(f32::from(self.byte()? % 16) * 0.25 - 2.0);
        }
        let (bytes, left) = self.left.split_first_chunk()?;
        self.left = left;
        Some(f32::from_le_bytes(*bytes))
    }

    fn vector(&mut self) -> Option<[f32; 3]> {
        Some([self.float()?, self.float()?, self.float()?])
    }
}

/// Returns the bits of a nearest point, without the number of its triangle.
fn bits(nearest: &Nearest) -> Vec<u32> {
    let floats = nearest.point.iter().chain(&nearest.barycentric).chain([&nearest.distance]);
    floats.map(|float| float.to_bits()).collect()
}

fuzz_target!(|bytes: &[u8]| {
    let [mode, vertices, triangles, asked, rest @ ..] = bytes else { return };
    let mut numbers = Numbers { left: rest, coarse: mode & 1 == 1 };
    let mut positions = Vec::new();
    for _ in 0..usize::from(vertices % 48) {
        let Some(vertex) = numbers.vector() else { break };
        positions.push(vertex);
    }
    let mut indices = Vec::new();
    for _ in 0..3 * usize::from(triangles % 64) {
        let Some(index) = numbers.byte() else { break };
        // The modulus is one larger than the number of positions, which makes some indices out of
        // range.
        indices.push(u32::from(index) % (positions.len() as u32 + 1));
    }
    let shape = Shape::new(&positions, &indices);
    let mut questions = Questions::default();
    for _ in 0..=asked % 8 {
        let (Some(from), Some(to), Some(limit)) = (numbers.vector(), numbers.vector(), numbers.float()) else { break };
        let ray = if mode & 2 == 0 { Ray::toward(from, to) } else { Ray::new(from, to) };
        questions.rays.extend([ray, ray.within([-limit, limit])]);
        questions.points.extend([(from, limit), (to, f32::INFINITY)]);
        questions.boxes.extend([Bounds { min: from, max: to }, Bounds { min: from, max: from }]);
    }
    questions.vertices = (0..positions.len() as u32).map(|vertex| (0, vertex)).collect();
    let faces = shape.faces();
    let scene = shape.scene();
    expect(&scene, &Oracle::new(&[faces]), &questions);
    let expected = ask(&scene, &questions);
    // Queries a tree that was built for another shape and refitted.
    let other = shape.mapped(|[x, y, z]| [z * 0.5, x + y, 1.0]);
    let refitted = other.scene().refit(|_| Ok(shape.triangles())).unwrap();
    assert!(ask(&refitted, &questions) == expected, "refitted");
    // Queries each triangle separately.
    let alone: Vec<Shape> = indices.chunks_exact(3).map(|corners| Shape::new(&positions, corners)).collect();
    let scenes: Vec<_> = alone.iter().map(Shape::scene).collect();
    for ray in &questions.rays {
        let all = (0_u32..).zip(&scenes).filter_map(|(triangle, scene)| {
            let mut hit = scene.ray(ray)?;
            hit.triangle = triangle;
            Some(hit)
        });
        let mut all: Vec<_> = all.collect();
        let mut found = scene.all_hits(ray);
        // The order of hits whose `t` differs only in `f64` is not compared.
        all.sort_by_key(|hit| hit.triangle);
        found.sort_by_key(|hit| hit.triangle);
        assert_eq!(found, all, "{ray:?}");
    }
    for (point, limit) in &questions.points {
        let all = scenes.iter().filter_map(|scene| scene.nearest(*point, *limit));
        let least = all.clone().map(|nearest| nearest.distance).fold(f32::INFINITY, f32::min);
        let found = scene.nearest(*point, *limit);
        assert_eq!(found.is_some(), all.clone().next().is_some(), "{point:?} {limit}");
        if let Some(found) = found {
            assert_eq!(found.distance.to_bits(), least.to_bits(), "{point:?} {limit}");
            assert!(all.clone().any(|nearest| bits(&nearest) == bits(&found)), "{point:?} {limit}");
        }
    }
});

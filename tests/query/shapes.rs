//! Tests generated meshes.
//!
//! They are random triangles of every number and size, grids, spheres, needles, and triangles that
//! queries ignore.

use std::sync::Arc;

use meshpeek::array::Bounds;
use meshpeek::query::{Ray, Scene, Tree};

use crate::support::cases;
use crate::support::query::{Corners, Flat, Lists as _, Oracle, Questions, Shape, ball, batch, expect, grid};
use crate::support::random::Random;

/// The number of triangle tests for each mesh. An unoptimised build does fewer.
const WORK: usize = if cfg!(debug_assertions) { 20_000 } else { 1_000_000 };

/// Runs queries on a mesh within the budget of [`WORK`], and returns the number of hits.
fn expect_shape(shape: &Shape, seed: u64) -> usize {
    let surfaces = [shape.faces()];
    let oracle = Oracle::new(&surfaces);
    let count = (WORK / shape.len().max(1)).clamp(16, 400);
    let questions = Questions::new(&mut Random::new(seed), &oracle, &surfaces, count);
    expect(&shape.scene(), &oracle, &questions)
}

fn vector(random: &mut Random) -> [f32; 3] {
    [random.unit(), random.unit(), random.unit()]
}

/// Builds random triangles.
///
/// Each has about a tenth of the size of the whole mesh.
fn soup(random: &mut Random, count: usize) -> Vec<Corners> {
    let large = 0.3 / (count as f32).cbrt().max(1.0);
    let one = |random: &mut Random| {
        let center = vector(random);
        [0; 3].map(|_| {
            let off = vector(random);
            [0, 1, 2].map(|axis| center[axis] + off[axis] * large)
        })
    };
    (0..count).map(|_| one(random)).collect()
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it")]
fn soups_of_every_number() {
    let mut random = Random::new(1);
    let mut hits = 0;
    let counts = [0, 1, 2, 3, 6, 7, 8, 9, 15, 16, 17, 63, 64, 65, 100, 511, 513, 1000, 5000];
    let more: Vec<usize> = (0..40).map(|_| random.within(10..200)).collect();
    for count in counts.into_iter().chain(more) {
        let shape = Shape::soup(&soup(&mut random, count));
        hits += expect_shape(&shape, count as u64);
    }
    assert!(hits > cases::number(1000, 6), "{hits}");
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn soups_of_every_size() {
    let mut random = Random::new(2);
    for scale in [1e-30, 1e-20, 1e-15, 1e-6, 1e6, 1e10, 1e13, 1e15, 1e18_f32] {
        for count in [1, 9, 200, 1500] {
            let shape = Shape::soup(&soup(&mut random, count)).mapped(|point| point.map(|part| part * scale));
            let hits = expect_shape(&shape, count as u64);
            assert!(hits > 0 || count < 200, "{scale}");
        }
    }
}

#[test]
fn soups_far_from_the_origin() {
    let mut random = Random::new(3);
    for (offset, scale) in
        [([1e6, -1e6, 1e6], 1.0), ([1e6, 0.0, 0.0], 100.0), ([0.0, 1e15, -1e15], 1e12), ([-3e17; 3], 1e14_f32)]
    {
        for count in [2, 50, 1200] {
            let shape = Shape::soup(&soup(&mut random, count))
                .mapped(|point| [0, 1, 2].map(|axis| point[axis] * scale + offset[axis]));
            expect_shape(&shape, count as u64);
        }
    }
}

/// Rotates the axes, so each of the three axes is once the flat one.
fn turned(shape: &Shape, turn: usize) -> Shape {
    shape.mapped(|mut point| {
        point.rotate_right(turn);
        point
    })
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it")]
fn flat_grids() {
    for turn in 0..3 {
        for side in [1, 3, 20] {
            expect_shape(&turned(&grid(side), turn), u64::from(side));
        }
        let shape = turned(&grid(12), turn);
        let scene = shape.scene();
        let oracle = Oracle::new(&[shape.faces()]);
        let turned = |mut vector: [f32; 3]| {
            vector.rotate_right(turn);
            vector
        };
        // Rays hit every corner, the middle of every edge and of every quad, from both sides,
        // straight and oblique. None of them slips through.
        for at in 0..25 * 25 {
            let [x, y] = [at % 25, at / 25].map(|half| half as f32 * 0.5);
            for up in [1.0, -2.0, 1e6, 1e-6] {
                let straight = Ray::new(turned([x, y, up]), turned([0.0, 0.0, -up]));
                assert!(scene.is_hit(&straight), "{straight:?}");
                assert_eq!(scene.ray(&straight).map(|hit| hit.t), Some(1.0), "{straight:?}");
                if at % 7 == 0 {
                    oracle.expect_ray(&scene, &straight);
                    oracle.expect_ray(&scene, &Ray::toward(turned([x + 2.0, y - 1.0, up]), turned([x, y, 0.0])));
                }
            }
            // A ray within the plane hits nothing, whether it starts inside or outside of the grid.
            for along in [[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [1.0, 1.0, 0.0]] {
                assert!(!scene.is_hit(&Ray::new(turned([x, y, 0.0]), turned(along))));
            }
            let found = scene.nearest(turned([x, y, 0.25]), f32::INFINITY).unwrap();
            assert_eq!((found.distance, found.point), (0.25, turned([x, y, 0.0])));
        }
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn nearly_flat_and_thin() {
    // The thickness that rounding leaves after a rotation by 90 degrees, and less. The rays run
    // along the plane from far away.
    for thin in [1e-3, 4.371_139e-8, 1e-10, 1e-13, 1e-20_f32] {
        for turn in 0..3 {
            let flat = grid(10).mapped(|[x, y, _]| [x, y, thin * (x * 0.5 + y)]);
            let shape = turned(&flat, turn);
            expect_shape(&shape, 5);
            let (scene, oracle) = (shape.scene(), Oracle::new(&[shape.faces()]));
            let turned = |mut vector: [f32; 3]| {
                vector.rotate_right(turn);
                vector
            };
            for far in [20.0, 1000.0, 1e5, 1e8, 1e12] {
                for height in [0.0, 0.25, 0.5, 1.0, 3.0, 7.0] {
                    for slope in [0.0, 1e-20, -1e-15, 1e-9_f32] {
                        let high = height * thin - slope * far;
                        let ray = Ray::new(turned([far, 3.3, high]), turned([-1.0, 0.0, slope]));
                        oracle.expect_ray(&scene, &ray);
                        oracle.expect_ray(&scene, &Ray::new(turned([2.7, -far, high]), turned([0.0, 1.0, slope])));
                    }
                }
            }
        }
    }
}

#[test]
fn rays_beside_huge_triangles() {
    // A side of the bounding box is very close to the ray, and the hit is far away.
    let mut random = Random::new(12);
    for _ in 0..40 {
        let far = 10.0_f32.powf(random.unit() * 6.0 + 9.0);
        let hair = 10.0_f32.powf(random.unit() * 6.0 - 6.0);
        let sign = if random.one_in(2) { 1.0 } else { -1.0 };
        let triangle = [[-sign, -far, far], [hair * sign, -far, far], [hair * sign, far, far * 1.25]];
        for turn in 0..3 {
            let shape = turned(&Shape::soup(&[triangle]), turn);
            let (scene, oracle) = (shape.scene(), Oracle::new(&[shape.faces()]));
            for x in [0.0, hair * 0.5 * sign, -hair * sign] {
                for slope in [0.0, 1e-30, 1e-21 * sign, -1e-21 * sign] {
                    let turned = |mut vector: [f32; 3]| {
                        vector.rotate_right(turn);
                        vector
                    };
                    oracle.expect_ray(&scene, &Ray::new(turned([x, -far * 0.5, 0.0]), turned([slope, 0.0, 1.0])));
                }
            }
        }
    }
}

/// Two corners of a triangle may be nearer to each other than the third corner's coordinates are
/// exact.
///
/// Found by fuzzing: the reference computed the side that a ray meets from differences to the first
/// corner, in which the other two corners were equal.
#[test]
fn corners_almost_at_each_other() {
    let corners = [[-2.5e10, -7e10, 4.0e-40], [4.6e-41, 0.0, 0.0], [0.0, 2.346e-38, 0.0]];
    let shape = Shape::soup(&[corners, [corners[1], corners[2], corners[0]], [corners[2], corners[1], corners[0]]]);
    let ray = Ray::new([-0.0, 0.0, 0.0], [f32::MAX, 1.75, -3.75]).within([-1.5, 1.5]);
    let questions = Questions { rays: vec![ray], ..Questions::default() };
    assert!(expect(&shape.scene(), &Oracle::new(&[shape.faces()]), &questions) > 0);
}

/// A box may be nearer to a triangle than the triangle's coordinates are exact.
///
/// Found by fuzzing: the reference compared the gap only with the coordinates of the box, which are
/// 0 here, and so allowed for no rounding.
#[test]
fn boxes_almost_at_a_triangle() {
    let corners = [[0.0, 1.0, 0.0], [0.0, 0.0, 5.831_554e-39], [0.0, 0.625, 0.375]];
    let shape = Shape::soup(&[corners]);
    let boxes = [0.0, -0.001].map(|most| Bounds { min: [0.0, -1.0, -1.0], max: [0.0, most, most] });
    let point = Bounds { min: [0.0; 3], max: [0.0; 3] };
    let questions = Questions { boxes: vec![point, boxes[0], boxes[1]], ..Questions::default() };
    expect(&shape.scene(), &Oracle::new(&[shape.faces()]), &questions);
}

#[test]
fn closed_balls() {
    let mut random = Random::new(4);
    for (rings, scale, offset) in [(4, 1.0, 0.0), (12, 1e-12, 0.0), (12, 1e12, 0.0), (20, 1.0, 1000.0_f32)] {
        let shape = ball(&mut random, rings).mapped(|point| point.map(|part| part * scale + offset));
        expect_shape(&shape, u64::from(rings));
        let scene = shape.scene();
        let center = [offset; 3];
        let corners: Vec<[f32; 3]> = shape.faces().into_iter().flatten().flatten().collect();
        for number in 0..500 {
            let (a, b) = (*random.pick(&corners), vector(&mut random).map(|part| part * scale));
            let target = if number % 2 == 0 { a } else { [0, 1, 2].map(|axis| b[axis] + offset) };
            let ray = Ray::toward(center, target);
            assert!(ray.direction == [0.0; 3] || scene.is_hit(&ray), "{ray:?} leaves the ball");
            if number % 2 == 1 {
                continue;
            }
            // A ray from outside through a corner enters the ball and leaves it again.
            let from = [0, 1, 2].map(|axis| center[axis] + (center[axis] - target[axis]) * 3.0);
            let through = scene.all_hits(&Ray::toward(from, target));
            assert!(ray.direction == [0.0; 3] || through.len() >= 2, "{through:?} of {target:?}");
        }
    }
}

#[test]
fn needles() {
    let mut random = Random::new(5);
    for thin in [1e-3, 1e-7, 1e-12_f32] {
        let needle = |random: &mut Random| {
            let (from, to, off) = (vector(random), vector(random), vector(random));
            [from, to, [0, 1, 2].map(|axis| to[axis] + off[axis] * thin)]
        };
        let needles: Vec<Corners> = (0..300).map(|_| needle(&mut random)).collect();
        expect_shape(&Shape::soup(&needles), 6);
    }
}

#[test]
fn the_same_many_times() {
    let mut random = Random::new(6);
    for count in [2, 8, 40, 400, 3000] {
        let few = soup(&mut random, 3);
        let many: Vec<Corners> = (0..count).map(|_| *random.pick(&few)).collect();
        let shape = Shape::soup(&many);
        expect_shape(&shape, 7);
        let scene = shape.scene();
        for triangle in &few {
            let middle = [0, 1, 2].map(|axis| triangle.iter().map(|corner| corner[axis]).sum::<f32>() / 3.0);
            let Some(first) = many.iter().position(|other| other == triangle) else { continue };
            let ray = Ray::toward([3.0, 2.0, 2.5], middle);
            let hits = scene.all_hits(&ray);
            let of_it = hits.iter().filter(|hit| many[hit.triangle as usize] == *triangle);
            assert!(of_it.clone().map(|hit| hit.triangle).is_sorted());
            let same = many.iter().filter(|other| *other == triangle).count();
            assert_eq!((of_it.clone().count(), of_it.clone().next().unwrap().triangle as usize), (same, first));
            let nearest = scene.nearest(middle, f32::INFINITY).unwrap();
            assert!(nearest.distance > 0.0 || nearest.triangle as usize <= first);
        }
    }
}

#[test]
fn surfaces_that_tie() {
    // The same mesh is added several times under surface numbers in any order. The lowest number
    // wins.
    let shape = grid(6);
    for numbers in [[0, 1, 2], [2, 1, 0], [1, 2, 0_usize]] {
        let mut scene = Scene::empty();
        for number in numbers {
            scene.add(number, shape.triangles(), Arc::new(Tree::new(&shape.triangles()).unwrap()));
        }
        let rays: Vec<Ray> = (0..50).map(|at| Ray::new([at as f32 * 0.12, 2.5, 3.0], [0.0, 0.0, -1.0])).collect();
        let together = batch(&scene, &rays);
        for (ray, together) in rays.iter().zip(together) {
            let hit = scene.ray(ray);
            assert_eq!(hit.map(|hit| hit.surface), Some(0), "{ray:?}");
            assert_eq!(hit, scene.all_hits(ray).first().copied());
            assert_eq!(hit, together, "a batch of rays, surfaces {numbers:?}");
            let nearest = scene.nearest(ray.origin, f32::INFINITY).unwrap();
            assert_eq!((nearest.surface, nearest.distance), (0, 3.0));
        }
    }
}

/// Replaces random coordinates and indices by invalid ones.
fn spoilt(random: &mut Random, shape: &Shape, times: usize) -> Shape {
    let mut spoilt = shape.clone();
    for _ in 0..times {
        let bad = *random.pick(&[f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e30, -1e30, f32::MAX, 1.2e18, 1e-42]);
        let vertex = random.below(spoilt.positions.len());
        spoilt.positions[vertex][random.below(3)] = bad.into();
        let corner = random.below(spoilt.indices.len());
        let count = spoilt.positions.len() as u32;
        spoilt.indices[corner] = (*random.pick(&[count, u32::MAX, 1 << 31, count + 1, 0])).into();
    }
    spoilt
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn what_does_not_count() {
    let mut random = Random::new(8);
    for side in [1, 2, 5, 30] {
        for times in [1, 3, 20, 100] {
            let shape = spoilt(&mut random, &grid(side), times);
            expect_shape(&shape, 9);
            expect_shape(&shape.shuffled(&mut random), 9);
        }
    }
    let soup = Shape::soup(&soup(&mut random, 1500));
    for times in [1, 50, 1000] {
        expect_shape(&spoilt(&mut random, &soup, times), 10);
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn where_nothing_counts() {
    for count in [1, 8, 9, 100, 3000] {
        for bad in [f32::NAN, f32::INFINITY, -1e30, f32::MAX] {
            let shape = Shape::soup(&vec![[[bad, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]; count]);
            let scene = shape.scene();
            assert!(scene.bounds().is_empty());
            assert!(!shape.triangles().is_empty(), "it has triangles, which do not count");
            assert_eq!(expect_shape(&shape, 11), 0);
        }
        let shape = Shape::new(&[[0.0; 3]; 2], &vec![5; 3 * count]);
        assert_eq!(expect_shape(&shape, 11), 0);
        let shape = Shape::new(&[], &vec![0; 3 * count]);
        assert_eq!(expect_shape(&shape, 11), 0);
    }
    assert!(Shape::default().triangles().is_empty());
    assert_eq!(expect_shape(&Shape::new(&[[0.0; 3]; 3], &[]), 11), 0);
    assert_eq!(expect_shape(&Shape::new(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[0, 1]), 11), 0);
    let none = Scene::empty();
    assert_eq!(expect(&none, &Oracle::default(), &Questions::new(&mut Random::new(1), &Oracle::default(), &[], 20)), 0);
}

#[test]
fn points_and_segments() {
    let mut random = Random::new(9);
    let flat = |random: &mut Random| {
        let (a, b) = (vector(random), vector(random));
        match random.below(4) {
            0 => [a; 3],
            1 => [a, b, b],
            2 => [a, b, [0, 1, 2].map(|axis| a[axis] * 0.5 + b[axis] * 0.5)],
            _ => [a, b, a],
        }
    };
    for count in [1, 5, 9, 300] {
        let triangles: Vec<Corners> = (0..count).map(|_| flat(&mut random)).collect();
        expect_shape(&Shape::soup(&triangles), 12);
    }
    let one = Shape::new(&[[1.0, 2.0, 3.0]; 9], &[0, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect_shape(&one, 12);
    assert_eq!(one.scene().nearest([1.0, 2.0, 5.0], 2.0).unwrap().distance, 2.0);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it")]
fn an_order_of_its_own() {
    let mut random = Random::new(10);
    for side in [10, 30, 45] {
        let shape = grid(side).shuffled(&mut random);
        let scene = shape.scene();
        assert!(scene.trees().all(|(_, tree)| tree.is_reordered()), "{side}");
        expect_shape(&shape, 13);
        assert!(grid(side).scene().trees().all(|(_, tree)| !tree.is_reordered()), "{side}");
    }
}

#[test]
fn ends_of_a_range() {
    let shape = grid(4);
    let scene = shape.scene();
    let ray = Ray::new([1.3, 2.4, 2.0], [0.0, 0.0, -2.0]);
    let t = |range: [f32; 2]| scene.ray(&ray.within(range)).map(|hit| hit.t);
    for (range, expected) in [
        ([0.0, f32::INFINITY], true),
        ([1.0, 1.0], true),
        ([0.0, 1.0], true),
        ([1.0, 2.0], true),
        ([f32::NEG_INFINITY, 1.0], true),
        ([0.0, 0.999_999], false),
        ([1.000_001, 9.0], false),
        ([-9.0, -0.0], false),
        ([2.0, 0.0], false),
        ([f32::NAN, 9.0], false),
        ([0.0, f32::NAN], false),
        ([f32::INFINITY, f32::INFINITY], false),
        ([f32::NEG_INFINITY, f32::NEG_INFINITY], false),
    ] {
        assert_eq!(t(range), expected.then_some(1.0), "{range:?}");
    }
    let behind = Ray::new([1.3, 2.4, 2.0], [0.0, 0.0, 4.0]).within([-1.0, 0.0]);
    let hit = scene.ray(&behind).unwrap();
    assert_eq!((hit.t, hit.distance, hit.point), (-0.5, 2.0, [1.3, 2.4, 0.0]));
    // The ray starts on the surface.
    let on = Ray::new([1.3, 2.4, 0.0], [0.3, 0.2, 1.0]);
    assert_eq!(scene.ray(&on).map(|hit| hit.t), Some(0.0));
    assert_eq!(scene.nearest([1.3, 2.4, 0.0], 0.0).map(|found| found.distance), Some(0.0));
    assert_eq!(scene.nearest([1.3, 2.4, 1.0], 0.0), None);
    assert_eq!(scene.nearest([1.3, 2.4, 1.0], 1.0).map(|found| found.distance), Some(1.0));
    assert_eq!(scene.nearest([1.3, 2.4, 1.0], 0.999_999), None);
}

/// The bounding box of a slanted triangle contains the origin, but the small triangle is nearer.
#[test]
fn the_nearest_surface_may_have_the_farther_box() {
    let slanted = Shape::soup(&[[[15.0, -5.0, -5.0], [-5.0, 15.0, -5.0], [-5.0, -5.0, 15.0]]]);
    let small = Shape::soup(&[[[1.0, -1.0, -1.0], [1.0, 1.0, -1.0], [1.0, 0.0, 1.0]]]);
    for (shapes, expected) in [([slanted.clone(), small.clone()], 1), ([small, slanted], 0)] {
        let flat = Flat(shapes.to_vec());
        let found = Scene::new(&flat).unwrap().nearest([0.0; 3], f32::MAX).unwrap();
        assert_eq!((found.surface, found.distance, found.point), (expected, 1.0, [1.0, 0.0, 0.0]));
    }
}

/// Both surfaces have a vertex at a distance of 5, and the bounding box of surface 1 is nearer.
#[test]
fn the_first_of_equally_near_surfaces_is_returned() {
    let slanted = Shape::soup(&[[[3.0, 4.0, 0.0], [-5.0, 10.0, 5.0], [11.0, -2.0, 5.0]]]);
    let small = Shape::soup(&[[[5.0, 0.0, 0.0], [6.0, 1.0, 0.0], [6.0, 0.0, 1.0]]]);
    for (shapes, point) in [([small.clone(), slanted.clone()], [5.0, 0.0, 0.0]), ([slanted, small], [3.0, 4.0, 0.0])] {
        let flat = Flat(shapes.to_vec());
        let found = Scene::new(&flat).unwrap().nearest([0.0; 3], f32::MAX).unwrap();
        assert_eq!((found.surface, found.distance, found.point), (0, 5.0, point));
    }
}

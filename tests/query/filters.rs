//! Tests masks of surfaces, sides of triangles, and the normals of hits.

use meshpeek::Surface;
use meshpeek::model::animation::Affine;
use meshpeek::query::{Faces, Hit, InstancedScene, Nearest, Ray, Scene, SceneInstance, SceneTrees, Triangles};

use crate::support::cases;
use crate::support::query::{Flat, Lists as _, Oracle, Questions, Shape, ball, batch, grid};
use crate::support::random::Random;

/// The masks of the surfaces, one after another.
const MASKS: [u32; 6] = [0b0001, 0b0010, 0, 0b0110, u32::MAX, 1 << 31];

/// Makes balls and grids around each other, and a surface of a few triangles.
fn shapes(random: &mut Random) -> Flat {
    let mut shapes: Vec<Shape> =
        (1..6_u8).map(|size| ball(random, 6).mapped(|at| at.map(|part| part * f32::from(size)))).collect();
    shapes.push(grid(1));
    shapes.push(grid(9).mapped(|[x, y, z]| [x - 4.0, z, y - 4.0]));
    Flat(shapes)
}

fn mask(surface: usize) -> u32 {
    MASKS[surface % MASKS.len()]
}

fn rays(flat: &Flat, seed: u64) -> Vec<Ray> {
    let faces = flat.faces();
    Questions::new(&mut Random::new(seed), &Oracle::new(&faces), &faces, 400).rays
}

#[test]
fn masks_and_faces_leave_out_the_same_hits_everywhere() {
    let flat = shapes(&mut Random::new(60));
    let plain = Scene::new(&flat).unwrap();
    let masked = Scene::new(&flat).unwrap().with_masks(mask);
    let trees = SceneTrees::new(&flat, Scene::new(&flat).unwrap().with_masks(mask)).unwrap();
    let lent = trees.scene(&flat).unwrap();
    let refitted = masked.refit(|surface| Ok(flat.0[surface].triangles())).unwrap();
    let mut hidden = 0;
    let all = rays(&flat, 61);
    for faces in [Faces::Both, Faces::Front, Faces::Back] {
        for mask_of_ray in [0, 1, 0b10, 0b100, 1 << 31, u32::MAX] {
            let rays: Vec<Ray> = all.iter().map(|ray| ray.with_mask(mask_of_ray).with_faces(faces)).collect();
            let mut first = Vec::new();
            for (ray, unrestricted) in rays.iter().zip(&all) {
                let is_allowed = |hit: &Hit| {
                    let side = match faces {
                        Faces::Both => true,
                        Faces::Front => hit.is_front,
                        Faces::Back => !hit.is_front,
                    };
                    side && mask(hit.surface) & mask_of_ray != 0
                };
                let mut expected = plain.all_hits(unrestricted);
                let count = expected.len();
                expected.retain(is_allowed);
                hidden += usize::from(count > expected.len() && !expected.is_empty());
                first.push(expected.first().copied());
                for scene in [&masked, &lent, &refitted] {
                    assert_eq!(scene.all_hits(ray), expected, "{ray:?}");
                    assert_eq!(scene.ray(ray), expected.first().copied(), "{ray:?}");
                    assert_eq!(scene.is_hit(ray), !expected.is_empty(), "{ray:?}");
                }
            }
            assert_eq!(batch(&masked, &rays), first);
        }
    }
    assert!(hidden > 500, "{hidden}");
    // A scene with one surface.
    let one = Scene::from_surfaces(Surface::new(&flat, 0), None).unwrap().with_masks(|_| 4);
    let ray = Ray::new([0.1, 0.2, 9.0], [0.0, 0.0, -1.0]);
    assert!(one.is_hit(&ray.with_mask(4)) && one.ray(&ray).is_some());
    assert!(!one.is_hit(&ray.with_mask(3)) && one.ray(&ray.with_mask(3)).is_none());
    assert_eq!(one.rays(&[ray.with_mask(3), ray.with_mask(12)]).iter().flatten().count(), 1);
}

#[test]
fn views_with_a_mask_are_scenes_of_some_surfaces() {
    let flat = shapes(&mut Random::new(62));
    let masked = Scene::new(&flat).unwrap().with_masks(mask);
    let faces = flat.faces();
    let questions = Questions::new(&mut Random::new(63), &Oracle::new(&faces), &faces, 200);
    for bits in [0, 1, 0b10, u32::MAX] {
        let allowed = Surface::all(&flat).unwrap().filter(|surface| mask(surface.index()) & bits != 0);
        let some = Scene::from_surfaces(allowed, None).unwrap();
        for (point, limit) in &questions.points {
            let nearest: Option<Nearest> = masked.masked(bits).nearest(*point, *limit);
            assert_eq!(nearest, some.nearest(*point, *limit), "{point:?}");
            assert_eq!(
                masked.masked(bits).nearest_n(*point, *limit, 5),
                some.nearest_n(*point, *limit, 5),
                "{point:?}"
            );
        }
        for bounds in &questions.boxes {
            assert_eq!(masked.masked(bits).overlapping_box(bounds), some.overlapping_box(bounds));
        }
        assert_eq!(batch(&masked.masked(bits), &questions.rays), batch(&some, &questions.rays));
        assert_eq!(
            batch(&masked.masked(bits).masked(0b100), &questions.rays),
            batch(&masked.masked(bits & 0b100), &questions.rays)
        );
        let others: Vec<Ray> = questions.rays.iter().map(|ray| ray.with_mask(0b11)).collect();
        let one_by_one: Vec<_> = others.iter().map(|ray| masked.masked(bits).ray(ray)).collect();
        assert_eq!(batch(&masked.masked(bits), &others), one_by_one);
        let lent = SceneTrees::new(&flat, masked.masked(bits)).unwrap();
        assert_eq!(batch(&lent.scene(&flat).unwrap(), &others), one_by_one);
        let refitted = masked.masked(bits);
        let refitted = refitted.refit(|surface| Triangles::new(&Surface::new(&flat, surface)?)).unwrap();
        assert_eq!(batch(&refitted, &others), one_by_one);
        let view = masked.masked(bits);
        let instance = SceneInstance::new(7, &view, &Affine::IDENTITY).unwrap();
        let world = InstancedScene::new(vec![instance]).unwrap();
        for ray in &questions.rays {
            assert_eq!(masked.masked(bits).ray(ray), some.ray(ray));
            assert_eq!(world.is_hit(ray), some.is_hit(ray));
            assert_eq!(world.ray(ray).is_some(), some.ray(ray).is_some());
            assert!(!masked.masked(bits).is_hit(&ray.with_mask(!bits)));
        }
    }
}

#[test]
fn normals_are_those_of_the_front() {
    let mut hits = 0;
    for scale in [1e-40, 1e-30, 1.0, 1e17_f32] {
        let mut random = Random::new(64);
        let flat = Flat(vec![
            ball(&mut random, 9).mapped(|at| at.map(|part| part * scale)),
            grid(5).mapped(|at| at.map(|part| part * scale)),
        ]);
        let faces = flat.faces();
        let scene = Scene::new(&flat).unwrap();
        for ray in rays(&flat, 65) {
            for hit in scene.all_hits(&ray) {
                let [a, b, c] = faces[hit.surface][hit.triangle as usize].unwrap().map(|at| at.map(f64::from));
                let from_a = |to: [f64; 3]| [0, 1, 2].map(|axis| (to[axis] - a[axis]) / f64::from(scale));
                let ([ux, uy, uz], [vx, vy, vz]) = (from_a(b), from_a(c));
                let front = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
                let length = front.iter().map(|part| part * part).sum::<f64>().sqrt();
                for (found, expected) in hit.normal.iter().zip(front) {
                    assert!((f64::from(*found) - expected / length).abs() < 1e-6, "{hit:?} of {ray:?}: {front:?}");
                }
                let size = ray.direction.iter().fold(0.0_f32, |most, part| most.max(part.abs()));
                let along =
                    (0..3).map(|axis| f64::from(hit.normal[axis]) * f64::from(ray.direction[axis] / size)).sum::<f64>();
                assert!(along.abs() < 1e-5 || hit.is_front == (along < 0.0), "{hit:?} of {ray:?}");
                hits += 1;
            }
        }
    }
    assert!(hits > cases::number(1000, 6), "{hits}");
}

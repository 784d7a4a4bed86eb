//! Tests the queries that fill a list.

use meshpeek::query::{Frustum, Nearest, Ray, Scene};

use crate::support::allocations::allocations;
use crate::support::query::{Flat, Lists as _, Oracle, Questions, Shape, ball, grid};
use crate::support::random::Random;

fn shapes() -> Flat {
    let mut random = Random::new(70);
    let far = ball(&mut random, 7).mapped(|at| at.map(|part| part * 0.5 + 3.0));
    let flat = grid(6).mapped(|[x, y, z]| [x, z - 1.0, y]);
    let small = Shape::soup(&[[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]]);
    Flat(vec![ball(&mut random, 8), far, small.clone(), flat.shuffled(&mut random), Shape::default(), small])
}

/// The nearest triangles are the first of a list of all triangles by their distances.
#[test]
fn the_nearest_triangles_come_first() {
    let flat = shapes();
    let (scene, faces) = (Scene::new(&flat).unwrap(), flat.faces());
    let oracle = Oracle::new(&faces);
    let questions = Questions::new(&mut Random::new(71), &oracle, &faces, 200);
    let mut compared = 0;
    for (point, limit) in &questions.points {
        let all = scene.nearest_n(*point, f32::INFINITY, usize::MAX);
        let Some(first) = scene.nearest(*point, f32::INFINITY) else {
            assert_eq!(all, [], "{point:?}");
            continue;
        };
        assert_eq!(all.len(), oracle.faces.len(), "{point:?}");
        let key = |near: &Nearest| (near.distance, near.surface, near.triangle);
        assert!(all.is_sorted_by(|one, other| key(one) < key(other)), "{point:?}");
        assert_eq!(all[0].distance, first.distance, "{point:?}");
        for near in &all {
            oracle.expect_point(near, *point);
        }
        let within = all.partition_point(|near| near.distance <= *limit);
        for count in [0, 1, 2, 3, 17, within, within + 1, usize::MAX / 2] {
            let found = scene.nearest_n(*point, *limit, count);
            let expected = if *limit >= 0.0 { &all[..count.min(within)] } else { &[] };
            assert_eq!(found, expected, "{count} triangles within {limit} of {point:?}");
            compared += found.len();
        }
    }
    assert!(compared > 1000, "{compared}");
    assert_eq!(Scene::empty().nearest_n([0.0; 3], f32::INFINITY, 9), []);
}

#[test]
fn full_lists_are_not_allocated_again() {
    let flat = shapes();
    let (scene, faces) = (Scene::new(&flat).unwrap(), flat.faces());
    let questions = Questions::new(&mut Random::new(72), &Oracle::new(&faces), &faces, 60);
    let total = faces.iter().map(Vec::len).sum();
    let (mut hits, mut nearest) = (Vec::with_capacity(total), Vec::with_capacity(total));
    let (mut triangles, mut numbers) = (Vec::with_capacity(total), Vec::with_capacity(4 * total));
    let mut found = 0;
    // The first query allocates a tree over the surfaces.
    let _ = scene.is_hit(&questions.rays[0]);
    for (ray, bounds) in questions.rays.iter().zip(questions.boxes.iter().cycle()) {
        let ray: &Ray = ray;
        let made = allocations(|| {
            scene.all_hits_into(ray, &mut hits);
            scene.nearest_n_into(ray.origin, f32::INFINITY, 20, &mut nearest);
            scene.overlapping_box_into(bounds, &mut triangles);
            found += hits.len() + nearest.len() + triangles.len();
            scene.overlapping_frustum_into(&Frustum::from_planes([[0.0; 4]; 6]), &mut triangles);
            scene.triangles_around_into(0, 9, &mut numbers);
            scene.neighbors_into(0, 9, &mut numbers);
            found += triangles.len() + numbers.len();
        });
        assert_eq!(made, 0);
    }
    assert!(found > 1000, "{found}");
}

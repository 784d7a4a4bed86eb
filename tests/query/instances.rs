//! Tests scenes that are placed in a world against a loop over all placed triangles.

use meshpeek::ErrorKind;
use meshpeek::array::Bounds;
use meshpeek::model::animation::Affine;
use meshpeek::query::{Faces, Hit, InstancedScene, Ray, Scene, SceneInstance};

use crate::support::query::{Face, Flat, Oracle, Shape, ball, filled, grid};
use crate::support::random::Random;

type Vector = [f64; 3];

/// An instance of the reference.
struct Placed {
    id: u32,
    scene: usize,
    map: Affine,
    mask: u32,
}

fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn subtract(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// Maps a point in `f64`.
fn placed(map: &Affine, [x, y, z]: [f32; 3]) -> Vector {
    let [right, up, out, origin] = map.columns();
    let [x, y, z] = [x, y, z].map(f64::from);
    [0, 1, 2].map(|axis| right[axis] * x + up[axis] * y + out[axis] * z + origin[axis])
}

/// Returns a random map: it moves, rotates, scales, shears, and mirrors every second time.
fn random_map(random: &mut Random, size: f64) -> Affine {
    loop {
        let mut vector = |scale: f64| [0; 3].map(|_| f64::from(random.unit()) * scale);
        let axes = [vector(size), vector(size), vector(size)];
        let origin = vector(size * 6.0);
        let [x, y, z] = axes;
        let volume = dot(x, cross(y, z)).abs();
        if volume > 0.05 * size * size * size {
            return Affine::new([x, y, z, origin]);
        }
    }
}

/// The triangles of all instances in the world.
struct World {
    flats: Vec<Flat>,
    placed: Vec<Placed>,
    /// For each triangle: its instance, its surface, its index, and its corners.
    faces: Vec<(usize, usize, u32, [Vector; 3])>,
    size: f64,
}

impl World {
    fn new(random: &mut Random, size: f64, count: u32) -> Self {
        let flats = vec![
            Flat(vec![ball(random, 5)]),
            Flat(vec![
                grid(3).mapped(|[x, y, z]| [x * 0.3, y * 0.3, z]),
                ball(random, 3).mapped(|at| at.map(|part| part * 0.4)),
            ]),
            Flat(vec![Shape::soup(&[[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.5]]])]),
        ];
        let place = |id| Placed {
            id: 100 - id,
            scene: random.below(flats.len()),
            map: random_map(random, size),
            mask: if random.one_in(3) { 2 } else { u32::MAX },
        };
        let placed: Vec<Placed> = (0..count).map(place).collect();
        let mut faces = Vec::new();
        for (instance, one) in placed.iter().enumerate() {
            for (surface, shape) in flats[one.scene].faces().into_iter().enumerate() {
                for (triangle, corners) in shape.into_iter().enumerate() {
                    let corners = corners.unwrap().map(|corner| self::placed(&one.map, corner));
                    faces.push((instance, surface, triangle as u32, corners));
                }
            }
        }
        Self { flats, placed, faces, size }
    }

    fn scenes(&self) -> Vec<Scene<'_>> {
        self.flats.iter().map(|flat| Scene::new(flat).unwrap()).collect()
    }

    fn instances<'a>(&self, scenes: &'a [Scene<'a>]) -> InstancedScene<'a> {
        let one = |placed: &Placed| {
            SceneInstance::new(placed.id, &scenes[placed.scene], &placed.map).unwrap().with_mask(placed.mask)
        };
        InstancedScene::new(self.placed.iter().map(one).collect()).unwrap()
    }

    fn instance(&self, id: u32) -> usize {
        self.placed.iter().position(|one| one.id == id).unwrap()
    }

    /// Returns the ray parameter and the front of the crossing of a ray and a triangle, which is
    /// enlarged by `more` in barycentric coordinates.
    fn crossing(ray: &Ray, [a, b, c]: &[Vector; 3], more: f64) -> Option<(f64, f64)> {
        let (origin, direction) = (ray.origin.map(f64::from), ray.direction.map(f64::from));
        let (ab, ac) = (subtract(*b, *a), subtract(*c, *a));
        let normal = cross(ab, ac);
        let slope = dot(direction, normal);
        let from = subtract(origin, *a);
        let t = -dot(from, normal) / slope;
        let at = [0, 1, 2].map(|axis| from[axis] + t * direction[axis]);
        let area = dot(normal, normal);
        let (second, third) = (dot(cross(at, ac), normal) / area, dot(cross(ab, at), normal) / area);
        let inside = second >= -more && third >= -more && second + third <= 1.0 + more;
        let [least, greatest] = ray.range.map(f64::from);
        let steep = slope.abs() / (area.sqrt() * dot(direction, direction).sqrt());
        let is_met = inside && t >= least - more && t <= greatest + more && (more > 0.0 || steep > 1e-3);
        is_met.then_some((t, slope))
    }

    fn is_allowed(&self, ray: &Ray, instance: usize, slope: f64) -> bool {
        let [x, y, z, _] = self.placed[instance].map.columns();
        let is_front = (slope < 0.0) == (dot(x, cross(y, z)) > 0.0);
        let side = match ray.faces {
            Faces::Both => true,
            Faces::Front => is_front,
            Faces::Back => !is_front,
        };
        side && self.placed[instance].mask & ray.mask != 0
    }

    /// Compares the first hit of a ray with a loop over all triangles.
    fn expect_ray(&self, world: &InstancedScene<'_>, ray: &Ray) -> Option<(u32, Hit)> {
        let found = world.ray(ray);
        assert_eq!(world.is_hit(ray), found.is_some(), "{ray:?}");
        let meets = |more: f64| {
            let all = self.faces.iter().filter_map(move |(instance, surface, triangle, corners)| {
                let (t, slope) = Self::crossing(ray, corners, more)?;
                self.is_allowed(ray, *instance, slope).then_some((*instance, *surface, *triangle, t))
            });
            all.collect::<Vec<_>>()
        };
        let room = 1e-3 * self.size / ray.direction.iter().map(|part| f64::from(part.abs())).fold(0.0, f64::max);
        let sure = meets(-1e-4).iter().map(|(.., t)| *t).fold(f64::INFINITY, f64::min);
        let Some((id, hit)) = found else {
            assert_eq!(sure, f64::INFINITY, "{ray:?} hits nothing");
            return None;
        };
        assert!(f64::from(hit.t) <= sure + room, "{hit:?} of {ray:?} is behind {sure}");
        let instance = self.instance(id);
        let is_same = |(other, surface, triangle, t): &(usize, usize, u32, f64)| {
            (*other, *surface, *triangle) == (instance, hit.surface, hit.triangle)
                && (t - f64::from(hit.t)).abs() <= room
        };
        assert!(meets(1e-3).iter().any(is_same), "{hit:?} of instance {instance} of {ray:?}");
        self.expect_fields(instance, ray, &hit);
        found
    }

    fn expect_fields(&self, instance: usize, ray: &Ray, hit: &Hit) {
        let is_hit = |(other, surface, triangle, _): &&(usize, usize, u32, [Vector; 3])| {
            (*other, *surface, *triangle) == (instance, hit.surface, hit.triangle)
        };
        let (.., corners) = self.faces.iter().find(is_hit).unwrap();
        let [x, y, z, _] = self.placed[instance].map.columns();
        let side = dot(x, cross(y, z)).signum();
        let front = cross(subtract(corners[1], corners[0]), subtract(corners[2], corners[0]));
        let length = dot(front, front).sqrt() * side;
        for (found, expected) in hit.normal.iter().zip(front) {
            assert!((f64::from(*found) - expected / length).abs() < 1e-5, "{hit:?} instead of {front:?}");
        }
        let along = dot(hit.normal.map(f64::from), ray.direction.map(f64::from));
        assert!(hit.is_front == (along < 0.0) || along.abs() < 1e-3 * self.size, "{hit:?} of {ray:?}");
        let [second, third] = hit.barycentric.map(f64::from);
        for (axis, found) in hit.point.into_iter().enumerate() {
            let at = corners[0][axis] * (1.0 - second - third) + corners[1][axis] * second + corners[2][axis] * third;
            assert!((at - f64::from(found)).abs() < 1e-3 * self.size, "{hit:?} is at {at}");
        }
    }

    fn ray(&self, random: &mut Random) -> Ray {
        let size = self.size as f32;
        let mut point = |far: f32| [random.unit(), random.unit(), random.unit()].map(|part| part * far * size);
        let (from, target) = (point(9.0), point(5.0));
        let (.., [a, b, c]) = random.pick(&self.faces);
        let middle = [0, 1, 2].map(|axis| ((a[axis] + b[axis] + c[axis]) / 3.0) as f32);
        let ray = Ray::toward(from, if random.one_in(3) { target } else { middle });
        match random.below(6) {
            0 => ray.within([0.0, 0.7]),
            1 => ray.within([f32::NEG_INFINITY, 0.5]),
            2 => ray.with_mask(1),
            3 => ray.with_faces(Faces::Front),
            4 => ray.with_faces(Faces::Back),
            _ => ray,
        }
    }
}

#[test]
fn rays_hit_the_nearest_placed_triangle() {
    let mut random = Random::new(90);
    let mut hits = 0;
    for (size, count) in [(1.0, 40), (1e-12, 9), (1e12, 9), (1.0, 1), (1.0, 3)] {
        let world = World::new(&mut random, size, count);
        let scenes = world.scenes();
        let instanced = world.instances(&scenes);
        let rays: Vec<Ray> = (0..600).map(|_| world.ray(&mut random)).collect();
        let one_by_one: Vec<_> = rays.iter().map(|ray| world.expect_ray(&instanced, ray)).collect();
        assert_eq!(instanced.rays(&rays), one_by_one);
        hits += one_by_one.iter().flatten().count();
    }
    assert!(hits > 500, "{hits}");
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it")]
fn nearest_points_and_boxes_of_placed_triangles() {
    let mut random = Random::new(91);
    for (size, count) in [(1.0, 20), (1e-9, 5), (1e9, 5), (1.0, 1)] {
        let world = World::new(&mut random, size, count);
        let scenes = world.scenes();
        let instanced = world.instances(&scenes);
        // A triangle is named by its instance and surface together.
        let oracle = |mask: u32, round: bool| {
            let allowed = world.faces.iter().filter(|(instance, ..)| world.placed[*instance].mask & mask != 0);
            let faces: Vec<Face> = allowed
                .map(|(instance, surface, triangle, corners)| {
                    let rounded = corners.map(|corner| corner.map(|part| f64::from(part as f32)));
                    let corners = if round { rounded } else { *corners };
                    Face { surface: instance * 2 + surface, triangle: *triangle, corners }
                })
                .collect();
            Oracle { faces, bounds: None, diagonal: size * 20.0 }
        };
        for mask in [u32::MAX, 1] {
            let (exact, rounded) = (oracle(mask, false), oracle(mask, true));
            for _ in 0..60 {
                let mut point =
                    |far: f32| [random.unit(), random.unit(), random.unit()].map(|part| part * far * size as f32);
                let (at, corner) = (point(9.0), point(4.0));
                for limit in [f32::INFINITY, 2.0 * size as f32] {
                    let found = instanced.nearest(at, limit, mask).map(|(id, near)| {
                        let mut near = near;
                        near.surface += world.instance(id) * 2;
                        near
                    });
                    exact.expect_nearest(found, at, limit);
                }
                let bounds = Bounds { min: corner, max: corner.map(|part| part + size as f32) };
                let found = filled((9, 9, 9), |list| instanced.overlapping_box_into(&bounds, mask, list));
                assert!(found.is_sorted());
                let mut found: Vec<_> = found
                    .into_iter()
                    .map(|(id, surface, triangle)| (world.instance(id) * 2 + surface, triangle))
                    .collect();
                found.sort_unstable();
                rounded.expect_box(&found, &bounds);
            }
        }
    }
}

#[test]
fn an_instance_without_a_transform_is_its_scene() {
    let mut random = Random::new(92);
    let flat = Flat(vec![ball(&mut random, 8), grid(6)]);
    let scene = Scene::new(&flat).unwrap();
    let world = InstancedScene::new(vec![SceneInstance::new(3, &scene, &Affine::IDENTITY).unwrap()]).unwrap();
    for _ in 0..500 {
        let mut point = |far: f32| [random.unit(), random.unit(), random.unit()].map(|part| part * far);
        let ray = Ray::toward(point(20.0), point(3.0));
        assert_eq!(world.ray(&ray), scene.ray(&ray).map(|hit| (3, hit)));
        assert_eq!(world.nearest(ray.origin, f32::MAX, 1).unwrap().1, scene.nearest(ray.origin, f32::MAX).unwrap());
    }
}

#[test]
fn masks_of_surfaces_hold_in_instances() {
    let flat = Flat(vec![grid(2), grid(2).mapped(|[x, y, z]| [x, y, z + 1.0])]);
    let scene = Scene::new(&flat).unwrap().with_masks(|surface| 1 << surface);
    let up = Affine::new([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 10.0]]);
    let world = InstancedScene::new(vec![SceneInstance::new(0, &scene, &up).unwrap().with_mask(0b101)]).unwrap();
    let ray = Ray::new([0.5, 0.25, 20.0], [0.0, 0.0, -1.0]);
    let t = |mask: u32| world.ray(&ray.with_mask(mask)).map(|(_, hit)| hit.t);
    assert_eq!([0b1, 0b10, 0b100, 0b11, 0].map(t), [Some(10.0), None, None, Some(9.0), None]);
    assert_eq!(world.nearest([0.5, 0.5, 20.0], 99.0, 0b11).unwrap().1.distance, 9.0);
    assert!(world.nearest([0.5, 0.5, 20.0], 99.0, 0b110).is_some_and(|(_, near)| near.surface == 1));
    assert_eq!(world.nearest([0.5, 0.5, 20.0], 99.0, 0b10), None);
}

#[test]
fn hostile_instances() {
    let mut random = Random::new(93);
    let flat = Flat(vec![ball(&mut random, 4)]);
    let scene = Scene::new(&flat).unwrap();
    let scaled = |x: f64, y: f64, z: f64, at: f64| Affine::new([[x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z], [at; 3]]);
    for bad in [
        scaled(0.0, 0.0, 0.0, 0.0),
        scaled(1.0, 0.0, 1.0, 0.0),
        scaled(f64::NAN, 1.0, 1.0, 0.0),
        scaled(1.0, f64::INFINITY, 1.0, 0.0),
        scaled(1.0, 1.0, 1.0, f64::NAN),
        scaled(1e-200, 1e-200, 1e-200, 0.0),
    ] {
        let error = SceneInstance::new(0, &scene, &bad).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Value), "{error}");
    }
    let empty = Scene::empty();
    let places = [1e-30, 1e-9, 1.0, 1e9, 1e17, 1e30, 1e60].map(|size| scaled(size, -size, size, size * 3.0));
    let mut instances: Vec<_> = places.iter().map(|map| SceneInstance::new(1, &scene, map).unwrap()).collect();
    instances.push(SceneInstance::new(2, &empty, &Affine::IDENTITY).unwrap());
    let none = InstancedScene::new(vec![SceneInstance::new(2, &empty, &Affine::IDENTITY).unwrap()]).unwrap();
    assert!(none.bounds().is_empty() && none.nearest([0.0; 3], f32::MAX, 1).is_none());
    let world = InstancedScene::new(instances).unwrap();
    // The smallest ball, whose coordinates in its own space are far beyond those of the ray.
    let tiny = 3e-30_f32;
    assert!(world.is_hit(&Ray::new([tiny, tiny, 1.0], [0.0, 0.0, -1.0])));
    assert!(world.nearest([tiny, tiny, 1e-28], f32::MAX, 1).is_some_and(|(_, near)| near.distance < 1e-28));
    let list = &mut Vec::new();
    let bad = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, 1.3e18, 1e-45, -0.0];
    for value in bad {
        for axis in 0..3 {
            let (mut from, mut to) = (Ray::new([1.0; 3], [0.5; 3]), Ray::new([1.0; 3], [0.5; 3]));
            from.origin[axis] = value;
            to.direction[axis] = value;
            for ray in [from, to, from.within([value, 1.0]), from.within([0.0, value]), from.with_mask(0)] {
                let hit = world.ray(&ray);
                assert_eq!(hit.is_some(), world.is_hit(&ray), "{ray:?}");
                assert_eq!(world.rays(&[ray]), [hit], "{ray:?}");
                assert!(ray.mask != 0 || hit.is_none());
                assert!(!ray.origin[axis].is_nan() || hit.is_none());
                assert_eq!(none.ray(&ray), None);
            }
            let _ = world.nearest(from.origin, value, 1);
            assert!(world.nearest([f32::NAN; 3], 1.0, 1).is_none() && world.nearest([0.0; 3], f32::NAN, 1).is_none());
            let mut bounds = Bounds { min: [-1.0; 3], max: [1.0; 3] };
            bounds.max[axis] = value;
            world.overlapping_box_into(&bounds, 1, list);
            assert!(!value.is_nan() || list.is_empty());
        }
    }
    world.overlapping_box_into(&Bounds { min: [f32::NEG_INFINITY; 3], max: [f32::INFINITY; 3] }, 0, list);
    assert!(list.is_empty());
}

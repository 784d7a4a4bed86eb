//! Tests that results do not depend on the tree.
//!
//! Trees that were built, refitted, read from a trusted sidecar or from an untrusted one give
//! bit-identical results.

use std::sync::Arc;

use meshpeek::array::Bounds;
use meshpeek::query::{PagesTouched, Probe, ProbedScene, Ray, Scene, Tree, worth_storing};
use meshpeek::sidecar::{Kind, Sidecar, Trust};
use xxhash_rust::xxh3::xxh3_64;

use crate::support::query::{
    Flat, Lists as _, Oracle, Questions, Shape, ask, ball, batch, expect, grid, neighbors, triangles_around,
};
use crate::support::random::Random;
use crate::support::sidecar::{PAGE, key};

/// The number of rays for each mesh.
const RAYS: usize = if cfg!(debug_assertions) { 16 } else { 400 };

/// The hashes of the sidecars in `trees_have_known_bytes`, without their first pages.
const BYTES: [u64; 22] = [
    0xcfb1_1569_614e_71d0,
    0xa735_1852_42a6_ca64,
    0x5874_0691_0d41_4cd0,
    0x47f3_8d1f_3221_5435,
    0x945d_df76_8011_b980,
    0xae1f_ab34_f762_b6d0,
    0x8453_15eb_7f71_1bd0,
    0xd408_b2ae_f24b_c315,
    0xc436_10ba_c511_a57a,
    0x6f4f_8eec_b424_cb67,
    0xf4f7_9859_8194_7cc5,
    0x97fe_a2b5_efd3_6297,
    0x899d_3bbb_e04c_4732,
    0xa93b_cbf7_51db_d626,
    0x8893_fbe5_576e_ecf1,
    0x61ea_f610_21c1_15d3,
    0x92d2_0928_e852_1c76,
    0x8518_a29f_37ac_0592,
    0xc194_5018_3434_de2f,
    0xc88b_b6f4_e4f2_4ad6,
    0xa5a2_ba5a_afed_afb3,
    0xb52c_d0d0_6f0e_c8f8,
];

/// Runs the same queries with every kind of tree.
fn expect_same(flat: &Flat, seed: u64) {
    let faces = flat.faces();
    let oracle = Oracle::new(&faces);
    let mut random = Random::new(seed);
    let questions = Questions::new(&mut random, &oracle, &faces, RAYS);
    let scene = Scene::new(flat).unwrap();
    expect(&scene, &oracle, &questions);
    let expected = ask(&scene, &questions);
    // Refits a tree to another shape and back.
    let moves: Vec<Shape> = flat.0.iter().map(|shape| moved(shape, &mut random)).collect();
    let other = Flat(moves);
    let away = Scene::new(&other).unwrap();
    let back = away.refit(|surface| Ok(flat.0[surface].triangles())).unwrap();
    assert!(ask(&back, &questions) == expected, "refitted");
    assert_eq!(format!("{:?}", back.bounds()), format!("{:?}", scene.bounds()));
    for (surface, tree) in back.trees() {
        assert_eq!(
            tree.node_count(),
            away.trees().find(|one| one.0 == surface).unwrap().1.node_count(),
            "it is the same tree"
        );
    }
    let bytes = flat.sidecar(&key());
    let large = worth_storing(flat).unwrap();
    assert_eq!(large, (0..flat.0.len()).filter(|at| flat.0[*at].len() >= 1024).collect::<Vec<_>>());
    for trust in [Trust::Trusted, Trust::Untrusted] {
        let sidecar = Arc::new(Sidecar::open(bytes.clone(), &key(), trust).unwrap());
        assert_eq!(Kind::Trees.count_in(&sidecar), large.len() as u64);
        let stored = Scene::indexed(flat, &sidecar).unwrap();
        for ((surface, tree), (_, built)) in stored.trees().zip(scene.trees()) {
            assert_eq!(tree.is_stored(), large.contains(&surface), "surface {surface}, {trust:?}");
            assert_eq!((tree.node_count(), tree.is_reordered()), (built.node_count(), built.is_reordered()));
            assert_eq!(format!("{:?}", tree.bounds()), format!("{:?}", built.bounds()));
        }
        assert!(ask(&stored, &questions) == expected, "{trust:?}");
        assert_eq!(batch(&stored, &questions.rays), batch(&scene, &questions.rays), "{trust:?}");
        // Refits the stored tree in the same way, there and back.
        let there = stored.refit(|surface| Ok(other.0[surface].triangles())).unwrap();
        assert!(there.trees().all(|(_, tree)| !tree.is_stored()));
        let back = there.refit(|surface| Ok(flat.0[surface].triangles())).unwrap();
        assert!(ask(&back, &questions) == expected, "refitted, {trust:?}");
    }
    assert!(bytes == flat.sidecar(&key()), "writing is deterministic");
}

/// Moves every vertex to another position.
fn moved(shape: &Shape, random: &mut Random) -> Shape {
    let mut moved = shape.clone();
    for position in &mut moved.positions {
        *position = position.map(|part| (part.get() * (1.0 + random.unit()) + random.unit()).into());
    }
    moved
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it")]
fn grids_and_balls() {
    let mut random = Random::new(31);
    expect_same(&Flat(vec![grid(3), grid(30), ball(&mut random, 20)]), 1);
    expect_same(&Flat(vec![grid(23)]), 2);
    expect_same(&Flat(vec![grid(22), Shape::default()]), 3);
    expect_same(&Flat(Vec::new()), 4);
}

#[test]
fn surfaces_of_few_triangles() {
    // A surface with at most 8 triangles has no tree nodes.
    let mut random = Random::new(36);
    for seed in 0..4 {
        let mut shape = |count: usize| {
            let mut corner = || [random.unit(), random.unit(), random.unit()].map(|part| part * 4.0);
            let triangles: Vec<_> = (0..count).map(|_| [corner(), corner(), corner()]).collect();
            Shape::soup(&triangles)
        };
        let shapes: Vec<_> = (0..=10).map(&mut shape).collect();
        expect_same(&Flat(shapes), 50 + seed);
        expect_same(&Flat(vec![shape(1 + seed as usize * 2)]), 60 + seed);
    }
    let mut bad = grid(2);
    bad.positions[0] = [f32::NAN.into(); 3];
    bad.indices[20] = u32::MAX.into();
    expect_same(&Flat(vec![bad, Shape::default(), Shape::new(&[[1.0; 3]; 4], &[])]), 70);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn orders_of_their_own() {
    let mut random = Random::new(32);
    let shapes =
        [ball(&mut random, 30).shuffled(&mut random), grid(10).shuffled(&mut random), grid(40).shuffled(&mut random)];
    expect_same(&Flat(shapes.to_vec()), 5);
}

/// Builds a hilly grid, in which this percentage of the triangles stand elsewhere in the file.
fn hills(side: u32, moved: usize) -> Shape {
    let mut random = Random::new(37);
    let mut shape = grid(side);
    for position in &mut shape.positions {
        position[2] = random.unit().into();
    }
    for _ in 0..shape.len() * moved / 200 {
        let [one, other] = [0; 2].map(|_| random.below(shape.len()) * 3);
        (0..3).for_each(|corner| shape.indices.swap(one + corner, other + corner));
    }
    shape
}

/// A sidecar has the same bytes on every machine, and with any number of threads. A change of the
/// builder that is meant changes the hashes, too.
#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn trees_have_known_bytes() {
    let mut random = Random::new(38);
    let mut corner = || [random.unit(), random.unit(), random.unit()];
    let soup: Vec<_> = (0..1500).map(|_| [corner(), corner(), corner()]).collect();
    let strip: Vec<_> = (0..2000_u16)
        .map(|at| [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]].map(|[x, y]| [x + f32::from(at), y, 0.0]))
        .collect();
    let shapes = [0, 1, 2, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96].map(|moved| hills(36, moved));
    let narrow = [3, 4, 7, 8, 12, 20].map(|side| {
        let rows = 3000 / side;
        let shape = grid(rows);
        let kept: Vec<u32> =
            (0..rows).flat_map(|row| (row * rows..row * rows + side).flat_map(|quad| quad * 6..quad * 6 + 6)).collect();
        Shape { indices: kept.into_iter().map(|at| shape.indices[at as usize]).collect(), ..shape }
    });
    let all = shapes.into_iter().chain(narrow).chain([Shape::soup(&soup), Shape::soup(&strip), hills(90, 3)]);
    // The first page has the key, which contains the time of a file.
    let found: Vec<u64> = all.map(|shape| xxh3_64(&Flat(vec![shape]).sidecar(&key())[PAGE..])).collect();
    assert_eq!(found, BYTES, "{found:#x?}");
}

/// The numbers of nodes, and of indices and positions, that the queries of `queries_read_few_nodes`
/// read with AVX2: for each shape, nearest hits, any hits, nearest points and boxes.
const READS: [[[usize; 2]; 4]; 5] = [
    [[9750, 530_752], [4385, 207_356], [8832, 423_356], [2003, 121_164]],
    [[2946, 53960], [2945, 53868], [2407, 42596], [489, 11264]],
    [[2632, 21788], [2484, 18036], [6777, 207_520], [338, 1396]],
    [[5432, 86544], [5167, 84256], [2794, 32732], [527, 5152]],
    [[2639, 52416], [1919, 38944], [3627, 116_096], [803, 17088]],
];

/// Counts the tree nodes and the indices and positions that queries read.
#[derive(Default)]
struct ReadCounter {
    nodes: usize,
    mesh: usize,
}

impl Probe for ReadCounter {
    fn read_node(&mut self, _: &[u8]) {
        self.nodes += 1;
    }

    fn read_mesh(&mut self, _: &[u8]) {
        self.mesh += 1;
    }
}

/// Queries visit near nodes first, and skip nodes that are farther away than a result. 1 % more
/// reads are allowed, because bounding boxes are tested conservatively and the rounding depends on
/// the processor.
#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn queries_read_few_nodes() {
    let mut random = Random::new(39);
    let mut anywhere = || [random.unit(), random.unit(), random.unit()];
    let soup: Vec<_> = (0..6000)
        .map(|_| {
            let (middle, size) = (anywhere(), anywhere()[0] * 0.1);
            [anywhere(), anywhere(), anywhere()].map(|corner| [0, 1, 2].map(|axis| middle[axis] + corner[axis] * size))
        })
        .collect();
    let [flat, steep] = [3, 60].map(|moved| hills(60, moved).mapped(|[x, y, z]| [x, y, z * 20.0]));
    let row = (0..27_u8).map(|at| {
        ball(&mut random, 8)
            .mapped(|[x, y, z]| [x + f32::from(at % 3), y + f32::from(at / 3 % 3), z + f32::from(at / 9)])
    });
    let many = Flat(row.collect());
    let shapes = [flat, steep, ball(&mut random, 60).shuffled(&mut random), Shape::soup(&soup)];
    let [flat, steep, ball, soup] = shapes.map(|shape| Flat(vec![shape]));
    let found = [flat, steep, ball, soup, many].map(|shapes| {
        let scene = Scene::new(&shapes).unwrap();
        let bounds = scene.bounds();
        let mut point = |reach: f32| {
            let part = [random.unit(), random.unit(), random.unit()];
            [0, 1, 2].map(|axis| {
                let (min, max) = (bounds.min[axis], bounds.max[axis]);
                min * 0.5 + max * 0.5 + (max - min) * 0.5 * part[axis] * reach
            })
        };
        let rays: Vec<_> = (0..500).map(|_| Ray::toward(point(2.0), point(0.9))).collect();
        let points: Vec<_> = (0..500).map(|_| point(1.2)).collect();
        let boxes = [(); 100].map(|()| {
            let [one, other] = [point(0.9), point(0.9)];
            let middle = [0, 1, 2].map(|axis| one[axis] * 0.9 + other[axis] * 0.1);
            Bounds {
                min: [0, 1, 2].map(|axis| one[axis].min(middle[axis])),
                max: [0, 1, 2].map(|axis| one[axis].max(middle[axis])),
            }
        });
        let counted = |ask: &mut dyn FnMut(&mut ProbedScene<'_, '_, &mut ReadCounter>)| {
            let mut counter = ReadCounter::default();
            ask(&mut ProbedScene::new(&scene, &mut counter));
            [counter.nodes, counter.mesh]
        };
        [
            counted(&mut |scene| rays.iter().for_each(|ray| _ = scene.ray(ray))),
            counted(&mut |scene| rays.iter().for_each(|ray| _ = scene.is_hit(ray))),
            counted(&mut |scene| points.iter().for_each(|point| _ = scene.nearest(*point, f32::MAX))),
            counted(&mut |scene| boxes.iter().for_each(|one| scene.overlapping_box_into(one, &mut Vec::new()))),
        ]
    });
    let most = READS.map(|queries| queries.map(|counts| counts.map(|count| count * 101 / 100)));
    let is_few =
        found.iter().flatten().flatten().zip(most.iter().flatten().flatten()).all(|(found, most)| found <= most);
    assert!(is_few, "{found:?} instead of at most {most:?}");
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn far_and_bad() {
    let mut random = Random::new(33);
    let mut bad = ball(&mut random, 25).mapped(|point| point.map(|part| part * 10.0 + 1e6));
    for at in 0..200 {
        bad.positions[random.below(1000)][at % 3] = [f32::NAN, f32::INFINITY, 1e30][at % 3].into();
        let corner = random.below(bad.indices.len());
        bad.indices[corner] = u32::MAX.into();
    }
    let all_bad = Shape::new(&[[f32::NAN; 3]; 3], &[0, 1, 2].repeat(1500));
    expect_same(&Flat(vec![bad.clone(), all_bad, bad.shuffled(&mut random)]), 6);
    for scale in [1e-15, 1e15_f32] {
        expect_same(&Flat(vec![ball(&mut random, 20).mapped(|point| point.map(|part| part * scale))]), 7);
    }
}

#[test]
fn a_tree_of_another_number_of_triangles_is_built() {
    let (one, other) = (grid(5), grid(6));
    assert!(one.scene().trees().next().unwrap().1.refit(&other.triangles()).is_none());
    let scene = one.scene();
    let refitted = scene.refit(|_| Ok(other.triangles())).unwrap();
    let questions = Questions { vertices: (0..49).map(|vertex| (0, vertex)).collect(), ..Questions::default() };
    assert!(ask(&refitted, &questions) == ask(&other.scene(), &questions));
    let error = scene.refit(|surface| Err(meshpeek::Surface::new(&Flat::default(), surface).unwrap_err()));
    assert!(error.is_err());
}

/// Counts the nodes that queries read.
#[derive(Default)]
struct NodeCounter(u32);

impl Probe for NodeCounter {
    fn read_node(&mut self, _: &[u8]) {
        self.0 += 1;
    }

    fn read_mesh(&mut self, _: &[u8]) {}
}

/// Returns the six sides of a cube, each divided into `side` times `side` squares.
fn cube(side: u16) -> Shape {
    let place = |at: u16| f32::from(at) / f32::from(side) * 2.0 - 1.0;
    let mut triangles = Vec::new();
    for (axis, sign) in (0..3).flat_map(|axis| [(axis, 1.0), (axis, -1.0)]) {
        for (column, row) in (0..side).flat_map(|column| (0..side).map(move |row| (column, row))) {
            let corner = |column, row| {
                let mut corner = [place(column), place(row), sign];
                corner.rotate_right(axis);
                corner
            };
            let [a, b] = [corner(column, row), corner(column + 1, row)];
            let [c, d] = [corner(column, row + 1), corner(column + 1, row + 1)];
            triangles.extend([[a, b, c], [c, b, d]]);
        }
    }
    Shape::soup(&triangles)
}

/// Casts rays that start up to a million radii away from a shape, or whose range starts before
/// their origin, and compares the number of nodes with that of rays from nearby.
///
/// The sides of a cube are in the planes of its bounding box, where a ray enters the box.
#[test]
fn rays_from_far_away_read_few_nodes() {
    let mut random = Random::new(36);
    for shape in [ball(&mut random, 60), cube(30)] {
        let scene = shape.scene();
        let faces = [shape.faces()];
        let oracle = Oracle::new(&faces);
        let tree = std::ptr::from_ref(scene.trees().next().unwrap().1);
        let mut near = None;
        for radii in [3.0, 32.0, 1e2, 1e3, 1e4, 3e4, 1e5, 1e6_f32] {
            let (mut nodes, mut hits) = (NodeCounter::default(), 0);
            for _ in 0..RAYS {
                let [from, target] = [(); 2].map(|()| [(); 3].map(|()| 2.0 * random.unit() - 1.0));
                let (from, target) = (from.map(|part| part * radii), target.map(|part| part * 0.4));
                let backward = Ray::toward(from, [0, 1, 2].map(|axis| 2.0 * from[axis] - target[axis]));
                for ray in [Ray::toward(from, target), backward.within([f32::NEG_INFINITY, 0.0])] {
                    hits += oracle.expect_ray(&scene, &ray);
                    let _ = ProbedScene::new(&scene, &mut nodes).ray(&ray);
                }
            }
            let near = *near.get_or_insert(nodes.0);
            assert!(nodes.0 <= near + near / 4, "{} nodes from {radii} radii, {near} from 3 radii", nodes.0);
            assert!(hits >= RAYS, "{hits} hits from {radii} radii");
        }
        let before = [f32::NEG_INFINITY, 0.0];
        for (origin, range) in [([5.0, -1.0, 0.0], before), ([1e18, 0.0, 0.0], before), ([-9.0, 1.0, 1.0], [0.0, 1e9])]
        {
            oracle.expect_ray(&scene, &Ray::new(origin, [1.0, 0.0, 0.0]).within(range));
        }
        assert!(std::ptr::eq(tree, scene.trees().next().unwrap().1), "no tree was built again");
    }
    let ray = Ray::new([-1000.0, -640.53485, 164.24911], [1.0, 0.639_534_83, -0.164_249_12]);
    let first = cube(30).scene().ray(&ray).unwrap();
    assert_eq!((first.normal, first.is_front), ([0.0, 1.0, 0.0], false), "{first:?}");
}

#[test]
fn neighbors_of_a_grid() {
    let shape = grid(40);
    let scene = shape.scene();
    let at = |x: u32, y: u32| y * 41 + x;
    assert_eq!(neighbors(&scene, 0, at(5, 7)), [at(4, 6), at(5, 6), at(4, 7), at(6, 7), at(5, 8), at(6, 8)]);
    assert_eq!(triangles_around(&scene, 0, at(5, 7)).len(), 6);
    assert_eq!(neighbors(&scene, 0, at(0, 0)), [at(1, 0), at(0, 1), at(1, 1)]);
    assert_eq!((triangles_around(&scene, 1, 0), neighbors(&scene, 1, 0)), (Vec::new(), Vec::new()));
    assert_eq!((triangles_around(&scene, 0, 41 * 41), neighbors(&scene, 0, u32::MAX)), (Vec::new(), Vec::new()));
}

#[test]
fn watched_is_answered_alike() {
    let mut random = Random::new(34);
    let flat = Flat(vec![ball(&mut random, 30), grid(30).shuffled(&mut random)]);
    let faces = flat.faces();
    let questions = Questions::new(&mut random, &Oracle::new(&faces), &faces, 30);
    let sidecar = Arc::new(Sidecar::open(flat.sidecar(&key()), &key(), Trust::Trusted).unwrap());
    for scene in [Scene::new(&flat).unwrap(), Scene::indexed(&flat, &sidecar).unwrap()] {
        for ray in &questions.rays {
            let mut pages = PagesTouched::default();
            assert_eq!(ProbedScene::new(&scene, &mut pages).ray(ray), scene.ray(ray));
            assert_eq!(pages.mesh() + pages.tree(), pages.total());
            assert!(scene.ray(ray).is_none() || (pages.mesh() > 0 && pages.tree() > 0));
            assert_eq!(ProbedScene::new(&scene, &mut pages).all_hits(ray), scene.all_hits(ray));
        }
        let mut all = PagesTouched::default();
        for (point, limit) in &questions.points {
            let mut pages = PagesTouched::default();
            assert_eq!(ProbedScene::new(&scene, &mut pages).nearest(*point, *limit), scene.nearest(*point, *limit));
            assert_eq!(ProbedScene::new(&scene, &mut all).nearest(*point, *limit), scene.nearest(*point, *limit));
            assert!(all.mesh() >= pages.mesh() && all.tree() >= pages.tree());
        }
        // The positions of the ball alone fill more than five pages.
        assert!(all.mesh() > 5 && all.tree() > 2, "{} and {} pages", all.mesh(), all.tree());
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn threads_share_a_scene() {
    let mut random = Random::new(35);
    let flat = Flat(vec![ball(&mut random, 30), ball(&mut random, 25).shuffled(&mut random)]);
    let faces = flat.faces();
    let questions = Questions::new(&mut random, &Oracle::new(&faces), &faces, 30);
    let expected = ask(&Scene::new(&flat).unwrap(), &questions);
    let mut bytes = flat.sidecar(&key());
    // All threads find the damaged page at the same time.
    let sidecar = Arc::new(Sidecar::open(bytes.clone(), &key(), Trust::Trusted).unwrap());
    bytes[4096 + 100] ^= 1;
    let damaged = Arc::new(Sidecar::open(bytes, &key(), Trust::Trusted).unwrap());
    for sidecar in [sidecar, damaged] {
        let scene = Scene::indexed(&flat, &sidecar).unwrap();
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| ask(&scene, &questions))).collect();
            for thread in threads {
                assert!(thread.join().unwrap() == expected);
            }
        });
    }
    let tree = Tree::new(&flat.0[0].triangles()).unwrap();
    assert!(tree.bytes() > 0 && format!("{tree:?}").contains("triangles: 3600"), "{tree:?}");
}

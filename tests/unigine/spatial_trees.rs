//! Compares queries through the trees that ms14 and ms15 files store with queries through trees
//! that were built from the same surfaces.

use std::fs;
use std::ops::Range;

use crate::support::unigine::builder;
use meshpeek::model::{SpatialTree, SplitNode};
use meshpeek::query::{Frustum, Hit, Nearest, Ray, Scene, Tree, Triangles};
use meshpeek::unigine::{Generation, Mesh, Storage};
use meshpeek::{Bounds, MeshFile as _, Severity, Surface};

use crate::support::corpus;
use crate::support::query::Lists as _;
use crate::support::random::Random;
use crate::support::unigine::raw_blocks::{with_leaf_box, with_node_box};
use crate::support::unigine::{bytes, grid};

/// A partition in memory, valid or not.
#[derive(Clone, Debug)]
struct ListTree {
    nodes: Vec<SplitNode>,
    triangles: Vec<u32>,
}

impl SpatialTree for ListTree {
    fn node_count(&self) -> usize {
        self.nodes.len()
    }

    fn node(&self, number: usize) -> Option<SplitNode> {
        self.nodes.get(number).cloned()
    }

    fn triangle_count(&self) -> usize {
        self.triangles.len()
    }

    fn triangle(&self, place: usize) -> Option<u32> {
        self.triangles.get(place).copied()
    }
}

impl ListTree {
    fn of(partition: &dyn SpatialTree) -> Self {
        Self {
            nodes: (0..partition.node_count()).map(|number| partition.node(number).unwrap()).collect(),
            triangles: (0..partition.triangle_count()).map(|place| partition.triangle(place).unwrap()).collect(),
        }
    }
}

/// Builds a wavy grid in a file of a generation that stores trees.
fn waves(side: u32) -> Vec<u8> {
    let surfaces = vec![grid("waves", side, false)];
    builder::Mesh { surfaces, ..builder::Mesh::new(Generation::Ms14) }.to_bytes().unwrap()
}

fn hit_bits(hit: &Hit) -> (usize, u32, [u32; 8], bool) {
    let ([x, y, z], [second, third]) = (hit.point, hit.barycentric);
    let floats = [hit.t, hit.distance, x, y, z, second, third, 0.0];
    (hit.surface, hit.triangle, floats.map(f32::to_bits), hit.is_front)
}

fn near_bits(near: &Nearest) -> (usize, u32, [u32; 6]) {
    let ([x, y, z], [second, third]) = (near.point, near.barycentric);
    (near.surface, near.triangle, [near.distance, x, y, z, second, third].map(f32::to_bits))
}

/// Returns a random point in or near a box.
fn point(bounds: &Bounds, random: &mut Random) -> [f32; 3] {
    let mut point = [0.0; 3];
    for (part, (min, max)) in point.iter_mut().zip(bounds.min.into_iter().zip(bounds.max)) {
        *part = (min + max) * 0.5 + (max - min + 0.01) * 0.8 * random.unit();
    }
    point
}

/// Runs the same queries on two scenes many times.
///
/// Returns the number of rays that hit.
fn expect_same(one: &Scene<'_>, other: &Scene<'_>, times: usize) -> usize {
    let bounds = one.bounds();
    assert_eq!(bounds, other.bounds());
    let mut random = Random::new(7);
    let (mut rays, mut found) = (Vec::new(), 0);
    for _ in 0..times {
        let [from, to] = [(); 2].map(|()| point(&bounds, &mut random));
        let ray = Ray::new(from, [to[0] - from[0], to[1] - from[1], to[2] - from[2]]);
        let hit = one.ray(&ray);
        found += usize::from(hit.is_some());
        assert_eq!(hit.as_ref().map(hit_bits), other.ray(&ray).as_ref().map(hit_bits));
        assert_eq!(one.is_hit(&ray), other.is_hit(&ray));
        let all = |scene: &Scene<'_>| scene.all_hits(&ray).iter().map(hit_bits).collect::<Vec<_>>();
        assert_eq!(all(one), all(other));
        let near = |scene: &Scene<'_>| scene.nearest(from, f32::INFINITY).as_ref().map(near_bits);
        assert_eq!(near(one), near(other));
        let part = Bounds { min: from.map(|part| part - 0.1), max: from.map(|part| part + 0.1) };
        assert_eq!(one.overlapping_box(&part), other.overlapping_box(&part));
        rays.push(ray);
    }
    let all = |scene: &Scene<'_>| scene.rays(&rays).iter().map(|hit| hit.as_ref().map(hit_bits)).collect::<Vec<_>>();
    assert_eq!(all(one), all(other));
    let everywhere = Frustum::from_planes(std::array::from_fn(|_| [0.0, 0.0, 0.0, 1.0]));
    let [mine, theirs] = [one, other].map(|scene| scene.overlapping_frustum(&everywhere));
    assert_eq!(mine, theirs);
    found
}

/// Compares the trees of a file with built trees.
///
/// All surfaces of the file must have one.
fn expect_twins(bytes: &[u8], times: usize) -> usize {
    let mesh = Mesh::open(bytes).unwrap();
    for surface in Surface::all(&mesh).unwrap() {
        let (triangles, partition) = (Triangles::new(&surface).unwrap(), surface.partition().unwrap().unwrap());
        let tree = Tree::from_spatial_tree(&triangles, &*partition).unwrap();
        assert_eq!(tree.is_some(), !triangles.is_empty());
        assert!(tree.is_none_or(|tree| tree.is_reordered() && !tree.is_stored()));
    }
    expect_same(&Scene::new(&mesh).unwrap(), &Scene::from_file_trees(&mesh).unwrap(), times)
}

#[test]
fn samples_answer_as_trees_built_do() {
    for stem in ["cube_ms14", "cube_ms14_raw", "cube_ms15", "room_ms14", "skinned_ms14"] {
        assert!(expect_twins(&bytes(stem), 300) > 20, "{stem}");
    }
    assert!(expect_twins(&waves(60), 300) > 20);
}

#[test]
fn files_without_trees_are_built_of() {
    let bytes = bytes("cube_ms13");
    let mesh = Mesh::open(bytes.as_slice()).unwrap();
    assert!(Surface::new(&mesh, 0).unwrap().partition().unwrap().is_none());
    assert!(expect_same(&Scene::new(&mesh).unwrap(), &Scene::from_file_trees(&mesh).unwrap(), 300) > 20);
}

#[test]
fn damaged_blocks_are_passed_over() {
    let bytes = crate::support::unigine::spoil(&bytes("cube_ms14_raw"), "surface[0].tree.corners", &[0xff; 12]);
    let mesh = Mesh::open(bytes.as_slice()).unwrap();
    assert!(Surface::new(&mesh, 0).unwrap().partition().is_err());
    assert!(expect_same(&Scene::new(&mesh).unwrap(), &Scene::from_file_trees(&mesh).unwrap(), 300) > 20);
}

#[test]
fn real_files_answer_as_trees_built_do() {
    let Some(folder) = corpus("unigine") else { return };
    let mut asked = 0;
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let name = entry.file_name().into_string().unwrap();
        if name.starts_with("ms14") || name.starts_with("ms15") {
            expect_twins(&fs::read(entry.path()).unwrap(), 60);
            asked += 1;
        }
    }
    assert!(asked > 20);
}

/// Returns the findings of rule UG21 about the boxes of the tree of surface 0, without other
/// findings above info.
fn box_findings(bytes: &[u8]) -> Vec<(Severity, String)> {
    let mut found = Vec::new();
    Mesh::open(bytes).unwrap().validate(&mut |finding| found.push(finding)).unwrap();
    found.retain(|finding| finding.severity > Severity::Info || finding.rule == "UG21");
    let boxes = found.into_iter().map(|finding| {
        assert_eq!((finding.rule, finding.field.to_string().as_str()), ("UG21", "surface[0].tree.boxes"), "{finding}");
        (finding.severity, finding.text)
    });
    boxes.collect()
}

#[test]
fn a_loose_leaf_is_a_remark_and_a_missed_triangle_a_warning() {
    let mesh = builder::Mesh { surfaces: vec![grid("waves", 8, false)], ..builder::Mesh::new(Generation::Ms14) };
    let sound = builder::Mesh { storage: Storage::Raw, ..mesh }.to_bytes().unwrap();
    assert_eq!(box_findings(&sound), []);
    // The box of the leaf is as large as its parent's. No query misses a triangle.
    let loose = with_leaf_box(&sound, |_, parent| parent);
    let found = box_findings(&loose);
    assert_eq!((found.len(), found[0].0), (1, Severity::Info), "{found:?}");
    assert!(found[0].1.starts_with("1 leaf with a box that is not tight around its triangles"), "{found:?}");
    assert!(expect_twins(&loose, 100) > 20);
    // On one side, the box ends within the triangles of the leaf or is not a number.
    for side in 0..6 {
        let middle = |own: [f32; 6]| f32::midpoint(own[side % 3], own[side % 3 + 3]);
        let with_side = |mut all: [f32; 6], value| {
            all[side] = value;
            all
        };
        for missed in [
            with_leaf_box(&sound, |own, _| with_side(own, middle(own))),
            with_leaf_box(&sound, |own, parent| with_side(parent, middle(own))),
            with_leaf_box(&sound, |own, _| with_side(own, f32::NAN)),
        ] {
            let found = box_findings(&missed);
            let (severity, text) = &found[0];
            assert_eq!(*severity, Severity::Warning, "side {side}: {found:?}");
            assert!(text.starts_with("1 leaf with a triangle outside its box"), "side {side}: {found:?}");
            assert!(found.iter().all(|(severity, _)| *severity == Severity::Warning), "side {side}: {found:?}");
        }
    }
    // One unit in the last place is a difference of rounding.
    let rounded = with_leaf_box(&sound, |[x, y, z, right, top, front], _| {
        [x.next_up(), y.next_up(), z.next_up(), right.next_down(), top.next_down(), front.next_down()]
    });
    assert_eq!(box_findings(&rounded), []);
    // A millionth of the greatest coordinate is rounding, too; ten millionths are not.
    let greatest = sound_greatest(&sound);
    for (part, severity) in [(5e-7, Severity::Info), (1e-5, Severity::Warning)] {
        let short = with_leaf_box(&sound, |[x, y, z, right, top, front], _| {
            let less = part * greatest;
            [x + less, y, z, right - less, top - less, front]
        });
        let found = box_findings(&short);
        assert_eq!((found.len(), found[0].0), (1, severity), "{found:?}");
    }
}

#[test]
fn the_box_of_a_root_may_differ_by_rounding() {
    // The root of one quad is a leaf, and that of 64 quads is not.
    for (side, is_leaf) in [(1, true), (8, false)] {
        let surfaces = vec![grid("waves", side, false)];
        let mesh = builder::Mesh { surfaces, storage: Storage::Raw, ..builder::Mesh::new(Generation::Ms14) };
        let sound = mesh.to_bytes().unwrap();
        assert_eq!(Mesh::open(&*sound).unwrap().tree(0).unwrap().unwrap().nodes()[0].is_leaf(), is_leaf);
        let greatest = sound_greatest(&sound);
        for axis in 0..6 {
            let outward = if axis < 3 { -greatest } else { greatest };
            for (part, severity) in [
                (-5e-7, Severity::Info),
                (5e-7, Severity::Info),
                (-1e-5, Severity::Warning),
                (1e-3, if is_leaf { Severity::Info } else { Severity::Warning }),
            ] {
                let found = box_findings(&with_node_box(&sound, 0, |mut own| {
                    own[axis] += part * outward;
                    own
                }));
                let has_root = found.iter().any(|(_, text)| text.starts_with("the root's box is"));
                let most = found.iter().map(|(severity, _)| *severity).max();
                assert!(has_root && most == Some(severity), "{side}, {axis}, {part}: {found:?}");
            }
        }
    }
}

/// Returns the greatest coordinate of surface 0.
fn sound_greatest(bytes: &[u8]) -> f32 {
    let (bounds, _) = Mesh::open(bytes).unwrap().bounds().unwrap();
    bounds.min.iter().chain(&bounds.max).fold(0.0, |most, part| most.max(part.abs()))
}

/// Converts another partition to a tree over the wavy grid.
fn adopt(partition: &dyn SpatialTree) -> Option<Tree> {
    let bytes = waves(8);
    let mesh = Mesh::open(bytes.as_slice()).unwrap();
    Tree::from_spatial_tree(&Triangles::new(&Surface::new(&mesh, 0).unwrap()).unwrap(), partition).unwrap()
}

fn stored() -> ListTree {
    let bytes = waves(8);
    let mesh = Mesh::open(bytes.as_slice()).unwrap();
    ListTree::of(&*Surface::new(&mesh, 0).unwrap().partition().unwrap().unwrap())
}

/// Returns a partition of all triangles of the wavy grid with the given nodes.
fn divided(nodes: Vec<SplitNode>) -> ListTree {
    ListTree { nodes, triangles: (0..128).collect() }
}

const fn leaf(range: Range<usize>) -> SplitNode {
    SplitNode::Leaf(range)
}

#[test]
fn what_does_not_divide_all_triangles_is_none() {
    assert!(adopt(&stored()).is_some());
    let inner = SplitNode::Inner;
    assert!(adopt(&divided(vec![leaf(0..128)])).is_some(), "one leaf with all triangles");
    assert!(adopt(&divided(vec![inner([1, 2]), leaf(60..128), leaf(0..60)])).is_some(), "triangles in any order");
    assert!(adopt(&divided(vec![inner([1, 2]), leaf(0..128), leaf(9..9)])).is_some(), "an empty leaf");
    let hostile = [
        ("no nodes", vec![]),
        ("its own child", vec![inner([0, 1]), leaf(0..128)]),
        ("a circle", vec![inner([1, 2]), inner([2, 0]), leaf(0..128)]),
        ("one child twice", vec![inner([1, 1]), leaf(0..64)]),
        ("two parents", vec![inner([1, 2]), inner([2, 3]), leaf(0..64), leaf(64..128)]),
        ("out of range", vec![inner([1, usize::MAX]), leaf(0..128)]),
        ("a loose node", vec![leaf(0..64), leaf(64..128)]),
        ("overlapping leaves", vec![inner([1, 2]), leaf(0..65), leaf(64..128)]),
        ("missing triangles", vec![inner([1, 2]), leaf(0..63), leaf(64..128)]),
        ("leaves beyond the list", vec![inner([1, 2]), leaf(0..64), leaf(64..129)]),
        ("leaves without end", vec![leaf(0..usize::MAX)]),
        #[allow(clippy::reversed_empty_ranges, reason = "a damaged file may have this")]
        ("leaves the wrong way round", vec![inner([1, 2]), leaf(0..128), leaf(9..8)]),
    ];
    for (what, nodes) in hostile {
        assert!(adopt(&divided(nodes)).is_none(), "{what}");
    }
    for triangles in [(0..127).collect(), (0..129).collect(), (1..129).collect::<Vec<u32>>(), vec![0; 128]] {
        let count = triangles.len();
        assert!(adopt(&ListTree { nodes: vec![leaf(0..count)], triangles }).is_none());
    }
    assert!(adopt(&ListTree { nodes: vec![], triangles: vec![] }).is_none());
}

#[test]
fn what_is_too_deep_is_none() {
    // Every triangle is in a separate leaf, next to a node of all later triangles. The boxes of
    // these nodes are as large as possible, so the chain is the part that is expanded.
    let chain = |count: u32| {
        let mut surface = grid("waves", 8, false);
        surface.indices = surface.indices[..3].repeat(usize::try_from(count).unwrap());
        surface.attribute_indices = surface.attribute_indices[..3].repeat(usize::try_from(count).unwrap());
        let bytes =
            builder::Mesh { surfaces: vec![surface], ..builder::Mesh::new(Generation::Ms13) }.to_bytes().unwrap();
        let mut nodes = Vec::new();
        let last = usize::try_from(count).unwrap() - 1;
        for at in 0..last {
            nodes.extend([SplitNode::Inner([at * 2 + 1, at * 2 + 2]), leaf(at..at + 1)]);
        }
        nodes.push(leaf(last..last + 1));
        let mesh = Mesh::open(bytes.as_slice()).unwrap();
        let triangles = Triangles::new(&Surface::new(&mesh, 0).unwrap()).unwrap();
        Tree::from_spatial_tree(&triangles, &ListTree { nodes, triangles: (0..count).collect() }).unwrap()
    };
    // A node with eight children takes seven nodes of the chain.
    assert!(chain(7 * 48).is_some());
    assert!(chain(7 * 48 + 40).is_none());
    assert!(chain(100_000).is_none());
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn whatever_is_stored_answers_are_right() {
    let bytes = waves(8);
    let mesh = Mesh::open(bytes.as_slice()).unwrap();
    let surface = Surface::new(&mesh, 0).unwrap();
    let triangles = Triangles::new(&surface).unwrap();
    let built = Scene::new(&mesh).unwrap();
    let (sound, mut random) = (stored(), Random::new(3));
    let mut adopted = 0;
    for _ in 0..2_000 {
        let mut spoiled = sound.clone();
        for _ in 0..=random.below(2) {
            let [one, other] = [(); 2].map(|()| random.below(spoiled.triangles.len()));
            let node = random.below(spoiled.nodes.len());
            let number = random.below(spoiled.nodes.len() + 2);
            match (random.below(4), &mut spoiled.nodes[node]) {
                (0, _) => spoiled.triangles.swap(one, other),
                (1, _) => spoiled.triangles[one] = u32::try_from(other).unwrap(),
                (_, SplitNode::Inner([left, right])) => {
                    if random.one_in(2) {
                        std::mem::swap(left, right);
                    } else {
                        *right = number;
                    }
                }
                (_, SplitNode::Leaf(range)) => range.end = random.below(range.end + 2),
            }
        }
        if let Some(tree) = Tree::from_spatial_tree(&triangles, &spoiled).unwrap() {
            let mut scene = Scene::empty();
            scene.add(0, triangles, tree.into());
            expect_same(&built, &scene, 3);
            adopted += 1;
        }
    }
    assert!(adopted > 200, "{adopted}");
}

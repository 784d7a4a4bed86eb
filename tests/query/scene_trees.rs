//! Tests trees that borrow nothing: the scenes that they lend, meshes that they do not belong to,
//! and memory.

use std::sync::Arc;

use meshpeek::query::{Ray, Scene, SceneTrees, Tree, Triangles};
use meshpeek::sidecar::{Sidecar, Trust};
use meshpeek::{ErrorKind, Geometry, Model, Surface};

use crate::support::allocations::{allocations, most_held, refuse_each};
use crate::support::query::{Flat, Oracle, Questions, Shape, ask, ball, grid};
use crate::support::random::Random;
use crate::support::sidecar::{PAGE, key};
use crate::support::unigine::bytes;

/// The number of bytes for each surface that lending a scene allocates, as documented.
const MAX_LENT_BYTES: u64 = 112;

/// Makes a mesh of surfaces of all kinds: with a tree, with few triangles, and without vertices.
fn flat() -> Flat {
    let mut random = Random::new(41);
    let shapes = [ball(&mut random, 20), grid(2), Shape::default(), grid(30).shuffled(&mut random)];
    Flat(shapes.to_vec())
}

fn questions(geometry: &Flat) -> Questions {
    let faces = geometry.faces();
    Questions::new(&mut Random::new(42), &Oracle::new(&faces), &faces, 30)
}

fn sidecar(flat: &Flat, trust: Trust) -> Arc<Sidecar> {
    Arc::new(Sidecar::open(flat.sidecar(&key()), &key(), trust).unwrap())
}

/// Returns the field and the message of the error for a mesh that the trees do not belong to.
fn other_mesh(trees: &SceneTrees, geometry: &dyn Geometry) -> (String, String) {
    let error = trees.scene(geometry).unwrap_err();
    assert!(error.kind() == ErrorKind::OtherMesh, "{error}");
    (error.field().to_string(), error.to_string())
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it")]
fn a_lent_scene_answers_like_a_scene() {
    let flat = flat();
    let questions = questions(&flat);
    let expected = ask(&Scene::new(&flat).unwrap(), &questions);
    let [trusted, untrusted] = [Trust::Trusted, Trust::Untrusted].map(|trust| sidecar(&flat, trust));
    let all = [
        SceneTrees::new(&flat, Scene::new(&flat).unwrap()),
        SceneTrees::new(&flat, Scene::from_file_trees(&flat).unwrap()),
        SceneTrees::new(&flat, Scene::indexed(&flat, &trusted).unwrap()),
        SceneTrees::new(&flat, Scene::indexed(&flat, &untrusted).unwrap()),
        SceneTrees::new(
            &flat,
            Scene::from_surfaces([3, 1, 2, 0].map(|index| Surface::new(&flat, index).unwrap()), None).unwrap(),
        ),
    ];
    for trees in all.map(Result::unwrap) {
        // Any mesh with the same content has these trees, also after the first is gone.
        for mesh in [flat.clone(), flat.clone()] {
            assert!(ask(&trees.scene(&mesh).unwrap(), &questions) == expected, "{trees:?}");
            assert!(ask(&trees.clone().scene(&mesh).unwrap(), &questions) == expected, "{trees:?}");
        }
    }
    for chosen in [vec![], vec![3], vec![0, 3]] {
        let chosen = || chosen.iter().map(|index| Surface::new(&flat, *index).unwrap());
        let scene = Scene::from_surfaces(chosen(), Some(&trusted)).unwrap();
        let trees = SceneTrees::new(&flat, Scene::from_surfaces(chosen(), Some(&trusted)).unwrap()).unwrap();
        assert!(ask(&trees.scene(&flat).unwrap(), &questions) == ask(&scene, &questions));
    }
}

#[test]
fn trees_of_a_file_are_converted_once() {
    let model = Model::open(bytes("room_ms14")).unwrap();
    let geometry = model.geometry();
    let trees = SceneTrees::new(geometry, Scene::from_file_trees(geometry).unwrap()).unwrap();
    let nodes = |scene: &Scene<'_>| scene.trees().map(|(_, tree)| tree.node_count()).collect::<Vec<_>>();
    assert_eq!(nodes(&trees.scene(geometry).unwrap()), nodes(&Scene::from_file_trees(geometry).unwrap()));
    assert!(!nodes(&trees.scene(geometry).unwrap()).is_empty());
    let addresses = || {
        let scene = trees.scene(geometry).unwrap();
        scene.trees().map(|(_, tree)| std::ptr::from_ref(tree).addr()).collect::<Vec<_>>()
    };
    assert_eq!(addresses(), addresses());
}

#[test]
fn a_lent_scene_can_be_changed() {
    let flat = flat();
    let trees = SceneTrees::new(&flat, Scene::new(&flat).unwrap()).unwrap();
    let mut scene = trees.scene(&flat).unwrap();
    let questions = questions(&flat);
    let expected = ask(&scene, &questions);
    let more = grid(4);
    // The added surface is where no other is, so a stale tree over the surfaces would not find it.
    let more = more.mapped(|[x, y, z]| [x + 500.0, y, z]);
    let ray = Ray::new([501.1, 1.2, 3.0], [0.0, 0.0, -1.0]);
    assert!(scene.ray(&ray).is_none() && !scene.is_hit(&ray));
    scene.add(9, more.triangles(), Arc::new(Tree::new(&more.triangles()).unwrap()));
    assert_eq!(scene.ray(&ray).map(|hit| hit.surface), Some(9));
    assert!(scene.is_hit(&ray));
    assert_eq!(scene.nearest([501.0, 1.0, 0.5], 1.0).map(|found| found.surface), Some(9));
    assert_eq!((scene.triangles(9).map(Triangles::len), scene.trees().count()), (Some(32), 3));
    let moved = Flat(flat.0.iter().map(|shape| shape.mapped(|[x, y, z]| [x, y, z + 1.0])).collect());
    let refitted = trees.scene(&flat).unwrap().refit(|surface| Ok(moved.0[surface].triangles())).unwrap();
    assert!(ask(&refitted, &questions) == ask(&Scene::new(&moved).unwrap(), &questions));
    assert!(ask(&trees.scene(&flat).unwrap(), &questions) == expected, "the trees stay as they are");
}

#[test]
fn another_mesh_is_an_error_that_names_the_difference() {
    let shapes = || vec![grid(5), grid(6), grid(7)];
    let trees = SceneTrees::new(&Flat(shapes()), Scene::new(&Flat(shapes())).unwrap()).unwrap();
    trees.scene(&Flat(shapes())).unwrap();
    let few = Flat(vec![grid(5), grid(6)]);
    let (field, message) = other_mesh(&trees, &few);
    assert_eq!(field, "surfaces");
    assert!(message.contains("expected 3 surfaces, as in the mesh of the trees, found 2;"), "{message}");
    let mut many = Flat(shapes());
    many.0.push(grid(1));
    assert_eq!(other_mesh(&trees, &many).0, "surfaces");
    assert_eq!(other_mesh(&trees, &Flat::default()).0, "surfaces");

    let mut other = Flat(shapes());
    other.0[1] = grid(8);
    let (field, message) = other_mesh(&trees, &other);
    assert_eq!(field, "surface[1].indices");
    assert!(message.contains("expected 72 triangles, as in the mesh of the trees, found 128;"), "{message}");
    other.0[1] = Shape::default();
    assert_eq!(other_mesh(&trees, &other).0, "surface[1].indices");
    other.0[1] = grid(6);
    other.0[2].positions.pop();
    let (field, message) = other_mesh(&trees, &other);
    assert_eq!(field, "surface[2].positions");
    assert!(message.contains("expected 64 vertices") && message.contains("found 63;"), "{message}");

    let moved = Flat(shapes().iter().map(|shape| shape.mapped(|[x, y, z]| [x, y, z + 0.5])).collect());
    let (field, message) = other_mesh(&trees, &moved);
    assert_eq!(field, "surface[0].indices");
    assert!(message.contains("triangle 0 as in the mesh of the trees") && message.contains("build trees"), "{message}");
    let mut turned = Flat(shapes());
    turned.0[2].indices.reverse();
    assert_eq!(other_mesh(&trees, &turned).0, "surface[2].indices");
}

#[test]
fn only_the_surfaces_with_trees_are_compared() {
    let flat = Flat(vec![grid(5), grid(6)]);
    let trees = SceneTrees::new(&flat, Scene::from_surfaces(Surface::new(&flat, 1), None).unwrap()).unwrap();
    trees.scene(&Flat(vec![grid(9), grid(6)])).unwrap();
    assert_eq!(other_mesh(&trees, &Flat(vec![grid(5), grid(5)])).0, "surface[1].indices");
}

#[test]
fn stored_trees_read_no_triangle_to_be_lent() {
    let flat = Flat(vec![grid(30)]);
    let moved = Flat(vec![grid(30).mapped(|point| point.map(|part| part + 9.0))]);
    let trees = SceneTrees::new(&flat, Scene::indexed(&flat, &sidecar(&flat, Trust::Trusted)).unwrap()).unwrap();
    // The key of the sidecar says whether it belongs to a file.
    trees.scene(&moved).unwrap();
    assert_eq!(other_mesh(&trees, &Flat(vec![grid(31)])).0, "surface[0].indices");
    assert_eq!(
        other_mesh(&SceneTrees::new(&flat, Scene::new(&flat).unwrap()).unwrap(), &moved).0,
        "surface[0].indices"
    );
}

/// A mesh that differs in triangles that are not compared gives hits of the new triangles or none,
/// and no panic.
#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn a_change_that_is_not_compared_is_no_panic() {
    let flat = Flat(vec![grid(40)]);
    let trees = SceneTrees::new(&flat, Scene::new(&flat).unwrap()).unwrap();
    let mut random = Random::new(43);
    let mut lent = 0;
    for _ in 0..50 {
        let mut other = flat.clone();
        let [corner, index] = [random.below(other.0[0].indices.len()), random.below(2000)];
        other.0[0].indices[corner] = (index as u32).into();
        let Ok(scene) = trees.scene(&other) else { continue };
        ask(&scene, &Questions { frusta: Vec::new(), ..questions(&other) });
        lent += 1;
    }
    assert!(lent > 30, "{lent}");
}

#[test]
fn a_damaged_tree_is_built_again_once() {
    let flat = Flat(vec![grid(40)]);
    let mut stored = flat.sidecar(&key());
    stored[PAGE + 100] ^= 1;
    let damaged = Arc::new(Sidecar::open(stored, &key(), Trust::Trusted).unwrap());
    let trees = SceneTrees::new(&flat, Scene::indexed(&flat, &damaged).unwrap()).unwrap();
    let questions = questions(&flat);
    let is_stored = || trees.scene(&flat).unwrap().trees().all(|(_, tree)| tree.is_stored());
    let before = trees.bytes();
    assert!(is_stored() && before < 1000);
    let expected = ask(&Scene::new(&flat).unwrap(), &questions);
    std::thread::scope(|scope| {
        let ask = || ask(&trees.scene(&flat).unwrap(), &questions);
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(ask)).collect();
        for thread in threads {
            assert!(thread.join().unwrap() == expected);
        }
    });
    let tree = Scene::new(&flat).unwrap().trees().next().unwrap().1.bytes();
    assert!(!is_stored() && trees.bytes() >= before + tree, "{} bytes", trees.bytes());
    assert!(ask(&trees.scene(&flat).unwrap(), &questions) == expected);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn lending_a_scene_takes_memory_for_its_surfaces_only() {
    for (surfaces, side) in [(1, 10), (1, 200), (300, 1), (300, 12)] {
        let flat = Flat(vec![grid(side); surfaces]);
        let trees = SceneTrees::new(&flat, Scene::new(&flat).unwrap()).unwrap();
        let (lent, held) = most_held(|| trees.scene(&flat).unwrap());
        assert!(held <= MAX_LENT_BYTES * surfaces as u64, "{surfaces} surfaces of {side}: {held} bytes");
        drop(lent);
        assert_eq!(allocations(|| trees.scene(&flat).unwrap()), 1, "{surfaces} surfaces of {side}");
    }
}

#[test]
fn trees_take_the_memory_that_they_state() {
    let flat = Flat(vec![grid(100), grid(50), grid(1)]);
    let (trees, _) = most_held(|| SceneTrees::new(&flat, Scene::new(&flat).unwrap()).unwrap());
    let nodes: u64 = trees.scene(&flat).unwrap().trees().map(|(_, tree)| tree.bytes()).sum();
    assert!((nodes + 1..nodes + 4000).contains(&trees.bytes()), "{} of {nodes} bytes", trees.bytes());
    let text = format!("{trees:?}");
    assert!(text.starts_with("SceneTrees { surfaces: 3, bytes: ") && text.len() < 60, "{text}");
}

#[test]
fn an_allocation_that_fails_is_an_error() {
    let flat = Flat(vec![grid(20); 30]);
    let trees = SceneTrees::new(&flat, Scene::new(&flat).unwrap()).unwrap();
    assert!(refuse_each("lend", || trees.scene(&flat).map(drop)) >= 1);
    let flat = Flat(vec![grid(20); 3]);
    assert!(refuse_each("build", || SceneTrees::new(&flat, Scene::new(&flat)?).map(drop)) >= 3);
}

#[test]
fn trees_can_be_stored_and_shared() {
    fn expect<T: Send + Sync + Clone + 'static>(_: &T) {}
    expect(&SceneTrees::new(&flat(), Scene::new(&flat()).unwrap()).unwrap());
    let empty = SceneTrees::new(&Flat::default(), Scene::new(&Flat::default()).unwrap()).unwrap();
    assert!(empty.scene(&Flat::default()).unwrap().bounds().is_empty());
}

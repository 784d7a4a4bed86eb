//! Tests of trees in sidecars that are damaged or built to do harm.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use meshpeek::array::Bounds;
use meshpeek::query::{Frustum, Ray, Scene};
use meshpeek::sidecar::{Sidecar, Trust};

use crate::support::query::{
    Flat, Lists as _, Oracle, Questions, Shape, ask, ball, batch, grid, interleaved, neighbors, triangles_around,
};
use crate::support::random::Random;
use crate::support::sidecar::{LISTS_AT, PAGE, PAGES_AT, ROOM, STRUCTURE_AT, key, number, reseal};
use crate::support::stopwatch::Stopwatch;
use crate::support::{PATIENCE, cases};

/// The part of the possible damage that is tested: 1 in this number.
const SCALE: usize = 150;
/// The part of that which a quick run tests: about 180 of 4,500 damaged sidecars.
const ONE_IN: u64 = 25;
/// The number of rays for each case.
const QUESTIONS: usize = 6;

/// The offset of the list of trees in the header: the number of trees, the page of the first, and
/// the size of a record.
const TREES_AT: usize = LISTS_AT + 24 * 5;
/// Offsets of the numbers in the record of a tree, and the size of a record in bytes.
const TRIANGLES: usize = 4;
const CLUSTER: usize = 8;
const ROOT: usize = 12;
const FIRST_PAGE: usize = 16;
const TREE_PAGES: usize = 24;
const ORDER_PAGE: usize = 32;
const ORDERED: usize = 40;
const NODES: usize = 48;
const BOUNDS: usize = 56;
const TREE: usize = 80;
/// The size of a node in bytes, the number of nodes in a page, and offsets in a node.
///
/// The offsets are those of the exponents, the flags of leaf children, the boxes and the numbers of
/// children. The corner of the grid is at the start of the node.
const NODE: usize = 96;
const NODES_OF_PAGE: usize = 42;
const EXPONENTS: usize = 12;
const LEAVES: usize = 15;
const LOW: usize = 16;
const HIGH: usize = 40;
const CHILDREN: usize = 64;
/// The number of a child that does not exist.
const NO_CHILD: u32 = u32::MAX;

/// A file of three surfaces, its queries, their expected results, and its sidecar.
///
/// One surface is too small for a tree, and the tree of another one stores its own triangle order.
struct SidecarCase {
    flat: Flat,
    oracle: Oracle,
    questions: Questions,
    expected: Vec<u32>,
    sidecar: Vec<u8>,
}

static SPOKEN: LazyLock<Arc<SidecarCase>> = LazyLock::new(|| {
    let mut random = Random::new(41);
    let flat = Flat(vec![ball(&mut random, 20), grid(4), grid(34).shuffled(&mut random)]);
    let faces = flat.faces();
    let oracle = Oracle::new(&faces);
    let mut questions = Questions::new(&mut random, &oracle, &faces, 24);
    questions.rays.truncate(QUESTIONS);
    questions.points.truncate(QUESTIONS.div_ceil(2));
    questions.boxes.truncate(3);
    questions.boxes.push(Bounds { min: [-9.0; 3], max: [99.0; 3] });
    questions.frusta.truncate(3);
    questions.vertices = (0..6).map(|vertex| (vertex % 3, vertex as u32 * 3)).collect();
    let expected = ask(&Scene::new(&flat).unwrap(), &questions);
    let sidecar = flat.sidecar(&key());
    Arc::new(SidecarCase { flat, oracle, questions, expected, sidecar })
});

/// Runs `work` on a separate thread, which must end in time.
fn in_time(what: &str, work: impl FnOnce() + Send + 'static) {
    let (done, waiting) = channel();
    let thread = std::thread::spawn(move || {
        work();
        let _ = done.send(());
    });
    // A work that panics drops the sender.
    let ended = waiting.recv_timeout(PATIENCE);
    assert_ne!(ended, Err(RecvTimeoutError::Timeout), "{what}: no result within {PATIENCE:?}");
    assert!(thread.join().is_ok(), "{what}");
}

impl SidecarCase {
    fn sidecar(bytes: &[u8], trust: Trust) -> Option<Arc<Sidecar>> {
        Sidecar::open(bytes.to_vec(), &key(), trust).map(Arc::new)
    }

    fn answers(&self, bytes: &[u8], trust: Trust) -> Vec<u32> {
        let scene = match Self::sidecar(bytes, trust) {
            Some(sidecar) => Scene::indexed(&self.flat, &sidecar).unwrap(),
            None => Scene::new(&self.flat).unwrap(),
        };
        let answers = ask(&scene, &self.questions);
        let one_by_one = self.questions.rays.iter().map(|ray| scene.ray(ray));
        assert!(batch(&scene, &self.questions.rays).into_iter().eq(one_by_one), "a batch of rays");
        answers
    }

    /// Asserts that these bytes, used as a sidecar, change no result.
    fn expect_equal(&self, bytes: &[u8], trust: Trust, what: &str) {
        assert!(self.answers(bytes, trust) == self.expected, "{what}, {trust:?}: another result");
    }

    /// Asserts that they change no result, with and without trust in the sidecar.
    fn expect_no_change(&self, bytes: &[u8], what: &str) {
        if !cases::is_next_tested(ONE_IN) {
            return;
        }
        self.expect_equal(bytes, Trust::Trusted, what);
        self.expect_equal(bytes, Trust::Untrusted, what);
    }

    /// Asserts that they change no result without trust.
    ///
    /// With trust, queries end in time. Each result is true of the triangle that it names, but
    /// there may be better results.
    fn expect_survived(self: &Arc<Self>, bytes: Vec<u8>, what: &str) {
        if !cases::is_next_tested(ONE_IN) {
            return;
        }
        let (spoken, name) = (Arc::clone(self), what.to_owned());
        in_time(what, move || {
            spoken.expect_equal(&bytes, Trust::Untrusted, &name);
            let Some(sidecar) = Self::sidecar(&bytes, Trust::Trusted) else { return };
            let scene = Scene::indexed(&spoken.flat, &sidecar).unwrap();
            spoken.expect_true(&scene);
            let moved = scene.refit(|surface| Ok(spoken.flat.0[surface].triangles())).unwrap();
            spoken.expect_true(&moved);
        });
    }

    fn expect_true(&self, scene: &Scene<'_>) {
        for ray in &self.questions.rays {
            scene.ray(ray).iter().chain(&scene.all_hits(ray)).for_each(|hit| self.oracle.expect_hit(ray, hit));
            let _ = scene.is_hit(ray);
        }
        for (ray, hit) in self.questions.rays.iter().zip(interleaved(scene, &self.questions.rays)) {
            if let Some(hit) = &hit {
                self.oracle.expect_hit(ray, hit);
            }
        }
        for (point, limit) in &self.questions.points {
            let found = scene.nearest(*point, *limit);
            if let Some(found) = &found {
                self.oracle.expect_point(found, *point);
            }
        }
        for bounds in &self.questions.boxes {
            self.oracle.expect_within_box(&scene.overlapping_box(bounds), bounds);
        }
        for planes in &self.questions.frusta {
            let found = scene.overlapping_frustum(&Frustum::from_planes(*planes));
            self.oracle.expect_within_frustum(&found, planes);
        }
        for (surface, vertex) in &self.questions.vertices {
            for triangle in triangles_around(scene, *surface, *vertex) {
                assert!(scene.triangles(*surface).unwrap().corners(triangle).unwrap().contains(vertex));
            }
            let _ = neighbors(scene, *surface, *vertex);
        }
    }

    /// Returns the start of the record of a tree.
    fn record(&self, tree: usize) -> usize {
        number(&self.sidecar, TREES_AT + 8) as usize * PAGE + tree * TREE
    }

    /// Returns the start of each node of a tree, and its number.
    fn nodes(&self, tree: usize) -> Vec<(usize, u32)> {
        let record = self.record(tree);
        let mut waiting = vec![word(&self.sidecar, record + ROOT)];
        let mut all = Vec::new();
        while let Some(number) = waiting.pop() {
            let at = self.place(tree, number);
            all.push((at, number));
            waiting.extend(self.children(at).into_iter().filter(|child| !child.is_leaf).map(|child| child.number));
        }
        assert_eq!(all.len() as u64, number(&self.sidecar, record + NODES));
        all
    }

    /// Returns the start of a node of a tree.
    fn place(&self, tree: usize, node: u32) -> usize {
        let first = number(&self.sidecar, self.record(tree) + FIRST_PAGE) as usize;
        (first + (node >> 6) as usize) * PAGE + (node & 63) as usize * NODE
    }

    fn children(&self, at: usize) -> Vec<Child> {
        let leaves = self.sidecar[at + LEAVES];
        let child = |lane: usize| Child {
            lane,
            at: at + CHILDREN + 4 * lane,
            number: word(&self.sidecar, at + CHILDREN + 4 * lane),
            is_leaf: leaves >> lane & 1 == 1,
        };
        (0..8).map(child).filter(|child| child.number != NO_CHILD).collect()
    }

    /// Returns the sidecar with some words replaced and correct page checksums.
    fn with(&self, words: &[(usize, u32)]) -> Vec<u8> {
        let mut spoilt = self.sidecar.clone();
        for (at, value) in words {
            spoilt[*at..at + 4].copy_from_slice(&value.to_le_bytes());
        }
        reseal(&mut spoilt);
        spoilt
    }

    fn with_long(&self, at: usize, value: u64) -> Vec<u8> {
        self.with(&[(at, value as u32), (at + 4, (value >> 32) as u32)])
    }
}

/// The entry of a child in a node.
#[derive(Clone, Copy, Debug)]
struct Child {
    lane: usize,
    /// The offset of the child's number.
    at: usize,
    number: u32,
    is_leaf: bool,
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

#[test]
fn the_sidecar_is_as_it_is_spelt_here() {
    let spoken = &*SPOKEN;
    assert_eq!(number(&spoken.sidecar, TREES_AT), 2);
    assert_eq!(word(&spoken.sidecar, TREES_AT + 16) as usize, TREE);
    for (tree, triangles, ordered) in [(0, 1600, 0), (1, 2312, 2312)] {
        let record = spoken.record(tree);
        assert_eq!(word(&spoken.sidecar, record + TRIANGLES), triangles);
        assert_eq!(word(&spoken.sidecar, record + ORDERED), ordered);
        let nodes = spoken.nodes(tree);
        let leaves = nodes.iter().flat_map(|(at, _)| spoken.children(*at)).filter(|child| child.is_leaf);
        assert_eq!(leaves.map(|leaf| (leaf.number & 7) + 1).sum::<u32>(), triangles);
    }
    assert!(spoken.with(&[]) == spoken.sidecar, "the page checksums are correct");
    for trust in [Trust::Trusted, Trust::Untrusted] {
        let sidecar = SidecarCase::sidecar(&spoken.sidecar, trust).unwrap();
        let scene = Scene::indexed(&spoken.flat, &sidecar).unwrap();
        assert!(scene.trees().map(|(_, tree)| tree.is_stored()).eq([true, false, true]));
        spoken.expect_equal(&spoken.sidecar, trust, "the sidecar itself");
        spoken.expect_true(&scene);
    }
}

#[test]
fn refuses_any_flipped_bit() {
    let spoken = &*SPOKEN;
    let mut spoilt = spoken.sidecar.clone();
    let mut flip = |at: usize, bit: usize| {
        spoilt[at] ^= 1 << bit;
        spoken.expect_no_change(&spoilt, &format!("bit {bit} of byte {at}"));
        spoilt[at] ^= 1 << bit;
    };
    let mut random = Random::new(42);
    let record = spoken.record(0);
    for at in (0..TREES_AT + 24).chain(record..record + 2 * TREE) {
        (0..8).filter(|_| random.one_in(SCALE)).collect::<Vec<_>>().into_iter().for_each(|bit| flip(at, bit));
    }
    // Every page, including its checksum and the ends of the pages with the triangle order.
    for page in 0..spoken.sidecar.len() / PAGE {
        for at in [0, 1, 95, 96, ROOM - 1, ROOM, PAGE - 1] {
            flip(page * PAGE + at, random.below(8));
        }
        for _ in 0..200 / SCALE {
            flip(page * PAGE + random.below(PAGE), random.below(8));
        }
    }
    assert!(spoilt == spoken.sidecar);
}

#[test]
fn survives_pages_found_damaged_late() {
    // Each page is damaged alone, and one query is run at a time. Results from undamaged pages that
    // were read before stay correct.
    let spoken = &*SPOKEN;
    for page in cases::tested(1..spoken.sidecar.len() / PAGE, 8) {
        let mut spoilt = spoken.sidecar.clone();
        spoilt[page * PAGE + 33] ^= 4;
        let sidecar = SidecarCase::sidecar(&spoilt, Trust::Trusted).unwrap();
        let plain = Scene::new(&spoken.flat).unwrap();
        for ray in &spoken.questions.rays {
            let scene = Scene::indexed(&spoken.flat, &sidecar).unwrap();
            assert_eq!(scene.ray(ray), plain.ray(ray), "page {page}: {ray:?}");
            assert_eq!(batch(&scene, &[*ray, *ray]), [plain.ray(ray); 2], "page {page}: {ray:?}");
            let scene = Scene::indexed(&spoken.flat, &sidecar).unwrap();
            assert_eq!(scene.all_hits(ray), plain.all_hits(ray), "page {page}: {ray:?}");
        }
        for (point, limit) in &spoken.questions.points {
            let scene = Scene::indexed(&spoken.flat, &sidecar).unwrap();
            assert_eq!(scene.nearest(*point, *limit), plain.nearest(*point, *limit), "page {page}: {point:?}");
            let scene = Scene::indexed(&spoken.flat, &sidecar).unwrap();
            let (found, expected) = (scene.nearest_n(*point, *limit, 3), plain.nearest_n(*point, *limit, 3));
            assert_eq!(found, expected, "page {page}: {point:?}");
        }
    }
}

#[test]
fn refits_the_tree_that_replaced_a_damaged_tree() {
    let spoken = &*SPOKEN;
    let (plain, ray) = (Scene::new(&spoken.flat).unwrap(), spoken.questions.rays[0]);
    let mut spoilt = spoken.sidecar.clone();
    // Every page of the trees is damaged.
    (1..spoken.record(0) / PAGE).for_each(|page| spoilt[page * PAGE + 33] ^= 4);
    let sidecar = SidecarCase::sidecar(&spoilt, Trust::Trusted).unwrap();
    let scene = Scene::indexed(&spoken.flat, &sidecar).unwrap();
    let surface = scene.trees().find(|(_, tree)| tree.is_stored()).unwrap().0;
    let stored = |scene: &Scene<'_>| scene.trees().find(|(number, _)| *number == surface).unwrap().1.is_stored();
    let reached = plain.bounds();
    assert_eq!(scene.overlapping_box(&reached), plain.overlapping_box(&reached));
    assert_eq!(scene.ray(&ray), plain.ray(&ray));
    assert!(!stored(&scene), "the query has built another tree");
    let refitted = scene.refit(|surface| Ok(spoken.flat.0[surface].triangles())).unwrap();
    let nodes = |scene: &Scene<'_>| scene.trees().map(|(number, tree)| (number, tree.node_count())).collect::<Vec<_>>();
    assert_eq!(nodes(&refitted), nodes(&plain));
    assert_eq!(refitted.overlapping_box(&reached), plain.overlapping_box(&reached));
}

#[test]
fn refuses_any_other_length() {
    let spoken = &*SPOKEN;
    let mut random = Random::new(43);
    let lengths = (0..1000 / SCALE).map(|_| random.below(spoken.sidecar.len())).collect::<Vec<_>>();
    let whole = (0..spoken.sidecar.len()).step_by(PAGE).flat_map(|at| [at, at + 1, at + 4095]);
    for length in lengths.into_iter().chain(whole).filter(|length| *length < spoken.sidecar.len()) {
        let mut cut = spoken.sidecar[..length].to_vec();
        assert!(
            SidecarCase::sidecar(&cut, Trust::Trusted).is_none()
                && SidecarCase::sidecar(&cut, Trust::Untrusted).is_none()
        );
        // A shorter sidecar with correct sizes in its header.
        if length >= PAGE {
            cut[PAGES_AT..PAGES_AT + 8].copy_from_slice(&((length / PAGE) as u64).to_le_bytes());
            cut[PAGES_AT + 8..PAGES_AT + 16].copy_from_slice(&(length as u64).to_le_bytes());
            reseal(&mut cut);
            spoken.expect_survived(cut, &format!("{length} bytes"));
        }
    }
}

#[test]
fn refuses_the_sidecar_of_another_file() {
    // The other file has the same number of triangles in each surface, at other positions.
    let spoken = &*SPOKEN;
    let mut random = Random::new(44);
    let other = Flat(vec![ball(&mut random, 20).shuffled(&mut random), grid(4), grid(34)]);
    let sidecar = other.sidecar(&key());
    assert!(sidecar != spoken.sidecar);
    spoken.expect_survived(sidecar, "of another file");
    spoken.expect_survived(spoken.with_long(STRUCTURE_AT, 7), "another structure");
}

/// Returns edge values for a number.
fn edges(own: u64, length: u64) -> Vec<u64> {
    let ends = [
        0,
        1,
        2,
        7,
        8,
        9,
        41,
        42,
        63,
        64,
        u64::from(u32::MAX),
        u64::from(u32::MAX) << 32,
        1 << 40,
        u64::MAX >> 1,
        u64::MAX,
    ];
    let near = [own.wrapping_add(1), own.wrapping_sub(1), own ^ (1 << 31), own << 3, length, length - 1, length / 4096];
    ends.into_iter().chain(near).collect()
}

#[test]
fn survives_wrong_numbers_of_records() {
    let spoken = &*SPOKEN;
    let length = spoken.sidecar.len() as u64;
    let header = (PAGES_AT..PAGES_AT + 16).step_by(8).chain((TREES_AT..TREES_AT + 24).step_by(8));
    for at in header {
        for value in edges(number(&spoken.sidecar, at), length) {
            spoken.expect_survived(spoken.with_long(at, value), &format!("{value} at {at} of the header"));
        }
    }
    for tree in 0..2 {
        let record = spoken.record(tree);
        for at in [FIRST_PAGE, TREE_PAGES, ORDER_PAGE, NODES] {
            for value in edges(number(&spoken.sidecar, record + at), length) {
                spoken
                    .expect_survived(spoken.with_long(record + at, value), &format!("{value} at {at} of tree {tree}"));
            }
        }
        for at in [0, TRIANGLES, CLUSTER, ROOT, ORDERED] {
            for value in edges(u64::from(word(&spoken.sidecar, record + at)), length) {
                let spoilt = spoken.with(&[(record + at, value as u32)]);
                spoken.expect_survived(spoilt, &format!("{value} at {at} of tree {tree}"));
            }
        }
    }
}

#[test]
fn survives_boxes_around_everything() {
    let spoken = &*SPOKEN;
    let bad = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN, 0.0, 0.5, 3.0, -3.0, 1e18];
    for tree in 0..2 {
        let bounds = spoken.record(tree) + BOUNDS;
        for value in bad {
            for part in 0..6 {
                let spoilt = spoken.with(&[(bounds + 4 * part, value.to_bits())]);
                spoken.expect_survived(spoilt, &format!("{value} at {part} of the box of tree {tree}"));
            }
            let all: Vec<_> = (0..6).map(|part| (bounds + 4 * part, value.to_bits())).collect();
            spoken.expect_survived(spoken.with(&all), &format!("a box of {value}"));
        }
        let inverted: Vec<_> =
            (0..6).map(|part| (bounds + 4 * part, word(&spoken.sidecar, bounds + 4 * ((part + 3) % 6)))).collect();
        spoken.expect_survived(spoken.with(&inverted), "a box the wrong way round");
    }
}

#[test]
fn an_untrusted_tree_of_needlessly_large_boxes_is_not_used() {
    let spoken = &*SPOKEN;
    let stored = |bytes: &[u8]| {
        let sidecar = SidecarCase::sidecar(bytes, Trust::Untrusted).unwrap();
        Scene::indexed(&spoken.flat, &sidecar).unwrap().trees().filter(|(_, tree)| tree.is_stored()).count()
    };
    assert_eq!(stored(&spoken.sidecar), 2);
    for tree in 0..2 {
        // Each child of a node gets the box of the node: all 255 steps of its grid.
        let mut loose = spoken.sidecar.clone();
        for (at, _) in spoken.nodes(tree) {
            for child in spoken.children(at) {
                for axis in 0..3 {
                    (loose[at + LOW + 8 * axis + child.lane], loose[at + HIGH + 8 * axis + child.lane]) = (0, 255);
                }
            }
        }
        reseal(&mut loose);
        assert_eq!(stored(&loose), 1, "tree {tree}");
        spoken.expect_no_change(&loose, "large boxes");
        let bounds = spoken.record(tree) + BOUNDS;
        let wide = spoken.with(&[(bounds, (-1e6_f32).to_bits())]);
        assert_eq!(stored(&wide), 1, "the box of tree {tree}");
        let sidecar = SidecarCase::sidecar(&wide, Trust::Untrusted).unwrap();
        let scene = Scene::indexed(&spoken.flat, &sidecar).unwrap();
        assert_eq!(scene.bounds(), Scene::new(&spoken.flat).unwrap().bounds());
    }
}

#[test]
fn survives_nodes_that_refer_to_themselves() {
    let spoken = &*SPOKEN;
    for tree in 0..2 {
        let nodes = spoken.nodes(tree);
        let (root_at, root) = nodes[0];
        for count in [number(&spoken.sidecar, spoken.record(tree) + NODES), u64::from(u32::MAX), u64::MAX] {
            let with_count = |words: &[(usize, u32)]| {
                let at = spoken.record(tree) + NODES;
                let long = [(at, count as u32), (at + 4, (count >> 32) as u32)];
                spoken.with(&[words, &long].concat())
            };
            // An inner child of some nodes is replaced by the root or by the node itself. Then
            // every inner child is.
            for (at, own) in nodes.iter().step_by(nodes.len().div_ceil(4)) {
                for child in spoken.children(*at).into_iter().filter(|child| !child.is_leaf).take(2) {
                    for target in [root, *own] {
                        spoken.expect_survived(with_count(&[(child.at, target)]), &format!("{child:?} is {target}"));
                    }
                }
            }
            let all = nodes.iter().flat_map(|(at, _)| spoken.children(*at)).filter(|child| !child.is_leaf);
            let words: Vec<_> = all.map(|child| (child.at, root)).collect();
            spoken.expect_survived(with_count(&words), "all are the root");
            // A node whose children are all the node itself: one, two, or eight children.
            for children in [1, 2, 8] {
                let (spoilt, what) =
                    (with_count(&alone(root_at, &vec![root; children])), format!("{children} times itself"));
                spoken.expect_survived(spoilt, &what);
            }
        }
    }
}

/// Replaces the children of a node by these nodes, each with a box around everything.
fn alone(at: usize, children: &[u32]) -> Vec<(usize, u32)> {
    let mut words = wide(at);
    words.extend((0..8).map(|lane| (at + CHILDREN + 4 * lane, children.get(lane).copied().unwrap_or(NO_CHILD))));
    // The exponents, and no leaf flags.
    words.push((at + EXPONENTS, u32::from_le_bytes([10, 10, 10, 0])));
    words
}

/// Enlarges the boxes of all children of a node to contain everything.
fn wide(at: usize) -> Vec<(usize, u32)> {
    let corner = (0..3).map(|axis| (at + 4 * axis, (-1e5_f32).to_bits()));
    let planes = (0..6).map(|word| (at + LOW + 4 * word, 0)).chain((0..6).map(|word| (at + HIGH + 4 * word, u32::MAX)));
    corner.chain(planes).collect()
}

#[test]
fn survives_a_tree_that_grows_eightfold_at_every_level() {
    // Every node has the next node as all of its eight children. The last node has leaves or no
    // children.
    let spoken = &*SPOKEN;
    for tree in 0..2 {
        let record = spoken.record(tree);
        let root = word(&spoken.sidecar, record + ROOT);
        let leaf =
            spoken.nodes(tree).iter().flat_map(|(at, _)| spoken.children(*at)).find(|child| child.is_leaf).unwrap();
        for depth in [2, 12, 25, 30, 41] {
            for (last, leaves) in [(Vec::new(), 0), (vec![leaf.number; 8], 255)] {
                for count in [depth as u64, 1 << 30, u64::MAX] {
                    let first = root & !63;
                    let slot = |level: usize| first | (level as u32 % NODES_OF_PAGE as u32);
                    let mut words = vec![(record + ROOT, slot(0)), (record + NODES, count as u32)];
                    words.push((record + NODES + 4, (count >> 32) as u32));
                    for level in 0..depth {
                        words.extend(alone(spoken.place(tree, slot(level)), &[slot(level + 1); 8]));
                    }
                    let end = spoken.place(tree, slot(depth));
                    words.extend(alone(end, &last));
                    words.push((end + EXPONENTS, u32::from_le_bytes([10, 10, 10, leaves])));
                    spoken.expect_survived(spoken.with(&words), &format!("{depth} deep, {count} nodes, {leaves}"));
                }
            }
        }
    }
}

#[test]
fn survives_chains_deeper_than_any_tree() {
    let spoken = &*SPOKEN;
    for tree in 0..2 {
        let record = spoken.record(tree);
        let root = word(&spoken.sidecar, record + ROOT) & !63;
        let mut words = vec![(record + ROOT, root)];
        for level in 0..41 {
            words.extend(alone(spoken.place(tree, root | level), &[root | (level + 1)]));
        }
        spoken.expect_survived(spoken.with(&words), "41 nodes, one below the other");
    }
}

#[test]
fn survives_children_out_of_range() {
    let spoken = &*SPOKEN;
    let mut random = Random::new(45);
    for tree in 0..2 {
        for (at, own) in spoken.nodes(tree) {
            for child in spoken.children(at) {
                let first = child.number;
                let mut others = vec![0, 1, 7, 8, 41, 42, 63, 64, 65, NO_CHILD, NO_CHILD - 1, 1 << 31, own];
                others.extend([
                    first.wrapping_add(1),
                    first.wrapping_sub(1),
                    first.wrapping_add(8),
                    first.wrapping_sub(8),
                ]);
                others.extend([first ^ 7, first | 7, first & !7, random.next() as u32]);
                for other in others {
                    if random.one_in(SCALE * 3) {
                        spoken.expect_survived(spoken.with(&[(child.at, other)]), &format!("{child:?} is {other}"));
                    }
                }
                // A leaf that is marked as a node, and a node that is marked as a leaf.
                if random.one_in(SCALE) {
                    let mut spoilt = spoken.sidecar.clone();
                    spoilt[at + LEAVES] ^= 1 << child.lane;
                    reseal(&mut spoilt);
                    spoken.expect_survived(spoilt, &format!("{child:?} the other way"));
                }
            }
        }
    }
}

#[test]
fn survives_missing_and_doubled_leaves() {
    let spoken = &*SPOKEN;
    let mut random = Random::new(46);
    for tree in 0..2 {
        let leaves: Vec<Child> = spoken.nodes(tree).iter().flat_map(|(at, _)| spoken.children(*at)).collect();
        let leaves: Vec<Child> = leaves.into_iter().filter(|child| child.is_leaf).collect();
        for _ in 0..300 / SCALE {
            let (one, other) = (random.pick(&leaves), random.pick(&leaves));
            spoken.expect_survived(spoken.with(&[(one.at, NO_CHILD)]), "a leaf left out");
            spoken.expect_survived(spoken.with(&[(one.at, other.number)]), "one leaf twice, another never");
            let swapped = [(one.at, other.number), (other.at, one.number)];
            spoken.expect_survived(spoken.with(&swapped), "leaves in each other's boxes");
        }
        let none: Vec<_> = leaves.iter().map(|leaf| (leaf.at, NO_CHILD)).collect();
        spoken.expect_survived(spoken.with(&none), "no leaf at all");
        let same: Vec<_> = leaves.iter().map(|leaf| (leaf.at, leaves[0].number)).collect();
        spoken.expect_survived(spoken.with(&same), "the same leaf everywhere");
    }
}

#[test]
fn survives_boxes_that_exclude_hits() {
    let spoken = &*SPOKEN;
    let mut random = Random::new(47);
    for tree in 0..2 {
        for (at, _) in spoken.nodes(tree) {
            let corner = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN, 1e5, 0.0];
            for value in corner {
                for axis in 0..3 {
                    if random.one_in(SCALE.div_ceil(2)) {
                        let spoilt = spoken.with(&[(at + 4 * axis, value.to_bits())]);
                        spoken.expect_survived(spoilt, &format!("{value} at a node's corner"));
                    }
                }
            }
            for place in (EXPONENTS..LEAVES).chain(LOW..CHILDREN) {
                for value in [0, 1, 127, 128, 254, 255] {
                    if random.one_in(SCALE * 4) {
                        let mut spoilt = spoken.sidecar.clone();
                        spoilt[at + place] = value;
                        reseal(&mut spoilt);
                        spoken.expect_survived(spoilt, &format!("{value} at {place} of a node"));
                    }
                }
            }
            // Boxes that are larger than necessary are valid.
            let mut words = wide(at);
            words.push((at + EXPONENTS, u32::from_le_bytes([10, 10, 10, spoken.sidecar[at + LEAVES]])));
            spoken.expect_no_change(&spoken.with(&words), "boxes around everything");
            words.push((at + EXPONENTS, u32::from_le_bytes([127, 127, 127, spoken.sidecar[at + LEAVES]])));
            spoken.expect_no_change(&spoken.with(&words), "boxes around more than there is");
        }
    }
}

/// Stores the planes of a flat mesh on grids that no builder writes: with a far origin, which takes
/// the precision of the rays, and with the smallest step.
#[test]
fn survives_grids_that_rays_cannot_test() {
    let spoken = &*SPOKEN;
    let nodes = spoken.nodes(1);
    let grids = [(-1_152_921_504_606_846_976.0_f32, 53_i8, 128, 128), (0.0, -128, 0, 1), (0.0, -121, 1, 1)];
    for (origin, exponent, low, high) in grids {
        let mut spoilt = spoken.sidecar.clone();
        for (at, _) in &nodes {
            spoilt[at + 8..at + 12].copy_from_slice(&origin.to_le_bytes());
            spoilt[at + EXPONENTS + 2] = exponent.to_le_bytes()[0];
            for child in spoken.children(*at) {
                spoilt[at + LOW + 16 + child.lane] = low;
                spoilt[at + HIGH + 16 + child.lane] = high;
            }
        }
        reseal(&mut spoilt);
        let sidecar = SidecarCase::sidecar(&spoilt, Trust::Untrusted).unwrap();
        let (scene, built) = (Scene::indexed(&spoken.flat, &sidecar).unwrap(), Scene::new(&spoken.flat).unwrap());
        let mut random = Random::new(48);
        for _ in 0..200 {
            let mut part = || random.unit() * 34.0;
            let ray = Ray::toward([part(), part(), 3.0], [part(), part(), 0.0]);
            assert_eq!(scene.ray(&ray), built.ray(&ray), "2^{exponent} at {origin}");
        }
    }
}

#[test]
fn survives_wrong_orders_of_triangles() {
    let spoken = &*SPOKEN;
    let mut random = Random::new(48);
    let record = spoken.record(1);
    let order = number(&spoken.sidecar, record + ORDER_PAGE) as usize;
    let place = |at: usize| (order + at / 1022) * PAGE + at % 1022 * 4;
    let mut seen: Vec<u32> = (0..2312).map(|at| word(&spoken.sidecar, place(at))).collect();
    let numbers = seen.clone();
    seen.sort_unstable();
    assert!(seen.into_iter().eq(0..2312), "each triangle once");
    for _ in 0..400 / SCALE {
        let (one, other) = (random.below(2312), random.below(2312));
        for value in [numbers[other], 2312, 2313, u32::MAX, 1 << 31, 0] {
            spoken.expect_survived(spoken.with(&[(place(one), value)]), "another number, or one twice");
        }
        let swapped = [(place(one), numbers[other]), (place(other), numbers[one])];
        spoken.expect_survived(spoken.with(&swapped), "two exchanged");
    }
    let all: Vec<_> = (0..2312).map(|at| (place(at), 5)).collect();
    spoken.expect_survived(spoken.with(&all), "the same everywhere");
    let backwards: Vec<_> = (0..2312).map(|at| (place(at), numbers[2311 - at])).collect();
    spoken.expect_survived(spoken.with(&backwards), "backwards");
    // A triangle order for the tree without one, and none for the tree that has one.
    let with_order = [(spoken.record(0) + ORDERED, 1600), (spoken.record(0) + ORDER_PAGE, order as u32)];
    spoken.expect_survived(spoken.with(&with_order), "an order too many");
    spoken.expect_survived(spoken.with(&[(record + ORDERED, 0)]), "an order too few");
    // The records of two trees are exchanged.
    let mut spoilt = spoken.sidecar.clone();
    spoilt.copy_within(record + 8..record + TREE, spoken.record(0) + 8);
    reseal(&mut spoilt);
    spoken.expect_survived(spoilt, "the other tree's nodes");
    let both = [(record, 0), (record + TRIANGLES, 1600)];
    spoken.expect_survived(spoken.with(&both), "two trees of one surface");
}

#[test]
fn survives_random_damage() {
    let spoken = &*SPOKEN;
    let mut random = Random::new(49);
    for _ in 0..6000 / SCALE {
        let mut spoilt = spoken.sidecar.clone();
        for _ in 0..=random.below(4) {
            let at = match random.below(3) {
                0 => spoken.record(random.below(2)) + random.below(TREE),
                1 => PAGES_AT + random.below(TREES_AT + 24 - PAGES_AT),
                _ => random.within(PAGE..spoilt.len()),
            };
            spoilt[at] = random.next().to_le_bytes()[2];
        }
        reseal(&mut spoilt);
        spoken.expect_survived(spoilt, "chance");
    }
}

/// The start of a sidecar: its version, its key and the hash of the header of its mesh.
const KEY_AND_STRUCTURE: std::ops::Range<usize> = 0..PAGES_AT;

/// Makes a sidecar whose trees are cycles: every node has eight nodes of the tree as its children,
/// each with a box around everything.
///
/// The first number of a record is its surface. The range contains the pages of its tree, counted
/// from the first page of nodes.
fn cyclic(flat: &Flat, records: &[(u32, std::ops::Range<usize>)], triangles: u32) -> Vec<u8> {
    let node_pages = records.iter().map(|(_, pages)| pages.end).max().unwrap_or_default();
    let record_page = 1 + node_pages;
    let per_page = ROOM / TREE;
    let pages = record_page + records.len().div_ceil(per_page);
    let mut forged = vec![0; pages * PAGE];
    forged[KEY_AND_STRUCTURE].copy_from_slice(&flat.sidecar(&key())[KEY_AND_STRUCTURE]);
    let mut put = |at: usize, number: u64, width: usize| {
        forged[at..at + width].copy_from_slice(&number.to_le_bytes()[..width]);
    };
    put(PAGES_AT, pages as u64, 8);
    put(PAGES_AT + 8, (pages * PAGE) as u64, 8);
    put(TREES_AT, records.len() as u64, 8);
    put(TREES_AT + 8, record_page as u64, 8);
    put(TREES_AT + 16, TREE as u64, 4);
    for (number, (surface, pages)) in records.iter().enumerate() {
        let at = (record_page + number / per_page) * PAGE + number % per_page * TREE;
        put(at, u64::from(*surface), 4);
        put(at + TRIANGLES, u64::from(triangles), 4);
        put(at + CLUSTER, 1, 4);
        put(at + FIRST_PAGE, 1 + pages.start as u64, 8);
        put(at + TREE_PAGES, pages.len() as u64, 8);
        put(at + ORDER_PAGE, 1 + pages.end as u64, 8);
        put(at + NODES, u64::MAX, 8);
        for part in 0..6 {
            put(at + BOUNDS + 4 * part, u64::from([-1e5_f32, 1e5][part / 3].to_bits()), 4);
        }
    }
    for page in 1..=node_pages {
        for slot in 0..NODES_OF_PAGE {
            let children: Vec<u32> = (0..8).map(|lane| ((slot as u32 + lane + 1) % 42) | (lane % 2) << 6).collect();
            let words = alone(page * PAGE + slot * NODE, &children);
            for (at, word) in words {
                put(at, u64::from(word), 4);
            }
        }
    }
    reseal(&mut forged);
    forged
}

#[test]
fn checking_an_untrusted_sidecar_costs_no_more_than_building_its_trees() {
    const SURFACES: u32 = 40;
    let flat = Flat(vec![grid(23); SURFACES as usize]);
    let triangles = flat.0[0].len() as u32;
    let start = Stopwatch::start();
    let plain = Scene::new(&flat).unwrap();
    let built = start.elapsed();
    let ray = Ray::new([3.2, 3.3, 9.0], [0.1, 0.0, -1.0]);
    let one_tree = (0..SURFACES).map(|surface| (surface, 0..600)).collect::<Vec<_>>();
    let backwards = one_tree.iter().rev().cloned().collect();
    let overlapping = (0..SURFACES).map(|surface| (surface, surface as usize..600 + surface as usize)).collect();
    let apart = (0..SURFACES).map(|surface| (surface, surface as usize * 15..surface as usize * 15 + 15)).collect();
    let records: [(&str, Vec<_>); 4] =
        [("one tree", one_tree), ("backwards", backwards), ("overlapping", overlapping), ("apart", apart)];
    for (name, records) in records {
        let forged = cyclic(&flat, &records, triangles);
        let untrusted = || {
            let sidecar = SidecarCase::sidecar(&forged, Trust::Untrusted).unwrap();
            let start = Stopwatch::start();
            let scene = Scene::indexed(&flat, &sidecar).unwrap();
            let taken = start.elapsed();
            assert!(scene.trees().all(|(_, tree)| !tree.is_stored()), "{name}");
            assert_eq!(scene.all_hits(&ray), plain.all_hits(&ray), "{name}");
            taken
        };
        expect_time(name, built * 3 + Duration::from_millis(20), untrusted);
        // With trust, the first query finds the damage, and visits at most one node per triangle.
        let trusted = || {
            let sidecar = SidecarCase::sidecar(&forged, Trust::Trusted).unwrap();
            let start = Stopwatch::start();
            let scene = Scene::indexed(&flat, &sidecar).unwrap();
            assert_eq!(scene.all_hits(&ray), plain.all_hits(&ray), "{name}");
            start.elapsed()
        };
        expect_time(&format!("{name}, trusted"), built * 5 + Duration::from_millis(50), trusted);
    }
}

/// Asserts that the fastest of a few runs takes at most the time `most`. A busy machine slows some.
fn expect_time(what: &str, most: Duration, mut run: impl FnMut() -> Duration) {
    let mut least = run();
    for _ in 0..4 {
        if least > most {
            least = least.min(run());
        }
    }
    assert!(least <= most, "{what}: {least:?}, expected at most {most:?}");
}

#[test]
fn a_stored_tree_of_a_small_surface_is_ignored() {
    let flat = Flat(vec![grid(4), Shape::default()]);
    let records = [(0, 0..1), (1, 1..2)];
    for triangles in [0, 32] {
        let forged = cyclic(&flat, &records, triangles);
        for trust in [Trust::Trusted, Trust::Untrusted] {
            let sidecar = SidecarCase::sidecar(&forged, trust).unwrap();
            let scene = Scene::indexed(&flat, &sidecar).unwrap();
            assert!(scene.trees().all(|(_, tree)| !tree.is_stored()), "{trust:?}");
        }
    }
}

#[test]
fn trees_on_the_pages_of_another_tree_are_not_used() {
    let spoken = &*SPOKEN;
    let sidecar = SidecarCase::sidecar(&spoken.sidecar, Trust::Untrusted).unwrap();
    let stored = |sidecar: &Arc<Sidecar>| {
        Scene::indexed(&spoken.flat, sidecar).unwrap().trees().filter(|(_, tree)| tree.is_stored()).count()
    };
    assert_eq!(stored(&sidecar), 2);
    // The first tree claims one page more than it has, which is a page of the second tree.
    let record = spoken.record(0);
    let pages = number(&spoken.sidecar, record + TREE_PAGES) + 1;
    let end = number(&spoken.sidecar, record + FIRST_PAGE) + pages;
    let words = [(record + TREE_PAGES, pages as u32), (record + ORDER_PAGE, end as u32)];
    let spoilt = spoken.with(&words);
    assert_eq!(stored(&SidecarCase::sidecar(&spoilt, Trust::Untrusted).unwrap()), 0);
    spoken.expect_no_change(&spoilt, "a page of two trees");
}

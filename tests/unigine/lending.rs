//! Tests of surfaces that a mesh lends: they equal the surfaces that the mesh keeps, and free the
//! inflated blocks.

use std::io;
use std::sync::{Arc, Barrier};
use std::thread;

use crate::support::unigine::builder;
use meshpeek::decode::Influence;
use meshpeek::model::SurfaceArrays;
use meshpeek::query::{Ray, Scene, write_sidecar};
use meshpeek::sidecar::{Builder, Sidecar, Trust};
use meshpeek::unigine::{Generation, InflateBuffer, InflatedSurface, Mesh};
use meshpeek::{Array as _, ErrorKind, FormatVersion as _, Geometry, Surface};

use crate::counting::{grids, raw_size};
use crate::support::allocations::{allocations, most_held, refuse_each, still_held};
use crate::support::invariants::expect_same_surface;
use crate::support::no_such;
use crate::support::sidecar::key;
use crate::support::unigine::{bytes, grid, samples, spoil};

/// Bytes that a lent surface may hold in addition to the inflated blocks.
const SMALL: u64 = 512;
#[test]
fn an_inflated_surface_is_the_surface() {
    for sample in samples() {
        let whole = sample.mesh.to_bytes().unwrap();
        let [kept, mesh] = [0, 1].map(|_| Mesh::open(whole.as_slice()).unwrap());
        let mut buffer = InflateBuffer::default();
        for index in 0..mesh.surface_count() {
            let surface = Surface::new(&kept, index).unwrap();
            let geometry: &dyn Geometry = &mesh;
            expect_same_surface(&geometry.lend(index).unwrap().surface(), &surface);
            let in_buffer = mesh.lend_in(index, &mut buffer).unwrap();
            expect_same_surface(&Surface::new(&in_buffer, index).unwrap(), &surface);
            drop(in_buffer);
            expect_same_surface(&Surface::new(&kept.lend(index).unwrap(), index).unwrap(), &surface);
            let lent = mesh.lend(index).unwrap();
            let geometry: &dyn Geometry = &lent;
            expect_same_surface(&geometry.lend(index).unwrap().surface(), &surface);
            assert_eq!((lent.index(), lent.surface_count().unwrap()), (index, mesh.surface_count()));
            assert_eq!((lent.format(), lent.version()), (mesh.format(), mesh.version()));
            assert_eq!(lent.view().unwrap().lightmap(), mesh.lightmap(index).unwrap());
            let fault = |geometry: &dyn Geometry, index| geometry.fault(index, "indices", 2, no_such(0, 0));
            assert_eq!(fault(&lent, index).to_string(), fault(&kept, index).to_string());
            let other = mesh.surface_count() - 1 - index;
            let names =
                [Surface::new(&lent, other), Surface::new(&kept, other)].map(|one| one.unwrap().name().unwrap());
            assert_eq!(names[0], names[1]);
        }
        assert_eq!(mesh.inflated_bytes(), 0, "{}", sample.stem);
        for beyond in [mesh.surface_count(), usize::MAX] {
            let geometry: &dyn Geometry = &mesh;
            let errors = [mesh.lend(beyond).map(drop), geometry.lend(beyond).map(drop)];
            for error in errors.into_iter().chain([mesh.lend_in(beyond, &mut buffer).map(drop)]) {
                assert!(error.unwrap_err().kind() == ErrorKind::NoSuch, "{}", sample.stem);
            }
        }
    }
}

#[test]
fn an_inflated_surface_frees_what_it_inflates() {
    for generation in [Generation::Ms14, Generation::Ms15] {
        let whole = grids(generation);
        let mesh = Mesh::open(whole.as_slice()).unwrap();
        // A few bytes about each block are allocated once.
        (0..3).for_each(|index| drop(mesh.lend(index).unwrap()));
        let largest = (0..3).map(|index| raw_size(&mesh, index)).max().unwrap();
        let read = |index| {
            let geometry: &dyn Geometry = &mesh;
            let lent = geometry.lend(index).unwrap();
            let surface = lent.surface();
            assert_eq!(surface.positions().unwrap().bounds(), surface.bounds().unwrap());
            surface.normals().unwrap().unwrap().for_each(|_| {});
        };
        let (((), left), peak) = most_held(|| still_held(|| (0..3).for_each(read)));
        assert!((largest..largest + SMALL).contains(&peak), "{peak} bytes for a block of {largest}");
        assert_eq!((left, mesh.inflated_bytes()), (0, 0));
    }
}

/// The spatial tree and the index of the weights belong to the lent surface, too.
#[test]
fn an_inflated_surface_frees_its_tree_and_its_weights() {
    let mut skin = grid("skin", 60, false);
    skin.weights = vec![vec![Influence { bone: 0, weight: 1.0 }]; 61 * 61];
    let bones = vec![builder::Bone { parent: -1, ..builder::Bone::default() }];
    let whole = builder::Mesh { bones, surfaces: vec![skin], ..builder::Mesh::new(Generation::Ms14) };
    let whole = whole.to_bytes().unwrap();
    let mesh = Mesh::open(whole.as_slice()).unwrap();
    drop(mesh.lend(0).unwrap());
    let read = || {
        let lent = mesh.lend(0).unwrap();
        let before = lent.inflated_bytes();
        let weights = lent.weights(0).unwrap().unwrap();
        let (count, index) = still_held(|| weights.get(3000).unwrap().len());
        assert_eq!(
            (count, index),
            (1, (61_i64 * 61 + 63) / 64 * 40 + (61 * 61 + 1) * 4 + 32),
            "4.625 bytes per vertex"
        );
        let (nodes, tree) = still_held(|| lent.tree().unwrap().unwrap().nodes().len());
        assert!(nodes > 1000 && lent.inflated_bytes() - before > nodes as u64 * 20);
        assert!(tree.unsigned_abs().abs_diff(lent.inflated_bytes() - before) < SMALL, "{tree} bytes");
        assert_eq!(allocations(|| lent.tree().unwrap()), 0);
    };
    assert_eq!(still_held(read), ((), 0));
    // If the mesh keeps the tree, a lent surface borrows it.
    let kept = mesh.tree(0).unwrap().unwrap().edges().as_ptr();
    assert_eq!(mesh.lend(0).unwrap().tree().unwrap().unwrap().edges().as_ptr(), kept);
}

#[test]
fn a_buffer_is_lent_again_without_allocating() {
    let whole = grids(Generation::Ms15);
    let mesh = Mesh::open(whole.as_slice()).unwrap();
    let mut buffer = InflateBuffer::default();
    drop(mesh.lend_in(1, &mut buffer).unwrap());
    for index in [0, 1, 2, 1] {
        let read = || mesh.lend_in(index, &mut buffer).unwrap().positions(index, 0).unwrap().len();
        assert_eq!(allocations(read), 0, "surface {index}");
    }
    assert_eq!(mesh.lend_in(1, &mut buffer).unwrap().inflated_bytes(), 0);
    // A block that is stored uncompressed is borrowed from the file.
    let raw = bytes("cube_ms14_raw");
    let mesh = Mesh::open(raw.as_slice()).unwrap();
    let lent = mesh.lend(0).unwrap();
    assert_eq!(lent.inflated_bytes(), 0);
    assert!(raw.as_ptr_range().contains(&lent.positions(0, 0).unwrap().as_bytes().as_ptr()));
}

fn start(lent: &InflatedSurface<'_>) -> *const u8 {
    lent.positions(lent.index(), 0).unwrap().as_bytes().as_ptr()
}

#[test]
fn several_holders_share_a_block() {
    fn expect_shareable<T: Send + Sync>(_: &T) {}
    let whole = grids(Generation::Ms14);
    let mesh = Mesh::open(whole.as_slice()).unwrap();
    let first = mesh.lend(1).unwrap();
    expect_shareable(&first);
    let second = mesh.lend(1).unwrap();
    assert_eq!(start(&first), start(&second));
    let expected = first.positions(1, 0).unwrap().bounds();
    drop(first);
    assert_eq!(second.positions(1, 0).unwrap().bounds(), expected, "the last holder frees the block");
    // A surface that the mesh keeps is borrowed from the mesh.
    let kept = mesh.surface(1).unwrap().positions().unwrap().as_bytes().as_ptr();
    let third = mesh.lend(1).unwrap();
    assert_eq!((start(&third), third.inflated_bytes()), (kept, 0));
    assert_eq!(mesh.inflated_bytes(), raw_size(&mesh, 1));
}

#[test]
fn threads_that_lend_at_once_inflate_once() {
    let whole = grids(Generation::Ms14);
    let mesh = Mesh::open(whole.as_slice()).unwrap();
    let (lending, reading) = (Barrier::new(4), Barrier::new(4));
    let work = |_| {
        lending.wait();
        let (lent, held) = still_held(|| mesh.lend(1).unwrap());
        let place = start(&lent) as usize;
        reading.wait();
        (place, held)
    };
    let results: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|number| scope.spawn(move || work(number))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(results.iter().all(|(place, _)| *place == results[0].0), "{results:?}");
    let inflated = results.iter().filter(|(_, held)| held.unsigned_abs() >= raw_size(&mesh, 1)).count();
    assert_eq!(inflated, 1, "{results:?}");
}

#[test]
fn an_inflated_surface_is_queried_and_welded() {
    let whole = bytes("room_ms14");
    let [kept, mesh] = [0, 1].map(|_| Mesh::open(whole.as_slice()).unwrap());
    let all = Scene::new(&kept).unwrap();
    let ray = Ray::toward([0.3, 0.2, 9.0], [0.3, 0.2, -9.0]);
    let mut nearest = f32::INFINITY;
    for index in 0..mesh.surface_count() {
        let lent = mesh.lend(index).unwrap();
        let surface = Surface::new(&lent, index).unwrap();
        let hit = Scene::from_surfaces([surface], None).unwrap().ray(&ray);
        assert!(hit.is_none_or(|hit| hit.surface == index));
        nearest = nearest.min(hit.map_or(f32::INFINITY, |hit| hit.t));
        assert_eq!(surface.weld().unwrap(), Surface::new(&kept, index).unwrap().weld().unwrap());
    }
    assert_eq!(all.ray(&ray).map(|hit| hit.t), Some(nearest));
}

/// A sidecar is written without keeping a surface, and a lent surface uses its own tree of it.
#[test]
fn a_sidecar_has_the_trees_of_inflated_surfaces() {
    let mut low = grid("low", 40, false);
    low.targets[0].positions.iter_mut().for_each(|position| position[2] -= 5.0);
    let surfaces = vec![grid("high", 40, false), low, grid("small", 4, false)];
    let whole = builder::Mesh { surfaces, ..builder::Mesh::new(Generation::Ms14) }.to_bytes().unwrap();
    let mesh = Mesh::open(whole.as_slice()).unwrap();
    let mut out = io::Cursor::new(Vec::new());
    write_sidecar(&mut Builder::default(), &mesh, &key(), &mut out).unwrap();
    assert_eq!(mesh.inflated_bytes(), 0);
    for trust in [Trust::Trusted, Trust::Untrusted] {
        let sidecar = Arc::new(Sidecar::open(out.get_ref().clone(), &key(), trust).unwrap());
        for (index, height) in [(0, 0.0_f32), (1, -5.0)] {
            let geometry: &dyn Geometry = &mesh;
            let lent = geometry.lend(index).unwrap();
            let scene = Scene::from_surfaces([lent.surface()], Some(&sidecar)).unwrap();
            assert!(scene.trees().next().unwrap().1.is_stored());
            let hit = scene.ray(&Ray::toward([0.1, 0.2, 9.0], [0.1, 0.2, -9.0])).unwrap();
            assert!((hit.point[2] - height).abs() < 0.2, "{hit:?}");
        }
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn a_damaged_block_gives_the_same_error_however_it_is_read() {
    let whole = grids(Generation::Ms14);
    let place = Mesh::open(whole.as_slice()).unwrap().blocks(1).unwrap().unwrap()[0];
    let first = usize::try_from(place.start()).unwrap();
    let last = usize::try_from(place.end()).unwrap() - 1;
    for at in (first..first + 40).chain(last - 40..=last) {
        let mut spoilt = whole.clone();
        spoilt[at] ^= 0x5a;
        let [kept, mesh] = [0, 1].map(|_| Mesh::open(spoilt.as_slice()).unwrap());
        let expected = kept.surface(1).and_then(|view| view.counts()).map_err(|error| error.to_string());
        let told = [SurfaceArrays::counts(&mesh, 1), mesh.lend(1).and_then(|lent| lent.counts(1))];
        assert_eq!(told.map(|told| told.map_err(|error| error.to_string())), [expected.clone(), expected]);
        assert_eq!(mesh.inflated_bytes(), 0);
        assert_eq!(SurfaceArrays::counts(&mesh, 2).unwrap(), kept.surface(2).unwrap().counts().unwrap());
    }
    let spoilt = spoil(&bytes("cube_ms14"), "surface[0].geometry.sizes", &[0xff; 16]);
    let mesh = Mesh::open(spoilt.as_slice()).unwrap();
    let errors = [SurfaceArrays::counts(&mesh, 0).map(drop), mesh.lend(0).map(drop), mesh.surface(0).map(drop)];
    for error in errors {
        assert_eq!(error.unwrap_err().field().to_string(), "surface[0].geometry.sizes");
    }
}

/// The documentation of `Mesh` states the number of bytes, of 64-bit systems.
#[test]
fn an_open_mesh_holds_200_bytes_for_a_surface() {
    let expected = if cfg!(target_pointer_width = "64") { 200 } else { 140 };
    let held = |count: usize| {
        let surfaces = vec![grid("one", 2, false); count];
        let whole = builder::Mesh { surfaces, ..builder::Mesh::new(Generation::Ms14) }.to_bytes().unwrap();
        still_held(|| Mesh::open(whole.as_slice()).unwrap()).1
    };
    assert_eq!(held(9) - held(8), expected);
}

#[test]
fn memory_that_is_refused_is_an_error() {
    let whole = grids(Generation::Ms14);
    let meshes: Vec<_> = (0..8).map(|_| Mesh::open(whole.as_slice()).unwrap()).collect();
    let mut next = meshes.iter();
    let lend = || {
        let lent = next.next().unwrap().lend(0)?;
        lent.tree().map(drop)
    };
    assert_eq!(refuse_each("lend", lend), 4, "the geometry, and the block and two lists of the tree");
}

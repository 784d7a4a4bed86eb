//! Tests that an allocation that fails becomes an error.
//!
//! [`refuse_each`] refuses each large allocation once. A number in a test is the least number of
//! large allocations.

use std::io::Cursor;

use crate::support::unigine::builder;
use meshpeek::query::{Scene, write_sidecar};
use meshpeek::sidecar::Builder;
use meshpeek::unigine::Generation;
use meshpeek::{MeshFile as _, Model, Severity, secondlife, unigine};

use crate::support::allocations::refuse_each;
use crate::support::sidecar::key;
use crate::support::unigine::grid;

/// Returns a mesh of three surfaces, two of them with a tree.
fn grids() -> Vec<u8> {
    let mut mesh = builder::Mesh::new(Generation::Ms12);
    mesh.surfaces = vec![grid("large", 40, true), grid("small", 2, true), grid("other", 30, true)];
    mesh.to_bytes().unwrap()
}

#[test]
fn of_a_scene() {
    let bytes = grids();
    let mesh = unigine::Mesh::open(bytes.as_slice()).unwrap();
    let scene = Scene::new(&mesh).unwrap();
    let refit = || scene.refit(|surface| Ok(*scene.triangles(surface).unwrap())).map(drop);
    assert!(refuse_each("new", || Scene::new(&mesh).map(drop)) >= 20);
    assert!(refuse_each("refit", refit) >= 1);
}

#[test]
fn of_a_sidecar() {
    let bytes = grids();
    let mesh = unigine::Mesh::open(bytes.as_slice()).unwrap();
    let mut room = vec![0; 1 << 20];
    let room = std::cell::RefCell::new(Cursor::new(room.as_mut_slice()));
    let write = || {
        let mut builder = Builder::default();
        mesh.index(&mut builder)?;
        room.borrow_mut().set_position(0);
        write_sidecar(&mut builder, &mesh, &key(), &mut *room.borrow_mut())
    };
    assert!(refuse_each("write", write) >= 20);
}

#[test]
fn of_validation() {
    let bytes = grids();
    let mesh = unigine::Mesh::open(bytes.as_slice()).unwrap();
    let mut findings = 0;
    let validate = || mesh.validate(&mut |_| ());
    refuse_each("check", || mesh.check());
    assert!(refuse_each("validate", validate) >= 1);
    // The grids are flat, which is reported for each as information.
    mesh.validate(&mut |finding| findings += u32::from(finding.severity > Severity::Info)).unwrap();
    assert_eq!(findings, 0);
}

/// Inflating a block is left out: the decompressor allocates its own state, and panics without it.
#[test]
fn of_a_second_life_asset() {
    let bytes = std::fs::read("data/secondlife/grid.llmesh").unwrap();
    refuse_each("open", || secondlife::Mesh::open(bytes.as_slice()).map(drop));
    refuse_each("model", || Model::open(bytes.as_slice()).map(drop));
}

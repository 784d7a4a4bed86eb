//! Compares welding a surface whose two index streams are equal with welding the same triangles
//! with two different streams. If each attribute vertex belongs to one position, a table suffices,
//! and otherwise the corners are sorted.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a panic is how a bench fails"
)]

mod support;

use support::{claims, inputs};

use crate::support::unigine_builder as builder;
use meshpeek::Surface;
use meshpeek::model::Welded;
use meshpeek::unigine::Mesh;
use support::claims::{Bar, Contestant, claim};

/// The number of quads along one side of the surface, which has about 64,000 vertices.
const SIDE: u32 = 252;

fn main() {
    let mut mesh = inputs::mesh(1, if claims::testing() { 12 } else { SIDE }, false);
    let surface = &mut mesh.surfaces[0];
    let vertices = surface.targets[0].positions.len();
    surface.targets[0].frames.truncate(vertices);
    surface.uvs[0].truncate(vertices);
    surface.attribute_indices.clone_from(&surface.indices);
    let equal = open(&mesh);
    // The attribute vertices are in reverse order, so each corner has two different indices.
    let last = u32::try_from(vertices - 1).unwrap();
    mesh.surfaces[0].attribute_indices.iter_mut().for_each(|index| *index = last - *index);
    let different = open(&mesh);
    // Two neighbouring positions share an attribute vertex.
    mesh.surfaces[0].attribute_indices.iter_mut().for_each(|index| *index /= 2);
    let shared = open(&mesh);

    let mut criterion = claims::criterion();
    let contestants = [
        contestant("shared attributes", &shared),
        contestant("different streams", &different),
        contestant("equal streams", &equal),
    ];
    claims::compare(&mut criterion, "weld", "one surface", &contestants);
    criterion.final_summary();
    claims::title(&format!("weld a surface of {vertices} vertices"));
    let [shared, different, equal] = claims::race(41, &contestants);
    claim("shared attributes, a sort", shared.times(1e3), "ms", Bar::None);
    claim("different streams, a table", different.times(1e3), "ms", Bar::None);
    claim("equal streams, a table", equal.times(1e3), "ms", Bar::None);
    claim("shared / equal", shared.over(&equal), "times", Bar::AtLeast(4.0));
    claim("shared / different", shared.over(&different), "times", Bar::AtLeast(2.0));
}

fn open(mesh: &builder::Mesh) -> Mesh<Vec<u8>> {
    Mesh::open(mesh.to_bytes().unwrap()).unwrap()
}

/// Returns a contestant that welds the only surface of a mesh. Its answer is the index stream of
/// the welded surface, which does not depend on the order of the attribute vertices.
fn contestant<'a>(name: &'static str, mesh: &'a Mesh<Vec<u8>>) -> Contestant<'a, Vec<u32>> {
    let weld = || Surface::new(mesh, 0).unwrap().weld().unwrap();
    Contestant::asked(name, weld, |welded: &Welded| welded.indices.clone())
}

//! Measures how many triangles one thread draws in a second, from the bytes of a mesh of a million
//! triangles to a picture with four samples for each pixel. Decoding the mesh is included. A read
//! of all bytes of the mesh is measured in turn, to compare machines.
#![allow(
    clippy::unwrap_used,
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::cast_precision_loss,
    reason = "a panic is how a bench fails"
)]

mod support;

use support::{claims, inputs, machine_limit};

use meshpeek::Model;
use meshpeek::render::{MeshPicture, PictureOptions, SceneInput, draw};
use support::claims::{Bar, Contestant, claim};

/// The number of quads along one side of the mesh, and of the mesh for tests.
const SIDE: u32 = 708;
const SMALL: u32 = 32;
/// The sides of the pictures, and the least rates in millions of triangles per second.
const PICTURES: [(u32, Bar); 3] = [(256, Bar::None), (512, Bar::AtLeast(15.0)), (1024, Bar::None)];
const ROUNDS: usize = 15;

fn main() {
    let mesh = inputs::mesh(1, if claims::testing() { SMALL } else { SIDE }, false);
    let bytes = mesh.to_bytes().unwrap();
    let mut criterion = claims::criterion();
    for (side, _) in PICTURES {
        let picture = Contestant::new("draw", || (drawn(&bytes, side).triangles, ()));
        claims::compare(&mut criterion, "a picture", &format!("{side} x {side}"), &[picture]);
    }
    criterion.final_summary();
    for (side, bar) in PICTURES {
        measure(&bytes, side, bar);
    }
}

fn measure(bytes: &[u8], side: u32, bar: Bar) {
    let triangles = drawn(bytes, side).triangles as f64;
    claims::title(&format!("a picture of {side} x {side}, {triangles} triangles, one thread"));
    let contestants = [
        Contestant::asked("draw", || drawn(bytes, side), |_| ()),
        Contestant::asked("read", || machine_limit::plain_read(bytes), |_| ()),
    ];
    let [draw, read] = claims::race(ROUNDS, &contestants);
    claim("triangles", draw.rate(triangles / 1e6), "million per second", bar);
    claim("drawing / reading the bytes", draw.over(&read), "times", Bar::None);
}

fn drawn(bytes: &[u8], side: u32) -> MeshPicture {
    let model = Model::open(bytes).unwrap();
    let drawn = draw(&SceneInput::new(&model), &PictureOptions::default().with_size([side, side])).unwrap();

    assert_eq!(drawn.left_out_triangles(), 0);
    drawn
}

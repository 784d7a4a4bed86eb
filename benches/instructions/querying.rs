//! Building a tree, and queries with it.

use std::sync::Arc;

use meshpeek::decode::MinMax16;
use meshpeek::model::{PositionEncoding, Positions};
use meshpeek::query::{Ray, Scene, Tree, Triangles, interleave};
use meshpeek::unigine::Mesh;
use meshpeek::{Array, Packed, Surface};

use super::callgrind::{Kernel, keep, lend};
use crate::support::inputs;

/// The number of quads along one side of the surface.
const SIDE: u32 = 140;
/// The number of questions in the shorter of two runs.
const ASKED: usize = 4000;
/// The interval of the 16-bit codes, which contains all queried positions.
const DOMAIN: [[f32; 3]; 2] = [[-1.0; 3], [1.0; 3]];

pub fn kernels() -> Vec<Kernel> {
    let mesh = lend(Mesh::open(inputs::mesh(1, SIDE, false).to_bytes().unwrap()).unwrap());
    let surface = Surface::new(mesh, 0).unwrap();
    let floats = Triangles::new(&surface).unwrap();
    let decoder = MinMax16::new(DOMAIN[0], DOMAIN[1]);
    let mut codes = Vec::new();
    surface.positions().unwrap().for_each(|position| codes.push(decoder.encode(position)));
    let codes = Positions(PositionEncoding::MinMax16(Packed::new(lend(codes), decoder)));
    let quantized = Triangles::with_positions(&surface, codes).unwrap();
    let [scene, scene16] = [floats, quantized].map(|triangles| {
        let mut scene = Scene::empty();
        scene.add(0, triangles, Arc::new(Tree::new(&triangles).unwrap()));
        lend(scene)
    });
    let rays = lend((0..2 * ASKED as u32).map(ray).collect::<Vec<_>>()).as_slice();
    let count = floats.len() as usize;
    vec![
        // One tree is built, and two in the longer run.
        Kernel::new("tree, each triangle", count, move |items| {
            (0..items / count).for_each(|_| keep(Tree::new(&floats)));
        }),
        Kernel::new("ray, float triples", ASKED, move |items| {
            rays[..items].iter().for_each(|ray| keep(scene.ray(ray)));
        }),
        Kernel::new("ray, u16 positions", ASKED, move |items| {
            rays[..items].iter().for_each(|ray| keep(scene16.ray(ray)));
        }),
        Kernel::new("ray, interleaved with others", ASKED, move |items| {
            let mut hits = Vec::with_capacity(items);
            interleave(scene, &rays[..items], &mut hits);
            keep(hits);
        }),
        Kernel::new("nearest point, float triples", ASKED, move |items| {
            rays[..items].iter().for_each(|ray| keep(scene.nearest(ray.at(0.9).map(|part| part as f32), 9.0)));
        }),
    ]
}

/// Returns a pseudo-random ray from above to a point on the surface.
fn ray(number: u32) -> Ray {
    let at = |number: u32| (inputs::random(number) % 2000) as f32 / 1000.0 - 1.0;
    let [x, y, to_x, to_y] = [0, 1, 2, 3].map(|part| at(number * 4 + part));
    Ray::toward([x, y, 3.0], [to_x, to_y, 0.0])
}

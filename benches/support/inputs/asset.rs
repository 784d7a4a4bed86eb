//! Second Life assets of about 7,000 vertices in three submeshes, with the same kinds of data as
//! real assets of that size: four levels of detail, normals, texture coordinates, and hulls. The
//! lower levels have a fifth, a twentieth and a sixtieth of the vertices. The skinned variant also
//! has a skin, and one to four weights on each vertex.
//!
//! A submesh is a bumpy grid. The bumps are irregular, which makes the blocks as hard to compress
//! as those of real meshes.

use meshpeek::Decode as _;
use meshpeek::decode::{Influence, MinMax16};
use meshpeek::secondlife::Matrix;
use zerocopy::little_endian::U16;

use crate::support::secondlife_builder::{Asset, Convex, Joint, Level, Skin, Submesh};

/// The number of submeshes of each level.
const SUBMESHES: u32 = 3;
/// The number of vertices along a side of the grid of each submesh, the most detailed level first.
const SIDES: [u32; 4] = [48, 22, 11, 6];
/// The divisor of the sides if the bench runs as a test.
const SMALL: u32 = 3;
/// The number of joints of the skinned variant.
const JOINTS: u32 = 22;
/// The number of points of the bounding hull, and of each of the other hulls.
const HULL: u32 = 37;
/// The number of hulls besides the bounding hull.
const HULLS: u8 = 4;
/// The bounding box of all positions.
const BOX: [[f32; 3]; 2] = [[-0.5, -0.5, -0.25], [0.5, 0.5, 0.25]];

/// Returns an asset, or a small one if the bench runs as a test.
pub fn asset(skinned: bool) -> Vec<u8> {
    asset_of(skinned, if crate::support::claims::testing() { SMALL } else { 1 })
}

/// Returns an asset whose sides are divided by `divisor`.
pub fn asset_of(skinned: bool, divisor: u32) -> Vec<u8> {
    let [high, medium, low, lowest] = SIDES.map(|side| level(side.div_ceil(divisor).max(2), skinned));
    let [medium, low, lowest] = [medium, low, lowest].map(Some);
    let skin = skinned.then(skin);
    Asset { high, medium, low, lowest, convex: Some(convex()), skin, ..Asset::default() }.to_bytes().unwrap()
}

/// Returns the number of vertices of the most detailed level.
pub fn vertices() -> u32 {
    let side = SIDES[0];
    SUBMESHES * if crate::support::claims::testing() { side.div_ceil(SMALL) } else { side }.pow(2)
}

fn level(side: u32, skinned: bool) -> Level {
    let submesh = |submesh: u32| {
        let mut built = Submesh { uv_domain: Some(MinMax16::new([0.001; 2], [0.996; 2])), ..Submesh::default() };
        for vertex in 0..side * side {
            let random = super::random(vertex + submesh * side * side).to_le_bytes();
            let uneven = |byte: u8| f32::from(byte) / 25_500.0;
            let along = |step: u32| step as f32 / (side - 1) as f32 * 0.99;
            let (x, y) = (along(vertex % side) + uneven(random[0]), along(vertex / side) + uneven(random[1]));
            let turn = x * 9.0 + submesh as f32;
            let slope = [turn.cos() * (y * 7.0).cos() * 1.8, turn.sin() * (y * 7.0).sin() * -1.4];
            let [right, down] = slope.map(|slope| slope + uneven(random[3]));
            let length = (right * right + down * down + 1.0).sqrt();
            built.positions.push([x - 0.5, y - 0.5, turn.sin() * (y * 7.0).cos() * 0.2 + uneven(random[2])]);
            built.normals.push([-right, -down, 1.0].map(|axis| axis / length));
            built.uvs.push([x, y]);
        }
        let quads = (0..side - 1).flat_map(|y| (0..side - 1).map(move |x| y * side + x));
        built.triangles = quads.flat_map(|at| [[at, at + 1, at + side + 1], [at, at + side + 1, at + side]]).collect();
        let weighted = if skinned { side * side } else { 0 };
        built.weights = (0..weighted).map(|vertex| weights(vertex, side, submesh)).collect();
        built
    };
    Level { submeshes: (0..SUBMESHES).map(submesh).collect(), domain: Some(MinMax16::new(BOX[0], BOX[1])) }
}

/// Returns one to four influences. With more joints, each has a smaller weight.
fn weights(vertex: u32, side: u32, submesh: u32) -> Vec<Influence> {
    let random = super::random(vertex * SUBMESHES + submesh);
    let count = random % 4 + 1;
    let mut left = 65535;
    let influence = |number: u32| {
        let bone = (vertex / side / 4 + submesh * 5 + number) % JOINTS;
        let weight = if number + 1 == count { left } else { left / 2 + random % 997 };
        left -= weight;
        Influence { bone: bone.cast_signed(), weight: weight as f32 / 65535.0 }
    };
    (0..count).map(influence).collect()
}

fn skin() -> Skin {
    let matrix = |joint: u32| -> Matrix {
        std::array::from_fn(|place| if place % 5 == 0 { 1.0 } else { (joint * place as u32) as f32 / 97.0 })
    };
    let joint = |number| Joint { name: format!("mJoint{number}"), inverse_bind: matrix(number), ..Joint::default() };
    Skin { joints: (0..JOINTS).map(joint).collect(), bind_shape: matrix(0), ..Skin::default() }
}

fn convex() -> Convex {
    let domain = MinMax16::new(BOX[0], BOX[1]);
    let points = |first: u32| -> Vec<[f32; 3]> {
        let code = |seed: u32| U16::new(super::random(seed) as u16);
        (first..first + HULL).map(|point| domain.decode(&[0, 1, 2].map(|axis| code(point * 3 + axis)))).collect()
    };
    let hulls = (1..=u32::from(HULLS)).map(|hull| points(hull * HULL)).collect();
    Convex { hulls, bounding: points(0), domain: Some(domain) }
}

//! Second Life assets of about 7,000 vertices in three submeshes, with the same kinds of data as
//! real assets of that size: four levels of detail, normals, texture coordinates, and hulls. The
//! lower levels have a fifth, a twentieth and a sixtieth of the vertices. The skinned variant also
//! has a skin, and one to four weights on each vertex.
//!
//! A submesh is a bumpy grid. The bumps are irregular, which makes the blocks as hard to compress
//! as those of real meshes.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use meshpeek::decode::{MinMax16, unit};
use meshpeek::secondlife::llsd::LlsdWriter;
use zerocopy::IntoBytes;
use zerocopy::little_endian::U16;

/// The number of submeshes of each level.
const SUBMESHES: u32 = 3;
/// The names of the blocks of the levels in file order, and the number of vertices along a side of
/// the grid of each submesh.
const LEVELS: [(&str, u32); 4] = [("lowest_lod", 6), ("low_lod", 11), ("medium_lod", 22), ("high_lod", 48)];
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
    let level = |(name, side): &(&'static str, u32)| (*name, level(side.div_ceil(divisor).max(2), skinned));
    let skin = skinned.then(|| ("skin", skin()));
    let blocks = skin.into_iter().chain([("physics_convex", convex())]).chain(LEVELS.iter().map(level));
    let mut stored = Vec::new();
    let mut entries = Vec::new();
    for (name, inflated) in blocks {
        let start = stored.len();
        let mut encoder = ZlibEncoder::new(&mut stored, Compression::best());
        encoder.write_all(&inflated).unwrap();
        encoder.finish().unwrap();
        entries.push((name, start, stored.len() - start));
    }
    entries.sort_unstable();
    let mut header = LlsdWriter::new();
    header.open_map(entries.len() as u32);
    for (name, offset, size) in entries {
        header.key(name).open_map(2).key("offset").integer(offset as i32).key("size").integer(size as i32).close_map();
    }
    header.close_map();
    let mut asset = header.into_bytes();
    asset.append(&mut stored);
    asset
}

/// Returns the number of vertices of the most detailed level.
pub fn vertices() -> u32 {
    let side = LEVELS[3].1;
    SUBMESHES * if crate::support::claims::testing() { side.div_ceil(SMALL) } else { side }.pow(2)
}

fn level(side: u32, skinned: bool) -> Vec<u8> {
    let mut out = LlsdWriter::new();
    out.open_array(SUBMESHES);
    for submesh in 0..SUBMESHES {
        let grid = || (0..side * side).map(move |vertex| Vertex::new(vertex, side, submesh));
        out.open_map(if skinned { 7 } else { 6 });
        out.key("Normal").binary(grid().map(|vertex| vertex.normal).collect::<Vec<_>>().as_bytes());
        out.key("Position").binary(grid().map(|vertex| vertex.position).collect::<Vec<_>>().as_bytes());
        out.key("PositionDomain");
        domain(&mut out, &BOX);
        out.key("TexCoord0").binary(grid().map(|vertex| vertex.uv).collect::<Vec<_>>().as_bytes());
        out.key("TexCoord0Domain");
        domain(&mut out, &[[0.001; 2], [0.996; 2]]);
        out.key("TriangleList").binary(triangles(side).as_bytes());
        if skinned {
            out.key("Weights").binary(&weights(side, submesh));
        }
        out.close_map();
    }
    out.close_array();
    out.into_bytes()
}

fn domain<const N: usize>(out: &mut LlsdWriter, [min, max]: &[[f32; N]; 2]) {
    out.open_map(2).key("Max").reals(max.iter().copied()).key("Min").reals(min.iter().copied()).close_map();
}

struct Vertex {
    position: [U16; 3],
    normal: [U16; 3],
    uv: [U16; 2],
}

impl Vertex {
    fn new(vertex: u32, side: u32, submesh: u32) -> Self {
        let random = super::random(vertex + submesh * side * side).to_le_bytes();
        let uneven = |byte: u8| f32::from(byte) / 25_500.0;
        let along = |step: u32| step as f32 / (side - 1) as f32;
        let (x, y) = (along(vertex % side) * 0.99 + uneven(random[0]), along(vertex / side) * 0.99 + uneven(random[1]));
        let turn = submesh as f32;
        let height = (x * 9.0 + turn).sin() * (y * 7.0).cos() * 0.2 + uneven(random[2]);
        let slope = [(x * 9.0 + turn).cos() * (y * 7.0).cos() * 1.8, (x * 9.0 + turn).sin() * (y * 7.0).sin() * -1.4];
        let [right, down] = slope.map(|slope| slope + uneven(random[3]));
        let length = (right * right + down * down + 1.0).sqrt();
        Self {
            position: MinMax16::new(BOX[0], BOX[1]).encode([x - 0.5, y - 0.5, height]),
            normal: [-right, -down, 1.0].map(|axis| U16::new(unit::encode_rounding(axis / length))),
            uv: MinMax16::new([0.001; 2], [0.996; 2]).encode([x, y]),
        }
    }
}

fn triangles(side: u32) -> Vec<U16> {
    let quads = (0..side - 1).flat_map(|y| (0..side - 1).map(move |x| y * side + x));
    let corners = |at: u32| [at, at + 1, at + side + 1, at, at + side + 1, at + side];
    quads.flat_map(corners).map(|vertex| U16::new(vertex as u16)).collect()
}

/// Returns one to four influences for each vertex. With more joints, each has a smaller weight.
fn weights(side: u32, submesh: u32) -> Vec<u8> {
    let mut out = Vec::new();
    for vertex in 0..side * side {
        let random = super::random(vertex * SUBMESHES + submesh);
        let count = random % 4 + 1;
        let mut left = 65535;
        for number in 0..count {
            let joint = (vertex / side / 4 + submesh * 5 + number) % JOINTS;
            let weight = if number + 1 == count { left } else { left / 2 + random % 997 };
            left -= weight;
            out.push(joint as u8);
            out.extend((weight as u16).to_le_bytes());
        }
        if count < 4 {
            out.push(255);
        }
    }
    out
}

fn skin() -> Vec<u8> {
    let matrix =
        |joint: u32| (0..16).map(move |place| if place % 5 == 0 { 1.0 } else { (joint * place) as f32 / 97.0 });
    let mut out = LlsdWriter::new();
    out.open_map(3).key("bind_shape_matrix").reals(matrix(0)).key("inverse_bind_matrix").open_array(JOINTS);
    (0..JOINTS).for_each(|joint| {
        out.reals(matrix(joint));
    });
    out.close_array().key("joint_names").open_array(JOINTS);
    (0..JOINTS).for_each(|joint| {
        out.string(format!("mJoint{joint}").as_bytes());
    });
    out.close_array().close_map();
    out.into_bytes()
}

fn convex() -> Vec<u8> {
    let points = |first: u32, count: u32| -> Vec<U16> {
        (first * 3..(first + count) * 3).map(|seed| U16::new(super::random(seed) as u16)).collect()
    };
    let mut out = LlsdWriter::new();
    out.open_map(5).key("BoundingVerts").binary(points(0, HULL).as_bytes());
    out.key("HullList").binary(&[HULL as u8; HULLS as usize]);
    out.key("Max").reals(BOX[1].into_iter()).key("Min").reals(BOX[0].into_iter());
    out.key("Positions").binary(points(HULL, HULL * u32::from(HULLS)).as_bytes()).close_map();
    out.into_bytes()
}

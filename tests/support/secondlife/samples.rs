//! Builds the sample assets.

use std::f32::consts::{FRAC_PI_2, TAU};
use std::path::PathBuf;

use crate::support::secondlife::builder;
use meshpeek::decode::Influence;
use meshpeek::secondlife::llsd::LlsdWriter;
use meshpeek::secondlife::{AssetPart, IDENTITY, Mesh};

use super::container::{Container, Instance, cache};

/// A sample of `data/secondlife`: its file name and its bytes.
pub struct Sample {
    pub file: &'static str,
    pub bytes: Vec<u8>,
}

/// Builds every sample.
pub fn samples() -> Vec<Sample> {
    let built = |file, asset: builder::Asset| Sample { file, bytes: asset.to_bytes().unwrap() };
    vec![
        built("quad.llmesh", quad()),
        built("arm.llmesh", arm()),
        built("rock.llmesh", rock()),
        built("ramp.llmesh", ramp()),
        Sample { file: "model.slm", bytes: model().to_bytes() },
        Sample { file: "cache.asset", bytes: cache(&quad().to_bytes().unwrap(), &[AssetPart::LowestLod]) },
        Sample { file: "grid.llmesh", bytes: grid() },
    ]
}

/// Returns the bytes of a sample.
pub fn bytes(file: &str) -> Vec<u8> {
    samples().into_iter().find(|sample| sample.file == file).unwrap().bytes
}

/// Returns the folder of the samples.
pub fn data() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("data/secondlife")
}

/// A flat square of 32, 8, 2 and 1 triangles.
pub fn quad() -> builder::Asset {
    let mut half = sheet(1);
    for array in [&mut half.positions, &mut half.normals] {
        array.truncate(3);
    }
    half.uvs.truncate(3);
    half.triangles.truncate(1);
    half.triangles[0] = [0, 1, 2];
    asset([sheet(4), sheet(2), sheet(1), half].map(|submesh| vec![submesh]))
}

/// A flat square of 1,152 triangles, which is enough for a tree in a sidecar.
pub fn large_sheet() -> builder::Asset {
    asset([sheet(24), sheet(2), sheet(1), sheet(1)].map(|submesh| vec![submesh]))
}

/// A tube along x that four joints bend.
///
/// Its vertices have one to four influences.
pub fn arm() -> builder::Asset {
    let lods = [[8, 6], [5, 4], [3, 4], [2, 3]].map(|[rings, sides]| vec![tube(rings, sides)]);
    let joint = |(name, x): (&str, f32)| {
        let [mut inverse_bind, mut moved] = [IDENTITY; 2];
        (inverse_bind[12], moved[12]) = (-x, x);
        builder::Joint { name: name.to_owned(), inverse_bind, alt_inverse_bind: Some(moved) }
    };
    let joints = [("mCollarLeft", -0.5), ("mShoulderLeft", -0.25), ("mElbowLeft", 0.0), ("mWristLeft", 0.25)];
    let mut bind_shape = IDENTITY;
    (bind_shape[0], bind_shape[5], bind_shape[10]) = (0.75, 0.5, 0.5);
    let skin = builder::Skin {
        joints: joints.into_iter().map(joint).collect(),
        bind_shape,
        pelvis_offset: Some(0.125),
        lock_scale_if_joint_position: true,
    };
    builder::Asset { skin: Some(skin), ..asset(lods) }
}

/// A ball of two halves.
///
/// The lowest level omits the lower half. The hulls have 256, 8 and 3 points.
pub fn rock() -> builder::Asset {
    let lods =
        [[3, 8], [2, 6], [1, 5], [1, 4]].map(|[rings, sides]| vec![dome(rings, sides, 1.0), dome(rings, sides, -1.0)]);
    let mut rock = asset(lods);
    rock.lowest.as_mut().unwrap().submeshes[1] = builder::Submesh::default();
    let ball = (0..256_u16).map(|number| {
        let height = f32::from(number) / 255.0 - 0.5;
        let (sine, cosine) = (f32::from(number) * 2.4).sin_cos();
        let radius = (0.25 - height * height).max(0.0).sqrt();
        [cosine * radius, sine * radius, height]
    });
    let low: Vec<[f32; 3]> = corners(0.5).into_iter().map(|[x, y, z]| [x, y, z * 0.25 - 0.375]).collect();
    let fin = vec![[0.0, 0.0, 0.5], [0.5, 0.0, 0.0], [-0.5, 0.0, 0.0]];
    rock.convex = Some(builder::Convex { hulls: vec![ball.collect(), low, fin], bounding: corners(0.5), domain: None });
    rock
}

/// A wedge with triangles for collisions.
pub fn ramp() -> builder::Asset {
    let mut physics = builder::Submesh {
        positions: vec![
            [-0.5, -0.5, -0.5],
            [0.5, -0.5, -0.5],
            [0.5, 0.5, -0.5],
            [-0.5, 0.5, -0.5],
            [0.5, 0.5, 0.5],
            [-0.5, 0.5, 0.5],
        ],
        ..Default::default()
    };
    // The slope, the back, the bottom, the sides.
    physics.triangles = vec![[0, 1, 4], [0, 4, 5], [2, 3, 5], [2, 5, 4], [0, 3, 2], [0, 2, 1], [1, 2, 4], [0, 5, 3]];
    // In the visible mesh, each corner has its own normal and texture coordinates.
    let split = |triangles: usize| {
        let mut submesh = builder::Submesh::default();
        for triangle in &physics.triangles[..triangles] {
            let [a, b, c] = triangle.map(|index| physics.positions[usize::try_from(index).unwrap()]);
            let normal = unit(cross(minus(b, a), minus(c, a)));
            let first = u32::try_from(submesh.positions.len()).unwrap();
            for [x, y, z] in [a, b, c] {
                submesh.positions.push([x, y, z]);
                submesh.normals.push(normal);
                submesh.uvs.push([x * 2.0, y + z]);
            }
            submesh.triangles.push([first, first + 1, first + 2]);
        }
        vec![submesh]
    };
    let convex = builder::Convex { hulls: vec![], bounding: physics.positions.clone(), domain: None };
    builder::Asset {
        physics_mesh: Some(vec![physics.clone()].into()),
        convex: Some(convex),
        ..asset([8, 6, 4, 2].map(split))
    }
}

/// A container of the square and the wedge, in which the first is placed twice.
pub fn model() -> Container {
    let listed = |name: &str, asset: builder::Asset| {
        let header = builder::Header { material_list: vec![format!("{name}-material")], ..Default::default() };
        builder::Asset { header, ..asset }.to_bytes().unwrap()
    };
    let instance = |asset, label: &str, x, name: &str| {
        let mut transform = IDENTITY;
        transform[12] = x;
        let material = [format!("{name}-material"), name.to_owned()];
        Instance { asset, label: label.to_owned(), transform, materials: vec![material] }
    };
    Container {
        name: String::from("yard"),
        assets: vec![listed("quad", quad()), listed("ramp", ramp())],
        instances: vec![
            instance(0, "floor", 0.0, "quad"),
            instance(0, "roof", 2.0, "quad"),
            instance(1, "way up", -2.0, "ramp"),
        ],
    }
}

/// The square in the form that a simulator sends.
pub fn grid() -> Vec<u8> {
    let header = builder::Header {
        version: Some(1),
        creator: Some(*b"\x6d\x65\x73\x68\x70\x65\x4b\x21\x80\0\0\0\0\0\0\x01"),
        date: Some(1_511_941_196.25),
        hashes: true,
        ..Default::default()
    };
    let bytes = builder::Asset { header, ..quad() }.to_bytes().unwrap();
    let mut cost = LlsdWriter::new();
    cost.open_map(4).key("hull").real(0.5).key("hull_discounted_vertices").integer(8);
    cost.key("mesh").reals([0.5; 9].into_iter()).key("mesh_triangles").integer(32).close_map();
    // The entry is inserted in the sorted header, whose offsets count from its end.
    let mesh = Mesh::open(&bytes).unwrap();
    let header = mesh.header().unwrap();
    let keys: Vec<_> = header.entries().map(|entry| (entry.key.content().into_owned(), entry.key_at)).collect();
    let at = keys.iter().find(|(key, _)| key.as_slice() > b"physics_cost_data".as_slice()).unwrap().1;
    let mut start = LlsdWriter::new();
    start.open_map(u32::try_from(keys.len() + 1).unwrap());
    let entry = LlsdWriter::new().key("physics_cost_data").clone().into_bytes();
    [&start.into_bytes(), &bytes[5..at], &entry, &cost.into_bytes(), &bytes[at..]].concat()
}

/// An asset of four levels in a box.
fn asset([high, medium, low, lowest]: [Vec<builder::Submesh>; 4]) -> builder::Asset {
    builder::Asset {
        high: high.into(),
        medium: Some(medium.into()),
        low: Some(low.into()),
        lowest: Some(lowest.into()),
        convex: Some(builder::Convex { hulls: vec![], bounding: corners(0.5), domain: None }),
        ..Default::default()
    }
}

/// A flat square of `side` x `side` quads.
fn sheet(side: u8) -> builder::Submesh {
    let mut submesh = builder::Submesh::default();
    let step = |at: u8| f32::from(at) / f32::from(side) - 0.5;
    for y in 0..=side {
        for x in 0..=side {
            submesh.positions.push([step(x), step(y), 0.0]);
            submesh.normals.push([0.0, 0.0, 1.0]);
            submesh.uvs.push([step(x) + 0.5, step(y) + 0.5]);
        }
    }
    let width = u32::from(side) + 1;
    for y in 0..u32::from(side) {
        quads(&mut submesh, y * width, (y + 1) * width, width);
    }
    submesh
}

/// A tube along x, open at its ends, with weights for four joints.
fn tube(rings: u8, sides: u8) -> builder::Submesh {
    let mut submesh = builder::Submesh::default();
    for ring in 0..rings {
        let x = f32::from(ring) / f32::from(rings - 1);
        for side in 0..=sides {
            let turn = f32::from(side) / f32::from(sides);
            let (sine, cosine) = (turn * TAU).sin_cos();
            submesh.positions.push([x - 0.5, cosine * 0.125, sine * 0.125]);
            submesh.normals.push([0.0, cosine, sine]);
            submesh.uvs.push([turn, x]);
            let nearest = i32::from(ring) * 3 / i32::from(rings - 1);
            let shares: &[f32] = match side % 4 {
                0 => &[1.0],
                1 => &[0.8, 0.2],
                2 => &[0.6, 0.2, 0.2],
                _ => &[0.4, 0.2, 0.2, 0.2],
            };
            let influence = |(offset, weight): (i32, &f32)| Influence { bone: (nearest + offset) % 4, weight: *weight };
            submesh.weights.push((0..).zip(shares).map(influence).collect());
        }
    }
    let width = u32::from(sides) + 1;
    for ring in 0..u32::from(rings) - 1 {
        quads(&mut submesh, ring * width, (ring + 1) * width, width);
    }
    submesh
}

/// Half a ball, upwards or downwards.
fn dome(rings: u8, sides: u8, up: f32) -> builder::Submesh {
    let mut submesh = builder::Submesh::default();
    let mut add = |[x, y, z]: [f32; 3]| {
        submesh.positions.push([x * 0.5, y * 0.5, z * 0.5]);
        submesh.normals.push([x, y, z]);
        submesh.uvs.push([x * 0.5 + 0.5, y * 0.5 + 0.5]);
    };
    for ring in 0..rings {
        let (height, radius) = (f32::from(ring) / f32::from(rings) * FRAC_PI_2).sin_cos();
        for side in 0..sides {
            let (sine, cosine) = (f32::from(side) / f32::from(sides) * TAU).sin_cos();
            add([cosine * radius, sine * radius, height * up]);
        }
    }
    add([0.0, 0.0, up]);
    let (rings, sides) = (u32::from(rings), u32::from(sides));
    for ring in 0..rings {
        for side in 0..sides {
            let next = (side + 1) % sides;
            let [a, b] = [side, next].map(|side| ring * sides + side);
            if ring + 1 == rings {
                submesh.triangles.push([a, b, rings * sides]);
            } else {
                submesh.triangles.extend([[a, b, b + sides], [a, b + sides, a + sides]]);
            }
        }
    }
    if up < 0.0 {
        submesh.triangles.iter_mut().for_each(|triangle| triangle.reverse());
    }
    submesh
}

/// Adds two triangles for each pair of neighbours in two rows of vertices.
fn quads(submesh: &mut builder::Submesh, row: u32, next: u32, width: u32) {
    for x in 0..width - 1 {
        submesh.triangles.push([row + x, row + x + 1, next + x + 1]);
        submesh.triangles.push([row + x, next + x + 1, next + x]);
    }
}

/// Returns the corners of a cube.
fn corners(half: f32) -> Vec<[f32; 3]> {
    (0..8_u8).map(|corner| [1, 2, 4].map(|bit| if corner & bit == 0 { -half } else { half })).collect()
}

fn minus([ax, ay, az]: [f32; 3], [bx, by, bz]: [f32; 3]) -> [f32; 3] {
    [ax - bx, ay - by, az - bz]
}

fn cross([ax, ay, az]: [f32; 3], [bx, by, bz]: [f32; 3]) -> [f32; 3] {
    [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx]
}

fn unit(vector: [f32; 3]) -> [f32; 3] {
    let length = vector.iter().map(|one| one * one).sum::<f32>().sqrt();
    vector.map(|one| one / length)
}

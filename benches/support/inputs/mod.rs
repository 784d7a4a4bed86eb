//! The files that the benches read. These are static and skinned ms13 meshes of 16 surfaces with
//! about 1 MB, 100 MB and 1 GB; [a pair](pair) of Unreal files; three files of one
//! [motion](motion); Second Life [assets](asset); and EZ-Mesh files in [text](text) and binary
//! form.
//!
//! A surface is a height field with a texture seam after every fourth column. It has 1.25 tangent
//! frames and UVs per position, two triangles per position, and indices in both streams. The
//! skinned variant has one to four weights on each position.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::as_conversions,
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    reason = "each bench uses only a part of it, and a panic is how a bench fails"
)]

pub mod asset;
pub mod motion;
pub mod pair;
pub mod text;
pub mod tiles;

use meshpeek::MeshFile as _;
use std::fs::{self, File};
use std::io::Write;
use std::path::PathBuf;

use crate::support::unigine_builder as builder;
use meshpeek::decode::{Influence, TangentFrame};
use meshpeek::model::Transform;
use meshpeek::unigine::{Generation, Mesh};
use tempfile::TempDir;

/// The number of surfaces of each file.
const SURFACES: u8 = 16;
/// The number of bones of each skinned file.
const BONES: u32 = 64;
/// The number of columns between two texture seams.
const CHART: u32 = 4;
/// The names and sizes in bytes of the files, the smallest first.
const SIZES: [(&str, u32); 3] = [("1 MB", 1_000_000), ("100 MB", 100_000_000), ("1 GB", 1_000_000_000)];

/// A file to read.
pub struct Input {
    /// The size and kind of the file, for example `1 GB static`.
    pub name: String,
    pub path: PathBuf,
    pub skinned: bool,
}

/// The files, which are removed when this value is dropped.
pub struct Inputs {
    /// The static and the skinned file of each size, the smallest first.
    pub all: Vec<Input>,
    _folder: TempDir,
}

impl Inputs {
    /// Writes the files: all sizes, or only the smallest if the bench runs as a test.
    pub fn write() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let sizes = if crate::support::claims::testing() { &SIZES[..1] } else { &SIZES[..] };
        let mut all = Vec::new();
        for (size, bytes) in sizes {
            for (kind, skinned) in [("static", false), ("skinned", true)] {
                let name = format!("{size} {kind}");
                let path = folder.path().join(format!("{name}.mesh"));
                let side = side((*bytes).into(), skinned);
                repeat(&mesh(1, side, skinned), File::create(&path).unwrap());
                if crate::support::claims::testing() {
                    assert_eq!(fs::read(&path).unwrap(), mesh(SURFACES.into(), side, skinned).to_bytes().unwrap());
                }
                all.push(Input { name, path, skinned });
            }
        }
        Self { all, _folder: folder }
    }

    /// Returns the two largest files: static, skinned.
    pub fn largest(&self) -> &[Input; 2] {
        self.all.last_chunk().unwrap()
    }
}

/// Writes the file that a mesh with clones of its one surface would have, without creating the
/// clones. The header and the geometry of the surface are each written once per surface.
pub fn repeat(mesh: &builder::Mesh, mut out: File) {
    let bytes = mesh.to_bytes().unwrap();
    let one = Mesh::open(bytes.as_slice()).unwrap();
    let [mut count, mut heads] = [0..0, 0..0];
    one.regions(0, &mut |region| match region.field.to_string().as_str() {
        "surfaces.count" => count = region.start as usize..region.end as usize,
        "inner_magic" => heads = count.end..region.start as usize,
        _ => {}
    })
    .unwrap();
    let geometry = one.surface(0).unwrap().offset() as usize..bytes.len() - 4;
    out.write_all(&bytes[..count.start]).unwrap();
    out.write_all(&[SURFACES]).unwrap();
    (0..SURFACES).for_each(|_| out.write_all(&bytes[heads.clone()]).unwrap());
    out.write_all(&bytes[heads.end..geometry.start]).unwrap();
    (0..SURFACES).for_each(|_| out.write_all(&bytes[geometry.clone()]).unwrap());
    out.write_all(&bytes[geometry.end..]).unwrap();
}

/// Returns the number of quads along one side of a surface for a file of about `bytes` bytes.
pub fn side(bytes: u64, skinned: bool) -> u32 {
    let quads = |index: u64| bytes / u64::from(SURFACES) / (12 + 20 + 12 * index + if skinned { 11 } else { 0 });
    let quads = if quads(2) > 0xffff { quads(4) } else { quads(2) };
    (quads.isqrt() as u32).next_multiple_of(CHART)
}

/// Builds a mesh of `surfaces` surfaces of `side` x `side` quads; `side` is a multiple of four.
pub fn mesh(surfaces: usize, side: u32, skinned: bool) -> builder::Mesh {
    let bone = |number: u32| builder::Bone {
        name: format!("bone {number}"),
        parent: i16::try_from(number).unwrap() - 1,
        bind: Transform::default(),
    };
    builder::Mesh {
        bones: (0..if skinned { BONES } else { 0 }).map(bone).collect(),
        surfaces: vec![surface(side, skinned); surfaces],
        ..builder::Mesh::new(Generation::Ms13)
    }
}

fn surface(side: u32, skinned: bool) -> builder::Surface {
    let at = |step: u32| step as f32 / side as f32 * 2.0 - 1.0;
    let rows = || (0..=side).flat_map(|y| (0..=side).map(move |x| (x, y)));
    // The last column of a chart is repeated as the first column of the next chart.
    let charted = (0..side / CHART).flat_map(|chart| (0..=CHART).map(move |x| chart * CHART + x));
    let attributes = || (0..=side).flat_map(|y| charted.clone().map(move |x| (x, y)));
    let base = builder::MorphTarget {
        positions: rows().map(|(x, y)| [at(x), at(y), height(at(x), at(y))]).collect(),
        frames: attributes().map(|(x, y)| frame(at(x), at(y))).collect(),
        ..builder::MorphTarget::default()
    };
    let quads = || (0..side).flat_map(|y| (0..side).map(move |x| (x, y)));
    let corners = || quads().flat_map(|(x, y)| CORNERS.map(|[right, down]| (x, y, right, down)));
    let stride = side / CHART * (CHART + 1);
    builder::Surface {
        name: "height field".into(),
        weights: if skinned { (0..(side + 1) * (side + 1)).map(influences).collect() } else { Vec::new() },
        uvs: [attributes().map(|(x, y)| [at(x) * 0.5 + 0.5, 0.5 - at(y) * 0.5]).collect(), Vec::new()],
        indices: corners().map(|(x, y, right, down)| (y + down) * (side + 1) + x + right).collect(),
        attribute_indices: corners().map(|(x, y, right, down)| (y + down) * stride + x + x / CHART + right).collect(),
        targets: vec![base],
        ..builder::Surface::default()
    }
}

/// The corners of the two triangles of a quad, as steps to the right and down.
const CORNERS: [[u32; 2]; 6] = [[0, 0], [1, 0], [1, 1], [0, 0], [1, 1], [0, 1]];

pub fn height(x: f32, y: f32) -> f32 {
    (x * 5.0).sin() * (y * 7.0).cos() * 0.1
}

fn frame(x: f32, y: f32) -> TangentFrame {
    let right = (x * 5.0).cos() * (y * 7.0).cos() * 0.5;
    let down = (x * 5.0).sin() * (y * 7.0).sin() * -0.7;
    let unit = |[x, y, z]: [f32; 3]| [x, y, z].map(|value| value / (x * x + y * y + z * z).sqrt());
    TangentFrame::from_axes(unit([-right, -down, 1.0]), unit([1.0, 0.0, right]), -1.0)
}

/// Returns one to four influences of equal weight, on bones that depend only on the number of the
/// vertex.
fn influences(vertex: u32) -> Vec<Influence> {
    let random = random(vertex);
    let count = random % 4 + 1;
    let bone = |number: u32| i32::try_from((random / 4 + number) % BONES).unwrap();
    (0..count).map(|number| Influence { bone: bone(number), weight: 1.0 / count as f32 }).collect()
}

/// Returns a pseudo-random number that depends only on `seed`.
pub const fn random(seed: u32) -> u32 {
    let mixed = (seed ^ (seed >> 16)).wrapping_mul(0x21f0_aaad);
    let mixed = (mixed ^ (mixed >> 15)).wrapping_mul(0x735a_2d97);
    mixed ^ (mixed >> 15)
}

//! Generates Second Life assets of up to 15 MB.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use zerocopy::IntoBytes as _;
use zerocopy::little_endian::U16;

use super::layout::MAX_INFLUENCES;
use super::llsd::LlsdWriter;
use super::matrix::IDENTITY;
use crate::decode::{MinMax16, unit};
use crate::error::Result;
use crate::formats::samples::{CreateFile, HeightField, SampleKind, influences};

/// The number of submeshes in each level of detail of a generated asset.
const SUBMESHES: u32 = 8;
/// The maximum number of quads on a side of a square submesh. A submesh with 252 quads on each side
/// has 64,009 vertices.
const MAX_SIDE: u16 = 252;
/// The compressed size of 8 submeshes in bytes, divided by the number of vertices of one submesh.
/// The compressed size includes two triangles per vertex and the lower levels of detail.
const VERTEX_BYTES: u64 = 8 * 29;
/// The number of submeshes in each level of detail of a small asset, and their compressed size in
/// bytes, divided by the number of vertices of one submesh.
const SMALL_SUBMESHES: u32 = 2;
const SMALL_VERTEX_BYTES: u64 = 2 * 29;
/// The names of the joints that move the generated skinned asset. They are joints of the avatar
/// skeleton of Second Life.
const JOINTS: [&str; 4] = ["mPelvis", "mTorso", "mChest", "mNeck"];

/// The corners of the box and of the texture coordinates that the 16-bit codes are scaled to.
const POSITION_BOX: [[f32; 3]; 2] = [[-0.5, -0.5, -0.25], [0.5, 0.5, 0.25]];
const UV_BOX: [[f32; 2]; 2] = [[0.0; 2], [1.0; 2]];

/// The type of Second Life assets that is generated.
pub(in crate::formats) static KIND: SampleKind = SampleKind {
    id: "second-life",
    help: "Skinned asset with four levels of detail",
    growth: 6,
    max_size: Some((15_000_000, "8 submeshes of 65,535 vertices")),
    write,
    asset: Some(("llmesh", write_small)),
};

/// Writes an asset of about `size` bytes.
fn write(size: u64, create: CreateFile<'_>) -> Result<()> {
    let mut out = create("llmesh")?;
    write_levels(SUBMESHES, &mut out, |step| {
        HeightField::of_quads((size / VERTEX_BYTES).unbounded_shr(step), MAX_SIDE.unbounded_shr(step / 2))
    })
}

/// Writes an asset of about `size` bytes. Its lowest level of detail has a few triangles. The size
/// should be below 100 kB.
fn write_small(size: u64, out: &mut dyn Write) -> Result<()> {
    let width = u16::try_from((size / SMALL_VERTEX_BYTES).isqrt()).unwrap_or(MAX_SIDE).min(MAX_SIDE);
    write_levels(SMALL_SUBMESHES, out, |step| HeightField::of_side(width.unbounded_shr(step / 2)))
}

/// Writes an asset whose levels of detail have `submeshes` submeshes each. `field` returns the
/// height field of a level: step 0 is the most detailed level, and each 2 steps quarter the
/// vertices.
fn write_levels(submeshes: u32, out: &mut dyn Write, field: impl Fn(u32) -> HeightField) -> Result<()> {
    let level = |step: u32| level(submeshes, field(step));
    let blocks = [
        ("skin", skin()),
        ("lowest_lod", level(6)),
        ("low_lod", level(4)),
        ("medium_lod", level(2)),
        ("high_lod", level(0)),
    ];
    let (mut entries, mut stored) = (Vec::new(), Vec::new());
    for (key, inflated) in blocks {
        let start = stored.len();
        let mut encoder = ZlibEncoder::new(&mut stored, Compression::best());
        encoder.write_all(&inflated)?;
        encoder.finish()?;
        let size = stored.len().saturating_sub(start);
        entries.push((key, [start, size].map(|number| i32::try_from(number).unwrap_or(i32::MAX))));
    }
    let mut header = LlsdWriter::new();
    header.open_map(5);
    // Viewers write the blocks in the order of the list, and sort the keys of the header.
    for (key, [offset, size]) in [4, 2, 1, 3, 0].into_iter().filter_map(|index| entries.get(index).copied()) {
        header.key(key).open_map(2).key("offset").integer(offset).key("size").integer(size).close_map();
    }
    header.close_map();
    out.write_all(&header.into_bytes())?;
    out.write_all(&stored)?;
    Ok(out.flush()?)
}

/// Returns the block of a level of detail. Its submeshes have different pseudo-random offsets,
/// because equal submeshes would be compressed to almost no bytes.
fn level(submeshes: u32, field: HeightField) -> Vec<u8> {
    let mut out = LlsdWriter::new();
    out.open_array(submeshes);
    for field in (0..submeshes).map(|seed| field.with_seed(seed)) {
        let normals =
            field.normals().into_iter().map(|normal| normal.map(|axis| U16::new(unit::encode_rounding(axis))));
        let triangles = field.triangles().flatten().map(|index| U16::new(u16::try_from(index).unwrap_or(u16::MAX)));
        out.open_map(7).key("Normal").binary(normals.collect::<Vec<_>>().as_bytes());
        codes(&mut out, ["Position", "PositionDomain"], POSITION_BOX, &field.positions());
        codes(&mut out, ["TexCoord0", "TexCoord0Domain"], UV_BOX, &field.uvs());
        out.key("TriangleList").binary(triangles.collect::<Vec<_>>().as_bytes());
        out.key("Weights").binary(&weights(field)).close_map();
    }
    out.close_array();
    out.into_bytes()
}

/// Writes points as 16-bit codes, and the box that they are scaled to.
fn codes<const N: usize>(
    out: &mut LlsdWriter,
    [codes, domain]: [&str; 2],
    [min, max]: [[f32; N]; 2],
    points: &[[f32; N]],
) {
    let scale = MinMax16::new(min, max);
    out.key(codes).binary(points.iter().map(|point| scale.encode(*point)).collect::<Vec<_>>().as_bytes());
    out.key(domain).open_map(2).key("Max").reals(max.into_iter()).key("Min").reals(min.into_iter()).close_map();
}

/// Returns one to four influences of equal weight for each vertex.
fn weights(field: HeightField) -> Vec<u8> {
    let mut out = Vec::new();
    for list in (0..field.vertex_count()).map(|vertex| influences(vertex, u16::try_from(JOINTS.len()).unwrap_or(1))) {
        let weight = u16::MAX.checked_div(u16::try_from(list.len()).unwrap_or(1)).unwrap_or_default();
        for influence in &list {
            out.push(u8::try_from(influence.bone).unwrap_or_default());
            out.extend(weight.to_le_bytes());
        }
        if list.len() < MAX_INFLUENCES {
            out.push(u8::MAX);
        }
    }
    out
}

fn skin() -> Vec<u8> {
    let (mut out, joints) = (LlsdWriter::new(), u32::try_from(JOINTS.len()).unwrap_or_default());
    out.open_map(3).key("bind_shape_matrix").reals(IDENTITY.into_iter());
    out.key("inverse_bind_matrix").open_array(joints);
    for _ in JOINTS {
        out.reals(IDENTITY.into_iter());
    }
    out.close_array().key("joint_names").open_array(joints);
    for name in JOINTS {
        out.string(name.as_bytes());
    }
    out.close_array().close_map();
    out.into_bytes()
}

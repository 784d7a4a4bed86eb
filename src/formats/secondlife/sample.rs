//! Generates Second Life assets of up to 15 MB.

use std::io::Write;

use super::builder::{Asset, Joint, Level, Skin, Submesh};
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
    let level = |step: u32| {
        let field = field(step);
        // Identical submeshes would be compressed to almost no bytes, so the pseudo-random offsets
        // of each submesh have a different seed.
        Level::from((0..submeshes).map(|number| submesh(field.with_seed(number))).collect::<Vec<_>>())
    };
    let joints = JOINTS.map(|name| Joint { name: name.into(), ..Joint::default() }).into();
    let asset = Asset {
        high: level(0),
        medium: Some(level(2)),
        low: Some(level(4)),
        lowest: Some(level(6)),
        skin: Some(Skin { joints, ..Skin::default() }),
        ..Asset::default()
    };
    out.write_all(&asset.to_bytes()?)?;
    Ok(out.flush()?)
}

fn submesh(field: HeightField) -> Submesh {
    let joints = u16::try_from(JOINTS.len()).unwrap_or(1);
    Submesh {
        positions: field.positions(),
        normals: field.normals(),
        uvs: field.uvs(),
        triangles: field.triangles().collect(),
        weights: (0..field.vertex_count()).map(|vertex| influences(vertex, joints)).collect(),
        ..Submesh::default()
    }
}

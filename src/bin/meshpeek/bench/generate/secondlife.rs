//! Second Life assets, as large as they can be.

use std::io::Write;

use meshpeek::secondlife::builder::{Asset, Joint, Level, Skin, Submesh};

use super::height_field::{HeightField, influences};

/// About how many bytes the largest asset has.
pub const MAX_BYTES: u64 = 15_000_000;
/// Submeshes of each level.
const SUBMESHES: u32 = 8;
/// Quads along a side of a submesh, at most: that makes 64,009 vertices.
const MAX_SIDE: u16 = 252;
/// Bytes of a vertex of each submesh, with two triangles each: deflated, and with the lower levels.
const VERTEX_BYTES: u64 = 8 * 29;
/// Joints of the skin: names that avatars have.
const JOINTS: [&str; 4] = ["mPelvis", "mTorso", "mChest", "mNeck"];

/// Writes an asset of about so many bytes.
pub fn write(size: u64, out: &mut impl Write) -> anyhow::Result<()> {
    // A level has a quarter of the vertices of the one above.
    let level = |step: u32| {
        let field = HeightField::of_quads((size / VERTEX_BYTES).unbounded_shr(step), MAX_SIDE.unbounded_shr(step / 2));
        // Alike, they would be deflated to next to nothing.
        Level::from((0..SUBMESHES).map(|number| submesh(field.with_seed(number))).collect::<Vec<_>>())
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
    Ok(out.write_all(&asset.to_bytes()?)?)
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

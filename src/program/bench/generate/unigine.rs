//! Generated UNIGINE meshes of any size. One surface is built in memory, and its bytes are written
//! once for each surface of the file.

use crate::MeshFile as _;
use std::io::Write;
use std::ops::Range;

use crate::decode::{TangentFrame, compact};
use crate::formats::unigine::{Generation, Mesh, builder};
use crate::model::Transform;
use anyhow::Context as _;

use super::height_field::{HeightField, influences};
use crate::program::render::counting_writer::CountingWriter;

/// The number of surfaces of a generated uncompressed mesh.
const SURFACES: u64 = 16;
/// The number of bones of a skinned mesh.
const BONES: u16 = 64;
/// The maximum inflated size of a surface of a compressed mesh, in bytes.
const MAX_INFLATED_BYTES: u64 = 16 << 20;

/// Writes an uncompressed ms13 mesh of about `size` bytes, with bone weights if `skinned` is true.
pub fn plain(size: u64, skinned: bool, out: &mut CountingWriter<impl Write>) -> anyhow::Result<()> {
    // Each quad needs 12 bytes for positions, 20 bytes for tangent frames and UVs (whose elements
    // are a quarter more than the positions, because of texture seams), 11 bytes for weights on
    // average, and six indices in each of the two index streams.
    let quads = |index: u64| {
        let bytes = if skinned { 43_u64 } else { 32 }.saturating_add(index.saturating_mul(12));
        (size / SURFACES).checked_div(bytes).unwrap_or_default()
    };
    let quads = if quads(2) > 0xffff { quads(4) } else { quads(2) };
    repeat(&mesh(Generation::Ms13, HeightField::of_quads(quads, u16::MAX), skinned), |_| SURFACES, out)
}

/// Writes an ms14 mesh with compressed blocks of about `size` bytes.
pub fn compressed(size: u64, out: &mut CountingWriter<impl Write>) -> anyhow::Result<()> {
    let inflated = (size / SURFACES).min(MAX_INFLATED_BYTES);
    let one = mesh(Generation::Ms14, HeightField::of_quads(inflated / 60, u16::MAX), false);
    let times = |bytes: u64| size.checked_div(bytes).unwrap_or_default().max(1);
    repeat(&one, times, out)
}

fn mesh(generation: Generation, field: HeightField, skinned: bool) -> builder::Mesh {
    let bone = |number: u16| builder::Bone {
        name: format!("bone {number}"),
        parent: i16::try_from(number).map_or(-1, |number| number.saturating_sub(1)),
        bind: Transform::default(),
    };
    builder::Mesh {
        bones: (0..if skinned { BONES } else { 0 }).map(bone).collect(),
        surfaces: vec![surface(field, skinned)],
        ..builder::Mesh::new(generation)
    }
}

fn surface(field: HeightField, skinned: bool) -> builder::Surface {
    let frame = |normal: [f32; 3]| {
        let [x, _, z] = normal;
        let length = (x * x + z * z).sqrt();
        TangentFrame::from_axes(normal, [z / length, 0.0, -x / length], -1.0)
    };
    let base = builder::MorphTarget {
        positions: field.positions(),
        frames: field.seamed_normals().into_iter().map(frame).collect(),
        ..builder::MorphTarget::default()
    };
    builder::Surface {
        name: "height field".into(),
        weights: (0..if skinned { field.vertex_count() } else { 0 }).map(|at| influences(at, BONES)).collect(),
        uvs: [field.seamed_uvs(), Vec::new()],
        indices: field.triangles().flatten().collect(),
        attribute_indices: field.seamed_triangles().flatten().collect(),
        targets: vec![base],
        ..builder::Surface::default()
    }
}

/// Writes a mesh file that contains the only surface of `mesh` many times, without creating copies
/// of the surface in memory.
///
/// The closure `times` gets the number of bytes of one surface in the file, and returns the number
/// of surfaces to write.
fn repeat(
    mesh: &builder::Mesh,
    times: impl Fn(u64) -> u64,
    out: &mut CountingWriter<impl Write>,
) -> anyhow::Result<()> {
    let bytes = mesh.to_bytes()?;
    let one = Mesh::open(bytes.as_slice())?;
    let mut regions = Vec::new();
    one.regions(0, &mut |region| {
        let [start, end] = [region.start, region.end].map(|at| usize::try_from(at).unwrap_or(usize::MAX));
        regions.push((region.field.to_string(), start..end));
    })?;
    let find = |name: &str| {
        let found = regions.iter().find(|(field, _)| field == name);
        found.map(|(_, range)| range.clone()).with_context(|| format!("{name}: not found in the generated mesh"))
    };
    let count = find("surfaces.count")?;
    let compressed = mesh.generation.is_compressed();
    let heads = count.end..find(if compressed { "memory_estimate" } else { "inner_magic" })?.start;
    let end = find("closing_magic")?;
    let geometry = find("bind_transforms")?.end..if compressed { find("tree_magic")?.start } else { end.start };
    let tree = if compressed { find("tree_magic")?.end..find("table_magic")?.start } else { end.start..end.start };
    let each = [&heads, &geometry, &tree].iter().map(|range| range.len()).fold(0, usize::saturating_add);
    let times = times(u64::try_from(each).unwrap_or(u64::MAX));
    let put = |out: &mut CountingWriter<_>, range: Range<usize>, times: u64| -> anyhow::Result<()> {
        let bytes = bytes.get(range).unwrap_or_default();
        (0..times).try_for_each(|_| Ok(out.write_all(bytes)?))
    };
    put(out, 0..count.start, 1)?;
    let (written, length) = compact::encode(i32::try_from(times)?);
    out.write_all(written.get(..length).unwrap_or_default())?;
    put(out, heads.clone(), times)?;
    put(out, heads.end..geometry.start, 1)?;
    let first = out.written;
    put(out, geometry.clone(), times)?;
    put(out, geometry.end..tree.start, 1)?;
    put(out, tree.clone(), times)?;
    if compressed {
        let offsets = find("offsets")?;
        put(out, tree.end..offsets.start, 1)?;
        let length = u64::try_from(geometry.len()).unwrap_or(u64::MAX);
        for number in 0..times {
            out.write_all(&first.saturating_add(number.saturating_mul(length)).to_le_bytes())?;
        }
    }
    put(out, end, 1)
}

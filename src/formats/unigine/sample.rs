//! Generated UNIGINE meshes of any size. One surface is built in memory, and its bytes are written
//! once for each surface of the file.

use std::io::Write;
use std::ops::Range;

use super::{Generation, Mesh, builder};
use crate::decode::{TangentFrame, compact};
use crate::error::Result;
use crate::formats::samples::{CreateFile, HeightField, SampleKind, influences};
use crate::math::as_u64;
use crate::model::{MeshFile as _, Transform};

/// The number of surfaces of a generated uncompressed mesh.
const SURFACES: u64 = 16;
/// The number of bones of a skinned mesh.
const BONES: u16 = 64;
/// The maximum inflated size of a surface of a compressed mesh, in bytes.
const MAX_INFLATED_BYTES: u64 = 16 << 20;

/// The types of UNIGINE meshes that are generated.
pub(in crate::formats) static KINDS: [SampleKind; 3] = [
    SampleKind {
        id: "unigine-static",
        help: "ms13, which is read directly from the memory map",
        growth: 3,
        max_size: None,
        write: |size, create| plain(size, false, create),
        asset: None,
    },
    SampleKind {
        id: "unigine-skinned",
        help: "ms13 with bone weights",
        growth: 3,
        max_size: None,
        write: |size, create| plain(size, true, create),
        asset: None,
    },
    SampleKind {
        id: "unigine-compressed",
        help: "ms14, in which each surface is a block to inflate",
        growth: 4,
        max_size: None,
        write: compressed,
        asset: None,
    },
];

/// Returns the type of generated mesh that is most similar to a mesh.
pub(in crate::formats) fn kind<D: AsRef<[u8]>>(mesh: &Mesh<D>) -> &'static SampleKind {
    let [unskinned, skinned, compressed] = &KINDS;
    match mesh.bone_count() {
        _ if mesh.generation().is_compressed() => compressed,
        0 => unskinned,
        _ => skinned,
    }
}

/// Writes an uncompressed ms13 mesh of about `size` bytes, with bone weights if `skinned` is true.
fn plain(size: u64, skinned: bool, create: CreateFile<'_>) -> Result<()> {
    // Each quad needs 12 bytes for positions, 20 bytes for tangent frames and UVs (whose elements
    // are a quarter more than the positions, because of texture seams), 11 bytes for weights on
    // average, and six indices in each of the two index streams.
    let quads = |index: u64| {
        let bytes = if skinned { 43_u64 } else { 32 }.saturating_add(index.saturating_mul(12));
        (size / SURFACES).checked_div(bytes).unwrap_or_default()
    };
    let quads = if quads(2) > 0xffff { quads(4) } else { quads(2) };
    repeat(
        &mesh(Generation::Ms13, HeightField::of_quads(quads, u16::MAX), skinned),
        |_| SURFACES,
        &mut *create("mesh")?,
    )
}

/// Writes an ms14 mesh with compressed blocks of about `size` bytes.
fn compressed(size: u64, create: CreateFile<'_>) -> Result<()> {
    let inflated = (size / SURFACES).min(MAX_INFLATED_BYTES);
    let one = mesh(Generation::Ms14, HeightField::of_quads(inflated / 60, u16::MAX), false);
    let times = |bytes: u64| size.checked_div(bytes).unwrap_or_default().max(1);
    repeat(&one, times, &mut *create("mesh")?)
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
fn repeat(mesh: &builder::Mesh, times: impl Fn(u64) -> u64, out: &mut dyn Write) -> Result<()> {
    let bytes = mesh.to_bytes()?;
    let mut regions = Vec::new();
    Mesh::open(bytes.as_slice())?.regions(0, &mut |region| {
        let [start, end] = [region.start, region.end].map(|at| usize::try_from(at).unwrap_or(usize::MAX));
        regions.push((region.field.to_string(), start..end));
    })?;
    let find = |name: &str| regions.iter().find(|(field, _)| field == name).map_or(0..0, |(_, range)| range.clone());
    let (count, end) = (find("surfaces.count"), find("closing_magic"));
    let compressed = mesh.generation.is_compressed();
    let heads = count.end..find(if compressed { "memory_estimate" } else { "inner_magic" }).start;
    let geometry = find("bind_transforms").end..if compressed { find("tree_magic").start } else { end.start };
    let tree = if compressed { find("tree_magic").end..find("table_magic").start } else { end.start..end.start };
    let each = [&heads, &geometry, &tree].iter().map(|range| range.len()).fold(0, usize::saturating_add);
    let times = times(as_u64(each));
    let (written, length) = compact::encode(i32::try_from(times).unwrap_or(i32::MAX));
    let put = |out: &mut dyn Write, range: &Range<usize>, times: u64| {
        (0..times).try_for_each(|_| out.write_all(bytes.get(range.clone()).unwrap_or_default()))
    };
    put(out, &(0..count.start), 1)?;
    out.write_all(written.get(..length).unwrap_or_default())?;
    let (before_geometry, before_tree) = (heads.end..geometry.start, geometry.end..tree.start);
    put(out, &heads, times)?;
    put(out, &before_geometry, 1)?;
    put(out, &geometry, times)?;
    put(out, &before_tree, 1)?;
    put(out, &tree, times)?;
    if compressed {
        let offsets = find("offsets");
        put(out, &(tree.end..offsets.start), 1)?;
        // The file stores the byte offset of each surface.
        let heads = as_u64(heads.len()).saturating_mul(times);
        let start =
            [count.start, length, before_geometry.len()].into_iter().map(as_u64).fold(heads, u64::saturating_add);
        for number in 0..times {
            out.write_all(&start.saturating_add(number.saturating_mul(as_u64(geometry.len()))).to_le_bytes())?;
        }
    }
    put(out, &end, 1)?;
    Ok(out.flush()?)
}

//! Generated UNIGINE meshes of any size. One surface is built in memory, and its bytes are written
//! once for each surface of the file.

use std::io::Write;

use zerocopy::IntoBytes as _;

use super::layout::{Generation, RawBounds, RawTransform};
use super::writer::FieldWriter;
use super::{Mesh, bounds};
use crate::array::{Bounds, Sphere};
use crate::decode::{TangentFrame, compact, float, influence4, tangent_frame};
use crate::error::Result;
use crate::formats::samples::{CreateFile, HeightField, SampleKind, influences};
use crate::math::as_u64;
use crate::model::{Storage, Transform};

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
    let bones = if skinned { BONES } else { 0 };
    write(Generation::Ms13, HeightField::of_quads(quads, u16::MAX), bones, |_| SURFACES, &mut *create("mesh")?)
}

/// Writes an ms14 mesh with compressed blocks of about `size` bytes.
fn compressed(size: u64, create: CreateFile<'_>) -> Result<()> {
    let inflated = (size / SURFACES).min(MAX_INFLATED_BYTES);
    let field = HeightField::of_quads(inflated / 60, u16::MAX);
    let times = |bytes: usize| size.checked_div(as_u64(bytes)).unwrap_or_default().max(1);
    write(Generation::Ms14, field, 0, times, &mut *create("mesh")?)
}

/// Writes a mesh that contains a height field many times, as equal surfaces. `bones` is the number
/// of bones, or 0 for a mesh without weights. The closure `times` gets the number of bytes of one
/// surface in the file, and returns the number of surfaces.
fn write(
    generation: Generation,
    field: HeightField,
    bones: u16,
    times: impl Fn(usize) -> u64,
    out: &mut dyn Write,
) -> Result<()> {
    let compressed = generation.is_compressed();
    let bytes = |put: &dyn Fn(&mut FieldWriter<&mut Vec<u8>>) -> Result<()>| {
        let mut bytes = Vec::new();
        put(&mut FieldWriter::for_mesh(&mut bytes, generation)).map(|()| bytes)
    };
    let corners = field.triangles().count().saturating_mul(3);
    let bounds: Bounds = field.positions().into_iter().collect();
    let center = bounds::center(&bounds);
    let radius = field.positions().into_iter().map(|at| bounds::distance(at, center)).fold(0.0, f32::max);
    let bounds = RawBounds::new(&bounds, &Sphere { center, radius });
    let head = bytes(&|writer| {
        writer.text(b"height field")?;
        writer.lightmap(generation, None)?;
        (0..if compressed { 2 } else { 0 }).try_for_each(|_| writer.length(corners))?;
        writer.bounds(&bounds)?;
        writer.count(1)?;
        writer.target(generation, b"", compressed.then(|| field.vertex_count()))
    })?;
    let mut geometry = bytes(&|writer| write_geometry(field, bones, compressed, writer))?;
    let mut tree = Vec::new();
    if compressed {
        geometry = bytes(&|writer| writer.new_block(&geometry, Storage::Lz4))?;
        let content = bytes(&|writer| write_tree(corners / 3, &bounds, writer))?;
        tree = bytes(&|writer| writer.new_block(&content, Storage::Lz4))?;
    }
    let times = times([&head, &geometry, &tree].iter().map(|part| part.len()).fold(0, usize::saturating_add));
    let mut writer = FieldWriter::for_mesh(out, generation);
    writer.magic()?;
    if compressed {
        writer.count(u32::MAX)?;
    }
    writer.bounds(&bounds)?;
    writer.count(bones.into())?;
    for bone in 0..bones {
        writer.text(format!("bone {bone}").as_bytes())?;
        writer.bytes(&bone.wrapping_sub(1).to_le_bytes())?;
    }
    writer.length(usize::try_from(times).unwrap_or(usize::MAX))?;
    (0..times).try_for_each(|_| writer.bytes(&head))?;
    if compressed {
        writer.bytes(&as_u64(geometry.len()).saturating_mul(times).to_le_bytes())?;
    }
    writer.magic()?;
    (0..bones).try_for_each(|_| writer.bytes(RawTransform::new(&Transform::default()).as_bytes()))?;
    let mut places = Vec::new();
    for _ in 0..times {
        places.push(writer.written());
        writer.bytes(&geometry)?;
    }
    writer.magic()?;
    if compressed {
        (0..times).try_for_each(|_| writer.bytes(&tree))?;
        writer.table(&places)?;
    }
    writer.flush()
}

/// Writes the arrays of a surface.
fn write_geometry(
    field: HeightField,
    bones: u16,
    compressed: bool,
    writer: &mut FieldWriter<&mut Vec<u8>>,
) -> Result<()> {
    let (positions, normals, uvs) = (field.positions(), field.seamed_normals(), field.seamed_uvs());
    if !compressed {
        writer.length(positions.len())?;
    }
    positions.iter().try_for_each(|position| writer.bytes(float::encode(*position).as_bytes()))?;
    writer.length(normals.len())?;
    for normal in &normals {
        let [x, _, z] = *normal;
        let length = (x * x + z * z).sqrt();
        let frame = TangentFrame::from_axes(*normal, [z / length, 0.0, -x / length], -1.0);
        writer.bytes(tangent_frame::encode8(&frame).as_bytes())?;
    }
    writer.count(if bones > 0 { field.vertex_count() } else { 0 })?;
    for vertex in 0..if bones > 0 { field.vertex_count() } else { 0 } {
        let list = influences(vertex, bones);
        writer.length(list.len())?;
        list.into_iter().try_for_each(|one| writer.bytes(influence4::encode(one).as_bytes()))?;
    }
    writer.length(uvs.len())?;
    uvs.iter().try_for_each(|uv| writer.bytes(float::encode(*uv).as_bytes()))?;
    // There is no second set of UVs, and there are no colours.
    (0..2).try_for_each(|_| writer.count(0))?;
    let streams: [(&mut dyn Iterator<Item = u32>, usize); 2] =
        [(&mut field.triangles().flatten(), positions.len()), (&mut field.seamed_triangles().flatten(), normals.len())];
    for (indices, items) in streams {
        if !compressed {
            writer.length(field.triangles().count().saturating_mul(3))?;
        }
        for index in indices {
            writer.index(index, items)?;
        }
    }
    Ok(())
}

/// Writes a spatial tree that is one leaf, without border edges.
fn write_tree(triangles: usize, bounds: &RawBounds, writer: &mut FieldWriter<&mut Vec<u8>>) -> Result<()> {
    writer.length(triangles)?;
    writer.bytes(&vec![0; triangles])?;
    writer.length(triangles)?;
    (0..triangles).try_for_each(|triangle| writer.length(triangle.saturating_mul(3)))?;
    writer.count(1)?;
    let (none, length) = compact::encode(-1);
    let none = none.get(..length).unwrap_or_default();
    [&[0], none, none].iter().try_for_each(|part| writer.bytes(part))?;
    writer.count(0)?;
    writer.length(triangles)?;
    writer.bytes([bounds.min, bounds.max].as_bytes())?;
    writer.bytes(&0_f32.to_le_bytes())
}

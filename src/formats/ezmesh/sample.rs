//! Generated EZ-Mesh files of any size. One mesh element is built in memory, and its bytes are
//! written repeatedly until the file has the requested size.

use std::io::Write as _;

use super::Mesh;
use super::builder::{MeshHead, Output, SectionHead, SystemHead, VertexColumns};
use super::semantic::Semantic;
use crate::array::Bounds;
use crate::decode::ByteOrder;
use crate::error::Result;
use crate::formats::samples::height_field::HeightField;
use crate::formats::samples::{CreateFile, SampleKind};
use crate::math::as_u64;

/// The number of meshes in a generated file of up to 1 GiB. A generated file of more than 1 GiB
/// contains more meshes.
const MESHES: u64 = 16;
/// The maximum size of one generated mesh, in bytes.
const MAX_MESH_BYTES: u64 = 64 << 20;
/// The approximate number of bytes per vertex in a text file and in a binary file. Two triangles
/// per vertex are included in this number.
const TEXT_VERTEX_BYTES: u64 = 126;
const BINARY_VERTEX_BYTES: u64 = 56;

/// The types of EZ-Mesh files that are generated.
pub(in crate::formats) static KINDS: [SampleKind; 2] = [
    SampleKind {
        id: "ezmesh-text",
        help: "EZ-Mesh text (.ezm)",
        growth: 3,
        max_size: None,
        write: |size, create| write(size, None, create),
        asset: None,
    },
    SampleKind {
        id: "ezmesh-binary",
        help: "EZ-Mesh binary (.ezb)",
        growth: 3,
        max_size: None,
        write: |size, create| write(size, Some(ByteOrder::Little), create),
        asset: None,
    },
];

/// Returns the type of generated mesh that is most similar to a mesh.
pub(in crate::formats) fn kind<D: AsRef<[u8]>>(mesh: &Mesh<D>) -> &'static SampleKind {
    let [text, binary] = &KINDS;
    if mesh.dialect().is_some() { text } else { binary }
}

/// Writes an EZ-Mesh file of about `size` bytes. The file is binary in the byte order `order`, or
/// text if `order` is `None`.
fn write(size: u64, order: Option<ByteOrder>, create: CreateFile<'_>) -> Result<()> {
    let each = (size / MESHES).min(MAX_MESH_BYTES);
    let field = HeightField::of_quads(
        if order.is_some() { each / BINARY_VERTEX_BYTES } else { each / TEXT_VERTEX_BYTES },
        u16::MAX,
    );
    let spell = |count: usize| {
        let mut bytes = Vec::new();
        write_meshes(field, count, Output::new(&mut bytes, order)).map(|()| bytes)
    };
    let (one, two) = (spell(1)?, spell(2)?);
    // The generated file with one mesh and the generated file with two meshes differ first in the
    // declared number of meshes, and then at the start of the second mesh.
    let differ = |from: usize| {
        let pairs = one.iter().zip(&two).skip(from);
        pairs.take_while(|(one, two)| one == two).count().saturating_add(from)
    };
    let count = differ(0);
    let behind = differ(count.saturating_add(1));
    let length = two.len().saturating_sub(one.len());
    let mesh = two.get(behind..behind.saturating_add(length)).unwrap_or_default();
    let number = u32::try_from(size.checked_div(as_u64(length)).unwrap_or_default().max(1)).unwrap_or(u32::MAX);
    let (digits, width) = match order {
        None => (number.to_string().into_bytes(), 1),
        Some(ByteOrder::Little) => (number.to_le_bytes().into(), 4),
        Some(ByteOrder::Big) => (number.to_be_bytes().into(), 4),
    };
    let mut out = create(if order.is_some() { "ezb" } else { "ezm" })?;
    out.write_all(one.get(..count).unwrap_or_default())?;
    out.write_all(&digits)?;
    out.write_all(one.get(count.saturating_add(width)..behind).unwrap_or_default())?;
    (1..number).try_for_each(|_| out.write_all(mesh))?;
    out.write_all(one.get(behind..).unwrap_or_default())?;
    Ok(out.flush()?)
}

/// Writes a file with `count` times the same mesh.
fn write_meshes(field: HeightField, count: usize, mut out: Output<'_>) -> Result<()> {
    let (positions, is_binary) = (field.positions(), out.order().is_some());
    let around = positions.iter().map(|at| Bounds { min: *at, max: *at });
    let bounds = around.reduce(|one, other| one.union(&other)).filter(|_| is_binary);
    let rows = positions.len();
    let mut columns = VertexColumns::default();
    columns.push_floats(Semantic::Position, positions);
    columns.push_floats(Semantic::Normal, field.normals());
    columns.push_floats(Semantic::Texcoord(0), field.uvs());
    let types = columns.types();
    out.start_system(&SystemHead { bounds, ..SystemHead::default() })?;
    (0..4).for_each(|_| out.no_list());
    out.start_list("Materials", 1)?;
    out.material(b"stone", b"")?;
    out.end_list("Materials", 1)?;
    (0..2).for_each(|_| out.no_list());
    out.start_list("Meshes", count)?;
    for _ in 0..count {
        let write_vertices = |out: &mut Output<'_>| {
            out.start_vertices(rows, &types)?;
            columns.write(rows, out)?;
            out.close("vertexbuffer")
        };
        out.start_mesh(&MeshHead { name: b"height field", skeleton: b"", bounds, sections: 1 })?;
        if !is_binary {
            write_vertices(&mut out)?;
        }
        out.start_section(&SectionHead { material: b"stone", bounds, types: Some(&types), info: None })?;
        out.start_triangles(field.triangles().count())?;
        field.triangles().try_for_each(|triangle| out.triangle(triangle))?;
        out.end_triangles()?;
        out.close("MeshSection")?;
        if is_binary {
            write_vertices(&mut out)?;
        }
        out.close("Mesh")?;
    }
    out.end_list("Meshes", count)?;
    out.end_system()?;
    out.finish()
}

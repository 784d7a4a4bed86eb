//! Generated EZ-Mesh files of any size. One mesh element is built in memory, and its bytes are
//! written repeatedly until the file has the requested size.

use std::io::Write as _;

use super::Mesh;
use super::builder::{Output, VERSIONS, VertexColumns};
use super::layout::Semantic;
use crate::array::Bounds;
use crate::error::Result;
use crate::formats::samples::{CreateFile, HeightField, SampleKind};
use crate::math::{as_index, as_u64};

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
    kind_of("ezmesh-text", "EZ-Mesh text (.ezm)", |size, create| write(size, false, create)),
    kind_of("ezmesh-binary", "EZ-Mesh binary (.ezb)", |size, create| write(size, true, create)),
];

const fn kind_of(id: &'static str, help: &'static str, write: fn(u64, CreateFile<'_>) -> Result<()>) -> SampleKind {
    SampleKind { id, help, growth: 3, max_size: None, write, asset: None }
}

/// Returns the type of generated mesh that is most similar to a mesh.
pub(in crate::formats) fn kind<D: AsRef<[u8]>>(mesh: &Mesh<D>) -> &'static SampleKind {
    let [text, binary] = &KINDS;
    if mesh.dialect().is_some() { text } else { binary }
}

/// Writes an EZ-Mesh file of about `size` bytes.
fn write(size: u64, is_binary: bool, create: CreateFile<'_>) -> Result<()> {
    let each = (size / MESHES).min(MAX_MESH_BYTES);
    let vertices = if is_binary { each / BINARY_VERTEX_BYTES } else { each / TEXT_VERTEX_BYTES };
    let field = HeightField::of_quads(vertices, u16::MAX);
    let spell = |count: u32, meshes: usize| {
        let mut bytes = Vec::new();
        write_meshes(field, as_index(count), meshes, Output::new(&mut bytes, is_binary)).map(|()| bytes)
    };
    let length = spell(1, 1)?.len().saturating_sub(spell(1, 0)?.len());
    let number = u32::try_from(size.checked_div(as_u64(length)).unwrap_or_default().max(1)).unwrap_or(u32::MAX);
    // Without its meshes, the file has the same start and the same end. If the end starts like a
    // mesh, the repeated bytes are those of a mesh, rotated.
    let (none, one) = (spell(number, 0)?, spell(number, 1)?);
    let start = none.iter().zip(&one).take_while(|(none, one)| none == one).count();
    let (head, rest) = one.split_at_checked(start).unwrap_or_default();
    let (mesh, end) = rest.split_at_checked(length).unwrap_or_default();
    let mut out = create(if is_binary { "ezb" } else { "ezm" })?;
    out.write_all(head)?;
    (0..number).try_for_each(|_| out.write_all(mesh))?;
    out.write_all(end)?;
    Ok(out.flush()?)
}

/// Writes a file that declares `count` meshes, with `meshes` times the same mesh.
fn write_meshes(field: HeightField, count: usize, meshes: usize, mut out: Output<'_>) -> Result<()> {
    let (positions, is_binary) = (field.positions(), out.is_binary());
    let bounds = is_binary.then(|| positions.iter().copied().collect::<Bounds>());
    let rows = positions.len();
    let mut columns = VertexColumns::default();
    columns.floats(Semantic::Position, positions);
    columns.floats(Semantic::Normal, field.normals());
    columns.floats(Semantic::Texcoord(0), field.uvs());
    let types = columns.types();
    out.start_system([b"", b""], VERSIONS, bounds)?;
    (0..4).for_each(|_| out.no_list());
    out.list(("Materials", "material"), [b"stone"].into_iter(), |out, name| out.material(name, b""))?;
    (0..2).for_each(|_| out.no_list());
    out.start_list("Meshes", count)?;
    for _ in 0..meshes {
        let write_vertices = |out: &mut Output<'_>| out.vertices(rows, &types, |out| columns.write(rows, out));
        out.start_mesh([b"height field", b""], bounds, 1)?;
        if !is_binary {
            write_vertices(&mut out)?;
        }
        out.start_section(b"stone", bounds, Some(&types), None)?;
        out.triangles(field.triangles().count(), |out| {
            field.triangles().try_for_each(|triangle| out.triangle(triangle))
        })?;
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

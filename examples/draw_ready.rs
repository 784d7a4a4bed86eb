//! Makes the vertices and indices of each surface of a mesh file, in the layout that a GPU reads.
//! Prints the layout, the sizes and the first vertex.
//!
//! `cargo run --release --example draw_ready FILE`

use std::{error::Error, io::Write, path::Path};

use meshpeek::gpu::{IndexFormat, Semantic, VertexFormat, VertexLayout};

pub(crate) fn run(path: &Path, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let layout = VertexLayout::packed(&[
        (Semantic::Position, VertexFormat::Float32x3),
        (Semantic::Normal, VertexFormat::Snorm8x4),
        (Semantic::Uv(0), VertexFormat::Float16x2),
        (Semantic::Joints, VertexFormat::Uint16x4),
        (Semantic::Weights, VertexFormat::Unorm8x4),
    ])?;
    for attribute in layout.attributes() {
        writeln!(out, "{:>4}  {:<10} {:?}", attribute.offset(), attribute.format().wgpu_name(), attribute.semantic())?;
    }
    let model = meshpeek::open(path)?;
    for surface in model.surfaces()? {
        // A GPU has one index for all attributes of a vertex. A surface that stores two is welded.
        let drawable = surface.drawable()?;
        let (vertices, indices) = (drawable.vertices(&layout)?, drawable.indices(IndexFormat::Uint32)?);

        // A program uploads these vectors. `push` writes into mapped memory instead.
        let (mut vertex_bytes, mut index_bytes) = (vec![0; vertices.byte_len()], vec![0; indices.byte_len()]);
        vertices.write_into(0..vertices.vertex_count(), &mut vertex_bytes)?;
        indices.write_into(0..indices.index_count(), &mut index_bytes)?;

        writeln!(out, "{} ({} vertices, {} indices)", surface.name()?, vertices.vertex_count(), indices.index_count())?;
        writeln!(out, "  {} bytes of vertices, {} bytes of indices", vertex_bytes.len(), index_bytes.len())?;
        writeln!(out, "  not in the file: {:?}", vertices.missing())?;
        if let Some(first) = vertex_bytes.chunks(usize::try_from(layout.stride())?).next() {
            writeln!(out, "  first vertex: {first:02x?}")?;
        }
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: draw_ready FILE")?;
    run(path.as_ref(), &mut std::io::stdout().lock())
}

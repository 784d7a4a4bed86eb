//! Vertices and indices that the library converts, pushed into buffers of a GPU.

use std::error::Error;

use meshpeek::Surface;
use meshpeek::gpu::{IndexFormat, IndexSource, Semantic, VertexFormat, VertexLayout, VertexSource};

use crate::Tally;
use crate::gpu::{Draw, Gpu};

/// Reads the vertices of [`layout`].
const SHADER: &str = include_str!("shader.wgsl");

/// Returns the layout that the shader reads.
fn layout() -> meshpeek::Result<VertexLayout> {
    VertexLayout::packed(&[
        (Semantic::Position, VertexFormat::Float32x3),
        (Semantic::Normal, VertexFormat::Snorm8x4),
        (Semantic::Tangent, VertexFormat::Snorm16x4),
        (Semantic::Uv(0), VertexFormat::Float16x2),
        (Semantic::Color, VertexFormat::Unorm8x4),
    ])
}

/// Returns the format of `wgpu` with the same name.
pub fn wgpu_format(format: VertexFormat) -> Result<wgpu::VertexFormat, Box<dyn Error>> {
    Ok(match format {
        VertexFormat::Float32x2 => wgpu::VertexFormat::Float32x2,
        VertexFormat::Float32x3 => wgpu::VertexFormat::Float32x3,
        VertexFormat::Float16x2 => wgpu::VertexFormat::Float16x2,
        VertexFormat::Snorm8x4 => wgpu::VertexFormat::Snorm8x4,
        VertexFormat::Snorm16x4 => wgpu::VertexFormat::Snorm16x4,
        VertexFormat::Unorm8x4 => wgpu::VertexFormat::Unorm8x4,
        VertexFormat::Unorm16x2 => wgpu::VertexFormat::Unorm16x2,
        other => return Err(format!("no attribute here has the format {}", other.wgpu_name()).into()),
    })
}

/// Makes the pipeline of the layout.
pub fn pipeline(gpu: &Gpu) -> Result<wgpu::RenderPipeline, Box<dyn Error>> {
    let layout = layout()?;
    let attributes = layout.attributes().iter().zip(0..).map(|(attribute, shader_location)| {
        let (format, offset) = (wgpu_format(attribute.format())?, attribute.offset().into());
        Ok(wgpu::VertexAttribute { format, offset, shader_location })
    });
    let attributes = attributes.collect::<Result<Vec<_>, Box<dyn Error>>>()?;
    let buffer = wgpu::VertexBufferLayout {
        array_stride: layout.stride().into(),
        step_mode: wgpu::VertexStepMode::Vertex,
        attributes: &attributes,
    };
    gpu.checked(|| gpu.pipeline(SHADER, &[buffer]))
}

/// Uploads a surface and draws it.
pub fn upload(
    gpu: &Gpu,
    pipeline: &wgpu::RenderPipeline,
    surface: &Surface<'_>,
    tally: &mut Tally,
) -> Result<(), Box<dyn Error>> {
    let layout = layout()?;
    let drawable = surface.drawable()?;
    let vertices = drawable.vertices(&layout)?;
    let format = index_format(vertices.vertex_count());
    draw(gpu, pipeline, &vertices, &drawable.indices(format)?, format, tally)
}

/// Returns the smallest format of the indices.
fn index_format(vertex_count: usize) -> IndexFormat {
    if vertex_count <= 1 << 16 { IndexFormat::Uint16 } else { IndexFormat::Uint32 }
}

fn draw(
    gpu: &Gpu,
    pipeline: &wgpu::RenderPipeline,
    vertices: &VertexSource<'_>,
    indices: &IndexSource<'_>,
    format: IndexFormat,
    tally: &mut Tally,
) -> Result<(), Box<dyn Error>> {
    // The vertices are pushed into mapped memory, which a program can only write.
    let mapped = gpu.buffer(vertices.byte_len(), wgpu::BufferUsages::VERTEX, true);
    let mut view = mapped.get_mapped_range_mut(..)?;
    vertices.push(0..vertices.vertex_count(), |offset, bytes| {
        let start = offset as usize;
        view.slice(start..start + bytes.len()).copy_from_slice(bytes);
    })?;
    drop(view);
    mapped.unmap();

    // The indices are pushed into the queue. Each block but the last has a multiple of 4 bytes.
    let written = gpu.buffer(indices.byte_len(), wgpu::BufferUsages::INDEX, false);
    gpu.checked(|| indices.push(0..indices.index_count(), |offset, bytes| gpu.write(&written, offset, bytes)))??;

    let wgpu_format = match format {
        IndexFormat::Uint16 => wgpu::IndexFormat::Uint16,
        IndexFormat::Uint32 => wgpu::IndexFormat::Uint32,
    };
    let count = u32::try_from(indices.index_count())?;
    let (vertex_buffers, indices) = ([(&mapped, 0)], Some((&written, wgpu_format)));
    gpu.checked(|| gpu.draw(&Draw { pipeline, vertices: &vertex_buffers, storage: None, indices, count }))?;
    tally.vertices += vertices.vertex_count();
    tally.indices += count as usize;
    tally.bytes += mapped.size() + written.size();
    Ok(())
}

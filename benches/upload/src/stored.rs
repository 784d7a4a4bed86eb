//! Arrays that are uploaded as they lie in the file, and decoded by the shader.

use std::error::Error;
use std::fmt::Write as _;

use meshpeek::{Array as _, Surface};
use meshpeek::gpu::{StoredAttribute, wgsl};
use meshpeek::model::Indices;

use crate::Tally;
use crate::gpu::{Draw, Gpu};
use crate::pushed::wgpu_format;

/// The buffer with the bytes of the file.
const WORDS: &str = "@group(0) @binding(0) var<storage, read> meshpeek_words: array<u32>;\n";

/// Arrays of a file that are appended to one buffer. Each starts at a multiple of 4 bytes.
#[derive(Default)]
struct Bytes<'a> {
    arrays: Vec<(&'a [u8], usize)>,
    size: usize,
}

impl<'a> Bytes<'a> {
    /// Returns the offset of an array in the buffer. An array that is already there is not added
    /// again, such as the vertices that contain several attributes.
    fn add(&mut self, bytes: &'a [u8]) -> usize {
        let found = self.arrays.iter().find(|(array, _)| std::ptr::eq(*array, bytes));
        if let Some((_, offset)) = found {
            return *offset;
        }
        let offset = self.size;
        self.arrays.push((bytes, offset));
        self.size += bytes.len().next_multiple_of(4);
        offset
    }
}

/// Uploads the arrays of a surface, and draws it with a shader that reads both index streams.
pub fn upload(gpu: &Gpu, surface: &Surface<'_>, tally: &mut Tally) -> Result<(), Box<dyn Error>> {
    let mut bytes = Bytes::default();
    let corner_count = surface.counts()?.corners;
    let mut body = String::new();
    for (name, indices) in [("position", surface.indices()?), ("attribute", surface.attribute_indices()?)] {
        let index = index_expression(&indices, &mut bytes);
        writeln!(body, "    let {name}_index = {index};\n    var sum_{name} = vec4<f32>();")?;
    }
    let attributes = StoredAttribute::of(surface)?;
    for attribute in &attributes {
        let start = bytes.add(attribute.bytes) + attribute.offset;
        let stream = if attribute.semantic == meshpeek::gpu::Semantic::Position { "position" } else { "attribute" };
        let mut arguments = format!("{start}u + {}u * {stream}_index", attribute.stride);
        for [x, y, z, w] in attribute.offset_scale.into_iter().flatten() {
            write!(arguments, ", vec4<f32>({x:?}, {y:?}, {z:?}, {w:?})")?;
        }
        // Two to four components are decoded.
        let function = attribute.function;
        writeln!(body, "    sum_{stream} += {function}({arguments}).xyxy;")?;
        draw_vertex_buffer(gpu, attribute, tally)?;
    }
    let shader = format!(
        "{WORDS}
@vertex fn vertex(@builtin(vertex_index) corner: u32) -> @builtin(position) vec4<f32> {{
{body}    return sum_position + sum_attribute;
}}
{FRAGMENT}{}",
        wgsl::SOURCE
    );
    let pipeline = gpu.checked(|| gpu.pipeline(&shader, &[]))?;
    let buffer = gpu.buffer(bytes.size, wgpu::BufferUsages::STORAGE, false);
    gpu.checked(|| {
        for (array, offset) in &bytes.arrays {
            gpu.write(&buffer, *offset as u64, array);
        }
        let storage = Some(&buffer);
        gpu.draw(&Draw { pipeline: &pipeline, vertices: &[], storage, indices: None, count: corner_count });
    })?;
    tally.stored_arrays += attributes.len();
    tally.bytes += bytes.size as u64;
    Ok(())
}

const FRAGMENT: &str = "
@fragment fn fragment() -> @location(0) vec4<f32> {
    return vec4<f32>(1.0);
}
";

/// Returns the text of an expression for the index of a corner. If the file stores no indices that
/// a shader can read, the corner is used.
fn index_expression<'a>(indices: &Indices<'a>, bytes: &mut Bytes<'a>) -> String {
    let Some(width) = indices.stored_width() else { return "corner".to_owned() };
    let (start, bits) = (bytes.add(indices.as_bytes()), width * 8);
    format!("meshpeek_unpack_u{bits}({start}u + {width}u * corner)")
}

/// Draws points from a vertex buffer with the bytes of an attribute, if the alignment permits.
fn draw_vertex_buffer(gpu: &Gpu, attribute: &StoredAttribute<'_>, tally: &mut Tally) -> Result<(), Box<dyn Error>> {
    let Some(format) = attribute.format.filter(|_| attribute.is_aligned() && attribute.count > 0) else {
        return Ok(());
    };
    let attributes =
        [wgpu::VertexAttribute { format: wgpu_format(format)?, offset: attribute.offset as u64, shader_location: 0 }];
    let layout = wgpu::VertexBufferLayout {
        array_stride: attribute.stride as u64,
        step_mode: wgpu::VertexStepMode::Vertex,
        attributes: &attributes,
    };
    let shader = format!(
        "@vertex fn vertex(@location(0) value: vec4<f32>) -> @builtin(position) vec4<f32> {{ return value; }}{FRAGMENT}"
    );
    gpu.checked(|| {
        let pipeline = gpu.pipeline(&shader, &[layout]);
        let buffer = gpu.buffer(attribute.bytes.len(), wgpu::BufferUsages::VERTEX, false);
        gpu.write(&buffer, 0, attribute.bytes);
        let (vertices, count) = ([(&buffer, 0)], u32::try_from(attribute.count).unwrap_or(u32::MAX));
        gpu.draw(&Draw { pipeline: &pipeline, vertices: &vertices, storage: None, indices: None, count });
    })?;
    tally.vertex_buffers += 1;
    Ok(())
}

/// Compiles a shader for each function of [`wgsl::SOURCE`] that calls it, and returns the number of
/// functions.
pub fn check_all_functions(gpu: &Gpu) -> Result<usize, Box<dyn Error>> {
    let mut count = 0;
    for line in wgsl::SOURCE.lines().filter(|line| line.starts_with("fn ")) {
        let (name, rest) = line.trim_start_matches("fn ").split_once('(').ok_or(line)?;
        let (parameters, _) = rest.split_once(')').ok_or(line)?;
        let argument = |parameter: &str| match parameter.rsplit(": ").next() {
            Some("u32") => Ok("id.x"),
            Some("i32") => Ok("bitcast<i32>(id.x)"),
            Some("vec4<f32>") => Ok("vec4<f32>(1.5)"),
            _ => Err(format!("{line}: no argument for `{parameter}`")),
        };
        let arguments = parameters.split(", ").map(argument).collect::<Result<Vec<_>, _>>()?.join(", ");
        let shader = format!(
            "{WORDS}{}
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
    _ = meshpeek_words[0];
    _ = {name}({arguments});
}}",
            wgsl::SOURCE
        );
        gpu.checked(|| {
            gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: None,
                layout: None,
                module: &gpu.module(&shader),
                entry_point: Some("main"),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                cache: None,
            })
        })
        .map_err(|error| format!("{name}: {error}"))?;
        count += 1;
    }
    Ok(count)
}

//! Tests of streaming through the public interface: regions of files, parts of meshes and levels of
//! detail are compared with direct reads of the same bytes.
#![allow(
    unsafe_code,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    clippy::float_cmp,
    reason = "a panic is how a test fails, and exact floats are meant; mapping a file is unsafe"
)]

mod assets;
mod regions;
mod sources;
#[path = "../support/mod.rs"]
mod support;
mod vertices;

#[global_allocator]
static ALLOCATOR: support::allocations::CountingAllocator = support::allocations::CountingAllocator;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use meshpeek::gpu::{IndexFormat, Semantic, VertexFormat, VertexLayout};
use meshpeek::io::FileBytes;
use meshpeek::streaming::{Buffers, Content, Draw, StreamEvent, Streamer};
use meshpeek::{Map, Model};

use crate::support::PATIENCE;

/// Runs frames until all requests have ended, and returns the events in the order of their tags.
///
/// A streamer without workers does its work in this thread.
fn finish<C: Content>(streamer: &mut Streamer<C>, workers: usize) -> Vec<StreamEvent> {
    let mut events = Vec::new();
    let started = Instant::now();
    loop {
        streamer.begin_frame();
        streamer.poll();
        events.extend(std::iter::from_fn(|| streamer.next_event()));
        let counts = streamer.statistics();
        if counts.done + counts.failed + counts.cancelled == counts.requests {
            break;
        }
        assert!(started.elapsed() < PATIENCE, "a request does not end: {streamer:?}");
        if workers > 0 {
            streamer.wait(Duration::from_millis(1));
        } else {
            streamer.step();
        }
    }
    events.sort_by_key(|event| event.tag);
    events
}

/// Returns the sample files of a format.
fn samples(format: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(format);
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.is_file());
    paths.sort();
    paths
}

fn map(path: &Path) -> meshpeek::Result<Map> {
    // SAFETY: No process writes to the file of a test after it was mapped.
    unsafe { meshpeek::Map::open(path) }
}

fn open_mapped(map: &Arc<Map>) -> Model<FileBytes> {
    Model::open(FileBytes::Map(Arc::clone(map))).unwrap()
}

/// The attributes that no format refuses. The position comes first.
fn layout() -> VertexLayout {
    VertexLayout::packed(&[
        (Semantic::Position, VertexFormat::Float32x3),
        (Semantic::Normal, VertexFormat::Snorm8x4),
        (Semantic::Tangent, VertexFormat::Snorm16x4),
        (Semantic::Uv(0), VertexFormat::Float32x2),
        (Semantic::Color, VertexFormat::Unorm8x4),
    ])
    .unwrap()
}

/// Returns the bytes of the vertex of each corner of a surface in a buffer.
fn corners(buffers: &Buffers<Vec<u8>>, draw: &Draw, layout: &VertexLayout) -> Vec<u8> {
    let (stride, size) = (layout.stride() as usize, draw.format.size() as usize);
    let indices = &buffers.buffer[draw.index_offset as usize..][..draw.indices as usize * size];
    let index = |bytes: &[u8]| match draw.format {
        IndexFormat::Uint16 => usize::from(u16::from_le_bytes(bytes.try_into().unwrap())),
        IndexFormat::Uint32 => u32::from_le_bytes(bytes.try_into().unwrap()) as usize,
    };
    let vertices = indices.chunks(size).map(|bytes| draw.first_vertex as usize + index(bytes));
    vertices.flat_map(|vertex| buffers.buffer[vertex * stride..][..stride].iter().copied()).collect()
}

/// Returns the same bytes as [`corners`] from a decode of all of a surface.
fn decoded(surface: &meshpeek::Surface<'_>, layout: &VertexLayout) -> meshpeek::Result<Vec<u8>> {
    let drawable = surface.drawable()?;
    let source = drawable.vertices(layout)?;
    let mut vertices = vec![0; source.byte_len()];
    source.write_into(0..source.vertex_count(), &mut vertices)?;
    let source = drawable.indices(IndexFormat::Uint32)?;
    let mut indices = vec![0; source.byte_len()];
    source.write_into(0..source.index_count(), &mut indices)?;
    let stride = layout.stride() as usize;
    let indices = indices.chunks(4).map(|bytes| u32::from_le_bytes(bytes.try_into().unwrap()) as usize);
    Ok(indices.flat_map(|index| vertices[index * stride..][..stride].iter().copied()).collect())
}

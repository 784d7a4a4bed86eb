//! Streams the parts of a mesh in a loop like that of a game: each frame requests the parts around
//! a camera that moves, cancels requests for parts that left the view, and draws resident parts.
//!
//! `cargo run --release --example stream FILE`
#![allow(unsafe_code, reason = "the files are mapped")]

use std::{collections::HashMap, error::Error, io::Write, path::Path, sync::Arc, time::Duration};

use meshpeek::gpu::{Semantic, VertexFormat, VertexLayout};
use meshpeek::streaming::{
    LevelOfDetail, MemoryTarget, MeshParts, PartVertices, Priority, StreamOptions, StreamOutcome, Streamer,
};
use meshpeek::{Bounds, io::FileBytes};

const FRAMES: u16 = 300;

/// Returns the distance of a point from a box.
fn distance(bounds: &Bounds, point: [f32; 3]) -> f32 {
    let axes = point.iter().zip(bounds.min.iter().zip(bounds.max));
    axes.map(|(at, (min, max))| (min - at).max(at - max).max(0.0).powi(2)).sum::<f32>().sqrt()
}

pub(crate) fn run(path: &Path, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    // The file is mapped. No byte of an array is read yet.
    // SAFETY: no process writes to the files while this runs.
    let model = unsafe { meshpeek::open_mapped(path)? };
    let map = model.source(0).cloned();

    // Each part has up to 64 KiB of indices and a bounding box. The workers convert a part to the
    // vertices that the GPU reads. A renderer has a target that writes to mapped GPU buffers.
    let parts = Arc::new(MeshParts::new(&model, 64 << 10)?);
    let layout = VertexLayout::packed(&[
        (Semantic::Position, VertexFormat::Float32x3),
        (Semantic::Normal, VertexFormat::Snorm8x4),
        (Semantic::Uv(0), VertexFormat::Float16x2),
    ])?;
    let mut content = PartVertices::new(Arc::new(model), Arc::clone(&parts), [layout], MemoryTarget)?;
    if let Some(FileBytes::Map(map)) = map {
        content = content.with_map(map);
    }
    let content = Arc::new(content);
    let options = StreamOptions::default().with_workers(2).with_budget(64 << 20);
    let mut streamer = Streamer::new(Arc::clone(&content), &options)?;

    // The camera flies from one corner of the mesh to the opposite corner.
    let whole = parts.iter().fold(Bounds::EMPTY, |all, part| all.union(&part.bounds));
    let reach = whole.size().iter().copied().fold(0.0, f32::max) / 4.0;
    let (mut visible, mut pending, mut drawn) = (Vec::new(), HashMap::new(), 0_u64);
    for frame in 0..FRAMES {
        streamer.begin_frame();
        let progress = f32::from(frame) / f32::from(FRAMES);
        let [x, y, z] = whole.size().map(|size| size * progress);
        let eye = [whole.min[0] + x, whole.min[1] + y, whole.min[2] + z];
        let camera = LevelOfDetail::new(eye, 1.0, 1080.0);

        // Find the parts near the camera. A rejected box rejects all parts in it.
        visible.clear();
        parts.visit(|bounds| distance(bounds, eye) <= reach, |part| visible.push(part));

        // Cancel the requests for parts that left the view. Each still ends with an event.
        for (_, slot) in pending.iter().filter(|(part, _)| visible.binary_search(part).is_err()) {
            streamer.cancel(*slot);
        }

        // Request the visible parts that are absent. The nearer a part is, the larger it is on the
        // screen, and the more urgent is the request. Each halving of the size costs 1 of 64.
        for part in &visible {
            let (item, Some(seen)) = (content.item(*part, 0), parts.get(*part)) else { continue };
            let level = u8::try_from(camera.level(&seen.bounds, 64))?;
            let priority = Priority::new(63_u8.saturating_sub(level));
            if let Some(slot) = pending.get(part) {
                streamer.set_priority(*slot, priority);
            } else if !streamer.is_resident(item.first) {
                // If all slots are used, a later frame makes the request.
                let Ok(slot) = streamer.request(&[item], priority, (*part).into()) else { break };
                pending.insert(*part, slot);
            }
        }

        // Take the results of the workers, give them the new requests, and take the events.
        streamer.poll();
        while let Some(event) = streamer.next_event() {
            pending.remove(&u32::try_from(event.tag)?);
            if let StreamOutcome::Failed(error) = event.outcome {
                return Err(error.into());
            }
        }

        // Draw the resident parts. `get` keeps a part in memory for the next frames.
        for part in &visible {
            let Some(buffers) = streamer.get(content.item(*part, 0).first) else { continue };
            let triangles = buffers.draws.iter().map(|draw| draw.indices / 3);
            drawn = drawn.saturating_add(triangles.sum());
        }

        // A renderer waits for the display here. This program waits for a worker.
        if !pending.is_empty() {
            streamer.wait(Duration::from_millis(16));
        }
    }

    let counts = streamer.statistics();
    writeln!(out, "{FRAMES} frames, {} parts, {drawn} triangles drawn", parts.len())?;
    writeln!(out, "requests: {} done, {} cancelled", counts.done, counts.cancelled)?;
    writeln!(
        out,
        "bytes: {} read, {} written to buffers, {} evicted",
        counts.work.read, counts.work.touched, counts.work.evicted
    )?;
    writeln!(out, "bytes in memory: {} at most", counts.peak_resident)?;
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: stream FILE")?;
    run(path.as_ref(), &mut std::io::stdout().lock())
}

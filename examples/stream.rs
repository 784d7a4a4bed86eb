//! Streams the parts of a mesh around a camera that flies through it, in a loop like that of a
//! game. `cargo run --release --example stream FILE`
#![allow(unsafe_code, clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "an example should be short")]

use std::{array, collections::HashMap, error::Error, io::Write, path::Path, sync::Arc, time::Duration};

use meshpeek::streaming::{MemoryTarget, MeshParts, PartVertices, Priority, StreamOptions, Streamer};
use meshpeek::{Bounds, gpu::Semantic::Position, gpu::VertexFormat::Float32x3, gpu::VertexLayout};

pub(crate) fn run(path: &Path, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    // SAFETY: no process writes to the files while this runs.
    let model = Arc::new(unsafe { meshpeek::open_mapped(path)? });
    let parts = Arc::new(MeshParts::new(&*model, 64 << 10)?); // with up to 64 KiB of indices each
    let layouts = [VertexLayout::packed(&[(Position, Float32x3)])?]; // a renderer's target writes to GPU buffers
    let content = Arc::new(PartVertices::new(model, Arc::clone(&parts), layouts, MemoryTarget)?);
    let mut streamer = Streamer::new(Arc::clone(&content), &StreamOptions::default().with_budget(64 << 20))?;
    let whole = parts.iter().fold(Bounds::EMPTY, |all, part| all.union(&part.bounds));
    let (mut visible, mut pending, mut drawn) = (Vec::new(), HashMap::new(), 0_u64);
    for frame in 0..60_u8 {
        streamer.begin_frame();
        let at = |step: f32| array::from_fn(|axis| whole.min[axis] + whole.size()[axis] * step);
        let view = Bounds { min: at(f32::from(frame) / 60.0 - 0.3), max: at(f32::from(frame) / 60.0 + 0.3) };
        visible.clear();
        parts.visit(|bounds| view.intersects(bounds), |part| visible.push(part));
        pending.iter().filter(|(part, _)| !visible.contains(part)).for_each(|(_, slot)| _ = streamer.cancel(*slot));
        for part in visible.iter().copied() {
            let item = content.item(part, 0);
            if !pending.contains_key(&part) && !streamer.is_resident(item.first) {
                pending.insert(part, streamer.request(&[item], Priority::MOST, part.into())?);
            }
        }
        streamer.poll(); // takes the results of the workers, and gives them the new requests
        while let Some(event) = streamer.next_event() {
            pending.remove(&u32::try_from(event.tag)?);
        }
        let resident = visible.iter().filter_map(|part| streamer.get(content.item(*part, 0).first));
        drawn += resident.flat_map(|buffers| &buffers.draws).map(|draw| draw.indices / 3).sum::<u64>();
        streamer.wait(Duration::from_millis(if pending.is_empty() { 0 } else { 16 })); // as for the display
    }
    Ok(writeln!(out, "{} parts, {} loaded, {drawn} triangles drawn", parts.len(), streamer.statistics().done)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    run(std::env::args_os().nth(1).ok_or("usage: stream FILE")?.as_ref(), &mut std::io::stdout())
}

//! glTF 2.0: a JSON file with binary buffers, or one binary file (GLB).
//!
//! The file is built twice by the same code ([`build`]): the first run plans the arrays, and the
//! second run writes them.

mod attributes;
mod buffers;
mod build;
mod clips;
mod document;
mod hulls;
mod influences;
mod json;
mod keys;
mod materials;
mod meshopt;
mod nodes;
mod quantized;
mod skeleton;
mod surface;
mod targets;

use std::io::{self, Write};

use super::loss::{Loss, LossKind, LossList};
use super::options::ExportOptions;
use super::{FileBytesOutput, FileOutput, OutputWriter, SceneInput, fault};
use crate::error::{Cause, Result};
use crate::export::options::ExportScene;
use crate::model::{MetadataValue, Space};
use crate::text::block::CountingWriter;
use buffers::{ArrayWriter, Planner};
use document::Document;
use json::JsonSource;
use surface::OrderCache;

/// The greatest size of a GLB file in bytes.
const MAX_GLB: u64 = 0xFFFF_FFFF;

/// A writer of glTF.
pub(crate) struct GltfWriter<'a> {
    scene: ExportScene<'a>,
    document: Document,
    plan: Planner<'a>,
    cache: OrderCache<'a>,
    is_binary: bool,
}

impl<'a> GltfWriter<'a> {
    /// Plans the file: runs over everything that is exported, and reads the index streams and the
    /// positions. `is_binary` chooses GLB.
    pub(crate) fn new(
        input: &SceneInput<'a>,
        options: &'a ExportOptions,
        is_binary: bool,
    ) -> Result<(Self, Vec<Loss>)> {
        options.compression.map_or(Ok(()), meshopt::check)?;
        let scene = ExportScene::new(input, options, Space::GLTF)?;
        let mut plan = Planner::new(*input, if is_binary { u64::MAX } else { options.split }, options);
        let (cache, mut losses) = (OrderCache::new(*input), LossList::default());
        let document = build::build(&scene, &mut plan, &cache, &mut losses)?;
        scene.placed.contents.metadata(&mut |entry| {
            if let MetadataValue::Real(value) = entry.value
                && !value.is_finite()
            {
                losses.add(LossKind::Metadata, None, format!("`{}`, which is not finite", entry.key));
            }
        })?;
        losses.add_damaged_levels(&scene.placed);
        Ok((Self { scene, document, plan, cache, is_binary }, losses.finish()))
    }

    fn write_json(&self, stem: &str, out: &mut dyn Write) -> Result<()> {
        let uris =
            |buffer| (!self.is_binary).then(|| format!("{stem}{}", self.ending(usize::saturating_add(buffer, 1))));
        JsonSource { scene: &self.scene, document: &self.document, plan: &self.plan, uris: &uris }.write(out)
    }

    /// Writes the only buffer, or one of several.
    fn write_buffer(&self, buffer: usize, out: &mut dyn Write) -> Result<u64> {
        let mut counting = CountingWriter::new(out);
        self.write_buffers(Some(buffer), &mut |_, bytes| counting.write_all(bytes))?;
        Ok(counting.written)
    }

    /// Passes the bytes of one buffer, or of all buffers, to `out` with the index of the buffer.
    fn write_buffers(&self, only: Option<usize>, out: &mut FileOutput<'_>) -> Result<()> {
        let mut writer = ArrayWriter::new(&self.plan, only, out);
        build::build(&self.scene, &mut writer, &self.cache, &mut LossList::default()).map(drop)
    }

    /// Writes a GLB file: a header, a chunk of JSON, and a chunk with the buffer.
    fn write_glb(&self, stem: &str, out: &mut dyn Write) -> Result<()> {
        let mut counting = CountingWriter::new(io::sink());
        self.write_json(stem, &mut counting)?;
        let (json, buffer) = (counting.written, self.plan.buffers.first().copied());
        let padded = |length: u64| length.next_multiple_of(4);
        let chunk = |length: u64| padded(length).saturating_add(8);
        let total = 12_u64.saturating_add(chunk(json)).saturating_add(buffer.map_or(0, chunk));
        let length = |bytes: u64| u32::try_from(bytes).map_err(|_| too_large(total));
        out.write_all(b"glTF")?;
        out.write_all(&2_u32.to_le_bytes())?;
        out.write_all(&length(total)?.to_le_bytes())?;
        out.write_all(&length(padded(json))?.to_le_bytes())?;
        out.write_all(b"JSON")?;
        self.write_json(stem, out)?;
        pad(json, b' ', out)?;
        if let Some(buffer) = buffer {
            out.write_all(&length(padded(buffer))?.to_le_bytes())?;
            out.write_all(b"BIN\0")?;
            let written = self.write_buffer(0, out)?;
            pad(written, 0, out)?;
        }
        Ok(())
    }
}

impl OutputWriter for GltfWriter<'_> {
    fn images(&self) -> &[String] {
        &self.document.images
    }

    fn file_count(&self) -> usize {
        if self.is_binary { 1 } else { self.plan.buffers.len().saturating_add(1) }
    }

    fn ending(&self, file: usize) -> String {
        match self.plan.buffers.len() {
            0 | 1 => ".bin".to_owned(),
            _ => format!("_{}.bin", file.saturating_sub(1)),
        }
    }

    fn write_all(&self, stem: &str, out: &mut FileOutput<'_>) -> Result<()> {
        self.write(0, stem, &mut FileBytesOutput { file: 0, out: &mut *out })?;
        if self.is_binary {
            return Ok(());
        }
        self.write_buffers(None, &mut |buffer, bytes| out(buffer.saturating_add(1), bytes))
    }

    fn write(&self, file: usize, stem: &str, out: &mut dyn Write) -> Result<()> {
        match file.checked_sub(1) {
            None if self.is_binary => self.write_glb(stem, out),
            None => self.write_json(stem, out),
            Some(buffer) => self.write_buffer(buffer, out).map(drop),
        }
    }
}

/// Writes bytes until a chunk with `length` bytes ends at a multiple of 4.
fn pad(length: u64, byte: u8, out: &mut dyn Write) -> Result<()> {
    for _ in length..length.next_multiple_of(4) {
        out.write_all(&[byte])?;
    }
    Ok(())
}

fn too_large(size: u64) -> crate::error::Error {
    let expected = format!("at most {MAX_GLB} bytes in a GLB file; write .gltf instead, which has several .bin files");
    fault("size", Cause::Refused { expected: expected.into(), found: format!("{size} bytes").into() })
}

//! Writes an opened mesh or animation file again, field by field, in the order in which the reader
//! reads the fields.
//!
//! The writer reads the data of a mesh through the views of the mesh, such as `SurfaceView`. If the
//! file contains only encodings that the engine writes, the output is equal to the input, byte for
//! byte. The engine never writes the following encodings: a variable-length integer (compact int)
//! that is longer than necessary, a name without its closing NUL, and bytes after the closing magic
//! number. The writer replaces each encoding that the engine never writes by an encoding that the
//! engine writes. The command `validate` reports them, and the command `rewrite` reports which it
//! changes.

use std::io::Write;

use zerocopy::IntoBytes;
use zerocopy::little_endian::{I16, I32};

use super::animation::coding::Coding;
use super::animation::reader::AnimationReader;
use super::animation::view::AnimationView;
use super::blocks::block::{BlockKind, BlockLocation};
use super::blocks::inflate::deflate;
use super::blocks::inflated::InflatedBlock;
use super::reader::file_reader::FileReader;
use super::reader::mesh_reader::MeshReader;
use super::writer::FieldWriter;
use crate::error::{Field, Result};
use crate::io::prefetch;
use crate::math::as_u64;
use crate::model::Storage;

/// Writes a mesh file to `out`. `storage` selects how the blocks of ms14 and ms15 are stored.
pub(crate) fn mesh(mesh: MeshReader<'_>, out: impl Write, storage: Storage) -> Result<()> {
    let mut writer = FieldWriter::for_mesh(out, mesh.generation());
    mesh_header(mesh, &mut writer)?;
    if mesh.generation().is_compressed() {
        return compressed_mesh(mesh, writer, storage);
    }
    for index in 0..mesh.file().animation_count() {
        animation(&mut writer, &mesh.animation(index)?)?;
    }
    for index in 0..mesh.surface_count() {
        let mut arrays = mesh.surface(index)?.arrays()?;
        while let Some(array) = arrays.next()? {
            writer.count(array.count)?;
            prefetch(array.bytes);
            writer.bytes(array.bytes)?;
        }
    }
    mesh.check()?;
    writer.magic()?;
    writer.flush()
}

impl<W: Write> FieldWriter<W> {
    /// Writes a block: its two size fields and its stored bytes. `raw` is the size of the
    /// uncompressed content in bytes.
    fn block(&mut self, raw: i64, stored: &[u8]) -> Result<()> {
        self.bytes(&raw.to_le_bytes())?;
        self.bytes(&i64::try_from(stored.len()).unwrap_or(i64::MAX).to_le_bytes())?;
        self.bytes(stored)
    }

    /// Writes a block with the given uncompressed content. The writer compresses the content,
    /// unless `storage` is [`Storage::Raw`].
    pub(crate) fn new_block(&mut self, content: &[u8], storage: Storage) -> Result<()> {
        let raw = i64::try_from(content.len()).unwrap_or(i64::MAX);
        if storage == Storage::Raw { self.block(raw, content) } else { self.block(raw, &deflate(content)) }
    }

    /// Writes the fields after the last block: a magic number, the table of block offsets `places`,
    /// and the closing magic number.
    pub(crate) fn table(&mut self, places: &[u64]) -> Result<()> {
        self.magic()?;
        for place in places {
            self.bytes(&place.to_le_bytes())?;
        }
        self.magic()
    }
}

/// Writes the blocks and the table of block offsets of a mesh in format version ms14 or ms15. The
/// table contains the offsets of the geometry blocks in the written file.
fn compressed_mesh(mesh: MeshReader<'_>, mut writer: FieldWriter<impl Write>, storage: Storage) -> Result<()> {
    let mut places = Vec::new();
    for index in 0..mesh.surface_count() {
        places.push(writer.written());
        // The table of block offsets in the source file is not used, because it may be wrong. The
        // blocks are located by reading one after another, so blocks that the table leaves out are
        // also written.
        let block = mesh.block_at(mesh.walk_to(index)?, index, BlockKind::Geometry)?;
        write_block(mesh, &mut writer, block, (index, BlockKind::Geometry), storage)?;
    }
    writer.magic()?;
    for index in 0..mesh.surface_count() {
        write_block(mesh, &mut writer, mesh.tree_block(index)?, (index, BlockKind::Tree), storage)?;
    }
    mesh.end()?;
    writer.table(&places)?;
    writer.flush()
}

fn write_block(
    mesh: MeshReader<'_>,
    writer: &mut FieldWriter<impl Write>,
    block: BlockLocation,
    (index, kind): (usize, BlockKind),
    storage: Storage,
) -> Result<()> {
    let stored = block.bytes(mesh.bytes);
    crate::io::prefetch(stored);
    if storage == Storage::Kept {
        return writer.block(block.raw, stored);
    }
    let place = Field::new("").in_list("surface", as_u64(index));
    let mut inflated = InflatedBlock::default();
    inflated.fill(mesh.bytes, block, mesh.limits(), &mut mesh.alone(), mesh.format(), (place, kind))?;
    writer.new_block(inflated.bytes(mesh.bytes), storage)
}

/// Writes the header of a mesh: all fields before the first animation block or surface geometry.
fn mesh_header(mesh: MeshReader<'_>, writer: &mut FieldWriter<impl Write>) -> Result<()> {
    let (file, generation, compressed) = (mesh.file(), mesh.generation(), mesh.state.header.compressed);
    writer.magic()?;
    if let Some(compressed) = compressed {
        writer.count(compressed.leaf)?;
    }
    writer.bounds(mesh.raw_bounds()?)?;
    if generation.has_bones() {
        writer.length(file.bone_count())?;
    }
    bones(file, writer)?;
    if generation.has_animations() {
        animation_names(file, writer)?;
    }
    writer.length(mesh.surface_count())?;
    for surface in 0..mesh.surface_count() {
        surface_header(mesh, surface, writer)?;
    }
    if let Some(compressed) = compressed {
        writer.bytes(&compressed.memory.to_le_bytes())?;
    }
    writer.magic()?;
    binds(file, writer)
}

fn surface_header(mesh: MeshReader<'_>, surface: usize, writer: &mut FieldWriter<impl Write>) -> Result<()> {
    let (head, generation) = (mesh.surface_header(surface)?, mesh.generation());
    writer.text(head.name.as_bytes())?;
    writer.lightmap(generation, head.lightmap)?;
    for count in head.corners.iter().flat_map(|corners| corners.counts) {
        writer.count(count)?;
    }
    writer.bounds(head.bounds)?;
    if generation.has_targets() {
        writer.count(head.targets)?;
    }
    for target in mesh.targets(surface)? {
        let (name, positions) = target?;
        writer.target(generation, name.as_bytes(), positions)?;
    }
    Ok(())
}

/// Writes an animation file to `out`.
pub(crate) fn animation_file(reader: AnimationReader<'_>, out: impl Write) -> Result<()> {
    let (file, header) = (reader.file(), &reader.state.header);
    let generation = header.generation;
    let mut writer = FieldWriter::new(out, generation.magic(), generation.format());
    writer.magic()?;
    if let Some(bounds) = reader.raw_bounds()? {
        writer.bounds(bounds)?;
    }
    if generation.has_skeleton() {
        writer.length_32(file.bone_count())?;
    } else {
        writer.length(file.bone_count())?;
    }
    bones(file, &mut writer)?;
    if generation.is_quantized() {
        animation_names(file, &mut writer)?;
    }
    if let Some([guid, path]) = reader.skeleton()? {
        writer.text_32(guid.as_bytes())?;
        writer.text_32(path.as_bytes())?;
        writer.animation_head(reader.animation(0)?.bones, &Coding::Whole, None)?;
        writer.bytes(I32::new(header.rate.unwrap_or_default()).as_bytes())?;
        writer.bytes(reader.tail()?)?;
    }
    writer.magic()?;
    binds(file, &mut writer)?;
    for index in 0..file.animation_count() {
        let view = reader.animation(index)?;
        if generation.has_skeleton() {
            frames(&mut writer, &view)?;
        } else {
            animation(&mut writer, &view)?;
        }
    }
    reader.check()?;
    writer.magic()?;
    writer.flush()
}

/// Writes the name and the parent index of each bone.
fn bones(file: FileReader<'_>, writer: &mut FieldWriter<impl Write>) -> Result<()> {
    for bone in 0..file.bone_count() {
        let (name, parent) = file.bone_header(bone)?;
        writer.text(name.as_bytes())?;
        writer.bytes(I16::new(parent).as_bytes())?;
    }
    Ok(())
}

fn animation_names(file: FileReader<'_>, writer: &mut FieldWriter<impl Write>) -> Result<()> {
    writer.length(file.animation_count())?;
    for animation in 0..file.animation_count() {
        writer.text(file.animation_name(animation)?.as_bytes())?;
    }
    Ok(())
}

/// Writes the bind transforms of all bones. Writes nothing for formats without bind transforms
/// (ms15, an12 and an13).
fn binds(file: FileReader<'_>, writer: &mut FieldWriter<impl Write>) -> Result<()> {
    writer.bytes(file.binds()?.unwrap_or_default().as_bytes())
}

/// Writes the animation block of one animation.
fn animation(writer: &mut FieldWriter<impl Write>, view: &AnimationView<'_>) -> Result<()> {
    writer.animation_head(view.bones, &view.coding(), view.flags)?;
    frames(writer, view)
}

fn frames(writer: &mut FieldWriter<impl Write>, view: &AnimationView<'_>) -> Result<()> {
    writer.count(view.frames)?;
    prefetch(view.key_bytes());
    writer.bytes(view.key_bytes())
}

//! Generates meshes of each format and of any size, with the writers of the crate.
//!
//! For a large generated file, one mesh element or surface is built in memory, and its bytes are
//! written repeatedly. The generated file has the same bytes as if all its meshes or surfaces had
//! been built in memory.

mod ezmesh;
mod height_field;
pub mod secondlife;
mod unigine;
mod unreal;

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;

use crate::decode::ByteOrder;
use anyhow::Context as _;

use super::mesh_files::MeshFiles;
use crate::program::formats::sample::SampleKind;
use crate::program::render::text::shown;

use crate::program::render::counting_writer::CountingWriter;

/// Returns the approximate maximum size of a generated mesh in bytes, and the reason for this
/// maximum. Returns `None` if generated meshes of the type `kind` may have any size.
pub const fn max_size(kind: SampleKind) -> Option<(u64, &'static str)> {
    match kind {
        SampleKind::Unreal => Some((unreal::MAX_BYTES, "65,535 frames of 8,191 vertices, which all readers accept")),
        SampleKind::SecondLife => Some((secondlife::MAX_BYTES, "8 submeshes of 65,535 vertices")),
        _ => None,
    }
}

/// Writes a generated mesh of about `size` bytes to one or two files in `folder`.
pub fn generate(kind: SampleKind, size: u64, folder: &Path) -> anyhow::Result<MeshFiles> {
    let write = |extension: &str, write: &dyn Fn(&mut CountingWriter<BufWriter<File>>) -> anyhow::Result<()>| {
        let path = folder.join(format!("{}.{extension}", kind.id()));
        let context = || format!("{}: cannot be written", shown(&path));
        let file = File::create(&path).with_context(context)?;
        let mut out = CountingWriter { out: BufWriter::new(file), written: 0 };
        write(&mut out).and_then(|()| Ok(out.flush()?)).with_context(context)?;
        Ok::<_, anyhow::Error>(path)
    };
    let mut aniv = None;
    let data = match kind {
        SampleKind::UnigineStatic => write("mesh", &|out| unigine::plain(size, false, out)),
        SampleKind::UnigineSkinned => write("mesh", &|out| unigine::plain(size, true, out)),
        SampleKind::UnigineCompressed => write("mesh", &|out| unigine::compressed(size, out)),
        SampleKind::Unreal => {
            let plan = unreal::PairPlan::of(size);
            aniv = Some(write("a.3d", &|out| plan.write_aniv(out))?);
            write("d.3d", &|out| plan.write_data(out))
        }
        SampleKind::SecondLife => write("llmesh", &|out| secondlife::write(size, out)),
        SampleKind::EzmeshText => write("ezm", &|out| ezmesh::write(size, None, out)),
        SampleKind::EzmeshBinary => write("ezb", &|out| ezmesh::write(size, Some(ByteOrder::Little), out)),
    }?;
    Ok(MeshFiles { data, aniv })
}

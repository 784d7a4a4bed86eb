//! Generates meshes of each format and of any size.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use anyhow::Context as _;

use super::mesh_files::MeshFiles;
use crate::formats::SampleKind;
use crate::program::render::text::shown;

/// Writes a generated mesh of about `size` bytes to one or two files in `folder`.
pub fn generate(kind: &SampleKind, size: u64, folder: &Path) -> anyhow::Result<MeshFiles> {
    let mut paths = Vec::new();
    let written = (kind.write)(size, &mut |extension| {
        paths.push(folder.join(format!("{}.{extension}", kind.id)));
        let path = paths.last().map_or(folder, |path| path);
        Ok(Box::new(BufWriter::new(File::create(path)?)))
    });
    let context = || format!("{}: cannot be written", shown(paths.last().map_or(folder, |path| path)));
    written.with_context(context)?;
    let mut paths = paths.into_iter();
    Ok(MeshFiles { data: paths.next().unwrap_or_default(), aniv: paths.next() })
}

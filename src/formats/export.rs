//! Makes an export: chooses the writer of the output format.

use crate::error::Result;
use crate::export::gltf::GltfWriter;
use crate::export::stl::StlWriter;
use crate::export::{ClipSource, Export, ExportFormat, ExportOptions};
use crate::model::Contents;

impl<'a> Export<'a> {
    /// Reads what the output depends on: the counts of all arrays, the index streams, and the
    /// positions. `clips` are the other files whose clips are exported.
    ///
    /// # Errors
    ///
    /// Returns the errors of reading the mesh, [`ErrorKind::NoSuch`](crate::ErrorKind::NoSuch) if an
    /// index of the options is out of range, and [`ErrorKind::Refused`](crate::ErrorKind::Refused)
    /// if the options do not suit the format or if the output would be too large.
    pub fn new(
        contents: &'a dyn Contents,
        clips: &'a [ClipSource<'a>],
        format: ExportFormat,
        options: &'a ExportOptions,
    ) -> Result<Self> {
        match format {
            ExportFormat::Glb | ExportFormat::Gltf => {
                let (writer, losses) = GltfWriter::new(contents, clips, options, format == ExportFormat::Glb)?;
                Ok(Self::with_writer(writer, losses, format, options))
            }
            _ => {
                let (writer, losses) = StlWriter::new(contents, clips, options)?;
                Ok(Self::with_writer(writer, losses, format, options))
            }
        }
    }
}

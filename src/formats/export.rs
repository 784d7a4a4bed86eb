//! Makes an export: chooses the writer of the output format.

use crate::error::Result;
use crate::export::gltf::GltfWriter;
use crate::export::stl::StlWriter;
use crate::export::{Export, ExportFormat, ExportInput, ExportOptions};

impl<'a> Export<'a> {
    /// Reads what the output depends on: the counts of all arrays, the index streams, and the
    /// positions.
    ///
    /// # Errors
    ///
    /// Returns the errors of reading the mesh, [`ErrorKind::NoSuch`](crate::ErrorKind::NoSuch) if an
    /// index of the options is out of range, and [`ErrorKind::Refused`](crate::ErrorKind::Refused)
    /// if the options do not suit the format or if the output would be too large.
    pub fn new(input: &ExportInput<'a>, format: ExportFormat, options: &'a ExportOptions) -> Result<Self> {
        match format {
            ExportFormat::Glb | ExportFormat::Gltf => {
                let (writer, losses) = GltfWriter::new(input, options, format == ExportFormat::Glb)?;
                Ok(Self::with_writer(writer, losses, format, options))
            }
            _ => {
                let (writer, losses) = StlWriter::new(input, options)?;
                Ok(Self::with_writer(writer, losses, format, options))
            }
        }
    }
}

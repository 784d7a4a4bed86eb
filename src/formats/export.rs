//! Makes an export: chooses the writer of the output format.

use crate::error::{Cause, Result};
use crate::export::json::JsonMeshWriter;
use crate::export::obj::ObjWriter;
use crate::export::ply::PlyWriter;
use crate::export::stl::StlWriter;
use crate::export::{ClipSource, Export, ExportFormat, ExportOptions, fault};
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
            ExportFormat::Obj => {
                let (writer, losses) = ObjWriter::new(contents, clips, options)?;
                Ok(Self::with_writer(writer, losses, format, options))
            }
            ExportFormat::Ply => {
                let (writer, losses) = PlyWriter::new(contents, clips, options)?;
                Ok(Self::with_writer(writer, losses, format, options))
            }
            ExportFormat::Stl => {
                let (writer, losses) = StlWriter::new(contents, clips, options)?;
                Ok(Self::with_writer(writer, losses, format, options))
            }
            ExportFormat::Json => {
                let (writer, losses) = JsonMeshWriter::new(contents, clips, options)?;
                Ok(Self::with_writer(writer, losses, format, options))
            }
            ExportFormat::Glb | ExportFormat::Gltf | ExportFormat::Ezm | ExportFormat::Ezb => {
                let expected = "a format that this version writes".into();
                Err(fault("format", Cause::Refused { expected, found: format.to_string().into() }))
            }
        }
    }
}

//! Makes an export: chooses the writer of the output format.

use super::ezmesh::export::EzMeshWriter;
use crate::error::Result;
use crate::export::gltf::GltfWriter;
use crate::export::json::JsonMeshWriter;
use crate::export::obj::ObjWriter;
use crate::export::ply::PlyWriter;
use crate::export::stl::StlWriter;
use crate::export::{Export, ExportFormat, ExportOptions, Loss, OutputWriter, SceneInput};

impl<'a> Export<'a> {
    /// Reads what the output depends on: the counts of all arrays, the index streams, and the
    /// positions.
    ///
    /// # Errors
    ///
    /// Returns the errors of reading the mesh, [`ErrorKind::NoSuch`](crate::ErrorKind::NoSuch) if an
    /// index of the options is out of range, and [`ErrorKind::Refused`](crate::ErrorKind::Refused)
    /// if the options do not suit the format or if the output would be too large.
    pub fn new(input: &SceneInput<'a>, format: ExportFormat, options: &'a ExportOptions) -> Result<Self> {
        let (writer, losses) = match format {
            ExportFormat::Glb => boxed(GltfWriter::new(input, options, true)?),
            ExportFormat::Gltf => boxed(GltfWriter::new(input, options, false)?),
            ExportFormat::Obj => boxed(ObjWriter::new(input, options)?),
            ExportFormat::Ply => boxed(PlyWriter::new(input, options)?),
            ExportFormat::Stl => boxed(StlWriter::new(input, options)?),
            ExportFormat::Ezm => boxed(EzMeshWriter::new(input, options, false)?),
            ExportFormat::Ezb => boxed(EzMeshWriter::new(input, options, true)?),
            ExportFormat::Json => boxed(JsonMeshWriter::new(input, options)?),
        };
        Ok(Self::with_writer(writer, losses, format, options))
    }
}

fn boxed<'a>((writer, losses): (impl OutputWriter + 'a, Vec<Loss>)) -> (Box<dyn OutputWriter + 'a>, Vec<Loss>) {
    (Box::new(writer), losses)
}

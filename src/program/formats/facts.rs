//! The parts of an open model that only its format has.

use crate::Model;
use crate::formats::FormatFile;
use crate::formats::secondlife::LevelGeometry;
use crate::formats::unigine::LentSurface;

use super::unreal::frame_args::FrameArgs;
use super::{ezmesh, secondlife, unigine, unreal};
use crate::program::args::Attribute;
use crate::program::render::values::Values;

/// The parameters of a `dump` command: the attribute, the surface and the options.
pub struct DumpRequest<'a> {
    pub surface: usize,
    pub attribute: Attribute,
    pub raw: bool,
    pub frame: &'a FrameArgs,
    /// The clip in which the frame of `frame` counts.
    pub clip: Option<usize>,
}

/// The parts of a model in which the values of an attribute are found.
pub struct ValueSource<'a, D> {
    pub model: &'a Model<D>,
    /// The chosen level of detail of a Second Life mesh.
    pub level: Option<&'a LevelGeometry<'a>>,
    /// The requested surface, if it was lent.
    pub lent: Option<&'a LentSurface<'a>>,
}

/// Returns the values of an attribute that only the format of the model has, or `None` for any
/// other attribute.
pub fn values<'a, D: AsRef<[u8]> + Send + Sync>(
    source: &ValueSource<'a, D>,
    request: &DumpRequest<'_>,
) -> anyhow::Result<Option<Box<dyn Values + 'a>>> {
    let DumpRequest { surface, attribute, raw, .. } = *request;
    Ok(match (source.model.format_file(), source.level) {
        (FormatFile::Unigine(mesh), _) => unigine::values::values(attribute, || match source.lent {
            Some(lent) => lent.tree(),
            None => mesh.tree(surface),
        })?,
        (FormatFile::Unreal(mesh), _) => unreal::values::values(mesh, request)?,
        (FormatFile::SecondLife(_), Some(level)) => secondlife::values::values(level, surface, attribute, raw)?,
        (FormatFile::EzMesh(mesh), _) => ezmesh::values::values(mesh, surface, attribute, raw)?,
        _ => None,
    })
}

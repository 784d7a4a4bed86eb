//! A surface whose inflated arrays are freed after they were read.

use crate::formats::FormatFile;
use crate::formats::secondlife::LevelGeometry;
use crate::formats::unigine::LentSurface;
use crate::{Geometry, Model};

/// A lent surface, which is a geometry whose only surface has the index 0.
pub enum LentArrays<'a> {
    /// A surface that may have a tree besides its arrays.
    WithTree(LentSurface<'a>),
    Other(Box<dyn Geometry + 'a>),
}

impl<'a> LentArrays<'a> {
    /// Lends a surface of a model, or of the chosen level of detail of a Second Life mesh.
    pub fn new<D: AsRef<[u8]> + Send + Sync>(
        model: &'a Model<D>,
        level: Option<&'a LevelGeometry<'a>>,
        surface: usize,
    ) -> crate::Result<Self> {
        Ok(match (model.format_file(), level) {
            (FormatFile::Unigine(mesh), _) => Self::WithTree(mesh.lend(surface)?),
            (_, Some(level)) => Self::Other(level.lend(surface)?),
            _ => Self::Other(Geometry::lend(model, surface)?),
        })
    }

    /// Returns the lent surface as a geometry.
    pub fn geometry(&self) -> &dyn Geometry {
        match self {
            Self::WithTree(lent) => lent,
            Self::Other(lent) => &**lent,
        }
    }

    /// Returns the lent surface if it may have a tree.
    pub const fn with_tree(&self) -> Option<&LentSurface<'a>> {
        match self {
            Self::WithTree(lent) => Some(lent),
            Self::Other(_) => None,
        }
    }
}

//! The forms that a file can have: text in three dialects, and binary.

use crate::decode::ByteOrder;

/// A text file's dialect: what its root element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// `MeshSystem`: since 2009.
    MeshSystem,
    /// A bare `Mesh`, as an older exporter wrote it.
    Mesh,
    /// `SceneGraph`, older still.
    SceneGraph,
}

/// Which form a file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// XML: `.ezm`.
    Text(Dialect),
    /// Fields of fixed size: `.ezb`.
    Binary {
        /// The byte order of its numbers.
        order: ByteOrder,
        /// 100 or 101.
        version: u32,
    },
}

impl Form {
    /// Returns its name: `ezm MeshSystem`, `ezb 101`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Text(Dialect::MeshSystem) => "ezm MeshSystem",
            Self::Text(Dialect::Mesh) => "ezm Mesh",
            Self::Text(Dialect::SceneGraph) => "ezm SceneGraph",
            Self::Binary { version: 100, .. } => "ezb 100",
            Self::Binary { .. } => "ezb 101",
        }
    }
}

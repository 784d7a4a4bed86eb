//! The encodings (forms) of an EZ-Mesh file: XML text in one of three dialects, or binary.

use crate::decode::ByteOrder;

/// The dialect of a text file. The name of the root element selects the dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// The root element is `MeshSystem`. Files of this dialect have been written since 2009.
    MeshSystem,
    /// The root element is a single `Mesh`. An older exporter wrote files of this dialect.
    Mesh,
    /// The root element is `SceneGraph`. An even older exporter wrote files of this dialect.
    SceneGraph,
}

/// The encoding (form) of a file: XML text or binary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// XML text, with the file name extension `.ezm`.
    Text(Dialect),
    /// Binary numbers and strings in a fixed sequence, with the file name extension `.ezb`.
    Binary {
        /// The byte order of the numbers.
        order: ByteOrder,
        /// The format version: 100 or 101.
        version: u32,
    },
}

impl Form {
    /// Returns a text that names the form, such as `ezm MeshSystem` or `ezb 101`.
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

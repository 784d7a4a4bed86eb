//! The two encodings (forms) of an EZ-Mesh file: XML text in one of three dialects, or binary.

use crate::decode::ByteOrder;
use crate::model::WrittenForm;

/// The XML dialect of a text file. The name of the root element determines the dialect of a text
/// file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// The root element is `MeshSystem`. Exporters have written the dialect `MeshSystem` since
    /// 2009.
    MeshSystem,
    /// The root element is a single `Mesh`. The dialect `Mesh` is older than the dialect
    /// `MeshSystem`.
    Mesh,
    /// The root element is `SceneGraph`. The dialect `SceneGraph` is older than the dialect `Mesh`.
    SceneGraph,
}

/// The encoding (form) of an EZ-Mesh file: XML text or binary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// XML text, with the file name extension `.ezm`.
    Text(Dialect),
    /// Binary numbers and strings without field names, with the file name extension `.ezb`.
    Binary {
        /// The byte order of the numbers in a binary file.
        order: ByteOrder,
        /// The format version of a binary file: 100 or 101.
        version: u32,
    },
}

impl Form {
    /// Returns the name of the encoding, such as `ezm MeshSystem` or `ezb 101`.
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

    /// Returns the form in which a file is written again. The writer of text knows one dialect
    /// only, [`Dialect::MeshSystem`].
    pub(super) fn written_form(self) -> WrittenForm {
        let Self::Text(dialect) = self else {
            return WrittenForm { extensions: &["ezb"], ..WrittenForm::default() };
        };
        let dialects = match dialect {
            Dialect::MeshSystem => None,
            Dialect::Mesh => Some(["Mesh", "MeshSystem"]),
            Dialect::SceneGraph => Some(["SceneGraph", "MeshSystem"]),
        };
        WrittenForm { extensions: &["ezm", "xml"], is_text: true, dialects, ..WrittenForm::default() }
    }
}

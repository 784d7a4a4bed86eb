//! The formats in which meshes are exported.

use std::fmt;
use std::str::FromStr;

use crate::error::{Cause, Error, Result};

/// A format in which meshes are exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExportFormat {
    /// glTF 2.0 in one binary file.
    Glb,
    /// glTF 2.0 as a JSON file with `.bin` files.
    Gltf,
    /// Wavefront OBJ with a `.mtl` file.
    Obj,
    /// Binary little-endian PLY (Stanford).
    Ply,
    /// Binary STL.
    Stl,
    /// EZ-Mesh text.
    Ezm,
    /// EZ-Mesh binary.
    Ezb,
    /// JSON with the decoded arrays.
    Json,
}

impl ExportFormat {
    /// All formats.
    pub const ALL: [Self; 8] =
        [Self::Glb, Self::Gltf, Self::Obj, Self::Ply, Self::Stl, Self::Ezm, Self::Ezb, Self::Json];

    /// Returns the extension of the main file, without a dot, such as `glb`.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        self.names().extension
    }

    /// Returns the names of the format and of what it holds.
    pub(crate) const fn names(self) -> FormatNames {
        let (scenes, bones) = ("surfaces, bones and clips", "surfaces with bones and clips");
        let [extension, name, description, holds] = match self {
            Self::Glb => ["glb", "GLB", "glTF 2.0 in one binary file", scenes],
            Self::Gltf => ["gltf", "glTF", "glTF 2.0 as JSON with .bin files", scenes],
            Self::Obj => ["obj", "OBJ", "Wavefront OBJ with a .mtl file", "surfaces at rest with one UV set"],
            Self::Ply => ["ply", "PLY", "Binary PLY", "vertices and triangles with one UV set"],
            Self::Stl => ["stl", "STL", "Binary STL", "triangles only"],
            Self::Ezm => ["ezm", "EZ-Mesh text", "EZ-Mesh text", bones],
            Self::Ezb => ["ezb", "EZ-Mesh binary", "EZ-Mesh binary", bones],
            Self::Json => ["json", "JSON", "JSON with the decoded arrays", scenes],
        };
        FormatNames { extension, name, description, holds }
    }
}

/// The names of an output format and of what it holds, for messages.
#[cfg_attr(not(feature = "cli"), allow(dead_code, reason = "the program shows them"))]
pub(crate) struct FormatNames {
    extension: &'static str,
    name: &'static str,
    /// The format and its encoding, such as `Binary STL`.
    pub(crate) description: &'static str,
    /// The data that a file of the format can hold, such as `triangles only`.
    pub(crate) holds: &'static str,
}

impl fmt::Display for ExportFormat {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.names().name)
    }
}

impl FromStr for ExportFormat {
    type Err = Error;

    /// Returns the format with an extension such as `glb`, in any case, or
    /// [`ErrorKind::Choice`](crate::ErrorKind::Choice) if there is no such format.
    fn from_str(extension: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|format| format.extension().eq_ignore_ascii_case(extension)).ok_or_else(|| {
            let names = Self::ALL.map(Self::extension).join(", ");
            super::fault("format", Cause::Choice { names, found: extension.to_owned().into() })
        })
    }
}

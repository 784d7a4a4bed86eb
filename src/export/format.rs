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
        match self {
            Self::Glb => "glb",
            Self::Gltf => "gltf",
            Self::Obj => "obj",
            Self::Ply => "ply",
            Self::Stl => "stl",
            Self::Ezm => "ezm",
            Self::Ezb => "ezb",
            Self::Json => "json",
        }
    }
}

impl fmt::Display for ExportFormat {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Glb => "GLB",
            Self::Gltf => "glTF",
            Self::Obj => "OBJ",
            Self::Ply => "PLY",
            Self::Stl => "STL",
            Self::Ezm => "EZ-Mesh text",
            Self::Ezb => "EZ-Mesh binary",
            Self::Json => "JSON",
        })
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

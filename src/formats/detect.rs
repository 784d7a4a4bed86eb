//! Detects the format of a mesh file or animation file from its first bytes.

use std::fmt;
use std::path::Path;
use std::str::FromStr;
#[cfg(feature = "internals")]
use std::sync::OnceLock;

use super::description::FormatDescription;
use crate::error::{Cause, Error, Field, NO_FORMAT, Result};
use crate::formats::{ezmesh, foreign, secondlife, unigine, unreal};
use crate::parse::Finding;

/// A file format that this crate reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
#[non_exhaustive]
pub enum Format {
    /// UNIGINE 2.x `.mesh` and `.anim`.
    Unigine,
    /// Unreal Engine 1 vertex mesh: a `_d.3d` file, an `_a.3d` file and, optionally, a script.
    /// Unreal vertex mesh files have no magic number, so [`open`](crate::open) recognises them by
    /// their file names.
    Unreal,
    /// Second Life mesh asset: a single file, an entry in the disk cache of a viewer program, or an
    /// asset in an `.slm` container.
    SecondLife,
    /// EZ-Mesh: `.ezm` text, or its binary form, `.ezb`.
    EzMesh,
}

impl Format {
    /// Detects the format from the first bytes of a file.
    ///
    /// `detect` does not use the name of the file. `detect` never returns [`Format::Unreal`]: an
    /// Unreal vertex mesh starts with counts and no magic number, and only its file names identify
    /// the format.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Empty`](crate::error::ErrorKind::Empty) if `bytes` is empty,
    /// [`ErrorKind::Unsupported`](crate::error::ErrorKind::Unsupported) if the format is known but
    /// this crate does not read it, and [`ErrorKind::Unknown`](crate::error::ErrorKind::Unknown) if
    /// the bytes match no format that this crate knows.
    pub fn detect(bytes: &[u8]) -> Result<Self> {
        if secondlife::is_known(bytes) {
            return Ok(Self::SecondLife);
        }
        if ezmesh::detect::is_known(bytes) {
            return Ok(Self::EzMesh);
        }
        match unigine::detect::file_kind(bytes) {
            Ok(_) => Ok(Self::Unigine),
            Err(error) if matches!(error.cause(), Cause::Unknown { .. }) => match ezmesh::detect::refusal(bytes) {
                Some(refusal) => Err(refusal),
                // The XML text in `bytes` contains no root element, or a root element that cannot
                // be parsed. If the text is not an EZ-Mesh, `ezmesh::Mesh::open` later returns the
                // error with the reason.
                None if ezmesh::detect::is_text(bytes) => Ok(Self::EzMesh),
                None => Err(foreign::unknown(NO_FORMAT, bytes)),
            },
            Err(error) => Err(error),
        }
    }

    /// Returns whether the first bytes of a file match one of the formats of this crate.
    ///
    /// Also returns `true` if the first bytes match a version of these formats that this crate
    /// does not read.
    #[doc(hidden)]
    #[must_use]
    pub fn recognises(bytes: &[u8]) -> bool {
        descriptions().any(|format| (format.is_known)(bytes))
    }
}

impl Format {
    /// All formats.
    pub(crate) const ALL: [Self; 4] = [Self::Unigine, Self::Unreal, Self::SecondLife, Self::EzMesh];

    /// Returns the description of the format.
    pub(crate) const fn description(self) -> &'static FormatDescription {
        match self {
            Self::Unigine => &unigine::DESCRIPTION,
            Self::Unreal => &unreal::DESCRIPTION,
            Self::SecondLife => &secondlife::DESCRIPTION,
            Self::EzMesh => &ezmesh::DESCRIPTION,
        }
    }

    /// Returns the format whose files have the extension of a path. A part of a mesh of several
    /// files has no format of its own.
    pub(crate) fn of_name(path: &Path) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.description().is_name(path))
    }
}

/// Returns the descriptions of all formats.
pub(crate) fn descriptions() -> impl Iterator<Item = &'static FormatDescription> + Clone {
    Format::ALL.map(Format::description).into_iter().chain(registered())
}

/// The description of the format that a test registered.
#[cfg(feature = "internals")]
static REGISTERED: OnceLock<&'static FormatDescription> = OnceLock::new();

/// Adds a format to those that are recognised by their names and their first bytes. A process adds
/// at most one format, and adds it first of all.
#[cfg(all(feature = "cli", feature = "internals"))]
pub(crate) fn register(format: &'static FormatDescription) {
    REGISTERED.get_or_init(|| format);
}

/// Returns the description of the format that a test registered.
fn registered() -> Option<&'static FormatDescription> {
    #[cfg(feature = "internals")]
    return REGISTERED.get().copied();
    #[cfg(not(feature = "internals"))]
    None
}

/// Returns whether the extension of a path is that of files that contain a whole mesh or animation.
#[cfg(feature = "cli")]
pub(crate) fn is_mesh_name(path: &Path) -> bool {
    descriptions().any(|format| format.is_name(path))
}

/// Returns an error if the first bytes of a file are not those of a format.
#[cfg(feature = "cli")]
pub(crate) fn expect_known(bytes: &[u8]) -> Result<()> {
    if is_registered(bytes) { Ok(()) } else { Format::detect(bytes).map(drop) }
}

/// Returns whether the first bytes of a file are those of the format that a test registered.
#[cfg(feature = "cli")]
pub(crate) fn is_registered(bytes: &[u8]) -> bool {
    registered().is_some_and(|format| (format.is_known)(bytes))
}

impl fmt::Display for Format {
    /// Writes the name of the format: `unigine`, `unreal`, `secondlife` or `ezmesh`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(self.description().id)
    }
}

impl FromStr for Format {
    type Err = Error;

    /// Returns the format with a name, such as `unigine`.
    ///
    /// ```
    /// use meshpeek::{ErrorKind, Format};
    /// assert_eq!("ezmesh".parse::<Format>()?, Format::EzMesh);
    /// assert_eq!("obj".parse::<Format>().unwrap_err().kind(), ErrorKind::Choice);
    /// # Ok::<(), meshpeek::Error>(())
    /// ```
    fn from_str(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|format| format.description().id == name).ok_or_else(|| {
            let names = Self::ALL.map(|format| format.description().id).join(", ");
            Error::without_offset(
                "file",
                Field::new("format"),
                Cause::Choice { names, found: format!("{name:?}").into() },
            )
        })
    }
}

/// Returns the error for the file at `path` if it is one of another program, by its bytes or else
/// by its name.
#[cfg(feature = "cli")]
pub(crate) fn foreign_error(path: &Path, bytes: &[u8]) -> Option<Error> {
    foreign_instead(&expect_known(bytes).err()?, path, bytes)
}

/// Returns the error for the file at `path` if the error of [`Format::detect`] says that it may be
/// one of another program.
pub(super) fn foreign_instead(error: &Error, path: &Path, bytes: &[u8]) -> Option<Error> {
    let is_foreign = matches!(error.cause(), Cause::Unknown { .. } | Cause::Foreign { .. });
    if is_foreign { foreign::error_at(path, bytes) } else { None }
}

/// Converts an error about the bytes of a file to a validation finding.
///
/// An error that prevents a file from being opened is also a violation of a rule of its file
/// format. Returns `None` if the bytes of the file did not cause the error, for example if the file
/// does not exist.
#[must_use]
pub fn finding(fault: &Error) -> Option<Finding> {
    Finding::of(fault)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_names_of_formats() {
        for format in Format::ALL {
            assert_eq!(format.to_string().parse::<Format>().unwrap(), format);
        }
        for wrong in ["", "UNIGINE", "unigine ", "obj"] {
            assert_eq!(wrong.parse::<Format>().unwrap_err().kind().id(), "choice", "{wrong:?}");
        }
    }

    /// Returns the rule and the field of the first error in a file, or `None` if the bytes of the
    /// file are not the cause of the error.
    fn broken(bytes: Vec<u8>) -> Option<(&'static str, String)> {
        let error = match crate::Model::open(bytes) {
            Ok(model) => model.file().check().expect_err("an error in the file"),
            Err(error) => error,
        };
        finding(&error).map(|found| (found.rule, found.field.to_string()))
    }

    #[test]
    fn an_error_carries_the_rule_that_the_file_breaks() {
        let data = |name: &str| crate::read(format!("data/{name}")).unwrap();
        let changed = |name: &str, old: &[u8], new: &[u8]| {
            let mut bytes = data(name);
            let at = bytes.windows(old.len()).rposition(|part| part == old).unwrap();
            bytes.splice(at..at + old.len(), new.iter().copied());
            bytes
        };
        let cut = |name: &str, left: usize| data(name)[..left].to_vec();
        let mesh = |text: &str| format!("<MeshSystem><Meshes count=\"1\">{text}</Meshes></MeshSystem>").into_bytes();
        for (bytes, rule, field) in [
            (changed("unigine/cube_ms13.mesh", b"ms13", b"ms12"), "UG01", "closing_magic"),
            (cut("unigine/cube_ms13.mesh", 20), "UG02", "bounds"),
            (cut("unigine/cube_ms14.mesh", 400), "UG19", "surface[0].tree.sizes"),
            (cut("ezmesh/crate100.ezb", 60), "EZ05", "bounds"),
            (b"<MeshSystem a=1 a=2>".to_vec(), "EZ03", "MeshSystem.attribute"),
            (b"<MeshSystem>".to_vec(), "EZ02", "MeshSystem.element"),
            (mesh("<Mesh submesh_count=\"x\"/>"), "EZ07", "mesh[0].submesh_count"),
            (mesh("<Mesh><vertexbuffer count=\"1\"/></Mesh>"), "EZ09", "mesh[0].vertexbuffer"),
            (mesh("<Mesh><MeshSection/></Mesh>"), "EZ32", "mesh[0].section[0].vertexbuffer"),
            (cut("secondlife/quad.llmesh", 20), "SL01", "header"),
        ] {
            assert_eq!(broken(bytes), Some((rule, field.to_owned())));
        }
        // XML of an unknown kind is an EZ-Mesh only if its name says so.
        let other = ezmesh::Mesh::open(&b"<Other>"[..]).expect_err("no EZ-Mesh");
        assert_eq!(finding(&other).map(|found| found.rule), Some("EZ01"));
        for no_mesh in [&b"ms16"[..], b"ms", b"GIF89a", b"<Other>"] {
            assert_eq!(broken(no_mesh.to_vec()), None);
        }
        let custom = Error::custom(crate::ErrorKind::Value, "expected a mesh");
        assert_eq!(finding(&custom.located("ezmesh", Field::new("element"), Some(0))), None);
    }
}

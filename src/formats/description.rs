//! [`FormatDescription`]: what the rest of the crate knows about a format before a file is opened.

use std::path::Path;

use super::detect::Format;
use super::{ezmesh, secondlife, unigine, unreal};
use crate::parse::Rule;

/// The names, the file names and the rules of a format. Each format states it in its own folder.
#[derive(Clone, Copy, Debug)]
pub struct FormatDescription {
    /// The name of the format in options and in JSON, such as `unigine`.
    pub id: &'static str,
    /// The name of the format as its makers spell it.
    pub title: &'static str,
    /// The extensions of files that contain a whole mesh or animation.
    pub extensions: &'static [&'static str],
    /// The extensions of files that are only parts of a mesh of several files.
    pub part_extensions: &'static [&'static str],
    /// The rules that `validate` tests.
    pub rules: &'static [Rule],
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
        let extension = path.extension()?;
        let has = |format: &Self| format.description().extensions.iter().any(|own| extension.eq_ignore_ascii_case(own));
        Self::ALL.into_iter().find(has)
    }
}

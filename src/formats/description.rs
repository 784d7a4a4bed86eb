//! [`FormatDescription`]: the facts about a format that are needed before a file is opened.

use std::path::Path;

use crate::model::ExtraArrayInfo;
use crate::parse::Rule;

/// The names, the file names, the rules and the extra arrays of a format. Each format states them
/// in its own folder.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(feature = "cli"), allow(dead_code, reason = "only the program reads some fields"))]
pub struct FormatDescription {
    /// The name of the format in options and in JSON, such as `unigine`.
    pub id: &'static str,
    /// The name of the format as its makers spell it.
    pub title: &'static str,
    /// The extensions of files that contain a whole mesh or animation.
    pub extensions: &'static [&'static str],
    /// The extensions of files that are only parts of a mesh of several files.
    pub part_extensions: &'static [&'static str],
    /// Returns whether the first bytes of a file are those of the format, or of a version of the
    /// format that this crate does not read. Always `false` for a format without a magic number.
    pub is_known: fn(&[u8]) -> bool,
    /// The rules that `validate` tests.
    pub rules: &'static [Rule],
    /// The arrays that surfaces may have, and that not every format has.
    pub extra_arrays: &'static [ExtraArrayInfo],
}

impl FormatDescription {
    /// Returns whether a path has the extension of files that contain a whole mesh or animation.
    pub(super) fn is_name(&self, path: &Path) -> bool {
        let is_own = |own: &&str| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(own));
        self.extensions.iter().any(is_own)
    }
}

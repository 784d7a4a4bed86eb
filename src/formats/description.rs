//! [`FormatDescription`]: the names, the file names and the rules of a format.

use crate::parse::Rule;

/// The names, the file names and the rules of a format. Each format states it in its own folder.
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
    /// The rules that `validate` tests.
    pub rules: &'static [Rule],
}

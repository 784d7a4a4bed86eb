//! One kind of file of another program.

use std::path::Path;

/// A kind of file that this crate does not read.
pub(crate) struct ForeignKind {
    /// The name with its article, such as `a PNG image`.
    pub(crate) name: &'static str,
    /// The name of several files, such as `PNG images`.
    pub(crate) plural: &'static str,
    /// What the user can do, as a clause without a full stop.
    pub(crate) advice: &'static str,
    /// Whether such a file is left in the place of a mesh, as by a failed download.
    pub(crate) stands_in: bool,
    pub(super) extensions: &'static [&'static str],
    pub(super) sign: Sign,
}

/// The first bytes of the files of a kind.
pub(super) enum Sign {
    /// The file starts with one of these texts.
    Magic(&'static [&'static [u8]]),
    /// The file is text that starts with one of these words, after blanks.
    Text(&'static [&'static [u8]]),
    /// The file is XML whose root element has one of these names.
    Root(&'static [&'static [u8]]),
    /// The first bytes pass a test.
    Test(fn(&[u8]) -> bool),
    /// The first bytes pass a test that other files pass by chance, so the extension must fit, too.
    Weak(fn(&[u8]) -> bool),
    /// Only the extension identifies the kind.
    Name,
}

impl ForeignKind {
    /// Returns whether the extension of a path is one of this kind.
    pub(super) fn is_named(&self, path: &Path) -> bool {
        self.extensions.iter().any(|extension| has_extension(path, extension))
    }
}

/// Returns whether a path has an extension, ignoring upper and lower case.
pub(super) fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|found| found.eq_ignore_ascii_case(extension))
}

/// Makes a kind from its name and its plural, its extensions, its sign and its advice.
pub(super) const fn kind(
    [name, plural]: [&'static str; 2],
    extensions: &'static [&'static str],
    sign: Sign,
    advice: &'static str,
) -> ForeignKind {
    ForeignKind { name, plural, advice, stands_in: false, extensions, sign }
}

/// Makes a kind whose files are left in the place of a mesh.
pub(super) const fn stand_in(
    names: [&'static str; 2],
    extensions: &'static [&'static str],
    sign: Sign,
    advice: &'static str,
) -> ForeignKind {
    ForeignKind { stands_in: true, ..kind(names, extensions, sign, advice) }
}

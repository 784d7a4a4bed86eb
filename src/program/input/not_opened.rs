//! What a command does not open: files of other programs in folders, and meshes without files.

// Rule: this file sorts and maps by copies only.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::bytes::Data;
use super::paths::InputPaths;
use crate::Error;
use crate::error::Cause;
use crate::formats::foreign::ForeignKind;
use crate::formats::mesh_files::MissingMesh;
use crate::program::args::Global;
use crate::program::formats::has_extension;
use crate::program::output::note;
use crate::program::output::text::{count, counted, shown};

/// The greatest number of kinds that a text lists.
const MAX_KINDS: usize = 12;
/// The extensions of files that are read together with a mesh.
const COMPANIONS: [&str; 2] = ["uc", "mpidx"];

/// What is not opened.
#[derive(Default)]
pub struct NotOpened {
    /// The meshes that scripts import although the files of these meshes do not exist.
    pub missing: Vec<MissingMesh<Data>>,
    /// The files in folders that are no meshes.
    pub passed_by: PassedBy,
    /// The first of the folders, if they contain files but no mesh.
    pub(super) without_mesh: Option<PathBuf>,
    /// Whether hidden files and folders were searched, too.
    searched_hidden: bool,
}

impl NotOpened {
    /// Notes whether anything was opened.
    pub(super) fn set_opened(&mut self, is_any: bool, inputs: &InputPaths) {
        let folder = inputs.folders.first().filter(|_| !is_any && self.passed_by.all() > 0);
        self.without_mesh = folder.cloned();
        self.searched_hidden = inputs.searched_hidden;
    }

    /// Prints a note about the files in folders that are passed by, unless a note says that there
    /// is no mesh.
    pub fn note_passed_by(&self, global: &Global) {
        if self.without_mesh.is_none() && !global.json && self.passed_by.total() > 0 {
            note(&self.passed_by.line(global.verbose), global);
        }
    }

    /// Prints a note about folders that contain files but no mesh.
    pub(super) fn note_no_mesh(&self, global: &Global) {
        if let Some(folder) = self.without_mesh.as_ref().filter(|_| !global.json) {
            note(
                &format!("{}: no meshes; passed by {}{}", shown(folder), self.passed_by.all_text(), self.hint()),
                global,
            );
        }
    }

    /// Returns what to try if a folder has no mesh.
    const fn hint(&self) -> &'static str {
        if self.searched_hidden { "" } else { "; --hidden also searches hidden files and folders" }
    }

    /// Returns the error about folders that contain files but no mesh.
    pub fn no_mesh(&self) -> Option<Error> {
        let folder = self.without_mesh.as_ref()?;
        let text = format!("no mesh in this folder, but {}{}", self.passed_by.all_text(), self.hint());
        Some(Error::from(io::Error::new(io::ErrorKind::NotFound, text)).at_path(folder))
    }
}

/// Returns the description of a mesh without files as a JSON object.
pub fn missing_json(missing: &MissingMesh<Data>) -> Value {
    let (path, mesh) = (missing.path.to_string_lossy(), crate::Name::new(&missing.mesh).to_string_lossy());
    json!({ "path": path, "mesh": mesh, "message": missing.why.to_string() })
}

/// Prints notes about ignore files that are not used, and about meshes that scripts import although
/// their files do not exist.
pub(super) fn note_omissions(inputs: &InputPaths, omitted: &NotOpened, global: &Global) {
    inputs.note_unused(global);
    for MissingMesh { path, mesh, why, .. } in omitted.missing.iter().filter(|_| !global.json) {
        let mesh = crate::Name::new(mesh);
        note(&format!("{}: mesh {mesh} is left out: {}", shown(path), why.message()), global);
    }
}

/// The files in folders that are passed by, because they are no meshes.
#[derive(Clone, Debug, Default)]
pub struct PassedBy {
    /// The name and the number of the files of each kind, by the plural of the name.
    kinds: BTreeMap<&'static str, (&'static str, u64)>,
    /// The number of files of unknown kinds.
    other: u64,
    /// The number of files that belong to meshes, such as scripts.
    companions: u64,
    /// The number of files that have the name of a mesh.
    named_like_meshes: u64,
}

impl PassedBy {
    /// Counts a file.
    pub fn add(&mut self, path: &Path, kind: Option<&ForeignKind>) {
        match kind {
            _ if COMPANIONS.iter().any(|extension| has_extension(path, extension)) => self.add_companion(),
            Some(kind) => self.add_kind(kind.name, kind.plural, 1),
            None => self.other = self.other.saturating_add(1),
        }
    }

    /// Counts a file that is read together with a mesh.
    pub fn add_companion(&mut self) {
        self.companions = self.companions.saturating_add(1);
    }

    /// Counts a file that could not be opened if it is one of another program. Returns whether it
    /// is.
    ///
    /// What a failed download left in the place of a mesh is an error, and not passed by.
    pub fn take(&mut self, error: &Error) -> bool {
        let Cause::Foreign { name, plural, stands_in: false, .. } = error.cause() else { return false };
        self.add_kind(name, plural, 1);
        self.named_like_meshes = self.named_like_meshes.saturating_add(1);
        true
    }

    fn add_kind(&mut self, name: &'static str, plural: &'static str, files: u64) {
        let (_, sum) = self.kinds.entry(plural).or_insert((name, 0));
        *sum = sum.saturating_add(files);
    }

    /// Adds the files of another count.
    pub fn merge(&mut self, other: &Self) {
        for (plural, (name, files)) in &other.kinds {
            self.add_kind(name, plural, *files);
        }
        self.other = self.other.saturating_add(other.other);
        self.companions = self.companions.saturating_add(other.companions);
        self.named_like_meshes = self.named_like_meshes.saturating_add(other.named_like_meshes);
    }

    /// Returns the number of files that belong to no mesh.
    pub fn total(&self) -> u64 {
        self.kinds.values().map(|(_, files)| *files).fold(self.other, u64::saturating_add)
    }

    /// Returns the number of all files, with those that belong to meshes.
    pub fn all(&self) -> u64 {
        self.total().saturating_add(self.companions)
    }

    /// Returns the files that are passed by next to meshes as a line of text.
    pub fn line(&self, with_kinds: bool) -> String {
        let files = counted(self.total(), "file");
        let named = match self.named_like_meshes {
            0 => String::new(),
            1 => ", 1 of them with the extension of a mesh".to_owned(),
            more => format!(", {} of them with the extensions of meshes", count(more)),
        };
        let kinds = if with_kinds { format!(": {}", self.kinds(false)) } else { String::new() };
        format!("passed by {files} that are not meshes{named}{kinds}")
    }

    /// Returns the number of all files and their kinds as text, such as `2 files: 2 PNG images`.
    pub fn all_text(&self) -> String {
        format!("{}: {}", counted(self.all(), "file"), self.kinds(true))
    }

    /// Returns the kinds and their numbers as text, the most frequent first.
    fn kinds(&self, with_companions: bool) -> String {
        let mut kinds: Vec<(u64, String)> = Vec::new();
        for (plural, (name, files)) in &self.kinds {
            let name = if *files == 1 { without_article(name) } else { plural };
            kinds.push((*files, format!("{} {name}", count(*files))));
        }
        if with_companions && self.companions > 0 {
            let files = if self.companions == 1 { "file that belongs" } else { "files that belong" };
            kinds.push((self.companions, format!("{} {files} to meshes", count(self.companions))));
        }
        kinds.sort_by_key(|(files, _)| Reverse(*files));
        let more: u64 = kinds.iter().skip(MAX_KINDS).map(|(files, _)| *files).fold(self.other, u64::saturating_add);
        let mut texts: Vec<String> = kinds.into_iter().take(MAX_KINDS).map(|(_, text)| text).collect();
        if more > 0 {
            texts.push(counted(more, "other file"));
        }
        texts.join(", ")
    }
}

/// Returns the name of a kind without its article and its explanation.
fn without_article(name: &str) -> &str {
    let name = name.split_once(", ").map_or(name, |(name, _)| name);
    name.strip_prefix("a ").or_else(|| name.strip_prefix("an ")).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::foreign::by_name;

    #[test]
    fn lists_the_most_frequent_kinds_first() {
        let mut passed = PassedBy::default();
        for name in ["a.txt0", "a.fbx", "b.fbx", "c.png", "Box.uc"] {
            passed.add(Path::new(name), by_name(Path::new(name)));
        }
        assert_eq!(passed.kinds(false), "2 FBX files, 1 PNG image, 1 other file");
        assert_eq!((passed.total(), passed.all()), (4, 5));
        let mut twice = passed.clone();
        twice.merge(&passed);
        assert_eq!(twice.kinds(false), "4 FBX files, 2 PNG images, 2 other files");
        assert!(twice.kinds(true).contains("2 files that belong to meshes"));
    }

    #[test]
    fn what_stands_in_for_a_mesh_is_not_passed_by() {
        let mut passed = PassedBy::default();
        let error = |bytes: &[u8]| crate::Format::detect(bytes).unwrap_err();
        assert!(passed.take(&error(b"IDP3\x0f\0\0\0")) && passed.total() == 1);
        assert!(!passed.take(&error(b"<llsd><map /></llsd>")) && !passed.take(&error(b"what?")));
    }
}

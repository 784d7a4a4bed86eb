//! Lists the names in a folder, and finds a name in the list without regard to the case of letters.

// Rule: this file sorts and maps by copies only.

use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};
use std::{fs, io};

use crate::error::{Cause, Error, Field, Result, Shown};
use crate::math::as_u64;

/// The names of the files and subfolders in a folder, sorted by their lower-case form.
#[derive(Debug)]
pub(super) struct Folder(Vec<(Box<[u8]>, OsString)>);

impl Folder {
    /// Reads the names in a folder. Returns an error if the folder has more than `limit` names.
    pub(super) fn list(path: &Path, limit: u64) -> Result<Self> {
        let mut names = Vec::new();
        for entry in fs::read_dir(shown(path)).map_err(|error| failed(path, error))? {
            let name = entry.map_err(|error| failed(path, error))?.file_name();
            names.push((lower(&name), name));
            let asked = as_u64(names.len());
            if asked > limit {
                return Err(wrong(path, Cause::Limit { name: "items", allowed: limit, asked }));
            }
        }
        names.sort();
        Ok(Self(names))
    }

    /// Finds a name in the folder, without regard to the case of letters. If several names in the
    /// folder match, the name whose letters have the same case as in `name` is preferred.
    pub(super) fn find(&self, name: &[u8]) -> Option<&OsStr> {
        let wanted = name.to_ascii_lowercase();
        let start = self.0.partition_point(|(known, _)| **known < *wanted);
        let found = self.0.get(start..)?.iter().take_while(|(known, _)| **known == *wanted).map(|(_, name)| &**name);
        found.clone().find(|known| known.as_encoded_bytes() == name).or_else(|| found.clone().next())
    }

    /// Returns the names of the scripts in the folder: the names that end in `.uc`, in any case of
    /// letters. The names are sorted by their lower-case form.
    pub(super) fn scripts(&self) -> impl Iterator<Item = &OsStr> {
        self.0.iter().filter(|(lower, _)| lower.ends_with(b".uc")).map(|(_, name)| &**name)
    }
}

fn lower(name: &OsStr) -> Box<[u8]> {
    name.as_encoded_bytes().to_ascii_lowercase().into()
}

/// Returns a folder path that can be passed to system calls: `.` if `folder` is empty, and the
/// unchanged `folder` otherwise.
pub(super) fn shown(folder: &Path) -> &Path {
    if folder.as_os_str().is_empty() { Path::new(".") } else { folder }
}

/// Returns the path of the folder that contains the file at `path`. Returns an empty path if the
/// file is in the current folder and `path` is only a file name.
pub(super) fn folder_of(path: &Path) -> PathBuf {
    path.parent().unwrap_or(Path::new("")).to_owned()
}

/// Returns the path of the parent folder of a folder. For the root folder of a file system, returns
/// the same root folder.
pub(super) fn around(folder: &Path) -> PathBuf {
    match folder.components().next_back() {
        Some(Component::Normal(_)) => folder_of(folder),
        Some(Component::RootDir | Component::Prefix(_)) => folder.to_owned(),
        _ => folder.join(".."),
    }
}

/// Returns whether the name of a folder is `Classes`, in any case of letters.
pub(super) fn is_classes(folder: &Path) -> bool {
    let is = |name: &OsStr| name.eq_ignore_ascii_case("classes");
    match folder.file_name() {
        Some(name) => is(name),
        None => fs::canonicalize(shown(folder)).is_ok_and(|folder| folder.file_name().is_some_and(is)),
    }
}

/// Returns whether a path leads to a regular file, directly or through links.
pub(super) fn is_file(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.is_file())
}

/// Makes the error for a folder that cannot be listed. The error is about `path`, the file that was
/// requested, and not about the folder.
pub(super) fn unlisted(path: &Path, error: Error) -> Error {
    match (error.cause(), error.path()) {
        // A file in a folder that cannot be listed may exist.
        (Cause::Io(reason), Some(folder)) if reason.kind() == io::ErrorKind::PermissionDenied => {
            let folder = Shown(shown(folder).as_os_str().as_encoded_bytes());
            failed(path, io::Error::new(reason.kind(), format!("cannot list the folder {folder}: {reason}")))
        }
        (Cause::Io(_), _) => wrong(path, error.cause().clone()),
        _ => error,
    }
}

pub(super) fn failed(path: &Path, error: io::Error) -> Error {
    wrong(path, error.into())
}

pub(super) fn wrong(path: &Path, kind: Cause) -> Error {
    Error::without_offset("file", Field::new("file"), kind).at_path(path)
}

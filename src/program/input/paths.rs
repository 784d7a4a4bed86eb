//! Expands the paths on the command line to a list of files: folders are searched for meshes, and
//! glob patterns are expanded.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::program::args::STDIN;
use crate::program::formats::is_mesh_file;
use crate::program::formats::names::has_extension;
use crate::program::formats::unreal::names::{data_of, is_aniv, lower};

/// The paths of the files to open. The files in a folder are sorted by name.
#[derive(Debug, Default)]
pub struct InputPaths {
    pub paths: Vec<PathBuf>,
    /// The glob patterns and folders on the command line that match no file, each with the reason.
    pub unmatched: Vec<(PathBuf, &'static str)>,
    /// Files that are meshes only if a script imports them, each with the folder in which it was
    /// found.
    undecided: Vec<(PathBuf, PathBuf)>,
    /// The number of files in searched folders that are not meshes.
    pub skipped: u64,
}

impl InputPaths {
    pub fn expand(names: &[PathBuf]) -> Self {
        let mut inputs = Self::default();
        for name in names {
            if name.is_dir() {
                inputs.search(name);
            } else if name.exists() || name == Path::new(STDIN) || !is_glob(name) {
                inputs.paths.push(name.clone());
            } else {
                inputs.resolve(name);
            }
        }
        inputs
    }

    fn resolve(&mut self, name: &Path) {
        let before = self.paths.len();
        let found = name.to_str().and_then(|pattern| glob::glob(pattern).ok());
        let found: Vec<PathBuf> = found.into_iter().flatten().flatten().collect();
        let is_special = |path: &PathBuf| path.metadata().is_ok_and(|file| !file.is_file() && !file.is_dir());
        if found.iter().all(is_special) {
            self.unmatched.push((name.to_owned(), "no file matches"));
        }
        let (anivs, found): (Vec<_>, Vec<_>) = found.into_iter().partition(|path| path.is_file() && is_aniv(path));
        for path in found {
            // A pipe that a pattern matches is skipped, because reading it could wait for ever.
            match path.metadata() {
                Ok(metadata) if metadata.is_dir() => self.search(&path),
                Ok(metadata) if !metadata.is_file() => self.skipped = self.skipped.saturating_add(1),
                _ => self.paths.push(path),
            }
        }
        self.add_unpaired(before, anivs);
    }

    /// Decides which of the undecided files, which are meshes only if a script imports them, are
    /// added. An undecided file is added if `is_mesh` returns `true` for its path.
    pub fn settle(&mut self, mut is_mesh: impl FnMut(&Path) -> bool) {
        for (folder, path) in std::mem::take(&mut self.undecided) {
            if is_mesh(&path) {
                self.unmatched.retain(|(name, _)| *name != folder);
                self.paths.push(path);
            } else {
                self.skipped = self.skipped.saturating_add(1);
            }
        }
    }

    /// Adds the files in a folder that are recognised as meshes by their content or by their name.
    fn search(&mut self, folder: &Path) {
        let before = self.paths.len();
        let mut anivs = Vec::new();
        for entry in walkdir::WalkDir::new(folder).sort_by_file_name() {
            match entry {
                Ok(entry) if !is_file(&entry) => {}
                Ok(entry) if is_mesh_file(entry.path()) => self.paths.push(entry.into_path()),
                Ok(entry) if is_aniv(entry.path()) => anivs.push(entry.into_path()),
                Ok(entry) if has_extension(entry.path(), "3d") => {
                    self.undecided.push((folder.to_owned(), entry.into_path()));
                }
                Ok(_) => self.skipped = self.skipped.saturating_add(1),
                // If a folder entry cannot be read, its path is added to the files to open, because
                // the error is reported when the entry is opened later.
                Err(error) => self.paths.extend(error.path().map(Path::to_owned)),
            }
        }
        self.add_unpaired(before, anivs);
        if self.paths.len() == before {
            self.unmatched.push((folder.to_owned(), "no mesh in this folder"));
        }
    }

    /// Adds the aniv files (vertex frames of Unreal meshes) whose data file does not exist, because
    /// opening them reports an error. An aniv file whose data file exists is skipped, because the
    /// mesh is opened when its data file is opened.
    fn add_unpaired(&mut self, before: usize, anivs: Vec<PathBuf>) {
        let found = self.paths.get(before..).unwrap_or_default();
        let data: BTreeSet<String> = found.iter().map(|path| lower(path)).collect();
        let (pairs, halves): (Vec<_>, Vec<_>) =
            anivs.into_iter().partition(|aniv| data_of(aniv).is_some_and(|name| data.contains(&name)));
        self.skipped = self.skipped.saturating_add(pairs.len().try_into().unwrap_or(u64::MAX));
        self.paths.extend(halves);
    }
}

fn is_glob(name: &Path) -> bool {
    name.to_str().is_some_and(|name| name.contains(['*', '?', '[']))
}

/// Returns whether a folder entry is a regular file or a symbolic link to a regular file. Symbolic
/// links to folders are not followed, because such links may form cycles.
fn is_file(entry: &walkdir::DirEntry) -> bool {
    entry.file_type().is_file() || entry.path_is_symlink() && entry.path().is_file()
}

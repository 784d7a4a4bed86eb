//! The files that the user names: folders searched, globs resolved.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::args::STDIN;
use crate::formats::is_mesh_file;
use crate::formats::names::has_extension;
use crate::formats::unreal::names::{data_of, is_aniv, lower};

/// The files that the user names: folders are searched in the order of file names, globs resolved.
#[derive(Debug, Default)]
pub struct InputPaths {
    pub paths: Vec<PathBuf>,
    /// Names without a file, and why.
    pub unmatched: Vec<(PathBuf, &'static str)>,
    /// Folders and files in them that are meshes only if a script says so.
    undecided: Vec<(PathBuf, PathBuf)>,
    /// Files in folders that are no meshes.
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
        if found.is_empty() {
            self.unmatched.push((name.to_owned(), "no file matches"));
        }
        let (anivs, found): (Vec<_>, Vec<_>) = found.into_iter().partition(|path| path.is_file() && is_aniv(path));
        for path in found {
            if path.is_dir() { self.search(&path) } else { self.paths.push(path) }
        }
        self.add_unpaired(before, anivs);
    }

    /// Decides about the files that are meshes only if a script says so.
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

    /// Takes the files of a folder that are meshes by their content, and those that claim to be by their name.
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
                // An entry that cannot be listed is kept, and opening it reports the error.
                Err(error) => self.paths.extend(error.path().map(Path::to_owned)),
            }
        }
        self.add_unpaired(before, anivs);
        if self.paths.len() == before {
            self.unmatched.push((folder.to_owned(), "no mesh in this folder"));
        }
    }

    /// Skips the aniv files of complete pairs, which are opened by their data files; keeps the others, which are errors.
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

/// Returns whether an entry is a regular file, or a link to one. Links to folders are not followed: they may lead back.
fn is_file(entry: &walkdir::DirEntry) -> bool {
    entry.file_type().is_file() || entry.path_is_symlink() && entry.path().is_file()
}

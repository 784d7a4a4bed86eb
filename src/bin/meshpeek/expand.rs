//! The files that the user's words stand for: folders searched, globs resolved.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::input::{STDIN, is_recognised};

/// The files that the user's words stand for: as named, folders searched in the order of names, globs resolved.
#[derive(Debug, Default)]
pub struct Inputs {
    pub paths: Vec<PathBuf>,
    /// Words that stand for nothing, and why.
    pub unmatched: Vec<(PathBuf, &'static str)>,
    /// Files, and the folders that were searched for them, that are meshes if a script says so.
    doubtful: Vec<(PathBuf, PathBuf)>,
    /// Files in folders that are no meshes.
    pub passed_over: u64,
}

impl Inputs {
    pub fn expand(words: &[PathBuf]) -> Self {
        let mut inputs = Self::default();
        for word in words {
            if word.is_dir() {
                inputs.search(word);
            } else if word.exists() || word == Path::new(STDIN) || !is_glob(word) {
                inputs.paths.push(word.clone());
            } else {
                inputs.resolve(word);
            }
        }
        inputs
    }

    fn resolve(&mut self, word: &Path) {
        let before = self.paths.len();
        let found = word.to_str().and_then(|pattern| glob::glob(pattern).ok());
        let found: Vec<PathBuf> = found.into_iter().flatten().flatten().collect();
        if found.is_empty() {
            self.unmatched.push((word.to_owned(), "no file matches"));
        }
        let (anivs, found): (Vec<_>, Vec<_>) = found.into_iter().partition(|path| path.is_file() && is_aniv(path));
        for path in found {
            if path.is_dir() { self.search(&path) } else { self.paths.push(path) }
        }
        self.take_halves(before, anivs);
    }

    /// Decides about the files that only a script can tell to be meshes.
    pub fn settle(&mut self, mut is_mesh: impl FnMut(&Path) -> bool) {
        for (folder, path) in std::mem::take(&mut self.doubtful) {
            if is_mesh(&path) {
                self.unmatched.retain(|(word, _)| *word != folder);
                self.paths.push(path);
            } else {
                self.passed_over = self.passed_over.saturating_add(1);
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
                Ok(entry) if is_candidate(entry.path()) => self.paths.push(entry.into_path()),
                Ok(entry) if is_aniv(entry.path()) => anivs.push(entry.into_path()),
                Ok(entry) if has_extension(entry.path(), "3d") => {
                    self.doubtful.push((folder.to_owned(), entry.into_path()));
                }
                Ok(_) => self.passed_over = self.passed_over.saturating_add(1),
                // What cannot be listed is named, so that it is reported and not lost.
                Err(error) => self.paths.extend(error.path().map(Path::to_owned)),
            }
        }
        self.take_halves(before, anivs);
        if self.paths.len() == before {
            self.unmatched.push((folder.to_owned(), "no mesh in this folder"));
        }
    }

    /// A pair of Unreal files is taken once, by its data file; an aniv file that has none is half a pair, and is told.
    fn take_halves(&mut self, before: usize, anivs: Vec<PathBuf>) {
        let found = self.paths.get(before..).unwrap_or_default();
        let data: BTreeSet<String> = found.iter().map(|path| lower(path)).collect();
        let (pairs, halves): (Vec<_>, Vec<_>) = anivs.into_iter().partition(|aniv| {
            let name = lower(aniv);
            let data_name = name.strip_suffix("_a.3d").map(|stem| format!("{stem}_d.3d"));
            data_name.or_else(|| legacy(&name, "aniv", "data")).is_some_and(|name| data.contains(&name))
        });
        self.passed_over = self.passed_over.saturating_add(pairs.len().try_into().unwrap_or(u64::MAX));
        self.paths.extend(halves);
    }
}

fn is_glob(word: &Path) -> bool {
    word.to_str().is_some_and(|word| word.contains(['*', '?', '[']))
}

/// Tells whether an entry is a regular file, or a link to one. Links to folders are not followed: they may lead back.
fn is_file(entry: &walkdir::DirEntry) -> bool {
    entry.file_type().is_file() || entry.path_is_symlink() && entry.path().is_file()
}

fn is_candidate(path: &Path) -> bool {
    let claims = path.extension().and_then(OsStr::to_str).map(str::to_ascii_lowercase);
    let name = lower(path);
    claims.is_some_and(|extension| matches!(&*extension, "mesh" | "anim" | "llmesh" | "slm" | "ezm" | "ezb"))
        || name.ends_with("_d.3d")
        || legacy(&name, "data", "aniv").is_some()
        || is_recognised(path)
}

/// Tells whether a file is the half of an Unreal pair that holds the frames, by its name.
fn is_aniv(path: &Path) -> bool {
    let name = lower(path);
    name.ends_with("_a.3d") || legacy(&name, "aniv", "data").is_some()
}

/// Returns the other half's path, of a path in lower case that ends in `data07.3d` or `aniv07.3d`.
fn legacy(path: &str, from: &str, to: &str) -> Option<String> {
    let name = path.rsplit(['/', '\\']).next()?;
    let number = name.strip_prefix(from)?.strip_suffix(".3d")?;
    let numbered = !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit());
    let start = path.len().saturating_sub(name.len());
    numbered.then(|| format!("{}{to}{number}.3d", path.get(..start).unwrap_or_default()))
}

/// Tells whether a path has an extension, in any case of letters.
pub fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|found| found.eq_ignore_ascii_case(extension))
}

/// Returns a path in lower case.
fn lower(path: &Path) -> String {
    path.to_string_lossy().to_ascii_lowercase()
}

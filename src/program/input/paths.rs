//! Expands the paths on the command line to a list of files: folders are searched for meshes, and
//! glob patterns are expanded. `--files-from` names a file with more paths.

// Rule: this file sorts and maps by copies only.
// Rule: this file makes text of copies only.

use std::collections::BTreeSet;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex};

use globset::{GlobBuilder, GlobMatcher};
use ignore::overrides::Override;
use ignore::{Walk, WalkBuilder};

use super::entry_filter::{EntryFilter, UnusedFiles};
use super::not_opened::PassedBy;
use crate::Error;
use crate::formats::mesh_files::{data_of, is_aniv, lower};
use crate::io::open_stream;
use crate::math::as_u64;
use crate::program::args::{Global, ListArgs, STDIN, WalkArgs};
use crate::program::formats::{FileInFolder, file_in_folder, has_extension};
use crate::program::outcome::{UsageError, usage};
use crate::program::output::{ProgressMeter, note, shown};

/// The characters that make a part of a path a pattern.
const SPECIAL: [char; 3] = ['*', '?', '['];

/// The path of a file to open.
#[derive(Clone, Debug)]
pub struct InputPath {
    pub path: PathBuf,
    /// Whether the file was found in a folder. The command line names all other files, or a pattern
    /// matches them.
    pub is_found: bool,
}

/// The paths of the files to open. The files in a folder are sorted by name.
#[derive(Debug, Default)]
pub struct InputPaths {
    pub paths: Vec<InputPath>,
    /// The folders and files that cannot be read, each with the error of the system.
    unreadable: Vec<(PathBuf, io::Error)>,
    /// The glob patterns and folders on the command line that match no file, each with the reason.
    unmatched: Vec<(PathBuf, &'static str)>,
    /// Files that are meshes only if a script imports them, each with the folder in which it was
    /// found.
    undecided: Vec<(PathBuf, PathBuf)>,
    /// The files in searched folders that are not meshes.
    pub passed_by: PassedBy,
    /// The searched folders.
    pub folders: Vec<PathBuf>,
    /// Whether hidden files and folders are searched, too.
    pub searched_hidden: bool,
    /// The ignore files that are not used.
    unused: UnusedFiles,
}

impl InputPaths {
    /// Returns the files that `names` refer to. An error is returned if a pattern of `walk` is
    /// invalid.
    pub fn expand(names: &[PathBuf], walk: &WalkArgs) -> Result<Self, UsageError> {
        let mut inputs = Self { searched_hidden: walk.hidden, ..Self::default() };
        for name in names {
            if name.is_dir() {
                inputs.search(name, walk)?;
            } else if name.exists() || name == Path::new(STDIN) || !is_glob(name) {
                inputs.paths.push(InputPath { path: name.clone(), is_found: false });
            } else {
                inputs.resolve(name, walk)?;
            }
        }
        Ok(inputs)
    }

    /// Adds the files that match a pattern, and the meshes in the folders that match it.
    fn resolve(&mut self, name: &Path, walk: &WalkArgs) -> Result<(), UsageError> {
        let before = self.paths.len();
        let (mut anivs, mut is_matched) = (Vec::new(), false);
        for found in matching_paths(name, walk)? {
            let found = found.map(|path| (path.metadata(), path));
            // A pipe that a pattern matches is skipped, because reading it could wait for ever.
            let is_special = matches!(&found, Ok((Ok(metadata), path)) if !metadata.is_file() && (!metadata.is_dir() || path.is_symlink()));
            is_matched |= !is_special;
            match found {
                Ok((_, path)) if is_special => self.passed_by.add(&path, None),
                Ok((Ok(metadata), path)) if metadata.is_dir() => self.search(&path, walk)?,
                Ok((_, path)) if is_aniv(&path) => anivs.push(path),
                Ok((_, path)) => self.paths.push(InputPath { path, is_found: false }),
                Err(error) => self.unreadable.push(located(error, name)),
            }
        }
        self.add_unpaired(before, anivs);
        if !is_matched {
            self.unmatched.push((name.to_owned(), "no file matches"));
        }
        Ok(())
    }

    /// Takes the errors about the patterns and folders that match no file, and about the folders
    /// and files that cannot be read.
    pub fn take_errors(&mut self) -> Vec<(PathBuf, Error)> {
        let unmatched = std::mem::take(&mut self.unmatched).into_iter();
        let unmatched = unmatched.map(|(path, why)| (path, io::Error::new(io::ErrorKind::NotFound, why)));
        let errors = unmatched.chain(std::mem::take(&mut self.unreadable));
        errors.map(|(path, error)| (path.clone(), Error::from(error).at_path(&path))).collect()
    }

    /// Prints a note about the ignore files that are not used.
    pub fn note_unused(&self, global: &Global) {
        let Some((path, why)) = self.unused.first_key_value() else { return };
        let more = match self.unused.len().saturating_sub(1) {
            0 => String::new(),
            more => format!(" (and {more} more)"),
        };
        note(&format!("{}: ignore file not used: {why}{more}", shown(path)), global);
    }

    /// Shows the progress over all files, or over the bytes of the only one.
    pub fn progress(&self, global: &Global) -> ProgressMeter {
        match &*self.paths {
            [only] => {
                let bytes = only.path.metadata().map_or(0, |metadata| metadata.len());
                ProgressMeter::of_bytes(bytes, &shown(&only.path), global)
            }
            paths => ProgressMeter::of_items(u64::try_from(paths.len()).unwrap_or(u64::MAX), "files", global),
        }
    }

    /// Decides which of the undecided files, which are meshes only if a script imports them, are
    /// added. An undecided file is added if `is_mesh` returns `true` for its path.
    pub fn settle(&mut self, mut is_mesh: impl FnMut(&Path) -> bool) {
        for (_, path) in std::mem::take(&mut self.undecided) {
            if is_mesh(&path) {
                self.paths.push(InputPath { path, is_found: true });
            } else {
                self.passed_by.add_companion();
            }
        }
    }

    /// Adds the files in a folder that are recognised as meshes by their content or by their name.
    fn search(&mut self, folder: &Path, walk: &WalkArgs) -> Result<(), UsageError> {
        let (before, unreadable, passed_by) = (self.paths.len(), self.unreadable.len(), self.passed_by.all());
        self.folders.push(folder.to_owned());
        let mut anivs = Vec::new();
        let (entries, filter) = entries(folder, walk)?;
        for entry in entries {
            match entry {
                Ok(entry) if !is_file(&entry) => {}
                Ok(entry) => match file_in_folder(entry.path()) {
                    FileInFolder::Mesh => self.paths.push(InputPath { path: entry.into_path(), is_found: true }),
                    FileInFolder::Other(_) if is_aniv(entry.path()) => anivs.push(entry.into_path()),
                    FileInFolder::Other(_) if has_extension(entry.path(), "3d") => {
                        self.undecided.push((folder.to_owned(), entry.into_path()));
                    }
                    FileInFolder::Other(kind) => self.passed_by.add(entry.path(), kind),
                },
                Err(error) => self.unreadable.push(located(error, folder)),
            }
        }
        self.unused.extend(filter.lock().map(|mut filter| filter.take_unused()).unwrap_or_default());
        self.add_unpaired(before, anivs);
        let is_empty = self.passed_by.all() == passed_by && self.undecided.iter().all(|(of, _)| of != folder);
        if self.paths.len() == before && self.unreadable.len() == unreadable && is_empty {
            let why = "no mesh in this folder, which has 0 files except hidden, ignored and excluded ones";
            self.unmatched.push((folder.to_owned(), why));
        }
        Ok(())
    }

    /// Adds the aniv files (vertex frames of Unreal meshes) whose data file does not exist, because
    /// opening them reports an error. An aniv file whose data file exists is skipped, because the
    /// mesh is opened when its data file is opened.
    fn add_unpaired(&mut self, before: usize, anivs: Vec<PathBuf>) {
        let found = self.paths.get(before..).unwrap_or_default();
        let data: BTreeSet<String> = found.iter().map(|input| lower(&input.path)).collect();
        let (pairs, halves): (Vec<_>, Vec<_>) =
            anivs.into_iter().partition(|aniv| data_of(aniv).is_some_and(|name| data.contains(&name)));
        for _ in pairs {
            self.passed_by.add_companion();
        }
        self.paths.extend(halves.into_iter().map(|path| InputPath { path, is_found: true }));
    }
}

/// Returns all files that a command line names, and all files in its folders, without opening them.
pub fn walk_files(names: &[PathBuf], walk: &WalkArgs) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let add_folder = |folder: &Path, files: &mut Vec<PathBuf>| {
        let entries = entries(folder, walk).into_iter().flat_map(|(entries, _)| entries);
        files.extend(entries.flatten().map(ignore::DirEntry::into_path));
    };
    for name in names {
        if name.is_dir() {
            add_folder(name, &mut files);
        } else if is_glob(name) && !name.exists() {
            for path in matching_paths(name, walk).into_iter().flatten().flatten() {
                if path.is_dir() { add_folder(&path, &mut files) } else { files.push(path) }
            }
        } else {
            files.push(name.clone());
        }
    }
    files
}

/// Returns the files and folders that match a pattern, in the order of their names, and the errors
/// of folders that cannot be read. Links to folders are not followed. If a folder matches, its
/// content is not searched for further matches.
///
/// A pattern does not match a hidden file or folder without the option `--hidden`, unless the
/// pattern names it. An invalid pattern matches nothing.
fn matching_paths(pattern: &Path, walk: &WalkArgs) -> Result<Vec<Result<PathBuf, ignore::Error>>, UsageError> {
    let (base, depth) = split(pattern);
    let Some(matcher) = compile(pattern) else { return Ok(Vec::new()) };
    let start = if base.as_os_str().is_empty() { Path::new(".") } else { &base };
    if !start.is_dir() {
        return Ok(Vec::new());
    }
    let mut builder = WalkBuilder::new(start);
    builder.standard_filters(false).hidden(!walk.hidden).overrides(exclusions(start, walk)?).max_depth(depth);
    builder.sort_by_file_name(Ord::cmp);
    let mut found = Vec::new();
    let mut folder: Option<PathBuf> = None;
    for entry in builder.build() {
        let entry = match entry {
            Ok(entry) if entry.depth() == 0 => continue,
            Ok(entry) => entry,
            Err(error) => {
                found.push(Err(error));
                continue;
            }
        };
        let plain = entry.path().strip_prefix("./").unwrap_or_else(|_| entry.path());
        let path = if base.as_os_str().is_empty() { plain } else { entry.path() };
        let is_inside = folder.as_ref().is_some_and(|folder| path.starts_with(folder));
        if !is_inside && matcher.is_match(plain) {
            if entry.file_type().is_some_and(|kind| kind.is_dir()) {
                folder = Some(path.to_owned());
            }
            found.push(Ok(path.to_owned()));
        }
    }
    Ok(found)
}

/// Divides a pattern into the folder before its first special character, and the number of levels
/// below this folder that it can match, or `None` for any number.
fn split(pattern: &Path) -> (PathBuf, Option<usize>) {
    let is_special = |part: &Component<'_>| part.as_os_str().to_str().is_some_and(|part| part.contains(SPECIAL));
    let base: PathBuf = pattern.components().take_while(|part| !is_special(part)).collect();
    let rest = pattern.components().skip_while(|part| !is_special(part));
    let is_any_depth = rest.clone().any(|part| part.as_os_str() == "**");
    (base, (!is_any_depth).then(|| rest.count()))
}

/// Compiles a pattern, in which `*` and `?` match no separator.
fn compile(pattern: &Path) -> Option<GlobMatcher> {
    let text = pattern.to_str()?;
    let text = text.strip_prefix("./").unwrap_or(text);
    Some(GlobBuilder::new(text).literal_separator(true).build().ok()?.compile_matcher())
}

fn is_glob(name: &Path) -> bool {
    name.to_str().is_some_and(|name| name.contains(['*', '?', '[']))
}

/// Returns the entries of a folder in the order of their names, and the filter that they pass.
fn entries(folder: &Path, walk: &WalkArgs) -> Result<(Walk, Arc<Mutex<EntryFilter>>), UsageError> {
    let filter = EntryFilter::new(folder, walk, exclusions(folder, walk)?);
    let filter = Arc::new(Mutex::new(filter));
    let mut builder = WalkBuilder::new(folder);
    builder.standard_filters(false).sort_by_file_name(Ord::cmp);
    let own = Arc::clone(&filter);
    builder.filter_entry(move |entry| own.lock().is_ok_and(|mut filter| !filter.leaves_out(entry)));
    Ok((builder.build(), filter))
}

/// Compiles the patterns of `--exclude` for the files below a folder.
pub(super) fn exclusions(folder: &Path, walk: &WalkArgs) -> Result<Override, UsageError> {
    walk.exclusions(folder).map_err(|error| UsageError(format!("--exclude: {error}")))
}

/// Returns the path and the cause of an error of a walk.
fn located(error: ignore::Error, folder: &Path) -> (PathBuf, io::Error) {
    match error {
        ignore::Error::WithPath { path, err } => (path.clone(), located(*err, &path).1),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => located(*err, folder),
        ignore::Error::Io(error) => (folder.to_owned(), error),
        other => (folder.to_owned(), io::Error::other(other.to_string())),
    }
}

/// Returns whether a folder entry is a regular file or a symbolic link to a regular file. Symbolic
/// links to folders are not followed, because such links may form cycles.
fn is_file(entry: &ignore::DirEntry) -> bool {
    let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
    is_file || entry.path_is_symlink() && entry.path().is_file()
}

/// The greatest size of a list in bytes.
const MAX_LIST: u64 = 64 << 20;

/// Adds the paths of the list of `--files-from` to the files on the command line.
pub fn add_listed(files: &mut Vec<PathBuf>, args: &ListArgs) -> anyhow::Result<()> {
    let Some(path) = &args.files_from else { return Ok(()) };
    if path == Path::new(STDIN) && files.iter().any(|file| file == Path::new(STDIN)) {
        usage!("--files-from: standard input (-) is the list and a file; give one of them");
    }
    let text = if path == Path::new(STDIN) { read(io::stdin().lock(), path)? } else { read(open_stream(path)?, path)? };
    files.extend(paths(&text));
    Ok(())
}

fn read(stream: impl Read, path: &Path) -> anyhow::Result<Vec<u8>> {
    let mut text = Vec::new();
    let size = stream.take(MAX_LIST.saturating_add(1)).read_to_end(&mut text);
    let size = size.map_err(|error| Error::from(error).at_path(path))?;
    if as_u64(size) > MAX_LIST {
        anyhow::bail!("{}: expected a list of at most {MAX_LIST} bytes, found more", shown(path));
    }
    if text.starts_with(b"\xff\xfe") || text.starts_with(b"\xfe\xff") {
        anyhow::bail!("{}: expected a list of paths in UTF-8, found UTF-16; save it as UTF-8", shown(path));
    }
    Ok(text)
}

/// Returns the paths of a list. If the list has a NUL, each path ends with one, and otherwise with
/// a line feed.
///
/// The bytes of a path need not be UTF-8 on Unix.
fn paths(text: &[u8]) -> impl Iterator<Item = PathBuf> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let has_nul = text.contains(&0);
    let parts = text.split(move |byte| *byte == if has_nul { 0 } else { b'\n' });
    let parts = parts.map(move |part| if has_nul { part } else { part.strip_suffix(b"\r").unwrap_or(part) });
    parts.filter(|part| !part.is_empty()).map(path_of)
}

#[cfg(unix)]
fn path_of(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt as _;
    Path::new(std::ffi::OsStr::from_bytes(bytes)).to_owned()
}

#[cfg(not(unix))]
fn path_of(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_starts_in_its_last_plain_folder() {
        let split = |pattern: &str| {
            let (base, depth) = split(Path::new(pattern));
            (base.to_str().unwrap().to_owned(), depth)
        };
        assert_eq!(split("*.mesh"), (String::new(), Some(1)));
        assert_eq!(split("a/b/*/c?.mesh"), ("a/b".to_owned(), Some(2)));
        assert_eq!(split("/a/**/*.mesh"), ("/a".to_owned(), None));
    }

    #[test]
    fn a_list_has_lines_or_nuls() {
        let listed =
            |text: &str| paths(text.as_bytes()).map(|path| path.to_str().unwrap().to_owned()).collect::<Vec<_>>();
        assert_eq!(listed("a b\r\n\nc\n"), ["a b", "c"]);
        assert_eq!(listed("a\nb\0c\0"), ["a\nb", "c"]);
        assert_eq!(listed("\u{feff}a\nb"), ["a", "b"]);
        assert_eq!(listed(""), [""; 0]);
    }
}

//! From what the user names to models: folders, globs, pipes, and the choice between mapping and reading.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use meshpeek::source::{open_stream, read_up_to};
use meshpeek::{ErrorKind, Field, Format, Limits, Map, Model};

use crate::Global;
use crate::output::{self, Outcome};

/// A file up to this size is read: a copy is cheaper than a mapping, and cannot change.
const COPIED: u64 = 1 << 20;
/// Bytes of a stream that must be recognised before more of it is read.
const HEAD: u64 = 64 << 10;
/// The name of standard input.
const STDIN: &str = "-";

/// The bytes of an input.
#[derive(Debug)]
pub enum Data {
    Map(Map),
    Bytes(Vec<u8>),
}

impl AsRef<[u8]> for Data {
    fn as_ref(&self) -> &[u8] {
        match self {
            Self::Map(map) => map.as_ref(),
            Self::Bytes(bytes) => bytes,
        }
    }
}

impl Data {
    /// Tests that the file is still what was opened, so that what was read from it may be told.
    pub fn check(&self) -> meshpeek::Result<()> {
        match self {
            Self::Map(map) => map.check(),
            Self::Bytes(_) => Ok(()),
        }
    }
}

/// Opens a file, and records which of its bytes are looked at.
pub fn open(path: &Path, global: Global) -> meshpeek::Result<Model<Data>> {
    let limits = Limits::default();
    load(path, global, &limits).and_then(|data| Model::watched(data, &limits)).map_err(|error| error.at_path(path))
}

fn load(path: &Path, global: Global, limits: &Limits) -> meshpeek::Result<Data> {
    if path == Path::new(STDIN) {
        return stream(std::io::stdin().lock(), limits);
    }
    let metadata = std::fs::metadata(path);
    let regular = metadata.as_ref().is_ok_and(std::fs::Metadata::is_file);
    if metadata.is_ok() && !regular {
        return stream(open_stream(path)?, limits);
    }
    let size = metadata.map_or(0, |metadata| metadata.len());
    if global.no_mmap || size <= COPIED {
        return copy(path, size, limits);
    }
    // SAFETY: the user of a command names a file to be read now, and the command's help says that it is mapped. Should
    // somebody write to it meanwhile, the library answers with wrong values or errors; `Data::check` is asked before
    // anything is told, and `--no-mmap` is there for files that are being written.
    #[allow(unsafe_code, reason = "the command line's one call of `Map::open`")]
    let map = unsafe { Map::open(path) };
    // Some file systems cannot be mapped; all can be read.
    map.map(Data::Map).or_else(|_| copy(path, size, limits))
}

/// Reads a regular file whole. Its size is what it claims: those of special file systems may go on for ever.
fn copy(path: &Path, size: u64, limits: &Limits) -> meshpeek::Result<Data> {
    read_up_to(open_stream(path)?, size, limits.stream.max(size)).map(Data::Bytes)
}

/// Reads a stream whole, once its first bytes are known to be worth it.
fn stream(mut stream: impl Read, limits: &Limits) -> meshpeek::Result<Data> {
    let head = read_up_to(stream.by_ref().take(HEAD), HEAD, HEAD)?;
    Format::detect(&head)?;
    read_up_to(head.as_slice().chain(stream), HEAD, limits.stream).map(Data::Bytes)
}

/// Opens every file that the user's words stand for, and returns the worst outcome. Progress shows how far it has come.
pub fn each(
    words: &[PathBuf],
    global: Global,
    mut visit: impl FnMut(&Path, meshpeek::Result<Model<Data>>) -> anyhow::Result<Outcome>,
) -> anyhow::Result<Outcome> {
    let inputs = Inputs::expand(words);
    let bar = progress(inputs.paths.len(), global);
    let mut worst = Outcome::Fine;
    for (path, why) in &inputs.unmatched {
        let nothing = ErrorKind::from(std::io::Error::new(std::io::ErrorKind::NotFound, *why));
        let error = meshpeek::Error::without_offset("file", Field::new("file"), nothing).at_path(path);
        worst = worst.max(visit(path, Err(error))?);
    }
    for path in &inputs.paths {
        bar.set_message(output::shown(path));
        worst = worst.max(bar.suspend(|| visit(path, open(path, global)))?);
        bar.inc(1);
    }
    bar.finish_and_clear();
    if global.verbose && inputs.passed_over > 0 {
        note(&format!("passed over {} files in folders that are no meshes", inputs.passed_over), global);
    }
    Ok(worst)
}

/// The files that the user's words stand for: as named, folders searched in the order of names, globs resolved.
#[derive(Debug, Default)]
struct Inputs {
    paths: Vec<PathBuf>,
    /// Words that stand for nothing, and why.
    unmatched: Vec<(PathBuf, &'static str)>,
    /// Files in folders that are no meshes.
    passed_over: u64,
}

impl Inputs {
    fn expand(words: &[PathBuf]) -> Self {
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
        let found = word.to_str().and_then(|pattern| glob::glob(pattern).ok());
        let found: Vec<PathBuf> = found.into_iter().flatten().flatten().collect();
        if found.is_empty() {
            self.unmatched.push((word.to_owned(), "no file matches"));
        }
        for path in found {
            if path.is_dir() { self.search(&path) } else { self.paths.push(path) }
        }
    }

    /// Takes the files of a folder that are meshes by their content, and those that claim to be by their name.
    fn search(&mut self, folder: &Path) {
        let before = self.paths.len();
        for entry in walkdir::WalkDir::new(folder).sort_by_file_name() {
            match entry {
                Ok(entry) if !is_file(&entry) => {}
                Ok(entry) if is_candidate(entry.path()) => self.paths.push(entry.into_path()),
                Ok(_) => self.passed_over = self.passed_over.saturating_add(1),
                // What cannot be listed is named, so that it is reported and not lost.
                Err(error) => self.paths.extend(error.path().map(Path::to_owned)),
            }
        }
        if self.paths.len() == before {
            self.unmatched.push((folder.to_owned(), "no mesh in this folder"));
        }
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
    let mut head = [0; 4];
    claims.is_some_and(|extension| matches!(&*extension, "mesh" | "anim"))
        || File::open(path).and_then(|mut file| file.read_exact(&mut head)).is_ok() && Format::recognises(&head)
}

/// Shows, on a terminal and after a second, how far the work has come.
fn progress(count: usize, global: Global) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(u64::try_from(count).ok(), ProgressDrawTarget::hidden());
    if let Ok(style) = ProgressStyle::with_template("{spinner} {pos}/{len} files {wide_msg}") {
        bar.set_style(style);
    }
    if !global.quiet && !global.json {
        let late = bar.clone();
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_secs(1));
            if !late.is_finished() {
                late.set_draw_target(ProgressDrawTarget::stderr());
                late.enable_steady_tick(Duration::from_millis(120));
            }
        });
    }
    bar
}

/// Says something that is no result: on standard error, unless the user wants quiet.
pub fn note(text: &str, global: Global) {
    if !global.quiet {
        // A note that cannot be written is not worth a failure.
        let _ = writeln!(anstream::stderr(), "{text}");
    }
}

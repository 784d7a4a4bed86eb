//! From what the user names to models: pipes, files and pairs of files, and the choice between mapping and reading.

use std::ffi::OsStr;
use std::io::{Read, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use meshpeek::source::{open_stream, read_up_to};
use meshpeek::unreal::find::{Finder, Pair, Part};
use meshpeek::unreal::{self, uc};
use meshpeek::{Error, ErrorKind, Field, Format, Limits, Map, Model};

use crate::Global;
use crate::expand::Inputs;
use crate::output::{self, Misuse, Outcome};

/// A file up to this size is read: a copy is cheaper than a mapping, and cannot change.
const COPIED: u64 = 1 << 20;
/// Bytes of a stream that must be recognised before more of it is read.
const HEAD: u64 = 64 << 10;
/// The name of standard input.
pub const STDIN: &str = "-";

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

/// A model, the files that it was read from, and which of them the user named.
#[derive(Debug)]
pub struct Opened {
    pub model: Model<Data>,
    /// The number of the named file among the model's sources.
    pub source: usize,
    /// The files of an Unreal mesh.
    pub pair: Option<Pair>,
}

impl Opened {
    /// Returns the bytes of the named file.
    pub fn bytes(&self) -> &[u8] {
        self.model.sources().nth(self.source).map_or(&[], AsRef::as_ref)
    }

    /// Returns the name that a script gives the mesh.
    pub fn mesh_name(&self) -> Option<String> {
        let name = self.pair.as_ref()?.mesh.as_deref()?;
        Some(meshpeek::Name::new(name).to_string_lossy())
    }

    /// Returns the bytes of all files that the mesh itself is in: a script is not among them.
    pub fn size(&self) -> u64 {
        let sizes = self.model.sources().take(2).map(|data| data.as_ref().len());
        sizes.map(|size| u64::try_from(size).unwrap_or(u64::MAX)).fold(0, u64::saturating_add)
    }

    /// Tests that the files still are what was opened, so that what was read from them may be told.
    pub fn check(&self) -> meshpeek::Result<()> {
        let files = self.pair.as_ref().map(|pair| [Some(&pair.data), Some(&pair.aniv), pair.script.as_ref()]);
        for (number, data) in self.model.sources().enumerate() {
            let path = files.and_then(|files| files.get(number).copied().flatten());
            data.check().map_err(|error| path.map_or(error.clone(), |path| error.at_path(path)))?;
        }
        Ok(())
    }

    /// Says which file an error is about: of several, the one whose bytes it names; otherwise the one that was named.
    pub fn blame(&self, error: Error, named: &Path) -> Error {
        match &self.pair {
            Some(pair) => blame(pair, error).at_path(named),
            None => error.at_path(named),
        }
    }
}

/// Says which file of a pair an error is about.
fn blame(pair: &Pair, error: Error) -> Error {
    match error.format() {
        "unreal data" => error.at_path(&pair.data),
        "unreal aniv" => error.at_path(&pair.aniv),
        "unreal script" => match &pair.script {
            Some(script) => error.at_path(script),
            None => error,
        },
        _ => error,
    }
}

/// Opens files one after another, and remembers which belong together.
struct Opener<'g> {
    global: &'g Global,
    limits: Limits,
    finder: Finder,
}

impl<'g> Opener<'g> {
    fn new(global: &'g Global) -> Self {
        Self { global, limits: Limits::default(), finder: Finder::new() }
    }

    /// Opens what a path stands for, and records which of its bytes are looked at: one model, or of a script one for each
    /// mesh whose files are there.
    fn open(&mut self, path: &Path) -> Vec<meshpeek::Result<Opened>> {
        if !self.is_unreal(path) {
            let data = load(path, self.global, &self.limits);
            let model = data.and_then(|data| Model::watched(data, &self.limits)).map_err(|error| error.at_path(path));
            return vec![model.map(|model| Opened { model, source: 0, pair: None })];
        }
        let pairs = match &self.global.unreal.mesh {
            Some(name) => self.finder.find_mesh(path, name.as_bytes()).map(|pair| vec![pair]),
            None => self.finder.find(path),
        };
        match pairs {
            Ok(pairs) => pairs.into_iter().map(|pair| self.open_pair(pair)).collect(),
            Err(error) => vec![Err(error.at_path(path))],
        }
    }

    /// Tells whether a path names an Unreal mesh: by its extension, unless the content is another format's, or as a stem.
    fn is_unreal(&mut self, path: &Path) -> bool {
        if path == Path::new(STDIN) {
            return false;
        }
        let extension = path.extension().and_then(OsStr::to_str).map(str::to_ascii_lowercase);
        match extension.as_deref() {
            Some("uc") => true,
            Some("3d") => !is_recognised(path),
            _ => !path.exists() && self.finder.find(path).is_ok(),
        }
    }

    fn open_pair(&self, pair: Pair) -> meshpeek::Result<Opened> {
        let model = self.load_pair(&pair).map_err(|error| blame(&pair, error))?;
        let source = match pair.named {
            Some(Part::Data) | None => 0,
            Some(Part::Aniv) => 1,
            Some(Part::Script) => 2,
        };
        Ok(Opened { model: model.into(), source, pair: Some(pair) })
    }

    fn load_pair(&self, pair: &Pair) -> meshpeek::Result<unreal::Mesh<Data>> {
        let load = |path: &Path| load(path, self.global, &self.limits).map_err(|error| error.at_path(path));
        let options = unreal::Options {
            mode: if self.global.unreal.strict { unreal::Mode::Strict } else { unreal::Mode::Lenient },
            uv_divisor: match &*self.global.unreal.uv_divisor {
                "256" => unreal::UvDivisor::By256,
                _ => unreal::UvDivisor::By255,
            },
            watched: true,
        };
        let mesh = unreal::Mesh::open_with(load(&pair.data)?, load(&pair.aniv)?, options)?;
        let (Some(script), Some(name)) = (&pair.script, &pair.mesh) else { return Ok(mesh) };
        let script = uc::Script::open_with(load(script)?, &self.limits)?;
        Ok(mesh.with_script(script, name))
    }
}

/// Opens the one model that a path stands for.
pub fn open(path: &Path, global: &Global) -> anyhow::Result<Opened> {
    let mut opened = Opener::new(global).open(path);
    match opened.pop() {
        Some(only) if opened.is_empty() => Ok(only?),
        Some(last) => {
            opened.push(last);
            let names = opened.iter().flatten().filter_map(|opened| opened.pair.as_ref()?.mesh.as_deref());
            let names: Vec<String> = names.map(|name| meshpeek::Name::new(name).to_string()).collect();
            let path = output::shown(path);
            Err(Misuse(format!("{path}: imports several meshes; choose with --mesh: {}", names.join(", "))).into())
        }
        None => Err(Misuse(format!("{}: imports no mesh whose files are there", output::shown(path))).into()),
    }
}

/// Tells whether the first bytes of a file are those of a format that has a magic.
pub fn is_recognised(path: &Path) -> bool {
    let mut head = [0; 4];
    // Opened as a stream, a pipe does not keep us waiting.
    path.is_file()
        && open_stream(path).is_ok_and(|mut file| file.read_exact(&mut head).is_ok())
        && Format::recognises(&head)
}

fn load(path: &Path, global: &Global, limits: &Limits) -> meshpeek::Result<Data> {
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
    global: &Global,
    mut visit: impl FnMut(&Path, meshpeek::Result<Opened>) -> anyhow::Result<Outcome>,
) -> anyhow::Result<Outcome> {
    let mut opener = Opener::new(global);
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
        for opened in opener.open(path) {
            worst = worst.max(bar.suspend(|| visit(path, opened))?);
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    if global.verbose && inputs.passed_over > 0 {
        note(&format!("passed over {} files in folders that are no meshes", inputs.passed_over), global);
    }
    Ok(worst)
}

/// Shows, on a terminal and after a second, how far the work has come.
fn progress(count: usize, global: &Global) -> ProgressBar {
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
pub fn note(text: &str, global: &Global) {
    if !global.quiet {
        // A note that cannot be written is not worth a failure.
        let _ = writeln!(anstream::stderr(), "{text}");
    }
}

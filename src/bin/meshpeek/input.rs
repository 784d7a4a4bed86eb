//! From what the user names to models: pipes, files and pairs of files, and the choice between mapping and reading.

use std::ffi::OsStr;
use std::io::{Read, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use meshpeek::ezmesh::Mesh;
use meshpeek::io::{open_stream, read_up_to};
use meshpeek::sidecar::{self, Key, Trust};
use meshpeek::unreal::find::{Finder, Pair, Part};
use meshpeek::unreal::{self, uc};
use meshpeek::{Error, ErrorKind, Field, Format, Limits, Map, Model, secondlife};

use crate::Global;
use crate::expand::{Inputs, has_extension};
use crate::opened::{Absent, Alone, Data, Opened, ScriptFile};
use crate::output::{self, Misuse, Outcome};

/// A file up to this size is read: a copy is cheaper than a mapping, and cannot change.
const COPIED: u64 = 1 << 20;
/// Bytes of a stream that must be recognised before more of it is read.
const HEAD: u64 = 64 << 10;
/// Bytes that tell a format, where it can be told.
const MAGIC: u64 = 64;
/// The name of standard input.
pub const STDIN: &str = "-";

/// Opens files one after another, and remembers which belong together.
struct Opener<'g> {
    global: &'g Global,
    limits: Limits,
    finder: Finder,
    /// The script that was read last: the meshes of one come one after another.
    script: Option<(PathBuf, Arc<ScriptFile>)>,
}

/// What a path stands for.
enum Named {
    File,
    Pairs(Vec<Pair>),
}

impl<'g> Opener<'g> {
    fn new(global: &'g Global) -> Self {
        Self { global, limits: Limits::default(), finder: Finder::new(), script: None }
    }

    /// Finds what a path stands for: an Unreal mesh by its extension, unless the content is another format's, or by its
    /// stem; of a script, every mesh whose files are there.
    fn find(&mut self, path: &Path) -> meshpeek::Result<Named> {
        let extension = path.extension().and_then(OsStr::to_str).map(str::to_ascii_lowercase);
        let unreal = match extension.as_deref() {
            _ if path == Path::new(STDIN) => false,
            Some("uc") => true,
            Some("3d") => !is_recognised(path),
            // A stem of which one file is there, and not the other, stands for half a pair.
            _ => !path.exists() && self.finder.find(path).map_or_else(|error| error.path() != Some(path), |_| true),
        };
        if !unreal {
            return Ok(Named::File);
        }
        let pairs = match &self.global.unreal.mesh {
            Some(name) => self.finder.find_mesh(path, name.as_bytes()).map(|pair| vec![pair]),
            None => self.finder.find(path),
        };
        pairs.map(Named::Pairs).map_err(|error| error.at_path(path))
    }

    /// Opens a file that is a mesh by itself, or one of several assets in it, and records which of its bytes are looked
    /// at.
    fn open_file(&self, path: &Path, asset: Option<usize>) -> meshpeek::Result<Opened> {
        let key = identity(path);
        let data = load(path, self.global, &self.limits);
        let model = data.and_then(|data| self.open_data(data, path, asset)).map_err(|error| error.at_path(path))?;
        Ok(Opened { model, source: 0, pair: None, key, sidecar: None })
    }

    fn open_data(&self, data: Data, path: &Path, asset: Option<usize>) -> meshpeek::Result<Model<Data>> {
        // What bears an extension of the format and is none of any other is damaged, and the format knows how.
        let is_named = |extensions: [&str; 2]| extensions.iter().any(|extension| has_extension(path, extension));
        let detected = Format::detect(data.as_ref());
        let is_unknown = matches!(&detected, Err(error) if matches!(error.kind(), ErrorKind::Unknown { .. }));
        match detected {
            Ok(Format::SecondLife) => {}
            Ok(Format::EzMesh) => return self.open_ezmesh(data),
            _ if is_unknown && is_named(["ezm", "ezb"]) => return self.open_ezmesh(data),
            _ if is_unknown && is_named(["llmesh", "slm"]) => {}
            _ => return Model::watched(data, &self.limits),
        }
        let asset = asset.unwrap_or_default();
        let options = secondlife::Options { asset, watched: true, limits: self.limits, partial: false };
        secondlife::Mesh::open_with(data, &options).map(Model::from)
    }

    fn open_ezmesh(&self, data: Data) -> meshpeek::Result<Model<Data>> {
        Mesh::open_with(data, &crate::ezmesh::options(self.limits, self.global.strict)).map(Model::from)
    }

    fn open_pair(&mut self, pair: Pair) -> meshpeek::Result<Opened> {
        let model = self.load_pair(&pair).map_err(|error| pair.blame(error))?;
        let source = match pair.named {
            Some(Part::Data) | None => 0,
            Some(Part::Aniv) => 1,
            Some(Part::Script) => 2,
        };
        Ok(Opened { model: model.into(), source, pair: Some(pair), key: None, sidecar: None })
    }

    fn load_pair(&mut self, pair: &Pair) -> meshpeek::Result<unreal::Mesh<Data>> {
        let load = |path: &Path| load(path, self.global, &self.limits).map_err(|error| error.at_path(path));
        let options = unreal_options(self.global);
        let mesh = unreal::Mesh::open_with(load(&pair.data)?, load(&pair.aniv)?, options)?;
        let (Some(path), Some(name)) = (&pair.script, &pair.mesh) else { return Ok(mesh) };
        let file = self.script(path)?;
        let selected = file.selected.get(&name.to_ascii_lowercase()).cloned().unwrap_or_default();
        Ok(mesh.with_selected(file.script.clone(), selected))
    }

    /// Reads a script, unless it is the one that was read last.
    fn script(&mut self, path: &Path) -> meshpeek::Result<Arc<ScriptFile>> {
        if let Some((_, file)) = self.script.as_ref().filter(|(known, _)| known == path) {
            return Ok(file.clone());
        }
        let file = Arc::new(ScriptFile::new(open_script(path, self.global)?));
        self.script = Some((path.to_owned(), file.clone()));
        Ok(file)
    }

    /// Returns the meshes that a script imports and whose files are not there.
    fn absent(&mut self, path: &Path) -> meshpeek::Result<Vec<Absent>> {
        if !has_extension(path, "uc") || self.global.unreal.mesh.is_some() {
            return Ok(Vec::new());
        }
        let imports = self.finder.imports(path)?;
        let missing = imports.into_iter().filter_map(|import| Some((import.mesh, import.found.err()?)));
        let script = self.script(path)?;
        let absent =
            |(mesh, why): (Vec<u8>, Error)| Absent { path: path.to_owned(), mesh, why, script: script.clone() };
        Ok(missing.map(absent).collect())
    }
}

/// How Unreal's files are to be read.
pub fn unreal_options(global: &Global) -> unreal::Options {
    unreal::Options {
        mode: if global.strict { unreal::Mode::Strict } else { unreal::Mode::Lenient },
        uv_divisor: match &*global.unreal.uv_divisor {
            "256" => unreal::UvDivisor::By256,
            _ => unreal::UvDivisor::By255,
        },
        watched: true,
    }
}

/// Reads a script by itself.
pub fn open_script(path: &Path, global: &Global) -> meshpeek::Result<uc::Script<Data>> {
    let limits = Limits::default();
    let data = load(path, global, &limits);
    data.and_then(|data| uc::Script::open_with(data, &limits)).map_err(|error| error.at_path(path))
}

/// Opens one file for what is in it alone.
pub fn open_alone(path: &Path, global: &Global) -> anyhow::Result<Alone> {
    if has_extension(path, "uc") {
        return Ok(Alone::Script(Box::new(open_script(path, global)?)));
    }
    Ok(Alone::Model(Box::new(open(path, global)?)))
}

/// Opens the one model that a path stands for.
pub fn open(path: &Path, global: &Global) -> anyhow::Result<Opened> {
    open_asset(path, None, global)
}

/// Opens the one model that a path stands for, or one of several assets in it.
pub fn open_asset(path: &Path, asset: Option<usize>, global: &Global) -> anyhow::Result<Opened> {
    let mut opener = Opener::new(global);
    let mut pairs = match opener.find(path)? {
        Named::File => return Ok(opener.open_file(path, asset)?),
        Named::Pairs(pairs) => pairs,
    };
    match (pairs.pop(), &*pairs) {
        (Some(only), []) => Ok(opener.open_pair(only)?),
        (last, _) => {
            pairs.extend(last);
            let names = pairs.iter().filter_map(|pair| pair.mesh.as_deref());
            let names: Vec<String> = names.map(|name| meshpeek::Name::new(name).to_string()).collect();
            let path = output::shown(path);
            Err(Misuse(format!("{path}: imports several meshes; choose with --mesh: {}", names.join(", "))).into())
        }
    }
}

/// Tells whether the first bytes of a file are those of a format that has a magic.
pub fn is_recognised(path: &Path) -> bool {
    // Opened as a stream, a pipe does not keep us waiting.
    let head = || read_up_to(open_stream(path)?.take(MAGIC), MAGIC, MAGIC);
    path.is_file() && head().is_ok_and(|head| Format::recognises(&head))
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
    // Some file systems cannot be mapped; all can be read.
    map(path).map(Data::Map).or_else(|_| copy(path, size, limits))
}

/// Maps a regular file.
pub fn map(path: &Path) -> meshpeek::Result<Map> {
    // SAFETY: the user of a command names a file to be read now, and the command's help says that it is mapped. Should
    // somebody write to it meanwhile, the library answers with wrong values or errors; `Data::check` is asked before
    // anything is told, and `--no-mmap` is there for files that are being written. A sidecar is replaced and never written
    // to, and `--no-sidecar` is there for whoever does so all the same.
    #[allow(unsafe_code, reason = "the command line's one call of `Map::open`")]
    unsafe {
        Map::open(path)
    }
}

/// Returns the identity of a regular file; standard input has none.
pub fn identity(path: &Path) -> Option<Key> {
    let metadata = if path == Path::new(STDIN) { None } else { std::fs::metadata(path).ok() };
    metadata.filter(std::fs::Metadata::is_file).map(|metadata| Key::of(&metadata))
}

/// Opens the one model that a path stands for, or one of several assets in it, with its sidecar where it has one.
pub fn open_indexed(path: &Path, asset: Option<usize>, global: &Global) -> anyhow::Result<Opened> {
    let mut opened = open_asset(path, asset, global)?;
    // What was opened is what the key is of, or it was replaced meanwhile.
    let key = opened.key.filter(|key| !global.no_sidecar && identity(path) == Some(*key));
    let Some(key) = key else { return Ok(opened) };
    // What somebody else may change is copied, as far as it can be a sidecar of that file.
    let most = key.size().saturating_mul(2).saturating_add(COPIED);
    let open = |path: &Path, trust| match trust {
        Trust::Trusted => map(path).map(Data::Map),
        Trust::Untrusted => read_up_to(open_stream(path)?, 0, most).map(Data::Bytes),
    };
    if let Some(found) = sidecar::find(path, &key, open) {
        if global.verbose {
            note(&format!("{}: found by {}", output::shown(path), output::shown(&found.path)), global);
        }
        let sidecar = Arc::new(found.sidecar);
        opened.model = opened.model.with_sidecar(sidecar.clone());
        opened.sidecar = Some(sidecar);
    }
    Ok(opened)
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

/// Opens every file that the user's words stand for, one after another, and returns the worst outcome, and the meshes of
/// scripts whose files are missing beside others that are there. Progress shows how far it has come.
pub fn each(
    words: &[PathBuf],
    global: &Global,
    mut visit: impl FnMut(&Path, meshpeek::Result<Opened>) -> anyhow::Result<Outcome>,
) -> anyhow::Result<(Outcome, Vec<Absent>)> {
    let mut opener = Opener::new(global);
    let mut inputs = Inputs::expand(words);
    // A pair is taken once, by its data file.
    inputs.settle(|path| {
        let Ok(Named::Pairs(pairs)) = opener.find(path) else { return false };
        pairs.iter().any(|pair| pair.named == Some(Part::Data))
    });
    let bar = progress(u64::try_from(inputs.paths.len()).unwrap_or(u64::MAX), "files", global);
    let (mut worst, mut absent) = (Outcome::Fine, Vec::new());
    for (path, why) in &inputs.unmatched {
        let nothing = ErrorKind::from(std::io::Error::new(std::io::ErrorKind::NotFound, *why));
        let error = Error::without_offset("file", Field::new("file"), nothing).at_path(path);
        worst = worst.max(visit(path, Err(error))?);
    }
    for path in &inputs.paths {
        bar.set_message(output::shown(path));
        let mut visit = |opened| bar.suspend(|| visit(path, opened));
        match opener.find(path) {
            Ok(Named::File) => worst = worst.max(visit(opener.open_file(path, None))?),
            Ok(Named::Pairs(pairs)) => {
                for pair in pairs {
                    worst = worst.max(visit(opener.open_pair(pair))?);
                }
                absent.extend(opener.absent(path)?);
            }
            Err(error) => worst = worst.max(visit(Err(error))?),
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    if global.verbose && inputs.passed_over > 0 {
        note(&format!("passed over {} files in folders that are no meshes", inputs.passed_over), global);
    }
    for Absent { path, mesh, why, .. } in absent.iter().filter(|_| !global.json) {
        let mesh = meshpeek::Name::new(mesh);
        note(&format!("{}: mesh {mesh} is left out: {}", output::shown(path), why.kind()), global);
    }
    Ok((worst, absent))
}

/// Shows, on a terminal and after a second, how far the work has come.
pub fn progress(count: u64, of: &str, global: &Global) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(count), ProgressDrawTarget::hidden());
    if let Ok(style) = ProgressStyle::with_template(&format!("{{spinner}} {{pos}}/{{len}} {of} {{wide_msg}}")) {
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

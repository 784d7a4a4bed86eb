//! Opens one file, or all files that are named on the command line.

// Rule: this file sorts and maps by copies only.

use std::cell::RefCell;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::formats::mesh_files::{FilesOpener, MeshFiles, MissingMesh, Script};
use crate::formats::{foreign, foreign_error};
use crate::io::{read_start, read_up_to};
use crate::sidecar::{SidecarCache, Trust};
use crate::{Error, Limits, Model, OpenOptions};
use xxhash_rust::xxh3::Xxh3Default;

use super::asset::InputAsset;
use super::bytes::{self, Data, MAX_COPY, MappedFile, identity};
use super::not_opened::{NotOpened, PassedBy, note_omissions};
use super::paths::{InputPath, InputPaths};
#[cfg(feature = "internals")]
use super::registered::open_data;
use super::source_file::SourceFile;
#[cfg(not(feature = "internals"))]
use crate::formats::open_named as open_data;
use crate::program::args::{Global, STDIN, WalkArgs};
use crate::program::formats::{has_extension, is_recognised};
use crate::program::outcome::{Outcome, UsageError};
use crate::program::output::{ProgressMeter, note, shown};

/// The number of bytes at the start of a file that tell whether it is a Git LFS pointer, a page,
/// zeros or a file of another program.
const FOREIGN_HEAD: u64 = 64 << 10;

/// Opens input files, one after another, with the options on the command line.
pub(super) struct Opener<'g> {
    global: &'g Global,
    options: OpenOptions,
    pub(super) pairs: FilesOpener<Data>,
}

impl<'g> Opener<'g> {
    /// Makes an opener. If `counts_bytes` is true, its models count the bytes of the file that are
    /// read.
    pub(super) fn new(global: &'g Global, counts_bytes: bool) -> Self {
        let options = OpenOptions { strict: global.strict, record_access: counts_bytes, ..OpenOptions::default() };
        let pairs = FilesOpener::new(&options, global.mesh.as_deref(), global.uv_divisor == "256");
        Self { global, options, pairs }
    }

    /// Returns the meshes of several files that a path refers to, or `None` if it refers to none.
    pub(super) fn find_files(&mut self, path: &Path) -> crate::Result<Option<Vec<MeshFiles>>> {
        if path == Path::new(STDIN) { Ok(None) } else { self.pairs.find(path, is_recognised) }
    }

    /// Returns whether a file is the first file of a mesh of several files.
    pub(super) fn is_first_file(&mut self, path: &Path) -> bool {
        let Ok(Some(pairs)) = self.find_files(path) else { return false };
        pairs.iter().any(|pair| pair.named.is_some() && pair.named_source() == 0)
    }

    /// Opens a mesh that is a single file. For a container of several assets, `asset` selects the
    /// asset.
    fn open_file(&self, path: &Path, asset: Option<usize>) -> crate::Result<InputAsset> {
        let key = identity(path);
        let loader = FileLoader::new(self.global);
        let load = || bytes::load(path, self.global, &self.options.limits);
        let options = OpenOptions { asset: asset.unwrap_or_default(), ..self.options };
        let model = loader.note(load()).and_then(|data| open_data(data, path, &options));
        let model = loader.explain(model).map_err(|error| error.at_path(path))?;
        Ok(InputAsset { model, source: 0, pair: None, key, mapped_sidecar: None, _progress: None })
    }

    fn open_pair(&mut self, pair: MeshFiles) -> crate::Result<InputAsset> {
        let loader = FileLoader::new(self.global);
        let model = self.pairs.open(&pair, |path| loader.load(path)).map(Model::from);
        let model = loader.explain(model.map_err(|error| found_instead(pair.locate_error(error))))?;
        let source = pair.named_source();
        let pair = Some(pair);
        Ok(InputAsset { model, source, pair, key: None, mapped_sidecar: None, _progress: None })
    }

    /// Opens the meshes that a path names, and passes each to `visit` with the key of an Unreal
    /// mesh. Meshes for which `is_new` returns false are left out. Returns the meshes of a script
    /// whose files do not exist. Meshes whose script already imports many others from the same two
    /// files are an error if `refuses_repeated` is true, and otherwise returned, too.
    pub(super) fn open_path(
        &mut self,
        path: &Path,
        refuses_repeated: bool,
        is_new: &mut dyn FnMut(&MeshFiles) -> bool,
        visit: &mut dyn FnMut(Option<u128>, crate::Result<InputAsset>) -> anyhow::Result<()>,
    ) -> anyhow::Result<Vec<MissingMesh<Data>>> {
        match self.find_files(path) {
            Ok(None) => visit(None, self.open_file(path, None))?,
            Ok(Some(pairs)) => {
                let (pairs, repeated) = FilesOpener::<Data>::without_repeats(pairs);
                for pair in pairs {
                    if is_new(&pair) {
                        visit(Some(pair_key(&pair)), self.open_pair(pair))?;
                    }
                }
                let (listed, error) = self.unopened(path, repeated, refuses_repeated);
                if let Some(error) = error {
                    visit(None, Err(error))?;
                }
                return Ok(listed);
            }
            Err(error) => visit(None, Err(found_instead(error)))?,
        }
        Ok(Vec::new())
    }

    /// Returns the meshes of a script that are not opened: meshes whose files do not exist, and the
    /// meshes `repeated`, whose files many earlier meshes already use.
    fn unopened(
        &mut self,
        path: &Path,
        repeated: Vec<MeshFiles>,
        refuses_repeated: bool,
    ) -> (Vec<MissingMesh<Data>>, Option<Error>) {
        let loader = FileLoader::new(self.global);
        let (mut listed, mut error) = match loader.explain(self.pairs.missing(path, |path| loader.load(path))) {
            Ok(listed) => (listed, None),
            Err(error) => (Vec::new(), Some(error.at_path(path))),
        };
        let count = repeated.len();
        for pair in repeated {
            match loader.explain(self.pairs.repeated(pair, |path| loader.load(path))) {
                Ok(Some(mesh)) if refuses_repeated => {
                    // One error counts all meshes, because a script may import thousands of them.
                    let left_out = FilesOpener::<Data>::left_out(path, &mesh.mesh, count);
                    error.get_or_insert(left_out);
                    break;
                }
                Ok(mesh) => listed.extend(mesh),
                Err(other) => {
                    error.get_or_insert(other.at_path(path));
                    break;
                }
            }
        }
        (listed, error)
    }
}

/// Loads the files of one mesh, and remembers which of them are mapped.
struct FileLoader<'g> {
    global: &'g Global,
    mapped: RefCell<Vec<MappedFile>>,
}

impl<'g> FileLoader<'g> {
    const fn new(global: &'g Global) -> Self {
        Self { global, mapped: RefCell::new(Vec::new()) }
    }

    /// Loads a file that the program found.
    fn load(&self, path: &Path) -> crate::Result<Data> {
        self.note(bytes::load_regular(path, self.global, &Limits::default()))
    }

    /// Remembers a loaded file.
    fn note(&self, data: crate::Result<Data>) -> crate::Result<Data> {
        self.mapped.borrow_mut().extend(data.as_ref().ok().and_then(Data::mapped));
        data
    }

    /// Replaces an error by the error about a change, if one of the files has changed. A file that
    /// was shortened while it was opened looks damaged.
    fn explain<T>(&self, opened: crate::Result<T>) -> crate::Result<T> {
        let changed = || self.mapped.borrow().iter().find_map(|file| file.check().err());
        opened.map_err(|error| changed().unwrap_or(error))
    }
}

/// Returns `error`, or a more precise error if the file that it is about is not part of an Unreal
/// mesh, but a Git LFS pointer or another file that its first bytes identify. Unreal files have no
/// magic number, so their first bytes are tested only if they cannot be read.
fn found_instead(error: Error) -> Error {
    let Some(path) = error.path().filter(|_| error.io_error().is_none()) else { return error };
    let head = read_start(path, FOREIGN_HEAD).unwrap_or_default();
    foreign::error(&head).map_or(error.clone(), |found| found.at_path(path))
}

/// Reads an Unreal script, without opening the files of the meshes that the script imports.
pub fn open_script(path: &Path, global: &Global) -> crate::Result<Script<Data>> {
    let (limits, loader) = (Limits::default(), FileLoader::new(global));
    let data = loader.note(bytes::load(path, global, &limits));
    let script = data.and_then(|data| Script::open_with(data, &limits));
    loader.explain(script).map_err(|error| error.at_path(path))
}

/// Opens one file of a mesh, without opening the other files of the same mesh.
pub fn open_source_file(path: &Path, global: &Global) -> anyhow::Result<SourceFile> {
    if has_extension(path, "uc") {
        return Ok(SourceFile::Script(Box::new(open_script(path, global)?)));
    }
    Ok(SourceFile::Model(Box::new(open(path, global)?)))
}

/// Opens the only model that a path refers to. Returns an error if the path refers to several
/// models.
pub fn open(path: &Path, global: &Global) -> anyhow::Result<InputAsset> {
    open_asset(path, None, global)
}

/// Opens the only model that a path refers to. If the file at the path contains several assets,
/// `asset` selects the asset.
pub fn open_asset(path: &Path, asset: Option<usize>, global: &Global) -> anyhow::Result<InputAsset> {
    let mut opener = Opener::new(global, false);
    let Some(mut pairs) = opener.find_files(path).map_err(found_instead)? else {
        let bytes = path.metadata().map_or(0, |metadata| metadata.len());
        let progress = ProgressMeter::of_bytes(bytes, &shown(path), global);
        return Ok(InputAsset { _progress: Some(progress), ..opener.open_file(path, asset)? });
    };
    match (pairs.pop(), &*pairs) {
        (Some(only), []) => Ok(opener.open_pair(only)?),
        (last, _) => {
            pairs.extend(last);
            let names = pairs.iter().filter_map(|pair| pair.mesh.as_deref());
            let names: Vec<String> = names.map(|name| crate::Name::new(name).to_string()).collect();
            let (path, names) = (shown(path), names.join(", "));
            Err(UsageError(format!("{path}: the script imports several meshes; choose one with --mesh: {names}"))
                .into())
        }
    }
}

/// Opens the only model that a path refers to, like `open_asset`, and uses the sidecar of the file
/// if there is one.
pub fn open_indexed(path: &Path, asset: Option<usize>, global: &Global) -> anyhow::Result<InputAsset> {
    let mut opened = open_asset(path, asset, global)?;
    // If the key of the file (such as size and modification time) is not the same before and after
    // opening, the file was changed while it was opened, and no sidecar is used.
    let key = opened.key.filter(|key| !global.no_sidecar && identity(path) == Some(*key));
    let Some(key) = key else { return Ok(opened) };
    // A sidecar that other users may change is copied into memory and not mapped. The copied
    // sidecar is limited in size to the greatest size that a sidecar of the mesh file can have.
    let limit = key.size().saturating_mul(2).saturating_add(MAX_COPY);
    let mut mapped = None;
    let open = |file, trust| {
        let data = match trust {
            Trust::Trusted => bytes::map_sidecar(file, path)?,
            Trust::Untrusted => read_up_to(file, 0, limit).map(Data::Bytes)?,
        };
        mapped = data.mapped();
        Ok(data)
    };
    if let Some(found) = SidecarCache::of_user().find(path, &key, open) {
        if global.verbose {
            note(&format!("{}: using the sidecar {}", shown(path), shown(&found.path)), global);
        }
        opened.model = opened.model.with_sidecar(Arc::new(found.sidecar));
        opened.mapped_sidecar = mapped;
    }
    Ok(opened)
}

/// Returns the paths of the meshes in a folder, as [`each`] would open them, and the paths of
/// entries that cannot be read. An Unreal mesh has the path of its data file.
pub fn mesh_paths(folder: &Path, walk: &WalkArgs, global: &Global) -> Result<Vec<PathBuf>, UsageError> {
    let mut opener = Opener::new(global, false);
    let mut inputs = InputPaths::expand(&[folder.to_owned()], walk)?;
    inputs.settle(|path| opener.is_first_file(path));
    inputs.note_unused(global);
    let unreadable = inputs.take_errors().into_iter().map(|(path, _)| path).filter(|path| path != folder);
    let unreadable: Vec<PathBuf> = unreadable.collect();
    let is_foreign = |path: &Path| {
        let head = read_start(path, FOREIGN_HEAD).unwrap_or_default();
        foreign_error(path, &head).is_some_and(|error| PassedBy::default().take(&error))
    };
    let paths = inputs.paths.into_iter().map(|input| input.path).filter(|path| !is_foreign(path));
    Ok(paths.chain(unreadable).collect())
}

/// Opens every file that is named on the command line, and passes each model to `visit`.
///
/// If `needs_mesh` is true, folders without any mesh are an error, which is passed to `visit`, too,
/// and so are repeated meshes of a script, because the command would otherwise succeed without
/// them. Otherwise a note says so, and the caller notes the files that are passed by next to
/// meshes.
///
/// Returns the outcome with the highest exit code, and what was not opened. The function shows a
/// progress bar on the terminal, so `visit` prints with
/// [`suspended`](crate::program::output::suspended).
pub fn each(
    (names, walk, needs_mesh): (&[PathBuf], &WalkArgs, bool),
    global: &Global,
    mut visit: impl FnMut(&Path, crate::Result<InputAsset>) -> anyhow::Result<Outcome>,
) -> anyhow::Result<(Outcome, NotOpened)> {
    let mut opener = Opener::new(global, true);
    let mut inputs = InputPaths::expand(names, walk)?;
    // An Unreal mesh consists of two files. An Unreal mesh is opened when the loop over the input
    // files reaches its data file, and its aniv file is skipped.
    inputs.settle(|path| opener.is_first_file(path));
    let progress = inputs.progress(global);
    let (mut worst, mut omitted, mut is_any) = (Outcome::Fine, NotOpened::default(), false);
    omitted.passed_by = std::mem::take(&mut inputs.passed_by);
    for (path, error) in inputs.take_errors() {
        is_any = true;
        worst = worst.max(visit(&path, Err(error))?);
    }
    let mut visited = HashSet::new();
    for InputPath { path, is_found } in &inputs.paths {
        progress.set_message(shown(path));
        let mut is_new = |pair: &MeshFiles| visited.insert(pair_key(pair));
        let unopened = opener.open_path(path, needs_mesh, &mut is_new, &mut |_, opened| {
            let is_passed_by = *is_found && opened.as_ref().is_err_and(|error| omitted.passed_by.take(error));
            if !is_passed_by {
                is_any = true;
                worst = worst.max(visit(path, opened)?);
            }
            Ok(())
        })?;
        omitted.missing.extend(unopened);
        progress.add(1);
    }
    drop(progress);
    omitted.set_opened(is_any, &inputs);
    note_omissions(&inputs, &omitted, global);
    if !needs_mesh {
        omitted.note_no_mesh(global);
        return Ok((worst, omitted));
    }
    omitted.note_passed_by(global);
    if let (Some(error), Some(folder)) = (omitted.no_mesh(), &omitted.without_mesh) {
        worst = worst.max(visit(folder, Err(error))?);
    }
    Ok((worst, omitted))
}

/// Returns a hash of the files and the name of an Unreal mesh. Several paths on the command line
/// may name the same mesh: either of its files, their stem, or the script.
fn pair_key(pair: &MeshFiles) -> u128 {
    let mut hash = Xxh3Default::new();
    for part in [pair.data.as_os_str(), pair.aniv.as_os_str()] {
        hash.update(part.as_encoded_bytes());
        hash.update(&[0]);
    }
    hash.update(&pair.mesh.as_deref().unwrap_or_default().to_ascii_lowercase());
    hash.digest128()
}

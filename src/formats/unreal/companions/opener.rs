//! [`PairOpener`]: finds and opens the two files of a mesh, and its script.

// Rule: this file sorts and maps by copies only.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::finder::Finder;
use super::pair::Pair;
use crate::error::{Error, ErrorKind, Field, Result};
use crate::formats::unreal::file::Mesh;
use crate::formats::unreal::script::properties::pass_meshes;
use crate::formats::unreal::script::{MeshScript, Script, Selected};
use crate::formats::unreal::surface::UvDivisor;
use crate::model::Properties;
use crate::parse::{Limits, Name, OpenOptions, Value};

/// The maximum number of meshes of one script that are opened from the same two files.
const MAX_IMPORTS_OF_A_PAIR: usize = 16;

/// A script, together with the script commands about each mesh that the script imports.
struct ScriptFile<D> {
    /// The script.
    script: Arc<Script<D>>,
    /// The commands about each mesh, by the name of the mesh in lower case.
    selected: BTreeMap<Vec<u8>, Selected>,
}

impl<D: AsRef<[u8]>> ScriptFile<D> {
    /// Groups the commands of a script by the name of the mesh.
    fn new(script: Script<D>) -> Self {
        let all = script.select_all().into_iter();
        let selected = all.map(|one| (one.name().as_bytes().to_ascii_lowercase(), one)).collect();
        Self { script: Arc::new(script), selected }
    }

    /// Returns the commands of the script about a mesh, or `None` if the script does not contain a
    /// mesh with this name.
    fn mesh(&self, name: &[u8]) -> Option<MeshScript<'_>> {
        self.selected.get(&name.to_ascii_lowercase()).map(|selected| self.script.mesh(selected))
    }
}

/// A mesh that a script imports although the files of the mesh do not exist.
pub struct MissingMesh<D> {
    /// The path of the script, as given by the caller.
    pub path: PathBuf,
    /// The name of the mesh in the script.
    pub mesh: Vec<u8>,
    /// The reason why it is not opened.
    pub why: Error,
    /// The script.
    script: Arc<ScriptFile<D>>,
}

impl<D: AsRef<[u8]>> MissingMesh<D> {
    /// Passes the property `script` with the commands of the script about the mesh.
    pub fn properties(&self, out: &mut Properties<'_>) -> io::Result<()> {
        let file = &self.script;
        match file.mesh(&self.mesh) {
            Some(mesh) => out.record("script", |out| pass_meshes(&file.script, std::iter::once(mesh), out)),
            None => out.field("script", Value::Missing),
        }
    }
}

/// Finds and opens the files of meshes. It keeps the script that was read last, because the meshes
/// of one script are opened one after another.
pub struct PairOpener<D> {
    options: OpenOptions,
    divisor: UvDivisor,
    /// The name of the only mesh of a script to open.
    mesh: Option<Vec<u8>>,
    finder: Finder,
    script: Option<(PathBuf, Arc<ScriptFile<D>>)>,
}

impl<D: AsRef<[u8]> + Send + Sync> PairOpener<D> {
    /// Makes an opener that has not yet read a script. `mesh` is the name of the only mesh of a
    /// script to open. If `divides_by_256` is set, stored bytes of texture coordinates are divided
    /// by 256, and otherwise by 255.
    pub fn new(options: &OpenOptions, mesh: Option<&str>, divides_by_256: bool) -> Self {
        let divisor = if divides_by_256 { UvDivisor::By256 } else { UvDivisor::By255 };
        let mesh = mesh.map(|name| name.as_bytes().to_vec());
        Self { options: *options, divisor, mesh, finder: Finder::new(), script: None }
    }

    /// Returns the meshes that a path refers to, or `None` if the path refers to no mesh of several
    /// files.
    ///
    /// A file belongs to such a mesh if it has the extension of one and its content is not
    /// recognised as another format, which `is_recognised` tests. The path may also be the common
    /// stem of the two file names of a mesh, such as `box` for `box_d.3d` and `box_a.3d`. The path
    /// of a script refers to every mesh in the script whose files exist.
    pub fn find(&mut self, path: &Path, is_recognised: impl FnOnce(&Path) -> bool) -> Result<Option<Vec<Pair>>> {
        let extension = path.extension().and_then(OsStr::to_str).map(str::to_ascii_lowercase);
        let is_pair = match extension.as_deref() {
            Some("uc") => true,
            Some("3d") => !is_recognised(path),
            // If exactly one of the two files with this stem exists, `find` returns an error with
            // the path of a file, and `path` counts as the stem of a mesh.
            _ if path.exists() => false,
            _ => self.finder.find(path).map_or_else(|error| !is_about(&error, path), |_| true),
        };
        if !is_pair {
            return Ok(None);
        }
        let pairs = match &self.mesh {
            Some(name) => self.finder.find_mesh(path, name).map(|pair| vec![pair]),
            None => self.finder.find(path),
        };
        pairs.map(Some).map_err(|error| error.at_path(path))
    }

    /// Divides the meshes of a script into those that are opened, and those that are left out
    /// because their script imports the same two files more than [`MAX_IMPORTS_OF_A_PAIR`] times. A
    /// small script could otherwise import one pair of files thousands of times.
    pub fn without_repeats(pairs: Vec<Pair>) -> (Vec<Pair>, Vec<Pair>) {
        let mut imports = BTreeMap::<(PathBuf, PathBuf), usize>::new();
        pairs.into_iter().partition(|pair| {
            let count = imports.entry((pair.data.clone(), pair.aniv.clone())).or_default();
            *count = count.saturating_add(1);
            *count <= MAX_IMPORTS_OF_A_PAIR
        })
    }

    /// Returns a mesh of a script that is left out because earlier meshes of the script have the
    /// same files.
    pub fn repeated(&mut self, pair: Pair, load: impl Fn(&Path) -> Result<D>) -> Result<Option<MissingMesh<D>>> {
        let (Some(path), Some(mesh)) = (pair.script, pair.mesh) else { return Ok(None) };
        let why = Self::too_many(&path, "one more; --mesh opens it");
        let script = self.script(&path, load)?;
        Ok(Some(MissingMesh { path, mesh, why, script }))
    }

    /// Returns the error about `count` meshes of a script that are left out because earlier meshes
    /// of the script have the same files. `first` is the name of the first of them.
    pub fn left_out(path: &Path, first: &[u8], count: usize) -> Error {
        let name = Name::new(first);
        Self::too_many(path, format!("{count} more, from {name} on; --mesh NAME opens one of them"))
    }

    fn too_many(path: &Path, found: impl std::fmt::Display) -> Error {
        let text = format!("expected at most {MAX_IMPORTS_OF_A_PAIR} imports of the same two files, found {found}");
        Error::custom(ErrorKind::Value, text).located("unreal script", Field::new("import"), None).at_path(path)
    }

    /// Opens a mesh from its two files and its script. The closure `load` reads or maps the file at
    /// a path.
    pub fn open(&mut self, pair: &Pair, load: impl Fn(&Path) -> Result<D>) -> Result<Mesh<D>> {
        let load = |path: &Path| load(path).map_err(|error| error.at_path(path));
        let mesh = Mesh::open_with(load(&pair.data)?, load(&pair.aniv)?, &self.options)?.with_uv_divisor(self.divisor);
        let (Some(path), Some(name)) = (&pair.script, &pair.mesh) else { return Ok(mesh) };
        let file = self.script(path, load)?;
        let selected = file.selected.get(&name.to_ascii_lowercase()).cloned().unwrap_or_default();
        Ok(mesh.with_selected(file.script.clone(), selected))
    }

    /// Returns the script at `path`. If the script at `path` is the script that was read last, it
    /// is not read again.
    fn script(&mut self, path: &Path, load: impl Fn(&Path) -> Result<D>) -> Result<Arc<ScriptFile<D>>> {
        if let Some((_, file)) = self.script.as_ref().filter(|(known, _)| known == path) {
            return Ok(file.clone());
        }
        let script = load(path).and_then(|data| Script::open_with(data, &Limits::default()));
        let file = Arc::new(ScriptFile::new(script.map_err(|error| error.at_path(path))?));
        self.script = Some((path.to_owned(), file.clone()));
        Ok(file)
    }

    /// Returns the meshes that a script imports although the files of these meshes do not exist.
    pub fn missing(&mut self, path: &Path, load: impl Fn(&Path) -> Result<D>) -> Result<Vec<MissingMesh<D>>> {
        let is_script = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("uc"));
        if !is_script || self.mesh.is_some() {
            return Ok(Vec::new());
        }
        let imports = self.finder.imports(path)?;
        let missing = imports.into_iter().filter_map(|import| Some((import.mesh, import.found.err()?)));
        let script = self.script(path, load)?;
        let mesh = |(mesh, why)| MissingMesh { path: path.to_owned(), mesh, why, script: script.clone() };
        Ok(missing.map(mesh).collect())
    }
}

/// Returns whether an error says that nothing is at `path`.
fn is_about(error: &Error, path: &Path) -> bool {
    let is_denied = error.io_error().is_some_and(|cause| cause.kind() == std::io::ErrorKind::PermissionDenied);
    error.path() == Some(path) && !is_denied
}

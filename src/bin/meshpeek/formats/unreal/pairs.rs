//! Finding and opening pairs of files and their scripts.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use meshpeek::unreal::companions::{Finder, Pair, PairFile};
use meshpeek::unreal::{Mesh, UvDivisor};
use meshpeek::{Limits, Model, OpenOptions, Result};

use super::script_file::{MissingMesh, ScriptFile, open_script};
use crate::args::{Global, STDIN};
use crate::formats::names::{has_extension, is_recognised};

/// Finds pairs, and keeps the script that was read last: the meshes of one script are opened one after another.
pub struct PairFinder<'g, D> {
    global: &'g Global,
    finder: Finder,
    script: Option<(PathBuf, Arc<ScriptFile<D>>)>,
}

impl<'g, D: AsRef<[u8]> + Send + Sync> PairFinder<'g, D> {
    /// Creates a finder without a script.
    pub fn new(global: &'g Global) -> Self {
        Self { global, finder: Finder::new(), script: None }
    }

    /// Finds the pairs that a path names: by its extension, unless the content is another format's, or by its stem; of a
    /// script, every mesh whose files exist. `None` if the path names no Unreal mesh.
    pub fn find(&mut self, path: &Path) -> Result<Option<Vec<Pair>>> {
        let extension = path.extension().and_then(OsStr::to_str).map(str::to_ascii_lowercase);
        let is_unreal = match extension.as_deref() {
            _ if path == Path::new(STDIN) => false,
            Some("uc") => true,
            Some("3d") => !is_recognised(path),
            // A stem with only one of its two files names half a pair.
            _ => !path.exists() && self.finder.find(path).map_or_else(|error| error.path() != Some(path), |_| true),
        };
        if !is_unreal {
            return Ok(None);
        }
        let pairs = match &self.global.unreal.mesh {
            Some(name) => self.finder.find_mesh(path, name.as_bytes()).map(|pair| vec![pair]),
            None => self.finder.find(path),
        };
        pairs.map(Some).map_err(|error| error.at_path(path))
    }

    /// Returns whether a file is the data half of a pair.
    pub fn is_data_half(&mut self, path: &Path) -> bool {
        let Ok(Some(pairs)) = self.find(path) else { return false };
        pairs.iter().any(|pair| pair.named == Some(PairFile::Data))
    }

    /// Opens a pair with its script, over what `load` returns for each file.
    pub fn open(&mut self, pair: &Pair, load: impl Fn(&Path) -> Result<D>) -> Result<Model<D>> {
        let load = |path: &Path| load(path).map_err(|error| error.at_path(path));
        let mesh = open_mesh(load(&pair.data)?, load(&pair.aniv)?, self.global, true)?;
        let (Some(path), Some(name)) = (&pair.script, &pair.mesh) else { return Ok(mesh.into()) };
        let file = self.script(path, load)?;
        let selected = file.selected.get(&name.to_ascii_lowercase()).cloned().unwrap_or_default();
        Ok(mesh.with_selected(file.script.clone(), selected).into())
    }

    /// Reads a script, unless it is the one that was read last.
    fn script(&mut self, path: &Path, load: impl Fn(&Path) -> Result<D>) -> Result<Arc<ScriptFile<D>>> {
        if let Some((_, file)) = self.script.as_ref().filter(|(known, _)| known == path) {
            return Ok(file.clone());
        }
        let script = load(path).and_then(|data| open_script(data, &Limits::default()));
        let file = Arc::new(ScriptFile::new(script.map_err(|error| error.at_path(path))?));
        self.script = Some((path.to_owned(), file.clone()));
        Ok(file)
    }

    /// Returns the meshes that a script imports although their files do not exist.
    pub fn missing(&mut self, path: &Path, load: impl Fn(&Path) -> Result<D>) -> Result<Vec<MissingMesh<D>>> {
        if !has_extension(path, "uc") || self.global.unreal.mesh.is_some() {
            return Ok(Vec::new());
        }
        let imports = self.finder.imports(path)?;
        let missing = imports.into_iter().filter_map(|import| Some((import.mesh, import.found.err()?)));
        let script = self.script(path, load)?;
        let mesh = |(mesh, why)| MissingMesh { path: path.to_owned(), mesh, why, script: script.clone() };
        Ok(missing.map(mesh).collect())
    }
}

/// Returns the number of the file that the user named among the sources of a mesh.
pub fn named_source(pair: &Pair) -> usize {
    match pair.named {
        Some(PairFile::Data) | None => 0,
        Some(PairFile::Aniv) => 1,
        Some(PairFile::Script) => 2,
    }
}

/// Opens a pair without recording which bytes are read.
pub fn open_unrecorded<D: AsRef<[u8]> + Send + Sync>(data: D, aniv: D, global: &Global) -> Result<Model<D>> {
    open_mesh(data, aniv, global, false).map(Model::from)
}

/// Opens a pair as the command line asks for.
fn open_mesh<D: AsRef<[u8]>>(data: D, aniv: D, global: &Global, record_access: bool) -> Result<Mesh<D>> {
    let options = OpenOptions { strict: global.strict, record_access, ..Default::default() };
    let divisor = if global.unreal.uv_divisor == "256" { UvDivisor::By256 } else { UvDivisor::By255 };
    Ok(Mesh::open_with(data, aniv, &options)?.with_uv_divisor(divisor))
}

//! What was opened: a model and the files it was read from, a file by itself, a script and what it says of each mesh.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use meshpeek::sidecar::{Key, Sidecar};
use meshpeek::unreal::companions::Pair;
use meshpeek::unreal::script;
use meshpeek::{Error, Finding, Map, Model, Region};

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
    /// What the named file was before it was opened, where it is a regular one.
    pub key: Option<Key>,
    /// The sidecar that the model finds things by, where it was opened with one.
    pub sidecar: Option<Arc<Sidecar>>,
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

    /// Returns the files of the sources, of a mesh that has several.
    pub fn files(&self) -> Vec<PathBuf> {
        let Some(pair) = &self.pair else { return Vec::new() };
        (0..3).filter_map(|source| pair.source(source)).map(Path::to_owned).collect()
    }

    /// Tests that the files still are what was opened, so that what was read from them may be told.
    pub fn check(&self) -> meshpeek::Result<()> {
        for (data, source) in self.model.sources().zip(0..) {
            let path = self.pair.as_ref().and_then(|pair| pair.source(source));
            data.check().map_err(|error| path.map_or(error.clone(), |path| error.at_path(path)))?;
        }
        Ok(())
    }

    /// Reports what the structure shows, or with `values` every value, too; with `script` also what is wrong with the
    /// script, which several meshes may share.
    pub fn findings(&self, values: bool, script: bool, report: &mut dyn FnMut(Finding)) -> meshpeek::Result<()> {
        match (&self.model, values) {
            (Model::Unreal(mesh), false) if !script => mesh.survey(report),
            (Model::Unreal(mesh), true) if !script => mesh.validate(report),
            (model, false) => model.survey(report),
            (model, true) => model.validate(report),
        }
    }

    /// Says which file an error is about: of several, the one whose bytes it names; otherwise the one that was named.
    pub fn blame(&self, error: Error, named: &Path) -> Error {
        match &self.pair {
            Some(pair) => pair.locate_error(error).at_path(named),
            None => error.at_path(named),
        }
    }

    /// Says the same where the error is one of the library's.
    pub fn blame_any(&self, error: anyhow::Error, named: &Path) -> anyhow::Error {
        match error.downcast::<Error>() {
            Ok(error) => self.locate_error(error, named).into(),
            Err(other) => other,
        }
    }
}

/// A file by itself, whatever belongs to it: a model's, or a script.
pub enum Alone {
    Model(Box<Opened>),
    Script(Box<script::Script<Data>>),
}

impl Alone {
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Model(opened) => opened.bytes(),
            Self::Script(script) => script.as_bytes(),
        }
    }

    pub fn regions(&self, see: &mut dyn FnMut(Region)) -> meshpeek::Result<()> {
        match self {
            Self::Model(opened) => opened.model.regions(opened.source, see),
            Self::Script(script) => script.regions(see),
        }
    }

    pub fn write_to(&self, out: &mut dyn Write) -> meshpeek::Result<()> {
        match self {
            Self::Model(opened) => opened.model.write_to(opened.source, out),
            Self::Script(script) => script.write_to(out),
        }
    }

    pub fn findings(&self, report: &mut dyn FnMut(Finding)) -> meshpeek::Result<()> {
        match self {
            Self::Model(opened) => opened.findings(false, true, report),
            Self::Script(_) => Ok(()),
        }
    }

    pub fn check(&self) -> meshpeek::Result<()> {
        match self {
            Self::Model(opened) => opened.check(),
            Self::Script(script) => script.data().check(),
        }
    }

    pub fn blame(&self, error: Error, named: &Path) -> Error {
        match self {
            Self::Model(opened) => opened.locate_error(error, named),
            Self::Script(_) => error.at_path(named),
        }
    }
}

/// A mesh that a script imports and whose files are not there.
pub struct Absent {
    /// The script as it was named.
    pub path: PathBuf,
    /// The mesh's name in the script.
    pub mesh: Vec<u8>,
    pub why: Error,
    pub script: Arc<ScriptFile>,
}

/// A script, and what it says of each mesh.
pub struct ScriptFile {
    pub script: Arc<script::Script<Data>>,
    pub selected: BTreeMap<Vec<u8>, script::Selected>,
}

impl ScriptFile {
    pub fn new(script: script::Script<Data>) -> Self {
        let all = script.select_all().into_iter();
        let selected = all.map(|one| (one.name().as_bytes().to_ascii_lowercase(), one)).collect();
        Self { script: Arc::new(script), selected }
    }

    /// Returns what the script says of a mesh.
    pub fn mesh(&self, name: &[u8]) -> Option<script::MeshScript<'_>> {
        self.selected.get(&name.to_ascii_lowercase()).map(|selected| self.script.mesh(selected))
    }
}

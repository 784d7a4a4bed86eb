//! The meshes that scripts import, with functions that find a mesh by its name or by the name of
//! one of its files.

// Rule: this file sorts and maps by copies only.

use std::path::PathBuf;
use std::sync::Arc;

use super::file_names::{self, PairFile, ends_in, last};
use crate::formats::unreal::script::{Import, Script};

/// A mesh that a script imports.
#[derive(Clone, Debug)]
pub(super) struct ScriptMesh {
    pub(super) name: Vec<u8>,
    pub(super) data_file: Vec<u8>,
    pub(super) aniv_file: Vec<u8>,
}

/// The meshes that a script imports. If a script imports two meshes with the same name, only the
/// last import is kept.
#[derive(Debug)]
pub(super) struct Imports {
    pub(super) meshes: Vec<ScriptMesh>,
    /// The mesh names in lower case, sorted, each with the index of the mesh in `meshes`.
    by_name: Vec<(Box<[u8]>, usize)>,
    pub(super) stem: Vec<u8>,
    /// The index in `meshes` of the mesh whose files may have the same stem as the script, such as
    /// `Cat_d.3d` for the script `Cat.uc`. `None` if the stem of the script does not select exactly
    /// one mesh.
    pub(super) own: Option<usize>,
}

impl Imports {
    pub(super) fn new(script: &Script<Vec<u8>>, stem: &[u8]) -> Self {
        let mut meshes: Vec<_> = script.imports().map(|import| ScriptMesh::new(&import)).collect();
        let mut kept = newest(&meshes).into_iter();
        meshes.retain(|_| kept.next().unwrap_or_default());
        let by_name = by_name(&meshes);
        let mut imports = Self { meshes, by_name, stem: stem.to_owned(), own: None };
        imports.own = imports.index_of(stem);
        imports
    }

    pub(super) fn meshes(&self) -> &[ScriptMesh] {
        &self.meshes
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &[u8]> {
        self.meshes.iter().map(|mesh| &*mesh.name)
    }

    /// Returns the mesh with the given name, without regard to the case of letters.
    pub(super) fn named(&self, name: &[u8]) -> Option<&ScriptMesh> {
        let name = name.to_ascii_lowercase();
        let found = self.by_name.binary_search_by(|(known, _)| (**known).cmp(&*name)).ok()?;
        self.meshes.get(self.by_name.get(found)?.1)
    }

    /// Returns the imported mesh that files with the given stem belong to.
    ///
    /// Returns the only mesh of the script, or else the only mesh whose name is equal to `stem`, or
    /// else the only mesh for which `stem` ends in the stem of the mesh's data file, or else the
    /// only mesh for which `stem` ends in the name of the mesh. Returns `None` if none of these
    /// four conditions (only mesh, equal name, stem of the data file, name at the end of `stem`)
    /// selects exactly one mesh.
    pub(super) fn matching(&self, stem: &[u8]) -> Option<&ScriptMesh> {
        let index = if stem.eq_ignore_ascii_case(&self.stem) { self.own } else { self.index_of(stem) };
        self.meshes.get(index?)
    }

    fn index_of(&self, stem: &[u8]) -> Option<usize> {
        let only = |is: &dyn Fn(&ScriptMesh) -> bool| {
            let mut found = self.meshes.iter().enumerate().filter(|(_, mesh)| is(mesh)).map(|(index, _)| index);
            found.next().filter(|_| found.next().is_none())
        };
        let file =
            |mesh: &ScriptMesh| file_names::part(last(&mesh.data_file)).is_some_and(|(_, file)| ends_in(stem, file));
        only(&|_| true)
            .or_else(|| only(&|mesh| mesh.name.eq_ignore_ascii_case(stem)))
            .or_else(|| only(&file))
            .or_else(|| only(&|mesh| ends_in(stem, &mesh.name)))
    }
}

impl ScriptMesh {
    pub(super) fn new(import: &Import<'_>) -> Self {
        let [name, data_file, aniv_file] =
            [import.mesh, import.data_file, import.aniv_file].map(|name| name.as_bytes().to_vec());
        Self { name, data_file, aniv_file }
    }
}

/// Returns the mesh names in lower case, sorted, each with the index of the mesh in `meshes`.
fn by_name(meshes: &[ScriptMesh]) -> Vec<(Box<[u8]>, usize)> {
    let numbered = meshes.iter().enumerate();
    let mut names: Vec<_> = numbered.map(|(index, mesh)| (mesh.name.to_ascii_lowercase().into(), index)).collect();
    names.sort();
    names
}

/// Returns one flag per mesh: whether no later mesh in `meshes` has the same name, without regard
/// to the case of letters.
fn newest(meshes: &[ScriptMesh]) -> Vec<bool> {
    let names = by_name(meshes);
    let mut newest = vec![true; meshes.len()];
    for pair in names.windows(2) {
        if let [(one, index), (other, _)] = pair
            && one == other
            && let Some(newest) = newest.get_mut(*index)
        {
            *newest = false;
        }
    }
    newest
}

/// The scripts that may import the files of one folder.
#[derive(Debug, Default)]
pub(super) struct Near {
    pub(super) scripts: Vec<(PathBuf, Arc<Imports>)>,
    /// File names in lower case, each with the index of the script, the index of the mesh in that
    /// script, and the role of the file in the mesh.
    pub(super) by_file: Vec<(Box<[u8]>, usize, usize, PairFile)>,
}

impl Near {
    pub(super) fn add(&mut self, path: PathBuf, imports: Arc<Imports>) {
        let number = self.scripts.len();
        for (index, mesh) in imports.meshes.iter().enumerate() {
            for (file, part) in [(&mesh.data_file, PairFile::Data), (&mesh.aniv_file, PairFile::Aniv)] {
                self.by_file.push((last(file).to_ascii_lowercase().into(), number, index, part));
            }
        }
        self.scripts.push((path, imports));
    }

    fn imports(&self, name: &[u8]) -> impl Iterator<Item = (&PathBuf, &Imports, &ScriptMesh, PairFile)> {
        let name = name.to_ascii_lowercase();
        let start = self.by_file.partition_point(|(known, ..)| **known < *name);
        let found = self.by_file.get(start..).unwrap_or_default();
        found.iter().take_while(move |(known, ..)| **known == *name).filter_map(|(_, script, mesh, part)| {
            let (path, imports) = self.scripts.get(*script)?;
            Some((path, &**imports, imports.meshes.get(*mesh)?, *part))
        })
    }

    /// Returns the import of the file called `name`: the path of the script, the mesh, and the role
    /// of the file in the mesh. If several scripts import the file, the first script with the stem
    /// `stem` is preferred. If no script that imports the file has the stem `stem`, the first
    /// script that imports the file is used. If `part` is given, only imports in which the file has
    /// the role `part` are considered. If `mesh` is given, only imports of a mesh called `mesh` are
    /// considered.
    pub(super) fn import(
        &self,
        name: &[u8],
        part: Option<PairFile>,
        stem: &[u8],
        mesh: Option<&[u8]>,
    ) -> Option<(&PathBuf, &ScriptMesh, PairFile)> {
        let fits = |known: &ScriptMesh, is: PairFile| {
            part.is_none_or(|part| part == is) && mesh.is_none_or(|mesh| known.name.eq_ignore_ascii_case(mesh))
        };
        let mut found = self.imports(name).filter(|(_, _, known, is)| fits(known, *is)).peekable();
        let first = found.peek().copied();
        let (path, _, mesh, part) = found.find(|(_, imports, ..)| imports.stem.eq_ignore_ascii_case(stem)).or(first)?;
        Some((path, mesh, part))
    }

    /// Returns the names of the meshes whose data file or aniv file is called `name`.
    pub(super) fn meshes(&self, name: &[u8]) -> impl Iterator<Item = &[u8]> {
        self.imports(name).map(|(_, _, mesh, _)| &*mesh.name)
    }
}

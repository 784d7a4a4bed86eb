//! Scripts: the meshes they import, and where the files of these are.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, iter};

use super::folder::{Folder, around, folder_of, is_file};
use super::inside::{Root, join, outside, parts};
use super::names::{self, ends_in, last, strip};
use super::{Finder, Pair, Part};
use crate::error::{Error, ErrorKind, Field, Result};
use crate::formats::unreal::uc::view::Import;
use crate::formats::unreal::uc::{FORMAT, Script};
use crate::io;
use crate::parse::Name;

/// A mesh that a script imports.
#[derive(Clone, Debug)]
pub(super) struct Mesh {
    pub(super) name: Vec<u8>,
    pub(super) data_file: Vec<u8>,
    pub(super) aniv_file: Vec<u8>,
}

/// The meshes that a script imports: of a name that it imports twice, the last.
#[derive(Debug)]
pub(super) struct Imports {
    meshes: Vec<Mesh>,
    /// The names in lower case, and the number of each mesh.
    by_name: Vec<(Box<[u8]>, usize)>,
    stem: Vec<u8>,
    /// The mesh that files of the script's own stem are.
    own: Option<usize>,
}

impl Imports {
    fn new(script: &Script<Vec<u8>>, stem: &[u8]) -> Self {
        let mut meshes: Vec<_> = script.imports().map(|import| Mesh::new(&import)).collect();
        let mut kept = newest(&meshes).into_iter();
        meshes.retain(|_| kept.next().unwrap_or_default());
        let by_name = by_name(&meshes);
        let mut imports = Self { meshes, by_name, stem: stem.to_owned(), own: None };
        imports.own = imports.index_of(stem);
        imports
    }

    pub(super) fn meshes(&self) -> &[Mesh] {
        &self.meshes
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &[u8]> {
        self.meshes.iter().map(|mesh| &*mesh.name)
    }

    /// Returns the mesh of a name, in any case of letters.
    pub(super) fn named(&self, name: &[u8]) -> Option<&Mesh> {
        let name = name.to_ascii_lowercase();
        let found = self.by_name.binary_search_by(|(known, _)| (**known).cmp(&*name)).ok()?;
        self.meshes.get(self.by_name.get(found)?.1)
    }

    /// Returns the mesh that files of this stem are: the only one, or the only one that is called so, or the only one
    /// whose file, or name, the stem ends in.
    pub(super) fn matching(&self, stem: &[u8]) -> Option<&Mesh> {
        let index = if stem.eq_ignore_ascii_case(&self.stem) { self.own } else { self.index_of(stem) };
        self.meshes.get(index?)
    }

    fn index_of(&self, stem: &[u8]) -> Option<usize> {
        let only = |is: &dyn Fn(&Mesh) -> bool| {
            let mut found = self.meshes.iter().enumerate().filter(|(_, mesh)| is(mesh)).map(|(index, _)| index);
            found.next().filter(|_| found.next().is_none())
        };
        let file = |mesh: &Mesh| names::part(last(&mesh.data_file)).is_some_and(|(_, file)| ends_in(stem, file));
        only(&|_| true)
            .or_else(|| only(&|mesh| mesh.name.eq_ignore_ascii_case(stem)))
            .or_else(|| only(&file))
            .or_else(|| only(&|mesh| ends_in(stem, &mesh.name)))
    }
}

impl Mesh {
    fn new(import: &Import<'_>) -> Self {
        let [name, data_file, aniv_file] =
            [import.mesh, import.data_file, import.aniv_file].map(|name| name.as_bytes().to_vec());
        Self { name, data_file, aniv_file }
    }
}

/// Returns the names in lower case, sorted, with the number of each mesh.
fn by_name(meshes: &[Mesh]) -> Vec<(Box<[u8]>, usize)> {
    let numbered = meshes.iter().enumerate();
    let mut names: Vec<_> = numbered.map(|(index, mesh)| (mesh.name.to_ascii_lowercase().into(), index)).collect();
    names.sort();
    names
}

/// Tells for each mesh whether it is the last of its name.
fn newest(meshes: &[Mesh]) -> Vec<bool> {
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
    scripts: Vec<(PathBuf, Arc<Imports>)>,
    /// Names of files in lower case: the script's number, the mesh's number in it, and which file of the mesh it is.
    by_file: Vec<(Box<[u8]>, usize, usize, Part)>,
}

impl Near {
    fn add(&mut self, path: PathBuf, imports: Arc<Imports>) {
        let number = self.scripts.len();
        for (index, mesh) in imports.meshes.iter().enumerate() {
            for (file, part) in [(&mesh.data_file, Part::Data), (&mesh.aniv_file, Part::Aniv)] {
                self.by_file.push((last(file).to_ascii_lowercase().into(), number, index, part));
            }
        }
        self.scripts.push((path, imports));
    }

    fn imports(&self, name: &[u8]) -> impl Iterator<Item = (&PathBuf, &Imports, &Mesh, Part)> {
        let name = name.to_ascii_lowercase();
        let start = self.by_file.partition_point(|(known, ..)| **known < *name);
        let found = self.by_file.get(start..).unwrap_or_default();
        found.iter().take_while(move |(known, ..)| **known == *name).filter_map(|(_, script, mesh, part)| {
            let (path, imports) = self.scripts.get(*script)?;
            Some((path, &**imports, imports.meshes.get(*mesh)?, *part))
        })
    }

    /// Returns the import of a file: of the script with the file's stem, or of the first. A `part` and a `mesh` that are
    /// known must be the import's.
    pub(super) fn import(
        &self,
        name: &[u8],
        part: Option<Part>,
        stem: &[u8],
        mesh: Option<&[u8]>,
    ) -> Option<(&PathBuf, &Mesh, Part)> {
        let fits = |known: &Mesh, is: Part| {
            part.is_none_or(|part| part == is) && mesh.is_none_or(|mesh| known.name.eq_ignore_ascii_case(mesh))
        };
        let mut found = self.imports(name).filter(|(_, _, known, is)| fits(known, *is)).peekable();
        let first = found.peek().copied();
        let (path, _, mesh, part) = found.find(|(_, imports, ..)| imports.stem.eq_ignore_ascii_case(stem)).or(first)?;
        Some((path, mesh, part))
    }

    /// Returns the names of the meshes that have a file.
    pub(super) fn meshes(&self, name: &[u8]) -> impl Iterator<Item = &[u8]> {
        self.imports(name).map(|(_, _, mesh, _)| &*mesh.name)
    }
}

impl Finder {
    /// Lists a folder, once.
    pub(super) fn folder(&mut self, path: &Path) -> Result<Arc<Folder>> {
        let limit = self.limits.items;
        let list = || Folder::list(path, limit).map(Arc::new);
        self.folders.entry(path.to_owned()).or_insert_with(list).clone()
    }

    /// Reads what a script imports, once.
    pub(super) fn read(&mut self, path: &Path) -> Result<Arc<Imports>> {
        let limits = self.limits;
        let read = || {
            let (file, metadata) = io::open_regular(path)?;
            let (asked, allowed) = (metadata.len(), limits.script);
            if asked > allowed {
                return Err(wrong("script", ErrorKind::Limit { name: "script", allowed, asked }));
            }
            let script = Script::open_with(io::read_up_to(file, asked, allowed)?, &limits)?;
            let name = super::name_of(path);
            Ok(Arc::new(Imports::new(&script, strip(name, b".uc").unwrap_or(name))))
        };
        let read = || read().map_err(|error: Error| error.at_path(path));
        self.scripts.entry(path.to_owned()).or_insert_with(read).clone()
    }

    /// Reads the scripts that may import the files of a folder, once: those in it, in its `Classes`, and in the `Classes`
    /// beside it and beside the folder around it. One that cannot be read imports nothing.
    pub(super) fn near(&mut self, folder: &Path) -> Result<Arc<Near>> {
        if let Some(near) = self.near.get(folder) {
            return Ok(near.clone());
        }
        let mut near = Near::default();
        let own = self.folder(folder)?;
        self.add_scripts(folder, &own, &mut near);
        // Models of a kind often have a folder of their own within that of the models.
        let (beside, above) = (around(folder), around(&around(folder)));
        for around in [folder.to_owned(), beside, above] {
            let Ok(listed) = self.folder(&around) else { continue };
            let Some(classes) = listed.find(b"Classes").map(|name| around.join(name)) else { continue };
            if let Some(listed) = self.folder(&classes).ok().filter(|_| classes != folder) {
                self.add_scripts(&classes, &listed, &mut near);
            }
        }
        near.by_file.sort();
        let near = Arc::new(near);
        self.near.insert(folder.to_owned(), near.clone());
        Ok(near)
    }

    fn add_scripts(&mut self, folder: &Path, listed: &Folder, near: &mut Near) {
        for path in listed.scripts().map(|name| folder.join(name)) {
            if let Ok(imports) = self.read(&path) {
                near.add(path, imports);
            }
        }
    }

    /// Finds the folder that the paths of the scripts in a folder stay below, once.
    fn root(&mut self, folder: &Path) -> Result<Arc<Root>> {
        let find = || Root::of(folder).map(Arc::new);
        self.roots.entry(folder.to_owned()).or_insert_with(find).clone()
    }

    /// Finds the files of one mesh of a script.
    pub(super) fn resolve_mesh(&mut self, script: &Path, imports: &Imports, mesh: &Mesh) -> Result<Pair> {
        let files = [(&mesh.data_file, "data_file"), (&mesh.aniv_file, "aniv_file")];
        let [data, aniv] = files.map(|(file, field)| self.file_of(script, file, field, mesh));
        let missing = |found: &Result<PathBuf>| {
            found.as_ref().err().is_some_and(|error| matches!(error.kind(), ErrorKind::Missing { .. }))
        };
        let (data, aniv) = if missing(&data) || missing(&aniv) {
            match self.stem_pair(script, imports, mesh)? {
                Some(pair) => pair,
                None => (data?, aniv?),
            }
        } else {
            (data?, aniv?)
        };
        Ok(Pair { data, aniv, script: Some(script.to_owned()), mesh: Some(mesh.name.clone()), named: None })
    }

    fn file_of(&mut self, script: &Path, file: &[u8], field: &'static str, mesh: &Mesh) -> Result<PathBuf> {
        let found = self.resolve(script, file)?;
        let expected = || format!("{} for mesh {}", Name::new(file), Name::new(&mesh.name)).into();
        found.ok_or_else(|| wrong(field, ErrorKind::Missing { expected: expected() }).at_path(script))
    }

    /// Returns the files beside a script that have its stem, for the mesh that the stem means.
    fn stem_pair(&mut self, script: &Path, imports: &Imports, mesh: &Mesh) -> Result<Option<(PathBuf, PathBuf)>> {
        let own = imports.own.and_then(|own| imports.meshes.get(own));
        if own.is_none_or(|own| own.name != mesh.name) {
            return Ok(None);
        }
        let (folder, listed) = (folder_of(script), self.folder(&folder_of(script))?);
        let [data, aniv] = [&b"_d.3d"[..], b"_a.3d"].map(|ending| {
            let name = listed.find(&[&imports.stem, ending].concat())?;
            Some(folder.join(name)).filter(|path| is_file(path))
        });
        Ok(data.zip(aniv))
    }

    /// Finds the file that a path in a script means; `None` where it is not there.
    ///
    /// An error for a path that leads out of the script's folders: neither by its text nor over a link is it followed.
    pub(super) fn resolve(&mut self, script: &Path, path: &[u8]) -> Result<Option<PathBuf>> {
        let refused = || wrong("path", outside(path)).at_path(script);
        let parts = parts(path).ok_or_else(refused)?;
        let root = self.root(&folder_of(script))?;
        let inside = root.inside();
        let name = parts.last().map(std::slice::from_ref).unwrap_or_default();
        let named = [join(&[], &parts), join(&inside, &parts)];
        if named.iter().all(Option::is_none) {
            return Err(refused());
        }
        let guessed = [join(&[b"Models"], name), join(&inside, name)];
        for parts in named.into_iter().chain(guessed).flatten() {
            match self.walk(&root, &parts)? {
                Walked::Found(path) => return Ok(Some(path)),
                Walked::Outside => return Err(refused()),
                Walked::Nothing => {}
            }
        }
        Ok(None)
    }

    /// Goes down from the root, name by name, and stays below it at each.
    fn walk(&mut self, root: &Root, parts: &[&[u8]]) -> Result<Walked> {
        let mut path = root.path.clone();
        for (left, part) in iter::zip((0..parts.len()).rev(), parts) {
            let listed = self.folder(&path)?;
            let Some(name) = listed.find(part) else { return Ok(Walked::Nothing) };
            path.push(name);
            let Ok(metadata) = fs::metadata(&path) else { return Ok(Walked::Nothing) };
            if !root.holds(&path) {
                return Ok(Walked::Outside);
            }
            if if left > 0 { !metadata.is_dir() } else { !metadata.is_file() } {
                return Ok(Walked::Nothing);
            }
        }
        Ok(if parts.is_empty() { Walked::Nothing } else { Walked::Found(path) })
    }
}

/// Where a path in a script leads.
enum Walked {
    Found(PathBuf),
    Outside,
    Nothing,
}

fn wrong(field: &'static str, kind: ErrorKind) -> Error {
    Error::without_offset(FORMAT, Field::new(field), kind)
}

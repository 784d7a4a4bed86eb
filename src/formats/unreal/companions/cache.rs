//! Caches the folder listings and scripts that were read, and finds the files that the paths in
//! scripts refer to.

// Rule: this file sorts and maps by copies only.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, iter};

use super::file_names::{name_of, strip};
use super::folder::{Folder, around, folder_of, is_file, unlisted};
use super::imports::{Imports, Near, ScriptMesh};
use super::pair::Pair;
use super::root::{Root, join, outside, parts};
use crate::error::{Cause, Error, Field, Result};
use crate::formats::unreal::layout::SCRIPT;
use crate::formats::unreal::script::Script;
use crate::io;
use crate::math::as_u64;
use crate::parse::{Limits, Name};

/// The maximum size of all scripts that are searched for the import of one file, as a multiple of
/// the maximum size of one script.
const MAX_NEAR: u64 = 4;

/// A cache of the folder listings and scripts that were read from the disk. Each folder and each
/// script is read only once.
#[derive(Debug, Default)]
pub(super) struct FolderCache {
    limits: Limits,
    folders: BTreeMap<PathBuf, Result<Arc<Folder>>>,
    scripts: BTreeMap<PathBuf, Result<Arc<Imports>>>,
    near: BTreeMap<PathBuf, Arc<Near>>,
    roots: BTreeMap<PathBuf, Result<Arc<Root>>>,
    entries: BTreeMap<PathBuf, Option<Entry>>,
}

/// A file or a folder that a path leads to.
#[derive(Debug)]
struct Entry {
    is_folder: bool,
    /// The path of the file or folder, in which no name is a link.
    canonical: PathBuf,
}

impl FolderCache {
    #[cfg(feature = "internals")]
    pub(super) fn new(limits: &Limits) -> Self {
        Self { limits: *limits, ..Self::default() }
    }

    /// Returns the number of folders that were listed.
    pub(super) fn folder_count(&self) -> usize {
        self.folders.len()
    }

    /// Returns the names of the files and subfolders in a folder. The first call for a folder reads
    /// the names from the disk, and later calls return the cached names.
    pub(super) fn folder(&mut self, path: &Path) -> Result<Arc<Folder>> {
        let limit = self.limits.items;
        let list = || Folder::list(path, limit).map(Arc::new);
        self.folders.entry(path.to_owned()).or_insert_with(list).clone()
    }

    /// Returns the meshes that a script imports. The first call for a script reads the script, and
    /// later calls return the cached meshes.
    pub(super) fn read(&mut self, path: &Path) -> Result<Arc<Imports>> {
        let limits = self.limits;
        let read = || {
            let (file, metadata) = io::open_regular(path)?;
            let (asked, allowed) = (metadata.len(), limits.script);
            if asked > allowed {
                return Err(wrong("script", Cause::Limit { name: "script", allowed, asked }));
            }
            let script = Script::open_with(io::read_up_to(file, asked, allowed)?, &limits)?;
            let name = name_of(path);
            Ok(Arc::new(Imports::new(&script, strip(name, b".uc").unwrap_or(name))))
        };
        let read = || read().map_err(|error: Error| error.at_path(path));
        self.scripts.entry(path.to_owned()).or_insert_with(read).clone()
    }

    /// Returns the scripts that may import the files of a folder. The first call for a folder reads
    /// the scripts, and later calls return the cached scripts.
    ///
    /// `near` reads the scripts in the given folder, and in the `Classes` subfolders of the given
    /// folder, of its parent and of its grandparent. A script that cannot be read is treated as a
    /// script without imports. All these scripts together may have [`MAX_NEAR`] times
    /// the limit [`script`](Limits::with_script); if they have more, the largest of them are not read.
    pub(super) fn near(&mut self, folder: &Path) -> Result<Arc<Near>> {
        if let Some(near) = self.near.get(folder) {
            return Ok(near.clone());
        }
        let mut scripts = Vec::new();
        let own = self.folder(folder)?;
        list_scripts(folder, &own, &mut scripts);
        // The grandparent folder is also searched for scripts, because the files of similar models
        // are often in a subfolder of the folder with all models.
        let (beside, above) = (around(folder), around(&around(folder)));
        for around in [folder.to_owned(), beside, above] {
            let Ok(listed) = self.folder(&around) else { continue };
            let Some(classes) = listed.find(b"Classes").map(|name| around.join(name)) else { continue };
            if let Some(listed) = self.folder(&classes).ok().filter(|_| classes != folder) {
                list_scripts(&classes, &listed, &mut scripts);
            }
        }
        let most = largest_read(&scripts, self.limits.script);
        let mut near = Near::default();
        for (path, size) in scripts {
            if size <= most
                && let Ok(imports) = self.read(&path)
            {
                near.add(path, imports);
            }
        }
        near.by_file.sort();
        let near = Arc::new(near);
        self.near.insert(folder.to_owned(), near.clone());
        Ok(near)
    }

    /// Returns the root folder for the scripts in a folder: the folder that the paths in these
    /// scripts must not leave. The first call for a folder finds the root folder, and later calls
    /// return the cached root folder.
    fn root(&mut self, folder: &Path) -> Result<Arc<Root>> {
        let find = || Root::of(folder).map(Arc::new);
        self.roots.entry(folder.to_owned()).or_insert_with(find).clone()
    }

    /// Finds the data file and the aniv file on the disk for one mesh that a script imports.
    pub(super) fn resolve_mesh(&mut self, script: &Path, imports: &Imports, mesh: &ScriptMesh) -> Result<Pair> {
        let files = [(&mesh.data_file, "data_file"), (&mesh.aniv_file, "aniv_file")];
        let [data, aniv] = files.map(|(file, field)| self.file_of(script, file, field, mesh));
        let missing = |found: &Result<PathBuf>| {
            found.as_ref().err().is_some_and(|error| matches!(error.cause(), Cause::Missing { .. }))
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

    fn file_of(&mut self, script: &Path, file: &[u8], field: &'static str, mesh: &ScriptMesh) -> Result<PathBuf> {
        let found = self.resolve(script, file)?;
        let expected = || format!("{} for mesh {}", Name::new(file), Name::new(&mesh.name)).into();
        found.ok_or_else(|| wrong(field, Cause::Missing { expected: expected() }).at_path(script))
    }

    /// Returns the paths of the data file and the aniv file that are in the folder of a script and
    /// have the same stem as the script. Returns `None` if one of them does not exist, or if they
    /// belong to another mesh than `mesh`.
    fn stem_pair(&mut self, script: &Path, imports: &Imports, mesh: &ScriptMesh) -> Result<Option<(PathBuf, PathBuf)>> {
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

    /// Finds the file that a path in a script refers to. Returns `None` if the file does not exist.
    ///
    /// Returns an error if the path leads out of the root folder of the script, by its text (an
    /// absolute path or `..`) or through a link in the file system. A path outside this folder is
    /// never returned.
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
            match self.walk(&root, &parts).map_err(|error| unlisted(script, error))? {
                PathTarget::Found(path) => return Ok(Some(path)),
                PathTarget::Outside => return Err(refused()),
                PathTarget::Nothing => {}
            }
        }
        Ok(None)
    }

    /// Follows a path in a script, split into the names `parts`, from the root folder of the script
    /// down to a file. After each name of the path, `walk` checks that the file or folder is inside
    /// the root folder.
    fn walk(&mut self, root: &Root, parts: &[&[u8]]) -> Result<PathTarget> {
        let mut path = root.path.clone();
        for (left, part) in iter::zip((0..parts.len()).rev(), parts) {
            let listed = self.folder(&path)?;
            let Some(name) = listed.find(part) else { return Ok(PathTarget::Nothing) };
            path.push(name);
            let Some(entry) = self.entry(&path) else { return Ok(PathTarget::Nothing) };
            // One path may be inside the root folder of a script and outside that of another.
            if !root.holds(&entry.canonical) {
                return Ok(PathTarget::Outside);
            }
            if entry.is_folder != (left > 0) {
                return Ok(PathTarget::Nothing);
            }
        }
        Ok(if parts.is_empty() { PathTarget::Nothing } else { PathTarget::Found(path) })
    }

    /// Returns whether a file is inside the root folder of a script. A link is inside if its target
    /// is.
    pub(super) fn is_inside_root(&mut self, script: &Path, file: &Path) -> Result<bool> {
        let root = self.root(&folder_of(script))?;
        Ok(self.entry(file).is_some_and(|entry| root.holds(&entry.canonical)))
    }

    /// Returns the file or folder at a path, or `None` if nothing or something else is there. The
    /// first call for a path asks the file system, because a script may name one path in thousands
    /// of imports.
    fn entry(&mut self, path: &Path) -> Option<&Entry> {
        if !self.entries.contains_key(path) {
            let found = fs::metadata(path).ok().filter(|metadata| metadata.is_dir() || metadata.is_file());
            let entry = found.and_then(|metadata| {
                Some(Entry { is_folder: metadata.is_dir(), canonical: fs::canonicalize(path).ok()? })
            });
            self.entries.insert(path.to_owned(), entry);
        }
        self.entries.get(path)?.as_ref()
    }
}

/// Appends the path and the size in bytes of each script in a folder to `scripts`.
fn list_scripts(folder: &Path, listed: &Folder, scripts: &mut Vec<(PathBuf, u64)>) {
    for path in listed.scripts().map(|name| folder.join(name)) {
        if let Ok(metadata) = fs::metadata(&path) {
            scripts.push((path, metadata.len()));
        }
    }
}

/// Returns the size in bytes of the largest scripts that are read: all scripts up to this size
/// together have at most [`MAX_NEAR`] times `allowed` bytes.
fn largest_read(scripts: &[(PathBuf, u64)], allowed: u64) -> u64 {
    let mut sizes: Vec<u64> = scripts.iter().map(|(_, size)| *size).filter(|size| *size <= allowed).collect();
    sizes.sort_unstable();
    let (mut left, mut largest) = (allowed.saturating_mul(MAX_NEAR), 0);
    for same in sizes.chunk_by(|one, other| one == other) {
        let Some(size) = same.first() else { continue };
        let Some(rest) = left.checked_sub(size.saturating_mul(as_u64(same.len()))) else { break };
        (left, largest) = (rest, *size);
    }
    largest
}

/// The result of following a path from a script: a file, a path outside the root folder, or no
/// file.
enum PathTarget {
    Found(PathBuf),
    Outside,
    Nothing,
}

fn wrong(field: &'static str, kind: Cause) -> Error {
    Error::without_offset(SCRIPT, Field::new(field), kind)
}

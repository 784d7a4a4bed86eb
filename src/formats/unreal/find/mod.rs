//! Which files belong together: the two binary files of a mesh, and the script that names them.
//!
//! | given | looked for |
//! |---|---|
//! | `X_d.3d`, `X_a.3d`, `data07.3d`, `aniv07.3d` | a script that imports the file: its line says which the other is; else the other by its stem, beside it |
//! | `X` | `X_d.3d` and `X_a.3d`, as above; else `X.uc` |
//! | `X.uc` | the files of every mesh that it imports |
//!
//! Scripts are looked for beside the file, in a folder `Classes` there, and in one beside that folder or the one around
//! it. Where none of them imports the file, `X.uc` beside it is its script if it imports one mesh only, or one that is
//! called like the end of `X`. Names are found in any case of letters; an exact one is preferred.
//!
//! The paths in a script start at its folder, or at the folder around it if it is called `Classes`; a file that is not
//! there is looked for in `Models` and beside the script. No path leads out of that folder: neither by its text, nor
//! over a link.

mod folder;
mod inside;
mod names;
mod pair;
mod script;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::{ErrorKind, Result};
use crate::io;
use crate::parse::{Limits, Name};
use folder::{Folder, folder_of, is_file, wrong};
use inside::Root;
pub use pair::Pair;
use script::{Imports, Mesh, Near};

/// A part of a mesh: which file was named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// The polygons: `X_d.3d`.
    Data,
    /// The frames: `X_a.3d`.
    Aniv,
    /// The script: `X.uc`.
    Script,
}

/// A mesh that a script imports.
#[derive(Clone, Debug)]
pub struct Imported {
    /// Its name.
    pub mesh: Vec<u8>,
    /// The file of its polygons, as the script spells it.
    pub data_file: Vec<u8>,
    /// The file of its frames, as the script spells it.
    pub aniv_file: Vec<u8>,
    /// Its files, or why they are not found.
    pub found: Result<Pair>,
}

/// Finds the files of meshes, and remembers the folders and scripts that it looked at: a folder of N meshes and M scripts
/// costs N + M files to look at. What changes on disk meanwhile, it does not see.
///
/// ```no_run
/// # fn main() -> meshpeek::Result<()> {
/// let mut finder = meshpeek::unreal::find::Finder::new();
/// for pair in finder.find("Classes/Cat.uc".as_ref())? {
///     println!("{} {}", pair.data.display(), pair.aniv.display());
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Default)]
pub struct Finder {
    limits: Limits,
    folders: BTreeMap<PathBuf, Result<Arc<Folder>>>,
    scripts: BTreeMap<PathBuf, Result<Arc<Imports>>>,
    near: BTreeMap<PathBuf, Arc<Near>>,
    roots: BTreeMap<PathBuf, Result<Arc<Root>>>,
}

/// Finds the files of one mesh.
///
/// # Errors
///
/// As [`Finder::find`]; [`ErrorKind::Choice`] where a script imports several meshes whose files are there.
pub fn find(path: impl AsRef<Path>) -> Result<Pair> {
    let path = path.as_ref();
    let pairs = Finder::new().find(path)?;
    match <[Pair; 1]>::try_from(pairs) {
        Ok([pair]) => Ok(pair),
        Err(pairs) => {
            let names = pairs.iter().filter_map(|pair| pair.mesh.as_deref());
            Err(wrong(path, choice(names, "no mesh named")))
        }
    }
}

impl Finder {
    /// Makes a finder with the default limits.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes a finder with limits of your own: [`Limits::items`] for the names in a folder, and those of scripts.
    #[must_use]
    pub fn with_limits(limits: &Limits) -> Self {
        Self { limits: *limits, ..Self::default() }
    }

    /// Finds the files that belong to one: one pair for a binary file or a stem, and for a script those of every mesh
    /// whose files are there, at least one.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Missing`] for half a pair, [`ErrorKind::Outside`] for a script whose paths lead elsewhere,
    /// [`ErrorKind::Limit`], [`ErrorKind::Io`].
    pub fn find(&mut self, path: &Path) -> Result<Vec<Pair>> {
        let path = &*self.spelled(path);
        match self.target(path)? {
            Target::Script(script) => self.find_all(&script, path),
            Target::File(file, part) => Ok(vec![self.pair_of(&file, part, None)?]),
        }
        .map(|pairs| named(pairs, path))
    }

    /// Finds the files of the mesh that a script gives this name, in any case of letters.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Choice`] where there is no such mesh: it lists the names there are; else as [`find`](Self::find).
    pub fn find_mesh(&mut self, path: &Path, mesh: &[u8]) -> Result<Pair> {
        let path = &*self.spelled(path);
        let pair = match self.target(path)? {
            Target::File(file, part) => self.pair_of(&file, part, Some(mesh)),
            Target::Script(script) => {
                let imports = self.read(&script)?;
                let found = imports.named(mesh).ok_or_else(|| wrong(path, unknown(imports.names(), mesh)));
                self.resolve_mesh(&script, &imports, found?)
            }
        };
        named(vec![pair?], path).pop().ok_or_else(|| wrong(path, ErrorKind::Empty))
    }

    /// Returns the meshes that a script imports, by their order in it, each with its files or why they are not found.
    ///
    /// # Errors
    ///
    /// What keeps the script from being read.
    pub fn imports(&mut self, script: &Path) -> Result<Vec<Imported>> {
        let imports = self.read(script)?;
        let found = |mesh: &Mesh| Imported {
            mesh: mesh.name.clone(),
            data_file: mesh.data_file.clone(),
            aniv_file: mesh.aniv_file.clone(),
            found: self.resolve_mesh(script, &imports, mesh),
        };
        Ok(imports.meshes().iter().map(found).collect())
    }

    fn find_all(&mut self, script: &Path, path: &Path) -> Result<Vec<Pair>> {
        let mut first = None;
        let mut pairs = Vec::new();
        for imported in self.imports(script)? {
            match imported.found {
                Ok(pair) => pairs.push(pair),
                Err(error) => first = first.or(Some(error)),
            }
        }
        let none = || wrong(path, ErrorKind::Missing { expected: "a mesh that the script imports".into() });
        if pairs.is_empty() { Err(first.unwrap_or_else(none)) } else { Ok(pairs) }
    }

    /// Returns the path as its folder spells the name, where only the case of letters differs.
    fn spelled<'p>(&mut self, path: &'p Path) -> Cow<'p, Path> {
        if fs::symlink_metadata(path).is_ok() {
            return path.into();
        }
        let folder = folder_of(path);
        let listed = self.folder(&folder).ok();
        let found = listed.as_deref().and_then(|listed| listed.find(name_of(path)));
        found.map_or(path.into(), |name| folder.join(name).into())
    }

    /// Tells what a path names. A stem stands for its data file, or else for its script.
    fn target(&mut self, path: &Path) -> Result<Target> {
        let name = name_of(path);
        if let Some((Part::Script, _)) = names::part(name) {
            return Ok(Target::Script(path.to_owned()));
        }
        if names::strip(name, b".3d").is_some() || is_file(path) {
            io::open_regular(path)?;
            return Ok(Target::File(path.to_owned(), names::part(name).map(|(part, _)| part)));
        }
        let folder = self.folder(&folder_of(path))?;
        let beside = |ending: &str| {
            let name = folder.find(&[name, ending.as_bytes()].concat())?;
            Some(folder_of(path).join(name)).filter(|path| is_file(path))
        };
        if let Some(data) = beside("_d.3d") {
            return Ok(Target::File(data, Some(Part::Data)));
        }
        if let Some(aniv) = beside("_a.3d") {
            return Ok(Target::File(aniv, Some(Part::Aniv)));
        }
        let expected = format!("{0}_d.3d and {0}_a.3d, or {0}.uc", Name::new(name));
        beside(".uc").map(Target::Script).ok_or_else(|| wrong(path, ErrorKind::Missing { expected: expected.into() }))
    }

    /// Finds the other file of a binary one, and the script that knows them.
    fn pair_of(&mut self, file: &Path, part: Option<Part>, mesh: Option<&[u8]>) -> Result<Pair> {
        let near = self.near(&folder_of(file))?;
        let name = name_of(file);
        let stem = names::part(name).map_or(name, |(_, stem)| stem);
        let own = self.own_script(file, stem)?;
        let import = near.import(name, part, stem, mesh);
        if let Some((script, known, part)) = import {
            let other = self.other_of(file, part, script, known)?;
            return Ok(paired(file, other, part, Some((script.clone(), known.name.clone()))));
        }
        let script = match &own {
            Some((script, imports)) => match mesh {
                Some(mesh) => imports.named(mesh),
                None => imports.matching(stem),
            }
            .map(|mesh| (script.clone(), mesh.name.clone())),
            None => None,
        };
        if let (Some(mesh), None) = (mesh, &script) {
            let own = own.iter().flat_map(|(_, imports)| imports.names());
            return Err(wrong(file, unknown(near.meshes(name).chain(own), mesh)));
        }
        let expected = "a name that ends in _d.3d or _a.3d, or a script that imports the file";
        let part = part.ok_or_else(|| wrong(file, ErrorKind::Missing { expected: expected.into() }))?;
        let other = self.beside(file, None)?;
        Ok(paired(file, other, part, script))
    }

    /// Returns the script beside a file that has its stem.
    fn own_script(&mut self, file: &Path, stem: &[u8]) -> Result<Option<(PathBuf, Arc<Imports>)>> {
        let folder = folder_of(file);
        let found = self.folder(&folder)?.find(&[stem, b".uc"].concat()).map(|name| folder.join(name));
        let Some(script) = found.filter(|script| is_file(script)) else { return Ok(None) };
        let imports = self.read(&script)?;
        Ok(Some((script, imports)))
    }

    /// Returns the other file, as a script has it: where the script means this very file, or beside it, or by the stem,
    /// or wherever the script says.
    fn other_of(&mut self, file: &Path, part: Part, script: &Path, mesh: &Mesh) -> Result<PathBuf> {
        let (own, other) = match part {
            Part::Aniv => (&mesh.aniv_file, &mesh.data_file),
            _ => (&mesh.data_file, &mesh.aniv_file),
        };
        let meant = self.resolve(script, own).ok().flatten();
        let resolved = self.resolve(script, other).ok().flatten();
        let real = |path: &Path| fs::canonicalize(path).ok();
        let same = meant.is_some_and(|meant| real(&meant).is_some_and(|meant| Some(meant) == real(file)));
        match resolved {
            Some(resolved) if same => Ok(resolved),
            resolved => {
                let beside = self.beside(file, Some(names::last(other)));
                beside.or_else(|error| resolved.ok_or(error))
            }
        }
    }

    /// Returns the file of that name beside another, or its partner by the stem.
    fn beside(&mut self, file: &Path, name: Option<&[u8]>) -> Result<PathBuf> {
        let folder = self.folder(&folder_of(file))?;
        let partner = names::partner(name_of(file));
        let wanted = name.into_iter().chain(partner.as_deref());
        let mut found = wanted.filter_map(|name| folder.find(name)).map(|name| folder_of(file).join(name));
        let found = found.find(|other| is_file(other) && other != file);
        found.ok_or_else(|| {
            let wanted = name.or(partner.as_deref()).unwrap_or_default();
            wrong(file, ErrorKind::Missing { expected: format!("{} beside it", Name::new(wanted)).into() })
        })
    }
}

/// Tells whether a name can be a file's on every system: no path, no device, nothing that systems change.
pub(crate) fn is_file_name(name: &[u8]) -> bool {
    !matches!(name, b"" | b"." | b"..") && inside::parts(name).is_some_and(|parts| parts.len() == 1)
}

/// What a path names.
enum Target {
    Script(PathBuf),
    File(PathBuf, Option<Part>),
}

fn paired(file: &Path, other: PathBuf, part: Part, script: Option<(PathBuf, Vec<u8>)>) -> Pair {
    let (script, mesh) = script.unzip();
    let file = file.to_owned();
    let (data, aniv) = if part == Part::Aniv { (other, file) } else { (file, other) };
    Pair { data, aniv, script, mesh, named: None }
}

/// Notes in each pair which of its files the path is.
fn named(mut pairs: Vec<Pair>, path: &Path) -> Vec<Pair> {
    for pair in &mut pairs {
        let parts =
            [(Some(&pair.data), Part::Data), (Some(&pair.aniv), Part::Aniv), (pair.script.as_ref(), Part::Script)];
        pair.named = parts.into_iter().find(|(file, _)| file.is_some_and(|file| file == path)).map(|(_, part)| part);
    }
    pairs
}

/// Returns the bytes of a file's name.
fn name_of(path: &Path) -> &[u8] {
    path.file_name().map(std::ffi::OsStr::as_encoded_bytes).unwrap_or_default()
}

fn unknown<'n>(names: impl Iterator<Item = &'n [u8]>, mesh: &[u8]) -> ErrorKind {
    choice(names, format!("\"{}\"", Name::new(mesh)))
}

/// The most names that an error lists.
const MOST_NAMES: usize = 32;

pub(super) fn choice<'n>(names: impl Iterator<Item = &'n [u8]>, found: impl Into<Cow<'static, str>>) -> ErrorKind {
    let mut names: Vec<_> = names.take(MOST_NAMES.saturating_add(1)).map(|name| Name::new(name).to_string()).collect();
    if names.len() > MOST_NAMES {
        names.truncate(MOST_NAMES);
        names.push("others".into());
    }
    let names = if names.is_empty() { "no meshes: no script knows one".into() } else { names.join(", ") };
    ErrorKind::Choice { names, found: found.into() }
}

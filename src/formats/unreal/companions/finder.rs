//! [`Finder`], which finds the data file, the aniv file and the script of a mesh.

use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::cache::FolderCache;
use super::file_names::{self, PairFile, name_of};
use super::folder::{folder_of, is_file, shown, unlisted, wrong};
use super::imports::{Imports, ScriptMesh};
use super::pair::{Pair, headers_agree};
use super::root::outside;
use crate::error::debug::{short_debug, text};
use crate::error::{Cause, Error, Result};
use crate::formats::unreal::script::choice;
use crate::io;
use crate::parse::Name;

/// A mesh that a script imports, with the result of the search for the mesh's files on the disk.
#[derive(Clone)]
pub struct ScriptImport {
    /// The name of the mesh.
    pub mesh: Vec<u8>,
    /// The path of the data file, which holds the polygons, as written in the script.
    pub data_file: Vec<u8>,
    /// The path of the aniv file, which holds the animation frames, as written in the script.
    pub aniv_file: Vec<u8>,
    /// The paths of the data file and the aniv file on the disk, or the error if one of these files
    /// is not found.
    pub found: Result<Pair>,
}

short_debug!(ScriptImport: |import| {
    mesh: text(&import.mesh), data_file: text(&import.data_file), aniv_file: text(&import.aniv_file), found: import.found,
});

/// Finds the files of meshes, and caches the folder listings and scripts that were read.
///
/// A search for all meshes in a folder with N meshes and M scripts accesses N + M files. A finder
/// does not notice when a folder or script changes on the disk after the finder has read the folder
/// or script.
///
/// ```no_run
/// # fn main() -> meshpeek::Result<()> {
/// let mut finder = meshpeek::unreal::companions::Finder::new();
/// for pair in finder.find("Classes/Cat.uc".as_ref())? {
///     println!("{} {}", pair.data.display(), pair.aniv.display());
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Default)]
pub struct Finder {
    cache: FolderCache,
}

short_debug!(Finder: |finder| { folders: finder.cache.folder_count() });

/// Finds the files of a mesh by the path of one of the files.
///
/// # Errors
///
/// Returns the same errors as [`Finder::find`], and [`ErrorKind::Choice`] if a script imports
/// several meshes whose files exist.
///
/// [`ErrorKind::Choice`]: crate::ErrorKind::Choice
pub fn find(path: impl AsRef<Path>) -> Result<Pair> {
    let path = path.as_ref();
    let pairs = Finder::new().find(path)?;
    match <[Pair; 1]>::try_from(pairs) {
        Ok([pair]) => Ok(pair),
        Err(pairs) => {
            let names = pairs.iter().filter_map(|pair| pair.mesh.as_deref());
            Err(wrong(path, choice(names, "no mesh name")))
        }
    }
}

impl Finder {
    /// Makes a finder with the maximum sizes of [`Limits::default`](crate::Limits::default).
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes a finder with the given maximum sizes of folders and scripts.
    ///
    /// The limit [`items`] is the maximum number of names in a folder, and also the maximum
    /// number of commands in a script. The limit [`script`] is the maximum size of a script, in
    /// bytes.
    ///
    /// [`items`]: crate::Limits::with_items
    /// [`script`]: crate::Limits::with_script
    #[cfg(feature = "internals")]
    #[must_use]
    pub fn with_limits(limits: &crate::parse::Limits) -> Self {
        Self { cache: FolderCache::new(limits) }
    }

    /// Finds the files of one mesh by the path of a file, or the files of all meshes that a script
    /// imports.
    ///
    /// The argument `path` is the path of a data file, an aniv file or a script, or a stem: such a
    /// path without the ending `_d.3d`, `_a.3d` or `.uc` of the file name. For a data file, an aniv
    /// file, or a stem with a data file or aniv file, `find` returns the paths of one data file and
    /// one aniv file as a [`Pair`]. For a script, `find` returns one [`Pair`] for each imported
    /// mesh whose files exist, or an error if the files of no mesh exist.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Missing`] if the data file or the aniv file of a mesh does not exist,
    /// [`ErrorKind::Outside`] if a path in a script leads out of the root folder of the script,
    /// [`ErrorKind::Limit`] if a folder or script exceeds a maximum in [`Limits`], and
    /// [`ErrorKind::Io`] if the file system reports an error.
    ///
    /// [`Limits`]: crate::Limits
    /// [`ErrorKind::Missing`]: crate::ErrorKind::Missing
    /// [`ErrorKind::Outside`]: crate::ErrorKind::Outside
    /// [`ErrorKind::Limit`]: crate::ErrorKind::Limit
    /// [`ErrorKind::Io`]: crate::ErrorKind::Io
    pub fn find(&mut self, path: &Path) -> Result<Vec<Pair>> {
        let path = &*self.spelled(path);
        match self.target(path)? {
            Target::Script(script) => self.find_all(&script, path),
            Target::File(file, part) => Ok(vec![self.pair_of(&file, part, None)?]),
        }
        .map(|pairs| named(pairs, path))
    }

    /// Finds the files of the mesh with the given name in a script. The case of letters in the name
    /// is ignored.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Choice`] with the names of the meshes in the script if no mesh has the
    /// given name. Also returns the errors of [`find`](Self::find).
    ///
    /// [`ErrorKind::Choice`]: crate::ErrorKind::Choice
    #[cfg(any(feature = "cli", feature = "internals"))]
    pub fn find_mesh(&mut self, path: &Path, mesh: &[u8]) -> Result<Pair> {
        let path = &*self.spelled(path);
        let pair = match self.target(path)? {
            Target::File(file, part) => self.pair_of(&file, part, Some(mesh)),
            Target::Script(script) => {
                let imports = self.cache.read(&script)?;
                let found = imports.named(mesh).ok_or_else(|| wrong(path, unknown(imports.names(), mesh)));
                self.cache.resolve_mesh(&script, &imports, found?)
            }
        };
        named(vec![pair?], path).pop().ok_or_else(|| wrong(path, Cause::Empty))
    }

    /// Returns the meshes that a script imports, in the order of the script. Each returned
    /// [`ScriptImport`] has the paths of the mesh's files, or the error if a file is not found.
    ///
    /// # Errors
    ///
    /// Returns an error if the script cannot be read.
    pub fn imports(&mut self, script: &Path) -> Result<Vec<ScriptImport>> {
        let imports = self.cache.read(script)?;
        let found = |mesh: &ScriptMesh| ScriptImport {
            mesh: mesh.name.clone(),
            data_file: mesh.data_file.clone(),
            aniv_file: mesh.aniv_file.clone(),
            found: self.cache.resolve_mesh(script, &imports, mesh),
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
        let none = || wrong(path, Cause::Missing { expected: "a mesh that the script imports".into() });
        if pairs.is_empty() { Err(first.unwrap_or_else(none)) } else { Ok(pairs) }
    }

    /// Returns `path` with the file name as it is written on the disk, if the name in `path`
    /// differs only in the case of letters. Returns `path` unchanged if the folder has a file with
    /// exactly the name in `path`, or has no file name that is equal without regard to the case of
    /// letters.
    fn spelled<'p>(&mut self, path: &'p Path) -> Cow<'p, Path> {
        if fs::symlink_metadata(path).is_ok() {
            return path.into();
        }
        let folder = folder_of(path);
        let listed = self.cache.folder(&folder).ok();
        let found = listed.as_deref().and_then(|listed| listed.find(name_of(path)));
        found.map_or(path.into(), |name| folder.join(name).into())
    }

    /// Returns the file that a path refers to. A path without an ending such as `_d.3d` (a stem)
    /// refers to the data file with this stem, or else to the aniv file, or else to the script.
    fn target(&mut self, path: &Path) -> Result<Target> {
        let name = name_of(path);
        if let Some((PairFile::Script, _)) = file_names::part(name) {
            return Ok(Target::Script(path.to_owned()));
        }
        if file_names::strip(name, b".3d").is_some() || is_file(path) {
            io::open_regular(path)?;
            return Ok(Target::File(path.to_owned(), file_names::part(name).map(|(part, _)| part)));
        }
        let folder = self.cache.folder(&folder_of(path)).map_err(|error| unlisted(path, error))?;
        let beside = |ending: &[u8]| {
            let name = folder.find(&[name, ending].concat())?;
            Some(folder_of(path).join(name)).filter(|path| is_file(path))
        };
        for (ending, part) in [(&b"_d.3d"[..], PairFile::Data), (b"_a.3d", PairFile::Aniv)] {
            if let Some(file) = beside(ending) {
                return Ok(Target::File(file, Some(part)));
            }
        }
        if let Some(file) = file_names::endings().find_map(|(_, ending)| beside(&ending)) {
            return Ok(Target::File(file, None));
        }
        let expected = format!("{0}_d.3d and {0}_a.3d, or {0}.uc", Name::new(name));
        beside(b".uc").map(Target::Script).ok_or_else(|| wrong(path, Cause::Missing { expected: expected.into() }))
    }

    /// Finds the aniv file for a data file, or the data file for an aniv file, and the script that
    /// imports both files.
    fn pair_of(&mut self, file: &Path, part: Option<PairFile>, mesh: Option<&[u8]>) -> Result<Pair> {
        let near = self.cache.near(&folder_of(file)).map_err(|error| unlisted(file, error))?;
        let name = name_of(file);
        let stem = file_names::stem_of(name);
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
        if let Some((part, other)) = self.partner_of(file)? {
            return Ok(paired(file, other, part, script));
        }
        let expected = "a name that ends in _d.3d or _a.3d, or a script that imports the file";
        Err(match file_names::partner(name) {
            Some(partner) => not_beside(file, &partner),
            None => wrong(file, Cause::Missing { expected: expected.into() }),
        })
    }

    /// Returns the script that is in the folder of a file and has the same stem as the file.
    /// Returns `None` if there is no such script.
    fn own_script(&mut self, file: &Path, stem: &[u8]) -> Result<Option<(PathBuf, Arc<Imports>)>> {
        let folder = folder_of(file);
        let found = self.cache.folder(&folder)?.find(&[stem, b".uc"].concat()).map(|name| folder.join(name));
        let Some(script) = found.filter(|script| is_file(script)) else { return Ok(None) };
        let imports = self.cache.read(&script)?;
        Ok(Some((script, imports)))
    }

    /// Returns the path of the data file for an aniv file that a script imports, or the path of the
    /// aniv file for a data file that a script imports.
    ///
    /// A script has a path for each of the two files of a mesh. If the script's path for `file`
    /// leads to `file` itself, and the script's path for the other file (data file or aniv file)
    /// leads to a file, `other_of` returns the path of the other file. If one of these two paths
    /// leads to no file, or if the script's path for `file` leads to a different file than `file`,
    /// `other_of` searches for the other file in the folder of `file`, first by the name of the
    /// other file in the script and then by the stem of `file`. A link with the name in the script
    /// that leads out of the folder is not followed. If the other file is not in the folder of
    /// `file`, `other_of` returns the file at the script's path for the other file, provided that a
    /// file exists at this path.
    fn other_of(&mut self, file: &Path, part: PairFile, script: &Path, mesh: &ScriptMesh) -> Result<PathBuf> {
        let (own, other) = match part {
            PairFile::Aniv => (&mesh.aniv_file, &mesh.data_file),
            _ => (&mesh.data_file, &mesh.aniv_file),
        };
        let meant = self.cache.resolve(script, own).ok().flatten();
        let resolved = self.cache.resolve(script, other).ok().flatten();
        let real = |path: &Path| fs::canonicalize(path).ok();
        let same = meant.is_some_and(|meant| real(&meant).is_some_and(|meant| Some(meant) == real(file)));
        if let Some(resolved) = resolved.as_ref().filter(|_| same) {
            return Ok(resolved.clone());
        }
        let named = self.beside_by_script(file, script, other);
        if let Ok(Some(named)) = named {
            return Ok(named);
        }
        if let Some((_, partner)) = self.partner_of(file)?.filter(|(is, _)| *is == part) {
            return Ok(partner);
        }
        let missing = || named.err().unwrap_or_else(|| not_beside(file, file_names::last(other)));
        resolved.ok_or_else(missing)
    }

    /// Returns the file in the folder of `file` whose name is the last name of a path in a script.
    ///
    /// Returns [`ErrorKind::Outside`] if the file is a link that leads out of both the folder of
    /// `file` and the root folder of the script.
    ///
    /// [`ErrorKind::Outside`]: crate::ErrorKind::Outside
    fn beside_by_script(&mut self, file: &Path, script: &Path, path: &[u8]) -> Result<Option<PathBuf>> {
        let Some(found) = self.beside(file, file_names::last(path))? else { return Ok(None) };
        let folder = folder_of(file);
        let stays = fs::canonicalize(shown(&folder))
            .is_ok_and(|folder| fs::canonicalize(&found).is_ok_and(|found| found.starts_with(folder)));
        if stays || self.cache.is_inside_root(script, &found)? {
            return Ok(Some(found));
        }
        Err(wrong(script, outside(path)))
    }

    /// Returns the data file for an aniv file, or the aniv file for a data file, with the same stem
    /// and in the same folder, and the role of `file`. A partner with another spelling than `_d`
    /// and `_a` or an old number is taken only if the headers of both files agree.
    fn partner_of(&mut self, file: &Path) -> Result<Option<(PairFile, PathBuf)>> {
        let name = name_of(file);
        if let Some((part, _)) = file_names::part(name)
            && let Some(partner) = file_names::partner(name)
            && let Some(found) = self.beside(file, &partner)?
        {
            return Ok(Some((part, found)));
        }
        for (part, partner) in file_names::possible_partners(name) {
            let Some(found) = self.beside(file, &partner)? else { continue };
            let (data, aniv) = if part == PairFile::Data { (file, &*found) } else { (&*found, file) };
            if headers_agree(data, aniv) {
                return Ok(Some((part, found)));
            }
        }
        Ok(None)
    }

    /// Returns the path of the file called `name` in the folder of `file`. It is not `file` itself.
    fn beside(&mut self, file: &Path, name: &[u8]) -> Result<Option<PathBuf>> {
        let folder = folder_of(file);
        let found = self.cache.folder(&folder)?.find(name).map(|name| folder.join(name));
        Ok(found.filter(|other| is_file(other) && other != file))
    }
}

/// Makes the error for a file that is not in the folder of `file`.
fn not_beside(file: &Path, name: &[u8]) -> Error {
    wrong(file, Cause::Missing { expected: format!("{} in the same folder", Name::new(name)).into() })
}

/// The file that a path refers to: a script, or a data file or aniv file.
enum Target {
    Script(PathBuf),
    File(PathBuf, Option<PairFile>),
}

fn paired(file: &Path, other: PathBuf, part: PairFile, script: Option<(PathBuf, Vec<u8>)>) -> Pair {
    let (script, mesh) = script.unzip();
    let file = file.to_owned();
    let (data, aniv) = if part == PairFile::Aniv { (other, file) } else { (file, other) };
    Pair { data, aniv, script, mesh, named: None }
}

/// Sets [`Pair::named`] in each pair to the role of the file that `path` refers to.
fn named(mut pairs: Vec<Pair>, path: &Path) -> Vec<Pair> {
    for pair in &mut pairs {
        let parts = [
            (Some(&pair.data), PairFile::Data),
            (Some(&pair.aniv), PairFile::Aniv),
            (pair.script.as_ref(), PairFile::Script),
        ];
        pair.named = parts.into_iter().find(|(file, _)| file.is_some_and(|file| file == path)).map(|(_, part)| part);
    }
    pairs
}

fn unknown<'n>(names: impl Iterator<Item = &'n [u8]>, mesh: &[u8]) -> Cause {
    choice(names, format!("\"{}\"", Name::new(mesh)))
}

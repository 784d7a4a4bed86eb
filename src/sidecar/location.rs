//! The search for the sidecar of a mesh file.

use std::env;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

use crate::error::Result;
use crate::sidecar::key::Key;
use crate::sidecar::layout::hash;
use crate::sidecar::records::{Sidecar, Trust};

/// The extension that is appended to the name of a mesh file to form the name of its adjacent
/// sidecar.
const EXTENSION: &str = "mpidx";

/// A sidecar that [`find`] has found.
#[derive(Debug)]
pub struct Found {
    /// The path of the sidecar.
    pub path: PathBuf,
    /// The opened sidecar.
    pub sidecar: Sidecar,
}

/// Returns the path of the sidecar of the mesh file at `path`, in the cache folder of the user.
///
/// The cache folder is `$XDG_CACHE_HOME/meshpeek` or `~/.cache/meshpeek`,
/// `~/Library/Caches/meshpeek` on macOS, and `%LOCALAPPDATA%\meshpeek` on Windows. Returns `None`
/// if neither the mesh file nor its folder exists, or if the user has no cache folder.
#[must_use]
pub fn cache_path(path: &Path) -> Option<PathBuf> {
    // If the mesh file was deleted, the path of its folder and the name of the file are used.
    let parent = || Some(fs::canonicalize(folder_of(path)).ok()?.join(path.file_name()?));
    let path = fs::canonicalize(path).ok().or_else(parent)?;
    let name = hash(path.as_os_str().as_encoded_bytes());
    Some(cache()?.join("meshpeek").join(format!("{name:016x}.{EXTENSION}")))
}

/// Returns the path of the sidecar that is stored next to the mesh file at `path`.
///
/// This sidecar is in the folder of the mesh file. Its name is the name of the mesh file followed
/// by `.mpidx`.
#[must_use]
pub fn adjacent_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{EXTENSION}"));
    name.into()
}

/// Finds the sidecar of the mesh file at `path` that has the identity `key`.
///
/// The search covers the cache folder of the user first, and then the folder of the mesh file. The
/// closure `open` maps or reads the sidecar that was found. A sidecar that does not belong to the
/// user may be changed or shortened at any time, so `open` should copy it. Links, pipes and all
/// other files that are not regular are ignored. A sidecar is [`Untrusted`](Trust::Untrusted) if it
/// is next to the mesh file, or if another user owns it or can write to it.
#[must_use]
pub fn find<D>(path: &Path, key: &Key, mut open: impl FnMut(&Path, Trust) -> Result<D>) -> Option<Found>
where
    D: AsRef<[u8]> + Send + Sync + 'static,
{
    let places = [cache_path(path).map(|place| (place, Trust::Trusted)), Some((adjacent_path(path), Trust::Untrusted))];
    places.into_iter().flatten().find_map(|(path, trust)| {
        let metadata = fs::symlink_metadata(&path).ok().filter(Metadata::is_file)?;
        let trust = if crate::io::is_own(&metadata) { trust } else { Trust::Untrusted };
        let sidecar = Sidecar::new(open(&path, trust).ok()?, key, trust)?;
        Some(Found { path, sidecar })
    })
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Returns the cache folder of the user, for files that programs can generate again.
fn cache() -> Option<PathBuf> {
    let folder = |variable: &str| env::var_os(variable).map(PathBuf::from).filter(|folder| folder.is_absolute());
    if cfg!(windows) {
        return folder("LOCALAPPDATA");
    }
    let home = if cfg!(target_os = "macos") { "Library/Caches" } else { ".cache" };
    folder("XDG_CACHE_HOME").or_else(|| Some(folder("HOME")?.join(home)))
}

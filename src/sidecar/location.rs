//! Where sidecars are looked for.

use std::env;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

use crate::error::Result;
use crate::sidecar::key::Key;
use crate::sidecar::layout::hash;
use crate::sidecar::records::{Sidecar, Trust};

/// What is added to a file's name to name the sidecar beside it.
const EXTENSION: &str = "mpidx";

/// A sidecar that was found.
#[derive(Debug)]
pub struct Found {
    /// Where it lies.
    pub path: PathBuf,
    /// The sidecar.
    pub sidecar: Sidecar,
}

/// Returns where the sidecar of the file at `path` lies in the user's cache: `$XDG_CACHE_HOME/meshpeek` or
/// `~/.cache/meshpeek`, `~/Library/Caches/meshpeek`, `%LOCALAPPDATA%\meshpeek`. `None` where neither the file nor its
/// folder is there, or the user has no such folder.
#[must_use]
pub fn cache_path(path: &Path) -> Option<PathBuf> {
    // Of a file that has gone, what is left of its path.
    let parent = || Some(fs::canonicalize(folder_of(path)).ok()?.join(path.file_name()?));
    let path = fs::canonicalize(path).ok().or_else(parent)?;
    let name = hash(path.as_os_str().as_encoded_bytes());
    Some(cache()?.join("meshpeek").join(format!("{name:016x}.{EXTENSION}")))
}

/// Returns where a sidecar lies that travels with the file at `path`: beside it, under its name and `.mpidx`.
#[must_use]
pub fn adjacent_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{EXTENSION}"));
    name.into()
}

/// Looks for the sidecar of the file at `path`, whose identity is `key`: in the user's cache, then beside the file. `open`
/// maps what is found, or reads it: what is not the user's own may be changed or cut at any time, and is better copied. Links, pipes and whatever else is no regular file are passed over; what somebody else owns,
/// or lies beside the file, or could change, is [`Untrusted`](Trust::Untrusted).
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

/// Returns the folder for what programs can make again.
fn cache() -> Option<PathBuf> {
    let folder = |variable: &str| env::var_os(variable).map(PathBuf::from).filter(|folder| folder.is_absolute());
    if cfg!(windows) {
        return folder("LOCALAPPDATA");
    }
    let home = if cfg!(target_os = "macos") { "Library/Caches" } else { ".cache" };
    folder("XDG_CACHE_HOME").or_else(|| Some(folder("HOME")?.join(home)))
}

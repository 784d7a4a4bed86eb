//! The key of a mesh file, and the search for its sidecar: in the cache folder of the user and next
//! to the mesh file.

use std::env;
use std::fs::{self, File, Metadata};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use zerocopy::little_endian::I64;

use crate::error::Result;
use crate::io::{FileStamp, regular_metadata};
use crate::sidecar::layout::{RawKey, hash};
use crate::sidecar::records::{Sidecar, Trust};

/// The identity of a mesh file: its size, modification time, status-change time, device and inode.
///
/// Three values in a `Key` are compared only for trusted sidecars, which are in the cache folder of
/// the user: the device, the inode and the status-change time. No program can set the status-change
/// time. If a sidecar and its mesh file are copied together, the device, the inode and the
/// status-change time of the copied mesh file differ from the values in the sidecar. Operating
/// systems other than Unix provide no status-change time and no inode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    pub(super) raw: RawKey,
}

impl From<&FileStamp> for Key {
    fn from(stamp: &FileStamp) -> Self {
        Self::of(stamp.metadata())
    }
}

impl Key {
    /// Makes the key of a mesh file from the metadata of the file.
    #[must_use]
    pub fn of(metadata: &Metadata) -> Self {
        let mut raw = RawKey { size: metadata.len().into(), ..RawKey::default() };
        raw.modified = metadata.modified().ok().map(parts).unwrap_or_default();
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt as _;
            raw.changed = [metadata.ctime(), metadata.ctime_nsec()].map(I64::new);
            raw.device = metadata.dev().into();
            raw.inode = metadata.ino().into();
        }
        Self { raw }
    }

    /// Makes the key of the mesh file at `path`. Symbolic links are followed.
    ///
    /// Take the key before the file is opened: if the file changes later, it has another key.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::NotRegular`](crate::ErrorKind::NotRegular) if the path is not a regular
    /// file, and [`ErrorKind::Io`](crate::ErrorKind::Io) if the operating system cannot report the
    /// metadata of the file.
    pub fn of_path(path: impl AsRef<Path>) -> Result<Self> {
        regular_metadata(path.as_ref()).map(|metadata| Self::of(&metadata))
    }

    /// Returns whether `raw`, the key that is stored in a sidecar, matches this key of a mesh file.
    ///
    /// If `here` is `true`, all values of the keys are compared. If `here` is `false`, only the
    /// file size and the modification time are compared, because the sidecar may have been copied
    /// together with its mesh file.
    pub(super) fn matches(&self, raw: &RawKey, here: bool) -> bool {
        if here { self.raw == *raw } else { self.raw.size == raw.size && self.raw.modified == raw.modified }
    }

    /// Returns the time since the last change of the mesh file. A time in the future is ignored.
    pub(crate) fn age(&self) -> Option<Duration> {
        // Systems other than Unix have no status-change time.
        [self.raw.changed, self.raw.modified].into_iter().filter_map(age).min()
    }

    /// Returns the size of the mesh file in bytes.
    #[doc(hidden)]
    #[must_use]
    pub const fn size(&self) -> u64 {
        self.raw.size.get()
    }
}

/// Converts a time to seconds and nanoseconds since 1970-01-01 00:00 UTC.
fn parts(time: SystemTime) -> [I64; 2] {
    let split = |since: Duration| [i64::try_from(since.as_secs()).ok(), Some(since.subsec_nanos().into())];
    let parts = match time.duration_since(UNIX_EPOCH) {
        Ok(since) => split(since),
        Err(before) => split(before.duration()).map(|part| part.and_then(i64::checked_neg)),
    };
    parts.map(|part| I64::new(part.unwrap_or(i64::MAX)))
}

/// Returns how long ago a time was, which is given in seconds and nanoseconds since 1970-01-01
/// 00:00 UTC. Returns `None` for a time before 1970 or in the future.
fn age([seconds, nanoseconds]: [I64; 2]) -> Option<Duration> {
    let since = Duration::new(u64::try_from(seconds.get()).ok()?, u32::try_from(nanoseconds.get()).ok()?);
    UNIX_EPOCH.checked_add(since)?.elapsed().ok()
}

/// The extension that is appended to the name of a mesh file to form the name of its adjacent
/// sidecar.
const EXTENSION: &str = "mpidx";

/// A sidecar that [`SidecarCache::find`] has opened, and its path.
#[derive(Debug)]
#[non_exhaustive]
pub struct Found {
    /// The path of the sidecar.
    pub path: PathBuf,
    /// The opened sidecar.
    pub sidecar: Sidecar,
}

/// The folder in which the sidecars of mesh files are stored, which may not be known.
///
/// ```
/// use meshpeek::SidecarCache;
/// use std::path::Path;
///
/// let cache = SidecarCache::in_folder("cache/of/a/game");
/// let path = cache.path(Path::new("data/unigine/cube_ms13.mesh")).unwrap();
/// assert_eq!(path.parent(), Some(Path::new("cache/of/a/game")));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SidecarCache {
    folder: Option<PathBuf>,
}

impl SidecarCache {
    /// Returns the cache folder of the user.
    ///
    /// It is `$XDG_CACHE_HOME/meshpeek` or `~/.cache/meshpeek`, `~/Library/Caches/meshpeek` on
    /// macOS, and `%LOCALAPPDATA%\meshpeek` on Windows. It is not known if the environment has none
    /// of these variables, or only relative paths.
    #[must_use]
    pub fn of_user() -> Self {
        Self { folder: user_folder().map(|folder| folder.join("meshpeek")) }
    }

    /// Returns the cache in the given folder, which need not exist.
    #[must_use]
    pub fn in_folder(folder: impl Into<PathBuf>) -> Self {
        Self { folder: Some(folder.into()) }
    }

    /// Returns the path of the folder, or `None` if it is not known.
    #[doc(hidden)]
    #[must_use]
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// Returns the path in the folder for the sidecar of the mesh file at `path`.
    ///
    /// Returns `None` if neither the mesh file nor its folder exists, or if the folder of the cache
    /// is not known.
    #[must_use]
    pub fn path(&self, path: &Path) -> Option<PathBuf> {
        // The name of the sidecar is a hash of the resolved path of the mesh file. If the mesh file
        // was deleted, its folder is resolved, and the file name is appended.
        let parent = || Some(fs::canonicalize(folder_of(path)).ok()?.join(path.file_name()?));
        let path = fs::canonicalize(path).ok().or_else(parent)?;
        let name = hash(path.as_os_str().as_encoded_bytes());
        Some(self.folder.as_ref()?.join(format!("{name:016x}.{EXTENSION}")))
    }

    /// Finds and opens the sidecar of the mesh file at `path`.
    ///
    /// `key` is the identity of the mesh file, which has to match the key in the sidecar.
    ///
    /// `find` searches this folder first, and then the folder of the mesh file. The cache folder is
    /// only used if it belongs to the user and no other user can write to it. `find` opens a
    /// sidecar once, without following a link or waiting for a pipe, and tests the type and the
    /// owner of the open file. The closure `open` maps or reads this open file. It should copy an
    /// [`Untrusted`](Trust::Untrusted) sidecar and not map it, because another user may change or
    /// shorten the sidecar file at any time. A sidecar is ignored if it is a symbolic link, a pipe
    /// or any other file that is not a regular file. A sidecar is [`Untrusted`](Trust::Untrusted)
    /// if it is next to the mesh file, or if another user owns it or can write to it.
    #[doc(hidden)]
    #[must_use]
    pub fn find<D>(&self, path: &Path, key: &Key, mut open: impl FnMut(File, Trust) -> Result<D>) -> Option<Found>
    where
        D: AsRef<[u8]> + Send + Sync + 'static,
    {
        let cached = self.path(path).map(|place| (place, Trust::Trusted));
        let places = [cached, Some((adjacent_path(path), Trust::Untrusted))];
        places.into_iter().flatten().find_map(|(path, trust)| {
            let (file, metadata) = match trust {
                Trust::Trusted => crate::io::open_in_own_folder(&path)?,
                Trust::Untrusted => crate::io::open_without_following(&path)?,
            };
            let trust = if crate::io::is_own(&metadata) { trust } else { Trust::Untrusted };
            let sidecar = Sidecar::open(open(file, trust).ok()?, key, trust)?;
            Some(Found { path, sidecar })
        })
    }
}

/// Returns the path next to the mesh file at `path` for its sidecar.
///
/// The sidecar next to a mesh file is in the same folder, and its file name is the name of the mesh
/// file followed by `.mpidx`.
#[must_use]
pub fn adjacent_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{EXTENSION}"));
    name.into()
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Returns the folder of the operating system for the cache files of the current user, such as
/// `~/.cache`.
fn user_folder() -> Option<PathBuf> {
    let folder = |variable: &str| env::var_os(variable).map(PathBuf::from).filter(|folder| folder.is_absolute());
    if cfg!(windows) {
        return folder("LOCALAPPDATA");
    }
    let home = if cfg!(target_os = "macos") { "Library/Caches" } else { ".cache" };
    folder("XDG_CACHE_HOME").or_else(|| Some(folder("HOME")?.join(home)))
}

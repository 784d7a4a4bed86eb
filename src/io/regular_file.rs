//! Regular files: opening them, and detecting that they were replaced or changed.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::Path;

use super::atomic_file::OpenFolder;
use crate::error::debug::short_debug;
use crate::error::{Cause, Error, Field, NO_FORMAT, Result};

/// The [`Field`] of errors that are about a whole file and not about a value in the file.
pub(crate) const FILE: Field = Field::new("file");

/// Opens a regular file for reading, and returns an error for a directory, pipe, socket or device.
///
/// Opening the file never waits. A pipe without a writer is also rejected without waiting, like any
/// other pipe.
pub(crate) fn open_regular(path: &Path) -> Result<(File, Metadata)> {
    let file = open_without_waiting(path)?;
    let metadata = file.metadata().map_err(|error| failed(path, error.into()))?;
    if !metadata.is_file() {
        return Err(failed(path, Cause::NotRegular { found: describe(&metadata) }));
    }
    Ok((file, metadata))
}

/// Opens a file for reading. Opening a pipe does not wait for a writer.
pub(crate) fn open_without_waiting(path: &Path) -> Result<File> {
    let mut options = fs::OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    // Sockets cannot be opened, and on some systems directories cannot be opened either. For a
    // socket or a directory, an error that contains the file type is more useful than the error of
    // the operating system.
    options.open(path).map_err(|error| failed(path, not_regular(fs::metadata(path)).unwrap_or(error.into())))
}

/// Opens a regular file for reading. Returns `None` for any other file.
///
/// A symbolic link at the end of the path is not followed, and a pipe is not waited for.
pub(crate) fn open_without_following(path: &Path) -> Option<(File, Metadata)> {
    let mut options = fs::OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NOFOLLOW | libc::O_NONBLOCK);
    // FILE_FLAG_OPEN_REPARSE_POINT opens a link instead of its target.
    #[cfg(windows)]
    std::os::windows::fs::OpenOptionsExt::custom_flags(&mut options, 0x0020_0000);
    let file = options.open(path).ok()?;
    let metadata = file.metadata().ok().filter(Metadata::is_file)?;
    Some((file, metadata))
}

/// Opens a regular file like [`open_without_following`], but only in a folder that the current user
/// owns and that no other user can write to. The folder must not be a symbolic link.
pub(crate) fn open_in_own_folder(path: &Path) -> Option<(File, Metadata)> {
    let file = OpenFolder::open_own(path.parent()?).ok()?.open_file(path.file_name()?).ok()?;
    let metadata = file.metadata().ok().filter(Metadata::is_file)?;
    Some((file, metadata))
}

/// Returns the metadata of the regular file at `path`. Symbolic links are followed.
pub(crate) fn regular_metadata(path: &Path) -> Result<Metadata> {
    let metadata = fs::metadata(path).map_err(|error| failed(path, error.into()))?;
    if metadata.is_file() {
        return Ok(metadata);
    }
    Err(failed(path, Cause::NotRegular { found: describe(&metadata) }))
}

fn not_regular(metadata: io::Result<Metadata>) -> Option<Cause> {
    let metadata = metadata.ok().filter(|metadata| !metadata.is_file())?;
    Some(Cause::NotRegular { found: describe(&metadata) })
}

pub(crate) fn failed(path: &Path, kind: Cause) -> Error {
    Error::without_offset("file", FILE, kind).at_path(path)
}

/// Returns the name of the file type with its article, such as `a directory`.
pub(crate) fn describe(metadata: &Metadata) -> &'static str {
    let kind = metadata.file_type();
    if kind.is_dir() {
        return "a directory";
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt as _;
        if kind.is_fifo() {
            return "a named pipe";
        }
        if kind.is_socket() {
            return "a socket";
        }
        if kind.is_char_device() || kind.is_block_device() {
            return "a device";
        }
    }
    "something else"
}

/// The properties of a file that change when the file is modified or replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) len: u64,
    modified: Option<std::time::SystemTime>,
    #[cfg(unix)]
    inode: [i128; 4],
    /// The time of creation, which replaces the inode on systems without inodes.
    #[cfg(not(unix))]
    created: Option<std::time::SystemTime>,
}

impl Identity {
    pub(crate) fn of(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        use std::os::unix::fs::MetadataExt as _;
        Self {
            len: metadata.len(),
            modified: metadata.modified().ok(),
            // The status-change time is not used, because it also changes when a hard link to the
            // file is made or removed. The modification time is used instead of the status-change
            // time.
            #[cfg(unix)]
            inode: [
                metadata.dev().into(),
                metadata.ino().into(),
                metadata.mtime().into(),
                metadata.mtime_nsec().into(),
            ],
            #[cfg(not(unix))]
            created: metadata.created().ok(),
        }
    }
}

/// Returns an error if the size, modification time or inode of an open file is no longer `before`,
/// or if the page at offset `lost` of its map was lost.
///
/// # Errors
///
/// Returns [`ErrorKind::Truncated`] if the file is or was shorter, [`ErrorKind::Changed`] if it
/// changed otherwise, and [`ErrorKind::Io`] if the operating system cannot report the metadata.
///
/// [`ErrorKind::Truncated`]: crate::ErrorKind::Truncated
/// [`ErrorKind::Changed`]: crate::ErrorKind::Changed
/// [`ErrorKind::Io`]: crate::ErrorKind::Io
pub(crate) fn check_unchanged(file: &File, before: &Identity, lost: Option<u64>) -> Result<()> {
    let metadata = file.metadata().map_err(|error| Error::without_offset("file", FILE, error.into()))?;
    let now = Identity::of(&metadata);
    let found = now.len.min(lost.unwrap_or(u64::MAX));
    if found < before.len {
        let kind = Cause::Truncated { expected: before.len, found };
        return Err(Error::new(NO_FORMAT, FILE, found, kind));
    }
    if now == *before { Ok(()) } else { Err(Error::without_offset("file", FILE, Cause::Changed)) }
}

/// Returns whether the path leads to a file whose size, modification time or inode is not `before`,
/// or to no regular file.
///
/// # Errors
///
/// Returns [`ErrorKind::Io`] if the operating system cannot report the metadata for another reason
/// than that the file does not exist.
///
/// [`ErrorKind::Io`]: crate::ErrorKind::Io
pub(crate) fn differs(path: &Path, before: &Identity) -> Result<bool> {
    match fs::metadata(path) {
        Ok(metadata) => Ok(!metadata.is_file() || Identity::of(&metadata) != *before),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(true),
        Err(error) => Err(failed(path, error.into())),
    }
}

/// Returns whether the current user owns a file and no other user has permission to write to the
/// file.
///
/// On systems without file owners, the result is `true` for every file.
pub(crate) fn is_own(metadata: &Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        metadata.uid() == current_user() && metadata.mode() & 0o022 == 0
    }
    #[cfg(not(unix))]
    {
        metadata.is_file()
    }
}

/// Returns the id of the user whose permissions the process has.
#[cfg(unix)]
pub(crate) fn current_user() -> u32 {
    // SAFETY: `geteuid` has no precondition and always succeeds.
    unsafe { libc::geteuid() }
}

/// The state of a file at one moment: its path, size, modification time, and on Unix its device and
/// inode.
///
/// A program that reads files again when they are replaced takes the stamp of a file before it
/// opens the file, and calls [`has_changed`](Self::has_changed) from time to time. A [`Map`] that
/// was opened by its path contains its own stamp: see [`Map::has_changed`].
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::io::FileStamp;
///
/// let path = "data/unigine/cube_ms13.mesh";
/// let stamp = FileStamp::of(path)?; // before the file is read
/// let bytes = meshpeek::read(path)?;
/// assert!(!stamp.has_changed()?);
/// # let _ = bytes;
/// # Ok(())
/// # }
/// ```
///
/// [`Map`]: crate::Map
/// [`Map::has_changed`]: crate::Map::has_changed
#[derive(Clone)]
pub struct FileStamp {
    path: Box<Path>,
    identity: Identity,
    metadata: Metadata,
}

short_debug!(FileStamp: |stamp| { path: stamp.path, identity: stamp.identity });

impl PartialEq for FileStamp {
    fn eq(&self, other: &Self) -> bool {
        self.path == other.path && self.identity == other.identity
    }
}

impl Eq for FileStamp {}

impl FileStamp {
    /// Takes the stamp of the file at `path`. Symbolic links are followed.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::NotRegular`](crate::ErrorKind::NotRegular) if the path is not a regular
    /// file, and [`ErrorKind::Io`](crate::ErrorKind::Io) if the operating system cannot report the
    /// metadata of the file.
    pub fn of(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let metadata = regular_metadata(path)?;
        Ok(Self { path: path.into(), identity: Identity::of(&metadata), metadata })
    }

    /// Returns what the operating system reported about the file.
    pub(crate) const fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// Returns the path of the file, as it was given to [`of`](Self::of).
    #[must_use]
    pub const fn path(&self) -> &Path {
        &self.path
    }

    /// Returns whether the path now leads to another file, to a file that was modified after the
    /// stamp was taken, or to no regular file.
    ///
    /// The call compares the size and the modification time, and on Unix the device and the inode.
    /// On other systems, it compares the time of creation instead of the inode. A change is only
    /// noticed if one of these values differs: some systems count time in steps of up to 10
    /// milliseconds, and a new file may get the inode of a deleted one. The call takes one system
    /// call and reads no byte of the file. A relative path is resolved again by each call.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Io`](crate::ErrorKind::Io) if the operating system cannot report the
    /// metadata of the file, for example because a folder on the path cannot be read. A file that
    /// does not exist is not an error.
    pub fn has_changed(&self) -> Result<bool> {
        differs(&self.path, &self.identity)
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::path::PathBuf;
    use std::time::Duration;

    use tempfile::TempDir;

    use super::*;
    use crate::Map;
    use crate::error::Cause;

    /// Writes a file, and returns its folder and its path.
    fn file(content: &[u8]) -> (TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mesh");
        fs::write(&path, content).unwrap();
        (folder, path)
    }

    /// Returns whether the file has changed, by its stamp and by the map.
    fn has_changed(stamp: &FileStamp, map: &Map) -> bool {
        let changed = stamp.has_changed().unwrap();
        assert_eq!(map.has_changed().unwrap(), changed);
        changed
    }

    fn open(path: &Path) -> (FileStamp, Map) {
        // SAFETY: The tests replace or delete the file, and do not read the map.
        (FileStamp::of(path).unwrap(), unsafe { Map::open(path).unwrap() })
    }

    #[test]
    fn an_unchanged_file_has_not_changed() {
        let (folder, path) = file(b"mesh");
        let (stamp, map) = open(&path);
        assert_eq!((stamp.path(), stamp.clone()), (path.as_path(), FileStamp::of(&path).unwrap()));
        fs::hard_link(&path, folder.path().join("link")).unwrap();
        fs::write(folder.path().join("other"), b"other").unwrap();
        assert!(!has_changed(&stamp, &map));
    }

    #[cfg(unix)]
    #[test]
    fn a_file_of_the_same_size_and_time_that_is_renamed_over_it_is_noticed() {
        let (folder, path) = file(b"mesh");
        let time = fs::metadata(&path).unwrap().modified().unwrap();
        for _ in 0..20 {
            let (stamp, map) = open(&path);
            let new = folder.path().join("new");
            fs::write(&new, b"mesh").unwrap();
            File::options().write(true).open(&new).unwrap().set_modified(time).unwrap();
            assert!(!has_changed(&stamp, &map));
            fs::rename(&new, &path).unwrap();
            assert!(has_changed(&stamp, &map));
            map.check().unwrap();
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_that_leads_elsewhere_is_noticed() {
        use std::os::unix::fs::symlink;
        let (folder, path) = file(b"mesh");
        let [other, link, new] = ["other", "link", "new"].map(|name| folder.path().join(name));
        fs::copy(&path, &other).unwrap();
        symlink(&path, &link).unwrap();
        let (stamp, map) = open(&link);
        assert!(!has_changed(&stamp, &map));
        symlink(&other, &new).unwrap();
        fs::rename(&new, &link).unwrap();
        assert!(has_changed(&stamp, &map));
    }

    #[test]
    fn a_file_that_is_written_to_is_noticed() {
        let (_folder, path) = file(b"mesh");
        let stamp = FileStamp::of(&path).unwrap();
        let other = File::options().write(true).open(&path).unwrap();
        other.set_modified(fs::metadata(&path).unwrap().modified().unwrap() + Duration::from_secs(1)).unwrap();
        assert!(stamp.has_changed().unwrap(), "the time");
        let stamp = FileStamp::of(&path).unwrap();
        other.set_len(5).unwrap();
        assert!(stamp.has_changed().unwrap(), "the size");
    }

    #[cfg(unix)]
    #[test]
    fn a_path_without_a_file_has_changed() {
        let (folder, path) = file(b"mesh");
        let (stamp, map) = open(&path);
        fs::remove_file(&path).unwrap();
        assert!(has_changed(&stamp, &map), "deleted");
        fs::create_dir(&path).unwrap();
        assert!(has_changed(&stamp, &map), "a folder");
        fs::remove_dir(&path).unwrap();
        drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
        assert!(has_changed(&stamp, &map), "a socket");
        drop(folder);
        assert!(has_changed(&stamp, &map), "the folder was deleted");
    }

    #[test]
    fn a_path_that_is_no_file_has_no_stamp() {
        let (folder, path) = file(b"mesh");
        let error = FileStamp::of(folder.path()).unwrap_err();
        assert!(matches!(error.cause(), Cause::NotRegular { found: "a directory" }), "{error}");
        let error = FileStamp::of(path.with_extension("missing")).unwrap_err();
        assert!(matches!(error.cause(), Cause::Io(_)) && error.path().is_some(), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn a_path_that_cannot_be_examined_is_an_error() {
        use std::os::unix::fs::symlink;
        let (_folder, path) = file(b"mesh");
        let (stamp, map) = open(&path);
        fs::remove_file(&path).unwrap();
        // A link that leads to itself.
        symlink(&path, &path).unwrap();
        for error in [stamp.has_changed().unwrap_err(), map.has_changed().unwrap_err()] {
            assert!(matches!(error.cause(), Cause::Io(_)) && error.path() == Some(&*path), "{error}");
        }
    }

    #[test]
    fn a_map_of_an_open_file_examines_the_file_itself() {
        let (_folder, path) = file(b"mesh");
        // SAFETY: The file only becomes longer, and the map is not read.
        let map = unsafe { Map::from_file(File::open(&path).unwrap()).unwrap() };
        assert!(!map.has_changed().unwrap());
        File::options().write(true).open(&path).unwrap().set_len(5).unwrap();
        assert!(map.has_changed().unwrap());
    }
}

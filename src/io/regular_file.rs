//! Regular files: opening them and detecting changes to them.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::Path;

use super::atomic_file::OpenFolder;
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

//! Writes files atomically: the content is written completely to a temporary file, which then gets
//! its final name in one step.
//!
//! On Linux the temporary file has no name while it is written (`O_TMPFILE`), and the system
//! removes it if the process ends. Elsewhere, and on file systems without unnamed files, its name
//! contains the process id. The next process that writes to the same folder removes such files of
//! dead processes.

#[cfg(not(unix))]
mod elsewhere;
#[cfg(unix)]
mod unix;

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

#[cfg(not(unix))]
use elsewhere::PathFolder as SystemFolder;
#[cfg(unix)]
use unix::UnixFolder as SystemFolder;

/// The start of the name of a temporary file. The process id and a number follow.
const PREFIX: &str = ".meshpeek-";

/// An open folder, in which files are created, replaced and removed.
///
/// On Unix, all operations use the open folder and never its path again. If another program renames
/// the folder or replaces it by a link, files are still written to the folder that was opened. On
/// other systems, the path of the folder is used.
///
/// ```
/// # fn main() -> std::io::Result<()> {
/// use meshpeek::io::OpenFolder;
/// use std::ffi::OsStr;
///
/// let folder = OpenFolder::open("data/unigine".as_ref())?;
/// let cube = folder.existing(OsStr::new("cube_ms13.mesh"))?;
/// assert!(cube.is_some_and(|file| file.is_regular));
/// assert!(folder.existing(OsStr::new("missing.mesh"))?.is_none());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct OpenFolder {
    system: SystemFolder,
}

impl OpenFolder {
    /// Opens a folder. A symbolic link to a folder is followed.
    ///
    /// # Errors
    ///
    /// Returns an error if the path is not a folder, or if the folder cannot be opened.
    #[cfg(any(feature = "cli", feature = "internals"))]
    pub fn open(path: &Path) -> io::Result<Self> {
        SystemFolder::open(path).map(|system| Self { system })
    }

    /// Opens a folder that belongs to the current user and that no other user can write to. A
    /// symbolic link is not followed.
    ///
    /// On systems other than Unix, owners and permissions are not checked.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`open`](Self::open), and [`io::ErrorKind::PermissionDenied`] if
    /// another user owns the folder or can write to it.
    pub fn open_own(path: &Path) -> io::Result<Self> {
        SystemFolder::open_own(path).map(|system| Self { system })
    }

    /// Creates a folder, and the folders that contain it, with access for the current user only. A
    /// folder that already exists keeps its permissions.
    ///
    /// # Errors
    ///
    /// Returns an error if one of the folders cannot be created.
    pub fn create(path: &Path) -> io::Result<()> {
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.recursive(true).create(path)
    }

    /// Returns the properties of a file in the folder, or `None` if the folder has no such file. A
    /// symbolic link is not followed.
    ///
    /// # Errors
    ///
    /// Returns an error if the operating system cannot report the properties of the file.
    pub fn existing(&self, name: &OsStr) -> io::Result<Option<ExistingFile>> {
        self.system.existing(name)
    }

    /// Opens a file in the folder for reading. A pipe is not waited for. On Unix, a symbolic link
    /// is an error.
    ///
    /// # Errors
    ///
    /// Returns an error if the file does not exist or cannot be opened.
    pub fn open_file(&self, name: &OsStr) -> io::Result<File> {
        self.system.open_file(name)
    }

    /// Removes a file from the folder. A symbolic link is removed, and not the file that it leads
    /// to.
    ///
    /// # Errors
    ///
    /// Returns an error if the file does not exist or cannot be removed.
    pub fn remove(&self, name: &OsStr) -> io::Result<()> {
        self.system.remove(name)
    }
}

/// The properties of a file in a [`OpenFolder`], as far as replacing it is concerned.
///
/// ```
/// # fn main() -> std::io::Result<()> {
/// let folder = meshpeek::io::OpenFolder::open("data".as_ref())?;
/// let unigine = folder.existing("unigine".as_ref())?.expect("the folder of the samples");
/// assert!(!unigine.is_regular);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExistingFile {
    /// Whether it is a regular file, and not a folder, a link or a special file.
    pub is_regular: bool,
    /// The permission bits of the file, such as `0o644`. They are 0 on systems other than Unix.
    pub mode: u32,
}

/// A temporary file. It has no name if the operating system removes it when the process ends.
#[derive(Debug)]
struct TemporaryFile {
    file: File,
    name: Option<OsString>,
}

/// A file that is written completely before it gets its name.
///
/// The content is written to a temporary file in the same folder. [`finish`](Self::finish) gives
/// this file its final name in one step. Another process that opens the name meanwhile gets the old
/// file or the new one, and never a part of the new one. If the value is dropped before, or the
/// process is killed, the old file stays as it is.
///
/// ```
/// # fn main() -> std::io::Result<()> {
/// use meshpeek::io::{AtomicFile, OpenFolder};
/// use std::ffi::OsStr;
/// use std::io::Write as _;
///
/// let place = tempfile::tempdir()?;
/// let name = OsStr::new("notes.txt");
/// let mut file = AtomicFile::create(OpenFolder::open(place.path())?, name, Some(0o600))?;
/// file.write_all(b"complete")?;
/// assert!(!place.path().join(name).exists());
/// file.finish(false)?;
/// assert_eq!(std::fs::read(place.path().join(name))?, b"complete");
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct AtomicFile {
    temporary: TemporaryFile,
    folder: OpenFolder,
    /// The final name.
    name: OsString,
    /// The permissions that the caller chose, or those of the file that is replaced.
    mode: Option<u32>,
    /// The number of bytes that were written after the system was last asked to write to the disk.
    waiting: usize,
}

/// The number of bytes after which the system is asked to write to the disk.
const WRITE_BACK: usize = 8 << 20;

impl AtomicFile {
    /// Creates a temporary file that becomes the file `name` in `folder`. A symbolic link with this
    /// name is never followed.
    ///
    /// The file gets the permissions `mode` when it is [complete](Self::complete). If `mode` is
    /// `None`, it gets the permissions of the file that it replaces, or the default permissions of
    /// the process. On Unix systems other than Linux, the default can only be read by setting the
    /// mask of the process (`umask`) for a moment, so a program with several threads should choose
    /// a mode there. On systems other than Unix, `mode` is ignored.
    ///
    /// # Errors
    ///
    /// Returns an error if `name` is the name of a folder, a link or a special file, or if a file
    /// cannot be created in the folder.
    pub fn create(folder: OpenFolder, name: &OsStr, mode: Option<u32>) -> io::Result<Self> {
        let existing = expect_replaceable(&folder, name)?;
        folder.system.remove_dead();
        let temporary = folder.system.temporary()?;
        let mode = mode.or(existing.map(|existing| existing.mode));
        Ok(Self { temporary, folder, name: name.to_owned(), mode, waiting: 0 })
    }

    /// Chooses another final name in the same folder.
    ///
    /// # Errors
    ///
    /// Returns an error if `name` is the name of a folder, a link or a special file.
    #[cfg(feature = "cli")]
    pub fn choose_name(&mut self, name: &OsStr) -> io::Result<()> {
        expect_replaceable(&self.folder, name)?;
        name.clone_into(&mut self.name);
        Ok(())
    }

    /// Returns the folder of the file.
    #[cfg(any(feature = "cli", feature = "internals"))]
    #[must_use]
    pub const fn folder(&self) -> &OpenFolder {
        &self.folder
    }

    /// Returns whether the temporary file has a name. If the process is killed, a file with a name
    /// stays in the folder until the next process removes it.
    #[cfg(any(feature = "cli", feature = "internals"))]
    #[must_use]
    pub const fn has_temporary_name(&self) -> bool {
        self.temporary.name.is_some()
    }

    /// Returns the number of bytes that the file has.
    ///
    /// # Errors
    ///
    /// Returns an error if the operating system cannot report the size.
    #[cfg(any(feature = "cli", feature = "internals"))]
    pub fn size(&self) -> io::Result<u64> {
        Ok(self.temporary.file.metadata()?.len())
    }

    /// Reserves space on the disk for a file of `size` bytes, so that a full disk is reported
    /// before the first byte is written. Only Linux reserves space.
    ///
    /// # Errors
    ///
    /// Returns an error if the disk or the quota of the user has too little space.
    #[cfg(any(feature = "cli", feature = "internals"))]
    pub fn reserve(&self, size: u64) -> io::Result<()> {
        SystemFolder::reserve(&self.temporary.file, size)
    }

    /// Sets the permissions of the file, and waits until its content is on the disk. Call it after
    /// the last byte is written, and before [`rename`](Self::rename).
    ///
    /// # Errors
    ///
    /// Returns an error if the content or the permissions cannot be written.
    pub fn complete(&mut self) -> io::Result<()> {
        let file = &self.temporary.file;
        match SystemFolder::set_mode(file, self.mode.unwrap_or_else(SystemFolder::default_mode)) {
            // On a disk whose files all belong to another user, such as an SD card, permissions
            // cannot be set. A new file then has those that the disk gives to it.
            Err(error)
                if self.mode.is_none()
                    && matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::Unsupported) => {}
            result => result?,
        }
        file.sync_all()
    }

    /// Gives the file its final name.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be renamed, and [`io::ErrorKind::AlreadyExists`] if the
    /// name exists and `replace` is `false`.
    pub fn rename(&mut self, replace: bool) -> io::Result<()> {
        self.folder.system.rename(&mut self.temporary, &self.name, replace)
    }

    /// Waits until the new name of the file is on the disk. Until then, a power failure may restore
    /// the old file.
    ///
    /// # Errors
    ///
    /// Returns an error if the disk fails. A file system that cannot synchronise a folder is not an
    /// error.
    #[cfg(any(feature = "cli", feature = "internals"))]
    pub fn sync_folder(&self) -> io::Result<()> {
        self.folder.system.sync()
    }

    /// Calls [`complete`](Self::complete), [`rename`](Self::rename) and
    /// [`sync_folder`](Self::sync_folder).
    ///
    /// # Errors
    ///
    /// Returns their errors. If only the folder cannot be synchronised, the file already has its
    /// name.
    #[cfg(feature = "internals")]
    pub fn finish(mut self, replace: bool) -> io::Result<()> {
        self.complete()?;
        self.rename(replace)?;
        self.sync_folder()
    }
}

/// Returns the properties of the file that a new file replaces, if any. Returns an error if it is a
/// folder, a link or a special file.
fn expect_replaceable(folder: &OpenFolder, name: &OsStr) -> io::Result<Option<ExistingFile>> {
    let existing = folder.existing(name)?;
    if existing.is_some_and(|existing| !existing.is_regular) {
        let text = "expected a file or nothing, found a folder, a link or a special file; remove it";
        return Err(io::Error::other(text));
    }
    Ok(existing)
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.temporary.file.write(bytes)?;
        self.waiting = self.waiting.saturating_add(written);
        if self.waiting >= WRITE_BACK {
            self.waiting = 0;
            SystemFolder::start_write_back(&self.temporary.file);
        }
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.temporary.file.flush()
    }
}

impl Seek for AtomicFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.temporary.file.seek(to)
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if let Some(name) = self.temporary.name.take() {
            // A file that cannot be removed here is removed by the next process.
            let _ = self.folder.remove(&name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAME: &str = "mesh";

    fn names(folder: &Path) -> Vec<OsString> {
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect()
    }

    fn create(folder: &Path) -> io::Result<AtomicFile> {
        AtomicFile::create(OpenFolder::open(folder)?, OsStr::new(NAME), Some(0o600))
    }

    #[test]
    fn a_file_appears_when_it_is_complete() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(NAME);
        for content in ["old", "new and longer"] {
            let before = fs::read(&path).ok();
            let mut file = create(folder.path()).unwrap();
            file.write_all(content.as_bytes()).unwrap();
            assert_eq!(file.size().unwrap(), u64::try_from(content.len()).unwrap());
            file.complete().unwrap();
            assert_eq!(fs::read(&path).ok(), before);
            file.finish(true).unwrap();
            assert_eq!(fs::read(&path).unwrap(), content.as_bytes());
            assert_eq!(names(folder.path()), [NAME]);
        }
    }

    #[test]
    fn a_file_that_is_not_finished_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(NAME), "old").unwrap();
        let mut file = create(folder.path()).unwrap();
        file.write_all(b"half of").unwrap();
        drop(file);
        let mut file = create(folder.path()).unwrap();
        file.write_all(b"new").unwrap();
        assert_eq!(file.finish(false).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(names(folder.path()), [NAME]);
        assert_eq!(fs::read(folder.path().join(NAME)).unwrap(), b"old");
    }

    #[cfg(unix)]
    #[test]
    fn links_are_neither_followed_nor_replaced() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let (path, victim) = (folder.path().join(NAME), folder.path().join("victim"));
        fs::write(&victim, "kept").unwrap();
        symlink(&victim, &path).unwrap();
        assert!(create(folder.path()).unwrap_err().to_string().contains("found a folder, a link"));
        let open = OpenFolder::open(folder.path()).unwrap();
        assert!(open.open_file(OsStr::new(NAME)).is_err());
        assert!(!open.existing(OsStr::new(NAME)).unwrap().unwrap().is_regular);
        open.remove(OsStr::new(NAME)).unwrap();
        assert!(open.existing(OsStr::new(NAME)).unwrap().is_none());
        assert_eq!(fs::read(&victim).unwrap(), b"kept");
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_that_is_renamed_while_it_is_open_gets_the_file() {
        let parent = tempfile::tempdir().unwrap();
        let [first, moved] = ["first", "moved"].map(|name| parent.path().join(name));
        OpenFolder::create(&first).unwrap();
        let mut file = create(&first).unwrap();
        fs::rename(&first, &moved).unwrap();
        fs::create_dir(&first).unwrap();
        file.write_all(b"new").unwrap();
        file.finish(true).unwrap();
        assert!(names(&first).is_empty());
        assert_eq!(names(&moved), [NAME]);
    }

    #[cfg(unix)]
    #[test]
    fn only_a_folder_of_the_user_alone_is_own() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let parent = tempfile::tempdir().unwrap();
        let [folder, link] = ["a/b", "link"].map(|name| parent.path().join(name));
        OpenFolder::create(&folder).unwrap();
        assert_eq!(fs::metadata(&folder).unwrap().permissions().mode() & 0o7777, 0o700);
        OpenFolder::open_own(&folder).unwrap();
        symlink(&folder, &link).unwrap();
        assert!(OpenFolder::open_own(&link).is_err() && OpenFolder::open(&link).is_ok());
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o770)).unwrap();
        let error = OpenFolder::open_own(&folder).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
    }

    #[cfg(unix)]
    #[test]
    fn names_with_a_zero_byte_are_errors() {
        let folder = tempfile::tempdir().unwrap();
        let open = OpenFolder::open(folder.path()).unwrap();
        let name = OsStr::new("a\0b");
        assert!(open.existing(name).is_err() && open.open_file(name).is_err() && open.remove(name).is_err());
        assert!(AtomicFile::create(open, name, None).is_err());
    }
}

//! Detecting that a file was replaced or changed after it was opened.

use std::path::Path;

use super::regular_file::{Identity, differs, regular_metadata};
use crate::error::Result;

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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileStamp {
    path: Box<Path>,
    identity: Identity,
}

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
        Ok(Self { path: path.into(), identity: Identity::of(&regular_metadata(path)?) })
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

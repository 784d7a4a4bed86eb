//! A folder on systems other than Unix, by its path.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use super::{ExistingFile, PREFIX, TemporaryFile};

static NEXT_NUMBER: AtomicU32 = AtomicU32::new(0);

/// A folder.
#[derive(Debug)]
pub(super) struct PathFolder {
    path: PathBuf,
}

impl PathFolder {
    #[cfg(any(feature = "cli", feature = "internals"))]
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        fs::read_dir(path)?;
        Ok(Self { path: path.to_owned() })
    }

    pub(super) fn open_own(path: &Path) -> io::Result<Self> {
        Self::open(path)
    }

    /// Returns the properties of a file in the folder. A link is not followed.
    pub(super) fn existing(&self, name: &OsStr) -> io::Result<Option<ExistingFile>> {
        match fs::symlink_metadata(self.path.join(name)) {
            Ok(metadata) => Ok(Some(ExistingFile { is_regular: metadata.is_file(), mode: 0 })),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub(super) fn open_file(&self, name: &OsStr) -> io::Result<File> {
        let mut options = File::options();
        options.read(true);
        // FILE_FLAG_OPEN_REPARSE_POINT opens a link instead of its target.
        #[cfg(windows)]
        std::os::windows::fs::OpenOptionsExt::custom_flags(&mut options, 0x0020_0000);
        options.open(self.path.join(name))
    }

    pub(super) fn remove(&self, name: &OsStr) -> io::Result<()> {
        fs::remove_file(self.path.join(name))
    }

    #[cfg(any(feature = "cli", feature = "internals"))]
    #[allow(clippy::unused_self, clippy::unnecessary_wraps, reason = "Unix folders need both")]
    pub(super) fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    pub(super) fn default_mode() -> u32 {
        0
    }

    #[allow(clippy::unnecessary_wraps, reason = "setting the mode fails on Unix only")]
    pub(super) fn set_mode(_: &File, _: u32) -> io::Result<()> {
        Ok(())
    }

    pub(super) const fn start_write_back(_: &File) {}

    #[cfg(any(feature = "cli", feature = "internals"))]
    #[allow(clippy::unnecessary_wraps, reason = "only Linux reserves space, which can fail")]
    pub(super) fn reserve(_: &File, _: u64) -> io::Result<()> {
        Ok(())
    }

    pub(super) fn temporary(&self) -> io::Result<TemporaryFile> {
        loop {
            let number = NEXT_NUMBER.fetch_add(1, Ordering::Relaxed);
            let name = OsString::from(format!("{PREFIX}{}-{number}", std::process::id()));
            match File::options().read(true).write(true).create_new(true).open(self.path.join(&name)) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                file => return Ok(TemporaryFile { file: file?, name: Some(name) }),
            }
        }
    }

    /// Gives a temporary file its final name. If the name exists and `replace` is false, this is an
    /// error.
    pub(super) fn rename(&self, temporary: &mut TemporaryFile, target: &OsStr, replace: bool) -> io::Result<()> {
        let Some(name) = &temporary.name else { return Ok(()) };
        let (from, to) = (self.path.join(name), self.path.join(target));
        if replace {
            fs::rename(from, to)?;
        } else {
            self.rename_to_new_name(&from, &to, target)?;
        }
        temporary.name = None;
        Ok(())
    }

    /// Renames a file. If the new name exists, this is an error.
    ///
    /// A file system without links, such as exFAT, cannot test and rename in one step. On such a
    /// file system, a file that another program creates between the two steps is replaced.
    fn rename_to_new_name(&self, from: &Path, to: &Path, target: &OsStr) -> io::Result<()> {
        match fs::hard_link(from, to) {
            Ok(()) => {
                // The target is complete. A second name that cannot be removed is removed by the
                // next run.
                let _ = fs::remove_file(from);
                return Ok(());
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(error),
            Err(_) => {}
        }
        if self.existing(target)?.is_some() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        fs::rename(from, to)
    }

    /// Removes the temporary files of dead processes. A file that a process has opened cannot be
    /// opened again without sharing.
    pub(super) fn remove_dead(&self) {
        #[cfg(windows)]
        for entry in fs::read_dir(&self.path).into_iter().flatten().flatten() {
            use std::os::windows::fs::OpenOptionsExt as _;
            let name = entry.file_name();
            let is_ours = name.to_str().and_then(|name| name.strip_prefix(PREFIX)).is_some_and(|rest| {
                rest.split_once('-').is_some() && rest.bytes().all(|byte| byte == b'-' || byte.is_ascii_digit())
            });
            if is_ours && File::options().read(true).share_mode(0).open(entry.path()).is_ok() {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

//! Writes output files atomically: the content is written completely to a temporary file, which
//! then becomes the output file in one step.
//!
//! On Linux the temporary file has no name while it is written (`O_TMPFILE`), and the system
//! removes it if the process ends. Elsewhere, and on file systems without unnamed files, its name
//! contains the process id. The next run that writes to the same folder removes such files of dead
//! processes.

#[cfg(not(unix))]
mod elsewhere;
pub mod interrupt;
#[cfg(unix)]
mod unix;

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read as _, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use meshpeek::sidecar::MAGIC;

use crate::outcome::UsageError;
use crate::render::text::{complain, shown};
use interrupt::Delay;

#[cfg(not(unix))]
pub use elsewhere::PathFolder as Folder;
#[cfg(unix)]
pub use unix::UnixFolder as Folder;

/// The largest number of bytes that are written between two tests for a signal.
const BLOCK: usize = 1 << 20;

/// A file in a folder, as far as replacing it is concerned.
pub struct ExistingFile {
    pub is_regular: bool,
    /// The permissions, which a new file at its place gets.
    pub mode: u32,
}

/// A temporary file. It has no name if the operating system removes it when the process ends.
pub struct TemporaryFile {
    file: File,
    name: Option<OsString>,
    /// A file with a name must not outlive the process, so signals are delayed.
    _delay: Option<Delay>,
}

/// The writer of the content of a temporary file.
pub struct Output<'f> {
    file: &'f File,
}

impl Output<'_> {
    /// Returns the size of the file in bytes.
    pub fn size(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    /// Reserves space on the disk for a file of `size` bytes, so that a full disk is reported
    /// before the first byte is written. Some systems do not reserve space.
    pub fn reserve(&self, size: usize) -> io::Result<()> {
        interrupt::check()?;
        Folder::reserve(self.file, u64::try_from(size).unwrap_or(u64::MAX))
    }

    /// Writes the whole content of a file.
    pub fn write_whole(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.reserve(bytes.len())?;
        self.write_all(bytes)
    }
}

impl Write for Output<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        interrupt::check()?;
        self.file.write(bytes.get(..BLOCK).unwrap_or(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for Output<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

/// The existing files that an output file may replace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replace {
    None,
    Any,
    /// Only sidecars. A sidecar is recognised by its magic number.
    Sidecar,
}

/// A complete temporary file, which does not yet have its final name.
pub struct AtomicFile {
    temporary: TemporaryFile,
    folder: Folder,
    /// The final path, and the name in it.
    target: PathBuf,
    name: OsString,
    mode: u32,
    replace: Replace,
}

impl AtomicFile {
    /// Creates a temporary file in the folder of `path` and writes its content with the given
    /// function.
    ///
    /// Returns an error if a file exists at `path` and `force` is false.
    pub fn write(
        path: &Path,
        force: bool,
        write: impl FnOnce(&mut Output<'_>) -> anyhow::Result<()>,
    ) -> anyhow::Result<Self> {
        let (target, _) = check_target(path, force)?;
        let folder = open_folder(&target, path)?;
        let replace = if force { Replace::Any } else { Replace::None };
        Self::write_in(folder, target, replace, None, write).map_err(|error| {
            let is_located = error.is::<UsageError>() || error.is::<meshpeek::Error>();
            if is_located { error } else { error.context(cannot_write(path)) }
        })
    }

    /// Writes a temporary file in an open folder, which becomes the file `target` in this folder. A
    /// link at the place of the target is never followed.
    ///
    /// The file gets the permissions `mode`. If `mode` is `None`, it gets the permissions of the
    /// file that it replaces, or the default permissions.
    pub fn write_in(
        folder: Folder,
        target: PathBuf,
        replace: Replace,
        mode: Option<u32>,
        write: impl FnOnce(&mut Output<'_>) -> anyhow::Result<()>,
    ) -> anyhow::Result<Self> {
        let name = target.file_name().context("a path without a file name")?.to_owned();
        let existing = folder.existing(&name)?;
        if existing.as_ref().is_some_and(|existing| !existing.is_regular) {
            anyhow::bail!("expected a file or nothing, found a folder, a link or a special file; remove it");
        }
        if replace == Replace::Sidecar {
            check_sidecar(&folder, &target)?;
        }
        folder.remove_dead();
        let kept = mode.or(existing.map(|existing| existing.mode));
        let temporary = folder.temporary()?;
        let file = Self { temporary, folder, target, name, mode: kept.unwrap_or_else(Folder::default_mode), replace };
        write(&mut Output { file: &file.temporary.file })?;
        match Folder::set_mode(&file.temporary.file, file.mode) {
            // On a disk whose files all belong to another user, such as an SD card, permissions
            // cannot be set. A new file then has those that the disk gives to it.
            Err(error)
                if kept.is_none()
                    && matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::Unsupported) => {}
            result => result?,
        }
        file.temporary.file.sync_all()?;
        Ok(file)
    }

    /// Gives the temporary file its final name, and synchronises the folder.
    pub fn finish(self) -> anyhow::Result<()> {
        Self::finish_all(vec![self])
    }

    /// Gives several temporary files their final names, without an interruption between them.
    pub fn finish_all(files: Vec<Self>) -> anyhow::Result<()> {
        let _delay = Delay::new();
        files.into_iter().try_for_each(|mut file| file.rename().with_context(|| cannot_write(&file.target)))
    }

    fn rename(&mut self) -> anyhow::Result<()> {
        if self.replace == Replace::Sidecar {
            check_sidecar(&self.folder, &self.target)?;
        }
        self.folder.rename(&mut self.temporary, &self.name, self.replace != Replace::None)?;
        // The folder entry of the file must also be written to the disk. The file is already in its
        // place, so a failure is only reported. Some file systems cannot synchronise a folder.
        if let Err(error) = self.folder.sync() {
            complain(&format!(
                "{}: written, but its folder cannot be synchronised, so a power failure may restore the old file: {error}",
                shown(&self.target)
            ));
        }
        Ok(())
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if let Some(name) = self.temporary.name.take() {
            // A file that cannot be removed here is removed by the next run.
            let _ = self.folder.remove(&name);
        }
    }
}

/// Returns whether the path in the folder is a sidecar, or `None` if no file is at the path.
///
/// A link is not followed, and a pipe is not waited for.
pub fn is_sidecar(folder: &Folder, path: &Path) -> io::Result<Option<bool>> {
    let name = path.file_name().unwrap_or_default();
    match folder.existing(name)? {
        None => Ok(None),
        Some(existing) if !existing.is_regular => Ok(Some(false)),
        Some(_) => {
            let file = folder.open_file(name)?;
            let mut start = Vec::new();
            let is_regular = file.metadata()?.is_file();
            if is_regular {
                file.take(8).read_to_end(&mut start)?;
            }
            Ok(Some(is_regular && start == MAGIC))
        }
    }
}

fn check_sidecar(folder: &Folder, target: &Path) -> anyhow::Result<()> {
    if is_sidecar(folder, target)? == Some(false) {
        anyhow::bail!("expected a sidecar or no file, found another file; remove it");
    }
    Ok(())
}

/// Opens the folder of `target`. An error is about the output `path` on the command line.
pub fn open_folder(target: &Path, path: &Path) -> anyhow::Result<Folder> {
    let folder = folder(target);
    let named = || format!("folder {}", shown(folder));
    Folder::open(folder).with_context(named).with_context(|| cannot_write(path))
}

fn cannot_write(path: &Path) -> String {
    format!("{}: cannot be written", shown(path))
}

/// Returns the path of the output file with symbolic links resolved, and the metadata of the file
/// that already exists at this path.
///
/// Returns an error if the path refers to a folder or a special file, or ends with a separator.
/// Returns an error if the file exists and `force` is false.
pub fn check_target(path: &Path, force: bool) -> Result<(PathBuf, Option<fs::Metadata>), UsageError> {
    // If the path is a symbolic link, the target of the link is replaced, and the link stays.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let existing = fs::metadata(&target).ok();
    let is_folder =
        path.as_os_str().as_encoded_bytes().last().is_some_and(|last| std::path::is_separator((*last).into()));
    if is_folder || existing.as_ref().is_some_and(|metadata| !metadata.is_file()) {
        return Err(UsageError(format!(
            "{}: expected a path to write a file to, found a folder or a special file",
            shown(path)
        )));
    }
    if existing.is_some() && !force {
        return Err(UsageError(format!("{}: file exists; --force replaces it", shown(path))));
    }
    Ok((target, existing))
}

/// Returns the folder of a file.
pub fn folder(target: &Path) -> &Path {
    target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

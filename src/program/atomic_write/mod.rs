//! Writes output files with the atomic writer of the library, delays signals while a temporary file
//! has a name, and adds the path to errors. A temporary folder does not outlive the process either.

pub mod interrupt;

use std::io::{self, Read as _, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use std::{fs, thread};

use crate::io::{AtomicFile, OpenFolder};
use crate::sidecar::MAGIC;
use anyhow::Context as _;
use tempfile::TempDir;

use crate::program::outcome::{UsageError, usage};
use crate::program::output::{complain, shown};
use crate::program::threads;
use interrupt::Delay;

/// The largest number of bytes that are written between two tests for a signal.
const BLOCK: usize = 1 << 20;
/// The time between two tests for a signal.
const INTERVAL: Duration = Duration::from_millis(50);
/// The number of attempts to remove a folder in which another thread still writes.
const ATTEMPTS: usize = 5;

/// The existing files that an output file may replace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replace {
    None,
    Any,
    /// Only sidecars. A sidecar is recognised by its magic number.
    Sidecar,
}

/// An output file, which does not yet have its final name.
pub struct PendingOutput {
    file: AtomicFile,
    /// The final path.
    target: PathBuf,
    replace: Replace,
    /// A file with a name must not outlive the process, so signals are delayed until the file has
    /// its final name or is removed.
    _delay: Option<Delay>,
}

impl PendingOutput {
    /// Returns the size of the file in bytes.
    pub fn size(&self) -> io::Result<u64> {
        self.file.size()
    }

    /// Reserves space on the disk for a file of `size` bytes, so that a full disk is reported
    /// before the first byte is written. Some systems do not reserve space.
    pub fn reserve(&self, size: usize) -> io::Result<()> {
        interrupt::check()?;
        self.file.reserve(u64::try_from(size).unwrap_or(u64::MAX))
    }

    /// Writes the whole content of a file.
    pub fn write_whole(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.reserve(bytes.len())?;
        self.write_all(bytes)
    }

    /// Creates a temporary file in the folder of `path` and writes its content with the given
    /// function.
    ///
    /// Returns an error if a file exists at `path` and `force` is false.
    pub fn write(
        path: &Path,
        force: bool,
        write: impl FnOnce(&mut Self) -> anyhow::Result<()>,
    ) -> anyhow::Result<Self> {
        let mut file = Self::create(path, force)?;
        file.write_part(path, write)?;
        file.complete(path)?;
        Ok(file)
    }

    /// Creates a temporary file like [`write`](Self::write). Its content follows by
    /// [`write_part`](Self::write_part) and ends with [`complete`](Self::complete).
    pub fn create(path: &Path, force: bool) -> anyhow::Result<Self> {
        let (target, _) = check_target(path, force)?;
        let folder = open_folder(&target, path)?;
        let replace = if force { Replace::Any } else { Replace::None };
        Self::create_in(folder, target, replace, None).map_err(|error| at_path(error, path))
    }

    /// Chooses another path in the same folder for the file.
    ///
    /// Returns an error if a file exists at `path` and `force` is false.
    pub fn choose_path(&mut self, path: &Path, force: bool) -> anyhow::Result<()> {
        check_target(path, force)?;
        let name = path.file_name().context("a path without a file name")?;
        self.file.choose_name(name).map_err(|error| at_path(error.into(), path))?;
        path.clone_into(&mut self.target);
        Ok(())
    }

    /// Writes a part of the content with the given function.
    pub fn write_part(
        &mut self,
        path: &Path,
        write: impl FnOnce(&mut Self) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        write(self).map_err(|error| at_path(error, path))
    }

    /// Ends the content, and returns its size in bytes.
    pub fn complete(&mut self, path: &Path) -> anyhow::Result<u64> {
        let size = self.file.size().and_then(|size| self.file.complete().map(|()| size));
        size.map_err(|error| at_path(error.into(), path))
    }

    /// Writes a temporary file in an open folder, which becomes the file `target` in this folder. A
    /// link at the place of the target is never followed.
    ///
    /// The file gets the permissions `mode`. If `mode` is `None`, it gets the permissions of the
    /// file that it replaces, or the default permissions.
    pub fn write_in(
        folder: OpenFolder,
        target: PathBuf,
        replace: Replace,
        mode: Option<u32>,
        write: impl FnOnce(&mut Self) -> anyhow::Result<()>,
    ) -> anyhow::Result<Self> {
        let mut file = Self::create_in(folder, target, replace, mode)?;
        write(&mut file)?;
        file.file.complete()?;
        Ok(file)
    }

    fn create_in(folder: OpenFolder, target: PathBuf, replace: Replace, mode: Option<u32>) -> anyhow::Result<Self> {
        let delay = Delay::new();
        let file = AtomicFile::create(folder, target.file_name().context("a path without a file name")?, mode)?;
        let delay = file.has_temporary_name().then_some(delay);
        let file = Self { file, target, replace, _delay: delay };
        file.check_replaced()?;
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
        self.check_replaced()?;
        self.file.rename(self.replace != Replace::None)?;
        // The folder entry of the file must also be written to the disk. The file is already in its
        // place, so a failure is only reported. Some file systems cannot synchronise a folder.
        if let Err(error) = self.file.sync_folder() {
            complain(&format!(
                "{}: written, but its folder cannot be synchronised, so a power failure may restore the old file: {error}",
                shown(&self.target)
            ));
        }
        Ok(())
    }

    /// Returns an error if only a sidecar may be replaced and another file is at the path.
    fn check_replaced(&self) -> anyhow::Result<()> {
        if self.replace == Replace::Sidecar && is_sidecar(self.file.folder(), &self.target)? == Some(false) {
            anyhow::bail!("expected a sidecar or no file, found another file; remove it");
        }
        Ok(())
    }
}

/// A signal that was delayed is an error.
impl Write for PendingOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        interrupt::check()?;
        self.file.write(bytes.get(..BLOCK).unwrap_or(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for PendingOutput {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

/// Returns whether the path in the folder is a sidecar, or `None` if no file is at the path.
///
/// A link is not followed, and a pipe is not waited for.
pub fn is_sidecar(folder: &OpenFolder, path: &Path) -> io::Result<Option<bool>> {
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

/// Opens the folder of `target`, which is made if it is missing. An error is about the output
/// `path` on the command line.
pub fn open_folder(target: &Path, path: &Path) -> anyhow::Result<OpenFolder> {
    let folder = folder(target);
    let named = || format!("folder {}", shown(folder));
    if !folder.exists() {
        fs::create_dir_all(folder).with_context(named).with_context(|| cannot_write(path))?;
    }
    OpenFolder::open(folder).with_context(named).with_context(|| cannot_write(path))
}

/// Adds the path of the output to an error that has no path.
fn at_path(error: anyhow::Error, path: &Path) -> anyhow::Error {
    let is_located = error.is::<UsageError>() || error.is::<crate::Error>();
    if is_located { error } else { error.context(cannot_write(path)) }
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
        usage!("{}: expected a path to write a file to, found a folder or a special file", shown(path));
    }
    if existing.is_some() && !force {
        usage!("{}: file exists; --force replaces it", shown(path));
    }
    Ok((target, existing))
}

/// Returns the folder of a file.
pub fn folder(target: &Path) -> &Path {
    target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A temporary folder. It is removed when the value is dropped, and when HUP, INT or TERM ends the
/// process.
#[derive(Debug)]
pub struct TemporaryFolder {
    folder: TempDir,
    is_done: Arc<AtomicBool>,
    /// The signals wait until the folder is removed.
    _delay: Option<Delay>,
}

impl TemporaryFolder {
    /// Creates a folder in `parent`, whose name starts with `prefix`.
    pub fn create(prefix: &str, parent: &Path) -> io::Result<Self> {
        let delay = Delay::new();
        let folder = tempfile::Builder::new().prefix(prefix).tempdir_in(parent)?;
        let is_done = Arc::new(AtomicBool::new(false));
        let (path, done) = (folder.path().to_owned(), Arc::clone(&is_done));
        // Without the thread, a signal ends the process at once, and the folder remains.
        let delay = threads::start_detached("signals", move || remove_at_signal(&path, &done)).then_some(delay);
        Ok(Self { folder, is_done, _delay: delay })
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        self.is_done.store(true, Ordering::SeqCst);
    }
}

/// Waits for a signal, removes the folder, and ends the process by the signal.
fn remove_at_signal(path: &PathBuf, is_done: &AtomicBool) {
    while !is_done.load(Ordering::SeqCst) {
        thread::sleep(INTERVAL);
        if interrupt::has_signal() {
            for _ in 0..ATTEMPTS {
                // Another thread may create a file at the same time.
                let _ = std::fs::remove_dir_all(path);
                if !path.exists() {
                    break;
                }
            }
            interrupt::end_by_signal();
        }
    }
}

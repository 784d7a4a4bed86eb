//! Writes output files atomically: a temporary file is written completely and then renamed.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::outcome::UsageError;
use crate::render::text::shown;

/// A complete temporary file, which is not yet renamed to its final name.
#[derive(Debug)]
pub struct AtomicFile {
    temporary: tempfile::NamedTempFile,
    target: PathBuf,
    force: bool,
}

impl AtomicFile {
    /// Creates a temporary file in the folder of `path` and writes its content with the given
    /// function.
    ///
    /// Returns an error if a file exists at `path` and `force` is false.
    pub fn write(
        path: &Path,
        force: bool,
        write: impl FnOnce(&mut File) -> anyhow::Result<()>,
    ) -> anyhow::Result<Self> {
        let (target, existing) = check_target(path, force)?;
        let context = || format!("{}: cannot be written", shown(path));
        let mut builder = tempfile::Builder::new();
        builder.prefix(".meshpeek-");
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let mut temporary = builder.tempfile_in(folder(&target)).with_context(context)?;
        write(temporary.as_file_mut())?;
        if let Some(existing) = existing {
            temporary.as_file().set_permissions(existing.permissions()).with_context(context)?;
        }
        temporary.as_file().sync_all().with_context(context)?;
        Ok(Self { temporary, target, force })
    }

    /// Renames the temporary file to its final name, and synchronises the folder.
    pub fn finish(self) -> anyhow::Result<()> {
        let Self { temporary, target, force } = self;
        let renamed = if force { temporary.persist(&target) } else { temporary.persist_noclobber(&target) };
        renamed.map_err(|error| error.error).with_context(|| format!("{}: cannot be written", shown(&target)))?;
        // The folder entry of the renamed file must also be written to the disk. On operating
        // systems that cannot synchronise a folder, the synchronisation is not needed.
        if let Ok(folder) = File::open(folder(&target)) {
            let _ = folder.sync_all();
        }
        Ok(())
    }
}

/// Returns the path of the output file with symbolic links resolved, and the metadata of the file
/// that already exists at this path.
///
/// Returns an error if the path refers to a folder or a special file, or if the file exists and
/// `force` is false.
pub fn check_target(path: &Path, force: bool) -> Result<(PathBuf, Option<fs::Metadata>), UsageError> {
    // If the path is a symbolic link, the target of the link is replaced, and the link stays.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let existing = fs::metadata(&target).ok();
    if existing.as_ref().is_some_and(|metadata| !metadata.is_file()) {
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

fn folder(target: &Path) -> &Path {
    target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

//! Output files that appear only when they are complete. A temporary file is written first, and
//! then renamed.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::outcome::UsageError;
use crate::render::text::shown;

/// A file on the disk that is complete, but does not have its final name yet.
#[derive(Debug)]
pub struct AtomicFile {
    temporary: tempfile::NamedTempFile,
    target: PathBuf,
    force: bool,
}

impl AtomicFile {
    /// Writes a temporary file in the folder of `path`.
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

    /// Renames the temporary file to its final name.
    pub fn finish(self) -> anyhow::Result<()> {
        let Self { temporary, target, force } = self;
        let renamed = if force { temporary.persist(&target) } else { temporary.persist_noclobber(&target) };
        renamed.map_err(|error| error.error).with_context(|| format!("{}: cannot be written", shown(&target)))?;
        // The rename itself must also be written to the disk. Systems that cannot synchronise a
        // folder do this without a call.
        if let Ok(folder) = File::open(folder(&target)) {
            let _ = folder.sync_all();
        }
        Ok(())
    }
}

/// Returns the path to which the file is written, and the metadata of an existing file at this
/// path.
///
/// Returns an error if the path is not the path of a file, or if the file exists and `force` is
/// false.
pub fn check_target(path: &Path, force: bool) -> Result<(PathBuf, Option<fs::Metadata>), UsageError> {
    // A symbolic link is not replaced. The file that the link leads to is replaced.
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

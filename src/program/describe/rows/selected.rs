//! Opens the files of a command line, and leaves out the meshes that do not meet the condition of
//! `--where`.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::column::TableColumn;
use super::filter::Condition;
use super::request::RowRequest;
use super::row::TableRow;
use crate::program::args::{Files, Global, WalkArgs, value_name};
use crate::program::input::{InputAsset, NotOpened, open, parallel};
use crate::program::outcome::{Outcome, UsageError, usage};
use crate::program::output::note;

/// A condition on meshes or their surfaces, with the values that it needs.
#[derive(Clone, Debug)]
pub struct MeshCondition {
    pub condition: Condition,
    request: RowRequest,
}

impl MeshCondition {
    /// Parses the condition of an option. It is about surfaces if it has a column of surfaces.
    pub fn parse(option: &str, text: &str) -> Result<Self, UsageError> {
        let condition = Condition::parse(text, None).map_err(|error| UsageError(format!("{option}: {error}")))?;
        let mut columns = Vec::new();
        condition.columns(&mut columns);
        let surfaces = columns.iter().any(|column| !column.is_in(false));
        if let Some(column) = columns.iter().find(|column| surfaces && !column.is_in(true)) {
            let column = value_name(column);
            usage!("{option}: {column} is a column of meshes, and other columns are those of surfaces");
        }
        let mut request = RowRequest { surfaces, ..RowRequest::default() };
        if columns.contains(&TableColumn::DuplicateOf) {
            usage!("{option}: duplicate_of is known only to `meshpeek ls --duplicates`");
        }
        request.add_condition(&condition);
        Ok(Self { condition, request })
    }

    /// Returns the rows of a mesh, or of its surfaces, that meet the condition. Returns the error
    /// because of which the values are not known.
    pub fn met_by(&self, path: &Path, asset: &InputAsset) -> crate::Result<Vec<TableRow>> {
        let mut met = Vec::new();
        for row in self.request.rows(path, Ok(asset)) {
            row.values.as_ref().map_err(Clone::clone)?;
            if self.condition.holds(&row) {
                met.push(row);
            }
        }
        Ok(met)
    }
}

/// The meshes of a command line that meet the condition of `--where`.
pub struct SelectedFiles<'f> {
    names: &'f [PathBuf],
    walk: &'f WalkArgs,
    condition: Option<MeshCondition>,
    /// Whether it is an error if no mesh meets the condition.
    needs_mesh: bool,
}

impl<'f> SelectedFiles<'f> {
    /// Parses the condition of a command line that describes files.
    pub fn of(files: &'f Files) -> Result<Self, UsageError> {
        let condition = files.condition.as_deref().map(|text| MeshCondition::parse("--where", text)).transpose()?;
        Ok(Self { names: &files.files, walk: &files.walk, condition, needs_mesh: false })
    }

    /// Parses the condition of a command line that makes output. It is an error if no mesh meets
    /// the condition.
    pub fn for_output(files: &'f Files) -> Result<Self, UsageError> {
        Ok(Self { needs_mesh: true, ..Self::of(files)? })
    }

    /// Returns the asset, or `None` if it does not meet the condition. A file that cannot be read
    /// stays an error.
    fn keep(&self, path: &Path, asset: crate::Result<InputAsset>) -> Option<crate::Result<InputAsset>> {
        let Some(condition) = &self.condition else { return Some(asset) };
        let kept = asset.and_then(|asset| Ok((!condition.met_by(path, &asset)?.is_empty(), asset)));
        match kept {
            Ok((true, asset)) => Some(Ok(asset)),
            Ok((false, _)) => None,
            Err(error) => Some(Err(error)),
        }
    }

    /// Passes each mesh to `visit`, like [`open::each`].
    pub fn each(
        &self,
        global: &Global,
        mut visit: impl FnMut(&Path, crate::Result<InputAsset>) -> anyhow::Result<Outcome>,
    ) -> anyhow::Result<(Outcome, NotOpened)> {
        let found = Cell::new(0_usize);
        let visit = |path: &Path, asset| {
            let Some(asset) = self.keep(path, asset) else { return Ok(Outcome::Fine) };
            found.set(found.get().saturating_add(1));
            visit(path, asset)
        };
        let done = open::each((self.names, self.walk, self.needs_mesh), global, visit)?;
        self.check_found(found.get(), global)?;
        Ok(done)
    }

    /// Passes each mesh to `describe` on all processors, like [`parallel::each_in_parallel`].
    pub fn each_in_parallel<T: Send>(
        &self,
        global: &Global,
        describe: impl Fn(&Path, crate::Result<InputAsset>) -> Vec<T> + Sync,
        size: impl Fn(&T) -> usize + Sync,
        receive: impl FnMut(Vec<T>) -> anyhow::Result<()>,
    ) -> anyhow::Result<NotOpened> {
        let found = AtomicUsize::new(0);
        let describe = |path: &Path, asset| {
            let Some(asset) = self.keep(path, asset) else { return Vec::new() };
            found.fetch_add(1, Ordering::Relaxed);
            describe(path, asset)
        };
        let omitted = parallel::each_in_parallel((self.names, self.walk), global, describe, size, receive)?;
        self.check_found(found.into_inner(), global)?;
        Ok(omitted)
    }

    /// Returns an error if there is no mesh, and therefore no output. Prints a note if no mesh
    /// meets the condition.
    fn check_found(&self, found: usize, global: &Global) -> anyhow::Result<()> {
        if !self.needs_mesh && self.condition.is_some() && found == 0 && !global.json {
            note("--where: no mesh meets the condition", global);
        }
        if !self.needs_mesh || found > 0 {
            return Ok(());
        }
        if self.names.is_empty() {
            anyhow::bail!("--files-from: the list is empty, so there is nothing to write");
        }
        if self.condition.is_some() {
            let text =
                "--where: no mesh meets the condition, so there is nothing to write; `meshpeek ls` prints the values";
            anyhow::bail!(text);
        }
        Ok(())
    }
}

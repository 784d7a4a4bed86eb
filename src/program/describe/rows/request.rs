//! Makes the rows of a file, with the values that are requested.

use std::path::Path;

use super::column::{Cell, TableColumn};
use super::filter::Condition;
use super::hashes::{content_hash, topology_hash};
use super::row::{RowValues, TableRow};
use crate::program::describe::file_summary::{FileSummary, SummaryRequest};
use crate::program::formats::LodFilter;
use crate::program::input::InputAsset;
use crate::{Severity, finding};

/// The maximum number of surfaces of one file that have rows.
const MAX_SURFACE_ROWS: usize = 65_536;

/// What is read of a file to make its rows.
#[allow(clippy::struct_excessive_bools, reason = "each is a value that takes time")]
#[derive(Clone, Copy, Debug, Default)]
pub struct RowRequest {
    /// The described level of detail, or `None` for the most detailed one that is whole.
    pub lod: Option<LodFilter>,
    /// Whether each surface has a row.
    pub surfaces: bool,
    pub gpu: bool,
    pub findings: bool,
    pub content: bool,
    pub topology: bool,
}

impl RowRequest {
    /// Requests the values that a condition needs. A condition on the level of detail is about the
    /// surfaces of all levels, unless a level is chosen.
    pub fn add_condition(&mut self, condition: &Condition) {
        let mut columns = Vec::new();
        condition.columns(&mut columns);
        self.add_columns(&columns);
        if self.lod.is_none() && columns.contains(&TableColumn::Lod) {
            self.lod = Some(LodFilter::All);
        }
    }

    /// Requests the values of columns that are not known without reading more of the file.
    pub fn add_columns(&mut self, columns: &[TableColumn]) {
        let names = |any: &[TableColumn]| columns.iter().any(|column| any.contains(column));
        self.gpu |= names(&[TableColumn::GpuVertices, TableColumn::GpuBytes]);
        self.findings |= names(&[TableColumn::Findings, TableColumn::Errors, TableColumn::Warnings]);
        self.content |= names(&[TableColumn::Content]);
        self.topology |= names(&[TableColumn::Topology]);
    }

    /// Returns the row of a mesh, or the rows of its surfaces. A file that could not be read has
    /// one row with the error.
    pub fn rows(&self, path: &Path, asset: Result<&InputAsset, &crate::Error>) -> Vec<TableRow> {
        let mesh = asset.ok().and_then(InputAsset::mesh_name);
        let row = |values| TableRow {
            path: path.to_owned(),
            mesh: mesh.clone(),
            values,
            duplicate_of: None,
            picture: Vec::new(),
        };
        let described = asset.map_err(Clone::clone).and_then(|asset| {
            let values = self.values(asset).map_err(|error| asset.locate_error(error, path))?;
            Ok(values.into_iter().map(|values| row(Ok(values))).collect())
        });
        described.unwrap_or_else(|error| vec![row(Err(error))])
    }

    fn values(&self, asset: &InputAsset) -> crate::Result<Vec<RowValues>> {
        let request = SummaryRequest {
            levels: self.lod.unwrap_or(LodFilter::HIGHEST),
            replaces_damaged: self.lod.is_none(),
            counts_levels: false,
            max_surfaces: if self.surfaces { MAX_SURFACE_ROWS } else { usize::MAX },
            in_full: false,
            gpu: self.gpu,
            moved_bones: false,
            placed: false,
        };
        let summary = FileSummary::of(asset, &request)?;
        if self.surfaces {
            return Ok(summary.counted().map(|surface| RowValues::of_surface(&summary, surface)).collect());
        }
        let mut values = RowValues::of_mesh(&summary);
        if self.findings {
            let [errors, warnings] = count_findings(asset)?;
            values.cells.extend([
                (TableColumn::Findings, Cell::Number(errors.saturating_add(warnings))),
                (TableColumn::Errors, Cell::Number(errors)),
                (TableColumn::Warnings, Cell::Number(warnings)),
            ]);
        }
        let hash = |hash: u128| Cell::Text(format!("{hash:032x}"));
        if self.content {
            values.cells.push((TableColumn::Content, hash(content_hash(asset))));
        }
        if self.topology {
            values.cells.push((TableColumn::Topology, hash(topology_hash(asset)?)));
        }
        asset.check()?;
        Ok(vec![values])
    }
}

/// Returns the numbers of errors and of warnings that `validate` reports.
fn count_findings(asset: &InputAsset) -> crate::Result<[u64; 2]> {
    let [mut errors, mut warnings] = [0_u64; 2];
    let mut count = |severity: Severity| match severity {
        Severity::Error => errors = errors.saturating_add(1),
        Severity::Warning => warnings = warnings.saturating_add(1),
        Severity::Info => {}
    };
    if let Err(error) = asset.findings(true, true, &mut |finding| count(finding.severity)) {
        // An error that ends the validation is a finding, too.
        count(finding(&error).ok_or(error)?.severity);
    }
    Ok([errors, warnings])
}

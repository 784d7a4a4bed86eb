//! Makes the rows of a file, with the values that are requested.

use std::path::Path;

use xxhash_rust::xxh3::Xxh3Default;

use super::column::{Cell, TableColumn};
use super::filter::Condition;
use super::row::{RowValues, TableRow};
use crate::program::describe::file_summary::{FileSummary, SummaryRequest};
use crate::program::formats::level_args::LodFilter;
use crate::program::input::asset::InputAsset;
use crate::{Array as _, Geometry, Severity, finding};

/// The maximum number of surfaces of one file that have rows.
const MAX_SURFACE_ROWS: usize = 65_536;
/// The number of bytes of indices that are hashed in one step.
const BATCH_BYTES: usize = 16_384;

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

/// Returns a hash of all bytes of the files of a mesh, without its script.
fn content_hash(asset: &InputAsset) -> u128 {
    let mut hash = Xxh3Default::new();
    for source in 0..2 {
        let bytes = asset.source_bytes(source);
        hash.update(&bytes.len().to_le_bytes());
        hash.update(bytes);
    }
    hash.digest128()
}

/// Returns a hash of the triangles of the highest level of all assets, without the positions of
/// their vertices. Two meshes with the same hash have the same shape of the net, also if they are
/// of different formats.
fn topology_hash(asset: &InputAsset) -> crate::Result<u128> {
    let mut hash = Xxh3Default::new();
    let contents = asset.model.contents();
    for number in 0..contents.asset_count()? {
        let part = contents.asset(number)?;
        if part.level_count()? > 0 {
            add_triangles(&*part.level(0)?, &mut hash)?;
        }
    }
    Ok(hash.digest128())
}

/// Adds the triangles of all surfaces of a level of detail to a hash.
fn add_triangles(level: &dyn Geometry, hash: &mut Xxh3Default) -> crate::Result<()> {
    let mut batch = Vec::with_capacity(BATCH_BYTES);
    for surface in level.surfaces()? {
        let indices = surface.indices()?;
        hash.update(&indices.len().to_le_bytes());
        for index in indices.iter() {
            batch.extend_from_slice(&index.to_le_bytes());
            if batch.len() >= BATCH_BYTES {
                hash.update(&batch);
                batch.clear();
            }
        }
        hash.update(&batch);
        batch.clear();
    }
    Ok(())
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

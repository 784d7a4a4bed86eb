//! `ls`: prints a table of meshes or of their surfaces.

// Rule: this file sorts and maps by copies only.

mod column;
mod duplicates;
mod filter;
mod hashes;
mod output;
mod row;
mod table;
mod totals;

use std::path::{Path, PathBuf};

use clap::Args;

use column::{MESH_COLUMNS, SURFACE_COLUMNS, TableColumn};
use duplicates::DuplicateKind;
use filter::Condition;
use hashes::{content_hash, topology_hash};
use output::{PICTURE_CELLS, RowOutput, TableFormat};
use row::{RowValues, TableRow};
use totals::Totals;

use crate::program::args::{Global, WalkArgs};
use crate::program::describe::file_summary::{FileSummary, SummaryRequest};
use crate::program::describe::picture::draw_small;
use crate::program::formats::secondlife::level_args::{LodFilter, filter_parser};
use crate::program::input::asset::InputAsset;
use crate::program::input::parallel::each_in_parallel;
use crate::program::outcome::{Outcome, UsageError};
use crate::program::render::text::complain;
use crate::program::terminal::{BlockColors, PictureArgs, block_lines};
use crate::{Severity, finding};

const HELP: &str = "\
Describes the meshes in folders on all processors, one mesh in a line. Every column is a name in conditions, in --sort and in the JSON \
output. Conditions have the operators == != < <= > >= ~ && || ! and parentheses; ~ compares with a pattern such as '*.mesh', and text \
is in quotes. Numbers may have the units k, M, G, KiB, MiB and GiB.

The columns are path, mesh, format, version, bytes, triangles, vertices, attribute_vertices, gpu_vertices, gpu_bytes, surfaces, bones, \
rigged, clips, clip_names, seconds, lods, materials, size_x, size_y, size_z, findings, errors, warnings, readable, content, topology and \
duplicate_of; with --surfaces also asset, surface, name, material, lod, uv_sets, weights and drawn.

Vertices on a GPU, findings, hashes and duplicates take longer, because all indices or all values are read. They are computed only if a \
column, --where or --sort names them. Otherwise they are empty, and null in JSON. The vertices on a GPU of surfaces with one index stream \
are always known.

Examples:
  meshpeek ls data
  meshpeek ls data --where 'triangles > 10 && rigged' --sort -triangles
  meshpeek ls data --surfaces --columns path,name,gpu_vertices --where 'gpu_vertices > 20'
  meshpeek ls data --duplicates --format csv";

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct LsArgs {
    /// Folders (searched for meshes), files, or glob patterns; the current folder by default
    #[arg(default_value = ".", value_name = "FOLDER")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    walk: WalkArgs,
    /// Columns of the table, separated by commas; a list that starts with + adds to the default
    #[arg(short, long, value_name = "COLUMNS")]
    columns: Option<String>,
    /// Print only rows that meet a condition, such as 'triangles > 65535 && rigged'
    #[arg(short = 'w', long = "where", value_name = "CONDITION")]
    condition: Option<String>,
    /// Columns to sort by, separated by commas; a - before a name reverses the order
    #[arg(short, long, value_name = "COLUMNS", allow_hyphen_values = true)]
    sort: Option<String>,
    /// Print at most this number of rows; the totals are those of all
    #[arg(short = 'n', long, value_name = "N")]
    limit: Option<usize>,
    /// Print a row for each surface of the level of detail
    #[arg(long)]
    surfaces: bool,
    /// Count the vertices on a GPU, which reads all indices
    #[arg(long)]
    gpu: bool,
    /// Print only meshes that occur several times, in groups
    #[arg(long, value_enum, value_name = "KIND", num_args = 0..=1, default_missing_value = "content",
          require_equals = true, conflicts_with = "surfaces")]
    duplicates: Option<DuplicateKind>,
    /// Format of the output
    #[arg(short, long, value_enum, default_value = "table")]
    format: TableFormat,
    #[command(flatten)]
    picture: PictureArgs,
    /// Level of detail to describe of Second Life and UNIGINE meshes; the most detailed one that is
    /// whole by default; `none` inflates nothing
    #[arg(long, value_name = "LOD", value_parser = filter_parser())]
    lod: Option<LodFilter>,
}

/// The rows to print, and what is computed for them.
#[allow(clippy::struct_excessive_bools, reason = "each is a value that takes time")]
struct Selection {
    columns: Vec<TableColumn>,
    /// Whether the columns are those that are printed by default.
    has_default_columns: bool,
    condition: Option<Condition>,
    /// The columns to sort by, each with whether the order is reversed.
    sort: Vec<(TableColumn, bool)>,
    gpu: bool,
    findings: bool,
    content: bool,
    topology: bool,
    /// The colours of the pictures, if there are pictures.
    pictures: Option<BlockColors>,
}

impl LsArgs {
    pub fn run(&self, global: &Global) -> anyhow::Result<Outcome> {
        let format = if global.json { TableFormat::Json } else { self.format };
        if global.json && !matches!(self.format, TableFormat::Table | TableFormat::Json) {
            return Err(UsageError("--json: does not go with --format; give one of them".to_owned()).into());
        }
        let selection = self.selection(format, global)?;
        let mut outcome = Outcome::Fine;
        let mut totals = Totals::new(self.surfaces, self.duplicates.is_some());
        let mut output = RowOutput::new(format, &selection, self.surfaces, global);
        // Rows are printed as they come, unless they must be sorted or compared first.
        let is_streamed = selection.sort.is_empty() && self.duplicates.is_none();
        let mut held = Vec::new();
        let mut left = self.limit.unwrap_or(usize::MAX);
        let describe = |path: &Path, asset| self.rows(path, asset, &selection, global);
        let omitted = each_in_parallel((&self.files, &self.walk), global, describe, |rows| {
            for row in rows {
                if let Err(error) = &row.values {
                    if !format.is_json() {
                        complain(error);
                    }
                    outcome = outcome.max(Outcome::of_error(error));
                }
                if selection.condition.as_ref().is_some_and(|condition| !condition.holds(&row)) {
                    continue;
                }
                if !is_streamed {
                    held.push(row);
                    continue;
                }
                totals.add(&row);
                if left > 0 {
                    left = left.saturating_sub(1);
                    output.add(&row)?;
                }
            }
            Ok(())
        })?;
        if global.verbose {
            omitted.note_passed_by(global);
        }
        totals.passed_by = omitted.passed_by.total();
        selection.sort_rows(&mut held);
        if let Some(kind) = self.duplicates {
            held = duplicates::group(held, kind);
        }
        for row in &held {
            totals.add(row);
        }
        for row in held.iter().take(left) {
            output.add(row)?;
        }
        output.finish(&totals)?;
        Ok(outcome)
    }

    fn selection(&self, format: TableFormat, global: &Global) -> Result<Selection, UsageError> {
        let usage = |option: &'static str| move |text: String| UsageError(format!("{option}: {text}"));
        let condition = self.condition.as_deref().map(|text| Condition::parse(text, self.surfaces)).transpose();
        let condition = condition.map_err(usage("--where"))?;
        let columns = self.table_columns().map_err(usage("--columns"))?;
        let sort = self.sort.as_deref().unwrap_or_default().split(',').filter(|name| !name.is_empty());
        let sort = sort.map(|name| {
            let (name, is_reversed) = name.strip_prefix('-').map_or((name, false), |name| (name, true));
            filter::find(name, self.surfaces).map(|column| (column, is_reversed))
        });
        let sort = sort.collect::<Result<Vec<_>, _>>().map_err(usage("--sort"))?;
        let mut mentioned: Vec<TableColumn> = sort.iter().map(|(column, _)| *column).collect();
        if let Some(condition) = &condition {
            condition.columns(&mut mentioned);
        }
        mentioned.extend(self.named_columns().map_err(usage("--columns"))?);
        let names = |any: &[TableColumn]| mentioned.iter().any(|column| any.contains(column));
        let duplicates = |kind| self.duplicates == Some(kind);
        Ok(Selection {
            gpu: self.gpu || names(&[TableColumn::GpuVertices, TableColumn::GpuBytes]),
            findings: names(&[TableColumn::Findings, TableColumn::Errors, TableColumn::Warnings]),
            content: names(&[TableColumn::Content]) || duplicates(DuplicateKind::Content),
            topology: names(&[TableColumn::Topology]) || duplicates(DuplicateKind::Topology),
            has_default_columns: self.adds_columns(),
            pictures: self.pictures(format, global)?,
            columns,
            condition,
            sort,
        })
    }

    /// Returns the colours of the pictures, or `None` without pictures.
    fn pictures(&self, format: TableFormat, global: &Global) -> Result<Option<BlockColors>, UsageError> {
        if self.picture.picture && (format != TableFormat::Table || self.surfaces) {
            let text = "--picture: only the table of meshes has pictures; leave --format, --json and --surfaces out";
            return Err(UsageError(text.to_owned()));
        }
        self.picture.blocks(global)
    }

    /// Returns the columns that `--columns` names.
    fn named_columns(&self) -> Result<Vec<TableColumn>, String> {
        let names = self.columns.as_deref().unwrap_or_default().trim_start_matches('+');
        names.split(',').filter(|name| !name.is_empty()).map(|name| filter::find(name, self.surfaces)).collect()
    }

    /// Returns the columns of the table.
    fn table_columns(&self) -> Result<Vec<TableColumn>, String> {
        let default = if self.surfaces { &SURFACE_COLUMNS } else { &MESH_COLUMNS };
        let mut columns = if self.adds_columns() { default.to_vec() } else { Vec::new() };
        if self.duplicates.is_some() && self.adds_columns() {
            columns.push(TableColumn::DuplicateOf);
        }
        // The rows of several levels differ in the level only.
        if self.surfaces && self.lod == Some(LodFilter::All) && self.adds_columns() {
            columns.insert(1, TableColumn::Lod);
        }
        for column in self.named_columns()? {
            if !columns.contains(&column) {
                columns.push(column);
            }
        }
        if columns.is_empty() { Err("expected the name of a column".to_owned()) } else { Ok(columns) }
    }

    /// Returns whether the columns are the default ones, and those that `--columns` adds.
    fn adds_columns(&self) -> bool {
        self.columns.as_deref().is_none_or(|columns| columns.starts_with('+'))
    }

    /// Returns the row of a mesh, or the rows of its surfaces.
    fn rows(
        &self,
        path: &Path,
        asset: crate::Result<InputAsset>,
        selection: &Selection,
        global: &Global,
    ) -> Vec<TableRow> {
        let mesh = asset.as_ref().ok().and_then(InputAsset::mesh_name);
        let row = |values| TableRow {
            path: path.to_owned(),
            mesh: mesh.clone(),
            values,
            duplicate_of: None,
            picture: Vec::new(),
        };
        let described = asset.and_then(|asset| {
            let values = self.values(&asset, selection).map_err(|error| asset.locate_error(error, path))?;
            let mut rows: Vec<TableRow> = values.into_iter().map(|values| row(Ok(values))).collect();
            if let Some(colors) = selection.pictures {
                let listed = |row: &&mut TableRow| selection.condition.as_ref().is_none_or(|only| only.holds(row));
                rows.iter_mut()
                    .filter(listed)
                    .for_each(|row| row.picture = picture_lines(&asset, path, colors, global));
            }
            Ok(rows)
        });
        described.unwrap_or_else(|error| vec![row(Err(error))])
    }

    fn values(&self, asset: &InputAsset, selection: &Selection) -> crate::Result<Vec<RowValues>> {
        let request = SummaryRequest {
            levels: self.lod.unwrap_or(LodFilter::HIGHEST),
            replaces_damaged: self.lod.is_none(),
            counts_levels: false,
            max_surfaces: if self.surfaces { MAX_SURFACE_ROWS } else { usize::MAX },
            in_full: false,
            gpu: selection.gpu,
            moved_bones: false,
            placed: false,
        };
        let summary = FileSummary::of(asset, &request)?;
        if self.surfaces {
            return Ok(summary.counted().map(|surface| RowValues::of_surface(&summary, surface)).collect());
        }
        let mut values = RowValues::of_mesh(&summary);
        if selection.findings {
            values.findings = Some(count_findings(asset)?);
        }
        if selection.content {
            values.content = Some(content_hash(asset));
        }
        if selection.topology {
            values.topology = Some(topology_hash(asset)?);
        }
        asset.check()?;
        Ok(vec![values])
    }
}

/// Returns the lines of a picture, or no lines if the mesh cannot be drawn.
fn picture_lines(asset: &InputAsset, path: &Path, colors: BlockColors, global: &Global) -> Vec<String> {
    let [columns, lines] = PICTURE_CELLS;
    let picture = draw_small(asset, path, [columns, lines.saturating_mul(2)], global);
    picture.map(|picture| block_lines(&picture, colors)).unwrap_or_default()
}

/// The maximum number of surfaces of one file that have rows.
const MAX_SURFACE_ROWS: usize = 65_536;

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

impl Selection {
    /// Sorts rows by the columns of `--sort`. Rows with equal values keep their order, and rows
    /// without a value come last.
    fn sort_rows(&self, rows: &mut [TableRow]) {
        for (column, is_reversed) in self.sort.iter().rev() {
            rows.sort_by_cached_key(|row| table::sort_key(row.cell(*column), *is_reversed));
        }
    }
}

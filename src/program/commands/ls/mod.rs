//! `ls`: prints a table of meshes or of their surfaces.

// Rule: this file sorts and maps by copies only.

mod folders;
mod output;
mod table;
mod totals;

use std::path::{Path, PathBuf};

use clap::Args;

use folders::{DuplicateKind, FolderColumn, FolderTotals};
use output::{PICTURE_CELLS, RowOutput, TableFormat};
use totals::{Gate, Totals};

use crate::program::args::{Global, ListArgs, WalkArgs};
use crate::program::describe::picture::draw_small;
use crate::program::describe::rows::filter::{self};
use crate::program::describe::rows::{
    ColumnList, Condition, MESH_COLUMNS, RowRequest, SURFACE_COLUMNS, TableColumn, TableRow,
};
use crate::program::formats::{LodFilter, filter_parser};
use crate::program::input::{InputAsset, add_listed, each_in_parallel};
use crate::program::outcome::{Outcome, UsageError, usage};
use crate::program::output::complain;
use crate::program::terminal::{BlockColors, PictureArgs, block_lines};

const HELP: &str = "\
Describes the meshes in folders on all processors, one mesh in a line. Every column is a name in conditions, in --sort and in the JSON \
output. Conditions have the operators == != < <= > >= ~ && || ! and parentheses; ~ compares with a pattern such as '*.mesh', and text \
is in quotes. Numbers may have the units k, M, G, KiB, MiB and GiB. With --fail-if, the exit code is 1 if a row meets the condition.

The columns are path, mesh, kind, format, version, bytes, triangles, vertices, attribute_vertices, gpu_vertices, gpu_bytes, surfaces, \
bones, rigged, clips, clip_names, frames, seconds, lods, materials, size_x, size_y, size_z, findings, errors, warnings, readable, content, \
topology and duplicate_of; with --surfaces also asset, surface, name, material, lod, uv_sets, weights and drawn.

Vertices on a GPU, findings, hashes and duplicates take longer, because all indices or all values are read. They are computed only if a \
column, --where or --sort names them. Otherwise they are empty, and null in JSON. The vertices on a GPU of surfaces with one index stream \
are always known.

Examples:
  meshpeek ls data
  meshpeek ls data --where 'triangles > 10 && rigged' --sort -triangles
  meshpeek ls data --where 'clip_names && frames > 1' --columns path,clip_names
  meshpeek ls data --surfaces --columns path,name,gpu_vertices --where 'gpu_vertices > 20'
  meshpeek ls data --duplicates --format csv
  meshpeek ls data --surfaces --limit 0 --fail-if 'lod == 0 && triangles > 20k'
  meshpeek ls data --by-folder --sort -bytes
  meshpeek ls data --where 'rigged' -1 -0 | xargs -0 ls -l";

#[allow(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct LsArgs {
    /// Folders (searched for meshes), files, or glob patterns; the current folder by default
    #[arg(value_name = "FOLDER")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    list: ListArgs,
    #[command(flatten)]
    walk: WalkArgs,
    /// Columns of the table, separated by commas; a list that starts with + adds to the default
    #[arg(short, long, value_name = "COLUMNS", value_parser = ColumnList, hide_possible_values = true)]
    columns: Option<String>,
    /// Print only rows that meet a condition, such as 'triangles > 65535 && rigged'
    #[arg(short = 'w', long = "where", value_name = "CONDITION", value_parser = ColumnList, hide_possible_values = true)]
    condition: Option<String>,
    /// Exit with 1 if a row meets a condition, such as 'triangles > 50k'; print all rows as usual
    #[arg(long, value_name = "CONDITION", value_parser = ColumnList, hide_possible_values = true)]
    fail_if: Option<String>,
    /// Columns to sort by, separated by commas; a - before a name reverses the order
    #[arg(short, long, value_name = "COLUMNS", allow_hyphen_values = true, value_parser = ColumnList,
          hide_possible_values = true)]
    sort: Option<String>,
    /// Print at most this number of rows; the totals are those of all
    #[arg(short = 'n', long, value_name = "N")]
    limit: Option<usize>,
    /// Print a row for each surface of the level of detail
    #[arg(long)]
    surfaces: bool,
    /// Print a row for each folder, with the sums over the files in it
    #[arg(long, conflicts_with_all = ["surfaces", "duplicates", "columns", "gpu", "picture", "paths", "null"])]
    by_folder: bool,
    /// Count the vertices on a GPU, which reads all indices
    #[arg(long)]
    gpu: bool,
    /// Print only meshes that occur several times, in groups; a symbolic link is no copy
    ///
    /// Copies whose bytes differ, such as an asset in a viewer cache, are found with
    /// --duplicates=topology.
    #[arg(long, value_enum, value_name = "KIND", num_args = 0..=1, default_missing_value = "content",
          require_equals = true, conflicts_with = "surfaces")]
    duplicates: Option<DuplicateKind>,
    /// Format of the output; a table by default
    #[arg(short, long, value_enum)]
    format: Option<TableFormat>,
    /// Print only the paths, one in a line, like --format paths
    #[arg(short = '1', long)]
    paths: bool,
    /// End each path with a NUL in place of a line feed, without escapes, for `xargs -0`
    #[arg(short = '0', long)]
    null: bool,
    #[command(flatten)]
    picture: PictureArgs,
    /// Level of detail to describe of Second Life and UNIGINE meshes; the most detailed one that is
    /// whole by default; `none` for no level
    #[arg(long, value_name = "LOD", value_parser = filter_parser())]
    lod: Option<LodFilter>,
    /// Whether the current folder is searched, because the command line has no files.
    #[arg(skip)]
    is_here: bool,
}

/// The folder that is searched if the command line has no files.
const HERE: &str = ".";

/// The rows to print, and what is computed for them.
struct Selection {
    columns: Vec<TableColumn>,
    /// Whether the columns are those that are printed by default.
    has_default_columns: bool,
    condition: Option<Condition>,
    /// The condition of `--fail-if`.
    gate: Option<Gate>,
    /// The columns to sort by, each with whether the order is reversed.
    sort: Vec<(TableColumn, bool)>,
    request: RowRequest,
    /// The colours of the pictures, if there are pictures.
    pictures: Option<BlockColors>,
}

impl LsArgs {
    /// Adds the files of a list, or the current folder if the command line has no files.
    pub fn add_files(&mut self) -> anyhow::Result<()> {
        if self.files.is_empty() && self.list.files_from.is_none() {
            self.files.push(PathBuf::from(HERE));
            self.is_here = true;
        }
        add_listed(&mut self.files, &self.list)
    }

    pub fn run(&self, global: &Global) -> anyhow::Result<Outcome> {
        let format = self.format(global)?;
        let mut selection = self.selection(format, global)?;
        let mut gate = selection.gate.take();
        let mut outcome = Outcome::Fine;
        let mut totals = Totals::new(self.surfaces, self.duplicates.is_some());
        let mut folders = FolderTotals::default();
        let mut output = RowOutput::of_rows(format, &selection, (self.surfaces, self.null), global);
        // Rows are printed as they come, unless they must be sorted or compared first.
        let is_streamed = selection.sort.is_empty() && self.duplicates.is_none();
        let mut held = Vec::new();
        let mut left = self.limit.unwrap_or(usize::MAX);
        let describe =
            |path: &Path, asset: crate::Result<InputAsset>| self.rows(path, asset.as_ref(), &selection, global);
        let omitted = each_in_parallel(
            (&self.files, &self.walk),
            global,
            describe,
            |_| 1,
            |rows| {
                for row in rows {
                    if let Err(error) = &row.values {
                        if !format.is_json() || self.by_folder {
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
                    if let Some(gate) = &mut gate {
                        gate.add(&row);
                    }
                    if self.by_folder {
                        folders.add(&row);
                    } else if left > 0 {
                        left = left.saturating_sub(1);
                        output.add(&row)?;
                    }
                }
                Ok(())
            },
        )?;
        if global.verbose {
            omitted.note_passed_by(global);
        }
        totals.passed_by = omitted.passed_by.total();
        selection.sort_rows(&mut held);
        if let Some(kind) = self.duplicates {
            held = folders::group_duplicates(held, kind);
        }
        for row in &held {
            totals.add(row);
            if let Some(gate) = &mut gate {
                gate.add(row);
            }
        }
        if self.by_folder {
            drop(output);
            let output = RowOutput::new(format, FolderColumn::output(), global);
            folders.print(output, &self.folder_order()?, left, &totals)?;
        } else {
            for row in held.iter().take(left) {
                output.add(row)?;
            }
            output.finish("", &totals)?;
        }
        Ok(gate.map_or(outcome, |gate| outcome.max(gate.finish())))
    }

    /// Returns the format of the output. Returns an error if options contradict each other.
    fn format(&self, global: &Global) -> Result<TableFormat, UsageError> {
        let is_list = self.paths || self.null;
        if self.by_folder && self.format == Some(TableFormat::Paths) {
            usage!("--format paths: prints meshes, and --by-folder prints folders; leave one of them out");
        }
        match (self.format, global.json) {
            (None | Some(TableFormat::Table | TableFormat::Json), true) if !is_list => Ok(TableFormat::Json),
            (None | Some(TableFormat::Paths), false) if is_list => Ok(TableFormat::Paths),
            (format, false) if !is_list => Ok(format.unwrap_or(TableFormat::Table)),
            (_, true) if !is_list => usage!("--json: does not go with --format; give one of them"),
            _ => usage!("--paths and --null print paths only; leave --json and --format out"),
        }
    }

    fn selection(&self, format: TableFormat, global: &Global) -> Result<Selection, UsageError> {
        let usage = |option: &'static str| move |text: String| UsageError(format!("{option}: {text}"));
        let parse = |option, text: &Option<String>| {
            let condition = text.as_deref().map(|text| Condition::parse(text, Some(self.surfaces))).transpose();
            condition.map_err(usage(option))
        };
        let condition = parse("--where", &self.condition)?;
        let fails = parse("--fail-if", &self.fail_if)?;
        let columns = self.table_columns().map_err(usage("--columns"))?;
        let sort = self.sort_names().filter(|_| !self.by_folder);
        let sort =
            sort.map(|(name, is_reversed)| filter::find(name, Some(self.surfaces)).map(|column| (column, is_reversed)));
        let sort = sort.collect::<Result<Vec<_>, _>>().map_err(usage("--sort"))?;
        // A wrong order is an error before anything is read.
        self.folder_order()?;
        let mut mentioned = Vec::new();
        condition.iter().chain(&fails).for_each(|condition| condition.columns(&mut mentioned));
        mentioned.extend(sort.iter().map(|(column, _)| *column));
        if self.duplicates.is_none() && mentioned.contains(&TableColumn::DuplicateOf) {
            usage!("duplicate_of: is known only with --duplicates; add it");
        }
        mentioned.extend(self.named_columns().map_err(usage("--columns"))?);
        let duplicates = |kind| self.duplicates == Some(kind);
        let mut request = RowRequest {
            lod: self.lod,
            surfaces: self.surfaces,
            gpu: self.gpu,
            findings: false,
            content: duplicates(DuplicateKind::Content),
            topology: duplicates(DuplicateKind::Topology),
        };
        request.add_columns(&mentioned);
        condition.iter().chain(&fails).for_each(|condition| request.add_condition(condition));
        Ok(Selection {
            has_default_columns: self.adds_columns(),
            pictures: self.pictures(format, global)?,
            gate: fails.zip(self.fail_if.clone()).map(|(condition, text)| Gate::new(condition, text, self.surfaces)),
            request,
            columns,
            condition,
            sort,
        })
    }

    /// Returns the names of `--sort`, each with whether the order is reversed.
    fn sort_names(&self) -> impl Iterator<Item = (&str, bool)> {
        let names = self.sort.as_deref().unwrap_or_default().split(',').filter(|name| !name.is_empty());
        names.map(|name| name.strip_prefix('-').map_or((name, false), |name| (name, true)))
    }

    /// Returns the order of folders, each column with whether the order is reversed.
    fn folder_order(&self) -> Result<Vec<(FolderColumn, bool)>, UsageError> {
        let names = self.sort_names().filter(|_| self.by_folder);
        names.map(|(name, is_reversed)| Ok((FolderColumn::find(name)?, is_reversed))).collect()
    }

    /// Returns the colours of the pictures, or `None` without pictures.
    fn pictures(&self, format: TableFormat, global: &Global) -> Result<Option<BlockColors>, UsageError> {
        if self.picture.picture && (format != TableFormat::Table || self.surfaces) {
            usage!("--picture: only the table of meshes has pictures; leave --format, --json and --surfaces out");
        }
        self.picture.blocks(global)
    }

    /// Returns the columns that `--columns` names.
    fn named_columns(&self) -> Result<Vec<TableColumn>, String> {
        let names = self.columns.as_deref().unwrap_or_default().trim_start_matches('+');
        names.split(',').filter(|name| !name.is_empty()).map(|name| filter::find(name, Some(self.surfaces))).collect()
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
        asset: Result<&InputAsset, &crate::Error>,
        selection: &Selection,
        global: &Global,
    ) -> Vec<TableRow> {
        // The current folder is left out of the paths if the command line does not name it.
        let shown = path.strip_prefix(HERE).ok().filter(|rest| self.is_here && !rest.as_os_str().is_empty());
        let path = shown.unwrap_or(path);
        let mut rows = selection.request.rows(path, asset);
        let (Some(colors), Ok(asset)) = (selection.pictures, asset) else { return rows };
        let listed = |row: &&mut TableRow| selection.condition.as_ref().is_none_or(|only| only.holds(row));
        rows.iter_mut().filter(listed).for_each(|row| row.picture = picture_lines(asset, path, colors, global));
        rows
    }
}

/// Returns the lines of a picture, or no lines if the mesh cannot be drawn.
fn picture_lines(asset: &InputAsset, path: &Path, colors: BlockColors, global: &Global) -> Vec<String> {
    let [columns, lines] = PICTURE_CELLS;
    let picture = draw_small(asset, path, [columns, lines.saturating_mul(2)], global);
    picture.map(|picture| block_lines(&picture, colors)).unwrap_or_default()
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

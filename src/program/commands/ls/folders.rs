//! The rows of `ls --by-folder`: the sums over the files in each folder.

// Rule: this file sorts and maps by copies only.

use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anstyle::Style;
use clap::ValueEnum;

use super::output::TableFormat;
use super::table::{AlignedColumn, aligned, csv, json, markdown_text, sort_key};
use super::totals::Totals;
use crate::program::args::{Global, value_name};
use crate::program::describe::rows::column::Cell;
use crate::program::describe::rows::row::TableRow;
use crate::program::outcome::UsageError;
use crate::program::render::json::SCHEMA;
use crate::program::render::json_writer::JsonWriter;
use crate::program::render::progress;
use crate::program::render::text::{counted, shown};
use crate::program::render::units::{bytes, thousands};

/// A column of the table of folders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum FolderColumn {
    Folder,
    Meshes,
    Animations,
    Triangles,
    Vertices,
    Bytes,
    Unreadable,
}

impl FolderColumn {
    /// Returns the column with a name of `--sort`.
    pub fn find(name: &str) -> Result<Self, UsageError> {
        Self::from_str(name, true).map_err(|_| {
            let names = names().join(", ");
            UsageError(format!("--sort: expected a column of folders, found {name}; the columns are {names}"))
        })
    }

    fn name(self) -> String {
        value_name(&self)
    }

    /// Returns the value of the column.
    fn cell(self, folder: &Path, totals: &Totals) -> Cell {
        let [meshes, animations] = totals.kinds();
        match self {
            Self::Folder => Cell::Text(folder.to_string_lossy().into_owned()),
            Self::Meshes => Cell::Number(meshes),
            Self::Animations => Cell::Number(animations),
            Self::Triangles => Cell::Number(totals.triangles),
            Self::Vertices => Cell::Number(totals.vertices),
            Self::Bytes => Cell::Number(totals.bytes),
            Self::Unreadable => Cell::Number(totals.unreadable),
        }
    }
}

/// A folder and the sums over the files in it.
type FolderRow<'r> = (&'r PathBuf, &'r Totals);

/// The sums over the files in each folder.
#[derive(Default)]
pub struct FolderTotals {
    folders: BTreeMap<PathBuf, Totals>,
}

impl FolderTotals {
    /// Adds a row to the sums of its folder.
    pub fn add(&mut self, row: &TableRow) {
        let parent = row.path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let folder = parent.unwrap_or(Path::new(".")).to_owned();
        self.folders.entry(folder).or_insert_with(|| Totals::new(false, false)).add(row);
    }

    /// Prints the first `limit` folders in an order, and the totals.
    pub fn print(
        &self,
        format: TableFormat,
        order: &[(FolderColumn, bool)],
        limit: usize,
        totals: &Totals,
        global: &Global,
    ) -> io::Result<()> {
        let mut rows: Vec<FolderRow<'_>> = self.folders.iter().collect();
        for (column, is_reversed) in order.iter().rev() {
            rows.sort_by_cached_key(|(folder, totals)| sort_key(column.cell(folder, totals), *is_reversed));
        }
        rows.truncate(limit);
        progress::end();
        let mut out = BufWriter::new(anstream::stdout().lock());
        match format {
            TableFormat::Table => self.print_table(&rows, totals, global, &mut out)?,
            TableFormat::Csv => {
                writeln!(out, "{}", names().join(","))?;
                for row in &rows {
                    writeln!(out, "{}", cells(*row, |cell, _| csv(cell)).join(","))?;
                }
            }
            TableFormat::Md => {
                let marks: Vec<&str> =
                    names().iter().map(|name| if name == "folder" { "---" } else { "---:" }).collect();
                writeln!(out, "| {} |\n| {} |", names().join(" | "), marks.join(" | "))?;
                for row in &rows {
                    writeln!(
                        out,
                        "| {} |",
                        cells(*row, |cell, column| markdown_text(cell).unwrap_or_else(|| human(cell, column)))
                            .join(" | ")
                    )?;
                }
            }
            TableFormat::Jsonl => {
                for row in &rows {
                    write_object(*row, true, &mut JsonWriter::compact(&mut out))?;
                    writeln!(out)?;
                }
            }
            TableFormat::Json | TableFormat::Paths => print_json(&rows, totals, &mut out)?,
        }
        out.flush()
    }

    fn print_table(
        &self,
        rows: &[FolderRow<'_>],
        totals: &Totals,
        global: &Global,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let columns: Vec<AlignedColumn> =
            names().iter().map(|name| AlignedColumn { name: name.clone(), is_right: name != "folder" }).collect();
        let rows: Vec<Vec<String>> = rows.iter().map(|row| cells(*row, human)).collect();
        let bold = Style::new().bold();
        let mut lines = aligned(&columns, &rows).into_iter();
        if let Some(head) = lines.next().filter(|_| !rows.is_empty()) {
            writeln!(out, "{bold}{head}{bold:#}")?;
        }
        for line in lines {
            writeln!(out, "{line}")?;
        }
        if !global.quiet {
            let before = if rows.is_empty() { "" } else { "\n" };
            writeln!(out, "{before}{}: {}", counted(self.folders.len(), "folder"), totals.text())?;
        }
        Ok(())
    }
}

fn names() -> Vec<String> {
    FolderColumn::value_variants().iter().map(|column| column.name()).collect()
}

/// Returns a cell for people.
fn human(cell: &Cell, column: FolderColumn) -> String {
    match cell {
        Cell::Number(number) if column == FolderColumn::Bytes => bytes(*number),
        Cell::Number(number) => thousands(*number),
        Cell::Text(path) => shown(Path::new(path)),
        _ => String::new(),
    }
}

/// Returns the cells of a row.
fn cells((folder, totals): FolderRow<'_>, text: impl Fn(&Cell, FolderColumn) -> String) -> Vec<String> {
    FolderColumn::value_variants().iter().map(|column| text(&column.cell(folder, totals), *column)).collect()
}

fn print_json(rows: &[FolderRow<'_>], totals: &Totals, out: &mut dyn Write) -> io::Result<()> {
    let mut json = JsonWriter::indented(out);
    json.open(b"{")?;
    json.field("schema", SCHEMA)?;
    json.field_list("folders", |json| {
        rows.iter().try_for_each(|row| {
            json.start_item()?;
            write_object(*row, false, json)
        })
    })?;
    json.field("totals", totals.json())?;
    json.close(b"}")?;
    writeln!(out)
}

fn write_object((folder, totals): FolderRow<'_>, with_schema: bool, out: &mut JsonWriter<'_>) -> io::Result<()> {
    out.object(|out| {
        if with_schema {
            out.field("schema", SCHEMA)?;
        }
        for column in FolderColumn::value_variants() {
            out.field(&column.name(), json(&column.cell(folder, totals)))?;
        }
        Ok(())
    })
}

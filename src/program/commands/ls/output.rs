//! Prints the rows of `ls` in the format that the command line chooses.

use std::io::{self, BufWriter, Write};

use anstream::ColorChoice;
use anstyle::Style;
use clap::ValueEnum;
use unicode_width::UnicodeWidthStr as _;

use super::Selection;
use super::column::{Cell, TableColumn};
use super::row::TableRow;
use super::table::{csv, human, is_right_aligned, json, markdown};
use super::totals::Totals;
use crate::math::as_index;
use crate::program::args::Global;
use crate::program::render::json::{SCHEMA, error, start_entries};
use crate::program::render::json_writer::JsonWriter;
use crate::program::render::progress;
use crate::program::terminal::{BlockColors, side_by_side};

/// The columns and lines of the picture of a mesh.
pub const PICTURE_CELLS: [u32; 2] = [6, 3];

/// A format of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TableFormat {
    /// Aligned text with units
    Table,
    /// Comma-separated values with a line of names
    Csv,
    /// Markdown table
    Md,
    /// One JSON document
    Json,
    /// One JSON object in each line
    Jsonl,
}

impl TableFormat {
    /// Returns whether the format has the errors of files that cannot be read.
    pub const fn is_json(self) -> bool {
        matches!(self, Self::Json | Self::Jsonl)
    }
}

/// Prints rows. Only the rows of an aligned table are collected, because its widths depend on all
/// of them.
pub struct RowOutput<'s> {
    format: TableFormat,
    columns: &'s [TableColumn],
    /// The fields of the JSON output.
    fields: Vec<TableColumn>,
    has_default_columns: bool,
    quiet: bool,
    cells: Vec<Vec<String>>,
    /// The lines of the picture of each row, or no lists without pictures.
    pictures: Option<Vec<Vec<String>>>,
    /// Whether the pictures have colours.
    is_colored: bool,
    count: u64,
    out: BufWriter<io::StdoutLock<'static>>,
}

impl<'s> RowOutput<'s> {
    pub fn new(format: TableFormat, selection: &'s Selection, surfaces: bool, global: &Global) -> Self {
        let Selection { columns, has_default_columns, pictures, .. } = selection;
        let fields = if *has_default_columns { TableColumn::all(surfaces).collect() } else { columns.clone() };
        Self {
            format,
            columns,
            fields,
            has_default_columns: *has_default_columns,
            quiet: global.quiet,
            cells: Vec::new(),
            pictures: pictures.map(|_| Vec::new()),
            is_colored: pictures.is_some_and(|colors| colors != BlockColors::Shades),
            count: 0,
            out: BufWriter::new(io::stdout().lock()),
        }
    }

    /// Prints a row, or keeps it until the widths of the table are known.
    pub fn add(&mut self, row: &TableRow) -> io::Result<()> {
        if self.format != TableFormat::Table {
            progress::end();
        }
        if self.count == 0 {
            self.start()?;
        }
        self.count = self.count.saturating_add(1);
        let cells = || self.columns.iter().map(|column| (row.cell(*column), *column));
        match self.format {
            TableFormat::Table => {
                let cells = cells().map(|(cell, column)| human(&cell, column)).collect();
                self.cells.push(cells);
                self.pictures.iter_mut().for_each(|pictures| pictures.push(row.picture.clone()));
                Ok(())
            }
            TableFormat::Csv => {
                let line = cells().map(|(cell, _)| csv(&cell)).collect::<Vec<_>>().join(",");
                writeln!(self.out, "{line}")
            }
            TableFormat::Md => {
                let line = cells().map(|(cell, column)| markdown(&cell, column)).collect::<Vec<_>>().join(" | ");
                writeln!(self.out, "| {line} |")
            }
            TableFormat::Json => {
                let separator = if self.count > 1 { ",\n    " } else { "\n    " };
                self.out.write_all(separator.as_bytes())?;
                self.write_object(row, false)
            }
            TableFormat::Jsonl => {
                self.write_object(row, true)?;
                writeln!(self.out)
            }
        }
    }

    /// Writes what comes before the first row.
    fn start(&mut self) -> io::Result<()> {
        let names = || self.columns.iter().map(|column| column.name()).collect::<Vec<_>>();
        match self.format {
            TableFormat::Table | TableFormat::Jsonl => Ok(()),
            TableFormat::Csv => writeln!(self.out, "{}", names().join(",")),
            TableFormat::Md => {
                let marks = self.columns.iter().map(|column| if is_right_aligned(*column) { "---:" } else { "---" });
                let marks = marks.collect::<Vec<_>>().join(" | ");
                writeln!(self.out, "| {} |\n| {marks} |", names().join(" | "))
            }
            TableFormat::Json => start_entries(&mut JsonWriter::indented(&mut self.out)),
        }
    }

    fn write_object(&mut self, row: &TableRow, with_schema: bool) -> io::Result<()> {
        JsonWriter::compact(&mut self.out).object(|out| {
            if with_schema {
                out.field("schema", SCHEMA)?;
            }
            for column in &self.fields {
                let cell = row.cell(*column);
                // A field that only some rows have is left out of the others.
                if !(cell == Cell::Null && matches!(column, TableColumn::Mesh | TableColumn::DuplicateOf)) {
                    out.field(&column.name(), json(&cell))?;
                }
            }
            if let Err(fault) = &row.values {
                for column in
                    [TableColumn::Path, TableColumn::Readable].iter().filter(|column| !self.fields.contains(column))
                {
                    out.field(&column.name(), json(&row.cell(*column)))?;
                }
                out.field("error", error(fault))?;
            }
            Ok(())
        })
    }

    /// Prints the table and the totals.
    pub fn finish(mut self, totals: &Totals) -> io::Result<()> {
        if self.count == 0 {
            self.start()?;
        }
        match self.format {
            TableFormat::Table => self.print_table(totals)?,
            TableFormat::Json => {
                write!(self.out, "{}],\n  \"totals\": ", if self.count > 0 { "\n  " } else { "" })?;
                JsonWriter::compact(&mut self.out).value(&totals.json())?;
                writeln!(self.out, "\n}}")?;
            }
            TableFormat::Csv | TableFormat::Md | TableFormat::Jsonl => {}
        }
        self.out.flush()
    }

    fn print_table(&mut self, totals: &Totals) -> io::Result<()> {
        // A default column in which no row has a value is left out.
        let has_value = |index: usize| self.cells.iter().any(|row| row.get(index).is_some_and(|cell| cell != "-"));
        let shown: Vec<(usize, TableColumn)> = self.columns.iter().copied().enumerate().collect();
        let shown: Vec<_> =
            shown.into_iter().filter(|(index, _)| !self.has_default_columns || has_value(*index)).collect();
        let width = |(index, column): &(usize, TableColumn)| {
            let cells = self.cells.iter().filter_map(|row| row.get(*index)).map(|cell| cell.width());
            cells.chain([column.name().len()]).max().unwrap_or_default()
        };
        let widths: Vec<usize> = shown.iter().map(width).collect();
        let bold = Style::new().bold();
        let names: Vec<String> = shown.iter().map(|(_, column)| column.name()).collect();
        let head = line(names.iter().map(String::as_str), &shown, &widths);
        // The colours of pictures are printed to a file or a pipe, too, if --protocol is given.
        let choice = if self.is_colored { ColorChoice::Always } else { ColorChoice::Auto };
        let mut out = anstream::AutoStream::new(io::stdout().lock(), choice);
        if self.count > 0 {
            let indent = if self.pictures.is_some() {
                " ".repeat(as_index(PICTURE_CELLS[0]).saturating_add(2))
            } else {
                String::new()
            };
            writeln!(out, "{indent}{bold}{head}{bold:#}")?;
        }
        for (number, row) in self.cells.iter().enumerate() {
            let cells = shown.iter().map(|(index, _)| row.get(*index).map_or("", String::as_str));
            let line = line(cells, &shown, &widths);
            match self.pictures.as_ref().and_then(|pictures| pictures.get(number)) {
                Some(picture) => print_with_picture(&mut out, picture, line)?,
                None => writeln!(out, "{line}")?,
            }
        }
        if !self.quiet {
            writeln!(out, "{}{}", if self.count > 0 { "\n" } else { "" }, totals.text())?;
        }
        out.flush()
    }
}

/// Prints a line of the table next to the middle of a picture. A mesh without a picture has an
/// empty one.
fn print_with_picture(out: &mut dyn Write, picture: &[String], line: String) -> io::Result<()> {
    let [columns, lines] = PICTURE_CELLS.map(as_index);
    let mut printed = side_by_side(picture, columns, &[line], lines / 2);
    printed.resize(lines, String::new());
    printed.iter().try_for_each(|line| writeln!(out, "{line}"))
}

/// Returns the text of one line of the table.
fn line<'c>(cells: impl Iterator<Item = &'c str>, columns: &[(usize, TableColumn)], widths: &[usize]) -> String {
    let mut line = String::new();
    for ((cell, (_, column)), width) in cells.zip(columns).zip(widths) {
        let blanks = " ".repeat(width.saturating_sub(cell.width()));
        let separator = if line.is_empty() { "" } else { "  " };
        line.push_str(separator);
        if is_right_aligned(*column) {
            line.extend([blanks.as_str(), cell]);
        } else {
            line.extend([cell, blanks.as_str()]);
        }
    }
    line.trim_end().to_owned()
}

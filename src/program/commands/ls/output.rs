//! Prints the rows of `ls` in the format that the command line chooses.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use anstream::ColorChoice;
use anstyle::Style;
use clap::ValueEnum;

use super::Selection;
use super::table::{AlignedColumn, aligned, csv, human, is_right_aligned, json, markdown};
use super::totals::Totals;
use crate::math::as_index;
use crate::program::args::Global;
use crate::program::describe::rows::column::{Cell, TableColumn};
use crate::program::describe::rows::row::TableRow;
use crate::program::render::json::{SCHEMA, error, start_entries};
use crate::program::render::json_writer::JsonWriter;
use crate::program::render::progress;
use crate::program::render::text::shown;
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
    /// Only the paths of the files, one in a line
    Paths,
}

impl TableFormat {
    /// Returns whether the format has the errors of files that cannot be read.
    pub const fn is_json(self) -> bool {
        matches!(self, Self::Json | Self::Jsonl)
    }
}

/// Prints rows. Only the rows of an aligned table are collected, because its widths depend on all
/// of them.
#[allow(clippy::struct_excessive_bools, reason = "each is a fact about the output")]
pub struct RowOutput<'s> {
    format: TableFormat,
    columns: &'s [TableColumn],
    /// The fields of the JSON output.
    fields: Vec<TableColumn>,
    has_default_columns: bool,
    quiet: bool,
    /// Whether a path ends with a NUL and is not escaped.
    has_nul: bool,
    /// The last printed path. The rows of a file follow each other, and its path is printed once.
    last: PathBuf,
    cells: Vec<Vec<String>>,
    /// The lines of the picture of each row, or no lists without pictures.
    pictures: Option<Vec<Vec<String>>>,
    /// Whether the pictures have colours.
    is_colored: bool,
    count: u64,
    out: BufWriter<io::StdoutLock<'static>>,
}

impl<'s> RowOutput<'s> {
    pub fn new(
        format: TableFormat,
        selection: &'s Selection,
        (surfaces, has_nul): (bool, bool),
        global: &Global,
    ) -> Self {
        let Selection { columns, has_default_columns, pictures, .. } = selection;
        let fields = if *has_default_columns { TableColumn::all(surfaces).collect() } else { columns.clone() };
        Self {
            format,
            columns,
            fields,
            has_default_columns: *has_default_columns,
            quiet: global.quiet,
            has_nul,
            last: PathBuf::new(),
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
            TableFormat::Paths if self.last == row.path => Ok(()),
            TableFormat::Paths => {
                row.path.clone_into(&mut self.last);
                if !self.has_nul {
                    return writeln!(self.out, "{}", shown(&row.path));
                }
                self.out.write_all(row.path.as_os_str().as_encoded_bytes())?;
                self.out.write_all(b"\0")
            }
        }
    }

    /// Writes what comes before the first row.
    fn start(&mut self) -> io::Result<()> {
        let names = || self.columns.iter().map(|column| column.name()).collect::<Vec<_>>();
        match self.format {
            TableFormat::Table | TableFormat::Jsonl | TableFormat::Paths => Ok(()),
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
            TableFormat::Csv | TableFormat::Md | TableFormat::Jsonl | TableFormat::Paths => {}
        }
        self.out.flush()
    }

    fn print_table(&mut self, totals: &Totals) -> io::Result<()> {
        // A default column in which no row has a value is left out.
        let has_value = |index: usize| self.cells.iter().any(|row| row.get(index).is_some_and(|cell| cell != "-"));
        let shown: Vec<(usize, TableColumn)> = self.columns.iter().copied().enumerate().collect();
        let shown: Vec<_> =
            shown.into_iter().filter(|(index, _)| !self.has_default_columns || has_value(*index)).collect();
        let column = |(_, column): &(usize, TableColumn)| AlignedColumn {
            name: column.name(),
            is_right: is_right_aligned(*column),
        };
        let columns: Vec<AlignedColumn> = shown.iter().map(column).collect();
        let cell = |row: &Vec<String>, index: usize| row.get(index).cloned().unwrap_or_default();
        let rows: Vec<Vec<String>> =
            self.cells.iter().map(|row| shown.iter().map(|(index, _)| cell(row, *index)).collect()).collect();
        let mut lines = aligned(&columns, &rows).into_iter();
        let (bold, head) = (Style::new().bold(), lines.next().unwrap_or_default());
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
        for (number, line) in lines.enumerate() {
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

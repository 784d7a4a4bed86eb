//! Prints the rows of `ls` in the format that the command line chooses.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use anstream::ColorChoice;
use anstyle::Style;
use clap::ValueEnum;

use super::Selection;
use super::table::{OutputColumn, aligned, csv, human, json, markdown};
use super::totals::Totals;
use crate::math::as_index;
use crate::program::args::{Global, value_name};
use crate::program::describe::rows::{Cell, TableColumn, TableRow};
use crate::program::output::json::error;
use crate::program::output::{JsonWriter, SCHEMA, progress, shown};
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
    pub format: TableFormat,
    columns: Vec<OutputColumn>,
    /// The columns of the rows.
    cells_of: &'s [TableColumn],
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
    pub out: BufWriter<io::StdoutLock<'static>>,
}

impl<'s> RowOutput<'s> {
    pub fn new(format: TableFormat, columns: Vec<OutputColumn>, global: &Global) -> Self {
        Self {
            format,
            columns,
            cells_of: &[],
            fields: Vec::new(),
            has_default_columns: false,
            quiet: global.quiet,
            has_nul: false,
            last: PathBuf::new(),
            cells: Vec::new(),
            pictures: None,
            is_colored: false,
            count: 0,
            out: BufWriter::new(io::stdout().lock()),
        }
    }

    /// Prints the rows of meshes or surfaces.
    pub fn of_rows(
        format: TableFormat,
        selection: &'s Selection,
        (surfaces, has_nul): (bool, bool),
        global: &Global,
    ) -> Self {
        let Selection { columns, has_default_columns, pictures, .. } = selection;
        Self {
            cells_of: columns,
            fields: if *has_default_columns { TableColumn::all(surfaces).collect() } else { columns.clone() },
            has_default_columns: *has_default_columns,
            has_nul,
            pictures: pictures.map(|_| Vec::new()),
            is_colored: pictures.is_some_and(|colors| colors != BlockColors::Shades),
            ..Self::new(format, columns.iter().map(OutputColumn::from).collect(), global)
        }
    }

    /// Prints a row, or keeps it until the widths of the table are known.
    pub fn add(&mut self, row: &TableRow) -> io::Result<()> {
        match self.format {
            TableFormat::Json | TableFormat::Jsonl => {
                let cell = |column: &TableColumn| (*column, row.cell(*column));
                let is_left_out = |(column, cell): &(TableColumn, Cell)| {
                    // A field that only some rows have is left out of the others.
                    *cell == Cell::Null && matches!(column, TableColumn::Mesh | TableColumn::DuplicateOf)
                };
                let of_errors = [TableColumn::Path, TableColumn::Readable];
                let of_errors = of_errors.iter().filter(|column| row.values.is_err() && !self.fields.contains(column));
                let fields = self.fields.iter().map(cell).filter(|field| !is_left_out(field));
                let fields = fields.chain(of_errors.map(cell)).map(|(column, cell)| (value_name(&column), cell));
                self.add_object(&fields.collect::<Vec<_>>(), row.values.as_ref().err())
            }
            TableFormat::Paths => {
                self.start_row()?;
                if self.last == row.path {
                    return Ok(());
                }
                row.path.clone_into(&mut self.last);
                if !self.has_nul {
                    return writeln!(self.out, "{}", shown(&row.path));
                }
                self.out.write_all(row.path.as_os_str().as_encoded_bytes())?;
                self.out.write_all(b"\0")
            }
            TableFormat::Table | TableFormat::Csv | TableFormat::Md => {
                self.pictures.iter_mut().for_each(|pictures| pictures.push(row.picture.clone()));
                self.add_cells(self.cells_of.iter().map(|column| row.cell(*column)))
            }
        }
    }

    /// Prints the cells of a row of a table.
    pub fn add_cells(&mut self, cells: impl Iterator<Item = Cell>) -> io::Result<()> {
        self.start_row()?;
        let cells = cells.zip(&self.columns);
        let texts =
            |text: fn(&Cell, &OutputColumn) -> String| cells.map(|(cell, column)| text(&cell, column)).collect();
        let texts: Vec<String> = match self.format {
            TableFormat::Csv => texts(|cell, _| csv(cell)),
            TableFormat::Md => texts(markdown),
            _ => texts(human),
        };
        match self.format {
            TableFormat::Csv => writeln!(self.out, "{}", texts.join(",")),
            TableFormat::Md => writeln!(self.out, "| {} |", texts.join(" | ")),
            _ => {
                self.cells.push(texts);
                Ok(())
            }
        }
    }

    /// Prints a JSON object, which ends with the error of its row.
    pub fn add_object(&mut self, fields: &[(String, Cell)], fault: Option<&crate::Error>) -> io::Result<()> {
        self.start_row()?;
        let is_line = self.format == TableFormat::Jsonl;
        let mut out = if is_line { JsonWriter::compact(&mut self.out) } else { self.entries(self.count > 1) };
        out.object(|out| {
            if is_line {
                out.field("schema", SCHEMA)?;
            }
            fields.iter().try_for_each(|(name, cell)| out.field(name, json(cell)))?;
            fault.map_or(Ok(()), |fault| out.field("error", error(fault)))
        })?;
        if is_line { writeln!(self.out) } else { Ok(()) }
    }

    /// Returns a writer of the list of entries, which has some if `has_some` is true.
    fn entries(&mut self, has_some: bool) -> JsonWriter<'_> {
        JsonWriter::rows(&mut self.out).resumed(2, has_some)
    }

    fn start_row(&mut self) -> io::Result<()> {
        if self.format != TableFormat::Table {
            progress::end();
        }
        if self.count == 0 {
            self.start()?;
        }
        self.count = self.count.saturating_add(1);
        Ok(())
    }

    /// Writes what comes before the first row.
    fn start(&mut self) -> io::Result<()> {
        let names = || self.columns.iter().map(|column| column.name.as_str()).collect::<Vec<_>>();
        match self.format {
            TableFormat::Table | TableFormat::Jsonl | TableFormat::Paths => Ok(()),
            TableFormat::Csv => writeln!(self.out, "{}", names().join(",")),
            TableFormat::Md => {
                let marks = self.columns.iter().map(|column| if column.is_right_aligned() { "---:" } else { "---" });
                let marks = marks.collect::<Vec<_>>().join(" | ");
                writeln!(self.out, "| {} |\n| {marks} |", names().join(" | "))
            }
            TableFormat::Json => JsonWriter::indented(&mut self.out).start_entries(),
        }
    }

    /// Prints the table and the totals, with a text before them.
    pub fn finish(mut self, heading: &str, totals: &Totals) -> io::Result<()> {
        if self.count == 0 {
            self.start()?;
        }
        match self.format {
            TableFormat::Table => self.print_table(heading, totals)?,
            TableFormat::Json => {
                let mut json = self.entries(self.count > 0);
                json.close(b"]")?;
                json.lines = 1..2;
                json.field("totals", totals.json())?;
                return json.end();
            }
            TableFormat::Csv | TableFormat::Md | TableFormat::Jsonl | TableFormat::Paths => {}
        }
        self.out.flush()
    }

    fn print_table(&mut self, heading: &str, totals: &Totals) -> io::Result<()> {
        // A default column in which no row has a value is left out.
        let has_value = |index: usize| self.cells.iter().any(|row| row.get(index).is_some_and(|cell| cell != "-"));
        let shown: Vec<(usize, &OutputColumn)> = self.columns.iter().enumerate().collect();
        let shown: Vec<_> =
            shown.into_iter().filter(|(index, _)| !self.has_default_columns || has_value(*index)).collect();
        let columns: Vec<&OutputColumn> = shown.iter().map(|(_, column)| *column).collect();
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
            writeln!(out, "{}{heading}{}", if self.count > 0 { "\n" } else { "" }, totals.text())?;
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

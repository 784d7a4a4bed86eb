//! Writes arrays to a file or to standard output: the options that choose the file and its format,
//! and the summary of its arrays.

use std::io::{self, BufWriter, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde_json::json;
use tempfile::SpooledTempFile;

use super::npz::{ArrayHead, NpzWriter, SeekableOutput};
use crate::program::args::{Global, STDIN, value_name};
use crate::program::atomic_write::PendingOutput;
use crate::program::commands::bench::parse_size;
use crate::program::formats::{advice, has_extension};
use crate::program::input::asset::{InputAsset, at_output};
use crate::program::outcome::{UsageError, usage};
use crate::program::output::{HeldOutput, JsonWriter, OutputLimit, counted, shown};

/// The number of bytes that are collected before they are written.
const BLOCK: usize = 256 << 10;
/// The number of bytes of an archive for standard output that are held in memory. More bytes are
/// held in a temporary file without a name.
const HELD_IN_MEMORY: usize = 8 << 20;

/// A format in which arrays are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ArrayFormat {
    /// One array, for NumPy
    Npy,
    /// Several arrays, for NumPy
    Npz,
    /// A table with one row for each item
    Csv,
}

impl ArrayFormat {
    /// Returns the format that the extension of a path indicates.
    fn named(path: &Path) -> Option<Self> {
        Self::value_variants().iter().copied().find(|format| has_extension(path, &value_name(format)))
    }
}

/// The options that write arrays to a file.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Arrays in a file")]
pub struct OutputArgs {
    /// Write arrays to a file .npy (one array), .npz or .csv (all by default), or to standard
    /// output if OUT is -
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Format of the output; by default, the extension of OUT
    #[arg(long, value_enum, value_name = "FORMAT", requires = "output")]
    format: Option<ArrayFormat>,
    /// Replace an existing file
    #[arg(long, requires = "output")]
    pub force: bool,
    /// Greatest size of the output, in bytes or with the suffix K, M or G; 16 MiB and 32 times the
    /// size of FILE by default
    #[arg(long, value_parser = parse_size, value_name = "SIZE")]
    max_output: Option<u64>,
}

impl OutputArgs {
    /// Returns the format of the output, or `None` without `-o`.
    pub fn format(&self) -> Result<Option<ArrayFormat>, UsageError> {
        let Some(output) = &self.output else { return Ok(None) };
        if output == Path::new(STDIN) {
            let text = "-o -: no extension chooses the format; give --format npy, npz or csv";
            return self.format.map(Some).ok_or_else(|| UsageError(text.to_owned()));
        }
        match (ArrayFormat::named(output), self.format) {
            (Some(named), Some(format)) if named != format => {
                let (path, format) = (shown(output), value_name(&format));
                let text = "the extension is that of another format than --format";
                usage!("{path}: {text} {format}; end the path with .{format}")
            }
            (Some(named), _) => Ok(Some(named)),
            (None, format) => match (advice(output), format) {
                (None, Some(format)) => Ok(Some(format)),
                (advice, _) => {
                    let expected = format!("{}: expected an extension of npy, npz, csv", shown(output));
                    Err(UsageError(
                        advice.map_or(format!("{expected}, or --format"), |advice| format!("{expected}; {advice}")),
                    ))
                }
            },
        }
    }

    /// Returns the greatest size of an output that is made of a file.
    pub fn limit(&self, asset: &InputAsset) -> OutputLimit {
        OutputLimit::new(asset.size(), self.max_output)
    }

    /// Adds the path of the output to an error that was caused by writing it.
    pub fn locate_error(&self, error: anyhow::Error) -> anyhow::Error {
        match &self.output {
            Some(output) => at_output(error, output),
            None => error,
        }
    }
}

/// Arrays that can be written in every format.
pub trait ArrayContent {
    /// Writes the only array.
    fn write_npy(&self, out: &mut dyn Write, summary: &mut Summary) -> anyhow::Result<()>;
    /// Adds all arrays to an archive.
    fn write_npz(&self, out: &mut NpzWriter<'_>, summary: &mut Summary) -> anyhow::Result<()>;
    /// Writes all arrays as a table.
    fn write_csv(&self, out: &mut dyn Write, summary: &mut Summary) -> anyhow::Result<()>;
}

impl OutputArgs {
    /// Writes arrays, checks the input for changes, and prints a summary.
    pub fn write(
        &self,
        content: &dyn ArrayContent,
        format: ArrayFormat,
        asset: &InputAsset,
        path: &Path,
        global: &Global,
    ) -> anyhow::Result<()> {
        let Some(output) = self.output.as_deref().filter(|output| *output != Path::new(STDIN)) else {
            return print_arrays(content, format, asset, self.limit(asset));
        };
        let mut summary = Summary::new(global.json);
        let mut bytes = 0;
        let file = PendingOutput::write(output, self.force, |file| {
            self.limit(asset).write(&mut *file, |out| write_format(content, format, out, &mut summary))?;
            bytes = file.size()?;
            Ok(())
        })?;
        asset.check()?;
        file.finish()?;
        summary.print(path, output, bytes, global)
    }
}

/// Writes arrays to a seekable output.
fn write_format(
    content: &dyn ArrayContent,
    format: ArrayFormat,
    out: &mut dyn SeekableOutput,
    summary: &mut Summary,
) -> anyhow::Result<()> {
    match format {
        ArrayFormat::Npz => {
            let mut archive = NpzWriter::new(out);
            content.write_npz(&mut archive, summary)?;
            archive.finish()
        }
        _ => write_stream(content, format, out, summary),
    }
}

/// Writes arrays in a format without an archive.
fn write_stream(
    content: &dyn ArrayContent,
    format: ArrayFormat,
    out: &mut dyn Write,
    summary: &mut Summary,
) -> anyhow::Result<()> {
    if format == ArrayFormat::Npy {
        return content.write_npy(out, summary);
    }
    let mut out = BufWriter::with_capacity(BLOCK, out);
    content.write_csv(&mut out, summary)?;
    Ok(out.flush()?)
}

/// Writes arrays to standard output. An archive is completed first, because the checksum of an
/// array precedes its values.
fn print_arrays(
    content: &dyn ArrayContent,
    format: ArrayFormat,
    asset: &InputAsset,
    limit: OutputLimit,
) -> anyhow::Result<()> {
    let (mut out, mut summary) = (io::stdout().lock(), Summary::new(false));
    match format {
        ArrayFormat::Npz => {
            let mut held = SpooledTempFile::new(HELD_IN_MEMORY);
            limit.write(&mut held, |out| write_format(content, format, out, &mut summary))?;
            asset.check()?;
            held.seek(SeekFrom::Start(0))?;
            io::copy(&mut held, &mut out)?;
        }
        _ => limit.write(&mut out, |out| write_stream(content, format, out, &mut summary))?,
    }
    out.flush()?;
    Ok(asset.check()?)
}

/// The arrays that were written. The list for JSON is held in memory only up to a fixed size.
pub struct Summary {
    /// The list for JSON, or `None` if no JSON is printed.
    list: Option<HeldOutput>,
    arrays: u64,
    table: Option<WrittenTable>,
}

/// The rows and columns of a CSV file.
struct WrittenTable {
    rows: u64,
    columns: Vec<String>,
}

impl Summary {
    pub fn new(is_json: bool) -> Self {
        Self { list: is_json.then(HeldOutput::start), arrays: 0, table: None }
    }

    /// Adds an array.
    pub fn add(&mut self, name: &str, head: &ArrayHead) -> io::Result<()> {
        if let Some(list) = &mut self.list {
            let ArrayHead { dtype, shape, .. } = head;
            JsonWriter::rows(list)
                .resumed(2, self.arrays > 0)
                .value(&json!({ "name": name, "dtype": dtype, "shape": shape }))?;
        }
        self.arrays = self.arrays.saturating_add(1);
        Ok(())
    }

    /// Sets the size of the table of a CSV file.
    pub fn set_table(&mut self, rows: u64, columns: Vec<String>) {
        self.table = Some(WrittenTable { rows, columns });
    }

    /// Prints the summary of a written file.
    pub fn print(&mut self, path: &Path, output: &Path, bytes: u64, global: &Global) -> anyhow::Result<()> {
        if self.list.is_some() {
            return Ok(self.print_json(path, output, bytes)?);
        }
        if global.quiet {
            return Ok(());
        }
        let output = shown(output);
        let content = match &self.table {
            Some(WrittenTable { rows, columns }) => {
                format!("{}, {}", counted(*rows, "row"), counted(u64::try_from(columns.len())?, "column"))
            }
            None => counted(self.arrays, "array"),
        };
        Ok(writeln!(anstream::stdout().lock(), "{output}: {content}, {}", counted(bytes, "byte"))?)
    }

    fn print_json(&mut self, path: &Path, output: &Path, bytes: u64) -> io::Result<()> {
        let mut out = io::BufWriter::new(io::stdout().lock());
        let mut json = JsonWriter::indented(&mut out);
        json.start()?;
        let [path, output] = [path, output].map(Path::to_string_lossy);
        json.fields(&json!({ "path": path, "output": output, "bytes": bytes }))?;
        if let Some(WrittenTable { rows, columns }) = &self.table {
            json.fields(&json!({ "rows": rows, "columns": columns }))?;
        }
        json.key("arrays").open(b"[")?;
        if let Some(list) = &mut self.list {
            list.print(json.raw()?)?;
        }
        let mut json = json.resumed(2, self.arrays > 0);
        json.close(b"]")?;
        json.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(path: &str, format: Option<ArrayFormat>) -> Result<Option<ArrayFormat>, String> {
        OutputArgs { output: Some(path.into()), format, force: false, max_output: None }
            .format()
            .map_err(|error| error.0)
    }

    #[test]
    fn the_extension_chooses_the_format() {
        assert_eq!(format("a.npy", None), Ok(Some(ArrayFormat::Npy)));
        assert_eq!(format("a.b.NPZ", None), Ok(Some(ArrayFormat::Npz)));
        assert_eq!(format("a.csv", Some(ArrayFormat::Csv)), Ok(Some(ArrayFormat::Csv)));
        assert_eq!(format("a.dat", Some(ArrayFormat::Csv)), Ok(Some(ArrayFormat::Csv)));
        assert_eq!(format("-", Some(ArrayFormat::Npz)), Ok(Some(ArrayFormat::Npz)));
        assert!(format("-", None).unwrap_err().contains("--format npy, npz or csv"));
        assert!(format("a.csv", Some(ArrayFormat::Npy)).unwrap_err().contains("end the path with .npy"));
        for (path, verb) in [("a.glb", "convert"), ("a.json", "convert"), ("a.mesh", "rewrite"), ("a_d.3d", "rewrite")]
        {
            for given in [None, Some(ArrayFormat::Csv)] {
                let error = format(path, given).unwrap_err();
                assert!(error.contains("npy, npz, csv; ") && error.contains(&format!("`meshpeek {verb}")), "{error}");
            }
        }
        let error = format("a.ezb", None).unwrap_err();
        assert!(error.contains("convert") && error.contains("rewrite"));
        for path in ["a", "a.dat", ".npy"] {
            let error = format(path, None).unwrap_err();
            assert!(error.ends_with("npy, npz, csv, or --format"), "{error}");
        }
    }
}

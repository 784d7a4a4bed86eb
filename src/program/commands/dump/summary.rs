//! The summary of the arrays in an output file.

use std::io::{self, Write as _};
use std::path::Path;

use serde_json::json;

use super::npy::ArrayHead;
use crate::program::args::Global;
use crate::program::output::{HeldOutput, JsonWriter, counted, shown};

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

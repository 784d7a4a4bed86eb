//! Lists the byte ranges of a file, as text or as JSON.

use std::fmt;
use std::io::{self, Write};
use std::path::Path;

use serde_json::Value;

use crate::Region;
use crate::program::input::source_file::SourceFile;
use crate::program::render::json::{SCHEMA, error};
use crate::program::render::json_writer::JsonWriter;

/// Writes the fields of the JSON object of a region. A file of 1 MiB may have 1.5 million regions,
/// so nothing is allocated for a field.
pub fn write_fields(region: &Region, name: &str, out: &mut JsonWriter<'_>) -> io::Result<()> {
    out.field_text("name", name)?;
    out.field_number("start", region.start)?;
    out.field_number("end", region.end)?;
    out.field_number("bytes", region.len())?;
    out.field_text("element", region.element.name)?;
    out.field_number("count", region.count)?;
    out.field("aligned", region.is_aligned())
}

/// Prints each region of a file immediately when the library passes it to the callback. A list of
/// all regions might not fit into memory.
pub struct RegionListing<'o> {
    out: &'o mut dyn Write,
    json: bool,
    /// The number of decimal digits of the file size, at least 5.
    width: usize,
    count: u64,
    /// The name of the last region. Its memory is used for the next name.
    name: String,
    /// The first I/O error that occurred when a region was printed. After the first I/O error, the
    /// callback ignores all further regions, because the library calls the callback for every
    /// region and the callback cannot stop the library.
    failed: io::Result<()>,
}

impl<'o> RegionListing<'o> {
    pub fn new(file: &SourceFile, json: bool, out: &'o mut dyn Write) -> Self {
        let width = file.bytes().len().to_string().len().max(5);
        Self { out, json, width, count: 0, name: String::new(), failed: Ok(()) }
    }

    pub fn start(&mut self, path: &Path) -> io::Result<()> {
        let width = self.width;
        if self.json {
            let path = Value::from(path.to_string_lossy());
            write!(self.out, "{{\"schema\":{SCHEMA},\"path\":")?;
            JsonWriter::compact(self.out).value(&path)?;
            return write!(self.out, ",\"regions\":[");
        }
        writeln!(
            self.out,
            "{:>width$} {:>width$} {:>width$} {:>8}  {:<22} {:<9} name",
            "start", "end", "bytes", "count", "element", "aligned"
        )
    }

    pub fn add(&mut self, region: &Region) {
        if self.failed.is_ok() {
            self.failed = self.print(region);
            self.count = self.count.saturating_add(1);
        }
    }

    fn print(&mut self, region: &Region) -> io::Result<()> {
        if self.json {
            let separator = if self.count == 0 { "\n" } else { ",\n" };
            self.out.write_all(separator.as_bytes())?;
            self.name.clear();
            fmt::Write::write_fmt(&mut self.name, format_args!("{}", region.field)).map_err(io::Error::other)?;
            return JsonWriter::compact(self.out).object(|out| write_fields(region, &self.name, out));
        }
        let aligned = if region.is_aligned() { "yes" } else { "no" };
        let (width, bytes, Region { field, start, end, element, count, .. }) = (self.width, region.len(), region);
        writeln!(
            self.out,
            "{start:>width$} {end:>width$} {bytes:>width$} {count:>8}  {:<22} {aligned:<9} {field}",
            element.name
        )
    }

    pub fn end(self, fault: Option<&crate::Error>) -> io::Result<()> {
        self.failed?;
        if self.json {
            write!(self.out, "\n]")?;
            if let Some(fault) = fault {
                write!(self.out, ",\"error\":")?;
                JsonWriter::compact(self.out).value(&error(fault))?;
            }
            writeln!(self.out, "}}")?;
        }
        self.out.flush()
    }
}

//! Lists the byte ranges of a file, as text or as JSON.

use std::fmt;
use std::io::{self, Write};
use std::path::Path;

use crate::Region;
use crate::program::input::SourceFile;
use crate::program::output::JsonWriter;
use crate::program::output::json::error;

/// Writes the fields of the JSON object of a region. A file of 1 MiB may have 1.5 million regions,
/// so nothing is allocated for a field.
pub fn write_fields(region: &Region, name: &str, out: &mut JsonWriter<'_>) -> io::Result<()> {
    out.key("name").string(name)?;
    out.key("start").unsigned(region.start)?;
    out.key("end").unsigned(region.end)?;
    out.key("bytes").unsigned(region.len())?;
    out.key("element").string(region.element.name)?;
    out.key("count").unsigned(region.count)?;
    out.key("aligned").boolean(region.is_aligned())
}

/// Prints each region of a file immediately when the library passes it to the callback. A list of
/// all regions might not fit into memory.
pub struct RegionListing<'o> {
    out: JsonWriter<'o>,
    is_json: bool,
    /// The number of decimal digits of the file size, at least 5.
    width: usize,
    /// The name of the last region. Its memory is used for the next name.
    name: String,
    /// The first I/O error that occurred when a region was printed. After the first I/O error, the
    /// callback ignores all further regions, because the library calls the callback for every
    /// region and the callback cannot stop the library.
    failed: io::Result<()>,
}

impl<'o> RegionListing<'o> {
    pub fn new(file: &SourceFile, is_json: bool, out: &'o mut dyn Write) -> Self {
        let width = file.bytes().len().to_string().len().max(5);
        Self { out: JsonWriter::compact(out), is_json, width, name: String::new(), failed: Ok(()) }
    }

    pub fn start(&mut self, path: &Path) -> io::Result<()> {
        let width = self.width;
        if self.is_json {
            self.out.start()?;
            self.out.key("path").string(&path.to_string_lossy())?;
            return self.out.open_lines("regions");
        }
        writeln!(
            self.out.raw()?,
            "{:>width$} {:>width$} {:>width$} {:>8}  {:<22} {:<9} name",
            "start",
            "end",
            "bytes",
            "count",
            "element",
            "aligned"
        )
    }

    pub fn add(&mut self, region: &Region) {
        if self.failed.is_ok() {
            self.failed = self.print(region);
        }
    }

    fn print(&mut self, region: &Region) -> io::Result<()> {
        if self.is_json {
            self.name.clear();
            fmt::Write::write_fmt(&mut self.name, format_args!("{}", region.field)).map_err(io::Error::other)?;
            return self.out.object(|out| write_fields(region, &self.name, out));
        }
        let aligned = if region.is_aligned() { "yes" } else { "no" };
        let (width, bytes, Region { field, start, end, element, count, .. }) = (self.width, region.len(), region);
        writeln!(
            self.out.raw()?,
            "{start:>width$} {end:>width$} {bytes:>width$} {count:>8}  {:<22} {aligned:<9} {field}",
            element.name
        )
    }

    pub fn end(mut self, fault: Option<&crate::Error>) -> io::Result<()> {
        self.failed?;
        if !self.is_json {
            return self.out.raw()?.flush();
        }
        self.out.close_lines()?;
        fault.map_or(Ok(()), |fault| self.out.field("error", error(fault)))?;
        self.out.end()
    }
}

//! `map`: lists the byte ranges of a file with their names.

use std::fmt;
use std::io::{self, Write};
use std::path::Path;

use crate::Region;
use clap::Args;
use serde_json::{Value, json};

use crate::program::args::{Global, OneFile};
use crate::program::input::open::open_source_file;
use crate::program::input::source_file::SourceFile;
use crate::program::outcome::{Outcome, UsageError};
use crate::program::render::json::{SCHEMA, document, error};
use crate::program::render::json_writer::JsonWriter;
use crate::program::render::text::complain;

const HELP: &str = "\
Ranges are listed in file order, without gaps and without overlaps. `aligned` reports whether a range starts at a multiple of the \
alignment of its native type; meshpeek itself does not need that alignment. An Unreal mesh has several files: the named file is \
described, or the data file if only the stem is named.

Examples:
  meshpeek map model.mesh
  meshpeek map model.mesh --at 0x4711";

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct MapArgs {
    #[command(flatten)]
    file: OneFile,
    /// Explain the byte at this offset, in decimal or in hexadecimal with 0x
    #[arg(long, value_name = "OFFSET", value_parser = parse_offset)]
    at: Option<u64>,
}

fn parse_offset(text: &str) -> Result<u64, String> {
    let parsed = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    parsed.map_err(|error| error.to_string())
}

impl MapArgs {
    pub fn run(&self, global: &Global) -> anyhow::Result<Outcome> {
        let path = &self.file.file;
        let file = open_source_file(path, global)?;
        if let Some(offset) = self.at {
            return self.explain(&file, offset, global);
        }
        let mut out = io::BufWriter::new(io::stdout().lock());
        let mut listing = RegionListing {
            out: &mut out,
            json: global.json,
            width: width(&file),
            count: 0,
            name: String::new(),
            failed: Ok(()),
        };
        listing.start(path)?;
        let walked = file.regions(&mut |region| listing.add(&region));
        let fault = walked.and_then(|()| file.check()).map_err(|error| file.locate_error(error, path)).err();
        listing.end(fault.as_ref())?;
        // If an error stops the listing, the byte ranges before the error have already been
        // printed, and the error is printed after them.
        fault.map_or(Ok(Outcome::Fine), |fault| {
            complain(&fault);
            Ok(Outcome::Unreadable)
        })
    }

    fn explain(&self, file: &SourceFile, offset: u64, global: &Global) -> anyhow::Result<Outcome> {
        let bytes = file.bytes();
        let byte = usize::try_from(offset).ok().and_then(|offset| bytes.get(offset));
        let mut found = None;
        let walked = file.regions(&mut |region| {
            if region.start <= offset && offset < region.end {
                found = Some(region);
            }
        });
        let (Some(byte), Some(region)) = (byte, &found) else {
            walked.map_err(|error| file.locate_error(error, &self.file.file))?;
            let last = bytes.len().saturating_sub(1);
            file.check().map_err(|error| file.locate_error(error, &self.file.file))?;
            return Err(UsageError(format!("--at: expected an offset from 0 to {last}, found {offset}")).into());
        };
        let byte = *byte;
        file.check().map_err(|error| file.locate_error(error, &self.file.file))?;
        if global.json {
            let element = region.element_at(offset);
            let mut stdout = io::BufWriter::new(io::stdout().lock());
            JsonWriter::indented(&mut stdout).object(|out| {
                let path = self.file.file.to_string_lossy();
                out.fields(&document(json!({ "path": path, "offset": offset, "value": byte })))?;
                out.field_list("regions", |out| {
                    out.item_object(|out| write_fields(region, &region.field.to_string(), out))
                })?;
                out.field("element", element.map(|(element, _)| element))?;
                out.field("byte", element.map_or(offset.saturating_sub(region.start), |(_, byte)| byte))
            })?;
            writeln!(stdout)?;
            stdout.flush()?;
        } else {
            print_byte(&mut io::stdout().lock(), byte, region, offset)?;
        }
        Ok(Outcome::Fine)
    }
}

fn print_byte(out: &mut dyn Write, byte: u8, region: &Region, offset: u64) -> io::Result<()> {
    let Region { field, start, end, element, count, .. } = region;
    writeln!(out, "byte {offset} is {byte:#04x}, in {field} (bytes {start} to {end})")?;
    match region.element_at(offset) {
        Some((item, _)) if element.size == 1 => writeln!(out, "  byte {item} of {count} of {}", element.name),
        Some((item, byte)) => {
            writeln!(out, "  byte {byte} of the {} of item {item} of {count}, each a {}", element.size, element.name)
        }
        None => writeln!(out, "  byte {} of a {}", offset.saturating_sub(*start), element.name),
    }
}

/// Writes the fields of the JSON object of a region. A file of 1 MiB may have 1.5 million regions,
/// so nothing is allocated for a field.
fn write_fields(region: &Region, name: &str, out: &mut JsonWriter<'_>) -> io::Result<()> {
    out.field_text("name", name)?;
    out.field_number("start", region.start)?;
    out.field_number("end", region.end)?;
    out.field_text("element", region.element.name)?;
    out.field_number("count", region.count)?;
    out.field("aligned", region.is_aligned())
}

/// Returns the number of decimal digits of the file size in bytes, or 5 if the file size has fewer
/// than 5 digits.
fn width(file: &SourceFile) -> usize {
    file.bytes().len().to_string().len().max(5)
}

/// Prints each region of a file immediately when the library passes it to the callback. A list of
/// all regions might not fit into memory.
struct RegionListing<'o> {
    out: &'o mut dyn Write,
    json: bool,
    width: usize,
    count: u64,
    /// The name of the last region. Its memory is used for the next name.
    name: String,
    /// The first I/O error that occurred when a region was printed. After the first I/O error, the
    /// callback ignores all further regions, because the library calls the callback for every
    /// region and the callback cannot stop the library.
    failed: io::Result<()>,
}

impl RegionListing<'_> {
    fn start(&mut self, path: &Path) -> io::Result<()> {
        let width = self.width;
        if self.json {
            let path = Value::from(path.to_string_lossy());
            write!(self.out, "{{\"schema\":{SCHEMA},\"path\":")?;
            JsonWriter::compact(self.out).value(&path)?;
            return write!(self.out, ",\"regions\":[");
        }
        writeln!(
            self.out,
            "{:>width$} {:>width$} {:>8}  {:<22} {:<9} name",
            "start", "end", "count", "element", "aligned"
        )
    }

    fn add(&mut self, region: &Region) {
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
        let (width, Region { field, start, end, element, count, .. }) = (self.width, region);
        writeln!(self.out, "{start:>width$} {end:>width$} {count:>8}  {:<22} {aligned:<9} {field}", element.name)
    }

    fn end(self, fault: Option<&crate::Error>) -> io::Result<()> {
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

#[cfg(test)]
mod tests {
    #[test]
    fn reads_both_spellings_of_an_offset() {
        assert_eq!(super::parse_offset("4711"), Ok(4711));
        assert_eq!(super::parse_offset("0x10"), Ok(16));
        assert!(super::parse_offset("-1").is_err() && super::parse_offset("0x").is_err());
    }
}

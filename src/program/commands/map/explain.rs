//! `map --at`: explains one byte of a file.

use std::io::{self, Write};
use std::path::Path;

use serde_json::{Value, json};

use super::listing::write_fields;
use crate::Region;
use crate::parse::{RegionBytes, RegionElement};
use crate::program::args::Global;
use crate::program::input::SourceFile;
use crate::program::outcome::UsageError;
use crate::program::output::{print_document, progress};

/// The position of a byte: an offset from the start of the file, or the number of bytes from the
/// byte to the end of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BytePosition {
    FromStart(u64),
    FromEnd(u64),
}

/// Parses the offset of a byte. A negative offset counts from the end of the file.
pub fn parse_position(text: &str) -> Result<BytePosition, String> {
    let (digits, is_negative) = text.strip_prefix('-').map_or((text, false), |digits| (digits, true));
    let parsed = match digits.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => digits.parse(),
    };
    let offset = parsed.map_err(|error| error.to_string())?;
    match (is_negative, offset) {
        (true, 0) => Err("expected an offset from 0, or from -1, the last byte, down".to_owned()),
        (true, _) => Ok(BytePosition::FromEnd(offset)),
        (false, _) => Ok(BytePosition::FromStart(offset)),
    }
}

impl BytePosition {
    /// Returns the offset of the byte in a file of `size` bytes. Returns an error if the file has
    /// no such byte.
    fn offset(self, size: u64) -> Result<u64, UsageError> {
        let (offset, found) = match self {
            Self::FromStart(offset) => (Some(offset), format!("{offset}")),
            Self::FromEnd(back) => (size.checked_sub(back), format!("-{back}")),
        };
        let last = size.saturating_sub(1);
        let text = || UsageError(format!("--at: expected an offset from 0 to {last}, found {found}"));
        offset.filter(|offset| *offset < size).ok_or_else(text)
    }
}

/// One byte of a file, with its region and its element.
struct ByteMeaning {
    offset: u64,
    value: u8,
    region: Region,
    element: RegionElement,
}

/// Prints the meaning of one byte of a file.
pub fn explain(file: &SourceFile, path: &Path, position: BytePosition, global: &Global) -> anyhow::Result<()> {
    let here = find(file, path, position)?;
    if global.json {
        return Ok(here.print_json(path)?);
    }
    progress::end();
    let mut out = io::BufWriter::new(io::stdout().lock());
    here.print(&mut out)?;
    Ok(out.flush()?)
}

fn find(file: &SourceFile, path: &Path, position: BytePosition) -> anyhow::Result<ByteMeaning> {
    let bytes = file.bytes();
    let offset = position.offset(bytes.len().try_into().unwrap_or(u64::MAX));
    let mut found = None;
    let walked = file.regions(&mut |region| {
        if offset.as_ref().is_ok_and(|offset| (region.start..region.end).contains(offset)) {
            found = Some(region);
        }
    });
    // A copy of the byte and of its value is made before the file is checked for changes.
    let meaning = offset.as_ref().ok().zip(found).and_then(|(offset, region)| {
        let value = bytes.get(usize::try_from(*offset).ok()?).copied()?;
        let here = RegionBytes::new(bytes, region, *offset)?;
        let element = file.model().map_or_else(|| here.element(), |model| model.file().element(&here));
        Some(ByteMeaning { offset: *offset, value, region, element })
    });
    if meaning.is_none() {
        walked.map_err(|error| file.locate_error(error, path))?;
    }
    file.check().map_err(|error| file.locate_error(error, path))?;
    let size = bytes.len();
    meaning.ok_or_else(|| {
        let other = UsageError(format!("--at: expected an offset in a region, found one in none of {size} bytes"));
        offset.err().unwrap_or(other).into()
    })
}

impl ByteMeaning {
    fn print_json(&self, path: &Path) -> io::Result<()> {
        let Self { offset, value, region, element } = self;
        print_document(|out| {
            out.fields(&json!({ "path": path.to_string_lossy(), "offset": offset, "value": value }))?;
            out.key("regions").objects([region], |out, region| write_fields(region, &region.field.to_string(), out))?;
            out.field("element", element.index)?;
            out.field("byte", element.byte)?;
            out.field("decoded", element.value.clone().map_or(Value::Null, Value::from))
        })
    }

    fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let Self { offset, value, region, element } = self;
        let (Region { field, start, end, count, .. }, byte) = (region, element.byte);
        let (name, size) = (region.element.name, region.element.size);
        writeln!(out, "byte {offset} is {value:#04x}, in {field} (bytes {start} to {end})")?;
        match element.index {
            Some(item) if size == 1 => writeln!(out, "  byte {item} of {count} of {name}")?,
            Some(item) if size > 1 => {
                let article = if name.starts_with(['a', 'e', 'i', 'o']) { "an" } else { "a" };
                writeln!(out, "  byte {byte} of the {size} of item {item} of {count}, each {article} {name}")?;
            }
            Some(item) if name.ends_with("list") || name.contains(" + ") => {
                writeln!(out, "  byte {byte} of item {item} of {count} of a {name}")?;
            }
            _ => writeln!(out, "  byte {byte} of a {name}")?,
        }
        element.value.iter().try_for_each(|value| writeln!(out, "  value {value}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_offsets_from_both_ends() {
        let offset = |text: &str, size| parse_position(text).unwrap().offset(size).map_err(|error| error.0);
        assert_eq!(offset("4711", 5000), Ok(4711));
        assert_eq!((offset("0x10", 17), offset("-1", 17), offset("-0x11", 17)), (Ok(16), Ok(16), Ok(0)));
        assert_eq!(offset("-18", 17), Err("--at: expected an offset from 0 to 16, found -18".to_owned()));
        assert!(offset("17", 17).is_err() && offset("0", 0).is_err());
        assert!(["", "-", "-0", "0x", "--1", "+"].iter().all(|text| parse_position(text).is_err()));
    }
}

//! `map`: every byte range of a file, by name.

use std::io::{self, Write};

use clap::Args;
use meshpeek::{Model, Region};
use serde_json::{Value, json};

use crate::input::{self, Data};
use crate::output::{self, Misuse, Outcome};
use crate::{Global, OneFile};

const HELP: &str = "\
Ranges come in file order, without gaps or overlaps. `aligned` says whether a range starts at a multiple of what its \
native type wants; meshpeek itself does not need that.

Examples:
  meshpeek map model.mesh
  meshpeek map model.mesh --at 0x4711";

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct Map {
    #[command(flatten)]
    file: OneFile,
    /// Explain the one byte at this offset, decimal or 0x hexadecimal
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

impl Map {
    pub fn run(&self, global: Global) -> anyhow::Result<Outcome> {
        let path = &self.file.file;
        let model = input::open(path, global)?;
        let mut regions = Vec::new();
        let walked = model.regions(&mut |region| regions.push(region)).and_then(|()| model.data().check());
        let fault = walked.err().map(|error| error.at_path(path));
        if let Some(offset) = self.at {
            return self.explain(&model, &regions, offset, fault, global);
        }
        if global.json {
            let path = path.to_string_lossy();
            let fields = json!({ "path": path, "regions": regions.iter().map(describe).collect::<Value>() });
            let fields = fault.iter().fold(fields, |fields, fault| output::with(fields, "error", output::error(fault)));
            output::print_json(&output::document(fields))?;
        } else {
            print(&mut io::BufWriter::new(io::stdout().lock()), &regions)?;
        }
        // What could be named has been; what stopped the walk is said last.
        fault.map_or(Ok(Outcome::Fine), |fault| {
            output::complain(&fault);
            Ok(Outcome::Unreadable)
        })
    }

    fn explain(
        &self,
        model: &Model<Data>,
        regions: &[Region],
        offset: u64,
        fault: Option<meshpeek::Error>,
        global: Global,
    ) -> anyhow::Result<Outcome> {
        let bytes = model.data().as_ref();
        let byte = usize::try_from(offset).ok().and_then(|offset| bytes.get(offset));
        let found = regions.iter().find(|region| region.start <= offset && offset < region.end);
        let (Some(byte), Some(region)) = (byte, found) else {
            let last = bytes.len().saturating_sub(1);
            let beyond = || Misuse(format!("--at: expected an offset up to {last}, found {offset}")).into();
            return Err(fault.map_or_else(beyond, anyhow::Error::from));
        };
        if global.json {
            let element = region.element_at(offset);
            output::print_json(&output::document(json!({
                "path": self.file.file.to_string_lossy(),
                "offset": offset,
                "value": byte,
                "regions": [describe(region)],
                "element": element.map(|(element, _)| element),
                "byte": element.map_or(offset.saturating_sub(region.start), |(_, byte)| byte),
            })))?;
        } else {
            print_byte(&mut io::stdout().lock(), *byte, region, offset)?;
        }
        Ok(Outcome::Fine)
    }
}

fn print_byte(out: &mut dyn Write, byte: u8, region: &Region, offset: u64) -> io::Result<()> {
    let Region { field, start, end, element, count } = region;
    writeln!(out, "byte {offset} is {byte:#04x}, in {field} (bytes {start} to {end})")?;
    match region.element_at(offset) {
        Some((item, byte)) => {
            writeln!(out, "  byte {byte} of the {} of item {item} of {count}, each a {}", element.size, element.name)
        }
        None => writeln!(out, "  byte {} of a {}", offset.saturating_sub(*start), element.name),
    }
}

fn describe(region: &Region) -> Value {
    json!({
        "name": region.field.to_string(),
        "start": region.start,
        "end": region.end,
        "element": region.element.name,
        "count": region.count,
        "aligned": region.is_aligned(),
    })
}

fn print(out: &mut dyn Write, regions: &[Region]) -> io::Result<()> {
    let width = regions.last().map_or(5, |last| last.end.to_string().len()).max(5);
    writeln!(out, "{:>width$} {:>width$} {:>8}  {:<22} {:<9} name", "start", "end", "count", "element", "aligned")?;
    for region in regions {
        let aligned = if region.is_aligned() { "yes" } else { "no" };
        let Region { field, start, end, element, count } = region;
        writeln!(out, "{start:>width$} {end:>width$} {count:>8}  {:<22} {aligned:<9} {field}", element.name)?;
    }
    out.flush()
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

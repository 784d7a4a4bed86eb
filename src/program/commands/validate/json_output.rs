//! Prints a report as the JSON document of `validate`.

use std::io;

use super::output::{CheckedFile, FindingsOutput, ReportEnd};
use crate::program::input::not_opened::missing_json;
use crate::program::render::json::{findings, start_entries, unreadable};
use crate::program::render::json_writer::JsonWriter;

/// Prints a JSON document with one entry for each file.
pub struct JsonOutput<'o> {
    out: JsonWriter<'o>,
}

impl<'o> JsonOutput<'o> {
    /// Starts the document.
    pub fn start(mut out: JsonWriter<'o>) -> io::Result<Self> {
        start_entries(&mut out)?;
        Ok(Self { out })
    }
}

impl FindingsOutput for JsonOutput<'_> {
    fn file(&mut self, file: &CheckedFile<'_>) -> io::Result<()> {
        let CheckedFile { path, mesh, findings: file } = file;
        self.out.item_object(|out| {
            match &file.fault {
                Some(fault) => out.fields(&unreadable(path, fault))?,
                None => out.field("path", path.to_string_lossy())?,
            }
            out.field_items("findings", findings(&file.found, &file.files))?;
            mesh.map_or(Ok(()), |mesh| out.field("mesh", mesh))
        })
    }

    fn finish(&mut self, end: &ReportEnd) -> io::Result<()> {
        self.out.close(b"]")?;
        if !end.missing.is_empty() {
            self.out.field_items("unresolved", end.missing.iter().map(missing_json))?;
        }
        self.out.field("totals", end.totals.json())?;
        if let Some(baseline) = &end.baseline {
            self.out.field("baseline", baseline.json())?;
        }
        self.out.close(b"}")
    }
}

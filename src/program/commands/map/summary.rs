//! `map --summary`: the bytes of a file by kind.

// Rule: this file sorts and maps by copies only.

use std::io::{self, Write};

use serde_json::json;

use super::kinds::{ALL, ByteKind, UNREADABLE};
use crate::Region;
use crate::program::input::RegionFile;
use crate::program::output::{JsonWriter, bytes, counted, ratio, thousands};

/// The width of the columns before the bars, in characters.
const COLUMNS: usize = 50;
/// The smallest and the largest length of a bar, in characters.
const BAR: [usize; 2] = [10, 100];
/// Parts of a block character, in eighths from 1 to 7.
const PARTS: [char; 7] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/// The bytes and the number of regions of one kind.
#[derive(Clone, Copy, Debug)]
pub struct KindTotal {
    pub kind: ByteKind,
    pub bytes: u64,
    pub regions: u64,
}

/// The totals of each kind of bytes in a file. Their memory does not depend on the file.
#[derive(Debug)]
pub struct KindTotals {
    all: [KindTotal; ALL.len()],
    /// The size of the file in bytes.
    pub size: u64,
}

impl KindTotals {
    /// Adds up the regions of a file, and passes each region to `also`. Returns the totals, and the
    /// error that ended the list of regions. The bytes after the error are unreadable.
    pub fn of(file: RegionFile<'_>, also: &mut dyn FnMut(&Region)) -> (Self, Option<crate::Error>) {
        let size = file.size();
        let mut totals = Self { all: ALL.map(|kind| KindTotal { kind, bytes: 0, regions: 0 }), size };
        let mut end = 0;
        let walked = file.regions(&mut |region| {
            totals.add(ByteKind::of(&region), region.len());
            end = region.end;
            also(&region);
        });
        if end < size {
            totals.add(UNREADABLE, size.saturating_sub(end));
        }
        (totals, walked.err())
    }

    fn add(&mut self, kind: ByteKind, bytes: u64) {
        if let Some(total) = self.all.iter_mut().find(|total| total.kind == kind) {
            total.bytes = total.bytes.saturating_add(bytes);
            total.regions = total.regions.saturating_add(1);
        }
    }

    /// Returns the kinds that have bytes in the file, those with the most bytes first.
    pub fn largest_first(&self) -> Vec<KindTotal> {
        let mut found: Vec<_> = self.all.iter().filter(|total| total.bytes > 0).copied().collect();
        found.sort_by_key(|total| std::cmp::Reverse(total.bytes));
        found
    }

    /// Returns the part of the file that a number of bytes is, from 0 to 1.
    pub fn share(&self, bytes: u64) -> f64 {
        ratio(bytes, self.size.max(1))
    }

    /// Prints a table with a bar for each kind, on lines of at most `width` characters.
    pub fn print(&self, path: &str, width: usize, out: &mut dyn Write) -> io::Result<()> {
        let found = self.largest_first();
        writeln!(out, "{path}: {}, {} of bytes", bytes(self.size), counted(found.len(), "kind"))?;
        writeln!(out, "  {:<16} {:>15} {:>7} {:>9}", "kind", "bytes", "share", "regions")?;
        let [least, most] = BAR;
        let length = width.saturating_sub(COLUMNS).clamp(least, most);
        let longest = found.first().map_or(0, |total| total.bytes);
        found.iter().try_for_each(|KindTotal { kind, bytes, regions }| {
            let share = format!("{:.1} %", self.share(*bytes) * 100.0);
            let (bytes_text, regions) = (thousands(*bytes), thousands(*regions));
            let bar = bar(*bytes, longest, length);
            let line = format!("  {:<16} {bytes_text:>15} {share:>7} {regions:>9} {bar}", kind.label());
            writeln!(out, "{}", line.trim_end())
        })
    }

    /// Writes the fields of the JSON object of the summary after its path.
    pub fn write_json(&self, out: &mut JsonWriter<'_>) -> io::Result<()> {
        out.key("bytes").unsigned(self.size)?;
        let kinds = self.largest_first().into_iter();
        out.key("kinds").values(kinds.map(|KindTotal { kind, bytes, regions }| {
            json!({ "kind": kind.name, "bytes": bytes, "share": self.share(bytes), "regions": regions })
        }))
    }
}

/// Returns a bar of block characters: `length` characters for `most` bytes. A kind with any bytes
/// has a bar that is not empty.
fn bar(bytes: u64, most: u64, length: usize) -> String {
    let length = u64::try_from(length).unwrap_or(u64::MAX).saturating_mul(8);
    let exact = u128::from(bytes).saturating_mul(length.into()).checked_div(most.into()).unwrap_or_default();
    let eighths = usize::try_from(exact).unwrap_or(usize::MAX).max(usize::from(bytes > 0));
    let part = (eighths % 8).checked_sub(1).and_then(|part| PARTS.get(part));
    "█".repeat(eighths / 8).chars().chain(part.copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::bar;

    #[test]
    fn draws_bars_in_eighths() {
        assert_eq!([100, 50, 1, 0].map(|bytes| bar(bytes, 100, 2)), ["██", "█", "▏", ""]);
        assert_eq!(bar(15, 16, 2), "█▉");
        assert_eq!(bar(u64::MAX, u64::MAX, 3), "███");
        assert_eq!(bar(0, 0, 3), "");
    }
}

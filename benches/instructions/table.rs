//! The table of the counts per item, and the tolerance for new counts.

use std::fmt::Write;
use std::process::Command;

use super::callgrind::{Count, Found};
use crate::support::claims::skipped;

/// The path of the table. It is read at run time, so a new table needs no new build.
const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/instructions/counts.txt");
/// The maximum ratio of a count to its count in the table.
const MORE: f64 = 1.06;
/// The maximum ratio if another compiler version made the table.
const MORE_ELSEWHERE: f64 = 1.25;
/// If a count is below its count in the table times this factor, the table should be written again.
const LESS: f64 = 0.94;

pub struct Table {
    rustc: String,
    level: String,
    /// The name of each item, and its number of instructions.
    counts: Vec<(String, f64)>,
}

impl Table {
    pub fn read() -> Self {
        let (mut rustc, mut level, mut counts) = (String::new(), String::new(), Vec::new());
        for line in std::fs::read_to_string(PATH).unwrap().lines().filter(|line| !line.starts_with('#')) {
            let (first, rest) = line.trim_start().split_once("  ").unwrap();
            match first {
                "compiler" => rustc = rest.into(),
                "processor" => level = rest.into(),
                count => counts.push((rest.into(), count.parse().unwrap())),
            }
        }
        Self { rustc, level, counts }
    }

    /// Prints each count with its limit. Returns the names of items that are above their limit, or
    /// missing on one side.
    pub fn judge(&self, found: &Found) -> Vec<String> {
        let rustc = rustc();
        println!("  kernels for {}, {rustc}", found.level);
        if found.level != self.level {
            skipped("all", &format!("the table was made with kernels for {}", self.level));
            return Vec::new();
        }
        let more = if self.rustc == rustc { MORE } else { MORE_ELSEWHERE };
        if self.rustc != rustc {
            println!("  the table was made with {}: a count may be up to {more} times the count in it", self.rustc);
        }
        let fails = |count: &&Count| {
            let known = self.counts.iter().find(|(name, _)| *name == count.name).map(|(_, known)| *known);
            !holds(count, known, more)
        };
        let failed = found.counts.iter().filter(fails).map(|count| count.name.clone());
        let gone = self.counts.iter().filter(|(name, _)| !found.counts.iter().any(|count| count.name == *name));
        failed.chain(gone.map(|(name, _)| format!("{name} (no longer counted)"))).collect()
    }
}

/// Prints a count, and returns whether it is low enough.
fn holds(Count { name, found, limit }: &Count, known: Option<f64>, more: f64) -> bool {
    let Some(known) = known else {
        println!("  {name:<58} {found:>12.3}  FAILS, not in the table");
        return false;
    };
    let limit = limit.min(known * more);
    let share = (found / known - 1.0) * 100.0;
    let verdict = if *found > limit {
        format!("FAILS, {share:+.1} %")
    } else if *found < known * LESS {
        format!("holds, {share:+.1} %: MESHPEEK_BLESS=1 lowers the table")
    } else {
        "holds".into()
    };
    println!("  {name:<58} {found:>12.3}  at most {limit:>12.3}: {verdict}");
    *found <= limit
}

/// Writes the table again.
pub fn bless(found: &Found) {
    let mut out = String::from(
        "# Instructions for each item, as `MESHPEEK_BLESS=1 cargo bench --bench instructions` counted them.\n",
    );
    writeln!(out, "   compiler  {}\n  processor  {}", rustc(), found.level).unwrap();
    for Count { name, found, .. } in &found.counts {
        println!("  {name:<58} {found:>12.3}");
        writeln!(out, "{found:>11.3}  {name}").unwrap();
    }
    std::fs::write(PATH, out).unwrap();
    println!("  written to {PATH}");
}

/// Returns the version line of the compiler.
fn rustc() -> String {
    let output = Command::new("rustc").arg("--version").output();
    let version = output.ok().and_then(|output| String::from_utf8(output.stdout).ok()).unwrap_or_default();
    version.trim().into()
}

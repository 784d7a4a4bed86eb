//! A record of a complete run: `benches/record/DATE-CPU.json`.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use meshpeek_competitors::{Figure, processor};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::host::{self, Host};

/// The folder with the records.
pub const FOLDER: &str = "benches/record";

#[derive(Debug, Deserialize, Serialize)]
pub struct Record {
    pub date: String,
    pub host: Host,
    pub cpu: String,
    pub rustc: String,
    pub commit: String,
    pub lines: Vec<Figure>,
    /// The competitors that were not measured, each with the reason.
    pub skipped: Vec<String>,
    /// The file in the same folder with the plot of `bench`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plot: Option<String>,
    /// The output of `meshpeek bench --json`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bench: Option<Value>,
    /// The figures of the benches, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<Claim>,
}

/// A figure that a bench prints with `-- claims`.
#[derive(Debug, Deserialize, Serialize)]
pub struct Claim {
    pub bench: String,
    pub question: String,
    pub what: String,
    /// The median, the least and the most, with the unit.
    pub found: String,
    /// The figure that the project requires, and whether it holds. Empty if there is none.
    pub bar: String,
}

/// Returns the name of a record with the present date and the processor of this machine.
pub fn name() -> String {
    let words = processor::name().to_lowercase().replace("(r)", "").replace("(tm)", "");
    let words: Vec<&str> = words.split(|letter: char| !letter.is_ascii_alphanumeric()).collect();
    let words = words.into_iter().filter(|word| !["", "cpu", "processor"].contains(word));
    format!("{}-{}", host::date(), words.collect::<Vec<_>>().join("-"))
}

impl Record {
    /// Creates a record from the output of the scripts, and from the output of `meshpeek bench`.
    pub fn new(name: &str, lines: &str, bench: Option<&Path>, claims: &str) -> Result<Self, Box<dyn Error>> {
        let plot = format!("{name}.svg");
        let parsed = lines.lines().filter(|line| line.starts_with('{')).map(serde_json::from_str);
        let skipped = lines.lines().filter_map(|line| line.strip_prefix("skipped: "));
        Ok(Self {
            date: host::date(),
            host: Host::new(),
            cpu: processor::name(),
            rustc: host::rustc(),
            commit: host::commit(),
            lines: parsed.collect::<Result<_, _>>()?,
            skipped: skipped.map(String::from).collect(),
            plot: Some(plot).filter(|plot| bench.is_some() && Path::new(FOLDER).join(plot).exists()),
            bench: bench
                .map(|bench| -> Result<_, Box<dyn Error>> { Ok(serde_json::from_str(&fs::read_to_string(bench)?)?) })
                .transpose()?,
            claims: Claim::parse(claims),
        })
    }

    pub fn open(path: &Path) -> Result<Self, Box<dyn Error>> {
        let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?)
    }

    /// Returns the path of the newest record.
    pub fn newest() -> Result<PathBuf, Box<dyn Error>> {
        let paths = fs::read_dir(FOLDER)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, std::io::Error>>()?;
        let records = paths.into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "json"));
        Ok(records.max().ok_or("there is no record: benches/competitors/run makes one")?)
    }

    pub fn write(&self, name: &str) -> Result<PathBuf, Box<dyn Error>> {
        fs::create_dir_all(FOLDER)?;
        let path = Path::new(FOLDER).join(format!("{name}.json"));
        fs::write(&path, laid(&serde_json::to_value(self)?, 0) + "\n")?;
        Ok(path)
    }

    /// Returns the date, the machine and the software of the measurement.
    pub fn place(&self) -> String {
        let Host { os, kernel, cores, memory_bytes, processor, .. } = &self.host;
        let processor = if processor.is_empty() { String::new() } else { format!(" ({processor})") };
        let memory = memory_bytes.map_or(String::new(), |bytes| format!("{:.0} GiB, ", bytes as f64 / 1024f64.powi(3)));
        let Self { date, cpu, rustc, .. } = self;
        let (hash, dirty) = self.commit.split_once('-').unwrap_or((&self.commit, ""));
        let commit = [hash.get(..12).unwrap_or(hash), dirty].join(" ");
        format!(
            "{date}, commit {}, {rustc}; {cpu}{processor}, {cores} cores, {memory}{os}, {kernel}",
            commit.trim_end()
        )
    }

    /// Returns whether every figure meets its bar.
    pub fn holds(&self) -> bool {
        self.lines.iter().all(Figure::holds)
    }
}

/// Formats a value as JSON. Each item of a list and each field of the outermost objects has its own
impl Claim {
    /// Reads the output of the benches, where a line `bench NAME` precedes that of each.
    fn parse(text: &str) -> Vec<Self> {
        let (mut bench, mut question, mut claims) = ("", "", Vec::new());
        for line in text.lines() {
            if let Some(name) = line.strip_prefix("bench ") {
                bench = name;
            } else if let Some(claim) = line.strip_prefix("  ") {
                let mut cells = claim.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).map(String::from);
                if let [Some(what), Some(found)] = [cells.next(), cells.next()] {
                    let bar = cells.next().unwrap_or_default();
                    claims.push(Self { bench: bench.into(), question: question.into(), what, found, bar });
                }
            } else if !line.is_empty() {
                question = line.split(", median [").next().unwrap_or(line);
            }
        }
        claims
    }
}

/// line; everything inside of it is on the same line.
fn laid(value: &Value, depth: usize) -> String {
    let lines = |items: Vec<String>| items.join(",\n");
    match value {
        Value::Array(items) if !items.is_empty() => {
            format!("[\n{}\n]", lines(items.iter().map(|item| laid(item, depth + 2)).collect()))
        }
        Value::Object(fields) if depth < 2 => {
            let field = |(name, value): (&String, &Value)| {
                format!("{}: {}", Value::from(name.as_str()), laid(value, depth + 1))
            };
            format!("{{\n{}\n}}", lines(fields.iter().map(field).collect()))
        }
        other => other.to_string(),
    }
}

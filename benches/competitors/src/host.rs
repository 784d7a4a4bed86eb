//! The machine and the software with which figures were measured. The name of the machine is never
//! included.

use std::fs;
use std::process::Command;

use meshpeek_competitors::processor;
use serde::{Deserialize, Serialize};

#[derive(Debug, Deserialize, Serialize)]
pub struct Host {
    pub os: String,
    pub kernel: String,
    pub cores: usize,
    pub memory_bytes: Option<u64>,
    /// The vendor and the numbers of the processor, because different processors have the same
    /// name. This and the vector instructions are empty in the records before December 2026.
    #[serde(default)]
    pub processor: String,
    #[serde(default)]
    pub vectors: String,
}

impl Host {
    pub fn new() -> Self {
        let memory = line("/proc/meminfo", "MemTotal:").and_then(|kib| kib.strip_suffix(" kB")?.parse::<u64>().ok());
        Self {
            os: line("/etc/os-release", "PRETTY_NAME=").unwrap_or_else(|| std::env::consts::OS.into()),
            kernel: said("uname", &["-sr"]),
            cores: std::thread::available_parallelism().map_or(0, usize::from),
            memory_bytes: memory.map(|kib| kib * 1024),
            processor: processor::numbers(),
            vectors: processor::vectors(),
        }
    }
}

pub fn rustc() -> String {
    said("rustc", &["--version"])
}

/// Returns the commit, followed by `-dirty` if files in the work tree are changed.
pub fn commit() -> String {
    said("git", &["describe", "--always", "--abbrev=40", "--exclude=*", "--dirty"])
}

pub fn date() -> String {
    said("date", &["-u", "+%F"])
}

/// Returns the text after a key in the first line that starts with it, without colons, blanks and
/// quotes at its ends.
fn line(file: &str, key: &str) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    let rest = text.lines().find_map(|line| line.strip_prefix(key))?;
    Some(rest.trim_matches(|ends: char| ends.is_whitespace() || ends == ':' || ends == '"').into())
}

fn said(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output().ok().filter(|output| output.status.success());
    output.map_or("unknown".into(), |output| String::from_utf8_lossy(&output.stdout).trim().into())
}

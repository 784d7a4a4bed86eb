//! The processor of this machine. Virtual machines often hide its name, but not its numbers.

use std::fs;

/// Returns the name that the processor gives itself.
#[must_use]
pub fn name() -> String {
    field("model name").unwrap_or_else(|| format!("unknown {}", std::env::consts::ARCH))
}

/// Returns the vendor and the numbers of the processor.
#[must_use]
pub fn numbers() -> String {
    let keys = ["vendor_id", "cpu family", "model", "stepping"];
    let numbers = keys.iter().filter_map(|key| Some(format!("{key} {}", field(key)?)));
    numbers.collect::<Vec<_>>().join(", ")
}

/// Returns the vector instructions of the processor.
#[must_use]
pub fn vectors() -> String {
    let flags = field("flags").unwrap_or_default();
    let is_vector = |flag: &&str| ["avx", "amx", "fma", "sse4", "bmi"].iter().any(|start| flag.starts_with(start));
    flags.split(' ').filter(is_vector).collect::<Vec<_>>().join(" ")
}

/// Returns a field of the first processor.
fn field(name: &str) -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let fields = text.lines().filter_map(|line| line.split_once(':'));
    fields.into_iter().find(|(key, _)| key.trim() == name).map(|(_, value)| value.trim().into())
}

//! Code that the tests share: sample files, files built byte by byte, and checks that hold for any
//! bytes.
#![allow(dead_code, unused_imports, reason = "each test binary uses a part")]

pub mod allocations;
pub mod cases;
pub mod ezmesh;
#[cfg(test)]
pub mod files;
pub mod invariants;
#[cfg(test)]
pub mod process;
pub mod query;
pub mod random;
pub mod secondlife;
pub mod sidecar;
#[cfg(test)]
pub mod stopwatch;
pub mod unigine;
pub mod unreal;
pub mod walk;
pub mod writers;

use std::io::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use meshpeek::{Error, ErrorKind};

/// Returns `base` with other values in some of its public fields, such as
/// `Limits::default().with_items(3)`.
macro_rules! changed {
    ($base:expr, $($field:ident: $value:expr),+ $(,)?) => {{
        let mut changed = $base;
        $(changed.$field = $value;)+
        changed
    }};
}
pub(crate) use changed;

/// Returns whether an error is of the kind `kind` and its message contains each of `texts`.
pub fn is_error(error: impl std::borrow::Borrow<Error>, kind: ErrorKind, texts: &[&str]) -> bool {
    let (error, message) = (error.borrow(), error.borrow().message().to_string());
    error.kind() == kind && texts.iter().all(|text| message.contains(text))
}

/// Makes the error for an index that a list of `count` items does not have.
pub fn no_such(count: usize, index: usize) -> Error {
    let text = match count {
        0 => format!("found number {index}, but there are none"),
        _ => format!("expected a number below {count}, found {index}"),
    };
    Error::custom(ErrorKind::NoSuch, text)
}

/// Returns the message of an error about the limit `name`.
pub fn limit_message(name: &str, allowed: u64, asked: u64) -> String {
    format!("expected at most {allowed} (the limit `{name}`), found at least {asked}")
}

/// The time after which a test takes something for stuck. A test waits for an event, so this is far
/// above the time of a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(600);

/// Prints that the current test, or the rest of it, is skipped.
///
/// The line begins with `skipped: ` and the name of the test. The test harness captures the output
/// of the print macros, but not this line, so a script can count these lines.
#[track_caller]
pub fn skip(reason: &str) {
    let thread = std::thread::current();
    let place = std::panic::Location::caller();
    // With one test thread, the harness runs tests in the main thread.
    let name = thread.name().filter(|name| *name != "main").map_or_else(|| place.to_string(), str::to_owned);
    let _ = std::io::stderr().write_all(format!("skipped: {name}: {reason}\n").as_bytes());
}

/// Returns the folder of real files for a format, if the machine has one.
pub fn corpus(format: &str) -> Option<PathBuf> {
    let Some(folder) = std::env::var_os("MESHPEEK_CORPUS") else {
        skip("MESHPEEK_CORPUS names no folder of real files");
        return None;
    };
    let folder = PathBuf::from(folder).join(format);
    assert!(folder.is_dir(), "MESHPEEK_CORPUS has no folder {}", folder.display());
    Some(folder)
}

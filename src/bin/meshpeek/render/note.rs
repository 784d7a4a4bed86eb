//! Notes on standard error.

use std::io::Write as _;

use crate::args::Global;

/// Prints a note on standard error, unless `--quiet` was given.
pub fn note(text: &str, global: &Global) {
    if !global.quiet {
        // A note that cannot be written is not worth a failure.
        let _ = writeln!(anstream::stderr(), "{text}");
    }
}

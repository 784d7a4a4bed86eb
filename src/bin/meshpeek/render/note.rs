//! Notes to the user, which are printed on standard error.

use std::io::Write as _;

use crate::args::Global;

/// Prints a note on standard error, unless the option `--quiet` was given.
pub fn note(text: &str, global: &Global) {
    if !global.quiet {
        // If the note cannot be written, the command does not fail.
        let _ = writeln!(anstream::stderr(), "{text}");
    }
}

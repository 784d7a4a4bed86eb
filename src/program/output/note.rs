//! Notes to the user, which are printed on standard error.

use std::io::Write as _;

use super::progress::suspended;
use crate::program::args::Global;

/// Prints a note on standard error, unless the option `--quiet` was given.
pub fn note(text: &str, global: &Global) {
    if !global.quiet {
        // If writing the note fails, the failure is ignored, because a note is not part of the
        // result of the command.
        let _ = suspended(|| writeln!(anstream::stderr(), "{text}"));
    }
}

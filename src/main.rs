//! The command-line program meshpeek. Its code is in `src/program`.

use std::process::ExitCode;

fn main() -> ExitCode {
    meshpeek::run()
}

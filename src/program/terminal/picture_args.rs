//! The options of verbs that print pictures next to their text.

use std::io::IsTerminal as _;

use clap::Args;

use super::protocol::{BlockColors, Protocol, ProtocolChoice};
use super::{Terminal, variable};
use crate::program::args::Global;
use crate::program::outcome::{UsageError, usage};

/// The options of pictures in the terminal.
#[derive(Debug, Args)]
#[command(next_help_heading = "Pictures")]
pub struct PictureArgs {
    /// Show a picture of each mesh in the terminal
    #[arg(long)]
    pub picture: bool,
    /// How the terminal shows pictures
    #[arg(long, value_enum, value_name = "PROTOCOL", default_value = "auto", requires = "picture")]
    protocol: ProtocolChoice,
}

impl PictureArgs {
    /// Returns the terminal that gets pictures, or `None` without the option `--picture`.
    ///
    /// A protocol that is named is printed to a file or a pipe, too.
    pub fn terminal(&self, global: &Global) -> Result<Option<Terminal>, UsageError> {
        if !self.picture {
            return Ok(None);
        }
        if global.json {
            usage!("--picture: JSON has no pictures; leave one of --picture and --json out");
        }
        if self.protocol == ProtocolChoice::Auto && !std::io::stdout().is_terminal() {
            usage!(
                "--picture: standard output is not a terminal; write pictures to files with `meshpeek view`, or \
                        name the protocol of the terminal that gets the output, such as --protocol blocks"
            );
        }
        Terminal::detect(self.protocol, global.color).map(Some)
    }

    /// Returns the colours of pictures of blocks, or `None` without the option `--picture`.
    pub fn blocks(&self, global: &Global) -> Result<Option<BlockColors>, UsageError> {
        if self.picture && !matches!(self.protocol, ProtocolChoice::Auto | ProtocolChoice::Blocks) {
            usage!("--protocol: expected blocks, which fit into the lines of a table");
        }
        Ok(self.terminal(global)?.map(|terminal| match terminal.protocol {
            Protocol::Blocks(colors) => colors,
            _ => BlockColors::detect(global.color, &variable),
        }))
    }
}

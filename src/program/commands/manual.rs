//! `completions` and `man`: print shell completion scripts and manual pages. The completion scripts
//! and the manual pages are generated from the definitions of the command line arguments.

use std::io::{self, Write as _};

use clap::{Args, Command};
use clap_complete::Shell;

use crate::program::outcome::{Outcome, UsageError};

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  meshpeek completions bash > ~/.local/share/bash-completion/completions/meshpeek")]
pub struct CompletionsArgs {
    /// Shell to print completions for
    #[arg(value_enum)]
    shell: Shell,
}

impl CompletionsArgs {
    pub fn run(&self, mut command: Command) -> anyhow::Result<Outcome> {
        let mut page = Vec::new();
        clap_complete::generate(self.shell, &mut command, "meshpeek", &mut page);
        io::stdout().lock().write_all(&page)?;
        Ok(Outcome::Fine)
    }
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  meshpeek man dump | man -l -")]
pub struct ManArgs {
    /// Verb to describe; without it, the whole program
    verb: Option<String>,
}

impl ManArgs {
    pub fn run(&self, mut command: Command) -> anyhow::Result<Outcome> {
        command.build();
        let page = match &self.verb {
            None => command,
            Some(verb) => match command.find_subcommand(verb) {
                Some(found) => found.clone(),
                None => {
                    return Err(UsageError(format!(
                        "man: expected a verb, found {verb:?}; `meshpeek --help` lists them"
                    ))
                    .into());
                }
            },
        };
        let mut text = Vec::new();
        clap_mangen::Man::new(page).render(&mut text)?;
        io::stdout().lock().write_all(&text)?;
        Ok(Outcome::Fine)
    }
}

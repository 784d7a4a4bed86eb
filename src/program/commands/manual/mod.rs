//! `completions` and `man`: print shell completion scripts and manual pages. The completion scripts
//! and the manual pages are generated from the definitions of the command line arguments.

mod page;

use std::io::{self, Write as _};

use clap::{Arg, Args, Command, ValueHint};
use clap_complete::Shell;

use crate::program::outcome::{Outcome, usage};

/// The name of the manual page about the JSON output.
const JSON_PAGE: &str = "json";
/// The text of the manual page about the JSON output.
const JSON_GUIDE: &str = include_str!("../../../guide/json.md");

#[derive(Debug, Args)]
#[command(
    after_help = "Prints a script for a shell to standard output. The shell then completes verbs, options and their values.

Examples:
  meshpeek completions bash > meshpeek.bash
  meshpeek completions zsh > _meshpeek
  meshpeek completions fish > meshpeek.fish"
)]
pub struct CompletionsArgs {
    /// Shell to print completions for
    #[arg(value_enum)]
    shell: Shell,
}

impl CompletionsArgs {
    pub fn run(&self, command: Command) -> anyhow::Result<Outcome> {
        let mut page = Vec::new();
        let mut command = without_files(command);
        clap_complete::generate(self.shell, &mut command, "meshpeek", &mut page);
        io::stdout().lock().write_all(&page)?;
        Ok(Outcome::Fine)
    }
}

/// Tells shells not to complete files after options whose values are no paths.
fn without_files(command: Command) -> Command {
    let is_other = |one: &Arg| {
        let takes_value = !one.is_positional() && one.get_action().takes_values();
        takes_value && one.get_value_hint() == ValueHint::Unknown
    };
    let command = command.mut_args(|one| if is_other(&one) { one.value_hint(ValueHint::Other) } else { one });
    command.mut_subcommands(without_files)
}

#[derive(Debug, Args)]
#[command(
    after_help = "Prints a manual page in the format of `man` to standard output. `meshpeek man dump | man -l -` shows one.

Examples:
  meshpeek man > meshpeek.1
  meshpeek man dump > meshpeek-dump.1
  meshpeek man json > meshpeek-json.5"
)]
pub struct ManArgs {
    /// Verb to describe, or `json` for the JSON output; without it, the whole program
    #[arg(value_name = "VERB")]
    verb: Option<String>,
}

impl ManArgs {
    pub fn run(&self, mut command: Command) -> anyhow::Result<Outcome> {
        command.build();
        let page = match self.verb.as_deref() {
            None => page::program(&command)?,
            Some(JSON_PAGE) => page::guide("meshpeek-json", "JSON output of meshpeek", JSON_GUIDE),
            Some(verb) => match command.find_subcommand(verb).filter(|found| found.get_name() != "help") {
                Some(found) => page::verb(found)?,
                None => {
                    usage!("man: expected a verb or {JSON_PAGE}, found {verb:?}; `meshpeek --help` lists the verbs");
                }
            },
        };
        io::stdout().lock().write_all(page.as_bytes())?;
        Ok(Outcome::Fine)
    }
}

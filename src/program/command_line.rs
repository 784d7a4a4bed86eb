//! Completes the command line before it is parsed, and reports why it cannot be parsed.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::error::ErrorKind;
use clap::{Arg, Command};

use super::args::STDIN;
use super::outcome::Outcome;
use super::render::report::print_usage_failure;
use super::render::text::complain;
use crate::formats::unreal::companions::Finder;

/// The verb of a command line that names only files.
const DEFAULT_VERB: &str = "info";
/// The argument after which no argument is an option.
const END_OF_OPTIONS: &str = "--";

/// Returns the arguments with the verb `info` inserted, if the first argument that is not an option
/// is a file and not a verb.
///
/// A word that is neither a verb nor looks like a file stays, because it is probably a misspelt
/// verb.
pub fn with_verb(command: &Command, mut arguments: Vec<OsString>) -> Vec<OsString> {
    let Some(first) = first_operand(command, &arguments) else { return arguments };
    if !is_verb(command, first) && is_file(first) {
        arguments.insert(1.min(arguments.len()), DEFAULT_VERB.into());
    }
    arguments
}

fn is_verb(command: &Command, name: &OsStr) -> bool {
    name == "help" || command.get_subcommands().any(|verb| verb.get_name() == name)
}

/// Returns whether an argument is an option with this name, such as `--json` or `-v`.
fn is_named(option: &Arg, name: &str) -> bool {
    let is_short = |short: char| name.strip_prefix('-').is_some_and(|name| name.starts_with(short));
    match name.strip_prefix("--") {
        Some(long) => option.get_long() == Some(long),
        None => option.get_short().is_some_and(is_short),
    }
}

/// Returns the first argument that is neither an option nor the value of an option of every verb.
fn first_operand<'a>(command: &Command, arguments: &'a [OsString]) -> Option<&'a OsStr> {
    let takes_value = |option: &str| {
        let known = command.get_arguments().find(|known| is_named(known, option));
        known.is_some_and(|known| known.get_action().takes_values())
    };
    let mut rest = arguments.iter().skip(1);
    while let Some(argument) = rest.next() {
        match argument.to_str() {
            Some(END_OF_OPTIONS) => return rest.next().map(OsString::as_os_str),
            Some(STDIN) | None => return Some(argument),
            Some(option) if option.starts_with('-') => {
                // The word after an option of a verb may be its value or a file.
                let is_unknown = !option.contains('=') && command.get_arguments().all(|known| !is_named(known, option));
                let may_be_value = |next: &&OsString| is_unknown && !is_verb(command, next) && !is_file(next);
                if takes_value(option) || rest.clone().next().is_some_and(|next| may_be_value(&next)) {
                    rest.next();
                }
            }
            Some(_) => return Some(argument),
        }
    }
    None
}

/// Returns whether an argument looks like a file: it exists, it has the characters of a path or a
/// pattern, or it is the stem of an Unreal mesh.
fn is_file(argument: &OsStr) -> bool {
    let is_path = argument.to_str().is_none_or(|text| text == STDIN || text.contains(['.', '/', '\\', '*', '?']));
    is_path || Path::new(argument).exists() || Finder::new().find(Path::new(argument)).is_ok()
}

/// Prints an error about the command line, or the help that was requested.
pub fn report(error: &clap::Error, arguments: &[OsString]) -> Outcome {
    // If printing fails, the exit code still reports the error.
    let _ = error.print();
    if error.kind() == ErrorKind::InvalidSubcommand {
        complain(&"no verb and no file has this name; `meshpeek FILE` describes a file");
    }
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        return Outcome::Fine;
    }
    let options = arguments.iter().take_while(|argument| *argument != END_OF_OPTIONS);
    if options.into_iter().any(|option| option == "--json") {
        let _ = print_usage_failure(&first_paragraph(&error.render().to_string()));
    }
    Outcome::Usage
}

/// Returns the first paragraph of an error on one line, without the word `error`.
fn first_paragraph(text: &str) -> String {
    let text = text.strip_prefix("error: ").unwrap_or(text);
    let lines = text.lines().take_while(|line| !line.is_empty());
    lines.map(str::trim).collect::<Vec<_>>().join(" ")
}

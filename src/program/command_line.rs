//! Completes the command line before it is parsed, and reports why it cannot be parsed.

use std::any::TypeId;
use std::error::Error as _;
use std::ffi::{OsStr, OsString};
use std::num::ParseIntError;
use std::path::{Path, PathBuf};

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command};

use super::args::STDIN;
use super::outcome::Outcome;
use super::output::{complain_about, print_usage_failure, shown};
use crate::formats::mesh_files::Finder;

/// The verb of a command line that names only files.
const DEFAULT_VERB: &str = "info";
/// The argument after which no argument is an option.
const END_OF_OPTIONS: &str = "--";

/// Words of other programs for each verb.
const OTHER_NAMES: [(&str, &[&str]); 8] = [
    ("info", &["stats", "stat", "describe", "inspect", "summary", "details", "show-info", "identify"]),
    ("ls", &["list", "dir", "table", "find", "search", "tree", "count"]),
    ("validate", &["check", "verify", "lint", "test", "audit"]),
    ("convert", &["export", "transcode", "to", "import", "translate"]),
    ("view", &["render", "draw", "show", "preview", "picture", "screenshot", "thumbnail", "display", "open", "sheet"]),
    ("dump", &["print", "cat", "values", "extract"]),
    ("diff", &["compare", "cmp", "delta"]),
    ("query", &["raycast", "ray", "nearest", "pick"]),
];

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

/// Returns the arguments in which an option and its negative number are one argument, so that the
/// number is an invalid value of the option, and not an unknown option.
pub fn with_negative_numbers(command: &Command, arguments: Vec<OsString>) -> Vec<OsString> {
    let verb =
        first_operand(command, &arguments).and_then(OsStr::to_str).and_then(|verb| command.find_subcommand(verb));
    let verbs = [Some(command), verb].into_iter().flatten();
    let questions = verb.into_iter().flat_map(Command::get_subcommands);
    let options: Vec<&Arg> = verbs.chain(questions).flat_map(Command::get_arguments).collect();
    let takes_number = |name: &str| {
        let is_whole = name.starts_with("--") || name.len() == 2;
        is_whole && options.iter().any(|option| is_named(option, name) && takes_number(option))
    };
    let mut joined: Vec<OsString> = Vec::with_capacity(arguments.len());
    let mut is_over = false;
    for argument in arguments {
        is_over |= argument == END_OF_OPTIONS;
        let number = argument.to_str().filter(|text| !is_over && is_negative_number(text));
        let option = joined.last().and_then(|last| last.to_str()).filter(|name| takes_number(name));
        match (number, option) {
            (Some(number), Some(option)) => {
                let both = OsString::from(format!("{option}={number}"));
                joined.pop();
                joined.push(both);
            }
            _ => joined.push(argument),
        }
    }
    joined
}

/// Returns whether an option takes a value that is no text and no path.
fn takes_number(option: &Arg) -> bool {
    let kind = option.get_value_parser().type_id();
    let texts = [TypeId::of::<String>(), TypeId::of::<OsString>(), TypeId::of::<PathBuf>()];
    option.get_action().takes_values() && !option.is_require_equals_set() && texts.iter().all(|text| kind != *text)
}

fn is_negative_number(text: &str) -> bool {
    let starts = text.strip_prefix('-').is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()));
    starts && text.parse::<f64>().is_ok()
}

/// Prints an error about the command line, or the help that was requested.
pub fn report(error: clap::Error, command: &Command, arguments: &[OsString]) -> Outcome {
    let error = with_tips(error, command, arguments);
    let printed = error.print();
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        return printed.map_or_else(|error| complain_about(&error.into()), |()| Outcome::Fine);
    }
    let options = arguments.iter().take_while(|argument| *argument != END_OF_OPTIONS);
    if options.into_iter().any(|option| option == "--json") {
        let _ = print_usage_failure(&first_paragraph(&error.render().to_string()));
    }
    Outcome::Usage
}

/// Replaces the tips of an error by those that fit.
fn with_tips(mut error: clap::Error, command: &Command, arguments: &[OsString]) -> clap::Error {
    let context = |error: &clap::Error, kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.clone(),
        _ => String::new(),
    };
    let verb = first_operand(command, arguments).and_then(OsStr::to_str).and_then(|verb| command.find_subcommand(verb));
    let invalid = context(&error, ContextKind::InvalidArg);
    match error.kind() {
        ErrorKind::InvalidSubcommand => {
            let name = context(&error, ContextKind::InvalidSubcommand);
            if let Some((verb, _)) = OTHER_NAMES.iter().find(|(_, names)| names.contains(&&*name.to_lowercase())) {
                error.insert(ContextKind::SuggestedSubcommand, ContextValue::String((*verb).to_owned()));
            }
            suggest(&mut error, "no file has this name, either; `meshpeek FILE` describes a file".to_owned());
        }
        ErrorKind::UnknownArgument if invalid.starts_with('-') => {
            error.remove(ContextKind::Suggested);
            // The error has the first letter of the name only.
            let is_of_file = |argument: &&OsString| {
                argument.as_encoded_bytes().starts_with(invalid.as_bytes()) && Path::new(argument).is_file()
            };
            if let Some(file) = arguments.iter().find(is_of_file) {
                suggest(&mut error, format!("a file has this name; write ./{}", shown(Path::new(file))));
            }
            let has = |other: &&Command| other.get_arguments().any(|option| is_named(option, &invalid));
            let verbs: Vec<&str> = command.get_subcommands().filter(has).map(Command::get_name).collect();
            if !verbs.is_empty() && invalid.starts_with("--") {
                suggest(&mut error, format!("{invalid} is an option of {}", verbs.join(", ")));
            }
        }
        ErrorKind::UnknownArgument if verb.is_some_and(Command::has_subcommands) => {
            let kinds = verb.into_iter().flat_map(Command::get_subcommands).map(Command::get_name);
            let kinds: Vec<&str> = kinds.filter(|kind| *kind != "help").collect();
            suggest(&mut error, format!("the kinds are {}", kinds.join(", ")));
        }
        ErrorKind::UnknownArgument | ErrorKind::MissingRequiredArgument if verb.is_some_and(needs_output) => {
            let files = arguments.iter().filter(|argument| !argument.as_encoded_bytes().starts_with(b"-"));
            let named = files.skip(1).filter(|argument| verb.is_none_or(|verb| *argument != verb.get_name()));
            let output = named.skip(1).last().map_or_else(|| "OUT".into(), |output| output.to_string_lossy());
            suggest(&mut error, format!("-o names the output: -o {output}"));
        }
        ErrorKind::ValueValidation if is_of_integer(&error) => {
            let value = context(&error, ContextKind::InvalidValue);
            let text = format!("invalid value '{value}' for '{invalid}': expected a whole number of 0 or more\n");
            return clap::Error::raw(ErrorKind::ValueValidation, text);
        }
        _ => {}
    }
    error
}

/// Returns whether the value of an option is not a whole number, or below 0 if all others are
/// allowed.
fn is_of_integer(error: &clap::Error) -> bool {
    error.source().is_some_and(|source| {
        let text = source.to_string();
        source.is::<ParseIntError>() || text.starts_with('-') && text.contains(" is not in 0..=")
    })
}

fn suggest(error: &mut clap::Error, tip: String) {
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![StyledStr::from(tip)]));
}

/// Returns whether a verb writes a file that the command line must name with `-o`.
fn needs_output(verb: &Command) -> bool {
    verb.get_arguments().any(|option| option.get_short() == Some('o') && option.is_required_set())
}

/// Returns the first paragraph of an error on one line, without the word `error`.
fn first_paragraph(text: &str) -> String {
    let text = text.strip_prefix("error: ").unwrap_or(text);
    let lines = text.lines().take_while(|line| !line.is_empty());
    lines.map(str::trim).collect::<Vec<_>>().join(" ")
}

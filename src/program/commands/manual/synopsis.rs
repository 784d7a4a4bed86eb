//! The synopsis of a manual page: the options with the names of their values, and the files.

use clap::builder::Str;
use clap::{Arg, ArgAction, Command};

use super::markdown::escaped;

/// Returns the section with the synopsis of a command.
pub fn synopsis(command: &Command) -> String {
    let name = command.get_bin_name().unwrap_or_else(|| command.get_name());
    let mut words = vec![format!("\\fB{}\\fR", escaped(name))];
    let shown = || command.get_arguments().filter(|one| !one.is_hide_set());
    words.extend(shown().filter(|one| !one.is_positional()).map(option));
    if command.has_subcommands() {
        words.push("\\fICOMMAND\\fR".to_owned());
    }
    words.extend(shown().filter(|one| one.is_positional()).map(|one| {
        let more = if is_repeated(one) { "..." } else { "" };
        bracketed(format!("{}{more}", values(one)), one.is_required_set())
    }));
    format!(".SH SYNOPSIS\n{}\n", words.join(" "))
}

/// Returns an option with its names and its value.
fn option(option: &Arg) -> String {
    let short = option.get_short().map(|short| format!("-{short}"));
    let long = option.get_long().map(|long| format!("--{long}"));
    let names: Vec<String> = short.into_iter().chain(long).map(|name| format!("\\fB{}\\fR", escaped(&name))).collect();
    let between = if option.is_require_equals_set() { "=" } else { " " };
    let least = option.get_num_args().map_or(1, |range| range.min_values());
    let value = match option.get_action().takes_values() {
        false => String::new(),
        true if least == 0 => format!("[{between}{}]", values(option)),
        true => format!("{between}{}", values(option)),
    };
    let more = if is_repeated(option) { "..." } else { "" };
    format!("{}{more}", bracketed(format!("{}{value}", names.join("|")), option.is_required_set()))
}

/// Returns whether an argument may be given several times.
fn is_repeated(argument: &Arg) -> bool {
    matches!(argument.get_action(), ArgAction::Append)
}

/// Returns the names of the values of an argument.
fn values(argument: &Arg) -> String {
    let own = argument.get_id().as_str().to_uppercase();
    let names = argument.get_value_names().unwrap_or_default().iter().map(Str::as_str);
    let names: Vec<String> = names.map(|name| format!("\\fI{}\\fR", escaped(name))).collect();
    if names.is_empty() { format!("\\fI{}\\fR", escaped(&own)) } else { names.join(" ") }
}

fn bracketed(text: String, is_required: bool) -> String {
    if is_required { text } else { format!("[{text}]") }
}

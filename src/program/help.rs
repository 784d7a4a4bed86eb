//! Shapes the help texts of all verbs: `-h` prints the options of the verb and examples, `--help`
//! also prints the description. The options of every verb are listed by `meshpeek --help` alone.

use clap::{Arg, Command};

/// The first word of the examples in a help text.
const EXAMPLES: &str = "Example";
/// The last line of the help of a verb.
const MORE: &str = "Options of every verb, such as --json, --quiet and --color: meshpeek --help";

/// Returns the command with the help texts of all verbs.
pub fn with_help(command: Command) -> Command {
    let global: Vec<Arg> = command.get_arguments().filter(|one| one.is_global_set()).cloned().collect();
    command.mut_subcommands(|verb| {
        let full = verb.get_after_help().map(ToString::to_string).unwrap_or_default();
        let examples = full.find(EXAMPLES).and_then(|start| full.get(start..)).unwrap_or_default().to_owned();
        let hidden = global.iter().map(|one| one.clone().hide(true));
        verb.args(hidden).after_help(format!("{examples}\n\n{MORE}")).after_long_help(format!("{full}\n\n{MORE}"))
    })
}

/// Returns the description of a verb and its examples: the text before the examples, and the lines
/// of the examples.
pub fn description_and_examples(verb: &Command) -> (String, Vec<String>) {
    let text = verb.get_after_long_help().or(verb.get_after_help()).map(ToString::to_string).unwrap_or_default();
    let text = text.replace(MORE, "");
    let start = text.find(EXAMPLES).unwrap_or(text.len());
    let (description, examples) = text.split_at_checked(start).unwrap_or((&text, ""));
    let lines = examples.lines().skip(1).map_while(|line| line.strip_prefix("  "));
    (description.trim().to_owned(), lines.map(str::to_owned).collect())
}

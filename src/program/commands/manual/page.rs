//! Makes manual pages: the sections of `clap_mangen`, sections about examples, exit codes, files
//! and the environment, and pages of the Markdown of the guide.

use std::io;
use std::iter::Peekable;
use std::str::Lines;

use clap::builder::Str;
use clap::{Arg, ArgAction, Command};
use clap_mangen::Man;

use crate::program::help::description_and_examples;

const EXIT_STATUS: &str = "\
| code | meaning |
|---|---|
| 0 | success |
| 1 | `validate`: findings of severity warning or error; `ls --fail-if`: a row meets the condition; `diff`: the meshes differ; `bench`: answers that differ |
| 2 | the command line is wrong |
| 3 | a file could not be read or written |
| 130, 143 | ended by Ctrl-C or by TERM |
| 141 | the reader of the output closed the pipe |

With several files, all of them are processed, and the highest code is returned.
";

const FILES: &str = "\
- `~/.cache/meshpeek`: sidecars that `meshpeek index` wrote. `XDG_CACHE_HOME` moves the folder.
- `FILE.mpidx`: a sidecar next to its mesh, of `meshpeek index --beside`.
- `.meshpeek-PROCESS-NUMBER`: a temporary file in the folder of an output file, where the system has
  no files without a name. It never outlives Ctrl-C, TERM and HUP.
";

const ENVIRONMENT: &str = "\
- `NO_COLOR`: if set, the output has no colours.
- `CLICOLOR_FORCE`: if 1, the output has colours, also in a pipe.
- `XDG_CACHE_HOME`: the folder with the folder of the sidecars.
- `TMPDIR`: the folder of the meshes that `bench` makes, and of long output that is held back.
";

/// Returns the manual page of the whole program.
pub fn program(command: &Command) -> io::Result<String> {
    let mut text = title_to_options(command)?;
    let mut verbs = Vec::new();
    Man::new(command.clone()).render_subcommands_section(&mut verbs)?;
    text.push_str(&page_text(&verbs));
    add_common_sections(
        &mut text,
        command,
        "meshpeek-info(1), meshpeek-json(5); `meshpeek man VERB` prints the page of a verb",
    );
    Ok(text)
}

/// Returns the manual page of a verb.
pub fn verb(command: &Command) -> io::Result<String> {
    let mut text = title_to_options(command)?;
    add_common_sections(&mut text, command, "meshpeek(1), which has the options of every verb; meshpeek-json(5)");
    Ok(text)
}

/// Returns a page of the guide as a manual page.
pub fn guide(name: &str, about: &str, text: &str) -> String {
    let head = format!(".TH {name} 5\n.SH NAME\n{name} \\- {about}\n");
    // The title of the page is the name.
    let body = text.split_once('\n').map_or(text, |(_, body)| body);
    head + &to_roff(body)
}

fn title_to_options(command: &Command) -> io::Result<String> {
    let man = Man::new(command.clone().version(env!("CARGO_PKG_VERSION")));
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    page.extend_from_slice(synopsis(command).as_bytes());
    man.render_description_section(&mut page)?;
    let (description, _) = description_and_examples(command);
    page.extend_from_slice(to_roff(&format!("\n{description}\n")).as_bytes());
    man.render_options_section(&mut page)?;
    Ok(page_text(&page))
}

/// Returns the section with the synopsis of a command.
fn synopsis(command: &Command) -> String {
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

/// Returns a page that was written as bytes as text.
fn page_text(bytes: &[u8]) -> String {
    crate::Name::new(bytes).to_string_lossy()
}

fn add_common_sections(text: &mut String, command: &Command, see_also: &str) {
    let (_, examples) = description_and_examples(command);
    let examples = format!("```\n{}\n```\n", examples.join("\n"));
    for (heading, body) in [
        ("EXAMPLES", examples.as_str()),
        ("EXIT STATUS", EXIT_STATUS),
        ("FILES", FILES),
        ("ENVIRONMENT", ENVIRONMENT),
        ("SEE ALSO", see_also),
    ] {
        text.extend([".SH \"", heading, "\"\n", &to_roff(body)]);
    }
}

/// Converts Markdown to roff.
fn to_roff(text: &str) -> String {
    let mut page = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if line.starts_with("```") {
            add_code(&mut page, &mut lines);
        } else if let Some(heading) = line.strip_prefix("## ") {
            page.extend([".SH \"", &inline(&heading.to_uppercase()), "\"\n"]);
        } else if line.starts_with('#') {
            page.extend([".SS \"", &inline(line.trim_start_matches('#').trim()), "\"\n"]);
        } else if line.starts_with('|') {
            add_row(&mut page, line);
        } else if let Some(item) = line.strip_prefix("- ") {
            page.extend([".IP \\(bu 2\n", &inline(item), "\n"]);
        } else if line.trim().is_empty() {
            page.push_str(".PP\n");
        } else {
            page.push_str(&protected(&inline(line.trim())));
            page.push('\n');
        }
    }
    page
}

/// Adds the lines of a code block as they are.
fn add_code(page: &mut String, lines: &mut Peekable<Lines<'_>>) {
    page.push_str(".PP\n.RS 4\n.nf\n");
    for line in lines.by_ref().take_while(|line| !line.starts_with("```")) {
        page.push_str(&protected(&escaped(line)));
        page.push('\n');
    }
    page.push_str(".fi\n.RE\n");
}

/// Adds a row of a table: its first cell as a heading, and the other cells below it.
fn add_row(page: &mut String, line: &str) {
    let is_rule = line.chars().all(|one| matches!(one, '|' | '-' | ':' | ' '));
    if is_rule {
        return;
    }
    let mut cells = line.trim().trim_matches('|').split('|').map(str::trim);
    let first = inline(cells.next().unwrap_or_default());
    let rest = cells.map(inline).filter(|cell| !cell.is_empty()).collect::<Vec<_>>().join("; ");
    page.extend([".TP 16\n", &protected(&first), "\n", &protected(&rest), "\n"]);
}

/// Converts code, emphasis and links in a line.
fn inline(text: &str) -> String {
    let mut converted = String::new();
    for (index, part) in text.split('`').enumerate() {
        if index.is_multiple_of(2) {
            converted.push_str(&escaped(&without_links(part)).replace("**", ""));
        } else {
            converted.extend(["\\fB", &escaped(part), "\\fR"]);
        }
    }
    converted
}

/// Replaces links by their texts.
fn without_links(text: &str) -> String {
    let (mut plain, mut rest) = (String::new(), text);
    while let Some((before, link)) = rest.split_once("](") {
        let after = link.split_once(')').map_or("", |(_, after)| after);
        match before.rsplit_once('[') {
            Some((start, label)) => plain.extend([start, label]),
            None => plain.push_str(before),
        }
        rest = after;
    }
    plain.push_str(rest);
    plain.replace(['[', ']'], "")
}

/// Escapes the characters that roff interprets.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\e").replace('-', "\\-")
}

/// Protects a line that starts like a request of roff.
fn protected(line: &str) -> String {
    if line.starts_with(['.', '\'']) { format!("\\&{line}") } else { line.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn converts_what_the_guide_uses() {
        let roff = to_roff(
            "## A b\n\nText with `code` and [a *link*](x.md#y).\n.dot\n\n- one\n\n| `x` | y |\n|---|---|\n| `a` | b-c |\n\n```json\n{\"a\\n\": 1}\n.x\n```\n### C\n",
        );
        assert_eq!(
            roff,
            ".SH \"A B\"\n.PP\nText with \\fBcode\\fR and a *link*.\n\\&.dot\n.PP\n.IP \\(bu 2\none\n.PP\n.TP 16\n\\fBx\\fR\ny\n\
             .TP 16\n\\fBa\\fR\nb\\-c\n.PP\n.PP\n.RS 4\n.nf\n{\"a\\en\": 1}\n\\&.x\n.fi\n.RE\n.SS \"C\"\n"
        );
    }
}

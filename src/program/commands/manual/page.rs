//! Makes manual pages: the sections of `clap_mangen`, and sections about examples, exit codes,
//! files and the environment.

use std::io;

use clap::Command;
use clap_mangen::Man;

use super::markdown;
use super::synopsis::synopsis;
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
    head + &markdown::to_roff(body)
}

fn title_to_options(command: &Command) -> io::Result<String> {
    let man = Man::new(command.clone().version(env!("CARGO_PKG_VERSION")));
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    page.extend_from_slice(synopsis(command).as_bytes());
    man.render_description_section(&mut page)?;
    let (description, _) = description_and_examples(command);
    page.extend_from_slice(markdown::to_roff(&format!("\n{description}\n")).as_bytes());
    man.render_options_section(&mut page)?;
    Ok(page_text(&page))
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
        text.extend([".SH \"", heading, "\"\n", &markdown::to_roff(body)]);
    }
}

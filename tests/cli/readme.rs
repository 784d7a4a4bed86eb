//! Tests that the commands of the README print the output shown there.

use crate::{code, meshpeek, text, without_pages};

const README: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");
const BEGIN: &str = "```console\n$ meshpeek ";
const END: &str = "```\n";

/// Runs each command of the tour.
///
/// `MESHPEEK_BLESS=1` writes the outputs into the README.
#[test]
fn the_tour_prints_what_the_readme_shows() {
    let readme = std::fs::read_to_string(README).unwrap();
    let (mut written, mut rest, mut count) = (String::new(), readme.as_str(), 0);
    while let Some((before, block)) = rest.split_once(BEGIN) {
        let (command, shown) = block.split_once('\n').unwrap();
        let (_, after) = shown.split_once(END).unwrap();
        let output = meshpeek(&command.split(' ').collect::<Vec<_>>());
        assert_eq!(code(&output), 0, "{command}: {}", text(&output.stderr));
        written.extend([before, BEGIN, command, "\n", &text(&output.stdout), END]);
        (rest, count) = (after, count + 1);
    }
    written += rest;
    if std::env::var_os("MESHPEEK_BLESS").is_some() {
        std::fs::write(README, &written).unwrap();
    }
    assert_eq!(count, 6, "commands of the tour");
    assert_eq!(without_pages(&written), without_pages(&std::fs::read_to_string(README).unwrap()));
}

#[test]
fn the_readme_is_short() {
    let readme = std::fs::read_to_string(README).unwrap();
    assert!(readme.lines().count() <= 200, "{} lines", readme.lines().count());
    let words = readme.split_whitespace().count();
    assert!(words <= 1200, "{words} words");
}

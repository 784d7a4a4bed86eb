//! Tests of help texts and manual pages.

use crate::support::cases;
use crate::{code, meshpeek, text};

const VERBS: [&str; 15] = [
    "info",
    "ls",
    "map",
    "validate",
    "dump",
    "query",
    "diff",
    "convert",
    "view",
    "rewrite",
    "lod",
    "index",
    "bench",
    "completions",
    "man",
];

fn help(arguments: &[&str]) -> String {
    let output = meshpeek(arguments);
    assert_eq!(code(&output), 0, "{arguments:?}");
    text(&output.stdout)
}

/// Returns the commands in the section of examples of a help text.
fn examples(help: &str) -> Vec<String> {
    let (_, section) = help.split_once("\nExamples:\n").unwrap_or_default();
    let lines = section.lines().map_while(|line| line.strip_prefix("  "));
    // Two blanks separate a command from its explanation.
    lines.map(|line| line.split("  ").next().unwrap().trim().to_owned()).collect()
}

#[test]
fn the_help_of_a_verb_is_about_this_verb() {
    let whole = help(&["--help"]);
    for verb in VERBS {
        assert!(whole.contains(&format!("\n  {verb} ")), "{verb}");
        let (short, long) = (help(&[verb, "-h"]), help(&[verb, "--help"]));
        for global in ["--no-sidecar", "--uv-divisor", "--strict", "--no-mmap"] {
            assert!(whole.contains(global) && !short.contains(global) && !long.contains(global), "{verb}: {global}");
        }
        assert!(short.contains("meshpeek --help") && long.contains("meshpeek --help"), "{verb}");
        assert!(long.len() > short.len() + 80, "{verb} has no description");
        assert_eq!(examples(&short), examples(&long), "{verb}");
        assert!(examples(&short).len() >= 3, "{verb}: {:?}", examples(&short));
    }
    assert!(!help(&["map", "-h"]).contains("--watch") && help(&["info", "-h"]).contains("--watch"));
}

#[cfg(unix)]
#[test]
fn every_example_runs() {
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/data");
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_meshpeek"));
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap_or_default());
    let mut count = 0;
    for arguments in VERBS.map(|verb| vec![verb, "-h"]).into_iter().chain([vec!["-h"]]) {
        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(data, folder.path().join("data")).unwrap();
        // A quick run leaves out examples that take seconds.
        let is_slow = |example: &String| example.contains(" bench ") || example.contains(" view ");
        for example in examples(&help(&arguments)) {
            if !cases::all() && (is_slow(&example) || !cases::is_next_tested(3)) {
                continue;
            }
            assert!(example.contains("meshpeek "), "{example}");
            let mut shell = crate::support::process::process("sh");
            shell.args(["-c", &example]).current_dir(folder.path()).env("PATH", &path);
            let cache = folder.path().join("cache");
            let output = shell.env("XDG_CACHE_HOME", &cache).output().unwrap();
            let status = output.status.code().unwrap();
            // `diff` and `validate` return 1 if they find something.
            let may_find = example.contains(" diff ") || example.contains(" validate ");
            assert!(status == 0 || status == 1 && may_find, "{example}: {status}: {}", text(&output.stderr));
            count += 1;
        }
    }
    assert!(count >= cases::number(50, 5), "only {count} examples");
}

#[test]
fn manual_pages_have_their_sections() {
    for verb in VERBS {
        let page = help(&["man", verb]);
        for section in ["NAME", "SYNOPSIS", "OPTIONS", "EXAMPLES", "EXIT STATUS", "FILES", "ENVIRONMENT", "SEE ALSO"] {
            assert!(
                page.contains(&format!(".SH {section}\n")) || page.contains(&format!(".SH \"{section}\"\n")),
                "{verb}: {section}"
            );
        }
        assert!(page.contains(&format!("meshpeek {verb} ")) || page.contains(&format!("meshpeek\\-{verb}")), "{verb}");
        assert!(!page.contains("\\-\\-no\\-sidecar"), "{verb} has options of every verb");
    }
    let whole = help(&["man"]);
    assert!(whole.contains("\\-\\-no\\-sidecar") && whole.contains(".SH SUBCOMMANDS"));
    let json = help(&["man", "json"]);
    assert!(
        json.starts_with(".TH meshpeek-json 5\n") && json.contains("touched_bytes") && json.contains(".SH \"INFO\"")
    );
    // No line is a request by accident.
    for line in json.lines().filter(|line| line.starts_with('.')) {
        let request = line.split(' ').next().unwrap();
        assert!([".TH", ".SH", ".SS", ".PP", ".RS", ".RE", ".nf", ".fi", ".IP", ".TP"].contains(&request), "{line}");
    }
}

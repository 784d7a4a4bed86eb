//! Tests that the commands of the page of everyday tasks print the output shown there.
#![cfg(unix)]

use std::path::Path;

use crate::support::process::process;
use crate::text;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/tasks.md");
const BEGIN: &str = "```console\n$ ";
const END: &str = "```\n";
/// Commands whose exit code is 1 because they find something.
const FINDS: [&str; 3] = ["meshpeek diff", "--fail-if", "--deny"];
/// A comparison that finds nothing.
const SAME: &str = "meshpeek diff data/unigine data/unigine";

/// Runs each command of the page in a folder that contains the samples.
///
/// `MESHPEEK_BLESS=1` writes the outputs into the page.
#[test]
fn every_task_is_one_command_with_this_output() {
    let folder = tempfile::tempdir().unwrap();
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/data");
    std::os::unix::fs::symlink(data, folder.path().join("data")).unwrap();
    let page = std::fs::read_to_string(PAGE).unwrap();
    let (mut written, mut rest, mut count) = (String::new(), page.as_str(), 0);
    while let Some((before, block)) = rest.split_once(BEGIN) {
        let (command, shown) = block.split_once('\n').unwrap();
        let (_, after) = shown.split_once(END).unwrap();
        assert!(command.starts_with("meshpeek ") && !command.contains(" | "), "{command}");
        let expected = i32::from(FINDS.iter().any(|find| command.contains(find)));
        written.extend([before, BEGIN, command, "\n", &run(command, folder.path(), expected), END]);
        (rest, count) = (after, count + 1);
    }
    written += rest;
    if std::env::var_os("MESHPEEK_BLESS").is_some() {
        std::fs::write(PAGE, &written).unwrap();
    }
    assert_eq!(count, 23, "commands of the page");
    assert_eq!(written, std::fs::read_to_string(PAGE).unwrap());
    let rows = page.lines().filter(|line| line.starts_with("| [") && line.contains("`meshpeek ")).count();
    assert_eq!(rows, 25, "tasks in the table");
    for array in ["arm_low.csv", "flag.npz"] {
        assert!(folder.path().join(array).metadata().unwrap().len() > 100, "{array}");
    }
}

/// Commands of the tables that need a terminal, wait for changes, or take other arguments from Git.
const NOT_RUN: [&str; 3] = ["meshpeek view data/unreal/guard", "meshpeek validate data --watch", "meshpeek diff --git"];

/// Runs the commands of the tables of tasks by person, in their order and in one folder. Each
/// output that a command names exists after it.
#[test]
#[ignore = "takes long without optimisation; `.ci/run` runs it optimised"]
fn every_task_of_a_person_is_a_command_that_works() {
    let folder = tempfile::tempdir().unwrap();
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/data");
    std::os::unix::fs::symlink(data, folder.path().join("data")).unwrap();
    let page = std::fs::read_to_string(PAGE).unwrap();
    let (_, tables) = page.split_once("\n## Tasks by person\n").unwrap();
    let rows: Vec<&str> =
        tables.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| task ")).collect();
    assert_eq!(rows.len(), 131, "tasks of three people");
    let mut count = 0;
    for row in rows {
        let Some(command) = row.split('`').find(|part| part.starts_with("meshpeek ")) else { continue };
        if NOT_RUN.contains(&command) {
            continue;
        }
        let is_different = command.starts_with("meshpeek diff ") && command != SAME;
        let output = run(command, folder.path(), i32::from(is_different));
        let named = command.split_once(" -o ").map(|(_, rest)| rest.split(' ').next().unwrap());
        if let Some(name) = named.filter(|name| *name != "-") {
            let written = folder.path().join(name).metadata();
            assert!(written.is_ok_and(|written| written.len() > 0), "{command}: {output}");
        }
        count += 1;
    }
    assert!(count >= 100, "{count} commands");
}

fn run(command: &str, folder: &Path, expected: i32) -> String {
    let program = Path::new(crate::PROGRAM).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap_or_default());
    let mut shell = process("sh");
    shell.args(["-c", command]).current_dir(folder).env("PATH", path).env("COLUMNS", "100");
    let output = shell.output().unwrap();
    assert_eq!(output.status.code(), Some(expected), "{command}: {}", text(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned() + &text(&output.stderr)
}

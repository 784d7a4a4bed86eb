//! What other programs call: the GitHub Action and the hook of pre-commit.

use std::fs;
use std::path::Path;
use std::process::Output;

use crate::support::process::process;
use crate::support::skip;
use crate::{PROGRAM, code, command, text};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Runs the script of the action in a folder with the given inputs. Returns `None` if this copy of
/// the crate has no action, as a package has none.
fn action(folder: &Path, inputs: &[(&str, &str)]) -> Option<Output> {
    let script = Path::new(ROOT).join(".github/actions/meshpeek/run");
    if !script.exists() {
        skip("the crate has no GitHub Action");
        return None;
    }
    let mut command = process("bash");
    command.arg(script).current_dir(folder).env("MESHPEEK", PROGRAM).envs(inputs.iter().copied());
    Some(command.output().unwrap())
}

/// Makes a folder with a sound file, and a folder in it with a file that is cut.
fn meshes() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let cube = fs::read(Path::new(ROOT).join("data/unigine/cube_ms13.mesh")).unwrap();
    fs::create_dir(folder.path().join("old files")).unwrap();
    fs::write(folder.path().join("cube.mesh"), &cube).unwrap();
    fs::write(folder.path().join("old files/cut.mesh"), &cube[..300]).unwrap();
    folder
}

#[test]
fn the_action_annotates_a_broken_file_and_has_the_exit_code_of_validate() {
    let folder = meshes();
    let Some(output) = action(folder.path(), &[]) else { return };
    assert_eq!(code(&output), 3, "{}", text(&output.stderr));
    let said = text(&output.stdout);
    assert!(said.contains("::error file=old files/cut.mesh,title="), "{said}");
    assert!(!said.contains("file=cube.mesh"), "{said}");
    let sound = action(folder.path(), &[("INPUT_PATHS", "cube.mesh\n")]).unwrap();
    assert_eq!((code(&sound), text(&sound.stdout).contains("::error")), (0, false), "{}", text(&sound.stderr));
}

#[test]
fn the_inputs_of_the_action_are_the_arguments_of_validate() {
    let folder = meshes();
    // Two paths, one with a blank.
    let paths = ("INPUT_PATHS", "cube.mesh\nold files/cut.mesh\n");
    let Some(both) = action(folder.path(), &[paths, ("INPUT_FORMAT", "text")]) else { return };
    assert!(code(&both) == 3 && text(&both.stdout).contains("2 files"), "{}", text(&both.stdout));
    let excluded = action(folder.path(), &[("INPUT_ARGS", "--quiet\n--exclude=old files\n")]).unwrap();
    assert_eq!((code(&excluded), text(&excluded.stdout).contains("::error")), (0, false));
    let sarif = [("INPUT_FORMAT", "sarif"), ("INPUT_OUTPUT", "report.sarif")];
    assert_eq!(code(&action(folder.path(), &sarif).unwrap()), 3);
    let report = fs::read(folder.path().join("report.sarif")).unwrap();
    let report: serde_json::Value = serde_json::from_slice(&report).unwrap();
    assert_eq!(report["version"], "2.1.0");
    assert_eq!(code(&action(folder.path(), &[("INPUT_ARGS", "--no-such-option")]).unwrap()), 2);
}

#[test]
fn the_hook_accepts_sound_files_and_refuses_a_broken_one() {
    let Ok(hooks) = fs::read_to_string(Path::new(ROOT).join(".pre-commit-hooks.yaml")) else {
        skip("the crate has no hook");
        return;
    };
    let entry = hooks.lines().find_map(|line| line.trim().strip_prefix("entry: meshpeek ")).unwrap();
    let folder = meshes();
    let check = |file: &str| {
        let mut hook = command(&entry.split(' ').chain([file]).collect::<Vec<_>>());
        hook.current_dir(folder.path()).output().unwrap()
    };
    let sound = check("cube.mesh");
    assert_eq!((code(&sound), text(&sound.stdout).is_empty()), (0, true), "{}", text(&sound.stdout));
    let broken = check("old files/cut.mesh");
    assert!(code(&broken) == 3 && text(&broken.stdout).contains("old files/cut.mesh: 2 errors"));
}

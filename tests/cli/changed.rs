//! Tests of files that another program shortens or changes while the program reads them.
//!
//! The output of each command is larger than a pipe. The program therefore waits for the test to
//! read it, and the test changes a file meanwhile.

use std::fs::{self, File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::iter;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::bounded::{crowded, write_pair};
use crate::sidecar::User;
use crate::support::sidecar::small_mesh;
use crate::{code, command, json, meshpeek, scratch, text};

/// Runs a command until it prints, calls `change`, and returns the exit code and the whole output.
fn interrupted(command: &mut Command, change: impl FnOnce()) -> (Option<i32>, Vec<u8>, String) {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut output = child.stdout.take().unwrap();
    let mut all = vec![0; 100];
    output.read_exact(&mut all).unwrap();
    change();
    output.read_to_end(&mut all).unwrap();
    let mut errors = String::new();
    child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
    (child.wait().unwrap().code(), all, errors)
}

fn cut(path: &str, bytes: u64) {
    OpenOptions::new().write(true).open(path).unwrap().set_len(bytes).unwrap();
}

#[test]
fn a_file_that_is_shortened_while_it_is_rewritten_is_an_error_about_the_file() {
    let folder = tempfile::tempdir().unwrap();
    // The file is larger than 1 MiB, so it is mapped.
    let path = write_pair(folder.path(), "m", &crowded(3, 65_535, 1024));
    let (code, _, errors) = interrupted(&mut command(&["rewrite", &path, "-o", "-"]), || cut(&path, 1000));
    assert_eq!(code, Some(3), "{errors}");
    for part in [path.as_str(), "byte 1000", "was shortened"] {
        assert!(errors.contains(part), "no {part:?} in {errors}");
    }
}

#[test]
fn a_sidecar_that_is_shortened_while_it_is_used_is_an_error_about_the_sidecar() {
    let user = User::new();
    let path = user.file("city.mesh", &small_mesh());
    let sidecar = user.index(&[&path])["sidecar"].as_str().unwrap().to_owned();
    let batch = user.file("batch.txt", "0 0 0\n".repeat(20_000).as_bytes());
    let mut query = user.command(&["query", &path, "nearest", "--batch", &batch]);
    let (code, printed, errors) = interrupted(&mut query, || cut(&sidecar, 10));
    assert_eq!(code, Some(3), "{errors}");
    assert!(errors.contains(&sidecar) && errors.contains("was shortened"), "{errors}");
    assert!(text(&printed).lines().count() < 20_000);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn a_query_prints_one_json_document_even_if_the_file_changes_while_it_is_printed() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_pair(folder.path(), "m", &crowded(3, 65_535, 1));
    let mut query = command(&["query", &path, "overlap", "--min=-9,-9,-9", "--max=9,9,9", "--json"]);
    let (code, printed, errors) = interrupted(&mut query, || {
        OpenOptions::new().append(true).open(&path).unwrap().write_all(b"x").unwrap();
    });
    // The whole answer was checked before its first byte was printed.
    assert_eq!(code, Some(0), "{errors}");
    let answer: Value = serde_json::from_slice(&printed).unwrap();
    assert_eq!(answer["count"], 65_535);
}

#[test]
fn a_file_on_standard_input_that_changes_while_it_is_read_is_an_error() {
    let (_folder, path) = scratch("big.mesh", &[b"ms13".to_vec(), vec![0; 48 << 20]].concat());
    expect_changed(&path, || {
        let mut info = command(&["info", "-", "--json"]);
        info.stdin(File::open(&path).unwrap());
        info
    });
}

/// Appends to a file while `info` reads it, which must be an error about the change.
pub fn expect_changed(path: &str, info: impl Fn() -> Command) {
    let error = || {
        let mut child = info().stdout(Stdio::piped()).spawn().unwrap();
        let mut file = OpenOptions::new().append(true).open(path).unwrap();
        while child.try_wait().unwrap().is_none() {
            file.write_all(b"x").unwrap();
        }
        let output = child.wait_with_output().unwrap();
        assert_eq!(code(&output), 3);
        json(&output)["files"][0]["error"]["kind"].as_str().unwrap().to_owned()
    };
    // On a busy machine, the program may read the whole file between two changes.
    let mut errors = iter::repeat_with(error).take(100);
    assert!(errors.any(|error| error == "changed"));
}

#[test]
fn a_file_on_standard_input_is_read_from_its_current_position() {
    use std::io::Seek as _;
    let mesh = fs::read("data/unigine/cube_ms13.mesh").unwrap();
    let (_folder, path) = scratch("shifted.mesh", &[vec![7; 100], mesh].concat());
    let mut file = File::open(&path).unwrap();
    file.seek(std::io::SeekFrom::Start(100)).unwrap();
    let output = command(&["info", "-", "--json"]).stdin(file).output().unwrap();
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let expected = json(&meshpeek(&["info", "data/unigine/cube_ms13.mesh", "--json"]))["files"][0].clone();
    assert_eq!(json(&output)["files"][0]["surfaces"], expected["surfaces"]);
}

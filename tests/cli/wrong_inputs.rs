//! Tests that every verb answers wrong input of every kind with valid JSON, a stable exit code and
//! the path that was given.
#![cfg(unix)]

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Stdio;

use serde_json::Value;

use crate::support::cases;
use crate::{bytes, code, command, sample, text};

/// Every verb that reads files, with the options that it needs. `FILE` is the input.
const VERBS: [&[&str]; 25] = [
    &["FILE"],
    &["info", "FILE", "--gpu", "--placed"],
    &["ls", "FILE"],
    &["ls", "FILE", "--surfaces", "--sort", "-triangles"],
    &["ls", "FILE", "--duplicates"],
    &["map", "FILE"],
    &["map", "FILE", "--at", "3"],
    &["map", "FILE", "--summary"],
    &["validate", "FILE"],
    &["dump", "FILE"],
    &["dump", "FILE", "--pose", "0"],
    &["dump", "FILE", "-o", "OUT.npz"],
    &["dump", "FILE", "-o", "OUT.csv"],
    &["query", "FILE", "ray", "--from", "0,0,9", "--toward", "0,0,0"],
    &["query", "FILE", "vertex", "--vertex", "0"],
    &["diff", "FILE", "data/unigine/cube_ms13.mesh"],
    &["convert", "FILE", "-o", "OUT.glb"],
    &["view", "FILE", "-o", "OUT.png", "--size", "16"],
    &["view", "FILE", "-o", "OUT.png", "--size", "16", "--turntable=2"],
    &["view", "FILE", "-o", "OUT.png", "--size", "16", "--sheet"],
    &["view", "FILE", "-o", "OUT.html"],
    &["rewrite", "FILE", "-o", "OUT"],
    &["lod", "FILE", "--lod", "low", "-o", "OUT"],
    &["index", "FILE"],
    &["bench", "FILE", "--rounds", "1"],
];

/// Runs a verb on an input with `--json`, and returns its output and the documents that it printed.
fn run(verb: &[&str], input: &Path, out: &Path) -> (std::process::Output, Vec<Value>) {
    let input = input.to_str().unwrap();
    let arguments: Vec<String> = verb
        .iter()
        .map(|argument| match *argument {
            "FILE" => input.to_owned(),
            argument if argument.starts_with("OUT") => {
                format!("{}/{}", out.display(), argument.replace("OUT", "out"))
            }
            argument => argument.to_owned(),
        })
        .chain(["--json".to_owned()])
        .collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let output = command(&arguments).env("XDG_CACHE_HOME", out).output().unwrap();
    let stream = serde_json::Deserializer::from_slice(&output.stdout).into_iter::<Value>();
    let documents = stream
        .map(|document| document.unwrap_or_else(|error| panic!("{arguments:?}: {error} in {}", text(&output.stdout))));
    let documents = documents.collect();
    (output, documents)
}

/// Collects the paths of all errors in a document.
fn error_paths(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            if let (Some(_), Some(path)) = (fields.get("error"), fields.get("path").and_then(Value::as_str)) {
                found.push(path.to_owned());
            }
            fields.values().for_each(|value| error_paths(value, found));
        }
        Value::Array(items) => items.iter().for_each(|item| error_paths(item, found)),
        _ => {}
    }
}

#[test]
fn every_verb_answers_wrong_files_in_json() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    fs::create_dir(&out).unwrap();
    let cube = bytes("cube_ms13");
    let damaged = [&cube[..200], &[0xff; 100][..], &cube[300..]].concat();
    let inputs = [
        ("missing.mesh", None),
        ("empty.mesh", Some(&b""[..])),
        ("zeros.mesh", Some(&[0; 300])),
        ("cut.mesh", Some(&cube[..300])),
        ("damaged.mesh", Some(&damaged)),
        ("pointer.mesh", Some(b"version https://git-lfs.github.com/spec/v1\n")),
        ("page.llmesh", Some(b"<html>404</html>")),
        ("picture.ezm", Some(b"\x89PNG\r\n\x1a\n")),
        ("archive.ezb", Some(b"PK\x03\x04")),
        ("scene.anim", Some(b"{\"asset\": {\"version\": \"2.0\"}}")),
        ("model.mesh", Some(b"v 1 2 3\nf 1 1 1\n")),
        ("half_d.3d", Some(&[1; 100])),
        ("script.uc", Some(b"#exec MESH IMPORT MESH=A ANIVFILE=a_a.3d DATAFILE=a_d.3d")),
        ("odd \u{202e}=\"name.mesh", Some(b"x")),
        ("folder", None),
        ("locked.mesh", Some(&cube)),
    ];
    for (name, bytes) in inputs {
        let path = folder.path().join(name);
        match bytes {
            Some(bytes) => fs::write(&path, bytes).unwrap(),
            None if name == "folder" => fs::create_dir(&path).unwrap(),
            None => {}
        }
        if name.starts_with("locked") {
            fs::set_permissions(&path, fs::Permissions::from_mode(0o0)).unwrap();
            if File::open(&path).is_ok() {
                crate::support::skip("the superuser can read every file");
                continue;
            }
        }
        for verb in cases::tested(VERBS, 4) {
            let (output, documents) = run(verb, &path, &out);
            // What comes before the damage can be read.
            let may_work = ["cut.mesh", "damaged.mesh", "script.uc"].contains(&name);
            assert!([2, 3].contains(&code(&output)) || may_work, "{verb:?} {name}: {}", code(&output));
            assert!(!documents.is_empty(), "{verb:?} {name}: no document; {}", text(&output.stderr));
            let mut paths = Vec::new();
            for document in &documents {
                error_paths(document, &mut paths);
            }
            for found in paths {
                let is_given = found == path.to_string_lossy();
                assert!(is_given || Path::new(&found).exists(), "{verb:?} {name}: error about {found}");
            }
            assert!(!text(&output.stderr).contains("panicked"), "{verb:?} {name}");
        }
        let left: Vec<_> = fs::read_dir(&out).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        let is_fine = left.iter().all(|name| name == "meshpeek");
        assert!(is_fine || ["cut.mesh", "damaged.mesh", "script.uc"].contains(&name), "{name} left {left:?}");
        for entry in left.iter().filter(|name| *name != "meshpeek") {
            fs::remove_file(out.join(entry)).unwrap();
        }
    }
}

#[test]
fn wrong_numbers_and_names_are_usage_errors_in_json() {
    let (cube, skinned) = (sample("cube_ms13"), sample("skinned_ms12"));
    for arguments in [
        &["dump", &cube, "--surface", "7"][..],
        &["dump", &cube, "--surface", "no such name"],
        &["dump", &cube, "--range", "NaN"],
        &["dump", &skinned, "--pose", "NaN"],
        &["dump", &skinned, "--pose", "99"],
        &["dump", &skinned, "--clip", "no such clip", "--pose", "0"],
        &["dump", &skinned, "--time", "0.5"],
        &["dump", &cube, "--attribute", "colors"],
        &["dump", &cube, "-o", "x.glb"],
        &["query", &cube, "ray", "--from", "0,0,0", "--toward", "0,0,0"],
        &["query", &cube, "ray", "--from", "NaN,0,0", "--toward", "0,0,1"],
        &["query", &cube, "ray", "--from", "0,0,0", "--direction", "0,0,0"],
        &["query", &cube, "overlap", "--min", "1,1,1", "--max", "0,0,0"],
        &["query", &cube, "nearest", "--point", "inf,0,0"],
        &["query", &cube, "vertex", "--vertex", "99999999999"],
        &["diff", &cube, &cube, "--epsilon", "NaN"],
        &["diff", &cube, &cube, "--epsilon", "-1"],
        &["lod", &cube, "--lod", "low", "-o", "x"],
        &["lod", "data/secondlife/quad.llmesh", "--lod", "7", "-o", "x"],
        &["map", &cube, "--at", "-1e9"],
        &["convert", &cube, "-o", "x.obj", "--surface", "7"],
        &["view", &cube, "-o", "x.png", "--surface", "7"],
        &["view", &cube, "-o", "x.png", "--frame", "NaN"],
        &["view", &cube, "-o", "x.png", "--clip", "0", "--animate"],
        &["view", &cube, "-o", "x.png", "--camera", "0,91"],
        &["view", &cube, "-o", "x.png", "--size", "0"],
        &["view", &cube, "-o", "-"],
        &["validate", &cube, "--select", "nothing"],
    ] {
        let output = command(&[arguments, &["--json"]].concat()).output().unwrap();
        assert_eq!(code(&output), 2, "{arguments:?}: {}", text(&output.stderr));
        let document: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{arguments:?}: {error}: {}", text(&output.stdout)));
        assert!(document.to_string().contains("\"message\""), "{arguments:?}: {document}");
    }
}

#[test]
fn a_closed_output_and_a_full_disk_have_their_codes() {
    let out = tempfile::tempdir().unwrap();
    for verb in VERBS.iter().chain([&["man"][..], &["man", "json"], &["completions", "bash"]].iter()) {
        if verb.iter().any(|argument| argument.starts_with("OUT")) {
            continue;
        }
        let arguments: Vec<&str> =
            verb.iter().map(|one| if *one == "FILE" { "data/secondlife/arm.llmesh" } else { *one }).collect();
        let arguments = if arguments.contains(&"--pose") { vec!["info", "data"] } else { arguments };
        let mut run = command(&arguments);
        run.env("XDG_CACHE_HOME", out.path());
        if Path::new("/dev/full").exists() {
            let full = run.stdout(File::create("/dev/full").unwrap()).stderr(Stdio::piped()).output().unwrap();
            let message = text(&full.stderr);
            assert!(code(&full) == 3 && message.contains("No space left"), "{arguments:?}: {message}");
        }
        let mut child = run.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let closed = child.wait_with_output().unwrap();
        // A short output may fit into the pipe before it is closed.
        let status = closed.status.code().unwrap();
        assert!([0, 1, 141].contains(&status) && !text(&closed.stderr).contains("panicked"), "{arguments:?}: {status}");
    }
}

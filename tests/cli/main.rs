//! Tests of the command line, as a user or a script calls it.
//!
//! The folders of `data` hold golden outputs next to the samples: `STEM.VERB`, `STEM.VERB.json`,
//! `STEM.dump.ATTRIBUTE` for `dump`, `STEM.pose.FRAME` for `dump --pose`, and `STEM.info.LOD` for
//! `info`. The name of a file determines the command. `MESHPEEK_BLESS=1 cargo test` writes them
//! again.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::float_cmp,
    reason = "a panic is how a test fails, and exact floats are meant"
)]

#[cfg(unix)]
mod actions;
mod adjusted;
mod arrays;
mod bench;
mod bounded;
#[cfg(unix)]
mod changed;
mod command_line;
mod convert;
mod desktop;
mod diff;
mod errors;
mod exports;
mod ezmesh;
#[cfg(target_os = "linux")]
mod faults;
mod folders;
mod foreign;
mod gates;
mod golden_pictures;
mod ls;
mod manual;
mod map;
mod mutants;
mod query;
mod readme;
#[cfg(unix)]
mod scaling;
mod scaling_commands;
#[cfg(unix)]
mod scaling_families;
mod schema;
mod secondlife;
mod sidecar;
#[cfg(target_os = "linux")]
mod start;
#[path = "../support/mod.rs"]
mod support;
mod tasks;
#[cfg(target_os = "linux")]
mod threads;
mod unigine;
mod unreal;
mod validate;
mod view;
mod view_html;
#[cfg(target_os = "linux")]
mod view_terminal;
#[cfg(target_os = "linux")]
mod view_thumbnail;
mod watch;
mod writes;
mod wrong_inputs;

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::support::process::process;
use crate::support::unigine::{bytes, compact, data, spoil};
use crate::support::unreal::data as unreal_data;

const PROGRAM: &str = env!("CARGO_BIN_EXE_meshpeek");

/// Runs meshpeek in the crate's folder.
///
/// This keeps the paths in its output short and independent of the machine.
fn meshpeek(arguments: &[&str]) -> Output {
    command(arguments).output().unwrap()
}

fn command(arguments: &[&str]) -> Command {
    let mut command = process(PROGRAM);
    command.args(arguments).current_dir(env!("CARGO_MANIFEST_DIR"));
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Removes the number of pages that each query touched.
///
/// It depends on the addresses of a tree that was built, and of bytes that were copied or inflated.
fn without_pages(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let json = line.split_once("\"pages_touched\":").map(|(start, _)| start);
        let number =
            line.strip_suffix(" pages touched").map(|line| line.trim_end_matches(|it: char| it.is_ascii_digit()));
        json.or(number).unwrap_or(line)
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", text(&output.stdout)))
}

fn sample(stem: &str) -> String {
    let extension = if stem.contains("_an") { "anim" } else { "mesh" };
    format!("data/unigine/{stem}.{extension}")
}

/// Writes bytes to a file in a temporary folder, which is removed after the test.
fn scratch(name: &str, bytes: &[u8]) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    let path = path.to_str().unwrap().to_owned();
    (folder, path)
}

#[test]
fn prints_what_the_golden_files_hold() {
    let mut compared = 0;
    let assets = data().parent().unwrap().join("secondlife");
    let systems = crate::support::ezmesh::data();
    let folders = [data(), unreal_data(), assets, systems].map(|folder| std::fs::read_dir(folder).unwrap());
    for entry in folders.into_iter().flatten() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let parts: Vec<&str> = name.split('.').collect();
        let folder = path.parent().unwrap().file_name().unwrap().to_str().unwrap();
        // `golden_pictures` compares the pictures.
        let others = ["mesh", "anim", "3d", "uc", "llmesh", "slm", "asset", "ezm", "ezb", "view"];
        if path.is_dir() || others.contains(&parts[1]) {
            continue;
        }
        let stem = match folder {
            "unreal" => format!("data/unreal/{}_d.3d", parts[0]),
            "secondlife" => secondlife::sample(parts[0]),
            "ezmesh" => ezmesh::sample(parts[0]),
            _ => sample(parts[0]),
        };
        let verb = parts[1];
        let mut arguments = vec![verb, &stem];
        match parts[2..] {
            [frame] if verb == "pose" => arguments = vec!["dump", &stem, "--pose", frame],
            [] => {}
            ["json"] => arguments.push("--json"),
            [lod] if verb == "info" => arguments.extend(["--lod", lod]),
            [attribute] => arguments.extend(["--attribute", attribute]),
            _ => panic!("{name} is not a command"),
        }
        let output = meshpeek(&arguments);
        assert_eq!(code(&output), 0, "{arguments:?}: {}", text(&output.stderr));
        if std::env::var_os("MESHPEEK_BLESS").is_some() {
            std::fs::write(&path, &output.stdout).unwrap();
        }
        assert_eq!(text(&output.stdout), text(&std::fs::read(&path).unwrap()), "{name}");
        compared += 1;
    }
    assert!(compared >= 25, "only {compared} golden files were compared");
}

#[test]
fn describes_every_sample_of_a_folder() {
    let output = meshpeek(&["info", "data", "--json"]);
    assert_eq!(code(&output), 0);
    let files = json(&output)["files"].as_array().unwrap().clone();
    let pairs = crate::support::unreal::samples().into_iter().filter(|sample| sample.pair().is_some());
    let alone = [
        crate::support::unigine::samples().len(),
        crate::support::unigine::animation_samples().len(),
        crate::support::secondlife::samples().len(),
        crate::support::ezmesh::samples().len(),
    ];
    assert_eq!(files.len(), alone.iter().sum::<usize>() + pairs.count());
    for file in files {
        for key in
            ["path", "format", "version", "bytes", "touched_bytes", "bounds", "bones", "lods", "surfaces", "clips"]
        {
            assert!(file.get(key).is_some(), "{key}");
        }
        assert!(file["touched_bytes"].as_u64() <= file["bytes"].as_u64());
        assert!(file["findings"].as_array().unwrap().iter().all(|finding| finding["severity"] == "info"));
    }
}

#[test]
fn reads_pipes_globs_and_folders() {
    let expected = json(&meshpeek(&["info", &sample("cube_ms13"), "--json"]))["files"][0]["surfaces"].clone();
    let mut child = command(&["info", "-", "--json"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(&bytes("cube_ms13")).unwrap();
    assert_eq!(json(&child.wait_with_output().unwrap())["files"][0]["surfaces"], expected);
    let found = json(&meshpeek(&["info", "data/**/cube_*.mesh", "--json"]));
    assert_eq!(found["files"].as_array().unwrap().len(), 7);
    for nothing in ["data/*.nothing", "benches/*.mesh"] {
        let output = meshpeek(&["info", nothing]);
        assert_eq!(code(&output), 3, "{nothing}");
        assert!(text(&output.stderr).contains("no file matches"));
    }
    let mapped = meshpeek(&["info", &sample("room_ms11"), "--no-mmap"]);
    assert_eq!(mapped.stdout, meshpeek(&["info", &sample("room_ms11")]).stdout);
}

#[test]
fn takes_the_worst_of_several_outcomes() {
    let (_folder, cut) = scratch("cut.mesh", &bytes("cube_ms13")[..300]);
    let (_folder, odd) = scratch("odd.mesh", &[bytes("cube_ms13"), vec![1, 2, 3]].concat());
    assert_eq!(code(&meshpeek(&["validate", &sample("cube_ms13")])), 0);
    assert_eq!(code(&meshpeek(&["validate", &sample("cube_ms13"), &odd])), 1);
    let output = meshpeek(&["validate", &sample("cube_ms13"), &odd, &cut, "--json"]);
    assert_eq!(code(&output), 3);
    let files = json(&output)["files"].as_array().unwrap().clone();
    assert_eq!(files.len(), 3);
    assert_eq!(files[1]["findings"][0]["rule"], "UG24");
    assert_eq!(files[1]["findings"][0]["severity"], "warning");
    assert_eq!(files[1]["findings"][0]["offset"], bytes("cube_ms13").len());
    assert_eq!(files[2]["error"]["kind"], "count");
    assert_eq!(files[2]["findings"][0]["rule"], "UG02");
    assert_eq!(code(&meshpeek(&["info", &odd])), 0, "findings decide the exit code of validate alone");
    assert_eq!(code(&meshpeek(&["nonsense"])), 2);
    assert_eq!(code(&meshpeek(&["dump", &sample("cube_ms13"), "--range", "9..3"])), 2);
    assert_eq!(code(&meshpeek(&["dump", &sample("cube_ms13"), "--range", "3..99"])), 2);
    assert_eq!(code(&meshpeek(&["dump", &sample("cube_ms13"), "--surface", "1"])), 2);
    assert_eq!(code(&meshpeek(&["dump", &sample("cube_ms13"), "--attribute", "uv1"])), 2);
    assert_eq!(code(&meshpeek(&["map", &sample("cube_ms13"), "--at", "99999"])), 2);
}

#[test]
fn an_error_line_says_all_there_is_to_say() {
    let (_folder, cut) = scratch("cut.mesh", &bytes("cube_ms13")[..300]);
    for verb in ["info", "map", "validate", "dump"] {
        let mut arguments = vec![verb, &cut];
        if verb == "dump" {
            arguments.extend(["--attribute", "uv0"]);
        }
        let output = meshpeek(&arguments);
        assert_eq!(code(&output), 3, "{verb}");
        let line = text(&output.stderr);
        for part in
            ["cut.mesh", "unigine ms13", "surface[0].target[0].tangents", "byte 199", "expected", "found", "truncated"]
        {
            assert!(line.contains(part), "{verb}: no {part:?} in {line}");
        }
    }
    let output = meshpeek(&["dump", &cut, "--attribute", "uv0", "--json"]);
    let error = &json(&output)["error"];
    assert_eq!((error["kind"].as_str(), error["offset"].as_u64()), (Some("count"), Some(199)));
    // Content before the truncation can still be read.
    assert_eq!(text(&meshpeek(&["dump", &cut, "--range", "0"]).stdout), "0.5 0.5 0.5\n");
}

#[test]
fn dumps_text_and_json_of_the_same_values() {
    for attribute in
        ["positions", "normals", "tangents", "bitangents", "uv0", "weights", "indices", "attribute-indices"]
    {
        for raw in [&[][..], &["--raw"]] {
            let path = sample("skinned_ms10");
            let mut arguments = vec!["dump", &path, "--attribute", attribute, "--range", "1..5"];
            arguments.extend(raw);
            let lines = text(&meshpeek(&arguments).stdout);
            arguments.push("--json");
            let object = json(&meshpeek(&arguments));
            assert_eq!((&object["range"], &object["attribute"]), (&serde_json::json!([1, 5]), &Value::from(attribute)));
            let values = object["values"].as_array().unwrap();
            assert_eq!(values.len(), 4);
            for (line, value) in lines.lines().zip(values) {
                let mut flat = value.to_string().replace(['[', ']'], " ").replace(',', " ");
                flat = flat.split_whitespace().collect::<Vec<_>>().join(" ");
                let line = line.replace(',', "");
                let numbers =
                    |text: &str| text.split(' ').map(|number| number.parse::<f64>().unwrap()).collect::<Vec<_>>();
                assert_eq!(numbers(&line), numbers(&flat), "{attribute}");
            }
        }
    }
    let moved = text(&meshpeek(&["dump", &sample("morph_ms13"), "--target", "2", "--range", "0"]).stdout);
    assert_eq!(moved, "0.5 0.5 0.75\n");
    let colors = meshpeek(&["dump", &sample("room_ms11"), "--surface", "1", "--attribute", "colors", "--range", "1"]);
    assert_eq!(text(&colors.stdout), format!("1.0 {:?} 0.0 1.0\n", 10.0_f32 / 255.0));
}

#[test]
fn rewrites_byte_for_byte_and_never_by_accident() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("again.mesh");
    let target = target.to_str().unwrap();
    for sample in crate::support::unigine::samples() {
        let output = meshpeek(&["rewrite", &self::sample(sample.stem), "-o", target, "--force", "--json"]);
        assert_eq!(code(&output), 0);
        assert_eq!(json(&output)["identical"], true);
        assert_eq!(std::fs::read(target).unwrap(), bytes(sample.stem));
    }
    let before = std::fs::read(target).unwrap();
    let refused = meshpeek(&["rewrite", &sample("cube_ms10"), "-o", target]);
    assert_eq!(code(&refused), 2);
    assert!(text(&refused.stderr).contains("--force"));
    assert_eq!(std::fs::read(target).unwrap(), before);
    // Rewriting in place, and rewriting a damaged input: the destination is either the old or the
    // new file.
    let own = meshpeek(&["rewrite", target, "-o", target, "--force"]);
    assert_eq!(code(&own), 0);
    assert_eq!(std::fs::read(target).unwrap(), before);
    let (_folder, cut) = scratch("cut.mesh", &bytes("cube_ms13")[..300]);
    assert_eq!(code(&meshpeek(&["rewrite", &cut, "-o", target, "--force"])), 3);
    assert_eq!(std::fs::read(target).unwrap(), before);
    let missing = folder.path().join("no/such/folder.mesh");
    assert_eq!(code(&meshpeek(&["rewrite", &sample("cube_ms10"), "-o", missing.to_str().unwrap()])), 0);
    assert_eq!(std::fs::read(missing).unwrap(), bytes("cube_ms10"), "the folder is made");
    std::fs::remove_dir_all(folder.path().join("no")).unwrap();
    assert_eq!(
        code(&meshpeek(&["rewrite", &sample("cube_ms10"), "-o", folder.path().to_str().unwrap(), "--force"])),
        2
    );
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "litter");
    let piped = meshpeek(&["rewrite", &sample("cube_ms10"), "-o", "-"]);
    assert_eq!(piped.stdout, bytes("cube_ms10"));
}

#[test]
fn rewriting_says_what_changes_and_refuses_to_lose() {
    let respelled = spoil(&bytes("cube_ms13"), "surface[0].target[0].positions.count", &[0x88, 0x00]);
    let (folder, odd) = scratch("odd.mesh", &respelled);
    let target = folder.path().join("again.mesh");
    let target = target.to_str().unwrap();
    let output = meshpeek(&["rewrite", &odd, "-o", target, "--json"]);
    let object = json(&output);
    assert_eq!((object["identical"].as_bool(), code(&output)), (Some(false), 0));
    assert_eq!(object["changes"][0]["rule"], "UG14");
    assert_eq!(std::fs::read(target).unwrap(), bytes("cube_ms13"));
    assert_eq!(compact(8), [8]);
    let (_folder, trailing) = scratch("trailing.mesh", &[bytes("cube_ms13"), vec![7; 9]].concat());
    let refused = meshpeek(&["rewrite", &trailing, "-o", target, "--force"]);
    assert_eq!(code(&refused), 2);
    assert!(text(&refused.stderr).contains("--allow-loss"));
    let allowed = meshpeek(&["rewrite", &trailing, "-o", target, "--force", "--allow-loss", "--json"]);
    assert_eq!(json(&allowed)["changes"][0]["rule"], "UG24");
    assert_eq!(std::fs::read(target).unwrap(), bytes("cube_ms13"));
}

#[test]
fn teaches() {
    let help = text(&meshpeek(&["--help"]).stdout);
    for verb in ["info", "map", "validate", "dump", "diff", "rewrite", "lod", "bench", "completions", "man"] {
        assert!(help.contains(verb));
        let page = meshpeek(&[verb, "--help"]);
        assert!(code(&page) == 0 && text(&page.stdout).contains("Example"), "{verb}");
        assert!(text(&meshpeek(&["man", verb]).stdout).contains(".SH NAME"));
    }
    assert!(help.contains("Exit codes"));
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(text(&meshpeek(&["completions", shell]).stdout).contains("no-mmap"), "{shell}");
    }
    let rules = json(&meshpeek(&["validate", "--rules", "--json"]));
    assert_eq!(
        rules["rules"].as_array().unwrap().len(),
        meshpeek::unigine::RULES.len()
            + meshpeek::unreal::RULES.len()
            + meshpeek::secondlife::RULES.len()
            + meshpeek::ezmesh::RULES.len()
            // The rules about unreadable files and about the conditions of --deny.
            + 2
    );
}

#[test]
fn colours_are_for_terminals_that_want_them() {
    let (_folder, odd) = scratch("odd.mesh", &[bytes("cube_ms13"), vec![1]].concat());
    let run =
        |name: &str, value: &str| command(&["validate", &odd]).env_clear().env(name, value).output().unwrap().stdout;
    assert!(!run("ANYTHING", "1").contains(&0x1b), "a pipe gets no colours");
    assert!(run("CLICOLOR_FORCE", "1").contains(&0x1b));
    let both = command(&["validate", &odd]).env("CLICOLOR_FORCE", "0").env("NO_COLOR", "1").output().unwrap().stdout;
    assert!(!both.contains(&0x1b));
}

#[test]
fn names_are_shown_and_not_obeyed() {
    let name = [compact(6), b"\x1b[2J\n\0".to_vec()].concat();
    let evil = spoil(&bytes("cube_ms13"), "surface[0].name", &name);
    let (folder, path) = scratch("evil\u{1b}[31m.mesh", &evil);
    let output = meshpeek(&["info", &path, "-v"]);
    assert_eq!(code(&output), 0);
    assert!(!output.stdout.contains(&0x1b));
    assert!(text(&output.stdout).contains(r"\u{1b}[2J\u{a}"));
    drop(folder);
}

#[cfg(unix)]
#[test]
fn waits_for_nothing_and_survives_a_closed_pipe() {
    let folder = tempfile::tempdir().unwrap();
    let fifo = folder.path().join("fifo");
    crate::support::files::make_pipe(&fifo);
    let output = meshpeek(&["info", fifo.to_str().unwrap()]);
    assert_eq!(code(&output), 3, "a named pipe without a writer reads as empty");
    assert_eq!(code(&meshpeek(&["info", "/dev/zero"])), 3);
    // The output exceeds the capacity of a pipe, so the pipe closes while the program still writes.
    let path = sample("room_ms11");
    let mut arguments = vec!["info"];
    arguments.extend([path.as_str(); 500]);
    let mut child = command(&arguments).stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(141));
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link_and_a_mode_stays() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let (target, link) = (folder.path().join("target.mesh"), folder.path().join("link.mesh"));
    std::fs::write(&target, "old").unwrap();
    std::fs::set_permissions(&target, std::fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink(&target, &link).unwrap();
    let output = meshpeek(&["rewrite", &sample("cube_ms11"), "-o", link.to_str().unwrap(), "--force"]);
    assert_eq!(code(&output), 0);
    assert!(Path::is_symlink(&link));
    assert_eq!(std::fs::read(&target).unwrap(), bytes("cube_ms11"));
    assert_eq!(std::fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o640);
}

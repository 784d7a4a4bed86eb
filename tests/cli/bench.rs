//! Tests of the output of `bench`.
//!
//! The measured times themselves are not tested.

use std::path::Path;

#[cfg(target_os = "linux")]
use std::process::Stdio;

use serde_json::Value;

#[cfg(target_os = "linux")]
use crate::support::process::{Running, ignore_signals, send_signal};

use super::{code, json, meshpeek, scratch, text};

/// The names of the measurements in order, and those that are also measured with a cold cache.
const WARM: [&str; 7] =
    ["open", "first-vertex", "one-surface", "random-vertices", "bounds", "everything", "random-again"];

fn measured(arguments: &[&str]) -> Value {
    let output = meshpeek(&[&["bench", "--rounds", "1", "--json"], arguments].concat());
    assert_eq!(code(&output), 0, "{arguments:?}: {}", text(&output.stderr));
    assert_eq!(text(&output.stderr), "", "{arguments:?}");
    json(&output)
}

fn check(document: &Value) {
    assert_eq!((&document["schema"], &document["rounds"]), (&1.into(), &1.into()));
    let level = document["host"]["level"].as_str().unwrap();
    assert!(["avx512", "avx2", "portable"].contains(&level), "{level}");
    let wins = document["copying_wins"].as_array().unwrap();
    assert!(wins.iter().any(|win| win.as_str().unwrap().contains("network disk")), "{wins:?}");
    for file in document["files"].as_array().unwrap() {
        let name = file["name"].as_str().unwrap();
        assert!(file["bytes"].as_u64().unwrap() > 0 && file["surfaces"].as_u64().unwrap() > 0, "{name}");
        let questions = file["questions"].as_array().unwrap();
        let of = |cache: &str| -> Vec<&str> {
            let asked = questions.iter().filter(|asked| asked["cache"] == cache);
            asked.map(|asked| asked["question"].as_str().unwrap()).collect()
        };
        assert_eq!(of("warm"), WARM, "{name}");
        // In a folder in memory no cache is cold. The output then has a note about it.
        let notes = file["notes"].to_string();
        assert!(of("cold") == WARM[..6] || notes.contains("cold cache not measured"), "{name}: {notes}");
        for asked in questions {
            for contestant in ["meshpeek", "copying", "reading"] {
                let [least, median, most] =
                    ["least_s", "median_s", "most_s"].map(|figure| asked[contestant][figure].as_f64().unwrap());
                assert!(0.0 < least && least <= median && median <= most, "{name}: {asked}");
                for figure in ["anonymous_bytes", "file_bytes", "faults", "read_bytes"] {
                    let figure = &asked[contestant][figure];
                    assert!(figure.is_u64() || !cfg!(target_os = "linux"), "{name}: {asked}");
                }
            }
            let [copying, reading] = ["copying", "reading"].map(|rival| asked[rival]["median_s"].as_f64().unwrap());
            let best = if reading < copying { "reading" } else { "copying" };
            assert_eq!(asked["best_rival"], best, "{name}: {asked}");
            // With one round, the ratio is exactly the quotient of the two medians.
            let [best, ours] = [best, "meshpeek"].map(|by| asked[by]["median_s"].as_f64().unwrap());
            assert!((asked["ratio"]["median"].as_f64().unwrap() * ours - best).abs() <= best * 1e-9, "{name}: {asked}");
            for figure in ["median", "least", "most"] {
                assert!(asked["ratio"][figure].as_f64().unwrap() > 0.0, "{name}: {asked}");
            }
        }
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn measures_files_of_every_format() {
    let files = [
        ("data/unigine/room_ms11.mesh", "unigine"),
        ("data/unigine/skinned_ms12.mesh", "unigine"),
        ("data/unigine/morph_ms13.mesh", "unigine"),
        ("data/unigine/room_ms14.mesh", "unigine"),
        ("data/unreal/guard", "unreal"),
        ("data/unreal/box_a.3d", "unreal"),
        ("data/secondlife/arm.llmesh", "secondlife"),
        ("data/ezmesh/flag.ezm", "ezmesh"),
        ("data/ezmesh/flag101.ezb", "ezmesh"),
    ];
    for (path, format) in files {
        let document = measured(&[path]);
        check(&document);
        let [file] = document["files"].as_array().unwrap().as_slice() else { panic!("{path}: expected one file") };
        assert_eq!((file["path"].as_str().unwrap(), file["format"].as_str().unwrap()), (path, format));
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn makes_meshes_of_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().to_str().unwrap();
    let document = measured(&["--size", "100K", "--folder", place]);
    check(&document);
    let files = document["files"].as_array().unwrap();
    let kinds: Vec<&str> =
        files.iter().map(|file| file["name"].as_str().unwrap().rsplit(' ').next().unwrap()).collect();
    let each = ["unigine-static", "unigine-skinned", "unigine-compressed", "unreal", "second-life", "ezmesh-text"];
    let each: Vec<&str> = each.into_iter().chain(["ezmesh-binary"]).collect();
    assert_eq!(kinds, each);
    for file in files {
        let bytes = file["bytes"].as_u64().unwrap();
        assert!((20_000..200_000).contains(&bytes) && file.get("path").is_none(), "{file}");
    }
    // The generated files have been removed.
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
    let one = measured(&["--size", "1000", "--size", "2k", "--format", "ezmesh-binary", "--folder", place]);
    assert_eq!(one["files"].as_array().unwrap().len(), 2);
    check(&one);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn says_where_copying_wins_in_words() {
    let output = meshpeek(&["bench", "data/unigine/cube_ms13.mesh", "--rounds", "2"]);
    assert_eq!((code(&output), text(&output.stderr)), (0, String::new()));
    let said = text(&output.stdout);
    let first = said.lines().next().unwrap();
    let levels = ["AVX-512", "AVX2", "portable"];
    assert!(levels.iter().any(|level| first.contains(&format!("vector instructions: {level}, "))), "{first}");
    assert!(first.starts_with("meshpeek ") && first.ends_with(", 2 rounds"), "{first}");
    for part in [
        "cube_ms13.mesh: unigine ms13, 665 bytes, 1 surfaces",
        "reads the whole file into memory at once",
        "open, first vertex",
        "copying loader               reading loader               best rival / meshpeek",
        "held: meshpeek / copying / reading",
        "Where copying wins\n",
        "On a network disk",
        "that others change or shorten must not be mapped",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn draws_a_picture_that_is_xml() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bench.svg");
    let plot = path.to_str().unwrap();
    let bench = |more: &[&str]| {
        let files = ["bench", "data/ezmesh/flag.ezm", "--rounds", "1", "--quiet", "--plot", plot];
        meshpeek(&[&files[..], more].concat())
    };
    let output = bench(&[]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let drawn = std::fs::read_to_string(&path).unwrap();
    let document = roxmltree::Document::parse(&drawn).unwrap();
    let root = document.root_element();
    assert_eq!((root.tag_name().name(), root.tag_name().namespace()), ("svg", Some("http://www.w3.org/2000/svg")));
    let bars =
        |class| root.children().filter(|node| node.attribute("class") == Some(class) && node.has_children()).count();
    assert!(bars("m") >= WARM.len() && bars("m") == bars("c") && bars("m") == bars("r"), "{drawn}");
    assert!(drawn.contains("prefers-color-scheme:dark") && drawn.contains("flag.ezm"));
    // The folder contains only the chart, without temporary files.
    assert_eq!(folder.path().read_dir().unwrap().count(), 1);

    std::fs::write(&path, "mine").unwrap();
    let refused = bench(&[]);
    assert_eq!(code(&refused), 2);
    assert!(text(&refused.stderr).contains("exists; --force replaces it"), "{}", text(&refused.stderr));
    assert_eq!((text(&refused.stdout), std::fs::read_to_string(&path).unwrap()), (String::new(), "mine".to_owned()));
    assert_eq!(code(&bench(&["--force"])), 0);
    roxmltree::Document::parse(&std::fs::read_to_string(&path).unwrap()).unwrap();
}

#[test]
fn ends_as_other_verbs_do() {
    let refused = |arguments: &[&str], expected: i32, says: &str| {
        let output = meshpeek(&[&["bench"], arguments].concat());
        let said = text(&output.stderr);
        assert_eq!(code(&output), expected, "{arguments:?}: {said}");
        assert!(said.contains(says), "{arguments:?}: {said}");
    };
    refused(&["no such file.mesh"], 3, "no such file.mesh");
    let (_folder, cut) = scratch("cut.mesh", &std::fs::read("data/unigine/cube_ms13.mesh").unwrap()[..50]);
    refused(&[&cut], 3, "cut.mesh: unigine ms13");
    let (_folder, cut) = scratch("late.mesh", &std::fs::read("data/unigine/cube_ms13.mesh").unwrap()[..300]);
    refused(&[&cut], 3, "late.mesh: unigine ms13");
    refused(&["-"], 2, "found standard input");
    refused(&["data/unigine/wave_an10.anim"], 2, "expected a surface with vertices");
    refused(&["--no-mmap", "data/unigine/cube_ms13.mesh"], 2, "bench measures memory maps");
    refused(&["--size", "0"], 2, "500K, 100M or 10G");
    refused(&["--size", "12Q"], 2, "500K, 100M or 10G");
    refused(&["--rounds", "0", "--size", "1K"], 2, "1..=1000");
    refused(&["--format", "gltf"], 2, "unigine-static");
    refused(&["data/unigine/cube_ms13.mesh", "--size", "1M"], 2, "cannot be used with");
    refused(&["--size", "1K", "--folder", "no/such/folder"], 3, "no/such/folder");
    if Path::new("/proc/self/status").exists() {
        refused(&["--size", "9000000G", "--format", "unigine-static"], 3, "the largest mesh needs");
    }
    refused(&["--frames", "3"], 2, "--stream");
    refused(&["--stream", "--size", "1K", "--size", "2K"], 2, "--stream takes one --size");
    refused(&["--stream", "data/unreal/box_d.3d"], 2, "expects a mesh in one file");
    refused(&["--stream", "no such file.mesh"], 3, "no such file.mesh");
    refused(&["--stream", "tests/cli"], 3, "expected meshes in the folder");
    let output = meshpeek(&["bench", &cut, "--json"]);
    assert_eq!(json(&output)["error"]["format"], "unigine ms13");
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn flies_over_a_mesh_and_over_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let plot = folder.path().join("flight.svg");
    let flight = ["bench", "--stream", "--frames", "60", "--plot", plot.to_str().unwrap(), "--force"];
    for (what, rows) in [
        (
            &["--size", "1M"][..],
            &["boxes", "faults", "poll", "mmap", "read", "memory", "holes       0 visible parts"][..],
        ),
        (&["data/secondlife"], &["faults", "inflated", "visible assets"]),
        (&["data/ezmesh/flag.ezm"], &["parts", "requests"]),
    ] {
        let output = meshpeek(&[&flight[..], what].concat());
        assert_eq!(code(&output), 0, "{what:?}: {}", text(&output.stderr));
        let report = text(&output.stdout);
        for row in rows {
            assert!(report.contains(row), "{row}: {report}");
        }
        let drawn = std::fs::read_to_string(&plot).unwrap();
        let document = roxmltree::Document::parse(&drawn).unwrap();
        let lines = document.descendants().filter(|node| node.has_tag_name(("http://www.w3.org/2000/svg", "polyline")));
        assert_eq!(lines.count(), 3);
    }
    // On a busy machine, a short flight ends before the budget is full.
    assert!([300, 1500, 6000].into_iter().any(evicts_on_a_flight));
}

/// Flies over a mesh that is larger than the budget. Returns whether bytes were evicted.
fn evicts_on_a_flight(frames: u32) -> bool {
    let flight = ["bench", "--stream", "--size", "8M", "--budget", "6M", "--json", "--frames", &frames.to_string()];
    let output = meshpeek(&flight);
    let document = json(&output);
    assert_eq!((code(&output), &document["budget_bytes"], &document["frames"]), (0, &6_000_000.into(), &frames.into()));
    let number = |name: &str| document[name].as_u64().unwrap();
    assert!(number("wanted_bytes") > 0, "{document}");
    assert_eq!(document["requests"]["failed"], 0);
    number("evicted_bytes") > 0
}

#[cfg(target_os = "linux")]
#[test]
fn a_signal_removes_the_generated_meshes() {
    use std::os::unix::process::ExitStatusExt as _;
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
        let folder = tempfile::tempdir().unwrap();
        let mut child = long_bench(folder.path(), &[]);
        send_signal(&child, signal);
        assert_eq!(child.wait().unwrap().signal(), Some(signal));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "the signal {signal} left meshes");
    }
}

/// Starts `bench`, which ignores some signals and runs for minutes, and waits for its first mesh.
#[cfg(target_os = "linux")]
pub fn long_bench(folder: &Path, ignored: &'static [i32]) -> Running {
    let mut bench = crate::command(&["bench", "--size", "2M", "--rounds", "1000"]);
    ignore_signals(&mut bench, ignored);
    let mut child = Running(bench.env("TMPDIR", folder).stdout(Stdio::null()).spawn().unwrap());
    let has_mesh = || {
        let folders = std::fs::read_dir(folder).unwrap().flatten();
        folders.filter_map(|entry| entry.path().read_dir().ok()).any(|mut meshes| meshes.next().is_some())
    };
    while !has_mesh() {
        assert_eq!(child.try_wait().unwrap(), None);
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    child
}

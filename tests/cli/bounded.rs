//! Tests that small files take little memory, and that nothing makes the program wait for ever.
//!
//! `sh` limits the address space of the program. The limits are far below the memory that the lists
//! of these files would take as JSON values.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use crate::support::unreal::builder;
use meshpeek::unreal::{RawPolygon, Variant};
use serde_json::Value;

use crate::support::PATIENCE;
use crate::support::process::{Running, process};
use crate::support::secondlife::raw_assets;
use crate::support::unigine::skinned;
use crate::support::unreal::pair;
use crate::{PROGRAM, bytes, code, command, json, meshpeek, scratch, text, without_pages};

/// The size of the program in the usual build of the tests.
#[cfg(unix)]
const USUAL_PROGRAM: u64 = 27 << 20;

/// Runs meshpeek with at most `mebibytes` of address space. A program that is larger than usual,
/// as without optimisation, gets so much more.
#[cfg(unix)]
pub fn with_memory(mebibytes: u64, arguments: &[&str]) -> Output {
    let program = fs::metadata(PROGRAM).unwrap().len();
    let limit = mebibytes * 1024 + program.saturating_sub(USUAL_PROGRAM) / 1024;
    let limited = format!("ulimit -v {limit}; exec \"$0\" \"$@\"");
    process("sh").args(["-c", &limited, PROGRAM]).args(arguments).output().unwrap()
}

/// Builds a pair of `vertices` vertices and two frames. The polygons are the same triangle, in
/// `surfaces` surfaces.
pub fn crowded(vertices: u32, polygons: usize, surfaces: usize) -> builder::Mesh {
    let polygon = |number: usize| RawPolygon {
        vertices: [0, 1, 2].map(Into::into),
        texture: u8::try_from(number % surfaces % 256).unwrap(),
        kind: [0, 1, 2, 3][number % surfaces / 256],
        ..RawPolygon::EMPTY
    };
    let frame = |z: i16| {
        let corner = |vertex: u32| [[0, 0, z], [8, 0, z], [0, 8, z]][vertex as usize % 3];
        (0..vertices).map(corner).collect()
    };
    let polygons = (0..polygons).map(polygon).collect();
    builder::Mesh { polygons, frames: vec![frame(0), frame(8)], ..builder::Mesh::new(Variant::Classic, vertices) }
}

pub fn write_pair(folder: &Path, stem: &str, mesh: &builder::Mesh) -> String {
    fs::write(folder.join(format!("{stem}_d.3d")), mesh.data_bytes().unwrap()).unwrap();
    fs::write(folder.join(format!("{stem}_a.3d")), mesh.aniv_bytes().unwrap()).unwrap();
    folder.join(format!("{stem}_d.3d")).to_str().unwrap().to_owned()
}

#[cfg(unix)]
#[test]
fn an_interpolated_frame_is_shared_by_all_surfaces() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_pair(folder.path(), "m", &crowded(16_383, 1024, 1024));
    let ray = ["ray", "--from", "1,1,99", "--direction", "0,0,-1", "--frame", "0.5", "--json"];
    // Without sharing, the positions take 1,024 * 16,383 * 12 bytes, which are 192 MiB.
    let output = with_memory(128, &[&["query", &path], &ray[..]].concat());
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    assert_eq!(json(&output)["point"], serde_json::json!([1.0, 1.0, 4.0]));
}

#[cfg(unix)]
#[test]
fn skinned_surfaces_that_share_vertices_share_their_moved_positions() {
    let path = "data/ezmesh/flag.ezm";
    let both =
        |more: &[&str]| meshpeek(&[&["query", path, "nearest", "--point", "0,0,5", "--frame", "1"], more].concat());
    let all = json(&both(&["--json"]));
    let one = json(&both(&["--json", "--surface", &all["surface"].to_string()]));
    assert_eq!(all["point"], one["point"]);
}

#[cfg(unix)]
#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn a_script_that_imports_one_pair_many_times_is_bounded() {
    let folder = tempfile::tempdir().unwrap();
    write_pair(folder.path(), "m", &crowded(3, 1024, 1024));
    let import = |name: usize| format!("#exec MESH IMPORT MESH=M{name} ANIVFILE=m_a.3d DATAFILE=m_d.3d\n");
    let script = folder.path().join("m.uc");
    fs::write(&script, (0..300).map(import).collect::<String>()).unwrap();
    let script = script.to_str().unwrap();
    let output = with_memory(64, &["info", script, "--json"]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let found = json(&output);
    let files = found["files"].as_array().unwrap();
    assert!(files.len() == 16 && files.iter().all(|file| file["surfaces"].as_array().unwrap().len() == 1024));
    assert_eq!((&files[3]["mesh"], found["unresolved"].as_array().unwrap().len()), (&"M3".into(), 284));
    assert_eq!(found["unresolved"][0]["mesh"], "M16");
    assert!(found["unresolved"][0]["message"].as_str().unwrap().contains("--mesh"), "{}", found["unresolved"][0]);
    assert_eq!(code(&with_memory(64, &["validate", script, "--json"])), code(&meshpeek(&["validate", script])));
    let chosen = json(&meshpeek(&["info", script, "--mesh", "M299", "--json"]));
    assert_eq!(chosen["files"][0]["mesh"], "M299");
}

#[cfg(unix)]
#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn notifications_are_printed_one_by_one_and_once() {
    let folder = tempfile::tempdir().unwrap();
    write_pair(folder.path(), "m", &crowded(3, 1, 1));
    let mut script = String::from("#exec MESH IMPORT MESH=m ANIVFILE=m_a.3d DATAFILE=m_d.3d\n");
    script += &"#exec MESH SEQUENCE MESH=m SEQ=a STARTFRAME=0 NUMFRAMES=1\n".repeat(300);
    for (count, complete) in [(400, true), (100_000, false)] {
        let calls = "#exec MESH NOTIFY MESH=m SEQ=a TIME=0.5 FUNCTION=F\n".repeat(count);
        fs::write(folder.path().join("m.uc"), script.clone() + &calls).unwrap();
        let output = with_memory(48, &["info", folder.path().join("m_d.3d").to_str().unwrap(), "--json"]);
        assert_eq!(code(&output), 0, "{}", text(&output.stderr));
        let script = &json(&output)["files"][0]["properties"]["script"];
        assert_eq!(script["complete"], complete);
        let sequences = script["meshes"][0]["sequences"].as_array().unwrap();
        let notifies = |sequence: &Value| sequence["notifies"].as_array().map_or(0, Vec::len);
        assert!(notifies(&sequences[0]) >= 400 && sequences[1..].iter().all(|sequence| notifies(sequence) == 0));
    }
}

/// `info` reads all positions of a file, but the memory of the pages is released meanwhile.
#[cfg(target_os = "linux")]
#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn a_sparse_file_larger_than_the_memory_is_described_in_little_memory() {
    use crate::support::ezmesh::builder;
    let corners = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let section = builder::Section { triangles: vec![[0, 1, 2]], ..Default::default() };
    let vertices = builder::Vertices { columns: vec![builder::Column::positions(corners)], bare: 0 };
    let mesh = builder::MeshElement { vertices: Some(vertices), sections: vec![section], ..Default::default() };
    let small = builder::Mesh { meshes: vec![mesh], ..Default::default() };
    let bytes = small.to_ezb(meshpeek::decode::ByteOrder::Little);
    // The vertex count is the field before the three vertices. The number of instances, the number
    // of collision shapes and the plane follow them.
    let (vertices, tail) = (bytes.len() - 24 - 36, bytes.len() - 24);
    let count = 64_u32 << 20;
    let (_folder, path) = scratch("sparse.ezb", &bytes[..vertices - 4]);
    let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
    let end = vertices as u64 + u64::from(count) * 12;
    file.set_len(end + 24).unwrap();
    for (part, at) in [(&count.to_le_bytes()[..], vertices as u64 - 4), (&bytes[tail..], end)] {
        std::os::unix::fs::FileExt::write_all_at(&file, part, at).unwrap();
    }
    let mut child = command(&["info", &path, "--json"]).stdout(Stdio::null()).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0_u64;
    let code = loop {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        most = most.max(line.map_or(0, |line| line.trim().trim_end_matches(" kB").parse().unwrap()));
        if let Some(status) = child.try_wait().unwrap() {
            break status.code();
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    assert_eq!(code, Some(0));
    // The file has 768 MiB.
    assert!((10 << 10..400 << 10).contains(&most), "{most} KiB of memory");
}

/// One damaged block under six names may not be inflated six times.
#[test]
fn blocks_that_cannot_be_inflated_count_as_work() {
    // The stream inflates to 65 MiB, which is 1 MiB more than a block may have.
    let stored = raw_assets::zlib(&vec![0; 65 << 20]);
    let names = ["high_lod", "low_lod", "lowest_lod", "medium_lod", "physics_mesh", "physics_shape"];
    let header = names.map(|name| (name, raw_assets::place(0, stored.len())));
    let file = [raw_assets::map(&header), stored].concat();
    let (_folder, path) = scratch("shared.llmesh", &file);
    let found = json(&meshpeek(&["info", &path, "--lod", "all", "--json"]));
    let findings = found["files"][0]["findings"].as_array().unwrap();
    // All blocks together may inflate to 128 MiB.
    assert_eq!(findings.iter().filter(|finding| finding["rule"] == "SL06").count(), 2, "{findings:?}");
}

#[cfg(unix)]
#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn a_skin_of_29000_joints_is_printed_joint_by_joint() {
    let matrix = raw_assets::array(&vec![b"i\0\0\0\x01".to_vec(); 16]);
    let names = raw_assets::array(&vec![b"s\0\0\0\x01a".to_vec(); 29_000]);
    let skin = raw_assets::map(&[
        ("inverse_bind_matrix", raw_assets::array(&vec![matrix.clone(); 29_000])),
        ("alt_inverse_bind_matrix", raw_assets::array(&vec![matrix; 29_000])),
        ("joint_names", names),
    ]);
    let stored = raw_assets::zlib(&skin);
    let file = [raw_assets::map(&[("skin", raw_assets::place(0, stored.len()))]), stored].concat();
    let (_folder, path) = scratch("skin.llmesh", &file);
    // As JSON values, the matrices take 2 * 29,000 * 16 * 32 bytes, which are 28 MiB.
    let output = with_memory(48, &["info", &path, "--json"]);
    assert!(output.status.code().is_some_and(|code| code < 2), "{}", text(&output.stderr));
    assert!(output.stdout.len() > 8 << 20);
}

#[cfg(unix)]
#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn hits_and_triangles_are_printed_one_by_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_pair(folder.path(), "m", &crowded(3, 60_000, 1));
    let ray = ["ray", "--from", "1,1,99", "--direction", "0,0,-1", "--all", "--attributes"];
    for (kind, what) in [(&ray[..], "hits"), (&["overlap", "--min=-1,-1,-1", "--max=9,9,9"], "triangles")] {
        for format in [&["--json"][..], &[]] {
            let output = with_memory(64, &[&["query", &path], kind, format].concat());
            assert_eq!(code(&output), 0, "{}", text(&output.stderr));
            if format == ["--json"] {
                assert_eq!(json(&output)[what].as_array().unwrap().len(), 60_000);
            }
        }
    }
}

#[cfg(unix)]
#[test]
fn animations_are_matched_with_meshes_that_follow_them() {
    let (bend, skinned, cube) =
        ("data/unigine/bend_an10.anim", "data/unigine/skinned_ms12.mesh", "data/unigine/cube_ms13.mesh");
    let files = |names: &[&str]| json(&meshpeek(&[&["info", "--json"], names].concat()))["files"].clone();
    let (before, after) = (files(&[cube, skinned, bend]), files(&[bend, cube, skinned]));
    assert_eq!([&before[0], &before[1], &before[2]], [&after[1], &after[2], &after[0]]);
    assert_eq!(after[0]["properties"]["mesh"]["path"], skinned);
    let twice = files(&[bend, skinned, bend]);
    assert!(twice[0] == twice[2] && twice[0] == after[0]);
}

/// Returns whether JSON or text contains a character that controls a terminal, other than a line
/// feed.
fn controls_terminal(output: &[u8]) -> bool {
    let text = text(output);
    text.chars().any(|char| {
        char.is_control() && char != '\n'
            || "\u{61c}\u{200e}\u{200f}\u{2028}\u{2029}\u{202e}\u{2066}\u{2069}".contains(char)
    })
}

#[test]
fn json_and_text_escape_control_and_direction_characters() {
    let odd = "\u{7f}\u{85}\u{9b}31m\u{202e}\u{2066}\u{200f}";
    let (folder, path) = scratch(&format!("{odd}.mesh"), &bytes("skinned_ms12"));
    let (_cut, cut) = scratch(&format!("{odd}.mesh"), &bytes("cube_ms13")[..300]);
    let out = folder.path().join(format!("{odd}.out"));
    let out = out.to_str().unwrap();
    for arguments in [
        &["info", &path][..],
        &["info", &cut],
        &["map", &path],
        &["map", &cut],
        &["map", &path, "--at", "5"],
        &["validate", &path],
        &["validate", &cut],
        &["dump", &path, "--range", "0"],
        &["dump", &cut, "--attribute", "uv0"],
        &["dump", "data/unigine/bend_an10.anim", "--pose", "1", "--onto", &path],
        &["query", &path, "nearest", "--point", "0,0,0"],
        &["query", &cut, "nearest", "--point", "0,0,0"],
        &["rewrite", &path, "-o", out, "--force"],
        &["index", &cut],
    ] {
        for more in [&["--json"][..], &[]] {
            let output = meshpeek(&[arguments, more].concat());
            assert!(!controls_terminal(&output.stdout), "{arguments:?} {more:?}: {:?}", text(&output.stdout));
            assert!(!controls_terminal(&output.stderr), "{arguments:?} {more:?}: {:?}", text(&output.stderr));
        }
    }
    let found = json(&meshpeek(&["info", "--json", &path]));
    assert_eq!(found["files"][0]["path"], path.as_str());
}

#[cfg(unix)]
#[test]
fn a_file_that_changes_while_it_is_copied_is_an_error() {
    let (_folder, path) = scratch("big.mesh", &vec![0; 48 << 20]);
    crate::changed::expect_changed(&path, || command(&["info", "--no-mmap", "--json", &path]));
}

#[cfg(unix)]
#[test]
fn a_mapped_file_that_changes_while_it_is_described_is_an_error_at_the_end_of_its_entry() {
    use std::io::{Read as _, Write as _};
    let folder = tempfile::tempdir().unwrap();
    let path = write_pair(folder.path(), "m", &crowded(3, 65_535, 1024));
    let mut child = command(&["info", "--json", &path]).stdout(Stdio::piped()).spawn().unwrap();
    let mut output = child.stdout.take().unwrap();
    let mut first = [0; 100];
    output.read_exact(&mut first).unwrap();
    // The pipe is full now, and the program waits until it is read.
    fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"x").unwrap();
    let mut all = first.to_vec();
    output.read_to_end(&mut all).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(3));
    let file = serde_json::from_slice::<Value>(&all).unwrap()["files"][0].clone();
    assert_eq!((&file["error"]["kind"], file["surfaces"].as_array().unwrap().len()), (&"changed".into(), 1024));
}

#[cfg(target_os = "linux")]
#[test]
fn works_without_threads() {
    let run = |arguments: &[&str]| {
        // No thread can have a stack of 1 TiB in 2 GiB of address space.
        let script = "ulimit -v 2097152; exec \"$0\" \"$@\"";
        let mut command = process("sh");
        command.args(["-c", script, PROGRAM]).args(arguments).env("RUST_MIN_STACK", "1099511627776");
        command.output().unwrap()
    };
    let (_folder, batch) = scratch("batch.txt", "0 0 9 0 0 0\n9 9 9 9 9 10\n0.1 0 9 0 0 0\n".repeat(20).as_bytes());
    let cube = "data/unigine/cube_ms13.mesh";
    for arguments in [
        &["info", cube, "data/unigine/room_ms14.mesh"][..],
        &["validate", "data/unigine"],
        &["query", cube, "ray", "--batch", &batch, "--json"],
        &["query", "data/unigine/room_ms14.mesh", "nearest", "--point", "0,0,0"],
    ] {
        let output = run(arguments);
        assert_eq!(text(&output.stderr), "", "{arguments:?}");
        let [found, expected] = [output, meshpeek(arguments)].map(|output| without_pages(&text(&output.stdout)));
        assert_eq!(found, expected, "{arguments:?}");
    }
}

/// A named pipe whose writer says nothing.
#[cfg(unix)]
fn silent_pipe(path: &Path) -> fs::File {
    crate::support::files::make_pipe(path);
    // A file that is opened for reading and writing is a writer, and opening it does not wait.
    fs::OpenOptions::new().read(true).write(true).open(path).unwrap()
}

/// Runs a command, and returns `None` if it does not end within the time.
#[cfg(unix)]
fn ends_within(time: Duration, arguments: &[&str]) -> Option<i32> {
    let start = Instant::now();
    let mut child = Running(command(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    while start.elapsed() < time {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    None
}

#[cfg(unix)]
fn without_waiting(arguments: &[&str]) -> Option<i32> {
    ends_within(PATIENCE, arguments)
}

#[cfg(unix)]
#[test]
fn waits_for_a_named_pipe_but_for_no_pipe_that_it_finds() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let [data, aniv] = pair("box");
    fs::write(at("cube.mesh"), bytes("cube_ms13")).unwrap();
    let pipes = ["pipe.mesh", "cube.mesh.mpidx", "box_a.3d", "whole.uc", "pipe_d.3d"]
        .map(|name| silent_pipe(at(name).as_ref()));
    fs::write(at("box_d.3d"), &data).unwrap();
    fs::write(at("whole_d.3d"), &data).unwrap();
    fs::write(at("whole_a.3d"), &aniv).unwrap();
    assert!(without_waiting(&["info", &at("")]).is_some(), "a folder");
    assert_eq!(without_waiting(&["info", &at("p*.mesh")]), Some(3), "a pattern that matches only a pipe");
    assert_eq!(without_waiting(&["info", &at("*.mesh")]), Some(0), "a pattern");
    assert_eq!(without_waiting(&["info", &at("box_d.3d")]), Some(3), "the second file of a pair");
    assert!(without_waiting(&["info", &at("whole_d.3d")]).is_some(), "a script");
    assert_eq!(without_waiting(&["info", &at("whole.uc")]), Some(3), "a script as the name of a mesh");
    assert_eq!(without_waiting(&["query", &at("cube.mesh"), "nearest", "--point", "0,0,0"]), Some(0), "a sidecar");
    assert_eq!(without_waiting(&["index", "--beside", &at("whole_d.3d")]), Some(0));
    let named = ends_within(Duration::from_millis(300), &["info", &at("pipe.mesh")]);
    assert_eq!(named, None, "a pipe that the command line names");
    drop(pipes);
}

#[test]
fn meshes_that_are_not_visited_are_an_error_where_they_would_be_missed() {
    let folder = tempfile::tempdir().unwrap();
    write_pair(folder.path(), "m", &crowded(3, 1, 1));
    let import = |name: usize| format!("#exec MESH IMPORT MESH=M{name} ANIVFILE=m_a.3d DATAFILE=m_d.3d\n");
    let script = folder.path().join("m.uc");
    let write = |count| fs::write(&script, (0..count).map(import).collect::<String>()).unwrap();
    let path = script.to_str().unwrap();
    for verb in ["validate", "index"] {
        write(16);
        let whole = meshpeek(&[verb, path]);
        assert!(code(&whole) < 2, "{verb}: {}", text(&whole.stderr));
        write(40);
        let output = meshpeek(&[verb, path]);
        assert_eq!(code(&output), 3, "{verb}");
        let errors = text(&output.stderr);
        assert!(errors.contains("at most 16 imports") && errors.contains("24 more, from M16 on"), "{verb}: {errors}");
        let files = json(&meshpeek(&[verb, path, "--json"]))["files"].as_array().unwrap().clone();
        assert_eq!(files.len(), 17, "{verb}");
        assert_eq!(files[16]["error"]["field"], "import", "{verb}");
    }
    assert!(code(&meshpeek(&["info", path])) < 2);
}

#[cfg(unix)]
#[test]
fn a_long_name_of_a_bone_that_many_clips_move_is_not_copied() {
    let mut mesh = skinned(meshpeek::unigine::Generation::Ms12);
    mesh.bones[0].name = "n".repeat(200_000);
    let clip = mesh.animations[0].clone();
    mesh.animations = (0..2000).map(|_| clip.clone()).collect();
    let (_folder, path) = scratch("long.mesh", &mesh.to_bytes().unwrap());
    let output = with_memory(64, &["info", &path, "--json"]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let clips = json(&output)["files"][0]["clips"].as_array().unwrap().clone();
    assert_eq!(clips.iter().filter(|clip| clip["moved_bones"].is_array()).count(), 20, "4 MiB of names");
    assert_eq!(code(&with_memory(64, &["info", &path])), 0);
    assert_eq!(code(&with_memory(64, &["ls", &path])), 0);
}

/// Many meshes share a script with long findings, which are held once.
#[cfg(unix)]
#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn the_findings_about_a_script_are_not_held_for_each_of_its_meshes() {
    let folder = tempfile::tempdir().unwrap();
    let mut script = String::new();
    for mesh in 0..100 {
        for end in ["d", "a"] {
            fs::copy(format!("data/unreal/box_{end}.3d"), folder.path().join(format!("m{mesh}_{end}.3d"))).unwrap();
        }
        writeln!(script, "#exec MESH IMPORT MESH=m{mesh} ANIVFILE=m{mesh}_a.3d DATAFILE=m{mesh}_d.3d").unwrap();
    }
    let key = "K".repeat(3000);
    for number in 0..1001 {
        writeln!(script, "#exec MESH ORIGIN MESH=m0 {key}{number}=1").unwrap();
    }
    let path = folder.path().join("all.uc");
    fs::write(&path, script).unwrap();
    // The script has 3 MB, and so have the findings about it.
    for named in [path.as_path(), folder.path()] {
        let output = with_memory(128, &["validate", named.to_str().unwrap()]);
        let last = "100 files: 100 sound, 0 with warnings or errors, 0 unreadable; 0 errors, 0 warnings, 2,001 infos";
        assert!(code(&output) == 0 && text(&output.stdout).contains(last), "{}", text(&output.stderr));
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn a_million_joints_are_counted_and_not_all_listed() {
    let names = raw_assets::array(&vec![b"s\0\0\0\x01a".to_vec(); 1_000_000]);
    let stored = raw_assets::zlib(&raw_assets::map(&[("joint_names", names)]));
    let file = [raw_assets::map(&[("skin", raw_assets::place(0, stored.len()))]), stored].concat();
    let (_folder, path) = scratch("skin.llmesh", &file);
    // As strings, the names of a million joints take 48 bytes each or more.
    let output = with_memory(64, &["info", &path, "--json"]);
    assert!(output.status.code().is_some_and(|code| code < 2), "{}", text(&output.stderr));
    let found = &json(&output)["files"][0];
    assert_eq!(found["bones"].as_array().unwrap().len(), 100_000);
    assert_eq!(found["properties"]["left_out"]["bones"], 900_000);
    let lines = text(&with_memory(64, &["info", &path]).stdout);
    assert!(lines.contains("no; 1,000,000 bones without weights\n"), "{lines}");
}

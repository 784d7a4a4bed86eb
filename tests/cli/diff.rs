//! Tests of `diff`: values, names, counts, findings and bytes of two meshes, in text and in JSON.

use std::fs;
use std::path::Path;

use serde_json::{Value, json as value};

use crate::support::process::process;
use crate::support::skip;
use crate::support::unigine::{poke, region, spoil};
use crate::support::unreal::samples as unreal_samples;
use crate::{bytes, code, command, compact, json, meshpeek, sample, scratch, text};

/// Runs `diff` with `--json`, and returns the document.
fn document(expected: i32, arguments: &[&str]) -> Value {
    let output = meshpeek(&[&["diff"], arguments, &["--json"]].concat());
    assert_eq!(code(&output), expected, "{arguments:?}: {}", text(&output.stderr));
    json(&output)
}

/// Runs `diff`, and returns its lines without the two lines about the files.
fn lines(expected: i32, arguments: &[&str]) -> Vec<String> {
    let output = meshpeek(&[&["diff"], arguments].concat());
    assert_eq!(code(&output), expected, "{arguments:?}: {}", text(&output.stderr));
    let printed = text(&output.stdout);
    let lines = printed.lines().filter(|line| !line.starts_with("--- ") && !line.starts_with("+++ "));
    lines.map(str::to_owned).collect()
}

/// Returns the paths of all samples. Of an Unreal mesh, this is the path of its data file.
fn all_samples() -> Vec<String> {
    let all = json(&meshpeek(&["info", "data", "--json"]));
    all["files"].as_array().unwrap().iter().map(|file| file["path"].as_str().unwrap().to_owned()).collect()
}

/// Returns the bytes of a cube whose position `index` is replaced.
fn moved_cube(index: usize, position: [f32; 3]) -> Vec<u8> {
    let position: Vec<u8> = position.iter().flat_map(|part| part.to_le_bytes()).collect();
    poke(&bytes("cube_ms13"), "surface[0].target[0].positions", index * 12, &position)
}

#[test]
fn every_sample_is_identical_to_itself_and_to_its_copy() {
    let samples = all_samples();
    assert!(samples.len() > 35, "{}", samples.len());
    for path in &samples {
        let output = meshpeek(&["diff", path, path]);
        assert_eq!(code(&output), 0, "{path}: {}", text(&output.stderr));
        let size = json(&meshpeek(&["info", path, "--json", "--lod", "none"]))["files"][0]["bytes"].clone();
        assert_eq!(text(&output.stdout), format!("identical: {size} bytes\n"), "{path}");
    }
    let (_folder, copy) = scratch("copy.mesh", &bytes("room_ms14"));
    assert_eq!(lines(0, &[&sample("room_ms14"), &copy]), ["identical: 7051 bytes"]);
    let found = document(0, &[&sample("room_ms14"), &copy]);
    assert_eq!((&found["identical_bytes"], &found["equal"]), (&value!(true), &value!(true)));
}

#[test]
fn one_moved_vertex_is_reported_with_its_values() {
    let base = sample("cube_ms13");
    let (_folder, other) = scratch("moved.mesh", &moved_cube(2, [0.5, -0.5, 0.75]));
    let output = meshpeek(&["diff", &base, &other, "--only", "attributes"]);
    assert_eq!(code(&output), 1);
    let expected = format!(
        "--- {base}: unigine ms13, 665 bytes\n+++ {other}: unigine ms13, 665 bytes\n\
         surface 0 (cube): positions: 1 of 8 differ, first at 2: 0.5 -0.5 0.5 -> 0.5 -0.5 0.75, largest difference 0.25\n"
    );
    assert_eq!(text(&output.stdout), expected);
    let found = document(1, &[&base, &other, "--only", "attributes"]);
    let difference = &found["differences"][0];
    assert_eq!(found["differences"].as_array().unwrap().len(), 1);
    assert_eq!(difference["kind"], "attributes");
    assert_eq!((&difference["item"], &difference["item_b"]), (&value!("surface[0].positions"), &Value::Null));
    let numbers = ["count", "of", "first", "largest"].map(|key| difference[key].clone());
    assert_eq!(numbers, [value!(1), value!(8), value!(2), value!(0.25)]);
    assert_eq!(difference["b"], value!([0.5, -0.5, 0.75]));
    assert_eq!(
        (&found["equal"], &found["totals"]),
        (
            &value!(false),
            &value!({ "counts": 0, "names": 0, "bounds": 0, "attributes": 1, "animations": 0, "findings": 0, "bytes": 0 })
        )
    );
    // The difference is at most the tolerance, whether absolute or relative.
    for tolerance in [["--epsilon", "0.25"], ["--relative", "0.34"]] {
        let same = lines(0, &[&[base.as_str(), &other, "--only", "attributes"], &tolerance[..]].concat());
        assert!(
            same[0].starts_with("same values, as far as --only compares them; bytes differ in surface[0]"),
            "{same:?}"
        );
    }
    lines(1, &[&base, &other, "--only", "attributes", "--epsilon", "0.24"]);
}

#[test]
fn signs_of_zero_and_nan_are_equal_and_nan_is_never_a_number() {
    let (zero, negative) = (moved_cube(0, [0.0, f32::NAN, 1.0]), moved_cube(0, [-0.0, -f32::NAN, 1.0]));
    let (_one, zero) = scratch("zero.mesh", &zero);
    let (_other, negative) = scratch("negative.mesh", &negative);
    let same = lines(0, &[&zero, &negative, "--only", "attributes"]);
    assert_eq!(same, ["same values, as far as --only compares them; bytes differ in surface[0].target[0].positions"]);
    let (_third, number) = scratch("number.mesh", &moved_cube(0, [0.0, 2.0, f32::INFINITY]));
    let found = document(1, &[&zero, &number, "--only", "attributes", "--epsilon", "1000"]);
    let difference = &found["differences"][0];
    assert_eq!((&difference["a"], &difference["b"]), (&value!([0.0, null, 1.0]), &value!([0.0, 2.0, null])));
    assert_eq!((&difference["largest"], &difference["count"]), (&Value::Null, &value!(1)));
    let line = &lines(1, &[&zero, &number, "--only", "attributes"])[0];
    assert!(line.ends_with("first at 0: 0.0 NaN 1.0 -> 0.0 2.0 inf, largest difference inf"), "{line}");
}

#[test]
fn the_encoding_is_a_difference_only_on_request() {
    let (old, new) = (sample("cube_ms12"), sample("cube_ms13"));
    let same = "same values; bytes differ in magic, animations.count, inner_magic, closing_magic";
    assert_eq!(lines(0, &[&old, &new]), [same]);
    let found = document(0, &[&old, &new]);
    assert_eq!((&found["identical_bytes"], &found["equal"]), (&value!(false), &value!(true)));
    assert_eq!(
        found["differing_regions"],
        value!({ "count": 4, "names": ["magic", "animations.count", "inner_magic", "closing_magic"] })
    );
    let listed = [
        "version: \"ms12\" -> \"ms13\"",
        "bytes of magic: 1 of 4 bytes differ, first at 3 in A, 3 in B",
        "bytes of animations.count: only in A, 1 byte",
        "bytes of inner_magic: 1 of 4 bytes differ, first at 101 in A, 100 in B",
        "bytes of closing_magic: 1 of 4 bytes differ, first at 665 in A, 664 in B",
    ];
    assert_eq!(lines(1, &[&old, &new, "--bytes"]), listed);
    assert_eq!(lines(1, &[&old, &new, "--only", "bytes"]), listed);
    let found = document(1, &[&old, &new, "--bytes"]);
    assert_eq!(found["differences"][3]["a"], value!({ "offset": 101, "bytes": 4 }));
    assert_eq!((&found["differences"][3]["first"], &found["differences"][3]["count"]), (&value!(3), &value!(1)));
    assert_eq!(found["differences"][2]["b"], Value::Null);
    // Compressed and raw blocks have the same values.
    let raw = lines(0, &[&sample("cube_ms14"), &sample("cube_ms14_raw")]);
    assert!(raw[0].starts_with("same values; bytes differ in surface[0].geometry.sizes, "), "{raw:?}");
}

#[test]
fn the_bytes_that_differ_are_counted_by_region() {
    let base = bytes("cube_ms13");
    let place = region(&base, "surface[0].target[0].positions");
    let mut spoilt = base;
    for at in [place.start, place.start + 5, place.end - 1] {
        spoilt[at] ^= 0x80;
    }
    let (_folder, other) = scratch("spoilt.mesh", &spoilt);
    let found = lines(1, &[&sample("cube_ms13"), &other, "--only", "bytes"]);
    let start = place.start;
    let expected =
        format!("bytes of surface[0].target[0].positions: 3 of 96 bytes differ, first at {start} in A, {start} in B");
    assert_eq!(found, [expected]);
    // A longer name moves what follows it, and only the name differs.
    let renamed = spoil(&bytes("cube_ms13"), "surface[0].name", &[compact(6), b"cubes\0".to_vec()].concat());
    let (_folder, other) = scratch("renamed.mesh", &renamed);
    let found = lines(1, &[&sample("cube_ms13"), &other, "--only", "bytes,names"]);
    assert_eq!(found[0], "surface 0 (cube): name: \"cube\" -> \"cubes\"");
    assert_eq!(found[1], "bytes of surface[0].name: 6 -> 7 bytes; 2 of 6 bytes differ, first at 46 in A, 46 in B");
    assert_eq!(found.len(), 2, "{found:?}");
}

#[test]
fn surfaces_and_their_shapes_are_counted_and_named() {
    let found = lines(1, &[&sample("room_ms11"), &sample("room_ms14")]);
    for line in [
        "surfaces: 3 -> 5",
        "bounds: min: -1.0 -1.0 -0.25 -> -1.0 -1.0 -0.5",
        "+ surface 3 (face)",
        "+ surface 4 (sign)",
    ] {
        assert!(found.iter().any(|found| found == line), "{line}: {found:?}");
    }
    let back = lines(1, &[&sample("room_ms14"), &sample("room_ms11"), "--only", "names"]);
    assert_eq!(back, ["- surface 3 (face)", "- surface 4 (sign)"]);
    let found = document(1, &[&sample("cube_ms13"), &sample("morph_ms13"), "--only", "counts,names"]);
    let differences = found["differences"].as_array().unwrap();
    assert_eq!(differences[0]["item"], "surface[0].name");
    assert_eq!((&differences[1]["item"], &differences[1]["b"]), (&value!("surface[0].targets"), &value!(3)));
    // Surfaces with the same name are compared, whatever their numbers are.
    let output = meshpeek(&["diff", "data/unreal/guard", "data/unreal/guard_a.3d", "--brief"]);
    assert_eq!((code(&output), text(&output.stdout)), (0, String::new()));
}

#[test]
fn a_converted_mesh_has_the_same_values_in_another_format() {
    let folder = tempfile::tempdir().unwrap();
    let to = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    for (stem, epsilon) in [("cube_ms13", "1e-6"), ("cube_ms14", "1e-6")] {
        let converted = to(&format!("{stem}.ezm"));
        let output = meshpeek(&["convert", &sample(stem), "--space", "stored", "-o", &converted]);
        assert_eq!(code(&output), 0, "{}", text(&output.stderr));
        let same = lines(0, &[&sample(stem), &converted, "--epsilon", epsilon]);
        assert_eq!(same.len(), 1);
        assert!(same[0].starts_with("same values; the formats differ: unigine ms1"), "{same:?}");
        // Vertex by vertex, the vertices have been divided.
        let found = lines(1, &[&sample(stem), &converted, "--epsilon", epsilon, "--by", "vertex"]);
        assert!(found.contains(&"surface 0 (cube): vertices: 8 -> 24".to_owned()), "{found:?}");
        let found = lines(1, &[&sample(stem), &converted, "--epsilon", epsilon, "--bytes"]);
        assert_eq!(found, ["format: \"unigine\" -> \"ezmesh\""]);
        let found = document(0, &[&sample(stem), &converted, "--epsilon", epsilon]);
        assert_eq!(found["differing_regions"], Value::Null);
    }
    let same = lines(0, &["data/ezmesh/crate.ezm", "data/ezmesh/crate100.ezb"]);
    assert!(same[0].starts_with("same values; bytes differ in elements, "), "{same:?}");
    let rewritten = to("legacy.ezm");
    assert_eq!(code(&meshpeek(&["rewrite", "data/ezmesh/legacy.ezm", "-o", &rewritten, "--allow-loss"])), 0);
    lines(0, &["data/ezmesh/legacy.ezm", &rewritten, "--only", "counts,bounds,attributes"]);
    let found = lines(1, &["data/ezmesh/legacy.ezm", &rewritten]);
    assert!(found.contains(&"+ metadata 1 (system_version)".to_owned()), "{found:?}");
}

#[test]
fn poses_and_frames_are_compared_frame_by_frame() {
    let found = lines(1, &[&sample("wave_an10"), &sample("wave_an13"), "--only", "animations"]);
    assert!(found.contains(&"bone 0 (hand): rest position: 0.0 0.5 0.0 -> 0.0 0.0 0.0".to_owned()), "{found:?}");
    let scales = "clip 0 (wave): scales: 19 of 60 differ, first at frame 0, bone 4: 1.0 1.0 0.5 -> 1.0 1.0 1.0, largest difference 0.5";
    assert!(found.contains(&scales.to_owned()), "{found:?}");
    let found = document(1, &[&sample("wave_an10"), &sample("bend_an10")]);
    let difference =
        found["differences"].as_array().unwrap().iter().find(|found| found["item"] == "clip[0].positions").unwrap();
    assert_eq!((&difference["first"], &difference["bone"], &difference["of"]), (&value!(0), &value!(0), &value!(6)));
    // The last position of the fourth vertex frame.
    let folder = tempfile::tempdir().unwrap();
    for (name, file) in [("box_d.3d", "box_d.3d"), ("box_a.3d", "box_a.3d")] {
        fs::copy(format!("data/unreal/{file}"), folder.path().join(name)).unwrap();
    }
    let aniv = folder.path().join("box_a.3d");
    let mut frames = fs::read(&aniv).unwrap();
    let size = usize::from(u16::from_le_bytes([frames[2], frames[3]]));
    frames[4 + 4 * size - 4] ^= 1;
    fs::write(&aniv, frames).unwrap();
    let found = lines(1, &["data/unreal/box_d.3d", folder.path().join("box_d.3d").to_str().unwrap()]);
    let found: Vec<&String> = found.iter().filter(|line| line.starts_with("frame")).collect();
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("frame 3: positions: 1 of 8 differ, first at 7: "), "{found:?}");
}

#[test]
fn findings_are_compared_by_rule() {
    let (_folder, odd) = scratch("odd.mesh", &[bytes("cube_ms13"), vec![1, 2, 3]].concat());
    assert_eq!(lines(1, &[&sample("cube_ms13"), &odd]), ["findings of UG24: 0 -> 1"]);
    assert_eq!(lines(1, &[&odd, &sample("cube_ms13"), "--only", "findings"]), ["findings of UG24: 1 -> 0"]);
    let found = document(1, &[&sample("cube_ms13"), &odd]);
    let expected = value!({
        "kind": "findings", "item": "UG24", "item_b": null, "type": "integer", "a": 0, "b": 1, "count": null, "of": null, "first": null,
        "bone": null, "largest": null
    });
    assert_eq!(found["differences"], value!([expected]));
}

#[test]
fn levels_of_detail_are_compared_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let low = folder.path().join("low.llmesh").to_str().unwrap().to_owned();
    let arm = "data/secondlife/arm.llmesh";
    assert_eq!(code(&meshpeek(&["lod", arm, "--lod", "low", "-o", &low])), 0);
    let found = lines(1, &[arm, &low, "--only", "counts,names"]);
    assert!(found.iter().any(|line| line.starts_with("levels of detail: ")), "{found:?}");
    assert!(found.iter().any(|line| line.starts_with("- level ")), "{found:?}");
    assert!(found.iter().any(|line| line.starts_with("high_lod: surface 0 (face 0): vertices: ")), "{found:?}");
    let other = lines(0, &[arm, &low, "--only", "counts,names", "--lod", "none"]);
    assert!(other[0].starts_with("same values, as far as --only compares them; bytes differ in "), "{other:?}");
    for option in [["--lod", "high"], ["--asset", "0"]] {
        let output = meshpeek(&["diff", &sample("cube_ms13"), &sample("cube_ms12"), option[0], option[1]]);
        assert_eq!(code(&output), 2);
        assert!(text(&output.stderr).contains("applies to Second Life meshes only"), "{}", text(&output.stderr));
    }
    let model = "data/secondlife/model.slm";
    let single = lines(1, &[model, "data/secondlife/rock.llmesh", "--asset", "1", "--only", "counts"]);
    assert!(!single.is_empty());
    assert_eq!(code(&meshpeek(&["diff", model, arm, "--asset", "99"])), 2);
}

#[test]
fn the_exit_code_says_what_happened() {
    let cube = sample("cube_ms13");
    let (_folder, cut) = scratch("cut.mesh", &bytes("cube_ms13")[..300]);
    for (expected, arguments) in [
        (0, &[cube.as_str(), &cube][..]),
        (1, &[&cube, "data/unigine/cube_ms10.mesh"]),
        (2, &[&cube]),
        (2, &[&cube, &cube, &cube]),
        (2, &[&cube, "data"]),
        (2, &["-", "-"]),
        (2, &[&cube, &cube, "--epsilon", "-1"]),
        (2, &[&cube, &cube, "--epsilon", "NaN"]),
        (2, &[&cube, &cube, "--only", "colours"]),
        (3, &[&cube, "no such file.mesh"]),
        (3, &["no such file.mesh", &cube]),
        (3, &[&cut, &cube]),
        (3, &[&cube, &cut]),
    ] {
        for more in [&[][..], &["--brief"], &["--quiet"]] {
            let output = meshpeek(&[&["diff"], arguments, more].concat());
            assert_eq!(code(&output), expected, "{arguments:?} {more:?}: {}", text(&output.stderr));
        }
    }
    let output = meshpeek(&["diff", &cube, &cut]);
    let error = text(&output.stderr);
    assert!(error.contains("cut.mesh: unigine ms13: surface[0].target[0].tangents at byte 199"), "{error}");
    let found = document(3, &[&cube, &cut]);
    assert_eq!((&found["equal"], &found["error"]["kind"]), (&Value::Null, &value!("count")));
    assert_eq!(found["error_path"], cut.as_str());
    let quiet = meshpeek(&["diff", &cube, &sample("cube_ms10"), "-q"]);
    assert_eq!((quiet.stdout.len(), quiet.stderr.len()), (0, 0));
    let brief = meshpeek(&["diff", &cube, &sample("cube_ms10"), "--brief"]);
    assert_eq!(text(&brief.stdout), format!("{cube} and {} differ\n", sample("cube_ms10")));
    let mut child = command(&["diff", "-", &cube]);
    child.stdin(fs::File::open(Path::new(env!("CARGO_MANIFEST_DIR")).join(&cube)).unwrap());
    assert_eq!(text(&child.output().unwrap().stdout), "identical: 665 bytes\n");
}

#[test]
fn a_damaged_file_never_hangs_or_panics() {
    let whole = bytes("skinned_ms12");
    for length in (0..whole.len()).step_by(61) {
        let (_folder, cut) = scratch("cut.mesh", &whole[..length]);
        let output = meshpeek(&["diff", &sample("skinned_ms12"), &cut, "--bytes", "--json"]);
        assert_eq!(code(&output), 3, "{length}");
        assert!(json(&output).get("error").is_some(), "{length}");
    }
    // An index that is out of range has no values to compare by corner.
    let wild = poke(&bytes("cube_ms13"), "surface[0].indices", 3, &[200]);
    let (_folder, wild) = scratch("wild.mesh", &wild);
    let output = meshpeek(&["diff", &sample("cube_ms13"), &wild, "--by", "corner", "--only", "attributes"]);
    assert_eq!(code(&output), 3);
    assert!(text(&output.stderr).contains("expected an index below 8, found 200"), "{}", text(&output.stderr));
    let found = lines(1, &[&sample("cube_ms13"), &wild, "--only", "attributes"]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("surface 0 (cube): indices: 1 of 36 differ, first at 3: "), "{found:?}");
}

#[test]
fn names_with_control_characters_are_escaped() {
    let name = [compact(6), b"\x1b[2J\n\0".to_vec()].concat();
    let (_folder, path) = scratch("evil\u{1b}[31m.mesh", &spoil(&bytes("cube_ms13"), "surface[0].name", &name));
    for arguments in [&["diff", &sample("cube_ms13"), &path][..], &["diff", &path, &sample("morph_ms13"), "--json"]] {
        let output = meshpeek(arguments);
        assert_eq!(code(&output), 1);
        assert!(!output.stdout.contains(&0x1b));
    }
    let found = lines(1, &[&sample("cube_ms13"), &path, "--only", "names"]);
    assert_eq!(found, [r#"surface 0 (cube): name: "cube" -> "\u{1b}[2J\u{a}""#]);
}

#[test]
fn a_long_list_is_cut_and_counted() {
    let (one, other) = (many_surfaces("a"), many_surfaces("b"));
    let (_one, one) = scratch("one.mesh", &one);
    let (_other, other) = scratch("other.mesh", &other);
    let found = lines(1, &[&one, &other]);
    assert_eq!(found.len(), 101);
    assert_eq!(found[100], "and 20 more differences of names (--verbose lists all)");
    assert_eq!(lines(1, &[&one, &other, "--verbose"]).len(), 120);
    let found = document(1, &[&one, &other]);
    assert_eq!(found["differences"].as_array().unwrap().len(), 100);
    assert_eq!(found["totals"]["names"], 120);
}

/// Returns a mesh of 120 surfaces whose names start with `prefix`.
fn many_surfaces(prefix: &str) -> Vec<u8> {
    use crate::support::unigine::builder;
    use meshpeek::unigine::Generation;
    let surface = |number: usize| crate::support::unigine::cube(&format!("{prefix}{number}"), 0.5);
    let mesh = builder::Mesh { surfaces: (0..120).map(surface).collect(), ..builder::Mesh::new(Generation::Ms13) };
    mesh.to_bytes().unwrap()
}

#[test]
fn colours_are_red_and_green_on_request() {
    let run = |name: &str| {
        let mut command = command(&["diff", &sample("cube_ms13"), &sample("morph_ms13")]);
        command.env_clear().env(name, "1").output().unwrap().stdout
    };
    assert!(!run("ANYTHING").contains(&0x1b));
    let coloured = text(&run("CLICOLOR_FORCE"));
    assert!(coloured.contains("\u{1b}[31m\"cube\"\u{1b}[0m -> \u{1b}[32m\"face\"\u{1b}[0m"), "{coloured:?}");
}

#[test]
fn folders_are_compared_file_by_file() {
    let folder = tempfile::tempdir().unwrap();
    let [a, b] = ["a", "b"].map(|name| folder.path().join(name));
    for side in [&a, &b] {
        fs::create_dir_all(side.join("inner")).unwrap();
        fs::write(side.join("inner/cube.mesh"), bytes("cube_ms13")).unwrap();
        fs::write(side.join("notes.txt"), "no mesh").unwrap();
    }
    fs::write(a.join("moved.mesh"), bytes("cube_ms13")).unwrap();
    fs::write(b.join("moved.mesh"), moved_cube(0, [9.0; 3])).unwrap();
    fs::write(a.join("old.mesh"), bytes("cube_ms10")).unwrap();
    fs::write(b.join("new.mesh"), bytes("cube_ms10")).unwrap();
    let [a_path, b_path] = [&a, &b].map(|path| path.to_str().unwrap());
    let found = lines(1, &[a_path, b_path, "--only", "attributes"]);
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(found[0].starts_with("surface 0 (cube): positions: 1 of 8 differ, first at 0: "), "{found:?}");
    assert_eq!(found[1..], ["+ new.mesh: only in B", "- old.mesh: only in A"]);
    let found = document(1, &[a_path, b_path]);
    let files = found["files"].as_array().unwrap();
    assert_eq!(files.len(), 4);
    assert_eq!((&files[0]["path"], &files[0]["identical_bytes"]), (&value!("inner/cube.mesh"), &value!(true)));
    assert_eq!((&files[2]["only"], &files[3]["only"], &found["equal"]), (&value!("b"), &value!("a"), &value!(false)));
    assert_eq!(lines(0, &[a_path, a_path]), Vec::<String>::new());
    fs::write(b.join("moved.mesh"), &bytes("cube_ms13")[..30]).unwrap();
    let output = meshpeek(&["diff", a_path, b_path, "--json"]);
    assert_eq!(code(&output), 3);
    assert_eq!(json(&output)["files"][1]["error"]["kind"], "unexpected-end");
    fs::create_dir(folder.path().join("empty")).unwrap();
    let empty = folder.path().join("empty");
    assert_eq!(code(&meshpeek(&["diff", empty.to_str().unwrap(), empty.to_str().unwrap()])), 2);
}

#[test]
fn git_mode_takes_the_arguments_of_git() {
    let (cube, room) = (sample("cube_ms13"), sample("cube_ms10"));
    let run = |arguments: &[&str]| {
        let output = meshpeek(&[&["diff", "--git"], arguments].concat());
        assert_eq!(code(&output), 0, "{arguments:?}: {}", text(&output.stderr));
        text(&output.stdout)
    };
    let changed = run(&["a/cube.mesh", &cube, "1234", "100644", &room, "5678", "100644"]);
    assert!(
        changed
            .starts_with("diff a/cube.mesh\n--- a/cube.mesh: unigine ms13, 665 bytes\n+++ a/cube.mesh: unigine ms10"),
        "{changed}"
    );
    let added = "diff n.mesh\n+++ n.mesh: unigine ms13, 665 bytes\n+ surface 0 (cube): 8 vertices, 12 triangles\n";
    assert_eq!(run(&["n.mesh", "/dev/null", ".", ".", &cube, "5678", "100644"]), added);
    let removed = "diff n.mesh\n--- n.mesh: unigine ms13, 665 bytes\n- surface 0 (cube): 8 vertices, 12 triangles\n";
    assert_eq!(run(&["n.mesh", &cube, "5678", "100644", "/dev/null", ".", "."]), removed);
    let renamed = run(&["o.mesh", &cube, "1", "100644", &cube, "1", "100644", "n.mesh", "similarity index 100%\n"]);
    assert_eq!(renamed, "diff o.mesh -> n.mesh\nidentical: 665 bytes\n");
    assert_eq!(run(&["u.mesh"]), "diff u.mesh\nunmerged\n");
    // Git puts the two files of an Unreal mesh into different folders.
    let (folder, old) = scratch("box_d.3d", &fs::read("data/unreal/box_d.3d").unwrap());
    let halves = run(&["box_d.3d", &old, "1", "100644", "data/unreal/box_d.3d", "2", "100644"]);
    assert!(halves.starts_with("diff box_d.3d\ncannot be compared as meshes: box_d.3d: "), "{halves}");
    assert!(
        halves.ends_with("240 bytes -> 240 bytes\n") && !halves.contains(folder.path().to_str().unwrap()),
        "{halves}"
    );
    assert_eq!(code(&meshpeek(&["diff", "--git", &cube, &cube])), 2);
}

#[test]
fn git_shows_the_differences_of_a_repository() {
    let folder = tempfile::tempdir().unwrap();
    let git = |arguments: &[&str]| {
        let program = format!("'{}'", crate::PROGRAM);
        let mut command = process("git");
        let convert = format!("diff.text.textconv=f() {{ {program} info -v - < \"$1\"; true; }}; f");
        command.args(["-c", "user.name=Test", "-c", "user.email=test@example.org"]);
        command.args(["-c", &format!("diff.meshpeek.command={program} diff --git"), "-c", &convert]);
        command.args(["-c", &format!("difftool.meshpeek.cmd={program} diff \"$LOCAL\" \"$REMOTE\"")]);
        command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
        command.args(arguments).current_dir(folder.path()).output()
    };
    let Ok(output) = git(&["init", "-q"]) else {
        skip("git is not installed");
        return;
    };
    assert!(output.status.success(), "{}", text(&output.stderr));
    let run = |arguments: &[&str]| {
        let output = git(arguments).unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
        text(&output.stdout)
    };
    let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    write(".gitattributes", b"*.mesh diff=meshpeek\n*.anim diff=text\n");
    write("cube.mesh", &bytes("cube_ms13"));
    write("gone.mesh", &bytes("cube_ms13"));
    write("wave.anim", &bytes("wave_an10"));
    run(&["add", "-A"]);
    run(&["commit", "-q", "-m", "one"]);
    write("cube.mesh", &moved_cube(0, [0.5, 0.5, 0.75]));
    write("new.mesh", &[7; 40]);
    write("wave.anim", &bytes("wave_an11"));
    fs::remove_file(folder.path().join("gone.mesh")).unwrap();
    run(&["add", "-A"]);
    let shown = run(&["diff", "--cached"]);
    for part in [
        "diff cube.mesh\n--- cube.mesh: unigine ms13, 665 bytes\n",
        "positions: 1 of 8 differ, first at 0: 0.5 0.5 0.5 -> 0.5 0.5 0.75, largest difference 0.25\n",
        "--- gone.mesh: unigine ms13, 665 bytes\n- surface 0 (cube): 8 vertices, 12 triangles\n",
        "diff new.mesh\ncannot be compared as meshes: new.mesh: ",
        "\n-  format     UNIGINE an10, 687 B, ",
        "\n+  format     UNIGINE an11, 1.51 KB, ",
    ] {
        assert!(shown.contains(part), "{part:?}: {shown}");
    }
    let tool = run(&["difftool", "--cached", "-y", "-t", "meshpeek", "--", "cube.mesh"]);
    assert!(tool.contains("positions: 1 of 8 differ"), "{tool}");
    let tool = run(&["difftool", "--cached", "-d", "-t", "meshpeek", "--", "cube.mesh", "gone.mesh"]);
    assert!(tool.contains("positions: 1 of 8 differ") && tool.contains("- gone.mesh: only in A"), "{tool}");
}

#[test]
fn both_files_of_an_unreal_mesh_are_compared() {
    let pairs: Vec<String> = unreal_samples()
        .into_iter()
        .filter(|sample| sample.pair().is_some())
        .map(|sample| sample.stem.into())
        .collect();
    assert!(pairs.len() > 2, "{pairs:?}");
    let stem = "data/unreal/guard";
    for name in ["data/unreal/guard_d.3d", "data/unreal/guard_a.3d", "data/unreal/guard.uc"] {
        assert_eq!(lines(0, &[stem, name]), ["identical: 700 bytes"], "{name}");
    }
    let toys = "data/unreal/Toys/Classes/Toys.uc";
    let several = meshpeek(&["diff", toys, toys]);
    assert_eq!(code(&several), 2);
    assert!(text(&several.stderr).contains("choose one with --mesh"), "{}", text(&several.stderr));
    assert_eq!(code(&meshpeek(&["diff", toys, toys, "--mesh", "Ball"])), 0);
    let folder = tempfile::tempdir().unwrap();
    let mut data = fs::read("data/unreal/box_d.3d").unwrap();
    // The texture of the first polygon, which follows a header of 48 bytes.
    data[48 + 14] ^= 1;
    fs::write(folder.path().join("box_d.3d"), data).unwrap();
    for name in ["box_a.3d", "box.uc"] {
        fs::copy(format!("data/unreal/{name}"), folder.path().join(name)).unwrap();
    }
    let found = lines(1, &["data/unreal/box_d.3d", folder.path().join("box_d.3d").to_str().unwrap(), "--bytes"]);
    let bytes: Vec<&String> = found.iter().filter(|line| line.starts_with("bytes of ")).collect();
    assert_eq!(bytes, ["bytes of data polygons: 1 of 192 bytes differ, first at 62 in A, 62 in B"]);
}

//! Tests of Unreal vertex meshes on the command line.
//!
//! A user may name either file, the stem, or a script.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::unreal::{pair, samples};
use crate::{code, json as parsed, meshpeek, text};

/// The sample files in a temporary folder, which is removed after the test.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        for sample in samples() {
            for (ending, bytes) in &sample.files {
                place.write(&format!("{}{ending}", sample.stem), bytes);
            }
        }
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn at(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        fs::write(self.path(name), bytes).unwrap();
    }
}

fn info(arguments: &[&str]) -> Value {
    let output = meshpeek(&[&["info", "--json"], arguments].concat());
    parsed(&output)["files"].clone()
}

fn values(arguments: &[&str]) -> Vec<Value> {
    let output = meshpeek(&[&["dump", "--json"], arguments].concat());
    assert_eq!(code(&output), 0, "{arguments:?}: {}", text(&output.stderr));
    parsed(&output)["values"].as_array().unwrap().clone()
}

#[test]
fn finds_the_files_by_whatever_is_named() {
    let expected = info(&["data/unreal/guard_d.3d"])[0].clone();
    assert_eq!(expected["mesh"], "Guard");
    for name in ["data/unreal/guard_a.3d", "data/unreal/guard", "data/unreal/guard.uc", "data/unreal/GUARD_D.3D"] {
        let mut found = info(&[name])[0].clone();
        assert_eq!(found["path"], name);
        found["path"] = expected["path"].clone();
        assert_eq!(found, expected, "{name}");
    }
    assert_eq!(expected["properties"]["files"]["aniv"], "data/unreal/guard_a.3d");
    assert_eq!(expected["properties"]["files"]["script"], "data/unreal/guard.uc");
}

#[test]
fn lists_and_selects_the_meshes_of_a_script() {
    let script = "data/unreal/Toys/Classes/Toys.uc";
    let names = |files: &Value| files.as_array().unwrap().iter().map(|file| file["mesh"].clone()).collect::<Vec<_>>();
    assert_eq!(names(&info(&[script])), ["SpinningTop", "Ball"]);
    assert_eq!(names(&info(&[script, "--mesh", "spinningTOP"])), ["SpinningTop"]);
    assert_eq!(names(&info(&["data/unreal/Toys/Models/Ball_d.3d"])), ["Ball"]);
    let ball = &info(&[script, "--mesh", "ball"])[0];
    assert_eq!(
        ball["clips"],
        json!([{ "name": "All", "frames": 3, "bones": 0, "rate": 30.0, "seconds": 0.1, "moved_bones": null }])
    );
    assert_eq!(
        ball["properties"]["script"]["meshes"].as_array().unwrap().len(),
        1,
        "an entry has the facts of its own mesh"
    );
    let top = &info(&[script])[0];
    assert_eq!(top["properties"]["script"]["meshes"][0]["textures"][0]["name"], "ToysSkins.Wood.TopTex");

    let several = meshpeek(&["dump", script]);
    assert_eq!(code(&several), 2);
    assert!(text(&several.stderr).contains("--mesh: SpinningTop, Ball"));
    let unknown = meshpeek(&["info", script, "--mesh", "Doll"]);
    assert_eq!(code(&unknown), 2);
    assert!(text(&unknown.stderr).contains("SpinningTop, Ball"), "{}", text(&unknown.stderr));
    assert_eq!(values(&[script, "--mesh", "Ball"]).len(), 8);
}

#[test]
fn tells_of_a_script_whose_meshes_are_missing() {
    let place = Place::new();
    fs::remove_file(place.path("Toys/Models/Ball_a.3d")).unwrap();
    let script = place.at("Toys/Classes/Toys.uc");
    let output = meshpeek(&["info", "--json", &script, "--mesh", "Ball"]);
    assert_eq!(code(&output), 3);
    let file = &parsed(&output)["files"][0];
    assert_eq!(file["error"]["kind"], "missing");
    assert!(file["error"]["message"].as_str().unwrap().contains("ball_a.3d"), "{file}");
    assert_eq!(file["properties"]["script"]["meshes"][1]["name"], "Ball");
    // The other pair is read, and the missing one is listed.
    for verb in ["info", "validate"] {
        let output = meshpeek(&[verb, "--json", &script]);
        let told = parsed(&output);
        assert_eq!((code(&output), told["files"].as_array().unwrap().len()), (0, 1));
        assert_eq!(told["unresolved"][0]["mesh"], "Ball");
        assert!(told["unresolved"][0]["message"].as_str().unwrap().contains("ball_a.3d"), "{told}");
    }
    let told = parsed(&meshpeek(&["info", "--json", &script]));
    assert_eq!(told["unresolved"][0]["properties"]["script"]["meshes"][0]["sequences"][0]["name"], "All");
    assert!(text(&meshpeek(&["info", &script]).stderr).contains("mesh Ball is left out"));
    let by_stem = meshpeek(&["info", &place.at("Toys/Models/Ball")]);
    assert!(
        code(&by_stem) == 3 && text(&by_stem.stderr).to_lowercase().contains("ball_a.3d"),
        "{}",
        text(&by_stem.stderr)
    );
    let half = meshpeek(&["info", &place.at("Toys/Models/Ball_d.3d")]);
    assert_eq!(code(&half), 3);
    assert!(text(&half.stderr).contains("Ball_d.3d") && text(&half.stderr).to_lowercase().contains("ball_a.3d"));
}

#[test]
fn takes_a_folder_pair_by_pair() {
    let place = Place::new();
    place.write("old/data07.3d", &pair("box")[0]);
    place.write("old/ANIV07.3D", &pair("box")[1]);
    place.write("old/half_a.3d", &pair("box")[1]);
    place.write("old/notes.3d", b"what another program calls .3d");
    let files = info(&[place.0.path().to_str().unwrap()]);
    let pairs = samples().iter().filter(|sample| sample.pair().is_some()).count();
    let files = files.as_array().unwrap();
    assert_eq!(files.len(), pairs + 2, "{files:#?}");
    let errors: Vec<&Value> = files.iter().filter(|file| file["error"].is_object()).collect();
    assert_eq!(errors.len(), 1);
    assert!(errors[0]["path"].as_str().unwrap().ends_with("half_a.3d"));
    assert!(files.iter().any(|file| file["path"].as_str().unwrap().ends_with("data07.3d")));
}

#[test]
fn never_leaves_the_folder_of_a_script() {
    let place = Place::new();
    for path in [r"..\..\box", r"..\..\..\box", "/box", r"C:\box"] {
        let text = format!("#exec MESH IMPORT MESH=Evil ANIVFILE={path}_a.3d DATAFILE={path}_d.3d\n");
        place.write("Toys/Classes/Evil.uc", text.as_bytes());
        let output = meshpeek(&["info", "--json", &place.at("Toys/Classes/Evil.uc")]);
        assert_eq!((code(&output), &parsed(&output)["files"][0]["error"]["kind"]), (3, &json!("outside")), "{path}");
    }
}

#[test]
fn dumps_any_frame() {
    let guard = "data/unreal/guard";
    let frame = |arguments: &[&str]| values(&[&[guard], arguments].concat());
    assert_eq!(frame(&["--frame", "3"])[0], json!([-512.0, -512.0, -244.0]));
    assert_eq!(frame(&["--frame", "3", "--raw"])[0], json!([-512, -512, -244]));
    // The second clip starts at frame 2.
    assert_eq!(frame(&["--clip", "1", "--frame", "1"]), frame(&["--frame", "3"]));
    // The engine does not distinguish upper and lower case letters.
    assert_eq!(frame(&["--clip", "wALK", "--frame", "1"]), frame(&["--clip", "Walk", "--frame", "1"]));
    assert_eq!(frame(&["--clip", "1", "--frame", "1.5"])[9], json!([700.0, 28.0, 0.0]));
    // The vertex is moved by the origin, multiplied by the scale, then rolled and rotated by a
    // quarter turn each.
    let placed = &frame(&["--placed", "--frame", "0"])[9];
    let placed: Vec<f64> = placed.as_array().unwrap().iter().map(|part| part.as_f64().unwrap()).collect();
    for (found, expected) in placed.iter().zip([-1.5, 42.0, 1.2]) {
        assert!((found - expected).abs() < 1e-5, "{placed:?}");
    }
    let object = parsed(&meshpeek(&["dump", "--json", guard, "--frame", "0.5"]));
    assert_eq!(object["frame"], 0.5);
    for (wrong, why) in [
        (vec!["--frame", "10"], "expected 0 to 9"),
        (vec!["--frame", "-1"], "0 or more"),
        (vec!["--frame", "x"], "invalid"),
        (vec!["--clip", "2"], "below 2"),
        (vec!["--clip", "1", "--frame", "6"], "expected 0 to 5"),
        (vec!["--frame", "0.5", "--raw"], "whole number for --frame"),
        (vec!["--attribute", "normals", "--raw"], "no normals are stored"),
        (vec!["--surface", "9"], "below 5"),
        (vec!["--attribute", "weights"], "has no weights"),
        (vec!["--attribute", "uv1"], "has no uv1"),
    ] {
        let output = meshpeek(&[&["dump", guard][..], &wrong].concat());
        assert_eq!(code(&output), 2, "{wrong:?}");
        assert!(text(&output.stderr).contains(why), "{wrong:?}: {}", text(&output.stderr));
    }
    let output = meshpeek(&["dump", "data/unreal/box", "--placed"]);
    assert_eq!(code(&output), 0, "the script of the pair has a scale");
    let output = meshpeek(&["dump", "data/unreal/crate64", "--placed"]);
    assert!(code(&output) == 2 && text(&output.stderr).contains("no script"));
    let output = meshpeek(&["dump", "data/unigine/cube_ms13.mesh", "--frame", "1"]);
    assert!(code(&output) == 2 && text(&output.stderr).contains("--frame"));
}

#[test]
fn dumps_what_polygons_hold() {
    let top = "data/unreal/Toys/Models/Top_d.3D";
    let numbers = |attribute: &str| values(&[top, "--attribute", attribute]);
    assert_eq!(numbers("types"), vec![json!(0); 12]);
    assert_eq!(numbers("textures"), vec![json!(0); 12]);
    assert_eq!(numbers("flags"), vec![json!(255); 12]);
    assert_eq!(numbers("color-bytes"), (0..12).map(|number| json!(number)).collect::<Vec<_>>());
    assert_eq!(numbers("attribute-indices"), (0..36).map(|number| json!(number)).collect::<Vec<_>>());
    assert_eq!(numbers("uv0")[1], json!([1.0, 1.0]));
    assert_eq!(values(&[top, "--attribute", "uv0", "--uv-divisor", "256"])[1], json!([0.996_093_75, 0.996_093_75]));
    assert_eq!(values(&[top, "--attribute", "uv0", "--raw"])[1], json!([255, 255]));
    let listing = text(&meshpeek(&["dump", top, "--uv-listing"]).stdout);
    assert_eq!(listing.lines().count(), 12);
    assert_eq!(listing.lines().next(), Some("0 255 255 255 255 0"));
    let normals = |shading: &str| values(&["data/unreal/box", "--attribute", "normals", "--shading", shading]);
    assert_eq!(normals("facet")[0], json!([1.0, 0.0, 0.0]));
    assert!(normals("facet") != normals("smooth"));
}

#[test]
fn maps_the_file_that_is_named() {
    let place = Place::new();
    for (name, first) in [("guard_d.3d", "polygon_count"), ("guard_a.3d", "frame_count"), ("guard.uc", "text[0]")] {
        let regions = parsed(&meshpeek(&["map", "--json", &place.at(name)]))["regions"].as_array().unwrap().clone();
        assert_eq!(regions[0]["name"], first);
        let ends: Vec<_> = regions.iter().map(|region| region["end"].as_u64()).collect();
        let starts = regions.iter().skip(1).map(|region| region["start"].as_u64());
        assert!(starts.eq(ends[..ends.len() - 1].iter().copied()), "{name} has gaps");
        assert_eq!(ends.last().copied().flatten(), Some(fs::metadata(place.path(name)).unwrap().len()));
    }
    let byte = parsed(&meshpeek(&["map", "--json", "--at", "0x32", &place.at("guard_a.3d")]));
    assert_eq!((&byte["regions"][0]["name"], &byte["element"]), (&json!("frame[1].positions"), &json!(0)));
}

#[test]
fn rewrites_one_file_or_both() {
    let place = Place::new();
    let [data, aniv] = pair("guard");
    for (name, bytes) in
        [("guard_d.3d", &data), ("guard_a.3d", &aniv), ("guard.uc", &fs::read(place.path("guard.uc")).unwrap())]
    {
        let output = meshpeek(&["rewrite", &place.at(name), "-o", &place.at("again")]);
        assert_eq!(code(&output), 0, "{}", text(&output.stderr));
        assert!(fs::read(place.path("again")).unwrap() == *bytes, "{name}");
        fs::remove_file(place.path("again")).unwrap();
    }
    let both = ["rewrite", &place.at("guard_a.3d"), "--pair", "--script", "-o", &place.at("new_d.3d"), "--json"];
    let told = parsed(&meshpeek(&both));
    assert_eq!(told["identical"], true);
    assert_eq!(told["outputs"].as_array().unwrap().len(), 3);
    assert!(fs::read(place.path("new_d.3d")).unwrap() == data && fs::read(place.path("new_a.3d")).unwrap() == aniv);
    // The new script refers to the new files. Its facts equal those of the old script.
    let facts = |name: &str| {
        let mut entry = info(&[&place.at(name)])[0].clone();
        let mut facts = entry["properties"]["script"]["meshes"][0].take();
        for key in ["name", "data_file", "aniv_file"] {
            facts[key].take();
        }
        (entry["clips"].clone(), facts)
    };
    assert_eq!(facts("new.uc"), facts("guard.uc"));
    assert_eq!(info(&[&place.at("new.uc")])[0]["mesh"], "new");
    // If there is no script, one with the public information is written.
    let crate64 = ["rewrite", &place.at("crate64"), "--pair", "--script", "-o", &place.at("7 crates")];
    assert_eq!(code(&meshpeek(&crate64)), 0);
    let made = &info(&[&place.at("7 crates.uc")])[0];
    assert_eq!((&made["mesh"], &made["clips"][1]["name"]), (&json!("_7_crates"), &json!("Still")));
    assert_eq!(made["properties"]["script"]["meshes"][0]["scale"], json!([0.015_625, 0.015_625, 0.015_625]));
    assert_eq!(code(&meshpeek(&both)), 2, "existing files are kept");
    assert_eq!(code(&meshpeek(&["rewrite", "data/unigine/cube_ms13.mesh", "--pair", "-o", &place.at("x")])), 2);
    assert_eq!(code(&meshpeek(&["rewrite", &place.at("guard"), "--pair", "-o", "-"])), 2);
    // If one of the two files cannot be written, neither is.
    fs::create_dir(place.path("taken_d.3d")).unwrap();
    assert_eq!(code(&meshpeek(&["rewrite", &place.at("guard"), "--pair", "-o", &place.at("taken")])), 2);
    assert!(!place.path("taken_a.3d").exists());
}

#[test]
fn tells_what_is_wrong_and_refuses_it_when_strict() {
    let place = Place::new();
    let [_, aniv] = pair("box");
    place.write("box_a.3d", &aniv[..aniv.len() - 4]);
    let output = meshpeek(&["validate", "--json", &place.at("box")]);
    assert_eq!(code(&output), 1);
    let findings = parsed(&output)["files"][0]["findings"].clone();
    let ids: Vec<_> = findings.as_array().unwrap().iter().map(|finding| finding["rule"].clone()).collect();
    assert_eq!(ids, ["UR04", "UR08"]);
    assert_eq!(values(&[&place.at("box"), "--frame", "7"]).len(), 7, "the last frame has the vertices that exist");
    let strict = meshpeek(&["validate", "--strict", "--json", &place.at("box")]);
    assert_eq!(code(&strict), 3);
    let file = &parsed(&strict)["files"][0];
    assert_eq!((&file["findings"][0]["rule"], &file["error"]["offset"]), (&json!("UR04"), &json!(228)));
    assert!(file["error"]["message"].as_str().unwrap().contains("box_a.3d"), "the error names its file");
    place.write("box_d.3d", &pair("box")[0][..100]);
    let cut = text(&meshpeek(&["info", &place.at("box_a.3d")]).stderr);
    for part in ["box_d.3d", "unreal data", "polygons", "byte 48", "12 items of 16 bytes or more", "52"] {
        assert!(cut.contains(part), "no {part:?} in {cut}");
    }
}

#[test]
fn a_script_is_a_file_of_its_own() {
    let place = Place::new();
    place.write("Lamp.uc", b"class Lamp expands Light;\n#exec OBJ LOAD FILE=\"a\n");
    let validated = meshpeek(&["validate", "--json", &place.at("Lamp.uc")]);
    assert_eq!(code(&validated), 1);
    assert_eq!(parsed(&validated)["files"][0]["findings"][0]["rule"], "UR32");
    let regions = parsed(&meshpeek(&["map", "--json", &place.at("Toys/Classes/Toys.uc")]))["regions"].clone();
    assert_eq!(regions[1]["name"], "command[0].import");
    let info = meshpeek(&["info", &place.at("Lamp.uc")]);
    assert!(code(&info) == 3 && text(&info.stderr).contains("a mesh that the script imports"));
}

#[test]
fn tells_of_each_file_by_its_name_and_of_each_script_once() {
    let place = Place::new();
    let [_, aniv] = pair("box");
    place.write("box_a.3d", &aniv[..aniv.len() - 4]);
    let findings = parsed(&meshpeek(&["validate", "--json", &place.at("box_d.3d")]))["files"][0]["findings"].clone();
    let files: Vec<_> = findings.as_array().unwrap().iter().map(|finding| finding["file"].as_str().unwrap()).collect();
    assert!(files[0].ends_with("box_a.3d") && files[1].ends_with("box_d.3d"), "{files:?}");
    let told = text(&meshpeek(&["validate", &place.at("box_d.3d")]).stdout);
    assert!(told.contains("box_a.3d: frame[7].positions"), "{told}");
    let script = fs::read(place.path("Toys/Classes/Toys.uc")).unwrap();
    place.write("Toys/Classes/Toys.uc", &[&script[..], b"#exec MESHMAP SCALE MESHMAP=Ball W=1\r\n"].concat());
    let told = parsed(&meshpeek(&["validate", "--json", &place.at("Toys/Classes/Toys.uc")]))["files"].clone();
    let unknown =
        |file: &Value| file["findings"].as_array().unwrap().iter().filter(|finding| finding["rule"] == "UR37").count();
    assert_eq!(told.as_array().unwrap().iter().map(unknown).sum::<usize>(), 1, "{told:#}");
}

#[test]
fn takes_a_pair_once_and_one_that_only_a_script_knows() {
    let place = Place::new();
    let glob = info(&[&place.at("*.3d")]);
    assert_eq!(glob.as_array().unwrap().len(), 4, "box, crate64, guard, prototype");
    let [data, aniv] = pair("box");
    place.write("odd/Models/foo.3d", &data);
    place.write("odd/Models/bar.3d", &aniv);
    place.write("odd/Classes/f.uc", b"#exec MESH IMPORT MESH=Foo ANIVFILE=Models\\bar.3d DATAFILE=Models\\foo.3d\n");
    let odd = info(&[&place.at("odd")]);
    let names: Vec<_> = odd.as_array().unwrap().iter().map(|file| file["mesh"].clone()).collect();
    assert_eq!(names, ["Foo"], "{odd:#}");
}

/// Tests that the output and the memory for a script with many meshes grow linearly with its size.
#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn tells_of_a_large_script_in_linear_space() {
    let place = Place::new();
    let [data, aniv] = pair("box");
    let size = |count: usize| {
        let folder = format!("mod{count}");
        let mut script = String::new();
        for number in 0..count {
            place.write(&format!("{folder}/m{number}_d.3d"), &data);
            place.write(&format!("{folder}/m{number}_a.3d"), &aniv);
            writeln!(script, "#exec MESH IMPORT MESH=m{number} ANIVFILE=m{number}_a.3d DATAFILE=m{number}_d.3d")
                .unwrap();
            for sequence in 0..10 {
                writeln!(script, "#exec MESH SEQUENCE MESH=m{number} SEQ=s{sequence} STARTFRAME=0 NUMFRAMES=1")
                    .unwrap();
            }
        }
        place.write(&format!("{folder}/all.uc"), script.as_bytes());
        let by_script = meshpeek(&["info", "--json", &place.at(&format!("{folder}/all.uc"))]).stdout.len();
        let by_folder = meshpeek(&["info", "--json", &place.at(&folder)]).stdout.len();
        by_script + by_folder
    };
    let (few, many) = (size(10), size(80));
    assert!(many < few * 9, "{few} and {many} bytes");
}

#[test]
fn an_extension_that_lies_is_not_believed() {
    let place = Place::new();
    place.write("cube_d.3d", &crate::bytes("cube_ms13"));
    assert_eq!(info(&[&place.at("cube_d.3d")])[0]["format"], "unigine");
}

#[test]
fn a_folder_has_pairs_of_any_spelling() {
    let place = Place::new();
    let [data, aniv] = pair("box");
    place.write("old/lever-data.3D", &data);
    place.write("old/lever-aniv.3D", &aniv);
    place.write("old/cat_Data.3d", &data);
    place.write("old/cat_Anim.3d", &aniv);
    place.write("old/food.3d", &data);
    place.write("old/fooa.3d", &aniv);
    place.write("old/cave.3d", b"Survex 3D Image File");
    place.write("old/rom-a.3d", &[0x5a; 4096]);
    place.write("old/rom-d.3d", &[0xa5; 4096]);
    let found = info(&[&place.at("old")]);
    let names: Vec<String> =
        found.as_array().unwrap().iter().map(|file| file["path"].as_str().unwrap().into()).collect();
    assert_eq!(names, ["old/cat_Data.3d", "old/food.3d", "old/lever-data.3D"].map(|name| place.at(name)));
    assert_eq!(info(&[&place.at("old/lever")])[0]["triangles"], 12);
}

/// Runs every verb on pairs whose aniv file ends within a frame, or before the first.
#[test]
fn shows_the_vertices_before_the_end_of_a_file_that_is_cut() {
    let place = Place::new();
    let frames = |count: u16, body: &[u8]| [&count.to_le_bytes()[..], body].concat();
    for (stem, vertex) in [("box", 4), ("crate64", 8)] {
        let [data, aniv] = pair(stem);
        let whole = usize::from(u16::from_le_bytes([aniv[2], aniv[3]]));
        place.write("cut_d.3d", &data);
        for (count, kept) in [(1, whole - 1), (1, 0), (3, 2 * whole + vertex)] {
            place.write("cut_a.3d", &frames(count, &aniv[2..4 + kept]));
            let (path, has_base) = (place.at("cut"), kept >= whole);
            let what = format!("{stem}: {kept} bytes of {count} frames");
            let found = &info(&[&path])[0];
            assert_eq!(found["findings"][0]["rule"], "UR04", "{what}: {found}");
            assert_eq!(found["bounds"]["min"][0].is_null(), kept < vertex, "{what}: {found}");
            let at = place.at("out");
            let checks: [&[&str]; 7] = [
                &["view", "--size", "64x64", "-o", &format!("{at}.png")],
                &["view", "--size", "64x64", "--frame", "0", "-o", &format!("{at}0.png")],
                &["view", "--html", "-o", &format!("{at}.html")],
                &["ls"],
                &["query", "nearest", "--point", "0,0,0"],
                &["dump", "--attribute", "positions"],
                &["diff", &place.at(&format!("{stem}_d.3d"))],
            ];
            for check in checks {
                let (verb, rest) = check.split_first().unwrap();
                let output = match *verb {
                    "query" => meshpeek(&[&["query", rest[0], &path], &rest[1..]].concat()),
                    _ => meshpeek(&[&[*verb, &path], rest].concat()),
                };
                let expected = i32::from(*verb == "diff");
                assert_eq!(code(&output), expected, "{what}: {check:?}: {}", text(&output.stderr));
                let notes = text(&output.stderr).contains("not in the picture: ");
                assert_eq!(notes, *verb == "view" && !has_base, "{what}: {check:?}: {}", text(&output.stderr));
            }
            for format in ["glb", "obj"] {
                let out = format!("{at}.{format}");
                let output = meshpeek(&["convert", &path, "-o", &out]);
                // OBJ never holds frames, so it loses nothing of a mesh whose first frame is whole.
                let expected = if has_base && format == "obj" { 0 } else { 2 };
                assert_eq!(code(&output), expected, "{what}: {format}: {}", text(&output.stderr));
                let loss = if has_base { "vertex frame" } else { "with an invalid index" };
                assert!(text(&output.stderr).contains(loss), "{what}: {format}: {}", text(&output.stderr));
                let output = meshpeek(&["convert", &path, "--allow-loss", "--force", "-o", &out]);
                assert_eq!(code(&output), 0, "{what}: {format}: {}", text(&output.stderr));
            }
            fs::read_dir(place.0.path()).unwrap().map(|entry| entry.unwrap().path()).for_each(|path| {
                if path.file_name().unwrap().to_string_lossy().starts_with("out") {
                    fs::remove_file(path).unwrap();
                }
            });
        }
    }
}

/// Tests that a pair and its script are described alike if the script is in UTF-16.
#[test]
fn a_script_in_utf_16_is_a_script() {
    let place = Place::new();
    let text = fs::read_to_string(place.path("guard.uc")).unwrap();
    let described = |path: &str| {
        let mut found = info(&[&place.at(path), "--placed"])[0].clone();
        found["bytes"] = Value::Null;
        found["touched_bytes"] = Value::Null;
        found
    };
    let [of_pair, of_script] = ["guard_d.3d", "guard.uc"].map(described);
    assert_eq!(of_pair["clips"].as_array().map(Vec::len), Some(2), "{of_pair}");
    let faulty = text.replacen("#exec", "#exec MESH ORIGIN MESH=\u{20ac} X=a\n#exec", 1);
    for (mark, to_bytes) in
        [("\u{feff}", u16::to_le_bytes as fn(u16) -> [u8; 2]), ("\u{feff}", u16::to_be_bytes), ("", u16::to_le_bytes)]
    {
        let encoded = |text: &str| format!("{mark}{text}").encode_utf16().flat_map(to_bytes).collect::<Vec<u8>>();
        place.write("guard.uc", &encoded(&text));
        assert_eq!((described("guard_d.3d"), described("guard.uc")), (of_pair.clone(), of_script.clone()));
        assert_eq!(text_of(&["validate", &place.at("guard_d.3d")]), "");
        place.write("guard.uc", &encoded(&faulty));
        let found = parsed(&meshpeek(&["validate", &place.at("guard.uc"), "--json"]));
        let offset = mark.encode_utf16().count() + faulty[..faulty.find("X=a").unwrap()].encode_utf16().count();
        let of_number = |one: &&Value| one["rule"] == "UR33";
        let one = found["files"][0]["findings"].as_array().unwrap().iter().find(of_number).unwrap().clone();
        assert_eq!(one["offset"], 2 * offset, "{one}");
    }
}

fn text_of(arguments: &[&str]) -> String {
    let output = meshpeek(&[arguments, &["-q"]].concat());
    text(&output.stdout)
}

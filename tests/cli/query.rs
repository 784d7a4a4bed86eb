//! Tests of `query`: rays, nearest points, regions and vertices, single and in batches.

use std::fs;
use std::io::Write as _;
use std::process::{Output, Stdio};

use crate::support::secondlife::builder as secondlife;
use crate::support::unigine::builder;
use meshpeek::decode::TangentFrame;
use meshpeek::unigine::Generation;
use serde_json::{Value, json};

use crate::sidecar::User;
use crate::support::sidecar::{mesh, reseal};
use crate::{code, command, json, meshpeek, sample, scratch, text};

/// The number of quads along a side of the square. Each quad has two triangles.
const SIDE: usize = 24;

/// Builds a square in the plane z with corners at integers.
///
/// Quad (x, y) consists of the triangles 2*(24*y + x) and the next one. The first triangle is at
/// the corner with the smallest coordinates.
fn square(name: &str, z: f32) -> builder::Surface {
    let (positions, indices) = (corners(z), triangles());
    builder::Surface {
        name: name.to_owned(),
        targets: vec![builder::MorphTarget {
            positions,
            frames: vec![TangentFrame::default(); 1],
            ..builder::MorphTarget::default()
        }],
        attribute_indices: vec![0; indices.len()],
        indices,
        ..builder::Surface::default()
    }
}

fn float(number: usize) -> f32 {
    u16::try_from(number).unwrap().into()
}

fn corners(z: f32) -> Vec<[f32; 3]> {
    let places = (0..=SIDE).flat_map(|y| (0..=SIDE).map(move |x| [float(x), float(y), z]));
    places.collect()
}

fn triangles() -> Vec<u32> {
    let corner = |x: usize, y: usize| u32::try_from(y * (SIDE + 1) + x).unwrap();
    let quads = (0..SIDE).flat_map(|y| (0..SIDE).map(move |x| (x, y)));
    let two = |(x, y): (usize, usize)| {
        let [a, b, c, d] = [corner(x, y), corner(x + 1, y), corner(x, y + 1), corner(x + 1, y + 1)];
        [a, b, c, d, c, b]
    };
    quads.flat_map(two).collect()
}

/// The number of surfaces in a file whose surfaces all have different attributes.
const LAYERS: usize = 40;

/// Builds squares above each other, each with another texture coordinate.
fn layers() -> Vec<u8> {
    let layer = |number: usize| builder::Surface {
        uvs: [vec![[float(number), 0.5]], Vec::new()],
        ..square("layer", float(number))
    };
    mesh(Generation::Ms13, (0..LAYERS).map(layer).collect(), Vec::new())
}

/// Builds two squares above each other, the lower one first.
fn squares(generation: Generation) -> Vec<u8> {
    mesh(generation, vec![square("lower", -3.0), square("upper", 1.0)], Vec::new())
}

/// Runs a query and returns its result.
fn ask(arguments: &[&str]) -> Value {
    let output = meshpeek(&[&["query"], arguments, &["--json"]].concat());
    assert_eq!(code(&output), 0, "{arguments:?}: {}", text(&output.stderr));
    let told = json(&output);
    assert_eq!(text(&output.stdout).lines().count(), 1, "one line for each query");
    told
}

/// Runs a query and returns its result without the number of pages touched.
fn answer(arguments: &[&str]) -> Value {
    without_pages(ask(arguments))
}

fn without_pages(mut told: Value) -> Value {
    assert!(told["pages_touched"].is_u64(), "{told}");
    told.as_object_mut().unwrap().remove("pages_touched");
    told
}

/// Runs a command that reads its queries from standard input.
fn with_input(arguments: &[&str], input: &str) -> Output {
    let mut command = command(arguments);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A command that refuses its arguments does not read its input.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn lines(output: &Output) -> Vec<Value> {
    assert_eq!(code(output), 0, "{}", text(&output.stderr));
    text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Runs a command that must fail, and returns its error message.
fn refused(arguments: &[&str], expected: i32) -> String {
    let output = meshpeek(arguments);
    assert_eq!(code(&output), expected, "{arguments:?}: {}", text(&output.stderr));
    text(&output.stderr)
}

#[test]
fn tells_where_a_ray_hits() {
    let cube = sample("cube_ms13");
    let told = answer(&[&cube, "ray", "--from", "0.1,0.2,9", "--toward", "0.1,0.2,0"]);
    let expected = json!({
        "schema": 1, "path": cube, "hit": true, "surface": 0, "triangle": 9, "t": 0.944_444_4, "point": [0.1, 0.2, 0.5],
        "barycentric": [0.3, 0.3], "distance": 8.5, "front": true, "geometric_normal": [0.0, 0.0, 1.0],
    });
    assert_eq!(told, expected);
    assert!(
        ask(&[&cube, "ray", "--from", "0.1,0.2,9", "--toward", "0.1,0.2,0"])["pages_touched"].as_u64().unwrap() > 0
    );
    // Directions of different lengths.
    let told = answer(&[&cube, "ray", "--from", "0.1,0.2,9", "--direction", "0,0,-2"]);
    assert_eq!((&told["t"], &told["distance"]), (&json!(4.25), &json!(8.5)));
    let miss = json!({ "schema": 1, "path": cube, "hit": false });
    assert_eq!(answer(&[&cube, "ray", "--from", "-1,2,-3", "--direction", "-1,0,0"]), miss);
    assert_eq!(answer(&[&cube, "ray", "--from=-1 2 -3", "--direction=-1 0 0"]), miss);
    // The limit is in scene units, independent of the length of the direction. A distance equal to
    // the limit is included.
    for (limit, hit) in [("8.25", false), ("8.5", true), ("inf", true)] {
        let ray = [&cube, "ray", "--from", "0.1,0.2,9", "--direction", "0,0,-2", "--limit", limit];
        assert_eq!(ask(&ray)["hit"], hit, "{limit}");
        let any = [&ray[..], &["--any"]].concat();
        assert_eq!(answer(&any), json!({ "schema": 1, "path": cube, "hit": hit }));
    }
    let text = text(&meshpeek(&["query", &cube, "ray", "--from", "0.1,0.2,9", "--toward", "0.1,0.2,0"]).stdout);
    assert!(text.starts_with("surface 0 (cube), triangle 9: at 0.1 0.2 0.5, from the front, t 0.9444444, "), "{text}");
    assert!(text.contains(", geometric normal 0.0 0.0 1.0, distance 8.5, "), "{text}");
    let text = meshpeek(&["query", &cube, "ray", "--from", "7,7,7", "--toward", "8,8,8"]);
    assert!(code(&text) == 0 && crate::text(&text.stdout).starts_with("nothing\n"));
}

#[test]
fn lists_all_hits_the_nearest_first() {
    let (_folder, path) = scratch("squares.mesh", &squares(Generation::Ms13));
    let told = answer(&[&path, "ray", "--from", "7.25,5.25,11", "--direction", "0,0,-1", "--all"]);
    let triangle = 2 * (5 * SIDE + 7);
    let at = |z: f32, surface: usize, t: f32| {
        json!({ "surface": surface, "triangle": triangle, "t": t, "point": [7.25, 5.25, z], "barycentric": [0.25, 0.25],
            "distance": t, "front": true, "geometric_normal": [0.0, 0.0, 1.0] })
    };
    let hits = json!([at(1.0, 1, 10.0), at(-3.0, 0, 14.0)]);
    assert_eq!(told, json!({ "schema": 1, "path": path, "hit": true, "hits": hits }));
    let below = answer(&[&path, "ray", "--from", "7.25,5.25,-4", "--direction", "0,0,1", "--all", "--limit", "2"]);
    assert_eq!((&below["hits"][0]["surface"], &below["hits"][0]["front"]), (&json!(0), &json!(false)));
    assert_eq!(below["hits"].as_array().unwrap().len(), 1);
    // Only one surface.
    let lower = answer(&[&path, "ray", "--from", "7.25,5.25,11", "--direction", "0,0,-1", "--surface", "0"]);
    assert_eq!((&lower["surface"], &lower["t"]), (&json!(0), &json!(14.0)));
    let none = answer(&[&path, "ray", "--from", "-7,5,11", "--direction", "0,0,-1", "--all"]);
    assert_eq!(none, json!({ "schema": 1, "path": path, "hit": false, "hits": [] }));
    let listed = text(&meshpeek(&["query", &path, "ray", "--from", "7,5,9", "--toward", "7,5,0", "--all"]).stdout);
    assert!(listed.contains(" hits\n") && listed.contains("  surface 1 (upper), triangle "), "{listed}");
}

#[test]
fn finds_nearest_points() {
    let cube = sample("cube_ms13");
    let told = answer(&[&cube, "nearest", "--point", "0.1,0.2,-9"]);
    assert_eq!((&told["point"], &told["distance"]), (&json!([0.1, 0.2, -0.5]), &json!(8.5)));
    assert!(told.get("t").is_none() && told["barycentric"].as_array().unwrap().len() == 2);
    let far = answer(&[&cube, "nearest", "--point", "0.1,0.2,-9", "--limit", "8"]);
    assert_eq!(far, json!({ "schema": 1, "path": cube, "hit": false }));
    let (_folder, path) = scratch("squares.mesh", &squares(Generation::Ms13));
    for (point, surface) in [("3.25,3.25,0", 1), ("3.25,3.25,-2", 0)] {
        let told = answer(&[&path, "nearest", "--point", point]);
        assert_eq!((&told["surface"], &told["distance"]), (&json!(surface), &json!(1.0)));
        assert_eq!(told["triangle"], 2 * (3 * SIDE + 3));
    }
}

#[test]
fn finds_what_reaches_into_a_region() {
    let (_folder, path) = scratch("squares.mesh", &squares(Generation::Ms13));
    let told = answer(&[&path, "overlap", "--min", "1.125,0.125,0", "--max", "1.25,0.25,2"]);
    assert_eq!(told, json!({ "schema": 1, "path": path, "hit": true, "count": 1, "triangles": [[1, 2]] }));
    let both = answer(&[&path, "overlap", "--min", "-9,-9,-9", "--max", "0.25,0.25,9"]);
    assert_eq!(both["triangles"], json!([[0, 0], [1, 0]]));
    let none = answer(&[&path, "overlap", "--min", "0,0,5", "--max", "9,9,6"]);
    assert_eq!(none, json!({ "schema": 1, "path": path, "hit": false, "count": 0, "triangles": [] }));
    // The camera sees x and y from -0.5 to 1.5, and z from 0 to 1. This is the area around the
    // first corner of the upper square.
    let camera = "1,0,0,0, 0,1,0,0, 0,0,1,0, -0.5,-0.5,0,1";
    let seen = answer(&[&path, "overlap", "--frustum", camera]);
    let boxed = answer(&[&path, "overlap", "--min", "-0.5,-0.5,0", "--max", "1.5,1.5,1"]);
    assert!(boxed["count"].as_u64().unwrap() >= 8, "{boxed}");
    assert_eq!(seen, boxed);
    let planes = ["-1,0,0,0.25", "0,-1,0,0.25", "0,0,1,0", "0,0,0,0", "0,0,0,0", "0,0,0,0"].join(",");
    assert_eq!(answer(&[&path, "overlap", "--planes", &planes])["triangles"], json!([[1, 0]]));
    let text = text(&meshpeek(&["query", &path, "overlap", "--planes", &planes]).stdout);
    assert!(text.starts_with("1 triangle\n") && text.ends_with("  surface 1 (upper): 0\n"), "{text}");
}

#[test]
fn tells_what_is_around_a_vertex() {
    let cube = sample("cube_ms13");
    let told = json(&meshpeek(&["query", &cube, "vertex", "--vertex", "0", "--json"]));
    let expected = json!({
        "schema": 1, "path": cube, "surface": 0, "vertex": 0, "point": [0.5, 0.5, 0.5], "triangles": [1, 4, 5, 9],
        "neighbors": [1, 2, 4, 5],
    });
    assert_eq!(told, expected);
    let (_folder, path) = scratch("squares.mesh", &squares(Generation::Ms13));
    let told = json(&meshpeek(&["query", &path, "vertex", "--surface", "1", "--vertex", "0", "--json"]));
    assert_eq!((&told["triangles"], &told["neighbors"]), (&json!([0]), &json!([1, SIDE + 1])));
    assert!(refused(&["query", &cube, "vertex", "--vertex", "8"], 2).contains("has 8 vertices"));
    let text = text(&meshpeek(&["query", &cube, "vertex", "--vertex", "0"]).stdout);
    assert!(text.contains("4 triangles: 1 4 5 9\n") && text.contains("4 neighbors: 1 2 4 5\n"), "{text}");
}

#[test]
fn tells_what_the_surface_has() {
    let flag = answer(&["data/ezmesh/flag.ezm", "nearest", "--point", "0,0,5", "--attributes"]);
    let told = &flag["attributes"];
    assert_eq!(told["uvs"][0].as_array().unwrap().len(), 2);
    assert_eq!(told["color"].as_array().unwrap().len(), 4);
    let sum: f64 = told["weights"].as_array().unwrap().iter().map(|weight| weight[1].as_f64().unwrap()).sum();
    assert!((sum - 1.0).abs() < 1e-3, "{told}");
    let cube = sample("cube_ms13");
    let ray = [&cube, "ray", "--from", "0.1,0.2,9", "--toward", "0.1,0.2,0", "--attributes"];
    let expected = json!({ "normal": [0.0, 0.0, 1.0], "uvs": [[0.6, 0.3]], "color": null, "weights": [] });
    assert_eq!(answer(&ray)["attributes"], expected);
    // A normal is turned with its surface, and a mirrored surface keeps its outside.
    for (option, normal) in
        [("--rotate=x:90", [0.0, -1.0, 0.0]), ("--scale=2", [0.0, 0.0, 1.0]), ("--scale=-1", [0.0, 0.0, -1.0])]
    {
        let point = normal.map(|axis: f32| (axis * 9.0 + 0.1).to_string()).join(",");
        let found = answer(&[&cube, "nearest", &format!("--point={point}"), "--attributes", option]);
        assert_eq!(found["attributes"]["normal"], json!(normal), "{option}");
    }
    let all = answer(&[&ray[..], &["--all"]].concat());
    assert_eq!(all["hits"][0]["attributes"], expected);
    assert!(all["hits"][1]["attributes"].is_object());
    let text = text(&meshpeek(&[&["query"], &ray[..]].concat()).stdout);
    assert!(text.contains("\n    normal 0.0 0.0 1.0\n    uv0 0.6 0.3\n"), "{text}");
}

#[test]
fn tells_the_attributes_of_each_of_many_surfaces() {
    let (_folder, path) = scratch("layers.mesh", &layers());
    let told = answer(&[&path, "ray", "--from", "7.25,5.25,-1", "--direction", "0,0,1", "--all", "--attributes"]);
    let hits = told["hits"].as_array().unwrap();
    assert_eq!(hits.len(), LAYERS);
    for (number, hit) in hits.iter().enumerate() {
        assert_eq!((&hit["surface"], &hit["attributes"]["uvs"]), (&json!(number), &json!([[float(number), 0.5]])));
    }
}

#[test]
fn takes_every_format() {
    let files =
        ["ms10", "ms11", "ms12", "ms13", "ms14", "ms15"].map(|generation| sample(&format!("cube_{generation}")));
    for cube in &files {
        let told = answer(&[cube, "ray", "--from", "0.1,0.2,9", "--direction", "0,0,-1"]);
        assert_eq!((&told["t"], &told["distance"]), (&json!(8.5), &json!(8.5)), "{cube}");
    }
    let rooms = answer(&[&sample("room_ms14"), "overlap", "--min", "-9,-9,-9", "--max", "9,9,9"]);
    assert_eq!(rooms["count"], 165);
    assert_eq!(answer(&[&sample("empty_ms12"), "nearest", "--point", "0,0,0"])["hit"], false);
    let everything = ["overlap", "--min=-9,-9,-9", "--max=9,9,9"];
    for (file, count) in [("crate.ezm", 12), ("crate100.ezb", 12)] {
        let path = format!("data/ezmesh/{file}");
        assert_eq!(answer(&[&[path.as_str()], &everything[..]].concat())["count"], count);
    }
    // Levels of detail.
    let rock = "data/secondlife/rock.llmesh";
    let counts = [None, Some("low"), Some("lowest")].map(|lod| {
        let lod = lod.map_or(Vec::new(), |lod| vec!["--lod", lod]);
        answer(&[&[rock], &everything[..], &lod].concat())["count"].as_u64().unwrap()
    });
    assert!(counts[0] == 80 && counts[1] < counts[0] && counts[2] < counts[1], "{counts:?}");
    let asset = |number| answer(&[&["data/secondlife/model.slm"], &everything[..], &["--asset", number]].concat());
    assert_ne!(asset("0")["triangles"], asset("1")["triangles"]);
    let note = meshpeek(&[&["query", "data/secondlife/model.slm"], &everything[..]].concat());
    assert!(text(&note.stderr).contains("--asset chooses"));
    assert!(refused(&[&["query", &files[0]], &everything[..], &["--lod", "low"]].concat(), 2).contains("--lod"));
    let animation = sample("wave_an10");
    assert!(refused(&["query", &animation, "nearest", "--point", "0,0,0"], 2).contains("no surface"));
}

#[test]
fn asks_a_moment_of_an_animation() {
    // A pair can be named by either file, by its stem, and by its script.
    for name in ["box_d.3d", "box_a.3d", "box", "box.uc"] {
        let path = format!("data/unreal/{name}");
        let at = |frame: &[&str]| {
            let ray = [path.as_str(), "ray", "--from", "0,0,9000", "--toward", "0,0,0"];
            answer(&[&ray, frame].concat())["point"][2].clone()
        };
        assert!(at(&[]) == 256.0 && at(&["--frame", "0"]) == 256.0);
        assert_eq!([at(&["--frame", "3"]), at(&["--frame", "3.5"])], [json!(268.0), json!(270.0)]);
        assert_eq!(at(&["--clip", "1"]), 256.0);
    }
    let ray = ["query", "data/unreal/box_d.3d", "ray", "--from", "0,0,9000", "--toward", "0,0,0"];
    assert!(refused(&[&ray[..], &["--frame", "8"]].concat(), 2).contains("expected 0 to 7"));
    assert!(refused(&[&ray[..], &["--clip", "1", "--frame", "1"]].concat(), 2).contains("the clip has 1 frames"));
    assert_eq!(code(&meshpeek(&[&ray[..], &["--clip", "2"]].concat())), 2);
    // Bones.
    let skinned = sample("skinned_ms12");
    let near = ["query", &skinned, "nearest", "--point", "0,0,5", "--attributes", "--json"];
    let [rest, moved] =
        [&[][..], &["--clip", "0", "--frame", "1"]].map(|frame| json(&meshpeek(&[&near, frame].concat())));
    assert_eq!(rest["distance"], 4.0);
    assert_ne!(moved["distance"], rest["distance"]);
    assert!(rest["attributes"]["normal"].is_array() && moved["attributes"]["normal"].is_null());
    assert!(refused(&[&near[..], &["--frame", "1000"]].concat(), 2).contains("--frame: the animation has"));
    let cube = sample("cube_ms13");
    for option in ["--frame", "--clip"] {
        let told = refused(&["query", &cube, "nearest", "--point", "0,0,0", option, "0"], 2);
        assert!(told.contains(option) && told.contains("no animation"), "{told}");
    }
}

#[test]
fn answers_a_batch_in_order() {
    let (folder, path) = scratch("squares.mesh", &squares(Generation::Ms13));
    let (mut batch, mut expected) = (String::from("# from, toward\n\n"), Vec::new());
    for number in 0..500 {
        let (x, y) = (number * 7 % (SIDE + 3), number * 11 % SIDE);
        let point = [float(x) + 0.25, float(y) + 0.25];
        let separated = if number % 2 == 0 { "," } else { "\t " };
        let all = [point[0], point[1], 11.0, point[0], point[1], -9.0].map(|part| part.to_string());
        batch.push_str(&all.join(separated));
        batch.push_str(if number % 3 == 0 { "\r\n" } else { "\n" });
        expected.push((x < SIDE).then_some((2 * (y * SIDE + x), point)));
        if number % 100 == 0 {
            batch += "  # a remark\n   \n";
        }
    }
    let from_input = with_input(&["query", &path, "ray", "--batch", "-", "--json"], &batch);
    let told = lines(&from_input);
    assert_eq!(told.len(), 500);
    for (told, expected) in told.into_iter().zip(&expected) {
        let told = without_pages(told);
        match expected {
            None => assert_eq!(told, json!({ "hit": false })),
            Some((triangle, [x, y])) => assert_eq!(
                told,
                json!({ "hit": true, "surface": 1, "triangle": triangle, "t": 0.5, "point": [x, y, 1.0],
                    "barycentric": [0.25, 0.25], "distance": 10.0, "front": true, "geometric_normal": [0.0, 0.0, 1.0] })
            ),
        }
    }
    let file = folder.path().join("rays.txt");
    fs::write(&file, &batch).unwrap();
    let batched = ["query", &path, "ray", "--batch", file.to_str().unwrap()];
    let strip = |output: &Output| lines(output).into_iter().map(without_pages).collect::<Vec<_>>();
    assert_eq!(strip(&meshpeek(&[&batched[..], &["--json"]].concat())), strip(&from_input));
    let words = text(&meshpeek(&batched).stdout);
    assert_eq!(words.lines().count(), 500);
    assert!(words.lines().zip(&expected).all(|(line, expected)| line.starts_with("nothing") == expected.is_none()));
    let all = lines(&meshpeek(&[&batched[..], &["--json", "--all"]].concat()));
    assert_eq!(all[0]["hits"].as_array().unwrap().len(), 2);
    let near = lines(&with_input(&["query", &path, "nearest", "--batch", "-", "--json"], "3.25 3.25 0\n-1,0,1"));
    assert_eq!(near.iter().map(|near| near["distance"].as_f64().unwrap()).collect::<Vec<_>>(), [1.0, 1.0]);
    let boxes = "1.125,0.125,0 1.25,0.25,2\n# none\n0 0 5 9 9 6\n";
    let boxes = lines(&with_input(&["query", &path, "overlap", "--batch", "-", "--json"], boxes));
    assert_eq!(boxes.iter().map(|found| found["count"].as_u64().unwrap()).collect::<Vec<_>>(), [1, 0]);
    assert_eq!(lines(&with_input(&["query", &path, "ray", "--batch", "-", "--json"], "# nothing\n")).len(), 0);
    // Each result has the pages of its own ray, without those of earlier rays.
    let one = "7.25 5.25 11 7.25 5.25 0\n".repeat(50);
    let pages = lines(&with_input(&["query", &path, "ray", "--batch", "-", "--json"], &one));
    assert!(pages.iter().all(|told| told["pages_touched"] == pages[0]["pages_touched"]));
}

#[test]
fn refuses_a_line_before_it_answers() {
    let cube = sample("cube_ms13");
    for (line, found) in [
        ("1 2 3 4 5", "expected 6 numbers, found 5"),
        ("1 2 3 4 5 6 7", "expected 6 numbers, found 7"),
        ("1 2 3 4 5 six", "found \"six\""),
        ("1 2 3 4 5 inf", "found \"inf\""),
        ("1 2 3 4 5 6 # why", "found \"#\""),
    ] {
        let output = with_input(&["query", &cube, "ray", "--batch", "-"], &format!("0 0 9 0 0 0\n\n{line}\n"));
        let complaint = text(&output.stderr);
        assert_eq!((code(&output), output.stdout.len()), (2, 0), "{line}");
        assert!(complaint.contains("-: line 3: ") && complaint.contains(found), "{complaint}");
    }
    let (_folder, path) = scratch("rays.txt", b"\xff\xfe\n");
    assert!(refused(&["query", &cube, "ray", "--batch", &path], 2).contains("rays.txt: line 1: "));
    assert!(refused(&["query", &cube, "ray", "--batch", "no/such/rays.txt"], 3).contains("no/such/rays.txt"));
    assert!(refused(&["query", "-", "ray", "--batch", "-"], 2).contains("standard input is the mesh"));
}

#[test]
fn refuses_what_it_cannot_answer() {
    let cube = sample("cube_ms13");
    for wrong in [
        &["ray"][..],
        &["ray", "--from", "0,0,0"],
        &["ray", "--toward", "0,0,0"],
        &["ray", "--from", "0,0", "--toward", "0,0,0"],
        &["ray", "--from", "0,0,nan", "--toward", "0,0,0"],
        &["ray", "--from", "0,0,0", "--toward", "0,0,1", "--direction", "0,0,1"],
        &["ray", "--from", "0,0,0", "--toward", "0,0,1", "--all", "--any"],
        &["ray", "--from", "0,0,0", "--toward", "0,0,1", "--limit", "-1"],
        &["ray", "--from", "0,0,0", "--toward", "0,0,1", "--batch", "-"],
        &["ray", "--from", "0,0,0", "--toward", "0,0,1", "--surface", "1"],
        &["nearest"],
        &["nearest", "--point", "0,0,0", "--surface", "1"],
        &["overlap", "--min", "0,0,0"],
        &["overlap", "--frustum", "1,2,3"],
        &["vertex"],
        &["vertex", "--vertex", "0", "--surface", "1"],
        &["fly"],
        &[],
    ] {
        refused(&[&["query", &cube], wrong].concat(), 2);
    }
    let output = meshpeek(&["query", "no/such.mesh", "nearest", "--point", "0,0,0", "--json"]);
    assert_eq!((code(&output), &json(&output)["error"]["kind"]), (3, &json!("io")));
    let (_folder, path) = scratch("cut.mesh", &crate::bytes("cube_ms13")[..300]);
    let output = meshpeek(&["query", &path, "nearest", "--point", "0,0,0", "--json"]);
    assert_eq!((code(&output), &json(&output)["path"]), (3, &json!(path)));
}

#[test]
fn the_file_comes_before_or_after_the_kind() {
    let cube = sample("cube_ms13");
    let ray = ["--from", "0,0,9", "--toward", "0,0,0", "--json"];
    // The pages of a small file are those of its copy, whose place in memory depends on the order.
    let answer = |arguments: &[&str]| {
        let output = meshpeek(arguments);
        assert_eq!(code(&output), 0, "{arguments:?}");
        let mut answer = json(&output);
        answer.as_object_mut().unwrap().remove("pages_touched");
        answer
    };
    let expected = answer(&[&["query", &cube, "ray"], &ray[..]].concat());
    assert_eq!(expected["hit"], true);
    for arguments in [[&["query", "ray", &cube], &ray[..]].concat(), [&["query", "ray"], &ray[..], &[&cube]].concat()] {
        assert_eq!(answer(&arguments), expected, "{arguments:?}");
    }
    let vertex = |order: [&str; 2]| meshpeek(&["query", order[0], order[1], "--vertex", "0"]).stdout;
    assert_eq!(vertex(["vertex", &cube]), vertex([&cube, "vertex"]));
    // A file whose name is that of a kind is given with its folder, or after the kind.
    let (folder, _) = scratch("ray", &crate::bytes("cube_ms13"));
    for file in ["ray", "./ray"] {
        let output =
            command(&[&["query", "ray", file], &ray[..]].concat()).current_dir(folder.path()).output().unwrap();
        assert_eq!((code(&output), &json(&output)["hit"]), (0, &json!(true)));
    }
    let none = "error: query: expected a file, found none; give one, as in `meshpeek query FILE ray --from 0,0,9 --toward 0,0,0`\n";
    assert_eq!(refused(&[&["query", "ray"], &ray[..4]].concat(), 2), none);
    let two = refused(&[&["query", &cube, "ray", "b.mesh"], &ray[..4]].concat(), 2);
    assert_eq!(two, format!("error: query: expected one file, found {cube} and b.mesh; leave one out\n"));
}

#[test]
fn refuses_questions_without_a_meaning() {
    let cube = sample("cube_ms13");
    let direction = "expected a ray with a direction, found one of length 0";
    let far = "expected a ray whose direction is finite, found two points that are too far apart";
    let inverted = "expected a minimum of at most the maximum, found y from 2.0 to 1.5";
    for (kind, options, line, told, advice) in [
        (
            "ray",
            ["--from=1,2,3", "--toward=1,2,3"],
            "1 2 3 1 2 3",
            direction,
            "--toward: give another point, at most 3e38 from --from",
        ),
        (
            "ray",
            ["--from=-3e38,0,0", "--toward=3e38,0,0"],
            "-3e38 0 0 3e38 0 0",
            far,
            "--toward: give another point, at most 3e38 from --from",
        ),
        (
            "overlap",
            ["--min=0,2,0", "--max=1,1.5,1"],
            "0 2 0 1 1.5 1",
            inverted,
            "--min, --max: exchange the two numbers",
        ),
    ] {
        let complaint = refused(&["query", &cube, kind, options[0], options[1]], 2);
        assert_eq!(complaint, format!("error: {told}; {advice}\n"));
        let output = with_input(&["query", &cube, kind, "--batch", "-"], &format!("# one\n0 0 9 0 0 10\n{line}\n"));
        assert_eq!((code(&output), output.stdout.len()), (2, 0), "{line}");
        assert_eq!(text(&output.stderr), format!("error: -: line 3: {told}\n"));
    }
    let complaint = refused(&["query", &cube, "ray", "--from", "0,0,0", "--direction", "0,-0,0"], 2);
    assert_eq!(complaint, format!("error: {direction}; --direction: give a vector such as 0,0,-1\n"));
    // A box without a volume has a meaning.
    assert_eq!(answer(&[&cube, "overlap", "--min", "0.5,0,0", "--max", "0.5,0,0"])["count"], 2);
    for (option, wrong) in [("--point", "0,nan,0"), ("--point", "inf,0,0"), ("--limit", "nan")] {
        let other = if option == "--limit" { &["--point", "0,0,0"][..] } else { &[] };
        let complaint = refused(&[&["query", &cube, "nearest", option, wrong], other].concat(), 2);
        assert!(complaint.contains(option) && complaint.contains("expected"), "{complaint}");
    }
}

/// The queries that are run with a sidecar and without one.
const QUESTIONS: [&[&str]; 7] = [
    &["ray", "--from", "7.25,5.25,11", "--toward", "7.25,5.25,0", "--attributes"],
    &["ray", "--from", "-1,0.5,2", "--direction", "1,1,-0.25", "--all"],
    &["ray", "--from", "7.25,5.25,11", "--direction", "0,0,1"],
    &["nearest", "--point", "13.3,-2,0.2"],
    &["overlap", "--min", "3,4,-9", "--max", "5,6,9"],
    &["vertex", "--surface", "0", "--vertex", "100"],
    &["nearest", "--surface", "1", "--point", "13.3,-2,0.2"],
];

/// Returns the results of queries without the number of pages touched.
///
/// `has_one` is whether a matching sidecar exists.
fn answers(user: &User, path: &str, how: &str, has_one: bool, questions: &[&[&str]]) -> Vec<Value> {
    let answer = |question: &&[&str]| {
        let output = user.run(&[&["query", path], *question, &[how, "--json"]].concat());
        assert_eq!(code(&output), 0, "{question:?}: {}", text(&output.stderr));
        assert_eq!(text(&output.stderr).contains("using the sidecar"), has_one, "{question:?}");
        let mut told = json(&output);
        told.as_object_mut().unwrap().remove("pages_touched");
        told
    };
    questions.iter().map(answer).collect()
}

/// Asserts that the results are the same with and without a sidecar.
fn answers_alike(user: &User, path: &str, has_one: bool, questions: &[&[&str]]) {
    let without = answers(user, path, "--no-sidecar", false, questions);
    assert_eq!(answers(user, path, "--verbose", has_one, questions), without);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn answers_the_same_with_a_sidecar() {
    let user = User::new();
    for generation in [Generation::Ms10, Generation::Ms13, Generation::Ms14] {
        let path = user.file(&format!("{generation:?}.mesh"), &squares(generation));
        answers_alike(&user, &path, false, &QUESTIONS);
        let told = user.index(&[&path]);
        assert_eq!(told["records"]["trees"], 2, "{told}");
        answers_alike(&user, &path, true, &QUESTIONS);
        user.index(&["--clear", &path]);
        // A sidecar next to the file, which anyone may have written.
        assert_eq!(user.index(&["--beside", &path])["records"]["trees"], 2);
        answers_alike(&user, &path, true, &QUESTIONS);
        user.index(&["--clear", &path]);
    }
    let path = user.file("one.mesh", &mesh(Generation::Ms13, vec![square("one", 1.0)], Vec::new()));
    assert_eq!(user.index(&[&path])["records"]["trees"], 1, "the sidecar has only the tree");
    answers_alike(&user, &path, true, &QUESTIONS[..4]);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn answers_the_same_with_a_damaged_sidecar() {
    let user = User::new();
    let path = user.file("squares.mesh", &squares(Generation::Ms13));
    let own = user.index(&[&path])["sidecar"].as_str().unwrap().to_owned();
    let whole = fs::read(&own).unwrap();
    let pages = whole.len() / 4096;
    assert!(pages > 3, "{pages} pages");
    let questions = &QUESTIONS[..4];
    let expected = answers(&user, &path, "--no-sidecar", false, questions);
    let alike = || assert_eq!(answers(&user, &path, "--verbose", true, questions), expected);
    // Damages every page after the header, one after another, and then all of them.
    for page in 1..=pages {
        let mut spoilt = whole.clone();
        let spoil = if page == pages { 4096..spoilt.len() } else { page * 4096..(page + 1) * 4096 };
        spoilt[spoil].iter_mut().step_by(97).for_each(|byte| *byte ^= 0x5a);
        fs::write(&own, &spoilt).unwrap();
        alike();
        if page % 3 == 0 || page == pages {
            // The same damage with correct checksums in an untrusted sidecar. It is detected in any
            // case.
            fs::remove_file(&own).unwrap();
            reseal(&mut spoilt);
            fs::write(format!("{path}.mpidx"), &spoilt).unwrap();
            alike();
            fs::remove_file(format!("{path}.mpidx")).unwrap();
        }
    }
    fs::write(&own, &whole[..4096 * 2]).unwrap();
    answers_alike(&user, &path, false, questions);
}

#[test]
fn takes_trees_of_the_level_that_they_are_of() {
    let user = User::new();
    let [high, low] = [SIDE, 4].map(|side| {
        let place = |at: usize| float(at) / float(side) - 0.5;
        let positions =
            (0..=side).flat_map(|y| (0..=side).map(move |x| [place(x), place(y), place(x * y % (side + 1))]));
        let corner = |x: usize, y: usize| u32::try_from(y * (side + 1) + x).unwrap();
        let quads = (0..side).flat_map(|y| (0..side).map(move |x| (x, y)));
        let two = |(x, y)| {
            [
                [corner(x, y), corner(x + 1, y), corner(x, y + 1)],
                [corner(x + 1, y + 1), corner(x, y + 1), corner(x + 1, y)],
            ]
        };
        let triangles = quads.flat_map(two).collect();
        secondlife::Submesh { positions: positions.collect(), triangles, ..Default::default() }
    });
    let asset = secondlife::Asset { high: vec![high].into(), medium: Some(vec![low].into()), ..Default::default() };
    let path = user.file("ground.llmesh", &asset.to_bytes().unwrap());
    let told = user.index(&[&path]);
    assert_eq!(told["records"]["trees"], 1, "{told}");
    for lod in [&[][..], &["--lod", "high"], &["--lod", "medium"]] {
        let all = ["overlap", "--min=-1,-1,-1", "--max=0.01,0.01,1"];
        let ray = ["ray", "--from", "0.01,0.02,9", "--direction", "0,0,-1"];
        answers_alike(&user, &path, true, &[&[&all[..], lod].concat(), &[&ray[..], lod].concat()]);
    }
    // Meshes with fewer than 1,024 triangles, and pairs of files, have no trees.
    let small = user.file("small.mesh", &crate::bytes("cube_ms13"));
    assert_eq!(user.index(&[&small])["sidecar"], Value::Null);
}

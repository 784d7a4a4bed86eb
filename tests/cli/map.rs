//! Tests of `map`: the list of byte ranges, the explanation of one byte, the bytes by kind, and the
//! picture.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::unigine::compact;
use crate::{bytes, code, json, meshpeek, sample, scratch, text};

/// Returns the paths of all meshes, animations and scripts in `data`.
fn files() -> Vec<String> {
    let mut files = Vec::new();
    let mut folders = vec![PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/data"))];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let extension = path.extension().map(|extension| extension.to_str().unwrap().to_lowercase());
            if path.is_dir() {
                folders.push(path);
            } else if ["mesh", "anim", "3d", "uc", "llmesh", "slm", "asset", "ezm", "ezb"]
                .contains(&extension.unwrap().as_str())
            {
                files.push(path.to_str().unwrap().to_owned());
            }
        }
    }
    assert!(files.len() > 40, "{files:?}");
    files
}

fn size(path: &str) -> u64 {
    std::fs::metadata(path).unwrap().len()
}

fn regions(path: &str) -> Vec<Value> {
    json(&meshpeek(&["map", path, "--json"]))["regions"].as_array().unwrap().clone()
}

fn region(path: &str, name: &str) -> Value {
    regions(path).into_iter().find(|region| region["name"] == name).unwrap_or_else(|| panic!("{path}: {name}"))
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

fn at(path: &str, offset: u64) -> Value {
    json(&meshpeek(&["map", path, "--at", &offset.to_string(), "--json"]))
}

/// Returns the values that `dump` prints.
fn dumped(path: &str, options: &[&str]) -> Vec<Value> {
    let output = meshpeek(&[&["dump", path, "--json"], options].concat());
    assert_eq!(code(&output), 0, "{path} {options:?}: {}", text(&output.stderr));
    json(&output)["values"].as_array().unwrap().clone()
}

#[test]
fn the_map_has_no_gaps_and_explains_every_byte() {
    let path = sample("skinned_ms12");
    let mut end = 0;
    for region in regions(&path) {
        assert_eq!(region["start"].as_u64(), Some(end));
        end = number(&region["end"]);
        assert_eq!(number(&region["bytes"]), end - number(&region["start"]));
        assert!(region["name"].is_string() && region["element"].is_string() && region["aligned"].is_boolean());
    }
    assert_eq!(end, u64::try_from(bytes("skinned_ms12").len()).unwrap());
    let byte = at(&path, 0x10d);
    assert_eq!(byte["regions"][0]["name"], "surface[0].target[0].positions");
    assert_eq!((byte["element"].as_u64(), byte["byte"].as_u64()), (Some(0), Some(1)));
}

#[test]
fn offsets_count_from_both_ends() {
    let path = sample("cube_ms13");
    let from = |offset: &str| json(&meshpeek(&["map", &path, "--json", "--at", offset]));
    assert_eq!(from("-1"), from("664"));
    assert_eq!(from("-0x299"), from("0"));
    for (offset, told) in [
        ("665", "error: --at: expected an offset from 0 to 664, found 665\n"),
        ("-666", "error: --at: expected an offset from 0 to 664, found -666\n"),
    ] {
        let output = meshpeek(&["map", &path, "--at", offset]);
        assert_eq!((code(&output), text(&output.stderr).as_str()), (2, told));
    }
    assert_eq!(code(&meshpeek(&["map", &path, "--at", "-0"])), 2);
    assert_eq!(code(&meshpeek(&["map", &path, "--at", "1", "--summary"])), 2);
}

/// Compares the decoded values of the first, a middle and the last element of a region with the
/// values of `dump`.
///
/// `pick` returns the compared part of the decoded value. An element has `values` values of `dump`.
fn agrees(path: &str, name: &str, options: &[&str], values: usize, pick: fn(&Value) -> Value) {
    let (region, expected) = (region(path, name), dumped(path, options));
    let (start, count) = (number(&region["start"]), number(&region["count"]));
    let size = number(&region["bytes"]) / count;
    assert_eq!(count * values as u64, expected.len() as u64, "{path}: {name}");
    for item in [0, count / 2, count - 1] {
        let byte = at(path, start + item * size + size - 1);
        assert_eq!((number(&byte["element"]), number(&byte["byte"])), (item, size - 1), "{path}: {name}");
        let first = item as usize * values;
        let dumped = if values == 1 { expected[first].clone() } else { json!(expected[first..first + values]) };
        assert_eq!(pick(&byte["decoded"]), dumped, "{path}: {name} {item}");
    }
}

#[test]
fn decoded_values_are_those_of_dump() {
    let whole = Value::clone;
    let axis = |name: &'static str| -> Vec<&'static str> { vec!["--attribute", name] };
    for stem in ["skinned_ms12", "cube_ms10", "cube_ms13", "cube_ms14_raw"] {
        let (path, surface) = (sample(stem), "surface[0]");
        agrees(&path, &format!("{surface}.target[0].positions"), &[], 1, whole);
        let tangents = format!("{surface}.target[0].tangents");
        agrees(&path, &tangents, &axis("normals"), 1, |frame| frame["normal"].clone());
        agrees(&path, &tangents, &axis("tangents"), 1, |frame| frame["tangent"].clone());
        agrees(&path, &tangents, &axis("bitangents"), 1, |frame| frame["bitangent"].clone());
        agrees(&path, &format!("{surface}.uv0"), &axis("uv0"), 1, whole);
        agrees(&path, &format!("{surface}.indices"), &axis("indices"), 1, whole);
        agrees(&path, &format!("{surface}.attribute_indices"), &axis("attribute-indices"), 1, whole);
    }
    let room = sample("room_ms11");
    agrees(&room, "surface[1].colors", &["--surface", "1", "--attribute", "colors"], 1, whole);
    let raw = sample("cube_ms14_raw");
    for (name, attribute) in [("edges", "edges"), ("splits", "tree-splits")] {
        agrees(&raw, &format!("surface[0].tree.{name}"), &axis(attribute), 1, whole);
    }
    agrees(&raw, "surface[0].tree.boxes", &axis("tree-boxes"), 1, |tree| {
        tree["min"].as_array().unwrap().iter().chain(tree["max"].as_array().unwrap()).cloned().collect()
    });
    for stem in ["box", "guard", "crate64", "prototype"] {
        let [data, aniv] = ["d", "a"].map(|file| format!("data/unreal/{stem}_{file}.3d"));
        agrees(&aniv, "frame[1].positions", &["--frame", "1"], 1, whole);
        if stem == "crate64" || stem == "prototype" {
            agrees(&data, "polygons", &axis("indices"), 3, |polygon| polygon["vertices"].clone());
            agrees(&data, "polygons", &axis("uv0"), 3, |polygon| polygon["uvs"].clone());
        }
    }
    let divided = meshpeek(&["map", "data/unreal/box_d.3d", "--at", "50", "--uv-divisor", "256", "--json"]);
    assert_eq!(json(&divided)["decoded"]["uvs"][1], json!([255.0 / 256.0, 255.0 / 256.0]));
}

#[test]
fn decoded_values_of_varying_elements_are_those_of_dump() {
    for (path, name, attribute) in [
        (sample("skinned_ms12"), "surface[0].weights", "weights"),
        (sample("cube_ms14_raw"), "surface[0].tree.nodes", "tree-nodes"),
        (sample("cube_ms14_raw"), "surface[0].tree.corners", "tree-corners"),
    ] {
        let (region, expected) = (region(&path, name), dumped(&path, &["--attribute", attribute]));
        let mut items = BTreeSet::new();
        for offset in number(&region["start"])..number(&region["end"]) {
            let byte = at(&path, offset);
            let item = number(&byte["element"]);
            assert_eq!(byte["decoded"], expected[item as usize], "{path}: {name} {item}");
            assert!(items.insert(item) == (byte["byte"] == 0));
        }
        assert_eq!(items.len(), expected.len());
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn decoded_vertices_of_binary_ezmesh_files_are_those_of_dump() {
    for (file, attributes) in [
        ("data/ezmesh/crate100.ezb", &[("position", "positions"), ("texcoord1", "uv0"), ("normal", "normals")][..]),
        ("data/ezmesh/flag101.ezb", &[("position", "positions"), ("tangent", "tangents"), ("binormal", "bitangents")]),
    ] {
        let vertices = region(file, "mesh[0].vertexbuffer");
        let (start, count) = (number(&vertices["start"]), number(&vertices["count"]));
        let size = number(&vertices["bytes"]) / count;
        for (column, attribute) in attributes {
            let expected = dumped(file, &["--attribute", attribute]);
            for vertex in [0, count - 1] {
                let bytes = (0..size).map(|byte| at(file, start + vertex * size + byte)["decoded"].clone());
                let found: Vec<_> = bytes.filter_map(|decoded| decoded.get(*column).cloned()).collect();
                assert!(!found.is_empty(), "{file}: {column}");
                assert!(found.iter().all(|value| *value == expected[vertex as usize]), "{file}: {column} {found:?}");
            }
        }
    }
    let text = region("data/ezmesh/flag.ezm", "mesh[0].vertexbuffer");
    let decoded = at("data/ezmesh/flag.ezm", number(&text["start"]) + 2)["decoded"].as_str().unwrap().to_owned();
    let x = dumped("data/ezmesh/flag.ezm", &[])[0][0].as_f64().unwrap();
    assert!(decoded.trim().is_empty() || decoded.parse::<f64>().unwrap() == x, "{decoded:?}");
}

#[test]
fn fields_have_the_values_of_info() {
    let skinned = sample("skinned_ms12");
    let decoded = |path: &str, name: &str| at(path, number(&region(path, name)["start"]))["decoded"].clone();
    assert_eq!(decoded(&skinned, "magic"), "ms12");
    assert_eq!(decoded(&skinned, "bones.count"), 2);
    assert_eq!(decoded(&skinned, "surface[0].name"), "bar");
    let info = json(&meshpeek(&["info", &skinned, "--json"]));
    let parents = ["bone[0].parent", "bone[1].parent"].map(|name| decoded(&skinned, name));
    assert_eq!(parents, [0, 1].map(|bone: usize| info["files"][0]["bones"][bone]["parent"].clone()));
    let bounds = decoded(&skinned, "bounds");
    assert_eq!(bounds, info["files"][0]["bounds"]);
    assert_eq!(decoded(&sample("wave_an13"), "rate"), 30);
    let key = decoded(&sample("wave_an10"), "animation[0].keys");
    assert_eq!((&key["frame"], &key["flags"]), (&json!(0), &json!(127)));
    let flag = "data/ezmesh/flag101.ezb";
    assert_eq!(decoded(flag, "skeleton[0].bone[0].parent"), -1);
    assert_eq!(decoded(flag, "animation[0].track[0].keys")["scale"], json!([1.0, 1.0, 1.0]));
    let arm = "data/secondlife/arm.llmesh";
    let block = region(arm, "high_lod");
    assert_eq!(decoded(arm, "header[0].high_lod"), json!({"offset": 1432, "size": block["bytes"]}));
    assert_eq!((decoded(arm, "open"), decoded(arm, "high_lod")), (json!(6), Value::Null));
    assert_eq!(decoded("data/unreal/box_d.3d", "polygon_count"), 12);
    assert_eq!(decoded("data/unreal/guard.uc", "command[0].import"), "#exec");
}

#[test]
fn every_element_but_a_compressed_block_has_a_value() {
    let mut seen = BTreeSet::new();
    for path in files() {
        for region in regions(&path).iter().filter(|region| number(&region["bytes"]) > 0) {
            let [element, name] = ["element", "name"].map(|field| region[field].as_str().unwrap().to_owned());
            let extension = Path::new(&path).extension().unwrap().to_owned();
            if element == "llsd" || !seen.insert((extension, element.clone())) {
                continue;
            }
            let byte = at(&path, number(&region["end"]) - 1);
            let has_value = !matches!(element.as_str(), "zlib" | "lz4 block");
            assert_eq!(!byte["decoded"].is_null(), has_value, "{path}: {name}: {byte}");
        }
    }
    assert!(seen.len() > 30, "{seen:?}");
}

#[test]
fn the_bytes_of_all_kinds_are_the_file() {
    for path in files() {
        let summary = json(&meshpeek(&["map", &path, "--summary", "--json"]));
        let kinds = summary["kinds"].as_array().unwrap();
        let sizes: Vec<u64> = kinds.iter().map(|kind| number(&kind["bytes"])).collect();
        assert_eq!((sizes.iter().sum::<u64>(), number(&summary["bytes"])), (size(&path), size(&path)), "{path}");
        assert!(sizes.is_sorted_by(|one, next| one >= next) && sizes.iter().all(|size| *size > 0));
        let shares = kinds.iter().map(|kind| kind["share"].as_f64().unwrap()).sum::<f64>();
        assert!((shares - 1.0).abs() < 1e-9, "{path}: {shares}");
        let names: BTreeSet<_> = kinds.iter().map(|kind| kind["kind"].as_str().unwrap()).collect();
        assert!(names.len() == kinds.len() && !names.contains("unreadable"), "{path}: {names:?}");
    }
}

#[test]
fn names_the_kinds_of_each_format() {
    let kinds = |path: &str| -> Vec<(String, u64)> {
        let summary = json(&meshpeek(&["map", path, "--summary", "--json"]));
        let kinds = summary["kinds"].as_array().unwrap().iter();
        kinds.map(|kind| (kind["kind"].as_str().unwrap().to_owned(), number(&kind["bytes"]))).collect()
    };
    let expect = |path: &str, expected: &[(&str, u64)]| {
        assert_eq!(kinds(path), expected.iter().map(|(name, bytes)| ((*name).to_owned(), *bytes)).collect::<Vec<_>>());
    };
    expect(
        "data/secondlife/arm.llmesh",
        &[
            ("high_lod", 854),
            ("medium_lod", 462),
            ("low_lod", 354),
            ("header", 305),
            ("lowest_lod", 302),
            ("skin", 236),
            ("physics_convex", 78),
        ],
    );
    expect("data/unreal/box_d.3d", &[("polygons", 192), ("unused", 44), ("header", 4)]);
    expect(
        &sample("cube_ms15"),
        &[
            ("geometry_blocks", 245),
            ("bounds", 80),
            ("tree_blocks", 80),
            ("block_table", 48),
            ("header", 23),
            ("names", 6),
            ("counts", 4),
        ],
    );
    assert!(kinds("data/unreal/guard.uc").iter().all(|(name, _)| name.starts_with("script_")));
    let names: Vec<_> = kinds("data/ezmesh/flag.ezm").into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["markup", "vertices", "animations", "indices"]);
}

#[test]
fn prints_a_table_with_bars() {
    let output = meshpeek(&["map", "data/unreal/box_d.3d", "--summary"]);
    let expected = "\
data/unreal/box_d.3d: 240 B, 3 kinds of bytes
  kind                       bytes   share   regions
  polygons                     192  80.0 %         1 ██████████████████████████████
  unused                        44  18.3 %         1 ██████▉
  header                         4   1.7 %         2 ▋
";
    assert_eq!((code(&output), text(&output.stdout).as_str()), (0, expected));
}

#[test]
fn the_bytes_after_an_error_are_unreadable() {
    let (folder, path) = scratch("cut.mesh", &bytes("cube_ms13")[..300]);
    let svg = folder.path().join("cut.svg");
    let output = meshpeek(&["map", &path, "--summary", "--json", "--svg", svg.to_str().unwrap()]);
    let summary = json(&output);
    assert_eq!((code(&output), &summary["error"]["field"]), (3, &json!("surface[0].target[0].tangents")));
    assert_eq!(summary["kinds"][0], json!({"kind": "unreadable", "bytes": 101, "share": 101.0 / 300.0, "regions": 1}));
    let bytes = summary["kinds"].as_array().unwrap().iter().map(|kind| number(&kind["bytes"])).sum::<u64>();
    assert_eq!((bytes, summary["svg"].as_str()), (300, svg.to_str()));
    let picture = std::fs::read_to_string(svg).unwrap();
    assert!(picture.contains("<title>unreadable: 101 bytes, 199 to 300</title>"));
}

/// Returns the number of shapes in a picture, after a check that they cover the file.
fn shapes(svg: &str, size: u64) -> usize {
    let document = roxmltree::Document::parse(svg).unwrap();
    let shapes: Vec<_> = document.descendants().filter(|node| node.has_tag_name("path")).collect();
    let mut end = 0;
    for shape in &shapes {
        let title = shape.first_element_child().unwrap().text().unwrap();
        let (_, range) = title.split_once(": ").unwrap();
        let words: Vec<u64> = range.replace(',', "").split(' ').filter_map(|word| word.parse().ok()).collect();
        let [bytes, from, to] = words[..] else { panic!("{title}") };
        assert_eq!((from, to - from), (end, bytes), "{title}");
        end = to;
    }
    assert_eq!(end, size);
    shapes.len()
}

#[test]
fn draws_every_file_to_scale() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.svg");
    let out = out.to_str().unwrap();
    for path in files() {
        let output = meshpeek(&["map", &path, "--svg", out, "--force", "--quiet"]);
        assert_eq!((code(&output), output.stdout.len()), (0, 0), "{path}: {}", text(&output.stderr));
        let svg = std::fs::read_to_string(out).unwrap();
        let drawn = regions(&path).iter().filter(|region| number(&region["bytes"]) > 0).count();
        assert_eq!(shapes(&svg, size(&path)), drawn, "{path}");
    }
    let output = meshpeek(&["map", &sample("cube_ms13"), "--svg", out]);
    assert_eq!(code(&output), 2);
    assert!(text(&output.stderr).contains("--force"), "{}", text(&output.stderr));
    let piped = meshpeek(&["map", &sample("cube_ms13"), "--svg", "-"]);
    assert_eq!(shapes(&text(&piped.stdout), 665), 24);
    assert_eq!(code(&meshpeek(&["map", &sample("cube_ms13"), "--svg", "-", "--json"])), 2);
    let shown = meshpeek(&["map", &sample("cube_ms13"), "--svg", out, "--force"]);
    assert_eq!(shown.stdout, meshpeek(&["map", &sample("cube_ms13"), "--summary"]).stdout);
}

/// A file of 0.9 MB with 1.5 million regions, nearly all of one byte or empty.
fn crowded() -> Vec<u8> {
    let (cube, targets) = (bytes("cube_ms13"), 300_000);
    let names = vec![0; targets - 1];
    let arrays = vec![0; 2 * (targets - 1)];
    let count = compact(targets.try_into().unwrap());
    [&cube[..94], &count, &cube[95..97], &names, &cube[97..391], &arrays, &cube[391..]].concat()
}

#[cfg(unix)]
#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn a_million_regions_take_little_memory() {
    let (folder, path) = scratch("crowded.mesh", &crowded());
    let out = folder.path().join("out.svg");
    let arguments = ["map", &path, "--json", "--svg", out.to_str().unwrap()];
    let output = crate::bounded::with_memory(48, &arguments);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let summary = json(&output);
    let kinds = summary["kinds"].as_array().unwrap();
    assert_eq!(kinds[0], json!({"kind": "counts", "bytes": 600_011, "share": kinds[0]["share"], "regions": 600_009}));
    let svg = std::fs::read_to_string(out).unwrap();
    let count = shapes(&svg, size(&path));
    assert!((500..4000).contains(&count), "{count} shapes");
    assert!(svg.len() < 1_000_000, "{} bytes", svg.len());
}

#[test]
fn names_and_paths_are_escaped() {
    let mut mesh = bytes("cube_ms13");
    mesh[47..51].copy_from_slice(b"\x1b<&\"");
    let (folder, path) = scratch("a<b>&'\u{202e}\".mesh", &mesh);
    let out = folder.path().join("out.svg");
    let output = meshpeek(&["map", &path, "--svg", out.to_str().unwrap()]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("a<b>&'\\u{202e}\".mesh"));
    let svg = std::fs::read_to_string(out).unwrap();
    assert_eq!(shapes(&svg, 665), 24);
    assert!(svg.contains("a&lt;b&gt;&amp;&#39;\\u{202e}&quot;.mesh"), "{}", &svg[..400]);
    let output = meshpeek(&["map", &path, "--at", "50"]);
    assert!(text(&output.stdout).ends_with("\n  value \"\\u{1b}<&\"\"\n"), "{}", text(&output.stdout));
    assert_eq!(at(&path, 50)["decoded"], "\u{1b}<&\"");
}

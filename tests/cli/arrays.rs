//! Tests of `dump -o`: the arrays in `.npy`, `.npz` and `.csv` files are the values that
//! `dump --json` prints, and nothing else is ever written.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::ezmesh::raw_files;
use crate::support::unigine::poke;
use crate::{bytes, code, command, json, meshpeek, sample, scratch, text};

const FLAG: &str = "data/ezmesh/flag.ezm";
const GUARD: &str = "data/unreal/guard_d.3d";
const ARM: &str = "data/secondlife/arm.llmesh";

/// An array of a `.npy` file. Numbers are exact as `f64`.
#[derive(Debug, PartialEq)]
struct Array {
    dtype: String,
    shape: Vec<usize>,
    numbers: Vec<f64>,
    texts: Vec<String>,
}

/// Reads a `.npy` file.
fn read_npy(file: &[u8]) -> Array {
    assert_eq!(file[..8], *b"\x93NUMPY\x01\x00");
    let start = 10 + usize::from(u16::from_le_bytes([file[8], file[9]]));
    assert_eq!(start % 64, 0);
    let header = text(&file[10..start]);
    let between = |before: &str, after: &str| {
        let rest = header.split_once(before).unwrap().1;
        rest.split_once(after).unwrap().0.to_owned()
    };
    assert!(header.starts_with("{'descr': '") && header.contains("'fortran_order': False, ") && header.ends_with('\n'));
    let dtype = between("'descr': '", "'");
    let shape: Vec<usize> = between("'shape': (", ")").split(',').filter_map(|size| size.trim().parse().ok()).collect();
    let values = &file[start..];
    let count: usize = shape.iter().product();
    let (mut numbers, mut texts) = (Vec::new(), Vec::new());
    if let Some(length) = dtype.strip_prefix("<U") {
        let length: usize = length.parse().unwrap();
        assert_eq!(values.len(), count * length * 4);
        for name in values.chunks(length * 4) {
            let characters = name.as_chunks::<4>().0.iter().map(|one| u32::from_le_bytes(*one));
            texts.push(characters.filter(|one| *one != 0).map(|one| char::from_u32(one).unwrap()).collect());
        }
    } else {
        let size: usize = dtype[2..].parse().unwrap();
        assert_eq!(values.len(), count * size, "{dtype} {shape:?}");
        numbers = values.chunks(size).map(|bytes| number(&dtype, bytes)).collect();
    }
    Array { dtype, shape, numbers, texts }
}

fn number(dtype: &str, bytes: &[u8]) -> f64 {
    match dtype {
        "|u1" => bytes[0].into(),
        "<u2" => u16::from_le_bytes(bytes.try_into().unwrap()).into(),
        "<u4" => u32::from_le_bytes(bytes.try_into().unwrap()).into(),
        "<i2" => i16::from_le_bytes(bytes.try_into().unwrap()).into(),
        "<i4" => i32::from_le_bytes(bytes.try_into().unwrap()).into(),
        "<f4" => f32::from_le_bytes(bytes.try_into().unwrap()).into(),
        other => panic!("{other}"),
    }
}

/// Reads an `.npz` file through the directory at its end, and checks all sizes and checksums.
fn read_npz(archive: &[u8]) -> BTreeMap<String, Array> {
    let short = |at: usize| usize::from(u16::from_le_bytes(archive[at..at + 2].try_into().unwrap()));
    let long = |at: usize| u32::from_le_bytes(archive[at..at + 4].try_into().unwrap());
    let end = archive.len() - 22;
    assert_eq!(archive[end..end + 4], *b"PK\x05\x06");
    let (count, mut at) = (short(end + 10), long(end + 16) as usize);
    assert_eq!(at + long(end + 12) as usize, end);
    let mut arrays = BTreeMap::new();
    for _ in 0..count {
        assert_eq!(archive[at..at + 4], *b"PK\x01\x02");
        let (checksum, size, name, extra) = (long(at + 16), long(at + 24) as usize, short(at + 28), short(at + 30));
        let local = long(at + 42) as usize;
        assert_eq!(archive[local..local + 4], *b"PK\x03\x04");
        // The sizes and the checksum are in the header of the file too, for programs that do not
        // read the directory.
        assert_eq!(archive[local + 4..local + 30], archive[at + 6..at + 32]);
        assert_eq!(archive[local + 30..local + 30 + name], archive[at + 46..at + 46 + name]);
        let start = local + 30 + name + short(local + 28);
        let file = &archive[start..start + size];
        let mut crc = flate2::Crc::new();
        crc.update(file);
        assert_eq!(crc.sum(), checksum);
        let name_text = text(&archive[at + 46..at + 46 + name]);
        arrays.insert(name_text.strip_suffix(".npy").unwrap().to_owned(), read_npy(file));
        at += 46 + name + extra;
    }
    assert_eq!((at, arrays.len()), (end, count));
    arrays
}

/// Reads a table without quoted cells.
fn read_csv(file: &[u8]) -> (Vec<String>, Vec<Vec<String>>) {
    let file = text(file);
    assert!(file.ends_with('\n') && !file.contains('"'));
    let mut rows = file.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    let header = rows.next().unwrap();
    let rows: Vec<_> = rows.collect();
    assert!(rows.iter().all(|row| row.len() == header.len()), "{header:?}");
    (header, rows)
}

/// Runs a command that succeeds, with an output file of the given name, and returns its bytes.
fn written(name: &str, arguments: &[&str]) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    let output = meshpeek(&[arguments, &["-o", path.to_str().unwrap()]].concat());
    assert_eq!(code(&output), 0, "{arguments:?}: {}", text(&output.stderr));
    fs::read(path).unwrap()
}

/// Returns the values that `dump --json` prints, or `None` if it fails.
fn printed(arguments: &[&str], surface: &str, attribute: &str) -> Option<Vec<Value>> {
    let options = ["--surface", surface, "--attribute", attribute, "--json"];
    let output = meshpeek(&[arguments, &options].concat());
    (code(&output) == 0).then(|| json(&output)["values"].as_array().unwrap().clone())
}

/// Returns all numbers of a JSON value in order. A float that is not finite is NaN.
fn flat(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(items) => items.iter().flat_map(flat).collect(),
        Value::Null => vec![f64::NAN],
        value => vec![value.as_f64().unwrap()],
    }
}

/// Returns whether two lists are equal as lists of the type of an array.
fn same(found: &[f64], expected: &[f64], is_float: bool) -> bool {
    let one = |value: f64| if is_float { f64::from(value as f32) } else { value };
    found.len() == expected.len()
        && found.iter().zip(expected).all(|(found, expected)| {
            let (found, expected) = (one(*found), one(*expected));
            found.to_bits() == expected.to_bits() || !found.is_finite() && expected.is_nan()
        })
}

/// The commands whose arrays are compared. The samples have every attribute.
fn commands() -> Vec<Vec<String>> {
    let all = [
        vec!["data/unigine/cube_ms10.mesh"],
        vec!["data/unigine/room_ms11.mesh"],
        vec!["data/unigine/skinned_ms12.mesh"],
        vec!["data/unigine/morph_ms13.mesh"],
        vec!["data/unigine/room_ms14.mesh"],
        vec!["data/unigine/skinned_ms14.mesh"],
        vec!["data/unigine/cube_ms15.mesh"],
        vec!["data/unigine/empty_ms12.mesh"],
        vec![GUARD],
        vec![GUARD, "--frame", "2.5", "--clip", "1", "--placed"],
        vec![GUARD, "--frame", "3", "--clip", "Walk", "--shading", "facet"],
        vec!["data/unreal/crate64_d.3d"],
        vec![ARM],
        vec![ARM, "--lod", "low"],
        vec!["data/secondlife/ramp.llmesh", "--lod", "physics"],
        vec!["data/secondlife/model.slm", "--asset", "1"],
        vec![FLAG],
        vec!["data/ezmesh/crate100.ezb"],
        vec!["data/ezmesh/flag101.ezb"],
        vec!["data/unigine/morph_ms13.mesh", "--target", "2"],
    ];
    let raw = |command: &Vec<String>| [command.clone(), vec!["--raw".to_owned()]].concat();
    let all: Vec<Vec<String>> =
        all.iter().map(|command| ["dump"].iter().chain(command).map(|part| (*part).to_owned()).collect()).collect();
    let can_be_raw = |command: &&Vec<String>| !command.iter().any(|part| part == "--placed");
    all.iter().cloned().chain(all.iter().filter(can_be_raw).map(raw)).collect()
}

/// Compares an array of weights with the printed influences.
fn compare_weights(arrays: &BTreeMap<String, Array>, surface: &str, expected: &[Value]) {
    let (bones, weights) = (&arrays[&format!("surface{surface}.bones")], &arrays[&format!("surface{surface}.weights")]);
    assert_eq!(bones.shape, weights.shape);
    let width = bones.shape[1];
    assert_eq!(Some(width), expected.iter().map(|list| list.as_array().unwrap().len()).max());
    for (vertex, list) in expected.iter().enumerate() {
        for slot in 0..width {
            let found = [bones, weights].map(|array| array.numbers[vertex * width + slot]);
            let expected = list.get(slot).map_or(vec![-1.0, 0.0], flat);
            assert!(same(&found, &expected, true), "{surface} {vertex} {slot}: {found:?} {expected:?}");
        }
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn archives_hold_the_values_that_are_printed() {
    let mut compared = BTreeMap::<String, usize>::new();
    for arguments in commands() {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let arrays = read_npz(&written("all.npz", &arguments));
        for (name, array) in &arrays {
            let Some((surface, attribute)) = name.split_once('.') else {
                assert!(["surface_names", "bone_names", "bone_parents"].contains(&&**name), "{name}");
                continue;
            };
            let surface = surface.strip_prefix("surface").unwrap();
            let attribute = if attribute == "bones" { "weights" } else { attribute };
            let arguments = &for_attribute(&arguments, attribute)[..];
            let expected = printed(arguments, surface, attribute).unwrap_or_else(|| panic!("{arguments:?} {name}"));
            *compared.entry(attribute.to_owned()).or_default() += 1;
            if attribute == "weights" {
                compare_weights(&arrays, surface, &expected);
                continue;
            }
            let expected: Vec<f64> = expected.iter().flat_map(flat).collect();
            assert!(same(&array.numbers, &expected, array.dtype == "<f4"), "{arguments:?} {name}");
            if attribute.ends_with("indices") {
                assert_eq!(array.shape, [expected.len() / 3, 3]);
            }
            // An array alone is the same as in the archive.
            let options = ["--surface", surface, "--attribute", attribute];
            if surface != "0" {
                continue;
            }
            assert_eq!(read_npy(&written("one.npy", &[arguments, &options].concat())), *array, "{name}");
        }
        // Nothing that is printed is left out.
        for surface in 0..surface_count(&arguments) {
            for attribute in ["positions", "normals", "tangents", "bitangents", "uv0", "uv1", "colors", "weights"] {
                let name = format!("surface{surface}.{attribute}");
                let arguments =
                    if arguments.contains(&"--raw") && arguments[1] == GUARD { continue } else { &arguments };
                let arguments = for_attribute(arguments, attribute);
                let is_printed = printed(&arguments, &surface.to_string(), attribute).is_some();
                assert_eq!(arrays.contains_key(&name), is_printed, "{arguments:?} {name}");
            }
        }
    }
    for attribute in [
        "positions",
        "normals",
        "tangents",
        "bitangents",
        "uv0",
        "uv1",
        "colors",
        "weights",
        "indices",
        "attribute-indices",
        "types",
        "textures",
        "color-bytes",
        "flags",
        "edges",
        "tree-corners",
        "tree-nodes",
        "tree-boxes",
        "tree-splits",
        "radius",
        "interp1",
    ] {
        assert!(compared.get(attribute).is_some_and(|count| *count > 1), "{attribute}: {compared:?}");
    }
}

/// Returns the arguments without `--target` and its value, if the attribute has no targets.
fn for_attribute<'b>(arguments: &[&'b str], attribute: &str) -> Vec<&'b str> {
    let has_targets = ["positions", "normals", "tangents", "bitangents"].contains(&attribute);
    let target = arguments.iter().position(|argument| *argument == "--target").filter(|_| !has_targets);
    let is_kept = |at: usize| target.is_none_or(|target| at != target && at != target + 1);
    arguments.iter().enumerate().filter(|(at, _)| is_kept(*at)).map(|(_, argument)| *argument).collect()
}

fn surface_count(arguments: &[&str]) -> usize {
    if arguments.contains(&"physics") || arguments.contains(&"--asset") {
        return 1;
    }
    json(&meshpeek(&["info", arguments[1], "--json"]))["files"][0]["surfaces"].as_array().unwrap().len()
}

#[test]
fn arrays_have_the_types_of_their_numbers() {
    let types = |arguments: &[&str]| {
        let arrays = read_npz(&written("all.npz", arguments));
        let one = |name: &str| arrays.get(&format!("surface0.{name}")).map_or("none", |array| array.dtype.as_str());
        ["positions", "normals", "uv0", "colors", "bones", "weights", "indices", "types"].map(one).join(" ")
    };
    assert_eq!(types(&["dump", FLAG]), "<f4 <f4 <f4 <f4 <i4 <f4 <u4 none");
    assert_eq!(types(&["dump", FLAG, "--raw"]), "<f4 <f4 <f4 <u4 <i4 <f4 <i4 none");
    assert_eq!(types(&["dump", ARM]), "<f4 <f4 <f4 none <i4 <f4 <u4 none");
    assert_eq!(types(&["dump", ARM, "--raw"]), "<u2 <u2 <u2 none <i2 <u2 <u2 none");
    assert_eq!(types(&["dump", GUARD, "--raw"]), "<i2 none |u1 none none none <u2 |u1");
    assert_eq!(types(&["dump", &sample("skinned_ms12"), "--raw"]), "<f4 <i2 <f4 none <i2 <u2 |u1 none");
    let colors = ["dump", &sample("room_ms11"), "--surface", "1", "--attribute", "colors", "--raw"];
    assert_eq!(read_npy(&written("a.npy", &colors)).dtype, "|u1");
}

#[test]
fn archives_have_the_names_of_surfaces_and_bones() {
    let arrays = read_npz(&written("all.npz", &["dump", FLAG]));
    assert_eq!(arrays["bone_names"].texts, ["pole", "cloth", "cloth tip"]);
    assert_eq!(arrays["bone_parents"].numbers, [-1.0, 0.0, 1.0]);
    assert_eq!(arrays["surface_names"].texts, ["flag"]);
    let room = read_npz(&written("all.npz", &["dump", &sample("room_ms11")]));
    assert_eq!(room["surface_names"].texts, ["floor", "лампа", "box"]);
    assert!(!room.contains_key("bone_names"));
    // The names are left out if attributes are named.
    let chosen = ["dump", &sample("room_ms11"), "--attribute", "positions,uv0", "--surface", "0,2"];
    let chosen = read_npz(&written("some.npz", &chosen));
    let names: Vec<&str> = chosen.keys().map(String::as_str).collect();
    assert_eq!(names, ["surface0.positions", "surface0.uv0", "surface2.positions"]);
    assert_eq!(chosen["surface0.uv0"], room["surface0.uv0"]);
    let hulls = read_npz(&written("hulls.npz", &["dump", "data/secondlife/rock.llmesh", "--attribute", "hull"]));
    assert_eq!(hulls.keys().map(String::as_str).collect::<Vec<_>>(), ["hull0", "hull1", "hull2"]);
    let bounding = ["dump", ARM, "--attribute", "bounding-hull"];
    let found = &read_npz(&written("hull.npz", &bounding))["bounding-hull"];
    let expected: Vec<f64> = printed(&["dump", ARM], "0", "bounding-hull").unwrap().iter().flat_map(flat).collect();
    assert!(same(&found.numbers, &expected, true) && !expected.is_empty());
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn tables_hold_the_values_that_are_printed() {
    let singular = [
        ("positions", "position"),
        ("normals", "normal"),
        ("tangents", "tangent"),
        ("bitangents", "bitangent"),
        ("uv0", "uv0"),
        ("uv1", "uv1"),
        ("colors", "color"),
        ("weights", "bone0"),
        ("indices", "vertex_index"),
        ("attribute-indices", "attribute_index"),
        ("radius", "radius"),
        ("interp1", "interp1"),
    ];
    let mut compared = 0;
    for arguments in commands() {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let (header, rows) = read_csv(&written("all.csv", &arguments));
        assert_eq!(header[..2], ["surface", "index"]);
        for surface in 0..surface_count(&arguments) {
            let rows: Vec<&Vec<String>> = rows.iter().filter(|row| row[0] == surface.to_string()).collect();
            assert!(rows.iter().enumerate().all(|(index, row)| row[1] == index.to_string()));
            let mut longest = 0;
            for (attribute, column) in singular {
                let start = header.iter().position(|name| name == column || name.starts_with(&format!("{column}_")));
                let arguments = &for_attribute(&arguments, attribute)[..];
                let Some(start) = start else { continue };
                let Some(expected) = printed(arguments, &surface.to_string(), attribute) else {
                    assert!(rows.iter().all(|row| row[start].is_empty()), "{arguments:?} {attribute}");
                    continue;
                };
                longest = longest.max(expected.len());
                for (index, row) in rows.iter().enumerate() {
                    let Some(expected) = expected.get(index).map(flat) else {
                        assert_eq!(row[start], "", "{arguments:?} {attribute} {index}");
                        continue;
                    };
                    let cells = row[start..].iter().take(expected.len());
                    let found: Vec<f64> = cells.map(|cell| cell.parse::<f64>().unwrap()).collect();
                    assert!(same(&found, &expected, found.iter().any(|one| one.fract() != 0.0)), "{attribute} {row:?}");
                    compared += 1;
                }
            }
            assert_eq!(rows.len(), longest, "{arguments:?}");
        }
    }
    assert!(compared > 5000, "{compared}");
}

#[test]
fn the_columns_of_a_table_are_named() {
    let header = |arguments: &[&str]| read_csv(&written("a.csv", arguments)).0.join(",");
    let room = sample("room_ms11");
    for (attribute, expected) in [
        ("positions", "surface,index,x,y,z"),
        ("uv0", "surface,index,u,v"),
        ("colors", "surface,index,r,g,b,a"),
        ("indices", "surface,index,vertex_index"),
        ("uv0,positions", "surface,index,uv0_u,uv0_v,position_x,position_y,position_z"),
        ("positions,positions", "surface,index,x,y,z"),
    ] {
        assert_eq!(header(&["dump", &room, "--attribute", attribute]), expected);
    }
    let raw = ["dump", &sample("skinned_ms12"), "--attribute", "normals,weights", "--raw"];
    let expected = "surface,index,normal_x,normal_y,normal_z,normal_w,bone0,weight0,bone1,weight1";
    assert_eq!(header(&raw), expected);
    assert_eq!(header(&["dump", FLAG, "--attribute", "colors", "--raw"]), "surface,index,color");
    let (_, rows) = read_csv(&written("a.csv", &["dump", &room, "--attribute", "uv1", "--range", "3..5"]));
    assert_eq!(rows, [["1", "3", "0.0", "0.5"], ["1", "4", "0.0", "0.0"]].map(|row| row.map(str::to_owned).to_vec()));
}

#[test]
fn ranges_and_indices_have_a_shape() {
    let room = sample("room_ms14");
    let read = |more: &[&str]| read_npy(&written("a.npy", &[&["dump", &room], more].concat()));
    assert_eq!(read(&["--range", "1..3"]).shape, [2, 3]);
    assert_eq!(read(&["--range", "3..3"]).shape, [0, 3]);
    assert_eq!(read(&["--attribute", "indices"]).shape, [128, 3]);
    assert_eq!(read(&["--attribute", "indices", "--range", "0..6"]).shape, [6]);
    assert_eq!(read(&["--attribute", "edges"]).shape, [128]);
    assert_eq!(read(&["--attribute", "tree-nodes", "--surface", "box"]).shape, [7, 5]);
}

#[test]
fn floats_that_are_not_numbers_stay() {
    let floats = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY].map(f32::to_le_bytes).concat();
    let (_folder, path) = scratch("odd.mesh", &poke(&bytes("cube_ms13"), "surface[0].target[0].positions", 0, &floats));
    let array = read_npy(&written("a.npy", &["dump", &path]));
    assert!(array.numbers[0].is_nan());
    assert_eq!(array.numbers[1..4], [f64::INFINITY, f64::NEG_INFINITY, 0.5]);
    let (_, rows) = read_csv(&written("a.csv", &["dump", &path, "--attribute", "positions"]));
    assert_eq!(rows[0], ["0", "0", "nan", "inf", "-inf"]);
    let archive = read_npz(&written("a.npz", &["dump", &path]));
    assert!(archive["surface0.positions"].numbers[0].is_nan());
    assert_eq!(json(&meshpeek(&["dump", &path, "--json"]))["values"][0], json!([null, null, null]));
    assert_eq!(text(&meshpeek(&["dump", &path, "--range", "0"]).stdout), "NaN inf -inf\n");
}

/// Returns an animation with the names of two bones replaced by hostile ones of the same lengths.
fn hostile_animation() -> Vec<u8> {
    let mut file = fs::read("data/unigine/wave_an10.anim").unwrap();
    for (name, hostile) in [(b"hand", b"=cmd"), (b"root", b"a,\"\n")] {
        let at = file.windows(4).position(|window| window == name).unwrap();
        file[at..at + 4].copy_from_slice(hostile);
    }
    file
}

#[test]
fn poses_are_written_with_escaped_names() {
    let (_folder, path) = scratch("odd.anim", &hostile_animation());
    let table = text(&written("pose.csv", &["dump", &path, "--pose", "5"]));
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines[0], "bone,name,parent,px,py,pz,qx,qy,qz,qw,sx,sy,sz");
    assert!(lines[1].starts_with("0,'=cmd,1,0.0,0.5,0.0,"), "{}", lines[1]);
    assert!(lines[3].starts_with("2,\"a,\"\"\\u{a}\",-1,"), "{}", lines[3]);
    assert_eq!(lines.len(), 6);
    let arrays = read_npz(&written("pose.npz", &["dump", &path, "--pose", "5"]));
    assert_eq!(arrays["names"].texts[..3], ["=cmd", "arm", "a,\"\n"]);
    assert_eq!(arrays["parents"].numbers[..3], [1.0, 2.0, -1.0]);
    let printed = json(&meshpeek(&["dump", &path, "--pose", "5", "--json"]))["bones"].clone();
    let printed = printed.as_array().unwrap();
    for (key, field) in [("positions", "position"), ("rotations", "rotation"), ("scales", "scale")] {
        let expected: Vec<f64> = printed.iter().flat_map(|bone| flat(&bone[field])).collect();
        assert!(same(&arrays[key].numbers, &expected, true), "{key}");
        assert_eq!(arrays[key].shape, [5, expected.len() / 5]);
    }
    let all = read_npy(&written("pose.npy", &["dump", &path, "--pose", "5"]));
    assert_eq!((all.shape, all.numbers[..3].to_vec()), (vec![5, 10], arrays["positions"].numbers[..3].to_vec()));
    let model = ["dump", "data/unigine/bend_an10.anim", "--time", "0.03", "--rate", "30", "--model"];
    let printed = json(&meshpeek(&[&model[..], &["--json"]].concat()))["bones"].clone();
    let expected: Vec<f64> = printed.as_array().unwrap().iter().flat_map(|bone| flat(&bone["model"])).collect();
    let found = read_npy(&written("model.npy", &model));
    assert_eq!(found.shape, [expected.len() / 12, 4, 3]);
    assert!(same(&found.numbers, &expected, true));
    let onto = ["dump", "data/unigine/bend_an10.anim", "--pose", "1", "--onto", &sample("skinned_ms12")];
    assert_eq!(read_npz(&written("onto.npz", &onto))["names"].texts, ["tip", "root"]);
    let table = text(&written("model.csv", &[&model[..4], &["--rate", "30", "--model"]].concat()));
    assert!(table.starts_with("bone,name,parent,xx,xy,xz,yx,yy,yz,zx,zy,zz,px,py,pz\n"));
}

#[test]
fn a_pipe_gets_the_same_bytes_as_a_file() {
    let room = sample("room_ms14");
    for format in ["npy", "npz", "csv"] {
        let piped = meshpeek(&["dump", &room, "-o", "-", "--format", format, "--json"]);
        assert_eq!(code(&piped), 0, "{format}");
        assert!(piped.stdout == written(&format!("a.{format}"), &["dump", &room]), "{format}");
        assert!(piped.stderr.is_empty());
        let mut child = command(&["dump", "-", "-o", "-", "--format", format])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(&bytes("room_ms14")).unwrap();
        assert!(child.wait_with_output().unwrap().stdout == piped.stdout, "{format}");
        let unmapped = written(&format!("a.{format}"), &["dump", &room, "--no-mmap"]);
        assert!(unmapped == piped.stdout, "{format}");
    }
}

#[test]
fn summaries_name_every_array() {
    let folder = tempfile::tempdir().unwrap();
    let to = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (room, out) = (sample("room_ms11"), to("a.npz"));
    let arguments = ["dump", &room, "--attribute", "uv0,indices", "--surface", "floor,box", "-o", &out];
    let summary = json(&meshpeek(&[&arguments[..], &["--json"]].concat()));
    let bytes = fs::metadata(&out).unwrap().len();
    assert_eq!(
        summary,
        json!({"schema": 1, "path": room, "output": out, "bytes": bytes, "arrays": [
            {"name": "surface0.uv0", "dtype": "float32", "shape": [384, 2]},
            {"name": "surface0.indices", "dtype": "uint32", "shape": [128, 3]},
            {"name": "surface2.indices", "dtype": "uint32", "shape": [12, 3]},
        ]})
    );
    let again = meshpeek(&[&arguments[..], &["--force"]].concat());
    assert_eq!(text(&again.stdout).replace(',', ""), format!("{out}: 3 arrays {bytes} bytes\n").replace(',', ""));
    let quiet = meshpeek(&[&arguments[..], &["--force", "--quiet"]].concat());
    assert!(code(&quiet) == 0 && quiet.stdout.is_empty() && quiet.stderr.is_empty());
    let table = to("a.csv");
    let output = meshpeek(&["dump", &room, "--attribute", "uv1", "-o", &table, "--json"]);
    assert_eq!(
        (&json(&output)["rows"], &json(&output)["columns"]),
        (&json!(24), &json!(["surface", "index", "u", "v"]))
    );
    let output = meshpeek(&["dump", &room, "--attribute", "uv1", "-o", &table, "--force"]);
    assert!(text(&output.stdout).starts_with(&format!("{table}: 24 rows, 4 columns, ")));
    let one = to("a.npy");
    assert_eq!(text(&meshpeek(&["dump", &room, "-o", &one]).stdout), format!("{one}: 1 array, 1,100 bytes\n"));
}

#[test]
fn refused_commands_write_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let to = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (room, skinned, wave) = (sample("room_ms11"), sample("skinned_ms12"), sample("wave_an10"));
    let [npy, npz, csv] = ["a.npy", "a.npz", "a.csv"].map(to);
    let [glb, mesh, text_file, ezm] = ["a.glb", "a.mesh", "a.txt", "a.ezm"].map(to);
    let existing = to("existing.npz");
    fs::write(&existing, b"old").unwrap();
    let cases: &[(&[&str], &str)] = &[
        (&[&room, "-o", &existing], "file exists; --force replaces it"),
        (&[&room, "-o", &glb], "expected an extension of npy, npz, csv; `meshpeek convert"),
        (&[&room, "-o", &mesh], "expected an extension of npy, npz, csv; no verb makes it of another format"),
        (&[&room, "-o", &ezm, "--format", "csv"], "`meshpeek convert"),
        (&[&room, "-o", &text_file], "expected an extension of npy, npz, csv; no verb writes it"),
        (&[&room, "-o", &csv, "--format", "npy"], "end the path with .npy"),
        (&[&room, "-o", "-"], "--format npy, npz or csv"),
        (&[&room, "--format", "npy"], "--output"),
        (&[&room, "--force"], "--output"),
        (&[&skinned, "-o", &npy, "--attribute", "weights"], ".npz or .csv"),
        (&[&room, "-o", &npy, "--attribute", "positions,uv0"], "found several attributes; a file .npy holds one"),
        (&[&room, "-o", &npy, "--surface", "0,1"], "found several surfaces; a file .npy holds one"),
        (&[&room, "--surface", "0,1"], "found several surfaces; give one, or write all"),
        (&[&room, "--attribute", "positions,uv0"], "found several attributes; give one, or write all"),
        (&[&room, "-o", &npz, "--range", "0..2"], "--range: applies to one attribute"),
        (&[&room, "-o", &csv, "--range", "0..2", "--attribute", "uv0,uv1"], "--range: applies to one attribute"),
        (
            &[&room, "-o", &npz, "--range", "0..99", "--attribute", "positions"],
            "expected a range within 0..81, found 0..99",
        ),
        (&[&room, "-o", &npz, "--attribute", "weights"], "no surface has weights; `meshpeek info`"),
        (&[&room, "-o", &csv, "--attribute", "weights"], "no surface has weights; `meshpeek info`"),
        (&[&room, "-o", &npz, "--attribute", "uv1", "--surface", "0"], "surface 0 has no uv1; `meshpeek info`"),
        (&[&room, "-o", &npz, "--surface", "0,77"], "surface[77]: expected a number below 3, found 77"),
        (&[&room, "-o", &npz, "--surface", "roof"], "no surface has the name roof; the surfaces are 0 \"floor\", 1"),
        (&[&room, "-o", &csv, "--target", "1"], "expected a number below 1, found 1"),
        (&[&room, "-o", &csv, "--target", "1", "--attribute", "uv0,indices"], "share the same uv0, indices"),
        (&[&room, "-o", &csv, "--frame", "1"], "--frame: applies to Unreal vertex meshes only"),
        (&[&room, "-o", &csv, "--lod", "2"], "--lod: applies to Second Life meshes only"),
        (&[ARM, "-o", &csv, "--attribute", "hull,positions"], "hull and bounding-hull do not go with other"),
        (&["data/secondlife/rock.llmesh", "-o", &npy, "--attribute", "hull", "--surface", "x"], "a hull has no name"),
        (
            &[GUARD, "-o", &npz, "--surface", "JLid"],
            "several surfaces have the name JLid; give one of the numbers 2, 3",
        ),
        (
            &[GUARD, "-o", &npz, "--clip", "Run", "--frame", "1"],
            "no clip has the name Run; the clips are 0 \"All\", 1 \"Walk\"",
        ),
        (&[GUARD, "-o", &npz, "--raw", "--attribute", "normals"], "--raw: no normals are stored"),
        (&[GUARD, "-o", &npz, "--uv-listing"], "--uv-listing"),
        (&[&wave, "-o", &npz], "an animation has no surface"),
        (&[&wave, "-o", &npz, "--pose", "77"], "expected a number below 12, found 77"),
        (&[&wave, "-o", &npz, "--pose", "1", "--attribute", "uv0"], "--attribute"),
        (&[&wave, "-o", &npz, "--pose", "1", "--lod", "high"], "--lod: does not go with --pose"),
    ];
    for (arguments, expected) in cases {
        let output = meshpeek(&[&["dump"], *arguments].concat());
        let message = text(&output.stderr);
        assert_eq!(code(&output), 2, "{arguments:?}: {message}");
        assert!(message.contains(expected), "{arguments:?}: {message}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
    assert_eq!(fs::read(&existing).unwrap(), b"old");
    let (_folder, cut) = scratch("cut.mesh", &bytes("cube_ms13")[..300]);
    for out in [&npy, &npz, &csv, &existing] {
        let output = meshpeek(&["dump", &cut, "-o", out, "--force", "--attribute", "uv0"]);
        assert_eq!(code(&output), 3, "{}", text(&output.stderr));
        assert!(text(&output.stderr).contains("surface[0].target[0].tangents"));
    }
    assert_eq!(code(&meshpeek(&["dump", &room, "-o", &format!("{existing}/a.npz")])), 3);
    assert_eq!(fs::read(&existing).unwrap(), b"old");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "litter");
    // A damaged array that is not requested does not matter.
    let output = meshpeek(&["dump", &cut, "-o", &existing, "--force", "--attribute", "positions"]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    assert_eq!(read_npz(&fs::read(&existing).unwrap()).len(), 1);
}

#[test]
fn surfaces_clips_and_levels_have_names() {
    let room = sample("room_ms11");
    let same = |one: &[&str], other: &[&str]| {
        let [one, other] = [one, other].map(|arguments| {
            let output = meshpeek(arguments);
            assert_eq!(code(&output), 0, "{arguments:?}: {}", text(&output.stderr));
            text(&output.stdout)
        });
        assert!(one == other && !one.is_empty());
    };
    same(&["dump", &room, "--surface", "box"], &["dump", &room, "--surface", "2"]);
    same(&["dump", &room, "--surface", "лампа"], &["dump", &room, "--surface", "1"]);
    let walk = ["dump", GUARD, "--frame", "1", "--clip"];
    same(&[&walk[..], &["Walk"]].concat(), &[&walk[..], &["1"]].concat());
    same(&["dump", FLAG, "--pose", "1", "--clip", "wave"], &["dump", FLAG, "--pose", "1", "--clip", "0"]);
    for (number, name) in [("0", "high"), ("1", "medium"), ("2", "low"), ("3", "lowest")] {
        same(&["info", ARM, "--lod", number], &["info", ARM, "--lod", name]);
    }
    same(&["dump", ARM, "--lod", "2"], &["dump", ARM, "--lod", "low"]);
    let level = |name| meshpeek(&["lod", ARM, "--lod", name, "-o", "-"]).stdout;
    assert!(level("2") == level("low") && !level("low").is_empty() && level("2") != level("0"));
    let nearest = ["nearest", "--point", "0,0,1", "--surface"];
    same(&[&["query", &room], &nearest[..], &["box"]].concat(), &[&["query", &room], &nearest[..], &["2"]].concat());
    let vertex = ["vertex", "--vertex", "0", "--surface"];
    same(&[&["query", &room], &vertex[..], &["box"]].concat(), &[&["query", &room], &vertex[..], &["2"]].concat());
    let moved = ["query", GUARD, "nearest", "--point", "0,0,1", "--frame", "2", "--clip"];
    same(&[&moved[..], &["Walk"]].concat(), &[&moved[..], &["1"]].concat());
    let refused = meshpeek(&["query", &room, "nearest", "--point", "0,0,1", "--surface", "roof"]);
    assert_eq!(code(&refused), 2);
    assert!(text(&refused.stderr).contains("no surface has the name roof; the surfaces are 0 \"floor\""));
}

/// Returns a mesh whose surface names contain a comma, a number and a control character.
fn oddly_named() -> String {
    let section = |name: &str, x: u32| {
        let vertices = raw_files::vertices(3, "fff", "position", &format!("{x} 0 0 1 0 0 0 1 0"));
        raw_files::mesh(name, &(vertices + &raw_files::section("m", &raw_files::triangles(1, "0 1 2"))))
    };
    let meshes = [section("a,b", 5), section("1", 6), section("\u{7}", 7)].concat();
    raw_files::system(&raw_files::element("Meshes count=\"3\"", &meshes))
}

#[test]
fn a_name_may_contain_a_comma_and_a_number_wins() {
    let (_folder, path) = scratch("odd.ezm", oddly_named().as_bytes());
    let names = json(&meshpeek(&["info", &path, "--json"]))["files"][0]["surfaces"].clone();
    assert_eq!(names[0]["name"], "a,b");
    let first = |surface: &str| {
        let output = meshpeek(&["dump", &path, "--surface", surface, "--range", "0"]);
        assert_eq!(code(&output), 0, "{}", text(&output.stderr));
        text(&output.stdout)
    };
    assert_eq!(first("a,b"), "5.0 0.0 0.0\n");
    assert_eq!(first("1"), "6.0 0.0 0.0\n");
    assert_eq!(first("\u{7}"), "7.0 0.0 0.0\n");
    let refused = meshpeek(&["dump", &path, "--surface", "x\u{1b}[31m"]);
    assert_eq!(code(&refused), 2);
    let message = text(&refused.stderr);
    assert!(message.contains(r"no surface has the name x\u{1b}[31m") && !message.contains('\u{1b}'), "{message}");
    assert!(!message.contains('\u{7}'), "{message}");
    let arrays = read_npz(&written("a.npz", &["dump", &path, "--surface", "a,b", "--surface", "2"]));
    assert!(arrays.contains_key("surface0.positions") && arrays.contains_key("surface2.positions"));
    assert!(!arrays.contains_key("surface1.positions"));
}

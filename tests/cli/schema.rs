//! The JSON documents of every verb. The tests in `tests/schema` compare them with the schema.

use std::collections::BTreeSet;
use std::fs;

use meshpeek::decode::ByteOrder;
use meshpeek::secondlife::{AssetPart, Mesh};
use serde_json::Value;

use crate::sidecar::User;
use crate::support::ezmesh::raw_files;
use crate::support::secondlife;
use crate::support::secondlife::raw_assets;
use crate::{bytes, code, json, meshpeek, sample, scratch, text};

const SCHEMA: &str = include_str!("../../src/guide/schema.json");
/// Runs each verb on files of each kind. Writes the documents, each with the name of its definition
/// in the schema, to the file that the variable `MESHPEEK_DOCUMENTS` names, for `tests/schema`.
#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn every_verb_has_documents() {
    let mut documents = Documents::default();
    documents.info();
    documents.tables();
    documents.maps();
    documents.validate();
    documents.dumps();
    documents.poses();
    documents.written_files();
    documents.queries();
    documents.differences();
    documents.sidecars();
    documents.benches();
    documents.failures();
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let definitions: BTreeSet<String> =
        documents.0.iter().map(|(definition, _)| format!("#/$defs/{definition}")).collect();
    for verb in schema["anyOf"].as_array().unwrap() {
        assert!(definitions.contains(verb["$ref"].as_str().unwrap()), "no document for {verb}");
    }
    if let Some(path) = std::env::var_os("MESHPEEK_DOCUMENTS") {
        fs::write(path, serde_json::to_vec(&documents.0).unwrap()).unwrap();
    }
}

#[derive(Default)]
struct Documents(Vec<(&'static str, Value)>);

impl Documents {
    /// Runs a command with `--json`, and adds its document.
    fn run(&mut self, definition: &'static str, expected: i32, arguments: &[&str]) {
        let output = meshpeek(&[arguments, &["--json"]].concat());
        assert_eq!(code(&output), expected, "{arguments:?}: {}", text(&output.stderr));
        self.0.push((definition, json(&output)));
    }

    fn info(&mut self) {
        for file in samples() {
            for lod in ["high", "all", "none"] {
                self.run("info", 0, &["info", &file, "--lod", lod]);
            }
        }
        self.run("info", 0, &["info", &sample("bend_an10"), &sample("skinned_ms12")]);
        self.run("info", 0, &["info", "data/unreal/guard", "data/unigine/skinned_ms12.mesh", "--placed", "--gpu"]);
        let (_folder, odd) = scratch("odd.mesh", &[bytes("cube_ms13"), vec![1]].concat());
        self.run("info", 0, &["info", &odd]);
        let (_folder, path) = scratch("everything.llmesh", &raw_assets::everything());
        self.run("info", 0, &["info", &path, "--lod", "all"]);
        let (_folder, path) = scratch("everything.ezb", &raw_files::everything().binary(ByteOrder::Big));
        self.run("info", 0, &["info", &path]);
        let (_folder, path) = scratch("hull.ezm", raw_files::hull().as_bytes());
        self.run("info", 0, &["info", &path]);
        // Entries of files that cannot be read, with and without a readable part.
        let (_folder, cut) = scratch("cut.mesh", &bytes("cube_ms13")[..300]);
        self.run("info", 3, &["info", &cut, "no such file.mesh", &sample("cube_ms13")]);
        let (_folder, newer) = scratch("newer.llmesh", &raw_assets::newer_asset());
        self.run("info", 3, &["info", &newer]);
        let folder = tempfile::tempdir().unwrap();
        let script = without_ball(&folder);
        for verb in ["info", "validate"] {
            self.run(verb, 0, &[verb, &script]);
            self.run(verb, 3, &[verb, &script, "--mesh", "Ball"]);
        }
        // More surfaces than are listed.
        let placeholder = raw_assets::map(&[("NoGeometry", b"1".to_vec())]);
        let stored = raw_assets::zlib(&raw_assets::array(&vec![placeholder; 5000]));
        let many = [raw_assets::map(&[("high_lod", raw_assets::place(0, stored.len()))]), stored].concat();
        let (_folder, many) = scratch("many.llmesh", &many);
        let output = meshpeek(&["info", &many, "--json"]);
        let mut described = json(&output);
        described["files"][0]["surfaces"].as_array_mut().unwrap().truncate(1);
        described["files"][0]["findings"].as_array_mut().unwrap().truncate(1);
        self.0.push(("info", described));
    }

    fn tables(&mut self) {
        let all = ["--gpu", "--sort", "content,topology,findings"];
        self.run("ls", 0, &[&["ls", "data"], &all[..]].concat());
        self.run("ls", 0, &["ls", "data", "--surfaces", "--gpu"]);
        self.run("ls", 0, &["ls", "data", "--duplicates=topology"]);
        self.run("ls", 3, &["ls", "data/ezmesh", "no such folder"]);
        self.run("ls_folders", 0, &["ls", "data", "--by-folder"]);
        self.run("ls_folders", 3, &["ls", "data/ezmesh", "no such folder", "--by-folder"]);
    }

    fn maps(&mut self) {
        for file in samples() {
            self.run("map", 0, &["map", &file]);
        }
        self.run("map", 0, &["map", "data/unreal/guard.uc"]);
        let (_folder, cut) = scratch("cut.mesh", &bytes("cube_ms13")[..300]);
        self.run("map", 3, &["map", &cut]);
        for offset in ["0", "4", "0x10d"] {
            self.run("map_at", 0, &["map", &sample("skinned_ms12"), "--at", offset]);
        }
        // The elements of this region, which are lists of weights, vary in size.
        self.run("map_at", 0, &["map", &sample("skinned_ms12"), "--at", "558"]);
        // A compressed block has neither elements nor a value.
        self.run("map_at", 0, &["map", &sample("cube_ms15"), "--at", "130"]);
        let block = &self.0.last().unwrap().1;
        assert!(block["element"].is_null() && block["decoded"].is_null());
        for file in samples() {
            self.run("map_summary", 0, &["map", &file, "--summary"]);
        }
        self.run("map_summary", 3, &["map", &cut, "--summary"]);
        let folder = tempfile::tempdir().unwrap();
        let svg = folder.path().join("out.svg");
        self.run("map_summary", 0, &["map", &sample("cube_ms13"), "--svg", svg.to_str().unwrap()]);
    }

    fn validate(&mut self) {
        for file in samples() {
            self.run("validate", 0, &["validate", &file]);
        }
        let (_folder, cut) = scratch("cut.mesh", &bytes("cube_ms13")[..300]);
        self.run("validate", 3, &["validate", &cut, "no such file.mesh"]);
        let (folder, data) = scratch("box_d.3d", &fs::read("data/unreal/box_d.3d").unwrap());
        fs::write(folder.path().join("box_a.3d"), &fs::read("data/unreal/box_a.3d").unwrap()[..250]).unwrap();
        self.run("validate", 1, &["validate", &data]);
        self.run("validate", 1, &["validate", &data, "--deny", "budget: triangles > 1"]);
        let known = folder.path().join("known.json").to_str().unwrap().to_owned();
        self.run("validate", 0, &["validate", &data, "--write-baseline", &known]);
        self.run("validate", 0, &["validate", &data, "--baseline", &known]);
        self.run("validate", 0, &["validate", "data", "--write-baseline", &known, "--force"]);
        self.0.push(("baseline", serde_json::from_str(&fs::read_to_string(&known).unwrap()).unwrap()));
        self.run("rules", 0, &["validate", "--rules"]);
        self.run("rules", 0, &["validate", "--explain", "all"]);
    }

    fn dumps(&mut self) {
        let dump = |documents: &mut Self, file: &str, attributes: &[&str], more: &[&str]| {
            for attribute in attributes {
                let arguments = ["dump", file, "--attribute", attribute, "--range", "0..2"];
                documents.run("dump", 0, &[&arguments, more].concat());
            }
        };
        let frames = ["normals", "tangents", "bitangents"];
        let mesh = ["positions", "uv0", "indices", "attribute-indices", "weights"];
        let trees = ["edges", "tree-corners", "tree-nodes", "tree-boxes", "tree-splits"];
        let polygons = ["types", "textures", "color-bytes", "flags"];
        let guard = "data/unreal/guard_d.3d";
        for raw in [&[][..], &["--raw"]] {
            for stem in ["skinned_ms10", "skinned_ms12", "skinned_ms14"] {
                dump(self, &sample(stem), &[&mesh[..], &frames].concat(), raw);
            }
            dump(self, &sample("room_ms11"), &["colors"], &[&["--surface", "1"], raw].concat());
            dump(self, &sample("room_ms14"), &trees, &[&["--surface", "1"], raw].concat());
            dump(self, guard, &[&["positions", "uv0", "indices"], &polygons[..]].concat(), raw);
            let arm = ["positions", "normals", "uv0", "weights", "indices", "bounding-hull"];
            dump(self, "data/secondlife/arm.llmesh", &arm, raw);
            dump(self, "data/secondlife/rock.llmesh", &["hull"], raw);
            let flag = ["positions", "normals", "tangents", "uv0", "colors", "weights", "indices", "interp1"];
            dump(self, "data/ezmesh/flag.ezm", &flag, raw);
        }
        dump(self, guard, &["normals"], &[]);
        dump(self, guard, &["positions"], &["--frame", "2.5", "--clip", "1", "--placed"]);
        dump(self, "data/secondlife/model.slm", &["positions"], &["--asset", "1", "--lod", "high"]);
    }

    fn poses(&mut self) {
        let wave = sample("wave_an10");
        let (bend, skinned) = (sample("bend_an10"), sample("skinned_ms12"));
        self.run("pose", 0, &["dump", &wave, "--pose", "10"]);
        self.run("pose", 0, &["dump", &wave, "--pose", "1.5", "--model"]);
        self.run("pose", 0, &["dump", &wave, "--time", "0.2", "--rate", "30", "--model"]);
        self.run("pose", 0, &["dump", &sample("wave_an13"), "--time", "0.1"]);
        self.run("pose", 0, &["dump", &bend, "--pose", "1.5", "--onto", &skinned]);
        self.run("pose", 0, &["dump", "data/ezmesh/flag101.ezb", "--clip", "0", "--pose", "2"]);
    }

    fn written_files(&mut self) {
        let folder = tempfile::tempdir().unwrap();
        let to = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        for (number, file) in samples().iter().enumerate() {
            let output = meshpeek(&["rewrite", file, "-o", &to(&number.to_string()), "--allow-loss", "--json"]);
            assert_eq!(code(&output), 0, "{file}: {}", text(&output.stderr));
            self.0.push(("rewrite", json(&output)));
        }
        self.run("rewrite", 0, &["rewrite", "data/unreal/crate64", "--pair", "--script", "-o", &to("crate")]);
        self.run("rewrite", 0, &["rewrite", &sample("room_ms14"), "--blocks", "raw", "-o", &to("raw.mesh")]);
        let (_folder, odd) = scratch("odd.mesh", &[bytes("cube_ms13"), vec![7; 9]].concat());
        self.run("rewrite", 0, &["rewrite", &odd, "-o", &to("odd.mesh"), "--allow-loss"]);
        self.run("convert", 0, &["convert", "data/unreal/guard", "-o", &to("guard.obj"), "--allow-loss"]);
        self.run("convert", 0, &["convert", "data/unreal/guard", "-o", &to("guard.stl")]);
        self.run("convert", 2, &["convert", "data/unreal/guard", "--frame", "99", "-o", &to("late.stl")]);
        let (_folder, damaged) = scratch("damaged.mesh", &bytes("cube_ms13")[..200]);
        self.run("convert", 3, &["convert", &damaged, "data/unigine/cube_ms12.mesh", "--to", "glb", "-o", &to("all")]);
        let small = |more: &[&'static str]| [&["--size", "16", "--force"], more].concat();
        self.run("view", 0, &[&["view", "data/unreal/guard", "-o", &to("guard.png")], &small(&[])[..]].concat());
        self.run(
            "view",
            0,
            &[&["view", "data/unreal/guard", "-o", &to("guard.png")], &small(&["--animate"])[..]].concat(),
        );
        self.run(
            "view",
            3,
            &[&["view", &damaged, "data/unreal/guard", "-o", &to("sheet.png")], &small(&[])[..]].concat(),
        );
        self.run("lod", 0, &["lod", "data/secondlife/arm.llmesh", "--lod", "low", "-o", &to("low.llmesh")]);
        for (number, file) in samples().iter().enumerate() {
            let pose = if file.contains("_an1") { &["--pose", "0"][..] } else { &[] };
            for extension in ["npy", "npz", "csv"] {
                let out = to(&format!("{number}.{extension}"));
                // One file has no frame, and one no surface.
                let is_empty = file.contains("still_an11") || file.contains("empty") && extension == "npy";
                if !is_empty {
                    self.run("dump_file", 0, &[&["dump", file, "-o", &out], pose].concat());
                }
            }
        }
        let whole = Mesh::open(secondlife::bytes("ramp.llmesh")).unwrap();
        let end = whole.header().unwrap().block(AssetPart::PhysicsMesh).unwrap().unwrap().end;
        let cut = &secondlife::bytes("ramp.llmesh")[..usize::try_from(end).unwrap() - 1];
        let (_folder, cut) = scratch("cut.llmesh", cut);
        self.run("lod", 0, &["lod", &cut, "--lod", "low", "-o", &to("cut.llmesh"), "--allow-loss"]);
    }

    fn queries(&mut self) {
        let flag = "data/ezmesh/flag.ezm";
        let (cube, room, skinned) = (sample("cube_ms13"), sample("room_ms11"), sample("skinned_ms12"));
        let down = ["ray", "--from", "0.1,0.2,9", "--toward", "0.1,0.2,0"];
        for more in [&[][..], &["--all"], &["--any"], &["--attributes"], &["--all", "--attributes"]] {
            self.run("query_ray", 0, &[&["query", &cube], &down[..], more].concat());
            self.run("query_ray", 0, &["query", &cube, "ray", "--from", "9,9,9", "--direction", "1,0,0"]);
        }
        for file in [flag, &cube, &room, &skinned, "data/secondlife/arm.llmesh", "data/unreal/guard"] {
            self.run("query_nearest", 0, &["query", file, "nearest", "--point", "0,0,5", "--attributes"]);
            self.run("query_overlap", 0, &["query", file, "overlap", "--min=-1,-1,-1", "--max=1,1,1"]);
            self.run("query_vertex", 0, &["query", file, "vertex", "--vertex", "0"]);
        }
        self.run("query_nearest", 0, &["query", &cube, "nearest", "--point", "9,9,9", "--limit", "1"]);
        let moved = ["nearest", "--point", "0,0,5", "--frame", "1", "--attributes"];
        self.run("query_nearest", 0, &[&["query", &skinned], &moved[..]].concat());
        for (definition, kind, lines, more) in [
            ("ray_answer", "ray", "# rays\n0 0 9 0 0 0\n9 9 9 9 9 10\n", &["--attributes"][..]),
            ("ray_answer", "ray", "0 0 9 0 0 0\n", &["--all"]),
            ("nearest_answer", "nearest", "0 0 9\n1,2,3\n", &[]),
            ("overlap_answer", "overlap", "-1 -1 -1 1 1 1\n5 5 5 6 6 6\n", &[]),
        ] {
            let (_folder, batch) = scratch("batch.txt", lines.as_bytes());
            let output = meshpeek(&[&["query", &cube, kind, "--batch", &batch, "--json"], more].concat());
            assert_eq!(code(&output), 0, "{kind}: {}", text(&output.stderr));
            let answers = text(&output.stdout);
            let answers = answers.lines().map(|line| (definition, serde_json::from_str(line).unwrap()));
            self.0.extend(answers);
        }
    }

    fn differences(&mut self) {
        let (cube, room) = (sample("cube_ms13"), sample("room_ms14"));
        self.run("diff", 1, &["diff", &sample("cube_ms12"), &cube, "--bytes"]);
        self.run("diff", 0, &["diff", &sample("cube_ms12"), &cube]);
        self.run("diff", 0, &["diff", &cube, &cube]);
        self.run("diff", 1, &["diff", &cube, &room, "--bytes"]);
        self.run("diff", 1, &["diff", &sample("skinned_ms10"), "data/secondlife/arm.llmesh", "--bytes"]);
        self.run("diff", 1, &["diff", &sample("wave_an10"), &sample("wave_an13")]);
        self.run("diff", 1, &["diff", "data/unreal/guard", "data/unreal/box"]);
        self.run("diff", 1, &["diff", "data/ezmesh/flag.ezm", "data/ezmesh/flag101.ezb"]);
        self.run("diff", 1, &["diff", "data/secondlife/model.slm", "data/secondlife/rock.llmesh"]);
        let (_folder, cut) = scratch("cut.mesh", &bytes("cube_ms13")[..300]);
        self.run("diff", 3, &["diff", &cube, &cut]);
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes) in
            [("a/one.mesh", bytes("cube_ms12")), ("b/one.mesh", bytes("cube_ms10")), ("a/old.mesh", bytes("cube_ms12"))]
        {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        let [a, b] = ["a", "b"].map(|name| folder.path().join(name).to_str().unwrap().to_owned());
        self.run("diff_folders", 1, &["diff", &a, &b, "--bytes"]);
        for name in ["a/bad.mesh", "b/bad.mesh"] {
            fs::write(folder.path().join(name), &bytes("cube_ms13")[..30]).unwrap();
        }
        self.run("diff_folders", 3, &["diff", &a, &b]);
    }

    fn sidecars(&mut self) {
        let user = User::new();
        let path = user.file("skinned.mesh", &bytes("skinned_ms12"));
        let compressed = user.file("cube.mesh", &bytes("cube_ms14"));
        let build = ["index", &path, &compressed, "no such file.mesh"];
        for (expected, arguments) in [(3, &build[..]), (0, &["index", &path, "--clear"])] {
            let output = user.run(&[arguments, &["--json"]].concat());
            assert_eq!(code(&output), expected, "{arguments:?}: {}", text(&output.stderr));
            self.0.push(("index", json(&output)));
        }
    }

    fn benches(&mut self) {
        let generated = ["--size", "1K", "--size", "2K", "--format", "unigine-static"];
        self.run("bench", 0, &[&["bench", "--rounds", "1"], &generated[..]].concat());
        self.run("bench", 0, &["bench", "--rounds", "1", &sample("cube_ms13")]);
        for what in [&["--size", "300K"][..], &["--size", "60K", "--format", "second-life"], &[&sample("cube_ms14")]] {
            self.run("bench_stream", 0, &[&["bench", "--stream", "--frames", "20"], what].concat());
        }
    }

    fn failures(&mut self) {
        self.run("failure", 2, &["info", "--nonsense"]);
        self.run("failure", 2, &["dump", &sample("cube_ms13"), "--range", "3..99"]);
        let (_folder, path) = scratch("cut.mesh", &bytes("cube_ms13")[..30]);
        for arguments in [
            &["map"][..],
            &["dump"],
            &["rewrite", "-o", "-"],
            &["lod", "--lod", "low", "-o", "-"],
            &["query", "vertex", "--vertex", "0"],
            &["bench"],
        ] {
            for file in [path.as_str(), "no such file.mesh"] {
                let (verb, more) = arguments.split_first().unwrap();
                self.run("failure", 3, &[&[*verb, file], more].concat());
            }
        }
    }
}

/// Returns the paths of all samples. Of an Unreal mesh, this is the path of its data file.
fn samples() -> Vec<String> {
    let all = json(&meshpeek(&["info", "data", "--json"]));
    all["files"].as_array().unwrap().iter().map(|file| file["path"].as_str().unwrap().to_owned()).collect()
}

/// Copies a script that imports two meshes, and the files of only one of them.
fn without_ball(folder: &tempfile::TempDir) -> String {
    for name in ["Classes/Toys.uc", "Models/Top_a.3D", "Models/Top_d.3D"] {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::copy(format!("data/unreal/Toys/{name}"), path).unwrap();
    }
    folder.path().join("Classes/Toys.uc").to_str().unwrap().to_owned()
}

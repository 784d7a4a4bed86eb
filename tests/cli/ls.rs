//! Tests of `ls`.

use std::collections::BTreeSet;
use std::fs;

use meshpeek::export::{Export, ExportFormat, ExportOptions, SceneInput};
use serde_json::Value;

use crate::support::unigine::{compact, spoil};
use crate::{bytes, code, command, json, meshpeek, sample, scratch, text};

/// Returns the text that a command prints.
fn printed(arguments: &[&str]) -> String {
    let output = meshpeek(arguments);
    assert_eq!(code(&output), 0, "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// Returns the values of one field of all rows.
fn column(arguments: &[&str], name: &str) -> Vec<Value> {
    let output = meshpeek(&[&["ls", "data"], arguments, &["--json"]].concat());
    assert_eq!(code(&output), 0, "{arguments:?}: {}", text(&output.stderr));
    let files = json(&output)["files"].as_array().unwrap().clone();
    files.iter().map(|row| row[name].clone()).collect()
}

/// Removes the number of files that are passed by, which depends on the other files of the folder.
fn without_passed_by(text: &str) -> String {
    let lines = text.lines().map(|line| match line.strip_suffix(" other files passed by") {
        Some(line) => line.trim_end_matches(|it: char| it.is_ascii_digit()).trim_end_matches([',', ' ']),
        None => line,
    });
    lines.flat_map(|line| [line, "\n"]).collect()
}

#[test]
fn prints_an_aligned_table_with_totals() {
    let table = printed(&["ls", "data/unigine", "--where", "path ~ '*skinned*' || path ~ '*room_ms1[14]*'"]);
    assert_eq!(
        without_passed_by(&table),
        "\
path                            format   triangles  bones  clips  lods    bytes
data/unigine/room_ms11.mesh     unigine        152      0      0     0  9.71 KB
data/unigine/room_ms14.mesh     unigine        165      0      0     0  7.05 KB
data/unigine/skinned_ms10.mesh  unigine         12      2      1     0    861 B
data/unigine/skinned_ms12.mesh  unigine         12      2      1     0    887 B
data/unigine/skinned_ms14.mesh  unigine         12      2      0     0    669 B

5 meshes, 353 triangles, 19.2 KB of files, 3 rigged
"
    );
}

#[test]
fn agrees_with_info_on_every_sample() {
    let rows = json(&meshpeek(&["ls", "data", "--gpu", "--json"]));
    let files = json(&meshpeek(&["info", "data", "--gpu", "--json"]))["files"].as_array().unwrap().clone();
    let rows = rows["files"].as_array().unwrap();
    assert_eq!(rows.len(), files.len());
    for (row, file) in rows.iter().zip(&files) {
        let length = |name: &str| Value::from(file[name].as_array().unwrap().len());
        for name in ["path", "format", "version", "bytes", "triangles", "gpu_vertices", "gpu_bytes"] {
            assert_eq!(row[name], file[name], "{name} of {}", file["path"]);
        }
        for name in ["surfaces", "bones", "clips", "lods"] {
            assert_eq!(row[name], length(name), "{name} of {}", file["path"]);
        }
        assert!(row["gpu_vertices"].is_u64() && row["findings"].is_null() && row["content"].is_null());
    }
    // Without --gpu, the vertices of surfaces with two index streams are not counted.
    let known: Vec<bool> = column(&[], "gpu_vertices").iter().map(Value::is_u64).collect();
    assert!(known.contains(&true) && known.contains(&false));
}

#[test]
fn counts_the_vertices_of_a_gpu_as_a_weld_does() {
    for row in json(&meshpeek(&["ls", "data", "--surfaces", "--gpu", "--json"]))["files"].as_array().unwrap() {
        let path = row["path"].as_str().unwrap();
        if row["format"] != "unigine" {
            continue;
        }
        let model = meshpeek::open(path).unwrap();
        let index = usize::try_from(row["surface"].as_u64().unwrap()).unwrap();
        let welded = meshpeek::Surface::new(model.geometry(), index).unwrap().weld().unwrap();
        assert_eq!(row["gpu_vertices"], welded.vertices.len(), "{path} {index}");
    }
}

/// Returns the number of vertices in the GLB output of a file, or `None` if there is no output.
fn glb_vertices(path: &str) -> Option<u64> {
    let model = meshpeek::open(path).ok()?;
    let options = ExportOptions::default().with_allow_loss(true);
    let input = SceneInput::new(&model);
    let export = Export::new(&input, ExportFormat::Glb, &options).ok()?;
    let mut glb = Vec::new();
    export.write_file(0, "out", &mut glb).unwrap();
    let end = 20 + u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    let document: Value = serde_json::from_slice(&glb[20..end]).unwrap();
    let items = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let primitives = items(&document["meshes"]).into_iter().flat_map(|mesh| items(&mesh["primitives"]));
    let accessors: BTreeSet<u64> =
        primitives.map(|primitive| primitive["attributes"]["POSITION"].as_u64().unwrap()).collect();
    Some(accessors.iter().map(|accessor| document["accessors"][*accessor as usize]["count"].as_u64().unwrap()).sum())
}

#[test]
fn counts_the_vertices_that_glb_has() {
    let real = std::env::var("MESHPEEK_CORPUS");
    for (folder, least) in [("data", 30), (real.as_deref().unwrap_or("data/unreal"), 4)] {
        let mut count = 0;
        for row in json(&meshpeek(&["ls", folder, "--gpu", "--json"]))["files"].as_array().unwrap() {
            let path = row["path"].as_str().unwrap();
            // The level of detail that `ls` describes may be one that the file lacks.
            if let Some(vertices) = glb_vertices(path).filter(|_| row["triangles"] != 0) {
                assert_eq!(row["gpu_vertices"], vertices, "{path}");
                count += 1;
            }
        }
        assert!(count >= least, "{count} of {folder}");
    }
}

#[test]
fn shared_vertices_are_counted_once_on_a_gpu() {
    let crate_row = &column(&["--where", "path ~ '*crate.ezm'"], "gpu_vertices")[0];
    assert_eq!(crate_row, 24, "two surfaces of one mesh share their vertices");
    assert_eq!(column(&["--where", "path ~ '*guard*'"], "gpu_vertices")[0], 26, "texture coordinates are split");
    // An index out of range has no size, and no column but those of the GPU needs the indices.
    let named = |columns: &str| column(&["--columns", columns, "--where", "path ~ '*cube_ms13*'"], "gpu_vertices");
    assert!(named("+materials")[0].is_null() && named("+gpu_vertices")[0] == 24);
}

#[test]
fn sorts_filters_limits_and_chooses_columns() {
    // A row without a value comes last in both orders, and a float is compared as it is printed.
    for order in ["seconds", "-seconds"] {
        let seconds = column(&["--sort", order], "seconds");
        let known = seconds.iter().take_while(|value| !value.is_null()).count();
        assert!(known >= 4 && seconds[known..].iter().all(Value::is_null), "{order}: {seconds:?}");
    }
    assert_eq!(column(&["--where", "seconds == 0.1"], "path").len(), 1);
    let triangles = column(&["--sort", "-triangles", "--where", "triangles > 20 && !rigged"], "triangles");
    let numbers: Vec<u64> = triangles.iter().map(|value| value.as_u64().unwrap()).collect();
    assert!(numbers.len() > 3 && numbers.iter().all(|number| *number > 20));
    assert!(numbers.is_sorted_by(|one, other| one >= other), "{numbers:?}");
    let output =
        printed(&["ls", "data", "--columns", "bones,path", "--sort", "-bones,path", "-n", "2", "--format", "csv"]);
    assert_eq!(output, "bones,path\n5,data/unigine/still_an11.anim\n5,data/unigine/wave_an10.anim\n");
    let output =
        printed(&["ls", "data/unigine", "-c", "+clip_names", "-n", "1", "--sort", "-clips", "--format", "jsonl"]);
    let row: Value = serde_json::from_str(&output).unwrap();
    assert_eq!((&row["schema"], row["clip_names"].is_array()), (&Value::from(1), true));
    let markdown = printed(&["ls", "data/ezmesh", "--columns", "path,triangles", "-n", "1", "--format", "md"]);
    assert_eq!(markdown, "| path | triangles |\n| --- | ---: |\n| data/ezmesh/crate.ezm | 12 |\n");
    assert_eq!(
        without_passed_by(&printed(&["ls", "data", "--where", "triangles > 1G"])),
        "0 meshes, 0 triangles, 0 B of files, 0 rigged\n"
    );
    for (arguments, part) in [
        (["--where", "triangle > 3"], "expected a column, found triangle"),
        (["--sort", "nothing"], "expected a column, found nothing"),
        (["--columns", ""], "expected the name of a column"),
        (["--columns", "uv_sets"], "add --surfaces"),
    ] {
        let output = meshpeek(&["ls", "data", arguments[0], arguments[1]]);
        let message = text(&output.stderr);
        assert!(code(&output) == 2 && message.contains(part) && message.contains(arguments[0]), "{message}");
    }
}

#[test]
fn the_surfaces_of_all_levels_have_a_level() {
    for (path, levels) in [
        ("data/secondlife/arm.llmesh", ["high_lod", "medium_lod", "low_lod", "lowest_lod"].as_slice()),
        ("data/unigine/tree_ms12.mesh", &["0", "1"]),
    ] {
        let csv = printed(&["ls", path, "--surfaces", "--lod", "all", "-f", "csv"]);
        let mut rows = csv.lines().map(|row| row.split(',').collect::<Vec<_>>());
        assert_eq!(rows.next().unwrap()[..3], ["path", "lod", "surface"], "{csv}");
        let found: BTreeSet<&str> = rows.map(|row| row[1]).filter(|lod| !lod.is_empty()).collect();
        assert_eq!(found, levels.iter().copied().collect(), "{csv}");
    }
}

#[test]
fn surfaces_are_rows() {
    let rows = json(&meshpeek(&["ls", "data/unigine/room_ms11.mesh", "data/unreal/guard", "--surfaces", "--json"]));
    let names: Vec<&str> = rows["files"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["floor", "лампа", "box", "JGuard", "JGuard", "JLid", "JLid", "JGuard"]);
    assert_eq!(rows["totals"]["surfaces"], 8);
    let lids = printed(&["ls", "data", "--surfaces", "--where", "material == 'JLid'", "--format", "csv"]);
    assert_eq!(lids.lines().count(), 3);
}

#[test]
fn findings_and_duplicates_are_found_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let cube = bytes("cube_ms13");
    let map = json(&meshpeek(&["map", &sample("cube_ms13"), "--json"]));
    let positions =
        map["regions"].as_array().unwrap().iter().find(|one| one["name"] == "surface[0].target[0].positions");
    let start = usize::try_from(positions.unwrap()["start"].as_u64().unwrap()).unwrap();
    let mut moved = cube.clone();
    moved[start..start + 4].copy_from_slice(&1.25_f32.to_le_bytes());
    let trailing = [cube.clone(), vec![7; 9]].concat();
    for (name, bytes) in [
        ("a.mesh", &cube),
        ("b.mesh", &cube),
        ("c.mesh", &moved),
        ("d.mesh", &trailing),
        ("e.mesh", &cube[..90].to_vec()),
    ] {
        fs::write(path(name), bytes).unwrap();
    }
    let run = |arguments: &[&str]| command(arguments).current_dir(folder.path()).output().unwrap();
    let output = run(&["ls", "--columns", "path,findings,readable", "--format", "csv"]);
    assert_eq!(code(&output), 3);
    let expected =
        "path,findings,readable\na.mesh,0,true\nb.mesh,0,true\nc.mesh,2,true\nd.mesh,1,true\ne.mesh,,false\n";
    assert_eq!(text(&output.stdout), expected);
    assert!(text(&output.stderr).contains("e.mesh"));
    let broken =
        run(&["ls", "--where", "findings > 0 || !readable", "--columns", "path", "--format", "csv", "--quiet"]);
    assert_eq!(text(&broken.stdout), "path\nc.mesh\nd.mesh\ne.mesh\n");
    let same = run(&["ls", "--duplicates", "--json"]);
    let rows = json(&same);
    assert_eq!(rows["files"].as_array().unwrap().len(), 2);
    assert_eq!((&rows["files"][1]["duplicate_of"], &rows["totals"]["duplicates"]), (&"a.mesh".into(), &1.into()));
    let similar = json(&run(&["ls", "--duplicates=topology", "--json"]));
    assert_eq!(similar["files"].as_array().unwrap().len(), 4);
    let twice = json(&run(&["ls", ".", "a.mesh", "./a.mesh", "--duplicates", "--json"]));
    assert_eq!(twice["files"].as_array().unwrap().len(), 2, "a file is no duplicate of itself");
    let totals = json(&run(&["ls", "--json", "--columns", "findings"]))["totals"].clone();
    assert_eq!((&totals["meshes"], &totals["unreadable"]), (&4.into(), &1.into()));
}

#[test]
fn what_is_not_known_is_null() {
    let none = json(&meshpeek(&["ls", "data/secondlife/arm.llmesh", "--lod", "none", "--json"]));
    for name in ["triangles", "vertices", "gpu_vertices", "bones", "rigged", "surfaces"] {
        assert!(none["files"][0][name].is_null(), "{name}: {none}");
    }
    assert!(none["totals"]["duplicates"].is_null() && none["totals"]["with_findings"].is_null());
    let info = text(&meshpeek(&["info", "data/secondlife/arm.llmesh", "--lod", "none"]).stdout);
    assert!(info.contains("size       not inflated\n") && info.contains("rigged     not inflated\n"), "{info}");
    assert!(!info.contains("triangles  0") && !info.contains("GPU"), "{info}");
    // A file that cannot be read has the requested fields, and is no mesh.
    let (_folder, cut) = scratch("cut.mesh", &bytes("cube_ms13")[..90]);
    let output = meshpeek(&["ls", &cut, "--json", "--columns", "path,readable,bytes"]);
    let document = json(&output);
    let row = &document["files"][0];
    assert!(row["readable"] == false && row["bytes"].is_null() && row["error"]["kind"].is_string(), "{row}");
    assert_eq!((&document["totals"]["meshes"], &document["totals"]["unreadable"]), (&0.into(), &1.into()));
    assert!(output.stderr.is_empty(), "the error is in the document");
}

#[test]
fn assets_of_a_container_are_different_meshes() {
    let rows = json(&meshpeek(&["ls", "data/secondlife/model.slm", "--surfaces", "--json"]))["files"].clone();
    assert_eq!((&rows[0]["asset"], &rows[1]["asset"]), (&0.into(), &1.into()));
    let same = printed(&["ls", "data/secondlife", "--duplicates=topology", "--columns", "path", "--format", "csv"]);
    assert!(same.contains("grid.llmesh") && !same.contains("model.slm"), "{same}");
}

#[test]
fn names_from_files_are_escaped_in_every_format() {
    let evil = [compact(10), b"=1|<b>\x1b[2J".to_vec()].concat();
    let evil = spoil(&bytes("cube_ms13"), "surface[0].name", &evil);
    let (_folder, path) = scratch("a|b\u{202e}.mesh", &evil);
    for format in ["table", "csv", "md", "json", "jsonl"] {
        let output = printed(&["ls", &path, "--surfaces", "--format", format]);
        assert!(!output.contains(['\u{1b}', '\u{202e}']), "{format}: {output}");
        assert!(!output.contains(",=1") && (format != "md" || !output.contains("<b>")), "{format}: {output}");
    }
    let csv = printed(&["ls", &path, "--surfaces", "--columns", "name", "--format", "csv"]);
    assert_eq!(csv, "name\n'=1|<b>\\u{1b}[2J\n");
}

#[test]
fn an_empty_or_missing_folder_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let output = command(&["ls"]).current_dir(folder.path()).output().unwrap();
    assert!(code(&output) == 3 && text(&output.stderr).contains("no mesh in this folder"));
    let output = meshpeek(&["ls", "no such folder", "--json"]);
    assert_eq!(code(&output), 3);
    let files = json(&output)["files"].clone();
    assert!(files[0]["path"] == "no such folder" && files[0]["error"]["kind"].is_string(), "{files}");
    assert_eq!(code(&meshpeek(&["ls", &sample("cube_ms13"), "--json", "--format", "csv"])), 2);
}

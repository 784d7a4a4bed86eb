//! Tests of what people run in CI and over folders: conditions that fail a build, rules about
//! unreadable files, JUnit reports, lists of files, sums of folders and threads.

use std::fs;
use std::io::Write as _;
use std::process::{Output, Stdio};

use crate::support::unigine::builder;
use meshpeek::unigine::Generation;
use serde_json::{Value, json};

use crate::{bytes, code, command, json as parsed, meshpeek, text};

/// A folder with a sound mesh, a skinned one, an animation, and one mesh that is cut.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        for inner in ["a", "b"] {
            fs::create_dir(folder.0.path().join(inner)).unwrap();
        }
        folder.write("a/cube.mesh", &bytes("cube_ms13"));
        folder.write("a/skin.mesh", &bytes("skinned_ms12"));
        folder.write("b/bend.anim", &fs::read("data/unigine/bend_an10.anim").unwrap());
        folder.write("b/cut.mesh", &bytes("cube_ms13")[..300]);
        folder
    }

    fn write(&self, name: &str, content: &[u8]) {
        fs::write(self.0.path().join(name), content).unwrap();
    }

    fn run(&self, arguments: &[&str]) -> Output {
        command(arguments).current_dir(self.0.path()).output().unwrap()
    }

    /// Runs a command, and returns its standard output and its standard error.
    fn ends(&self, expected: i32, arguments: &[&str]) -> (String, String) {
        let output = self.run(arguments);
        assert_eq!(code(&output), expected, "{arguments:?}: {}", text(&output.stderr));
        (text(&output.stdout), text(&output.stderr))
    }
}

#[test]
fn a_row_that_meets_the_condition_fails() {
    let folder = Folder::new();
    let (out, error) = folder.ends(1, &["ls", "a", "-n", "0", "--fail-if", "triangles > 5 && !rigged"]);
    assert_eq!(out, "2 meshes, 24 triangles, 1.55 KB of files, 1 rigged\n");
    assert_eq!(error, "error: --fail-if: 1 file meets the condition triangles > 5 && !rigged: a/cube.mesh\n");
    // The rows are printed as usual in every format, and --where limits what is tested.
    for format in ["table", "csv", "md", "json", "jsonl", "paths"] {
        let arguments = ["ls", "a", "--format", format];
        let (out, _) = folder.ends(1, &[&arguments[..], &["--fail-if", "triangles > 5"]].concat());
        assert_eq!(out, folder.ends(0, &arguments).0, "{format}");
        folder.ends(0, &[&arguments[..], &["--fail-if", "triangles > 5", "--where", "triangles < 5"]].concat());
        folder.ends(1, &[&arguments[..], &["--fail-if", "triangles > 5", "--sort", "-path"]].concat());
    }
    let (_, error) = folder.ends(1, &["ls", "a", "--surfaces", "--fail-if", "uv_sets >= 0 && vertices > 1"]);
    assert!(
        error.contains("2 surfaces meet the condition") && error.contains("a/cube.mesh surface 0, a/skin"),
        "{error}"
    );
    // The worst code wins.
    folder.ends(3, &["ls", ".", "--fail-if", "triangles > 5"]);
    folder.ends(1, &["ls", "a", "--by-folder", "--fail-if", "triangles > 5"]);
    assert!(folder.ends(2, &["ls", "a", "--fail-if", "triangle > 5"]).1.contains("--fail-if: expected a column"));
}

#[test]
fn levels_of_detail_have_budgets() {
    let lod = |condition: &str, more: &[&str]| {
        let arguments = [&["ls", "data", "--surfaces", "--json", "--where", condition], more].concat();
        parsed(&meshpeek(&arguments))["files"].as_array().unwrap().len()
    };
    let tree = "format == 'unigine' && lod ";
    assert!(lod(&format!("{tree}== 0"), &[]) > 0);
    // A surface of no level, or of all levels, is one of the most detailed level.
    assert_eq!(lod(&format!("{tree}== 0"), &[]), lod(&format!("{tree}<= 0"), &[]));
    assert!(lod(&format!("{tree}== null"), &[]) > 0 && lod(&format!("{tree}== 0 && lod == null"), &[]) > 0);
    // The condition is about all levels.
    assert_eq!(lod(&format!("{tree}== 1"), &[]), lod(&format!("{tree}== 1"), &["--lod", "all"]));
    assert!(lod(&format!("{tree}== 1"), &["--lod", "all"]) > 0);
    // The names of Second Life are numbers, too.
    assert!(lod("lod == 'high_lod'", &[]) > 0);
    assert_eq!(lod("lod == 'high_lod'", &[]), lod("format == 'secondlife' && lod == 0", &[]));
    assert_eq!(lod("lod ~ 'medium*'", &["--lod", "all"]), lod("format ~ 's*' && lod == 1", &["--lod", "all"]));
    let wrong = meshpeek(&["ls", "data", "--surfaces", "--where", "lod == true"]);
    assert!(text(&wrong.stderr).contains("lod is compared with a number or text in quotes"), "{wrong:?}");
}

#[test]
fn a_denied_condition_is_a_rule() {
    let folder = Folder::new();
    let deny = ["validate", "a", "--deny", "budget: triangles > 5 && !rigged", "--deny", "uv_sets == 1"];
    let (out, _) = folder.ends(1, &deny);
    assert!(
        out.starts_with("a/cube.mesh: 2 errors\n  error   DENY01  budget at byte 0: triangles is 12, rigged is false "),
        "{out}"
    );
    assert!(
        out.contains("(denied: triangles > 5 && !rigged)") && out.contains("surface[0].uv_sets == 1 at byte 0"),
        "{out}"
    );
    let sarif = folder.ends(1, &[&deny[..], &["--format", "sarif"]].concat()).0;
    let sarif: Value = serde_json::from_str(&sarif).unwrap();
    let run = &sarif["runs"][0];
    let results = run["results"].as_array().unwrap();
    assert!(results.iter().all(|result| result["ruleId"] == "DENY01" && result["level"] == "error"));
    let index = usize::try_from(results[0]["ruleIndex"].as_u64().unwrap()).unwrap();
    assert_eq!(run["tool"]["driver"]["rules"][index]["id"], "DENY01");
    assert!(
        folder.ends(1, &[&deny[..], &["--format", "github"]].concat()).0.contains("title=DENY01::budget at byte 0: ")
    );
    let found = parsed(&folder.run(&[&deny[..], &["--json"]].concat()));
    assert_eq!(found["files"][0]["findings"][0]["region"], "budget");
    // A baseline has the name, and the rule need not be selected.
    folder.ends(0, &[&deny[..], &["--write-baseline", "known.json"]].concat());
    folder.ends(0, &[&deny[..], &["--baseline", "known.json"]].concat());
    folder.ends(1, &[&deny[..], &["--select", "UG"]].concat());
    folder.ends(0, &[&deny[..], &["--ignore", "DENY01"]].concat());
    folder.ends(0, &["validate", "a", "--deny", "triangles > 12"]);
    let (_, error) = folder.ends(2, &["validate", "a", "--deny", "lod == 0 && bones > 5"]);
    assert_eq!(error, "error: --deny: bones is a column of meshes, and other columns are those of surfaces\n");
    assert!(
        folder.ends(2, &["validate", "a", "--deny", "budget: x > 5"]).1.contains("--deny: expected a column, found x")
    );
}

#[test]
fn an_unreadable_file_is_a_finding() {
    let folder = Folder::new();
    folder.write("b/text.mesh", b"no mesh at all");
    let (out, error) = folder.ends(3, &["validate", "b", "none.mesh"]);
    assert_eq!(error.matches("(rule IO01)\n").count(), 3, "{error}");
    assert!(
        out.ends_with("4 files: 1 sound, 0 with warnings or errors, 3 unreadable; 4 errors, 0 warnings, 0 infos\n"),
        "{out}"
    );
    let document = parsed(&folder.run(&["validate", "b", "none.mesh", "--json"]));
    for file in document["files"].as_array().unwrap() {
        let findings = file["findings"].as_array().unwrap();
        let found = findings.iter().filter(|finding| finding["rule"] == "IO01").count();
        assert_eq!(found, usize::from(file["error"].is_object()), "{file}");
        if found == 1 {
            let finding = findings.iter().find(|finding| finding["rule"] == "IO01").unwrap();
            assert_eq!((&finding["region"], &finding["severity"]), (&file["error"]["field"], &json!("error")));
            assert!(finding["text"].as_str().unwrap().starts_with("the file cannot be read: "), "{finding}");
        }
    }
    let sarif: Value = serde_json::from_str(&folder.ends(3, &["validate", "b", "--format", "sarif"]).0).unwrap();
    let run = &sarif["runs"][0];
    assert!(run["tool"]["driver"]["rules"].as_array().unwrap().iter().any(|rule| rule["id"] == "IO01"));
    let uris: Vec<&Value> = run["results"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|result| result["ruleId"] == "IO01")
        .map(|result| &result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"])
        .collect();
    assert_eq!(uris, ["b/cut.mesh", "b/text.mesh"]);
    assert_eq!(folder.ends(3, &["validate", "b", "-l"]).0, "b/cut.mesh\nb/text.mesh\n");
    // Filters leave out the finding, but only a request for it leaves out the failure.
    folder.ends(3, &["validate", "b", "--select", "UG"]);
    folder.ends(0, &["validate", "b", "--ignore", "IO,UG"]);
    assert_eq!(folder.ends(0, &["validate", "b/text.mesh", "-l", "--ignore", "IO01"]).0, "");
    // A baseline that has the finding is the other way.
    folder.ends(0, &["validate", "b", "--write-baseline", "known.json"]);
    let (out, error) = folder.ends(0, &["validate", "b", "--baseline", "known.json"]);
    assert!(!error.contains("error:") && out.starts_with("3 files: 1 sound, "), "{out}{error}");
    let sarif: Value =
        serde_json::from_str(&folder.ends(0, &["validate", "b", "--baseline", "known.json", "--format", "sarif"]).0)
            .unwrap();
    assert_eq!(sarif["runs"][0]["invocations"][0]["executionSuccessful"], true);
    folder.write("b/new.mesh", &bytes("cube_ms13")[..200]);
    folder.ends(3, &["validate", "b", "--baseline", "known.json"]);
    // A wrong command line is no finding.
    let refused = parsed(&meshpeek(&["validate", "data/unreal/guard", "--mesh", "nobody", "--json"]));
    assert!(!refused.to_string().contains("IO01\""), "{refused}");
}

/// Returns the test cases of a report, each with its attributes and its first child.
fn cases(report: &str) -> Vec<[String; 4]> {
    let document = roxmltree::Document::parse(report).unwrap();
    let root = document.root_element();
    let suite = root.first_element_child().unwrap();
    assert_eq!((root.tag_name().name(), suite.tag_name().name()), ("testsuites", "testsuite"));
    let cases = suite.children().filter(roxmltree::Node::is_element);
    let all: Vec<[String; 4]> = cases
        .map(|case| {
            assert_eq!(case.tag_name().name(), "testcase");
            let child = case.first_element_child();
            [
                case.attribute("classname").unwrap().to_owned(),
                case.attribute("name").unwrap().to_owned(),
                child.map_or_else(String::new, |child| child.tag_name().name().to_owned()),
                child.map_or_else(String::new, |child| child.text().unwrap_or_default().to_owned()),
            ]
        })
        .collect();
    for (attribute, kind) in [("failures", "failure"), ("errors", "error")] {
        let count = all.iter().filter(|case| case[2] == kind).count();
        assert_eq!(suite.attribute(attribute), Some(&*count.to_string()), "{attribute}");
    }
    assert_eq!(suite.attribute("tests"), Some(&*all.len().to_string()));
    all
}

#[test]
fn junit_has_a_case_for_each_file() {
    let folder = Folder::new();
    folder.write("a/odd \u{1}<&\"'>.mesh", &[bytes("cube_ms13"), vec![1, 2, 3]].concat());
    let report = folder.ends(3, &["validate", ".", "--format", "junit"]).0;
    let all = cases(&report);
    assert_eq!(all.len(), 5);
    let case = |name: &str| all.iter().find(|case| case[1].starts_with(name)).unwrap();
    assert_eq!(case("cube.mesh")[..3], ["a", "cube.mesh", ""]);
    let odd = case("odd ");
    assert!(
        odd[1] == "odd \\u{1}<&\"'>.mesh" && odd[2] == "failure" && odd[3].starts_with("warning UG24: end"),
        "{odd:?}"
    );
    let cut = case("cut.mesh");
    assert_eq!((&*cut[0], &*cut[2]), ("b", "error"));
    let rules: Vec<&str> = cut[3].lines().map(|line| &line[..10]).collect();
    assert_eq!(rules, ["error UG02", "error IO01"]);
    let remarks = folder.ends(3, &["validate", ".", "--format", "junit", "-q"]).0;
    assert_eq!(cases(&remarks).len(), 5);
    let info = text(&meshpeek(&["validate", "data/secondlife/quad.llmesh", "--format", "junit"]).stdout);
    assert_eq!(cases(&info)[0][2], "system-out");
    assert!(code(&folder.run(&["validate", ".", "--format", "junit", "--json"])) == 2);
}

#[test]
fn sound_files_are_silent() {
    let folder = Folder::new();
    let totals = "2 files: 2 sound, 0 with warnings or errors, 0 unreadable; 0 errors, 0 warnings, 0 infos\n";
    assert_eq!(folder.ends(0, &["validate", "a"]).0, totals);
    assert_eq!(folder.ends(0, &["validate", "a/cube.mesh", "a/skin.mesh"]).0, totals);
    let listed = format!("a/cube.mesh: no findings\na/skin.mesh: no findings\n{totals}");
    assert_eq!(folder.ends(0, &["validate", "a", "-v"]).0, listed);
    assert_eq!(folder.ends(0, &["validate", "a/cube.mesh"]).0, "a/cube.mesh: no findings\n");
    let one = "1 file: 1 sound, 0 with warnings or errors, 0 unreadable; 0 errors, 0 warnings, 0 infos\n";
    assert_eq!(folder.ends(0, &["validate", "a/c*.mesh"]).0, one);
}

#[test]
fn meshes_and_animations_are_counted_apart() {
    let folder = Folder::new();
    let (out, _) = folder.ends(3, &["ls", "."]);
    assert!(out.ends_with("2 meshes, 1 animation, 24 triangles, 1.81 KB of files, 1 rigged, 1 unreadable\n"), "{out}");
    let rows = parsed(&folder.run(&["ls", "--json", "--sort", "path"]));
    let kinds: Vec<&Value> = rows["files"].as_array().unwrap().iter().map(|row| &row["kind"]).collect();
    assert_eq!(
        kinds,
        ["mesh", "mesh", "animation", "null"]
            .map(|kind| if kind == "null" { json!(null) } else { json!(kind) })
            .iter()
            .collect::<Vec<_>>()
    );
    // The current folder is no part of the paths if nothing names it.
    assert_eq!(rows["files"][0]["path"], "a/cube.mesh");
    let totals = &rows["totals"];
    assert_eq!([&totals["meshes"], &totals["animations"], &totals["scenes"]], [&json!(2), &json!(1), &json!(0)]);
    let (out, _) =
        folder.ends(0, &["ls", "a", "b/bend.anim", "--where", "kind == 'animation'", "-c", "path,frames,rigged"]);
    assert!(out.contains("b/bend.anim       3  no"), "{out}");
    assert!(out.ends_with("\n\n1 animation, 0 triangles, 254 B of files, 0 rigged\n"), "{out}");
    assert_eq!(parsed(&folder.run(&["info", "b/bend.anim", "--json"]))["files"][0]["kind"], "animation");
    let frames = parsed(&meshpeek(&["ls", "data/unreal/box_d.3d", "--json"]))["files"][0]["frames"].clone();
    assert_eq!(frames, 8);
}

#[test]
fn bones_without_weights_do_not_rig_a_mesh() {
    let folder = Folder::new();
    let bones = vec![builder::Bone { name: "root".to_owned(), parent: -1, ..Default::default() }];
    let mesh = builder::Mesh { bones, ..builder::Mesh::new(Generation::Ms12) };
    folder.write("bones.mesh", &mesh.to_bytes().unwrap());
    let row = parsed(&folder.run(&["ls", "bones.mesh", "--json"]))["files"][0].clone();
    assert_eq!((&row["bones"], &row["rigged"]), (&json!(1), &json!(false)));
    assert!(folder.ends(0, &["info", "bones.mesh"]).0.contains("  rigged     no; 1 bone without weights\n"));
}

#[test]
fn folders_have_sums() {
    let folder = Folder::new();
    let table = "\
folder  meshes  animations  triangles  vertices    bytes  unreadable
a            2           0         24        16  1.55 KB           0
b            0           1          0         0    254 B           1

2 folders: 2 meshes, 1 animation, 24 triangles, 1.81 KB of files, 1 rigged, 1 unreadable
";
    assert_eq!(folder.ends(3, &["ls", "--by-folder"]).0, table);
    let csv = "folder,meshes,animations,triangles,vertices,bytes,unreadable\nb,0,1,0,0,254,1\n";
    assert_eq!(folder.ends(3, &["ls", "--by-folder", "-f", "csv", "--sort", "-unreadable,bytes", "-n", "1"]).0, csv);
    let md = folder.ends(3, &["ls", "--by-folder", "-f", "md"]).0;
    assert_eq!(md.lines().nth(2), Some("| a | 2 | 0 | 24 | 16 | 1.55 KB | 0 |"));
    let json = parsed(&folder.run(&["ls", "--by-folder", "--json"]));
    assert_eq!(json["folders"][0]["bytes"], 1552);
    let lines = folder.ends(3, &["ls", "--by-folder", "-f", "jsonl"]).0;
    let first: Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    assert_eq!((&first["schema"], &first["folder"]), (&json!(1), &json!("a")));
    assert!(folder.ends(2, &["ls", "--by-folder", "--sort", "bones"]).1.contains("the columns are folder, meshes"));
    folder.ends(2, &["ls", "--by-folder", "--surfaces"]);
}

#[test]
fn plain_lists_are_written_and_read() {
    let folder = Folder::new();
    folder.write("a/two\nlines.mesh", &bytes("cube_ms13"));
    assert_eq!(folder.ends(0, &["ls", "a", "-1"]).0, "a/cube.mesh\na/skin.mesh\na/two\\u{a}lines.mesh\n");
    assert_eq!(folder.ends(0, &["ls", "a", "--format", "paths", "--surfaces", "-w", "weights"]).0, "a/skin.mesh\n");
    let (listed, _) = folder.ends(0, &["ls", "a", "-0"]);
    assert_eq!(listed, "a/cube.mesh\0a/skin.mesh\0a/two\nlines.mesh\0");
    for wrong in [&["-1", "--json"][..], &["-0", "--format", "csv"]] {
        folder.ends(2, &[&["ls", "a"], wrong].concat());
    }
    folder.write("list.txt", listed.as_bytes());
    for verb in ["ls", "info", "validate"] {
        let document = parsed(&folder.run(&[verb, "--files-from", "list.txt", "--json"]));
        assert_eq!(document["files"].as_array().unwrap().len(), 3, "{verb}");
    }
    folder.ends(0, &["convert", "--files-from", "list.txt", "--to", "glb", "-o", "out"]);
    assert!(folder.0.path().join("out/skin.glb").exists());
    // Standard input is a list, too, and an empty one names no file.
    for (list, count) in [("a/cube.mesh\r\na/skin.mesh\n", 2), ("", 0)] {
        let mut child = command(&["validate", "--files-from", "-", "--json"]);
        let child = child.current_dir(folder.0.path()).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = child.unwrap();
        child.stdin.take().unwrap().write_all(list.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!((code(&output), &parsed(&output)["totals"]["files"]), (0, &json!(count)));
    }
    folder.write("empty.txt", b"\n");
    folder.ends(3, &["convert", "--files-from", "empty.txt", "--to", "glb", "-o", "none"]);
    folder.write("wrong.txt", b"\xff\xfea\0/\0");
    assert!(folder.ends(3, &["info", "--files-from", "wrong.txt"]).1.contains("found UTF-16"));
    folder.ends(3, &["info", "--files-from", "none.txt"]);
    folder.ends(2, &["info", "-", "--files-from", "-"]);
}

#[test]
fn conditions_choose_the_meshes_of_other_verbs() {
    let folder = Folder::new();
    fs::remove_file(folder.0.path().join("b/cut.mesh")).unwrap();
    let only = ["--where", "rigged"];
    for verb in ["info", "validate"] {
        let document = parsed(&folder.run(&[&[verb, ".", "--json"], &only[..]].concat()));
        let files = document["files"].as_array().unwrap();
        assert_eq!((files.len(), &files[0]["path"]), (1, &json!("./a/skin.mesh")), "{verb}");
        folder.ends(0, &[verb, ".", "--where", "triangles > 99"]);
    }
    folder.ends(0, &[&["convert", ".", "--to", "glb", "-o", "out"], &only[..]].concat());
    let mut written: Vec<_> =
        fs::read_dir(folder.0.path().join("out/a")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!((written.pop().unwrap(), written.len()), ("skin.glb".into(), 0));
    folder.ends(0, &[&["view", ".", "-o", "sheet.png", "--size", "16", "--json"], &only[..]].concat());
    folder.ends(0, &[&["view", ".", "-o", "page.html", "--size", "16"], &only[..]].concat());
    for arguments in [
        &["convert", ".", "--to", "glb", "-o", "none"][..],
        &["view", ".", "-o", "n.png"],
        &["view", ".", "-o", "n.html"],
    ] {
        let (_, error) = folder.ends(3, &[arguments, &["--where", "triangles > 99"]].concat());
        assert!(error.contains("--where: no mesh meets the condition"), "{error}");
    }
    for left in ["n.png", "n.html", "none/a"] {
        assert!(!folder.0.path().join(left).exists(), "{left}");
    }
    assert!(
        folder.ends(2, &["view", ".", "-o", "n.png", "--where", "x"]).1.contains("--where: expected a column, found x")
    );
}

#[test]
fn every_verb_limits_its_threads() {
    let folder = Folder::new();
    for verb in ["ls", "info", "validate"] {
        let all = folder.run(&[verb, "a", "--json"]).stdout;
        for jobs in ["1", "3"] {
            assert_eq!(folder.run(&[verb, "a", "--json", "--jobs", jobs]).stdout, all, "{verb} {jobs}");
        }
    }
    for wrong in ["0", "-1", "1025", "x"] {
        let (_, error) = folder.ends(2, &["ls", "a", &format!("--jobs={wrong}")]);
        assert!(error.contains("--jobs"), "{error}");
    }
}

#[test]
fn a_change_of_the_dialect_is_listed() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("modern.ezm").to_str().unwrap().to_owned();
    let arguments = ["rewrite", "data/ezmesh/legacy.ezm", "-o", &output, "--allow-loss", "--force"];
    let listed = "  changed the dialect: the root element is MeshSystem, and was Mesh\n";
    assert!(text(&meshpeek(&arguments).stdout).contains(listed));
    let document = parsed(&meshpeek(&[&arguments[..], &["--json"]].concat()));
    assert_eq!(document["dialect"], json!({ "from": "Mesh", "to": "MeshSystem" }));
    let same = parsed(&meshpeek(&["rewrite", "data/ezmesh/flag.ezm", "-o", &output, "--force", "--json"]));
    assert!(same.get("dialect").is_none());
}

#[test]
fn a_clip_without_frames_is_left_out_aloud() {
    let folder = Folder::new();
    let clip = builder::Animation { name: "still".to_owned(), ..Default::default() };
    let surfaces = vec![crate::support::unigine::cube("cube", 0.5)];
    let mesh = builder::Mesh { animations: vec![clip], surfaces, ..builder::Mesh::new(Generation::Ms12) };
    folder.write("still.mesh", &mesh.to_bytes().unwrap());
    let (_, error) = folder.ends(0, &["convert", "still.mesh", "-o", "still.glb"]);
    assert!(error.contains("clip `still`, which has no frames"), "{error}");
}

#[test]
fn shells_and_manual_pages_know_the_values() {
    let bash = text(&meshpeek(&["completions", "bash"]).stdout);
    let after = |option: &str| {
        let verb = bash.split("        meshpeek__subcmd__ls)").nth(1).unwrap_or_else(|| panic!("no ls in {bash}"));
        verb.split(&format!("                {option})")).nth(1).unwrap().split(";;").next().unwrap().to_owned()
    };
    for option in ["--sort", "--columns", "-c", "--where", "--fail-if"] {
        assert!(
            after(option).contains("gpu_vertices") && !after(option).contains("compgen -f"),
            "{option}: {}",
            after(option)
        );
    }
    assert!(!after("--limit").contains("compgen -f"), "{}", after("--limit"));
    assert!(after("--files-from").contains("compgen -f"), "{}", after("--files-from"));
    let page = text(&meshpeek(&["man", "ls"]).stdout);
    let synopsis = page.split(".SH SYNOPSIS\n").nth(1).unwrap().lines().next().unwrap();
    for part in ["[\\fB\\-s\\fR|\\fB\\-\\-sort\\fR \\fICOLUMNS\\fR]", "[\\fB\\-\\-gpu\\fR]", "\\fIFOLDER\\fR...]"] {
        assert!(synopsis.contains(part), "{synopsis}");
    }
}

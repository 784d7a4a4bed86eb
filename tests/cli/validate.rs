//! Tests of `validate` as a part of a pipeline: totals, selection, explanations, formats of the
//! report and baselines.

use std::fs;
use std::process::Output;

use serde_json::{Value, json};

use crate::{bytes, code, command, json as parsed, meshpeek, text};

#[test]
fn files_are_checked_in_order_on_any_number_of_processors() {
    let report = |jobs: &str, format: &str| {
        let output = meshpeek(&["validate", "data", "tests", "-v", "--jobs", jobs, "--format", format]);
        (code(&output), text(&output.stdout), text(&output.stderr))
    };
    for format in ["text", "json", "sarif"] {
        let alone = report("1", format);
        assert!(format == "sarif" || alone.1.contains("guard") && alone.1.contains("Toys"), "{alone:?}");
        assert_eq!(report("4", format), alone, "{format}");
    }
}

/// A folder with a sound mesh, a mesh with a warning, and one that is cut.
struct Folder(tempfile::TempDir);

const ALL: [&str; 3] = ["sound.mesh", "odd.mesh", "cut.mesh"];
const ODD: &str = "  warning UG24  end at byte 665: 3 bytes after the closing magic, in no field\n";
const TOTALS: &str = "3 files: 1 sound, 1 with warnings or errors, 1 unreadable; 2 errors, 1 warning, 0 infos\n";

impl Folder {
    fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        folder.write("sound.mesh", &bytes("cube_ms13"));
        folder.write("odd.mesh", &odd());
        folder.write("cut.mesh", &bytes("cube_ms13")[..300]);
        folder
    }

    fn write(&self, name: &str, content: &[u8]) {
        fs::write(self.0.path().join(name), content).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.path().join(name)).unwrap()
    }

    /// Runs `validate` in the folder.
    fn run(&self, arguments: &[&str]) -> Output {
        command(&[&["validate"], arguments].concat()).current_dir(self.0.path()).output().unwrap()
    }

    /// Runs `validate`, and returns its standard output.
    fn prints(&self, expected: i32, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert_eq!(code(&output), expected, "{arguments:?}: {}", text(&output.stderr));
        text(&output.stdout)
    }

    /// Runs `validate`, which refuses the command line or a file, and returns the error.
    fn refuses(&self, expected: i32, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert_eq!(code(&output), expected, "{arguments:?}: {}", text(&output.stderr));
        // With --json, the error is a document, too.
        let printed = text(&output.stdout);
        assert!(printed.is_empty() || printed.contains("\"error\": {"), "{arguments:?}: {printed}");
        text(&output.stderr)
    }
}

/// Returns the bytes of a mesh with three bytes after its end.
fn odd() -> Vec<u8> {
    [bytes("cube_ms13"), vec![1, 2, 3]].concat()
}

#[test]
fn counts_files_and_findings() {
    let folder = Folder::new();
    let expected = format!(
        "odd.mesh: 1 warning\n{ODD}cut.mesh: 2 errors\n  error   UG02  \
         surface[0].target[0].tangents at byte 199: expected 192 bytes for 24 items of 8 bytes or more, found 101\n{TOTALS}"
    );
    assert_eq!(folder.prints(3, &ALL), expected);
    let totals = |arguments: &[&str]| parsed(&folder.run(arguments))["totals"].clone();
    let expected = json!({ "files": 3, "sound": 1, "with_findings": 1, "unreadable": 1, "errors": 2, "warnings": 1, "infos": 0, "passed_by": 0 });
    assert_eq!(totals(&[&ALL[..], &["--json"]].concat()), expected);
    assert_eq!(folder.prints(0, &["sound.mesh"]), "sound.mesh: no findings\n");
    assert_eq!(folder.prints(1, &["sound.mesh", "odd.mesh", "-q"]), format!("odd.mesh: 1 warning\n{ODD}"));
    let infos = meshpeek(&["validate", "data/secondlife/quad.llmesh", "data/secondlife/arm.llmesh"]);
    let last = "2 files: 2 sound, 0 with warnings or errors, 0 unreadable; 0 errors, 0 warnings, 2 infos\n";
    assert!(text(&infos.stdout).ends_with(last) && code(&infos) == 0, "{}", text(&infos.stdout));
}

#[test]
fn lists_the_files_with_findings() {
    let folder = Folder::new();
    assert_eq!(folder.prints(3, &[&ALL[..], &["-l"]].concat()), "odd.mesh\ncut.mesh\n");
    assert_eq!(folder.prints(0, &["-l", "sound.mesh"]), "");
    assert_eq!(folder.prints(3, &[&ALL[..], &["-l", "-0"]].concat()), "odd.mesh\0cut.mesh\0");
    assert_eq!(folder.prints(3, &["-l", "--ignore", "UG", "--select", "UG,SL", "cut.mesh"]), "cut.mesh\n");
    for wrong in [&["-0", "odd.mesh"][..], &["-l", "--json", "odd.mesh"], &["-l", "--format", "sarif", "odd.mesh"]] {
        folder.refuses(2, wrong);
    }
    // A script with several meshes is one file.
    for name in ["Classes/Toys.uc", "Models/Ball_a.3d", "Models/Ball_d.3d", "Models/Top_a.3D", "Models/Top_d.3D"] {
        let content = fs::read(format!("data/unreal/Toys/{name}")).unwrap();
        fs::create_dir_all(folder.0.path().join(name).parent().unwrap()).unwrap();
        folder.write(name, &if name.ends_with('c') { content } else { [content, vec![0; 5]].concat() });
    }
    assert_eq!(folder.prints(1, &["Classes/Toys.uc"]).matches("Classes/Toys.uc mesh ").count(), 2);
    assert_eq!(folder.prints(1, &["-l", "Classes/Toys.uc"]), "Classes/Toys.uc\n");
}

#[cfg(unix)]
#[test]
fn names_of_files_are_escaped_or_ended_by_a_nul() {
    let folder = Folder::new();
    let odd_name = "a\u{1b}[31m\nb.mesh";
    folder.write(odd_name, &odd());
    assert_eq!(folder.prints(1, &["-l", odd_name]), "a\\u{1b}[31m\\u{a}b.mesh\n");
    assert_eq!(folder.prints(1, &["-l", "-0", odd_name]), format!("{odd_name}\0"));
    let github = folder.prints(1, &["--format", "github", odd_name]);
    assert!(github.starts_with("::warning file=a\u{fffd}[31m%0Ab.mesh,title=UG24::end at byte 665"), "{github}");
    let sarif: Value = serde_json::from_str(&folder.prints(1, &["--format", "sarif", odd_name])).unwrap();
    let place = &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "a%1B%5B31m%0Ab.mesh");
}

#[test]
fn rules_are_selected_and_ignored() {
    let folder = Folder::new();
    let shown = format!("odd.mesh: 1 warning\n{ODD}");
    for kept in [&["--select", "ug24"][..], &["--select", "SL1,UG2"], &["--ignore", "UG12"], &["--severity", "warning"]]
    {
        assert_eq!(folder.prints(1, &[kept, &["odd.mesh"]].concat()), shown, "{kept:?}");
    }
    for left_out in [
        &["--select", "SL"][..],
        &["--ignore", "Ug24"],
        &["--severity", "error"],
        &["--select", "UG", "--ignore", "UG2"],
        &["--select", "UG01", "--select", "UG02"],
    ] {
        assert_eq!(folder.prints(0, &[left_out, &["odd.mesh"]].concat()), "odd.mesh: no findings\n", "{left_out:?}");
        folder.prints(3, &[left_out, &["cut.mesh"]].concat());
    }
    let rules = folder.prints(0, &["--rules", "--select", "EZ4", "--severity", "warning"]);
    assert_eq!(rules.lines().map(|line| &line[..4]).collect::<Vec<_>>(), ["EZ41", "EZ42", "EZ43", "EZ45"]);
    for wrong in ["UG99", "", "UG24,", "X", "UG24x", "--rules"] {
        for option in ["--select", "--ignore", "--explain"] {
            let error = folder.refuses(2, &[&format!("{option}={wrong}")]);
            assert!(error.contains("`meshpeek validate --rules` lists all"), "{error}");
        }
    }
    let error = folder.refuses(2, &["--select", "UG24", "--ignore", "UG", "odd.mesh"]);
    assert!(error.contains("--select and --ignore leave no rule"), "{error}");
    assert!(folder.refuses(2, &["--severity", "fatal", "odd.mesh"]).contains("info, warning, error"));
}

#[test]
fn every_rule_is_explained() {
    let folder = Folder::new();
    let expected = "\
UG24  warning  unigine
  rule  Nothing follows the closing magic number.
  why   No field refers to these bytes. They may be the rest of an older, longer file, or come
        from a damaged copy.
  mend  `meshpeek rewrite FILE -o OUT --allow-loss` leaves the bytes out.
";
    assert_eq!(folder.prints(0, &["--explain", "ug24"]), expected);
    let rules = parsed(&folder.run(&["--rules", "--json"]));
    assert_eq!(parsed(&folder.run(&["--explain", "ALL", "--json"])), rules);
    let one = parsed(&folder.run(&["--explain", "UG24", "--format", "json"]));
    let mend = "`meshpeek rewrite FILE -o OUT --allow-loss` leaves the bytes out.";
    let why =
        "No field refers to these bytes. They may be the rest of an older, longer file, or come from a damaged copy.";
    let rule = json!({ "rule": "UG24", "severity": "warning", "format": "unigine", "mend": mend, "why": why,
                       "text": "Nothing follows the closing magic number." });
    assert_eq!(one, json!({ "schema": 1, "rules": [rule] }));
    let all = folder.prints(0, &["--explain", "all"]);
    for part in ["\n  rule  ", "\n  why   ", "\n  mend  "] {
        assert_eq!(all.matches(part).count(), 151, "{part}");
    }
    assert!(all.lines().all(|line| line.len() <= 96), "{all}");
    for wrong in [&["--explain", "UG24", "odd.mesh"][..], &["--explain", "UG24", "--format", "sarif"]] {
        folder.refuses(2, wrong);
    }
}

/// Follows the advice of rules that `rewrite` mends.
#[test]
fn rewriting_mends_a_file_as_explained() {
    let folder = Folder::new();
    let path = |name: &str| folder.0.path().join(name).to_str().unwrap().to_owned();
    assert_eq!(code(&meshpeek(&["rewrite", &path("odd.mesh"), "-o", &path("mended.mesh"), "--allow-loss"])), 0);
    assert_eq!(folder.prints(0, &["mended.mesh"]), "mended.mesh: no findings\n");
    assert!(folder.prints(0, &["--explain", "EZ31"]).contains("`meshpeek rewrite FILE -o OUT` writes the dialect"));
    let legacy = meshpeek(&["validate", "data/ezmesh/legacy.ezm"]);
    assert!(text(&legacy.stdout).contains("EZ31"));
    assert_eq!(code(&meshpeek(&["rewrite", "data/ezmesh/legacy.ezm", "-o", &path("modern.ezm"), "--allow-loss"])), 0);
    assert!(!folder.prints(0, &["modern.ezm"]).contains("EZ31"));
}

#[test]
fn a_report_has_one_format() {
    let folder = Folder::new();
    let expected = folder.prints(1, &["odd.mesh", "--json"]);
    assert_eq!(folder.prints(1, &["odd.mesh", "--format", "json"]), expected);
    assert_eq!(folder.prints(1, &["odd.mesh", "--format", "json", "--json"]), expected);
    for format in ["text", "sarif", "github"] {
        let error = folder.refuses(2, &["odd.mesh", "--format", format, "--json"]);
        assert!(error.contains("--json and --format name different formats"), "{error}");
    }
    assert!(folder.refuses(2, &["odd.mesh", "--format", "xml"]).contains("text, json, sarif, github"));
}

#[test]
fn sarif_has_results_rules_and_notifications() {
    let folder = Folder::new();
    fs::create_dir(folder.0.path().join("a b")).unwrap();
    folder.write("a b/100%,é.mesh", &odd());
    let output = folder.prints(3, &["./a b/100%,é.mesh", "cut.mesh", "sound.mesh", "--format", "sarif"]);
    let log: Value = serde_json::from_str(&output).unwrap();
    assert_eq!((&log["version"], log["runs"].as_array().unwrap().len()), (&json!("2.1.0"), 1));
    let run = &log["runs"][0];
    let driver = &run["tool"]["driver"];
    assert_eq!((&driver["name"], &driver["version"]), (&json!("meshpeek"), &json!(env!("CARGO_PKG_VERSION"))));
    let rules = driver["rules"].as_array().unwrap();
    assert_eq!(rules.len(), 151);
    let texts = ["shortDescription", "fullDescription", "help"];
    assert!(rules.iter().all(|rule| texts.iter().all(|text| rule[text]["text"].as_str().unwrap().len() > 10)));
    let levels = ["UG02", "UG24", "UG12"].map(|id| {
        let rule = rules.iter().find(|rule| rule["id"] == id).unwrap();
        rule["defaultConfiguration"]["level"].as_str().unwrap()
    });
    assert_eq!(levels, ["error", "warning", "note"]);
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), 3);
    let expected = json!({
        "ruleId": "UG24", "ruleIndex": 23, "level": "warning",
        "message": { "text": "end at byte 665: 3 bytes after the closing magic, in no field" },
        "locations": [{
            "physicalLocation": {
                "artifactLocation": { "uri": "a%20b/100%25%2C%C3%A9.mesh" },
                "region": { "byteOffset": 665, "byteLength": 3 },
            },
            "logicalLocations": [{ "fullyQualifiedName": "end" }],
        }],
    });
    assert_eq!(results[0], expected);
    assert_eq!(rules[23]["id"], "UG24");
    assert_eq!((&results[1]["level"], &results[2]["ruleId"]), (&json!("error"), &json!("IO01")));
    let invocation = &run["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    let notification = &invocation["toolExecutionNotifications"][0];
    assert!(notification["message"]["text"].as_str().unwrap().starts_with("cut.mesh: unigine ms13"));
    assert_eq!(notification["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "cut.mesh");
    assert_eq!(run["properties"]["totals"]["unreadable"], 1);
}

#[test]
fn sarif_names_the_file_and_the_mesh_of_each_result() {
    let log = parsed(&meshpeek(&["validate", "data", "--format", "sarif"]));
    let run = &log["runs"][0];
    let results = run["results"].as_array().unwrap();
    assert_eq!(run["properties"]["totals"]["infos"], results.len());
    assert_eq!((&run["invocations"][0]["executionSuccessful"]), &json!(true));
    for result in results {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(run["tool"]["driver"]["rules"][index]["id"], result["ruleId"]);
        let uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].as_str().unwrap();
        assert!(uri.starts_with("data/") && fs::metadata(uri).unwrap().is_file(), "{uri}");
    }
    let prototype = results.iter().find(|result| result["ruleId"] == "UR16").unwrap();
    let place = &prototype["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "data/unreal/prototype_a.3d");
    assert_eq!(place["region"], json!({ "byteOffset": 2, "byteLength": 2 }));
    assert!(results.iter().any(|result| result["properties"]["mesh"] == "SpinningTop"));
}

#[test]
fn github_annotates_files() {
    let folder = Folder::new();
    let expected = "\
::warning file=odd.mesh,title=UG24::end at byte 665: 3 bytes after the closing magic, in no field
::error file=cut.mesh,title=UG02::surface[0].target[0].tangents at byte 199: expected 192 bytes for 24 items of 8 bytes or more, found 101
";
    let printed = folder.prints(3, &[&ALL[..], &["--format", "github"]].concat());
    assert!(printed.starts_with(expected), "{printed}");
    let unreadable =
        "::error file=cut.mesh,title=IO01::surface[0].target[0].tangents at byte 199: the file cannot be read: ";
    assert!(printed.contains(unreadable) && printed.ends_with(TOTALS), "{printed}");
    let infos = ["validate", "data/secondlife/quad.llmesh", "--format", "github"];
    let printed = text(&meshpeek(&infos).stdout);
    assert!(
        printed.starts_with("::notice file=data/secondlife/quad.llmesh,title=SL37::header at byte 0: "),
        "{printed}"
    );
    assert_eq!(text(&meshpeek(&[&infos[..], &["-q"]].concat()).stdout), "");
    folder.write("a,b%.mesh", &odd());
    let printed = folder.prints(1, &["a,b%.mesh", "--format", "github"]);
    assert!(printed.starts_with("::warning file=a%2Cb%25.mesh,title=UG24::"), "{printed}");
}

const KNOWN: &str = "{
  \"schema\": 1,
  \"findings\": [
    {\"path\":\"cut.mesh\",\"rule\":\"IO01\",\"region\":\"surface[0].target[0].tangents\",\"count\":1},
    {\"path\":\"cut.mesh\",\"rule\":\"UG02\",\"region\":\"surface[0].target[0].tangents\",\"count\":1},
    {\"path\":\"odd.mesh\",\"rule\":\"UG24\",\"region\":\"end\",\"count\":1}
  ]
}
";

#[test]
fn known_findings_are_suppressed() {
    let folder = Folder::new();
    let written = folder.run(&[&ALL[..], &["--write-baseline", "known.json"]].concat());
    assert_eq!((code(&written), folder.read("known.json").as_str()), (0, KNOWN));
    assert!(text(&written.stderr).ends_with("known.json: 3 findings written\n"), "{}", text(&written.stderr));
    // The order of the files does not matter.
    folder.prints(0, &["./cut.mesh", "sound.mesh", "./odd.mesh", "--write-baseline", "again.json"]);
    assert_eq!(folder.read("again.json"), KNOWN);
    let effect = "baseline known.json: 1 finding suppressed, 0 known findings no longer found\n";
    let expected = format!("odd.mesh: no findings\n{effect}");
    assert_eq!(folder.prints(0, &["odd.mesh", "--baseline", "known.json"]), expected);
    // The offset and the text of a known finding may change.
    folder.write("odd.mesh", &[odd(), vec![9; 9]].concat());
    assert_eq!(folder.prints(0, &["odd.mesh", "--baseline", "known.json"]), expected);
    let entry = parsed(&folder.run(&["odd.mesh", "--baseline", "known.json", "--json"]));
    assert_eq!(entry["files"][0]["findings"], json!([]));
    assert_eq!(entry["baseline"], json!({ "path": "known.json", "suppressed": 1, "absent": 0 }));
    // A new finding is reported, and a file that is known to be unreadable is none.
    folder.write("new.mesh", &odd());
    let printed = folder.prints(1, &["odd.mesh", "new.mesh", "--baseline", "known.json", "-q"]);
    assert_eq!(printed, format!("new.mesh: 1 warning\n{ODD}"));
    assert_eq!(folder.prints(0, &[&ALL[..], &["-l", "--baseline", "known.json"]].concat()), "");
}

#[test]
fn findings_that_no_longer_occur_are_counted() {
    let folder = Folder::new();
    folder.prints(0, &["odd.mesh", "--write-baseline", "known.json"]);
    let absent = |arguments: &[&str]| {
        let output = folder.run(&[arguments, &["--baseline", "known.json", "--json"]].concat());
        parsed(&output)["baseline"]["absent"].as_u64().unwrap()
    };
    // An option that leaves a finding out, or another file, is no proof that it is mended.
    for options in [&["odd.mesh"][..], &["odd.mesh", "--severity", "error"], &["odd.mesh", "--ignore", "UG"]] {
        assert_eq!(absent(&[options, &["--select", "UG,SL"]].concat()), 0, "{options:?}");
    }
    assert_eq!(absent(&["sound.mesh"]), 0);
    folder.write("odd.mesh", &bytes("cube_ms13"));
    assert_eq!(absent(&["odd.mesh"]), 1);
    let printed = folder.prints(0, &["odd.mesh", "--baseline", "known.json"]);
    assert!(printed.ends_with("baseline known.json: 0 findings suppressed, 1 known finding no longer found\n"));
    // A file that is cut now has not been checked to its end.
    folder.write("odd.mesh", &odd()[..300]);
    assert_eq!(absent(&["odd.mesh"]), 0);
    fs::remove_file(folder.0.path().join("odd.mesh")).unwrap();
    assert_eq!(absent(&["sound.mesh"]), 1);
}

#[test]
fn a_finding_that_is_known_once_is_suppressed_once() {
    let folder = Folder::new();
    folder.write("lines.uc", b"#exec MESHMAP SCALE MESHMAP=dog\n#exec MESH IMPORT MESH=a X=1 X=2 X=3\n");
    let before = parsed(&folder.run(&["lines.uc", "--json", "--select", "UR38"]))["files"][0]["findings"].clone();
    assert_eq!(before.as_array().unwrap().len(), 2, "{before}");
    let entry = |count: u64| {
        json!({ "schema": 1, "findings": [
            { "path": "lines.uc", "rule": "UR38", "region": before[0]["region"], "count": count },
        ] })
    };
    for (known, left) in [(1, 1), (2, 0), (u64::MAX, 0)] {
        folder.write("known.json", entry(known).to_string().as_bytes());
        let output = folder.run(&["lines.uc", "--json", "--select", "UR38", "--baseline", "known.json"]);
        let found = parsed(&output)["files"][0]["findings"].as_array().unwrap().len();
        assert_eq!(found, left, "{known}");
    }
}

#[test]
fn a_baseline_is_replaced_only_with_force() {
    let folder = Folder::new();
    folder.write("known.json", b"mine");
    let error = folder.refuses(2, &["odd.mesh", "--write-baseline", "known.json"]);
    assert!(error.contains("known.json: file exists; --force replaces it"), "{error}");
    assert_eq!(folder.read("known.json"), "mine");
    folder.prints(0, &["sound.mesh", "--write-baseline", "known.json", "--force"]);
    assert_eq!(folder.read("known.json"), "{\n  \"schema\": 1,\n  \"findings\": []\n}\n");
    folder.prints(0, &["sound.mesh", "--baseline", "known.json"]);
    for wrong in [
        &["--force"][..],
        &["--write-baseline", "-"],
        &["--write-baseline", "b.json", "--baseline", "known.json"],
        &["--write-baseline", "."],
    ] {
        folder.refuses(2, &[&["odd.mesh"], wrong].concat());
    }
    let output = folder.run(&["odd.mesh", "--write-baseline", "odd.mesh/folder.json"]);
    assert!(code(&output) == 3 && text(&output.stderr).contains("cannot be written"), "{output:?}");
}

#[test]
fn a_wrong_baseline_is_an_error_with_its_field() {
    let folder = Folder::new();
    let deep = "[".repeat(100_000);
    let item = |more: &str| format!("{{\"schema\": 1, \"findings\": [{{\"path\": \"a\", {more}}}]}}");
    for (content, expected) in [
        (String::new(), "baseline: line 1: expected JSON, found EOF"),
        ("{\n<<<<<<< HEAD".into(), "baseline: line 2: expected JSON, found key must be a string"),
        (deep, "expected JSON, found recursion limit exceeded"),
        ("[]".into(), "baseline: schema: expected 1, found nothing"),
        ("{\"schema\": 2, \"findings\": []}".into(), "baseline: schema: expected 1, found 2"),
        ("{\"schema\": 1}".into(), "baseline: findings: expected a list, found nothing"),
        ("{\"schema\": 1, \"findings\": [7]}".into(), "baseline: findings[0].path: expected a text, found nothing"),
        (item("\"rule\": 5"), "baseline: findings[0].rule: expected a text, found 5"),
        (item("\"rule\": \"UG24\""), "baseline: findings[0].region: expected a text, found nothing"),
        (item("\"mesh\": [\"\\u001b[31m\"]"), "baseline: findings[0].mesh: expected a text, found [\"\\u001b[31m\"]"),
        (
            item("\"rule\": \"UG24\", \"region\": \"end\", \"count\": -1"),
            "baseline: findings[0].count: expected a whole number above 0, found -1",
        ),
        (
            item("\"rule\": \"UG24\", \"region\": \"end\", \"count\": 0"),
            "baseline: findings[0].count: expected a whole number above 0, found 0",
        ),
    ] {
        folder.write("known.json", content.as_bytes());
        let error = folder.refuses(3, &["odd.mesh", "--baseline", "known.json"]);
        assert!(error.starts_with("error: known.json: ") && error.contains(expected), "{error}");
        assert!(!error.contains('\u{1b}'), "{error}");
    }
    folder.write("known.json", b"\xff\xfe");
    let error = folder.refuses(3, &["odd.mesh", "--baseline", "known.json"]);
    assert!(error.starts_with("error: known.json: "), "{error}");
    let error = folder.refuses(3, &["odd.mesh", "--baseline", "none.json"]);
    assert!(error.starts_with("error: none.json: "), "{error}");
    let failure = parsed(&folder.run(&["odd.mesh", "--baseline", "none.json", "--format", "json"]));
    assert_eq!(failure["error"]["kind"], "io");
}

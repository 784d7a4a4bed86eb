//! `view --html`: pages of meshes in one file.

use std::fs;
use std::path::Path;

use crate::support::cases;
use crate::{code, json, meshpeek, scratch, text};

/// The greatest size of a page: tenths of the size of the GLB file, and bytes.
const MOST_TENTHS: u64 = 14;
const MOST_BYTES: u64 = 300_000;

/// Returns a path in a folder as text.
fn inside(folder: &tempfile::TempDir, name: &str) -> String {
    folder.path().join(name).to_str().unwrap().to_owned()
}

fn names(folder: &Path) -> Vec<String> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// Writes a page and returns its text.
fn page(arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = inside(&folder, "page.html");
    let output = meshpeek(&[&["view"], arguments, &["-o", &path]].concat());
    assert_eq!(code(&output), 0, "{arguments:?}: {}", text(&output.stderr));
    fs::read_to_string(path).unwrap()
}

/// Returns how a page shows a mesh at first.
fn start(page: &str) -> serde_json::Value {
    let start = page.split_once("<main data-start=\"").unwrap().1.split_once('"').unwrap().0;
    serde_json::from_str(&start.replace("&quot;", "\"")).unwrap()
}

/// Expects that a page refers to nothing outside of it.
fn expect_self_contained(page: &str) {
    for (start, allowed) in [(" src=\"", "data:image/png;base64,"), (" href=\"", "data:,")] {
        for part in page.split(start).skip(1) {
            assert!(part.starts_with(allowed), "{start}{part:.60}");
        }
    }
    // The only addresses are the names of XML namespaces.
    for part in page.split("://").skip(1) {
        assert!(part.starts_with("www.w3.org/"), "{part:.60}");
    }
    for word in ["@import", "url(", "fetch(", "XMLHttpRequest", "import(", "<link rel=\"stylesheet\"", "<iframe"] {
        assert!(!page.contains(word), "{word}");
    }
    assert!(page.contains("default-src 'none'"));
}

#[test]
fn every_sample_has_a_small_page_that_needs_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let (out, glb) = (inside(&folder, "page.html"), inside(&folder, "mesh.glb"));
    let listed = json(&meshpeek(&["ls", "data", "--json"]));
    let mut count = 0;
    for file in cases::tested(listed["files"].as_array().unwrap(), 12) {
        let path = file["path"].as_str().unwrap();
        let named: Vec<&str> = file["mesh"].as_str().map(|name| vec!["--mesh", name]).unwrap_or_default();
        let view = [&["view", path, "-o", &out, "--force", "--quiet"], named.as_slice()].concat();
        let output = meshpeek(&view);
        assert_eq!(code(&output), 0, "{path}: {}", text(&output.stderr));
        let page = fs::read_to_string(&out).unwrap();
        expect_self_contained(&page);
        assert_eq!(page.matches("<article").count(), 1, "{path}");
        let convert = [&["convert", path, "-o", &glb, "--force", "--quiet", "--allow-loss"], named.as_slice()].concat();
        if code(&meshpeek(&convert)) == 0 {
            let most = fs::metadata(&glb).unwrap().len() * MOST_TENTHS / 10 + MOST_BYTES;
            let size = fs::metadata(&out).unwrap().len();
            assert!(size <= most, "{path}: {size} bytes of at most {most}");
            count += 1;
        }
    }
    assert!(count > cases::number(20, 10), "{count} samples");
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn a_folder_is_one_page_and_the_document_lists_its_meshes() {
    let folder = tempfile::tempdir().unwrap();
    let out = inside(&folder, "page.html");
    let output = meshpeek(&["view", "data/ezmesh", "--html", "-o", &out, "--json"]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let document = json(&output);
    let files = document["files"].as_array().unwrap();
    assert_eq!(document["schema"], 1);
    assert!(files.len() >= 5 && files.iter().all(|file| file["output"] == out.as_str() && file["bytes"].is_null()));
    assert_eq!(files[0]["path"], "data/ezmesh/crate.ezm");
    let page = fs::read_to_string(&out).unwrap();
    assert_eq!(page.matches("<article").count(), files.len());
    assert_eq!(names(folder.path()), ["page.html"]);
    let again = meshpeek(&["view", "data/ezmesh", "--html", "-o", &out]);
    assert_eq!(code(&again), 2);
    assert!(text(&again.stderr).contains("--force replaces it"), "{}", text(&again.stderr));
    let streamed = meshpeek(&["view", "data/ezmesh", "--html", "-o", "-"]);
    assert!(streamed.stdout == page.as_bytes(), "the page on standard output is another one");
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn more_than_500_meshes_are_on_several_pages() {
    let (meshes, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for number in 0..501 {
        fs::copy("data/unigine/cube_ms13.mesh", meshes.path().join(format!("cube {number:03}.mesh"))).unwrap();
    }
    let (index, from) = (inside(&out, "all.html"), meshes.path().to_str().unwrap());
    let output = meshpeek(&["view", from, "-o", &index, "--size", "16", "--json"]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let files = json(&output)["files"].as_array().unwrap().clone();
    assert_eq!(files[499]["output"], inside(&out, "all-001.html"));
    assert_eq!(files[500]["output"], inside(&out, "all-002.html"));
    let read = |name: &str| fs::read_to_string(inside(&out, name)).unwrap();
    for (page, count) in [("all-001.html", 500), ("all-002.html", 1)] {
        let page = read(page);
        assert_eq!(page.matches("<article").count(), count);
        expect_self_contained(&page.replace(" href=\"all.html\"", ""));
    }
    let page = read("all.html");
    assert_eq!(page.matches("class=\"tile\" href=\"all-00").count(), 501);
    expect_self_contained(&page.replace(" href=\"all-00", ""));
    assert_eq!(names(out.path()).len(), 3);
    let again = meshpeek(&["view", from, "-o", &index, "--size", "16"]);
    assert_eq!((code(&again), names(out.path()).len()), (2, 3));
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn the_options_are_the_start_of_the_page() {
    let page_with = |arguments: &[&str]| page(&[&["data/unigine/skinned_ms12.mesh"], arguments].concat());
    let plain = start(&page_with(&[]));
    assert_eq!(
        (&plain["style"], &plain["background"], &plain["isWired"]),
        (&"smooth".into(), &().into(), &false.into())
    );
    let changed = start(&page_with(&[
        "--camera",
        "right",
        "--background",
        "#102030",
        "--style",
        "facets",
        "--overlay",
        "wireframe,skeleton",
        "--frame",
        "1",
    ]));
    assert_eq!(changed["style"], "flat");
    assert_eq!(changed["background"], "#102030");
    assert_eq!((&changed["isWired"], &changed["hasSkeleton"]), (&true.into(), &true.into()));
    assert_eq!(changed["frame"], 1.0);
    assert!((changed["camera"]["angles"][0].as_f64().unwrap() - 90.0).abs() < 1e-3);
    let point = start(&page_with(&["--camera", "3,2,5,0,1,0"]));
    assert_eq!(point["camera"], serde_json::json!({ "from": [3.0, 2.0, 5.0], "to": [0.0, 1.0, 0.0] }));
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn clips_of_several_files_are_on_the_page() {
    let animated = |arguments: &[&str]| {
        let files = ["--animation", "data/unigine/bend_an10.anim", "--animation", "data/unigine/bend_an10.anim"];
        page(&[&["data/unigine/skinned_ms12.mesh"], &files[..], arguments].concat())
    };
    let (without, with) = (page(&["data/unigine/skinned_ms12.mesh"]), animated(&[]));
    let geometry = |page: &str| page.split_once("class=\"glb\">").unwrap().1.split_once('<').unwrap().0.len();
    assert!(geometry(&with) > geometry(&without));
    assert!(!with.contains("data-clip="));
    assert!(animated(&["--clip", "0"]).contains(" data-clip=\"bend\""));
    assert!(page(&["data/unreal/guard", "--clip", "Walk"]).contains(" data-clip=\"Walk\""));
}

#[test]
fn a_damaged_mesh_is_left_out_and_alone_it_leaves_nothing() {
    let (folder, damaged) = scratch("damaged.mesh", b"ms13 and not a mesh");
    let out = inside(&folder, "page.html");
    let output = meshpeek(&["view", &damaged, "data/ezmesh/crate.ezm", "-o", &out, "--json"]);
    assert_eq!(code(&output), 3);
    assert!(text(&output.stderr).contains("damaged.mesh"), "{}", text(&output.stderr));
    let document = json(&output);
    assert!(document["files"][0]["error"].is_object() && document["files"][1]["error"].is_null());
    assert_eq!(fs::read_to_string(&out).unwrap().matches("<article").count(), 1);
    fs::remove_file(&out).unwrap();
    let output = meshpeek(&["view", &damaged, "-o", &out]);
    assert_eq!((code(&output), names(folder.path())), (3, vec!["damaged.mesh".to_owned()]));
    let output = meshpeek(&["view", &damaged, "--html", "-o", "-"]);
    assert_eq!((code(&output), output.stdout.len()), (3, 0));
    fs::remove_file(&damaged).unwrap();
    let output = meshpeek(&["view", folder.path().to_str().unwrap(), "-o", &out]);
    assert_eq!((code(&output), names(folder.path()).len()), (3, 0), "{}", text(&output.stderr));
}

#[cfg(unix)]
#[test]
fn hostile_names_are_escaped() {
    let folder = tempfile::tempdir().unwrap();
    let hostile = "\"'&<img src=x onerror=alert(1)><!--\u{202e}\u{7}";
    let path = folder.path().join(format!("{hostile}.ezm"));
    let text = fs::read_to_string("data/ezmesh/flag.ezm").unwrap();
    fs::write(&path, text.replace("cloth", "&lt;script&gt;alert(2)&lt;/script&gt;&quot;")).unwrap();
    let page = page(&[path.to_str().unwrap()]);
    expect_self_contained(&page);
    for found in ["<img src=x", "<script>alert", "<!--", "\u{202e}", "\u{7}"] {
        assert!(!page.contains(found), "{found}");
    }
    assert!(page.contains("&lt;img src=x onerror=alert(1)&gt;"));
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn a_texture_never_makes_a_page_large() {
    let folder = tempfile::tempdir().unwrap();
    fs::copy("data/ezmesh/crate.ezm", folder.path().join("crate.ezm")).unwrap();
    // A TGA image with noise, which cannot be compressed.
    let (mut tga, mut state) = (vec![0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 4, 24, 0x20], 1_u32);
    for _ in 0..1024 * 1024 * 3 {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        tga.push(state.to_be_bytes()[0]);
    }
    fs::write(folder.path().join("planks.tga"), tga).unwrap();
    let crate_path = inside(&folder, "crate.ezm");
    let with = page(&[&crate_path]);
    assert!(with.contains("class=\"texture\" data-name=\"planks.tga\""));
    assert!(with.len() < 302_000 && with.len() > 150_000, "{} bytes", with.len());
    assert!(!page(&[&crate_path, "--plain"]).contains("class=\"texture\""));
}

#[test]
fn outputs_and_options_of_other_kinds_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (page, mesh) = (inside(&folder, "page.html"), inside(&folder, "page.glb"));
    for (arguments, expected) in [
        (&["--html"][..], "-o page.html"),
        (&["--html", "-o", &mesh], "meshpeek convert"),
        (&["-o", &page, "--style", "uv"], "--style uv"),
        (&["-o", &page, "--overlay", "bounds"], "--overlay bounds"),
        (&["-o", &page, "--sheet"], "--sheet"),
        (&["-o", &page, "--columns", "3"], "--columns"),
        (&["-o", &page, "--surface", "99"], "99"),
        (&["-o", &page, "--html", "--turntable"], "--turntable"),
    ] {
        let output = meshpeek(&[&["view", "data/ezmesh/crate.ezm"], arguments].concat());
        assert_eq!(code(&output), 2, "{arguments:?}");
        assert!(text(&output.stderr).contains(expected), "{arguments:?}: {}", text(&output.stderr));
        assert_eq!(names(folder.path()), [""; 0], "{arguments:?}");
    }
}

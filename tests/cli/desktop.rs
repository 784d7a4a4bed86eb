//! The files for file managers in `data/desktop`: the MIME types and the thumbnailer.

use std::fs;
use std::path::Path;

use crate::support::process::process;
use crate::support::skip;

const MIME: &str = include_str!("../../data/desktop/meshpeek-mime.xml");
const THUMBNAILER: &str = include_str!("../../data/desktop/meshpeek.thumbnailer");

/// Returns the value of a key of the thumbnailer file.
fn entry(key: &str) -> &'static str {
    let lines = THUMBNAILER.lines().filter_map(|line| line.split_once('='));
    lines.clone().find(|(name, _)| *name == key).unwrap_or_else(|| panic!("expected {key}, found none")).1
}

#[test]
fn the_mime_types_are_valid() {
    let folder = tempfile::tempdir().unwrap();
    let packages = folder.path().join("packages");
    fs::create_dir(&packages).unwrap();
    fs::write(packages.join("meshpeek-mime.xml"), MIME).unwrap();
    let Ok(output) = process("update-mime-database").arg(folder.path()).output() else {
        skip("update-mime-database (Debian package shared-mime-info) is not installed");
        return;
    };
    // The program notes on standard error that the folder is not in the search path.
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && !said.to_lowercase().contains("error"), "{said}");
    let globs = fs::read_to_string(folder.path().join("globs2")).unwrap();
    assert!(globs.contains("50:model/x-unreal-vertex-mesh:*_d.3d"), "{globs}");
}

#[test]
fn the_thumbnailer_names_known_types() {
    let document = roxmltree::Document::parse(MIME).unwrap();
    let types: Vec<_> = document.descendants().filter_map(|node| node.attribute("type")).collect();
    for name in entry("MimeType").split_terminator(';') {
        assert!(types.contains(&name), "{name}");
    }
    assert!(entry("Exec").starts_with("meshpeek view --thumbnail ") && entry("TryExec") == "meshpeek");
    for place in ["%s", "%o", "%i"] {
        assert!(entry("Exec").split(' ').any(|word| word == place), "{place}");
    }
}

#[test]
fn every_sample_has_a_type() {
    let document = roxmltree::Document::parse(MIME).unwrap();
    let values = |name: &'static str, attribute: &'static str| -> Vec<_> {
        let nodes = document
            .descendants()
            .filter(|node| node.has_tag_name(("http://www.freedesktop.org/standards/shared-mime-info", name)));
        nodes.filter_map(|node| node.attribute(attribute)).collect()
    };
    let (magics, globs) = (values("match", "value"), values("glob", "pattern"));
    for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("data/unigine")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "mesh" || extension == "anim") {
            let bytes = fs::read(&path).unwrap();
            assert!(magics.iter().any(|magic| bytes.starts_with(magic.as_bytes())), "{}", path.display());
        }
    }
    for name in ["box_d.3d", "box_a.3d", "crate.ezm", "crate100.ezb", "arm.llmesh", "model.slm"] {
        let is_match = |glob: &&str| name.ends_with(glob.trim_start_matches('*'));
        assert!(globs.iter().any(is_match), "{name}");
    }
}

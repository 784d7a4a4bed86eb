//! Tests the neutral view with one function for the files of all formats.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use meshpeek::Severity;

use crate::support::corpus;
use crate::support::walk::walk;

/// Returns the paths of all meshes of the corpus: every file that is not a reference, and the data
/// file of each pair.
fn meshes() -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> =
        ["unigine", "secondlife", "ezmesh", "unreal"].into_iter().filter_map(corpus).collect();
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    let is_mesh = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().to_ascii_lowercase();
        let ends = [".mesh", ".llmesh", ".slm", ".asset", ".ezm", ".ezb", "_d.3d"];
        ends.iter().any(|end| name.ends_with(end))
    };
    files.retain(is_mesh);
    files
}

/// Opens a file that has a surface and no finding of severity error.
fn open_sound(path: &Path) -> Option<meshpeek::Model<meshpeek::io::FileBytes>> {
    let file = meshpeek::open(path).ok()?;
    let mut errors = 0;
    file.file().validate(&mut |finding| errors += usize::from(finding.severity == Severity::Error)).ok()?;
    (errors == 0 && file.geometry().surface_count().is_ok_and(|count| count > 0)).then_some(file)
}

/// Walks all sound files in the conventions of glTF. At least 99 % of the triangles of each format
/// must face the side to which their normals point.
#[test]
fn one_function_walks_all_formats() {
    let mut formats = BTreeMap::<&str, [usize; 4]>::new();
    for path in meshes() {
        let Some(file) = open_sound(&path) else { continue };
        let totals = walk(file.contents()).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert!(!totals.bounds.is_empty() || totals.triangles == 0, "{}", path.display());
        let sums = formats.entry(file.format()).or_default();
        for (sum, one) in sums.iter_mut().zip([1, totals.triangles, totals.shaded, totals.facing]) {
            *sum += one;
        }
        if totals.facing * 100 < totals.shaded * 99 {
            eprintln!("{}: {} of {} triangles face their normals", path.display(), totals.facing, totals.shaded);
        }
    }
    for (format, [files, triangles, shaded, facing]) in &formats {
        eprintln!("{format}: {files} files, {triangles} triangles, {facing} of {shaded} face their normals");
        assert!(facing * 100 >= shaded * 99, "{format}: {facing} of {shaded}");
    }
    assert!(formats.len() == 4 || corpus("unigine").is_none(), "{formats:?}");
}

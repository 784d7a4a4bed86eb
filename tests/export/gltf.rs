//! Reads GLB files back, and compares them with the mesh files.

use std::path::PathBuf;

use meshpeek::Animations;
use meshpeek::export::{Export, ExportFormat, ExportOptions, SceneInput, SourceInfo};
use meshpeek::model::Contents;

use crate::gltf_compare::{Worst, compare};
use crate::gltf_motion::Motion;
use crate::gltf_reader::Reader;
use crate::gltf_structure::check;
use crate::support::corpus;

/// Returns the paths of all files below a folder that are meshes: the data file of a pair, and
/// other files by their endings.
pub fn meshes(folder: PathBuf) -> Vec<PathBuf> {
    let (mut folders, mut files) = (vec![folder], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    let is_mesh = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().to_ascii_lowercase();
        [".mesh", ".llmesh", ".slm", ".asset", ".ezm", ".ezb", "_d.3d"].iter().any(|end| name.ends_with(end))
    };
    files.retain(is_mesh);
    files.sort();
    files
}

/// Returns the folder of the samples.
pub fn data() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("data")
}

/// Returns the options of the tests: everything may be left out that glTF cannot hold.
pub fn options() -> ExportOptions {
    ExportOptions::default().with_allow_loss(true).with_source(SourceInfo::default().with_name("mesh"))
}

/// Exports a mesh as one GLB file.
pub fn glb(
    contents: &dyn Contents,
    sources: &[(&str, &dyn Animations)],
    options: &ExportOptions,
) -> meshpeek::Result<Vec<u8>> {
    let export = Export::new(&SceneInput::of_contents(contents).with_clips(sources), ExportFormat::Glb, options)?;
    assert_eq!((export.file_count(), export.file_name(0, "mesh")), (1, "mesh.glb".to_owned()));
    let mut bytes = Vec::new();
    export.write_file(0, "mesh", &mut bytes)?;
    Ok(bytes)
}

/// Exports a mesh and compares everything that the GLB file contains.
pub fn compare_file(
    contents: &dyn Contents,
    sources: &[(&str, &dyn Animations)],
    options: &ExportOptions,
    what: &str,
    worst: &mut Worst,
) -> meshpeek::Result<Reader> {
    let bytes = glb(contents, sources, options)?;
    assert!(glb(contents, sources, options)? == bytes, "{what}: the same bytes on each run");
    let reader = Reader::glb(&bytes);
    check(&reader, what);
    let nodes = compare(&reader, contents, options, what, worst);
    Motion { reader: &reader, contents, sources, options, nodes: &nodes, what }.compare(worst);
    Ok(reader)
}

/// Compares all files, and returns those that cannot be exported.
fn compare_files(paths: &[PathBuf]) -> Vec<(PathBuf, String)> {
    let (mut worst, mut failed, mut count) = (Worst::default(), Vec::new(), 0);
    for path in paths {
        let Ok(model) = meshpeek::open(path) else { continue };
        let what = path.display().to_string();
        match compare_file(model.contents(), &[], &options(), &what, &mut worst) {
            Ok(_) => count += 1,
            Err(error) => failed.push((path.clone(), error.to_string())),
        }
    }
    eprintln!("{count} files come back");
    worst.report();
    worst.expect_share("shaded corners that face their normals", "shaded corners", 0.99);
    worst.expect_share("bitangents in the direction of falling v", "bitangents", 0.9);
    for (path, error) in &failed {
        eprintln!("{}: {error}", path.display());
    }
    failed
}

#[test]
fn samples_come_back() {
    let paths = meshes(data());
    assert!(paths.len() > 30, "{}", paths.len());
    assert_eq!(compare_files(&paths), []);
}

#[test]
fn real_files_come_back() {
    let folders: Vec<PathBuf> = ["unigine", "secondlife", "ezmesh", "unreal"].into_iter().filter_map(corpus).collect();
    let paths: Vec<PathBuf> = folders.into_iter().flat_map(meshes).collect();
    compare_files(&paths);
}

/// A file without surfaces has an output without surfaces.
#[test]
fn animation_files_come_back() {
    let folder = data().join("unigine");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "anim") {
            let (model, what) = (meshpeek::open(&path).unwrap(), path.display().to_string());
            let reader = compare_file(model.contents(), &[], &options(), &what, &mut Worst::default()).unwrap();
            let clips = usize::from(!what.contains("still"));
            assert_eq!((reader.document.meshes().count(), reader.document.animations().count()), (0, clips), "{what}");
        }
    }
}

//! Tests queries on the samples and, if the machine has them, on real files of every format.
//!
//! All surfaces of a file are queried together.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use meshpeek::query::Scene;
use meshpeek::sidecar::{Sidecar, Trust};
use meshpeek::{Geometry, Model, unreal};

use crate::support::corpus;
use crate::support::query::{Oracle, Questions, all_faces, ask, expect};
use crate::support::random::Random;
use crate::support::sidecar::key;
use crate::support::unigine::data;

/// The maximum number of triangle tests for each mesh.
const WORK: usize = if cfg!(debug_assertions) { 8_000 } else { 1_000_000 };

/// The number of queries so far.
#[derive(Debug, Default)]
struct Tally {
    meshes: usize,
    triangles: usize,
    rays: usize,
    hits: usize,
    stored: usize,
}

/// Runs random queries on a mesh.
///
/// Skips a mesh that has no triangles, or whose arrays cannot be located.
fn expect_mesh(geometry: &dyn Geometry, what: &Path, asked: &mut Tally) {
    let Ok(faces) = all_faces(geometry) else {
        assert!(Scene::new(geometry).is_err(), "{}", what.display());
        return;
    };
    let count: usize = faces.iter().map(Vec::len).sum();
    let oracle = Oracle::new(&faces);
    let mut random = Random::new(count as u64);
    let mut questions = Questions::new(&mut random, &oracle, &faces, (WORK / count.max(1)).clamp(4, 60));
    // Unusual queries are tested on generated meshes. Only a few of them run here.
    let most = (WORK / count.max(1)).clamp(8, 150);
    questions.rays.truncate(most);
    questions.points.truncate(most / 2);
    questions.boxes.truncate(most / 4);
    questions.frusta.truncate(most / 4);
    let scene = Scene::new(geometry).unwrap();
    let hits = expect(&scene, &oracle, &questions);
    let expected = ask(&scene, &questions);
    let mut out = std::io::Cursor::new(Vec::new());
    meshpeek::query::write_sidecar(&mut meshpeek::sidecar::Builder::default(), geometry, &key(), &mut out).unwrap();
    for trust in [Trust::Trusted, Trust::Untrusted] {
        let sidecar = Arc::new(Sidecar::open(out.get_ref().clone(), &key(), trust).unwrap());
        let stored = Scene::indexed(geometry, &sidecar).unwrap();
        asked.stored += stored.trees().filter(|(_, tree)| tree.is_stored()).count();
        assert!(ask(&stored, &questions) == expected, "{}: {trust:?}", what.display());
    }
    asked.meshes += 1;
    asked.triangles += count;
    asked.rays += questions.rays.len();
    asked.hits += hits;
}

fn files_of(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.is_file());
    files.sort();
    assert!(!files.is_empty(), "no file in {}", folder.display());
    files
}

/// Runs queries on every mesh in a folder.
///
/// A file that does not open is skipped, because other tests cover such files.
fn expect_folder(folder: &Path, asked: &mut Tally) {
    for path in files_of(folder) {
        let name = path.to_string_lossy().into_owned();
        if let Some(stem) = name.strip_suffix("_d.3d") {
            let Ok(aniv) = std::fs::read(format!("{stem}_a.3d")) else { continue };
            if let Ok(mesh) = unreal::Mesh::open(std::fs::read(&path).unwrap(), aniv) {
                expect_mesh(&mesh, &path, asked);
            }
        } else if let Ok(model) = Model::open(std::fs::read(&path).unwrap()) {
            expect_mesh(model.geometry(), &path, asked);
        }
    }
}

#[test]
fn samples() {
    for format in ["unigine", "unreal", "secondlife", "ezmesh"] {
        let mut asked = Tally::default();
        expect_folder(&data().parent().unwrap().join(format), &mut asked);
        assert!(asked.meshes >= 3 && asked.hits > 50, "{format}: {asked:?}");
    }
}

fn expect_corpus(format: &str) {
    let Some(folder) = corpus(format) else { return };
    let mut asked = Tally::default();
    expect_folder(&folder, &mut asked);
    eprintln!("{format}: {asked:?}");
    assert!(asked.meshes >= 10 && asked.hits > 100, "{format}: {asked:?}");
}

#[test]
fn real_unigine() {
    expect_corpus("unigine");
}

#[test]
fn real_unreal() {
    expect_corpus("unreal");
}

#[test]
fn real_secondlife() {
    expect_corpus("secondlife");
}

#[test]
fn real_ezmesh() {
    expect_corpus("ezmesh");
}

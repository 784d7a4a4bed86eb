//! The files of `data/unigine` are what the builder makes. `MESHPEEK_BLESS=1 cargo test` writes them anew.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod support;

use support::{data, samples};

#[test]
fn are_what_the_builder_makes() {
    for sample in samples() {
        let path = data().join(sample.stem).with_extension("mesh");
        let bytes = sample.mesh.to_bytes().unwrap();
        if std::env::var_os("MESHPEEK_BLESS").is_some() {
            std::fs::create_dir_all(data()).unwrap();
            std::fs::write(&path, &bytes).unwrap();
        }
        assert!(std::fs::read(&path).unwrap() == bytes, "{} differs from what the builder makes", path.display());
    }
}

#[test]
fn are_sound() {
    for sample in samples() {
        let mesh = meshpeek::unigine::Mesh::open(sample.mesh.to_bytes().unwrap()).unwrap();
        mesh.check().unwrap();
        let mut found = Vec::new();
        mesh.validate(&mut |finding| found.push(finding.to_string())).unwrap();
        found.retain(|finding| !finding.starts_with("info"));
        assert!(found.is_empty(), "{}: {found:?}", sample.stem);
    }
}

//! The files of `data/unigine` are what the builder makes. `MESHPEEK_BLESS=1 cargo test` writes them anew.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a panic is how a test fails")]

mod support;

use meshpeek::Severity;
use meshpeek::unigine::{Generation, Mesh, build};
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
        let mesh = Mesh::open(sample.mesh.to_bytes().unwrap()).unwrap();
        mesh.check().unwrap();
        let mut found = Vec::new();
        mesh.validate(&mut |finding| found.push(finding.to_string())).unwrap();
        found.retain(|finding| !finding.starts_with("info"));
        assert!(found.is_empty(), "{}: {found:?}", sample.stem);
    }
}

#[test]
fn stay_sound_far_from_the_origin() {
    for offset in [0.0, 1e3, 5e3, 1e4, 2e4, 1e5, 1e6_f32] {
        for spacing in [0.7, 1.0, 3.3, 10.0_f32] {
            let mut surfaces =
                vec![support::cube("one", 0.5), support::cube("other", 0.5), support::cube("third", 0.3)];
            for (surface, step) in surfaces.iter_mut().zip([0.0, 1.0, 2.5_f32]) {
                for [x, y, _] in &mut surface.targets[0].positions {
                    *x += offset + spacing * step;
                    *y -= offset - spacing * step * 0.3;
                }
            }
            let built = build::Mesh { surfaces, ..build::Mesh::new(Generation::Ms12) };
            let mesh = Mesh::open(built.to_bytes().unwrap()).unwrap();
            mesh.validate(&mut |finding| {
                assert!(finding.severity == Severity::Info, "at {offset} and {spacing}: {finding}");
            })
            .unwrap();
        }
    }
}

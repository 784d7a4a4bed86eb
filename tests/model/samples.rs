//! Tests that the files of `data` equal the output of the builders.
//!
//! `MESHPEEK_BLESS=1 cargo test` writes them again.

use crate::support::unigine::builder;
use meshpeek::unigine::{Animation, Generation, Mesh};
use meshpeek::{MeshFile as _, Severity};

use crate::support::unigine::{animation_samples, data, samples};
use crate::support::unreal::data as unreal_data;
use crate::support::{ezmesh, secondlife, unreal};

#[test]
fn are_what_the_builders_make() {
    let unigine = samples()
        .into_iter()
        .map(|sample| (data().join(sample.stem).with_extension("mesh"), sample.mesh.to_bytes().unwrap()));
    let animations = animation_samples()
        .into_iter()
        .map(|sample| (data().join(sample.stem).with_extension("anim"), sample.file.to_bytes().unwrap()));
    let unreal = unreal::samples().into_iter().flat_map(|sample| {
        let files = sample.files.into_iter();
        files.map(move |(ending, bytes)| (unreal_data().join(format!("{}{ending}", sample.stem)), bytes))
    });
    let secondlife =
        secondlife::samples().into_iter().map(|sample| (secondlife::data().join(sample.file), sample.bytes));
    let ezmesh = ezmesh::samples().into_iter().map(|sample| (ezmesh::data().join(sample.file), sample.bytes));
    for (path, bytes) in unigine.chain(animations).chain(unreal).chain(secondlife).chain(ezmesh) {
        if std::env::var_os("MESHPEEK_BLESS").is_some() {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, &bytes).unwrap();
        }
        assert!(std::fs::read(&path).unwrap() == bytes, "{} differs from the output of the builder", path.display());
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
    for sample in animation_samples() {
        let file = Animation::open(sample.file.to_bytes().unwrap()).unwrap();
        file.check().unwrap();
        let mut found = Vec::new();
        file.validate(&mut |finding| found.push(finding.to_string())).unwrap();
        assert!(found.is_empty(), "{}: {found:?}", sample.stem);
    }
}

#[test]
fn are_sound_pairs() {
    let mut seen = std::collections::BTreeSet::new();
    for sample in unreal::samples() {
        let Some([data, aniv]) = sample.pair() else { continue };
        let mesh = meshpeek::unreal::Mesh::open(data, aniv).unwrap();
        let mut found = Vec::new();
        mesh.validate(&mut |finding| found.push(finding)).unwrap();
        seen.extend(found.iter().map(|finding| finding.rule));
        found.retain(|finding| finding.severity > Severity::Info);
        assert!(found.is_empty(), "{}: {found:?}", sample.stem);
    }
    assert!(["UR11", "UR12", "UR13", "UR16"].iter().all(|rule| seen.contains(rule)), "{seen:?}");
}

#[test]
fn are_sound_assets() {
    for secondlife::Sample { file, bytes } in secondlife::samples() {
        let mesh = meshpeek::secondlife::Mesh::open(bytes).unwrap();
        let mut found = Vec::new();
        mesh.validate(&mut |finding| found.push(finding)).unwrap();
        found.retain(|finding| finding.severity > Severity::Info);
        assert!(found.is_empty(), "{file}: {found:?}");
    }
}

#[test]
fn are_sound_systems() {
    for ezmesh::Sample { file, bytes } in ezmesh::samples() {
        let system = meshpeek::ezmesh::Mesh::open(bytes).unwrap();
        let mut found = Vec::new();
        system.validate(&mut |finding| found.push(finding)).unwrap();
        found.retain(|finding| finding.severity > Severity::Info);
        assert!(found.is_empty(), "{file}: {found:?}");
    }
}

#[test]
fn stay_sound_far_from_the_origin() {
    for offset in [0.0, 1e3, 5e3, 1e4, 2e4, 1e5, 1e6_f32] {
        for spacing in [0.7, 1.0, 3.3, 10.0_f32] {
            let mut surfaces = vec![
                crate::support::unigine::cube("one", 0.5),
                crate::support::unigine::cube("other", 0.5),
                crate::support::unigine::cube("third", 0.3),
            ];
            for (surface, step) in surfaces.iter_mut().zip([0.0, 1.0, 2.5_f32]) {
                for [x, y, _] in &mut surface.targets[0].positions {
                    *x += offset + spacing * step;
                    *y -= offset - spacing * step * 0.3;
                }
            }
            let built = builder::Mesh { surfaces, ..builder::Mesh::new(Generation::Ms12) };
            let mesh = Mesh::open(built.to_bytes().unwrap()).unwrap();
            mesh.validate(&mut |finding| {
                assert!(finding.severity == Severity::Info, "at {offset} and {spacing}: {finding}");
            })
            .unwrap();
        }
    }
}

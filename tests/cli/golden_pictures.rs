//! The pictures of all samples are the same, byte for byte, on every machine.

use std::fs;
use std::path::{Path, PathBuf};

use crate::{code, command, text};

/// Returns the sample meshes. An Unreal mesh has the path of its data file.
fn samples() -> Vec<PathBuf> {
    let mut samples = Vec::new();
    for folder in ["unigine", "unreal", "ezmesh", "secondlife"] {
        for entry in fs::read_dir(Path::new("data").join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let is_mesh = [".mesh", ".anim", "_d.3d", ".ezm", ".ezb", ".llmesh", ".slm", ".asset"];
            if is_mesh.iter().any(|ending| name.ends_with(ending)) {
                samples.push(path);
            }
        }
    }
    samples.sort();
    samples
}

#[test]
fn the_pictures_of_the_samples_are_golden() {
    let samples = samples();
    assert!(samples.len() > 30, "{}", samples.len());
    for sample in samples {
        let output = command(&["view", "-o", "-", "--size", "96"]).arg(&sample).output().unwrap();
        assert_eq!(code(&output), 0, "{}: {}", sample.display(), text(&output.stderr));
        let golden = sample.with_extension("view.png");
        if std::env::var_os("MESHPEEK_BLESS").is_some() {
            fs::write(&golden, &output.stdout).unwrap();
        }
        let expected = fs::read(&golden).unwrap_or_default();
        assert!(
            expected == output.stdout,
            "{}: the picture differs from {}; look at both, and set MESHPEEK_BLESS=1 to keep the new one",
            sample.display(),
            golden.display()
        );
    }
}

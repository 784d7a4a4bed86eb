//! Folders with pairs and scripts of Unreal: the files of a mesh are found from each of its files.
//!
//! A found file exists. A path in a script never leads out of the folder of the scripts, even if a
//! file or a link exists there. The same search gives the same result twice.
#![no_main]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    reason = "a panic is how a fuzz target fails"
)]

#[path = "shared/input.rs"]
mod input;
#[path = "../../support/mod.rs"]
mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use input::Input;
use libfuzzer_sys::fuzz_target;
use meshpeek::unreal::companions::{Finder, Pair};
use support::invariants::expect_named;

/// A folder in memory if the system has one. It has the folder of the toy and a file outside of it.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let shared = Path::new("/dev/shm");
    let base = if shared.is_dir() { shared.to_owned() } else { std::env::temp_dir() };
    let folder = base.join(format!("meshpeek-fuzz-{}", std::process::id()));
    let [data, aniv] = support::unreal::pair("box");
    for inner in ["deep/Toy/Classes", "deep/Toy/Models", "deep/Other"] {
        fs::create_dir_all(folder.join(inner)).unwrap();
    }
    for outside in ["secret", "deep/secret", "deep/Other/secret"] {
        fs::write(folder.join(format!("{outside}_d.3d")), &data).unwrap();
        fs::write(folder.join(format!("{outside}_a.3d")), &aniv).unwrap();
    }
    #[cfg(unix)]
    std::os::unix::fs::symlink(folder.join("deep/Other/secret_d.3d"), folder.join("deep/Toy/Models/link_d.3d"))
        .unwrap();
    fs::canonicalize(folder).unwrap()
});

static PAIR: LazyLock<[Vec<u8>; 2]> = LazyLock::new(|| support::unreal::pair("box"));

const PLACES: [&str; 3] = ["Models", "Classes", "."];
const STEMS: [&str; 4] = ["cat", "Cat", "dog", "x y"];
const WAYS: [&str; 8] =
    ["", "Models\\", "MODELS/", "..\\", "..\\..\\", "../../Other/", "Classes\\..\\Models\\", "..\\..\\Other\\"];
const NAMES: [&str; 5] = ["cat", "CAT", "secret", "link", "x y"];

/// Asserts that the files of a pair exist. Files that only a script names are inside `root`.
fn expect_pair(pair: &Pair, root: &Path) {
    for path in [&pair.data, &pair.aniv].into_iter().chain(&pair.script) {
        assert!(fs::metadata(path).is_ok_and(|found| found.is_file()), "{} is not a file", path.display());
        let real = fs::canonicalize(path).unwrap();
        assert!(real.starts_with(root), "{} leads out of the folder", path.display());
    }
    assert_eq!(pair.script.is_some(), pair.mesh.is_some());
    match pair.open(|path| Ok(fs::read(path).unwrap())) {
        Ok(mesh) => assert_eq!(mesh.script().is_some(), pair.script.is_some()),
        Err(error) => expect_named(&error, u64::MAX),
    }
}

fuzz_target!(|bytes: &[u8]| {
    let mut input = Input::new(bytes);
    let root = FOLDER.join("deep/Toy");
    let mut made: Vec<PathBuf> = Vec::new();
    let mut make = |path: PathBuf, content: &[u8]| {
        fs::write(&path, content).unwrap();
        made.push(path);
    };
    for _ in 0..input.below(5) {
        let (place, stem, which) = (input.pick(&PLACES), input.pick(&STEMS), input.below(2));
        let ending = [["_d.3d", "_D.3D"], ["_a.3d", "_a.3D"]][which][input.below(2)];
        let content = if input.byte() < 20 { input.bytes(64) } else { PAIR[which].clone() };
        make(root.join(place).join(format!("{stem}{ending}")), &content);
    }
    for _ in 0..input.below(3) {
        let (place, stem) = (input.pick(&PLACES), input.pick(&STEMS));
        let mut script = Vec::new();
        for _ in 0..input.below(4) {
            let [one, other] = [0; 2].map(|_: usize| format!("{}{}", input.pick(&WAYS), input.pick(&NAMES)));
            let mesh = input.pick(&STEMS).replace(' ', "");
            let line = format!("#exec MESH IMPORT MESH={mesh} ANIVFILE={one}_a.3d DATAFILE={other}_d.3d\n");
            script.extend(line.as_bytes());
            if input.byte() < 40 {
                script.extend(input.bytes(80));
            }
        }
        make(root.join(place).join(format!("{stem}.uc")), &script);
    }
    let mut asked: Vec<PathBuf> = made.clone();
    asked.extend(STEMS.map(|stem| root.join("Models").join(stem)));
    let mut finder = Finder::new();
    for path in &asked {
        let found = finder.find(path);
        let again = Finder::new().find(path);
        assert_eq!(format!("{found:?}"), format!("{again:?}"), "{}", path.display());
        match found {
            Ok(pairs) => {
                assert!(!pairs.is_empty());
                pairs.iter().for_each(|pair| expect_pair(pair, &root));
                if let [pair] = &*pairs
                    && let Some(mesh) = &pair.mesh
                {
                    let named = finder.find_mesh(path, mesh);
                    assert!(named.is_ok_and(|named| named.data == pair.data && named.aniv == pair.aniv));
                }
            }
            Err(error) => assert!(!error.to_string().is_empty() && error.path().is_some(), "{error}"),
        }
        if path.extension().is_some_and(|extension| extension == "uc") {
            for import in finder.imports(path).into_iter().flatten() {
                import.found.iter().for_each(|pair| expect_pair(pair, &root));
            }
        }
    }
    for path in made {
        let _ = fs::remove_file(path);
    }
});

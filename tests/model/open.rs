//! Tests opening a mesh of any format by its path, and the neutral traits of the opened file.

use std::path::Path;
use std::sync::Arc;

use meshpeek::io::FileBytes;
use meshpeek::{Array, Format, Geometry, Model, OpenOptions, Surface};

#[test]
fn opens_every_format_in_one_call() {
    for (path, format, sources) in [
        ("unigine/cube_ms10.mesh", "unigine", 1),
        ("unigine/wave_an13.anim", "unigine", 1),
        ("secondlife/model.slm", "secondlife", 1),
        ("ezmesh/crate.ezm", "ezmesh", 1),
        ("ezmesh/crate100.ezb", "ezmesh", 1),
        ("unreal/box_d.3d", "unreal", 3),
        ("unreal/box_a.3d", "unreal", 3),
        ("unreal/box.uc", "unreal", 3),
        ("unreal/box", "unreal", 3),
        ("unreal/crate64_d.3d", "unreal", 2),
        ("unreal/Toys/Models/Ball_d.3d", "unreal", 3),
    ] {
        let file = meshpeek::open(Path::new("data").join(path)).unwrap();
        assert_eq!((file.format(), file.file().source_count()), (format, sources), "{path}");
        assert!(matches!(file.file().source(0), Some(FileBytes::Vec(_))));
    }
}

/// Tests that the type of an opened file implements the neutral traits with the values of the type
/// of its format.
#[test]
fn the_file_is_its_own_neutral_view() {
    let file = meshpeek::open("data/unigine/skinned_ms12.mesh").unwrap();
    let mesh = meshpeek::unigine::Mesh::open(meshpeek::read("data/unigine/skinned_ms12.mesh").unwrap()).unwrap();
    let geometry: [&dyn Geometry; 2] = [file.geometry(), &mesh];
    let [found, expected] = geometry.map(|geometry| {
        let surfaces = Surface::all(geometry).unwrap().map(|surface| {
            let positions: Vec<_> = surface.positions().unwrap().iter().collect();
            (surface.name().unwrap().to_string(), surface.counts().unwrap(), positions, surface.bounds().unwrap())
        });
        (geometry.space(), geometry.bounds().unwrap(), geometry.sphere().unwrap(), surfaces.collect::<Vec<_>>())
    });
    assert_eq!(found, expected);
    assert_eq!(file.animations().bone_count().unwrap(), mesh.bone_count());
    assert_eq!(file.animations().clip_count().unwrap(), mesh.animation_count());
    assert_eq!(file.contents().asset_count().unwrap(), 1);
    let animation = meshpeek::open("data/unigine/wave_an13.anim").unwrap();
    assert_eq!(animation.geometry().surface_count().unwrap(), 0);
}

#[test]
fn bytes_of_any_owner_are_one_type() {
    let bytes = meshpeek::read("data/unigine/cube_ms13.mesh").unwrap();
    let shared: Arc<[u8]> = bytes.clone().into();
    // SAFETY: no process writes to the sample.
    let map = unsafe { meshpeek::Map::open("data/unigine/cube_ms13.mesh").unwrap() };
    let files = [FileBytes::from(bytes.clone()), FileBytes::from(shared), FileBytes::from(map)];
    let models: Vec<Model<FileBytes>> = files.into_iter().map(|bytes| Model::open(bytes).unwrap()).collect();
    for model in &models {
        let data = model.file().source(0).unwrap();
        data.check().unwrap();
        data.release(data.as_ref());
        assert_eq!(data.as_ref(), bytes);
        assert!(format!("{data:?}").len() < 64);
        assert_eq!(model.geometry().surface_count().unwrap(), 1);
    }
}

#[test]
fn options_and_loaders_reach_every_file() {
    let mut paths = Vec::new();
    let load = |path: &Path| {
        paths.push(path.file_name().unwrap().to_string_lossy().into_owned());
        meshpeek::read(path)
    };
    let options = OpenOptions::default().with_record_access(true);
    let file = options.open_by("data/unreal/guard_a.3d", load).unwrap();
    assert!(file.file().touched_bytes().is_some());
    assert_eq!(paths, ["guard_d.3d", "guard_a.3d", "guard.uc"]);
    let asset = OpenOptions::default().with_asset(1).open("data/secondlife/model.slm").unwrap();
    assert_eq!(asset.file().source_count(), 1);
    assert!(OpenOptions::default().with_asset(7).open("data/secondlife/model.slm").is_err());
}

#[test]
fn errors_name_the_path() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("noise.mesh"), b"12345678").unwrap();
    std::fs::write(at("empty.mesh"), b"").unwrap();
    std::fs::copy("data/unreal/box_d.3d", at("half_d.3d")).unwrap();
    std::fs::write(at("none.uc"), b"class none;").unwrap();
    for (name, named) in [
        ("noise.mesh", "noise.mesh"),
        ("empty.mesh", "empty.mesh"),
        ("missing.mesh", "missing.mesh"),
        ("no/such/folder.mesh", "folder.mesh"),
        ("half_d.3d", "half_"),
        ("half", "half_"),
        ("none.uc", "none.uc"),
        ("", ""),
    ] {
        let error = meshpeek::open(at(name)).unwrap_err();
        let path = error.path().unwrap_or_else(|| panic!("{name}: {error}"));
        assert!(path.to_string_lossy().contains(named), "{name}: {error}");
        assert!(error.to_string().contains(&*path.to_string_lossy()), "{name}: {error}");
    }
    // A file of another format is opened whatever its name is.
    std::fs::copy("data/unigine/cube_ms13.mesh", at("odd_d.3d")).unwrap();
    assert_eq!(meshpeek::open(at("odd_d.3d")).unwrap().format(), "unigine");
}

/// Tests that the bytes of an Unreal file without its name say how the format is recognised.
#[test]
fn unreal_bytes_are_recognised_by_name() {
    let bytes = meshpeek::read("data/unreal/box_d.3d").unwrap();
    let error = Model::open(&bytes[..]).unwrap_err();
    assert_eq!(error.kind().id(), "unknown");
    assert!(error.to_string().contains("recognised by name"), "{error}");
    assert!(Format::detect(&bytes).is_err());
}

//! Tests that a sidecar reduces the bytes read and the memory used, and changes no result.

use std::fs::{self, File};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use meshpeek::internals::format_file;
use meshpeek::model::Transform;
use meshpeek::sidecar::{Builder, Key, Kind, Sidecar, Trust, adjacent_path};
use meshpeek::unigine::{Animation, AnimationGeneration, Generation, Mesh};
use meshpeek::{Array, MeshFile as _, Model, OpenOptions};

use crate::support::allocations::{allocations, most_held};
use crate::support::sidecar::{
    Answers, animation, answers, counts, key, mesh, motion, sidecar_of, small_mesh, surface,
};
use crate::support::unigine::{bytes, spoil};

const TRUSTS: [Trust; 2] = [Trust::Trusted, Trust::Untrusted];
/// Generations whose surfaces are located by walking the file.
const WALKED: [Generation; 4] = [Generation::Ms10, Generation::Ms11, Generation::Ms12, Generation::Ms13];
const SKINNED: [Generation; 2] = [Generation::Ms10, Generation::Ms12];

fn opened(sidecar: &[u8], trust: Trust) -> Sidecar {
    Sidecar::open(sidecar.to_vec(), &key(), trust).expect("the sidecar has the key of that file")
}

/// Asserts that a sidecar changes no result, and returns the results.
fn agree(file: &[u8], what: &str) -> Answers {
    let plain = answers(file, None, 1);
    let sidecar = sidecar_of(file, &key());
    assert!(sidecar == sidecar_of(file, &key()), "{what}: the second sidecar differs");
    for trust in TRUSTS {
        let with = answers(file, Some(opened(&sidecar, trust)), 1);
        assert_eq!(plain.differs(&with), None, "{what}, {trust:?}");
        let mut again = Builder::default();
        let model = Model::open(file).unwrap().with_sidecar(Arc::new(opened(&sidecar, trust)));
        format_file(&model).index(&mut again).unwrap();
        let mut bytes = Vec::new();
        again.write_to(&key(), &mut bytes).unwrap();
        assert!(bytes == sidecar, "{what}, {trust:?}: the sidecar that was made with a sidecar differs");
    }
    plain
}

/// Returns the number of records of each kind.
fn records(file: &[u8]) -> [u64; 6] {
    let sidecar = opened(&sidecar_of(file, &key()), Trust::Trusted);
    Kind::ALL.map(|kind| kind.count_in(&sidecar))
}

#[test]
fn meshes_answer_the_same() {
    for generation in WALKED {
        let still = vec![surface("one", &[]), surface("two", &[]), surface("three", &[])];
        let file = mesh(generation, still, Vec::new());
        agree(&file, generation.magic());
        assert_eq!(records(&file)[..3], [4, 3, 0]);
    }
    for generation in SKINNED {
        let skinned = [0, 1, 63, 64, 65, 128, 1000].map(|len: usize| surface("skin", &counts(7, len.max(3))));
        let mut skinned = skinned.to_vec();
        skinned.push(surface("nothing moves it", &[0; 200]));
        skinned.push(surface("four", &[4; 300]));
        let animations = vec![motion(400, 1, false), motion(1, 2, false), motion(0, 3, false), motion(300, 4, true)];
        let file = mesh(generation, skinned, animations);
        agree(&file, generation.magic());
        let [sections, surfaces, blocks, animations, checkpoints, rest @ ..] = records(&file);
        assert_eq!([sections, surfaces, animations], [14, 9, 4]);
        assert_eq!(blocks, 1 + 1 + 1 + 1 + 2 + 2 + 16 + 4 + 5);
        assert!(checkpoints > 2 && rest == [0]);
    }
    agree(&small_mesh(), "the small one");
    for stem in ["empty_ms12", "cube_ms13", "morph_ms13", "room_ms11", "skinned_ms10", "skinned_ms12"] {
        agree(&bytes(stem), stem);
    }
}

#[test]
fn lists_too_long_to_be_lent_are_refused_alike() {
    let file = mesh(Generation::Ms12, vec![surface("one", &[1; 70]), surface("two", &[2; 70])], Vec::new());
    for long in [5, 14, 15, 16, 255] {
        // A list of 69 empty runs, with the long run after most of them.
        let mut lists = vec![0; 66];
        lists.push(long);
        lists.extend(vec![7; usize::from(long) * 4]);
        lists.extend([0; 3]);
        let file = spoil(&file, "surface[0].weights", &lists);
        let mesh = Mesh::open(file.as_slice()).unwrap();
        let error = mesh.surface(0).unwrap().weights().unwrap_err();
        assert!(error.to_string().contains(&format!("found {long}")), "{error}");
        agree(&file, "a long list");
    }
}

#[test]
fn animation_files_answer_the_same() {
    for generation in AnimationGeneration::ALL {
        let file = animation(generation, 700, 1);
        agree(&file, generation.magic());
        let [sections, _, _, animations, checkpoints, ..] = records(&file);
        assert_eq!([sections, animations], [2, 1]);
        assert!(checkpoints > 0, "{}: no checkpoints", generation.magic());
        for frames in [0, 1, 31, 32, 33] {
            agree(&animation(generation, frames, 2), generation.magic());
        }
    }
    for stem in ["wave_an10", "wave_an11", "wave_an12", "wave_an13", "bend_an10", "still_an11"] {
        agree(&bytes(stem), stem);
    }
}

#[test]
fn what_needs_none_gets_none() {
    for stem in ["cube_ms14", "cube_ms15", "room_ms14", "skinned_ms14", "cube_ms14_raw"] {
        let mut builder = Builder::default();
        format_file(&Model::open(bytes(stem)).unwrap()).index(&mut builder).unwrap();
        assert!(builder.is_empty(), "{stem}");
    }
    let mut builder = Builder::default();
    format_file(&Model::open(bytes("cube_ms13")).unwrap()).index(&mut builder).unwrap();
    // A single surface without weights is located as fast without a sidecar.
    assert!(builder.is_empty() && builder.count(Kind::Sections) == 2);
    let mut builder = Builder::default();
    format_file(&Model::open(bytes("skinned_ms12")).unwrap()).index(&mut builder).unwrap();
    assert!(!builder.is_empty());
}

#[test]
fn a_damaged_file_gets_none() {
    let file = small_mesh();
    let mut builder = Builder::default();
    let error = format_file(&Model::open(&file[..file.len() - 9]).unwrap()).index(&mut builder).unwrap_err();
    assert!(error.offset().is_some(), "{error}");
    // The sidecar of the whole file is attached to a truncated file. It changes no result for a
    // reader that does not trust it.
    let sidecar = sidecar_of(&file, &key());
    for cut in [1, 9, 300, 1000] {
        let cut = &file[..file.len() - cut];
        let with = answers(cut, Some(opened(&sidecar, Trust::Untrusted)), 1);
        assert_eq!(answers(cut, None, 1).differs(&with), None);
    }
}

/// The number of vertices of each surface of [`large`].
const VERTICES: usize = 5000;

fn large() -> Vec<u8> {
    let surfaces = (0..4).map(|seed| surface("large", &counts(seed, VERTICES))).collect();
    mesh(Generation::Ms12, surfaces, vec![motion(5000, 1, false)])
}

#[test]
fn walks_nothing() {
    let file = large();
    let sidecar = Arc::new(opened(&sidecar_of(&file, &key()), Trust::Trusted));
    let look = |mesh: &Mesh<&[u8]>| {
        let header = mesh.access_log(0).unwrap().bytes();
        let view = mesh.surface(3).unwrap();
        assert!(view.positions().unwrap().get(0).is_some());
        assert!(view.weights().unwrap().unwrap().get(VERTICES as u32 - 1).is_some());
        mesh.access_log(0).unwrap().bytes() - header
    };
    let plain = Mesh::open_with(file.as_slice(), &OpenOptions::default().with_record_access(true)).unwrap();
    let walked = look(&plain);
    assert!(walked > 4 * VERTICES as u64, "{walked} bytes");
    let with = Mesh::open_with(file.as_slice(), &OpenOptions::default().with_record_access(true))
        .unwrap()
        .with_sidecar(Arc::clone(&sidecar));
    let looked = look(&with);
    assert!(looked <= 32, "{looked} bytes, and {walked} without a sidecar");
    let before = with.access_log(0).unwrap().bytes();
    assert!(with.animation(0).unwrap().frames == 5000);
    let looked = with.access_log(0).unwrap().bytes() - before;
    assert!(looked <= 32, "{looked} bytes for an animation of 10,000 keys");
    for generation in AnimationGeneration::ALL {
        let file = animation(generation, 5000, 1);
        let sidecar = Arc::new(opened(&sidecar_of(&file, &key()), Trust::Trusted));
        let with = Animation::open_with(file.as_slice(), &OpenOptions::default().with_record_access(true))
            .unwrap()
            .with_sidecar(sidecar);
        let header = with.access_log(0).unwrap().bytes();
        with.animation(0).unwrap();
        let looked = with.access_log(0).unwrap().bytes() - header;
        assert!(looked <= 96, "{}: {looked} bytes", generation.magic());
    }
}

/// Allocations for the location of a surface that was read from a sidecar.
const PLACE: u64 = 1;
/// Allocations for the located keys of an animation, its nearby checkpoints, and the list of such
/// checkpoints.
const FOUND: u64 = 3;

#[test]
fn takes_no_memory_for_what_it_lends() {
    let file = large();
    let stored = sidecar_of(&file, &key());
    let (key, copy) = (key(), stored.clone());
    // One allocation for the flags of verified pages, and one for the owner of the bytes.
    assert_eq!(allocations(|| Sidecar::open(copy, &key, Trust::Trusted).unwrap()), 2);
    let sidecar = Arc::new(opened(&stored, Trust::Trusted));
    let plain = allocations(|| Mesh::open(file.as_slice()).unwrap());
    assert_eq!(allocations(|| Mesh::open(file.as_slice()).unwrap().with_sidecar(Arc::clone(&sidecar))), plain);
    let with = Mesh::open(file.as_slice()).unwrap().with_sidecar(sidecar);
    for index in [3, 0, 2, 1] {
        let (count, held) = most_held(|| allocations(|| with.surface(index).unwrap().weights().unwrap()));
        assert!(count == PLACE && held < 256, "{count} allocations, {held} bytes");
        let weights = with.surface(index).unwrap().weights().unwrap().unwrap();
        let count = allocations(|| (0..VERTICES as u32).filter_map(|vertex| weights.get(vertex)).count());
        assert_eq!(count, 0, "allocations for lookups");
        let count = allocations(|| with.surface(index).unwrap().weights().unwrap().unwrap().get(7));
        assert_eq!(count, 0, "allocations for locating the weights");
    }
    let found = allocations(|| with.animation(0).unwrap());
    assert!(found <= FOUND, "{found} allocations to find the keys");
    let view = with.animation(0).unwrap();
    let mut pose = vec![Transform::default(); view.bone_count()];
    let count = allocations(|| {
        for frame in (0..view.frames).rev().step_by(37) {
            with.animation(0).unwrap().pose(frame, &mut pose).unwrap();
        }
    });
    assert_eq!((count, view.index_size()), (0, 0));
    let plain = Mesh::open(file.as_slice()).unwrap();
    assert!(plain.animation(0).unwrap().index_size() > 0);
}

#[test]
fn speaks_for_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("one.mesh");
    let file = small_mesh();
    fs::write(&path, &file).unwrap();
    let long_ago = SystemTime::UNIX_EPOCH + Duration::new(1_000_000_000, 500);
    let set = |path: &std::path::Path, time| File::options().append(true).open(path).unwrap().set_modified(time);
    set(&path, long_ago).unwrap();
    let now = |path: &std::path::Path| Key::of(&fs::metadata(path).unwrap());
    let first = now(&path);
    assert_eq!(first.size(), file.len() as u64);
    let sidecar = sidecar_of(&file, &first);
    let taken = |key: &Key| TRUSTS.map(|trust| Sidecar::open(sidecar.clone(), key, trust).is_some());
    assert_eq!(taken(&first), [true, true]);
    // A copy of the file in another folder that keeps the modification time, as an archive does.
    let copy = folder.path().join("two.mesh");
    fs::copy(&path, &copy).unwrap();
    set(&copy, long_ago).unwrap();
    assert_eq!(taken(&now(&copy)), [!cfg!(unix), true], "another file number");
    // The file is written again and its modification time is reset. The change time of the file
    // system still reveals the change.
    std::thread::sleep(Duration::from_millis(20));
    fs::write(&path, &file).unwrap();
    assert_eq!(taken(&now(&path)), [false, false], "another modification time");
    set(&path, long_ago).unwrap();
    assert_eq!(taken(&now(&path)), [!cfg!(unix), true], "a modification time that was reset");
    set(&path, long_ago + Duration::from_nanos(100)).unwrap();
    assert_eq!(taken(&now(&path)), [false, false], "a modification time 100 ns later");
    fs::write(&path, &file[1..]).unwrap();
    set(&path, long_ago).unwrap();
    assert_eq!(taken(&now(&path)), [false, false], "another size");
}

#[test]
fn another_header_is_another_file() {
    let sidecar = sidecar_of(&small_mesh(), &key());
    for stem in ["skinned_ms12", "room_ms11", "wave_an10", "cube_ms14"] {
        let other = bytes(stem);
        for trust in TRUSTS {
            let with = answers(&other, Some(opened(&sidecar, trust)), 1);
            assert_eq!(answers(&other, None, 1).differs(&with), None, "{stem}, {trust:?}");
        }
    }
}

#[test]
fn lies_beside_the_file_under_its_name() {
    assert_eq!(adjacent_path("some/city.mesh".as_ref()), std::path::Path::new("some/city.mesh.mpidx"));
    let shown = format!("{:?}", opened(&sidecar_of(&small_mesh(), &key()), Trust::Untrusted));
    assert!(shown.contains("sections: 6") && shown.contains("Untrusted"), "{shown}");
}

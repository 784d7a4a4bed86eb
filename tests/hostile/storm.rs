//! Tests of mapped files whose bytes change while they are read.
//!
//! [`Map::open`] forbids such a change. If a program breaks this rule, the results may be wrong,
//! but no call may panic. Each test reads a file with some threads for one second, and changes it
//! with others. With `MESHPEEK_STORM_SECONDS=60` each test takes a minute.

use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::FileExt as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use crate::support::unigine::builder;
use meshpeek::sidecar::{Key, Sidecar, Trust};
use meshpeek::unigine::{AnimationGeneration, Generation};
use meshpeek::unreal::script::Script;
use meshpeek::{Array as _, ErrorKind, Map, Model, OpenOptions as Options, unreal};

use crate::support::random::Random;
use crate::support::secondlife::raw_assets;
use crate::support::unigine::{furnished_room, grid, morph, skinned, wave};
use crate::support::{ezmesh, secondlife, unreal as pairs};
use crate::visit::{sidecar, visit, visit_indexed, visit_script};

/// The number of threads that read.
const READERS: usize = 5;

/// The threads that change the files. A change that needs a guard, such as a file that becomes
/// shorter, can be added here.
const CHANGES: [fn(&[Original], &AtomicBool, &mut Random); 3] = [write_at_offsets, write_through_a_map, replace];

/// A map that a sidecar owns together with others.
struct Shared(Arc<Map>);

impl AsRef<[u8]> for Shared {
    fn as_ref(&self) -> &[u8] {
        bytes_of(&self.0)
    }
}

fn bytes_of(map: &Arc<Map>) -> &[u8] {
    (**map).as_ref()
}

/// A file, and the bytes that it has at first.
struct Original {
    path: PathBuf,
    bytes: Vec<u8>,
}

/// Returns how long a test lasts.
fn duration() -> Duration {
    let seconds = std::env::var("MESHPEEK_STORM_SECONDS").ok().and_then(|seconds| seconds.parse().ok());
    Duration::from_secs_f64(seconds.unwrap_or(1.0))
}

/// Calls `read` in several threads with maps of the files, while other threads change the files.
///
/// Fails if a call panics.
fn storm(name: &str, files: &[Vec<u8>], read: impl Fn(&[Arc<Map>], &mut Random) + Sync) {
    // Two tests at the same time would halve the number of changes that happen during a read.
    static ONE: Mutex<()> = Mutex::new(());
    let one = ONE.lock();
    let folder = tempfile::tempdir().unwrap();
    let originals: Vec<_> =
        files.iter().zip(0..).map(|(bytes, number)| original(folder.path(), number, bytes)).collect();
    let (stop, rounds, panics) = (AtomicBool::new(false), AtomicU64::new(0), AtomicU64::new(0));
    let until = Instant::now() + duration();
    thread::scope(|scope| {
        for (number, change) in (0..).zip(CHANGES) {
            let (originals, stop) = (&originals, &stop);
            scope.spawn(move || change(originals, stop, &mut Random::new(number)));
        }
        let readers: Vec<_> = (0..READERS)
            .map(|number| {
                let (originals, read, rounds, panics) = (&originals, &read, &rounds, &panics);
                scope.spawn(move || {
                    let mut random = Random::new(100 + number as u64);
                    // On a busy machine, the time may be over before the first round.
                    while (Instant::now() < until || rounds.load(Relaxed) == 0) && panics.load(Relaxed) < 20 {
                        let Some(maps) = map_all(originals) else { continue };
                        for _ in 0..4 {
                            let call = catch_unwind(AssertUnwindSafe(|| read(&maps, &mut random)));
                            panics.fetch_add(u64::from(call.is_err()), Relaxed);
                            rounds.fetch_add(1, Relaxed);
                        }
                    }
                })
            })
            .collect();
        // The changers are stopped before a panic of a reader is passed on.
        let ended: Vec<_> = readers.into_iter().map(thread::ScopedJoinHandle::join).collect();
        stop.store(true, Relaxed);
        for reader in ended {
            reader.unwrap();
        }
    });
    let (rounds, panics) = (rounds.into_inner(), panics.into_inner());
    println!("{name}: {rounds} rounds, {panics} panics");
    drop(one);
    assert!(rounds > 0, "{name}");
    assert_eq!(panics, 0, "{name}: of {rounds} rounds");
}

fn original(folder: &Path, number: usize, bytes: &[u8]) -> Original {
    let path = folder.join(format!("file{number}"));
    fs::write(&path, bytes).unwrap();
    Original { path, bytes: bytes.to_vec() }
}

/// Maps all files, or returns `None` if one of them is deleted at the moment.
fn map_all(originals: &[Original]) -> Option<Vec<Arc<Map>>> {
    // SAFETY: the test breaks the rule that a mapped file does not change, to show that the library
    // needs only any bits. No file becomes shorter, so every read has a page.
    #[allow(unsafe_code, reason = "mapping is unsafe")]
    originals.iter().map(|one| unsafe { Map::open(&one.path) }.ok().map(Arc::new)).collect()
}

/// Returns a place in a file and a value for it. Half of the places are near the start, because the
/// header is there.
fn pick(length: usize, random: &mut Random) -> (usize, [u8; 8], usize) {
    let at = if random.one_in(2) { random.below(length.min(300)) } else { random.below(length) };
    let any = random.next();
    let value =
        *random.pick(&[0, u64::MAX, 0x7f, 0x80, 0xf0, 0x40, 0x7fff_ffff, 0x8000_0000, 1, b'a'.into(), any, any]);
    let width = (*random.pick(&[1, 1, 2, 4, 8])).min(length - at);
    (at, value.to_le_bytes(), width)
}

fn pause(random: &mut Random) {
    (0..random.below(400)).for_each(|_| std::hint::spin_loop());
}

/// Opens a file that another thread may have deleted for a moment.
fn open(path: &Path, stop: &AtomicBool) -> Option<File> {
    while !stop.load(Relaxed) {
        if let Ok(file) = OpenOptions::new().read(true).write(true).open(path) {
            return Some(file);
        }
        thread::yield_now();
    }
    None
}

/// Changes bytes with system calls, and soon restores most of them.
fn write_at_offsets(originals: &[Original], stop: &AtomicBool, random: &mut Random) {
    while let Some(Original { path, bytes }) = originals.get(random.below(originals.len())) {
        let Some(file) = open(path, stop) else { return };
        for _ in 0..200 {
            let (at, value, width) = pick(bytes.len(), random);
            file.write_all_at(&value[..width], at as u64).unwrap();
            pause(random);
            if !random.one_in(10) {
                file.write_all_at(&bytes[at..at + width], at as u64).unwrap();
            }
        }
        file.write_all_at(bytes, 0).unwrap();
    }
}

/// Maps a file for writing.
fn writable(file: &File, length: usize) -> memmap2::MmapRaw {
    memmap2::MmapOptions::new().len(length).map_raw(file).unwrap()
}

fn put(map: &memmap2::MmapRaw, at: usize, byte: u8) {
    assert!(at < map.len());
    // SAFETY: the place is inside of the map. The write is volatile, because other threads read the
    // same memory through other maps.
    #[allow(unsafe_code, reason = "writing to memory that others read")]
    unsafe {
        map.as_mut_ptr().add(at).write_volatile(byte);
    }
}

/// Changes bytes through another mapping of the file: one byte alternates between two values.
fn write_through_a_map(originals: &[Original], stop: &AtomicBool, random: &mut Random) {
    while let Some(Original { path, bytes }) = originals.get(random.below(originals.len())) {
        let Some(map) = open(path, stop).map(|file| writable(&file, bytes.len())) else { return };
        for _ in 0..200 {
            let (at, value, width) = pick(bytes.len(), random);
            for _ in 0..=random.below(40) {
                (at..at + width).zip(value).for_each(|(at, byte)| put(&map, at, byte));
                (0..random.below(60)).for_each(|_| std::hint::spin_loop());
                (at..at + width).for_each(|at| put(&map, at, bytes[at]));
            }
        }
    }
}

/// Replaces a file by a rename, or deletes it and writes it again.
fn replace(originals: &[Original], stop: &AtomicBool, random: &mut Random) {
    while !stop.load(Relaxed) {
        let Original { path, bytes } = random.pick(originals);
        let other = path.with_extension("new");
        fs::write(&other, bytes).unwrap();
        if random.one_in(2) {
            fs::remove_file(path).unwrap();
        }
        fs::rename(&other, path).unwrap();
        thread::sleep(Duration::from_millis(10));
    }
}

/// Reads one file of any format. Sometimes the accesses are recorded.
fn read_model(maps: &[Arc<Map>], random: &mut Random) {
    let options = Options::default().with_record_access(random.one_in(8));
    let Ok(model) = Model::open_with(bytes_of(&maps[0]), &options) else { return };
    visit(&model, random);
}

/// Returns a mesh with enough bones, corners and names for a sort that divides its input.
fn unigine_mesh(generation: Generation) -> Vec<u8> {
    let mut mesh = skinned(generation);
    mesh.surfaces.push(grid("grid", 12, true));
    mesh.surfaces.extend((0..60).map(|number| grid(&format!("surface {number}"), 1, false)));
    mesh.surfaces.extend(furnished_room().surfaces);
    if generation.has_bones() {
        let bone = |number: usize| builder::Bone { name: format!("bone {number:03}"), ..mesh.bones[1].clone() };
        mesh.bones.extend((0..100).map(bone).collect::<Vec<_>>());
    } else {
        mesh.bones.clear();
        mesh.surfaces.iter_mut().for_each(|surface| surface.weights.clear());
    }
    if generation.has_targets() {
        mesh.surfaces.extend(morph().surfaces);
    } else {
        mesh.surfaces.iter_mut().for_each(|surface| surface.targets.truncate(1));
    }
    mesh.to_bytes().unwrap()
}

fn unigine_animation(generation: AnimationGeneration) -> Vec<u8> {
    let mut file = wave(generation);
    let bone = |number: usize| builder::Bone { name: format!("bone {number:03}"), ..file.bones[2].clone() };
    file.bones.extend((0..100).map(bone).collect::<Vec<_>>());
    file.to_bytes().unwrap()
}

/// Makes a test of files that [`Model::open`] opens.
macro_rules! storms {
    ($($name:ident: $bytes:expr;)*) => {
        $(#[test]
        fn $name() {
            storm(stringify!($name), &[$bytes], read_model);
        })*
    };
}

storms! {
    ms10: unigine_mesh(Generation::Ms10);
    ms11: unigine_mesh(Generation::Ms11);
    ms12: unigine_mesh(Generation::Ms12);
    ms13: unigine_mesh(Generation::Ms13);
    ms14: unigine_mesh(Generation::Ms14);
    ms14_raw: builder::Mesh { storage: meshpeek::unigine::Storage::Raw, ..furnished_room() }.to_bytes().unwrap();
    ms15: unigine_mesh(Generation::Ms15);
    an10: unigine_animation(AnimationGeneration::An10);
    an11: unigine_animation(AnimationGeneration::An11);
    an12: unigine_animation(AnimationGeneration::An12);
    an13: unigine_animation(AnimationGeneration::An13);
    ezm: ezmesh::flag().to_ezm();
    ezb: ezmesh::bytes("flag101.ezb");
    llmesh: asset();
    slm: raw_assets::container(&[asset(), secondlife::bytes("rock.llmesh")]);
    asset_of_a_cache: secondlife::bytes("cache.asset");
}

/// Returns an asset with some blocks, and a map of many keys in its header.
fn asset() -> Vec<u8> {
    let level = raw_assets::zlib(&raw_assets::level(&[raw_assets::square(), raw_assets::square()]));
    let skin = raw_assets::zlib(&raw_assets::map(&raw_assets::skin()));
    let hulls = raw_assets::zlib(&raw_assets::map(&raw_assets::hulls()));
    let keys = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta"];
    let many: Vec<_> = keys.into_iter().cycle().zip(0..80).map(|(key, at)| (key, raw_assets::integer(at))).collect();
    raw_assets::stored_asset(
        &[("creator", raw_assets::string(b"a")), ("many", raw_assets::map(&many))],
        &[("high_lod", level), ("skin", skin), ("physics_convex", hulls)],
    )
}

/// Tests a pair with its script. The polygons have many textures, and the script has many commands.
#[test]
fn unreal_pair_with_script() {
    let [data, aniv] = many_polygons();
    let mut script = String::from("#exec MESH IMPORT MESH=cube ANIVFILE=a DATAFILE=d\n");
    for number in 0..100 {
        let (other, time) = (number * 7 % 31, f64::from(number) / 100.0);
        let _ = writeln!(script, "#exec MESH SEQUENCE MESH=cube SEQ=s{other} STARTFRAME=0 NUMFRAMES=1");
        let _ = writeln!(script, "#exec MESH NOTIFY MESH=cube SEQ=s{other} TIME={time} FUNCTION=f{number}");
        let _ = writeln!(script, "#exec MESHMAP SETTEXTURE MESHMAP=cube NUM={other} TEXTURE=t{other}");
        let _ = writeln!(script, "#exec TEXTURE IMPORT NAME=t{other} FILE=t{other}.pcx");
    }
    let files = [data, aniv, script.into_bytes()];
    storm("unreal_pair_with_script", &files, |maps, random| {
        let [data, aniv, script] = [0, 1, 2].map(|number| bytes_of(&maps[number]));
        if let Ok(script) = Script::open(script) {
            visit_script(&script, random);
        }
        let (Ok(mesh), Ok(script)) = (unreal::Mesh::open(data, aniv), Script::open(script)) else { return };
        let Ok(mesh) = mesh.with_script(script, b"cube") else { return };
        visit(&Model::from(mesh), random);
    });
}

/// Tests files with sidecars that have trees. Both change.
#[test]
fn sidecars_with_trees() {
    let mut large = builder::Mesh::new(Generation::Ms12);
    large.surfaces = vec![grid("large", 40, true), grid("small", 20, false)];
    let key = Key::of(&fs::metadata(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")).unwrap());
    for bytes in [unigine_mesh(Generation::Ms12), large.to_bytes().unwrap()] {
        let stored = sidecar(&Model::open(bytes.as_slice()).unwrap(), &key).unwrap();
        storm("sidecars_with_trees", &[bytes, stored], |maps, random| {
            let trust = if random.one_in(2) { Trust::Trusted } else { Trust::Untrusted };
            let Some(sidecar) = Sidecar::open(Shared(Arc::clone(&maps[1])), &key, trust).map(Arc::new) else { return };
            let Ok(model) = Model::open(bytes_of(&maps[0])) else { return };
            visit_indexed(&model, &sidecar, random);
            visit(&model.with_sidecar(sidecar), random);
        });
    }
}

/// Tests counts of a binary EZ-Mesh file that grow after the file was opened. Callers reserve
/// memory for a count.
#[test]
fn a_count_that_grows_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let file = original(folder.path(), 0, &ezmesh::bytes("flag101.ezb"));
    let map = &map_all(std::slice::from_ref(&file)).unwrap()[0];
    let mesh = meshpeek::ezmesh::Mesh::open(bytes_of(map)).unwrap();
    let counts = [
        mesh.mesh(0).unwrap().vertex_buffer().unwrap().unwrap().offset().unwrap() - 4,
        mesh.section(0).unwrap().index_buffer().unwrap().unwrap().offset().unwrap() - 4,
        mesh.animation(0).unwrap().tracks().next().unwrap().offset().unwrap() - 12,
    ];
    assert!(ezmesh::builder::Mesh::of(mesh.view()).is_ok());
    for at in counts {
        let whole = file.bytes[at as usize..][..4].to_vec();
        let changed = File::options().write(true).open(&file.path).unwrap();
        changed.write_all_at(&[0xff], at + 3).unwrap();
        let error = ezmesh::builder::Mesh::of(mesh.view()).unwrap_err();
        assert!(error.kind() == ErrorKind::Count, "{error}");
        assert_eq!(error.offset(), Some(at));
        changed.write_all_at(&whole, at).unwrap();
    }
}

/// Reads a file in two threads, while a third thread alternates the bytes at some places between
/// their own value and another. Fails if a call panics.
fn flicker(name: &str, bytes: &[u8], places: &[usize], other: impl Fn(u8) -> u8 + Sync, read: impl Fn(&[u8]) + Sync) {
    let folder = tempfile::tempdir().unwrap();
    let originals = [original(folder.path(), 0, bytes)];
    let maps = map_all(&originals).unwrap();
    let (stop, rounds, panics) = (AtomicBool::new(false), AtomicU64::new(0), AtomicU64::new(0));
    let until = Instant::now() + duration() / 4;
    thread::scope(|scope| {
        let readers: Vec<_> = (0..2)
            .map(|_| {
                scope.spawn(|| {
                    while Instant::now() < until || rounds.load(Relaxed) == 0 {
                        let call = catch_unwind(AssertUnwindSafe(|| read(bytes_of(&maps[0]))));
                        panics.fetch_add(u64::from(call.is_err()), Relaxed);
                        rounds.fetch_add(1, Relaxed);
                    }
                })
            })
            .collect();
        scope.spawn(|| {
            let mut random = Random::new(3);
            let map = writable(&open(&originals[0].path, &stop).unwrap(), bytes.len());
            while !stop.load(Relaxed) {
                let at = *random.pick(places);
                put(&map, at, other(bytes[at]));
                pause(&mut random);
                put(&map, at, bytes[at]);
            }
        });
        // The changers are stopped before a panic of a reader is passed on.
        let ended: Vec<_> = readers.into_iter().map(thread::ScopedJoinHandle::join).collect();
        stop.store(true, Relaxed);
        for reader in ended {
            reader.unwrap();
        }
    });
    let (rounds, panics) = (rounds.into_inner(), panics.into_inner());
    println!("{name}: {rounds} rounds, {panics} panics");
    assert!(rounds > 0 && panics == 0, "{name}: {panics} panics in {rounds} rounds");
}

/// Returns all places of a text in a file.
fn places_of(bytes: &[u8], text: &[u8]) -> Vec<usize> {
    let found = memchr::memmem::find_iter(bytes, text).flat_map(|at| at..at + text.len());
    let found: Vec<_> = found.collect();
    assert!(found.len() > text.len() * 20);
    found
}

/// Tests a message that shows the last bytes of a file, which end at the end of a page. One of them
/// alternates between a letter and the first byte of a long character.
#[test]
fn shows_a_copy_of_changing_bytes() {
    let mesh = |name: usize| {
        let bones = vec![builder::Bone { name: "a".repeat(name), parent: -1, ..builder::Bone::default() }];
        builder::Mesh { bones, ..builder::Mesh::new(Generation::Ms13) }.to_bytes().unwrap()
    };
    let mut bytes = mesh(4096 - mesh(100).len() + 100);
    assert_eq!(bytes.len(), 4096);
    bytes[4092..].copy_from_slice(b"AAAA");
    flicker(
        "magic",
        &bytes,
        &[4095],
        |_| 0xf0,
        |bytes| {
            let Ok(mesh) = meshpeek::unigine::Mesh::open(bytes) else { return };
            let text = meshpeek::MeshFile::check(&mesh).unwrap_err().to_string();
            assert!(
                text.contains("\"AAAA\"") || text.contains("41 41 41 f0") || text.contains("41 41 41 41"),
                "{text}"
            );
        },
    );
}

/// Tests sorts of names: `validate` searches for equal names, and a retarget matches them.
#[test]
fn sorts_copies_of_changing_names() {
    let bytes = unigine_mesh(Generation::Ms12);
    let names: Vec<_> = [&b"surface "[..], b"bone "].iter().flat_map(|name| places_of(&bytes, name)).collect();
    flicker(
        "names",
        &bytes,
        &names,
        |byte| byte ^ 3,
        |bytes| {
            let Ok(mesh) = meshpeek::unigine::Mesh::open(bytes) else { return };
            let _ = meshpeek::MeshFile::validate_structure(&mesh, &mut |finding| drop(finding.to_string()));
            drop(meshpeek::model::animation::Retarget::new(&mesh, &mesh));
        },
    );
}

/// Tests the sort of keys in a map of a header.
#[test]
fn sorts_copies_of_changing_keys() {
    let bytes = asset();
    let keys: Vec<_> = [&b"alpha"[..], b"beta", b"gamma", b"delta", b"epsilon", b"zeta"]
        .iter()
        .flat_map(|key| memchr::memmem::find_iter(&bytes, key).flat_map(|at| at..at + key.len()).collect::<Vec<_>>())
        .collect();
    assert!(keys.len() > 300);
    flicker(
        "keys",
        &bytes,
        &keys,
        |byte| byte ^ 7,
        |bytes| {
            let Ok(model) = Model::open(bytes) else { return };
            let _ = model.file().validate_structure(&mut drop);
            let _ = model.file().validate(&mut drop);
        },
    );
}

/// Returns the data file and the aniv file of a cube with 600 more polygons of several textures.
fn many_polygons() -> [Vec<u8>; 2] {
    let mut mesh = pairs::cube(4);
    for (number, polygon) in (0_u32..600).zip(mesh.polygons.clone().into_iter().cycle()) {
        mesh.polygons.push(unreal::RawPolygon { texture: number.to_le_bytes()[0] % 7, ..polygon });
    }
    [mesh.data_bytes().unwrap(), mesh.aniv_bytes().unwrap()]
}

/// Tests the sort of polygons by surface, and the sort of their corners by UVs and positions.
#[test]
fn sorts_copies_of_changing_polygons() {
    let [data, aniv] = many_polygons();
    let places: Vec<_> = (48..data.len()).collect();
    flicker(
        "polygons",
        &data,
        &places,
        |byte| byte ^ 5,
        |data| {
            let Ok(mesh) = unreal::Mesh::open(data, aniv.as_slice()) else { return };
            for surface in meshpeek::Surface::all(&mesh).unwrap() {
                drop(surface.weld());
            }
        },
    );
}

/// Tests the sort of corners that share an attribute index.
#[test]
fn sorts_copies_of_changing_corners() {
    let mut mesh = builder::Mesh::new(Generation::Ms12);
    mesh.surfaces = vec![grid("grid", 20, false)];
    mesh.surfaces[0].attribute_indices.fill(0);
    let bytes = mesh.to_bytes().unwrap();
    let places = {
        let mesh = meshpeek::unigine::Mesh::open(bytes.as_slice()).unwrap();
        let meshpeek::model::Indices(meshpeek::model::IndexEncoding::U16(indices)) =
            mesh.surface(0).unwrap().indices().unwrap()
        else {
            panic!()
        };
        let start = indices.raw().as_ptr() as usize - bytes.as_ptr() as usize;
        (start..start + indices.raw().len() * 2).step_by(2).collect::<Vec<_>>()
    };
    flicker(
        "corners",
        &bytes,
        &places,
        |byte| byte ^ 9,
        |bytes| {
            let Ok(mesh) = meshpeek::unigine::Mesh::open(bytes) else { return };
            drop(meshpeek::Surface::new(&mesh, 0).unwrap().weld());
        },
    );
}

/// Tests that welding equal streams that change gives vertices in range.
///
/// If the streams differ in one reading and are equal in another, any of the results is valid.
#[test]
fn welds_copies_of_changing_equal_streams() {
    let mut mesh = builder::Mesh::new(Generation::Ms12);
    mesh.surfaces = vec![grid("grid", 20, false)];
    let bytes = mesh.to_bytes().unwrap();
    let places: Vec<usize> = {
        let mesh = meshpeek::unigine::Mesh::open(bytes.as_slice()).unwrap();
        let start = mesh.surface(0).unwrap().indices().unwrap().as_bytes().as_ptr() as usize - bytes.as_ptr() as usize;
        (start..start + 400).collect()
    };
    flicker(
        "equal streams",
        &bytes,
        &places,
        |byte| byte ^ 0x81,
        |bytes| {
            let Ok(mesh) = meshpeek::unigine::Mesh::open(bytes) else { return };
            let surface = meshpeek::Surface::new(&mesh, 0).unwrap();
            drop(surface.weld());
            let Ok((welded, _)) = surface.weld_lossy() else { return };
            assert!(welded.indices.iter().all(|index| (*index as usize) < welded.vertices.len()));
        },
    );
}

//! Tests of hostile UNIGINE meshes, and of properties that hold for any file.

use std::path::PathBuf;
use std::time::Instant;

use crate::support::unigine::builder;
use meshpeek::unigine::{Generation, Mesh};
use meshpeek::{
    Array, Corner, Error, ErrorKind, Finding, Limits, Map, MeshFile as _, Model, OpenOptions, Severity, Surface,
};

use crate::support::allocations::{GRANTED, refuse_each};
use crate::support::cases;
use crate::support::corpus;
use crate::support::invariants::{Fate, expect_named};
use crate::support::is_error;
use crate::support::random::Random;
use crate::support::unigine::invariants::{borrow_everything, check_invariants};
use crate::support::unigine::{
    RawFile, bytes, compact, faults, findings, grid, long_compact, open_and_check, poke, range, region, regions,
    samples, spoil, spoil_all,
};
use crate::{bounded, edges, peak, swept_bits, within};

/// Asserts the documented memory bound for everything that can be borrowed from a file.
fn expect_bounded(bytes: &[u8], what: &str) -> (f64, usize) {
    bounded(bytes.len(), what, || borrow_everything(bytes))
}

/// Asserts that walking the file gives an error about `field` at `offset`, and that the invariants
/// hold.
fn refused(bytes: &[u8], field: &str, offset: usize) -> Error {
    check_invariants(bytes, &mut Random::new(1));
    let error = open_and_check(bytes).expect_err(field);
    expect_named(&error, bytes.len() as u64);
    assert_eq!((error.field().to_string().as_str(), error.offset()), (field, Some(offset as u64)), "{error}");
    error
}

/// Asserts that the file can be read to its end, and that `validate` reports `rule` about `field`.
fn finds(bytes: &[u8], rule: &str, severity: Severity, field: &str) -> Finding {
    assert_eq!(check_invariants(bytes, &mut Random::new(1)), Fate::Read);
    let all = findings(bytes);
    let one = all.iter().find(|found| found.rule == rule && found.field.to_string() == field);
    let one = one.unwrap_or_else(|| panic!("no {rule} about {field} among {all:?}")).clone();
    assert_eq!(one.severity, severity, "{one}");
    one
}

fn error_of<T: std::fmt::Debug>(result: meshpeek::Result<T>, field: &str) -> Error {
    let error = result.expect_err(field);
    assert_eq!(error.field().to_string(), field, "{error}");
    error
}

fn triangle(name: &str) -> builder::Surface {
    builder::Surface {
        name: name.to_owned(),
        targets: vec![builder::MorphTarget {
            positions: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
            frames: vec![meshpeek::decode::TangentFrame::default()],
            ..builder::MorphTarget::default()
        }],
        indices: vec![0, 1, 2],
        attribute_indices: vec![0; 3],
        ..builder::Surface::default()
    }
}

fn mesh_of(surfaces: Vec<builder::Surface>) -> Vec<u8> {
    builder::Mesh { surfaces, ..builder::Mesh::new(Generation::Ms13) }.to_bytes().unwrap()
}

/// Returns the samples that are small enough to damage every bit in about a second each.
fn small_samples() -> Vec<(&'static str, Vec<u8>)> {
    ["empty_ms12", "cube_ms10", "cube_ms13", "skinned_ms12", "morph_ms13"].map(|stem| (stem, bytes(stem))).into()
}

/// Returns the real meshes that this version reads, the smallest first.
///
/// The list is empty if the machine has no corpus.
fn real_files(most: u64) -> Vec<PathBuf> {
    let Some(folder) = corpus("unigine") else { return Vec::new() };
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap()).collect();
    files.retain(|entry| {
        let name = entry.file_name();
        let ours = Generation::ALL.iter().any(|known| name.to_string_lossy().starts_with(known.magic()));
        ours && entry.metadata().unwrap().len() <= most
    });
    files.sort_by_key(|entry| (entry.metadata().unwrap().len(), entry.file_name()));
    files.into_iter().map(|entry| entry.path()).collect()
}

// Tests for any file.

/// Tests an empty file, files of one to three bytes, and a file that ends after the header.
#[test]
fn refuses_next_to_nothing() {
    let error = refused(b"", "magic", 0);
    assert!(error.kind() == ErrorKind::Empty, "{error}");
    for short in [&b"m"[..], b"ms", b"ms1"] {
        let error = refused(short, "magic", 0);
        assert!(is_error(&error, ErrorKind::UnexpectedEnd, &["expected 4 bytes,"]), "{error}");
    }
    let whole = bytes("skinned_ms12");
    let header = region(&whole, "bind_transforms").end;
    let cut = &whole[..header];
    refused(cut, "animation[0].bones.count", header);
    let mesh = Mesh::open(cut).unwrap();
    assert_eq!((mesh.bone_count(), mesh.animation_count(), mesh.surface_count()), (2, 1, 1));
    assert_eq!(mesh.bone(1).unwrap().name.as_bytes(), b"root");
    assert_eq!(Surface::new(&mesh, 0).unwrap().name().unwrap().as_bytes(), b"bar");
    assert!(Surface::new(&mesh, 0).unwrap().bounds().is_ok() && mesh.surface(0).is_err());
    let empty = bytes("empty_ms12");
    refused(&empty[..empty.len() - 4], "closing_magic", empty.len() - 4);
}

/// Truncates every sample at every length.
///
/// Only the whole file is valid.
#[test]
fn survives_every_cut() {
    for sample in samples() {
        let whole = sample.mesh.to_bytes().unwrap();
        let last = if sample.mesh.generation.has_bones() { "bind_transforms" } else { "inner_magic" };
        let header = region(&whole, last).end;
        for length in 0..whole.len() {
            let cut = &whole[..length];
            let opened = Mesh::open(cut);
            assert_eq!(opened.is_ok(), length >= header, "{} cut to {length}", sample.stem);
            let error = opened.and_then(|mesh| mesh.check()).unwrap_err();
            expect_named(&error, length as u64);
            let missing = matches!(error.kind(), ErrorKind::UnexpectedEnd | ErrorKind::Count | ErrorKind::Empty);
            assert!(missing, "{} cut to {length}: {error}", sample.stem);
            if whole.len() < 1500 && cases::is_next_tested(10) {
                assert_ne!(check_invariants(cut, &mut Random::new(length as u64)), Fate::Read);
            }
        }
    }
}

/// Flips every bit of the small samples.
#[test]
fn survives_every_flipped_bit() {
    for (_, whole) in small_samples() {
        let mut spoilt = whole.clone();
        let mut random = Random::new(5);
        for bit in cases::tested(0..whole.len() * 8, 20) {
            spoilt[bit / 8] ^= 1 << (bit % 8);
            check_invariants(&spoilt, &mut random);
            spoilt[bit / 8] = whole[bit / 8];
        }
    }
}

/// Sets every field of one, two and four bytes to 0, 1, 0x7f.., 0x80.., 0xff.., and to the file's
/// length and its neighbours.
#[test]
fn survives_edge_values_in_every_field() {
    for sample in samples() {
        let whole = sample.mesh.to_bytes().unwrap();
        let mut places = Vec::new();
        for region in regions(&whole) {
            let (range, size) = (range(&region), region.element.size as usize);
            // Every byte of the first item, the second item, and the last item.
            let first = if size == 0 { range.len() } else { size };
            places.extend((0..first.min(16)).map(|into| range.start + into));
            places.extend([range.start + size, range.end.saturating_sub(size.max(1))]);
        }
        places.sort_unstable();
        places.dedup();
        let stride = if whole.len() > 1500 { 7 } else { 3 };
        for (number, at) in places.into_iter().enumerate() {
            for (width, value) in [1, 2, 4].into_iter().flat_map(|width| {
                edges(width, whole.len())
                    .into_iter()
                    .map(move |value| (width, value))
                    .skip(number % stride)
                    .step_by(stride)
            }) {
                if at + width <= whole.len() && cases::is_next_tested(30) {
                    let mut spoilt = whole.clone();
                    spoilt[at..at + width].copy_from_slice(&value.to_le_bytes()[..width]);
                    check_invariants(&spoilt, &mut Random::new(value));
                }
            }
        }
    }
}

/// Tests one byte and a mebibyte after the end.
///
/// They are reported, belong to a named region, and are not written again.
#[test]
fn reports_trailing_bytes() {
    for more in [1, 1 << 20] {
        let whole = bytes("skinned_ms12");
        let longer = [whole.as_slice(), &vec![b'm'; more]].concat();
        let found = finds(&longer, "UG24", Severity::Warning, "end");
        assert_eq!(found.offset, whole.len() as u64);
        assert!(found.text.contains(&more.to_string()), "{found}");
        let mesh = Mesh::open(longer.as_slice()).unwrap();
        assert_eq!(mesh.end().unwrap(), whole.len() as u64);
        let mut written = Vec::new();
        mesh.write_to(0, &mut written).unwrap();
        assert!(written == whole, "only the bytes of the mesh are written");
    }
}

/// Tests two joined files.
///
/// The first is read, and the second is reported as extra bytes.
#[test]
fn reads_the_first_of_two_joined_files() {
    let (one, two) = (bytes("cube_ms13"), bytes("cube_ms10"));
    let found = finds(&[one.as_slice(), &two].concat(), "UG24", Severity::Warning, "end");
    assert_eq!(found.offset, one.len() as u64);
    assert!(found.text.contains(&two.len().to_string()), "{found}");
}

/// Tests links.
///
/// A link to a file opens that file. A cycle of links and a link to nothing are errors.
#[cfg(unix)]
#[test]
#[allow(unsafe_code, reason = "mapping is unsafe")]
fn follows_links_and_refuses_loops() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let [file, link, one, two, dangling] =
        ["file", "link", "one", "two", "dangling"].map(|name| folder.path().join(name));
    std::fs::write(&file, bytes("cube_ms13")).unwrap();
    symlink(&file, &link).unwrap();
    symlink(&two, &one).unwrap();
    symlink(&one, &two).unwrap();
    symlink(folder.path().join("nothing"), &dangling).unwrap();
    // SAFETY: only this test uses the folder.
    let open = |path: &PathBuf| unsafe { Map::open(path) };
    assert_eq!(Mesh::open(open(&link).unwrap()).unwrap().surface_count(), 1);
    for broken in [&one, &dangling] {
        let error = open(broken).unwrap_err();
        assert!(error.kind() == ErrorKind::Io && error.path() == Some(broken), "{error}");
        assert!(meshpeek::read(broken).is_err());
    }
}

/// Tests a file of five gibibytes that begins with a valid mesh.
///
/// The rest of the file is never read.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
#[test]
#[allow(unsafe_code, reason = "mapping is unsafe")]
fn never_reads_a_tail_of_gibibytes() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    let whole = bytes("room_ms11");
    std::io::Write::write_all(&mut file, &whole).unwrap();
    file.as_file().set_len(5 << 30).unwrap();
    // SAFETY: only this test uses the file.
    let map = unsafe { Map::open(file.path()).unwrap() };
    within(5, "a long tail", || {
        let mesh = Mesh::open_with(map, &OpenOptions::default().with_record_access(true)).unwrap();
        mesh.validate(&mut |_| {}).unwrap();
        assert_eq!(mesh.end().unwrap(), whole.len() as u64);
        assert!(mesh.access_log(0).unwrap().bytes() < whole.len() as u64);
    });
}

/// Tests the largest possible position array, which is a hole in a sparse file, with the rest of
/// the file after it.
///
/// Opening the file and locating the later arrays reads nothing of it.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
#[test]
#[allow(unsafe_code, reason = "mapping is unsafe")]
fn reads_a_sparse_file_of_24_gibibytes() {
    use std::os::unix::fs::FileExt as _;
    let whole =
        mesh_of(vec![builder::Surface { indices: Vec::new(), attribute_indices: Vec::new(), ..triangle("hole") }]);
    let count = region(&whole, "surface[0].target[0].positions.count");
    let rest = region(&whole, "surface[0].target[0].positions").end;
    let most = i32::MAX;
    let head = [&whole[..count.start], &compact(most)].concat();
    let behind = head.len() as u64 + most as u64 * 12;
    let file = tempfile::NamedTempFile::new().unwrap();
    file.as_file().write_all_at(&head, 0).unwrap();
    file.as_file().write_all_at(&whole[rest..], behind).unwrap();
    // SAFETY: only this test uses the file.
    let map = unsafe { Map::open(file.path()).unwrap() };
    within(5, "a hole", || {
        let mesh = Mesh::open_with(map, &OpenOptions::default().with_record_access(true)).unwrap();
        mesh.check().unwrap();
        let positions = mesh.surface(0).unwrap().positions().unwrap();
        assert_eq!(positions.len(), most as usize);
        assert_eq!(positions.get(most as usize - 1), Some([0.0; 3]));
        assert_eq!(positions.get(most as usize), None);
        assert!(mesh.access_log(0).unwrap().pages() <= 3);
    });
}

/// Tests that a file that is replaced by a rename or deleted while it is mapped keeps its content.
#[cfg(unix)]
#[test]
#[allow(unsafe_code, reason = "mapping is unsafe")]
fn keeps_a_mapped_file_that_is_replaced_or_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let (path, other) = (folder.path().join("mesh"), folder.path().join("other"));
    std::fs::write(&path, bytes("cube_ms13")).unwrap();
    std::fs::write(&other, bytes("room_ms11")).unwrap();
    // SAFETY: the file is replaced and deleted, never written to.
    let mesh = Mesh::open(unsafe { Map::open(&path).unwrap() }).unwrap();
    std::fs::rename(&other, &path).unwrap();
    assert_eq!(mesh.surface(0).unwrap().positions().unwrap().get(0), Some([0.5; 3]));
    mesh.data().check().unwrap();
    std::fs::remove_file(&path).unwrap();
    mesh.check().unwrap();
    mesh.data().check().unwrap();
    assert!(mesh.as_bytes() == bytes("cube_ms13"));
}

/// Refuses every large allocation of opening, locating and welding once.
///
/// Each time the result is an out-of-memory error, or the work is done without the allocation.
#[test]
fn survives_refused_allocations() {
    let bone = |number: usize| builder::Bone { name: format!("bone {number}"), parent: -1, ..builder::Bone::default() };
    let mut skinned = grid("skinned", 40, true);
    skinned.weights = vec![vec![meshpeek::decode::Influence { bone: 0, weight: 1.0 }]; 41 * 41];
    let mut surfaces = vec![triangle("small"); 200];
    surfaces.insert(0, skinned);
    let whole = builder::Mesh {
        bones: (0..200).map(bone).collect(),
        surfaces,
        animations: vec![builder::Animation::default(); 200],
        ..builder::Mesh::new(Generation::Ms12)
    }
    .to_bytes()
    .unwrap();
    // Offsets of bones, animations, surfaces and sections, and the caches of surfaces.
    assert_eq!(refuse_each("open", || Mesh::open(whole.as_slice()).map(drop)), 5);
    let mesh = Mesh::open(whole.as_slice()).unwrap();
    assert_eq!(refuse_each("check", || mesh.check()), 0);
    // Indices, table, vertices: each attribute vertex belongs to one position.
    let surface = Surface::new(&mesh, 0).unwrap();
    assert_eq!(refuse_each("weld", || surface.weld().map(drop)), 3);
    let welded = surface.weld().unwrap();
    assert_eq!(refuse_each("gather", || welded.gather(surface.positions()?).map(drop)), 1);
    let get = |vertex: Corner| surface.positions().unwrap().get(vertex.position as usize);
    assert_eq!(refuse_each("gather", || welded.gather_with(get).map(drop)), 1);
    // Copies of both streams, and the same as above.
    let damaged = poke(&whole, "surface[0].indices", 1, &[255]);
    let damaged = Mesh::open(damaged.as_slice()).unwrap();
    assert_eq!(refuse_each("lossy", || Surface::new(&damaged, 0).unwrap().weld_lossy().map(drop)), 5);
    // The omitted triangles: their list grows several times, and no triangle is kept.
    let indices = region(&whole, "surface[0].indices").len();
    let damaged = poke(&whole, "surface[0].indices", 0, &vec![255; indices]);
    let damaged = Mesh::open(damaged.as_slice()).unwrap();
    assert!(refuse_each("lossy", || Surface::new(&damaged, 0).unwrap().weld_lossy().map(drop)) > 4);
    // Equal streams: indices, table, vertices.
    let equal = mesh_of(vec![grid("equal", 40, false)]);
    let equal = Mesh::open(equal.as_slice()).unwrap();
    assert_eq!(refuse_each("weld", || Surface::new(&equal, 0).unwrap().weld().map(drop)), 3);
    GRANTED.set(0);
    let weights = mesh.surface(0).unwrap().weights().unwrap().unwrap();
    let found = weights.get(1680).map(|list| list.len());
    GRANTED.set(usize::MAX);
    assert_eq!(found, Some(1), "without an index, a walk finds the list");
}

/// Tests that a path that is not UTF-8, and a path with terminal escapes, are displayed harmlessly.
#[cfg(unix)]
#[test]
fn shows_strange_paths_harmlessly() {
    use std::os::unix::ffi::OsStrExt as _;
    let folder = tempfile::tempdir().unwrap();
    for name in [&b"a\xffb"[..], b"a\n\x1b[2Jb", b"-x", "a\u{202e}b".as_bytes()] {
        let path = folder.path().join(std::ffi::OsStr::from_bytes(name));
        let text = meshpeek::read(&path).unwrap_err().to_string();
        assert!(!text.chars().any(|shown| shown.is_control() || shown == '\u{202e}'), "{text:?}");
        std::fs::write(&path, bytes("cube_ms13")).unwrap();
        assert!(meshpeek::read(&path).unwrap() == bytes("cube_ms13"));
    }
    let long = folder.path().join("x".repeat(4096));
    assert!(meshpeek::read(long).unwrap_err().kind() == ErrorKind::Io);
}

/// Tests that the content decides the format, even if the extension is wrong.
#[test]
fn content_decides_not_the_extension() {
    let folder = tempfile::tempdir().unwrap();
    let (anim, mesh) = (folder.path().join("a.anim"), folder.path().join("b.mesh"));
    std::fs::write(&anim, bytes("cube_ms13")).unwrap();
    std::fs::write(&mesh, b"an11, and what belongs to it").unwrap();
    assert_eq!(Model::open(meshpeek::read(anim).unwrap()).unwrap().geometry().surface_count().unwrap(), 1);
    let error = Model::open(meshpeek::read(mesh).unwrap()).unwrap_err();
    assert!(error.to_string().contains("an11"), "{error}");
}

/// Tests a byte order mark, a blank or a line break before the magic.
#[test]
fn refuses_bytes_before_the_magic() {
    for first in [&b"\xef\xbb\xbf"[..], b" ", b"\r\n", b"\0"] {
        let error = refused(&[first, &bytes("cube_ms13")].concat(), "magic", 0);
        assert!(error.kind() == ErrorKind::Unknown, "{error}");
    }
}

/// Opens a file ten thousand times, and asserts that no descriptor stays open.
#[cfg(target_os = "linux")]
#[test]
#[allow(unsafe_code, reason = "mapping is unsafe")]
fn leaks_nothing() {
    let path = crate::support::unigine::data().join("cube_ms13.mesh");
    // Other tests of this process open other files.
    let files = || std::fs::read_dir("/proc/self/fd").unwrap().flatten().flat_map(|file| file.path().read_link());
    let open = || files().filter(|file| *file == path).count();
    let before = open();
    for _ in 0..10_000 {
        // SAFETY: no process writes to the samples.
        let map = unsafe { Map::open(&path).unwrap() };
        Mesh::open(map).unwrap().surface(0).unwrap();
    }
    // Other tests may open the same file.
    assert!(open() < before + 50, "{} descriptors, {before} before", open());
}

// UNIGINE meshes.

/// Tests that older and newer generations, and other file families, are named in the error and
/// refused.
#[test]
fn names_unsupported_generations() {
    let old = (0..10).flat_map(|digit| [format!("ms0{digit}"), format!("an0{digit}")]);
    let cases = old
        .chain(["mi08", "mr02"].map(String::from))
        .map(|magic| (magic, "UNIGINE 1.x (or older) format"))
        .chain(["ms16", "ms99", "an14", "sk10", "sn10"].map(|magic| (magic.into(), "newer/other UNIGINE format")))
        .chain(["an10", "an11", "an12", "an13"].map(|magic| (magic.into(), "open it as an animation")));
    for (magic, words) in cases {
        let error = refused(&[magic.as_bytes(), &bytes("cube_ms13")[4..]].concat(), "magic", 0);
        assert!(error.kind() == ErrorKind::Unsupported, "{error}");
        assert!(error.to_string().contains(words) && error.to_string().contains(&magic), "{error}");
    }
    for (first, words) in [
        (&b"%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:"[..], "Unity"),
        (b"@@b@\0\0\0", "Paradox"),
        (b"\x00\x10[MeshSerializer_v1.100]\n", "Ogre"),
    ] {
        let error = refused(first, "file", 0);
        assert!(error.kind() == ErrorKind::Unsupported && error.to_string().contains(words), "{error}");
    }
}

/// Tests magics that are wrong, missing, or too early, and a file whose magics differ.
#[test]
fn refuses_wrong_magics_inside_a_file() {
    let whole = bytes("cube_ms13");
    for name in ["inner_magic", "closing_magic"] {
        let at = region(&whole, name).start;
        for (found, shown) in [(b"ms12", "\"ms12\""), (b"\0\0\0\0", "00 00 00 00"), (b"ms1\xff", "6d 73 31 ff")] {
            let error = refused(&spoil(&whole, name, found), name, at);
            assert!(is_error(&error, ErrorKind::Magic, &["expected \"ms13\""]), "{error}");
            assert!(error.to_string().contains(shown) && error.to_string().contains("ms13"), "{error}");
        }
    }
    let spoilt = spoil(&whole, "closing_magic", b"ms12");
    let mesh = Mesh::open(spoilt.as_slice()).unwrap();
    assert_eq!(mesh.surface(0).unwrap().positions().unwrap().len(), 8, "everything before the magic can be read");
    let mut found = Vec::new();
    mesh.validate(&mut |finding| found.push(finding)).unwrap_err();
    assert!(found.iter().any(|finding| finding.rule == "UG01" && finding.severity == Severity::Error), "{found:?}");

    let closing = region(&whole, "closing_magic").start;
    refused(&whole[..closing], "closing_magic", closing);
    // The magic is missing, so the bytes after it are read in its place.
    refused(&spoil(&whole, "inner_magic", b""), "inner_magic", region(&whole, "inner_magic").start);
    // The magic comes too early. Its first letter is a negative compact int.
    let geometry = region(&whole, "inner_magic").end;
    refused(&[&whole[..geometry], b"ms13"].concat(), "surface[0].target[0].positions.count", geometry);
    let surface = region(&whole, "surface[0].name").start;
    refused(&[&whole[..surface], &[b"ms13ms13".as_slice(), &[0; 60]].concat()].concat(), "surface[0].name", surface);
}

/// Tests negative counts.
#[test]
fn refuses_negative_counts() {
    let whole = bytes("skinned_ms12");
    for name in [
        "bones.count",
        "animations.count",
        "surfaces.count",
        "surface[0].targets.count",
        "animation[0].bones.count",
        "animation[0].frames.count",
        "surface[0].target[0].positions.count",
        "surface[0].target[0].tangents.count",
        "surface[0].weights.count",
        "surface[0].uv0.count",
        "surface[0].colors.count",
        "surface[0].indices.count",
        "surface[0].attribute_indices.count",
    ] {
        for count in [-1, -62, -8, 1 - i32::MAX, -i32::MAX] {
            let error = refused(&spoil(&whole, name, &compact(count)), name, region(&whole, name).start);
            assert!(error.kind() == ErrorKind::Value, "{error}");
            assert!(error.to_string().contains(&count.to_string()), "{error}");
        }
    }
}

/// Tests unusual compact ints.
///
/// Those that are longer than necessary, shorter than the engine's, or a negative zero are read and
/// reported. Those that are longer than five bytes, too large, or without an end are errors.
#[test]
fn reports_odd_encodings_of_compact_integers() {
    let mut surface = grid("grid", 3, false);
    surface.indices.extend([0; 9]);
    surface.attribute_indices.extend([0; 9]);
    let whole = mesh_of(vec![surface]);
    let sum = |bytes: &[u8]| {
        let mesh = Mesh::open(bytes).unwrap();
        let indices = mesh.surface(0).unwrap().indices().unwrap();
        (indices.len(), indices.iter().sum::<u32>())
    };
    let name = "surface[0].indices.count";
    assert_eq!(whole[region(&whole, name)], [0xbf, 0x00], "63, as the engine encodes it");
    for odd in [vec![0x3f], long_compact(63, 3), long_compact(63, 4), long_compact(63, 5)] {
        let spoilt = spoil(&whole, name, &odd);
        let found = finds(&spoilt, "UG14", Severity::Info, name);
        let plural = if odd.len() == 1 { "" } else { "s" };
        assert!(found.text.contains(&format!("{} byte{plural}; the engine uses 2", odd.len())), "{found}");
        assert_eq!(sum(&spoilt), sum(&whole));
    }
    for name in ["bones.count", "surface[0].uv1.count", "surface[0].colors.count"] {
        let found = finds(&spoil(&whole, name, &[0x40]), "UG14", Severity::Info, name);
        assert!(found.text.contains("sign"), "{found}");
        finds(&spoil(&whole, name, &long_compact(0, 5)), "UG14", Severity::Info, name);
    }
    assert!(!findings(&whole).iter().any(|finding| finding.rule == "UG14"));
    for name in ["bones.count", "surface[0].name", "surface[0].targets.count", "surface[0].indices.count"] {
        let at = region(&whole, name).start;
        for (odd, words) in [
            (&[0x80, 0x80, 0x80, 0x80, 0x80, 0x00][..], "at most 5 bytes"),
            (&[0xff; 6], "at most 5 bytes"),
            (&[0xbf, 0xff, 0xff, 0xff, 0x10], "below 2^31"),
            (&[0xff, 0xff, 0xff, 0xff, 0x7f], "below 2^31"),
        ] {
            let error = refused(&spoil(&whole, name, odd), name, at);
            assert!(error.to_string().contains(words), "{error}");
        }
        // If fewer bytes remain than a surface needs, the list of surfaces is refused before its
        // first name.
        for end in (1..5).filter(|_| !name.starts_with("surface[0].name") && !name.contains("targets")) {
            let error = refused(&[&whole[..at], &vec![0x80; end]].concat(), name, at);
            assert!(error.kind() == ErrorKind::UnexpectedEnd, "{error}");
        }
    }
}

/// Tests counts of 2^31 - 1 with ten bytes left, and products that overflow 32 bits.
///
/// The errors come before any allocation.
#[test]
fn refuses_counts_beyond_the_file() {
    for stem in ["skinned_ms12", "morph_ms13", "room_ms11"] {
        let whole = bytes(stem);
        // Ten bytes are too few for the header entries of three surfaces.
        let header = |name: &str| name.ends_with("targets.count") && stem == "room_ms11";
        let counts = regions(&whole).into_iter().filter(|region| region.element.name == "compact int");
        let counts = counts.filter(|region| !header(&region.field.to_string()));
        let mut tested = 0;
        for count in counts {
            let (name, at) = (count.field.to_string(), range(&count).start);
            // Positions, transforms, surfaces: the product with each of these counts wraps to a few
            // bytes.
            for claim in [i32::MAX, 357_913_942, 107_374_183, 84_215_046, 1 << 30, 1 << 29] {
                let spoilt = [&whole[..at], &compact(claim), &[0; 10]].concat();
                let error = refused(&spoilt, error_name(&name), error_place(&name, at, claim));
                let told = matches!(error.kind(), ErrorKind::Count | ErrorKind::UnexpectedEnd);
                assert!(told, "{name}: {error}");
                let peak = peak(|| open_and_check(&spoilt));
                assert!(peak < 4096, "{name}: {peak} bytes held to refuse {claim} items");
                tested += 1;
            }
        }
        assert!(tested > 60, "{stem}");
    }
}

/// Returns the field that an error about a count names.
///
/// An array is refused by its own name, at the end of its count. A list is refused by its count.
fn error_name(count: &str) -> &str {
    let list = ["bones.count", "animations.count", "surfaces.count", "targets.count", "frames.count"];
    if list.iter().any(|list| count.ends_with(list)) { count } else { count.strip_suffix(".count").unwrap() }
}

fn error_place(count: &str, at: usize, claim: i32) -> usize {
    if error_name(count) == count { at } else { at + compact(claim).len() }
}

/// Tests the number of bones times the number of frames, which is a product of two counts.
#[test]
fn refuses_bones_times_frames_beyond_the_file() {
    let whole = bytes("skinned_ms12");
    let name = "animation[0].frames.count";
    for frames in [i32::MAX, 1 << 30, 1000] {
        let error = refused(&spoil(&whole, name, &compact(frames)), name, region(&whole, name).start);
        assert!(error.kind() == ErrorKind::Count, "{error}");
    }
    // The bytes would be enough if every key took one byte, so only reading the keys detects this
    // error.
    let error = open_and_check(&spoil(&whole, name, &compact(100))).unwrap_err();
    assert_eq!(error.field().to_string(), "animation[0].keys", "{error}");
}

/// Tests more surfaces than the engine can number, in a file that is large enough for them.
///
/// They are read and reported. The builder refuses them.
#[test]
fn reports_more_surfaces_than_the_engine_can_number() {
    let most = 32_769;
    let whole = surfaces_of_least_size(most);
    let found = within(20, "many surfaces", || faults(&whole));
    let [found] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((found.rule, found.severity), ("UG25", Severity::Warning));
    assert_eq!(found.offset, region(&whole, "surfaces.count").start as u64);
    let mesh = Mesh::open(whole.as_slice()).unwrap();
    assert_eq!(mesh.surface_count(), most as usize);
    assert!(mesh.surface(most as usize - 1).unwrap().positions().unwrap().is_empty());
    for (count, held) in [(32_767, true), (32_768, false)] {
        let surface =
            builder::Surface { targets: vec![builder::MorphTarget::default()], ..builder::Surface::default() };
        let mesh = builder::Mesh { surfaces: vec![surface; count], ..builder::Mesh::new(Generation::Ms13) };
        assert_eq!(mesh.to_bytes().is_ok(), held, "{count}");
    }
}

fn surfaces_of_least_size(count: i32) -> Vec<u8> {
    let head = |file: RawFile, _| file.text(b"").put(&[1, 3]).bounds().count(1).text(b"");
    let file = RawFile::new(Generation::Ms13).count(0).count(count).times(count, head).put(b"ms13");
    file.times(count, |file, _| file.put(&[0; 8])).put(b"ms13").0
}

/// Tests meshes without surfaces, and surfaces without content.
///
/// If corners use tangent frames that do not exist, only that part has an error.
#[test]
fn reads_empty_meshes() {
    for generation in Generation::ALL {
        let whole = builder::Mesh::new(generation).to_bytes().unwrap();
        assert!(findings(&whole).is_empty());
        let target = builder::MorphTarget::default();
        let surface = builder::Surface { targets: vec![target], ..builder::Surface::default() };
        let whole = builder::Mesh { surfaces: vec![surface], ..builder::Mesh::new(generation) }.to_bytes().unwrap();
        assert!(faults(&whole).is_empty());
        let mesh = Mesh::open(whole.as_slice()).unwrap();
        let view = mesh.surface(0).unwrap();
        assert!(view.positions().unwrap().is_empty() && view.tangent_frames().unwrap().is_empty());
        assert!(view.weights().unwrap().is_none() && view.positions().unwrap().bounds().is_empty());
        assert_eq!(Surface::new(&mesh, 0).unwrap().weld().unwrap().vertices.len(), 0);
    }
    let whole = mesh_of(vec![triangle("bare")]);
    let base = "surface[0].target[0].tangents";
    let naked = spoil_all(&whole, &[(&format!("{base}.count"), &[0]), (base, &[])]);
    finds(&naked, "UG04", Severity::Error, "surface[0].attribute_indices");
    let mesh = Mesh::open(naked.as_slice()).unwrap();
    assert_eq!(mesh.surface(0).unwrap().positions().unwrap().len(), 3);
    error_of(Surface::new(&mesh, 0).unwrap().weld(), "surface[0].attribute_indices");
}

/// Tests 2^31 - 1 surfaces, which exceed the bytes of the file, and more items than the limit in a
/// file that is large enough.
#[test]
fn bounds_the_number_of_surfaces() {
    let whole = surfaces_of_least_size(1000);
    let at = region(&whole, "surfaces.count").start;
    let spoilt = spoil(&whole, "surfaces.count", &compact(i32::MAX));
    let error = refused(&spoilt, "surfaces.count", at);
    assert!(is_error(&error, ErrorKind::Count, &["for 2147483647 items"]), "{error}");
    assert!(peak(|| open_and_check(&spoilt)) < 4096);
    let limits = Limits::default().with_items(999);
    let error =
        error_of(Mesh::open_with(whole.as_slice(), &OpenOptions::default().with_limits(limits)), "surfaces.count");
    assert!(is_error(&error, ErrorKind::Limit, &["expected at most 999 (", "found at least 1000"]), "{error}");
    assert_eq!(error.offset(), Some(at as u64));
    let limits = Limits::default().with_items(1000);
    Mesh::open_with(whole.as_slice(), &OpenOptions::default().with_limits(limits)).unwrap();
}

/// Tests name lengths of 0, 1, negative ones, and ones that exceed the file.
#[test]
fn refuses_name_lengths_beyond_the_file() {
    let whole = bytes("skinned_ms12");
    for name in ["bone[0].name", "animation[0].name", "surface[0].name", "surface[0].target[0].name"] {
        let at = region(&whole, name).start;
        let none = spoil(&whole, name, &[0]);
        finds(&none, "UG14", Severity::Info, name);
        let empty = spoil(&whole, name, &[1, 0]);
        assert!(!findings(&empty).iter().any(|finding| finding.rule == "UG14"));
        let read = |bytes: &[u8]| {
            let mesh = Mesh::open(bytes).unwrap();
            let names = (
                mesh.bone(0).unwrap().name.as_bytes().to_vec(),
                mesh.animation(0).unwrap().name.as_bytes().to_vec(),
                mesh.surface(0).unwrap().name().as_bytes().to_vec(),
                mesh.surface(0).unwrap().target(0).unwrap().name().as_bytes().to_vec(),
            );
            let positions = mesh.surface(0).unwrap().positions().unwrap().len();
            (names, positions)
        };
        assert_eq!(read(&none), read(&empty));
        refused(&spoil(&whole, name, &[0x41]), name, at);
        refused(&spoil(&whole, name, &compact(-i32::MAX)), name, at);
        for length in [whole.len(), 1 << 20, 0x7fff_ffff] {
            let length = compact(i32::try_from(length).unwrap());
            let error = refused(&spoil(&whole, name, &length), name, at + length.len());
            assert!(error.kind() == ErrorKind::UnexpectedEnd, "{error}");
        }
    }
}

/// Tests names without a closing NUL, with a NUL inside, with bytes that are not UTF-8, and of a
/// mebibyte.
#[test]
fn reads_names_of_any_bytes() {
    let whole = bytes("cube_ms13");
    let name = "surface[0].name";
    let spell = |text: &[u8]| [compact(i32::try_from(text.len()).unwrap()).as_slice(), text].concat();
    for (text, kept) in [
        (&b"cube"[..], &b"cube"[..]),
        (b"cu\0be\0", b"cu\0be"),
        (b"cube\0\0", b"cube\0"),
        (b"c\xff\xfe\0", b"c\xff\xfe"),
    ] {
        let spoilt = spoil(&whole, name, &spell(text));
        finds(&spoilt, "UG14", Severity::Info, name);
        let mesh = Mesh::open(spoilt.as_slice()).unwrap();
        let found = mesh.surface(0).unwrap().name();
        assert_eq!(found.as_bytes(), kept);
        assert!(!found.to_string().contains('\0'));
        assert_eq!(found.to_string_lossy(), String::from_utf8_lossy(kept));
    }
    let mut long = vec![b'x'; 1 << 20];
    long.push(0);
    let spoilt = spoil(&whole, name, &spell(&long));
    within(5, "a long name", || {
        assert!(faults(&spoilt).is_empty());
        let mesh = Mesh::open(spoilt.as_slice()).unwrap();
        assert_eq!(mesh.surface(0).unwrap().name().as_bytes().len(), 1 << 20);
        assert!(mesh.surface(0).unwrap().name().to_string().len() < 5000);
    });
    expect_bounded(&spoilt, "a long name");
}

/// Tests two surfaces and two bones with the same name.
#[test]
fn reports_duplicate_names() {
    let whole = mesh_of(vec![triangle("one"), triangle("two"), triangle("one")]);
    let found = finds(&whole, "UG15", Severity::Info, "surface[2].name");
    assert!(found.text.contains("surface 0"), "{found}");
    assert_eq!(found.offset, region(&whole, "surface[2].name").start as u64);
    let skinned = bytes("skinned_ms12");
    let whole = spoil(&skinned, "bone[0].name", &skinned[region(&skinned, "bone[1].name")]);
    finds(&whole, "UG15", Severity::Info, "bone[1].name");
}

/// Tests parents that are not a bone, which are an error of only the skeleton.
///
/// A parent after its child is valid.
#[test]
fn reports_parents_that_are_no_bone() {
    let whole = bytes("skinned_ms12");
    assert!(faults(&whole).is_empty(), "the parent of the sample's first bone is the second bone");
    for (parent, bone) in
        [(2, "bone[0]"), (0, "bone[0]"), (-2, "bone[0]"), (i16::MAX, "bone[1]"), (i16::MIN, "bone[1]")]
    {
        let spoilt = spoil(&whole, &format!("{bone}.parent"), &parent.to_le_bytes());
        finds(&spoilt, "UG07", Severity::Error, &format!("{bone}.parent"));
        let mesh = Mesh::open(spoilt.as_slice()).unwrap();
        assert_eq!(mesh.surface(0).unwrap().weights().unwrap().unwrap().len(), 8);
        let found: Vec<_> = (0..2).map(|bone| mesh.bone(bone).unwrap().parent).collect();
        assert!(found.contains(&parent.into()), "the parent is kept");
    }
}

fn skeleton(count: usize, parent: impl Fn(i16) -> i16) -> Vec<u8> {
    let bones = (0..i16::try_from(count).unwrap())
        .map(|bone| builder::Bone { name: format!("{bone}"), parent: parent(bone), ..builder::Bone::default() })
        .collect();
    builder::Mesh { bones, ..builder::Mesh::new(Generation::Ms13) }.to_bytes().unwrap()
}

/// Tests cycles of two and of ten thousand parents, and a chain of the maximum number of bones.
#[test]
fn reports_cycles_of_parents() {
    for count in [2, 10_000] {
        let last = i16::try_from(count - 1).unwrap();
        let whole = skeleton(count, |bone| if bone == last { 0 } else { bone + 1 });
        let found = within(10, "a cycle", || faults(&whole));
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!((found[0].rule, found[0].severity), ("UG07", Severity::Error));
    }
    for chain in
        [skeleton(32_767, |bone| bone - 1), skeleton(32_767, |bone| if bone == 32_766 { -1 } else { bone + 1 })]
    {
        assert!(within(10, "a chain", || faults(&chain)).is_empty());
    }
}

/// Tests more bones than a parent's number can address.
#[test]
fn reports_more_bones_than_a_parent_can_name() {
    let bone = |file: RawFile, bone: i32| file.text(&bone.to_le_bytes()).put(&(-1_i16).to_le_bytes());
    let file = RawFile::new(Generation::Ms13).count(40_000).times(40_000, bone).count(0).put(b"ms13");
    let whole = file.times(40_000, |file, _| file.transform()).put(b"ms13").0;
    let found = within(20, "many bones", || finds(&whole, "UG25", Severity::Warning, "bones.count"));
    assert_eq!(found.offset, 44);
    assert_eq!(Mesh::open(whole.as_slice()).unwrap().bone(39_999).unwrap().parent, -1);
    expect_bounded(&whole, "many bones");
    let mesh = builder::Mesh { bones: vec![builder::Bone::default(); 32_768], ..builder::Mesh::new(Generation::Ms13) };
    error_of(mesh.to_bytes(), "bones");
}

/// Encodes the weights of the skinned sample, list by list.
fn skin(lists: &[&[(i16, u16)]]) -> Vec<u8> {
    let mut spelled = Vec::new();
    for list in lists {
        spelled.push(u8::try_from(list.len()).unwrap());
        for (bone, weight) in *list {
            spelled.extend(bone.to_le_bytes());
            spelled.extend(weight.to_le_bytes());
        }
    }
    let whole = bytes("skinned_ms12");
    let count = compact(i32::try_from(lists.len()).unwrap());
    spoil_all(&whole, &[("surface[0].weights.count", &count), ("surface[0].weights", &spelled)])
}

const ONE: &[(i16, u16)] = &[(0, 65535)];

/// Tests weight lists whose number differs from the number of positions, lists of five to 255
/// influences, and bones that do not exist.
#[test]
fn reports_bad_weight_lists() {
    for count in [1, 7, 9, 200] {
        let spoilt = skin(&vec![ONE; count]);
        let found = finds(&spoilt, "UG06", Severity::Error, "surface[0].weights.count");
        let mesh = Mesh::open(spoilt.as_slice()).unwrap();
        let error = error_of(mesh.surface(0).unwrap().weights(), "surface[0].weights.count");
        assert_eq!(error.offset(), Some(found.offset));
        assert!(mesh.surface(0).unwrap().uvs(0).unwrap().is_some(), "the later arrays are still located");
        assert_eq!(Surface::new(&mesh, 0).unwrap().weld().unwrap().vertices.len(), 24);
    }
    for long in [5, 15, 16, 255] {
        let list = vec![(1, 100); long];
        let spoilt = skin(&[ONE, ONE, &list, ONE, ONE, ONE, ONE, ONE]);
        let found = finds(&spoilt, "UG06", Severity::Error, "surface[0].weights");
        assert_eq!(found.offset, region(&spoilt, "surface[0].weights").start as u64 + 10);
        let mesh = Mesh::open(spoilt.as_slice()).unwrap();
        let error = error_of(mesh.surface(0).unwrap().weights(), "surface[0].weights");
        assert_eq!(error.offset(), Some(found.offset));
        assert!(error.to_string().contains(&long.to_string()), "{error}");
        assert!(mesh.surface(0).unwrap().colors().unwrap().is_none());
    }
    for bone in [2, -1, i16::MAX, i16::MIN] {
        let spoilt = skin(&[ONE, ONE, ONE, &[(0, 1), (bone, 65534)], ONE, ONE, ONE, ONE]);
        let found = finds(&spoilt, "UG06", Severity::Error, "surface[0].weights");
        assert_eq!(found.offset, region(&spoilt, "surface[0].weights").start as u64 + 15);
        let mesh = Mesh::open(spoilt.as_slice()).unwrap();
        let weights = mesh.surface(0).unwrap().weights().unwrap().unwrap();
        assert_eq!(weights.get(3).unwrap().get(1).unwrap().bone, i32::from(bone), "the list is returned unchanged");
    }
    let spoilt = skin(&[ONE, ONE, ONE, ONE, ONE, ONE, ONE, &[(1, 65534), (1, 1)]]);
    assert!(finds(&spoilt, "UG13", Severity::Info, "surface[0].weights").text.contains("twice"));
    let spoilt = skin(&[ONE, ONE, &[], ONE, ONE, ONE, ONE, ONE]);
    assert!(faults(&spoilt).is_empty(), "a vertex without influences is valid");
    let mesh = Mesh::open(spoilt.as_slice()).unwrap();
    assert!(mesh.surface(0).unwrap().weights().unwrap().unwrap().get(2).unwrap().is_empty());
}

/// Tests weights whose sum is 0, almost 0, and four times the normal sum.
#[test]
fn reports_weights_that_do_not_sum_to_one() {
    for (list, sum) in [
        (&[(0, 0)][..], 0.0),
        (&[(0, 0), (1, 0)], 0.0),
        (&[(0, 1)], 1.0 / 65535.0),
        (&[(0, 65535), (1, 65535), (0, 65535), (1, 65535)], 4.0),
    ] {
        let spoilt = skin(&[list, ONE, ONE, ONE, ONE, ONE, ONE, ONE]);
        finds(&spoilt, "UG13", Severity::Info, "surface[0].weights");
        let mesh = Mesh::open(spoilt.as_slice()).unwrap();
        let weights = mesh.surface(0).unwrap().weights().unwrap().unwrap();
        let found: f32 = weights.get(0).unwrap().iter().map(|one| one.weight).sum();
        assert_eq!(found, sum);
    }
    // Only one thing is wrong: an influence of 0 in a list with the correct sum.
    let spoilt = skin(&[&[(0, 65535), (1, 0)], ONE, ONE, ONE, ONE, ONE, ONE, ONE]);
    let found = finds(&spoilt, "UG13", Severity::Info, "surface[0].weights");
    assert!(found.text.contains("weight 0"), "{found}");
}

/// Tests that one position more makes every index twice as wide.
///
/// If the indices have another width, the file is refused.
#[test]
fn index_width_follows_the_count() {
    let mut surface = grid("grid", 14, false);
    surface.targets[0].positions.resize(255, [0.0; 3]);
    let narrow = mesh_of(vec![surface.clone()]);
    surface.targets[0].positions.resize(256, [0.0; 3]);
    let wide = mesh_of(vec![surface]);
    let width = |bytes: &[u8]| Mesh::open(bytes).unwrap().surface(0).unwrap().counts().unwrap().index_widths;
    assert_eq!((width(&narrow), width(&wide)), ([1, 1], [2, 1]));
    let base = "surface[0].target[0].positions";
    let count = format!("{base}.count");
    let grown = spoil_all(&narrow, &[(&count, &compact(256)), (base, &wide[region(&wide, base)])]);
    let shrunk = spoil_all(&wide, &[(&count, &compact(255)), (base, &narrow[region(&narrow, base)])]);
    for lying in [grown, shrunk] {
        check_invariants(&lying, &mut Random::new(18));
        assert!(open_and_check(&lying).is_err());
    }
}

/// Tests a surface without a morph target, which has no positions.
#[test]
fn reads_a_surface_without_targets() {
    let whole = bytes("cube_ms13");
    let name = "surface[0].targets.count";
    let spoilt = spoil_all(&whole, &[(name, &[0]), ("surface[0].target[0].name", &[])]);
    let error = refused(&spoilt, name, region(&whole, name).start);
    assert!(error.to_string().contains("base shape"), "{error}");
    let mesh = builder::Mesh { surfaces: vec![builder::Surface::default()], ..builder::Mesh::new(Generation::Ms13) };
    error_of(mesh.to_bytes(), "surface[0].targets");
}

/// Tests indices out of range, streams of different lengths, and an incomplete triangle.
#[test]
fn reports_bad_indices() {
    let whole = bytes("cube_ms13");
    for (stream, beyond) in [("surface[0].indices", 8), ("surface[0].attribute_indices", 24)] {
        for index in [beyond, 255] {
            let spoilt = poke(&whole, stream, 7, &[index]);
            let found = finds(&spoilt, "UG04", Severity::Error, stream);
            assert_eq!(found.offset, region(&whole, stream).start as u64 + 7);
            let mesh = Mesh::open(spoilt.as_slice()).unwrap();
            let surface = Surface::new(&mesh, 0).unwrap();
            let corner = surface.corners().unwrap().get(7).unwrap();
            let (position, frame) = (corner.position as usize, corner.attribute as usize);
            let reached = surface.positions().unwrap().get(position).is_some()
                && surface.tangent_frames().unwrap().unwrap().get(frame).is_some();
            assert!(!reached, "an index is checked when it is used");
            let error = error_of(surface.weld(), stream);
            assert!(error.to_string().contains("corner 7"), "{error}");
        }
    }
    let [ci, ti] = ["surface[0].indices", "surface[0].attribute_indices"];
    let shorter = |stream: &str, by: usize| whole[region(&whole, stream)][..36 - by].to_vec();
    let count = |by: usize| compact(36 - i32::try_from(by).unwrap());
    let (ci_count, ti_count) = (format!("{ci}.count"), format!("{ti}.count"));
    let uneven = spoil_all(&whole, &[(&ti_count, &count(3)), (ti, &shorter(ti, 3))]);
    finds(&uneven, "UG03", Severity::Error, &ti_count);
    let odd: Vec<(&str, Vec<u8>)> =
        vec![(&ci_count, count(1)), (ci, shorter(ci, 1)), (&ti_count, count(1)), (ti, shorter(ti, 1))];
    let odd: Vec<(&str, &[u8])> = odd.iter().map(|(name, bytes)| (*name, bytes.as_slice())).collect();
    let odd = spoil_all(&whole, &odd);
    finds(&odd, "UG03", Severity::Error, &ci_count);
    for (spoilt, field) in [(uneven, &ti_count), (odd, &ci_count)] {
        let mesh = Mesh::open(spoilt.as_slice()).unwrap();
        error_of(Surface::new(&mesh, 0).unwrap().corners().map(|corners| corners.len()), field);
        assert!(mesh.surface(0).unwrap().indices().unwrap().len() >= 35, "each stream can be read separately");
    }
}

/// Tests the sign of indices.
///
/// A negative index of four bytes is out of range. An index of two bytes is unsigned.
#[test]
fn reads_the_sign_of_wide_indices_only() {
    let whole = mesh_of(vec![grid("wide", 256, false)]);
    let negative = poke(&whole, "surface[0].indices", 8, &(-1_i32).to_le_bytes());
    let mesh = Mesh::open(negative.as_slice()).unwrap();
    let surface = Surface::new(&mesh, 0).unwrap();
    assert_eq!(surface.indices().unwrap().get(2), Some(u32::MAX));
    assert_eq!(surface.positions().unwrap().get(u32::MAX as usize), None);
    assert_eq!(surface.indices().unwrap().first_out_of_range(66_049), Some((2, u32::MAX)));
    error_of(surface.weld(), "surface[0].indices");
    assert!(findings(&negative).iter().any(|found| found.rule == "UG04"));

    let mut surface = grid("grid", 4, false);
    surface.targets[0].positions.resize(65_535, [0.5, 0.5, 0.0]);
    surface.indices[0] = 65_534;
    let whole = mesh_of(vec![surface]);
    assert!(faults(&whole).is_empty());
    let mesh = Mesh::open(whole.as_slice()).unwrap();
    assert_eq!(mesh.surface(0).unwrap().indices().unwrap().get(0), Some(65_534));
    assert!(Surface::new(&mesh, 0).unwrap().weld().is_ok());
}

/// Tests UVs and colours whose number differs from the number of tangent frames.
#[test]
fn reports_attributes_that_are_not_one_per_frame() {
    let whole = bytes("room_ms11");
    for (part, size) in [("uv0", 8), ("uv1", 8), ("colors", 4)] {
        let (name, count) = (format!("surface[1].{part}"), format!("surface[1].{part}.count"));
        for items in [1, 23, 25] {
            let spoilt = spoil_all(&whole, &[(&count, &compact(items)), (&name, &vec![0; items as usize * size])]);
            let found = finds(&spoilt, "UG05", Severity::Error, &count);
            let mesh = Mesh::open(spoilt.as_slice()).unwrap();
            let view = mesh.surface(1).unwrap();
            let results = [view.uvs(0).map(drop), view.uvs(1).map(drop), view.colors().map(drop)];
            for (other, result) in ["uv0", "uv1", "colors"].into_iter().zip(results) {
                if other == part {
                    assert_eq!(error_of(result, &count).offset(), Some(found.offset));
                } else {
                    result.unwrap();
                }
            }
            assert_eq!(mesh.surface(2).unwrap().positions().unwrap().len(), 8);
        }
    }
}

/// Tests that bounds are read as plain data.
///
/// A number that is not finite is reported.
#[test]
fn reports_bounds_that_are_not_finite() {
    let whole = bytes("cube_ms13");
    for name in ["bounds", "surface[0].bounds"] {
        for float in 0..10 {
            for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
                let spoilt = poke(&whole, name, float * 4, &value.to_le_bytes());
                finds(&spoilt, "UG17", Severity::Warning, name);
            }
            for value in [-0.0, -1.0, f32::MAX, f32::MIN_POSITIVE / 2.0] {
                let spoilt = poke(&whole, name, float * 4, &value.to_le_bytes());
                assert!(!findings(&spoilt).iter().any(|finding| finding.rule == "UG17"));
                let mesh = Mesh::open(spoilt.as_slice()).unwrap();
                let (bounds, sphere) = match name {
                    "bounds" => mesh.bounds().unwrap(),
                    _ => (mesh.surface(0).unwrap().bounds(), mesh.surface(0).unwrap().sphere()),
                };
                let all = [&bounds.min[..], &bounds.max, &sphere.center, &[sphere.radius]].concat();
                assert_eq!(all[float].to_bits(), value.to_bits(), "bounds are read bit for bit");
            }
        }
    }
    let nothing = RawFile::default().bounds().0;
    let spoilt = spoil_all(&whole, &[("bounds", &nothing), ("surface[0].bounds", &nothing)]);
    let mesh = Mesh::open(spoilt.as_slice()).unwrap();
    assert!(mesh.bounds().unwrap().0.is_empty() && mesh.surface(0).unwrap().bounds().is_empty());
    assert_eq!(mesh.bounds().unwrap().1.radius, -1.0);
    assert!(!findings(&spoilt).iter().any(|finding| finding.rule == "UG17"), "the empty value is normal");
    let wild = poke(&whole, "surface[0].target[0].positions", 4, &f32::NAN.to_le_bytes());
    finds(&wild, "UG17", Severity::Warning, "surface[0].target[0].positions");
}

/// Tests a stored box that does not contain its vertices.
///
/// The computed box is correct.
#[test]
fn reports_a_box_without_its_vertices() {
    let whole = bytes("cube_ms13");
    let lie = [7.0, 7.0, 7.0, 8.0, 8.0, 8.0, 7.5, 7.5, 7.5, 0.9_f32].map(f32::to_le_bytes).concat();
    let spoilt = spoil(&whole, "surface[0].bounds", &lie);
    finds(&spoilt, "UG10", Severity::Warning, "surface[0].bounds");
    finds(&spoilt, "UG10", Severity::Warning, "bounds");
    let mesh = Mesh::open(spoilt.as_slice()).unwrap();
    assert_eq!(Surface::new(&mesh, 0).unwrap().bounds().unwrap().min, [7.0; 3]);
    let computed = Surface::new(&mesh, 0).unwrap().positions().unwrap().bounds();
    assert_eq!((computed.min, computed.max), ([-0.5; 3], [0.5; 3]));
    for off in [0.5 * 1.001_f32, 0.4] {
        finds(
            &poke(&whole, "surface[0].bounds", 12, &off.to_le_bytes()),
            "UG10",
            Severity::Warning,
            "surface[0].bounds",
        );
        finds(
            &poke(&whole, "surface[0].bounds", 36, &off.to_le_bytes()),
            "UG11",
            Severity::Warning,
            "surface[0].bounds",
        );
        finds(&poke(&whole, "bounds", 36, &off.to_le_bytes()), "UG11", Severity::Warning, "bounds");
    }
}

/// Tests triangles without area, and vertices that are all equal.
#[test]
fn reports_degenerate_triangles() {
    let mut flat = grid("flat", 8, true);
    flat.indices.iter_mut().for_each(|index| *index /= 4);
    let mut point = grid("point", 8, false);
    point.targets[0].positions.fill([1.0, 2.0, 3.0]);
    let whole = mesh_of(vec![flat, point]);
    finds(&whole, "UG16", Severity::Info, "surface[0].indices");
    assert!(faults(&whole).is_empty());
    let mesh = Mesh::open(whole.as_slice()).unwrap();
    assert_eq!(mesh.surface(1).unwrap().sphere().radius, 0.0);
    for surface in Surface::all(&mesh).unwrap() {
        assert_eq!(surface.weld().unwrap().indices.len(), 384);
    }
}

/// Tests that shapes of one surface with different counts can be read, but not blended.
#[test]
fn refuses_to_blend_targets_of_unequal_counts() {
    let mut mesh = crate::support::unigine::morph();
    mesh.surfaces[0].targets[1].positions.pop();
    mesh.surfaces[0].targets[2].frames.pop();
    let whole = mesh.to_bytes().unwrap();
    finds(&whole, "UG26", Severity::Warning, "surface[0].target[1].positions.count");
    finds(&whole, "UG26", Severity::Warning, "surface[0].target[2].tangents.count");
    let mesh = Mesh::open(whole.as_slice()).unwrap();
    let view = mesh.surface(0).unwrap();
    assert_eq!(view.target(1).unwrap().positions().unwrap().len(), 7);
    assert_eq!(view.target(2).unwrap().tangent_frames().unwrap().len(), 23);
    let mut out = [[0.0; 3]; 8];
    error_of(view.blend(&[0.5], &mut out), "surface[0].target[1].positions.count");
    view.blend(&[0.0, 1.0], &mut out).unwrap();
    let expected: Vec<_> = view.target(2).unwrap().positions().unwrap().iter().collect();
    assert_eq!(out.as_slice(), expected);
}

/// Tests the component -32768, a vector of length 0, and a w that is too small for its sign.
#[test]
fn reads_extreme_tangents() {
    for (stem, size) in [("cube_ms13", 8), ("cube_ms10", 7)] {
        let whole = bytes(stem);
        let name = "surface[0].target[0].tangents";
        for raw in [[-32768_i16; 4], [0; 4], [0, 0, 23169, 31], [0, 0, 32767, 0], [32767; 4]] {
            let raw = &raw.map(i16::to_le_bytes).concat()[..size];
            let spoilt = poke(&whole, name, size * 2, raw);
            let found = finds(&spoilt, "UG12", Severity::Info, name);
            assert_eq!(found.offset, (region(&whole, name).start + size * 2) as u64);
            let mesh = Mesh::open(spoilt.as_slice()).unwrap();
            let frame = mesh.surface(0).unwrap().tangent_frames().unwrap().get(2).unwrap();
            let length: f32 = frame.rotation.iter().map(|part| part * part).sum();
            assert!((length - 1.0).abs() < 1e-5 && frame.handedness.abs() == 1.0, "{frame:?}");
            if raw.iter().all(|byte| *byte == 0) {
                assert_eq!(frame, meshpeek::decode::TangentFrame::default());
            }
        }
    }
}

// Traps for time and memory.

/// Tests 2^31 - 1 frames of no bones, which take no time.
#[test]
fn frames_of_no_bones_cost_nothing() {
    let file = RawFile::new(Generation::Ms12).count(0).count(3).times(3, |file, _| file.text(b"still")).count(0);
    let block = |file: RawFile, _| file.count(0).put(&[15]).count(i32::MAX);
    let whole = file.put(b"ms12").times(3, block).put(b"ms12").0;
    within(2, "frames of no bones", || {
        assert_eq!(check_invariants(&whole, &mut Random::new(1)), Fate::Read);
        let mesh = Mesh::open(whole.as_slice()).unwrap();
        let animation = mesh.animation(2).unwrap();
        assert_eq!((animation.frames, animation.keys().count()), (0x7fff_ffff, 0));
    });
}

/// Tests a surface of a hundred thousand empty shapes.
///
/// Locating each array by a walk from the first one would take too long.
#[test]
fn many_targets_take_linear_time() {
    let count = 100_000;
    let file = RawFile::new(Generation::Ms13).count(0).count(1).text(b"many").put(&[1, 3]).bounds().count(count);
    let file = file.times(count, |file, _| file.put(&[0])).put(b"ms13").times(count, |file, _| file.put(&[0, 0]));
    let whole = file.put(&[0; 6]).put(b"ms13").0;
    within(10, "many targets", || {
        assert!(faults(&whole).is_empty());
        let mesh = Mesh::open(whole.as_slice()).unwrap();
        mesh.surface(0).unwrap().blend(&vec![1.0; count as usize - 1], &mut []).unwrap();
        assert!(mesh.surface(0).unwrap().blend(&vec![1.0; count as usize], &mut []).is_err());
    });
    expect_bounded(&whole, "many targets");
}

/// Tests many bones with many animations.
///
/// No work may be done for each pair of them.
#[test]
fn many_bones_and_animations_take_linear_time() {
    let (bones, animations) = (10_000, if cases::all() { 200_000 } else { 50_000 });
    let bone = |file: RawFile, _| file.put(&[0]).put(&(-1_i16).to_le_bytes());
    let file = RawFile::new(Generation::Ms12).count(bones).times(bones, bone);
    let file = file.count(animations).times(animations, |file, _| file.put(&[0])).count(0).put(b"ms12");
    let file = file.times(bones, |file, _| file.transform()).times(animations, |file, _| file.put(&[0, 7, 0]));
    let whole = file.put(b"ms12").0;
    within(20, "bones times animations", || assert!(faults(&whole).is_empty()));
    expect_bounded(&whole, "bones and animations");
}

/// Tests that a bone that an animation names twice is reported once per animation.
///
/// This also holds if an earlier animation named it.
#[test]
fn a_bone_named_twice_is_found_once() {
    let animation = |bones: &[i16]| builder::Animation { bones: bones.to_vec(), ..builder::Animation::default() };
    let mut mesh = crate::support::unigine::skinned(Generation::Ms11);
    mesh.animations = vec![animation(&[0, 1]), animation(&[0, 1]), animation(&[1, 0]), animation(&[1, 0])];
    let whole = poke(&mesh.to_bytes().unwrap(), "animation[2].bone_ids", 2, &1_i16.to_le_bytes());
    let whole = poke(&whole, "animation[3].bone_ids", 2, &2_i16.to_le_bytes());
    let found: Vec<_> = faults(&whole).into_iter().map(|found| (found.rule, found.field.to_string())).collect();
    assert_eq!(found, [("UG08", "animation[2].bone_ids".to_owned()), ("UG08", "animation[3].bone_ids".to_owned())]);
}

/// Tests lists of 255 influences everywhere.
#[test]
fn long_weight_lists_take_linear_time() {
    let list = [vec![255_u8], vec![0; 255 * 4]].concat();
    let whole = bytes("skinned_ms12");
    let mut surface = crate::support::unigine::skinned(Generation::Ms12);
    surface.surfaces[0].targets[0].positions.resize(1000, [0.0; 3]);
    surface.surfaces[0].weights.clear();
    let spelled = surface.to_bytes().unwrap();
    assert!(whole.len() < spelled.len());
    let name = "surface[0].weights";
    let whole = spoil_all(&spelled, &[("surface[0].weights.count", &compact(1000)), (name, &list.repeat(1000))]);
    let found = within(20, "long lists", || findings(&whole));
    assert!(found.iter().any(|finding| finding.rule == "UG06"));
    expect_bounded(&whole, "long lists");
}

/// Tests welding with one attribute for many positions, one position with many attributes, and one
/// corner many times.
///
/// Welding sorts the corners that share an attribute.
#[test]
fn welding_takes_linear_time() {
    let corners = 150_000_u32;
    let mut random = Random::new(7);
    let mut scattered: Vec<u32> = (0..corners).collect();
    for corner in 0..scattered.len() {
        let other = random.below(scattered.len());
        scattered.swap(corner, other);
    }
    let zeros = vec![0; corners as usize];
    for (indices, attribute_indices, distinct) in [
        (scattered.clone(), zeros.clone(), corners),
        (zeros.clone(), scattered.clone(), corners),
        (zeros.clone(), zeros.clone(), 1),
        (scattered.clone(), scattered.clone(), corners),
    ] {
        let positions = vec![[0.0; 3]; corners as usize];
        let frames = vec![meshpeek::decode::TangentFrame::default(); corners as usize];
        let targets = vec![builder::MorphTarget { positions, frames, ..builder::MorphTarget::default() }];
        let whole =
            mesh_of(vec![builder::Surface { targets, indices, attribute_indices, ..builder::Surface::default() }]);
        let mesh = Mesh::open(whole.as_slice()).unwrap();
        let surface = Surface::new(&mesh, 0).unwrap();
        let welded = within(10, "welding", || surface.weld().unwrap());
        assert_eq!(welded.vertices.len(), distinct as usize);
        // The result takes four bytes for a corner and eight for a vertex. Welding takes twelve for
        // a corner and four for an attribute in addition.
        let bound = corners as usize * (4 + 8 + 12 + 4) + 4096;
        assert!(peak(|| surface.weld()) <= bound);
    }
}

/// Tests long names with a common prefix.
#[test]
fn names_that_begin_alike_take_linear_time() {
    let name = "x".repeat(2000);
    let surfaces = (0..2000).map(|number| triangle(&format!("{name}{}", number % 1000))).collect();
    let whole = mesh_of(surfaces);
    let found = within(20, "long names", || findings(&whole));
    assert_eq!(found.iter().filter(|finding| finding.rule == "UG15").count(), 1000);
    assert!(found.iter().all(|finding| finding.text.len() < 5000));
}

/// Tests the files that make opening allocate the most for their size.
///
/// They are lists of the smallest items, single and one after another.
#[test]
fn memory_for_lists_is_bounded() {
    let (mut worst, mut of) = (0.0, String::new());
    for generation in [Generation::Ms10, Generation::Ms12] {
        let lightmap: &[u8] = if generation.has_lightmap() { &[1, 3] } else { &[] };
        let number = |count: usize| i32::try_from(cases::number(count, 5)).unwrap();
        for (bones, animations, surfaces, targets) in [
            (0, 50_000, 0, 1),
            (0, 50_000, 5_000, 1),
            (5_000, 50_000, 5_000, 1),
            (10_000, 0, 0, 1),
            (0, 0, 10_000, 1),
            (0, 0, 500, 50),
        ] {
            let [bones, animations, surfaces] = [bones, animations, surfaces].map(number);
            let magic = generation.magic().as_bytes();
            let bone = |file: RawFile, _| file.put(&[0]).put(&(-1_i16).to_le_bytes());
            let head = |file: RawFile, _| {
                let file = file.put(&[0]).put(lightmap).bounds().count(targets);
                file.times(targets, |file, _| file.put(&[0]))
            };
            let file = RawFile::new(generation).count(bones).times(bones, bone);
            let file = file.count(animations).times(animations, |file, _| file.put(&[0]));
            let file = file.count(surfaces).times(surfaces, head).put(magic);
            let header = file.times(bones, |file, _| file.transform());
            let cut = header.0.clone();
            let file = header.times(animations, |file, _| file.put(&[0, 7, 0]));
            let file = file.times(surfaces, |file, _| file.times(targets, |file, _| file.put(&[0; 2])).put(&[0; 6]));
            let whole = file.put(magic).0;
            let what = format!("{bones} bones, {animations} animations, {surfaces} surfaces of {targets} targets");
            open_and_check(&whole).unwrap();
            for bytes in [&whole, &cut] {
                let (ratio, _) = expect_bounded(bytes, &what);
                if ratio > worst {
                    (worst, of) = (ratio, what.clone());
                }
            }
        }
    }
    eprintln!("at most {worst:.2} times the file's size: {of}");
    // Lists without the bodies of their items.
    let (animations, left) = (100_000, 300_000_usize);
    let file = RawFile::new(Generation::Ms10).count(0).count(animations).times(animations, |file, _| file.put(&[0]));
    let surfaces = compact(i32::try_from(left / 51).unwrap());
    let greedy = [file.0.as_slice(), &surfaces, &vec![0; left]].concat();
    assert!(Mesh::open(greedy.as_slice()).is_err());
    expect_bounded(&greedy, "lists whose bodies are not there");
}

// Random damage.

/// Damages a file at random.
fn mutate(base: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = base.to_vec();
    for _ in 0..random.within(1..4) {
        let at = random.below(bytes.len());
        let span = (random.within(1..9)).min(bytes.len().saturating_sub(at));
        match random.below(10) {
            0 | 1 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            2 if at < bytes.len() => {
                bytes[at] = *random.pick(&[0, 1, 2, 3, 0x3e, 0x3f, 0x40, 0x41, 0x7f, 0x80, 0xbf, 0xff]);
            }
            3 | 4 => {
                let width = *random.pick(&[1, 2, 4]);
                let value = *random.pick(&edges(width, base.len().max(1)));
                if at + width <= bytes.len() {
                    bytes[at..at + width].copy_from_slice(&value.to_le_bytes()[..width]);
                }
            }
            5 => {
                let count = i32::try_from(random.below(300)).unwrap();
                let spelled = if random.one_in(4) { long_compact(count, 5) } else { compact(count) };
                bytes.splice(at..(at + 1).min(bytes.len()), spelled);
            }
            6 => drop(bytes.splice(at..at, base[..span.min(base.len())].to_vec())),
            7 => drop(bytes.drain(at..at + span)),
            8 => bytes.truncate(at),
            _ => {
                let from = random.below(other.len());
                let piece = &other[from..(from + span * 8).min(other.len())];
                let end = (at + piece.len()).min(bytes.len());
                bytes.splice(at..end, piece.iter().copied());
            }
        }
    }
    bytes
}

/// Reads a hundred thousand damaged files, the same ones on every run.
///
/// They come from the samples, and from small real files if there are any.
#[test]
fn survives_random_damage() {
    let files = cases::number(100_000, 25);
    let mut bases: Vec<Vec<u8>> = small_samples().into_iter().map(|(_, bytes)| bytes).collect();
    bases.push(mesh_of(vec![triangle("one"), triangle("two")]));
    let real: Vec<_> = real_files(1500).into_iter().map(|path| std::fs::read(path).unwrap()).collect();
    eprintln!("{} real files among the bases", real.len());
    bases.extend(real);
    let run = |seed: u64| {
        let mut random = Random::new(seed);
        let (mut fates, mut worst) = ([0_usize; 3], 0);
        for _ in 0..files / 2 {
            let spoilt = mutate(&bases[random.below(bases.len())], &bases[random.below(bases.len())], &mut random);
            fates[check_invariants(&spoilt, &mut random) as usize] += 1;
            worst = worst.max(expect_bounded(&spoilt, "by chance").1);
            random.next();
        }
        (fates, worst)
    };
    let results = std::thread::scope(|scope| {
        [1, 2].map(|seed| scope.spawn(move || run(seed))).map(|thread| thread.join().unwrap())
    });
    for ([refused, damaged, read], worst) in results {
        eprintln!("{refused} refused, {damaged} damaged, {read} read; at most {worst} bytes of memory");
        assert!(refused.min(damaged).min(read) > files / 100, "each fate must occur");
    }
}

/// Truncates every real file at every length, and flips bits of every byte.
///
/// All bits of the bytes of the structure are flipped. In large files, only every 101st byte of the
/// arrays is damaged. Takes minutes.
#[test]
#[ignore = "takes minutes, and real files"]
fn sweep() {
    let start = Instant::now();
    let (mut cuts, mut flips) = (0_u64, 0_u64);
    for path in real_files(u64::MAX) {
        let whole = std::fs::read(&path).unwrap();
        let mut random = Random::new(cuts);
        let all = whole.len() <= 8 << 10;
        let places: Vec<(usize, bool)> = regions(&whole)
            .iter()
            .flat_map(|region| {
                let structural = ["compact int", "string", "magic", "bounds"].contains(&region.element.name);
                let step = if all || structural { 1 } else { 101 };
                range(region).step_by(step).map(move |at| (at, structural))
            })
            .collect();
        // Reading everything takes time proportional to the file's length, so only the structure of
        // large files is read.
        let look = |bytes: &[u8], random: &mut Random| {
            if all {
                check_invariants(bytes, random);
            } else if let Err(error) = open_and_check(bytes) {
                expect_named(&error, bytes.len() as u64);
            }
        };
        for (length, _) in &places {
            look(&whole[..*length], &mut random);
            assert!(open_and_check(&whole[..*length]).is_err(), "{} cut to {length}", path.display());
            cuts += 1;
        }
        let mut spoilt = whole.clone();
        for (at, structural) in places {
            for bit in (0..8).filter(|bit| structural || swept_bits(at).any(|swept| swept == *bit)) {
                spoilt[at] ^= 1 << bit;
                look(&spoilt, &mut random);
                spoilt[at] = whole[at];
                flips += 1;
            }
        }
    }
    eprintln!("{cuts} cuts and {flips} flipped bits in {:?}", start.elapsed());
}

/// Tests that an error in the header is also a finding.
///
/// The offsets of findings are those of regions.
#[test]
fn reports_header_faults_at_mapped_offsets() {
    let whole = bytes("skinned_ms12");
    for (field, replacement, rule) in
        [("inner_magic", &b"ms13"[..], "UG01"), ("bones.count", &[0x41], "UG02"), ("closing_magic", b"ms1?", "UG01")]
    {
        let spoilt = spoil(&whole, field, replacement);
        let fault = Mesh::open(spoilt.as_slice()).and_then(|mesh| mesh.check()).unwrap_err();
        let found = meshpeek::finding(&fault).unwrap();
        assert_eq!((found.rule, found.field.to_string().as_str(), Some(found.offset)), (rule, field, fault.offset()));
    }
    assert!(meshpeek::finding(&Mesh::open(&b"ms16"[..]).unwrap_err()).is_none());
    // An unknown flag bit announces no data, so the keys end where they did.
    let key = poke(&whole, "animation[0].keys", 0, &[0x8f]);
    let found = finds(&key, "UG08", Severity::Error, "animation[0].keys");
    assert_eq!(found.offset, region(&whole, "animation[0].keys").start as u64);
    let parent = poke(&whole, "bone[1].parent", 0, &7_i16.to_le_bytes());
    let lightmap = poke(&whole, "surface[0].lightmap", 1, &[9]);
    let bounds = poke(&whole, "surface[0].bounds", 0, &9.0_f32.to_le_bytes());
    for (spoilt, rule, field) in [
        (parent, "UG07", "bone[1].parent"),
        (lightmap, "UG22", "surface[0].lightmap"),
        (bounds, "UG10", "surface[0].bounds"),
    ] {
        let all = findings(&spoilt);
        let found = all.iter().find(|found| found.rule == rule).unwrap();
        assert_eq!((found.field.to_string(), found.offset), (field.to_owned(), region(&spoilt, field).start as u64));
    }
}

/// Tests that a damaged surface is walked only once, even if later surfaces are requested often.
///
/// The number of findings of one rule is limited.
#[test]
fn walks_a_bad_surface_once() {
    let count = 20_000;
    let file = RawFile::new(Generation::Ms13).count(0).count(count);
    let file = file.times(count, |file, _| file.put(&[0]).put(&[1, 3]).bounds().count(1).put(&[0])).put(b"ms13");
    // The weights of the first surface exceed the end of the file.
    let whole = file.put(&[0, 0]).count(1_000_000).put(&vec![0; 1_000_000 - 1]).0;
    within(10, "one bad surface", || {
        let mesh = Mesh::open(whole.as_slice()).unwrap();
        let first = mesh.surface(1).unwrap_err();
        assert!((1..count as usize).all(|index| mesh.surface(index).unwrap_err().offset() == first.offset()));
        assert!(mesh.surface(0).is_ok());
    });
    let file = RawFile::new(Generation::Ms13).count(0).count(1).text(b"many").put(&[1, 3]).bounds().count(100_000);
    let file = file.times(100_000, |file, _| file.put(&[0])).put(b"ms13");
    let whole = file.times(100_000, |file, _| file.put(&[0, 0])).put(&[0; 6]).put(b"ms13").0;
    let unnamed = findings(&whole).into_iter().filter(|found| found.rule == "UG14").collect::<Vec<_>>();
    assert!(unnamed.len() <= 1001 && unnamed.last().unwrap().text.contains("left out"), "{}", unnamed.len());
}

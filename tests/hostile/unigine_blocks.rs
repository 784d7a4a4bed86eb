//! Tests of hostile compressed UNIGINE meshes: their blocks, their table, and their trees.

use crate::support::unigine::builder;
use meshpeek::decode::Influence;
use meshpeek::unigine::{Generation, InflateBuffer, Mesh, Storage};
use meshpeek::{Array, Error, ErrorKind, Finding, Limits, MeshFile as _, OpenOptions, Severity};

use crate::support::invariants::{Fate, expect_named};
use crate::support::is_error;
use crate::support::random::Random;
use crate::support::unigine::invariants::{borrow_everything, check_invariants};
use crate::support::unigine::raw_blocks::{
    RawBlock, contents, header, header_of, places, put_together, put_together_with,
};
use crate::support::unigine::{compact, cube, findings, grid, long_compact, open_and_check, region, skinned, spoil};
use crate::{edges, peak, within};

/// The factor by which an unoptimised build does less.
const SCALE: usize = if cfg!(debug_assertions) { 25 } else { 1 };

fn built(generation: Generation, storage: Storage, surfaces: Vec<builder::Surface>) -> Vec<u8> {
    builder::Mesh { surfaces, storage, ..builder::Mesh::new(generation) }.to_bytes().unwrap()
}

/// Returns files of about a kilobyte with everything that either generation can have.
fn all_small() -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for storage in [Storage::Lz4, Storage::Raw] {
        let mut bent = skinned(Generation::Ms14);
        bent.animations.clear();
        let mut other = bent.surfaces[0].targets[0].clone();
        other.name = "other".into();
        bent.surfaces[0].targets.push(other);
        all.push(builder::Mesh { storage, ..bent }.to_bytes().unwrap());
        let mut colored = cube("colored", 0.5);
        colored.colors = vec![[1, 2, 3, 4]; colored.targets[0].frames.len()];
        let first = colored.uvs[0].clone();
        colored.uvs[1] = first;
        all.push(built(Generation::Ms15, storage, vec![colored, builder::Surface { name: "none".into(), ..empty() }]));
    }
    all
}

fn empty() -> builder::Surface {
    builder::Surface { targets: vec![builder::MorphTarget::default()], ..builder::Surface::default() }
}

/// Returns a mesh of three cubes, and the content of its blocks.
fn cubes() -> (Vec<u8>, Vec<[Vec<u8>; 2]>) {
    let surfaces = ["one", "two", "three"].map(|name| cube(name, 0.5)).into();
    let whole = built(Generation::Ms14, Storage::Lz4, surfaces);
    let contents = contents(&whole);
    (whole, contents)
}

/// Returns the three cubes with another block for the geometry of the second.
fn with_second(block: RawBlock) -> Vec<u8> {
    let (whole, contents) = cubes();
    let mut geometry: Vec<_> = contents.iter().map(|[geometry, _]| RawBlock::lz4(geometry)).collect();
    let trees: Vec<_> = contents.iter().map(|[_, tree]| RawBlock::lz4(tree)).collect();
    geometry[1] = block;
    put_together(&header(&whole), &geometry, &trees)
}

/// Returns a mesh of one cube with another tree.
fn with_tree(tree: &[u8]) -> Vec<u8> {
    let whole = built(Generation::Ms15, Storage::Raw, vec![cube("cube", 0.5)]);
    let [geometry, _] = &contents(&whole)[0];
    put_together(&header(&whole), &[RawBlock::lz4(geometry)], &[RawBlock::verbatim(tree)])
}

fn offset_of(bytes: &[u8], index: usize) -> u64 {
    Mesh::open(bytes).unwrap().blocks(index).unwrap().unwrap()[0].offset
}

/// Asserts that the geometry of the second cube cannot be read, and that the other cubes can.
fn spoils_the_second(bytes: &[u8], field: &str, into: u64) -> Error {
    check_invariants(bytes, &mut Random::new(1));
    let mesh = Mesh::open(bytes).unwrap();
    for index in [2, 0] {
        assert_eq!(mesh.surface(index).unwrap().positions().unwrap().len(), 8, "the other surfaces are not damaged");
    }
    let error = mesh.surface(1).unwrap_err();
    expect_named(&error, bytes.len() as u64);
    let start = places_of(bytes)[1] + into;
    assert_eq!((error.field().to_string().as_str(), error.offset()), (field, Some(start)), "{error}");
    assert_eq!(mesh.surface_in(1, &mut InflateBuffer::default()).unwrap_err().to_string(), error.to_string());
    assert_eq!(mesh.check().unwrap_err().to_string(), error.to_string());
    let mut found = Vec::new();
    let _ = mesh.validate(&mut |finding| found.push(finding));
    let named = |finding: &Finding| finding.rule == "UG19" && finding.severity == Severity::Error;
    assert!(found.iter().any(|one| named(one) && one.field.to_string() == field), "{found:?}");
    error
}

/// Returns the offsets in the table at the end.
fn places_of(bytes: &[u8]) -> Vec<u64> {
    let count = Mesh::open(bytes).unwrap().surface_count();
    let table = &bytes[bytes.len() - 4 - count * 8..bytes.len() - 4];
    table.chunks(8).map(|place| u64::from_le_bytes(place.try_into().unwrap())).collect()
}

fn finds(bytes: &[u8], rule: &str, field: &str) -> Finding {
    assert_eq!(check_invariants(bytes, &mut Random::new(1)), Fate::Read);
    let all = findings(bytes);
    let one = all.iter().find(|found| found.rule == rule && found.field.to_string() == field);
    one.unwrap_or_else(|| panic!("no {rule} about {field} among {all:?}")).clone()
}

/// Asserts the memory bound: five times the file, and twice the limit for inflated blocks.
fn expect_bounded(bytes: &[u8], what: &str) {
    let limits = Limits::default().with_block(1 << 20).with_asset(2 << 20);
    let allowed = 5 * bytes.len() + (2 << 20) + (2 << 20);
    for peak in [
        peak(|| borrow_everything(bytes)),
        peak(|| Mesh::open_with(bytes, &OpenOptions::default().with_limits(limits)).and_then(|mesh| mesh.check())),
        peak(|| {
            Mesh::open_with(bytes, &OpenOptions::default().with_limits(limits))
                .and_then(|mesh| mesh.validate(&mut |_| {}))
        }),
    ] {
        assert!(peak <= allowed, "{what}: {peak} bytes for {}", bytes.len());
    }
}

// Tests for any file.

/// Tests a file of four bytes, and a file that ends after the header.
#[test]
fn refuses_next_to_nothing() {
    for whole in all_small() {
        let head = header(&whole);
        assert_eq!(check_invariants(&head, &mut Random::new(3)), Fate::Damaged);
        let (mesh, sound) = (Mesh::open(head.as_slice()).unwrap(), Mesh::open(whole.as_slice()).unwrap());
        assert_eq!(mesh.surface_count(), sound.surface_count());
        let error = mesh.surface(0).map(drop).unwrap_err();
        assert_eq!(
            (error.field().to_string().as_str(), error.offset()),
            ("surface[0].geometry.sizes", Some(head.len() as u64))
        );
        assert_eq!(check_invariants(&whole[..4], &mut Random::new(3)), Fate::Refused);
    }
}

/// Truncates the files at every length.
///
/// Only the whole file is valid.
#[test]
fn survives_every_cut() {
    for whole in all_small() {
        for length in 0..whole.len() {
            assert_ne!(
                check_invariants(&whole[..length], &mut Random::new(length as u64)),
                Fate::Read,
                "cut to {length}"
            );
        }
    }
}

/// Flips every bit.
#[test]
fn survives_every_flipped_bit() {
    for whole in all_small() {
        let (mut spoilt, mut random) = (whole.clone(), Random::new(5));
        for bit in (0..whole.len() * 8).step_by(if cfg!(debug_assertions) { 27 } else { 1 }) {
            spoilt[bit / 8] ^= 1 << (bit % 8);
            check_invariants(&spoilt, &mut random);
            if bit % 8 == 0 {
                expect_bounded(&spoilt, "a bit");
            }
            spoilt[bit / 8] = whole[bit / 8];
        }
    }
}

/// Sets every one, two and four bytes to the ends of their range, and to the file's length and its
/// neighbours.
#[test]
fn survives_edge_values_in_every_field() {
    let stride = if cfg!(debug_assertions) { 97 } else { 1 };
    for whole in all_small() {
        for at in 0..whole.len() {
            let cases = [1, 2, 4, 8]
                .into_iter()
                .flat_map(|width| edges(width, whole.len()).into_iter().map(move |v| (width, v)));
            for (width, value) in cases.skip(at % stride).step_by(stride) {
                if at + width <= whole.len() {
                    let mut spoilt = whole.clone();
                    spoilt[at..at + width].copy_from_slice(&value.to_le_bytes()[..width]);
                    check_invariants(&spoilt, &mut Random::new(value));
                }
            }
        }
    }
}

/// Tests bytes after the end, and two joined files.
///
/// The table is then not at the end of the file, and is found by walking.
#[test]
fn reports_trailing_bytes() {
    for whole in all_small() {
        for more in [vec![0], vec![b'm'; 1 << 16], whole.clone()] {
            let longer = [whole.as_slice(), &more].concat();
            assert_eq!(finds(&longer, "UG24", "end").offset, whole.len() as u64);
            let mut written = Vec::new();
            Mesh::open(longer.as_slice()).unwrap().write_to(0, &mut written).unwrap();
            assert!(written == whole);
        }
    }
}

/// Reads files with random damage, the same ones on every run.
///
/// Half of the damage is in the content of a block before compression.
#[test]
fn survives_random_damage() {
    let all = all_small();
    let (mut fates, mut random) = ([0; 3], Random::new(9));
    for _ in 0..20_000 / SCALE {
        let base = random.pick(&all).clone();
        let spoil = |bytes: &mut Vec<u8>, random: &mut Random| {
            for _ in 0..random.within(1..4) {
                let (at, span) = (random.below(bytes.len()), random.within(1..20));
                match random.below(5) {
                    0 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
                    1 | 2 if at < bytes.len() => bytes[at] = *random.pick(&[0, 1, 3, 0x3f, 0x40, 0x7f, 0x80, 0xff]),
                    3 => drop(bytes.drain(at..(at + span).min(bytes.len()))),
                    _ => drop(bytes.splice(at..at, vec![0; span])),
                }
            }
        };
        let bytes = if random.one_in(2) {
            let mut bytes = base;
            spoil(&mut bytes, &mut random);
            bytes
        } else {
            let mut both = contents(&base);
            let index = random.below(both.len());
            let part = random.below(2);
            spoil(&mut both[index][part], &mut random);
            let framed = |part: usize, random: &mut Random| -> Vec<RawBlock> {
                let verbatim = random.one_in(2);
                let one = |content: &[u8]| if verbatim { RawBlock::verbatim(content) } else { RawBlock::lz4(content) };
                both.iter().map(|both| one(&both[part])).collect()
            };
            let (geometry, trees) = (framed(0, &mut random), framed(1, &mut random));
            put_together(&header(&base), &geometry, &trees)
        };
        fates[check_invariants(&bytes, &mut random) as usize] += 1;
    }
    assert!(fates.iter().all(|count| *count > 20), "each fate must occur: {fates:?}");
}

/// Damages every 101st byte of real files.
///
/// Takes minutes.
#[test]
#[ignore = "takes minutes, and real files"]
fn sweep() {
    let Some(folder) = crate::support::corpus("unigine") else { return };
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.is_file());
    files.sort();
    for path in files {
        let whole = std::fs::read(&path).unwrap();
        if !whole.starts_with(b"ms14") && !whole.starts_with(b"ms15") || whole.len() > 1 << 20 {
            continue;
        }
        let (mut spoilt, mut random) = (whole.clone(), Random::new(1));
        let step = (whole.len() / 500).max(1);
        for at in (0..whole.len()).step_by(step) {
            check_invariants(&whole[..at], &mut random);
            for bit in [0, 7] {
                spoilt[at] ^= 1 << bit;
                check_invariants(&spoilt, &mut random);
                spoilt[at] = whole[at];
            }
        }
    }
}

// Blocks.

/// Tests that a mesh that is stored in another way has the same content.
#[test]
fn stored_in_every_way() {
    for whole in all_small() {
        for seed in 0..32 {
            assert_eq!(check_invariants(&whole, &mut Random::new(seed)), Fate::Read);
        }
    }
}

/// Tests block sizes that are negative, huge, past the end, or larger than LZ4 can produce from the
/// stored bytes.
///
/// They are refused before any allocation, and the other surfaces can be read.
#[test]
fn refuses_bad_block_sizes_before_allocating() {
    let (_, contents) = cubes();
    let sound = RawBlock::lz4(&contents[1][0]);
    let steepest = sound.stored * 255 + 64;
    for raw in [-1, i64::MIN, i64::MAX, 1 << 62, steepest + 1] {
        let whole = with_second(RawBlock { raw, ..sound.clone() });
        let error = spoils_the_second(&whole, "surface[1].geometry.sizes", 0);
        assert!(error.to_string().contains(&raw.to_string()), "{error}");
        let mesh = Mesh::open(whole.as_slice()).unwrap();
        assert!(peak(|| mesh.surface(1).map(drop)) < 8192);
        findings(&whole);
    }
    // The largest raw size that LZ4 could produce, which differs from the real one.
    spoils_the_second(&with_second(RawBlock { raw: steepest, ..sound.clone() }), "surface[1].geometry", 16);
    for stored in [-1, i64::MIN, i64::MAX, 1 << 62, 1 << 20] {
        let whole = with_second(RawBlock { stored, ..sound.clone() });
        let error = spoils_the_second(&whole, "surface[1].geometry.sizes", 0);
        assert!(error.to_string().contains(&stored.to_string()), "{error}");
        assert!(peak(|| open_and_check(&whole)) < 1 << 16);
    }
    // If the end of a block is unknown and there is no table, the blocks before it can still be
    // read.
    let whole = with_second(RawBlock { stored: 1 << 20, ..sound });
    let cut = &whole[..whole.len() - 4];
    let mesh = Mesh::open(cut).unwrap();
    assert!(mesh.surface(0).is_ok() && mesh.surface(1).is_err());
    assert_eq!(mesh.surface(2).unwrap_err().field().to_string(), "surface[1].geometry.sizes");
}

/// Tests the content of a block.
///
/// If the stored size equals the raw size, the block is verbatim. LZ4 data that is truncated, too
/// long, too short, or refers to bytes before the block is an error of its surface.
#[test]
fn refuses_bad_payloads_of_one_surface() {
    let (_, contents) = cubes();
    let content = &contents[1][0];
    let verbatim = with_second(RawBlock::verbatim(content));
    let mesh = Mesh::open(verbatim.as_slice()).unwrap();
    assert_eq!(mesh.surface(1).unwrap().positions().unwrap().len(), 8);
    assert_eq!(mesh.inflated_bytes(), 0, "it is borrowed from the file");
    let stored = RawBlock::lz4(content).bytes;
    let raw = content.len();
    for length in 0..stored.len() {
        let whole = with_second(RawBlock::of_stored(raw, stored[..length].to_vec()));
        let mesh = Mesh::open(whole.as_slice()).unwrap();
        assert!(mesh.surface(1).is_err() && mesh.surface(2).is_ok() && mesh.surface(0).is_ok(), "cut to {length}");
    }
    for raw in [raw - 1, raw + 1, raw * 2] {
        spoils_the_second(&with_second(RawBlock::of_stored(raw, stored.clone())), "surface[1].geometry", 16);
    }
    // A match that starts before the first byte, one with offset 0, a literal that exceeds the
    // block, and lengths without an end.
    let fills = |bytes: &[u8]| bytes.iter().copied().chain(std::iter::repeat_n(0xff, 20)).collect::<Vec<_>>();
    for bytes in [&[0x04, 1, 0][..], &[0x14, 7, 9, 0], &[0x14, 7, 0, 0], &[0xf0, 0xff], &[0x1f, 7, 1, 0]] {
        spoils_the_second(&with_second(RawBlock::of_stored(raw, fills(bytes))), "surface[1].geometry", 16);
    }
    spoils_the_second(&with_second(RawBlock::of_stored(raw, Vec::new())), "surface[1].geometry.sizes", 0);
    // Valid LZ4 whose content is not valid geometry: shorter, longer, or with other counts.
    for content in [&content[..raw - 1], &[content.as_slice(), &[0]].concat(), &[]] {
        for block in [RawBlock::lz4(content), RawBlock::verbatim(content)] {
            let whole = with_second(block);
            check_invariants(&whole, &mut Random::new(1));
            let mesh = Mesh::open(whole.as_slice()).unwrap();
            let error = mesh.surface(1).map(drop).unwrap_err();
            expect_named(&error, whole.len() as u64);
            assert!(mesh.surface(2).is_ok());
            assert!(
                findings(&whole).iter().any(|found| found.severity == Severity::Error && found.field == error.field())
            );
        }
    }
}

/// Tests tables that are wrong, name one block several times, overlap, or point outside of the
/// file.
///
/// They are reported and ignored.
#[test]
fn walks_around_bad_tables() {
    let (whole, contents) = cubes();
    let geometry: Vec<_> = contents.iter().map(|[geometry, _]| RawBlock::lz4(geometry)).collect();
    let trees: Vec<_> = contents.iter().map(|[_, tree]| RawBlock::lz4(tree)).collect();
    let head = header(&whole);
    let right = places(&head, &geometry);
    let [one, two, three] = [right[0], right[1], right[2]];
    for wrong in [
        [0; 3],
        [one; 3],
        [two; 3],
        [three, two, one],
        [one, three, two],
        [one, two, two],
        [one, two + 1, three],
        [one, two - 16, three],
        [one, two, three + 16],
        [one, two, i64::MAX],
        [one, two, i64::try_from(whole.len()).unwrap()],
        [one, -1, three],
        [i64::MIN, two, three],
        [one + 1, two, three],
    ] {
        let lying = put_together_with(&head, &geometry, &trees, &wrong);
        let found = finds(&lying, "UG20", "offsets");
        assert_eq!(found.severity, Severity::Error);
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
            let mesh = Mesh::open(lying.as_slice()).unwrap();
            for index in order {
                assert_eq!(offset_of(&lying, index), right[index] as u64, "{wrong:?}");
                assert_eq!(mesh.surface(index).unwrap().positions().unwrap().len(), 8);
                assert!(mesh.tree(index).unwrap().is_some());
            }
            let mut written = Vec::new();
            mesh.write_to(0, &mut written).unwrap();
            assert!(
                !findings(&written).iter().any(|found| found.rule == "UG20"),
                "the table is correct in the written file"
            );
        }
    }
}

/// Tests a table that is consistent but does not match the blocks.
///
/// It points inside a block, at sizes that lead to the next offset. This is reported, nothing
/// panics, and the work is bounded by the file size.
#[test]
fn reports_a_table_that_points_into_a_block() {
    let (whole, contents) = cubes();
    let head = header(&whole);
    let rest = RawBlock::verbatim(&contents[1][0]);
    // The first block ends with sizes that span the second block.
    let span = i64::try_from(rest.bytes.len() + 16).unwrap();
    for (raw, content) in [(span, &contents[0][0]), (1 << 62, &contents[0][0]), (0, &contents[1][0])] {
        let inner = [raw.to_le_bytes(), span.to_le_bytes()].concat();
        let first = RawBlock::verbatim(&[content.as_slice(), &inner].concat());
        let geometry = [first, rest.clone(), RawBlock::lz4(&contents[2][0])];
        let trees: Vec<_> = contents.iter().map(|[_, tree]| RawBlock::lz4(tree)).collect();
        let mut lying = places(&head, &geometry);
        lying[1] -= 16;
        let file = put_together_with(&head, &geometry, &trees, &lying);
        for seed in 0..4 {
            check_invariants(&file, &mut Random::new(seed));
        }
        let found = findings(&file);
        assert!(found.iter().any(|found| found.rule == "UG20" && found.severity == Severity::Error), "{found:?}");
        let mesh = Mesh::open(file.as_slice()).unwrap();
        assert!(mesh.surface(0).is_err() && mesh.surface(2).is_ok());
        expect_bounded(&file, "a place inside a block");
    }
}

/// Returns a tree with these nodes over the twelve triangles of a cube.
///
/// All its boxes are zero.
fn tree_of(corners: &[i32], nodes: &[(u8, [i32; 4])]) -> Vec<u8> {
    let mut bytes = [compact(12), vec![7; 12], compact(i32::try_from(corners.len()).unwrap())].concat();
    bytes.extend(corners.iter().flat_map(|corner| compact(*corner)));
    bytes.extend(compact(i32::try_from(nodes.len()).unwrap()));
    for (axis, numbers) in nodes {
        bytes.push(*axis);
        bytes.extend(numbers.iter().flat_map(|number| compact(*number)));
    }
    bytes.extend(vec![0; nodes.len() * 28]);
    bytes
}

/// Tests cycles, children before their parents, leaves out of range, and wrong boxes.
///
/// They are reported, and everything else can be read.
#[test]
fn reports_bad_trees() {
    let corners: Vec<i32> = (0..12).map(|triangle| triangle * 3).collect();
    let leaf = |start, end| (0, [-1, -1, start, end]);
    let inner = |left, right| (0, [left, right, 0, 0]);
    for nodes in [
        vec![inner(0, 0)],
        vec![inner(1, 2), inner(0, 0), leaf(0, 12)],
        vec![inner(1, 2), leaf(0, 6), inner(1, 0)],
        vec![inner(1, 1), leaf(0, 12)],
        vec![inner(1, 2), leaf(0, 12), leaf(0, 12)],
        vec![inner(1, 2), leaf(0, 6), leaf(6, 13)],
        vec![inner(1, 2), leaf(0, 6), leaf(-1, 6)],
        vec![inner(1, 2), leaf(6, 0), leaf(6, 12)],
        vec![inner(1, i32::MAX), leaf(0, 12)],
        vec![inner(1, -2), leaf(0, 12)],
        vec![(3, [1, 2, 0, 0]), leaf(0, 6), leaf(6, 12)],
        vec![(255, [1, 2, 5, 5]), leaf(0, 6), leaf(6, 12)],
        vec![leaf(i32::MIN + 1, i32::MAX)],
        vec![leaf(0, 12), leaf(0, 0)],
        vec![inner(1, 2), leaf(0, 12)],
        Vec::new(),
    ] {
        let whole = with_tree(&tree_of(&corners, &nodes));
        assert_eq!(check_invariants(&whole, &mut Random::new(1)), Fate::Read);
        let found = findings(&whole);
        assert!(found.iter().any(|found| found.rule == "UG21"), "{nodes:?}: {found:?}");
        let mesh = Mesh::open(whole.as_slice()).unwrap();
        let tree = mesh.tree(0).unwrap().unwrap();
        assert_eq!(tree.nodes().len(), nodes.len());
        assert!(tree.nodes().iter().filter_map(|node| tree.triangles(node)).all(|found| found.len() <= 12));
    }
    // Boxes that exclude their triangles, and lists with triangles that do not exist.
    let sound = [inner(1, 2), leaf(0, 6), leaf(6, 12)];
    finds(&with_tree(&tree_of(&corners, &sound)), "UG21", "surface[0].tree.boxes");
    for wrong in [vec![0; 12], vec![1; 12], vec![i32::MAX; 12], vec![36; 12], vec![]] {
        finds(&with_tree(&tree_of(&wrong, &sound)), "UG21", "surface[0].tree.corners");
    }
    // Invalid lists are an error of only the tree.
    for bytes in [vec![], vec![0x7f], tree_of(&[-1], &sound), [tree_of(&corners, &sound), vec![0]].concat()] {
        let whole = with_tree(&bytes);
        assert_eq!(check_invariants(&whole, &mut Random::new(1)), Fate::Read);
        assert!(findings(&whole).iter().any(|found| found.severity == Severity::Error), "{bytes:?}");
        let mesh = Mesh::open(whole.as_slice()).unwrap();
        expect_named(&mesh.tree(0).unwrap_err(), whole.len() as u64);
        assert_eq!(mesh.surface(0).unwrap().positions().unwrap().len(), 8);
    }
}

/// Tests wide indices of four bytes and as compact ints.
///
/// The reader uses the encoding that fills the block. If neither does, the result is an error.
#[test]
fn reads_wide_indices_in_both_encodings() {
    let positions = 65_536;
    let narrow = [0, 1, 2];
    let head = header_of(Generation::Ms15, 1, 1, [positions, 3, 3]);
    let before = [vec![0; positions * 12], compact(1), vec![0; 8], vec![0; 3]].concat();
    let tree = [0, 0, 0];
    let streams = |indices: &[u8]| {
        let content = [&before, indices, &narrow].concat();
        [RawBlock::verbatim(&content), RawBlock::lz4(&content)]
            .map(|block| put_together(&head, &[block], &[RawBlock::verbatim(&tree)]))
    };
    let values = [65_535, 0, 300];
    let fixed = values.map(i32::to_le_bytes).concat();
    let spelled = values.map(compact).concat();
    for whole in streams(&fixed).into_iter().chain(streams(&spelled)) {
        assert_eq!(check_invariants(&whole, &mut Random::new(1)), Fate::Read);
        let mesh = Mesh::open(whole.as_slice()).unwrap();
        let view = mesh.surface(0).unwrap();
        assert!(view.indices().unwrap().iter().eq([65_535, 0, 300]));
        assert!(view.attribute_indices().unwrap().iter().eq([0, 1, 2]));
    }
    let odd = [&spelled[..], &[0]].concat();
    let negative = [-1, 0, 300].map(compact).concat();
    for wrong in
        [&fixed[1..], &[&fixed[..], &[0]].concat(), &spelled[..spelled.len() - 1], &odd, &[0x80; 3], &[0xff; 15]]
    {
        for whole in streams(wrong) {
            assert_ne!(check_invariants(&whole, &mut Random::new(1)), Fate::Refused);
            let mesh = Mesh::open(whole.as_slice()).unwrap();
            expect_named(&mesh.surface(0).map(drop).unwrap_err(), whole.len() as u64);
        }
    }
    for whole in streams(&negative) {
        check_invariants(&whole, &mut Random::new(1));
        let mesh = Mesh::open(whole.as_slice()).unwrap();
        assert_eq!(
            mesh.surface(0).unwrap().indices().unwrap().get(0),
            Some(u32::MAX),
            "a negative compact int is an index out of range"
        );
        assert!(findings(&whole).iter().any(|found| found.rule == "UG04"));
    }
}

/// Tests counts of the header that exceed the block.
#[test]
fn counts_beyond_the_block() {
    let (whole, _) = cubes();
    for name in
        ["surface[1].indices.count", "surface[1].attribute_indices.count", "surface[1].target[0].positions.count"]
    {
        for count in [i32::MAX, 357_913_942, 1 << 30, 37, 9] {
            let spoilt = spoil(&whole, name, &compact(count));
            assert!(peak(|| open_and_check(&spoilt)) < 1 << 16);
            assert_ne!(check_invariants(&spoilt, &mut Random::new(1)), Fate::Refused);
            let mesh = Mesh::open(spoilt.as_slice()).unwrap();
            // The longer count moves the blocks, so the table is wrong and is ignored.
            assert!(mesh.surface(1).is_err() && mesh.surface(2).is_ok() && mesh.surface(0).is_ok());
        }
        let at = region(&whole, name).start as u64;
        let error = Mesh::open(spoil(&whole, name, &compact(-1))).map(drop).unwrap_err();
        assert_eq!((error.field().to_string().as_str(), error.offset()), (name, Some(at)));
        assert!(findings(&spoil(&whole, name, &long_compact(0, 5))).iter().any(|found| found.rule == "UG14"));
    }
}

// Traps for time and memory.

/// Tests blocks that inflate to the limit, to more, and together to more than the limit of a file.
///
/// They are refused by name, and the peak stays below twice the limit.
#[test]
fn stops_bombs_at_the_limit() {
    let limit = 1 << 20;
    let limits = Limits::default().with_block(limit).with_asset(2 * limit);
    let head = |count| header_of(Generation::Ms15, count, 1, [0; 3]);
    let tree = RawBlock::verbatim(&[0; 3]);
    let size = usize::try_from(limit).unwrap();
    let bomb = |size: usize| RawBlock::lz4(&vec![0; size]);
    // The block is one byte larger than the limit.
    let whole = put_together(&head(1), &[bomb(size + 1)], std::slice::from_ref(&tree));
    let mesh = Mesh::open_with(whole.as_slice(), &OpenOptions::default().with_limits(limits)).unwrap();
    let error = mesh.surface(0).map(drop).unwrap_err();
    assert!(is_error(&error, ErrorKind::Limit, &["(the limit `block`)"]), "{error}");
    assert!(peak(|| mesh.check()) < 8192);
    // The geometry and trees of many surfaces, each with the size of the limit.
    let count = 40;
    let whole = put_together(&head(count), &vec![bomb(size); count], &vec![bomb(size); count]);
    within(20, "bombs", || {
        let used = peak(|| {
            let mesh = Mesh::open_with(whole.as_slice(), &OpenOptions::default().with_limits(limits)).unwrap();
            mesh.check().unwrap_err();
            mesh.validate(&mut |_| {}).unwrap();
            mesh.write_to(0, &mut std::io::sink()).unwrap();
            (0..count).for_each(|index| drop(mesh.surface(index)));
            (0..count).for_each(|index| drop(mesh.tree(index)));
        });
        assert!(used < 2 * size + 5 * whole.len() + (2 << 20), "{used} bytes for {}", whole.len());
    });
    // Valid blocks are kept until their total would exceed the limit.
    let positions = size / 12 - 1;
    let head = header_of(Generation::Ms15, 4, 1, [positions, 0, 0]);
    let geometry = bomb(positions * 12 + 4);
    let whole = put_together(&head, &vec![geometry; 4], &vec![tree; 4]);
    let mesh = Mesh::open_with(whole.as_slice(), &OpenOptions::default().with_limits(limits)).unwrap();
    let results: Vec<_> = (0..4).map(|index| mesh.surface(index).map(|view| view.positions().unwrap().len())).collect();
    assert!(results[..2].iter().all(|one| one.as_ref().is_ok_and(|found| *found == positions)), "{results:?}");
    for result in &results[2..] {
        let error = result.as_ref().unwrap_err();
        assert!(is_error(error, ErrorKind::Limit, &["(the limit `asset`)"]), "{error}");
    }
    assert!(mesh.inflated_bytes() <= 2 * limit);
    // With a buffer for one block at a time, each block fits.
    mesh.check().unwrap();
    assert!((0..4).all(|index| mesh.surface_in(index, &mut InflateBuffer::default()).is_ok()));
}

/// Tests compact ints of one byte that are decoded to four bytes.
///
/// The decoded size counts against the limit.
#[test]
fn wide_indices_count_against_the_limit() {
    let limit = 2 << 20;
    let limits = Limits::default().with_block(limit).with_asset(2 * limit);
    let (positions, corners) = (65_536, 1 << 20);
    let head = header_of(Generation::Ms15, 1, 1, [positions, corners, 0]);
    let content = vec![0; positions * 12 + 4 + corners];
    let whole = put_together(&head, &[RawBlock::lz4(&content)], &[RawBlock::verbatim(&[0; 3])]);
    let used = peak(|| {
        let mesh = Mesh::open_with(whole.as_slice(), &OpenOptions::default().with_limits(limits)).unwrap();
        let error = mesh.surface(0).map(drop).unwrap_err();
        assert!(is_error(&error, ErrorKind::Limit, &["(the limit `block`)"]), "{error}");
        assert_eq!(mesh.inflated_bytes(), 0);
    });
    assert!(used < usize::try_from(2 * limit).unwrap(), "{used}");
    let mesh = Mesh::open(whole.as_slice()).unwrap();
    assert_eq!(mesh.surface(0).unwrap().indices().unwrap().len(), corners);
    assert!(mesh.inflated_bytes() >= 4 * corners as u64, "the held bytes are counted");
}

/// Tests the maximum number of surfaces with blocks that are all invalid or have wrong lengths.
///
/// Also tests a table that names one bomb for every other surface, which must not be inflated for
/// each of them.
#[test]
fn many_bad_blocks_take_linear_time() {
    let count = 32_767 / SCALE;
    let head = header_of(Generation::Ms15, count, 1, [0; 3]);
    let (bad, sound) = (RawBlock::of_stored(40, vec![0xff; 3]), RawBlock::verbatim(&[0; 4]));
    let tree = RawBlock::verbatim(&[0; 3]);
    let trees = vec![tree; count];
    let all_bad = put_together(&head, &vec![bad; count], &vec![RawBlock::of_stored(0, vec![0xf0; 2]); count]);
    within(10, "bad blocks", || {
        let mesh = Mesh::open(all_bad.as_slice()).unwrap();
        assert!((0..count).rev().all(|index| mesh.surface(index).is_err() && mesh.tree(index).is_err()));
        assert!(mesh.check().is_err() && findings(&all_bad).len() <= 2100);
        mesh.write_to(0, &mut std::io::sink()).unwrap();
    });
    expect_bounded(&all_bad, "bad blocks");

    // The end of the second block is unknown, and there is no valid table.
    let mut geometry = vec![sound; count];
    geometry[1].stored = i64::MAX;
    let whole = put_together_with(&head, &geometry, &trees, &vec![0; count]);
    within(10, "no way", || {
        let mesh = Mesh::open(whole.as_slice()).unwrap();
        assert!((2..count).all(|index| mesh.surface(index).is_err() && mesh.tree(index).is_err()));
        assert!(mesh.surface(0).is_ok() && mesh.check().is_err() && mesh.validate(&mut |_| {}).is_err());
    });

    // One of the blocks is a bomb, which every other entry of the table names.
    geometry[1] = RawBlock::lz4(&vec![0; 4 << 20]);
    let mut lying = places(&head, &geometry);
    for pair in (1..count - 2).step_by(2) {
        (lying[pair], lying[pair + 1]) = (lying[1], lying[2]);
    }
    let whole = put_together_with(&head, &geometry, &trees, &lying);
    within(10, "one bomb for all", || {
        let mesh = Mesh::open(whole.as_slice()).unwrap();
        mesh.check().unwrap_err();
        assert!(findings(&whole).iter().any(|found| found.rule == "UG20"));
        assert!((2..count).all(|index| mesh.surface(index).is_ok()));
    });
    expect_bounded(&whole, "a lying table");
}

/// Tests leaves that all have the same triangles, and a chain of nodes.
#[test]
fn bad_trees_take_linear_time() {
    let corners = i32::try_from(300_000 / SCALE).unwrap();
    let leaves = i32::try_from(100_000 / SCALE).unwrap();
    let whole = built(Generation::Ms15, Storage::Lz4, vec![cube("cube", 0.5)]);
    let [geometry, _] = &contents(&whole)[0];
    let head = header(&whole);
    let file = |tree: &[u8]| put_together(&head, &[RawBlock::lz4(geometry)], &[RawBlock::verbatim(tree)]);
    // Each left child is a leaf with all triangles.
    let mut nodes = Vec::new();
    for pair in 0..leaves {
        nodes.push((0, [2 * pair + 1, 2 * pair + 2, 0, 0]));
        nodes.push((0, [-1, -1, 0, corners]));
    }
    nodes.push((0, [-1, -1, 0, corners]));
    let same = file(&tree_of(&vec![0; corners as usize], &nodes));
    within(10, "leaves alike", || assert!(findings(&same).iter().any(|found| found.rule == "UG21")));
    expect_bounded(&same, "leaves alike");
    // A chain of left children, which is as deep as half of the number of nodes.
    let deep = 1_000_000 / i32::try_from(SCALE).unwrap();
    let mut nodes: Vec<_> = (0..deep).map(|number| (0, [number + 1, 2 * deep - number, 0, 0])).collect();
    nodes.extend((0..=deep).map(|_| (0, [-1, -1, 0, 0])));
    let deep = file(&tree_of(&[], &nodes));
    within(10, "a deep tree", || {
        let found = findings(&deep);
        assert!(!found.iter().any(|found| found.field.name() == "nodes" && found.text.contains("out of order")));
        let mesh = Mesh::open(deep.as_slice()).unwrap();
        assert_eq!(mesh.tree(0).unwrap().unwrap().nodes().len(), nodes.len());
    });
    expect_bounded(&deep, "a deep tree");
}

/// Tests a hundred thousand morph targets in a block.
#[test]
fn many_targets_take_linear_time() {
    let targets = 100_000 / SCALE;
    let head = header_of(Generation::Ms14, 1, targets, [0; 3]);
    let whole = put_together(&head, &[RawBlock::lz4(&vec![0; targets + 4])], &[RawBlock::verbatim(&[0; 3])]);
    within(10, "many targets", || {
        let mesh = Mesh::open(whole.as_slice()).unwrap();
        assert_eq!(mesh.surface(0).unwrap().target_count(), targets);
        mesh.surface(0).unwrap().blend(&vec![1.0; targets - 1], &mut []).unwrap();
        findings(&whole);
    });
    expect_bounded(&whole, "many targets");
}

/// Tests that the weights of a block are walked once for a surface, in verbatim and in compressed
/// blocks.
#[test]
fn weights_in_blocks() {
    let mut surface = grid("skin", 20, false);
    surface.weights = vec![vec![Influence { bone: 0, weight: 1.0 }]; 441];
    let bones = vec![builder::Bone { parent: -1, ..builder::Bone::default() }];
    for storage in [Storage::Raw, Storage::Lz4] {
        let mesh = builder::Mesh {
            storage,
            bones: bones.clone(),
            surfaces: vec![surface.clone()],
            ..builder::Mesh::new(Generation::Ms14)
        };
        let whole = mesh.to_bytes().unwrap();
        assert_eq!(check_invariants(&whole, &mut Random::new(1)), Fate::Read);
        let [geometry, tree] = &contents(&whole)[0];
        let at = geometry.windows(5).position(|window| window == [1, 0, 0, 0xff, 0xff]).unwrap();
        // A bone that does not exist, a list of five influences, and a list that exceeds the block.
        for (into, byte) in [(1, 9), (0, 5), (0, 255)] {
            let mut spoilt = geometry.clone();
            spoilt[at + into] = byte;
            let file = put_together(&header(&whole), &[RawBlock::lz4(&spoilt)], &[RawBlock::lz4(tree)]);
            assert_ne!(check_invariants(&file, &mut Random::new(1)), Fate::Refused);
            assert!(findings(&file).iter().any(|found| found.severity == Severity::Error));
        }
    }
}

//! Tests of hostile Second Life meshes: headers, blocks, and their content.

use std::io::Write as _;
use std::path::PathBuf;
use std::time::Instant;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use meshpeek::model::SurfaceArrays as _;
use meshpeek::secondlife::llsd::{self, LlsdLimits, LlsdValue, LlsdWriter};
use meshpeek::secondlife::{
    AssetPart, Header, HeaderPrefix, IDENTITY, InflateBuffer, LevelGeometry, Lod, Mesh, PhysicsShape, Submesh,
    SubmeshKey,
};
use meshpeek::{
    Animations, Array, Bounds, Error, ErrorKind, Finding, Format, Limits, Map, MeshFile as _, Model, OpenOptions,
    Severity, Surface,
};

use crate::support::corpus;
use crate::support::invariants::{Fate, expect_named};
use crate::support::random::Random;
use crate::support::secondlife::invariants::{borrow_everything, check_invariants, expect_copied};
use crate::support::stopwatch::Stopwatch;
use crate::support::{is_error, limit_message};
use crate::{bounded, edges, peak, within};

/// The factor by which the trap files are larger in an optimised build.
const SCALE: usize = if cfg!(debug_assertions) { 1 } else { 10 };
/// A stack size that recursion over the depth of the data would exceed.
///
/// Unoptimised code uses more stack.
const SMALL_STACK: usize = if cfg!(debug_assertions) { 256 << 10 } else { 128 << 10 };
/// Bytes that the inflate engine and a few small objects hold.
const ENGINE: usize = 64 << 10;

// Building files.

fn spell(write: impl FnOnce(&mut LlsdWriter)) -> Vec<u8> {
    let mut writer = LlsdWriter::new();
    write(&mut writer);
    writer.into_bytes()
}

fn int(value: i32) -> Vec<u8> {
    spell(|writer| _ = writer.integer(value))
}

fn real(value: f64) -> Vec<u8> {
    spell(|writer| _ = writer.real(value))
}

fn bin(bytes: &[u8]) -> Vec<u8> {
    spell(|writer| _ = writer.binary(bytes))
}

fn text(text: &str) -> Vec<u8> {
    spell(|writer| _ = writer.string(text.as_bytes()))
}

fn list(items: &[Vec<u8>]) -> Vec<u8> {
    let mut writer = LlsdWriter::new();
    writer.open_array(items.len() as u32);
    let mut writer = LlsdWriter::after([writer.into_bytes(), items.concat()].concat());
    writer.close_array();
    writer.into_bytes()
}

fn numbers(values: &[f64]) -> Vec<u8> {
    list(&values.iter().map(|value| real(*value)).collect::<Vec<_>>())
}

/// A map under construction: keys, each with the bytes of its value.
#[derive(Clone, Default)]
struct Tree(Vec<(String, Vec<u8>)>);

impl Tree {
    /// Replaces the value of a key, or adds the key at the end.
    fn with(mut self, key: &str, value: Vec<u8>) -> Self {
        match self.0.iter_mut().find(|(known, _)| known == key) {
            Some((_, old)) => *old = value,
            None => self.0.push((key.to_owned(), value)),
        }
        self
    }

    /// Adds a key, even if the map has one with that name.
    fn and(mut self, key: &str, value: Vec<u8>) -> Self {
        self.0.push((key.to_owned(), value));
        self
    }

    fn without(mut self, key: &str) -> Self {
        self.0.retain(|(known, _)| known != key);
        self
    }

    fn bytes(&self) -> Vec<u8> {
        let mut writer = LlsdWriter::new();
        writer.open_map(self.0.len() as u32);
        for (key, value) in &self.0 {
            writer.key(key);
            writer = LlsdWriter::after([writer.into_bytes(), value.clone()].concat());
        }
        writer.close_map();
        writer.into_bytes()
    }
}

fn codes(values: &[u16]) -> Vec<u8> {
    bin(&values.iter().flat_map(|code| code.to_le_bytes()).collect::<Vec<_>>())
}

fn domain<const N: usize>(min: [f64; N], max: [f64; N]) -> Vec<u8> {
    Tree::default().with("Max", numbers(&max)).with("Min", numbers(&min)).bytes()
}

/// Returns a square of four vertices and two triangles, with everything that a submesh can have.
fn square() -> Tree {
    let m = u16::MAX;
    Tree::default()
        .with("Normal", codes(&[32768, 32768, m].repeat(4)))
        .with("Position", codes(&[0, 0, 0, m, 0, 0, m, m, 0, 0, m, 0]))
        .with("PositionDomain", domain([-0.5; 3], [0.5; 3]))
        .with("TexCoord0", codes(&[0, 0, m, 0, m, m, 0, m]))
        .with("TexCoord0Domain", domain([0.0; 2], [1.0; 2]))
        .with("TriangleList", codes(&[0, 1, 2, 0, 2, 3]))
        .with("Weights", bin(&weights()))
}

/// Returns weight lists of one, two, three and four influences.
fn weights() -> Vec<u8> {
    let one = |joint: u8, weight: u16| [&[joint][..], &weight.to_le_bytes()].concat();
    let (two, three, four) = ([one(0, 32768), one(1, 32767)], 21845, 16384);
    [
        one(1, 65535),
        vec![255],
        two.concat(),
        vec![255],
        [one(0, three), one(1, three), one(0, three)].concat(),
        vec![255],
        [one(0, four), one(1, four), one(0, four), one(1, four - 1)].concat(),
    ]
    .concat()
}

fn matrix() -> Vec<u8> {
    numbers(&IDENTITY.map(f64::from))
}

fn skin() -> Tree {
    Tree::default()
        .with("alt_inverse_bind_matrix", list(&[matrix(), matrix()]))
        .with("bind_shape_matrix", matrix())
        .with("inverse_bind_matrix", list(&[matrix(), matrix()]))
        .with("joint_names", list(&[text("mPelvis"), text("mTorso")]))
        .with("lock_scale_if_joint_position", b"1".to_vec())
        .with("pelvis_offset", real(0.25))
}

/// Returns two hulls of four points, and the hull around them.
fn hulls() -> Tree {
    let four: Vec<u16> = vec![0, 0, 0, 9, 0, 0, 0, 9, 0, 0, 0, 9];
    Tree::default()
        .with("BoundingVerts", codes(&four))
        .with("HullList", bin(&[4, 4]))
        .with("Max", numbers(&[0.5; 3]))
        .with("Min", numbers(&[-0.5; 3]))
        .with("Positions", codes(&four.repeat(2)))
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// An asset under construction: blocks as stored, in file order, and other entries of the header.
#[derive(Clone, Default)]
struct Asset {
    others: Tree,
    blocks: Vec<(AssetPart, Vec<u8>)>,
}

impl Asset {
    /// Returns an asset with a skin, hulls, and four levels of two squares each.
    fn full() -> Self {
        let level = list(&[square().bytes(), square().bytes()]);
        let levels = [AssetPart::LowestLod, AssetPart::LowLod, AssetPart::MediumLod, AssetPart::HighLod];
        let asset =
            Self::default().block(AssetPart::Skin, &skin().bytes()).block(AssetPart::PhysicsConvex, &hulls().bytes());
        levels.into_iter().fold(asset, |asset, part| asset.block(part, &level))
    }

    /// Returns an asset with only the highest level, which has one square.
    fn small(square: &Tree) -> Self {
        Self::default().block(AssetPart::HighLod, &list(&[square.bytes()]))
    }

    fn block(self, part: AssetPart, value: &[u8]) -> Self {
        self.stored(part, zlib(value))
    }

    fn stored(mut self, part: AssetPart, stored: Vec<u8>) -> Self {
        match self.blocks.iter_mut().find(|(known, _)| *known == part) {
            Some((_, old)) => *old = stored,
            None => self.blocks.push((part, stored)),
        }
        self
    }

    fn other(mut self, key: &str, value: Vec<u8>) -> Self {
        self.others = self.others.with(key, value);
        self
    }

    /// Returns the map of the header, sorted by key.
    fn header(&self) -> Tree {
        let mut header = self.others.clone();
        let mut offset = 0;
        for (part, stored) in &self.blocks {
            header = header.with(part.key(), entry(offset, small(stored.len())));
            offset += small(stored.len());
        }
        header.0.sort();
        header
    }

    fn bodies(&self) -> Vec<u8> {
        self.blocks.iter().flat_map(|(_, stored)| stored.iter().copied()).collect()
    }

    fn bytes(&self) -> Vec<u8> {
        self.under(&self.header())
    }

    /// Returns the blocks after another header.
    fn under(&self, header: &Tree) -> Vec<u8> {
        [header.bytes(), self.bodies()].concat()
    }
}

/// Converts a length to an LLSD integer.
fn small(length: usize) -> i32 {
    length.try_into().unwrap()
}

fn entry(offset: i32, size: i32) -> Vec<u8> {
    Tree::default().with("offset", int(offset)).with("size", int(size)).bytes()
}

fn container(assets: &[Vec<u8>]) -> Vec<u8> {
    let mut writer = LlsdWriter::new();
    writer.open_map(4).key("instance").open_array(1).open_map(2).key("label").string(b"one").key("mesh_id").integer(0);
    writer.close_map().close_array().key("mesh").open_array(assets.len() as u32);
    for asset in assets {
        writer.string(asset);
    }
    writer.close_array().key("name").string(b"model").key("version").integer(3).close_map();
    writer.into_bytes()
}

fn cached(asset: &[u8], flags: u32) -> Vec<u8> {
    let header = Header::of_prefix(asset, &Limits::default()).unwrap();
    let HeaderPrefix::Ready(header) = header else { panic!("expected an asset") };
    [[1, header.len() as u32, flags].map(u32::to_le_bytes).concat(), asset.to_vec()].concat()
}

/// Returns valid files of each kind, small enough for tests that damage every bit.
fn samples() -> Vec<(&'static str, Vec<u8>)> {
    let plain = square().without("Weights").without("Normal");
    let physics = zlib(&list(&[plain.bytes()]));
    let hash: Vec<u8> = md5(&physics).to_vec();
    let simulated = Asset::small(&plain).stored(AssetPart::PhysicsMesh, physics.clone());
    let hashed = Tree::default()
        .with("hash", bin(&hash))
        .with("offset", int(small(simulated.blocks[0].1.len())))
        .with("size", int(small(physics.len())))
        .bytes();
    let header = simulated
        .header()
        .with("physics_mesh", hashed)
        .and("version", int(1))
        .and("creator", spell(|writer| _ = writer.uuid(&[7; 16])))
        .and("date", spell(|writer| _ = writer.date(1.5e9)));
    let placeholder = Tree::default().with("NoGeometry", b"1".to_vec());
    let small = Asset::small(&plain).bytes();
    vec![
        ("small", small.clone()),
        ("full", Asset::full().bytes()),
        ("simulated", simulated.under(&header)),
        (
            "placeholder",
            Asset::default().block(AssetPart::HighLod, &list(&[placeholder.bytes(), plain.bytes()])).bytes(),
        ),
        ("container", container(&[small.clone(), Asset::small(&square()).bytes()])),
        ("cached", cached(&small, 1 << 3)),
        ("marked", [b"<? LLSD/Binary ?>\n", small.as_slice()].concat()),
    ]
}

/// Computes an MD5 from the published algorithm.
///
/// Using the crate's own implementation here would prove nothing.
fn md5(bytes: &[u8]) -> [u8; 16] {
    const TURNS: [[u32; 4]; 4] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];
    let mut padded = bytes.to_vec();
    padded.push(0x80);
    while padded.len() % 64 != 56 {
        padded.push(0);
    }
    padded.extend((bytes.len() as u64 * 8).to_le_bytes());
    let mut state = [0x6745_2301_u32, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
    for chunk in padded.chunks_exact(64) {
        let words: Vec<u32> = chunk.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
        let [mut a, mut b, mut c, mut d] = state;
        for step in 0..64 {
            let (mixed, word) = match step / 16 {
                0 => (b & c | !b & d, step),
                1 => (d & b | !d & c, (5 * step + 1) % 16),
                2 => (b ^ c ^ d, (3 * step + 5) % 16),
                _ => (c ^ (b | !d), 7 * step % 16),
            };
            let constant = ((step as f64 + 1.0).sin().abs() * 4_294_967_296.0) as u32;
            let sum = a.wrapping_add(mixed).wrapping_add(constant).wrapping_add(words[word]);
            (a, d, c) = (d, c, b);
            b = b.wrapping_add(sum.rotate_left(TURNS[step / 16][step % 4]));
        }
        state = [a, b, c, d].into_iter().zip(state).map(|(one, old)| old.wrapping_add(one)).collect::<Vec<_>>()[..]
            .try_into()
            .unwrap();
    }
    state.map(u32::to_le_bytes).concat().try_into().unwrap()
}

// Reading files.

fn findings(bytes: &[u8]) -> Vec<Finding> {
    let mut found = Vec::new();
    Mesh::open(bytes).unwrap().validate(&mut |finding| found.push(finding)).unwrap();
    found
}

fn faults(bytes: &[u8]) -> Vec<Finding> {
    findings(bytes).into_iter().filter(|finding| finding.severity > Severity::Info).collect()
}

/// Asserts that `validate` reports `rule` about `field`, and that the invariants hold.
fn finds(bytes: &[u8], rule: &str, severity: Severity, field: &str) -> Finding {
    let fate = check_invariants(bytes, &mut Random::new(1));
    assert_ne!(fate, Fate::Refused);
    let all = findings(bytes);
    let one = all.iter().find(|found| found.rule == rule && found.field.to_string() == field);
    let one = one.unwrap_or_else(|| panic!("no {rule} about {field} among {all:#?}")).clone();
    assert_eq!(one.severity, severity, "{one}");
    assert!(severity < Severity::Error || fate == Fate::Damaged, "{one}");
    one
}

/// Like [`finds`], and asserts that there is no other error or warning.
fn finds_only(bytes: &[u8], rule: &str, severity: Severity, field: &str) -> Finding {
    let found = finds(bytes, rule, severity, field);
    let all = faults(bytes);
    assert!(all.iter().all(|other| *other == found), "{all:#?}");
    found
}

/// Asserts that the file does not open.
fn refused(bytes: &[u8], kind: &str, offset: usize) -> Error {
    assert_eq!(check_invariants(bytes, &mut Random::new(1)), Fate::Refused);
    let error = Mesh::open(bytes).unwrap_err();
    assert_eq!((error.kind().id(), error.offset()), (kind, Some(offset as u64)), "{error}");
    assert_eq!(error.format(), "secondlife");
    error
}

fn fails<T: std::fmt::Debug>(result: meshpeek::Result<T>, kind: &str, field: &str) -> Error {
    let error = result.expect_err(field);
    assert_eq!((error.kind().id(), error.field().to_string().as_str()), (kind, field), "{error}");
    error
}

/// Asserts that every block except those in `spoilt` can be read, and that its first submesh is
/// complete.
fn others_work(mesh: &Mesh<&[u8]>, spoilt: &[AssetPart]) {
    for part in AssetPart::ALL.into_iter().filter(|part| !spoilt.contains(part)) {
        let Some(block) = mesh.block(part).unwrap() else { continue };
        if part.is_geometry() {
            let submesh = block.level().unwrap().submesh(0).unwrap();
            assert_eq!((submesh.positions().unwrap().len(), submesh.triangle_count()), (4, 2));
        }
    }
    if !spoilt.contains(&AssetPart::Skin) && mesh.header().unwrap().block(AssetPart::Skin).unwrap().is_some() {
        assert_eq!(mesh.skin().unwrap().unwrap().palette(|_| IDENTITY).unwrap().matrices().len(), 2);
    }
}

/// Returns the full asset with a damaged highest level: the first of its two submeshes is replaced.
fn with_square(square_of: &Tree) -> Vec<u8> {
    Asset::full().block(AssetPart::HighLod, &list(&[square_of.bytes(), square().bytes()])).bytes()
}

/// Opens such an asset, asserts that everything else works, and calls `look` with the damaged
/// submesh.
fn look(bytes: &[u8], look: impl FnOnce(Submesh<'_>)) {
    let mesh = Mesh::open(bytes).unwrap();
    others_work(&mesh, &[AssetPart::HighLod]);
    let level = mesh.level(Lod::High).unwrap();
    assert_eq!(level.submesh(1).unwrap().positions().unwrap().len(), 4);
    look(level.submesh(0).unwrap());
}

/// Runs `work` on a thread with a small stack.
fn on_small_stack(work: impl FnOnce() + Send) {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(SMALL_STACK).spawn_scoped(scope, work).unwrap();
        thread.join().unwrap();
    });
}

/// Asserts that a block cannot be read, that all other blocks can, and that `validate` reports
/// `rule` about it.
fn block_fails(asset: &Asset, part: AssetPart, kind: &str, rule: &str) -> Error {
    let bytes = asset.bytes();
    let mesh = Mesh::open(bytes.as_slice()).unwrap();
    let error = fails(mesh.block(part), kind, part.key());
    others_work(&mesh, &[part]);
    finds(&bytes, rule, Severity::Error, part.key());
    error
}

#[test]
fn the_samples_are_sound() {
    for (name, bytes) in samples() {
        assert_eq!(check_invariants(&bytes, &mut Random::new(1)), Fate::Read, "{name}");
        let expected: &[&str] = if ["full"].contains(&name) { &[] } else { &["SL16", "SL25", "SL24", "SL17"] };
        let all = faults(&bytes);
        assert!(all.iter().all(|found| expected.contains(&found.rule)), "{name}: {all:#?}");
    }
}

// Tests for any file.

/// Tests an empty file, files of one to three bytes, a file that ends after the header, and files
/// that begin with a byte order mark or blanks.
#[test]
fn refuses_next_to_nothing() {
    assert!(refused(b"", "empty", 0).kind() == ErrorKind::Empty);
    assert!(Model::open(b"".as_slice()).unwrap_err().kind() == ErrorKind::Empty);
    for (short, at) in [(&b"{"[..], 1), (b"{\0", 1), (b"{\0\0", 1)] {
        refused(short, "unexpected-end", at);
    }
    for other in [&b"[\0\0\0\0]"[..], b"!", b"i\0\0\0\x01"] {
        refused(other, "value", 0);
        assert!(Format::detect(other).is_err());
    }
    let whole = Asset::full().bytes();
    let header = Mesh::open(whole.as_slice()).unwrap().header().unwrap().len() as usize;
    let cut = &whole[..header];
    let mesh = Mesh::open(cut).unwrap();
    for part in [AssetPart::Skin, AssetPart::PhysicsConvex, AssetPart::HighLod, AssetPart::LowestLod] {
        fails(mesh.block(part), "unexpected-end", &format!("{}.size", part.key()));
        finds(cut, "SL02", Severity::Error, &format!("{}.size", part.key()));
    }
    for first in [&b"\xef\xbb\xbf"[..], b" ", b"\r\n", b"\0"] {
        let spoilt = [first, &whole].concat();
        refused(&spoilt, "value", 0);
        assert!(!meshpeek::Format::recognises(&spoilt));
    }
}

/// Truncates every sample at every length.
///
/// A file that ends within the header does not open. After the header, complete blocks can be read.
#[test]
fn survives_every_cut() {
    for (name, whole) in samples() {
        let sound = Mesh::open(whole.as_slice()).unwrap();
        let is_container = sound.container().is_some();
        let header = if is_container { whole.len() as u64 } else { sound.header().unwrap().base() };
        for length in 0..whole.len() {
            let cut = &whole[..length];
            let fate = check_invariants(cut, &mut Random::new(length as u64));
            assert_eq!(fate == Fate::Refused, (length as u64) < header, "{name} cut to {length}");
            let Ok(mesh) = Mesh::open(cut) else {
                let error = Mesh::open(cut).unwrap_err();
                let ends = ["unexpected-end", "count", "empty"].contains(&error.kind().id());
                assert!(ends || name == "cached", "{name} cut to {length}: {error}");
                continue;
            };
            assert_eq!(fate, Fate::Damaged, "{name} cut to {length}");
            for block in sound.header().unwrap().blocks() {
                let fits = block.end <= length as u64;
                assert_eq!(mesh.block(block.part).is_ok(), fits, "{name} cut to {length}: {}", block.part.key());
            }
        }
    }
}

/// Flips every bit of the samples.
#[test]
fn survives_every_flipped_bit() {
    let step = if cfg!(debug_assertions) { 13 } else { 1 };
    for (name, whole) in samples() {
        let mut spoilt = whole.clone();
        let mut random = Random::new(5);
        for bit in (0..whole.len() * 8).step_by(if name == "full" { step * 2 } else { step }) {
            spoilt[bit / 8] ^= 1 << (bit % 8);
            check_invariants(&spoilt, &mut random);
            spoilt[bit / 8] = whole[bit / 8];
        }
    }
}

/// Flips every bit of a block's value, and sets its fields of one, two and four bytes to the ends
/// of their ranges.
///
/// The value is then wrapped again.
#[test]
fn survives_damage_inside_blocks() {
    let level = list(&[square().bytes()]);
    let values =
        [(AssetPart::HighLod, level), (AssetPart::Skin, skin().bytes()), (AssetPart::PhysicsConvex, hulls().bytes())];
    let step = if cfg!(debug_assertions) { 11 } else { 1 };
    for (part, value) in values {
        let mut random = Random::new(6);
        let mut try_it = |spoilt: &[u8]| {
            let asset = if part == AssetPart::HighLod { Asset::default() } else { Asset::small(&square()) };
            check_invariants(&asset.stored(part, store(spoilt)).bytes(), &mut random);
        };
        for bit in (0..value.len() * 8).step_by(step) {
            let mut spoilt = value.clone();
            spoilt[bit / 8] ^= 1 << (bit % 8);
            try_it(&spoilt);
        }
        for (at, width) in (0..value.len()).flat_map(|at| [1, 2, 4].map(|width| (at, width))).step_by(step * 2) {
            for edge in edges(width, value.len()).into_iter().skip(at % 3).step_by(3) {
                if at + width <= value.len() {
                    let mut spoilt = value.clone();
                    spoilt[at..at + width].copy_from_slice(&edge.to_be_bytes()[8 - width..]);
                    try_it(&spoilt);
                }
            }
        }
    }
}

/// Wraps bytes in a zlib stream without compression.
///
/// This is fast, and damaged bytes keep their position.
fn store(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::none());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Sets every field of one, two and four bytes to 0, 1, 0x7f.., 0x80.., 0xff.., and to the file's
/// length and its neighbours.
#[test]
fn survives_edge_values_in_every_field() {
    let stride = if cfg!(debug_assertions) { 61 } else { 3 };
    for (_, whole) in samples() {
        let mut number = 0;
        for (at, width) in (0..whole.len()).flat_map(|at| [1, 2, 4].map(|width| (at, width))) {
            for value in edges(width, whole.len()) {
                number += 1;
                if at + width <= whole.len() && number % stride == 0 {
                    let mut spoilt = whole.clone();
                    // Lengths and counts are big-endian.
                    spoilt[at..at + width].copy_from_slice(&value.to_be_bytes()[8 - width..]);
                    check_invariants(&spoilt, &mut Random::new(value));
                }
            }
        }
    }
}

/// Tests one byte and a mebibyte after the end, and two joined files.
///
/// Writing keeps the bytes.
#[test]
fn reports_trailing_bytes() {
    let whole = Asset::full().bytes();
    for more in [vec![0; 1], vec![b'{'; 1 << 20], whole.clone()] {
        let longer = [whole.as_slice(), &more].concat();
        let found = finds(&longer, "SL30", Severity::Info, "end");
        assert!(found.offset == whole.len() as u64 && found.text.contains(&more.len().to_string()), "{found}");
        assert!(faults(&longer).is_empty());
    }
    let inner = container(&[Asset::full().bytes()]);
    let found = finds(&[&inner[..], b"more"].concat(), "SL30", Severity::Info, "end");
    assert_eq!(found.offset, inner.len() as u64);
}

/// Tests a file of five gibibytes that begins with a valid asset.
///
/// The rest of the file is never read.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
#[test]
#[allow(unsafe_code, reason = "mapping is unsafe")]
fn never_reads_a_tail_of_gibibytes() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    let whole = Asset::full().bytes();
    file.write_all(&whole).unwrap();
    file.as_file().set_len(5 << 30).unwrap();
    // SAFETY: only this test uses the file.
    let map = unsafe { Map::open(file.path()).unwrap() };
    within(5, "a long tail", || {
        let mesh = Mesh::open_with(map, &OpenOptions::default().with_record_access(true)).unwrap();
        mesh.validate(&mut |_| {}).unwrap();
        mesh.check().unwrap();
        assert_eq!(mesh.level(Lod::High).unwrap().len(), 2);
        assert!(mesh.access_log(0).unwrap().bytes() <= whole.len() as u64);
    });
}

/// Tests that the first bytes of a file decide its format.
#[test]
fn content_decides_not_the_extension() {
    for (name, bytes) in samples() {
        assert_eq!(Format::detect(&bytes).unwrap(), Format::SecondLife, "{name}");
    }
    for text in ["{\"asset\": {}}", "{ }  k", "{abcdk", "{\n\"x\":1}", "<html>", "<?xml?><llsd>", "k\0\0\0\x01{"] {
        assert!(Format::detect(text.as_bytes()).is_err(), "{text}");
    }
}

/// Opens a file ten thousand times, and asserts that no resource leaks.
#[test]
fn leaks_nothing() {
    let whole = Asset::full().bytes();
    let once = || {
        let mesh = Mesh::open(whole.as_slice()).unwrap();
        assert!(mesh.level(Lod::High).is_ok() && mesh.skin().is_ok());
    };
    let first = peak(once);
    let all = peak(|| (0..1000 * SCALE).for_each(|_| once()));
    assert!(all <= first + 1024, "{all} and {first}");
}

// LLSD.

/// Tests a million nested arrays and maps in the header and in a block.
///
/// They give an error at depth 96, on a small stack.
#[test]
fn bounds_the_depth_of_nesting() {
    const LEVELS: usize = 1_000_000;
    let levels = if cfg!(debug_assertions) { LEVELS / 10 } else { LEVELS };
    let opens: [&[u8]; 2] = [b"[\0\0\0\x01", b"{\0\0\0\x01k\0\0\0\0"];
    for open in opens {
        let deep = open.repeat(levels);
        let header = [b"{\0\0\0\x01k\0\0\0\x01a", deep.as_slice()].concat();
        let block = Asset::full().block(AssetPart::HighLod, &[&deep[..], b"!"].concat());
        on_small_stack(|| {
            let error = refused(&header, "limit", 11 + open.len() * 95);
            assert!(
                is_error(&error, ErrorKind::Limit, &["expected at most 96 (the limit `depth`), found at least 97"]),
                "{error}"
            );
            let error = block_fails(&block, AssetPart::HighLod, "limit", "SL06");
            assert!(is_error(&error, ErrorKind::Limit, &["(the limit `depth`)"]), "{error}");
            assert_eq!(error.inflated_offset(), Some(96 * open.len() as u64));
        });
    }
    let nested = |levels: usize| [b"[\0\0\0\x01".repeat(levels), b"!".to_vec(), b"]".repeat(levels)].concat();
    for (depth, levels, is_read) in
        [(96, 96, true), (96, 97, false), (256, 256, true), (1000, 257, false), (0, 1, false)]
    {
        let limits = Limits::default().with_depth(depth);
        let read = llsd::read(&nested(levels), &LlsdLimits::from(&limits)).is_ok();
        assert_eq!(read, is_read, "{levels} levels, {depth} allowed");
        let stored = zlib(&nested(levels));
        on_small_stack(|| {
            assert_eq!(InflateBuffer::default().inflate(AssetPart::HighLod, &stored, &limits).is_ok(), is_read);
        });
    }
}

/// Tests counts and lengths that no file can contain, in files of five and six bytes.
///
/// The error comes before any allocation.
#[test]
fn refuses_counts_and_lengths_beyond_the_file() {
    for count in [0x7fff_ffff_u32, 0x7fff_fffe, 0x8000_0000, 0xffff_ffff, 0x0100_0000, 2, 1] {
        for (mark, least) in [(b'{', 3), (b'[', 1)] {
            for after in [0, 1] {
                let bytes = [&[mark][..], &count.to_be_bytes(), &vec![b'!'; after]].concat();
                let holds = i64::from(count.cast_signed()) >= 0 && u64::from(count) * least <= after as u64;
                let (mut id, mut at) = ("", 0);
                let held = peak(|| {
                    let fault = llsd::read(&bytes, &LlsdLimits::default()).unwrap_err();
                    (id, at) = (fault.kind().id(), fault.at);
                });
                assert!(held < 4096, "{held} bytes for {bytes:x?}");
                let expected = if count > 0x7fff_ffff { ("value", 1) } else { ("count", 0) };
                assert!(holds || (id, at) == expected, "{bytes:x?}: {id} at {at}");
                if mark == b'{' {
                    assert!(bounded(bytes.len(), "a count", || Mesh::open(bytes.as_slice()).unwrap_err()).1 < 4096);
                }
            }
        }
        for mark in [b's', b'l', b'b', b'k'] {
            let value = [&[mark][..], &count.to_be_bytes()].concat();
            let bytes = if mark == b'k' {
                [b"{\0\0\0\x01", value.as_slice(), b"!"].concat()
            } else {
                [b"{\0\0\0\x01k\0\0\0\x01a", value.as_slice()].concat()
            };
            if mark == b'k' && count == 1 {
                continue;
            }
            let at = if mark == b'k' { 6 } else { 12 };
            let error = refused(&bytes, if count > 0x7fff_ffff { "value" } else { "unexpected-end" }, at);
            assert_eq!(error.field().to_string(), "header");
            assert!(peak(|| Mesh::open(bytes.as_slice()).map(drop)) < 4096);
        }
    }
    let empty = Tree::default().and("a", text("")).and("b", bin(b"")).and("", list(&[])).bytes();
    assert!(Mesh::open(empty.as_slice()).is_ok(), "lengths of 0 are valid");
    let asset = Asset::full().block(AssetPart::LowLod, &[b"[\x7f\xff\xff\xff".as_slice(), &[b'!'; 100]].concat());
    assert_eq!(block_fails(&asset, AssetPart::LowLod, "count", "SL06").inflated_offset(), Some(0));
}

/// Tests thirty million values of one byte, which exceed the limit of a block.
#[test]
fn bounds_the_number_of_values() {
    let count = 3_000_000 * SCALE;
    let value = [&b"["[..], &(count as u32).to_be_bytes(), &vec![b'!'; count], b"]"].concat();
    let bytes = Asset::full().block(AssetPart::MediumLod, &value).bytes();
    within(20, "values of one byte", || {
        let mesh = Mesh::open(bytes.as_slice()).unwrap();
        let error = fails(mesh.block(AssetPart::MediumLod), "limit", "medium_lod");
        assert!(is_error(&error, ErrorKind::Limit, &["(the limit `items`)", "expected at most 1048576 ("]), "{error}");
        finds(&bytes, "SL06", Severity::Error, "medium_lod");
    });
    // The maximum number of values. None of them is a submesh, and reading each one needs no walk
    // over the others.
    let count = 104_000 * SCALE;
    let value = [&b"["[..], &(count as u32).to_be_bytes(), &vec![b'!'; count], b"]"].concat();
    let bytes = Asset::full().block(AssetPart::MediumLod, &value).bytes();
    within(20, "values of one byte", || {
        let mesh = Mesh::open(bytes.as_slice()).unwrap();
        let level = mesh.level(Lod::Medium).unwrap();
        assert!(level.len() == count && level.submeshes().all(|submesh| submesh.is_err()));
        finds(&bytes, "SL07", Severity::Error, "medium_lod[0]");
    });
}

/// Tests terminators that are missing, wrong or too early, and keys without their marker.
#[test]
fn refuses_missing_terminators_and_key_marks() {
    let sound = Tree::default().and("a", int(1)).and("b", list(&[int(2)])).bytes();
    let last = sound.len() - 1;
    assert!(Mesh::open(sound.as_slice()).is_ok());
    refused(&sound[..last], "unexpected-end", last);
    refused(&[&sound[..last], b"]"].concat(), "value", last);
    refused(&[&sound[..last - 1], b"}}"].concat(), "value", last - 1);
    let early = [&b"{\0\0\0\x02k\0\0\0\x01ai\0\0\0\x01}"[..], &[b'!'; 9]].concat();
    refused(&early, "value", 16);
    let late = [&b"{\0\0\0\x01k\0\0\0\x01ai\0\0\0\x01k\0\0\0\x01bi\0\0\0\x01}"[..], b""].concat();
    refused(&late, "value", 16);
    for mark in [b's', b'i', 0, 255, b'!', b'}'] {
        refused(&[&b"{\0\0\0\x01"[..], &[mark], b"\0\0\0\x01a!}"].concat(), "value", 5);
    }
    let asset = Asset::full().block(AssetPart::Skin, &sound[..last]);
    block_fails(&asset, AssetPart::Skin, "unexpected-end", "SL06");
}

/// Tests quoted texts as keys and values, and duplicate keys.
///
/// The first of two equal keys is used.
#[test]
fn reads_quoted_texts_and_the_first_of_duplicate_keys() {
    let asset = Asset::full();
    let header = asset.header().bytes();
    let plain = b"k\0\0\0\x08high_lod";
    let at = header.windows(plain.len()).position(|bytes| bytes == plain).unwrap();
    for quoted in [&b"'high_lod'"[..], b"\"high\\x5flod\"", b"'\\high_lo\\x64'"] {
        let bytes = [&header[..at], quoted, &header[at + plain.len()..], &asset.bodies()].concat();
        finds_only_info(&bytes, "SL32", "header");
        assert_eq!(Mesh::open(bytes.as_slice()).unwrap().level(Lod::High).unwrap().len(), 2);
    }
    for bad in [&b"'high_lod"[..], b"'high_lod\\", b"'high\\xg0lod'", b"'high\\x5'"] {
        let bytes = [&header[..at], bad].concat();
        assert!(Mesh::open(bytes.as_slice()).is_err());
        check_invariants(&bytes, &mut Random::new(7));
    }
    let value = Tree::default().and("joint_names", list(&[b"'mPel\\x76is'".to_vec(), text("mTorso")]));
    let twice = skin().without("joint_names").and("joint_names", value.0[0].1.clone());
    let bytes = Asset::full().block(AssetPart::Skin, &twice.bytes()).bytes();
    let mesh = Mesh::open(bytes.as_slice()).unwrap();
    assert_eq!(mesh.skin().unwrap().unwrap().joint_name(1).unwrap().as_bytes(), b"mTorso");

    // Duplicate keys in the header, in a submesh, in a skin, in a domain, and in two encodings.
    let header = asset.header().and("high_lod", entry(0, 1)).and("zz", int(0)).and("zz", int(0));
    let bytes = asset.under(&header);
    let found = finds(&bytes, "SL33", Severity::Warning, "header");
    assert!(found.text.contains("high_lod"), "{found}");
    assert_eq!(Mesh::open(bytes.as_slice()).unwrap().level(Lod::High).unwrap().len(), 2, "the first entry is used");
    let spoilt = square().and("TriangleList", codes(&[9, 9, 9])).and("Position", b"!".to_vec());
    let bytes = with_square(&spoilt);
    let found = finds(&bytes, "SL33", Severity::Warning, "high_lod");
    assert!(found.text.contains("TriangleList") && found.text.contains("twice"), "{found}");
    look(&bytes, |submesh| {
        assert_eq!(
            (submesh.vertex_count(), submesh.indices().unwrap().get(1)),
            (4, Some(1)),
            "the first entry is used"
        );
    });
    let bytes = Asset::full().block(AssetPart::Skin, &skin().and("pelvis_offset", text("?")).bytes()).bytes();
    finds(&bytes, "SL33", Severity::Warning, "skin");
    let mesh = Mesh::open(bytes.as_slice()).unwrap();
    assert_eq!(mesh.skin().unwrap().unwrap().pelvis_offset().unwrap(), Some(0.25));
    let two = [&b"{\0\0\0\x02'a\\x62'!k\0\0\0\x02ab!}"[..], b""].concat();
    finds(&two, "SL33", Severity::Warning, "header");
}

/// Like [`finds`] with [`Severity::Info`], and asserts that no finding is more severe.
fn finds_only_info(bytes: &[u8], rule: &str, field: &str) -> Finding {
    let found = finds(bytes, rule, Severity::Info, field);
    assert!(faults(bytes).is_empty(), "{:#?}", faults(bytes));
    found
}

/// Tests the byte order of dates, invalid numbers, and invalid type markers.
#[test]
fn reads_or_refuses_odd_scalars() {
    // The test vector of the format's page, which begins with the type marker.
    let vector = [0x64, 0xee, 0x5f, 0x0a, 0x13, 0x99, 0x87, 0xd6, 0x41];
    let date = [&b"{\0\0\0\x01k\0\0\0\x04date"[..], &vector, b"}"].concat();
    let mesh = Mesh::open(date.as_slice()).unwrap();
    assert_eq!(mesh.header().unwrap().date().unwrap().floor(), 1_511_941_196.0);
    for odd in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0] {
        let bytes = Asset::full().block(AssetPart::Skin, &skin().with("pelvis_offset", real(odd)).bytes()).bytes();
        assert_eq!(check_invariants(&bytes, &mut Random::new(1)), Fate::Read);
        let mesh = Mesh::open(bytes.as_slice()).unwrap();
        let found = mesh.skin().unwrap().unwrap().pelvis_offset().unwrap().unwrap();
        assert!(found.to_bits() == (odd as f32).to_bits() || odd.is_nan());
    }
    for tag in (0..=255_u8).filter(|tag| !b"!10iruslbd[{'\"".contains(tag)) {
        let bytes = [&b"{\0\0\0\x01k\0\0\0\x01a"[..], &[tag], &[0; 30]].concat();
        refused(&bytes, "value", 11);
        let error = block_fails(&Asset::full().block(AssetPart::Skin, &[tag, 0, 0]), AssetPart::Skin, "value", "SL06");
        assert_eq!(error.inflated_offset(), Some(0));
    }
}

/// Tests the variants of the marker line, also truncated and without an end.
#[test]
fn reads_the_spellings_of_the_marker_line() {
    let asset = Asset::full();
    for line in ["<? LLSD/Binary ?>\n", "<?llsd/binary?>", "<? llsd/BINARY ?>\r\n", "<?  LLSD/Binary?>\n"] {
        let bytes = [line.as_bytes(), &asset.bytes()].concat();
        finds_only_info(&bytes, "SL32", "header");
        let mesh = Mesh::open(bytes.as_slice()).unwrap();
        assert_eq!(mesh.header().unwrap().marker_line(), line.len() as u64);
        others_work(&mesh, &[]);
        assert_eq!(Format::detect(&bytes).unwrap(), Format::SecondLife);
        let value = [line.as_bytes(), &list(&[square().bytes(), square().bytes()])].concat();
        let bytes = Asset::full().block(AssetPart::LowLod, &value).bytes();
        finds_only_info(&bytes, "SL32", "low_lod");
        let mesh = Mesh::open(bytes.as_slice()).unwrap();
        assert_eq!(mesh.block(AssetPart::LowLod).unwrap().unwrap().value_at(), line.len());
        for cut in 1..line.trim_end().len() {
            let error = Mesh::open(&line.as_bytes()[..cut]).unwrap_err();
            assert!(error.kind() == ErrorKind::UnexpectedEnd, "{error}");
            assert!(matches!(
                Header::of_prefix(&line.as_bytes()[..cut], &Limits::default()),
                Ok(HeaderPrefix::NeedMore(_))
            ));
        }
    }
    for wrong in [&b"<? LLSD/XML ?>\n{\0\0\0\0}"[..], b"<?>{\0\0\0\0}", b"<! LLSD/Binary ?>", b"<\0"] {
        refused(wrong, "value", 0);
    }
    let endless = [&b"<? LLSD/Binary "[..], &vec![b' '; 10_000_000]].concat();
    within(1, "a line without an end", || refused(&endless, "value", 0));
    assert!(Header::of_prefix(&endless[..64], &Limits::default()).is_err(), "64 bytes are enough to detect the format");
}

/// Tests that texts that are not UTF-8 keep their bytes.
#[test]
fn texts_keep_their_bytes() {
    let name = spell(|writer| _ = writer.string(b"\xff\xfe\x1b[2J\0"));
    let bytes = Asset::full()
        .block(AssetPart::Skin, &skin().with("joint_names", list(&[name, text("mTorso")])).bytes())
        .bytes();
    finds(&bytes, "SL27", Severity::Warning, "skin.joint_names");
    let mesh = Mesh::open(bytes.as_slice()).unwrap();
    let name = mesh.skin().unwrap().unwrap().joint_name(0).unwrap();
    assert_eq!(name.as_bytes(), b"\xff\xfe\x1b[2J\0");
    assert!(findings(&bytes).iter().all(|found| !found.to_string().contains('\x1b')));
}

/// Asserts that ten times the work takes about ten times as long.
fn expect_linear(what: &str, work: impl Fn(usize)) {
    let time = |scale: usize| {
        let start = Stopwatch::start();
        work(scale);
        start.elapsed()
    };
    let once = (0..3).map(|_| time(1)).min().unwrap();
    let tenfold = time(10);
    // A quadratic algorithm would take a hundred times as long. The remaining factor covers noise
    // on a busy machine.
    let most = once * 40 + std::time::Duration::from_millis(200);
    assert!(tenfold < most, "{what}: {once:?}, and {tenfold:?} for ten times as much");
    eprintln!("{what}: {once:?}, and {tenfold:?} for ten times as much");
}

/// Tests a hundred thousand keys with a long common prefix or with equal names.
///
/// They are in a submesh, in a header and in a container.
#[test]
fn chosen_keys_take_linear_time() {
    let keys = |count: usize, key: &dyn Fn(usize) -> String| {
        let mut tree = Tree::default();
        tree.0.extend((0..count).map(|number| (key(number), b"!".to_vec())));
        let body = tree.0.iter().flat_map(|(key, value)| {
            let mut writer = LlsdWriter::new();
            writer.key(key);
            [writer.into_bytes(), value.clone()].concat()
        });
        let body: Vec<u8> = body.collect();
        [&b"{"[..], &(count as u32).to_be_bytes(), &body, b"}"].concat()
    };
    let kinds: [&dyn Fn(usize) -> String; 3] =
        [&|_| "same".to_owned(), &|number| format!("{}{number:x}", "a".repeat(40)), &|number| format!("{number:06x}")];
    for key in kinds {
        expect_linear("keys", |scale| {
            let value = list(&[keys(10_000 * SCALE * scale, key)]);
            let bytes = Asset::full().block(AssetPart::HighLod, &value).bytes();
            let mesh = Mesh::open(bytes.as_slice()).unwrap();
            assert!(mesh.level(Lod::High).unwrap().submesh(0).unwrap().positions().is_err());
            let held = peak(|| findings(&bytes));
            // The inflated block while it grows, and four bytes for each key.
            assert!(held < 4 * value.len() + (1 << 20), "{held} bytes for a block of {}", value.len());
        });
    }
    // A header of 64 KiB, and a container of any length.
    for key in kinds {
        let bytes = keys(60_000 / 50, key);
        bounded(bytes.len(), "keys of a header", || borrow_everything(&bytes, true));
        let mut bytes = keys(50_000 * SCALE, key);
        let count = (50_000 * SCALE as u32 + 1).to_be_bytes();
        bytes.splice(1..5, count);
        bytes.splice(5..5, [&b"k\0\0\0\x04mesh[\0\0\0\0]"[..], b""].concat());
        assert!(Mesh::open(bytes.as_slice()).unwrap().container().is_some());
        within(20, "keys of a container", || {
            bounded(bytes.len(), "keys of a container", || borrow_everything(&bytes, true).unwrap());
        });
    }
}

/// Tests bytes after the value of a block.
///
/// The value can be read, but `validate` reports an error.
#[test]
fn reports_bytes_after_the_value() {
    let level = list(&[square().bytes(), square().bytes()]);
    for more in [&b"!"[..], b"\0\0\0\0", &level] {
        let bytes = Asset::full().block(AssetPart::HighLod, &[&level, more].concat()).bytes();
        finds_only(&bytes, "SL06", Severity::Error, "high_lod");
        let mesh = Mesh::open(bytes.as_slice()).unwrap();
        assert_eq!(mesh.block(AssetPart::HighLod).unwrap().unwrap().rest(), more);
        others_work(&mesh, &[]);
    }
}

/// Tests that a tree with every kind of value is unchanged when it is written again.
#[test]
fn writes_every_kind_of_value_again() {
    let mut writer = LlsdWriter::new();
    writer.open_array(14).undefined().boolean(true).boolean(false).integer(-1).real(f64::NAN).uuid(&[9; 16]);
    writer.string(b"\xff").uri(b"http://").date(-0.0).binary(&[]).open_map(2).key("z").undefined().key("a").undefined();
    writer.close_map().open_array(0).close_array();
    let bytes = [writer.into_bytes(), b"'it\\'s'\"\\x00\\n\"]".to_vec()].concat();
    assert_eq!(expect_copied(&bytes, 0), bytes.len());
    let LlsdValue::Array(array) = llsd::read(&bytes, &LlsdLimits::default()).unwrap().value else { panic!("an array") };
    let texts = array.iter().skip(12).map(|item| match item.value {
        LlsdValue::String(text) => text.content().into_owned(),
        other => panic!("{other:?}"),
    });
    assert!(texts.eq([b"it's".to_vec(), b"\0\n".to_vec()]));
    for at in 0..bytes.len() {
        let mut spoilt = bytes.clone();
        for byte in [0, b'!', b'[', b'\\', 255] {
            spoilt[at] = byte;
            if llsd::read(&spoilt, &LlsdLimits::default()).is_ok() {
                expect_copied(&spoilt, 0);
            }
        }
    }
}

/// Tests that a prefix of a header needs more bytes and is never invalid.
///
/// The requested length never exceeds the length of the header.
#[test]
fn a_prefix_of_a_header_needs_more() {
    let limits = Limits::default();
    for (name, whole) in samples().into_iter().filter(|(name, _)| !["container", "cached"].contains(name)) {
        let end = Mesh::open(whole.as_slice()).unwrap().header().unwrap().len();
        let (mut asked, mut requests) = (0, 0);
        for length in 0..whole.len() as u64 {
            match Header::of_prefix(&whole[..length as usize], &limits).unwrap() {
                HeaderPrefix::Ready(header) => assert!(length >= end && header.len() == end, "{name}"),
                HeaderPrefix::NeedMore(needed) => {
                    assert!(needed > length && needed <= end, "{name} of {length}: {needed}");
                    if length == asked {
                        (asked, requests) = (needed, requests + 1);
                    }
                }
            }
        }
        assert!(asked == end && requests < 200, "{name}: {requests} requests");
    }
    // Prefixes of headers that would exceed the limit.
    for bytes in [&b"{\x7f\xff\xff\xff"[..], b"{\0\0\0\x01k\0\x01\0\0", b"{\0\0\0\x01k\0\0\0\x01ab\0\x02\0\0"] {
        let error = Header::of_prefix(bytes, &limits).unwrap_err();
        assert!(is_error(&error, ErrorKind::Limit, &["(the limit `header`)"]), "{error}");
    }
    assert!(Header::of_prefix(b"[", &limits).is_err() || Header::of_prefix(b"[\0\0\0\0]", &limits).is_err());
}

// Blocks.

/// Returns an LLSD array of one map with one key, whose value has `length` zeros.
fn zeros(length: usize) -> Vec<u8> {
    list(&[Tree::default().with("Position", bin(&vec![0; length])).bytes()])
}

/// Tests a bomb that inflates to more than 64 MiB from 65 KB.
///
/// It gives an error at the limit, and the memory stays within twice the limit.
#[test]
fn stops_a_zip_bomb_at_the_limit() {
    let limit = Limits::default().block as usize;
    let sizes: &[(usize, usize)] = if cfg!(debug_assertions) {
        &[(8 << 20, 4 << 20)]
    } else {
        &[(limit + (4 << 20), limit), (limit, 1 << 20), (limit, 0)]
    };
    for (length, limit) in sizes {
        let asset = Asset::full().block(AssetPart::HighLod, &zeros(*length));
        let bytes = asset.bytes();
        assert!(bytes.len() < length / 900 + 4096, "{}", bytes.len());
        let limits = Limits::default().with_block(*limit as u64);
        let options = OpenOptions::default().with_limits(limits);
        let start = Instant::now();
        let held = peak(|| {
            let mesh = Mesh::open_with(bytes.as_slice(), &options).unwrap();
            let error = fails(mesh.block(AssetPart::HighLod), "limit", "high_lod");
            let asked = *limit as u64 + 1;
            let expected = limit_message("block", *limit as u64, asked);
            assert_eq!(error.message().to_string(), expected);
            let mut told = false;
            mesh.validate(&mut |found| told |= found.rule == "SL06" && found.field.to_string() == "high_lod").unwrap();
            assert!(told && mesh.check().is_err());
            if *limit > 4096 {
                others_work(&mesh, &[AssetPart::HighLod]);
            }
        });
        assert!(held <= 2 * limit + ENGINE * 2, "{held} bytes, {limit} allowed");
        eprintln!(
            "{} bytes stored, {length} inflated, {limit} allowed: {held} held, {:?}",
            bytes.len(),
            start.elapsed()
        );
    }
}

/// Tests a block just within the limit.
///
/// Reading and validating it takes less than twice its size in memory.
#[test]
fn reads_a_block_just_within_the_limit() {
    let length = if cfg!(debug_assertions) { 4 << 20 } else { (64 << 20) - 200 };
    let bytes = Asset::full().block(AssetPart::HighLod, &zeros(length / 6 * 6)).bytes();
    let limits = Limits::default().with_block(length as u64 + 200);
    let options = OpenOptions::default().with_limits(limits);
    for step in 0..4 {
        let held = peak(|| {
            let mesh = Mesh::open_with(bytes.as_slice(), &options).unwrap();
            match step {
                0 => assert_eq!(mesh.level(Lod::High).unwrap().submesh(0).unwrap().vertex_count(), length / 6),
                1 => mesh.validate(&mut |_| {}).unwrap(),
                2 => mesh.check().unwrap(),
                _ => assert!(!Surface::new(&mesh, 0).unwrap().bounds().unwrap().is_empty()),
            }
        });
        assert!(held < 2 * length, "step {step}: {held} bytes for a block of {length}");
    }
}

/// Tests blocks that are each within the limit, but exceed the limit of the asset together.
///
/// The blocks that were inflated first are kept.
#[test]
fn blocks_share_the_budget_of_the_asset() {
    let size = 300_000;
    let stored = zlib(&list(&[square().with("More", bin(&vec![0; size])).bytes()]));
    let mut header = Tree::default();
    for part in AssetPart::ALL {
        header = header.with(part.key(), entry(0, small(stored.len())));
    }
    let bytes = [header.bytes(), stored].concat();
    let limits = Limits::default().with_asset(1 << 20);
    let held = peak(|| {
        let mesh = Mesh::open_with(bytes.as_slice(), &OpenOptions::default().with_limits(limits)).unwrap();
        let inflated: Vec<bool> = AssetPart::ALL.map(|part| mesh.block(part).is_ok()).into();
        assert_eq!(
            inflated,
            AssetPart::ALL.map(|part| (part as usize) < 3),
            "three blocks of 300,000 bytes fit into a mebibyte"
        );
        let error = fails(mesh.block(AssetPart::LowestLod), "limit", "lowest_lod");
        assert!(is_error(&error, ErrorKind::Limit, &["(the limit `asset`)", "expected at most 1048576 ("]), "{error}");
        assert_eq!(mesh.level(Lod::High).unwrap().submesh(0).unwrap().vertex_count(), 4);
        let mut buffer = InflateBuffer::default();
        for part in AssetPart::ALL {
            assert!(mesh.view().block_into(part, &mut buffer).is_ok(), "a caller's buffer is not counted");
        }
    });
    assert!(held < 2 << 20, "{held}");
}

/// Tests that a block may have exactly the size of the limit, but not one byte more.
#[test]
fn a_limit_may_be_met_exactly() {
    for value in [list(&[square().bytes()]), zeros(100_000), zeros(65_536 - 61), b"!".to_vec()] {
        let stored = zlib(&value);
        for (block, is_read) in [(value.len(), true), (value.len() + 1, true), (value.len() - 1, false), (0, false)] {
            let limits = Limits::default().with_block(block as u64);
            let mut buffer = InflateBuffer::default();
            let read = buffer.inflate(AssetPart::HighLod, &stored, &limits);
            assert_eq!(read.is_ok(), is_read, "{block} of {}", value.len());
            if let Err(error) = read {
                assert!(is_error(&error, ErrorKind::Limit, &["(the limit `block`)"]), "{error}");
            }
        }
    }
}

/// Tests streams that are truncated, without a checksum, or with the checksum of other data.
///
/// They are never accepted.
#[test]
fn refuses_cut_streams_and_bad_checksums() {
    let asset = Asset::full();
    let stored = asset.blocks.iter().find(|(part, _)| *part == AssetPart::HighLod).unwrap().1.clone();
    let mut buffer = InflateBuffer::default();
    for length in 0..stored.len() {
        let error = buffer.inflate(AssetPart::HighLod, &stored[..length], &Limits::default()).unwrap_err();
        assert!(error.kind() == ErrorKind::UnexpectedEnd, "{length}: {error}");
        assert!(error.field().to_string() == "high_lod" && error.offset() <= Some(length as u64));
        if length > 0 && (length % 16 == 0 || length + 6 > stored.len()) {
            let cut = Asset::full().stored(AssetPart::HighLod, stored[..length].to_vec());
            block_fails(&cut, AssetPart::HighLod, "unexpected-end", "SL05");
        }
        assert!(
            buffer.inflate(AssetPart::HighLod, &stored, &Limits::default()).is_ok(),
            "the buffer can be used again"
        );
    }
    for byte in 1..=4 {
        let mut spoilt = stored.clone();
        let at = spoilt.len() - byte;
        spoilt[at] ^= 1;
        let error = block_fails(&Asset::full().stored(AssetPart::HighLod, spoilt), AssetPart::HighLod, "value", "SL05");
        assert!(error.to_string().contains("zlib stream"), "{error}");
    }
}

/// Tests bytes or a second stream after the end of the first stream.
#[test]
fn reports_bytes_after_the_stream() {
    let asset = Asset::full();
    let stored = asset.blocks.iter().find(|(part, _)| *part == AssetPart::HighLod).unwrap().1.clone();
    for more in [&b"\0"[..], b"more of it", &stored] {
        let bytes = Asset::full().stored(AssetPart::HighLod, [&stored, more].concat()).bytes();
        let found = finds_only(&bytes, "SL05", Severity::Error, "high_lod");
        assert!(found.text.contains(&more.len().to_string()), "{found}");
        let mesh = Mesh::open(bytes.as_slice()).unwrap();
        assert_eq!(mesh.block(AssetPart::HighLod).unwrap().unwrap().unused(), more.len() as u64);
        others_work(&mesh, &[]);
    }
}

/// Tests zlib headers with a preset dictionary, a window that is too large, another method, or a
/// wrong header check.
#[test]
fn refuses_other_zlib_wrappers() {
    for (first, word) in
        [([0x78, 0xbb], "preset dictionary"), ([0x88, 0x1c], "88 1c"), ([0x77, 0x85], "77 85"), ([0x78, 0xdb], "78 db")]
    {
        let mut asset = Asset::full();
        asset.blocks.last_mut().unwrap().1[..2].copy_from_slice(&first);
        let error = block_fails(&asset, AssetPart::HighLod, "value", "SL05");
        assert!(error.to_string().contains(word), "{error}");
    }
    for short in [&b"x"[..], b"\x78\xda", b"\0\0"] {
        let asset = Asset::full().stored(AssetPart::HighLod, short.to_vec());
        assert!(Mesh::open(asset.bytes().as_slice()).unwrap().block(AssetPart::HighLod).is_err());
        finds(&asset.bytes(), "SL05", Severity::Error, "high_lod");
    }
}

/// Tests gzip, which is read with a finding.
///
/// A damaged gzip block leaves nothing in the caller's buffer.
#[test]
fn reports_gzip() {
    let level = list(&[square().bytes(), square().bytes()]);
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&level).unwrap();
    let gzip = encoder.finish().unwrap();
    let bytes = Asset::full().stored(AssetPart::HighLod, gzip.clone()).bytes();
    let found = finds_only(&bytes, "SL05", Severity::Warning, "high_lod");
    assert!(found.text.contains("gzip"), "{found}");
    let mesh = Mesh::open(bytes.as_slice()).unwrap();
    assert!(mesh.block(AssetPart::HighLod).unwrap().unwrap().is_gzip());
    others_work(&mesh, &[]);
    let (limits, zlib) = (Limits::default(), zlib(&level));
    let mut buffer = InflateBuffer::default();
    for length in 2..gzip.len() {
        assert!(buffer.inflate(AssetPart::HighLod, &gzip[..length], &limits).is_err(), "{length}");
        assert!(
            buffer.inflate(AssetPart::HighLod, &zlib, &limits).unwrap().bytes() == level,
            "after gzip cut to {length}"
        );
        assert!(buffer.inflate(AssetPart::HighLod, &gzip, &limits).unwrap().bytes() == level);
        assert!(buffer.inflate(AssetPart::HighLod, &zlib, &limits).unwrap().bytes() == level);
    }
    let mut spoilt = gzip.clone();
    let at = gzip.len() - 8;
    spoilt[at] ^= 1;
    block_fails(&Asset::full().stored(AssetPart::HighLod, spoilt), AssetPart::HighLod, "value", "SL05");
}

/// Tests that raw deflate is refused, and that the error reports it.
#[test]
fn refuses_raw_deflate() {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&list(&[square().bytes()])).unwrap();
    let asset = Asset::full().stored(AssetPart::HighLod, encoder.finish().unwrap());
    let error = block_fails(&asset, AssetPart::HighLod, "value", "SL05");
    assert!(error.to_string().contains("raw deflate"), "{error}");
}

/// Tests streams that no encoder writes, and a million empty deflate blocks.
#[test]
fn refuses_bad_deflate() {
    let bad: [&[u8]; 4] = [
        &[0x78, 0xda, 1, 5, 0, 0, 0, 1, 2, 3, 4, 5],
        &[0x78, 0xda, 3, 2, 0, 0, 0, 0, 0, 0, 0, 0],
        &[0x78, 0xda, 7, 0, 0, 0, 0, 0],
        &[0x78, 0xda, 0xfd, 0xff, 0xff, 0xff, 0, 0],
    ];
    for stored in bad {
        block_fails(&Asset::full().stored(AssetPart::HighLod, stored.to_vec()), AssetPart::HighLod, "value", "SL05");
    }
    let level = list(&[square().bytes(), square().bytes()]);
    let whole = store(&level);
    let empty = [0, 0, 0, 255, 255].repeat(100_000 * SCALE);
    let stored = [&whole[..2], &empty, &whole[2..]].concat();
    let bytes = Asset::full().stored(AssetPart::HighLod, stored).bytes();
    within(10, "blocks of nothing", || {
        let mesh = Mesh::open(bytes.as_slice()).unwrap();
        others_work(&mesh, &[]);
        assert!(faults(&bytes).is_empty());
    });
    assert_eq!(check_invariants(&bytes, &mut Random::new(11)), Fate::Read);
}

/// Tests the memory while blocks are inflated: less than twice the largest block.
#[test]
fn memory_while_inflating_is_bounded() {
    for (name, whole) in samples() {
        let mesh = Mesh::open(whole.as_slice()).unwrap();
        let largest = mesh.assets().flat_map(|asset| {
            AssetPart::ALL.map(|part| asset.block(part).ok().flatten().map_or(0, |block| block.bytes().len()))
        });
        let largest = largest.max().unwrap();
        let held = peak(|| findings(&whole));
        assert!(held < 2 * largest + 2 * ENGINE, "{name}: {held} bytes, the largest block has {largest}");
    }
}

// Meaning of values.

/// Tests offsets and sizes that are negative, overflow, or end past the file.
///
/// A size of 0 means that the block does not exist.
#[test]
fn refuses_bad_offsets_and_sizes_of_blocks() {
    let asset = Asset::full();
    let (header, bodies) = (asset.header(), small(asset.bodies().len()));
    let with = |value: Vec<u8>| asset.under(&header.clone().with("high_lod", value));
    for (offset, size, name) in [(-1, 5, "offset"), (i32::MIN, 5, "offset"), (0, -1, "size"), (0, i32::MIN, "size")] {
        let bytes = with(entry(offset, size));
        let field = format!("high_lod.{name}");
        finds(&bytes, "SL02", Severity::Error, &field);
        let mesh = Mesh::open(bytes.as_slice()).unwrap();
        fails(mesh.block(AssetPart::HighLod), "value", &field);
        fails(mesh.level(Lod::High), "value", &field);
        others_work(&mesh, &[AssetPart::HighLod]);
    }
    let past = [(0, i32::MAX), (i32::MAX, 1), (i32::MAX, i32::MAX), (bodies, 1), (bodies - 1, 2), (bodies + 1, 1)];
    for (offset, size) in past {
        let bytes = with(entry(offset, size));
        let found = finds(&bytes, "SL02", Severity::Error, "high_lod.size");
        assert!(bytes[found.offset as usize] == b'{', "the entry is to blame");
        let mesh = Mesh::open(bytes.as_slice()).unwrap();
        fails(mesh.block(AssetPart::HighLod), "unexpected-end", "high_lod.size");
        others_work(&mesh, &[AssetPart::HighLod]);
        let options = OpenOptions::default().with_partial(true);
        let partial = Mesh::open_with(bytes.as_slice(), &options).unwrap();
        fails(partial.block(AssetPart::HighLod), "missing", "high_lod");
    }
    for none in [entry(0, 0), entry(-1, 0), entry(i32::MAX, 0), Tree::default().bytes()] {
        let bytes = with(none.clone());
        let mesh = Mesh::open(bytes.as_slice()).unwrap();
        if none == entry(-1, 0) {
            fails(mesh.block(AssetPart::HighLod), "value", "high_lod.offset");
            continue;
        }
        assert!(mesh.block(AssetPart::HighLod).unwrap().is_none());
        fails(mesh.level(Lod::High), "choice", "high_lod");
        assert_eq!(mesh.view().nearest_level(Lod::High).unwrap().part(), AssetPart::MediumLod);
        others_work(&mesh, &[]);
    }
    // A negative offset that points into the header is refused.
    let back = with(entry(-small(header.bytes().len()), 10));
    finds(&back, "SL02", Severity::Error, "high_lod.offset");
}

/// Tests entries that share a range, blocks that overlap in part, and unused bytes between blocks.
#[test]
fn reports_shared_overlapping_and_unused_ranges() {
    let asset = Asset::full();
    let header = asset.header();
    let medium = header.0.iter().find(|(key, _)| key == "medium_lod").unwrap().1.clone();
    let bytes = asset.under(&header.clone().with("high_lod", medium));
    let found = finds(&bytes, "SL30", Severity::Info, "high_lod");
    assert!(found.text.contains("medium_lod"), "{found}");
    others_work(&Mesh::open(bytes.as_slice()).unwrap(), &[]);

    // A stored block that begins inside another one. The common bytes are a valid block.
    let level = list(&[square().bytes(), square().bytes()]);
    let inner = zlib(&level);
    let outer = store(&list(&[square().bytes(), square().with("Other", bin(&inner)).bytes()]));
    let at = outer.windows(inner.len()).position(|bytes| bytes == inner).unwrap();
    let header = Tree::default()
        .with("high_lod", entry(0, small(outer.len())))
        .with("low_lod", entry(small(at), small(inner.len())))
        .with("medium_lod", entry(0, small(outer.len())));
    let bytes = [header.bytes(), outer].concat();
    finds(&bytes, "SL29", Severity::Warning, "low_lod");
    others_work(&Mesh::open(bytes.as_slice()).unwrap(), &[]);

    let gap = Asset::small(&square().without("Weights"));
    let header = gap.header().with("high_lod", entry(3, small(gap.blocks[0].1.len())));
    let bytes = [header.bytes(), vec![1, 2, 3], gap.bodies()].concat();
    let found = finds(&bytes, "SL29", Severity::Warning, "high_lod");
    assert_eq!(found.offset, header.bytes().len() as u64);
    others_work(&Mesh::open(bytes.as_slice()).unwrap(), &[]);
}

/// Tests missing levels, an asset without any level, a stub, and unknown keys.
#[test]
fn reads_missing_levels_and_unknown_keys() {
    let mut asset = Asset::full();
    asset.blocks.retain(|(part, _)| *part != AssetPart::HighLod);
    let bytes = asset.bytes();
    finds_only(&bytes, "SL16", Severity::Warning, "high_lod");
    let mesh = Mesh::open(bytes.as_slice()).unwrap();
    let error = fails(mesh.level(Lod::High), "choice", "high_lod");
    assert!(error.to_string().contains("medium, low, lowest"), "{error}");
    assert_eq!(mesh.surface_count().unwrap(), 2);
    asset.blocks.retain(|(part, _)| *part != AssetPart::MediumLod);
    finds(&asset.bytes(), "SL17", Severity::Warning, "low_lod");

    asset.blocks.retain(|(part, _)| part.lod().is_none());
    for (stub, word) in [(false, "no level"), (true, "stub")] {
        let asset = if stub { asset.clone().other("404", int(1)) } else { asset.clone() };
        let bytes = asset.bytes();
        let found = finds(&bytes, "SL04", Severity::Error, "header");
        assert!(found.text.contains(word), "{found}");
        let mesh = Mesh::open(bytes.as_slice()).unwrap();
        let error = fails(mesh.level(Lod::High), "missing", "high_lod");
        assert_eq!(error.to_string().contains("stub"), stub, "{error}");
        fails(mesh.surface_count(), "missing", "high_lod");
        others_work(&mesh, &[]);
    }

    let odd = Tree::default().with("deep", list(&[int(1), text("x")])).bytes();
    let bytes = Asset::full().other("zebra", odd.clone()).bytes();
    let found = finds_only_info(&bytes, "SL34", "header");
    assert!(found.text.contains("zebra"), "{found}");
    let found = finds_only_info(&with_square(&square().with("Zebra", odd)), "SL34", "high_lod[0]");
    assert!(found.text.contains("Zebra"), "{found}");
}

/// Tests an integer for a real, values of other types, and numbers that are not a valid size.
#[test]
fn reports_values_of_other_types() {
    let ints = list(&[int(1), int(1), int(1)]);
    let half = Tree::default().with("Max", ints.clone()).with("Min", list(&[int(0), int(0), int(0)])).bytes();
    let bytes = with_square(&square().with("PositionDomain", half));
    finds(&bytes, "SL38", Severity::Info, "high_lod[0].PositionDomain");
    look(&bytes, |submesh| {
        assert_eq!(submesh.positions().unwrap().bounds(), Bounds { min: [0.0; 3], max: [1.0, 1.0, 0.0] });
    });
    for (key, rule) in [
        (SubmeshKey::Position, "SL08"),
        (SubmeshKey::TriangleList, "SL08"),
        (SubmeshKey::Normal, "SL09"),
        (SubmeshKey::TexCoord0, "SL09"),
        (SubmeshKey::Tangent, "SL09"),
        (SubmeshKey::Weights, "SL12"),
        (SubmeshKey::PositionDomain, "SL11"),
        (SubmeshKey::TexCoord0Domain, "SL11"),
        (SubmeshKey::NormalizedScale, "SL11"),
    ] {
        for other in [text("abc"), int(3), b"!".to_vec(), list(&[])] {
            let bytes = with_square(&square().with(key.name(), other));
            let field = format!("high_lod[0].{}", key.name());
            finds(&bytes, rule, Severity::Error, &field);
            look(&bytes, |submesh| {
                let results = [
                    (SubmeshKey::Position, submesh.positions().map(drop)),
                    (SubmeshKey::TriangleList, submesh.indices().map(drop)),
                    (SubmeshKey::Weights, submesh.weights().map(drop)),
                    (SubmeshKey::PositionDomain, submesh.position_domain().map(drop)),
                    (SubmeshKey::TexCoord0Domain, submesh.uv_domain().map(drop)),
                    (SubmeshKey::NormalizedScale, submesh.normalized_scale().map(drop)),
                ];
                for (one, result) in results {
                    let expected = one == key || (one, key) == (SubmeshKey::Position, SubmeshKey::PositionDomain);
                    assert_eq!(result.is_err(), expected, "{one:?} with a damaged {key:?}: {result:?}");
                }
            });
        }
    }
    for bad in [real(1e300), real(f64::NAN), text("9"), b"!".to_vec()] {
        let asset = Asset::full();
        let value = Tree::default().with("offset", int(0)).with("size", bad).bytes();
        let bytes = asset.under(&asset.header().with("high_lod", value));
        finds(&bytes, "SL02", Severity::Error, "high_lod.size");
        let mesh = Mesh::open(bytes.as_slice()).unwrap();
        fails(mesh.block(AssetPart::HighLod), "value", "high_lod.size");
        others_work(&mesh, &[AssetPart::HighLod]);
    }
    let asset = Asset::full();
    let bytes = asset.under(&asset.header().with("skin", int(7)));
    finds(&bytes, "SL02", Severity::Error, "skin");
    others_work(&Mesh::open(bytes.as_slice()).unwrap(), &[AssetPart::Skin]);
    assert!(Mesh::open(bytes.as_slice()).unwrap().skin().is_err());
    for part in [AssetPart::Skin, AssetPart::PhysicsConvex, AssetPart::HighLod] {
        let bytes = Asset::full().block(part, &int(7)).bytes();
        finds(&bytes, "SL07", Severity::Error, part.key());
        let mesh = Mesh::open(bytes.as_slice()).unwrap();
        others_work(&mesh, &[part]);
        match part {
            AssetPart::Skin => drop(fails(mesh.skin(), "value", "skin")),
            AssetPart::PhysicsConvex => drop(fails(mesh.convex(), "value", "physics_convex")),
            _ => drop(fails(mesh.level(Lod::High), "value", "high_lod")),
        }
    }
}

/// Tests a header that is longer than viewers fetch, one that exceeds the limit, and newer
/// versions.
#[test]
fn reports_long_headers_and_newer_versions() {
    let long = |length: usize| Asset::full().other("zebra", bin(&vec![0; length]));
    let found = finds(&long(5000).bytes(), "SL33", Severity::Warning, "header");
    assert!(found.text.contains("4096"), "{found}");
    others_work(&Mesh::open(long(5000).bytes().as_slice()).unwrap(), &[]);
    let error = refused(&long(70_000).bytes(), "limit", 0);
    assert!(is_error(&error, ErrorKind::Limit, &["(the limit `header`)", "expected at most 65536 ("]), "{error}");
    let limits = Limits::default().with_header(1 << 20);
    let bytes = long(70_000).bytes();
    let mesh = Mesh::open_with(bytes.as_slice(), &OpenOptions::default().with_limits(limits)).unwrap();
    others_work(&mesh, &[]);

    for (version, is_read) in [(0, true), (1, true), (999, true), (1000, false), (i32::MAX, false), (-1, true)] {
        let bytes = Asset::full().other("version", int(version)).bytes();
        if is_read {
            assert_eq!(Mesh::open(bytes.as_slice()).unwrap().header().unwrap().version(), Some(version));
            continue;
        }
        let error = Mesh::open(bytes.as_slice()).unwrap_err();
        assert_eq!((error.kind().id(), error.field().to_string().as_str()), ("unsupported", "version"));
        assert!(error.to_string().contains("newer") && error.to_string().contains(&version.to_string()), "{error}");
        assert_eq!(meshpeek::finding(&error).unwrap().rule, "SL03");
        let HeaderPrefix::Ready(header) = Header::of_prefix(&bytes, &Limits::default()).unwrap() else {
            panic!("whole")
        };
        assert_eq!((header.version(), header.lods().count()), (Some(version), 4), "the header can be read");
    }
    finds(&Asset::full().other("version", text("1")).bytes(), "SL03", Severity::Error, "version");
}

/// Tests a submesh that is not a map, `NoGeometry` that is false or not the only entry, and a level
/// without submeshes.
#[test]
fn reports_bad_submeshes() {
    for other in [int(1), list(&[]), b"!".to_vec(), bin(b"x")] {
        let bytes = Asset::full().block(AssetPart::HighLod, &list(&[other, square().bytes()])).bytes();
        finds(&bytes, "SL07", Severity::Error, "high_lod[0]");
        let mesh = Mesh::open(bytes.as_slice()).unwrap();
        let level = mesh.level(Lod::High).unwrap();
        let error = fails(level.submesh(0), "value", "high_lod[0]");
        assert_eq!(meshpeek::finding(&error).unwrap().rule, "SL07");
        assert!(level.submesh(1).unwrap().positions().is_ok());
        others_work(&mesh, &[AssetPart::HighLod]);
        assert!(
            Surface::new(&mesh, 0).unwrap().positions().is_err() && Surface::new(&mesh, 1).unwrap().positions().is_ok()
        );
    }
    finds(&Asset::full().block(AssetPart::LowLod, &list(&[])).bytes(), "SL07", Severity::Error, "low_lod");
    let placeholder = |value: &[u8]| Tree::default().with("NoGeometry", value.to_vec());
    let sound = with_square(&placeholder(b"1"));
    assert!(faults(&sound).is_empty(), "{:#?}", faults(&sound));
    look(&sound, |submesh| {
        assert!(submesh.is_placeholder() && submesh.positions().unwrap().is_empty());
        assert!(submesh.indices().unwrap().is_empty() && submesh.weights().unwrap().is_none());
    });
    for odd in [placeholder(b"0"), placeholder(b"!"), placeholder(&int(0))] {
        let bytes = with_square(&odd);
        finds_only(&bytes, "SL21", Severity::Warning, "high_lod[0].NoGeometry");
        look(&bytes, |submesh| assert!(submesh.is_placeholder() && submesh.positions().unwrap().is_empty()));
    }
    let both = with_square(&square().with("NoGeometry", b"1".to_vec()));
    finds_only(&both, "SL21", Severity::Warning, "high_lod[0].NoGeometry");
    look(&both, |submesh| assert!(submesh.is_placeholder()));
}

/// Tests positions that are incomplete, missing, or more than indices can address.
#[test]
fn refuses_bad_positions() {
    let field = "high_lod[0].Position";
    for length in [1, 5, 7, 23, 25] {
        let bytes = with_square(&square().with("Position", bin(&vec![1; length])));
        finds(&bytes, "SL08", Severity::Error, field);
        look(&bytes, |submesh| {
            let error = fails(submesh.positions(), "value", field);
            assert!(error.to_string().contains("multiple of 6") && error.inflated_offset().is_some(), "{error}");
            assert_eq!(submesh.vertex_count(), length / 6);
            assert_eq!(submesh.indices().unwrap().len(), 6);
        });
    }
    let none = with_square(&square().with("Position", bin(&[])));
    finds(&none, "SL08", Severity::Error, field);
    look(&none, |submesh| assert!(submesh.positions().unwrap().is_empty()));
    let missing = with_square(&square().without("Position"));
    finds(&missing, "SL08", Severity::Error, field);
    look(&missing, |submesh| drop(fails(submesh.positions(), "missing", field)));
    for (count, is_told) in [(65_535, false), (65_536, true), (65_537, true)] {
        let all = Tree::default()
            .with("Position", bin(&vec![7; count * 6]))
            .with("PositionDomain", domain([-0.5; 3], [0.5; 3]))
            .with("TriangleList", codes(&(0..u16::MAX).collect::<Vec<_>>()));
        let bytes = Asset::small(&all).bytes();
        let told = findings(&bytes).iter().any(|found| found.rule == "SL39" && found.severity == Severity::Warning);
        assert_eq!(told, is_told, "{count}");
        assert_eq!(check_invariants(&bytes, &mut Random::new(8)), Fate::Read);
    }
}

/// Tests normals, texture coordinates and tangents whose number differs from the number of
/// vertices.
///
/// Such an array is treated as absent.
#[test]
fn reports_arrays_that_are_not_one_per_vertex() {
    for (key, size) in [(SubmeshKey::Normal, 6), (SubmeshKey::TexCoord0, 4), (SubmeshKey::Tangent, 8)] {
        for length in [0, 1, size * 4 - 1, size * 4 + 1, size * 3, size * 5, size * 4] {
            let bytes = with_square(&square().with(key.name(), bin(&vec![1; length])));
            let field = format!("high_lod[0].{}", key.name());
            let is_sound = length == size * 4;
            if !is_sound {
                let found = finds_only(&bytes, "SL09", Severity::Error, &field);
                assert!(found.text.contains(&length.to_string()) && found.text.contains("4 vertices"), "{found}");
            }
            look(&bytes, |submesh| {
                assert_eq!(submesh.normals().is_ok(), key != SubmeshKey::Normal || is_sound);
                assert_eq!(submesh.uvs().is_ok(), key != SubmeshKey::TexCoord0 || is_sound);
                assert_eq!(submesh.tangents().is_ok(), key != SubmeshKey::Tangent || is_sound);
                assert!(submesh.positions().is_ok() && submesh.indices().is_ok() && submesh.weights().is_ok());
            });
        }
    }
}

/// Tests incomplete triangles, and indices that are out of range.
#[test]
fn refuses_bad_triangles() {
    let field = "high_lod[0].TriangleList";
    let sound: Vec<u8> = [0_u16, 1, 2, 0, 2, 3].iter().flat_map(|index| index.to_le_bytes()).collect();
    for more in 1..=5 {
        let bytes = with_square(&square().with("TriangleList", bin(&[&sound[..], &vec![0; more]].concat())));
        let found = finds(&bytes, "SL08", Severity::Error, field);
        assert!(found.text.contains(&format!("{} bytes", 12 + more)), "{found}");
        look(&bytes, |submesh| {
            assert_eq!((submesh.triangle_count(), submesh.indices().unwrap().len()), (2, 6));
        });
    }
    for index in [4, 5, 255, 65_535] {
        let bytes = with_square(&square().with("TriangleList", codes(&[0, 1, 2, 0, index, 3])));
        let found = finds(&bytes, "SL10", Severity::Error, field);
        assert!(found.text.contains(&format!("greatest {index}: the submesh has 4 vertices")), "{found}");
        look(&bytes, |submesh| assert_eq!(submesh.indices().unwrap().get(4), Some(index.into())));
        let mesh = Mesh::open(bytes.as_slice()).unwrap();
        let surface = Surface::new(&mesh, 0).unwrap();
        assert_eq!(surface.indices().unwrap().first_out_of_range(4), Some((4, index.into())));
        assert!(surface.weld().is_err() && Surface::new(&mesh, 1).unwrap().weld().is_ok());
    }
    let missing = with_square(&square().without("TriangleList"));
    finds(&missing, "SL08", Severity::Error, field);
    look(&missing, |submesh| drop(fails(submesh.indices(), "missing", field)));
}

/// Tests triangles that use a vertex twice, unused vertices, and collision triangles without area.
#[test]
fn reports_degenerate_triangles() {
    let field = "high_lod[0].TriangleList";
    for indices in [[0, 1, 2, 0, 3, 3], [0, 1, 2, 0, 2, 1]] {
        let bytes = with_square(&square().with("TriangleList", codes(&indices)));
        finds_only(&bytes, "SL22", Severity::Warning, field);
    }
    let flat = square().without("Weights").with("Position", codes(&[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]));
    let mut asset = Asset::full().block(AssetPart::PhysicsMesh, &list(&[flat.bytes()]));
    asset = asset.block(AssetPart::PhysicsConvex, &hulls().without("HullList").without("Positions").bytes());
    finds_only(&asset.bytes(), "SL23", Severity::Warning, "physics_mesh[0].TriangleList");
}

/// Tests domains that are absent, inverted, not numeric, too short, too long, or far away.
#[test]
fn reports_bad_domains() {
    let key = "high_lod[0].PositionDomain";
    let bytes = with_square(&square().without("PositionDomain"));
    finds_only(&bytes, "SL20", Severity::Warning, key);
    look(&bytes, |submesh| {
        assert_eq!(submesh.positions().unwrap().bounds(), Bounds { min: [-0.5; 3], max: [0.5, 0.5, -0.5] });
    });
    for (min, max) in
        [([0.5; 3], [-0.5; 3]), ([f64::NAN; 3], [0.5; 3]), ([0.0; 3], [f64::INFINITY; 3]), ([-1e308; 3], [1e308; 3])]
    {
        let bytes = with_square(&square().with("PositionDomain", domain(min, max)));
        finds(&bytes, "SL11", Severity::Error, key);
        look(&bytes, |submesh| assert_eq!(submesh.positions().unwrap().iter().count(), 4, "any domain decodes"));
    }
    for count in [0, 2, 4, 10_000] {
        let odd = Tree::default().with("Max", numbers(&[0.5; 3])).with("Min", numbers(&vec![-0.5; count])).bytes();
        let bytes = with_square(&square().with("PositionDomain", odd));
        finds(&bytes, "SL11", Severity::Error, key);
        look(&bytes, |submesh| {
            let error = fails(submesh.positions(), "value", key);
            assert!(error.to_string().contains("3 numbers"), "{error}");
            assert!(submesh.indices().is_ok() && submesh.uvs().is_ok());
        });
    }
    for far in [0.6, 1e6] {
        let bytes = with_square(&square().with("PositionDomain", domain([-far; 3], [far; 3])));
        finds_only(&bytes, "SL20", Severity::Warning, key);
    }
    let key = "high_lod[0].TexCoord0Domain";
    let bytes = with_square(&square().without("TexCoord0Domain"));
    finds_only(&bytes, "SL11", Severity::Error, key);
    look(&bytes, |submesh| assert_eq!(submesh.uvs().unwrap().unwrap().get(2), Some([1.0, 1.0])));
    let wide = with_square(&square().with("TexCoord0Domain", domain([-2.2e36, 0.0], [1.0, 2.8e30])));
    finds_only_info(&wide, "SL35", key);
    let odd = with_square(&square().with("TexCoord0Domain", domain([0.0; 3], [1.0; 3])));
    finds(&odd, "SL11", Severity::Error, key);
    look(&odd, |submesh| {
        fails(submesh.uvs(), "value", key);
        assert!(submesh.positions().is_ok());
    });
    // If only one end of the domain is stored, the other end has its default value.
    let half = with_square(&square().with("PositionDomain", Tree::default().with("Min", numbers(&[0.0; 3])).bytes()));
    finds_only(&half, "SL11", Severity::Error, "high_lod[0].PositionDomain");
    look(&half, |submesh| assert_eq!(submesh.position_domain().unwrap().max(), [0.5; 3]));
}

/// Tests lists of weights that are truncated, too few, or too many, and the valid variants of their
/// end.
#[test]
fn reports_bad_weight_lists() {
    let field = "high_lod[0].Weights";
    let whole = weights();
    let ends = [4, 11, 21, 33];
    assert_eq!(whole.len(), 33);
    for length in 0..whole.len() {
        let bytes = with_square(&square().with("Weights", bin(&whole[..length])));
        let found = finds(&bytes, "SL12", Severity::Error, field);
        let lists = ends.iter().filter(|end| **end <= length).count();
        assert!(found.text.contains(&format!("after {lists} of 4")), "{found}");
        look(&bytes, |submesh| {
            let weights = submesh.weights().unwrap().unwrap();
            assert_eq!((weights.len(), weights.iter().count()), (4, lists), "only complete lists are read");
            assert!((0..5).all(|vertex| weights.get(vertex as u32).is_some() == (vertex < lists)));
        });
    }
    for more in [&[255][..], &[0, 1, 2], &whole] {
        let bytes = with_square(&square().with("Weights", bin(&[&whole, more].concat())));
        let found = finds(&bytes, "SL12", Severity::Error, field);
        let plural = if more.len() == 1 { "" } else { "s" };
        assert!(found.text.contains(&format!("{} byte{plural} after", more.len())), "{found}");
        look(&bytes, |submesh| assert_eq!(submesh.weights().unwrap().unwrap().iter().count(), 4));
    }
    assert!(
        !findings(&Asset::full().bytes()).iter().any(|found| found.rule == "SL12"),
        "four influences need no terminator"
    );
    let bytes = with_square(&square().with("Weights", bin(&[255; 4])));
    finds_only(&bytes, "SL26", Severity::Warning, field);
    look(&bytes, |submesh| assert!(submesh.weights().unwrap().unwrap().iter().all(|list| list.is_empty())));
}

/// Tests joints that the skin does not have, and weights whose sum is 0.
#[test]
fn reports_bad_joints_and_weight_sums() {
    let field = "high_lod[0].Weights";
    let all = |joint: u8, weight: u16| bin(&[&[joint][..], &weight.to_le_bytes(), &[255]].concat().repeat(4));
    for joint in [2, 33, 254] {
        let bytes = with_square(&square().with("Weights", all(joint, 65535)));
        let found = finds_only(&bytes, "SL13", Severity::Error, field);
        assert!(found.text.contains(&format!("greatest {joint}, first 0: the skin has 2 joints")), "{found}");
        look(&bytes, |submesh| {
            let first = submesh.weights().unwrap().unwrap().get(0).unwrap();
            assert_eq!(first.raw(0), Some((joint.into(), 65535)));
        });
        let mesh = Mesh::open(bytes.as_slice()).unwrap();
        let palette = mesh.skin().unwrap().unwrap().palette(|_| IDENTITY).unwrap();
        let submesh = mesh.level(Lod::High).unwrap().submesh(0).unwrap();
        let list = submesh.weights().unwrap().unwrap().get(0).unwrap();
        assert_eq!(palette.position([0.5; 3], list.iter()), [0.5; 3], "the last joint, as in viewers");
    }
    // With enough joints in the skin, they are valid.
    for (joint, count) in [(33, 34), (254, 255)] {
        let names: Vec<_> = (0..count).map(|number| text(&format!("j{number}"))).collect();
        let matrices = list(&vec![matrix(); count]);
        let large = skin().with("joint_names", list(&names)).with("inverse_bind_matrix", matrices.clone());
        let bytes = Asset::full().block(AssetPart::Skin, &large.with("alt_inverse_bind_matrix", matrices).bytes());
        let level = list(&[square().with("Weights", all(joint, 65535)).bytes(), square().bytes()]);
        let all = findings(&bytes.block(AssetPart::HighLod, &level).bytes());
        assert!(!all.iter().any(|found| found.severity == Severity::Error), "{all:#?}");
    }
    let bytes = with_square(&square().with("Weights", all(1, 0)));
    let found = finds_only(&bytes, "SL26", Severity::Warning, field);
    assert!(found.text.contains("4 vertices"), "{found}");
    let mesh = Mesh::open(bytes.as_slice()).unwrap();
    let palette = mesh.skin().unwrap().unwrap().palette(|_| IDENTITY).unwrap();
    let submesh = mesh.level(Lod::High).unwrap().submesh(0).unwrap();
    let list = submesh.weights().unwrap().unwrap().get(0).unwrap();
    assert_eq!(palette.position([0.25; 3], list.iter()), [0.25; 3], "the first joint, without a division by zero");
}

/// Tests matrices of another size or number, unknown and duplicate joints, and a million joints.
#[test]
fn reports_bad_skins() {
    let with = |skin: &Tree| Asset::full().block(AssetPart::Skin, &skin.bytes()).bytes();
    for count in [0, 15, 17] {
        let odd = numbers(&vec![1.0; count]);
        let bytes = with(&skin().with("bind_shape_matrix", odd.clone()));
        finds_only(&bytes, "SL13", Severity::Error, "skin.bind_shape_matrix");
        let mesh = Mesh::open(bytes.as_slice()).unwrap();
        others_work(&mesh, &[AssetPart::Skin]);
        let bound = mesh.skin().unwrap().unwrap();
        fails(bound.bind_shape(), "value", "skin.bind_shape_matrix");
        assert!(bound.inverse_bind(0).is_ok() && bound.joint_name(0).is_ok());
        for name in ["inverse_bind_matrix", "alt_inverse_bind_matrix"] {
            let bytes = with(&skin().with(name, list(&[matrix(), odd.clone()])));
            finds_only(&bytes, "SL13", Severity::Error, &format!("skin.{name}[1]"));
            let mesh = Mesh::open(bytes.as_slice()).unwrap();
            let bound = mesh.skin().unwrap().unwrap();
            let result = if name == "inverse_bind_matrix" { bound.inverse_bind(1) } else { bound.alt_inverse_bind(1) };
            let error = fails(result, "value", &format!("skin.{name}[1]"));
            assert_eq!(meshpeek::finding(&error).unwrap().rule, "SL13");
            assert_eq!(bound.palette(|_| IDENTITY).is_err(), name == "inverse_bind_matrix");
            assert!(bound.inverse_bind(0).is_ok());
            assert_eq!(mesh.bone(1).unwrap().name.as_bytes(), b"mTorso");
        }
    }
    for (name, count) in [("inverse_bind_matrix", 1), ("inverse_bind_matrix", 3), ("alt_inverse_bind_matrix", 1)] {
        let bytes = with(&skin().with(name, list(&vec![matrix(); count])));
        finds_only(&bytes, "SL13", Severity::Error, &format!("skin.{name}"));
        let mesh = Mesh::open(bytes.as_slice()).unwrap();
        assert_eq!(mesh.skin().unwrap().unwrap().palette(|_| IDENTITY).is_err(), name == "inverse_bind_matrix");
    }
    let bytes = with(&skin().without("bind_shape_matrix"));
    finds_only(&bytes, "SL13", Severity::Error, "skin.bind_shape_matrix");
    let bytes = with(&skin().with("bind_shape_matrix", numbers(&[f64::NAN; 16])));
    finds_only(&bytes, "SL13", Severity::Error, "skin.bind_shape_matrix");
    let bytes = with(&skin().with("joint_names", list(&[text("mPelvis"), int(3)])));
    finds(&bytes, "SL13", Severity::Error, "skin.joint_names[1]");
    let mesh = Mesh::open(bytes.as_slice()).unwrap();
    let error = fails(mesh.skin().unwrap().unwrap().joint_name(1), "value", "skin.joint_names[1]");
    assert_eq!(meshpeek::finding(&error).unwrap().rule, "SL13");
    for (key, odd) in [("pelvis_offset", text("x")), ("lock_scale_if_joint_position", int(1))] {
        let bytes = with(&skin().with(key, odd));
        finds_only(&bytes, "SL13", Severity::Error, &format!("skin.{key}"));
    }
    for names in [["mPelvis", "mPelvis"], ["mPelvis", "tail"]] {
        let bytes = with(&skin().with("joint_names", list(&names.map(text))));
        let found = finds_only(&bytes, "SL27", Severity::Warning, "skin.joint_names");
        assert!(found.text.contains(names[1]), "{found}");
    }
    let many = list(&vec![matrix(); 111]);
    let names = list(&(0..111).map(|number| text(&format!("mTail{number}"))).collect::<Vec<_>>());
    let large = skin().with("joint_names", names).with("inverse_bind_matrix", many.clone());
    finds(&with(&large.with("alt_inverse_bind_matrix", many)), "SL27", Severity::Warning, "skin.joint_names");
}

/// Tests a hundred thousand joints with a matrix each, and a million names.
#[test]
fn many_joints_take_linear_time() {
    expect_linear("joints", |scale| {
        let count = 500 * SCALE * scale;
        let large = skin()
            .with("joint_names", list(&vec![text("mPelvis"); count]))
            .with("inverse_bind_matrix", list(&vec![matrix(); count]));
        let bytes = Asset::full().block(AssetPart::Skin, &large.without("alt_inverse_bind_matrix").bytes()).bytes();
        let mesh = Mesh::open(bytes.as_slice()).unwrap();
        let bound = mesh.skin().unwrap().unwrap();
        assert!((0..count).all(|joint| bound.joint_name(joint).is_ok() && bound.inverse_bind(joint).is_ok()));
        assert_eq!(bound.palette(|_| IDENTITY).unwrap().matrices().len(), count);
        assert!((0..mesh.bone_count().unwrap()).all(|bone| mesh.bone(bone).is_ok()));
        findings(&bytes);
    });
    let count = 100_000 * SCALE;
    let names = list(&vec![text("x"); count]);
    let bytes = Asset::full().block(AssetPart::Skin, &skin().with("joint_names", names.clone()).bytes()).bytes();
    within(20, "joint names", || {
        let mesh = Mesh::open(bytes.as_slice()).unwrap();
        let bound = mesh.skin().unwrap().unwrap();
        assert!((0..count).all(|joint| bound.joint_name(joint).is_ok()));
        let held = peak(|| findings(&bytes));
        assert!(held < 64 << 20, "{held} bytes held for {} bytes of names", names.len());
    });
}

/// Tests hulls of 256 points, of three points, of more points than exist, and a million hulls.
///
/// Also tests hulls together with a physics mesh, and an asset without hulls.
#[test]
fn reports_bad_hulls() {
    let with = |convex: &Tree| Asset::full().block(AssetPart::PhysicsConvex, &convex.bytes()).bytes();
    let sized = |sizes: &[u8], points: usize| {
        with(&hulls().with("HullList", bin(sizes)).with("Positions", codes(&vec![7; points * 3])))
    };
    for (sizes, points) in [(&[0_u8][..], 256), (&[0, 4], 260), (&[255, 0, 1], 512)] {
        let bytes = sized(sizes, points);
        assert!(faults(&bytes).is_empty() && check_invariants(&bytes, &mut Random::new(19)) == Fate::Read);
        let mesh = Mesh::open(bytes.as_slice()).unwrap();
        let found: Vec<_> = mesh.convex().unwrap().unwrap().hulls().unwrap().map(|hull| hull.len()).collect();
        assert_eq!(
            found,
            sizes.iter().map(|size| if *size == 0 { 256 } else { (*size).into() }).collect::<Vec<usize>>()
        );
    }
    finds_only_info(&sized(&[3, 4], 7), "SL36", "physics_convex.HullList");
    for (sizes, points, fit) in
        [(&[4_u8, 4][..], 7, 1), (&[4, 4], 9, 2), (&[0], 255, 0), (&[4, 4, 4], 0, 0), (&[], 3, 0)]
    {
        let bytes = sized(sizes, points);
        finds_only(&bytes, "SL14", Severity::Error, "physics_convex.HullList");
        let mesh = Mesh::open(bytes.as_slice()).unwrap();
        others_work(&mesh, &[]);
        let convex = mesh.convex().unwrap().unwrap();
        assert_eq!(convex.hulls().unwrap().count(), fit, "only the hulls that fit");
        assert!(convex.bounding_points().unwrap().is_some());
    }
    for key in ["HullList", "Positions"] {
        let bytes = with(&hulls().without(key));
        finds_only(&bytes, "SL14", Severity::Error, "physics_convex.HullList");
        let mesh = Mesh::open(bytes.as_slice()).unwrap();
        let shape = mesh.physics_shape().unwrap().unwrap();
        assert_eq!(matches!(shape, PhysicsShape::BoundingHull(_)), key == "HullList");
    }
    for key in ["Positions", "BoundingVerts"] {
        let bytes = with(&hulls().with(key, bin(&[0; 25])));
        finds_only(&bytes, "SL14", Severity::Error, &format!("physics_convex.{key}"));
        let mesh = Mesh::open(bytes.as_slice()).unwrap();
        let convex = mesh.convex().unwrap().unwrap();
        assert_eq!(
            (convex.hulls().is_err(), convex.bounding_points().is_err()),
            (key == "Positions", key != "Positions")
        );
    }
    finds(&with(&hulls().with("Min", numbers(&[0.0; 2]))), "SL11", Severity::Error, "physics_convex.Min");
    finds_only(&with(&hulls().without("BoundingVerts")), "SL16", Severity::Warning, "physics_convex");

    let physics = Asset::full().block(AssetPart::PhysicsMesh, &list(&[square().without("Weights").bytes()]));
    finds_only(&physics.bytes(), "SL24", Severity::Warning, "physics_convex");
    let mesh_bytes = physics.bytes();
    let mesh = Mesh::open(mesh_bytes.as_slice()).unwrap();
    assert!(matches!(mesh.physics_shape().unwrap().unwrap(), PhysicsShape::Hulls(_)), "the hulls come first");
    let none = Asset::full().block(AssetPart::PhysicsConvex, b"!").bytes();
    assert!(faults(&none).is_empty(), "{:#?}", faults(&none));
    assert!(Mesh::open(none.as_slice()).unwrap().convex().unwrap().is_none());

    let count = 100_000 * SCALE;
    let bytes = sized(&vec![1; count], count);
    within(20, "very many hulls", || {
        finds(&bytes, "SL28", Severity::Warning, "physics_convex.HullList");
        let mesh = Mesh::open(bytes.as_slice()).unwrap();
        assert_eq!(mesh.convex().unwrap().unwrap().hulls().unwrap().count(), count);
    });
}

/// Tests levels with different numbers of submeshes, and lower levels that do not have fewer
/// triangles.
#[test]
fn reports_levels_that_do_not_match() {
    let three = list(&[square().bytes(), square().bytes(), square().bytes()]);
    let found = finds(&Asset::full().block(AssetPart::LowLod, &three).bytes(), "SL18", Severity::Warning, "low_lod");
    assert!(found.text.contains("3 submeshes"), "{found}");
    finds_only_info(&Asset::full().bytes(), "SL19", "low_lod");
    let nine = list(&vec![square().bytes(); 9]);
    finds(&Asset::full().block(AssetPart::HighLod, &nine).bytes(), "SL18", Severity::Warning, "high_lod");
}

/// Tests a hash that differs from the hash of the stored block, and a value that is not a hash.
#[test]
fn a_hash_of_something_else() {
    let (_, simulated) = samples().swap_remove(2);
    let mesh = Mesh::open(simulated.as_slice()).unwrap();
    assert_eq!(mesh.view().verify_hash(AssetPart::PhysicsMesh).unwrap(), Some(true));
    let hash = mesh.header().unwrap().hash(AssetPart::PhysicsMesh).unwrap().to_vec();
    let at = simulated.windows(16).position(|bytes| bytes == hash).unwrap();
    let mut spoilt = simulated.clone();
    spoilt[at] ^= 1;
    finds(&spoilt, "SL15", Severity::Error, "physics_mesh.hash");
    let mesh = Mesh::open(spoilt.as_slice()).unwrap();
    assert_eq!(mesh.view().verify_hash(AssetPart::PhysicsMesh).unwrap(), Some(false));
    others_work(&mesh, &[]);
    let asset = Asset::full();
    let size = small(asset.blocks[1].1.len());
    let value = Tree::default().with("hash", bin(&[1; 15])).with("offset", int(small(asset.blocks[0].1.len())));
    let bytes = asset.under(&asset.header().with("physics_convex", value.with("size", int(size)).bytes()));
    let found = finds(&bytes, "SL15", Severity::Error, "physics_convex.hash");
    assert!(found.text.contains("15 bytes"), "{found}");
}

/// Tests containers and cache files.
///
/// An inner asset is truncated, is a container, or is not a string. A cache file has blocks that
/// were not downloaded.
#[test]
fn reports_bad_containers_and_cache_files() {
    let small = Asset::small(&square().without("Weights")).bytes();
    let open = |bytes: &[u8], asset: usize| {
        Mesh::open_with(bytes.to_vec(), &OpenOptions::default().with_asset(asset)).unwrap()
    };
    let sound = container(&[small.clone(), small.clone()]);
    assert_eq!(open(&sound, 1).level(Lod::High).unwrap().submesh(0).unwrap().vertex_count(), 4);
    let header = Mesh::open(small.as_slice()).unwrap().header().unwrap().len() as usize;
    for length in 0..small.len() {
        let bytes = container(&[small[..length].to_vec(), small.clone()]);
        assert_eq!(check_invariants(&bytes, &mut Random::new(22)), Fate::Damaged, "{length}");
        let first = open(&bytes, 0);
        assert_eq!(first.header().is_ok(), length >= header, "{length}");
        assert!(first.level(Lod::High).is_err());
        let (rule, field) =
            if length < header { ("SL01", "asset[0].header") } else { ("SL02", "asset[0].high_lod.size") };
        let all = findings(&bytes);
        assert!(all.iter().any(|found| found.rule == rule && found.field.to_string() == field), "{length}: {all:#?}");
        assert_eq!(open(&bytes, 1).level(Lod::High).unwrap().len(), 1, "the other asset can be read");
    }
    for (inner, kind) in [(sound.clone(), "value"), (b"[\0\0\0\0]".to_vec(), "value"), (Vec::new(), "unexpected-end")] {
        let bytes = container(&[inner, small.clone()]);
        assert_eq!(check_invariants(&bytes, &mut Random::new(22)), Fate::Damaged);
        let error = open(&bytes, 0).header().map(drop).unwrap_err();
        assert_eq!(error.kind().id(), kind, "{error}");
        assert!(open(&bytes, 1).level(Lod::High).is_ok());
    }
    let quoted = [b"{\0\0\0\x01k\0\0\0\x04mesh[\0\0\0\x02'{'".to_vec(), int(1), b"]}".to_vec()].concat();
    assert_eq!(check_invariants(&quoted, &mut Random::new(22)), Fate::Damaged);
    fails(open(&quoted, 0).header().map(drop), "value", "mesh");
    let newer = container(&[Asset::small(&square()).other("version", int(1000)).bytes(), small.clone()]);
    fails(open(&newer, 0).header().map(drop), "unsupported", "version");
    let empty = container(&[]);
    assert!(Mesh::open(empty.as_slice()).unwrap().header().is_err());
    check_invariants(&empty, &mut Random::new(22));
    for length in 0..sound.len() {
        assert!(Mesh::open(&sound[..length]).is_err(), "a truncated container has no end");
    }

    // In a viewer's cache, data that was not downloaded is zeros. This is not a fault of the file.
    let asset = Asset::full();
    let mut bytes = cached(&asset.bytes(), 0b011_1111);
    let start = bytes.len() - asset.blocks.last().unwrap().1.len();
    assert!(faults(&bytes).is_empty(), "{:#?}", faults(&bytes));
    bytes[start..].fill(0);
    bytes[8] = 0b011_0111;
    let mesh = Mesh::open(bytes.as_slice()).unwrap();
    let error = fails(mesh.block(AssetPart::HighLod), "missing", "high_lod");
    assert!(error.to_string().contains("not fetched") && meshpeek::finding(&error).is_none(), "{error}");
    others_work(&mesh, &[AssetPart::HighLod]);
    finds_only_info(&bytes, "SL32", "high_lod");
    assert!(check_invariants(&bytes, &mut Random::new(22)) != Fate::Refused);
    for (at, value) in [(0, 2), (4, 0), (7, 1), (12, b'[')] {
        let mut spoilt = bytes.clone();
        spoilt[at] = value;
        if at == 4 {
            spoilt[4..8].fill(0);
        }
        assert!(Mesh::open(spoilt.as_slice()).is_err() && Format::detect(&spoilt).is_err(), "{at}");
    }
}

// Traps: files whose cost might grow faster than their size.

/// Tests a million submeshes with access to all neutral arrays, and the maximum number of names in
/// the header.
#[test]
fn many_submeshes_take_linear_time() {
    let names = list(&vec![text("m"); 10_000]);
    expect_linear("submeshes", |scale| {
        let count = 1000 * SCALE * scale;
        let level = list(&vec![b"{\0\0\0\0}".to_vec(); count]);
        let bytes = Asset::default().block(AssetPart::HighLod, &level).other("material_list", names.clone()).bytes();
        let mesh = Mesh::open(bytes.as_slice()).unwrap();
        let detail = LevelGeometry::new(mesh.view(), AssetPart::HighLod);
        for index in 0..detail.surface_count().unwrap() {
            let surface = Surface::new(&detail, index).unwrap();
            assert!(surface.name().is_ok() && surface.counts().is_ok() && surface.positions().is_err());
        }
        assert!(Surface::all(&mesh).unwrap().all(|surface| surface.weights().unwrap().is_none()));
        findings(&bytes);
    });
    let count = 100_000 * SCALE;
    let bytes = Asset::default().block(AssetPart::HighLod, &list(&vec![b"{\0\0\0\0}".to_vec(); count])).bytes();
    within(20, "submeshes", || {
        let mesh = Mesh::open(bytes.as_slice()).unwrap();
        assert_eq!(mesh.level(Lod::High).unwrap().submeshes().flatten().count(), count);
        let held = peak(|| findings(&bytes));
        assert!(held < 16 * (count * 6) + (6 << 20), "{held}");
    });
}

/// Tests that random access to weights is as fast for late submeshes as for the first ones.
#[test]
fn weights_of_late_submeshes_are_found_as_fast() {
    expect_linear("late weights", |scale| {
        let count = 20_000 * SCALE * scale;
        let large = Tree::default().with("Position", bin(&vec![0; count * 6])).with("Weights", bin(&vec![255; count]));
        let mut all = vec![Tree::default().bytes(); 200];
        all.extend([large.bytes(), large.bytes()]);
        let bytes = Asset::default().block(AssetPart::HighLod, &list(&all)).bytes();
        let mesh = Mesh::open(bytes.as_slice()).unwrap();
        let level = mesh.level(Lod::High).unwrap();
        for index in [200, 201] {
            let weights = level.submesh(index).unwrap().weights().unwrap().unwrap();
            assert!((0..count as u32).all(|vertex| weights.get(vertex).is_some()));
            assert!(weights.get(count as u32).is_none());
        }
    });
}

/// Tests a million assets in a container, and a million instances in its lists.
#[test]
fn many_assets_take_linear_time() {
    let assets = |count: usize| container(&vec![b"{\0\0\0\0}".to_vec(); count]);
    expect_linear("assets", |scale| {
        let bytes = assets(1000 * SCALE * scale);
        bounded(bytes.len(), "assets", || borrow_everything(&bytes, true).unwrap());
    });
    let count = 100_000 * SCALE;
    let bytes = assets(count);
    within(60, "assets", || {
        let mesh = Mesh::open(bytes.as_slice()).unwrap();
        assert_eq!((mesh.asset_count(), mesh.assets().count()), (count, count));
        bounded(bytes.len(), "assets", || borrow_everything(&bytes, false).unwrap());
    });
    expect_linear("lists of assets", |scale| {
        let count = 500 * SCALE * scale;
        let assets = list(&vec![spell(|writer| _ = writer.string(b"{\0\0\0\0}")); count]);
        let again = [b"k\0\0\0\x04mesh".to_vec(), list(&[b"s\0\0\0\0".to_vec()])].concat().repeat(count);
        let all = [&b"{"[..], &(count as u32 + 1).to_be_bytes(), b"k\0\0\0\x04mesh", &assets, &again, b"}"].concat();
        bounded(all.len(), "lists of assets", || borrow_everything(&all, true).unwrap());
    });
}

/// Tests keys and texts of megabytes with escapes.
///
/// Messages show a part of them, and they are never copied completely.
#[test]
fn long_texts_are_never_copied_whole() {
    let length = 400_000 * SCALE;
    let long = |mark: &[u8]| [mark, &b"\\x41".repeat(length / 4), mark].concat();
    let submesh = [&b"{\0\0\0\x02"[..], &long(b"'"), b"!", &long(b"\""), b"!}"].concat();
    let value = list(&[submesh]);
    let bytes = Asset::default().block(AssetPart::HighLod, &value).bytes();
    within(10, "long texts", || {
        let held =
            peak(|| assert!(findings(&bytes).iter().any(|found| found.rule == "SL33" && found.text.len() < 10_000)));
        assert!(held < value.len() * 2 + 2 * ENGINE, "{held} bytes for a block of {}", value.len());
    });
    let name = list(&[long(b"'"), long(b"'")]);
    let bytes = Asset::full().block(AssetPart::Skin, &skin().with("joint_names", name).bytes()).bytes();
    within(10, "long texts", || {
        let mesh = Mesh::open(bytes.as_slice()).unwrap();
        assert!(mesh.skin().unwrap().unwrap().joint_name(1).unwrap().to_string().len() < 10_000);
        assert!(findings(&bytes).iter().all(|found| found.text.len() < 10_000));
    });
}

/// Tests the documented memory bound without inflating: 16 times the file, and 1 MiB.
#[test]
fn memory_for_headers_is_bounded() {
    let mut worst = 0.0_f64;
    let mut try_it = |bytes: &[u8], what: &str| {
        let (factor, _) = bounded(bytes.len(), what, || borrow_everything(bytes, false).unwrap());
        if bytes.len() > 20_000 {
            worst = worst.max(factor);
        }
    };
    for (name, whole) in samples() {
        try_it(&whole, name);
    }
    let counts: &[usize] = if cfg!(debug_assertions) { &[1000] } else { &[1000, 5000, 9000] };
    for &count in counts {
        let tree = Tree((0..count).map(|_| (String::new(), b"!".to_vec())).collect());
        try_it(&tree.bytes(), "keys");
        try_it(&Tree::default().with("material_list", list(&vec![b"!".to_vec(); count * 6])).bytes(), "materials");
        let quoted = [&b"{"[..], &(count as u32).to_be_bytes(), &b"''!".repeat(count), b"}"].concat();
        try_it(&quoted, "quoted keys");
        try_it(&container(&vec![b"{\0\0\0\0}".to_vec(); count * 10]), "assets");
        try_it(&container(&vec![quoted; 50]), "assets of keys");
    }
    eprintln!("at most {worst:.2} times the file's size");
}

// Random damage.

/// Damages a file at random: bits, fields, and parts that are moved or removed.
fn mutate(base: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = base.to_vec();
    for _ in 0..random.within(1..4) {
        // Headers are short, and everything depends on them.
        let at = if random.one_in(2) { random.below(bytes.len().min(320)) } else { random.below(bytes.len()) };
        let span = random.within(1..20).min(bytes.len() - at);
        match random.below(9) {
            0..=2 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            3 | 4 => {
                let width = random.within(1..5);
                let value = *random.pick(&edges(width, base.len().max(1)));
                if at + width <= bytes.len() {
                    bytes[at..at + width].copy_from_slice(&value.to_be_bytes()[8 - width..]);
                }
            }
            5 => drop(bytes.splice(at..at, other[..span.min(other.len())].to_vec())),
            6 => drop(bytes.drain(at..at + span)),
            7 => bytes.truncate(at),
            _ => {
                let from = random.below(other.len());
                let piece = &other[from..(from + span * 4).min(other.len())];
                let end = (at + piece.len()).min(bytes.len());
                bytes.splice(at..end, piece.iter().copied());
            }
        }
    }
    bytes
}

/// Reads a hundred thousand damaged files, the same ones on every run.
///
/// They come from the samples, from values before compression, and from small real files if there
/// are any. An unoptimised build reads a fiftieth of them.
#[test]
fn survives_random_damage() {
    const FILES: usize = if cfg!(debug_assertions) { 2000 } else { 100_000 };
    let mut bases: Vec<Vec<u8>> = samples().into_iter().map(|(_, bytes)| bytes).collect();
    let real: Vec<_> = real_files(3000).into_iter().map(|path| std::fs::read(path).unwrap()).collect();
    eprintln!("{} real files among the bases", real.len());
    bases.extend(real);
    let level = list(&[square().bytes(), square().bytes()]);
    let values = [
        (AssetPart::HighLod, level.clone()),
        (AssetPart::PhysicsMesh, level),
        (AssetPart::Skin, skin().bytes()),
        (AssetPart::PhysicsConvex, hulls().bytes()),
    ];
    let run = |seed: u64| {
        let mut random = Random::new(seed);
        let (mut fates, mut worst) = ([0_usize; 3], 0);
        for _ in 0..FILES / 2 {
            let spoilt = if random.one_in(2) {
                mutate(&bases[random.below(bases.len())], &bases[random.below(bases.len())], &mut random)
            } else {
                let ((part, value), (_, other)) = (random.pick(&values), random.pick(&values));
                Asset::small(&square()).stored(*part, store(&mutate(value, other, &mut random))).bytes()
            };
            fates[check_invariants(&spoilt, &mut random) as usize] += 1;
            worst = worst.max(bounded(spoilt.len(), "by chance", || borrow_everything(&spoilt, false)).1);
        }
        (fates, worst)
    };
    let results = std::thread::scope(|scope| {
        [1, 2].map(|seed| scope.spawn(move || run(seed))).map(|thread| thread.join().unwrap())
    });
    for ([refused, damaged, read], worst) in results {
        eprintln!("{refused} refused, {damaged} damaged, {read} read; at most {worst} bytes of memory");
        assert!([refused, damaged, read].iter().all(|count| *count > FILES / 200), "each fate must occur");
    }
}

/// Returns the real files of at most `most` bytes, the smallest first.
///
/// The list is empty if the machine has no corpus.
fn real_files(most: u64) -> Vec<PathBuf> {
    let Some(folder) = corpus("secondlife") else { return Vec::new() };
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap()).collect();
    files.retain(|entry| {
        let is_mesh = entry.path().extension().is_some_and(|ending| ending == "llmesh" || ending == "slm");
        is_mesh && entry.metadata().unwrap().len() <= most
    });
    files.sort_by_key(|entry| (entry.metadata().unwrap().len(), entry.file_name()));
    files.into_iter().map(|entry| entry.path()).collect()
}

/// Tests levels whose only header entry is wrong: reading any level returns an error that
/// `validate` reports.
#[test]
fn reports_every_error_of_a_level_with_a_wrong_entry() {
    let entries = [
        entry(-1, 1),
        entry(0, -1),
        entry(i32::MAX, 1),
        Tree::default().with("offset", real(1.0)).with("size", int(1)).bytes(),
        Tree::default().with("offset", int(0)).with("size", real(1.0)).bytes(),
        Tree::default().with("offset", int(-1)).with("size", int(0)).bytes(),
        Tree::default().with("offset", int(-1)).bytes(),
        list(&[]),
        int(7),
    ];
    for lod in Lod::ALL {
        for (number, wrong) in entries.iter().enumerate() {
            let alone = Tree::default().with(lod.part().key(), wrong.clone()).bytes();
            assert_eq!(check_invariants(&alone, &mut Random::new(1)), Fate::Damaged, "{lod:?} {number}");
            let with_404 = Tree::default().with("404", int(1)).with(lod.part().key(), wrong.clone()).bytes();
            assert_eq!(check_invariants(&with_404, &mut Random::new(1)), Fate::Damaged, "{lod:?} {number}");
        }
    }
    let lowest = Tree::default().with("lowest_lod", entry(-1, 1)).bytes();
    let mesh = Mesh::open(lowest.as_slice()).unwrap();
    let error = mesh.level(Lod::High).unwrap_err();
    assert!(is_error(&error, ErrorKind::Choice, &["expected one of lowest,"]), "{error}");
    finds(&lowest, "SL02", Severity::Error, "lowest_lod.offset");
}

/// Tests one stored block under many names, in one asset and in the assets of a container: a check
/// of the file inflates at most 64 bytes per byte of the file, or [`Limits::asset`] bytes.
#[test]
fn inflates_a_shared_block_only_within_the_budget_of_the_file() {
    const INFLATED: usize = 256 << 10;
    let stored = zlib(&list(&[Tree::default().with("Position", bin(&vec![0; INFLATED])).bytes()]));
    let names = ["high_lod", "medium_lod", "low_lod", "lowest_lod", "physics_mesh", "physics_shape"];
    let shared = |names: &[&str]| {
        let mut header = Tree::default();
        for name in names {
            header = header.with(name, entry(0, small(stored.len())));
        }
        [header.bytes(), stored.clone()].concat()
    };
    let limits = Limits::default().with_asset(1 << 20);
    let options = OpenOptions::default().with_limits(limits);
    let beyond = |bytes: &[u8]| {
        let mesh = Mesh::open_with(bytes, &options).unwrap();
        let mut findings = Vec::new();
        mesh.validate(&mut |finding| findings.push(finding)).unwrap();
        let beyond = findings.iter().filter(|found| found.rule == "SL06" && found.text.contains("asset")).count();
        let is_whole = mesh.check().err().is_none_or(|error| error.kind() != ErrorKind::Limit);
        assert_eq!(beyond == 0, is_whole, "{beyond} blocks are left out");
        beyond
    };
    assert_eq!(beyond(&shared(&names[..3])), 0);
    assert_eq!(beyond(&shared(&names)), 3, "three blocks fit in 1 MiB");
    let many = container(&vec![shared(&names); 100]);
    let budget = (1 << 20).max(many.len() * 64);
    assert!(600 - beyond(&many) <= budget / INFLATED, "{budget}");
    // With the default limits, the whole container is within the budget of 128 MiB.
    assert_eq!(findings(&many[..]).iter().filter(|found| found.rule == "SL06").count(), 89);
}

/// Compares the memory for a map of long keys with the memory for as many bytes of one value.
#[test]
fn long_keys_are_compared_without_a_copy() {
    let held = |value: &[u8]| {
        let bytes = Asset::small(&square()).block(AssetPart::PhysicsHavok, value).bytes();
        let mesh = Mesh::open(bytes.as_slice()).unwrap();
        let mut found = 0;
        let held = peak(|| mesh.validate(&mut |finding| found += usize::from(finding.rule == "SL33")).unwrap());
        (held, found)
    };
    let keys = |numbers: std::ops::Range<u8>| {
        let key = |number: u8| format!("{number:02}{}", "k".repeat(256 << 10));
        spell(|writer| {
            writer.open_map(numbers.len() as u32);
            numbers.for_each(|number| _ = writer.key(&key(number % 32)).integer(0));
            writer.close_map();
        })
    };
    let (value, none) = held(&Tree::default().with("a", bin(&vec![b'k'; 8 << 20])).bytes());
    let (distinct, no_key) = held(&keys(0..32));
    assert!(distinct < value + (1 << 20), "{distinct} bytes held, {value} for a value");
    assert_eq!((none, no_key, held(&keys(0..33)).1), (0, 0, 1));
}

/// Truncates every real file at every length, and flips every bit.
///
/// Files over 2 KiB are damaged in the header, in the last 64 bytes, and at some 150 positions
/// between. Takes minutes.
#[test]
#[ignore = "takes minutes, and real files"]
fn sweep() {
    let start = Instant::now();
    let (mut files, mut cuts, mut flips) = (0_u64, 0_u64, 0_u64);
    for path in real_files(u64::MAX) {
        let whole = std::fs::read(&path).unwrap();
        let mut random = Random::new(files);
        files += 1;
        assert_eq!(check_invariants(&whole, &mut random), Fate::Read, "{}", path.display());
        let small = whole.len() <= 2 << 10;
        let step = if small { 1 } else { whole.len() / 150 + 1 };
        let head = Mesh::open(whole.as_slice()).unwrap().header().unwrap().base() as usize;
        let ends = whole.len().saturating_sub(64)..whole.len();
        let mut places: Vec<_> = (0..head.min(512)).chain((0..whole.len()).step_by(step)).chain(ends).collect();
        places.sort_unstable();
        places.dedup();
        // Reading everything takes time proportional to the file's length, so only the structure of
        // large files is read.
        let look = |bytes: &[u8], all: bool, random: &mut Random| {
            if all {
                check_invariants(bytes, random);
                return;
            }
            match Mesh::open(bytes) {
                Ok(mesh) => mesh.validate_structure(&mut |_| {}).unwrap(),
                Err(error) => expect_named(&error, bytes.len() as u64),
            }
        };
        for (number, length) in places.iter().enumerate() {
            look(&whole[..*length], small || number % 16 == 0, &mut random);
            cuts += 1;
        }
        let mut spoilt = whole.clone();
        for at in places {
            for bit in 0..8 {
                spoilt[at] ^= 1 << bit;
                look(&spoilt, small || (at * 8 + bit) % 101 == 0, &mut random);
                spoilt[at] = whole[at];
                flips += 1;
            }
        }
    }
    eprintln!("{files} files, {cuts} cuts and {flips} flipped bits in {:?}", start.elapsed());
}

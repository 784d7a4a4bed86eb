//! Tests of hostile Unreal pairs.

use std::path::PathBuf;
use std::time::Instant;

use crate::support::unreal::builder;
use meshpeek::unreal::script::Script;
use meshpeek::unreal::{Mesh, NormalShading, Placement, Variant};
use meshpeek::{Array, Error, ErrorKind, Finding, MeshFile as _, Model, OpenOptions, Severity, Surface};

use crate::support::allocations::{GRANTED, refuse_each};
use crate::support::cases;
use crate::support::corpus;
use crate::support::invariants::{Fate, expect_named};
use crate::support::is_error;
use crate::support::random::Random;
use crate::support::unreal::invariants::{borrow_everything, check_invariants};
use crate::support::unreal::{cube, pair, polygon, samples};
use crate::{bounded, edges, peak, swept_bits, within};

/// A pair and its script.
#[derive(Clone)]
struct Files {
    stem: String,
    data: Vec<u8>,
    aniv: Vec<u8>,
    script: Option<Vec<u8>>,
}

impl Files {
    fn new(stem: &str, [data, aniv]: [Vec<u8>; 2]) -> Self {
        Self { stem: stem.to_owned(), data, aniv, script: None }
    }

    fn check_invariants(&self, random: &mut Random) -> Fate {
        check_invariants(&self.data, &self.aniv, self.script.as_deref(), random)
    }

    fn len(&self) -> usize {
        self.data.len() + self.aniv.len() + self.script.as_ref().map_or(0, Vec::len)
    }

    fn expect_bounded(&self, what: &str) -> (f64, usize) {
        bounded(self.len(), what, || borrow_everything(&self.data, &self.aniv, self.script.as_deref()))
    }

    /// Returns the file to damage: 0 is the data file, 1 is the aniv file.
    fn file(&mut self, number: usize) -> &mut Vec<u8> {
        if number == 0 { &mut self.data } else { &mut self.aniv }
    }
}

/// Returns every sample that is a pair, with its script if it has one.
fn pairs() -> Vec<Files> {
    let with_script = samples().into_iter().filter_map(|sample| {
        let script = sample.files.iter().find(|(ending, _)| *ending == ".uc").map(|(_, bytes)| bytes.clone());
        Some(Files { script, ..Files::new(sample.stem, sample.pair()?) })
    });
    let mut all: Vec<_> = with_script.collect();
    let two = builder::Mesh {
        polygons: vec![polygon([0, 1, 1], 0, 0)],
        frames: vec![vec![[1, -2, 3], [-1, 2, -3]]; 2],
        ..builder::Mesh::new(Variant::DeusEx, 2)
    };
    all.push(Files::new("two", built(&two)));
    all
}

fn built(mesh: &builder::Mesh) -> [Vec<u8>; 2] {
    [mesh.data_bytes().unwrap(), mesh.aniv_bytes().unwrap()]
}

/// Asserts that the pair does not open, and that the error has this field and offset.
fn refused(data: &[u8], aniv: &[u8], format: &str, field: &str, offset: u64) -> Error {
    assert_eq!(check_invariants(data, aniv, None, &mut Random::new(1)), Fate::Refused);
    let error = Mesh::open(data, aniv).unwrap_err();
    let found = (error.format(), error.field().to_string(), error.offset());
    assert_eq!(found, (format, field.to_owned(), Some(offset)), "{error}");
    error
}

fn findings(data: &[u8], aniv: &[u8]) -> Vec<Finding> {
    let mut found = Vec::new();
    Mesh::open(data, aniv).unwrap().validate(&mut |finding| found.push(finding)).unwrap();
    found
}

/// Asserts that the pair opens, and that `validate` has this finding.
fn finds(data: &[u8], aniv: &[u8], rule: &str, severity: Severity, field: &str, offset: u64) -> Finding {
    assert_ne!(check_invariants(data, aniv, None, &mut Random::new(1)), Fate::Refused);
    let all = findings(data, aniv);
    let one = all.iter().find(|found| found.rule == rule && found.field.to_string() == field);
    let one = one.unwrap_or_else(|| panic!("no {rule} about {field} among {all:?}")).clone();
    assert_eq!((one.severity, one.offset), (severity, offset), "{one}");
    one
}

fn poke(bytes: &[u8], at: usize, replacement: &[u8]) -> Vec<u8> {
    let mut spoilt = bytes.to_vec();
    spoilt[at..at + replacement.len()].copy_from_slice(replacement);
    spoilt
}

/// Tests empty files, files of one to three bytes, and files that end after the header.
#[test]
fn refuses_next_to_nothing() {
    let [data, aniv] = pair("box");
    for error in [refused(b"", &aniv, "unreal data", "file", 0), refused(&data, b"", "unreal aniv", "file", 0)] {
        assert!(error.kind() == ErrorKind::Empty, "{error}");
    }
    for length in 1..4 {
        let error = refused(&data[..length], &aniv, "unreal data", "header", 0);
        assert!(is_error(&error, ErrorKind::UnexpectedEnd, &["expected 48 bytes,"]), "{error}");
        let error = refused(&data, &aniv[..length], "unreal aniv", "header", 0);
        assert!(is_error(&error, ErrorKind::UnexpectedEnd, &["expected 4 bytes,"]), "{error}");
    }
    refused(&data[..48], &aniv, "unreal data", "polygons", 48);
    finds(&data, &aniv[..4], "UR04", Severity::Warning, "frame[0].positions", 4);
    let [data, aniv] = pair("empty");
    assert_eq!((data.len(), aniv.len()), (48, 4));
    finds(&data, &aniv, "UR10", Severity::Warning, "polygon_count", 0);
}

/// Truncates both files of every sample at every length.
#[test]
fn survives_every_cut() {
    for files in pairs() {
        let mut random = Random::new(4);
        for length in cases::tested(0..files.data.len(), 15) {
            let cut = Files { data: files.data[..length].to_vec(), ..files.clone() };
            let (field, offset) = match length {
                0 => ("file", 0),
                1..48 => ("header", 0),
                _ => ("polygons", 48),
            };
            assert_eq!(cut.check_invariants(&mut random), Fate::Refused);
            refused(&cut.data, &cut.aniv, "unreal data", field, offset);
        }
        for length in cases::tested(0..files.aniv.len(), 15) {
            let cut = Files { aniv: files.aniv[..length].to_vec(), ..files.clone() };
            let fate = cut.check_invariants(&mut random);
            if length < 4 {
                refused(&cut.data, &cut.aniv, "unreal aniv", if length == 0 { "file" } else { "header" }, 0);
                continue;
            }
            assert_eq!(fate, Fate::Damaged, "{} cut to {length}", cut.stem);
            let stride = (files.aniv.len() - 4) / usize::from(u16::from_le_bytes([files.aniv[0], files.aniv[1]]));
            let whole = (length - 4) / stride;
            let offset = (4 + whole * stride) as u64;
            let mesh = Mesh::open(cut.data.as_slice(), cut.aniv.as_slice()).unwrap();
            if mesh.frame(0).is_ok_and(|frame| frame.as_bytes().len() * mesh.frame_count() == length - 4) {
                // If the remaining length fits another vertex encoding, the finding is about a
                // stale frame size.
                finds(&cut.data, &cut.aniv, "UR03", Severity::Warning, "frame_size", 2);
                continue;
            }
            let field = format!("frame[{whole}].positions");
            finds(&cut.data, &cut.aniv, "UR04", Severity::Warning, &field, offset);
            assert!((0..whole).all(|frame| mesh.frame(frame).unwrap().as_bytes().len() == stride));
            assert_eq!(mesh.frame(whole).is_ok(), length > 4 + whole * stride);
        }
    }
}

/// Flips every bit of both files of the samples.
#[test]
fn survives_every_flipped_bit() {
    for mut files in pairs() {
        let mut random = Random::new(5);
        for file in 0..2 {
            for bit in 0..files.file(file).len() * 8 {
                files.file(file)[bit / 8] ^= 1 << (bit % 8);
                // A bit of a header changes everything, but a bit of a polygon or a vertex changes
                // little. Only a part of the latter is tested.
                if (bit < 48 * 8 || bit % 3 == 0) && cases::is_next_tested(25) {
                    files.check_invariants(&mut random);
                }
                files.file(file)[bit / 8] ^= 1 << (bit % 8);
            }
        }
    }
}

/// Sets every field of one and two bytes to 0, 1, 0x7f.., 0x80.., 0xff.., and to the length of each
/// file and its neighbours.
#[test]
fn survives_edge_values_in_every_field() {
    for files in pairs() {
        let mut random = Random::new(6);
        // The counts, some unused bytes, the first polygon or frame, and the last one.
        let places = |length: usize| (0..6).chain([24, 46]).chain(48..64).chain(length.saturating_sub(16)..length);
        for file in 0..2 {
            let whole = files.clone().file(file).clone();
            for (at, width) in places(whole.len()).flat_map(|at| [(at, 1), (at, 2)]) {
                let values = [files.data.len(), files.aniv.len()].map(|length| edges(width, length)).concat();
                let stride = if at < 4 { 1 } else { 5 };
                for value in values.into_iter().skip(at % stride).step_by(stride) {
                    if at + width <= whole.len() && cases::is_next_tested(20) {
                        let mut spoilt = files.clone();
                        *spoilt.file(file) = poke(&whole, at, &value.to_le_bytes()[..width]);
                        spoilt.check_invariants(&mut random);
                    }
                }
            }
        }
    }
}

/// Tests one byte, 48 bytes, a mebibyte and another file after the end of either file.
///
/// They are reported and kept.
#[test]
fn reports_trailing_bytes() {
    let [data, aniv] = pair("guard");
    for rest in [vec![7; 1], vec![0; 48], vec![b'm'; 1 << 20], data.clone()] {
        let longer = [data.as_slice(), &rest].concat();
        let found = finds(&longer, &aniv, "UR06", Severity::Warning, "data_end", data.len() as u64);
        assert!(found.text.contains(&rest.len().to_string()), "{found}");
        let found_aniv = [aniv.as_slice(), &rest].concat();
        let found = finds(&data, &found_aniv, "UR05", Severity::Warning, "aniv_end", aniv.len() as u64);
        assert!(found.text.contains(&rest.len().to_string()), "{found}");
        let mesh = Mesh::open(longer.as_slice(), found_aniv.as_slice()).unwrap();
        assert!(mesh.data_rest() == rest && mesh.aniv_rest() == rest);
    }
}

/// Refuses every large allocation once.
///
/// Each time the result is an out-of-memory error.
#[test]
fn survives_refused_allocations() {
    let mut mesh = builder::Mesh::new(Variant::Classic, 3000);
    mesh.frames = vec![(0..3000).map(|x| [x % 1000, 0, x % 500]).collect()];
    mesh.polygons = (0..2998).map(|first| polygon([first, first + 1, first + 2], 0x20, 0)).collect();
    let [data, aniv] = built(&mesh);
    GRANTED.set(0);
    let opened = Mesh::open(data.as_slice(), aniv.as_slice());
    GRANTED.set(usize::MAX);
    assert!(opened.is_ok(), "opening allocates nothing");
    let refusals = |name: &str, work: &dyn Fn(&Mesh<&[u8]>) -> meshpeek::Result<()>| {
        refuse_each(name, || work(&Mesh::open(data.as_slice(), aniv.as_slice())?))
    };
    assert_eq!(refusals("groups", &|mesh| mesh.surface(0).map(drop)), 2, "keys and order");
    let normals = |mesh: &Mesh<&[u8]>| mesh.normals(0, NormalShading::Flagged, &Placement::STORED).map(drop);
    assert_eq!(refusals("normals", &normals), 2, "allocations for sums and normals");
    // Keys and order of polygons; keys, representatives and vertices of corners.
    assert_eq!(refusals("weld", &|mesh| Surface::new(mesh, 0)?.weld().map(drop)), 5);
}

/// Tests files in the wrong order, and files of another format.
#[test]
fn content_decides_not_the_extension() {
    let [data, aniv] = pair("box");
    let error = refused(&aniv, &data, "unreal aniv", "frame_size", 2);
    assert!(error.to_string().contains("128 or 256 bytes"), "{error}");
    let other = crate::support::unigine::bytes("cube_ms13");
    assert!(Mesh::open(other.as_slice(), aniv.as_slice()).is_err());
    assert!(Mesh::open(data.as_slice(), other.as_slice()).is_err());
    assert!(Model::open(data.as_slice()).is_err() && Model::open(aniv.as_slice()).is_err());
}

/// Tests a header of 36 bytes, which another program would expect, followed by polygons.
///
/// The header has 48 bytes.
#[test]
fn the_header_has_48_bytes() {
    let [data, aniv] = pair("box");
    let short = [&data[..36], &data[48..]].concat();
    let error = refused(&short, &aniv, "unreal data", "polygons", 48);
    assert!(is_error(&error, ErrorKind::Count, &["for 12 items of 16 bytes or more, found 180"]), "{error}");
    refused(&data[..36], &aniv, "unreal data", "header", 0);
}

/// Tests truncated polygons.
///
/// The error has the expected and the found size.
#[test]
fn names_both_sizes_of_cut_polygons() {
    let [data, aniv] = pair("box");
    let error = refused(&data[..data.len() - 1], &aniv, "unreal data", "polygons", 48);
    assert!(is_error(&error, ErrorKind::Count, &["for 12 items of 16 bytes or more, found 191"]), "{error}");
    let claims = poke(&data, 0, &65_535_u16.to_le_bytes());
    let error = refused(&claims, &aniv, "unreal data", "polygons", 48);
    assert!(is_error(&error, ErrorKind::Count, &["for 65535 items of 16 bytes or more, found 192"]), "{error}");
    assert!(peak(|| Mesh::open(claims.as_slice(), aniv.as_slice())) < 4096);
}

/// Tests indices that start at 1, and the largest possible index.
///
/// The corner gives an error, and the rest can be read.
#[test]
fn an_index_out_of_range_fails_alone() {
    let mut mesh = cube(2);
    for polygon in &mut mesh.polygons {
        polygon.vertices = polygon.vertices.map(|vertex| vertex + 1);
    }
    mesh.vertices = 9;
    mesh.frames.iter_mut().for_each(|frame| frame.push([0; 3]));
    let [data, _] = built(&mesh);
    let data = poke(&data, 2, &8_u16.to_le_bytes());
    let [_, aniv] = built(&cube(2));
    let found = finds(&data, &aniv, "UR07", Severity::Error, "polygon[0].vertices", 48);
    assert!(found.text.contains("counted from 1"), "{found}");
    let [sound, _] = pair("box");
    let data = poke(&sound, 48 + 3 * 16 + 2, &u16::MAX.to_le_bytes());
    let found = finds(&data, &aniv, "UR07", Severity::Error, "polygon[3].vertices", 96);
    assert!(found.text.contains("65535") && !found.text.contains("from 1"), "{found}");
    let mesh = Mesh::open(data.as_slice(), aniv.as_slice()).unwrap();
    let error = Surface::new(&mesh, 0).unwrap().weld().unwrap_err();
    assert_eq!((error.format(), error.offset()), ("unreal data", Some(98)), "{error}");
    assert!(Surface::new(&mesh, 1).unwrap().weld().is_ok());
    let normals = mesh.normals(0, NormalShading::Facet, &Placement::STORED).unwrap();
    assert_eq!(normals.iter().filter(|normal| **normal == [0.0; 3]).count(), 3);
}

/// Tests pairs without polygons, without vertices, without frames, and without several of these.
#[test]
fn reads_empty_pairs() {
    for which in 0..8 {
        let mut mesh = cube(2);
        let mut expected = Vec::new();
        if which & 1 != 0 {
            mesh.polygons.clear();
            expected.push("polygon_count");
        }
        if which & 2 != 0 {
            (mesh.vertices, mesh.frames) = (0, vec![vec![]; 2]);
            mesh.polygons.iter_mut().for_each(|polygon| polygon.vertices = [0; 3].map(Into::into));
            expected.push("vertex_count");
        }
        if which & 4 != 0 {
            mesh.frames.clear();
            expected.push("frame_count");
        }
        // The builder refuses indices if there are no vertices.
        let vertices = mesh.vertices;
        mesh.vertices = vertices.max(1);
        let frames = std::mem::take(&mut mesh.frames);
        let data = poke(&mesh.data_bytes().unwrap(), 2, &u16::try_from(vertices).unwrap().to_le_bytes());
        let aniv = builder::Mesh { vertices, frames, polygons: vec![], ..mesh }.aniv_bytes().unwrap();
        let fate = check_invariants(&data, &aniv, None, &mut Random::new(1));
        assert_eq!(fate, if which & 3 == 2 { Fate::Damaged } else { Fate::Read }, "{which}");
        let found = findings(&data, &aniv);
        let empty = found.iter().filter(|finding| finding.rule == "UR10");
        assert_eq!(empty.map(|finding| finding.field.to_string()).collect::<Vec<_>>(), expected);
    }
}

/// Tests frame sizes that fit no vertex, stale ones from another export, and ones that overflowed
/// 16 bits.
#[test]
fn reports_frame_sizes_that_fit_no_vertex() {
    let [data, aniv] = pair("box");
    // The file has the length that the frame size implies, so the size of a vertex cannot be
    // determined.
    for size in [0_u16, 1, 31, 33, 41, 63, 65, 0x7fff, 0x8000, u16::MAX] {
        let body = vec![0; usize::from(size) * 8];
        let odd = [&8_u16.to_le_bytes()[..], &size.to_le_bytes(), &body].concat();
        let error = refused(&data, &odd, "unreal aniv", "frame_size", 2);
        let text = error.to_string();
        assert!(text.contains("32 or 64 bytes") && text.contains(&format!("found {size}")), "{text}");
        // With the right length, the size is only stale.
        let stale = poke(&aniv, 2, &size.to_le_bytes());
        let found = finds(&data, &stale, "UR03", Severity::Warning, "frame_size", 2);
        assert!(found.text.contains(&format!(" is {size} bytes")), "{found}");
    }
    // With seven bytes more, the length is still nearest to whole frames. The rest is reported as
    // bytes after the end.
    finds(&data, &[poke(&aniv, 2, &[9, 9]), vec![0; 7]].concat(), "UR05", Severity::Warning, "aniv_end", 260);
    // 40,000 classic vertices take 160,000 bytes, which is 28,928 in 16 bits.
    let vertices = 40_000_u16;
    let data = poke(&pair("box")[0], 2, &vertices.to_le_bytes());
    for (frames, stride) in [(3_u16, 160_000_usize), (2, 320_000)] {
        let size = u16::try_from(stride % 65_536).unwrap();
        let body = vec![1; stride * usize::from(frames)];
        let aniv = [&frames.to_le_bytes()[..], &size.to_le_bytes(), &body].concat();
        finds(&data, &aniv, "UR03", Severity::Warning, "frame_size", 2);
        let mesh = Mesh::open(data.as_slice(), aniv.as_slice()).unwrap();
        assert_eq!(mesh.frame(1).unwrap().positions().len(), 40_000);
        assert_eq!(mesh.variant(), if frames == 3 { Variant::Classic } else { Variant::DeusEx });
    }
    // 65,535 vertices, and a 16-bit frame size that does not fit them.
    let data = poke(&pair("box")[0], 2, &[255, 255]);
    refused(&data, &pair("box")[1], "unreal aniv", "frame_size", 2);
}

/// Tests headers that declare 4,294,836,225 bytes of frames, and 65,535 of every item, in small
/// files.
#[test]
fn refuses_claims_beyond_the_file() {
    let (vertices, size) = (16_383_u16, 65_532_u16);
    let data = poke(&pair("box")[0], 2, &vertices.to_le_bytes());
    for length in [0, 1, 4, 65_531, 65_532, 65_533, 70_000] {
        let aniv = [&u16::MAX.to_le_bytes()[..], &size.to_le_bytes(), &vec![3; length]].concat();
        let (frame, bytes) = (length / 65_532, 65_535_u64 * 65_532 - length as u64);
        let offset = 4 + frame as u64 * 65_532;
        let field = format!("frame[{frame}].positions");
        let found = finds(&data, &aniv, "UR04", Severity::Warning, &field, offset);
        assert!(found.text.starts_with(&format!("{bytes} byte")), "{found}");
        let mesh = Mesh::open(data.as_slice(), aniv.as_slice()).unwrap();
        assert!(mesh.frame(frame + 1).is_err() && mesh.frame(65_534).is_err() && mesh.frame(65_535).is_err());
        let files = Files::new("claims", [data.clone(), aniv.clone()]);
        within(5, "large claims", || files.expect_bounded("large claims"));
    }
    // The largest product of the two numbers. No vertex has that size, and the product must not
    // wrap to a size that fits the file.
    for frames in [1_u16, 2, 255, u16::MAX] {
        let aniv = [&frames.to_le_bytes()[..], &u16::MAX.to_le_bytes(), &[0; 1]].concat();
        refused(&pair("box")[0], &aniv, "unreal aniv", "frame_size", 2);
    }
    let none = [48, 4].map(|length| vec![0; length]);
    let data = poke(&none[0], 0, &u16::MAX.to_le_bytes());
    refused(&data, &none[1], "unreal data", "polygons", 48);
}

/// Tests a last frame without the end of its last vertex, as an exporter wrote it.
#[test]
fn reads_all_but_a_cut_last_frame() {
    let [data, aniv] = pair("guard");
    for missing in 1..=4 {
        let cut = &aniv[..aniv.len() - missing];
        let found = finds(&data, cut, "UR04", Severity::Warning, "frame[9].positions", 4 + 9 * 44);
        assert!(found.text.contains("10 of 11"), "{found}");
        finds(&data, cut, "UR08", Severity::Warning, "polygon[0].vertices", 48);
        let mesh = Mesh::open(data.as_slice(), cut).unwrap();
        assert_eq!((mesh.frame(9).unwrap().positions().len(), mesh.frame(8).unwrap().positions().len()), (10, 11));
        let error = mesh.attachment(0, 9, &Placement::STORED).unwrap_err();
        assert_eq!((error.field().to_string().as_str(), error.offset()), ("polygon[0].vertices", Some(48)));
        assert!(mesh.attachment(0, 8, &Placement::STORED).is_ok());
    }
}

/// Tests two files that belong to different meshes.
#[test]
fn reports_a_pair_that_disagrees() {
    let (one, other) = (pair("box"), pair("guard"));
    // 11 vertices and 10 frames for 8 vertices: no frame size fits. In the opposite pairing, 32
    // bytes do not fit 11 vertices.
    let error = refused(&one[0], &other[1], "unreal aniv", "frame_size", 2);
    assert!(error.to_string().contains("8 vertices"), "{error}");
    refused(&other[0], &one[1], "unreal aniv", "frame_size", 2);
    // The numbers of vertices are equal, but the variants differ. The reader detects the variant.
    assert_eq!(check_invariants(&one[0], &pair("crate64")[1], None, &mut Random::new(8)), Fate::Read);
}

/// Tests the maximum number of surfaces.
///
/// All of them have a number, and they take memory proportional to their polygons.
#[test]
fn one_surface_per_polygon_takes_linear_time() {
    let mut worst = 0.0_f64;
    for count in [1000, 4096, 4097, 32_768, 32_769, 40_000, 65_535_u32] {
        let mut mesh = builder::Mesh::new(Variant::Classic, 1);
        mesh.frames = vec![vec![[0; 3]]];
        let kinds = (0..count).map(|number| number.wrapping_mul(40_503).to_le_bytes());
        mesh.polygons = kinds.map(|[kind, texture, ..]| polygon([0; 3], kind, texture)).collect();
        let files = Files::new("surfaces", built(&mesh));
        let mesh = Mesh::open(files.data.as_slice(), files.aniv.as_slice()).unwrap();
        within(10, "surfaces", || assert_eq!(mesh.surface_count().unwrap(), count as usize));
        worst = worst.max(files.expect_bounded(&format!("{count} surfaces")).0);
    }
    eprintln!("at most {worst:.2} times the files' size");
}

/// Tests one surface of 65,535 polygons, all equal or all different.
///
/// Welding it and computing normals ends in time.
#[test]
fn welding_takes_linear_time() {
    let corners = 65_535 * 3;
    for (vertices, uvs, distinct) in [(1, false, 1), (8191, false, 8191), (1, true, 65_536), (8191, true, corners)] {
        let mut mesh = builder::Mesh::new(Variant::DeusEx, vertices);
        mesh.frames = vec![vec![[0; 3]; vertices as usize]];
        let number = |corner: u32| u16::try_from(corner % vertices).unwrap();
        let uv = |corner: u32| if uvs { [corner.to_le_bytes()[0], corner.to_le_bytes()[1]] } else { [0; 2] };
        mesh.polygons = (0..65_535)
            .map(|first| {
                let all = [first * 3, first * 3 + 1, first * 3 + 2];
                meshpeek::unreal::RawPolygon { uvs: all.map(uv), ..polygon(all.map(number), 0, 0) }
            })
            .collect();
        let [data, aniv] = built(&mesh);
        let mesh = Mesh::open(data.as_slice(), aniv.as_slice()).unwrap();
        let surface = Surface::new(&mesh, 0).unwrap();
        let welded = within(10, "welding", || surface.weld().unwrap());
        assert_eq!(welded.vertices.len(), distinct as usize);
        // As documented: the result takes four bytes for a corner and eight for a vertex, and
        // welding takes eight for a corner in addition.
        assert!(peak(|| surface.weld()) <= corners as usize * (4 + 8) + distinct as usize * 8 + 4096);
        within(10, "normals", || mesh.normals(0, NormalShading::Smooth, &Placement::STORED).unwrap());
    }
}

/// Tests 65,535 frames without vertices and with one vertex, and a script with the same number of
/// sequences that play them all.
#[test]
fn many_frames_take_linear_time() {
    let empty = [&u16::MAX.to_le_bytes()[..], &[0, 0]].concat();
    let none = poke(&pair("empty")[0], 0, &[0, 0]);
    let files = Files::new("no vertices", [none, empty]);
    within(5, "frames of nothing", || files.expect_bounded("frames of nothing"));
    let mesh = builder::Mesh { frames: vec![vec![[1, 2, 3]]; 65_535], ..builder::Mesh::new(Variant::DeusEx, 1) };
    let sequence = "#exec MESH SEQUENCE MESH=a SEQ=s STARTFRAME=0 NUMFRAMES=65535\n#exec MESH NOTIFY MESH=a SEQ=s\n";
    let script =
        format!("#exec MESH IMPORT MESH=a ANIVFILE=a DATAFILE=d\n{}", sequence.repeat(cases::number(20_000, 10)));
    let files = Files { script: Some(script.into_bytes()), ..Files::new("frames", built(&mesh)) };
    within(20, "many frames", || files.expect_bounded("many frames"));
    within(20, "many frames", || files.check_invariants(&mut Random::new(1)));
}

/// Tests the script that makes opening allocate the most for its size: the shortest commands of
/// each kind.
#[test]
fn memory_for_scripts_is_bounded() {
    let [data, aniv] = pair("box");
    let mut worst = 0.0_f64;
    let texture = "#exec MESHMAP SETTEXTURE MESHMAP=a NUM=";
    for (count, line) in [
        (50_000, "#exec A"),
        (30_000, "#exec MESH NOTIFY MESH=a"),
        (30_000, "#exec MESH SEQUENCE MESH=a"),
        (33_000, texture),
    ] {
        let count = cases::number(count, 10);
        let numbered = |number: usize| if line == texture { format!("{line}{number}\n") } else { format!("{line}\n") };
        let text: String = (0..count).map(numbered).collect();
        let script = format!("#exec MESH IMPORT MESH=a\n{text}").into_bytes();
        assert_eq!(Script::open(script.as_slice()).unwrap().command_count(), count + 1);
        let files = Files { script: Some(script), ..Files::new(line, [data.clone(), aniv.clone()]) };
        worst = worst.max(files.expect_bounded(line).0);
    }
    eprintln!("at most {worst:.2} times the files' size");
}

// Random damage.

/// Damages one of the two files at random.
fn mutate(base: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = base.to_vec();
    for _ in 0..random.within(1..4) {
        // Headers are short, and everything depends on them.
        let at = if random.one_in(2) { random.below(bytes.len().min(52)) } else { random.below(bytes.len()) };
        let span = random.within(1..20).min(bytes.len() - at);
        match random.below(8) {
            0 | 1 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            2 | 3 => {
                let width = random.within(1..3);
                let value = *random.pick(&edges(width, base.len().max(1)));
                if at + width <= bytes.len() {
                    bytes[at..at + width].copy_from_slice(&value.to_le_bytes()[..width]);
                }
            }
            4 => drop(bytes.splice(at..at, other[..span.min(other.len())].to_vec())),
            5 => drop(bytes.drain(at..at + span)),
            6 => bytes.truncate(at),
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

/// Reads a hundred thousand damaged pairs, the same ones on every run.
///
/// They come from the samples, and from small real pairs if there are any. An unoptimised build
/// reads a tenth of them.
#[test]
fn survives_random_damage() {
    let files = if cfg!(debug_assertions) { cases::number(10_000, 10) } else { 100_000 };
    let mut bases = pairs();
    let real = real_pairs(1500);
    eprintln!("{} real pairs among the bases", real.len());
    bases.extend(real.into_iter().map(|(files, _)| files));
    let run = |seed: u64| {
        let mut random = Random::new(seed);
        let (mut fates, mut worst) = ([0_usize; 3], 0);
        for _ in 0..files / 2 {
            let (mut spoilt, other) = (random.pick(&bases).clone(), random.pick(&bases));
            let which = random.within(1..4);
            if which & 1 != 0 {
                spoilt.data = mutate(&spoilt.data, &other.data, &mut random);
            }
            if which & 2 != 0 {
                spoilt.aniv = mutate(&spoilt.aniv, &other.aniv, &mut random);
            }
            if random.one_in(4) {
                spoilt.script.clone_from(&other.script);
            } else if let Some(script) = spoilt.script.as_mut().filter(|_| random.one_in(4)) {
                let at = random.below(script.len());
                script[at] = *random.pick(b"\0\n\"=/-9 \xff");
            }
            fates[spoilt.check_invariants(&mut random) as usize] += 1;
            worst = worst.max(spoilt.expect_bounded("by chance").1);
        }
        (fates, worst)
    };
    let results = std::thread::scope(|scope| {
        [1, 2].map(|seed| scope.spawn(move || run(seed))).map(|thread| thread.join().unwrap())
    });
    for ([refused, damaged, read], worst) in results {
        eprintln!("{refused} refused, {damaged} damaged, {read} read; at most {worst} bytes of memory");
        assert!([refused, damaged, read].iter().all(|count| *count > files / 100), "each fate must occur");
    }
}

/// Returns the real pairs of at most `most` bytes, with their paths.
///
/// The list is empty if the machine has no corpus.
fn real_pairs(most: usize) -> Vec<(Files, PathBuf)> {
    let Some(folder) = corpus("unreal") else { return Vec::new() };
    let mut paths: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let name = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().strip_suffix("_d.3d").map(str::to_owned);
    let size = |path: &PathBuf| std::fs::metadata(path).map_or(0, |facts| facts.len());
    let stems = paths.into_iter().filter_map(|path| Some((name(&path)?, path)));
    let fit = stems.filter_map(|(stem, path)| {
        let [aniv, script] = ["_a.3d", ".uc"].map(|ending| folder.join(format!("{stem}{ending}")));
        if size(&path) + size(&aniv) > most as u64 {
            return None;
        }
        let files = Files::new(&stem, [&path, &aniv].map(|path| std::fs::read(path).unwrap()));
        Some((Files { script: std::fs::read(script).ok(), ..files }, path))
    });
    fit.collect()
}

/// Truncates every real pair at every length, and flips bits of every byte.
///
/// In large pairs this covers the headers, the ends, and some 2,000 positions between.
/// Takes minutes.
#[test]
#[ignore = "takes minutes, and real files"]
fn sweep() {
    let start = Instant::now();
    let (mut pairs, mut cuts, mut flips) = (0_u64, 0_u64, 0_u64);
    for (files, path) in real_pairs(usize::MAX) {
        let mut random = Random::new(pairs);
        pairs += 1;
        assert_ne!(files.check_invariants(&mut random), Fate::Refused, "{}", path.display());
        let small = files.data.len() + files.aniv.len() <= 2 << 10;
        let strict = OpenOptions::default().with_strict(true);
        // Reading everything takes time proportional to the length of the files, so only the
        // structure of large pairs is read.
        let look = |data: &[u8], aniv: &[u8], all: bool, random: &mut Random| {
            if small && all {
                check_invariants(data, aniv, files.script.as_deref(), random);
            }
            match Mesh::open(data, aniv) {
                Ok(mesh) => mesh.validate_structure(&mut |_| {}).unwrap(),
                Err(error) => expect_named(&error, data.len().max(aniv.len()) as u64),
            }
        };
        for file in 0..2 {
            let whole = files.clone().file(file).clone();
            let some = |length: usize, most: usize| {
                let step = if small { 1 } else { length / most + 1 };
                let ends = length.saturating_sub(if small { 0 } else { 64 })..length;
                let mut places: Vec<_> = (0..length.min(52)).chain((0..length).step_by(step)).chain(ends).collect();
                places.sort_unstable();
                places.dedup();
                places
            };
            for length in some(whole.len(), 2000) {
                let pair = if file == 0 { [&whole[..length], &files.aniv] } else { [&files.data, &whole[..length]] };
                look(pair[0], pair[1], true, &mut random);
                // A longer file may be truncated after its regular end.
                let sound = Mesh::open_with(pair[0], pair[1], &strict).is_ok();
                assert!(!sound || findings(&files.data, &files.aniv).iter().any(|found| found.rule >= "UR05"));
                cuts += 1;
            }
            let mut spoilt = files.clone();
            for at in some(whole.len(), 200) {
                for bit in swept_bits(at) {
                    spoilt.file(file)[at] ^= 1 << bit;
                    // A bit of a header changes everything, but a bit of a polygon or a vertex
                    // changes little. Only a part of the latter is read in detail.
                    look(&spoilt.data, &spoilt.aniv, at < 4 || (at * 8 + bit) % 11 == 0, &mut random);
                    spoilt.file(file)[at] = whole[at];
                    flips += 1;
                }
            }
        }
    }
    eprintln!("{pairs} pairs, {cuts} cuts and {flips} flipped bits in {:?}", start.elapsed());
}

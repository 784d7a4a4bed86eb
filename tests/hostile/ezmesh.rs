//! Tests of hostile EZ-Mesh files, in the text form and the binary form.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use meshpeek::decode::ByteOrder;
use meshpeek::ezmesh::{Dialect, Form, Mesh, Semantic, VertexBuffer, VertexValue, unescape};
use meshpeek::model::SurfaceArrays;
use meshpeek::model::Transform;
use meshpeek::{Animations, Array, Error, ErrorKind, Limits, MeshFile as _, Name, OpenOptions, Severity, Surface};

use crate::support::allocations::{GRANTED, refuse_each};
use crate::support::corpus;
use crate::support::ezmesh::invariants::{borrow_everything, check_invariants};
use crate::support::invariants::{Fate, expect_named};
use crate::support::is_error;
use crate::support::random::Random;
use crate::support::stopwatch::Stopwatch;
use crate::{edges, peak, swept_bits, within};

/// The factor by which the trap files are larger in an optimised build.
const SCALE: usize = if cfg!(debug_assertions) { 1 } else { 10 };
/// The step between the positions that are damaged. A debug build tests only some of them.
const STRIDE: usize = if cfg!(debug_assertions) { 61 } else { 1 };

// Building files.

fn system(inner: &str) -> Vec<u8> {
    format!("<MeshSystem>{inner}</MeshSystem>").into_bytes()
}

/// Returns a mesh with vertices and one section with triangles.
fn mesh(vertices: &str, triangles: &str) -> Vec<u8> {
    system(&format!("<Mesh>{vertices}<MeshSection>{triangles}</MeshSection></Mesh>"))
}

/// Returns a mesh with only vertices, for tests of its vertex buffer.
fn block(count: &str, ctype: &str, semantic: &str, data: &str) -> Vec<u8> {
    let buffer = format!("<vertexbuffer count='{count}' ctype='{ctype}' semantic='{semantic}'>{data}</vertexbuffer>");
    mesh(&buffer, "")
}

/// Returns a mesh with only triangles.
fn list(count: &str, data: &str) -> Vec<u8> {
    mesh("", &format!("<indexbuffer {count}>{data}</indexbuffer>"))
}

/// Returns one animation with one track.
fn track(attributes: &str, data: &str) -> Vec<u8> {
    system(&format!("<Animation><AnimTrack {attributes}>{data}</AnimTrack></Animation>"))
}

/// Returns a text with everything that the first dialect supports, with every type of number.
fn full() -> Vec<u8> {
    br#"<?xml version="1.0"?>
<MeshSystem asset_name="all" asset_info="" mesh_system_version="1" mesh_system_asset_version="0">
  <MeshAABB min="0,0,0" max="1,1,0"/>
  <Skeletons count="2"><Skeleton name="s" count="2"><Bone name="root"/>
    <Bone name="tip" parent="root" orientation="0 0 0 1" position="0 0 1" scale="1 1 1"/></Skeleton>
    <Skeleton name="t" count="1"><Bone name="root" parent="tip"/></Skeleton></Skeletons>
  <Animations count="1"><Animation name="a" trackcount="2" framecount="2" duration="1" dtime="0.5">
    <AnimTrack name="root" count="2" has_scale="true">0 0 0 0 0 0 1 1 1 1, 0 0 1 0 0 0 1 1 1 1,</AnimTrack>
    <AnimTrack name="tip" count="1">0 0 0 0 0 0 1</AnimTrack></Animation></Animations>
  <Materials count="1"><Material name="m" meta_data="a%20b &amp; c"/></Materials>
  <Meshes count="1"><Mesh name="one" skeleton="s" submesh_count="2"><MeshAABB min="0 0 0" max="1 1 0"/>
    <vertexbuffer count="3" ctype="fff fff x4 ff ffff hhhh ffff dbc x1x2p" semantic="position normal color texcoord1 blendweights blendindices interp1 what words">
      0 0 0 0 0 1 FFFFFFFF 0 0 0 0 0 1 7 9 1 0 1 2 3 4 -5 200 a 0F00FFone
      1 0 0 0 0 1 FF00FF00 1 0 1 0 0 0 1 0 0 0 1 2 3 4 -6 -100 b 1F01FF two
      1 1 0 0 0 1 00000000 1 1 .25 .25 .25 .25 0 1 0 1 1 2 3 4 7 0 c 2F02FF three </vertexbuffer>
    <MeshSection material="m" ctype="fff" semantic="position"><MeshAABB min="0 0 0" max="1 1 0"/>
      <indexbuffer triangle_count="1">0 1 2,</indexbuffer></MeshSection>
    <MeshSection material="none"><indexbuffer triangle_count="2">2,1 0<!-- a comment -->
      <![CDATA[0 2]]> 1</indexbuffer></MeshSection></Mesh></Meshes>
  <MeshInstances count="1"><MeshInstance mesh="one" position="1,2,3" rotation="0,0,0,1" scale="1,1,1"/></MeshInstances>
  <MeshCollisionRepresentations count="1"><MeshCollisionRepresentation name="r" info="" count="1">
    <MeshCollision name="c" type="CONVEX" transform="1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1"><MeshCollisionConvex>
      <vertexbuffer count="1" ctype="fff" semantic="position">1 2 3</vertexbuffer><indexbuffer count="1">0 0 0</indexbuffer>
    </MeshCollisionConvex></MeshCollision></MeshCollisionRepresentation></MeshCollisionRepresentations>
</MeshSystem>
"#
    .to_vec()
}

/// Returns the two oldest dialects: a single mesh that contains everything, and a scene.
fn older() -> [Vec<u8>; 2] {
    let bare = br#"    <Mesh name="bare"><Animation name="a" trackcount="1" framecount="1" duration="1" dtime="1">
      <AnimTrack name="b" count="1">0 0 0 0 0 0 1,</AnimTrack></Animation>
    <Skeleton name="s" count="1"><Bone name="b" orientation="0 0 0 1" position="0 0 0"/></Skeleton>
    <MeshSection material="m" info="c:\path"><vertexbuffer count="3" ctype="fff ff ff" semantic="position texcoord texcoord">
      0 0 0 0 0 1 1, 1 0 0 1 0 0 1, 1 1 0 1 1 0 0,</vertexbuffer><indexbuffer count="1">0 1 2,</indexbuffer></MeshSection></Mesh>
"#;
    let scene = br#"<?xml version="1.0"?>
  <SceneGraph name="scene"><Mesh name="one"><MeshSection material="m">
    <vertexbuffer count="3" ctype="fff" semantic="position">0 0 0, 1 0 0, 1 1 0,</vertexbuffer>
    <indexbuffer count="1">0 1 2,</indexbuffer></MeshSection>
    <TetraMesh count="1" ctype="fff  fff  fff  fff" semantic="a b c d">0 0 0 1 0 0 0 1 0 0 0 1</TetraMesh></Mesh></SceneGraph>
"#;
    [bare.to_vec(), scene.to_vec()]
}

/// The fields of a binary file in one byte order.
#[derive(Clone)]
struct RawFile {
    bytes: Vec<u8>,
    big: bool,
}

impl RawFile {
    fn new(big: bool) -> Self {
        let version = if big { 101 } else { 100 };
        Self { bytes: Vec::new(), big }
            .word(version)
            .text(b"EZMESH")
            .text(b"name")
            .text(b"info")
            .words(&[1, 0])
            .floats(6)
    }

    fn word(mut self, word: u32) -> Self {
        self.bytes.extend(if self.big { word.to_be_bytes() } else { word.to_le_bytes() });
        self
    }

    fn words(self, words: &[u32]) -> Self {
        words.iter().fold(self, |all, word| all.word(*word))
    }

    /// Adds the given number of floats, counting up from zero.
    fn floats(self, count: u16) -> Self {
        (0..count).fold(self, |all, number| all.word(f32::from(number).to_bits()))
    }

    fn text(mut self, text: &[u8]) -> Self {
        self = self.word(text.len() as u32);
        self.bytes.extend(text);
        self
    }

    /// Adds a position, a rotation and a scale.
    fn transform(self) -> Self {
        self.floats(10)
    }

    fn at(&self) -> u64 {
        self.bytes.len() as u64
    }
}

/// Returns a binary file up to its list number `list`, with empty lists before it.
///
/// The lists are: textures, tetra meshes, skeletons, animations, materials, user data, user binary
/// data, meshes, instances, collisions.
fn up_to(list: usize, big: bool) -> RawFile {
    (0..list).fold(RawFile::new(big), |all, _| all.word(0))
}

/// Returns a file with everything that the binary form supports.
fn binary(big: bool) -> Vec<u8> {
    let all = RawFile::new(big).word(1).text(b"picture").words(&[2, 1, 3]).text(b"rgbRGB").word(0);
    let all = all.word(1).text(b"s").word(2).text(b"root").word(u32::MAX).transform().text(b"tip").word(0).transform();
    let all = all.word(1).text(b"a").words(&[1, 2]).floats(2).text(b"tip").word(2).floats(2).transform().transform();
    let all =
        all.word(1).text(b"m").text(b"meta").word(1).text(b"key").text(b"value").word(1).text(b"bytes").text(b"\0\xff");
    let all = all.word(1).text(b"mesh").text(b"s").floats(6).word(2);
    let all = all.text(b"m").floats(6).word(539).word(1).words(&[0, 1, 2]).text(b"m").floats(6).words(&[539, 0]);
    let mut all = all.words(&[0x21b, 3]);
    for vertex in 0..3_u16 {
        all = all.floats(6).floats(4);
        all.bytes.extend([0, 1, 0, 0, 0, 0, 0, 0]);
        all = all.words(&[f32::from(vertex).to_bits(), 0, 0x3f80_0000, 0]);
    }
    let all = all.word(1).text(b"mesh").transform().word(0).floats(4);
    all.bytes
}

/// Returns every sample with a name.
fn samples() -> Vec<(&'static str, Vec<u8>)> {
    let [bare, scene] = older();
    vec![
        ("full", full()),
        ("bare", bare),
        ("scene", scene),
        ("little", binary(false)),
        ("big", binary(true)),
        ("empty", system("")),
        ("nothing", up_to(10, false).floats(4).bytes),
    ]
}

// Reading files.

fn find(bytes: &[u8], what: &str) -> u64 {
    bytes.windows(what.len()).position(|window| window == what.as_bytes()).unwrap_or_else(|| panic!("no {what}")) as u64
}

/// Returns the start of the text of the first element with the given name.
fn behind(bytes: &[u8], element: &str) -> u64 {
    let at = find(bytes, &format!("<{element}")) as usize;
    (at + bytes[at..].iter().position(|byte| *byte == b'>').unwrap() + 1) as u64
}

fn told(error: &Error) -> (String, Option<u64>) {
    assert_eq!(error.format(), "ezmesh", "{error}");
    (error.field().to_string(), error.offset())
}

/// Asserts that the file does not open, and that the error has this field and offset.
fn refused(bytes: &[u8], field: &str, offset: u64) -> Error {
    assert_eq!(check_invariants(bytes), Fate::Refused);
    let error = Mesh::open(bytes).unwrap_err();
    assert_eq!(told(&error), (field.to_owned(), Some(offset)), "{error}");
    error
}

fn open(bytes: &[u8]) -> Mesh<&[u8]> {
    let system = Mesh::open(bytes).unwrap_or_else(|error| panic!("{error}"));
    check_invariants(bytes);
    system
}

fn strict(bytes: &[u8]) -> Mesh<&[u8]> {
    Mesh::open_with(bytes, &OpenOptions::default().with_strict(true)).unwrap()
}

/// Returns the vertices of the first mesh.
fn vertices<'a>(system: &'a Mesh<&[u8]>) -> meshpeek::Result<VertexBuffer<'a>> {
    system.view().meshes().next().unwrap().vertex_buffer().map(Option::unwrap)
}

/// Asserts that a file opens but its vertices cannot be read, and that the error has this field and
/// offset.
fn no_vertices(bytes: &[u8], field: &str, offset: u64) -> Error {
    let system = open(bytes);
    let error = vertices(&system).and_then(|buffer| buffer.vertices().map(drop)).unwrap_err();
    assert_eq!(told(&error), (field.to_owned(), Some(offset)), "{error}");
    error
}

/// Asserts that a file opens but its triangles cannot be read, and that the error has this field
/// and offset.
fn no_triangles(bytes: &[u8], field: &str, offset: u64) -> Error {
    let system = open(bytes);
    let section = system.view().sections().next().unwrap();
    let error = section.index_buffer().and_then(|all| all.unwrap().indices().map(drop)).unwrap_err();
    assert_eq!(told(&error), (field.to_owned(), Some(offset)), "{error}");
    error
}

fn indices(bytes: &[u8]) -> Vec<u32> {
    let system = open(bytes);
    let list = system.view().sections().next().unwrap().index_buffer().unwrap().unwrap();
    list.indices().unwrap_or_else(|error| panic!("{error}")).iter().collect()
}

/// Reads floats.
fn floats(data: &str, count: usize) -> Vec<u32> {
    let bytes = block(&count.to_string(), "f", "radius", data);
    let system = open(&bytes);
    let buffer = vertices(&system).unwrap();
    let vertices = buffer.vertices().unwrap();
    let cells = (0..vertices.len()).flat_map(|row| vertices.values(row).collect::<Vec<_>>());
    cells.map(|cell| if let VertexValue::Float(float) = cell { float.to_bits() } else { panic!("{cell:?}") }).collect()
}

/// Asserts that a float cannot be read in any way, and returns the error.
fn no_float(token: &str) -> Error {
    let bytes = block("1", "f", "radius", token);
    let error = no_vertices(&bytes, "mesh[0].vertexbuffer", behind(&bytes, "vertexbuffer"));
    let spoilt = track("count='1'", &format!("0 0 0 {token} 0 0 1"));
    let system = open(&spoilt);
    let animation = system.animation(0).unwrap();
    let read = animation.tracks().next().unwrap().keys().unwrap_err();
    assert_eq!(read.kind().id(), error.kind().id(), "{read}");
    error
}

/// Asserts the memory bound of opening and reading everything: 16 times the file, 1 MiB, and the
/// parsed blocks.
fn bounded(bytes: &[u8], what: &str) -> (f64, usize) {
    let mut unfolded = 0;
    let peak = peak(|| unfolded = borrow_everything(bytes).unwrap_or_default());
    let most = 16 * bytes.len() + (1 << 20) + unfolded;
    assert!(peak <= most, "{what}: {peak} bytes held for a file of {} bytes with {unfolded} bytes parsed", bytes.len());
    assert!(unfolded <= 2 * bytes.len(), "{what}: {unfolded} bytes parsed from {}", bytes.len());
    (peak.saturating_sub(unfolded) as f64 / bytes.len().max(1) as f64, peak)
}

/// Returns the minimum processor time of three runs of `work`.
fn least(work: impl Fn()) -> Duration {
    let once = || {
        let start = Stopwatch::start();
        work();
        start.elapsed()
    };
    (0..3).map(|_| once()).min().unwrap()
}

/// Asserts that a file of twice the size takes about twice as long.
///
/// A quadratic algorithm would take four times as long.
fn linear(what: &str, file: impl Fn(usize) -> Vec<u8>, count: usize, work: impl Fn(&[u8])) {
    let [small, large] = [count, count * 2].map(file);
    let mut times = [0.0; 2];
    // Other work on the machine may disturb one measurement, but hardly three in a row.
    let is_linear = (0..3).any(|_| {
        times = [&small, &large].map(|bytes| least(|| work(bytes)).as_secs_f64());
        times[1] < 3.2 * times[0] + 0.02
    });
    let [once, twice] = times;
    eprintln!("{what}: {} bytes {once:.4} s, {} bytes {twice:.4} s", small.len(), large.len());
    assert!(is_linear, "{what}: {once:.4} s, and {twice:.4} s for twice the size");
}

fn look_at_all(bytes: &[u8]) {
    let _ = borrow_everything(bytes);
}

// Tests for any file.

/// Tests an empty file, files of a few bytes, and a file that ends after the header.
#[test]
fn refuses_next_to_nothing() {
    assert!(refused(b"", "header", 0).kind() == ErrorKind::Empty);
    for bytes in [&b"\0"[..], b"d\0\0\0", b"d\0\0\0\x06\0\0\0EZMES", b"EZMESH", b"\xff"] {
        let error = Mesh::open(bytes).unwrap_err();
        expect_named(&error, bytes.len() as u64);
        assert_eq!(check_invariants(bytes), Fate::Refused);
    }
    for bytes in [
        &b"<"[..],
        b"<M",
        b"<Mesh",
        b"<Mesh/",
        b"<?",
        b"<!",
        b"<!--",
        b"<!-->",
        b"</",
        b"  ",
        b"\xef\xbb\xbf",
        b"<Mesh a",
    ] {
        assert_eq!(check_invariants(bytes), Fate::Refused, "{}", String::from_utf8_lossy(bytes));
    }
    let header = RawFile::new(false).bytes;
    for length in 0..header.len() {
        assert_eq!(check_invariants(&header[..length]), Fate::Refused, "{length}");
    }
    refused(b"d\0\0\0\x06\0\0\0EZMESH", "asset_name", 14);
    refused(b"<Mesh>", "Mesh.element", 6);
    assert_eq!(check_invariants(b"<Mesh/>"), Fate::Read);
}

/// Truncates every sample at every length.
///
/// None of them is complete before its last byte, or before the blanks after it.
#[test]
fn survives_every_cut() {
    for (name, bytes) in samples() {
        let whole = bytes.trim_ascii_end().len();
        let whole = if bytes.starts_with(b"d\0") || bytes.starts_with(b"\0") { bytes.len() } else { whole };
        for length in 0..bytes.len() {
            let fate = check_invariants(&bytes[..length]);
            assert_eq!(fate == Fate::Refused, length < whole, "{name} cut to {length}");
        }
        assert_eq!(check_invariants(&bytes), Fate::Read, "{name}");
    }
}

/// Flips every bit of every sample.
#[test]
fn survives_every_flipped_bit() {
    for (_, mut bytes) in samples() {
        for bit in (0..bytes.len() * 8).step_by(STRIDE) {
            bytes[bit / 8] ^= 1 << (bit % 8);
            check_invariants(&bytes);
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
    }
}

/// Inserts 90 equal bytes at every position of every sample.
///
/// A file that can be read, but not written, has an error, or has data that the form cannot store.
#[test]
fn survives_long_runs_and_refuses_to_write_them() {
    let mut refused = 0;
    for (name, bytes) in samples() {
        for at in (0..bytes.len()).step_by(STRIDE) {
            for byte in *b"x9\x01\xd0\"" {
                let run = std::iter::repeat_n(byte, 90);
                let spoilt: Vec<_> =
                    bytes[..at].iter().copied().chain(run).chain(bytes[at..].iter().copied()).collect();
                check_invariants(&spoilt);
                let Ok(mesh) = Mesh::open(&spoilt) else { continue };
                let Err(error) = mesh.write_to(0, &mut std::io::sink()) else { continue };
                let mut has_error = false;
                mesh.validate(&mut |finding| has_error |= finding.severity == Severity::Error).unwrap();
                assert!(has_error || error.kind() == ErrorKind::Refused, "{name}, {byte:#x} at {at}: {error}");
                refused += u32::from(error.kind() == ErrorKind::Refused);
            }
        }
    }
    assert!(refused > 0);
}

/// Sets every word of a binary sample to 0, 1, 0x7f.., 0x80.., 0xff.., and to the file's length and
/// its neighbours.
#[test]
fn survives_edge_values_in_every_field() {
    for big in [false, true] {
        let whole = binary(big);
        for at in (0..whole.len() - 3).step_by(STRIDE) {
            for value in edges(4, whole.len()) {
                let mut spoilt = whole.clone();
                let word = value as u32;
                spoilt[at..at + 4].copy_from_slice(&if big { word.to_be_bytes() } else { word.to_le_bytes() });
                check_invariants(&spoilt);
            }
        }
    }
}

/// Replaces every number of a text sample by the ends of ranges and by invalid numbers.
#[test]
fn survives_edge_values_in_every_number() {
    let tokens = [
        "0",
        "-1",
        "1",
        "2147483647",
        "2147483648",
        "4294967295",
        "4294967296",
        "99999999999999999999",
        "",
        "x",
        "1e9",
    ];
    for bytes in [full(), older()[0].clone(), older()[1].clone()] {
        let starts = (1..bytes.len()).filter(|at| bytes[*at].is_ascii_digit() && !bytes[at - 1].is_ascii_digit());
        for at in starts.step_by(STRIDE).collect::<Vec<_>>() {
            let length = bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
            for token in tokens {
                let mut spoilt = bytes.clone();
                spoilt.splice(at..at + length, token.bytes());
                check_invariants(&spoilt);
            }
        }
    }
}

/// Tests bytes after the end.
///
/// Blanks and comments after the root element are accepted, but nothing else. A binary file may be
/// longer.
#[test]
fn reports_trailing_bytes() {
    let text = system("");
    let length = text.len() as u64;
    for rest in [&b" \r\n"[..], b"<!-- -->", b"<?what?>\n"] {
        assert_eq!(check_invariants(&[&text, rest].concat()), Fate::Read);
    }
    refused(&[&text[..], b"\0"].concat(), "text", length);
    refused(&[&text[..], &text].concat(), "element", length);
    // `validate` reports the extra bytes, and the file opens as before.
    let longer = [&binary(false)[..], &[7; 100]].concat();
    assert_eq!(check_invariants(&longer), Fate::Read);
}

/// Refuses each allocation of more than a kibibyte once.
///
/// Each time the result is an out-of-memory error, or a parent name that is not resolved.
#[test]
fn survives_refused_allocations() {
    let sections: String = (0..400)
        .map(|_| {
            "<MeshSection material='m'><indexbuffer count='100'>".to_owned()
                + &"0 1 2 ".repeat(100)
                + "</indexbuffer></MeshSection>"
        })
        .collect();
    let bones: String = (0..400).map(|bone| format!("<Bone name='b{bone}' parent='b{}'/>", bone / 2)).collect();
    let vertices =
        format!("<vertexbuffer count='300' ctype='fff' semantic='position'>{}</vertexbuffer>", "1 2 3 ".repeat(300));
    let bytes = system(&format!("<Skeleton>{bones}</Skeleton><Mesh>{vertices}{sections}</Mesh>"));
    let refusals = refuse_each("open", || Mesh::open(bytes.as_slice()).map(drop));
    assert!((1..60).contains(&refusals), "{refusals}");
    for granted in 0..60 {
        let system = Mesh::open(bytes.as_slice()).unwrap();
        GRANTED.set(granted);
        let positions = SurfaceArrays::positions(&system, 0, 0).map(drop);
        let indices = SurfaceArrays::indices(&system, 7).map(drop);
        let bone = Animations::bone(&system, 399).map(|bone| bone.parent);
        let left = GRANTED.get();
        GRANTED.set(usize::MAX);
        for error in [positions.err(), indices.err()].into_iter().flatten() {
            assert!(error.kind() == ErrorKind::OutOfMemory, "{error}");
        }
        assert!([-1, 199].contains(&bone.unwrap()));
        if left > 0 {
            break;
        }
        assert!(granted < 59);
    }
}

// Tests specific to EZ-Mesh.

/// Tests nested entities ("billion laughs").
///
/// No entity is expanded. Names are returned as stored, and decoding them replaces only the five
/// predefined entities.
#[test]
fn expands_no_entity() {
    let entities: String =
        (1..10).map(|level| format!("<!ENTITY lol{level} \"{}\">", format!("&lol{};", level - 1).repeat(10))).collect();
    let doctype = format!("<?xml version=\"1.0\"?><!DOCTYPE lolz [<!ENTITY lol0 \"lol\">{entities}]>");
    let bytes =
        [doctype.as_bytes(), b"<MeshSystem asset_name='&lol9;&amp;&#65;'><Mesh name='&lol9;'/></MeshSystem>"].concat();
    let system = open(&bytes);
    let name = system.view().asset_name().unwrap();
    assert_eq!((name.as_bytes(), unescape(name)), (&b"&lol9;&amp;&#65;"[..], "&lol9;&A".to_owned()));
    assert!(peak(|| unescape(name)) < 1024);
    bounded(&bytes, "laughs");
    // An entity in numeric data is not a number.
    let bytes = block("1", "f", "radius", "&lol9;");
    no_vertices(&bytes, "mesh[0].vertexbuffer", behind(&bytes, "vertexbuffer"));
    let all = "&amp;".repeat(100_000);
    assert_eq!(within(5, "decoding", || unescape(Name::new(all.as_bytes()))).len(), 100_000);
    let none = "&".repeat(1 << 20);
    assert_eq!(within(5, "decoding", || unescape(Name::new(none.as_bytes()))), none);
}

/// Tests external entities, an external DTD, `XInclude` and a stylesheet.
///
/// They are skipped, and nothing is fetched.
#[test]
fn fetches_nothing() {
    for head in [
        "<!DOCTYPE MeshSystem SYSTEM \"file:///etc/passwd\">",
        "<!DOCTYPE m PUBLIC '-//x' 'http://127.0.0.1:1/x.dtd' [<!ENTITY x SYSTEM \"file:///etc/passwd\"><!ENTITY % y \"]>\"> %y; ]>",
        "<!DOCTYPE m [<!-- ' ]> --><!ELEMENT a (b|c)*>]>",
        "<?xml-stylesheet href=\"http://127.0.0.1:1/\"?>",
        "<?xml version='1.0' encoding='utf-8' standalone='no'?>",
    ] {
        let include = "<xi:include href='file:///etc/passwd'/><Mesh name='&x;'/>";
        let bytes = [head.as_bytes(), &system(include)].concat();
        let opened = open(&bytes);
        assert_eq!(opened.view().meshes().next().unwrap().name().unwrap().as_bytes(), b"&x;", "{head}");
    }
    for cut in ["<!DOCTYPE m", "<!DOCTYPE m [ <!ENTITY x '>", "<!DOCTYPE m [>", "<!DOCTYPE m [<!-- ]>"] {
        refused(cut.as_bytes(), "DOCTYPE", 0);
    }
}

/// Tests nested elements up to the limit and beyond it.
///
/// A hundred thousand of them use no extra stack.
#[test]
fn bounds_the_depth_of_elements() {
    let nested =
        |depth: usize| format!("<Mesh>{}{}</Mesh>", "<a>".repeat(depth - 1), "</a>".repeat(depth - 1)).into_bytes();
    assert_eq!(check_invariants(&nested(64)), Fate::Read);
    let error = refused(&nested(65), "element", 6 + 63 * 3);
    assert!(
        is_error(&error, ErrorKind::Limit, &["expected at most 64 (the limit `elements`), found at least 65"]),
        "{error}"
    );
    let deep = nested(200_000);
    within(5, "depth", || refused(&deep, "element", 6 + 63 * 3));
    let limits = Limits::default().with_elements(u32::MAX);
    let error = Mesh::open_with(deep.as_slice(), &OpenOptions::default().with_limits(limits)).unwrap_err();
    assert!(is_error(&error, ErrorKind::Limit, &["(the limit `elements`)", "expected at most 256 ("]), "{error}");
    let known = format!("<Mesh>{}", "<Skeleton>".repeat(1000));
    refused(known.as_bytes(), "Skeleton.element", 16);
}

/// Tests elements that are not closed at the end, and closing tags without an open element.
#[test]
fn refuses_unclosed_elements() {
    for (text, field, offset) in [
        ("<Mesh>", "Mesh.element", 6),
        ("<Mesh><MeshSection>", "MeshSection.element", 19),
        ("<Mesh><what>", "element", 12),
        ("<Mesh></Mesh", "element", 6),
        ("<Mesh", "element", 5),
        ("<Mesh><Bone", "element", 11),
        ("<Mesh a='", "Mesh.attribute", 9),
        ("<Mesh a='b>\n", "Mesh.attribute", 9),
        ("<Mesh><!-- ", "comment", 6),
        ("<Mesh><!-->", "comment", 6),
        ("<Mesh><![CDATA[ ]]", "CDATA", 6),
        ("<Mesh><? ?", "instruction", 6),
        ("<Mesh></mesh><", "element", 13),
        ("</Mesh>", "ezmesh", 0),
        ("<Mesh></Bone>", "Mesh.element", 6),
        ("<Mesh><a></Mesh>", "element", 9),
        ("<Mesh><vertexbuffer>1 2", "vertexbuffer.element", 23),
        ("<Mesh><vertexbuffer>1 2</Mesh>", "vertexbuffer.element", 23),
        ("<Mesh>&", "Mesh.element", 7),
    ] {
        refused(text.as_bytes(), field, offset);
    }
    for case in ["<", "</", "<!", "<!--", "<![CDATA[", "<?", "<a ", "<a b=", "<a b='"] {
        let many = format!("<Mesh>{}", case.repeat(100_000 * SCALE));
        within(5, case, || assert!(Mesh::open(many.as_bytes()).is_err(), "{case}"));
    }
    // A `<` within a quoted value opens no element.
    let many = format!("<Mesh name='{}'/>", "<".repeat(1 << 20));
    assert_eq!(check_invariants(many.as_bytes()), Fate::Read);
}

/// Tests elements with too many attributes, and with duplicate attributes in any case of letters.
#[test]
fn refuses_too_many_and_duplicate_attributes() {
    let with = |count: usize| {
        let all: String = (0..count).map(|number| format!(" a{number}=''")).collect();
        format!("<Mesh{all}/>").into_bytes()
    };
    assert_eq!(check_invariants(&with(64)), Fate::Read);
    let bytes = with(80_000);
    let error = within(5, "attributes", || refused(&bytes, "Mesh.attribute", find(&bytes, "a64=''") + 5));
    assert!(
        is_error(&error, ErrorKind::Limit, &["expected at most 64 (the limit `attributes`), found at least 65"]),
        "{error}"
    );
    let limits = Limits::default().with_attributes(u32::MAX);
    assert!(Mesh::open_with(bytes.as_slice(), &OpenOptions::default().with_limits(limits)).is_err());
    refused(b"<Mesh name='a' name='b'/>", "Mesh.attribute", 21);
    refused(b"<Mesh name='a' NAME=\"\"/>", "Mesh.attribute", 21);
    refused(b"<Mesh name/>", "Mesh.attribute", 6);
    refused(b"<Mesh ='a'/>", "Mesh.attribute", 6);
    refused(b"<Mesh <a/>", "Mesh.attribute", 6);
    refused(b"<Mesh / >", "Mesh.attribute", 6);
}

/// Tests long attributes.
///
/// An attribute at the limit is borrowed from the file, and longer ones are refused. An optimised
/// build tests 100 MB. Text is not copied.
#[test]
fn bounds_the_length_of_attributes() {
    let with = |length: usize| ["<Mesh name='".as_bytes(), &vec![b'x'; length], b"'/>"].concat();
    let bytes = with(1 << 20);
    let opened = Mesh::open(bytes.as_slice()).unwrap();
    let name = opened.view().meshes().next().unwrap().name().unwrap();
    assert_eq!(name.as_bytes().as_ptr_range(), bytes[12..12 + (1 << 20)].as_ptr_range());
    assert_eq!(check_invariants(&bytes), Fate::Read);
    refused(&with((1 << 20) + 1), "Mesh.attribute", 12);
    let huge = with(10_000_000 * SCALE);
    let peak = peak(|| within(5, "attribute", || assert!(Mesh::open(huge.as_slice()).is_err())));
    assert!(peak < 64 << 10, "{peak}");
    // A long text that is never read.
    let bytes = block("1", "f", "radius", &" 1".repeat(2_000_000 * SCALE));
    let held = crate::peak(|| within(5, "text", || Mesh::open(bytes.as_slice()).map(drop).unwrap()));
    assert!(held < 16 << 10, "{held}");
}

/// Tests unusual bytes.
///
/// Names may be any bytes. UTF-16 and other wide encodings are refused with an error about the
/// encoding, and NUL is not part of a number.
#[test]
fn reads_bytes_and_refuses_wide_characters() {
    let bytes = b"<Mesh name='\xff\xfe\xc3'/>";
    assert_eq!(open(bytes).view().meshes().next().unwrap().name().unwrap().as_bytes(), b"\xff\xfe\xc3");
    let wide: Vec<u8> = "<Mesh/>".encode_utf16().flat_map(u16::to_le_bytes).collect();
    for (bytes, at) in [
        (wide.clone(), 0),
        ([b"\xff\xfe", wide.as_slice()].concat(), 0),
        ("\u{feff}<Mesh/>".encode_utf16().flat_map(u16::to_be_bytes).collect(), 0),
        (b"<?xml version='1.0' encoding='UTF-16'?><Mesh/>".to_vec(), 0),
        (b"<?xml version='1.0' encoding='ISO-10646-UCS-2'?><Mesh/>".to_vec(), 0),
        (b"\xef\xbb\xbf<?xml encoding=\"utf-32\"?><Mesh/>".to_vec(), 3),
    ] {
        let error = refused(&bytes, "encoding", at);
        assert!(error.kind() == ErrorKind::Unsupported, "{error}");
    }
    assert_eq!(check_invariants(b"\xef\xbb\xbf<?xml encoding='latin-1'?><Mesh/>"), Fate::Read);
    for data in ["\0", "1\0", "1\0 2", "\u{a0}1", "\u{feff}1"] {
        no_float(data);
    }
    let bytes = list("count='1'", "0 1 \0");
    no_triangles(&bytes, "mesh[0].section[0].indexbuffer", find(&bytes, "\0"));
}

/// Tests the formats of floats that C's `strtod` accepts, in every way of reading.
#[test]
fn reads_the_spellings_of_floats() {
    let one = |token: &str| f32::from_bits(floats(token, 1)[0]);
    for (token, value) in [
        ("1", 1.0),
        ("-0", -0.0),
        ("inf", f32::INFINITY),
        ("-INFINITY", f32::NEG_INFINITY),
        ("1e999", f32::INFINITY),
        ("-1e999", f32::NEG_INFINITY),
        ("1e-999", 0.0),
        ("0x1p3", 8.0),
        ("-0X.8p1", -1.0),
        ("+.5e", 0.5),
        ("5.e+", 5.0),
        ("7$3f800000", 1.0),
        ("$C0000000", -2.0),
        ("fltmax", f32::MAX),
        ("FMIN", f32::MIN_POSITIVE),
        ("false", 0.0),
        ("true", 1.0),
        ("1e99999999999999999999", f32::INFINITY),
        ("1e-99999999999999999999", 0.0),
        ("0e99999999999999999999", 0.0),
        ("0x1p99999999999999999999", f32::INFINITY),
        ("340282350000000000000000000000000000000", f32::MAX),
    ] {
        assert_eq!(one(token).to_bits(), value.to_bits(), "{token}");
    }
    assert!(one("nan").is_nan() && one("-NaN(12)").is_nan() && one("$7fc00001").is_nan());
    for token in [
        "--1",
        "+-1",
        "1-",
        "1;",
        "e5",
        ".",
        "+",
        "0x",
        "0xg",
        "1_0",
        "1.2.3",
        "$",
        "$123456789",
        "$g",
        "-fmax",
        "nan(",
        "infin",
        "1e5.0",
        "\u{661}",
    ] {
        no_float(token);
    }
    let kept = "0".repeat(127) + "1";
    assert_eq!(one(&kept), 1.0);
    for digits in [129, 10_000, 1 << 20] {
        let error = no_float(&"1".repeat(digits));
        assert!(is_error(&error, ErrorKind::Limit, &["(the limit `number`)", "expected at most 128 ("]), "{error}");
        let bytes = list("count='1'", &format!("0 {} 0", "0".repeat(digits)));
        no_triangles(&bytes, "mesh[0].section[0].indexbuffer", behind(&bytes, "indexbuffer") + 2);
    }
    // Comments inside a number do not reduce its length.
    let error = no_float(&"1<!-- -->".repeat(129));
    assert!(is_error(&error, ErrorKind::Limit, &["(the limit `number`)"]), "{error}");
    // The second number has only seven of its eight hexadecimal digits.
    let bytes = block("2", "x4", "color", "12345678 1234567");
    no_vertices(&bytes, "mesh[0].vertexbuffer", behind(&bytes, "vertexbuffer") + 9);
    let bytes = block("2", "x4", "color", "1234567812345678");
    assert_eq!(vertices(&open(&bytes)).unwrap().vertices().unwrap().colors().unwrap().len(), 2);
}

/// Compares counts with the data.
///
/// A count above the data is an error with both numbers. A count below it is a finding, or an error
/// in strict mode. An invalid count is an error.
#[test]
fn checks_counts_against_the_data() {
    let bytes = block("4", "fff", "position", "0 0 0 1 1 1 2 2 2");
    let error = no_vertices(&bytes, "mesh[0].vertexbuffer", behind(&bytes, "vertexbuffer"));
    assert!(error.to_string().contains("12 numbers") && error.to_string().contains("found 9"), "{error}");
    let bytes = block("2", "fff", "position", "0 0 0 1 1 1 2 2 2");
    assert_eq!(vertices(&open(&bytes)).unwrap().vertices().unwrap().len(), 2);
    let system = strict(&bytes);
    let buffer = vertices(&system).unwrap();
    let error = buffer.vertices().unwrap_err();
    assert!(error.to_string().contains("6 numbers") && error.to_string().contains("found 9"), "{error}");
    for count in ["-1", "100000000000000000000", "", " ", "x", "1.5", "4294967296", "1 2", "1<!-- -->2", "1;"] {
        let bytes = block(count, "fff", "position", "0 0 0");
        let at = find(&bytes, "count='") + 7;
        no_vertices(&bytes, "mesh[0].count", at);
        let bytes = list(&format!("count='{count}'"), "0 0 0");
        no_triangles(&bytes, "mesh[0].section[0].count", find(&bytes, "count='") + 7);
        let bytes = track(&format!("count='{count}'"), "0 0 0 0 0 0 1");
        let system = open(&bytes);
        let animation = system.animation(0).unwrap();
        assert_eq!(told(&animation.frame_count().unwrap_err()).0, "animation[0].track[0].count");
        assert!(animation.tracks().next().unwrap().frame_count().is_err());
    }
    for count in ["2147483647", "2147483648", "4294967295"] {
        for bytes in [block(count, "fff", "position", "0 0 0"), block(count, "c", "what", "a")] {
            let held = peak(|| no_vertices(&bytes, "mesh[0].vertexbuffer", behind(&bytes, "vertexbuffer")));
            assert!(held < 64 << 10, "{held}");
        }
        let bytes = list(&format!("triangle_count='{count}'"), "0 0 0");
        no_triangles(&bytes, "mesh[0].section[0].indexbuffer", behind(&bytes, "indexbuffer"));
        let bytes = track(&format!("count='{count}'"), "0 0 0 0 0 0 1");
        let system = open(&bytes);
        let clip = Animations::clip(&system, 0).unwrap();
        assert_eq!(clip.frames, count.parse::<u32>().unwrap());
        assert!(Animations::pose(&system, 0, 0, &mut []).is_err());
    }
    for (bytes, field) in [
        (mesh("<vertexbuffer ctype='f' semantic='radius'>1</vertexbuffer>", ""), "mesh[0].vertexbuffer"),
        (mesh("<vertexbuffer count='1' semantic='radius'>1</vertexbuffer>", ""), "mesh[0].vertexbuffer"),
        (mesh("<vertexbuffer count='1' ctype='f'>1</vertexbuffer>", ""), "mesh[0].vertexbuffer"),
    ] {
        no_vertices(&bytes, field, find(&bytes, "<vertexbuffer"));
    }
    let bytes = list("", "0 1 2");
    no_triangles(&bytes, "mesh[0].section[0].indexbuffer", find(&bytes, "<indexbuffer"));
    let bytes = mesh("", "<indexbuffer triangle_count='1'/>");
    no_triangles(&bytes, "mesh[0].section[0].indexbuffer", find(&bytes, "</MeshSection"));
}

/// Tests the three attribute names of the triangle count.
#[test]
fn reads_three_names_of_the_count() {
    for name in ["triangle_count", "count", "trianglecount", "TRIANGLE_COUNT"] {
        assert_eq!(indices(&list(&format!("{name}='1'"), "0 1 2")), [0, 1, 2]);
    }
    assert_eq!(
        indices(&list("count='2' triangle_count='1'", "0 1 2")),
        [0, 1, 2],
        "`triangle_count` has priority over `count`"
    );
}

/// Tests invalid types and semantics.
#[test]
fn reports_bad_types_and_semantics() {
    for (ctype, semantic, field) in [
        ("fff fff", "position", "semantic"),
        ("fff", "position normal", "semantic"),
        ("fff q", "position normal", "ctype"),
        ("fff \u{e9}", "position normal", "ctype"),
        ("", "", "ctype"),
        (" , ", "position", "ctype"),
        ("fff", "", "semantic"),
    ] {
        let bytes = block("1", ctype, semantic, "0 0 0 0 0 0");
        no_vertices(&bytes, &format!("mesh[0].{field}"), find(&bytes, &format!("{field}='")) + field.len() as u64 + 2);
    }
    for scalars in [64, 65, 1000, 1 << 20] {
        let bytes = block("1", &"f".repeat(scalars), "what", "0");
        within(5, "types", || no_vertices(&bytes, "mesh[0].ctype", find(&bytes, "ctype='") + 7));
    }
    let bytes = block("1", &"f ".repeat(500_000), &"a ".repeat(500_000), "0");
    within(5, "types", || no_vertices(&bytes, "mesh[0].ctype", find(&bytes, "ctype='") + 7));
    let bytes = block("1", &"f".repeat(63), "what", &"1 ".repeat(63));
    assert_eq!(vertices(&open(&bytes)).unwrap().vertices().unwrap().values(0).count(), 63);
    // A column with an unknown semantic is read like any other.
    let bytes = block("1", "fff fff", "foo position", "1 2 3 4 5 6");
    let system = open(&bytes);
    let buffer = vertices(&system).unwrap();
    assert_eq!(buffer.vertices().unwrap().positions().unwrap().get(0), Some([4.0, 5.0, 6.0]));
    assert_eq!(buffer.word(&buffer.format().columns()[0]).as_bytes(), b"foo");
    // Words, also as the last value of the data.
    let bytes = block("3", "pf", "what", "one 1,two/2 2 three 3");
    let bytes_last = block("3", "fp", "what", "1 one,2 two/2 3 three");
    for bytes in [bytes, bytes_last] {
        let system = open(&bytes);
        let all = vertices(&system).unwrap().vertices().unwrap();
        let words = (0..3).flat_map(|row| all.values(row)).filter_map(|cell| match cell {
            VertexValue::Word(word) => Some(word.to_string()),
            _ => None,
        });
        assert_eq!(words.collect::<Vec<_>>(), ["one", "two/2", "three"]);
    }
    // A value that is out of range for its integer type is refused.
    for (ctype, data) in
        [("h", "70000"), ("h", "-32769"), ("b", "256"), ("b", "-129"), ("d", "4294967296"), ("h", "1.0")]
    {
        let bytes = block("1", &format!("fff {ctype}"), "position what", &format!("0 0 0 {data}"));
        let at = behind(&bytes, "vertexbuffer") + 6;
        no_vertices(&bytes, "mesh[0].vertexbuffer", at);
    }
}

/// Tests that interpolated columns have the number of floats in the data, independent of the
/// declaration.
#[test]
fn interpolates_the_floats_that_exist() {
    let shown = |ctype: &str, count: &str, data: &str| {
        let bytes = block(count, ctype, "position interp1", data);
        let system = open(&bytes);
        let buffer = vertices(&system).unwrap();
        let layout = buffer.format();
        let column = layout.column(Semantic::Interp(0)).unwrap();
        (layout.scalars(column).len(), buffer.interp_width(), buffer.vertices().is_ok())
    };
    assert_eq!(shown("fff ffff", "2", "0 0 0 1 2 3 0 0 0 1 2 3"), (3, Some(3), true));
    assert_eq!(shown("fff fff", "2", "0 0 0 1 2 3 4 0 0 0 1 2 3 4"), (4, Some(4), true));
    assert_eq!(shown("fff ff", "1", "0 0 0 1 2"), (2, None, true));
    assert_eq!(shown("fff fff", "2", "0 0 0 1 2 0 0 0 1 2"), (3, None, false));
    let bytes = block("2", "fff", "position", "0 0 0 1 1");
    let error = no_vertices(&bytes, "mesh[0].vertexbuffer", behind(&bytes, "vertexbuffer"));
    assert!(error.to_string().contains("6 numbers") && error.to_string().contains("found 5"), "{error}");
    let widest: String = (1..9).map(|number| format!(" interp{number}")).collect();
    let bytes = block("1", &format!("fff{}", " fff".repeat(8)), &format!("position{widest}"), &"1 ".repeat(35));
    assert!(vertices(&open(&bytes)).unwrap().interp_width().is_some());
}

/// Tests invalid indices.
///
/// An index that is out of range is an error when it is used. A token that is not an index is an
/// error when the block is read.
#[test]
fn reports_bad_indices() {
    let positions = "<vertexbuffer count='3' ctype='fff' semantic='position'>0 0 0 1 0 0 1 1 0</vertexbuffer>";
    for index in ["3", "9", "4294967295", "2147483648", "-1"] {
        let bytes = mesh(positions, &format!("<indexbuffer count='1'>0 1 {index}</indexbuffer>"));
        let system = open(&bytes);
        let surface = Surface::new(&system, 0).unwrap();
        assert_eq!(
            (surface.corners().unwrap().len(), surface.indices().unwrap().first_out_of_range(3).unwrap().0),
            (3, 2)
        );
        let error = surface.weld().unwrap_err();
        assert_eq!(told(&error).1, Some(behind(&bytes, "indexbuffer")), "{error}");
        assert!(surface.bounds().is_ok());
    }
    for (index, at) in [
        ("1.0", 4),
        ("1;", 4),
        ("2;3", 4),
        ("1e0", 4),
        ("0x1", 4),
        ("4294967296", 4),
        ("-2147483649", 4),
        ("<a/>", 4),
        ("&#1;", 4),
        ("<!x>", 4),
    ] {
        let bytes = mesh(positions, &format!("<indexbuffer count='1'>0 1 {index}</indexbuffer>"));
        no_triangles(&bytes, "mesh[0].section[0].indexbuffer", behind(&bytes, "indexbuffer") + at);
    }
    let bytes = list("triangle_count='1'", "0;1;2");
    no_triangles(&bytes, "mesh[0].section[0].indexbuffer", behind(&bytes, "indexbuffer"));
}

/// Tests parents that are unknown or cyclic, duplicate names, and references to names that do not
/// exist.
#[test]
fn reports_unknown_cyclic_and_duplicate_names() {
    let parents = |bones: &str| {
        let bytes = system(&format!("<Skeleton>{bones}</Skeleton>"));
        let system = open(&bytes);
        (0..Animations::bone_count(&system).unwrap())
            .map(|bone| Animations::bone(&system, bone).unwrap().parent)
            .collect::<Vec<_>>()
    };
    assert_eq!(parents("<Bone name='a' parent='what'/><Bone name='b' parent=''/><Bone parent='a'/>"), [-1, -1, 0]);
    assert_eq!(parents("<Bone name='a' parent='a'/>"), [0], "its own parent");
    assert_eq!(parents("<Bone name='a' parent='b'/><Bone name='b' parent='a'/>"), [1, 0], "each is the other's parent");
    assert_eq!(
        parents("<Bone name='a'/><Bone name='a'/><Bone name='c' parent='a'/>"),
        [-1, -1, 0],
        "the first bone with the name"
    );
    assert_eq!(parents("<Bone name='A' parent='a'/>"), [-1], "the case of letters matters");
    assert_eq!(
        parents("</Skeleton><Skeleton><Bone name='a'/></Skeleton><Skeleton><Bone name='b' parent='a'/>"),
        [-1, -1]
    );
    // A long cycle of parents: resolving it uses no recursion.
    for count in [1000, 100_000 * SCALE] {
        let bones: String =
            (0..count).map(|bone| format!("<Bone name='{bone}' parent='{}'/>", (bone + 1) % count)).collect();
        let bytes = system(&format!("<Skeleton>{bones}</Skeleton>"));
        let system = Mesh::open(bytes.as_slice()).unwrap();
        let parent = within(10, "parents", || Animations::bone(&system, count - 1).unwrap().parent);
        assert_eq!(parent, 0);
        if count == 1000 {
            check_invariants(&bytes);
        }
    }
    let names = "<Material name='m'/><Material name='m'/><Mesh skeleton='none'><MeshSection material='none'/></Mesh>";
    let bytes = system(names);
    let system = open(&bytes);
    assert_eq!(system.view().materials().len(), 2);
    assert_eq!(Surface::new(&system, 0).unwrap().material().unwrap().unwrap().as_bytes(), b"none");
}

/// Tests that declared totals are ignored.
///
/// The number of values of a key follows from the data.
#[test]
fn ignores_declared_totals() {
    let bytes = system(
        "<Skeletons count='9'><Skeleton count='7'><Bone/></Skeleton></Skeletons><Animations count='-1'><Animation trackcount='5' \
         framecount='8'/></Animations><Meshes count='x'><Mesh submesh_count='3'><MeshSection/></Mesh></Meshes>",
    );
    let opened = open(&bytes);
    assert_eq!(
        (opened.view().skeletons().len(), opened.view().bone_count(), opened.surface_count().unwrap()),
        (1, 1, 1)
    );
    assert_eq!(opened.animation(0).unwrap().timing().unwrap().tracks, Some(5));
    let key = "1 2 3 0 0 0 1 ";
    for (attributes, data, has_scale) in [
        ("count='1'", key.to_owned(), Some(false)),
        ("count='1' has_scale='true'", key.to_owned(), Some(false)),
        ("count='1' has_scale='no'", format!("{key} 2 2 2"), Some(true)),
        ("count='1'", format!("{key} 2 2 2"), Some(true)),
        ("count='1' has_scale='YES'", format!("{key} 2 2 2"), Some(true)),
        ("count='1' has_scale=' 1 '", format!("{key} 2 2"), None),
        ("count='1' has_scale='what'", format!("{key} 2 2"), None),
        ("count='10' has_scale='true'", key.repeat(10), Some(false)),
        ("count='7'", format!("{key} 2 2 2 ").repeat(7), Some(true)),
        ("count='2'", key.to_owned(), None),
        ("count='0'", String::new(), Some(true)),
        ("count='0'", key.to_owned(), Some(true)),
    ] {
        let bytes = track(attributes, &data);
        let system = open(&bytes);
        let found = system.animation(0).unwrap().tracks().next().unwrap().keys().map(|keys| keys.has_scale());
        match (found, has_scale) {
            (Ok(found), Some(_)) if attributes.contains("'0'") => _ = found,
            (Ok(found), Some(expected)) => assert_eq!(found, expected, "{attributes}"),
            (Err(error), None) => {
                let (field, at) = told(&error);
                assert_eq!((field.as_str(), at), ("animation[0].track[0].keys", Some(behind(&bytes, "AnimTrack"))));
            }
            other => panic!("{attributes}: {other:?}"),
        }
    }
}

/// Tests any mix of separators.
#[test]
fn reads_any_mix_of_separators() {
    let expected = floats("1 2 3 4", 4);
    for data in ["1,2,3,4", ",,1\t2\r\n3,\n ,4,,", "\r1\r2\r3\r4\r", "1 , 2 , 3 , 4 ,", "\n\n\n1 2 3 4"] {
        assert_eq!(floats(data, 4), expected, "{data:?}");
    }
    let wide = format!("1{}2 3 4", " ,\t\r\n".repeat(100_000));
    assert_eq!(within(10, "separators", || floats(&wide, 4)), expected);
    for data in ["1 2 3;4", "1\u{b}2 3 4", "1\u{c}2 3 4 5", "1 2 3 4;"] {
        let bytes = block("4", "f", "radius", data);
        assert!(vertices(&open(&bytes)).unwrap().vertices().is_err(), "{data:?}");
    }
}

/// Tests comments, character data and processing instructions within numbers.
///
/// They are skipped.
#[test]
fn reads_numbers_around_markup() {
    let expected = floats("12 34 -5 6.5", 4);
    for data in [
        "<!-- a -->12 34 -5 6.5",
        "12 34<!-- 7 8 9 > -->-5 6.5",
        "12 34 <!-- 7 8 9 > -->-5 6.5",
        "1<!-- -->2 3<?x ?>4 -<![CDATA[5]]> 6.<![CDATA[]]>5",
        "<![CDATA[12 34 -5 6.5]]>",
        "<![CDATA[12 34 ]]><![CDATA[-5 6.5]]>",
        "<![CDATA[12]]> <![CDATA[34]]> <![CDATA[-5]]> <![CDATA[6.5]]>",
        "12 34 -5 6.5<!---->",
        "12 34 -5 6.5<?x?> <!-- -- -->",
    ] {
        let data = if data.contains("34<!-- 7") { &data.replace("-->-5", "--> -5") } else { data };
        assert_eq!(floats(data, 4), expected, "{data}");
    }
    for (data, at) in
        [("<![CDATA[1<!-- -->]]> 2", 9), ("1 <b/>2", 2), ("1 <b>2</b>", 2), ("1 <!b>2", 2), ("1 &#50;", 2)]
    {
        let bytes = block("2", "f", "radius", data);
        if data.contains("<b>") {
            // An element within numbers is an error.
            assert!(vertices(&open(&bytes)).unwrap().vertices().is_err());
            continue;
        }
        no_vertices(&bytes, "mesh[0].vertexbuffer", behind(&bytes, "vertexbuffer") + at);
    }
    refused(&mesh("<vertexbuffer><Mesh/></vertexbuffer>", ""), "Mesh.element", 32);
    refused(&mesh("<vertexbuffer><indexbuffer/></vertexbuffer>", ""), "indexbuffer.element", 32);
    let many = |piece: &'static str| move |count: usize| block("1", "f", "radius", &(piece.repeat(count) + "1"));
    let count = 10_000 * SCALE;
    linear("comments", many("<!-- -->"), count, look_at_all);
    linear("comments without a word", many("<!---->"), count, look_at_all);
    linear("character data", many("<![CDATA[ ]]>"), count, look_at_all);
    linear("empty character data", many("<![CDATA[]]>"), count, look_at_all);
    linear("instructions", many("<??>"), count, look_at_all);
    let numbers =
        |piece: &'static str| move |count: usize| block(&count.to_string(), "f", "radius", &piece.repeat(count));
    linear("a comment to a number", numbers("1<!-- -->2 "), count / 2, look_at_all);
    linear("character data to a number", numbers("<![CDATA[1 ]]>"), count / 2, look_at_all);
    linear("character data to a digit", numbers("<![CDATA[1]]><![CDATA[2 ]]>"), count / 4, look_at_all);
    for piece in ["1<!-- -->2 ", "<![CDATA[1 ]]>", "<![CDATA[1]]> ", "1 <!---->"] {
        let bytes = block("1000", "f", "radius", &piece.repeat(1000));
        assert_eq!(vertices(&open(&bytes)).unwrap().vertices().unwrap().len(), 1000, "{piece}");
    }
}

/// Tests that a file has exactly one root element and no content around it.
#[test]
fn refuses_anything_but_one_root() {
    refused(b"<Mesh/><Mesh/>", "element", 7);
    refused(b"<Mesh/>x", "text", 7);
    refused(b"<Mesh></Mesh> </Mesh>", "element", 14);
    refused(b"<Mesh/><![CDATA[]]>", "text", 7);
    refused(b"<?xml?>x<Mesh/>", "text", 7);
    refused(b"<!-- -->", "element", 8);
    let error = refused(b"<html><Mesh/></html>", "element", 0);
    assert!(error.to_string().contains("<html>"), "{error}");
    for root in ["MeshSystem", "MESHSYSTEM", "SceneGraph", "Mesh", "MESH"] {
        assert_eq!(check_invariants(format!("\r\n <{root}></{root}>\n").as_bytes()), Fate::Read, "{root}");
    }
    assert_eq!(open(b"<sceneGRAPH/>").dialect(), Some(Dialect::SceneGraph));
    for (inner, field) in [
        ("<Mesh><Mesh/></Mesh>", "Mesh"),
        ("<Skeleton><a><Skeleton/></a></Skeleton>", "Skeleton"),
        ("<Mesh><MeshSection><MeshSection/></MeshSection></Mesh>", "MeshSection"),
        ("<Animation><Animation/></Animation>", "Animation"),
    ] {
        let bytes = system(inner);
        let error = Mesh::open(bytes.as_slice()).unwrap_err();
        assert_eq!(told(&error).0, format!("{field}.element"));
        check_invariants(&bytes);
    }
    // An element outside of an owner of the right kind has no owner. It is not added to the
    // previous one.
    let stray = system(
        "<Mesh><MeshSection/></Mesh><MeshSection><MeshAABB min='1 1 1' max='2 2 2'/><vertexbuffer/><indexbuffer/></MeshSection>\
         <MeshCollisionRepresentation><MeshCollision/></MeshCollisionRepresentation><MeshCollisionConvex><vertexbuffer count='0' \
         ctype='fff' semantic='position'/></MeshCollisionConvex><Bone/><AnimTrack/><vertexbuffer/><indexbuffer/>",
    );
    let system = open(&stray);
    let view = system.view();
    let section = view.sections().next().unwrap();
    assert_eq!((view.sections().len(), view.bone_count(), view.animations().len()), (1, 0, 0));
    assert!(section.declared_bounds().unwrap().is_none() && !section.has_own_vertices());
    assert!(section.index_buffer().unwrap().is_none() && section.mesh().vertex_buffer().unwrap().is_none());
    let collision = view.collisions().next().unwrap();
    assert!(collision.hull_points().unwrap().is_none(), "a collision without a shape has no hull points");
}

/// Tests that the content decides the form.
///
/// The error for a picture names its type, and the binary form opens with any file name.
#[test]
fn content_decides_the_form() {
    for (bytes, name) in
        [(&b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"[..], "PNG"), (b"PK\x03\x04", "ZIP"), (b"glTF\x02\0\0\0", "glTF")]
    {
        let error = Mesh::open(bytes).unwrap_err();
        assert!(is_error(&error, ErrorKind::Unsupported, &[name]), "{error}");
        assert_eq!(error.offset(), Some(0));
    }
    assert!(matches!(open(&binary(false)).form(), Form::Binary { order: ByteOrder::Little, version: 100 }));
    assert!(matches!(open(&binary(true)).form(), Form::Binary { order: ByteOrder::Big, version: 101 }));
}

/// Tests invalid binary files: versions, lengths, counts, unsupported lists, and flags.
#[test]
fn reports_bad_binary_files() {
    for version in [0_u32, 1, 99, 102, 0x6400_0001, u32::MAX] {
        for mut bytes in [binary(false), binary(true)] {
            bytes[..4].copy_from_slice(&version.to_le_bytes());
            let error = Mesh::open(bytes.as_slice()).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Unknown | ErrorKind::Unsupported), "{error}");
            assert_eq!(error.offset(), Some(0), "{error}");
            check_invariants(&bytes);
        }
    }
    for big in [false, true] {
        let mut bytes = binary(big);
        bytes[8] = b'e';
        assert!(Mesh::open(bytes.as_slice()).unwrap_err().kind() == ErrorKind::Unknown);
        // Strings past the end.
        let start = RawFile { bytes: Vec::new(), big }.word(100).text(b"EZMESH");
        for length in [1, 0x7fff_ffff, 0x8000_0000, u32::MAX] {
            refused(&start.clone().word(length).bytes, "asset_name", 18);
            refused(&start.clone().text(b"").word(length).bytes, "asset_info", 22);
        }
        // Counts past the end are refused before anything is allocated for them.
        let lists = [
            (0, "textures"),
            (2, "skeletons"),
            (3, "animations"),
            (4, "materials"),
            (5, "user_data"),
            (6, "user_binary_data"),
            (7, "meshes"),
            (8, "instances"),
        ];
        for (list, field) in lists {
            for count in [1, 100, 1 << 20, (1 << 20) + 1, 0x7fff_ffff, 0x8000_0000, u32::MAX] {
                let before = up_to(list, big);
                let bytes = before.clone().word(count).bytes;
                let held = peak(|| refused(&bytes, field, before.at()));
                assert!(held < 32 << 10, "{held}");
            }
        }
        let before = up_to(2, big).word(1).text(b"s");
        refused(&before.clone().word(u32::MAX).bytes, "skeleton[0].bones", before.at());
        let before = up_to(3, big).word(1).text(b"a");
        refused(&before.clone().words(&[u32::MAX, 1, 0, 0]).bytes, "animation[0].tracks", before.at());
        let before = up_to(3, big).word(1).text(b"a").words(&[1, 1, 0, 0]).text(b"t");
        refused(
            &before.clone().words(&[u32::MAX, 0, 0]).floats(1).bytes,
            "animation[0].track[0].keys",
            before.at() + 12,
        );
        let before = up_to(7, big).word(1).text(b"m").text(b"s").floats(6);
        refused(&before.clone().word(u32::MAX).floats(8).bytes, "mesh[0].sections", before.at());
        let section = before.clone().word(1).text(b"").floats(6).word(0);
        refused(&section.clone().word(u32::MAX).bytes, "mesh[0].section[0].indices", section.at() + 4);
        let none = before.clone().word(0);
        refused(&none.clone().word(1).word(u32::MAX).floats(3).bytes, "mesh[0].vertices", none.at() + 8);
        // Lists that no known version writes.
        for (list, field) in [(1, "tetra_meshes"), (9, "collision_representations")] {
            for count in [1, u32::MAX] {
                let before = up_to(list, big);
                let error = refused(&before.clone().word(count).bytes, field, before.at());
                assert!(error.kind() == ErrorKind::Unsupported, "{error}");
            }
        }
        // Unknown flags, and vertices without columns, which take no bytes of the file.
        for bit in 19..32 {
            refused(&none.clone().word(1 << bit).word(0).bytes, "mesh[0].flags", none.at());
        }
        for count in [(1 << 20) + 1, u32::MAX] {
            let error = refused(
                &none.clone().word(0).word(count).words(&[0, 0]).floats(4).bytes,
                "mesh[0].vertices",
                none.at() + 4,
            );
            assert!(is_error(&error, ErrorKind::Limit, &["(the limit `items`)"]), "{error}");
        }
        let bytes = none.clone().word(0).word(1 << 20).words(&[0, 0]).floats(4).bytes;
        let system = open(&bytes);
        let vertices = vertices(&system).unwrap().vertices().unwrap();
        assert_eq!((vertices.len(), vertices.positions().is_none(), vertices.values(0).count()), (1 << 20, true, 0));
        bounded(&bytes, "nothing");
        refused(&up_to(9, big).word(0).floats(3).bytes, "plane", up_to(9, big).at() + 4);
        // A parent that is any number.
        for parent in [0, 1, 7, 0x7fff_ffff, 0x8000_0000, u32::MAX] {
            let all = up_to(2, big).word(1).text(b"").word(1).text(b"b").word(parent).transform();
            let bytes = all.words(&[0; 7]).floats(4).bytes;
            let system = open(&bytes);
            // The file has only one bone, so only this bone can be the parent.
            assert_eq!(Animations::bone(&system, 0).unwrap().parent, if parent == 0 { 0 } else { -1 });
        }
    }
}

// Memory and time.

/// Tests the memory bound on files that consist of the smallest possible items.
///
/// Opening and reading everything holds at most 16 times the file, 1 MiB, and the parsed blocks.
#[test]
fn memory_is_bounded() {
    let count = 3_000 * SCALE * SCALE;
    let text = |open: &str, one: &str, close: &str| {
        format!("<MeshSystem>{open}{}{close}</MeshSystem>", one.repeat(count)).into_bytes()
    };
    let numbered = |open: &str, one: &dyn Fn(usize) -> String, close: &str| {
        format!("<MeshSystem>{open}{}{close}</MeshSystem>", (0..count).map(one).collect::<String>()).into_bytes()
    };
    let cases = [
        ("meshes", text("", "<Mesh/>", "")),
        ("bones", text("<Skeleton>", "<Bone/>", "</Skeleton>")),
        ("bones of a letter", text("<Skeleton>", "<Bone name=a/>", "</Skeleton>")),
        ("bones and parents", text("<Skeleton>", "<Bone name=a parent=a/>", "</Skeleton>")),
        ("bones of many names", numbered("<Skeleton>", &|bone| format!("<Bone name={bone:x}/>"), "</Skeleton>")),
        ("skeletons", text("", "<Skeleton/>", "")),
        ("skeletons of a letter", text("<Mesh skeleton=a><MeshSection/></Mesh>", "<Skeleton name=a/>", "")),
        ("materials", text("", "<Material/>", "")),
        ("materials of a letter", text("", "<Material name=a/>", "")),
        ("sections", text("<Mesh>", "<MeshSection/>", "</Mesh>")),
        ("boxes", text("", "<MeshAABB/>", "")),
        ("animations", text("", "<Animation/>", "")),
        ("tracks", text("<Animation>", "<AnimTrack/>", "</Animation>")),
        ("tracks of nothing", text("<Animation>", "<AnimTrack count=0/>", "</Animation>")),
        ("tracks without keys", text("<Animation>", "<AnimTrack count=1/>", "</Animation>")),
        ("tracks with a key", text("<Animation>", "<AnimTrack count=1>1 1 1 1 1 1 1</AnimTrack>", "</Animation>")),
        ("tracks of words", text("<Animation>", "<AnimTrack count=1>1 1 1 1 1 1 x</AnimTrack>", "</Animation>")),
        ("index buffers", text("<Mesh><MeshSection>", "<indexbuffer/>", "</MeshSection></Mesh>")),
        ("empty index buffers", text("<Mesh>", "<MeshSection><indexbuffer count=0/></MeshSection>", "</Mesh>")),
        ("missing indices", text("<Mesh>", "<MeshSection><indexbuffer count=1/></MeshSection>", "</Mesh>")),
        ("indices", text("<Mesh>", "<MeshSection><indexbuffer count=1>1 1 1</indexbuffer></MeshSection>", "</Mesh>")),
        ("vertex buffers", text("<Mesh>", "<vertexbuffer/>", "</Mesh>")),
        ("empty vertices", text("", "<Mesh><vertexbuffer count=0 ctype=f semantic=a/></Mesh>", "")),
        ("missing vertices", text("", "<Mesh><vertexbuffer count=1 ctype=f semantic=a/></Mesh>", "")),
        ("vertices", text("", "<Mesh><vertexbuffer count=1 ctype=p semantic=a>1</vertexbuffer></Mesh>", "")),
        ("interpolated", text("", "<Mesh><vertexbuffer count=0 ctype=f semantic=interp1/></Mesh>", "")),
        (
            "sections' own",
            text("<Mesh>", "<MeshSection><vertexbuffer count=0 ctype=f semantic=a/></MeshSection>", "</Mesh>"),
        ),
        ("tetra meshes", text("", "<TetraMesh/>", "")),
        ("empty tetra meshes", text("", "<TetraMesh count=0 ctype=ffffffffffff semantic=a/>", "")),
        ("instances", text("", "<MeshInstance/>", "")),
        ("collisions", text("<MeshCollisionRepresentation>", "<MeshCollision/>", "</MeshCollisionRepresentation>")),
        ("lists", text("", "<Meshes/>", "")),
        ("unknown", text("", "<a/>", "")),
        ("words", block(&count.to_string(), "p", "what", &"a ".repeat(count))),
        ("floats", block(&count.to_string(), "f", "radius", &"1 ".repeat(count))),
        (
            "binary materials",
            up_to(4, false).word(count as u32).words(&vec![0; count * 2]).words(&[0; 5]).floats(4).bytes,
        ),
        (
            "binary user data",
            up_to(5, false).word(count as u32).words(&vec![0; count * 2]).words(&[0; 4]).floats(4).bytes,
        ),
        (
            "binary skeletons",
            up_to(2, false).word(count as u32).words(&vec![0; count * 2]).words(&[0; 7]).floats(4).bytes,
        ),
        (
            "binary animations",
            up_to(3, false).word(count as u32).words(&vec![0; count * 5]).words(&[0; 6]).floats(4).bytes,
        ),
        (
            "binary meshes",
            up_to(7, false).word(count as u32).words(&vec![0; count * 11]).words(&[0; 2]).floats(4).bytes,
        ),
        ("binary names", {
            let all = up_to(4, true).word(count as u32);
            let all = (0..count).fold(all, |all, number| all.text(&[b'a' + (number % 26) as u8]).word(0));
            let all = all.words(&[0, 0, 1]).text(b"").text(b"").floats(6).word(1).text(b"a").floats(6);
            all.words(&[0; 6]).floats(4).bytes
        }),
    ];
    let mut slowest = (Duration::ZERO, "");
    for (what, bytes) in cases {
        let start = Stopwatch::start();
        let (factor, peak) = bounded(&bytes, what);
        slowest = slowest.max((start.elapsed(), what));
        eprintln!(
            "{what}: {} bytes, {peak} held, {factor:.2} times the file without parsed blocks, {:?}",
            bytes.len(),
            start.elapsed()
        );
    }
    assert!(slowest.0 < Duration::from_secs(10), "{slowest:?}");
}

/// Tests the limit on the number of items of each kind.
///
/// The error names the kind, and its offset is the first item above the limit.
#[test]
fn items_are_limited() {
    let limits = Limits::default().with_items(1000);
    let options = OpenOptions::default().with_limits(limits);
    for (open, one, close, field) in [
        ("", "<Mesh/>", "", "Mesh"),
        ("<Skeleton>", "<Bone/>", "</Skeleton>", "Bone"),
        ("", "<Material/>", "", "Material"),
        ("<Mesh>", "<MeshSection/>", "</Mesh>", "MeshSection"),
        ("<Animation>", "<AnimTrack/>", "</Animation>", "AnimTrack"),
        ("", "<TetraMesh/>", "", "TetraMesh"),
        ("<Mesh>", "<MeshAABB/>", "</Mesh>", "MeshAABB"),
    ] {
        let spell = |count: usize| system(&format!("{open}{}{close}", one.repeat(count)));
        assert!(Mesh::open_with(spell(1000), &options).is_ok());
        let error = Mesh::open_with(spell(1001), &options).unwrap_err();
        let at = 12 + open.len() + 1000 * one.len();
        assert_eq!(told(&error), (field.to_owned(), Some(at as u64)));
        assert!(
            is_error(&error, ErrorKind::Limit, &["expected at most 1000 (the limit `items`), found at least 1001"]),
            "{error}"
        );
    }
    if !cfg!(debug_assertions) {
        let bytes = system(&"<Mesh/>".repeat((1 << 20) + 1));
        let error = within(5, "items", || Mesh::open(bytes.as_slice()).unwrap_err());
        assert!(is_error(&error, ErrorKind::Limit, &["(the limit `items`)", "expected at most 1048576 ("]), "{error}");
    }
}

/// Returns a mesh whose beginning and sections are given.
///
/// Each of the two takes about half of the file.
fn shared(block: impl Fn(usize) -> String) -> impl Fn(usize) -> Vec<u8> {
    let section = "<MeshSection material='m'><indexbuffer count='1'>0 0 0</indexbuffer></MeshSection>";
    move |count| system(&format!("{}{}</Mesh>", block(count), section.repeat(count)))
}

/// Tests that twice the number of items takes twice the time.
#[test]
fn time_is_linear() {
    let many = |open: &'static str, one: &'static str, close: &'static str| {
        move |count: usize| system(&format!("{open}{}{close}", one.repeat(count)))
    };
    let count = 1_000 * SCALE * SCALE;
    linear("meshes", many("", "<Mesh/>", ""), count, look_at_all);
    linear("bones of one name", many("<Skeleton>", "<Bone name='a' parent='a'/>", "</Skeleton>"), count, look_at_all);
    linear(
        "skeletons of a bone",
        many("", "<Skeleton name='a'><Bone name='a' parent='a'/></Skeleton>", ""),
        count,
        look_at_all,
    );
    linear("materials", many("", "<Material name='a'/>", ""), count, look_at_all);
    linear("sections", many("<Mesh>", "<MeshSection material='a'/>", "</Mesh>"), count, look_at_all);
    linear(
        "tracks",
        many("<Animation>", "<AnimTrack name='a' count='1'>1 1 1 1 1 1 1</AnimTrack>", "</Animation>"),
        count,
        look_at_all,
    );
    linear(
        "animations",
        many("", "<Animation><AnimTrack count='1'>1 1 1 1 1 1 1</AnimTrack></Animation>", ""),
        count,
        look_at_all,
    );
    linear("a million times <", |count| system(&format!("<a b='{}'/>", "<".repeat(count))), 1 << 19, look_at_all);
    linear("text", |count| system(&"> ]]> ".repeat(count)), count * 10, look_at_all);
    linear(
        "brackets",
        |count| [format!("<!DOCTYPE m [{}]>", "[]''<".repeat(count)).into_bytes(), system("")].concat(),
        count * 10,
        look_at_all,
    );
    linear("a long name", |count| system(&format!("<{}/>", "a".repeat(count))), count * 100, look_at_all);
    linear(
        "blanks in a tag",
        |count| system(&format!("<Mesh{}name='a'/>", " ".repeat(count))),
        count * 100,
        look_at_all,
    );
    linear(
        "depth",
        many("", "<a><a><a><a><a><a><a><a><a><a></a></a></a></a></a></a></a></a></a></a>", ""),
        count,
        look_at_all,
    );
    // Sections that share a long vertex buffer.
    let count = 100 * SCALE;
    let size = 100;
    linear(
        "shared vertices",
        shared(move |count| {
            let data = "1 1 1 ".repeat(count * 16);
            format!("<Mesh><vertexbuffer count='{}' ctype='fff' semantic='position'>{data}</vertexbuffer>", count * 16)
        }),
        count,
        look_at_all,
    );
    linear(
        "shared vertices, interpolated",
        shared(move |count| {
            let data = "1 1 1 1 1 1 ".repeat(count * 8);
            format!(
                "<Mesh><vertexbuffer count='{}' ctype='fff ffff' semantic='position interp1'>{data}</vertexbuffer>",
                count * 8
            )
        }),
        count,
        look_at_all,
    );
    linear(
        "shared vertices that are damaged",
        shared(move |count| {
            let data = "1 1 1 ".repeat(count * 16);
            format!(
                "<Mesh><vertexbuffer count='{}' ctype='fff' semantic='position'>{data} x</vertexbuffer>",
                count * 16 + 1
            )
        }),
        count,
        look_at_all,
    );
    linear(
        "a long ctype",
        shared(move |count| {
            format!(
                "<Mesh><vertexbuffer count='1' ctype='fff{}' semantic='position'>1 1 1</vertexbuffer>",
                " ".repeat(count * size)
            )
        }),
        count,
        look_at_all,
    );
    linear(
        "a long semantic",
        shared(move |count| {
            format!(
                "<Mesh><vertexbuffer count='1' ctype='fff fff' semantic='position {}'>1 1 1 1 1 1</vertexbuffer>",
                "x".repeat(count * size)
            )
        }),
        count,
        look_at_all,
    );
    let vertices = |count: usize| {
        let data = "1 1 1 ".repeat(count * 16);
        format!("<Mesh><vertexbuffer count='{}' ctype='fff' semantic='position'>{data}</vertexbuffer>", count * 16)
    };
    linear("welded", shared(vertices), count, |bytes| {
        let system = Mesh::open(bytes).unwrap();
        assert!(
            Surface::all(&system).unwrap().all(|surface| surface.weld().is_ok_and(|welded| welded.vertices.len() == 1))
        );
    });
    linear(
        "a long tag",
        shared(move |count| {
            let data = " ".repeat(count * size);
            format!("<Mesh><vertexbuffer{data}count='1' ctype='fff' semantic='position'>1 1 1</vertexbuffer>")
        }),
        count,
        look_at_all,
    );
    linear(
        "a long mesh",
        shared(move |count| {
            let data = " ".repeat(count * size);
            format!(
                "<Skeleton name='a'/><Skeleton name='b'/><Mesh{data}name='a' skeleton='{}'>",
                "x".repeat((count * size).min(1 << 20))
            )
        }),
        count,
        look_at_all,
    );
}

/// Words and bytes with a special meaning in texts and in binary files.
const WORDS: [&[u8]; 64] = [
    b"<",
    b">",
    b"/>",
    b"</",
    b"<!--",
    b"-->",
    b"<![CDATA[",
    b"]]>",
    b"<?",
    b"?>",
    b"<!DOCTYPE",
    b"[",
    b"]",
    b"\"",
    b"'",
    b"=",
    b"&amp;",
    b"<Mesh>",
    b"</Mesh>",
    b"<Mesh/>",
    b"<MeshSection>",
    b"</MeshSection>",
    b"<vertexbuffer ",
    b"</vertexbuffer>",
    b"<indexbuffer count='1'>",
    b"</indexbuffer>",
    b"<Skeleton>",
    b"</Skeleton>",
    b"<Bone name='root'/>",
    b" parent='tip'",
    b" count='3'",
    b" count='4294967295'",
    b" ctype='fff'",
    b" semantic='position'",
    b"position",
    b"interp1",
    b"fff",
    b"hhhh",
    b"x4",
    b"p",
    b"c",
    b"b",
    b"d",
    b"-1",
    b"4294967295",
    b"65536",
    b"nan",
    b"inf",
    b"1e999",
    b"$7fc00000",
    b"fltmax",
    b"0x1p3",
    b";",
    b",",
    b"\0",
    b"\xff",
    b"\xef\xbb\xbf",
    b"\0\0\0\0",
    b"\xff\xff\xff\xff",
    b"\x01\0\0\0",
    b"\0\0\0\x01",
    b"EZMESH",
    b"d\0\0\0",
    b"\0\0\0e",
];

/// Damages a file at some positions.
///
/// It changes bits and bytes, removes or duplicates parts, and inserts parts of another file and
/// special words.
fn mutate(base: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = base.to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len() + 1);
        let span = random.below(64).min(bytes.len() - at);
        match random.below(8) {
            0 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            1 if at < bytes.len() => bytes[at] = *random.pick(b" ,<>\"'/=0919.-e\0"),
            2 => drop(bytes.drain(at..at + span)),
            3 => {
                let piece = bytes[at..at + span].to_vec();
                let to = random.below(bytes.len() + 1);
                bytes.splice(to..to, piece);
            }
            4 => {
                let from = random.below(other.len());
                let piece = &other[from..(from + span * 4).min(other.len())];
                bytes.splice(at..at + span, piece.iter().copied());
            }
            5 => bytes.truncate(at.max(bytes.len() / 2)),
            _ => {
                let word = random.pick(&WORDS);
                let end = if random.one_in(2) { at } else { at + span.min(word.len()) };
                bytes.splice(at..end, word.iter().copied());
            }
        }
    }
    bytes
}

/// Reads a hundred thousand damaged files, the same ones on every run.
///
/// They come from the samples and from small real files if there are any, with special words
/// inserted. An unoptimised build reads a fiftieth of them.
#[test]
fn survives_random_damage() {
    const FILES: usize = if cfg!(debug_assertions) { 2000 } else { 100_000 };
    let mut bases: Vec<Vec<u8>> = samples().into_iter().map(|(_, bytes)| bytes).collect();
    let real: Vec<_> = real_files(4000).into_iter().map(|path| std::fs::read(path).unwrap()).collect();
    eprintln!("{} real files among the bases", real.len());
    bases.extend(real);
    let run = |seed: u64| {
        let mut random = Random::new(seed);
        let (mut fates, mut worst) = ([0_usize; 3], 0);
        for _ in 0..FILES / 2 {
            let spoilt = mutate(&bases[random.below(bases.len())], &bases[random.below(bases.len())], &mut random);
            fates[check_invariants(&spoilt) as usize] += 1;
            worst = worst.max(bounded(&spoilt, "by chance").1);
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
    let Some(folder) = corpus("ezmesh") else { return Vec::new() };
    let folders = [folder.join("cases"), folder.join("derived"), folder];
    let mut files: Vec<_> =
        folders.iter().flat_map(|folder| std::fs::read_dir(folder).unwrap()).map(|entry| entry.unwrap()).collect();
    files.retain(|entry| {
        let is_mesh = entry.path().extension().is_some_and(|ending| ending == "ezm" || ending == "ezb");
        is_mesh && entry.metadata().unwrap().len() <= most
    });
    files.sort_by_key(|entry| (entry.metadata().unwrap().len(), entry.file_name()));
    files.into_iter().map(|entry| entry.path()).collect()
}

/// Poses every frame of real files and reads everything that can be borrowed.
///
/// Prints the memory and the time.
#[test]
fn real_files_are_bounded() {
    for path in real_files(if cfg!(debug_assertions) { 100_000 } else { u64::MAX }) {
        let bytes = std::fs::read(&path).unwrap();
        let Ok(system) = Mesh::open(bytes.as_slice()) else { continue };
        let start = Instant::now();
        let (factor, held) = bounded(&bytes, &path.display().to_string());
        let mut pose = vec![Transform::default(); Animations::bone_count(&system).unwrap()];
        for clip in 0..Animations::clip_count(&system).unwrap() {
            for frame in 0..Animations::clip(&system, clip).map_or(0, |clip| clip.frames) {
                let _ = Animations::pose(&system, clip, frame as usize, &mut pose);
            }
        }
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        eprintln!("{name}: {} bytes, {held} held, {factor:.2}, {:?}", bytes.len(), start.elapsed());
    }
}

/// Truncates every real file at every length, and flips bits of every byte.
///
/// Files over 4 KiB are damaged at some 100 positions, and only a part of the results is read in
/// detail. Takes minutes.
#[test]
#[ignore = "takes minutes, and real files"]
fn sweep() {
    let start = Instant::now();
    let (mut files, mut cuts, mut flips) = (0_u64, 0_u64, 0_u64);
    for path in real_files(u64::MAX) {
        let whole = std::fs::read(&path).unwrap();
        files += 1;
        let fate = check_invariants(&whole);
        let small = whole.len() <= 4 << 10;
        assert!(small || fate != Fate::Damaged, "{}", path.display());
        let step = if small { 1 } else { whole.len() / 100 + 1 };
        let ends = whole.len().saturating_sub(32)..whole.len();
        let mut places: Vec<_> = (0..whole.len().min(64)).chain((0..whole.len()).step_by(step)).chain(ends).collect();
        places.sort_unstable();
        places.dedup();
        // Reading everything takes time proportional to the file's length, so large files are only
        // opened.
        let look = |bytes: &[u8], all: bool| {
            if all {
                check_invariants(bytes);
            } else if let Err(error) = Mesh::open(bytes) {
                expect_named(&error, bytes.len() as u64);
            }
        };
        for (number, length) in places.iter().enumerate() {
            look(&whole[..*length], small || number % 64 == 0);
            cuts += 1;
        }
        let mut spoilt = whole.clone();
        for at in places {
            for bit in swept_bits(at) {
                spoilt[at] ^= 1 << bit;
                look(&spoilt, small || (at * 8 + bit) % 211 == 0);
                spoilt[at] = whole[at];
                flips += 1;
            }
        }
    }
    eprintln!("{files} files, {cuts} cuts and {flips} flipped bits in {:?}", start.elapsed());
}

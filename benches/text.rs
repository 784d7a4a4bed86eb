//! Measures the time to open the text of an EZ-Mesh file, to decode all its numbers, and to find
//! one of them. Also measures iterating over the records of a binary file.
//!
//! With `-- --write FILE`, the bench writes the static text. With `-- --probe FILE`, it prints the
//! times for a file. With `-- --decoded FILE OUT`, it writes the decoded numbers of a file. A
//! script uses these options to compare with another program.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "a panic is how a bench fails"
)]

mod support;

use support::{claims, inputs, load, machine_limit, map, memory, real};

use std::cell::RefCell;
use std::path::Path;
use std::time::Instant;

use meshpeek::ezmesh::{IndexBuffer, Mesh, Section, Track, VertexBuffer, VertexValue};
use meshpeek::internals::Lists;
use meshpeek::model::{Positions, Transform};
use meshpeek::{Array, Bounds, Map};
use quick_xml::events::Event;
use roxmltree::Document;
use support::claims::{Bar, Contestant, Series, bits, claim, skipped};
use support::inputs::text::{Input, Texts};
use support::xml_tree::{self as tree, Numbers, Seen};

/// The number of vertices that are read.
const PICKS: u32 = 10_000;
/// The number of measurements of a probe, after the same number to warm up.
const PROBES: usize = 20;

fn main() {
    if let Some((path, loader)) = memory::child() {
        let map = map(&path);
        let text = std::str::from_utf8(map.as_ref()).unwrap();
        let ours = || memory::print_growth(|| Mesh::open(text).unwrap());
        return if loader == "meshpeek" { ours() } else { memory::print_growth(|| tree::parse(text)) };
    }
    let arguments: Vec<String> = std::env::args().collect();
    let after = |flag| arguments.iter().skip_while(move |argument| *argument != flag).skip(1).map(Path::new);
    if let Some(path) = after("--write").next() {
        return std::fs::write(path, inputs::text::still()).unwrap();
    }
    if let Some(path) = after("--probe").next() {
        return probe(path);
    }
    if let Some([path, out, ..]) = after("--decoded").collect::<Vec<_>>().get(..2) {
        return write_decoded(path, out);
    }
    let mut inputs = Texts::write();
    match real("ezmesh", ".ezm") {
        Some(path) => {
            let size = path.metadata().unwrap().len() as f64 / 1e6;
            let name = format!("{}, {size:.1} MB", path.file_name().unwrap().to_string_lossy());
            inputs.text.push(Input { name, path });
        }
        None => skipped("a real file", "MESHPEEK_CORPUS does not name a folder with text files"),
    }
    let mut criterion = claims::criterion();
    for input in &inputs.text {
        let map = map(&input.path);
        let text = std::str::from_utf8(map.as_ref()).unwrap();
        agree(text);
        claims::compare(&mut criterion, "open", &input.name, &openers(text));
        let tree = tree::parse(text);
        let work = Work::new(text, &tree);
        claims::compare(&mut criterion, "decode everything", &input.name, &work.decoders([true; 3]));
    }
    for input in &inputs.binary {
        claims::compare(&mut criterion, "box around all positions", &input.name, &binary_loaders(&input.path));
    }
    criterion.final_summary();
    inputs.text.iter().for_each(claim_text);
    inputs.binary.iter().for_each(claim_binary);
}

fn claim_text(input: &Input) {
    let map = map(&input.path);
    let text = std::str::from_utf8(map.as_ref()).unwrap();
    claims::title(&format!("open, {}", input.name));
    opened(text);
    memory::claim_growth(&input.path, [("meshpeek", Bar::AtMost(0.1)), ("roxmltree", Bar::None)]);
    claims::title(&format!("decode everything, {}", input.name));
    decoded(text);
    claims::title(&format!("{PICKS} random vertices, decoded before, {}", input.name));
    picked(text);
}

/// All blocks of numbers of a file.
struct Blocks<'a> {
    vertices: Vec<VertexBuffer<'a>>,
    triangles: Vec<IndexBuffer<'a>>,
    tracks: Vec<Track<'a>>,
}

impl<'a> Blocks<'a> {
    fn of(system: &'a Mesh<&str>) -> Self {
        let view = system.view();
        let shared = view.meshes().filter_map(|mesh| mesh.vertex_buffer().unwrap());
        let own = view.sections().filter(Section::has_own_vertices);
        Self {
            vertices: shared.chain(own.map(|section| section.vertex_buffer().unwrap())).collect(),
            triangles: view.sections().filter_map(|section| section.index_buffer().unwrap()).collect(),
            tracks: view.animations().flat_map(|animation| animation.tracks()).collect(),
        }
    }
}

/// Panics if the two parsers do not read the same values, to the last bit.
fn agree(text: &str) {
    let expected = tree::load(text);
    let system = Mesh::open(text).unwrap();
    assert_eq!(seen(&system), tree::seen(&tree::parse(text)));
    let Blocks { vertices, triangles, tracks } = Blocks::of(&system);
    let mut found = Numbers::default();
    for buffer in &vertices {
        for_each_value(buffer, &mut |cell| match cell {
            VertexValue::Float(float) => found.floats.push(float),
            VertexValue::Integer(integer) => found.integers.push(integer.try_into().unwrap()),
            VertexValue::Hex(hex) => found.hexes.push(hex),
            VertexValue::Character(_) | VertexValue::Word(_) => unreachable!("no layout here has such values"),
        });
    }
    for triangles in &triangles {
        triangles.indices().unwrap().for_each(|index| found.integers.push(index));
    }
    for track in &tracks {
        found.floats.extend(key_floats(track));
    }
    assert!(found == expected, "the two do not decode the same");
}

fn for_each_value(buffer: &VertexBuffer<'_>, see: &mut dyn FnMut(VertexValue<'_>)) {
    let vertices = buffer.vertices().unwrap();
    (0..vertices.len()).for_each(|vertex| vertices.values(vertex).for_each(&mut *see));
}

/// Returns the floats of all keys of a track: 7 or 10 for each key.
fn key_floats(track: &Track<'_>) -> Vec<f32> {
    let keys = track.keys().unwrap();
    let floats =
        |key: Transform| [&key.position[..], &key.rotation, if keys.has_scale() { &key.scale } else { &[] }].concat();
    keys.iter().flat_map(floats).collect()
}

/// Reads all metadata of a file: every name, every count, and the offset of every block.
fn seen(system: &Mesh<&str>) -> Seen {
    let view = system.view();
    let mut names = 0;
    view.meshes().for_each(|mesh| names += mesh.name().unwrap().as_bytes().len());
    view.sections().for_each(|section| names += section.material_name().unwrap().as_bytes().len());
    (0..view.bone_count()).for_each(|bone| names += view.bone_name(bone).unwrap().as_bytes().len());
    let Blocks { vertices, triangles, tracks } = Blocks::of(system);
    names += tracks.iter().map(|track| track.name().unwrap().as_bytes().len()).sum::<usize>();
    let starts = vertices.iter().map(VertexBuffer::offset).chain(triangles.iter().map(IndexBuffer::offset));
    std::hint::black_box(starts.map(|start| start.unwrap()).sum::<u64>());
    let counts = [
        vertices.iter().map(|buffer| buffer.count() as usize).sum(),
        triangles.iter().map(|buffer| buffer.triangle_count() as usize).sum(),
        tracks.iter().map(|track| track.frame_count().unwrap() as usize).sum(),
    ];
    Seen { blocks: [vertices.len(), triangles.len(), tracks.len()], counts, names }
}

/// Returns the contestants. Those that do not return the number of blocks do only a part of the
/// work of the others.
fn openers(text: &str) -> [Contestant<'_, usize>; 6] {
    let blocks = tree::seen(&tree::parse(text)).blocks.iter().sum();
    let memchr = move || {
        let (mut rest, mut count) = (text.as_bytes(), 0);
        while let Some(at) = memchr::memchr(b'<', rest) {
            (rest, count) = (&rest[at + 1..], count + 1);
        }
        count
    };
    [
        Contestant::asked("memchr", memchr, move |_: &u32| blocks),
        Contestant::asked("meshpeek", move || Mesh::open(text).unwrap(), |system| seen(system).blocks.iter().sum()),
        Contestant::asked(
            "meshpeek, and all metadata read",
            move || {
                let system = Mesh::open(text).unwrap();
                (seen(&system), system)
            },
            |(seen, _)| seen.blocks.iter().sum(),
        ),
        Contestant::asked("quick-xml", move || events(text), move |_| blocks),
        Contestant::asked("roxmltree", move || tree::parse(text), |tree| tree::seen(tree).blocks.iter().sum()),
        Contestant::asked("roxmltree, and all numbers", move || tree::load(text), move |_| blocks),
    ]
    .map(Contestant::again)
}

/// Iterates over the events of a text, and over the attributes of each element.
fn events(text: &str) -> usize {
    let mut reader = quick_xml::Reader::from_str(text);
    let mut found = 0;
    loop {
        match reader.read_event().unwrap() {
            Event::Start(tag) | Event::Empty(tag) => {
                found += tag.attributes().map(|attribute| attribute.unwrap().value.len()).sum::<usize>();
            }
            Event::Eof => return found,
            _ => {}
        }
    }
}

fn opened(text: &str) {
    let contestants = openers(text);
    claims::race(1, &contestants);
    let [memchr, ours, asked, events, roxmltree, loaded] = claims::race(41, &contestants);
    let us = |time: &Series| time.times(1e6);
    claim("meshpeek", us(&ours), "us", Bar::None);
    claim("meshpeek, and all metadata read", us(&asked), "us", Bar::None);
    claim("roxmltree", us(&roxmltree), "us", Bar::None);
    claim("roxmltree, and all numbers in lists", us(&loaded), "us", Bar::None);
    claim("quick-xml, all events and attributes", us(&events), "us", Bar::None);
    claim("memchr, every <", us(&memchr), "us", Bar::None);
    claim("meshpeek", ours.rate(text.len() as f64 / 1e9), "GB/s", Bar::None);
    claim("meshpeek in GB/s / memchr", memchr.over(&ours), "of it", Bar::AtLeast(0.4));
    claim("meshpeek, all metadata read, in GB/s / memchr", memchr.over(&asked), "of it", Bar::None);
    claim("quick-xml / meshpeek", events.over(&ours), "times", Bar::None);
    claim("roxmltree / meshpeek", roxmltree.over(&ours), "times", Bar::None);
    claim("roxmltree / meshpeek, all metadata read", roxmltree.over(&asked), "times", Bar::AtLeast(10.0));
    claim("roxmltree and all numbers / meshpeek", loaded.over(&ours), "times", Bar::AtLeast(20.0));
}

/// The data to decode, and the output buffers of the other parser, which are allocated before the
/// measurement.
struct Work<'a> {
    text: &'a str,
    tokens: [tree::Tokens<'a>; 3],
    numbers: RefCell<[Numbers; 3]>,
}

/// The blocks to decode: vertices, triangles, tracks.
type Parts = [bool; 3];

impl<'a> Work<'a> {
    fn new(text: &'a str, tree: &'a Document<'_>) -> Self {
        let tokens = tree::split(tree);
        let numbers = RefCell::new(tokens.each_ref().map(tree::Tokens::numbers));
        Self { text, tokens, numbers }
    }

    fn decoders(&self, parts: Parts) -> [Contestant<'_, ()>; 2] {
        [
            Contestant::asked("meshpeek", move || self.ours(parts), |()| ()),
            Contestant::asked("fast-float2 and a plain loop, tokens split before", move || self.theirs(parts), |()| ()),
        ]
    }

    /// Opens the text, because a file keeps decoded numbers, and decodes blocks one after another:
    /// locates them, finds their tokens, and decodes the tokens.
    fn ours(&self, [vertices, triangles, tracks]: Parts) {
        let system = Mesh::open(self.text).unwrap();
        let all = Blocks::of(&system);
        if vertices {
            for one in &all.vertices {
                std::hint::black_box(one.vertices().unwrap());
            }
        }
        if triangles {
            for one in &all.triangles {
                std::hint::black_box(one.indices().unwrap());
            }
        }
        if tracks {
            for one in &all.tracks {
                std::hint::black_box(one.keys().unwrap());
            }
        }
    }

    fn theirs(&self, parts: Parts) {
        let numbers = &mut *self.numbers.borrow_mut();
        let parts = self.tokens.iter().zip(&mut *numbers).zip(parts).filter(|(_, wanted)| *wanted);
        parts.for_each(|((tokens, numbers), _)| tokens.decode(numbers));
        std::hint::black_box(numbers);
    }
}

fn decoded(text: &str) {
    let tree = tree::parse(text);
    let work = Work::new(text, &tree);
    let rows = [
        ("everything", [true; 3], Bar::AtMost(1.1)),
        ("vertices", [true, false, false], Bar::None),
        ("triangles", [false, true, false], Bar::None),
        ("keys", [false, false, true], Bar::None),
    ];
    for (what, parts, bar) in rows {
        if !work.tokens.iter().zip(parts).any(|(tokens, wanted)| wanted && tokens.len() > 0) {
            continue;
        }
        let contestants = work.decoders(parts);
        claims::race(1, &contestants);
        let [ours, alone] = claims::race(31, &contestants);
        claim(&format!("{what}, meshpeek"), ours.times(1e3), "ms", Bar::None);
        if parts == [true; 3] {
            claim(&format!("{what}, meshpeek"), ours.rate(text.len() as f64 / 1e6), "MB/s of the file", Bar::None);
        }
        claim(&format!("{what}, fast-float2 and a plain loop alone"), alone.times(1e3), "ms", Bar::None);
        claim(&format!("{what}, meshpeek / fast-float2 alone"), ours.over(&alone), "times", bar);
    }
}

/// Picks vertices. The result depends only on `count`.
fn picks(count: usize) -> Vec<usize> {
    (0..PICKS).map(|seed| inputs::random(seed) as usize % count).collect()
}

fn sum(picks: &[usize], get: impl Fn(usize) -> Option<[f32; 3]>) -> u64 {
    picks.iter().fold(0, |sum, pick| sum.wrapping_add(bits(get(*pick).unwrap())))
}

/// Reads vertices of a block that is already decoded, and of a copied list.
fn picked(text: &str) {
    let system = Mesh::open(text).unwrap();
    let buffer = &Blocks::of(&system).vertices[0];
    let positions = buffer.vertices().unwrap().positions().unwrap();
    pick(&positions, 1.5);
}

fn pick(positions: &Positions<'_>, bar: f64) {
    let picks = picks(positions.len());
    let mut copy = vec![[0.0; 3]; positions.len()];
    positions.decode_into(&mut copy).unwrap();
    let contestants = [
        Contestant::new("meshpeek", || (sum(&picks, |vertex| positions.get(vertex)), ())),
        Contestant::new("copy", || (sum(&picks, |vertex| copy.get(vertex).copied()), ())),
    ];
    claims::race(1, &contestants);
    let [ours, copy] = claims::race(101, &contestants).map(|time| time.times(1e9 / f64::from(PICKS)));
    claim("one position, meshpeek", ours.clone(), "ns", Bar::None);
    claim("one position, Vec<[f32; 3]>", copy.clone(), "ns", Bar::None);
    claim("one position, meshpeek / Vec<[f32; 3]>", ours.over(&copy), "times", Bar::AtMost(bar));
}

/// Opens a binary file and computes the bounding box of its positions.
fn binary_loaders(path: &Path) -> [Contestant<'_, Bounds>; 2] {
    [
        Contestant::new("meshpeek", move || {
            let system = Mesh::open(map(path)).unwrap();
            (binary_positions(&system).bounds(), system)
        }),
        Contestant::new("copying", move || {
            let mesh = load(path);
            (bounds(copied_positions(&mesh)), mesh)
        }),
    ]
}

fn binary_positions(system: &Mesh<Map>) -> Positions<'_> {
    let buffer = system.view().meshes().next().unwrap().vertex_buffer().unwrap().unwrap();
    buffer.vertices().unwrap().positions().unwrap()
}

fn copied_positions(mesh: &Lists) -> &[[f32; 3]] {
    &mesh.surfaces[0].targets[0].positions
}

fn bounds(positions: &[[f32; 3]]) -> Bounds {
    let Bounds { mut min, mut max } = Bounds::EMPTY;
    for position in positions {
        for axis in 0..3 {
            min[axis] = min[axis].min(position[axis]);
            max[axis] = max[axis].max(position[axis]);
        }
    }
    Bounds { min, max }
}

fn claim_binary(input: &Input) {
    claims::title(&format!("box around all positions of a binary file, {}", input.name));
    let loaders = binary_loaders(&input.path);
    claims::race(1, &loaders);
    let [ours, copying] = claims::race(15, &loaders);
    claim("meshpeek, open included", ours.times(1e3), "ms", Bar::None);
    claim("copying", copying.times(1e3), "ms", Bar::None);
    claim("copying / meshpeek", copying.over(&ours), "times", Bar::AtLeast(10.0));
    let system = Mesh::open(map(&input.path)).unwrap();
    let positions = binary_positions(&system);
    let copy = load(&input.path);
    let copy = copied_positions(&copy);
    let records = positions.as_bytes();
    let mine = positions.bounds();
    let contestants = [
        Contestant::new("meshpeek", || (positions.bounds(), ())),
        Contestant::new("meshpeek, for_each", || {
            let Bounds { mut min, mut max } = Bounds::EMPTY;
            positions.for_each(|position| {
                for axis in 0..3 {
                    min[axis] = min[axis].min(position[axis]);
                    max[axis] = max[axis].max(position[axis]);
                }
            });
            (Bounds { min, max }, ())
        }),
        Contestant::new("the same loop over a copy", || (bounds(copy), ())),
        Contestant::asked("reading alone", || machine_limit::plain_read(records), move |_| mine),
    ];
    claims::race(1, &contestants);
    let [ours, each, copied, reading] = claims::race(31, &contestants);
    claim("meshpeek, already open", ours.rate(records.len() as f64 / 1e9), "GB/s of records", Bar::None);
    claim("reading the records alone", reading.rate(records.len() as f64 / 1e9), "GB/s", Bar::None);
    claim("meshpeek in GB/s / reading alone", reading.over(&ours), "of it", Bar::AtLeast(0.5));
    claim("meshpeek, for_each, in GB/s / reading alone", reading.over(&each), "of it", Bar::None);
    claim("meshpeek / a loop over a Vec<[f32; 3]>", ours.over(&copied), "times", Bar::None);
    pick(&positions, 4.0);
}

/// Prints the nanoseconds to open a text, and to open it and decode everything.
fn probe(path: &Path) {
    let map = map(path);
    let text = std::str::from_utf8(map.as_ref()).unwrap();
    let tree = tree::parse(text);
    let work = Work::new(text, &tree);
    let time = |job: &dyn Fn()| {
        let start = Instant::now();
        job();
        start.elapsed().as_nanos()
    };
    for round in 0..PROBES * 2 {
        let open = time(&|| drop(std::hint::black_box(Mesh::open(text).unwrap())));
        let decode = time(&|| work.ours([true; 3]));
        if round >= PROBES {
            println!("open {open}\ndecode {decode}");
        }
    }
}

/// Writes all numbers of a text. The values of vertices, except hexadecimal ones, and the keys are
/// written as floats; then the triangles as integers.
fn write_decoded(path: &Path, out: &Path) {
    let map = map(path);
    let system = Mesh::open(std::str::from_utf8(map.as_ref()).unwrap()).unwrap();
    let Blocks { vertices, triangles, tracks } = Blocks::of(&system);
    let mut bytes = Vec::new();
    for buffer in vertices {
        for_each_value(&buffer, &mut |cell| match cell {
            VertexValue::Float(float) => bytes.extend(float.to_le_bytes()),
            VertexValue::Integer(integer) => bytes.extend((integer as f32).to_le_bytes()),
            _ => {}
        });
    }
    for track in tracks {
        bytes.extend(key_floats(&track).iter().flat_map(|float| float.to_le_bytes()));
    }
    for buffer in triangles {
        buffer.indices().unwrap().for_each(|index| bytes.extend(index.to_le_bytes()));
    }
    std::fs::write(out, bytes).unwrap();
}

//! Measures the time to get one frame, or all frames, of an Unreal vertex mesh.
//!
//! With `-- --write FOLDER`, the bench only writes its pair of files to that folder. With
//! `-- --probe FOLDER`, it prints the times for such a pair. A script uses both to compare with
//! other programs.
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

use support::{claims, inputs, map};

use std::path::PathBuf;

use meshpeek::array::Bounds;
use meshpeek::internals::{Lists, bounds};
use meshpeek::unreal::Mesh;
use meshpeek::{Array, Map, MeshFile as _, OpenOptions};
use support::claims::{Bar, Contestant, bits, claim};
use support::inputs::pair::Pair;
use support::machine_limit::plain_read;

/// The number of frames that are picked at random.
const PICKS: u32 = 1000;
/// The number of measurements of a probe, after one to warm up.
const PROBES: usize = 5;

fn main() {
    let after = |flag| std::env::args().skip_while(|argument| argument != flag).nth(1).map(PathBuf::from);
    if let Some(folder) = after("--write") {
        return Pair::write_to(&folder);
    }
    if let Some(folder) = after("--probe") {
        return probe(&Pair::within(&folder));
    }
    let pair = Pair::write();
    let name = format!("{} frames of {} vertices", pair.size.frames, pair.size.vertices);
    let mut criterion = claims::criterion();
    claims::compare(&mut criterion, "open to the box around frame 0", &name, &first_box(&pair));
    claims::compare(&mut criterion, "box around all frames", &name, &whole_box(&pair));
    criterion.final_summary();
    claims::title(&format!("open to the box around frame 0, {name}"));
    first(&pair);
    claims::title(&format!("box around all frames, {name}"));
    whole(&pair);
    claims::title(&format!("random frames, {name}"));
    random(&pair);
}

fn open(pair: &Pair) -> Mesh<Map> {
    Mesh::open(map(&pair.data), map(&pair.aniv)).unwrap()
}

/// Reads both files, and decodes every array into a list.
fn load(pair: &Pair) -> Lists {
    let [data, aniv] = [&pair.data, &pair.aniv].map(|path| meshpeek::read(path).unwrap());
    Lists::load(&Mesh::open(data, aniv).unwrap()).unwrap()
}

fn first_box(pair: &Pair) -> [Contestant<'_, Bounds>; 2] {
    [
        Contestant::new("meshpeek", || {
            let mesh = open(pair);
            (mesh.bounds().unwrap(), mesh)
        }),
        Contestant::new("copying", || {
            let mesh = load(pair);
            (bounds(mesh.frame(0)), mesh)
        }),
    ]
}

fn first(pair: &Pair) {
    let [ours, copying] = claims::race(11, &first_box(pair));
    claim("meshpeek", ours.times(1e6), "us", Bar::None);
    claim("copying", copying.times(1e6), "us", Bar::None);
    claim("copying / meshpeek", copying.over(&ours), "times", Bar::AtLeast(500.0));
    let options = OpenOptions::default().with_record_access(true);
    let mesh = Mesh::open_with(map(&pair.data), map(&pair.aniv), &options).unwrap();
    claim("touched, after open", mesh.touched_bytes().unwrap() as f64, "bytes", Bar::None);
    std::hint::black_box(mesh.bounds().unwrap());
    let frame = pair.size.vertices as f64 * 4.0;
    let touched = mesh.touched_bytes().unwrap() as f64;
    claim("touched, after the box", touched, "bytes", Bar::None);
    claim("touched, after the box / bytes of a frame", touched / frame, "times", Bar::AtMost(3.0));
    claim(
        "bytes of the pair / touched",
        (mesh.data().as_ref().len() + mesh.aniv().as_ref().len()) as f64 / touched,
        "times",
        Bar::None,
    );
}

fn whole_box(pair: &Pair) -> [Contestant<'_, Bounds>; 2] {
    [
        Contestant::new("meshpeek", || {
            let mesh = open(pair);
            (mesh.bounds_of_all_frames(), mesh)
        }),
        Contestant::new("copying", || {
            let mesh = load(pair);
            (bounds(&mesh.shapes[0].positions), mesh)
        }),
    ]
}

fn whole(pair: &Pair) {
    let [ours, copying] = claims::race(11, &whole_box(pair));
    claim("meshpeek, open and scan", ours.times(1e3), "ms", Bar::None);
    claim("copying, load and scan", copying.times(1e3), "ms", Bar::None);
    claim("copying / meshpeek", copying.over(&ours), "times", Bar::AtLeast(5.0));
    let mesh = open(pair);
    let already_mapped = [
        Contestant::new("meshpeek", || ((), mesh.bounds_of_all_frames())),
        Contestant::new("plain read", || ((), plain_read(mesh.aniv().as_ref()))),
    ];
    rates("already mapped", mesh.aniv().as_ref().len(), &already_mapped);
    let freshly_mapped = [
        Contestant::new("meshpeek", || {
            let mesh = open(pair);
            ((), (mesh.bounds_of_all_frames(), mesh))
        }),
        Contestant::new("plain read", || {
            let map = map(&pair.aniv);
            ((), (plain_read(map.as_ref()), map))
        }),
    ];
    rates("fresh map", mesh.aniv().as_ref().len(), &freshly_mapped);
}

fn rates(state: &str, bytes: usize, contestants: &[Contestant<'_, ()>; 2]) {
    let [ours, plain] = claims::race(21, contestants).map(|times| times.rate(bytes as f64 / 1e9));
    claim(&format!("{state}, meshpeek"), ours.clone(), "GB/s", Bar::None);
    claim(&format!("{state}, plain read"), plain.clone(), "GB/s", Bar::None);
    claim(&format!("{state}, meshpeek / plain read"), ours.over(&plain), "of its rate", Bar::None);
}

/// Gets frames in random order: first from closed files, then from an open or a loaded mesh. In the
/// second case, meshpeek decodes on each access, because it stores no decoded values.
fn random(pair: &Pair) {
    let frames = u32::try_from(pair.size.frames).unwrap();
    let picks: Vec<usize> = (0..PICKS).map(|seed| (inputs::random(seed) % frames) as usize).collect();
    let from_closed = [
        Contestant::new("meshpeek", || {
            let mesh = open(pair);
            let out = decoded(&mesh, picks[0], vec![[0.0; 3]; mesh.vertex_count()]);
            (checksum(&out), (out, mesh))
        }),
        Contestant::new("copying", || {
            let mesh = load(pair);
            (checksum(mesh.frame(picks[0])), mesh)
        }),
    ];
    let [ours, copying] = claims::race(7, &from_closed);
    claim("meshpeek, open and decode one", ours.times(1e6), "us", Bar::None);
    claim("copying, load and read one", copying.times(1e6), "us", Bar::None);
    claim("copying / meshpeek", copying.over(&ours), "times", Bar::None);
    let (mesh, copy) = (open(pair), load(pair));
    already_loaded(&mesh, &copy, &picks);
    let bytes = size_of_val(copy.shapes[0].positions.as_slice()) as f64;
    claim("memory for all frames, copying / file", bytes / mesh.aniv().as_ref().len() as f64, "times", Bar::None);
}

fn already_loaded(mesh: &Mesh<Map>, copy: &Lists, picks: &[usize]) {
    let vertices = mesh.vertex_count();
    // Each frame is decoded into a buffer of the caller. One position is read, whose index the
    // compiler cannot predict.
    let into_buffer = [
        Contestant::new("meshpeek", || {
            let place = |out: &[[f32; 3]], pick: usize| bits(out[pick % vertices]);
            let fill = |(sum, out), pick: &usize| {
                let out = decoded(mesh, *pick, out);
                (place(&out, *pick).wrapping_add(sum), out)
            };
            picks.iter().fold((0, vec![[0.0; 3]; vertices]), fill)
        }),
        Contestant::new("copying", || {
            let mut out = vec![[0.0; 3]; vertices];
            let mut sum = 0_u64;
            for pick in picks {
                out.copy_from_slice(copy.frame(*pick));
                sum = sum.wrapping_add(bits(std::hint::black_box(&out)[pick % vertices]));
            }
            (sum, out)
        }),
    ];
    versus("into a buffer", &into_buffer);
    // Each vertex is read, one after another, where it is stored.
    let looked_at = [
        Contestant::new("meshpeek", || {
            let sum = |pick: &usize| {
                let mut sum = 0_u64;
                mesh.frame(*pick).unwrap().positions().for_each(|position| sum = sum.wrapping_add(bits(position)));
                sum
            };
            (picks.iter().map(sum).fold(0, u64::wrapping_add), ())
        }),
        Contestant::new("copying", || {
            (picks.iter().map(|pick| checksum(copy.frame(*pick))).fold(0, u64::wrapping_add), ())
        }),
    ];
    versus("every vertex read in place", &looked_at);
    let one_vertex = [
        Contestant::new("meshpeek", || {
            let position = |pick: &usize| mesh.frame(*pick).unwrap().positions().get(pick % vertices).unwrap();
            (picks.iter().map(|pick| bits(position(pick))).fold(0, u64::wrapping_add), ())
        }),
        Contestant::new("copying", || {
            let position = |pick: &usize| copy.frame(*pick)[pick % vertices];
            (picks.iter().map(|pick| bits(position(pick))).fold(0, u64::wrapping_add), ())
        }),
    ];
    versus("one vertex of each", &one_vertex);
}

/// Compares an open mesh with a loaded one.
fn versus(what: &str, contestants: &[Contestant<'_, u64>; 2]) {
    // The first round loads the pages into memory.
    claims::race(1, contestants);
    let [ours, copying] = claims::race(21, contestants).map(|time| time.times(1e9 / f64::from(PICKS)));
    claim(&format!("{what}, meshpeek, already open"), ours.clone(), "ns a frame", Bar::None);
    claim(&format!("{what}, copying, already loaded"), copying.clone(), "ns a frame", Bar::None);
    claim(&format!("{what}, meshpeek / copying"), ours.over(&copying), "times", Bar::None);
}

fn decoded(mesh: &Mesh<Map>, frame: usize, mut out: Vec<[f32; 3]>) -> Vec<[f32; 3]> {
    mesh.frame(frame).unwrap().positions().decode_into(&mut out).unwrap();
    std::hint::black_box(out)
}

fn checksum(positions: &[[f32; 3]]) -> u64 {
    positions.iter().fold(0, |sum, position| sum.wrapping_add(bits(*position)))
}

/// Prints the nanoseconds from closed files to the bounding box of frame 0, and to the position and
/// texture coordinates of every corner in frame 0. Then prints the number of polygons, and the
/// bounding box.
fn probe(pair: &Pair) {
    let [first, _] = first_box(pair);
    let corners = Contestant::new("meshpeek", || {
        let mesh = open(pair);
        (every_corner(&mesh), mesh)
    });
    for round in 0..=PROBES {
        let ((to_box, _), (to_corners, count)) = ((first.run)(), (corners.run)());
        assert_eq!(count, pair.size.polygons * 3);
        if round > 0 {
            println!("box {}\ncorners {}", to_box.as_nanos(), to_corners.as_nanos());
        }
    }
    println!("polygons {}", open(pair).polygon_count());
    let Bounds { min, max } = (first.run)().1;
    println!("bounds {} {} {} {} {} {}", min[0], min[1], min[2], max[0], max[1], max[2]);
}

/// Creates the arrays that are needed to draw frame 0, and returns the number of corners.
fn every_corner(mesh: &Mesh<Map>) -> usize {
    let stored = mesh.frame(0).unwrap().positions();
    let vertices = decoded(mesh, 0, vec![[0.0; 3]; stored.len()]);
    let arrays = mesh.surfaces().unwrap().map(|surface| {
        let surface = surface.unwrap();
        let (indices, uvs) = (surface.indices(), surface.uvs(mesh.uv_divisor()));
        let mut positions = Vec::with_capacity(indices.len());
        indices.for_each(|vertex| positions.push(vertices[vertex as usize]));
        let mut out = vec![[0.0; 2]; uvs.len()];
        uvs.decode_into(&mut out).unwrap();
        (positions, out)
    });
    let arrays: Vec<_> = std::hint::black_box(arrays.collect());
    arrays.iter().map(|(positions, uvs)| positions.len().min(uvs.len())).sum()
}

//! Measures the time to get one level of detail of a Second Life mesh, and to decode the whole
//! asset.
//!
//! With `-- --probe FILE`, the bench prints the times for that file. With `-- --write FILE OUT`, it
//! writes the decoded levels to a file. A script uses both to compare with another program.
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

use support::{claims, inputs, real};

use std::cell::RefCell;
use std::path::Path;
use std::time::Instant;

use flate2::{Decompress, FlushDecompress, Status};
use meshpeek::decode::Decode;
use meshpeek::secondlife::{AssetBlock, AssetPart, InflateBuffer, Lod, Matrix, Mesh, Submesh};
use meshpeek::{Array, Packed};
use support::claims::{Bar, Contestant, claim};

/// A part of the name of the real file.
const REAL: &str = "C3C6A477";
/// How many times a level or an asset is decoded in one measurement.
const TIMES: usize = 10;
/// The number of measurements of a probe, after the same number to warm up.
const PROBES: usize = 50;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let after = |flag| arguments.iter().skip_while(move |argument| *argument != flag).skip(1).map(Path::new);
    if let Some(path) = after("--probe").next() {
        return probe(&std::fs::read(path).unwrap());
    }
    if let Some([path, out, ..]) = after("--write").collect::<Vec<_>>().get(..2) {
        return write(&std::fs::read(path).unwrap(), out);
    }
    let mut criterion = claims::criterion();
    let assets = assets();
    for (name, asset) in &assets {
        let buffers = RefCell::default();
        claims::compare(&mut criterion, "open to the lowest level decoded", name, &lowest(asset, &buffers));
        claims::compare(&mut criterion, "open to everything decoded", name, &everything(asset, &buffers));
    }
    criterion.final_summary();
    for (name, asset) in &assets {
        claims::title(&format!("open to the lowest level decoded, {name}"));
        first(asset);
        claims::title(&format!("open to everything decoded, {name}"));
        all(asset);
    }
}

/// Returns two generated assets, and a real one if it exists.
fn assets() -> Vec<(String, Vec<u8>)> {
    let made = |kind: &str, skinned| {
        (format!("{} vertices, {kind}", inputs::asset::vertices()), inputs::asset::asset(skinned))
    };
    let mut assets = vec![made("static", false), made("skinned", true)];
    match real("secondlife", REAL) {
        Some(path) => assets.push((format!("real file {REAL}"), std::fs::read(path).unwrap())),
        None => claims::skipped("a real file", "MESHPEEK_CORPUS does not name a folder with this file"),
    }
    assets
}

/// The buffers that are reused from one decoding to the next.
#[derive(Default)]
struct Buffers {
    block: InflateBuffer,
    arrays: Arrays,
}

/// The decoded data: the arrays of all submeshes, one after another.
#[derive(Default)]
struct Arrays {
    positions: List<[f32; 3]>,
    normals: List<[f32; 3]>,
    uvs: List<[f32; 2]>,
    indices: List<u32>,
    /// For each vertex, the end of its influences in `influences`.
    ends: Vec<u32>,
    influences: Vec<(i16, f32)>,
    hulls: List<[f32; 3]>,
    matrices: Vec<Matrix>,
}

/// Items in a buffer that only grows.
#[derive(Default)]
struct List<T> {
    items: Vec<T>,
    len: usize,
}

impl<T: Clone + Default> List<T> {
    fn decode(&mut self, array: &Packed<'_, impl Decode<Value = T>>) {
        let start = self.len;
        self.len += array.len();
        if self.items.len() < self.len {
            self.items.resize(self.len, T::default());
        }
        array.decode_into(&mut self.items[start..self.len]).unwrap();
    }

    fn all(&self) -> &[T] {
        &self.items[..self.len]
    }
}

impl Arrays {
    fn clear(&mut self) {
        (self.positions.len, self.normals.len, self.uvs.len) = (0, 0, 0);
        (self.indices.len, self.hulls.len) = (0, 0);
        self.ends.clear();
        self.influences.clear();
        self.matrices.clear();
    }

    /// Decodes the content of a block. Of a skin, only the matrices are decoded.
    fn block(&mut self, block: AssetBlock<'_>) {
        match block.part() {
            AssetPart::PhysicsConvex => {
                if let Some(hulls) = block.convex().unwrap() {
                    let points = [hulls.bounding_points().unwrap(), hulls.hull_points().unwrap()];
                    points.into_iter().flatten().for_each(|points| self.hulls.decode(&points));
                }
            }
            AssetPart::Skin => {
                let skin = block.skin().unwrap();
                self.matrices.push(skin.bind_shape().unwrap());
                self.matrices.extend((0..skin.inverse_bind_count()).map(|joint| skin.inverse_bind(joint).unwrap()));
            }
            part if part.is_geometry() => {
                block.level().unwrap().submeshes().for_each(|submesh| self.submesh(&submesh.unwrap()));
            }
            _ => {}
        }
    }

    fn submesh(&mut self, submesh: &Submesh<'_>) {
        self.positions.decode(&submesh.positions().unwrap());
        if let Some(normals) = submesh.normals().unwrap() {
            self.normals.decode(&normals);
        }
        if let Some(uvs) = submesh.uvs().unwrap() {
            self.uvs.decode(&uvs);
        }
        self.indices.decode(&submesh.indices().unwrap());
        if let Some(weights) = submesh.weights().unwrap() {
            weights.iter().for_each(|list| {
                list.iter().for_each(|one| self.influences.push((one.bone.try_into().unwrap(), one.weight)));
                self.ends.push(self.influences.len() as u32);
            });
        }
    }

    fn sizes(&self) -> Sizes {
        let last = self.positions.all().last().map_or(0, |last| claims::bits(*last));
        let lens = [self.positions.len, self.normals.len, self.uvs.len, self.indices.len, self.influences.len()];
        (lens, last)
    }
}

/// The number of items in each array, and the bits of the last position.
type Sizes = ([usize; 5], u64);

/// Decodes all blocks into new lists, as a loader that copies does. Returns the arrays of each
/// block, and the number of inflated bytes.
fn load(asset: &[u8]) -> (Vec<(AssetPart, Arrays)>, usize) {
    let mesh = Mesh::open(asset).unwrap();
    let mut inflated = 0;
    let blocks = AssetPart::ALL.iter().filter_map(|part| mesh.block(*part).unwrap());
    let blocks = blocks.map(|block| {
        let (part, mut arrays) = (block.part(), Arrays::default());
        inflated += block.bytes().len();
        arrays.block(block);
        (part, arrays)
    });
    (blocks.collect(), inflated)
}

fn lowest<'a>(asset: &'a [u8], buffers: &'a RefCell<Buffers>) -> [Contestant<'a, Sizes>; 3] {
    [
        Contestant::new("meshpeek", move || (repeat(|| lowest_into(asset, &mut buffers.borrow_mut())), ())),
        Contestant::new("meshpeek, nothing reused", move || {
            let open = || {
                let mesh = Mesh::open(asset).unwrap();
                let mut arrays = Arrays::default();
                arrays.block(mesh.level(Lod::Lowest).unwrap().block());
                arrays.sizes()
            };
            (repeat(open), ())
        }),
        Contestant::new("copying", move || {
            let load = || {
                let (blocks, _) = load(asset);
                blocks.iter().find(|(part, _)| *part == AssetPart::LowestLod).unwrap().1.sizes()
            };
            (repeat(load), ())
        }),
    ]
}

/// Runs a job several times, and returns its last answer.
fn repeat<A>(job: impl Fn() -> A) -> A {
    (1..TIMES).for_each(|_| drop(std::hint::black_box(job())));
    job()
}

fn lowest_into(asset: &[u8], Buffers { block, arrays }: &mut Buffers) -> Sizes {
    let mesh = Mesh::open(asset).unwrap();
    arrays.clear();
    arrays.block(mesh.view().block_into(AssetPart::LowestLod, block).unwrap().unwrap());
    arrays.sizes()
}

fn everything_into(asset: &[u8], Buffers { block, arrays }: &mut Buffers) -> usize {
    let mesh = Mesh::open(asset).unwrap();
    arrays.clear();
    let mut inflated = 0;
    for part in AssetPart::ALL {
        if let Some(block) = mesh.view().block_into(part, block).unwrap() {
            inflated += block.bytes().len();
            arrays.block(block);
        }
    }
    inflated
}

/// Each contestant returns the number of bytes to which the blocks inflate.
fn everything<'a>(asset: &'a [u8], buffers: &'a RefCell<Buffers>) -> [Contestant<'a, usize>; 3] {
    let mesh = Mesh::open(asset).unwrap();
    let blocks = mesh.header().unwrap().blocks();
    let stored: Vec<&[u8]> = blocks.map(|block| &asset[block.start as usize..block.end as usize]).collect();
    let engine = RefCell::new((Decompress::new(true), vec![0; asset.len() * 8]));
    [
        Contestant::new("meshpeek", move || (repeat(|| everything_into(asset, &mut buffers.borrow_mut())), ())),
        Contestant::new("copying", move || (repeat(|| load(asset).1), ())),
        Contestant::new("inflating alone", move || {
            let (engine, out) = &mut *engine.borrow_mut();
            let mut inflate = |stored: &&[u8]| {
                engine.reset(true);
                assert_eq!(engine.decompress(stored, out, FlushDecompress::Finish).unwrap(), Status::StreamEnd);
                std::hint::black_box(&out);
                engine.total_out() as usize
            };
            let mut total = 0;
            (0..TIMES).for_each(|_| total = stored.iter().map(&mut inflate).sum());
            (total, ())
        }),
    ]
}

fn first(asset: &[u8]) {
    let buffers = RefCell::default();
    let contestants = lowest(asset, &buffers);
    claims::race(1, &contestants);
    let [ours, fresh, copying] = claims::race(41, &contestants).map(|time| time.times(1e6 / TIMES as f64));
    claim("meshpeek", ours.clone(), "us", Bar::None);
    claim("meshpeek, nothing reused", fresh.clone(), "us", Bar::None);
    claim("copying", copying.clone(), "us", Bar::None);
    claim("copying / meshpeek", copying.over(&ours), "times", Bar::AtLeast(10.0));
    claim("copying / meshpeek, nothing reused", copying.over(&fresh), "times", Bar::None);
}

fn all(asset: &[u8]) {
    let buffers = RefCell::default();
    let contestants = everything(asset, &buffers);
    claims::race(1, &contestants);
    let [ours, copying, alone] = claims::race(41, &contestants).map(|time| time.times(1e6 / TIMES as f64));
    claim("meshpeek", ours.clone(), "us", Bar::None);
    claim("inflating alone", alone.clone(), "us", Bar::None);
    claim("copying", copying.clone(), "us", Bar::None);
    claim("meshpeek / inflating alone", ours.over(&alone), "times", Bar::AtMost(1.25));
    claim("copying / inflating alone", copying.over(&alone), "times", Bar::None);
    claim("copying / meshpeek", copying.over(&ours), "times", Bar::None);
}

/// Prints the nanoseconds to open an asset and decode everything: with reused buffers, and with new
/// ones.
fn probe(asset: &[u8]) {
    let mut buffers = Buffers::default();
    for round in 0..PROBES * 2 {
        let reused = time(|| everything_into(asset, &mut buffers));
        let fresh = time(|| load(asset));
        if round >= PROBES {
            println!("reused {reused}\nfresh {fresh}");
        }
    }
}

/// Returns the duration of a job in nanoseconds.
fn time<A>(job: impl FnOnce() -> A) -> u128 {
    let start = Instant::now();
    std::hint::black_box(job());
    start.elapsed().as_nanos()
}

/// Writes the positions, normals, texture coordinates and indices of each level, the most detailed
/// level first.
fn write(asset: &[u8], out: &Path) {
    let mesh = Mesh::open(asset).unwrap();
    let mut bytes = Vec::new();
    for lod in mesh.header().unwrap().lods() {
        let mut arrays = Arrays::default();
        arrays.block(mesh.level(lod).unwrap().block());
        let floats = arrays.positions.all().as_flattened().iter().chain(arrays.normals.all().as_flattened());
        let floats = floats.chain(arrays.uvs.all().as_flattened());
        bytes.extend(floats.flat_map(|float| float.to_le_bytes()));
        bytes.extend(arrays.indices.all().iter().flat_map(|index| index.to_le_bytes()));
    }
    std::fs::write(out, bytes).unwrap();
}

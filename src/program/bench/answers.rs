//! Runs the queries of the benchmark with meshpeek and with its two rivals.

use std::collections::VecDeque;
use std::ops::Range;
use std::time::Instant;

use crate::copying_loader::{self, InMemory, Lists, Loader, SurfaceLists};
use crate::io::PrefetchList;
use crate::math::as_index;
use crate::model::Positions;
use crate::{Array, Bounds, Geometry, Map, Model, Result, Weights};

use super::memory::Usage;
use super::mesh_files::MeshFiles;
use super::question::{BenchQuestion, Contestant, Sample};
use super::reading_loader;
use crate::program::args::Global;
use crate::program::input::bytes::map;

/// The numbers of the vertices that the query `RandomVertices` reads, in an endless sequence of
/// pseudo-random vertices.
const RANDOM_VERTICES: Range<u64> = 0..10_000;

/// The numbers of the vertices that are read before the query `RandomAgain` is measured. All
/// contestants then have the same part of their arrays in the caches of the processor. The lists of
/// a loader have just been written.
const EARLIER_VERTICES: Range<u64> = 0..1_000_000;

/// The numbers of the vertices that the query `RandomAgain` reads. They are more, because the time
/// is short if a program has all arrays already.
const MORE_RANDOM_VERTICES: Range<u64> = 1_000_000..1_100_000;

/// The number of random vertices that meshpeek prefetches to the cache before it reads the first of
/// them, if its arrays have more than [`CACHED_BYTES`].
const VERTICES_AHEAD: usize = 32;
/// The number of bytes that stay in a cache of the processor. Prefetching them takes longer than
/// reading them.
const CACHED_BYTES: usize = 1 << 20;

/// Runs one query of the benchmark on a mesh, and measures its time, memory and page faults.
pub fn answer(question: BenchQuestion, by: Contestant, files: &MeshFiles, global: &Global) -> Result<Sample> {
    match by {
        Contestant::Meshpeek => {
            let open = || files.open(global, map);
            if question == BenchQuestion::RandomAgain {
                let model = open()?;
                let held = HeldArrays::of(model.geometry())?;
                held.random(EARLIER_VERTICES);
                return measure(|| Ok(()), |()| Ok(BenchAnswer::Sum(held.random(MORE_RANDOM_VERTICES))));
            }
            measure(open, |model| ask_model(model, question))
        }
        Contestant::Copying => {
            answer_from_lists(question, || Lists::load(files.open(global, |path| crate::read(path))?.geometry()))
        }
        Contestant::Reading => answer_from_lists(question, || reading_loader::load(files, global)),
    }
}

/// Runs one query with a loader that makes lists of all arrays, and measures it.
fn answer_from_lists(question: BenchQuestion, load: impl Fn() -> Result<Lists>) -> Result<Sample> {
    if question == BenchQuestion::RandomAgain {
        let lists = load()?;
        random_of_lists(&lists, EARLIER_VERTICES);
        return measure(|| Ok(()), |()| Ok(BenchAnswer::Sum(random_of_lists(&lists, MORE_RANDOM_VERTICES))));
    }
    measure(load, |lists| Ok(ask_lists(lists, question)))
}

/// Opens the mesh, runs the query, and measures opening and query together. The memory and the page
/// faults are measured while the opened mesh and the result of the query are still in memory.
fn measure<T>(
    open: impl FnOnce() -> Result<T>,
    ask: impl for<'a> FnOnce(&'a T) -> Result<BenchAnswer<'a>>,
) -> Result<Sample> {
    // The first call of `Usage::now` allocates memory that later calls reuse, so the result of the
    // first call is not used.
    Usage::now();
    let before = Usage::now();
    let start = Instant::now();
    let opened = open()?;
    let answer = ask(&opened)?;
    let seconds = start.elapsed().as_secs_f64();
    let usage = Usage::now().since(&before);
    Ok(Sample { seconds, usage, digest: answer.digest() })
}

enum BenchAnswer<'a> {
    /// The result of a query that returns no value, such as the query that only opens the file.
    Nothing,
    Vertex(Option<[f32; 3]>),
    /// All decoded arrays of a surface. If the mesh has vertex frames, field 0 of `Surface`
    /// contains the positions of vertex frame 0.
    Surface(&'a [[f32; 3]], SurfaceLists),
    Sum(u64),
    Bounds(Bounds),
    Lists(Box<Lists>),
    /// All decoded arrays of the file, which a rival of meshpeek decoded when it opened the file.
    AllLists(&'a Lists),
}

impl BenchAnswer<'_> {
    fn digest(&self) -> u64 {
        match self {
            Self::Nothing => 0,
            Self::Vertex(at) => mix_all(0, at.iter().flatten()),
            Self::Surface(positions, lists) => lists.digest(positions),
            Self::Sum(sum) => *sum,
            Self::Bounds(Bounds { min, max }) => mix_all(0, min.iter().chain(max)),
            Self::Lists(lists) => lists.digest(),
            Self::AllLists(lists) => lists.digest(),
        }
    }
}

fn ask_model(model: &Model<Map>, question: BenchQuestion) -> Result<BenchAnswer<'_>> {
    let geometry = model.geometry();
    Ok(match question {
        BenchQuestion::Open => BenchAnswer::Nothing,
        BenchQuestion::FirstVertex => match first_surface(geometry)? {
            Some(surface) => BenchAnswer::Vertex(geometry.surface(surface)?.positions()?.get(0)),
            None => BenchAnswer::Vertex(None),
        },
        BenchQuestion::OneSurface => match first_surface(geometry)? {
            Some(surface) => {
                BenchAnswer::Surface(&[], Loader::new(InMemory).surface(&geometry.surface(surface)?, true)?)
            }
            None => BenchAnswer::Nothing,
        },
        BenchQuestion::RandomVertices | BenchQuestion::RandomAgain => {
            let held = HeldArrays::of(geometry)?;
            held.prefetch(RANDOM_VERTICES);
            BenchAnswer::Sum(held.random(RANDOM_VERTICES))
        }
        BenchQuestion::Bounds => {
            let mut bounds = Bounds::EMPTY;
            HeldArrays::of(geometry)?.shapes.iter().for_each(|shape| bounds = bounds.union(&shape.positions.bounds()));
            BenchAnswer::Bounds(bounds)
        }
        BenchQuestion::Everything => {
            model.file().prefetch();
            BenchAnswer::Lists(Box::new(Lists::load(geometry)?))
        }
    })
}

fn ask_lists(lists: &Lists, question: BenchQuestion) -> BenchAnswer<'_> {
    match question {
        BenchQuestion::Open => BenchAnswer::Nothing,
        BenchQuestion::FirstVertex => {
            let own = lists.first().and_then(|surface| surface.targets.first()?.positions.first());
            BenchAnswer::Vertex(lists.frame(0).first().or(own).copied())
        }
        BenchQuestion::OneSurface => match lists.first() {
            Some(surface) => BenchAnswer::Surface(lists.frame(0), surface.clone()),
            None => BenchAnswer::Nothing,
        },
        BenchQuestion::RandomVertices | BenchQuestion::RandomAgain => {
            BenchAnswer::Sum(random_of_lists(lists, RANDOM_VERTICES))
        }
        BenchQuestion::Bounds => {
            let all = lists.shapes.iter().map(|shape| copying_loader::bounds(&shape.positions));
            BenchAnswer::Bounds(all.fold(Bounds::EMPTY, |bounds, one| bounds.union(&one)))
        }
        BenchQuestion::Everything => BenchAnswer::AllLists(lists),
    }
}

/// Returns the index of the first surface that has a vertex.
pub fn first_surface(geometry: &dyn Geometry) -> Result<Option<usize>> {
    for surface in geometry.surfaces()? {
        if !surface.positions()?.is_empty() {
            return Ok(Some(surface.index()));
        }
    }
    Ok(None)
}

/// A position array of a mesh, with the bone weights of its vertices.
struct Shape<'a> {
    positions: Positions<'a>,
    weights: Option<Weights<'a>>,
}

/// Returns the position arrays of the mesh, each with the bone weights of its vertices. An array
/// that several surfaces share is returned once.
fn shapes(geometry: &dyn Geometry) -> Result<Vec<Shape<'_>>> {
    let mut shapes = Vec::new();
    let mut last = None;
    for surface in geometry.surfaces()? {
        let weights = surface.weights()?;
        for target in 0..usize::try_from(surface.counts()?.targets).unwrap_or(usize::MAX) {
            let positions = surface.target_positions(target)?;
            let key = Some((positions.as_bytes().as_ptr_range(), positions.len(), positions.byte_offset(0)));
            if key != last {
                shapes.push(Shape { positions, weights });
                last = key;
            }
        }
    }
    Ok(shapes)
}

/// The arrays of a mesh that a program keeps to read vertices at random.
struct HeldArrays<'a> {
    shapes: Vec<Shape<'a>>,
    /// The running sums of the numbers of vertices in `shapes`.
    ends: Vec<usize>,
}

impl<'a> HeldArrays<'a> {
    /// Finds the arrays. If the mesh has vertex frames, they are the arrays.
    fn of(geometry: &'a dyn Geometry) -> Result<Self> {
        let frames = geometry.vertex_frame_count()?;
        let shapes = match geometry.surfaces()?.next().filter(|_| frames > 0) {
            Some(surface) => match surface.vertex_frames()? {
                Some(all) => vec![Shape { positions: all, weights: None }],
                None => (0..frames)
                    .map(|frame| Ok(Shape { positions: surface.vertex_frame(frame)?, weights: None }))
                    .collect::<Result<_>>()?,
            },
            None => shapes(geometry)?,
        };
        let ends = ends(shapes.iter().map(|shape| shape.positions.len()));
        Ok(Self { shapes, ends })
    }

    /// Returns the array and the index in it of each vertex that the query reads.
    fn picks(&self, numbers: Range<u64>) -> impl Iterator<Item = (&Shape<'a>, u32)> {
        picks(numbers, self.ends.last().copied().unwrap_or_default()).filter_map(|pick| {
            let (shape, vertex) = find(&self.ends, pick);
            Some((self.shapes.get(shape)?, u32::try_from(vertex).ok()?))
        })
    }

    /// Prefetches the vertices that the query reads.
    fn prefetch(&self, numbers: Range<u64>) {
        let mut list = PrefetchList::default();
        for (shape, vertex) in self.picks(numbers) {
            shape.positions.list_item(as_index(vertex), &mut list);
            shape.weights.iter().for_each(|weights| weights.list_item(vertex, &mut list));
        }
        list.prefetch();
    }

    /// Reads random vertices, and returns a hash of their values. In large arrays, the vertices
    /// that are read next are prefetched to the cache.
    fn random(&self, numbers: Range<u64>) -> u64 {
        let mut picks = self.picks(numbers);
        let bytes = |shape: &Shape<'_>| shape.positions.as_bytes().len();
        if self.shapes.iter().map(bytes).sum::<usize>() <= CACHED_BYTES {
            return picks.fold(0, read);
        }
        let prefetch = |(shape, vertex): &(&Shape<'_>, u32)| {
            shape.positions.prefetch_to_cache(as_index(*vertex));
            shape.weights.iter().for_each(|weights| weights.prefetch_to_cache(*vertex));
        };
        let mut ahead: VecDeque<_> = picks.by_ref().take(VERTICES_AHEAD).inspect(prefetch).collect();
        let mut sum = 0;
        while let Some(pick) = ahead.pop_front() {
            ahead.extend(picks.next().inspect(prefetch));
            sum = read(sum, pick);
        }
        sum
    }
}

/// Reads a vertex, and adds its values to a hash.
fn read(mut sum: u64, (shape, vertex): (&Shape<'_>, u32)) -> u64 {
    sum = mix_all(sum, shape.positions.get(as_index(vertex)).iter().flatten());
    if let Some(influences) = &shape.weights.as_ref().and_then(|weights| weights.get(vertex)) {
        influences.for_each(|one| sum = mix(mix(sum, one.bone.cast_unsigned()), one.weight.to_bits()));
    }
    sum
}

fn random_of_lists(lists: &Lists, numbers: Range<u64>) -> u64 {
    let ends = ends(lists.shapes.iter().map(|shape| shape.positions.len()));
    let picks = picks(numbers, ends.last().copied().unwrap_or_default());
    picks.fold(0, |mut sum, pick| {
        let (shape, vertex) = find(&ends, pick);
        let Some(shape) = lists.shapes.get(shape) else { return sum };
        sum = mix_all(sum, shape.positions.get(vertex).into_iter().flatten());
        for one in shape.weights.as_ref().and_then(|weights| weights.get(vertex)).unwrap_or_default() {
            sum = mix(mix(sum, one.bone.cast_unsigned()), one.weight.to_bits());
        }
        sum
    })
}

/// Returns the running sum of the vertex counts: element *i* is the number of vertices in the
/// arrays 0 to *i*.
fn ends(lengths: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut sum = 0_usize;
    let end = |length| {
        sum = sum.saturating_add(length);
        sum
    };
    lengths.map(end).collect()
}

/// Returns the index of the position array that contains a vertex, and the index of the vertex in
/// this array. `pick` is the index of the vertex in the concatenation of all position arrays.
fn find(ends: &[usize], pick: usize) -> (usize, usize) {
    let shape = ends.partition_point(|end| *end <= pick);
    let start = shape.checked_sub(1).and_then(|before| ends.get(before)).copied().unwrap_or_default();
    (shape, pick.saturating_sub(start))
}

/// Returns pseudo-random vertex indices below `count`: those with the given numbers in an endless
/// sequence. All contestants read the vertices with the same indices.
fn picks(numbers: Range<u64>, count: usize) -> impl Iterator<Item = usize> {
    let draw = move |seed: u64| {
        let mixed = (seed ^ (seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    };
    let seeds = numbers.map(|number| number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let count = u64::try_from(count).unwrap_or(u64::MAX);
    seeds.filter_map(move |seed| usize::try_from(draw(seed).checked_rem(count)?).ok())
}

fn mix(sum: u64, number: u32) -> u64 {
    (sum.rotate_left(5) ^ u64::from(number)).wrapping_mul(0x517c_c1b7_2722_0a95)
}

fn mix_all<'n>(sum: u64, numbers: impl IntoIterator<Item = &'n f32>) -> u64 {
    numbers.into_iter().fold(sum, |sum, number| mix(sum, number.to_bits()))
}

//! Runs the queries of the benchmark with meshpeek and with the copying loader.

use std::time::Instant;

use crate::model::Positions;
use crate::{Array, Bounds, Geometry, Result, Weights};

use super::copying_loader::{self, Lists, Loader, SurfaceLists};
use super::memory::Usage;
use super::mesh_files::MeshFiles;
use super::question::{BenchQuestion, Contestant, Response};
use crate::program::args::Global;
use crate::program::input::bytes::map;

/// The number of vertices that one random-access query of the benchmark reads.
const RANDOM_VERTICES: u64 = 10_000;

/// Runs one query of the benchmark on a mesh, and measures its time, memory and page faults.
pub fn answer(question: BenchQuestion, by: Contestant, files: &MeshFiles, global: &Global) -> Result<Response> {
    match by {
        Contestant::Meshpeek => {
            race(question, || files.open(global, map), |model, question| ask_model(model.geometry()?, question))
        }
        Contestant::Copying => {
            let load = || Lists::of(files.open(global, |path| crate::read(path))?.geometry()?);
            race(question, load, |lists, question| Ok(ask_lists(lists, question)))
        }
    }
}

/// Opens the mesh, runs the query, and measures opening and query together. The memory and the page
/// faults are measured while the opened mesh and the result of the query are still in memory.
fn race<T>(
    question: BenchQuestion,
    open: impl Fn() -> Result<T>,
    ask: impl for<'a> Fn(&'a T, BenchQuestion) -> Result<BenchAnswer<'a>>,
) -> Result<Response> {
    let mut opened = None;
    if question == BenchQuestion::RandomAgain {
        let before = open()?;
        ask(&before, BenchQuestion::RandomVertices)?;
        opened = Some(before);
    }
    // The first call of `Usage::now` allocates memory that later calls reuse, so the result of the
    // first call is not used.
    Usage::now();
    let before = Usage::now();
    let start = Instant::now();
    let opened = opened.map_or_else(open, Ok)?;
    let answer = ask(&opened, question)?;
    let seconds = start.elapsed().as_secs_f64();
    let usage = Usage::now().since(&before);
    Ok(Response { seconds, usage, digest: answer.digest() })
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
    /// All decoded arrays of the file, which the copying loader decoded when it opened the file.
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

fn ask_model(geometry: &dyn Geometry, question: BenchQuestion) -> Result<BenchAnswer<'_>> {
    Ok(match question {
        BenchQuestion::Open => BenchAnswer::Nothing,
        BenchQuestion::FirstVertex => match copying_loader::first_surface(geometry)? {
            Some(surface) => BenchAnswer::Vertex(geometry.positions(surface, 0)?.get(0)),
            None => BenchAnswer::Vertex(None),
        },
        BenchQuestion::OneSurface => match copying_loader::first_surface(geometry)? {
            Some(surface) => BenchAnswer::Surface(&[], Loader::new().surface(geometry, surface, true)?),
            None => BenchAnswer::Nothing,
        },
        BenchQuestion::RandomVertices | BenchQuestion::RandomAgain => {
            BenchAnswer::Sum(random_of_model(geometry, question)?)
        }
        BenchQuestion::Bounds => {
            let mut bounds = Bounds::EMPTY;
            match geometry.vertex_frame_count()? {
                0 => shapes(geometry)?.iter().for_each(|(positions, _)| bounds = bounds.union(&positions.bounds())),
                frames => {
                    for frame in 0..frames {
                        bounds = bounds.union(&geometry.vertex_frame(0, frame)?.bounds());
                    }
                }
            }
            BenchAnswer::Bounds(bounds)
        }
        BenchQuestion::Everything => BenchAnswer::Lists(Box::new(Lists::of(geometry)?)),
    })
}

fn ask_lists(lists: &Lists, question: BenchQuestion) -> BenchAnswer<'_> {
    let frame = || lists.frames.get(..lists.frame_vertices).unwrap_or_default();
    match question {
        BenchQuestion::Open => BenchAnswer::Nothing,
        BenchQuestion::FirstVertex => {
            let own = lists.first().and_then(|surface| surface.targets.first()?.positions.first());
            BenchAnswer::Vertex(frame().first().or(own).copied())
        }
        BenchQuestion::OneSurface => match lists.first() {
            Some(surface) => BenchAnswer::Surface(frame(), surface.clone()),
            None => BenchAnswer::Nothing,
        },
        BenchQuestion::RandomVertices | BenchQuestion::RandomAgain => {
            BenchAnswer::Sum(random_of_lists(lists, question))
        }
        BenchQuestion::Bounds => {
            let all = lists.shapes.iter().map(|shape| copying_loader::bounds(&shape.positions));
            BenchAnswer::Bounds(all.fold(copying_loader::bounds(&lists.frames), |bounds, one| bounds.union(&one)))
        }
        BenchQuestion::Everything => BenchAnswer::AllLists(lists),
    }
}

/// Returns the position arrays of the mesh, each with the bone weights of its vertices. An array
/// that several surfaces share is returned once.
fn shapes(geometry: &dyn Geometry) -> Result<Vec<(Positions<'_>, Option<Weights<'_>>)>> {
    let mut shapes = Vec::new();
    let mut last = None;
    for surface in 0..geometry.surface_count()? {
        let weights = geometry.weights(surface)?;
        for target in 0..usize::try_from(geometry.counts(surface)?.targets).unwrap_or(usize::MAX) {
            let positions = geometry.positions(surface, target)?;
            let key = Some((positions.as_bytes().as_ptr_range(), positions.len(), positions.byte_offset(0)));
            if key != last {
                shapes.push((positions, weights));
                last = key;
            }
        }
    }
    Ok(shapes)
}

fn random_of_model(geometry: &dyn Geometry, question: BenchQuestion) -> Result<u64> {
    let frames = geometry.vertex_frame_count()?;
    if frames > 0 && geometry.surface_count()? > 0 {
        let vertices = geometry.vertex_frame(0, 0)?.len();
        let picks = picks(question, vertices.saturating_mul(frames));
        return picks.into_iter().try_fold(0, |sum, pick| {
            let (frame, vertex) = (pick.checked_div(vertices), pick.checked_rem(vertices));
            let at = geometry.vertex_frame(0, frame.unwrap_or_default())?.get(vertex.unwrap_or_default());
            Ok(mix_all(sum, at.iter().flatten()))
        });
    }
    let shapes = shapes(geometry)?;
    let ends = ends(shapes.iter().map(|(positions, _)| positions.len()));
    let picks = picks(question, ends.last().copied().unwrap_or_default());
    Ok(picks.into_iter().fold(0, |mut sum, pick| {
        let (shape, vertex) = find(&ends, pick);
        let Some((positions, weights)) = shapes.get(shape) else { return sum };
        sum = mix_all(sum, positions.get(vertex).iter().flatten());
        if let Some(influences) =
            weights.as_ref().zip(u32::try_from(vertex).ok()).and_then(|(weights, vertex)| weights.get(vertex))
        {
            influences.for_each(|one| sum = mix(mix(sum, one.bone.cast_unsigned()), one.weight.to_bits()));
        }
        sum
    }))
}

fn random_of_lists(lists: &Lists, question: BenchQuestion) -> u64 {
    if !lists.frames.is_empty() {
        let picks = picks(question, lists.frames.len());
        return picks.into_iter().fold(0, |sum, pick| mix_all(sum, lists.frames.get(pick).into_iter().flatten()));
    }
    let ends = ends(lists.shapes.iter().map(|shape| shape.positions.len()));
    let picks = picks(question, ends.last().copied().unwrap_or_default());
    picks.into_iter().fold(0, |mut sum, pick| {
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

/// Returns pseudo-random vertex indices below `count`.
///
/// The query `RandomAgain` gets other vertex indices than the query `RandomVertices`. For the same
/// query, meshpeek and the copying loader read the vertices with the same indices.
fn picks(question: BenchQuestion, count: usize) -> Vec<usize> {
    let first = if question == BenchQuestion::RandomAgain { RANDOM_VERTICES } else { 0 };
    let draw = |seed: u64| {
        let mixed = (seed ^ (seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    };
    let seeds = (first..first.saturating_add(RANDOM_VERTICES)).map(|number| number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let count = u64::try_from(count).unwrap_or(u64::MAX);
    seeds.filter_map(|seed| usize::try_from(draw(seed).checked_rem(count)?).ok()).collect()
}

fn mix(sum: u64, number: u32) -> u64 {
    (sum.rotate_left(5) ^ u64::from(number)).wrapping_mul(0x517c_c1b7_2722_0a95)
}

fn mix_all<'n>(sum: u64, numbers: impl IntoIterator<Item = &'n f32>) -> u64 {
    numbers.into_iter().fold(sum, |sum, number| mix(sum, number.to_bits()))
}

//! Many rays side by side: while one waits for memory, others go on.

use crate::array::Bounds;
use crate::bvh::kernel::Sieve;
use crate::bvh::layout::{RawNode, WIDTH};
use crate::bvh::traverse::{Stack, fetch, numbers};
use crate::bvh::tree::{Damaged, View};
use crate::bvh::triangles::{Block, Numbers, Triangles};
use crate::math::as_index;
use crate::query::ray::Ray;
use crate::query::ray_query::{AlongRay, Cast, Found, Nearest, take_leaf};

/// Rays that are under way at a time.
const ABREAST: usize = 8;
/// Rays that are made ready at a time.
const READY: usize = 4096;
/// Fewer rays are asked in the order that they come in.
const FEW: usize = 256;

/// A ray, and what it has hit so far.
pub(crate) struct Job {
    pub(crate) cast: Cast,
    /// On the surface that is asked.
    pub(crate) best: Nearest,
    /// On those before, and the place of that one.
    known: Option<(usize, Found)>,
}

/// Rays through one tree.
pub(crate) struct Many<'a, 'b> {
    pub(crate) view: View<'a>,
    pub(crate) triangles: &'b Triangles<'a>,
    pub(crate) jobs: &'b mut [Option<Job>],
}

/// Asks for the first hit of each ray: sorted, so that those which follow one another look at the same memory. `ask` asks one surface after
/// the other, and calls [`note`] after each.
pub(crate) fn rays(
    rays: &[Ray],
    bounds: &Bounds,
    ask: impl Fn(&mut [Option<Job>]) + Send + Sync,
) -> Vec<Option<(usize, Found)>> {
    let order = order(rays, bounds);
    let part = |numbers: &[u32]| -> Vec<Option<Job>> {
        let rays = numbers.iter().map(|number| rays.get(as_index(*number)));
        let jobs = rays.map(|ray| Some(Job { cast: Cast::new(ray?)?, best: Nearest::default(), known: None }));
        let mut jobs: Vec<_> = jobs.collect();
        ask(&mut jobs);
        jobs
    };
    #[cfg(feature = "rayon")]
    let answered: Vec<_> = {
        use rayon::iter::ParallelIterator as _;
        use rayon::slice::ParallelSlice as _;
        order.par_chunks(READY).map(part).collect()
    };
    #[cfg(not(feature = "rayon"))]
    let answered = order.chunks(READY).map(part);
    let mut found = vec![None; rays.len()];
    for (numbers, jobs) in order.chunks(READY).zip(answered) {
        for (number, job) in numbers.iter().zip(jobs) {
            if let Some(place) = found.get_mut(as_index(*number)) {
                *place = job.and_then(|job| job.known);
            }
        }
    }
    found
}

/// Notes what was hit on the surface that stands in place `number`. Of hits as near as each other, the first stays.
pub(crate) fn note(jobs: &mut [Option<Job>], number: usize) {
    for job in jobs.iter_mut().flatten() {
        if let Some(found) = job.best.0.take() {
            let is_nearer = job.known.is_none_or(|(_, known)| found.crossing.t < known.crossing.t);
            if is_nearer {
                job.known = Some((number, found));
            }
        }
    }
}

/// Returns the numbers of the rays in the order in which they are asked.
fn order(rays: &[Ray], bounds: &Bounds) -> Vec<u32> {
    let mut keys: Vec<(u64, u32)> = rays.iter().zip(0..).map(|(ray, number)| (key(ray, bounds), number)).collect();
    if rays.len() >= FEW {
        keys.sort_unstable();
    }
    keys.into_iter().map(|(_, number)| number).collect()
}

/// Returns a number that is near for rays that come into a box near each other, in directions alike: a Morton code.
#[allow(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "casts of floats saturate"
)]
fn key(ray: &Ray, bounds: &Bounds) -> u64 {
    let mut start = 0.0_f32;
    let axes = ray.origin.iter().zip(ray.direction).zip(bounds.min.iter().zip(bounds.max));
    for ((origin, direction), (min, max)) in axes.clone() {
        let [one, other] = [*min, max].map(|plane| (plane - origin) / direction);
        start = start.max(one.min(other));
    }
    let length = ray.direction.iter().map(|part| part.abs()).fold(0.0, f32::max);
    let mut parts = [0_u64; 6];
    for (at, ((origin, direction), (min, max))) in axes.enumerate() {
        let place = (origin + start * direction - min) / (max - min);
        for (at, value) in [(at, place * 1023.0), (at.saturating_add(3), (direction / length).mul_add(7.5, 8.0))] {
            if let Some(part) = parts.get_mut(at) {
                *part = u64::from((value as u16).min(1023));
            }
        }
    }
    let [x, y, z, dx, dy, dz] = parts;
    let places = (0..10).rev().map(|bit| ([x, y, z], bit));
    let directions = (0..4).rev().map(|bit| ([dx, dy, dz], bit));
    let (first, rest) = (places.clone().take(4), places.skip(4));
    let bits = first.zip(directions).flat_map(|(one, other)| [one, other]).chain(rest);
    bits.flat_map(|(parts, bit)| parts.map(|part| part >> bit & 1)).fold(0, |key, bit| key << 1 | bit)
}

/// Where a ray is on its way.
struct Lane {
    job: usize,
    stack: Stack,
    /// Nodes that it may still visit.
    left: u64,
    next: Next,
}

/// What was asked of memory, and is looked at next.
enum Next {
    Node(u32),
    Indices(u32),
    Positions(u32, Numbers),
    /// Nothing: the ray has arrived.
    Done,
}

impl AlongRay for Many<'_, '_> {
    type Answer = Result<(), Damaged>;

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "it must be compiled for the processor of whoever calls it")]
    fn run(
        self,
        block: impl Fn(&Triangles<'_>, &Numbers) -> Block,
        boxes: impl Fn(&RawNode, &Sieve, f32) -> (u32, [f32; WIDTH]),
        sift: impl Fn(&Block, &Sieve, f32) -> u32,
    ) -> Result<(), Damaged> {
        let Self { view, triangles, jobs } = self;
        let mut waiting = 0..jobs.len();
        let mut lanes: [Lane; ABREAST] = std::array::from_fn(|_| Lane::idle());
        loop {
            let mut busy = false;
            for lane in &mut lanes {
                if matches!(lane.next, Next::Done) {
                    let meets = |job: &Job| job.cast.meets(&view.shape.bounds).is_some();
                    let found = waiting.by_ref().find(|job| jobs.get(*job).and_then(Option::as_ref).is_some_and(meets));
                    let Some((number, job)) = found.and_then(|at| Some((at, jobs.get_mut(at)?.as_mut()?))) else {
                        continue;
                    };
                    lane.start(number, job, &view);
                }
                busy = true;
                let Some(Some(job)) = jobs.get_mut(lane.job) else { continue };
                lane.step(&view, triangles, job, &block, &boxes, &sift)?;
            }
            if !busy {
                return Ok(());
            }
        }
    }
}

impl Lane {
    const fn idle() -> Self {
        Self { job: 0, stack: Stack::new(), left: 0, next: Next::Done }
    }

    fn start(&mut self, number: usize, job: &mut Job, view: &View<'_>) {
        self.job = number;
        job.cast.blur(&view.shape.bounds);
        self.stack.clear();
        self.left = view.shape.nodes;
        self.next = Next::Node(view.shape.root);
        view.fetch(view.shape.root);
    }

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "it must be compiled for the processor of whoever calls it")]
    fn step(
        &mut self,
        view: &View<'_>,
        triangles: &Triangles<'_>,
        job: &mut Job,
        block: &impl Fn(&Triangles<'_>, &Numbers) -> Block,
        boxes: &impl Fn(&RawNode, &Sieve, f32) -> (u32, [f32; WIDTH]),
        sift: &impl Fn(&Block, &Sieve, f32) -> u32,
    ) -> Result<(), Damaged> {
        let next = match &self.next {
            Next::Node(node) => {
                self.left = self.left.checked_sub(1).ok_or(Damaged)?;
                let node = view.node(*node)?;
                let limit = job.cast.limit();
                let (bits, near) = boxes(node, &job.cast.sieve, limit);
                self.stack.descend(node, bits, &near, limit, None)?
            }
            Next::Indices(child) => {
                let numbers = numbers(triangles, &view.leaf(*child)?);
                triangles.fetch_positions(&numbers);
                self.next = Next::Positions(*child, numbers);
                return Ok(());
            }
            Next::Positions(child, numbers) => {
                let leaf = view.leaf(*child)?;
                let block = block(triangles, numbers);
                let bits = sift(&block, &job.cast.sieve, job.cast.limit());
                let flow = take_leaf(&mut job.cast, triangles, bits, &leaf, &mut job.best);
                debug_assert!(flow.is_continue(), "the nearest hit is not known before the last");
                self.stack.pop_within(job.cast.limit())
            }
            Next::Done => return Ok(()),
        };
        if let Some((child, is_leaf)) = next {
            fetch(view, triangles, child, is_leaf);
        }
        self.next = match next {
            Some((child, true)) => Next::Indices(child),
            Some((child, false)) => Next::Node(child),
            None => Next::Done,
        };
        Ok(())
    }
}

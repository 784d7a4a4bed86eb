//! Casts many rays with interleaved tree traversals: while one ray waits for data from memory, the
//! same thread continues the traversals of other rays. Sorted rays mostly visit the same tree
//! nodes, which are then still in the processor cache.

// Rule: this file sorts and maps by copies only.

use crate::array::Bounds;
use crate::bvh::kernel::dispatch::{KernelJob, Kernels};
use crate::bvh::lanes::CornerIndices;
use crate::bvh::traverse::{NextChild, Traversal};
use crate::bvh::tree_view::{DamagedTree, TreeView};
use crate::bvh::triangles::Triangles;
use crate::math::as_index;
use crate::query::ray::Ray;
use crate::query::ray_query::{NearestHit, RayQuery, SingleRay, TriangleHit};

/// The number of rays whose traversals of a tree are interleaved in one thread.
const ACTIVE_RAY_BATCH: usize = 8;
/// The maximum number of rays that one thread prepares and casts in one batch.
const RAY_BATCH: usize = 4096;
/// The minimum number of rays for which sorting is worth its cost. Fewer than 256 rays are cast in
/// the order of the input.
const MIN_RAYS_TO_SORT: usize = 256;

/// A ray of a batch, with the nearest hit found so far on the current surface, and the nearest hit
/// on all earlier surfaces.
pub(crate) struct BatchRay {
    pub(crate) query: RayQuery,
    /// The nearest hit of the ray, so far, on the surface at which the ray is currently being cast.
    pub(crate) nearest: NearestHit,
    /// The nearest hit of the ray on the surfaces that were tested before the current surface, with
    /// the index of the hit surface in the scene.
    known: Option<(usize, TriangleHit)>,
}

/// A batch of rays that are cast through the tree of one surface.
pub(crate) struct RayBatch<'a, 'b> {
    pub(crate) view: TreeView<'a>,
    pub(crate) triangles: &'b Triangles<'a>,
    /// The mask of the surface.
    pub(crate) mask: u32,
    pub(crate) rays: &'b mut [Option<BatchRay>],
}

/// Returns the nearest hit of each ray, with the index of the hit surface in the scene.
///
/// The closure `cast` receives a batch of rays. The closure `cast` must cast the rays of the batch
/// at one surface after another, and must call [`keep_nearest`] after each surface.
pub(crate) fn first_hits(
    rays: &[Ray],
    bounds: &Bounds,
    cast: impl Fn(&mut [Option<BatchRay>]) + Send + Sync,
) -> Vec<Option<(usize, TriangleHit)>> {
    in_sorted_order(rays, bounds, |rays| {
        let prepare = |ray| Some(BatchRay { query: RayQuery::new(ray)?, nearest: NearestHit::default(), known: None });
        let mut prepared: Vec<_> = rays.map(prepare).collect();
        cast(&mut prepared);
        prepared.into_iter().map(|ray| ray.and_then(|ray| ray.known)).collect()
    })
}

/// Returns the answer of each ray, in the order of `rays`. The closure `cast` receives some rays,
/// which are sorted, and returns their answers. With the feature `rayon`, it is called in parallel.
pub(crate) fn in_sorted_order<T: Clone + Send>(
    rays: &[Ray],
    bounds: &Bounds,
    cast: impl Fn(&mut dyn Iterator<Item = &Ray>) -> Vec<Option<T>> + Send + Sync,
) -> Vec<Option<T>> {
    let order = sorted_order(rays, bounds);
    let part = |numbers: &[u32]| cast(&mut numbers.iter().filter_map(|number| rays.get(as_index(*number))));
    #[cfg(feature = "rayon")]
    let answered: Vec<_> = if crate::parallel::has_threads() {
        use rayon::iter::ParallelIterator as _;
        use rayon::slice::ParallelSlice as _;
        order.par_chunks(RAY_BATCH).map(part).collect()
    } else {
        order.chunks(RAY_BATCH).map(part).collect()
    };
    #[cfg(not(feature = "rayon"))]
    let answered = order.chunks(RAY_BATCH).map(part);
    let mut hits = vec![None; rays.len()];
    for (numbers, answers) in order.chunks(RAY_BATCH).zip(answered) {
        for (number, answer) in numbers.iter().zip(answers) {
            if let Some(place) = hits.get_mut(as_index(*number)) {
                *place = answer;
            }
        }
    }
    hits
}

/// Returns the indices of the rays in the order in which the rays are cast.
fn sorted_order(rays: &[Ray], bounds: &Bounds) -> Vec<u32> {
    let mut keys: Vec<(u64, u32)> =
        rays.iter().zip(0..).map(|(ray, number)| (place_code(ray, bounds), number)).collect();
    if rays.len() >= MIN_RAYS_TO_SORT {
        keys.sort_unstable();
    }
    keys.into_iter().map(|(_, number)| number).collect()
}

/// Returns the Morton code of a ray, which is the key for sorting the rays.
///
/// The Morton codes of two rays are close if the rays enter the bounding box of the scene at close
/// points, in similar directions.
#[allow(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "casts of floats saturate"
)]
fn place_code(ray: &Ray, bounds: &Bounds) -> u64 {
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

/// Updates the nearest hit of each ray of a batch, after all rays of the batch were cast at the
/// surface with the index `surface`.
///
/// For each ray, the hit on the surface `surface` replaces the nearest hit on the earlier surfaces
/// if the hit on `surface` has a smaller ray parameter `t`.
///
/// If a ray hits `surface` and an earlier surface at the same `t`, the hit on the earlier surface
/// is kept.
pub(crate) fn keep_nearest(rays: &mut [Option<BatchRay>], surface: usize) {
    for ray in rays.iter_mut().flatten() {
        if let Some(hit) = ray.nearest.0.take() {
            let is_nearer = ray.known.is_none_or(|(_, known)| hit.crossing.t < known.crossing.t);
            if is_nearer {
                ray.known = Some((surface, hit));
            }
        }
    }
}

/// The state of the traversal of a surface's tree for one ray.
struct ActiveRay {
    ray: usize,
    traversal: Traversal,
    next: NextStep,
}

/// The tree node or leaf that a ray visits next, whose memory has already been prefetched.
enum NextStep {
    Node(u32),
    Indices(u32),
    Positions(u32, CornerIndices),
    /// The traversal of the tree is complete: the ray needs no further node or leaf.
    Done,
}

impl KernelJob for RayBatch<'_, '_> {
    type Output = Result<(), DamagedTree>;

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "it must be compiled with the target features of its caller")]
    fn run(self, kernels: &impl Kernels) -> Result<(), DamagedTree> {
        let Self { view, triangles, mask, rays } = self;
        let mut waiting = 0..rays.len();
        let mut active: [ActiveRay; ACTIVE_RAY_BATCH] = std::array::from_fn(|_| ActiveRay::idle());
        loop {
            let mut busy = false;
            for active in &mut active {
                if matches!(active.next, NextStep::Done) {
                    let meets =
                        |ray: &BatchRay| ray.query.mask & mask != 0 && ray.query.meets(&view.header.bounds).is_some();
                    let found = waiting.by_ref().find(|ray| rays.get(*ray).and_then(Option::as_ref).is_some_and(meets));
                    let Some((number, ray)) = found.and_then(|at| Some((at, rays.get_mut(at)?.as_mut()?))) else {
                        continue;
                    };
                    active.start(number, ray, &view);
                }
                busy = true;
                let Some(Some(ray)) = rays.get_mut(active.ray) else { continue };
                active.step(&view, triangles, ray, kernels)?;
            }
            if !busy {
                return Ok(());
            }
        }
    }
}

impl ActiveRay {
    const fn idle() -> Self {
        Self { ray: 0, traversal: Traversal::idle(), next: NextStep::Done }
    }

    fn start(&mut self, number: usize, ray: &mut BatchRay, view: &TreeView<'_>) {
        self.ray = number;
        ray.query.widen(&view.header.bounds);
        let (root, is_leaf) = self.traversal.start(view);
        if is_leaf {
            self.next = NextStep::Indices(root);
        } else {
            self.next = NextStep::Node(root);
            view.prefetch(root);
        }
    }

    /// Visits the prefetched tree node or leaf, and prefetches the memory of the node or leaf that
    /// the ray visits next.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "it must be compiled with the target features of its caller")]
    fn step(
        &mut self,
        view: &TreeView<'_>,
        triangles: &Triangles<'_>,
        ray: &mut BatchRay,
        kernels: &impl Kernels,
    ) -> Result<(), DamagedTree> {
        let mut query = SingleRay::new(&mut ray.query, &mut ray.nearest);
        let next: NextChild = match &self.next {
            NextStep::Node(node) => self.traversal.visit_node(view, *node, &query, kernels, None)?,
            NextStep::Indices(child) => {
                let corners = view.leaf(*child)?.corner_indices(triangles);
                triangles.prefetch_positions(&corners);
                self.next = NextStep::Positions(*child, corners);
                return Ok(());
            }
            NextStep::Positions(child, corners) => {
                let leaf = view.leaf(*child)?;
                // The query for the nearest hit never stops early, because any remaining leaf may
                // contain a nearer hit.
                self.traversal.visit_leaf(triangles, &leaf, corners, &mut query, kernels).continue_value().flatten()
            }
            NextStep::Done => return Ok(()),
        };
        if let Some((child, is_leaf)) = next {
            view.prefetch_child(triangles, child, is_leaf);
        }
        self.next = match next {
            Some((child, true)) => NextStep::Indices(child),
            Some((child, false)) => NextStep::Node(child),
            None => NextStep::Done,
        };
        Ok(())
    }
}

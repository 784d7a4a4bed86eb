//! Casts many rays. If rays in sequence have little in common, their tree traversals are
//! interleaved: while one ray waits for data from memory, the same thread continues the traversals
//! of others.

use crate::array::Bounds;
use crate::bvh::kernel::dispatch::{KernelJob, Kernels};
use crate::bvh::lanes::CornerIndices;
use crate::bvh::probe::Probe;
use crate::bvh::traverse::{NextChild, Traversal};
use crate::bvh::tree_view::{DamagedTree, TreeView};
use crate::bvh::triangles::Triangles;
use crate::math::{dot, subtract};
use crate::query::box_tree::wide_box;
use crate::query::ray::{Hit, Ray};
use crate::query::ray_query::{Aim, NearestHit, RayQuery, SingleRay, TriangleHit};
use crate::query::scene::Scene;
use crate::query::scene_queries::ProbedScene;

/// The number of rays whose traversals of a tree are interleaved in one thread.
const ACTIVE_RAY_BATCH: usize = 8;
/// The maximum number of rays of a batch, which are cast in the same way by one thread.
const RAY_BATCH: usize = 4096;
/// The maximum number of rays whose traversals are interleaved with those of each other. Prepared
/// rays take memory, which is kept small enough for the processor cache.
const MAX_INTERLEAVED: usize = 512;
/// The minimum number of rays of a batch that may be interleaved.
const MIN_INTERLEAVED: usize = 256;
/// The minimum size of the trees, indices and positions, in bytes, from which on rays are
/// interleaved. Smaller scenes are in the processor cache, so no ray waits for memory.
const MIN_INTERLEAVED_BYTES: usize = 8 << 20;
/// The maximum number of surfaces of a scene whose rays are interleaved. All rays of a batch are
/// cast at one surface after another, although a single ray finds the few surfaces that it needs.
const MAX_INTERLEAVED_SURFACES: usize = 8;
/// The number of groups of rays that show how to cast a batch, and the number of rays of a group.
/// The groups are spread over the batch, because a picture may have nothing at its edge.
const SAMPLE_GROUPS: usize = 8;
const GROUP_RAYS: usize = 4;
/// The average number of triangles that a ray is tested against, from which on rays are cast one by
/// one. The time of such rays is that of the tests.
const MANY_TRIANGLES: u32 = 32;
/// Two hits are close if their distance is less than this fraction of the size of the scene. If
/// most rays in sequence have close hits, they are cast one by one, because each finds what it
/// reads in the processor cache.
const CLOSE_HITS: f32 = 1.0 / 32.0;

/// A ray of a batch, with the nearest hit found so far on the current surface, and the nearest hit
/// on all earlier surfaces.
pub(crate) struct BatchRay {
    pub(crate) query: RayQuery,
    aim: Aim,
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

/// Returns the nearest hit of each ray.
pub(crate) fn first_hits(scene: &Scene<'_>, rays: &[Ray]) -> Vec<Option<Hit>> {
    first_hits_in(scene, rays, MIN_INTERLEAVED_BYTES)
}

/// Returns the nearest hit of each ray. Rays are not interleaved if the scene has fewer than
/// `min_bytes`.
fn first_hits_in(scene: &Scene<'_>, rays: &[Ray], min_bytes: usize) -> Vec<Option<Hit>> {
    let (bounds, surfaces) = (scene.bounds(), scene.surfaces());
    let is_large = surfaces.trees.len() <= MAX_INTERLEAVED_SURFACES && surfaces.bytes() >= min_bytes;
    in_batches(rays, |rays, hits| {
        let mut sample = RaySample::new(&bounds);
        let groups = if is_large && rays.len() >= MIN_INTERLEAVED { SAMPLE_GROUPS } else { 0 };
        for group in rays.chunks(rays.len().div_ceil(SAMPLE_GROUPS)).take(groups) {
            sample.last = None;
            for ray in group.iter().take(GROUP_RAYS) {
                let hit = ProbedScene::new(scene, &mut sample).ray(ray);
                sample.add(hit.as_ref());
            }
        }
        if sample.is_incoherent() {
            interleave(scene, rays, hits);
        } else {
            hits.extend(rays.iter().map(|ray| scene.ray(ray)));
        }
    })
}

/// Appends the nearest hit of each ray to `hits`. Casts some of the rays at one surface after
/// another, with interleaved traversals, then the next.
pub fn interleave(scene: &Scene<'_>, rays: &[Ray], hits: &mut Vec<Option<Hit>>) {
    let prepare = |ray| {
        let mut query = RayQuery::new(ray)?;
        query.mask &= scene.mask;
        Some(BatchRay { query, aim: Aim::NOWHERE, nearest: NearestHit::default(), known: None })
    };
    for rays in rays.chunks(MAX_INTERLEAVED) {
        let mut prepared: Vec<_> = rays.iter().map(prepare).collect();
        for (number, surface) in scene.surfaces().iter().enumerate() {
            surface.cast_batch(&mut prepared);
            keep_nearest(&mut prepared, number);
        }
        hits.extend(rays.iter().zip(prepared).map(|(ray, found)| {
            let (number, hit) = found?.known?;
            Some(scene.surfaces().get(number)?.hit(ray, &hit))
        }));
    }
}

/// Returns the answer of each ray. The closure `cast` receives some rays and appends their answers
/// to a list. With the feature `rayon`, it is called in parallel.
pub(crate) fn in_batches<T: Copy + Send>(
    rays: &[Ray],
    cast: impl Fn(&[Ray], &mut Vec<Option<T>>) + Send + Sync,
) -> Vec<Option<T>> {
    #[cfg(feature = "rayon")]
    if crate::parallel::has_threads() {
        use rayon::iter::{IndexedParallelIterator as _, ParallelIterator as _};
        use rayon::slice::{ParallelSlice as _, ParallelSliceMut as _};
        let mut answers = vec![None; rays.len()];
        let batches = rays.par_chunks(RAY_BATCH).zip(answers.par_chunks_mut(RAY_BATCH));
        batches.for_each(|(rays, answers)| {
            let mut found = Vec::with_capacity(rays.len());
            cast(rays, &mut found);
            answers.iter_mut().zip(found).for_each(|(answer, found)| *answer = found);
        });
        return answers;
    }
    let mut answers = Vec::with_capacity(rays.len());
    rays.chunks(RAY_BATCH).for_each(|rays| cast(rays, &mut answers));
    answers
}

/// Updates the nearest hit of each ray of a batch, after all rays of the batch were cast at the
/// surface with the index `surface`.
///
/// For each ray, the hit on the surface `surface` replaces the nearest hit on the earlier surfaces
/// if the hit on `surface` has a smaller ray parameter `t`.
///
/// If a ray hits `surface` and an earlier surface at the same `t`, the hit on the earlier surface
/// is kept.
fn keep_nearest(rays: &mut [Option<BatchRay>], surface: usize) {
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
    fn run(self, kernels: &impl Kernels) -> Result<(), DamagedTree> {
        let Self { view, triangles, mask, rays } = self;
        let bounds = wide_box(&view.header.bounds);
        let mut waiting = 0..rays.len();
        let mut active: [ActiveRay; ACTIVE_RAY_BATCH] = std::array::from_fn(|_| ActiveRay::idle());
        loop {
            let mut busy = false;
            for active in &mut active {
                if matches!(active.next, NextStep::Done) {
                    let meets = |ray: &BatchRay| ray.query.mask & mask != 0 && ray.query.meets(&bounds).is_some();
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

/// What the first rays of a batch have shown.
struct RaySample {
    rays: u32,
    /// The number of reads of the mesh: four for each triangle that a ray is tested against, or one
    /// if its positions are in memory.
    reads: u32,
    /// The hit before, in the same group.
    last: Option<[f32; 3]>,
    /// The number of hits with a hit before, and of those that were close to it.
    hits: u32,
    close_hits: u32,
    /// The square of the greatest distance of close hits.
    close: f32,
}

impl RaySample {
    fn new(bounds: &Bounds) -> Self {
        let size = subtract(bounds.max, bounds.min);
        let close = dot(size, size) * CLOSE_HITS * CLOSE_HITS;
        Self { rays: 0, reads: 0, last: None, hits: 0, close_hits: 0, close }
    }

    fn add(&mut self, hit: Option<&Hit>) {
        self.rays = self.rays.saturating_add(1);
        let point = hit.map(|hit| hit.point);
        if let Some((point, last)) = point.zip(std::mem::replace(&mut self.last, point)) {
            let away = subtract(point, last);
            self.hits = self.hits.saturating_add(1);
            self.close_hits = self.close_hits.saturating_add((dot(away, away) < self.close).into());
        }
    }

    /// Returns whether each of the rays waits for memory that the rays before it have not read.
    const fn is_incoherent(&self) -> bool {
        self.rays > 0
            && self.close_hits.saturating_mul(2) <= self.hits
            && self.reads / 4 <= self.rays.saturating_mul(MANY_TRIANGLES)
    }
}

impl Probe for RaySample {
    fn read_node(&mut self, _: &[u8]) {}

    fn read_mesh(&mut self, _: &[u8]) {
        self.reads = self.reads.saturating_add(1);
    }
}

impl ActiveRay {
    const fn idle() -> Self {
        Self { ray: 0, traversal: Traversal::idle(), next: NextStep::Done }
    }

    fn start(&mut self, number: usize, ray: &mut BatchRay, view: &TreeView<'_>) {
        self.ray = number;
        ray.aim = ray.query.aim_at(&view.header.bounds);
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
    fn step(
        &mut self,
        view: &TreeView<'_>,
        triangles: &Triangles<'_>,
        ray: &mut BatchRay,
        kernels: &impl Kernels,
    ) -> Result<(), DamagedTree> {
        let mut query = SingleRay::new(&mut ray.query, &mut ray.aim, &mut ray.nearest);
        let next: NextChild = match &self.next {
            NextStep::Node(node) => self.traversal.visit_node(view, *node, &query, kernels, None)?,
            NextStep::Indices(child) => {
                let mut corners = CornerIndices::default();
                view.leaf(*child)?.corner_indices(triangles, &mut corners);
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

#[cfg(test)]
mod tests {
    use zerocopy::little_endian::{F32, U32};

    use super::*;
    use crate::array::Packed;
    use crate::decode::{Floats, Index};
    use crate::model::{IndexEncoding, Indices, PositionEncoding, Positions};
    use crate::query::random::Random;

    #[test]
    fn sampled_batches_have_the_hits_of_single_rays() {
        let mut random = Random::new(7);
        let mut positions: Vec<[F32; 3]> = Vec::new();
        for _ in 0..2_000 {
            let at = random.vector(1.0);
            positions.extend((0..3).map(|_| crate::math::add(at, random.vector(0.1)).map(F32::new)));
        }
        let indices: Vec<U32> = (0..6_000).map(U32::new).collect();
        let positions = Positions(PositionEncoding::F32(Packed::new(&positions, Floats)));
        let indices = Indices(IndexEncoding::U32(Packed::new(&indices, Index::default())));
        let scene = Scene::from_triangles([(3, Triangles::from_arrays(positions, indices))]).unwrap();
        // Rays of a batch at random are interleaved, and those of a picture cast one by one.
        let rays: Vec<Ray> = (0..RAY_BATCH + 300)
            .map(|at| {
                let near = |at: usize| f32::from(u16::try_from(at % 4096).unwrap()) * 1.0e-5;
                let from = if at < RAY_BATCH { random.vector(3.0) } else { [near(at), 0.1, 3.0] };
                Ray::toward(from, if at < RAY_BATCH { random.vector(0.9) } else { [near(at), 0.1, 0.0] })
            })
            .collect();
        let expected: Vec<_> = rays.iter().map(|ray| scene.ray(ray)).collect();
        assert!(expected.iter().flatten().count() > 1_000);
        assert_eq!(first_hits_in(&scene, &rays, 0), expected);
    }
}

//! One surface of a scene: its triangles, and the tree over these triangles.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use crate::array::Bounds;
use crate::bvh::check;
use crate::bvh::kernel::dispatch;
use crate::bvh::probe::{NoProbe, Probe};
use crate::bvh::refit;
use crate::bvh::traverse::{TreeQuery, TreeSearch, test_every_triangle};
use crate::bvh::tree::Tree;
use crate::bvh::tree_view::{DamagedTree, TreeView};
use crate::bvh::triangles::Triangles;
use crate::math::narrow;
use crate::query::batch::{BatchRay, RayBatch};
use crate::query::closest_point::{Candidate, NearestSearch, PointQuery};
use crate::query::hit::Hit;
use crate::query::hit_collector::{HitCollector, TriangleHit};
use crate::query::overlap::{OverlapSearch, QueryVolume};
use crate::query::ray::Ray;
use crate::query::ray_query::{RayQuery, SingleRay};
use crate::sidecar::Trust;

/// One surface of a scene, with its triangles and its tree.
#[derive(Debug)]
pub(crate) struct SceneSurface<'a> {
    pub(crate) surface: usize,
    pub(crate) triangles: Triangles<'a>,
    pub(crate) bounds: Bounds,
    /// The tree over the triangles, or `None` for a surface with at most 8 triangles. Queries then
    /// test all triangles of the surface.
    tree: Option<Arc<Tree>>,
    /// Whether a query has found that the tree is damaged. A tree that comes from a sidecar can be
    /// damaged.
    ///
    /// If the tree is damaged, the first query that finds the damage builds a new tree and stores
    /// it in `rebuilt`. All later queries of the surface use the new tree.
    is_damaged: AtomicBool,
    rebuilt: OnceLock<Option<Arc<Tree>>>,
}

/// Returns whether the tree `tree` from a sidecar belongs to `triangles` and may be used for
/// queries. The boxes of an untrusted tree must also be as small as those of a built tree.
pub(crate) fn fits(tree: &Tree, triangles: &Triangles<'_>, trust: Trust) -> bool {
    let view = tree.view();
    let fits = view.header.triangles == triangles.len() && matches!(view.header.cluster, 1..=8);
    fits && (trust == Trust::Trusted || {
        check::check(&view, triangles).is_ok() && refit::has_tight_boxes(&view, triangles)
    })
}

impl<'a> SceneSurface<'a> {
    pub(crate) fn new(surface: usize, triangles: Triangles<'a>, tree: Arc<Tree>) -> Self {
        let one = Self::without_tree(surface, triangles, tree.bounds());
        Self { tree: Some(tree), ..one }
    }

    /// Creates a surface with at most 8 triangles, which needs no memory for a tree.
    pub(crate) fn small(surface: usize, triangles: Triangles<'a>) -> Self {
        Self::without_tree(surface, triangles, triangles.bounds(0..triangles.len()))
    }

    const fn without_tree(surface: usize, triangles: Triangles<'a>, bounds: Bounds) -> Self {
        let is_damaged = AtomicBool::new(false);
        Self { surface, triangles, bounds, tree: None, is_damaged, rebuilt: OnceLock::new() }
    }

    /// Returns the tree of the surface, or `None` if the surface has no tree. If a query has built
    /// a new tree because the tree was damaged, the new tree is returned.
    pub(crate) fn tree(&self) -> Option<&Tree> {
        if self.is_damaged.load(Ordering::Relaxed)
            && let Some(Some(rebuilt)) = self.rebuilt.get()
        {
            return Some(rebuilt);
        }
        self.tree.as_deref()
    }

    /// Returns the tree of the surface, refitted to `triangles`. Returns `None` if the surface has
    /// no tree, or if the tree cannot be refitted.
    pub(crate) fn refit(&self, triangles: &Triangles<'_>) -> Option<Tree> {
        self.tree()?.refit(triangles)
    }

    #[inline]
    fn view(&self) -> TreeView<'_> {
        match &self.tree {
            Some(tree) => tree.view(),
            None => TreeView::root_leaf(self.triangles.len(), self.bounds),
        }
    }

    pub(crate) fn misses(&self, ray: &RayQuery) -> bool {
        ray.meets(&self.bounds).is_none()
    }

    /// Runs a query in the tree of the surface.
    ///
    /// If the tree of the surface is damaged, builds a new tree and runs the query in the new tree.
    /// If there is not enough memory for a new tree, tests every triangle without a tree.
    fn search(&self, query: &mut impl TreeQuery, probe: &mut impl Probe) {
        if self.search_sound_tree(query, probe).is_err() {
            query.restart();
            test_every_triangle(&self.triangles, query, probe);
        }
    }

    fn search_sound_tree(&self, query: &mut impl TreeQuery, probe: &mut impl Probe) -> Result<(), DamagedTree> {
        if !self.is_damaged.load(Ordering::Relaxed) {
            if self.search_tree(self.view(), query, probe).is_ok() {
                return Ok(());
            }
            self.is_damaged.store(true, Ordering::Relaxed);
            query.restart();
        }
        let rebuilt = self.rebuilt.get_or_init(|| Tree::new(&self.triangles).ok().map(Arc::new));
        self.search_tree(rebuilt.as_ref().ok_or(DamagedTree)?.view(), query, probe)
    }

    fn search_tree(
        &self,
        view: TreeView<'_>,
        query: &mut impl TreeQuery,
        probe: &mut impl Probe,
    ) -> Result<(), DamagedTree> {
        dispatch::run(TreeSearch { view, triangles: &self.triangles, query, probe })
    }

    /// Casts a ray at the surface and passes its hits to the collector `hits`.
    pub(crate) fn cast(&self, ray: &mut RayQuery, hits: &mut impl HitCollector, probe: &mut impl Probe) {
        ray.widen(&self.bounds);
        self.search(&mut SingleRay::new(ray, hits), probe);
    }

    /// Casts a batch of rays at the surface, with interleaved traversals of the tree, and stores
    /// the nearest hit of each ray in `rays`.
    pub(crate) fn cast_batch(&self, rays: &mut [Option<BatchRay>]) {
        let done = !self.is_damaged.load(Ordering::Relaxed) && {
            dispatch::run(RayBatch { view: self.view(), triangles: &self.triangles, rays: &mut *rays }).is_ok()
        };
        if !done {
            for ray in rays.iter_mut().flatten() {
                ray.nearest.clear();
                self.cast(&mut ray.query, &mut ray.nearest, &mut NoProbe);
            }
        }
    }

    /// Returns the nearest point of the surface, or `None` if no point is within the maximum
    /// distance of the query. If a point is found, its distance becomes the new maximum distance of
    /// the query.
    pub(crate) fn nearest(&self, query: &mut PointQuery, probe: &mut impl Probe) -> Option<Candidate> {
        let mut search = NearestSearch::new(query);
        self.search(&mut search, probe);
        search.best
    }

    /// Returns the indices of the triangles of the surface that overlap a volume, in no particular
    /// order.
    pub(crate) fn overlapping(&self, volume: &impl QueryVolume, probe: &mut impl Probe) -> Vec<u32> {
        let mut search = OverlapSearch::new(volume);
        self.search(&mut search, probe);
        search.triangles
    }

    pub(crate) fn hit(&self, ray: &Ray, hit: &TriangleHit) -> Hit {
        let crossing = hit.crossing;
        let length = ray.direction.iter().map(|part| f64::from(*part) * f64::from(*part)).sum::<f64>().sqrt();
        Hit {
            surface: self.surface,
            triangle: hit.triangle,
            t: narrow(crossing.t),
            distance: narrow(crossing.t.abs() * length),
            point: ray.at(crossing.t).map(narrow),
            barycentric: crossing.barycentric.map(narrow),
            is_front: crossing.front,
        }
    }
}

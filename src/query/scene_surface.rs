//! The surfaces of a scene: the triangles of each, and the tree over these triangles.

use crate::array::Bounds;
use crate::bvh::kernel::dispatch;
use crate::bvh::probe::{NoProbe, Probe};
use crate::bvh::traverse::{TreeQuery, TreeSearch, test_every_triangle};
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
use crate::query::scene_tree::SceneTree;

/// The surfaces of a scene, sorted by their indices. Both slices have the same length.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SceneSurfaces<'s, 'a> {
    pub(crate) trees: &'s [SceneTree],
    pub(crate) triangles: &'s [Triangles<'a>],
}

/// One surface of a scene, with its triangles and its tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SceneSurface<'s, 'a> {
    pub(crate) tree: &'s SceneTree,
    pub(crate) triangles: &'s Triangles<'a>,
}

impl<'s, 'a> SceneSurfaces<'s, 'a> {
    pub(crate) fn iter(self) -> impl Iterator<Item = SceneSurface<'s, 'a>> {
        self.trees.iter().zip(self.triangles).map(|(tree, triangles)| SceneSurface { tree, triangles })
    }

    /// Returns the surface at position `place` of the scene, which need not be the index of the
    /// surface in the file.
    pub(crate) fn get(self, place: usize) -> Option<SceneSurface<'s, 'a>> {
        Some(SceneSurface { tree: self.trees.get(place)?, triangles: self.triangles.get(place)? })
    }

    /// Returns the surface if the scene has only one.
    pub(crate) const fn only(self) -> Option<SceneSurface<'s, 'a>> {
        match (self.trees, self.triangles) {
            ([tree], [triangles]) => Some(SceneSurface { tree, triangles }),
            _ => None,
        }
    }
}

impl<'s> SceneSurface<'s, '_> {
    /// Returns the index of the surface in the file.
    pub(crate) const fn index(&self) -> usize {
        self.tree.surface
    }

    pub(crate) const fn bounds(&self) -> &'s Bounds {
        &self.tree.bounds
    }

    pub(crate) fn misses(&self, ray: &RayQuery) -> bool {
        ray.meets(self.bounds()).is_none()
    }

    /// Runs a query in the tree of the surface.
    ///
    /// If the tree of the surface is damaged, builds a new tree and runs the query in the new tree.
    /// If there is not enough memory for a new tree, tests every triangle without a tree.
    fn search(&self, query: &mut impl TreeQuery, probe: &mut impl Probe) {
        if self.search_sound_tree(query, probe).is_err() {
            query.restart();
            test_every_triangle(self.triangles, query, probe);
        }
    }

    fn search_sound_tree(&self, query: &mut impl TreeQuery, probe: &mut impl Probe) -> Result<(), DamagedTree> {
        if !self.tree.is_damaged() {
            if self.search_tree(self.tree.view(), query, probe).is_ok() {
                return Ok(());
            }
            query.restart();
        }
        let rebuilt = self.tree.rebuild(self.triangles).ok_or(DamagedTree)?;
        self.search_tree(rebuilt.view(), query, probe)
    }

    fn search_tree(
        &self,
        view: TreeView<'_>,
        query: &mut impl TreeQuery,
        probe: &mut impl Probe,
    ) -> Result<(), DamagedTree> {
        dispatch::run(TreeSearch { view, triangles: self.triangles, query, probe })
    }

    /// Casts a ray at the surface and passes its hits to the collector `hits`.
    pub(crate) fn cast(&self, ray: &mut RayQuery, hits: &mut impl HitCollector, probe: &mut impl Probe) {
        ray.widen(self.bounds());
        self.search(&mut SingleRay::new(ray, hits), probe);
    }

    /// Casts a batch of rays at the surface, with interleaved traversals of the tree, and stores
    /// the nearest hit of each ray in `rays`.
    pub(crate) fn cast_batch(&self, rays: &mut [Option<BatchRay>]) {
        let done = !self.tree.is_damaged() && {
            dispatch::run(RayBatch { view: self.tree.view(), triangles: self.triangles, rays: &mut *rays }).is_ok()
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
            surface: self.index(),
            triangle: hit.triangle,
            t: narrow(crossing.t),
            distance: narrow(crossing.t.abs() * length),
            point: ray.at(crossing.t).map(narrow),
            barycentric: crossing.barycentric.map(narrow),
            is_front: crossing.front,
        }
    }
}

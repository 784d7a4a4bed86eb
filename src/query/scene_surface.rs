//! The surfaces of a scene: the triangles of each, and the tree over these triangles.

use std::ops::Deref;

use zerocopy::IntoBytes as _;

use crate::array::Bounds;
use crate::bvh::coordinates::TriangleCorners;
use crate::bvh::kernel::dispatch;
use crate::bvh::probe::Probe;
use crate::bvh::traverse::{TreeQuery, TreeSearch, test_every_triangle};
use crate::bvh::tree_view::{DamagedTree, TreeView};
use crate::bvh::triangles::Triangles;
use crate::math::{as_index, cross, dot, narrow, subtract};
use crate::query::batch::{BatchRay, RayBatch};
use crate::query::box_tree::wide_box;
use crate::query::closest_point::{Candidate, NearestSearch, PointQuery};
use crate::query::overlap::{OverlapSearch, QueryVolume};
use crate::query::ray::{Hit, Nearest, Ray};
use crate::query::ray_query::{Aim, AnyHit, HitCollector, NearestHit, RayQuery, SingleRay, TriangleHit};
use crate::query::surface_search::{NearestInSurfaces, RayInSurfaces};
use crate::query::surface_trees::{SceneTree, SurfaceTrees};

/// The surfaces of a scene, sorted by their indices. Both slices have the same length.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SceneSurfaces<'s, 'a> {
    pub(crate) trees: &'s SurfaceTrees,
    pub(crate) triangles: &'s [Triangles<'a>],
}

/// One surface of a scene, with its triangles and its tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SceneSurface<'s, 'a> {
    pub(crate) tree: &'s SceneTree,
    pub(crate) triangles: &'s Triangles<'a>,
}

/// The triangles of several surfaces. Unlike `Cow`, the type is covariant.
pub(crate) struct TriangleList<'a> {
    /// The triangles, unless they are lent.
    owned: Vec<Triangles<'a>>,
    lent: &'a [Triangles<'a>],
}

impl<'a> TriangleList<'a> {
    pub(crate) const fn owned(owned: Vec<Triangles<'a>>) -> Self {
        Self { owned, lent: &[] }
    }

    pub(crate) const fn lent(lent: &'a [Triangles<'a>]) -> Self {
        Self { owned: Vec::new(), lent }
    }

    pub(crate) fn to_mut(&mut self) -> &mut Vec<Triangles<'a>> {
        self.owned.extend(std::mem::take(&mut self.lent));
        &mut self.owned
    }
}

impl<'a> Deref for TriangleList<'a> {
    type Target = [Triangles<'a>];

    fn deref(&self) -> &Self::Target {
        if self.lent.is_empty() { &self.owned } else { self.lent }
    }
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

    /// Returns the surface at position `place` if its mask has a bit in common with `mask`.
    pub(crate) fn masked_at(self, place: u32, mask: u32) -> Option<SceneSurface<'s, 'a>> {
        self.get(as_index(place)).filter(|surface| surface.has(mask))
    }

    /// Returns the surface if the scene has only one.
    pub(crate) fn only(self) -> Option<SceneSurface<'s, 'a>> {
        match (&**self.trees, self.triangles) {
            ([tree], [triangles]) => Some(SceneSurface { tree, triangles }),
            _ => None,
        }
    }

    /// Returns the size of everything that queries read, in bytes: the trees, and the indices and
    /// positions in the file.
    pub(crate) fn bytes(self) -> usize {
        self.iter().fold(0, |sum, surface| {
            let tree = surface.tree.view().pages.as_bytes();
            surface.triangles.stored_bytes().chain([tree]).fold(sum, |sum, bytes| sum.saturating_add(bytes.len()))
        })
    }

    /// Returns the surfaces whose mask has a bit in common with `mask`.
    pub(crate) fn masked(self, mask: u32) -> impl Iterator<Item = SceneSurface<'s, 'a>> {
        self.iter().filter(move |surface| surface.has(mask))
    }

    /// Passes the hit of a ray that is nearest to the start of its range to `make`, and returns the
    /// result. If several hits have the same ray parameter `t`, passes the first of them in the
    /// order of surfaces and triangles.
    #[inline(always)]
    pub(crate) fn first_hit<T>(
        self,
        query: &mut RayQuery,
        probe: &mut impl Probe,
        make: impl FnOnce(SceneSurface<'s, 'a>, &TriangleHit) -> T,
    ) -> Option<T> {
        if let Some(surface) = self.only() {
            let mut nearest = NearestHit::default();
            if surface.has(query.mask) {
                surface.cast(query, &mut nearest, probe);
            }
            return nearest.0.as_ref().map(|hit| make(surface, hit));
        }
        let mut search = RayInSurfaces { surfaces: self, ray: query, probe, any: false, is_hit: false, best: None };
        self.trees.search(&mut search);
        search.best.map(|(_, surface, hit)| make(surface, &hit))
    }

    /// Returns whether a ray hits any surface.
    pub(crate) fn is_hit(self, query: &mut RayQuery, probe: &mut impl Probe) -> bool {
        if let Some(surface) = self.only() {
            let mut any = AnyHit::default();
            if surface.has(query.mask) {
                surface.cast(query, &mut any, probe);
            }
            return any.0;
        }
        let mut search = RayInSurfaces { surfaces: self, ray: query, probe, any: true, is_hit: false, best: None };
        self.trees.search(&mut search);
        search.is_hit
    }

    /// Returns the nearest point of the surfaces whose mask has a bit in common with `mask`. If
    /// several points are equally near, returns that of the first surface.
    pub(crate) fn nearest(
        self,
        point: &mut PointQuery,
        mask: u32,
        probe: &mut impl Probe,
    ) -> Option<(SceneSurface<'s, 'a>, Candidate)> {
        let mut search = NearestInSurfaces { surfaces: self, point, mask, probe, best: None };
        self.trees.search(&mut search);
        search.best.map(|(_, surface, candidate)| (surface, candidate))
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

    /// Returns whether the mask of the surface has a bit in common with `mask`.
    #[inline]
    pub(crate) const fn has(&self, mask: u32) -> bool {
        self.tree.mask & mask != 0
    }

    pub(crate) fn misses(&self, ray: &RayQuery) -> bool {
        ray.meets(&wide_box(self.bounds())).is_none()
    }

    /// Runs a query in the tree of the surface.
    ///
    /// If the tree of the surface is damaged, builds a new tree and runs the query in the new tree.
    /// If there is not enough memory for a new tree, tests every triangle without a tree.
    #[inline(always)]
    pub(crate) fn search(&self, query: &mut impl TreeQuery, probe: &mut impl Probe) {
        if self.search_sound_tree(query, probe).is_err() {
            query.restart();
            test_every_triangle(self.triangles, query, probe);
        }
    }

    #[inline(always)]
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

    #[inline(always)]
    fn search_tree(
        &self,
        view: TreeView<'_>,
        query: &mut impl TreeQuery,
        probe: &mut impl Probe,
    ) -> Result<(), DamagedTree> {
        dispatch::run(TreeSearch { view, triangles: self.triangles, query, probe })
    }

    /// Casts a ray at the surface and passes its hits to the collector `hits`.
    #[inline(always)]
    pub(crate) fn cast(&self, ray: &mut RayQuery, hits: &mut impl HitCollector, probe: &mut impl Probe) {
        let mut aim = Aim::NOWHERE;
        self.search(&mut SingleRay::new(ray, &mut aim, hits), probe);
    }

    /// Casts a batch of rays at the surface, with interleaved traversals of the tree, and stores
    /// the nearest hit of each ray in `rays`.
    pub(crate) fn cast_batch(&self, rays: &mut [Option<BatchRay>]) {
        let mask = self.tree.mask;
        let done = !self.tree.is_damaged() && {
            let view = self.tree.view();
            dispatch::run(RayBatch { view, triangles: self.triangles, mask, rays: &mut *rays }).is_ok()
        };
        if !done {
            for ray in rays.iter_mut().flatten() {
                ray.nearest.clear();
                if self.has(ray.query.mask) {
                    self.cast(&mut ray.query, &mut ray.nearest, &mut ());
                }
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

    /// Appends an item for each triangle of the surface that overlaps a volume to a list, in no
    /// particular order. The closure `make` makes the item from the index of the triangle.
    pub(crate) fn overlapping<T>(
        &self,
        volume: &impl QueryVolume,
        list: &mut Vec<T>,
        make: impl Fn(u32) -> T,
        probe: &mut impl Probe,
    ) {
        self.search(&mut OverlapSearch::new(volume, list, make), probe);
    }

    #[inline(always)]
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
            normal: normal(&hit.corners),
            exact_t: crossing.t,
        }
    }

    /// Returns the result of a nearest-point query for a candidate of this surface.
    pub(crate) fn nearest_point(&self, Candidate { triangle, closest }: &Candidate) -> Nearest {
        Nearest {
            surface: self.index(),
            triangle: *triangle,
            distance: narrow(closest.distance_squared.sqrt()),
            point: closest.point.map(narrow),
            barycentric: closest.barycentric.map(narrow),
        }
    }
}

/// Returns the unit normal of the front side of a triangle, or 0 if its area is too small.
#[inline]
fn normal(corners: &TriangleCorners) -> [f32; 3] {
    let [a, b, c] = corners.map(|corner| corner.map(f64::from));
    let front = cross(subtract(b, a), subtract(c, a));
    let length = dot(front, front).sqrt();
    // The addition of 0.0 changes -0.0 to 0.0.
    if length > 0.0 { front.map(|part| narrow(part / length + 0.0)) } else { [0.0; 3] }
}

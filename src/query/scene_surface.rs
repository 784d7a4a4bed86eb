//! The surfaces of a scene: the triangles of each, and the tree over these triangles.

// Rule: this file sorts and maps by copies only.

use std::sync::{Arc, OnceLock};

use zerocopy::IntoBytes as _;

use crate::array::Bounds;
use crate::bvh::coordinates::TriangleCorners;
use crate::bvh::kernel::dispatch;
use crate::bvh::probe::Probe;
use crate::bvh::traverse::{TreeQuery, TreeSearch, test_every_triangle};
use crate::bvh::tree::Tree;
use crate::bvh::tree_view::{DamagedTree, TreeView};
use crate::bvh::triangles::Triangles;
use crate::bvh::{check, refit};
use crate::math::{as_u64, cross, dot, narrow, subtract};
use crate::query::batch::{BatchRay, RayBatch};
use crate::query::closest_point::{Candidate, NearestSearch, PointQuery};
use crate::query::overlap::{OverlapSearch, QueryVolume};
use crate::query::ray::{Hit, Nearest, Ray};
use crate::query::ray_query::{Aim, AnyHit, HitCollector, NearestHit, RayQuery, SingleRay, TriangleHit};
use crate::sidecar::Trust;

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
        self.first_hit_of_many(query, probe).map(|(surface, hit)| make(surface, &hit))
    }

    fn first_hit_of_many(
        self,
        query: &mut RayQuery,
        probe: &mut impl Probe,
    ) -> Option<(SceneSurface<'s, 'a>, TriangleHit)> {
        let mut first: Option<(SceneSurface<'s, 'a>, TriangleHit)> = None;
        for (_, surface) in self.along(query) {
            if first.is_some() && surface.misses(query) {
                continue;
            }
            let mut nearest = NearestHit::default();
            surface.cast(query, &mut nearest, probe);
            if let Some(hit) = nearest.0 {
                let is_first = first.is_none_or(|(other, known)| {
                    let [near, far] = [hit.crossing.t, known.crossing.t];
                    near < far || near <= far && surface.index() < other.index()
                });
                if is_first {
                    first = Some((surface, hit));
                }
            }
        }
        first
    }

    /// Returns whether a ray hits any surface.
    pub(crate) fn is_hit(self, query: &mut RayQuery, probe: &mut impl Probe) -> bool {
        self.masked(query.mask).any(|surface| {
            let mut any = AnyHit::default();
            if !surface.misses(query) {
                surface.cast(query, &mut any, probe);
            }
            any.0
        })
    }

    /// Returns the surfaces whose bounding boxes a ray meets, sorted by the distance along the ray
    /// at which the ray enters the box, with the nearest first.
    fn along(self, ray: &RayQuery) -> Vec<(f64, SceneSurface<'s, 'a>)> {
        let met = self.masked(ray.mask).filter_map(|surface| Some((ray.meets(surface.bounds())?, surface)));
        let mut met: Vec<_> = met.collect();
        met.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        met
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
        ray.meets(self.bounds()).is_none()
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

/// The tree of one surface, with the numbers of triangles and vertices that the surface had when
/// the tree was made.
#[derive(Clone, Debug)]
pub(crate) struct SceneTree {
    /// The index of the surface.
    pub(crate) surface: usize,
    pub(crate) triangle_count: u32,
    pub(crate) vertex_count: usize,
    pub(crate) bounds: Bounds,
    /// The mask of the surface. Queries test the surface if their mask has a common bit.
    pub(crate) mask: u32,
    /// The tree over the triangles, or `None` for a surface with at most 8 triangles. Queries then
    /// test all triangles of the surface.
    tree: Option<Arc<Tree>>,
    /// The tree that replaces a damaged tree. A tree that comes from a sidecar can be damaged.
    ///
    /// The first query that finds the damage builds the new tree. All later queries of the surface
    /// use it. It is `None` if there was not enough memory to build it.
    rebuilt: OnceLock<Option<Arc<Tree>>>,
}

impl SceneTree {
    pub(crate) fn new(surface: usize, triangles: &Triangles<'_>, tree: Arc<Tree>) -> Self {
        let bounds = tree.bounds();
        Self { tree: Some(tree), ..Self::without_tree(surface, triangles, bounds) }
    }

    /// Creates the record of a surface with at most 8 triangles, which needs no memory for a tree.
    pub(crate) fn small(surface: usize, triangles: &Triangles<'_>) -> Self {
        Self::without_tree(surface, triangles, triangles.bounds(0..triangles.len()))
    }

    fn without_tree(surface: usize, triangles: &Triangles<'_>, bounds: Bounds) -> Self {
        let (triangle_count, vertex_count) = (triangles.len(), triangles.vertex_count());
        Self { surface, triangle_count, vertex_count, bounds, mask: u32::MAX, tree: None, rebuilt: OnceLock::new() }
    }

    /// Returns the tree of the surface, or `None` if the surface has no tree. If a query has built
    /// a new tree because the tree was damaged, the new tree is returned.
    pub(crate) fn tree(&self) -> Option<&Arc<Tree>> {
        self.rebuilt.get().and_then(Option::as_ref).or(self.tree.as_ref())
    }

    /// Returns whether the nodes of the tree are in a sidecar.
    pub(crate) fn is_stored(&self) -> bool {
        self.tree().is_some_and(|tree| tree.is_stored())
    }

    /// Returns the memory that the trees take, in bytes, without nodes that are in a sidecar.
    pub(crate) fn memory_bytes(&self) -> u64 {
        let trees = [self.tree.as_ref(), self.rebuilt.get().and_then(Option::as_ref)];
        trees.into_iter().flatten().fold(0, |bytes, tree| {
            let nodes = if tree.is_stored() { 0 } else { tree.bytes() };
            bytes.saturating_add(as_u64(size_of::<Tree>())).saturating_add(nodes)
        })
    }

    /// Returns whether a query has found that the tree is damaged.
    pub(crate) fn is_damaged(&self) -> bool {
        self.rebuilt.get().is_some()
    }

    /// Returns the tree that replaces a damaged tree, and builds it in the first call. Returns
    /// `None` if there was not enough memory to build it.
    pub(crate) fn rebuild(&self, triangles: &Triangles<'_>) -> Option<&Arc<Tree>> {
        self.rebuilt.get_or_init(|| Tree::new(triangles).ok().map(Arc::new)).as_ref()
    }

    /// Returns the view of the tree that the surface had from the start, even if it is damaged.
    #[inline]
    pub(crate) fn view(&self) -> TreeView<'_> {
        match &self.tree {
            Some(tree) => tree.view(),
            None => TreeView::root_leaf(self.triangle_count, self.bounds),
        }
    }
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

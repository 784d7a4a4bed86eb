//! The queries of a scene.

// Rule: this file sorts and maps by copies only.

use crate::array::Bounds;
use crate::bvh::probe::Probe;
use crate::error::debug::short_debug;
use crate::query::batch;
use crate::query::closest_point::PointQuery;
use crate::query::frustum::Frustum;
use crate::query::nearest_list::NearestList;
use crate::query::overlap::QueryVolume;
use crate::query::ray::{Hit, Nearest, Ray};
use crate::query::ray_query::{AllHits, RayQuery};
use crate::query::scene::Scene;
use crate::query::scene_surface::SceneSurfaces;
use crate::query::surface_search::NearestListInSurfaces;

impl<'a> Scene<'a> {
    fn all(&self) -> ProbedScene<'_, 'a, ()> {
        ProbedScene::new(self, ())
    }

    /// Returns the hit of a ray that is nearest to the start of the ray's range, on any surface of
    /// the scene.
    #[must_use]
    pub fn ray(&self, ray: &Ray) -> Option<Hit> {
        self.all().ray(ray)
    }

    /// Returns whether a ray hits any surface of the scene.
    #[must_use]
    pub fn is_hit(&self, ray: &Ray) -> bool {
        self.all().is_hit(ray)
    }

    /// Replaces the content of `hits` by all hits of a ray on all surfaces of the scene, sorted by
    /// the ray parameter `t`, with the least `t` first.
    ///
    /// Like all methods of the scene whose names end with `_into`, this method allocates memory
    /// only if the capacity of the list is too small, apart from the tree over surfaces that the
    /// first query of a scene builds.
    pub fn all_hits_into(&self, ray: &Ray, hits: &mut Vec<Hit>) {
        self.all().all_hits_into(ray, hits);
    }

    /// Returns the nearest hit of each ray, like [`ray`](Self::ray). The results are in the order
    /// of `rays`.
    ///
    /// At least 256 incoherent rays are faster in a batch than with one call of [`ray`](Self::ray)
    /// for each: their searches are interleaved, if the trees, indices and positions of the scene
    /// take at least 8 MiB and are those of at most eight surfaces. Other rays, such as those of a
    /// picture, are cast one by one. With the feature `rayon`, `rays` uses all processors.
    #[must_use]
    pub fn rays(&self, rays: &[Ray]) -> Vec<Option<Hit>> {
        batch::first_hits(self, rays)
    }

    /// Returns the point on any surface of the scene that is nearest to `point`.
    ///
    /// `limit` is the maximum distance of the returned point from `point`, in scene units. Returns
    /// `None` if no surface has a point within the distance `limit` of `point`.
    #[must_use]
    pub fn nearest(&self, point: [f32; 3], limit: f32) -> Option<Nearest> {
        self.all().nearest(point, limit)
    }

    /// Replaces the content of `list` by the `count` triangles that are nearest to `point`, each
    /// with its nearest point.
    ///
    /// The list is sorted by `distance`, and triangles at the same `distance` are in the order of
    /// the file. It has fewer than `count` items if fewer triangles are within the distance `limit`
    /// of `point`. If `count` is [`usize::MAX`], it has all triangles within this distance. During
    /// the call, the list has up to twice `count` items.
    pub fn nearest_n_into(&self, point: [f32; 3], limit: f32, count: usize, list: &mut Vec<Nearest>) {
        self.all().nearest_n_into(point, limit, count, list);
    }

    /// Replaces the content of `list` by the triangles that overlap a box, as sorted pairs: the
    /// index of the surface, and the index of the triangle in that surface.
    ///
    /// A triangle that only touches the box also counts as overlapping.
    pub fn overlapping_box_into(&self, bounds: &Bounds, list: &mut Vec<(usize, u32)>) {
        self.all().overlapping_box_into(bounds, list);
    }

    /// Replaces the content of `list` by the triangles that overlap a frustum, as sorted pairs: the
    /// index of the surface, and the index of the triangle in that surface.
    ///
    /// A triangle that only touches the frustum also counts as overlapping.
    pub fn overlapping_frustum_into(&self, frustum: &Frustum, list: &mut Vec<(usize, u32)>) {
        self.all().overlapping_frustum_into(frustum, list);
    }

    /// Replaces the content of `list` by the indices of the triangles of a surface that have the
    /// vertex `vertex` as a corner, in file order. Invalid triangles, which have an index out of
    /// range or a coordinate that is not finite or beyond ±2^60, are not included.
    ///
    /// The method searches the tree of the surface at the position of the vertex, and does not test
    /// every triangle of the surface.
    pub fn triangles_around_into(&self, surface: usize, vertex: u32, list: &mut Vec<u32>) {
        list.clear();
        let Some(one) = self.find(surface) else { return };
        let Some(point) = one.triangles.point(vertex) else { return };
        one.overlapping(&Bounds { min: point, max: point }, list, |triangle| triangle, &mut ());
        list.retain(|triangle| one.triangles.corners(*triangle).is_some_and(|corners| corners.contains(&vertex)));
        list.sort_unstable();
    }

    /// Replaces the content of `list` by the indices of the vertices that are connected to the
    /// vertex `vertex` by an edge of a triangle, in ascending order. Edges of invalid triangles,
    /// which have an index out of range or a coordinate that is not finite or beyond ±2^60, are not
    /// used.
    pub fn neighbors_into(&self, surface: usize, vertex: u32, list: &mut Vec<u32>) {
        self.triangles_around_into(surface, vertex, list);
        let Some(triangles) = self.triangles(surface) else { return };
        let count = list.len();
        for place in 0..count {
            let corners = list.get(place).and_then(|triangle| triangles.corners(*triangle));
            list.extend(corners.into_iter().flatten().filter(|corner| *corner != vertex));
        }
        list.drain(..count);
        list.sort_unstable();
        list.dedup();
    }
}

/// A view of a [`Scene`] whose queries report all bytes that they read to a [`Probe`].
pub struct ProbedScene<'s, 'a, P> {
    surfaces: SceneSurfaces<'s, 'a>,
    mask: u32,
    probe: P,
}

short_debug!(['s, 'a, P] ProbedScene<'s, 'a, P>: |scene| { surfaces: scene.surfaces.trees.len(), mask: scene.mask });

impl<'s, 'a, P: Probe> ProbedScene<'s, 'a, P> {
    /// Makes a view of a scene. Each query of the view passes the bytes that it reads to `probe`.
    #[inline]
    #[must_use]
    pub fn new(scene: &'s Scene<'a>, probe: P) -> Self {
        Self { surfaces: scene.surfaces(), mask: scene.mask, probe }
    }

    /// Returns the hit of a ray that is nearest to the start of the ray's range.
    #[must_use]
    pub fn ray(&mut self, ray: &Ray) -> Option<Hit> {
        let mut query = RayQuery::new(ray)?;
        query.mask &= self.mask;
        self.surfaces.first_hit(&mut query, &mut self.probe, |surface, hit| surface.hit(ray, hit))
    }

    /// Returns whether a ray hits any surface.
    #[must_use]
    pub fn is_hit(&mut self, ray: &Ray) -> bool {
        let Some(mut query) = RayQuery::new(ray) else { return false };
        query.mask &= self.mask;
        self.surfaces.is_hit(&mut query, &mut self.probe)
    }

    /// Replaces the content of `hits` by all hits of a ray, as [`Scene::all_hits_into`] does.
    pub fn all_hits_into(&mut self, ray: &Ray, hits: &mut Vec<Hit>) {
        hits.clear();
        let Some(mut query) = RayQuery::new(ray) else { return };
        query.mask &= self.mask;
        for surface in self.surfaces.masked(query.mask) {
            if !surface.misses(&query) {
                let mut all = AllHits::new(hits, |hit| surface.hit(ray, hit));
                surface.cast(&mut query, &mut all, &mut self.probe);
            }
        }
        hits.sort_unstable_by(|one, other| {
            let by_t = one.exact_t.total_cmp(&other.exact_t);
            by_t.then_with(|| (one.surface, one.triangle).cmp(&(other.surface, other.triangle)))
        });
    }

    /// Returns the point on any surface that is nearest to `point`, as [`Scene::nearest`] does.
    #[must_use]
    pub fn nearest(&mut self, point: [f32; 3], limit: f32) -> Option<Nearest> {
        let mut query = PointQuery::new(point, limit)?;
        let (surface, candidate) = self.surfaces.nearest(&mut query, self.mask, &mut self.probe)?;
        Some(surface.nearest_point(&candidate))
    }

    /// Replaces the content of `list` by the triangles that are nearest to `point`, as
    /// [`Scene::nearest_n_into`] does.
    pub fn nearest_n_into(&mut self, point: [f32; 3], limit: f32, count: usize, list: &mut Vec<Nearest>) {
        // A tree that turns out to be damaged is built again, so each tree is found damaged once.
        loop {
            let Some(mut all) = NearestList::new(point, limit, count, list) else { return };
            let (surfaces, mask, probe) = (self.surfaces, self.mask, &mut self.probe);
            surfaces.trees.search(&mut NearestListInSurfaces { surfaces, list: &mut all, mask, probe });
            if !all.is_spoilt() {
                return all.finish();
            }
        }
    }

    /// Replaces the content of `list` by the triangles that overlap a box, as
    /// [`Scene::overlapping_box_into`] does.
    pub fn overlapping_box_into(&mut self, bounds: &Bounds, list: &mut Vec<(usize, u32)>) {
        self.overlapping(bounds, list);
    }

    /// Replaces the content of `list` by the triangles that overlap a frustum, as
    /// [`Scene::overlapping_frustum_into`] does.
    pub fn overlapping_frustum_into(&mut self, frustum: &Frustum, list: &mut Vec<(usize, u32)>) {
        self.overlapping(frustum, list);
    }

    fn overlapping(&mut self, volume: &impl QueryVolume, list: &mut Vec<(usize, u32)>) {
        list.clear();
        for surface in self.surfaces.masked(self.mask).filter(|surface| volume.meets(surface.bounds())) {
            surface.overlapping(volume, list, |triangle| (surface.index(), triangle), &mut self.probe);
        }
        list.sort_unstable();
    }
}

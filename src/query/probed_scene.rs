//! The queries of a scene, with a probe that receives the bytes that they read. [`Scene`] calls
//! them without a probe.

// Rule: this file sorts and maps by copies only.

use crate::array::Bounds;
use crate::bvh::probe::Probe;
use crate::error::debug::short_debug;
use crate::query::closest_point::{Candidate, PointQuery};
use crate::query::frustum::Frustum;
use crate::query::hit_collector::AllHits;
use crate::query::nearest_list::NearestList;
use crate::query::overlap::QueryVolume;
use crate::query::ray::{Hit, Nearest, Ray};
use crate::query::ray_query::RayQuery;
use crate::query::scene::Scene;
use crate::query::scene_surface::{SceneSurface, SceneSurfaces};

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
        let (surface, hit) = self.surfaces.first_hit(&mut query, &mut self.probe)?;
        Some(surface.hit(ray, &hit))
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
        let distances = self.surfaces.masked(self.mask).map(|surface| (query.distance_to(surface.bounds()), surface));
        let mut order: Vec<_> = distances.collect();
        order.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        let mut best: Option<(SceneSurface<'s, 'a>, Candidate)> = None;
        for (distance, surface) in order {
            if distance > query.exact_limit() {
                break;
            }
            if let Some(found) = surface.nearest(&mut query, &mut self.probe) {
                let is_nearer = best.is_none_or(|(other, known)| {
                    let [near, far] = [found, known].map(|candidate| candidate.closest.distance_squared);
                    near < far || near <= far && surface.index() < other.index()
                });
                if is_nearer {
                    best = Some((surface, found));
                }
            }
        }
        let (surface, candidate) = best?;
        Some(surface.nearest_point(&candidate))
    }

    /// Replaces the content of `list` by the triangles that are nearest to `point`, as
    /// [`Scene::nearest_n_into`] does.
    pub fn nearest_n_into(&mut self, point: [f32; 3], limit: f32, count: usize, list: &mut Vec<Nearest>) {
        // A tree that turns out to be damaged is built again, so each tree is found damaged once.
        loop {
            let Some(mut all) = NearestList::new(point, limit, count, list) else { return };
            self.search_nearest(&mut all);
            if !all.is_spoilt() {
                return all.finish();
            }
        }
    }

    /// Searches the surface with the nearest bounding box first, and then the other surfaces.
    fn search_nearest(&mut self, all: &mut NearestList<'_>) {
        let distance =
            |all: &NearestList<'_>, surface: &SceneSurface<'_, '_>| all.query().distance_to(surface.bounds());
        let masked = self.surfaces.masked(self.mask).enumerate();
        let first = masked.min_by(|(_, one), (_, other)| distance(all, one).total_cmp(&distance(all, other)));
        let Some((place, first)) = first else { return };
        let others = self.surfaces.masked(self.mask).enumerate().filter(|(other, _)| *other != place);
        for surface in std::iter::once(first).chain(others.map(|(_, surface)| surface)) {
            if !all.is_spoilt() && distance(all, &surface) <= all.query().exact_limit() {
                surface.search(&mut all.surface(|near| surface.nearest_point(near)), &mut self.probe);
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

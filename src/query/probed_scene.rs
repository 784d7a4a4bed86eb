//! The queries of a scene, with a probe that receives the bytes that the queries read.

use crate::array::Bounds;
use crate::bvh::probe::Probe;
use crate::error::debug::short_debug;
use crate::math::narrow;
use crate::query::closest_point::{Candidate, PointQuery};
use crate::query::frustum::Frustum;
use crate::query::hit::{Hit, Nearest};
use crate::query::hit_collector::{AllHits, AnyHit, NearestHit, TriangleHit};
use crate::query::overlap::QueryVolume;
use crate::query::ray::Ray;
use crate::query::ray_query::RayQuery;
use crate::query::scene_surface::{SceneSurface, SceneSurfaces};

/// A [`Scene`](crate::query::Scene) whose queries report all bytes that they read to a
/// [`Probe`](crate::query::Probe).
///
/// A query of a `ProbedScene` returns the same result as the same query of the `Scene`.
pub struct ProbedScene<'s, 'a, P> {
    surfaces: SceneSurfaces<'s, 'a>,
    probe: &'s mut P,
}

short_debug!(['s, 'a, P] ProbedScene<'s, 'a, P>: |scene| { surfaces: scene.surfaces.trees.len() });

impl<'s, 'a, P: Probe> ProbedScene<'s, 'a, P> {
    pub(crate) const fn new(surfaces: SceneSurfaces<'s, 'a>, probe: &'s mut P) -> Self {
        Self { surfaces, probe }
    }

    /// Returns the hit of a ray that is nearest to the start of the ray's range, on any surface of
    /// the scene.
    #[must_use]
    pub fn ray(&mut self, ray: &Ray) -> Option<Hit> {
        let mut query = RayQuery::new(ray)?;
        if let Some(surface) = self.surfaces.only() {
            let mut nearest = NearestHit::default();
            surface.cast(&mut query, &mut nearest, self.probe);
            return Some(surface.hit(ray, &nearest.0?));
        }
        let mut first: Option<(SceneSurface<'s, 'a>, TriangleHit)> = None;
        for surface in self.along(&query) {
            if first.is_some() && surface.misses(&query) {
                continue;
            }
            let mut nearest = NearestHit::default();
            surface.cast(&mut query, &mut nearest, self.probe);
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
        first.map(|(surface, hit)| surface.hit(ray, &hit))
    }

    /// Returns whether a ray hits any surface of the scene.
    #[must_use]
    pub fn is_hit(&mut self, ray: &Ray) -> bool {
        let Some(mut query) = RayQuery::new(ray) else { return false };
        self.surfaces.iter().any(|surface| {
            let mut any = AnyHit::default();
            if !surface.misses(&query) {
                surface.cast(&mut query, &mut any, self.probe);
            }
            any.0
        })
    }

    /// Returns all hits of a ray on all surfaces of the scene, sorted by the ray parameter `t`,
    /// with the least `t` first.
    #[must_use]
    pub fn all_hits(&mut self, ray: &Ray) -> Vec<Hit> {
        let Some(mut query) = RayQuery::new(ray) else { return Vec::new() };
        let mut all = Vec::new();
        for surface in self.along(&query) {
            let mut hits = AllHits::default();
            surface.cast(&mut query, &mut hits, self.probe);
            all.extend(hits.0.into_iter().map(|hit| (surface, hit)));
        }
        all.sort_by(|(one, a), (other, b)| {
            a.crossing.t.total_cmp(&b.crossing.t).then((one.index(), a.triangle).cmp(&(other.index(), b.triangle)))
        });
        all.into_iter().map(|(surface, hit)| surface.hit(ray, &hit)).collect()
    }

    /// Returns the point on any surface of the scene that is nearest to `point`.
    ///
    /// `limit` is the maximum distance of the returned point from `point`, in scene units. Returns
    /// `None` if no surface has a point within the distance `limit` of `point`.
    #[must_use]
    pub fn nearest(&mut self, point: [f32; 3], limit: f32) -> Option<Nearest> {
        let mut query = PointQuery::new(point, limit)?;
        let distances = self.surfaces.iter().map(|surface| (query.distance_to(surface.bounds()), surface));
        let mut order: Vec<_> = distances.collect();
        order.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        let mut best: Option<(SceneSurface<'s, 'a>, Candidate)> = None;
        for (distance, surface) in order {
            if distance > query.exact_limit() {
                break;
            }
            if let Some(found) = surface.nearest(&mut query, self.probe) {
                let is_nearer = best.is_none_or(|(other, known)| {
                    let [near, far] = [found, known].map(|candidate| candidate.closest.distance_squared);
                    near < far || near <= far && surface.index() < other.index()
                });
                if is_nearer {
                    best = Some((surface, found));
                }
            }
        }
        let (surface, Candidate { triangle, closest }) = best?;
        Some(Nearest {
            surface: surface.index(),
            triangle,
            distance: narrow(closest.distance_squared.sqrt()),
            point: closest.point.map(narrow),
            barycentric: closest.barycentric.map(narrow),
        })
    }

    /// Returns the triangles that overlap a box, as sorted pairs: the index of the surface, and the
    /// index of the triangle in that surface.
    ///
    /// A triangle that only touches the box also counts as overlapping.
    #[must_use]
    pub fn overlapping_box(&mut self, bounds: &Bounds) -> Vec<(usize, u32)> {
        self.overlapping(bounds)
    }

    /// Returns the triangles that overlap a frustum, as sorted pairs: the index of the surface, and
    /// the index of the triangle in that surface.
    ///
    /// A triangle that only touches the frustum also counts as overlapping.
    #[must_use]
    pub fn overlapping_frustum(&mut self, frustum: &Frustum) -> Vec<(usize, u32)> {
        self.overlapping(frustum)
    }

    fn overlapping(&mut self, volume: &impl QueryVolume) -> Vec<(usize, u32)> {
        let mut all = Vec::new();
        for surface in self.surfaces.iter().filter(|surface| volume.meets(surface.bounds())) {
            let found = surface.overlapping(volume, self.probe);
            all.extend(found.into_iter().map(|triangle| (surface.index(), triangle)));
        }
        all.sort_unstable();
        all
    }

    /// Returns the surfaces whose bounding boxes a ray meets, sorted by the distance along the ray
    /// at which the ray enters the box, with the nearest first.
    fn along(&self, ray: &RayQuery) -> Vec<SceneSurface<'s, 'a>> {
        let met = self.surfaces.iter().filter_map(|surface| Some((ray.meets(surface.bounds())?, surface)));
        let mut met: Vec<_> = met.collect();
        met.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        met.into_iter().map(|(_, surface)| surface).collect()
    }
}

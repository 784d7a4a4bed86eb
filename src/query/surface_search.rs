//! The searches of the surfaces of a scene for the first hit of a ray, any hit, and nearest points.

use std::ops::ControlFlow;

use crate::bvh::probe::Probe;
use crate::query::box_tree::{BoxQuery, WideBox};
use crate::query::closest_point::{Candidate, PointQuery};
use crate::query::nearest_list::NearestList;
use crate::query::ray_query::{AnyHit, NearestHit, RayQuery, TriangleHit};
use crate::query::scene_surface::{SceneSurface, SceneSurfaces};

/// The search for the first hit of a ray, or for any hit.
pub(crate) struct RayInSurfaces<'b, 's, 'a, P> {
    pub(crate) surfaces: SceneSurfaces<'s, 'a>,
    pub(crate) ray: &'b mut RayQuery,
    pub(crate) probe: &'b mut P,
    /// Whether any hit ends the search. Otherwise, the first hit is searched.
    pub(crate) any: bool,
    pub(crate) is_hit: bool,
    /// The first hit so far, with the place of its surface.
    pub(crate) best: Option<(u32, SceneSurface<'s, 'a>, TriangleHit)>,
}

impl<P: Probe> BoxQuery for RayInSurfaces<'_, '_, '_, P> {
    fn distance(&self, bounds: &WideBox) -> Option<f64> {
        self.ray.meets(bounds)
    }

    fn limit(&self) -> f64 {
        self.ray.limit()
    }

    fn visit(&mut self, place: u32) -> ControlFlow<()> {
        let Some(surface) = self.surfaces.masked_at(place, self.ray.mask) else { return ControlFlow::Continue(()) };
        if self.any {
            let mut any = AnyHit::default();
            surface.cast(self.ray, &mut any, self.probe);
            self.is_hit = any.0;
            return if self.is_hit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        }
        let mut nearest = NearestHit::default();
        surface.cast(self.ray, &mut nearest, self.probe);
        if let Some(hit) = nearest.0
            && self.best.is_none_or(|(other, _, known)| (hit.crossing.t, place) < (known.crossing.t, other))
        {
            self.best = Some((place, surface, hit));
        }
        ControlFlow::Continue(())
    }
}

/// The search for the point of any surface that is nearest to a query point.
pub(crate) struct NearestInSurfaces<'b, 's, 'a, P> {
    pub(crate) surfaces: SceneSurfaces<'s, 'a>,
    pub(crate) point: &'b mut PointQuery,
    pub(crate) mask: u32,
    pub(crate) probe: &'b mut P,
    /// The nearest point so far, with the place of its surface.
    pub(crate) best: Option<(u32, SceneSurface<'s, 'a>, Candidate)>,
}

impl<P: Probe> BoxQuery for NearestInSurfaces<'_, '_, '_, P> {
    fn distance(&self, bounds: &WideBox) -> Option<f64> {
        Some(self.point.distance_to(bounds))
    }

    fn limit(&self) -> f64 {
        self.point.exact_limit()
    }

    fn visit(&mut self, place: u32) -> ControlFlow<()> {
        let Some(surface) = self.surfaces.masked_at(place, self.mask) else { return ControlFlow::Continue(()) };
        if let Some(found) = surface.nearest(self.point, self.probe) {
            let squared = found.closest.distance_squared;
            if self.best.is_none_or(|(other, _, known)| (squared, place) < (known.closest.distance_squared, other)) {
                self.best = Some((place, surface, found));
            }
        }
        ControlFlow::Continue(())
    }
}

/// The search for the triangles of all surfaces that are nearest to a query point.
pub(crate) struct NearestListInSurfaces<'b, 'l, 's, 'a, P> {
    pub(crate) surfaces: SceneSurfaces<'s, 'a>,
    pub(crate) list: &'b mut NearestList<'l>,
    pub(crate) mask: u32,
    pub(crate) probe: &'b mut P,
}

impl<P: Probe> BoxQuery for NearestListInSurfaces<'_, '_, '_, '_, P> {
    fn distance(&self, bounds: &WideBox) -> Option<f64> {
        Some(self.list.query().distance_to(bounds))
    }

    fn limit(&self) -> f64 {
        self.list.query().exact_limit()
    }

    fn visit(&mut self, place: u32) -> ControlFlow<()> {
        if let Some(surface) = self.surfaces.masked_at(place, self.mask) {
            surface.search(&mut self.list.surface(|near| surface.nearest_point(near)), self.probe);
        }
        if self.list.is_spoilt() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

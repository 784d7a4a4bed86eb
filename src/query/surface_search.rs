//! The searches of the surfaces of a scene for the first hit of a ray, any hit, and nearest points.

use std::ops::ControlFlow;

use crate::bvh::probe::Probe;
use crate::query::box_tree::{BoxQuery, WideBox};
use crate::query::closest_point::{Candidate, PointQuery};
use crate::query::nearest_list::NearestList;
use crate::query::ray_query::{AnyHit, NearestHit, RayQuery, TriangleHit};
use crate::query::scene_surface::{SceneSurface, SceneSurfaces};

/// The search for the first hit of a ray.
pub(crate) struct FirstHit<'b, 's, 'a, P> {
    pub(crate) surfaces: SceneSurfaces<'s, 'a>,
    pub(crate) ray: &'b mut RayQuery,
    pub(crate) probe: &'b mut P,
    pub(crate) best: Option<(SceneSurface<'s, 'a>, TriangleHit)>,
}

impl<P: Probe> BoxQuery for FirstHit<'_, '_, '_, P> {
    fn distance(&self, bounds: &WideBox) -> Option<f64> {
        self.ray.meets(bounds)
    }

    fn limit(&self) -> f64 {
        self.ray.limit()
    }

    fn visit(&mut self, place: u32) -> ControlFlow<()> {
        let Some(surface) = self.surfaces.masked_at(place, self.ray.mask) else { return ControlFlow::Continue(()) };
        let mut nearest = NearestHit::default();
        surface.cast(self.ray, &mut nearest, self.probe);
        if let Some(hit) = nearest.0 {
            let is_first = self.best.is_none_or(|(other, known)| {
                let [near, far] = [hit.crossing.t, known.crossing.t];
                near < far || near <= far && surface.index() < other.index()
            });
            if is_first {
                self.best = Some((surface, hit));
            }
        }
        ControlFlow::Continue(())
    }
}

/// The search for any hit of a ray.
pub(crate) struct HitOfAny<'b, 's, 'a, P> {
    pub(crate) surfaces: SceneSurfaces<'s, 'a>,
    pub(crate) ray: &'b mut RayQuery,
    pub(crate) probe: &'b mut P,
    pub(crate) found: AnyHit,
}

impl<P: Probe> BoxQuery for HitOfAny<'_, '_, '_, P> {
    fn distance(&self, bounds: &WideBox) -> Option<f64> {
        self.ray.meets(bounds)
    }

    fn limit(&self) -> f64 {
        self.ray.limit()
    }

    fn visit(&mut self, place: u32) -> ControlFlow<()> {
        if let Some(surface) = self.surfaces.masked_at(place, self.ray.mask) {
            surface.cast(self.ray, &mut self.found, self.probe);
        }
        if self.found.0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// The search for the point of any surface that is nearest to a query point.
pub(crate) struct NearestOfAll<'b, 's, 'a, P> {
    pub(crate) surfaces: SceneSurfaces<'s, 'a>,
    pub(crate) point: &'b mut PointQuery,
    pub(crate) mask: u32,
    pub(crate) probe: &'b mut P,
    pub(crate) best: Option<(SceneSurface<'s, 'a>, Candidate)>,
}

impl<P: Probe> BoxQuery for NearestOfAll<'_, '_, '_, P> {
    fn distance(&self, bounds: &WideBox) -> Option<f64> {
        Some(self.point.distance_to(bounds))
    }

    fn limit(&self) -> f64 {
        self.point.exact_limit()
    }

    fn visit(&mut self, place: u32) -> ControlFlow<()> {
        let Some(surface) = self.surfaces.masked_at(place, self.mask) else { return ControlFlow::Continue(()) };
        if let Some(found) = surface.nearest(self.point, self.probe) {
            let is_nearer = self.best.is_none_or(|(other, known)| {
                let [near, far] = [found, known].map(|candidate| candidate.closest.distance_squared);
                near < far || near <= far && surface.index() < other.index()
            });
            if is_nearer {
                self.best = Some((surface, found));
            }
        }
        ControlFlow::Continue(())
    }
}

/// The search for the triangles of all surfaces that are nearest to a query point.
pub(crate) struct NearestListOfAll<'b, 'l, 's, 'a, P> {
    pub(crate) surfaces: SceneSurfaces<'s, 'a>,
    pub(crate) list: &'b mut NearestList<'l>,
    pub(crate) mask: u32,
    pub(crate) probe: &'b mut P,
}

impl<P: Probe> BoxQuery for NearestListOfAll<'_, '_, '_, '_, P> {
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

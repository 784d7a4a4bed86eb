//! The searches of instances for the first hit of a ray and for the nearest point.

use std::ops::ControlFlow;

use crate::bvh::coordinates::{TriangleCorners, is_valid_point};
use crate::bvh::kernel::dispatch::Kernels;
use crate::bvh::lanes::CornerIndices;
use crate::bvh::layout::{RawNode, WIDTH};
use crate::bvh::traverse::TreeQuery;
use crate::bvh::triangles::Triangles;
use crate::math::{as_index, narrow};
use crate::query::box_tree::{BoxQuery, WideBox, squared_distance};
use crate::query::closest_on_triangle::closest_of_wide;
use crate::query::closest_point::Candidate;
use crate::query::instance_transform::{InstanceTransform, SceneInstance};
use crate::query::ray::{Hit, Nearest, Ray};
use crate::query::ray_query::{RayQuery, TriangleHit};
use crate::query::scene_surface::SceneSurface;

/// The margin for the rounding errors of the distance to a box in the world, relative to the
/// distance. World boxes also have a margin of their own.
const DISTANCE_MARGIN: f64 = 1.0e-9;

/// The search for the first hit of a ray, or for any hit.
pub(crate) struct RayInInstances<'b, 'a> {
    ray: &'b Ray,
    origin: [f64; 3],
    direction: [f64; 3],
    range: [f64; 2],
    instances: &'b [SceneInstance<'a>],
    any: bool,
    is_hit: bool,
    best: Option<(u32, SceneSurface<'b, 'a>, TriangleHit)>,
}

impl<'b, 'a> RayInInstances<'b, 'a> {
    /// Returns `None` if the ray cannot hit any triangle.
    pub(crate) fn new(ray: &'b Ray, instances: &'b [SceneInstance<'a>], any: bool) -> Option<Self> {
        RayQuery::new(ray)?;
        let [origin, direction] = [ray.origin, ray.direction].map(|part| part.map(f64::from));
        let range = ray.range.map(f64::from);
        Some(Self { ray, origin, direction, range, instances, any, is_hit: false, best: None })
    }

    pub(crate) const fn is_hit(&self) -> bool {
        self.is_hit
    }

    /// Returns the first hit in the world.
    pub(crate) fn first(&self) -> Option<(u32, Hit)> {
        let (item, surface, hit) = self.best.as_ref()?;
        let instance = self.instances.get(as_index(*item))?;
        let hit = surface.hit(self.ray, hit);
        Some((instance.id, Hit { normal: instance.transform.world_normal(hit.normal), ..hit }))
    }
}

impl BoxQuery for RayInInstances<'_, '_> {
    fn distance(&self, [min, max]: &WideBox) -> Option<f64> {
        let [mut near, mut far] = self.range;
        let axes = min.iter().zip(max).zip(self.origin.iter().zip(self.direction));
        for ((min, max), (origin, direction)) in axes {
            if direction == 0.0 {
                if origin < min || origin > max {
                    return None;
                }
                continue;
            }
            let [one, other] = [min, max].map(|plane| (plane - origin) / direction);
            let slack = (one.abs() + other.abs()) * DISTANCE_MARGIN;
            near = near.max(one.min(other) - slack);
            far = far.min(one.max(other) + slack);
        }
        (near <= far).then_some(near)
    }

    fn limit(&self) -> f64 {
        let [_, greatest] = self.range;
        greatest
    }

    fn visit(&mut self, item: u32) -> ControlFlow<()> {
        let found = self.instances.get(as_index(item)).filter(|instance| instance.mask & self.ray.mask != 0);
        let Some(SceneInstance { scene, transform, bounds, .. }) = found else { return ControlFlow::Continue(()) };
        let (line, before) = transform.local_line(self.ray, self.range, bounds);
        let Some(mut query) = RayQuery::from_parts(&line, self.ray) else { return ControlFlow::Continue(()) };
        query.mask &= scene.mask;
        if self.any {
            self.is_hit = scene.surfaces().is_hit(&mut query, &mut ());
            return if self.is_hit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        }
        let Some((surface, mut hit)) = scene.surfaces().first_hit(&mut query, &mut (), |surface, hit| (surface, *hit))
        else {
            return ControlFlow::Continue(());
        };
        hit.crossing.t += before;
        let is_first = self.best.is_none_or(|(other, _, known)| (hit.crossing.t, item) < (known.crossing.t, other));
        if is_first {
            let [_, greatest] = &mut self.range;
            *greatest = hit.crossing.t;
            self.best = Some((item, surface, hit));
        }
        ControlFlow::Continue(())
    }
}

/// The search for the nearest point of instances.
pub(crate) struct NearestInstance<'b, 'a> {
    point: [f64; 3],
    world_point: [f32; 3],
    mask: u32,
    instances: &'b [SceneInstance<'a>],
    /// The greatest squared distance of an accepted point, in the world.
    limit: f64,
    best: Option<(u32, SceneSurface<'b, 'a>, Candidate)>,
}

impl<'b, 'a> NearestInstance<'b, 'a> {
    /// Returns `None` if the point or the limit is not valid.
    pub(crate) fn new(point: [f32; 3], limit: f32, mask: u32, instances: &'b [SceneInstance<'a>]) -> Option<Self> {
        let is_sound = is_valid_point(&point) && limit >= 0.0;
        let limit = f64::from(limit) * f64::from(limit);
        let wide = point.map(f64::from);
        is_sound.then_some(Self { point: wide, world_point: point, mask, instances, limit, best: None })
    }

    /// Returns the nearest point in the world.
    pub(crate) fn best(&self) -> Option<(u32, Nearest)> {
        let (item, surface, candidate) = self.best.as_ref()?;
        Some((self.instances.get(as_index(*item))?.id, surface.nearest_point(candidate)))
    }
}

impl BoxQuery for NearestInstance<'_, '_> {
    /// Returns the squared distance of the point from a box, rounded down.
    fn distance(&self, bounds: &WideBox) -> Option<f64> {
        Some(squared_distance(&self.point, bounds, DISTANCE_MARGIN))
    }

    fn limit(&self) -> f64 {
        self.limit
    }

    fn visit(&mut self, item: u32) -> ControlFlow<()> {
        let found = self.instances.get(as_index(item)).filter(|instance| instance.mask & self.mask != 0);
        let Some(SceneInstance { scene, transform, .. }) = found else { return ControlFlow::Continue(()) };
        for surface in scene.surfaces().masked(self.mask & scene.mask) {
            let mut search = NearestInPlaced::new(self, transform);
            surface.search(&mut search, &mut ());
            let Some(found) = search.best else { continue };
            let squared = found.closest.distance_squared;
            let is_nearer = self.best.is_none_or(|(other, other_surface, known)| {
                (squared, item, surface.index()) < (known.closest.distance_squared, other, other_surface.index())
            });
            if is_nearer {
                self.limit = squared;
                self.best = Some((item, surface, found));
            }
        }
        ControlFlow::Continue(())
    }
}

/// The search of one surface of an instance for the point that is nearest to a point in the world.
///
/// Bounding boxes and leaves are tested in the space of the scene, with a distance that is large
/// enough for every direction. Triangles are tested in the world.
struct NearestInPlaced<'b> {
    transform: &'b InstanceTransform,
    world_point: [f64; 3],
    /// The point in the space of the scene.
    point: [f32; 3],
    factor: f64,
    summand: f64,
    /// The greatest squared distance in the world, and before the search.
    world_limit: f64,
    start: f64,
    /// The greatest squared distance in the space of the scene.
    limit: f32,
    best: Option<Candidate>,
}

impl<'b> NearestInPlaced<'b> {
    fn new(all: &NearestInstance<'_, '_>, transform: &'b InstanceTransform) -> Self {
        let (point, factor, summand) = transform.local_point(all.world_point);
        let mut search = Self {
            transform,
            world_point: all.point,
            point,
            factor,
            summand,
            world_limit: all.limit,
            start: all.limit,
            limit: 0.0,
            best: None,
        };
        search.shorten(all.limit);
        search
    }

    fn shorten(&mut self, squared: f64) {
        self.world_limit = squared;
        let local = squared.sqrt() * self.factor + self.summand;
        self.limit = narrow(local * local * (1.0 + 1.0e-6) + f64::from(f32::MIN_POSITIVE));
    }
}

impl TreeQuery for NearestInPlaced<'_> {
    fn restart(&mut self) {
        self.best = None;
        self.shorten(self.start);
    }

    #[inline]
    fn limit(&self) -> f32 {
        self.limit
    }

    #[inline(always)]
    fn test_node(&self, kernels: &impl Kernels, node: &RawNode) -> (u32, [f32; WIDTH]) {
        kernels.point_boxes(node, &self.point, self.limit)
    }

    #[inline(always)]
    fn test_leaf(&self, kernels: &impl Kernels, triangles: &Triangles<'_>, corners: &CornerIndices) -> u32 {
        kernels.point_triangles(&kernels.block(triangles, corners), &self.point, self.limit)
    }

    fn test_triangle(&mut self, triangle: u32, corners: &TriangleCorners) -> ControlFlow<()> {
        let closest = closest_of_wide(self.world_point, self.transform.world_corners(corners));
        let squared = closest.distance_squared;
        let is_better = match &self.best {
            Some(best) => {
                let known = best.closest.distance_squared;
                squared < known || squared <= known && triangle < best.triangle
            }
            None => squared <= self.world_limit,
        };
        if is_better {
            self.best = Some(Candidate { triangle, closest });
            self.shorten(squared);
        }
        ControlFlow::Continue(())
    }
}

//! Collectors for the hits of a ray on one surface: only the nearest hit, only whether the ray hits
//! anything, or all hits.

use std::ops::ControlFlow;

use crate::bvh::coordinates::TriangleCorners;
use crate::query::ray::Hit;
use crate::query::watertight_ray::Crossing;

/// A hit of a ray on a triangle of one surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TriangleHit {
    pub(crate) triangle: u32,
    pub(crate) crossing: Crossing,
    pub(crate) corners: TriangleCorners,
}

impl TriangleHit {
    /// Returns whether this hit takes precedence over another hit.
    ///
    /// A hit takes precedence over another hit if it has a smaller ray parameter `t`. If two hits
    /// have the same `t`, the hit on the triangle that is earlier in the file takes precedence.
    #[inline]
    fn is_before(&self, other: &Self) -> bool {
        let (near, far) = (self.crossing.t, other.crossing.t);
        near < far || near <= far && self.triangle < other.triangle
    }
}

/// A receiver for the hits of a ray on one surface.
pub(crate) trait HitCollector {
    /// Receives one hit of the ray. Returns the greatest ray parameter `t` up to which the
    /// collector still needs hits, or `None` if this limit has not changed. Returns `Break` to stop
    /// the query.
    fn take(&mut self, hit: TriangleHit) -> ControlFlow<(), Option<f64>>;
    /// Discards all hits that were collected so far.
    fn clear(&mut self);
}

/// Collects only the nearest hit of the ray. The nearest hit is `None` if the ray has no hit so
/// far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NearestHit(pub(crate) Option<TriangleHit>);

impl HitCollector for NearestHit {
    #[inline]
    fn take(&mut self, hit: TriangleHit) -> ControlFlow<(), Option<f64>> {
        if self.0.is_some_and(|best| !hit.is_before(&best)) {
            return ControlFlow::Continue(None);
        }
        self.0 = Some(hit);
        ControlFlow::Continue(Some(hit.crossing.t))
    }

    fn clear(&mut self) {
        self.0 = None;
    }
}

/// Collects only whether the ray has any hit.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AnyHit(pub(crate) bool);

impl HitCollector for AnyHit {
    #[inline]
    fn take(&mut self, _: TriangleHit) -> ControlFlow<(), Option<f64>> {
        self.0 = true;
        ControlFlow::Break(())
    }

    fn clear(&mut self) {
        self.0 = false;
    }
}

/// Appends all hits of the ray on one surface to a list, in no particular order.
pub(crate) struct AllHits<'b, F> {
    list: &'b mut Vec<Hit>,
    /// The length of the list before the first hit on the surface.
    start: usize,
    make: F,
}

impl<'b, F: Fn(&TriangleHit) -> Hit> AllHits<'b, F> {
    /// Makes a collector. The closure `make` makes an item of the list.
    pub(crate) const fn new(list: &'b mut Vec<Hit>, make: F) -> Self {
        let start = list.len();
        Self { list, start, make }
    }
}

impl<F: Fn(&TriangleHit) -> Hit> HitCollector for AllHits<'_, F> {
    fn take(&mut self, hit: TriangleHit) -> ControlFlow<(), Option<f64>> {
        self.list.push((self.make)(&hit));
        ControlFlow::Continue(None)
    }

    fn clear(&mut self) {
        self.list.truncate(self.start);
    }
}

//! What a ray collects on one surface: its nearest hit, whether there is any, or all.

use std::ops::ControlFlow;

use crate::query::watertight_ray::Crossing;

/// A hit on one surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TriangleHit {
    pub(crate) triangle: u32,
    pub(crate) crossing: Crossing,
}

impl TriangleHit {
    /// Returns whether it comes before another: it is nearer, or as near and of a triangle that the file has first.
    #[inline]
    fn is_before(&self, other: &Self) -> bool {
        let (near, far) = (self.crossing.t, other.crossing.t);
        near < far || near <= far && self.triangle < other.triangle
    }
}

/// Collects the hits of a ray.
pub(crate) trait HitCollector {
    /// Takes a hit. Returns the `t` beyond which nothing counts any more, or stops.
    fn take(&mut self, hit: TriangleHit) -> ControlFlow<(), Option<f64>>;
    /// Forgets all hits.
    fn clear(&mut self);
}

/// The nearest hit.
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

/// Whether there is any hit.
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

/// All hits, in no order.
#[derive(Debug, Default)]
pub(crate) struct AllHits(pub(crate) Vec<TriangleHit>);

impl HitCollector for AllHits {
    fn take(&mut self, hit: TriangleHit) -> ControlFlow<(), Option<f64>> {
        self.0.push(hit);
        ControlFlow::Continue(None)
    }

    fn clear(&mut self) {
        self.0.clear();
    }
}

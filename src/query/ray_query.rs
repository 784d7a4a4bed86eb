//! Rays through a tree: the nearest hit, any hit, all hits; one ray at a time, or many side by side.

use std::ops::ControlFlow;

use crate::array::Bounds;
use crate::bvh::kernel::{SLACK, Sieve};
use crate::bvh::layout::{RawNode, WIDTH};
use crate::bvh::traverse::{Stack, Watch, numbers};
use crate::bvh::tree::{Damaged, Leaf, View};
use crate::bvh::triangles::{Block, LANES, Numbers, Triangles};
use crate::math::as_index;
use crate::query::ray::{Aim, Crossing, Ray};

/// What the exact test may be off by, as a part of the largest coordinate: 2^-30, where f64 has 2^-52.
const BLUR: f32 = 1.0 / 1_073_741_824.0;

/// A ray made ready for a tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cast {
    pub(crate) aim: Aim,
    pub(crate) sieve: Sieve,
    /// Lengths of the scaled direction in one of the ray's own.
    measure: f64,
    /// The farthest that counts, in the scaled direction.
    limit: f32,
    /// How far the exact test may be off, as a length.
    blur: f32,
}

impl Cast {
    /// Prepares a ray; `None` for one that can hit nothing.
    pub(crate) fn new(ray: &Ray) -> Option<Self> {
        let aim = Aim::new(ray)?;
        let direction = ray.direction.map(f64::from);
        let measure = direction.iter().fold(0.0_f64, |most, part| most.max(part.abs()));
        let scaled = direction.map(|part| crate::math::narrow(part / measure));
        let [from, to] = ray.range.map(f64::from);
        let from = -above(-from * measure);
        Some(Self { aim, sieve: Sieve::new(ray.origin, scaled, from), measure, limit: above(to * measure), blur: 0.0 })
    }

    /// Returns the farthest that counts, in the scaled direction.
    #[inline]
    pub(crate) const fn limit(&self) -> f32 {
        self.limit
    }

    /// Makes ready for triangles within a box: the exact test is off by a part of the largest number in it.
    pub(crate) fn blur(&mut self, bounds: &Bounds) {
        self.blur = self.blur_within(bounds);
        self.sieve.blur(self.blur);
        self.sieve.from -= self.blur;
        self.limit += self.blur;
    }

    fn blur_within(&self, bounds: &Bounds) -> f32 {
        let numbers = self.sieve.origin.iter().chain(&bounds.min).chain(&bounds.max);
        numbers.fold(0.0, |most: f32, part| if part.is_finite() { most.max(part.abs()) } else { most }) * BLUR
    }

    /// Returns where the ray comes into a box, in the scaled direction; `None` where it does not within its range.
    pub(crate) fn meets(&self, bounds: &Bounds) -> Option<f64> {
        if bounds.is_empty() {
            return None;
        }
        let blur = f64::from(self.blur_within(bounds));
        let (mut near, mut far) = (f64::from(self.sieve.from) - blur, f64::from(self.limit) + blur);
        let axes = bounds.min.iter().zip(bounds.max).zip(self.sieve.origin.iter().zip(self.sieve.inverse));
        for ((min, max), (origin, inverse)) in axes {
            let plane = |at: f32| (f64::from(at) - f64::from(*origin)) * f64::from(inverse);
            let (one, other) = (plane(*min), plane(max));
            let slack = (one.abs() + other.abs()) * f64::from(SLACK) + blur * f64::from(inverse).abs();
            near = near.max(one.min(other) - slack);
            far = far.min(one.max(other) + slack);
        }
        (near <= far).then_some(near)
    }

    /// Goes as far again as it once did.
    pub(crate) const fn reach_to(&mut self, limit: f32) {
        self.limit = limit;
    }

    /// From here on only what is at `t` or nearer counts.
    #[inline]
    fn shorten(&mut self, t: f64) {
        self.limit = above(t * self.measure) + self.blur;
    }
}

/// Returns a float that is no less, even where what is compared with it was rounded a few times.
#[inline]
fn above(number: f64) -> f32 {
    crate::math::narrow(number + number.abs() * 1.0e-6)
}

/// A hit on one surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Found {
    pub(crate) triangle: u32,
    pub(crate) crossing: Crossing,
}

impl Found {
    /// Tells whether it comes before another: it is nearer, or as near and of a triangle that the file has first.
    #[inline]
    fn is_before(&self, other: &Self) -> bool {
        let (near, far) = (self.crossing.t, other.crossing.t);
        near < far || near <= far && self.triangle < other.triangle
    }
}

/// What is asked of a ray.
pub(crate) trait Ask {
    /// Takes a hit; returns the `t` beyond which nothing counts any more, or stops.
    fn take(&mut self, found: Found) -> ControlFlow<(), Option<f64>>;
    /// Forgets all hits.
    fn clear(&mut self);
}

/// The nearest hit.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Nearest(pub(crate) Option<Found>);

impl Ask for Nearest {
    #[inline]
    fn take(&mut self, found: Found) -> ControlFlow<(), Option<f64>> {
        if self.0.is_some_and(|best| !found.is_before(&best)) {
            return ControlFlow::Continue(None);
        }
        self.0 = Some(found);
        ControlFlow::Continue(Some(found.crossing.t))
    }

    fn clear(&mut self) {
        self.0 = None;
    }
}

/// Whether there is any hit.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Any(pub(crate) bool);

impl Ask for Any {
    #[inline]
    fn take(&mut self, _: Found) -> ControlFlow<(), Option<f64>> {
        self.0 = true;
        ControlFlow::Break(())
    }

    fn clear(&mut self) {
        self.0 = false;
    }
}

/// All hits, in no order.
#[derive(Debug, Default)]
pub(crate) struct All(pub(crate) Vec<Found>);

impl Ask for All {
    fn take(&mut self, found: Found) -> ControlFlow<(), Option<f64>> {
        self.0.push(found);
        ControlFlow::Continue(None)
    }

    fn clear(&mut self) {
        self.0.clear();
    }
}

/// Gives the triangles of a leaf that may be hit to the exact test, and what it finds to whoever asks.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled for the processor of whoever calls it")]
pub(crate) fn take_leaf(
    cast: &mut Cast,
    triangles: &Triangles<'_>,
    bits: u32,
    leaf: &Leaf<'_>,
    ask: &mut impl Ask,
) -> ControlFlow<()> {
    let mut left = bits;
    while left != 0 {
        let lane = as_index(left.trailing_zeros()) % LANES;
        left &= left.wrapping_sub(1);
        let Some(triangle) = leaf.triangle(lane) else { continue };
        let crossing = triangles.get(triangle).and_then(|corners| cast.aim.crossing(&corners));
        let Some(crossing) = crossing else { continue };
        if let Some(t) = ask.take(Found { triangle, crossing })? {
            cast.shorten(t);
        }
    }
    ControlFlow::Continue(())
}

/// One ray through one tree.
pub(crate) struct One<'a, 'b, A, W> {
    pub(crate) view: View<'a>,
    pub(crate) triangles: &'b Triangles<'a>,
    pub(crate) cast: &'b mut Cast,
    pub(crate) ask: &'b mut A,
    pub(crate) watch: &'b mut W,
}

/// A query whose boxes and triangles are tested along a ray; run by `kernel::dispatch`.
pub(crate) trait AlongRay {
    type Answer;
    fn run(
        self,
        block: impl Fn(&Triangles<'_>, &Numbers) -> Block,
        boxes: impl Fn(&RawNode, &Sieve, f32) -> (u32, [f32; WIDTH]),
        sift: impl Fn(&Block, &Sieve, f32) -> u32,
    ) -> Self::Answer;
}

impl<A: Ask, W: Watch> AlongRay for One<'_, '_, A, W> {
    type Answer = Result<(), Damaged>;

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "it must be compiled for the processor of whoever calls it")]
    fn run(
        self,
        block: impl Fn(&Triangles<'_>, &Numbers) -> Block,
        boxes: impl Fn(&RawNode, &Sieve, f32) -> (u32, [f32; WIDTH]),
        sift: impl Fn(&Block, &Sieve, f32) -> u32,
    ) -> Result<(), Damaged> {
        let Self { view, triangles, cast, ask, watch } = self;
        let mut stack = Stack::new();
        let mut left = view.shape.nodes;
        let mut next = Some((view.shape.root, false));
        while let Some((child, is_leaf)) = next {
            next = if is_leaf {
                let leaf = view.leaf(child)?;
                if W::NOTES {
                    leaf.triangles().for_each(|triangle| watch.triangle(triangles, triangle));
                }
                let block = block(triangles, &numbers(triangles, &leaf));
                let bits = sift(&block, &cast.sieve, cast.limit);
                if take_leaf(cast, triangles, bits, &leaf, ask).is_break() {
                    return Ok(());
                }
                stack.pop_within(cast.limit)
            } else {
                left = left.checked_sub(1).ok_or(Damaged)?;
                watch.node(&view, child);
                let node = view.node(child)?;
                let (bits, near) = boxes(node, &cast.sieve, cast.limit);
                stack.descend(node, bits, &near, cast.limit, Some((&view, triangles)))?
            };
        }
        Ok(())
    }
}

/// Looks at every triangle: what is done where there is no tree.
pub(crate) fn every(triangles: &Triangles<'_>, cast: &mut Cast, ask: &mut impl Ask, watch: &mut impl Watch) {
    for triangle in 0..triangles.len() {
        watch.triangle(triangles, triangle);
        let crossing = triangles.get(triangle).and_then(|corners| cast.aim.crossing(&corners));
        let Some(crossing) = crossing else { continue };
        match ask.take(Found { triangle, crossing }) {
            ControlFlow::Continue(Some(t)) => cast.shorten(t),
            ControlFlow::Continue(None) => {}
            ControlFlow::Break(()) => return,
        }
    }
}

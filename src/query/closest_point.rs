//! The nearest point of the triangles of a tree.

use crate::bvh::layout::{RawNode, WIDTH};
use crate::bvh::traverse::{Stack, Watch, numbers};
use crate::bvh::tree::{Damaged, Leaf, View};
use crate::bvh::triangles::{Block, LANES, Numbers, Triangles};
use crate::math::as_index;
use crate::query::triangle::{Closest, LIMIT, closest};

/// A point around which something is looked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Center {
    point: [f32; 3],
    /// The greatest squared distance that counts.
    limit: f32,
    /// The same, exactly.
    reach: f64,
}

/// The nearest so far, of one surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Nearby {
    pub(crate) triangle: u32,
    pub(crate) closest: Closest,
}

impl Center {
    /// Takes a point, and how far from it anything counts; `None` where it is not finite or beyond ±2^60, or nothing can count.
    pub(crate) fn new(point: [f32; 3], limit: f32) -> Option<Self> {
        let sound = point.iter().all(|part| f64::from(part.abs()) <= LIMIT) && limit >= 0.0;
        let reach = f64::from(limit) * f64::from(limit);
        sound.then_some(Self { point, limit: above(reach), reach })
    }

    /// From here on only what is as near counts.
    fn shorten(&mut self, squared: f64) {
        self.reach = squared;
        self.limit = above(squared);
    }

    /// Returns the least squared distance to a box, rounded down.
    pub(crate) fn distance_to(&self, bounds: &crate::array::Bounds) -> f64 {
        let sides = self.point.iter().zip(bounds.min.iter().zip(bounds.max));
        let squares = sides.map(|(at, (min, max))| {
            let [at, min, max] = [*at, *min, max].map(f64::from);
            let out = (min - at).max(at - max).max(0.0);
            out * out
        });
        squares.sum::<f64>() * (1.0 - 1.0e-12)
    }

    /// Returns the greatest squared distance that counts.
    pub(crate) const fn reach(&self) -> f64 {
        self.reach
    }
}

/// Returns a float that is no less, even where what is compared with it was rounded a few times.
fn above(squared: f64) -> f32 {
    crate::math::narrow(squared * (1.0 + 1.0e-6) + f64::from(f32::MIN_POSITIVE))
}

/// A query whose boxes and triangles are tested for their distance; run by `kernel::dispatch`.
pub(crate) trait AroundPoint {
    type Answer;
    fn run(
        self,
        block: impl Fn(&Triangles<'_>, &Numbers) -> Block,
        distances: impl Fn(&RawNode, &[f32; 3], f32) -> (u32, [f32; WIDTH]),
        approach: impl Fn(&Block, &[f32; 3], f32) -> u32,
    ) -> Self::Answer;
}

/// The nearest point of one tree.
pub(crate) struct Near<'a, 'b, W> {
    pub(crate) view: View<'a>,
    pub(crate) triangles: &'b Triangles<'a>,
    pub(crate) center: &'b mut Center,
    pub(crate) best: &'b mut Option<Nearby>,
    pub(crate) watch: &'b mut W,
}

impl<W: Watch> AroundPoint for Near<'_, '_, W> {
    type Answer = Result<(), Damaged>;

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "it must be compiled for the processor of whoever calls it")]
    fn run(
        self,
        block: impl Fn(&Triangles<'_>, &Numbers) -> Block,
        distances: impl Fn(&RawNode, &[f32; 3], f32) -> (u32, [f32; WIDTH]),
        approach: impl Fn(&Block, &[f32; 3], f32) -> u32,
    ) -> Result<(), Damaged> {
        let Self { view, triangles, center, best, watch } = self;
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
                let bits = approach(&block, &center.point, center.limit);
                take_leaf(center, best, triangles, bits, &leaf);
                stack.pop_within(center.limit)
            } else {
                left = left.checked_sub(1).ok_or(Damaged)?;
                watch.node(&view, child);
                let node = view.node(child)?;
                let (bits, near) = distances(node, &center.point, center.limit);
                stack.descend(node, bits, &near, center.limit, Some((&view, triangles)))?
            };
        }
        Ok(())
    }
}

/// Measures the triangles that may be nearer than the nearest so far.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled for the processor of whoever calls it")]
fn take_leaf(center: &mut Center, best: &mut Option<Nearby>, triangles: &Triangles<'_>, bits: u32, leaf: &Leaf<'_>) {
    let mut left = bits;
    while left != 0 {
        let lane = as_index(left.trailing_zeros()) % LANES;
        left &= left.wrapping_sub(1);
        let found = leaf.triangle(lane).and_then(|triangle| Some((triangle, triangles.get(triangle)?)));
        if let Some((triangle, corners)) = found {
            consider(center, best, triangle, &corners);
        }
    }
}

/// Measures a triangle that counts, and keeps it where it is nearer, or as near and earlier in the file.
fn consider(center: &mut Center, best: &mut Option<Nearby>, triangle: u32, corners: &[[f32; 3]; 3]) {
    let closest = closest(center.point.map(f64::from), corners);
    let squared = closest.distance_squared;
    let is_better = match best {
        Some(best) => {
            let known = best.closest.distance_squared;
            squared < known || squared <= known && triangle < best.triangle
        }
        None => squared <= center.reach,
    };
    if is_better {
        *best = Some(Nearby { triangle, closest });
        center.shorten(squared);
    }
}

/// Looks at every triangle: what is done where there is no tree.
pub(crate) fn every(triangles: &Triangles<'_>, center: &mut Center, best: &mut Option<Nearby>, watch: &mut impl Watch) {
    for triangle in 0..triangles.len() {
        watch.triangle(triangles, triangle);
        if let Some(corners) = triangles.get(triangle) {
            consider(center, best, triangle, &corners);
        }
    }
}

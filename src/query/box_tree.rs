//! A tree over boxes: those of the surfaces or of the instances of a scene.

// Rule: this file sorts and maps by copies only.

use std::ops::ControlFlow;

use crate::array::Bounds;
use crate::bvh::reserve::try_with_capacity;
use crate::error::Result;
use crate::math::{as_index, as_u64};

/// A box in `f64`: the least and the greatest coordinates.
pub(crate) type WideBox = [[f64; 3]; 2];

/// Returns the same box in `f64`.
pub(crate) fn wide_box(bounds: &Bounds) -> WideBox {
    [bounds.min, bounds.max].map(|corner| corner.map(f64::from))
}

/// Returns the squared distance from a point to the nearest point of a box. The distance is reduced
/// by `margin`, relative to the distance, for rounding errors.
pub(crate) fn squared_distance(point: &[f64; 3], [min, max]: &WideBox, margin: f64) -> f64 {
    let sides = point.iter().zip(min.iter().zip(max));
    let squares = sides.map(|(at, (min, max))| {
        let out = (min - at).max(at - max).max(0.0);
        out * out
    });
    squares.sum::<f64>() * (1.0 - margin)
}

/// The maximum number of nodes that wait in the order of their distances. If more wait, nodes are
/// visited depth first.
const MAX_SORTED: usize = 24;
/// The maximum number of nodes that wait to be visited. A tree over 2^32 boxes has 33 levels, and
/// one node of each level waits while nodes are visited depth first.
const STACK_SIZE: usize = MAX_SORTED + 40;

/// A binary tree over boxes. Each inner node has two children with equally many boxes, up to one.
#[derive(Clone, Debug, Default)]
pub(crate) struct BoxTree {
    /// The nodes: each inner node is followed by its first child.
    nodes: Vec<BoxNode>,
}

#[derive(Clone, Copy, Debug)]
struct BoxNode {
    bounds: WideBox,
    content: NodeContent,
}

#[derive(Clone, Copy, Debug)]
enum NodeContent {
    /// The index of a box.
    Item(u32),
    /// The index of the second child.
    Second(u32),
}

/// A query of the items in a tree of boxes.
pub(crate) trait BoxQuery {
    /// Returns the distance of a box, or `None` if no item in the box is needed.
    fn distance(&self, bounds: &WideBox) -> Option<f64>;
    /// Returns the distance beyond which no item is needed.
    fn limit(&self) -> f64;
    /// Visits an item. Returns `Break` to end the query.
    fn visit(&mut self, item: u32) -> ControlFlow<()>;
}

impl BoxTree {
    /// Builds a tree over boxes, each with its index, in `O(n log n)` time.
    pub(crate) fn new(mut items: Vec<(WideBox, u32)>) -> Result<Self> {
        let mut tree = Self { nodes: try_with_capacity(items.len().saturating_mul(2))? };
        tree.add(&mut items);
        Ok(tree)
    }

    /// Adds the nodes over `items`. Each call halves the items, so the calls are nested at most 33
    /// times.
    fn add(&mut self, items: &mut [(WideBox, u32)]) {
        let Some((first, item)) = items.first().copied() else { return };
        let bounds = items.iter().fold(first, |all, (other, _)| union(&all, other));
        if items.len() == 1 {
            return self.nodes.push(BoxNode { bounds, content: NodeContent::Item(item) });
        }
        let place = self.nodes.len();
        self.nodes.push(BoxNode { bounds, content: NodeContent::Second(0) });
        let [min, max] = bounds;
        let [x, y, z] = crate::math::subtract(max, min);
        // Twice the centre of a box along the longest axis.
        let middle = |([min, max], _): &(WideBox, u32)| {
            let ([min_x, min_y, min_z], [max_x, max_y, max_z]) = (min, max);
            if x >= y && x >= z {
                min_x + max_x
            } else if y >= z {
                min_y + max_y
            } else {
                min_z + max_z
            }
        };
        let half = items.len() / 2;
        items.select_nth_unstable_by(half, |one, other| middle(one).total_cmp(&middle(other)));
        let (one, other) = items.split_at_mut(half);
        self.add(one);
        let second = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        if let Some(node) = self.nodes.get_mut(place) {
            node.content = NodeContent::Second(second);
        }
        self.add(other);
    }

    /// Returns the memory that the nodes take, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        as_u64(size_of_val(self.nodes.as_slice()))
    }

    /// Returns the box around all items, or `None` if there are none.
    pub(crate) fn bounds(&self) -> Option<WideBox> {
        self.nodes.first().map(|root| root.bounds)
    }

    /// Visits the items that a query needs, the nearest boxes first.
    pub(crate) fn search(&self, query: &mut impl BoxQuery) {
        let mut waiting = Waiting { nodes: [(0.0, 0); STACK_SIZE], len: 0 };
        waiting.add(self.node(0, query));
        while let Some((near, place)) = waiting.next() {
            if near > query.limit() {
                continue;
            }
            match self.nodes.get(as_index(place)).map(|node| node.content) {
                Some(NodeContent::Item(item)) if query.visit(item).is_break() => return,
                Some(NodeContent::Second(second)) => {
                    let (one, other) = (self.node(place.wrapping_add(1), query), self.node(second, query));
                    let is_other_nearer = one.zip(other).is_some_and(|((one, _), (other, _))| other < one);
                    let [later, first] = if is_other_nearer { [one, other] } else { [other, one] };
                    waiting.add(later);
                    waiting.add(first);
                }
                Some(NodeContent::Item(_)) | None => {}
            }
        }
    }

    /// Returns the distance and the place of a node, or `None` if the query needs nothing in it.
    fn node(&self, place: u32, query: &impl BoxQuery) -> Option<(f64, u32)> {
        let node = self.nodes.get(as_index(place))?;
        Some((query.distance(&node.bounds)?, place))
    }
}

/// The nodes that wait to be visited, each with its distance and its place. The last one is visited
/// next.
struct Waiting {
    nodes: [(f64, u32); STACK_SIZE],
    len: usize,
}

impl Waiting {
    fn next(&mut self) -> Option<(f64, u32)> {
        self.len = self.len.checked_sub(1)?;
        self.nodes.get(self.len).copied()
    }

    /// Adds a node so that nearer nodes come after it, or as the last one if many nodes wait.
    fn add(&mut self, node: Option<(f64, u32)>) {
        let Some((near, _)) = node else { return };
        let known = self.nodes.get(..self.len).filter(|known| known.len() < MAX_SORTED);
        let place = known.map_or(self.len, |known| {
            known.iter().rposition(|(other, _)| *other >= near).map_or(0, |other| other.wrapping_add(1))
        });
        let Some(behind) = self.nodes.get_mut(place..=self.len) else { return };
        behind.rotate_right(1);
        if let Some((first, node)) = behind.first_mut().zip(node) {
            *first = node;
            self.len = self.len.wrapping_add(1);
        }
    }
}

fn union([min, max]: &WideBox, [other_min, other_max]: &WideBox) -> WideBox {
    let mut union = [*min, *max];
    let [least, greatest] = &mut union;
    least.iter_mut().zip(other_min).for_each(|(part, other)| *part = part.min(*other));
    greatest.iter_mut().zip(other_max).for_each(|(part, other)| *part = part.max(*other));
    union
}

/// Returns whether two boxes have a point in common.
pub(crate) fn overlaps([min, max]: &WideBox, [other_min, other_max]: &WideBox) -> bool {
    let axes = min.iter().zip(max).zip(other_min.iter().zip(other_max));
    let mut axes = axes.map(|((min, max), (other_min, other_max))| min <= other_max && other_min <= max);
    axes.all(|axis| axis)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::random::Random;

    /// Visits the boxes up to a distance that each visited box reduces, if `shrinks` is set.
    struct Nearest {
        point: [f64; 3],
        limit: f64,
        shrinks: bool,
        boxes: Vec<WideBox>,
        visited: Vec<u32>,
    }

    impl BoxQuery for Nearest {
        fn distance(&self, bounds: &WideBox) -> Option<f64> {
            let distance = squared_distance(&self.point, bounds, 0.0);
            (distance <= self.limit).then_some(distance)
        }

        fn limit(&self) -> f64 {
            self.limit
        }

        fn visit(&mut self, item: u32) -> ControlFlow<()> {
            self.visited.push(item);
            if self.shrinks {
                self.limit = squared_distance(&self.point, &self.boxes[as_index(item)], 0.0);
            }
            ControlFlow::Continue(())
        }
    }

    #[test]
    fn visits_each_box_within_the_limit_and_the_nearest_one_first() {
        let mut random = Random::new(3);
        for count in [1, 2, 30, 3_000] {
            // Many boxes are at the same distance, and more wait than are kept in order.
            let mut corner = || random.vector(4.0).map(|part| f64::from(part).round());
            let boxes: Vec<WideBox> =
                (0..count).map(|_| corner()).map(|min| [min, min.map(|part| part + 1.0)]).collect();
            let tree = BoxTree::new(boxes.iter().copied().zip(0..).collect()).unwrap();
            for limit in [0.0, 2.0, f64::INFINITY] {
                let point = corner().map(|part| part + 0.25);
                let near = |item: u32| squared_distance(&point, &boxes[as_index(item)], 0.0);
                let mut query = Nearest { point, limit, shrinks: false, boxes: boxes.clone(), visited: Vec::new() };
                tree.search(&mut query);
                query.visited.sort_unstable();
                let expected: Vec<u32> = (0..count).filter(|item| near(*item) <= limit).collect();
                assert_eq!(query.visited, expected, "{count} boxes within {limit}");
                query = Nearest { shrinks: true, visited: Vec::new(), ..query };
                tree.search(&mut query);
                let least = expected.iter().map(|item| near(*item)).fold(f64::INFINITY, f64::min);
                assert!(query.visited.iter().all(|item| near(*item) <= least), "no farther box is visited");
                assert_eq!(query.visited.is_empty(), expected.is_empty());
            }
        }
    }
}

//! A tree over a few boxes, such as the boxes of the instances of a scene.

// Rule: this file sorts and maps by copies only.

use std::ops::ControlFlow;

use crate::bvh::reserve::try_with_capacity;
use crate::error::Result;
use crate::math::as_index;

/// A box in `f64`: the least and the greatest coordinates.
pub(crate) type WideBox = [[f64; 3]; 2];

/// The maximum number of nodes that wait to be visited. A tree over 2^32 boxes has 33 levels, and
/// one node of each level waits.
const STACK_SIZE: usize = 40;

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
    /// Builds a tree over boxes, each with its index, in `O(n log n)` time. The boxes must be
    /// finite.
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

    /// Returns the box around all items, or `None` if there are none.
    pub(crate) fn bounds(&self) -> Option<WideBox> {
        self.nodes.first().map(|root| root.bounds)
    }

    /// Visits the items that a query needs, the nearest boxes first.
    pub(crate) fn search(&self, query: &mut impl BoxQuery) {
        let mut stack = [(0.0, 0); STACK_SIZE];
        let mut len = 0_usize;
        let mut next = self.nodes.first().and_then(|root| query.distance(&root.bounds)).map(|near| (near, 0));
        loop {
            let Some((near, node)) = next.take().or_else(|| {
                len = len.checked_sub(1)?;
                stack.get(len).copied()
            }) else {
                return;
            };
            if near > query.limit() {
                continue;
            }
            match self.nodes.get(as_index(node)).map(|node| node.content) {
                Some(NodeContent::Item(item)) if query.visit(item).is_break() => return,
                Some(NodeContent::Second(second)) => {
                    let child = |place: u32| {
                        let near = query.distance(&self.nodes.get(as_index(place))?.bounds)?;
                        Some((near, place))
                    };
                    let (one, other) = (child(node.wrapping_add(1)), child(second));
                    let (first, later) = match (one, other) {
                        (Some(one), Some(other)) if other.0 < one.0 => (Some(other), Some(one)),
                        (None, other) => (other, None),
                        both => both,
                    };
                    next = first;
                    if let Some((later, place)) = later.zip(stack.get_mut(len)) {
                        *place = later;
                        len = len.wrapping_add(1);
                    }
                }
                Some(NodeContent::Item(_)) | None => {}
            }
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

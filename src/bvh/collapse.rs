//! Collapses a binary tree to a tree with up to eight children per node: chooses the nodes that
//! rays are expected to visit least often, with dynamic programming.
//!
//! The method is that of Ylitie, Karras and Laine, *Efficient Incoherent Ray Traversal on GPUs
//! Through Compressed Wide BVHs* (HPG 2017).

use crate::bvh::layout::WIDTH;
use crate::bvh::reserve::reserve_one;
use crate::error::Result;
use crate::math::as_index;

/// The cost of the items of a binary node in at most `k` + 1 subtrees: the sum of the areas of all
/// nodes with up to eight children. Leaves have no cost, because they do not depend on the nodes.
type Costs = [f32; WIDTH - 1];

/// A binary tree over the items of a subtree.
#[derive(Default)]
pub(crate) struct BinaryTree {
    nodes: Vec<(Collapsed, Costs)>,
}

/// A node of the collapsed tree.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Collapsed {
    /// A leaf with `count` items, starting with the item `first`.
    Leaf { first: u32, count: u32 },
    /// A node over the items of two binary nodes. [`BinaryTree::roots`] returns its children.
    Node([u32; 2]),
}

impl BinaryTree {
    /// Adds a leaf, and returns its number.
    pub(crate) fn add_leaf(&mut self, first: u32, count: u32) -> Result<u32> {
        self.add(Collapsed::Leaf { first, count }, [0.0; WIDTH - 1])
    }

    /// Adds a node whose two children were added before, and returns its number. `area` is the area
    /// of its bounding box.
    pub(crate) fn add_node(&mut self, children: [u32; 2], area: f32) -> Result<u32> {
        let as_node = area + self.division(children, WIDTH).1;
        let (mut costs, mut least) = ([as_node; WIDTH - 1], as_node);
        for (cost, roots) in costs.iter_mut().skip(1).zip(2..) {
            least = least.min(self.division(children, roots).1);
            *cost = least;
        }
        self.add(Collapsed::Node(children), costs)
    }

    fn add(&mut self, node: Collapsed, costs: Costs) -> Result<u32> {
        let number = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        reserve_one(&mut self.nodes)?;
        self.nodes.push((node, costs));
        Ok(number)
    }

    /// Returns the root of the collapsed tree, which is the node that was added last.
    pub(crate) fn root(&self) -> Option<Collapsed> {
        self.nodes.last().map(|(node, _)| *node)
    }

    /// Returns the roots of the two to eight subtrees that are the least expensive children of a
    /// node over two binary nodes, in the order of their items.
    pub(crate) fn roots(&self, children: [u32; 2]) -> impl Iterator<Item = Collapsed> {
        let (mut roots, mut count) = ([None; WIDTH], 0_usize);
        self.divide(children, WIDTH, &mut |root| {
            if let Some(place) = roots.get_mut(count) {
                *place = Some(root);
            }
            count = count.wrapping_add(1);
        });
        roots.into_iter().flatten()
    }

    fn divide(&self, children: [u32; 2], roots: usize, take: &mut dyn FnMut(Collapsed)) {
        let [one, other] = children;
        let (of_one, _) = self.division(children, roots);
        for (child, roots) in [(one, of_one), (other, roots.wrapping_sub(of_one))] {
            let Some((node, costs)) = self.nodes.get(as_index(child)) else { continue };
            // The cost for more subtrees is the same if they are not used.
            let least = costs.get(roots.wrapping_sub(1));
            let used = costs.iter().position(|cost| Some(cost) == least).unwrap_or_default().wrapping_add(1);
            match node {
                Collapsed::Node(children) if used > 1 => self.divide(*children, used, take),
                _ => take(*node),
            }
        }
    }

    /// Returns how `roots` subtrees are best divided between two children: the number for the first
    /// child, and the cost.
    #[inline]
    fn division(&self, children: [u32; 2], roots: usize) -> (usize, f32) {
        let [Some((_, one)), Some((_, other))] = children.map(|child| self.nodes.get(as_index(child))) else {
            return (1, 0.0);
        };
        let mut best = (1, f32::INFINITY);
        let count = roots.saturating_sub(1).min(one.len());
        let costs = one.iter().zip(other.iter().take(count).rev());
        for (of_one, (one, other)) in (1..).zip(costs) {
            if one + other < best.1 {
                best = (of_one, one + other);
            }
        }
        best
    }
}

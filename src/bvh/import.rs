//! Converts the spatial tree of a file to a query tree, instead of searching for the best splits.
//!
//! Only the grouping of the triangles is taken from the file. The bounding boxes are computed from
//! the triangles themselves. If a triangle is not in exactly one leaf of the spatial tree, no query
//! tree is made. With these rules, queries return correct results for any content of the file.

use crate::array::Bounds;
use crate::bvh::bit_set::BitSet;
use crate::bvh::build::MemoryPages;
use crate::bvh::coordinates::include_point;
use crate::bvh::lanes::LANES;
use crate::bvh::layout::{COUNT_BITS, Child, MAX_DEPTH, NO_CHILD, WIDTH};
use crate::bvh::leaf_order::half_area;
use crate::bvh::pages::{PagePacker, Subtree, SubtreeRoot};
use crate::bvh::reserve::try_with_capacity;
use crate::bvh::tree::Tree;
use crate::bvh::tree_view::TreeHeader;
use crate::bvh::triangles::Triangles;
use crate::error::Result;
use crate::math::as_index;
use crate::model::{SpatialTree, SplitNode};

/// The maximum number of triangles that leaves can refer to, in a tree with its own order of
/// triangles.
const MAX_TRIANGLES: u32 = u32::MAX >> COUNT_BITS;

impl Tree {
    /// Converts the spatial tree of a file to a query tree.
    ///
    /// [`Surface::partition`](crate::model::Surface::partition) returns the spatial tree of a
    /// surface. Nodes with two children are combined into nodes with eight children, and the
    /// bounding box of each node is computed from its triangles. Returns `None` if a triangle is
    /// not in exactly one leaf of the spatial tree, or if the spatial tree is too deep.
    ///
    /// The conversion takes 28 bytes of memory for each node of the spatial tree, in addition to
    /// the new tree. Queries are slower in a converted tree than in a tree that was
    /// [built](Self::new), but the conversion takes less time than building. For few queries, the
    /// conversion is faster in total, and for many queries, building is.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::OutOfMemory`](crate::error::ErrorKind::OutOfMemory) if there is not
    /// enough memory.
    pub fn from_spatial_tree(triangles: &Triangles<'_>, spatial_tree: &dyn SpatialTree) -> Result<Option<Self>> {
        if triangles.is_empty() || triangles.len() > MAX_TRIANGLES || !is_sound(spatial_tree, triangles.len())? {
            return Ok(None);
        }
        let mut importer = Importer { triangles, spatial_tree, nodes: Vec::new(), order: Vec::new() };
        importer.measure()?;
        importer.order = try_with_capacity(as_index(triangles.len()))?;
        importer.tree()
    }
}

/// Returns whether the nodes of a spatial tree form a tree that has each triangle in exactly one
/// leaf.
///
/// Each child node must have a higher number than its parent node. The check reads each triangle
/// number at most once.
fn is_sound(spatial_tree: &dyn SpatialTree, triangles: u32) -> Result<bool> {
    let nodes = spatial_tree.node_count();
    if nodes == 0 || spatial_tree.triangle_count() != as_index(triangles) {
        return Ok(false);
    }
    let mut reached = BitSet::new(nodes)?;
    let mut named = BitSet::new(spatial_tree.triangle_count())?;
    // The root node, number 0, has no parent, so it is marked as reached here.
    let mut sound = reached.insert(0);
    for number in 0..nodes {
        sound = sound
            && match spatial_tree.node(number) {
                Some(SplitNode::Inner(children)) => {
                    children.into_iter().all(|child| child > number && reached.insert(child))
                }
                Some(SplitNode::Leaf(mut places)) => {
                    places.start <= places.end
                        && places.all(|place| spatial_tree.triangle(place).is_some_and(|at| named.insert(as_index(at))))
                }
                None => false,
            };
        if !sound {
            return Ok(false);
        }
    }
    Ok(reached.is_full() && named.is_full())
}

/// The content of a subtree of the spatial tree: the bounding box and the number of its triangles.
#[derive(Clone, Copy)]
struct SubtreeExtent {
    bounds: Bounds,
    count: u32,
}

/// A group of triangles: the triangles below a node of the spatial tree, or a part of the triangles
/// of one leaf.
#[derive(Clone)]
struct TriangleGroup {
    node: SplitNode,
    below: SubtreeExtent,
}

/// The data of a conversion in progress, from a valid spatial tree to a query tree.
struct Importer<'a> {
    triangles: &'a Triangles<'a>,
    spatial_tree: &'a dyn SpatialTree,
    /// The content of the subtree below each node of the spatial tree, indexed by the node's
    /// number.
    nodes: Vec<SubtreeExtent>,
    /// The numbers of the triangles in the leaves made so far, in the order of these leaves.
    order: Vec<u32>,
}

impl Importer<'_> {
    /// Computes the content of the subtree below each node, from the last node to the first. This
    /// order of nodes works because child nodes have higher numbers than their parents.
    fn measure(&mut self) -> Result<()> {
        let count = self.spatial_tree.node_count();
        self.nodes = try_with_capacity(count)?;
        self.nodes.resize(count, SubtreeExtent { bounds: Bounds::EMPTY, count: 0 });
        for number in (0..count).rev() {
            let below = match self.spatial_tree.node(number) {
                Some(SplitNode::Inner(children)) => {
                    let [one, other] = children.map(|child| self.below(child));
                    SubtreeExtent {
                        bounds: one.bounds.union(&other.bounds),
                        count: one.count.saturating_add(other.count),
                    }
                }
                Some(SplitNode::Leaf(places)) => self.run(places).below,
                None => continue,
            };
            if let Some(place) = self.nodes.get_mut(number) {
                *place = below;
            }
        }
        Ok(())
    }

    fn below(&self, node: usize) -> SubtreeExtent {
        self.nodes.get(node).copied().unwrap_or(SubtreeExtent { bounds: Bounds::EMPTY, count: 0 })
    }

    /// Makes a group of the triangles in a range of the spatial tree's list of triangles, and
    /// computes its bounding box.
    fn run(&self, places: std::ops::Range<usize>) -> TriangleGroup {
        let named = places.clone().filter_map(|place| self.spatial_tree.triangle(place));
        let corners = named.filter_map(|triangle| self.triangles.get(triangle)).flatten();
        let bounds = corners.fold(Bounds::EMPTY, include_point);
        let count = u32::try_from(places.len()).unwrap_or(u32::MAX);
        TriangleGroup { node: SplitNode::Leaf(places), below: SubtreeExtent { bounds, count } }
    }

    fn node(&self, number: usize) -> Option<TriangleGroup> {
        Some(TriangleGroup { node: self.spatial_tree.node(number)?, below: self.below(number) })
    }

    /// Divides a group in two: an inner node into its two children, and a leaf into the two halves
    /// of its list of triangles.
    fn open(&self, piece: &TriangleGroup) -> [Option<TriangleGroup>; 2] {
        match &piece.node {
            SplitNode::Inner(children) => children.map(|child| self.node(child)),
            SplitNode::Leaf(places) => {
                let middle = places.start.midpoint(places.end);
                [places.start..middle, middle..places.end].map(|half| Some(self.run(half)))
            }
        }
    }

    /// Makes the query tree. Returns `None` if the query tree would be too deep.
    fn tree(mut self) -> Result<Option<Tree>> {
        let (mut packer, mut held) = (PagePacker::default(), MemoryPages::default());
        let Some(root) = self.node(0) else { return Ok(None) };
        let Some(mut part) = self.part(&root, 0, &mut packer, &mut held)? else { return Ok(None) };
        if let SubtreeRoot::Placed(Child::Leaf { .. }) = part.root {
            part = packer.join(vec![part], &mut held)?;
        }
        packer.place(&mut part, &mut held)?;
        packer.finish(&mut held)?;
        let header = TreeHeader {
            triangles: self.triangles.len(),
            cluster: 1,
            root: if let SubtreeRoot::Placed(Child::Node(number)) = part.root { number } else { NO_CHILD },
            nodes: packer.nodes,
            bounds: part.bounds,
        };
        Ok(Some(Tree::in_memory(held.0, Some(self.order), header)))
    }

    fn part(
        &mut self,
        piece: &TriangleGroup,
        depth: usize,
        packer: &mut PagePacker,
        held: &mut MemoryPages,
    ) -> Result<Option<Subtree>> {
        if is_leaf(piece) {
            return Ok(Some(self.leaf(piece)));
        }
        if depth >= MAX_DEPTH {
            return Ok(None);
        }
        let mut parts = Vec::with_capacity(WIDTH);
        for piece in self.pieces(piece) {
            let Some(part) = self.part(&piece, depth.wrapping_add(1), packer, held)? else { return Ok(None) };
            parts.push(part);
        }
        packer.join(parts, held).map(Some)
    }

    /// Divides a group of triangles into up to eight groups.
    ///
    /// Each step divides the group whose bounding box has the largest area. The order of the
    /// triangles does not change.
    fn pieces(&self, piece: &TriangleGroup) -> Vec<TriangleGroup> {
        let mut pieces = Vec::with_capacity(WIDTH);
        pieces.push(piece.clone());
        while pieces.len() < WIDTH {
            let areas = pieces.iter().enumerate().filter(|(_, piece)| !is_leaf(piece));
            let areas = areas.map(|(at, piece)| (at, half_area(&piece.below.bounds)));
            let Some((largest, _)) = areas.max_by(|(_, one), (_, other)| one.total_cmp(other)) else { break };
            let opened = pieces.get(largest).map(|piece| self.open(piece));
            let halves = opened.into_iter().flatten().flatten().filter(|piece| piece.below.count > 0);
            pieces.splice(largest..=largest, halves);
        }
        pieces
    }

    /// Makes one leaf of all triangles in a group.
    fn leaf(&mut self, piece: &TriangleGroup) -> Subtree {
        let first = u32::try_from(self.order.len()).unwrap_or(u32::MAX);
        let mut waiting = vec![piece.node.clone()];
        while let Some(node) = waiting.pop() {
            match node {
                SplitNode::Inner([one, other]) => {
                    waiting.extend([other, one].into_iter().filter_map(|child| self.spatial_tree.node(child)));
                }
                SplitNode::Leaf(places) => {
                    self.order.extend(places.filter_map(|place| self.spatial_tree.triangle(place)));
                }
            }
        }
        let child = Child::Leaf { first, count: piece.below.count };
        Subtree { bounds: piece.below.bounds, root: SubtreeRoot::Placed(child) }
    }
}

/// Returns whether a group of triangles is small enough to be a leaf.
///
/// A leaf has at most eight triangles, which is the number of triangles that are tested together.
fn is_leaf(piece: &TriangleGroup) -> bool {
    as_index(piece.below.count) <= LANES
}

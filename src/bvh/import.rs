//! Converts the spatial tree that a file stores to a query tree, without a search for the best
//! splits of the nodes.
//!
//! Only the grouping of the triangles is taken from the file. The bounding boxes in the file are
//! not used: they are computed again from the triangles. If a triangle is not in exactly one leaf
//! of the spatial tree, the conversion returns `None`. Because the conversion checks the leaves and
//! computes all bounding boxes, queries in the new tree return correct results even if the file is
//! damaged.

use crate::array::Bounds;
use crate::bvh::bit_set::BitSet;
use crate::bvh::coordinates::include_point;
use crate::bvh::lanes::LANES;
use crate::bvh::layout::{COUNT_BITS, Child, MAX_DEPTH, NO_CHILD, WIDTH};
use crate::bvh::leaf_order::half_area;
use crate::bvh::pages::{MemoryPages, PagePacker, Subtree, SubtreeRoot};
use crate::bvh::reserve::{only, reserve, try_with_capacity};
use crate::bvh::tree::Tree;
use crate::bvh::tree_view::TreeHeader;
use crate::bvh::triangles::Triangles;
use crate::error::Result;
use crate::math::as_index;
use crate::model::{SpatialTree, SplitNode};

/// The maximum number of triangles that leaves can refer to, in a tree that stores its own order of
/// triangles.
const MAX_TRIANGLES: u32 = u32::MAX >> COUNT_BITS;

impl Tree {
    /// Converts the spatial tree of a file to a query tree.
    ///
    /// [`Surface::partition`](crate::model::Surface::partition) returns the spatial tree of a
    /// surface. The conversion combines nodes with two children into nodes with up to eight
    /// children, and computes the bounding box of each node from its triangles. Returns `None` if a
    /// triangle is not in exactly one leaf of the spatial tree, or if the spatial tree is too deep.
    ///
    /// The conversion takes 28 bytes of memory for each node of the spatial tree, in addition to
    /// the new tree. Converting a spatial tree takes less time than [building](Self::new) a tree,
    /// but queries in a converted tree are slower. Convert the spatial tree if you run few queries
    /// on the surface, and build a tree if you run many queries.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::OutOfMemory`](crate::error::ErrorKind::OutOfMemory) if there is not
    /// enough memory.
    #[doc(hidden)]
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

/// Returns whether the nodes of a spatial tree form one tree, and each triangle is in exactly one
/// leaf of it.
///
/// The index of each child node must be greater than the index of its parent node. The check reads
/// each entry of the spatial tree's list of triangles at most once.
fn is_sound(spatial_tree: &dyn SpatialTree, triangles: u32) -> Result<bool> {
    let nodes = spatial_tree.node_count();
    if nodes == 0 || spatial_tree.triangle_count() != as_index(triangles) {
        return Ok(false);
    }
    let mut reached = BitSet::new(nodes)?;
    let mut named = BitSet::new(spatial_tree.triangle_count())?;
    // The root node (index 0) has no parent, so it is marked as reached here.
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

/// The bounding box and the number of the triangles in a subtree of the spatial tree.
#[derive(Clone, Copy)]
struct SubtreeExtent {
    bounds: Bounds,
    count: u32,
}

/// A group of triangles: all triangles below a node of the spatial tree, or some of the triangles
/// of one leaf.
#[derive(Clone)]
struct TriangleGroup {
    node: SplitNode,
    below: SubtreeExtent,
}

/// The data of a conversion from a spatial tree, which was checked with [`is_sound`], to a query
/// tree.
struct Importer<'a> {
    triangles: &'a Triangles<'a>,
    spatial_tree: &'a dyn SpatialTree,
    /// The bounding box and the number of triangles below each node of the spatial tree, in the
    /// order of the nodes.
    nodes: Vec<SubtreeExtent>,
    /// The indices of the triangles in the leaves that were created so far, leaf by leaf.
    order: Vec<u32>,
}

impl Importer<'_> {
    /// Computes the bounding box and the number of triangles below each node, from the last node to
    /// the first. The index of a child is greater than the index of its parent, so a child is
    /// computed before its parent.
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

    /// Returns the group of the triangles in a range of the spatial tree's list of triangles, with
    /// its bounding box.
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

    /// Divides a group of triangles in two: an inner node into its two children, and a leaf into
    /// the two halves of its range of triangles.
    fn open(&self, piece: &TriangleGroup) -> [Option<TriangleGroup>; 2] {
        match &piece.node {
            SplitNode::Inner(children) => children.map(|child| self.node(child)),
            SplitNode::Leaf(places) => {
                let middle = places.start.midpoint(places.end);
                [places.start..middle, middle..places.end].map(|half| Some(self.run(half)))
            }
        }
    }

    /// Creates the query tree. Returns `None` if a path from its root to a leaf would have more
    /// than [`MAX_DEPTH`] nodes.
    fn tree(mut self) -> Result<Option<Tree>> {
        let (mut packer, mut held) = (PagePacker::default(), MemoryPages::default());
        let Some(root) = self.node(0) else { return Ok(None) };
        let Some(mut part) = self.part(&root, 0, &mut packer, &mut held)? else { return Ok(None) };
        if let SubtreeRoot::Placed(Child::Leaf { .. }) = part.root {
            part = packer.join(only(part)?, &mut held)?;
        }
        packer.place(&mut part, &mut held)?;
        packer.finish(&mut held)?;
        let header = TreeHeader {
            triangles: self.triangles.len(),
            cluster: 1,
            root: if let SubtreeRoot::Placed(Child::Node(number)) = part.root { number } else { NO_CHILD },
            root_is_leaf: false,
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
            return self.leaf(piece).map(Some);
        }
        if depth >= MAX_DEPTH {
            return Ok(None);
        }
        let mut parts = try_with_capacity(WIDTH)?;
        for piece in self.pieces(piece)? {
            let Some(part) = self.part(&piece, depth.wrapping_add(1), packer, held)? else { return Ok(None) };
            parts.push(part);
        }
        packer.join(parts, held).map(Some)
    }

    /// Divides a group of triangles into up to eight groups.
    ///
    /// Each step divides the group whose bounding box has the largest surface area. The triangles
    /// stay in the order of the spatial tree.
    fn pieces(&self, piece: &TriangleGroup) -> Result<Vec<TriangleGroup>> {
        let mut pieces = try_with_capacity(WIDTH)?;
        pieces.push(piece.clone());
        while pieces.len() < WIDTH {
            let areas = pieces.iter().enumerate().filter(|(_, piece)| !is_leaf(piece));
            let areas = areas.map(|(at, piece)| (at, half_area(&piece.below.bounds)));
            let Some((largest, _)) = areas.max_by(|(_, one), (_, other)| one.total_cmp(other)) else { break };
            let opened = pieces.get(largest).map(|piece| self.open(piece));
            let halves = opened.into_iter().flatten().flatten().filter(|piece| piece.below.count > 0);
            pieces.splice(largest..=largest, halves);
        }
        Ok(pieces)
    }

    /// Creates one leaf that contains all triangles of a group, and appends their indices to
    /// `order`.
    fn leaf(&mut self, piece: &TriangleGroup) -> Result<Subtree> {
        let first = u32::try_from(self.order.len()).unwrap_or(u32::MAX);
        let mut waiting = only(piece.node.clone())?;
        while let Some(node) = waiting.pop() {
            match node {
                SplitNode::Inner([one, other]) => {
                    reserve(&mut waiting, 2)?;
                    waiting.extend([other, one].into_iter().filter_map(|child| self.spatial_tree.node(child)));
                }
                SplitNode::Leaf(places) => {
                    reserve(&mut self.order, places.len())?;
                    self.order.extend(places.filter_map(|place| self.spatial_tree.triangle(place)));
                }
            }
        }
        let child = Child::Leaf { first, count: piece.below.count };
        Ok(Subtree { bounds: piece.below.bounds, root: SubtreeRoot::Placed(child) })
    }
}

/// Returns whether a group of triangles is small enough to become a leaf.
///
/// A leaf has at most eight triangles, which is the number of triangles that a kernel tests in
/// parallel.
fn is_leaf(piece: &TriangleGroup) -> bool {
    as_index(piece.below.count) <= LANES
}

//! A tree by the divisions that a file stores, instead of those that would be found.
//!
//! Only which triangles are together is taken from the file. Boxes are put around the triangles themselves, and each
//! triangle is in one leaf, or there is no tree: so that answers are right whatever the file says.

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

/// The most triangles that leaves with an order of their own can name.
const MAX_TRIANGLES: u32 = u32::MAX >> COUNT_BITS;

impl Tree {
    /// Makes a tree by the divisions that a file stores: see [`Surface::partition`](crate::model::Surface::partition). Two nodes
    /// at a time become nodes of eight, and every box is put around the triangles that are in it. `None` where what is
    /// stored does not have each triangle in one leaf, or is too deep.
    ///
    /// Takes 28 bytes for each node of the spatial tree while it runs, beside the tree itself. A tree made so finds things more slowly
    /// than one that was [built](Self::new), and takes less time to make: which of them is worth it, the number of questions
    /// tells.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OutOfMemory`](crate::error::ErrorKind::OutOfMemory).
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

/// Tells whether nodes are a tree, each child behind its parent, and each triangle is in one leaf. Looks at no triangle twice.
fn is_sound(spatial_tree: &dyn SpatialTree, triangles: u32) -> Result<bool> {
    let nodes = spatial_tree.node_count();
    if nodes == 0 || spatial_tree.triangle_count() != as_index(triangles) {
        return Ok(false);
    }
    let mut reached = BitSet::new(nodes)?;
    let mut named = BitSet::new(spatial_tree.triangle_count())?;
    // The root hangs from nothing.
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

/// What is below a node of the spatial tree.
#[derive(Clone, Copy)]
struct SubtreeExtent {
    bounds: Bounds,
    count: u32,
}

/// Triangles that are together.
#[derive(Clone)]
struct TriangleGroup {
    node: SplitNode,
    below: SubtreeExtent,
}

/// A spatial tree that is sound, on its way to a tree.
struct Importer<'a> {
    triangles: &'a Triangles<'a>,
    spatial_tree: &'a dyn SpatialTree,
    /// What is below each node.
    nodes: Vec<SubtreeExtent>,
    /// The triangles, in the order of the leaves made so far.
    order: Vec<u32>,
}

impl Importer<'_> {
    /// Puts boxes around what is below each node, from the last to the first: children come behind their parents.
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

    /// Puts a box around places of the list.
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

    /// Divides a piece in two; a leaf in halves of its list.
    fn open(&self, piece: &TriangleGroup) -> [Option<TriangleGroup>; 2] {
        match &piece.node {
            SplitNode::Inner(children) => children.map(|child| self.node(child)),
            SplitNode::Leaf(places) => {
                let middle = places.start.midpoint(places.end);
                [places.start..middle, middle..places.end].map(|half| Some(self.run(half)))
            }
        }
    }

    /// Makes the tree; `None` where it would be too deep.
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

    /// Divides a piece into up to eight, always the one whose box has the largest area; the order of the list stays.
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

    /// Makes a leaf of all that is in a piece.
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

/// Tells whether a piece has so few triangles that it is not divided: those that are looked at together.
fn is_leaf(piece: &TriangleGroup) -> bool {
    as_index(piece.below.count) <= LANES
}

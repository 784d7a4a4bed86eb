//! A tree by the divisions that a file stores, instead of those that would be found.
//!
//! Only which triangles are together is taken from the file. Boxes are put around the triangles themselves, and each
//! triangle is in one leaf, or there is no tree: so that answers are right whatever the file says.

use crate::array::Bounds;
use crate::bvh::build::{DEEPEST, Held, out_of_memory};
use crate::bvh::layout::{COUNT_BITS, Child, NO_CHILD, WIDTH};
use crate::bvh::leaf_order::half_area;
use crate::bvh::pages::{Packer, Part, Shape as Kin};
use crate::bvh::tree::{Shape, Tree};
use crate::bvh::triangles::{LANES, Triangles, including};
use crate::error::Result;
use crate::math::as_index;
use crate::model::{SpatialTree, SplitNode};

/// The most triangles that leaves with an order of their own can name.
const MOST: u32 = u32::MAX >> COUNT_BITS;

impl Tree {
    /// Makes a tree by the divisions that a file stores: see [`Surface::partition`](crate::model::Surface::partition). Two nodes
    /// at a time become nodes of eight, and every box is put around the triangles that are in it. `None` where what is
    /// stored does not have each triangle in one leaf, or is too deep.
    ///
    /// Takes 28 bytes for each node of the partition while it runs, beside the tree itself. A tree made so finds things more slowly
    /// than one that was [built](Self::new), and takes less time to make: which of them is worth it, the number of questions
    /// tells.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OutOfMemory`](crate::error::ErrorKind::OutOfMemory).
    pub fn from_partition(triangles: &Triangles<'_>, partition: &dyn SpatialTree) -> Result<Option<Self>> {
        if triangles.is_empty() || triangles.len() > MOST || !is_sound(partition, triangles.len())? {
            return Ok(None);
        }
        let mut adopted = Adopted { triangles, partition, nodes: Vec::new(), order: Vec::new() };
        adopted.measure()?;
        adopted.order = room(as_index(triangles.len()))?;
        adopted.tree()
    }
}

/// Reserves memory.
fn room<T>(count: usize) -> Result<Vec<T>> {
    let mut list = Vec::new();
    list.try_reserve_exact(count).map_err(|_| out_of_memory(count, size_of::<T>()))?;
    Ok(list)
}

/// Tells whether nodes are a tree, each child behind its parent, and each triangle is in one leaf. Looks at no triangle twice.
fn is_sound(partition: &dyn SpatialTree, triangles: u32) -> Result<bool> {
    let nodes = partition.node_count();
    if nodes == 0 || partition.triangle_count() != as_index(triangles) {
        return Ok(false);
    }
    let mut hung = Marks::new(nodes)?;
    let mut named = Marks::new(partition.triangle_count())?;
    // The root hangs from nothing.
    let mut sound = hung.mark(0);
    for number in 0..nodes {
        sound = sound
            && match partition.node(number) {
                Some(SplitNode::Inner(children)) => {
                    children.into_iter().all(|child| child > number && hung.mark(child))
                }
                Some(SplitNode::Leaf(mut places)) => {
                    places.start <= places.end
                        && places.all(|place| partition.triangle(place).is_some_and(|at| named.mark(as_index(at))))
                }
                None => false,
            };
        if !sound {
            return Ok(false);
        }
    }
    Ok(hung.left == 0 && named.left == 0)
}

/// A bit for each of so many things.
struct Marks {
    words: Vec<u64>,
    count: usize,
    left: usize,
}

impl Marks {
    fn new(count: usize) -> Result<Self> {
        let mut words = room(count.div_ceil(64))?;
        words.resize(count.div_ceil(64), 0);
        Ok(Self { words, count, left: count })
    }

    /// Notes a thing; `false` where it is not one of them, or was noted before.
    fn mark(&mut self, number: usize) -> bool {
        let Some(word) = self.words.get_mut(number / 64).filter(|_| number < self.count) else { return false };
        let bit = 1_u64.wrapping_shl(u32::try_from(number % 64).unwrap_or_default());
        let is_new = *word & bit == 0;
        *word |= bit;
        self.left = self.left.wrapping_sub(usize::from(is_new));
        is_new
    }
}

/// What is below a node of the partition.
#[derive(Clone, Copy)]
struct Below {
    bounds: Bounds,
    count: u32,
}

/// Triangles that are together.
#[derive(Clone)]
struct Piece {
    division: SplitNode,
    below: Below,
}

/// A partition that is sound, on its way to a tree.
struct Adopted<'a> {
    triangles: &'a Triangles<'a>,
    partition: &'a dyn SpatialTree,
    /// What is below each node.
    nodes: Vec<Below>,
    /// The triangles, in the order of the leaves made so far.
    order: Vec<u32>,
}

impl Adopted<'_> {
    /// Puts boxes around what is below each node, from the last to the first: children come behind their parents.
    fn measure(&mut self) -> Result<()> {
        let count = self.partition.node_count();
        self.nodes = room(count)?;
        self.nodes.resize(count, Below { bounds: Bounds::EMPTY, count: 0 });
        for number in (0..count).rev() {
            let below = match self.partition.node(number) {
                Some(SplitNode::Inner(children)) => {
                    let [one, other] = children.map(|child| self.below(child));
                    Below { bounds: one.bounds.union(&other.bounds), count: one.count.saturating_add(other.count) }
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

    fn below(&self, node: usize) -> Below {
        self.nodes.get(node).copied().unwrap_or(Below { bounds: Bounds::EMPTY, count: 0 })
    }

    /// Puts a box around places of the list.
    fn run(&self, places: std::ops::Range<usize>) -> Piece {
        let named = places.clone().filter_map(|place| self.partition.triangle(place));
        let corners = named.filter_map(|triangle| self.triangles.get(triangle)).flatten();
        let bounds = corners.fold(Bounds::EMPTY, including);
        let count = u32::try_from(places.len()).unwrap_or(u32::MAX);
        Piece { division: SplitNode::Leaf(places), below: Below { bounds, count } }
    }

    fn node(&self, number: usize) -> Option<Piece> {
        Some(Piece { division: self.partition.node(number)?, below: self.below(number) })
    }

    /// Divides a piece in two; a leaf in halves of its list.
    fn open(&self, piece: &Piece) -> [Option<Piece>; 2] {
        match &piece.division {
            SplitNode::Inner(children) => children.map(|child| self.node(child)),
            SplitNode::Leaf(places) => {
                let middle = places.start.midpoint(places.end);
                [places.start..middle, middle..places.end].map(|half| Some(self.run(half)))
            }
        }
    }

    /// Makes the tree; `None` where it would be too deep.
    fn tree(mut self) -> Result<Option<Tree>> {
        let (mut packer, mut held) = (Packer::default(), Held::default());
        let Some(root) = self.node(0) else { return Ok(None) };
        let Some(mut part) = self.part(&root, 0, &mut packer, &mut held)? else { return Ok(None) };
        if let Kin::Placed(Child::Leaf { .. }) = part.shape {
            part = packer.join(vec![part], &mut held)?;
        }
        packer.place(&mut part, &mut held)?;
        packer.finish(&mut held)?;
        let shape = Shape {
            triangles: self.triangles.len(),
            cluster: 1,
            root: if let Kin::Placed(Child::Node(number)) = part.shape { number } else { NO_CHILD },
            nodes: packer.nodes,
            bounds: part.bounds,
        };
        Ok(Some(Tree::held(held.0, Some(self.order), shape)))
    }

    fn part(&mut self, piece: &Piece, depth: usize, packer: &mut Packer, held: &mut Held) -> Result<Option<Part>> {
        if is_leaf(piece) {
            return Ok(Some(self.leaf(piece)));
        }
        if depth >= DEEPEST {
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
    fn pieces(&self, piece: &Piece) -> Vec<Piece> {
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
    fn leaf(&mut self, piece: &Piece) -> Part {
        let first = u32::try_from(self.order.len()).unwrap_or(u32::MAX);
        let mut waiting = vec![piece.division.clone()];
        while let Some(division) = waiting.pop() {
            match division {
                SplitNode::Inner([one, other]) => {
                    waiting.extend([other, one].into_iter().filter_map(|child| self.partition.node(child)));
                }
                SplitNode::Leaf(places) => {
                    self.order.extend(places.filter_map(|place| self.partition.triangle(place)));
                }
            }
        }
        let child = Child::Leaf { first, count: piece.below.count };
        Part { bounds: piece.below.bounds, shape: Kin::Placed(child) }
    }
}

/// Tells whether a piece has so few triangles that it is not divided: those that are looked at together.
fn is_leaf(piece: &Piece) -> bool {
    as_index(piece.below.count) <= LANES
}

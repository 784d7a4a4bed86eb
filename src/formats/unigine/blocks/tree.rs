//! The spatial tree that the file stores for a surface, and the edge records (one byte per
//! triangle) in the same block.

use super::inflated::InflatedBlock;
use super::node::TreeNode;
use crate::array::Packed;
use crate::decode::Floats;
use crate::error::debug::{items, short_debug};
use crate::error::{Breaking as _, Cause, Field, FormatName, Result};
use crate::formats::unigine::layout::{BOX_6, BYTE, COMPACTS, NODES, SPLIT};
use crate::formats::unigine::reader::fields::{FieldReader, NoRegions, RegionSink};
use crate::formats::unigine::validate::rules::INVALID_BLOCK;
use crate::math::{as_index, as_u64};
use crate::model::{SpatialTree, SplitNode};
use crate::parse::MemoryBudget;
use zerocopy::little_endian::F32;

/// Byte offsets of the arrays in a tree block.
///
/// The offsets are relative to the start of the file if the tree block is stored uncompressed, and
/// to the start of the inflated bytes otherwise.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TreeOffsets {
    pub(crate) edges: u64,
    pub(crate) corners: u64,
    pub(crate) nodes: u64,
    pub(crate) boxes: u64,
    pub(crate) splits: u64,
}

/// A spatial tree in memory: its tree block, and the decoded corners and nodes, which have a
/// variable encoded length in the block.
#[derive(Debug)]
pub(crate) struct InflatedTree {
    block: InflatedBlock,
    corners: Box<[u32]>,
    nodes: Box<[TreeNode]>,
    edge_count: u32,
    pub(crate) offsets: TreeOffsets,
}

impl InflatedTree {
    /// Reads the spatial tree from an inflated block. Returns an error if the tree does not end at
    /// the end of the block.
    pub(crate) fn new(
        block: InflatedBlock,
        file: &[u8],
        (format, place): (&'static FormatName, Field),
        budget: &mut MemoryBudget<'_>,
    ) -> Result<Self> {
        let mut reader = FieldReader { cursor: block.cursor(file, format)?, sink: NoRegions };
        reader.set_place(place);
        let read = read(&mut reader, budget)?;
        Ok(Self { block, ..read })
    }

    /// Returns the size of the memory that the tree occupies, in bytes.
    pub(crate) fn size(&self) -> u64 {
        let lists = size_of_val(&*self.corners).saturating_add(size_of_val(&*self.nodes));
        self.block.size().saturating_add(as_u64(lists))
    }

    /// Returns the file offset of the stored bytes that the tree was inflated from, or `None` if
    /// the tree block is stored uncompressed.
    pub(crate) fn inflated_from(&self) -> Option<u64> {
        self.block.inflated_from()
    }

    /// Returns a view of the tree that borrows from this value and from the file.
    pub(crate) fn view<'a>(&'a self, file: &'a [u8], format: &'static FormatName) -> Result<SurfaceTree<'a>> {
        let cursor = self.block.cursor(file, format)?;
        let nodes = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        let boxes = cursor.clone().at(self.offsets.boxes)?.array::<[F32; 6]>(nodes, "boxes")?;
        let splits =
            cursor.clone().at(self.offsets.splits)?.array::<[F32; 1]>(nodes, "splits").breaking(&INVALID_BLOCK)?;
        Ok(SurfaceTree {
            edges: cursor.at(self.offsets.edges)?.array::<u8>(self.edge_count, "edges")?,
            corners: &self.corners,
            nodes: &self.nodes,
            boxes: Packed::new(boxes, Floats),
            splits: Packed::new(splits, Floats),
        })
    }
}

/// Reads a spatial tree and reports each of its arrays as a region to the sink of `reader`.
///
/// The offsets of the reported regions are file offsets if the tree block is stored uncompressed,
/// and relative to the start of the inflated bytes otherwise.
pub(crate) fn read<S: RegionSink>(
    reader: &mut FieldReader<'_, S>,
    budget: &mut MemoryBudget<'_>,
) -> Result<InflatedTree> {
    let mut offsets = TreeOffsets::default();
    let edge_count = reader.count("edges.count")?;
    offsets.edges = reader.cursor.offset();
    reader.cursor.lend(edge_count.into(), 1, "edges")?;
    reader.report("edges", offsets.edges, BYTE, edge_count.into());
    let corner_count = reader.count_of("corners.count", 1, u64::MAX)?;
    offsets.corners = reader.cursor.offset();
    let mut corners = reserve(reader, corner_count, "corners", budget)?;
    for _ in 0..corner_count {
        let at = reader.cursor.offset();
        let value = reader.compact("corners")?;
        let Ok(corner) = u32::try_from(value) else {
            let kind = Cause::value("a corner of 0 or more", value.to_string());
            return Err(reader.cursor.error_at(at, "corners", kind));
        };
        corners.push(corner);
    }
    reader.report("corners", offsets.corners, COMPACTS, corner_count.into());
    // The minimum size of a node in bytes: an axis (1), four compact ints (1 each), a bounding box
    // (24) and a split coordinate (4).
    let node_count = reader.count_of("nodes.count", 1 + 4 + 24 + 4, u64::MAX)?;
    offsets.nodes = reader.cursor.offset();
    let mut nodes = reserve(reader, node_count, "nodes", budget)?;
    for _ in 0..node_count {
        let axis = *reader.cursor.read::<u8>("nodes")?;
        let mut numbers = [0; 4];
        for number in &mut numbers {
            *number = reader.compact("nodes")?;
        }
        let [left, right, start, end] = numbers;
        nodes.push(TreeNode { axis, left, right, start, end });
    }
    reader.report("nodes", offsets.nodes, NODES, node_count.into());
    offsets.boxes = reader.cursor.offset();
    reader.cursor.array::<[F32; 6]>(node_count, "boxes")?;
    reader.report("boxes", offsets.boxes, BOX_6, node_count.into());
    offsets.splits = reader.cursor.offset();
    reader.cursor.array::<F32>(node_count, "splits").breaking(&INVALID_BLOCK)?;
    reader.report("splits", offsets.splits, SPLIT, node_count.into());
    reader.finish("splits", "the end of the block after the splits").breaking(&INVALID_BLOCK)?;
    Ok(InflatedTree {
        block: InflatedBlock::default(),
        corners: corners.into(),
        nodes: nodes.into(),
        edge_count,
        offsets,
    })
}

/// Allocates a vector for `count` decoded items, and reserves its bytes in the memory budget. The
/// vector of decoded items takes at most four times the size of the encoded items.
fn reserve<S: RegionSink, T>(
    reader: &FieldReader<'_, S>,
    count: u32,
    name: &'static str,
    budget: &mut MemoryBudget<'_>,
) -> Result<Vec<T>> {
    let asked = u64::from(count).saturating_mul(as_u64(size_of::<T>()));
    budget.reserve(asked).map_err(|kind| reader.cursor.error(name, kind))?;
    let mut list = Vec::new();
    let reserved = list.try_reserve_exact(as_index(count));
    reserved.map_err(|_| reader.cursor.error(name, Cause::OutOfMemory { asked }))?;
    Ok(list)
}

/// The spatial tree of a surface, and the edge records of its triangles, as stored in the file.
///
/// Nodes are numbered in pre-order (a node, its left subtree, its right subtree), and node 0 is the
/// root. Reading the tree does not check the values in the nodes and arrays, such as indices. A
/// caller must check that an index from the tree is in range before using this index. The
/// `validate` command reports all values in spatial trees that are out of range.
#[derive(Clone, Copy)]
pub struct SurfaceTree<'a> {
    edges: &'a [u8],
    corners: &'a [u32],
    nodes: &'a [TreeNode],
    boxes: Packed<'a, Floats<6>>,
    splits: Packed<'a, Floats<1>>,
}

short_debug!(SurfaceTree<'_>: |tree| {
    edges: items(tree.edges), corners: items(tree.corners), nodes: items(tree.nodes), boxes: tree.boxes,
    splits: tree.splits,
});

impl<'a> SurfaceTree<'a> {
    /// Returns the edge records: one byte for each triangle, in the same order as the triangles of
    /// the surface.
    ///
    /// Bit *k* describes the edge opposite corner *k* of the triangle. Bit *k* is set if the edge
    /// is convex or a border (not shared by exactly two triangles), and clear if the edge is flat
    /// or concave. Bits 3 to 7 of an edge record are clear in undamaged files.
    #[must_use]
    pub const fn edges(&self) -> &'a [u8] {
        self.edges
    }

    /// Returns the list of triangles that the leaves refer to. The triangles of each leaf are
    /// consecutive in the returned list.
    ///
    /// Each triangle is stored as the index of its first corner in the index streams, which is the
    /// triangle index times 3.
    #[must_use]
    pub const fn corners(&self) -> &'a [u32] {
        self.corners
    }

    /// Returns all nodes of the tree, in pre-order.
    #[must_use]
    pub const fn nodes(&self) -> &'a [TreeNode] {
        self.nodes
    }

    /// Returns the bounding box of each node, borrowed from the tree block.
    ///
    /// Each bounding box is six floats in scene units: minimum x, y, z, then maximum x, y, z.
    #[must_use]
    pub const fn boxes(&self) -> Packed<'a, Floats<6>> {
        self.boxes
    }

    /// Returns the split coordinate of each node, in scene units. The split coordinate is measured
    /// along the axis [`TreeNode::axis`]. For a leaf, the split coordinate is 0.
    #[must_use]
    pub const fn splits(&self) -> Packed<'a, Floats<1>> {
        self.splits
    }

    /// Returns the triangles of a leaf, or `None` if the node refers to triangles that do not
    /// exist.
    ///
    /// Each triangle is given as the index of its first corner, as in [`corners`](Self::corners).
    #[must_use]
    pub fn triangles(&self, node: &TreeNode) -> Option<&'a [u32]> {
        self.corners.get(usize::try_from(node.start).ok()?..usize::try_from(node.end).ok()?)
    }
}

impl SpatialTree for SurfaceTree<'_> {
    fn node_count(&self) -> usize {
        self.nodes.len()
    }

    fn node(&self, number: usize) -> Option<SplitNode> {
        let node = self.nodes.get(number)?;
        if let Some(children) = node.children() {
            return Some(SplitNode::Inner(children));
        }
        let [start, end] = [node.start, node.end].map(usize::try_from);
        node.is_leaf().then_some(SplitNode::Leaf(start.ok()?..end.ok()?))
    }

    fn triangle_count(&self) -> usize {
        self.corners.len()
    }

    fn triangle(&self, place: usize) -> Option<u32> {
        let corner = *self.corners.get(place)?;
        corner.is_multiple_of(3).then_some(corner / 3)
    }
}

//! Builds the spatial tree of a surface: a tree of bounding boxes over its triangles. The engine
//! uses the spatial tree to find the triangles that a ray or a physics body hits.
//!
//! For every sample file, the nodes and bounding boxes of the computed tree are equal to the nodes
//! and bounding boxes of the stored tree, bit for bit. A node is split at the middle of its
//! bounding box, on the axis that divides the triangles of the node most evenly. A triangle belongs
//! to the side of the split that contains the centroid of the triangle.

use super::bounds::{EMPTY, center};
use meshpeek::Bounds;
use meshpeek::decode::compact;
use meshpeek::unigine::TreeNode;

/// The maximum depth of a spatial tree. Nodes at the maximum depth are always leaves. The maximum
/// depth also bounds the time for building a tree, because each triangle is visited at most once
/// per level of the tree.
///
/// The deepest tree in the sample files has nodes 21 levels below the root.
const MAX_DEPTH: u32 = 128;

/// A function that returns one coordinate of a point.
type Coordinate = fn([f32; 3]) -> f32;

const AXES: [Coordinate; 3] = [|[x, _, _]| x, |[_, y, _]| y, |[_, _, z]| z];

/// The spatial tree of one surface, as the engine builds it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EngineTree {
    /// For each triangle, the offset of its first corner in the index buffers, in indices. The
    /// triangles are in the order of the leaves of the spatial tree, so each leaf has consecutive
    /// triangles.
    pub indices: Vec<u32>,
    /// The nodes in pre-order: a node, then its left subtree, then its right subtree.
    pub nodes: Vec<TreeNode>,
    /// For each node, the bounding box of its triangles: minimum x, y, z, then maximum x, y, z, in
    /// scene units.
    pub boxes: Vec<[f32; 6]>,
    /// For each node of the tree, the coordinate of the split along the node's split axis; 0 for
    /// leaves.
    pub splits: Vec<f32>,
}

/// Builds the spatial tree of the triangles in an index buffer.
///
/// A node with fewer than `leaf` triangles becomes a leaf. The engine also creates a leaf only if
/// the number of triangles is less than the target number per leaf. A node whose triangles cannot
/// be divided by any split also becomes a leaf.
///
/// If the number of indices is not a multiple of three, the last one or two indices are ignored. If
/// an index is out of range, it is treated as a position with NaN coordinates. A triangle whose
/// centroid is NaN on the axis of a split belongs to the right child node. NaN coordinates do not
/// enlarge a bounding box. If there are no triangles, the tree has no nodes. The time for building
/// a tree is proportional to the number of triangles times the depth of the tree. The depth of a
/// tree is at most 128.
pub fn tree(positions: &[[f32; 3]], indices: &[u32], leaf: u32) -> EngineTree {
    let triangles = TreeTriangle::all(positions, indices);
    let mut tree = EngineTree::default();
    let mut waiting = Vec::new();
    if !triangles.is_empty() {
        waiting.push(PendingNode { triangles: triangles.iter().collect(), depth: 0, parent: None });
    }
    while let Some(PendingNode { triangles, depth, parent }) = waiting.pop() {
        let number = tree.nodes.len();
        if let Some(parent) = parent.and_then(|parent| tree.nodes.get_mut(parent)) {
            parent.right = signed(number);
        }
        let bounds = enclose(&triangles);
        let whole = below(triangles.len(), leaf) || depth >= MAX_DEPTH || bounds.is_empty();
        let Some(cut) = (!whole).then(|| AxisCut::best(&triangles, &bounds)).flatten() else {
            tree.leaf(&triangles, &bounds);
            continue;
        };
        tree.inner(&cut, &bounds);
        let (left, right) = triangles.into_iter().partition(|triangle| cut.is_left(triangle));
        let depth = depth.saturating_add(1);
        waiting.push(PendingNode { triangles: right, depth, parent: Some(number) });
        waiting.push(PendingNode { triangles: left, depth, parent: None });
    }
    tree
}

impl EngineTree {
    /// Returns the uncompressed content of the tree block of a surface.
    ///
    /// `edges` contains the edge record of each triangle, as returned by
    /// [`edges`](super::edges::edges).
    pub fn encode(&self, edges: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        put(&mut bytes, signed(edges.len()));
        bytes.extend(edges);
        put(&mut bytes, signed(self.indices.len()));
        for index in &self.indices {
            put(&mut bytes, i32::try_from(*index).unwrap_or(i32::MAX));
        }
        put(&mut bytes, signed(self.nodes.len()));
        for TreeNode { axis, left, right, start, end } in &self.nodes {
            bytes.push(*axis);
            for value in [left, right, start, end] {
                put(&mut bytes, *value);
            }
        }
        for float in self.boxes.as_flattened().iter().chain(&self.splits) {
            bytes.extend(float.to_le_bytes());
        }
        bytes
    }

    fn inner(&mut self, cut: &AxisCut, bounds: &Bounds) {
        let left = signed(self.nodes.len().saturating_add(1));
        // The field `right` is set when the right child node is built.
        self.push(TreeNode { axis: cut.axis, left, right: -1, start: 0, end: 0 }, bounds, cut.at);
    }

    fn leaf(&mut self, triangles: &[&TreeTriangle], bounds: &Bounds) {
        let start = signed(self.indices.len());
        self.indices.extend(triangles.iter().map(|triangle| triangle.first));
        let end = signed(self.indices.len());
        self.push(TreeNode { axis: 0, left: -1, right: -1, start, end }, bounds, 0.0);
    }

    fn push(&mut self, node: TreeNode, bounds: &Bounds, split: f32) {
        let Bounds { min: [x, y, z], max: [right, top, front] } = *bounds;
        self.nodes.push(node);
        self.boxes.push([x, y, z, right, top, front]);
        self.splits.push(split);
    }
}

/// A triangle with its bounding box and its centroid.
struct TreeTriangle {
    first: u32,
    bounds: Bounds,
    center: [f32; 3],
}

impl TreeTriangle {
    fn all(positions: &[[f32; 3]], indices: &[u32]) -> Vec<Self> {
        let place = |corner: u32| usize::try_from(corner).ok().and_then(|corner| positions.get(corner)).copied();
        let triangles = indices.as_chunks::<3>().0.iter().zip((0..=u32::MAX).step_by(3));
        let triangles =
            triangles.map(|(corners, first)| Self::new(first, corners.map(|at| place(at).unwrap_or([f32::NAN; 3]))));
        triangles.collect()
    }

    fn new(first: u32, [a, b, c]: [[f32; 3]; 3]) -> Self {
        let point = |at| Bounds { min: at, max: at };
        // The centroid is computed with the same rounding as in the engine. Dividing by 3 instead
        // of multiplying by 1/3, or computing with `f64`, would put some triangles into a different
        // child node than in the engine.
        let center = AXES.map(|along| (along(a) + along(b) + along(c)) * (1.0 / 3.0));
        Self { first, bounds: Bounds::EMPTY.union(&point(a)).union(&point(b)).union(&point(c)), center }
    }
}

/// A node that is not yet added to the spatial tree, with the triangles of the node.
struct PendingNode<'t> {
    triangles: Vec<&'t TreeTriangle>,
    depth: u32,
    /// The index of the parent node, if this node is a right child node. The parent index is `None`
    /// for the root and for a left child node.
    parent: Option<usize>,
}

/// A plane that splits the triangles of a node: an axis, and a coordinate on that axis.
struct AxisCut {
    axis: u8,
    along: Coordinate,
    at: f32,
}

impl AxisCut {
    /// Returns the split through the middle of a bounding box that divides the triangles most
    /// evenly. If several axes divide the triangles equally evenly, the first of these axes is
    /// used.
    ///
    /// Returns `None` if, on each axis, all triangles are on one side of the middle.
    fn best(triangles: &[&TreeTriangle], bounds: &Bounds) -> Option<Self> {
        let middle = center(bounds);
        let cuts = (0_u8..).zip(AXES).map(|(axis, along)| Self { axis, along, at: along(middle) });
        let uneven = cuts.filter_map(|cut| {
            let left = triangles.iter().filter(|triangle| cut.is_left(triangle)).count();
            let right = triangles.len().saturating_sub(left);
            (left > 0 && right > 0 && cut.at.is_finite()).then_some((left.abs_diff(right), cut))
        });
        uneven.min_by_key(|(difference, _)| *difference).map(|(_, cut)| cut)
    }

    fn is_left(&self, triangle: &TreeTriangle) -> bool {
        (self.along)(triangle.center) < self.at
    }
}

/// Returns the bounding box of the triangles, or the value that the engine stores for an empty
/// bounding box if the bounding box of the triangles is empty.
fn enclose(triangles: &[&TreeTriangle]) -> Bounds {
    let bounds = triangles.iter().fold(Bounds::EMPTY, |bounds, triangle| bounds.union(&triangle.bounds));
    if bounds.is_empty() { EMPTY.0 } else { bounds }
}

fn below(count: usize, limit: u32) -> bool {
    u32::try_from(count).is_ok_and(|count| count < limit)
}

fn signed(number: usize) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

fn put(bytes: &mut Vec<u8>, value: i32) {
    let (encoded, length) = compact::encode(value);
    bytes.extend(encoded.iter().take(length));
}

//! Builds the spatial tree of a surface: a tree of bounding boxes over its triangles. The engine
//! uses the spatial tree to find the triangles that a ray or a physics body hits.
//!
//! For every sample file, the nodes and bounding boxes of the computed tree are equal to the nodes
//! and bounding boxes of the stored tree, bit for bit. A node is split at the middle of its
//! bounding box, on the axis that divides the triangles of the node most evenly. A triangle belongs
//! to the side of the split that contains the centroid of the triangle.

use crate::array::Bounds;
use crate::decode::compact;
use crate::formats::unigine::blocks::node::TreeNode;
use crate::formats::unigine::bounds::{EMPTY, center};

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
pub(crate) struct EngineTree {
    /// For each triangle, the offset of its first corner in the index buffers, in indices. The
    /// triangles are in the order of the leaves of the spatial tree, so each leaf has consecutive
    /// triangles.
    pub(crate) indices: Vec<u32>,
    /// The nodes in pre-order: a node, then its left subtree, then its right subtree.
    pub(crate) nodes: Vec<TreeNode>,
    /// For each node, the bounding box of its triangles: minimum x, y, z, then maximum x, y, z, in
    /// scene units.
    pub(crate) boxes: Vec<[f32; 6]>,
    /// For each node of the tree, the coordinate of the split along the node's split axis; 0 for
    /// leaves.
    pub(crate) splits: Vec<f32>,
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
pub(crate) fn tree(positions: &[[f32; 3]], indices: &[u32], leaf: u32) -> EngineTree {
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
    pub(crate) fn encode(&self, edges: &[u8]) -> Vec<u8> {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The index buffer of a cuboid from a sample file. A test compares the spatial tree that is
    /// computed for the cuboid with the tree that the sample file stores.
    const BOX: [u32; 36] =
        [6, 7, 5, 5, 4, 6, 0, 1, 3, 3, 2, 0, 2, 3, 7, 7, 6, 2, 4, 5, 1, 1, 0, 4, 3, 1, 5, 5, 7, 3, 0, 2, 6, 6, 4, 0];

    fn corners() -> Vec<[f32; 3]> {
        let one = |number: u8, bit: u8| f32::from(number / bit % 2) - 0.5;
        (0..8).map(|number| [one(number, 4), one(number, 2) * 0.2, one(number, 1) * 2.0]).collect()
    }

    /// Creates a wavy grid of `side` * `side` squares, with two triangles per square.
    fn grid(side: u8) -> (Vec<[f32; 3]>, Vec<u32>) {
        let mut positions = Vec::new();
        for (y, x) in (0..=side).flat_map(|y| (0..=side).map(move |x| (f32::from(y), f32::from(x)))) {
            positions.push([x, y * 0.7, (x * 0.3).sin() + (y * 0.2).cos()]);
        }
        let (side, mut indices) = (u32::from(side), Vec::new());
        for (y, x) in (0..side).flat_map(|y| (0..side).map(move |x| (y, x))) {
            let at = y * (side + 1) + x;
            indices.extend([at, at + 1, at + side + 2, at, at + side + 2, at + side + 1]);
        }
        (positions, indices)
    }

    /// Checks the node order, the child indices, the bounding boxes and the leaf ranges of a tree,
    /// and returns the number of triangles in the largest leaf.
    fn check(tree: &EngineTree, triangles: usize) -> usize {
        let EngineTree { indices, nodes, boxes, splits } = tree;
        let mut sorted = indices.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..triangles).map(|at| u32::try_from(at * 3).unwrap()).collect::<Vec<_>>());
        assert_eq!([nodes.len(); 2], [boxes.len(), splits.len()]);
        let inside = |child: &[f32; 6], parent: &[f32; 6]| {
            (0..3).all(|axis| child[axis] >= parent[axis] && child[axis + 3] <= parent[axis + 3])
        };
        let (mut end, mut largest, mut leaves) = (0, 0, 0);
        let mut expected = vec![0];
        for (number, node) in nodes.iter().enumerate() {
            assert_eq!(expected.pop(), Some(number), "pre-order");
            if node.left == -1 {
                assert_eq!((node.right, node.axis, splits[number].to_bits(), node.start), (-1, 0, 0, end));
                assert!(node.end > node.start);
                largest = largest.max(usize::try_from(node.end - node.start).unwrap());
                (end, leaves) = (node.end, leaves + 1);
                continue;
            }
            let (left, right) = (usize::try_from(node.left).unwrap(), usize::try_from(node.right).unwrap());
            assert!(left == number + 1 && right > left && right < nodes.len());
            assert_eq!((node.start, node.end), (0, 0));
            let axis = usize::from(node.axis);
            assert!(boxes[number][axis] <= splits[number] && splits[number] <= boxes[number][axis + 3]);
            assert!(inside(&boxes[left], &boxes[number]) && inside(&boxes[right], &boxes[number]));
            expected.extend([right, left]);
        }
        assert_eq!(usize::try_from(end).unwrap(), triangles);
        assert_eq!(nodes.len() + 1, leaves * 2);
        largest
    }

    #[test]
    fn builds_the_tree_of_the_sample_box() {
        let tree = tree(&corners(), &BOX, 4);
        assert_eq!(check(&tree, 12), 3);
        assert_eq!(tree.indices, [6, 21, 24, 9, 12, 30, 3, 18, 33, 0, 15, 27]);
        let inner = |axis, left, right| TreeNode { axis, left, right, start: 0, end: 0 };
        let leaf = |start, end| TreeNode { axis: 0, left: -1, right: -1, start, end };
        let (lower, upper) = ([inner(1, 2, 3), leaf(0, 3), leaf(3, 6)], [inner(1, 5, 6), leaf(6, 9), leaf(9, 12)]);
        assert_eq!(tree.nodes, [&[inner(0, 1, 4)][..], &lower, &upper].concat());
        assert_eq!(tree.boxes, [[-0.5, -0.1, -1.0, 0.5, 0.1, 1.0]; 7]);
        assert_eq!(tree.splits, [0.0; 7]);
    }

    #[test]
    fn keeps_the_rules_on_a_grid() {
        let (positions, indices) = grid(23);
        for (leaf, largest) in [(4, 3), (9, 8), (1, 1), (0, 1)] {
            assert!(check(&tree(&positions, &indices, leaf), 1058) <= largest, "{leaf}");
        }
        assert_eq!(tree(&positions, &indices, u32::MAX).nodes.len(), 1);
    }

    #[test]
    fn bounds_leaves_tightly() {
        let (positions, indices) = grid(9);
        let tree = tree(&positions, &indices, 4);
        for (node, bounds) in tree.nodes.iter().zip(&tree.boxes).filter(|(node, _)| node.left == -1) {
            let held = &tree.indices[usize::try_from(node.start).unwrap()..usize::try_from(node.end).unwrap()];
            let held = held.iter().map(|first| usize::try_from(*first).unwrap());
            let points =
                held.flat_map(|first| &indices[first..first + 3]).map(|at| positions[usize::try_from(*at).unwrap()]);
            let tight: Bounds = points.collect();
            assert_eq!(
                bounds.map(f32::to_bits)[..],
                [tight.min, tight.max].as_flattened().iter().map(|part| part.to_bits()).collect::<Vec<_>>()
            );
        }
    }

    #[test]
    fn leaves_what_cannot_be_cut_whole() {
        let (positions, equal) = (corners(), BOX[..3].repeat(1000));
        assert_eq!(check(&tree(&positions, &equal, 4), 1000), 1000);
        assert_eq!(check(&tree(&[[f32::NAN; 3]], &[0; 30], 4), 10), 10);
        assert_eq!(check(&tree(&[], &BOX, 4), 12), 12);
        assert_eq!(check(&tree(&[[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]], &[0, 0, 0, 1, 1, 1], 2), 2), 2);
        assert_eq!(tree(&positions, &[], 4), EngineTree::default());
        assert_eq!(tree(&positions, &[0, 1], 4), EngineTree::default());
    }

    #[test]
    fn sends_nans_to_the_right() {
        let mut positions = corners();
        positions.push([f32::NAN, 0.0, 0.0]);
        let indices = [&BOX[..], &[8; 6]].concat();
        let tree = tree(&positions, &indices, 4);
        check(&tree, 14);
        assert_eq!(tree.indices.last(), Some(&39));
        positions[3] = [f32::MAX; 3];
        positions[5] = [-f32::MAX, f32::NAN, f32::INFINITY];
        super::tree(&positions, &indices, 1);
    }

    #[test]
    fn is_no_deeper_than_its_limit() {
        // Each triangle is a single point, with an x coordinate three times that of the previous
        // triangle, so every split separates only the last triangle.
        let positions: Vec<[f32; 3]> = (-75..=75).map(|power| [3_f32.powi(power), 0.0, 0.0]).collect();
        let indices: Vec<u32> = (0..151).flat_map(|at| [at; 3]).collect();
        let tree = tree(&positions, &indices, 1);
        assert_eq!(check(&tree, 151), 151 - 128);
        assert_eq!(tree.nodes.len(), 257);
    }

    #[test]
    fn encodes_field_by_field() {
        let (positions, indices) = grid(7);
        let tree = tree(&positions, &indices, 4);
        let edges: Vec<u8> = (0..98).map(|at| at % 8).collect();
        let mut rest = &*tree.encode(&edges);
        assert_eq!(int(&mut rest), 98);
        assert_eq!(rest.split_off(..98).unwrap(), edges);
        assert_eq!(int(&mut rest), 98);
        let read = (0..98).map(|_| int(&mut rest).unsigned_abs()).collect::<Vec<_>>();
        let count = usize::try_from(int(&mut rest)).unwrap();
        let mut again = EngineTree { indices: read, ..EngineTree::default() };
        for _ in 0..count {
            let axis = *rest.split_off_first().unwrap();
            let [left, right, start, end] = [(); 4].map(|()| int(&mut rest));
            again.nodes.push(TreeNode { axis, left, right, start, end });
        }
        let floats: Vec<f32> = rest.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
        again.boxes = floats[..count * 6].as_chunks().0.to_vec();
        again.splits = floats[count * 6..].to_vec();
        assert_eq!(again, tree);
        assert_eq!(EngineTree::default().encode(&[]), [0, 0, 0]);
    }

    fn int(rest: &mut &[u8]) -> i32 {
        let (value, length) = compact::decode(rest).unwrap();
        *rest = &rest[length..];
        value
    }
}

//! A tree of bounding boxes over the triangles of a surface. The leaves of the tree refer to
//! triangles of the file by their indices.
//!
//! # Shape
//!
//! A node has up to eight children and takes 96 bytes. A node contains the origin and the step
//! length of a grid, the six planes of each child's bounding box in steps of this grid, and
//! references to the children. Modelling tools usually write triangles that are close in space one
//! after another. If consecutive triangles of a surface are close in space, each leaf of its tree
//! refers to four or eight consecutive triangles of the file (or fewer at the end of a row of
//! triangles), and the tree takes about 2.5 or 5 bytes per triangle. Otherwise, the tree also
//! stores a list of triangle indices in another order, which takes 4 more bytes per triangle.
//!
//! A tree of at most eight triangles has no nodes: its root is a leaf.
//!
//! # Pages
//!
//! Nodes are stored in pages of 4,096 bytes, with up to 42 nodes in a page. In memory, a tree with
//! at most 42 nodes takes 96 bytes for each node and not a whole page. If possible, a node is
//! stored in the same page as its parent and its children. For a surface of ten million triangles,
//! the nodes on a path from the root to a leaf are in three or four pages. A query reads the pages
//! of a sidecar directly from the bytes of the sidecar, without copying them.

use std::fmt;
use std::sync::Arc;

use zerocopy::{FromBytes as _, IntoBytes as _};

use crate::array::Bounds;
use crate::bvh::layout::{self, AlignedPage, NodePage, RawNode};
use crate::bvh::reserve::try_with_capacity;
use crate::bvh::tree_view::{OrderView, TreeHeader, TreeView};
use crate::io::Huge;
use crate::math::as_u64;
use crate::sidecar::Sidecar;

/// A tree of bounding boxes over the triangles of a surface (a bounding volume hierarchy).
pub struct Tree {
    pub(crate) pages: NodePages,
    pub(crate) order: TriangleOrder,
    pub(crate) header: TreeHeader,
}

/// The storage of a tree's nodes: in memory or in a sidecar.
pub(crate) enum NodePages {
    Memory(Vec<AlignedPage>),
    /// The nodes of a tree that fit in one page.
    Few(Vec<RawNode>),
    Huge(Huge),
    Sidecar {
        sidecar: Arc<Sidecar>,
        first: u64,
        count: u64,
    },
}

/// The storage of the order of triangles that the leaves refer to.
pub(crate) enum TriangleOrder {
    /// The leaves refer to triangles in file order, which needs no storage.
    File,
    Memory(Vec<u32>),
    /// A list of `count` triangle indices in the pages of a sidecar, starting with page `first`.
    Sidecar {
        first: u64,
        count: u32,
    },
}

impl fmt::Debug for Tree {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Tree")
            .field("triangles", &self.header.triangles)
            .field("nodes", &self.header.nodes)
            .field("bytes", &self.bytes())
            .finish_non_exhaustive()
    }
}

impl Tree {
    /// Returns the size of the tree in bytes, in memory or in the sidecar that stores the tree.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let page = as_u64(size_of::<NodePage>());
        let nodes = match &self.pages {
            NodePages::Memory(pages) => as_u64(pages.len()).saturating_mul(page),
            NodePages::Few(nodes) => as_u64(nodes.as_bytes().len()),
            NodePages::Huge(bytes) => as_u64(bytes.as_ref().len()),
            NodePages::Sidecar { count, .. } => count.saturating_mul(page),
        };
        let numbers = match &self.order {
            TriangleOrder::File => 0,
            TriangleOrder::Memory(numbers) => as_u64(numbers.len()),
            TriangleOrder::Sidecar { count, .. } => u64::from(*count),
        };
        nodes.saturating_add(numbers.saturating_mul(4))
    }

    /// Returns the number of nodes of the tree.
    #[must_use]
    pub const fn node_count(&self) -> u64 {
        self.header.nodes
    }

    /// Returns the bounding box of all triangles that queries can find, or an empty bounding box.
    ///
    /// Queries ignore a triangle if a vertex index is out of range, or if a coordinate is not
    /// finite or beyond ±2^60. The bounding box is empty if queries ignore all triangles.
    #[must_use]
    pub const fn bounds(&self) -> Bounds {
        self.header.bounds
    }

    /// Returns whether the tree stores a list of triangle indices in another order than the file.
    ///
    /// A tree stores a list of triangle indices if triangles that are consecutive in the file are
    /// not close in space.
    #[must_use]
    pub const fn is_reordered(&self) -> bool {
        !matches!(self.order, TriangleOrder::File)
    }

    /// Returns whether the nodes of the tree are stored in a sidecar.
    #[must_use]
    pub const fn is_stored(&self) -> bool {
        matches!(self.pages, NodePages::Sidecar { .. })
    }

    pub(crate) fn in_memory(pages: Vec<AlignedPage>, order: Option<Vec<u32>>, header: TreeHeader) -> Self {
        let order = order.map_or(TriangleOrder::File, TriangleOrder::Memory);
        let pages = match pages.as_slice() {
            [page] => few_nodes(page, header.nodes).map_or(NodePages::Memory(pages), NodePages::Few),
            all => Huge::copy(all.as_bytes()).map_or(NodePages::Memory(pages), NodePages::Huge),
        };
        Self { pages, order, header }
    }

    /// Returns a tree whose root is a leaf, which contains all triangles. The number of triangles
    /// must be at most 8.
    pub(crate) fn root_leaf(triangles: u32, bounds: Bounds) -> Self {
        let header = TreeHeader::root_leaf(triangles, bounds);
        Self { pages: NodePages::Few(Vec::new()), order: TriangleOrder::File, header }
    }

    /// Returns a borrowed view of the tree, which queries use to read it.
    #[inline]
    pub(crate) fn view(&self) -> TreeView<'_> {
        let (bytes, whole, first): (&[u8], _, _) = match &self.pages {
            NodePages::Memory(pages) => (pages.as_slice().as_bytes(), None, 0),
            NodePages::Few(_) => (&[], None, 0),
            NodePages::Huge(bytes) => (bytes.as_ref(), None, 0),
            NodePages::Sidecar { sidecar, first, count } => {
                (sidecar.pages(*first, *count), Some(sidecar.whole()), *first)
            }
        };
        let pages = <[NodePage]>::ref_from_bytes(bytes).unwrap_or_default();
        let few_nodes = if let NodePages::Few(nodes) = &self.pages { nodes.as_slice() } else { &[] };
        // A query visits at most `nodes` nodes. The stored number of nodes is limited to the number
        // that fits in the pages, because a damaged sidecar may store any number.
        let room = pages.len().saturating_mul(layout::NODES_PER_PAGE).saturating_add(few_nodes.len());
        let nodes = self.header.nodes.min(as_u64(room));
        let order = match (&self.order, &self.pages) {
            (TriangleOrder::Memory(numbers), _) => OrderView::Memory(numbers),
            (TriangleOrder::Sidecar { first, count }, NodePages::Sidecar { sidecar, .. }) => {
                OrderView::Sidecar { sidecar, first: *first, count: *count }
            }
            _ => OrderView::File,
        };
        TreeView {
            header: TreeHeader { nodes, ..self.header },
            pages,
            few_nodes,
            whole,
            first: usize::try_from(first).unwrap_or(usize::MAX),
            order,
        }
    }
}

/// Copies the nodes of a tree that has only one page. Returns `None` if there is not enough memory.
fn few_nodes(page: &AlignedPage, count: u64) -> Option<Vec<RawNode>> {
    let nodes = page.0.nodes.get(..usize::try_from(count).ok()?)?;
    let mut few = try_with_capacity(nodes.len()).ok()?;
    few.extend_from_slice(nodes);
    Some(few)
}

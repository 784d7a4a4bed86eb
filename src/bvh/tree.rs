//! A tree of boxes over the triangles of a surface, whose leaves name triangles of the file.
//!
//! # Shape
//!
//! A node has up to eight children and takes 96 bytes: a grid, six planes for each child in steps of it, and where the
//! children are. Where the triangles of a surface stand together that lie together, as modelling tools write them, a
//! leaf is four or eight of them as they follow one another in the file, or fewer where a row ends, and the tree takes about 4 bytes per triangle.
//! Where they do not, an order of their own goes with the tree, 4 bytes per triangle more.
//!
//! # Pages
//!
//! Nodes lie in pages of 4,096 bytes, 42 to a page, each with its nearest kin: three or four pages are on the way from
//! the root to a leaf of ten million triangles. In a sidecar they are used where they lie.

use std::fmt;
use std::sync::Arc;

use zerocopy::{FromBytes as _, IntoBytes as _};

use crate::array::Bounds;
use crate::bvh::layout::{self, AlignedPage, NodePage};
use crate::bvh::tree_view::{OrderView, TreeHeader, TreeView};
use crate::io::Huge;
use crate::math::as_u64;
use crate::sidecar::Sidecar;

/// A tree of boxes over the triangles of a surface.
pub struct Tree {
    pub(crate) pages: NodePages,
    pub(crate) order: TriangleOrder,
    pub(crate) header: TreeHeader,
}

/// Where the nodes are.
pub(crate) enum NodePages {
    Memory(Vec<AlignedPage>),
    Huge(Huge),
    Sidecar { sidecar: Arc<Sidecar>, first: u64, count: u64 },
}

/// Where the order of triangles is.
pub(crate) enum TriangleOrder {
    /// That of the file.
    File,
    Memory(Vec<u32>),
    /// In pages from this one on.
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
    /// Returns the bytes that it takes, in memory or in its sidecar.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let pages = match &self.pages {
            NodePages::Memory(pages) => as_u64(pages.len()),
            NodePages::Huge(bytes) => as_u64(bytes.as_ref().len()) / crate::parse::PAGE,
            NodePages::Sidecar { count, .. } => *count,
        };
        let numbers = match &self.order {
            TriangleOrder::File => 0,
            TriangleOrder::Memory(numbers) => as_u64(numbers.len()),
            TriangleOrder::Sidecar { count, .. } => u64::from(*count),
        };
        pages.saturating_mul(as_u64(size_of::<NodePage>())).saturating_add(numbers.saturating_mul(4))
    }

    /// Returns how many nodes it has.
    #[must_use]
    pub const fn node_count(&self) -> u64 {
        self.header.nodes
    }

    /// Returns the box around all triangles that count; empty where none does.
    #[must_use]
    pub const fn bounds(&self) -> Bounds {
        self.header.bounds
    }

    /// Tells whether the triangles follow no order of place, so that the tree has one of its own.
    #[must_use]
    pub const fn is_reordered(&self) -> bool {
        !matches!(self.order, TriangleOrder::File)
    }

    /// Tells whether its nodes lie in a sidecar.
    #[must_use]
    pub const fn is_stored(&self) -> bool {
        matches!(self.pages, NodePages::Sidecar { .. })
    }

    pub(crate) fn in_memory(pages: Vec<AlignedPage>, order: Option<Vec<u32>>, header: TreeHeader) -> Self {
        let order = order.map_or(TriangleOrder::File, TriangleOrder::Memory);
        let pages = Huge::copy(pages.as_slice().as_bytes()).map_or(NodePages::Memory(pages), NodePages::Huge);
        Self { pages, order, header }
    }

    /// Lends it to a query.
    #[inline]
    pub(crate) fn view(&self) -> TreeView<'_> {
        let (bytes, whole, first) = match &self.pages {
            NodePages::Memory(pages) => (pages.as_slice().as_bytes(), None, 0),
            NodePages::Huge(bytes) => (bytes.as_ref(), None, 0),
            NodePages::Sidecar { sidecar, first, count } => {
                (sidecar.pages(*first, *count), Some(sidecar.whole()), *first)
            }
        };
        let pages = <[NodePage]>::ref_from_bytes(bytes).unwrap_or_default();
        // No more than there is room for, whatever a sidecar says: as many steps a query may take.
        let nodes = self.header.nodes.min(as_u64(pages.len().saturating_mul(layout::NODES_PER_PAGE)));
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
            whole,
            first: usize::try_from(first).unwrap_or(usize::MAX),
            order,
        }
    }
}

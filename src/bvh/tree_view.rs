//! A borrowed view of a tree. Queries read the nodes of the tree and the triangle indices of the
//! leaves through the view.
//!
//! The nodes of the tree may be in memory or in a sidecar.

use std::sync::atomic::{AtomicU64, Ordering};

use zerocopy::IntoBytes as _;

use crate::array::Bounds;
use crate::bvh::lanes::{CornerIndices, LANES};
use crate::bvh::layout::{self, AlignedPage, Child, NodePage, RawNode, place};
use crate::bvh::triangles::Triangles;
use crate::math::as_index;
use crate::sidecar::Sidecar;

/// The properties of a whole tree, such as its number of triangles and the number of its root node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TreeHeader {
    pub(crate) triangles: u32,
    pub(crate) cluster: u32,
    /// The reference to the root: its node number, or the reference to a leaf.
    pub(crate) root: u32,
    /// Whether the root is a leaf, which contains all triangles. The tree then has no nodes.
    pub(crate) root_is_leaf: bool,
    pub(crate) nodes: u64,
    pub(crate) bounds: Bounds,
}

/// The error for a tree whose stored content is damaged: the tree builder never writes such
/// content. The results of a query in a damaged tree must be discarded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DamagedTree;

/// A borrowed view of a tree, in memory or in a sidecar.
#[derive(Clone, Copy)]
pub(crate) struct TreeView<'a> {
    pub(crate) header: TreeHeader,
    pub(crate) pages: &'a [NodePage],
    /// The nodes of page 0, for a tree in memory whose nodes fit in one page. The field `pages` is
    /// then empty.
    pub(crate) few_nodes: &'a [RawNode],
    /// One bit for each page of the sidecar, which is set if the hash of this page was already
    /// checked.
    ///
    /// The field `whole`, which marks checked pages of a sidecar, is `None` for a tree in memory.
    pub(crate) whole: Option<&'a [AtomicU64]>,
    /// The index of the tree's first page in the sidecar.
    pub(crate) first: usize,
    pub(crate) order: OrderView<'a>,
}

/// The order of triangles that the leaves of a tree refer to: the order of the file, or a list of
/// triangle indices in memory or in a sidecar.
#[derive(Clone, Copy)]
pub(crate) enum OrderView<'a> {
    File,
    Memory(&'a [u32]),
    Sidecar { sidecar: &'a Sidecar, first: u64, count: u32 },
}

impl TreeHeader {
    /// Returns the header of a tree whose root is a leaf. The tree contains at most 8 triangles.
    pub(crate) fn root_leaf(triangles: u32, bounds: Bounds) -> Self {
        // A leaf contains at least one triangle. Queries ignore a triangle that does not exist.
        let (root, root_is_leaf) = Child::Leaf { first: 0, count: triangles.max(1) }.raw();
        Self { triangles, cluster: 1, root, root_is_leaf, nodes: 0, bounds }
    }
}

impl<'a> TreeView<'a> {
    /// Returns the view of a tree whose root is a leaf. The tree contains at most 8 triangles.
    pub(crate) fn root_leaf(triangles: u32, bounds: Bounds) -> Self {
        let header = TreeHeader::root_leaf(triangles, bounds);
        Self { header, pages: &[], few_nodes: &[], whole: None, first: 0, order: OrderView::File }
    }

    /// Returns the node with the given node number. On the first access to a page of a sidecar, the
    /// hash of the page is checked.
    #[inline]
    pub(crate) fn node(&self, node: u32) -> Result<&'a RawNode, DamagedTree> {
        let (page, slot) = place(node);
        let Some(found) = self.pages.get(page) else {
            return self.few_nodes.get(slot).filter(|_| page == 0).ok_or(DamagedTree);
        };
        if let Some(whole) = self.whole {
            let number = page.wrapping_add(self.first);
            let word = whole.get(number / 64).ok_or(DamagedTree)?;
            let bit = 1_u64.wrapping_shl(u32::try_from(number % 64).unwrap_or_default());
            if word.load(Ordering::Relaxed) & bit == 0 {
                test(found, number, word, bit)?;
            }
        }
        found.nodes.get(slot).ok_or(DamagedTree)
    }

    /// Prefetches a node to the processor cache, because it will be read soon. The few nodes of a
    /// small tree are not prefetched.
    #[inline]
    pub(crate) fn prefetch(&self, node: u32) {
        let (page, slot) = place(node);
        let first: &[RawNode] = self.pages.first().map_or(&[], |page| &page.nodes);
        let offset = page.wrapping_mul(size_of::<NodePage>()).wrapping_add(slot.wrapping_mul(size_of::<RawNode>()));
        crate::simd::prefetch_items(first.as_bytes(), offset, 2);
    }

    /// Prefetches a child that will be visited: an inner node, or the vertex indices of a leaf. If
    /// the tree has its own order of triangles in memory, prefetches the leaf's part of this order.
    #[inline(always)]
    pub(crate) fn prefetch_child(&self, triangles: &Triangles<'_>, child: u32, is_leaf: bool) {
        if is_leaf {
            let first = self.first_triangle(layout::leaf(child).0);
            match self.order {
                OrderView::File => triangles.prefetch_indices(first),
                OrderView::Memory(numbers) => crate::simd::prefetch_item(numbers, first),
                OrderView::Sidecar { .. } => {}
            }
        } else {
            self.prefetch(child);
        }
    }

    /// Returns the bytes of a node. A query passes the bytes of each node that it reads to its
    /// probe.
    pub(crate) fn node_bytes(&self, node: u32) -> &'a [u8] {
        self.unverified_node(node).map_or(&[], |node| node.as_bytes())
    }

    /// Returns the node with the given node number, without checking the hash of its page.
    fn unverified_node(&self, node: u32) -> Option<&'a RawNode> {
        let (page, slot) = place(node);
        match self.pages.get(page) {
            Some(page) => page.nodes.get(slot),
            None => self.few_nodes.get(slot).filter(|_| page == 0),
        }
    }

    /// Copies the pages of the tree. Returns `None` if there is not enough memory for the copy.
    pub(crate) fn pages_to_vec(&self) -> Option<Vec<AlignedPage>> {
        let mut pages = Vec::new();
        pages.try_reserve_exact(self.pages.len().max(1)).ok()?;
        pages.extend(self.pages.iter().map(|page| AlignedPage(*page)));
        if !self.few_nodes.is_empty() {
            let mut page = NodePage::new();
            page.nodes.iter_mut().zip(self.few_nodes).for_each(|(place, node)| *place = *node);
            pages.push(AlignedPage(page));
        }
        Some(pages)
    }

    /// Returns the indices of the triangles in a leaf, or an error if the tree is damaged.
    #[inline(always)]
    pub(crate) fn leaf(&self, child: u32) -> Result<LeafTriangles<'a>, DamagedTree> {
        let (first, count) = layout::leaf(child);
        let start = self.first_triangle(first);
        let end = start.saturating_add(count);
        match self.order {
            OrderView::File => Ok(LeafTriangles::Run(start..end)),
            OrderView::Memory(numbers) => {
                numbers.get(as_index(start)..as_index(end)).map(LeafTriangles::List).ok_or(DamagedTree)
            }
            OrderView::Sidecar { .. } => {
                let mut list = [0; layout::WIDTH];
                for (place, at) in list.iter_mut().zip(start..end) {
                    *place = self.number(at).ok_or(DamagedTree)?;
                }
                Ok(LeafTriangles::Copy(list, as_index(count)))
            }
        }
    }

    /// Returns the position of a leaf's first triangle, which a node stores divided by the cluster
    /// size.
    #[inline]
    const fn first_triangle(&self, first: u32) -> u32 {
        first.saturating_mul(self.header.cluster)
    }

    /// Returns the index of the triangle at position `at` in the order of triangles that the leaves
    /// of the tree refer to.
    #[inline]
    pub(crate) fn number(&self, at: u32) -> Option<u32> {
        match self.order {
            OrderView::File => Some(at),
            OrderView::Memory(numbers) => numbers.get(as_index(at)).copied(),
            OrderView::Sidecar { sidecar, first, count } => {
                if at < count {
                    sidecar.number(first, at)
                } else {
                    None
                }
            }
        }
    }

    /// Returns the length of the list of triangle indices that the tree stores, or `None` if the
    /// leaves refer to triangles in file order.
    pub(crate) fn order_len(&self) -> Option<u32> {
        match self.order {
            OrderView::File => None,
            OrderView::Memory(numbers) => u32::try_from(numbers.len()).ok(),
            OrderView::Sidecar { count, .. } => Some(count),
        }
    }

    /// Copies the list of triangle indices that the tree stores. Returns `Some(None)` if the leaves
    /// refer to triangles in file order.
    ///
    /// Returns `None` if there is not enough memory for the copy, or if a page of the sidecar is
    /// damaged.
    #[allow(clippy::option_option, reason = "the absence of an order differs from a failure to copy it")]
    pub(crate) fn order_to_vec(&self) -> Option<Option<Vec<u32>>> {
        let Some(count) = self.order_len() else { return Some(None) };
        let mut numbers = Vec::new();
        numbers.try_reserve_exact(as_index(count)).ok()?;
        for at in 0..count {
            numbers.push(self.number(at)?);
        }
        Some(Some(numbers))
    }
}

/// The indices of the triangles in a leaf.
#[derive(Clone, Debug)]
pub(crate) enum LeafTriangles<'a> {
    /// A range of triangle indices, for a leaf whose triangles are consecutive in the file.
    Run(std::ops::Range<u32>),
    /// A slice of triangle indices, borrowed from a list in memory.
    List(&'a [u32]),
    /// An array of triangle indices, copied from a sidecar, and the number of its entries that are
    /// used.
    Copy([u32; layout::WIDTH], usize),
}

impl LeafTriangles<'_> {
    /// Returns the triangle index in lane `lane` of the leaf, or `None` if the leaf has `lane`
    /// triangles or fewer.
    #[inline]
    pub(crate) fn triangle(&self, lane: usize) -> Option<u32> {
        match self {
            Self::Run(range) => range.start.checked_add(u32::try_from(lane).ok()?).filter(|at| *at < range.end),
            Self::List(list) => list.get(lane).copied(),
            Self::Copy(list, count) => list.get(..*count)?.get(lane).copied(),
        }
    }

    /// Decodes the vertex indices of the corners of all triangles in the leaf. The lanes after the
    /// last triangle repeat the first, because a kernel reads an index that is in range faster.
    #[inline(always)]
    pub(crate) fn corner_indices(&self, triangles: &Triangles<'_>, corners: &mut CornerIndices) {
        match self {
            Self::Run(range) => triangles.corner_indices_from(range.start, corners),
            Self::List(list) => triangles.corner_indices_of(list.iter().copied(), corners),
            Self::Copy(list, count) => triangles.corner_indices_of(list.iter().copied().take(*count), corners),
        }
        let len = self.len();
        if len < LANES {
            let [first, ..] = *corners;
            corners.iter_mut().skip(len).for_each(|corners| *corners = first);
        }
    }

    /// Returns the number of triangles in the leaf.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Run(range) => as_index(range.end.wrapping_sub(range.start)),
            Self::List(list) => list.len(),
            Self::Copy(_, count) => *count,
        }
    }

    /// Returns a bit mask with a bit set for each triangle in the leaf.
    #[inline]
    pub(crate) fn lanes(&self) -> u32 {
        (1_u32 << (self.len() % (LANES + 1))).wrapping_sub(1)
    }

    /// Returns an iterator over the indices of all triangles in the leaf.
    pub(crate) fn triangles(&self) -> impl Iterator<Item = u32> {
        (0..layout::WIDTH).map_while(|lane| self.triangle(lane))
    }
}

#[cold]
fn test(page: &NodePage, number: usize, word: &AtomicU64, bit: u64) -> Result<(), DamagedTree> {
    let content = page.as_bytes().split_last_chunk::<8>().map(|(content, _)| content).ok_or(DamagedTree)?;
    if page.hash != crate::sidecar::hash_page(content, number) {
        return Err(DamagedTree);
    }
    word.fetch_or(bit, Ordering::Relaxed);
    Ok(())
}

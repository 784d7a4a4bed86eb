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
use std::sync::atomic::{AtomicU64, Ordering};

use zerocopy::{FromBytes as _, IntoBytes as _};

use super::layout::{HeldPage, NodePage, RawNode, place};
use super::{build, layout};

use crate::array::Bounds;
use crate::bvh::triangles::Triangles;
use crate::error::Result;
use crate::io::Huge;
use crate::math::{as_index, as_u64};
use crate::sidecar::Sidecar;

/// A tree of boxes over the triangles of a surface.
pub struct Tree {
    pub(super) pages: Pages,
    pub(super) numbers: Numbers,
    pub(super) shape: Shape,
}

/// What a tree is, apart from its nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Shape {
    pub(crate) triangles: u32,
    pub(crate) cluster: u32,
    pub(crate) root: u32,
    pub(crate) nodes: u64,
    pub(crate) bounds: Bounds,
}

/// Where the nodes are.
pub(super) enum Pages {
    Held(Vec<HeldPage>),
    Huge(Huge),
    Stored { sidecar: Arc<Sidecar>, first: u64, count: u64 },
}

/// Where the order of triangles is.
pub(super) enum Numbers {
    /// That of the file.
    None,
    Held(Vec<u32>),
    /// In pages from this one on.
    Stored {
        first: u64,
        count: u32,
    },
}

/// A part of a stored tree that is not what a builder writes: it is not to be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Damaged;

/// A tree in the hands of a query.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) shape: Shape,
    pub(super) pages: &'a [NodePage],
    /// Of each page of the sidecar, whether it was tested.
    whole: Option<&'a [AtomicU64]>,
    /// The number of the first of these pages in the sidecar.
    first: usize,
    order: Order<'a>,
}

/// The order of triangles that leaves name.
#[derive(Clone, Copy)]
enum Order<'a> {
    File,
    Held(&'a [u32]),
    Stored { sidecar: &'a Sidecar, first: u64, count: u32 },
}

impl fmt::Debug for Tree {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Tree")
            .field("triangles", &self.shape.triangles)
            .field("nodes", &self.shape.nodes)
            .field("bytes", &self.bytes())
            .finish_non_exhaustive()
    }
}

impl Tree {
    /// Builds a tree: in `O(n log n)`, on all processors with the feature `rayon`. While it runs it takes 2 to 4 bytes per triangle
    /// beside the tree itself, 16 where the triangles follow no order.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OutOfMemory`](crate::error::ErrorKind::OutOfMemory).
    pub fn new(triangles: &Triangles<'_>) -> Result<Self> {
        build::held(triangles)
    }

    /// Returns the bytes that it takes, in memory or in its sidecar.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let pages = match &self.pages {
            Pages::Held(pages) => as_u64(pages.len()),
            Pages::Huge(bytes) => as_u64(bytes.as_ref().len()) / crate::parse::PAGE,
            Pages::Stored { count, .. } => *count,
        };
        let numbers = match &self.numbers {
            Numbers::None => 0,
            Numbers::Held(numbers) => as_u64(numbers.len()),
            Numbers::Stored { count, .. } => u64::from(*count),
        };
        pages.saturating_mul(as_u64(size_of::<NodePage>())).saturating_add(numbers.saturating_mul(4))
    }

    /// Returns how many nodes it has.
    #[must_use]
    pub const fn node_count(&self) -> u64 {
        self.shape.nodes
    }

    /// Returns the box around all triangles that count; empty where none does.
    #[must_use]
    pub const fn bounds(&self) -> Bounds {
        self.shape.bounds
    }

    /// Tells whether the triangles follow no order of place, so that the tree has one of its own.
    #[must_use]
    pub const fn is_reordered(&self) -> bool {
        !matches!(self.numbers, Numbers::None)
    }

    /// Tells whether its nodes lie in a sidecar.
    #[must_use]
    pub const fn is_stored(&self) -> bool {
        matches!(self.pages, Pages::Stored { .. })
    }

    pub(super) fn held(pages: Vec<HeldPage>, numbers: Option<Vec<u32>>, shape: Shape) -> Self {
        let numbers = numbers.map_or(Numbers::None, Numbers::Held);
        let pages = Huge::copy(pages.as_slice().as_bytes()).map_or(Pages::Held(pages), Pages::Huge);
        Self { pages, numbers, shape }
    }

    /// Lends it to a query.
    #[inline]
    pub(crate) fn view(&self) -> View<'_> {
        let (bytes, whole, first) = match &self.pages {
            Pages::Held(pages) => (pages.as_slice().as_bytes(), None, 0),
            Pages::Huge(bytes) => (bytes.as_ref(), None, 0),
            Pages::Stored { sidecar, first, count } => (sidecar.pages(*first, *count), Some(sidecar.whole()), *first),
        };
        let pages = <[NodePage]>::ref_from_bytes(bytes).unwrap_or_default();
        // No more than there is room for, whatever a sidecar says: as many steps a query may take.
        let nodes = self.shape.nodes.min(as_u64(pages.len().saturating_mul(layout::NODES)));
        let order = match (&self.numbers, &self.pages) {
            (Numbers::Held(numbers), _) => Order::Held(numbers),
            (Numbers::Stored { first, count }, Pages::Stored { sidecar, .. }) => {
                Order::Stored { sidecar, first: *first, count: *count }
            }
            _ => Order::File,
        };
        View {
            shape: Shape { nodes, ..self.shape },
            pages,
            whole,
            first: usize::try_from(first).unwrap_or(usize::MAX),
            order,
        }
    }
}

impl<'a> View<'a> {
    /// Returns a node; its page is tested the first time that it is looked at.
    #[inline]
    pub(crate) fn node(&self, node: u32) -> std::result::Result<&'a RawNode, Damaged> {
        let (page, slot) = place(node);
        let found = self.pages.get(page).ok_or(Damaged)?;
        if let Some(whole) = self.whole {
            let number = page.wrapping_add(self.first);
            let word = whole.get(number / 64).ok_or(Damaged)?;
            let bit = 1_u64.wrapping_shl(u32::try_from(number % 64).unwrap_or_default());
            if word.load(Ordering::Relaxed) & bit == 0 {
                test(found, number, word, bit)?;
            }
        }
        found.nodes.get(slot).ok_or(Damaged)
    }

    /// Asks for a node that is about to be read.
    #[inline]
    pub(crate) fn fetch(&self, node: u32) {
        let (page, slot) = place(node);
        if let Some(node) = self.pages.get(page).and_then(|page| page.nodes.get(slot)) {
            crate::simd::prefetch_lines(node.as_bytes(), 2);
        }
    }

    /// Returns the bytes of a node, to tell which pages a query has looked at.
    pub(crate) fn node_bytes(&self, node: u32) -> &'a [u8] {
        let (page, slot) = place(node);
        self.pages.get(page).and_then(|page| page.nodes.get(slot)).map_or(&[], |node| node.as_bytes())
    }

    /// Returns which triangles a leaf names.
    #[inline]
    pub(crate) fn leaf(&self, child: u32) -> std::result::Result<Leaf<'a>, Damaged> {
        let (first, count) = layout::leaf(child);
        let start = first.saturating_mul(self.shape.cluster);
        let end = start.saturating_add(count);
        match self.order {
            Order::File => Ok(Leaf::Run(start..end)),
            Order::Held(numbers) => numbers.get(as_index(start)..as_index(end)).map(Leaf::Listed).ok_or(Damaged),
            Order::Stored { .. } => {
                let mut list = [0; layout::WIDTH];
                for (place, at) in list.iter_mut().zip(start..end) {
                    *place = self.number(at).ok_or(Damaged)?;
                }
                Ok(Leaf::Copied(list, as_index(count)))
            }
        }
    }

    /// Returns a number of the order.
    #[inline]
    pub(super) fn number(&self, at: u32) -> Option<u32> {
        match self.order {
            Order::File => Some(at),
            Order::Held(numbers) => numbers.get(as_index(at)).copied(),
            Order::Stored { sidecar, first, count } => {
                if at < count {
                    sidecar.number(first, at)
                } else {
                    None
                }
            }
        }
    }

    /// Returns how many numbers the order has; `None` where it is the file's.
    pub(super) fn order_len(&self) -> Option<u32> {
        match self.order {
            Order::File => None,
            Order::Held(numbers) => u32::try_from(numbers.len()).ok(),
            Order::Stored { count, .. } => Some(count),
        }
    }
}

/// What a leaf names.
#[derive(Clone, Debug)]
pub(crate) enum Leaf<'a> {
    /// Triangles that follow one another in the file.
    Run(std::ops::Range<u32>),
    /// These.
    Listed(&'a [u32]),
    /// The first so many of these.
    Copied([u32; layout::WIDTH], usize),
}

impl Leaf<'_> {
    /// Returns the number of a triangle; `None` where there are not as many.
    #[inline]
    pub(crate) fn triangle(&self, lane: usize) -> Option<u32> {
        match self {
            Self::Run(range) => range.start.checked_add(u32::try_from(lane).ok()?).filter(|at| *at < range.end),
            Self::Listed(list) => list.get(lane).copied(),
            Self::Copied(list, count) => list.get(..*count)?.get(lane).copied(),
        }
    }

    /// Returns the numbers of all.
    pub(crate) fn triangles(&self) -> impl Iterator<Item = u32> {
        (0..layout::WIDTH).map_while(|lane| self.triangle(lane))
    }
}

#[cold]
fn test(page: &NodePage, number: usize, word: &AtomicU64, bit: u64) -> std::result::Result<(), Damaged> {
    let content = page.as_bytes().split_last_chunk::<8>().map(|(content, _)| content).ok_or(Damaged)?;
    if page.hash != crate::sidecar::hash_page(content, number) {
        return Err(Damaged);
    }
    word.fetch_or(bit, Ordering::Relaxed);
    Ok(())
}

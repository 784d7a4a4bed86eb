//! Assigns the nodes of a tree to pages. If possible, a node is put in the same page as its parent
//! and its children.

// Rule: this file sorts and maps by copies only.

use zerocopy::little_endian::F32;

use crate::array::Bounds;
use crate::bvh::layout::{
    AlignedPage, COUNT_BITS, Child, NODES_PER_PAGE, NodePage, RawNode, SLOT_BITS, WIDTH, node_number,
};
use crate::bvh::reserve::{reserve, reserve_one};
use crate::error::{Cause, Error, Field, Result};
use crate::math::as_index;

/// A reserved page index: a node number with this page index refers to a node that is not assigned
/// to a page yet.
const UNPLACED_PAGE: u32 = u32::MAX >> SLOT_BITS;
/// The maximum number of incomplete pages, which can still receive nodes, that are kept in memory.
const MAX_OPEN_PAGES: usize = 8;

/// Stores the pages of a tree that is being built, in memory or in a sidecar. Each page of the tree
/// is passed to a `PageSink` exactly once. The order of the pages is not defined.
pub(crate) trait PageSink {
    /// Receives the complete page with the index `number`.
    fn put(&mut self, number: usize, page: &NodePage) -> Result<()>;
}

/// A page sink that keeps the pages of a tree in memory.
#[derive(Default)]
pub(crate) struct MemoryPages(pub(crate) Vec<AlignedPage>);

impl PageSink for MemoryPages {
    fn put(&mut self, number: usize, page: &NodePage) -> Result<()> {
        if self.0.len() <= number {
            let more = number.saturating_sub(self.0.len()).saturating_add(1);
            reserve(&mut self.0, more)?;
            self.0.resize(number.saturating_add(1), AlignedPage(NodePage::new()));
        }
        if let Some(place) = self.0.get_mut(number) {
            place.0 = *page;
        }
        Ok(())
    }
}

/// A subtree that was built: its root, and its bounding box, which is stored in the parent node.
pub(crate) struct Subtree {
    pub(crate) bounds: Bounds,
    pub(crate) root: SubtreeRoot,
}

/// The root of a subtree.
pub(crate) enum SubtreeRoot {
    /// The root is a leaf, or a node that is already assigned to a page.
    Placed(Child),
    /// The nodes of the subtree that are not assigned to a page yet, with the root last.
    ///
    /// Each inner child of a node in the list `Loose` is another node of the list, or a node that
    /// is already assigned to a page.
    Loose(Vec<RawNode>),
}

/// Assigns nodes to pages, and passes complete pages to a [`PageSink`].
#[derive(Default)]
pub(crate) struct PagePacker {
    /// The incomplete pages: for each page, its index, its content, and its number of nodes so far.
    open: Vec<(usize, NodePage, usize)>,
    /// The number of pages that were started so far.
    pub(crate) pages: usize,
    /// The number of nodes that were created so far.
    pub(crate) nodes: u64,
}

/// Returns the error for a tree whose nodes need more pages than a page index can encode.
pub(crate) fn too_large() -> Error {
    let kind = Cause::value("at most 2^26 pages of nodes", "more");
    Error::without_offset("query", Field::new("tree"), kind)
}

impl PagePacker {
    /// Creates a node whose children are the subtrees `parts`, and returns the subtree with this
    /// node as its root.
    ///
    /// The new node and all nodes of the subtrees that are not assigned to a page yet must fit in
    /// one page. If the new node and the unassigned nodes do not fit in one page, the subtrees with
    /// the most unassigned nodes are assigned to pages first.
    pub(crate) fn join(&mut self, parts: Vec<Subtree>, sink: &mut dyn PageSink) -> Result<Subtree> {
        let mut parts = parts;
        loop {
            let sizes =
                parts.iter().map(|part| if let SubtreeRoot::Loose(nodes) = &part.root { nodes.len() } else { 0 });
            let (total, largest) = sizes.enumerate().fold((1_usize, (0, 0)), |(total, largest), (at, size)| {
                (total.saturating_add(size), if size > largest.1 { (at, size) } else { largest })
            });
            if total <= NODES_PER_PAGE {
                break;
            }
            if let Some(part) = parts.get_mut(largest.0) {
                self.place(part, sink)?;
            }
        }
        self.nodes = self.nodes.wrapping_add(1);
        merge(parts)
    }

    /// Assigns the nodes of a subtree to a page, if they are not assigned to a page yet.
    pub(crate) fn place(&mut self, part: &mut Subtree, sink: &mut dyn PageSink) -> Result<()> {
        if let SubtreeRoot::Loose(nodes) = &part.root {
            part.root = SubtreeRoot::Placed(Child::Node(self.lay(nodes, sink)?));
        }
        Ok(())
    }

    /// Puts `nodes` into the fullest page that has room for all of them. Returns the node number of
    /// the last node in `nodes`.
    fn lay(&mut self, nodes: &[RawNode], sink: &mut dyn PageSink) -> Result<u32> {
        let fits = |(_, _, used): &&mut (usize, NodePage, usize)| used.saturating_add(nodes.len()) <= NODES_PER_PAGE;
        if !self.open.iter_mut().any(|page| fits(&page)) {
            self.open(sink)?;
        }
        let page = self.open.iter_mut().filter(fits).max_by_key(|(_, _, used)| *used);
        let (number, page, used) = page.ok_or_else(too_large)?;
        let numbers = *used;
        for (place, node) in page.nodes.iter_mut().skip(*used).zip(nodes) {
            *place = *node;
            relocate(place, |child| {
                let slot = as_index(child & ((1 << SLOT_BITS) - 1)).wrapping_add(numbers);
                if child >> SLOT_BITS == UNPLACED_PAGE { node_number(*number, slot) } else { Some(child) }
            })?;
        }
        *used = used.saturating_add(nodes.len());
        node_number(*number, used.wrapping_sub(1)).ok_or_else(too_large)
    }

    /// Starts an empty page. If [`MAX_OPEN_PAGES`] pages are already incomplete, the fullest of
    /// them is passed to `sink` first.
    fn open(&mut self, sink: &mut dyn PageSink) -> Result<()> {
        if self.open.len() >= MAX_OPEN_PAGES {
            let fullest = (0..).zip(&self.open).max_by_key(|(_, (_, _, used))| *used).map_or(0, |(at, _)| at);
            let (number, page, _) = self.open.swap_remove(fullest);
            sink.put(number, &page)?;
        }
        reserve_one(&mut self.open)?;
        self.open.push((self.pages, NodePage::new(), 0));
        self.pages = self.pages.wrapping_add(1);
        Ok(())
    }

    /// Passes all incomplete pages to `sink`.
    pub(crate) fn finish(&mut self, sink: &mut dyn PageSink) -> Result<()> {
        self.open.sort_unstable_by_key(|(number, _, _)| *number);
        self.open.drain(..).try_for_each(|(number, page, _)| sink.put(number, &page))
    }

    /// Appends the pages of another page packer to the pages of this packer, and adapts the node
    /// numbers in the appended pages and in the subtree `part`.
    pub(crate) fn append<'p>(
        &mut self,
        other: &Self,
        pages: impl Iterator<Item = &'p mut NodePage>,
        part: &mut Subtree,
        sink: &mut dyn PageSink,
    ) -> Result<()> {
        let base = self.pages;
        let moved = |child: u32| {
            if child >> SLOT_BITS == UNPLACED_PAGE {
                return Some(child);
            }
            let (page, slot) = crate::bvh::layout::place(child);
            node_number(page.checked_add(base)?, slot)
        };
        for (number, page) in (base..).zip(pages) {
            page.nodes.iter_mut().try_for_each(|node| relocate(node, moved))?;
            sink.put(number, page)?;
        }
        match &mut part.root {
            SubtreeRoot::Loose(nodes) => nodes.iter_mut().try_for_each(|node| relocate(node, moved))?,
            SubtreeRoot::Placed(Child::Node(node)) => *node = moved(*node).ok_or_else(too_large)?,
            SubtreeRoot::Placed(Child::Leaf { .. }) => {}
        }
        self.pages = self.pages.saturating_add(other.pages);
        self.nodes = self.nodes.saturating_add(other.nodes);
        Ok(())
    }
}

/// Replaces the node number of each inner child of a node by the result of the closure `number`.
fn relocate(node: &mut RawNode, number: impl Fn(u32) -> Option<u32>) -> Result<()> {
    for (at, child) in (0_u32..).zip(&mut node.children) {
        let is_leaf = u32::from(node.leaves).wrapping_shr(at) & 1 == 1;
        if !is_leaf && child.get() != crate::bvh::layout::NO_CHILD {
            *child = number(child.get()).ok_or_else(too_large)?.into();
        }
    }
    Ok(())
}

/// Returns a subtree with a new node as its root and `parts` as the children. The nodes of the
/// subtree that are not assigned to a page must fit in one page.
fn merge(parts: Vec<Subtree>) -> Result<Subtree> {
    let bounds = parts.iter().fold(Bounds::EMPTY, |all, part| all.union(&part.bounds));
    let mut nodes = Vec::new();
    let mut root = grid_over(&bounds);
    for (at, part) in parts.into_iter().enumerate() {
        let child = match part.root {
            SubtreeRoot::Placed(child) => child,
            SubtreeRoot::Loose(mut loose) => {
                let offset = u32::try_from(nodes.len()).unwrap_or(UNPLACED_PAGE);
                let shift = |child: u32| {
                    if child >> SLOT_BITS == UNPLACED_PAGE { child.checked_add(offset) } else { Some(child) }
                };
                for node in &mut loose {
                    // The list of unassigned nodes has no more nodes than fit in a page, so the new
                    // node numbers can always be encoded.
                    let _: Result<()> = relocate(node, shift);
                }
                reserve(&mut nodes, loose.len())?;
                nodes.append(&mut loose);
                let last = u32::try_from(nodes.len()).unwrap_or(1).wrapping_sub(1);
                Child::Node(UNPLACED_PAGE.wrapping_shl(SLOT_BITS) | last)
            }
        };
        set_child(&mut root, at, &part.bounds, child);
    }
    reserve_one(&mut nodes)?;
    nodes.push(root);
    Ok(Subtree { bounds, root: SubtreeRoot::Loose(nodes) })
}

/// Returns a node without children whose grid covers the bounding box `bounds`.
pub(crate) fn grid_over(bounds: &Bounds) -> RawNode {
    let mut node = RawNode::EMPTY;
    let sides = bounds.min.iter().zip(bounds.max).zip(node.origin.iter_mut().zip(&mut node.exponents));
    for ((min, max), (origin, exponent)) in sides {
        if min <= &max {
            *origin = F32::new(*min);
            *exponent = exponent_of(max - min);
        }
    }
    node
}

/// Returns the exponent of the least power of two that is greater than `length / 254`.
///
/// If the length of a grid step is 2 to the power of the returned exponent, 254 grid steps cover
/// `length`, and grid step 255 leaves room for rounding outwards.
fn exponent_of(length: f32) -> i8 {
    let biased = i32::try_from((length / 254.0).to_bits() >> 23).unwrap_or_default();
    let exponent = biased.wrapping_sub(126).clamp(-120, 127);
    i8::try_from(exponent).unwrap_or(127)
}

/// Sets the bounding box and the reference of the child with the index `at`.
pub(crate) fn set_child(node: &mut RawNode, at: usize, bounds: &Bounds, child: Child) {
    let (raw, is_leaf) = child.raw();
    if let Some(place) = node.children.get_mut(at) {
        *place = raw.into();
    }
    if is_leaf {
        node.leaves |= 1_u8.wrapping_shl(u32::try_from(at).unwrap_or_default());
    }
    set_box(node, at, bounds);
}

/// Sets the bounding box of the child with the index `at`, rounded outwards to grid steps.
#[allow(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "casts of floats saturate"
)]
pub(crate) fn set_box(node: &mut RawNode, at: usize, bounds: &Bounds) {
    let frame = node.origin().into_iter().zip(node.steps());
    let sides = bounds.min.iter().zip(bounds.max).zip(node.low.iter_mut().zip(&mut node.high)).zip(frame);
    for (((min, max), (low, high)), (origin, step)) in sides {
        let (Some(low), Some(high)) = (low.get_mut(at), high.get_mut(at)) else { continue };
        if *min <= max {
            let [first, last] = [*min, max].map(|side| (f64::from(side) - f64::from(origin)) / f64::from(step));
            (*low, *high) = (first.floor() as u8, last.ceil() as u8);
            // If the bounding box is small compared with the coordinates of the grid's origin, its
            // coordinates relative to the origin have a rounding error, which is corrected here.
            let place = |steps: u8| f64::from(origin) + f64::from(steps) * f64::from(step);
            if place(*low) > f64::from(*min) {
                *low = low.saturating_sub(1);
            }
            if place(*high) < f64::from(max) {
                *high = high.saturating_add(1);
            }
        } else {
            (*low, *high) = (255, 0);
        }
    }
}

const _: () = assert!(WIDTH == 8 && COUNT_BITS == 3);

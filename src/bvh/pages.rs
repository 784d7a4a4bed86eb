//! Assigns the nodes of a tree to pages. If possible, a node is put in the same page as its parent
//! and its children.

// Rule: this file sorts and maps by copies only.

use zerocopy::little_endian::F32;

use crate::array::Bounds;
use crate::bvh::layout::{
    AlignedPage, COUNT_BITS, Child, NODES_PER_PAGE, NodePage, RawNode, SLOT_BITS, WIDTH, node_number,
};
use crate::bvh::reserve::{reserve, reserve_one, try_with_capacity};
use crate::error::{Cause, Error, Field, Result};
use crate::math::as_index;

/// A reserved page index: a node number with this page index refers to a node that is not assigned
/// to a page yet.
const UNPLACED_PAGE: u32 = u32::MAX >> SLOT_BITS;
/// The maximum number of incomplete pages, which can still receive nodes, that are kept in memory.
const MAX_OPEN_PAGES: usize = 8;
/// The maximum number of nodes that are put into another page than the root of their subtree, to
/// fill that page. A query that visits one of them reads one more page.
const MAX_FILLING_NODES: usize = 8;

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
    open: Vec<IncompletePage>,
    /// The number of pages that were started so far.
    pub(crate) pages: usize,
    /// The number of nodes that were created so far.
    pub(crate) nodes: u64,
}

/// A page that is not complete yet.
struct IncompletePage {
    number: usize,
    page: NodePage,
    /// The number of nodes so far.
    used: usize,
}

impl IncompletePage {
    fn nodes(&self) -> &[RawNode] {
        self.page.nodes.get(..self.used).unwrap_or_default()
    }
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

    /// Puts `nodes` into the fullest page that has room for all of them. If no page has, fills the
    /// fullest page with a few of the first nodes, which are far from the root, and puts the others
    /// into a new page. Returns the node number of the last node in `nodes`.
    fn lay(&mut self, nodes: &[RawNode], sink: &mut dyn PageSink) -> Result<u32> {
        let rooms = self.open.iter().map(|page| NODES_PER_PAGE.saturating_sub(page.used));
        let fits = rooms.clone().any(|room| room >= nodes.len());
        let least = rooms.filter(|room| *room > 0).min().filter(|room| !fits && *room <= MAX_FILLING_NODES);
        let (head, tail) = nodes.split_at_checked(least.unwrap_or_default()).unwrap_or((&[], nodes));
        let [head_start, tail_start] = [self.reserve(head)?, self.reserve(tail)?];
        let number_of = |at: usize| match at.checked_sub(head.len()) {
            None => node_number(head_start.0, head_start.1.wrapping_add(at)),
            Some(at) => node_number(tail_start.0, tail_start.1.wrapping_add(at)),
        };
        for (start, nodes) in [(head_start, head), (tail_start, tail)] {
            self.write(start, nodes, |child| {
                let is_own = child >> SLOT_BITS == UNPLACED_PAGE;
                if is_own { number_of(as_index(child & ((1 << SLOT_BITS) - 1))) } else { Some(child) }
            })?;
        }
        self.complete(MAX_OPEN_PAGES, sink)?;
        number_of(nodes.len().wrapping_sub(1)).ok_or_else(too_large)
    }

    /// Reserves room for `nodes` in one page. Returns the index of the page, and of the first node
    /// in the page.
    fn reserve(&mut self, nodes: &[RawNode]) -> Result<(usize, usize)> {
        let page = self.with_room(nodes.len())?;
        let start = page.used;
        page.used = start.saturating_add(nodes.len());
        Ok((page.number, start))
    }

    /// Writes nodes to reserved room in a page, with the node numbers of their children replaced by
    /// the results of the closure `number`.
    fn write(
        &mut self,
        (page, start): (usize, usize),
        nodes: &[RawNode],
        number: impl Fn(u32) -> Option<u32>,
    ) -> Result<()> {
        let open = self.open.iter_mut().find(|open| open.number == page);
        let places = open.into_iter().flat_map(|open| open.page.nodes.iter_mut().skip(start));
        for (place, node) in places.zip(nodes) {
            *place = *node;
            relocate(place, &number)?;
        }
        Ok(())
    }

    /// Returns the fullest page with room for `count` nodes, or a new page.
    fn with_room(&mut self, count: usize) -> Result<&mut IncompletePage> {
        let fits = |page: &IncompletePage| page.used.saturating_add(count) <= NODES_PER_PAGE;
        if !self.open.iter().any(fits) {
            reserve_one(&mut self.open)?;
            self.open.push(IncompletePage { number: self.pages, page: NodePage::new(), used: 0 });
            self.pages = self.pages.wrapping_add(1);
        }
        self.open.iter_mut().filter(|page| fits(page)).max_by_key(|page| page.used).ok_or_else(too_large)
    }

    /// Passes the fullest pages to `sink` until at most `most` are incomplete.
    fn complete(&mut self, most: usize, sink: &mut dyn PageSink) -> Result<()> {
        while self.open.len() > most {
            let fullest = (0..).zip(&self.open).max_by_key(|(_, page)| page.used).map_or(0, |(at, _)| at);
            let IncompletePage { number, page, .. } = self.open.swap_remove(fullest);
            sink.put(number, &page)?;
        }
        Ok(())
    }

    /// Passes all incomplete pages to `sink`.
    pub(crate) fn finish(&mut self, sink: &mut dyn PageSink) -> Result<()> {
        self.open.sort_unstable_by_key(|page| page.number);
        self.open.drain(..).try_for_each(|page| sink.put(page.number, &page.page))
    }

    /// Appends the pages of another page packer, whose complete pages are in `held`, to the pages
    /// of this packer, and moves the nodes of its incomplete pages to incomplete pages of this
    /// packer. Adapts the node numbers in all these pages and in the subtree `part`.
    pub(crate) fn append(
        &mut self,
        other: &Self,
        held: &mut MemoryPages,
        part: &mut Subtree,
        sink: &mut dyn PageSink,
    ) -> Result<()> {
        // The new page of each page, and the number of nodes before its nodes.
        let mut places = try_with_capacity(other.pages)?;
        places.resize(other.pages, None);
        for page in &other.open {
            let start = self.reserve(page.nodes())?;
            if let Some(place) = places.get_mut(page.number) {
                *place = Some(start);
            }
        }
        let mut next = self.pages;
        for place in places.iter_mut().filter(|place| place.is_none()) {
            *place = Some((next, 0));
            next = next.saturating_add(1);
        }
        self.pages = next;
        let place_of = |page: usize| places.get(page).copied().flatten();
        let moved = |child: u32| {
            if child >> SLOT_BITS == UNPLACED_PAGE {
                return Some(child);
            }
            let (page, slot) = crate::bvh::layout::place(child);
            let (page, before) = place_of(page)?;
            node_number(page, slot.wrapping_add(before))
        };
        for page in &other.open {
            let start = place_of(page.number).ok_or_else(too_large)?;
            self.write(start, page.nodes(), moved)?;
        }
        for (number, AlignedPage(page)) in held.0.iter_mut().enumerate() {
            if other.open.iter().all(|open| open.number != number) {
                page.nodes.iter_mut().try_for_each(|node| relocate(node, moved))?;
                sink.put(place_of(number).ok_or_else(too_large)?.0, page)?;
            }
        }
        match &mut part.root {
            SubtreeRoot::Loose(nodes) => nodes.iter_mut().try_for_each(|node| relocate(node, moved))?,
            SubtreeRoot::Placed(Child::Node(node)) => *node = moved(*node).ok_or_else(too_large)?,
            SubtreeRoot::Placed(Child::Leaf { .. }) => {}
        }
        self.nodes = self.nodes.saturating_add(other.nodes);
        self.complete(MAX_OPEN_PAGES, sink)
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

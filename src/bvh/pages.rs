//! Laying nodes into pages, each with its nearest kin.

use zerocopy::little_endian::F32;

use crate::array::Bounds;
use crate::bvh::layout::{COUNT_BITS, Child, NODES_PER_PAGE, NodePage, RawNode, SLOT_BITS, WIDTH, node_number};
use crate::error::{Error, ErrorKind, Field, Result};
use crate::math::as_index;

/// What stands for the page of a node that is not in a page yet.
const UNPLACED_PAGE: u32 = u32::MAX >> SLOT_BITS;
/// Pages that are filled at a time.
const MAX_OPEN_PAGES: usize = 8;

/// Takes pages, each once, in any order.
pub(crate) trait PageSink {
    /// Takes page `number`.
    fn put(&mut self, number: usize, page: &NodePage) -> Result<()>;
}

/// A subtree, as its parent sees it.
pub(crate) struct Subtree {
    pub(crate) bounds: Bounds,
    pub(crate) root: SubtreeRoot,
}

/// What a subtree is.
pub(crate) enum SubtreeRoot {
    /// A leaf, or a node that is in a page.
    Placed(Child),
    /// Nodes that are not in a page yet: the root last. Those that they refer to are among them, or in pages.
    Loose(Vec<RawNode>),
}

/// Lays nodes into pages.
#[derive(Default)]
pub(crate) struct PagePacker {
    /// Pages with room, their numbers, and how many nodes they have.
    open: Vec<(usize, Box<NodePage>, usize)>,
    /// Pages begun.
    pub(crate) pages: usize,
    /// Nodes made.
    pub(crate) nodes: u64,
}

/// Returns an error where a tree has more pages than a reference can name.
pub(crate) fn too_large() -> Error {
    let kind = ErrorKind::Value { expected: "at most 2^26 pages of nodes".into(), found: "more".into() };
    Error::without_offset("query", Field::new("tree"), kind)
}

impl PagePacker {
    /// Makes a node of parts, and puts those of their nodes into pages that do not fit into one with it.
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
        Ok(merge(parts))
    }

    /// Puts what is loose of a part into a page.
    pub(crate) fn place(&mut self, part: &mut Subtree, sink: &mut dyn PageSink) -> Result<()> {
        if let SubtreeRoot::Loose(nodes) = &part.root {
            part.root = SubtreeRoot::Placed(Child::Node(self.lay(nodes, sink)?));
        }
        Ok(())
    }

    /// Lays nodes into the fullest page that has room for them.
    fn lay(&mut self, nodes: &[RawNode], sink: &mut dyn PageSink) -> Result<u32> {
        let fits =
            |(_, _, used): &&mut (usize, Box<NodePage>, usize)| used.saturating_add(nodes.len()) <= NODES_PER_PAGE;
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

    /// Begins a page; where many are open, the fullest is finished.
    fn open(&mut self, sink: &mut dyn PageSink) -> Result<()> {
        if self.open.len() >= MAX_OPEN_PAGES {
            let fullest = (0..).zip(&self.open).max_by_key(|(_, (_, _, used))| *used).map_or(0, |(at, _)| at);
            let (number, page, _) = self.open.swap_remove(fullest);
            sink.put(number, &page)?;
        }
        self.open.push((self.pages, Box::new(NodePage::new()), 0));
        self.pages = self.pages.wrapping_add(1);
        Ok(())
    }

    /// Finishes all pages.
    pub(crate) fn finish(&mut self, sink: &mut dyn PageSink) -> Result<()> {
        self.open.sort_unstable_by_key(|(number, _, _)| *number);
        self.open.drain(..).try_for_each(|(number, page, _)| sink.put(number, &page))
    }

    /// Takes the pages and the part that another packer made, as if this one had.
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

/// Gives the inner children of a node other numbers.
fn relocate(node: &mut RawNode, number: impl Fn(u32) -> Option<u32>) -> Result<()> {
    for (at, child) in (0_u32..).zip(&mut node.children) {
        let is_leaf = u32::from(node.leaves).wrapping_shr(at) & 1 == 1;
        if !is_leaf && child.get() != crate::bvh::layout::NO_CHILD {
            *child = number(child.get()).ok_or_else(too_large)?.into();
        }
    }
    Ok(())
}

/// Makes a subtree of parts that fit together, under a node of their own.
fn merge(parts: Vec<Subtree>) -> Subtree {
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
                    // No more than a page of nodes: their numbers have room.
                    let _: Result<()> = relocate(node, shift);
                }
                nodes.append(&mut loose);
                let last = u32::try_from(nodes.len()).unwrap_or(1).wrapping_sub(1);
                Child::Node(UNPLACED_PAGE.wrapping_shl(SLOT_BITS) | last)
            }
        };
        set_child(&mut root, at, &part.bounds, child);
    }
    nodes.push(root);
    Subtree { bounds, root: SubtreeRoot::Loose(nodes) }
}

/// Returns a node without children whose grid covers a box.
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

/// Returns the exponent of the least power of two of which 254 reach over a length: rounding outwards has room.
fn exponent_of(length: f32) -> i8 {
    let biased = i32::try_from((length / 254.0).to_bits() >> 23).unwrap_or_default();
    let exponent = biased.wrapping_sub(126).clamp(-120, 127);
    i8::try_from(exponent).unwrap_or(127)
}

/// Gives a node a child.
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

/// Gives a child of a node its box, rounded outwards.
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
            // What is small beside the origin was lost above.
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

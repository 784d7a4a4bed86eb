//! Rules about the spatial trees of compressed generations, and their edge records.

use super::structure::say_of_block;
use super::surfaces::{nearly_equal, shown};
use crate::array::{Array, Bounds};
use crate::error::{Field, PathSegment, Result};
use crate::formats::unigine::blocks::block::BlockKind;
use crate::formats::unigine::blocks::node::TreeNode;
use crate::formats::unigine::blocks::tree::{InflatedTree, SurfaceTree};
use crate::formats::unigine::reader::mesh_reader::MeshReader;
use crate::formats::unigine::surface::SurfaceView;
use crate::math::{as_index, as_u64};
use crate::parse::{Report, Tally};

/// Bits of an edge record that have a meaning.
const EDGE_BITS: u8 = 7;

/// Checks the tree of a surface, of generations that have one.
pub(super) fn check(mesh: MeshReader<'_>, index: usize, view: &SurfaceView<'_>, report: &mut Report<'_>) -> Result<()> {
    if !mesh.generation().is_compressed() {
        return Ok(());
    }
    // The check of the structure reported one that cannot be found.
    if mesh.tree_block(index).is_err() {
        return Ok(());
    }
    let inflated = match mesh.fresh_tree(index, &mut mesh.alone()) {
        Ok(inflated) => inflated,
        // The rest of the file can be read.
        Err(error) => {
            say_of_block(&error, index, report);
            return Ok(());
        }
    };
    let tree = inflated.view(mesh.bytes, mesh.format())?;
    let field =
        Field::new("").in_list("surface", as_u64(index)).in_inner_list(BlockKind::Tree.content(), PathSegment::ONLY);
    report.turn_into(inflated.inflated_from());
    let mut check = SurfaceTreeCheck { tree, field, inflated: &inflated, report };
    let triangles = as_index(view.counts()?.corners / 3);
    check.lists(triangles);
    // Leaves that name triangles over and over would take time without end.
    if check.nodes() & check.leaves(triangles) {
        check.boxes(view)?;
    }
    report.turn_into(None);
    Ok(())
}

/// A tree under check.
struct SurfaceTreeCheck<'a, 'c, 'r> {
    tree: SurfaceTree<'a>,
    field: Field,
    inflated: &'c InflatedTree,
    report: &'c mut Report<'r>,
}

impl SurfaceTreeCheck<'_, '_, '_> {
    fn say(&mut self, name: &'static str, offset: u64, text: String) {
        self.report.say("UG21", self.field.named(name), offset, text);
    }

    /// Checks that there is one record for each triangle, in each list.
    fn lists(&mut self, triangles: usize) {
        let offsets = self.inflated.offsets;
        let lists = [
            ("edges", self.tree.edges().len(), offsets.edges),
            ("corners", self.tree.corners().len(), offsets.corners),
        ];
        for (name, found, at) in lists {
            if found != triangles {
                self.say(name, at, format!("{found} items, expected {triangles}, one per triangle"));
            }
        }
        let mut beyond = Tally::default();
        for (at, bits) in (0..).zip(self.tree.edges()) {
            beyond.add(at, bits & !EDGE_BITS != 0);
        }
        if beyond.any() {
            let text = format!("{} edge records have more than 3 bits", beyond.count);
            self.say("edges", beyond.offset(offsets.edges, 1), text);
        }
        let mut seen = vec![false; triangles];
        let mut wrong = Tally::default();
        for (item, corner) in (0..).zip(self.tree.corners()) {
            let triangle = if corner.is_multiple_of(3) { seen.get_mut(as_index(corner / 3)) } else { None };
            wrong.add(item, triangle.is_none_or(|seen| std::mem::replace(seen, true)));
        }
        if wrong.any() {
            let text = format!(
                "{} corners are not the first of a triangle that was not named before; the first is number {}",
                wrong.count, wrong.first
            );
            self.say("corners", offsets.corners, text);
        }
    }

    /// Checks that nodes come in pre-order, and that each hangs from one: a tree without circles.
    fn nodes(&mut self) -> bool {
        let nodes = self.tree.nodes();
        let mut wrong = Tally::default();
        // The right children that are still to come.
        let mut waiting: Vec<usize> = Vec::new();
        let mut expected = Some(0);
        for (number, node) in nodes.iter().enumerate() {
            let here = expected == Some(number);
            let next = number.saturating_add(1);
            let sound = if let Some([left, right]) = node.children() {
                waiting.push(right);
                expected = Some(next);
                left == next && right > left && right < nodes.len() && node.axis < 3 && node.start == 0 && node.end == 0
            } else {
                expected = waiting.pop();
                node.is_leaf() && node.axis == 0 && node.start <= node.end
            };
            wrong.add(as_u64(number), !here || !sound);
        }
        if expected.is_some_and(|expected| expected != nodes.len() || !nodes.is_empty()) && !wrong.any() {
            wrong.add(as_u64(nodes.len()), !nodes.is_empty());
        }
        if wrong.any() {
            let text = format!("{} nodes are out of order or badly made; the first is {}", wrong.count, wrong.first);
            self.say("nodes", self.inflated.offsets.nodes, text);
        }
        !wrong.any()
    }

    /// Checks that each triangle is in one leaf.
    fn leaves(&mut self, triangles: usize) -> bool {
        let mut covered = vec![false; self.tree.corners().len()];
        let (mut again, mut outside) = (Tally::default(), Tally::default());
        for (number, node) in (0..).zip(self.tree.nodes()).filter(|(_, node)| node.is_leaf()) {
            let range = usize::try_from(node.start).ok().zip(usize::try_from(node.end).ok());
            let Some(part) = range.and_then(|(start, end)| covered.get_mut(start..end)) else {
                outside.add(number, true);
                continue;
            };
            again.add(number, part.iter().any(|covered| *covered));
            part.fill(true);
            // Leaves that all name the same would be gone through again and again.
            if again.any() {
                break;
            }
        }
        let missing = covered.iter().filter(|covered| !**covered).count();
        let cases =
            [(outside, "leaves name triangles that do not exist"), (again, "leaves name triangles that another has")];
        for (tally, what) in cases {
            if tally.any() {
                let text = format!("{} {what}; the first is node {}", tally.count, tally.first);
                self.say("nodes", self.inflated.offsets.nodes, text);
            }
        }
        if missing > 0 && !again.any() && triangles > 0 {
            self.say("nodes", self.inflated.offsets.nodes, format!("{missing} triangles are in no leaf"));
        }
        !again.any() && !outside.any()
    }

    /// Checks that boxes nest, that those of leaves are tight, that the root's is the surface's, and where nodes are split.
    fn boxes(&mut self, view: &SurfaceView<'_>) -> Result<()> {
        let tree = self.tree;
        let bounds = |number: usize| tree.boxes().get(number).map(split);
        let (positions, indices) = (view.positions()?, view.indices()?);
        let [mut loose, mut outside, mut cuts] = [Tally::default(); 3];
        for (number, node) in tree.nodes().iter().enumerate() {
            let (item, Some(own)) = (as_u64(number), bounds(number)) else { break };
            let cut = tree.splits().get(number).map_or(0.0, |[cut]| cut);
            let Some(children) = node.children() else {
                let found = tight(&tree, node, &positions, &indices);
                loose.add(item, found.is_some_and(|found| !nearly_equal(&found, &own)));
                cuts.add(item, cut != 0.0);
                continue;
            };
            outside.add(item, children.iter().filter_map(|child| bounds(*child)).any(|child| !within(&child, &own)));
            let axis = usize::from(node.axis);
            let ends = own.min.get(axis).zip(own.max.get(axis));
            cuts.add(item, !ends.is_some_and(|(min, max)| (*min..=*max).contains(&cut)));
        }
        let offsets = self.inflated.offsets;
        let cases = [
            (loose, "boxes", offsets.boxes, 24, "leaves have a box that is not tight around their triangles"),
            (outside, "boxes", offsets.boxes, 24, "nodes have a child whose box is not inside theirs"),
            (cuts, "splits", offsets.splits, 4, "nodes are split outside their box, or are leaves with a split"),
        ];
        for (tally, name, at, size, what) in cases {
            if tally.any() {
                let text = format!("{} {what}; the first is node {}", tally.count, tally.first);
                self.say(name, tally.offset(at, size), text);
            }
        }
        if let Some(root) = bounds(0)
            && !nearly_equal(&root, &view.bounds())
        {
            let text = format!("the root's is {}, the surface's is {}", shown(&root), shown(&view.bounds()));
            self.say("boxes", offsets.boxes, text);
        }
        Ok(())
    }
}

/// Returns the box around a leaf's triangles; `None` where some of them cannot be found.
fn tight(
    tree: &SurfaceTree<'_>,
    leaf: &TreeNode,
    positions: &crate::array::Packed<'_, crate::decode::Floats<3>>,
    indices: &crate::model::Indices<'_>,
) -> Option<Bounds> {
    let mut found = Bounds::EMPTY;
    for first in tree.triangles(leaf)? {
        for corner in 0..3 {
            let index = indices.get(as_index(first.checked_add(corner)?))?;
            let position = positions.get(as_index(index))?;
            found = found.union(&Bounds { min: position, max: position });
        }
    }
    Some(found).filter(|found| !found.is_empty())
}

fn split([x, y, z, right, top, front]: [f32; 6]) -> Bounds {
    Bounds { min: [x, y, z], max: [right, top, front] }
}

fn within(inner: &Bounds, outer: &Bounds) -> bool {
    let low = inner.min.iter().zip(&outer.min).all(|(inner, outer)| inner >= outer);
    low && inner.max.iter().zip(&outer.max).all(|(inner, outer)| inner <= outer)
}

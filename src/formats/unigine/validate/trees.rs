//! Checks the rules about the spatial trees and the edge records of ms14 and ms15.

use super::rules;
use super::structure::add_block_fault;
use super::surfaces::shown;
use crate::array::{Array, Bounds};
use crate::error::{Field, PathSegment, Result, counted};
use crate::formats::unigine::blocks::block::BlockKind;
use crate::formats::unigine::blocks::node::TreeNode;
use crate::formats::unigine::blocks::tree::{InflatedTree, SurfaceTree};
use crate::formats::unigine::reader::mesh_reader::MeshReader;
use crate::formats::unigine::surface::SurfaceView;
use crate::math::{as_index, as_u64};
use crate::parse::{Severity, filled, room};
use crate::validate::{Report, Tally, nearly_equal};

/// The bits of an edge record that may be set: one bit for each edge of the triangle.
const EDGE_BITS: u8 = 7;

/// Checks the spatial tree of a surface in an ms14 or ms15 mesh. Meshes in format versions before
/// ms14 store no spatial trees.
pub(super) fn check(mesh: MeshReader<'_>, index: usize, view: &SurfaceView<'_>, report: &mut Report<'_>) -> Result<()> {
    if !mesh.generation().is_compressed() {
        return Ok(());
    }
    // If the tree block of the surface cannot be located, `structure::check` has already reported
    // the error.
    if mesh.tree_block(index).is_err() {
        return Ok(());
    }
    let inflated = match mesh.fresh_tree(index, &mut mesh.alone()) {
        Ok(inflated) => inflated,
        // The trees of other surfaces can be read even if the tree of this surface is damaged.
        Err(error) => {
            add_block_fault(&error, index, report);
            return Ok(());
        }
    };
    let tree = inflated.view(mesh.bytes, mesh.format())?;
    let field =
        Field::new("").in_list("surface", as_u64(index)).in_inner_list(BlockKind::Tree.content(), PathSegment::ONLY);
    report.turn_into(inflated.inflated_from());
    let mut check = SurfaceTreeCheck { format: mesh.format(), tree, field, inflated: &inflated, report };
    let triangles = as_index(view.counts()?.corners / 3);
    check.lists(triangles)?;
    // The bounding boxes of the nodes are checked only if each triangle belongs to at most one
    // leaf. If many leaves referred to the same triangles, checking the bounding boxes could take a
    // very long time.
    if check.nodes()? & check.leaves(triangles)? {
        check.boxes(view)?;
    }
    report.turn_into(None);
    Ok(())
}

/// The spatial tree of one surface, and the report for the findings about it.
struct SurfaceTreeCheck<'a, 'c, 'r> {
    format: &'static str,
    tree: SurfaceTree<'a>,
    field: Field,
    inflated: &'c InflatedTree,
    report: &'c mut Report<'r>,
}

impl SurfaceTreeCheck<'_, '_, '_> {
    fn add(&mut self, name: &'static str, offset: u64, text: impl std::fmt::Display) {
        self.report.add(rules::SPATIAL_TREE, self.field.named(name), offset, text);
    }

    fn add_any(&mut self, tally: Tally, name: &'static str, offset: u64, text: impl std::fmt::Display) {
        self.report.add_any(tally, rules::SPATIAL_TREE, self.field.named(name), offset, text);
    }

    /// Checks the array of edge records and the array of first triangle corners.
    ///
    /// The array of edge records and the array of first corners must have one item per triangle. In
    /// an edge record, only the lowest three bits may be set. In the array of first corners, each
    /// triangle must occur exactly once.
    fn lists(&mut self, triangles: usize) -> Result<()> {
        let offsets = self.inflated.offsets;
        let lists = [
            ("edges", self.tree.edges().len(), offsets.edges),
            ("corners", self.tree.corners().len(), offsets.corners),
        ];
        for (name, found, at) in lists {
            if found != triangles {
                self.add(name, at, format_args!("{}, expected {triangles}, one per triangle", counted(found, "item")));
            }
        }
        let beyond = Tally::of(self.tree.edges(), |bits| bits & !EDGE_BITS != 0);
        let text = beyond.text("edge record", "with more than 3 bits");
        self.add_any(beyond, "edges", beyond.offset(offsets.edges, 1), text);
        let mut seen = filled(self.format, "corners", triangles, false)?;
        let wrong = Tally::of(self.tree.corners(), |corner| {
            let triangle = if corner.is_multiple_of(3) { seen.get_mut(as_index(corner / 3)) } else { None };
            triangle.is_none_or(|seen| std::mem::replace(seen, true))
        });
        let text = format_args!(
            "{}: expected the first corner of each triangle, once; the first is item {}",
            counted(wrong.count, "wrong corner"),
            wrong.first
        );
        self.add_any(wrong, "corners", offsets.corners, text);
        Ok(())
    }

    /// Checks that the nodes are in pre-order and that each node except the root has exactly one
    /// parent. A tree that passes this check of its nodes has no cycles.
    fn nodes(&mut self) -> Result<bool> {
        let nodes = self.tree.nodes();
        let mut wrong = Tally::default();
        // The indices of the right child nodes that the loop over the nodes has not reached yet.
        let mut waiting: Vec<usize> = room(self.format, "nodes", nodes.len())?;
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
        let text = wrong.text_to_first("node", "out of order or invalid; the first is node");
        self.add_any(wrong, "nodes", self.inflated.offsets.nodes, text);
        Ok(!wrong.any())
    }

    /// Checks that exactly one leaf refers to each triangle.
    fn leaves(&mut self, triangles: usize) -> Result<bool> {
        let mut covered = filled(self.format, "nodes", self.tree.corners().len(), false)?;
        let (mut again, mut outside) = (Tally::default(), Tally::default());
        for (number, node) in (0..).zip(self.tree.nodes()).filter(|(_, node)| node.is_leaf()) {
            let range = usize::try_from(node.start).ok().zip(usize::try_from(node.end).ok());
            let Some(part) = range.and_then(|(start, end)| covered.get_mut(start..end)) else {
                outside.add(number, true);
                continue;
            };
            again.add(number, part.iter().any(|covered| *covered));
            part.fill(true);
            // The loop over the leaves ends at the first leaf that shares a triangle with another
            // leaf. Without this early end, the loop over the leaves would take very long if all
            // leaves referred to the same triangles.
            if again.any() {
                break;
            }
        }
        let missing = covered.iter().filter(|covered| !**covered).count();
        let nodes = self.inflated.offsets.nodes;
        let text = outside.text_to_first("leaf", "with triangles that do not exist; the first is node");
        self.add_any(outside, "nodes", nodes, text);
        let text = again.text_to_first("leaf", "with triangles of another leaf; the first is node");
        self.add_any(again, "nodes", nodes, text);
        if missing > 0 && !again.any() && triangles > 0 {
            self.add("nodes", nodes, format_args!("{} in no leaf", counted(missing, "triangle")));
        }
        Ok(!again.any() && !outside.any())
    }

    /// Checks the bounding boxes and the split coordinates of all nodes.
    ///
    /// The bounding box of a child node must lie inside the bounding box of its parent node. That
    /// of a leaf must contain its triangles, or a query would miss them. Boxes that are too small
    /// by rounding only, and larger boxes of leaves, which make queries slower, are remarks,
    /// because some sound files have them. The bounding box of the root node must be equal to the
    /// bounding box of the surface. A difference by rounding is a remark, and so is a larger box of
    /// a root that is a leaf. The split coordinate of a node must lie inside the bounding box of
    /// the node.
    fn boxes(&mut self, view: &SurfaceView<'_>) -> Result<()> {
        let tree = self.tree;
        let bounds = |number: usize| tree.boxes().get(number).map(split);
        let (positions, indices) = (view.positions()?, view.indices()?);
        let allowed = rounding(&view.bounds());
        let [mut missed, mut short, mut loose, mut outside, mut uneven, mut cuts] = [Tally::default(); 6];
        for (number, node) in tree.nodes().iter().enumerate() {
            let (item, Some(own)) = (as_u64(number), bounds(number)) else { break };
            let cut = tree.splits().get(number).map_or(0.0, |[cut]| cut);
            let Some(children) = node.children() else {
                if let Some(found) = tight(&tree, node, &positions, &indices) {
                    let contains = nearly_equal(&own.union(&found), &own);
                    let by_rounding = excess(&found, &own) <= allowed;
                    missed.add(item, !contains && !by_rounding);
                    short.add(item, !contains && by_rounding);
                    loose.add(item, contains && !nearly_equal(&found, &own));
                }
                cuts.add(item, cut != 0.0);
                continue;
            };
            let beyond = children.iter().filter_map(|child| bounds(*child)).map(|child| excess(&child, &own));
            let beyond = beyond.fold(0.0, f32::max);
            outside.add(item, beyond > allowed);
            uneven.add(item, beyond > 0.0 && beyond <= allowed);
            let axis = usize::from(node.axis);
            let ends = own.min.get(axis).zip(own.max.get(axis));
            cuts.add(item, !ends.is_some_and(|(min, max)| (*min..=*max).contains(&cut)));
        }
        let offsets = self.inflated.offsets;
        let (info, wrong) = (rules::SPATIAL_TREE.with(Severity::Info), rules::SPATIAL_TREE);
        let cases = [
            (wrong, missed, "leaf", "with a triangle outside its box; the first is node"),
            (info, short, "leaf", "with a box that is too small by rounding; the first is node"),
            (info, uneven, "node", "with a child that is outside its box by rounding; the first is node"),
            (info, loose, "leaf", "with a box that is not tight around its triangles; the first is node"),
            (wrong, outside, "node", "with a child whose box is not inside its own; the first is node"),
        ];
        let field = self.field.named("boxes");
        for (rule, tally, node, what) in cases {
            self.report.add_any(tally, rule, field, tally.offset(offsets.boxes, 24), tally.text_to_first(node, what));
        }
        let text = cuts.text_to_first("node", "split outside its box, or a leaf with a split; the first is node");
        self.add_any(cuts, "splits", cuts.offset(offsets.splits, 4), text);
        if let Some(root) = bounds(0)
            && !nearly_equal(&root, &view.bounds())
        {
            let is_leaf = tree.nodes().first().is_some_and(TreeNode::is_leaf);
            let is_remark =
                excess(&view.bounds(), &root) <= allowed && (is_leaf || excess(&root, &view.bounds()) <= allowed);
            let rule = if is_remark { info } else { wrong };
            let text =
                format_args!("the root's box is {}, the surface's box is {}", shown(&root), shown(&view.bounds()));
            self.report.add(rule, field, offsets.boxes, text);
        }
        Ok(())
    }
}

/// Returns the smallest bounding box around the triangles of a leaf, or `None` if a triangle offset
/// or a position index is out of range.
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
            found.extend([positions.get(as_index(index))?]);
        }
    }
    Some(found).filter(|found| !found.is_empty())
}

fn split([x, y, z, right, top, front]: [f32; 6]) -> Bounds {
    Bounds { min: [x, y, z], max: [right, top, front] }
}

/// Returns the distance by which a box reaches outside another box along an axis, or infinity if a
/// coordinate is not a number.
fn excess(inner: &Bounds, outer: &Bounds) -> f32 {
    let low = outer.min.iter().zip(&inner.min);
    let sides = low.chain(inner.max.iter().zip(&outer.max)).map(|(greater, less)| greater - less);
    sides.fold(0.0, |most, side| if side.is_nan() { f32::INFINITY } else { most.max(side) })
}

/// Returns the error of a coordinate that is rounding: a millionth of the greatest coordinate.
fn rounding(bounds: &Bounds) -> f32 {
    bounds.min.iter().chain(&bounds.max).fold(0.0, |most: f32, part| most.max(part.abs())) * 1e-6
}

//! Returns the values of edge records and spatial trees of UNIGINE ms14 and ms15 meshes, for the
//! `dump` command.

use crate::Array;
use crate::formats::unigine::SurfaceTree;

use crate::program::args::Attribute;
use crate::program::render::values::{Rows, Values};

/// Returns the values of an attribute that only ms14 and ms15 meshes have, or `None` for any other
/// attribute. `find` returns the tree of the surface.
pub fn values<'a>(
    attribute: Attribute,
    find: impl FnOnce() -> crate::Result<Option<SurfaceTree<'a>>>,
) -> crate::Result<Option<Box<dyn Values + 'a>>> {
    use Attribute::{Edges, TreeBoxes, TreeCorners, TreeNodes, TreeSplits};
    if !matches!(attribute, Edges | TreeBoxes | TreeCorners | TreeNodes | TreeSplits) {
        return Ok(None);
    }
    let Some(tree) = find()? else { return Ok(None) };
    let (edges, corners, nodes) = (tree.edges(), tree.corners(), tree.nodes());
    let (boxes, splits) = (tree.boxes(), tree.splits());
    Ok(Some(match attribute {
        Edges => Rows::boxed(edges.len(), move |at| edges.get(at).copied()),
        TreeCorners => Rows::boxed(corners.len(), move |at| corners.get(at).copied()),
        TreeBoxes => Rows::boxed(nodes.len(), move |at| boxes.get(at)),
        TreeSplits => Rows::boxed(nodes.len(), move |at| splits.get(at).map(|[split]| split)),
        _ => Rows::boxed(nodes.len(), move |at| {
            nodes.get(at).map(|node| [node.axis.into(), node.left, node.right, node.start, node.end])
        }),
    }))
}

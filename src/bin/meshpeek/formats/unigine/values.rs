//! Returns the values of edge records and spatial trees of UNIGINE ms14 and ms15 meshes, for the
//! `dump` command.

use meshpeek::Array;
use std::io;
use std::ops::Range;

use meshpeek::unigine::{Mesh, SurfaceTree};

use crate::args::Attribute;
use crate::render::values::{Item, Values, Visit};

/// The values of one array of a spatial tree, for the `dump` command.
struct TreeValues<'a>(SurfaceTree<'a>, TreeArray);

/// Selects one array of a spatial tree.
#[derive(Clone, Copy, Debug)]
enum TreeArray {
    Edges,
    Corners,
    Nodes,
    Boxes,
    Splits,
}

/// Returns the values of an attribute that only ms14 and ms15 meshes have, or `None` for any other
/// attribute.
pub fn values<D: AsRef<[u8]> + Send + Sync>(
    mesh: &Mesh<D>,
    surface: usize,
    attribute: Attribute,
) -> meshpeek::Result<Option<Box<dyn Values + '_>>> {
    let array = match attribute {
        Attribute::Edges => TreeArray::Edges,
        Attribute::TreeCorners => TreeArray::Corners,
        Attribute::TreeNodes => TreeArray::Nodes,
        Attribute::TreeBoxes => TreeArray::Boxes,
        Attribute::TreeSplits => TreeArray::Splits,
        _ => return Ok(None),
    };
    match mesh.tree(surface)? {
        Some(tree) => Ok(Some(Box::new(TreeValues(tree, array)))),
        None => Ok(None),
    }
}

impl Values for TreeValues<'_> {
    fn count(&self) -> usize {
        let Self(tree, array) = self;
        match array {
            TreeArray::Edges => tree.edges().len(),
            TreeArray::Corners => tree.corners().len(),
            TreeArray::Nodes | TreeArray::Boxes | TreeArray::Splits => tree.nodes().len(),
        }
    }

    fn visit(&self, mut range: Range<usize>, _raw: bool, visit: Visit<'_>) -> io::Result<()> {
        let Self(tree, array) = self;
        range.try_for_each(|at| match array {
            TreeArray::Edges => tree.edges().get(at).map_or(Ok(()), |bits| visit(Item::Number((*bits).into()))),
            TreeArray::Corners => tree.corners().get(at).map_or(Ok(()), |corner| visit(Item::Number(*corner))),
            TreeArray::Nodes => tree.nodes().get(at).map_or(Ok(()), |node| {
                visit(Item::Integers(&[node.axis.into(), node.left, node.right, node.start, node.end]))
            }),
            TreeArray::Boxes => tree.boxes().get(at).map_or(Ok(()), |bounds| visit(Item::Floats(&bounds))),
            TreeArray::Splits => tree.splits().get(at).map_or(Ok(()), |[split]| visit(Item::Float(split))),
        })
    }
}

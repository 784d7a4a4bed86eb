//! Implements the format-independent trait [`Geometry`] for UNIGINE meshes, their levels of detail
//! and single inflated surfaces.

use super::blocks::inflated_surface::InflatedSurface;
use super::blocks::tree::SurfaceTree;
use super::file::Mesh;
use super::reader::mesh_reader::MeshReader;
use crate::array::{Bounds, Sphere};
use crate::error::{Error, Field, Result};
use crate::math::as_u64;
use crate::model::animation::Affine;
use crate::model::{
    Axis, ColorEncoding, Colors, Counts, ExtraArray, ExtraArrayInfo, FormatVersion, Geometry, Handedness, Indices,
    ItemOwner, NumberType, PositionEncoding, Positions, Space, SpatialTree, SurfaceArrays, TangentFrames, UvEncoding,
    UvOrigin, Uvs, Weights, Winding,
};
use crate::parse::Name;

/// The coordinate conventions of the engine, which all its files share.
pub(super) const SPACE: Space = Space {
    up: Some(Axis::Z),
    forward: Some(Axis::NegativeY),
    handedness: Some(Handedness::Right),
    winding: Some(Winding::CounterClockwise),
    metres_per_unit: Some(1.0),
    uv_origin: Some(UvOrigin::TopLeft),
    placement: Affine::IDENTITY,
};

/// The edge records and the arrays of the spatial tree of a surface, in ms14 and ms15.
pub const EXTRA_ARRAYS: &[ExtraArrayInfo] = &[
    ExtraArrayInfo::bytes("edges", "edges", EDGES),
    ExtraArrayInfo {
        number: NumberType::U32,
        encoding: "an integer of 1 to 5 bytes",
        ..of_tree("tree-corners", "tree_corner", TREE_CORNERS, &[])
    },
    ExtraArrayInfo {
        number: NumberType::I32,
        encoding: "a byte, and four integers of 1 to 5 bytes",
        ..of_tree("tree-nodes", "tree_node", TREE_NODES, &["axis", "left", "right", "start", "end"])
    },
    of_tree("tree-boxes", "tree_box", TREE_BOXES, &["min_x", "min_y", "min_z", "max_x", "max_y", "max_z"]),
    of_tree("tree-splits", "tree_split", TREE_SPLITS, &[]),
];
const EDGES: &str = "A byte for each triangle: bit k is set if the edge opposite corner k is a border or convex \
    (UNIGINE ms14, ms15)";
const TREE_CORNERS: &str =
    "The first corner of each triangle, in the order of the leaves of the tree (UNIGINE ms14, ms15)";
const TREE_NODES: &str = "Nodes of the spatial tree: axis, left, right, start, end (UNIGINE ms14, ms15)";
const TREE_BOXES: &str = "Bounding boxes of the nodes: minimum x, y, z, then maximum x, y, z (UNIGINE ms14, ms15)";
const TREE_SPLITS: &str = "The coordinate at which each node is split, along its axis (UNIGINE ms14, ms15)";

const fn of_tree(
    name: &'static str,
    item: &'static str,
    description: &'static str,
    components: &'static [&'static str],
) -> ExtraArrayInfo {
    ExtraArrayInfo { owner: ItemOwner::Tree, components, ..ExtraArrayInfo::floats(name, item, description) }
}

/// Finds the extra array `name` of a surface. `find` returns the tree of the surface, and is not
/// called for another name.
fn tree_array<'a>(
    name: &str,
    find: impl FnOnce() -> Result<Option<SurfaceTree<'a>>>,
) -> Result<Option<ExtraArray<'a>>> {
    let Some(info) = ExtraArrayInfo::find(EXTRA_ARRAYS, name) else { return Ok(None) };
    let Some(tree) = find()? else { return Ok(None) };
    let (edges, corners, nodes) = (tree.edges(), tree.corners(), tree.nodes());
    Ok(Some(match name {
        "edges" => ExtraArray::integers(info, edges.len(), |at| edges.get(at).map(|edges| [i64::from(*edges)])),
        "tree-corners" => {
            ExtraArray::integers(info, corners.len(), |at| corners.get(at).map(|corner| [i64::from(*corner)]))
        }
        "tree-boxes" => ExtraArray::floats(info, tree.boxes()),
        "tree-splits" => ExtraArray::floats(info, tree.splits()),
        _ => ExtraArray::integers(info, nodes.len(), |at| {
            let node = nodes.get(at)?;
            Some([node.axis.into(), node.left.into(), node.right.into(), node.start.into(), node.end.into()])
        }),
    }))
}

/// Implements [`Geometry`] for a type with a method `reader` that returns the reader of a mesh.
/// `level` is the index of a level of detail. `view`, `counts` and `tree` read one surface.
macro_rules! geometry {
    (
        [$($generics:tt)*] $type:ty, |$self:ident, $surface:ident|
        level: $level:expr, view: $view:expr, counts: $counts:expr, tree: $tree:expr, alone: $alone:expr $(,)?
    ) => {
        impl<$($generics)*> Geometry for $type {
            fn space(&self) -> Space {
                SPACE
            }

            fn bounds(&self) -> Result<Bounds> {
                self.reader().raw_bounds().map(|raw| raw.bounds())
            }

            fn sphere(&self) -> Result<Option<Sphere>> {
                self.reader().raw_bounds().map(|raw| Some(raw.sphere()))
            }

            fn extra_arrays(&self) -> &'static [ExtraArrayInfo] {
                EXTRA_ARRAYS
            }
        }

        impl<$($generics)*> SurfaceArrays for $type {
            fn surface_count(&self) -> Result<usize> {
                Ok(self.reader().surface_count())
            }

            fn surface_name(&self, surface: usize) -> Result<Name<'_>> {
                self.reader().surface_header(surface).map(|head| head.name)
            }

            fn surface_bounds(&self, surface: usize) -> Result<Bounds> {
                self.reader().surface_header(surface).map(|head| head.bounds.bounds())
            }

            fn surface_sphere(&self, surface: usize) -> Result<Option<Sphere>> {
                self.reader().surface_header(surface).map(|head| Some(head.bounds.sphere()))
            }

            /// Returns whether a surface is in the level of detail. A shadow proxy is in no level.
            fn is_drawn(&$self, surface: usize) -> Result<bool> {
                Ok($self.reader().levels()?.shows($level, surface))
            }

            fn counts(&$self, $surface: usize) -> Result<Counts> {
                $counts
            }

            fn positions(&$self, $surface: usize, target: usize) -> Result<Positions<'_>> {
                ($view)?.target(target)?.positions().map(|array| Positions(PositionEncoding::F32(array)))
            }

            fn tangent_frames(&$self, $surface: usize, target: usize) -> Result<Option<TangentFrames<'_>>> {
                ($view)?.target(target)?.tangent_frames().map(Some)
            }

            fn uvs(&$self, $surface: usize, set: usize) -> Result<Option<Uvs<'_>>> {
                Ok(($view)?.uvs(set)?.map(|array| Uvs(UvEncoding::F32(array))))
            }

            fn colors(&$self, $surface: usize) -> Result<Option<Colors<'_>>> {
                Ok(($view)?.colors()?.map(|array| Colors(ColorEncoding::Unorm8(array))))
            }

            /// Returns `true`: materials of the engine use the colours only if a state says so, and
            /// then mostly as masks for the movement of vegetation.
            fn colors_are_data(&self) -> bool {
                true
            }

            fn weights(&$self, $surface: usize) -> Result<Option<Weights<'_>>> {
                ($view)?.weights()
            }

            fn indices(&$self, $surface: usize) -> Result<Indices<'_>> {
                ($view)?.indices()
            }

            fn attribute_indices(&$self, $surface: usize) -> Result<Option<Indices<'_>>> {
                ($view)?.attribute_indices().map(Some)
            }

            fn partition(&$self, $surface: usize) -> Result<Option<Box<dyn SpatialTree + '_>>> {
                Ok(($tree)?.map(|tree| -> Box<dyn SpatialTree + '_> { Box::new(tree) }))
            }

            fn extra_array(&$self, $surface: usize, name: &str) -> Result<Option<ExtraArray<'_>>> {
                tree_array(name, || $tree)
            }

            fn inflate_alone(&$self, $surface: usize) -> Result<Option<Box<dyn Geometry + '_>>> {
                $alone
            }

            fn fault(&$self, $surface: usize, name: &'static str, into: u64, error: Error) -> Error {
                match $view {
                    Ok(view) => view.fault(name, into, error.into_cause()),
                    Err(_) => {
                        let field = Field::new(name).in_list("surface", as_u64($surface));
                        error.located($self.reader().format(), field, None)
                    }
                }
            }
        }
    };
}

geometry!(
    [D: AsRef<[u8]> + Send + Sync] Mesh<D>, |self, surface|
    level: 0,
    view: self.surface(surface),
    counts: self.reader().counts(surface),
    tree: self.tree(surface),
    alone: inflate_alone(self.reader(), surface, 0),
);

geometry!(
    [] MeshLevel<'_>, |self, surface|
    level: self.level,
    view: self.reader.surface(surface),
    counts: self.reader.counts(surface),
    tree: self.reader.tree(surface),
    alone: inflate_alone(self.reader, surface, self.level),
);

geometry!(
    [] InflatedSurface<'_>, |self, surface|
    level: self.level,
    view: if surface == self.index() { self.view() } else { self.reader().surface(surface) },
    counts: if surface == self.index() { self.view()?.counts() } else { self.reader().counts(surface) },
    tree: if surface == self.index() { self.tree() } else { self.reader().tree(surface) },
    alone: inflate_alone(self.reader(), surface, self.level),
);

/// Inflates a surface, which is in the level of detail `level` or not. Returns `None` for format
/// generations without compressed surfaces.
fn inflate_alone(reader: MeshReader<'_>, surface: usize, level: usize) -> Result<Option<Box<dyn Geometry + '_>>> {
    if !reader.generation().is_compressed() {
        return Ok(None);
    }
    Ok(Some(Box::new(reader.lend(surface)?.with_level(level))))
}

/// A level of detail of a mesh: all surfaces of the file. Only those of the level are drawn.
pub(super) struct MeshLevel<'a> {
    reader: MeshReader<'a>,
    level: usize,
}

impl<'a> MeshLevel<'a> {
    /// Makes the geometry of a level, or returns an error if the mesh does not have it.
    pub(super) fn new(reader: MeshReader<'a>, level: usize) -> Result<Self> {
        reader.expect_level(level)?;
        Ok(Self { reader, level })
    }

    const fn reader(&self) -> MeshReader<'a> {
        self.reader
    }
}

/// Implements [`FormatVersion`] for a part of a mesh.
macro_rules! version_of_mesh {
    ($($type:ty),+) => {$(
        impl FormatVersion for $type {
            fn format(&self) -> &'static str {
                "unigine"
            }

            fn version(&self) -> &'static str {
                self.reader().generation().magic()
            }
        }
    )+};
}

version_of_mesh!(MeshLevel<'_>, InflatedSurface<'_>);

//! Implements the format-independent [`Geometry`] trait for UNIGINE meshes and for single surfaces
//! of them.

use super::blocks::lent_surface::LentSurface;
use super::blocks::tree::SurfaceTree;
use super::file::Mesh;
use super::reader::mesh_reader::MeshReader;
use super::surface::SurfaceView;
use crate::array::{Bounds, Sphere};
use crate::error::{Error, Field, Result};
use crate::math::as_u64;
use crate::model::animation::Affine;
use crate::model::{
    Axis, ColorEncoding, Colors, Counts, ExtraArray, ExtraArrayInfo, FormatVersion, Geometry, Handedness, Indices,
    ItemOwner, NumberType, PositionEncoding, Positions, Space, SpatialTree, TangentFrames, UvEncoding, UvOrigin, Uvs,
    Weights, Winding,
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

/// Implements the methods of [`Geometry`] that find an array, for a type with a method `$view` that
/// returns the [`SurfaceView`] of a surface.
macro_rules! arrays_of {
    ($view:ident) => {
        fn positions(&self, surface: usize, target: usize) -> Result<Positions<'_>> {
            self.$view(surface)?.target(target)?.positions().map(|array| Positions(PositionEncoding::F32(array)))
        }

        fn tangent_frames(&self, surface: usize, target: usize) -> Result<Option<TangentFrames<'_>>> {
            self.$view(surface)?.target(target)?.tangent_frames().map(Some)
        }

        fn uvs(&self, surface: usize, set: usize) -> Result<Option<Uvs<'_>>> {
            Ok(self.$view(surface)?.uvs(set)?.map(|array| Uvs(UvEncoding::F32(array))))
        }

        fn colors(&self, surface: usize) -> Result<Option<Colors<'_>>> {
            Ok(self.$view(surface)?.colors()?.map(|array| Colors(ColorEncoding::Unorm8(array))))
        }

        /// Returns `true`: materials of the engine use the colours only if a state says so, and
        /// then mostly as masks for the movement of vegetation.
        fn colors_are_data(&self) -> bool {
            true
        }

        fn weights(&self, surface: usize) -> Result<Option<Weights<'_>>> {
            self.$view(surface)?.weights()
        }

        fn indices(&self, surface: usize) -> Result<Indices<'_>> {
            self.$view(surface)?.indices()
        }

        fn attribute_indices(&self, surface: usize) -> Result<Option<Indices<'_>>> {
            self.$view(surface)?.attribute_indices().map(Some)
        }

        fn extra_arrays(&self) -> &'static [ExtraArrayInfo] {
            EXTRA_ARRAYS
        }
    };
}

/// Implements [`Geometry`] for a type with a method `reader` that returns the reader of a mesh, and
/// a function `shown_level` that returns the index of a level of detail.
macro_rules! geometry_of_level {
    ([$($generics:tt)*] $type:ty) => {
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
            fn is_drawn(&self, surface: usize) -> Result<bool> {
                self.reader().surface_header(surface)?;
                Ok(self.reader().levels()?.shows(Self::shown_level(self), surface))
            }

            fn counts(&self, surface: usize) -> Result<Counts> {
                self.reader().counts(surface)
            }

            arrays_of!(surface);

            fn partition(&self, surface: usize) -> Result<Option<Box<dyn SpatialTree + '_>>> {
                Ok(self.reader().tree(surface)?.map(|tree| -> Box<dyn SpatialTree + '_> { Box::new(tree) }))
            }

            fn extra_array(&self, surface: usize, name: &str) -> Result<Option<ExtraArray<'_>>> {
                tree_array(name, || self.reader().tree(surface))
            }

            fn fault(&self, surface: usize, name: &'static str, into: u64, error: Error) -> Error {
                let field = Field::new(name).in_list("surface", as_u64(surface));
                match self.reader().surface(surface) {
                    Ok(view) => view.fault(name, into, error.into_cause()),
                    Err(_) => error.located(self.reader().format(), field, None),
                }
            }

            fn lend(&self, surface: usize) -> Result<Box<dyn Geometry + '_>> {
                Ok(Box::new(self.reader().lend(surface)?.with_level(Self::shown_level(self))))
            }
        }
    };
}

geometry_of_level!([D: AsRef<[u8]> + Send + Sync] Mesh<D>);
geometry_of_level!([] MeshLevel<'_>);

impl<D: AsRef<[u8]>> Mesh<D> {
    /// Returns the index of the most detailed level, which is the drawn one.
    const fn shown_level(_: &Self) -> usize {
        0
    }
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

    const fn shown_level(&self) -> usize {
        self.level
    }

    fn surface(&self, index: usize) -> Result<SurfaceView<'a>> {
        self.reader.surface(index)
    }
}

impl FormatVersion for MeshLevel<'_> {
    fn format(&self) -> &'static str {
        "unigine"
    }

    fn version(&self) -> &'static str {
        self.reader.generation().magic()
    }
}

impl LentSurface<'_> {
    /// Returns the view of surface 0, the only surface of this geometry.
    fn only(&self, surface: usize) -> Result<SurfaceView<'_>> {
        match surface {
            0 => self.view(),
            _ => Err(self.reader.file().no_such("surface", 1, surface)),
        }
    }
}

impl FormatVersion for LentSurface<'_> {
    fn format(&self) -> &'static str {
        "unigine"
    }

    fn version(&self) -> &'static str {
        self.reader.generation().magic()
    }
}

impl Geometry for LentSurface<'_> {
    fn space(&self) -> Space {
        SPACE
    }

    fn bounds(&self) -> Result<Bounds> {
        self.surface_bounds(0)
    }

    fn sphere(&self) -> Result<Option<Sphere>> {
        self.surface_sphere(0)
    }

    fn surface_count(&self) -> Result<usize> {
        Ok(1)
    }

    fn surface_name(&self, surface: usize) -> Result<Name<'_>> {
        Ok(self.only(surface)?.name())
    }

    fn surface_bounds(&self, surface: usize) -> Result<Bounds> {
        Ok(self.only(surface)?.bounds())
    }

    fn surface_sphere(&self, surface: usize) -> Result<Option<Sphere>> {
        Ok(Some(self.only(surface)?.sphere()))
    }

    fn is_drawn(&self, surface: usize) -> Result<bool> {
        self.only(surface)?;
        self.is_shown()
    }

    fn counts(&self, surface: usize) -> Result<Counts> {
        self.only(surface)?.counts()
    }

    arrays_of!(only);

    fn partition(&self, surface: usize) -> Result<Option<Box<dyn SpatialTree + '_>>> {
        self.only(surface)?;
        Ok(self.tree()?.map(|tree| -> Box<dyn SpatialTree + '_> { Box::new(tree) }))
    }

    fn extra_array(&self, surface: usize, name: &str) -> Result<Option<ExtraArray<'_>>> {
        self.only(surface)?;
        tree_array(name, || self.tree())
    }

    fn file_index(&self, surface: usize) -> usize {
        self.index.saturating_add(surface)
    }

    fn fault(&self, surface: usize, name: &'static str, into: u64, error: Error) -> Error {
        let Ok(view) = self.only(surface) else {
            let field = Field::new(name).in_list("surface", as_u64(self.file_index(surface)));
            return error.located(self.reader.format(), field, None);
        };
        view.fault(name, into, error.into_cause())
    }
}

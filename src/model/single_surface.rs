//! One surface of a geometry as a geometry of its own.

use super::attributes::{Colors, Indices, Normals, Positions, TangentFrames, Uvs};
use super::draw_style::DrawStyle;
use super::extra_array::{ExtraArray, ExtraArrayInfo};
use super::geometry::{Counts, Geometry};
use super::space::Space;
use super::spatial_tree::SpatialTree;
use super::vertex_mesh::VertexMesh;
use super::vertex_pool::VertexPool;
use super::weights::Weights;
use crate::array::{Bounds, Sphere};
use crate::error::{Error, Result, expect_only};
use crate::model::format_version::FormatVersion;
use crate::parse::Name;

/// One surface of a geometry as a geometry of its own, in which the surface has the index 0.
///
/// Errors contain the index of the surface in the file.
pub(super) struct SingleSurface<'a, G: ?Sized> {
    geometry: &'a G,
    index: usize,
}

impl<'a, G: Geometry + ?Sized> SingleSurface<'a, G> {
    /// Makes the geometry of surface `index`. `new` does not check the index.
    pub(super) const fn new(geometry: &'a G, index: usize) -> Self {
        Self { geometry, index }
    }

    /// Returns the index in the file of surface 0, the only surface of this geometry.
    fn at(&self, surface: usize) -> Result<usize> {
        expect_only(self.format(), "surface", surface).map(|()| self.index)
    }
}

impl<G: Geometry + ?Sized> FormatVersion for SingleSurface<'_, G> {
    fn format(&self) -> &'static str {
        self.geometry.format()
    }

    fn version(&self) -> &'static str {
        self.geometry.version()
    }
}

/// Implements methods of [`Geometry`] by calling those of the other geometry: methods of the mesh,
/// and methods of a surface with its index there.
macro_rules! forward {
    (
        mesh { $(fn $of_mesh:ident(&self) -> $mesh_result:ty;)+ }
        surface { $(fn $name:ident($($argument:ident: $type:ty),*) -> $result:ty;)+ }
    ) => {
        $(
            fn $of_mesh(&self) -> $mesh_result {
                self.geometry.$of_mesh()
            }
        )+
        $(
            fn $name(&self, surface: usize, $($argument: $type),*) -> Result<$result> {
                self.geometry.$name(self.at(surface)?, $($argument),*)
            }
        )+
    };
}

impl<G: Geometry + ?Sized> Geometry for SingleSurface<'_, G> {
    forward! {
        mesh {
            fn space(&self) -> Space;
            fn vertex_frame_count(&self) -> Result<usize>;
            fn colors_are_data(&self) -> bool;
            fn extra_arrays(&self) -> &'static [ExtraArrayInfo];
            fn vertex_mesh(&self) -> Option<&dyn VertexMesh>;
        }
        surface {
            fn vertex_frame(frame: usize) -> Positions<'_>;
            fn vertex_frames() -> Option<Positions<'_>>;
            fn surface_name() -> Name<'_>;
            fn surface_bounds() -> Bounds;
            fn surface_sphere() -> Option<Sphere>;
            fn surface_material() -> Option<Name<'_>>;
            fn is_drawn() -> bool;
            fn draw_style() -> DrawStyle;
            fn vertex_pool() -> VertexPool;
            fn counts() -> Counts;
            fn positions(target: usize) -> Positions<'_>;
            fn tangent_frames(target: usize) -> Option<TangentFrames<'_>>;
            fn normals(target: usize) -> Option<Normals<'_>>;
            fn uvs(set: usize) -> Option<Uvs<'_>>;
            fn colors() -> Option<Colors<'_>>;
            fn weights() -> Option<Weights<'_>>;
            fn indices() -> Indices<'_>;
            fn attribute_indices() -> Option<Indices<'_>>;
            fn partition() -> Option<Box<dyn SpatialTree + '_>>;
            fn extra_array(name: &str) -> Option<ExtraArray<'_>>;
            fn lend() -> Box<dyn Geometry + '_>;
        }
    }

    fn bounds(&self) -> Result<Bounds> {
        self.geometry.surface_bounds(self.index)
    }

    fn sphere(&self) -> Result<Option<Sphere>> {
        self.geometry.surface_sphere(self.index)
    }

    fn surface_count(&self) -> Result<usize> {
        Ok(1)
    }

    fn file_index(&self, surface: usize) -> usize {
        self.geometry.file_index(self.index.saturating_add(surface))
    }

    fn fault(&self, surface: usize, name: &'static str, into: u64, error: Error) -> Error {
        self.geometry.fault(self.index.saturating_add(surface), name, into, error)
    }
}

//! [`SurfaceView`], a view of one surface: all polygons of a mesh with the same texture index and
//! type byte.

use super::layout::{DATA, PolygonType, RawPolygon};
use super::surface_groups::{Group, label};
use crate::array::CornerArray;
use crate::decode::{PolygonIndices, PolygonUvs};
use crate::error::debug::short_debug;
use crate::model::{IndexEncoding, Indices, UvEncoding, Uvs};

/// The divisor that converts the stored bytes of texture coordinates to floats: the byte value that
/// becomes 1.0, the far edge of the texture image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UvDivisor {
    /// Divides texture coordinates by 255: the byte 255 becomes 1.0, the far edge of the texture
    /// image. Most programs that read Unreal vertex meshes divide by 255.
    #[default]
    By255,
    /// Divides texture coordinates by 256: the byte 255 becomes 255/256, just before the far edge
    /// of the texture image. The published page of the format divides by 256.
    By256,
}

/// One surface: all polygons with the same texture index and type byte, borrowed from the bytes of
/// the data file.
#[derive(Clone, Copy)]
pub struct SurfaceView<'a> {
    polygons: &'a [RawPolygon],
    order: &'a [u16],
    texture: u8,
    kind: PolygonType,
}

short_debug!(SurfaceView<'_>: |surface| {
    format: DATA, texture: surface.texture, kind: surface.kind, triangles: surface.triangle_count(),
});

impl<'a> SurfaceView<'a> {
    pub(super) const fn new(polygons: &'a [RawPolygon], group: &'a Group, order: &'a [u16]) -> Self {
        Self { polygons, order, texture: group.texture, kind: group.kind }
    }

    /// Returns the number of triangles of the surface.
    #[must_use]
    pub const fn triangle_count(&self) -> usize {
        self.order.len()
    }

    /// Returns the texture index of the surface.
    #[must_use]
    pub const fn texture(&self) -> u8 {
        self.texture
    }

    /// Returns the type byte (drawing style and flags) that all polygons of the surface have.
    #[must_use]
    pub const fn kind(&self) -> PolygonType {
        self.kind
    }

    /// Returns the default name of the surface, such as `texture 3`. The default name is used if no
    /// script sets a texture for the texture index of the surface.
    #[must_use]
    pub fn label(&self) -> &'static str {
        label(self.texture)
    }

    /// Returns whether the engine renders the surface. The engine does not render the triangles
    /// that mark weapon attachments.
    #[must_use]
    pub const fn is_drawn(&self) -> bool {
        !self.kind.has(PolygonType::WEAPON)
    }

    /// Returns the polygon indices of the surface, in ascending order. A polygon index is a
    /// position in the array of all polygons of the data file.
    #[must_use]
    pub const fn numbers(&self) -> &'a [u16] {
        self.order
    }

    /// Returns the polygons of the surface as they are stored, without conversion, in file order.
    #[must_use]
    pub fn polygons(&self) -> impl ExactSizeIterator<Item = &'a RawPolygon> + Clone + use<'a> {
        static NONE: RawPolygon = RawPolygon::EMPTY;
        let polygons = self.polygons;
        self.order.iter().map(move |number| polygons.get(usize::from(*number)).unwrap_or(&NONE))
    }

    /// Returns the polygon with an index in the surface, or `None` if the index is out of range.
    pub(super) fn polygon(&self, index: usize) -> Option<&'a RawPolygon> {
        let number = *self.order.get(index)?;
        Some(self.polygons.get(usize::from(number)).unwrap_or(&RawPolygon::EMPTY))
    }

    /// Returns the vertex index of each triangle corner of the surface, three indices per triangle.
    #[must_use]
    pub const fn indices(&self) -> Indices<'a> {
        Indices(IndexEncoding::Polygon(CornerArray::new(self.polygons, self.order, PolygonIndices)))
    }

    /// Returns the texture coordinates of each triangle corner of the surface, three pairs per
    /// triangle. The texture coordinate v increases from the top of the image to its bottom.
    #[must_use]
    pub const fn uvs(&self, divisor: UvDivisor) -> Uvs<'a> {
        match divisor {
            UvDivisor::By255 => Uvs(UvEncoding::Polygon255(CornerArray::new(self.polygons, self.order, PolygonUvs))),
            UvDivisor::By256 => Uvs(UvEncoding::Polygon256(CornerArray::new(self.polygons, self.order, PolygonUvs))),
        }
    }
}

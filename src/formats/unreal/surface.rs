//! A surface: all polygons with the same texture number and type byte.

use super::layout::{PolygonType, RawPolygon};
use super::surface_groups::{Group, label};
use crate::array::CornerArray;
use crate::decode::{PolygonIndices, PolygonUvs};
use crate::model::{Indices, Uvs};

/// The number by which the stored bytes of texture coordinates are divided: the byte value at the
/// far edge of the texture image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UvDivisor {
    /// The byte value 255 is at the far edge of the image. Most programs that read these files use
    /// this value.
    #[default]
    By255,
    /// The byte value 256 would be at the far edge of the image. The published page of the format
    /// gives this value.
    By256,
}

/// One surface: all polygons with the same texture number and type byte, borrowed from the bytes of
/// the data file.
#[derive(Clone, Copy, Debug)]
pub struct SurfaceView<'a> {
    polygons: &'a [RawPolygon],
    order: &'a [u16],
    texture: u8,
    kind: PolygonType,
}

impl<'a> SurfaceView<'a> {
    pub(super) const fn new(polygons: &'a [RawPolygon], group: &'a Group, order: &'a [u16]) -> Self {
        Self { polygons, order, texture: group.texture, kind: group.kind }
    }

    /// Returns the number of triangles of the surface.
    #[must_use]
    pub const fn triangle_count(&self) -> usize {
        self.order.len()
    }

    /// Returns the texture number of the surface.
    #[must_use]
    pub const fn texture(&self) -> u8 {
        self.texture
    }

    /// Returns the type byte that all polygons of the surface have.
    #[must_use]
    pub const fn kind(&self) -> PolygonType {
        self.kind
    }

    /// Returns the default name of the surface, such as `texture 3`. The default name is used if no
    /// script names the texture.
    #[must_use]
    pub fn label(&self) -> &'static str {
        label(self.texture)
    }

    /// Returns whether the surface is drawn. A surface that marks weapon attachments is not drawn.
    #[must_use]
    pub const fn is_drawn(&self) -> bool {
        !self.kind.has(PolygonType::WEAPON)
    }

    /// Returns the index of each polygon of the surface among all polygons of the file, in
    /// ascending order.
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

    /// Returns the vertex index of each triangle corner of the surface, three indices per triangle.
    #[must_use]
    pub const fn indices(&self) -> Indices<'a> {
        Indices::Polygon(CornerArray::new(self.polygons, self.order, PolygonIndices))
    }

    /// Returns the texture coordinates of each triangle corner of the surface, three pairs per
    /// triangle. The coordinate v increases downwards in the image.
    #[must_use]
    pub const fn uvs(&self, divisor: UvDivisor) -> Uvs<'a> {
        match divisor {
            UvDivisor::By255 => Uvs::Polygon255(CornerArray::new(self.polygons, self.order, PolygonUvs)),
            UvDivisor::By256 => Uvs::Polygon256(CornerArray::new(self.polygons, self.order, PolygonUvs)),
        }
    }
}

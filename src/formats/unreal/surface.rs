//! A surface: the polygons of one texture number and one type byte.

use super::layout::{PolygonType, RawPolygon};
use super::surface_groups::{Group, label};
use crate::array::CornerArray;
use crate::decode::{PolygonIndices, PolygonUvs};
use crate::model::{Indices, Uvs};

/// What a byte of texture coordinates is a part of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UvDivisor {
    /// 255 is the image's size: what most readers take.
    #[default]
    By255,
    /// 256 would be the image's size: what the published page says.
    By256,
}

/// The polygons of one texture number and one type byte, where they lie in the file.
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

    /// Returns the number of its triangles.
    #[must_use]
    pub const fn triangle_count(&self) -> usize {
        self.order.len()
    }

    /// Returns its texture number.
    #[must_use]
    pub const fn texture(&self) -> u8 {
        self.texture
    }

    /// Returns the type byte of all its polygons.
    #[must_use]
    pub const fn kind(&self) -> PolygonType {
        self.kind
    }

    /// Returns what to call it where no script names its texture: `texture 3`.
    #[must_use]
    pub fn label(&self) -> &'static str {
        label(self.texture)
    }

    /// Tells whether it is there to be seen; where a weapon hangs is not.
    #[must_use]
    pub const fn is_drawn(&self) -> bool {
        !self.kind.has(PolygonType::WEAPON)
    }

    /// Returns the numbers of its polygons in the file, ascending.
    #[must_use]
    pub const fn numbers(&self) -> &'a [u16] {
        self.order
    }

    /// Returns its polygons as they are stored, in file order.
    #[must_use]
    pub fn polygons(&self) -> impl ExactSizeIterator<Item = &'a RawPolygon> + Clone + use<'a> {
        static NONE: RawPolygon = RawPolygon::EMPTY;
        let polygons = self.polygons;
        self.order.iter().map(move |number| polygons.get(usize::from(*number)).unwrap_or(&NONE))
    }

    /// Returns the numbers of the vertices of its corners, three to a triangle.
    #[must_use]
    pub const fn indices(&self) -> Indices<'a> {
        Indices::Polygon(CornerArray::new(self.polygons, self.order, PolygonIndices))
    }

    /// Returns the texture coordinates of its corners, three to a triangle, v downwards.
    #[must_use]
    pub const fn uvs(&self, divisor: UvDivisor) -> Uvs<'a> {
        match divisor {
            UvDivisor::By255 => Uvs::Polygon255(CornerArray::new(self.polygons, self.order, PolygonUvs)),
            UvDivisor::By256 => Uvs::Polygon256(CornerArray::new(self.polygons, self.order, PolygonUvs)),
        }
    }
}

//! Surfaces and arrays in other coordinate conventions. Each value is converted when it is read.

use std::marker::PhantomData;
use std::ops::Range;

use bytemuck::Pod;

use super::attributes::{Colors, Normals, Positions, TangentFrames, Uvs};
use super::conversion::SpaceConversion;
use super::corners::{Corner, Corners, IndexStream};
use super::surface::Surface;
use super::weights::Weights;
use super::weld::VertexArray;
use crate::array::iter::impl_into_iter;
use crate::array::{Array, Bounds};
use crate::decode::TangentFrame;
use crate::error::Result;

/// A kind of value that a [`SpaceConversion`] converts.
pub trait Quantity: Copy {
    /// The type of one value.
    type Value: Pod;
    /// Converts one value.
    fn convert(conversion: &SpaceConversion, value: Self::Value) -> Self::Value;
}

/// Declares a kind of value and the alias of its converted array.
macro_rules! quantities {
    ($($(#[$doc:meta])* $name:ident: $value:ty = $method:expr; $(#[$alias_doc:meta])* $alias:ident($array:ident);)+) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug)]
            pub struct $name;

            impl Quantity for $name {
                type Value = $value;

                #[inline]
                fn convert(conversion: &SpaceConversion, value: $value) -> $value {
                    $method(conversion, value)
                }
            }

            $(#[$alias_doc])*
            pub type $alias<'a> = Converted<$array<'a>, $name>;
        )+
    };
}

quantities! {
    /// A position, which the whole conversion transforms.
    Position: [f32; 3] = SpaceConversion::position;
    /// The positions of a [`ConvertedSurface`].
    ConvertedPositions(Positions);
    /// A normal, which stays perpendicular to its surface.
    Normal: [f32; 3] = SpaceConversion::normal;
    /// The normals of a [`ConvertedSurface`].
    ConvertedNormals(Normals);
    /// A texture coordinate.
    Uv: [f32; 2] = SpaceConversion::uv;
    /// The texture coordinates of a [`ConvertedSurface`].
    ConvertedUvs(Uvs);
    /// A tangent frame.
    Frame: TangentFrame = |conversion: &SpaceConversion, frame| conversion.tangent_frame(&frame);
    /// The tangent frames of a [`ConvertedSurface`].
    ConvertedTangentFrames(TangentFrames);
}

/// An array whose values are converted to other coordinate conventions when they are read. The
/// bytes of the array are still those of the file.
#[derive(Clone, Copy, Debug)]
pub struct Converted<A, Q> {
    array: A,
    conversion: SpaceConversion,
    quantity: PhantomData<Q>,
}

impl<A, Q> Converted<A, Q> {
    const fn new(array: A, conversion: SpaceConversion) -> Self {
        Self { array, conversion, quantity: PhantomData }
    }

    /// Returns the array without the conversion.
    pub const fn stored(&self) -> &A {
        &self.array
    }
}

impl<Q: Quantity, A: Array<Item = Q::Value>> Array for Converted<A, Q> {
    type Item = Q::Value;

    #[inline]
    fn len(&self) -> usize {
        self.array.len()
    }

    #[inline]
    fn get(&self, index: usize) -> Option<Q::Value> {
        self.array.get(index).map(|value| Q::convert(&self.conversion, value))
    }

    fn slice(&self, range: Range<usize>) -> Option<Self> {
        self.array.slice(range).map(|array| Self { array, ..*self })
    }

    fn as_bytes<'b>(&self) -> &'b [u8]
    where
        Self: 'b,
    {
        self.array.as_bytes()
    }

    fn byte_offset(&self, index: usize) -> usize {
        self.array.byte_offset(index)
    }

    #[inline]
    fn fold<B, F: FnMut(B, Q::Value) -> B>(&self, first: B, mut fold: F) -> B {
        self.array.fold(first, |all, value| fold(all, Q::convert(&self.conversion, value)))
    }

    #[inline]
    fn rfold<B, F: FnMut(B, Q::Value) -> B>(&self, last: B, mut fold: F) -> B {
        self.array.rfold(last, |all, value| fold(all, Q::convert(&self.conversion, value)))
    }

    /// Decodes the values into `out` in bulk, and then converts them in place.
    fn fill(&self, out: &mut [Q::Value]) {
        self.array.fill(out);
        let count = self.len();
        out.iter_mut().take(count).for_each(|value| *value = Q::convert(&self.conversion, *value));
    }
}

impl_into_iter!([Q: Quantity, A: Array<Item = Q::Value>] Converted<A, Q>);

impl<Q: Quantity, A: VertexArray<Item = Q::Value>> VertexArray for Converted<A, Q> {
    const STREAM: IndexStream = A::STREAM;
}

/// A surface whose values are converted to other coordinate conventions when they are read, made by
/// [`Surface::converted`].
///
/// Names, counts, colours and weights do not depend on conventions, and are those of
/// [`surface`](Self::surface).
#[derive(Clone, Copy, Debug)]
pub struct ConvertedSurface<'a> {
    surface: Surface<'a>,
    conversion: SpaceConversion,
}

impl<'a> Surface<'a> {
    /// Returns the surface in other coordinate conventions.
    ///
    /// ```
    /// # fn main() -> meshpeek::Result<()> {
    /// use meshpeek::model::Space;
    /// use meshpeek::Array;
    /// let file = meshpeek::Model::open(meshpeek::read("data/secondlife/arm.llmesh")?)?;
    /// let geometry = file.geometry();
    /// let conversion = geometry.space().conversion_to(&Space::GLTF)?;
    /// for surface in geometry.surfaces()? {
    ///     let converted = surface.converted(conversion);
    ///     let positions = converted.positions()?;
    ///     for triangle in converted.triangles()? {
    ///         let corners = triangle.map(|corner| positions.get(corner.position as usize));
    ///         # let _ = corners;
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub const fn converted(self, conversion: SpaceConversion) -> ConvertedSurface<'a> {
        ConvertedSurface { surface: self, conversion }
    }
}

#[allow(clippy::missing_errors_doc, reason = "each returns the errors of the same method of `Surface`")]
impl<'a> ConvertedSurface<'a> {
    /// Returns the surface without the conversion.
    #[must_use]
    pub const fn surface(&self) -> &Surface<'a> {
        &self.surface
    }

    /// Returns the conversion.
    #[must_use]
    pub const fn conversion(&self) -> &SpaceConversion {
        &self.conversion
    }

    /// Returns the converted bounding box of the surface: the box of the eight converted corners.
    pub fn bounds(&self) -> Result<Bounds> {
        self.surface.bounds().map(|bounds| self.conversion.bounds(&bounds))
    }

    /// Finds the positions of the base shape.
    pub fn positions(&self) -> Result<ConvertedPositions<'a>> {
        self.convert(self.surface.positions()?)
    }

    /// Finds the positions of a morph target. Target 0 is the base shape.
    pub fn target_positions(&self, target: usize) -> Result<ConvertedPositions<'a>> {
        self.convert(self.surface.target_positions(target)?)
    }

    /// Finds the positions of vertex frame `frame`.
    pub fn vertex_frame(&self, frame: usize) -> Result<ConvertedPositions<'a>> {
        self.convert(self.surface.vertex_frame(frame)?)
    }

    /// Finds the normals of the base shape, with unit length, or returns `None` if the surface has
    /// no normals.
    pub fn normals(&self) -> Result<Option<ConvertedNormals<'a>>> {
        self.surface.normals()?.map(|array| self.convert(array)).transpose()
    }

    /// Finds the normals of a morph target, with unit length. Target 0 is the base shape.
    pub fn target_normals(&self, target: usize) -> Result<Option<ConvertedNormals<'a>>> {
        self.surface.target_normals(target)?.map(|array| self.convert(array)).transpose()
    }

    /// Finds the tangent frames of the base shape, or returns `None` if the format stores none.
    pub fn tangent_frames(&self) -> Result<Option<ConvertedTangentFrames<'a>>> {
        self.surface.tangent_frames()?.map(|array| self.convert(array)).transpose()
    }

    /// Finds the coordinates of UV set `set`, or returns `None` if the surface does not have it.
    pub fn uvs(&self, set: usize) -> Result<Option<ConvertedUvs<'a>>> {
        self.surface.uvs(set)?.map(|array| self.convert(array)).transpose()
    }

    /// Finds the vertex colours, or returns `None` if the surface has no vertex colours.
    pub fn colors(&self) -> Result<Option<Colors<'a>>> {
        self.surface.colors()
    }

    /// Finds the bone weights, or returns `None` if the surface has no bone weights.
    pub fn weights(&self) -> Result<Option<Weights<'a>>> {
        self.surface.weights()
    }

    /// Returns an iterator over the triangles in file order. The corners of each triangle are in
    /// the order of the target conventions.
    pub fn triangles(&self) -> Result<impl ExactSizeIterator<Item = [Corner; 3]> + Clone + use<'a>> {
        let (corners, conversion): (Corners<'a>, _) = (self.surface.corners()?, self.conversion);
        Ok((0..corners.triangle_count()).map(move |triangle| {
            // The number of triangles does not exceed the length of the index streams.
            conversion.triangle(corners.triangle(triangle).unwrap_or_default())
        }))
    }

    #[allow(clippy::unnecessary_wraps, reason = "every caller returns a `Result`")]
    fn convert<A: Array, Q: Quantity<Value = A::Item>>(&self, array: A) -> Result<Converted<A, Q>> {
        Ok(Converted::new(array, self.conversion))
    }
}

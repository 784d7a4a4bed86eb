//! Arrays in other coordinate conventions. Each value is converted when it is read.

use std::ops::Range;

use super::attributes::{Normals, Positions, TangentFrames, Uvs};
use super::conversion::SpaceConversion;
use super::corners::IndexStream;
use super::weld::VertexArray;
use crate::array::Array;
use crate::array::iter::impl_into_iter;

/// An array whose values a [`SpaceConversion`] converts: positions, normals, texture coordinates or
/// tangent frames.
pub trait Convertible: Array {
    /// Converts one value.
    #[doc(hidden)]
    fn convert(conversion: &SpaceConversion, value: Self::Item) -> Self::Item;
}

/// Implements [`Convertible`] for arrays, with the method of [`SpaceConversion`] for their values.
macro_rules! convertible {
    ($($array:ident: $convert:expr;)+) => {$(
        impl Convertible for $array<'_> {
            #[inline]
            fn convert(conversion: &SpaceConversion, value: Self::Item) -> Self::Item {
                $convert(conversion, value)
            }
        }
    )+};
}

convertible! {
    Positions: SpaceConversion::position;
    Normals: SpaceConversion::normal;
    Uvs: SpaceConversion::uv;
    TangentFrames: |conversion: &SpaceConversion, frame| conversion.tangent_frame(&frame);
}

/// An array whose values are converted to other coordinate conventions when they are read, made by
/// [`SpaceConversion::array`]. The bytes of the array are still those of the file.
#[derive(Clone, Copy, Debug)]
pub struct Converted<A> {
    array: A,
    conversion: SpaceConversion,
}

impl SpaceConversion {
    /// Returns an array whose values are converted when they are read.
    ///
    /// ```
    /// # fn main() -> meshpeek::Result<()> {
    /// use meshpeek::Array;
    /// use meshpeek::model::Space;
    /// let model = meshpeek::open("data/secondlife/arm.llmesh")?;
    /// let conversion = model.space().conversion_to(&Space::GLTF)?;
    /// for surface in model.surfaces()? {
    ///     let positions = conversion.array(surface.positions()?);
    ///     for triangle in surface.corners()?.triangles() {
    ///         let corners = conversion.triangle(triangle).map(|corner| positions.get(corner.position as usize));
    ///         # let _ = corners;
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub const fn array<A: Convertible>(self, array: A) -> Converted<A> {
        Converted { array, conversion: self }
    }
}

impl<A: Convertible> Array for Converted<A> {
    type Item = A::Item;

    #[inline]
    fn len(&self) -> usize {
        self.array.len()
    }

    #[inline]
    fn get(&self, index: usize) -> Option<A::Item> {
        self.array.get(index).map(|value| A::convert(&self.conversion, value))
    }

    fn slice(&self, range: Range<usize>) -> Option<Self> {
        self.array.slice(range).map(|array| Self { array, conversion: self.conversion })
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
    fn fold<B, F: FnMut(B, A::Item) -> B>(&self, first: B, mut fold: F) -> B {
        self.array.fold(first, |all, value| fold(all, A::convert(&self.conversion, value)))
    }

    #[inline]
    fn rfold<B, F: FnMut(B, A::Item) -> B>(&self, last: B, mut fold: F) -> B {
        self.array.rfold(last, |all, value| fold(all, A::convert(&self.conversion, value)))
    }

    /// Decodes the values into `out` in bulk, and then converts them in place.
    fn fill(&self, out: &mut [A::Item]) {
        self.array.fill(out);
        let count = self.len();
        out.iter_mut().take(count).for_each(|value| *value = A::convert(&self.conversion, *value));
    }
}

impl_into_iter!([A: Convertible] Converted<A>);

impl<A: Convertible + VertexArray> VertexArray for Converted<A> {
    const STREAM: IndexStream = A::STREAM;
}

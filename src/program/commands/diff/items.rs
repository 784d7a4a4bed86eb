//! Compares the items of two arrays, in chunks that are decoded in bulk.

use bytemuck::Pod;

use super::both::Both;
use super::difference::ItemDifferences;
use super::options::Tolerance;
use super::value::DiffValue;
use crate::math::{as_u64, narrow};
use crate::model::{
    ColorEncoding, Colors, IndexEncoding, Indices, NormalEncoding, Normals, PositionEncoding, Positions, TangentFrame,
    TangentFrameEncoding, TangentFrames, UvEncoding, Uvs,
};
use crate::{Array, Error, ErrorKind, Result};

/// The number of items that are decoded at a time.
const CHUNK: usize = 8192;

/// An item of an array that can be compared.
pub trait DiffItem: Pod {
    /// Whether the items are whole numbers, for which a tolerance has no meaning.
    const IS_WHOLE: bool = false;

    /// Returns the components that are compared.
    fn components(&self) -> impl Iterator<Item = f64>;

    /// Returns the item as a value to print.
    fn value(&self) -> DiffValue {
        DiffValue::Floats(self.components().map(narrow).collect())
    }
}

impl<const N: usize> DiffItem for [f32; N] {
    fn components(&self) -> impl Iterator<Item = f64> {
        self.iter().copied().map(f64::from)
    }
}

impl DiffItem for u32 {
    const IS_WHOLE: bool = true;

    fn components(&self) -> impl Iterator<Item = f64> {
        std::iter::once(f64::from(*self))
    }

    fn value(&self) -> DiffValue {
        DiffValue::Number(u64::from(*self))
    }
}

/// The tangent and the bitangent are compared. The normals of tangent frames are an array of their
/// own.
impl DiffItem for TangentFrame {
    fn components(&self) -> impl Iterator<Item = f64> {
        [self.tangent(), self.bitangent()].into_iter().flatten().map(f64::from)
    }
}

/// An array type that can tell without decoding whether two arrays are stored in the same way.
pub trait StoredArray: Array {
    /// Returns whether the same bytes have the same values in both arrays.
    fn has_same_encoding(&self, other: &Self) -> bool;
}

/// Implements [`StoredArray`] for an array type. The listed encodings have no parameters.
macro_rules! stored_arrays {
    ($($name:ident as $encoding:ident: $($variant:ident),*;)*) => {$(
        impl StoredArray for $name<'_> {
            fn has_same_encoding(&self, other: &Self) -> bool {
                match (&self.0, &other.0) {
                    $(($encoding::$variant(_), $encoding::$variant(_)) => true,)*
                    _ => false,
                }
            }
        }
    )*};
}

stored_arrays! {
    Positions as PositionEncoding: F32, Packed32, Packed64;
    Normals as NormalEncoding: Quat8, Quat7, F32;
    TangentFrames as TangentFrameEncoding: Quat8, Quat7;
    Uvs as UvEncoding: F32;
    Colors as ColorEncoding: Unorm8, Argb8;
    Indices as IndexEncoding: U8, U16, U32;
}

/// An array, or the items of an array that the corners of triangles refer to.
#[derive(Clone, Copy)]
pub struct ItemSource<'a, A> {
    pub array: A,
    pub corners: Option<Indices<'a>>,
}

impl<A: StoredArray> ItemSource<'_, A> {
    pub fn len(&self) -> usize {
        self.corners.map_or_else(|| self.array.len(), |corners| corners.len())
    }

    /// Decodes the items from the item `start` on.
    fn read(&self, start: usize, out: &mut [A::Item]) -> Result<()> {
        let range = start..start.saturating_add(out.len());
        let Some(corners) = &self.corners else {
            return self.array.slice(range).map_or(Ok(()), |part| part.decode_into(out));
        };
        let mut indices = vec![0; out.len()];
        corners.slice(range).map_or(Ok(()), |part| part.decode_into(&mut indices))?;
        let count = self.array.len();
        self.array.gather(&indices, out).map_err(|_| {
            let index = indices.iter().find(|index| usize::try_from(**index).is_ok_and(|index| index >= count));
            let text = format!("expected an index below {count}, found {}", index.copied().unwrap_or_default());
            Error::custom(ErrorKind::Value, text)
        })
    }
}

/// Returns whether two arrays have the same bytes and the same encoding. Nothing is decoded.
fn are_same_bytes<A: StoredArray>(sources: &Both<ItemSource<'_, A>>) -> bool {
    fn is_same<A: StoredArray>(a: &A, b: &A) -> bool {
        a.has_same_encoding(b) && a.len() == b.len() && a.as_bytes() == b.as_bytes()
    }
    let Both { a, b } = sources;
    let corners = match (&a.corners, &b.corners) {
        (Some(a), Some(b)) => is_same(a, b),
        (None, None) => true,
        _ => false,
    };
    corners && is_same(&a.array, &b.array)
}

/// The items of two arrays that differ: their number, and the values of the first of them.
pub struct FoundItems {
    pub items: ItemDifferences,
    pub values: Both<DiffValue>,
}

/// Counts items that differ, and keeps the first of them.
#[derive(Default)]
pub struct ItemCounter {
    found: Option<FoundItems>,
}

impl ItemCounter {
    /// Adds an item that differs.
    pub fn add(&mut self, first: u64, largest: Option<f64>, values: impl FnOnce() -> Both<DiffValue>) {
        let found = self.found.get_or_insert_with(|| FoundItems {
            items: ItemDifferences { count: 0, of: 0, first, bone: None, largest },
            values: values(),
        });
        found.items.count = found.items.count.saturating_add(1);
        found.items.largest = found.items.largest.zip(largest).map(|(one, other)| one.max(other));
    }

    /// Returns the items that differ, or `None` if all of the `of` compared items are equal.
    pub fn finish(self, of: u64) -> Option<FoundItems> {
        let mut found = self.found?;
        found.items.of = of;
        Some(found)
    }
}

/// Compares the items of two arrays, up to the length of the shorter array. `locate` completes the
/// errors about each of the two meshes.
pub fn compare<A: StoredArray<Item: DiffItem>>(
    sources: Both<ItemSource<'_, A>>,
    tolerance: &Tolerance,
    locate: Both<&dyn Fn(Error) -> Error>,
) -> Result<Option<FoundItems>> {
    if are_same_bytes(&sources) {
        return Ok(None);
    }
    let count = sources.a.len().min(sources.b.len());
    let mut buffers = Both::new((), ()).map(|()| vec![<A::Item as bytemuck::Zeroable>::zeroed(); CHUNK.min(count)]);
    let mut counter = ItemCounter::default();
    for start in (0..count).step_by(CHUNK) {
        let length = count.saturating_sub(start).min(CHUNK);
        let Both { a, b } = &mut buffers;
        let (a, b) = (a.get_mut(..length).unwrap_or_default(), b.get_mut(..length).unwrap_or_default());
        sources.a.read(start, a).map_err(locate.a)?;
        sources.b.read(start, b).map_err(locate.b)?;
        if bytemuck::cast_slice::<_, u8>(a) != bytemuck::cast_slice::<_, u8>(b) {
            compare_chunk(as_u64(start), Both::new(a, b), tolerance, &mut counter);
        }
    }
    Ok(counter.finish(as_u64(count)))
}

fn compare_chunk<I: DiffItem>(start: u64, items: Both<&[I]>, tolerance: &Tolerance, counter: &mut ItemCounter) {
    let exact = Tolerance::default();
    let tolerance = if I::IS_WHOLE { &exact } else { tolerance };
    for ((a, b), number) in items.a.iter().zip(items.b).zip(start..) {
        if bytemuck::bytes_of(a) == bytemuck::bytes_of(b) {
            continue;
        }
        let parts = a.components().zip(b.components());
        let differences = parts.filter_map(|(a, b)| tolerance.difference(a, b));
        if let Some(largest) = differences.reduce(f64::max) {
            let largest = (!I::IS_WHOLE).then_some(largest);
            counter.add(number, largest, || Both::new(a.value(), b.value()));
        }
    }
}

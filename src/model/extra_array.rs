//! Arrays that not every format has, such as the nodes of a spatial tree or the flags of polygons.

use std::io;
use std::ops::Range;

use crate::array::Array;
use crate::error::debug::short_debug;

/// The type of a number in an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberType {
    /// An unsigned integer of one byte.
    U8,
    /// An unsigned integer of two bytes.
    U16,
    /// An unsigned integer of four bytes.
    U32,
    /// A signed integer of two bytes.
    I16,
    /// A signed integer of four bytes.
    I32,
    /// A float of four bytes.
    F32,
}

/// What one item of an extra array describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemOwner {
    /// A vertex of the surface.
    Vertex,
    /// A triangle of the surface.
    Triangle,
    /// A node of the spatial tree of the surface, or a triangle in the order of its leaves.
    Tree,
    /// A point of a collision hull of the asset: see [`Asset::hull`](super::Asset::hull).
    Hull,
    /// A point of the convex hull around the whole asset.
    BoundingHull,
}

/// The description of an extra array of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExtraArrayInfo {
    /// The name of the array, such as `tree-nodes`.
    pub name: &'static str,
    /// The name of one item in a table, such as `tree_node`.
    pub item: &'static str,
    /// A sentence about the array, without a full stop, or an empty text.
    pub description: &'static str,
    /// What one item describes.
    pub owner: ItemOwner,
    /// The names of the numbers in an item. A single number needs no name.
    pub components: &'static [&'static str],
    /// The type of the decoded numbers.
    pub number: NumberType,
    /// The type of the stored numbers, if they differ from the decoded numbers.
    pub stored: Option<NumberType>,
    /// How the file stores an item, in words.
    pub encoding: &'static str,
}

impl ExtraArrayInfo {
    /// Describes an array of one unsigned byte for each triangle.
    #[must_use]
    pub const fn bytes(name: &'static str, item: &'static str, description: &'static str) -> Self {
        let (owner, number, encoding) = (ItemOwner::Triangle, NumberType::U8, "a byte");
        Self { name, item, description, owner, components: &[], number, stored: None, encoding }
    }

    /// Describes an array of floats for each vertex.
    pub(crate) const fn floats(name: &'static str, item: &'static str, description: &'static str) -> Self {
        let (owner, components) = (ItemOwner::Vertex, &["x", "y", "z", "w"]);
        let (number, encoding) = (NumberType::F32, "floats of four bytes");
        Self { owner, components, number, encoding, ..Self::bytes(name, item, description) }
    }

    /// Returns the description of the array `name` in the list of a format.
    pub(crate) fn find(list: &'static [Self], name: &str) -> Option<&'static Self> {
        list.iter().find(|info| info.name == name)
    }
}

/// The numbers of one item of an extra array.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ExtraItem<'v> {
    /// Integers, whose type is that of the array.
    Integers(&'v [i64]),
    /// Floats.
    Floats(&'v [f32]),
}

/// A callback that gets one item after another. Its error ends the visit.
pub type ItemVisitor<'v> = &'v mut dyn FnMut(ExtraItem<'_>) -> io::Result<()>;

/// A function that passes the items in a range to a callback.
type ItemReader<'a> = Box<dyn Fn(Range<usize>, ItemVisitor<'_>) -> io::Result<()> + Send + Sync + 'a>;

/// An array of a surface that not every format has. Its items are decoded when they are visited.
pub struct ExtraArray<'a> {
    info: &'static ExtraArrayInfo,
    len: usize,
    width: usize,
    decoded: ItemReader<'a>,
    stored: Option<ItemReader<'a>>,
}

short_debug!(ExtraArray<'_>: |array| { name: array.info.name, items: array.len, width: array.width });

impl<'a> ExtraArray<'a> {
    /// Makes an array of the items of `array`.
    pub(crate) fn floats<const N: usize, A>(info: &'static ExtraArrayInfo, array: A) -> Self
    where
        A: Array<Item = [f32; N]> + Send + Sync + 'a,
    {
        let len = array.len();
        let decoded = move |range, visit: ItemVisitor<'_>| {
            let Some(part) = array.slice(range) else { return Ok(()) };
            part.prefetch();
            (0..part.len()).filter_map(|index| part.get(index)).try_for_each(|item| visit(ExtraItem::Floats(&item)))
        };
        Self { info, len, width: N, decoded: Box::new(decoded), stored: None }
    }

    /// Makes an array of `len` items, which `get` returns by their index.
    #[doc(hidden)]
    pub fn integers<const N: usize>(
        info: &'static ExtraArrayInfo,
        len: usize,
        get: impl Fn(usize) -> Option<[i64; N]> + Send + Sync + 'a,
    ) -> Self {
        Self { info, len, width: N, decoded: integer_reader(get), stored: None }
    }

    /// Adds the stored numbers, which `get` returns by the index of their item.
    pub(crate) fn with_stored<const N: usize>(
        mut self,
        get: impl Fn(usize) -> Option<[i64; N]> + Send + Sync + 'a,
    ) -> Self {
        self.stored = Some(integer_reader(get));
        self
    }

    /// Returns the number of items.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.len
    }

    /// Returns the number of numbers in an item.
    #[must_use]
    pub const fn width(&self) -> usize {
        self.width
    }

    /// Returns the type of the numbers: of the decoded ones or, if `raw` is true, of the stored
    /// ones.
    #[doc(hidden)]
    #[must_use]
    pub fn number(&self, raw: bool) -> NumberType {
        self.info.stored.filter(|_| raw).unwrap_or(self.info.number)
    }

    /// Returns the decoded numbers of the items in `range`, [`width`](Self::width) for each item. An
    /// item beyond the end has none.
    #[must_use]
    pub fn values(&self, range: Range<usize>) -> Vec<f64> {
        let mut values = Vec::new();
        // The callback returns no error.
        let _ = self.visit(range, false, &mut |item| {
            match item {
                ExtraItem::Integers(integers) => values.extend(integers.iter().copied().map(lossy)),
                ExtraItem::Floats(floats) => values.extend(floats.iter().copied().map(f64::from)),
            }
            Ok(())
        });
        values
    }

    /// Passes the items in `range` to `visit`, in order. If `raw` is true, the items are the stored
    /// numbers.
    ///
    /// # Errors
    ///
    /// Returns the first error of `visit`.
    #[doc(hidden)]
    pub fn visit(&self, range: Range<usize>, raw: bool, visit: ItemVisitor<'_>) -> io::Result<()> {
        let read = self.stored.as_ref().filter(|_| raw).unwrap_or(&self.decoded);
        let end = range.end.min(self.len);
        read(range.start.min(end)..end, visit)
    }
}

#[allow(clippy::as_conversions, clippy::cast_precision_loss, reason = "all integers have at most 32 bits")]
const fn lossy(integer: i64) -> f64 {
    integer as f64
}

fn integer_reader<'a, const N: usize>(get: impl Fn(usize) -> Option<[i64; N]> + Send + Sync + 'a) -> ItemReader<'a> {
    Box::new(move |mut range, visit| {
        range.try_for_each(|index| get(index).map_or(Ok(()), |item| visit(ExtraItem::Integers(&item))))
    })
}

//! Gathering the items of an array in the order of the vertices of a welded surface.

use crate::array::{Array, bulk};
use crate::error::debug::{items, short_debug};
use crate::error::{Cause, Error, Field, Result};
use crate::math::{as_index, as_u64};
use crate::model::attributes::{Colors, Normals, Positions, TangentFrames, Uvs};
use crate::model::corners::{Corner, IndexStream};
use crate::model::interpolated::InterpolatedPositions;

/// A surface in the form that GPUs use: one index stream, and for each vertex the index of its
/// position and the index of its attributes.
///
/// Every distinct pair of a position index and an attribute index that a corner uses becomes one
/// vertex. Vertices are numbered in the order in which the corners first use them. A pair of
/// indices that no corner uses does not become a vertex. For each corner of a surface,
/// `vertices[indices[corner]]` is therefore equal to the original corner, and no attribute is lost.
/// If the file stores only two bytes of UV for each corner and no other attributes, corners with
/// equal position indices and equal UVs are also merged, and the merged vertex gets the attribute
/// index of the first of the merged corners.
/// To upload an array to a GPU, [`gather`](Self::gather) its items in the order of the vertices.
///
/// Welding copies the indices, so this crate never welds a surface implicitly. A `Welded` takes 4
/// bytes per corner and 8 bytes per vertex. The time of welding is nearly linear in the number of
/// corners, and depends on the index streams:
///
/// - If the two index streams are equal, each index is looked up in a table. The table takes 4
///   bytes per vertex of the surface during the call. [A single
///   stream](crate::Surface::is_single_stream) is equal without a comparison. Two separate streams
///   are compared up to the first chunk with a difference.
/// - Otherwise, welding includes a sort of the corners that share an attribute index. During the
///   call, 12 bytes per corner and 4 bytes per attribute vertex of additional memory are needed.
/// - If the surface has more than eight times as many vertices as corners, all corners are sorted,
///   and the time and memory do not depend on the number of vertices.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// let model = meshpeek::Model::open(meshpeek::read("data/unigine/cube_ms13.mesh")?)?;
/// let surface = model.surface(0)?;
/// let welded = surface.weld()?;
/// let positions = welded.gather(surface.positions()?)?;
/// assert_eq!((welded.indices.len(), positions.len()), (36, 24));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Welded {
    /// For each vertex of the welded surface, the index of its position and the index of its
    /// attributes.
    pub vertices: Vec<Corner>,
    /// For each triangle corner, the index of its vertex in `vertices`. Each triangle has three
    /// corners, and the triangles are in file order.
    pub indices: Vec<u32>,
}

short_debug!(Welded: |welded| { vertices: items(&welded.vertices), indices: items(&welded.indices) });

/// An array with one item for each position or for each attribute vertex of a surface.
///
/// The type of the array determines the index stream that refers to its items, so
/// [`Welded::gather`] cannot use the wrong index stream.
pub trait VertexArray: Array {
    /// The index stream that refers to the items of the array.
    #[doc(hidden)]
    const STREAM: IndexStream;
}

macro_rules! impl_vertex_array {
    ($($array:ident: $stream:ident,)+) => {
        $(impl VertexArray for $array<'_> {
            const STREAM: IndexStream = IndexStream::$stream;
        })+
    };
}

impl_vertex_array! {
    Positions: Positions,
    InterpolatedPositions: Positions,
    TangentFrames: Attributes,
    Normals: Attributes,
    Uvs: Attributes,
    Colors: Attributes,
}

impl Welded {
    /// Decodes the item of `array` for each vertex, in the order of the vertices.
    ///
    /// The array must belong to the surface that was welded, but it can be of any shape: a morph
    /// target, a vertex frame, or [interpolated](InterpolatedPositions) positions.
    ///
    /// ```
    /// # fn main() -> meshpeek::Result<()> {
    /// let model = meshpeek::Model::open(meshpeek::read("data/unigine/cube_ms13.mesh")?)?;
    /// let surface = model.surface(0)?;
    /// let welded = surface.weld()?;
    /// let positions = welded.gather(surface.positions()?)?; // by the position index
    /// let uvs = surface.uvs(0)?.map(|uvs| welded.gather(uvs)).transpose()?; // by the attribute index
    /// assert_eq!((positions.len(), uvs.map(|uvs| uvs.len())), (24, Some(24)));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::NoSuch`] if an index of a vertex is out of range in `array`, and
    /// [`ErrorKind::OutOfMemory`] if the allocation fails.
    ///
    /// [`ErrorKind::NoSuch`]: crate::ErrorKind::NoSuch
    /// [`ErrorKind::OutOfMemory`]: crate::ErrorKind::OutOfMemory
    pub fn gather<A: VertexArray>(&self, array: A) -> Result<Vec<A::Item>> {
        collect(self.vertices.len(), self.items_of(array))
    }

    /// Decodes the item of `array` for each vertex into `out`, in the order of the vertices. The
    /// method allocates no memory.
    ///
    /// If the method returns an error, it may have overwritten a part of `out`.
    ///
    /// ```
    /// # fn main() -> meshpeek::Result<()> {
    /// # let model = meshpeek::Model::open(meshpeek::read("data/unigine/cube_ms13.mesh")?)?;
    /// # let surface = model.surface(0)?;
    /// let welded = surface.weld()?;
    /// let mut buffer = [[0.0; 3]; 24];
    /// welded.gather_into(surface.positions()?, &mut buffer)?;
    /// assert_eq!(buffer.as_slice(), welded.gather(surface.positions()?)?);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Buffer`] if the length of `out` is not exactly the number of vertices,
    /// and [`ErrorKind::NoSuch`] if an index of a vertex is out of range in `array`.
    ///
    /// [`ErrorKind::Buffer`]: crate::ErrorKind::Buffer
    /// [`ErrorKind::NoSuch`]: crate::ErrorKind::NoSuch
    pub fn gather_into<A: VertexArray>(&self, array: A, out: &mut [A::Item]) -> Result<()> {
        bulk::check_length(out, self.vertices.len())?;
        for (place, item) in out.iter_mut().zip(self.items_of(array)) {
            *place = item?;
        }
        Ok(())
    }

    /// Calls `get` with each vertex, and returns the results in the order of the vertices.
    ///
    /// This gathers data that is not a [`VertexArray`], such as bone weights, or skinned positions
    /// in memory.
    ///
    /// ```
    /// # fn main() -> meshpeek::Result<()> {
    /// use meshpeek::Array;
    ///
    /// # let model = meshpeek::Model::open(meshpeek::read("data/unigine/cube_ms13.mesh")?)?;
    /// # let surface = model.surface(0)?;
    /// let welded = surface.weld()?;
    /// let raised: Vec<[f32; 3]> = surface.positions()?.iter().map(|[x, y, z]| [x, y, z + 1.0]).collect();
    /// let vertices = welded.gather_with(|vertex| raised.get(vertex.position as usize).copied())?;
    /// assert_eq!(vertices.len(), 24);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Missing`] if `get` returns `None`, and [`ErrorKind::OutOfMemory`] if
    /// the allocation fails.
    ///
    /// [`ErrorKind::Missing`]: crate::ErrorKind::Missing
    /// [`ErrorKind::OutOfMemory`]: crate::ErrorKind::OutOfMemory
    pub fn gather_with<T>(&self, mut get: impl FnMut(Corner) -> Option<T>) -> Result<Vec<T>> {
        let items = self.vertices.iter().enumerate().map(|(vertex, corner)| {
            let Corner { position, attribute } = *corner;
            let expected = || format!("an item for position {position} and attribute {attribute}").into();
            get(*corner).ok_or_else(|| fault(vertex, "", Cause::Missing { expected: expected() }))
        });
        collect(self.vertices.len(), items)
    }

    fn items_of<A: VertexArray>(&self, array: A) -> impl Iterator<Item = Result<A::Item>> {
        let name = match A::STREAM {
            IndexStream::Positions => "position",
            IndexStream::Attributes => "attribute",
        };
        self.vertices.iter().enumerate().map(move |(vertex, corner)| {
            let index = corner.index(A::STREAM);
            let missing = || Cause::NoSuch { count: as_u64(array.len()), index: index.into() };
            array.get(as_index(index)).ok_or_else(|| fault(vertex, name, missing()))
        })
    }
}

/// Collects exactly `count` items, or returns the first error.
fn collect<T>(count: usize, items: impl Iterator<Item = Result<T>>) -> Result<Vec<T>> {
    let mut list = Vec::new();
    list.try_reserve_exact(count).map_err(|_| {
        let asked = as_u64(count.saturating_mul(size_of::<T>()));
        Error::without_offset("weld", Field::new("vertices"), Cause::OutOfMemory { asked })
    })?;
    for item in items {
        list.push(item?);
    }
    Ok(list)
}

fn fault(vertex: usize, name: &'static str, kind: Cause) -> Error {
    Error::without_offset("weld", Field::new(name).in_list("vertices", as_u64(vertex)), kind)
}

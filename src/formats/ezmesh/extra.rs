//! What few files have: meshes of tetrahedra, instances, collision shapes, textures and what a user kept.

use std::ops::Range;

use super::FORMAT;
use super::buffer::VertexBuffer;
use super::item::Item;
use super::layout::Layout;
use super::outline::Kind;
use super::semantic::Scalar;
use super::skeleton::widen;
use super::triangles::IndexBuffer;
use super::view::View;
use crate::array::Packed;
use crate::decode::endian::RawWord;
use crate::decode::{ByteOrder, EndianFloats};
use crate::error::{Error, ErrorKind, Field, Result};
use crate::math::{as_index, as_u64};
use crate::model::Transform;
use crate::parse::Name;
use zerocopy::FromBytes;

/// Floats of a tetrahedron: four corners.
const TETRA: usize = 12;

/// A mesh of tetrahedra, as physics engines deform it.
#[derive(Clone, Copy, Debug)]
pub struct TetraMesh<'a> {
    item: Item<'a>,
}

impl<'a> TetraMesh<'a> {
    pub(super) const fn new(view: View<'a>, index: usize) -> Self {
        let place = Field::new("").of("tetra_mesh", widen(index));
        Self { item: Item { view, kind: Kind::Tetra, index, place } }
    }

    /// Returns how many tetrahedra there are.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where the file does not say so.
    pub fn count(&self) -> Result<u32> {
        let missing = || View::missing(self.item.start().unwrap_or_default(), self.item.place, "count");
        self.item.counted("count")?.ok_or_else(missing)
    }

    /// Returns its `ctype` and its `semantic`, as they stand in the file.
    ///
    /// # Errors
    ///
    /// Where the owner's bytes are no longer those that were opened.
    pub fn types(&self) -> Result<[Name<'a>; 2]> {
        Ok([self.item.name("ctype")?, self.item.name("semantic")?])
    }

    /// Returns the coordinates of the corners, twelve to a tetrahedron; unfolded the first time.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where they are not four times three floats, or there are fewer than are counted.
    pub fn corners(&self) -> Result<Packed<'a, EndianFloats<TETRA>>> {
        let tag = self.item.tag()?;
        let [ctype, semantic] = tag.values(["ctype", "semantic"]);
        // One that is missing is to blame on the element.
        let at = ctype.map_or(tag.start, |ctype| ctype.at);
        let [ctype, semantic] = [ctype, semantic].map(Option::unwrap_or_default);
        let layout = Layout::parse(ctype.bytes, semantic.bytes);
        let fits = layout.is_ok_and(|layout| {
            let scalars = layout.all_scalars();
            scalars.len() == TETRA && scalars.iter().all(|scalar| *scalar == Scalar::Float)
        });
        if !fits {
            let found = ctype.name().to_string().into();
            let kind = ErrorKind::Value { expected: "fff fff fff fff, four corners".into(), found };
            return Err(Error::new(FORMAT, self.item.place.named("ctype"), as_u64(at), kind));
        }
        let rows = as_index(self.count()?);
        let unfolded = self.item.view.unfolded(self.item.kind, self.item.index, || {
            self.item.text("corners", "tetrahedra")?.unfold_floats(rows, TETRA)
        })?;
        let raw = <[[RawWord; TETRA]]>::ref_from_bytes(&unfolded.data).unwrap_or_default();
        Ok(Packed::new(raw, EndianFloats(ByteOrder::Little)))
    }

    /// Tells whether the text holds more numbers than are counted, once they were read.
    pub(super) fn has_more(&self) -> bool {
        self.item.view.seen(self.item.kind, self.item.index).is_some_and(|unfolded| unfolded.has_more)
    }

    pub(super) const fn place(&self) -> Field {
        self.item.place
    }

    /// Returns the offset of the text that the corners stand in.
    pub(super) fn offset(&self) -> Result<u64> {
        Ok(as_u64(self.item.text("corners", "tetrahedra")?.content.start))
    }
}

/// A mesh, put somewhere.
#[derive(Clone, Copy, Debug)]
pub struct Instance<'a> {
    item: Item<'a>,
}

impl<'a> Instance<'a> {
    pub(super) const fn new(view: View<'a>, index: usize) -> Self {
        let place = Field::new("").of("instance", widen(index));
        Self { item: Item { view, kind: Kind::Instance, index, place } }
    }

    pub(super) fn place(&self) -> (Field, u64) {
        (self.item.place, self.item.start().unwrap_or_default())
    }

    /// Returns the name of the mesh.
    ///
    /// # Errors
    ///
    /// Where the owner's bytes are no longer those that were opened.
    pub fn mesh_name(&self) -> Result<Name<'a>> {
        match self.item.reader()? {
            Some(mut reader) => reader.text("mesh"),
            None => self.item.name("mesh"),
        }
    }

    /// Returns where it is. What a text file leaves out is the identity.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where an attribute is not made of as many numbers as it must.
    pub fn transform(&self) -> Result<Transform> {
        if let Some(mut reader) = self.item.reader()? {
            reader.skip_text("mesh")?;
            return reader.transform();
        }
        let rest = Transform::default();
        Ok(Transform {
            position: self.item.floats("position")?.unwrap_or(rest.position),
            rotation: self.item.floats("rotation")?.unwrap_or(rest.rotation),
            scale: self.item.floats("scale")?.unwrap_or(rest.scale),
        })
    }
}

/// A group of shapes to collide with. Only texts have them.
#[derive(Clone, Copy, Debug)]
pub struct Representation<'a> {
    item: Item<'a>,
}

impl<'a> Representation<'a> {
    pub(super) const fn new(view: View<'a>, index: usize) -> Self {
        let place = Field::new("").of("collision_representation", widen(index));
        Self { item: Item { view, kind: Kind::Representation, index, place } }
    }

    /// Returns its name.
    ///
    /// # Errors
    ///
    /// Where the owner's bytes are no longer those that were opened.
    pub fn name(&self) -> Result<Name<'a>> {
        self.item.name("name")
    }

    /// Returns what is written beside it.
    ///
    /// # Errors
    ///
    /// As [`name`](Self::name).
    pub fn info(&self) -> Result<Name<'a>> {
        self.item.name("info")
    }

    /// Returns how many shapes the file says that it has.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where it is no count.
    pub fn declared_count(&self) -> Result<Option<u32>> {
        self.item.counted("count")
    }

    /// Returns its shapes.
    #[must_use]
    pub fn collisions(&self) -> impl ExactSizeIterator<Item = Collision<'a>> + use<'a> {
        let view = self.item.view;
        let range = view.within(Kind::Collision, Kind::Representation, self.item.index);
        range.map(move |index| Collision::new(view, index))
    }
}

/// A shape to collide with. Of boxes, spheres and capsules the format has no sizes.
#[derive(Clone, Copy, Debug)]
pub struct Collision<'a> {
    item: Item<'a>,
}

impl<'a> Collision<'a> {
    pub(super) const fn new(view: View<'a>, index: usize) -> Self {
        let place = Field::new("").of("collision", widen(index));
        Self { item: Item { view, kind: Kind::Collision, index, place } }
    }

    pub(super) fn place(&self) -> (Field, u64) {
        (self.item.place, self.item.start().unwrap_or_default())
    }

    /// Returns its name.
    ///
    /// # Errors
    ///
    /// Where the owner's bytes are no longer those that were opened.
    pub fn name(&self) -> Result<Name<'a>> {
        self.item.name("name")
    }

    /// Returns what it is: `BOX`, `SPHERE`, `CAPSULE` or `CONVEX`.
    ///
    /// # Errors
    ///
    /// As [`name`](Self::name).
    pub fn kind(&self) -> Result<Name<'a>> {
        self.item.name("type")
    }

    /// Returns where it is: sixteen numbers of a matrix, in the order of the file.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where there are not sixteen.
    pub fn transform(&self) -> Result<Option<[f32; 16]>> {
        self.item.floats("transform")
    }

    fn inner(&self, kind: Kind) -> Option<Item<'a>> {
        let index = self.range(kind).next()?;
        Some(Item { kind, index, ..self.item })
    }

    fn range(&self, kind: Kind) -> Range<usize> {
        self.item.view.within(kind, Kind::Collision, self.item.index)
    }

    /// Returns the points of a convex hull.
    ///
    /// # Errors
    ///
    /// As [`VertexBuffer`] says.
    pub fn hull_points(&self) -> Result<Option<VertexBuffer<'a>>> {
        self.inner(Kind::HullVertices).map(VertexBuffer::locate).transpose()
    }

    /// Returns the triangles of a convex hull.
    ///
    /// # Errors
    ///
    /// As [`IndexBuffer`] says.
    pub fn hull_triangles(&self) -> Result<Option<IndexBuffer<'a>>> {
        self.inner(Kind::HullTriangles).map(IndexBuffer::locate).transpose()
    }
}

/// A picture in a binary file.
#[derive(Clone, Copy, Debug)]
pub struct Texture<'a> {
    item: Item<'a>,
}

/// What a binary file holds of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Picture<'a> {
    /// Its name.
    pub name: Name<'a>,
    /// Pixels to the right.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// Bytes of a pixel.
    pub pixel_size: u32,
    /// The pixels.
    pub pixels: &'a [u8],
}

impl<'a> Texture<'a> {
    pub(super) const fn new(view: View<'a>, index: usize) -> Self {
        let place = Field::new("").of("texture", widen(index));
        Self { item: Item { view, kind: Kind::Texture, index, place } }
    }

    /// Returns what the file holds of it; `None` in text, which has none.
    ///
    /// # Errors
    ///
    /// Where the owner's bytes are no longer those that were opened.
    pub fn picture(&self) -> Result<Option<Picture<'a>>> {
        let Some(mut reader) = self.item.reader()? else { return Ok(None) };
        let name = reader.text("name")?;
        let [width, height, pixel_size] = [reader.u32("width")?, reader.u32("height")?, reader.u32("pixel_size")?];
        let length = reader.u32("pixels")?;
        let pixels = reader.lend(length.into(), 1, "pixels")?;
        Ok(Some(Picture { name, width, height, pixel_size, pixels }))
    }
}

/// A pair of texts that a binary file keeps for its user.
#[derive(Clone, Copy, Debug)]
pub struct UserData<'a> {
    item: Item<'a>,
}

impl<'a> UserData<'a> {
    pub(super) const fn new(view: View<'a>, index: usize) -> Self {
        let place = Field::new("").of("user_data", widen(index));
        Self { item: Item { view, kind: Kind::UserData, index, place } }
    }

    /// Returns the key and the value.
    ///
    /// # Errors
    ///
    /// Where the owner's bytes are no longer those that were opened.
    pub fn pair(&self) -> Result<[Name<'a>; 2]> {
        let Some(mut reader) = self.item.reader()? else { return Ok([Name::default(); 2]) };
        Ok([reader.text("key")?, reader.text("value")?])
    }
}

/// Bytes that a binary file keeps for its user.
#[derive(Clone, Copy, Debug)]
pub struct UserBinary<'a> {
    item: Item<'a>,
}

impl<'a> UserBinary<'a> {
    pub(super) const fn new(view: View<'a>, index: usize) -> Self {
        let place = Field::new("").of("user_binary_data", widen(index));
        Self { item: Item { view, kind: Kind::UserBinary, index, place } }
    }

    /// Returns the name and the bytes.
    ///
    /// # Errors
    ///
    /// Where the owner's bytes are no longer those that were opened.
    pub fn content(&self) -> Result<(Name<'a>, &'a [u8])> {
        let Some(mut reader) = self.item.reader()? else { return Ok((Name::default(), &[])) };
        let name = reader.text("name")?;
        let length = reader.u32("bytes")?;
        Ok((name, reader.lend(length.into(), 1, "bytes")?))
    }
}

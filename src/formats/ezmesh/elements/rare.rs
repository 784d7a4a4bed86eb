//! Elements of few files: instances, collision shapes and tetrahedral meshes, and the data that
//! only a binary file can contain.

use zerocopy::FromBytes;

use super::buffers::{IndexBuffer, VertexBuffer};
use super::{Collision, Instance, Representation, TetraMesh, Texture, UserBinary, UserData};
use crate::array::Packed;
use crate::decode::endian::RawWord;
use crate::decode::{ByteOrder, EndianFloats};
use crate::error::{Cause, Error, Result};
use crate::formats::ezmesh::element_index::ElementKind;
use crate::formats::ezmesh::layout::{FORMAT, Scalar};
use crate::formats::ezmesh::validate::rules::VERTEX_DECLARATION;
use crate::formats::ezmesh::vertex_format::VertexFormat;
use crate::formats::ezmesh::view::View;
use crate::math::{as_index, as_u64};
use crate::model::Transform;
use crate::parse::Name;

impl Instance<'_> {
    /// Returns the transform of the instance. If a text file omits the position, rotation or scale
    /// of the instance, the identity value (0, no rotation, or 1) is returned.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Value`](crate::error::ErrorKind::Value) if an attribute of a text file
    /// does not contain exactly three numbers for a position or scale, or four numbers for a
    /// rotation.
    pub fn transform(&self) -> Result<Transform> {
        if let Some(mut reader) = self.element.fields_from("transform")? {
            return reader.transform();
        }
        let names = ["position", "rotation", "scale"];
        self.element.transform(self.element.tag()?.values(names), names)
    }
}

impl<'a> Representation<'a> {
    /// Returns the number of collision shapes that the file declares for the group, or `None` if
    /// the attribute `count` is missing.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Value`](crate::error::ErrorKind::Value) if the attribute `count` is not
    /// an integer from 0 to 4294967295.
    pub fn declared_count(&self) -> Result<Option<u32>> {
        self.element.counted("count")
    }

    /// Returns the collision shapes of the group, in file order.
    #[must_use]
    pub fn collisions(&self) -> impl ExactSizeIterator<Item = Collision<'a>> + use<'a> {
        let view = self.element.view;
        let range = self.element.inside(ElementKind::Collision);
        range.map(move |index| Collision::new(view, index))
    }
}

impl<'a> Collision<'a> {
    /// Returns the transform of the collision shape as the sixteen numbers of a matrix, in file
    /// order. Returns `None` if the file stores no transform.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Value`](crate::error::ErrorKind::Value) if the attribute `transform`
    /// does not contain exactly sixteen numbers.
    pub fn transform(&self) -> Result<Option<[f32; 16]>> {
        self.element.floats("transform")
    }

    /// Returns the points of the convex hull, or `None` if the collision shape has no points.
    ///
    /// # Errors
    ///
    /// Returns the errors that the documentation of [`VertexBuffer`] lists.
    pub fn hull_points(&self) -> Result<Option<VertexBuffer<'a>>> {
        self.element.first(ElementKind::HullVertices).map(VertexBuffer::locate).transpose()
    }

    /// Returns the triangles of the convex hull, or `None` if the collision shape has no triangles.
    ///
    /// # Errors
    ///
    /// Returns the errors that the documentation of [`IndexBuffer`] lists.
    pub fn hull_triangles(&self) -> Result<Option<IndexBuffer<'a>>> {
        self.element.first(ElementKind::HullTriangles).map(IndexBuffer::locate).transpose()
    }
}

/// Number of floats of a tetrahedron: four corners of three coordinates.
const TETRA: usize = 12;

impl<'a> TetraMesh<'a> {
    /// Returns the number of tetrahedra that the file declares.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Value`] if the file does not declare the number of tetrahedra.
    ///
    /// [`ErrorKind::Value`]: crate::ErrorKind::Value
    pub fn count(&self) -> Result<u32> {
        let missing = || View::missing(self.element.start().unwrap_or_default(), self.element.place, "count");
        self.element.counted("count")?.ok_or_else(missing)
    }

    /// Returns the coordinates of the corners, twelve floats per tetrahedron. The first call parses
    /// the text of the tetrahedral mesh; later calls return the cached array.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Value`] if the attribute `ctype` does not declare four groups of three
    /// floats, or if the text has fewer than twelve numbers per declared tetrahedron.
    ///
    /// [`ErrorKind::Value`]: crate::ErrorKind::Value
    pub fn corners(&self) -> Result<Packed<'a, EndianFloats<TETRA>>> {
        let tag = self.element.tag()?;
        let [ctype, semantic] = tag.values(["ctype", "semantic"]);
        // If the attribute `ctype` is missing, the error about `ctype` contains the offset of the
        // element.
        let at = ctype.map_or(tag.start, |ctype| ctype.at);
        let [ctype, semantic] = [ctype, semantic].map(Option::unwrap_or_default);
        let format = VertexFormat::parse(ctype.bytes, semantic.bytes);
        let fits = format.is_ok_and(|format| {
            let scalars = format.all_scalars();
            scalars.len() == TETRA && scalars.iter().all(|scalar| *scalar == Scalar::Float)
        });
        if !fits {
            let kind = Cause::value("fff fff fff fff, four corners", ctype.name().to_string());
            let error = Error::new(FORMAT, self.element.place.named("ctype"), as_u64(at), kind);
            return Err(error.breaking(&VERTEX_DECLARATION));
        }
        let rows = as_index(self.count()?);
        let parsed =
            self.element.parsed_block(|| self.element.block("corners", "tetrahedra")?.parse_floats(rows, TETRA))?;
        let raw = <[[RawWord; TETRA]]>::ref_from_bytes(&parsed.data).unwrap_or_default();
        Ok(Packed::new(raw, EndianFloats(ByteOrder::Little)))
    }

    /// Returns the byte offset in the file of the text that contains the corners.
    pub(crate) fn offset(&self) -> Result<u64> {
        Ok(as_u64(self.element.block("corners", "tetrahedra")?.content.start))
    }
}

/// The name, the size and the pixels of a texture. The size is the width and the height in pixels,
/// and the number of bytes per pixel.
pub type TexturePixels<'a> = (Name<'a>, [u32; 3], &'a [u8]);

impl<'a> Texture<'a> {
    /// Returns the name, the size and the pixels of the texture, or `None` for a text file.
    ///
    /// # Errors
    ///
    /// Returns an error if the bytes of the file have changed since the file was opened.
    pub fn picture(&self) -> Result<Option<TexturePixels<'a>>> {
        let Some(mut reader) = self.element.fields()? else { return Ok(None) };
        let name = reader.text("name")?;
        let size = [reader.u32("width")?, reader.u32("height")?, reader.u32("pixel_size")?];
        let length = reader.u32("pixels")?;
        Ok(Some((name, size, reader.cursor.lend(length.into(), 1, "pixels")?)))
    }
}

impl<'a> UserData<'a> {
    /// Returns the key and the value of the pair, as stored in the file.
    ///
    /// # Errors
    ///
    /// Returns an error if the bytes of the file have changed since the file was opened.
    pub fn pair(&self) -> Result<[Name<'a>; 2]> {
        let Some(mut reader) = self.element.fields()? else { return Ok([Name::default(); 2]) };
        Ok([reader.text("key")?, reader.text("value")?])
    }
}

impl<'a> UserBinary<'a> {
    /// Returns the name and the bytes of the binary user data.
    ///
    /// # Errors
    ///
    /// Returns an error if the bytes of the file have changed since the file was opened.
    pub fn content(&self) -> Result<(Name<'a>, &'a [u8])> {
        let Some(mut reader) = self.element.fields()? else { return Ok((Name::default(), &[])) };
        let name = reader.text("name")?;
        let length = reader.u32("bytes")?;
        Ok((name, reader.cursor.lend(length.into(), 1, "bytes")?))
    }
}

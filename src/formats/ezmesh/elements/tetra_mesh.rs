//! Tetrahedral meshes for deformation in physics engines.

use zerocopy::FromBytes;

use super::TetraMesh;
use crate::array::Packed;
use crate::decode::endian::RawWord;
use crate::decode::{ByteOrder, EndianFloats};
use crate::error::{Cause, Error, Field, Result};
use crate::formats::ezmesh::layout::FORMAT;
use crate::formats::ezmesh::semantic::Scalar;
use crate::formats::ezmesh::validate::rules::VERTEX_DECLARATION;
use crate::formats::ezmesh::vertex_format::VertexFormat;
use crate::formats::ezmesh::view::View;
use crate::math::{as_index, as_u64};

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
            let found = ctype.name().to_string().into();
            let kind = Cause::Value { expected: "fff fff fff fff, four corners".into(), found };
            let error = Error::new(FORMAT, self.element.place.named("ctype"), as_u64(at), kind);
            return Err(error.breaking(&VERTEX_DECLARATION));
        }
        let rows = as_index(self.count()?);
        let parsed =
            self.element.parsed_block(|| self.element.block("corners", "tetrahedra")?.parse_floats(rows, TETRA))?;
        let raw = <[[RawWord; TETRA]]>::ref_from_bytes(&parsed.data).unwrap_or_default();
        Ok(Packed::new(raw, EndianFloats(ByteOrder::Little)))
    }

    /// Returns whether the text of the tetrahedral mesh contains more than twelve numbers per
    /// declared tetrahedron. Returns `false` if the text of the mesh has not been parsed yet.
    pub(crate) fn has_more(&self) -> bool {
        self.element.has_more()
    }

    pub(crate) const fn place(&self) -> Field {
        self.element.place
    }

    /// Returns the byte offset in the file of the text that contains the corners.
    pub(crate) fn offset(&self) -> Result<u64> {
        Ok(as_u64(self.element.block("corners", "tetrahedra")?.content.start))
    }
}

//! Meshes of tetrahedra, as physics engines deform them.

use zerocopy::FromBytes;

use super::reader::ElementReader;
use crate::array::Packed;
use crate::decode::endian::RawWord;
use crate::decode::{ByteOrder, EndianFloats};
use crate::error::{Error, ErrorKind, Field, Result};
use crate::formats::ezmesh::element_index::ElementKind;
use crate::formats::ezmesh::layout::FORMAT;
use crate::formats::ezmesh::semantic::Scalar;
use crate::formats::ezmesh::vertex_format::VertexFormat;
use crate::formats::ezmesh::view::View;
use crate::math::{as_index, as_u64};
use crate::parse::Name;

/// Floats of a tetrahedron: four corners.
const TETRA: usize = 12;

/// A mesh of tetrahedra, as physics engines deform it.
#[derive(Clone, Copy, Debug)]
pub struct TetraMesh<'a> {
    element: ElementReader<'a>,
}

impl<'a> TetraMesh<'a> {
    pub(crate) fn new(view: View<'a>, index: usize) -> Self {
        let place = Field::new("").in_list("tetra_mesh", as_u64(index));
        Self { element: ElementReader { view, kind: ElementKind::Tetra, index, place } }
    }

    /// Returns how many tetrahedra there are.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where the file does not say so.
    pub fn count(&self) -> Result<u32> {
        let missing = || View::missing(self.element.start().unwrap_or_default(), self.element.place, "count");
        self.element.counted("count")?.ok_or_else(missing)
    }

    /// Returns its `ctype` and its `semantic`, as they stand in the file.
    ///
    /// # Errors
    ///
    /// Where the owner's bytes are no longer those that were opened.
    pub fn types(&self) -> Result<[Name<'a>; 2]> {
        Ok([self.element.name("ctype")?, self.element.name("semantic")?])
    }

    /// Returns the coordinates of the corners, twelve to a tetrahedron; parsed the first time.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where they are not four times three floats, or there are fewer than are counted.
    pub fn corners(&self) -> Result<Packed<'a, EndianFloats<TETRA>>> {
        let tag = self.element.tag()?;
        let [ctype, semantic] = tag.values(["ctype", "semantic"]);
        // One that is missing is to blame on the element.
        let at = ctype.map_or(tag.start, |ctype| ctype.at);
        let [ctype, semantic] = [ctype, semantic].map(Option::unwrap_or_default);
        let format = VertexFormat::parse(ctype.bytes, semantic.bytes);
        let fits = format.is_ok_and(|format| {
            let scalars = format.all_scalars();
            scalars.len() == TETRA && scalars.iter().all(|scalar| *scalar == Scalar::Float)
        });
        if !fits {
            let found = ctype.name().to_string().into();
            let kind = ErrorKind::Value { expected: "fff fff fff fff, four corners".into(), found };
            return Err(Error::new(FORMAT, self.element.place.named("ctype"), as_u64(at), kind));
        }
        let rows = as_index(self.count()?);
        let parsed =
            self.element.parsed_block(|| self.element.block("corners", "tetrahedra")?.parse_floats(rows, TETRA))?;
        let raw = <[[RawWord; TETRA]]>::ref_from_bytes(&parsed.data).unwrap_or_default();
        Ok(Packed::new(raw, EndianFloats(ByteOrder::Little)))
    }

    /// Tells whether the text holds more numbers than are counted, once they were read.
    pub(crate) fn has_more(&self) -> bool {
        self.element.has_more()
    }

    pub(crate) const fn place(&self) -> Field {
        self.element.place
    }

    /// Returns the offset of the text that the corners stand in.
    pub(crate) fn offset(&self) -> Result<u64> {
        Ok(as_u64(self.element.block("corners", "tetrahedra")?.content.start))
    }
}

//! Writes the contents of an EZ-Mesh file (a mesh system) as a text file or as a binary file.
//!
//! The output is any `Write` value, or a new `Vec<u8>`.

use std::io::Write;

use super::mesh::Mesh;
use super::stream::MeshStream;
use super::{binary, text};
use crate::decode::ByteOrder;
use crate::error::Result;

/// The version number of a little-endian file.
const LITTLE: u32 = 100;

impl Mesh {
    /// Writes the mesh system as XML text that every known reader of the format accepts.
    ///
    /// The root element is `MeshSystem`, and lines end with CR LF. A line of numbers has at most
    /// 160 bytes, and the text of one number has at most 30 bytes.
    ///
    /// A float is written with the fewest digits that parse to the same bits. Infinities and NaN
    /// are written as `0$` and their bits in eight hexadecimal digits, such as `0$7f800000`. In
    /// names, `&` is written unchanged, because readers do not decode entities. Bones are written
    /// in the order of the field `bones`, although some readers find a parent bone only if it comes
    /// before its child bones. The size of the writer's buffers does not depend on how many numbers
    /// are written.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Refused`](crate::error::ErrorKind::Refused) with the name of the field,
    /// before the first byte is written, if a text file cannot store the data. A text file cannot
    /// store the characters `"` and `<` in a name. Returns the I/O error if writing to `out` fails.
    #[cfg(any(feature = "cli", feature = "internals"))]
    pub fn write_ezm(&self, out: &mut dyn Write) -> Result<()> {
        self.check_names()?;
        self.write_text(out)
    }

    /// Writes the mesh system as XML text. In names, `"` is written as `&quot;`, and `<` is written
    /// as `&lt;`.
    pub(crate) fn write_text(&self, out: &mut dyn Write) -> Result<()> {
        self.check()?;
        self.check_text()?;
        text::write(self, None, out)
    }

    /// Writes a text file like [`write_ezm`](Self::write_ezm), with `meshes` in the place of the
    /// meshes of `self`, which has none.
    pub(in crate::formats::ezmesh) fn write_ezm_with(
        &self,
        meshes: &dyn MeshStream,
        out: &mut dyn Write,
    ) -> Result<()> {
        self.check_names()?;
        self.check()?;
        self.check_text()?;
        text::write(self, Some(meshes), out)
    }

    /// Writes the mesh system as a binary file: little-endian with the version number 100, or
    /// big-endian with the version number 101.
    ///
    /// The bits of every vertex number and transform are written unchanged. The separate vertices
    /// of a section are appended to the vertices of the mesh, and the vertex indices of the section
    /// are increased accordingly. A missing bounding box is computed: for a section from the
    /// positions that its triangles use, for a mesh from all its positions, and for the file from
    /// all positions of all meshes. A computed bounding box without positions has only coordinates
    /// of 0.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Refused`](crate::error::ErrorKind::Refused) with the name of the field,
    /// before the first byte is written, if a binary file cannot store the data. Returns the I/O
    /// error if writing to `out` fails.
    #[cfg(any(feature = "cli", feature = "internals"))]
    pub fn write_ezb(&self, order: ByteOrder, out: &mut dyn Write) -> Result<()> {
        let version = match order {
            ByteOrder::Little => LITTLE,
            ByteOrder::Big => 101,
        };
        self.write_binary(order, version, out)
    }

    /// Writes the mesh system as a binary file with the given byte order and version number.
    /// `write_binary` allows any combination of a byte order and a version number.
    pub(crate) fn write_binary(&self, order: ByteOrder, version: u32, out: &mut dyn Write) -> Result<()> {
        self.check()?;
        self.check_binary()?;
        binary::write(self, None, order, version, out)
    }

    /// Writes a little-endian file like [`write_ezb`](Self::write_ezb), with `meshes` in the place
    /// of the meshes of `self`, which has none.
    pub(in crate::formats::ezmesh) fn write_ezb_with(
        &self,
        meshes: &dyn MeshStream,
        out: &mut dyn Write,
    ) -> Result<()> {
        self.check()?;
        self.check_binary()?;
        binary::write(self, Some(meshes), ByteOrder::Little, LITTLE, out)
    }

    /// Returns the bytes of the mesh system as a text file.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`write_ezm`](Self::write_ezm).
    #[cfg(any(feature = "cli", feature = "internals"))]
    pub fn to_ezm(&self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.write_ezm(&mut bytes)?;
        Ok(bytes)
    }

    /// Returns the bytes of the mesh system as a binary file.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`write_ezb`](Self::write_ezb).
    #[cfg(any(feature = "cli", feature = "internals"))]
    pub fn to_ezb(&self, order: ByteOrder) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.write_ezb(order, &mut bytes)?;
        Ok(bytes)
    }
}

//! Writes a mesh system as text or in the binary form, to any output or to memory.

use std::io::Write;

use super::mesh::Mesh;
use super::{binary, text};
use crate::decode::ByteOrder;
use crate::error::Result;

impl Mesh {
    /// Writes the mesh system as XML text that every known reader of the format accepts.
    ///
    /// The root element is `MeshSystem`, and lines end with CR LF. Lines of numbers have at most
    /// 160 bytes, and a number has at most 30 bytes.
    ///
    /// A float is written with the fewest digits that parse to the same bits. Infinities and NaN
    /// are written as bits after a `$`. In names, `"` becomes `&quot;` and `<` becomes `&lt;`. All
    /// other bytes of a name are written unchanged, including `&`. The bones keep their order: some
    /// readers find the parent of a bone only if the parent comes before the bone. The writer's
    /// buffers do not grow with the amount of numbers.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Refused`](crate::error::ErrorKind::Refused) with the field if a text
    /// file cannot store the data; nothing is written in this case. Also returns an error if
    /// writing to `out` fails.
    pub fn write_ezm(&self, out: &mut dyn Write) -> Result<()> {
        self.check()?;
        self.check_text()?;
        text::write(self, out)
    }

    /// Writes the mesh system in the binary form: little-endian as version 100, or big-endian as
    /// version 101.
    ///
    /// Every number keeps its bits. The separate vertices of a section are appended to the vertices
    /// of the mesh, and the indices of the section are adjusted. A missing bounding box is
    /// computed: for a section from the positions that its triangles use, for a mesh or the file
    /// from all positions. If there are no positions, all coordinates of the bounding box are 0.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Refused`](crate::error::ErrorKind::Refused) with the field if a binary
    /// file cannot store the data; nothing is written in this case. Also returns an error if
    /// writing to `out` fails.
    pub fn write_ezb(&self, order: ByteOrder, out: &mut dyn Write) -> Result<()> {
        let version = match order {
            ByteOrder::Little => 100,
            ByteOrder::Big => 101,
        };
        self.write_binary(order, version, out)
    }

    /// Writes the mesh system in the binary form, with any combination of byte order and version.
    pub(crate) fn write_binary(&self, order: ByteOrder, version: u32, out: &mut dyn Write) -> Result<()> {
        self.check()?;
        self.check_binary()?;
        binary::write(self, order, version, out)
    }

    /// Returns the bytes of the mesh system as a text file.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`write_ezm`](Self::write_ezm).
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
    pub fn to_ezb(&self, order: ByteOrder) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.write_ezb(order, &mut bytes)?;
        Ok(bytes)
    }
}

//! Writing either form, to anywhere or to memory.

use std::io::Write;

use super::mesh::Mesh;
use super::{binary, text};
use crate::decode::ByteOrder;
use crate::error::Result;

impl Mesh {
    /// Writes it as text that every known reader takes: `MeshSystem` at the root, lines that end in CR LF, numbers in lines of
    /// at most 160 bytes, each number of at most 30.
    ///
    /// A float is spelled in the fewest digits that read as the same bits; infinities and what is no number as bits behind a
    /// `$`. In names, `"` becomes `&quot;` and `<` becomes `&lt;`; everything else is kept, an `&` too. Bones stay in their order:
    /// some readers know only parents that stand before their children. What is allocated does not grow with the numbers.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Refused`](crate::error::ErrorKind::Refused), by field, for what text cannot hold: nothing is written then. What the output refuses.
    pub fn write_ezm(&self, out: &mut dyn Write) -> Result<()> {
        self.check()?;
        self.check_text()?;
        text::write(self, out)
    }

    /// Writes it in the binary form: little-endian with version 100, or big-endian with version 101.
    ///
    /// Numbers keep their bits. Vertices of sections are put behind those of their mesh, and indices are raised to match. Boxes
    /// that are left out are computed: around the positions that triangles use, or those of all vertices; around none, from
    /// 0 to 0.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Refused`](crate::error::ErrorKind::Refused), by field, for what the form cannot hold: nothing is written then. What the output refuses.
    pub fn write_ezb(&self, order: ByteOrder, out: &mut dyn Write) -> Result<()> {
        let version = match order {
            ByteOrder::Little => 100,
            ByteOrder::Big => 101,
        };
        self.write_binary(order, version, out)
    }

    /// Writes the binary form with any version.
    pub(crate) fn write_binary(&self, order: ByteOrder, version: u32, out: &mut dyn Write) -> Result<()> {
        self.check()?;
        self.check_binary()?;
        binary::write(self, order, version, out)
    }

    /// Writes it as text to memory.
    ///
    /// # Errors
    ///
    /// As [`write_ezm`](Self::write_ezm).
    pub fn to_ezm(&self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.write_ezm(&mut bytes)?;
        Ok(bytes)
    }

    /// Writes it in the binary form to memory.
    ///
    /// # Errors
    ///
    /// As [`write_ezb`](Self::write_ezb).
    pub fn to_ezb(&self, order: ByteOrder) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.write_ezb(order, &mut bytes)?;
        Ok(bytes)
    }
}

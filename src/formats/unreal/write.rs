//! The writer: the reader mirrored, field by field.

use std::io::{self, Write};

use zerocopy::IntoBytes;

use super::mesh::Mesh;
use super::read::{ANIV, DATA};
use crate::error::{Error, Field, Result};
use crate::io::prefetch;

impl<D: AsRef<[u8]>> Mesh<D> {
    /// Writes the data file again, byte for byte: the header's unused bytes, colours, flags and whatever follows the
    /// polygons included.
    ///
    /// # Errors
    ///
    /// What the output refuses; part of it may be written then.
    pub fn write_data(&self, mut out: impl Write) -> Result<()> {
        let parts = [self.data_header()?.as_bytes(), self.polygons()?.as_bytes(), self.data_rest()];
        put(&mut out, DATA, parts)
    }

    /// Writes the aniv file again, byte for byte: pads, and whatever follows the last frame, included.
    ///
    /// # Errors
    ///
    /// What the output refuses; part of it may be written then.
    pub fn write_aniv(&self, mut out: impl Write) -> Result<()> {
        let header = self.aniv_header()?.as_bytes();
        put(&mut out, ANIV, [header, self.frame_bytes(), self.aniv_rest()])
    }

    /// Writes the texture coordinates as the published page's listing has them: a line for each polygon, with its six
    /// bytes U V U V U V as decimal numbers.
    ///
    /// # Errors
    ///
    /// What the output refuses.
    pub fn write_uv_listing(&self, mut out: impl Write) -> Result<()> {
        for polygon in self.polygons()? {
            let [[u0, v0], [u1, v1], [u2, v2]] = polygon.uvs;
            writeln!(out, "{u0} {v0} {u1} {v1} {u2} {v2}").map_err(|error| failed(DATA, error))?;
        }
        out.flush().map_err(|error| failed(DATA, error))
    }
}

/// Bytes written at a time: a map handed to the system whole could be gone before it is written.
const BLOCK: usize = 1 << 16;

fn put(out: &mut impl Write, format: &'static str, parts: [&[u8]; 3]) -> Result<()> {
    for part in parts {
        prefetch(part);
        part.chunks(BLOCK).try_for_each(|block| out.write_all(block)).map_err(|error| failed(format, error))?;
    }
    out.flush().map_err(|error| failed(format, error))
}

pub(super) fn failed(format: &'static str, error: io::Error) -> Error {
    Error::without_offset(format, Field::new("output"), error.into())
}

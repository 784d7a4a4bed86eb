//! The writer: the reader mirrored, field by field.

use std::io::{self, Write};

use zerocopy::IntoBytes;

use super::file::Mesh;
use super::layout::{ANIV, DATA};
use crate::error::{Error, Field, Result};
use crate::io::prefetch;

/// Writes the data file again, byte for byte: the header's unused bytes, colours, flags and whatever follows the
/// polygons included.
///
/// # Errors
///
/// What the output refuses; part of it may be written then.
pub(super) fn write_data<D: AsRef<[u8]>>(mesh: &Mesh<D>, out: &mut dyn Write) -> Result<()> {
    let parts = [mesh.data_header()?.as_bytes(), mesh.polygons()?.as_bytes(), mesh.data_rest()];
    put(out, DATA, parts)
}

/// Writes the aniv file again, byte for byte: pads, and whatever follows the last frame, included.
///
/// # Errors
///
/// What the output refuses; part of it may be written then.
pub(super) fn write_aniv<D: AsRef<[u8]>>(mesh: &Mesh<D>, out: &mut dyn Write) -> Result<()> {
    let header = mesh.aniv_header()?.as_bytes();
    put(out, ANIV, [header, mesh.frame_bytes(), mesh.aniv_rest()])
}

impl<D: AsRef<[u8]>> Mesh<D> {
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

fn put(out: &mut dyn Write, format: &'static str, parts: [&[u8]; 3]) -> Result<()> {
    for part in parts {
        prefetch(part);
        part.chunks(BLOCK).try_for_each(|block| out.write_all(block)).map_err(|error| failed(format, error))?;
    }
    out.flush().map_err(|error| failed(format, error))
}

pub(super) fn failed(format: &'static str, error: io::Error) -> Error {
    Error::without_offset(format, Field::new("output"), error.into())
}

//! Writes exact copies of the data file and the aniv file of an opened mesh. The fields of each
//! file are written in file order.

use std::io::{self, Write};

use zerocopy::IntoBytes;

use super::file::Mesh;
use super::layout::{ANIV, DATA};
use crate::error::{Error, Field, Result};
use crate::io::prefetch;

/// Writes an exact copy of the data file to `out`. The copy includes the unused bytes of the
/// header, the colour and flag bytes of the polygons, and the bytes after the polygons.
///
/// # Errors
///
/// Returns an error if writing to `out` fails. If an error is returned, the first bytes of the file
/// may already have been written to `out`.
pub(super) fn write_data<D: AsRef<[u8]>>(mesh: &Mesh<D>, out: &mut dyn Write) -> Result<()> {
    let parts = [mesh.data_header()?.as_bytes(), mesh.polygons()?.as_bytes(), mesh.data_rest()];
    put(out, DATA, parts)
}

/// Writes an exact copy of the aniv file to `out`. The copy includes the padding of the vertices
/// and the bytes after the last frame.
///
/// # Errors
///
/// Returns an error if writing to `out` fails. If an error is returned, the first bytes of the file
/// may already have been written to `out`.
pub(super) fn write_aniv<D: AsRef<[u8]>>(mesh: &Mesh<D>, out: &mut dyn Write) -> Result<()> {
    let header = mesh.aniv_header()?.as_bytes();
    put(out, ANIV, [header, mesh.frame_bytes(), mesh.aniv_rest()])
}

impl<D: AsRef<[u8]>> Mesh<D> {
    /// Writes the texture coordinates as text, in the format of the texture coordinate listing on
    /// the published page of the mesh format: one line for each polygon, with the U and V of the
    /// three corners of the polygon as six decimal numbers.
    ///
    /// # Errors
    ///
    /// Returns an error if writing to `out` fails.
    pub fn write_uv_listing(&self, mut out: impl Write) -> Result<()> {
        for polygon in self.polygons()? {
            let [[u0, v0], [u1, v1], [u2, v2]] = polygon.uvs;
            writeln!(out, "{u0} {v0} {u1} {v1} {u2} {v2}").map_err(|error| failed(DATA, error))?;
        }
        out.flush().map_err(|error| failed(DATA, error))
    }
}

/// The maximum number of bytes per write call. If one call wrote a whole memory-mapped file, the
/// operating system could evict pages of the file from memory before it writes them.
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

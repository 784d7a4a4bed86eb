//! The writer: the reader mirrored. What the header says is written again value by value, blocks are copied as stored.

use std::io::{self, Write};

use super::header::{Header, blame};
use super::layout::{FORMAT, RawPreamble};
use super::llsd::{Rules, Writer};
use super::mesh::Mesh;
use crate::error::{Error, ErrorKind, Field, Result};
use crate::math::as_u64;

impl<D: AsRef<[u8]>> Mesh<D> {
    /// Writes the file again: the header, or a container's map, through the LLSD writer, with its entries in the order and the
    /// form that they were read in; the blocks, and what lies between and behind them, as they are stored. The result is
    /// the same, byte for byte: compressing blocks anew would not give the same bytes.
    ///
    /// # Errors
    ///
    /// The header's first fault, or what the output refuses.
    pub fn write_to(&self, out: &mut dyn Write) -> Result<()> {
        let bytes = self.data().as_ref();
        let start = if self.preamble().is_some() { size_of::<RawPreamble>() } else { 0 };
        let asset = bytes.get(start..).unwrap_or_default();
        let limits = &self.view().state.context.options.limits;
        let header = Header::parse(asset, as_u64(start), limits).map_err(|fault| blame(fault, as_u64(start)))?;
        let line = usize::try_from(header.marker_line()).unwrap_or(usize::MAX);
        // Mapped bytes are copied before the system is handed them.
        let mut head =
            Writer::after([bytes.get(..start), asset.get(..line)].into_iter().flatten().flatten().copied().collect());
        let end = head.copy(asset, line, &Rules::from(limits)).map_err(|fault| blame(fault, as_u64(start)))?;
        let written = out.write_all(&head.into_bytes()).and_then(|()| copy(asset.get(end..).unwrap_or_default(), out));
        written.map_err(|error| Error::without_offset(FORMAT, Field::new("output"), ErrorKind::from(error)))
    }
}

/// Copies bytes that may be mapped: piece by piece, through memory of our own.
fn copy(bytes: &[u8], out: &mut dyn Write) -> io::Result<()> {
    let mut piece = Vec::new();
    for part in bytes.chunks(64 << 10) {
        piece.clear();
        piece.extend_from_slice(part);
        out.write_all(&piece)?;
    }
    Ok(())
}

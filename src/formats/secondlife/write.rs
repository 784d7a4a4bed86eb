//! The writer: the reader mirrored. What the header says is written again value by value, blocks are copied as stored.

use std::io::{self, Write};

use super::asset_view::AssetView;
use super::detect::preamble_len;
use super::header::with_location;
use super::layout::FORMAT;
use super::llsd::LlsdWriter;
use crate::error::{Error, ErrorKind, Field, Result};
use crate::math::as_u64;

/// Writes the file again: the header, or a container's map, through the LLSD writer, with its entries in the order and the
/// form that they were read in; the blocks, and what lies between and behind them, as they are stored. The result is
/// the same, byte for byte: compressing blocks anew would not give the same bytes.
///
/// # Errors
///
/// The header's first fault, or what the output refuses.
pub(super) fn write_to(file: AssetView<'_>, out: &mut dyn Write) -> Result<()> {
    let (preamble, asset) = file.file().split_at_checked(preamble_len(file.file())).unwrap_or_default();
    let line = usize::try_from(file.first_header()?.marker_line()).unwrap_or(usize::MAX);
    // Mapped bytes are copied before they are written.
    let mut head = LlsdWriter::after(preamble.iter().chain(asset.get(..line).unwrap_or_default()).copied().collect());
    let end =
        head.copy(asset, line, &file.llsd_limits()).map_err(|fault| with_location(fault, as_u64(preamble.len())))?;
    let written = out.write_all(&head.into_bytes()).and_then(|()| copy(asset.get(end..).unwrap_or_default(), out));
    written.map_err(|error| Error::without_offset(FORMAT, Field::new("output"), ErrorKind::from(error)))
}

/// Copies bytes that may be mapped in small buffers of our own memory.
fn copy(bytes: &[u8], out: &mut dyn Write) -> io::Result<()> {
    let mut buffer = Vec::new();
    for chunk in bytes.chunks(64 << 10) {
        buffer.clear();
        buffer.extend_from_slice(chunk);
        out.write_all(&buffer)?;
    }
    Ok(())
}

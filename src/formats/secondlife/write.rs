//! The writer of whole files. The writer encodes the header again, value by value, and copies the
//! compressed blocks without a change.

use std::io::{self, Write};

use super::asset_view::AssetView;
use super::detect::preamble_len;
use super::header::with_location;
use super::layout::FORMAT;
use super::llsd::LlsdWriter;
use crate::error::{Error, ErrorKind, Field, Result};
use crate::math::as_u64;

/// Writes the file again. The written bytes are identical to the bytes of the original file.
///
/// The header, or a container's map, is written through the LLSD writer. The entries of the header
/// keep their order and their encoding. The blocks, the bytes between blocks and the bytes after
/// the last block are copied as stored. The blocks are not compressed again, because compressing
/// them again would give other bytes.
///
/// # Errors
///
/// Returns the first error in the header, or an I/O error of the output `out`.
pub(super) fn write_to(file: AssetView<'_>, out: &mut dyn Write) -> Result<()> {
    let (preamble, asset) = file.file().split_at_checked(preamble_len(file.file())).unwrap_or_default();
    let line = usize::try_from(file.first_header()?.marker_line()).unwrap_or(usize::MAX);
    // The bytes of a memory map are copied to the heap before they are written.
    let mut head = LlsdWriter::after(preamble.iter().chain(asset.get(..line).unwrap_or_default()).copied().collect());
    let end =
        head.copy(asset, line, &file.llsd_limits()).map_err(|fault| with_location(fault, as_u64(preamble.len())))?;
    let written = out.write_all(&head.into_bytes()).and_then(|()| copy(asset.get(end..).unwrap_or_default(), out));
    written.map_err(|error| Error::without_offset(FORMAT, Field::new("output"), ErrorKind::from(error)))
}

/// Copies bytes to the output in chunks. Each chunk is first copied to a heap buffer, because
/// `bytes` may be a memory map.
fn copy(bytes: &[u8], out: &mut dyn Write) -> io::Result<()> {
    let mut buffer = Vec::new();
    for chunk in bytes.chunks(64 << 10) {
        buffer.clear();
        buffer.extend_from_slice(chunk);
        out.write_all(&buffer)?;
    }
    Ok(())
}

//! Writes an opened mesh file: the header is encoded again, value by value, and the compressed
//! blocks are copied without a change.

use std::io::{self, Write};

use super::asset_view::AssetView;
use super::detect::preamble_len;
use super::header::with_location;
use super::layout::FORMAT;
use super::llsd::LlsdWriter;
use crate::error::{Cause, Error, Field, Result};
use crate::math::as_u64;

/// Writes the opened file to `out`. The written bytes are identical to the bytes of the opened
/// file.
///
/// The first header of the file, which is the header of an asset or the map of a container, is
/// encoded again with [`LlsdWriter`]. The entries of the encoded header have the same order and the
/// same encoding as in the opened file. The blocks, the bytes between blocks and the bytes after
/// the last block are copied from the file. The blocks are not inflated and compressed again,
/// because the compressed bytes would differ from the bytes in the file.
pub(super) fn write_to(file: AssetView<'_>, out: &mut dyn Write) -> Result<()> {
    let (preamble, asset) = file.file().split_at_checked(preamble_len(file.file())).unwrap_or_default();
    let line = usize::try_from(file.first_header()?.marker_line()).unwrap_or(usize::MAX);
    // The bytes before the blocks may be bytes of a memory-mapped file, so they are copied to the
    // heap before they are written.
    let mut head = LlsdWriter::after(preamble.iter().chain(asset.get(..line).unwrap_or_default()).copied().collect());
    let end =
        head.copy(asset, line, &file.llsd_limits()).map_err(|fault| with_location(fault, as_u64(preamble.len())))?;
    let written = out.write_all(&head.into_bytes()).and_then(|()| copy(asset.get(end..).unwrap_or_default(), out));
    written.map_err(|error| Error::without_offset(FORMAT, Field::new("output"), Cause::from(error)))
}

/// Writes `bytes` to `out` in chunks of 64 KiB. Each chunk is copied to a heap buffer before it is
/// written, because `bytes` may be in a memory-mapped file.
fn copy(bytes: &[u8], out: &mut dyn Write) -> io::Result<()> {
    let mut buffer = Vec::new();
    for chunk in bytes.chunks(64 << 10) {
        buffer.clear();
        buffer.extend_from_slice(chunk);
        out.write_all(&buffer)?;
    }
    Ok(())
}

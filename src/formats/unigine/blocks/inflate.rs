//! LZ4 decompression and compression of blocks. A maximum for the inflated size of a block limits
//! the memory that a damaged file can make the reader allocate.
//!
//! The file stores the inflated size of each block. The reader checks the stored inflated size
//! before it allocates memory for the inflated block.

use lz4_flex::block::{self, DecompressError};

use crate::error::Cause;
use crate::math::as_u64;
use crate::parse::{Limits, MemoryBudget};

/// An LZ4 block of *n* stored bytes inflates to at most `MAX_RATIO * n + MAX_EXTRA` bytes.
const MAX_RATIO: u64 = 255;
const MAX_EXTRA: u64 = 64;
/// A block may always inflate to this multiple of its stored size, even if the inflated size
/// exceeds the limit [`block`](Limits::with_block).
const ALLOWED_RATIO: u64 = 32;

/// Returns the maximum inflated size, in bytes, that `limits` permits for a block with `length`
/// stored bytes.
pub(super) fn allowed(length: u64, limits: &Limits) -> u64 {
    limits.block.max(length.saturating_mul(ALLOWED_RATIO))
}

/// Checks and returns `raw`, the inflated size that the file declares for a block of `length`
/// stored bytes.
///
/// Returns an error if the inflated size `raw` is negative, larger than LZ4 permits, or larger than
/// the maximum that [`allowed`] returns.
pub(super) fn check_size(length: u64, raw: i64, limits: &Limits) -> Result<usize, Cause> {
    let most = length.saturating_mul(MAX_RATIO).saturating_add(MAX_EXTRA);
    let Some(raw) = u64::try_from(raw).ok().filter(|raw| *raw <= most) else {
        let expected = format!("a size of 0 to {most} bytes, the maximum for {length} stored bytes");
        return Err(Cause::value(expected, raw.to_string()));
    };
    let allowed = allowed(length, limits);
    if raw > allowed {
        return Err(Cause::Limit { name: "block", allowed, asked: raw });
    }
    usize::try_from(raw).map_err(|_| Cause::OutOfMemory { asked: raw })
}

/// Inflates the LZ4 block `stored`, and replaces the contents of `out` with the inflated bytes.
///
/// `size` is the declared inflated size, as returned by [`check_size`].
pub(super) fn inflate(
    stored: &[u8],
    size: usize,
    budget: &mut MemoryBudget<'_>,
    out: &mut Vec<u8>,
) -> Result<(), Cause> {
    let more = size.saturating_sub(out.capacity());
    budget.reserve(as_u64(more))?;
    if more > 0 {
        out.clear();
        out.try_reserve_exact(size).map_err(|_| Cause::OutOfMemory { asked: as_u64(size) })?;
    }
    crate::io::prefetch(stored);
    // The old contents of `out` need not be set to zero, because a successful decompression
    // overwrites every byte of `out`.
    out.resize(size, 0);
    match block::decompress_into(stored, out) {
        Ok(found) if found == size => Ok(()),
        Ok(found) => {
            out.truncate(found);
            let expected = format!("a block that inflates to {size} bytes");
            Err(Cause::value(expected, format!("a block that inflates to only {found} bytes")))
        }
        Err(error) => Err(Cause::value("a valid LZ4 block", refused(&error))),
    }
}

/// Returns the text of the error message that describes why a block cannot be decompressed.
fn refused(error: &DecompressError) -> &'static str {
    match error {
        DecompressError::OutputTooSmall { .. } => "a block that inflates to more than its declared size",
        DecompressError::LiteralOutOfBounds => "a literal that extends past the end of the block",
        DecompressError::ExpectedAnotherByte => "a block that ends inside a sequence",
        DecompressError::OffsetOutOfBounds => "a match that starts before the first inflated byte",
        _ => "bytes that cannot be inflated",
    }
}

/// Compresses the content of a block with LZ4.
///
/// If the compressed bytes are not shorter than the content, the content is returned unchanged. In
/// the file, a block is uncompressed if its two size fields are equal.
pub(crate) fn deflate(raw: &[u8]) -> Vec<u8> {
    let stored = block::compress(raw);
    if stored.len() < raw.len() { stored } else { raw.to_vec() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(stored: &[u8], raw: i64, limits: &Limits) -> Result<Vec<u8>, Cause> {
        let mut out = Vec::new();
        let size = check_size(as_u64(stored.len()), raw, limits)?;
        inflate(stored, size, &mut MemoryBudget::alone(limits.asset), &mut out)?;
        assert!(out.capacity() <= usize::try_from(raw).unwrap().max(8));
        Ok(out)
    }

    #[test]
    fn inflates_what_it_deflated() {
        let raw: Vec<u8> = (0..10_000_u32).map(|at| (at / 7 % 50).to_le_bytes()[0]).collect();
        let stored = deflate(&raw);
        assert!(stored.len() < raw.len());
        assert_eq!(run(&stored, 10_000, &Limits::default()).unwrap(), raw);
        assert_eq!(deflate(&[1, 2, 3]), [1, 2, 3]);
    }

    #[test]
    fn refuses_before_it_allocates() {
        let limits = Limits { block: 100, ..Limits::default() };
        for raw in [-1, i64::MIN, 1 << 62, i64::MAX, 10 * 255 + 65] {
            assert!(matches!(run(&[0; 10], raw, &limits).unwrap_err(), Cause::Value { .. }), "{raw}");
        }
        assert!(matches!(run(&[0; 10], 321, &limits).unwrap_err(), Cause::Limit { name: "block", allowed: 320, .. }));
        let limits = Limits { asset: 100, ..Limits::default() };
        assert!(matches!(run(&[0; 10], 101, &limits).unwrap_err(), Cause::Limit { name: "asset", .. }));
    }

    #[test]
    fn refuses_what_is_cut_or_long() {
        let raw = vec![7; 1000];
        let stored = deflate(&raw);
        for length in 0..stored.len() {
            assert!(run(&stored[..length], 1000, &Limits::default()).is_err(), "{length}");
        }
        for wrong in [999, 1001] {
            assert!(run(&stored, wrong, &Limits::default()).is_err(), "{wrong}");
        }
    }
}

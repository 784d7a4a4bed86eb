//! LZ4, up to a limit: the size is declared, so that what it may cost is known before anything is allocated.

use lz4_flex::block::{self, DecompressError};

use crate::error::ErrorKind;
use crate::math::as_u64;
use crate::parse::{Limits, MemoryBudget};

/// The most that one stored byte can inflate to, and what a block may inflate to beyond that.
const MAX_RATIO: u64 = 255;
const MAX_EXTRA: u64 = 64;
/// How many times its stored size a block may inflate to, whatever the limit for blocks is.
const ALLOWED_RATIO: u64 = 32;

/// Returns how many bytes a block of `length` stored bytes may become.
pub(super) fn allowed(length: u64, limits: &Limits) -> u64 {
    limits.block.max(length.saturating_mul(ALLOWED_RATIO))
}

/// Tests the size that `length` stored bytes are declared to inflate to.
pub(super) fn check_size(length: u64, raw: i64, limits: &Limits) -> Result<usize, ErrorKind> {
    let most = length.saturating_mul(MAX_RATIO).saturating_add(MAX_EXTRA);
    let Some(raw) = u64::try_from(raw).ok().filter(|raw| *raw <= most) else {
        let expected = format!("a size of 0 to {most}, the most that {length} stored bytes can inflate to").into();
        return Err(ErrorKind::Value { expected, found: raw.to_string().into() });
    };
    let allowed = allowed(length, limits);
    if raw > allowed {
        return Err(ErrorKind::Limit { name: "block", allowed, asked: raw });
    }
    usize::try_from(raw).map_err(|_| ErrorKind::OutOfMemory { asked: raw })
}

/// Inflates `stored` into `out`, in the place of what it held, to so many bytes as [`check_size`] let pass.
pub(super) fn inflate(
    stored: &[u8],
    size: usize,
    budget: &mut MemoryBudget<'_>,
    out: &mut Vec<u8>,
) -> Result<(), ErrorKind> {
    let more = size.saturating_sub(out.capacity());
    budget.reserve(as_u64(more))?;
    if more > 0 {
        out.clear();
        out.try_reserve_exact(size).map_err(|_| ErrorKind::OutOfMemory { asked: as_u64(size) })?;
    }
    crate::io::prefetch(stored);
    // What a buffer held before need not be zero: all of it is written, or refused.
    out.resize(size, 0);
    match block::decompress_into(stored, out) {
        Ok(found) if found == size => Ok(()),
        Ok(found) => {
            out.truncate(found);
            let expected = format!("a block that inflates to {size} bytes").into();
            Err(ErrorKind::Value { expected, found: format!("one that ends after {found}").into() })
        }
        Err(error) => Err(ErrorKind::Value { expected: "a sound LZ4 block".into(), found: refused(&error).into() }),
    }
}

/// Says what is wrong with a block.
fn refused(error: &DecompressError) -> &'static str {
    match error {
        DecompressError::OutputTooSmall { .. } => "one that inflates to more than its declared size",
        DecompressError::LiteralOutOfBounds => "a literal that reaches beyond the block",
        DecompressError::ExpectedAnotherByte => "one that ends inside a sequence",
        DecompressError::OffsetOutOfBounds => "a match from before its first byte",
        _ => "bytes that do not inflate",
    }
}

/// Compresses what a block is to hold, or returns it as it is where that is not longer: equal sizes mean verbatim.
pub(super) fn deflate(raw: &[u8]) -> Vec<u8> {
    let stored = block::compress(raw);
    if stored.len() < raw.len() { stored } else { raw.to_vec() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(stored: &[u8], raw: i64, limits: &Limits) -> Result<Vec<u8>, ErrorKind> {
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
            assert!(matches!(run(&[0; 10], raw, &limits).unwrap_err(), ErrorKind::Value { .. }), "{raw}");
        }
        assert!(matches!(
            run(&[0; 10], 321, &limits).unwrap_err(),
            ErrorKind::Limit { name: "block", allowed: 320, .. }
        ));
        let limits = Limits { asset: 100, ..Limits::default() };
        assert!(matches!(run(&[0; 10], 101, &limits).unwrap_err(), ErrorKind::Limit { name: "asset", .. }));
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

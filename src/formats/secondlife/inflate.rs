//! Inflates a compressed block, up to a maximum number of bytes.

use flate2::{Decompress, FlushDecompress, Status};

use super::layout::FORMAT;
use super::validate::rules::DAMAGED_BLOCK_VALUE;
use crate::error::{Cause, Error, show_bytes};
use crate::math::as_u64;
use crate::parse::{Limits, MemoryBudget};

/// The maximum number of output bytes per compressed byte of a zlib stream.
const MAX_RATIO: u64 = 1032;
/// The maximum number of inflated bytes per byte of the file, in a check of all blocks of a file.
const MAX_WORK: u64 = 64;
/// The number of inflated bytes that take about as long to check as one submesh, name or matrix.
const ITEM_WORK: u64 = 64;
/// The base-2 logarithm of the window size of the deflate decoder, in bytes. With a window of 2^15
/// bytes, the decoder accepts any gzip stream.
const WINDOW: u8 = 15;

/// The wrapper type and the compressed length of a stream that was inflated.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ZlibStream {
    /// Whether the compressed stream has a gzip wrapper instead of a zlib wrapper.
    pub(super) gzip: bool,
    /// The number of compressed bytes that the decoder has read, up to the end of the stream.
    pub(super) used: u64,
}

/// An error of the decoder, and the byte offset in the compressed block at which the decoder
/// detected the error.
#[derive(Clone, Debug)]
pub(super) struct InflateError {
    pub(super) at: u64,
    pub(super) kind: Cause,
}

impl InflateError {
    fn new(at: u64, kind: Cause) -> Self {
        Self { at, kind }
    }
}

/// Minimum size in bytes of a compressed block for which the operating system is advised to read
/// the block from the disk in advance. If a compressed block has at least this size (16 KiB), the
/// system call for the advice takes little time compared with inflating the block.
const MIN_PREFETCH: usize = 16 << 10;

/// The work that a check of all blocks of a file may still do.
///
/// The header of an asset may name one stored block under several keys, and a container may hold
/// many assets. Without this budget, a small file could make a check inflate many gigabytes.
#[derive(Debug)]
pub(super) struct InflateBudget {
    /// The number of inflated bytes that all blocks together may have.
    allowed: u64,
    left: u64,
}

impl InflateBudget {
    /// Makes a budget for a file of `length` bytes: the limit [`asset`](Limits::with_asset), or [`MAX_WORK`]
    /// times the file size if that is more.
    pub(super) fn new(limits: &Limits, length: usize) -> Self {
        let allowed = limits.asset.max(as_u64(length).saturating_mul(MAX_WORK));
        Self { allowed, left: allowed }
    }

    /// Returns `limits` with a maximum size of one inflated block that is within the budget.
    pub(super) fn limits(&self, limits: &Limits) -> Limits {
        Limits { block: limits.block.min(self.left), ..*limits }
    }

    /// Subtracts the work for one block: `bytes` inflated bytes, and `items` submeshes, names or
    /// matrices, each of which takes about as long as [`ITEM_WORK`] bytes.
    pub(super) fn spend(&mut self, bytes: usize, items: usize) {
        let work = as_u64(bytes).saturating_add(as_u64(items).saturating_mul(ITEM_WORK));
        self.left = self.left.saturating_sub(work);
    }

    /// Returns the error that replaces `error`: an error about the budget if the block is larger
    /// than the rest of the budget, and `error` otherwise.
    pub(super) fn explain(&self, error: Error, limits: &Limits, within: &Limits) -> Error {
        let is_ours = matches!(error.cause(), Cause::Limit { name: "block", .. }) && within.block < limits.block;
        let Some(offset) = error.offset().filter(|_| is_ours) else { return error };
        let kind = Cause::Limit { name: "asset", allowed: self.allowed, asked: self.allowed.saturating_add(1) };
        Error::new(FORMAT, error.field(), offset, kind).breaking(&DAMAGED_BLOCK_VALUE)
    }
}

/// Removes the contents of `out`, and then inflates the compressed bytes `stored` into `out`.
pub(super) fn inflate(
    stored: &[u8],
    limits: &Limits,
    budget: &mut MemoryBudget<'_>,
    engine: &mut Option<Decompress>,
    out: &mut Vec<u8>,
) -> Result<ZlibStream, InflateError> {
    out.clear();
    let gzip = stored.starts_with(&[0x1f, 0x8b]);
    let mut unwrapping;
    let engine = if gzip {
        unwrapping = Decompress::new_gzip(WINDOW);
        &mut unwrapping
    } else {
        check_header(stored)?;
        match engine {
            Some(engine) => {
                engine.reset(true);
                engine
            }
            None => engine.insert(Decompress::new(true)),
        }
    };
    if stored.len() >= MIN_PREFETCH {
        crate::io::prefetch(stored);
    }
    let block = limits.block.min(as_u64(stored.len()).saturating_mul(MAX_RATIO));
    let result = run(engine, stored, block, budget, out);
    let used = engine.total_in();
    result.map_err(|kind| InflateError::new(used, kind))?;
    Ok(ZlibStream { gzip, used })
}

fn run(
    engine: &mut Decompress,
    stored: &[u8],
    block: u64,
    budget: &mut MemoryBudget<'_>,
    out: &mut Vec<u8>,
) -> Result<(), Cause> {
    let allowed = usize::try_from(block).unwrap_or(usize::MAX);
    // Blocks rarely inflate to more than twice their compressed size, so 2.25 times the compressed
    // size is reserved first.
    let first = stored.len().saturating_mul(9).wrapping_shr(2).clamp(64, allowed.max(64)).min(allowed);
    let mut limit = reserve(out, first.saturating_sub(out.capacity()), budget)?;
    loop {
        let used = usize::try_from(engine.total_in()).unwrap_or(usize::MAX);
        let rest = stored.get(used..).unwrap_or_default();
        if out.len() < out.capacity() && out.len() < allowed {
            match engine.decompress_vec(rest, out, FlushDecompress::None) {
                // A reused buffer may have more capacity than the maximum inflated size of this
                // block, so the decoder can exceed this maximum.
                Ok(_) if out.len() > allowed => return Err(beyond(block)),
                Ok(Status::StreamEnd) => return Ok(()),
                Ok(Status::Ok | Status::BufError) if out.len() < out.capacity() => return Err(cut(stored)),
                Ok(Status::Ok | Status::BufError) => {}
                Err(error) => return Err(refused(error.message())),
            }
        } else {
            // The output buffer has no free capacity or has reached the maximum inflated size, but
            // the compressed stream may already be at its end. If the decoder writes one more byte
            // into the array `one`, the stream exceeds the maximum inflated size or the memory
            // budget.
            let mut one = [0];
            let before = engine.total_out();
            match engine.decompress(rest, &mut one, FlushDecompress::None) {
                Err(error) => return Err(refused(error.message())),
                Ok(_) if engine.total_out() > before => return Err(limit.take().unwrap_or_else(|| beyond(block))),
                Ok(Status::StreamEnd) => return Ok(()),
                Ok(Status::Ok | Status::BufError) => return Err(cut(stored)),
            }
        }
        limit = reserve(out, out.len().min(allowed.saturating_sub(out.len())), budget)?;
    }
}

/// Reserves memory for `more` additional bytes in `out`, or for fewer bytes if the memory budget
/// has fewer bytes left. If the budget has no bytes left, returns `Ok(Some(error))`. If the stream
/// has more output bytes, the caller must then return `error`.
fn reserve(out: &mut Vec<u8>, more: usize, budget: &mut MemoryBudget<'_>) -> Result<Option<Cause>, Cause> {
    let got = budget.reserve_up_to(as_u64(more));
    if got == 0 && more > 0 {
        let allowed = budget.allowed();
        return Ok(Some(Cause::Limit { name: "asset", allowed, asked: allowed.saturating_add(1) }));
    }
    let got = usize::try_from(got).unwrap_or(more);
    out.try_reserve_exact(got).map_err(|_| Cause::OutOfMemory { asked: as_u64(got) })?;
    Ok(None)
}

/// Creates the error for a compressed stream that ends too early. If the decoder stops although the
/// output buffer has free capacity, the decoder has read all compressed bytes.
fn cut(stored: &[u8]) -> Cause {
    let left = as_u64(stored.len());
    Cause::UnexpectedEnd { needed: left.saturating_add(1), left }
}

fn beyond(allowed: u64) -> Cause {
    Cause::Limit { name: "block", allowed, asked: allowed.saturating_add(1) }
}

fn refused(message: Option<&str>) -> Cause {
    // The free capacity of the output buffer determines which of the messages in `CIRCUMSTANTIAL`
    // the decoder returns for a damaged stream. One fixed text replaces all messages in
    // `CIRCUMSTANTIAL`, because the error must not depend on the capacity of the output buffer.
    const CIRCUMSTANTIAL: [&str; 4] = [
        "repeated call with bad state",
        "invalid literal/length code",
        "invalid distance code",
        "invalid distance too far back",
    ];
    let found =
        message.filter(|message| !CIRCUMSTANTIAL.contains(message)).unwrap_or("bytes that do not inflate").to_owned();
    Cause::value("a valid zlib stream", found)
}

/// Checks the two header bytes at the start of a zlib stream. The returned error contains the two
/// bytes that the file has in place of a zlib header.
fn check_header(stored: &[u8]) -> Result<(), InflateError> {
    let Some(&[method, flags]) = stored.first_chunk::<2>() else {
        let left = as_u64(stored.len());
        return Err(InflateError::new(0, Cause::UnexpectedEnd { needed: 2, left }));
    };
    let found = if u16::from_be_bytes([method, flags]) % 31 != 0 || method & 15 != 8 || method >> 4 > 7 {
        let shown = show_bytes(&[method, flags]);
        if is_raw_deflate(stored) { format!("{shown}: raw deflate data without a zlib header") } else { shown }
    } else if flags & 0x20 != 0 {
        String::from("a zlib stream that needs a preset dictionary")
    } else {
        return Ok(());
    };
    Err(InflateError::new(0, Cause::value("a zlib stream", found)))
}

/// Returns whether the bytes are raw deflate data, without a zlib or gzip wrapper. To test the
/// bytes, this function inflates them to at most 1024 bytes of output.
fn is_raw_deflate(stored: &[u8]) -> bool {
    let mut some = [0; 1024];
    let mut engine = Decompress::new(false);
    let done = engine.decompress(stored, &mut some, FlushDecompress::None);
    done.is_ok_and(|status| status == Status::StreamEnd || engine.total_out() == as_u64(some.len()))
}

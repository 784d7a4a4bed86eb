//! Inflates a compressed block, up to a maximum number of bytes.

use flate2::{Decompress, FlushDecompress, Status};

use crate::error::{ErrorKind, show_bytes};
use crate::math::as_u64;
use crate::parse::{Limits, MemoryBudget};

/// The maximum number of bytes that one compressed byte can inflate to.
const MAX_RATIO: u64 = 1032;
/// The number of window bits: with this value, the decoder accepts any zlib stream.
const WINDOW: u8 = 15;

/// Facts about a stream that was inflated, without the inflated bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ZlibStream {
    /// Whether the stream has a gzip wrapper.
    pub(super) gzip: bool,
    /// The number of compressed bytes that the decoder used.
    pub(super) used: u64,
}

/// The reason why a block does not inflate, and the offset in the compressed block where the
/// decoder detected the error.
#[derive(Clone, Debug)]
pub(super) struct InflateError {
    pub(super) at: u64,
    pub(super) kind: ErrorKind,
}

impl InflateError {
    fn new(at: u64, kind: ErrorKind) -> Self {
        Self { at, kind }
    }
}

/// Minimum size in bytes of a compressed block that is prefetched. For a block of at least this
/// size, prefetching is cheap compared with inflating.
const MIN_PREFETCH: usize = 16 << 10;

/// Inflates the compressed bytes `stored` into `out`. Clears `out` first.
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
) -> Result<(), ErrorKind> {
    let allowed = usize::try_from(block).unwrap_or(usize::MAX);
    // Blocks rarely inflate to more than twice their compressed size.
    let first = stored.len().saturating_mul(9).wrapping_shr(2).clamp(64, allowed.max(64)).min(allowed);
    let mut limit = reserve(out, first.saturating_sub(out.capacity()), budget)?;
    loop {
        let used = usize::try_from(engine.total_in()).unwrap_or(usize::MAX);
        let rest = stored.get(used..).unwrap_or_default();
        if out.len() < out.capacity() && out.len() < allowed {
            match engine.decompress_vec(rest, out, FlushDecompress::None) {
                // A reused buffer may have more capacity than the limit allows for this block.
                Ok(_) if out.len() > allowed => return Err(beyond(block)),
                Ok(Status::StreamEnd) => return Ok(()),
                Ok(Status::Ok | Status::BufError) if out.len() < out.capacity() => return Err(cut(stored)),
                Ok(Status::Ok | Status::BufError) => {}
                Err(error) => return Err(refused(error.message())),
            }
        } else {
            // The stream may end exactly at this byte. If the decoder returns another byte, the
            // stream exceeds the limit.
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

/// Reserves room for `more` bytes in `out`, or for fewer bytes if the memory budget has fewer bytes
/// left. If the budget is used up, returns the error that the caller must return when the stream
/// has more bytes.
fn reserve(out: &mut Vec<u8>, more: usize, budget: &mut MemoryBudget<'_>) -> Result<Option<ErrorKind>, ErrorKind> {
    let got = budget.reserve_up_to(as_u64(more));
    if got == 0 && more > 0 {
        let allowed = budget.allowed();
        return Ok(Some(ErrorKind::Limit { name: "asset", allowed, asked: allowed.saturating_add(1) }));
    }
    let got = usize::try_from(got).unwrap_or(more);
    out.try_reserve_exact(got).map_err(|_| ErrorKind::OutOfMemory { asked: as_u64(got) })?;
    Ok(None)
}

/// Makes the error for a stream that ends too early. The output buffer had room when the decoder
/// stopped, so the compressed bytes were used up.
fn cut(stored: &[u8]) -> ErrorKind {
    let left = as_u64(stored.len());
    ErrorKind::UnexpectedEnd { needed: left.saturating_add(1), left }
}

fn beyond(allowed: u64) -> ErrorKind {
    ErrorKind::Limit { name: "block", allowed, asked: allowed.saturating_add(1) }
}

fn refused(message: Option<&str>) -> ErrorKind {
    // The free room in the output buffer decides which of these messages the decoder returns.
    // Callers have different free room, and the error must be the same for all callers.
    const CIRCUMSTANTIAL: [&str; 4] = [
        "repeated call with bad state",
        "invalid literal/length code",
        "invalid distance code",
        "invalid distance too far back",
    ];
    let found =
        message.filter(|message| !CIRCUMSTANTIAL.contains(message)).unwrap_or("bytes that do not inflate").to_owned();
    ErrorKind::Value { expected: "a valid zlib stream".into(), found: found.into() }
}

/// Checks the two header bytes at the start of a zlib stream. The returned error describes the two
/// bytes in the file.
fn check_header(stored: &[u8]) -> Result<(), InflateError> {
    let Some(&[method, flags]) = stored.first_chunk::<2>() else {
        let left = as_u64(stored.len());
        return Err(InflateError::new(0, ErrorKind::UnexpectedEnd { needed: 2, left }));
    };
    let found = if u16::from_be_bytes([method, flags]) % 31 != 0 || method & 15 != 8 || method >> 4 > 7 {
        let shown = show_bytes(&[method, flags]);
        if is_raw_deflate(stored) { format!("{shown}: raw deflate data without a zlib header") } else { shown }
    } else if flags & 0x20 != 0 {
        String::from("a zlib stream that needs a preset dictionary")
    } else {
        return Ok(());
    };
    Err(InflateError::new(0, ErrorKind::Value { expected: "a zlib stream".into(), found: found.into() }))
}

/// Returns whether the bytes inflate as raw deflate data, without a zlib or gzip wrapper. This
/// function tests at most the first kilobyte of the inflated output.
fn is_raw_deflate(stored: &[u8]) -> bool {
    let mut some = [0; 1024];
    let mut engine = Decompress::new(false);
    let done = engine.decompress(stored, &mut some, FlushDecompress::None);
    done.is_ok_and(|status| status == Status::StreamEnd || engine.total_out() == as_u64(some.len()))
}

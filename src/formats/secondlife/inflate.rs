//! Inflating a stored block, up to a limit.

use flate2::{Decompress, FlushDecompress, Status};

use crate::error::{ErrorKind, show_bytes};
use crate::math::as_u64;
use crate::parse::{Limits, MemoryBudget};

/// The most bytes that one stored byte can inflate to.
const MAX_RATIO: u64 = 1032;
/// Window bits of any zlib stream.
const WINDOW: u8 = 15;

/// What was inflated, beside its bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ZlibStream {
    /// Whether the wrapper was gzip's.
    pub(super) gzip: bool,
    /// Stored bytes that were used.
    pub(super) used: u64,
}

/// Why a block does not inflate, and at which stored byte that shows.
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

/// Bytes of a stored block from which prefetching takes little time compared with inflating.
const MIN_PREFETCH: usize = 16 << 10;

/// Inflates `stored` into `out`, which is emptied first.
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
    // Blocks seldom inflate to more than twice their size.
    let first = stored.len().saturating_mul(9).wrapping_shr(2).clamp(64, allowed.max(64)).min(allowed);
    let mut limit = reserve(out, first.saturating_sub(out.capacity()), budget)?;
    loop {
        let used = usize::try_from(engine.total_in()).unwrap_or(usize::MAX);
        let rest = stored.get(used..).unwrap_or_default();
        if out.len() < out.capacity() && out.len() < allowed {
            match engine.decompress_vec(rest, out, FlushDecompress::None) {
                // A buffer that is used again may have more room than is allowed.
                Ok(_) if out.len() > allowed => return Err(beyond(block)),
                Ok(Status::StreamEnd) => return Ok(()),
                Ok(Status::Ok | Status::BufError) if out.len() < out.capacity() => return Err(cut(stored)),
                Ok(Status::Ok | Status::BufError) => {}
                Err(error) => return Err(refused(error.message())),
            }
        } else {
            // The stream may end exactly here: another byte would be one too many.
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

/// Makes room for so many bytes, or as many as the budget has; says what to say where it has none.
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

/// There was room, so the bytes ran out.
fn cut(stored: &[u8]) -> ErrorKind {
    let left = as_u64(stored.len());
    ErrorKind::UnexpectedEnd { needed: left.saturating_add(1), left }
}

fn beyond(allowed: u64) -> ErrorKind {
    ErrorKind::Limit { name: "block", allowed, asked: allowed.saturating_add(1) }
}

fn refused(message: Option<&str>) -> ErrorKind {
    // Which of these it says depends on how much room it had, and so on who asks.
    const CIRCUMSTANTIAL: [&str; 4] = [
        "repeated call with bad state",
        "invalid literal/length code",
        "invalid distance code",
        "invalid distance too far back",
    ];
    let found =
        message.filter(|message| !CIRCUMSTANTIAL.contains(message)).unwrap_or("bytes that do not inflate").to_owned();
    ErrorKind::Value { expected: "a sound zlib stream".into(), found: found.into() }
}

/// Tests the two bytes that a zlib stream starts with, and says what is there instead.
fn check_header(stored: &[u8]) -> Result<(), InflateError> {
    let Some(&[method, flags]) = stored.first_chunk::<2>() else {
        let left = as_u64(stored.len());
        return Err(InflateError::new(0, ErrorKind::UnexpectedEnd { needed: 2, left }));
    };
    let found = if u16::from_be_bytes([method, flags]) % 31 != 0 || method & 15 != 8 || method >> 4 > 7 {
        let shown = show_bytes(&[method, flags]);
        if is_raw_deflate(stored) { format!("{shown}: raw deflate data without the wrapper") } else { shown }
    } else if flags & 0x20 != 0 {
        String::from("one that needs a preset dictionary")
    } else {
        return Ok(());
    };
    Err(InflateError::new(0, ErrorKind::Value { expected: "a zlib stream".into(), found: found.into() }))
}

/// Tells whether bytes inflate without a wrapper, as far as a kilobyte shows.
fn is_raw_deflate(stored: &[u8]) -> bool {
    let mut some = [0; 1024];
    let mut engine = Decompress::new(false);
    let done = engine.decompress(stored, &mut some, FlushDecompress::None);
    done.is_ok_and(|status| status == Status::StreamEnd || engine.total_out() == as_u64(some.len()))
}

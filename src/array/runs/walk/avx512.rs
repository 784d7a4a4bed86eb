//! A fast scan of runs of records for processors with AVX-512 and VBMI.
//!
//! The byte permutation instruction of VBMI looks up 64 bytes at once in a table of 64 or 128
//! bytes. With the byte permutation instruction, the scan follows a chain of runs from each of 64
//! bytes, before it is known which of the 64 bytes are starts of runs.
//!
//! A window is a block of 64 consecutive bytes of the file. Each byte of the window is interpreted
//! as the count byte of a run, which gives a table with the position of the next run for each byte.
//! Looking up the entries of the table of next runs in the same table gives, for each byte, the
//! position of the second next run. Further look-ups give, for each byte, the positions of the
//! fourth, the eighth and the sixteenth next run. A look-up of a position after the window returns
//! this position unchanged. The table of the sixteenth next runs therefore contains, for each byte,
//! the first position after the window at which a scan from this byte arrives. Only one look-up in
//! a window depends on the previous window: the position at which the scan leaves the previous
//! window is the position at which the scan enters the next window.
//!
//! The number `n` of runs in a window is computed from the positions at which the scan enters and
//! leaves the window. `n` runs of four-byte records take `n` bytes more than a multiple of four,
//! which gives `n` modulo four. The value of `n` rounded down to a multiple of four follows from
//! whether the fourth, the eighth and the twelfth next run still start inside the window. If a
//! window contains more than sixteen runs, the AVX-512 scan stops before the group of eight windows
//! that contains this window, and another scan algorithm scans the runs of the group. Only windows
//! with many empty runs contain more than sixteen runs.

use std::arch::x86_64::{
    __m512i, _mm512_add_epi8, _mm512_andnot_si512, _mm512_cmpge_epu8_mask, _mm512_cmpgt_epu8_mask,
    _mm512_cmplt_epu8_mask, _mm512_cvtsi512_si32, _mm512_mask_mov_epi8, _mm512_maskz_mov_epi8, _mm512_max_epu8,
    _mm512_permutex2var_epi8, _mm512_permutexvar_epi8, _mm512_set1_epi8, _mm512_setzero_si512, _mm512_sub_epi8,
    _mm512_xor_si512,
};

use crate::array::runs::walk::kernel::{WalkLimits, WalkProgress};
use crate::simd::{CpuLevel, kernel};

/// Size of a window, in bytes.
const WINDOW: usize = 64;
/// The number of windows in a group: after each group, the loop checks for a run with too many
/// records and for a window with more than sixteen runs.
const WINDOW_BATCH: usize = 8;
/// The position that marks a run with too many records. No run with at most [`MAX_COUNT`] records
/// ends at the position `INVALID_START`.
const INVALID_START: i8 = 127;
/// The greatest number of records with which a run ends before position [`INVALID_START`], even if
/// the run starts at the last byte of the window.
const MAX_COUNT: u8 = 15;

/// For each byte of a window, the position of the next byte: 1 to 64.
const AFTER: [u8; WINDOW] = counting(1);
/// The 64 positions after the window: 64 to 127.
const BEHIND: [u8; WINDOW] = counting(64);

const fn counting(first: u8) -> [u8; WINDOW] {
    let mut all = [first; WINDOW];
    let (mut rest, mut number) = (all.as_mut_slice(), first);
    while let Some((one, others)) = rest.split_first_mut() {
        *one = number;
        number = number.wrapping_add(1);
        rest = others;
    }
    all
}

/// Returns whether the processor supports the AVX-512 and VBMI instructions of this scan.
pub(crate) fn is_supported() -> bool {
    CpuLevel::best() == CpuLevel::Avx512
}

kernel! {
    /// Scans runs of records, eight windows of 64 bytes at a time.
    ///
    /// If the processor does not support both AVX-512 and VBMI, `pass` scans no runs.
    pub(crate) fn pass(bytes: &[u8], limits: WalkLimits) -> WalkProgress {
        avx512 => permute(bytes, limits),
        _ => WalkProgress::default(),
    }
}

#[inline]
#[target_feature(enable = "avx2,avx512bw,avx512f,avx512vbmi")]
fn permute(bytes: &[u8], limits: WalkLimits) -> WalkProgress {
    const SIZE: usize = WINDOW * WINDOW_BATCH;
    let most = _mm512_set1_epi8(limits.count.min(MAX_COUNT).cast_signed());
    let outside = _mm512_set1_epi8(64);
    let bad = _mm512_set1_epi8(63);
    // The last run of a group of windows may end up to 64 bytes after the group, so at least 64
    // bytes must follow the group.
    let whole = bytes.len().saturating_sub(WINDOW) / SIZE;
    let mut passed = WalkProgress::default();
    let mut entry = _mm512_setzero_si512();
    for group in bytes.as_chunks::<SIZE>().0.iter().take(whole) {
        if limits.runs.saturating_sub(passed.runs) < SIZE.wrapping_add(WINDOW) {
            break;
        }
        let mut runs = _mm512_set1_epi8(8);
        let mut worst = _mm512_setzero_si512();
        let mut at = entry;
        for pair in group.as_chunks::<WINDOW>().0.as_chunks::<2>().0 {
            for (exits, fours) in two(pair, most) {
                let exit = _mm512_permutexvar_epi8(at, exits);
                let more = _mm512_andnot_si512(_mm512_sub_epi8(at, exit), _mm512_set1_epi8(3));
                runs = _mm512_add_epi8(_mm512_add_epi8(runs, more), _mm512_permutexvar_epi8(at, fours));
                worst = _mm512_max_epu8(worst, _mm512_xor_si512(exit, outside));
                // The permutation instruction uses only the lowest six bits of the index `at`,
                // which are the position in the next window.
                at = exit;
            }
        }
        if _mm512_cmpge_epu8_mask(worst, bad) != 0 {
            break;
        }
        entry = at;
        passed.bytes = passed.bytes.wrapping_add(SIZE);
        passed.runs = passed.runs.wrapping_add(lowest(runs, 0xff));
    }
    passed.bytes = passed.bytes.wrapping_add(lowest(entry, 0x3f));
    passed
}

/// Follows a chain of runs from each byte of two windows.
///
/// Returns a pair of vectors for each window, with one entry for each byte of the window. Entry *i*
/// of the first vector is the position at which a scan from byte *i* of the window leaves the
/// window. Entry *i* of the second vector is the number of runs after the run at byte *i* that
/// start inside the window, rounded down to a multiple of four. The instructions for two windows
/// are interleaved, because each table look-up in a window waits for the result of the previous
/// look-up.
#[inline]
#[target_feature(enable = "avx2,avx512bw,avx512f,avx512vbmi")]
fn two([first, second]: &[[u8; WINDOW]; 2], most: __m512i) -> [(__m512i, __m512i); 2] {
    let (a1, b1) = (next(load(first), most), next(load(second), most));
    let (a2, b2) = (follow(a1, a1), follow(b1, b1));
    let (a4, b4) = (follow(a2, a2), follow(b2, b2));
    let (a8, b8) = (follow(a4, a4), follow(b4, b4));
    [(follow(a8, a8), fours(a4, a8, follow(a8, a4))), (follow(b8, b8), fours(b4, b8, follow(b8, b4)))]
}

/// Returns, for each byte of a window, the position after a run whose count byte is this byte.
#[inline]
#[target_feature(enable = "avx512bw,avx512f")]
fn next(counts: __m512i, most: __m512i) -> __m512i {
    let twice = _mm512_add_epi8(counts, counts);
    let start = _mm512_add_epi8(load(&AFTER), _mm512_add_epi8(twice, twice));
    _mm512_mask_mov_epi8(start, _mm512_cmpgt_epu8_mask(counts, most), _mm512_set1_epi8(INVALID_START))
}

/// Looks up each position in `places` in the table `steps`. A position of 64 or more, which is
/// after the window, is returned unchanged.
#[inline]
#[target_feature(enable = "avx512bw,avx512f,avx512vbmi")]
fn follow(places: __m512i, steps: __m512i) -> __m512i {
    _mm512_permutex2var_epi8(steps, places, load(&BEHIND))
}

/// Returns, for each byte of a window, four times the number of the three given positions that are
/// inside the window.
///
/// The three positions of a byte are the starts of the fourth, the eighth and the twelfth run after
/// the run at this byte.
#[inline]
#[target_feature(enable = "avx512bw,avx512f")]
fn fours(fourth: __m512i, eighth: __m512i, twelfth: __m512i) -> __m512i {
    let inside = |places| _mm512_cmplt_epu8_mask(places, _mm512_set1_epi8(64));
    let four = _mm512_maskz_mov_epi8(inside(fourth), _mm512_set1_epi8(4));
    let eight = _mm512_mask_mov_epi8(four, inside(eighth), _mm512_set1_epi8(8));
    _mm512_mask_mov_epi8(eight, inside(twelfth), _mm512_set1_epi8(12))
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load(bytes: &[u8; WINDOW]) -> __m512i {
    bytemuck::must_cast(*bytes)
}

/// Returns the lowest 32 bits of the vector `bytes`, combined with `mask` by a bitwise AND.
#[inline]
#[target_feature(enable = "avx512f")]
fn lowest(bytes: __m512i, mask: u32) -> usize {
    usize::try_from(_mm512_cvtsi512_si32(bytes).cast_unsigned() & mask).unwrap_or_default()
}

//! A fast walk over runs for processors with AVX-512 and VBMI.
//!
//! The byte permutation of VBMI is a table look-up for 64 bytes at once, in a table of 64 or 128
//! bytes. With this instruction, the walk follows the runs from each of 64 bytes, before it is
//! known which of these bytes is the start of a run.
//!
//! A window is 64 bytes of the file. Each byte of the window is treated as a count, which gives a
//! table with the position of the next run for each byte. Looking up the entries of this table in
//! the table itself gives the position of the second next run. Further look-ups give the position
//! of the fourth, the eighth and the sixteenth next run. A position after the window maps to
//! itself. So the last table contains, for each byte, the position at which a walk that starts at
//! this byte leaves the window. Only one look-up depends on the previous window: the position at
//! which the walk leaves the previous window is the position at which it enters this window.
//!
//! The number of runs in a window is computed from the offsets. `n` runs of four-byte records take
//! `n` bytes more than a multiple of four, which gives `n` modulo four. The multiple of four in `n`
//! follows from whether the fourth, the eighth and the twelfth next run still start inside the
//! window. If a window has more than sixteen runs, this walk stops and the other walks measure
//! these runs. Only windows with many empty runs have more than sixteen runs.

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
/// The number of windows that are processed before the results are checked.
const WINDOW_BATCH: usize = 8;
/// The invalid position, which marks that a run is too long. No valid run ends at this position.
const INVALID_START: i8 = 127;
/// The maximum number of records of a run that ends before the invalid position from every start in
/// the window.
const MAX_COUNT: u8 = 15;

/// For each byte of a window, the position of the next byte.
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

/// Returns whether the processor supports the AVX-512 and VBMI instructions of this walk.
pub(crate) fn is_supported() -> bool {
    CpuLevel::best() == CpuLevel::Avx512
}

kernel! {
    /// Walks over runs, eight windows at a time.
    ///
    /// If the processor does not support the instructions, walks over no runs.
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
    // The last run may end after the last window, and the bytes after the last window belong to
    // runs too.
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
                // The permutation uses the lowest six bits of an index, which are the position in
                // the next window.
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

/// Follows the runs from each byte of two windows.
///
/// Returns two values for each byte of a window. The first value is the position at which a walk
/// from this byte leaves the window. The second value is the number of runs in this walk before its
/// last run, rounded down to a multiple of four. Two windows are processed together, because each
/// table look-up in a window waits for the result of the previous look-up.
#[inline]
#[target_feature(enable = "avx2,avx512bw,avx512f,avx512vbmi")]
fn two([first, second]: &[[u8; WINDOW]; 2], most: __m512i) -> [(__m512i, __m512i); 2] {
    let (a1, b1) = (next(load(first), most), next(load(second), most));
    let (a2, b2) = (follow(a1, a1), follow(b1, b1));
    let (a4, b4) = (follow(a2, a2), follow(b2, b2));
    let (a8, b8) = (follow(a4, a4), follow(b4, b4));
    [(follow(a8, a8), fours(a4, a8, follow(a8, a4))), (follow(b8, b8), fours(b4, b8, follow(b8, b4)))]
}

/// Returns the start of the next run for each byte at which a run may start.
#[inline]
#[target_feature(enable = "avx512bw,avx512f")]
fn next(counts: __m512i, most: __m512i) -> __m512i {
    let twice = _mm512_add_epi8(counts, counts);
    let start = _mm512_add_epi8(load(&AFTER), _mm512_add_epi8(twice, twice));
    _mm512_mask_mov_epi8(start, _mm512_cmpgt_epu8_mask(counts, most), _mm512_set1_epi8(INVALID_START))
}

/// Looks up each position of `places` in the table `steps`. A position after the window is
/// unchanged.
#[inline]
#[target_feature(enable = "avx512bw,avx512f,avx512vbmi")]
fn follow(places: __m512i, steps: __m512i) -> __m512i {
    _mm512_permutex2var_epi8(steps, places, load(&BEHIND))
}

/// For each byte, counts how many of three positions are inside the window, and returns four times
/// that number.
///
/// The positions are the starts of the fourth, the eighth and the twelfth run after the run at this
/// byte.
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

/// Returns the lowest 32 bits of the vector, limited to the bits that are set in `mask`.
#[inline]
#[target_feature(enable = "avx512f")]
fn lowest(bytes: __m512i, mask: u32) -> usize {
    usize::try_from(_mm512_cvtsi512_si32(bytes).cast_unsigned() & mask).unwrap_or_default()
}

//! Where runs lead, found for 64 bytes at a time before it is known which of them start one. For processors with AVX-512 and
//! VBMI, whose byte permutation looks up 64 or 128 bytes at once.
//!
//! A window is 64 bytes. Taking each for a count gives, for each, where the next run would start; looking that up in itself
//! gives the start of the second next, then of the fourth, the eighth and the sixteenth. What lies behind the window is mapped to
//! itself, so the last of these says where a run that starts at any byte finally leaves the window. All that depends on the
//! window before is one look-up: where it was left is where this one is entered.
//!
//! How many runs there were, the offsets tell: `n` runs of four-byte records take `n` bytes more than a multiple of four, which
//! gives `n` up to a multiple of four; whether the fourth, the eighth and the twelfth still start inside gives the rest. More than
//! sixteen runs in a window, which takes many without a record, are left to others.

use std::arch::x86_64::{
    __m512i, _mm512_add_epi8, _mm512_andnot_si512, _mm512_cmpge_epu8_mask, _mm512_cmpgt_epu8_mask,
    _mm512_cmplt_epu8_mask, _mm512_cvtsi512_si32, _mm512_mask_mov_epi8, _mm512_maskz_mov_epi8, _mm512_max_epu8,
    _mm512_permutex2var_epi8, _mm512_permutexvar_epi8, _mm512_set1_epi8, _mm512_setzero_si512, _mm512_sub_epi8,
    _mm512_xor_si512,
};

use crate::array::runs::walk::kernel::{WalkLimits, WalkProgress};
use crate::simd::{CpuLevel, kernel};

/// Bytes of a window.
const WINDOW: usize = 64;
/// Windows that are looked at before anybody asks whether all went well.
const WINDOW_BATCH: usize = 8;
/// Where "nowhere" lies: the place after a run that is too long. No run that is allowed leads there.
const INVALID_START: i8 = 127;
/// The longest run whose end lies before that, wherever in the window it starts.
const MAX_COUNT: u8 = 15;

/// The byte after each.
const AFTER: [u8; WINDOW] = counting(1);
/// The places behind the window.
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

/// Returns whether the processor supports the instructions.
pub(crate) fn is_supported() -> bool {
    CpuLevel::best() == CpuLevel::Avx512
}

kernel! {
    /// Passes over runs, eight windows at a time; over none if the instructions are not supported.
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
    // The last run may end behind the last window, but there too the bytes belong to runs.
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
                // Of an index, the permutation looks at the lowest six bits: the place in the next window.
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

/// For each byte of two windows: where a run that starts there leaves the window, and four for each four runs before its last
/// that it takes. Both at a time, as each waits for itself at every step.
#[inline]
#[target_feature(enable = "avx2,avx512bw,avx512f,avx512vbmi")]
fn two([first, second]: &[[u8; WINDOW]; 2], most: __m512i) -> [(__m512i, __m512i); 2] {
    let (a1, b1) = (next(load(first), most), next(load(second), most));
    let (a2, b2) = (follow(a1, a1), follow(b1, b1));
    let (a4, b4) = (follow(a2, a2), follow(b2, b2));
    let (a8, b8) = (follow(a4, a4), follow(b4, b4));
    [(follow(a8, a8), fours(a4, a8, follow(a8, a4))), (follow(b8, b8), fours(b4, b8, follow(b8, b4)))]
}

/// Returns where the next run starts after one that starts at each byte.
#[inline]
#[target_feature(enable = "avx512bw,avx512f")]
fn next(counts: __m512i, most: __m512i) -> __m512i {
    let twice = _mm512_add_epi8(counts, counts);
    let start = _mm512_add_epi8(load(&AFTER), _mm512_add_epi8(twice, twice));
    _mm512_mask_mov_epi8(start, _mm512_cmpgt_epu8_mask(counts, most), _mm512_set1_epi8(INVALID_START))
}

/// Goes from each place in `places` to where `steps` leads from there; what is behind the window stays.
#[inline]
#[target_feature(enable = "avx512bw,avx512f,avx512vbmi")]
fn follow(places: __m512i, steps: __m512i) -> __m512i {
    _mm512_permutex2var_epi8(steps, places, load(&BEHIND))
}

/// Returns 4 for each of these runs after one that starts inside the window: the fourth, the eighth, the twelfth.
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

/// Returns some bits of the first byte.
#[inline]
#[target_feature(enable = "avx512f")]
fn lowest(bytes: __m512i, mask: u32) -> usize {
    usize::try_from(_mm512_cvtsi512_si32(bytes).cast_unsigned() & mask).unwrap_or_default()
}

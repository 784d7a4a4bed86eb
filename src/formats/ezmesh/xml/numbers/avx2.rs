//! AVX2 versions of two kernels: the parsing of decimal digits in [`notation`](super::notation),
//! and the search for separators. Most x86-64 processors have AVX2 instructions.

use std::arch::x86_64::{
    __m128i, __m256i, _mm_add_epi8, _mm_and_si128, _mm_cmpeq_epi8, _mm_cvtsi128_si64, _mm_madd_epi16,
    _mm_maddubs_epi16, _mm_min_epu8, _mm_movemask_epi8, _mm_packus_epi32, _mm_set_epi64x, _mm_set1_epi8,
    _mm_set1_epi16, _mm_set1_epi32, _mm_shuffle_epi8, _mm_sub_epi8, _mm256_cmpeq_epi8, _mm256_movemask_epi8,
    _mm256_or_si256, _mm256_set_epi64x, _mm256_set1_epi8,
};

use super::notation::{self, LAST, SCALES, Window};

/// Returns a bit mask of the separators in 64 bytes: bit `i` is set if byte `i` is a separator.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn separators(block: &[u8; 64]) -> u64 {
    let (halves, _) = block.as_chunks::<32>();
    let [low, high] = std::array::from_fn(|half| halves.get(half).map_or(0, |half| thirty_two(half)));
    u64::from(high) << 32 | u64::from(low)
}

#[inline]
#[target_feature(enable = "avx2")]
fn thirty_two(bytes: &[u8; 32]) -> u32 {
    let is = |byte: u8| _mm256_cmpeq_epi8(wide(bytes), _mm256_set1_epi8(byte.cast_signed()));
    let blanks = _mm256_or_si256(is(b' '), is(b','));
    let lines = _mm256_or_si256(is(b'\n'), is(b'\r'));
    _mm256_movemask_epi8(_mm256_or_si256(_mm256_or_si256(blanks, lines), is(b'\t'))).cast_unsigned()
}

/// The AVX2 version of [`notation::fixed`].
#[inline]
#[target_feature(enable = "avx2,bmi1,lzcnt")]
pub(super) fn fixed(window: &Window, length: usize) -> Option<f32> {
    let last = LAST.get(length)?;
    let digits = _mm_and_si128(_mm_add_epi8(narrow(window), _mm_set1_epi8(-0x30)), narrow(last));
    let points = bits(_mm_cmpeq_epi8(digits, _mm_set1_epi8(-2)));
    let good = bits(_mm_cmpeq_epi8(_mm_min_epu8(digits, _mm_set1_epi8(9)), digits));
    let one_point = points & points.wrapping_sub(1) == 0 && points ^ good == 0xffff;
    if !one_point || length <= usize::from(points != 0) {
        return None;
    }
    let after = usize::try_from((points << 16 | 0x8000).leading_zeros()).ok()?;
    // The indices of the bytes that precede the bytes of the window. A shuffle index with its top
    // bit set makes the shuffle instruction write a zero byte.
    let previous = _mm_set_epi64x(0x0e0d_0c0b_0a09_0807, 0x0605_0403_0201_00ff);
    // The digits before the point take the place of the point; the digits after it stay.
    let digits = _mm_shuffle_epi8(digits, _mm_sub_epi8(previous, narrow(LAST.get(after)?)));
    let pairs = _mm_maddubs_epi16(digits, _mm_set1_epi16(0x010a));
    let fours = _mm_madd_epi16(pairs, _mm_set1_epi32(0x0001_0064));
    let eights = _mm_madd_epi16(_mm_packus_epi32(fours, fours), _mm_set1_epi32(0x0001_2710));
    let both = _mm_cvtsi128_si64(eights).cast_unsigned();
    let number = (both & 0xffff_ffff).wrapping_mul(100_000_000).wrapping_add(both >> 32);
    notation::narrow(number, *SCALES.get(after)?)
}

#[inline]
#[target_feature(enable = "sse2")]
fn bits(bytes: __m128i) -> u32 {
    _mm_movemask_epi8(bytes).cast_unsigned()
}

#[inline]
#[target_feature(enable = "sse2")]
fn narrow(bytes: &Window) -> __m128i {
    let eight = |at| i64::from_le_bytes(bytes.as_chunks().0.get::<usize>(at).copied().unwrap_or_default());
    _mm_set_epi64x(eight(1), eight(0))
}

#[inline]
#[target_feature(enable = "avx2")]
fn wide(bytes: &[u8; 32]) -> __m256i {
    let eight = |at| i64::from_le_bytes(bytes.as_chunks().0.get::<usize>(at).copied().unwrap_or_default());
    _mm256_set_epi64x(eight(3), eight(2), eight(1), eight(0))
}

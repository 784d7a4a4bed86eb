//! The operations of eight lanes, for processors with AVX2.

use std::arch::x86_64::{
    __m256 as F, __m256i as I, __m256i as M, _CMP_LT_OQ, _mm256_add_epi32, _mm256_add_ps, _mm256_and_si256,
    _mm256_blendv_epi8, _mm256_castps_si256, _mm256_castsi256_ps, _mm256_cmp_ps, _mm256_cmpgt_epi32,
    _mm256_cvtepi32_ps, _mm256_div_ps, _mm256_max_epi32, _mm256_max_ps, _mm256_min_epi32, _mm256_min_ps,
    _mm256_movemask_ps, _mm256_mul_ps, _mm256_mullo_epi32, _mm256_or_si256, _mm256_set1_epi32, _mm256_set1_ps,
    _mm256_srai_epi32, _mm256_sub_epi32, _mm256_sub_ps, _mm256_xor_si256,
};

use super::fill::fill_with_operations;
use super::set_up::set_up_with_operations;

/// The number of lanes.
const N: usize = 8;

/// Defines operations that are one expression.
macro_rules! operations {
    ($($name:ident($($arg:ident: $type:ty),*) -> $result:ty = $body:expr;)*) => {$(
        #[inline]
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt")]
        fn $name($($arg: $type),*) -> $result {
            $body
        }
    )*};
}

operations! {
    splat(value: f32) -> F = _mm256_set1_ps(value);
    add(a: F, b: F) -> F = _mm256_add_ps(a, b);
    sub(a: F, b: F) -> F = _mm256_sub_ps(a, b);
    mul(a: F, b: F) -> F = _mm256_mul_ps(a, b);
    div(a: F, b: F) -> F = _mm256_div_ps(a, b);
    least(a: F, b: F) -> F = _mm256_min_ps(a, b);
    most(a: F, b: F) -> F = _mm256_max_ps(a, b);
    less(a: F, b: F) -> I = _mm256_castps_si256(_mm256_cmp_ps::<_CMP_LT_OQ>(a, b));
    bits(a: F) -> I = _mm256_castps_si256(a);
    float(a: I) -> F = _mm256_cvtepi32_ps(a);
    int(value: i32) -> I = _mm256_set1_epi32(value);
    iadd(a: I, b: I) -> I = _mm256_add_epi32(a, b);
    isub(a: I, b: I) -> I = _mm256_sub_epi32(a, b);
    imul(a: I, b: I) -> I = _mm256_mullo_epi32(a, b);
    imin(a: I, b: I) -> I = _mm256_min_epi32(a, b);
    imax(a: I, b: I) -> I = _mm256_max_epi32(a, b);
    iless(a: I, b: I) -> I = _mm256_cmpgt_epi32(b, a);
    and(a: I, b: I) -> I = _mm256_and_si256(a, b);
    or(a: I, b: I) -> I = _mm256_or_si256(a, b);
    both(a: I, b: I) -> I = _mm256_and_si256(a, b);
    either(a: I, b: I) -> I = _mm256_or_si256(a, b);
    not(a: I) -> I = _mm256_xor_si256(a, _mm256_set1_epi32(-1));
    choose(condition: I, a: I, b: I) -> I = _mm256_blendv_epi8(b, a, condition);
    mask(a: I, part: usize) -> u32 = lanes(_mm256_movemask_ps(_mm256_castsi256_ps(a)).cast_unsigned(), part);
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt")]
fn shift_right<const BITS: i32>(a: I) -> I {
    _mm256_srai_epi32::<BITS>(a)
}

/// Returns the mask of sixteen lanes, of which this is the first or the second half.
fn lanes(mask: u32, part: usize) -> u32 {
    if part == 0 { mask } else { mask << 8 }
}

/// Returns the coordinates of triangles, with one lane for each triangle.
#[inline(always)]
fn transposed(triangles: &[f32; 9 * N]) -> [F; 9] {
    let mut parts = [[0.0; N]; 9];
    for (lane, triangle) in triangles.as_chunks::<9>().0.iter().enumerate() {
        for (part, value) in parts.iter_mut().zip(triangle) {
            part.get_mut(lane).into_iter().for_each(|place| *place = *value);
        }
    }
    bytemuck::cast(parts)
}

set_up_with_operations! {
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt")]
}

fill_with_operations! {
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt")]
}

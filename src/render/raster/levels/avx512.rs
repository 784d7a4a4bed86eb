//! The operations of sixteen lanes, for processors with AVX-512.

use std::arch::x86_64::{
    __m512 as F, __m512i as I, __mmask16 as M, _CMP_LT_OQ, _mm512_add_epi32, _mm512_add_ps, _mm512_and_si512,
    _mm512_castps_si512, _mm512_cmp_ps_mask, _mm512_cmplt_epi32_mask, _mm512_cvtepi32_ps, _mm512_div_ps,
    _mm512_mask_blend_epi32, _mm512_mask_permutexvar_ps, _mm512_max_epi32, _mm512_max_ps, _mm512_min_epi32,
    _mm512_min_ps, _mm512_mul_ps, _mm512_mullo_epi32, _mm512_or_si512, _mm512_set1_epi32, _mm512_set1_ps,
    _mm512_srai_epi32, _mm512_sub_epi32, _mm512_sub_ps,
};

use super::fill::fill_with_operations;
use super::set_up::set_up_with_operations;

/// The number of lanes.
const N: usize = 16;

/// Defines operations that are one expression.
macro_rules! operations {
    ($($name:ident($($arg:ident: $type:ty),*) -> $result:ty = $body:expr;)*) => {$(
        #[inline]
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,lzcnt")]
        fn $name($($arg: $type),*) -> $result {
            $body
        }
    )*};
}

operations! {
    splat(value: f32) -> F = _mm512_set1_ps(value);
    add(a: F, b: F) -> F = _mm512_add_ps(a, b);
    sub(a: F, b: F) -> F = _mm512_sub_ps(a, b);
    mul(a: F, b: F) -> F = _mm512_mul_ps(a, b);
    div(a: F, b: F) -> F = _mm512_div_ps(a, b);
    least(a: F, b: F) -> F = _mm512_min_ps(a, b);
    most(a: F, b: F) -> F = _mm512_max_ps(a, b);
    less(a: F, b: F) -> M = _mm512_cmp_ps_mask::<_CMP_LT_OQ>(a, b);
    bits(a: F) -> I = _mm512_castps_si512(a);
    float(a: I) -> F = _mm512_cvtepi32_ps(a);
    int(value: i32) -> I = _mm512_set1_epi32(value);
    iadd(a: I, b: I) -> I = _mm512_add_epi32(a, b);
    isub(a: I, b: I) -> I = _mm512_sub_epi32(a, b);
    imul(a: I, b: I) -> I = _mm512_mullo_epi32(a, b);
    imin(a: I, b: I) -> I = _mm512_min_epi32(a, b);
    imax(a: I, b: I) -> I = _mm512_max_epi32(a, b);
    iless(a: I, b: I) -> M = _mm512_cmplt_epi32_mask(a, b);
    and(a: I, b: I) -> I = _mm512_and_si512(a, b);
    or(a: I, b: I) -> I = _mm512_or_si512(a, b);
    both(a: M, b: M) -> M = a & b;
    either(a: M, b: M) -> M = a | b;
    not(a: M) -> M = !a;
    choose(condition: M, a: I, b: I) -> I = _mm512_mask_blend_epi32(condition, b, a);
    mask(a: M, _part: usize) -> u32 = u32::from(a);
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,lzcnt")]
fn shift_right<const BITS: u32>(a: I) -> I {
    _mm512_srai_epi32::<BITS>(a)
}

/// The places of a coordinate of the triangles in 144 consecutive numbers, in nine registers.
struct Places {
    /// The index of each lane in its register.
    index: [i32; N],
    /// The lanes whose number is in each register.
    registers: [M; 9],
}

const PLACES: [Places; 9] =
    [places(0), places(1), places(2), places(3), places(4), places(5), places(6), places(7), places(8)];

#[allow(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "evaluated by the compiler")]
#[allow(clippy::as_conversions, clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "at most 143")]
const fn places(coordinate: usize) -> Places {
    let mut places = Places { index: [0; N], registers: [0; 9] };
    let mut lane = 0;
    while lane < N {
        let at = 9 * lane + coordinate;
        places.index[lane] = (at % N) as i32;
        places.registers[at / N] |= 1 << lane;
        lane += 1;
    }
    places
}

/// Returns the coordinates of triangles, with one lane for each triangle.
///
/// The compiler would read each number with a gather instruction, which is slower.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,lzcnt")]
fn transposed(triangles: &[f32; 9 * N]) -> [F; 9] {
    let registers: [F; 9] = bytemuck::cast(*triangles);
    let mut parts = [splat(0.0); 9];
    for (part, places) in parts.iter_mut().zip(&PLACES) {
        for (register, lanes) in registers.iter().zip(places.registers) {
            *part = _mm512_mask_permutexvar_ps(*part, lanes, bytemuck::cast(places.index), *register);
        }
    }
    parts
}

set_up_with_operations! {
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,lzcnt")]
}

fill_with_operations! {
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,lzcnt")]
}

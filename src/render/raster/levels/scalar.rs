//! The operations of one lane, for every processor.

use std::primitive::{bool as M, f32 as F, i32 as I};

use crate::math::{fast_max, fast_min};

use super::fill::fill_with_operations;
use super::set_up::set_up_with_operations;

/// The number of lanes.
const N: usize = 1;

/// Defines operations that are one expression.
macro_rules! operations {
    ($($name:ident($($arg:ident: $type:ty),*) -> $result:ty = $body:expr;)*) => {$(
        #[inline(always)]
        fn $name($($arg: $type),*) -> $result {
            $body
        }
    )*};
}

operations! {
    splat(value: f32) -> F = value;
    add(a: F, b: F) -> F = a + b;
    sub(a: F, b: F) -> F = a - b;
    mul(a: F, b: F) -> F = a * b;
    div(a: F, b: F) -> F = a / b;
    least(a: F, b: F) -> F = fast_min(a, b);
    most(a: F, b: F) -> F = fast_max(a, b);
    less(a: F, b: F) -> M = a < b;
    bits(a: F) -> I = a.to_bits().cast_signed();
    int(value: i32) -> I = value;
    iadd(a: I, b: I) -> I = a.wrapping_add(b);
    isub(a: I, b: I) -> I = a.wrapping_sub(b);
    imul(a: I, b: I) -> I = a.wrapping_mul(b);
    imin(a: I, b: I) -> I = a.min(b);
    imax(a: I, b: I) -> I = a.max(b);
    iless(a: I, b: I) -> M = a < b;
    and(a: I, b: I) -> I = a & b;
    or(a: I, b: I) -> I = a | b;
    both(a: M, b: M) -> M = a & b;
    either(a: M, b: M) -> M = a | b;
    not(a: M) -> M = !a;
    choose(condition: M, a: I, b: I) -> I = if condition { a } else { b };
    mask(a: M, part: usize) -> u32 = u32::from(a).wrapping_shl(u32::try_from(part).unwrap_or_default());
}

#[inline(always)]
#[allow(clippy::as_conversions, clippy::cast_precision_loss, reason = "at most 2^22")]
fn float(a: I) -> F {
    a as f32
}

#[inline(always)]
fn shift_right<const BITS: u32>(a: I) -> I {
    a.wrapping_shr(BITS)
}

#[inline(always)]
const fn transposed(triangle: &[F; 9]) -> [F; 9] {
    *triangle
}

set_up_with_operations! {
    #[inline(always)]
}

fill_with_operations! {
    #[inline(always)]
}

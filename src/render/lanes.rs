//! Sixteen numbers that a kernel processes together.
//!
//! The functions are loops over arrays, which the compiler turns into vector instructions. Every
//! lane is computed with the same IEEE operations as a single number, so the results do not depend
//! on the processor.

/// The number of lanes.
pub(crate) const LANES: usize = 16;

/// One number for each lane.
pub(crate) type Lanes<T> = [T; LANES];

/// Computes one number for each lane.
#[inline(always)]
pub(crate) fn map<A: Copy, B: Copy + Default>(one: Lanes<A>, with: impl Fn(A) -> B) -> Lanes<B> {
    let mut out = [B::default(); LANES];
    for (out, one) in out.iter_mut().zip(&one) {
        *out = with(*one);
    }
    out
}

/// Computes one number for each lane from two numbers.
#[inline(always)]
pub(crate) fn zip<A: Copy, B: Copy, C: Copy + Default>(
    one: Lanes<A>,
    other: Lanes<B>,
    with: impl Fn(A, B) -> C,
) -> Lanes<C> {
    let mut out = [C::default(); LANES];
    for ((out, one), other) in out.iter_mut().zip(&one).zip(&other) {
        *out = with(*one, *other);
    }
    out
}

/// Computes one number for each lane from three numbers.
#[inline(always)]
pub(crate) fn zip3<A: Copy, B: Copy, C: Copy, D: Copy + Default>(
    one: Lanes<A>,
    other: Lanes<B>,
    third: Lanes<C>,
    with: impl Fn(A, B, C) -> D,
) -> Lanes<D> {
    let mut out = [D::default(); LANES];
    for (((out, one), other), third) in out.iter_mut().zip(&one).zip(&other).zip(&third) {
        *out = with(*one, *other, *third);
    }
    out
}

/// Computes one value for each item of an array.
///
/// [`array::map`] may be compiled as a function of its own, without the target features of its
/// caller.
#[inline(always)]
pub(crate) fn each<A: Copy, B: Copy + Default, const COUNT: usize>(
    items: [A; COUNT],
    with: impl Fn(A) -> B,
) -> [B; COUNT] {
    let mut out = [B::default(); COUNT];
    for (out, item) in out.iter_mut().zip(items) {
        *out = with(item);
    }
    out
}

//! Sixteen numbers that a kernel processes together.
//!
//! The functions are loops over arrays, which the compiler turns into vector instructions. Every
//! lane is computed with the same IEEE operations as a single number, so the results do not depend
//! on the processor. The loops have indices, because iterators of several arrays may be compiled
//! as functions of their own.
#![allow(clippy::indexing_slicing, clippy::needless_range_loop, reason = "an array has an item for each lane")]

/// The number of lanes.
pub(crate) const LANES: usize = 16;

/// One number for each lane.
pub(crate) type Lanes<T> = [T; LANES];

/// Computes one number for each lane.
#[inline(always)]
pub(crate) fn map<A: Copy, B: Copy + Default>(one: Lanes<A>, with: impl Fn(A) -> B) -> Lanes<B> {
    each(one, with)
}

/// Computes one number for each lane from two numbers.
#[inline(always)]
pub(crate) fn zip<A: Copy, B: Copy, C: Copy + Default>(
    one: Lanes<A>,
    other: Lanes<B>,
    with: impl Fn(A, B) -> C,
) -> Lanes<C> {
    let mut out = [C::default(); LANES];
    for lane in 0..LANES {
        out[lane] = with(one[lane], other[lane]);
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
    for lane in 0..LANES {
        out[lane] = with(one[lane], other[lane], third[lane]);
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
    for index in 0..COUNT {
        out[index] = with(items[index]);
    }
    out
}

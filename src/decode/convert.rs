//! Output formats that decoded floats are converted to for a GPU: half floats or normalised
//! integers.
//!
//! [`Packed::decode_as`](crate::array::Packed::decode_as) decodes a small batch of values and
//! converts the batch while it is in the fastest cache of the processor. `decode_as` decodes and
//! converts the values batch by batch, so it never allocates an array of floats for all values.
//!
//! | format | component | worst error, of values in range | out of range | NaN |
//! |---|---|---|---|---|
//! | [`HalfFloat`] | [`half::f16`] | 2^-11 of the value, 2^-25 below 2^-14 | infinite from 65520 on | quiet |
//! | [`Unorm<u8>`](Unorm), [`Unorm<u16>`](Unorm) | `round(v * MAX)` | half a step, 1/510 or 1/131070 | clamped to 0..1 | 0 |
//! | [`Snorm<i8>`](Snorm), [`Snorm<i16>`](Snorm) | `round(v * MAX)` | half a step, 1/254 or 1/65534 | clamped to -1..1 | 0 |
//!
//! For normalised integers, the product `v * MAX` of the value and the largest integer is computed
//! in `f32`. The product `v * MAX` is rounded to the nearest integer, and a product midway between
//! two integers is rounded to the even integer. The conversion to normalised integers never
//! produces the smallest integer of a signed type (-128 or -32768).

use std::marker::PhantomData;

use bytemuck::Pod;
use half::f16;

use crate::decode::quantize::{
    clamp, float_to_half, float_to_snorm8, float_to_snorm16, float_to_unorm8, float_to_unorm16,
};

/// An output format for values that consist of `N` floats.
///
/// Every value can be converted: any float, including NaN, gives a component, and the conversion
/// never panics. Other crates may implement this trait for the formats that their shaders read.
pub trait OutputFormat<const N: usize>: Copy {
    /// The type that each float of a value is converted to, such as `u8`.
    type Component: Pod;

    /// Converts the `N` floats of one value to `N` components.
    fn convert(&self, value: [f32; N]) -> [Self::Component; N];

    /// Converts the elements of `values` to `out`, in order, until one of the two slices ends.
    ///
    /// `convert_all` may overwrite `values`. An output format overrides `convert_all` if it can
    /// convert many values faster than one by one. The components in `out` are equal to the results
    /// of [`convert`](Self::convert).
    fn convert_all(&self, values: &mut [[f32; N]], out: &mut [[Self::Component; N]]) {
        out.iter_mut().zip(values).for_each(|(out, value)| *out = self.convert(*value));
    }
}

/// The output format that converts each float to a half float (16 bits).
#[derive(Clone, Copy, Debug, Default)]
pub struct HalfFloat;

impl<const N: usize> OutputFormat<N> for HalfFloat {
    type Component = f16;

    #[inline]
    fn convert(&self, value: [f32; N]) -> [f16; N] {
        value.map(f16::from_f32)
    }

    fn convert_all(&self, values: &mut [[f32; N]], out: &mut [[f16; N]]) {
        float_to_half(values.as_flattened(), out.as_flattened_mut());
    }
}

/// The output format of normalised unsigned integers, `u8` or `u16`. The integer 0 represents the
/// float 0, and the largest integer of the type represents the float 1.
///
/// ```
/// use meshpeek::decode::convert::{OutputFormat, Unorm};
/// assert_eq!(Unorm::<u8>::new().convert([0.0, 0.2, 1.0, 7.0, f32::NAN]), [0, 51, 255, 255, 0]);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Unorm<I>(PhantomData<I>);

impl<I> Unorm<I> {
    /// Creates the output format of normalised unsigned integers.
    #[must_use]
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

/// The output format of normalised signed integers, `i8` or `i16`. The largest integer of the type
/// represents the float 1, and the negative of the largest integer represents -1.
///
/// ```
/// use meshpeek::decode::convert::{OutputFormat, Snorm};
/// assert_eq!(Snorm::<i16>::new().convert([0.0, -1.0, 0.5, 7.0, f32::NAN]), [0, -32767, 16384, 32767, 0]);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Snorm<I>(PhantomData<I>);

impl<I> Snorm<I> {
    /// Creates the output format of normalised signed integers.
    #[must_use]
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

/// Implements the output formats of normalised integers. The arguments on each line of the macro
/// call are the output format, the integer type, the value to which smaller values are clamped, the
/// integer that represents 1, and the kernel that converts an array of floats.
macro_rules! normalised {
    ($($format:ident of $integer:ty: $least:literal to $most:literal, $kernel:ident;)*) => {$(
        impl<const N: usize> OutputFormat<N> for $format<$integer> {
            type Component = $integer;

            #[inline]
            #[allow(clippy::as_conversions, clippy::cast_possible_truncation, reason = "it is in range")]
            #[allow(clippy::cast_sign_loss, reason = "it is not negative if the integer is unsigned")]
            fn convert(&self, value: [f32; N]) -> [$integer; N] {
                value.map(|value| (clamp(value, $least) * $most).round_ties_even() as $integer)
            }

            fn convert_all(&self, values: &mut [[f32; N]], out: &mut [[$integer; N]]) {
                $kernel(values.as_flattened(), out.as_flattened_mut());
            }
        }
    )*};
}

normalised! {
    Unorm of u8: 0.0 to 255.0, float_to_unorm8;
    Unorm of u16: 0.0 to 65535.0, float_to_unorm16;
    Snorm of i8: -1.0 to 127.0, float_to_snorm8;
    Snorm of i16: -1.0 to 32767.0, float_to_snorm16;
}

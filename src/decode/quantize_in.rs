//! The output format of positions relative to a bounding box.
//!
//! The worst error is that of the inner format, and 2^-23 of the box.

use crate::decode::convert::OutputFormat;
use crate::simd::kernel;

/// The output format of positions relative to a bounding box.
///
/// Each coordinate is 0 at the minimum of the bounding box and 1 at its maximum. The relative
/// positions are then converted to another output format.
///
/// A vertex shader computes the position with `min + part * (max - min)`, where `part` is the
/// relative position. If `max - min` of an axis is not positive or not finite, the relative
/// coordinate of a finite position along this axis is 0.
///
/// ```
/// use meshpeek::decode::QuantizeIn;
/// use meshpeek::decode::convert::{OutputFormat, Unorm};
/// let format = QuantizeIn::new([-1.0, 0.0, 5.0], [1.0, 4.0, 5.0], Unorm::<u16>::new());
/// assert_eq!(format.convert([1.0, 1.0, 5.0]), [65535, 16384, 0]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QuantizeIn<F, const N: usize> {
    min: [f32; N],
    scale: [f32; N],
    format: F,
}

impl<F, const N: usize> QuantizeIn<F, N> {
    /// Creates the output format from the two corners of the bounding box, and from the format that
    /// the relative positions are converted to.
    #[must_use]
    pub fn new(min: [f32; N], max: [f32; N], format: F) -> Self {
        let mut scale = max;
        for (scale, min) in scale.iter_mut().zip(min) {
            let extent = *scale - min;
            *scale = if extent > 0.0 && extent.is_finite() { extent.recip() } else { 0.0 };
        }
        Self { min, scale, format }
    }

    /// Returns the position of a point relative to the bounding box: each coordinate is 0 at the
    /// minimum of the bounding box, and 1 at its maximum.
    #[inline]
    fn part(&self, mut value: [f32; N]) -> [f32; N] {
        for ((value, min), scale) in value.iter_mut().zip(self.min).zip(self.scale) {
            *value = (*value - min) * scale;
        }
        value
    }
}

/// The number of floats that one iteration of the loop in `scale_into_box` scales. `LANES` is a
/// multiple of the lane count of every SIMD vector type, and of 1, 2, 3 and 4 (the number of floats
/// in a value).
const LANES: usize = 48;

impl<const N: usize, F: OutputFormat<N>> OutputFormat<N> for QuantizeIn<F, N> {
    type Component = F::Component;

    #[inline]
    fn convert(&self, value: [f32; N]) -> [F::Component; N] {
        self.format.convert(self.part(value))
    }

    fn convert_all(&self, values: &mut [[f32; N]], out: &mut [[F::Component; N]]) {
        if LANES.is_multiple_of(N) {
            let [mut min, mut scale] = [[0.0; LANES]; 2];
            let axes = self.min.into_iter().zip(self.scale).cycle();
            for ((min, scale), (axis_min, axis_scale)) in min.iter_mut().zip(&mut scale).zip(axes) {
                (*min, *scale) = (axis_min, axis_scale);
            }
            scale_into_box(values.as_flattened_mut(), &min, &scale);
        } else {
            for value in values.iter_mut() {
                *value = self.part(*value);
            }
        }
        self.format.convert_all(values, out);
    }
}

kernel! {
    /// Converts each float to a coordinate relative to the box: subtracts the minimum of the axis,
    /// then multiplies the difference by the scale of the axis.
    ///
    /// Element *i* of `min` and of `scale` applies to the floats with the indices *i*, *i* +
    /// [`LANES`], and so on.
    fn scale_into_box(values: &mut [f32], min: &[f32; LANES], scale: &[f32; LANES]) {
        let (chunks, rest) = values.as_chunks_mut::<LANES>();
        for chunk in chunks {
            for ((value, min), scale) in chunk.iter_mut().zip(min).zip(scale) {
                *value = (*value - min) * scale;
            }
        }
        for ((value, min), scale) in rest.iter_mut().zip(min).zip(scale) {
            *value = (*value - min) * scale;
        }
    }
}

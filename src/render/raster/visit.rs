//! Visits the pixels that a triangle covers, for surfaces that are not opaque.

use super::block::{Area, ScreenTriangle};
use super::projection::DEPTHS;
use super::visibility::{SAMPLE_POSITIONS, SAMPLES, VisibilityBuffer, depth_of};
use super::walk::{edges, slope};
use crate::math::{as_index, as_u64, fast_max, fast_min};

/// A pixel that a triangle covers in part or in full.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CoveredPixel {
    /// The column and the row in the picture.
    pub(crate) place: [i32; 2],
    /// A bit for each sample at which the triangle is nearer than what is in the buffer.
    pub(crate) samples: u8,
    /// The keys of all samples in the buffer, if the triangle is kept.
    keys: [i64; SAMPLES],
}

/// Calls `visit` for each pixel in which a triangle is nearer than what is in the buffer. `work` is
/// the work of a call.
///
/// The samples and the depths are those of [`fill`](super::kernels::fill).
#[allow(clippy::as_conversions, clippy::cast_precision_loss, reason = "as in `fill`")]
pub(crate) fn each_pixel(
    buffer: &mut VisibilityBuffer,
    area: &Area,
    triangle: &ScreenTriangle,
    work: u64,
    visit: &mut dyn FnMut(&mut VisibilityBuffer, &CoveredPixel),
) {
    let Some(edges) = edges(triangle) else { return };
    let ([left, top], [right, bottom]) = (area.min, area.max);
    let span = |parts: [i32; 3], low: i32, high: i32| {
        let [a, b, c] = parts;
        (a.min(b).min(c).max(low) >> 4)..=(a.max(b).max(c).min(high.wrapping_sub(1)) >> 4)
    };
    let (rows, columns) = (span(triangle.y, top, bottom), span(triangle.x, left, right));
    let pixels = as_u64(rows.clone().count()).saturating_mul(as_u64(columns.clone().count()));
    if !buffer.budget.take_pixels(pixels) {
        return;
    }
    let [a, b, c] = triangle.z;
    let (least, greatest) = (fast_min(fast_min(a, b), c), fast_max(fast_max(a, b), c));
    let ([x0, ..], [y0, ..], [z0, ..]) = (triangle.x, triangle.y, triangle.z);
    let [zx, zy] = slope(triangle);
    for row in rows {
        for column in columns.clone() {
            let mut pixel = CoveredPixel { place: [column, row], samples: 0, keys: [0; SAMPLES] };
            for ((sample, [dx, dy]), key) in (0_u32..).zip(SAMPLE_POSITIONS).zip(&mut pixel.keys) {
                let (x, y) = (column.wrapping_mul(16).wrapping_add(dx), row.wrapping_mul(16).wrapping_add(dy));
                let is_outside = edges.a.iter().zip(&edges.b).zip(&edges.start).any(|((a, b), start)| {
                    a.wrapping_mul(x.into()).wrapping_add(b.wrapping_mul(y.into())).wrapping_add(*start) < 0
                });
                if is_outside {
                    continue;
                }
                let z = z0 + zx * x.wrapping_sub(x0) as f32 + zy * y.wrapping_sub(y0) as f32;
                let z = fast_min(fast_max(z, least), greatest) + DEPTHS;
                *key = (i64::from(z.to_bits()) << 32) | i64::from(triangle.number);
                let stored = buffer.sample(pixel.place, sample).map_or(0, |stored| depth_of(*stored));
                if z.to_bits() < stored {
                    pixel.samples |= 1_u8.unbounded_shl(sample);
                }
            }
            if pixel.samples != 0 {
                if !buffer.budget.take(work) {
                    return;
                }
                visit(buffer, &pixel);
            }
        }
    }
}

impl CoveredPixel {
    /// Keeps the triangle in the samples in which it is nearer.
    pub(crate) fn keep(&self, buffer: &mut VisibilityBuffer) {
        for (sample, key) in (0_u32..).zip(self.keys) {
            if self.samples & 1_u8.unbounded_shl(sample) != 0 {
                buffer.sample(self.place, sample).into_iter().for_each(|stored| *stored = key.min(*stored));
            }
        }
    }

    /// Returns the middle of the pixel, in sixteenths of a pixel.
    #[allow(clippy::as_conversions, clippy::cast_precision_loss, reason = "at most 2^18")]
    pub(crate) fn middle(&self) -> [f32; 2] {
        self.place.map(|part| part.wrapping_mul(16).wrapping_add(8) as f32)
    }

    /// Returns the index of the pixel in the buffer.
    pub(crate) fn index(&self, buffer: &VisibilityBuffer) -> u32 {
        let [column, row] = self.place.map(i32::cast_unsigned);
        let line = row.wrapping_sub(buffer.rows.start);
        line.wrapping_mul(buffer.groups.wrapping_mul(4)).wrapping_add(column)
    }
}

impl VisibilityBuffer {
    /// Returns a sample of a pixel of the picture.
    fn sample(&mut self, [column, row]: [i32; 2], sample: u32) -> Option<&mut i64> {
        let row = row.cast_unsigned().checked_sub(self.rows.start)?;
        let group = row.checked_mul(self.groups)?.checked_add(column.cast_unsigned() / 4)?;
        let lane = (column.cast_unsigned() % 4).wrapping_mul(4).wrapping_add(sample);
        self.samples.get_mut(as_index(group))?.get_mut(as_index(lane))
    }
}

//! Lists the fragments of each surface.

use crate::error::Result;
use crate::math::as_index;
use crate::parse::filled;
use crate::render::raster::visibility::{EMPTY, GROUP, SAMPLES, VisibilityBuffer, triangle_of};
use crate::render::surfaces::SurfaceSpan;

/// The end of a list.
const END: u32 = u32::MAX;

/// The part of a pixel that one triangle covers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fragment {
    /// The index of the pixel in the buffer: row × width of the groups + column.
    pub(crate) pixel: u32,
    /// The number of the triangle in the picture.
    pub(crate) triangle: u32,
    /// A bit for each sample of the pixel.
    pub(crate) samples: u8,
}

/// The fragments of all surfaces.
///
/// The fragments of a surface are a linked list in the visibility buffer: the link replaces the
/// depth of the first sample of a fragment. The list is in the order of the pixels.
pub(crate) struct FragmentLists<'b> {
    buffer: &'b VisibilityBuffer,
    /// The index of the first sample of each surface.
    heads: Vec<u32>,
    /// The number of fragments of each surface.
    counts: Vec<u32>,
}

impl<'b> FragmentLists<'b> {
    /// Links the fragments. `spans` are the triangles of the surfaces, in ascending order. The
    /// depths in the buffer are lost.
    pub(crate) fn new(buffer: &'b mut VisibilityBuffer, spans: &[SurfaceSpan]) -> Result<Self> {
        let mut heads = filled("picture", "surfaces", spans.len(), END)?;
        let mut counts: Vec<u32> = filled("picture", "surfaces", spans.len(), 0)?;
        let (mut surface, mut span) = (0, SurfaceSpan { first: 0, end: 0 });
        let samples = buffer.samples.as_flattened_mut();
        let pixels = samples.len() / SAMPLES;
        for pixel in (0..pixels).rev() {
            let start = pixel.saturating_mul(SAMPLES);
            let Some(four) = samples.get_mut(start..).and_then(|rest| rest.first_chunk_mut::<SAMPLES>()) else { break };
            if *four == [EMPTY; SAMPLES] {
                continue;
            }
            let triangles = four.map(triangle_of);
            for (at, (sample, triangle)) in four.iter_mut().zip(triangles).enumerate() {
                let Some(number) = triangle.filter(|_| !triangles.iter().take(at).any(|other| *other == triangle))
                else {
                    continue;
                };
                if number < span.first || number >= span.end {
                    surface = spans.partition_point(|span| span.end <= number);
                    span = spans.get(surface).copied().unwrap_or(span);
                }
                let Some((head, count)) = heads.get_mut(surface).zip(counts.get_mut(surface)) else { continue };
                *count = count.saturating_add(1);
                *sample = (i64::from(*head) << 32) | i64::from(number);
                *head = u32::try_from(start.saturating_add(at)).unwrap_or(END);
            }
        }
        Ok(Self { buffer, heads, counts })
    }

    /// Returns the number of fragments of a surface.
    pub(crate) fn count(&self, surface: usize) -> usize {
        self.counts.get(surface).copied().map_or(0, as_index)
    }

    /// Returns the fragments of a surface, in the order of the pixels.
    pub(crate) fn of(&self, surface: usize) -> impl Iterator<Item = Fragment> {
        let samples = self.buffer.samples.as_flattened();
        let mut next = self.heads.get(surface).copied().unwrap_or(END);
        std::iter::from_fn(move || {
            let at = as_index(next);
            let sample = samples.get(at).filter(|_| next != END)?;
            let [a, b, c, d, e, f, g, h] = sample.to_be_bytes();
            next = u32::from_be_bytes([a, b, c, d]);
            let triangle = u32::from_be_bytes([e, f, g, h]);
            let pixel = at / SAMPLES;
            let four = samples.get(pixel.saturating_mul(SAMPLES)..)?.first_chunk::<SAMPLES>()?;
            let bits = four.iter().zip([1, 2, 4, 8]).filter(|(sample, _)| triangle_of(**sample) == Some(triangle));
            let samples = bits.fold(0, |bits, (_, bit)| bits | bit);
            Some(Fragment { pixel: u32::try_from(pixel).unwrap_or(END), triangle, samples })
        })
    }
}

/// Returns the number of pixels in a row of a buffer, of which the last may be outside the picture.
pub(crate) fn row_pixels(buffer: &VisibilityBuffer) -> u32 {
    buffer.groups.saturating_mul(u32::try_from(GROUP).unwrap_or(4))
}

//! The bounds of an array, which the JSON contains.

use std::io::{self, Write};

use zerocopy::FromBytes as _;
use zerocopy::little_endian::F32;

use super::elements::{AccessorType, ArraySpec, ComponentType};
use crate::array::{Bounds, Packed};
use crate::decode::Floats;
use crate::math::{as_index, fast_max, fast_min};

/// A writer that computes the bounds of floats, or of unsigned integers of 16 bits.
pub(super) struct BoundsWriter {
    bounds: Bounds,
    is_float: bool,
    width: usize,
    stride: usize,
}

impl BoundsWriter {
    pub(super) fn new(spec: &ArraySpec<'_>) -> Self {
        let element = spec.elements.first().copied().unwrap_or(AccessorType::floats(1));
        let is_float = element.component == ComponentType::F32;
        Self { bounds: Bounds::EMPTY, is_float, width: element.width.into(), stride: as_index(spec.stride()).max(1) }
    }

    /// Returns the bounds. A bound of -0 is returned as 0, because which of the two is found
    /// depends on the instructions of the processor.
    pub(super) fn bounds(&self) -> Bounds {
        let Bounds { min, max } = self.bounds;
        Bounds { min: min.map(|part| part + 0.0), max: max.map(|part| part + 0.0) }
    }

    fn add(&mut self, parts: impl Iterator<Item = f32>) {
        for ((min, max), part) in self.bounds.min.iter_mut().zip(&mut self.bounds.max).zip(parts) {
            *min = fast_min(part, *min);
            *max = fast_max(part, *max);
        }
    }
}

impl Write for BoundsWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Ok(positions) = <[[F32; 3]]>::ref_from_bytes(bytes)
            && (self.is_float, self.width, self.stride) == (true, 3, 12)
        {
            self.bounds = self.bounds.union(&Packed::new(positions, Floats::<3>).bounds());
            return Ok(bytes.len());
        }
        for item in bytes.chunks_exact(self.stride) {
            if self.is_float {
                self.add(item.as_chunks().0.iter().take(self.width).map(|part| f32::from_le_bytes(*part)));
            } else {
                self.add(item.as_chunks().0.iter().take(self.width).map(|part| u16::from_le_bytes(*part).into()));
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

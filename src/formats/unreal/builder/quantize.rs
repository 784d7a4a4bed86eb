//! Rounds positions to the integers that the aniv file stores.

use super::refused;
use crate::error::debug::{items, short_debug};
use crate::error::{Field, Result};
use crate::formats::unreal::layout::{ANIV, Variant};
use crate::math::as_u64;

/// Selects how [`quantize`] handles a coordinate that is outside the range of the file format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OutOfRange {
    /// [`quantize`] returns an error for a coordinate that is out of range.
    #[default]
    Refuse,
    /// [`quantize`] replaces a coordinate that is out of range by the nearest value in the range,
    /// and NaN by 0. [`Quantized::clamped`] lists the indices of the positions with a clamped
    /// coordinate.
    Clamp,
}

/// The result of [`quantize`]: positions as the integers that the file stores, and the indices of
/// the positions that were clamped.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Quantized {
    /// The x, y and z of each quantized position, as the integers that the aniv file stores.
    pub stored: Vec<[i16; 3]>,
    /// The indices of the positions that were out of range and were clamped.
    pub clamped: Vec<usize>,
}

short_debug!(Quantized: |quantized| { stored: items(&quantized.stored), clamped: items(&quantized.clamped) });

/// Rounds positions in the units of the mesh's author to the integers that the file stores.
///
/// In the author's units, every vertex must be in a cube of 256 units per side around 0, 0, 0. Each
/// coordinate is rounded to the nearest value that the file can store. The largest rounding error,
/// in units of the author, is 1/16 for classic x and y, 1/8 for classic z, and 1/512 for Deus Ex x,
/// y and z. Unlike the packing code on the published page of the format, `quantize` never wraps a
/// coordinate around to the other end of the range.
///
/// # Errors
///
/// Returns [`ErrorKind::Refused`] for a coordinate that is out of range, infinite or NaN, unless
/// `out_of_range` is [`OutOfRange::Clamp`].
///
/// [`ErrorKind::Refused`]: crate::ErrorKind::Refused
pub fn quantize(variant: Variant, positions: &[[f32; 3]], out_of_range: OutOfRange) -> Result<Quantized> {
    let mut quantized = Quantized::default();
    let scale = variant.author_scale();
    let limits: [[f32; 2]; 3] = match variant {
        Variant::Classic | Variant::Prototype => [[-1024.0, 1023.0], [-1024.0, 1023.0], [-512.0, 511.0]],
        Variant::DeusEx => [[-32768.0, 32767.0]; 3],
    };
    for (number, position) in positions.iter().enumerate() {
        let mut stored = [0_i16; 3];
        let mut inside = true;
        for (((stored, value), scale), [least, most]) in stored.iter_mut().zip(position).zip(scale).zip(limits) {
            let rounded = (value / scale).round();
            inside &= (least..=most).contains(&rounded);
            *stored = whole(rounded.clamp(least, most));
        }
        if !inside && out_of_range == OutOfRange::Refuse {
            let field = Field::new("").in_list("position", as_u64(number));
            let expected = "coordinates in a box of 256 units per side around 0".to_owned();
            return Err(refused(ANIV, field, expected, format!("{position:?}")));
        }
        quantized.stored.push(stored);
        if !inside {
            quantized.clamped.push(number);
        }
    }
    Ok(quantized)
}

#[allow(clippy::as_conversions, clippy::cast_possible_truncation, reason = "saturates, and makes 0 of NaN")]
fn whole(value: f32) -> i16 {
    value as i16
}

//! A scan that reads an array of vertex positions twice and computes a bounding sphere.
//!
//! The first pass over the positions computes the centre of their bounding box, and the second one
//! the greatest distance of a position from it.
//!
//! The computed sphere is not the smallest bounding sphere, but its radius is never more than √3
//! times the radius of the smallest bounding sphere. Game engines store bounding spheres that are
//! computed in the same way: the centre of the bounding box, and the greatest distance from this
//! centre.

use zerocopy::little_endian::F32;

use crate::array::bounds::to_file_order;
use crate::array::{Array, Sphere};
use crate::io;
use crate::model::{PositionEncoding, Positions};
use crate::simd::{self, kernel};

/// The number of positions that one iteration of the vectorised (SIMD) loop processes.
const LANES: usize = 16;

impl Positions<'_> {
    /// Returns a bounding sphere around the centre of the [bounding box](Self::bounds) of the
    /// positions.
    ///
    /// `sphere` reads the bytes of the array twice and allocates no memory. The sphere contains
    /// every finite position despite the rounding of `f32`: no distance from the centre to a
    /// position, computed in `f32`, exceeds the radius, and no squared distance exceeds the squared
    /// radius. NaN coordinates are ignored. If the bounding box of the positions is empty, the
    /// radius is -1 and the centre is the origin.
    #[must_use]
    pub fn sphere(&self) -> Sphere {
        let bounds = self.bounds();
        if bounds.is_empty() {
            return Sphere { center: [0.0; 3], radius: -1.0 };
        }
        let mut center = bounds.min;
        for (center, max) in center.iter_mut().zip(bounds.max) {
            *center = *center * 0.5 + max * 0.5;
        }
        let square = self.max_square_distance(center);
        let mut radius = square.sqrt();
        while radius * radius < square {
            radius = radius.next_up();
        }
        Sphere { center, radius }
    }

    /// Returns the square of the distance from `center` to the farthest position.
    fn max_square_distance(&self, center: [f32; 3]) -> f32 {
        if let Self(PositionEncoding::F32(array)) = self {
            io::prefetch(array.as_bytes());
            return max_square_distance(array.raw(), center);
        }
        let mut far = 0.0_f32;
        self.for_each_chunk(|_, positions| far = far.max(max_square_distance(to_file_order(positions), center)));
        far
    }
}

/// Returns the distance from `center` to the farthest position, or 0 if `positions` is empty.
///
/// Distances that are NaN are ignored.
pub(crate) fn max_distance(center: [f32; 3], positions: &[[F32; 3]]) -> f32 {
    io::prefetch(zerocopy::IntoBytes::as_bytes(positions));
    max_square_distance(positions, center).sqrt()
}

kernel! {
    /// Returns the square of the distance from `center` to the farthest position.
    fn max_square_distance(positions: &[[F32; 3]], center: [f32; 3]) -> f32 {
        let mut far = [0.0_f32; LANES];
        let (chunks, rest) = positions.as_chunks::<LANES>();
        let distance = simd::prefetch_distance();
        for chunk in chunks {
            simd::prefetch_ahead(chunk, distance);
            for (far, position) in far.iter_mut().zip(chunk) {
                let square = square_distance(position, center);
                *far = if square > *far { square } else { *far };
            }
        }
        for (far, position) in far.iter_mut().zip(rest) {
            let square = square_distance(position, center);
            *far = if square > *far { square } else { *far };
        }
        far.into_iter().fold(0.0, f32::max)
    }
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled with the target features of its caller")]
fn square_distance([x, y, z]: &[F32; 3], center: [f32; 3]) -> f32 {
    let [dx, dy, dz] = [x.get() - center[0], y.get() - center[1], z.get() - center[2]];
    dx * dx + dy * dy + dz * dz
}

#[cfg(test)]
mod tests {
    use zerocopy::FromBytes;

    use super::*;
    use crate::array::Packed;
    use crate::array::arbitrary::{any_bytes, places};
    use crate::decode::{Floats, MinMax16, Packed32, Packed64};

    /// The reference implementation of the greatest distance, which the tests compare with the
    /// scan. It processes one position at a time.
    fn naive(center: [f32; 3], positions: &[[F32; 3]]) -> f32 {
        positions.iter().fold(0.0_f32, |far, position| far.max(square_distance(position, center))).sqrt()
    }

    fn holds(sphere: Sphere, positions: Positions<'_>) {
        let mut on = 0;
        positions.for_each(|position| {
            let square = square_distance(&position.map(F32::new), sphere.center);
            assert!(
                !(square.sqrt() > sphere.radius || square > sphere.radius * sphere.radius),
                "{sphere:?} {position:?}"
            );
            on += u32::from(square.sqrt() >= sphere.radius * 0.999_999);
        });
        assert!(on > 0, "no position lies on {sphere:?}");
    }

    #[test]
    fn agrees_with_its_naive_twin() {
        let center = [0.25, -3.0, 7.5];
        for (start, len) in places() {
            let bytes = any_bytes(start + len * 12);
            // The bits of the test floats are pseudo-random, so the test positions include
            // infinities and NaNs.
            let any = <[[F32; 3]]>::ref_from_bytes(&bytes[start..start + len * 12]).unwrap();
            assert_eq!(max_distance(center, any).to_bits(), naive(center, any).to_bits(), "{start} {len}");
            let tame: Vec<[F32; 3]> = any.iter().map(|one| one.map(|part| F32::new(part.get() % 100.0))).collect();
            assert_eq!(max_distance(center, &tame).to_bits(), naive(center, &tame).to_bits(), "{start} {len}");
        }
    }

    #[test]
    fn holds_every_position_of_every_kind() {
        for len in [1, 2, 15, 16, 17, 511, 512, 513, 3_000] {
            let bytes = any_bytes(len * 12);
            let floats: Vec<[F32; 3]> = bytes
                .as_chunks()
                .0
                .iter()
                .map(|one: &[u8; 12]| [one[0], one[5], one[9]].map(|part| F32::new(f32::from(part) / 7.0)))
                .collect();
            let words = FromBytes::ref_from_bytes(&bytes[..len * 4]).unwrap();
            let eights = FromBytes::ref_from_bytes(&bytes[..len * 8]).unwrap();
            let codes = FromBytes::ref_from_bytes(&bytes[..len * 6]).unwrap();
            let domain = MinMax16::new([-1.0, 2.0, 0.1], [1.0, 3.0, 0.7]);
            for positions in [
                Positions(PositionEncoding::F32(Packed::new(&floats, Floats))),
                Positions(PositionEncoding::Packed32(Packed::new(words, Packed32))),
                Positions(PositionEncoding::Packed64(Packed::new(eights, Packed64))),
                Positions(PositionEncoding::MinMax16(Packed::new(codes, domain))),
            ] {
                holds(positions.sphere(), positions);
            }
        }
    }

    #[test]
    fn bounds_nothing_where_there_is_nothing() {
        let none = Sphere { center: [0.0; 3], radius: -1.0 };
        assert_eq!(Positions(PositionEncoding::F32(Packed::new(&[], Floats))).sphere(), none);
        let wild = [[F32::new(f32::NAN); 3]];
        assert_eq!(Positions(PositionEncoding::F32(Packed::new(&wild, Floats))).sphere(), none);
    }
}

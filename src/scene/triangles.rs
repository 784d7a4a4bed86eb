//! The triangles of a surface in the shape, the place and the conventions of the output.

use crate::array::Array;
use crate::error::Result;
use crate::math::as_index;
use crate::model::{Corner, Indices, Surface};
use crate::scene::PlacedSurface;
use crate::scene::shape::ShapePositions;

/// The number of corners whose indices are decoded together: those of whole triangles.
const BLOCK: usize = 3 << 9;

/// The triangles of a surface, read from both index streams, which may have different lengths.
pub(crate) struct TriangleReader<'a> {
    positions: Indices<'a>,
    attributes: Indices<'a>,
}

impl<'a> TriangleReader<'a> {
    /// Finds both index streams of a surface.
    pub(crate) fn new(surface: &Surface<'a>) -> Result<Self> {
        Ok(Self { positions: surface.indices()?, attributes: surface.attribute_indices()? })
    }

    /// Calls `visit` with the corners of each triangle, in the order of the file. An index that the
    /// stream for attributes lacks is `u32::MAX`, which is out of range of every array.
    pub(crate) fn each(&self, visit: &mut dyn FnMut([Corner; 3]) -> Result<()>) -> Result<()> {
        let corners = self.positions.len() / 3;
        let (mut positions, mut attributes) = ([0; BLOCK], [0; BLOCK]);
        let end = corners.saturating_mul(3);
        for start in (0..end).step_by(BLOCK) {
            let stop = start.saturating_add(BLOCK).min(end);
            let Some(part) = self.positions.slice(start..stop) else { break };
            part.fill(&mut positions);
            attributes.fill(u32::MAX);
            let length = self.attributes.len();
            self.attributes
                .slice(start.min(length)..stop.min(length))
                .iter()
                .for_each(|part| part.fill(&mut attributes));
            let triangles = positions.as_chunks::<3>().0.iter().zip(attributes.as_chunks::<3>().0);
            for ([a, b, c], [d, e, f]) in triangles.take(part.len() / 3) {
                visit(
                    [(a, d), (b, e), (c, f)]
                        .map(|(position, attribute)| Corner { position: *position, attribute: *attribute }),
                )?;
            }
        }
        Ok(())
    }
}

/// The numbers of triangles of a surface that the output does not contain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LeftOut {
    pub(crate) invalid: usize,
    pub(crate) not_finite: usize,
}

/// The positions of a surface in the shape, the place and the conventions of the output.
pub(crate) struct PlacedPositions<'s> {
    pub(crate) stored: ShapePositions<'s>,
    surface: &'s PlacedSurface<'s>,
}

impl<'s> PlacedPositions<'s> {
    pub(crate) fn new(surface: &'s PlacedSurface<'s>) -> Result<Self> {
        Ok(Self { stored: surface.shape.positions(&surface.surface)?, surface })
    }

    /// Returns a position, or `None` if the index is out of range. The position may not be finite.
    #[inline]
    pub(crate) fn get(&self, index: u32) -> Option<[f32; 3]> {
        self.stored.get(as_index(index)).map(|position| self.surface.conversion.position(position))
    }

    /// Returns a position, in which 0 replaces a coordinate that is not finite or missing.
    #[inline]
    pub(crate) fn get_finite(&self, index: u32) -> [f32; 3] {
        self.get(index).unwrap_or_default().map(finite_or_zero)
    }

    /// Returns whether a position exists and is finite.
    #[inline]
    pub(crate) fn is_finite(&self, index: u32) -> bool {
        self.get(index).is_some_and(is_finite)
    }

    /// Calls `visit` with the corners and the positions of each triangle whose position indices are
    /// valid, whose attribute indices are below `attributes`, and whose positions are finite. With
    /// `None`, attribute indices are ignored. The corners are in the order of the output.
    pub(crate) fn each_triangle(
        &self,
        attributes: Option<u32>,
        visit: &mut dyn FnMut([Corner; 3], [[f32; 3]; 3]) -> Result<()>,
    ) -> Result<LeftOut> {
        let mut left_out = LeftOut::default();
        TriangleReader::new(&self.surface.surface)?.each(&mut |corners| {
            let corners = self.surface.conversion.triangle(corners);
            let [first, second, third] = corners.map(|corner| self.get(corner.position));
            let is_valid = attributes.is_none_or(|count| corners.iter().all(|corner| corner.attribute < count));
            match first.zip(second).zip(third).filter(|_| is_valid) {
                None => left_out.invalid = left_out.invalid.saturating_add(1),
                Some(((first, second), third)) if [first, second, third].into_iter().all(is_finite) => {
                    visit(corners, [first, second, third])?;
                }
                Some(_) => left_out.not_finite = left_out.not_finite.saturating_add(1),
            }
            Ok(())
        })?;
        Ok(left_out)
    }
}

/// Returns whether all coordinates are finite.
#[inline]
pub(crate) fn is_finite<const N: usize>(value: [f32; N]) -> bool {
    value.iter().all(|part| part.is_finite())
}

/// Replaces a number that is not finite by 0.
#[inline]
pub(crate) fn finite_or_zero(value: f32) -> f32 {
    if value.is_finite() { value } else { 0.0 }
}

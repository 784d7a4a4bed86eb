//! Bone weights that have a fixed number of places in each vertex.

use std::ops::Range;

use crate::array::Strided;
use crate::decode::{EndianFloats, EndianU16s, Influence};
use crate::error::{Error, ErrorKind, Field, Result};
use crate::math::as_u64;

/// Places for influences in a vertex.
pub(crate) const LANES: usize = 4;

/// The influences on one vertex that has four places for them, read from the file: those whose weight is not zero, in the
/// order of their places.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FixedInfluences {
    all: [Influence; LANES],
    start: u8,
    end: u8,
}

impl FixedInfluences {
    /// Takes the places that have a weight; bones are counted from `first`.
    #[inline]
    fn of(bones: [u16; LANES], weights: [f32; LANES], first: u32) -> Self {
        let mut lanes = Self::default();
        for (bone, weight) in bones.into_iter().zip(weights) {
            if weight == 0.0 {
                continue;
            }
            if let Some(place) = lanes.all.get_mut(usize::from(lanes.end)) {
                let bone = i32::try_from(first.saturating_add(bone.into())).unwrap_or(i32::MAX);
                *place = Influence { bone, weight };
                lanes.end = lanes.end.saturating_add(1);
            }
        }
        lanes
    }

    /// Returns the number of influences.
    #[must_use]
    #[allow(clippy::as_conversions, reason = "`usize::from` is not const")]
    pub const fn len(&self) -> usize {
        self.end.saturating_sub(self.start) as usize
    }

    /// Tells whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns influence `index`; `None` where there is none.
    #[inline]
    #[must_use]
    pub fn get(&self, index: usize) -> Option<Influence> {
        self.as_slice().get(index).copied()
    }

    /// Returns all influences.
    #[must_use]
    pub fn as_slice(&self) -> &[Influence] {
        self.all.get(usize::from(self.start)..usize::from(self.end)).unwrap_or_default()
    }

    /// Returns all influences in order, one at a time.
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Influence> + Clone + use<> {
        let left = self.len();
        self.all.into_iter().skip(self.start.into()).take(left)
    }

    /// Visits all influences in order.
    pub fn for_each(&self, visit: impl FnMut(Influence)) {
        self.as_slice().iter().copied().for_each(visit);
    }

    /// Visits all influences at once: they are less than a piece.
    pub fn for_each_chunk(&self, mut visit: impl FnMut(usize, &[Influence])) {
        if !self.is_empty() {
            visit(0, self.as_slice());
        }
    }

    /// Returns the influences of `range`; `None` where some of them do not exist.
    #[must_use]
    pub fn slice(&self, range: Range<usize>) -> Option<Self> {
        self.as_slice().get(range.clone())?;
        let [start, end] = [range.start, range.end].map(u8::try_from);
        let (start, end) = (self.start.checked_add(start.ok()?)?, self.start.checked_add(end.ok()?)?);
        Some(Self { start, end, ..*self })
    }

    /// Writes all influences to `out`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Buffer`] where `out` is not of this length.
    pub fn decode_into(&self, out: &mut [Influence]) -> Result<()> {
        if out.len() != self.len() {
            let kind = ErrorKind::Buffer { needed: as_u64(self.len()), given: as_u64(out.len()) };
            return Err(Error::without_offset("influences", Field::new("out"), kind));
        }
        out.copy_from_slice(self.as_slice());
        Ok(())
    }

    /// Returns the bytes that are lent: none, the influences were read.
    #[must_use]
    pub const fn as_bytes(&self) -> &'static [u8] {
        &[]
    }

    /// Returns where influence `index` lies: there is no other place than the start of no bytes.
    #[must_use]
    pub const fn place(&self, _index: usize) -> usize {
        0
    }
}

/// Bone numbers and weights of every vertex, four places each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FixedWeights<'a> {
    bones: Strided<'a, EndianU16s<LANES>>,
    weights: Strided<'a, EndianFloats<LANES>>,
    /// The first bone of the skeleton that the numbers count in.
    first: u32,
}

impl<'a> FixedWeights<'a> {
    pub(crate) const fn new(
        bones: Strided<'a, EndianU16s<LANES>>,
        weights: Strided<'a, EndianFloats<LANES>>,
        first: u32,
    ) -> Self {
        Self { bones, weights, first }
    }

    pub(crate) const fn len(&self) -> usize {
        self.weights.len()
    }

    #[inline]
    pub(crate) fn get(&self, vertex: usize) -> Option<FixedInfluences> {
        Some(FixedInfluences::of(self.bones.get(vertex)?, self.weights.get(vertex)?, self.first))
    }

    /// Tells the system that the vertices are about to be read in order.
    pub(crate) fn prefetch(&self) {
        self.bones.prefetch();
        self.weights.prefetch();
    }

    #[inline]
    pub(crate) fn iter(&self) -> FixedWeightsIter<'a> {
        FixedWeightsIter { lists: *self, vertex: 0 }
    }
}

/// Goes through vertices in order.
#[derive(Clone, Debug)]
pub(crate) struct FixedWeightsIter<'a> {
    lists: FixedWeights<'a>,
    vertex: usize,
}

impl Iterator for FixedWeightsIter<'_> {
    type Item = FixedInfluences;

    #[inline]
    fn next(&mut self) -> Option<FixedInfluences> {
        let lanes = self.lists.get(self.vertex)?;
        self.vertex = self.vertex.saturating_add(1);
        Some(lanes)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.lists.len().saturating_sub(self.vertex);
        (left, Some(left))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_out_places_without_weight() {
        let lanes = FixedInfluences::of([7, 8, 9, 65535], [0.5, 0.0, -0.25, f32::NAN], 100);
        let bones: Vec<i32> = lanes.iter().map(|one| one.bone).collect();
        assert_eq!(bones, [107, 109, 65635]);
        assert_eq!((lanes.len(), lanes.get(0).map(|one| one.weight), lanes.get(3)), (3, Some(0.5), None));
        let part = lanes.slice(1..2).unwrap();
        assert_eq!(part.iter().map(|one| one.bone).collect::<Vec<_>>(), [109]);
        assert_eq!(part.slice(0..1).unwrap().get(0), part.get(0));
        assert!(lanes.slice(2..4).is_none() && part.decode_into(&mut []).is_err());
        let mut out = [Influence::default()];
        part.decode_into(&mut out).unwrap();
        assert_eq!(out[0].bone, 109);
        assert!(FixedInfluences::of([1; 4], [0.0, -0.0, 0.0, 0.0], 0).is_empty());
    }
}

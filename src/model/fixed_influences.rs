//! Bone weights with a fixed number of slots in each vertex.

use std::iter::FusedIterator;
use std::ops::Range;

use crate::array::gather::Gather;
use crate::array::iter::impl_into_iter;
use crate::array::rebase::Rebase;
use crate::array::{Array, Strided};
use crate::decode::{EndianFloats, EndianU16s, Influence};
use crate::error::debug::{item_count, short_debug};
use crate::io::PrefetchList;

/// The number of influence slots in each vertex.
pub(crate) const MAX_FIXED_INFLUENCES: usize = 4;

/// The influences on one vertex with four slots, decoded from the file.
///
/// Influences with the weight 0 are left out, and the other influences are in the order of the four
/// slots of the vertex.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FixedInfluences {
    all: [Influence; MAX_FIXED_INFLUENCES],
    start: u8,
    end: u8,
}

impl FixedInfluences {
    /// Makes the influences on a vertex from the slots whose weight is not zero. `first`, the index
    /// of the first bone of the skeleton, is added to each stored bone index.
    #[inline]
    fn new(bones: [u16; MAX_FIXED_INFLUENCES], weights: [f32; MAX_FIXED_INFLUENCES], first: u32) -> Self {
        let mut lanes = Self::default();
        for (bone, weight) in bones.into_iter().zip(weights) {
            let bone = i32::try_from(first.saturating_add(bone.into())).unwrap_or(i32::MAX);
            // The next influence replaces one without a weight, so no branch depends on weights.
            let influence = if weight == 0.0 { Influence::default() } else { Influence { bone, weight } };
            if let Some(place) = lanes.all.get_mut(usize::from(lanes.end)) {
                *place = influence;
            }
            lanes.end = lanes.end.wrapping_add(u8::from(weight != 0.0));
        }
        lanes
    }

    /// Returns all influences on the vertex.
    #[must_use]
    pub fn as_slice(&self) -> &[Influence] {
        self.all.get(usize::from(self.start)..usize::from(self.end)).unwrap_or_default()
    }

    /// Returns all influences, and influences without a weight after them. The value must not be a
    /// slice of others.
    pub(crate) const fn padded(self) -> [Influence; MAX_FIXED_INFLUENCES] {
        self.all
    }
}

impl Array for FixedInfluences {
    type Item = Influence;

    const PREFETCHED: bool = false;

    #[inline]
    fn len(&self) -> usize {
        self.end.saturating_sub(self.start).into()
    }

    #[inline]
    fn get(&self, index: usize) -> Option<Influence> {
        self.as_slice().get(index).copied()
    }

    fn slice(&self, range: Range<usize>) -> Option<Self> {
        self.as_slice().get(range.clone())?;
        let [start, end] = [range.start, range.end].map(u8::try_from);
        let (start, end) = (self.start.checked_add(start.ok()?)?, self.start.checked_add(end.ok()?)?);
        Some(Self { start, end, ..*self })
    }

    #[inline]
    fn fold<B, F: FnMut(B, Influence) -> B>(&self, first: B, fold: F) -> B {
        self.as_slice().iter().copied().fold(first, fold)
    }
}

impl Gather for FixedInfluences {}

impl Rebase for FixedInfluences {
    type Over<'b> = Self;

    fn over<'b>(&self, bytes: &'b [u8]) -> Option<Self>
    where
        Self: 'b,
    {
        bytes.is_empty().then_some(*self)
    }
}

impl_into_iter!([] FixedInfluences);

/// The bone indices and weights of all vertices, with four slots per vertex.
#[derive(Clone, Copy)]
pub(crate) struct FixedWeights<'a> {
    /// The bytes of all vertices, which contain the bones and the weights.
    bytes: &'a [u8],
    bones: Strided<'a, EndianU16s<MAX_FIXED_INFLUENCES>>,
    weights: Strided<'a, EndianFloats<MAX_FIXED_INFLUENCES>>,
    /// Index of the first bone of the mesh's skeleton among all bones of the file. The stored bone
    /// indices are relative to it.
    first: u32,
}

short_debug!(FixedWeights<'_>: |lists| (item_count::<[Influence]>(lists.len())));

impl<'a> FixedWeights<'a> {
    pub(crate) const fn new(
        bytes: &'a [u8],
        bones: Strided<'a, EndianU16s<MAX_FIXED_INFLUENCES>>,
        weights: Strided<'a, EndianFloats<MAX_FIXED_INFLUENCES>>,
        first: u32,
    ) -> Self {
        Self { bytes, bones, weights, first }
    }

    /// Returns the bytes of the vertices that contain the influences.
    pub(crate) const fn as_bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Returns the same influences over `bytes`, which are a copy of [`as_bytes`](Self::as_bytes).
    ///
    /// Returns `None` if the bones or the weights do not take all bytes.
    #[cfg_attr(not(feature = "cli"), allow(dead_code, reason = "only the bench of the program uses it"))]
    pub(crate) fn over<'b>(&self, bytes: &'b [u8]) -> Option<FixedWeights<'b>>
    where
        Self: 'b,
    {
        Some(FixedWeights {
            bytes,
            bones: self.bones.over(bytes)?,
            weights: self.weights.over(bytes)?,
            first: self.first,
        })
    }

    pub(crate) fn len(&self) -> usize {
        self.weights.len()
    }

    /// Returns the four stored bones and weights of a vertex. The bones are counted from the first
    /// bone of the mesh's skeleton.
    #[cfg(feature = "cli")]
    pub(crate) fn slots(&self, vertex: usize) -> Option<[(i32, f32); MAX_FIXED_INFLUENCES]> {
        let mut weights = self.weights.get(vertex)?.into_iter();
        Some(self.bones.get(vertex)?.map(|bone| (bone.into(), weights.next().unwrap_or_default())))
    }

    #[inline]
    pub(crate) fn get(&self, vertex: usize) -> Option<FixedInfluences> {
        Some(FixedInfluences::new(self.bones.get(vertex)?, self.weights.get(vertex)?, self.first))
    }

    /// Adds the bytes of the bones and the weights of a vertex to a list of bytes that are
    /// prefetched together.
    pub(crate) fn list_item(&self, vertex: usize, list: &mut PrefetchList<'a>) {
        self.bones.list_item(vertex, list);
        self.weights.list_item(vertex, list);
    }

    /// Prefetches the bones and the weights of a vertex into the caches of the processor.
    #[inline]
    pub(crate) fn prefetch_to_cache(&self, vertex: usize) {
        self.bones.prefetch_to_cache(vertex);
        self.weights.prefetch_to_cache(vertex);
    }

    /// Advises the operating system that the program will soon read the bone weights of all
    /// vertices, in order.
    pub(crate) fn prefetch(&self) {
        self.bones.prefetch();
        self.weights.prefetch();
    }

    #[inline]
    pub(crate) fn iter(&self) -> FixedWeightsIter<'a> {
        FixedWeightsIter { lists: *self, vertex: 0, prefetched: 0 }
    }

    /// Returns an iterator over the vertices from `vertex`.
    pub(crate) fn iter_from(&self, vertex: usize) -> FixedWeightsIter<'a> {
        FixedWeightsIter { lists: *self, vertex, prefetched: vertex }
    }
}

/// An iterator over the vertices, in order, which returns the influences on each vertex.
#[derive(Clone, Debug)]
pub(crate) struct FixedWeightsIter<'a> {
    lists: FixedWeights<'a>,
    vertex: usize,
    /// The end of the vertices whose influences were prefetched.
    prefetched: usize,
}

/// The number of vertices that the iterator prefetches at once. If the iterator goes on, the
/// operating system gets advice for more vertices ([`crate::io::prefetch`]).
const PREFETCHED_VERTICES: usize = 256;

impl FixedWeightsIter<'_> {
    #[cold]
    fn prefetch(&mut self) {
        let FixedWeights { bones, weights, .. } = self.lists;
        self.prefetched = self.vertex.saturating_add(PREFETCHED_VERTICES);
        let range = self.vertex.min(weights.len())..self.prefetched.min(weights.len());
        bones.slice(range.clone()).iter().for_each(Array::prefetch);
        weights.slice(range).iter().for_each(Array::prefetch);
    }
}

impl Iterator for FixedWeightsIter<'_> {
    type Item = FixedInfluences;

    #[inline]
    fn next(&mut self) -> Option<FixedInfluences> {
        if self.vertex >= self.prefetched {
            self.prefetch();
        }
        let lanes = self.lists.get(self.vertex)?;
        self.vertex = self.vertex.saturating_add(1);
        Some(lanes)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.lists.len().saturating_sub(self.vertex);
        (left, Some(left))
    }

    #[inline]
    fn nth(&mut self, skipped: usize) -> Option<FixedInfluences> {
        self.vertex = self.vertex.saturating_add(skipped).min(self.lists.len());
        self.next()
    }
}

impl FusedIterator for FixedWeightsIter<'_> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_out_places_without_weight() {
        let lanes = FixedInfluences::new([7, 8, 9, 65535], [0.5, 0.0, -0.25, f32::NAN], 100);
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
        assert!(FixedInfluences::new([1; 4], [0.0, -0.0, 0.0, 0.0], 0).is_empty());
    }
}

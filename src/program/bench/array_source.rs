//! The sources from which a loader gets the values of an array.

use crate::array::rebase::Rebase;
use crate::decode::Influence;
use crate::{Array as _, Result, Weights};

/// The way in which a loader gets the values of an array.
pub trait ArraySource {
    /// Decodes all items of an array.
    fn list<A: Rebase>(&mut self, array: &A) -> Result<Vec<A::Item>>;

    /// Decodes the influences on all vertices.
    fn weights(&mut self, weights: &Weights<'_>) -> Result<FlatWeights>;
}

/// The source of meshpeek and of the copying loader: arrays are decoded from the memory of the
/// model, which is a map or a copy of the file.
pub struct InMemory;

impl ArraySource for InMemory {
    fn list<A: Rebase>(&mut self, array: &A) -> Result<Vec<A::Item>> {
        Ok(array.to_vec())
    }

    fn weights(&mut self, weights: &Weights<'_>) -> Result<FlatWeights> {
        Ok(FlatWeights::of(weights))
    }
}

/// The bone influences on all vertices of a position array, one vertex after another.
#[derive(Default)]
pub struct FlatWeights {
    /// For each vertex, the index of its first influence in `all`. The last element of `starts` is
    /// the total number of influences.
    pub starts: Vec<u32>,
    pub all: Vec<Influence>,
}

impl FlatWeights {
    /// Decodes the influences on all vertices.
    pub fn of(weights: &Weights<'_>) -> Self {
        let mut flat = Self { starts: Vec::with_capacity(weights.len().saturating_add(1)), all: Vec::new() };
        let at = |flat: &Self| u32::try_from(flat.all.len()).unwrap_or(u32::MAX);
        weights.iter().for_each(|influences| {
            flat.starts.push(at(&flat));
            influences.for_each(|one| flat.all.push(one));
        });
        flat.starts.push(at(&flat));
        flat
    }

    /// Returns the influences on a vertex.
    pub fn get(&self, vertex: usize) -> Option<&[Influence]> {
        let [start, end] =
            self.starts.get(vertex..)?.first_chunk()?.map(|at| usize::try_from(at).unwrap_or(usize::MAX));
        self.all.get(start..end)
    }
}

//! The sources from which a loader gets the values of an array.

use bytemuck::Zeroable as _;

use crate::array::rebase::Rebase;
use crate::decode::{Influence, TangentFrame};
use crate::model::TangentFrames;
use crate::{Array, Result, Weights};

/// The number of tangent frames in a batch. Each batch is decoded into a buffer and then appended
/// to the list of tangent frames. Without batches, the whole list of tangent frames would first be
/// filled with default values and then overwritten.
const FRAMES_BATCH: usize = 512;

/// The way in which a loader gets the values of an array. The default methods decode from the
/// memory of the model.
pub trait ArraySource {
    /// Decodes all items of an array into a list of the same length.
    fn fill<A: Rebase>(&mut self, array: &A, out: &mut [A::Item]) -> Result<()> {
        array.decode_into(out)
    }

    /// Decodes all tangent frames.
    fn tangent_frames(&mut self, frames: &TangentFrames<'_>) -> Result<Vec<TangentFrame>>;

    /// Decodes the influences on all vertices.
    fn weights(&mut self, weights: &Weights<'_>) -> Result<FlatWeights> {
        Ok(FlatWeights::of(weights))
    }

    /// Creates a list of zeros, and overwrites the zeros with the decoded items of an array.
    /// Allocating zeros is fast, because the operating system provides memory pages that already
    /// contain zeros.
    fn list<A: Rebase>(&mut self, array: &A) -> Result<Vec<A::Item>> {
        let mut list = vec![A::Item::zeroed(); array.len()];
        self.fill(array, &mut list)?;
        Ok(list)
    }
}

/// The source of the copying loader: arrays are decoded from the memory of the model, which is a
/// copy of the file.
pub struct InMemory;

impl ArraySource for InMemory {
    fn tangent_frames(&mut self, frames: &TangentFrames<'_>) -> Result<Vec<TangentFrame>> {
        let mut all = Vec::with_capacity(frames.len());
        append_frames(frames, &mut all, |batch, out| batch.decode_into(out))?;
        Ok(all)
    }
}

/// The source of meshpeek: arrays are decoded from the map of the model to vectors that the crate
/// allocates.
pub struct Mapped;

impl ArraySource for Mapped {
    fn tangent_frames(&mut self, frames: &TangentFrames<'_>) -> Result<Vec<TangentFrame>> {
        Ok(frames.to_vec())
    }

    fn list<A: Rebase>(&mut self, array: &A) -> Result<Vec<A::Item>> {
        Ok(array.to_vec())
    }
}

/// Decodes tangent frames in batches, and appends them to a list.
pub fn append_frames(
    frames: &TangentFrames<'_>,
    all: &mut Vec<TangentFrame>,
    decode: impl Fn(&TangentFrames<'_>, &mut [TangentFrame]) -> Result<()>,
) -> Result<()> {
    let mut batch = [TangentFrame::default(); FRAMES_BATCH];
    for start in (0..frames.len()).step_by(FRAMES_BATCH) {
        let end = start.saturating_add(FRAMES_BATCH).min(frames.len());
        let (Some(some), Some(out)) = (frames.slice(start..end), batch.get_mut(..end.saturating_sub(start))) else {
            break;
        };
        decode(&some, out)?;
        all.extend_from_slice(out);
    }
    Ok(())
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

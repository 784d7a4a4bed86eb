//! The number of vertices with each number of bone influences.

use super::Weights;
use crate::array::Array as _;

impl Weights<'_> {
    /// Counts the vertex positions by their number of bone influences.
    ///
    /// Item *n* of the returned array is the number of positions that have *n* bone influences. *n*
    /// is 0 to 255.
    ///
    /// For each position, `histogram` reads only the byte with the number of its bone influences,
    /// and not the bone indices and weights.
    #[doc(hidden)]
    #[must_use]
    pub fn histogram(&self) -> [u64; 256] {
        let mut lengths = [0_u64; 256];
        self.iter().for_each(|influences| {
            if let Some(length) = lengths.get_mut(influences.len()) {
                *length = length.saturating_add(1);
            }
        });
        lengths
    }
}

//! Vertices that several surfaces share.

/// A set of vertices that several surfaces of a file may share.
///
/// Two surfaces of one file with equal pools have the same arrays of positions and weights. If both
/// have a [single index stream](crate::Surface::is_single_stream), they also have the same arrays of
/// attributes, and differ in their indices only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VertexPool(usize);

impl VertexPool {
    /// Makes a pool. Surfaces that share their vertices get the same number.
    #[must_use]
    pub const fn new(number: usize) -> Self {
        Self(number)
    }
}

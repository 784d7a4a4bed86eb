//! Which file of a mesh.

/// A part of a mesh: which file was named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PairFile {
    /// The polygons: `X_d.3d`.
    Data,
    /// The frames: `X_a.3d`.
    Aniv,
    /// The script: `X.uc`.
    Script,
}

//! The role of a file in a mesh: data file, aniv file or script.

/// The role of a file in a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PairFile {
    /// The data file, which holds the polygons: `X_d.3d`.
    Data,
    /// The aniv file, which holds the animation frames: `X_a.3d`.
    Aniv,
    /// The script: `X.uc`.
    Script,
}

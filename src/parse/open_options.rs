//! How a file is opened.

use crate::parse::limits::Limits;

/// Options for opening a file, the same in every format. A format ignores those that it has no use for.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::{MeshFile, Model, OpenOptions};
/// let options = OpenOptions { record_access: true, ..Default::default() };
/// let model = Model::open_with(meshpeek::read("data/unigine/cube_ms13.mesh")?, &options)?;
/// assert!(model.file().touched_bytes() > Some(0));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpenOptions {
    /// How much memory and time the file may take.
    pub limits: Limits,
    /// Returns an error for what games load although it breaks the format's rules: sizes, indices and prototypes of
    /// Unreal meshes, EZ-Mesh blocks with more numbers than they count. Otherwise these are findings.
    pub strict: bool,
    /// Records which bytes are read, in an [`AccessLog`](crate::parse::AccessLog).
    pub record_access: bool,
    /// Index of the asset to open, in a container of several (Second Life `.slm`).
    pub asset: usize,
    /// The bytes are only the first part of a file, as a client on a network has them (Second Life). A block that lies
    /// beyond them is [`ErrorKind::Missing`](crate::ErrorKind::Missing) and no fault of the file.
    pub partial: bool,
}

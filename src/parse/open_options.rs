//! Options for opening a mesh file.

use crate::parse::limits::Limits;

/// Options for opening a mesh file, the same for every format. A format ignores the options that do
/// not apply to it.
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
    /// Limits on the memory and time that reading the file may take.
    pub limits: Limits,
    /// If `true`, opening returns an error for a file that breaks the rules of its format, even if
    /// games load it.
    ///
    /// The rules that are meant here concern sizes, indices and prototypes of Unreal meshes, and
    /// EZ-Mesh blocks that contain more numbers than they declare. By default, `validate` reports
    /// such violations as findings.
    pub strict: bool,
    /// If `true`, the file records which of its bytes are read, in an
    /// [`AccessLog`](crate::parse::AccessLog).
    pub record_access: bool,
    /// Index of the asset to open, from 0, in a file that contains several assets (Second Life
    /// `.slm`).
    pub asset: usize,
    /// If `true`, the given bytes are only the first bytes of a file, for example on a network
    /// client (Second Life).
    ///
    /// Reading a block that lies beyond these bytes returns
    /// [`ErrorKind::Missing`](crate::ErrorKind::Missing). The missing block is not reported as
    /// damage of the file.
    pub partial: bool,
}

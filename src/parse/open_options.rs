//! Options for opening a mesh file.

use crate::parse::limits::Limits;
use crate::parse::options;

options! {
    /// Options for opening a mesh file of any format.
    ///
    /// A format ignores the options that do not apply to it.
    ///
    /// ```
    /// # fn main() -> meshpeek::Result<()> {
    /// use meshpeek::{Model, OpenOptions};
    /// let options = OpenOptions::default().with_record_access(true);
    /// let model = Model::open_with(meshpeek::read("data/unigine/cube_ms13.mesh")?, &options)?;
    /// assert!(model.touched_bytes() > Some(0));
    /// # Ok(())
    /// # }
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    #[cfg_attr(feature = "serde", serde(default))]
    #[allow(clippy::unsafe_derive_deserialize, reason = "its unsafe methods are unsafe for the file, not for the options")]
    pub struct OpenOptions {
        /// Maximum sizes and counts that bound the memory and time for reading the file.
        limits: Limits = Limits::default(), pub with_limits;
        /// If `true`, opening a file that breaks one of the strict rules of its format returns an
        /// error, even if games load the file.
        ///
        /// The strict rules are about sizes, indices and prototypes of Unreal meshes, and about
        /// EZ-Mesh blocks that contain more numbers than they declare. If `strict` is `false`, only
        /// `validate` reports violations of the strict rules, as findings.
        strict: bool = false, pub with_strict;
        /// If `true`, the mesh records which bytes of the file its parser reads, in an
        /// [`AccessLog`](crate::parse::AccessLog).
        record_access: bool = false, pub with_record_access;
        /// Index of the asset to open, from 0, in a file that contains several assets (Second Life
        /// `.slm`).
        asset: usize = 0, pub with_asset;
        /// If `true`, the bytes that are passed to the open function are only the first bytes of a
        /// Second Life asset or an aniv file, for example because a network client has not received
        /// the remaining bytes.
        ///
        /// Reading a block of a Second Life asset whose bytes are not available yet returns
        /// [`ErrorKind::Missing`](crate::ErrorKind::Missing). A block that is not available yet is
        /// not reported as damage of the file. A vertex frame of an Unreal mesh that the aniv file
        /// does not contain completely is an error with its [needed
        /// range](crate::Error::needed_range); without this option, the vertices before the end of
        /// the file are returned.
        partial: bool = false, pub with_partial;
    }
}

//! The format and version that a mesh was read from.

/// The format and the version of a file, or of a section of a file. Error messages contain the
/// format.
pub trait FormatVersion: Send + Sync {
    /// Returns the name of the format of the file, in lower case and without spaces.
    fn format(&self) -> &'static str;

    /// Returns the name of the version within the format, such as `ms13`.
    fn version(&self) -> &'static str;
}

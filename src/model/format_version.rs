//! Which format something was read from.

/// The format and the version of a file, or of a part of it. Errors name the format.
pub trait FormatVersion: Send + Sync {
    /// Returns the format's name: `unigine`.
    fn format(&self) -> &'static str;

    /// Returns the version within the format: `ms13`.
    fn version(&self) -> &'static str;
}

//! Errors that do not prevent reading the other parts of a file.

/// The formats, as in [`Error::format`](crate::Error::format), whose files remain readable
/// except for a damaged block.
const INDEPENDENT_PARTS: [&str; 3] = ["unigine ms14", "unigine ms15", "ezmesh"];

/// Returns the value of `result`. If `result` is an error that does not prevent reading the other
/// parts of the file, returns `otherwise`, and the `validate` command reports the error as a
/// finding.
pub fn value_or<T>(result: crate::Result<T>, otherwise: T) -> crate::Result<T> {
    match result {
        Err(error) if INDEPENDENT_PARTS.contains(&error.format()) && crate::finding(&error).is_some() => Ok(otherwise),
        result => result,
    }
}

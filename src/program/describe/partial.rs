//! Errors that do not prevent reading the other parts of a file.

/// Returns the value of `result`. If `result` is an error in a file whose parts are independent,
/// the other parts of the file can still be read: returns `otherwise`, and the `validate` command
/// reports the error as a finding.
pub fn value_or<T>(are_independent: bool, result: crate::Result<T>, otherwise: T) -> crate::Result<T> {
    match result {
        Err(error) if are_independent && crate::finding(&error).is_some() => Ok(otherwise),
        result => result,
    }
}

//! Creates the errors that the writer of EZ-Mesh files returns.

use std::borrow::Cow;

use crate::error::{Cause, Error, Field};
use crate::formats::ezmesh::layout::FORMAT;

pub(super) fn refused(
    field: Field,
    expected: impl Into<Cow<'static, str>>,
    found: impl Into<Cow<'static, str>>,
) -> Error {
    let kind = Cause::Refused { expected: expected.into(), found: found.into() };
    Error::without_offset(FORMAT, field, kind)
}

pub(super) fn failed(error: std::io::Error) -> Error {
    Error::without_offset(FORMAT, Field::new("output"), error.into())
}

/// Returns the field path of the mesh with the index `mesh`, for error messages.
pub(super) const fn mesh_place(mesh: u64) -> Field {
    Field::new("").in_list("mesh", mesh)
}

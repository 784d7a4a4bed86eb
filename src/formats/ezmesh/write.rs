//! Writes the contents of an opened file again, as text or binary like the opened file.

use std::io::Write;

use super::builder;
use super::form::Form;
use super::view::View;
use crate::error::Result;

/// Writes the contents of an opened file again, as text or binary like the opened file. The
/// contents are copied with [`builder::Mesh::of`] first.
///
/// A valid binary file is reproduced byte for byte. Bytes after the plane at its end are not
/// written. Text of any dialect is written in the style of [`builder::Mesh::write_ezm`], and every
/// number parses to the same bits.
///
/// # Errors
///
/// Returns the first error that is found while the file is read. Returns
/// [`ErrorKind::Refused`](crate::error::ErrorKind::Refused) with the field if the file cannot be
/// written, for example if triangles refer to missing vertices; nothing is written in this case.
/// Returns an error if the output fails.
pub(super) fn write_to(view: View<'_>, out: &mut dyn Write) -> Result<()> {
    let system = builder::Mesh::of(view)?;
    match view.state.form {
        Form::Text(_) => system.write_ezm(out),
        Form::Binary { order, version } => system.write_binary(order, version, out),
    }
}

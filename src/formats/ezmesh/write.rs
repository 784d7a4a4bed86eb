//! Writes an opened EZ-Mesh file again: a text file as text, and a binary file as binary.

use std::io::Write;

use super::builder;
use super::form::Form;
use super::view::View;
use crate::error::Result;

/// Writes an opened EZ-Mesh file again: a text file as text, and a binary file as binary.
/// [`builder::Mesh::of`] first copies the contents of the opened file into memory.
///
/// A binary file without errors is reproduced byte for byte. Bytes after the last field of a binary
/// file, the plane, are not written. A text file of any XML dialect is written as by
/// [`builder::Mesh::write_ezm`], and every written number parses to the same bits as in the opened
/// file. In names, `"` becomes `&quot;` and `<` becomes `&lt;`, which `validate` reports.
///
/// # Errors
///
/// Returns the first error that is found while the opened file is read. Returns
/// [`ErrorKind::Refused`](crate::error::ErrorKind::Refused) with the field if the contents cannot
/// be written, for example if triangles refer to missing vertices; no byte is then written to
/// `out`. Returns an error if writing to `out` fails.
pub(super) fn write_to(view: View<'_>, out: &mut dyn Write) -> Result<()> {
    let system = builder::Mesh::of(view)?;
    match view.state.form {
        Form::Text(_) => system.write_text(out),
        Form::Binary { order, version } => system.write_binary(order, version, out),
    }
}

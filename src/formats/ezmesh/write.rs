//! The writer: a file written again in the form that it has.

use std::io::Write;

use super::builder;
use super::form::Form;
use super::view::View;
use crate::error::Result;

/// Writes the file again in its own form, through [`builder::Mesh::of`].
///
/// A sound binary file comes out byte for byte, up to the plane that it ends with. Text comes out as
/// [`builder::Mesh::write_ezm`] spells it, whatever its dialect: every number reads as the same bits.
///
/// # Errors
///
/// The first fault of the file; [`ErrorKind::Refused`](crate::error::ErrorKind::Refused), by field, where a file cannot be written
/// as it is, such as one with triangles of vertices that it does not have: nothing is written then. What the output refuses.
pub(super) fn write_to(view: View<'_>, out: &mut dyn Write) -> Result<()> {
    let system = builder::Mesh::of(view)?;
    match view.state.form {
        Form::Text(_) => system.write_ezm(out),
        Form::Binary { order, version } => system.write_binary(order, version, out),
    }
}

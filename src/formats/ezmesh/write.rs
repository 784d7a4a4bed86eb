//! The writer: a file written again in the form that it has.

use std::io::Write;

use super::build::System;
use super::system::MeshSystem;
use super::view::Form;
use crate::error::Result;

impl<D: AsRef<[u8]>> MeshSystem<D> {
    /// Writes the file again in its own form, through [`System::of`].
    ///
    /// A sound binary file comes out byte for byte, up to the plane that it ends with. Text comes out as
    /// [`System::write_ezm`] spells it, whatever its dialect: every number reads as the same bits.
    ///
    /// # Errors
    ///
    /// The first fault of the file; [`ErrorKind::Refused`](crate::error::ErrorKind::Refused), by field, where a file cannot be written
    /// as it is, such as one with triangles of vertices that it does not have: nothing is written then. What the output refuses.
    pub fn write_to(&self, out: &mut dyn Write) -> Result<()> {
        let system = System::of(self.view())?;
        match self.form() {
            Form::Text(_) => system.write_ezm(out),
            Form::Binary { order, version } => system.write_binary(order, version, out),
        }
    }
}

//! Writes files that were read, in their form.

mod binary_file;
mod text_file;

use std::io::Write;

use super::builder::Output;
use super::view::View;
use crate::error::Result;

/// Writes a file that was read, in its form.
///
/// Text becomes XML text with the root element `MeshSystem` that every known reader of the format
/// accepts. Lines end with CR LF. A line of numbers has at most 160 bytes, and the text of one
/// number has at most 30 bytes. A float is written with the fewest digits that parse to the same
/// bits. Infinities and NaN are written as `0$` and their bits in eight hexadecimal digits, such as
/// `0$7f800000`. In names, `"` is written as `&quot;`, and `<` is written as `&lt;`.
///
/// # Errors
///
/// Returns [`ErrorKind::Refused`](crate::error::ErrorKind::Refused) with the name of the field,
/// before the first byte is written, if the file has data that cannot be written. Returns the I/O
/// error if writing to `out` fails.
pub(super) fn write_to(view: View<'_>, out: &mut dyn Write) -> Result<()> {
    if view.order().is_some() {
        return binary_file::write(view, out);
    }
    text_file::write(view, &mut Output::checking())?;
    let mut out = Output::new(out, None);
    text_file::write(view, &mut out)?;
    out.finish()
}

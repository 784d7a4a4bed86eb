//! Returns the values of attributes that only Second Life meshes have, for the `dump` command.

use crate::Array;
use crate::formats::secondlife::LevelGeometry;

use crate::program::args::Attribute;
use crate::program::render::values::{Rows, Values};

/// Returns the tangents of a submesh, or `None` for any other attribute and for a submesh without
/// tangents.
pub fn values<'a>(
    detail: &LevelGeometry<'a>,
    surface: usize,
    attribute: Attribute,
    raw: bool,
) -> crate::Result<Option<Box<dyn Values + 'a>>> {
    if attribute != Attribute::Tangents {
        return Ok(None);
    }
    let tangents = detail.level()?.submesh(surface)?.tangents()?;
    Ok(tangents.map(|tangents| {
        let codes = tangents.raw();
        if raw {
            let integers = |at: usize| codes.get(at).map(|code| code.map(|part| i32::from(part.get())));
            return Rows::boxed(codes.len(), integers);
        }
        Rows::boxed(tangents.len(), move |at| tangents.get(at))
    }))
}

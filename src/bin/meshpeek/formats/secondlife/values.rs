//! Returns the values of attributes that only Second Life meshes have, for the `dump` command.

use meshpeek::decode::MinMax16;
use meshpeek::model::Positions;
use meshpeek::secondlife::{Convex, LevelGeometry};
use meshpeek::{Array, Error, ErrorKind, Field, Packed};

use crate::args::Attribute;
use crate::render::values::{Rows, Values, boxed};

/// Returns the points of the hull with the index `index`.
fn hull<'a>(convex: &Convex<'a>, index: usize) -> meshpeek::Result<Packed<'a, MinMax16<3>>> {
    let hulls = convex.hulls()?;
    hulls.clone().nth(index).ok_or_else(|| {
        let [count, index] = [hulls.count(), index].map(|number| number.try_into().unwrap_or(u64::MAX));
        let field = Field::new("").in_list("hull", index);
        Error::without_offset("secondlife", field, ErrorKind::NoSuch { count, index })
    })
}

/// Returns the values of an attribute that only Second Life meshes have. Returns `None` if the
/// attribute is not specific to Second Life meshes, or if the asset does not have the attribute.
pub fn values<'a>(
    detail: &LevelGeometry<'a>,
    surface: usize,
    attribute: Attribute,
    raw: bool,
) -> meshpeek::Result<Option<Box<dyn Values + 'a>>> {
    let convex = || detail.view().convex();
    let points = match attribute {
        Attribute::Tangents => {
            let tangents = detail.level()?.submesh(surface)?.tangents()?;
            return Ok(tangents.map(|tangents| {
                let codes = tangents.raw();
                if raw {
                    let integers = |at: usize| codes.get(at).map(|code| code.map(|part| i32::from(part.get())));
                    return Rows::boxed(codes.len(), integers);
                }
                Rows::boxed(tangents.len(), move |at| tangents.get(at))
            }));
        }
        Attribute::Hull => match convex()? {
            Some(convex) => Some(hull(&convex, surface)?),
            None => None,
        },
        Attribute::BoundingHull => match convex()? {
            Some(convex) => convex.bounding_points()?,
            None => None,
        },
        _ => None,
    };
    Ok(boxed(points.map(Positions::MinMax16)))
}

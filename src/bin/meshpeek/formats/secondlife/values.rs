//! Returns the values of attributes that only Second Life meshes have, for the `dump` command.

use std::io;
use std::ops::Range;

use meshpeek::decode::{MinMax16, Tangent16};
use meshpeek::io::prefetch;
use meshpeek::model::Positions;
use meshpeek::secondlife::{Convex, LevelGeometry};
use meshpeek::{Array, Error, ErrorKind, Field, Packed};

use crate::args::Attribute;
use crate::render::arrays::{visit_codes, visit_floats};
use crate::render::values::{Values, Visit};

/// The tangents of a submesh, encoded as 16-bit integers in the file.
struct Tangents<'a>(Packed<'a, Tangent16>);

impl Values for Tangents<'_> {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn visit(&self, range: Range<usize>, raw: bool, visit: Visit<'_>) -> io::Result<()> {
        let bytes = self.0.slice(range.clone()).map(|part| part.as_bytes()).unwrap_or_default();
        prefetch(bytes);
        if raw {
            return visit_codes(bytes, 4, visit);
        }
        visit_floats(range, |index| self.0.get(index), visit)
    }
}

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
) -> meshpeek::Result<Option<Box<dyn Values + 'a>>> {
    let convex = || detail.view().convex();
    let points = match attribute {
        Attribute::Tangents => {
            let tangents = detail.level()?.submesh(surface)?.tangents()?;
            return Ok(match tangents {
                Some(tangents) => Some(Box::new(Tangents(tangents))),
                None => None,
            });
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
    Ok(match points {
        Some(points) => Some(Box::new(Positions::MinMax16(points))),
        None => None,
    })
}

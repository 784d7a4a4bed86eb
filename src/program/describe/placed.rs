//! Computes the bounding box of a mesh in the units of the world.

use crate::model::Space;
use crate::model::animation::Affine;
use crate::{Array as _, Bounds, Geometry, Surface};

/// The bounding box of the drawn surfaces in the world.
#[derive(Clone, Copy, Debug)]
pub struct PlacedBounds {
    pub bounds: Bounds,
    /// The length of one unit in metres, or `None` if the format does not define it.
    pub metres_per_unit: Option<f32>,
}

impl PlacedBounds {
    /// Computes the box of all drawn positions after the scale, rotation and origin of a script.
    /// Without a script, these are the stored positions.
    pub fn of(geometry: &dyn Geometry) -> crate::Result<Self> {
        let Space { placement, metres_per_unit, .. } = geometry.space();
        let mut bounds = Bounds::EMPTY;
        for surface in Surface::all(geometry)? {
            if surface.is_drawn()? {
                let placed =
                    if placement == Affine::IDENTITY { surface.bounds()? } else { apply(&surface, &placement)? };
                bounds = bounds.union(&placed);
            }
        }
        Ok(Self { bounds, metres_per_unit })
    }
}

impl PlacedBounds {
    /// Returns the box of a mesh whose format has no scripts.
    pub const fn unchanged(bounds: Bounds, space: &Space) -> Self {
        Self { bounds, metres_per_unit: space.metres_per_unit }
    }
}

/// Returns the bounding box of the positions that the triangles of a surface use, after a map.
fn apply(surface: &Surface<'_>, placement: &Affine) -> crate::Result<Bounds> {
    let positions = surface.positions()?;
    let corners = surface.indices()?;
    let used = corners.iter().filter_map(|corner| positions.get(usize::try_from(corner).ok()?));
    Ok(used.map(|position| point(placement.apply(position))).fold(Bounds::EMPTY, |sum, one| sum.union(&one)))
}

/// Returns the box of one point, or an empty box if a coordinate is not a number.
fn point(position: [f32; 3]) -> Bounds {
    if position.iter().any(|part| part.is_nan()) { Bounds::EMPTY } else { Bounds { min: position, max: position } }
}

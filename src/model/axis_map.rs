//! Maps that only exchange axes, change their signs and scale all axes by the same factor.

use super::animation::affine::Affine;
use super::bone::Transform;
use crate::math::narrow;

/// A map that only exchanges axes, changes their signs and scales all axes by the same factor.
///
/// The conversion of a transform by such a map copies and negates numbers, so it is exact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct AxisMap {
    /// The origin of each component of the image.
    components: [Component; 3],
    factor: f64,
    is_mirrored: bool,
}

/// The component of a vector that becomes a component of its image.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Component {
    index: usize,
    is_negated: bool,
}

impl AxisMap {
    /// Returns the map as an `AxisMap`, or `None` if it does more than exchange axes, change their
    /// signs and scale all axes by the same factor.
    pub(super) fn new(map: &Affine, is_mirrored: bool) -> Option<Self> {
        let [right, up, out, origin] = map.columns();
        let [[xx, xy, xz], [yx, yy, yz], [zx, zy, zz]] = [right, up, out];
        let [first, second, third] = [[xx, yx, zx], [xy, yy, zy], [xz, yz, zz]].map(only_part);
        let found = [first?, second?, third?];
        let [(_, factor), ..] = found;
        let components = found.map(|(component, _)| component);
        let is_uniform = found.iter().all(|(_, other)| other.to_bits() == factor.to_bits());
        let is_exchange = (0..3).all(|index| components.iter().any(|component| component.index == index));
        let is_at_origin = origin.iter().all(|part| *part == 0.0);
        (is_uniform && is_exchange && is_at_origin).then_some(Self { components, factor, is_mirrored })
    }

    /// Returns the transform that moves converted points as `transform` moves stored points.
    pub(super) fn transform(&self, transform: &Transform) -> Transform {
        let Transform { position, rotation: [x, y, z, w], scale } = *transform;
        let position = self.turned(position, false);
        let [x, y, z] = self.turned([x, y, z], self.is_mirrored);
        let scale = self.components.map(|Component { index, .. }| scale.get(index).copied().unwrap_or_default());
        Transform {
            position: position.map(|part| narrow(f64::from(part) * self.factor)),
            rotation: [x, y, z, w],
            scale,
        }
    }

    /// Exchanges the components of a vector and changes their signs, or the signs of the others if
    /// `is_opposite` is true.
    fn turned(&self, vector: [f32; 3], is_opposite: bool) -> [f32; 3] {
        self.components.map(|Component { index, is_negated }| {
            let part = vector.get(index).copied().unwrap_or_default();
            // A subtraction from 0, in contrast to a negation, does not give -0.
            if is_negated == is_opposite { part } else { 0.0 - part }
        })
    }
}

/// Returns the only component of a row that is not 0, and its absolute value, or `None` if there
/// are several or none.
fn only_part(row: [f64; 3]) -> Option<(Component, f64)> {
    let mut parts = row.iter().enumerate().filter(|(_, part)| **part != 0.0);
    let (index, part) = parts.next()?;
    let is_only = parts.next().is_none() && part.is_finite();
    is_only.then(|| (Component { index, is_negated: *part < 0.0 }, part.abs()))
}

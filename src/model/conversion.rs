//! The conversion of positions, directions, texture coordinates and triangles from one coordinate
//! convention to another.

use super::animation::affine::Affine;
use super::bone::Transform;
use super::space::{Axis, Handedness, Space};
use crate::array::Bounds;
use crate::decode::TangentFrame;
use crate::error::{Cause, Error, Field, Result};
use crate::math::{add, cross, dot, narrow, unit};

/// The name that errors about conventions contain in place of a file format.
const CONVENTIONS: &str = "space";

/// A conversion from the stored values of a mesh to other coordinate conventions, made by
/// [`Space::conversion_to`].
///
/// Positions are transformed in `f32`. The conversion is exact if it only exchanges axes or changes
/// their signs.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::model::Space;
/// let mesh = meshpeek::open("data/unigine/cube_ms13.mesh")?;
/// let conversion = mesh.space().conversion_to(&Space::GLTF)?;
/// assert_eq!(conversion.position([1.0, 2.0, 3.0]), [1.0, 3.0, -2.0]); // -y was forward, z was up
/// assert!(!conversion.reverses_corners());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpaceConversion {
    map: Affine,
    /// The columns of `map`, rounded once.
    columns: [[f32; 3]; 4],
    /// The cofactors of the linear part of `map`, which transform normals.
    cofactors: [[f32; 3]; 3],
    is_mirrored: bool,
    reverses_corners: bool,
    flips_v: bool,
}

impl SpaceConversion {
    /// The conversion that changes nothing.
    pub const IDENTITY: Self = Self {
        map: Affine::IDENTITY,
        columns: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0; 3]],
        cofactors: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        is_mirrored: false,
        reverses_corners: false,
        flips_v: false,
    };

    pub(super) fn new(from: &Space, target: &Space) -> Result<Self> {
        let to = target.or(from);
        for (name, known, wanted) in [
            ("up", from.up.is_some(), target.up.is_some()),
            ("handedness", from.handedness.is_some(), target.handedness.is_some()),
            ("winding", from.winding.is_some(), target.winding.is_some()),
        ] {
            if wanted && !known {
                let expected = "a convention that the format of the mesh defines, or one passed to `Space::or`";
                return Err(fault(name, Cause::Missing { expected: expected.into() }));
            }
        }
        let factor = match (from.metres_per_unit, to.metres_per_unit) {
            (Some(from), Some(to)) => f64::from(from) / f64::from(to),
            _ => 1.0,
        };
        let map = from.placement.then(&rotation(from, &to)?).then(&scaling(factor));
        let [x, y, z, _] = map.columns();
        Ok(Self {
            map,
            columns: map.columns_f32(),
            cofactors: [cross(y, z), cross(z, x), cross(x, y)].map(|column| column.map(narrow)),
            is_mirrored: dot(x, cross(y, z)) < 0.0,
            reverses_corners: from.winding != to.winding,
            flips_v: from.uv_origin.is_some() && from.uv_origin != to.uv_origin,
        })
    }

    /// Returns the map from stored positions to converted positions.
    #[must_use]
    pub const fn map(&self) -> &Affine {
        &self.map
    }

    /// Converts a position.
    #[inline]
    #[must_use]
    pub fn position(&self, position: [f32; 3]) -> [f32; 3] {
        let [x, y, z, origin] = self.columns;
        add(turned([x, y, z], position), origin)
    }

    /// Converts a direction, such as a tangent, and scales it to unit length. A direction without
    /// length becomes 0, 0, 0.
    #[must_use]
    pub fn direction(&self, direction: [f32; 3]) -> [f32; 3] {
        let [x, y, z, _] = self.columns;
        unit(turned([x, y, z], direction)).unwrap_or_default()
    }

    /// Converts a normal and scales it to unit length. A normal stays perpendicular to its surface
    /// also if the conversion scales the axes differently. A normal without length becomes 0, 0, 0.
    #[must_use]
    pub fn normal(&self, normal: [f32; 3]) -> [f32; 3] {
        unit(turned(self.normal_columns(), normal)).unwrap_or_default()
    }

    /// Returns the linear map of normals as the images of the axes. It changes the lengths of
    /// normals if the conversion scales.
    pub(crate) fn normal_columns(&self) -> [[f32; 3]; 3] {
        let sign = if self.is_mirrored { -1.0 } else { 1.0 };
        self.cofactors.map(|column| column.map(|part| part * sign))
    }

    /// Converts a tangent frame. The bitangent still points in the direction in which the converted
    /// texture coordinate v grows.
    #[must_use]
    pub fn tangent_frame(&self, frame: &TangentFrame) -> TangentFrame {
        let sign = if self.is_mirrored == self.flips_v { 1.0 } else { -1.0 };
        let (normal, tangent) = (self.normal(frame.normal()), self.direction(frame.tangent()));
        TangentFrame::from_axes(normal, tangent, frame.handedness * sign)
    }

    /// Converts a texture coordinate.
    #[inline]
    #[must_use]
    pub fn uv(&self, [u, v]: [f32; 2]) -> [f32; 2] {
        [u, if self.flips_v { 1.0 - v } else { v }]
    }

    /// Converts the order of the corners of a triangle: exchanges the second and the third corner
    /// if the conversion reverses the winding.
    #[inline]
    #[must_use]
    pub fn triangle<T>(&self, [first, second, third]: [T; 3]) -> [T; 3] {
        if self.reverses_corners { [first, third, second] } else { [first, second, third] }
    }

    /// Converts a transform within the space of the mesh, such as the transform of a node or a
    /// bone, or returns `None` if the conversion cannot be inverted.
    ///
    /// A converted point that the converted transform moves is the point that the original
    /// transform moves, converted.
    #[must_use]
    pub fn transform(&self, transform: &Affine) -> Option<Affine> {
        self.map.inverse().map(|back| back.then(transform).then(&self.map))
    }

    /// Converts the transform of a bone or a node relative to its parent, such as the rest
    /// transform of a bone or a key of a clip.
    ///
    /// The converted transforms of a bone and its ancestors together give the converted place of
    /// the bone. If the conversion only exchanges axes, changes their signs and scales them by the
    /// same factor, no rotation and no scale is rounded. Any other conversion can shear, which a
    /// transform cannot represent: see [`Affine::to_transform`]. Such a conversion keeps the
    /// rotation and the scale of a transform that cannot be inverted.
    ///
    /// ```
    /// # fn main() -> meshpeek::Result<()> {
    /// use meshpeek::model::{Axis, Handedness, Space, Transform, Winding};
    /// let z_up = Space { up: Some(Axis::Z), handedness: Some(Handedness::Right), ..Space::UNKNOWN };
    /// let conversion = Space { winding: Some(Winding::CounterClockwise), ..z_up }.conversion_to(&Space::GLTF)?;
    /// let raised = Transform { position: [0.0, 0.0, 3.0], scale: [1.0, 1.0, 2.0], ..Transform::default() };
    /// let converted = conversion.local(&raised);
    /// assert_eq!((converted.position, converted.scale), ([0.0, 3.0, 0.0], [1.0, 2.0, 1.0]));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn local(&self, transform: &Transform) -> Transform {
        if let Some(axes) = AxisMap::new(&self.map, self.is_mirrored) {
            return axes.transform(transform);
        }
        let converted = self.transform(&Affine::from(transform)).and_then(|map| map.to_transform());
        converted.unwrap_or_else(|| Transform { position: self.position(transform.position), ..*transform })
    }

    /// Converts a bounding box: returns the bounding box of the eight converted corners.
    #[must_use]
    pub fn bounds(&self, bounds: &Bounds) -> Bounds {
        if bounds.is_empty() {
            return Bounds::EMPTY;
        }
        let corners = (0..8_u8).map(|corner| {
            let [mut at, bits] = [bounds.min, [1_u8, 2, 4].map(|bit| f32::from(corner & bit))];
            for ((part, bit), max) in at.iter_mut().zip(bits).zip(bounds.max) {
                *part = if bit > 0.0 { max } else { *part };
            }
            self.position(at)
        });
        corners.collect()
    }

    /// Returns whether the conversion exchanges the second and the third corner of each triangle.
    #[must_use]
    pub const fn reverses_corners(&self) -> bool {
        self.reverses_corners
    }

    /// Returns whether the conversion replaces v by 1 - v.
    #[doc(hidden)]
    #[must_use]
    pub const fn flips_v(&self) -> bool {
        self.flips_v
    }

    /// Returns whether the conversion mirrors the mesh, as a conversion between a left-handed and a
    /// right-handed space does.
    #[doc(hidden)]
    #[must_use]
    pub const fn is_mirrored(&self) -> bool {
        self.is_mirrored
    }
}

/// A map that only exchanges axes, changes their signs and scales all axes by the same factor.
///
/// The conversion of a transform by such a map copies and negates numbers, so it is exact.
#[derive(Clone, Copy, Debug, PartialEq)]
struct AxisMap {
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
    fn new(map: &Affine, is_mirrored: bool) -> Option<Self> {
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
    fn transform(&self, transform: &Transform) -> Transform {
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

impl Default for SpaceConversion {
    /// Returns [`SpaceConversion::IDENTITY`].
    fn default() -> Self {
        Self::IDENTITY
    }
}

#[inline]
fn turned([[xx, xy, xz], [yx, yy, yz], [zx, zy, zz]]: [[f32; 3]; 3], [x, y, z]: [f32; 3]) -> [f32; 3] {
    [x * xx + y * yx + z * zx, x * xy + y * yy + z * zy, x * xz + y * yz + z * zz]
}

fn scaling(factor: f64) -> Affine {
    Affine::new([[factor, 0.0, 0.0], [0.0, factor, 0.0], [0.0, 0.0, factor], [0.0; 3]])
}

/// Returns the map from the axes of `from` to the axes of `to`.
fn rotation(from: &Space, to: &Space) -> Result<Affine> {
    let has_front = from.forward.is_some() && to.forward.is_some();
    let (Some(source), Some(target)) = (axes(from, has_front)?, axes(to, has_front)?) else {
        return Ok(Affine::IDENTITY);
    };
    // The map takes each axis of the source to the same axis of the target. The inverse of an
    // orthonormal matrix is its transpose.
    let columns = [0, 1, 2].map(|column| {
        let mut image = [0.0; 3];
        for (from, to) in source.iter().zip(target) {
            let part = from.get(column).copied().unwrap_or_default();
            for (image, to) in image.iter_mut().zip(to) {
                *image += f64::from(part * to);
            }
        }
        image
    });
    let [x, y, z] = columns;
    Ok(Affine::new([x, y, z, [0.0; 3]]))
}

/// Returns the directions right, forward and up of a space, or `None` if the up axis or the
/// handedness is unknown. Without a known front, right is the x axis, or the y axis if x is up or
/// down.
fn axes(space: &Space, has_front: bool) -> Result<Option<[[f32; 3]; 3]>> {
    let (Some(up), Some(handedness)) = (space.up, space.handedness) else { return Ok(None) };
    let (up_axis, up) = (up, up.direction());
    let crossed = |a, b| match handedness {
        Handedness::Right => cross(a, b),
        Handedness::Left => cross(b, a),
    };
    if let (Some(forward), true) = (space.forward, has_front) {
        if forward.is_parallel(up_axis) {
            let expected = "a forward axis that is perpendicular to the up axis";
            return Err(fault("forward", Cause::value(expected, "parallel axes")));
        }
        let forward = forward.direction();
        return Ok(Some([crossed(forward, up), forward, up]));
    }
    let [along, ..] = up;
    let right = if along == 0.0 { Axis::X } else { Axis::Y }.direction();
    Ok(Some([right, crossed(up, right), up]))
}

fn fault(name: &'static str, kind: Cause) -> Error {
    Error::without_offset(CONVENTIONS, Field::new(name), kind)
}

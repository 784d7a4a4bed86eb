//! Coordinate conventions: which axis points up, which way triangles are wound, and how long a unit
//! is.

use super::animation::affine::Affine;
use super::conversion::SpaceConversion;
use crate::error::Result;
use crate::math::{cross, dot};

/// A signed coordinate axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Axis {
    /// The direction in which x grows.
    X,
    /// The direction in which y grows.
    Y,
    /// The direction in which z grows.
    Z,
    /// The direction in which x decreases.
    NegativeX,
    /// The direction in which y decreases.
    NegativeY,
    /// The direction in which z decreases.
    NegativeZ,
}

impl Axis {
    /// Returns the direction of the axis as a unit vector.
    ///
    /// ```
    /// assert_eq!(meshpeek::model::Axis::NegativeY.direction(), [0.0, -1.0, 0.0]);
    /// ```
    #[must_use]
    pub const fn direction(self) -> [f32; 3] {
        match self {
            Self::X => [1.0, 0.0, 0.0],
            Self::Y => [0.0, 1.0, 0.0],
            Self::Z => [0.0, 0.0, 1.0],
            Self::NegativeX => [-1.0, 0.0, 0.0],
            Self::NegativeY => [0.0, -1.0, 0.0],
            Self::NegativeZ => [0.0, 0.0, -1.0],
        }
    }

    /// Returns whether two axes have the same or opposite directions.
    pub(super) fn is_parallel(self, other: Self) -> bool {
        dot(self.direction(), other.direction()).abs() > 0.5
    }
}

/// Whether a coordinate system is right-handed or left-handed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Handedness {
    /// If x points to the right and y points up, z points towards the viewer.
    Right,
    /// If x points to the right and y points up, z points away from the viewer.
    Left,
}

/// The order of the corners of a triangle, seen from the front of the triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Winding {
    /// The corners go round counter-clockwise.
    CounterClockwise,
    /// The corners go round clockwise.
    Clockwise,
}

impl Winding {
    /// Returns the other winding.
    #[must_use]
    pub(crate) const fn reversed(self) -> Self {
        match self {
            Self::CounterClockwise => Self::Clockwise,
            Self::Clockwise => Self::CounterClockwise,
        }
    }
}

/// Returns whether a map mirrors: whether its determinant is negative.
fn is_mirror(map: &Affine) -> bool {
    let [x, y, z, _] = map.columns();
    dot(x, cross(y, z)) < 0.0
}

/// The corner of a texture image at which both texture coordinates are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum UvOrigin {
    /// The top left corner: v grows downwards.
    TopLeft,
    /// The bottom left corner: v grows upwards.
    BottomLeft,
}

/// The coordinate conventions of a mesh. A field is `None` if neither the format nor the file
/// defines it.
///
/// The conventions hold for placed positions: positions that [`placement`](Self::placement) has
/// transformed. [`conversion_to`](Self::conversion_to) returns the conversion from the stored
/// arrays of a mesh to other conventions.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::model::{Axis, Space};
/// use meshpeek::Array;
/// let mesh = meshpeek::open("data/unigine/cube_ms13.mesh")?;
/// let space = mesh.space();
/// assert_eq!((space.up, space.metres_per_unit), (Some(Axis::Z), Some(1.0)));
/// let conversion = space.conversion_to(&Space::GLTF)?;
/// let positions = conversion.array(mesh.surface(0)?.positions()?);
/// let highest = positions.iter().map(|[_, y, _]| y).fold(f32::MIN, f32::max);
/// assert_eq!(highest, mesh.bounds()?.max[2]); // up is y in glTF, and z in the file
/// # Ok(())
/// # }
/// ```
///
/// Other conventions are made of those that are known, also as a constant:
///
/// ```
/// use meshpeek::model::{Axis, Space, UvOrigin};
/// const ENGINE: Space = Space { up: Some(Axis::Z), forward: Some(Axis::NegativeY), metres_per_unit: Some(0.01), ..Space::GLTF };
/// const OBJ: Space = Space { uv_origin: Some(UvOrigin::BottomLeft), ..Space::GLTF };
/// assert_eq!((ENGINE.up, ENGINE.winding, OBJ.up), (Some(Axis::Z), Space::GLTF.winding, Some(Axis::Y)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
pub struct Space {
    /// The axis that points up.
    pub up: Option<Axis>,
    /// The axis that points to the front of a model.
    pub forward: Option<Axis>,
    /// Whether the axes are right-handed or left-handed.
    pub handedness: Option<Handedness>,
    /// The order of the corners of a triangle.
    pub winding: Option<Winding>,
    /// The length of one unit, in metres.
    pub metres_per_unit: Option<f32>,
    /// The origin of texture coordinates.
    pub uv_origin: Option<UvOrigin>,
    /// The map from stored positions to placed positions, such as the scale and origin in a script.
    pub placement: Affine,
}

impl Space {
    /// The conventions of glTF: right-handed, y up, z forward, counter-clockwise, metres, and
    /// texture coordinates from the top left corner.
    pub const GLTF: Self = Self {
        up: Some(Axis::Y),
        forward: Some(Axis::Z),
        handedness: Some(Handedness::Right),
        winding: Some(Winding::CounterClockwise),
        metres_per_unit: Some(1.0),
        uv_origin: Some(UvOrigin::TopLeft),
        placement: Affine::IDENTITY,
    };

    /// The conventions of a mesh of which nothing is known.
    pub const UNKNOWN: Self = Self {
        up: None,
        forward: None,
        handedness: None,
        winding: None,
        metres_per_unit: None,
        uv_origin: None,
        placement: Affine::IDENTITY,
    };

    /// Returns these conventions, with each unknown field replaced by the field of `assumed`. The
    /// placement does not change.
    ///
    /// A program uses `or` to state the conventions of a mesh whose format does not define them. A
    /// forward axis of `assumed` is not used if it is parallel to the up axis.
    ///
    /// ```
    /// use meshpeek::model::{Axis, Space};
    /// let space = Space::UNKNOWN.or(&Space { up: Some(Axis::Z), ..Space::UNKNOWN });
    /// assert_eq!((space.up, space.forward), (Some(Axis::Z), None));
    /// ```
    #[must_use]
    pub fn or(self, assumed: &Self) -> Self {
        let up = self.up.or(assumed.up);
        let is_parallel = |forward: &Axis| up.is_some_and(|up| up.is_parallel(*forward));
        Self {
            up,
            forward: self.forward.or(assumed.forward.filter(|forward| !is_parallel(forward))),
            handedness: self.handedness.or(assumed.handedness),
            winding: self.winding.or(assumed.winding),
            metres_per_unit: self.metres_per_unit.or(assumed.metres_per_unit),
            uv_origin: self.uv_origin.or(assumed.uv_origin),
            placement: self.placement,
        }
    }

    /// Returns these conventions with another placement, such as the transform of an
    /// [`Instance`](super::Instance). The winding changes if one of the two placements mirrors the
    /// mesh and the other does not.
    #[must_use]
    pub fn placed(self, placement: Affine) -> Self {
        let turns = is_mirror(&placement) != is_mirror(&self.placement);
        let winding = self.winding.map(|winding| if turns { winding.reversed() } else { winding });
        Self { winding, placement, ..self }
    }

    /// Returns the conversion of the stored arrays of a mesh with these conventions to the
    /// conventions `target`. The conversion includes the placement.
    ///
    /// An unknown field of `target` is kept as it is in the mesh. If the front of the mesh or of
    /// `target` is unknown, the x axis keeps its direction. If the unit or the origin of texture
    /// coordinates is unknown, lengths or texture coordinates are not changed. The placement of
    /// `target` is ignored.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Missing`](crate::ErrorKind::Missing) if `target` has an up axis, a
    /// handedness or a winding that is unknown for the mesh, and
    /// [`ErrorKind::Value`](crate::ErrorKind::Value) if the up axis and the forward axis of one of
    /// the two conventions are parallel. State unknown conventions with [`or`](Self::or).
    pub fn conversion_to(&self, target: &Self) -> Result<SpaceConversion> {
        SpaceConversion::new(self, target)
    }
}

impl Default for Space {
    /// Returns [`Space::UNKNOWN`].
    fn default() -> Self {
        Self::UNKNOWN
    }
}

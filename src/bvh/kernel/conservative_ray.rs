//! The ray in the form that the kernels use: in `f32`, with derived values that are computed once
//! for each ray and tree. The rounding margins, by which the kernels enlarge what they test in
//! `f32`: rounding errors then never cause a kernel to miss a result.

/// The margin for the computed distance to a plane of a bounding box, relative to the largest
/// coordinate in this computation.
///
/// The computation rounds a distance along the ray up to seven times. The errors add up to less
/// than 13 * 2^-24 of the largest coordinate, divided by the direction's component along the axis.
const PLANE_MARGIN: f32 = 1.0 / 1_048_576.0;
/// The margin for the computed distance to a plane of a bounding box from a point, relative to the
/// largest number in this computation: the error is less than 2^-21 of that number.
pub(crate) const POINT_MARGIN: f32 = 1.0 / 2_097_152.0;
/// The margin that is subtracted from the computed squared distance between a point and a triangle.
///
/// The margin of the squared distance is relative to the square of the largest coordinate that the
/// distance is computed from.
pub(crate) const DISTANCE_MARGIN: f32 = 1.0 / 65_536.0;
/// The range of squared areas of triangles that are computed accurately in `f32`.
///
/// If the squared area of a triangle is outside `RELIABLE_AREAS`, and the projection of the point
/// to the triangle's plane is inside the triangle, the point test uses the distance 0.
pub(crate) const RELIABLE_AREAS: std::ops::Range<f32> = 1.0e-30..1.0e30;
/// The largest coordinate of a triangle, relative to the query point, for which the products in the
/// point test do not overflow.
///
/// A triangle with a coordinate above `MAX_EXACT_COORDINATE` is assumed to be near the point, and
/// is always tested exactly.
pub(crate) const MAX_EXACT_COORDINATE: f32 = 1.0e9;
/// The number of steps along each axis of the grid in which a node stores bounding boxes.
pub(crate) const GRID_STEPS: f32 = 255.0;

/// A ray in `f32` for the tests of bounding boxes in the kernels.
///
/// The tests may accept a bounding box that the ray does not meet, but never reject one that it
/// meets. The direction of the ray is scaled: its largest component has the absolute value 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConservativeRay {
    /// The inverse of each component of the direction. The fourth lane is 0, like that of the next
    /// two vectors.
    pub(crate) inverse: [f32; 4],
    /// For each axis, the number that is added to the product of a coordinate and `inverse`. The
    /// sum is a lower bound of the distance at which the ray reaches the coordinate.
    pub(crate) near: [f32; 4],
    /// The number for an upper bound of the distance, like `near`.
    pub(crate) far: [f32; 4],
    /// For each axis, the planes of bounding boxes that the ray meets first.
    pub(crate) first: [PlaneRow; 3],
    /// For each axis, the planes of bounding boxes that the ray meets last.
    pub(crate) last: [PlaneRow; 3],
    /// The least distance at which a hit is accepted, in multiples of the length of the scaled
    /// direction. It is not negative.
    pub(crate) from: f32,
}

/// The planes of the children's bounding boxes on one side of one axis, as the index of eight bytes
/// of a [`RawNode`](crate::bvh::layout::RawNode).
///
/// It has the size of an index, because a kernel reads six of them for each node.
#[derive(Clone, Copy, Debug)]
#[repr(usize)]
pub(crate) enum PlaneRow {
    LowX = 2,
    LowY = 3,
    LowZ = 4,
    HighX = 5,
    HighY = 6,
    HighZ = 7,
}

impl ConservativeRay {
    /// A ray that meets no bounding box.
    pub(crate) const NOWHERE: Self = Self {
        inverse: [0.0; 4],
        near: [0.0; 4],
        far: [0.0; 4],
        first: PlaneRow::LOW,
        last: PlaneRow::HIGH,
        from: f32::INFINITY,
    };

    /// Creates a ray from its origin, the inverse of each component of its scaled direction, and
    /// the least distance of an accepted hit.
    ///
    /// `reach` is the largest coordinate of the origin and of the bounding boxes. `slack` is the
    /// distance by which bounding boxes are enlarged in addition to the margin for rounding errors.
    #[inline(always)]
    pub(crate) fn new(origin: [f32; 3], inverse: [f32; 3], from: f32, reach: f32, slack: f32) -> Self {
        let [x, y, z] = inverse;
        let [origin_x, origin_y, origin_z] = origin;
        let (inverse, origin) = ([x, y, z, 0.0], [origin_x, origin_y, origin_z, 0.0]);
        let width = reach * PLANE_MARGIN + slack + f32::MIN_POSITIVE;
        let (mut near, mut far) = ([0.0; 4], [0.0; 4]);
        for (((near, far), inverse), origin) in near.iter_mut().zip(&mut far).zip(inverse).zip(origin) {
            let (start, width) = (-(origin * inverse), width * inverse.abs());
            (*near, *far) = (start - width, start + width);
        }
        let (mut first, mut last) = (PlaneRow::LOW, PlaneRow::HIGH);
        for ((first, last), inverse) in first.iter_mut().zip(&mut last).zip(inverse) {
            if inverse < 0.0 {
                std::mem::swap(first, last);
            }
        }
        Self { inverse, near, far, first, last, from }
    }
}

impl PlaneRow {
    /// The lower planes along x, y and z.
    pub(crate) const LOW: [Self; 3] = [Self::LowX, Self::LowY, Self::LowZ];
    /// The upper planes along x, y and z.
    pub(crate) const HIGH: [Self; 3] = [Self::HighX, Self::HighY, Self::HighZ];

    /// Returns the index of the row in a node that is read as rows of eight bytes.
    #[inline(always)]
    #[allow(clippy::as_conversions, reason = "the numbers of the variants are from 2 to 7")]
    pub(crate) const fn index(self) -> usize {
        self as usize
    }
}

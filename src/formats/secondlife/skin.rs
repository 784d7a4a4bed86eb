//! [`Skin`]: the names of the joints that move a mesh, and the matrices that bind the mesh to the
//! joints.

use super::asset_block::{AssetBlock, SKIN_LISTS, Text};
use super::avatar_joints;
use super::block_index::{AVATAR_AXES, SkinIndex};
use super::layout::AssetPart;
use super::llsd::{LlsdMap, LlsdValue};
use super::matrix::{Matrix, affine, matrix};
use super::validate::rules::INVALID_SKIN;
use crate::error::{Cause, Error, Field, Result};
use crate::math::{as_u64, dot, narrow};
use crate::model::Axis;
use crate::model::animation::Affine;
use crate::parse::Name;

/// The joints that a mesh is bound to, and the bind matrices of the joints, borrowed from the
/// inflated block.
///
/// The skinned position of a vertex `v` is a weighted sum over the joint influences of the vertex.
/// In the weighted sum for a vertex `v`, the term of a joint is the weight of the joint multiplied
/// by `v * bind_shape * inverse_bind[joint] * world[joint]`. For each joint,
/// [`palette`](Self::palette) computes the matrix product
/// `bind_shape * inverse_bind[joint] * world[joint]`. So does
/// [`Skeleton::palette`](crate::Skeleton::palette), for the bones of all formats.
#[derive(Clone, Copy, Debug)]
pub struct Skin<'a> {
    block: AssetBlock<'a>,
    map: LlsdMap<'a>,
}

impl<'a> AssetBlock<'a> {
    /// Returns the skin that the block contains.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Value`] if the LLSD value of the block is not a map.
    ///
    /// [`ErrorKind::Value`]: crate::ErrorKind::Value
    pub fn skin(&self) -> Result<Skin<'a>> {
        Skin::new(*self)
    }
}

impl<'a> Skin<'a> {
    pub(super) fn new(block: AssetBlock<'a>) -> Result<Self> {
        match block.map()? {
            Some(map) => Ok(Self { block, map }),
            None => Err(block.wrong_type("a map", "an undefined value")),
        }
    }

    /// Returns the block that holds the skin.
    #[must_use]
    pub const fn block(&self) -> AssetBlock<'a> {
        self.block
    }

    /// Returns the LLSD map of the skin, including unknown keys.
    #[must_use]
    pub const fn map(&self) -> LlsdMap<'a> {
        self.map
    }

    /// Returns the number of joint names in the skin.
    #[must_use]
    pub fn joint_count(&self) -> usize {
        self.block.list(0).len()
    }

    /// Returns the name of a joint.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::NoSuch`] if the joint index is out of range, or [`ErrorKind::Value`] if
    /// the name is not an LLSD string.
    ///
    /// [`ErrorKind::NoSuch`]: crate::ErrorKind::NoSuch
    /// [`ErrorKind::Value`]: crate::ErrorKind::Value
    pub fn joint_name(&self, joint: usize) -> Result<Name<'a>> {
        match self.item(0, joint)? {
            (_, LlsdValue::String(name)) => Ok(name.name()),
            (at, other) => Err(self.wrong(field(SKIN_LISTS[0], joint), at, "a string", other.kind())),
        }
    }

    /// Returns the bind shape matrix, which transforms vertex positions from model space to the
    /// bind space of the joints.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Missing`] if the skin has no bind shape matrix, or [`ErrorKind::Value`]
    /// if this matrix is not an array of 16 numbers.
    ///
    /// [`ErrorKind::Missing`]: crate::ErrorKind::Missing
    /// [`ErrorKind::Value`]: crate::ErrorKind::Value
    pub fn bind_shape(&self) -> Result<Matrix> {
        let name = "bind_shape_matrix";
        let field = Field::new(name).in_struct(AssetPart::Skin.key());
        let Some(entry) = self.map.get(name) else {
            let kind = Cause::Missing { expected: format!("`{name}` in the skin").into() };
            return Err(self.block.error(&INVALID_SKIN, field, self.block.value_at(), kind));
        };
        matrix(entry.value).ok_or_else(|| self.wrong(field, entry.at, "16 numbers", entry.value.kind()))
    }

    /// Returns the number of inverse bind matrices. In a well-formed skin, this is the number of
    /// joints.
    #[must_use]
    pub fn inverse_bind_count(&self) -> usize {
        self.block.list(1).len()
    }

    /// Returns the inverse bind matrix of a joint, which transforms from the bind space to the
    /// space of the joint.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::NoSuch`] if the joint index is out of range, or [`ErrorKind::Value`] if
    /// the matrix is not an array of 16 numbers.
    ///
    /// [`ErrorKind::NoSuch`]: crate::ErrorKind::NoSuch
    /// [`ErrorKind::Value`]: crate::ErrorKind::Value
    pub fn inverse_bind(&self, joint: usize) -> Result<Matrix> {
        self.matrix_of(1, joint)
    }

    /// Returns the number of alternative inverse bind matrices, which replace the rest positions of
    /// joints. In a well-formed skin, this is 0 or the number of joints.
    #[must_use]
    pub fn alt_inverse_bind_count(&self) -> usize {
        self.block.list(2).len()
    }

    /// Returns the alternative inverse bind matrix of a joint, which replaces the rest position of
    /// the joint.
    ///
    /// The translation of an alternative inverse bind matrix is a position relative to the parent
    /// joint, which replaces the joint's position in the avatar's skeleton.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::NoSuch`] if the joint index is out of range, or [`ErrorKind::Value`] if
    /// the matrix is not an array of 16 numbers.
    ///
    /// [`ErrorKind::NoSuch`]: crate::ErrorKind::NoSuch
    /// [`ErrorKind::Value`]: crate::ErrorKind::Value
    pub fn alt_inverse_bind(&self, joint: usize) -> Result<Matrix> {
        self.matrix_of(2, joint)
    }

    /// Returns the distance in metres by which a viewer raises an avatar that wears the mesh, or
    /// `None` if the skin does not have the key `pelvis_offset`.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Value`] if the value of the key `pelvis_offset` is not a number.
    ///
    /// [`ErrorKind::Value`]: crate::ErrorKind::Value
    pub fn pelvis_offset(&self) -> Result<Option<f32>> {
        let Some(entry) = self.map.get("pelvis_offset") else { return Ok(None) };
        let number = entry.value.number().map(narrow).ok_or_else(|| {
            let field = Field::new("pelvis_offset").in_struct(AssetPart::Skin.key());
            self.wrong(field, entry.at, "a number", entry.value.kind())
        });
        number.map(Some)
    }

    /// Returns whether joints with a replaced rest position keep their scale. Returns `false` if
    /// the skin does not have the key `lock_scale_if_joint_position`.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Value`] if the value of the key `lock_scale_if_joint_position` is not a
    /// boolean.
    ///
    /// [`ErrorKind::Value`]: crate::ErrorKind::Value
    pub fn lock_scale_if_joint_position(&self) -> Result<bool> {
        let name = "lock_scale_if_joint_position";
        match self.map.get(name).map(|entry| (entry.at, entry.value)) {
            None => Ok(false),
            Some((_, LlsdValue::Boolean(lock))) => Ok(lock),
            Some((at, other)) => {
                Err(self.wrong(Field::new(name).in_struct(AssetPart::Skin.key()), at, "a boolean", other.kind()))
            }
        }
    }

    /// Returns the index of the parent of a joint, or -1 for a root. The parent is the nearest
    /// ancestor in the avatar's skeleton that is a joint of the skin.
    pub(super) fn parent(&self, joint: usize) -> Result<i32> {
        Ok(self.index()?.parents.get(joint).copied().unwrap_or(-1))
    }

    /// Returns the map from stored positions to the space in which the joints are bound, or the
    /// identity if viewers ignore the skin and draw the mesh without it.
    pub(super) fn placement(&self) -> Affine {
        self.index().map_or(Affine::IDENTITY, |index| index.placement)
    }

    /// Returns the axes of the space in which the joints are bound that point up and to the front
    /// of the avatar.
    pub(super) fn axes(&self) -> (Axis, Axis) {
        self.index().map_or(AVATAR_AXES, |index| index.axes)
    }

    /// Finds the axes of the bind space along which z and x of all joints point. Joints of an
    /// avatar at rest are not turned, apart from some collision volumes, which lean a little.
    /// Returns [`AVATAR_AXES`] if the joints differ.
    fn find_axes(&self) -> (Axis, Axis) {
        let axes_of = |joint| {
            let [a, b, c, _] = affine(&self.inverse_bind(joint).ok()?).columns();
            let along = |part: fn([f64; 3]) -> f64| nearest_axis([a, b, c].map(part));
            Some((along(|[_, _, z]| z)?, along(|[x, _, _]| x)?))
        };
        let mut all = (0..self.inverse_bind_count()).map(axes_of);
        let first = all.next().flatten().filter(|first| all.all(|other| other == Some(*first)));
        first.filter(|(up, forward)| up != forward).unwrap_or(AVATAR_AXES)
    }

    fn index(&self) -> Result<&'a SkinIndex> {
        let slot = self.block.skin_index();
        if let Some(index) = slot.get() {
            return Ok(index);
        }
        let name = |joint| self.joint_name(joint).ok().map(|name| name.as_bytes());
        let parents = avatar_joints::parents(self.joint_count(), name)?;
        let placement = self.bind_shape_map().unwrap_or_default();
        // The axes of a skin that viewers ignore do not matter.
        let axes = self.bind_shape_map().map_or(AVATAR_AXES, |_| self.find_axes());
        Ok(slot.get_or_init(|| SkinIndex { parents, placement, axes }))
    }

    /// Returns the bind shape matrix as a map.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`bind_shape`](Self::bind_shape). Returns [`ErrorKind::Value`] if a
    /// number of the matrix is not finite, or if the number of inverse bind matrices differs from
    /// the number of joints.
    ///
    /// [`ErrorKind::Value`]: crate::ErrorKind::Value
    pub(super) fn bind_shape_map(&self) -> Result<Affine> {
        let name = "bind_shape_matrix";
        let at = self.map.get(name).map_or_else(|| self.block.value_at(), |entry| entry.at);
        let shape = self.finite(&self.bind_shape()?, Field::new(name).in_struct(AssetPart::Skin.key()), at)?;
        self.expect_all_binds().map(|()| shape)
    }

    /// Returns the inverse bind matrix of a joint as a map.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`inverse_bind`](Self::inverse_bind). Returns [`ErrorKind::Value`] if
    /// a number of the matrix is not finite, or if the number of inverse bind matrices differs from
    /// the number of joints.
    ///
    /// [`ErrorKind::Value`]: crate::ErrorKind::Value
    pub(super) fn inverse_bind_map(&self, joint: usize) -> Result<Affine> {
        self.expect_all_binds()?;
        let matrix = self.inverse_bind(joint)?;
        let (at, _) = self.item(1, joint)?;
        self.finite(&matrix, field("inverse_bind_matrix", joint), at)
    }

    /// Returns an error if the number of inverse bind matrices differs from the number of joints.
    /// Viewers ignore such a skin.
    fn expect_all_binds(&self) -> Result<()> {
        let (joints, matrices) = (self.joint_count(), self.inverse_bind_count());
        if matrices == joints {
            return Ok(());
        }
        let kind = Cause::value(format!("{joints} matrices, one per joint"), matrices.to_string());
        let field = Field::new("inverse_bind_matrix").in_struct(AssetPart::Skin.key());
        Err(self.block.error(&INVALID_SKIN, field, self.block.value_at(), kind))
    }

    fn finite(&self, matrix: &Matrix, field: Field, at: usize) -> Result<Affine> {
        if matrix.iter().all(|number| number.is_finite()) {
            return Ok(affine(matrix));
        }
        Err(self.wrong(field, at, "16 finite numbers", "a number that is not finite"))
    }

    fn matrix_of(&self, list: usize, joint: usize) -> Result<Matrix> {
        let (at, value) = self.item(list, joint)?;
        let name = SKIN_LISTS.get(list).copied().unwrap_or_default();
        matrix(value).ok_or_else(|| {
            let found = value
                .array()
                .map_or_else(|| value.kind().to_owned(), |array| format!("an array of {} values", array.len()));
            self.wrong(field(name, joint), at, "16 numbers", found)
        })
    }

    /// Creates an error about a value that has the wrong type or the wrong contents.
    fn wrong(&self, field: Field, at: usize, expected: &'static str, found: impl Into<Text>) -> Error {
        self.block.wrong(&INVALID_SKIN, field, at, expected, found)
    }

    /// Returns item `index` of one of the skin's arrays: the offset of the item in the inflated
    /// block, and the LLSD value of the item. The argument `list` is the index of the array's key
    /// in [`SKIN_LISTS`].
    fn item(&self, list: usize, index: usize) -> Result<(usize, LlsdValue<'a>)> {
        let name = SKIN_LISTS.get(list).copied().unwrap_or_default();
        let starts = self.block.list(list);
        let at = starts.get(index).and_then(|at| usize::try_from(*at).ok());
        let found = at.and_then(|at| Some((at, self.block.item_at(at)?)));
        found.ok_or_else(|| {
            let kind = Cause::NoSuch { count: as_u64(starts.len()), index: as_u64(index) };
            Error::without_offset(super::layout::FORMAT, field(name, index), kind)
        })
    }
}

/// Returns the axis that is at most 30 degrees from a direction, or `None` if there is none.
fn nearest_axis(direction: [f64; 3]) -> Option<Axis> {
    let length = dot(direction, direction).sqrt();
    let axes = [(Axis::X, Axis::NegativeX), (Axis::Y, Axis::NegativeY), (Axis::Z, Axis::NegativeZ)];
    let found = axes.into_iter().zip(direction).find(|(_, part)| part.abs() >= 0.866 * length && length > 0.0);
    found.map(|((positive, negative), part)| if part > 0.0 { positive } else { negative })
}

fn field(list: &'static str, index: usize) -> Field {
    Field::new("").in_struct("skin").in_inner_list(list, as_u64(index))
}

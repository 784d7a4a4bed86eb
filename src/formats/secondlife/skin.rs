//! The skin: joints, and how the mesh is bound to them.

use super::asset_block::{AssetBlock, SKIN_LISTS};
use super::asset_part::AssetPart;
use super::llsd::{LlsdMap, LlsdValue};
use super::matrix::{Matrix, matrix};
use crate::error::{Error, ErrorKind, Field, Result};
use crate::math::{as_u64, narrow};
use crate::parse::Name;

/// The joints that a mesh is bound to, borrowed from the inflated block.
///
/// A vertex `v` goes to the sum, over its influences, of `v · bind_shape · inverse_bind[joint] · world[joint]` times the
/// weight: [`palette`](Self::palette) does that.
#[derive(Clone, Copy, Debug)]
pub struct Skin<'a> {
    block: AssetBlock<'a>,
    map: LlsdMap<'a>,
}

impl<'a> AssetBlock<'a> {
    /// Looks at it as a skin.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where it is no map.
    pub fn skin(&self) -> Result<Skin<'a>> {
        Skin::new(*self)
    }
}

impl<'a> Skin<'a> {
    pub(super) fn new(block: AssetBlock<'a>) -> Result<Self> {
        match block.map()? {
            Some(map) => Ok(Self { block, map }),
            None => {
                Err(block.wrong(Field::new(AssetPart::Skin.key()), block.value_at(), "a map", "an undefined value"))
            }
        }
    }

    /// Returns the block that it is.
    #[must_use]
    pub const fn block(&self) -> AssetBlock<'a> {
        self.block
    }

    /// Returns the map that it is, with the keys that are not known, too.
    #[must_use]
    pub const fn map(&self) -> LlsdMap<'a> {
        self.map
    }

    /// Returns the number of joint names.
    #[must_use]
    pub fn joint_count(&self) -> usize {
        self.block.list(0).len()
    }

    /// Returns the name of a joint.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoSuch`] where there is none, [`ErrorKind::Value`] where it is no string.
    pub fn joint_name(&self, joint: usize) -> Result<Name<'a>> {
        match self.item(0, joint)? {
            (_, LlsdValue::String(name)) => Ok(name.name()),
            (at, other) => Err(self.block.wrong(field(SKIN_LISTS[0], joint), at, "a string", other.kind())),
        }
    }

    /// Returns the matrix from the model's space to the space that joints are bound in.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Missing`], [`ErrorKind::Value`] where it is not 16 numbers.
    pub fn bind_shape(&self) -> Result<Matrix> {
        let name = "bind_shape_matrix";
        let field = Field::new(name).in_struct(AssetPart::Skin.key());
        let Some(entry) = self.map.get(name) else {
            let kind = ErrorKind::Missing { expected: format!("`{name}` in the skin").into() };
            return Err(self.block.error(field, self.block.value_at(), kind));
        };
        matrix(entry.value).ok_or_else(|| self.block.wrong(field, entry.at, "16 numbers", entry.value.kind()))
    }

    /// Returns the number of inverse bind matrices: that of joints in a sound file.
    #[must_use]
    pub fn inverse_bind_count(&self) -> usize {
        self.block.list(1).len()
    }

    /// Returns the matrix from the bind space to a joint's.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoSuch`] where there is none, [`ErrorKind::Value`] where it is not 16 numbers.
    pub fn inverse_bind(&self, joint: usize) -> Result<Matrix> {
        self.matrix_of(1, joint)
    }

    /// Returns the number of matrices that move joints: 0, or that of joints, in a sound file.
    #[must_use]
    pub fn alt_inverse_bind_count(&self) -> usize {
        self.block.list(2).len()
    }

    /// Returns the matrix whose translation is a joint's position relative to its parent, instead of the skeleton's.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoSuch`] where there is none, [`ErrorKind::Value`] where it is not 16 numbers.
    pub fn alt_inverse_bind(&self, joint: usize) -> Result<Matrix> {
        self.matrix_of(2, joint)
    }

    /// Returns how far the avatar is lifted, in metres; `None` where that is left out.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where it is no number.
    pub fn pelvis_offset(&self) -> Result<Option<f32>> {
        let Some(entry) = self.map.get("pelvis_offset") else { return Ok(None) };
        let number = entry.value.number().map(narrow).ok_or_else(|| {
            let field = Field::new("pelvis_offset").in_struct(AssetPart::Skin.key());
            self.block.wrong(field, entry.at, "a number", entry.value.kind())
        });
        number.map(Some)
    }

    /// Tells whether joints that are moved keep their scale; not, where that is left out.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where it is neither true nor false.
    pub fn lock_scale_if_joint_position(&self) -> Result<bool> {
        let name = "lock_scale_if_joint_position";
        match self.map.get(name).map(|entry| (entry.at, entry.value)) {
            None => Ok(false),
            Some((_, LlsdValue::Boolean(lock))) => Ok(lock),
            Some((at, other)) => {
                Err(self.block.wrong(Field::new(name).in_struct(AssetPart::Skin.key()), at, "a boolean", other.kind()))
            }
        }
    }

    fn matrix_of(&self, list: usize, joint: usize) -> Result<Matrix> {
        let (at, value) = self.item(list, joint)?;
        let name = SKIN_LISTS.get(list).copied().unwrap_or_default();
        matrix(value).ok_or_else(|| {
            let found = value
                .array()
                .map_or_else(|| value.kind().to_owned(), |array| format!("an array of {} values", array.len()));
            self.block.wrong(field(name, joint), at, "16 numbers", &found)
        })
    }

    /// Returns item `index` of a list, and where it stands.
    fn item(&self, list: usize, index: usize) -> Result<(usize, LlsdValue<'a>)> {
        let name = SKIN_LISTS.get(list).copied().unwrap_or_default();
        let starts = self.block.list(list);
        let at = starts.get(index).and_then(|at| usize::try_from(*at).ok());
        let found = at.and_then(|at| Some((at, self.block.item_at(at)?)));
        found.ok_or_else(|| {
            let kind = ErrorKind::NoSuch { count: as_u64(starts.len()), index: as_u64(index) };
            Error::without_offset(super::layout::FORMAT, field(name, index), kind)
        })
    }
}

fn field(list: &'static str, index: usize) -> Field {
    Field::new("").in_struct("skin").in_inner_list(list, as_u64(index))
}

//! Inverse bind matrices that a file stores, while a skeleton is read.

use std::sync::OnceLock;

use super::affine::Affine;
use super::skeleton::parent_of;
use crate::error::Result;
use crate::math::as_index;
use crate::model::bone::Transform;
use crate::parse::filled;

/// The inverse bind matrices that a file stores, and the rest transforms of their bones. Both lists
/// are empty until a matrix is set, and have one entry for each bone afterwards.
#[derive(Default)]
pub(super) struct StoredBinds {
    inverses: Vec<Option<Affine>>,
    rest: Vec<Option<Transform>>,
}

impl StoredBinds {
    /// Sets the stored inverse bind matrix of a bone, and the rest transform of the bone relative
    /// to its parent. `count` is the number of bones.
    pub(super) fn set(
        &mut self,
        format: &'static str,
        count: usize,
        bone: usize,
        inverse: Affine,
        rest: Transform,
    ) -> Result<()> {
        if self.inverses.is_empty() {
            self.inverses = filled(format, "skeleton", count, None)?;
            self.rest = filled(format, "skeleton", count, None)?;
        }
        if let Some((stored, resting)) = self.inverses.get_mut(bone).zip(self.rest.get_mut(bone)) {
            (*stored, *resting) = (Some(inverse), Some(rest));
        }
        Ok(())
    }

    /// Replaces the transform of each bone in `bind`, relative to its parent, by the map from the
    /// space of the bone to the space of the model: the inverse of the stored matrix, or the
    /// transform of the bone and its ancestors if no stored matrix has an inverse.
    ///
    /// The rest transforms of bones without such a stored matrix are removed.
    pub(super) fn place(&mut self, parents: &[u32], order: &[u32], bind: &mut [Affine]) {
        for bone in order.iter().copied().map(as_index) {
            let exact = self.inverses.get(bone).copied().flatten().and_then(|inverse| inverse.inverse());
            let parent = parent_of(parents, bone).and_then(|parent| bind.get(parent).copied());
            if let Some(bind) = bind.get_mut(bone) {
                *bind = exact.unwrap_or_else(|| parent.map_or(*bind, |parent| bind.then(&parent)));
            }
            if let Some(rest) = self.rest.get_mut(bone).filter(|_| exact.is_none()) {
                *rest = None;
            }
        }
    }

    /// Returns the inverse bind matrix of each bone, and the rest transforms. A bone without a
    /// stored matrix gets the inverse of its map in `bind`.
    ///
    /// The inverse bind matrices are not set, and the list of rest transforms is empty, if the file
    /// stores no inverse bind matrices.
    #[allow(clippy::type_complexity, reason = "the types of two fields of a skeleton")]
    pub(super) fn complete(mut self, bind: &[Affine]) -> (OnceLock<Vec<Option<Affine>>>, Vec<Option<Transform>>) {
        if self.inverses.is_empty() {
            return (OnceLock::new(), self.rest);
        }
        for (inverse, bind) in self.inverses.iter_mut().zip(bind) {
            *inverse = inverse.map_or_else(|| bind.inverse(), |stored| stored.is_finite().then_some(stored));
        }
        (OnceLock::from(self.inverses), self.rest)
    }
}

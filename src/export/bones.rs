//! The bones of an asset, as far as an output can use them.

use super::loss::{LossKind, LossList, counted};
use crate::error::{ErrorKind, Result};
use crate::model::animation::{Animations, Skeleton};

/// Returns the bones of an asset, or `None` if it has none, or if they cannot be used: then the
/// reason is added to `losses`, and the mesh is exported without its skin.
///
/// Bones cannot be used if they cannot be read, or if a stored inverse bind matrix has no inverse.
/// Viewers also draw the mesh without its skin if there are too few of these matrices.
pub(crate) fn usable_skeleton(animations: &dyn Animations, losses: &mut LossList) -> Result<Option<Skeleton>> {
    let skeleton = match animations.bone_count() {
        Ok(0) => return Ok(None),
        Ok(_) => Skeleton::new(animations),
        Err(error) => Err(error),
    };
    let skeleton = match skeleton {
        Ok(skeleton) => skeleton,
        Err(error) if error.kind() == ErrorKind::OutOfMemory => return Err(error),
        Err(error) => {
            losses.add(LossKind::Skin, None, format!("the skin, because its bones cannot be used: {error}"));
            return Ok(None);
        }
    };
    let mut singular = 0_usize;
    for bone in 0..skeleton.len() {
        let stored = animations.inverse_bind(bone)?;
        singular = singular.saturating_add(usize::from(stored.is_some_and(|stored| stored.inverse().is_none())));
    }
    if singular > 0 {
        let text =
            format!("the skin, because the inverse bind matrices of {} have no inverse", counted(singular, "bone"));
        losses.add(LossKind::Skin, None, text);
        return Ok(None);
    }
    Ok(Some(skeleton))
}

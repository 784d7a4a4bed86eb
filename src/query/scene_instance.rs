//! A scene that is placed in a world, with a transform.

use crate::array::Bounds;
use crate::error::{Cause, Error, Field, Result};
use crate::model::animation::Affine;
use crate::query::instance_transform::InstanceTransform;
use crate::query::scene::Scene;

/// A scene that is placed in the world of an [`InstancedScene`](crate::query::InstancedScene).
#[derive(Clone, Copy, Debug)]
pub struct SceneInstance<'a> {
    pub(crate) scene: &'a Scene<'a>,
    pub(crate) transform: InstanceTransform,
    pub(crate) bounds: Bounds,
    pub(crate) id: u32,
    pub(crate) mask: u32,
}

impl<'a> SceneInstance<'a> {
    /// Places a scene in the world. The map `to_world` maps the space of the scene to the world.
    /// Results of queries contain the number `id`, which the caller chooses.
    ///
    /// The map can move, rotate, scale, shear and mirror. The front side of a triangle stays its
    /// front side, even if the map mirrors: the hit of a ray that meets the front of a triangle in
    /// the scene has [`is_front`](crate::query::Hit::is_front), and its normal points to the side
    /// where the ray comes from.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Value`] if the map is not [invertible](Affine::inverse).
    ///
    /// [`ErrorKind::Value`]: crate::ErrorKind::Value
    pub fn new(id: u32, scene: &'a Scene<'a>, to_world: &Affine) -> Result<Self> {
        let transform = InstanceTransform::new(*to_world).ok_or_else(|| {
            let found = format!("{:?}", to_world.columns());
            let kind = Cause::value("an invertible map with finite numbers", found);
            Error::without_offset("query", Field::new("transform"), kind)
        })?;
        Ok(Self { scene, transform, bounds: scene.bounds(), id, mask: u32::MAX })
    }

    /// Sets the mask of the instance. A query tests the instance if the mask of the instance and
    /// the mask of the query have a bit in common. All bits are set at first.
    #[must_use]
    pub const fn with_mask(mut self, mask: u32) -> Self {
        self.mask = mask;
        self
    }
}

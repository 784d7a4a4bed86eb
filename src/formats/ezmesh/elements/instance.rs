//! Mesh instances: meshes that are placed in the scene with a transform.

use super::Instance;
use crate::error::{Field, Result};
use crate::model::Transform;
use crate::parse::Name;

impl<'a> Instance<'a> {
    pub(crate) fn place(&self) -> (Field, u64) {
        self.element.located()
    }

    /// Returns the name of the mesh that the instance places in the scene.
    ///
    /// # Errors
    ///
    /// Returns an error if the bytes of the file have changed since the file was opened.
    pub fn mesh_name(&self) -> Result<Name<'a>> {
        self.element.text("mesh")
    }

    /// Returns the transform of the instance. If a text file omits the position, rotation or scale
    /// of the instance, the identity value (0, no rotation, or 1) is returned.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Value`](crate::error::ErrorKind::Value) if an attribute of a text file
    /// does not contain exactly three numbers for a position or scale, or four numbers for a
    /// rotation.
    pub fn transform(&self) -> Result<Transform> {
        if let Some(mut reader) = self.element.fields_from("transform")? {
            return reader.transform();
        }
        let rest = Transform::default();
        Ok(Transform {
            position: self.element.floats("position")?.unwrap_or(rest.position),
            rotation: self.element.floats("rotation")?.unwrap_or(rest.rotation),
            scale: self.element.floats("scale")?.unwrap_or(rest.scale),
        })
    }
}

//! Mesh instances: meshes that are placed in the scene with a transform.

use super::reader::ElementReader;
use crate::error::{Field, Result};
use crate::formats::ezmesh::element_index::ElementKind;
use crate::formats::ezmesh::view::View;
use crate::math::as_u64;
use crate::model::Transform;
use crate::parse::Name;

/// A mesh instance: the name of a mesh, and the transform that places this mesh in the scene.
#[derive(Clone, Copy, Debug)]
pub struct Instance<'a> {
    element: ElementReader<'a>,
}

impl<'a> Instance<'a> {
    pub(crate) fn new(view: View<'a>, index: usize) -> Self {
        let place = Field::new("").in_list("instance", as_u64(index));
        Self { element: ElementReader { view, kind: ElementKind::Instance, index, place } }
    }

    pub(crate) fn place(&self) -> (Field, u64) {
        (self.element.place, self.element.start().unwrap_or_default())
    }

    /// Returns the name of the mesh that the instance places in the scene.
    ///
    /// # Errors
    ///
    /// Returns an error if the bytes of the file have changed since the file was opened.
    pub fn mesh_name(&self) -> Result<Name<'a>> {
        self.element.first_text("mesh")
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
        if let Some(mut reader) = self.element.fields()? {
            reader.skip_text("mesh")?;
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

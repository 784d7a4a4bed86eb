//! Materials: the name of a material, and additional text (`meta_data`) from the program that wrote
//! the file.

use super::Material;
use crate::error::Result;
use crate::formats::ezmesh::caches::find;
use crate::formats::ezmesh::element_index::ElementKind;
use crate::formats::ezmesh::view::View;
use crate::formats::ezmesh::xml::entities::unescape_percent;
use crate::parse::Name;

impl<'a> Material<'a> {
    /// Returns the name of the material, which is often the name of a texture.
    ///
    /// # Errors
    ///
    /// Returns an error if the bytes of the file have changed since the file was opened.
    pub fn name(&self) -> Result<Name<'a>> {
        self.element.text("name")
    }

    /// Returns the additional text (`meta_data`) of the material, as stored in the file, without
    /// decoding the text.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`name`](Self::name).
    pub fn meta_data(&self) -> Result<Name<'a>> {
        self.element.text("meta_data")
    }

    /// Returns the additional text (`meta_data`) of the material, with `%` codes and XML entities
    /// decoded.
    ///
    /// Newer programs that write `.ezm` files encode quotation marks in `meta_data` as `%` codes.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`name`](Self::name).
    pub fn decoded_meta_data(&self) -> Result<String> {
        self.meta_data().map(unescape_percent)
    }
}

impl View<'_> {
    /// Returns the index of the first material with the name `name`.
    pub(crate) fn find_material(&self, name: Name<'_>) -> Option<usize> {
        let of = |index| Material::new(*self, index).name();
        find(&self.state.caches.materials, self.count(ElementKind::Material), name, of)
    }
}

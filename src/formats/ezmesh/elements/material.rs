//! Materials: names, and whatever a program wrote beside them.

use super::reader::ElementReader;
use crate::error::{Field, Result};
use crate::formats::ezmesh::element_index::ElementKind;
use crate::formats::ezmesh::name_index::find;
use crate::formats::ezmesh::view::View;
use crate::formats::ezmesh::xml::entities::unescape_percent;
use crate::math::as_u64;
use crate::parse::Name;

/// A material.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// let system = meshpeek::ezmesh::Mesh::open(meshpeek::read("data/ezmesh/flag.ezm")?)?;
/// let material = system.view().materials().next().expect("there is one");
/// assert_eq!(material.meta_data()?.to_string(), "texture=%20flag.dds%20");
/// assert_eq!(material.decoded_meta_data()?, "texture= flag.dds ");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Material<'a> {
    element: ElementReader<'a>,
}

impl<'a> Material<'a> {
    pub(crate) fn new(view: View<'a>, index: usize) -> Self {
        let place = Field::new("").in_list("material", as_u64(index));
        Self { element: ElementReader { view, kind: ElementKind::Material, index, place } }
    }

    /// Returns its name: often that of a texture.
    ///
    /// # Errors
    ///
    /// Where the owner's bytes are no longer those that were opened.
    pub fn name(&self) -> Result<Name<'a>> {
        self.element.first_text("name")
    }

    /// Returns what is written beside it, as it stands in the file.
    ///
    /// # Errors
    ///
    /// As [`name`](Self::name).
    pub fn meta_data(&self) -> Result<Name<'a>> {
        match self.element.fields()? {
            Some(mut reader) => {
                reader.skip_text("name")?;
                reader.text("meta_data")
            }
            None => self.element.name("meta_data"),
        }
    }

    /// Returns what is written beside it with `%` codes, which later writers use for quotes, and entities decoded.
    ///
    /// # Errors
    ///
    /// As [`name`](Self::name).
    pub fn decoded_meta_data(&self) -> Result<String> {
        self.meta_data().map(unescape_percent)
    }
}

impl<'a> View<'a> {
    /// Returns the first material with a name.
    pub(crate) fn find_material(&self, name: Name<'_>) -> Option<usize> {
        let of = |index| Material::new(*self, index).name();
        find(&self.state.caches.materials, self.count(ElementKind::Material), name, of)
    }
}

//! Materials: names, and whatever a program wrote beside them.

use super::item::Item;
use super::markup::text::unescape_percent;
use super::outline::Kind;
use super::skeleton::widen;
use super::view::View;
use crate::error::{Field, Result};
use crate::parse::Name;

/// A material.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// let system = meshpeek::ezmesh::MeshSystem::open(meshpeek::read("data/ezmesh/flag.ezm")?)?;
/// let material = system.view().materials().next().expect("there is one");
/// assert_eq!(material.meta_data()?.to_string(), "texture=%20flag.dds%20");
/// assert_eq!(material.decoded_meta_data()?, "texture= flag.dds ");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Material<'a> {
    item: Item<'a>,
}

impl<'a> Material<'a> {
    pub(super) const fn new(view: View<'a>, index: usize) -> Self {
        let place = Field::new("").in_list("material", widen(index));
        Self { item: Item { view, kind: Kind::Material, index, place } }
    }

    /// Returns its name: often that of a texture.
    ///
    /// # Errors
    ///
    /// Where the owner's bytes are no longer those that were opened.
    pub fn name(&self) -> Result<Name<'a>> {
        match self.item.reader()? {
            Some(mut reader) => reader.text("name"),
            None => self.item.name("name"),
        }
    }

    /// Returns what is written beside it, as it stands in the file.
    ///
    /// # Errors
    ///
    /// As [`name`](Self::name).
    pub fn meta_data(&self) -> Result<Name<'a>> {
        match self.item.reader()? {
            Some(mut reader) => {
                reader.skip_text("name")?;
                reader.text("meta_data")
            }
            None => self.item.name("meta_data"),
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

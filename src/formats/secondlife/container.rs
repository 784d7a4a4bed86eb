//! `.slm`: a viewer's cache of a whole model, as one LLSD map with several mesh assets in it.

use super::asset_part::AssetPart;
use super::header::Header;
use super::llsd::{LlsdArray, LlsdItem, LlsdMap, LlsdText, LlsdValue};
use super::matrix::{Matrix, matrix};
use crate::math::as_u64;

/// A container of mesh assets, borrowed. An asset in it is a string, whose bytes are the asset's.
#[derive(Clone, Copy, Debug)]
pub struct Container<'a> {
    map: LlsdMap<'a>,
    end: usize,
}

/// One placing of a mesh in a model.
#[derive(Clone, Copy, Debug)]
pub struct Instance<'a> {
    map: LlsdMap<'a>,
}

impl<'a> Container<'a> {
    /// Looks at a map as a container; `None` where it is none.
    pub(super) fn of(header: &Header<'a>) -> Option<Self> {
        let map = header.map();
        let end = usize::try_from(header.base()).ok()?;
        let is_asset = AssetPart::ALL.iter().any(|part| map.get(part.key()).is_some());
        (!is_asset && map.get("mesh")?.value.array().is_some()).then_some(Self { map, end })
    }

    /// Returns the map that it is, with the keys that are not known, too. Offsets in it count from the file's first byte.
    #[must_use]
    pub const fn map(&self) -> LlsdMap<'a> {
        self.map
    }

    /// Returns the offset in the file of the byte after the container's map.
    #[must_use]
    pub const fn end(&self) -> usize {
        self.end
    }

    /// Returns the model's name.
    #[must_use]
    pub fn name(&self) -> Option<LlsdText<'a>> {
        text(self.map, "name")
    }

    /// Returns the container's version: 3 in those seen.
    #[must_use]
    pub fn version(&self) -> Option<i32> {
        self.map.get("version")?.value.integer()
    }

    /// Returns the number of assets.
    #[must_use]
    pub fn len(&self) -> usize {
        self.array("mesh").map_or(0, |array| array.len())
    }

    /// Tells whether there are no assets.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Goes through the assets: of each, the item that it is.
    pub fn items(&self) -> impl Iterator<Item = LlsdItem<'a>> + Clone + use<'a> {
        self.array("mesh").into_iter().flat_map(|array| array.iter())
    }

    /// Goes through the placings of the meshes.
    pub fn instances(&self) -> impl Iterator<Item = Instance<'a>> + Clone + use<'a> {
        let items = self.array("instance").into_iter().flat_map(|array| array.iter());
        items.filter_map(|item| item.value.map()).map(|map| Instance { map })
    }

    fn array(&self, key: &str) -> Option<LlsdArray<'a>> {
        self.map.get(key)?.value.array()
    }
}

/// Returns where the bytes of an asset lie, and the bytes; `None` where the item is no string, or one between quotes.
pub(super) fn asset_bytes<'a>(item: &LlsdItem<'a>) -> Option<(u64, &'a [u8])> {
    let LlsdValue::String(text) = item.value else { return None };
    let bytes = text.stored();
    // The bytes are the last of the item.
    (text.quote().is_none()).then(|| (as_u64(item.end.saturating_sub(bytes.len())), bytes))
}

impl<'a> Instance<'a> {
    /// Returns the map that it is.
    #[must_use]
    pub const fn map(&self) -> LlsdMap<'a> {
        self.map
    }

    /// Returns the number of the asset that it places.
    #[must_use]
    pub fn mesh_id(&self) -> Option<i32> {
        self.map.get("mesh_id")?.value.integer()
    }

    /// Returns its name.
    #[must_use]
    pub fn label(&self) -> Option<LlsdText<'a>> {
        text(self.map, "label")
    }

    /// Returns where it places the asset: a matrix for row vectors, as those of a [`Skin`](super::Skin).
    #[must_use]
    pub fn transform(&self) -> Option<Matrix> {
        matrix(self.map.get("transform")?.value)
    }

    /// Returns its materials, as the file has them.
    #[must_use]
    pub fn materials(&self) -> Option<LlsdArray<'a>> {
        self.map.get("material")?.value.array()
    }
}

fn text<'a>(map: LlsdMap<'a>, key: &str) -> Option<LlsdText<'a>> {
    map.get(key)?.value.string()
}

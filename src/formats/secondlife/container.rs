//! The `.slm` container: a viewer's cache of a whole model. The file is one LLSD map that contains
//! several mesh assets.

use super::asset_part::AssetPart;
use super::header::Header;
use super::llsd::{LlsdArray, LlsdItem, LlsdMap, LlsdText, LlsdValue};
use super::matrix::{Matrix, matrix};
use crate::math::as_u64;

///
/// A container of mesh assets (an `.slm` file), borrowed from the bytes of the file.
///
/// The container stores each asset as an LLSD string of raw bytes.
#[derive(Clone, Copy, Debug)]
pub struct Container<'a> {
    map: LlsdMap<'a>,
    end: usize,
}

/// One instance of a mesh in a model: the mesh, its transform and its materials.
#[derive(Clone, Copy, Debug)]
pub struct Instance<'a> {
    map: LlsdMap<'a>,
}

impl<'a> Container<'a> {
    /// Returns the map of `header` as a container, or `None` if the map is not the map of a
    /// container.
    pub(super) fn of(header: &Header<'a>) -> Option<Self> {
        let map = header.map();
        let end = usize::try_from(header.base()).ok()?;
        let is_asset = AssetPart::ALL.iter().any(|part| map.get(part.key()).is_some());
        (!is_asset && map.get("mesh")?.value.array().is_some()).then_some(Self { map, end })
    }

    /// Returns the container's map, including unknown keys. Offsets in this map count from the
    /// start of the file.
    #[must_use]
    pub const fn map(&self) -> LlsdMap<'a> {
        self.map
    }

    /// Returns the offset in the file of the first byte after the container's map.
    #[must_use]
    pub const fn end(&self) -> usize {
        self.end
    }

    /// Returns the model's name, or `None` if the container stores no name.
    #[must_use]
    pub fn name(&self) -> Option<LlsdText<'a>> {
        text(self.map, "name")
    }

    /// Returns the container's version: 3 in all known files.
    #[must_use]
    pub fn version(&self) -> Option<i32> {
        self.map.get("version")?.value.integer()
    }

    /// Returns the number of assets in the container.
    #[must_use]
    pub fn len(&self) -> usize {
        self.array("mesh").map_or(0, |array| array.len())
    }

    /// Returns whether the container has no assets.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns an iterator over the assets of the container, each as an LLSD item.
    pub fn items(&self) -> impl Iterator<Item = LlsdItem<'a>> + Clone + use<'a> {
        self.array("mesh").into_iter().flat_map(|array| array.iter())
    }

    /// Returns an iterator over the mesh instances of the model.
    pub fn instances(&self) -> impl Iterator<Item = Instance<'a>> + Clone + use<'a> {
        let items = self.array("instance").into_iter().flat_map(|array| array.iter());
        items.filter_map(|item| item.value.map()).map(|map| Instance { map })
    }

    fn array(&self, key: &str) -> Option<LlsdArray<'a>> {
        self.map.get(key)?.value.array()
    }
}

/// Returns the bytes of a contained asset and the file offset of these bytes.
///
/// Returns `None` if the LLSD item is not a string, or if the item is a string in quotes.
pub(super) fn asset_bytes<'a>(item: &LlsdItem<'a>) -> Option<(u64, &'a [u8])> {
    let LlsdValue::String(text) = item.value else { return None };
    let bytes = text.stored();
    // The bytes of the asset are the last bytes of the LLSD item.
    (text.quote().is_none()).then(|| (as_u64(item.end.saturating_sub(bytes.len())), bytes))
}

impl<'a> Instance<'a> {
    /// Returns the LLSD map of the instance.
    #[must_use]
    pub const fn map(&self) -> LlsdMap<'a> {
        self.map
    }

    /// Returns the number of the asset in the container that this instance shows.
    #[must_use]
    pub fn mesh_id(&self) -> Option<i32> {
        self.map.get("mesh_id")?.value.integer()
    }

    /// Returns the name of the instance, or `None` if the instance has no name.
    #[must_use]
    pub fn label(&self) -> Option<LlsdText<'a>> {
        text(self.map, "label")
    }

    /// Returns the transform of the instance: a matrix for row vectors, as in a
    /// [`Skin`](super::Skin).
    #[must_use]
    pub fn transform(&self) -> Option<Matrix> {
        matrix(self.map.get("transform")?.value)
    }

    /// Returns the materials of the instance, as stored in the file.
    #[must_use]
    pub fn materials(&self) -> Option<LlsdArray<'a>> {
        self.map.get("material")?.value.array()
    }
}

fn text<'a>(map: LlsdMap<'a>, key: &str) -> Option<LlsdText<'a>> {
    map.get(key)?.value.string()
}

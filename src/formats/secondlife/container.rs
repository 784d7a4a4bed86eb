//! The `.slm` container: a viewer's cache file of a whole model. An `.slm` file is one LLSD map
//! that contains several mesh assets.

use super::asset_part::AssetPart;
use super::header::Header;
use super::llsd::{LlsdArray, LlsdItem, LlsdMap, LlsdText, LlsdValue};
use super::matrix::{Matrix, matrix};
use crate::math::as_u64;

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
    /// Interprets the LLSD map of `header` as a container. Returns `None` if the header's map has
    /// no array under the key `mesh`, or if it contains the key of an asset block, such as
    /// `high_lod`.
    pub(super) fn of(header: &Header<'a>) -> Option<Self> {
        let map = header.map();
        let end = usize::try_from(header.base()).ok()?;
        let is_asset = AssetPart::ALL.iter().any(|part| map.get(part.key()).is_some());
        (!is_asset && map.get("mesh")?.value.array().is_some()).then_some(Self { map, end })
    }

    /// Returns the container's LLSD map, including unknown keys. The byte offsets of the entries in
    /// this map count from the start of the file.
    #[must_use]
    pub const fn map(&self) -> LlsdMap<'a> {
        self.map
    }

    /// Returns the offset in the file of the first byte after the container's LLSD map.
    #[must_use]
    pub const fn end(&self) -> usize {
        self.end
    }

    /// Returns the model's name, or `None` if the container stores no name.
    #[must_use]
    pub fn name(&self) -> Option<LlsdText<'a>> {
        text(self.map, "name")
    }

    /// Returns the version number of the container, or `None` if the container stores no version.
    /// The version number of containers is 3 in all known files.
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

    /// Returns an iterator over the assets of the container. Each item of the iterator is the LLSD
    /// string that contains the bytes of one asset.
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

/// Returns the file offset and the bytes of an asset in a container.
///
/// Returns `None` if the LLSD value of `item` is not a string, or if the string is quoted.
pub(super) fn asset_bytes<'a>(item: &LlsdItem<'a>) -> Option<(u64, &'a [u8])> {
    let LlsdValue::String(text) = item.value else { return None };
    let bytes = text.stored();
    // The bytes of the asset follow the marker byte and the length field of the LLSD string.
    (text.quote().is_none()).then(|| (as_u64(item.end.saturating_sub(bytes.len())), bytes))
}

impl<'a> Instance<'a> {
    /// Returns the LLSD map of the mesh instance, including unknown keys.
    #[must_use]
    pub const fn map(&self) -> LlsdMap<'a> {
        self.map
    }

    /// Returns the index, within the container, of the asset that this mesh instance shows, or
    /// `None` if the file stores no index.
    #[must_use]
    pub fn mesh_id(&self) -> Option<i32> {
        self.map.get("mesh_id")?.value.integer()
    }

    /// Returns the name of the mesh instance, or `None` if the file stores no name.
    #[must_use]
    pub fn label(&self) -> Option<LlsdText<'a>> {
        text(self.map, "label")
    }

    /// Returns the transform of the mesh instance: a matrix for row vectors, like the matrices of a
    /// [`Skin`](super::Skin). Returns `None` if the file does not store a transform of 16 numbers
    /// for the instance.
    #[must_use]
    pub fn transform(&self) -> Option<Matrix> {
        matrix(self.map.get("transform")?.value)
    }

    /// Returns the LLSD array of the materials of the mesh instance, or `None` if the file does not
    /// store such an array.
    #[must_use]
    pub fn materials(&self) -> Option<LlsdArray<'a>> {
        self.map.get("material")?.value.array()
    }
}

fn text<'a>(map: LlsdMap<'a>, key: &str) -> Option<LlsdText<'a>> {
    map.get(key)?.value.string()
}

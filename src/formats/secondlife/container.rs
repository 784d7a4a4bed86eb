//! The `.slm` container: a viewer's cache file of a whole model. An `.slm` file is one LLSD map
//! that contains several mesh assets.

use super::header::Header;
use super::layout::AssetPart;
use super::llsd::{self, LlsdArray, LlsdItem, LlsdLimits, LlsdMap, LlsdText, LlsdValue};
use super::matrix::{Matrix, matrix};
use crate::math::as_u64;

/// A container of mesh assets (an `.slm` file), borrowed from the bytes of the file.
///
/// The container stores each asset as an LLSD string of raw bytes.
#[derive(Clone, Copy, Debug)]
pub struct Container<'a> {
    map: LlsdMap<'a>,
    assets: LlsdArray<'a>,
    instances: Option<LlsdArray<'a>>,
    place: ContainerPlace,
}

/// The byte offsets from which a container is found again without a walk over its LLSD map.
#[derive(Clone, Copy, Debug)]
pub(super) struct ContainerPlace {
    map: usize,
    assets: usize,
    instances: Option<usize>,
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
        let (mut assets, mut instances) = (None, None);
        for entry in header.map().iter() {
            if AssetPart::ALL.iter().any(|part| entry.key.is(part.key())) {
                return None;
            } else if entry.key.is("mesh") {
                assets.get_or_insert(entry);
            } else if entry.key.is("instance") {
                instances.get_or_insert(entry);
            }
        }
        let (assets, map) = (assets?, usize::try_from(header.marker_line()).ok()?);
        let instances = instances.and_then(|entry| Some((entry.at, entry.value.array()?)));
        let end = usize::try_from(header.base()).ok()?;
        let place = ContainerPlace { map, assets: assets.at, instances: instances.map(|(at, _)| at), end };
        let instances = instances.map(|(_, array)| array);
        Some(Self { map: header.map(), assets: assets.value.array()?, instances, place })
    }

    /// Returns the container at a place of `bytes`, or `None` if the bytes have changed.
    pub(super) fn at(place: ContainerPlace, bytes: &'a [u8], limits: &LlsdLimits) -> Option<Self> {
        let value = |at| llsd::walked_at(bytes, at, place.end, limits);
        let instances = place.instances.map(value).and_then(|value| value?.array());
        Some(Self { map: value(place.map)?.map()?, assets: value(place.assets)?.array()?, instances, place })
    }

    pub(super) const fn place(&self) -> ContainerPlace {
        self.place
    }

    pub(super) const fn limits(&self) -> LlsdLimits {
        self.map.limits()
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
        self.place.end
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
        self.assets.len()
    }

    /// Returns whether the container has no assets.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns an iterator over the assets of the container. Each item of the iterator is the LLSD
    /// string that contains the bytes of one asset.
    pub fn items(&self) -> impl Iterator<Item = LlsdItem<'a>> + Clone + use<'a> {
        self.assets.iter()
    }

    /// Returns an iterator over the mesh instances of the model.
    pub fn instances(&self) -> impl Iterator<Item = Instance<'a>> + Clone + use<'a> {
        self.instance_items().map(|(_, instance)| instance)
    }

    /// Returns an iterator over the mesh instances of the model and the byte offsets of their maps.
    pub(super) fn instance_items(&self) -> impl Iterator<Item = (usize, Instance<'a>)> + Clone + use<'a> {
        let items = self.instances.into_iter().flat_map(|array| array.iter());
        items.filter_map(|item| Some((item.at, Instance::new(item.value.map()?))))
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
    pub(super) const fn new(map: LlsdMap<'a>) -> Self {
        Self { map }
    }

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

    /// Returns an iterator over the materials of the mesh instance.
    pub(super) fn material_items(&self) -> impl Iterator<Item = LlsdItem<'a>> + use<'a> {
        self.materials().into_iter().flat_map(|list| list.iter())
    }
}

fn text<'a>(map: LlsdMap<'a>, key: &str) -> Option<LlsdText<'a>> {
    map.get(key)?.value.string()
}

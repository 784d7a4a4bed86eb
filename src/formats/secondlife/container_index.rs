//! [`ContainerIndex`]: the byte offsets of the assets, instances and materials of a container, so
//! that each is found without a walk over those before it.

use std::ops::Range;
use std::sync::OnceLock;

use super::asset_state::{AssetState, no_such_asset, range_of};
use super::asset_view::AssetView;
use super::container::{Container, ContainerPlace, Instance};
use super::layout::FORMAT;
use super::llsd::{self, LlsdItem, LlsdLimits, LlsdValue};
use crate::error::Result;
use crate::parse::room;

/// The byte offsets of the assets, instances and materials of a container. The offsets take at most
/// 16 bytes for each byte of the file.
#[derive(Debug)]
pub(super) struct ContainerIndex {
    assets: Vec<usize>,
    instances: Vec<InstanceStart>,
    /// The offsets of the materials of all instances, in the order of the instances.
    materials: Vec<usize>,
}

/// The place of an instance in a container.
#[derive(Clone, Copy, Debug)]
struct InstanceStart {
    at: usize,
    /// The number of materials of the instances before it.
    materials: usize,
}

impl ContainerIndex {
    fn new(container: &Container<'_>) -> Result<Self> {
        let mut assets = room(FORMAT, "mesh", container.len())?;
        assets.extend(container.items().map(|item| item.at));
        let mut instances = room(FORMAT, "instance", container.instance_items().count())?;
        let mut count = 0_usize;
        for (at, instance) in container.instance_items() {
            instances.push(InstanceStart { at, materials: count });
            count = count.saturating_add(instance.material_items().count());
        }
        let mut materials = room(FORMAT, "material", count)?;
        let items = container.instances().flat_map(|instance| instance.material_items());
        materials.extend(items.take(count).map(|item| item.at));
        Ok(Self { assets, instances, materials })
    }
}

/// The container of a file, and its index, which is built on first use.
#[derive(Debug)]
pub(super) struct ContainerState {
    pub(super) place: ContainerPlace,
    /// The number of assets in the container.
    pub(super) len: usize,
    index: OnceLock<ContainerIndex>,
}

impl ContainerState {
    pub(super) fn new(container: &Container<'_>) -> Self {
        Self { place: container.place(), len: container.len(), index: OnceLock::new() }
    }

    /// Returns the same container without its index.
    pub(super) const fn sibling(&self) -> Self {
        Self { place: self.place, len: self.len, index: OnceLock::new() }
    }

    /// Finds the items of the container on the first call.
    pub(super) fn indexed<'a>(&'a self, container: Container<'a>, bytes: &'a [u8]) -> Result<IndexedContainer<'a>> {
        let index = if let Some(index) = self.index.get() {
            index
        } else {
            let index = ContainerIndex::new(&container)?;
            self.index.get_or_init(|| index)
        };
        Ok(IndexedContainer { index, bytes: bytes.get(..container.end()).unwrap_or(bytes), limits: container.limits() })
    }
}

impl<'a> AssetView<'a> {
    /// Returns the items of the container that the asset is in, or `None` if the file is not a
    /// container.
    pub(super) fn indexed_container(&self) -> Result<Option<IndexedContainer<'a>>> {
        let (Some(container), Some(state)) = (self.container(), &self.state.container) else { return Ok(None) };
        state.indexed(container, self.file()).map(Some)
    }

    /// Returns the new [`AssetState`] of one asset of the file, like
    /// [`asset_states`](Self::asset_states).
    pub(super) fn asset_state(&self, asset: usize) -> Result<AssetState> {
        let range = match self.indexed_container()? {
            Some(container) => container.asset(asset).map(|item| range_of(&item)),
            None => (asset == 0).then(|| Ok(self.state.range.clone())),
        };
        let range = range.ok_or_else(|| no_such_asset(asset, self.state.asset_count()))?;
        Ok(self.state.sibling(self.file(), asset, range))
    }

    /// Returns an iterator over new [`AssetState`]s, one per asset of the file. Each new
    /// [`AssetState`] has no inflated blocks.
    pub(super) fn asset_states(self) -> impl Iterator<Item = AssetState> + use<'a> {
        let container = self.container();
        let alone = container.is_none().then(|| self.state.range.clone());
        let items = container.into_iter().flat_map(|container| container.items());
        let ranges = items.map(|item| range_of(&item)).chain(alone.map(Ok));
        ranges.enumerate().map(move |(asset, range)| self.state.sibling(self.file(), asset, range))
    }
}

/// The items of a container, each of which is found by its index.
#[derive(Clone, Copy)]
pub(super) struct IndexedContainer<'a> {
    index: &'a ContainerIndex,
    bytes: &'a [u8],
    limits: LlsdLimits,
}

impl<'a> IndexedContainer<'a> {
    /// Returns the LLSD value of an asset, or `None` if the index is out of range.
    pub(super) fn asset(&self, asset: usize) -> Option<LlsdItem<'a>> {
        llsd::read_at(self.bytes, *self.index.assets.get(asset)?, &self.limits).ok()
    }

    pub(super) fn instance_count(&self) -> usize {
        self.index.instances.len()
    }

    /// Returns an instance and the indices of its materials, or `None` if the index is out of
    /// range.
    pub(super) fn instance(&self, instance: usize) -> Option<(Instance<'a>, Range<usize>)> {
        let starts = &self.index.instances;
        let start = starts.get(instance)?;
        let next = starts.get(instance.saturating_add(1)).map_or(self.material_count(), |next| next.materials);
        Some((Instance::new(self.value(start.at)?.map()?), start.materials..next))
    }

    pub(super) fn material_count(&self) -> usize {
        self.index.materials.len()
    }

    /// Returns the LLSD value of a material, or `None` if the index is out of range.
    pub(super) fn material(&self, material: usize) -> Option<LlsdValue<'a>> {
        self.value(*self.index.materials.get(material)?)
    }

    fn value(&self, at: usize) -> Option<LlsdValue<'a>> {
        llsd::walked_at(self.bytes, at, self.bytes.len(), &self.limits)
    }
}

//! The levels of detail of many small files.

// Rule: this file sorts and maps by copies only.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use super::content::Content;
use super::log::Work;
use super::mesh_parts::array_bytes;
use super::missing_bytes::MissingBytes;
use super::request::ItemRange;
use super::vertex_buffers::{BufferTarget, Buffers, TriangleRange, decode};
use crate::error::{Cause, Error, Field, Result};
use crate::gpu::VertexLayout;
use crate::io::{Eviction, FileBytes, Map};
use crate::math::{as_index, as_u64};
use crate::model::{AsMeshFile, MeshSelection};
use crate::parse::PAGE;

/// The number of items of an asset: the greatest number of levels of detail in a format.
const LEVELS: u32 = 4;

/// The size of a file that is read as a whole, in bytes. Reading four pages takes less time than
/// reading the first one and then another one.
const SMALL_FILE: u64 = 16 << 10;

/// The factor by which a level is assumed to be larger in memory than in its file. It is only used
/// until the level is decoded.
const ASSUMED_RATIO: u64 = 4;

/// The levels of detail of many mesh files, each decoded into a buffer of the program while it is
/// resident.
///
/// An item is a level of an asset: level 0 is the most detailed. If an asset has fewer levels, the
/// last of them also serves for the levels that it does not have. A worker inflates a level,
/// decodes all its surfaces into one buffer, and frees the inflated bytes. Only a limited number of
/// files is mapped at a time.
pub struct AssetLevels<F, O, T> {
    maps: MapPool<F, Map>,
    open: O,
    assets: u32,
    layout: VertexLayout,
    target: T,
    missing: MissingBytes,
}

crate::error::debug::short_debug!([F, O, T] AssetLevels<F, O, T>: |content| {
    assets: content.assets, layout: content.layout,
});

impl<F, O, M, T> AssetLevels<F, O, T>
where
    F: Fn(u32) -> Result<Map> + Send + Sync + 'static,
    O: Fn(FileBytes) -> Result<M> + Send + Sync + 'static,
    M: AsMeshFile,
    T: BufferTarget,
{
    /// Makes the content of `assets` files.
    ///
    /// `map` maps the file with a number below `assets`, `open` opens a mapped file (usually
    /// [`Model::open`](crate::Model::open)), and at most `maps` files are mapped at a time.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Refused`](crate::ErrorKind::Refused) if there are more than 1,073,741,823
    /// assets.
    pub fn new(assets: u32, maps: usize, map: F, open: O, layout: VertexLayout, target: T) -> Result<Self> {
        if assets > u32::MAX / LEVELS {
            let (expected, found) = (format!("at most {} assets", u32::MAX / LEVELS).into(), assets.to_string().into());
            return Err(Error::without_offset("streaming", Field::new("assets"), Cause::Refused { expected, found }));
        }
        let missing = MissingBytes::new(assets.saturating_mul(LEVELS))?;
        Ok(Self { maps: MapPool::new(map, maps), open, assets, layout, target, missing })
    }

    /// Returns the number of assets.
    #[must_use]
    pub const fn asset_count(&self) -> u32 {
        self.assets
    }

    /// Returns the item of a level of an asset. A level above 3 is taken as 3.
    #[must_use]
    pub fn item(&self, asset: u32, level: u32) -> ItemRange {
        let level = level.min(LEVELS.saturating_sub(1));
        ItemRange::one(asset.saturating_mul(LEVELS).saturating_add(level))
    }

    /// Opens the asset of an item, and finds the level. Errors contain the path of the file.
    fn open_level(&self, map: &Arc<Map>, item: u32) -> Result<(M, usize)> {
        let find = || {
            let asset = (self.open)(FileBytes::Map(Arc::clone(map)))?;
            let count = asset.file().asset(0)?.level_count()?;
            Ok((asset, as_index(item % LEVELS).min(count.saturating_sub(1))))
        };
        find().map_err(|error| map.located(error))
    }

    /// Returns the byte ranges of the level of an item.
    fn level_ranges(&self, map: &Arc<Map>, item: u32) -> Result<Vec<Range<u64>>> {
        let (asset, level) = self.open_level(map, item)?;
        asset.file().byte_ranges(0, &MeshSelection::Level { asset: 0, level }).map_err(|error| map.located(error))
    }

    /// Decodes all drawn surfaces of a level.
    fn decode_level(&self, opened: &M, level: usize, work: &mut Work) -> Result<Buffers<T::Buffer>> {
        let asset = opened.file().asset(0)?;
        let geometry = asset.level(level)?;
        let mut parts = Vec::new();
        for surface in geometry.surfaces()? {
            if surface.is_drawn()? {
                work.inflated = work.inflated.saturating_add(array_bytes(&surface)?);
                parts.push(TriangleRange { surface, range: 0..u32::MAX / 3 });
            }
        }
        decode(&parts, &self.layout, &self.target, work)
    }
}

/// Opens maps by a number, and keeps the maps that were used last open.
struct MapPool<F, M> {
    open: F,
    most: usize,
    maps: Mutex<OpenMaps<M>>,
}

struct OpenMaps<M> {
    /// The maps, each with the time of its last use.
    open: HashMap<u32, (Arc<M>, u64)>,
    time: u64,
}

impl<M, F: Fn(u32) -> Result<M>> MapPool<F, M> {
    /// Makes a pool of at most `most` maps.
    pub(super) fn new(open: F, most: usize) -> Self {
        let maps = OpenMaps { open: HashMap::new(), time: 0 };
        Self { open, most: most.max(1), maps: Mutex::new(maps) }
    }

    /// Returns the map with a number, and opens it if it is not open.
    pub(super) fn get(&self, number: u32) -> Result<Arc<M>> {
        let lock = || self.maps.lock().unwrap_or_else(PoisonError::into_inner);
        let mut maps = lock();
        maps.time = maps.time.saturating_add(1);
        let time = maps.time;
        if let Some((map, used)) = maps.open.get_mut(&number) {
            *used = time;
            return Ok(Arc::clone(map));
        }
        drop(maps);
        let map = Arc::new((self.open)(number)?);
        let mut maps = lock();
        let closed = if maps.open.len() >= self.most { maps.take_older_half() } else { Vec::new() };
        maps.open.insert(number, (Arc::clone(&map), time));
        drop(maps);
        // Unmapping takes long, and is done without the lock.
        drop(closed);
        Ok(map)
    }

    #[cfg(test)]
    fn len(&self) -> usize {
        self.maps.lock().unwrap().open.len()
    }
}

impl<M> OpenMaps<M> {
    /// Takes the half of the maps that was not used for the longest time. Half of them at once cost
    /// less than one at a time.
    fn take_older_half(&mut self) -> Vec<Arc<M>> {
        let mut times: Vec<u64> = self.open.values().map(|(_, used)| *used).collect();
        let middle = times.len() / 2;
        let (_, median, _) = times.select_nth_unstable(middle);
        let median = *median;
        self.open.extract_if(|_, (_, used)| *used <= median).map(|(_, (map, _))| map).collect()
    }
}

impl<F, O, M, T> Content for AssetLevels<F, O, T>
where
    F: Fn(u32) -> Result<Map> + Send + Sync + 'static,
    O: Fn(FileBytes) -> Result<M> + Send + Sync + 'static,
    M: AsMeshFile,
    T: BufferTarget,
{
    type Value = Buffers<T::Buffer>;

    fn item_count(&self) -> u32 {
        self.assets.saturating_mul(LEVELS)
    }

    /// Returns 0: the size of a level is not known before its file is opened. [`Work::wanted`] is
    /// the size of the loaded levels in their files.
    fn item_bytes(&self, _: u32) -> u64 {
        0
    }

    fn prefetch(&self, items: &[u32]) {
        // The starts of the files are read at the same time. An item with an error is not
        // prefetched, and `fetch` returns the error.
        let mut larger = Vec::new();
        for item in items {
            let Ok(map) = self.maps.get(item / LEVELS) else { continue };
            let start = [file_start(&map)];
            let missing = map.uncached_bytes_of(&start);
            map.prefetch_ranges(&start);
            let [start] = start;
            if start.end < as_u64((*map).as_ref().len()) {
                larger.push((*item, map, start, missing));
            } else if let Some(missing) = missing {
                self.missing.set(*item, missing);
            }
        }
        for (item, map, start, missing) in larger {
            let ranges = map.wait_cached(start).and_then(|()| self.level_ranges(&map, item));
            let Ok(ranges) = ranges else { continue };
            if let Some((before, missing)) = missing.zip(map.uncached_bytes_of(&ranges)) {
                self.missing.set(item, before.saturating_add(missing));
            }
            map.prefetch_ranges(&ranges);
        }
    }

    fn fetch(&self, items: &[u32], work: &mut Work) -> Result<u64> {
        let mut needed = 0_u64;
        for item in items {
            let map = self.maps.get(item / LEVELS)?;
            let start = [file_start(&map)];
            let mut loaded = map.load_ranges(&start)?;
            let ranges = self.level_ranges(&map, *item)?;
            let [start] = start;
            if ranges.iter().any(|range| range.end > start.end) {
                loaded = loaded.saturating_add(map.load_ranges(&ranges)?);
            }
            work.read = work.read.saturating_add(self.missing.take_with(*item, loaded));
            let stored = ranges.iter().map(|range| range.end.saturating_sub(range.start)).sum();
            work.wanted = work.wanted.saturating_add(stored);
            needed = needed.saturating_add(stored.saturating_mul(ASSUMED_RATIO));
        }
        Ok(needed)
    }

    fn publish(&self, items: &[u32], values: &mut Vec<(Self::Value, u64)>, work: &mut Work) -> Result<()> {
        for item in items {
            let map = self.maps.get(item / LEVELS)?;
            let (opened, level) = self.open_level(&map, *item)?;
            let buffers = self.decode_level(&opened, level, work).map_err(|error| map.located(error))?;
            let bytes = buffers.memory();
            values.push((buffers, bytes));
            map.evict(0..u64::MAX, Eviction::Unmap);
        }
        Ok(())
    }

    fn evict(&self, _: u32, value: Self::Value) {
        self.target.free(value.buffer);
    }
}

/// Returns the byte range of a file that is read before the levels are found: all of a small file.
fn file_start(map: &Map) -> Range<u64> {
    let length = as_u64(map.as_ref().len());
    0..if length <= SMALL_FILE { length } else { PAGE }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closes_the_maps_that_were_not_used() {
        let pool = MapPool::new(Ok, 8);
        for number in 0..100 {
            let first = pool.get(number).unwrap();
            assert!(Arc::ptr_eq(&first, &pool.get(number).unwrap()));
            assert!(pool.len() <= 8);
            pool.get(0).unwrap();
        }
        let kept = pool.get(0).unwrap();
        pool.get(200).unwrap();
        assert!(Arc::ptr_eq(&kept, &pool.get(0).unwrap()));
    }
}

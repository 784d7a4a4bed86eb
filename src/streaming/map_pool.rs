//! A limited number of open memory maps.

// Rule: this file sorts and maps by copies only.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::Result;

/// Opens maps by a number, and keeps the maps that were used last open.
pub(super) struct MapPool<F, M> {
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

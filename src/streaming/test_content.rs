//! For tests: a content whose loads fail, panic or take long, as a seed decides, and a clock.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicI64, AtomicU64};

use super::content::Content;
use super::log::{Clock, Work};
use crate::error::{Error, ErrorKind, Result};

/// How many of 1,000 loads end in each way.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Faults {
    pub(super) fetch_errors: u64,
    pub(super) publish_errors: u64,
    pub(super) panics: u64,
    pub(super) slow: u64,
}

/// A content without files. The value of an item is its number.
#[derive(Debug)]
pub(super) struct FaultyContent {
    pub(super) items: u32,
    pub(super) faults: Faults,
    /// The number of loads. It chooses the faults.
    loads: AtomicI64,
    /// The number of values that exist.
    pub(super) alive: AtomicI64,
    pub(super) alive_bytes: AtomicI64,
    pub(super) most_alive_bytes: AtomicI64,
}

/// The value of an item, which counts itself.
#[derive(Debug)]
pub(super) struct Value(pub(super) u32);

impl FaultyContent {
    pub(super) fn new(items: u32, faults: Faults) -> Self {
        let zero = || AtomicI64::new(0);
        Self { items, faults, loads: zero(), alive: zero(), alive_bytes: zero(), most_alive_bytes: zero() }
    }

    /// Returns a number below 1,000 that depends on the number of loads.
    fn chance(&self) -> u64 {
        let load = u64::try_from(self.loads.fetch_add(1, Relaxed)).unwrap();
        (load.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33) % 1000
    }

    fn count(&self, values: i64, bytes: i64) {
        self.alive.fetch_add(values, Relaxed);
        let now = self.alive_bytes.fetch_add(bytes, Relaxed) + bytes;
        self.most_alive_bytes.fetch_max(now, Relaxed);
    }
}

fn signed(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap()
}

/// A clock by which each poll is late before it has done anything.
#[derive(Default)]
pub(super) struct LateClock(AtomicU64);

impl Clock for LateClock {
    fn now(&self) -> u64 {
        self.0.fetch_add(1000, Relaxed)
    }
}

impl Content for FaultyContent {
    type Value = Value;

    fn item_count(&self) -> u32 {
        self.items
    }

    fn item_bytes(&self, item: u32) -> u64 {
        1000 + u64::from(item % 7) * 100
    }

    fn fetch(&self, items: &[u32], work: &mut Work) -> Result<u64> {
        let chance = self.chance();
        let Faults { fetch_errors, panics, slow, .. } = self.faults;
        if chance < slow {
            std::thread::sleep(std::time::Duration::from_micros(50));
        }
        assert!(chance >= panics / 2, "a panic in fetch");
        if chance >= 1000 - fetch_errors {
            return Err(Error::custom(ErrorKind::Io, "expected bytes, found a bad disk"));
        }
        let bytes = items.iter().map(|item| self.item_bytes(*item)).sum();
        work.read += bytes;
        Ok(bytes)
    }

    fn publish(&self, items: &[u32], values: &mut Vec<(Value, u64)>, _: &mut Work) -> Result<()> {
        let chance = self.chance();
        let failing = (chance >= 1000 - self.faults.publish_errors).then_some(items.len() / 2);
        for (number, item) in items.iter().enumerate() {
            if failing == Some(number) {
                return Err(Error::custom(ErrorKind::Value, "expected a mesh, found a damaged file"));
            }
            assert!(chance >= self.faults.panics / 2 || number < items.len() / 2, "a panic in publish");
            self.count(1, signed(self.item_bytes(*item)));
            values.push((Value(*item), self.item_bytes(*item)));
        }
        Ok(())
    }

    fn evict(&self, item: u32, value: Value) {
        assert_eq!(item, value.0);
        self.count(-1, -signed(self.item_bytes(item)));
    }
}

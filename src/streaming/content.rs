//! The trait [`Content`]: what a streamer loads.

use super::log::Work;
use crate::error::Result;

/// Items that a [`Streamer`](super::Streamer) loads and evicts, such as regions of a file, levels
/// of detail or decoded surfaces.
///
/// The methods that read, decode or free memory are called by the workers, several at once. A
/// worker calls [`fetch`](Self::fetch) first. The streamer then evicts other items if the budget
/// has no room, and a worker calls [`publish`](Self::publish). A panic in one of these methods
/// ends the request with [`StreamOutcome::Failed`](super::StreamOutcome::Failed), and the worker goes on.
pub trait Content: Send + Sync + 'static {
    /// What a resident item consists of. It is `()` if a resident item is mapped memory.
    type Value: Send + Sync + 'static;

    /// Returns the number of items.
    fn item_count(&self) -> u32;

    /// Returns the number of bytes that an item takes from the budget, or an estimate if the number
    /// is not known before the item is loaded.
    ///
    /// The thread that polls calls this method. It must not read from the disk.
    fn item_bytes(&self, item: u32) -> u64;

    /// Starts to read the bytes of many items in the background, with as few calls to the operating
    /// system as possible. `items` may be in any order.
    fn prefetch(&self, items: &[u32]) {
        let _ = items;
    }

    /// Waits until the stored bytes of `items` can be read without waiting for the disk. `fetch`
    /// allocates nothing that counts towards the budget.
    ///
    /// Returns the number of bytes that the items will take from the budget. If
    /// [`item_bytes`](Self::item_bytes) is 0, the method adds the true size to
    /// [`Work::wanted`].
    ///
    /// # Errors
    ///
    /// Returns the error of the disk, of the source or of the reader of the format.
    fn fetch(&self, items: &[u32], work: &mut Work) -> Result<u64>;

    /// Makes the fetched `items` resident: maps, inflates or decodes them. The method appends the
    /// value of each item to `values`, in order, with the number of bytes that it takes.
    ///
    /// # Errors
    ///
    /// Returns the error of the disk, of the source or of the reader of the format. Values that
    /// were appended before the error are evicted.
    fn publish(&self, items: &[u32], values: &mut Vec<(Self::Value, u64)>, work: &mut Work) -> Result<()>;

    /// Frees the memory of an item that is no longer resident.
    fn evict(&self, item: u32, value: Self::Value) {
        let _ = item;
        drop(value);
    }
}

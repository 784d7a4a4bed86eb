//! Reads every array from the file into a list, without a copy of the file in memory.
//!
//! The file is mapped only to find the arrays. The bytes of an array are then read with `pread`. If
//! the file stores the items of the array as they are decoded, the bytes are read into the list.
//! Otherwise they are read into a buffer, and decoded from it.

use std::cell::RefCell;
use std::fs::File;
use std::ops::Range;

use bytemuck::Zeroable as _;

use crate::array::rebase::Rebase;
use crate::copying_loader::{ArraySource, FlatWeights, InMemory, Lists};
use crate::io::read_exact_at;
use crate::math::as_u64;
use crate::{Array, Result, Weights};

use super::memory;
use super::mesh_files::MeshFiles;
use crate::program::args::Global;
use crate::program::input::bytes::map;

/// The number of bytes of an array that are read into the buffer and decoded at once. The buffer
/// then stays in the cache of the processor. Interleaved arrays and weights are read at once.
const CHUNK_BYTES: usize = 256 << 10;

/// Finds the arrays of a mesh in a map of its files, and reads them from the files into lists.
pub fn load(files: &MeshFiles, global: &Global) -> Result<Lists> {
    let mapped = RefCell::new(Vec::new());
    let model = files.open(global, |path| {
        let (map, file) = (map(path)?, File::open(path)?);
        memory::advise_in_order(&file);
        mapped.borrow_mut().push(PreadFile { addresses: addresses(map.as_ref()), file });
        Ok(map)
    })?;
    Lists::of(model.geometry(), PreadSource { files: mapped.take(), buffer: Vec::new(), held: 0..0 })
}

/// The source of the reading loader: arrays in a map are read from the mapped file.
struct PreadSource {
    files: Vec<PreadFile>,
    buffer: Vec<u8>,
    /// The addresses in a map of the bytes that are in the buffer. Arrays that the format
    /// interleaves have the same bytes, which are read once.
    held: Range<usize>,
}

/// An open file, and the addresses of its bytes in a map.
struct PreadFile {
    addresses: Range<usize>,
    file: File,
}

impl PreadFile {
    /// Reads bytes at an offset of the file until `out` is full.
    fn read(&self, offset: u64, out: &mut [u8]) -> Result<()> {
        read_exact_at(&self.file, out, offset, as_u64(self.addresses.len()))
    }
}

impl PreadSource {
    /// Returns the file that contains bytes of a map, and their offset in the file. Returns `None`
    /// for bytes in other memory, such as inflated blocks and numbers that were parsed.
    fn locate(&self, bytes: &[u8]) -> Option<(&PreadFile, u64)> {
        let Range { start, end } = addresses(bytes);
        let is_in = |mapped: &&PreadFile| mapped.addresses.start <= start && end <= mapped.addresses.end;
        let mapped = self.files.iter().find(is_in).filter(|_| start < end)?;
        Some((mapped, as_u64(start.checked_sub(mapped.addresses.start)?)))
    }

    /// Reads bytes of a map from their file into the buffer, unless the buffer has them already.
    fn read(&mut self, bytes: &[u8]) -> Result<Option<&[u8]>> {
        if self.held != addresses(bytes) {
            let mut buffer = std::mem::take(&mut self.buffer);
            self.held = 0..0;
            if buffer.len() < bytes.len() {
                // A new buffer has pages of zeros, and grows without a copy of the old one.
                buffer = vec![0; bytes.len().next_power_of_two()];
            }
            let Some(((file, offset), out)) = self.locate(bytes).zip(buffer.get_mut(..bytes.len())) else {
                return Ok(None);
            };
            file.read(offset, out)?;
            self.buffer = buffer;
            self.held = addresses(bytes);
        }
        Ok(self.buffer.get(..bytes.len()))
    }

    /// Reads items of an array into the buffer, and returns the array over the buffer.
    fn items<'b, A: Rebase + 'b>(&'b mut self, array: &A, items: Range<usize>) -> Result<Option<A::Over<'b>>> {
        let Some(part) = array.slice(items) else { return Ok(None) };
        Ok(self.read(part.as_bytes())?.and_then(|copy| part.over(copy)))
    }
}

impl ArraySource for PreadSource {
    fn list<A: Rebase>(&mut self, array: &A) -> Result<Vec<A::Item>> {
        let Some((file, offset)) = self.locate(array.as_bytes()) else { return InMemory.list(array) };
        // The system provides pages of zeros for the list.
        let mut list = vec![A::Item::zeroed(); array.len()];
        if array.is_stored_decoded() {
            file.read(offset, bytemuck::cast_slice_mut(&mut list))?;
            return Ok(list);
        }
        for items in chunks(array) {
            if let Some((over, out)) = self.items(array, items.clone())?.zip(list.get_mut(items)) {
                over.fill(out);
            }
        }
        Ok(list)
    }

    fn weights(&mut self, weights: &Weights<'_>) -> Result<FlatWeights> {
        if self.locate(weights.as_bytes()).is_none() {
            return InMemory.weights(weights);
        }
        let over = self.read(weights.as_bytes())?.and_then(|copy| weights.over(copy));
        Ok(over.as_ref().map_or_else(FlatWeights::default, FlatWeights::of))
    }
}

/// Returns the ranges of items that are read into the buffer one after another.
fn chunks<A: Rebase>(array: &A) -> impl Iterator<Item = Range<usize>> + use<A> {
    let length = array.len();
    let item_bytes = array.as_bytes().len().checked_div(length).unwrap_or_default();
    let fitting = CHUNK_BYTES.checked_div(item_bytes).unwrap_or_default();
    let step = if array.is_interleaved() { length } else { fitting }.max(1);
    (0..length).step_by(step).map(move |start| start..start.saturating_add(step).min(length))
}

/// Returns the addresses of the first byte and of the end of bytes in memory.
fn addresses(bytes: &[u8]) -> Range<usize> {
    let Range { start, end } = bytes.as_ptr_range();
    start.addr()..end.addr()
}

//! Hashes of the content and of the topology of a mesh, by which duplicates are found.

use xxhash_rust::xxh3::Xxh3Default;

use crate::program::input::asset::InputAsset;
use crate::{Array as _, Surface};

/// The number of indices that are hashed in one step.
const INDEX_BATCH: usize = 4096;

/// Returns a hash of all bytes of the files of a mesh, without its script.
pub fn content_hash(asset: &InputAsset) -> u128 {
    let mut hash = Xxh3Default::new();
    for source in 0..2 {
        let bytes = asset.source_bytes(source);
        hash.update(&bytes.len().to_le_bytes());
        hash.update(bytes);
    }
    hash.digest128()
}

/// Returns a hash of the triangles of all surfaces, without the positions of their vertices. Two
/// meshes with the same hash have the same shape of the net, also if they are of different formats.
pub fn topology_hash(asset: &InputAsset) -> crate::Result<u128> {
    let mut hash = Xxh3Default::new();
    let mut batch = Vec::with_capacity(INDEX_BATCH * 4);
    for surface in Surface::all(asset.model.geometry()?)? {
        let indices = surface.indices()?;
        hash.update(&indices.len().to_le_bytes());
        for index in indices.iter() {
            batch.extend_from_slice(&index.to_le_bytes());
            if batch.len() >= INDEX_BATCH {
                hash.update(&batch);
                batch.clear();
            }
        }
        hash.update(&batch);
        batch.clear();
    }
    Ok(hash.digest128())
}

//! Hashes of the content and of the topology of a mesh, by which duplicates are found.

use xxhash_rust::xxh3::Xxh3Default;

use crate::program::input::InputAsset;
use crate::{Array as _, Geometry};

/// The number of bytes of indices that are hashed in one step.
const BATCH_BYTES: usize = 16_384;

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

/// Returns a hash of the triangles of the highest level of all assets, without the positions of
/// their vertices. Two meshes with the same hash have the same shape of the net, also if they are
/// of different formats.
pub fn topology_hash(asset: &InputAsset) -> crate::Result<u128> {
    let mut hash = Xxh3Default::new();
    let contents = asset.model.contents();
    for number in 0..contents.asset_count()? {
        let part = contents.asset(number)?;
        if part.level_count()? > 0 {
            add_triangles(&*part.level(0)?, &mut hash)?;
        }
    }
    Ok(hash.digest128())
}

/// Adds the triangles of all surfaces of a level of detail to a hash.
fn add_triangles(level: &dyn Geometry, hash: &mut Xxh3Default) -> crate::Result<()> {
    let mut batch = Vec::with_capacity(BATCH_BYTES);
    for surface in level.surfaces()? {
        let indices = surface.indices()?;
        hash.update(&indices.len().to_le_bytes());
        for index in indices.iter() {
            batch.extend_from_slice(&index.to_le_bytes());
            if batch.len() >= BATCH_BYTES {
                hash.update(&batch);
                batch.clear();
            }
        }
        hash.update(&batch);
        batch.clear();
    }
    Ok(())
}

//! Builds the geometry blocks and tree blocks of new ms14 and ms15 meshes.

use super::edges::edges;
use super::mesh::Mesh;
use super::tree::tree;
use super::writer::{Writer, as_u64};

/// The uncompressed bytes of the geometry block and of the tree block of one surface.
pub(super) struct BlockContents {
    geometry: Vec<u8>,
    tree: Vec<u8>,
    nodes: usize,
}

impl Mesh {
    /// Returns the uncompressed bytes of the geometry blocks and tree blocks of all surfaces.
    /// Returns an empty vector for meshes in ms10 to ms13, because these format versions have no
    /// blocks.
    pub(super) fn contents(&self) -> Vec<BlockContents> {
        let surfaces = self.surfaces.iter().filter(|_| self.generation.is_compressed());
        surfaces
            .map(|surface| {
                let mut geometry = Writer::new(self.generation.magic());
                surface.write_geometry(&mut geometry, self.generation);
                let positions = surface.targets.first().map(|base| base.positions.as_slice()).unwrap_or_default();
                let of_engine = tree(positions, &surface.indices, self.leaf_triangles);
                let nodes = of_engine.nodes.len();
                BlockContents {
                    geometry: geometry.bytes,
                    tree: of_engine.encode(&edges(positions, &surface.indices)),
                    nodes,
                }
            })
            .collect()
    }

    /// Returns the estimate of the memory that the engine needs for the mesh, in bytes, as written
    /// to the file.
    ///
    /// If [`Mesh::memory_estimate`] is set, returns its value. If [`Mesh::memory_estimate`] is
    /// `None`, computes an estimate, which differs by some percent from the estimate of the engine,
    /// because the engine's formula is unknown.
    pub(super) fn memory(&self, contents: &[BlockContents]) -> i64 {
        if let Some(memory) = self.memory_estimate {
            return memory;
        }
        let mut sum = as_u64(self.bones.len()).saturating_mul(74).saturating_add(180);
        for (surface, contents) in self.surfaces.iter().zip(contents) {
            let uvs = surface.uvs.iter().map(Vec::len).fold(0, usize::saturating_add);
            let vertices = surface.targets.iter().map(|target| (target.positions.len(), target.frames.len()));
            let parts = vertices.flat_map(|(positions, frames)| [(positions, 12), (frames, 16)]).chain([
                (1, 356),
                (surface.name.len(), 1),
                (uvs, 8),
                (surface.weights.len(), 28),
                (surface.indices.len() / 3, 32),
                (contents.nodes, 64),
            ]);
            sum = parts.fold(sum, |sum, (count, bytes)| sum.saturating_add(as_u64(count).saturating_mul(bytes)));
        }
        i64::try_from(sum).unwrap_or(i64::MAX)
    }

    /// Writes the geometry blocks and tree blocks of all surfaces, and the table of block offsets
    /// at the end of the file.
    pub(super) fn write_blocks(&self, writer: &mut Writer, contents: &[BlockContents]) {
        let mut places = Vec::new();
        for contents in contents {
            places.push(writer.bytes.len());
            writer.block(&contents.geometry, self.storage);
        }
        writer.magic();
        for contents in contents {
            writer.block(&contents.tree, self.storage);
        }
        writer.magic();
        for place in places {
            writer.put(&as_u64(place).to_le_bytes());
        }
        writer.magic();
    }
}

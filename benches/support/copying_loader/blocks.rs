//! The copying loader of compressed meshes: reads the whole file, and inflates every block of it into a list. It knows
//! ms14 files without bones, and finds the blocks by the table at the end, as a loader that trusts its file does.

use std::path::Path;

use super::Input;

/// What the blocks hold.
pub struct Mesh {
    /// For each surface, its arrays.
    pub geometry: Vec<Vec<u8>>,
    /// For each surface, its tree.
    pub trees: Vec<Vec<u8>>,
}

impl Mesh {
    /// Returns a position of a surface.
    pub fn position(&self, surface: usize, index: usize) -> [f32; 3] {
        super::floats::<12, 3>(&self.geometry[surface].as_chunks().0[index])
    }
}

/// Loads a file.
pub fn load(path: &Path) -> Mesh {
    let bytes = std::fs::read(path).unwrap();
    let mut input = Input { rest: &bytes };
    assert_eq!(input.item(), b"ms14");
    // Beside the bounds, how many triangles a leaf of a tree has.
    input.int();
    input.take(40);
    assert_eq!(input.int(), 0, "bones are not loaded");
    let count = input.int();
    let table = bytes.len() - 4 - count * 8;
    let first = bytes[table..].first_chunk().map_or(0, |place| u64::from_le_bytes(*place) as usize);
    input.rest = &bytes[first..];
    let geometry = (0..count).map(|_| input.block()).collect();
    assert_eq!(input.item(), b"ms14");
    let trees = (0..count).map(|_| input.block()).collect();
    Mesh { geometry, trees }
}

impl Input<'_> {
    fn block(&mut self) -> Vec<u8> {
        let [raw, stored] = [0; 2].map(|_: u8| u64::from_le_bytes(*self.item()) as usize);
        let bytes = self.take(stored);
        if raw == stored {
            return bytes.to_vec();
        }
        let mut out = vec![0; raw];
        assert_eq!(lz4_flex::block::decompress_into(bytes, &mut out).unwrap(), raw);
        out
    }
}

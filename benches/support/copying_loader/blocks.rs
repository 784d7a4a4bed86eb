//! The copying loader of compressed meshes. It reads the whole file, and inflates every block into
//! a list. It supports ms14 files without bones, and locates the blocks through the table at the
//! end without validating it.

use std::path::Path;

use super::Input;

/// The inflated blocks.
pub struct Mesh {
    /// The arrays of each surface.
    pub geometry: Vec<Vec<u8>>,
    /// The tree of each surface.
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
    // The number of triangles in a leaf of a tree is stored before the bounds.
    input.int();
    input.take(40);
    assert_eq!(input.int(), 0, "files with bones are not supported");
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

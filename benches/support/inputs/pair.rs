//! The largest pair of Unreal files that every reader accepts: 65,535 polygons, and 2,000 frames of
//! 8,191 vertices. This is 1 MB of polygons and 65.5 MB of frames. With one more vertex, the size
//! of a frame is negative in readers that use signed 16-bit integers.
//!
//! The vertices are a cloth in the wind: a grid, row after row. Each frame is a moment.

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use crate::support::unreal_builder as builder;
use meshpeek::unreal::{RawPolygon, Variant};
use tempfile::TempDir;

/// The number of vertices in a row of the grid.
const ROW: usize = 91;
/// The number of polygons with each texture.
const TEXTURE: usize = 8192;

/// The size of a pair.
#[derive(Clone, Copy)]
pub struct Size {
    pub polygons: usize,
    pub vertices: usize,
    pub frames: usize,
}

const FULL: Size = Size { polygons: 65_535, vertices: 8191, frames: 2000 };
/// The size if the bench runs as a test.
const SMALL: Size = Size { polygons: 600, vertices: 300, frames: 7 };

/// Two files to read.
pub struct Pair {
    pub size: Size,
    pub data: PathBuf,
    pub aniv: PathBuf,
    /// Removes the files when the pair is dropped; `None` if the folder was given by the caller.
    folder: Option<TempDir>,
}

impl Pair {
    /// Writes the pair to a temporary folder, which is removed when the pair is dropped. The pair
    /// is small if the bench runs as a test.
    pub fn write() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut pair = Self::named(folder.path(), if crate::support::claims::testing() { SMALL } else { FULL });
        pair.folder = Some(folder);
        pair.save();
        pair
    }

    /// Writes the full pair to a folder: `cloth_d.3d` and `cloth_a.3d`.
    pub fn write_to(folder: &Path) {
        Self::named(folder, FULL).save();
    }

    /// Returns the full pair in a folder to which it was written before.
    pub fn within(folder: &Path) -> Self {
        Self::named(folder, FULL)
    }

    fn named(folder: &Path, size: Size) -> Self {
        let [data, aniv] = ["cloth_d.3d", "cloth_a.3d"].map(|name| folder.join(name));
        Self { size, data, aniv, folder: None }
    }

    fn save(&self) {
        let mesh = mesh(self.size);
        mesh.write_data(BufWriter::new(File::create(&self.data).unwrap())).unwrap();
        mesh.write_aniv(BufWriter::new(File::create(&self.aniv).unwrap())).unwrap();
    }
}

fn mesh(Size { polygons, vertices, frames }: Size) -> builder::Mesh {
    builder::Mesh {
        polygons: (0..polygons).map(|number| polygon(number, vertices)).collect(),
        frames: (0..frames).map(|frame| (0..vertices).map(|vertex| position(vertex, frame)).collect()).collect(),
        ..builder::Mesh::new(Variant::Classic, vertices as u32)
    }
}

/// Returns a triangle of two adjacent vertices and one of the next row. The numbering continues
/// with the first vertex after the last one.
fn polygon(number: usize, vertices: usize) -> RawPolygon {
    let random = super::random(number as u32).to_le_bytes();
    RawPolygon {
        vertices: [0, 1, ROW].map(|step| (((number + step) % vertices) as u16).into()),
        uvs: [[random[0], random[1]], [random[1], random[2]], [random[2], random[3]]],
        texture: (number / TEXTURE) as u8,
        ..RawPolygon::EMPTY
    }
}

fn position(vertex: usize, frame: usize) -> [i16; 3] {
    let (x, y) = ((vertex % ROW) as f32, (vertex / ROW) as f32);
    let wind = (x * 0.2 + frame as f32 * 0.05).sin() * (y * 0.1 + frame as f32 * 0.03).cos();
    [x * 22.0 - 1000.0 + wind * 20.0, y * 22.0 - 1000.0 + wind * 20.0, wind * 500.0].map(|value| value as i16)
}

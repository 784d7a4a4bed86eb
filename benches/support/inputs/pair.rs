//! The largest pair of Unreal files that everybody reads: 65,535 polygons, and 2,000 frames of 8,191 vertices, which is
//! 1 MB of polygons and 65.5 MB of frames. A frame of one vertex more has a size that some readers take for negative.
//!
//! The vertices are a cloth in the wind: a grid, row behind row, of which each frame is a moment.

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use meshpeek::unreal::{RawPolygon, Variant, builder};
use tempfile::TempDir;

/// Vertices in a row of the grid.
const ROW: usize = 91;
/// Polygons of each texture.
const TEXTURE: usize = 8192;

/// How much of each thing there is.
#[derive(Clone, Copy)]
pub struct Size {
    pub polygons: usize,
    pub vertices: usize,
    pub frames: usize,
}

const FULL: Size = Size { polygons: 65_535, vertices: 8191, frames: 2000 };
/// What there is where the bench only runs as a test.
const SMALL: Size = Size { polygons: 600, vertices: 300, frames: 7 };

/// Two files to read.
pub struct Pair {
    pub size: Size,
    pub data: PathBuf,
    pub aniv: PathBuf,
    /// What removes the files in the end, where nobody named a folder for them.
    folder: Option<TempDir>,
}

impl Pair {
    /// Writes the pair to a folder that lives as long as it does: a small one where the bench only runs as a test.
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

    /// Names the full pair, which somebody wrote to a folder before.
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

/// Makes a triangle of two neighbours and one of the next row; after the last vertex comes the first.
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

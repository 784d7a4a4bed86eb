//! An ms13 mesh of any size, written row by row. It has a few adjacent surfaces, each a height
//! field in the order of its rows, with a tangent frame and a UV for each position, or with two at
//! a seam.

use std::fs::File;
use std::io::{BufWriter, Write};

use meshpeek::Bounds;
use meshpeek::decode::{TangentFrame, compact, tangent_frame};
use zerocopy::IntoBytes;

use super::CORNERS;

/// The surfaces in a grid of two by two; each is 2 wide and 2 deep.
pub const TILES: [[f32; 2]; 4] = [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]];
/// The size of a quad in bytes: a position, a tangent frame, a UV, and six indices of four bytes in
/// each of two streams.
const QUAD: u64 = 12 + 8 + 8 + 2 * 24;

/// Where the UVs of a surface have seams. At a seam, a position has two attribute vertices.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Seams {
    /// Nowhere: both index streams are equal.
    None,
    /// At every 64th column.
    Charts,
}

impl Seams {
    /// Returns the number of the chart that contains a column of quads.
    fn chart(self, column: u32) -> u32 {
        if self == Self::Charts { column / 64 } else { 0 }
    }
}

/// Returns the number of quads along one side of a surface, for a mesh of `surfaces` surfaces with
/// about `bytes` bytes.
pub fn side(bytes: u64, surfaces: usize) -> u32 {
    // With fewer vertices, the indices would take fewer bytes each.
    (bytes / surfaces as u64 / QUAD).isqrt().max(256) as u32
}

/// Writes a mesh of the first `surfaces` tiles, each of `side` x `side` quads.
pub fn write(side: u32, surfaces: usize, seams: Seams, file: File) {
    let mut out = Out(BufWriter::with_capacity(1 << 20, file));
    let tiles = &TILES[..surfaces];
    let all = tiles.iter().map(|at| bounds(*at)).reduce(|one, other| one.union(&other)).unwrap();
    out.bytes(b"ms13");
    out.bounds(&all);
    out.count(0);
    out.count(tiles.len() as u32);
    for (number, at) in tiles.iter().enumerate() {
        out.text(&format!("tile {number}"));
        out.bytes(&[1, 3]);
        out.bounds(&bounds(*at));
        out.count(1);
        out.text("");
    }
    out.bytes(b"ms13");
    for at in tiles {
        tile(&mut out, *at, side, seams);
    }
    out.bytes(b"ms13");
    out.0.into_inner().unwrap().sync_all().unwrap();
}

fn bounds([x, y]: [f32; 2]) -> Bounds {
    Bounds { min: [x - 1.0, y - 1.0, -0.2], max: [x + 1.0, y + 1.0, 0.2] }
}

fn tile(out: &mut Out, [x, y]: [f32; 2], side: u32, seams: Seams) {
    let vertices = (side + 1) * (side + 1);
    let along = |step: u32| step as f32 / side as f32 * 2.0 - 1.0;
    // The height is a product of two waves, which avoids computing a sine for each vertex.
    let waves: Vec<f32> = (0..=side).map(|step| (along(step) * 15.0).sin() * 0.1).collect();
    out.count(vertices);
    for row in 0..=side {
        let across = (along(row) * 21.0).cos();
        let rows = waves.iter().zip(0..).map(|(wave, column)| {
            let uneven = (super::random(row ^ column << 16) >> 8) as f32 / (1 << 24) as f32 / side as f32;
            [x + along(column), y + along(row), wave * across + uneven]
        });
        out.bytes(rows.collect::<Vec<_>>().as_bytes());
    }
    let up = tangent_frame::encode8(&TangentFrame::from_axes([0.0, 0.0, 1.0], [1.0, 0.0, 0.0], -1.0));
    // The position column of each attribute column. The column at a seam has two.
    let columns: Vec<u32> = (0..=side)
        .flat_map(|column| {
            let is_seam = (1..side).contains(&column) && seams.chart(column) > seams.chart(column - 1);
            std::iter::repeat_n(column, if is_seam { 2 } else { 1 })
        })
        .collect();
    let width = columns.len() as u32;
    out.count(width * (side + 1));
    let frames = vec![up; columns.len()];
    (0..=side).for_each(|_| out.bytes(frames.as_bytes()));
    out.count(0);
    out.count(width * (side + 1));
    for row in 0..=side {
        let rows = columns.iter().map(|column| [along(*column) * 0.5 + 0.5, 0.5 - along(row) * 0.5]);
        out.bytes(rows.collect::<Vec<_>>().as_bytes());
    }
    out.count(0);
    out.count(0);
    for (width, seams) in [(side + 1, Seams::None), (width, seams)] {
        out.count(side * side * 6);
        for row in 0..side {
            let corner =
                |column: u32, [right, down]: [u32; 2]| (row + down) * width + column + seams.chart(column) + right;
            let quads = (0..side).map(|column| CORNERS.map(|step| corner(column, step)));
            out.bytes(quads.collect::<Vec<_>>().as_bytes());
        }
    }
}

struct Out(BufWriter<File>);

impl Out {
    fn bytes(&mut self, bytes: &[u8]) {
        self.0.write_all(bytes).unwrap();
    }

    fn count(&mut self, count: u32) {
        let (bytes, length) = compact::encode(i32::try_from(count).unwrap());
        self.bytes(&bytes[..length]);
    }

    fn text(&mut self, text: &str) {
        self.count(text.len() as u32 + 1);
        self.bytes(text.as_bytes());
        self.bytes(&[0]);
    }

    fn bounds(&mut self, bounds: &Bounds) {
        let middle = |axis: usize| (bounds.min[axis] + bounds.max[axis]) * 0.5;
        let center = [middle(0), middle(1), middle(2)];
        let radius = (0..3).map(|axis| (bounds.max[axis] - center[axis]).powi(2)).sum::<f32>().sqrt();
        self.bytes([bounds.min, bounds.max, center].as_bytes());
        self.bytes(&radius.to_le_bytes());
    }
}

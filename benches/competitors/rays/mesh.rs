//! The queried meshes. All fit the cube from -1.1 to 1.1.

use std::cell::OnceCell;
use std::f64::consts::{PI, TAU};
use std::path::Path;

use meshpeek::Model;
use meshpeek::internals::Lists;
use zerocopy::little_endian::U16;

use crate::messy;
use crate::options::Options;

/// Triangles of three positions each.
#[derive(Default)]
pub struct Mesh {
    pub name: String,
    /// Has capacity for one more position, because a position may be read as 16 bytes.
    pub positions: Vec<[f32; 3]>,
    pub triangles: Vec<[u32; 3]>,
    /// The positions as 16-bit codes, once they are needed.
    pub codes: OnceCell<Vec<[U16; 3]>>,
}

impl Mesh {
    /// Returns the meshes that the options choose, each when the previous one is no longer needed.
    pub fn all(options: &Options) -> impl Iterator<Item = Self> {
        options.meshes.iter().map(|name| {
            let triangles = (options.millions * 1e6) as usize;
            let mut mesh = match name.as_str() {
                "sphere" => Self::bumpy_sphere(triangles),
                "shells" => messy::shells(triangles),
                "soup" => messy::soup(triangles),
                file => Self::file(Path::new(file), options.copies),
            };
            mesh.positions.reserve(1);
            mesh.name += &format!(", {:.2} million triangles", mesh.triangles.len() as f64 / 1e6);
            if options.shuffled {
                mesh.shuffle();
                mesh.name += ", shuffled";
            }
            mesh
        })
    }

    /// Returns copies of the mesh in a file of any format that meshpeek reads.
    fn file(file: &Path, copies: usize) -> Self {
        let model = Model::open(meshpeek::read(file).unwrap()).unwrap();
        let mut mesh = Self { name: file.file_stem().unwrap().to_string_lossy().into(), ..Self::default() };
        for surface in Lists::load(model.geometry()).unwrap().surfaces {
            mesh.append(&surface.targets[0].positions, surface.indices.as_chunks().0);
        }
        mesh.name += &format!(" x {copies}");
        mesh.repeated(copies)
    }

    /// Appends triangles with positions of their own.
    pub fn append(&mut self, positions: &[[f32; 3]], triangles: &[[u32; 3]]) {
        let first = self.positions.len() as u32;
        self.positions.extend(positions);
        self.triangles.extend(triangles.iter().map(|corners| corners.map(|corner| first + corner)));
    }

    /// Returns copies of this mesh, one after another, on a grid of cubes that fills the cube from
    /// -1 to 1.
    pub fn repeated(self, copies: usize) -> Self {
        let side = (1..).find(|side: &usize| side.pow(3) >= copies).unwrap_or(1);
        let low =
            self.positions.iter().fold([f32::INFINITY; 3], |low, at| [0, 1, 2].map(|axis| low[axis].min(at[axis])));
        let high =
            self.positions.iter().fold([-f32::INFINITY; 3], |high, at| [0, 1, 2].map(|axis| high[axis].max(at[axis])));
        let size = [0, 1, 2].map(|axis| high[axis] - low[axis]);
        let cell = 2.0 / side as f32;
        let scale = cell / size.into_iter().fold(0.0, f32::max);
        let mut all = Self { name: self.name, ..Self::default() };
        for copy in 0..copies {
            let cube = [copy % side, copy / side % side, copy / side / side];
            let middle = cube.map(|number| (number as f32 + 0.5) * cell - 1.0);
            let place =
                |at: &[f32; 3]| [0, 1, 2].map(|axis| middle[axis] + (at[axis] - low[axis] - size[axis] / 2.0) * scale);
            all.append(&self.positions.iter().map(place).collect::<Vec<_>>(), &self.triangles);
        }
        all
    }

    /// Returns a closed sphere of radius 1 with bumps of up to 0.055 and about `triangles`
    /// triangles. It has rows of quads from pole to pole, twice that number of columns, and two
    /// triangles for each quad, row by row.
    fn bumpy_sphere(triangles: usize) -> Self {
        let rows = (triangles as f64 / 4.0).sqrt().round() as u32;
        let mut mesh = Self { name: "a sphere with bumps".into(), ..Self::default() };
        mesh.append(&positions(rows, bumpy), &quads(rows).flatten().collect::<Vec<_>>());
        mesh
    }

    /// Shuffles the triangles. The order is always the same.
    pub fn shuffle(&mut self) {
        let mut random = Random::new(1);
        for last in (1..self.triangles.len()).rev() {
            self.triangles.swap(last, random.below(last + 1));
        }
    }

    /// Returns the corners of a triangle.
    pub fn corners(&self, triangle: usize) -> [[f32; 3]; 3] {
        self.triangles[triangle].map(|position| self.positions[position as usize])
    }
}

/// Returns the positions of a closed surface with rows of quads from pole to pole, and twice that
/// number of columns.
pub fn positions(rows: u32, at: impl Fn(f64, f64) -> [f32; 3]) -> Vec<[f32; 3]> {
    let columns = 2 * rows;
    let angles =
        |row: u32, column: u32| (PI * f64::from(row) / f64::from(rows), TAU * f64::from(column) / f64::from(columns));
    let all = (0..=rows).flat_map(|row| (0..columns).map(move |column| angles(row, column)));
    all.map(|(latitude, longitude)| at(latitude, longitude)).collect()
}

/// Returns the two triangles of each quad of such a surface, row by row.
pub fn quads(rows: u32) -> impl Iterator<Item = [[u32; 3]; 2]> {
    let columns = 2 * rows;
    (0..rows * columns).map(move |quad| {
        let (row, column) = (quad / columns, quad % columns);
        let [left, right] = [column, (column + 1) % columns].map(|column| row * columns + column);
        [[left, left + columns, right], [right, left + columns, right + columns]]
    })
}

fn bumpy(latitude: f64, longitude: f64) -> [f32; 3] {
    let coarse = 0.05 * (13.0 * latitude).sin() * (17.0 * longitude).sin();
    let fine = 0.005 * (101.0 * latitude).sin() * (127.0 * longitude).sin();
    let radius = 1.0 + coarse + fine;
    let ([sin, cos], [east, north]) = ([latitude.sin(), latitude.cos()], [longitude.cos(), longitude.sin()]);
    [radius * sin * east, radius * sin * north, radius * cos].map(|value| value as f32)
}

/// A xorshift64* generator, which returns the same numbers for the same seed.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn bits(&mut self) -> u32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) as u32
    }

    /// Returns a number below `limit`, which must fit into 32 bits.
    pub fn below(&mut self, limit: usize) -> usize {
        (u64::from(self.bits()) * limit as u64 >> 32) as usize
    }

    /// Returns a number from -1 up to, but not including, 1.
    pub fn signed(&mut self) -> f32 {
        (self.bits() >> 8) as f32 / (1 << 23) as f32 - 1.0
    }

    /// Returns a number from 0 up to, but not including, 1.
    pub fn unit(&mut self) -> f32 {
        self.signed() * 0.5 + 0.5
    }

    /// Returns a uniformly distributed point in the ball of radius 1.
    pub fn in_ball(&mut self) -> [f32; 3] {
        loop {
            let point = [self.signed(), self.signed(), self.signed()];
            let square: f32 = point.iter().map(|value| value * value).sum();
            if square <= 1.0 && square > 1e-6 {
                return point;
            }
        }
    }
}

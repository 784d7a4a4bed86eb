//! The queried mesh: a bumpy sphere of any size. It needs only the standard library.

use std::f64::consts::{PI, TAU};

/// Triangles of three positions each.
pub struct Mesh {
    /// Has capacity for one more position, because a position may be read as 16 bytes.
    pub positions: Vec<[f32; 3]>,
    pub triangles: Vec<[u32; 3]>,
}

impl Mesh {
    /// Returns a closed sphere of radius 1 with bumps of up to 0.055 and about `triangles`
    /// triangles. It has rows of quads from pole to pole, twice that number of columns, and two
    /// triangles for each quad, row by row.
    pub fn bumpy_sphere(triangles: usize) -> Self {
        let rows = (triangles as f64 / 4.0).sqrt().round() as u32;
        let columns = 2 * rows;
        let mut mesh = Self {
            positions: Vec::with_capacity((rows + 1) as usize * columns as usize + 1),
            triangles: Vec::with_capacity(2 * rows as usize * columns as usize),
        };
        for row in 0..=rows {
            let latitude = PI * f64::from(row) / f64::from(rows);
            let at = |column: u32| position(latitude, TAU * f64::from(column) / f64::from(columns));
            mesh.positions.extend((0..columns).map(at));
        }
        for row in 0..rows {
            for column in 0..columns {
                let [left, right] = [column, (column + 1) % columns].map(|column| row * columns + column);
                mesh.triangles.push([left, left + columns, right]);
                mesh.triangles.push([right, left + columns, right + columns]);
            }
        }
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

fn position(latitude: f64, longitude: f64) -> [f32; 3] {
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

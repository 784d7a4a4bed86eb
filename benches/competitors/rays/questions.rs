//! The questions for every tree: rays in random order, rays of a picture, and points near the
//! surface.

use crate::Tree;
use crate::mesh::Random;

/// A half line. The direction has length 1.
#[derive(Clone, Copy)]
pub struct Ray {
    pub origin: [f32; 3],
    pub direction: [f32; 3],
}

pub enum Asked {
    /// Find the first hit of each ray with the surface.
    Rays(Vec<Ray>),
    /// Find whether each ray hits the surface.
    Any(Vec<Ray>),
    /// Find the distance of each point from the surface.
    Points(Vec<[f32; 3]>),
}

pub struct Question {
    pub text: &'static str,
    /// The head of its column.
    pub head: &'static str,
    pub asked: Asked,
}

impl Question {
    pub fn all() -> [Self; 5] {
        let rays = |head, text, asked| Self { text, head, asked };
        let (random, picture) = (incoherent(200_000), picture(500, 400));
        [
            rays(
                "incoherent",
                "200,000 incoherent rays, from radius 3 to anywhere in the ball",
                Asked::Rays(random.clone()),
            ),
            rays("coherent", "200,000 coherent rays, a picture of 500 x 400 row by row", Asked::Rays(picture.clone())),
            rays("any, incoherent", "whether each of the 200,000 incoherent rays hits anything", Asked::Any(random)),
            rays("any, coherent", "whether each of the 200,000 coherent rays hits anything", Asked::Any(picture)),
            Self {
                text: "the nearest point for 100,000 points at radius 0.8 to 1.25",
                head: "nearest",
                asked: Asked::Points(around(100_000)),
            },
        ]
    }

    pub fn len(&self) -> usize {
        match &self.asked {
            Asked::Rays(rays) | Asked::Any(rays) => rays.len(),
            Asked::Points(points) => points.len(),
        }
    }

    /// Writes answers for the rays or points from number `first` on. Returns false if the tree does
    /// not support the question.
    pub fn ask(&self, tree: &mut dyn Tree, first: usize, answers: &mut [f32]) -> bool {
        let part = first..first + answers.len();
        match &self.asked {
            Asked::Rays(rays) => tree.closest(&rays[part], answers),
            Asked::Any(rays) => tree.any(&rays[part], answers),
            Asked::Points(points) => tree.nearest(&points[part], answers),
        }
    }
}

/// Returns rays from random points on the sphere of radius 3 through random points in the ball of
/// radius 1.
fn incoherent(count: usize) -> Vec<Ray> {
    let mut random = Random::new(2);
    let mut ray = || {
        let origin = scaled(random.in_ball(), 3.0);
        let target = random.in_ball();
        Ray { origin, direction: scaled([0, 1, 2].map(|axis| target[axis] - origin[axis]), 1.0) }
    };
    (0..count).map(|_| ray()).collect()
}

/// Returns the rays of a pinhole camera at distance 3. Its picture is slightly higher than the
/// sphere.
fn picture(columns: u16, rows: u16) -> Vec<Ray> {
    let half = f32::from(rows) / 2.0;
    let ray = |row: u16, column: u16| {
        let [right, up] = [f32::from(column) + 0.5 - f32::from(columns) / 2.0, half - f32::from(row) - 0.5];
        let direction = [-1.0, 0.4 * right / half, 0.4 * up / half];
        Ray { origin: [3.0, 0.0, 0.0], direction: scaled(direction, 1.0) }
    };
    (0..rows).flat_map(|row| (0..columns).map(move |column| ray(row, column))).collect()
}

/// Returns points in all directions, at a distance of 0.8 to 1.25 from the centre.
fn around(count: usize) -> Vec<[f32; 3]> {
    let mut random = Random::new(3);
    (0..count).map(|_| (random.in_ball(), 1.025 + 0.225 * random.signed())).map(|(at, far)| scaled(at, far)).collect()
}

/// Returns a vector with the same direction and the given length.
fn scaled(vector: [f32; 3], length: f32) -> [f32; 3] {
    let factor = length / vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    vector.map(|value| value * factor)
}

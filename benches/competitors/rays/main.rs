//! Measures how fast a tree over a mesh is built, how large it is, and how fast it finds the hits
//! of rays and the distances of points. All contestants run on one thread. In each round, they
//! build their trees in turn and answer questions in turn. The others are compared with the first
//! contestant, and their answers must be equal to its answers.
//!
//! Prints the results on standard error. If meshpeek is among the contestants, prints a line of
//! JSON for each figure. With `--millions N`, the mesh has about N million triangles, by default
//! about one million. With `--shuffled`, the triangles are in random order.

mod crates;
#[cfg(feature = "embree")]
mod embree;
mod mesh;
#[cfg(feature = "embree")]
mod morton;
mod ours;
mod questions;
mod report;
#[cfg(feature = "embree")]
mod triangle;

/// The module that this bench shares with the benches of meshpeek.
#[path = "../../support"]
mod support {
    pub mod claims;
}

use std::process::ExitCode;
use std::time::Instant;

use mesh::Mesh;
use questions::{Question, Ray};
use report::Found;
use support::claims;

/// The number of rounds for up to five million triangles, and for more.
const ROUNDS: [usize; 2] = [5, 3];
/// The number of times that each contestant answers each question in a round. This takes less time
/// than building.
const TURNS: usize = 3;

/// A contestant that builds a tree.
pub struct Contestant {
    pub name: &'static str,
    pub version: fn() -> String,
    /// Builds the data that is needed to answer questions, from a borrowed mesh.
    pub build: for<'a> fn(&'a Mesh) -> Box<dyn Tree + 'a>,
}

/// A tree that answers questions about one ray or point after another.
pub trait Tree {
    /// Returns the number of bytes that the tree takes in addition to the borrowed mesh.
    fn bytes(&self) -> usize;
    /// Writes the distance along each ray to the first hit, or infinity if the ray misses.
    fn closest(&mut self, rays: &[Ray], hits: &mut [f32]);
    /// Writes the distance of each point from the surface. Returns false if the tree does not
    /// support this.
    fn nearest(&mut self, points: &[[f32; 3]], distances: &mut [f32]) -> bool;
}

/// Returns all contestants. The first one is the reference for the others.
fn contestants() -> Vec<Contestant> {
    let mut all = Vec::new();
    #[cfg(feature = "embree")]
    all.extend([embree::EMBREE, embree::ROBUST, embree::SORTED]);
    all.extend([ours::MESHPEEK, ours::BATCH, ours::QUANTIZED]);
    all.extend([crates::PARRY3D, crates::OBVHS_FAST, crates::OBVHS, crates::OBVHS_BINARY]);
    all
}

fn main() -> ExitCode {
    let millions = std::env::args().skip_while(|argument| argument != "--millions").nth(1);
    let millions: usize = millions.map_or(1, |millions| millions.parse().expect("--millions takes a number"));
    let mut mesh = Mesh::bumpy_sphere(millions * 1_000_000);
    let shuffled = std::env::args().any(|argument| argument == "--shuffled");
    if shuffled {
        mesh.shuffle();
    }
    let triangles = mesh.triangles.len();
    let order = if shuffled { ", shuffled" } else { "" };
    let name = format!("a sphere with bumps, {:.2} million triangles{order}", triangles as f64 / 1e6);
    let (contestants, questions) = (contestants(), Question::all());
    let mut found = contestants.iter().map(|_| Found::default()).collect::<Vec<_>>();
    for _ in 0..claims::rounds(ROUNDS[usize::from(millions > 5)]) {
        ask_all(&mesh, &questions, &contestants, &mut found);
    }
    report::print(&name, triangles, &questions, &contestants, &found);
    report::lines(&name, &questions, &contestants, &found);
    if found.iter().all(|found| found.agrees(&questions)) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Builds the trees of all contestants, and then measures each question with each tree.
fn ask_all(mesh: &Mesh, questions: &[Question; 3], contestants: &[Contestant], found: &mut [Found]) {
    let build = |(contestant, found): (&Contestant, &mut Found)| {
        let start = Instant::now();
        let tree = (contestant.build)(mesh);
        found.build.push(start.elapsed().as_secs_f64());
        found.bytes = tree.bytes();
        tree
    };
    let mut trees: Vec<_> = contestants.iter().zip(&mut *found).map(build).collect();
    for (number, question) in questions.iter().enumerate() {
        let mut expected = None;
        for at in (0..TURNS).flat_map(|_| 0..contestants.len()) {
            let mut answers = vec![f32::NAN; question.len()];
            let start = Instant::now();
            if question.ask(&mut *trees[at], &mut answers) {
                found[at].asked[number].push(start.elapsed().as_secs_f64());
                let expected = expected.get_or_insert_with(|| answers.clone());
                found[at].mismatches[number] = mismatches(&answers, expected);
            }
        }
    }
}

/// Returns the number of different answers. Answers are the same if they are equal, or differ by at
/// most a ten-thousandth of the value or a millionth of the radius, which is the limit of f32.
fn mismatches(answers: &[f32], expected: &[f32]) -> usize {
    let same = |a: f32, b: f32| a == b || (a - b).abs() <= 1e-4 * b.abs() + 1e-6;
    answers.iter().zip(expected).filter(|(answer, expected)| !same(**answer, **expected)).count()
}

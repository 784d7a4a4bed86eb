//! How fast is a tree over a mesh built, how large is it, and how fast does it say where rays hit and how far points are?
//! Everyone works on one thread. All build in turn and are asked in turn, round by round; the first is the one whom the
//! others are measured by, and whose answers theirs have to be.
//!
//! Prints what it found on standard error; and where meshpeek is among those asked, a line of JSON for each figure. With
//! `--millions N` the mesh has about so many million triangles, and one otherwise; with `--shuffled` they are in no order.

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

/// What this shares with the benches of meshpeek.
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

/// How often all build, of up to five million triangles and of more.
const ROUNDS: [usize; 2] = [5, 3];
/// How often each question is asked of everyone in a round: that takes less time than building.
const TURNS: usize = 3;

/// Someone who builds a tree.
pub struct Contestant {
    pub name: &'static str,
    pub version: fn() -> String,
    /// Makes of the mesh, which is lent, whatever it needs to answer.
    pub build: for<'a> fn(&'a Mesh) -> Box<dyn Tree + 'a>,
}

/// Whoever answers, one ray or point after the other.
pub trait Tree {
    /// Returns how many bytes it holds beside the mesh that it was lent.
    fn bytes(&self) -> usize;
    /// Writes how far along each ray the surface is first hit; infinity where it is not.
    fn closest(&mut self, rays: &[Ray], hits: &mut [f32]);
    /// Writes how far each point is from the surface; returns false where it does not answer that.
    fn nearest(&mut self, points: &[[f32; 3]], distances: &mut [f32]) -> bool;
}

/// All who are asked, the one first by whom the others are measured.
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

/// Has everyone build, and then asks each question of everyone.
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

/// Counts answers that are neither equal nor within a ten thousandth, or a millionth of the radius, which f32 cannot tell.
fn mismatches(answers: &[f32], expected: &[f32]) -> usize {
    let same = |a: f32, b: f32| a == b || (a - b).abs() <= 1e-4 * b.abs() + 1e-6;
    answers.iter().zip(expected).filter(|(answer, expected)| !same(**answer, **expected)).count()
}

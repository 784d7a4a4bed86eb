//! Measures how fast a tree over a mesh is built, how large it is, and how fast it finds the hits
//! of rays and the distances of points. All contestants run on one thread. In each round, they
//! build their trees in turn and answer questions in turn. The others are compared with the first
//! contestant, and their answers must be equal to its answers. The answers of meshpeek are also
//! compared with a test of every triangle.
//!
//! There are three meshes, because a smooth surface of triangles of equal size flatters every tree:
//! `mesh.rs` describes them. All are about as large as the ball of radius 1, so the questions are
//! the same for all.
//!
//! Prints the results on standard error. If meshpeek is among the contestants, prints a line of
//! JSON for each figure.
//!
//! - `--meshes sphere,shells,soup`: the meshes, by default all
//! - `--millions N`: the number of triangles of each mesh in millions, by default 1
//! - `--mesh FILE --copies N`: N copies of the mesh in a file, instead of these meshes
//! - `--shuffled`: the triangles are in random order
//! - `--rounds N`: the number of rounds, by default 5, or 3 for more than five million triangles
//! - `--only WORD,WORD`: only the contestants whose names contain one of the words
//! - `--embree FILE`: a library of Embree 3 or 4. May be repeated; the first is the reference
//! - `--exact N`: the number of rays and points that are tested against every triangle

mod crates;
mod embree;
mod embree_library;
mod exact;
mod mesh;
mod messy;
mod morton;
mod options;
mod ours;
mod questions;
mod report;
#[cfg(feature = "tinybvh")]
mod tinybvh;
mod triangle;

/// The module that this bench shares with the benches of meshpeek.
#[path = "../../support"]
mod support {
    pub mod claims;
}

use std::process::ExitCode;

use mesh::Mesh;
use meshpeek_competitors::processor;
use options::Options;
use questions::{Question, Ray};
use report::Found;
use rustix::time::{ClockId, clock_gettime};
use support::claims;

/// The number of rounds for up to five million triangles, and for more.
const ROUNDS: [usize; 2] = [5, 3];
/// The number of times that each contestant answers each question in a round. This takes less time
/// than building.
const TURNS: usize = 3;
/// The number of parts of a question. The contestants answer a part in turn, and then the next one,
/// so they are measured in the same seconds.
const PARTS: usize = 4;

/// A contestant that builds a tree.
pub struct Contestant {
    pub name: &'static str,
    pub version: String,
    /// The number of answers in a thousand that may differ from those of the first contestant.
    pub tolerance: usize,
    /// Builds the data that is needed to answer questions, from a borrowed mesh.
    pub build: Box<dyn for<'a> Fn(&'a Mesh) -> Box<dyn Tree + 'a>>,
}

/// A tree that answers questions about one ray or point after another. A method returns false if
/// the tree does not support the question.
pub trait Tree {
    /// Returns the number of bytes that the tree takes in addition to the borrowed mesh, or `None`
    /// if it cannot be known.
    fn bytes(&self) -> Option<usize>;
    /// Writes the distance along each ray to the first hit, or infinity if the ray misses.
    fn closest(&mut self, rays: &[Ray], hits: &mut [f32]) -> bool;
    /// Writes 1 for each ray that hits anything, and 0 for each that misses.
    fn any(&mut self, rays: &[Ray], hits: &mut [f32]) -> bool;
    /// Writes the distance of each point from the surface.
    fn nearest(&mut self, points: &[[f32; 3]], distances: &mut [f32]) -> bool;
}

/// Returns the contestants that take part. The first one is the reference for the others.
fn contestants(options: &Options) -> Vec<Contestant> {
    let mut all = embree::contestants(&options.embree);
    all.extend(ours::contestants());
    all.extend(crates::contestants());
    #[cfg(feature = "tinybvh")]
    all.extend(tinybvh::contestants());
    all.retain(|contestant| options.takes(contestant.name));
    all
}

fn main() -> ExitCode {
    let options = Options::new(claims::testing());
    let (contestants, questions) = (contestants(&options), Question::all());
    eprintln!("{}: {}, {}", processor::name(), processor::numbers(), processor::vectors());
    let mut agree = true;
    for mesh in Mesh::all(&options) {
        let mut found = contestants.iter().map(|_| Found::new(questions.len())).collect::<Vec<_>>();
        let rounds = options.rounds.unwrap_or(ROUNDS[usize::from(mesh.triangles.len() > 5_000_000)]);
        for _ in 0..claims::rounds(rounds) {
            ask_all(&mesh, &questions, &contestants, &mut found);
        }
        report::print(&mesh, &questions, &contestants, &found);
        agree &= !options.takes("meshpeek") || exact::agrees(&mesh, &questions, options.exact);
        agree &= report::agree(&questions, &contestants, &found);
        report::lines(&mesh.name, &questions, &contestants, &found);
    }
    if agree { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Builds the trees of all contestants, and then measures each question with each tree.
fn ask_all(mesh: &Mesh, questions: &[Question], contestants: &[Contestant], found: &mut [Found]) {
    let build = |(contestant, found): (&Contestant, &mut Found)| {
        let start = seconds();
        let tree = (contestant.build)(mesh);
        found.build.push(seconds() - start);
        found.bytes = tree.bytes();
        tree
    };
    let mut trees: Vec<_> = contestants.iter().zip(&mut *found).map(build).collect();
    for (number, question) in questions.iter().enumerate() {
        for _ in 0..TURNS {
            let answered = answer(question, &mut trees);
            let expected = answered.iter().find_map(|answered| answered.as_ref().map(|(_, answers)| answers));
            for (found, answered) in found.iter_mut().zip(&answered) {
                if let Some((time, answers)) = answered {
                    found.asked[number].push(*time);
                    found.mismatches[number] = expected.map_or(0, |expected| mismatches(answers, expected));
                }
            }
        }
    }
}

/// Lets the trees answer a question, part by part. Returns the seconds and the answers of each tree
/// that supports it.
fn answer(question: &Question, trees: &mut [Box<dyn Tree + '_>]) -> Vec<Option<(f64, Vec<f32>)>> {
    let mut answered = trees.iter().map(|_| Some((0.0, vec![f32::NAN; question.len()]))).collect::<Vec<_>>();
    for part in 0..PARTS {
        let [first, end] = [part, part + 1].map(|part| part * question.len() / PARTS);
        for (tree, answered) in trees.iter_mut().zip(&mut answered) {
            if let Some((time, answers)) = answered {
                let start = seconds();
                let supported = question.ask(&mut **tree, first, &mut answers[first..end]);
                *time += seconds() - start;
                if !supported {
                    *answered = None;
                }
            }
        }
    }
    answered
}

/// Returns the processor time of all threads of this process, in seconds. Other processes do not
/// lengthen it, and a contestant with a second thread has no advantage.
fn seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Returns the number of different answers. Answers are the same if they are equal, or differ by at
/// most a ten-thousandth of the value or a millionth of the radius, which is the limit of f32.
fn mismatches(answers: &[f32], expected: &[f32]) -> usize {
    let same = |a: f32, b: f32| a == b || (a - b).abs() <= 1e-4 * b.abs() + 1e-6;
    answers.iter().zip(expected).filter(|(answer, expected)| !same(**answer, **expected)).count()
}

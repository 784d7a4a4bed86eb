//! Compares the cost of the same mesh in other formats, and in libraries that answer queries. One
//! mesh is written as a UNIGINE `.mesh`, a `.glb` and a `.safetensors` file. Every loader starts
//! with its file closed and in the page cache.
//!
//! Prints a line of JSON for each figure. With `--millions N`, the mesh has about N million
//! triangles; by default, it has about one million.

mod files;
mod loaders;

/// The modules that this bench shares with the benches of meshpeek.
#[allow(dead_code, unused_imports, reason = "this bench uses a part of the builders")]
#[path = "../../support"]
mod support {
    pub mod claims;
    pub mod inputs;
    #[path = "../../tests/support/secondlife/builder/mod.rs"]
    pub mod secondlife_builder;
    #[path = "../../tests/support/unigine/builder/mod.rs"]
    pub mod unigine_builder;
    #[path = "../../tests/support/unreal/builder.rs"]
    pub mod unreal_builder;
}

use std::any::Any;
use std::fs;

use files::Files;
use meshpeek_competitors::Figure;
use support::claims::{self, Contestant, Series};

/// The number of rounds after one to warm up: for file formats, and for libraries that build a
/// tree, which takes seconds.
const ROUNDS: [usize; 2] = [9, 5];

/// A question about a closed file. The answer is a list of points.
#[derive(Clone, Copy)]
pub enum Question {
    FirstVertex,
    FirstTriangle,
    /// The minimum and the maximum of all positions, computed from the positions and not taken from
    /// metadata in the file.
    Bounds,
}

pub type Answer = Vec<[f32; 3]>;
pub type Held = Box<dyn Any>;

/// A loader.
pub struct Loader {
    pub name: &'static str,
    /// A note about its figures.
    pub note: &'static str,
    /// The extension of the file that it reads.
    pub reads: &'static str,
    pub version: fn() -> String,
    /// Opens the file and answers the question. The returned `Held` has everything that the loader
    /// allocated, because dropping it is not measured.
    pub answer: fn(&Files, Question) -> (Answer, Held),
}

fn main() {
    let millions = std::env::args().skip_while(|argument| argument != "--millions").nth(1);
    let millions = millions.map_or(1, |millions| millions.parse().expect("--millions takes a number"));
    let files = Files::write(millions);
    let formats = [&loaders::MESHPEEK, &loaders::COPYING, &loaders::GLTF, &loaders::GLTF_MAPPED, &loaders::SAFETENSORS];
    ask(&files, ROUNDS[0], Question::FirstVertex, formats);
    ask(&files, ROUNDS[0], Question::Bounds, formats);
    let trees = [&loaders::MESHPEEK, &loaders::PARRY3D, &loaders::OBVHS];
    ask(&files, ROUNDS[1], Question::FirstTriangle, trees);
    ask(&files, ROUNDS[1], Question::Bounds, trees);
}

/// Runs meshpeek, which comes first, and its competitors in turn, and prints a line for each
/// competitor.
fn ask<const N: usize>(files: &Files, rounds: usize, question: Question, loaders: [&'static Loader; N]) {
    let contestants = loaders.map(|loader| Contestant::new(loader.name, move || (loader.answer)(files, question)));
    claims::race(1, &contestants);
    let times = claims::race(rounds, &contestants);
    for (loader, Series(theirs)) in loaders.iter().zip(&times).skip(1) {
        let megabytes = fs::metadata(files.path(loader.reads)).unwrap().len() as f64 / 1e6;
        let figure = Figure {
            format: loader.reads.into(),
            mesh: format!("{:.2} million triangles, {megabytes:.1} MB", files.triangles as f64 / 1e6),
            question: question.text().into(),
            competitor: loader.name.into(),
            version: (loader.version)(),
            note: Some(loader.note.into()),
            ..Figure::new(&times[0].0, theirs)
        };
        println!("{}", serde_json::to_string(&figure).unwrap());
    }
}

impl Question {
    const fn text(self) -> &'static str {
        match self {
            Self::FirstVertex => "open to the first vertex",
            Self::FirstTriangle => "open to the first triangle",
            Self::Bounds => "open to the box around all positions",
        }
    }
}

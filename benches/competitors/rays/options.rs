//! The options of this bench.

use std::path::PathBuf;

/// The options, as they are given after `cargo bench --bench rays --`.
pub struct Options {
    /// The names of generated meshes, which have about `millions` million triangles each, and the
    /// paths of files, of which `copies` copies are made.
    pub meshes: Vec<String>,
    pub millions: f64,
    pub copies: usize,
    /// Whether the triangles of each mesh are in random order.
    pub shuffled: bool,
    /// The number of rounds, if it is not the default.
    pub rounds: Option<usize>,
    /// If this is not empty, only contestants whose names contain one of these words are measured.
    pub only: Vec<String>,
    /// The shared libraries of Embree. The first is the reference.
    pub embree: Vec<PathBuf>,
    /// The number of rays that are also tested against every triangle.
    pub exact: usize,
}

impl Options {
    /// Reads the options of this process. Options that `cargo bench` adds are ignored. `testing` is
    /// whether the bench runs as a test, on small meshes.
    pub fn new(testing: bool) -> Self {
        let (millions, exact) = if testing { (0.02, 50) } else { (1.0, 200) };
        let mut options = Self {
            meshes: words("sphere,shells,soup"),
            millions,
            copies: 1,
            shuffled: false,
            rounds: None,
            only: Vec::new(),
            embree: Vec::new(),
            exact,
        };
        let mut arguments = std::env::args().skip(1);
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().unwrap_or_else(|| panic!("{argument} needs a value"));
            match argument.as_str() {
                "--meshes" => options.meshes = words(&value()),
                "--millions" => options.millions = number(&value()),
                "--shuffled" => options.shuffled = true,
                "--mesh" => options.meshes = vec![value()],
                "--copies" => options.copies = number(&value()),
                "--rounds" => options.rounds = Some(number(&value())),
                "--only" => options.only = words(&value()),
                "--embree" => options.embree.push(value().into()),
                "--exact" => options.exact = number(&value()),
                "--bench" | "--test" => {}
                other => panic!("{other} is no option of this bench"),
            }
        }
        options
    }

    /// Returns whether the contestant with this name takes part.
    pub fn takes(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|word| name.contains(word.as_str()))
    }
}

fn words(list: &str) -> Vec<String> {
    list.split(',').map(String::from).collect()
}

fn number<N: std::str::FromStr>(text: &str) -> N {
    text.parse().unwrap_or_else(|_| panic!("{text} is no number"))
}

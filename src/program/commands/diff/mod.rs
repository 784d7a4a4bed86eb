//! `diff`: lists the differences between two meshes, of the same format or of two formats.

mod arrays;
mod bones;
mod both;
mod comparison;
mod contents;
mod difference;
mod folders;
mod git;
mod items;
mod options;
mod pairing;
mod pose_runs;
mod regions;
mod report;
mod side;
mod sink;
mod surfaces;
mod value;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;

use crate::program::args::{Global, STDIN, WalkArgs};
use crate::program::outcome::{Outcome, usage};
use crate::program::output::{counted, print_document, progress};

use both::Both;
use options::DiffOptions;
use report::{DiffDetail, print_text, write_json};
use side::DiffSide;

/// The number of differences of one kind that are listed without `--verbose`.
const MAX_LISTED: u64 = 100;

const USAGE: &str = "\
meshpeek diff [OPTIONS] A B
       meshpeek diff [OPTIONS] --git PATH OLD OLD-HEX OLD-MODE NEW NEW-HEX NEW-MODE";

const HELP: &str = "\
Compares values, not bytes: a value that is stored in another way is no difference, unless --bytes is given. Surfaces, bones and clips \
are paired by name if the name occurs once in each mesh, and the others by number.

`git config diff.meshpeek.command 'meshpeek diff --git'` makes it the diff driver of Git for files with the attribute diff=meshpeek.

The exit code is 0 if the values are equal, 1 if they differ, 2 for a wrong command line, 3 if a file could not be read.

Examples:
  meshpeek diff data/unigine/cube_ms12.mesh data/unigine/cube_ms13.mesh
  meshpeek diff data/unigine/cube_ms13.mesh data/unigine/morph_ms13.mesh --only counts,bounds
  meshpeek diff data/unigine/skinned_ms10.mesh data/unigine/skinned_ms12.mesh --epsilon 0.01 --json
  meshpeek diff data/unigine/cube_ms14.mesh data/unigine/cube_ms14_raw.mesh --bytes";

#[derive(Debug, Args)]
#[command(after_help = HELP, override_usage = USAGE)]
pub struct DiffArgs {
    /// The two files or folders to compare; one of the files may be - for standard input
    ///
    /// An Unreal mesh is named by either of its files, their stem or its script. Files in folders
    /// are paired by their path in the folder.
    #[arg(required = true, num_args = 1..=9, value_name = "A B")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    walk: WalkArgs,
    #[command(flatten)]
    options: DiffOptions,
    /// Take the arguments with which Git calls an external diff program, and exit with 0
    #[arg(long, conflicts_with_all = ["json", "brief"])]
    git: bool,
}

impl DiffArgs {
    pub fn run(&self, global: &Global) -> anyhow::Result<Outcome> {
        if self.git {
            return git::run(&self.files, &self.options(global), global);
        }
        let [a, b] = self.files.as_slice() else {
            usage!("expected two files or two folders, found {}", counted(self.files.len(), "path"));
        };
        let paths: Both<&Path> = Both::new(a, b);
        match (a.is_dir(), b.is_dir()) {
            (true, true) => folders::run(paths, &self.walk, &self.options(global), self.detail(global), global),
            (false, false) => self.compare_files(paths, global),
            _ => usage!("expected two files or two folders, found a file and a folder"),
        }
    }

    fn compare_files(&self, paths: Both<&Path>, global: &Global) -> anyhow::Result<Outcome> {
        if paths.a == Path::new(STDIN) && paths.b == Path::new(STDIN) {
            usage!("expected standard input (-) at most once, found it twice");
        }
        let a = DiffSide::open(paths.a, paths.a, global)?;
        let b = DiffSide::open(paths.b, paths.b, global)?;
        let (sides, options) = (Both::new(&a, &b), self.options(global));
        if global.json {
            return print_document(|out| write_json(sides, &options, out));
        }
        let mut out = io::BufWriter::new(anstream::stdout().lock());
        progress::end();
        let outcome = print_text(sides, &options, self.detail(global), &mut out);
        out.flush()?;
        outcome
    }

    fn options(&self, global: &Global) -> DiffOptions {
        DiffOptions {
            brief: !global.json && (self.options.brief || global.quiet),
            max_listed: if global.verbose { u64::MAX } else { MAX_LISTED },
            ..self.options.clone()
        }
    }

    const fn detail(&self, global: &Global) -> DiffDetail {
        match (global.quiet, self.options.brief) {
            (true, _) => DiffDetail::Nothing,
            (_, true) => DiffDetail::Line,
            _ => DiffDetail::Full,
        }
    }
}

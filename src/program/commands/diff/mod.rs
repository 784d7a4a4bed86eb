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

use crate::program::args::{Global, STDIN, WalkArgs, parse_number};
use crate::program::formats::{LodFilter, filter_parser};
use crate::program::outcome::{Outcome, usage};
use crate::program::output::{JsonWriter, counted, progress};

use both::Both;
use options::{DiffKind, DiffOptions, ItemOrder, Tolerance};
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
    /// Greatest absolute difference of two floats that count as equal
    #[arg(long, value_name = "E", default_value = "0", value_parser = parse_tolerance)]
    epsilon: f64,
    /// Greatest difference of two floats that count as equal, relative to the greater magnitude
    #[arg(long, value_name = "R", default_value = "0", value_parser = parse_tolerance)]
    relative: f64,
    /// Kinds of differences to search; all but bytes by default
    #[arg(long, value_name = "KIND", value_enum, value_delimiter = ',')]
    only: Vec<DiffKind>,
    /// Also compare formats, versions, and the bytes of the regions that `map` lists
    #[arg(long)]
    bytes: bool,
    /// Print one line if the meshes differ, and stop at the first difference
    #[arg(long)]
    brief: bool,
    /// Order in which the values of two surfaces are paired
    #[arg(long, value_enum, value_name = "ORDER")]
    by: Option<ItemOrder>,
    /// Level of detail to compare; all by default, and `none` inflates no level
    #[arg(long, value_parser = filter_parser(), default_value = "all", help_heading = "Second Life meshes")]
    lod: LodFilter,
    /// Number of the only asset of an .slm container to compare, from 0
    #[arg(long, value_name = "N", help_heading = "Second Life meshes")]
    asset: Option<usize>,
    /// Take the arguments with which Git calls an external diff program, and exit with 0
    #[arg(long, conflicts_with_all = ["json", "brief"])]
    git: bool,
}

/// Parses a number that is not negative.
fn parse_tolerance(text: &str) -> Result<f64, String> {
    parse_number(text, |number: &f64| number.is_finite() && *number >= 0.0, "expected a finite number, 0 or more")
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
            return print_document(sides, &options);
        }
        let mut out = io::BufWriter::new(anstream::stdout().lock());
        progress::end();
        let outcome = print_text(sides, &options, self.detail(global), &mut out);
        out.flush()?;
        outcome
    }

    fn options(&self, global: &Global) -> DiffOptions {
        DiffOptions {
            tolerance: Tolerance { absolute: self.epsilon, relative: self.relative },
            only: self.only.clone(),
            bytes: self.bytes,
            order: self.by,
            lod: self.lod,
            asset: self.asset,
            is_brief: !global.json && (self.brief || global.quiet),
            max_listed: if global.verbose { u64::MAX } else { MAX_LISTED },
        }
    }

    const fn detail(&self, global: &Global) -> DiffDetail {
        match (global.quiet, self.brief) {
            (true, _) => DiffDetail::Nothing,
            (_, true) => DiffDetail::Line,
            _ => DiffDetail::Full,
        }
    }
}

/// Prints the JSON document about two meshes.
fn print_document(sides: Both<&DiffSide>, options: &DiffOptions) -> anyhow::Result<Outcome> {
    let mut stdout = io::BufWriter::new(io::stdout().lock());
    let mut out = JsonWriter::indented(&mut stdout);
    out.start()?;
    let outcome = write_json(sides, options, &mut out)?;
    out.end()?;
    Ok(outcome)
}

//! The command line of meshpeek: arguments, verbs, exit codes.

mod bench;
mod dump;
mod expand;
mod ezmesh;
mod facts;
mod index;
mod info;
mod input;
mod lod;
mod map;
mod opened;
mod output;
mod pages;
mod pose;
mod query;
mod rewrite;
mod secondlife;
mod staged;
mod unigine;
mod unreal;
mod validate;
mod values;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, CommandFactory as _, Parser, Subcommand};

use output::Outcome;

const EXAMPLES: &str = "\
Examples:
  meshpeek info model.mesh                     what is in it
  meshpeek info assets --json                  every mesh in a folder, for a script
  meshpeek map model.mesh --at 4711            what the byte at offset 4711 is
  meshpeek validate 'assets/**/*.mesh'         findings, by rule
  meshpeek dump model.mesh --attribute uv0 --range 0..10
  meshpeek dump Models/box --frame 7           a vertex frame of Models/box_d.3d and Models/box_a.3d
  meshpeek rewrite model.mesh -o again.mesh    through reader and writer
  meshpeek info tree.llmesh --lod all          every level of detail of a Second Life mesh
  meshpeek lod tree.llmesh --lod low -o t.llmesh
  meshpeek query city.mesh ray --from 0,0,99 --toward 0,0,0
  meshpeek index huge.mesh                     so that its last surface is found at once
  meshpeek bench model.mesh                    against a loader that copies, on this machine

Exit codes:
  0  fine, findings of severity info included
  1  findings of severity warning or error
  2  the command line is wrong
  3  a file could not be read or written
With several files, all are tried and the highest code wins.";

/// The heading above the options that every verb takes.
const EVERYWHERE: &str = "Everywhere";

/// Looks into game mesh files: maps them, and reads only what it is asked for.
#[derive(Debug, Parser)]
#[command(name = "meshpeek", version, after_help = EXAMPLES, arg_required_else_help = true)]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    verb: Verb,
}

/// What every verb takes.
#[allow(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
#[derive(Clone, Debug, Args)]
struct Global {
    /// Print JSON (schema 1, described in the README) on standard output
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    json: bool,
    /// Print neither notes nor progress; validate prints warnings and errors only
    #[arg(short, long, global = true, help_heading = EVERYWHERE)]
    quiet: bool,
    /// Print more: every surface and bone, sound files, and what was passed over in folders
    #[arg(short, long, global = true, help_heading = EVERYWHERE, conflicts_with = "quiet")]
    verbose: bool,
    /// Read files into memory instead of mapping them
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    no_mmap: bool,
    /// Ignore the sidecars that index made
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    no_sidecar: bool,
    /// Refuse what is not exactly as the format says: sizes, indices and prototypes of Unreal meshes, EZ-Mesh blocks with more
    /// numbers than they count
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    strict: bool,
    #[command(flatten)]
    unreal: Unreal,
}

/// What every verb takes for the sake of Unreal's vertex meshes.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Unreal vertex meshes")]
struct Unreal {
    /// The mesh of that name, where a script imports several
    #[arg(long, global = true, value_name = "NAME")]
    mesh: Option<String>,
    /// What a byte of texture coordinates is divided by: 255 as most readers do, 256 as the published page says
    #[arg(long, global = true, default_value = "255", value_parser = ["255", "256"], value_name = "N")]
    uv_divisor: String,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// What is in a file: format, bounds, surfaces, bones, clips, and how many bytes were looked at to know it
    Info(info::Info),
    /// Every byte range of a file with its name, type, count and alignment; or what one byte is
    Map(map::Map),
    /// Findings by stable rule id
    Validate(validate::Validate),
    /// Decoded values of one attribute
    Dump(dump::Dump),
    /// Reads and writes a file in the same format again, and says what changed
    Rewrite(rewrite::Rewrite),
    /// One level of detail of a Second Life mesh as a file of its own
    Lod(lod::Lod),
    /// Asks surfaces at random: rays, nearest points, regions, neighbours
    Query(query::Query),
    /// Builds the sidecar of a file, through which dump and query find things without a walk; or removes it
    Index(index::Index),
    /// meshpeek against a loader that copies, on this machine: on a file, or on meshes that it makes
    Bench(bench::Bench),
    /// Prints the completions for a shell
    Completions(pages::Completions),
    /// Prints the manual page, of the whole or of one verb
    Man(pages::Man),
}

/// Files to read.
#[derive(Clone, Debug, Args)]
struct Files {
    /// Files, folders (searched for meshes), globs, or - for standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// A file to read.
#[derive(Clone, Debug, Args)]
struct OneFile {
    /// A file (of an Unreal mesh either file, its stem or its script), or - for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

fn main() -> ExitCode {
    let Cli { global, verb } = Cli::parse();
    let done = match verb {
        Verb::Info(info) => info.run(&global),
        Verb::Map(map) => map.run(&global),
        Verb::Validate(validate) => validate.run(&global),
        Verb::Dump(dump) => dump.run(&global),
        Verb::Rewrite(rewrite) => rewrite.run(&global),
        Verb::Lod(lod) => lod.run(&global),
        Verb::Query(query) => query.run(&global),
        Verb::Index(index) => index.run(&global),
        Verb::Bench(bench) => bench.run(&global),
        Verb::Completions(completions) => completions.run(Cli::command()),
        Verb::Man(man) => man.run(Cli::command()),
    };
    done.unwrap_or_else(|error| output::report(&error, &global)).into()
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        Self::from(match outcome {
            Outcome::Fine => 0,
            Outcome::Findings => 1,
            Outcome::Usage => 2,
            Outcome::Unreadable => 3,
            Outcome::PipeClosed => 141,
        })
    }
}

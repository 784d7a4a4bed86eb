//! The command line of meshpeek: verbs and their dispatch.

mod args;
mod atomic_write;
mod bench;
mod commands;
mod formats;
mod input;
mod outcome;
mod render;

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser, Subcommand};

use args::Global;
use render::report::report;

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

/// Looks into game mesh files: maps them, and reads only what it is asked for.
#[derive(Debug, Parser)]
#[command(name = "meshpeek", version, after_help = EXAMPLES, arg_required_else_help = true)]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    verb: ProgramVerb,
}

#[derive(Debug, Subcommand)]
enum ProgramVerb {
    /// What is in a file: format, bounds, surfaces, bones, clips, and how many bytes were looked at to know it
    Info(commands::info::InfoArgs),
    /// Every byte range of a file with its name, type, count and alignment; or what one byte is
    Map(commands::map::MapArgs),
    /// Findings by stable rule id
    Validate(commands::validate::ValidateArgs),
    /// Decoded values of one attribute
    Dump(commands::dump::DumpArgs),
    /// Reads and writes a file in the same format again, and says what changed
    Rewrite(commands::rewrite::RewriteArgs),
    /// One level of detail of a Second Life mesh as a file of its own
    Lod(commands::lod::LodArgs),
    /// Asks surfaces at random: rays, nearest points, regions, neighbours
    Query(commands::query::QueryArgs),
    /// Builds the sidecar of a file, through which dump and query find things without a walk; or removes it
    Index(commands::index::IndexArgs),
    /// meshpeek against a loader that copies, on this machine: on a file, or on meshes that it makes
    Bench(commands::bench::BenchArgs),
    /// Prints the completions for a shell
    Completions(commands::manual::CompletionsArgs),
    /// Prints the manual page, of the whole or of one verb
    Man(commands::manual::ManArgs),
}

fn main() -> ExitCode {
    let Cli { global, verb } = Cli::parse();
    let done = match verb {
        ProgramVerb::Info(info) => info.run(&global),
        ProgramVerb::Map(map) => map.run(&global),
        ProgramVerb::Validate(validate) => validate.run(&global),
        ProgramVerb::Dump(dump) => dump.run(&global),
        ProgramVerb::Rewrite(rewrite) => rewrite.run(&global),
        ProgramVerb::Lod(lod) => lod.run(&global),
        ProgramVerb::Query(query) => query.run(&global),
        ProgramVerb::Index(index) => index.run(&global),
        ProgramVerb::Bench(bench) => bench.run(&global),
        ProgramVerb::Completions(completions) => completions.run(Cli::command()),
        ProgramVerb::Man(man) => man.run(Cli::command()),
    };
    done.unwrap_or_else(|error| report(&error, &global)).into()
}

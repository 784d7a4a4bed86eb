//! The command line program meshpeek: it parses the command line and calls the chosen verb
//! (subcommand).

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
  meshpeek info model.mesh                     format, bounds, surfaces, bones and clips
  meshpeek info assets --json                  every mesh in a folder, as JSON
  meshpeek map model.mesh --at 4711            the meaning of the byte at offset 4711
  meshpeek validate 'assets/**/*.mesh'         findings, by rule
  meshpeek dump model.mesh --attribute uv0 --range 0..10
  meshpeek dump Models/box --frame 7           a vertex frame of Models/box_d.3d and Models/box_a.3d
  meshpeek rewrite model.mesh -o again.mesh    read the file and write it again
  meshpeek info tree.llmesh --lod all          every level of detail of a Second Life mesh
  meshpeek lod tree.llmesh --lod low -o t.llmesh
  meshpeek convert guard_d.3d -o guard.glb     glTF, OBJ, PLY, STL, EZ-Mesh or JSON
  meshpeek query city.mesh ray --from 0,0,99 --toward 0,0,0
  meshpeek diff old.mesh new.mesh              differing counts, names, values and findings
  meshpeek index huge.mesh                     a sidecar, which makes dump and query faster
  meshpeek bench model.mesh                    compared with a loader that copies

Exit codes:
  0  success; findings of severity info included
  1  findings of severity warning or error; for diff, a difference
  2  the command line is wrong
  3  a file could not be read or written
With several files, all of them are processed, and the highest exit code is returned.";

/// Inspect game mesh files: map them into memory, and read only the bytes that a command needs
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
    /// Describe files: format, bounds, surfaces, bones, clips, and how many bytes were read
    Info(commands::info::InfoArgs),
    /// List every byte range of a file with its name, type, count and alignment, or explain one
    /// byte
    Map(commands::map::MapArgs),
    /// Check every value in files, and print findings with stable rule ids
    Validate(commands::validate::ValidateArgs),
    /// Print the decoded values of one attribute of a surface, or the pose of the bones at a frame
    Dump(commands::dump::DumpArgs),
    /// Read a file, write it again in the same format, and report the changes
    Rewrite(commands::rewrite::RewriteArgs),
    /// Write one level of detail of a Second Life mesh to a new file
    Lod(commands::lod::LodArgs),
    /// Write meshes in the formats of other programs: glTF, OBJ, PLY, STL, EZ-Mesh, JSON
    Convert(commands::convert::ConvertArgs),
    /// Query surfaces: cast rays, find nearest points, triangles in a region, neighbours of a
    /// vertex
    Query(commands::query::QueryArgs),
    /// List the differences between two meshes, of the same format or of two formats
    Diff(commands::diff::DiffArgs),
    /// Build the sidecar of a file, which makes dump and query faster, or remove it
    Index(commands::index::IndexArgs),
    /// Compare the speed of meshpeek and of a loader that copies, on a file or on generated meshes
    Bench(commands::bench::BenchArgs),
    /// Print the completion script for a shell
    Completions(commands::manual::CompletionsArgs),
    /// Print the manual page of meshpeek or of one verb
    Man(commands::manual::ManArgs),
}

/// Runs the program with the command line of the process, and returns its exit code.
#[must_use]
pub fn run() -> ExitCode {
    atomic_write::interrupt::survive_file_size_limit();
    // Without the guard, only a file that is shortened while it is read ends the program.
    let _ = crate::io::guard::install();
    let Cli { global, verb } = Cli::parse();
    let done = match verb {
        ProgramVerb::Info(info) => info.run(&global),
        ProgramVerb::Map(map) => map.run(&global),
        ProgramVerb::Validate(validate) => validate.run(&global),
        ProgramVerb::Dump(dump) => dump.run(&global),
        ProgramVerb::Rewrite(rewrite) => rewrite.run(&global),
        ProgramVerb::Lod(lod) => lod.run(&global),
        ProgramVerb::Convert(convert) => convert.run(&global),
        ProgramVerb::Query(query) => query.run(&global),
        ProgramVerb::Diff(diff) => diff.run(&global),
        ProgramVerb::Index(index) => index.run(&global),
        ProgramVerb::Bench(bench) => bench.run(&global),
        ProgramVerb::Completions(completions) => completions.run(Cli::command()),
        ProgramVerb::Man(man) => man.run(Cli::command()),
    };
    done.unwrap_or_else(|error| report(&error, &global)).into()
}

//! The command line program meshpeek: it parses the command line and calls the chosen verb
//! (subcommand).

mod args;
mod atomic_write;
mod bench;
mod command_line;
mod commands;
mod describe;
mod formats;
mod help;
mod input;
mod outcome;
mod output;
mod picture;
mod terminal;
mod threads;

use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

#[cfg(feature = "internals")]
pub use input::registered::register_format;

use args::Global;
use input::paths::add_listed;
use output::report;

const USAGE: &str = "\
meshpeek [OPTIONS] <COMMAND>
       meshpeek [OPTIONS] <FILE>...    as `meshpeek info`";

const EXAMPLES: &str = "\
Examples:
  meshpeek data/unigine/skinned_ms12.mesh             size, surfaces, bones, clips
  meshpeek ls data --sort -triangles                  a table of all meshes in a folder
  meshpeek validate 'data/**/*.mesh'                  findings, by rule
  meshpeek dump data/ezmesh/flag.ezm -o flag.npz      arrays for NumPy
  meshpeek convert data/unreal/guard -o guard.glb     glTF, OBJ, PLY, STL, EZ-Mesh or JSON
  meshpeek view data -o sheet.png                     a picture of each mesh, with captions
  meshpeek map data/unigine/cube_ms13.mesh --at 200   the meaning of the byte at offset 200
  meshpeek query data/unigine/cube_ms13.mesh ray --from 0.1,0.2,9 --toward 0.1,0.2,0

Exit codes:
  0  success
  1  findings of severity warning or error (validate), a row that meets a condition (ls --fail-if),
     or a difference (diff)
  2  the command line is wrong
  3  a file could not be read or written
With several files, all of them are processed, and the highest exit code is returned.
`meshpeek VERB --help` and `meshpeek man VERB` have the options of a verb.";

/// Inspect game mesh files: map them into memory, and read only the bytes that a command needs
#[derive(Debug, Parser)]
#[command(name = "meshpeek", version, override_usage = USAGE, after_help = EXAMPLES, arg_required_else_help = true, args_override_self = true)]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    verb: ProgramVerb,
}

#[derive(Debug, Subcommand)]
enum ProgramVerb {
    /// Describe files: size, triangles, vertices, surfaces, bones, materials and clips
    Info(commands::info::InfoArgs),
    /// List the meshes of folders in a table: sort, filter, count, find duplicates
    Ls(commands::ls::LsArgs),
    /// List every byte range of a file, explain one byte, or show what takes the bytes
    Map(commands::map::MapArgs),
    /// Check every value in files, and print findings with stable rule ids
    Validate(commands::validate::ValidateArgs),
    /// Print the decoded values of one attribute of a surface or the pose of the bones at a frame,
    /// or write arrays to a file .npy, .npz or .csv
    Dump(commands::dump::DumpArgs),
    /// Read a file, write it again in the same format, and report the changes
    Rewrite(commands::rewrite::RewriteArgs),
    /// Write one level of detail of a Second Life mesh to a new file
    Lod(commands::lod::LodArgs),
    /// Write meshes in the formats of other programs: glTF, OBJ, PLY, STL, EZ-Mesh, JSON
    Convert(commands::convert::ConvertArgs),
    /// Draw meshes: a picture, a contact sheet of a folder, or a view in the terminal
    View(commands::view::ViewArgs),
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
    let mut command = Cli::command();
    let arguments = command_line::with_verb(&command, std::env::args_os().collect());
    let arguments = command_line::with_negative_numbers(&command, arguments);
    let parsed = command.try_get_matches_from_mut(&arguments).map_err(|error| {
        // The texts of all verbs are made only if help is requested, because that takes time.
        let is_help =
            matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand);
        let with_help = || help::with_help(Cli::command()).try_get_matches_from(&arguments).err();
        if is_help { with_help().unwrap_or(error) } else { error }
    });
    let Cli { global, mut verb } = match parsed.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(parsed) => parsed,
        Err(error) => return command_line::report(error, &command, &arguments).into(),
    };
    global.color.write_global();
    if let Some(jobs) = global.jobs {
        threads::set_count(jobs);
    }
    if let Err(error) = verb.add_listed_files() {
        return report(&error, &global).into();
    }
    let done = match verb {
        ProgramVerb::Info(info) => info.run(&global),
        ProgramVerb::Ls(ls) => ls.run(&global),
        ProgramVerb::Map(map) => map.run(&global),
        ProgramVerb::Validate(validate) => validate.run(&global),
        ProgramVerb::Dump(dump) => dump.run(&global),
        ProgramVerb::Rewrite(rewrite) => rewrite.run(&global),
        ProgramVerb::Lod(lod) => lod.run(&global),
        ProgramVerb::Convert(convert) => convert.run(&global),
        ProgramVerb::View(view) => view.run(&global),
        ProgramVerb::Query(query) => query.run(&global),
        ProgramVerb::Diff(diff) => diff.run(&global),
        ProgramVerb::Index(index) => index.run(&global),
        ProgramVerb::Bench(bench) => bench.run(&global),
        ProgramVerb::Completions(completions) => completions.run(Cli::command()),
        ProgramVerb::Man(man) => man.run(help::with_help(Cli::command())),
    };
    done.unwrap_or_else(|error| report(&error, &global)).into()
}

impl ProgramVerb {
    /// Adds the files of the list of `--files-from` to those of the command line.
    fn add_listed_files(&mut self) -> anyhow::Result<()> {
        let files = match self {
            Self::Ls(ls) => return ls.add_files(),
            Self::Validate(validate) => &mut validate.files,
            Self::Info(info) => &mut info.files,
            Self::Convert(convert) => &mut convert.files,
            Self::View(view) => &mut view.files,
            Self::Index(index) => &mut index.files,
            _ => return Ok(()),
        };
        add_listed(&mut files.files, &files.list)
    }
}

//! Command line arguments that several verbs (subcommands) share.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anstream::ColorChoice;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use ignore::overrides::{Override, OverrideBuilder};

use crate::scene::{ColorUse, NormalChoice};

/// The path that means standard input or standard output.
pub const STDIN: &str = "-";

/// The heading of the section of a help text that lists the options of every verb.
const EVERYWHERE: &str = "Options of every verb";

/// The heading of the options that apply to Unreal vertex meshes only.
const UNREAL: &str = "Unreal vertex meshes";

/// The heading of the options for folders.
const FOLDERS: &str = "Folders and glob patterns";

/// The options that every verb accepts.
#[allow(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
#[derive(Clone, Debug, Args)]
pub struct Global {
    /// Print JSON on standard output (schema 1, described in src/guide/json.md)
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    pub json: bool,
    /// Print no notes and no progress; validate prints only warnings and errors
    #[arg(short, long, global = true, help_heading = EVERYWHERE)]
    pub quiet: bool,
    /// Print more: all surfaces, bones and clips, the sidecar in use, and the number of files
    /// skipped in folders
    #[arg(short, long, global = true, help_heading = EVERYWHERE, conflicts_with = "quiet")]
    pub verbose: bool,
    /// When to colour the output: `auto` colours it on a terminal, unless `NO_COLOR` is set
    #[arg(long, global = true, help_heading = EVERYWHERE, value_name = "WHEN", default_value = "auto",
          value_parser = color_parser())]
    pub color: ColorChoice,
    /// Read files into memory instead of mapping them
    ///
    /// Files above 1 MiB are mapped by default. Use this option if another program may change or
    /// shorten the file during the command.
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    pub no_mmap: bool,
    /// Ignore the sidecars that `meshpeek index` wrote
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    pub no_sidecar: bool,
    /// Refuse files that differ from the format in ways that are only findings otherwise
    ///
    /// These are wrong sizes, indices and prototypes of Unreal meshes, and EZ-Mesh blocks with more
    /// numbers than they declare.
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    pub strict: bool,
    /// Number of threads that work at the same time; that of the processors by default
    #[arg(long, global = true, help_heading = EVERYWHERE, value_name = "N",
          value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
    /// The name of the mesh to open, if a script imports several
    ///
    /// Case does not matter. Example: --mesh Ball
    #[arg(long, global = true, help_heading = UNREAL, value_name = "NAME")]
    pub mesh: Option<String>,
    /// The divisor for a stored byte of a texture coordinate: 255 as in most readers, or 256 as in
    /// the published specification
    #[arg(long, global = true, help_heading = UNREAL, default_value = "255", value_parser = ["255", "256"],
          value_name = "N")]
    pub uv_divisor: String,
}

/// Files to read.
#[allow(clippy::struct_field_names, reason = "the other fields are about the files, too")]
#[derive(Clone, Debug, Args)]
pub struct Files {
    /// Files, folders (searched for meshes), glob patterns, or - for standard input
    #[arg(required_unless_present = "files_from", value_name = "FILE")]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub list: ListArgs,
    /// Leave out meshes that do not meet a condition of `ls`, such as 'triangles > 50k && rigged'
    #[arg(short = 'w', long = "where", value_name = "CONDITION")]
    pub condition: Option<String>,
    #[command(flatten)]
    pub walk: WalkArgs,
}

/// The option with a list of files.
#[derive(Clone, Debug, Default, Args)]
pub struct ListArgs {
    /// Also read the files whose paths this file lists, one in a line or each ended by a NUL; - is
    /// standard input
    #[arg(long, value_name = "LIST")]
    pub files_from: Option<PathBuf>,
}

/// The options that choose which files of a folder are read.
#[derive(Clone, Debug, Default, Args)]
pub struct WalkArgs {
    /// Also read hidden files and folders, whose names start with a dot
    #[arg(long, help_heading = FOLDERS)]
    pub hidden: bool,
    /// Also read files that `.gitignore`, `.ignore` and the exclude files of Git name
    #[arg(long, help_heading = FOLDERS)]
    pub no_ignore: bool,
    /// Leave out files and folders that match a pattern of `.gitignore`, such as 'old/**'; may be
    /// given several times
    #[arg(long, help_heading = FOLDERS, value_name = "GLOB", value_parser = parse_exclusion)]
    pub exclude: Vec<String>,
}

/// The option that runs a command again when a file changes.
#[derive(Clone, Copy, Debug, Args)]
pub struct WatchArgs {
    /// Run again whenever a file changes, until Ctrl-C
    #[arg(long)]
    pub watch: bool,
}

/// A file to read.
#[derive(Clone, Debug, Args)]
pub struct OneFile {
    /// A file, or - for standard input; for an Unreal mesh, either of its files, their stem or the
    /// script
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
}

impl WalkArgs {
    /// Compiles the patterns of `--exclude` for the files below a folder.
    pub fn exclusions(&self, folder: &Path) -> Result<Override, String> {
        exclusions(folder, &self.exclude)
    }
}

fn exclusions(folder: &Path, exclude: &[String]) -> Result<Override, String> {
    let invalid = |error: ignore::Error| format!("{error}; give a pattern such as 'old/**'");
    let mut patterns = OverrideBuilder::new(folder);
    for pattern in exclude {
        // In the syntax of overrides, a pattern without the mark chooses the files that are kept.
        patterns.add(&format!("!{pattern}")).map_err(invalid)?;
    }
    patterns.build().map_err(invalid)
}

/// Tests a pattern of `--exclude`.
fn parse_exclusion(text: &str) -> Result<String, String> {
    let pattern = text.to_owned();
    exclusions(Path::new(""), std::slice::from_ref(&pattern)).map(|_| pattern)
}

/// Parses the value of `--color`.
fn color_parser() -> impl TypedValueParser<Value = ColorChoice> {
    named_values(vec![
        (ColorChoice::Auto, "auto", "On a terminal, unless `NO_COLOR` is set"),
        (ColorChoice::Always, "always", "Always"),
        (ColorChoice::Never, "never", "Never"),
    ])
}

/// Parses the names of values of an option. Each value has a name and a description.
pub fn named_values<T: Copy + Send + Sync + 'static>(
    all: Vec<(T, &'static str, &'static str)>,
) -> impl TypedValueParser<Value = T> {
    possible_values(all.into_iter().map(|(value, name, help)| (value, PossibleValue::new(name).help(help))).collect())
}

/// Parses the value of `--colors`.
pub fn colors_parser() -> impl TypedValueParser<Value = ColorUse> {
    named_values(vec![
        (ColorUse::Albedo, "albedo", "Colours to draw; COLOR_0 in glTF"),
        (ColorUse::Data, "data", "Data that is not drawn; _COLOR_0 in glTF"),
        (ColorUse::Nothing, "none", "Nothing: they are left out"),
    ])
}

/// Parses the names and aliases of values of an option.
pub fn possible_values<T: Copy + Send + Sync + 'static>(
    all: Vec<(T, PossibleValue)>,
) -> impl TypedValueParser<Value = T> {
    let names: Vec<PossibleValue> = all.iter().map(|(_, name)| name.clone()).collect();
    PossibleValuesParser::new(names).try_map(move |text| {
        let found = all.iter().find(|(_, name)| name.matches(&text, false));
        found.map(|(value, _)| *value).ok_or("expected a name of the list")
    })
}

/// The index of a frame, which may have a fraction, with its text on the command line. An error
/// message contains the text, because `f32` rounds large numbers.
#[derive(Clone, Debug)]
pub struct FrameIndex {
    pub value: f32,
    text: String,
}

impl Default for FrameIndex {
    fn default() -> Self {
        Self { value: 0.0, text: "0".to_owned() }
    }
}

impl fmt::Display for FrameIndex {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.text)
    }
}

/// Returns the name of a value on the command line, such as `positions`.
pub fn value_name(value: &impl ValueEnum) -> String {
    value.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

/// Parses the index of a frame.
pub fn parse_frame_index(text: &str) -> Result<FrameIndex, String> {
    parse_frame(text).map(|value| FrameIndex { value, text: text.to_owned() })
}

/// Parses the frame index of an animation. The index may have a fraction, such as 2.5 for the
/// middle between the frames 2 and 3.
pub fn parse_frame(text: &str) -> Result<f32, String> {
    parse_number(text, |frame: &f32| frame.is_finite() && *frame >= 0.0, "expected 0 or more")
}

/// Parses a number, or returns the text `expected` if it does not fit.
pub fn parse_number<T: FromStr<Err: fmt::Display>>(
    text: &str,
    fits: impl FnOnce(&T) -> bool,
    expected: &str,
) -> Result<T, String> {
    let number = text.parse().map_err(|error: T::Err| error.to_string())?;
    if fits(&number) { Ok(number) } else { Err(expected.to_owned()) }
}

/// Returns whether files on the command line may be several meshes.
pub fn has_several(files: &[PathBuf]) -> bool {
    let is_pattern = |path: &PathBuf| !path.exists() && path.to_string_lossy().contains(['*', '?', '[']);
    files.len() > 1 || files.iter().any(|path| path.is_dir() || is_pattern(path))
}

/// Returns the first option that is set, of options with whether each is set.
pub fn first_set(options: &[(bool, &'static str)]) -> Option<&'static str> {
    options.iter().find(|(is_set, _)| *is_set).map(|(_, name)| *name)
}

/// Parses a choice of normals: `stored`, `smooth`, `flat`, or a crease angle in degrees.
pub fn parse_normals(text: &str) -> Result<NormalChoice, String> {
    match text {
        "stored" => Ok(NormalChoice::Stored),
        "smooth" => Ok(NormalChoice::Creased(180.0)),
        "flat" => Ok(NormalChoice::Creased(0.0)),
        _ => {
            let angle = text.parse().ok().filter(|angle| (0.0..=180.0).contains(angle));
            let expected = "expected stored, smooth, flat, or a crease angle of 0 to 180 degrees, such as 60";
            angle.map(NormalChoice::Creased).ok_or_else(|| expected.to_owned())
        }
    }
}

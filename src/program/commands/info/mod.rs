//! `info`: describes the content of a file.
mod size;
mod text;

use std::cell::RefCell;
use std::io::{self, BufWriter, Read, StdoutLock, Write};
use std::path::{Path, PathBuf};

use anstream::{AutoStream, ColorChoice};
use clap::Args;

use crate::error::copy_text;
use crate::formats::mesh_files::MissingMesh;
use crate::formats::unopened_properties;
use crate::model::Properties;
use crate::program::args::{Files, Global, WatchArgs};
use crate::program::describe::fields::{Fields, InfoPart};
use crate::program::describe::file_summary::{FileSummary, SummaryRequest};
use crate::program::describe::picture::draw_small;
use crate::program::describe::rows::selected::SelectedFiles;
use crate::program::describe::skeletons::Skeletons;
use crate::program::formats::{LodFilter, filter_parser};
use crate::program::input::{Data, InputAsset, NotOpened, missing_json, watch};
use crate::program::outcome::Outcome;
use crate::program::output::json::unreadable;
use crate::program::output::progress::suspended;
use crate::program::output::{HeldOutput, JsonWriter, complain_about};
use crate::program::terminal::{PictureArgs, Terminal, print_with_text};
use crate::render::Picture;
use text::TextReport;

/// The maximum number of surfaces that are described of all meshes of one script.
const MAX_SURFACES_OF_A_SCRIPT: usize = 65_536;
/// The greatest number of columns of a picture.
const COLUMNS: u16 = 24;
const HELP: &str = "\
Reads headers, names and counts, but no vertices, so it takes milliseconds \
even for a large file. There are two exceptions: Unreal meshes store no bounding box, and those in EZ-Mesh files are unreliable. Their \
bounding boxes are computed from the vertices (in Unreal meshes, from those of frame 0).

Compressed blocks are inflated one after another to read their counts. With --lod none, nothing is inflated, and the counts are those \
in the header. The findings are those about the structure of the file; `validate` checks every value. A script is described mesh by mesh.

Examples:
  meshpeek info data/unigine/skinned_ms12.mesh
  meshpeek info data --fields size,triangles
  meshpeek info data/unreal/guard --gpu
  meshpeek info data --json";

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct InfoArgs {
    #[command(flatten)]
    pub files: Files,
    /// Level of detail to describe: a number from 0 or one of the names; the most detailed one that
    /// is whole by default; `none` prints only the header
    ///
    /// If an asset lacks the level, the level that a viewer would show instead is described. The
    /// levels apply to Second Life meshes and to UNIGINE meshes whose surface names tell them, and
    /// `none` to Second Life meshes and to UNIGINE ms14 and ms15 meshes.
    #[arg(long, value_name = "LOD", value_parser = filter_parser())]
    lod: Option<LodFilter>,
    /// Describe only these parts, separated by commas
    #[arg(long, value_enum, value_delimiter = ',', value_name = "PART")]
    fields: Vec<InfoPart>,
    /// Count the vertices on a GPU of surfaces with two index streams, which reads all indices
    #[arg(long)]
    gpu: bool,
    /// Print the bounds in the world even if they are those of the stored positions
    #[arg(long)]
    placed: bool,
    #[command(flatten)]
    watch: WatchArgs,
    #[command(flatten)]
    picture: PictureArgs,
}

impl InfoArgs {
    pub fn run(&self, global: &Global) -> anyhow::Result<Outcome> {
        self.picture.terminal(global)?;
        if self.watch.watch {
            return watch((&self.files.files, &self.files.walk), global, || self.describe_all(global));
        }
        self.describe_all(global)
    }

    fn describe_all(&self, global: &Global) -> anyhow::Result<Outcome> {
        // An animation is printed together with the mesh that it moves. The descriptions of
        // animations are therefore held back until all meshes have been opened.
        let (mut skeletons, mut animations) = (Skeletons::default(), Vec::new());
        let mut budget = SurfaceBudget::default();
        if global.json {
            return self.run_json(&mut skeletons, global);
        }
        let (fields, mut printed) = (Fields(self.fields.clone()), 0_usize);
        let pictures = InfoPictures(self.picture.terminal(global)?);
        let mut print = |path: &Path, summary: &FileSummary, mesh: Option<&str>, picture: Option<&Picture>| {
            let mut out = anstream::stdout().lock();
            // A blank line divides the files.
            if printed > 0 {
                writeln!(out)?;
            }
            printed = printed.saturating_add(1);
            let report = TextReport { summary, fields: &fields, verbose: global.verbose };
            suspended(|| match picture {
                Some(picture) => pictures.print(picture, |out| report.print(out, path, mesh)),
                None => Ok(report.print(&mut out, path, mesh)?),
            })
        };
        let files = SelectedFiles::of(&self.files)?;
        let (outcome, omitted) = files.each(global, |path, asset| {
            let (asset, summary) = match self.describe(path, asset, &mut budget, global) {
                Ok(described) => described,
                Err(error) => return Ok(complain_about(&error.into())),
            };
            let (picture, outcome) = pictures.draw(&asset, path, global);
            if summary.is_animation {
                animations.push((path.to_owned(), summary, picture));
            } else {
                skeletons.add(path, &summary.bones);
                print(path, &summary, asset.mesh_name().as_deref(), picture.as_ref())?;
            }
            Ok(outcome)
        })?;
        for (path, mut animation, picture) in animations {
            animation.add_mesh(&skeletons);
            print(&path, &animation, None, picture.as_ref())?;
        }
        omitted.note_passed_by(global);
        Ok(outcome)
    }

    /// Prints the JSON document. Each entry is printed as soon as its file is open.
    fn run_json(&self, skeletons: &mut Skeletons, global: &Global) -> anyhow::Result<Outcome> {
        let files = SelectedFiles::of(&self.files)?;
        let sink = EntrySink::new();
        let mut shared = &sink;
        let mut out = JsonWriter::indented(&mut shared);
        out.start_entries()?;
        let fields = Fields(self.fields.clone());
        let mut budget = SurfaceBudget::default();
        let (outcome, omitted) = files.each(global, |path, asset| {
            let (asset, summary) = match self.describe(path, asset, &mut budget, global) {
                Ok(described) => described,
                Err(error) => {
                    out.object(|out| {
                        out.fields(&unreadable(path, &error))?;
                        unopened_properties(path, &error, &mut Properties::new(out))
                    })?;
                    return Ok(Outcome::of_error(&error));
                }
            };
            if !summary.is_animation {
                skeletons.add(path, &summary.bones);
            }
            let fault = summary.write_json(&asset, path, &fields, &mut out, |out| {
                if summary.is_animation {
                    sink.leave_gap(out.depth, &summary.bones);
                }
            })?;
            Ok(fault.map_or(Outcome::Fine, |fault| Outcome::of_error(&fault)))
        })?;
        out.close(b"]")?;
        let NotOpened { missing, passed_by, .. } = omitted;
        out.field("passed_by", passed_by.total())?;
        if !missing.is_empty() {
            out.key("unresolved").objects(&missing, |out, missing| write_missing(missing, out))?;
        }
        out.end()?;
        sink.finish(skeletons)?;
        Ok(outcome)
    }

    fn describe(
        &self,
        path: &Path,
        asset: crate::Result<InputAsset>,
        budget: &mut SurfaceBudget,
        global: &Global,
    ) -> crate::Result<(InputAsset, FileSummary)> {
        let asset = asset?;
        let request = SummaryRequest {
            levels: self.lod.unwrap_or(LodFilter::HIGHEST),
            replaces_damaged: self.lod.is_none(),
            counts_levels: self.lod.is_none(),
            max_surfaces: budget.left(&asset),
            in_full: global.json,
            gpu: self.gpu,
            moved_bones: true,
            placed: self.placed,
        };
        let summary = FileSummary::of(&asset, &request);
        let summary = summary.map_err(|error| asset.locate_error(error, path))?;
        budget.spent = budget.spent.saturating_add(summary.surfaces.len());
        Ok((asset, summary))
    }
}

/// Standard output, with a part that is held back until the meshes of all animations are known.
struct EntrySink {
    out: RefCell<BufWriter<StdoutLock<'static>>>,
    held: RefCell<Option<GappedOutput>>,
}

/// The output that is held back.
struct GappedOutput {
    text: HeldOutput,
    gaps: Vec<Gap>,
}

/// A place in the held output at which the field `mesh` of an animation belongs.
struct Gap {
    at: u64,
    /// The number of lists and objects that are open at this place.
    depth: usize,
    bones: Vec<(String, i32)>,
}

impl EntrySink {
    fn new() -> Self {
        Self { out: RefCell::new(BufWriter::new(io::stdout().lock())), held: RefCell::new(None) }
    }

    /// Leaves a gap for the mesh that the animation of `bones` moves. The output after the gap is
    /// held back.
    fn leave_gap(&self, depth: usize, bones: &[(String, i32)]) {
        let mut held = self.held.borrow_mut();
        let held = held.get_or_insert_with(|| GappedOutput { text: HeldOutput::start(), gaps: Vec::new() });
        held.gaps.push(Gap { at: held.text.written, depth, bones: bones.to_vec() });
    }

    /// Prints the output that was held back, with the meshes of the animations.
    fn finish(self, skeletons: &Skeletons) -> io::Result<()> {
        let mut out = self.out.into_inner();
        if let Some(GappedOutput { mut text, gaps }) = self.held.into_inner() {
            let file = text.rewound()?;
            let mut printed = 0;
            for Gap { at, depth, bones } in gaps {
                io::copy(&mut Read::by_ref(file).take(at.saturating_sub(printed)), &mut out)?;
                printed = at;
                if let Some(fit) = skeletons.fit(&bones) {
                    JsonWriter::indented(&mut out).resumed(depth, true).field("mesh", fit.json())?;
                }
            }
            io::copy(file, &mut out)?;
        }
        out.flush()
    }
}

impl Write for &EntrySink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut *self.held.borrow_mut() {
            Some(held) => held.text.write(bytes),
            None => self.out.borrow_mut().write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.borrow_mut().flush()
    }
}

/// Draws and prints the pictures of meshes, if the terminal gets pictures.
struct InfoPictures(Option<Terminal>);

impl InfoPictures {
    /// Draws a mesh. An error is reported, and the mesh is printed without a picture.
    fn draw(&self, asset: &InputAsset, path: &Path, global: &Global) -> (Option<Picture>, Outcome) {
        let Some(terminal) = &self.0 else { return (None, Outcome::Fine) };
        let (_, size) = terminal.square(COLUMNS);
        match draw_small(asset, path, size, global) {
            Ok(picture) => (Some(picture), Outcome::Fine),
            Err(error) => (None, complain_about(&error)),
        }
    }

    /// Prints a picture and the text that `print` writes.
    fn print(&self, picture: &Picture, print: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> anyhow::Result<()> {
        let Some(terminal) = &self.0 else { return Ok(()) };
        let mut text = Vec::new();
        print(&mut text)?;
        let text = copy_text(&text);
        let stdout = io::stdout();
        let is_plain = AutoStream::choice(&stdout) == ColorChoice::Never;
        let text = if is_plain { anstream::adapter::strip_str(&text).to_string() } else { text };
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let (cells, _) = terminal.square(COLUMNS);
        let mut out = AutoStream::always(stdout.lock());
        Ok(print_with_text(&mut out, picture, &lines, (terminal.protocol, cells))?)
    }
}

/// Writes an item of a list: a mesh whose files do not exist, with the commands of the script about
/// the mesh.
fn write_missing(missing: &MissingMesh<Data>, out: &mut JsonWriter<'_>) -> io::Result<()> {
    out.fields(&missing_json(missing))?;
    out.key("properties").object(|out| missing.properties(&mut Properties::new(out)))
}

/// The number of surfaces of all meshes of one script that are described. A small script may import
/// one pair of files several times, and each pair may have 65,535 surfaces.
#[derive(Default)]
struct SurfaceBudget {
    /// The script whose meshes are being described, if the command line names a script.
    script: Option<PathBuf>,
    spent: usize,
}

impl SurfaceBudget {
    /// Returns the number of surfaces of a mesh that may be described.
    fn left(&mut self, asset: &InputAsset) -> usize {
        let script = asset.named_script();
        if self.script.as_deref() != script {
            *self = Self { script: script.map(Path::to_owned), spent: 0 };
        }
        if self.script.is_some() { MAX_SURFACES_OF_A_SCRIPT.saturating_sub(self.spent) } else { usize::MAX }
    }
}

//! `bench`: compares the time and memory that meshpeek and two loaders that copy need for the same
//! queries.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::Model;
use crate::formats::{SampleKind, sample_kinds};
use crate::io::OpenFolder;
use anyhow::{Context as _, anyhow, bail};
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser as _};
use serde_json::Value;

use super::bench_stream::StreamArgs;
use crate::program::args::{Global, STDIN};
use crate::program::atomic_write::{PendingOutput, TemporaryFolder, check_target, folder};
use crate::program::bench::measure::{AnswersDiffer, FileMeasurement, Subject};
use crate::program::bench::mesh_files::{MeshFiles, generate};
use crate::program::bench::question::{BenchQuestion, Contestant};
use crate::program::bench::report::Host;
use crate::program::bench::{answers, measure, memory, plot, report};
use crate::program::formats::expect_extension;
use crate::program::input::bytes::map;
use crate::program::input::open::open;
use crate::program::outcome::{Outcome, usage};
use crate::program::output::json::print_json;
use crate::program::output::progress::ProgressMeter;
use crate::program::output::text::{complain, shown};
use crate::program::output::units;

const HELP: &str = "\
The copying loader does the least work with which a file can be copied: it reads the whole file into memory at once, decodes every \
array of every surface into lists with the bulk decoders of this crate (a shared array only once), and answers from the lists. The \
reading loader has no copy of the file: it maps the file only to find the arrays, and reads each array with pread, straight into its \
list if the file stores the decoded values, and otherwise into a buffer from which it is decoded. A ratio is against the faster of \
these two. Each question is measured with the file in the page cache, and also without, if the system can drop the file from the \
cache. Each answer comes from a new process. The answers of all three are compared and must be equal.

Without FILE, meshes of about 1 MB, 100 MB and 1 GB are generated in a temporary folder, one after another, and removed. A signal \
such as Ctrl-C removes them, too; only after `kill -9` a folder named meshpeek-bench-* remains there. A format that cannot reach a size \
is measured at its largest size. Meshes of 1 GB take minutes each; fewer sizes, formats or rounds take less time.

If the answers differ, the exit code is 1.

Examples:
  meshpeek bench data/unigine/cube_ms13.mesh --rounds 1           an existing file
  meshpeek bench --size 100K --format unigine-static --rounds 1   a generated mesh
  meshpeek bench --size 10K --rounds 1 --plot bench.svg --json    every format, with a picture
  meshpeek bench --stream --size 300K --frames 20                 fly over a streamed mesh";

/// Sizes of the generated meshes if the option `--size` is not given, in bytes.
const DEFAULT_SIZES: [u64; 3] = [1_000_000, 100_000_000, 1_000_000_000];
/// Size in bytes of the small mesh that every child process of `bench` reads before the measured
/// mesh.
const WARM_UP_BYTES: u64 = 100_000;
/// Number of bytes that must be free on the disk in addition to the size of the largest generated
/// mesh.
const SPARE_BYTES: u64 = 16 << 20;

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct BenchArgs {
    /// A file of any format, or with --stream also a folder; without it, meshes are generated
    ///
    /// For an Unreal mesh, name either of its files, their stem or the script.
    #[arg(value_name = "FILE")]
    pub(super) file: Option<PathBuf>,
    /// Size of a mesh to generate, in bytes or with the suffix K, M or G; may be repeated [default:
    /// 1M, 100M and 1G]
    ///
    /// K is 1,000 bytes, M is 1,000,000 bytes and G is 1,000,000,000 bytes. Example: --size 500K
    /// --size 20M
    #[arg(long, value_name = "SIZE", value_parser = parse_size, conflicts_with = "file")]
    pub(super) size: Vec<u64>,
    /// Kind of mesh to generate; may be repeated [default: all]
    #[arg(long, value_parser = sample_kind_parser(), value_name = "NAME", conflicts_with = "file")]
    pub(super) format: Vec<&'static SampleKind>,
    /// Number of measurements of each question, 1 to 1000
    #[arg(long, value_name = "N", default_value = "5", value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: u32,
    /// Folder for generated meshes; a temporary folder in it is removed afterwards [default: the
    /// system's folder for temporary files]
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// Also draw the times as an SVG picture in this file
    #[arg(long, value_name = "OUT.svg")]
    plot: Option<PathBuf>,
    /// Replace an existing picture
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    stream: StreamArgs,
    // The options of a child process, which answers one question.
    #[arg(long, value_enum, hide = true, requires_all = ["by", "file"])]
    answer: Option<BenchQuestion>,
    #[arg(long, value_enum, hide = true)]
    by: Option<Contestant>,
    #[arg(long, hide = true)]
    aniv: Option<PathBuf>,
    #[arg(long, hide = true)]
    warm_up: Option<PathBuf>,
    #[arg(long, hide = true)]
    warm_up_aniv: Option<PathBuf>,
}

impl BenchArgs {
    pub fn run(&self, global: &Global) -> anyhow::Result<Outcome> {
        if let (Some(question), Some(by), Some(data)) = (self.answer, self.by, &self.file) {
            return self.reply(question, by, data, global);
        }
        if global.no_mmap {
            usage!("bench: --no-mmap cannot be used, because bench measures memory maps; leave it out");
        }
        if let Some(plot) = &self.plot {
            if plot == Path::new(STDIN) {
                usage!("bench: --plot needs a file to write, not standard output");
            }
            expect_extension(plot, &["svg"], "bench --plot")?;
            check_target(plot, self.force)?;
            let folder = folder(plot);
            if folder.exists() && !folder.is_dir() {
                bail!("{}: cannot be written: {} is not a folder", shown(plot), shown(folder));
            }
        }
        let folder = self.folder.clone().unwrap_or_else(std::env::temp_dir);
        let context = || format!("{}: cannot create a folder in it", shown(&folder));
        OpenFolder::open(&folder).with_context(context)?;
        // The text of the error has the path of the temporary folder, and its kind has not.
        let scratch = TemporaryFolder::create("meshpeek-bench-", &folder);
        let scratch = scratch.map_err(|error| anyhow!(error.kind())).with_context(context)?;
        if self.stream.stream {
            return self.stream.run(self, scratch.path(), global);
        }
        let mut notes = Vec::new();
        let host = Host::here();
        let measured = match &self.file {
            Some(path) => self.measure_file(path, scratch.path(), &host, global),
            None => self.measure_generated(scratch.path(), &mut notes, &host, global),
        };
        match measured {
            Ok(files) => {
                let json = || report::document(&host, self.rounds, &files, &notes);
                self.print(json, |out| report::print(out, &files, &notes), || plot::draw(&files), global)
            }
            Err(error) if error.is::<AnswersDiffer>() => {
                complain(&error);
                Ok(Outcome::Findings)
            }
            Err(error) => Err(error),
        }
    }

    /// Measures the mesh at a path from the command line.
    fn measure_file(
        &self,
        path: &Path,
        scratch: &Path,
        host: &Host,
        global: &Global,
    ) -> anyhow::Result<Vec<FileMeasurement>> {
        if path == Path::new(STDIN) {
            usage!("bench: expected a file to map, found standard input");
        }
        let asset = open(path, global)?;
        let pair = asset.pair.as_ref();
        let (data, aniv) = pair.map_or((path, None), |pair| (&*pair.data, Some(pair.aniv.clone())));
        let files = MeshFiles { data: data.to_owned(), aniv };
        if files.all().any(|path| !path.is_file()) {
            usage!("{}: bench: expected a regular file to map, found a folder or a special file", shown(path));
        }
        let locate = |error| asset.locate_error(error, path);
        if answers::first_surface(asset.model.geometry()).map_err(locate)?.is_none() {
            usage!("{}: bench: expected a surface with vertices, found none", shown(path));
        }
        asset.model.file().check().map_err(|error| asset.locate_error(error, path))?;
        let kind = asset.model.sample_kind();
        let name = measure::file_name(path);
        let mut subject = subject(name, kind, &asset.model, files, generate(kind, WARM_UP_BYTES, scratch)?)?;
        subject.path = Some(path.to_owned());
        // The operating system cannot drop the pages of a file from the page cache while the file
        // is mapped.
        drop(asset);
        self.print_host(host, global)?;
        let bar = ProgressMeter::of_items(measure::answers(self.rounds), "answers", global);
        let measured = measure::measure(subject, self.rounds, global, &bar);
        drop(bar);
        Ok(vec![measured?])
    }

    /// Measures generated meshes one after another, and removes each mesh before it generates the
    /// next one.
    fn measure_generated(
        &self,
        scratch: &Path,
        notes: &mut Vec<String>,
        host: &Host,
        global: &Global,
    ) -> anyhow::Result<Vec<FileMeasurement>> {
        let sizes = if self.size.is_empty() { &DEFAULT_SIZES[..] } else { &self.size };
        let kinds = if self.format.is_empty() { sample_kinds().to_vec() } else { self.format.clone() };
        let mut plan = Vec::new();
        for kind in kinds {
            for size in sizes {
                let most = kind.max_size.filter(|(most, _)| most < size);
                let planned = (kind, most.map_or(*size, |(most, _)| most));
                if let Some((_, why)) = most {
                    let (size, name) = (units::bytes(*size), kind.id);
                    notes.push(format!("{name}: {size} requested, but measured at the largest possible size: {why}."));
                }
                if !plan.iter().any(|(other, size): &(&SampleKind, u64)| (other.id, *size) == (kind.id, planned.1)) {
                    plan.push(planned);
                }
            }
        }
        let needed = plan.iter().map(|(_, size)| *size).max().unwrap_or_default().saturating_add(SPARE_BYTES);
        if let Some(free) = memory::free(scratch).filter(|free| *free < needed) {
            let [needed, free] = [needed, free].map(units::bytes);
            bail!(
                "{}: the largest mesh needs {needed}, but only {free} are free; choose another --folder or a smaller --size",
                shown(scratch)
            );
        }
        self.print_host(host, global)?;
        let total = u64::try_from(plan.len()).unwrap_or_default().saturating_mul(measure::answers(self.rounds));
        let bar = ProgressMeter::of_items(total, "answers", global);
        let each = plan.into_iter().map(|(kind, size)| self.measure_sample(kind, size, scratch, global, &bar));
        let all = each.collect();
        drop(bar);
        all
    }

    fn measure_sample(
        &self,
        kind: &SampleKind,
        size: u64,
        scratch: &Path,
        global: &Global,
        bar: &ProgressMeter,
    ) -> anyhow::Result<FileMeasurement> {
        bar.set_message(format!("{} {}: generating", units::bytes(size), kind.id));
        let temporary = || tempfile::tempdir_in(scratch).context("cannot create a temporary folder");
        let (folder, small) = (temporary()?, temporary()?);
        let files = generate(kind, size, folder.path())?;
        let warm_up = generate(kind, WARM_UP_BYTES, small.path())?;
        let model = files.open(global, map)?;
        let name = format!("{} {}", units::bytes(measure::size(&files)?), kind.id);
        let subject = subject(name, kind, &model, files, warm_up)?;
        drop(model);
        measure::measure(subject, self.rounds, global, bar)
    }

    /// Prints the first line of the text report before the first measurement, because a run may
    /// take minutes.
    fn print_host(&self, host: &Host, global: &Global) -> anyhow::Result<()> {
        if !global.json {
            writeln!(anstream::stdout().lock(), "{}, {} rounds", host.line(), self.rounds)?;
        }
        Ok(())
    }

    /// Prints a report as text or JSON, and writes its picture.
    pub(super) fn print(
        &self,
        json: impl FnOnce() -> Value,
        text: impl FnOnce(&mut dyn Write) -> io::Result<()>,
        picture: impl FnOnce() -> String,
        global: &Global,
    ) -> anyhow::Result<Outcome> {
        if global.json {
            print_json(&json())?;
        } else {
            let mut out = anstream::stdout().lock();
            text(&mut out)?;
            out.flush()?;
        }
        if let Some(plot) = &self.plot {
            let svg = picture();
            PendingOutput::write(plot, self.force, |file| Ok(file.write_whole(svg.as_bytes())?))?.finish()?;
        }
        Ok(Outcome::Fine)
    }

    /// Runs one query on a small mesh, then runs the same query on the measured mesh, and prints
    /// the time and memory of the second run.
    fn reply(&self, question: BenchQuestion, by: Contestant, data: &Path, global: &Global) -> anyhow::Result<Outcome> {
        if let Some(warm_up) = &self.warm_up {
            let files = MeshFiles { data: warm_up.clone(), aniv: self.warm_up_aniv.clone() };
            answers::answer(question, by, &files, global)?;
        }
        let files = MeshFiles { data: data.to_owned(), aniv: self.aniv.clone() };
        let response = answers::answer(question, by, &files, global)?;
        print_json(&measure::to_json(&response))?;
        Ok(Outcome::Fine)
    }
}

fn subject<D: AsRef<[u8]> + Send + Sync>(
    name: String,
    kind: &SampleKind,
    model: &Model<D>,
    files: MeshFiles,
    warm_up: MeshFiles,
) -> anyhow::Result<Subject> {
    let geometry = model.geometry();
    Ok(Subject {
        name,
        path: None,
        format: geometry.format(),
        version: geometry.version(),
        bytes: measure::size(&files)?,
        surfaces: geometry.surface_count()?,
        files,
        warm_up,
        growth: kind.growth,
    })
}

/// Returns whether the path leads to a mesh of two files. The file is opened and its structure is
/// checked.
pub(super) fn is_pair(path: &Path, global: &Global) -> anyhow::Result<bool> {
    let asset = open(path, global)?;
    asset.model.file().check().map_err(|error| asset.locate_error(error, path))?;
    Ok(asset.pair.is_some())
}

/// Returns the parser of the option `--format`.
fn sample_kind_parser() -> impl clap::builder::TypedValueParser<Value = &'static SampleKind> {
    let values = sample_kinds().into_iter().map(|kind| PossibleValue::new(kind.id).help(kind.help));
    PossibleValuesParser::new(values)
        .try_map(|id| sample_kinds().into_iter().find(|kind| kind.id == id).ok_or("unknown kind"))
}

/// Parses a number of bytes, which may have the suffix K, M or G.
pub(super) fn parse_size(text: &str) -> Result<u64, String> {
    let letters = [("K", 1_000), ("M", 1_000_000), ("G", 1_000_000_000)];
    let upper = text.to_ascii_uppercase();
    let split = letters.iter().find_map(|(letter, unit)| Some((upper.strip_suffix(letter)?, *unit)));
    let (digits, unit) = split.unwrap_or((&upper, 1));
    let bytes = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(unit)).filter(|bytes| *bytes > 0);
    bytes.ok_or_else(|| "expected a number of bytes, such as 500K, 100M or 10G".to_owned())
}

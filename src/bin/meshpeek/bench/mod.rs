//! `bench`: meshpeek against a loader that copies, on this machine.

mod lists;
mod made;
mod measured;
mod memory;
mod plot;
mod questions;
mod told;

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use clap::{Args, ValueEnum as _};
use indicatif::ProgressBar;
use meshpeek::Model;

use made::Kind;
use measured::{Different, Measured, Subject};
use questions::{Contestant, Files, Question};

use crate::Global;
use crate::input::{self, STDIN};
use crate::output::{self, Misuse, Outcome, shown};
use crate::staged::{self, Staged};

const HELP: &str = "\
The copying loader is the best that could be written: it reads the whole file into memory in one go, decodes every array of every \
surface into lists by the bulk decoders of this crate, each shared array once, and answers from the lists. Questions are asked with \
the file in the page cache, and, where the system can drop it from there, without. Each answer is given by a process of its own; both \
are compared, and have to be equal.

Without FILE, meshes of about 1 MB, 100 MB and 1 GB are made in a temporary folder, one after another, and removed (not where the \
program is interrupted or killed: folders meshpeek-bench-* are then left there). A format that cannot be so large is measured at its largest. Meshes of 1 GB take minutes each; fewer sizes, formats or rounds take less.

Examples:
  meshpeek bench model.mesh                     on a file of yours
  meshpeek bench --size 1M                      on a small mesh of every format
  meshpeek bench --size 10G --format unigine-static --rounds 3
  meshpeek bench --plot bench.svg --json > bench.json

Exit codes: 1 where the contestants' answers differ; otherwise as of every verb.";

/// Sizes, if none is asked for.
const SIZES: [u64; 3] = [1_000_000, 100_000_000, 1_000_000_000];
/// Bytes of the small mesh that every process has looked at before.
const WARM_UP: u64 = 100_000;
/// Bytes that a disk must have left beside a mesh.
const SPARE: u64 = 16 << 20;

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct Bench {
    /// A file of any format (of an Unreal mesh either file, its stem or its script); left out, meshes are made
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// How large a mesh to make: bytes, or K, M and G of them; may be repeated [default: 1M, 100M and 1G]
    #[arg(long, value_name = "SIZE", value_parser = bytes, conflicts_with = "file")]
    size: Vec<u64>,
    /// Which kind of mesh to make; may be repeated [default: all]
    #[arg(long, value_enum, value_name = "NAME", conflicts_with = "file")]
    format: Vec<Kind>,
    /// How often each question is asked
    #[arg(long, value_name = "N", default_value = "5", value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: u32,
    /// Where to make meshes, in a folder that is removed afterwards [default: the system's folder for such]
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// Draw the times, too
    #[arg(long, value_name = "OUT.svg")]
    plot: Option<PathBuf>,
    /// Replace an existing picture
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    inner: Inner,
}

/// What a process is told that gives one answer.
#[derive(Debug, Args)]
struct Inner {
    #[arg(long, value_enum, hide = true, requires_all = ["by", "file"])]
    answer: Option<Question>,
    #[arg(long, value_enum, hide = true)]
    by: Option<Contestant>,
    #[arg(long, hide = true)]
    aniv: Option<PathBuf>,
    #[arg(long, hide = true)]
    warm_up: Option<PathBuf>,
    #[arg(long, hide = true)]
    warm_up_aniv: Option<PathBuf>,
}

impl Bench {
    pub fn run(&self, global: &Global) -> anyhow::Result<Outcome> {
        if let (Some(question), Some(by), Some(data)) = (self.inner.answer, self.inner.by, &self.file) {
            return self.inner.run(question, by, data, global);
        }
        if global.no_mmap {
            return Err(Misuse("bench: --no-mmap: mapping is what is measured".into()).into());
        }
        if let Some(plot) = &self.plot {
            if plot == Path::new(STDIN) {
                return Err(Misuse("bench: --plot needs a file to write, not standard output".into()).into());
            }
            staged::refuse(plot, self.force)?;
            let folder = plot.parent().filter(|folder| !folder.as_os_str().is_empty());
            if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
                bail!("{}: cannot be written: there is no folder {}", shown(plot), shown(folder));
            }
        }
        let folder = self.folder.clone().unwrap_or_else(std::env::temp_dir);
        let context = || format!("{}: no folder can be made there", shown(&folder));
        let scratch = tempfile::Builder::new().prefix("meshpeek-bench-").tempdir_in(&folder).with_context(context)?;
        let mut notes = Vec::new();
        let measured = match &self.file {
            Some(path) => self.given(path, scratch.path(), global),
            None => self.made(scratch.path(), &mut notes, global),
        };
        match measured {
            Ok(files) => self.tell(&files, &notes, global),
            Err(error) if error.is::<Different>() => {
                output::complain(&error);
                Ok(Outcome::Findings)
            }
            Err(error) => Err(error),
        }
    }

    /// Measures a file of the user's.
    fn given(&self, path: &Path, scratch: &Path, global: &Global) -> anyhow::Result<Vec<Measured>> {
        if path == Path::new(STDIN) {
            return Err(Misuse("bench: a file to map is needed, not standard input".into()).into());
        }
        let opened = input::open(path, global)?;
        let (data, aniv) = opened.pair.as_ref().map_or((path, None), |pair| (&*pair.data, Some(pair.aniv.clone())));
        let files = Files { data: data.to_owned(), aniv };
        if files.all().any(|path| !path.is_file()) {
            return Err(Misuse(format!("{}: bench: a regular file is needed, to be mapped", shown(path))).into());
        }
        let blame = |error| opened.blame(error, path);
        if lists::first_surface(opened.model.geometry()).map_err(blame)?.is_none() {
            return Err(Misuse(format!("{}: bench: no surface has a vertex to ask for", shown(path))).into());
        }
        opened.model.check().map_err(|error| opened.blame(error, path))?;
        let kind = kind(&opened.model);
        let name = measured::file_name(path);
        let mut subject = subject(name, kind, &opened.model, files, made::make(kind, WARM_UP, scratch)?)?;
        subject.path = Some(path.to_owned());
        // A file that is mapped stays in the cache.
        drop(opened);
        let bar = input::progress(measured::answers(self.rounds), "answers", global);
        let measured = measured::measure(subject, self.rounds, global, &bar);
        bar.finish_and_clear();
        Ok(vec![measured?])
    }

    /// Measures meshes that are made, and removes each before the next.
    fn made(&self, scratch: &Path, notes: &mut Vec<String>, global: &Global) -> anyhow::Result<Vec<Measured>> {
        let sizes = if self.size.is_empty() { &SIZES[..] } else { &self.size };
        let kinds = if self.format.is_empty() { Kind::value_variants() } else { &self.format };
        let mut plan = Vec::new();
        for kind in kinds {
            for size in sizes {
                let most = kind.most().filter(|(most, _)| most < size);
                let planned = (*kind, most.map_or(*size, |(most, _)| most));
                if let Some((_, why)) = most {
                    let (asked, name) = (told::bytes(*size), kind.id());
                    notes.push(format!("{name}: {asked} asked for, measured at the largest that there can be: {why}."));
                }
                if !plan.contains(&planned) {
                    plan.push(planned);
                }
            }
        }
        let needed = plan.iter().map(|(_, size)| *size).max().unwrap_or_default().saturating_add(SPARE);
        if let Some(free) = memory::free(scratch).filter(|free| *free < needed) {
            let [needed, free] = [needed, free].map(told::bytes);
            bail!(
                "{}: {needed} needed to make the largest mesh, {free} free; --folder names another place, --size a smaller one",
                shown(scratch)
            );
        }
        let total = u64::try_from(plan.len()).unwrap_or_default().saturating_mul(measured::answers(self.rounds));
        let bar = input::progress(total, "answers", global);
        let each = plan.into_iter().map(|(kind, size)| self.made_one(kind, size, scratch, global, &bar));
        let all = each.collect();
        bar.finish_and_clear();
        all
    }

    fn made_one(
        &self,
        kind: Kind,
        size: u64,
        scratch: &Path,
        global: &Global,
        bar: &ProgressBar,
    ) -> anyhow::Result<Measured> {
        bar.set_message(format!("{} {}: is made", told::bytes(size), kind.id()));
        let [folder, small] = [tempfile::tempdir_in(scratch), tempfile::tempdir_in(scratch)];
        let (folder, small) = (folder.context("no folder can be made")?, small.context("no folder can be made")?);
        let files = made::make(kind, size, folder.path())?;
        let warm_up = made::make(kind, WARM_UP, small.path())?;
        let model = files.open(global, input::map)?;
        let name = format!("{} {}", told::bytes(measured::size(&files)?), kind.id());
        let subject = subject(name, kind, &model, files, warm_up)?;
        drop(model);
        measured::measure(subject, self.rounds, global, bar)
    }

    fn tell(&self, files: &[Measured], notes: &[String], global: &Global) -> anyhow::Result<Outcome> {
        let host = told::Host::here();
        if global.json {
            output::print_json(&told::document(&host, self.rounds, files, notes))?;
        } else {
            let mut out = anstream::stdout().lock();
            told::print(&mut out, &host, self.rounds, files, notes)?;
            out.flush()?;
        }
        if let Some(plot) = &self.plot {
            let svg = plot::draw(files);
            Staged::write(plot, self.force, |file| Ok(file.write_all(svg.as_bytes())?))?.finish()?;
        }
        Ok(Outcome::Fine)
    }
}

impl Inner {
    /// Answers one question, after it was answered for a small file, and tells what it took.
    fn run(&self, question: Question, by: Contestant, data: &Path, global: &Global) -> anyhow::Result<Outcome> {
        if let Some(warm_up) = &self.warm_up {
            let files = Files { data: warm_up.clone(), aniv: self.warm_up_aniv.clone() };
            questions::answer(question, by, &files, global)?;
        }
        let files = Files { data: data.to_owned(), aniv: self.aniv.clone() };
        let told = questions::answer(question, by, &files, global)?;
        output::print_json(&measured::to_json(&told))?;
        Ok(Outcome::Fine)
    }
}

fn subject<D: AsRef<[u8]> + Send + Sync>(
    name: String,
    kind: Kind,
    model: &Model<D>,
    files: Files,
    warm_up: Files,
) -> anyhow::Result<Subject> {
    let geometry = model.geometry();
    Ok(Subject {
        name,
        path: None,
        format: geometry.format(),
        version: geometry.version(),
        bytes: measured::size(&files)?,
        surfaces: geometry.surface_count(),
        files,
        warm_up,
        growth: kind.growth(),
    })
}

/// Returns the kind of mesh that is most like one.
fn kind<D: AsRef<[u8]> + Send + Sync>(model: &Model<D>) -> Kind {
    match model {
        Model::Unigine(mesh) if mesh.generation().is_compressed() => Kind::UnigineCompressed,
        Model::Unigine(mesh) if mesh.bone_count() > 0 => Kind::UnigineSkinned,
        Model::Unreal(_) => Kind::Unreal,
        Model::SecondLife(_) => Kind::SecondLife,
        Model::EzMesh(system) if system.form().name().starts_with("ezb") => Kind::EzmeshBinary,
        Model::EzMesh(_) => Kind::EzmeshText,
        _ => Kind::UnigineStatic,
    }
}

/// Reads a number of bytes with a letter for thousands, millions or thousands of millions behind it.
fn bytes(text: &str) -> Result<u64, String> {
    let letters = [("K", 1_000), ("M", 1_000_000), ("G", 1_000_000_000)];
    let upper = text.to_ascii_uppercase();
    let split = letters.iter().find_map(|(letter, unit)| Some((upper.strip_suffix(letter)?, *unit)));
    let (digits, unit) = split.unwrap_or((&upper, 1));
    let bytes = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(unit)).filter(|bytes| *bytes > 0);
    bytes.ok_or_else(|| "expected a number of bytes, such as 500K, 100M or 10G".to_owned())
}

//! Measures the queries of the benchmark. Each query runs in a new child process, and each round
//! measures meshpeek and its two rivals. The results are the median, the minimum and the maximum
//! over all rounds.

// Rule: this file makes text of copies only.
// Rule: this file checks values in copies only.
// Rule: this file sorts and maps by copies only.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::program::output::progress::ProgressMeter;
use anyhow::{Context as _, bail};
use clap::ValueEnum as _;
use serde_json::{Value, json};

use super::memory::{self, Usage};
use super::mesh_files::MeshFiles;
use super::question::{BenchQuestion, Contestant, Sample};
use super::spread::Spread;
use crate::math::{as_index, as_u64};
use crate::program::args::Global;
use crate::program::output::text::shown;
use crate::program::output::units;

/// The mesh for which the benchmark measures all queries.
pub struct Subject {
    /// The name of the mesh in the output of `bench`.
    pub name: String,
    /// The path of the mesh from the command line, or `None` for a generated mesh.
    pub path: Option<PathBuf>,
    pub format: &'static str,
    pub version: &'static str,
    pub bytes: u64,
    pub surfaces: usize,
    pub files: MeshFiles,
    /// A small mesh of the same format as the measured mesh. Before the measured run, each child
    /// process runs its query on the small mesh.
    pub warm_up: MeshFiles,
    /// The maximum memory that the copying loader needs while it loads the mesh, as a multiple of
    /// the file size.
    pub growth: u64,
}

/// The measurements of one mesh.
pub struct FileMeasurement {
    pub subject: Subject,
    pub questions: Vec<QuestionMeasurement>,
    /// Notes for the user of `bench`, such as the queries that were not measured and the reasons.
    pub notes: Vec<String>,
}

/// The measurements of one query, either with the file in the page cache (warm) or without (cold).
/// Each round of the benchmark adds one sample for each contestant.
pub struct QuestionMeasurement {
    pub question: BenchQuestion,
    pub cold: bool,
    /// The samples of each contestant. The two loaders have none if the mesh, decoded by the
    /// copying loader, does not fit into memory.
    samples: BTreeMap<Contestant, Vec<Sample>>,
}

impl QuestionMeasurement {
    pub const fn cache(&self) -> &'static str {
        if self.cold { "cold" } else { "warm" }
    }

    /// Returns the samples of a contestant.
    pub fn samples(&self, by: Contestant) -> &[Sample] {
        self.samples.get(&by).map_or(&[], Vec::as_slice)
    }

    /// Returns the median, minimum and maximum of the times of a contestant.
    pub fn seconds(&self, by: Contestant) -> Option<Spread> {
        Spread::of(self.samples(by).iter().map(|sample| sample.seconds))
    }

    /// Returns the rival of meshpeek with the smaller median time, or `None` if the rivals were not
    /// measured.
    pub fn best_rival(&self) -> Option<Contestant> {
        let timed = Contestant::RIVALS.into_iter().filter_map(|by| Some((by, self.seconds(by)?.median)));
        timed.min_by(|one, other| one.1.total_cmp(&other.1)).map(|(by, _)| by)
    }

    /// Returns the time of the best rival divided by the time of meshpeek in the same round: the
    /// median, minimum and maximum over all rounds.
    pub fn ratio(&self) -> Option<Spread> {
        let pairs = self.samples(Contestant::Meshpeek).iter().zip(self.samples(self.best_rival()?));
        Spread::of(pairs.map(|(ours, theirs)| theirs.seconds / ours.seconds))
    }
}

/// Returns the median of one field of [`Usage`], such as page faults. Returns `None` if the
/// operating system did not report this field in every round.
pub fn median(samples: &[Sample], pick: impl Fn(&Usage) -> Option<u64>) -> Option<u64> {
    let mut all = samples.iter().map(|sample| pick(&sample.usage)).collect::<Option<Vec<u64>>>()?;
    all.sort_unstable();
    all.get(all.len() / 2).copied()
}

/// Returns the number of child processes that the benchmark starts to measure one mesh.
pub fn answers(rounds: u32) -> u64 {
    let questions = BenchQuestion::value_variants();
    let cold = questions.iter().filter(|question| question.is_cold()).count();
    let each = questions.len().saturating_add(cold).saturating_mul(Contestant::ALL.len());
    as_u64(each).saturating_mul(rounds.into())
}

/// Measures every query on one mesh, with a warm and with a cold page cache.
pub fn measure(subject: Subject, rounds: u32, global: &Global, bar: &ProgressMeter) -> anyhow::Result<FileMeasurement> {
    let mut notes = Vec::new();
    let needed = subject.bytes.saturating_mul(subject.growth);
    let fits = memory::available().is_none_or(|available| needed < available);
    if !fits {
        let [needed, has] = [Some(needed), memory::available()].map(|bytes| units::bytes(bytes.unwrap_or_default()));
        notes.push(format!(
            "the two loaders and the question about everything are not measured: they need up to {needed} of memory, but only {has} are free"
        ));
    }
    // The files of the measured mesh are read once to load them into the page cache.
    for path in subject.files.all() {
        let copy = || io::copy(&mut File::open(path)?, &mut io::sink());
        copy().with_context(|| format!("{}: cannot be read", shown(path)))?;
    }
    let mut questions = Vec::new();
    for cold in [false, true] {
        for question in BenchQuestion::value_variants().iter().copied() {
            if !fits && question == BenchQuestion::Everything || cold && !question.is_cold() {
                continue;
            }
            bar.set_message(format!("{}: {}, {}", subject.name, question.title(), if cold { "cold" } else { "warm" }));
            let mut one = QuestionMeasurement { question, cold, samples: BTreeMap::new() };
            for round in 0..as_index(rounds) {
                // Each contestant is the first one in every third round.
                let order = Contestant::ALL.into_iter().cycle().skip(round % 3).take(3);
                for by in order.filter(|by| fits || *by == Contestant::Meshpeek) {
                    if cold && !evict(&subject)? {
                        notes.push(
                            "cold cache not measured: this system has no call that drops a file from the page cache"
                                .into(),
                        );
                        return Ok(FileMeasurement { subject, questions, notes });
                    }
                    let sample = ask(&subject, question, by, global)?;
                    if cold
                        && by == Contestant::Copying
                        && sample.usage.read.is_none_or(|read| read < subject.bytes / 2)
                    {
                        notes.push(
                            "cold cache not measured: the system did not read the file from a disk again, which happens with files \
                             in memory (tmpfs) and with files that another program has mapped"
                                .into(),
                        );
                        return Ok(FileMeasurement { subject, questions, notes });
                    }
                    one.samples.entry(by).or_default().push(sample);
                    bar.add(1);
                }
            }
            compare(&subject, &one)?;
            questions.push(one);
        }
    }
    Ok(FileMeasurement { subject, questions, notes })
}

/// The error that the contestants returned different results for the same query. If the results are
/// different, the times cannot be compared.
#[derive(Debug, thiserror::Error)]
#[error("{0}: {1}: the answers of the contestants differ")]
pub struct AnswersDiffer(String, &'static str);

fn compare(subject: &Subject, measured: &QuestionMeasurement) -> Result<(), AnswersDiffer> {
    let mut digests = Contestant::ALL.into_iter().flat_map(|by| measured.samples(by)).map(|sample| sample.digest);
    let first = digests.next();
    if digests.all(|digest| Some(digest) == first) {
        return Ok(());
    }
    Err(AnswersDiffer(subject.name.clone(), measured.question.title()))
}

/// Drops the files of a mesh from the page cache. Returns `false` if the operating system has no
/// call that drops a file from the page cache.
fn evict(subject: &Subject) -> anyhow::Result<bool> {
    let mut is_done = true;
    for path in subject.files.all() {
        is_done &= memory::evict(path).with_context(|| format!("{}: cannot be read", shown(path)))?;
    }
    Ok(is_done)
}

/// Runs a query in a new child process, and returns the time and resource usage that the child
/// process measured.
fn ask(subject: &Subject, question: BenchQuestion, by: Contestant, global: &Global) -> anyhow::Result<Sample> {
    let mut command = Command::new(std::env::current_exe().context("the path of this program cannot be determined")?);
    command.args(["bench", "--quiet", "--uv-divisor", &global.uv_divisor]).env("NO_COLOR", "1");
    command.args(["--answer", &question.id(), "--by", &by.id()]);
    let paths = [
        ("--aniv", subject.files.aniv.as_deref()),
        ("--warm-up", Some(&*subject.warm_up.data)),
        ("--warm-up-aniv", subject.warm_up.aniv.as_deref()),
    ];
    for (option, path) in paths {
        if let Some(path) = path {
            command.arg(option).arg(path);
        }
    }
    command.args(global.strict.then_some("--strict")).arg("--").arg(&subject.files.data);
    let output = command.output().context("this program cannot be started")?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let said = said.trim().trim_start_matches("error: ");
        bail!("{}: {}, {}: {}; {said}", subject.name, question.title(), by.id(), output.status);
    }
    let answer = serde_json::from_slice::<Value>(&output.stdout).ok();
    answer
        .as_ref()
        .and_then(sample_from_json)
        .with_context(|| format!("{}: the child process returned no valid answer", question.title()))
}

/// Returns the measured time, memory and page faults of a query as a JSON object, which the child
/// process prints for the parent process to read.
pub fn to_json(sample: &Sample) -> Value {
    let Usage { anonymous, file, faults, major, read, peak } = sample.usage;
    json!({ "seconds": sample.seconds, "digest": sample.digest, "anonymous": anonymous, "file": file, "faults": faults,
            "major": major, "read": read, "peak": peak })
}

fn sample_from_json(answer: &Value) -> Option<Sample> {
    let number = |name: &str| answer.get(name)?.as_u64();
    let [anonymous, file, faults] = ["anonymous", "file", "faults"].map(number);
    let usage = Usage { anonymous, file, faults, major: number("major"), read: number("read"), peak: number("peak") };
    Some(Sample { seconds: answer.get("seconds")?.as_f64()?, usage, digest: number("digest")? })
}

/// Returns the total size of the files of a mesh, in bytes.
pub fn size(files: &MeshFiles) -> anyhow::Result<u64> {
    files.all().try_fold(0_u64, |sum, path| {
        let metadata = path.metadata().with_context(|| format!("{}: cannot be read", shown(path)))?;
        Ok(sum.saturating_add(metadata.len()))
    })
}

/// Returns the last component of a path as printable text.
pub fn file_name(path: &Path) -> String {
    shown(Path::new(path.file_name().unwrap_or(OsStr::new(""))))
}

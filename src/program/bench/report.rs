//! Prints the results of `bench` as a text table or as a JSON document, and reports the
//! measurements in which a rival is faster.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::measure::{FileMeasurement, QuestionMeasurement, median};
use super::memory::{Usage, of_system};
use super::question::{BenchQuestion, Contestant};
use super::spread::{Spread, spent, spread};
use crate::program::output::json;
use crate::program::output::units::{bytes, ratio, significant, thousands};

/// The paragraph of the benchmark report that describes how the times and the memory are measured.
const METHOD: &str = "\
Each answer comes from a new process, which first answers the same question about a small file of the same
format. The contestants take turns within a round, and a ratio compares two times of the same round: that of the
rival with the smaller median, and that of meshpeek. All numbers are medians [minimum..maximum] over all rounds.
The copying loader reads the whole file into memory at once and decodes every array of every surface into lists
with the bulk decoders of this crate, an array that surfaces share only once; then it answers from the lists.
The reading loader maps the file only to find the arrays. It reads each array with pread, straight into its list
if the file stores the decoded values, and otherwise into a buffer that it decodes into the list. So it has no copy
of the file. All answers to each question were compared and are equal. Warm means that the file is in the page
cache; cold means that it was dropped from it, which the bytes read from disk confirm.";

/// Sentences of the benchmark report that do not depend on the measurements: uses for which copying
/// a file is better than mapping it.
const ALWAYS_TRUE: [&str; 3] = [
    "To look at everything once costs all three the same bytes and the same decoding: mapping then saves only a copy of the file.",
    "On a network disk each first look at a page is a round trip: read such files whole.",
    "A file that others change or shorten must not be mapped: copy it (`--no-mmap` of the other verbs, `crate::read`).",
];

/// The description of the machine that runs the benchmark.
pub struct Host {
    processor: Option<String>,
    cores: Option<usize>,
    /// The vector instructions that meshpeek uses on the processor.
    level: &'static str,
    kernel: Option<String>,
    memory: Option<u64>,
}

impl Host {
    /// Reads the description of this machine from the operating system.
    pub fn here() -> Self {
        let text = |path| std::fs::read_to_string(path).unwrap_or_default();
        let processors = text("/proc/cpuinfo");
        let processor = processors.lines().find_map(|line| line.strip_prefix("model name"));
        let kernel = text("/proc/sys/kernel/osrelease").trim().to_owned();
        Self {
            processor: processor.map(|name| name.trim_start_matches([' ', '\t', ':']).to_owned()),
            cores: std::thread::available_parallelism().map(usize::from).ok(),
            level: crate::simd::level_name(),
            kernel: Some(format!("{} {kernel}", std::env::consts::OS)),
            memory: of_system("MemTotal:"),
        }
    }

    pub fn line(&self) -> String {
        let parts = [
            Some(format!("meshpeek {}", env!("CARGO_PKG_VERSION"))),
            self.processor.clone(),
            self.cores.map(|cores| format!("{cores} cores")),
            Some(format!("vector instructions: {}", self.level)),
            self.memory.map(|memory| format!("{} of memory", bytes(memory))),
            self.kernel.as_ref().map(|kernel| kernel.trim().to_owned()),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

/// Prints the benchmark report as text, without its first line.
pub fn print(out: &mut dyn Write, files: &[FileMeasurement], notes: &[String]) -> io::Result<()> {
    writeln!(out, "{METHOD}")?;
    for file in files {
        print_file(out, file)?;
    }
    for note in notes {
        writeln!(out, "\n{note}")?;
    }
    writeln!(out, "\nWhere copying wins")?;
    wins(files).iter().try_for_each(|win| writeln!(out, "  {win}"))
}

fn print_file(out: &mut dyn Write, file: &FileMeasurement) -> io::Result<()> {
    let subject = &file.subject;
    let made = if subject.path.is_some() { "" } else { ", generated for this run" };
    let (size, surfaces) = (thousands(subject.bytes), subject.surfaces);
    writeln!(
        out,
        "\n{}: {} {}, {size} bytes, {surfaces} surfaces{made}",
        subject.name, subject.format, subject.version
    )?;
    for note in &file.notes {
        writeln!(out, "  {note}")?;
    }
    let [ours, copying, reading] = Contestant::ALL.map(Contestant::title);
    writeln!(out, "  {:<34} {:<5} {ours:<28} {copying:<28} {reading:<28} best rival / meshpeek", "question", "cache")?;
    for measured in &file.questions {
        let [ours, copying, reading] = Contestant::ALL.map(|by| spent(measured.seconds(by)));
        let ratio = measured.ratio().zip(measured.best_rival());
        let ratio = ratio.map_or_else(
            || "not measured".to_owned(),
            |(ratio, rival)| format!("{}, {}", spread(&ratio, 1.0, "times"), rival.id()),
        );
        let (title, cache) = (measured.question.title(), measured.cache());
        writeln!(out, "  {title:<34} {cache:<5} {ours:<28} {copying:<28} {reading:<28} {ratio}")?;
    }
    let (memory, files, faults) = ("anonymous memory", "file-backed memory", "page faults");
    let title = "held: meshpeek / copying / reading";
    writeln!(out, "  {title:<40} {memory:<29} {files:<29} {faults:<24} bytes from the disk")?;
    for measured in &file.questions {
        let each = |pick: fn(&Usage) -> Option<u64>, show: fn(u64) -> String| {
            let shown = |by| median(measured.samples(by), pick).map_or_else(|| "?".to_owned(), show);
            Contestant::ALL.map(shown).join(" / ")
        };
        let [memory, mapped, read] =
            [|usage: &Usage| usage.anonymous, |usage: &Usage| usage.file, |usage: &Usage| usage.read]
                .map(|pick| each(pick, bytes));
        let (title, cache, faults) =
            (measured.question.title(), measured.cache(), each(|usage| usage.faults, thousands));
        writeln!(out, "  {title:<34} {cache:<5} {memory:<29} {mapped:<29} {faults:<24} {read}")?;
    }
    match pages_per_fault(file) {
        Some(pages) => writeln!(out, "  a page fault of the warm map loads {} pages of 4 KiB", significant(pages)),
        None => Ok(()),
    }
}

/// Returns the average number of memory pages that the operating system maps per page fault when
/// all positions are read.
fn pages_per_fault(file: &FileMeasurement) -> Option<f64> {
    let all = |measured: &&QuestionMeasurement| measured.question == BenchQuestion::Bounds && !measured.cold;
    let samples = file.questions.iter().find(all)?.samples(Contestant::Meshpeek);
    let [bytes, faults] = [median(samples, |usage| usage.file)?, median(samples, |usage| usage.faults)?];
    (faults > 0).then(|| ratio(bytes, faults.saturating_mul(crate::parse::PAGE)))
}

/// Returns sentences about the measurements in which a rival is faster than meshpeek, and about the
/// uses for which copying a file is better than mapping it on every machine.
pub fn wins(files: &[FileMeasurement]) -> Vec<String> {
    let each = files.iter().flat_map(|file| file.questions.iter().map(move |measured| (file, measured)));
    let measured = each.filter_map(|(file, measured)| {
        let (ratio, rival) = measured.ratio().filter(|ratio| ratio.median < 1.0).zip(measured.best_rival())?;
        let [ours, theirs] = [Contestant::Meshpeek, rival].map(|by| spent(measured.seconds(by)));
        let (name, title, cache) = (&file.subject.name, measured.question.title(), measured.cache());
        let (rival, times) = (rival.title(), significant(ratio.median.recip()));
        Some(format!("{name}, {title}, {cache}: the {rival} is {times} times as fast, {theirs} against {ours}."))
    });
    measured.chain(once_through(files)).chain(ALWAYS_TRUE.map(str::to_owned)).collect()
}

/// Returns a sentence about the time for decoding all arrays once, as measured on the largest file.
fn once_through(files: &[FileMeasurement]) -> Option<String> {
    let largest = files.iter().max_by_key(|file| file.subject.bytes)?;
    let all = |measured: &&QuestionMeasurement| measured.question == BenchQuestion::Everything && !measured.cold;
    let measured = largest.questions.iter().find(all)?;
    let rival = measured.best_rival()?;
    let [ours, theirs] = [Contestant::Meshpeek, rival].map(|by| spent(measured.seconds(by)));
    let ratio = measured.ratio().filter(|ratio| (1.0..2.0).contains(&ratio.median))?;
    let (name, rival, times) = (&largest.subject.name, rival.title(), significant(ratio.median));
    Some(format!(
        "{name}, everything decoded once: {theirs} against {ours}: the {rival} takes no more than {times} times as long."
    ))
}

/// Returns the report of the benchmark as a JSON document.
pub fn document(host: &Host, rounds: u32, files: &[FileMeasurement], notes: &[String]) -> Value {
    json::document(&json!({
        "host": {
            "meshpeek": env!("CARGO_PKG_VERSION"), "processor": host.processor, "cores": host.cores,
            "level": level_id(host.level), "kernel": host.kernel, "memory_bytes": host.memory,
        },
        "rounds": rounds,
        "files": files.iter().map(file).collect::<Value>(),
        "copying_wins": wins(files),
        "notes": notes,
    }))
}

/// Returns the name of a SIMD level in JSON: `avx512`, `avx2` or `portable`.
fn level_id(level: &str) -> String {
    level.replace('-', "").to_ascii_lowercase()
}

fn file(file: &FileMeasurement) -> Value {
    let subject = &file.subject;
    let object = json!({
        "name": subject.name, "format": subject.format, "version": subject.version, "bytes": subject.bytes,
        "surfaces": subject.surfaces, "questions": file.questions.iter().map(question).collect::<Value>(), "notes": file.notes,
    });
    json::with(object, "path", subject.path.as_ref().map(|path| path.to_string_lossy().into()))
}

fn question(measured: &QuestionMeasurement) -> Value {
    let ratio = measured.ratio();
    let [meshpeek, copying, reading] = Contestant::ALL.map(|by| figures(measured, by));
    json!({
        "question": measured.question.id(), "cache": measured.cache(),
        "meshpeek": meshpeek, "copying": copying, "reading": reading,
        "best_rival": measured.best_rival().map(Contestant::id),
        "ratio": ratio.map(|Spread { median, least, most }| json!({ "median": median, "least": least, "most": most })),
    })
}

fn figures(measured: &QuestionMeasurement, by: Contestant) -> Value {
    let Some(Spread { median: middle, least, most }) = measured.seconds(by) else { return Value::Null };
    let samples = measured.samples(by);
    json!({
        "median_s": middle, "least_s": least, "most_s": most,
        "anonymous_bytes": median(samples, |usage| usage.anonymous), "file_bytes": median(samples, |usage| usage.file),
        "faults": median(samples, |usage| usage.faults), "major_faults": median(samples, |usage| usage.major),
        "read_bytes": median(samples, |usage| usage.read), "peak_bytes": median(samples, |usage| usage.peak),
    })
}

//! Writes the figures of a record into the README, in short, and into the speed page of the guide.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use meshpeek_competitors::Spread;
use serde::Deserialize;

use crate::Outcome;
use crate::record::{Claim, FOLDER, Record};
use crate::table::{Table, seconds, spread};

/// The pages, and the functions that make their figures.
const PAGES: [(&str, Section); 2] = [("README.md", summary), ("src/guide/speed.md", details)];
const BEGIN: [&str; 2] = ["<!-- speed: made by benches/readme from ", " -->\n"];
const END: &str = "<!-- /speed -->\n";
/// The number of bytes below which a file counts as one of about 1 MB.
const SMALL_FILE: f64 = 2e6;
/// Rows of the README: the question of the bench, and its text.
const SUMMARY: [(&str, &str); 5] = [
    ("first-vertex", "open, first vertex"),
    ("one-surface", "open, one surface of 16"),
    ("bounds", "open, bounding box of all positions"),
    ("random-vertices", "open, 10,000 random vertices"),
    ("everything", "open, decode everything"),
];

/// Makes the figures of a page.
type Section = fn(&Record) -> Result<String, Box<dyn Error>>;

/// The part of the JSON of `meshpeek bench` that the pages show.
#[derive(Deserialize)]
struct Bench {
    rounds: u32,
    files: Vec<BenchFile>,
    #[serde(default)]
    copying_wins: Vec<String>,
}

#[derive(Deserialize)]
struct BenchFile {
    name: String,
    bytes: f64,
    questions: Vec<BenchQuestion>,
}

#[derive(Deserialize)]
struct BenchQuestion {
    question: String,
    cache: String,
    meshpeek: Option<Seconds>,
    copying: Option<Seconds>,
    /// Older records have no reading loader.
    reading: Option<Seconds>,
    best_rival: Option<String>,
    ratio: Option<Spread>,
}

#[derive(Clone, Copy, Deserialize)]
struct Seconds {
    median_s: f64,
    least_s: f64,
    most_s: f64,
}

/// Writes the figures of a record into the pages. The default is the newest record.
pub fn write(record: Option<PathBuf>) -> Outcome {
    let path = record.map_or_else(Record::newest, Ok)?;
    let record = Record::open(&path)?;
    for (page, section) in PAGES {
        let text = fs::read_to_string(page)?;
        let [before, _, after] = parts(page, &text)?;
        fs::write(page, format!("{before}{}{after}", marked(&path, &section(&record)?)))?;
    }
    Ok(true)
}

/// Returns whether the pages have the figures of the record that they name, or of the given record.
pub fn check(record: Option<PathBuf>) -> Outcome {
    let mut same = true;
    for (page, section) in PAGES {
        let text = fs::read_to_string(page)?;
        let [_, found, _] = parts(page, &text)?;
        let named = found[BEGIN[0].len()..].split(BEGIN[1]).next().map(PathBuf::from);
        let path = record.clone().or(named).ok_or_else(|| format!("{page} names no record"))?;
        if marked(&path, &section(&Record::open(&path)?)?) != found {
            eprintln!("{page} does not have the figures of {}: run benches/readme", path.display());
            same = false;
        }
    }
    Ok(same)
}

/// Splits a page before and after its figures. The figures include their marks.
fn parts<'a>(page: &str, text: &'a str) -> Result<[&'a str; 3], String> {
    let lacks = |mark: &str| format!("{page} has no line {mark:?}");
    let start = text.find(BEGIN[0]).ok_or_else(|| lacks(BEGIN[0]))?;
    let length = text[start..].find(END).ok_or_else(|| lacks(END))? + END.len();
    let (before, rest) = text.split_at(start);
    let (section, after) = rest.split_at(length);
    Ok([before, section, after])
}

fn marked(path: &Path, section: &str) -> String {
    format!("{}{}{}\n{section}{END}", BEGIN[0], path.display(), BEGIN[1])
}

/// Makes five rows, the plot and the losses, for the README.
fn summary(record: &Record) -> Result<String, Box<dyn Error>> {
    let bench = Bench::deserialize(record.bench.as_ref().ok_or("the record has no bench")?)?;
    let file = largest(&bench.files).into_iter().next().ok_or("the bench has no file")?;
    let mut table = Table::new(&["question", "meshpeek", bench.rival(), "times faster", "times faster, cold"]);
    for (question, text) in SUMMARY {
        let find = |cache: &str| {
            let mut all = file.questions.iter();
            all.find(|found| found.question == question && found.cache == cache).map(BenchQuestion::cells)
        };
        let [ours, theirs, ratio] = find("warm").ok_or_else(|| format!("the bench has no question {question}"))?;
        let [_, _, cold] = find("cold").unwrap_or_default();
        let median = |cell: String| cell.replace("**", "").split(" [").next().unwrap_or_default().to_owned();
        let time = |cell: String| match cell.split_once(" [") {
            Some((median, rest)) => format!("{median} {}", rest.split_once("] ").map_or("", |(_, unit)| unit)),
            None => cell,
        };
        table.rows.push(vec![text.into(), time(ours), time(theirs), median(ratio), median(cold)]);
    }
    let ((lost, all), (lost_small, _)) = (losses(&bench, f64::INFINITY), losses(&bench, SMALL_FILE));
    let small = if lost_small == lost { "all".into() } else { lost_small.to_string() };
    let mut out = format!(
        "A UNIGINE mesh of {:.0} MB, against {} and {} the whole file; medians of {} rounds\non {}. \"Cold\" \
         means that the system's cache has no byte of the file. Below 1, copying is faster.\n\n",
        file.bytes / 1e6,
        if bench.has_reading() { "the faster of two loaders that read" } else { "a loader that reads" },
        if bench.has_reading() { "decode" } else { "decodes" },
        bench.rounds,
        record.cpu
    );
    out += &table.markdown();
    if let Some(plot) = &record.plot {
        out += &format!("\n![Time of each question by file size]({FOLDER}/{plot})\n");
    }
    out += &format!(
        "\nCopying is faster in {lost} of {all} measured cases, {small} of them with files of about 1 MB.\n\
         The [speed page](src/guide/speed.md) has all cases, and other libraries.\n"
    );
    Ok(out)
}

/// Makes all tables, for the guide.
fn details(record: &Record) -> Result<String, Box<dyn Error>> {
    let mut out = format!("Measured {}.\n", record.place());
    if let Some(bench) = &record.bench {
        out += &copying(&Bench::deserialize(bench)?);
    }
    if let Some(plot) = &record.plot {
        out += &format!("\n![Time of each question by file size](../../{FOLDER}/{plot})\n");
    }
    if !record.lines.is_empty() {
        out += "\n## Other libraries\n\nAll files are in the page cache. One UNIGINE mesh is also written in the formats of the other libraries;\n\
                meshpeek always reads the `.mesh`. The other formats have one index stream, and therefore 1.25 vertices per position.\n\n";
        out += &Table::of(&record.lines).markdown();
    }
    for why in &record.skipped {
        out += &format!("\nNot measured: {why}.\n");
    }
    out += &claims(&record.claims);
    Ok(out)
}

/// Makes the table against the copying loader, for the largest file of each format.
fn copying(bench: &Bench) -> String {
    let cold = format!("{}, cold", bench.rival());
    let head = ["file", "question", "meshpeek", bench.rival(), "ratio", "meshpeek, cold", &cold, "ratio, cold"];
    let mut table = Table::new(&head);
    for file in largest(&bench.files) {
        let mut name = file.name.clone();
        for question in file.questions.iter().filter(|question| question.cache == "warm") {
            let cold = |other: &&BenchQuestion| other.cache == "cold" && other.question == question.question;
            let text = question.question.replace('-', " ");
            let warm = question.cells();
            let cold = file.questions.iter().find(cold).map_or_else(Default::default, BenchQuestion::cells);
            table.rows.push([std::mem::take(&mut name), text].into_iter().chain(warm).chain(cold).collect());
        }
    }
    let mut out = format!(
        "\n## A loader that copies\n\nThe copying loader reads the whole file and decodes it into lists. {}{} rounds; the largest file of each format.\n\n",
        if bench.has_reading() {
            "The reading loader reads each array\nstraight into its list. The best rival is the faster of the two. "
        } else {
            ""
        },
        bench.rounds
    );
    out += &table.markdown();
    let (lost, all) = losses(bench, f64::INFINITY);
    out += &format!(
        "\nCopying is faster in {lost} of {all} cases, smaller files included. These are bold; the record has the others.\n"
    );
    // The record also has a line for each loss of one file, which begins with the file's name.
    let named = |line: &str| bench.files.iter().any(|file| line.starts_with(&file.name));
    let general: Vec<&String> = bench.copying_wins.iter().filter(|line| !named(line)).collect();
    if !general.is_empty() {
        out += "\nWhere copying is always faster:\n\n";
        general.iter().for_each(|line| out += &format!("- {line}\n"));
    }
    out
}

/// Counts the ratios below 1, and all ratios, of the files that are smaller than `end` bytes.
fn losses(bench: &Bench, end: f64) -> (usize, usize) {
    let files = bench.files.iter().filter(|file| file.bytes < end);
    let ratios = files.flat_map(|file| &file.questions).filter_map(|question| question.ratio);
    ratios.fold((0, 0), |(lost, all), ratio| (lost + usize::from(ratio.median < 1.0), all + 1))
}

/// Makes a table of each question of the benches.
fn claims(claims: &[Claim]) -> String {
    let mut out = String::new();
    let mut title = None;
    for claim in claims {
        if title != Some((&claim.bench, &claim.question)) {
            if title.is_none() {
                out += "\n## Single questions\n\nEach bench answers one question. `cargo bench --bench NAME -- claims` measures it again. \"Bar\" is the\nfigure that the project requires.\n";
            }
            out += &format!("\n`{}`: {}\n\n| | measured | bar |\n|---|---|---|\n", claim.bench, claim.question);
            title = Some((&claim.bench, &claim.question));
        }
        let row = format!("| {} | {} | {} |\n", claim.what, claim.found, claim.bar);
        out += &row.replace('[', "\\[").replace(']', "\\]");
    }
    out
}

/// Returns the largest file of each format, in the order of the formats.
fn largest(files: &[BenchFile]) -> Vec<&BenchFile> {
    let mut largest: Vec<&BenchFile> = Vec::new();
    for file in files {
        match largest.iter_mut().find(|other| other.kind() == file.kind()) {
            Some(other) if other.bytes < file.bytes => *other = file,
            Some(_) => {}
            None => largest.push(file),
        }
    }
    largest
}

impl Bench {
    /// Returns whether the record has a second loader, which reads each array into its list.
    fn has_reading(&self) -> bool {
        self.files.iter().flat_map(|file| &file.questions).any(|question| question.reading.is_some())
    }

    /// Returns the title of the loader whose times the tables show.
    fn rival(&self) -> &'static str {
        if self.has_reading() { "best rival" } else { "copying loader" }
    }
}

impl BenchFile {
    /// Returns the kind of file: the name of a generated file without its size.
    fn kind(&self) -> &str {
        self.name.rsplit_once(' ').map_or(&self.name, |(_, kind)| kind)
    }
}

impl BenchQuestion {
    /// Returns the times of meshpeek and of the best rival, and their ratio. The ratio is bold if
    /// copying is faster.
    fn cells(&self) -> [String; 3] {
        let best = if self.best_rival.as_deref() == Some("reading") { self.reading } else { self.copying };
        let [ours, theirs] = [self.meshpeek, best].map(|time| time.map_or_else(String::new, Seconds::text));
        let ratio = self.ratio.map_or_else(String::new, |ratio| match spread(ratio, 1.0) {
            lost if ratio.median < 1.0 => format!("**{lost}**"),
            won => won,
        });
        [ours, theirs, ratio]
    }
}

impl Seconds {
    fn text(self) -> String {
        seconds(Spread { median: self.median_s, least: self.least_s, most: self.most_s })
    }
}

//! The README's figures, made from a record: what stands between two marks.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use meshpeek_competitors::Spread;
use serde::Deserialize;

use crate::Outcome;
use crate::record::{FOLDER, Record};
use crate::table::{Table, seconds, spread};

const README: &str = "README.md";
const BEGIN: [&str; 2] = ["<!-- speed: made by benches/readme from ", " -->\n"];
const END: &str = "<!-- /speed -->\n";

/// What `meshpeek bench --json` says, as far as it is told here.
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
    ratio: Option<Spread>,
}

#[derive(Clone, Copy, Deserialize)]
struct Seconds {
    median_s: f64,
    least_s: f64,
    most_s: f64,
}

/// Puts a record into the README: the newest, if none is named.
pub fn write(record: Option<PathBuf>) -> Outcome {
    let path = record.map_or_else(Record::newest, Ok)?;
    let readme = fs::read_to_string(README)?;
    let [before, _, after] = parts(&readme)?;
    fs::write(README, format!("{before}{}{after}", section(&path)?))?;
    Ok(true)
}

/// Tells whether the README is what its record makes, or the one that is named.
pub fn check(record: Option<PathBuf>) -> Outcome {
    let readme = fs::read_to_string(README)?;
    let [_, section_now, _] = parts(&readme)?;
    let named = section_now[BEGIN[0].len()..].split(BEGIN[1]).next().map(PathBuf::from);
    let path = record.or(named).ok_or("the README names no record")?;
    let same = section(&path)? == section_now;
    if !same {
        eprintln!("{README} is not what {} makes: benches/readme makes it so", path.display());
    }
    Ok(same)
}

/// Cuts the README before and behind the section, which has its marks.
fn parts(readme: &str) -> Result<[&str; 3], String> {
    let lacks = |mark: &str| format!("{README} has no line {mark:?}");
    let start = readme.find(BEGIN[0]).ok_or_else(|| lacks(BEGIN[0]))?;
    let length = readme[start..].find(END).ok_or_else(|| lacks(END))? + END.len();
    let (before, rest) = readme.split_at(start);
    let (section, after) = rest.split_at(length);
    Ok([before, section, after])
}

fn section(path: &Path) -> Result<String, Box<dyn Error>> {
    let record = Record::open(path)?;
    let mut out = format!("{}{}{}\n", BEGIN[0], path.display(), BEGIN[1]);
    out += &format!("Measured {}.\n", record.place());
    out += "Contestants are asked in turn, round by round: medians with [least..most], and ratios of the same round, which are above 1 where\n\
            meshpeek takes less. Ratios travel, absolute figures do not: `benches/competitors/run --bench` measures yours.\n";
    if let Some(bench) = &record.bench {
        out += &copying(&Bench::deserialize(bench)?);
    }
    if let Some(plot) = &record.plot {
        out += &format!("\n![What each question takes, by the size of the file]({FOLDER}/{plot})\n");
    }
    if !record.lines.is_empty() {
        out += "\nAgainst other libraries, warm. One UNIGINE mesh is written in their formats, and meshpeek always reads the `.mesh`.\n\
            Theirs have one stream of indices, and so 1.25 vertices for each of its positions.\n\n";
        out += &Table::of(&record.lines).markdown();
    }
    for why in &record.skipped {
        out += &format!("\nNot measured: {why}.\n");
    }
    Ok(out + END)
}

/// Tells how meshpeek does against the loader that copies: on the largest file of each format, because that is a page.
fn copying(bench: &Bench) -> String {
    let head = [
        "file",
        "question",
        "meshpeek",
        "copying loader",
        "ratio",
        "meshpeek, cold",
        "copying loader, cold",
        "ratio, cold",
    ];
    let mut table = Table::new(&head);
    for file in largest(&bench.files) {
        let mut name = file.name.clone();
        for question in file.questions.iter().filter(|question| question.cache == "warm") {
            let cold = |other: &&BenchQuestion| other.cache == "cold" && other.question == question.question;
            let asked = question.question.replace('-', " ");
            let warm = question.cells();
            let cold = file.questions.iter().find(cold).map_or_else(Default::default, BenchQuestion::cells);
            table.rows.push([std::mem::take(&mut name), asked].into_iter().chain(warm).chain(cold).collect());
        }
    }
    let rounds = bench.rounds;
    let mut out = format!(
        "\nAgainst a loader that reads the whole file and decodes it into lists, {rounds} rounds; the largest file of each format.\n\n"
    );
    out += &table.markdown();
    let ratios = bench.files.iter().flat_map(|file| &file.questions).filter_map(|question| question.ratio);
    let (lost, all) = ratios.fold((0, 0), |(lost, all), ratio| (lost + usize::from(ratio.median < 1.0), all + 1));
    out += &format!(
        "\nCopying takes less in {lost} of {all}, smaller files included: those that are bold, and more in the record.\n"
    );
    // Each of those is a line in the record, too, which begins with the file's name; others hold everywhere.
    let named = |line: &str| bench.files.iter().any(|file| line.starts_with(&file.name));
    let standing: Vec<&String> = bench.copying_wins.iter().filter(|line| !named(line)).collect();
    if !standing.is_empty() {
        out += "\nWhere copying wins, whatever was measured:\n\n";
        standing.iter().for_each(|line| out += &format!("- {line}\n"));
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

impl BenchFile {
    /// Tells what sort of file it is: of one that was made, the name without its size.
    fn kind(&self) -> &str {
        self.name.rsplit_once(' ').map_or(&self.name, |(_, kind)| kind)
    }
}

impl BenchQuestion {
    /// Returns both times and their ratio, bold where copying takes less.
    fn cells(&self) -> [String; 3] {
        let [ours, theirs] = [self.meshpeek, self.copying].map(|time| time.map_or_else(String::new, Seconds::text));
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

//! The results: tables for the terminal, and lines of figures for the record.

use meshpeek_competitors::Figure;

use crate::Contestant;
use crate::mesh::Mesh;
use crate::questions::Question;
use crate::support::claims::Series;

/// The cost of one contestant, and the number of its differing answers.
pub struct Found {
    /// The building times in seconds, round by round.
    pub build: Vec<f64>,
    /// The times in seconds for each question, turn by turn; empty if the question is not
    /// supported.
    pub asked: Vec<Vec<f64>>,
    pub bytes: Option<usize>,
    /// The number of differing answers to each question in the last turn.
    pub mismatches: Vec<usize>,
}

impl Found {
    pub fn new(questions: usize) -> Self {
        Self { build: Vec::new(), asked: vec![Vec::new(); questions], bytes: None, mismatches: vec![0; questions] }
    }

    /// Returns the times of building, and those for each question.
    fn times(&self) -> impl Iterator<Item = &Vec<f64>> {
        std::iter::once(&self.build).chain(&self.asked)
    }
}

/// Returns whether the answers agree with those of the first contestant. Prints where they do not.
pub fn agree(questions: &[Question], contestants: &[Contestant], found: &[Found]) -> bool {
    let mut agree = true;
    for (contestant, found) in contestants.iter().zip(found) {
        for (question, mismatches) in questions.iter().zip(&found.mismatches) {
            if *mismatches > contestant.tolerance * question.len() / 1000 {
                eprintln!("TOO MANY: {}, {}: {mismatches} answers differ", label(contestant), question.head);
                agree = false;
            }
        }
    }
    agree
}

/// Prints tables of the ratios, the times and the differing answers for a mesh.
pub fn print(mesh: &Mesh, questions: &[Question], contestants: &[Contestant], found: &[Found]) {
    let first = found[0].times().map(|times| Series(times.clone())).collect::<Vec<_>>();
    let ratio = |found: &Found| {
        let pairs = first.iter().zip(found.times()).map(|(first, times)| spread(&first.over(&Series(times.clone()))));
        pairs.collect()
    };
    let time = |found: &Found| {
        let counts = std::iter::once(mesh.triangles.len()).chain(questions.iter().map(Question::len));
        counts
            .zip(found.times())
            .map(|(count, times)| spread(&Series(times.clone()).times(1e9 / count as f64)))
            .collect()
    };
    let differ = |found: &Found| {
        let asked = found.asked.iter().zip(&found.mismatches);
        let asked = asked.map(|(times, number)| if times.is_empty() { "-".into() } else { number.to_string() });
        let each = |bytes: usize| format!("{:.2}", bytes as f64 / mesh.triangles.len() as f64);
        std::iter::once(found.bytes.map_or("-".into(), each)).chain(asked).collect()
    };
    let table = |title: &str, head: &str, cells: &dyn Fn(&Found) -> Vec<String>| {
        let heads = std::iter::once(head).chain(questions.iter().map(|question| question.head));
        let mut rows = vec![std::iter::once(title.into()).chain(heads.map(String::from)).collect::<Vec<_>>()];
        for (contestant, found) in contestants.iter().zip(found) {
            rows.push(std::iter::once(label(contestant)).chain(cells(found)).collect());
        }
        aligned(&rows);
    };
    eprintln!("\n{}, one thread; median [least..most]\n", mesh.name);
    table(&format!("ratio to {}", label(&contestants[0])), "build", &ratio);
    table("nanoseconds each", "build", &time);
    table("answers that differ", "bytes a triangle", &differ);
}

fn label(contestant: &Contestant) -> String {
    format!("{} {}", contestant.name, contestant.version)
}

fn spread(series: &Series) -> String {
    if series.0.is_empty() { "-".into() } else { series.to_string() }
}

/// Prints rows with aligned columns.
fn aligned(rows: &[Vec<String>]) {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths = (0..rows[0].len()).map(width).collect::<Vec<_>>();
    for row in rows {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        eprintln!("  {}", cells.collect::<Vec<_>>().join("  ").trim_end());
    }
    eprintln!();
}

/// Prints a line of JSON for each competitor and question, if meshpeek is among the contestants.
pub fn lines(mesh: &str, questions: &[Question], contestants: &[Contestant], found: &[Found]) {
    let both = || contestants.iter().zip(found);
    let Some((_, ours)) = both().find(|(contestant, _)| contestant.name == "meshpeek") else { return };
    let texts = || std::iter::once("a tree over all triangles").chain(questions.iter().map(|question| question.text));
    for (contestant, theirs) in both().filter(|(contestant, _)| contestant.name != "meshpeek") {
        for (question, (ours, theirs)) in texts().zip(ours.times().zip(theirs.times())) {
            line(mesh, question, contestant, ours, theirs);
        }
    }
}

fn line(mesh: &str, question: &str, contestant: &Contestant, ours: &[f64], theirs: &[f64]) {
    if ours.is_empty() || theirs.is_empty() {
        return;
    }
    let figure = Figure {
        format: "arrays".into(),
        mesh: mesh.into(),
        question: question.into(),
        competitor: contestant.name.into(),
        version: contestant.version.clone(),
        ..Figure::new(ours, theirs)
    };
    println!("{}", serde_json::to_string(&figure).unwrap());
}

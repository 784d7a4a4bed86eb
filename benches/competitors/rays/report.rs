//! The results: tables for the terminal, and lines of figures for the record.

use meshpeek_competitors::Figure;

use crate::Contestant;
use crate::questions::{Question, Unit};
use crate::support::claims::Series;

/// The cost of one contestant, and the number of its differing answers.
#[derive(Default)]
pub struct Found {
    /// The building times in seconds, round by round.
    pub build: Vec<f64>,
    /// The times in seconds for each question, turn by turn; empty if the question is not
    /// supported.
    pub asked: [Vec<f64>; 3],
    pub bytes: usize,
    /// The number of differing answers in the last turn.
    pub mismatches: [usize; 3],
}

impl Found {
    /// Returns whether at most one answer in a thousand differs.
    pub fn agrees(&self, questions: &[Question; 3]) -> bool {
        self.mismatches.iter().zip(questions).all(|(mismatches, question)| *mismatches <= question.len() / 1000)
    }
}

/// Prints a table for building a mesh of `triangles` triangles, and a table for each question.
pub fn print(mesh: &str, triangles: usize, questions: &[Question; 3], contestants: &[Contestant], found: &[Found]) {
    eprintln!("{mesh}, one thread; medians [least..most]");
    let bytes = |found: &Found| format!("{:.1} bytes for each triangle", found.bytes as f64 / triangles as f64);
    let build = found.iter().map(|found| (&found.build, bytes(found))).collect::<Vec<_>>();
    table("building", ("Mtriangles/s", 1e6), triangles, contestants, &build);
    for (number, question) in questions.iter().enumerate() {
        let differ = |found: &Found| format!("{} of {} differ", found.mismatches[number], question.len());
        let asked = found.iter().map(|found| (&found.asked[number], differ(found))).collect::<Vec<_>>();
        table(question.text, question.unit, question.len(), contestants, &asked);
    }
    eprintln!("\nRatios are of rates in the same turn, to {}: above 1 is faster.", contestants[0].name);
}

/// Prints a line for each contestant that answered: its rate, the ratio to the rate of the first
/// contestant, and an additional text.
fn table(title: &str, (unit, scale): Unit, count: usize, contestants: &[Contestant], found: &[(&Vec<f64>, String)]) {
    eprintln!("\n{title}");
    let first = Series(found[0].0.clone());
    for (Contestant { name, version, .. }, (seconds, more)) in contestants.iter().zip(found) {
        if !seconds.is_empty() {
            let series = Series((*seconds).clone());
            let (rate, ratio) = (series.rate(count as f64 / scale), first.over(&series));
            let who = format!("{name} {}", version());
            eprintln!("  {who:<26} {:<34} {:<20} {more}", format!("{rate} {unit}"), ratio.to_string());
        }
    }
}

/// Prints a line of JSON for each competitor and question, if meshpeek is among the contestants.
pub fn lines(mesh: &str, questions: &[Question; 3], contestants: &[Contestant], found: &[Found]) {
    let both = || contestants.iter().zip(found);
    let Some((_, ours)) = both().find(|(contestant, _)| contestant.name == "meshpeek") else { return };
    for (contestant, theirs) in both().filter(|(contestant, _)| contestant.name != "meshpeek") {
        line(mesh, "a tree over all triangles", contestant, &ours.build, &theirs.build);
        for (question, (ours, theirs)) in questions.iter().zip(ours.asked.iter().zip(&theirs.asked)) {
            line(mesh, question.text, contestant, ours, theirs);
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
        version: (contestant.version)(),
        ..Figure::new(ours, theirs)
    };
    println!("{}", serde_json::to_string(&figure).unwrap());
}

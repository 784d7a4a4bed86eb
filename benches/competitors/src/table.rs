//! A table of figures with notes below it, for a terminal or a Markdown page.

use std::fmt::Write;

use meshpeek_competitors::{Figure, Spread};

use crate::record::Record;

/// The cells: one list for each row, the head first.
pub struct Table {
    pub rows: Vec<Vec<String>>,
    pub notes: Vec<String>,
}

impl Table {
    pub fn new(head: &[&str]) -> Self {
        Self { rows: vec![head.iter().map(ToString::to_string).collect()], notes: Vec::new() }
    }

    /// Returns a table with the figures of all competitors. A figure that fails its bar is marked.
    pub fn of(figures: &[Figure]) -> Self {
        let head =
            ["competitor", "version", "format", "read", "question", "competitor takes", "meshpeek takes", "ratio"];
        let mut table = Self::new(&head);
        for figure in figures {
            let Figure { competitor, version, format, mesh, question, .. } = figure;
            let mark = figure.note.as_ref().map_or(String::new(), |note| format!(" [{}]", table.note(note)));
            let bar = figure
                .at_least
                .filter(|_| !figure.holds())
                .map_or(String::new(), |bar| format!(", FAILS: at least {bar}"));
            let ratio = spread(figure.ratio, 1.0) + &bar;
            let words = [competitor.clone() + &mark, version.clone(), format.clone(), mesh.clone(), question.clone()];
            table
                .rows
                .push(words.into_iter().chain([seconds(figure.theirs_s), seconds(figure.ours_s), ratio]).collect());
        }
        table
    }

    /// Returns the number of a note. Equal notes have the same number.
    fn note(&mut self, note: &str) -> usize {
        let known = self.notes.iter().position(|known| known == note);
        known.unwrap_or_else(|| {
            self.notes.push(note.into());
            self.notes.len() - 1
        }) + 1
    }

    /// Returns the table as text with aligned columns.
    pub fn aligned(&self) -> String {
        let width = |column: usize| self.rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..self.rows[0].len()).map(width).collect();
        let mut out = String::new();
        for row in &self.rows {
            let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
            writeln!(out, "{}", cells.collect::<Vec<_>>().join("  ").trim_end()).expect("strings grow");
        }
        self.notes.iter().enumerate().for_each(|(number, note)| out += &format!("[{}] {note}\n", number + 1));
        out
    }

    /// Returns the table as Markdown.
    pub fn markdown(&self) -> String {
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | ").replace('[', "\\[").replace(']', "\\]"));
        let mut out = line(&self.rows[0]) + &"|---".repeat(self.rows[0].len()) + "|\n";
        self.rows[1..].iter().for_each(|row| out += &line(row));
        let notes = self.notes.iter().enumerate().map(|(number, note)| format!("\\[{}\\] {note}", number + 1));
        let notes: Vec<String> = notes.collect();
        if notes.is_empty() { out } else { out + "\n" + &notes.join(";\n") + ".\n" }
    }
}

/// Returns the text of a record for a terminal.
pub fn text(record: &Record) -> String {
    let skipped = record.skipped.iter().map(|why| format!("skipped: {why}\n"));
    format!("{}\n\n{}{}", record.place(), Table::of(&record.lines).aligned(), skipped.collect::<String>())
}

/// Formats seconds in the unit that suits the median.
pub fn seconds(seconds: Spread) -> String {
    let (unit, factor) = match seconds.median {
        1.0.. => ("s", 1.0),
        1e-3.. => ("ms", 1e3),
        1e-6.. => ("µs", 1e6),
        _ => ("ns", 1e9),
    };
    format!("{} {unit}", spread(seconds, factor))
}

/// Formats the median and, if there is more than one value, `[least..most]`.
pub fn spread(Spread { median, least, most }: Spread, factor: f64) -> String {
    let [middle, low, high] = [median, least, most].map(|value| digits(value * factor));
    if least == most { middle } else { format!("{middle} [{low}..{high}]") }
}

/// Formats a number with three significant digits, or with all digits before the decimal point in
/// groups of three.
pub fn digits(value: f64) -> String {
    match value {
        1000.0.. => {
            let whole = format!("{value:.0}");
            let groups: Vec<&str> =
                whole.as_bytes().rchunks(3).rev().map(|group| std::str::from_utf8(group).expect("ASCII")).collect();
            groups.join(",")
        }
        99.95.. => format!("{value:.0}"),
        9.995.. => format!("{value:.1}"),
        0.0995.. => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

//! Converts the output of two programs, round by round, to figures. A line `round` starts a round.
//! Every other line is a label and a number of nanoseconds, or is ignored.

use std::collections::HashMap;
use std::io::{self, Read};

use meshpeek_competitors::{Figure, Spread};

/// For each round, the seconds of each label.
pub struct Rounds(Vec<HashMap<String, Vec<f64>>>);

impl Rounds {
    pub fn read(mut input: impl Read) -> io::Result<Self> {
        let mut text = String::new();
        input.read_to_string(&mut text)?;
        let mut rounds: Vec<HashMap<_, Vec<_>>> = Vec::new();
        for line in text.lines() {
            let nanoseconds = line.split_once(' ').and_then(|(label, rest)| Some((label, rest.parse::<f64>().ok()?)));
            match (line, nanoseconds, rounds.last_mut()) {
                ("round", ..) => rounds.push(HashMap::new()),
                (_, Some((label, time)), Some(round)) => round.entry(label.into()).or_default().push(time / 1e9),
                _ => {}
            }
        }
        Ok(Self(rounds))
    }

    /// Returns the figure for a text of the form `question: a or b / c, at least 30`. It compares
    /// the median of label a or b, whichever is less, with the median of label c.
    pub fn figure(&self, question: &str, who: [&str; 5]) -> Result<Figure, String> {
        let [competitor, version, format, mesh, note] = who.map(String::from);
        let parsed = question.rsplit_once(": ").and_then(|(question, rest)| {
            let (labels, bar) =
                rest.split_once(", at least ").map_or((rest, None), |(labels, bar)| (labels, Some(bar)));
            Some((question, labels.split_once(" / ")?, bar))
        });
        let (asked, (theirs, ours), bar) = parsed
            .ok_or_else(|| format!("{question:?}: expected `QUESTION: LABEL [or LABEL] / LABEL[, at least NUMBER]`"))?;
        let figure = Figure::new(&self.least(ours)?, &self.least(theirs)?);
        let at_least = bar
            .map(|bar| bar.parse().map_err(|_| format!("{bar:?}: expected a number after `at least`")))
            .transpose()?;
        let note = Some(note).filter(|note| !note.is_empty());
        Ok(Figure { format, mesh, question: asked.into(), competitor, version, at_least, note, ..figure })
    }

    /// Returns the least median of several labels, for each round.
    fn least(&self, labels: &str) -> Result<Vec<f64>, String> {
        let median = |round: &HashMap<String, Vec<f64>>, label: &str| {
            round
                .get(label)
                .map(|times| Spread::of(times).median)
                .ok_or_else(|| format!("a round has no line with the label {label}"))
        };
        if self.0.is_empty() {
            return Err("expected at least one line `round`, found none".into());
        }
        let rounds = self.0.iter().map(|round| {
            labels.split(" or ").try_fold(f64::INFINITY, |least, label| Ok(median(round, label)?.min(least)))
        });
        rounds.collect()
    }
}

//! The comparison of contestants. Every contestant answers the same question, in rounds, and all
//! answers must be equal. Then the measured numbers are printed with their bars.
//! `cargo bench -- claims` prints only these tables.
#![allow(
    dead_code,
    clippy::as_conversions,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "each bench uses only a part of it, and a panic is how a bench fails"
)]

use std::fmt::{self, Debug};
use std::time::{Duration, Instant};

use criterion::{Criterion, SamplingMode};

/// Returns the sum of the bits of floats. It differs if any of the floats differs, except by
/// coincidence.
#[inline]
pub fn bits<const N: usize>(values: [f32; N]) -> u64 {
    values.into_iter().fold(0, |sum: u64, value| sum.wrapping_add(value.to_bits().into()))
}

/// Returns whether the bench runs as a test: once, on the smallest input, and without comparing
/// numbers with bars.
pub fn testing() -> bool {
    let has = |flag: &str| std::env::args().any(|argument| argument == flag);
    !has("--bench") || has("--test")
}

/// Returns the number of rounds: `full`, or one if the bench runs as a test.
pub fn rounds(full: usize) -> usize {
    if testing() { 1 } else { full }
}

/// Returns criterion with the settings of these benches: few samples, because one sample may take
/// seconds.
pub fn criterion() -> Criterion {
    let criterion = Criterion::default().sample_size(10).without_plots();
    criterion.warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2)).configure_from_args()
}

/// A contestant: its name, and a function that returns its time and its answer.
pub struct Contestant<'a, A> {
    pub name: &'static str,
    pub run: Box<dyn Fn() -> (Duration, A) + 'a>,
}

impl<'a, A> Contestant<'a, A> {
    /// Creates a contestant from a job that returns its answer and the data that it holds. Dropping
    /// this data is not measured.
    pub fn new<Held>(name: &'static str, job: impl Fn() -> (A, Held) + 'a) -> Self {
        let run = move || {
            let start = Instant::now();
            let (answer, held) = std::hint::black_box(job());
            let time = start.elapsed();
            drop(held);
            (time, answer)
        };
        Self { name, run: Box::new(run) }
    }

    /// Creates a contestant from a job only. The answer is computed from its result afterwards,
    /// which is not measured.
    pub fn asked<Made>(name: &'static str, job: impl Fn() -> Made + 'a, answer: impl Fn(&Made) -> A + 'a) -> Self {
        let run = move || {
            let start = Instant::now();
            let made = std::hint::black_box(job());
            let time = start.elapsed();
            (time, answer(&made))
        };
        Self { name, run: Box::new(run) }
    }

    /// Runs the job once before each measurement. After that, the cache contains the data of this
    /// contestant instead of the data of the previous one.
    pub fn again(self) -> Self
    where
        A: 'a,
    {
        let run = self.run;
        Self { name: self.name, run: Box::new(move || (run(), run()).1) }
    }
}

/// Runs all contestants once, and panics if their answers differ. Then criterion measures each of
/// them.
pub fn compare<A: Debug + PartialEq>(
    criterion: &mut Criterion,
    question: &str,
    input: &str,
    contestants: &[Contestant<'_, A>],
) {
    let expected = (contestants[0].run)().1;
    let mut group = criterion.benchmark_group(format!("{question}, {input}"));
    group.sampling_mode(SamplingMode::Flat);
    for Contestant { name, run } in contestants {
        assert_eq!(run().1, expected, "{name}");
        group.bench_function(*name, |bencher| {
            bencher.iter_custom(|times| (0..times).map(|_| run().0).sum());
        });
    }
}

/// Runs the contestants in turn for the given number of rounds. Returns the seconds of each
/// contestant, round by round.
pub fn race<A: Debug + PartialEq, const N: usize>(count: usize, contestants: &[Contestant<'_, A>; N]) -> [Series; N] {
    let mut times = [const { Vec::new() }; N];
    for _ in 0..rounds(count) {
        let mut expected = None;
        for (times, Contestant { name, run }) in times.iter_mut().zip(contestants) {
            let (time, answer) = run();
            assert_eq!(Some(&answer), expected.as_ref().or(Some(&answer)), "{name}");
            expected = Some(answer);
            times.push(time.as_secs_f64());
        }
    }
    times.map(Series)
}

/// One number for each round.
#[derive(Clone, Debug)]
pub struct Series(pub Vec<f64>);

impl Series {
    /// Divides the numbers of `self` by those of `other`, round by round.
    pub fn over(&self, other: &Self) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(mine, other)| mine / other).collect())
    }

    /// Multiplies each number by `factor`, for example to convert seconds to another unit.
    pub fn times(&self, factor: f64) -> Self {
        Self(self.0.iter().map(|figure| figure * factor).collect())
    }

    /// Divides `amount` by each number, which converts seconds to a rate.
    pub fn rate(&self, amount: f64) -> Self {
        Self(self.0.iter().map(|seconds| amount / seconds).collect())
    }

    /// Returns the minimum, the median and the maximum.
    fn spread(&self) -> [f64; 3] {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        [sorted[0], sorted[sorted.len() / 2], sorted[sorted.len() - 1]]
    }
}

impl From<f64> for Series {
    fn from(figure: f64) -> Self {
        Self(vec![figure])
    }
}

impl fmt::Display for Series {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [least, middle, most] = self.spread().map(figure);
        if self.0.len() == 1 { out.write_str(&middle) } else { write!(out, "{middle} [{least}..{most}]") }
    }
}

/// Formats a number with three significant digits, or with all digits before the decimal point in
/// groups of three.
fn figure(value: f64) -> String {
    match value {
        ..1000.0 if value.fract() == 0.0 => value.to_string(),
        1000.0.. => {
            let whole = value.round() as u64;
            let (high, low) = (whole / 1000, whole % 1000);
            let high = if high < 1000 { high.to_string() } else { figure(high as f64) };
            format!("{high},{low:03}")
        }
        99.95.. => format!("{value:.0}"),
        9.995.. => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// The condition for a measured number.
#[derive(Clone, Copy, Debug)]
pub enum Bar {
    AtLeast(f64),
    AtMost(f64),
    /// No condition: the number is printed for information.
    None,
}

impl Bar {
    fn holds(self, figure: f64) -> bool {
        match self {
            Self::AtLeast(bar) => figure >= bar,
            Self::AtMost(bar) => figure <= bar,
            Self::None => true,
        }
    }
}

/// Prints the head of a table of claims.
pub fn title(question: &str) {
    let judged = if testing() { ", run once on a small file, not judged" } else { ", median [least..most] of rounds" };
    println!("\n{question}{judged}");
}

/// Prints one line of the table, and returns whether the median meets the bar.
pub fn claim(what: &str, found: impl Into<Series>, unit: &str, bar: Bar) -> bool {
    let found = found.into();
    let [_, median, _] = found.spread();
    let holds = bar.holds(median);
    let verdict = match (testing(), holds) {
        (true, _) => "",
        (false, true) => ": holds",
        (false, false) => ": FAILS",
    };
    let bar = match bar {
        Bar::AtLeast(bar) => format!("at least {}{verdict}", figure(bar)),
        Bar::AtMost(bar) => format!("at most {}{verdict}", figure(bar)),
        Bar::None => String::new(),
    };
    println!("  {what:<58} {:<34} {bar}", format!("{found} {unit}"));
    holds
}

/// Prints a line for a measurement that is impossible on this machine.
pub fn skipped(what: &str, why: &str) {
    println!("  {what:<58} skipped: {why}");
}

/// Prevents the compiler from removing the computation of an unused value.
pub fn keep<T>(answer: T) {
    std::hint::black_box(answer);
}

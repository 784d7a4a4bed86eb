//! The median, minimum and maximum of a set of numbers.

// Rule: this file sorts and maps by copies only.

use crate::program::output::units::significant;

/// The median, minimum and maximum of a set of numbers, such as the times of all rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    pub median: f64,
    pub least: f64,
    pub most: f64,
}

impl Spread {
    /// Returns the median, minimum and maximum of the numbers, or `None` if the iterator is empty.
    pub fn of(numbers: impl Iterator<Item = f64>) -> Option<Self> {
        let mut numbers: Vec<f64> = numbers.collect();
        numbers.sort_by(f64::total_cmp);
        let middle = numbers.len() / 2;
        let upper = *numbers.get(middle)?;
        let lower = middle.checked_sub(usize::from(numbers.len().is_multiple_of(2)));
        let lower = *numbers.get(lower?)?;
        Some(Self { median: f64::midpoint(lower, upper), least: *numbers.first()?, most: *numbers.last()? })
    }
}

/// Formats the median, minimum and maximum of times in seconds. The size of the median determines
/// the unit of all three times, such as ms.
pub fn spent(time: Option<Spread>) -> String {
    let Some(time) = time else { return "not measured".to_owned() };
    match time.median {
        ..1e-3 => spread(&time, 1e6, "µs"),
        1e-3..1.0 => spread(&time, 1e3, "ms"),
        _ => spread(&time, 1.0, "s"),
    }
}

/// Formats a median, minimum and maximum as numbers in the given unit. Each of the three numbers is
/// multiplied by `scale` first.
pub fn spread(Spread { median, least, most }: &Spread, scale: f64, unit: &str) -> String {
    let [median, least, most] = [median, least, most].map(|number| significant(number * scale));
    format!("{median} [{least}..{most}] {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_the_middle() {
        let of = |numbers: &[f64]| Spread::of(numbers.iter().copied());
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[2.0]), Some(Spread { median: 2.0, least: 2.0, most: 2.0 }));
        assert_eq!(of(&[9.0, 1.0, 2.0]), Some(Spread { median: 2.0, least: 1.0, most: 9.0 }));
        assert_eq!(of(&[4.0, 1.0, 2.0, 9.0]), Some(Spread { median: 3.0, least: 1.0, most: 9.0 }));
    }

    #[test]
    fn shows_times_in_the_unit_of_the_median() {
        let times = [(2e-5, "20.0 [20.0..20.0] µs"), (0.002, "2.00 [2.00..2.00] ms"), (3.0, "3.00 [3.00..3.00] s")];
        for (median, text) in times {
            assert_eq!(spent(Some(Spread { median, least: median, most: median })), text);
        }
        assert_eq!(spent(None), "not measured");
    }
}

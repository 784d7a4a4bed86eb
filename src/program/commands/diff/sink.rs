//! Counts the differences, and passes them on to be printed.

use std::io;

use super::both::Both;
use super::difference::{DiffPlace, Difference};
use super::options::{DiffKind, DiffOptions};
use super::value::DiffValue;

/// A function that prints one difference.
pub type PrintDifference<'o> = &'o mut dyn FnMut(&Difference) -> io::Result<()>;

/// Counts the differences of each kind, and passes the first of them to a function.
pub struct DiffSink<'o> {
    pub options: &'o DiffOptions,
    print: PrintDifference<'o>,
    /// The number of differences of each kind, in the order of [`DiffKind::ALL`].
    totals: [u64; DiffKind::ALL.len()],
}

impl<'o> DiffSink<'o> {
    pub fn new(options: &'o DiffOptions, print: PrintDifference<'o>) -> Self {
        Self { options, print, totals: [0; DiffKind::ALL.len()] }
    }

    /// Returns all kinds of differences, each with the number of those that were found.
    pub fn totals(&self) -> impl Iterator<Item = (DiffKind, u64)> + use<> {
        DiffKind::ALL.into_iter().zip(self.totals)
    }

    /// Returns whether a difference was found.
    pub fn has_differences(&self) -> bool {
        self.totals.iter().any(|total| *total > 0)
    }

    /// Returns whether the rest of the comparison cannot change the output.
    pub fn is_decided(&self) -> bool {
        self.options.is_brief && self.has_differences()
    }

    /// Adds a difference, unless its kind is not wanted. Calls `difference` only if it is printed.
    pub fn add(&mut self, kind: DiffKind, difference: impl FnOnce() -> Difference) -> io::Result<()> {
        if !self.options.wants(kind) {
            return Ok(());
        }
        let totals = DiffKind::ALL.into_iter().zip(&mut self.totals);
        let total = totals.filter(|(known, _)| *known == kind).map(|(_, total)| total).next();
        let is_listed = total.is_some_and(|total| {
            *total = total.saturating_add(1);
            *total <= self.options.max_listed
        });
        if is_listed { (self.print)(&difference()) } else { Ok(()) }
    }

    /// Adds a difference if two values are not the same.
    pub fn compare(&mut self, kind: DiffKind, place: &DiffPlace<'_>, values: Both<DiffValue>) -> io::Result<()> {
        self.compare_as(kind, place, values, |value| value)
    }

    /// Adds a difference if two values are not the same. `shown` makes the values to print.
    pub fn compare_as<T: PartialEq>(
        &mut self,
        kind: DiffKind,
        place: &DiffPlace<'_>,
        values: Both<T>,
        shown: impl Fn(T) -> DiffValue,
    ) -> io::Result<()> {
        if values.a == values.b {
            return Ok(());
        }
        self.add(kind, || Difference { kind, place: place.text(), values: values.map(shown), items: None })
    }

    /// Adds a difference if a component of two vectors differs by more than the tolerance.
    pub fn compare_floats(&mut self, kind: DiffKind, place: &DiffPlace<'_>, floats: Both<&[f32]>) -> io::Result<()> {
        let wide = |floats: &[f32]| floats.iter().copied().map(f64::from).collect::<Vec<_>>();
        if floats.a == floats.b || self.options.tolerance.greatest(&wide(floats.a), &wide(floats.b)).is_none() {
            return Ok(());
        }
        let values = floats.map(|floats| match floats {
            [] => DiffValue::Missing,
            [float] => DiffValue::Float(*float),
            _ => DiffValue::Floats(floats.to_vec()),
        });
        self.add(kind, || Difference { kind, place: place.text(), values, items: None })
    }
}

//! Counts the differences, and passes them on to be printed.

use std::io;

use clap::ValueEnum as _;

use super::both::Both;
use super::difference::{DiffPlace, Difference};
use super::options::{DiffKind, DiffOptions};
use super::value::DiffValue;
use crate::Name;
use crate::model::animation::Affine;

/// A function that prints one difference.
pub type PrintDifference<'o> = &'o mut dyn FnMut(&Difference) -> io::Result<()>;

/// Counts the differences of each kind, and passes the first of them to a function.
pub struct DiffSink<'o> {
    pub options: &'o DiffOptions,
    print: PrintDifference<'o>,
    /// All kinds of differences, each with the number of those that were found.
    pub totals: Vec<(DiffKind, u64)>,
}

impl<'o> DiffSink<'o> {
    pub fn new(options: &'o DiffOptions, print: PrintDifference<'o>) -> Self {
        Self { options, print, totals: DiffKind::value_variants().iter().map(|kind| (*kind, 0)).collect() }
    }

    /// Returns whether a difference was found.
    pub fn has_differences(&self) -> bool {
        self.totals.iter().any(|(_, total)| *total > 0)
    }

    /// Returns whether the rest of the comparison cannot change the output.
    pub fn is_decided(&self) -> bool {
        self.options.brief && self.has_differences()
    }

    /// Adds a difference, unless its kind is not wanted. Calls `difference` only if it is printed.
    pub fn add(&mut self, kind: DiffKind, difference: impl FnOnce() -> Difference) -> io::Result<()> {
        if !self.options.wants(kind) {
            return Ok(());
        }
        let is_listed = self.totals.iter_mut().find(|(known, _)| *known == kind).is_some_and(|(_, total)| {
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

    /// Adds a difference if two names are not the same.
    pub fn compare_names(
        &mut self,
        place: &DiffPlace<'_>,
        part: &str,
        names: Both<Option<Name<'_>>>,
    ) -> io::Result<()> {
        self.compare_as(DiffKind::Names, &place.part(part, part), names, DiffValue::name)
    }

    /// Adds a difference if a component of two matrices differs by more than the tolerance.
    pub fn compare_matrices(
        &mut self,
        kind: DiffKind,
        place: &DiffPlace<'_>,
        matrices: Both<&Affine>,
    ) -> io::Result<()> {
        let columns = matrices.map(Affine::columns_f32);
        self.compare_floats(kind, place, columns.as_ref().map(|columns| columns.as_flattened()))
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

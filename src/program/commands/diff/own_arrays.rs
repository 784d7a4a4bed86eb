//! Compares the arrays that not every format has, such as the flags of polygons.

use std::ops::Range;

use super::both::Both;
use super::comparison::MeshComparison;
use super::difference::DiffPlace;
use super::items::ItemCounter;
use super::options::DiffKind;
use super::value::DiffValue;
use crate::Surface;
use crate::math::{as_u64, narrow};
use crate::model::{ExtraArray, ExtraArrayInfo, ExtraItem, ItemOwner};

/// The number of items that are decoded at a time.
const CHUNK: usize = 4096;

impl MeshComparison<'_, '_> {
    /// Compares the arrays of two surfaces that only the format of both files has.
    ///
    /// Trees are left out, because they follow from the triangles.
    pub fn compare_own_arrays(&mut self, place: &DiffPlace<'_>, surfaces: Both<Surface<'_>>) -> anyhow::Result<()> {
        if !self.options().wants(DiffKind::Attributes) || !self.sides.have_same_format() || self.is_by_corner() {
            return Ok(());
        }
        for info in surfaces.a.geometry.extra_arrays() {
            if self.sink.is_decided() {
                break;
            }
            if matches!(info.owner, ItemOwner::Vertex | ItemOwner::Triangle) {
                self.compare_own_array(place, surfaces, info)?;
            }
        }
        Ok(())
    }

    fn compare_own_array(
        &mut self,
        place: &DiffPlace<'_>,
        surfaces: Both<Surface<'_>>,
        info: &ExtraArrayInfo,
    ) -> anyhow::Result<()> {
        let Both { a, b } = self.read(surfaces, |surface| surface.extra_array(info.name))?;
        // Older versions of a format do not store what follows from the triangles.
        if info.owner == ItemOwner::Triangle && (a.is_none() || b.is_none()) {
            return Ok(());
        }
        let name = info.name;
        let key = name.replace('-', "_");
        let place = place.part(&key, name);
        let counts = Both::new(&a, &b).map(|array| array.as_ref().map_or(0, ExtraArray::count));
        self.sink.compare(DiffKind::Counts, &place, counts.map(DiffValue::count))?;
        let Some(Both { a, b }) = Both::new(a, b).all() else { return Ok(()) };
        let count = counts.a.min(counts.b);
        let mut counter = ItemCounter::default();
        for start in (0..count).step_by(CHUNK) {
            let range = start..start.saturating_add(CHUNK).min(count);
            let rows = Both { a: rows(&a, range.clone())?, b: rows(&b, range)? };
            for ((a, b), number) in rows.a.iter().zip(&rows.b).zip(as_u64(start)..) {
                if let Some(largest) = self.options().tolerance.greatest(a, b) {
                    counter.add(number, Some(largest), || Both::new(shown(a), shown(b)));
                }
            }
        }
        Ok(self.add_items(DiffKind::Attributes, &place, counter.finish(as_u64(count)))?)
    }
}

/// Returns the numbers of some items of an array.
fn rows(array: &ExtraArray<'_>, range: Range<usize>) -> std::io::Result<Vec<Vec<f64>>> {
    let mut rows = Vec::with_capacity(range.len());
    array.visit(range, false, &mut |item| {
        rows.push(match item {
            ExtraItem::Integers(integers) => integers.iter().map(|integer| lossy(*integer)).collect(),
            ExtraItem::Floats(floats) => floats.iter().copied().map(f64::from).collect(),
        });
        Ok(())
    })?;
    Ok(rows)
}

#[allow(clippy::as_conversions, clippy::cast_precision_loss, reason = "all integers have at most 32 bits")]
fn lossy(integer: i64) -> f64 {
    integer as f64
}

fn shown(row: &[f64]) -> DiffValue {
    match row {
        [only] => DiffValue::Float(narrow(*only)),
        _ => DiffValue::Floats(row.iter().map(|part| narrow(*part)).collect()),
    }
}

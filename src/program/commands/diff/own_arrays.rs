//! Compares the arrays that only one format has, such as the flags of polygons.

use super::both::Both;
use super::comparison::MeshComparison;
use super::difference::DiffPlace;
use super::items::ItemCounter;
use super::options::DiffKind;
use super::side::DiffSide;
use super::value::DiffValue;
use crate::formats::FormatFile;
use crate::formats::unreal::NormalShading;
use crate::math::{as_u64, narrow};
use crate::program::args::Attribute;
use crate::program::formats::facts::{self, DumpRequest, ValueSource};
use crate::program::formats::unreal::frame_args::FrameArgs;
use crate::program::render::values::{Item, Values};

/// The number of items that are decoded at a time.
const CHUNK: usize = 4096;

/// The options of `dump` that print the stored values of a frame.
const STORED: FrameArgs =
    FrameArgs { frame: None, clip: None, placed: false, shading: NormalShading::Flagged, uv_listing: false };

const OF_POLYGONS: &[Attribute] = &[Attribute::Types, Attribute::Textures, Attribute::ColorBytes, Attribute::Flags];
const OF_TRIANGLES: &[Attribute] = &[Attribute::Edges];
const OF_VERTICES: &[Attribute] = &[
    Attribute::Tangents,
    Attribute::Bitangents,
    Attribute::Radius,
    Attribute::Interp1,
    Attribute::Interp2,
    Attribute::Interp3,
    Attribute::Interp4,
    Attribute::Interp5,
    Attribute::Interp6,
    Attribute::Interp7,
    Attribute::Interp8,
];

impl MeshComparison<'_, '_> {
    /// Compares the arrays of two surfaces that only the format of both files has.
    ///
    /// Trees are left out, because they follow from the triangles.
    pub fn compare_own_arrays(&mut self, place: &DiffPlace<'_>, pair: Both<usize>) -> anyhow::Result<()> {
        if !self.options().wants(DiffKind::Attributes) || !self.sides.have_same_format() || self.is_by_corner() {
            return Ok(());
        }
        let attributes = match self.sides.a.asset.model.format_file() {
            FormatFile::Unigine(_) => OF_TRIANGLES,
            FormatFile::Unreal(_) => OF_POLYGONS,
            FormatFile::EzMesh(_) => OF_VERTICES,
            _ => return Ok(()),
        };
        for attribute in attributes {
            if self.sink.is_decided() {
                break;
            }
            self.compare_own_array(place, pair, *attribute)?;
        }
        Ok(())
    }

    fn compare_own_array(
        &mut self,
        place: &DiffPlace<'_>,
        pair: Both<usize>,
        attribute: Attribute,
    ) -> anyhow::Result<()> {
        let (a, b) = (values_of(self.sides.a, pair.a, attribute)?, values_of(self.sides.b, pair.b, attribute)?);
        // Edges follow from the triangles, and older versions of the format do not store them.
        if attribute == Attribute::Edges && (a.is_none() || b.is_none()) {
            return Ok(());
        }
        let name = attribute.name();
        let key = name.replace('-', "_");
        let place = place.part(&key, &name);
        let counts = Both::new(&a, &b).map(|values| values.as_ref().map_or(0, |values| values.count()));
        self.sink.compare(DiffKind::Counts, &place, counts.map(DiffValue::count))?;
        let Some(Both { a, b }) = Both::new(a, b).all() else { return Ok(()) };
        let count = counts.a.min(counts.b);
        let mut counter = ItemCounter::default();
        for start in (0..count).step_by(CHUNK) {
            let range = start..start.saturating_add(CHUNK).min(count);
            let rows = Both { a: rows(&*a, range.clone())?, b: rows(&*b, range)? };
            for ((a, b), number) in rows.a.iter().zip(&rows.b).zip(as_u64(start)..) {
                if let Some(largest) = self.options().tolerance.greatest(a, b) {
                    counter.add(number, Some(largest), || Both::new(shown(a), shown(b)));
                }
            }
        }
        Ok(self.add_items(DiffKind::Attributes, &place, counter.finish(as_u64(count)))?)
    }
}

/// Returns the values of an attribute of one surface, or `None` if it does not have them.
fn values_of(side: &DiffSide, surface: usize, attribute: Attribute) -> anyhow::Result<Option<Box<dyn Values + '_>>> {
    let request = DumpRequest { surface, attribute, raw: false, frame: &STORED, clip: None };
    let source = ValueSource { model: &side.asset.model, level: None, lent: None };
    let values = facts::values(&source, &request);
    values.map_err(|error| side.asset.locate_any_error(error, &side.path))
}

/// Returns the components of some items of an array.
fn rows(values: &dyn Values, range: std::ops::Range<usize>) -> std::io::Result<Vec<Vec<f64>>> {
    let mut rows = Vec::with_capacity(range.len());
    values.visit(range, false, &mut |item| {
        rows.push(match item {
            Item::Number(number) => vec![number.into()],
            Item::Integer(number) => vec![number.into()],
            Item::Float(float) => vec![float.into()],
            Item::Floats(floats) => floats.iter().copied().map(f64::from).collect(),
            Item::Integers(integers) => integers.iter().copied().map(f64::from).collect(),
            Item::Influences(_) | Item::RawInfluences(_) => Vec::new(),
        });
        Ok(())
    })?;
    Ok(rows)
}

fn shown(row: &[f64]) -> DiffValue {
    match row {
        [only] => DiffValue::Float(narrow(*only)),
        _ => DiffValue::Floats(row.iter().map(|part| narrow(*part)).collect()),
    }
}

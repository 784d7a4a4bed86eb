//! Lists of influences as two arrays in which every vertex has the same number of influences.

use std::io;
use std::ops::Range;

use crate::model::NumberType;
use crate::program::outcome::usage;
use crate::program::output::{Item, Sink, Values, pass_on, pass_on_full};

/// The largest number of influences to which the lists of all vertices are padded.
const MAX_PADDED: usize = 256;

/// A part of all influences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InfluencePart {
    Bones,
    Weights,
}

/// Returns the largest number of influences on a vertex.
pub fn largest_count(values: &dyn Values, range: Range<usize>, raw: bool, number: usize) -> anyhow::Result<usize> {
    let mut largest = 0;
    values.visit(range, raw, &mut |item| {
        largest = largest.max(match item {
            Item::Influences(list) => list.len(),
            Item::RawInfluences(list) => list.len(),
            _ => 0,
        });
        Ok(())
    })?;
    if largest > MAX_PADDED {
        usage!(
            "surface {number}: a vertex has {largest} influences, and the arrays hold at most {MAX_PADDED}; \
            leave out weights, or print them with --json"
        );
    }
    Ok(largest)
}

/// Passes the bones or the weights of some vertices to `sink`. Shorter lists are padded with the
/// bone -1 and the weight 0.
pub fn write_padded(
    values: &dyn Values,
    (range, raw): (Range<usize>, bool),
    (part, number, width): (InfluencePart, NumberType, usize),
    sink: Sink<'_>,
) -> io::Result<()> {
    let mut bytes = Vec::new();
    values.visit(range, raw, &mut |item| {
        let len = match item {
            Item::Influences(list) => {
                for (bone, weight) in list {
                    match part {
                        InfluencePart::Bones => number.push((*bone).into(), &mut bytes),
                        InfluencePart::Weights => bytes.extend(weight.to_le_bytes()),
                    }
                }
                list.len()
            }
            Item::RawInfluences(list) => {
                for (bone, weight) in list {
                    let value = if part == InfluencePart::Bones { i64::from(*bone) } else { i64::from(*weight) };
                    number.push(value, &mut bytes);
                }
                list.len()
            }
            _ => 0,
        };
        let padding = if part == InfluencePart::Bones { u8::MAX } else { 0 };
        let padded = width.saturating_sub(len).saturating_mul(number.size());
        bytes.extend(std::iter::repeat_n(padding, padded));
        pass_on_full(&mut bytes, sink)
    })?;
    pass_on(&mut bytes, 0, sink)
}

//! The names and the cells of the columns of a table.

use std::fmt::Display;
use std::io::Write as _;

use super::attribute::{Attribute, NeutralAttribute};
use crate::program::output::{FloatCell, Item};

/// The adjacent columns of one attribute.
pub struct ColumnGroup {
    pub attribute: Attribute,
    /// The largest number of numbers, or of influences, in an item.
    width: usize,
    /// Whether an item is a list of influences.
    is_list: bool,
}

impl ColumnGroup {
    pub const fn new(attribute: Attribute) -> Self {
        Self { attribute, width: 0, is_list: false }
    }

    /// Makes room for items of the given width.
    pub fn extend(&mut self, width: usize, is_list: bool) {
        self.width = self.width.max(width);
        self.is_list |= is_list;
    }

    /// Returns the number of columns.
    pub const fn columns(&self) -> usize {
        if self.is_list { self.width.saturating_mul(2) } else { self.width }
    }

    /// Returns the names of the columns. The only attribute of a table is not part of their names.
    pub fn names(&self, is_only: bool) -> Vec<String> {
        if self.is_list {
            return (0..self.width).flat_map(|slot| [format!("bone{slot}"), format!("weight{slot}")]).collect();
        }
        let item = item_name(self.attribute);
        if self.width == 1 {
            return vec![item];
        }
        let parts = part_names(self.attribute);
        let part = |at: usize| parts.get(at).map_or_else(|| at.to_string(), |part| (*part).to_owned());
        (0..self.width).map(|at| if is_only { part(at) } else { format!("{item}_{}", part(at)) }).collect()
    }
}

/// Returns the name of an item of an attribute.
fn item_name(attribute: Attribute) -> String {
    match attribute {
        Attribute::Neutral(NeutralAttribute::Indices) => "vertex_index".to_owned(),
        Attribute::Neutral(NeutralAttribute::AttributeIndices) => "attribute_index".to_owned(),
        Attribute::Neutral(_) => attribute.name().trim_end_matches('s').to_owned(),
        Attribute::Extra(info) => info.item.to_owned(),
    }
}

/// Returns the names of the numbers in an item of an attribute.
const fn part_names(attribute: Attribute) -> &'static [&'static str] {
    use NeutralAttribute as A;
    match attribute {
        Attribute::Neutral(A::Uv0 | A::Uv1 | A::Uv2 | A::Uv3) => &["u", "v"],
        Attribute::Neutral(A::Colors) => &["r", "g", "b", "a"],
        Attribute::Neutral(_) => &["x", "y", "z", "w"],
        Attribute::Extra(info) => info.components,
    }
}

/// Adds the cells of an item. Cells without a number are empty.
pub fn push_item(item: &Item<'_>, columns: usize, out: &mut Vec<u8>) {
    let used = match item {
        Item::Floats(numbers) => push_cells(numbers.iter().map(|number| FloatCell(*number)), out),
        Item::Integers(numbers) => push_cells(*numbers, out),
        Item::Influences(list) => push_pairs(list.iter().map(|(bone, weight)| (bone, FloatCell(*weight))), out),
        Item::RawInfluences(list) => push_pairs(list.iter().map(|(bone, weight)| (bone, weight)), out),
    };
    let commas = columns.saturating_sub(used.max(1));
    out.extend(std::iter::repeat_n(b',', commas));
}

/// Adds cells with commas between them, and returns their number.
fn push_cells<T: Display>(cells: impl IntoIterator<Item = T>, out: &mut Vec<u8>) -> usize {
    let mut used = 0_usize;
    for cell in cells {
        if used > 0 {
            out.push(b',');
        }
        // Writing to a vector cannot fail.
        let _ = write!(out, "{cell}");
        used = used.saturating_add(1);
    }
    used
}

/// Adds a cell for each bone and each weight, and returns their number.
fn push_pairs<B: Display, W: Display>(pairs: impl Iterator<Item = (B, W)>, out: &mut Vec<u8>) -> usize {
    push_cells(pairs.map(|(bone, weight)| format!("{bone},{weight}")), out).saturating_mul(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(item: &Item<'_>, columns: usize) -> String {
        let mut out = Vec::new();
        push_item(item, columns, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn every_item_fills_its_columns() {
        assert_eq!(cells(&Item::Floats(&[0.1, f32::NAN]), 3), "0.1,nan,");
        assert_eq!(cells(&Item::Floats(&[f32::INFINITY, f32::NEG_INFINITY]), 2), "inf,-inf");
        assert_eq!(cells(&Item::Floats(&[-0.0]), 1), "-0.0");
        assert_eq!(cells(&Item::Integers(&[u32::MAX.into()]), 1), "4294967295");
        assert_eq!(cells(&Item::Influences(&[(3, 0.5)]), 4), "3,0.5,,");
        assert_eq!(cells(&Item::Influences(&[]), 4), ",,,");
        assert_eq!(cells(&Item::RawInfluences(&[(3, 9), (-1, 0)]), 4), "3,9,-1,0");
    }

    #[test]
    fn columns_have_the_names_of_their_attribute() {
        let names = |name: &str, width, is_only| {
            let attribute = Attribute::all().into_iter().find(|attribute| attribute.name() == name).unwrap();
            let mut group = ColumnGroup::new(attribute);
            group.extend(width, name == "weights");
            group.names(is_only).join(" ")
        };
        assert_eq!(names("positions", 3, true), "x y z");
        assert_eq!(names("positions", 3, false), "position_x position_y position_z");
        assert_eq!(names("uv0", 2, false), "uv0_u uv0_v");
        assert_eq!(names("colors", 1, false), "color");
        assert_eq!(names("color-bytes", 1, true), "color_byte");
        assert_eq!(names("indices", 1, true), "vertex_index");
        assert_eq!(names("weights", 2, true), "bone0 weight0 bone1 weight1");
        assert_eq!(names("interp1", 4, false), "interp1_x interp1_y interp1_z interp1_w");
        assert_eq!(names("tree-nodes", 5, true), "axis left right start end");
    }
}

//! Writes the arrays of surfaces as one table, whose arrays are in adjacent columns.

use std::fmt::Display;
use std::io::{self, Write};
use std::ops::Range;

use super::attribute::{Attribute, NeutralAttribute};
use super::influences::largest_count;
use super::mesh_arrays::MeshArrays;
use super::npz::ArrayHead;
use super::outputs::Summary;
use crate::program::output::{FloatCell, Item, Layout, Values};

/// The number of rows that are written at a time.
const ROWS_BATCH: usize = 1024;

/// An array in the table, with the range of its items.
struct TableArray<'v> {
    values: Box<dyn Values + 'v>,
    range: Range<usize>,
}

/// The cells of some rows in the columns of one array.
#[derive(Default)]
struct CellBlock {
    text: Vec<u8>,
    /// The end of each row in `text`.
    ends: Vec<usize>,
}

/// Writes the selected arrays as a table.
pub fn write_csv(arrays: &MeshArrays<'_>, out: &mut dyn Write, summary: &mut Summary) -> anyhow::Result<()> {
    let groups = column_groups(arrays, summary)?;
    let is_only = arrays.selection.attributes.len() == 1;
    let names = ["surface", "index"].map(str::to_owned).into_iter();
    let names: Vec<String> = names.chain(groups.iter().flat_map(|group| group.names(is_only))).collect();
    writeln!(out, "{}", names.join(","))?;
    let mut rows = 0_u64;
    arrays.selection.visit(arrays.context, |surface| {
        let mut table = Vec::new();
        for group in &groups {
            let is_selected = arrays.selection.contains(surface, group.attribute)?;
            let values = if is_selected { surface.values(group.attribute)? } else { None };
            table.push(match values {
                Some(values) => Some(TableArray { range: arrays.range(values.count())?, values }),
                None => None,
            });
        }
        let written = write_surface(surface.number, &groups, &table, arrays.context.raw, out)?;
        rows = rows.saturating_add(u64::try_from(written)?);
        Ok(())
    })?;
    summary.set_table(rows, names);
    Ok(())
}

/// Returns the columns of all arrays: those that any of the surfaces needs.
fn column_groups(arrays: &MeshArrays<'_>, summary: &mut Summary) -> anyhow::Result<Vec<ColumnGroup>> {
    let attributes = arrays.selection.attributes.iter();
    let mut groups: Vec<ColumnGroup> = attributes.map(|attribute| ColumnGroup::new(*attribute)).collect();
    arrays.visit(|surface, attribute, values| {
        let range = arrays.range(values.count())?;
        let (width, is_list, head) = match values.layout(arrays.context.raw) {
            Layout::Numbers { number, width } => {
                let shape = if width == 1 { vec![range.len()] } else { vec![range.len(), width] };
                (width, false, ArrayHead::numbers(number, &shape))
            }
            Layout::Influences { weight, .. } => {
                let width = largest_count(values, range.clone(), arrays.context.raw, surface.number)?;
                (width, true, ArrayHead::numbers(weight, &[range.len(), width]))
            }
        };
        if let Some(group) = groups.iter_mut().find(|group| group.attribute == attribute) {
            group.extend(width, is_list);
        }
        Ok(summary.add(&arrays.selection.array_name(surface.number, &attribute.name()), &head)?)
    })?;
    groups.retain(|group| group.columns() > 0);
    Ok(groups)
}

/// Writes the rows of a surface, and returns their number.
fn write_surface(
    number: usize,
    groups: &[ColumnGroup],
    table: &[Option<TableArray<'_>>],
    raw: bool,
    out: &mut dyn Write,
) -> io::Result<usize> {
    let arrays = || table.iter().flatten();
    let rows = arrays().map(|array| array.range.len()).max().unwrap_or_default();
    let first = arrays().map(|array| array.range.start).next().unwrap_or_default();
    let mut blocks: Vec<CellBlock> = table.iter().map(|_| CellBlock::default()).collect();
    for start in (0..rows).step_by(ROWS_BATCH) {
        let rows = start..rows.min(start.saturating_add(ROWS_BATCH));
        for ((array, group), block) in table.iter().zip(groups).zip(&mut blocks) {
            block.fill(array.as_ref(), group, &rows, raw)?;
        }
        for (place, row) in rows.enumerate() {
            write!(out, "{number},{}", first.saturating_add(row))?;
            for (block, group) in blocks.iter().zip(groups) {
                out.write_all(b",")?;
                match block.row(place) {
                    Some(cells) => out.write_all(cells)?,
                    None => (1..group.columns()).try_for_each(|_| out.write_all(b","))?,
                }
            }
            out.write_all(b"\n")?;
        }
    }
    Ok(rows)
}

impl CellBlock {
    /// Fills the block with the cells of some rows of an array. Rows after its end have no cells.
    fn fill(
        &mut self,
        array: Option<&TableArray<'_>>,
        group: &ColumnGroup,
        rows: &Range<usize>,
        raw: bool,
    ) -> io::Result<()> {
        self.text.clear();
        self.ends.clear();
        let Some(TableArray { values, range }) = array else { return Ok(()) };
        let [start, end] = [rows.start, rows.end].map(|row| range.start.saturating_add(row).min(range.end));
        if start == end {
            return Ok(());
        }
        values.visit(start..end, raw, &mut |item| {
            push_item(&item, group.columns(), &mut self.text);
            self.ends.push(self.text.len());
            Ok(())
        })
    }

    /// Returns the cells of a row, or `None` if it has none.
    fn row(&self, place: usize) -> Option<&[u8]> {
        let start = match place.checked_sub(1) {
            Some(before) => *self.ends.get(before)?,
            None => 0,
        };
        self.text.get(start..*self.ends.get(place)?)
    }
}

/// The adjacent columns of one attribute.
struct ColumnGroup {
    attribute: Attribute,
    /// The largest number of numbers, or of influences, in an item.
    width: usize,
    /// Whether an item is a list of influences.
    is_list: bool,
}

impl ColumnGroup {
    const fn new(attribute: Attribute) -> Self {
        Self { attribute, width: 0, is_list: false }
    }

    /// Makes room for items of the given width.
    fn extend(&mut self, width: usize, is_list: bool) {
        self.width = self.width.max(width);
        self.is_list |= is_list;
    }

    /// Returns the number of columns.
    const fn columns(&self) -> usize {
        if self.is_list { self.width.saturating_mul(2) } else { self.width }
    }

    /// Returns the names of the columns. The only attribute of a table is not part of their names.
    fn names(&self, is_only: bool) -> Vec<String> {
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
fn push_item(item: &Item<'_>, columns: usize, out: &mut Vec<u8>) {
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

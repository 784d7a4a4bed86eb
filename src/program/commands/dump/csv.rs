//! Writes the arrays of surfaces as one table, whose arrays are in adjacent columns.

use std::io::{self, Write};
use std::ops::Range;

use super::columns::{ColumnGroup, push_item};
use super::influences::largest_count;
use super::mesh_arrays::MeshArrays;
use super::npy::ArrayHead;
use super::summary::Summary;
use crate::program::output::{Layout, Values};

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

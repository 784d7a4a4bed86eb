//! Reads the vertices in the text of an XML element, vertex by vertex.

use super::number_block::NumberBlock;
use super::numbers::{NumberFault, Tokens};
use super::scalars::read_value;
use crate::error::Result;
use crate::formats::ezmesh::semantic::{Semantic, VertexValue};
use crate::formats::ezmesh::vertex_format::VertexFormat;
use crate::math::as_u64;

impl<'a> NumberBlock<'a> {
    /// Calls `see` for every number of every vertex, in file order.
    ///
    /// The arguments of `see` are the index of the vertex, the index of the number within the
    /// vertex, and the value.
    pub(crate) fn visit(
        &self,
        format: &VertexFormat,
        rows: usize,
        see: &mut dyn FnMut(usize, usize, VertexValue<'a>),
    ) -> Result<()> {
        let width = format.all_scalars().len();
        let mut tokens = self.pass(format, rows, see).map_err(|fault| self.fault(fault, rows, width))?;
        self.ends(&mut tokens, rows, width, format.is_counted()).map(|_| ())
    }

    /// Reads the numbers of `rows` vertices, and returns the position after them.
    fn pass(
        &self,
        format: &VertexFormat,
        rows: usize,
        see: &mut dyn FnMut(usize, usize, VertexValue<'a>),
    ) -> std::result::Result<Tokens<'a>, NumberFault> {
        let mut tokens = self.tokens();
        for row in 0..rows {
            read_row(format, &mut tokens, &mut |number, value| see(row, number, value))?;
        }
        Ok(tokens)
    }

    /// Counts the characters in hexadecimal numbers that are not hexadecimal digits. A character
    /// that is not a hexadecimal digit is read as the digit 0.
    pub(crate) fn bad_digits(&self, format: &VertexFormat, rows: usize) -> Result<u64> {
        let passed = self.pass(format, rows, &mut |_, _, _| {});
        passed.map(|tokens| tokens.bad_digits()).map_err(|fault| self.fault(fault, rows, format.all_scalars().len()))
    }

    /// Returns whether the text contains exactly the numbers of `rows` vertices in the vertex
    /// format `format`.
    fn holds(&self, format: &VertexFormat, rows: usize) -> bool {
        self.pass(format, rows, &mut |_, _, _| {}).is_ok_and(|mut tokens| tokens.is_done() == Ok(true))
    }
}

/// Reads the numbers of one vertex, and calls `visit` for each number with its index within the
/// vertex and its value.
pub(crate) fn read_row<'a>(
    format: &VertexFormat,
    tokens: &mut Tokens<'a>,
    visit: &mut dyn FnMut(usize, VertexValue<'a>),
) -> std::result::Result<(), NumberFault> {
    for (number, scalar) in format.all_scalars().iter().enumerate() {
        visit(number, read_value(tokens, *scalar)?);
    }
    Ok(())
}

/// Returns the number of floats per vertex in an `interp` column, or `None` if the declared number
/// of floats is correct.
///
/// Returns 3 or 4 if the total count of numbers in the vertex text fits 3 or 4 floats per `interp`
/// column and does not fit the declared number of floats. Returns `None` if the total count of
/// numbers fits the declared number of floats per `interp` column, or fits neither 3 nor 4 floats.
pub(crate) fn interp_width(text: &NumberBlock<'_>, declared: &VertexFormat, rows: usize) -> Result<Option<u8>> {
    if !declared.columns().iter().any(|column| matches!(column.semantic, Semantic::Interp(_))) {
        return Ok(None);
    }
    let found = text.count()?;
    let fits = |format: &VertexFormat| as_u64(format.all_scalars().len()).checked_mul(as_u64(rows)) == Some(found);
    if fits(declared) {
        return Ok(None);
    }
    if !declared.is_counted() {
        let other = |width: &u8| declared.with_interp_width(*width).is_some_and(|format| text.holds(&format, rows));
        return Ok(if text.holds(declared, rows) { None } else { [3, 4].into_iter().find(other) });
    }
    let is = |fits: &dyn Fn(&VertexFormat) -> bool, width: u8| {
        declared.with_interp_width(width).is_some_and(|one| fits(&one))
    };
    if let Some(width) = [3, 4].into_iter().find(|width| is(&fits, *width)) {
        return Ok(Some(width));
    }
    // If the vertex text has more numbers than declared, the total count of numbers must be a
    // multiple of the count per vertex, for the declared width of the `interp` columns or for a
    // width of 3 or 4 floats.
    let has_rows = |format: &VertexFormat| {
        let width = as_u64(format.all_scalars().len());
        found.is_multiple_of(width.max(1)) && found > width.saturating_mul(as_u64(rows))
    };
    Ok(if has_rows(declared) { None } else { [3, 4].into_iter().find(|width| is(&has_rows, *width)) })
}

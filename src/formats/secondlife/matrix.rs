//! Transformation matrices, in the layout of the file.

use super::llsd::{LlsdArray, LlsdValue};
use crate::math::narrow;

/// A matrix of 16 numbers in the layout of the file: row by row, for row vectors.
///
/// Elements 12, 13 and 14 are the translation. If the same 16 numbers are read column by column,
/// they are the usual matrix for column vectors, as in glTF.
pub type Matrix = [f32; 16];

/// The identity matrix.
pub const IDENTITY: Matrix = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];

/// Multiplies two matrices for row vectors. The product transforms a vector by `a` first and then
/// by `b`.
#[must_use]
pub fn multiply(a: &Matrix, b: &Matrix) -> Matrix {
    let mut product = [0.0; 16];
    let (rows, columns) = (a.as_chunks::<4>().0, b.as_chunks::<4>().0);
    for (out, row) in product.as_chunks_mut::<4>().0.iter_mut().zip(rows) {
        for (factor, column) in row.iter().zip(columns) {
            for (out, value) in out.iter_mut().zip(column) {
                *out += factor * value;
            }
        }
    }
    product
}

/// Reads a matrix from an LLSD array of 16 numbers, or returns `None` if the value is not such an
/// array.
pub(super) fn matrix(value: LlsdValue<'_>) -> Option<Matrix> {
    let array: LlsdArray<'_> = value.array()?;
    array.numbers::<16>().map(|numbers| numbers.map(narrow))
}

//! Matrices as the file has them.

use super::llsd::{LlsdArray, LlsdValue};
use crate::math::narrow;

/// A matrix of 16 numbers as the file has it: row by row, for row vectors, so that elements 12, 13 and 14 are the
/// translation. Read column by column it is the usual matrix for column vectors, as glTF has it.
pub type Matrix = [f32; 16];

/// The matrix that changes nothing.
pub const IDENTITY: Matrix = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];

/// Multiplies matrices for row vectors: first `a`, then `b`.
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

/// Reads 16 numbers.
pub(super) fn matrix(value: LlsdValue<'_>) -> Option<Matrix> {
    let array: LlsdArray<'_> = value.array()?;
    array.numbers::<16>().map(|numbers| numbers.map(narrow))
}

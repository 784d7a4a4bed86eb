//! 4x4 transformation matrices for row vectors, whose 16 numbers have the same order as in the
//! file.

use super::llsd::{LlsdArray, LlsdValue};
use crate::math::narrow;
use crate::model::animation::Affine;

/// A 4x4 matrix for row vectors. The 16 numbers are stored row by row, in the order of the file.
///
/// Elements 12, 13 and 14 of the matrix are the translation. If a program reads the 16 numbers
/// column by column instead of row by row, the result is the usual matrix for column vectors, as in
/// glTF.
pub type Matrix = [f32; 16];

/// The identity matrix.
#[cfg(any(feature = "cli", feature = "internals"))]
pub const IDENTITY: Matrix = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];

/// Multiplies two matrices for row vectors. The product transforms a vector by `a` first and then
/// by `b`.
#[cfg(feature = "internals")]
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

/// Returns the map of a matrix. The fourth column of the matrix is not used.
pub(super) fn affine(matrix: &Matrix) -> Affine {
    let rows = matrix.as_chunks::<4>().0;
    Affine::new(std::array::from_fn(|row| rows.get(row).map_or([0.0; 3], |[x, y, z, _]| [*x, *y, *z].map(f64::from))))
}

/// Reads a matrix from an LLSD array of 16 numbers, or returns `None` if the value is not such an
/// array.
pub(super) fn matrix(value: LlsdValue<'_>) -> Option<Matrix> {
    let array: LlsdArray<'_> = value.array()?;
    array.numbers::<16>().map(|numbers| numbers.map(narrow))
}

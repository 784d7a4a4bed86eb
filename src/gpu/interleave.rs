//! Copying a column to the vertices of a block.

#![allow(clippy::inline_always, reason = "the loops must be compiled for each width")]

use crate::simd::kernel;

kernel! {
    /// Copies each `width` bytes of `column` to `offset` of the next vertex of `stride` bytes, until
    /// the column or the vertices end.
    pub(super) fn scatter(column: &[u8], width: usize, rows: &mut [u8], stride: usize, offset: usize) {
        scatter_any(column, width, rows, stride, offset);
    }
}

#[inline(always)]
fn scatter_any(column: &[u8], width: usize, rows: &mut [u8], stride: usize, offset: usize) {
    match width {
        2 => scatter_width::<2>(column, rows, stride, offset),
        3 => scatter_width::<3>(column, rows, stride, offset),
        4 => scatter_width::<4>(column, rows, stride, offset),
        6 => scatter_width::<6>(column, rows, stride, offset),
        8 => scatter_width::<8>(column, rows, stride, offset),
        12 => scatter_width::<12>(column, rows, stride, offset),
        16 => scatter_width::<16>(column, rows, stride, offset),
        _ => {}
    }
}

#[inline(always)]
fn scatter_width<const WIDTH: usize>(column: &[u8], rows: &mut [u8], stride: usize, offset: usize) {
    for (row, bytes) in rows.chunks_exact_mut(stride).zip(column.as_chunks::<WIDTH>().0) {
        if let Some(place) = row.get_mut(offset..).and_then(<[u8]>::first_chunk_mut::<WIDTH>) {
            *place = *bytes;
        }
    }
}

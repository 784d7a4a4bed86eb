//! Converts vertex text to arrays: each column of the vertices becomes a separate array.
//!
//! Floats are parsed in batches and then copied to the arrays of their columns. If all columns of a
//! vertex are floats, a batch contains the floats of many vertices.

use super::number_block::{NUMBER_BATCH, NumberBlock, ParsedBlock};
use super::numbers::{NumberFault, Tokens};
use super::scalars::read_scalar;
use crate::error::Result;
use crate::formats::ezmesh::semantic::Scalar;
use crate::formats::ezmesh::vertex_format::{Column, MAX_SCALARS, VertexFormat};

impl NumberBlock<'_> {
    /// Decodes `rows` vertices into `out`: each column as a separate array, one array after
    /// another. Returns whether the text contains more numbers than `rows` vertices have.
    pub(crate) fn columns_into(&self, format: &VertexFormat, rows: usize, out: &mut [u8]) -> Result<bool> {
        let mut left = out;
        let mut array = |column: &Column| {
            let size = usize::from(column.size).saturating_mul(rows);
            let (array, rest) = std::mem::take(&mut left).split_at_mut_checked(size).unwrap_or_default();
            left = rest;
            array
        };
        self.spread(format, rows, &mut array)
    }

    /// Parses `rows` vertices from the text, and returns the allocated arrays of their columns.
    pub(crate) fn parse_vertices(
        &self,
        format: &VertexFormat,
        rows: usize,
        interp_width: Option<u8>,
    ) -> Result<ParsedBlock> {
        let width = format.all_scalars().len();
        self.can_hold(rows, format.least_text().into(), width)?;
        let mut data = self.reserve(rows, format.size().into())?;
        let has_more = self.columns_into(format, rows, &mut data)?;
        Ok(ParsedBlock { interp_width, data: data.into_boxed_slice(), has_more })
    }

    /// Decodes one float column of all vertices into `out`. The numbers of the other columns are
    /// checked, but not stored.
    pub(crate) fn column_into<const N: usize>(
        &self,
        format: &VertexFormat,
        column: &Column,
        out: &mut [[f32; N]],
    ) -> Result<()> {
        let rows = out.len();
        let mut bytes: &mut [u8] = bytemuck::cast_slice_mut(out);
        self.spread(format, rows, &mut |one| if one == column { std::mem::take(&mut bytes) } else { &mut [] })?;
        // The floats in `out` are in little-endian byte order, and are converted to the byte order
        // of the processor.
        out.as_flattened_mut().iter_mut().for_each(|float| *float = f32::from_bits(u32::from_le(float.to_bits())));
        Ok(())
    }

    /// Decodes `rows` vertices. Each column is written to the little-endian array that the closure
    /// `array` returns for the column.
    ///
    /// The closure `array` returns an empty array for a column whose numbers are not requested. The
    /// numbers of a column that is not requested are also checked, because all functions that
    /// decode vertices must accept the same vertex texts. Returns whether the text contains more
    /// numbers than `rows` vertices have.
    fn spread<'o>(
        &self,
        format: &VertexFormat,
        rows: usize,
        array: &mut dyn FnMut(&Column) -> &'o mut [u8],
    ) -> Result<bool> {
        let width = format.all_scalars().len();
        let mut groups: [ColumnTarget<'_>; MAX_SCALARS] = std::array::from_fn(|_| ColumnTarget::default());
        for (group, column) in groups.iter_mut().zip(format.columns()) {
            let scalars = format.scalars(column);
            let all_floats = scalars.iter().all(|scalar| *scalar == Scalar::Float);
            *group = ColumnTarget { array: array(column), scalars, size: column.size.into(), all_floats };
        }
        let groups = groups.get_mut(..format.columns().len()).unwrap_or_default();
        // If all numbers of a vertex are floats, the numbers of many vertices are parsed in one
        // batch.
        let most = if groups.iter().all(|group| group.all_floats) { NUMBER_BATCH.checked_div(width) } else { None };
        let most = most.unwrap_or_default().max(1);
        let (mut tokens, mut floats, mut left) = (self.tokens(), [0.0; NUMBER_BATCH], rows);
        while left > 0 {
            let some = left.min(most);
            for run in groups.chunk_by_mut(|one, next| one.all_floats && next.all_floats) {
                read(run, some, &mut tokens, &mut floats).map_err(|fault| self.fault(fault, rows, width))?;
            }
            left = left.saturating_sub(some);
        }
        self.ends(&mut tokens, rows, width, format.is_counted()).map(|done| !done)
    }
}

/// The output of one vertex column. The slice `array` is the part of the column's output array that
/// has not been written yet.
#[derive(Default)]
struct ColumnTarget<'o> {
    array: &'o mut [u8],
    scalars: &'o [Scalar],
    size: usize,
    all_floats: bool,
}

/// Parses the numbers that `rows` vertices have in adjacent columns: either in one column of any
/// types, or in one or more float columns.
fn read(
    run: &mut [ColumnTarget<'_>],
    rows: usize,
    tokens: &mut Tokens<'_>,
    floats: &mut [f32; NUMBER_BATCH],
) -> std::result::Result<(), NumberFault> {
    match run {
        [group] if !group.all_floats => {
            for _ in 0..rows {
                let mut cells = group.next(1);
                for scalar in group.scalars {
                    let (cell, rest) = cells.split_at_mut_checked(scalar.size().into()).unwrap_or_default();
                    cells = rest;
                    read_scalar(tokens, *scalar, cell)?;
                }
            }
        }
        _ => {
            let width = run.iter().map(|group| group.scalars.len()).fold(0, usize::saturating_add);
            let floats = floats.get_mut(..width.saturating_mul(rows)).unwrap_or_default();
            tokens.floats_into(floats)?;
            let mut first = 0_usize;
            for group in run {
                group.put(rows, floats.chunks_exact(width.max(1)), first);
                first = first.saturating_add(group.scalars.len());
            }
        }
    }
    Ok(())
}

impl<'o> ColumnTarget<'o> {
    /// Returns the part of the column's output array for the next `rows` vertices, or an empty
    /// slice if the column is not requested.
    fn next(&mut self, rows: usize) -> &'o mut [u8] {
        let size = self.size.saturating_mul(rows);
        let (cells, rest) = std::mem::take(&mut self.array).split_at_mut_checked(size).unwrap_or_default();
        self.array = rest;
        cells
    }

    /// Writes floats of the next `rows` vertices to the output array of this column. The floats of
    /// the column start at index `first` in each item of `floats`.
    fn put<'f>(&mut self, rows: usize, floats: impl Iterator<Item = &'f [f32]>, first: usize) {
        let cells = self.next(rows);
        match self.scalars.len() {
            1 => put_floats::<4, 1>(cells, floats, first),
            2 => put_floats::<8, 2>(cells, floats, first),
            3 => put_floats::<12, 3>(cells, floats, first),
            4 => put_floats::<16, 4>(cells, floats, first),
            _ => {
                for (cell, floats) in cells.chunks_exact_mut(self.size.max(1)).zip(floats) {
                    let floats = floats.get(first..).unwrap_or_default();
                    cell.as_chunks_mut().0.iter_mut().zip(floats).for_each(|(cell, float)| *cell = float.to_le_bytes());
                }
            }
        }
    }
}

fn put_floats<'f, const SIZE: usize, const COUNT: usize>(
    cells: &mut [u8],
    floats: impl Iterator<Item = &'f [f32]>,
    first: usize,
) {
    for (cell, floats) in cells.as_chunks_mut::<SIZE>().0.iter_mut().zip(floats) {
        let Some(floats) = floats.get(first..).and_then(<[f32]>::first_chunk::<COUNT>) else { return };
        for (cell, float) in cell.as_chunks_mut::<4>().0.iter_mut().zip(floats) {
            *cell = float.to_le_bytes();
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::formats::ezmesh::{Mesh, Semantic, VertexValue};

    /// Creates the XML text of vertices with `width` numbers each. The numbers are 0, 1, 2 and so
    /// on.
    fn text(ctype: &str, semantic: &str, width: usize, rows: usize) -> String {
        let numbers =
            (0..rows * width).fold(String::new(), |numbers, number| numbers + &format!("{} ", number % 60_000));
        let buffer =
            format!("<vertexbuffer count='{rows}' ctype='{ctype}' semantic='{semantic}'>{numbers}</vertexbuffer>");
        format!("<MeshSystem><Meshes><Mesh name='a'>{buffer}</Mesh></Meshes></MeshSystem>")
    }

    #[test]
    fn many_at_a_time_are_those_that_are_one_after_another() {
        let layouts = [
            ("fff fff ff fffff f", "position normal texcoord1 some radius", 14),
            ("fff h fff f ff hhhh", "position some normal radius texcoord1 blendindices", 14),
        ];
        for (ctype, semantic, width) in layouts {
            for rows in [0, 1, 35, 36, 37, 200] {
                let text = text(ctype, semantic, width, rows);
                let system = Mesh::open(text.as_str()).unwrap();
                let buffer = system.view().meshes().next().unwrap().vertex_buffer().unwrap().unwrap();
                let mut cells = Vec::new();
                buffer.for_each(&mut |row, number, cell| cells.push((row, number, cell))).unwrap();
                assert_eq!(cells.len(), rows * width);
                let mut columns = vec![0; buffer.byte_count()];
                buffer.columns_into(&mut columns).unwrap();
                let mut start = 0;
                for column in buffer.format().columns() {
                    let size = usize::from(column.size) * rows;
                    let range = usize::from(column.first)..usize::from(column.first + column.count);
                    let of_column = cells.iter().filter(|(_, number, _)| range.contains(number));
                    let expected = of_column.flat_map(|(_, _, cell)| match cell {
                        VertexValue::Float(float) => float.to_le_bytes().to_vec(),
                        VertexValue::Integer(integer) => integer.to_le_bytes()[..2].to_vec(),
                        other => panic!("{other:?}"),
                    });
                    assert!(expected.eq(columns[start..start + size].iter().copied()), "{ctype} {rows}");
                    start += size;
                }
                let mut normals = vec![[0.0; 3]; rows];
                buffer.floats_into(Semantic::Normal, &mut normals).unwrap();
                let first = usize::from(buffer.format().column(Semantic::Normal).unwrap().first);
                let normal = |number| first <= number && number < first + 3;
                let expected = cells.iter().filter(|(_, number, _)| normal(*number)).map(|(_, _, cell)| *cell);
                assert!(expected.eq(normals.as_flattened().iter().map(|float| VertexValue::Float(*float))));
            }
        }
    }

    #[test]
    fn what_is_no_number_is_found_where_it_stands() {
        for (ctype, semantic) in [("fff fff", "position normal"), ("fff ffh", "position some")] {
            let text = text(ctype, semantic, 6, 100).replace(" 411 ", " 4l1 ");
            let system = Mesh::open(text.as_str()).unwrap();
            let buffer = system.view().meshes().next().unwrap().vertex_buffer().unwrap().unwrap();
            let at = u64::try_from(text.find("4l1").unwrap()).unwrap();
            let faults = [
                buffer.columns_into(&mut vec![0; buffer.byte_count()]).unwrap_err(),
                buffer.positions_into(&mut vec![[0.0; 3]; 100]).unwrap_err(),
                buffer.vertices().unwrap_err(),
            ];
            assert_eq!(faults.map(|fault| fault.offset()), [Some(at); 3]);
        }
    }
}

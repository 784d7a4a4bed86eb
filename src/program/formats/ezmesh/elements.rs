//! Decodes the vertices of binary EZ-Mesh files, for `map --at`.

use crate::Region;
use crate::formats::ezmesh::{Column, Mesh, VertexFormat, VertexValue};

use crate::program::render::decoded::DecodedValue;

/// Returns the column of a vertex that contains the byte at the offset `byte` of the vertex.
pub fn column<D: AsRef<[u8]> + Send + Sync>(
    mesh: &Mesh<D>,
    region: &Region,
    vertex: usize,
    byte: usize,
) -> Option<DecodedValue> {
    let number = usize::try_from(region.field.outer()?.index).ok()?;
    let vertices = mesh.mesh(number).ok()?.vertex_buffer().ok()??.vertices().ok()?;
    let column = *column_at(vertices.format(), byte)?;
    let mut values: Vec<_> = vertices.column_values(&column, vertex).map(decoded).collect();
    let value = if values.len() == 1 { values.pop()? } else { DecodedValue::List(values) };
    Some(DecodedValue::record([(column.semantic.word().unwrap_or("other"), value)]))
}

fn column_at(format: &VertexFormat, byte: usize) -> Option<&Column> {
    let mut end = 0_usize;
    format.columns().iter().find(|column| {
        let size = format.scalars(column).iter().map(|scalar| usize::from(scalar.size()));
        end = size.fold(end, usize::saturating_add);
        byte < end
    })
}

fn decoded(value: VertexValue<'_>) -> DecodedValue {
    match value {
        VertexValue::Float(value) => DecodedValue::Float(value),
        VertexValue::Integer(value) => DecodedValue::Integer(value),
        VertexValue::Hex(value) => DecodedValue::Integer(value.into()),
        VertexValue::Character(value) => DecodedValue::Integer(value.into()),
        VertexValue::Word(word) => DecodedValue::Text(word.to_vec()),
    }
}

//! Decodes the vertices of a binary file.

use super::file::Mesh;
use super::semantic::VertexValue;
use super::vertex_format::{Column, VertexFormat};
use crate::parse::{Region, Value};

/// Returns the column of a vertex that contains the byte at the offset `byte` of the vertex.
pub(super) fn column<D: AsRef<[u8]>>(mesh: &Mesh<D>, region: &Region, vertex: usize, byte: usize) -> Option<Value> {
    let number = usize::try_from(region.field.outer()?.index).ok()?;
    let vertices = mesh.mesh(number).ok()?.vertex_buffer().ok()??.vertices().ok()?;
    let column = *column_at(vertices.format(), byte)?;
    let mut values: Vec<Value> = vertices.column_values(&column, vertex).map(decoded).collect();
    let value = if values.len() == 1 { values.pop()? } else { Value::List(values) };
    Some(Value::Record(vec![(column.semantic.word().unwrap_or("other").into(), value)]))
}

fn column_at(format: &VertexFormat, byte: usize) -> Option<&Column> {
    let mut end = 0_usize;
    format.columns().iter().find(|column| {
        let size = format.scalars(column).iter().map(|scalar| usize::from(scalar.size()));
        end = size.fold(end, usize::saturating_add);
        byte < end
    })
}

fn decoded(value: VertexValue<'_>) -> Value {
    match value {
        VertexValue::Float(value) => value.into(),
        VertexValue::Integer(value) => value.into(),
        VertexValue::Hex(value) => value.into(),
        VertexValue::Character(value) => value.into(),
        VertexValue::Word(word) => word.to_vec().into(),
    }
}

//! Divides a file into named byte regions, which together cover every byte of the file, and decodes
//! the vertices of a binary file for a region.

use super::binary;
use super::element_index::ElementKind;
use super::elements::{Collision, Section, TetraMesh, Track};
use super::file::Mesh;
use super::layout::{BYTE, STRING, VertexValue};
use super::vertex_format::Column;
use super::view::View;
use super::xml::scan::kind;
use super::xml::walk::{self, XmlEvent};
use crate::error::{Field, Result};
use crate::math::as_u64;
use crate::parse::{ElementType, Region, Value, Walk};

const TEXT: ElementType = ElementType::TEXT;

/// Calls `visit` once for each named region of the file, in file order. The regions cover the file
/// without gaps.
///
/// The regions of a text file are the lists of numbers inside elements, the comments, the DOCTYPE,
/// and the XML markup between these regions. The regions of a binary file are its fields.
pub(super) fn walk(view: View<'_>, visit: &mut dyn FnMut(Region)) -> Result<()> {
    match view.order() {
        None => text(view, visit),
        Some(order) => {
            let mut regions = Walk::new(visit);
            binary::walk(view.bytes, order, &view.state.context.options.limits, None, |field, element, count, end| {
                if element == STRING {
                    regions.pass_all(field, element, end);
                } else {
                    regions.pass(field, element, count.into());
                }
            })?;
            regions.pass_to(Field::new("end"), BYTE, as_u64(view.bytes.len()));
            Ok(())
        }
    }
}

/// Calls `see` once for each region of a text file.
fn text(view: View<'_>, see: &mut dyn FnMut(Region)) -> Result<()> {
    let (mut regions, mut block) = (Walk::new(see), Field::new("elements"));
    walk::walk(view.bytes, &view.state.context.options.limits, &mut |event, open| {
        let (field, range) = match event {
            XmlEvent::Start { tag, element, .. } => {
                if element.is_data() {
                    block = kind(element, open).map_or(Field::new("elements"), |kind| block_of(view, kind, tag.start));
                }
                return Ok(());
            }
            XmlEvent::Text(range) | XmlEvent::Cdata(range)
                if open.last().is_some_and(|open| open.element.is_data()) =>
            {
                (block, range)
            }
            XmlEvent::Comment(range) => (Field::new("comment"), range),
            XmlEvent::Doctype(range) => (Field::new("doctype"), range),
            _ => return Ok(()),
        };
        regions.pass_to(Field::new("elements"), TEXT, as_u64(range.start));
        regions.pass_to(field, TEXT, as_u64(range.end));
        Ok(())
    })?;
    regions.pass_to(Field::new("elements"), TEXT, as_u64(view.bytes.len()));
    Ok(())
}

/// Returns the field of the numbers in the element that starts at an offset.
fn block_of(view: View<'_>, kind: ElementKind, start: usize) -> Field {
    let around = |kind| view.state.elements.around(kind, as_u64(start)).unwrap_or_default();
    let section = || Section::new(view, around(ElementKind::Section)).element.place;
    let collision = || Collision::new(view, around(ElementKind::Collision)).element.place;
    match kind {
        ElementKind::MeshVertices => Field::new("vertexbuffer").in_list("mesh", as_u64(around(ElementKind::Mesh))),
        ElementKind::SectionVertices => section().named("vertexbuffer"),
        ElementKind::Triangles => section().named("indexbuffer"),
        ElementKind::HullVertices => collision().named("vertexbuffer"),
        ElementKind::HullTriangles => collision().named("indexbuffer"),
        ElementKind::Track => Track::new(view, around(kind)).element.place.named("keys"),
        _ => TetraMesh::new(view, around(kind)).element.place.named("corners"),
    }
}

/// Returns the column of a vertex that contains the byte at the offset `byte` of the vertex.
pub(super) fn column<D: AsRef<[u8]>>(mesh: &Mesh<D>, region: &Region, vertex: usize, byte: usize) -> Option<Value> {
    let number = usize::try_from(region.field.outer()?.1).ok()?;
    let vertices = mesh.mesh(number).ok()?.vertex_buffer().ok()??.vertices().ok()?;
    let holds = |column: &&Column| byte < usize::from(column.start.saturating_add(column.size));
    let column = *vertices.format().columns().iter().find(holds)?;
    let mut values: Vec<Value> = vertices.column_values(&column, vertex).map(decoded).collect();
    let value = if values.len() == 1 { values.pop()? } else { Value::List(values) };
    Some(Value::Record(vec![(column.semantic.word().unwrap_or("other").into(), value)]))
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

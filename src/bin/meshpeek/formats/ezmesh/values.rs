//! Returns the values of vertex attributes that only EZ-Mesh has, for the `dump` command.

use std::io;
use std::ops::Range;

use meshpeek::decode::{EndianFloats, EndianU16s};
use meshpeek::ezmesh::{Column, Mesh, Semantic, VertexValue, Vertices};
use meshpeek::{Array, Strided};

use crate::args::Attribute;
use crate::render::values::{Item, Values, Visit};

/// The values of one attribute (column) of a vertex buffer.
struct ColumnValues<'a> {
    vertices: Vertices<'a>,
    column: Column,
}

/// The stored bone indices and weights, four per vertex.
struct FourInfluences<'a> {
    bones: Strided<'a, EndianU16s<4>>,
    weights: Strided<'a, EndianFloats<4>>,
}

/// Returns the values of an attribute that only EZ-Mesh has, or the stored values of an attribute
/// for `dump --raw`. Returns `None` if the attribute is not specific to EZ-Mesh.
pub fn values<'a, D: AsRef<[u8]> + Send + Sync>(
    system: &'a Mesh<D>,
    surface: usize,
    attribute: Attribute,
    raw: bool,
) -> meshpeek::Result<Option<Box<dyn Values + 'a>>> {
    let semantic = match attribute {
        Attribute::Radius => Semantic::Radius,
        Attribute::Colors if raw => Semantic::Color,
        Attribute::Tangents | Attribute::Bitangents | Attribute::Weights => Semantic::Other,
        _ => match attribute.interp() {
            Some(set) => Semantic::Interp(set),
            None => return Ok(None),
        },
    };
    let vertices = system.section(surface)?.vertex_buffer()?.vertices()?;
    Ok(match attribute {
        Attribute::Tangents => vertices.tangents().map(boxed_values),
        Attribute::Bitangents => vertices.binormals().map(boxed_values),
        Attribute::Weights if raw => {
            vertices.lanes().map(|(bones, weights)| boxed_values(FourInfluences { bones, weights }))
        }
        _ => {
            let column = vertices.format().column(semantic).copied();
            column.map(|column| boxed_values(ColumnValues { vertices, column }))
        }
    })
}

fn boxed_values<'a>(values: impl Values + 'a) -> Box<dyn Values + 'a> {
    Box::new(values)
}

impl Values for FourInfluences<'_> {
    fn count(&self) -> usize {
        self.bones.len()
    }

    fn visit(&self, range: Range<usize>, _raw: bool, visit: Visit<'_>) -> io::Result<()> {
        let mut all = range.filter_map(|index| Some((self.bones.get(index)?, self.weights.get(index)?)));
        all.try_for_each(|(bones, weights)| {
            visit(Item::Influences(bones.into_iter().map(i32::from).zip(weights).collect()))
        })
    }
}

impl Values for ColumnValues<'_> {
    fn count(&self) -> usize {
        self.vertices.len()
    }

    fn visit(&self, range: Range<usize>, _raw: bool, visit: Visit<'_>) -> io::Result<()> {
        let Self { vertices, column } = self;
        for vertex in range {
            let mut floats = Vec::new();
            for cell in vertices.column_values(column, vertex) {
                match cell {
                    VertexValue::Float(float) => floats.push(float),
                    VertexValue::Hex(hex) => visit(Item::Number(hex))?,
                    _ => {}
                }
            }
            match &*floats {
                [] => {}
                [only] => visit(Item::Float(*only))?,
                floats => visit(Item::Floats(floats))?,
            }
        }
        Ok(())
    }
}

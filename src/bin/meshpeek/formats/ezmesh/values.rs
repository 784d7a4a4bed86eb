//! Returns the values of vertex attributes that only EZ-Mesh has, for the `dump` command.

use meshpeek::ezmesh::{Column, Mesh, Semantic, VertexValue, Vertices};
use meshpeek::model::Transform;
use meshpeek::{Animations as _, Array};

use crate::args::Attribute;
use crate::render::values::{Item, Row, Rows, Values, boxed};

/// The numbers of one vertex in one attribute (column) of a vertex buffer.
enum VertexRow {
    Number(u32),
    Floats(Vec<f32>),
}

impl Row for VertexRow {
    fn item(&self) -> Item<'_> {
        match self {
            Self::Number(number) => Item::Number(*number),
            Self::Floats(floats) => match &**floats {
                [only] => Item::Float(*only),
                floats => Item::Floats(floats),
            },
        }
    }
}

impl VertexRow {
    /// Reads the numbers of one vertex. Returns `None` if the vertex has no such numbers.
    fn read(vertices: &Vertices<'_>, column: &Column, vertex: usize) -> Option<Self> {
        let mut floats = Vec::new();
        for value in vertices.column_values(column, vertex) {
            match value {
                VertexValue::Float(float) => floats.push(float),
                VertexValue::Hex(hex) => return Some(Self::Number(hex)),
                _ => {}
            }
        }
        (!floats.is_empty()).then_some(Self::Floats(floats))
    }
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
        Attribute::Tangents => boxed(vertices.tangents()),
        Attribute::Bitangents => boxed(vertices.binormals()),
        Attribute::Weights if raw => vertices.lanes().map(|(bones, weights)| {
            Rows::boxed(bones.len(), move |at| {
                Some(bones.get(at)?.map(i32::from).into_iter().zip(weights.get(at)?).collect::<Vec<_>>())
            })
        }),
        _ => vertices
            .format()
            .column(semantic)
            .copied()
            .map(|column| Rows::boxed(vertices.len(), move |vertex| VertexRow::read(&vertices, &column, vertex))),
    })
}

/// Returns the transform of every animation track at a whole frame, for a file without a skeleton.
pub fn track_pose<D: AsRef<[u8]> + Send + Sync>(
    system: &Mesh<D>,
    clip: usize,
    frame: usize,
) -> meshpeek::Result<Vec<(String, Transform)>> {
    // `pose` is called here to return an error if the frame index is out of range.
    system.pose(clip, frame, &mut [])?;
    let tracks = system.animation(clip)?.tracks().map(|track| {
        let keys = track.keys()?;
        let last = keys.len().saturating_sub(1);
        Ok((track.name()?.to_string_lossy(), keys.get(frame.min(last)).unwrap_or_default()))
    });
    tracks.collect()
}

//! Returns the values of vertex attributes that only EZ-Mesh has, for the `dump` command.

use crate::formats::ezmesh::{Mesh, Semantic, VertexValue};
use crate::model::Transform;
use crate::{Animations as _, Array};

use crate::program::args::Attribute;
use crate::program::render::values::{Rows, Values, boxed};

/// Returns the values of an attribute that only EZ-Mesh has, or the stored values of an attribute
/// for `dump --raw`. Returns `None` if the attribute is not specific to EZ-Mesh.
pub fn values<'a, D: AsRef<[u8]> + Send + Sync>(
    system: &'a Mesh<D>,
    surface: usize,
    attribute: Attribute,
    raw: bool,
) -> crate::Result<Option<Box<dyn Values + 'a>>> {
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
        _ => vertices.format().column(semantic).copied().map(|column| {
            let count = vertices.len();
            if semantic == Semantic::Color {
                return Rows::boxed(count, move |at| vertices.column_values(&column, at).find_map(hex));
            }
            Rows::boxed(count, move |at| {
                Some(vertices.column_values(&column, at).filter_map(float).collect::<Vec<_>>())
            })
        }),
    })
}

const fn float(value: VertexValue<'_>) -> Option<f32> {
    if let VertexValue::Float(float) = value { Some(float) } else { None }
}

const fn hex(value: VertexValue<'_>) -> Option<u32> {
    if let VertexValue::Hex(hex) = value { Some(hex) } else { None }
}

/// Returns the transform of every animation track at a whole frame, for a file without a skeleton.
pub fn track_pose<D: AsRef<[u8]> + Send + Sync>(
    system: &Mesh<D>,
    clip: usize,
    frame: usize,
) -> crate::Result<Vec<(String, Transform)>> {
    // `pose` is called here to return an error if the frame index is out of range.
    system.pose(clip, frame, &mut [])?;
    let tracks = system.animation(clip)?.tracks().map(|track| {
        let keys = track.keys()?;
        let last = keys.len().saturating_sub(1);
        Ok((track.name()?.to_string_lossy(), keys.get(frame.min(last)).unwrap_or_default()))
    });
    tracks.collect()
}

//! Returns the values of attributes of Unreal vertex meshes, for the `dump` command.

use crate::formats::unreal::{Mesh, Placement, RawPolygon};
use crate::model::InterpolatedPositions;
use crate::{Array, FrameBlend, Geometry as _};

use super::frame_args::FrameArgs;
use crate::program::args::Attribute;
use crate::program::formats::facts::DumpRequest;
use crate::program::formats::frames::blend_vertex_frames;
use crate::program::outcome::UsageError;
use crate::program::render::values::{Rows, Values};

/// Returns the values of an attribute that needs code specific to Unreal meshes, or `None` for any
/// other attribute.
pub fn values<'a, D: AsRef<[u8]> + Send + Sync>(
    mesh: &'a Mesh<D>,
    request: &DumpRequest<'_>,
) -> anyhow::Result<Option<Box<dyn Values + 'a>>> {
    let DumpRequest { surface, attribute, raw, frame, clip } = *request;
    let view = mesh.surface(surface)?;
    let bytes = |of: fn(&RawPolygon) -> u8| {
        let bytes: Vec<u8> = view.polygons().map(of).collect();
        Rows::boxed(bytes.len(), move |index| bytes.get(index).copied())
    };
    let blend = || blend_vertex_frames((mesh, mesh), clip, &frame.frame.clone().unwrap_or_default());
    Ok(Some(match attribute {
        Attribute::Types => bytes(|polygon| polygon.kind),
        Attribute::Textures => bytes(|polygon| polygon.texture),
        Attribute::ColorBytes => bytes(|polygon| polygon.color),
        Attribute::Flags => bytes(|polygon| polygon.flags),
        Attribute::Normals if raw => {
            return Err(UsageError("--raw: no normals are stored; leave it out to compute them".to_owned()).into());
        }
        Attribute::Normals => {
            let normals = normals(mesh, view.numbers(), frame, &blend()?)?;
            Rows::boxed(normals.len(), move |index| normals.get(index).copied())
        }
        Attribute::Positions if mesh.frame_count() > 0 => positions(mesh, surface, raw, frame, &blend()?)?,
        _ => return Ok(None),
    }))
}

fn placement<D: AsRef<[u8]> + Send + Sync>(mesh: &Mesh<D>, args: &FrameArgs) -> anyhow::Result<Option<Placement>> {
    if !args.placed {
        return Ok(None);
    }
    let script = mesh
        .script()
        .ok_or_else(|| UsageError("--placed: no script was found for the mesh; leave it out".to_owned()))?;
    Ok(Some(Placement::of(&script)))
}

fn positions<'a, D: AsRef<[u8]> + Send + Sync>(
    mesh: &'a Mesh<D>,
    surface: usize,
    raw: bool,
    args: &FrameArgs,
    &FrameBlend { from, to, fraction }: &FrameBlend,
) -> anyhow::Result<Box<dyn Values + 'a>> {
    // In a frame that the end of the file cuts, the vertices before the end are printed.
    let frame = |number: u32| mesh.vertex_frame(surface, usize::try_from(number).unwrap_or(usize::MAX));
    let placement = placement(mesh, args)?;
    // If the frame index has no fraction, the positions are stored in the file and are not
    // interpolated.
    if fraction.to_bits() == 0 && placement.is_none() {
        return Ok(Box::new(frame(from)?));
    }
    if raw {
        let text = "--raw: expected a whole number for --frame, because only whole frames are stored";
        return Err(UsageError(text.to_owned()).into());
    }
    let between = InterpolatedPositions::new(frame(from)?, frame(to)?, fraction);
    let placement = placement.unwrap_or(Placement::STORED);
    Ok(Rows::boxed(between.len(), move |index| between.get(index).map(|position| placement.apply(position))))
}

/// Computes a normal for each corner of the polygons with the given numbers, in the vertex frame
/// that is nearest to the chosen frame index.
fn normals<D: AsRef<[u8]> + Send + Sync>(
    mesh: &Mesh<D>,
    polygons: &[u16],
    args: &FrameArgs,
    &FrameBlend { from, to, fraction }: &FrameBlend,
) -> anyhow::Result<Vec<[f32; 3]>> {
    let frame = if fraction < 0.5 { from } else { to };
    // The three axes of the stored positions have different scales. If the script contains no
    // origin, scale and rotation, the positions are converted to the units of the modelling
    // program, in which the three axes have the same scale.
    let placement = placement(mesh, args)?.unwrap_or(Placement::author(mesh.variant()));
    let all = mesh.normals(usize::try_from(frame).unwrap_or(usize::MAX), args.shading, &placement)?;
    let corners = all.as_chunks::<3>().0;
    Ok(polygons.iter().filter_map(|number| corners.get(usize::from(*number))).flatten().copied().collect())
}

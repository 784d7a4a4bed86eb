//! Returns the values of attributes of Unreal vertex meshes, for the `dump` command.

use std::io;
use std::ops::Range;

use meshpeek::model::InterpolatedPositions;
use meshpeek::unreal::{self, Mesh, Placement, RawPolygon};
use meshpeek::{Array, FrameBlend};

use super::frame_args::{FrameArgs, NormalShading};
use crate::args::Attribute;
use crate::formats::facts::DumpRequest;
use crate::formats::frames::blend_vertex_frames;
use crate::outcome::UsageError;
use crate::render::arrays::visit_floats;
use crate::render::values::{Item, Values, Visit};

/// Vertex positions that are interpolated between two vertex frames and then transformed with the
/// origin, scale and rotation in the script.
struct PlacedPositions<'a>(InterpolatedPositions<'a>, Placement);

/// Computed vectors that the file does not store, such as normals.
struct ComputedVectors(Vec<[f32; 3]>);

/// One value for each polygon of a surface: a stored byte, such as the type of the polygon.
struct PolygonBytes(Vec<u8>);

/// One value for each polygon corner of a surface: the two stored bytes of the texture coordinates.
struct CornerBytes(Vec<[u8; 2]>);

impl Values for PlacedPositions<'_> {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn visit(&self, range: Range<usize>, _raw: bool, visit: Visit<'_>) -> io::Result<()> {
        visit_floats(range, |index| self.0.get(index).map(|value| self.1.apply(value)), visit)
    }
}

impl Values for ComputedVectors {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn visit(&self, range: Range<usize>, _raw: bool, visit: Visit<'_>) -> io::Result<()> {
        visit_floats(range, |index| self.0.get(index).copied(), visit)
    }
}

impl Values for PolygonBytes {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn visit(&self, range: Range<usize>, _raw: bool, visit: Visit<'_>) -> io::Result<()> {
        let bytes = self.0.get(range).unwrap_or_default();
        bytes.iter().try_for_each(|byte| visit(Item::Number((*byte).into())))
    }
}

impl Values for CornerBytes {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn visit(&self, range: Range<usize>, _raw: bool, visit: Visit<'_>) -> io::Result<()> {
        let pairs = self.0.get(range).unwrap_or_default();
        pairs.iter().try_for_each(|pair| visit(Item::Integers(&pair.map(i32::from))))
    }
}

/// Returns the values of an attribute that needs code specific to Unreal meshes, or `None` for any
/// other attribute.
pub fn values<'a, D: AsRef<[u8]> + Send + Sync>(
    mesh: &'a Mesh<D>,
    request: &DumpRequest<'_>,
) -> anyhow::Result<Option<Box<dyn Values + 'a>>> {
    let DumpRequest { surface, attribute, raw, frame, .. } = *request;
    let view = mesh.surface(surface)?;
    let bytes = |of: fn(&RawPolygon) -> u8| Box::new(PolygonBytes(view.polygons().map(of).collect()));
    Ok(Some(match attribute {
        Attribute::Types => bytes(|polygon| polygon.kind),
        Attribute::Textures => bytes(|polygon| polygon.texture),
        Attribute::ColorBytes => bytes(|polygon| polygon.color),
        Attribute::Flags => bytes(|polygon| polygon.flags),
        Attribute::Uv0 if raw => Box::new(CornerBytes(view.polygons().flat_map(|polygon| polygon.uvs).collect())),
        Attribute::Normals if raw => {
            return Err(UsageError("--raw: no normals are stored; leave it out to compute them".to_owned()).into());
        }
        Attribute::Normals => Box::new(ComputedVectors(normals(mesh, surface, frame)?)),
        Attribute::Positions if mesh.frame_count() > 0 => positions(mesh, surface, raw, frame)?,
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
) -> anyhow::Result<Box<dyn Values + 'a>> {
    let FrameBlend { from, to, fraction } =
        blend_vertex_frames((mesh, mesh), args.clip, &args.frame.clone().unwrap_or_default())?;
    mesh.surface(surface)?;
    // In a frame that the end of the file cuts, the vertices before the end are printed.
    let frame = |number: u32| mesh.frame(usize::try_from(number).unwrap_or(usize::MAX)).map(|frame| frame.positions());
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
    Ok(Box::new(PlacedPositions(between, placement.unwrap_or(Placement::STORED))))
}

/// Computes a normal for each polygon corner of a surface, in the vertex frame that is nearest to
/// the chosen frame index.
fn normals<D: AsRef<[u8]> + Send + Sync>(
    mesh: &Mesh<D>,
    surface: usize,
    args: &FrameArgs,
) -> anyhow::Result<Vec<[f32; 3]>> {
    let FrameBlend { from, to, fraction } =
        blend_vertex_frames((mesh, mesh), args.clip, &args.frame.clone().unwrap_or_default())?;
    let frame = if fraction < 0.5 { from } else { to };
    let shading = match args.shading {
        NormalShading::Flagged => unreal::Shading::Flagged,
        NormalShading::Smooth => unreal::Shading::Smooth,
        NormalShading::Facet => unreal::Shading::Facet,
    };
    // The three axes of the stored positions have different scales. If the script contains no
    // origin, scale and rotation, the positions are converted to the units of the modelling
    // program, in which the three axes have the same scale.
    let placement = placement(mesh, args)?.unwrap_or(Placement::author(mesh.variant()));
    let all = mesh.normals(usize::try_from(frame).unwrap_or(usize::MAX), shading, &placement)?;
    let corners = all.as_chunks::<3>().0;
    let numbers = mesh.surface(surface)?.numbers();
    Ok(numbers.iter().filter_map(|number| corners.get(usize::from(*number))).flatten().copied().collect())
}

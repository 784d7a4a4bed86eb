//! The faces of an OBJ file.

use super::vertices::{VertexNumbers, attribute_count, write_line};
use crate::error::Result;
use crate::export::loss::LossList;
use crate::export::options::ExportScene;
use crate::export::part_faces::{FaceCorner, each_face};
use crate::export::{CornerBlocks, WrittenPart};
use crate::scene::PlacedSurface;
use crate::scene::shape::{PlacedPositions, SurfaceShape};
use crate::text::block::BlockWriter;

/// Writes the faces of a surface.
pub(super) fn write_faces(
    scene: &ExportScene<'_>,
    surface: &PlacedSurface<'_>,
    numbers: &mut VertexNumbers<'_>,
    out: &mut BlockWriter<'_>,
) -> Result<()> {
    let positions = PlacedPositions::new(surface)?;
    let is_posed = matches!(surface.shape, SurfaceShape::Bones(_)) || scene.normals.has(&surface.normal_input())?;
    if numbers.has_normals && is_posed {
        return write_posed(scene, surface, &positions, numbers, out);
    }
    positions.each_triangle(Some(attribute_count(surface)?), &mut |corners, _| {
        write_face(numbers, corners.map(|corner| FaceCorner { vertex: corner.attribute, corner }), out)
    })?;
    Ok(())
}

/// Writes the faces of a surface with normals that are computed, or that bones turn. A normal then
/// belongs to a vertex of the welded surface.
fn write_posed(
    scene: &ExportScene<'_>,
    surface: &PlacedSurface<'_>,
    positions: &PlacedPositions<'_>,
    numbers: &mut VertexNumbers<'_>,
    out: &mut BlockWriter<'_>,
) -> Result<()> {
    let attributes = attribute_count(surface)?;
    // Triangles that are left out were listed when the export was made.
    scene.each_part(surface, &mut LossList::default(), &mut |part, _| {
        write_normals(surface, part, positions.stored.len(), numbers, out)?;
        each_face(surface, positions, &part.order, &mut |corners| {
            let is_valid = corners.iter().all(|face| face.corner.attribute < attributes);
            if is_valid { write_face(numbers, corners, out) } else { Ok(()) }
        })?;
        Ok(())
    })
}

fn write_normals(
    surface: &PlacedSurface<'_>,
    part: &WrittenPart,
    stored: usize,
    numbers: &mut VertexNumbers<'_>,
    out: &mut BlockWriter<'_>,
) -> Result<()> {
    let corners = CornerBlocks::new(&part.order, stored);
    numbers.start_normals(corners.len());
    if let Some(normals) = &part.normals {
        return normals.values.iter().try_for_each(|normal| {
            write_line("vn", normal, out);
            out.end_record()
        });
    }
    corners.each(&mut |corners| {
        let normals = surface.shape.skinned_normals(&surface.surface, corners)?.unwrap_or_default();
        for normal in normals {
            write_line("vn", &surface.conversion.normal(normal), out);
        }
        out.end_record()
    })
}

/// Writes a face. The vertex of a corner is the number of its normal.
fn write_face(numbers: &VertexNumbers<'_>, corners: [FaceCorner; 3], out: &mut BlockWriter<'_>) -> Result<()> {
    out.bytes(b"f");
    let [_, uv, normal] = numbers.first;
    for FaceCorner { vertex, corner } in corners {
        out.bytes(b" ").unsigned(numbers.position(corner.position));
        if numbers.has_uvs {
            out.bytes(b"/").unsigned(uv.saturating_add(corner.attribute.into()));
        }
        if numbers.has_normals {
            out.bytes(if numbers.has_uvs { b"/" } else { b"//" });
            out.unsigned(normal.saturating_add(vertex.into()));
        }
    }
    out.bytes(b"\n").end_record()
}

//! The surfaces, as JSON.

use super::bones::write_matrix;
use crate::array::Array;
use crate::error::Result;
use crate::export::flat_losses::FlatLosses;
use crate::export::loss::{LossKind, LossList};
use crate::export::materials::name_text;
use crate::export::options::ExportScene;
use crate::export::vertices::{CornerBlocks, VertexOrder, VertexParts};
use crate::math::as_index;
use crate::model::contents::MaterialIndex;
use crate::model::{Blend, DrawStyle, Indices};
use crate::scene::shape::{PlacedPositions, SurfaceShape, each_block};
use crate::scene::{PlacedSurface, PoolKey};
use crate::text::json_text::JsonText;

/// The vertices that a surface may share with a surface before it.
struct SharedVertices {
    materials: MaterialIndex,
    /// The number of surfaces that were written.
    written: usize,
    /// The pool of the vertices that were written last, and their entry.
    pool: Option<(PoolKey, usize)>,
}

/// Adds what the output leaves out of a surface. Tangents in a pose are left out, and so are the
/// normals of a damaged surface in a pose.
pub(super) fn list_losses(surface: &PlacedSurface<'_>, losses: &mut FlatLosses<'_>) -> Result<()> {
    if !matches!(surface.shape, SurfaceShape::Bones(_)) {
        return Ok(());
    }
    losses.add(LossKind::Tangents, usize::from(surface.surface.tangent_frames()?.is_some()));
    if surface.surface.normals()?.is_some()
        && VertexParts::new(&surface.surface, surface.shape, &surface.input)? == VertexParts::Repaired
    {
        losses.add(LossKind::Normals, 1);
    }
    Ok(())
}

/// Writes the surfaces as objects.
pub(super) fn write_surfaces(scene: &ExportScene<'_>, json: &mut JsonText<'_>) -> Result<()> {
    let mut shared = SharedVertices { materials: MaterialIndex::new(scene.placed.contents)?, written: 0, pool: None };
    scene.placed.each_surface(&mut |surface| {
        json.object(|json| write_surface(scene, surface, &mut shared, json))?;
        shared.written = shared.written.saturating_add(1);
        Ok(())
    })
}

fn write_surface(
    scene: &ExportScene<'_>,
    surface: &PlacedSurface<'_>,
    shared: &mut SharedVertices,
    json: &mut JsonText<'_>,
) -> Result<()> {
    let view = &surface.surface;
    let known = shared.pool.filter(|(pool, _)| *pool == surface.position_pool());
    json.key("index").count(surface.surface.index())?;
    json.key("name").string(&name_text(view.name()?))?;
    json.key("place").count(surface.place_number)?;
    let material = view.material()?;
    json.key("material").optional(material.map(name_text).as_deref(), JsonText::string)?;
    let described = material.and_then(|name| shared.materials.find(&surface.place.materials, name));
    json.key("material_index").optional(described, JsonText::count)?;
    json.key("style").object(|json| write_style(view.draw_style()?, json))?;
    write_matrix(json.key("matrix"), Some(*surface.conversion.map()))?;
    json.key("shares").optional(known.map(|(_, entry)| entry), JsonText::count)?;
    if known.is_none() {
        write_vertices(surface, json)?;
        shared.pool = Some((surface.position_pool(), shared.written));
    }
    let is_single = surface.attribute_pool()?.is_some();
    let is_computed = scene.normals.has(&surface.normal_input())?;
    let is_posed = matches!(surface.shape, SurfaceShape::Bones(_));
    if known.is_none() || !is_single {
        if !is_computed && !is_posed {
            let stored = if scene.stores_normals(surface)? { view.normals()? } else { None };
            let stored = stored.map(|normals| surface.conversion.array(normals));
            json.key("normals").optional(stored, write_array)?;
        }
        write_attributes(surface, json)?;
    }
    if is_computed || is_posed && scene.stores_normals(surface)? {
        write_vertex_normals(scene, surface, json)?;
    }
    let reverses = surface.conversion.reverses_corners();
    json.key("indices").list(|json| write_indices(view.indices()?, reverses, json))?;
    if is_single {
        return json.key("attribute_indices").null();
    }
    json.key("attribute_indices").list(|json| write_indices(view.attribute_indices()?, reverses, json))
}

/// Writes what belongs to positions: the fields `positions`, `targets`, `frames` and `weights`.
fn write_vertices(surface: &PlacedSurface<'_>, json: &mut JsonText<'_>) -> Result<()> {
    let (view, conversion) = (&surface.surface, surface.conversion);
    json.key("positions").list(|json| {
        PlacedPositions::new(surface)?.stored.each_block(&mut |block| {
            block.iter().try_for_each(|position| json.floats(&surface.conversion.position(*position)))
        })
    })?;
    let is_base = matches!(surface.shape, SurfaceShape::Base);
    let frames = if is_base { surface.frame_count } else { 0 };
    json.key("frames").each(0..frames, |json, frame| write_array(json, conversion.array(view.vertex_frame(frame)?)))?;
    let targets = as_index(view.counts()?.targets);
    json.key("targets")
        .each(1..targets, |json, target| write_array(json, conversion.array(view.target_positions(target)?)))?;
    let Some(weights) = view.weights()? else { return json.key("weights").null() };
    json.key("weights").each(weights.iter(), |json, influences| {
        json.each(influences.iter(), |json, influence| {
            json.list(|json| {
                json.signed(influence.bone.into())?;
                json.float(influence.weight)
            })
        })
    })
}

/// Writes what belongs to attribute vertices, without `normals`: the fields `tangents`,
/// `target_normals`, `uvs` and `colors`.
fn write_attributes(surface: &PlacedSurface<'_>, json: &mut JsonText<'_>) -> Result<()> {
    let (view, conversion) = (&surface.surface, surface.conversion);
    let is_posed = matches!(surface.shape, SurfaceShape::Bones(_));
    let counts = view.counts()?;
    if !is_posed {
        match view.tangent_frames()? {
            None => json.key("tangents").null()?,
            Some(frames) => json.key("tangents").list(|json| {
                each_block(conversion.array(frames), &mut |block| {
                    block.iter().try_for_each(|frame| {
                        let [x, y, z] = frame.tangent();
                        json.floats(&[x, y, z, frame.handedness])
                    })
                })
            })?,
        }
        json.key("target_normals").each(1..as_index(counts.targets), |json, target| {
            json.optional(view.target_normals(target)?, |json, normals| write_array(json, conversion.array(normals)))
        })?;
    }
    json.key("uvs").each(0..as_index(counts.uv_sets), |json, set| {
        json.optional(view.uvs(set)?, |json, uvs| write_array(json, conversion.array(uvs)))
    })?;
    json.key("colors").optional(surface.colors()?.map(|(colors, _)| colors), write_array)
}

/// Writes the normals that are computed, or those of a pose, which belong to vertices of the welded
/// surface: the fields `normals` and `normal_indices`.
fn write_vertex_normals(scene: &ExportScene<'_>, surface: &PlacedSurface<'_>, json: &mut JsonText<'_>) -> Result<()> {
    let (view, mut ignored) = (&surface.surface, LossList::default());
    if VertexParts::new(view, surface.shape, &surface.input)? == VertexParts::Repaired {
        json.key("normals").null()?;
        return json.key("normal_indices").null();
    }
    let stored = view.positions()?.len();
    json.key("normals").list(|json| {
        scene.each_part(surface, &mut ignored, &mut |part, _| match &part.normals {
            Some(normals) => normals.values.iter().try_for_each(|normal| json.floats(normal)),
            None => CornerBlocks::new(&part.order, stored).each(&mut |corners| {
                let normals = surface.shape.skinned_normals(view, corners)?.unwrap_or_default();
                normals.iter().try_for_each(|normal| json.floats(&surface.conversion.normal(*normal)))
            }),
        })
    })?;
    let (mut first, reverses) = (0_u32, surface.conversion.reverses_corners());
    json.key("normal_indices").list(|json| {
        scene.each_part(surface, &mut ignored, &mut |part, _| {
            let VertexOrder::Welded(welded) = &part.order else {
                return write_indices(view.indices()?, reverses, json);
            };
            write_block(&welded.indices, first, reverses, json)?;
            first = first.saturating_add(u32::try_from(welded.vertices.len()).unwrap_or(u32::MAX));
            Ok(())
        })
    })
}

fn write_style(style: DrawStyle, json: &mut JsonText<'_>) -> Result<()> {
    let blend = match style.blend {
        Blend::Opaque => "opaque".to_owned(),
        Blend::Masked => "masked".to_owned(),
        Blend::Translucent => "translucent".to_owned(),
        Blend::Modulated => "modulated".to_owned(),
        Blend::Alpha => "alpha".to_owned(),
        Blend::Unknown(code) => format!("unknown {code}"),
    };
    json.key("blend").string(&blend)?;
    for (name, value) in [
        ("two_sided", style.two_sided),
        ("unlit", style.unlit),
        ("flat", style.flat),
        ("environment", style.environment),
        ("unfiltered", style.unfiltered),
    ] {
        json.key(name).boolean(value)?;
    }
    Ok(())
}

fn write_array<const N: usize, A: Array<Item = [f32; N]>>(json: &mut JsonText<'_>, array: A) -> Result<()> {
    json.list(|json| each_block(array, &mut |block| block.iter().try_for_each(|value| json.floats(value))))
}

/// Writes an index stream, in the order of the output.
fn write_indices(indices: Indices<'_>, reverses: bool, json: &mut JsonText<'_>) -> Result<()> {
    let mut block = [0; 3 << 9];
    for start in (0..indices.len()).step_by(block.len()) {
        let end = start.saturating_add(block.len()).min(indices.len());
        let Some(part) = indices.slice(start..end) else { break };
        part.fill(&mut block);
        write_block(block.get(..part.len()).unwrap_or_default(), 0, reverses, json)?;
    }
    Ok(())
}

/// Writes indices, to which `first` is added.
fn write_block(indices: &[u32], first: u32, reverses: bool, json: &mut JsonText<'_>) -> Result<()> {
    let (triangles, rest) = indices.as_chunks::<3>();
    let mut write = |index: u32| json.unsigned(u64::from(index).saturating_add(first.into()));
    for [one, two, three] in triangles {
        let [two, three] = if reverses { [three, two] } else { [two, three] };
        [one, two, three].into_iter().try_for_each(|index| write(*index))?;
    }
    rest.iter().try_for_each(|index| write(*index))
}

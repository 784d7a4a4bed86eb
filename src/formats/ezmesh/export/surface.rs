//! The meshes of an exported EZ-Mesh file. Their vertices and triangles are read when they are
//! written, so the memory does not depend on the number of placements of a surface.

// Rule: this file sorts and maps by copies only.

use std::collections::{BTreeMap, BTreeSet};

use super::skeleton::{self, AssetBones};
use super::{DistinctNames, ExportContent, text};
use crate::array::{Array, Bounds};
use crate::decode::convert::{OutputFormat as _, Unorm};
use crate::error::{Field, Result};
use crate::export::influences::InfluenceList;
use crate::export::loss::{LossKind, LossList};
use crate::export::options::ExportScene;
use crate::export::{CornerBlocks, PartNormals, VertexOrder, VertexParts, WrittenPart};
use crate::formats::ezmesh::builder::{Output, VertexColumns, VertexTypes, check_text};
use crate::formats::ezmesh::layout::{Semantic, VertexValue};
use crate::math::{as_index, as_u64};
use crate::model::{Colors, Corner, Normals, SkinningRules, SpaceConversion, TangentFrames, Uvs, Weights};
use crate::scene::normals::NormalInput;
use crate::scene::shape::{ShapePositions, finite_or_zero};
use crate::scene::{ColorRole, PlacedSurface, PoolKey};

/// The number of influences on a vertex.
const INFLUENCES: usize = 4;

/// Divides surfaces into parts, each of which is a section of a mesh.
pub(super) struct PartWalk<'b> {
    bones: &'b BTreeMap<usize, AssetBones>,
    /// The pool of the last mesh, if the next surface may be a section of it.
    pool: Option<PoolKey>,
}

/// A part of a surface, which is a section of a mesh.
pub(super) struct SurfacePart<'p, 's> {
    surface: &'p PlacedSurface<'s>,
    order: VertexOrder,
    /// The normals of the vertices, if they are computed.
    normals: Option<PartNormals>,
    /// Whether the normals of the file are written.
    stores_normals: bool,
    positions: ShapePositions<'s>,
    conversion: SpaceConversion,
    bones: Option<&'p AssetBones>,
    /// Whether a mesh starts with this section.
    is_first: bool,
}

/// What precedes the vertices and triangles of the meshes in the file.
pub(super) struct MeshPlan {
    pub(super) is_binary: bool,
    /// The number of sections of each mesh.
    pub(super) sections: Vec<u32>,
    /// The bounding box of all positions, which only a binary file contains.
    pub(super) bounds: Bounds,
    /// The materials of the sections.
    pub(super) materials: BTreeSet<Vec<u8>>,
}

/// Writes the meshes of a file.
pub(super) struct MeshWriter<'w, 'o> {
    plan: &'w MeshPlan,
    names: DistinctNames,
    /// The number of sections of each mesh that is not written yet.
    sections: std::slice::Iter<'w, u32>,
    /// The number of sections of the current mesh that are not written yet.
    left: u32,
    /// The types of the vertices of the current mesh.
    types: VertexTypes,
    out: &'w mut Output<'o>,
}

/// The attributes of the vertices of a surface.
struct PartAttributes<'s> {
    normals: Option<Normals<'s>>,
    frames: Option<TangentFrames<'s>>,
    uvs: Vec<Uvs<'s>>,
    colors: Option<Colors<'s>>,
    weights: Option<Weights<'s>>,
}

impl<'b> PartWalk<'b> {
    pub(super) const fn new(bones: &'b BTreeMap<usize, AssetBones>) -> Self {
        Self { bones, pool: None }
    }

    /// Calls `visit` with each part of a surface.
    pub(super) fn visit(
        &mut self,
        scene: &ExportScene<'_>,
        surface: &PlacedSurface<'_>,
        losses: &mut LossList,
        visit: &mut dyn FnMut(&SurfacePart<'_, '_>, &mut LossList) -> Result<()>,
    ) -> Result<()> {
        let view = &surface.surface;
        let bones = self.bones.get(&surface.place.asset);
        let conversion = bones.map_or(surface.conversion, |bones| bones.vertices);
        let (shape, stores_normals) = (surface.shape, scene.stores_normals(surface)?);
        let corners = scene.normals.corners(&NormalInput { conversion: &conversion, ..surface.normal_input() })?;
        let parts = VertexParts::new(view, shape, &surface.input)?.for_normals(view, corners.is_some())?;
        let pool = surface.attribute_pool()?.filter(|_| parts == VertexParts::Stored);
        let is_first = pool.is_none() || pool != self.pool;
        self.pool = pool;
        for triangles in parts.ranges() {
            let WrittenPart { order, normals } =
                parts.order(view, (shape, corners.as_ref()), triangles, losses, surface.surface.index())?;
            let positions = shape.positions(view)?;
            let part = SurfacePart { surface, order, normals, stores_normals, positions, conversion, bones, is_first };
            visit(&part, losses)?;
        }
        Ok(())
    }
}

impl MeshPlan {
    pub(super) const fn new(is_binary: bool) -> Self {
        Self { is_binary, sections: Vec::new(), bounds: Bounds::EMPTY, materials: BTreeSet::new() }
    }

    /// Adds a part.
    pub(super) fn add(
        &mut self,
        part: &SurfacePart<'_, '_>,
        content: &mut ExportContent,
        losses: &mut LossList,
    ) -> Result<()> {
        let material = part.material()?;
        if !self.is_binary {
            let field = Field::new("name").in_list("mesh", as_u64(self.sections.len()));
            check_text(field, part.surface.surface.name()?.as_bytes())?;
            check_text(field, &material)?;
        }
        if !self.materials.contains(&material) {
            self.materials.insert(material);
        }
        if let Some(sections) = self.sections.last_mut().filter(|_| !part.is_first) {
            *sections = sections.saturating_add(1);
            return Ok(());
        }
        self.sections.push(1);
        if self.is_binary {
            self.bounds = self.bounds.union(&part.bounds()?);
        }
        part.check_influences(content, losses)
    }
}

impl<'w, 'o> MeshWriter<'w, 'o> {
    pub(super) fn new(plan: &'w MeshPlan, out: &'w mut Output<'o>) -> Self {
        let types = VertexColumns::default().types();
        Self { plan, names: DistinctNames::default(), sections: plan.sections.iter(), left: 0, types, out }
    }

    /// Writes a part as a section.
    pub(super) fn write(&mut self, part: &SurfacePart<'_, '_>) -> Result<()> {
        if part.is_first {
            self.start(part)?;
        }
        let bounds = if self.plan.is_binary { Some(part.section_bounds()?) } else { None };
        self.out.start_section(&part.material()?, bounds, Some(&self.types), None)?;
        self.out.triangles(part.triangle_count()?, |out| {
            part.each_triangle(&mut |triangle| out.triangle(part.conversion.triangle(triangle)))
        })?;
        self.out.close("MeshSection")?;
        self.left = self.left.saturating_sub(1);
        if self.left > 0 {
            return Ok(());
        }
        if self.plan.is_binary {
            self.write_vertices(part)?;
        }
        self.out.close("Mesh")
    }

    fn start(&mut self, part: &SurfacePart<'_, '_>) -> Result<()> {
        self.left = self.sections.next().copied().unwrap_or(1);
        let name = self.names.add(part.surface.surface.name()?.as_bytes(), "mesh");
        let bounds = if self.plan.is_binary { Some(part.bounds()?) } else { None };
        self.types = part.columns(&part.attributes()?, 0, &[])?.types();
        let skeleton = part.bones.map(|bones| bones.name.as_slice()).unwrap_or_default();
        self.out.start_mesh([&name, skeleton], bounds, as_index(self.left))?;
        if self.plan.is_binary { Ok(()) } else { self.write_vertices(part) }
    }

    fn write_vertices(&mut self, part: &SurfacePart<'_, '_>) -> Result<()> {
        let (attributes, mut first) = (part.attributes()?, 0_usize);
        self.out.vertices(part.corners().len(), &self.types, |out| {
            part.corners().each(&mut |corners| {
                let columns = part.columns(&attributes, first, corners)?;
                let columns = if self.plan.is_binary { columns.in_binary_order() } else { columns };
                first = first.saturating_add(corners.len());
                columns.write(corners.len(), out)
            })
        })
    }
}

impl<'s> SurfacePart<'_, 's> {
    /// Returns the name of the material, or the name of the surface if it has none.
    fn material(&self) -> Result<Vec<u8>> {
        let view = &self.surface.surface;
        let name = view.material()?.map_or_else(|| view.name(), Ok)?;
        Ok(text(name.as_bytes()))
    }

    /// Returns the corners of the vertices.
    fn corners(&self) -> CornerBlocks<'_> {
        CornerBlocks::new(&self.order, self.positions.len())
    }

    fn position(&self, corner: Corner) -> [f32; 3] {
        let position = self.positions.get(as_index(corner.position)).unwrap_or_default();
        self.conversion.position(position).map(finite_or_zero)
    }

    fn triangle_count(&self) -> Result<usize> {
        Ok(match &self.order {
            VertexOrder::Stored => self.surface.surface.indices()?.len() / 3,
            VertexOrder::Welded(welded) => welded.indices.len() / 3,
        })
    }

    fn each_triangle(&self, visit: &mut dyn FnMut([u32; 3]) -> Result<()>) -> Result<()> {
        match &self.order {
            VertexOrder::Stored => self.surface.surface.indices()?.triangles().try_for_each(visit),
            VertexOrder::Welded(welded) => welded.indices.as_chunks::<3>().0.iter().copied().try_for_each(visit),
        }
    }

    /// Returns the bounding box of the vertices.
    fn bounds(&self) -> Result<Bounds> {
        let mut bounds = Bounds::EMPTY;
        self.corners().each(&mut |corners| {
            bounds.extend(corners.iter().map(|corner| self.position(*corner)));
            Ok(())
        })?;
        Ok(bounds)
    }

    /// Returns the bounding box of the triangles.
    fn section_bounds(&self) -> Result<Bounds> {
        let mut bounds = Bounds::EMPTY;
        self.each_triangle(&mut |triangle| {
            bounds.extend(triangle.map(|index| self.position(self.order.corner(as_index(index)))));
            Ok(())
        })?;
        Ok(bounds)
    }

    /// Adds the bone that never moves to the skeleton if a vertex follows it, and the weights that
    /// the output lacks to `losses`.
    fn check_influences(&self, content: &mut ExportContent, losses: &mut LossList) -> Result<()> {
        let Some((weights, bones)) = self.surface.surface.weights()?.zip(self.bones) else { return Ok(()) };
        let (mut too_many, mut has_still) = (0_usize, false);
        self.corners().each(&mut |corners| {
            let found = influences(&weights, bones, corners)?;
            too_many = too_many.saturating_add(found.too_many);
            has_still |= found.has_still;
            Ok(())
        })?;
        if has_still {
            skeleton::add_still(bones, content);
        }
        if too_many > 0 {
            let text = format!("all but the 4 greatest weights of {too_many} vertices");
            losses.add(LossKind::Influences, Some(self.surface.surface.index()), text);
        }
        Ok(())
    }

    fn attributes(&self) -> Result<PartAttributes<'s>> {
        let view = &self.surface.surface;
        let mut uvs = Vec::new();
        for set in 0..4 {
            let Some(set) = view.uvs(set)? else { break };
            uvs.push(set);
        }
        let colors = self.surface.colors()?.filter(|(_, role)| *role != ColorRole::Data).map(|(colors, _)| colors);
        let normals = if self.stores_normals { view.normals()? } else { None };
        let frames = if normals.is_some() { view.tangent_frames()? } else { None };
        let weights = if self.bones.is_some() { view.weights()? } else { None };
        Ok(PartAttributes { normals, frames, uvs, colors, weights })
    }

    /// Returns the attributes of some vertices. `first` is the number of the first of them.
    fn columns(&self, attributes: &PartAttributes<'s>, first: usize, corners: &[Corner]) -> Result<VertexColumns> {
        let (conversion, all) = (&self.conversion, corners.iter().map(|corner| as_index(corner.attribute)));
        let mut columns = VertexColumns::default();
        columns.floats(Semantic::Position, corners.iter().map(|corner| self.position(*corner)));
        if let Some(computed) = &self.normals {
            columns.floats(Semantic::Normal, computed.values.iter().skip(first).take(corners.len()).copied());
        } else if let Some(normals) = self.surface.shape.skinned_normals(&self.surface.surface, corners)? {
            columns.floats(Semantic::Normal, normals.into_iter().map(|normal| conversion.normal(normal)));
        } else if let Some(normals) = &attributes.normals {
            let normal = |index| conversion.normal(normals.get(index).unwrap_or_default());
            columns.floats(Semantic::Normal, all.clone().map(normal));
            if let Some(frames) = &attributes.frames {
                let frame = |index| conversion.tangent_frame(&frames.get(index).unwrap_or_default());
                columns.floats(Semantic::Tangent, all.clone().map(|index| frame(index).tangent()));
                columns.floats(Semantic::Binormal, all.clone().map(|index| frame(index).bitangent()));
            }
        }
        for (set, uvs) in (0_u8..).zip(&attributes.uvs) {
            let uv = |index| conversion.uv(uvs.get(index).unwrap_or_default()).map(finite_or_zero);
            columns.floats(Semantic::Texcoord(set), all.clone().map(uv));
        }
        if let Some(colors) = &attributes.colors {
            let all = all.map(|index| argb(colors.get(index).unwrap_or([1.0; 4])));
            columns.push(Semantic::Color, all.map(VertexValue::Hex));
        }
        if let Some((weights, bones)) = attributes.weights.as_ref().zip(self.bones) {
            let found = influences(weights, bones, corners)?;
            columns.floats(Semantic::BlendWeights, found.weights);
            let bones = found.bones.into_flattened().into_iter();
            columns.push(Semantic::BlendIndices, bones.map(|bone| VertexValue::Integer(bone.into())));
        }
        Ok(columns)
    }
}

/// Returns a colour as `0xAARRGGBB`.
fn argb(color: [f32; 4]) -> u32 {
    let [red, green, blue, alpha] = Unorm::<u8>::new().convert(color);
    u32::from_be_bytes([alpha, red, green, blue])
}

/// The influences on some vertices.
#[derive(Default)]
struct InfluenceColumns {
    weights: Vec<[f32; INFLUENCES]>,
    bones: Vec<[u16; INFLUENCES]>,
    /// The number of vertices with more than four influences.
    too_many: usize,
    /// Whether a vertex follows the bone that never moves.
    has_still: bool,
}

/// Returns the four greatest weights of each vertex, and their bones.
fn influences(weights: &Weights<'_>, bones: &AssetBones, corners: &[Corner]) -> Result<InfluenceColumns> {
    let (mut found, mut list) = (InfluenceColumns::default(), InfluenceList::default());
    let rules = weights.skinning_rules();
    let index = |bone: i32| {
        let stored = usize::try_from(bone).ok().and_then(|bone| bones.order.get(bone));
        let clamped = bones.order.last().filter(|_| rules == SkinningRules::Clamped);
        Ok(stored.or(clamped).map(|bone| as_index(*bone)))
    };
    for corner in corners {
        let count = list.fill(weights.get(corner.position).as_ref(), INFLUENCES, index)?;
        found.too_many = found.too_many.saturating_add(usize::from(count > INFLUENCES));
        if list.is_empty() && rules == SkinningRules::Strict {
            list.set_only(bones.order.len());
            found.has_still = true;
        }
        let all = [0, 1, 2, 3].map(|place| list.get(place));
        found.weights.push(all.map(|(_, weight)| weight));
        found.bones.push(all.map(|(bone, _)| u16::try_from(bone).unwrap_or(u16::MAX)));
    }
    Ok(found)
}

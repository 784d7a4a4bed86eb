//! Primitives: the vertices and triangles of surfaces.

use std::cell::RefCell;
use std::rc::Rc;

use super::attributes::{VertexInput, VertexNormals, computed_corners};
use super::buffers::{BufferSink, FloatBlock};
use super::document::{AttributeName, Primitive};
use super::influences::InfluencePlan;
use super::materials::PrimitiveMaterial;
use super::quantized::QuantizedBox;
use super::skeleton::SkeletonPlan;
use super::targets::TargetPlan;
use crate::array::Array;
use crate::error::Result;
use crate::export::loss::{LossKind, LossList, counted, undrawn_colors};
use crate::export::vertices::non_finite_attributes;
use crate::export::{SceneInput, VertexParts, VertexRun, WrittenPart};
use crate::math::as_index;
use crate::model::{SpaceConversion, Surface};
use crate::scene::normals::{ComputedNormals, NormalSource};
use crate::scene::shape::SurfaceShape;
use crate::scene::{ColorRole, ColorUse};

/// The greatest size of the welded surfaces that are kept from the first run to the second, in
/// bytes.
const MAX_KEPT_BYTES: usize = 8 << 20;

/// A primitive with what its mesh and its material depend on.
#[derive(Clone, Debug)]
pub(super) struct PrimitivePlan {
    /// The index of the surface.
    pub(super) number: usize,
    pub(super) primitive: Primitive,
    pub(super) is_skinned: bool,
    pub(super) material: PrimitiveMaterial,
    /// The interval of the positions if they are quantized.
    pub(super) interval: Option<QuantizedBox>,
}

/// The parts and vertices of the surfaces, in the order in which they are exported.
pub(super) struct OrderCache<'a> {
    input: SceneInput<'a>,
    parts: RefCell<Vec<VertexParts>>,
    orders: RefCell<Vec<Option<Rc<WrittenPart>>>>,
    kept: RefCell<usize>,
}

impl<'a> OrderCache<'a> {
    pub(super) fn new(input: SceneInput<'a>) -> Self {
        Self { input, parts: RefCell::default(), orders: RefCell::default(), kept: RefCell::default() }
    }

    /// Returns the parts of surface `index`, which the first call computes. The first call also
    /// adds values that are not finite to `losses`. `number` is the index of the surface in its
    /// level.
    fn parts(
        &self,
        index: usize,
        surface: &Surface<'_>,
        (shape, is_computed): (SurfaceShape<'_>, bool),
        losses: &mut LossList,
        number: usize,
    ) -> Result<VertexParts> {
        if let Some(parts) = self.parts.borrow().get(index) {
            return Ok(*parts);
        }
        let parts = VertexParts::new(surface, shape, &self.input)?.for_normals(surface, is_computed)?;
        self.parts.borrow_mut().push(parts);
        let count = non_finite_attributes(surface, &self.input)?;
        if count > 0 {
            let text = format!("{} that are not finite", counted(count, "value"));
            losses.add(LossKind::Values, Some(number), text);
        }
        Ok(parts)
    }

    /// Returns the vertices of part `index`. They are kept while there is room.
    fn order(&self, index: usize, make: impl FnOnce() -> Result<WrittenPart>) -> Result<Rc<WrittenPart>> {
        let known = self.orders.borrow().get(index).cloned();
        if let Some(Some(order)) = known {
            return Ok(order);
        }
        let order = Rc::new(make()?);
        if known.is_none() {
            let size = self.kept.borrow().saturating_add(order.byte_len());
            let has_room = size <= MAX_KEPT_BYTES;
            self.orders.borrow_mut().push(has_room.then(|| order.clone()));
            if has_room {
                self.kept.replace(size);
            }
        }
        Ok(order)
    }
}

/// Adds the vertices and triangles of surfaces to a file.
pub(super) struct SurfaceWriter<'b> {
    pub(super) sink: &'b mut dyn BufferSink,
    pub(super) cache: &'b OrderCache<'b>,
    pub(super) block: FloatBlock,
    /// The number of surfaces and of parts that were added.
    surfaces: usize,
    parts: usize,
    /// Whether a vertex has integers that need the extension for quantization.
    pub(super) uses_quantization: bool,
    /// The vertices and the attributes of the last surface, which the next one may share.
    shared: Option<(VertexRun, SharedAttributes)>,
}

/// The attributes of the vertices of a surface.
struct SharedAttributes {
    attributes: Vec<(AttributeName, u32)>,
    targets: Vec<[Option<u32>; 3]>,
    is_skinned: bool,
    interval: Option<QuantizedBox>,
}

/// How the surfaces of a level of detail are exported.
pub(super) struct LevelInput<'s> {
    pub(super) conversion: SpaceConversion,
    pub(super) shape: SurfaceShape<'s>,
    pub(super) targets: TargetPlan,
    pub(super) is_quantized: bool,
    /// Whether bind matrices place the vertices.
    pub(super) is_bound: bool,
    /// How vertex colours are used.
    pub(super) colors: ColorUse,
    pub(super) normals: &'s ComputedNormals,
}

impl<'b> SurfaceWriter<'b> {
    pub(super) fn new(sink: &'b mut dyn BufferSink, cache: &'b OrderCache<'b>) -> Self {
        Self { sink, cache, block: FloatBlock::new(), surfaces: 0, parts: 0, uses_quantization: false, shared: None }
    }

    /// Ends the sharing of attributes, because the next surface belongs to another level.
    pub(super) fn end_level(&mut self) {
        self.shared = None;
    }

    /// Adds a surface, which may be lent, with the index `number` in its level of detail.
    pub(super) fn surface(
        &mut self,
        surface: &Surface<'_>,
        level: &LevelInput<'_>,
        skeleton: &mut Option<SkeletonPlan>,
        losses: &mut LossList,
        plans: &mut Vec<PrimitivePlan>,
    ) -> Result<()> {
        let (shape, number) = (level.shape, surface.index());
        let corners = computed_corners(level.normals, surface, shape, &level.conversion)?;
        let parts = self.cache.parts(self.surfaces, surface, (shape, corners.is_some()), losses, number)?;
        self.surfaces = self.surfaces.saturating_add(1);
        for triangles in parts.ranges() {
            let part = self
                .cache
                .order(self.parts, || parts.order(surface, (shape, corners.as_ref()), triangles, losses, number))?;
            self.parts = self.parts.saturating_add(1);
            if part.byte_len() > 1 << 20 {
                self.cache.input.release();
            }
            let normals = match (&part.normals, NormalSource::new(surface, &shape, level.normals.choice())?) {
                (Some(normals), _) => VertexNormals::Computed(normals, level.normals),
                (None, NormalSource::Stored(_)) => VertexNormals::Stored,
                _ => VertexNormals::None,
            };
            let input = VertexInput {
                surface,
                order: &part.order,
                count: part.order.vertex_count(surface.positions()?.len()),
                shape,
                conversion: level.conversion,
                normals,
            };
            if input.count > 0 {
                plans.push(self.part(&input, number, level, skeleton, losses)?);
            }
        }
        Ok(())
    }

    fn part(
        &mut self,
        input: &VertexInput<'_, '_>,
        number: usize,
        level: &LevelInput<'_>,
        skeleton: &mut Option<SkeletonPlan>,
        losses: &mut LossList,
    ) -> Result<PrimitivePlan> {
        let surface = input.surface;
        let run = VertexRun::of(surface, input.order, input.count)?;
        let shared = match self.shared.take() {
            Some((last, shared)) if Some(last) == run => shared,
            _ => self.attributes(input, number, level, skeleton, losses)?,
        };
        let indices = Some(input.indices(self.sink)?);
        let name = surface.name()?.to_string_lossy();
        let has_uvs = shared.attributes.iter().any(|(name, _)| *name == AttributeName::TexCoord(0));
        let plan = PrimitivePlan {
            number,
            primitive: Primitive {
                attributes: shared.attributes.clone(),
                indices,
                targets: shared.targets.clone(),
                name: Some(name.clone()),
                ..Primitive::default()
            },
            is_skinned: shared.is_skinned,
            material: PrimitiveMaterial {
                stored: surface.material()?.map(|name| name.to_vec()),
                surface: name,
                style: surface.draw_style()?,
                has_uvs,
            },
            interval: shared.interval,
        };
        self.shared = run.zip(Some(shared));
        Ok(plan)
    }

    fn attributes(
        &mut self,
        input: &VertexInput<'_, '_>,
        number: usize,
        level: &LevelInput<'_>,
        skeleton: &mut Option<SkeletonPlan>,
        losses: &mut LossList,
    ) -> Result<SharedAttributes> {
        let (surface, sink, block) = (input.surface, &mut *self.sink, &mut self.block);
        let is_quantized = level.is_quantized;
        // Viewers ignore the transform of a node with a skin, so the vertices of a mesh with bind
        // matrices are written placed.
        let interval = if is_quantized && !level.is_bound && level.targets == TargetPlan::None {
            QuantizedBox::of(surface, level.shape, &level.conversion)?
        } else {
            None
        };
        let positions = if interval.is_some() { input.position_codes(sink) } else { input.positions(sink, block) }?;
        let mut attributes = vec![(AttributeName::Position, positions)];
        let is_posed = matches!(level.shape, SurfaceShape::Bones(_));
        let has_short = is_quantized && !is_posed && level.targets == TargetPlan::None;
        let has_normals = !matches!(input.normals, VertexNormals::None);
        self.uses_quantization |= interval.is_some() || has_short && has_normals;
        if has_normals {
            let normals =
                if has_short { input.short_normals(interval.as_ref(), sink)? } else { input.normals(sink, block)? };
            attributes.push((AttributeName::Normal, normals));
        }
        let is_replaced = !matches!(input.normals, VertexNormals::Stored);
        if surface.tangent_frames()?.is_some() && (is_posed || is_replaced) {
            let why = if is_posed { "the surface is posed" } else { "the normals of the file are not written" };
            losses.add(LossKind::Tangents, Some(number), format!("tangents, because {why}"));
        } else if surface.tangent_frames()?.is_some() && interval.is_none() {
            let tangents = if has_short { input.short_tangents(sink, block) } else { input.tangents(sink, block) }?;
            attributes.push((AttributeName::Tangent, tangents));
        }
        // The sets of a surface may have gaps, which glTF does not allow.
        let mut target_set = 0_u32;
        for set in 0..surface.counts()?.uv_sets {
            if surface.uvs(as_index(set))?.is_some() {
                let codes = if is_quantized { input.uv_codes(set, sink)? } else { None };
                let uvs = codes.map_or_else(|| input.uvs(set, sink, block), Ok)?;
                attributes.push((AttributeName::TexCoord(target_set), uvs));
                target_set = target_set.saturating_add(1);
            }
        }
        if let Some((_, role)) = level.colors.colors(surface)? {
            let is_drawn = role == ColorRole::Albedo;
            let name = if is_drawn { AttributeName::Color } else { AttributeName::ColorData };
            attributes.push((name, input.colors(sink, block)?));
            if let Some(text) = undrawn_colors(role, "the attribute _COLOR_0") {
                losses.add_by_format(LossKind::DataColors, 1, text);
            }
        }
        let weights = surface.weights()?.filter(|_| matches!(level.shape, SurfaceShape::Base));
        let is_skinned = weights.is_some() && skeleton.is_some();
        if let Some((weights, skeleton)) = weights.zip(skeleton.as_mut()) {
            let plan = InfluencePlan::new(&weights, skeleton, surface.positions()?.len(), losses, number)?;
            if plan.has_still {
                skeleton.add_still();
            }
            let first = input.influences(&weights, plan, skeleton, sink)?;
            for (set, joints) in (0..).zip((first..).step_by(2)).take(plan.sets) {
                attributes.push((AttributeName::Joints(set), joints));
                attributes.push((AttributeName::Weights(set), joints.saturating_add(1)));
            }
        }
        let targets = input.targets(level.targets, sink, block)?;
        Ok(SharedAttributes { attributes, targets, is_skinned, interval })
    }
}

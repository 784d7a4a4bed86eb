//! Finds the arrays of a surface or a hull by their attribute.

use crate::formats::secondlife::LevelGeometry;
use crate::model::{Asset, Hull, HullKind, Positions};
use crate::{Error, ErrorKind, Field, Geometry, Model, Surface};

use crate::program::args::Attribute;
use crate::program::formats::facts::{self, DumpRequest, ValueSource};
use crate::program::formats::lent::LentArrays;
use crate::program::formats::unreal::frame_args::FrameArgs;
use crate::program::input::bytes::Data;
use crate::program::outcome::UsageError;
use crate::program::render::arrays::{FrameAxes, FrameAxis};
use crate::program::render::values::{Values, boxed};

/// The options that apply to every array.
pub struct ArrayOptions<'a> {
    pub target: usize,
    pub raw: bool,
    pub frame: &'a FrameArgs,
    pub clip: Option<usize>,
}

/// An open model with the options that choose its arrays.
pub struct ArrayContext<'a> {
    pub model: &'a Model<Data>,
    pub level: Option<LevelGeometry<'a>>,
    pub asset: &'a dyn Asset,
    pub options: ArrayOptions<'a>,
}

impl ArrayContext<'_> {
    /// Returns the model, or its chosen level of detail.
    pub fn geometry(&self) -> &dyn Geometry {
        match &self.level {
            Some(level) => level,
            None => self.model,
        }
    }

    /// Returns the arrays of a surface of the model, or of a hull.
    pub fn arrays(&self, number: usize) -> SurfaceArrays<'_> {
        let source = ValueSource { model: self.model, level: self.level.as_ref(), lent: None };
        SurfaceArrays::new(self, source, (self.geometry(), number), number)
    }

    /// Lends the surface with the given number.
    pub fn lend(&self, number: usize) -> crate::Result<LentArrays<'_>> {
        LentArrays::new(self.model, self.level.as_ref(), number)
    }

    /// Returns the arrays of a lent surface.
    pub fn lent_arrays<'s>(&'s self, lent: &'s LentArrays<'s>, number: usize) -> SurfaceArrays<'s> {
        let source = ValueSource { model: self.model, level: self.level.as_ref(), lent: lent.with_tree() };
        SurfaceArrays::new(self, source, (lent.geometry(), 0), number)
    }
}

/// A surface or a hull, whose arrays are found by their attribute.
pub struct SurfaceArrays<'s> {
    context: &'s ArrayContext<'s>,
    source: ValueSource<'s, Data>,
    geometry: &'s dyn Geometry,
    /// The index of the surface in `geometry`.
    index: usize,
    surface: Surface<'s>,
    /// The number of the surface in the file, or of the hull.
    pub number: usize,
}

impl<'s> SurfaceArrays<'s> {
    fn new(
        context: &'s ArrayContext<'s>,
        source: ValueSource<'s, Data>,
        (geometry, index): (&'s dyn Geometry, usize),
        number: usize,
    ) -> Self {
        Self { context, source, geometry, index, surface: Surface::new(geometry, index), number }
    }

    /// Returns the values of an attribute, or `None` if the surface does not have it.
    pub fn values(&self, attribute: Attribute) -> anyhow::Result<Option<Box<dyn Values + 's>>> {
        let ArrayOptions { raw, frame, clip, .. } = self.context.options;
        let request = DumpRequest { surface: self.number, attribute, raw, frame, clip };
        match facts::values(&self.source, &request)? {
            Some(values) => Ok(Some(values)),
            None => Ok(self.neutral_values(attribute)?),
        }
    }

    /// Returns whether an attribute is among those that are written by default.
    ///
    /// An index stream that is used for all attributes is written once. Normals are left out if
    /// stored numbers are requested and the format stores none.
    pub fn is_default(&self, attribute: Attribute) -> anyhow::Result<bool> {
        Ok(match attribute {
            Attribute::AttributeIndices => self.geometry.attribute_indices(self.index)?.is_some(),
            Attribute::Normals if self.context.options.raw => self.surface.normals()?.is_some(),
            _ => true,
        })
    }

    /// Returns the error that the surface does not exist, or that it does not have the attribute.
    pub fn missing(&self, attribute: Attribute) -> anyhow::Error {
        // For a hull, --surface is the number of the hull.
        if let Err(error) = self.surface.name()
            && attribute != Attribute::Hull
        {
            return error.into();
        }
        if matches!(attribute, Attribute::Hull | Attribute::BoundingHull) {
            let kind = if attribute == Attribute::Hull { "collision hulls" } else { "bounding hull" };
            return UsageError(format!("the mesh has no {kind}")).into();
        }
        let (surface, name) = (self.number, attribute.name());
        UsageError(format!("surface {surface} has no {name}; `meshpeek info` lists the attributes of each surface"))
            .into()
    }

    /// Returns the values of an attribute that exists in several formats, such as positions.
    fn neutral_values(&self, attribute: Attribute) -> crate::Result<Option<Box<dyn Values + 's>>> {
        use Attribute as A;
        let surface = &self.surface;
        let target = if attribute.has_targets() { self.context.options.target } else { 0 };
        Ok(match attribute {
            A::Positions => Some(Box::new(surface.target_positions(target)?)),
            A::Normals => match self.frame_axes(FrameAxis::Normal)? {
                Some(frames) => Some(frames),
                None => boxed(surface.target_normals(target)?),
            },
            A::Tangents => self.frame_axes(FrameAxis::Tangent)?,
            A::Bitangents => self.frame_axes(FrameAxis::Bitangent)?,
            A::Uv0 => boxed(surface.uvs(0)?),
            A::Uv1 => boxed(surface.uvs(1)?),
            A::Uv2 => boxed(surface.uvs(2)?),
            A::Uv3 => boxed(surface.uvs(3)?),
            A::Colors => boxed(surface.colors()?),
            A::Weights => boxed(surface.weights()?),
            A::Indices => Some(Box::new(surface.indices()?)),
            A::AttributeIndices => Some(Box::new(surface.attribute_indices()?)),
            A::Hull | A::BoundingHull => boxed(self.hull_points(attribute)?),
            // [`facts::values`] returns the values of an attribute that exists in one format only.
            _ => None,
        })
    }

    fn frame_axes(&self, axis: FrameAxis) -> crate::Result<Option<Box<dyn Values + 's>>> {
        let frames = self.surface.target_tangent_frames(self.context.options.target)?;
        Ok(boxed(frames.map(|frames| FrameAxes(frames, axis))))
    }

    /// Returns the points of the collision hull with this number, or of the hull around the whole
    /// asset, which is the last hull of an asset and has no number on the command line.
    fn hull_points(&self, attribute: Attribute) -> crate::Result<Option<Positions<'s>>> {
        let asset = self.context.asset;
        let Some(last) = asset.hull_count()?.checked_sub(1) else { return Ok(None) };
        let (found, is_bounding) = (asset.hull(last), |hull: &Hull<'_>| hull.kind == HullKind::Bounding);
        if attribute == Attribute::BoundingHull {
            return Ok(Some(found?).filter(is_bounding).and_then(|hull| hull.points));
        }
        if self.number >= last && found.as_ref().is_ok_and(is_bounding) {
            let text = match last {
                0 => "the mesh has no hulls but the bounding hull, which is the attribute bounding-hull".to_owned(),
                _ => format!("expected a number below {last}, found {}", self.number),
            };
            let field = Field::new("").in_list("hull", self.number.try_into().unwrap_or(u64::MAX));
            return Err(Error::custom(ErrorKind::NoSuch, text).located(asset.format(), field, None));
        }
        Ok(asset.hull(self.number)?.points)
    }
}

/// Returns the number of hulls that have a number on the command line.
pub fn numbered_hulls(asset: &dyn Asset) -> crate::Result<usize> {
    let count = asset.hull_count()?;
    let Some(last) = count.checked_sub(1) else { return Ok(0) };
    Ok(if asset.hull(last).is_ok_and(|hull| hull.kind == HullKind::Bounding) { last } else { count })
}

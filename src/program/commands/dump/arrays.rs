//! Finds the arrays of a surface or a hull by their attribute. The options of vertex meshes choose
//! the frame and the normals.

use clap::Args;
use clap::builder::TypedValueParser;

use crate::model::{
    Asset, Hull, HullKind, InterpolatedPositions, ItemOwner, NormalShading, PositionMap, Positions, VertexMesh,
};
use crate::{Animations, Array as _, Error, ErrorKind, Field, FrameBlend, Geometry, Surface};

use super::attribute::{Attribute, NeutralAttribute};
use crate::program::args::{FrameIndex, first_set, named_values, parse_frame_index};
use crate::program::formats::blend_vertex_frames;
use crate::program::formats::selectors::Selector;
use crate::program::outcome::{UsageError, usage};
use crate::program::output::{ComputedVectors, FrameAxes, FrameAxis, Values, boxed};

/// The options that choose a vertex frame, and how values are computed from it.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Unreal vertex meshes")]
pub struct FrameArgs {
    /// Vertex frame of positions and normals, from 0; between two whole frames, positions are
    /// interpolated
    #[arg(long, value_name = "N", value_parser = parse_frame_index, allow_negative_numbers = true)]
    pub frame: Option<FrameIndex>,
    /// Number or name of the clip in which --frame is counted; by default, --frame counts all
    /// frames
    ///
    /// With --pose or --time, it is the number or the name of the animation.
    #[arg(long, value_name = "N")]
    pub clip: Option<Selector>,
    /// Apply the origin, scale and rotation in the script to positions and normals
    ///
    /// The options UNMIRROR, MIRROR and DROPFRAMES of an import are not applied.
    #[arg(long, conflicts_with = "raw")]
    pub placed: bool,
    /// How normals are computed, because the format stores none
    #[arg(long, value_parser = shadings(), default_value = "flagged")]
    pub shading: NormalShading,
    /// Print the texture coordinates of all polygons in the format of the published listing: six
    /// bytes on a line for each polygon
    #[arg(long, conflicts_with_all = ["raw", "attribute", "range", "surface", "frame", "clip", "target", "json", "output"])]
    pub uv_listing: bool,
}

fn shadings() -> impl TypedValueParser<Value = NormalShading> {
    let flagged = "Facet normals for polygons with the flat flag, and smooth normals for all others";
    named_values(vec![
        (NormalShading::Flagged, "flagged", flagged),
        (NormalShading::Smooth, "smooth", "The mean of the normals of the polygons around each vertex"),
        (NormalShading::Facet, "facet", "The normal of the plane of each polygon"),
    ])
}

impl FrameArgs {
    /// Returns the first option on the command line that applies to Unreal vertex meshes only, or
    /// `None` if there is no such option.
    pub fn first_option(&self) -> Option<&'static str> {
        first_set(&[
            (self.frame.is_some(), "--frame"),
            (self.clip.is_some(), "--clip"),
            (self.placed, "--placed"),
            (self.shading != NormalShading::Flagged, "--shading"),
            (self.uv_listing, "--uv-listing"),
        ])
    }
}

/// The surfaces, bones and hulls of a mesh, with the options that choose its arrays.
pub struct ArrayContext<'a> {
    pub geometry: &'a dyn Geometry,
    pub animations: &'a dyn Animations,
    pub asset: &'a dyn Asset,
    pub target: usize,
    pub raw: bool,
    pub frame: &'a FrameArgs,
    pub clip: Option<usize>,
}

impl ArrayContext<'_> {
    /// Returns the arrays of a surface of the mesh, or of a hull.
    pub fn arrays(&self, number: usize) -> ChosenArrays<'_> {
        ChosenArrays { context: self, surface: self.geometry.surface(number), number }
    }

    /// Returns the arrays of a surface that was lent.
    pub fn lent_arrays<'s>(&'s self, surface: Surface<'s>) -> ChosenArrays<'s> {
        ChosenArrays { context: self, surface: Ok(surface), number: surface.index() }
    }
}

/// A surface or a hull, whose arrays are found by their attribute.
pub struct ChosenArrays<'s> {
    context: &'s ArrayContext<'s>,
    /// The surface, or the error that it does not exist, as that of most hulls.
    surface: crate::Result<Surface<'s>>,
    /// The number of the surface in the file, or of the hull.
    pub number: usize,
}

impl<'s> ChosenArrays<'s> {
    fn surface(&self) -> crate::Result<Surface<'s>> {
        self.surface.clone()
    }

    /// Returns the values of an attribute, or `None` if the surface does not have it.
    pub fn values(&self, attribute: Attribute) -> anyhow::Result<Option<Box<dyn Values + 's>>> {
        if let Ok(surface) = &self.surface
            && let Some(extra) = surface.extra_array(&attribute.name())?
        {
            return Ok(Some(Box::new(extra)));
        }
        let Attribute::Neutral(attribute) = attribute else { return Ok(boxed(self.hull_points(attribute)?)) };
        self.neutral_values(attribute)
    }

    /// Returns whether an attribute is among those that are written by default.
    ///
    /// An index stream that is used for all attributes is written once. Normals are left out if
    /// stored numbers are requested and the format stores none.
    pub fn is_default(&self, attribute: Attribute) -> anyhow::Result<bool> {
        Ok(match attribute {
            Attribute::Neutral(NeutralAttribute::AttributeIndices) => self.surface()?.second_indices()?.is_some(),
            Attribute::Neutral(NeutralAttribute::Normals) if self.context.raw => self.surface()?.normals()?.is_some(),
            _ => true,
        })
    }

    /// Returns the error that the surface does not exist, or that it does not have the attribute.
    pub fn missing(&self, attribute: Attribute) -> anyhow::Error {
        // For a hull, --surface is the number of the hull.
        if let Err(error) = self.surface()
            && attribute.owner() != ItemOwner::Hull
        {
            return error.into();
        }
        let (surface, name) = (self.number, attribute.name());
        UsageError(match attribute.owner() {
            ItemOwner::Hull => "the mesh has no collision hulls".to_owned(),
            ItemOwner::BoundingHull => "the mesh has no bounding hull".to_owned(),
            _ => {
                let others = match self.extra_names().join(", ") {
                    names if names.is_empty() || matches!(attribute, Attribute::Neutral(_)) => String::new(),
                    names => format!("it has {names}, and "),
                };
                format!("surface {surface} has no {name}; {others}`meshpeek info` lists the attributes of each surface")
            }
        })
        .into()
    }

    /// Returns the names of the extra arrays that the surface has.
    fn extra_names(&self) -> Vec<&'static str> {
        let names = self.context.geometry.extra_arrays().iter().map(|info| info.name);
        let has = |name: &str| self.surface()?.extra_array(name);
        names.filter(|name| has(name).is_ok_and(|array| array.is_some())).collect()
    }

    /// Returns the values of an attribute that is stored in the same way in all formats, or
    /// computed from vertex frames.
    fn neutral_values(&self, attribute: NeutralAttribute) -> anyhow::Result<Option<Box<dyn Values + 's>>> {
        use NeutralAttribute as A;
        let (surface, geometry) = (self.surface()?, self.context.geometry);
        match (attribute, geometry.vertex_mesh()) {
            (A::Normals, Some(mesh)) => return Ok(Some(self.computed_normals(mesh)?)),
            (A::Positions, Some(mesh)) if geometry.vertex_frame_count()? > 0 => {
                return Ok(Some(self.frame_positions(mesh)?));
            }
            _ => {}
        }
        let target = if Attribute::Neutral(attribute).has_targets() { self.context.target } else { 0 };
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
        })
    }

    fn frame_axes(&self, axis: FrameAxis) -> crate::Result<Option<Box<dyn Values + 's>>> {
        let frames = self.surface()?.target_tangent_frames(self.context.target)?;
        Ok(boxed(frames.map(|frames| FrameAxes(frames, axis))))
    }

    /// Returns the chosen vertex frames, and the interpolation fraction between them.
    fn blend(&self) -> anyhow::Result<FrameBlend> {
        let ArrayContext { geometry, animations, frame, clip, .. } = self.context;
        blend_vertex_frames((*geometry, *animations), *clip, &frame.frame.clone().unwrap_or_default())
    }

    /// Returns the map to placed positions if the command line chooses them.
    fn placing(&self, mesh: &'s dyn VertexMesh) -> anyhow::Result<Option<PositionMap<'s>>> {
        if !self.context.frame.placed {
            return Ok(None);
        }
        let text = "--placed: no script was found for the mesh; leave it out";
        Ok(Some(mesh.placing().ok_or_else(|| UsageError(text.to_owned()))?))
    }

    /// In a frame that the end of the file cuts, the vertices before the end are printed.
    fn frame_positions(&self, mesh: &'s dyn VertexMesh) -> anyhow::Result<Box<dyn Values + 's>> {
        let FrameBlend { from, to, fraction } = self.blend()?;
        let placing = self.placing(mesh)?;
        let surface = self.surface()?;
        let frame = |number: u32| surface.vertex_frame(usize::try_from(number).unwrap_or(usize::MAX));
        // If the frame index has no fraction, the positions are stored in the file and are not
        // interpolated.
        if fraction.to_bits() == 0 && placing.is_none() {
            return Ok(Box::new(frame(from)?));
        }
        if self.context.raw {
            usage!("--raw: expected a whole number for --frame, because only whole frames are stored");
        }
        let between = InterpolatedPositions::new(frame(from)?, frame(to)?, fraction);
        let place = placing.unwrap_or_else(|| Box::new(|position| position));
        Ok(ComputedVectors::boxed(between.len(), move |index| between.get(index).map(&place)))
    }

    /// Computes a normal for each corner, in the vertex frame that is nearest to the chosen frame
    /// index.
    fn computed_normals(&self, mesh: &'s dyn VertexMesh) -> anyhow::Result<Box<dyn Values + 's>> {
        if self.context.raw {
            usage!("--raw: no normals are stored; leave it out to compute them");
        }
        let FrameBlend { from, to, fraction } = self.blend()?;
        let frame = usize::try_from(if fraction < 0.5 { from } else { to }).unwrap_or(usize::MAX);
        let is_placed = self.placing(mesh)?.is_some();
        let normals = mesh.normals(self.number, frame, self.context.frame.shading, is_placed)?;
        Ok(ComputedVectors::boxed(normals.len(), move |index| normals.get(index).copied()))
    }

    /// Returns the points of the collision hull with this number, or of the hull around the whole
    /// asset, which is the last hull of an asset and has no number on the command line. Returns
    /// `None` for another attribute.
    fn hull_points(&self, attribute: Attribute) -> crate::Result<Option<Positions<'s>>> {
        let is_bounding_hull = match attribute.owner() {
            ItemOwner::Hull => false,
            ItemOwner::BoundingHull => true,
            _ => return Ok(None),
        };
        let asset = self.context.asset;
        let Some(last) = asset.hull_count()?.checked_sub(1) else { return Ok(None) };
        let (found, is_bounding) = (asset.hull(last), |hull: &Hull<'_>| hull.kind == HullKind::Bounding);
        if is_bounding_hull {
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

//! The shape of surfaces: the base shape, a vertex frame, or a pose of bones. Also the triangles of
//! a surface in this shape, in the place and the conventions of the output.

use super::SceneOptions;
use crate::array::Array;
use crate::array::bulk::ChunkBuffer;
use crate::array::gather::Gather as _;
use crate::error::{Cause, Error, ErrorKind, Field, Result};
use crate::math::as_index;
use crate::model::animation::{
    Affine, Animations, Clip, FrameBlend, Pose, Retarget, Skeleton, SkinMatrix, SkinnedSurface,
};
use crate::model::{Corner, Geometry, Indices, InterpolatedPositions, Positions, Surface};
use crate::parse::{Name, filled, room};
use crate::scene::PlacedSurface;

/// The pose of the bones or the vertex frame that is shown.
pub(crate) enum ScenePose {
    Base,
    Frames(FrameBlend),
    Bones(Vec<SkinMatrix>),
}

/// The shape of a surface.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SurfaceShape<'s> {
    /// The base shape.
    Base,
    /// A moment between two vertex frames.
    Frames(FrameBlend),
    /// A pose of bones, with a matrix for each bone.
    Bones(&'s [SkinMatrix]),
}

/// The positions of a surface in a shape.
pub(crate) enum ShapePositions<'a> {
    /// Positions in the file.
    Stored(Positions<'a>),
    /// Positions between two vertex frames, each of which is computed when it is accessed.
    Mixed(InterpolatedPositions<'a>),
    /// Positions in a pose of bones, each of which is computed when it is accessed. The bones of
    /// all corners of the surface exist.
    Posed(SkinnedSurface<'a, 'a>),
    /// Positions that were computed, in memory.
    Computed(Vec<[f32; 3]>),
}

impl ScenePose {
    /// Computes the pose that the options choose. If there are `clips` of other files, the clip is
    /// one of the first of these files, and is played on the bones with the same names.
    pub(crate) fn new(
        geometry: &dyn Geometry,
        animations: &dyn Animations,
        clips: &[(&str, &dyn Animations)],
        options: &SceneOptions,
    ) -> Result<Self> {
        let Some(frame) = options.frame else { return Ok(Self::Base) };
        let other = clips.first().map(|(_, animations)| *animations);
        if other.is_none() && geometry.vertex_frame_count()? > 0 {
            return vertex_frames(geometry, animations, options.clip, frame).map(Self::Frames);
        }
        let bones = PosedBones::at_frame(animations, clips, options.clip.unwrap_or_default(), frame)?;
        let mut palette = filled(animations.format(), "pose", bones.skeleton.len(), SkinMatrix::IDENTITY)?;
        bones.skeleton.palette(&bones.model, &mut palette)?;
        Ok(Self::Bones(palette))
    }

    /// Returns the shape of the surfaces.
    pub(crate) fn shape(&self) -> SurfaceShape<'_> {
        match self {
            Self::Base => SurfaceShape::Base,
            Self::Frames(moment) => SurfaceShape::Frames(*moment),
            Self::Bones(palette) => SurfaceShape::Bones(palette),
        }
    }
}

/// The bones of an asset in a pose.
pub(crate) struct PosedBones {
    pub(crate) skeleton: Skeleton,
    /// For each bone, the map from the space of the bone to the space of the model.
    pub(crate) model: Vec<Affine>,
}

impl PosedBones {
    /// Reads the bones in the rest pose.
    pub(crate) fn at_rest(animations: &dyn Animations) -> Result<Self> {
        let skeleton = Skeleton::new(animations)?;
        let mut model = filled(animations.format(), "pose", skeleton.len(), Affine::IDENTITY)?;
        model.copy_from_slice(skeleton.bind());
        Ok(Self { skeleton, model })
    }

    /// Computes the pose at a frame of a clip. If there are `clips` of other files, the clip is one
    /// of the first of these files, and is played on the bones with the same names.
    pub(crate) fn at_frame(
        animations: &dyn Animations,
        clips: &[(&str, &dyn Animations)],
        clip: usize,
        frame: f32,
    ) -> Result<Self> {
        let other = clips.first().map(|(_, animations)| *animations);
        let source = other.unwrap_or(animations);
        let found = source.clip(clip)?;
        let moment = found.at_frame(frame, false).ok_or_else(|| no_frame(source.format(), 0, frame))?;
        if frame > f64_frames(found.frames) {
            return Err(no_frame(source.format(), found.frames, frame));
        }
        let skeleton = Skeleton::new(animations)?;
        let mut pose = Pose::rest(animations)?;
        if other.is_some() {
            Retarget::new(animations, source)?.lenient().pose_between(source, clip, &moment, pose.bones_mut())?;
        } else {
            pose.set_moment(animations, clip, &moment)?;
        }
        let mut model = filled(animations.format(), "pose", skeleton.len(), Affine::IDENTITY)?;
        skeleton.model(pose.bones(), &mut model)?;
        Ok(Self { skeleton, model })
    }
}

/// Returns the vertex frames around a frame of a clip, or of the mesh if no clip is chosen.
fn vertex_frames(
    geometry: &dyn Geometry,
    animations: &dyn Animations,
    clip: Option<usize>,
    frame: f32,
) -> Result<FrameBlend> {
    let all = u32::try_from(geometry.vertex_frame_count()?).unwrap_or(u32::MAX);
    let (count, moment) = if let Some(clip) = clip {
        let clip = animations.clip(clip)?;
        (clip.frames, clip.at_frame(frame, false))
    } else {
        let name = Name::new(b"");
        let every = Clip { name, frames: all, bones: 0, rate: None, first_vertex_frame: Some(0) };
        (all, every.at_frame(frame, false))
    };
    let is_found = frame <= f64_frames(count);
    moment.filter(|moment| is_found && moment.to < all).ok_or_else(|| no_frame(animations.format(), count, frame))
}

/// Returns the index of the last of `count` frames.
fn f64_frames(count: u32) -> f32 {
    crate::math::narrow(f64::from(count.saturating_sub(1)))
}

fn no_frame(format: &'static str, count: u32, frame: f32) -> Error {
    let expected = match count.checked_sub(1) {
        Some(last) => format!("a frame of 0 to {last}"),
        None => "a mesh with frames".to_owned(),
    };
    let text = format!("expected {expected}, found {frame}").into();
    let cause = Cause::Custom { kind: ErrorKind::NoSuch, text };
    Error::without_offset(format, Field::new("frame"), cause)
}

impl<'s> SurfaceShape<'s> {
    /// Finds or computes the positions of a surface.
    pub(crate) fn positions<'a>(&self, surface: &Surface<'a>) -> Result<ShapePositions<'a>>
    where
        's: 'a,
    {
        match self {
            Self::Base => surface.positions().map(ShapePositions::Stored),
            Self::Frames(moment) if moment.from == moment.to || moment.fraction.to_bits() == 0 => {
                surface.vertex_frame(as_index(moment.from)).map(ShapePositions::Stored)
            }
            Self::Frames(moment) => {
                let [from, to] = [moment.from, moment.to].map(|frame| surface.vertex_frame(as_index(frame)));
                Ok(ShapePositions::Mixed(InterpolatedPositions::new(from?, to?, moment.fraction)))
            }
            Self::Bones(palette) => {
                let skinned = SkinnedSurface::new(surface, palette)?;
                // Posing all vertices of a pool for each of its surfaces could take hours.
                let indices = surface.indices()?;
                if surface.is_single_stream()? && skinned.len() / 8 > indices.len() {
                    indices.iter().try_for_each(|index| skinned.position(index).map(drop))?;
                    return Ok(ShapePositions::Posed(skinned));
                }
                let mut positions = filled("scene", "positions", skinned.len(), [0.0; 3])?;
                skinned.positions_into(&mut positions)?;
                Ok(ShapePositions::Computed(positions))
            }
        }
    }

    /// Computes the normals of corners, such as the vertices of a welded surface. Returns `None` if
    /// the surface has no normals, and without bones, because the normals are then those of the
    /// file.
    pub(crate) fn skinned_normals(&self, surface: &Surface<'_>, corners: &[Corner]) -> Result<Option<Vec<[f32; 3]>>> {
        let Self::Bones(palette) = self else { return Ok(None) };
        let Some(normals) = SkinnedSurface::new(surface, palette)?.normals()? else { return Ok(None) };
        let mut out = room("scene", "normals", corners.len())?;
        out.resize(corners.len(), [0.0; 3]);
        normals.corners_into(corners, &mut out)?;
        Ok(Some(out))
    }
}

/// Decodes an array in blocks of up to 8 KiB, and calls `visit` with each block.
pub(crate) fn each_block<A: Array>(array: A, visit: &mut dyn FnMut(&[A::Item]) -> Result<()>) -> Result<()> {
    let mut chunks = array.chunks();
    while let Some(items) = chunks.next() {
        visit(items)?;
    }
    Ok(())
}

impl ShapePositions<'_> {
    /// Returns the number of positions.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Stored(array) => array.len(),
            Self::Mixed(array) => array.len(),
            Self::Posed(skinned) => skinned.len(),
            Self::Computed(list) => list.len(),
        }
    }

    /// Returns a position, or `None` if the index is out of range.
    #[inline]
    pub(crate) fn get(&self, index: usize) -> Option<[f32; 3]> {
        match self {
            Self::Stored(array) => array.get(index),
            Self::Mixed(array) => array.get(index),
            Self::Posed(skinned) => skinned.position(u32::try_from(index).ok()?).ok().flatten(),
            Self::Computed(list) => list.get(index).copied(),
        }
    }

    /// Copies the positions with the given indices to `out`. Returns `false` if one of the indices
    /// is out of range, or a position cannot be computed. `records` is memory for encoded
    /// positions.
    pub(crate) fn gather(&self, indices: &[u32], records: &mut ChunkBuffer, out: &mut [[f32; 3]]) -> bool {
        match self {
            Self::Stored(array) => array.gather_with(indices, records, out).is_some(),
            Self::Mixed(_) | Self::Posed(_) | Self::Computed(_) => indices.iter().zip(out).all(|(index, out)| {
                let position = self.get(as_index(*index));
                position.is_some_and(|position| {
                    *out = position;
                    true
                })
            }),
        }
    }

    /// Calls `visit` with all positions in order, in blocks.
    pub(crate) fn each_block(&self, visit: &mut dyn FnMut(&[[f32; 3]]) -> Result<()>) -> Result<()> {
        match self {
            Self::Stored(array) => each_block(*array, visit),
            Self::Mixed(array) => each_block(*array, visit),
            Self::Posed(skinned) => (0..)
                .map_while(|index| skinned.position(index).transpose())
                .try_for_each(|position| visit(&[position?])),
            Self::Computed(list) => list.chunks(1024).try_for_each(visit),
        }
    }
}

/// The number of corners whose indices are decoded together: those of whole triangles.
const BLOCK: usize = 3 << 9;

/// The triangles of a surface, read from both index streams, which may have different lengths.
pub(crate) struct TriangleReader<'a> {
    positions: Indices<'a>,
    attributes: Indices<'a>,
}

impl<'a> TriangleReader<'a> {
    /// Finds both index streams of a surface.
    pub(crate) fn new(surface: &Surface<'a>) -> Result<Self> {
        Ok(Self { positions: surface.indices()?, attributes: surface.attribute_indices()? })
    }

    /// Calls `visit` with the corners of each triangle, in the order of the file. An index that the
    /// stream for attributes lacks is `u32::MAX`, which is out of range of every array.
    pub(crate) fn each(&self, visit: &mut dyn FnMut([Corner; 3]) -> Result<()>) -> Result<()> {
        let corners = self.positions.len() / 3;
        let (mut positions, mut attributes) = ([0; BLOCK], [0; BLOCK]);
        let end = corners.saturating_mul(3);
        for start in (0..end).step_by(BLOCK) {
            let stop = start.saturating_add(BLOCK).min(end);
            let Some(part) = self.positions.slice(start..stop) else { break };
            part.fill(&mut positions);
            attributes.fill(u32::MAX);
            let length = self.attributes.len();
            self.attributes
                .slice(start.min(length)..stop.min(length))
                .iter()
                .for_each(|part| part.fill(&mut attributes));
            let triangles = positions.as_chunks::<3>().0.iter().zip(attributes.as_chunks::<3>().0);
            for ([a, b, c], [d, e, f]) in triangles.take(part.len() / 3) {
                visit(
                    [(a, d), (b, e), (c, f)]
                        .map(|(position, attribute)| Corner { position: *position, attribute: *attribute }),
                )?;
            }
        }
        Ok(())
    }
}

/// The numbers of triangles of a surface that the output does not contain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LeftOut {
    pub(crate) invalid: usize,
    pub(crate) not_finite: usize,
}

/// The positions of a surface in the shape, the place and the conventions of the output.
pub(crate) struct PlacedPositions<'s> {
    pub(crate) stored: ShapePositions<'s>,
    surface: &'s PlacedSurface<'s>,
}

impl<'s> PlacedPositions<'s> {
    pub(crate) fn new(surface: &'s PlacedSurface<'s>) -> Result<Self> {
        Ok(Self { stored: surface.shape.positions(&surface.surface)?, surface })
    }

    /// Returns a position, or `None` if the index is out of range. The position may not be finite.
    #[inline]
    pub(crate) fn get(&self, index: u32) -> Option<[f32; 3]> {
        self.stored.get(as_index(index)).map(|position| self.surface.conversion.position(position))
    }

    /// Returns a position, in which 0 replaces a coordinate that is not finite or missing.
    #[inline]
    pub(crate) fn get_finite(&self, index: u32) -> [f32; 3] {
        self.get(index).unwrap_or_default().map(finite_or_zero)
    }

    /// Returns whether a position exists and is finite.
    #[inline]
    pub(crate) fn is_finite(&self, index: u32) -> bool {
        self.get(index).is_some_and(is_finite)
    }

    /// Calls `visit` with the corners and the positions of each triangle whose position indices are
    /// valid, whose attribute indices are below `attributes`, and whose positions are finite. With
    /// `None`, attribute indices are ignored. The corners are in the order of the output.
    pub(crate) fn each_triangle(
        &self,
        attributes: Option<u32>,
        visit: &mut dyn FnMut([Corner; 3], [[f32; 3]; 3]) -> Result<()>,
    ) -> Result<LeftOut> {
        let mut left_out = LeftOut::default();
        TriangleReader::new(&self.surface.surface)?.each(&mut |corners| {
            let corners = self.surface.conversion.triangle(corners);
            let [first, second, third] = corners.map(|corner| self.get(corner.position));
            let is_valid = attributes.is_none_or(|count| corners.iter().all(|corner| corner.attribute < count));
            match first.zip(second).zip(third).filter(|_| is_valid) {
                None => left_out.invalid = left_out.invalid.saturating_add(1),
                Some(((first, second), third)) if [first, second, third].into_iter().all(is_finite) => {
                    visit(corners, [first, second, third])?;
                }
                Some(_) => left_out.not_finite = left_out.not_finite.saturating_add(1),
            }
            Ok(())
        })?;
        Ok(left_out)
    }
}

/// Returns whether all coordinates are finite.
#[inline]
pub(crate) fn is_finite<const N: usize>(value: [f32; N]) -> bool {
    value.iter().all(|part| part.is_finite())
}

/// Replaces a number that is not finite by 0.
#[inline]
pub(crate) fn finite_or_zero(value: f32) -> f32 {
    if value.is_finite() { value } else { 0.0 }
}

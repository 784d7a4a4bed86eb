//! The shape of surfaces: the base shape, a vertex frame, or a pose of bones.

use super::SceneOptions;
use crate::array::Array;
use crate::array::chunks::ChunkBuffer;
use crate::array::gather::Gather as _;
use crate::error::{Cause, Error, ErrorKind, Field, Result};
use crate::math::as_index;
use crate::model::animation::{
    Affine, Animations, Clip, FrameBlend, Pose, Retarget, Skeleton, SkinMatrix, SkinnedSurface,
};
use crate::model::{Corner, Geometry, InterpolatedPositions, Positions, Surface};
use crate::parse::{Name, filled, room};

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

//! Finds or computes the vertex positions of surfaces at one time of an animation.

// Rule: this file sorts and maps by copies only.

use std::collections::BTreeMap;

use crate::model::animation::{Affine, SkinnedSurface};
use crate::model::{InterpolatedPositions, SpaceConversion};
use crate::query::Triangles;
use crate::{Animations, Array, FrameBlend, Geometry, Pose, Skeleton};

use crate::program::args::FrameIndex;
use crate::program::formats::{blend_frames, blend_vertex_frames};
use crate::program::outcome::usage;

/// The positions of all vertices at one time of an animation.
pub enum AnimatedShape {
    /// The vertex positions are stored in the file, in the vertex frame with the contained index.
    Stored(usize),
    /// The vertex positions are interpolated or posed by bones.
    Computed(ComputedPositions),
}

/// Vertex positions that were computed, in memory.
///
/// Surfaces may share the vertices that are stored in the file. Their positions are computed once,
/// because a small file may have thousands of surfaces over the same vertices.
#[derive(Default)]
pub struct ComputedPositions {
    lists: Vec<Vec<[f32; 3]>>,
    /// The index in `lists` of the positions of each surface. The key is the index of the surface.
    of_surface: BTreeMap<usize, usize>,
    /// The index in `lists` of the positions that were computed from stored arrays. The key has the
    /// address and the length of each array.
    of_arrays: BTreeMap<Vec<(usize, usize)>, usize>,
}

impl ComputedPositions {
    /// Adds the positions of a surface, whose number is `count`. `arrays` are the bytes of the file
    /// that the positions are computed from. `compute` is called if no other surface has the same
    /// arrays.
    fn add(
        &mut self,
        surface: usize,
        arrays: &[&[u8]],
        count: usize,
        compute: impl FnOnce(&mut [[f32; 3]]) -> crate::Result<()>,
    ) -> crate::Result<()> {
        let key = arrays.iter().map(|bytes| (bytes.as_ptr().addr(), bytes.len())).collect();
        let list = if let Some(list) = self.of_arrays.get(&key) {
            *list
        } else {
            let list = self.lists.len();
            let mut positions = vec![[0.0; 3]; count];
            compute(&mut positions)?;
            self.lists.push(positions);
            self.of_arrays.insert(key, list);
            list
        };
        self.of_surface.insert(surface, list);
        Ok(())
    }

    /// Returns the positions of a surface, or an empty slice if none were added.
    fn get(&self, surface: usize) -> &[[f32; 3]] {
        let list = self.of_surface.get(&surface).and_then(|list| self.lists.get(*list));
        list.map_or(&[], Vec::as_slice)
    }
}

impl AnimatedShape {
    /// Finds or computes the vertex positions at the animation frame `frame` of `clip`. Returns
    /// `None` if both `clip` and `frame` are `None`.
    pub fn new(
        (geometry, animations): (&dyn Geometry, &dyn Animations),
        surfaces: &[usize],
        clip: Option<usize>,
        frame: Option<&FrameIndex>,
    ) -> anyhow::Result<Option<Self>> {
        if clip.is_none() && frame.is_none() {
            return Ok(None);
        }
        let frame = &frame.cloned().unwrap_or_default();
        if geometry.vertex_frame_count()? > 0 {
            return Self::between(geometry, surfaces, &blend_vertex_frames((geometry, animations), clip, frame)?)
                .map(Some);
        }
        if animations.bone_count()? == 0 || animations.clip_count()? == 0 {
            let option = if clip.is_some() { "--clip" } else { "--frame" };
            let text = "this file has no animation that moves its surfaces; leave the option out";
            usage!("{option}: {text}");
        }
        let clip = clip.unwrap_or_default();
        let moment = blend_frames(&animations.clip(clip)?, frame, "the animation has")?;
        Self::skinned((geometry, animations), surfaces, clip, &moment).map(Some)
    }

    /// Moves the positions of a shape, or of the base shape, by a map.
    pub fn placed(
        geometry: &dyn Geometry,
        surfaces: &[usize],
        shape: Option<Self>,
        map: &Affine,
    ) -> crate::Result<Self> {
        let frame = match shape {
            None => None,
            Some(Self::Stored(frame)) => Some(frame),
            Some(Self::Computed(mut computed)) => {
                for position in computed.lists.iter_mut().flatten() {
                    *position = map.apply(*position);
                }
                return Ok(Self::Computed(computed));
            }
        };
        let mut computed = ComputedPositions::default();
        for number in surfaces {
            let surface = geometry.surface(*number)?;
            let stored = frame.map_or_else(|| surface.positions(), |frame| surface.vertex_frame(frame))?;
            computed.add(*number, &[stored.as_bytes()], stored.len(), |positions| {
                stored.decode_into(positions)?;
                for position in positions {
                    *position = map.apply(*position);
                }
                Ok(())
            })?;
        }
        Ok(Self::Computed(computed))
    }

    fn between(geometry: &dyn Geometry, surfaces: &[usize], moment: &FrameBlend) -> anyhow::Result<Self> {
        let [from, to] = [moment.from, moment.to].map(|frame| usize::try_from(frame).unwrap_or(usize::MAX));
        // If the frame index has no fraction, the vertex frame is stored in the file and is not
        // interpolated.
        if moment.fraction.to_bits() == 0 || from == to {
            return Ok(Self::Stored(from));
        }
        let mut computed = ComputedPositions::default();
        for number in surfaces {
            let surface = geometry.surface(*number)?;
            let [before, after] = [surface.vertex_frame(from)?, surface.vertex_frame(to)?];
            let between = InterpolatedPositions::new(before, after, moment.fraction);
            let arrays = [before.as_bytes(), after.as_bytes()];
            computed.add(*number, &arrays, between.len(), |positions| between.decode_into(positions))?;
        }
        Ok(Self::Computed(computed))
    }

    fn skinned(
        (geometry, animations): (&dyn Geometry, &dyn Animations),
        surfaces: &[usize],
        clip: usize,
        moment: &FrameBlend,
    ) -> anyhow::Result<Self> {
        let mut pose = Pose::rest(animations)?;
        pose.set_moment(animations, clip, moment)?;
        let skeleton = Skeleton::new(animations)?;
        let palette = pose.palette(&skeleton, &SpaceConversion::IDENTITY)?;
        let mut computed = ComputedPositions::default();
        for number in surfaces {
            let surface = geometry.surface(*number)?;
            let skinned = SkinnedSurface::new(&surface, palette)?;
            let weights = surface.weights()?;
            let arrays = [surface.positions()?.as_bytes(), weights.map_or(&[], |weights| weights.as_bytes())];
            computed.add(*number, &arrays, skinned.len(), |positions| skinned.positions_into(positions))?;
        }
        Ok(Self::Computed(computed))
    }

    /// Returns the triangles of a surface, with the vertex positions at the chosen time of the
    /// animation.
    pub fn triangles<'a>(&'a self, geometry: &'a dyn Geometry, number: usize) -> crate::Result<Triangles<'a>> {
        let surface = geometry.surface(number)?;
        match self {
            Self::Stored(frame) => Triangles::with_positions(&surface, surface.vertex_frame(*frame)?),
            Self::Computed(positions) => Triangles::from_points(&surface, positions.get(number)),
        }
    }
}

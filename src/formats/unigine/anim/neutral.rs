//! Lowering to the neutral view: a skeleton and its clips, and no surface.

use super::{Animation, AnimationView};
use crate::array::{Bounds, Sphere};
use crate::error::{Error, ErrorKind, Field, Result};
use crate::math::as_u64;
use crate::model::animation::{Animations, Clip};
use crate::model::{Bone, Colors, Counts, Frames, Geometry, Indices, Positions, Transform, Uvs, Weights};
use crate::parse::Name;

impl<'a> AnimationView<'a> {
    /// Describes the animation as any format's.
    #[must_use]
    pub fn clip(&self) -> Clip<'a> {
        let bones = u32::try_from(self.bones.len()).unwrap_or(u32::MAX);
        Clip { name: self.name, frames: self.frames, bones, rate: self.rate, first_vertex_frame: None }
    }

    /// Tells of each bone of the skeleton whether the animation moves it.
    pub(crate) fn moves(&self, out: &mut [bool]) -> Result<()> {
        crate::parse::expect_length("unigine", "out", self.bone_count(), out.len())?;
        out.fill(false);
        for id in self.bones {
            if let Some(moved) = usize::try_from(id.get()).ok().and_then(|id| out.get_mut(id)) {
                *moved = true;
            }
        }
        Ok(())
    }

    /// Writes where a frame puts each bone, of a frame by any number.
    pub(crate) fn pose_at(&self, frame: usize, out: &mut [Transform]) -> Result<()> {
        self.pose(u32::try_from(frame).unwrap_or(u32::MAX), out)
    }
}

impl<D: AsRef<[u8]>> Animation<D> {
    fn no_surface<T>(&self, surface: usize) -> Result<T> {
        let kind = ErrorKind::NoSuch { count: 0, index: as_u64(surface) };
        Err(Error::without_offset(self.generation().format(), Field::new("").of("surface", as_u64(surface)), kind))
    }
}

impl<D: AsRef<[u8]> + Send + Sync> Animations for Animation<D> {
    fn format(&self) -> &'static str {
        "unigine"
    }

    fn version(&self) -> &'static str {
        self.generation().magic()
    }

    fn bone_count(&self) -> usize {
        Self::bone_count(self)
    }

    fn bone(&self, bone: usize) -> Result<Bone<'_>> {
        Self::bone(self, bone)
    }

    fn clip_count(&self) -> usize {
        self.animation_count()
    }

    fn clip(&self, clip: usize) -> Result<Clip<'_>> {
        self.animation(clip).map(|view| view.clip())
    }

    fn pose(&self, clip: usize, frame: usize, out: &mut [Transform]) -> Result<()> {
        self.animation(clip)?.pose_at(frame, out)
    }

    fn moves(&self, clip: usize, out: &mut [bool]) -> Result<()> {
        self.animation(clip)?.moves(out)
    }
}

impl<D: AsRef<[u8]> + Send + Sync> Geometry for Animation<D> {
    fn bounds(&self) -> Bounds {
        Self::bounds(self).ok().flatten().map_or(Bounds::EMPTY, |(bounds, _)| bounds)
    }

    fn sphere(&self) -> Option<Sphere> {
        Self::bounds(self).ok().flatten().map(|(_, sphere)| sphere)
    }

    fn surface_count(&self) -> usize {
        0
    }

    fn surface_name(&self, surface: usize) -> Result<Name<'_>> {
        self.no_surface(surface)
    }

    fn surface_bounds(&self, surface: usize) -> Result<Bounds> {
        self.no_surface(surface)
    }

    fn surface_sphere(&self, surface: usize) -> Result<Option<Sphere>> {
        self.no_surface(surface)
    }

    fn counts(&self, surface: usize) -> Result<Counts> {
        self.no_surface(surface)
    }

    fn positions(&self, surface: usize, _: usize) -> Result<Positions<'_>> {
        self.no_surface(surface)
    }

    fn frames(&self, surface: usize, _: usize) -> Result<Option<Frames<'_>>> {
        self.no_surface(surface)
    }

    fn uvs(&self, surface: usize, _: usize) -> Result<Option<Uvs<'_>>> {
        self.no_surface(surface)
    }

    fn colors(&self, surface: usize) -> Result<Option<Colors<'_>>> {
        self.no_surface(surface)
    }

    fn weights(&self, surface: usize) -> Result<Option<Weights<'_>>> {
        self.no_surface(surface)
    }

    fn indices(&self, surface: usize) -> Result<Indices<'_>> {
        self.no_surface(surface)
    }

    fn attribute_indices(&self, surface: usize) -> Result<Option<Indices<'_>>> {
        self.no_surface(surface)
    }

    fn fault(&self, surface: usize, name: &'static str, _: u64, kind: ErrorKind) -> Error {
        Error::without_offset(self.generation().format(), Field::new(name).of("surface", as_u64(surface)), kind)
    }
}

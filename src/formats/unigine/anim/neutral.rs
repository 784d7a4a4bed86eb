//! Lowering to the neutral view: a skeleton and its clips, and no surface.

use super::super::check::RULES;
use super::{Animation, AnimationView};
use crate::error::Result;
use crate::model::animation::{Animations, Clip};
use crate::model::{Bone, FormatVersion, Geometry, MeshFile, Transform};
use crate::parse::{AccessLog, Finding, OpenOptions, Region, Rule};
use crate::sidecar::{Builder, Sidecar};
use std::io::Write;
use std::sync::Arc;

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

impl<D: AsRef<[u8]> + Send + Sync> FormatVersion for Animation<D> {
    fn format(&self) -> &'static str {
        "unigine"
    }

    fn version(&self) -> &'static str {
        self.generation().magic()
    }
}

impl<D: AsRef<[u8]> + Send + Sync> Animations for Animation<D> {
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

impl<D: AsRef<[u8]> + Send + Sync> MeshFile for Animation<D> {
    type Data = D;

    fn options(&self) -> &OpenOptions {
        self.file.options()
    }

    fn source(&self, source: usize) -> Option<&D> {
        (source == 0).then(|| self.data())
    }

    fn access_log(&self, source: usize) -> Option<&AccessLog> {
        self.file.access_log().filter(|_| source == 0)
    }

    fn check(&self) -> Result<()> {
        Self::check(self)
    }

    fn regions(&self, source: usize, visit: &mut dyn FnMut(Region)) -> Result<()> {
        self.expect_source(source)?;
        Self::regions(self, visit)
    }

    fn rules(&self) -> &'static [Rule] {
        RULES
    }

    fn validate_structure(&self, report: &mut dyn FnMut(Finding)) -> Result<()> {
        self.survey(report)
    }

    fn validate(&self, report: &mut dyn FnMut(Finding)) -> Result<()> {
        Self::validate(self, report)
    }

    fn write_to(&self, source: usize, out: &mut dyn Write) -> Result<()> {
        self.expect_source(source)?;
        Self::write_to(self, out)
    }

    fn set_sidecar(&mut self, sidecar: Arc<Sidecar>) {
        if sidecar.is_of(self.header_bytes()) {
            self.file.set_sidecar(sidecar);
        }
    }

    fn index(&self, builder: &mut Builder) -> Result<()> {
        Self::index(self, builder)
    }

    fn geometry(&self) -> Option<&dyn Geometry> {
        Some(self)
    }

    fn animations(&self) -> Option<&dyn Animations> {
        Some(self)
    }
}

//! What a file is: a mesh or an animation, rigged or not, and the number of its frames.

use super::file_summary::FileSummary;
use crate::math::as_u64;

impl FileSummary {
    /// Returns the kind of the file: `animation` for clips without a mesh, and `mesh` for all
    /// others.
    pub const fn kind(&self) -> &'static str {
        let has_only_clips = self.surface_count() == 0 && !self.clips.is_empty();
        if self.is_animation || has_only_clips { "animation" } else { "mesh" }
    }

    /// Returns whether the file has bones, and weights that attach vertices to them.
    pub fn is_rigged(&self) -> bool {
        !self.bones.is_empty() && self.surfaces.iter().any(|surface| surface.counts.weights)
    }

    /// Returns the number of vertex frames, or of frames of all clips together.
    pub fn frames(&self) -> u64 {
        match self.vertex_frames {
            Some((frames, _)) => as_u64(frames),
            None => self.clips.iter().map(|clip| u64::from(clip.frames)).fold(0, u64::saturating_add),
        }
    }
}

//! What a sidecar holds of an animation file.

use std::sync::Arc;

use super::super::indexed::{push_section, section};
use super::file::Animation;
use super::kept::Slot;
use super::stored::Recalled;
use crate::error::Result;
use crate::parse::OpenOptions;
use crate::sidecar::{Builder, Sidecar};

impl<D: AsRef<[u8]>> Animation<D> {
    /// Adds to a sidecar where every animation starts, and its checkpoints. Walks everything, as [`check`](Self::check) does.
    ///
    /// # Errors
    ///
    /// The first fault on the way, by field and offset; [`ErrorKind::OutOfMemory`](crate::error::ErrorKind::OutOfMemory).
    pub fn index(&self, builder: &mut Builder) -> Result<()> {
        if self.file.sidecar().is_there() {
            // What a sidecar lends is not there to be copied: everything is found in the file again.
            return Animation::open_with(
                self.as_bytes(),
                &OpenOptions { record_access: false, ..*self.file.options() },
            )?
            .index(builder);
        }
        builder.speak_for(self.header_bytes());
        self.end()?;
        for index in 0..=self.animation_count() {
            push_section(builder, self.as_bytes(), self.locate(index)?)?;
        }
        (0..self.animation_count()).try_for_each(|index| self.animation(index)?.push(builder))
    }

    /// Returns the sidecar, if it is to be believed.
    fn believed(&self) -> Option<&Arc<Sidecar>> {
        self.file.sidecar().get(|builder| self.index(builder))
    }

    /// Returns where an animation starts, as the sidecar has it.
    pub(super) fn recalled(&self, index: usize) -> Option<u64> {
        section(self.believed()?, self.cursor(), index)
    }

    /// Fills in what the sidecar knows of an animation, once.
    pub(super) fn recall(&self, kept: Slot<'_>, index: usize) {
        kept.recall_from(|| Recalled::of(self.believed()?, index));
    }

    pub(super) fn header_bytes(&self) -> &[u8] {
        let end = usize::try_from(self.body()).unwrap_or(usize::MAX);
        self.as_bytes().get(..end).unwrap_or_default()
    }
}

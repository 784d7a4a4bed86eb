//! What an export or a picture reads.

use std::fmt;
use std::io::{self, Write};

use crate::model::animation::Animations;
use crate::model::{AsMeshFile, Contents};

/// The input of an [`Export`](crate::export::Export) or of [`draw`](crate::render::draw): the
/// contents of a mesh file, and the clips of other files.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::export::{Export, ExportFormat, SceneInput, ExportOptions};
/// let [mesh, walk] = ["skinned_ms12.mesh", "bend_an10.anim"].map(|name| format!("data/unigine/{name}"));
/// let (mesh, walk) = (meshpeek::open(mesh)?, meshpeek::open(walk)?);
/// let clips = [("walk", walk.animations())];
/// let input = SceneInput::new(&mesh).with_clips(&clips);
/// let options = ExportOptions::default();
/// let export = Export::new(&input, ExportFormat::Glb, &options)?;
/// assert!(export.losses().is_empty());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy)]
pub struct SceneInput<'a> {
    pub(crate) contents: &'a dyn Contents,
    pub(crate) clips: &'a [(&'a str, &'a dyn Animations)],
    release: Option<&'a dyn Fn()>,
}

/// The number of bytes of decoded data after which pages are released.
const RELEASE_BYTES: u64 = 8 << 20;

impl<'a> SceneInput<'a> {
    /// Makes an input of a model, without clips of other files.
    #[must_use]
    pub fn new<M: AsMeshFile>(model: &'a M) -> Self {
        Self::of_contents(model.file())
    }

    /// Makes an input of the contents of a file of one format.
    #[doc(hidden)]
    #[must_use]
    pub const fn of_contents(contents: &'a dyn Contents) -> Self {
        Self { contents, clips: &[], release: None }
    }

    /// Adds the clips of other files, such as UNIGINE animations, whose bones are matched with
    /// those of the mesh by name. Clips for which the file stores no name are named by the text,
    /// such as the name of the file without its extension.
    #[must_use]
    pub const fn with_clips(self, clips: &'a [(&'a str, &'a dyn Animations)]) -> Self {
        Self { clips, ..self }
    }

    /// Calls `release` after about 8 MiB of decoded data, or after each surface of a picture.
    ///
    /// An export reads each byte of a large file once or twice, and a picture up to three times. A
    /// program that maps files passes a function that releases the pages
    /// ([`Map::release`](crate::Map::release)), and so bounds the memory of the process.
    #[must_use]
    pub const fn with_release(self, release: &'a dyn Fn()) -> Self {
        Self { release: Some(release), ..self }
    }

    /// Calls the function that releases pages.
    pub(crate) fn release(&self) {
        self.release.into_iter().for_each(|release| release());
    }

    /// Returns a writer that passes everything to `out`, and calls the function that releases pages
    /// from time to time.
    pub(crate) fn releasing<'o>(&self, out: &'o mut dyn Write) -> ReleasingWriter<'o, 'a> {
        ReleasingWriter { out, release: self.release, bytes: 0 }
    }
}

impl fmt::Debug for SceneInput<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("SceneInput")
            .field("format", &self.contents.format())
            .field("clips", &self.clips.len())
            .finish_non_exhaustive()
    }
}

/// A writer that calls a function after each 8 MiB.
pub(crate) struct ReleasingWriter<'o, 'a> {
    out: &'o mut dyn Write,
    release: Option<&'a dyn Fn()>,
    bytes: u64,
}

impl Write for ReleasingWriter<'_, '_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.bytes = self.bytes.saturating_add(crate::math::as_u64(written));
        if self.bytes >= RELEASE_BYTES {
            self.bytes = 0;
            self.release.into_iter().for_each(|release| release());
        }
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

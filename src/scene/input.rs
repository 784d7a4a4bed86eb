//! What an export or a picture reads, and the limit on it: a small file may show a large mesh
//! thousands of times, or have millions of surfaces in a compressed block.

use std::fmt;
use std::io::{self, Write};

use super::shape::SurfaceShape;
use super::{PlacedSurface, PoolKey};
use crate::array::Array as _;
use crate::error::{Field, Result, expect_at_most};
use crate::math::{as_index, as_u64};
use crate::model::animation::Animations;
use crate::model::draw_list::MAX_INFLATED;
use crate::model::{AsMeshFile, Contents, Geometry, Surface};

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
        self.bytes = self.bytes.saturating_add(as_u64(written));
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

/// The load that every scene may have.
const BASE: u64 = 1 << 21;
/// The load that a scene may have in addition for each byte of the files. The surfaces of a file
/// that shows each of them once, without compression, have less.
const PER_BYTE: u64 = 4;
/// The load of a place.
const PLACE: u64 = 64;
/// The load of a surface that is not shown.
const HIDDEN: u64 = 2;
/// The load of a surface in addition to that of its vertices and triangles.
const SURFACE: u64 = 64;
/// The load of a triangle. That of a vertex is 1.
const TRIANGLE: u64 = 2;
/// The number of inflated bytes that have a load of 1.
const INFLATED: u64 = 48;
/// The factor of the load of vertices and triangles in a pose of bones.
const POSED: u64 = 8;

/// What is left of the load that a scene may have.
pub(crate) struct SceneLoad {
    left: u64,
    /// The number of surfaces that were taken.
    surfaces: u64,
    /// The vertices that the last surface has.
    pool: Option<PoolKey>,
    /// The number of surfaces before the first that exceeds the load.
    cut: Option<u64>,
}

impl SceneLoad {
    /// Makes the load of a scene whose files have `bytes` bytes.
    pub(crate) const fn of_file(bytes: u64) -> Self {
        Self::new(BASE.saturating_add(bytes.saturating_mul(PER_BYTE)))
    }

    /// Makes a load without a limit.
    pub(crate) const fn unlimited() -> Self {
        Self::new(u64::MAX)
    }

    const fn new(left: u64) -> Self {
        Self { left, surfaces: 0, pool: None, cut: None }
    }

    /// Takes a part of the load. Returns `false`, now and later, if less is left.
    pub(crate) fn take(&mut self, load: u64) -> bool {
        if self.cut.is_none() {
            match self.left.checked_sub(load) {
                Some(left) => self.left = left,
                None => self.cut = Some(self.surfaces),
            }
        }
        self.cut.is_none()
    }

    /// Takes the load of a place.
    pub(super) fn take_place(&mut self) -> bool {
        self.take(PLACE)
    }

    /// Takes the load of blocks of an asset that are inflated each time.
    pub(crate) fn take_inflated(&mut self, bytes: u64) -> bool {
        self.take(bytes / INFLATED)
    }

    /// Takes the load of finding out whether a surface is shown.
    pub(super) fn take_hidden(&mut self) -> bool {
        self.take(HIDDEN)
    }

    /// Takes the load of a surface.
    pub(super) fn take_surface(&mut self, placed: &PlacedSurface<'_>) -> bool {
        let load = self.load(placed);
        let is_taken = self.take(load);
        self.surfaces = self.surfaces.saturating_add(u64::from(is_taken));
        is_taken
    }

    /// Returns the load of a surface. An array that cannot be read has none: the error is reported
    /// when the surface is read.
    fn load(&mut self, placed: &PlacedSurface<'_>) -> u64 {
        let vertices = placed.surface.positions().map_or(0, |positions| as_u64(positions.len()));
        let corners = placed.surface.indices().map_or(0, |indices| as_u64(indices.len()));
        let key = placed.position_pool();
        // Of vertices that several surfaces share, each surface reads those of its corners.
        let is_new = self.pool.replace(key) != Some(key);
        let vertices = if is_new { vertices } else { vertices.min(corners) };
        let geometry = vertices.saturating_add((corners / 3).saturating_mul(TRIANGLE));
        let factor = if matches!(placed.shape, SurfaceShape::Bones(_)) { POSED } else { 1 };
        SURFACE.saturating_add(geometry.saturating_mul(factor))
    }

    /// Returns the number of surfaces that were taken before the load was exceeded, or `None` if it
    /// was not exceeded.
    pub(super) const fn cut(&self) -> Option<u64> {
        self.cut
    }
}

/// The number of bytes for which a visit of a surface counts, without its vertices and corners.
/// A file that shows each of its surfaces once has fewer surfaces than this allows.
const VISIT: u64 = 1024;
/// The number of surfaces whose visits do not count, so the limit of a small output is exact.
const FREE_SURFACES: u64 = 256;

/// The size of an output in which surfaces are repeated at each place. An output that would be too
/// large is refused while its surfaces are counted.
pub(super) struct OutputSize {
    max_bytes: u64,
    surfaces: u64,
    /// The least number of bytes of the surfaces in the output.
    written: u64,
    /// The inflated bytes of assets that were opened again.
    inflated: u64,
}

impl OutputSize {
    pub(super) const fn new(max_bytes: u64) -> Self {
        Self { max_bytes, surfaces: 0, written: 0, inflated: 0 }
    }

    /// Adds a surface. A vertex and a corner take at least 4 bytes in every format.
    pub(super) fn add_surface(&mut self, surface: &Surface<'_>) -> Result<()> {
        if self.max_bytes == u64::MAX {
            return Ok(());
        }
        let counts = surface.counts()?;
        let items = u64::from(counts.vertices).saturating_add(counts.corners.into());
        self.surfaces = self.surfaces.saturating_add(1);
        let visit = if self.surfaces > FREE_SURFACES { VISIT } else { 0 };
        let bytes = items.saturating_mul(4).saturating_add(visit);
        self.written = self.written.saturating_add(bytes);
        within("output", self.max_bytes, self.written)
    }

    /// Adds an asset that was opened again, because places of another asset are between its places.
    pub(super) fn add_again(&mut self, inflated: u64) -> Result<()> {
        self.inflated = self.inflated.saturating_add(inflated);
        within("inflated", MAX_INFLATED, self.inflated)
    }
}

/// Returns an error if the places together ask for more than is allowed.
fn within(name: &'static str, allowed: u64, asked: u64) -> Result<()> {
    expect_at_most("export", Field::new("output"), name, allowed, asked)
}

/// Returns the number of vertex frames of a mesh before the first that the file contains only in
/// part. Frame 0 always counts, as it is the base shape. `surface` is the index of a surface.
pub(crate) fn whole_frames(geometry: &dyn Geometry, surface: usize) -> Result<u32> {
    let count = u32::try_from(geometry.vertex_frame_count()?).unwrap_or(u32::MAX);
    if count < 2 || geometry.surface_count()? == 0 {
        return Ok(count);
    }
    let surface = geometry.surface(surface)?;
    let vertices = as_index(surface.counts()?.vertices);
    let is_whole = |frame: u32| {
        let positions = surface.vertex_frame(as_index(frame));
        frame == 0 || positions.is_ok_and(|positions| positions.len() >= vertices)
    };
    if is_whole(count.saturating_sub(1)) {
        return Ok(count);
    }
    // The frames of a file that is cut are whole up to the place where it ends.
    let (mut whole, mut cut) = (0, count);
    while cut.saturating_sub(whole) > 1 {
        let middle = whole.midpoint(cut);
        if is_whole(middle) { whole = middle } else { cut = middle }
    }
    Ok(cut)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_taken_after_the_load_is_exceeded() {
        let mut load = SceneLoad::new(10);
        assert!(load.take(9) && !load.take(2) && !load.take(1));
        assert_eq!(load.cut(), Some(0));
        assert!(SceneLoad::unlimited().take(u64::MAX) && !SceneLoad::of_file(1).take(BASE + PER_BYTE + 1));
        let mut load = SceneLoad::of_file(0);
        assert!(load.take_inflated(64 << 20) && !load.take_inflated(64 << 20));
    }
}

//! The trait that the owner of a file implements in every format.

use std::io::Write;
use std::sync::Arc;

use super::animation::Animations;
use super::format_version::FormatVersion;
use super::geometry::Geometry;
use crate::error::{Error, ErrorKind, Field, Result};
use crate::math::as_u64;
use crate::parse::{AccessLog, Finding, Region, Rule};
use crate::sidecar::{Builder, Sidecar};

/// A mesh file that was opened: what every format can do with it. Implemented by each format's owner type.
///
/// Most are one file. An Unreal mesh is several *sources*: 0 is the data file, 1 the aniv file, 2 the script, if there is
/// one. A method that takes a source fails as [`ErrorKind::NoSuch`] where there is no such source.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::{FormatVersion, MeshFile};
/// let mesh = meshpeek::unigine::Mesh::open(meshpeek::read("data/unigine/cube_ms13.mesh")?)?;
/// assert_eq!((mesh.format(), mesh.version()), ("unigine", "ms13"));
/// mesh.regions(0, &mut |region| println!("{}: {} bytes", region.field, region.len()))?;
/// # Ok(())
/// # }
/// ```
pub trait MeshFile: FormatVersion {
    /// The owner of a source's bytes: a [`Map`](crate::Map), a `Vec<u8>`, an `Arc<[u8]>`, a `&[u8]`.
    type Data;

    /// Returns the owner of a source's bytes, or `None` if there is no such source.
    fn source(&self, source: usize) -> Option<&Self::Data>;

    /// Returns the number of sources: 1 for most formats.
    fn source_count(&self) -> usize {
        1
    }

    /// Tests that there is such a source.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoSuch`] if there is not.
    fn expect_source(&self, source: usize) -> Result<()> {
        let count = self.source_count();
        if source < count {
            return Ok(());
        }
        let kind = ErrorKind::NoSuch { count: as_u64(count), index: as_u64(source) };
        Err(Error::without_offset(self.format(), Field::new("source"), kind))
    }

    /// Returns which bytes of a source were read so far, if it was opened with
    /// [`record_access`](crate::OpenOptions::record_access). A script, which is read whole, has no log.
    fn access_log(&self, source: usize) -> Option<&AccessLog>;

    /// Returns how many distinct bytes of all sources were read so far, if the file was opened with
    /// [`record_access`](crate::OpenOptions::record_access).
    fn touched_bytes(&self) -> Option<u64> {
        let logs = (0..self.source_count()).filter_map(|source| self.access_log(source));
        logs.map(AccessLog::bytes).reduce(u64::saturating_add)
    }

    /// Reads the whole structure, but no vertex.
    ///
    /// # Errors
    ///
    /// The first fault, by field and offset.
    fn check(&self) -> Result<()>;

    /// Passes every byte of a source as part of a named region, in file order and without gaps.
    ///
    /// # Errors
    ///
    /// The first fault; the regions before it have been passed then.
    fn regions(&self, source: usize, visit: &mut dyn FnMut(Region)) -> Result<()>;

    /// Returns the rules that [`validate`](Self::validate) tests.
    fn rules(&self) -> &'static [Rule];

    /// Reports what the structure alone shows: counts, names, parents. Reads no vertex.
    ///
    /// # Errors
    ///
    /// The fault that keeps the rest from being read. What was found before it has been reported.
    fn validate_structure(&self, report: &mut dyn FnMut(Finding)) -> Result<()>;

    /// Reports every breach of the format's rules: those of the structure, and those of every value.
    ///
    /// # Errors
    ///
    /// As [`validate_structure`](Self::validate_structure).
    fn validate(&self, report: &mut dyn FnMut(Finding)) -> Result<()>;

    /// Writes a source again through the format's writer. A sound binary file comes out byte for byte.
    ///
    /// # Errors
    ///
    /// The first fault of the file, or an error of `out`.
    fn write_to(&self, source: usize, out: &mut dyn Write) -> Result<()>;

    /// Takes a sidecar, which makes later random access fast. One that belongs to another file is ignored. A format that
    /// needs none ignores any.
    fn set_sidecar(&mut self, sidecar: Arc<Sidecar>) {
        let _ = sidecar;
    }

    /// Takes a sidecar, as [`set_sidecar`](Self::set_sidecar), and returns the file.
    #[must_use]
    fn with_sidecar(mut self, sidecar: Arc<Sidecar>) -> Self
    where
        Self: Sized,
    {
        self.set_sidecar(sidecar);
        self
    }

    /// Adds to a sidecar what takes long to find: nothing in a format where everything is found at once. Trees are
    /// added as the sidecar is written: see [`query::write_sidecar`](crate::query::write_sidecar).
    ///
    /// # Errors
    ///
    /// The first fault on the way, by field and offset; [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory).
    fn index(&self, builder: &mut Builder) -> Result<()> {
        let _ = builder;
        Ok(())
    }

    /// Returns the surfaces, or `None` if the kind of file has none.
    fn geometry(&self) -> Option<&dyn Geometry>;

    /// Returns the bones and animations, or `None` if the kind of file has none.
    fn animations(&self) -> Option<&dyn Animations>;
}

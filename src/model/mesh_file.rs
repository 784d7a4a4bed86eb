//! The trait that the main type of every format implements.

use std::io::Write;
use std::sync::Arc;

use super::animation::Animations;
use super::format_version::FormatVersion;
use super::geometry::Geometry;
use crate::error::{Error, ErrorKind, Field, Result};
use crate::math::as_u64;
use crate::parse::{AccessLog, Finding, Region, Rule};
use crate::sidecar::{Builder, Sidecar};

/// An open mesh file, with the operations that every format supports. The main type of each format,
/// such as [`unigine::Mesh`](crate::unigine::Mesh), implements this trait.
///
/// Most meshes consist of one file. An Unreal mesh consists of several files, which are called
/// *sources* here: source 0 is the data file, source 1 is the aniv file, and source 2 is the
/// script, if the mesh has a script. A method with a source index returns [`ErrorKind::NoSuch`] if
/// the index is out of range.
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
    /// The type that holds the bytes of a source: a [`Map`](crate::Map), a `Vec<u8>`, an
    /// `Arc<[u8]>` or a `&[u8]`.
    type Data;

    /// Returns the value that holds the bytes of a source, or `None` if the index is out of range.
    fn source(&self, source: usize) -> Option<&Self::Data>;

    /// Returns the number of sources, which is 1 for most formats.
    fn source_count(&self) -> usize {
        1
    }

    /// Returns an error if a source index is out of range.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::NoSuch`] if the index is not below the number of sources.
    fn expect_source(&self, source: usize) -> Result<()> {
        let count = self.source_count();
        if source < count {
            return Ok(());
        }
        let kind = ErrorKind::NoSuch { count: as_u64(count), index: as_u64(source) };
        Err(Error::without_offset(self.format(), Field::new("source"), kind))
    }

    /// Returns the log of the bytes of a source that were read until now.
    ///
    /// Returns `None` if the file was opened without
    /// [`record_access`](crate::OpenOptions::record_access). A script is read as a whole and
    /// therefore has no log.
    fn access_log(&self, source: usize) -> Option<&AccessLog>;

    /// Returns the number of distinct bytes of all sources that were read until now.
    ///
    /// Returns `None` if the file was opened without
    /// [`record_access`](crate::OpenOptions::record_access).
    fn touched_bytes(&self) -> Option<u64> {
        let logs = (0..self.source_count()).filter_map(|source| self.access_log(source));
        logs.map(AccessLog::bytes).reduce(u64::saturating_add)
    }

    /// Reads the structure of the whole file, but no vertex.
    ///
    /// # Errors
    ///
    /// Returns the first error in the structure, with its field and offset.
    fn check(&self) -> Result<()>;

    /// Passes the regions of a source to `visit`, in file order. Together, the regions cover every
    /// byte of the source without gaps.
    ///
    /// # Errors
    ///
    /// Returns the first error in the structure. The regions before this error have already been
    /// passed to `visit`.
    fn regions(&self, source: usize, visit: &mut dyn FnMut(Region)) -> Result<()>;

    /// Returns the rules of the format that [`validate`](Self::validate) tests.
    fn rules(&self) -> &'static [Rule];

    /// Tests only the rules about the structure (counts, names and parents of bones), and passes
    /// the findings to `report`. The method reads no vertex.
    ///
    /// # Errors
    ///
    /// Returns the error in the structure that prevents reading further. The findings before this
    /// error have already been passed to `report`.
    fn validate_structure(&self, report: &mut dyn FnMut(Finding)) -> Result<()>;

    /// Tests all rules of the format, in the structure and in every value, and passes each
    /// violation to `report`.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`validate_structure`](Self::validate_structure).
    fn validate(&self, report: &mut dyn FnMut(Finding)) -> Result<()>;

    /// Writes a source again with the writer of the format. For a valid binary file, the output has
    /// the same bytes as the file.
    ///
    /// # Errors
    ///
    /// Returns the first error in the structure of the file, or an error of `out`.
    fn write_to(&self, source: usize, out: &mut dyn Write) -> Result<()>;

    /// Sets the sidecar of the file, which makes later random access fast.
    ///
    /// A sidecar that belongs to another file is ignored. A format that needs no sidecar ignores
    /// every sidecar.
    fn set_sidecar(&mut self, sidecar: Arc<Sidecar>) {
        let _ = sidecar;
    }

    /// Sets the sidecar of the file, like [`set_sidecar`](Self::set_sidecar), and returns the file.
    #[must_use]
    fn with_sidecar(mut self, sidecar: Arc<Sidecar>) -> Self
    where
        Self: Sized,
    {
        self.set_sidecar(sidecar);
        self
    }

    /// Adds to a sidecar the offsets in this file that take long to find.
    ///
    /// A format that can compute all offsets directly adds nothing. Trees are added when the
    /// sidecar is written: [`query::write_sidecar`](crate::query::write_sidecar) describes this.
    ///
    /// # Errors
    ///
    /// Returns the first error in the structure, with its field and offset, or
    /// [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory).
    fn index(&self, builder: &mut Builder) -> Result<()> {
        let _ = builder;
        Ok(())
    }

    /// Returns the surfaces of the file, or `None` if files of this type contain no surfaces.
    fn geometry(&self) -> Option<&dyn Geometry>;

    /// Returns the bones and animations of the file, or `None` if files of this type contain none.
    fn animations(&self) -> Option<&dyn Animations>;
}

//! The trait [`MeshFile`]: the operations that every mesh format supports. A [`FileContext`] is
//! what all of them store with the bytes of a file.

use std::io::{self, Write};
use std::sync::Arc;

use super::animation::Animations;
use super::blocks::{BlockFile, DescribedBlocks};
use super::byte_ranges::ByteRanges;
use super::contents::{Asset, Contents};
use super::geometry::Geometry;
use super::properties::Properties;
use super::surface::Counts;
use super::written_form::{Storage, WrittenForm};
use crate::array::Bounds;
use crate::error::{Cause, Error, Field, Result};
use crate::math::as_u64;
use crate::parse::{AccessLog, Finding, Loss, OpenOptions, Region, RegionBytes, RegionElement, Rule};
use crate::sidecar::{Sidecar, SidecarSlot};

/// A value that contains an open mesh file: a [`Model`](crate::Model).
pub trait AsMeshFile: Send + Sync {
    /// The type of the value that contains or borrows the bytes of the file.
    type Data;

    /// Returns the file.
    #[doc(hidden)]
    fn file(&self) -> &dyn MeshFile<Data = Self::Data>;
}

/// An open mesh file, with the operations that every format supports.
/// [`Model::file`](crate::Model::file) returns it.
///
/// Most meshes consist of one file. Some meshes consist of several files, which are called
/// *sources* here: source 0 is the data file (`_d.3d`), source 1 is the aniv file (`_a.3d`), and
/// source 2 is the script, if the mesh has a script. A method with a source index returns
/// [`ErrorKind::NoSuch`](crate::ErrorKind::NoSuch) if the index is out of range.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// let model = meshpeek::open("data/unigine/cube_ms13.mesh")?;
/// println!("{} {}", model.format(), model.version());
/// model.regions(0, &mut |region| println!("{}: {} bytes", region.field, region.len()))?;
/// # Ok(())
/// # }
/// ```
pub trait MeshFile: Geometry + Animations + Contents + Asset + ByteRanges {
    /// The type of the value that contains or borrows the bytes of a file of the mesh: a
    /// [`Map`](crate::Map), a `Vec<u8>`, an `Arc<[u8]>` or a `&[u8]`.
    type Data;

    /// Returns the value that contains or borrows the bytes of the file `source` of the mesh, or
    /// `None` if the index is out of range.
    fn source(&self, source: usize) -> Option<&Self::Data>;

    /// Returns the number of sources (files) of the mesh, which is 1 for most formats.
    fn source_count(&self) -> usize {
        1
    }

    /// Returns an error if `source` is not the index of a file of the mesh.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::NoSuch`] if `source` is not below the number of sources (files) of the
    /// mesh.
    ///
    /// [`ErrorKind::NoSuch`]: crate::ErrorKind::NoSuch
    fn expect_source(&self, source: usize) -> Result<()> {
        let count = self.source_count();
        if source < count {
            return Ok(());
        }
        let kind = Cause::NoSuch { count: as_u64(count), index: as_u64(source) };
        Err(Error::without_offset(self.format(), Field::new("source"), kind))
    }

    /// Advises the operating system that the program will soon read all files of the mesh, except a
    /// script, from the first byte to the last (`prefetch_file`).
    ///
    /// Call `prefetch` before a program reads most arrays of a mapped mesh, for example to convert
    /// the mesh. Arrays of a file that is not in memory are then read at the speed of the disk, in
    /// any order and in pieces of any size.
    fn prefetch(&self)
    where
        Self::Data: AsRef<[u8]>,
    {
        let sources = (0..self.source_count()).filter_map(|source| self.source(source));
        sources.for_each(|data| crate::io::prefetch_file(data.as_ref()));
    }

    /// Returns the access log of the file `source` of the mesh: the byte ranges that were read
    /// until now.
    ///
    /// Returns `None` if the file was opened without
    /// [`record_access`](crate::OpenOptions::with_record_access). A script is read as a whole and
    /// therefore has no log.
    fn access_log(&self, source: usize) -> Option<&AccessLog>;

    /// Returns the number of distinct bytes, in all files of the mesh, that were read until now.
    ///
    /// Returns `None` if the file was opened without
    /// [`record_access`](crate::OpenOptions::with_record_access).
    fn touched_bytes(&self) -> Option<u64> {
        let logs = (0..self.source_count()).filter_map(|source| self.access_log(source));
        logs.map(AccessLog::bytes).reduce(u64::saturating_add)
    }

    /// Checks the structure of the whole file, such as its counts and magic numbers. The method
    /// reads no vertex.
    ///
    /// # Errors
    ///
    /// Returns the first error in the structure, with its field and offset.
    fn check(&self) -> Result<()>;

    /// Calls `visit` once for each region of the file `source` of the mesh, in file order.
    ///
    /// A region is a byte range with a field name. The regions cover every byte of the file without
    /// gaps.
    ///
    /// # Errors
    ///
    /// Returns the first error in the structure of the file. The regions before the error have
    /// already been passed to `visit`.
    fn regions(&self, source: usize, visit: &mut dyn FnMut(Region)) -> Result<()>;

    /// Returns the element of a region that contains one byte, decoded. The type of the element
    /// decodes it, unless its value depends on other parts of the file.
    fn element(&self, here: &RegionBytes<'_>) -> RegionElement {
        here.element()
    }

    /// Passes the properties of the file that only its format has. `described` contains the
    /// compressed blocks that were described.
    ///
    /// # Errors
    ///
    /// Returns the errors of the sink of `out`. The sink receives an error in the file.
    fn properties(&self, described: &DescribedBlocks, out: &mut Properties<'_>) -> io::Result<()> {
        let _ = (described, out);
        Ok(())
    }

    /// Passes the properties of a surface that only the format of the file has.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::NoSuch`](crate::ErrorKind::NoSuch) if the index is out of range, the
    /// error of a value that cannot be read, and inside the errors of the sink of `out`.
    fn surface_properties(&self, surface: usize, out: &mut Properties<'_>) -> Result<io::Result<()>> {
        let _ = (surface, out);
        Ok(Ok(()))
    }

    /// Returns whether the file has properties. A file with a damaged header has none.
    fn has_properties(&self) -> bool {
        true
    }

    /// Returns remarks about the file in words. Each has a heading of one word and a text.
    fn remarks(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// Returns the rules of the format that [`validate`](Self::validate) tests.
    fn rules(&self) -> &'static [Rule];

    /// Tests only the rules about the structure (counts, names and parents of bones), and passes
    /// each violation to `report`. The method reads no vertex.
    ///
    /// # Errors
    ///
    /// Returns the first error in the structure of the file after which the rest of the file cannot
    /// be read, or [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory). The findings before
    /// the error have already been passed to `report`.
    fn validate_structure(&self, report: &mut dyn FnMut(Finding)) -> Result<()>;

    /// Tests all rules of the format, in the structure and in every value, and passes each
    /// violation to `report`.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`validate_structure`](Self::validate_structure).
    fn validate(&self, report: &mut dyn FnMut(Finding)) -> Result<()>;

    /// Writes the file `source` of the mesh again, with the writer of the format. For a binary file
    /// without errors, the output has the same bytes as the file.
    ///
    /// # Errors
    ///
    /// Returns the first error in the structure of the file, or an error of `out`.
    fn write_to(&self, source: usize, out: &mut dyn Write) -> Result<()>;

    /// Returns the form in which [`write_to`](Self::write_to) writes the file again.
    fn written_form(&self) -> WrittenForm;

    /// Writes the first file of the mesh again, with its blocks stored in the given way. A file
    /// [without blocks](WrittenForm::has_blocks) is written as by [`write_to`](Self::write_to).
    ///
    /// # Errors
    ///
    /// Returns the errors of [`write_to`](Self::write_to), and the first error in a block.
    fn write_with(&self, storage: Storage, out: &mut dyn Write) -> Result<()> {
        let _ = storage;
        self.write_to(0, out)
    }

    /// Passes each loss to `report` that writing the file again causes: data that the writer of the
    /// format leaves out, or whose encoding it changes. The values of text are parsed to find the
    /// losses. In a binary file, they are all in the structure.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`validate`](Self::validate).
    fn rewrite_losses(&self, report: &mut dyn FnMut(Loss)) -> Result<()> {
        let mut report = |finding| Loss::of_finding(finding).into_iter().for_each(&mut *report);
        if self.written_form().is_text { self.validate(&mut report) } else { self.validate_structure(&mut report) }
    }

    /// Sets the sidecar of the file. The offsets in the sidecar make random access to the mesh file
    /// fast.
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

    /// Returns whether files of this type can contain surfaces, and not only animations.
    fn has_surfaces(&self) -> bool {
        true
    }

    /// Returns the file with its compressed blocks, or `None` if its assets are not made of blocks.
    fn blocks(&self) -> Option<&dyn BlockFile> {
        None
    }

    /// Returns whether the file stores its bounding box.
    fn stores_bounds(&self) -> bool {
        false
    }

    /// Returns the bounding box of the mesh like [`Geometry::bounds`], and calls `read` with the
    /// number of bytes after each part of the file that was read, so that the memory of the part
    /// can be released.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Geometry::bounds`].
    fn bounds_in_steps(&self, read: &mut dyn FnMut(usize)) -> Result<Bounds> {
        let _ = read;
        self.bounds()
    }

    /// Returns the bounding box of a surface like [`Surface::bounds`](crate::Surface::bounds), in steps like
    /// [`bounds_in_steps`](Self::bounds_in_steps).
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Surface::bounds`](crate::Surface::bounds).
    fn surface_bounds_in_steps(&self, surface: usize, read: &mut dyn FnMut(usize)) -> Result<Bounds> {
        let _ = read;
        self.surface_bounds(surface)
    }

    /// Checks the header of a file whose header describes all surfaces, and returns whether the
    /// file has such a header.
    ///
    /// # Errors
    ///
    /// Returns the first error in the header.
    fn check_header(&self) -> Result<bool> {
        Ok(false)
    }

    /// Returns the lengths of the arrays of a surface that the header of the file stores, or `None`
    /// if it stores none. Other lengths are 0.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::NoSuch`](crate::ErrorKind::NoSuch) if the index is out of range.
    fn header_counts(&self, surface: usize) -> Result<Option<Counts>> {
        let _ = surface;
        Ok(None)
    }

    /// Returns the number of vertices in each vertex frame, or `None` if files of this format have
    /// no vertex frames.
    fn frame_vertices(&self) -> Option<usize> {
        None
    }

    /// Describes in a few words how a surface is drawn. The text is empty if the format stores
    /// nothing about it.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::NoSuch`](crate::ErrorKind::NoSuch) if the index is out of range, or the
    /// error of the surface.
    fn style_in_words(&self, surface: usize) -> Result<String> {
        let _ = surface;
        Ok(String::new())
    }

    /// Returns whether the other parts of the file can be read if one part, such as a compressed
    /// block, is damaged.
    fn has_independent_parts(&self) -> bool {
        false
    }

    /// Returns whether many surfaces may share the bytes of one name, so that a small file may have
    /// many surfaces with long names.
    fn surfaces_share_names(&self) -> bool {
        false
    }
}

/// The options with which a file was opened, the access log of the file, and its sidecar.
#[derive(Debug, Default)]
pub(crate) struct FileContext {
    pub(crate) options: OpenOptions,
    access_log: Option<Box<AccessLog>>,
    pub(crate) sidecar: SidecarSlot,
}

impl FileContext {
    pub(crate) fn new(options: &OpenOptions) -> Self {
        let access_log = options.record_access.then(Box::default);
        Self { options: *options, access_log, sidecar: SidecarSlot::default() }
    }

    /// Returns the access log of the file, or `None` if the file was opened without an access log.
    pub(crate) fn access_log(&self) -> Option<&AccessLog> {
        self.access_log.as_deref()
    }
}

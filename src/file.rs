//! Any file: what it is, and its owner.

use std::io::Write;

use crate::error::{Error, Result};
use crate::finding::{Finding, Rule};
use crate::limits::Limits;
use crate::region::Region;
use crate::surface::Geometry;
use crate::touched::Touched;
use crate::unigine;

/// A format that this crate reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// UNIGINE 2.x `.mesh`.
    Unigine,
}

impl Format {
    /// Tells the format by a file's first bytes; the name of a file says nothing.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Empty`](crate::ErrorKind::Empty), [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) for formats that
    /// are known and not read, [`ErrorKind::Unknown`](crate::ErrorKind::Unknown) for the rest.
    pub fn detect(bytes: &[u8]) -> Result<Self> {
        unigine::magic::generation(bytes).map(|_| Self::Unigine)
    }

    /// Tells whether the first bytes are those of a mesh or animation that is known, even if it is not read.
    #[must_use]
    pub fn recognises(bytes: &[u8]) -> bool {
        unigine::magic::is_known(bytes)
    }
}

/// Returns the finding that tells of a fault in a file's bytes: what keeps a file from being opened is a breach of its
/// format's rules, too. `None` for what is no fault of the bytes.
#[must_use]
pub fn finding(fault: &Error) -> Option<Finding> {
    unigine::finding(fault)
}

/// A mesh file of whatever format it turned out to be, over any owner of bytes.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// let model = meshpeek::Model::open(meshpeek::read("data/unigine/cube_ms13.mesh")?)?;
/// for surface in meshpeek::Surface::all(model.geometry()) {
///     println!("{}: {} triangles", surface.name()?, surface.corners()?.triangle_count());
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum Model<D> {
    /// UNIGINE 2.x `.mesh`.
    Unigine(unigine::Mesh<D>),
}

impl<D: AsRef<[u8]> + Send + Sync> Model<D> {
    /// Tells the format, and reads the header.
    ///
    /// # Errors
    ///
    /// As [`Format::detect`], and as the format's `open`.
    pub fn open(data: D) -> Result<Self> {
        Format::detect(data.as_ref())?;
        unigine::Mesh::open(data).map(Self::Unigine)
    }

    /// Tells the format, reads the header under limits of your own, and records from then on which bytes are looked at.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    pub fn watched(data: D, limits: &Limits) -> Result<Self> {
        Format::detect(data.as_ref())?;
        unigine::Mesh::watched(data, limits).map(Self::Unigine)
    }

    /// Returns the neutral view.
    #[must_use]
    pub fn geometry(&self) -> &dyn Geometry {
        match self {
            Self::Unigine(mesh) => mesh,
        }
    }

    /// Returns the owner of the bytes.
    #[must_use]
    pub const fn data(&self) -> &D {
        match self {
            Self::Unigine(mesh) => mesh.data(),
        }
    }

    /// Returns which bytes were looked at so far, of a model opened by [`watched`](Self::watched).
    #[must_use]
    pub fn touched(&self) -> Option<&Touched> {
        match self {
            Self::Unigine(mesh) => mesh.touched(),
        }
    }

    /// Walks the whole structure, and looks at no vertex.
    ///
    /// # Errors
    ///
    /// The first fault, by field and offset.
    pub fn check(&self) -> Result<()> {
        match self {
            Self::Unigine(mesh) => mesh.check(),
        }
    }

    /// Names every byte of the file, in file order and without gaps.
    ///
    /// # Errors
    ///
    /// The first fault; the regions before it have been handed out then.
    pub fn regions(&self, see: &mut dyn FnMut(Region)) -> Result<()> {
        match self {
            Self::Unigine(mesh) => mesh.regions(see),
        }
    }

    /// Reports what the structure alone shows: counts, names, parents; no vertex is looked at.
    ///
    /// # Errors
    ///
    /// The fault that keeps the rest from being read; what was found before it has been reported.
    pub fn survey(&self, report: &mut dyn FnMut(Finding)) -> Result<()> {
        match self {
            Self::Unigine(mesh) => mesh.survey(report),
        }
    }

    /// Reports every breach of the format's rules: the structure's, and those of every value.
    ///
    /// # Errors
    ///
    /// As [`survey`](Self::survey).
    pub fn validate(&self, report: &mut dyn FnMut(Finding)) -> Result<()> {
        match self {
            Self::Unigine(mesh) => mesh.validate(report),
        }
    }

    /// Returns the rules that `validate` knows for the format.
    #[must_use]
    pub const fn rules(&self) -> &'static [Rule] {
        match self {
            Self::Unigine(_) => unigine::RULES,
        }
    }

    /// Writes the file again through the format's writer; a sound binary file comes out byte for byte.
    ///
    /// # Errors
    ///
    /// The file's first fault, or what the output refuses.
    pub fn write_to(&self, out: &mut dyn Write) -> Result<()> {
        match self {
            Self::Unigine(mesh) => mesh.write_to(out),
        }
    }
}

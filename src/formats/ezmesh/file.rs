//! The type [`Mesh`]: an opened EZ-Mesh file, which owns the bytes of the file.
//!
//! A [`Mesh`] has no lifetime parameter, therefore it can be stored in a struct. Each call to
//! [`Mesh::view`] returns a view that borrows the contents of the file.

use std::io::{self, Write};

use super::element_index::ElementKind;
use super::elements::{Animation, MeshElement, Section};
use super::layout::{FORMAT, VERTEX};
use super::view::{Dialect, Form, MeshState, View};
use super::xml::scan::scan;
use super::{binary, detect, properties, regions, validate, write};
use crate::array::Bounds;
use crate::decode::ByteOrder;
use crate::error::debug::short_debug;
use crate::error::{Cause, Error, Field, Result, no_such};
use crate::math::as_u64;
use crate::model::{DescribedBlocks, FileContext, FormatVersion, MeshFile, Properties, WrittenForm};
use crate::parse::{AccessLog, Finding, OpenOptions, Region, RegionBytes, RegionElement, Rule};

/// An opened EZ-Mesh file, text or binary.
///
/// The type parameter `D` is the type of the value that holds the bytes of the file, such as a
/// memory map or a `Vec<u8>`.
///
/// | call | time proportional to | reads | allocates |
/// |---|---|---|---|
/// | [`open`](Self::open) of a text file | bytes of the file, at the speed of a search for `<` | all bytes, but parses no numbers | 8 to 16 bytes per element, and 32 more per element whose text is a list of numbers |
/// | [`open`](Self::open) of a binary file | number of elements | lengths of lists and of names | 8 to 16 bytes per element |
/// | a name, an attribute, a count | the tag or fields of the element | the same | nothing; a search by name allocates 16 bytes per name of its kind, once |
/// | an array of a text file, first call | bytes of the element's text | the element's text | the parsed numbers, at most twice the size of the text |
/// | an array of a binary file | a search in the lists of element offsets | nothing of the array | nothing |
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// let mesh = meshpeek::ezmesh::Mesh::open(meshpeek::read("data/ezmesh/crate.ezm")?)?;
/// for element in mesh.view().meshes() {
///     for section in element.sections() {
///         println!("{}: {} triangles", section.material_name()?, section.index_buffer()?.map_or(0, |all| all.triangle_count()));
///     }
/// }
/// # Ok(())
/// # }
/// ```
pub struct Mesh<D> {
    data: D,
    state: MeshState,
}

short_debug!([D: AsRef<[u8]>] Mesh<D>: |mesh| {
    format: FORMAT, version: mesh.form().name(), bytes: mesh.data.as_ref().len(),
    meshes: mesh.view().count(ElementKind::Mesh), surfaces: mesh.view().count(ElementKind::Section),
    bones: mesh.view().count(ElementKind::Bone), animations: mesh.view().count(ElementKind::Animation),
});

impl<D: AsRef<[u8]>> Mesh<D> {
    /// Opens an EZ-Mesh file and finds all its elements, without parsing numbers in text.
    ///
    /// # Errors
    ///
    /// Returns the first error in the structure of the file, with the field and the byte offset of
    /// the error. Returns [`ErrorKind::Unsupported`] for an XML file of another format, and
    /// [`ErrorKind::Limit`] if the file exceeds a maximum that the open options set.
    ///
    /// [`ErrorKind::Unsupported`]: crate::ErrorKind::Unsupported
    /// [`ErrorKind::Limit`]: crate::ErrorKind::Limit
    pub fn open(data: D) -> Result<Self> {
        Self::open_with(data, &OpenOptions::default())
    }

    /// Opens an EZ-Mesh file with the given options, and finds all its elements.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`open`](Self::open).
    pub fn open_with(data: D, options: &OpenOptions) -> Result<Self> {
        let bytes = data.as_ref();
        if bytes.is_empty() {
            return Err(Error::new(FORMAT, Field::new("header"), 0, Cause::Empty));
        }
        let context = FileContext::new(options);
        let access_log = context.access_log();
        let (form, elements) = if let Some((order, version)) = detect::binary_version(bytes) {
            let elements = binary::walk(bytes, order, &options.limits, access_log, |_, _, _, _| {})?;
            (Form::Binary { order, version }, elements)
        } else {
            if !detect::is_text(bytes) {
                let unknown = || crate::formats::foreign::unknown(FORMAT, bytes);
                return Err(detect::refusal(bytes).unwrap_or_else(unknown));
            }
            if let Some(access_log) = access_log {
                access_log.record(0, as_u64(bytes.len()));
            }
            crate::io::prefetch_file(bytes);
            let (elements, dialect) = scan(bytes, &options.limits)?;
            (Form::Text(dialect), elements)
        };
        let state = MeshState::new(context, form, elements)?;
        Ok(Self { data, state })
    }

    /// Returns the value that holds the bytes of the file, as it was passed to
    /// [`open`](Self::open).
    #[must_use]
    pub const fn data(&self) -> &D {
        &self.data
    }

    /// Returns the encoding of the file: XML text with its dialect, or binary with its format
    /// version.
    #[must_use]
    pub const fn form(&self) -> Form {
        self.state.form
    }

    /// Returns the XML dialect of a text file, or `None` for a binary file.
    #[must_use]
    pub const fn dialect(&self) -> Option<Dialect> {
        match self.state.form {
            Form::Text(dialect) => Some(dialect),
            Form::Binary { .. } => None,
        }
    }

    /// Returns a [`View`], which borrows the file and gives access to its contents. A [`View`] is
    /// `Copy`.
    #[must_use]
    pub fn view(&self) -> View<'_> {
        View { bytes: self.data.as_ref(), state: &self.state }
    }

    /// Returns the view if an element with a number exists. Errors name the list `list`.
    pub(super) fn view_of(&self, kind: ElementKind, list: &'static str, index: usize) -> Result<View<'_>> {
        let (view, count) = (self.view(), self.view().count(kind));
        if index < count { Ok(view) } else { Err(no_such(FORMAT, list, count, index)) }
    }

    /// Returns the section with the given surface index. Each section of a mesh is one surface;
    /// surface indices count the sections of all meshes of the file.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::NoSuch`](crate::ErrorKind::NoSuch) if the index is out of range.
    pub fn section(&self, surface: usize) -> Result<Section<'_>> {
        self.view_of(ElementKind::Section, "surface", surface).map(|view| Section::new(view, surface))
    }

    /// Returns the animation with the given index in the file.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::NoSuch`](crate::ErrorKind::NoSuch) if the index is out of range.
    pub fn animation(&self, clip: usize) -> Result<Animation<'_>> {
        self.view_of(ElementKind::Animation, "clip", clip).map(|view| Animation::new(view, clip))
    }

    /// Returns the mesh with the given index in the file.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::NoSuch`](crate::ErrorKind::NoSuch) if the index is out of range.
    pub fn mesh(&self, mesh: usize) -> Result<MeshElement<'_>> {
        self.view_of(ElementKind::Mesh, "mesh", mesh).map(|view| MeshElement::new(view, mesh))
    }
}

impl<D: AsRef<[u8]> + Send + Sync> FormatVersion for Mesh<D> {
    fn format(&self) -> &'static str {
        FORMAT
    }

    fn version(&self) -> &'static str {
        self.form().name()
    }
}

impl<D: AsRef<[u8]> + Send + Sync> MeshFile for Mesh<D> {
    type Data = D;

    fn source(&self, source: usize) -> Option<&D> {
        (source == 0).then(|| self.data())
    }

    fn access_log(&self, source: usize) -> Option<&AccessLog> {
        self.state.context.access_log().filter(|_| source == 0)
    }

    fn check(&self) -> Result<()> {
        validate::check(self.view())
    }

    fn regions(&self, source: usize, visit: &mut dyn FnMut(Region)) -> Result<()> {
        self.expect_source(source)?;
        regions::walk(self.view(), visit)
    }

    fn element(&self, here: &RegionBytes<'_>) -> RegionElement {
        let is_big_endian = self.view().order() == Some(ByteOrder::Big);
        let column = |index: usize, byte| regions::column(self, &here.region, index, byte);
        let vertex = |here: &RegionBytes<'_>| {
            let index = here.at.checked_div(here.region.element.size.try_into().ok()?)?;
            here.item(|_, byte| column(index, byte))
        };
        let found = if here.region.element.name == VERTEX { vertex(here) } else { None };
        found.unwrap_or_else(|| RegionBytes { is_big_endian, ..*here }.element())
    }

    fn properties(&self, _: &DescribedBlocks, out: &mut Properties<'_>) -> io::Result<()> {
        properties::of_mesh(self, out)
    }

    fn surface_properties(&self, surface: usize, out: &mut Properties<'_>) -> Result<io::Result<()>> {
        properties::of_surface(self.section(surface)?, out)
    }

    fn remarks(&self) -> Vec<(&'static str, String)> {
        properties::composition(self).into_iter().map(|text| ("mesh", text)).collect()
    }

    fn rules(&self) -> &'static [Rule] {
        validate::RULES
    }

    fn validate_structure(&self, report: &mut dyn FnMut(Finding)) -> Result<()> {
        validate::validate_structure(self.view(), report)
    }

    fn validate(&self, report: &mut dyn FnMut(Finding)) -> Result<()> {
        self.prefetch();
        validate::validate(self.view(), report)
    }

    fn write_to(&self, source: usize, out: &mut dyn Write) -> Result<()> {
        self.expect_source(source)?;
        write::write_to(self.view(), out)
    }

    fn written_form(&self) -> WrittenForm {
        self.form().written_form()
    }

    fn bounds_in_steps(&self, read: &mut dyn FnMut(usize)) -> Result<Bounds> {
        Self::bounds_in_steps(self, read)
    }

    fn surface_bounds_in_steps(&self, surface: usize, read: &mut dyn FnMut(usize)) -> Result<Bounds> {
        Self::surface_bounds_in_steps(self, surface, read)
    }

    fn has_independent_parts(&self) -> bool {
        true
    }

    fn surfaces_share_names(&self) -> bool {
        true
    }
}

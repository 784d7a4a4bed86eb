//! The owner of a file's bytes. It has no lifetime and can be stored; views are made from it when they are asked for.

use std::ops::Range;
use std::sync::OnceLock;

use super::block::Unfolded;
use super::buffer::Located;
use super::last::Last;
use super::markup::scan::scan;
use super::names::Names;
use super::outline::{Kind, Outline};
use super::rows::AllRows;
use super::view::{Dialect, Form, View};
use super::{FORMAT, binary};
use crate::array::Bounds;
use crate::error::{Error, ErrorKind, Field, Result};
use crate::math::as_u64;
use crate::model::FileContext;
use crate::parse::OpenOptions;

/// An EZ-Mesh file over any owner of bytes, in either of its forms.
///
/// | call | order | looks at | allocates |
/// |---|---|---|---|
/// | [`open`](Self::open) of text | bytes of the file, at the pace of a search for `<` | everything, and reads no number | 8 bytes per element, 16 per block of numbers; while it runs, three times as much |
/// | [`open`](Self::open) of the binary form | elements | counts and names' lengths | 8 bytes per element |
/// | a name, an attribute, a count | the element's tag or fields | those | nothing; of what is found by name, 16 bytes per name of its kind, once |
/// | an array, first time, text | bytes of its block | the block | the unfolded block, no more than twice its text; 16 bytes per block of its kind, once |
/// | an array of the binary form | a search among the lists of elements | nothing of the array | nothing |
/// | [`VertexBuffer::positions_into`](super::VertexBuffer::positions_into) and others that decode into a buffer | bytes of the block | the block | nothing |
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// let system = meshpeek::ezmesh::MeshSystem::open(meshpeek::read("data/ezmesh/crate.ezm")?)?;
/// for mesh in system.view().meshes() {
///     for section in mesh.sections() {
///         println!("{}: {} triangles", section.material_name()?, section.index_buffer()?.map_or(0, |all| all.triangle_count()));
///     }
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct MeshSystem<D> {
    data: D,
    state: State,
}

/// What is known of a file, without its bytes.
#[derive(Debug)]
pub(super) struct State {
    pub(super) context: FileContext,
    pub(super) form: Form,
    pub(super) outline: Outline,
    /// The blocks of text that were unfolded, by what they are and their numbers.
    pub(super) blocks: [OnceLock<Box<[Slot]>>; Kind::COUNT],
    /// Where vertices of text start.
    pub(super) rows: AllRows,
    /// Which bone each bone hangs from.
    pub(super) parents: OnceLock<Box<[i32]>>,
    /// Bones by name.
    pub(super) bones: OnceLock<Names>,
    /// Skeletons by name.
    pub(super) skeletons: OnceLock<Names>,
    /// Materials by name.
    pub(super) materials: OnceLock<Names>,
    /// Meshes by name.
    pub(super) meshes: OnceLock<Names>,
    /// The vertices that sections share which were located last.
    pub(super) located: Last<Result<Located>>,
    /// The name and the skeleton's name of the mesh that was asked last, as places in the file; and its skeleton.
    pub(super) named: Last<[Range<usize>; 2]>,
    pub(super) skeleton: Last<Option<usize>>,
    /// The box of everything.
    pub(super) bounds: OnceLock<Bounds>,
}

/// A block, once it was unfolded; or why it cannot be, where that is kept.
pub(super) type Slot = OnceLock<Box<Result<Unfolded, Option<Error>>>>;

impl<D: AsRef<[u8]>> MeshSystem<D> {
    /// Finds everything in a file, and reads no number.
    ///
    /// # Errors
    ///
    /// The first fault of the structure, by field and offset; [`ErrorKind::Unsupported`] for XML that is something else;
    /// [`ErrorKind::Limit`].
    pub fn open(data: D) -> Result<Self> {
        Self::open_with(data, &OpenOptions::default())
    }

    /// Finds everything in a file, under options of your own.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    pub fn open_with(data: D, options: &OpenOptions) -> Result<Self> {
        let bytes = data.as_ref();
        if bytes.is_empty() {
            return Err(Error::new(FORMAT, Field::new("header"), 0, ErrorKind::Empty));
        }
        let context = FileContext::new(options);
        let touched = context.access_log();
        let (form, mut outline) = if let Some((order, version)) = binary::order(bytes) {
            let outline = binary::scan::scan(bytes, order, &options.limits, touched)?;
            (Form::Binary { order, version }, outline)
        } else {
            if !super::is_text(bytes) {
                let unknown = || crate::formats::unsupported::unknown(FORMAT, bytes);
                return Err(super::refusal(bytes).unwrap_or_else(unknown));
            }
            if let Some(touched) = touched {
                touched.record(0, as_u64(bytes.len()));
            }
            crate::io::prefetch(bytes);
            let (outline, dialect) = scan(bytes, &options.limits)?;
            (Form::Text(dialect), outline)
        };
        outline.shrink();
        let state = State {
            context,
            form,
            outline,
            blocks: Default::default(),
            rows: AllRows::default(),
            parents: OnceLock::new(),
            bones: OnceLock::new(),
            skeletons: OnceLock::new(),
            materials: OnceLock::new(),
            meshes: OnceLock::new(),
            located: Last::default(),
            named: Last::default(),
            skeleton: Last::default(),
            bounds: OnceLock::new(),
        };
        Ok(Self { data, state })
    }

    pub(super) const fn state(&self) -> &State {
        &self.state
    }

    pub(super) const fn state_mut(&mut self) -> &mut State {
        &mut self.state
    }

    /// Returns the owner of the bytes.
    #[must_use]
    pub const fn data(&self) -> &D {
        &self.data
    }

    /// Returns whether the file is text or binary, and of which kind.
    #[must_use]
    pub const fn form(&self) -> Form {
        self.state.form
    }

    /// Returns the dialect of a text file.
    #[must_use]
    pub const fn dialect(&self) -> Option<Dialect> {
        match self.state.form {
            Form::Text(dialect) => Some(dialect),
            Form::Binary { .. } => None,
        }
    }

    /// Returns everything there is, as a view that can be copied.
    #[must_use]
    pub fn view(&self) -> View<'_> {
        View { bytes: self.data.as_ref(), state: &self.state }
    }

    /// Drops the blocks that were unfolded. They are unfolded anew when they are asked for again.
    pub fn release(&mut self) {
        self.state.blocks = Default::default();
    }
}

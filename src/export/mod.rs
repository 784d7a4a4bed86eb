//! Conversion of meshes to the formats of other programs: glTF, OBJ, PLY, STL, EZ-Mesh and JSON.
//!
//! An [`Export`] reads a mesh file of any format through the traits of [`model`](crate::model), and
//! writes one or more files. Making it reads what the sizes of the output depend on, and lists what
//! the output format cannot hold. Writing then decodes one array after another, so a mesh is never
//! in memory as a whole.
//!
//! ```
//! # fn main() -> meshpeek::Result<()> {
//! use meshpeek::export::{Export, ExportFormat, SceneInput, ExportOptions};
//!
//! let model = meshpeek::open("data/unigine/cube_ms13.mesh")?;
//! let options = ExportOptions::default().with_allow_loss(true);
//! let input = SceneInput::new(&model);
//! let export = Export::new(&input, ExportFormat::Stl, &options)?;
//! for loss in export.losses() {
//!     println!("not in the output: {loss}");
//! }
//! let mut bytes = Vec::new();
//! export.write_file(0, "cube", &mut bytes)?;
//! assert_eq!(bytes.len(), 84 + 12 * 50);
//! # Ok(())
//! # }
//! ```

pub(crate) mod bones;
pub(crate) mod flat_losses;
mod format;
pub(crate) mod gltf;
pub(crate) mod influences;
pub(crate) mod json;
pub(crate) mod loss;
mod materials;
pub(crate) mod obj;
pub(crate) mod options;
mod part_faces;
pub(crate) mod ply;
mod source;
mod split;
pub(crate) mod stl;
#[cfg(feature = "cli")]
mod vertex_counter;
mod vertices;

use std::fmt;
use std::io::{self, Write};

pub use crate::scene::{LevelChoice, NormalChoice, OutputSpace, SceneInput};
#[cfg(any(feature = "cli", feature = "internals"))]
internal_use!(source::SourceInfo);
pub use format::ExportFormat;
pub use loss::Loss;
internal_use!(crate::parse::LossKind);
pub(crate) use options::clip_rate;
pub use options::{Compression, ExportOptions};
pub(crate) use split::{PartNormals, WrittenPart};
#[cfg(feature = "cli")]
pub(crate) use vertex_counter::{VertexCount, VertexCounter};
pub(crate) use vertices::{CornerBlocks, VertexOrder, VertexParts, VertexRun};

use crate::error::{Cause, Error, Field, Result, expect_at_most};
use crate::math::as_u64;

/// What receives the bytes of several files, with the index of the file.
pub(crate) type FileOutput<'o> = dyn FnMut(usize, &[u8]) -> io::Result<()> + 'o;

/// A writer of one of several files.
pub(crate) struct FileBytesOutput<'w, 'o> {
    pub(crate) file: usize,
    pub(crate) out: &'w mut FileOutput<'o>,
}

impl Write for FileBytesOutput<'_, '_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        (self.out)(self.file, bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The writer of one output format, which has already read what the sizes of the output depend on.
pub(crate) trait OutputWriter {
    /// Returns the number of files of the output.
    fn file_count(&self) -> usize {
        1
    }
    /// Returns the names of the images to which the output refers.
    fn images(&self) -> &[String] {
        &[]
    }
    /// Returns what the name of a further file has after the stem of the output, such as `.mtl`.
    fn ending(&self, file: usize) -> String {
        let _ = file;
        String::new()
    }
    /// Passes the bytes of all files to `out`, file by file, with the index of the file. Each file
    /// has a first call, even if it is empty.
    fn write_all(&self, stem: &str, out: &mut FileOutput<'_>) -> Result<()> {
        (0..self.file_count()).try_for_each(|file| {
            out(file, &[])?;
            self.write(file, stem, &mut FileBytesOutput { file, out: &mut *out })
        })
    }
    /// Writes a file. `stem` is the name of the output without its ending, by which one file of the
    /// output refers to another.
    fn write(&self, file: usize, stem: &str, out: &mut dyn Write) -> Result<()>;
}

/// A mesh that is ready to be written in another format.
///
/// [`new`](Self::new) makes it.
pub struct Export<'a> {
    writer: Box<dyn OutputWriter + 'a>,
    losses: Vec<Loss>,
    allow_loss: bool,
    max_bytes: u64,
    format: ExportFormat,
}

impl fmt::Debug for Export<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Export")
            .field("format", &self.format)
            .field("files", &self.file_count())
            .field("losses", &self.losses)
            .finish_non_exhaustive()
    }
}

impl<'a> Export<'a> {
    pub(crate) fn with_writer(
        writer: Box<dyn OutputWriter + 'a>,
        losses: Vec<Loss>,
        format: ExportFormat,
        options: &ExportOptions,
    ) -> Self {
        Self { writer, losses, allow_loss: options.allow_loss, max_bytes: options.max_bytes, format }
    }

    /// Returns what the output does not contain.
    #[must_use]
    pub fn losses(&self) -> &[Loss] {
        &self.losses
    }

    /// Returns the names of the images to which glTF output refers.
    #[cfg_attr(not(feature = "cli"), allow(dead_code, reason = "the program calls it"))]
    pub(crate) fn images(&self) -> &[String] {
        self.writer.images()
    }

    /// Returns the losses because of which [`write_file`](Self::write_file) returns an error, unless
    /// [`allow_loss`](ExportOptions::with_allow_loss) is set: all that are not
    /// [minor](Loss::is_minor) and that the format could hold. What a format can never hold,
    /// such as bones in STL, is only listed.
    pub fn refused(&self) -> impl Iterator<Item = &Loss> {
        self.losses.iter().filter(|loss| !self.allow_loss && loss.needs_permission())
    }

    /// Returns the number of files of the output. A `.gltf` file has `.bin` files, and an `.obj`
    /// file has a `.mtl` file.
    #[must_use]
    pub fn file_count(&self) -> usize {
        self.writer.file_count()
    }

    /// Returns the name of a file of the output, without a folder. `stem` is the name of the output
    /// without its extension.
    #[must_use]
    pub fn file_name(&self, file: usize, stem: &str) -> String {
        if file == 0 {
            format!("{stem}.{}", self.format.extension())
        } else {
            stem.to_owned() + &self.writer.ending(file)
        }
    }

    /// Writes a file of the output. File 0 is the main file. The same mesh and options give the
    /// same bytes on every machine.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Refused`](crate::ErrorKind::Refused) if the output has
    /// [refused](Self::refused) losses,
    /// [`ErrorKind::NoSuch`](crate::ErrorKind::NoSuch) if the index is out of range,
    /// [`ErrorKind::Limit`](crate::ErrorKind::Limit) if the file would have more bytes than
    /// [`max_bytes`](ExportOptions::with_max_bytes), the errors of reading the mesh, and errors of
    /// `out`.
    pub fn write_file(&self, file: usize, stem: &str, out: &mut dyn Write) -> Result<()> {
        self.check_refused()?;
        if file >= self.file_count() {
            let kind = Cause::NoSuch { count: as_u64(self.file_count()), index: as_u64(file) };
            return Err(fault("file", kind));
        }
        self.write_sized(&mut |_, bytes| out.write_all(bytes), |out| {
            self.writer.write(file, stem, &mut FileBytesOutput { file, out })
        })?;
        Ok(out.flush()?)
    }

    /// Passes the bytes of all files to `out`, file by file, with the index of the file. The mesh
    /// is read once, however many files there are.
    #[cfg_attr(not(feature = "cli"), allow(dead_code, reason = "the program calls it"))]
    pub(crate) fn write_files(&self, stem: &str, out: &mut FileOutput<'_>) -> Result<()> {
        self.check_refused()?;
        self.write_sized(out, |out| self.writer.write_all(stem, out))
    }

    /// Calls `write` with an output that refuses to write more bytes than the options allow.
    fn write_sized(
        &self,
        out: &mut FileOutput<'_>,
        write: impl FnOnce(&mut FileOutput<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut asked = 0_u64;
        let written = write(&mut |file, bytes| {
            asked = asked.saturating_add(as_u64(bytes.len()));
            if asked > self.max_bytes { Err(io::ErrorKind::FileTooLarge.into()) } else { out(file, bytes) }
        });
        // The refused write is the cause of the error of the writer.
        check_size(asked, self.max_bytes).and(written)
    }

    fn check_refused(&self) -> Result<()> {
        let Some(loss) = self.refused().next() else { return Ok(()) };
        let expected = "data that can be written, or the permission to leave data out";
        Err(fault("output", Cause::Refused { expected: expected.into(), found: loss.to_string().into() }))
    }
}

/// Returns an error if an output of `asked` bytes is larger than the options allow.
pub(crate) fn check_size(asked: u64, allowed: u64) -> Result<()> {
    expect_at_most("export", Field::new("output"), "output", allowed, asked)
}

/// Makes an error about the output.
pub(crate) fn fault(name: &'static str, cause: Cause) -> Error {
    Error::without_offset("export", Field::new(name), cause)
}

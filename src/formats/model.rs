//! [`Model`]: a mesh file of any supported format, with the value that owns its bytes, such as a
//! [`Map`](crate::Map). Its methods are in `model_methods`.

use std::fmt;
use std::sync::Arc;

use crate::error::Result;
use crate::formats::detect::Format;
#[cfg(feature = "internals")]
use crate::formats::registered::{FileData, FileFormat, RegisteredFile};
#[cfg(feature = "cli")]
use crate::formats::samples::SampleKind;
use crate::formats::{ezmesh, secondlife, unigine, unreal};
use crate::io::FileBytes;
use crate::model::{AsMeshFile, MeshFile};
use crate::parse::OpenOptions;
use crate::sidecar::{Builder, Sidecar};

/// Evaluates an expression with the opened file of a model, whatever its format is.
macro_rules! with_file {
    ($opened:expr, $file:ident => $value:expr) => {
        match $opened {
            FormatFile::Unigine($file) => $value,
            FormatFile::UnigineAnimation($file) => $value,
            FormatFile::Unreal($file) => $value,
            FormatFile::SecondLife($file) => $value,
            FormatFile::EzMesh($file) => $value,
            #[cfg(feature = "internals")]
            FormatFile::Registered($file) => $value,
        }
    };
}

/// A mesh of any supported format, which owns the bytes of its files. [`open`](crate::open) and
/// [`open_mapped`](crate::open_mapped) return it, and [`Model::open`] opens bytes.
///
/// `D` is the type of the value that owns the bytes, such as [`FileBytes`] or `Vec<u8>`. A model
/// has no lifetime of its own and can be stored in a struct.
///
/// A mesh is one file in most formats. An Unreal mesh has several files, which are called its
/// *sources*: source 0 is the data file (`_d.3d`), source 1 is the aniv file (`_a.3d`), and source
/// 2 is the script, if the mesh has a script. [`open`](crate::open) finds the sources of a path.
///
/// [`surfaces`](Self::surfaces) are those of one asset in its highest level of detail, in the space
/// of the file. A file may contain several [`assets`](Self::assets), [`levels`](Self::levels) and
/// placed [`instances`](Self::instances).
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// let model = meshpeek::Model::open(meshpeek::read("data/unigine/cube_ms13.mesh")?)?;
/// for surface in model.surfaces()? {
///     println!("{}: {} triangles", surface.name()?, surface.corners()?.triangle_count());
/// }
/// # Ok(())
/// # }
/// ```
pub struct Model<D = FileBytes> {
    file: FormatFile<D>,
    /// The sidecar that queries use.
    sidecar: Option<Arc<Sidecar>>,
}

/// The opened file of a [`Model`], with the type of its format.
pub enum FormatFile<D> {
    /// UNIGINE 2.x `.mesh`.
    Unigine(Box<unigine::Mesh<D>>),
    /// UNIGINE 2.x `.anim`: a skeleton and its animation, without surfaces.
    UnigineAnimation(Box<unigine::Animation<D>>),
    /// Unreal 1 vertex mesh.
    Unreal(Box<unreal::Mesh<D>>),
    /// Second Life mesh asset. Its surfaces are those of the highest level of detail.
    SecondLife(Box<secondlife::Mesh<D>>),
    /// EZ-Mesh. Each mesh section of the file is one surface.
    EzMesh(Box<ezmesh::Mesh<D>>),
    /// A format of a test.
    #[cfg(feature = "internals")]
    Registered(Box<dyn RegisteredFile<Data = D>>),
}

impl<D: AsRef<[u8]>> FormatFile<D> {
    /// Adds to a sidecar those byte offsets in this file that take long to find.
    ///
    /// A format that can compute all offsets directly adds nothing to the sidecar. `index` adds no
    /// query trees: they are added when the sidecar is written.
    ///
    /// # Errors
    ///
    /// Returns the first error in the structure, with its field and offset, or
    /// [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory).
    pub fn index(&self, builder: &mut Builder) -> Result<()> {
        match self {
            Self::Unigine(mesh) => mesh.index(builder),
            Self::UnigineAnimation(animation) => animation.index(builder),
            _ => Ok(()),
        }
    }
}

/// Returns all types of meshes that `bench` generates.
#[cfg(feature = "cli")]
pub(crate) fn sample_kinds() -> [&'static SampleKind; 7] {
    let ([unskinned, skinned, compressed], [text, binary]) = (&unigine::sample::KINDS, &ezmesh::sample::KINDS);
    [unskinned, skinned, compressed, &unreal::sample::KIND, &secondlife::sample::KIND, text, binary]
}

#[cfg(feature = "cli")]
impl<D: AsRef<[u8]>> Model<D> {
    /// Returns the type of generated mesh that is most similar to the model.
    pub(crate) fn sample_kind(&self) -> &'static SampleKind {
        let [unskinned, ..] = sample_kinds();
        match &self.file {
            FormatFile::Unigine(mesh) => unigine::sample::kind(mesh),
            FormatFile::UnigineAnimation(_) => unskinned,
            #[cfg(feature = "internals")]
            FormatFile::Registered(_) => unskinned,
            FormatFile::Unreal(_) => &unreal::sample::KIND,
            FormatFile::SecondLife(_) => &secondlife::sample::KIND,
            FormatFile::EzMesh(mesh) => ezmesh::sample::kind(mesh),
        }
    }
}

impl<D> From<FormatFile<D>> for Model<D> {
    fn from(file: FormatFile<D>) -> Self {
        Self { file, sidecar: None }
    }
}

impl<D: AsRef<[u8]>> fmt::Debug for Model<D> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        with_file!(&self.file, file => out.debug_tuple("Model").field(file).finish())
    }
}

impl<D> From<ezmesh::Mesh<D>> for Model<D> {
    fn from(mesh: ezmesh::Mesh<D>) -> Self {
        FormatFile::EzMesh(Box::new(mesh)).into()
    }
}

impl<D> From<unigine::Mesh<D>> for Model<D> {
    fn from(mesh: unigine::Mesh<D>) -> Self {
        FormatFile::Unigine(Box::new(mesh)).into()
    }
}

impl<D> From<unigine::Animation<D>> for Model<D> {
    fn from(animation: unigine::Animation<D>) -> Self {
        FormatFile::UnigineAnimation(Box::new(animation)).into()
    }
}

impl<D> From<unreal::Mesh<D>> for Model<D> {
    fn from(mesh: unreal::Mesh<D>) -> Self {
        FormatFile::Unreal(Box::new(mesh)).into()
    }
}

impl<D> From<secondlife::Mesh<D>> for Model<D> {
    fn from(mesh: secondlife::Mesh<D>) -> Self {
        FormatFile::SecondLife(Box::new(mesh)).into()
    }
}

#[cfg(feature = "internals")]
impl<D: FileData> Model<D> {
    /// Opens a file in a format outside the crate.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`FileFormat::open`].
    pub fn open_registered<F: FileFormat>(data: D, options: &OpenOptions) -> Result<Self> {
        Ok(FormatFile::Registered(Box::new(F::open(data, options)?)).into())
    }
}

impl<D: AsRef<[u8]> + Send + Sync> AsMeshFile for Model<D> {
    type Data = D;

    fn file(&self) -> &dyn MeshFile<Data = D> {
        self.file()
    }
}

impl<D: AsRef<[u8]> + Send + Sync> Model<D> {
    /// Detects the format of the file with the bytes `data`, and reads the header of the file.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Format::detect`], and the error of the first field of the header
    /// that is damaged.
    pub fn open(data: D) -> Result<Self> {
        Self::open_with(data, &OpenOptions::default())
    }

    /// Detects the format of the file with the bytes `data`, and reads the header of the file with
    /// the given options.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`open`](Self::open).
    pub fn open_with(data: D, options: &OpenOptions) -> Result<Self> {
        Self::open_as(Format::detect(data.as_ref())?, data, options)
    }

    /// Reads the header of a file whose format is known. A mesh of several files is read as UNIGINE
    /// files are, because it cannot be opened as one file.
    pub(super) fn open_as(format: Format, data: D, options: &OpenOptions) -> Result<Self> {
        match format {
            Format::SecondLife => secondlife::Mesh::open_with(data, options).map(Self::from),
            Format::EzMesh => ezmesh::Mesh::open_with(data, options).map(Self::from),
            _ if unigine::detect::is_animation(data.as_ref()) => {
                unigine::Animation::open_with(data, options).map(Self::from)
            }
            _ => unigine::Mesh::open_with(data, options).map(Self::from),
        }
    }

    /// Sets the sidecar of the model, which [`Sidecar::new`] has compared with the key of its file.
    ///
    /// The sidecar contains stored byte offsets and query trees, which make random access to the
    /// mesh and its [`scene`](Self::scene) fast.
    #[must_use]
    pub fn with_sidecar(mut self, sidecar: Arc<Sidecar>) -> Self {
        self.file_mut().set_sidecar(Arc::clone(&sidecar));
        self.sidecar = Some(sidecar);
        self
    }

    /// Returns the sidecar of the model, or `None` if the model is used without one.
    #[must_use]
    pub const fn sidecar(&self) -> Option<&Arc<Sidecar>> {
        self.sidecar.as_ref()
    }

    /// Returns whether the model is a part of what its file contains.
    pub(super) fn is_part(&self) -> bool {
        match &self.file {
            FormatFile::SecondLife(mesh) => mesh.options().partial || mesh.options().asset > 0,
            _ => false,
        }
    }

    /// Returns the opened file with the type of its format.
    pub(crate) const fn format_file(&self) -> &FormatFile<D> {
        &self.file
    }

    /// Returns the opened file as a value of the trait that all formats implement.
    #[doc(hidden)]
    #[must_use]
    pub fn file(&self) -> &dyn MeshFile<Data = D> {
        with_file!(&self.file, file => &**file)
    }

    /// Returns the opened file like [`file`](Self::file), mutably.
    fn file_mut(&mut self) -> &mut dyn MeshFile<Data = D> {
        with_file!(&mut self.file, file => &mut **file)
    }
}

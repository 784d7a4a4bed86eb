//! What a file contains besides one list of surfaces: assets, levels of detail, instances,
//! materials, collision shapes and metadata.

// Rule: this file sorts and maps by copies only.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::{Deref, Range};

use super::animation::Animations;
use super::animation::affine::Affine;
use super::attributes::{Indices, Positions};
use super::geometry::Geometry;
use super::mesh_file::MeshFile;
use super::written_form::FormatVersion;
use crate::error::{Result, no_such};
use crate::math::as_u64;
use crate::parse::{Name, Value};

/// A borrowed or an owned value of a trait, such as one level of detail of an asset.
///
/// The value is owned if the file has no place to keep it, for example if it contains an inflated
/// block. Dropping it frees an owned value.
pub enum MaybeOwned<'a, T: ?Sized> {
    /// A value that is part of the file.
    Borrowed(&'a T),
    /// A value that was made for the caller.
    Owned(Box<T>),
}

impl<T: ?Sized> Deref for MaybeOwned<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        match self {
            Self::Borrowed(value) => value,
            Self::Owned(value) => value,
        }
    }
}

impl<T: ?Sized> fmt::Debug for MaybeOwned<'_, T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Borrowed(_) => "MaybeOwned::Borrowed(..)",
            Self::Owned(_) => "MaybeOwned::Owned(..)",
        })
    }
}

/// Returns the number of bytes that are inflated each time an asset is opened.
pub(crate) fn inflated_bytes(asset: &MaybeOwned<'_, dyn Asset + '_>) -> u64 {
    if matches!(asset, MaybeOwned::Owned(_)) { asset.inflated_bytes() } else { 0 }
}

/// The contents of a mesh file of any format. [`Model`](crate::Model) has methods for them.
///
/// A file contains *assets*. An asset is a mesh with its levels of detail, its skeleton and its
/// collision shapes; most files contain one. An [`Instance`] places an asset, or some of its
/// surfaces, in the scene of the file. Every method with an index returns [`ErrorKind::NoSuch`] if
/// the index is out of range, and the error of the reader of the format if the bytes that it reads
/// are damaged.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// let file = meshpeek::Model::open(meshpeek::read("data/secondlife/model.slm")?)?;
/// let contents = file.contents();
/// for index in 0..contents.instance_count()? {
///     let instance = contents.instance(index)?;
///     let asset = contents.asset(instance.asset)?;
///     let geometry = asset.level(0)?;
///     println!("{} surfaces at {:?}", geometry.surface_count()?, instance.transform.columns());
/// }
/// # Ok(())
/// # }
/// ```
///
/// [`ErrorKind::NoSuch`]: crate::ErrorKind::NoSuch
#[allow(clippy::missing_errors_doc, reason = "documented once on the trait")]
pub trait Contents: FormatVersion {
    /// Returns the number of assets in the file.
    fn asset_count(&self) -> Result<usize> {
        Ok(1)
    }
    /// Opens asset `asset`. An asset that is not part of the opened file owns its inflated blocks.
    fn asset(&self, asset: usize) -> Result<MaybeOwned<'_, dyn Asset + '_>>;
    /// Returns how the levels of detail of an asset store their surfaces.
    #[doc(hidden)]
    fn level_storage(&self) -> LevelStorage {
        LevelStorage::Single
    }
    /// Returns the number of instances. A file that stores no instances has one instance of each
    /// asset.
    fn instance_count(&self) -> Result<usize> {
        self.asset_count()
    }
    /// Returns instance `instance`, in file order.
    fn instance(&self, instance: usize) -> Result<Instance<'_>> {
        let count = self.instance_count()?;
        if instance >= count {
            return Err(no_such(self.format(), "instance", count, instance));
        }
        Ok(Instance { asset: instance, ..Instance::default() })
    }
    /// Returns the number of materials that the file describes.
    fn material_count(&self) -> Result<usize> {
        Ok(0)
    }
    /// Returns material `material`, in file order.
    fn material(&self, material: usize) -> Result<Material<'_>> {
        Err(no_such(self.format(), "material", self.material_count()?, material))
    }
    /// Returns the number of bytes of all files of the mesh.
    fn file_bytes(&self) -> u64;
    /// Calls `visit` for each key of the file that describes the whole file, such as its author, in
    /// file order. Damaged entries are not visited, because `validate` reports them.
    fn metadata(&self, visit: &mut dyn FnMut(Metadata<'_>)) -> Result<()> {
        let _ = visit;
        Ok(())
    }
    /// Returns whether the metadata follows from how the file stores its surfaces, and not from
    /// what its author stated.
    #[doc(hidden)]
    fn metadata_is_derived(&self) -> bool {
        false
    }
    /// Returns the bytes of a script for files of the mesh with the common stem `stem`. It contains
    /// all that the script of the mesh contains about the mesh, or defaults if there is no script.
    /// Returns `None` if meshes of the format have no scripts.
    #[doc(hidden)]
    fn script_named(&self, stem: &str) -> Result<Option<Vec<u8>>> {
        let _ = stem;
        Ok(None)
    }
}

/// How the levels of detail of an asset store their surfaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LevelStorage {
    /// The format has one level of detail.
    Single,
    /// All levels have the surfaces of one list, and each level draws some of them.
    Shared,
    /// Each level has surfaces of its own.
    Separate,
}

/// One asset of a file: a mesh with its levels of detail, its skeleton and its collision shapes.
///
/// Errors are those of the file that the asset comes from.
#[allow(clippy::missing_errors_doc, reason = "documented once on the trait `Contents`")]
pub trait Asset: FormatVersion {
    /// Returns the number of levels of detail.
    fn level_count(&self) -> Result<usize> {
        Ok(1)
    }
    /// Returns the name of a level of detail, or `None` if the format does not name levels.
    fn level_name(&self, level: usize) -> Result<Option<Name<'_>>> {
        let _ = level;
        Ok(None)
    }
    /// Returns the number of a level of detail, from 0 for the most detailed one that an asset of
    /// the format can have, or `None` if the format does not number levels.
    #[doc(hidden)]
    fn level_number(&self, level: usize) -> Result<Option<u32>> {
        let _ = level;
        Ok(None)
    }
    /// Returns the number of the level of detail that the name of a surface tells, or `None`.
    #[doc(hidden)]
    fn named_level(&self, surface: usize) -> Result<Option<u32>> {
        let _ = surface;
        Ok(None)
    }
    /// Returns the surfaces of a level of detail. Level 0 is the most detailed.
    fn level(&self, level: usize) -> Result<MaybeOwned<'_, dyn Geometry + '_>>;
    /// Returns an error if a level of detail, or an array of it, cannot be read. No vertex is read.
    #[doc(hidden)]
    fn check_level(&self, level: usize) -> Result<()> {
        self.level(level).map(drop)
    }
    /// Returns the bones and clips of the asset.
    fn animations(&self) -> &dyn Animations;
    /// Returns the number of collision shapes that are stored as points, or only as a kind.
    fn hull_count(&self) -> Result<usize> {
        Ok(0)
    }
    /// Returns collision shape `hull`, in file order.
    fn hull(&self, hull: usize) -> Result<Hull<'_>> {
        Err(no_such(self.format(), "hull", self.hull_count()?, hull))
    }
    /// Returns the number of bytes of the blocks of the asset that are inflated now.
    #[doc(hidden)]
    fn inflated_bytes(&self) -> u64 {
        0
    }
    /// Returns the triangles for collision tests, or `None` if the asset has none.
    fn collision_mesh(&self) -> Result<Option<MaybeOwned<'_, dyn Geometry + '_>>> {
        Ok(None)
    }
}

/// A place of an asset, or of some of its surfaces, in the scene of a file.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Instance<'a> {
    /// The name of the instance, or `None` if the file stores no name.
    pub name: Option<Name<'a>>,
    /// The index of the asset.
    pub asset: usize,
    /// The indices of the surfaces that the instance shows, or `None` for all surfaces.
    pub surfaces: Option<Range<usize>>,
    /// The map from stored positions to the scene of the file. It includes the
    /// [placement](crate::model::Space::placement) of the asset; see
    /// [`Space::placed`](crate::model::Space::placed).
    pub transform: Affine,
    /// The indices of the materials that belong to this instance. [`Material::surface`] names the
    /// surface.
    pub materials: Range<usize>,
}

/// A material: what a file states about the appearance of surfaces.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Material<'a> {
    /// The name of the material, or `None` if the file stores no name.
    pub name: Option<Name<'a>>,
    /// The name by which a surface refers to the material, if it is not `name`. It is equal to the
    /// result of [`Surface::material`](super::Surface::material) for this surface.
    pub surface: Option<Name<'a>>,
    /// The textures of the material.
    pub textures: Vec<Texture<'a>>,
    /// Red, green, blue and alpha, each 0 to 1, or `None` if the file stores no colour.
    pub color: Option<[f32; 4]>,
    /// Whether the material is drawn at full brightness, without lighting, or `None` if the file
    /// does not state it.
    pub unlit: Option<bool>,
    /// Whether texels of a certain colour or without alpha are cut out, or `None` if the file does
    /// not state it.
    pub masked: Option<bool>,
    /// Further text about the material, as stored, or `None`.
    pub text: Option<Name<'a>>,
}

/// A texture of a material.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Texture<'a> {
    /// What the texture is for.
    pub role: TextureRole,
    /// The name of the texture.
    pub name: Name<'a>,
    /// The path of the image file, or `None` if the file stores no path.
    pub file: Option<Name<'a>>,
}

/// What a texture of a material is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TextureRole {
    /// The colour of the surface.
    Color,
    /// A texture that adds detail at short distances.
    Detail,
}

/// The kind of a collision shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HullKind {
    /// The convex hull of the points.
    Convex,
    /// One convex hull around the whole asset.
    Bounding,
    /// A box. The points are absent if the file does not store its size.
    Box,
    /// A sphere. The points are absent if the file does not store its size.
    Sphere,
    /// A capsule. The points are absent if the file does not store its size.
    Capsule,
    /// A kind that the format does not define.
    Unknown,
}

/// A collision shape of an asset.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Hull<'a> {
    /// The name of the shape, or `None` if the file stores no name.
    pub name: Option<Name<'a>>,
    /// The kind of the shape.
    pub kind: HullKind,
    /// The points of the shape, or `None` if the file stores no points.
    pub points: Option<Positions<'a>>,
    /// The triangles of the shape, as three indices of points each, or `None` if the file stores no
    /// triangles.
    pub triangles: Option<Indices<'a>>,
    /// The map from the points to the space of the asset.
    pub transform: Affine,
}

/// A key of a file with its value.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Metadata<'a> {
    /// The key.
    pub key: Name<'a>,
    /// The value.
    pub value: MetadataValue<'a>,
}

/// The value of a [`Metadata`] entry.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum MetadataValue<'a> {
    /// Text, as stored.
    Text(Name<'a>),
    /// A whole number.
    Integer(i64),
    /// A real number.
    Real(f64),
    /// Bytes, such as a UUID.
    Bytes(&'a [u8]),
}

impl From<MetadataValue<'_>> for Value {
    fn from(value: MetadataValue<'_>) -> Self {
        match value {
            MetadataValue::Text(text) => text.into(),
            MetadataValue::Integer(number) => number.into(),
            MetadataValue::Real(number) => number.into(),
            MetadataValue::Bytes(bytes) => Self::hex(bytes),
        }
    }
}

impl<'a> Metadata<'a> {
    /// Makes an entry with a key that the format defines.
    pub(crate) const fn new(key: &'a str, value: MetadataValue<'a>) -> Self {
        Self { key: Name::new(key.as_bytes()), value }
    }
}

/// Returns the number of bytes of all files of a mesh.
pub fn bytes_of<F: MeshFile<Data: AsRef<[u8]>>>(file: &F) -> u64 {
    let sources = (0..file.source_count()).filter_map(|source| file.source(source));
    sources.fold(0, |sum, data| sum.saturating_add(as_u64(data.as_ref().len())))
}

/// A point of a mesh where another object is attached, such as a weapon in a hand.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Attachment {
    /// The position of the point, in the same units as the vertex positions from which it was
    /// computed.
    pub position: [f32; 3],
    /// The directions of the x, y and z axes of the attached object, as unit vectors, or `None` if
    /// the mesh defines no directions.
    pub axes: Option<[[f32; 3]; 3]>,
}

/// The materials of a file by the names that surfaces use.
pub(crate) struct MaterialIndex {
    /// Copies of the names, with the indices of the materials in ascending order.
    names: BTreeMap<Vec<u8>, Vec<usize>>,
}

impl MaterialIndex {
    /// Reads the names of all materials of a file.
    pub(crate) fn new(contents: &dyn Contents) -> Result<Self> {
        let mut names = BTreeMap::<Vec<u8>, Vec<usize>>::new();
        for number in 0..contents.material_count()? {
            let material = contents.material(number)?;
            if let Some(name) = material.surface.or(material.name) {
                names.entry(name.to_vec()).or_default().push(number);
            }
        }
        Ok(Self { names })
    }

    /// Returns the index of the first material with the name that a surface uses, or `None` if the
    /// file does not describe it. `materials` are those of the instance that shows the surface.
    pub(crate) fn find(&self, materials: &Range<usize>, name: Name<'_>) -> Option<usize> {
        let numbers = self.names.get(&name.to_vec())?;
        let first = numbers.partition_point(|number| *number < materials.start);
        numbers.get(first).copied().filter(|number| *number < materials.end)
    }
}

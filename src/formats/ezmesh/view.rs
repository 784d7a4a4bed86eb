//! Everything in a file, as a view: lists of what is in it, and each item read when somebody asks for it.

use std::ops::Range;

use super::animation::{Animation, Track};
use super::binary::Reader;
use super::extra::{Collision, Instance, Representation, TetraMesh, Texture, UserBinary, UserData};
use super::markup::tag::Value;
use super::material::Material;
use super::mesh::{Mesh, Section};
use super::outline::Kind;
use super::skeleton::Skeleton;
use super::system::State;
use crate::array::Bounds;
use crate::decode::ByteOrder;
use crate::error::{Field, Result};
use crate::parse::Name;

/// A text file's dialect: what its root element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// `MeshSystem`: since 2009.
    MeshSystem,
    /// A bare `Mesh`, as an older exporter wrote it.
    Mesh,
    /// `SceneGraph`, older still.
    SceneGraph,
}

/// Which form a file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// XML: `.ezm`.
    Text(Dialect),
    /// Fields of fixed size: `.ezb`.
    Binary {
        /// The byte order of its numbers.
        order: ByteOrder,
        /// 100 or 101.
        version: u32,
    },
}

impl Form {
    /// Returns its name: `ezm MeshSystem`, `ezb 101`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Text(Dialect::MeshSystem) => "ezm MeshSystem",
            Self::Text(Dialect::Mesh) => "ezm Mesh",
            Self::Text(Dialect::SceneGraph) => "ezm SceneGraph",
            Self::Binary { version: 100, .. } => "ezb 100",
            Self::Binary { .. } => "ezb 101",
        }
    }
}

/// A file's contents, borrowed from its [`MeshSystem`](super::MeshSystem).
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) state: &'a State,
}

impl<'a> View<'a> {
    pub(super) fn order(&self) -> Option<ByteOrder> {
        match self.state.form {
            Form::Text(_) => None,
            Form::Binary { order, .. } => Some(order),
        }
    }

    pub(super) fn count(&self, kind: Kind) -> usize {
        self.state.outline.count(kind)
    }

    pub(super) fn within(&self, kind: Kind, outer: Kind, index: usize) -> Range<usize> {
        self.state.outline.within(kind, outer, index)
    }

    /// Makes a reader of the binary form.
    pub(super) fn reader(&self, order: ByteOrder, offset: u64, place: Field) -> Result<Reader<'a>> {
        let mut reader = Reader::at(self.bytes, order, offset, self.state.context.access_log())?;
        reader.set_place(place);
        Ok(reader)
    }

    /// Returns the name that the file gives itself.
    ///
    /// # Errors
    ///
    /// Where the owner's bytes are no longer those that were opened.
    pub fn asset_name(&self) -> Result<Name<'a>> {
        match self.root(["asset_name", "name"])? {
            ([Some(name), _] | [None, Some(name)], _) => Ok(name.name()),
            (_, Some(mut reader)) => reader.text("asset_name"),
            _ => Ok(Name::default()),
        }
    }

    /// Returns what the file says of itself: any text.
    ///
    /// # Errors
    ///
    /// As [`asset_name`](Self::asset_name).
    pub fn asset_info(&self) -> Result<Name<'a>> {
        match self.root(["asset_info"])? {
            ([Some(info)], _) => Ok(info.name()),
            (_, Some(mut reader)) => {
                reader.skip_text("asset_name")?;
                reader.text("asset_info")
            }
            _ => Ok(Name::default()),
        }
    }

    /// Returns the versions of the format and of the asset, where the file says them.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`](crate::error::ErrorKind::Value) where one is no number.
    pub fn versions(&self) -> Result<[Option<i64>; 2]> {
        let (values, reader) = self.root(["mesh_system_version", "mesh_system_asset_version"])?;
        if let Some(mut reader) = reader {
            reader.skip_text("asset_name")?;
            reader.skip_text("asset_info")?;
            let system = reader.i32("system_version")?;
            return Ok([Some(system.into()), Some(reader.i32("asset_version")?.into())]);
        }
        let [system, asset] = values;
        let read =
            |value: Option<Value<'a>>, name| value.map(|value| self.integer(value, Field::new(name))).transpose();
        Ok([read(system, "mesh_system_version")?, read(asset, "mesh_system_asset_version")?])
    }

    /// Returns attributes of the root element, or a reader at the fields of the binary form.
    fn root<const N: usize>(&self, names: [&str; N]) -> Result<([Option<Value<'a>>; N], Option<Reader<'a>>)> {
        let start = self.state.outline.root;
        match self.order() {
            Some(order) => Ok(([None; N], Some(self.reader(order, start, Field::new(""))?))),
            None => Ok((self.tag(start)?.values(names), None)),
        }
    }

    /// Returns the box that the file declares around everything. It may be wrong: real files have it ten times too small.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`](crate::error::ErrorKind::Value) where it is not made of six numbers.
    pub fn declared_bounds(&self) -> Result<Option<Bounds>> {
        self.box_at(Kind::SystemBox, 0..self.count(Kind::SystemBox).min(1), Field::new(""))
    }

    /// Reads the first box of some.
    pub(super) fn box_at(&self, kind: Kind, range: Range<usize>, place: Field) -> Result<Option<Bounds>> {
        let Some(start) = range.into_iter().next().and_then(|index| self.state.outline.start(kind, index)) else {
            return Ok(None);
        };
        if let Some(order) = self.order() {
            let mut reader = self.reader(order, start, place)?;
            let [min, max] = [reader.floats("bounds.min")?, reader.floats("bounds.max")?];
            return Ok(Some(Bounds { min, max }));
        }
        let [min, max] = self.tag(start)?.values(["min", "max"]);
        let field = place.named("MeshAABB");
        let corner = |value: Option<Value<'a>>, name: &'static str| match value {
            Some(value) => self.floats::<3>(value, field),
            None => Err(Self::missing(start, field, name)),
        };
        Ok(Some(Bounds { min: corner(min, "min")?, max: corner(max, "max")? }))
    }

    /// Returns the plane that a binary file ends with: its normal and its distance.
    ///
    /// # Errors
    ///
    /// As [`asset_name`](Self::asset_name).
    pub fn plane(&self) -> Result<Option<[f32; 4]>> {
        let Some(order) = self.order() else { return Ok(None) };
        self.reader(order, self.state.outline.plane, Field::new(""))?.floats("plane").map(Some)
    }

    /// Returns all skeletons.
    #[must_use]
    pub fn skeletons(&self) -> impl ExactSizeIterator<Item = Skeleton<'a>> + use<'a> {
        let view = *self;
        (0..self.count(Kind::Skeleton)).map(move |index| Skeleton::new(view, index))
    }

    /// Returns all animations.
    #[must_use]
    pub fn animations(&self) -> impl ExactSizeIterator<Item = Animation<'a>> + use<'a> {
        let view = *self;
        (0..self.count(Kind::Animation)).map(move |index| Animation::new(view, index))
    }

    /// Returns all tracks of all animations.
    pub(super) fn tracks(&self) -> impl ExactSizeIterator<Item = Track<'a>> + use<'a> {
        let view = *self;
        (0..self.count(Kind::Track)).map(move |index| Track::new(view, index))
    }

    /// Returns all materials.
    #[must_use]
    pub fn materials(&self) -> impl ExactSizeIterator<Item = Material<'a>> + use<'a> {
        let view = *self;
        (0..self.count(Kind::Material)).map(move |index| Material::new(view, index))
    }

    /// Returns all meshes.
    #[must_use]
    pub fn meshes(&self) -> impl ExactSizeIterator<Item = Mesh<'a>> + use<'a> {
        let view = *self;
        (0..self.count(Kind::Mesh)).map(move |index| Mesh::new(view, index))
    }

    /// Returns the sections of all meshes.
    #[must_use]
    pub fn sections(&self) -> impl ExactSizeIterator<Item = Section<'a>> + use<'a> {
        let view = *self;
        (0..self.count(Kind::Section)).map(move |index| Section::new(view, index))
    }

    /// Returns all meshes of tetrahedra.
    #[must_use]
    pub fn tetra_meshes(&self) -> impl ExactSizeIterator<Item = TetraMesh<'a>> + use<'a> {
        let view = *self;
        (0..self.count(Kind::Tetra)).map(move |index| TetraMesh::new(view, index))
    }

    /// Returns all instances of meshes.
    #[must_use]
    pub fn instances(&self) -> impl ExactSizeIterator<Item = Instance<'a>> + use<'a> {
        let view = *self;
        (0..self.count(Kind::Instance)).map(move |index| Instance::new(view, index))
    }

    /// Returns what a physics engine collides with, group by group.
    #[must_use]
    pub fn representations(&self) -> impl ExactSizeIterator<Item = Representation<'a>> + use<'a> {
        let view = *self;
        (0..self.count(Kind::Representation)).map(move |index| Representation::new(view, index))
    }

    /// Returns all collision shapes of all groups.
    #[must_use]
    pub fn collisions(&self) -> impl ExactSizeIterator<Item = Collision<'a>> + use<'a> {
        let view = *self;
        (0..self.count(Kind::Collision)).map(move |index| Collision::new(view, index))
    }

    /// Returns the textures in a binary file.
    #[must_use]
    pub fn textures(&self) -> impl ExactSizeIterator<Item = Texture<'a>> + use<'a> {
        let view = *self;
        (0..self.count(Kind::Texture)).map(move |index| Texture::new(view, index))
    }

    /// Returns the pairs of texts that a binary file keeps for its user.
    #[must_use]
    pub fn user_data(&self) -> impl ExactSizeIterator<Item = UserData<'a>> + use<'a> {
        let view = *self;
        (0..self.count(Kind::UserData)).map(move |index| UserData::new(view, index))
    }

    /// Returns the bytes that a binary file keeps for its user.
    #[must_use]
    pub fn user_binary_data(&self) -> impl ExactSizeIterator<Item = UserBinary<'a>> + use<'a> {
        let view = *self;
        (0..self.count(Kind::UserBinary)).map(move |index| UserBinary::new(view, index))
    }
}

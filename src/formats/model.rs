//! Any file: what it is, and its owner.

use std::io::Write;
use std::sync::Arc;

use super::detect::Format;
use crate::error::{Error, ErrorKind, Field, Result};
use crate::formats::{ezmesh, secondlife, unigine, unreal};
use crate::math::as_u64;
use crate::model::Geometry;
use crate::parse::{Finding, Limits, Region, Rule};
use crate::sidecar::{Builder, Sidecar};

/// A mesh of whatever format it turned out to be, over any owner of bytes.
///
/// Most are one file. An Unreal mesh is several, its *sources*: 0 is the data file, 1 the aniv file, 2 the script, where
/// there is one. Such a mesh becomes a model by `into`.
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
    Unigine(Box<unigine::Mesh<D>>),
    /// UNIGINE 2.x `.anim`: a skeleton and what moves it, and no surface.
    UnigineAnimation(Box<unigine::Animation<D>>),
    /// Unreal 1 vertex mesh.
    Unreal(Box<unreal::Mesh<D>>),
    /// Second Life mesh asset. The neutral view is of its highest level of detail; [`secondlife::Detail`] is of any.
    SecondLife(Box<secondlife::Mesh<D>>),
    /// EZ-Mesh. Each section of each mesh is a surface.
    EzMesh(Box<ezmesh::MeshSystem<D>>),
}

impl<D> From<ezmesh::MeshSystem<D>> for Model<D> {
    fn from(system: ezmesh::MeshSystem<D>) -> Self {
        Self::EzMesh(Box::new(system))
    }
}

impl<D> From<unigine::Mesh<D>> for Model<D> {
    fn from(mesh: unigine::Mesh<D>) -> Self {
        Self::Unigine(Box::new(mesh))
    }
}

impl<D> From<unigine::Animation<D>> for Model<D> {
    fn from(animation: unigine::Animation<D>) -> Self {
        Self::UnigineAnimation(Box::new(animation))
    }
}

impl<D> From<unreal::Mesh<D>> for Model<D> {
    fn from(mesh: unreal::Mesh<D>) -> Self {
        Self::Unreal(Box::new(mesh))
    }
}

impl<D> From<secondlife::Mesh<D>> for Model<D> {
    fn from(mesh: secondlife::Mesh<D>) -> Self {
        Self::SecondLife(Box::new(mesh))
    }
}

impl<D: AsRef<[u8]> + Send + Sync> Model<D> {
    /// Tells the format, and reads the header.
    ///
    /// # Errors
    ///
    /// As [`Format::detect`], and as the format's `open`.
    pub fn open(data: D) -> Result<Self> {
        match Format::detect(data.as_ref())? {
            Format::SecondLife => secondlife::Mesh::open(data).map(Self::from),
            Format::EzMesh => ezmesh::MeshSystem::open(data).map(Self::from),
            _ if unigine::magic::is_animation(data.as_ref()) => unigine::Animation::open(data).map(Self::from),
            _ => unigine::Mesh::open(data).map(Self::from),
        }
    }

    /// Tells the format, reads the header under limits of your own, and records from then on which bytes are looked at.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    pub fn watched(data: D, limits: &Limits) -> Result<Self> {
        match Format::detect(data.as_ref())? {
            Format::SecondLife => {
                let options = secondlife::Options { watched: true, limits: *limits, ..Default::default() };
                secondlife::Mesh::open_with(data, &options).map(Self::from)
            }
            Format::EzMesh => {
                let options = ezmesh::Options { watched: true, limits: *limits, ..Default::default() };
                ezmesh::MeshSystem::open_with(data, &options).map(Self::from)
            }
            _ if unigine::magic::is_animation(data.as_ref()) => {
                unigine::Animation::watched(data, limits).map(Self::from)
            }
            _ => unigine::Mesh::watched(data, limits).map(Self::from),
        }
    }

    /// Takes a sidecar, so that what would be found by a walk is found without. One that speaks for another file is passed
    /// over, and so is any for a format that needs none: Unreal's and Second Life's meshes. Its trees are for
    /// [`query::Scene::indexed`](crate::query::Scene::indexed).
    #[must_use]
    pub fn with_sidecar(self, sidecar: Arc<Sidecar>) -> Self {
        match self {
            Self::Unigine(mesh) => mesh.with_sidecar(sidecar).into(),
            Self::UnigineAnimation(animation) => animation.with_sidecar(sidecar).into(),
            Self::EzMesh(system) => system.with_sidecar(sidecar).into(),
            other => other,
        }
    }

    /// Adds to a sidecar what finding things again would cost a walk; nothing where nothing does. Trees are added as it is
    /// written: see [`query::write_sidecar`](crate::bvh::persist::write_sidecar).
    ///
    /// # Errors
    ///
    /// The first fault on the way, by field and offset; [`ErrorKind::OutOfMemory`](crate::error::ErrorKind::OutOfMemory).
    pub fn index(&self, builder: &mut Builder) -> Result<()> {
        match self {
            Self::Unigine(mesh) => mesh.index(builder),
            Self::UnigineAnimation(animation) => animation.index(builder),
            Self::EzMesh(system) => system.index(builder),
            _ => Ok(()),
        }
    }

    /// Returns the neutral view.
    #[must_use]
    pub fn geometry(&self) -> &dyn Geometry {
        match self {
            Self::Unigine(mesh) => &**mesh,
            Self::UnigineAnimation(animation) => &**animation,
            Self::Unreal(mesh) => &**mesh,
            Self::SecondLife(mesh) => &**mesh,
            Self::EzMesh(system) => &**system,
        }
    }

    /// Returns the owners of the bytes, one for each source.
    pub fn sources(&self) -> impl Iterator<Item = &D> {
        let sources = match self {
            Self::Unigine(mesh) => [Some(mesh.data()), None, None],
            Self::UnigineAnimation(animation) => [Some(animation.data()), None, None],
            Self::SecondLife(mesh) => [Some(mesh.data()), None, None],
            Self::EzMesh(system) => [Some(system.data()), None, None],
            Self::Unreal(mesh) => {
                [Some(mesh.data()), Some(mesh.aniv()), mesh.whole_script().map(unreal::uc::Script::data)]
            }
        };
        sources.into_iter().flatten()
    }

    /// Returns how many distinct bytes of all sources were looked at so far, of a model opened by
    /// [`watched`](Self::watched).
    #[must_use]
    pub fn touched_bytes(&self) -> Option<u64> {
        match self {
            Self::Unigine(mesh) => mesh.touched().map(crate::parse::AccessLog::bytes),
            Self::UnigineAnimation(animation) => animation.touched().map(crate::parse::AccessLog::bytes),
            Self::Unreal(mesh) => mesh.touched_bytes(),
            Self::SecondLife(mesh) => mesh.touched().map(crate::parse::AccessLog::bytes),
            Self::EzMesh(system) => system.touched().map(crate::parse::AccessLog::bytes),
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
            Self::UnigineAnimation(animation) => animation.check(),
            Self::Unreal(mesh) => mesh.check(),
            Self::SecondLife(mesh) => mesh.check(),
            Self::EzMesh(system) => system.check(),
        }
    }

    /// Names every byte of a source, in file order and without gaps.
    ///
    /// # Errors
    ///
    /// The first fault; the regions before it have been handed out then. [`ErrorKind::NoSuch`] where there is no such
    /// source.
    pub fn regions(&self, source: usize, see: &mut dyn FnMut(Region)) -> Result<()> {
        match (self, source) {
            (Self::Unigine(mesh), 0) => mesh.regions(see),
            (Self::UnigineAnimation(animation), 0) => animation.regions(see),
            (Self::SecondLife(mesh), 0) => mesh.regions(see),
            (Self::EzMesh(system), 0) => system.regions(see),
            (Self::Unreal(mesh), 0) => mesh.data_regions(see),
            (Self::Unreal(mesh), 1) => mesh.aniv_regions(see),
            (_, source) => self.script(source)?.regions(see),
        }
    }

    /// Returns the script of a mesh that has one as its third source.
    fn script(&self, source: usize) -> Result<&unreal::uc::Script<D>> {
        let script = match self {
            Self::Unreal(mesh) if source == 2 => mesh.whole_script(),
            _ => None,
        };
        script.ok_or_else(|| {
            let kind = ErrorKind::NoSuch { count: as_u64(self.sources().count()), index: as_u64(source) };
            Error::without_offset(self.geometry().format(), Field::new("source"), kind)
        })
    }

    /// Reports what the structure alone shows: counts, names, parents; no vertex is looked at.
    ///
    /// # Errors
    ///
    /// The fault that keeps the rest from being read; what was found before it has been reported.
    pub fn survey(&self, report: &mut dyn FnMut(Finding)) -> Result<()> {
        match self {
            Self::Unigine(mesh) => mesh.survey(report),
            Self::UnigineAnimation(animation) => animation.survey(report),
            Self::SecondLife(mesh) => mesh.survey(report),
            Self::EzMesh(system) => system.survey(report),
            Self::Unreal(mesh) => {
                mesh.survey(report)?;
                validate_script(mesh, report);
                Ok(())
            }
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
            Self::UnigineAnimation(animation) => animation.validate(report),
            Self::SecondLife(mesh) => mesh.validate(report),
            Self::EzMesh(system) => system.validate(report),
            Self::Unreal(mesh) => {
                mesh.validate(report)?;
                validate_script(mesh, report);
                Ok(())
            }
        }
    }

    /// Returns the rules that `validate` knows for the format.
    #[must_use]
    pub const fn rules(&self) -> &'static [Rule] {
        match self {
            Self::Unigine(_) | Self::UnigineAnimation(_) => unigine::RULES,
            Self::Unreal(_) => unreal::RULES,
            Self::SecondLife(_) => secondlife::RULES,
            Self::EzMesh(_) => ezmesh::RULES,
        }
    }

    /// Writes a source again through the format's writer; a sound binary file comes out byte for byte.
    ///
    /// # Errors
    ///
    /// The file's first fault, or what the output refuses; [`ErrorKind::NoSuch`] where there is no such source.
    pub fn write_to(&self, source: usize, out: &mut dyn Write) -> Result<()> {
        match (self, source) {
            (Self::Unigine(mesh), 0) => mesh.write_to(out),
            (Self::UnigineAnimation(animation), 0) => animation.write_to(out),
            (Self::SecondLife(mesh), 0) => mesh.write_to(out),
            (Self::EzMesh(system), 0) => system.write_to(out),
            (Self::Unreal(mesh), 0) => mesh.write_data(out),
            (Self::Unreal(mesh), 1) => mesh.write_aniv(out),
            (_, source) => self.script(source)?.write_to(out),
        }
    }
}

/// Reports what is wrong with the script of a mesh that has one.
fn validate_script<D: AsRef<[u8]>>(mesh: &unreal::Mesh<D>, report: &mut dyn FnMut(Finding)) {
    if let Some(script) = mesh.whole_script() {
        script.validate(&mut |finding| report(Finding { source: 2, ..finding }));
    }
}

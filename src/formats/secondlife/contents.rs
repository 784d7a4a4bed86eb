//! Implements the format-independent traits [`Contents`] and [`Asset`]: assets and instances of a
//! container, levels of detail, materials and collision shapes.

use super::container::Instance as StoredInstance;
use super::file::Mesh;
use super::geometry::{LevelGeometry, no_such};
use super::layout::{AssetPart, FORMAT};
use super::llsd::{LlsdMap, LlsdValue};
use super::matrix::affine;
use crate::array::Packed;
use crate::decode::MinMax16;
use crate::error::{Cause, Error, Field, Result};
use crate::math::{as_u64, narrow};
use crate::model::Lod;
use crate::model::animation::{Affine, Animations};
use crate::model::contents::bytes_of;
use crate::model::{
    Asset, Contents, Geometry, Hull, HullKind, Instance, LevelStorage, Material, MaybeOwned, Metadata, MetadataValue,
    PositionEncoding, Positions, Texture, TextureRole,
};
use crate::parse::Name;

impl<D: AsRef<[u8]> + Send + Sync> Contents for Mesh<D> {
    fn file_bytes(&self) -> u64 {
        bytes_of(self)
    }

    fn asset_count(&self) -> Result<usize> {
        Ok(Self::asset_count(self))
    }

    fn level_storage(&self) -> LevelStorage {
        LevelStorage::Separate
    }

    /// Opens an asset of the file. The asset that the file was opened with is borrowed. The
    /// inflated blocks of every other asset are freed with it.
    fn asset(&self, asset: usize) -> Result<MaybeOwned<'_, dyn Asset + '_>> {
        if self.container().is_none() || asset == self.options().asset {
            let count = Self::asset_count(self);
            return if asset < count { Ok(MaybeOwned::Borrowed(self)) } else { Err(no_such("asset", count, asset)) };
        }
        let opened = self.asset_mesh(asset)?;
        opened.header()?;
        Ok(MaybeOwned::Owned(Box::new(opened)))
    }

    /// Returns the number of instances of the container. A file without instances has one instance
    /// of each asset.
    fn instance_count(&self) -> Result<usize> {
        match self.view().indexed_container()?.map(|container| container.instance_count()) {
            None | Some(0) => Ok(Self::asset_count(self)),
            Some(count) => Ok(count),
        }
    }

    fn instance(&self, instance: usize) -> Result<Instance<'_>> {
        let (count, container) = (self.instance_count()?, self.view().indexed_container()?);
        let Some(container) = container.filter(|container| container.instance_count() > 0) else {
            return if instance < count {
                Ok(Instance { asset: instance, materials: 0..self.material_count()?, ..Instance::default() })
            } else {
                Err(no_such("instance", count, instance))
            };
        };
        let found = container.instance(instance);
        let (stored, materials) = found.ok_or_else(|| no_such("instance", count, instance))?;
        Ok(Instance {
            name: stored.label().map(|label| label.name()),
            asset: asset_of(&stored, Self::asset_count(self), instance)?,
            surfaces: None,
            transform: transform_of(&stored, instance)?,
            materials,
        })
    }

    /// Returns the number of materials: those of all instances of a container, or the material
    /// names of an asset.
    fn material_count(&self) -> Result<usize> {
        match self.view().indexed_container()? {
            Some(container) => Ok(container.material_count()),
            None => Ok(self.view().materials()?.len()),
        }
    }

    fn material(&self, material: usize) -> Result<Material<'_>> {
        let view = self.view();
        let found = match view.indexed_container()? {
            Some(container) => container.material(material).map(read_material),
            None => (material < view.materials()?.len())
                .then(|| Material { name: view.material(material), ..Material::default() }),
        };
        match found {
            Some(material) => Ok(material),
            None => Err(no_such("material", self.material_count()?, material)),
        }
    }

    /// Visits the name and version of a container, or the version, creator and date of an asset.
    fn metadata(&self, visit: &mut dyn FnMut(Metadata<'_>)) -> Result<()> {
        let mut see = |key, value: Option<MetadataValue<'_>>| {
            if let Some(value) = value {
                visit(Metadata::new(key, value));
            }
        };
        if let Some(container) = self.container() {
            see("name", container.name().map(|name| MetadataValue::Text(name.name())));
            see("version", container.version().map(|version| MetadataValue::Integer(version.into())));
            return Ok(());
        }
        let header = self.header()?;
        see("version", header.version().map(|version| MetadataValue::Integer(version.into())));
        see("creator", header.creator().map(|creator| MetadataValue::Bytes(creator)));
        see("date", header.date().map(MetadataValue::Real));
        see("submodel_id", header.submodel_id().map(|id| MetadataValue::Integer(id.into())));
        Ok(())
    }
}

impl<D: AsRef<[u8]> + Send + Sync> Asset for Mesh<D> {
    fn level_count(&self) -> Result<usize> {
        Ok(self.header()?.lods().count())
    }

    /// Returns the key of the level of detail in the header, such as `high_lod`.
    fn level_name(&self, level: usize) -> Result<Option<Name<'_>>> {
        Ok(Some(Name::new(part_of(self, level)?.key().as_bytes())))
    }

    fn level_number(&self, level: usize) -> Result<Option<u32>> {
        Ok(part_of(self, level)?.lod().map(Lod::number))
    }

    fn level(&self, level: usize) -> Result<MaybeOwned<'_, dyn Geometry + '_>> {
        let level = LevelGeometry::new(self.view(), part_of(self, level)?);
        level.level()?;
        Ok(MaybeOwned::Owned(Box::new(level)))
    }

    fn check_level(&self, level: usize) -> Result<()> {
        self.view().block(part_of(self, level)?)?.map_or(Ok(()), |block| block.level()?.check())
    }

    fn animations(&self) -> &dyn Animations {
        self
    }

    /// Returns the number of convex hulls. The bounding hull, if any, is the last of them.
    fn hull_count(&self) -> Result<usize> {
        let Some(convex) = self.convex()? else { return Ok(0) };
        let sizes = convex.hull_sizes()?.unwrap_or_default();
        Ok(sizes.len().saturating_add(usize::from(convex.bounding_points()?.is_some())))
    }

    fn hull(&self, hull: usize) -> Result<Hull<'_>> {
        let missing = |count| Err(no_such("hull", count, hull));
        let Some(convex) = self.convex()? else { return missing(0) };
        if let Some(points) = convex.hull(hull)? {
            return Ok(shape(HullKind::Convex, points));
        }
        let count = convex.hull_sizes()?.unwrap_or_default().len();
        match convex.bounding_points()?.filter(|_| hull == count) {
            Some(points) => Ok(shape(HullKind::Bounding, points)),
            None => missing(Asset::hull_count(self)?),
        }
    }

    fn inflated_bytes(&self) -> u64 {
        self.view().inflated_bytes()
    }

    fn collision_mesh(&self) -> Result<Option<MaybeOwned<'_, dyn Geometry + '_>>> {
        let Some(level) = self.physics_mesh()? else { return Ok(None) };
        Ok(Some(MaybeOwned::Owned(Box::new(LevelGeometry::new(self.view(), level.part())))))
    }
}

/// Returns the header key of a level of detail. Level 0 is the highest level that the asset has.
fn part_of<D: AsRef<[u8]> + Send + Sync>(mesh: &Mesh<D>, level: usize) -> Result<AssetPart> {
    let header = mesh.header()?;
    let part = header.lods().nth(level).map(Lod::part);
    part.ok_or_else(|| no_such("level", header.lods().count(), level))
}

const fn shape(kind: HullKind, points: Packed<'_, MinMax16<3>>) -> Hull<'_> {
    let (points, transform) = (Some(Positions(PositionEncoding::MinMax16(points))), Affine::IDENTITY);
    Hull { name: None, kind, points, triangles: None, transform }
}

/// Returns the asset that an instance shows.
fn asset_of(instance: &StoredInstance<'_>, count: usize, index: usize) -> Result<usize> {
    let stored = instance.mesh_id();
    let asset = stored.and_then(|id| usize::try_from(id).ok()).filter(|asset| *asset < count);
    asset.ok_or_else(|| {
        let found = stored.map_or_else(|| "none".to_owned(), |id| id.to_string());
        fault(instance, "mesh_id", index, format!("the index of an asset, below {count}"), found)
    })
}

/// Returns the transform of an instance, or the identity if the file stores none.
fn transform_of(instance: &StoredInstance<'_>, index: usize) -> Result<Affine> {
    if instance.map().get("transform").is_none() {
        return Ok(Affine::IDENTITY);
    }
    let matrix = instance.transform();
    let matrix =
        matrix.ok_or_else(|| fault(instance, "transform", index, "16 numbers".into(), "another value".into()))?;
    Ok(affine(&matrix))
}

fn fault(instance: &StoredInstance<'_>, name: &'static str, index: usize, expected: String, found: String) -> Error {
    let field = Field::new(name).in_list("instance", as_u64(index));
    let kind = Cause::value(expected, found);
    match instance.map().get(name) {
        Some(entry) => Error::new(FORMAT, field, as_u64(entry.at), kind),
        None => Error::without_offset(FORMAT, field, kind),
    }
}

/// Returns the text under a key, or `None` if the value is not a text or is empty.
fn text<'a>(map: LlsdMap<'a>, key: &str) -> Option<Name<'a>> {
    map.get(key)?.value.string()?.name().non_empty()
}

/// Reads a material of a container. A value that is not a map is a material without facts.
fn read_material(value: LlsdValue<'_>) -> Material<'_> {
    let Some(map) = value.map() else { return Material::default() };
    let diffuse = map.get("diffuse").and_then(|entry| entry.value.map());
    let mut material = Material { surface: text(map, "binding"), ..Material::default() };
    if let Some(LlsdValue::Boolean(unlit)) = map.get("fullbright").map(|entry| entry.value) {
        material.unlit = Some(unlit);
    }
    let Some(diffuse) = diffuse else { return material };
    material.name = text(diffuse, "label");
    let color = diffuse.get("color").and_then(|entry| entry.value.array()).and_then(|list| list.numbers::<4>());
    material.color = color.map(|color| color.map(narrow));
    let file = text(diffuse, "filename");
    material.textures.extend(file.map(|file| Texture { role: TextureRole::Color, name: file, file: Some(file) }));
    material
}

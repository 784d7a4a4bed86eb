//! Implements the format-independent traits [`Contents`] and [`Asset`]: instances, materials,
//! collision shapes and metadata.

use super::element_index::ElementKind;
use super::elements::{Collision, Instance as StoredInstance, Material as StoredMaterial, MeshElement};
use super::file::Mesh;
use super::layout::{FORMAT, Semantic};
use crate::error::{Cause, Error, Result, expect_only, no_such};
use crate::model::animation::{Affine, Animations};
use crate::model::contents::bytes_of;
use crate::model::{
    Asset, Contents, Geometry, Hull, HullKind, Instance, Material, MaybeOwned, Metadata, MetadataValue, Positions,
};
use crate::parse::Name;

impl<D: AsRef<[u8]> + Send + Sync> Contents for Mesh<D> {
    fn file_bytes(&self) -> u64 {
        bytes_of(self)
    }

    fn asset(&self, asset: usize) -> Result<MaybeOwned<'_, dyn Asset + '_>> {
        expect_only(FORMAT, "asset", asset)?;
        Ok(MaybeOwned::Borrowed(self))
    }

    /// Returns the number of instances. A file without instances has one instance of all meshes.
    fn instance_count(&self) -> Result<usize> {
        Ok(self.view().instances().len().max(1))
    }

    /// Returns an instance of one mesh: the surfaces of the first mesh with the name that the
    /// instance refers to.
    fn instance(&self, instance: usize) -> Result<Instance<'_>> {
        let (view, count) = (self.view(), Contents::instance_count(self)?);
        if instance >= count {
            return Err(no_such(FORMAT, "instance", count, instance));
        }
        let materials = 0..view.materials().len();
        if view.instances().len() == 0 {
            return Ok(Instance { materials, ..Instance::default() });
        }
        let stored = StoredInstance::new(view, instance);
        let name = stored.mesh_name()?;
        let mesh = view.find(ElementKind::Mesh, name).map(|mesh| MeshElement::new(view, mesh));
        let mesh = mesh.ok_or_else(|| unknown_mesh(&stored, name))?;
        Ok(Instance {
            name: Some(name),
            asset: 0,
            surfaces: Some(MeshElement::section_range(&mesh)),
            transform: Affine::from(&stored.transform()?),
            materials,
        })
    }

    fn material_count(&self) -> Result<usize> {
        Ok(self.view().materials().len())
    }

    fn material(&self, material: usize) -> Result<Material<'_>> {
        let stored = StoredMaterial::new(self.view_of(ElementKind::Material, "material", material)?, material);
        Ok(Material { name: Some(stored.name()?), text: stored.meta_data()?.non_empty(), ..Material::default() })
    }

    /// Visits the name, the description and the versions of the file, and its user data.
    fn metadata(&self, visit: &mut dyn FnMut(Metadata<'_>)) -> Result<()> {
        let view = self.view();
        for (key, text) in [("asset_name", view.asset_name()?), ("asset_info", view.asset_info()?)] {
            if let Some(text) = text.non_empty() {
                visit(Metadata::new(key, MetadataValue::Text(text)));
            }
        }
        for (key, version) in ["system_version", "asset_version"].into_iter().zip(view.versions()?) {
            if let Some(version) = version {
                visit(Metadata::new(key, MetadataValue::Integer(version)));
            }
        }
        for pair in view.user_data() {
            let [key, value] = pair.pair()?;
            visit(Metadata { key, value: MetadataValue::Text(value) });
        }
        for data in view.user_binary_data() {
            let (key, bytes) = data.content()?;
            visit(Metadata { key, value: MetadataValue::Bytes(bytes) });
        }
        Ok(())
    }
}

impl<D: AsRef<[u8]> + Send + Sync> Asset for Mesh<D> {
    fn level(&self, level: usize) -> Result<MaybeOwned<'_, dyn Geometry + '_>> {
        expect_only(FORMAT, "level", level)?;
        Ok(MaybeOwned::Borrowed(self))
    }

    fn animations(&self) -> &dyn Animations {
        self
    }

    fn hull_count(&self) -> Result<usize> {
        Ok(self.view().collisions().len())
    }

    fn hull(&self, hull: usize) -> Result<Hull<'_>> {
        let stored = Collision::new(self.view_of(ElementKind::Collision, "hull", hull)?, hull);
        Ok(Hull {
            name: stored.name()?.non_empty(),
            kind: kind_of(stored.kind()?),
            points: points_of(&stored)?,
            triangles: stored.hull_triangles()?.map(|triangles| triangles.indices()).transpose()?,
            transform: stored.transform()?.map_or(Affine::IDENTITY, |matrix| affine(&matrix)),
        })
    }
}

fn kind_of(kind: Name<'_>) -> HullKind {
    match kind.as_bytes() {
        b"BOX" => HullKind::Box,
        b"SPHERE" => HullKind::Sphere,
        b"CAPSULE" => HullKind::Capsule,
        b"CONVEX" => HullKind::Convex,
        _ => HullKind::Unknown,
    }
}

fn points_of<'a>(collision: &Collision<'a>) -> Result<Option<Positions<'a>>> {
    match collision.hull_points()? {
        Some(buffer) if buffer.format().column(Semantic::Position).is_some() => Ok(buffer.vertices()?.positions()),
        _ => Ok(None),
    }
}

/// Converts the sixteen numbers of a collision shape, whose last four numbers are the image of the
/// origin.
fn affine(matrix: &[f32; 16]) -> Affine {
    let rows = matrix.as_chunks::<4>().0;
    Affine::new(std::array::from_fn(|row| rows.get(row).map_or([0.0; 3], |[x, y, z, _]| [*x, *y, *z].map(f64::from))))
}

fn unknown_mesh(instance: &StoredInstance<'_>, name: Name<'_>) -> Error {
    let (field, offset) = instance.element.located();
    Error::new(FORMAT, field.named("mesh"), offset, Cause::value("the name of a mesh", format!("`{name}`")))
}

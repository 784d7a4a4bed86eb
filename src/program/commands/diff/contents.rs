//! Compares the assets of two files, and what the files contain besides them.

use super::both::Both;
use super::comparison::MeshComparison;
use super::difference::DiffPlace;
use super::options::DiffKind;
use super::pairing::Pairing;
use super::value::DiffValue;
use crate::math::narrow;
use crate::model::{Asset, Contents, Geometry, Hull, LevelStorage, Material, MetadataValue};
use crate::program::formats::LodFilter;
use crate::program::formats::level_args::LodFilter::All;
use crate::program::outcome::usage;
use crate::{Name, Result};

impl MeshComparison<'_, '_> {
    /// Compares all assets of the files, and the instances, materials and metadata.
    pub fn compare_contents(&mut self, place: &DiffPlace<'_>) -> anyhow::Result<()> {
        let contents = self.sides.map(|side| side.asset.model.contents());
        self.check_level_options(contents)?;
        let counts = self.read(contents, Contents::asset_count)?;
        if let Some(asset) = self.options().asset {
            return self.compare_asset(place, contents, asset);
        }
        self.compare_counts(place, "assets", "assets", counts)?;
        let are_many = counts.a.max(counts.b) > 1;
        for asset in 0..counts.a.min(counts.b) {
            let indices = Both::new(asset, asset);
            let place = if are_many { place.item("asset", indices, &[]) } else { *place };
            self.compare_asset(&place, contents, asset)?;
        }
        if self.sides.have_same_format() && !self.sink.is_decided() {
            self.compare_instances(place, contents)?;
            self.compare_materials(place, contents)?;
            if !contents.a.metadata_is_derived() && !contents.b.metadata_is_derived() {
                self.compare_metadata(place, contents)?;
            }
        }
        Ok(())
    }

    /// Returns an error if the options choose a level or an asset, and neither file can have
    /// several.
    fn check_level_options(&self, contents: Both<&dyn Contents>) -> anyhow::Result<()> {
        let Both { a, b } = contents.map(|contents| contents.level_storage() == LevelStorage::Separate);
        let option = match (self.options().lod, self.options().asset) {
            _ if a || b => return Ok(()),
            (LodFilter::One(_), _) => "--lod",
            (_, Some(_)) => "--asset",
            _ => return Ok(()),
        };
        usage!("{option}: applies to Second Life meshes only; leave it out")
    }

    fn compare_asset(
        &mut self,
        place: &DiffPlace<'_>,
        contents: Both<&dyn Contents>,
        asset: usize,
    ) -> anyhow::Result<()> {
        if self.sink.is_decided() {
            return Ok(());
        }
        // The only asset of a file is compared with the chosen asset of a container.
        let counts = self.read(contents, Contents::asset_count)?;
        let is_single = |count: usize, other: usize| count == 1 && other > 1;
        let asset = Both {
            a: if is_single(counts.a, counts.b) { 0 } else { asset },
            b: if is_single(counts.b, counts.a) { 0 } else { asset },
        };
        let assets = self.read(contents.zip(asset), |(contents, asset)| contents.asset(asset))?;
        let assets: Both<&(dyn Asset + '_)> = Both { a: &*assets.a, b: &*assets.b };
        self.compare_animations(place, assets.map(Asset::animations))?;
        self.compare_levels(place, contents, assets)?;
        if self.options().lod == All && !self.sink.is_decided() {
            self.compare_collision(place, assets)?;
        }
        Ok(())
    }

    /// Compares the collision shapes of two assets: the hulls and the triangles.
    fn compare_collision(&mut self, place: &DiffPlace<'_>, assets: Both<&(dyn Asset + '_)>) -> anyhow::Result<()> {
        let meshes = self.read(assets, |asset| asset.collision_mesh())?;
        let present = meshes.as_ref().map(|mesh| usize::from(mesh.is_some()));
        self.compare_counts(place, "physics", "collision meshes", present)?;
        if let Some(meshes) = meshes.all() {
            let levels: Both<&dyn Geometry> = Both { a: &*meshes.a, b: &*meshes.b };
            self.compare_surfaces(&place.part("physics", "physics"), levels)?;
        }
        let counts = self.read(assets, Asset::hull_count)?;
        self.compare_counts(place, "hulls", "collision hulls", counts)?;
        for index in 0..counts.a.min(counts.b) {
            let hulls = self.read(assets, |asset| asset.hull(index))?;
            let place = place.item("hull", Both::new(index, index), &[]);
            self.compare_hulls(&place, &hulls)?;
        }
        Ok(())
    }

    fn compare_hulls(&mut self, place: &DiffPlace<'_>, hulls: &Both<Hull<'_>>) -> anyhow::Result<()> {
        let hulls = hulls.as_ref();
        self.sink.compare_names(place, "name", hulls.map(|hull| hull.name))?;
        let kind = |kind| DiffValue::Text(format!("{kind:?}"));
        self.sink.compare_as(DiffKind::Names, &place.part("kind", "kind"), hulls.map(|hull| hull.kind), kind)?;
        let points = hulls.map(|hull| hull.points);
        let triangles = hulls.map(|hull| hull.triangles);
        let counts = points.map(|points| points.map_or(0, |points| crate::Array::len(&points)));
        self.compare_counts(place, "points", "points", counts)?;
        let counts = triangles.map(|triangles| triangles.map_or(0, |triangles| crate::Array::len(&triangles)));
        self.compare_counts(place, "corners", "triangle corners", counts)?;
        if self.options().wants(DiffKind::Attributes) {
            if let Some(points) = points.all() {
                self.compare_items(DiffKind::Attributes, &place.part("points", "points"), points, None)?;
            }
            if let Some(triangles) = triangles.all() {
                self.compare_items(DiffKind::Attributes, &place.part("triangles", "triangles"), triangles, None)?;
            }
        }
        let (place, transforms) = (place.part("transform", "transform"), hulls.map(|hull| &hull.transform));
        Ok(self.sink.compare_matrices(DiffKind::Attributes, &place, transforms)?)
    }

    fn compare_instances(&mut self, place: &DiffPlace<'_>, contents: Both<&dyn Contents>) -> anyhow::Result<()> {
        let counts = self.read(contents, Contents::instance_count)?;
        self.compare_counts(place, "instances", "instances", counts)?;
        for index in 0..counts.a.min(counts.b) {
            let instances = self.read(contents, |contents| contents.instance(index))?;
            let place = place.item("instance", Both::new(index, index), &[]);
            let (names, assets) = (instances.as_ref().map(|one| one.name), instances.as_ref().map(|one| one.asset));
            self.sink.compare_names(&place, "name", names)?;
            self.sink.compare_as(DiffKind::Names, &place.part("asset", "asset"), assets, DiffValue::count)?;
            let (place, instances) = (place.part("transform", "transform"), instances.as_ref());
            self.sink.compare_matrices(DiffKind::Attributes, &place, instances.map(|one| &one.transform))?;
        }
        Ok(())
    }

    fn compare_materials(&mut self, place: &DiffPlace<'_>, contents: Both<&dyn Contents>) -> anyhow::Result<()> {
        let counts = self.read(contents, Contents::material_count)?;
        self.compare_counts(place, "materials", "materials", counts)?;
        for index in 0..counts.a.min(counts.b) {
            let materials = self.read(contents, |contents| contents.material(index))?;
            let place = place.item("material", Both::new(index, index), &[]);
            let parts = materials.as_ref().map(material_parts);
            for (name, values) in
                ["name", "surface", "textures", "color", "flags", "text"].into_iter().zip(paired(parts))
            {
                self.sink.compare(DiffKind::Names, &place.part(name, name), values)?;
            }
        }
        Ok(())
    }

    /// Compares the metadata of two files. Entries are paired by key.
    fn compare_metadata(&mut self, place: &DiffPlace<'_>, contents: Both<&dyn Contents>) -> anyhow::Result<()> {
        let entries = self.read(contents, metadata)?;
        let keys = entries.as_ref().map(|entries| entries.iter().map(|(key, _)| key.clone()).collect());
        let pairing = Pairing::of_names(keys);
        for pair in &pairing.pairs {
            let (Some((key, a)), Some((other, b))) = (entries.a.get(pair.a), entries.b.get(pair.b)) else { continue };
            let place = place.item("metadata", *pair, key);
            let keys = Both::new(key, other).map(|key| DiffValue::name(Some(Name::new(key))));
            self.sink.compare(DiffKind::Names, &place.part("key", "key"), keys)?;
            self.sink.compare(DiffKind::Names, &place.part("value", "value"), Both::new(a.clone(), b.clone()))?;
        }
        Ok(self.add_unpaired(place, "metadata", &pairing)?)
    }
}

/// Turns two lists of values into a list of pairs.
fn paired<const N: usize>(lists: Both<[DiffValue; N]>) -> [Both<DiffValue>; N] {
    let mut others = lists.b.into_iter();
    lists.a.map(|a| Both { a, b: others.next().unwrap_or(DiffValue::Missing) })
}

fn material_parts(material: &Material<'_>) -> [DiffValue; 6] {
    let Material { name, surface, textures, color, unlit, masked, text } = material;
    let texture = |texture: &crate::model::Texture<'_>| {
        let file = texture.file.map(|file| format!(" ({})", file.to_string_lossy())).unwrap_or_default();
        format!("{:?} {}{file}", texture.role, texture.name.to_string_lossy())
    };
    let textures: Vec<String> = textures.iter().map(texture).collect();
    let flag = |flag: &Option<bool>| flag.map_or("unknown", |flag| if flag { "yes" } else { "no" });
    [
        DiffValue::name(*name),
        DiffValue::name(*surface),
        DiffValue::Text(textures.join(", ")),
        color.map_or(DiffValue::Missing, |color| DiffValue::Floats(color.to_vec())),
        DiffValue::Text(format!("unlit {}, masked {}", flag(unlit), flag(masked))),
        DiffValue::name(*text),
    ]
}

/// Returns the keys and the values of the metadata of a file.
fn metadata(contents: &dyn Contents) -> Result<Vec<(Vec<u8>, DiffValue)>> {
    let mut entries = Vec::new();
    contents.metadata(&mut |entry| {
        let value = match entry.value {
            MetadataValue::Text(text) => DiffValue::Text(text.to_string_lossy()),
            MetadataValue::Integer(integer) => DiffValue::Integer(integer),
            MetadataValue::Real(real) => DiffValue::Float(narrow(real)),
            MetadataValue::Bytes(bytes) => DiffValue::Bytes(bytes.to_vec()),
        };
        entries.push((entry.key.to_vec(), value));
    })?;
    Ok(entries)
}

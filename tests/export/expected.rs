//! The values that an export must have, decoded directly from the mesh.

use meshpeek::model::animation::Affine;
use meshpeek::model::{Asset, Axis, Contents, Handedness, Space, SpaceConversion, Winding};
use meshpeek::{Array, Corner, Geometry, Surface};

/// A surface at a place, with converted values.
pub struct ExpectedSurface {
    pub name: String,
    pub material: Option<String>,
    pub positions: Vec<[f32; 3]>,
    pub normals: Vec<[f32; 3]>,
    pub uvs: Vec<[f32; 2]>,
    pub colors: Vec<[f32; 4]>,
    pub triangles: Vec<[Corner; 3]>,
    pub is_single_stream: bool,
}

/// Returns the conventions of a mesh that defines none.
pub fn assumed() -> Space {
    let space = Space { up: Some(Axis::Y), handedness: Some(Handedness::Right), ..Space::UNKNOWN };
    Space { winding: Some(Winding::CounterClockwise), ..space }
}

/// Returns whether the joints of an asset place it, because the file stores their bind matrices.
pub fn is_bound(asset: &dyn Asset) -> bool {
    let animations = asset.animations();
    animations.bone_count().unwrap() > 0 && animations.inverse_bind(0).unwrap().is_some()
}

/// Returns the map from stored to placed positions at an instance with the given transform.
pub fn placement(asset: &dyn Asset, geometry: &dyn Geometry, transform: Affine) -> Affine {
    if is_bound(asset) { geometry.space().placement } else { transform }
}

/// Decodes all visible surfaces at all places, in level 0.
pub fn decode(contents: &dyn Contents, target: &Space) -> Vec<ExpectedSurface> {
    let mut all = Vec::new();
    for instance in 0..contents.instance_count().unwrap() {
        let instance = contents.instance(instance).unwrap();
        let asset = contents.asset(instance.asset).unwrap();
        let geometry = asset.level(0).unwrap();
        let placement = placement(&*asset, &*geometry, instance.transform);
        let space = geometry.space().or(&assumed()).placed(placement);
        let conversion = space.conversion_to(target).unwrap();
        let count = geometry.surface_count().unwrap();
        for surface in instance.surfaces.clone().unwrap_or(0..count) {
            let surface = Surface::new(&*geometry, surface).unwrap();
            if surface.is_drawn().unwrap() {
                all.push(decode_surface(&surface, &conversion));
            }
        }
    }
    all
}

fn decode_surface(surface: &Surface<'_>, conversion: &SpaceConversion) -> ExpectedSurface {
    let corners = surface.corners().unwrap();
    let triangles = (0..corners.triangle_count()).map(|triangle| corners.triangle(triangle).unwrap());
    let normals = surface.normals().unwrap().map_or(vec![], |normals| normals.to_vec());
    let uvs = surface.uvs(0).unwrap().map_or(vec![], |uvs| uvs.to_vec());
    ExpectedSurface {
        name: surface.name().unwrap().to_string_lossy(),
        material: surface.material().unwrap().map(|name| name.to_string_lossy()),
        positions: surface.positions().unwrap().iter().map(|position| conversion.position(position)).collect(),
        normals: normals.into_iter().map(|normal| conversion.normal(normal)).collect(),
        uvs: uvs.into_iter().map(|uv| conversion.uv(uv)).collect(),
        colors: surface.colors().unwrap().map_or(vec![], |colors| colors.to_vec()),
        triangles: triangles.map(|triangle| conversion.triangle(triangle)).collect(),
        is_single_stream: surface.is_single_stream().unwrap(),
    }
}

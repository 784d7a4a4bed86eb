//! Counts what mesh files of any format contain, with one function.
//!
//! The function [`walk`] never asks for the format. It reads each instance of each asset in the
//! coordinate conventions of glTF: y up, right-handed, counter-clockwise triangles, and v
//! downwards. A format that defines no axes is assumed to be right-handed with y up.
#![allow(clippy::as_conversions, clippy::arithmetic_side_effects, reason = "an overflow is a failed test")]

use meshpeek::model::animation::Affine;
use meshpeek::model::{Axis, Contents, Handedness, Space, SpaceConversion};
use meshpeek::{Array, Bounds, Geometry, Result, Surface};

/// What a file contains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Totals {
    /// The number of assets.
    pub assets: usize,
    /// The number of levels of detail of all assets.
    pub levels: usize,
    /// The number of instances.
    pub instances: usize,
    /// The number of surfaces of all instances, in the most detailed level.
    pub surfaces: usize,
    /// The number of triangles of these surfaces.
    pub triangles: usize,
    /// The number of triangles with an area and with normals.
    pub shaded: usize,
    /// How many of the shaded triangles face the side to which their normals point.
    pub facing: usize,
    /// The number of materials.
    pub materials: usize,
    /// The number of bones of all assets.
    pub bones: usize,
    /// The box of all placed positions, in the conventions of glTF.
    pub bounds: Bounds,
}

/// Visits the assets, instances, materials and bones of a file.
///
/// # Errors
///
/// Returns the first error in the file.
pub fn walk(file: &dyn Contents) -> Result<Totals> {
    let mut totals = Totals {
        assets: file.asset_count()?,
        levels: 0,
        instances: file.instance_count()?,
        surfaces: 0,
        triangles: 0,
        shaded: 0,
        facing: 0,
        materials: file.material_count()?,
        bones: 0,
        bounds: Bounds::EMPTY,
    };
    for asset in 0..totals.assets {
        let asset = file.asset(asset)?;
        totals.levels += asset.level_count()?;
        totals.bones += asset.animations().bone_count()?;
    }
    for instance in 0..totals.instances {
        let instance = file.instance(instance)?;
        let asset = file.asset(instance.asset)?;
        let geometry = asset.level(0)?;
        let surfaces = instance.surfaces.unwrap_or(0..geometry.surface_count()?);
        for index in surfaces {
            let surface = Surface::new(&*geometry, index).unwrap();
            if surface.is_drawn()? {
                add_surface(&mut totals, &surface, conversion(&*geometry, instance.transform)?)?;
            }
        }
    }
    Ok(totals)
}

/// Returns the conversion of an instance to the conventions of glTF.
fn conversion(geometry: &dyn Geometry, transform: Affine) -> Result<SpaceConversion> {
    let assumed = Space { up: Some(Axis::Y), handedness: Some(Handedness::Right), ..Space::UNKNOWN };
    geometry.space().or(&assumed).placed(transform).conversion_to(&Space::GLTF)
}

fn add_surface(totals: &mut Totals, surface: &Surface<'_>, conversion: SpaceConversion) -> Result<()> {
    totals.surfaces += 1;
    let positions = conversion.array(surface.positions()?);
    let normals = surface.normals()?.map(|normals| conversion.array(normals));
    for corners in surface.corners()?.triangles() {
        totals.triangles += 1;
        let corners = conversion.triangle(corners);
        // A triangle with an index that is out of range is left out, as in every renderer.
        let [Some(a), Some(b), Some(c)] = corners.map(|corner| positions.get(corner.position as usize)) else {
            continue;
        };
        for at in [a, b, c] {
            totals.bounds = totals.bounds.union(&Bounds { min: at, max: at });
        }
        let front = cross(subtract(b, a), subtract(c, a));
        let Some(normals) = normals else { continue };
        let sides =
            corners.map(|corner| normals.get(corner.attribute as usize).map_or(0.0, |normal| dot(normal, front)));
        let side = sides.iter().sum::<f32>();
        if side != 0.0 {
            totals.shaded += 1;
            totals.facing += usize::from(side > 0.0);
        }
    }
    Ok(())
}

fn subtract([ax, ay, az]: [f32; 3], [bx, by, bz]: [f32; 3]) -> [f32; 3] {
    [ax - bx, ay - by, az - bz]
}

fn cross([ax, ay, az]: [f32; 3], [bx, by, bz]: [f32; 3]) -> [f32; 3] {
    [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx]
}

fn dot([ax, ay, az]: [f32; 3], [bx, by, bz]: [f32; 3]) -> f32 {
    ax * bx + ay * by + az * bz
}

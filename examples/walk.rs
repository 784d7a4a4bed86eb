//! Lists what a mesh file contains, with one function for all formats: assets with their levels of
//! detail, materials, and instances with their surfaces in the coordinate conventions of glTF.
//!
//! `cargo run --example walk FILE`

use std::{error::Error, io::Write, path::Path};

use meshpeek::model::{Axis, Handedness, Space};
use meshpeek::{Array, Bounds};

pub(crate) fn run(path: &Path, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let model = meshpeek::open(path)?;
    for (index, asset) in model.assets()?.enumerate() {
        let asset = asset?;
        let (levels, bones, hulls) = (asset.level_count()?, asset.animations().bone_count()?, asset.hull_count()?);
        writeln!(out, "asset {index}: {levels} levels of detail, {bones} bones, {hulls} collision shapes")?;
    }
    for (index, material) in model.materials()?.enumerate() {
        let material = material?;
        writeln!(out, "material {index}: {}", material.name.unwrap_or_default())?;
        material.textures.iter().try_for_each(|texture| writeln!(out, "  texture {}", texture.name))?;
    }
    // A format that defines no axes is assumed to be right-handed with y up.
    let assumed = Space { up: Some(Axis::Y), handedness: Some(Handedness::Right), ..Space::UNKNOWN };
    for (index, instance) in model.instances()?.enumerate() {
        let instance = instance?;
        writeln!(out, "instance {index}: asset {}", instance.asset)?;
        let asset = model.asset(instance.asset)?;
        let geometry = asset.level(0)?; // the most detailed level
        let conversion = geometry.space().or(&assumed).placed(instance.transform).conversion_to(&Space::GLTF)?;
        for number in instance.surfaces.unwrap_or(0..geometry.surfaces()?.len()) {
            let surface = geometry.surface(number)?;
            if surface.is_drawn()? {
                let Bounds { min, max } = conversion.array(surface.positions()?).bounds();
                let (name, triangles) = (surface.name()?, surface.corners()?.triangle_count());
                writeln!(out, "  {name}: {triangles} triangles, {min:?} to {max:?}")?;
            }
        }
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: walk FILE")?;
    run(path.as_ref(), &mut std::io::stdout().lock())
}

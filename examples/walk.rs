//! Lists what a mesh file contains, with one function for all formats: assets with their levels of
//! detail, materials, and instances with their surfaces in the coordinate conventions of glTF.
//!
//! `cargo run --example walk FILE`

use std::{error::Error, io::Write, path::Path};

use meshpeek::{Bounds, model::Space};

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
    let list = model.draw_list(&Space::GLTF)?; // in the most detailed level of each asset
    for (index, instance) in model.instances()?.enumerate() {
        writeln!(out, "instance {index}: asset {}", instance?.asset)?;
        for draw in list.draws().iter().filter(|draw| draw.instance == index) {
            let lent = list.surface(draw)?;
            let (surface, Bounds { min, max }) = (lent.surface(), list.bounds(draw)?);
            let (name, triangles) = (surface.name()?, surface.corners()?.triangle_count());
            writeln!(out, "  {name}: {triangles} triangles, {min:?} to {max:?}")?;
        }
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: walk FILE")?;
    run(path.as_ref(), &mut std::io::stdout().lock())
}

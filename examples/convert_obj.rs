//! Writes a mesh file as Wavefront OBJ: right-handed, with y up, in metres if the unit is known.
//!
//! `cargo run --example convert_obj FILE > OUT`
#![allow(clippy::as_conversions, clippy::arithmetic_side_effects, clippy::indexing_slicing, reason = "short")]

use std::{error::Error, io::Write, path::Path};

use meshpeek::model::{Axis, Handedness, Space, UvOrigin};
use meshpeek::{Array, Corner, Name};

pub(crate) fn run(path: &Path, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let model = meshpeek::open(path)?;
    // A format without axes is assumed to be right-handed with y up.
    let assumed = Space { up: Some(Axis::Y), handedness: Some(Handedness::Right), ..Space::UNKNOWN };
    let obj = Space { uv_origin: Some(UvOrigin::BottomLeft), ..Space::GLTF };
    let conversion = model.space().or(&assumed).conversion_to(&obj)?;
    let mut first = [1; 3]; // OBJ counts from 1, through all objects
    for surface in model.surfaces()?.filter(|surface| surface.is_drawn().unwrap_or(true)) {
        let positions = conversion.array(surface.positions()?);
        let uvs = surface.uvs(0)?.map(|uvs| conversion.array(uvs));
        let normals = surface.normals()?.map(|normals| conversion.array(normals));
        writeln!(out, "o {}\nusemtl {}", surface.name()?, surface.material()?.unwrap_or(Name::new(b"default")))?;
        positions.iter().try_for_each(|[x, y, z]| writeln!(out, "v {x} {y} {z}"))?;
        uvs.iter().flat_map(Array::iter).try_for_each(|[u, v]| writeln!(out, "vt {u} {v}"))?;
        normals.iter().flat_map(Array::iter).try_for_each(|[x, y, z]| writeln!(out, "vn {x} {y} {z}"))?;
        for corners in surface.corners()?.triangles() {
            write!(out, "f")?;
            for Corner { position, attribute } in conversion.triangle(corners) {
                write!(out, " {}/", first[0] + position as usize)?;
                uvs.map_or(Ok(()), |_| write!(out, "{}", first[1] + attribute as usize))?;
                normals.map_or(Ok(()), |_| write!(out, "/{}", first[2] + attribute as usize))?;
            }
            writeln!(out)?;
        }
        let counts = [positions.len(), uvs.map_or(0, |uvs| uvs.len()), normals.map_or(0, |normals| normals.len())];
        first = std::array::from_fn(|array| first[array] + counts[array]);
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    run(std::env::args_os().nth(1).ok_or("usage: convert_obj FILE")?.as_ref(), &mut std::io::stdout())
}

//! Writes a mesh file as Wavefront OBJ: right-handed, with y up, in metres if the unit is known.
//!
//! `cargo run --example convert_obj FILE [OUT]`
#![allow(clippy::as_conversions, clippy::arithmetic_side_effects, reason = "an example should be short")]

use std::{error::Error, fs::File, io::BufWriter, io::Write, path::Path};

use meshpeek::model::{Axis, Handedness, Space, UvOrigin};
use meshpeek::{Array, Corner, Name};

pub(crate) fn run(path: &Path, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let model = meshpeek::open(path)?;
    // A format without axes is assumed to be right-handed with y up.
    let assumed = Space { up: Some(Axis::Y), handedness: Some(Handedness::Right), ..Space::UNKNOWN };
    let conversion =
        model.space().or(&assumed).conversion_to(&Space { uv_origin: Some(UvOrigin::BottomLeft), ..Space::GLTF })?;
    // OBJ counts from 1, through all objects.
    let (mut pool, mut first, mut next) = (None, [1; 3], [1; 3]);
    for surface in model.surfaces()?.filter(|surface| surface.is_drawn().unwrap_or(true)) {
        let positions = conversion.array(surface.positions()?);
        let uvs = surface.uvs(0)?.map(|uvs| conversion.array(uvs));
        let normals = surface.normals()?.map(|normals| conversion.array(normals));
        let (uv_count, normal_count) = (uvs.map_or(0, |uvs| uvs.len()), normals.map_or(0, |normals| normals.len()));
        writeln!(out, "o {}\nusemtl {}", surface.name()?, surface.material()?.unwrap_or(Name::new(b"default")))?;
        // Surfaces with equal pools share positions, and with single streams the other attributes.
        let shared = Some(surface.vertex_pool()?);
        if pool != shared {
            positions.iter().try_for_each(|[x, y, z]| writeln!(out, "v {x} {y} {z}"))?;
            (first[0], next[0]) = (next[0], next[0] + positions.len());
        }
        if pool != shared || !surface.is_single_stream()? {
            uvs.iter().flat_map(Array::iter).try_for_each(|[u, v]| writeln!(out, "vt {u} {v}"))?;
            normals.iter().flat_map(Array::iter).try_for_each(|[x, y, z]| writeln!(out, "vn {x} {y} {z}"))?;
            (pool, first) = (shared, [first[0], next[1], next[2]]);
            next = [next[0], next[1] + uv_count, next[2] + normal_count];
        }
        for corners in surface.corners()?.triangles() {
            write!(out, "f")?;
            for Corner { position, attribute } in conversion.triangle(corners) {
                let (position, attribute, [v, vt, vn]) = (position as usize, attribute as usize, first);
                let (v, vt, vn) = (v + position, vt + attribute, vn + attribute);
                match (uv_count > 0, normal_count > 0) {
                    (true, true) => write!(out, " {v}/{vt}/{vn}")?,
                    (true, false) => write!(out, " {v}/{vt}")?,
                    (false, true) => write!(out, " {v}//{vn}")?,
                    (false, false) => write!(out, " {v}")?,
                }
            }
            writeln!(out)?;
        }
    }
    Ok(out.flush()?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args_os().skip(1);
    let path = args.next().ok_or("usage: convert_obj FILE [OUT]")?;
    let Some(out) = args.next() else { return run(path.as_ref(), &mut std::io::stdout().lock()) };
    run(path.as_ref(), &mut BufWriter::new(File::create(out)?))
}

//! Tests of the example `convert_obj`.

use std::str::FromStr;

use meshpeek::model::{Axis, Handedness, Space, SpaceConversion, UvOrigin};
use meshpeek::{Array, Surface};

use crate::{Model, convert_obj, for_each_file};

/// The numbers of an OBJ file, read back.
#[derive(Default)]
struct Obj {
    positions: Vec<[f32; 3]>,
    uvs: Vec<[f32; 2]>,
    normals: Vec<[f32; 3]>,
    objects: Vec<Object>,
}

/// An object of an OBJ file. A corner has 1-based numbers of a position, a UV and a normal.
#[derive(Default)]
struct Object {
    name: String,
    material: String,
    triangles: Vec<[[Option<usize>; 3]; 3]>,
}

fn numbers<T: FromStr, const N: usize>(text: &str) -> [T; N] {
    let found: Vec<T> = text.split(' ').map(|number| number.parse().ok().unwrap()).collect();
    found.try_into().ok().unwrap_or_else(|| panic!("{text}"))
}

fn corner(text: &str) -> [Option<usize>; 3] {
    let mut parts = text.split('/').map(|part| (!part.is_empty()).then(|| part.parse().unwrap()));
    std::array::from_fn(|_| parts.next().flatten())
}

fn parse(text: &str) -> Obj {
    let mut obj = Obj::default();
    for line in text.lines() {
        match line.split_once(' ').unwrap() {
            ("v", rest) => obj.positions.push(numbers(rest)),
            ("vt", rest) => obj.uvs.push(numbers(rest)),
            ("vn", rest) => obj.normals.push(numbers(rest)),
            ("o", rest) => obj.objects.push(Object { name: rest.into(), ..Object::default() }),
            ("usemtl", rest) => obj.objects.last_mut().unwrap().material = rest.into(),
            ("f", rest) => {
                let corners: Vec<_> = rest.split(' ').map(corner).collect();
                obj.objects.last_mut().unwrap().triangles.push(corners.try_into().unwrap());
            }
            _ => panic!("{line}"),
        }
    }
    obj
}

/// Compares every corner of an object with the arrays of its surface.
fn expect_surface(path: &str, obj: &Obj, object: &Object, surface: &Surface<'_>, conversion: &SpaceConversion) {
    let (positions, corners) = (surface.positions().unwrap(), surface.corners().unwrap());
    let (uvs, normals) = (surface.uvs(0).unwrap(), surface.normals().unwrap());
    assert_eq!(object.name, surface.name().unwrap().to_string(), "{path}");
    let material = surface.material().unwrap().map_or("default".into(), |material| material.to_string());
    assert_eq!(object.material, material, "{path}");
    assert_eq!(object.triangles.len(), corners.triangle_count() as usize, "{path}");
    for (number, found) in object.triangles.iter().enumerate() {
        let expected = conversion.triangle(corners.triangle(number as u32).unwrap());
        for ([v, vt, vn], corner) in found.iter().zip(expected) {
            let (position, attribute) = (corner.position as usize, corner.attribute as usize);
            let position = conversion.position(positions.get(position).unwrap());
            assert_eq!(obj.positions[v.unwrap() - 1], position, "{path}: triangle {number}");
            let uv = uvs.map(|uvs| conversion.uv(uvs.get(attribute).unwrap()));
            assert_eq!(vt.map(|vt| obj.uvs[vt - 1]), uv, "{path}: triangle {number}");
            let normal = normals.map(|normals| conversion.normal(normals.get(attribute).unwrap()));
            assert_eq!(vn.map(|vn| obj.normals[vn - 1]), normal, "{path}: triangle {number}");
        }
    }
}

fn conversion(model: &Model) -> SpaceConversion {
    let assumed = Space { up: Some(Axis::Y), handedness: Some(Handedness::Right), ..Space::UNKNOWN };
    let target = Space { uv_origin: Some(UvOrigin::BottomLeft), ..Space::GLTF };
    model.space().or(&assumed).conversion_to(&target).unwrap()
}

#[test]
fn keeps_every_corner() {
    let mut kinds = [0; 2];
    for_each_file(convert_obj::run, |path, model, out| {
        let (obj, conversion) = (parse(out), conversion(model));
        let surfaces: Vec<_> =
            Surface::all(model.geometry()).unwrap().filter(|surface| surface.is_drawn().unwrap()).collect();
        assert_eq!(obj.objects.len(), surfaces.len(), "{path}");
        for (object, surface) in obj.objects.iter().zip(&surfaces) {
            expect_surface(path, &obj, object, surface, &conversion);
        }
        let triangles: usize = obj.objects.iter().map(|object| object.triangles.len()).sum();
        for (kind, found) in kinds.iter_mut().zip([triangles, obj.uvs.len()]) {
            *kind += usize::from(found > 0);
        }
    });
    assert!(kinds[0] >= 20 && kinds[1] >= 10, "{kinds:?}");
}

#[test]
fn a_cube_has_its_corners_once() {
    let mut out = Vec::new();
    convert_obj::run("data/unigine/cube_ms13.mesh".as_ref(), &mut out).unwrap();
    let obj = parse(std::str::from_utf8(&out).unwrap());
    assert_eq!((obj.positions.len(), obj.normals.len(), obj.objects.len()), (8, 24, 1));
    assert_eq!(obj.objects[0].triangles.len(), 12);
}

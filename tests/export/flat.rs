//! Tests of OBJ, PLY and STL: every sample is read back.

use std::collections::BTreeSet;

use meshpeek::export::{
    Compression, Export, ExportFormat, ExportOptions, LevelChoice, LossKind, NormalChoice, OutputSpace, SceneInput,
    SourceInfo,
};
use meshpeek::model::{Space, UvOrigin};
use meshpeek::{Array as _, ErrorKind, Surface};

use crate::expected::{ExpectedSurface, decode};
use crate::readers::{Obj, Object, read_obj, read_ply, read_stl};
use crate::{FLAT, Model, export, for_each_sample, sample};

const UPWARDS: Space = Space { uv_origin: Some(UvOrigin::BottomLeft), ..Space::GLTF };

fn bits<const N: usize>(value: [f32; N]) -> [u32; N] {
    value.map(f32::to_bits)
}

/// Compares every corner of an object with the arrays of its surface.
fn expect_object(name: &str, obj: &Obj, object: &Object, surface: &ExpectedSurface) {
    assert_eq!(object.name, surface.name.replace(' ', "_"), "{name}");
    if let Some(material) = &surface.material {
        // Materials of different instances may have the same name, and then get a number.
        assert!(object.material.starts_with(&material.replace(' ', "_")), "{name}");
    }
    assert_eq!(object.triangles.len(), surface.triangles.len(), "{name}");
    for (found, expected) in object.triangles.iter().zip(&surface.triangles) {
        for ([v, vt, vn], corner) in found.iter().zip(expected) {
            let (position, attribute) = (corner.position as usize, corner.attribute as usize);
            assert_eq!(bits(obj.positions[v.unwrap()]), bits(surface.positions[position]), "{name}");
            let uv = surface.uvs.get(attribute).copied().map(bits);
            assert_eq!(vt.map(|vt| bits(obj.uvs[vt])), uv, "{name}");
            let normal = surface.normals.get(attribute).copied().map(bits);
            assert_eq!(vn.map(|vn| bits(obj.normals[vn])), normal, "{name}");
        }
    }
}

#[test]
fn obj_keeps_every_corner() {
    let (mut triangles, mut colors) = (0, 0);
    for_each_sample(|name, model| {
        let stored = ExportOptions::default().with_normals(Some(NormalChoice::Stored));
        let (files, losses) = export(model.contents(), ExportFormat::Obj, &stored).unwrap();
        let (obj, surfaces) = (read_obj(&files[0]), decode(model.contents(), &UPWARDS));
        assert_eq!((obj.objects.len(), obj.library.as_str()), (surfaces.len(), "out.mtl"), "{name}");
        for (object, surface) in obj.objects.iter().zip(&surfaces) {
            expect_object(name, &obj, object, surface);
            triangles += object.triangles.len();
        }
        let materials = std::str::from_utf8(&files[1]).unwrap().lines().filter_map(|line| line.strip_prefix("newmtl "));
        let materials: Vec<&str> = materials.collect();
        assert!(obj.objects.iter().all(|object| materials.contains(&object.material.as_str())), "{name}");
        // Colours are either all written or lost.
        let all = surfaces.iter().filter(|one| !one.colors.is_empty()).count();
        let drawn = if model.geometry().colors_are_data() { &[][..] } else { &surfaces[..] };
        let single: usize = drawn.iter().filter(|one| one.is_single_stream).map(|one| one.colors.len()).sum();
        let others = drawn.iter().filter(|one| !one.is_single_stream && !one.colors.is_empty()).count();
        let has_data = losses.iter().any(|loss| loss.kind == LossKind::DataColors);
        assert_eq!(has_data, model.geometry().colors_are_data() && all > 0, "{name}: {losses:?}");
        assert!(obj.colors.len() <= single && (obj.colors.is_empty() == (single == 0)), "{name}");
        assert_eq!(losses.iter().any(|loss| loss.kind == LossKind::Colors), others > 0, "{name}: {losses:?}");
        colors += obj.colors.len();
    });
    assert!(triangles > 500 && colors > 0, "{triangles} {colors}");
}

/// Returns the indices of the positions that drawn triangles use, in ascending order.
fn used_positions(model: &Model) -> BTreeSet<u32> {
    let surfaces = model.surfaces().unwrap();
    let drawn = surfaces.filter(|surface| surface.is_drawn().unwrap());
    drawn.flat_map(|surface| surface.indices().unwrap().iter()).collect()
}

#[test]
fn obj_writes_shared_vertices_once() {
    let model = sample("unreal/guard_d.3d");
    let (files, _) = export(model.contents(), ExportFormat::Obj, &ExportOptions::default()).unwrap();
    let (obj, surfaces) = (read_obj(&files[0]), decode(model.contents(), &UPWARDS));
    assert!(obj.objects.len() > 1);
    assert_eq!(obj.positions.len(), used_positions(&model).len());
    let uvs: usize = surfaces.iter().map(|surface| surface.uvs.len()).sum();
    assert_eq!(obj.uvs.len(), uvs, "each surface has its own texture coordinates");
}

#[test]
fn ply_keeps_every_corner() {
    let mut kinds = [0; 4];
    for_each_sample(|name, model| {
        let (files, _) = export(model.contents(), ExportFormat::Ply, &ExportOptions::default()).unwrap();
        let (ply, surfaces) = (read_ply(&files[0]), decode(model.contents(), &UPWARDS));
        let mut faces = ply.faces.iter();
        for surface in &surfaces {
            for triangle in &surface.triangles {
                for (vertex, corner) in faces.next().unwrap().iter().zip(triangle) {
                    let (vertex, attribute) = (*vertex as usize, corner.attribute as usize);
                    let position = bits(surface.positions[corner.position as usize]);
                    assert_eq!(bits(ply.position(vertex)), position, "{name}");
                    let expected = surface.normals.get(attribute).copied().map(bits);
                    assert!(expected.is_none() || ply.normal(vertex).map(bits) == expected, "{name}");
                    let expected = surface.uvs.get(attribute).copied().map(bits);
                    assert!(expected.is_none() || ply.values(vertex, ["s", "t"]).map(bits) == expected, "{name}");
                    let color =
                        surface.colors.get(attribute).map(|color| color.map(|part| (part * 255.0).round() as u8));
                    let found = ply.colors.get(vertex).copied();
                    assert!(color.map_or(found.is_none_or(|found| found == [255; 4]), |color| found == Some(color)));
                }
            }
        }
        assert!(faces.next().is_none(), "{name}");
        let has = |property: &str| usize::from(ply.properties.iter().any(|found| found == property));
        for (kind, found) in kinds.iter_mut().zip([ply.faces.len(), has("nx"), has("s"), has("red")]) {
            *kind += found;
        }
    });
    assert!(kinds.iter().all(|kind| *kind > 0), "{kinds:?}");
}

#[test]
fn stl_keeps_every_triangle() {
    for_each_sample(|name, model| {
        let (files, losses) = export(model.contents(), ExportFormat::Stl, &ExportOptions::default()).unwrap();
        let (found, surfaces) = (read_stl(&files[0]), decode(model.contents(), &Space::GLTF));
        let corners = surfaces.iter().flat_map(|surface| {
            let position = |index: u32| surface.positions[index as usize];
            surface.triangles.iter().map(move |triangle| triangle.map(|corner| position(corner.position)))
        });
        let corners: Vec<[[f32; 3]; 3]> = corners.collect();
        assert_eq!(found.len(), corners.len(), "{name}");
        for ([normal, a, b, c], expected) in found.into_iter().zip(corners) {
            assert_eq!([a, b, c].map(bits), expected.map(bits), "{name}");
            let length: f32 = normal.iter().map(|part| part * part).sum();
            assert!(length == 0.0 || (length - 1.0).abs() < 1e-5, "{name}: {normal:?}");
        }
        let has_uvs = surfaces.iter().any(|surface| !surface.uvs.is_empty());
        assert_eq!(losses.iter().any(|loss| loss.kind == LossKind::UvSets), has_uvs, "{name}: {losses:?}");
    });
}

#[test]
fn exports_are_deterministic() {
    for_each_sample(|name, model| {
        for format in FLAT {
            let options = ExportOptions::default();
            let [one, other] = [0, 1].map(|_| export(model.contents(), format, &options).unwrap());
            assert!(one == other, "{name}: {format}");
        }
    });
}

fn losses(file: &str, format: ExportFormat, options: &ExportOptions) -> Vec<String> {
    let (_, losses) = export(sample(file).contents(), format, options).unwrap();
    losses.iter().map(|loss| format!("{}: {loss}", loss.kind.id())).collect()
}

#[test]
fn losses_are_listed() {
    let options = ExportOptions::default();
    let flag = |format| losses("ezmesh/flag.ezm", format, &options);
    assert!(flag(ExportFormat::Json).is_empty());
    for expected in ["skin: bone weights of 1 surface", "skin: 3 bones"] {
        for format in [ExportFormat::Obj, ExportFormat::Ply, ExportFormat::Stl] {
            assert!(flag(format).iter().any(|loss| loss == expected), "{:?}", flag(format));
        }
    }
    let guard = losses("unreal/guard_d.3d", ExportFormat::Obj, &options);
    assert!(guard.contains(&"vertex-frames: 9 vertex frames".to_owned()), "{guard:?}");
    assert!(guard.iter().any(|loss| loss.starts_with("clips: ")), "{guard:?}");
    // A still shape has no animation to lose.
    let still = losses("unreal/guard_d.3d", ExportFormat::Obj, &options.clone().with_frame(Some(1.5)));
    assert!(!still.iter().any(|loss| loss.starts_with("clips") || loss.starts_with("vertex-frames")), "{still:?}");
    let cube = losses("unigine/cube_ms13.mesh", ExportFormat::Stl, &options);
    assert!(cube.iter().any(|loss| loss.starts_with("normals: ")), "{cube:?}");
}

#[test]
fn only_what_a_mesh_loses_is_refused() {
    let options = ExportOptions::default();
    let guard = sample("unreal/guard_d.3d");
    let mut bytes = std::fs::read("data/unigine/cube_ms13.mesh").unwrap();
    bytes[588] = 200;
    let damaged = meshpeek::Model::open(bytes).unwrap();
    for format in [ExportFormat::Obj, ExportFormat::Ply, ExportFormat::Stl] {
        // What the format can never hold is left out.
        let export = Export::new(&SceneInput::new(&guard), format, &options).unwrap();
        assert!(!export.losses().is_empty() && export.refused().next().is_none(), "{:?}", export.losses());
        export.write_file(0, "guard", &mut Vec::new()).unwrap();
        let export = Export::new(&SceneInput::new(&damaged), format, &options).unwrap();
        let refused: Vec<_> = export.refused().map(|loss| loss.kind).collect();
        assert_eq!(refused, [LossKind::Triangles], "{format}");
        let error = export.write_file(0, "cube", &mut Vec::new()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Refused, "{error}");
        let allowed = options.clone().with_allow_loss(true);
        let export = Export::new(&SceneInput::new(&damaged), format, &allowed).unwrap();
        export.write_file(0, "cube", &mut Vec::new()).unwrap();
    }
}

#[test]
fn options_that_need_gltf_are_refused() {
    let model = sample("secondlife/arm.llmesh");
    let options = ExportOptions::default();
    for format in FLAT {
        for options in [
            options.clone().with_levels(LevelChoice::Scenes),
            options.clone().with_levels(LevelChoice::Nodes),
            options.clone().with_quantized(true),
            options.clone().with_compression(Some(Compression::Ext)),
        ] {
            let error = export(model.contents(), format, &options).unwrap_err();
            assert!(error.kind() == ErrorKind::Refused && error.to_string().contains("glTF"), "{error}");
        }
        let missing = export(model.contents(), format, &options.clone().with_surfaces(Some(vec![99]))).unwrap_err();
        assert_eq!(missing.kind(), ErrorKind::NoSuch, "{missing}");
    }
}

#[test]
fn levels_surfaces_and_spaces_are_chosen() {
    let model = sample("secondlife/arm.llmesh");
    let asset = model.asset(0).unwrap();
    for level in 0..asset.level_count().unwrap() {
        let geometry = asset.level(level).unwrap();
        let corners = Surface::all(&*geometry).unwrap().map(|surface| surface.counts().unwrap().corners / 3);
        let options = ExportOptions::default().with_levels(LevelChoice::One(level));
        let (files, _) = export(model.contents(), ExportFormat::Stl, &options).unwrap();
        assert_eq!(read_stl(&files[0]).len(), corners.sum::<u32>() as usize);
    }
    let model = sample("unreal/guard_d.3d");
    let options = ExportOptions::default().with_surfaces(Some(vec![1])).with_space(OutputSpace::Stored);
    let (files, _) = export(model.contents(), ExportFormat::Obj, &options).unwrap();
    assert_eq!(read_obj(&files[0]).objects.len(), 1);
}

#[test]
fn a_vertex_frame_is_exported() {
    let model = sample("unreal/guard_d.3d");
    let geometry = model.geometry();
    for frame in [0.0, 2.0, 2.5] {
        let options = ExportOptions::default().with_frame(Some(frame)).with_space(OutputSpace::Stored);
        let (files, _) = export(model.contents(), ExportFormat::Obj, &options).unwrap();
        let obj = read_obj(&files[0]);
        let [from, to] = [frame.floor(), frame.ceil()]
            .map(|frame| meshpeek::Array::to_vec(&geometry.vertex_frame(0, frame as usize).unwrap()));
        let conversion = decode_conversion(&model);
        let used = used_positions(&model);
        assert_eq!(obj.positions.len(), used.len());
        for (found, index) in obj.positions.iter().zip(used) {
            let (from, to) = (from[index as usize], to[index as usize]);
            let part = frame.fract();
            let mixed = std::array::from_fn(|axis| from[axis] * (1.0 - part) + to[axis] * part);
            assert_eq!(bits(*found), bits(conversion.position(mixed)));
        }
    }
    let error =
        export(model.contents(), ExportFormat::Obj, &ExportOptions::default().with_frame(Some(10.0))).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NoSuch, "{error}");
}

fn decode_conversion(model: &crate::Model) -> meshpeek::model::SpaceConversion {
    let instance = model.contents().instance(0).unwrap();
    let space = model.geometry().space().placed(instance.transform);
    space.conversion_to(&Space::UNKNOWN).unwrap()
}

/// Tests that a pose is exported with skinned positions and normals, which belong to corners.
#[test]
fn a_pose_is_exported() {
    use meshpeek::model::animation::{Affine, SkinMatrix};
    use meshpeek::{Pose, Skeleton, SkinnedSurface};
    let model = sample("ezmesh/flag.ezm");
    let options = ExportOptions::default().with_frame(Some(1.0));
    let animations = model.animations();
    let skeleton = Skeleton::new(animations).unwrap();
    let mut pose = Pose::rest(animations).unwrap();
    pose.set_moment(animations, 0, &animations.clip(0).unwrap().at_frame(1.0, false).unwrap()).unwrap();
    let mut bones = vec![Affine::IDENTITY; skeleton.len()];
    skeleton.model(pose.bones(), &mut bones).unwrap();
    let mut palette = vec![SkinMatrix::IDENTITY; skeleton.len()];
    skeleton.palette(&bones, &mut palette).unwrap();
    let (obj_files, losses) = export(model.contents(), ExportFormat::Obj, &options).unwrap();
    assert!(!losses.iter().any(|loss| matches!(loss.kind, LossKind::Skin | LossKind::Clips)), "{losses:?}");
    let (ply_files, _) = export(model.contents(), ExportFormat::Ply, &options).unwrap();
    let (obj, ply) = (read_obj(&obj_files[0]), read_ply(&ply_files[0]));
    let (rest, surfaces) = (decode(model.contents(), &UPWARDS), Surface::all(model.geometry()).unwrap());
    let (mut faces, mut moved) = (ply.faces.iter(), 0);
    for ((surface, expected), object) in surfaces.zip(&rest).zip(&obj.objects) {
        let skinned = SkinnedSurface::new(&surface, &palette).unwrap();
        let normals = skinned.normals().unwrap();
        for (triangle, corners) in expected.triangles.iter().zip(&object.triangles) {
            let face = faces.next().unwrap();
            for ((corner, [v, _, vn]), vertex) in triangle.iter().zip(corners).zip(face) {
                let position = skinned.position(corner.position).unwrap().unwrap();
                moved += usize::from(position != expected.positions[corner.position as usize]);
                assert_eq!(bits(obj.positions[v.unwrap()]), bits(position));
                assert_eq!(bits(ply.position(*vertex as usize)), bits(position));
                let normal = normals.as_ref().map(|normals| normals.get(*corner).unwrap().unwrap());
                let close = |found: Option<[f32; 3]>| match (found, normal) {
                    (Some(found), Some(normal)) => found.iter().zip(normal).all(|(a, b)| (a - b).abs() < 1e-6),
                    (found, normal) => found.is_none() && normal.is_none(),
                };
                assert!(close(vn.map(|vn| obj.normals[vn])));
                assert!(close(ply.normal(*vertex as usize)));
            }
        }
    }
    assert!(moved > 0);
}

#[test]
fn materials_refer_to_listed_images_only() {
    let model = sample("unreal/guard_d.3d");
    let source = SourceInfo::default().with_name("guard").with_images(vec!["jguard.PNG".to_owned()]);
    let options = ExportOptions::default().with_source(source);
    let (files, _) = export(model.contents(), ExportFormat::Obj, &options).unwrap();
    let library = std::str::from_utf8(&files[1]).unwrap();
    assert!(library.contains("newmtl JGuard\n# masked\nmap_Kd jguard.PNG\n"), "{library}");
    assert!(library.contains("newmtl JLid\n") && library.matches("map_Kd").count() == 1, "{library}");
}

/// Tests that the bytes after the header of a PLY file begin with no line feed, which some readers
/// skip.
#[test]
fn ply_data_begins_with_no_line_feed() {
    let feed = f32::from_bits(0x3c23_d70a);
    for (position, order) in [([1.0, feed, feed], "x y z"), ([feed, 1.0, feed], "y z x"), ([feed, feed, 1.0], "z x y")]
    {
        let [x, y, z] = position;
        let file = format!(
            "<MeshSystem><Meshes><Mesh>
            <vertexbuffer count='3' ctype='fff' semantic='position'>{x} {y} {z}  1 0 0  0 1 0</vertexbuffer>
            <MeshSection><indexbuffer triangle_count='1'>0 1 2</indexbuffer></MeshSection>
            </Mesh></Meshes></MeshSystem>"
        );
        let model = meshpeek::Model::open(file.as_str()).unwrap();
        let (files, _) = export(model.contents(), ExportFormat::Ply, &ExportOptions::default()).unwrap();
        let ply = read_ply(&files[0]);
        assert_eq!((ply.properties[..3].join(" ").as_str(), ply.position(0)), (order, position));
    }
}

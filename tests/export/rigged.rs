//! Tests that a rigged Second Life mesh is exported and drawn on the joints of the avatar, and that
//! damage of its skin or of a level of detail leaves the rest.

use meshpeek::export::{Export, ExportFormat, ExportOptions, LevelChoice, LossKind, OutputSpace, SceneInput};
use meshpeek::model::{Axis, Space};
use meshpeek::render::{PictureOptions, draw};
use meshpeek::{Array as _, ErrorKind, Model, Surface};

use crate::export;
use crate::gltf::options;
use crate::gltf_reader::{Reader, apply};
use crate::gltf_structure::check;
use crate::readers::{read_obj, read_ply, read_stl};
use crate::support::secondlife::raw_assets::{
    WEIGHTS, array, asset, binary, codes, integer, level, map, reals, shift, skin, square, stored_asset, string, with,
    zlib,
};

type Entries = Vec<(&'static str, Vec<u8>)>;

/// A change of the stored bytes of a block.
type Damage<'d> = &'d dyn Fn(Vec<u8>) -> Vec<u8>;

/// A matrix that scales the axes by 0.25, 2 and 1, turns them, and moves the mesh.
const SHAPE: [f32; 16] = [0.0, 0.25, 0.0, 0.0, -2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 3.0, 4.0, 5.0, 1.0];

fn open(bytes: Vec<u8>) -> Model<Vec<u8>> {
    Model::open(bytes).unwrap()
}

/// A square with the given skin, whose normals lean.
fn rigged(skin: &Entries) -> Vec<u8> {
    let lean = [32768, 55704, 55704]; // about (0, 0.7, 0.7)
    let leaning = with(square(), "Normal", codes(&lean.repeat(4)));
    asset(&[("high_lod", level(&[leaning])), ("skin", map(skin))])
}

fn shaped() -> Entries {
    with(skin(), "bind_shape_matrix", reals(&SHAPE))
}

fn length(vector: [f32; 3]) -> f32 {
    vector.iter().map(|part| part * part).sum::<f32>().sqrt()
}

fn near(one: [f32; 3], other: [f32; 3]) -> bool {
    one.iter().zip(other).all(|(a, b)| (a - b).abs() < 1e-4)
}

/// The corners of the square after the matrix, in the file and in glTF, whose x is to the left of
/// an avatar, y up and z forward.
fn placed_corners() -> Vec<([f32; 3], [f32; 3])> {
    let stored = [[-0.5, -0.5, -0.25], [0.5, -0.5, -0.25], [0.5, 0.5, -0.25], [-0.5, 0.5, 0.0]];
    let placed = stored.map(|[x, y, z]: [f32; 3]| [3.0 - 2.0 * y, 4.0 + 0.25 * x, 5.0 + z]);
    placed.into_iter().map(|[x, y, z]| ([x, y, z], [y, z, x])).collect()
}

#[test]
fn the_bind_shape_places_and_shades_a_mesh_in_every_format() {
    let model = open(rigged(&shaped()));
    let corners = placed_corners();
    let expect = |name: &str, found: &mut dyn Iterator<Item = [f32; 3]>| {
        let found: Vec<_> = found.collect();
        let is_there = |corner: &[f32; 3]| found.iter().any(|found| near(*found, *corner));
        assert!(found.len() >= 4 && corners.iter().all(|(_, corner)| is_there(corner)), "{name}: {found:?}");
        assert!(found.iter().all(|found| corners.iter().any(|(_, corner)| near(*found, *corner))), "{name}: {found:?}");
    };
    // The inverse transpose of the matrix takes (0, 0.7, 0.7) to (-0.35, 0, 0.7).
    let [_, y, z] = Surface::new(model.geometry(), 0).unwrap().normals().unwrap().unwrap().get(0).unwrap();
    let normal = [0.0, z, -y / 2.0].map(|part| part / length([y / 2.0, 0.0, z]));

    let (files, _) = export(model.contents(), ExportFormat::Glb, &options()).unwrap();
    let reader = Reader::glb(&files[0]);
    check(&reader, "rigged");
    let part = reader.parts(&reader.document.meshes().next().unwrap()).remove(0);
    expect("GLB", &mut part.positions.iter().copied());
    assert!(part.normals.unwrap().iter().all(|found| near(*found, normal)), "expected {normal:?}");

    let obj = read_obj(&export(model.contents(), ExportFormat::Obj, &options()).unwrap().0[0]);
    expect("OBJ", &mut obj.positions.iter().copied());
    assert!(obj.normals.iter().all(|found| near(*found, normal)), "{:?}, expected {normal:?}", obj.normals);
    let ply = read_ply(&export(model.contents(), ExportFormat::Ply, &options()).unwrap().0[0]);
    expect("PLY", &mut (0..ply.vertices.len()).map(|vertex| ply.position(vertex)));
    let stl = read_stl(&export(model.contents(), ExportFormat::Stl, &options()).unwrap().0[0]);
    expect("STL", &mut stl.iter().flat_map(|triangle| triangle[1..].iter().copied()));

    let bounds = model.space().conversion_to(&Space::GLTF).unwrap().bounds(&model.bounds().unwrap());
    assert!(near(bounds.min, [3.875, 4.75, 2.0]), "{bounds:?}");
}

#[test]
fn joints_are_one_tree_at_their_bind_places() {
    let names = ["mChest", "mPelvis", "mWristLeft", "mTorso", "mNeck"].map(|name| string(name.as_bytes()));
    let at = [[0.0, 0.0, 1.5], [0.0, 0.0, 1.0], [0.0, 0.9, 1.4], [0.0, 0.0, 1.2], [0.0, 0.0, 1.6]];
    let inverses = at.map(|place: [f32; 3]| reals(&shift(place.map(|part| -part))));
    let skin = with(with(shaped(), "joint_names", array(&names)), "inverse_bind_matrix", array(&inverses));
    let skin: Entries = skin.into_iter().filter(|(key, _)| *key != "alt_inverse_bind_matrix").collect();
    let model = open(rigged(&skin));
    let bones: Vec<i32> = (0..5).map(|bone| model.animations().bone(bone).unwrap().parent).collect();
    assert_eq!(bones, [3, -1, 0, 1, 0]);
    assert!(near(model.animations().bone(2).unwrap().bind.position, [0.0, 0.9, -0.1]));

    let (files, losses) = export(model.contents(), ExportFormat::Glb, &options()).unwrap();
    assert!(losses.iter().all(|loss| loss.kind != LossKind::Skin), "{losses:?}");
    let reader = Reader::glb(&files[0]);
    check(&reader, "joints");
    let skin = reader.document.skins().next().unwrap();
    let worlds = reader.worlds(&reader.rest());
    for (joint, [x, y, z]) in skin.joints().zip(at) {
        let place = worlds[joint.index()][3];
        assert!(near([0, 1, 2].map(|axis| place[axis] as f32), [y, z, x]), "{:?}", joint.name());
    }
    let children: Vec<usize> =
        reader.document.nodes().flat_map(|node| node.children().map(|child| child.index())).collect();
    assert_eq!(skin.joints().filter(|joint| !children.contains(&joint.index())).count(), 1, "one root");
}

#[test]
fn joints_with_a_scale_are_written_without_it() {
    // The joints scale by 0.1, 0.2 and 0.5, and their z is the y of the file.
    let scaled = |at: [f32; 3]| {
        let mut matrix = [10.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, -5.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0];
        matrix[12..15].copy_from_slice(&[-10.0 * at[0], 5.0 * at[2], -2.0 * at[1]]);
        reals(&matrix)
    };
    let at = [[0.5, 1.0, 0.25], [0.5, 1.5, 0.0]];
    let model = open(rigged(&with(shaped(), "inverse_bind_matrix", array(&at.map(scaled)))));
    assert_eq!((model.space().up, model.space().forward), (Some(Axis::Y), Some(Axis::X)));
    let (files, losses) = export(model.contents(), ExportFormat::Glb, &options()).unwrap();
    assert!(losses.iter().all(|loss| ![LossKind::Skin, LossKind::Placements].contains(&loss.kind)), "{losses:?}");
    let reader = Reader::glb(&files[0]);
    check(&reader, "scaled joints");
    let worlds = reader.worlds(&reader.rest());
    let skin = reader.document.skins().next().unwrap();
    for ((joint, read), [x, y, z]) in skin.joints().zip(reader.joints(&skin)).zip(at) {
        let world = &worlds[joint.index()];
        // Up is y in the file and in glTF, and x is forward, so z is to the right.
        assert!(near([0, 1, 2].map(|axis| world[3][axis] as f32), [-z, y, x]), "{world:?}");
        // In the rest pose, a vertex stays where it is.
        for point in [[1.0, 2.0, 3.0], [-4.0, 0.5, 0.25]] {
            let inside = apply(&read.inverse_bind, point);
            assert!(near(apply(world, inside.map(|part| part as f32)).map(|part| part as f32), point));
        }
        let length = |row: usize| (0..3).map(|axis| world[row][axis].powi(2)).sum::<f64>().sqrt();
        assert!((0..3).all(|row| (length(row) - 1.0).abs() < 1e-6), "{world:?}");
    }
}

#[test]
fn a_skin_that_cannot_be_used_is_left_out() {
    let one = array(&[reals(&shift([0.0; 3]))]);
    let flat = array(&[reals(&[0.0; 16]), reals(&shift([0.0; 3]))]);
    let infinite = array(&[reals(&[f32::INFINITY; 16]), reals(&shift([0.0; 3]))]);
    let none = array(&[]);
    for (name, matrices, is_placed) in [
        ("too few", &one, false),
        ("none", &none, false),
        ("without an inverse", &flat, true),
        ("infinite", &infinite, false),
    ] {
        let model = open(rigged(&with(shaped(), "inverse_bind_matrix", matrices.clone())));
        for format in [ExportFormat::Glb, ExportFormat::Gltf, ExportFormat::Ezm, ExportFormat::Ezb] {
            let (input, defaults) = (SceneInput::new(&model), ExportOptions::default());
            let strict = Export::new(&input, format, &defaults).unwrap();
            assert!(strict.refused().any(|loss| loss.kind == LossKind::Skin), "{name}: {:?}", strict.losses());
            let (files, losses) = export(model.contents(), format, &options()).unwrap();
            assert!(losses.iter().any(|loss| loss.to_string().starts_with("the skin, because")), "{name}: {losses:?}");
            assert!(!files[0].is_empty());
        }
        let (files, _) = export(model.contents(), ExportFormat::Glb, &options()).unwrap();
        let reader = Reader::glb(&files[0]);
        check(&reader, name);
        assert!(reader.document.skins().next().is_none(), "{name}");
        let part = reader.parts(&reader.document.meshes().next().unwrap()).remove(0);
        assert!(part.sets.is_empty(), "{name}: no weights");
        // Viewers draw a mesh whose skin they ignore at the place of its object.
        let high = part.positions.iter().map(|[_, y, _]| *y).fold(f32::MIN, f32::max);
        assert_eq!(high > 1.0, is_placed, "{name}");
        for format in [ExportFormat::Obj, ExportFormat::Ply, ExportFormat::Stl, ExportFormat::Json] {
            export(model.contents(), format, &options()).unwrap_or_else(|error| panic!("{name}, {format}: {error}"));
        }
        let drawn = draw(&SceneInput::new(&model), &PictureOptions::default().with_size([32, 32])).unwrap();
        assert_eq!(drawn.triangles, 2, "{name}");
    }
    // A block that is no zlib stream.
    let blocks = [("high_lod", zlib(&level(&[square()]))), ("skin", b"damaged".to_vec())];
    let model = open(stored_asset(&[], &blocks));
    let (_, losses) = export(model.contents(), ExportFormat::Glb, &options()).unwrap();
    assert!(losses.iter().any(|loss| loss.kind == LossKind::Skin), "{losses:?}");
    for format in [ExportFormat::Ezm, ExportFormat::Obj, ExportFormat::Json] {
        export(model.contents(), format, &options()).unwrap_or_else(|error| panic!("{format}: {error}"));
    }
}

#[test]
fn quantized_rigged_meshes_equal_plain_ones() {
    let model = open(rigged(&shaped()));
    let read = |is_quantized| {
        let (files, _) = export(model.contents(), ExportFormat::Glb, &options().with_quantized(is_quantized)).unwrap();
        Reader::glb(&files[0])
    };
    let (plain, quantized) = (read(false), read(true));
    let expected = plain.parts(&plain.document.meshes().next().unwrap()).remove(0).normals.unwrap();
    // Viewers ignore the transform of a node with a skin, so positions are placed floats.
    let bounds = |reader: &Reader| {
        let primitive = reader.document.meshes().next().unwrap().primitives().next().unwrap();
        let positions = primitive.get(&gltf::Semantic::Positions).unwrap();
        (positions.data_type(), positions.min(), positions.max())
    };
    assert_eq!(bounds(&quantized), bounds(&plain));
    let primitive = quantized.document.meshes().next().unwrap().primitives().next().unwrap();
    let normals = primitive.get(&gltf::Semantic::Normals).unwrap();
    assert_eq!((normals.data_type(), normals.count()), (gltf::accessor::DataType::I16, expected.len()));
    let start = normals.view().unwrap().offset() + normals.offset();
    for (bytes, expected) in quantized.buffers[0][start..].chunks(8).zip(expected) {
        let part = |axis: usize| f32::from(i16::from_le_bytes([bytes[2 * axis], bytes[2 * axis + 1]])) / 32767.0;
        assert!(near([0, 1, 2].map(part), expected), "{expected:?}");
    }
}

#[test]
fn a_mirrored_mesh_keeps_its_front() {
    let mut mirrored = shift([0.0; 3]);
    mirrored[0] = -1.0;
    let mirrored = reals(&mirrored);
    for matrix in [reals(&shift([0.0; 3])), mirrored] {
        let model = open(rigged(&with(skin(), "bind_shape_matrix", matrix)));
        for space in [OutputSpace::Target, OutputSpace::Stored] {
            let up = if space == OutputSpace::Target { 1 } else { 2 };
            let stl =
                read_stl(&export(model.contents(), ExportFormat::Stl, &options().with_space(space)).unwrap().0[0]);
            for [_, a, b, c] in stl {
                let [[ax, ay, az], [bx, by, bz]] = [b, c].map(|corner| [0, 1, 2].map(|axis| corner[axis] - a[axis]));
                let facet = [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx];
                assert!(facet[up] > 0.0, "{space:?}: {facet:?}");
            }
        }
    }
}

/// An asset whose levels have one, two and three squares, from the lowest to the highest.
fn levels(damage: &dyn Fn(&'static str, Vec<u8>) -> Vec<u8>) -> Model<Vec<u8>> {
    let blocks = [("lowest_lod", 1), ("low_lod", 2), ("high_lod", 3)];
    let blocks = blocks.map(|(key, count)| (key, damage(key, zlib(&level(&vec![square(); count])))));
    open(stored_asset(&[], &blocks))
}

#[test]
fn the_best_whole_level_replaces_a_damaged_one() {
    let cut = |bytes: Vec<u8>| bytes[..bytes.len() / 2].to_vec();
    let no_positions = || zlib(&level(&[square().into_iter().filter(|(key, _)| *key != "Position").collect()]));
    let half = || zlib(&level(&[square(), with(square(), "Normal", binary(&[1, 2, 3]))]));
    let other = || zlib(&integer(7));
    let changed = |key, value| {
        let changed = zlib(&level(&[square(), with(square(), key, value)]));
        move |_: Vec<u8>| changed.clone()
    };
    let weights = |bytes: &[u8]| changed("Weights", binary(bytes));
    let (too_short, too_long) = (weights(&WEIGHTS[..20]), weights(&[&WEIGHTS[..], &[0]].concat()));
    let domain = |min: f32, max: f32| map(&[("Max", reals(&[max; 3])), ("Min", reals(&[min; 3]))]);
    let (not_a_number, upside_down) =
        (changed("PositionDomain", domain(f32::NAN, 1.0)), changed("PositionDomain", domain(1.0, -1.0)));
    let wide = changed("TexCoord0Domain", map(&[("Max", reals(&[f32::INFINITY; 2])), ("Min", reals(&[0.0; 2]))]));
    let beyond = changed("TriangleList", codes(&[0, 1, 2, 0, 2, 4]));
    let half_a_triangle = changed("TriangleList", codes(&[0, 1, 2, 0, 2]));
    let without_vertices = changed("Position", codes(&[]));
    let empty = |_: Vec<u8>| zlib(&level(&[]));
    let damages: [(&str, bool, Damage<'_>); 13] = [
        ("weights that end early", true, &too_short),
        ("weights with a rest", true, &too_long),
        ("a domain that is not a number", true, &not_a_number),
        ("a domain that is upside down", true, &upside_down),
        ("infinite texture coordinates", true, &wide),
        ("an index out of range", true, &beyond),
        ("half a triangle", true, &half_a_triangle),
        ("no vertices", false, &without_vertices),
        ("no surfaces", true, &empty),
        ("cut", false, &cut),
        ("no positions", false, &|_| no_positions()),
        ("a damaged array", false, &|_| half()),
        ("not a list", false, &|_| other()),
    ];
    for (name, is_readable, damage) in damages {
        let model = levels(&|key, bytes| if key == "high_lod" { damage(bytes) } else { bytes });
        let triangles = |options: &ExportOptions| -> meshpeek::Result<(usize, Vec<LossKind>)> {
            let (files, losses) = export(model.contents(), ExportFormat::Stl, options)?;
            Ok((read_stl(&files[0]).len(), losses.iter().map(|loss| loss.kind).collect()))
        };
        let (count, kinds) = triangles(&options()).unwrap();
        assert_eq!(count, 4, "{name}");
        assert!(kinds.contains(&LossKind::Levels), "{name}: {kinds:?}");
        let (input, defaults) = (SceneInput::new(&model), ExportOptions::default());
        let strict = Export::new(&input, ExportFormat::Glb, &defaults).unwrap();
        assert_eq!(strict.refused().count(), 0, "{name}: it is a note");
        assert!(strict.losses().iter().any(|loss| loss.text.starts_with("high_lod, which is damaged")), "{name}");
        // A level that is chosen by its index is not replaced.
        assert_eq!(triangles(&options().with_levels(LevelChoice::One(1))).unwrap().0, 4, "{name}");
        assert_eq!(triangles(&options().with_levels(LevelChoice::One(0))).is_ok(), is_readable, "{name}");
        let (files, _) =
            export(model.contents(), ExportFormat::Glb, &options().with_levels(LevelChoice::Scenes)).unwrap();
        assert_eq!(Reader::glb(&files[0]).document.scenes().count(), 2, "{name}");
        let input = SceneInput::new(&model);
        let picture = PictureOptions::default().with_size([32, 32]);
        assert_eq!(draw(&input, &picture).unwrap().triangles, 4, "{name}");
        assert_eq!(draw(&input, &picture.clone().with_enough_triangles(Some(3))).unwrap().triangles, 4, "{name}");
        assert_eq!(draw(&input, &picture.with_level(Some(0))).is_ok(), is_readable, "{name}");
    }
    // Without a whole level, the error is that of the best.
    let model = levels(&|_, bytes| bytes[..8].to_vec());
    let error = export(model.contents(), ExportFormat::Glb, &options()).unwrap_err();
    assert_eq!((error.kind(), error.field().name()), (ErrorKind::UnexpectedEnd, "high_lod"));
}

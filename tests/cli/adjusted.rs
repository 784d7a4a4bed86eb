//! Tests of `--up`, `--front`, `--rotate` and `--scale`.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::{code, json, meshpeek, text};

const FLAG: &str = "data/ezmesh/flag.ezm";
const CRATE: &str = "data/ezmesh/crate.ezm";
const CUBE: &str = "data/unigine/cube_ms13.mesh";
const SKINNED: &str = "data/unigine/skinned_ms12.mesh";
const ARM: &str = "data/secondlife/arm.llmesh";
const GUARD: &str = "data/unreal/guard";
const MODEL: &str = "data/secondlife/model.slm";

type Point = [f64; 3];
type Map = fn(Point) -> Point;

/// What the options do to the coordinates of the scene with y up, computed by hand.
const CASES: [(&str, &[&str], Map); 5] = [
    // EZ-Mesh defines no axes, so y is up.
    (FLAG, &["--up", "z"], |[x, y, z]| [x, z, -y]),
    (FLAG, &["--up", "z", "--front", "-y", "--scale", "0.5"], |[x, y, z]| [x / 2.0, z / 2.0, -y / 2.0]),
    (CRATE, &["--rotate", "x:90,y:90", "--scale", "3"], |[x, y, z]| [3.0 * y, -3.0 * z, -3.0 * x]),
    (CRATE, &["--up", "-x"], |[x, y, z]| [y, -x, z]),
    // A negative factor mirrors.
    (CRATE, &["--scale", "-2"], |[x, y, z]| [-2.0 * x, -2.0 * y, -2.0 * z]),
];

fn run(arguments: &[&str]) -> String {
    let output = meshpeek(arguments);
    assert_eq!(code(&output), 0, "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// Converts a mesh, and returns the bytes of the file.
fn converted(folder: &Path, name: &str, mesh: &str, options: &[&str]) -> Vec<u8> {
    let to = folder.join(name).to_str().unwrap().to_owned();
    run(&[&["convert", mesh, "-o", &to, "--force", "-q", "--allow-loss"], options].concat());
    fs::read(to).unwrap()
}

/// Returns the corners of the triangles of an STL file.
fn stl(bytes: &[u8]) -> Vec<[Point; 3]> {
    let number = |record: &[u8], at: usize| f64::from(f32::from_le_bytes(record[at..at + 4].try_into().unwrap()));
    let point = |record: &[u8], at: usize| [0, 4, 8].map(|part| number(record, at + part));
    bytes[84..].chunks(50).map(|record| [12, 24, 36].map(|at| point(record, at))).collect()
}

fn obj(bytes: &[u8]) -> Vec<Point> {
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    let lines = text.lines().filter_map(|line| line.strip_prefix("v "));
    let numbers = lines.map(|line| line.split(' ').map(|word| word.parse().unwrap()).collect::<Vec<f64>>());
    numbers.map(|numbers| [numbers[0], numbers[1], numbers[2]]).collect()
}

fn ply(bytes: &[u8]) -> Vec<Point> {
    let end = bytes.windows(11).position(|window| window == b"end_header\n").unwrap() + 11;
    let header = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let count: usize = header.split("element vertex ").nth(1).unwrap().lines().next().unwrap().parse().unwrap();
    let vertex = header.split("element face").next().unwrap();
    let size = 4 * vertex.matches("property float ").count() + vertex.matches("property uchar ").count();
    let records = bytes[end..].chunks(size).take(count);
    let number = |record: &[u8], at: usize| f64::from(f32::from_le_bytes(record[at..at + 4].try_into().unwrap()));
    assert!(vertex.contains("float x\nproperty float y\nproperty float z"));
    records.map(|record| [0, 4, 8].map(|at| number(record, at))).collect()
}

fn multiplied(one: [[f64; 4]; 4], other: [[f64; 4]; 4]) -> [[f64; 4]; 4] {
    let cell = |column: usize, row: usize| (0..4).map(|k| one[k][row] * other[column][k]).sum();
    [0, 1, 2, 3].map(|column| [0, 1, 2, 3].map(|row| cell(column, row)))
}

fn moved(map: [[f64; 4]; 4], [x, y, z]: Point) -> Point {
    [0, 1, 2].map(|row| map[0][row] * x + map[1][row] * y + map[2][row] * z + map[3][row])
}

fn matrix(columns: [[f32; 4]; 4]) -> [[f64; 4]; 4] {
    columns.map(|column| column.map(f64::from))
}

/// Returns the positions of a GLB file as a viewer shows them in the rest pose: a mesh with a skin
/// follows its joints, and not its node.
fn glb(bytes: &[u8]) -> Vec<Point> {
    const IDENTITY: [[f64; 4]; 4] =
        [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];
    let file = gltf::Gltf::from_slice(bytes).unwrap();
    let blob = file.blob.clone().unwrap();
    let mut worlds = vec![IDENTITY; file.nodes().count()];
    let mut open: Vec<(gltf::Node<'_>, [[f64; 4]; 4])> =
        file.scenes().flat_map(|scene| scene.nodes()).map(|node| (node, IDENTITY)).collect();
    let mut shown = Vec::new();
    while let Some((node, parent)) = open.pop() {
        let world = multiplied(parent, matrix(node.transform().matrix()));
        worlds[node.index()] = world;
        open.extend(node.children().map(|child| (child, world)));
        shown.push(node.index());
    }
    shown.sort_unstable();
    let mut all = Vec::new();
    for node in shown.into_iter().filter_map(|index| file.nodes().nth(index)) {
        let Some(mesh) = node.mesh() else { continue };
        let joints: Option<Vec<[[f64; 4]; 4]>> = node.skin().map(|skin| {
            let inverse = skin.reader(|_| Some(&blob)).read_inverse_bind_matrices().unwrap();
            let joints = skin.joints().zip(inverse);
            joints.map(|(joint, inverse)| multiplied(worlds[joint.index()], matrix(inverse))).collect()
        });
        for primitive in mesh.primitives() {
            let reader = primitive.reader(|_| Some(&blob));
            let positions = reader.read_positions().unwrap().map(|position| position.map(f64::from));
            let Some(joints) = &joints else {
                all.extend(positions.map(|position| moved(worlds[node.index()], position)));
                continue;
            };
            let influences = reader.read_joints(0).unwrap().into_u16().zip(reader.read_weights(0).unwrap().into_f32());
            for (position, (bones, weights)) in positions.zip(influences) {
                let mut sum = [0.0; 3];
                for (bone, weight) in bones.into_iter().zip(weights) {
                    let place = moved(joints[usize::from(bone)], position);
                    sum.iter_mut().zip(place).for_each(|(sum, part)| *sum += f64::from(weight) * part);
                }
                all.push(sum);
            }
        }
    }
    all
}

fn assert_near(found: &[Point], expected: impl Iterator<Item = Point>, what: &str) {
    let expected: Vec<Point> = expected.collect();
    assert!(!expected.is_empty() && found.len() == expected.len(), "{what}: {} and {}", found.len(), expected.len());
    let size = expected.iter().flatten().fold(0.0_f64, |size, part| size.max(part.abs()));
    for (found, expected) in found.iter().zip(&expected) {
        let near = found.iter().zip(expected).all(|(one, other)| (one - other).abs() <= 1e-5 * size);
        assert!(near, "{what}: {found:?} and {expected:?}");
    }
}

#[test]
fn exports_are_turned_and_scaled() {
    let folder = tempfile::tempdir().unwrap();
    for (mesh, options, map) in CASES {
        let both = |name: &str| [&[][..], options].map(|options| converted(folder.path(), name, mesh, options));
        let what = format!("{mesh} {options:?}");
        let [before, after] = both("a.obj").map(|bytes| obj(&bytes));
        assert_near(&after, before.into_iter().map(map), &what);
        let [before, after] = both("a.ply").map(|bytes| ply(&bytes));
        assert_near(&after, before.into_iter().map(map), &what);
        let [before, after] = both("a.glb").map(|bytes| glb(&bytes));
        assert_near(&after, before.into_iter().map(map), &what);
        // The corners of a mirrored triangle are in the other order.
        let is_mirror = options.contains(&"-2");
        let [before, after] = both("a.stl").map(|bytes| stl(&bytes));
        let turned = before.into_iter().flat_map(|corners| {
            let [a, b, c] = corners.map(map);
            if is_mirror { [a, c, b] } else { [a, b, c] }
        });
        assert_near(after.as_flattened(), turned, &what);
        // An EZ-Mesh file that is made of it is the same mesh.
        for name in ["a.ezm", "a.ezb"] {
            converted(folder.path(), name, mesh, options);
            let again = stl(&converted(folder.path(), "b.stl", folder.path().join(name).to_str().unwrap(), &[]));
            assert_near(again.as_flattened(), after.iter().flatten().copied(), &what);
        }
        let stored = stl(&converted(folder.path(), "c.stl", mesh, &[options, &["--space", "stored"]].concat()));
        assert_near(stored.as_flattened(), after.into_iter().flatten(), &what);
    }
}

/// Rigged, placed and animated meshes of each format: whatever places them, the turn follows.
#[test]
fn what_places_a_mesh_is_turned_with_it() {
    let folder = tempfile::tempdir().unwrap();
    // The axes of these formats have z up: around z in the file is around y in the output.
    let options = ["--rotate", "z:30", "--scale", "2"];
    let map = |[x, y, z]: Point| {
        let (sine, cosine) = 30.0_f64.to_radians().sin_cos();
        // Without a mirror between the file and the output, y of the file is -z of the output.
        [2.0 * (cosine * x + sine * z), 2.0 * y, 2.0 * (cosine * z - sine * x)]
    };
    for mesh in [CUBE, SKINNED, ARM, MODEL] {
        let [before, after] = [&[][..], &options].map(|options| glb(&converted(folder.path(), "a.glb", mesh, options)));
        assert_near(&after, before.into_iter().map(map), mesh);
        let [before, after] = [&[][..], &options].map(|options| obj(&converted(folder.path(), "a.obj", mesh, options)));
        assert_near(&after, before.into_iter().map(map), mesh);
        for name in ["a.ezm", "a.json"] {
            converted(folder.path(), name, mesh, &options);
        }
    }
    // Unreal is left-handed with x forward, so the turn looks reversed in a right-handed output.
    let quarter = ["--rotate", "z:90", "--frame", "2"];
    let [before, after] =
        [&["--frame", "2"][..], &quarter].map(|options| stl(&converted(folder.path(), "a.stl", GUARD, options)));
    let turned: Vec<Point> = before.into_iter().flatten().map(|[x, y, z]| [-z, y, x]).collect();
    assert_near(after.as_flattened(), turned.into_iter(), GUARD);
}

/// A clip of a GLB file moves the joints below the node that turns them.
#[test]
fn clips_are_turned() {
    let folder = tempfile::tempdir().unwrap();
    for (mesh, frame) in [(SKINNED, "1"), (FLAG, "2")] {
        let options = ["--rotate", "x:90", "--scale", "2", "--frame", frame];
        let [before, after] =
            [&["--frame", frame][..], &options].map(|options| stl(&converted(folder.path(), "a.stl", mesh, options)));
        let glb = glb(&converted(folder.path(), "a.glb", mesh, &options));
        let extent = |points: &[Point], axis: usize| {
            let all = points.iter().map(|point| point[axis]);
            [all.clone().fold(f64::INFINITY, f64::min), all.fold(f64::NEG_INFINITY, f64::max)]
        };
        let turned = before.as_flattened().iter().map(|[x, y, z]| [2.0 * x, -2.0 * z, 2.0 * y]).collect::<Vec<_>>();
        for axis in 0..3 {
            for points in [after.as_flattened(), &glb] {
                let pairs = extent(points, axis).into_iter().zip(extent(&turned, axis));
                assert!(pairs.into_iter().all(|(one, other)| (one - other).abs() < 1e-4), "{mesh}, axis {axis}");
            }
        }
    }
}

#[test]
fn queries_are_in_the_turned_space() {
    let hit = |mesh: &str, from: &str, to: &str, more: &[&str]| {
        let arguments = [&["query", mesh, "ray", "--from", from, "--toward", to, "--json"], more].concat();
        let output = meshpeek(&arguments);
        assert_eq!(code(&output), 0, "{}", text(&output.stderr));
        let mut answer = json(&output);
        answer.as_object_mut().unwrap().remove("pages_touched");
        answer
    };
    let plain = hit(FLAG, "0.6,9,0.4", "0.6,0,0.4", &[]);
    let turned = hit(FLAG, "0.6,0.4,-9", "0.6,0.4,0", &["--up", "z"]);
    for field in ["hit", "surface", "triangle", "front"] {
        assert_eq!(plain[field], turned[field], "{field}: {plain} {turned}");
    }
    let numbers = |value: &Value, field: &str| {
        value[field].as_array().unwrap().iter().map(|part| part.as_f64().unwrap()).collect::<Vec<_>>()
    };
    if plain["hit"] == true {
        let [point, moved] = [&plain, &turned].map(|answer| numbers(answer, "point"));
        assert_near(&[[moved[0], moved[1], moved[2]]], [[point[0], point[2], -point[1]]].into_iter(), "point");
    }
    let cube = hit(CUBE, "0.1,0.2,9", "0.1,0.2,0", &[]);
    let large = hit(CUBE, "1,2,90", "1,2,0", &["--scale", "10"]);
    assert_eq!((&cube["hit"], &large["hit"]), (&true.into(), &true.into()));
    assert_eq!(numbers(&large, "point")[2], 10.0 * numbers(&cube, "point")[2]);
    assert_eq!((&cube["triangle"], &cube["t"]), (&large["triangle"], &large["t"]));
    // A vertex is where an export shows it.
    let vertex = |more: &[&str]| {
        numbers(&json(&meshpeek(&[&["query", CUBE, "vertex", "--vertex", "3", "--json"], more].concat())), "point")
    };
    let [x, y, z] = vertex(&[]).try_into().unwrap();
    assert_eq!(vertex(&["--rotate", "z:90", "--scale", "2"]), [-2.0 * y, 2.0 * x, 2.0 * z]);
    // A mirrored triangle is hit from the other side in the other direction.
    let mirrored = hit(CUBE, "-0.1,-0.2,-9", "-0.1,-0.2,0", &["--scale", "-1"]);
    assert_eq!((&cube["triangle"], &cube["front"]), (&mirrored["triangle"], &mirrored["front"]), "{cube} {mirrored}");
}

#[test]
fn pictures_are_those_of_the_turned_mesh() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let drawn = |mesh: &str, options: &[&str]| {
        let to = at("a.png");
        run(&[&["view", mesh, "-o", &to, "--size", "96", "--force", "--plain"], options].concat());
        fs::read(to).unwrap()
    };
    // The coordinates of the crate, turned by hand in the text of the file.
    let source = fs::read_to_string(CRATE).unwrap();
    assert!(source.contains("<vertexbuffer"), "{source}");
    for (mesh, one, other) in [
        (FLAG, &["--up", "z"][..], &["--rotate", "x:-90"][..]),
        (CUBE, &["--up", "y", "--front", "z"], &["--rotate", "x:90"]),
        (SKINNED, &["--up=-z", "--overlay", "skeleton,bounds"], &["--rotate", "x:180", "--overlay", "skeleton,bounds"]),
        // The camera is as far away as the mesh needs.
        (FLAG, &["--scale", "8"], &[]),
    ] {
        assert!(drawn(mesh, one) == drawn(mesh, other), "{mesh} {one:?}");
    }
    assert!(drawn(FLAG, &["--up", "z"]) != drawn(FLAG, &[]));
    // An exported mesh that was turned looks like the turned picture.
    let ezm = at("turned.ezm");
    run(&["convert", CRATE, "-o", &ezm, "--up", "z"]);
    assert!(drawn(&ezm, &[]) == drawn(CRATE, &["--up", "z"]));
    // A page has the same positions.
    let pages = [&[][..], &["--up", "z"]].map(|options| {
        let to = at("a.html");
        run(&[&["view", FLAG, "-o", &to, "--force"], options].concat());
        fs::read(to).unwrap()
    });
    assert!(pages[0] != pages[1]);
}

#[test]
fn wrong_axes_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("a.glb").to_str().unwrap().to_owned();
    for (options, part) in [
        (&["--up", "w"][..], "[possible values: x, y, z, -x, -y, -z]"),
        (&["--front", "y"], "give both --up and --front"),
        (&["--up", "z", "--front", "-z"], "give both --up and --front"),
        (&["--scale", "0"], "0.000000001 to 1000000000"),
        (&["--scale", "NaN"], "0.000000001 to 1000000000"),
        (&["--rotate", "90"], "x:90 or z:-45"),
        (&["--rotate", "x:90,q:3"], "x:90 or z:-45"),
    ] {
        for verb in [&["convert", FLAG, "-o", &to][..], &["query", FLAG, "nearest", "--point", "0,0,0"]] {
            let output = meshpeek(&[verb, options].concat());
            assert!(code(&output) == 2 && text(&output.stderr).contains(part), "{options:?}: {}", text(&output.stderr));
        }
    }
    assert!(!Path::new(&to).exists());
}

//! Tests the coordinate conventions of each format, and the conversion to other conventions.

use meshpeek::decode::TangentFrame;
use meshpeek::model::animation::{Affine, SkinMatrix};
use meshpeek::model::{Axis, Handedness, Space, SpaceConversion, Transform, UvOrigin, Winding};
use meshpeek::unreal::{self, Placement};
use meshpeek::{Array, Bounds, ErrorKind, Geometry, Model, Pose, Surface};

use crate::support::changed;
use crate::support::random::Random;

type Vector = [f32; 3];

fn cross([ax, ay, az]: Vector, [bx, by, bz]: Vector) -> Vector {
    [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx]
}

fn dot(a: Vector, b: Vector) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn subtract(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn expect_close(found: Vector, expected: Vector, error: f32, what: &str) {
    let difference = subtract(found, expected).map(f32::abs);
    assert!(difference.iter().all(|part| *part <= error), "{what}: {found:?}, expected {expected:?}");
}

fn open(file: &str) -> Model<Vec<u8>> {
    Model::open(meshpeek::read(format!("data/{file}")).unwrap()).unwrap()
}

fn pair(stem: &str) -> unreal::Mesh<Vec<u8>> {
    let [data, aniv] = ["d", "a"].map(|kind| meshpeek::read(format!("data/unreal/{stem}_{kind}.3d")).unwrap());
    let mesh = unreal::Mesh::open(data, aniv).unwrap();
    match meshpeek::read(format!("data/unreal/{stem}.uc")) {
        Ok(script) => mesh.with_script(unreal::script::Script::open(script).unwrap(), stem.as_bytes()).unwrap(),
        Err(_) => mesh,
    }
}

/// Counts the triangles whose converted winding agrees with a converted normal, and all triangles
/// that have normals and an area.
fn agreement(surface: &Surface<'_>, conversion: SpaceConversion) -> [usize; 2] {
    let Some(normals) = surface.normals().unwrap() else { return [0; 2] };
    let (normals, positions) = (conversion.array(normals), conversion.array(surface.positions().unwrap()));
    let mut counts = [0; 2];
    for corners in surface.corners().unwrap().triangles() {
        let corners = conversion.triangle(corners);
        let [a, b, c] = corners.map(|corner| positions.get(corner.position as usize).unwrap());
        let plane = cross(subtract(b, a), subtract(c, a));
        let mean = corners.map(|corner| normals.get(corner.attribute as usize).unwrap());
        let side = mean.iter().map(|normal| dot(*normal, plane)).sum::<f32>();
        if side != 0.0 {
            counts = [counts[0] + usize::from(side > 0.0), counts[1] + 1];
        }
    }
    counts
}

#[test]
fn conventions_are_made_in_one_expression() {
    const GLTF: Space = Space {
        up: Some(Axis::Y),
        forward: Some(Axis::Z),
        handedness: Some(Handedness::Right),
        winding: Some(Winding::CounterClockwise),
        metres_per_unit: Some(1.0),
        uv_origin: Some(UvOrigin::TopLeft),
        ..Space::UNKNOWN
    };
    assert_eq!(GLTF, Space::GLTF);
}

#[test]
fn states_the_conventions_of_each_format() {
    let said = |geometry: &dyn Geometry| {
        let space = geometry.space();
        (space.up, space.forward, space.handedness, space.winding, space.metres_per_unit, space.uv_origin)
    };
    let unigine = (
        Some(Axis::Z),
        Some(Axis::NegativeY),
        Some(Handedness::Right),
        Some(Winding::CounterClockwise),
        Some(1.0),
        Some(UvOrigin::TopLeft),
    );
    assert_eq!(said(open("unigine/skinned_ms10.mesh").geometry()), unigine);
    assert_eq!(said(open("unigine/wave_an13.anim").geometry()), unigine);
    assert_eq!(
        said(open("secondlife/arm.llmesh").geometry()),
        (
            Some(Axis::Z),
            Some(Axis::X),
            Some(Handedness::Right),
            Some(Winding::CounterClockwise),
            None,
            Some(UvOrigin::BottomLeft)
        )
    );
    for file in ["ezmesh/crate.ezm", "ezmesh/crate100.ezb"] {
        let unknown = (None, None, None, Some(Winding::CounterClockwise), None, None);
        assert_eq!(said(open(file).geometry()), unknown);
    }
    assert_eq!(
        said(&pair("guard")),
        (Some(Axis::Z), Some(Axis::X), Some(Handedness::Left), Some(Winding::Clockwise), None, Some(UvOrigin::TopLeft))
    );
}

#[test]
fn normals_agree_with_the_winding_in_gltf_space() {
    let assumed = changed!(Space::UNKNOWN, up: Some(Axis::Z), handedness: Some(Handedness::Right));
    let mut formats = [0; 3];
    for (format, file) in [
        (0, "unigine/cube_ms10.mesh"),
        (0, "unigine/room_ms14.mesh"),
        (1, "secondlife/arm.llmesh"),
        (1, "secondlife/rock.llmesh"),
        (2, "ezmesh/crate.ezm"),
        (2, "ezmesh/flag101.ezb"),
    ] {
        let model = open(file);
        let geometry = model.geometry();
        let conversion = geometry.space().or(&assumed).conversion_to(&Space::GLTF).unwrap();
        for surface in Surface::all(geometry).unwrap() {
            let [agreeing, all] = agreement(&surface, conversion);
            assert!(agreeing * 100 >= all * 99, "{file}: {agreeing} of {all}");
            formats[format] += all;
        }
    }
    assert!(formats.iter().all(|triangles| *triangles > 0), "{formats:?}");
}

/// Tests that the script of an Unreal mesh places it, and that a scale without a script makes the
/// axes equal.
#[test]
fn places_meshes_of_a_script() {
    let mesh = pair("guard");
    let placement = Placement::of(&mesh.script().unwrap());
    assert!(placement != Placement::STORED);
    let conversion = mesh.space().conversion_to(&Space::GLTF).unwrap();
    assert!(conversion.is_mirrored() && conversion.reverses_corners() && !conversion.flips_v());
    let surface = Surface::new(&mesh, 0).unwrap();
    let stored = surface.positions().unwrap();
    let converted = conversion.array(stored);
    for index in 0..stored.len() {
        // x is forward, y right and z up, and in glTF z is forward, x left and y up.
        let [forward, right, up] = placement.apply(stored.get(index).unwrap());
        expect_close(converted.get(index).unwrap(), [-right, up, forward], 1e-3, "placed");
    }
    let bare = pair("crate64");
    assert!(bare.script().is_none());
    let author = Placement::author(bare.variant());
    let conversion = bare.space().conversion_to(&changed!(Space::UNKNOWN, up: Some(Axis::Z))).unwrap();
    assert_eq!(conversion.position([256.0, 512.0, 1024.0]), author.apply([256.0, 512.0, 1024.0]));
}

/// Tests that a mirrored scale in a script turns the winding round, so that converted triangles
/// still face outwards.
#[test]
fn a_mirrored_placement_keeps_the_front() {
    let mesh = pair("guard");
    let normal = mesh.space();
    let script = meshpeek::read("data/unreal/guard.uc").unwrap();
    let text = String::from_utf8(script).unwrap();
    let scale = mesh.script().unwrap().scale().unwrap();
    let [before, after] = [scale[0], -scale[0]].map(|x| format!("MESHMAP=GUARD X={x}"));
    let mirrored = text.to_uppercase().replace(&before, &after);
    assert!(mirrored.contains(&after), "{mirrored}");
    let [data, aniv] = ["d", "a"].map(|kind| meshpeek::read(format!("data/unreal/guard_{kind}.3d")).unwrap());
    let script = unreal::script::Script::open(mirrored.into_bytes()).unwrap();
    let mirrored = unreal::Mesh::open(data, aniv).unwrap().with_script(script, b"guard").unwrap();
    assert_eq!((normal.winding, mirrored.space().winding), (Some(Winding::Clockwise), Some(Winding::CounterClockwise)));
    // The signed volume of a closed mesh is positive if its triangles face outwards.
    let volume = |mesh: &unreal::Mesh<Vec<u8>>| {
        let conversion = mesh.space().conversion_to(&Space::GLTF).unwrap();
        let surfaces = Surface::all(mesh).unwrap().filter(|surface| surface.is_drawn().unwrap());
        let volumes = surfaces.map(|surface| {
            let positions = conversion.array(surface.positions().unwrap());
            let volumes = surface.corners().unwrap().triangles().map(|corners| {
                let [a, b, c] =
                    conversion.triangle(corners).map(|corner| positions.get(corner.position as usize).unwrap());
                dot(a, cross(b, c))
            });
            volumes.sum::<f32>()
        });
        volumes.sum::<f32>()
    };
    let [normal, mirrored] = [volume(&mesh), volume(&mirrored)];
    assert!(normal > 0.0 && (normal - mirrored).abs() <= normal * 1e-3, "{normal}, mirrored {mirrored}");
}

#[test]
fn unknown_conventions_are_errors_until_they_are_stated() {
    let model = open("ezmesh/crate.ezm");
    let space = model.geometry().space();
    let error = space.conversion_to(&Space::GLTF).unwrap_err();
    assert_eq!((error.kind().id(), error.field().to_string().as_str()), ("missing", "up"));
    assert!(error.to_string().contains("Space::or"), "{error}");
    let up = changed!(Space::UNKNOWN, up: Some(Axis::Y));
    assert_eq!(space.or(&up).conversion_to(&Space::GLTF).unwrap_err().field().to_string(), "handedness");
    let stated = space.or(&changed!(up, handedness: Some(Handedness::Right)));
    let conversion = stated.conversion_to(&Space::GLTF).unwrap();
    assert_eq!((conversion, conversion.flips_v()), (SpaceConversion::IDENTITY, false));
    // Without wanted axes, nothing changes.
    assert_eq!(Space::UNKNOWN.conversion_to(&Space::UNKNOWN).unwrap(), SpaceConversion::IDENTITY);
    let parallel = changed!(Space::GLTF, forward: Some(Axis::NegativeY));
    assert_eq!(Space::GLTF.conversion_to(&parallel).unwrap_err().kind().id(), "value");
}

#[test]
fn converts_between_all_pairs_of_axes() {
    let axes = [Axis::X, Axis::Y, Axis::Z, Axis::NegativeX, Axis::NegativeY, Axis::NegativeZ];
    let spaces: Vec<Space> = axes
        .iter()
        .flat_map(|up| axes.map(|forward| (*up, forward)))
        .filter(|(up, forward)| dot(up.direction(), forward.direction()) == 0.0)
        .flat_map(|(up, forward)| [Handedness::Right, Handedness::Left].map(|hand| (up, forward, hand)))
        .map(|(up, forward, hand)| changed!(Space::UNKNOWN, up: Some(up), forward: Some(forward), handedness: Some(hand)))
        .collect();
    assert_eq!(spaces.len(), 48);
    for from in &spaces {
        for to in &spaces {
            let conversion = from.conversion_to(to).unwrap();
            let [up, forward] = [from.up, from.forward].map(|axis| conversion.position(axis.unwrap().direction()));
            assert_eq!((up, forward), (to.up.unwrap().direction(), to.forward.unwrap().direction()));
            assert_eq!(conversion.is_mirrored(), from.handedness != to.handedness);
            let back = to.conversion_to(from).unwrap();
            assert_eq!(back.position(conversion.position([1.0, 2.0, 3.0])), [1.0, 2.0, 3.0]);
        }
    }
    // Without a known front, the x axis stays, and up becomes up.
    let from = changed!(Space::UNKNOWN, up: Some(Axis::Z), handedness: Some(Handedness::Right));
    let conversion = from.conversion_to(&changed!(Space::GLTF, winding: None)).unwrap();
    assert_eq!(conversion.position([1.0, 2.0, 3.0]), [1.0, 3.0, -2.0]);
}

/// Tests that normals stay perpendicular, and that the bitangent points in the direction of the
/// converted v, for random placements.
#[test]
fn converts_directions_with_the_surface() {
    let mut random = Random::new(7);
    let mut number = || random.below(4001) as f32 / 1000.0 - 2.0;
    for round in 0..500 {
        let columns: [[f64; 3]; 4] = std::array::from_fn(|_| std::array::from_fn(|_| f64::from(number())));
        let placement = Affine::new(columns);
        let Some(_) = placement.inverse() else { continue };
        let flips = round % 2 == 0;
        let from = changed!(Space::GLTF, winding: Some(Winding::CounterClockwise), uv_origin: Some(if flips { UvOrigin::BottomLeft } else { UvOrigin::TopLeft }), placement: placement);
        let conversion = from.conversion_to(&Space::GLTF).unwrap();
        assert_eq!(conversion.flips_v(), flips);
        let frame = TangentFrame {
            rotation: [number(), number(), number(), number() + 3.0],
            handedness: if round % 3 == 0 { -1.0 } else { 1.0 },
        };
        let length = frame.rotation.iter().map(|part| part * part).sum::<f32>().sqrt();
        let frame = TangentFrame { rotation: frame.rotation.map(|part| part / length), ..frame };
        let converted = conversion.tangent_frame(&frame);
        let at = [number(), number(), number()];
        let image = |direction: Vector| {
            let end = [at[0] + direction[0], at[1] + direction[1], at[2] + direction[2]];
            subtract(conversion.position(end), conversion.position(at))
        };
        let normal = conversion.normal(frame.normal());
        for direction in [frame.tangent(), frame.bitangent()] {
            let moved = image(direction);
            assert!(dot(normal, moved).abs() <= 1e-3 * (1.0 + dot(moved, moved).sqrt()), "{round}: {normal:?}");
        }
        // A small step along the old normal ends on the side to which the new normal points.
        assert!(dot(normal, image(frame.normal())) > 0.0, "{round}");
        expect_close(converted.normal(), normal, 1e-3, "normal");
        let along_v = image(frame.bitangent()).map(|part| if flips { -part } else { part });
        assert!(dot(converted.bitangent(), along_v) > 0.0, "{round}: the bitangent points against v");
        let moved = Affine::new([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, 2.0, 3.0]]);
        let inside = conversion.transform(&moved).unwrap();
        let error = 2e-2 * columns.as_flattened().iter().fold(1.0_f64, |most, part| most.max(part.abs())) as f32;
        let scale = inside.columns_f32().as_flattened().iter().fold(1.0_f32, |most, part| most.max(part.abs()));
        expect_close(
            inside.apply(conversion.position(at)),
            conversion.position(moved.apply(at)),
            error * scale.max(1.0) * 1e-2,
            "transform",
        );
    }
}

#[test]
fn converts_units_boxes_and_texture_coordinates() {
    let inches = changed!(Space::GLTF, metres_per_unit: Some(0.0254), uv_origin: Some(UvOrigin::BottomLeft));
    let conversion = inches.conversion_to(&Space::GLTF).unwrap();
    assert_eq!(conversion.position([1000.0, 0.0, -100.0]), [25.4, 0.0, -2.54]);
    assert_eq!(conversion.uv([0.25, 0.25]), [0.25, 0.75]);
    assert_eq!(conversion.triangle([1, 2, 3]), [1, 2, 3]);
    let clockwise = changed!(Space::GLTF, winding: Some(Winding::Clockwise));
    assert_eq!(clockwise.conversion_to(&Space::GLTF).unwrap().triangle([1, 2, 3]), [1, 3, 2]);
    let down = changed!(Space::GLTF, up: Some(Axis::NegativeY));
    let conversion = down.conversion_to(&Space::GLTF).unwrap();
    let bounds = conversion.bounds(&Bounds { min: [1.0, 2.0, 3.0], max: [4.0, 5.0, 6.0] });
    assert_eq!(bounds, Bounds { min: [-4.0, -5.0, 3.0], max: [-1.0, -2.0, 6.0] });
    assert_eq!(conversion.bounds(&Bounds::EMPTY), Bounds::EMPTY);
}

#[test]
fn skin_matrices_move_converted_vertices() {
    let known = Space { metres_per_unit: Some(0.01), ..Space::GLTF };
    let turned = Affine::new([[0.6, 0.8, 0.0], [-0.8, 0.6, 0.0], [0.0, 0.0, 1.0], [1.0, 2.0, 3.0]]);
    let flat = changed!(Space::GLTF, placement: Affine::new([[0.0; 3]; 4])).conversion_to(&Space::GLTF).unwrap();
    let names = [
        "unigine/skinned_ms12.mesh",
        "unigine/bend_an10.anim",
        "ezmesh/flag.ezm",
        "ezmesh/flag101.ezb",
        "secondlife/arm.llmesh",
    ];
    for name in names {
        let model = open(name);
        let (skeleton, mut pose) = (model.skeleton().unwrap(), Pose::rest(model.animations()).unwrap());
        assert!(!skeleton.is_empty(), "{name}");
        // Every bone is turned and moved, so that no matrix is the identity.
        for (bone, step) in pose.bones_mut().iter_mut().zip(1_u8..) {
            bone.rotation = [0.0, 0.6, 0.0, 0.8];
            bone.position[0] += f32::from(step);
        }
        let stored = pose.palette(&skeleton, &SpaceConversion::IDENTITY).unwrap().to_vec();
        let mut bones = vec![Affine::IDENTITY; skeleton.len()];
        let mut separate = vec![SkinMatrix::IDENTITY; skeleton.len()];
        skeleton.model(pose.bones(), &mut bones).unwrap();
        skeleton.palette(&bones, &mut separate).unwrap();
        assert_eq!(stored, separate, "{name}");
        let space = model.space().or(&known);
        for space in [space, changed!(space, placement: turned)] {
            let conversion = space.conversion_to(&Space::GLTF).unwrap();
            let converted = pose.palette(&skeleton, &conversion).unwrap();
            for (stored, converted) in stored.iter().zip(converted) {
                for point in [[0.0; 3], [1.0, 2.0, -3.0]] {
                    let expected = conversion.position(stored.apply(point));
                    expect_close(converted.apply(conversion.position(point)), expected, 1e-3, name);
                }
            }
        }
        let error = pose.palette(&skeleton, &flat).unwrap_err();
        assert_eq!((error.kind(), error.field().to_string()), (ErrorKind::Value, "conversion".to_owned()), "{name}");
    }
    let skeleton = open("unigine/skinned_ms12.mesh").skeleton().unwrap();
    let error = Pose::default().palette(&skeleton, &flat).unwrap_err();
    assert_eq!((error.kind(), error.field().to_string()), (ErrorKind::Buffer, "local".to_owned()));
}

/// Tests that converted transforms of bones move converted points as the transforms move points.
#[test]
fn local_transforms_move_converted_points() {
    let mut random = Random::new(11);
    let axes = [Axis::X, Axis::Y, Axis::Z, Axis::NegativeX, Axis::NegativeY, Axis::NegativeZ];
    let turned = Affine::new([[0.6, 0.8, 0.0], [-0.8, 0.6, 0.0], [0.0, 0.0, 1.0], [1.0, 2.0, 3.0]]);
    let mut expect = |from: Space, target: Space, is_even: bool| {
        let conversion = from.conversion_to(&target).unwrap();
        let mut vector = || [0; 3].map(|_| random.unit());
        let [position, scale, point] = [vector(), vector(), vector()];
        let scale = if is_even { [scale[0] + 2.0; 3] } else { scale.map(|part| part + 2.0) };
        let transform = Transform { position, rotation: [0.3, -0.4, 0.2, random.unit() + 2.0], scale };
        let converted = conversion.local(&transform);
        let expected = conversion.position(Affine::from(&transform).apply(point));
        let found = Affine::from(&converted).apply(conversion.position(point));
        expect_close(found, expected, 2e-6 * 6.0 * from.metres_per_unit.unwrap_or(1.0).max(1.0), "moved");
    };
    for up in axes {
        for forward in axes.into_iter().filter(|forward| dot(up.direction(), forward.direction()) == 0.0) {
            for hand in [Handedness::Right, Handedness::Left] {
                let space = Space { up: Some(up), forward: Some(forward), handedness: Some(hand), ..Space::GLTF };
                for unit in [1.0, 0.01, 3.0] {
                    expect(Space { metres_per_unit: Some(unit), ..space }, Space::GLTF, false);
                }
                expect(space.placed(turned), Space::GLTF, true);
            }
        }
    }
}

#[test]
fn local_transforms_are_exact_if_axes_are_exchanged() {
    let odd = Transform { position: [-0.0, f32::MIN_POSITIVE, 1e30], rotation: [0.0; 4], scale: [0.0, -1.0, 7.0] };
    assert_eq!(format!("{:?}", SpaceConversion::IDENTITY.local(&odd)), format!("{odd:?}"));
    let z_up = Space { up: Some(Axis::Z), forward: Some(Axis::NegativeY), ..Space::GLTF };
    let right = z_up.conversion_to(&Space::GLTF).unwrap();
    let bone = Transform { position: [1.0, 2.0, 3.0], rotation: [4.0, 5.0, 6.0, 7.0], scale: [0.0, 8.0, 9.0] };
    let expected = Transform { position: [1.0, 3.0, -2.0], rotation: [4.0, 6.0, -5.0, 7.0], scale: [0.0, 9.0, 8.0] };
    assert_eq!(right.local(&bone), expected);
    let left = Space { handedness: Some(Handedness::Left), ..z_up }.conversion_to(&Space::GLTF).unwrap();
    let mirrored = left.local(&Transform { rotation: [0.0, 0.0, 0.5, 1.0], ..bone });
    assert_eq!(mirrored.position, [-1.0, 3.0, -2.0]);
    assert_eq!(format!("{:?}", mirrored.rotation), "[0.0, -0.5, 0.0, 1.0]");
    // A transform without an inverse keeps its rotation and scale in any other conversion.
    let uneven = Affine::new([[2.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0; 3]]);
    let stretched = Space::GLTF.placed(uneven).conversion_to(&Space::GLTF).unwrap();
    assert_eq!(stretched.local(&bone), Transform { position: [2.0, 2.0, 3.0], ..bone });
    assert_eq!(stretched.local(&Transform::default()), Transform::default());
}

#[test]
fn an_assumed_forward_axis_is_perpendicular_to_the_up_axis() {
    let space = Space { up: Some(Axis::Z), handedness: Some(Handedness::Right), ..Space::UNKNOWN };
    let space = Space { winding: Some(Winding::CounterClockwise), ..space }.or(&Space::GLTF);
    assert_eq!((space.up, space.forward), (Some(Axis::Z), None));
    assert!(space.conversion_to(&Space::GLTF).is_ok());
    let up = changed!(Space::UNKNOWN, up: Some(Axis::NegativeX));
    assert_eq!(up.or(&Space::GLTF).forward, Space::GLTF.forward);
}

#[test]
fn a_placement_without_volume_is_no_panic() {
    for column in [[0.0; 3], [f64::NAN; 3], [f64::INFINITY; 3], [1e300; 3]] {
        let placement = Affine::new([column, [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], column]);
        let conversion = changed!(Space::GLTF, placement: placement).conversion_to(&Space::GLTF).unwrap();
        assert!(conversion.transform(&Affine::IDENTITY).is_none());
        let _ = (conversion.position([1.0; 3]), conversion.normal([1.0; 3]), conversion.direction([1.0; 3]));
        let _ = conversion.tangent_frame(&TangentFrame::default());
        let _ = conversion.bounds(&Bounds { min: [0.0; 3], max: [1.0; 3] });
    }
}

/// Tests that all ways to read a converted array return the same values.
#[test]
fn every_way_of_reading_converts() {
    let model = open("secondlife/arm.llmesh");
    let geometry = model.geometry();
    let conversion = geometry.space().conversion_to(&Space::GLTF).unwrap();
    let surface = geometry.surface(0).unwrap();
    let stored = surface.positions().unwrap();
    let positions = conversion.array(stored);
    let one_by_one: Vec<Vector> = (0..positions.len()).map(|index| positions.get(index).unwrap()).collect();
    let mut bulk = vec![[0.0; 3]; positions.len()];
    positions.decode_into(&mut bulk).unwrap();
    assert_eq!((&bulk, positions.iter().collect::<Vec<_>>()), (&one_by_one, bulk.clone()));
    let mut chunked = Vec::new();
    positions.for_each_chunk(|_, chunk| chunked.extend_from_slice(chunk));
    assert_eq!(chunked, one_by_one);
    assert_eq!(positions.slice(1..3).unwrap().iter().collect::<Vec<_>>(), one_by_one[1..3]);
    assert_eq!(positions.as_bytes(), stored.as_bytes());
    let own = surface.uvs(0).unwrap().unwrap();
    assert!(conversion.array(own).iter().zip(own.iter()).all(|([u, v], [a, b])| u == a && v == 1.0 - b));
    let exact = stored.bounds();
    assert_eq!(positions.bounds(), conversion.bounds(&exact));
}

//! Tests of exported EZ-Mesh files: every sample is read back with the reader of the format.

use std::collections::BTreeMap;

use meshpeek::export::{Export, ExportFormat, ExportOptions, LossKind, SceneInput};
use meshpeek::model::animation::{Affine, Animations};
use meshpeek::model::{Contents, Geometry, Space, Transform};
use meshpeek::unigine::Generation;
use meshpeek::{Array, Model, OpenOptions, Severity, Surface};

use crate::expected::{assumed, decode};
use crate::support::allocations::most_held;
use crate::support::secondlife::raw_assets::{array, codes, integer, map, one, reals, shift, square, string, with};
use crate::support::unigine::skinned;
use crate::{corpus_meshes, export, for_each_sample, sample};

const FORMATS: [ExportFormat; 2] = [ExportFormat::Ezm, ExportFormat::Ezb];

/// Exports a mesh, and reads it back. The file follows all rules of the format.
fn again(name: &str, contents: &dyn Contents, format: ExportFormat) -> Model<Vec<u8>> {
    let (mut files, losses) =
        export(contents, format, &ExportOptions::default()).unwrap_or_else(|error| panic!("{name}: {error}"));
    let again = export(contents, format, &ExportOptions::default()).unwrap();
    assert!(files == again.0 && losses == again.1, "{name}: two exports differ");
    let options = OpenOptions::default().with_strict(true);
    let model = Model::open_with(files.remove(0), &options).unwrap_or_else(|error| panic!("{name}: {error}"));
    model.file().check().unwrap();
    model.file().validate(&mut |finding| assert!(finding.severity < Severity::Error, "{name}: {finding:?}")).unwrap();
    model
}

/// Returns the corners of all triangles: position, normal and UV of each.
fn corners(geometry: &dyn Geometry) -> Vec<[Vec<f32>; 3]> {
    let mut all = Vec::new();
    for surface in Surface::all(geometry).unwrap() {
        let (positions, normals, uvs) =
            (surface.positions().unwrap(), surface.normals().unwrap(), surface.uvs(0).unwrap());
        for corner in surface.corners().unwrap() {
            let attribute = corner.attribute as usize;
            all.push([
                positions.get(corner.position as usize).unwrap().to_vec(),
                normals.map_or(vec![], |normals| normals.get(attribute).unwrap().to_vec()),
                uvs.map_or(vec![], |uvs| uvs.get(attribute).unwrap().to_vec()),
            ]);
        }
    }
    all
}

fn target(model: &dyn Contents) -> Space {
    if model.format() == "ezmesh" { Space::UNKNOWN } else { Space::GLTF }
}

fn compare(name: &str, contents: &dyn Contents, format: ExportFormat) {
    let model = again(name, contents, format);
    let (mut expected, mut equal) = (Vec::new(), Vec::new());
    for surface in decode(contents, &target(contents)) {
        // Equal normals may be replaced by computed ones.
        let is_equal = surface.normals.windows(2).all(|two| two[0] == two[1]);
        equal.resize(equal.len() + surface.triangles.len() * 3, is_equal);
        for corner in surface.triangles.iter().flatten() {
            let attribute = corner.attribute as usize;
            expected.push([
                surface.positions[corner.position as usize].to_vec(),
                surface.normals.get(attribute).map_or(vec![], |normal| normal.to_vec()),
                surface.uvs.get(attribute).map_or(vec![], |uv| uv.to_vec()),
            ]);
        }
    }
    let found = corners(model.geometry());
    assert_eq!(found.len(), expected.len(), "{name}");
    for (number, (mut found, expected)) in found.into_iter().zip(&expected).enumerate() {
        let (mut expected, is_equal) = (expected.clone(), equal.get(number) == Some(&true));
        if expected[1].is_empty() || is_equal {
            assert_eq!(found[1].len(), 3, "{name}: a computed normal");
            found[1].clear();
            expected[1].clear();
        }
        assert_eq!(found, expected, "{name}: corner {number}");
    }
}

#[test]
fn samples_come_back() {
    for_each_sample(|name, model| {
        for format in FORMATS {
            compare(name, model.contents(), format);
        }
    });
}

#[test]
fn real_files_come_back() {
    let mut files = 0;
    for (name, model) in corpus_meshes() {
        // Damaged surfaces lose triangles, which other tests count.
        let surfaces = model.geometry().surface_count().unwrap_or_default();
        if (0..surfaces).any(|surface| Surface::new(model.geometry(), surface).unwrap().weld().is_err()) {
            continue;
        }
        let level = model.asset(0).and_then(|asset| asset.level(0).map(drop));
        if level.is_ok() && export(model.contents(), ExportFormat::Ezb, &ExportOptions::default()).is_ok() {
            compare(&name, model.contents(), ExportFormat::Ezb);
            files += 1;
        }
    }
    assert!(files == 0 || files > 200, "{files} files");
}

#[test]
fn bones_and_clips_come_back() {
    let mut compared = 0;
    for file in ["unigine/skinned_ms12.mesh", "unigine/skinned_ms10.mesh", "ezmesh/flag.ezm", "secondlife/arm.llmesh"] {
        let source = sample(file);
        let space = source.space().placed(Affine::IDENTITY).or(&assumed());
        let conversion = space.conversion_to(&target(source.contents())).unwrap();
        for format in FORMATS {
            let found = again(file, source.contents(), format);
            assert_eq!(found.animations().bone_count().unwrap(), source.animations().bone_count().unwrap(), "{file}");
            for bone in 0..source.animations().bone_count().unwrap() {
                let expected = source.animations().bone(bone).unwrap();
                let index = found.animations().find_bone(expected.name.as_bytes()).unwrap().unwrap();
                expect_near(&found.animations().bone(index).unwrap().bind, &conversion.local(&expected.bind));
            }
            for clip in 0..source.animations().clip_count().unwrap() {
                let frames = source.clip(clip).unwrap().frames;
                let mut poses =
                    [source.animations().bone_count().unwrap(); 2].map(|count| vec![Transform::default(); count]);
                for frame in 0..frames as usize {
                    source.animations().pose(clip, frame, &mut poses[0]).unwrap();
                    found.animations().pose(clip, frame, &mut poses[1]).unwrap();
                    for (bone, pose) in poses[0].iter().enumerate() {
                        let name = source.animations().bone(bone).unwrap().name;
                        let index = found.animations().find_bone(name.as_bytes()).unwrap().unwrap();
                        expect_near(&poses[1][index], &conversion.local(pose));
                        compared += 1;
                    }
                }
            }
            expect_weights(file, &source, &found);
        }
    }
    assert!(compared > 20, "{compared}");
}

/// A vertex without weights follows a bone that never moves.
#[test]
fn vertices_without_weights_stay() {
    let mut mesh = skinned(Generation::Ms12);
    mesh.surfaces[0].weights[2].clear();
    mesh.bones[1].name = "without bones".to_owned();
    let source = Model::open(mesh.to_bytes().unwrap()).unwrap();
    let conversion = source.space().placed(Affine::IDENTITY).or(&assumed()).conversion_to(&Space::GLTF).unwrap();
    for format in FORMATS {
        let found = again("without weights", source.contents(), format);
        let still = source.animations().bone_count().unwrap();
        assert_eq!(found.animations().bone_count().unwrap(), still + 1);
        assert_eq!(found.animations().bone(still).unwrap().name.as_bytes(), b"without bones_3");
        let (stored, written) =
            (Surface::new(source.geometry(), 0).unwrap(), Surface::new(found.geometry(), 0).unwrap());
        let (positions, weights) = (written.positions().unwrap(), written.weights().unwrap().unwrap());
        let expected = conversion.position(stored.positions().unwrap().get(2).unwrap());
        let moved: Vec<i32> = (0..positions.len())
            .filter(|vertex| positions.get(*vertex) == Some(expected))
            .flat_map(|vertex| weights.get(vertex as u32).unwrap().iter().collect::<Vec<_>>())
            .filter(|one| one.weight > 0.0)
            .map(|one| one.bone)
            .collect();
        assert!(!moved.is_empty() && moved.iter().all(|bone| *bone as usize == still), "{moved:?}");
        let mut pose = vec![Transform::default(); still + 1];
        found.animations().pose(0, 1, &mut pose).unwrap();
        expect_near(&pose[still], &Transform::default());
    }
}

fn expect_near(found: &Transform, expected: &Transform) {
    let parts = |transform: &Transform| [&transform.position[..], &transform.rotation, &transform.scale].concat();
    for (found, expected) in parts(found).iter().zip(parts(expected)) {
        assert!((found - expected).abs() <= 1e-6 * expected.abs().max(1.0), "{found} is not {expected}");
    }
}

/// Compares the weights of each corner by the names of the bones.
fn expect_weights(name: &str, source: &crate::Model, found: &Model<Vec<u8>>) {
    let list = |geometry: &dyn Geometry, bones: &dyn Animations| {
        let mut all = Vec::new();
        for surface in Surface::all(geometry).unwrap() {
            let Some(weights) = surface.weights().unwrap() else { continue };
            for corner in surface.corners().unwrap() {
                let mut shares = BTreeMap::<Vec<u8>, f32>::new();
                for one in weights.get(corner.position).unwrap().iter().filter(|one| one.weight > 0.0) {
                    *shares.entry(bones.bone(one.bone as usize).unwrap().name.to_vec()).or_default() += one.weight;
                }
                let sum: f32 = shares.values().sum();
                for share in shares.values_mut() {
                    *share /= sum;
                }
                all.push(shares);
            }
        }
        all
    };
    let [expected, found] = [list(source.geometry(), source.animations()), list(found.geometry(), found.animations())];
    assert!(!found.is_empty() && found.len() == expected.len(), "{name}");
    for (found, expected) in found.iter().zip(&expected) {
        assert!(found.keys().eq(expected.keys()), "{name}: {found:?}, {expected:?}");
        assert!(found.values().zip(expected.values()).all(|(one, other)| (one - other).abs() < 1e-6), "{name}");
    }
}

#[test]
fn vertex_frames_are_a_loss() {
    let (_, losses) =
        export(sample("unreal/guard_d.3d").contents(), ExportFormat::Ezm, &ExportOptions::default()).unwrap();
    assert!(losses.iter().any(|loss| loss.kind == LossKind::VertexFrames), "{losses:?}");
}

/// The greatest number of bytes that are held while a container with this number of instances of
/// one asset is written.
fn held_for_instances(count: usize, format: ExportFormat) -> u64 {
    let triangles: Vec<u16> = [0, 1, 2, 0, 2, 3].repeat(5000);
    let asset = one(with(square(), "TriangleList", codes(&triangles)));
    let instance = map(&[
        ("label", string(b"part")),
        ("material", array(&[])),
        ("mesh_id", integer(0)),
        ("transform", reals(&shift([1.0, 2.0, 3.0]))),
    ]);
    let container = map(&[
        ("instance", array(&vec![instance; count])),
        ("mesh", array(&[string(&asset)])),
        ("name", string(b"model")),
        ("version", integer(3)),
    ]);
    let model = Model::open(container).unwrap();
    let options = ExportOptions::default().with_allow_loss(true);
    let write = || {
        let input = SceneInput::new(&model);
        Export::new(&input, format, &options).unwrap().write_file(0, "m", &mut std::io::sink()).unwrap();
    };
    most_held(write).1
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn memory_does_not_depend_on_repeated_meshes() {
    for format in FORMATS {
        let [few, many] = [2, 40].map(|count| held_for_instances(count, format));
        // The triangles of one asset take 120 KB in memory.
        assert!(many < few + 100_000, "{format}: {few} and {many} bytes");
    }
}

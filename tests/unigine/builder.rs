//! Builds random meshes of every generation, writes them, reads them and writes them again.
//!
//! Also tests the inputs that the builder refuses.

use crate::support::unigine::builder;
use meshpeek::decode::{Influence, Influence4, Quat7, Quat8, TangentFrame, influence4, tangent_frame};
use meshpeek::model::Transform;
use meshpeek::unigine::{Generation, Mesh, Storage, SurfaceView};
use meshpeek::{Array, Decode as _, ErrorKind, FormatVersion as _, MeshFile as _, Severity};

use crate::support::invariants::Fate;
use crate::support::random::Random;
use crate::support::unigine::invariants::check_invariants;
use crate::support::unigine::{cube, faults, samples, skinned};

/// Returns the bits of floats.
///
/// NaNs and both zeros must stay as they are.
fn bits<const N: usize>(values: impl IntoIterator<Item = [f32; N]>) -> Vec<[u32; N]> {
    values.into_iter().map(|value| value.map(f32::to_bits)).collect()
}

fn name(random: &mut Random) -> String {
    let long = if random.one_in(10) { 100 } else { 8 };
    (0..random.below(long)).map(|_| *random.pick(&['a', 'Z', '_', ' ', 'ж', '\u{1f600}', '"', '\n'])).collect()
}

fn some_frame(random: &mut Random) -> TangentFrame {
    let axes = [random.unit(), random.unit(), random.unit(), random.unit()];
    let length = axes.iter().map(|axis| axis * axis).sum::<f32>().sqrt().max(1e-3);
    let rotation =
        if random.one_in(20) { [0.0; 4].map(|_: f32| random.any_float()) } else { axes.map(|axis| axis / length) };
    TangentFrame { rotation, handedness: if random.one_in(2) { 1.0 } else { -1.0 } }
}

fn some_surface(random: &mut Random, generation: Generation, bones: usize) -> builder::Surface {
    let many = if random.one_in(15) { 700 } else { 40 };
    let (positions, frames) = (random.below(many), random.below(many));
    let target = |random: &mut Random, positions: usize, frames: usize| builder::MorphTarget {
        name: if random.one_in(2) { String::new() } else { name(random) },
        positions: (0..positions).map(|_| [0; 3].map(|_| random.any_float())).collect(),
        frames: (0..frames).map(|_| some_frame(random)).collect(),
    };
    let mut targets = vec![target(random, positions, frames)];
    for _ in 0..if generation.has_targets() { random.below(3) } else { 0 } {
        // The counts of morph targets may differ. `validate` reports this, but the builder accepts
        // it.
        let other = if random.one_in(4) { random.below(20) } else { positions };
        targets.push(target(random, other, frames));
    }
    if !generation.has_targets() {
        targets[0].name.clear();
    }
    let corners = if positions == 0 || frames == 0 { 0 } else { random.below(60) * 3 };
    let optional = |random: &mut Random, count: usize| if random.one_in(2) { count } else { 0 };
    let weighted = if bones == 0 { 0 } else { optional(random, positions) };
    builder::Surface {
        name: name(random),
        lightmap: (generation.has_lightmap() && random.one_in(2))
            .then(|| [0; 2].map(|_| random.next().to_le_bytes()[0])),
        targets,
        weights: (0..weighted)
            .map(|_| {
                let one = |random: &mut Random| Influence {
                    bone: i32::try_from(random.below(bones)).unwrap(),
                    weight: random.unit().abs(),
                };
                (0..random.below(5)).map(|_| one(random)).collect()
            })
            .collect(),
        uvs: [0; 2].map(|_| (0..optional(random, frames)).map(|_| [random.any_float(), random.any_float()]).collect()),
        colors: (0..optional(random, frames)).map(|_| [0; 4].map(|_| random.next().to_le_bytes()[1])).collect(),
        indices: (0..corners).map(|_| u32::try_from(random.below(positions)).unwrap()).collect(),
        attribute_indices: (0..corners).map(|_| u32::try_from(random.below(frames)).unwrap()).collect(),
    }
}

fn some_animation(random: &mut Random, bones: usize) -> builder::Animation {
    let bones: Vec<i16> = (0..random.below(bones + 1)).map(|bone| i16::try_from(bone).unwrap()).collect();
    let maybe = |random: &mut Random| random.one_in(2).then(|| random.any_float());
    let key = |random: &mut Random| builder::BoneKey {
        position: [0; 3].map(|_| maybe(random)),
        rotation: random.one_in(2).then(|| [0.0; 4].map(|_: f32| random.unit())),
        scale: [0; 3].map(|_| maybe(random)),
    };
    let frames = (0..random.below(10)).map(|_| bones.iter().map(|_| key(random)).collect()).collect();
    builder::Animation { name: name(random), flags: random.next().to_le_bytes()[0] & 0x7f, bones, frames }
}

/// Builds a random mesh that the builder accepts.
fn some_mesh(random: &mut Random, generation: Generation) -> builder::Mesh {
    let bones = if generation.has_bones() { random.below(6) } else { 0 };
    let transform = |random: &mut Random| Transform {
        position: [0; 3].map(|_| random.any_float()),
        rotation: [0; 4].map(|_| random.any_float()),
        scale: [0; 3].map(|_| random.any_float()),
    };
    let animations = if generation.has_animations() { random.below(3) } else { 0 };
    builder::Mesh {
        generation,
        bones: (0..bones)
            .map(|_| builder::Bone {
                name: name(random),
                parent: i16::try_from(random.below(bones + 1)).unwrap() - 1,
                bind: transform(random),
            })
            .collect(),
        animations: (0..animations).map(|_| some_animation(random, bones)).collect(),
        surfaces: (0..random.below(4)).map(|_| some_surface(random, generation, bones)).collect(),
        storage: *random.pick(&[Storage::Raw, Storage::Lz4]),
        ..builder::Mesh::new(generation)
    }
}

/// Compares a mesh with its source, bit by bit.
///
/// Tangent frames and weights are compared after the engine's truncation.
fn expect_same(mesh: &Mesh<Vec<u8>>, built: &builder::Mesh) {
    assert_eq!(mesh.generation(), built.generation);
    assert_eq!(mesh.bone_count(), built.bones.len());
    for (index, bone) in built.bones.iter().enumerate() {
        let found = mesh.bone(index).unwrap();
        assert_eq!((found.name.as_bytes(), found.parent), (bone.name.as_bytes(), i32::from(bone.parent)));
        assert_eq!(bits([found.bind.position, found.bind.scale]), bits([bone.bind.position, bone.bind.scale]));
        assert_eq!(bits([found.bind.rotation]), bits([bone.bind.rotation]));
    }
    assert_eq!(mesh.animation_count(), built.animations.len());
    for (index, animation) in built.animations.iter().enumerate() {
        let found = mesh.animation(index).unwrap();
        assert_eq!((found.name.as_bytes(), found.flags), (animation.name.as_bytes(), Some(animation.flags)));
        assert!(found.bones.iter().map(|bone| bone.get()).eq(animation.bones.iter().copied()));
        assert_eq!(usize::try_from(found.frames).unwrap(), animation.frames.len());
        assert_eq!(found.keys().count(), animation.frames.iter().flatten().count());
    }
    assert_eq!(mesh.surface_count(), built.surfaces.len());
    for (index, surface) in built.surfaces.iter().enumerate() {
        expect_same_surface(&mesh.surface(index).unwrap(), surface, built.generation);
    }
}

fn expect_same_surface(view: &SurfaceView<'_>, surface: &builder::Surface, generation: Generation) {
    assert_eq!(view.name().as_bytes(), surface.name.as_bytes());
    let lightmap = surface.lightmap.unwrap_or([1, 3]);
    assert_eq!(view.lightmap(), generation.has_lightmap().then_some(lightmap));
    assert_eq!(view.target_count(), surface.targets.len());
    for (number, target) in surface.targets.iter().enumerate() {
        let found = view.target(number).unwrap();
        assert_eq!(found.name().as_bytes(), target.name.as_bytes());
        assert_eq!(bits(found.positions().unwrap().iter()), bits(target.positions.iter().copied()));
        let frames = found.tangent_frames().unwrap();
        assert_eq!(frames.len(), target.frames.len());
        for (item, built) in target.frames.iter().enumerate() {
            let expected = match generation {
                Generation::Ms10 => Quat7.decode(&tangent_frame::encode7(built)),
                _ => Quat8.decode(&tangent_frame::encode8(built)),
            };
            assert_eq!(frames.get(item).unwrap(), expected);
        }
    }
    let weights: Option<Vec<Vec<Influence>>> =
        view.weights().unwrap().map(|weights| weights.iter().map(|list| list.iter().collect()).collect());
    let written = |one: &Influence| Influence4.decode(&influence4::encode(*one));
    let expected: Vec<Vec<_>> = surface.weights.iter().map(|list| list.iter().map(written).collect()).collect();
    assert_eq!(weights.unwrap_or_default(), expected);
    for (set, built) in surface.uvs.iter().enumerate() {
        let found = view.uvs(set).unwrap().map(|uvs| bits(uvs.iter())).unwrap_or_default();
        assert_eq!(found, bits(built.iter().copied()));
    }
    let colors = view.colors().unwrap().map(|colors| colors.raw().to_vec()).unwrap_or_default();
    assert_eq!(colors, surface.colors);
    assert!(view.indices().unwrap().iter().eq(surface.indices.iter().copied()));
    assert!(view.attribute_indices().unwrap().iter().eq(surface.attribute_indices.iter().copied()));
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it")]
fn random_meshes_return() {
    for seed in 0..600 {
        let mut random = Random::new(seed);
        let generation = *random.pick(&Generation::ALL);
        let built = some_mesh(&mut random, generation);
        let bytes = built.to_bytes().unwrap();
        assert!(built.to_bytes().unwrap() == bytes, "the same input gives the same bytes");
        let mesh = Mesh::open(bytes.clone()).unwrap();
        expect_same(&mesh, &built);
        let mut again = Vec::new();
        mesh.write_to(0, &mut again).unwrap();
        assert!(again == bytes, "seed {seed}");
        assert_eq!(check_invariants(&bytes, &mut random), Fate::Read);
        // Parents are written as given. The builder refuses every other input that is an error for
        // `validate`.
        let faults = faults(&bytes);
        assert!(faults.iter().all(|found| found.severity < Severity::Error || found.rule == "UG07"), "{faults:?}");
    }
}

/// Tests that a mesh of one generation has the same content when it is read and built as another
/// generation.
#[test]
fn generations_hold_the_same() {
    for generation in Generation::ALL {
        let mut built = builder::Mesh { generation, animations: Vec::new(), ..skinned(Generation::Ms10) };
        if !generation.has_bones() {
            built.bones.clear();
            built.surfaces[0].weights.clear();
        }
        // The compressed size depends on the exact bytes, so the blocks are stored verbatim.
        built.storage = Storage::Raw;
        let mesh = Mesh::open(built.to_bytes().unwrap()).unwrap();
        let again = builder::Mesh { storage: Storage::Raw, ..read_back(&mesh) };
        expect_same(&mesh, &built);
        let bytes = again.to_bytes().unwrap();
        assert_eq!(bytes.len(), mesh.as_bytes().len());
        // The second truncation may change a tangent frame by one more step.
        expect_close(&Mesh::open(bytes).unwrap(), &mesh);
    }
}

/// Reads a mesh into the builder's lists, as an editor would.
fn read_back(mesh: &Mesh<Vec<u8>>) -> builder::Mesh {
    let bones = (0..mesh.bone_count()).map(|index| mesh.bone(index).unwrap());
    let surfaces = mesh.surfaces().map(|view| {
        let view = view.unwrap();
        let targets = (0..view.target_count()).map(|target| view.target(target).unwrap()).map(|target| {
            let mut frames = Vec::new();
            target.tangent_frames().unwrap().for_each(|frame| frames.push(frame));
            builder::MorphTarget {
                name: target.name().to_string_lossy(),
                positions: target.positions().unwrap().iter().collect(),
                frames,
            }
        });
        builder::Surface {
            name: view.name().to_string_lossy(),
            lightmap: view.lightmap(),
            targets: targets.collect(),
            weights: view
                .weights()
                .unwrap()
                .map_or_else(Vec::new, |weights| weights.iter().map(|list| list.iter().collect()).collect()),
            uvs: [0, 1].map(|set| view.uvs(set).unwrap().map_or_else(Vec::new, |uvs| uvs.iter().collect())),
            colors: view.colors().unwrap().map_or_else(Vec::new, |colors| colors.raw().to_vec()),
            indices: view.indices().unwrap().iter().collect(),
            attribute_indices: view.attribute_indices().unwrap().iter().collect(),
        }
    });
    builder::Mesh {
        bones: bones
            .map(|bone| builder::Bone {
                name: bone.name.to_string_lossy(),
                parent: i16::try_from(bone.parent).unwrap(),
                bind: bone.bind,
            })
            .collect(),
        surfaces: surfaces.collect(),
        ..builder::Mesh::new(mesh.generation())
    }
}

fn expect_close(one: &Mesh<Vec<u8>>, other: &Mesh<Vec<u8>>) {
    assert_eq!(one.bounds().unwrap(), other.bounds().unwrap());
    for (one, other) in one.surfaces().zip(other.surfaces()) {
        let (one, other) = (one.unwrap(), other.unwrap());
        assert_eq!(one.counts().unwrap(), other.counts().unwrap());
        assert!(one.positions().unwrap().iter().eq(other.positions().unwrap().iter()));
        let (frames, others) = (one.tangent_frames().unwrap(), other.tangent_frames().unwrap());
        for item in 0..frames.len() {
            let (one, other) = (frames.get(item).unwrap(), others.get(item).unwrap());
            for (one, other) in
                one.normal().iter().chain(&one.bitangent()).zip(other.normal().iter().chain(&other.bitangent()))
            {
                assert!((one - other).abs() < 3e-4, "{one} and {other}");
            }
        }
    }
}

/// Asserts that the builder refuses the mesh after `spoil`.
///
/// The error must name `field`.
fn refuses(field: &str, spoil: impl FnOnce(&mut builder::Mesh)) {
    let mut mesh = skinned(Generation::Ms12);
    mesh.surfaces.push(cube("second", 1.0));
    mesh.to_bytes().unwrap();
    spoil(&mut mesh);
    let error = mesh.to_bytes().unwrap_err();
    assert!(error.kind() == ErrorKind::Refused, "{error}");
    assert_eq!((error.field().to_string().as_str(), error.offset()), (field, None), "{error}");
    assert!(error.format().starts_with("unigine ms1"), "{error}");
}

#[test]
fn refuses_what_the_format_cannot_hold() {
    let bar = |mesh: &mut builder::Mesh, edit: fn(&mut builder::Surface)| edit(&mut mesh.surfaces[0]);
    // A name ends at its first NUL.
    refuses("bone[1].name", |mesh| mesh.bones[1].name.push('\0'));
    refuses("animation[0].name", |mesh| mesh.animations[0].name.insert(0, '\0'));
    refuses("surface[1].name", |mesh| mesh.surfaces[1].name = "a\0b".into());
    refuses("surface[0].targets", |mesh| bar(mesh, |bar| bar.targets[0].name = "\0".into()));
    // Bone and surface numbers have 16 bits.
    refuses("bones", |mesh| mesh.bones.resize(32_768, builder::Bone::default()));
    refuses("surfaces", |mesh| mesh.surfaces.resize(32_768, cube("", 1.0)));
    // Fuzzing found an animation that listed a bone twice, which the reader and `validate` refuse.
    refuses("animation[0].bone_ids", |mesh| {
        let animation = &mut mesh.animations[0];
        animation.bones.push(animation.bones[0]);
        animation.frames.iter_mut().for_each(|keys| keys.push(builder::BoneKey::default()));
    });
    // Content that a generation cannot store.
    for generation in [Generation::Ms13, Generation::Ms14, Generation::Ms15] {
        refuses("animations", |mesh| mesh.generation = generation);
    }
    let only_surfaces = |mesh: &mut builder::Mesh| {
        mesh.generation = Generation::Ms15;
        mesh.animations.clear();
        mesh.bones.clear();
    };
    refuses("bones", |mesh| {
        mesh.generation = Generation::Ms15;
        mesh.animations.clear();
    });
    refuses("surface[0].weights", only_surfaces);
    refuses("surface[0].targets", |mesh| {
        only_surfaces(mesh);
        bar(mesh, |bar| bar.targets.push(bar.targets[0].clone()));
    });
    refuses("surface[0].targets", |mesh| {
        only_surfaces(mesh);
        bar(mesh, |bar| bar.targets[0].name.push('a'));
    });
    for generation in [Generation::Ms10, Generation::Ms11] {
        refuses("surface[0].lightmap", |mesh| {
            mesh.generation = generation;
            mesh.surfaces[0].lightmap = Some([0, 0]);
        });
    }
    // Lists that must have equal lengths.
    refuses("animation[0].keys", |mesh| mesh.animations[0].frames[1].truncate(1));
    refuses("animation[0].keys", |mesh| mesh.animations[0].bones.truncate(1));
    refuses("surface[0].weights", |mesh| bar(mesh, |bar| bar.weights.truncate(7)));
    refuses("surface[0].weights", |mesh| bar(mesh, |bar| bar.targets[0].positions.push([0.0; 3])));
    refuses("surface[0].uv0", |mesh| bar(mesh, |bar| bar.uvs[0].truncate(23)));
    refuses("surface[0].uv1", |mesh| bar(mesh, |bar| bar.uvs[1].push([0.0; 2])));
    refuses("surface[0].colors", |mesh| bar(mesh, |bar| bar.colors.push([0; 4])));
    refuses("surface[0].indices", |mesh| bar(mesh, |bar| bar.indices.extend([0; 3])));
    refuses("surface[0].indices", |mesh| {
        mesh.surfaces[0].indices.truncate(35);
        mesh.surfaces[0].attribute_indices.truncate(35);
    });
    // Indices and weights that are out of range.
    refuses("surface[0].indices", |mesh| bar(mesh, |bar| bar.indices[5] = 8));
    refuses("surface[0].attribute_indices", |mesh| bar(mesh, |bar| bar.attribute_indices[5] = 24));
    refuses("surface[0].indices", |mesh| bar(mesh, |bar| bar.indices[0] = u32::MAX));
    refuses("surface[0].weights", |mesh| bar(mesh, |bar| bar.weights[0] = vec![Influence::default(); 5]));
    for bone in [2, -1, i16::MIN.into(), i16::MAX.into(), i32::MIN, i32::MAX] {
        refuses("surface[0].weights", |mesh| mesh.surfaces[0].weights[3] = vec![Influence { bone, weight: 1.0 }]);
    }
    refuses("surface[1].targets", |mesh| mesh.surfaces[1].targets.clear());
}

/// Tests the properties of the written form for every generation.
#[test]
fn a_generation_writes_its_own_form() {
    for sample in samples() {
        let bytes = sample.mesh.to_bytes().unwrap();
        let magic = sample.mesh.generation.magic().as_bytes();
        assert!(bytes.starts_with(magic) && bytes.ends_with(magic));
        let mesh = Mesh::open(bytes).unwrap();
        assert_eq!(mesh.version(), sample.mesh.generation.magic());
        if let Ok(surface) = mesh.surface(0) {
            let stride = surface.tangent_frames().unwrap().byte_offset(1);
            assert_eq!(stride, if mesh.generation() == Generation::Ms10 { 7 } else { 8 });
            assert_eq!(surface.lightmap().is_some(), mesh.generation() >= Generation::Ms12);
        }
    }
}

#[test]
fn equal_normals_of_a_cube_are_reported() {
    for generation in [Generation::Ms10, Generation::Ms13, Generation::Ms15] {
        let rules = |surface: builder::Surface| {
            let mesh = builder::Mesh { surfaces: vec![surface], ..builder::Mesh::new(generation) };
            let mut rules = Vec::new();
            let mesh = Mesh::open(mesh.to_bytes().unwrap()).unwrap();
            mesh.validate(&mut |finding| rules.push((finding.rule, finding.severity))).unwrap();
            rules
        };
        let mut surface = cube("cube", 0.5);
        assert!(rules(surface.clone()).is_empty());
        let first = surface.targets[0].frames[0];
        surface.targets[0].frames.fill(first);
        assert_eq!(rules(surface), [("UG28", Severity::Info)]);
    }
}

//! Tests of UNIGINE meshes: the values of views, the positions of errors, and the bytes that are
//! read.

use std::sync::Arc;

use crate::support::unigine::builder;
use meshpeek::decode::{Influence, Influence4, Quat7, Quat8, TangentFrame, compact, influence4, tangent_frame};
use meshpeek::model::{Bone, TangentFrames, Transform};
use meshpeek::unigine::{AnimationView, BlockLocation, Generation, Mesh, MorphTarget, SurfaceView};
use meshpeek::{
    Animations, Array, Corners, Decode, ErrorKind, Geometry, Map, MeshFile as _, Model, Name, OpenOptions, Packed,
    Region, Surface, Weights, decode, model,
};

use crate::support::invariants::expect_named;
use crate::support::is_error;
use crate::support::random::Random;
use crate::support::unigine::invariants::check_invariants;
use crate::support::unigine::{
    bytes, data, faults, findings, grid, long_compact, open_and_check, range, region, regions, samples, skinned, spoil,
    spoil_all,
};
use crate::support::writers::FullOutput;

/// Returns a tangent frame after encoding and decoding.
///
/// The engine's format truncates it, and the reader reports the truncated values.
fn written_frame(generation: Generation, frame: &TangentFrame) -> TangentFrame {
    match generation {
        Generation::Ms10 => Quat7.decode(&tangent_frame::encode7(frame)),
        _ => Quat8.decode(&tangent_frame::encode8(frame)),
    }
}

fn written_weights(list: &[Influence]) -> Vec<Influence> {
    list.iter().map(|one| Influence4.decode(&influence4::encode(*one))).collect()
}

fn all_frames(frames: &TangentFrames<'_>) -> Vec<TangentFrame> {
    let mut all = Vec::new();
    frames.for_each(|frame| all.push(frame));
    all
}

/// Compares every array of every surface with the input of the builder.
fn expect_built<D: AsRef<[u8]>>(mesh: &Mesh<D>, built: &builder::Mesh) {
    assert_eq!(mesh.generation(), built.generation);
    assert_eq!(mesh.raw_bounds_again(), built.bounds());
    assert_eq!(mesh.bone_count(), built.bones.len());
    for (index, bone) in built.bones.iter().enumerate() {
        let found = mesh.bone(index).unwrap();
        assert_eq!((found.name.as_bytes(), found.parent), (bone.name.as_bytes(), bone.parent.into()));
        assert_eq!(found.bind, bone.bind);
    }
    assert_eq!(mesh.surface_count(), built.surfaces.len());
    assert_eq!(mesh.surfaces().len(), built.surfaces.len());
    for (index, surface) in built.surfaces.iter().enumerate() {
        expect_surface(&mesh.surface(index).unwrap(), surface, built.generation);
    }
    assert_eq!(mesh.animation_count(), built.animations.len());
    for (index, animation) in built.animations.iter().enumerate() {
        expect_animation(&mesh.animation(index).unwrap(), animation);
    }
}

trait RawBoundsAgain {
    fn raw_bounds_again(&self) -> meshpeek::unigine::layout::RawBounds;
}

impl<D: AsRef<[u8]>> RawBoundsAgain for Mesh<D> {
    fn raw_bounds_again(&self) -> meshpeek::unigine::layout::RawBounds {
        let (bounds, sphere) = self.bounds().unwrap();
        meshpeek::unigine::layout::RawBounds::new(&bounds, &sphere)
    }
}

fn expect_surface(view: &SurfaceView<'_>, built: &builder::Surface, generation: Generation) {
    assert_eq!(view.name().as_bytes(), built.name.as_bytes());
    let lightmap = generation.has_lightmap().then(|| built.lightmap.unwrap_or([1, 3]));
    assert_eq!(view.lightmap(), lightmap);
    assert_eq!((view.bounds(), view.sphere()), (built.bounds().bounds(), built.bounds().sphere()));
    assert_eq!(view.target_count(), built.targets.len());
    for (number, target) in built.targets.iter().enumerate() {
        let found = view.target(number).unwrap();
        assert_eq!(found.name().as_bytes(), target.name.as_bytes());
        assert!(found.positions().unwrap().iter().eq(target.positions.iter().copied()));
        let frames: Vec<_> = target.frames.iter().map(|frame| written_frame(generation, frame)).collect();
        assert_eq!(all_frames(&found.tangent_frames().unwrap()), frames);
    }
    assert!(view.positions().unwrap().iter().eq(built.targets[0].positions.iter().copied()));
    match view.weights().unwrap() {
        None => assert!(built.weights.is_empty()),
        Some(weights) => {
            assert_eq!(weights.len(), built.weights.len());
            for (vertex, (list, built)) in weights.iter().zip(&built.weights).enumerate() {
                assert!(list.iter().eq(written_weights(built)), "vertex {vertex}");
                assert_eq!(weights.get(vertex as u32).unwrap().as_bytes(), list.as_bytes());
            }
            assert!(weights.get(weights.len() as u32).is_none());
        }
    }
    for (set, built) in built.uvs.iter().enumerate() {
        let found = view.uvs(set).unwrap().map(|uvs| uvs.iter().collect::<Vec<_>>());
        assert_eq!(found, (!built.is_empty()).then(|| built.clone()));
    }
    assert!(view.uvs(2).unwrap().is_none());
    let colors = view.colors().unwrap().map(|colors| colors.raw().to_vec());
    assert_eq!(colors, (!built.colors.is_empty()).then(|| built.colors.clone()));
    assert!(view.indices().unwrap().iter().eq(built.indices.iter().copied()));
    assert!(view.attribute_indices().unwrap().iter().eq(built.attribute_indices.iter().copied()));
    let counts = view.counts().unwrap();
    let base = &built.targets[0];
    assert_eq!(counts.vertices as usize, base.positions.len());
    assert_eq!(counts.attribute_vertices as usize, base.frames.len());
    assert_eq!(counts.corners as usize, built.indices.len());
    assert_eq!(counts.targets as usize, built.targets.len());
    assert_eq!(counts.uv_sets as usize, built.uvs.iter().filter(|set| !set.is_empty()).count());
    assert_eq!((counts.colors, counts.weights), (!built.colors.is_empty(), !built.weights.is_empty()));
}

/// Returns the flags and the bytes of an encoded key.
fn spelled(key: &builder::BoneKey) -> (u8, Vec<u8>) {
    let (mut flags, mut components) = (0, Vec::new());
    let [px, py, pz] = key.position;
    for (bit, value) in [(1, px), (2, py), (4, pz)] {
        if let Some(value) = value {
            flags |= bit;
            components.extend(value.to_le_bytes());
        }
    }
    if let Some(rotation) = key.rotation {
        flags |= 8;
        components.extend(rotation.map(|value| tangent_frame::encode_component(value).get().to_le_bytes()).concat());
    }
    let [sx, sy, sz] = key.scale;
    for (bit, value) in [(0x10, sx), (0x20, sy), (0x40, sz)] {
        if let Some(value) = value {
            flags |= bit;
            components.extend(value.to_le_bytes());
        }
    }
    (flags, components)
}

fn expect_animation(found: &AnimationView<'_>, built: &builder::Animation) {
    assert_eq!(found.name.as_bytes(), built.name.as_bytes());
    assert!(found.bones.iter().map(|bone| bone.get()).eq(built.bones.iter().copied()));
    assert_eq!((found.flags, found.frames as usize), (Some(built.flags), built.frames.len()));
    let keys: Vec<_> = found.keys().map(|key| (key.flags, key.components.to_vec())).collect();
    let expected: Vec<_> = built.frames.iter().flatten().map(spelled).collect();
    assert_eq!(keys, expected);
    assert!(keys.iter().all(|(flags, components)| found.coding().key_size(*flags) == components.len() as u64));
}

#[test]
fn reads_the_sample() {
    for sample in samples() {
        let mesh = Mesh::open(std::fs::read(data().join(sample.stem).with_extension("mesh")).unwrap()).unwrap();
        expect_built(&mesh, &sample.mesh);
    }
}

/// Tests that the samples contain every case that they are meant to demonstrate.
///
/// Otherwise the tests over all samples would cover less than intended.
#[test]
fn samples_have_everything() {
    let all = samples();
    let surfaces: Vec<_> = all.iter().flat_map(|sample| &sample.mesh.surfaces).collect();
    for generation in Generation::ALL {
        assert!(all.iter().any(|sample| sample.mesh.generation == generation));
    }
    assert!(surfaces.iter().any(|surface| surface.targets.len() > 2));
    assert!(surfaces.iter().any(|surface| !surface.colors.is_empty() && !surface.uvs[1].is_empty()));
    assert!(surfaces.iter().any(|surface| surface.uvs[0].is_empty() && !surface.indices.is_empty()));
    assert!(surfaces.iter().any(|surface| !surface.name.is_ascii()));
    let ms10 = all.iter().find(|sample| sample.stem == "skinned_ms10").unwrap();
    assert!(!ms10.mesh.bones.is_empty() && !ms10.mesh.animations.is_empty());
    let mesh = Mesh::open(bytes("skinned_ms10")).unwrap();
    let frames = all_frames(&mesh.surface(0).unwrap().tangent_frames().unwrap());
    for handedness in [1.0, -1.0] {
        assert!(frames.iter().any(|frame| frame.handedness == handedness));
    }
    let furnished = Mesh::open(bytes("room_ms14")).unwrap();
    let blocks: Vec<_> =
        (0..furnished.surface_count()).map(|index| furnished.blocks(index).unwrap().unwrap()).collect();
    assert!(blocks.iter().any(|blocks| blocks.iter().all(BlockLocation::is_verbatim)));
    assert!(blocks.iter().any(|blocks| !blocks.iter().any(BlockLocation::is_verbatim)));
    assert!(all.iter().any(|sample| sample.mesh.generation == Generation::Ms14 && !sample.mesh.bones.is_empty()));
    let room = Mesh::open(bytes("room_ms11")).unwrap();
    assert_eq!(room.surface(0).unwrap().counts().unwrap().index_widths, [1, 2]);
}

#[test]
fn accounts_for_every_byte() {
    for sample in samples() {
        let whole = sample.mesh.to_bytes().unwrap();
        let all = regions(&whole);
        let mut end = 0;
        let mut names = std::collections::BTreeSet::new();
        for Region { field, start, end: next, element, count, .. } in &all {
            assert_eq!(*start, end, "{}: {field}", sample.stem);
            assert!(!element.name.is_empty() && names.insert(field.to_string()), "{}: {field} twice", sample.stem);
            if element.size > 0 {
                assert_eq!(next - start, u64::from(element.size) * count, "{}: {field}", sample.stem);
            }
            end = *next;
        }
        assert_eq!(end, whole.len() as u64, "{}", sample.stem);

        let mesh = Mesh::open_with(whole.as_slice(), &OpenOptions::default().with_record_access(true)).unwrap();
        mesh.check().unwrap();
        let touched = mesh.access_log(0).unwrap();
        assert_eq!(touched.bytes(), all.iter().map(looked_at).sum::<u64>(), "{}", sample.stem);
        assert_eq!(touched.bytes() < whole.len() as u64, !sample.mesh.surfaces.is_empty(), "{}", sample.stem);
    }
}

/// Returns the number of bytes of a region that reading the structure needs: all of a header field,
/// the counts of lists, and nothing of arrays.
fn looked_at(region: &Region) -> u64 {
    match region.field.name() {
        // A tree is inflated only on request.
        _ if region.field.inner().is_some_and(|(list, _)| list == "tree") => 0,
        "tree" | "bind_transforms" | "bone_ids" | "positions" | "tangents" | "uv0" | "uv1" | "colors" | "indices"
        | "attribute_indices" => 0,
        "weights" | "keys" => region.count,
        _ => region.len(),
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it")]
fn names_the_field_that_is_cut() {
    for sample in samples() {
        let whole = sample.mesh.to_bytes().unwrap();
        let all = regions(&whole);
        let last = if sample.mesh.generation.has_bones() { "bind_transforms" } else { "inner_magic" };
        let header = region(&whole, last).end;
        for length in 0..whole.len() {
            let cut = &whole[..length];
            let error = open_and_check(cut).unwrap_err();
            expect_named(&error, length as u64);
            if length >= 4 {
                expect_cut(&error, &all, length, sample.stem);
            }
            if length < header {
                continue;
            }
            let mesh = Mesh::open(cut).unwrap();
            assert_eq!(mesh.raw_bounds_again(), sample.mesh.bounds());
            for (index, bone) in sample.mesh.bones.iter().enumerate() {
                assert_eq!(mesh.bone(index).unwrap().bind, bone.bind);
            }
            for (surface, built) in Surface::all(&mesh).unwrap().zip(&sample.mesh.surfaces) {
                assert_eq!(surface.name().unwrap().as_bytes(), built.name.as_bytes());
                assert_eq!(surface.bounds().unwrap(), built.bounds().bounds());
            }
        }
    }
}

/// Asserts that the error names the truncated field, or a count that declares more bytes than
/// remain.
fn expect_cut(error: &meshpeek::Error, all: &[Region], length: usize, stem: &str) {
    let name = error.field().to_string();
    let named = all.iter().find(|region| region.field.to_string() == name).unwrap_or_else(|| panic!("{stem}: {error}"));
    let cut = all.iter().find(|region| region.end > length as u64).unwrap();
    let counts = [
        "bones.count",
        "animations.count",
        "surfaces.count",
        "targets.count",
        "frames.count",
        "geometry.sizes",
        "tree.sizes",
    ];
    let at = error.offset().unwrap();
    if counts.contains(&error.field().name()) {
        assert!(named.start <= cut.start && at == named.start, "{stem} cut to {length}: {error}");
    } else {
        assert_eq!(named.field, cut.field, "{stem} cut to {length}: {error}");
        assert!((named.start..=length as u64).contains(&at), "{stem} cut to {length}: {error}");
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it")]
fn survives_any_count() {
    // Other tests cover the counts inside blocks.
    for sample in samples().into_iter().filter(|sample| !sample.mesh.generation.is_compressed()) {
        let whole = sample.mesh.to_bytes().unwrap();
        let counts: Vec<_> =
            regions(&whole).into_iter().filter(|region| region.element.name == "compact int").collect();
        assert!(counts.len() >= 2, "{}", sample.stem);
        for count in counts {
            let (name, range) = (count.field.to_string(), range(&count));
            let (own, length) = compact::decode(&whole[range.clone()]).unwrap();
            assert_eq!(length, range.len());
            for other in [0, 1, own - 1, own + 1, i32::MAX] {
                check_invariants(&spoil(&whole, &name, &crate::support::unigine::compact(other)), &mut Random::new(1));
            }
            for negative in [-1, 1 - own.max(3), -i32::MAX] {
                let spoilt = spoil(&whole, &name, &crate::support::unigine::compact(negative));
                check_invariants(&spoilt, &mut Random::new(2));
                let error = open_and_check(&spoilt).unwrap_err();
                assert!(error.kind() == ErrorKind::Value, "{name}: {error}");
                assert_eq!((error.field(), error.offset()), (count.field, Some(count.start)), "{error}");
            }
            for length in length + 1..=compact::MAX_BYTES {
                let spoilt = spoil(&whole, &name, &long_compact(own, length));
                check_invariants(&spoilt, &mut Random::new(3));
                let found = findings(&spoilt);
                assert!(
                    found.iter().any(|finding| finding.rule == "UG14" && finding.field == count.field),
                    "{found:?}"
                );
                let mut written = Vec::new();
                Mesh::open(spoilt.as_slice()).unwrap().write_to(0, &mut written).unwrap();
                assert!(written == whole, "{name}: the engine's encoding is restored");
            }
        }
    }
}

#[test]
fn writes_what_it_read() {
    for sample in samples() {
        let whole = sample.mesh.to_bytes().unwrap();
        let mut written = Vec::new();
        Mesh::open(whole.as_slice()).unwrap().write_to(0, &mut written).unwrap();
        assert!(written == whole, "{}", sample.stem);
        let mut written = Vec::new();
        Model::open(whole.as_slice()).unwrap().file().write_to(0, &mut written).unwrap();
        assert!(written == whole, "{}", sample.stem);
    }
}

/// Tests that a failing output gives an error about the output with its cause.
///
/// It is not an error about the file.
#[test]
fn says_what_the_output_refuses() {
    let whole = skinned(Generation::Ms12).to_bytes().unwrap();
    for room in 0..=whole.len() {
        let error = Mesh::open(whole.as_slice()).unwrap().write_to(0, &mut FullOutput(room)).unwrap_err();
        assert_eq!(error.field().to_string(), "output");
        assert!(error.io_error().is_some_and(|cause| cause.kind() == std::io::ErrorKind::StorageFull));
    }
}

#[test]
fn agrees_with_the_neutral_view() {
    for sample in samples() {
        let mesh = Mesh::open(sample.mesh.to_bytes().unwrap()).unwrap();
        let (geometry, animations): (&dyn Geometry, &dyn Animations) = (&mesh, &mesh);
        assert_eq!((geometry.format(), geometry.version()), ("unigine", mesh.generation().magic()));
        let (bounds, sphere) = mesh.bounds().unwrap();
        assert_eq!((geometry.bounds().unwrap(), geometry.sphere().unwrap()), (bounds, Some(sphere)));
        assert_eq!(animations.bone_count().unwrap(), mesh.bone_count());
        for bone in 0..mesh.bone_count() {
            assert_eq!(animations.bone(bone).unwrap(), mesh.bone(bone).unwrap());
        }
        assert_eq!(animations.clip_count().unwrap(), mesh.animation_count());
        for clip in 0..mesh.animation_count() {
            let (clip, animation) = (animations.clip(clip).unwrap(), mesh.animation(clip).unwrap());
            assert_eq!((clip.name, clip.frames, clip.rate), (animation.name, animation.frames, None));
            assert_eq!(clip.bones as usize, animation.bones.len());
        }
        assert_eq!(Surface::all(geometry).unwrap().len(), mesh.surface_count());
        for surface in Surface::all(geometry).unwrap() {
            let view = mesh.surface(surface.index()).unwrap();
            assert_eq!(surface.name().unwrap(), view.name());
            assert_eq!(surface.bounds().unwrap(), view.bounds());
            assert_eq!(surface.sphere().unwrap(), Some(view.sphere()));
            assert_eq!(surface.counts().unwrap(), view.counts().unwrap());
            for target in 0..view.target_count() {
                let (positions, own) = (surface.target_positions(target).unwrap(), view.target(target).unwrap());
                assert_eq!(positions.as_bytes().as_ptr(), own.positions().unwrap().raw().as_ptr().cast());
                assert_eq!(positions.len(), own.positions().unwrap().len());
                let frames = surface.target_tangent_frames(target).unwrap().unwrap();
                assert_eq!(all_frames(&frames), all_frames(&own.tangent_frames().unwrap()));
            }
            assert_eq!(surface.positions().unwrap().as_bytes(), surface.target_positions(0).unwrap().as_bytes());
            for set in 0..3 {
                let (uvs, own) = (surface.uvs(set).unwrap(), view.uvs(set).unwrap());
                assert_eq!(uvs.map(|uvs| uvs.as_bytes().len()), own.map(|uvs| uvs.len() * 8));
                if let (Some(uvs), Some(own)) = (uvs, own) {
                    assert!((0..uvs.len()).all(|item| uvs.get(item) == own.get(item)));
                }
            }
            let (colors, own) = (surface.colors().unwrap(), view.colors().unwrap());
            assert_eq!(colors.map(|colors| colors.get(1)), own.map(|colors| colors.get(1)));
            let (weights, own) = (surface.weights().unwrap(), view.weights().unwrap());
            assert_eq!(weights.is_some(), own.is_some());
            if let (Some(weights), Some(own)) = (weights, own) {
                assert!(weights.iter().map(|list| list.as_bytes()).eq(own.iter().map(|list| list.as_bytes())));
            }
            assert!(surface.indices().unwrap().iter().eq(view.indices().unwrap().iter()));
            assert!(surface.attribute_indices().unwrap().iter().eq(view.attribute_indices().unwrap().iter()));
        }
        for missing in [geometry.surface(usize::MAX).map(drop), animations.bone(usize::MAX).map(drop)] {
            assert!(missing.unwrap_err().kind() == ErrorKind::NoSuch);
        }
        assert!(geometry.surface(mesh.surface_count()).unwrap_err().kind() == ErrorKind::NoSuch);
        assert!(animations.clip(mesh.animation_count()).unwrap_err().kind() == ErrorKind::NoSuch);
    }
}

/// Tests that the width of an index follows from the number of items it points into, separately for
/// each stream.
#[test]
fn widths_follow_from_the_counts() {
    let sizes = [(255, 1), (256, 2), (65_535, 2), (65_536, 4)];
    for (positions, wide) in sizes {
        for (frames, attribute_wide) in sizes {
            let [last, last_frame] = [positions as u32 - 1, frames as u32 - 1];
            let surface = builder::Surface {
                targets: vec![builder::MorphTarget {
                    positions: (0..positions).map(|number| [number as f32, 1.0, 2.0]).collect(),
                    frames: vec![TangentFrame::default(); frames],
                    ..builder::MorphTarget::default()
                }],
                indices: vec![0, last, last / 2],
                attribute_indices: vec![last_frame, 0, last_frame / 2],
                ..builder::Surface::default()
            };
            let built = builder::Mesh { surfaces: vec![surface], ..builder::Mesh::new(Generation::Ms13) };
            let whole = built.to_bytes().unwrap();
            let mesh = Mesh::open(whole.as_slice()).unwrap();
            assert_eq!(mesh.surface(0).unwrap().counts().unwrap().index_widths, [wide, attribute_wide]);
            assert_eq!(region(&whole, "surface[0].indices").len(), usize::from(wide) * 3);
            assert_eq!(region(&whole, "surface[0].attribute_indices").len(), usize::from(attribute_wide) * 3);
            expect_built(&mesh, &built);
            let mut written = Vec::new();
            mesh.write_to(0, &mut written).unwrap();
            assert!(written == whole);
        }
    }
}

#[test]
fn blends_targets() {
    let built = crate::support::unigine::morph();
    let mesh = Mesh::open(built.to_bytes().unwrap()).unwrap();
    let view = mesh.surface(0).unwrap();
    let targets = &built.surfaces[0].targets;
    let mut out = [[0.0; 3]; 8];
    for weights in [&[][..], &[0.0], &[1.0], &[0.5, 0.25], &[0.0, -1.0]] {
        view.blend(weights, &mut out).unwrap();
        for (vertex, found) in out.iter().enumerate() {
            for axis in 0..3 {
                let base = targets[0].positions[vertex][axis];
                let mut expected = base;
                for (weight, target) in weights.iter().zip(&targets[1..]) {
                    expected += weight * (target.positions[vertex][axis] - base);
                }
                assert_eq!(found[axis], expected, "vertex {vertex}, weights {weights:?}");
            }
        }
    }
    assert!(is_error(
        view.blend(&[0.0; 3], &mut out).unwrap_err(),
        ErrorKind::NoSuch,
        &["expected a number below 3, found 3"]
    ));
    assert!(is_error(
        view.blend(&[], &mut out[..7]).unwrap_err(),
        ErrorKind::Buffer,
        &["expected a buffer of 8 items, found 7"]
    ));
    assert!(is_error(view.target(3).unwrap_err(), ErrorKind::NoSuch, &["expected a number below 3, found 3"]));
}

#[test]
fn finds_embedded_animations() {
    for generation in [Generation::Ms10, Generation::Ms11, Generation::Ms12] {
        let mut built = skinned(generation);
        let scale = builder::BoneKey { scale: [Some(1.0), Some(2.0), None], ..builder::BoneKey::default() };
        built.animations.push(builder::Animation {
            name: String::from("second"),
            bones: vec![1],
            flags: 0x7f,
            frames: vec![vec![scale]; 100],
        });
        built.animations.push(builder::Animation { name: String::from("still"), ..builder::Animation::default() });
        let whole = built.to_bytes().unwrap();
        // The last animation is read first. Locating it walks over those before it.
        let mesh = Mesh::open(whole.as_slice()).unwrap();
        assert_eq!(mesh.animation(2).unwrap().name.as_bytes(), b"still");
        expect_built(&mesh, &built);
        let second = mesh.animation(1).unwrap();
        assert_eq!(second.keys_offset(), region(&whole, "animation[1].keys").start as u64);
        assert_eq!(second.bones_offset(), region(&whole, "animation[1].bone_ids").start as u64);
        assert_eq!(second.keys().last().unwrap().offset, second.keys_offset() + 99 * 9);
        assert!(is_error(mesh.animation(3).unwrap_err(), ErrorKind::NoSuch, &["expected a number below 3, found 3"]));
        // A key with an unknown flag: the flag announces no data and is reported.
        let keys = region(&whole, "animation[0].keys");
        let mut spoilt = whole.clone();
        spoilt[keys.start] |= 0x80;
        let other = Mesh::open(spoilt.as_slice()).unwrap();
        let (one, other) = (mesh.animation(0).unwrap(), other.animation(0).unwrap());
        assert_eq!(other.keys().next().unwrap().flags, one.keys().next().unwrap().flags | 0x80);
        let [mut expected, mut found] = [[Transform::default(); 2]; 2];
        for frame in 0..one.frames {
            one.pose(frame, &mut expected).unwrap();
            other.pose(frame, &mut found).unwrap();
            assert_eq!(found, expected);
        }
        let found: Vec<_> = faults(&spoilt).into_iter().filter(|finding| finding.rule == "UG08").collect();
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].field.to_string().as_str(), found[0].offset), ("animation[0].keys", keys.start as u64));
    }
    let whole = bytes("cube_ms13");
    assert_eq!(Mesh::open(whole).unwrap().animation_count(), 0, "ms13 stores no animations");
}

/// Tests which bytes are read.
///
/// Opening reads only the header. Locating a surface reads the counts before it, and locating an
/// array reads the counts before the array. Neither reads a vertex.
#[test]
fn touches_no_more_than_it_says() {
    let mut heavy = grid("heavy", 60, true);
    heavy.weights = vec![vec![Influence { bone: 0, weight: 1.0 }]; 61 * 61];
    let bones = vec![builder::Bone { parent: -1, ..builder::Bone::default() }];
    let built = builder::Mesh {
        bones,
        surfaces: vec![grid("first", 60, true), heavy, grid("last", 60, true)],
        ..builder::Mesh::new(Generation::Ms13)
    };
    let whole = built.to_bytes().unwrap();
    let all = regions(&whole);
    let sum = |wanted: &dyn Fn(&Region) -> bool| all.iter().filter(|region| wanted(region)).map(looked_at).sum::<u64>();
    let body = region(&whole, "bind_transforms").end as u64;
    let of = |surface: u64| {
        move |region: &Region| region.start >= body && region.field.outer().is_some_and(|(_, index)| index == surface)
    };
    let header = sum(&|region| region.end <= body);
    let mesh = Mesh::open_with(whole.as_slice(), &OpenOptions::default().with_record_access(true)).unwrap();
    let touched = mesh.access_log(0).unwrap();
    assert_eq!((touched.bytes(), touched.pages()), (header, 1));
    mesh.bounds().unwrap();
    assert!(Surface::all(&mesh).unwrap().all(|surface| surface.name().is_ok() && surface.bounds().is_ok()));
    assert_eq!(touched.bytes(), header, "names and bounds come from the header");

    let view = mesh.surface(1).unwrap();
    let first = sum(&of(0));
    assert!(first < 30);
    assert_eq!(touched.bytes(), header + first, "the counts of surface 0");
    let position = view.positions().unwrap().get(3720);
    assert!(position.is_some());
    let count = region(&whole, "surface[1].target[0].positions.count").len() as u64;
    assert_eq!(touched.bytes(), header + first + count, "the count before the array");
    let pages = touched.pages();
    assert!(pages <= 1 + 9, "a page per count, {pages} at most");
    view.uvs(0).unwrap();
    let counts = ["target[0].positions", "target[0].tangents", "weights", "uv0"];
    let counts: usize = counts.iter().map(|name| region(&whole, &format!("surface[1].{name}.count")).len()).sum();
    let walk = 61 * 61;
    assert_eq!(touched.bytes(), header + first + counts as u64 + walk, "one byte more for each skinned vertex");
    mesh.check().unwrap();
    assert_eq!(touched.bytes(), sum(&|_| true));
    let before = touched.bytes();
    let weights = view.weights().unwrap().unwrap();
    assert_eq!((weights.get(3000).unwrap().len(), weights.iter().count()), (1, 3721));
    view.tangent_frames().unwrap().for_each(drop);
    assert_eq!(touched.bytes(), before, "the location is cached");
    assert!(Mesh::open(whole.as_slice()).unwrap().access_log(0).is_none());
    let model = Model::open_with(whole.as_slice(), &OpenOptions::default().with_record_access(true)).unwrap();
    assert_eq!(model.file().touched_bytes().unwrap(), header);
}

/// Tests that surfaces are located at the same offsets in any order and from several threads at
/// once.
#[test]
fn locates_in_any_order() {
    let built = builder::Mesh {
        surfaces: (2..22).map(|side| grid("grid", side, side % 2 == 0)).collect(),
        ..builder::Mesh::new(Generation::Ms11)
    };
    let whole = built.to_bytes().unwrap();
    let offsets: Vec<u64> = (0..20)
        .map(|index| region(&whole, &format!("surface[{index}].target[0].positions.count")).start as u64)
        .collect();
    let mut random = Random::new(3);
    for _ in 0..20 {
        let mesh = Mesh::open(whole.as_slice()).unwrap();
        for _ in 0..20 {
            let index = random.below(20);
            assert_eq!(mesh.surface(index).unwrap().offset(), offsets[index]);
        }
    }
    let mesh = Mesh::open(whole.as_slice()).unwrap();
    std::thread::scope(|scope| {
        for first in 0..4 {
            let (mesh, offsets) = (&mesh, &offsets);
            scope.spawn(move || {
                for index in (0..20).rev().cycle().skip(first * 5).take(20) {
                    assert_eq!(mesh.surface(index).unwrap().offset(), offsets[index]);
                }
            });
        }
    });
}

#[test]
fn views_can_be_sent_and_copied() {
    fn view<T: Copy + Send + Sync>() {}
    fn owner<T: Send + Sync + 'static>() {}
    view::<SurfaceView<'_>>();
    view::<MorphTarget<'_>>();
    view::<AnimationView<'_>>();
    view::<Packed<'_, decode::Floats<3>>>();
    view::<Packed<'_, decode::Influence4>>();
    view::<Surface<'_>>();
    view::<Corners<'_>>();
    view::<Weights<'_>>();
    view::<Bone<'_>>();
    view::<Name<'_>>();
    view::<(model::Positions<'_>, TangentFrames<'_>, model::Uvs<'_>, model::Colors<'_>, model::Indices<'_>)>();
    view::<meshpeek::array::runs::CountedRuns<'_, [u8; 4]>>();
    owner::<Mesh<Vec<u8>>>();
    owner::<Mesh<Arc<[u8]>>>();
    owner::<Mesh<Map>>();
    owner::<Model<Box<[u8]>>>();
    owner::<meshpeek::Error>();
}

/// Tests a mesh over any owner of bytes.
///
/// It can be stored, moved, and converted back to its owner.
#[test]
#[allow(unsafe_code, reason = "mapping is unsafe")]
fn any_owner_will_do() {
    fn look<D: AsRef<[u8]>>(data: D) -> D {
        let stored = vec![Mesh::open(data).unwrap()];
        let mesh = stored.into_iter().next().unwrap();
        expect_built(&mesh, &skinned(Generation::Ms12));
        mesh.into_inner()
    }
    let whole = bytes("skinned_ms12");
    assert!(look(whole.clone()) == whole);
    assert!(look(whole.as_slice()) == whole);
    let shared: Arc<[u8]> = whole.clone().into();
    assert_eq!(Arc::strong_count(&look(Arc::clone(&shared))), 2);
    look(whole.clone().into_boxed_slice());
    look(std::borrow::Cow::Borrowed(whole.as_slice()));
    // SAFETY: no process writes to the samples.
    let map = unsafe { meshpeek::Map::open(data().join("skinned_ms12.mesh")).unwrap() };
    look(map).check().unwrap();
    look(meshpeek::read(data().join("skinned_ms12.mesh")).unwrap());
    // The bytes may have any address: a file inside another file is not aligned.
    for shift in 1..5 {
        let moved = [vec![0; shift], whole.clone()].concat();
        look(&moved[shift..]);
    }
}

// Mapped files.

/// Tests that anything but a regular file is refused by name, without blocking.
#[cfg(unix)]
#[test]
#[allow(unsafe_code, reason = "mapping is unsafe")]
fn refuses_what_is_no_file() {
    // The path of a socket has at most 108 bytes.
    let folder = tempfile::tempdir_in("/tmp").or_else(|_| tempfile::tempdir()).unwrap();
    let (pipe, socket) = (folder.path().join("pipe"), folder.path().join("socket"));
    crate::support::files::make_pipe(&pipe);
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    let cases = [
        (folder.path().to_owned(), "a directory"),
        (pipe, "a named pipe"),
        (socket, "a socket"),
        ("/dev/zero".into(), "a device"),
        ("/dev/null".into(), "a device"),
    ];
    let (done, waited) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for (path, expected) in cases {
            // SAFETY: none of these is ever mapped.
            for error in [unsafe { Map::open(&path) }.map(drop), meshpeek::read(&path).map(drop)] {
                let error = error.unwrap_err();
                assert!(is_error(&error, ErrorKind::NotRegular, &[&format!(", found {expected}")]), "{error}");
                assert_eq!(error.path(), Some(path.as_path()));
                assert!(error.to_string().contains(expected), "{error}");
            }
        }
        done.send(()).unwrap();
    });
    waited.recv_timeout(crate::support::PATIENCE).expect("opening neither blocks nor panics");

    let missing = folder.path().join("missing");
    // SAFETY: the file does not exist, so nothing is mapped.
    for error in [unsafe { Map::open(&missing) }.map(drop), meshpeek::read(&missing).map(drop)] {
        let error = error.unwrap_err();
        assert!(error.io_error().is_some_and(|cause| cause.kind() == std::io::ErrorKind::NotFound), "{error}");
        assert!(std::error::Error::source(&error).is_some() && error.path() == Some(missing.as_path()));
    }
}

/// Tests that an empty file maps to no bytes and is then refused as a mesh.
#[test]
#[allow(unsafe_code, reason = "mapping is unsafe")]
fn maps_an_empty_file() {
    let file = tempfile::NamedTempFile::new().unwrap();
    // SAFETY: only this test uses the file.
    let map = unsafe { Map::open(file.path()).unwrap() };
    assert!(map.as_ref().is_empty());
    map.check().unwrap();
    assert!(Mesh::open(map).unwrap_err().kind() == ErrorKind::Empty);
    assert!(meshpeek::read(file.path()).unwrap().is_empty());
}

/// Tests that `check` detects a file that was truncated or written while it was mapped, and never
/// trusts it again.
///
/// A file that was replaced or deleted stays valid.
#[cfg(unix)]
#[test]
#[allow(unsafe_code, reason = "mapping is unsafe")]
fn tells_when_the_file_was_changed() {
    let folder = tempfile::tempdir().unwrap();
    let whole = bytes("cube_ms13");
    let fresh = |name: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, &whole).unwrap();
        let file = std::fs::File::options().write(true).open(&path).unwrap();
        // The test needs modification times that change, so it sets an old one.
        file.set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000)).unwrap();
        // SAFETY: the bytes that are truncated or written below are not read afterwards.
        let map = unsafe { Map::open(&path).unwrap() };
        map.check().unwrap();
        (path, file, map)
    };
    let (_, file, map) = fresh("cut");
    file.set_len(100).unwrap();
    let error = map.check().unwrap_err();
    assert!(is_error(&error, ErrorKind::Truncated, &["expected 665 bytes, found 100:"]), "{error}");
    assert_eq!(error.offset(), Some(100));
    file.set_len(665).unwrap();
    assert!(map.check().unwrap_err().kind() == ErrorKind::Changed, "the file has its old length again, with zeros");

    let (path, _file, map) = fresh("appended");
    let mut longer = std::fs::File::options().append(true).open(path).unwrap();
    std::io::Write::write_all(&mut longer, b"more").unwrap();
    assert!(map.check().unwrap_err().kind() == ErrorKind::Changed);

    let (path, _file, map) = fresh("rewritten");
    std::fs::write(path, vec![0; whole.len()]).unwrap();
    assert!(map.check().unwrap_err().kind() == ErrorKind::Changed);

    let (path, _file, map) = fresh("replaced");
    let other = folder.path().join("other");
    std::fs::write(&other, b"something else").unwrap();
    std::fs::rename(&other, &path).unwrap();
    map.check().unwrap();
    assert!(map.as_ref() == whole);

    let (path, _file, map) = fresh("deleted");
    std::fs::remove_file(path).unwrap();
    map.check().unwrap();
    assert!(map.as_ref() == whole);
}

/// Tests that names in the file are plain data.
///
/// Several items with one name, and one with an empty name, are distinguished by their index.
#[test]
fn names_are_bytes() {
    let whole = bytes("room_ms11");
    let mesh = Mesh::open(whole.as_slice()).unwrap();
    let names: Vec<String> = mesh.surfaces().map(|surface| surface.unwrap().name().to_string()).collect();
    assert_eq!(names, ["floor", "лампа", "box"]);
    let spoilt = spoil_all(&whole, &[("surface[0].name", &[1, 0]), ("surface[2].name", &[1, 0])]);
    let mesh = Mesh::open(spoilt.as_slice()).unwrap();
    let names: Vec<Vec<u8>> = mesh.surfaces().map(|surface| surface.unwrap().name().as_bytes().to_vec()).collect();
    assert_eq!(names, [b"".to_vec(), "лампа".into(), b"".to_vec()]);
    assert_eq!(mesh.surface(2).unwrap().positions().unwrap().len(), 8);
}

/// Compares a whole file with golden bytes, field by field, in the layout of the format's page.
#[test]
fn golden_file() {
    let built = builder::Mesh {
        bones: vec![builder::Bone { name: "b".into(), parent: -1, bind: Transform::default() }],
        animations: vec![builder::Animation {
            name: "a".into(),
            bones: vec![0],
            flags: 9,
            frames: vec![vec![builder::BoneKey {
                position: [Some(2.0), None, None],
                rotation: Some([0.0, 0.0, 0.0, 1.0]),
                ..builder::BoneKey::default()
            }]],
        }],
        surfaces: vec![builder::Surface {
            name: "s".into(),
            lightmap: Some([0, 4]),
            targets: vec![builder::MorphTarget {
                positions: vec![[1.0, 2.0, 3.0]],
                frames: vec![TangentFrame { rotation: [0.0, 0.0, 0.0, 1.0], handedness: -1.0 }],
                ..builder::MorphTarget::default()
            }],
            weights: vec![vec![Influence { bone: 0, weight: 1.0 }]],
            uvs: [vec![[0.5, 1.0]], Vec::new()],
            colors: vec![[1, 2, 3, 4]],
            indices: vec![0; 3],
            attribute_indices: vec![0; 3],
        }],
        ..builder::Mesh::new(Generation::Ms12)
    };
    let floats = |floats: &[f32]| floats.iter().flat_map(|float| float.to_le_bytes()).collect::<Vec<u8>>();
    let bounds = floats(&[1.0, 2.0, 3.0, 1.0, 2.0, 3.0, 1.0, 2.0, 3.0, 0.0]);
    let expected = [
        b"ms12".to_vec(),
        bounds.clone(),
        b"\x01\x02b\0\xff\xff".to_vec(),
        b"\x01\x02a\0".to_vec(),
        b"\x01\x02s\0\x00\x04".to_vec(),
        bounds,
        b"\x01\x01\0".to_vec(),
        b"ms12".to_vec(),
        floats(&[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0]),
        b"\x01\0\0\x09\x01\x09".to_vec(),
        floats(&[2.0]),
        b"\0\0\0\0\0\0\xff\x7f".to_vec(),
        b"\x01".to_vec(),
        floats(&[1.0, 2.0, 3.0]),
        b"\x01\0\0\0\0\0\0\x01\x80".to_vec(),
        b"\x01\x01\0\0\xff\xff".to_vec(),
        b"\x01".to_vec(),
        floats(&[0.5, 1.0]),
        b"\x00\x01\x01\x02\x03\x04".to_vec(),
        b"\x03\0\0\0\x03\0\0\0".to_vec(),
        b"ms12".to_vec(),
    ]
    .concat();
    assert_eq!(built.to_bytes().unwrap(), expected);
    expect_built(&Mesh::open(expected).unwrap(), &built);
}

//! UNIGINE meshes and animation files that are built from any values, in every generation.
//!
//! A file that is read back has the same values, is sound, and is written in the same bytes. Values
//! that a generation cannot hold are refused by name.
#![no_main]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    reason = "a panic is how a fuzz target fails"
)]

#[path = "shared/input.rs"]
mod input;
#[path = "../../support/mod.rs"]
mod support;

use input::Input;
use libfuzzer_sys::fuzz_target;
use meshpeek::decode::{Influence, TangentFrame, influence4};
use meshpeek::model::Transform;
use meshpeek::unigine::{Animation, AnimationGeneration, Generation, Mesh, Storage};
use meshpeek::{Array as _, MeshFile as _};
use support::unigine::builder;

fn bone(input: &mut Input<'_>) -> builder::Bone {
    let parent = if input.byte() < 8 { input.word() as i16 } else { input.pick(&[-1, -1, 0, 1, 2]) };
    builder::Bone { name: input.text(), parent, bind: input.transform() }
}

fn animation(input: &mut Input<'_>, bones: usize) -> builder::Animation {
    let key = |input: &mut Input<'_>| builder::BoneKey {
        position: std::array::from_fn(|_| input.flag().then(|| input.float())),
        rotation: input.flag().then(|| input.floats()),
        scale: std::array::from_fn(|_| input.flag().then(|| input.float())),
    };
    // The readers refuse an animation that lists a bone twice.
    let mut moved: Vec<i16> = input.list(5, |input| {
        let over = usize::from(input.byte() == 255);
        input.below(bones + over) as i16
    });
    moved.sort_unstable();
    moved.dedup();
    if input.flag() {
        moved.reverse();
    }
    let frames = input.below(5);
    let frames = (0..frames).map(|_| moved.iter().map(|_| key(input)).collect()).collect();
    let flags = if input.byte() < 8 { input.byte() } else { 0x7f };
    builder::Animation { name: if input.flag() { String::new() } else { input.text() }, bones: moved, flags, frames }
}

fn axes(input: &mut Input<'_>) -> TangentFrame {
    TangentFrame::from_axes(input.smalls(), input.smalls(), input.small())
}

fn surface(input: &mut Input<'_>, bones: usize) -> builder::Surface {
    let (positions, frames) = (input.below(12), input.below(12));
    let target = |input: &mut Input<'_>| builder::MorphTarget {
        name: if input.byte() < 20 { input.text() } else { String::new() },
        positions: (0..positions).map(|_| input.floats()).collect(),
        frames: (0..frames).map(|_| axes(input)).collect(),
    };
    let targets = 1 + if input.byte() < 60 { input.below(3) } else { 0 };
    let targets = (0..targets).map(|_| target(input)).collect();
    let influence = |input: &mut Input<'_>| Influence { bone: input.below(bones) as i32, weight: input.float() };
    let skinned = bones > 0 && input.flag();
    let weights = if skinned { (0..positions).map(|_| input.list(5, influence)).collect() } else { Vec::new() };
    let uvs =
        |input: &mut Input<'_>| if input.flag() { (0..frames).map(|_| input.floats()).collect() } else { Vec::new() };
    let uvs = [uvs(input), uvs(input)];
    let colors = if input.flag() { (0..frames).map(|_| input.word().to_le_bytes()).collect() } else { Vec::new() };
    let indices = input.indices(12, positions);
    let attribute_indices = indices.iter().map(|_| input.below(frames) as u32).collect();
    let lightmap = (input.byte() < 40).then(|| [input.byte(), input.byte()]);
    builder::Surface { name: input.text(), lightmap, targets, weights, uvs, colors, indices, attribute_indices }
}

/// Returns the built bytes. A refusal must name a field.
fn built(result: meshpeek::Result<Vec<u8>>) -> Option<Vec<u8>> {
    let refused = |error: &meshpeek::Error| {
        assert!(error.kind().id() == "refused" && !error.field().to_string().is_empty(), "{error}");
    };
    result.inspect_err(refused).ok()
}

fn bits<const N: usize>(values: impl IntoIterator<Item = [f32; N]>) -> Vec<[u32; N]> {
    values.into_iter().map(|value| value.map(f32::to_bits)).collect()
}

fn bind(transform: &Transform) -> Vec<u32> {
    let Transform { position, rotation, scale } = transform;
    position.iter().chain(rotation).chain(scale).map(|number| number.to_bits()).collect()
}

fn expect_surface(found: &meshpeek::unigine::SurfaceView<'_>, built: &builder::Surface, generation: Generation) {
    assert_eq!(found.name().as_bytes(), built.name.as_bytes());
    for (number, target) in built.targets.iter().enumerate() {
        let found = found.target(number).unwrap();
        assert_eq!(found.name().as_bytes(), target.name.as_bytes());
        assert_eq!(bits(found.positions().unwrap().iter()), bits(target.positions.iter().copied()));
        assert_eq!(found.tangent_frames().unwrap().len(), target.frames.len());
    }
    for (set, built) in built.uvs.iter().enumerate() {
        let found = found.uvs(set).unwrap().map(|all| bits(all.iter())).unwrap_or_default();
        assert_eq!(found, bits(built.iter().copied()));
    }
    let colors = found.colors().unwrap().map(|all| all.iter().count()).unwrap_or_default();
    assert_eq!(colors, built.colors.len());
    assert!(found.indices().unwrap().iter().eq(built.indices.iter().copied()));
    assert!(found.attribute_indices().unwrap().iter().eq(built.attribute_indices.iter().copied()));
    if generation.has_bones() {
        let lists = found
            .weights()
            .unwrap()
            .map(|all| all.iter().map(|list| list.iter().collect::<Vec<_>>()).collect::<Vec<_>>());
        let stored = |one: &Influence| {
            let raw = influence4::encode(*one);
            Influence { bone: raw.bone.get().into(), weight: f32::from(raw.weight.get()) / 65535.0 }
        };
        let expected: Vec<Vec<Influence>> =
            built.weights.iter().map(|list| list.iter().map(stored).collect()).collect();
        assert_eq!(lists.unwrap_or_default(), expected);
    }
}

fn mesh(input: &mut Input<'_>) {
    let generation = input.pick(&Generation::ALL);
    let bones = if generation.has_bones() || input.byte() < 8 { input.list(5, bone) } else { Vec::new() };
    let animated = generation.has_animations() || input.byte() < 8;
    let animations = if animated { input.list(3, |input| animation(input, bones.len())) } else { Vec::new() };
    let surfaces = input.list(4, |input| surface(input, bones.len()));
    let storage = input.pick(&[Storage::Raw, Storage::Lz4, Storage::Kept]);
    let leaf_triangles = if input.byte() < 20 { input.word() } else { 4 };
    let memory_estimate = (input.byte() < 20).then(|| i64::from(input.word() as i32));
    let built_mesh =
        builder::Mesh { generation, bones, animations, surfaces, storage, leaf_triangles, memory_estimate };
    let Some(bytes) = built(built_mesh.to_bytes()) else { return };
    let mesh = Mesh::open(bytes.as_slice()).unwrap();
    mesh.check().unwrap();
    assert_eq!((mesh.generation(), mesh.surface_count()), (generation, built_mesh.surfaces.len()));
    for (number, built) in built_mesh.surfaces.iter().enumerate() {
        expect_surface(&mesh.surface(number).unwrap(), built, generation);
    }
    assert_eq!(mesh.bone_count(), built_mesh.bones.len());
    for (number, built) in built_mesh.bones.iter().enumerate() {
        let bone = mesh.bone(number).unwrap();
        assert_eq!((bone.name.as_bytes(), bone.parent), (built.name.as_bytes(), i32::from(built.parent)));
        assert_eq!(bind(&bone.bind), bind(&built.bind));
    }
    assert_eq!(mesh.animation_count(), built_mesh.animations.len());
    for (number, built) in built_mesh.animations.iter().enumerate() {
        assert_eq!(mesh.animation(number).unwrap().frames as usize, built.frames.len());
    }
    let mut written = Vec::new();
    mesh.write_to(0, &mut written).unwrap();
    assert!(written == bytes, "written differently");
    let mut end = 0;
    mesh.regions(0, &mut |region| end = region.end).unwrap();
    assert_eq!((end, mesh.end().unwrap()), (bytes.len() as u64, bytes.len() as u64));
    mesh.validate(&mut |finding| assert!(finding.offset <= end, "{finding}")).unwrap();
}

fn animation_file(input: &mut Input<'_>) {
    let generation = input.pick(&AnimationGeneration::ALL);
    let bones = input.list(6, bone);
    let mut animations = input.list(4, |input| animation(input, bones.len()));
    if !generation.is_quantized() && input.byte() > 8 {
        animations.truncate(1);
        animations.iter_mut().for_each(|one| one.name.clear());
    }
    let file = builder::AnimationFile {
        bones,
        animations,
        skeleton_guid: input.text(),
        skeleton_path: input.text(),
        rate: input.word() as i32,
        root_motion: input.byte(),
        ..builder::AnimationFile::new(generation)
    };
    let Some(bytes) = built(file.to_bytes()) else { return };
    let found = Animation::open(bytes.as_slice()).unwrap();
    found.check().unwrap();
    assert_eq!((found.bone_count(), found.animation_count()), (file.bones.len(), file.animations.len()));
    for (number, built) in file.animations.iter().enumerate() {
        let view = found.animation(number).unwrap();
        assert_eq!(view.frames as usize, built.frames.len());
        let mut pose = vec![Transform::default(); view.bone_count()];
        let played: Vec<Vec<u32>> = {
            let mut played = view.play().unwrap();
            let mut all = Vec::new();
            while let Some(bones) = played.next().unwrap() {
                all.push(bones.iter().flat_map(bind).collect());
            }
            all
        };
        assert_eq!(played.len(), built.frames.len());
        for (frame, expected) in played.iter().enumerate() {
            view.pose(frame as u32, &mut pose).unwrap();
            assert_eq!(pose.iter().flat_map(bind).collect::<Vec<_>>(), *expected, "frame {frame}");
        }
    }
    let mut written = Vec::new();
    found.write_to(0, &mut written).unwrap();
    assert!(written == bytes, "written differently");
}

fuzz_target!(|bytes: &[u8]| {
    let mut input = Input::new(bytes);
    if input.byte() < 170 { mesh(&mut input) } else { animation_file(&mut input) }
});

//! Builds the samples of `data/unigine`.

use std::path::PathBuf;

use crate::support::unigine::builder;
use meshpeek::decode::{Influence, TangentFrame};
use meshpeek::model::Transform;
use meshpeek::unigine::{AnimationGeneration, Generation, Storage};

/// A sample of `data/unigine`: the stem of its file, and the mesh that it is built from.
pub struct Sample {
    pub stem: &'static str,
    pub mesh: builder::Mesh,
}

/// A sample of an animation file, in the same folder.
pub struct AnimationSample {
    pub stem: &'static str,
    pub file: builder::AnimationFile,
}

/// Builds every sample of a mesh.
pub fn samples() -> Vec<Sample> {
    let sample = |stem, mesh| Sample { stem, mesh };
    let cubes = ["cube_ms10", "cube_ms11", "cube_ms12", "cube_ms13", "cube_ms14", "cube_ms15"];
    let mut all: Vec<Sample> = cubes
        .into_iter()
        .zip(Generation::ALL)
        .map(|(stem, generation)| {
            sample(stem, builder::Mesh { surfaces: vec![cube("cube", 0.5)], ..builder::Mesh::new(generation) })
        })
        .collect();
    all.push(sample("empty_ms12", builder::Mesh::new(Generation::Ms12)));
    all.push(sample("skinned_ms10", skinned(Generation::Ms10)));
    all.push(sample("skinned_ms12", skinned(Generation::Ms12)));
    all.push(sample("morph_ms13", morph()));
    all.push(sample("room_ms11", room()));
    let raw = builder::Mesh { surfaces: vec![cube("cube", 0.5)], ..builder::Mesh::new(Generation::Ms14) };
    all.push(sample("cube_ms14_raw", builder::Mesh { storage: Storage::Raw, ..raw }));
    all.push(sample("skinned_ms14", skinned(Generation::Ms14)));
    all.push(sample("room_ms14", furnished_room()));
    all.push(sample("tree_ms12", tree()));
    all
}

/// Builds every sample of an animation file.
pub fn animation_samples() -> Vec<AnimationSample> {
    let waves = ["wave_an10", "wave_an11", "wave_an12", "wave_an13"].into_iter().zip(AnimationGeneration::ALL);
    let mut all: Vec<_> = waves.map(|(stem, generation)| AnimationSample { stem, file: wave(generation) }).collect();
    let mut still = wave(AnimationGeneration::An11);
    still.animations[0].frames.clear();
    all.push(AnimationSample { stem: "bend_an10", file: bend() });
    all.push(AnimationSample { stem: "still_an11", file: still });
    all
}

/// Returns the bytes of a sample, which is a mesh or an animation.
pub fn bytes(stem: &str) -> Vec<u8> {
    if let Some(sample) = samples().into_iter().find(|sample| sample.stem == stem) {
        return sample.mesh.to_bytes().unwrap();
    }
    animation_samples().into_iter().find(|sample| sample.stem == stem).unwrap().file.to_bytes().unwrap()
}

/// Returns the folder of the samples.
pub fn data() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("data/unigine")
}

/// A cube of eight positions and 24 tangent frames.
///
/// Faces are counter-clockwise from outside, and v points downwards.
pub fn cube(name: &str, half: f32) -> builder::Surface {
    // For each face: the normal, the direction of u, and the direction of v.
    let faces: [[[f32; 3]; 3]; 6] = [
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, -1.0]],
        [[-1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, -1.0]],
        [[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, -1.0]],
        [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]],
        [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, -1.0, 0.0]],
        [[0.0, 0.0, -1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
    ];
    let positions: Vec<[f32; 3]> =
        (0..8_u8).map(|corner| [4, 2, 1].map(|bit| if corner & bit == 0 { half } else { -half })).collect();
    let mut surface = builder::Surface { name: name.to_owned(), ..builder::Surface::default() };
    let mut frames = Vec::new();
    for [normal, tangent, down] in faces {
        let first = u32::try_from(frames.len()).unwrap();
        for [u, v] in [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0_f32]] {
            let mut corner = [0.0; 3];
            for axis in 0..3 {
                corner[axis] = (normal[axis] + tangent[axis] * (u * 2.0 - 1.0) + down[axis] * (v * 2.0 - 1.0)) * half;
            }
            let same = |known: &[f32; 3]| known.map(f32::to_bits) == corner.map(f32::to_bits);
            let position = positions.iter().position(same).unwrap();
            surface.indices.push(u32::try_from(position).unwrap());
            // The handedness follows from the side of (normal x tangent) in which v grows.
            // Downwards is the other side.
            frames.push(TangentFrame::from_axes(normal, tangent, handedness(normal, tangent, down)));
            surface.uvs[0].push([u, v]);
        }
        // Top left, bottom left, bottom right; top left, bottom right, top right.
        let quad: Vec<u32> = surface.indices.split_off(surface.indices.len() - 4);
        for corner in [0, 3, 2, 0, 2, 1] {
            surface.indices.push(quad[corner]);
            surface.attribute_indices.push(first + u32::try_from(corner).unwrap());
        }
    }
    surface.targets = vec![builder::MorphTarget { positions, frames, ..builder::MorphTarget::default() }];
    surface
}

fn handedness(normal: [f32; 3], tangent: [f32; 3], down: [f32; 3]) -> f32 {
    let [[nx, ny, nz], [tx, ty, tz]] = [normal, tangent];
    let cross = [ny * tz - nz * ty, nz * tx - nx * tz, nx * ty - ny * tx];
    cross.iter().zip(down).map(|(one, other)| one * other).sum()
}

/// Two bones, with the child before its parent, and a bar that they bend.
///
/// It has an embedded animation if the generation supports one.
pub fn skinned(generation: Generation) -> builder::Mesh {
    let mut bar = cube("bar", 1.0);
    let influence = |bone, weight| Influence { bone, weight };
    bar.weights = (0..8)
        .map(|corner| match corner % 4 {
            0 => vec![influence(1, 1.0)],
            1 => vec![influence(1, 0.75), influence(0, 0.25)],
            2 => vec![influence(0, 0.5), influence(1, 0.5)],
            _ => vec![influence(0, 1.0)],
        })
        .collect();
    // A mirrored face gives the other sign of the handedness, so both signs occur.
    for frame in &mut bar.targets[0].frames[..4] {
        frame.handedness = 1.0;
    }
    let bone = |name: &str, parent, height| builder::Bone {
        name: name.to_owned(),
        parent,
        bind: Transform { position: [0.0, 0.0, height], ..Transform::default() },
    };
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let whole = |height| builder::BoneKey {
        position: [Some(0.0), Some(0.0), Some(height)],
        rotation: Some([0.0, 0.0, 0.0, 1.0]),
        scale: [None; 3],
    };
    let bend = builder::Animation {
        name: "bend".to_owned(),
        bones: vec![0, 1],
        flags: 15,
        frames: vec![
            vec![whole(0.5), whole(-1.0)],
            vec![
                builder::BoneKey { rotation: Some([half, 0.0, 0.0, half]), ..builder::BoneKey::default() },
                builder::BoneKey::default(),
            ],
            vec![
                builder::BoneKey { position: [None, None, Some(2.0)], ..builder::BoneKey::default() },
                builder::BoneKey::default(),
            ],
        ],
    };
    builder::Mesh {
        bones: vec![bone("tip", 1, 1.0), bone("root", -1, -1.0)],
        animations: if generation.has_animations() { vec![bend] } else { Vec::new() },
        surfaces: vec![bar],
        ..builder::Mesh::new(generation)
    }
}

/// A cube with two more shapes: one is stretched, one is moved.
pub fn morph() -> builder::Mesh {
    let mut surface = cube("face", 0.5);
    let base = surface.targets[0].clone();
    for (name, scale, offset) in [("stretched", 2.0, 0.0), ("moved", 1.0, 0.25)] {
        let mut target = builder::MorphTarget { name: name.to_owned(), ..base.clone() };
        for [_, _, z] in &mut target.positions {
            *z = *z * scale + offset;
        }
        surface.targets.push(target);
    }
    builder::Mesh { surfaces: vec![surface], ..builder::Mesh::new(Generation::Ms13) }
}

/// Three surfaces that have all optional parts among them.
///
/// They have two UV sets, colours, a name that is not ASCII, and a grid whose second index stream
/// is wider than its first.
pub fn room() -> builder::Mesh {
    let mut lamp = cube("лампа", 0.125);
    lamp.uvs[1] = lamp.uvs[0].iter().map(|[u, v]| [u * 0.5, v * 0.5]).collect();
    lamp.colors = (0..24_u8).map(|corner| [255, corner * 10, 0, 255]).collect();
    let mut plain = cube("box", 0.25);
    plain.uvs[0].clear();
    builder::Mesh { surfaces: vec![grid("floor", 8, true), lamp, plain], ..builder::Mesh::new(Generation::Ms11) }
}

/// The room in blocks, with two more surfaces.
///
/// One has three shapes. The other is a triangle that is too small to become smaller by
/// compression.
pub fn furnished_room() -> builder::Mesh {
    let mut room = builder::Mesh { generation: Generation::Ms14, ..room() };
    room.surfaces.extend(morph().surfaces);
    room.surfaces.push(builder::Surface {
        name: String::from("sign"),
        targets: vec![builder::MorphTarget {
            positions: vec![[0.1, 0.2, 0.3], [0.7, 0.25, 0.35], [0.15, 0.8, 0.45]],
            frames: vec![TangentFrame { handedness: -1.0, ..TangentFrame::default() }],
            ..builder::MorphTarget::default()
        }],
        indices: vec![0, 1, 2],
        attribute_indices: vec![0; 3],
        ..builder::Surface::default()
    });
    room
}

/// A tree with levels of detail and shadow proxies, which only the names of its surfaces tell.
pub fn tree() -> builder::Mesh {
    let part = |name: &str, half: f32, height: f32| {
        let mut surface = cube(name, half);
        surface.targets[0].positions.iter_mut().for_each(|[_, _, z]| *z += height);
        surface
    };
    let surfaces = vec![
        part("trunk_lod_0", 0.25, 0.25),
        part("leaves_lod_0", 0.5, 1.0),
        part("leaves_lod_1", 0.375, 1.0),
        part("leaves_shadow", 0.5, 1.0),
        part("stone", 0.125, 0.125),
        part("fruit_LOD0_01", 0.0625, 1.5625),
        part("fruit_LOD0_02", 0.0625, 1.625),
        part("fruit_LOD1_", 0.125, 1.5),
    ];
    builder::Mesh { surfaces, ..builder::Mesh::new(Generation::Ms12) }
}

/// The number of frames of [`wave`].
pub const WAVE_FRAMES: u8 = 12;

/// A rotation about z by twice the angle whose tangent is `half`.
///
/// The result is exact on every machine.
pub fn turn(half: f32) -> [f32; 4] {
    let square = half * half;
    [0.0, 0.0, half * 2.0 / (square + 1.0), (1.0 - square) / (square + 1.0)]
}

/// Returns the pose of the five bones of [`wave`] in a frame.
///
/// The arm and the hand, which come before their parent, swing. The root rises and stops, the tail
/// grows twice, and the hat does not move.
pub fn wave_pose(frame: u8) -> Vec<Transform> {
    let at = f32::from(frame);
    let swing = f32::from(frame % 6) * 0.125 - 0.25;
    let bone = |position, rotation, scale| Transform { position, rotation, scale: [scale; 3] };
    vec![
        bone([0.0, 0.5, 0.0], turn(-swing), 1.0),
        bone([0.25, 1.0, 0.0], turn(swing * 0.5), 1.0),
        bone([0.0, 0.0, at.min(4.0) * 0.125], Transform::default().rotation, 1.0),
        bone([0.0, -0.5, 0.125], turn(0.25), if frame < 5 { 1.0 } else { f32::from(frame / 6) * 0.5 + 1.5 }),
        wave_hat(),
    ]
}

fn wave_hat() -> Transform {
    Transform { position: [0.0, 0.0, 2.0], rotation: turn(0.5), scale: [1.0, 1.0, 0.5] }
}

/// The animation that bends the bar of [`skinned`], in a separate file.
pub fn bend() -> builder::AnimationFile {
    let builder::Mesh { bones, animations, .. } = skinned(Generation::Ms12);
    builder::AnimationFile { bones, animations, ..builder::AnimationFile::new(AnimationGeneration::An10) }
}

/// A waving figure of five bones. One bone is not animated.
///
/// From an12 on, the numbers of the animated bones have a gap.
pub fn wave(generation: AnimationGeneration) -> builder::AnimationFile {
    let bone = |name: &str, parent, bind| builder::Bone { name: name.to_owned(), parent, bind };
    let at = |position| Transform { position, ..Transform::default() };
    let mut bones = vec![
        bone("hand", 1, at([0.0, 0.5, 0.0])),
        bone("arm", 2, at([0.25, 1.0, 0.0])),
        bone("root", -1, at([0.0, 0.0, 1.0])),
        bone("хвост", 2, at([0.0, -0.5, 0.0])),
        bone("hat", 2, wave_hat()),
    ];
    let mut poses: Vec<_> = (0..WAVE_FRAMES).map(wave_pose).collect();
    // The hat is the last bone, or one in the middle.
    let hat = if generation.has_skeleton() { 1 } else { 4 };
    let moved = |bone: usize| bone + usize::from(hat < 4 && bone >= hat);
    let bone_with_hat = bones.remove(4);
    bones.insert(hat, bone_with_hat);
    for bone in &mut bones {
        if let Ok(parent) = usize::try_from(bone.parent) {
            bone.parent = i16::try_from(moved(parent)).unwrap();
        }
        if !generation.has_binds() {
            bone.bind = Transform::default();
        }
    }
    for pose in &mut poses {
        pose.truncate(4);
    }
    let name = if generation.is_quantized() { "wave" } else { "" };
    let mut wave = builder::Animation::of_poses(name, &poses);
    wave.bones = (0..4).map(|bone| i16::try_from(moved(bone)).unwrap()).collect();
    if !generation.is_quantized() {
        // In these generations an absent component has its default value, not the value of the
        // frame before.
        for (keys, pose) in wave.frames.iter_mut().zip(&poses) {
            for (key, bone) in keys.iter_mut().zip(pose) {
                *key = whole_key(bone);
            }
        }
    }
    let guid = "00112233445566778899aabbccddeeff00112233";
    builder::AnimationFile {
        bones,
        animations: vec![wave],
        skeleton_guid: guid.to_owned(),
        skeleton_path: format!("guid://{guid}"),
        ..builder::AnimationFile::new(generation)
    }
}

/// Returns a key with all components of a transform.
pub fn whole_key(bone: &Transform) -> builder::BoneKey {
    builder::BoneKey { position: bone.position.map(Some), rotation: Some(bone.rotation), scale: bone.scale.map(Some) }
}

/// A square of `side` x `side` quads.
///
/// If `split` is true, every corner has a separate attribute.
pub fn grid(name: &str, side: u32, split: bool) -> builder::Surface {
    let mut surface = builder::Surface { name: name.to_owned(), ..builder::Surface::default() };
    let mut base = builder::MorphTarget::default();
    let step = |at: u32| at as f32 / side as f32;
    for y in 0..=side {
        for x in 0..=side {
            let (x, y) = (step(x), step(y));
            base.positions.push([x * 2.0 - 1.0, y * 2.0 - 1.0, (x * y * 7.0).sin() * 0.1]);
        }
    }
    let frame = TangentFrame { handedness: -1.0, ..TangentFrame::default() };
    for y in 0..side {
        for x in 0..side {
            let at = |dx: u32, dy: u32| (y + dy) * (side + 1) + x + dx;
            for [dx, dy] in [[0, 0], [1, 0], [1, 1], [0, 0], [1, 1], [0, 1]] {
                surface.indices.push(at(dx, dy));
                if split {
                    surface.attribute_indices.push(u32::try_from(base.frames.len()).unwrap());
                    base.frames.push(frame);
                    surface.uvs[0].push([step(x + dx), 1.0 - step(y + dy)]);
                }
            }
        }
    }
    if !split {
        surface.attribute_indices = surface.indices.clone();
        base.frames = vec![frame; base.positions.len()];
        surface.uvs[0] = base.positions.iter().map(|[x, y, _]| [x * 0.5 + 0.5, 0.5 - y * 0.5]).collect();
    }
    surface.targets = vec![base];
    surface
}

//! Meshes that move: poses of bones, vertex frames and morph targets.
//!
//! A scene that is refitted from one position to the next gives the same results as a scene that is
//! built there, and both agree with a loop over all triangles in `f64`.
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

use std::sync::Arc;

use input::Input;
use libfuzzer_sys::fuzz_target;
use meshpeek::decode::{Influence, TangentFrame};
use meshpeek::model::animation::{Affine, SkinMatrix};
use meshpeek::query::{Scene, Tree, Triangles};
use meshpeek::unigine::{Generation, Mesh};
use meshpeek::{Animations as _, Array as _, Geometry, Pose, Result, Skeleton, SkinnedSurface, Surface, unreal};
use support::query::{Corners, Oracle, Questions, ask, expect, faces_of, sound};
use support::unigine::builder;

type Faces = Vec<Option<Corners>>;

/// Refits a scene to the triangles of all surfaces, and compares it with a built scene.
fn follow<'a>(before: &Scene<'_>, moved: &[(Triangles<'a>, Faces)], questions: &Questions) -> Scene<'a> {
    let refitted = before.refit(|surface| Ok(moved[surface].0)).unwrap();
    let mut built = Scene::empty();
    for (surface, (triangles, _)) in moved.iter().enumerate() {
        built.add(surface, *triangles, Arc::new(Tree::new(triangles).unwrap()));
    }
    let faces: Vec<Faces> = moved.iter().map(|(_, faces)| faces.clone()).collect();
    expect(&refitted, &Oracle::new(&faces), questions);
    assert!(ask(&refitted, questions) == ask(&built, questions), "a refitted scene differs from a built one");
    refitted
}

fn surface(input: &mut Input<'_>, bones: usize, targets: usize) -> builder::Surface {
    let vertices = input.below(40);
    let mut target = |_| builder::MorphTarget {
        positions: (0..vertices).map(|_| input.floats()).collect(),
        frames: vec![TangentFrame::default(); vertices],
        ..Default::default()
    };
    let targets = (0..targets).map(&mut target).collect();
    let mut influence =
        |input: &mut Input<'_>| Influence { bone: input.below(bones) as i32, weight: f32::from(input.byte()) / 255.0 };
    let skinned = bones > 0 && input.byte() > 30;
    let weights = if skinned { (0..vertices).map(|_| input.list(5, &mut influence)).collect() } else { Vec::new() };
    let mut indices = input.indices(64, vertices);
    indices.iter_mut().for_each(|index| *index %= vertices.max(1) as u32);
    builder::Surface { targets, weights, attribute_indices: indices.clone(), indices, ..Default::default() }
}

fn posed(input: &mut Input<'_>) {
    let bone =
        |input: &mut Input<'_>| builder::Bone { name: String::from("bone"), parent: -1, bind: input.transform() };
    let mut bones: Vec<builder::Bone> = input.list(5, bone);
    let count = bones.len();
    for bone in &mut bones {
        // A number beyond the last bone means a root. A cycle of parents is possible.
        let parent = input.below(count + 2);
        bone.parent = if parent < count { parent as i16 } else { -1 };
    }
    let key = |input: &mut Input<'_>| builder::BoneKey {
        position: std::array::from_fn(|_| input.flag().then(|| input.float())),
        rotation: input.flag().then(|| input.floats()),
        scale: std::array::from_fn(|_| input.flag().then(|| input.float())),
    };
    let frames = input.below(5);
    let frames = (0..frames).map(|_| (0..count).map(|_| key(input)).collect()).collect();
    let animation =
        builder::Animation { name: String::from("clip"), bones: (0..count as i16).collect(), flags: 0x7f, frames };
    let surfaces = (0..=input.below(3)).map(|_| surface(input, count, 1)).collect();
    let generation = input.pick(&[Generation::Ms10, Generation::Ms12]);
    let mesh = builder::Mesh { bones, animations: vec![animation], surfaces, ..builder::Mesh::new(generation) };
    let mesh = Mesh::open(mesh.to_bytes().unwrap()).unwrap();
    let questions = input.questions(mesh.surface_count(), 40);
    let Ok(skeleton) = Skeleton::new(&mesh) else { return };
    let mut pose = Pose::rest(&mesh).unwrap();
    let (mut model, mut palette) = (vec![Affine::IDENTITY; count], vec![SkinMatrix::IDENTITY; count]);
    let mut poses: Vec<Vec<Vec<[f32; 3]>>> = Vec::new();
    for frame in 0..mesh.clip(0).unwrap().frames as usize {
        pose.set_frame(&mesh, 0, frame).unwrap();
        skeleton.model(pose.bones(), &mut model).unwrap();
        if skeleton.palette(&model, &mut palette).is_err() {
            return;
        }
        let skin = |surface: Surface<'_>| -> Result<_> {
            let skinned = SkinnedSurface::new(&surface, &palette)?;
            let mut points = vec![[0.0; 3]; skinned.len()];
            skinned.positions_into(&mut points)?;
            for (vertex, point) in points.iter().enumerate() {
                let alone = skinned.position(vertex as u32)?.unwrap();
                let same = |(one, other): (&f32, f32)| *one == other || one.is_nan() && other.is_nan();
                assert!(point.iter().zip(alone).all(same), "vertex {vertex}: {point:?}, alone {alone:?}");
            }
            Ok(points)
        };
        poses.push(Surface::all(&mesh).unwrap().map(skin).collect::<Result<_>>().unwrap());
    }
    let mut scene = Scene::new(&mesh).unwrap();
    for points in &poses {
        let all: Vec<_> = Surface::all(&mesh)
            .unwrap()
            .zip(points)
            .map(|(surface, points)| {
                let triangles = Triangles::from_points(&surface, points).unwrap();
                let indices = surface.indices().unwrap();
                let point = |corner: usize| points.get(indices.get(corner)? as usize).copied();
                let face = |face: usize| sound([point(3 * face), point(3 * face + 1), point(3 * face + 2)]);
                (triangles, (0..indices.len() / 3).map(face).collect())
            })
            .collect();
        scene = follow(&scene, &all, &questions);
    }
}

/// Refits a scene to the positions that `positions` returns for each surface, `count` times.
fn shaped<'a>(
    geometry: &'a dyn Geometry,
    count: usize,
    questions: &Questions,
    positions: impl Fn(&Surface<'a>, usize) -> Result<meshpeek::model::Positions<'a>>,
) {
    let mut scene = Scene::new(geometry).unwrap();
    for number in 0..count {
        let all: Vec<_> = Surface::all(geometry)
            .unwrap()
            .map(|surface| {
                let positions = positions(&surface, number).unwrap();
                let triangles = Triangles::with_positions(&surface, positions).unwrap();
                (triangles, faces_of(&positions, &surface.indices().unwrap()))
            })
            .collect();
        scene = follow(&scene, &all, questions);
    }
}

fn frames(input: &mut Input<'_>) {
    let variant = input.pick(&[unreal::Variant::Classic, unreal::Variant::DeusEx, unreal::Variant::Prototype]);
    let vertices = 3 + input.below(30);
    let mut coordinate = |limit: i16| i16::from_le_bytes([input.byte(), input.byte()]) % limit;
    let mut place = || [coordinate(1024), coordinate(1024), coordinate(512)];
    let mut all: Vec<Vec<_>> = (0..2).map(|_| (0..vertices).map(|_| place()).collect()).collect();
    if input.flag() {
        all.push(all[0].iter().map(|[x, y, z]| [*z, *x, *y / 2]).collect());
    }
    let polygon = |input: &mut Input<'_>| unreal::RawPolygon {
        vertices: std::array::from_fn(|_| (input.below(vertices) as u16).into()),
        texture: input.byte() % 3,
        ..unreal::RawPolygon::EMPTY
    };
    let polygons = input.list(64, polygon);
    let pair = support::unreal::builder::Mesh {
        polygons,
        frames: all,
        ..support::unreal::builder::Mesh::new(variant, vertices as u32)
    };
    let mesh = unreal::Mesh::open(pair.data_bytes().unwrap(), pair.aniv_bytes().unwrap()).unwrap();
    let mut questions = input.questions(mesh.surface_count().unwrap(), 30);
    for ray in &mut questions.rays {
        (ray.origin, ray.direction) = (ray.origin.map(|part| part * 256.0), ray.direction.map(|part| part * 64.0));
    }
    shaped(&mesh, mesh.frame_count(), &questions, |surface, frame| surface.vertex_frame(frame));
}

fn targets(input: &mut Input<'_>) {
    let surfaces = (0..=input.below(2)).map(|_| surface(input, 0, 3)).collect();
    let mesh = builder::Mesh { surfaces, ..builder::Mesh::new(Generation::Ms13) };
    let mesh = Mesh::open(mesh.to_bytes().unwrap()).unwrap();
    let questions = input.questions(mesh.surface_count(), 40);
    shaped(&mesh, 3, &questions, |surface, target| surface.target_positions(target));
}

fuzz_target!(|bytes: &[u8]| {
    let mut input = Input::new(bytes);
    match input.below(3) {
        0 => posed(&mut input),
        1 => frames(&mut input),
        _ => targets(&mut input),
    }
});

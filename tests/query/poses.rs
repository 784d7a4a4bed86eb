//! Tests meshes that move.
//!
//! A tree that is refitted to a frame or a pose gives the same results as a tree built from it.

use std::sync::Arc;

use meshpeek::model::animation::{Affine, SkinMatrix};
use meshpeek::query::{Scene, Tree, Triangles};
use meshpeek::{Animations as _, Array, Geometry, Pose, Skeleton, SkinnedSurface, Surface, unigine, unreal};

use crate::support::corpus;
use crate::support::query::{Corners, Oracle, Questions, ask, expect, faces_of, sound};
use crate::support::random::Random;
use crate::support::unigine::bytes;
use crate::support::unreal::data as unreal_data;

/// Compares a scene with a refitted surface and a scene that was built from the same triangles.
fn expect_alike(refitted: &Scene<'_>, triangles: Triangles<'_>, faces: Vec<Option<Corners>>, seed: u64) -> usize {
    let mut built = Scene::empty();
    built.add(0, triangles, Arc::new(Tree::new(&triangles).unwrap()));
    let faces = [faces];
    let oracle = Oracle::new(&faces);
    let questions = Questions::new(&mut Random::new(seed), &oracle, &faces, 30);
    let hits = expect(refitted, &oracle, &questions);
    assert!(ask(refitted, &questions) == ask(&built, &questions), "the refitted scene differs from the built one");
    hits
}

/// Refits all surfaces from each frame to the next frame.
fn expect_frames(mesh: &dyn Geometry, step: usize) -> usize {
    let (mut hits, frames) = (0, mesh.vertex_frame_count().unwrap());
    for surface in Surface::all(mesh).unwrap() {
        let base = Triangles::new(&surface).unwrap();
        let mut scene = Scene::empty();
        scene.add(0, base, Arc::new(Tree::new(&base).unwrap()));
        for frame in (0..frames).step_by(step) {
            let positions = surface.vertex_frame(frame).unwrap();
            let shaped = Triangles::with_positions(&surface, positions).unwrap();
            scene = scene.refit(|_| Ok(shaped)).unwrap();
            hits += expect_alike(&scene, shaped, faces_of(&positions, &surface.indices().unwrap()), frame as u64);
        }
    }
    hits
}

#[test]
fn frames_of_vertices() {
    for stem in ["guard", "box", "crate64", "prototype"] {
        let [data, aniv] = ["d", "a"].map(|end| std::fs::read(unreal_data().join(format!("{stem}_{end}.3d"))).unwrap());
        let mesh = unreal::Mesh::open(data, aniv).unwrap();
        assert!(expect_frames(&mesh, 1) > 0, "{stem}");
    }
    let Some(folder) = corpus("unreal") else { return };
    let mut largest: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    largest.retain(|path| path.to_string_lossy().ends_with("_d.3d"));
    largest.sort_by_key(|path| std::cmp::Reverse(std::fs::metadata(path).unwrap().len()));
    for path in largest.into_iter().take(4) {
        let aniv = path.to_string_lossy().replace("_d.3d", "_a.3d");
        let mesh = unreal::Mesh::open(std::fs::read(&path).unwrap(), std::fs::read(aniv).unwrap()).unwrap();
        expect_frames(&mesh, (mesh.frame_count() / 3).max(1));
    }
}

/// Moves all surfaces of a mesh into each pose of its clip.
fn expect_poses(mesh: &unigine::Mesh<Vec<u8>>) -> usize {
    let skeleton = Skeleton::new(mesh).unwrap();
    let mut pose = Pose::rest(mesh).unwrap();
    let (mut model, mut palette) = (vec![Affine::IDENTITY; skeleton.len()], vec![SkinMatrix::IDENTITY; skeleton.len()]);
    let frames = mesh.clip(0).unwrap().frames;
    assert!(frames > 1);
    let mut hits = 0;
    for surface in Surface::all(mesh).unwrap() {
        let base = Triangles::new(&surface).unwrap();
        let tree = Tree::new(&base).unwrap();
        for frame in 0..frames {
            pose.set_frame(mesh, 0, usize::try_from(frame).unwrap()).unwrap();
            skeleton.model(pose.bones(), &mut model).unwrap();
            skeleton.palette(&model, &mut palette).unwrap();
            let skinned = SkinnedSurface::new(&surface, &palette).unwrap();
            let mut positions = vec![[0.0; 3]; skinned.len()];
            skinned.positions_into(&mut positions).unwrap();
            let posed = Triangles::from_points(&surface, &positions).unwrap();
            let mut scene = Scene::empty();
            scene.add(0, posed, Arc::new(tree.refit(&posed).unwrap()));
            let indices = surface.indices().unwrap();
            let point = |corner: usize| positions.get(indices.get(corner)? as usize).copied();
            let face = |face: usize| sound([point(3 * face), point(3 * face + 1), point(3 * face + 2)]);
            let faces: Vec<_> = (0..indices.len() / 3).map(face).collect();
            assert_eq!((posed.len() as usize, posed.vertex_count()), (faces.len(), positions.len()));
            hits += expect_alike(&scene, posed, faces, u64::from(frame));
        }
    }
    hits
}

#[test]
fn poses() {
    let mesh = unigine::Mesh::open(bytes("skinned_ms12")).unwrap();
    assert!(expect_poses(&mesh) > 10);
    let mesh = unigine::Mesh::open(bytes("skinned_ms10")).unwrap();
    assert!(expect_poses(&mesh) > 10);
}

#[test]
fn morph_targets() {
    let mesh = unigine::Mesh::open(bytes("morph_ms13")).unwrap();
    let surface = Surface::new(&mesh, 0).unwrap();
    let scene = Scene::new(&mesh).unwrap();
    for target in 0..3 {
        let positions = surface.target_positions(target).unwrap();
        let shaped = Triangles::with_positions(&surface, positions).unwrap();
        let moved = scene.refit(|_| Ok(shaped)).unwrap();
        let faces = faces_of(&positions, &surface.indices().unwrap());
        assert!(expect_alike(&moved, shaped, faces, 7) > 0);
    }
}

//! Tests how bones move vertices, in the samples and, if the machine has them, in real files.
//!
//! Run the latter with `MESHPEEK_CORPUS=FOLDER cargo test --test model`. A file that does not open
//! as a mesh is skipped, because other tests cover such files.

use std::path::{Path, PathBuf};

use meshpeek::decode::{Influence, TangentFrame};
use meshpeek::model::animation::{Affine, Retarget, SkinMatrix};
use meshpeek::model::{Corner, Transform};
use meshpeek::unigine::{Generation, Mesh};
use meshpeek::{Animations, Array, Model, Pose, Skeleton, SkinnedSurface, Surface};

/// Largest displacement of a vertex by skinning in the bind pose, as a fraction of the mesh's
/// diagonal.
const WORST: f64 = 1e-5;

fn files_of(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.is_file());
    files.sort();
    assert!(!files.is_empty(), "no file in {}", folder.display());
    files
}

fn samples() -> Vec<PathBuf> {
    let data = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("data");
    ["unigine", "ezmesh"].iter().flat_map(|format| files_of(&data.join(format))).collect()
}

fn distance(one: [f32; 3], other: [f32; 3]) -> f64 {
    let parts = one.iter().zip(other).map(|(one, other)| f64::from(*one) - f64::from(other));
    parts.map(|part| part * part).sum::<f64>().sqrt()
}

/// Returns the palette of a pose.
///
/// Also tests that the transform of a bone is its local transform followed by the transform of its
/// parent.
fn palette_of(skeleton: &Skeleton, local: &[Transform], what: &Path) -> Vec<SkinMatrix> {
    let mut model = vec![Affine::IDENTITY; skeleton.len()];
    skeleton.model(local, &mut model).unwrap();
    for (bone, local) in local.iter().enumerate() {
        let above = skeleton.parent(bone).map_or(Affine::IDENTITY, |parent| model[parent]);
        assert_eq!(model[bone], Affine::from(local).then(&above), "{}: bone {bone}", what.display());
    }
    let mut palette = vec![SkinMatrix::IDENTITY; skeleton.len()];
    skeleton.palette(&model, &mut palette).unwrap_or_else(|error| panic!("{}: {error}", what.display()));
    palette
}

/// Skins every surface in the bind pose.
///
/// Returns the largest displacement of a vertex, as a fraction of the diagonal, and the number of
/// vertices with weights.
fn worst_at_bind(model: &Model<Vec<u8>>, what: &Path) -> (f64, usize) {
    let (geometry, animations) = (model.geometry(), model.animations());
    let skeleton = Skeleton::new(animations).unwrap_or_else(|error| panic!("{}: {error}", what.display()));
    let palette = palette_of(&skeleton, Pose::rest(animations).unwrap().bones(), what);
    let (mut worst, mut weighed) = (0.0_f64, 0);
    for surface in Surface::all(geometry).unwrap() {
        let Some(weights) = surface.weights().unwrap() else { continue };
        let positions = surface.positions().unwrap();
        let bounds = positions.bounds();
        let diagonal = distance(bounds.min, bounds.max);
        let skinned = SkinnedSurface::new(&surface, &palette).unwrap();
        let mut moved = vec![[0.0; 3]; skinned.len()];
        skinned.positions_into(&mut moved).unwrap_or_else(|error| panic!("{}: {error}", what.display()));
        for (vertex, moved) in moved.iter().enumerate() {
            assert_eq!(skinned.position(vertex as u32).unwrap(), Some(*moved), "{}: vertex {vertex}", what.display());
            let off = distance(*moved, positions.get(vertex).unwrap());
            assert!(off <= diagonal * WORST, "{}: surface {}, vertex {vertex}: {off}", what.display(), surface.index());
            worst = worst.max(if diagonal > 0.0 { off / diagonal } else { off });
        }
        assert_eq!(skinned.position(positions.len() as u32).unwrap(), None);
        weighed += weights.iter().filter(|influences| !influences.is_empty()).count();
    }
    (worst, weighed)
}

/// Skins the surfaces of all files that have bones.
///
/// Returns the number of files that have vertices with weights.
fn expect_bind_returns(files: &[PathBuf]) -> usize {
    let (mut worst, mut vertices, mut skinned) = (0.0_f64, 0, 0);
    for path in files {
        let Ok(model) = Model::open(std::fs::read(path).unwrap()) else { continue };
        if model.animations().bone_count().unwrap() == 0 {
            continue;
        }
        let (off, weighed) = worst_at_bind(&model, path);
        worst = worst.max(off);
        vertices += weighed;
        skinned += usize::from(weighed > 0);
    }
    eprintln!("{skinned} skinned files, {vertices} skinned vertices: at most {worst:.1e} of the diagonal off");
    skinned
}

#[test]
fn the_bind_moves_no_vertex_of_a_sample() {
    assert!(expect_bind_returns(&samples()) >= 4);
}

#[test]
fn the_bind_moves_no_vertex_of_a_real_file() {
    for format in ["unigine", "ezmesh"] {
        let Some(folder) = crate::support::corpus(format) else { return };
        assert!(expect_bind_returns(&files_of(&folder)) > 0, "no skinned file in {}", folder.display());
    }
    // Geometry in blocks is skinned like other geometry.
    let Some(folder) = crate::support::corpus("unigine") else { return };
    let capsule = folder.join("ms14_012e9667_capsule.mesh");
    let model = Model::open(std::fs::read(&capsule).unwrap()).unwrap();
    let (worst, weighed) = worst_at_bind(&model, &capsule);
    eprintln!("the capsule of ms14: {weighed} skinned vertices, at most {worst:.1e} of the diagonal off");
    assert_eq!((model.file().version(), weighed), ("ms14", 398));
}

/// Builds the sample of two bones: `tip` at the origin of the model, and its parent `root` below
/// it.
///
/// Each list holds the influences of the corners that share the same influences in the sample.
fn bar(lists: [&[(i32, f32)]; 4]) -> Mesh<Vec<u8>> {
    let mut mesh = crate::support::unigine::skinned(Generation::Ms12);
    let weighed = |(bone, weight): &(i32, f32)| Influence { bone: *bone, weight: *weight };
    mesh.surfaces[0].weights = lists.iter().chain(&lists).map(|list| list.iter().map(weighed).collect()).collect();
    Mesh::open(mesh.to_bytes().unwrap()).unwrap()
}

/// Returns the palette that moves the tip by 4 to the right and leaves the root in place.
fn pulled(mesh: &Mesh<Vec<u8>>) -> Vec<SkinMatrix> {
    let mut pose = Pose::rest(mesh).unwrap();
    pose.bones_mut()[0].position[0] += 4.0;
    palette_of(&Skeleton::new(mesh).unwrap(), pose.bones(), Path::new("bar"))
}

#[test]
fn vertices_follow_their_bones() {
    // The weights of the second list do not sum to 1: normalized, they are 1/4 and 3/4 (0.1 and 0.3
    // of 0.4). The third and the fourth list have no weight.
    let mesh = bar([&[(0, 1.0)], &[(0, 0.3), (1, 0.1)], &[], &[(0, 0.0)]]);
    let palette = pulled(&mesh);
    let surface = Surface::new(&mesh, 0).unwrap();
    let skinned = SkinnedSurface::new(&surface, &palette).unwrap();
    let mut moved = vec![[0.0; 3]; skinned.len()];
    skinned.positions_into(&mut moved).unwrap();
    let rest = surface.positions().unwrap();
    for (vertex, ([x, y, z], right)) in moved.into_iter().zip([4.0, 3.0, 0.0, 0.0].into_iter().cycle()).enumerate() {
        let from = rest.get(vertex).unwrap();
        assert!(distance([x - right, y, z], from) < 1e-4, "vertex {vertex}: {x} {y} {z}, from {from:?}");
        assert!(right > 0.0 || [x, y, z] == from, "a vertex that nothing moves is exact");
    }
}

#[test]
fn a_surface_without_weights_stays() {
    let mesh = Mesh::open(crate::support::unigine::bytes("cube_ms13")).unwrap();
    let surface = Surface::new(&mesh, 0).unwrap();
    let skinned = SkinnedSurface::new(&surface, &[]).unwrap();
    let mut moved = vec![[0.0; 3]; skinned.len()];
    skinned.positions_into(&mut moved).unwrap();
    assert_eq!(skinned.position(7).unwrap(), Some(moved[7]));
    assert!(moved.iter().enumerate().all(|(vertex, moved)| surface.positions().unwrap().get(vertex) == Some(*moved)));
}

#[test]
fn names_a_bone_that_is_not_in_the_palette() {
    let mesh = bar([&[(0, 1.0)], &[(1, 0.0), (0, 1.0)], &[(0, 0.5), (1, 0.5)], &[]]);
    let palette = pulled(&mesh);
    let surface = Surface::new(&mesh, 0).unwrap();
    let skinned = SkinnedSurface::new(&surface, &palette[..1]).unwrap();
    let mut moved = vec![[0.0; 3]; skinned.len()];
    assert!(skinned.position(1).unwrap().is_some(), "an influence without weight may name any bone");
    for error in [skinned.positions_into(&mut moved).unwrap_err(), skinned.position(2).unwrap_err()] {
        assert_eq!((error.kind().id(), &*error.field().to_string()), ("value", "surface[0].weights"));
        assert!(error.to_string().contains("bones below 1, found 1 at vertex 2"), "{error}");
    }
    assert_eq!(skinned.positions_into(&mut moved[1..]).unwrap_err().kind().id(), "buffer");
}

#[test]
fn normals_and_tangents_follow_their_bones() {
    let mesh = bar([&[(0, 1.0)], &[(1, 1.0)], &[], &[(0, 0.5), (1, 0.5)]]);
    let skeleton = Skeleton::new(&mesh).unwrap();
    // Both bones turn by 90 degrees about the x axis, so y becomes z.
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let mut pose = Pose::rest(&mesh).unwrap();
    let root = pose.bones().iter().enumerate().find(|(bone, _)| skeleton.parent(*bone).is_none()).unwrap().0;
    pose.bones_mut()[root].rotation = [half, 0.0, 0.0, half];
    let mut palette = palette_of(&skeleton, pose.bones(), Path::new("bar"));
    let surface = Surface::new(&mesh, 0).unwrap();
    let (stored, frames) = (surface.normals().unwrap().unwrap(), surface.tangent_frames().unwrap().unwrap());
    let corner = |position: u32, attribute: u32| Corner { position, attribute };
    {
        let skinned = SkinnedSurface::new(&surface, &palette).unwrap();
        let (normals, tangents) = (skinned.normals().unwrap().unwrap(), skinned.tangent_frames().unwrap().unwrap());
        for attribute in 0..u32::try_from(stored.len()).unwrap() {
            let [x, y, z] = stored.get(attribute as usize).unwrap();
            let found = normals.get(corner(attribute % 2, attribute)).unwrap().unwrap();
            assert!(distance(found, [x, -z, y]) < 1e-5, "{found:?}");
            let (before, after) =
                (frames.get(attribute as usize).unwrap(), tangents.get(corner(0, attribute)).unwrap().unwrap());
            let [x, y, z] = before.tangent();
            assert!(distance(after.tangent(), [x, -z, y]) < 1e-5 && after.handedness == before.handedness);
            // Position 2 has no weights.
            assert_eq!(normals.get(corner(2, attribute)).unwrap(), stored.get(attribute as usize));
            assert_eq!(tangents.get(corner(2, attribute)).unwrap(), Some(before));
        }
        let (positions, attributes) = (skinned.len() as u32, stored.len() as u32);
        for outside in [corner(positions, 0), corner(0, attributes), corner(u32::MAX, u32::MAX)] {
            assert_eq!((normals.get(outside).unwrap(), tangents.get(outside).unwrap()), (None, None));
            let error = normals.corners_into(&[corner(0, 0), outside], &mut [[0.0; 3]; 2]).unwrap_err();
            assert_eq!((error.kind().id(), &*error.field().to_string()), ("value", "surface[0].corners"));
            assert!(error.to_string().contains("at corner 1"), "{error}");
            assert!(tangents.corners_into(&[outside], &mut [TangentFrame::default()]).is_err());
        }
        assert_eq!(normals.corners_into(&[], &mut [[0.0; 3]]).unwrap_err().kind().id(), "buffer");
    }
    let short = SkinnedSurface::new(&surface, &palette[..1]).unwrap();
    let (normals, tangents) = (short.normals().unwrap().unwrap(), short.tangent_frames().unwrap().unwrap());
    for error in [normals.get(corner(3, 0)).unwrap_err(), tangents.get(corner(3, 0)).unwrap_err()] {
        assert!(error.to_string().contains("bones below 1, found 1 at vertex 3"), "{error}");
    }
    // A palette that is not finite moves positions to nowhere, and keeps the normals.
    palette.fill(SkinMatrix { columns: [[f32::NAN; 3]; 4] });
    let skinned = SkinnedSurface::new(&surface, &palette).unwrap();
    assert!(skinned.position(0).unwrap().unwrap()[0].is_nan());
    assert_eq!(skinned.normals().unwrap().unwrap().get(corner(0, 0)).unwrap(), stored.get(0));
    assert_eq!(skinned.tangent_frames().unwrap().unwrap().get(corner(0, 0)).unwrap(), frames.get(0));
    // A surface without weights keeps its normals, too.
    let cube = Mesh::open(crate::support::unigine::bytes("cube_ms13")).unwrap();
    let surface = Surface::new(&cube, 0).unwrap();
    let welded = surface.weld().unwrap();
    let normals = SkinnedSurface::new(&surface, &[]).unwrap().normals().unwrap().unwrap();
    let mut out = vec![[0.0; 3]; welded.vertices.len()];
    normals.corners_into(&welded.vertices, &mut out).unwrap();
    let stored = surface.normals().unwrap().unwrap();
    assert!(
        welded.vertices.iter().zip(out).all(|(vertex, normal)| stored.get(vertex.attribute as usize) == Some(normal))
    );
}

/// Opens the flag sample with one of its three tracks renamed.
///
/// The tracks belong to the pole, the cloth and the tip of the cloth.
fn flag(renamed: [&str; 2]) -> Model<Vec<u8>> {
    let text = String::from_utf8(crate::support::ezmesh::bytes("flag.ezm")).unwrap();
    let [from, to] = renamed;
    Model::open(text.replace(&format!("AnimTrack name=\"{from}\""), &format!("AnimTrack name=\"{to}\"")).into_bytes())
        .unwrap()
}

fn moves(motion: &dyn Animations) -> Vec<bool> {
    let mut moved = vec![false; motion.bone_count().unwrap()];
    motion.animated_bones(0, &mut moved).unwrap();
    moved
}

#[test]
fn tells_which_bones_a_clip_moves() {
    assert_eq!(moves(flag(["", ""]).animations()), [true; 3]);
    let flag = flag(["cloth", "nobody"]);
    assert_eq!(moves(flag.animations()), [true, false, true]);
    let mesh = Mesh::open(crate::support::unigine::bytes("skinned_ms12")).unwrap();
    assert_eq!(moves(&mesh), [true; 2]);
    let both: [&dyn Animations; 2] = [flag.animations(), &mesh];
    for motion in both {
        let mut moved = vec![true; motion.bone_count().unwrap()];
        assert_eq!(motion.animated_bones(1, &mut moved).unwrap_err().kind().id(), "no-such");
        assert_eq!(motion.animated_bones(0, &mut moved[1..]).unwrap_err().kind().id(), "buffer");
    }
}

#[test]
fn finds_bones_by_name() {
    let flag = flag(["", ""]);
    let mesh = Mesh::open(crate::support::unigine::bytes("skinned_ms12")).unwrap();
    let arm = meshpeek::secondlife::Mesh::open(crate::support::secondlife::bytes("arm.llmesh")).unwrap();
    let long = "x".repeat(5000);
    let bone = |name: &str| format!("<Bone name='{name}'/>");
    let text = ["a", "", "b", &long, "a", ""].map(bone).concat();
    let text = format!("<MeshSystem><Skeletons><Skeleton name='s'>{text}</Skeleton></Skeletons></MeshSystem>");
    let odd = meshpeek::ezmesh::Mesh::open(text.as_bytes()).unwrap();
    let files: [&dyn Animations; 4] = [flag.animations(), &mesh, &arm, &odd];
    for motion in files {
        let names: Vec<Vec<u8>> =
            (0..motion.bone_count().unwrap()).map(|bone| motion.bone(bone).unwrap().name.to_vec()).collect();
        assert!(!names.is_empty());
        for name in &names {
            let first = names.iter().position(|other| other == name);
            assert_eq!(motion.find_bone(name).unwrap(), first);
        }
        for none in [&b"nobody"[..], b"\xff", "y".repeat(5000).as_bytes()] {
            assert_eq!(motion.find_bone(none).unwrap(), None);
        }
    }
    assert_eq!(odd.find_bone(b"").unwrap(), Some(1));
    assert_eq!(odd.find_bone(long.as_bytes()).unwrap(), Some(3));
}

#[test]
fn stands_between_frames() {
    let flag = flag(["", ""]);
    let motion: &dyn Animations = flag.animations();
    let mut frames = vec![vec![Transform::default(); 3]; 2];
    for (frame, out) in frames.iter_mut().enumerate() {
        motion.pose(0, frame, out).unwrap();
    }
    let mut pose = Pose::rest(motion).unwrap();
    assert_eq!(pose.set_time(motion, 0, 0.0, None, false).unwrap_err().kind().id(), "missing");
    pose.set_time(motion, 0, 0.025, Some(20.0), false).unwrap();
    for (bone, found) in pose.bones().iter().enumerate() {
        let expected = frames[0][bone].interpolate(&frames[1][bone], 0.5);
        assert!(found.rotation.iter().zip(expected.rotation).all(|(a, b)| (a - b).abs() < 1e-6), "bone {bone}");
    }
    pose.set_frame(motion, 0, 1).unwrap();
    assert_eq!(pose.bones(), frames[1]);
}

#[test]
fn plays_a_clip_on_another_skeleton() {
    let flag = flag(["", ""]);
    let onto = bar([&[]; 4]);
    let mut retarget = Retarget::new(&onto, flag.animations()).unwrap();
    assert_eq!((retarget.matched(), retarget.missing()), (0, &["pole", "cloth", "cloth tip"].map(String::from)[..]));
    let mut out = [Transform::default(); 2];
    let error = retarget.pose(flag.animations(), 0, 0, &mut out).unwrap_err();
    assert!(error.to_string().contains("`pole`, `cloth`, `cloth tip`"), "{error}");

    let mut itself = Retarget::new(flag.animations(), flag.animations()).unwrap();
    let [mut out, mut expected] = [[Transform::default(); 3]; 2];
    itself.pose(flag.animations(), 0, 2, &mut out).unwrap();
    flag.animations().pose(0, 2, &mut expected).unwrap();
    assert_eq!(out, expected);
}

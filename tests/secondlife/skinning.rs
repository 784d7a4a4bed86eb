//! Tests that the neutral view skins Second Life meshes by the rules of viewers.

use meshpeek::model::animation::{Affine, SkinMatrix};
use meshpeek::model::{SkinningRules, Transform};
use meshpeek::secondlife::{IDENTITY, Lod, Matrix, Mesh};
use meshpeek::{Animations, Array as _, Pose, Skeleton, SkinnedSurface, Surface};

use crate::mesh::{expect, open};
use crate::support::secondlife::bytes;
use crate::support::secondlife::raw_assets::{
    WEIGHTS, array, asset, binary, level, map, one, reals, shift, skin, square, string, with, without,
};

type Entries = Vec<(&'static str, Vec<u8>)>;

fn skinned(skin: &Entries, submesh: Entries) -> Vec<u8> {
    asset(&[("skin", map(skin)), ("high_lod", level(&[submesh]))])
}

fn palette_of(skeleton: &Skeleton, model: &[Affine]) -> Vec<SkinMatrix> {
    let mut palette = vec![SkinMatrix::IDENTITY; skeleton.len()];
    skeleton.palette(model, &mut palette).unwrap();
    palette
}

/// Skins the first surface, all vertices at once and one by one.
fn moved(mesh: &Mesh<&[u8]>, palette: &[SkinMatrix]) -> Vec<[f32; 3]> {
    let surface = Surface::new(mesh, 0).unwrap();
    let skinned = SkinnedSurface::new(&surface, palette).unwrap();
    let mut out = vec![[0.0; 3]; skinned.len()];
    skinned.positions_into(&mut out).unwrap();
    for (vertex, position) in out.iter().enumerate() {
        assert_eq!(skinned.position(vertex as u32).unwrap(), Some(*position));
    }
    out
}

/// Returns the pose of local transforms in the space of the model.
fn model_of(skeleton: &Skeleton, locals: &[Transform]) -> Vec<Affine> {
    let mut model = vec![Affine::IDENTITY; skeleton.len()];
    skeleton.model(locals, &mut model).unwrap();
    model
}

#[test]
fn the_rest_pose_applies_the_bind_shape() {
    let bytes = bytes("arm.llmesh");
    let mesh = open(&bytes);
    let shape = mesh.skin().unwrap().unwrap().bind_shape().unwrap();
    let skeleton = Skeleton::new(&mesh).unwrap();
    let rest = Pose::rest(&mesh).unwrap();
    assert_eq!(model_of(&skeleton, rest.bones()), skeleton.bind());
    let found = moved(&mesh, &palette_of(&skeleton, skeleton.bind()));
    let positions = Surface::new(&mesh, 0).unwrap().positions().unwrap();
    for (position, found) in positions.iter().zip(&found) {
        let scaled = [position[0] * shape[0], position[1] * shape[5], position[2] * shape[10]];
        assert!(scaled.iter().zip(found).all(|(a, b)| (a - b).abs() < 1e-6), "{found:?}, expected {scaled:?}");
    }
    let [x, y, _] = found[0];
    assert_eq!((x, y), (-0.375, 0.0625));
    assert_eq!(skeleton.bind_shape().columns()[0], [0.75, 0.0, 0.0]);
}

/// Skins the square by the own palette and by the neutral view, with the same world matrices.
fn expect_same(bytes: &[u8], worlds: &[Matrix]) -> Vec<[f32; 3]> {
    let mesh = open(bytes);
    let palette = mesh.skin().unwrap().unwrap().palette(|joint| worlds[joint]).unwrap();
    let rows = |matrix: &Matrix| [0, 4, 8, 12].map(|row| [0, 1, 2].map(|part| f64::from(matrix[row + part])));
    let model: Vec<Affine> = worlds.iter().map(|matrix| Affine::new(rows(matrix))).collect();
    let skeleton = Skeleton::new(&mesh).unwrap();
    assert_eq!(palette_of(&skeleton, &model), palette.matrices());
    let found = moved(&mesh, palette.matrices());
    let surface = Surface::new(&mesh, 0).unwrap();
    let weights = surface.weights().unwrap().unwrap();
    assert_eq!(weights.skinning_rules(), SkinningRules::Clamped);
    for (vertex, position) in surface.positions().unwrap().iter().enumerate() {
        let list: Vec<_> = weights.get(vertex as u32).map(|list| list.iter().collect()).unwrap_or_default();
        assert_eq!(palette.position(position, list.into_iter()), found[vertex], "vertex {vertex}");
    }
    found
}

#[test]
fn skins_as_the_own_palette_does() {
    let turned = [0.0, 1.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0, 0.0, 3.0, -1.0, 5.0, 1.0];
    let worlds = [shift([0.0, 8.0, 0.0]), turned];
    let weighed = |weights: &[u8]| expect_same(&skinned(&skin(), with(square(), "Weights", binary(weights))), &worlds);
    // The bind shape moves by 1, 2 and 3, and the first joint by 8 along y.
    let first = [0.5, 9.5, 2.75];
    assert_eq!(weighed(&WEIGHTS)[0], first, "a vertex without influences follows the first joint");
    assert_eq!(weighed(&[255; 4])[0], first);
    let zero = [1, 0, 0, 255].repeat(4);
    assert_eq!(weighed(&zero)[0], first, "the sum of the weights is 0");
    let last = weighed(&[1, 0xff, 0xff, 255].repeat(4));
    for joint in [2, 33, 254] {
        assert_eq!(weighed(&[joint, 0xff, 0xff, 255].repeat(4)), last, "the last joint replaces joint {joint}");
    }
    assert_ne!(last[0], first);
    // The weights end before the last two vertices.
    let cut = weighed(&[1, 0xff, 0xff, 255].repeat(2));
    assert_eq!((cut[0], cut[2], &cut[3][..2]), (last[0], [1.5, 10.5, 2.75], &[0.5, 10.5][..]));
    let none = with(with(skin(), "joint_names", array(&[])), "inverse_bind_matrix", array(&[]));
    let positions = [[-0.5, -0.5, -0.25], [0.5, -0.5, -0.25]];
    assert_eq!(expect_same(&skinned(&none, square()), &[])[..2], positions, "without joints, positions stay");
}

#[test]
fn a_mesh_without_a_skin_or_weights_keeps_its_positions() {
    let bytes = one(without(square(), "Weights"));
    let mesh = open(&bytes);
    let skeleton = Skeleton::new(&mesh).unwrap();
    assert!(skeleton.is_empty() && skeleton.bind_shape() == Affine::IDENTITY);
    assert_eq!(moved(&mesh, &[])[0], [-0.5, -0.5, -0.25]);
    assert_eq!(mesh.inverse_bind(0).unwrap_err().kind().id(), "no-such");
    let bytes = skinned(&skin(), without(square(), "Weights"));
    let mesh = open(&bytes);
    let skeleton = Skeleton::new(&mesh).unwrap();
    assert_eq!(moved(&mesh, &palette_of(&skeleton, skeleton.bind()))[0], [-0.5, -0.5, -0.25]);
}

#[test]
fn a_joint_that_shears_rests_exactly() {
    // The matrix maps the y axis to (0.5, 1, 0), so it shears, and no transform represents it.
    let sheared = [2.0, 0.0, 0.0, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0, 0.0, 4.0, 0.0, 1.0, -1.0, 0.0, 1.0];
    let stored = array(&[reals(&sheared), reals(&shift([0.0, -1.0, 0.0]))]);
    let bytes = skinned(&with(skin(), "inverse_bind_matrix", stored), with(square(), "Weights", binary(&[255; 4])));
    let mesh = open(&bytes);
    let skeleton = Skeleton::new(&mesh).unwrap();
    let mut rest = Pose::rest(&mesh).unwrap();
    assert_ne!(Affine::from(&rest.bones()[0]), skeleton.bind()[0]);
    let model = model_of(&skeleton, rest.bones());
    assert_eq!(model, skeleton.bind());
    let bound = moved(&mesh, &palette_of(&skeleton, &model));
    assert!(bound[0].iter().zip([0.5, 1.5, 2.75]).all(|(a, b)| (a - b).abs() < 1e-6), "{:?}", bound[0]);
    let inverses = skeleton.inverse_binds().unwrap();
    assert_eq!(inverses[0].unwrap().columns()[1], [0.5, 1.0, 0.0]);
    assert_eq!(mesh.inverse_bind(0).unwrap(), inverses[0]);
    // A transform that differs from the rest transform is used as it is.
    rest.bones_mut()[0].position[2] += 1.0;
    assert_eq!(model_of(&skeleton, rest.bones())[0], Affine::from(&rest.bones()[0]));
}

#[test]
fn a_singular_matrix_flattens() {
    let flat = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 7.0, 1.0];
    let stored = array(&[reals(&flat), reals(&shift([0.0, -1.0, 0.0]))]);
    let bytes = skinned(&with(skin(), "inverse_bind_matrix", stored), square());
    let mesh = open(&bytes);
    let skeleton = Skeleton::new(&mesh).unwrap();
    assert_eq!(skeleton.bind()[0], Affine::IDENTITY, "the default transform");
    assert_eq!(model_of(&skeleton, Pose::rest(&mesh).unwrap().bones()), skeleton.bind());
    assert_eq!(expect_same(&bytes, &[IDENTITY; 2])[0], [0.5, 1.5, 7.0]);
}

#[test]
fn refuses_a_damaged_skin() {
    let refuse = |skin: &Entries, field: &str, kind: &str, text: &str| {
        let bytes = skinned(skin, square());
        let mesh = open(&bytes);
        let error = expect(Skeleton::new(&mesh), field, kind);
        assert!(error.to_string().contains(text) && error.inflated_offset().is_some(), "{error}");
        let own = mesh.skin().unwrap().unwrap().palette(|_| IDENTITY).unwrap_err();
        assert_eq!(own.to_string(), error.to_string());
        assert!(mesh.bone(0).is_ok(), "the names of the joints can be read");
    };
    for count in [0, 1, 3] {
        let stored = array(&vec![reals(&IDENTITY); count]);
        let skin = with(skin(), "inverse_bind_matrix", stored);
        let text = format!("expected 2 matrices, one per joint, found {count}");
        refuse(&skin, "skin.inverse_bind_matrix", "value", &text);
        let bytes = skinned(&skin, square());
        expect(open(&bytes).inverse_bind(0), "skin.inverse_bind_matrix", "value");
    }
    refuse(&without(skin(), "bind_shape_matrix"), "skin.bind_shape_matrix", "missing", "bind_shape_matrix");
    refuse(&with(skin(), "bind_shape_matrix", reals(&[1.0; 15])), "skin.bind_shape_matrix", "value", "16 numbers");
    for wild in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for place in [0, 13, 15] {
            let mut matrix = IDENTITY;
            matrix[place] = wild;
            refuse(&with(skin(), "bind_shape_matrix", reals(&matrix)), "skin.bind_shape_matrix", "value", "not finite");
            let stored = array(&[reals(&IDENTITY), reals(&matrix)]);
            let skin = with(skin(), "inverse_bind_matrix", stored);
            refuse(&skin, "skin.inverse_bind_matrix[1]", "value", "not finite");
        }
    }
    let stored = array(&[reals(&IDENTITY), string(b"matrix")]);
    refuse(&with(skin(), "inverse_bind_matrix", stored), "skin.inverse_bind_matrix[1]", "value", "16 numbers");
    let bytes = skinned(&skin(), square());
    expect(open(&bytes).inverse_bind(2), "skin.inverse_bind_matrix[2]", "no-such");
}

#[test]
fn levels_share_the_skin() {
    let bytes = bytes("arm.llmesh");
    let mesh = open(&bytes);
    for lod in Lod::ALL.into_iter().filter(|lod| mesh.level(*lod).is_ok()) {
        let level = meshpeek::secondlife::LevelGeometry::new(mesh.view(), lod.part());
        let skeleton = Skeleton::new(&level).unwrap();
        assert_eq!(skeleton.bind(), Skeleton::new(&mesh).unwrap().bind());
        assert_ne!(skeleton.bind_shape(), Affine::IDENTITY);
    }
}

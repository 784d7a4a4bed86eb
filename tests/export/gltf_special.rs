//! Meshes with unusual contents, which are built for one test each.

use crate::support::unigine::builder;
use meshpeek::Animations;
use meshpeek::decode::Influence;
use meshpeek::export::LevelChoice;
use meshpeek::model::Transform;
use meshpeek::unigine::{AnimationGeneration, Generation};
use meshpeek::unreal::script::Script;
use meshpeek::{Model, unreal};
use serde_json::{Value, json};

use crate::gltf::{compare_file, options};
use crate::gltf_compare::Worst;
use crate::gltf_reader::{Reader, list};
use crate::support::secondlife::raw_assets::{asset, level, map, skin, square, without};
use crate::support::unigine::{cube, skinned, turn};

/// Compares a mesh that was built.
fn expect(mesh: &builder::Mesh, what: &str) -> Reader {
    let model = Model::open(mesh.to_bytes().unwrap()).unwrap();
    compare_file(model.contents(), &[], &options(), what, &mut Worst::default()).unwrap()
}

fn at(position: [f32; 3], scale: [f32; 3]) -> Transform {
    Transform { position, rotation: turn(0.25), scale }
}

#[test]
fn surfaces_with_equal_counts_keep_their_vertices() {
    for generation in [Generation::Ms11, Generation::Ms12, Generation::Ms14] {
        let surfaces = vec![cube("one", 0.5), cube("two", 0.75), cube("three", 1.0)];
        expect(&builder::Mesh { surfaces, ..builder::Mesh::new(generation) }, "three cubes");
        // Surfaces whose vertices are stored as they are written.
        let quads = [1.0, 2.0, 3.0].map(|size| {
            let mut quad = crate::support::unigine::grid("quad", 1, false);
            quad.targets[0].positions.iter_mut().flatten().for_each(|part| *part *= size);
            quad
        });
        expect(&builder::Mesh { surfaces: quads.into(), ..builder::Mesh::new(generation) }, "three squares");
    }
}

#[test]
fn vertices_without_weights_stay() {
    for places in [vec![0], vec![2, 5], (0..8).collect()] {
        let mut mesh = skinned(Generation::Ms12);
        for vertex in places {
            mesh.surfaces[0].weights[vertex].clear();
        }
        let reader = expect(&mesh, "vertices without weights");
        assert_eq!(reader.document.skins().next().unwrap().joints().count(), 3);
    }
}

#[test]
fn more_than_256_bones_have_wide_joints() {
    let mut mesh = skinned(Generation::Ms12);
    let bone = |bone: i16| builder::Bone {
        name: format!("bone {bone}"),
        parent: (bone - 1) / 8 - i16::from(bone == 0),
        bind: Transform { position: [0.0, 0.125, 0.0], ..Transform::default() },
    };
    mesh.bones = (0..300).map(bone).collect();
    mesh.animations.clear();
    for (vertex, weights) in (0..).zip(&mut mesh.surfaces[0].weights) {
        *weights = vec![Influence { bone: 299 - vertex, weight: 0.5 }, Influence { bone: vertex, weight: 0.5 }];
    }
    mesh.surfaces[0].weights[3].clear();
    expect(&mesh, "300 bones");
}

/// Keys that are far apart, and keys of which the first is not in the first frame.
#[test]
fn sparse_keys_hold_their_values() {
    for flags in [0_u8, 8, 15, 0x7f] {
        let mut mesh = skinned(Generation::Ms12);
        let none = builder::BoneKey::default();
        let rotation = |half| builder::BoneKey { rotation: Some(turn(half)), ..none };
        let position = |z| builder::BoneKey { position: [None, None, Some(z)], ..none };
        let scale = |x| builder::BoneKey { scale: [Some(x), None, None], ..none };
        let whole = builder::BoneKey {
            position: [0, 1, 2].map(|axis| Some(0.5).filter(|_| flags >> axis & 1 == 1)),
            rotation: Some(turn(0.125)).filter(|_| flags >> 3 & 1 == 1),
            scale: [4, 5, 6].map(|axis| Some(1.0).filter(|_| flags >> axis & 1 == 1)),
        };
        let frames = vec![
            vec![whole, whole],
            vec![none, none],
            vec![none, rotation(0.5)],
            vec![none, none],
            vec![position(3.0), none],
            vec![none, none],
            vec![none, none],
            vec![rotation(-0.5), scale(2.0)],
            vec![none, none],
            vec![rotation(0.75), position(-1.0)],
            vec![none, none],
        ];
        mesh.animations = vec![builder::Animation { name: "sparse".to_owned(), bones: vec![0, 1], flags, frames }];
        expect(&mesh, &format!("sparse keys, {flags}"));
    }
}

#[test]
fn mirrored_and_scaled_bones_come_back() {
    let scales =
        [[1.0, 1.0, -1.0], [-1.0, 1.0, 1.0], [1.0, -2.0, 1.0], [-1.0, -1.0, -1.0], [2.0, 0.5, 3.0], [-1.0, -2.0, 1.0]];
    for scale in scales {
        let mut mesh = skinned(Generation::Ms12);
        mesh.bones[0].bind = at([0.0, 0.0, 1.0], scale);
        mesh.bones[1].bind = at([0.0, 0.5, -1.0], scale);
        let poses = [scale, [0.5, 1.0, 1.0], scale.map(|part| part * 2.0)];
        let poses: Vec<Vec<Transform>> =
            poses.map(|scale| vec![at([0.0, 0.25, 1.0], scale), at([0.5, 0.0, -1.0], scale)]).into();
        // Between a scale and its negative, both interpolations are linear.
        mesh.animations = vec![builder::Animation::of_poses("grow", &poses)];
        expect(&mesh, &format!("scale {scale:?}"));
        // A clip that changes only rotations leaves the scale at rest.
        let turned = |half| builder::BoneKey { rotation: Some(turn(half)), ..builder::BoneKey::default() };
        let frames = vec![vec![turned(0.25); 2], vec![turned(0.75); 2], vec![turned(-0.25); 2]];
        mesh.animations = vec![builder::Animation { name: "turn".to_owned(), bones: vec![0, 1], flags: 8, frames }];
        expect(&mesh, &format!("turned, scale {scale:?}"));
    }
}

/// A clip of an EZ-Mesh may have two tracks of one bone.
#[test]
fn bones_with_two_tracks_come_back() {
    for order in [[0, 1, 2, 0], [0, 0, 1, 2], [2, 1, 1, 1]] {
        let mut mesh = crate::support::ezmesh::flag();
        let animation = &mut mesh.animations[0];
        animation.tracks = order.map(|track: usize| animation.tracks[track].clone()).into();
        for key in &mut animation.tracks[3].keys {
            key.position[1] += 0.5;
        }
        let model = Model::open(mesh.to_ezm()).unwrap();
        compare_file(model.contents(), &[], &options(), "two tracks", &mut Worst::default()).unwrap();
    }
}

/// Several bones of a mesh or of an animation file may have one name. The first counts.
#[test]
fn bones_with_one_name_come_back() {
    let mesh = skinned(Generation::Ms12);
    for names in [["tip", "tip"], ["root", "root"], ["root", "tip"]] {
        let mut file = crate::support::unigine::bend();
        for (bone, name) in file.bones.iter_mut().zip(names) {
            bone.name = name.to_owned();
        }
        let source = meshpeek::unigine::Animation::open(file.to_bytes().unwrap()).unwrap();
        let sources = [("bend", &source as &dyn Animations)];
        let model = Model::open(mesh.to_bytes().unwrap()).unwrap();
        let what = format!("an animation file with the bones {names:?}");
        compare_file(model.contents(), &sources, &options(), &what, &mut Worst::default()).unwrap();
    }
    let mut twins = skinned(Generation::Ms12);
    twins.bones[0].name = "root".to_owned();
    expect(&twins, "a mesh with two bones of one name");
    let model = Model::open(twins.to_bytes().unwrap()).unwrap();
    let file = builder::AnimationFile { ..crate::support::unigine::bend() };
    let source = meshpeek::unigine::Animation::open(file.to_bytes().unwrap()).unwrap();
    let sources = [("bend", &source as &dyn Animations)];
    compare_file(model.contents(), &sources, &options(), "twins", &mut Worst::default()).unwrap();
    assert_eq!(file.generation, AnimationGeneration::An10);
}

/// An animation file whose rest transforms and whose order of bones differ from those of the mesh.
#[test]
fn sparse_clips_of_other_files_come_back() {
    let model = Model::open(skinned(Generation::Ms12).to_bytes().unwrap()).unwrap();
    let mut file = crate::support::unigine::bend();
    file.bones.reverse();
    file.bones[0].parent = -1;
    file.bones[1].parent = 0;
    file.bones[1].bind.position = [0.5, 0.25, 2.0];
    let turned = |half| builder::BoneKey { rotation: Some(turn(half)), ..builder::BoneKey::default() };
    let frames = vec![vec![turned(0.25); 2], vec![builder::BoneKey::default(); 2], vec![turned(-0.5); 2]];
    file.animations = vec![builder::Animation { name: "turn".to_owned(), bones: vec![0, 1], flags: 8, frames }];
    let source = meshpeek::unigine::Animation::open(file.to_bytes().unwrap()).unwrap();
    let sources = [("turn", &source as &dyn Animations)];
    compare_file(model.contents(), &sources, &options(), "another rest", &mut Worst::default()).unwrap();
}

#[test]
fn placements_of_scripts_come_back() {
    let [data, aniv] = crate::support::unreal::pair("guard");
    let cases = [
        ("", "X=0.1 Y=0.1 Z=0.2", ""),
        ("", "X=-0.1 Y=0.1 Z=0.2", ""),
        ("UNMIRROR=1", "X=0.1 Y=0.1 Z=0.2", "X=5 Y=-20 Z=12.5 YAW=64 PITCH=10 ROLL=-64"),
        ("UNMIRROR=1", "X=0.1 Y=-0.1 Z=-0.2", "X=5 Y=-20 Z=12.5 YAW=64"),
        ("", "X=-0.3 Y=-0.1 Z=-0.2", "ROLL=32"),
    ];
    let mut worst = Worst::default();
    for (import, scale, origin) in cases {
        let text = format!(
            "#exec MESH IMPORT MESH=a ANIVFILE=a DATAFILE=d {import}\n#exec MESH ORIGIN MESH=a {origin}\n\
             #exec MESH SEQUENCE MESH=a SEQ=s STARTFRAME=1 NUMFRAMES=4\n#exec MESHMAP SCALE MESHMAP=a {scale}\n"
        );
        let script = Script::open(text.as_bytes().to_vec()).unwrap();
        let selected = script.select(b"a");
        let mesh = unreal::Mesh::open(data.clone(), aniv.clone()).unwrap().with_selected(script.into(), selected);
        let model = Model::from(mesh);
        compare_file(model.contents(), &[], &options(), &text, &mut worst).unwrap();
        compare_file(model.contents(), &[], &options().with_clip(Some(0)), &text, &mut worst).unwrap();
    }
    worst.report();
}

/// The surfaces of an Unreal mesh share positions. These two also have equal indices, but not equal
/// UVs.
#[test]
fn surfaces_with_equal_indices_keep_their_own_uvs() {
    let mut mesh = crate::support::unreal::builder::Mesh::new(unreal::Variant::Classic, 3);
    mesh.frames = vec![vec![[0, 0, 0], [9, 0, 0], [0, 9, 0]]];
    mesh.polygons = [0_u8, 1]
        .map(|texture| {
            let uvs = [[texture, 10], [20, texture], [30, 40]];
            unreal::RawPolygon { vertices: [0, 1, 2].map(Into::into), uvs, texture, ..unreal::RawPolygon::EMPTY }
        })
        .to_vec();
    let model = Model::from(unreal::Mesh::open(mesh.data_bytes().unwrap(), mesh.aniv_bytes().unwrap()).unwrap());
    compare_file(model.contents(), &[], &options(), "two textures", &mut Worst::default()).unwrap();
}

/// A level may have only skinned surfaces, while another level also has others. A level that lacks
/// a kind of surfaces shows nothing in its place.
#[test]
fn levels_pair_skinned_surfaces_with_skinned_surfaces() {
    let skinned = || level(&[square()]);
    let both = || level(&[without(square(), "Weights"), square()]);
    for (high, medium, low) in [(both(), skinned(), skinned()), (skinned(), skinned(), both())] {
        let bytes = asset(&[
            ("high_lod", high),
            ("medium_lod", medium),
            ("low_lod", low),
            ("lowest_lod", skinned()),
            ("skin", map(&skin())),
        ]);
        let model = Model::open(bytes).unwrap();
        let scenes = options().with_levels(LevelChoice::Scenes);
        let reader = compare_file(model.contents(), &[], &scenes, "levels", &mut Worst::default()).unwrap();
        assert!(!reader.json.to_string().contains("MSFT_lod"));
        let nodes = options().with_levels(LevelChoice::Nodes);
        let reader = compare_file(model.contents(), &[], &nodes, "levels", &mut Worst::default()).unwrap();
        let nodes = list(&reader.json, "nodes");
        let kind = |node: &Value| node.get("mesh").map(|_| node.get("skin").is_some());
        let (mut kinds, mut roots) = (Vec::new(), Vec::new());
        for (index, node) in nodes.iter().enumerate().filter(|(_, node)| node["extensions"]["MSFT_lod"].is_object()) {
            let lower = list(&node["extensions"]["MSFT_lod"], "ids").iter().map(|id| id.as_u64().unwrap() as usize);
            kinds.push(std::iter::once(kind(node)).chain(lower.map(|id| kind(&nodes[id]))).collect::<Vec<_>>());
            roots.push(json!(index));
        }
        let scene = list(&list(&reader.json, "scenes")[0], "nodes");
        assert!(roots.iter().all(|root| scene.contains(root)));
        kinds.sort_unstable();
        let [still, moved] = [Some(false), Some(true)];
        let shown = if kinds.iter().any(|kinds| kinds[0] == still) {
            vec![still, None, None, None]
        } else {
            vec![None, None, still, None]
        };
        assert_eq!(kinds.len(), 2);
        assert!(kinds.contains(&vec![moved; 4]) && kinds.contains(&shown), "{kinds:?}");
    }
}

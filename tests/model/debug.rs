//! Tests that the `Debug` output of every type is short, for files of every format and any size.

use std::fmt::Debug;

use meshpeek::decode::{ByteOrder, Influence, TangentFrame};
use meshpeek::model::Transform;
use meshpeek::query::{Attributes, PagesTouched, ProbedScene, Scene, Triangles};
use meshpeek::unigine::{AnimationGeneration, Generation};
use meshpeek::{
    Animations, Array, Geometry, Limits, Model, OpenOptions, Pose, Skeleton, SkinnedSurface, Surface, ezmesh,
    secondlife, unigine, unreal,
};

use crate::support::random::Random;
use crate::support::secondlife::Container;
use crate::support::secondlife::builder as secondlife_builder;
use crate::support::unigine::builder as unigine_builder;
use crate::support::unreal::builder as unreal_builder;

/// The maximum number of bytes of the `Debug` output of any value.
const MAX_DEBUG_BYTES: usize = 1024;
const VERTICES: usize = 5_000;
const TRIANGLES: usize = 4_000;

/// Asserts that the `Debug` output of a value is short, and that it contains a text.
fn expect_short(value: &dyn Debug, part: &str) {
    for shown in [format!("{value:?}"), format!("{value:#?}")] {
        assert!(shown.len() < MAX_DEBUG_BYTES, "{} bytes: {shown}", shown.len());
        assert!(shown.contains(part), "expected {part:?} in {shown}");
        assert!(shown.starts_with(|first: char| first.is_ascii_alphabetic() || first == '['), "{shown}");
    }
}

/// Returns a name that is longer than the `Debug` output of any value may be.
fn long_name(name: &str) -> String {
    format!("{name}{}", "_\u{43a}".repeat(MAX_DEBUG_BYTES))
}

fn points(count: usize) -> Vec<[f32; 3]> {
    let mut random = Random::new(1);
    (0..count).map(|_| [random.unit(), random.unit(), random.unit()]).collect()
}

fn triangles(vertices: usize) -> Vec<[u32; 3]> {
    let corner = |index: usize| u32::try_from(index % vertices).unwrap();
    (0..TRIANGLES).map(|index| [corner(index), corner(index + 1), corner(index + 2)]).collect()
}

/// Asserts that all values that the traits for all formats give are short. Those that belong to one
/// file name the format and its version.
fn expect_short_model<D: AsRef<[u8]> + Send + Sync>(model: &Model<D>, [format, version]: [&str; 2]) {
    let read = model.file().touched_bytes();
    expect_short(model, format);
    expect_short(model, version);
    assert_eq!(model.file().touched_bytes(), read, "`Debug` reads nothing");
    if model.surfaces().unwrap().len() > 0 {
        expect_short_geometry(model.geometry(), [format, version]);
    }
    expect_short_motion(model.animations(), format);
    if let Some(log) = model.file().access_log(0) {
        expect_short(log, "bytes");
    }
}

fn expect_short_geometry(geometry: &dyn Geometry, [format, version]: [&str; 2]) {
    let surface = Surface::new(geometry, 0).unwrap();
    expect_short(&surface, format);
    expect_short(&surface, version);
    let positions = surface.positions().unwrap();
    expect_short(&positions, &format!("[f32; 3] x {}", positions.len()));
    expect_short(&(&positions).into_iter(), "[f32; 3] x ");
    expect_short(&surface.indices().unwrap(), "u32 x ");
    expect_short(&surface.attribute_indices().unwrap(), "");
    expect_short(&surface.tangent_frames().unwrap(), "");
    expect_short(&surface.normals().unwrap(), "");
    expect_short(&surface.uvs(0).unwrap(), "");
    expect_short(&surface.colors().unwrap(), "");
    let weights = surface.weights().unwrap();
    expect_short(&weights, "");
    if let Some(weights) = weights {
        expect_short(&weights.iter(), "");
        expect_short(&weights.get(weights.len() as u32 / 2), "");
    }
    expect_short(&surface.corners().unwrap(), "u32 x ");
    expect_short(&surface.counts().unwrap(), "vertices");
    expect_short(&surface.weld().unwrap(), "Corner x ");
    expect_short(&surface.partition().unwrap().map(|tree| tree.triangle_count()), "");
    expect_short(&Triangles::new(&surface).unwrap(), "triangles: ");
    let attributes = Attributes::new(&surface).unwrap();
    expect_short(&attributes, "[f32; 3] x ");
    expect_short(&attributes.at(0, [0.25; 2]), "influences: Influence x ");
    let scene = Scene::new(geometry).unwrap();
    expect_short(&scene, "triangles: ");
    expect_short(&scene.trees().next().unwrap().1, "triangles: ");
    let mut pages = PagesTouched::default();
    ProbedScene::new(&scene, &mut pages).nearest([0.0; 3], f32::INFINITY).unwrap();
    expect_short(&ProbedScene::new(&scene, &mut pages), "surfaces: ");
    expect_short(&pages, "mesh: ");
}

fn expect_short_motion(motion: &dyn Animations, format: &str) {
    let skeleton = Skeleton::new(motion).unwrap();
    expect_short(&skeleton, format);
    expect_short(&Pose::rest(motion).unwrap(), "Transform x ");
    if motion.bone_count().unwrap() > 0 {
        expect_short(&motion.bone(0).unwrap(), "name");
    }
    if motion.clip_count().unwrap() > 0 {
        expect_short(&motion.clip(0).unwrap(), "name");
    }
}

/// Opens the bytes of a large file from a slice, a vector and a map, and asserts that the output is
/// short.
fn expect_short_file(bytes: &[u8], [format, version]: [&str; 2]) {
    assert!(bytes.len() > 1 << 16, "{format} {version}: {} bytes", bytes.len());
    let options = OpenOptions::default().with_record_access(true);
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    // SAFETY: No other process knows the file.
    let map = unsafe { meshpeek::Map::open(file.path()).unwrap() };
    expect_short(&map, &format!("bytes: {}", bytes.len()));
    expect_short(&Model::open(bytes).unwrap(), version);
    expect_short(&Model::open(bytes.to_vec()).unwrap(), version);
    expect_short_model(&Model::open_with(map, &options).unwrap(), [format, version]);
}

fn transform() -> Transform {
    Transform { position: [0.1; 3], rotation: [0.0, 0.0, 0.0, 1.0], scale: [1.0; 3] }
}

fn unigine_mesh(generation: Generation) -> unigine_builder::Mesh {
    let influence = |bone| Influence { bone, weight: 0.25 };
    let bones =
        (0..30).map(|bone| unigine_builder::Bone { name: long_name("bone"), parent: bone - 1, bind: transform() });
    let surface = unigine_builder::Surface {
        name: long_name("surface"),
        targets: vec![unigine_builder::MorphTarget {
            name: if generation.has_targets() { long_name("target") } else { String::new() },
            positions: points(VERTICES),
            frames: vec![TangentFrame::from_axes([0.0, 0.0, 1.0], [1.0, 0.0, 0.0], 1.0); VERTICES],
        }],
        weights: if generation.has_bones() { vec![(0..4).map(influence).collect(); VERTICES] } else { Vec::new() },
        uvs: [vec![[0.5; 2]; VERTICES], Vec::new()],
        colors: vec![[255; 4]; VERTICES],
        indices: triangles(VERTICES).into_flattened(),
        attribute_indices: triangles(VERTICES).into_flattened(),
        ..unigine_builder::Surface::default()
    };
    let bones = if generation.has_bones() { bones.collect() } else { Vec::new() };
    unigine_builder::Mesh { bones, surfaces: vec![surface], ..unigine_builder::Mesh::new(generation) }
}

#[test]
fn a_unigine_mesh_is_short() {
    for (generation, format) in [(Generation::Ms12, "ms12"), (Generation::Ms15, "ms15")] {
        let built = unigine_mesh(generation);
        let bytes = built.to_bytes().unwrap();
        expect_short_file(&bytes, ["unigine", format]);
        let mesh = unigine::Mesh::open(&bytes[..]).unwrap();
        let surface = mesh.surface(0).unwrap();
        expect_short(&surface, format);
        expect_short(&surface.target(0).unwrap(), format);
        expect_short(&mesh.tree(0).unwrap(), "");
        expect_short(&mesh.blocks(0).unwrap(), "");
        let mut buffer = unigine::InflateBuffer::default();
        mesh.surface_in(0, &mut buffer).unwrap();
        expect_short(&buffer, "bytes: ");
        let palette = vec![meshpeek::model::animation::SkinMatrix::IDENTITY; mesh.bone_count()];
        expect_short(&SkinnedSurface::new(&Surface::new(&mesh, 0).unwrap(), &palette).unwrap(), format);
    }
}

#[test]
fn a_unigine_animation_is_short() {
    for (generation, format) in [(AnimationGeneration::An10, "an10"), (AnimationGeneration::An13, "an13")] {
        let mut random = Random::new(3);
        let mut moved = || Transform { position: [random.unit(), random.unit(), random.unit()], ..transform() };
        let poses: Vec<Vec<Transform>> = (0..6000).map(|_| (0..30).map(|_| moved()).collect()).collect();
        let name = if generation.is_quantized() { long_name("walk") } else { String::new() };
        let bone = |bone: i16| unigine_builder::Bone { name: long_name("bone"), parent: bone - 1, bind: transform() };
        let built = unigine_builder::AnimationFile {
            bones: (0..30).map(bone).collect(),
            animations: vec![unigine_builder::Animation::of_poses(&name, &poses)],
            ..unigine_builder::AnimationFile::new(generation)
        };
        let bytes = built.to_bytes().unwrap();
        expect_short_file(&bytes, ["unigine", format]);
        let file = unigine::Animation::open(&bytes[..]).unwrap();
        expect_short(&file, format);
        let view = file.animation(0).unwrap();
        expect_short(&view, format);
        expect_short(&view.keys().next().unwrap(), "flags");
        expect_short(&view.play().unwrap(), "Transform x ");
    }
}

#[test]
fn an_unreal_mesh_is_short() {
    let count = 16_000_u16;
    let polygon = |first: u16| unreal::RawPolygon {
        vertices: [first, first + 1, first + 2].map(Into::into),
        ..unreal::RawPolygon::EMPTY
    };
    let mut built = unreal_builder::Mesh::new(unreal::Variant::Classic, count.into());
    built.polygons = (0..count - 2).map(polygon).collect();
    let mut random = Random::new(2);
    let mut place = || [0; 3].map(|_: i32| i16::try_from(random.below(500)).unwrap());
    built.frames = (0..20).map(|_| (0..count).map(|_| place()).collect()).collect();
    let [data, aniv] = [built.data_bytes().unwrap(), built.aniv_bytes().unwrap()];
    let mesh = unreal::Mesh::open(&data[..], &aniv[..]).unwrap();
    let [name, sequence] = ["n", "s"].map(|letter| letter.repeat(900));
    let line = format!(
        "#exec MESH IMPORT MESH={name} ANIVFILE={name} DATAFILE={name} LODSTYLE=8 MLOD=1 LODFRAME=2\n\
         #exec MESH SEQUENCE MESH={name} SEQ={sequence} STARTFRAME=0 NUMFRAMES=5 RATE=10 GROUP={name}\n\
         #exec MESH NOTIFY MESH={name} SEQ={sequence} TIME=0.5 FUNCTION={name}\n\
         #exec TEXTURE IMPORT NAME={name} FILE={name} GROUP={name} FLAGS=2 MIPS=1 PALETTE={name} DETAIL={name}\n\
         #exec MESHMAP SETTEXTURE MESHMAP={name} NUM=0 TEXTURE={name}\n"
    );
    let text = format!("{line}{}", "// a line of the class\n".repeat(60_000));
    let script = unreal::script::Script::open_with(text.as_bytes(), &Limits::default().with_script(1 << 24)).unwrap();
    expect_short(&script, "unreal script");
    let selected = script.select(name.as_bytes());
    expect_short(&selected, "name");
    let about = script.mesh(&selected);
    expect_short(&about, "commands: 5");
    expect_short(&about.import().unwrap(), "data_file");
    expect_short(&about.sequence(0).unwrap(), "frames: 5");
    expect_short(&about.notify(0, 0).unwrap(), "time: 0.5");
    expect_short(&about.texture(0).unwrap(), "name");
    for command in script.commands() {
        expect_short(&command, "line");
        expect_short(&command.arguments(), "bytes");
        expect_short(&command.arguments().next().unwrap(), "key");
    }
    let mesh = mesh.with_selected(script.into(), selected);
    expect_short(&mesh, "unreal");
    expect_short(&mesh.frame(3).unwrap(), "unreal aniv");
    expect_short(&mesh.surface(0).unwrap(), "unreal data");
    expect_short(&mesh.data_header().unwrap(), "polygons");
    expect_short_model(&mesh.into(), ["unreal", "classic"]);
    let owned = Model::from(unreal::Mesh::open(data, aniv).unwrap());
    expect_short_model(&owned, ["unreal", "classic"]);
}

#[test]
fn a_second_life_mesh_is_short() {
    let vertices = 30_000;
    let submesh = secondlife_builder::Submesh {
        positions: points(vertices),
        normals: points(vertices),
        uvs: points(vertices).into_iter().map(|[u, v, _]| [u, v]).collect(),
        triangles: triangles(vertices),
        weights: vec![vec![Influence { bone: 0, weight: 1.0 }]; vertices],
        ..Default::default()
    };
    let level = || secondlife_builder::Level::from(vec![submesh.clone(); 3]);
    let joint = || secondlife_builder::Joint { name: long_name("mChest"), ..Default::default() };
    let built = secondlife_builder::Asset {
        header: secondlife_builder::Header {
            version: Some(1),
            material_list: vec![long_name("material"); 3],
            ..Default::default()
        },
        high: level(),
        convex: Some(secondlife_builder::Convex { bounding: points(100), ..Default::default() }),
        skin: Some(secondlife_builder::Skin { joints: vec![joint(), joint()], ..Default::default() }),
        ..Default::default()
    };
    let bytes = built.to_bytes().unwrap();
    expect_short_file(&bytes, ["secondlife", "llmesh"]);
    let mesh = secondlife::Mesh::open(&bytes[..]).unwrap();
    expect_short(&mesh, "inflated: 0");
    let view = mesh.view();
    expect_short(&view, "inflated: 0");
    let level = view.level(secondlife::Lod::High).unwrap();
    expect_short(&level, "items in bytes");
    let submesh = level.submeshes().next().unwrap().unwrap();
    expect_short(&submesh, "index: 0");
    expect_short(&view, "inflated: 1");
    expect_short(&view.skin().unwrap(), "Skin");
    expect_short(&view.convex().unwrap(), "Convex");
    expect_short(&view.header().unwrap(), "items in bytes");
    let mut buffer = secondlife::InflateBuffer::default();
    expect_short(&view.block_into(secondlife::AssetPart::HighLod, &mut buffer).unwrap(), "HighLod");
    expect_short(&buffer, "HighLod");
    expect_short(&secondlife::Edit::of(view).unwrap(), "asset: u8 x ");
    let container = Container { name: long_name("model"), assets: vec![bytes], instances: vec![] };
    expect_short_model(&Model::open(container.to_bytes()).unwrap(), ["secondlife", "slm"]);
}

#[test]
fn an_ezmesh_file_is_short() {
    use crate::support::ezmesh::builder::{
        self, Animation, Bone, Column, Material, MeshElement, Section, Track, Vertices,
    };
    let bone = Bone { name: long_name("bone").into(), parent: None, bind: transform() };
    let track = Track { name: long_name("bone").into(), seconds: None, keys: vec![transform(); 2000] };
    let columns = vec![
        Column::positions(points(VERTICES)),
        Column::normals(points(VERTICES)),
        Column::texcoords(0, vec![[0.5; 2]; VERTICES]),
        Column::weights(vec![[1.0, 0.0, 0.0, 0.0]; VERTICES]),
        Column::bones(vec![[0; 4]; VERTICES]),
    ];
    let built = builder::Mesh {
        asset_name: long_name("asset").into(),
        skeletons: vec![builder::Skeleton { name: long_name("skeleton").into(), bones: vec![bone] }],
        animations: vec![Animation {
            name: long_name("walk").into(),
            tracks: vec![track],
            frames: Some(2000),
            duration: Some(1.0),
            dtime: Some(0.001),
        }],
        materials: vec![Material { name: long_name("material").into(), meta_data: long_name("texture").into() }],
        meshes: vec![MeshElement {
            name: long_name("mesh").into(),
            skeleton: long_name("skeleton").into(),
            vertices: Some(Vertices::from(columns)),
            sections: vec![Section {
                material: long_name("material").into(),
                triangles: triangles(VERTICES),
                ..Default::default()
            }],
            ..Default::default()
        }],
        ..Default::default()
    };
    for (bytes, version) in [(built.to_ezm(), "ezm"), (built.to_ezb(ByteOrder::Big), "ezb")] {
        expect_short_file(&bytes, ["ezmesh", version]);
        let mesh = ezmesh::Mesh::open(&bytes[..]).unwrap();
        expect_short(&mesh, version);
        let view = mesh.view();
        expect_short(&view, version);
        let element = view.meshes().next().unwrap();
        expect_short(&element, version);
        let section = view.sections().next().unwrap();
        expect_short(&section, version);
        let buffer = element.vertex_buffer().unwrap().unwrap();
        expect_short(&buffer, "columns: 5");
        expect_short(buffer.format(), "Position fff");
        expect_short(&buffer.vertices().unwrap(), "vertices: 5000");
        expect_short(&section.index_buffer().unwrap(), "triangles");
        expect_short(&view.animations().next().unwrap(), version);
        let track = view.animations().next().unwrap().tracks().next().unwrap();
        expect_short(&track, version);
        expect_short(&track.keys().unwrap(), "keys: 2000");
        expect_short(&view.skeletons().next().unwrap(), version);
        expect_short(&view.materials().next().unwrap(), version);
    }
}

#[test]
fn a_vertex_format_of_many_columns_is_short() {
    use crate::support::ezmesh::builder::{self, Column, MeshElement, Section, Values, Vertices};
    let column = |number: u8| Column { word: format!("word{number}").into(), values: Values::F32(2, vec![0.5; 6]) };
    let mut columns = vec![Column::positions(points(3))];
    columns.extend((0..30).map(column));
    let vertices = Vertices::from(columns);
    let sections = vec![Section { triangles: vec![[0, 1, 2]], ..Default::default() }];
    let mesh = MeshElement { vertices: Some(vertices), sections, ..Default::default() };
    let built = builder::Mesh { meshes: vec![mesh], ..Default::default() };
    let mesh = ezmesh::Mesh::open(built.to_ezm()).unwrap();
    let buffer = mesh.mesh(0).unwrap().vertex_buffer().unwrap().unwrap();
    expect_short(&buffer, "columns: 31");
    expect_short(buffer.format(), "\"Position fff\"");
    assert!(format!("{:?}", buffer.format()).ends_with(", ..]"));
}

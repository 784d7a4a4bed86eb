//! The families of inputs of the scaling test: files that differ in one count.
//!
//! The count multiplies what a reader could walk again for each item, copy for each item, or hold
//! for each item: assets, surfaces, hulls, bones, clips, names. An input of the largest count has
//! at most 1 MiB, or its blocks inflate to at most 64 MiB.

use crate::support::unigine::builder as unigine;
use crate::support::unreal::builder;
use meshpeek::decode::ByteOrder;
use meshpeek::model::Transform;
use meshpeek::unigine::Generation;
use meshpeek::unreal::{RawPolygon, Variant};

use crate::support::ezmesh::{builder as ezmesh, raw_files as xml};
use crate::support::secondlife::raw_assets as llsd;
use crate::support::unigine::raw_blocks::{RawBlock, header_of, put_together, put_together_with};
use crate::support::unigine::{RawFile, cube, grid};

/// The files of an input: their names and contents. The first is the one that commands name.
pub type Files = Vec<(String, Vec<u8>)>;

/// A family of inputs that differ in a count.
pub struct Family {
    pub name: &'static str,
    pub make: fn(usize) -> Files,
    /// The count of an input of 1 MiB, or of the most that its blocks may inflate to.
    pub most: usize,
    pub inflates: bool,
}

fn file(name: &str, bytes: impl Into<Vec<u8>>) -> Files {
    vec![(name.to_owned(), bytes.into())]
}

/// Makes a text of elements that differ in their number.
fn numbered(count: usize, element: impl Fn(usize) -> String) -> String {
    (0..count).map(element).collect()
}

fn text(inner: &str) -> Files {
    file("m.ezm", xml::system(inner))
}

fn list(kind: &str, count: usize, element: impl Fn(usize) -> String) -> Files {
    text(&xml::element(kind, &numbered(count, element)))
}

fn sections(count: usize, section: impl Fn(usize) -> String) -> Files {
    let all = xml::corner_vertices() + &numbered(count, section);
    text(&xml::element("Meshes", &xml::mesh("m", &all)))
}

fn skeleton(count: usize, bone: impl Fn(usize) -> String) -> Files {
    text(&xml::element("Skeletons", &xml::element("Skeleton name=\"s\"", &numbered(count, bone))))
}

fn binary_sections(count: usize) -> Files {
    let section = || ezmesh::Section { triangles: vec![[0, 1, 2]], ..ezmesh::Section::default() };
    let positions = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let mesh = ezmesh::MeshElement {
        name: b"m".to_vec(),
        vertices: Some(vec![ezmesh::Column::positions(positions)].into()),
        sections: (0..count).map(|_| section()).collect(),
        ..ezmesh::MeshElement::default()
    };
    let whole = ezmesh::Mesh { meshes: vec![mesh], ..ezmesh::Mesh::default() };
    file("m.ezb", whole.to_ezb(ByteOrder::Little))
}

fn tracks(count: usize) -> Files {
    let bones = numbered(count, |bone| format!("<Bone name=\"{bone}\"/>"));
    let tracks = numbered(count, |bone| format!("<AnimTrack name=\"{bone}\" count=\"0\"/>"));
    let skeletons = xml::element("Skeletons", &xml::element("Skeleton name=\"s\"", &bones));
    let animation = xml::element("Animation framecount=\"1\"", &tracks);
    text(&(skeletons + &xml::element("Animations", &animation)))
}

fn instances_of_meshes(count: usize) -> Files {
    let meshes = numbered(count, |mesh| format!("<Mesh name=\"{mesh}\"/>"));
    let instances = numbered(count, |mesh| format!("<MeshInstance mesh=\"{mesh}\"/>"));
    text(&(xml::element("Meshes", &meshes) + &xml::element("MeshInstances", &instances)))
}

fn sections_of_materials(count: usize) -> Files {
    let materials = numbered(count, |name| format!("<Material name=\"{name}\"/>"));
    let sections = numbered(count, |name| format!("<MeshSection material=\"x{name}\"/>"));
    text(&(xml::element("Materials", &materials) + &xml::element("Meshes", &xml::element("Mesh", &sections))))
}

fn rows(count: usize) -> Files {
    let vertices = xml::vertices(count.try_into().unwrap(), "fff", "position", &"0 0 1,".repeat(count));
    let triangles = xml::triangles(count.try_into().unwrap(), &"0 1 2,".repeat(count));
    file("m.ezm", xml::simple(&vertices, &triangles))
}

/// An asset of one level of detail, whose submeshes are all the same.
fn submeshes(count: usize, submesh: &llsd::Entries) -> Files {
    let level = llsd::array(&vec![llsd::map(submesh); count]);
    file("m.llmesh", llsd::asset(&[("high_lod", level)]))
}

fn skin(entries: &[(&'static str, Vec<u8>)]) -> Files {
    let level = llsd::level(&[llsd::square()]);
    file("m.llmesh", llsd::asset(&[("skin", llsd::map(entries)), ("high_lod", level)]))
}

fn joint_names(count: usize) -> Files {
    let names: Vec<_> = (0..count).map(|name| llsd::string(name.to_string().as_bytes())).collect();
    skin(&[("joint_names", llsd::array(&names))])
}

fn deep_values(count: usize) -> Files {
    let open = llsd::spelled(|to| to.open_array(1));
    skin(&[("joint_names", [open.repeat(count), vec![b']'; count]].concat())])
}

fn long_values(count: usize) -> Files {
    let keys: Vec<String> = (0..count).map(|key| format!("k{key}")).collect();
    let entries: Vec<_> = keys.iter().map(|key| (key.as_str(), b"1".to_vec())).collect();
    let level = llsd::array(&[llsd::map(&entries)]);
    file("m.llmesh", llsd::asset(&[("high_lod", level)]))
}

fn hulls(count: usize) -> Files {
    let points = vec![0; 9 * count];
    let hulls = llsd::map(&[("HullList", llsd::binary(&vec![3; count])), ("Positions", llsd::codes(&points))]);
    let level = llsd::level(&[llsd::square()]);
    file("m.llmesh", llsd::asset(&[("physics_convex", hulls), ("high_lod", level)]))
}

/// One block under many names, of which a viewer knows six.
fn names_of_a_block(count: usize) -> Files {
    let block = llsd::zlib(&llsd::array(&vec![llsd::map(&llsd::square()); 1000]));
    let known = ["high_lod", "medium_lod", "low_lod", "lowest_lod", "physics_mesh", "physics_shape"].map(str::to_owned);
    let names: Vec<_> = known.into_iter().chain((0..count).map(|name| format!("n{name}"))).collect();
    let entries: Vec<_> = names.iter().map(|name| (name.as_str(), llsd::place(0, block.len()))).collect();
    file("m.llmesh", [llsd::map(&entries), block].concat())
}

fn container(assets: usize, instances: usize) -> Files {
    let level = llsd::level(&[llsd::square()]);
    let asset = llsd::string(&llsd::asset(&[("high_lod", level)]));
    let instance = llsd::map(&[("label", llsd::string(b"part")), ("mesh_id", llsd::integer(0))]);
    let entries = [
        ("instance", llsd::array(&vec![instance; instances])),
        ("mesh", llsd::array(&vec![asset; assets])),
        ("name", llsd::string(b"model")),
        ("version", llsd::integer(3)),
    ];
    file("m.slm", llsd::map(&entries))
}

fn mesh(generation: Generation) -> RawFile {
    RawFile::new(generation)
}

fn times(count: usize) -> i32 {
    count.try_into().unwrap()
}

fn unigine_surfaces(count: usize) -> Files {
    let count = times(count);
    let surface = |raw: RawFile, _| raw.text(b"").put(&[0, 0]).bounds().count(1).text(b"");
    let raw = mesh(Generation::Ms13).count(0).count(count).times(count, surface).put(b"ms13");
    file("m.mesh", raw.times(count, |raw, _| raw.put(&[0; 8])).put(b"ms13").0)
}

fn unigine_targets(count: usize) -> Files {
    let count = times(count);
    let raw = mesh(Generation::Ms13).count(0).count(1).text(b"").put(&[0, 0]).bounds();
    let raw = raw.count(count).times(count, |raw, _| raw.text(b"")).put(b"ms13");
    file("m.mesh", raw.times(count, |raw, _| raw.put(&[0; 2])).put(&[0; 6]).put(b"ms13").0)
}

fn unigine_bones(count: usize) -> Files {
    let bones = times(count);
    let raw = mesh(Generation::Ms13).count(bones);
    let raw = raw.times(bones, |raw, bone| raw.text(bone.to_string().as_bytes()).put(&[0xff, 0xff]));
    let raw = raw.count(0).put(b"ms13");
    file("m.mesh", raw.times(bones, |raw, _| raw.transform()).put(b"ms13").0)
}

fn unigine_animations(count: usize) -> Files {
    let count = times(count);
    let raw = mesh(Generation::Ms12).count(0).count(count).times(count, |raw, _| raw.text(b"")).count(0);
    file("m.mesh", raw.put(b"ms12").times(count, |raw, _| raw.put(&[0; 3])).put(b"ms12").0)
}

fn unigine_frames(count: usize) -> Files {
    let raw = RawFile::default().put(b"an11").count(1).text(b"b").put(&[0xff, 0xff]).put(b"an11");
    let raw = raw.transform().count(1).put(&[0; 2]).count(times(count));
    file("m.anim", raw.times(times(count), |raw, _| raw.put(&[0])).put(b"an11").0)
}

fn unigine_blocks(count: usize) -> Files {
    let header = header_of(Generation::Ms14, count, 1, [0; 3]);
    let blocks = |content: &[u8]| vec![RawBlock::lz4(content); count];
    file("m.mesh", put_together(&header, &blocks(&[0; 8]), &blocks(&[0; 3])))
}

/// Surfaces whose geometry is the same block, which inflates to 64 KiB.
fn unigine_shared_blocks(count: usize) -> Files {
    let header = header_of(Generation::Ms14, count, 1, [1, 0, 0]);
    let place = i64::try_from(header.len()).unwrap();
    let geometry = [RawBlock::lz4(&vec![0; 1 << 16])];
    file("m.mesh", put_together_with(&header, &geometry, &vec![RawBlock::lz4(&[0; 3]); count], &vec![place; count]))
}

/// A pair of triangles that have the same corners.
fn pair(triangles: usize, surfaces: usize, vertices: u32) -> Files {
    let polygon = |number: usize| RawPolygon {
        vertices: [0, 1, 2].map(Into::into),
        texture: u8::try_from(number % (surfaces / 4)).unwrap(),
        kind: u8::try_from(number / (surfaces / 4) % 4).unwrap(),
        ..RawPolygon::EMPTY
    };
    let frame = |z: i16| (0..vertices).map(|vertex| [[0, 0, z], [8, 0, z], [0, 8, z]][vertex as usize % 3]).collect();
    let polygons = (0..triangles).map(polygon).collect();
    let mesh =
        builder::Mesh { polygons, frames: vec![frame(0), frame(8)], ..builder::Mesh::new(Variant::Classic, vertices) };
    vec![("m_d.3d".to_owned(), mesh.data_bytes().unwrap()), ("m_a.3d".to_owned(), mesh.aniv_bytes().unwrap())]
}

/// A pair with a script that has further lines, and commands name the script or the pair.
fn script(names_script: bool, lines: &str) -> Files {
    let import = "#exec MESH IMPORT MESH=m ANIVFILE=m_a.3d DATAFILE=m_d.3d\n";
    let mut files = pair(300, 1024, 3);
    files.push(("m.uc".to_owned(), (import.to_owned() + lines).into_bytes()));
    if names_script {
        files.rotate_right(1);
    }
    files
}

/// A container of these assets, each of which is in the file once.
fn assets(count: usize, asset: &[u8]) -> Files {
    let asset = llsd::string(asset);
    let entries =
        [("mesh", llsd::array(&vec![asset; count])), ("name", llsd::string(b"model")), ("version", llsd::integer(3))];
    file("m.slm", llsd::map(&entries))
}

fn level_of(count: usize, submesh: &llsd::Entries) -> Vec<u8> {
    llsd::array(&vec![llsd::map(submesh); count])
}

/// Instances of an asset of many submeshes.
fn instances_of_submeshes(count: usize) -> Files {
    let asset = llsd::asset(&[("high_lod", level_of(1000, &llsd::square()))]);
    let instance = llsd::map(&[("label", llsd::string(b"part")), ("mesh_id", llsd::integer(0))]);
    let entries = [
        ("instance", llsd::array(&vec![instance; count])),
        ("mesh", llsd::array(&[llsd::string(&asset)])),
        ("name", llsd::string(b"model")),
        ("version", llsd::integer(3)),
    ];
    file("m.slm", llsd::map(&entries))
}

/// Instances with a list of materials.
fn materials_of_an_instance(count: usize) -> Files {
    let asset = llsd::asset(&[("high_lod", level_of(8, &llsd::square()))]);
    let material = llsd::map(&[("binding", llsd::string(b"m"))]);
    let instance = llsd::map(&[
        ("label", llsd::string(b"part")),
        ("material", llsd::array(&vec![material; count])),
        ("mesh_id", llsd::integer(0)),
    ]);
    let entries = [
        ("instance", llsd::array(&[instance])),
        ("mesh", llsd::array(&[llsd::string(&asset)])),
        ("name", llsd::string(b"model")),
        ("version", llsd::integer(3)),
    ];
    file("m.slm", llsd::map(&entries))
}

fn hull_list(count: usize, points: u8) -> Vec<u8> {
    let list = llsd::binary(&vec![points; count]);
    llsd::map(&[("HullList", list), ("Positions", llsd::codes(&vec![7; 3 * usize::from(points) * count]))])
}

fn hulls_of_one_point(count: usize) -> Files {
    let level = llsd::level(&[llsd::square()]);
    file("m.llmesh", llsd::asset(&[("physics_convex", hull_list(count, 1)), ("high_lod", level)]))
}

fn hulls_of_assets(count: usize) -> Files {
    let level = llsd::level(&[llsd::square()]);
    assets(count, &llsd::asset(&[("physics_convex", hull_list(100, 4)), ("high_lod", level)]))
}

/// Triangles that each cover the picture, one in front of the other.
fn overdraw(triangles: usize) -> Files {
    let place = |at: u16| [[0, at, 0], [65535, at, 0], [32768, at, 65535]].concat();
    let positions: Vec<u16> = (0..64).flat_map(|layer| place(layer * 1023)).collect();
    let corners = (0..triangles).flat_map(|triangle| [0, 1, 2].map(|corner| (triangle % 64 * 3 + corner) as u16));
    let submesh = vec![
        ("Position", llsd::codes(&positions)),
        ("PositionDomain", llsd::domain(&[-0.5; 3], &[0.5; 3])),
        ("TriangleList", llsd::codes(&corners.collect::<Vec<_>>())),
    ];
    submeshes(1, &submesh)
}

/// Submeshes of 20,000 vertices and a triangle.
fn submeshes_of_vertices(count: usize) -> Files {
    submeshes(count, &llsd::with(llsd::without(llsd::square(), "Weights"), "Position", llsd::codes(&vec![9; 60_000])))
}

/// A submesh whose vertices have weights for a joint with a long name.
fn weights_of_a_long_joint(count: usize) -> Files {
    let submesh = vec![
        ("Position", llsd::codes(&vec![9; 3 * count])),
        ("PositionDomain", llsd::domain(&[-0.5; 3], &[0.5; 3])),
        ("TriangleList", llsd::codes(&[0, 1, 2])),
        ("Weights", llsd::binary(&[0, 0xff, 0xff, 255].repeat(count))),
    ];
    let skin = llsd::with(llsd::skin(), "joint_names", llsd::array(&vec![llsd::string(&vec![b'j'; 100_000]); 2]));
    file("m.llmesh", llsd::asset(&[("skin", llsd::map(&skin)), ("high_lod", llsd::level(&[submesh]))]))
}

fn skin_of(count: usize) -> llsd::Entries {
    let matrices = llsd::array(&vec![llsd::reals(&llsd::shift([0.0; 3])); count]);
    let names: Vec<_> = (0..count).map(|name| llsd::string(name.to_string().as_bytes())).collect();
    let skin = llsd::with(llsd::skin(), "joint_names", llsd::array(&names));
    llsd::with(llsd::with(skin, "inverse_bind_matrix", matrices.clone()), "alt_inverse_bind_matrix", matrices)
}

fn joints(count: usize) -> Files {
    skin(&skin_of(count))
}

fn skins_of_assets(count: usize) -> Files {
    let level = llsd::level(&[llsd::square()]);
    assets(count, &llsd::asset(&[("skin", llsd::map(&skin_of(100))), ("high_lod", level)]))
}

/// Submeshes in all levels of detail.
fn levels(count: usize) -> Files {
    let level = level_of(count, &llsd::square());
    let names = ["high_lod", "medium_lod", "low_lod", "lowest_lod", "physics_mesh"];
    file("m.llmesh", llsd::asset(&names.map(|name| (name, level.clone()))))
}

/// An EZ-Mesh file in which sections of one triangle share many vertices.
fn shared_vertices(vertices: u16, count: usize) -> ezmesh::Mesh {
    let corner = |vertex: u16| [f32::from(vertex % 100), f32::from(vertex / 100), 0.0];
    let section = |number: usize| ezmesh::Section {
        material: format!("m{number}").into_bytes(),
        triangles: vec![[0, 1, 100]],
        ..ezmesh::Section::default()
    };
    let mesh = ezmesh::MeshElement {
        name: b"m".to_vec(),
        vertices: Some(vec![ezmesh::Column::positions((0..vertices).map(corner))].into()),
        sections: (0..count).map(section).collect(),
        ..ezmesh::MeshElement::default()
    };
    ezmesh::Mesh { meshes: vec![mesh], ..ezmesh::Mesh::default() }
}

fn sections_that_share_vertices(count: usize) -> Files {
    file("m.ezb", shared_vertices(10_000, count).to_ezb(ByteOrder::Little))
}

fn sections_with_materials(count: usize) -> Files {
    let mut mesh = shared_vertices(200, count);
    let material = |number: usize| ezmesh::Material { name: format!("m{number}").into_bytes(), meta_data: vec![] };
    mesh.materials = (0..count).map(material).collect();
    file("m.ezm", mesh.to_ezm())
}

/// Instances of a mesh that has 1,000 sections.
fn instances_of_sections(count: usize) -> Files {
    let mut mesh = shared_vertices(200, 1000);
    mesh.instances = vec![ezmesh::Instance { mesh: b"m".to_vec(), transform: Transform::default() }; count];
    file("m.ezm", mesh.to_ezm())
}

/// Instances of a mesh that has 10,000 triangles.
fn instances_of_triangles(count: usize) -> Files {
    let mut mesh = shared_vertices(200, 1);
    mesh.meshes[0].sections[0].triangles = vec![[0, 1, 100]; 10_000];
    mesh.instances = vec![ezmesh::Instance { mesh: b"m".to_vec(), transform: Transform::default() }; count];
    file("m.ezb", mesh.to_ezb(ByteOrder::Little))
}

fn collision_hulls(count: usize) -> Files {
    let points = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let hull = ezmesh::Hull {
        points: Some(vec![ezmesh::Column::positions(points)].into()),
        triangles: vec![[0, 1, 2], [0, 1, 3]],
    };
    let collision = ezmesh::Collision {
        name: b"h".to_vec(),
        kind: b"CONVEX".to_vec(),
        hull: Some(hull),
        ..ezmesh::Collision::default()
    };
    let mut mesh = shared_vertices(200, 1);
    mesh.representations = vec![ezmesh::Representation {
        name: b"r".to_vec(),
        collisions: vec![collision; count],
        ..ezmesh::Representation::default()
    }];
    file("m.ezm", mesh.to_ezm())
}

/// Clips of one key, of a skeleton of 1,000 bones that all depend on the bone before.
fn clips_of_bones(count: usize) -> Files {
    let bones = numbered(1000, |bone| format!("<Bone name=\"{bone}\" parent=\"{}\"/>", bone.saturating_sub(1)));
    let skeletons = xml::element("Skeletons", &xml::element("Skeleton name=\"s\"", &bones));
    let track = "<AnimTrack name=\"0\" count=\"1\">0 0 0 0 0 0 1</AnimTrack>";
    let clips = numbered(count, |_| format!("<Animation framecount=\"1\">{track}</Animation>"));
    text(&(skeletons + &xml::element("Animations", &clips)))
}

/// A clip of many frames that moves one of 1,000 bones.
fn keys_of_bones(count: usize) -> Files {
    let bones = numbered(1000, |bone| format!("<Bone name=\"{bone}\" parent=\"{}\"/>", bone.saturating_sub(1)));
    let skeletons = xml::element("Skeletons", &xml::element("Skeleton name=\"s\"", &bones));
    let track = xml::element(&format!("AnimTrack name=\"0\" count=\"{count}\""), &"0 0 0 0 0 0 1,".repeat(count));
    let clip = xml::element(&format!("Animation framecount=\"{count}\" dtime=\"0.01\""), &track);
    text(&(skeletons + &xml::element("Animations", &clip)))
}

/// A clip that declares a number of frames and has one key for each of 100 bones.
fn declared_frames(count: usize) -> Files {
    let bones = numbered(100, |bone| format!("<Bone name=\"{bone}\"/>"));
    let skeletons = xml::element("Skeletons", &xml::element("Skeleton name=\"s\"", &bones));
    let tracks = numbered(100, |bone| format!("<AnimTrack name=\"{bone}\" count=\"1\">0 0 0 0 0 0 1</AnimTrack>"));
    let clip = xml::element(&format!("Animation framecount=\"{count}\" duration=\"{count}\""), &tracks);
    text(&(skeletons + &xml::element("Animations", &clip)))
}

fn bones_before_their_parents(count: usize) -> Files {
    skeleton(count, |bone| format!("<Bone name=\"{bone}\" parent=\"{}\"/>", bone + 1))
}

fn columns_of_vertices(count: usize) -> Files {
    let columns = 30;
    let semantics: Vec<String> = (1..=columns).map(|set| format!("texcoord{set}")).collect();
    let row = "0 0 1 ".to_owned() + &"0 1 ".repeat(columns) + ",";
    let vertices = xml::vertices(
        count.try_into().unwrap(),
        &("fff ".to_owned() + &["ff"].repeat(columns).join(" ")),
        &("position ".to_owned() + &semantics.join(" ")),
        &row.repeat(count),
    );
    file("m.ezm", xml::simple(&vertices, &xml::triangles(1, "0 1 2")))
}

fn nested_elements(count: usize) -> Files {
    text(&("<a>".repeat(count) + &"</a>".repeat(count)))
}

/// Surfaces with a cube each, and a name that all of them have or that each has alone.
fn cubes(count: usize, is_named: bool) -> Files {
    let surface = |number: usize| cube(&if is_named { number.to_string() } else { String::from("a") }, 1.0);
    let mut mesh = unigine::Mesh::new(Generation::Ms12);
    mesh.surfaces = (0..count).map(surface).collect();
    file("m.mesh", mesh.to_bytes().unwrap())
}

fn targets_of_a_cube(count: usize) -> Files {
    let mut surface = cube("a", 1.0);
    surface.targets = vec![surface.targets[0].clone(); count];
    let mut mesh = unigine::Mesh::new(Generation::Ms13);
    mesh.surfaces = vec![surface];
    file("m.mesh", mesh.to_bytes().unwrap())
}

/// Vertices that a bone with a long name moves.
fn weights_of_a_long_bone(count: usize) -> Files {
    let mut surface = grid("a", 1, false);
    let vertices = surface.targets[0].positions[0];
    surface.targets[0].positions.resize(count.max(4), vertices);
    let influence = meshpeek::model::Influence { bone: 0, weight: 1.0 };
    surface.weights = vec![vec![influence]; count.max(4)];
    let mut mesh = unigine::Mesh::new(Generation::Ms12);
    mesh.bones = vec![unigine::Bone { name: "n".repeat(200_000), parent: -1, bind: Transform::default() }];
    mesh.surfaces = vec![surface];
    file("m.mesh", mesh.to_bytes().unwrap())
}

/// Surfaces with 1,000 morph targets each.
fn targets_of_surfaces(count: usize) -> Files {
    let targets = 1000;
    let surface = |raw: RawFile, _| {
        let raw = raw.text(b"").put(&[0, 0]).bounds();
        raw.count(targets).times(targets, |raw, _| raw.text(b""))
    };
    let raw = mesh(Generation::Ms13).count(0).count(times(count)).times(times(count), surface).put(b"ms13");
    let content = |raw: RawFile, _| raw.times(targets, |raw, _| raw.put(&[0; 2])).put(&[0; 6]);
    file("m.mesh", raw.times(times(count), content).put(b"ms13").0)
}

/// Embedded animations that each move a bone with a long name.
fn clips_of_a_long_bone(count: usize) -> Files {
    let count = times(count);
    let raw = mesh(Generation::Ms12).count(1).text(&vec![b'n'; 200_000]).put(&[0xff, 0xff]);
    let clip = |raw: RawFile, _| raw.text(b"");
    let raw = raw.count(count).times(count, clip).count(0).put(b"ms12").transform();
    file("m.mesh", raw.times(count, |raw, _| raw.count(1).put(&[0, 0]).put(&[0]).count(0)).put(b"ms12").0)
}

/// Embedded animations of a mesh with 1,000 bones.
fn clips_of_many_bones(count: usize) -> Files {
    let (count, bones) = (times(count), 1000);
    let raw = mesh(Generation::Ms12).count(bones);
    let raw = raw.times(bones, |raw, bone| raw.text(bone.to_string().as_bytes()).put(&[0xff, 0xff]));
    let raw = raw.count(count).times(count, |raw, _| raw.text(b"")).count(0).put(b"ms12");
    let raw = raw.times(bones, |raw, _| raw.transform());
    file("m.mesh", raw.times(count, |raw, _| raw.put(&[0; 3])).put(b"ms12").0)
}

/// Frames without keys of an animation that moves one of 1,000 bones.
fn frames_of_bones(count: usize) -> Files {
    let bones = 1000;
    let raw = RawFile::default().put(b"an11").count(bones);
    let raw = raw.times(bones, |raw, bone| raw.text(bone.to_string().as_bytes()).put(&[0xff, 0xff])).put(b"an11");
    let raw = raw.times(bones, |raw, _| raw.transform()).count(1).put(&[0; 2]).count(times(count));
    file("m.anim", raw.times(times(count), |raw, _| raw.put(&[0])).put(b"an11").0)
}

/// Bones of a chain whose last bone is the root.
fn chain_of_bones(count: usize) -> Files {
    let bones = times(count);
    let parent = |bone: i32| if bone + 1 < bones { i16::try_from(bone + 1).unwrap() } else { -1 };
    let raw = mesh(Generation::Ms12).count(bones);
    let raw = raw
        .times(bones, |raw, bone| raw.text(bone.to_string().as_bytes()).put(&parent(bone).to_le_bytes()))
        .count(0)
        .count(0)
        .put(b"ms12");
    file("m.mesh", raw.times(bones, |raw, _| raw.transform()).put(b"ms12").0)
}

/// Vertex frames of a pair whose triangles are in 1,024 surfaces.
fn vertex_frames(count: usize, surfaces: usize) -> Files {
    let polygon = |number: usize| RawPolygon {
        vertices: [0, 1, 2].map(Into::into),
        texture: u8::try_from(number % 256).unwrap(),
        kind: u8::try_from(number / 256).unwrap(),
        ..RawPolygon::EMPTY
    };
    let frame = |number: usize| {
        let z = i16::try_from(number % 500).unwrap();
        vec![[0, 0, z], [8, 0, z], [0, 8, z]]
    };
    let mesh = builder::Mesh {
        polygons: (0..surfaces).map(polygon).collect(),
        frames: (0..count.max(1)).map(frame).collect(),
        ..builder::Mesh::new(Variant::Classic, 3)
    };
    vec![("m_d.3d".to_owned(), mesh.data_bytes().unwrap()), ("m_a.3d".to_owned(), mesh.aniv_bytes().unwrap())]
}

/// Sequences that all have the same 1,000 frames.
fn sequences_of_frames(count: usize) -> Files {
    let mut files = vertex_frames(1000, 4);
    let import = "#exec MESH IMPORT MESH=m ANIVFILE=m_a.3d DATAFILE=m_d.3d\n".to_owned();
    let sequence = |name| format!("#exec MESH SEQUENCE MESH=m SEQ=a{name} STARTFRAME=0 NUMFRAMES=1000\n");
    files.push(("m.uc".to_owned(), (import + &numbered(count, sequence)).into_bytes()));
    files
}

fn notified_sequences(count: usize) -> Files {
    let sequence = |at| format!("#exec MESH SEQUENCE MESH=m SEQ=a{at} STARTFRAME=0 NUMFRAMES=1\n");
    let notify = |at| format!("#exec MESH NOTIFY MESH=m SEQ=a{at} TIME=0.5 FUNCTION=F\n");
    script(false, &(numbered(count, sequence) + &numbered(count, notify)))
}

/// A PCX picture of 1,024 x 1,024 pixels of one colour.
fn texture() -> Vec<u8> {
    let size = 1023_u16.to_le_bytes();
    let mut bytes = vec![10, 5, 1, 8, 0, 0, 0, 0];
    bytes.extend([size, size, [72, 0], [72, 0]].concat());
    bytes.extend([0; 49]);
    bytes.extend([1, 0, 4, 1, 0]);
    bytes.resize(128, 0);
    let line = [[0xff, 7].repeat(16), vec![0xc0 | 16, 7]].concat();
    bytes.extend(line.repeat(1024));
    bytes.push(12);
    bytes.extend([200; 768]);
    bytes
}

/// Textures of a script, which all have the same picture.
fn textures(count: usize) -> Files {
    let line = |number: usize| {
        let name = number % 256;
        format!(
            "#exec TEXTURE IMPORT NAME=T{number} FILE=t.pcx\n#exec MESHMAP SETTEXTURE MESHMAP=m NUM={name} TEXTURE=T{number}\n"
        )
    };
    let mut files = vertex_frames(2, 1024);
    let import = "#exec MESH IMPORT MESH=m ANIVFILE=m_a.3d DATAFILE=m_d.3d\n#exec MESHMAP NEW MESHMAP=m MESH=m\n";
    files.push(("m.uc".to_owned(), (import.to_owned() + &numbered(count, line)).into_bytes()));
    files.push(("t.pcx".to_owned(), texture()));
    files
}

/// Polygons whose vertices do not exist.
fn missing_vertices(count: usize) -> Files {
    let mut files = pair(count, 64, 3);
    for polygon in files[0].1[48..].chunks_exact_mut(16) {
        polygon[..6].fill(0x7f);
    }
    files
}

/// Small files in the folder of the input.
fn many_files(count: usize) -> Files {
    let mut mesh = unigine::Mesh::new(Generation::Ms12);
    mesh.surfaces = vec![cube("a", 1.0)];
    let bytes = mesh.to_bytes().unwrap();
    (0..count.max(1)).map(|number| (format!("m{number}.mesh"), bytes.clone())).collect()
}

#[allow(clippy::too_many_lines, reason = "a table")]
pub fn families() -> Vec<Family> {
    let family = |name, most, make| Family { name, make, most, inflates: false };
    let inflating = |name, most, make| Family { name, make, most, inflates: true };
    vec![
        inflating("placeholder submeshes", 500_000, |n| submeshes(n, &vec![("NoGeometry", b"1".to_vec())])),
        inflating("empty submeshes", 500_000, |n| submeshes(n, &vec![])),
        inflating("submeshes of two triangles", 20_000, |n| submeshes(n, &llsd::square())),
        inflating("joint names", 100_000, joint_names),
        inflating("deep values", 100_000, deep_values),
        inflating("keys of a submesh", 100_000, long_values),
        inflating("hulls", 100_000, hulls),
        inflating("names of a block", 20_000, names_of_a_block),
        inflating("assets", 1500, |n| container(n, 1)),
        inflating("instances", 8000, |n| container(1, n)),
        family("elements <Bone/>", 140_000, |n| skeleton(n, |_| "<Bone/>".into())),
        family("bones with names and parents", 30_000, |n| {
            skeleton(n, |bone| format!("<Bone name=\"{bone}\" parent=\"{}\"/>", bone.saturating_sub(1)))
        }),
        family("skeletons", 80_000, |n| list("Skeletons", n, |_| "<Skeleton/>".into())),
        family("materials", 80_000, |n| list("Materials", n, |_| "<Material/>".into())),
        family("meshes", 140_000, |n| list("Meshes", n, |_| "<Mesh/>".into())),
        family("animations", 80_000, |n| list("Animations", n, |_| "<Animation/>".into())),
        family("tracks and bones", 18_000, tracks),
        family("elements <MeshSection/>", 60_000, |n| sections(n, |_| "<MeshSection/>".into())),
        family("sections of one triangle", 10_000, |n| sections(n, |_| xml::section("s", &xml::triangles(1, "0 1 2")))),
        family("columns of sections", 22_000, |n| {
            sections(n, |name| format!("<MeshSection ctype=\"x{name}\" semantic=\"a\"/>"))
        }),
        family("sections of materials", 14_000, sections_of_materials),
        family("vertex buffers", 60_000, |n| sections(n, |_| "<vertexbuffer/>".into())),
        family("instances of meshes", 18_000, instances_of_meshes),
        family("unknown elements", 250_000, |n| text(&"<a/>".repeat(n))),
        family("instructions", 190_000, |n| file("m.ezm", "<?a?>".repeat(n) + "<MeshSystem/>")),
        family("entities", 200_000, |n| file("m.ezm", format!("<MeshSystem asset_name=\"{}\"/>", "&amp;".repeat(n)))),
        family("comments", 100_000, |n| text(&"<!-- -->".repeat(n))),
        family("rows of vertices", 80_000, rows),
        family("sections of a binary file", 9000, binary_sections),
        family("surfaces", 15_000, unigine_surfaces),
        family("morph targets", 250_000, unigine_targets),
        family("bones", 20_000, unigine_bones),
        family("embedded animations", 200_000, unigine_animations),
        family("frames without keys", 1_000_000, unigine_frames),
        family("compressed surfaces", 6000, unigine_blocks),
        family("surfaces that share a block", 6000, unigine_shared_blocks),
        family("polygons", 65_000, |n| pair(n, 64, 3)),
        family("vertices of 1,024 surfaces", 16_000, |n| pair(1024, 1024, n.try_into().unwrap())),
        family("imports", 12_000, |n| {
            script(
                true,
                &numbered(n, |name| format!("#exec MESH IMPORT MESH=M{name} ANIVFILE=m_a.3d DATAFILE=m_d.3d\n")),
            )
        }),
        family("sequences", 14_000, |n| {
            script(
                false,
                &numbered(n, |name| format!("#exec MESH SEQUENCE MESH=m SEQ=a{name} STARTFRAME=0 NUMFRAMES=1\n")),
            )
        }),
        family("notifications", 16_000, |n| {
            let sequence = "#exec MESH SEQUENCE MESH=m SEQ=a STARTFRAME=0 NUMFRAMES=1\n".to_owned();
            script(
                false,
                &(sequence + &numbered(n, |at| format!("#exec MESH NOTIFY MESH=m SEQ=a TIME=0.5 FUNCTION=F{at}\n"))),
            )
        }),
        family("lines of a script", 250_000, |n| script(false, &"//\n\n".repeat(n))),
        inflating("empty assets", 90_000, |n| assets(n, &llsd::map(&[]))),
        inflating("assets of placeholders", 300, |n| {
            assets(n, &llsd::asset(&[("high_lod", level_of(50_000, &vec![("NoGeometry", b"1".to_vec())]))]))
        }),
        inflating("assets of surfaces", 800, |n| {
            assets(n, &llsd::asset(&[("high_lod", level_of(100, &llsd::square()))]))
        }),
        inflating("instances of submeshes", 10_000, instances_of_submeshes),
        inflating("materials of an instance", 25_000, materials_of_an_instance),
        inflating("hulls of one point", 1_000_000, hulls_of_one_point),
        inflating("hulls of assets", 1500, hulls_of_assets),
        inflating("overdraw", 100_000, overdraw),
        inflating("triangles of a block", 5_000_000, overdraw),
        inflating("submeshes of vertices", 400, submeshes_of_vertices),
        inflating("weights of a long joint", 60_000, weights_of_a_long_joint),
        inflating("joints", 100_000, joints),
        inflating("skins of assets", 800, skins_of_assets),
        inflating("levels", 10_000, levels),
        family("sections that share vertices", 9000, sections_that_share_vertices),
        family("sections with materials", 5000, sections_with_materials),
        family("instances of sections", 9000, instances_of_sections),
        family("instances of triangles", 20_000, instances_of_triangles),
        family("collision hulls", 2000, collision_hulls),
        family("clips of bones", 9000, clips_of_bones),
        family("keys of a bone", 60_000, keys_of_bones),
        family("declared frames", 1_000_000_000, declared_frames),
        family("bones before their parents", 30_000, bones_before_their_parents),
        family("columns of vertices", 7500, columns_of_vertices),
        family("nested elements", 140_000, nested_elements),
        family("cubes of one name", 900, |n| cubes(n, false)),
        family("cubes of different names", 900, |n| cubes(n, true)),
        family("targets of a cube", 3000, targets_of_a_cube),
        family("weights of a long bone", 35_000, weights_of_a_long_bone),
        family("targets of surfaces", 250, targets_of_surfaces),
        family("clips of a long bone", 100_000, clips_of_a_long_bone),
        family("clips of many bones", 200_000, clips_of_many_bones),
        family("frames of many bones", 950_000, frames_of_bones),
        family("chain of bones", 20_000, chain_of_bones),
        family("vertex frames", 65_000, |n| vertex_frames(n, 1)),
        family("vertex frames of 1,024 surfaces", 65_000, |n| vertex_frames(n, 1024)),
        family("sequences of 1,000 frames", 14_000, sequences_of_frames),
        family("notified sequences", 8000, notified_sequences),
        family("textures", 9000, textures),
        family("polygons of missing vertices", 65_000, missing_vertices),
        family("files", 600, many_files),
    ]
}

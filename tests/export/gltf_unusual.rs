//! Files with gaps, damage and contradictions, whose GLB files must still be valid.

use meshpeek::export::{Export, ExportFormat, LevelChoice, LossKind, SceneInput};
use meshpeek::unreal::script::Script;
use meshpeek::{Model, unreal};
use serde_json::{Value, json};

use crate::gltf::{glb, options};
use crate::gltf_reader::{Reader, list};
use crate::gltf_structure::check;
use crate::sample;

const TRIANGLE: &str = "<MeshSection material='m'><indexbuffer triangle_count='1'>0 1 2</indexbuffer></MeshSection>";
const POINTS: &str = "<vertexbuffer count='3' ctype='fff' semantic='position'>0 0 0  1 0 0  0 1 0</vertexbuffer>";

/// Exports a model, and checks the structure of the file. Returns the losses, too.
fn exported(model: &Model<Vec<u8>>, options: &meshpeek::export::ExportOptions) -> (Reader, Vec<LossKind>) {
    let reader = Reader::glb(&glb(model.contents(), &[], options).unwrap());
    check(&reader, "an unusual file");
    let export = Export::new(&SceneInput::new(model), ExportFormat::Glb, options).unwrap();
    (reader, export.losses().iter().map(|loss| loss.kind).collect())
}

fn ezmesh(mesh: &str, rest: &str) -> Model<Vec<u8>> {
    let text =
        format!("<MeshSystem><Meshes count='1'><Mesh name='a'>{mesh}{TRIANGLE}</Mesh></Meshes>{rest}</MeshSystem>");
    Model::open(text.into_bytes()).unwrap()
}

#[test]
fn uv_sets_have_no_gaps() {
    let vertices = "<vertexbuffer count='3' ctype='fff ff' semantic='position texcoord2'>\
                    0 0 0 0.5 0.25  1 0 0 0.5 0.25  0 1 0 0.5 nan</vertexbuffer>";
    let (reader, losses) = exported(&ezmesh(vertices, ""), &options());
    let attributes = &reader.json["meshes"][0]["primitives"][0]["attributes"];
    assert!(attributes["TEXCOORD_0"].is_u64() && attributes["TEXCOORD_1"].is_null(), "{attributes}");
    assert_eq!(losses, [LossKind::Values]);
}

#[test]
fn hulls_have_valid_triangles_only() {
    let hull = |triangles: &str, transform: &str| {
        let rest = format!(
            "<MeshCollisionRepresentations count='1'><MeshCollisionRepresentation name='r' info='' count='1'>
             <MeshCollision name='c' type='CONVEX' transform='{transform}'><MeshCollisionConvex>
             <vertexbuffer count='4' ctype='fff' semantic='position'>0 0 0  1 0 0  0 1 0  0 0 1</vertexbuffer>
             {triangles}</MeshCollisionConvex></MeshCollision></MeshCollisionRepresentation></MeshCollisionRepresentations>"
        );
        let (reader, losses) = exported(&ezmesh(POINTS, &rest), &options().with_hulls(true));
        let node = list(&reader.json, "nodes").iter().find(|node| node["name"] == "c").unwrap().clone();
        let primitive = reader.json["meshes"][node["mesh"].as_u64().unwrap() as usize]["primitives"][0].clone();
        let count =
            primitive["indices"].as_u64().map(|index| reader.json["accessors"][index as usize]["count"].clone());
        (count, node["translation"].clone(), losses)
    };
    let still = "1 0 0 0 0 1 0 0 0 0 1 0 5 6 7 1";
    let triangles = |text: &str, count: u32| format!("<indexbuffer triangle_count='{count}'>{text}</indexbuffer>");
    let (count, place, losses) = hull(&triangles("0 1 2 0 1 3", 2), still);
    assert_eq!((count, place, losses.as_slice()), (Some(json!(6)), json!([5, 6, 7]), &[][..]));
    let (count, _, losses) = hull(&triangles("0 1 9 0 1 3", 2), still);
    assert_eq!((count, losses.as_slice()), (Some(json!(3)), &[LossKind::Triangles][..]));
    let (count, _, losses) = hull(&triangles("0 1 9", 1), still);
    assert_eq!((count, losses.as_slice()), (None, &[LossKind::Triangles][..]), "points are left");
    let (_, place, losses) = hull(&triangles("0 1 2", 1), "1 0 0 0 0 1 0 0 1 1 0 0 5 6 7 1");
    assert_eq!((place, losses.as_slice()), (json!([5, 6, 7]), &[LossKind::Placements][..]), "a singular one");
}

#[test]
fn times_of_any_rate_are_finite() {
    let [data, aniv] = crate::support::unreal::pair("guard");
    for rate in ["1e-42", "0", "-3", "1e30"] {
        let text = format!(
            "#exec MESH IMPORT MESH=a ANIVFILE=a DATAFILE=d\n\
             #exec MESH SEQUENCE MESH=a SEQ=s STARTFRAME=1 NUMFRAMES=4 RATE={rate}\n"
        );
        let script = Script::open(text.into_bytes()).unwrap();
        let selected = script.select(b"a");
        let mesh = unreal::Mesh::open(data.clone(), aniv.clone()).unwrap().with_selected(script.into(), selected);
        let (reader, _) = exported(&Model::from(mesh), &options().with_rate(1e-42));
        let input = reader.json["animations"][0]["samplers"][0]["input"].as_u64().unwrap() as usize;
        assert_eq!(reader.json["accessors"][input]["max"], json!([0.133_333_34]), "{rate}");
    }
}

/// Vertex frames move their own mesh only, and a clip needs bones.
#[test]
fn clips_that_do_not_fit_are_losses() {
    let (guard, walker) = (sample("unreal/box_d.3d"), sample("unigine/bend_an10.anim"));
    for (mesh, clips) in [("unreal/guard_d.3d", &guard), ("unigine/cube_ms13.mesh", &walker)] {
        let mesh = sample(mesh);
        let sources = [("other", clips.animations())];
        let input = SceneInput::new(&mesh);
        let (own, all) = (input, input.with_clips(&sources));
        let options = options();
        let [own, all] = [own, all].map(|input| Export::new(&input, ExportFormat::Glb, &options).unwrap());
        let of_clips = |export: &Export<'_>| export.losses().iter().filter(|loss| loss.kind == LossKind::Clips).count();
        assert_eq!((of_clips(&own), of_clips(&all) > 0), (0, true));
        let animations = |export: &Export<'_>| {
            let mut bytes = Vec::new();
            export.write_file(0, "mesh", &mut bytes).unwrap();
            Reader::glb(&bytes).document.animations().count()
        };
        assert_eq!(animations(&own), animations(&all));
    }
}

/// A mesh without a level has its next better level in the scene of this level.
#[test]
fn each_level_is_a_scene_of_all_meshes() {
    let model = sample("secondlife/model.slm");
    let reader = Reader::glb(&glb(model.contents(), &[], &options().with_levels(LevelChoice::Scenes)).unwrap());
    let scenes = list(&reader.json, "scenes");
    let names: Vec<&Value> = scenes.iter().map(|scene| &scene["name"]).collect();
    assert_eq!(names, ["high_lod", "medium_lod", "low_lod", "lowest_lod"]);
    let counts: Vec<usize> = scenes.iter().map(|scene| list(scene, "nodes").len()).collect();
    assert!(counts.iter().all(|count| *count == counts[0] && *count > 0), "{counts:?}");
}

#[test]
fn vertex_colours_that_are_not_drawn_have_a_name_of_their_own() {
    let names = |model: &Model<Vec<u8>>| {
        let (reader, losses) = exported(model, &options());
        let parts = list(&reader.json, "meshes").iter().flat_map(|mesh| list(mesh, "primitives"));
        let has = |name: &&str| parts.clone().any(|part| part["attributes"].get(name).is_some());
        let names: Vec<&str> = ["COLOR_0", "_COLOR_0"].into_iter().filter(has).collect();
        (names.join(" "), losses)
    };
    let colored = |colors: [u32; 3]| {
        let [a, b, c] = colors;
        let vertices = "<vertexbuffer count='3' ctype='fff x4' semantic='position color'>";
        ezmesh(&format!("{vertices}0 0 0 {a:08X}  1 0 0 {b:08X}  0 1 0 {c:08X}</vertexbuffer>"), "")
    };
    let (black, white, near_black, near_white) = (0xFF00_0000, 0xFFFF_FFFF, 0xFF03_0102, 0xFFFC_FEFD);
    for (colors, name, note) in [
        ([black, black, white], "COLOR_0", None),
        ([near_black, near_black, near_white], "COLOR_0", None),
        ([black, near_black, 0xFF04_0000], "COLOR_0", None),
        ([white, near_white, 0xFFFF_FBFF], "COLOR_0", None),
        ([0xFF80_8080; 3], "COLOR_0", None),
        ([black, near_black, near_black], "_COLOR_0", Some(LossKind::DataColors)),
        ([white, near_white, near_white], "_COLOR_0", None),
    ] {
        assert_eq!(names(&colored(colors)), (name.to_owned(), Vec::from_iter(note)), "{colors:08X?}");
    }
    let room = Model::open(std::fs::read("data/unigine/room_ms11.mesh").unwrap()).unwrap();
    assert_eq!(names(&room), ("_COLOR_0".to_owned(), vec![LossKind::DataColors]));
}

//! Tests of the program with EZ-Mesh files.

use meshpeek::Animations as _;
use meshpeek::ezmesh::{Mesh, Semantic, VertexValue};
use serde_json::{Value, json};

use super::{code, json, meshpeek, scratch, text};
use crate::support::ezmesh;

const FLAG: &str = "data/ezmesh/flag.ezm";
const LEGACY: &str = "data/ezmesh/legacy.ezm";

/// Returns the path of the sample with the given stem.
pub fn sample(stem: &str) -> String {
    let file =
        ezmesh::samples().into_iter().map(|sample| sample.file).find(|file| file.starts_with(&format!("{stem}.")));
    format!("data/ezmesh/{}", file.unwrap())
}

/// Returns the smallest text that has everything a mesh needs.
///
/// The caller sets the numbers and the indices.
fn triangle(numbers: &str, indices: &str) -> String {
    format!(
        "<MeshSystem><Meshes count=\"1\"><Mesh name=\"t\" submesh_count=\"1\">\
         <vertexbuffer count=\"3\" ctype=\"fff\" semantic=\"position\">{numbers}</vertexbuffer>\
         <MeshSection material=\"m\"><indexbuffer triangle_count=\"1\">{indices}</indexbuffer></MeshSection>\
         </Mesh></Meshes></MeshSystem>"
    )
}

fn entry(arguments: &[&str]) -> Value {
    json(&meshpeek(arguments))["files"][0].clone()
}

fn values(arguments: &[&str]) -> Value {
    let output = meshpeek(&[arguments, &["--json"]].concat());
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    json(&output)["values"].clone()
}

/// Reads floats that the program printed in the shortest form that parses to the same value.
#[allow(clippy::as_conversions, clippy::cast_possible_truncation, reason = "converts back to the original type")]
fn floats(list: &Value) -> Vec<f32> {
    list.as_array().unwrap().iter().map(|float| float.as_f64().unwrap() as f32).collect()
}

#[test]
fn tells_what_the_file_says_beside_what_is() {
    let told = entry(&["info", FLAG, "--json"]);
    assert_eq!((told["format"].as_str(), told["version"].as_str()), (Some("ezmesh"), Some("ezm MeshSystem")));
    let properties = &told["properties"];
    let material = &properties["materials"][0];
    assert!(material["meta_data"].as_str().unwrap().contains("%20"), "{material}");
    assert!(!material["meta_data_decoded"].as_str().unwrap().contains("%20"), "{material}");
    assert_eq!(properties["skeletons"][0]["bones"], json!(told["bones"].as_array().unwrap().len()));
    assert!(told["clips"][0]["rate"].is_null() && !properties["animations"][0]["duration"].is_null());
    assert_eq!(told["surfaces"][0]["section"], 0);
    assert_eq!(entry(&["info", LEGACY, "--json"])["version"], "ezm Mesh");
}

#[test]
fn dumps_every_attribute() {
    let system = Mesh::open(std::fs::read(FLAG).unwrap()).unwrap();
    let buffer = system.mesh(0).unwrap().vertex_buffer().unwrap().unwrap();
    let count = usize::try_from(buffer.count()).unwrap();
    for attribute in ["positions", "normals", "tangents", "bitangents", "uv0", "colors", "weights", "radius", "interp1"]
    {
        for raw in [&[][..], &["--raw"]] {
            let dumped = values(&[&["dump", FLAG, "--attribute", attribute], raw].concat());
            assert_eq!(dumped.as_array().unwrap().len(), count, "{attribute} {raw:?}");
        }
    }
    let vertices = buffer.vertices().unwrap();
    let column = buffer.format().column(Semantic::Radius).unwrap();
    let Some(VertexValue::Float(radius)) = vertices.column_values(column, 1).next() else { panic!() };
    assert_eq!(floats(&values(&["dump", FLAG, "--attribute", "radius", "--range", "1"])), [radius]);
    let weights = values(&["dump", FLAG, "--attribute", "weights"]);
    let raw = values(&["dump", FLAG, "--attribute", "weights", "--raw"]);
    assert!(raw.as_array().unwrap().iter().all(|lanes| lanes.as_array().unwrap().len() == 4));
    let keep = |lanes: &Value| lanes.as_array().unwrap().iter().filter(|lane| lane[1] != 0.0).cloned().collect();
    let masked: Vec<Value> = raw.as_array().unwrap().iter().map(keep).collect();
    assert_eq!(weights, Value::Array(masked));
    let color = values(&["dump", FLAG, "--attribute", "colors", "--range", "0", "--raw"])[0].as_u64().unwrap();
    let [alpha, red, green, blue] = u32::try_from(color).unwrap().to_be_bytes().map(|code| f32::from(code) / 255.0);
    let decoded = values(&["dump", FLAG, "--attribute", "colors", "--range", "0"]);
    assert_eq!(floats(&decoded[0]), [red, green, blue, alpha]);
    let absent = meshpeek(&["dump", FLAG, "--attribute", "interp8"]);
    assert_eq!(code(&absent), 2);
}

#[test]
fn puts_bones_where_a_frame_has_them() {
    let system = Mesh::open(std::fs::read(FLAG).unwrap()).unwrap();
    let mut pose = vec![meshpeek::model::Transform::default(); system.bone_count().unwrap()];
    for frame in 0..system.clip(0).unwrap().frames {
        system.pose(0, usize::try_from(frame).unwrap(), &mut pose).unwrap();
        let told = json(&meshpeek(&["dump", FLAG, "--pose", &frame.to_string(), "--json"]));
        assert_eq!((told["clip"].as_u64(), told["pose"].as_u64()), (Some(0), Some(frame.into())));
        for (bone, (one, name)) in pose.iter().zip(told["bones"].as_array().unwrap()).enumerate() {
            assert_eq!(name["name"], system.bone(bone).unwrap().name.to_string());
            let parts = ["position", "rotation", "scale"].map(|part| floats(&name[part]));
            assert_eq!(parts, [one.position.to_vec(), one.rotation.to_vec(), one.scale.to_vec()]);
        }
    }
    for arguments in [["--pose", "99"], ["--clip", "1"]] {
        let refused = meshpeek(&[&["dump", FLAG, "--pose", "0"][..2], &arguments, &["--json"]].concat());
        assert_eq!(code(&refused), 2, "{arguments:?}: {}", text(&refused.stdout));
    }
    let text = text(&meshpeek(&["dump", FLAG, "--pose", "1"]).stdout);
    assert_eq!(text.lines().count(), system.bone_count().unwrap());
}

#[test]
fn names_a_picture_under_a_meshs_name() {
    let (_folder, path) = scratch("picture.ezm", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    let output = meshpeek(&["info", &path]);
    assert_eq!(code(&output), 3);
    assert!(text(&output.stderr).contains("PNG"), "{}", text(&output.stderr));
    let checked = entry(&["validate", &path, "--json"]);
    let rules: Vec<&str> =
        checked["findings"].as_array().unwrap().iter().map(|it| it["rule"].as_str().unwrap()).collect();
    assert_eq!(rules, ["IO01"]);
    let (_folder, path) = scratch("page.ezm", b"<html><body>404</body></html>");
    let output = meshpeek(&["info", &path]);
    assert!(text(&output.stderr).contains("an HTML page"), "{}", text(&output.stderr));
    let (_folder, path) = scratch("binary.ezm", &std::fs::read("data/ezmesh/flag101.ezb").unwrap());
    assert_eq!(entry(&["info", &path, "--json"])["version"], "ezb 101");
}

#[test]
fn describes_what_is_whole_of_a_damaged_file() {
    let (_folder, path) = scratch("short.ezm", triangle("0 0 0 1 0 0", "0 1 2").as_bytes());
    let output = meshpeek(&["info", &path, "--json"]);
    let told = &json(&output)["files"][0];
    assert_eq!((code(&output), &told["surfaces"][0]["vertices"]), (0, &json!(3)));
    assert_eq!((&told["findings"][0]["rule"], &told["surfaces"][0]["triangles"]), (&json!("EZ06"), &json!(1)));
    let dumped = meshpeek(&["dump", &path]);
    assert_eq!(code(&dumped), 3);
    assert!(
        text(&dumped.stderr).contains("expected 9 numbers, 3 vertices of 3 each, found 6"),
        "{}",
        text(&dumped.stderr)
    );
    assert_eq!(values(&["dump", &path, "--attribute", "indices"]), json!([0, 1, 2]));
}

#[test]
fn strictly_refuses_more_numbers_than_are_counted() {
    let (_folder, path) = scratch("more.ezm", triangle("0 0 0 1 0 0 0 1 0 5 5 5", "0 1 2").as_bytes());
    assert_eq!(values(&["dump", &path]), json!([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]));
    assert_eq!(entry(&["validate", &path, "--json"])["findings"][0]["rule"], "EZ08");
    assert_eq!(code(&meshpeek(&["dump", &path, "--strict"])), 3);
}

#[test]
fn refuses_to_lose_what_it_cannot_write() {
    let spelled = triangle("0 0 0 1 0 0 0 1 0", "0 1 2").replace("<Meshes", "<!-- by hand --><Meshes");
    let (folder, path) = scratch("comment.ezm", spelled.as_bytes());
    let out = folder.path().join("out.ezm");
    let out = out.to_str().unwrap();
    let refused = meshpeek(&["rewrite", &path, "-o", out]);
    assert_eq!((code(&refused), std::path::Path::new(out).exists()), (2, false));
    let written = json(&meshpeek(&["rewrite", &path, "-o", out, "--allow-loss", "--json"]));
    assert_eq!((&written["changes"][0]["rule"], &written["identical"]), (&json!("EZ40"), &json!(false)));
    assert_eq!(values(&["dump", out]), values(&["dump", &path]));
}

/// Rewrites a file, and returns the exit code, and the rules of the listed changes with
/// `--allow-loss`.
fn rewritten(name: &str, bytes: &[u8]) -> (i32, Vec<String>) {
    let (folder, path) = scratch(name, bytes);
    let out = folder.path().join("out");
    let out = out.to_str().unwrap();
    let plain = meshpeek(&["rewrite", &path, "-o", out]);
    assert_eq!(code(&plain) == 0, std::path::Path::new(out).exists(), "{}", text(&plain.stderr));
    let allowed = json(&meshpeek(&["rewrite", &path, "-o", out, "--force", "--allow-loss", "--json"]));
    let rules = allowed["changes"].as_array().unwrap().iter().map(|change| change["rule"].as_str().unwrap().to_owned());
    (code(&plain), rules.collect())
}

#[test]
fn rewriting_loses_no_unknown_parent_silently() {
    let file = sample("flag101");
    let bytes = std::fs::read(&file).unwrap();
    assert_eq!(rewritten("same.ezb", &bytes), (0, Vec::new()));
    let map = json(&meshpeek(&["map", &file, "--json"]));
    let regions = map["regions"].as_array().unwrap().iter();
    let parents: Vec<usize> = regions
        .filter(|region| region["name"].as_str().unwrap().ends_with(".parent"))
        .map(|region| usize::try_from(region["start"].as_u64().unwrap()).unwrap())
        .collect();
    assert!(!parents.is_empty());
    for parent in [99_i32, -2, i32::MIN, i32::MAX] {
        let mut odd = bytes.clone();
        odd[parents[0]..parents[0] + 4].copy_from_slice(&parent.to_be_bytes());
        assert_eq!(rewritten("odd.ezb", &odd), (2, vec!["EZ14".to_owned()]), "{parent}");
    }
    let skeleton = "<Skeletons><Skeleton name='s'><Bone name='a' parent='b'/></Skeleton></Skeletons><Meshes";
    let unknown = triangle("0 0 0 1 0 0 0 1 0", "0 1 2").replace("<Meshes", skeleton);
    let (code, rules) = rewritten("odd.ezm", unknown.as_bytes());
    assert!(code == 2 && rules.contains(&"EZ14".to_owned()), "{rules:?}");
}

#[test]
fn rewriting_lists_numbers_and_blocks_that_are_not_read() {
    let whole = triangle("0 0 0 1 0 0 0 1 0", "0 1 2");
    let boxes = "<MeshAABB min='0 0 0' max='1 1 1'/>";
    let keys = "0 0 0 0 0 0 1 1 1 1 0 0 0 0 0 0 1 1 1 1";
    let keys = format!(
        "<Animations><Animation><AnimTrack count='1' has_scale='true'>{keys}</AnimTrack></Animation></Animations>"
    );
    let lossy = [
        ("EZ43", whole.replace("<MeshSection", "<vertexbuffer count='0' ctype='f' semantic='radius'/><MeshSection")),
        ("EZ43", whole.replace("</MeshSection>", "<indexbuffer triangle_count='0'/></MeshSection>")),
        ("EZ43", whole.replace("<vertexbuffer", &format!("{boxes}{boxes}<vertexbuffer"))),
        ("EZ43", whole.replace("<indexbuffer", &format!("{boxes}{boxes}<indexbuffer"))),
        ("EZ43", whole.replace("<Meshes", &format!("{boxes}{boxes}<Meshes"))),
        ("EZ08", whole.replace("<Meshes", &format!("{keys}<Meshes"))),
    ];
    for (rule, file) in lossy {
        let (code, rules) = rewritten("odd.ezm", file.as_bytes());
        assert!(code == 2 && rules.contains(&rule.to_owned()), "{code} {rules:?} for {file}");
    }
}

#[test]
fn rewrites_every_dialect_as_the_usual_one() {
    for stem in ["crate", "flag", "legacy"] {
        let path = format!("data/ezmesh/{stem}.ezm");
        let (_folder, out) = scratch("out.ezm", b"");
        let output = meshpeek(&["rewrite", &path, "-o", &out, "--force"]);
        assert_eq!(code(&output), 0, "{}", text(&output.stderr));
        assert_eq!(entry(&["info", &out, "--json"])["version"], "ezm MeshSystem");
        let surfaces = entry(&["info", &path, "--json"])["surfaces"].as_array().unwrap().len();
        for surface in (0..surfaces).map(|surface| surface.to_string()) {
            for attribute in ["positions", "normals", "uv0", "weights", "indices", "interp1"] {
                let dumped = |path: &str| {
                    let output = meshpeek(&["dump", path, "--surface", &surface, "--attribute", attribute]);
                    (code(&output), output.stdout)
                };
                assert_eq!(dumped(&out), dumped(&path), "{stem} {surface} {attribute}");
            }
        }
    }
}

#[test]
fn dumps_the_points_of_a_collision_hull() {
    let (_folder, path) = scratch("hull.ezm", ezmesh::raw_files::hull().as_bytes());
    let points = values(&["dump", &path, "--attribute", "hull"]);
    assert_eq!(points, json!([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0]]));
    let beyond = meshpeek(&["dump", &path, "--attribute", "hull", "--surface", "1"]);
    assert_eq!(code(&beyond), 2);
    assert!(text(&beyond.stderr).contains("hull[1]"), "{}", text(&beyond.stderr));
    let (_folder, cut) = scratch("cut.ezm", ezmesh::raw_files::hull().replace("0 2 0,", "0 2").as_bytes());
    assert_eq!(code(&meshpeek(&["dump", &cut, "--attribute", "hull"])), 3);
}

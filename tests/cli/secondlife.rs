//! Tests of the program with Second Life meshes.

use meshpeek::secondlife::{AssetPart, Lod, Mesh};
use meshpeek::{Array, MeshFile as _};
use serde_json::{Value, json};

use super::{code, json, meshpeek, scratch, text};
use crate::support::secondlife;
use crate::support::secondlife::raw_assets;

/// Returns the path of the sample with the given stem.
pub fn sample(stem: &str) -> String {
    let file =
        secondlife::samples().into_iter().map(|sample| sample.file).find(|file| file.starts_with(&format!("{stem}.")));
    format!("data/secondlife/{}", file.unwrap())
}

fn entry(arguments: &[&str]) -> Value {
    json(&meshpeek(arguments))["files"][0].clone()
}

fn names(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect()
}

#[test]
fn inflates_only_what_it_is_asked_for() {
    let arm = sample("arm");
    let header = Mesh::open(secondlife::bytes("arm.llmesh")).unwrap().header().unwrap().len();
    let none = entry(&["info", &arm, "--json", "--lod", "none"]);
    assert_eq!((none["touched_bytes"].as_u64(), &none["surfaces"]), (Some(header), &json!([])));
    assert_eq!(none["properties"]["inflated"], json!([]));
    assert!(none["lods"].as_array().unwrap().iter().all(|lod| lod["inflated_bytes"].is_null()));
    let low = entry(&["info", &arm, "--json", "--lod", "low"]);
    assert_eq!(low["properties"]["inflated"], json!(["low_lod", "physics_convex", "skin"]));
    assert!(low["surfaces"].as_array().unwrap().iter().all(|surface| surface["lod"] == "low_lod"));
    let blocks = low["properties"]["blocks"].as_array().unwrap();
    let looked_at = blocks.iter().filter(|block| !block["inflated_bytes"].is_null());
    let looked_at: u64 = looked_at.map(|block| block["bytes"].as_u64().unwrap()).sum();
    assert_eq!(low["touched_bytes"].as_u64(), Some(header + looked_at));
    let all = entry(&["info", &arm, "--json", "--lod", "all"]);
    assert_eq!(names(&all["lods"]), ["high_lod", "medium_lod", "low_lod", "lowest_lod"]);
    assert!(all["lods"].as_array().unwrap().iter().all(|lod| lod["triangles"].as_u64() > Some(0)));
    assert_eq!(entry(&["info", &arm, "--json"])["surfaces"][0]["lod"], "high_lod");
}

#[test]
fn counts_the_triangles_of_all_levels() {
    let arm = entry(&["info", &sample("arm"), "--json"]);
    let triangles = |lods: &Value| -> Vec<u64> {
        lods.as_array().unwrap().iter().map(|lod| lod["triangles"].as_u64().unwrap()).collect()
    };
    assert_eq!(triangles(&arm["lods"]), [84, 32, 16, 6]);
    assert_eq!((arm["surfaces"].as_array().unwrap().len(), &arm["triangles"]), (1, &json!(84)));
}

#[test]
fn the_size_is_that_of_the_placed_mesh() {
    // The bind shape matrix of the arm scales the axes by 0.75, 0.5 and 0.5.
    let arm = entry(&["info", &sample("arm"), "--json"]);
    let placed = json!({ "min": arm["placed_bounds"]["min"], "max": arm["placed_bounds"]["max"] });
    assert_eq!((&arm["drawn_bounds"], arm["bounds"]["max"][0].as_f64()), (&placed, Some(0.5)));
    assert_eq!([&placed["min"][0], &placed["max"][0], &placed["max"][1]], [-0.375, 0.375, 0.0625]);
    let size = text(&meshpeek(&["info", &sample("arm"), "--fields", "size"]).stdout);
    assert!(size.contains("size       0.125 x 0.1083 x 0.75 (width y, height z, depth x"), "{size}");
    let listed = json(&meshpeek(&["ls", &sample("arm"), "--columns", "size_x", "--json"]));
    assert_eq!(listed["files"][0]["size_x"], 0.75, "{listed}");

    let ray = |options: &[&str]| {
        let ray = ["query", &sample("arm"), "ray", "--from=0.2,0,9", "--direction=0,0,-1", "--json"];
        json(&meshpeek(&[&ray[..], options].concat()))["point"].clone()
    };
    let stored = ray(&[])[2].as_f64().unwrap();
    let found = ray(&["--placed"])[2].as_f64().unwrap();
    let highest = placed["max"][2].as_f64().unwrap();
    assert!(found > 0.0 && found <= highest && stored > highest, "{stored}, {found}, {placed}");
}

#[test]
fn the_best_whole_level_is_described_in_place_of_a_damaged_one() {
    let mut bytes = std::fs::read(sample("arm")).unwrap();
    let place = Mesh::open(bytes.clone()).unwrap().view().stored(AssetPart::HighLod).unwrap().unwrap().0;
    let middle = usize::try_from(u64::midpoint(place.start, place.end)).unwrap();
    bytes[middle] ^= 0x55;
    let (_folder, path) = scratch("damaged.llmesh", &bytes);
    let described = entry(&["info", &path, "--json"]);
    assert_eq!((&described["triangles"], &described["surfaces"][0]["lod"]), (&json!(32), &json!("medium_lod")));
    assert!(described["findings"].as_array().unwrap().iter().any(|finding| finding["rule"] == "SL05"));
    let printed = text(&meshpeek(&["info", &path]).stdout);
    assert!(printed.contains("level      medium_lod, because high_lod is damaged: "), "{printed}");
    assert_eq!(json(&meshpeek(&["ls", &path, "--json"]))["files"][0]["triangles"], 32);
    let chosen = entry(&["info", &path, "--json", "--lod", "high"]);
    assert_eq!((&chosen["triangles"], chosen["surfaces"].as_array().unwrap().len()), (&json!(0), 0));
    for out in ["out.png", "out.glb", "out.html"] {
        let verb = if out == "out.glb" { "convert" } else { "view" };
        let out = std::path::Path::new(&path).with_file_name(out).to_string_lossy().into_owned();
        let taken = meshpeek(&[verb, &path, "-o", &out]);
        assert_eq!(code(&taken), 0, "{}", text(&taken.stderr));
        assert!(text(&taken.stderr).contains("high_lod, which is damaged"), "{out}: {}", text(&taken.stderr));
        let asked = meshpeek(&[verb, &path, "-o", &out, "--force", "--lod", "high"]);
        assert_eq!(code(&asked), 3, "{out}: {}", text(&asked.stderr));
    }
}

#[test]
fn a_level_or_a_skin_with_a_damaged_entry_in_the_header_is_named() {
    let stored = std::fs::read(sample("arm")).unwrap();
    let damaged = |key: &str| {
        let find = |from: usize, name: &[u8]| {
            from + stored[from..].windows(name.len()).position(|window| window == name).unwrap()
        };
        let number = find(find(0, key.as_bytes()), b"offset") + "offseti".len();
        let mut bytes = stored.clone();
        bytes[number] = 0xff;
        scratch("damaged.llmesh", &bytes)
    };
    let (folder, path) = damaged("high_lod");
    let printed = text(&meshpeek(&["info", &path]).stdout);
    assert!(printed.contains("level      medium_lod, because high_lod is damaged: "), "{printed}");
    for (verb, out) in [("view", "out.png"), ("convert", "out.glb")] {
        let out = folder.path().join(out);
        let taken = meshpeek(&[verb, &path, "-o", out.to_str().unwrap()]);
        let told = text(&taken.stderr);
        assert!(code(&taken) == 0 && told.contains("high_lod, which is damaged"), "{told}");
    }
    let (folder, path) = damaged("skin");
    let out = folder.path().join("out.png");
    let told = text(&meshpeek(&["view", &path, "-o", out.to_str().unwrap()]).stderr);
    assert!(told.contains("not in the picture: the skin, which is damaged"), "{told}");
}

#[test]
fn a_ray_meets_the_front_of_a_mirrored_instance() {
    // The only instance scales x by -2, and moves the mesh by 4 along z.
    let mut transform = [0.0; 16];
    (transform[0], transform[5], transform[10], transform[14], transform[15]) = (-2.0, 1.0, 1.0, 4.0, 1.0);
    let file = secondlife::Container {
        name: "mirror".to_owned(),
        assets: vec![secondlife::bytes("quad.llmesh")],
        instances: vec![secondlife::Instance { transform, ..Default::default() }],
    };
    let (_folder, path) = scratch("mirror.slm", &file.to_bytes());
    let ray = |options: &[&str]| {
        let ray = ["query", &path, "ray", "--from=0.2,0.1,9", "--direction=0,0,-1", "--json"];
        json(&meshpeek(&[&ray[..], options].concat()))
    };
    let (stored, placed, all) = (ray(&[]), ray(&["--placed"]), ray(&["--placed", "--all"]));
    assert_eq!((&stored["front"], &placed["front"]), (&json!(true), &json!(true)), "{placed}");
    assert_eq!(
        (&placed["geometric_normal"][2], &all["hits"][0]["front"]),
        (&stored["geometric_normal"][2], &json!(true)),
        "{all}"
    );
    let raised = placed["point"][2].as_f64().unwrap() - stored["point"][2].as_f64().unwrap();
    assert!((raised - 4.0).abs() < 1e-5, "{stored}, {placed}");
}

#[test]
fn shows_what_a_viewer_would_where_a_level_is_missing() {
    let asset = Mesh::open(secondlife::bytes("quad.llmesh")).unwrap();
    let mut edit = meshpeek::secondlife::Edit::of(asset.view()).unwrap();
    edit.remove(AssetPart::MediumLod).remove(AssetPart::HighLod);
    let (folder, path) = scratch("two.llmesh", &edit.to_bytes().unwrap());
    assert_eq!(entry(&["info", &path, "--json"])["surfaces"][0]["lod"], "low_lod");
    assert_eq!(entry(&["info", &path, "--json", "--lod", "lowest"])["surfaces"][0]["lod"], "lowest_lod");
    let missing = meshpeek(&["dump", &path, "--lod", "medium"]);
    assert_eq!(code(&missing), 2);
    assert!(text(&missing.stderr).contains("low, lowest"), "{}", text(&missing.stderr));
    let dumped = |arguments: &[&str]| meshpeek(&[&["dump", &path][..], arguments].concat()).stdout;
    assert_eq!(dumped(&[]), dumped(&["--lod", "low"]));
    let out = folder.path().join("out.llmesh");
    let out = out.to_str().unwrap();
    let refused = meshpeek(&["lod", &path, "--lod", "high", "-o", out]);
    assert_eq!((code(&refused), std::path::Path::new(out).exists()), (2, false));
    assert!(text(&refused.stderr).contains("low, lowest"), "{}", text(&refused.stderr));
    let nearest = json(&meshpeek(&["lod", &path, "--lod", "medium", "--nearest", "-o", out, "--json"]));
    assert_eq!(nearest["lod"], "low_lod");
}

#[test]
fn makes_an_asset_of_one_level() {
    for stem in ["arm", "rock", "quad"] {
        let path = sample(stem);
        let original = Mesh::open(std::fs::read(&path).unwrap()).unwrap();
        for lod in Lod::ALL.into_iter().filter(|lod| original.header().unwrap().block(lod.part()).unwrap().is_some()) {
            let output = meshpeek(&["lod", &path, "--lod", lod.name(), "-o", "-"]);
            assert_eq!(code(&output), 0);
            let alone = Mesh::open(output.stdout).unwrap();
            assert_eq!(alone.header().unwrap().lods().collect::<Vec<_>>(), [Lod::High]);
            let stored =
                |mesh: &Mesh<Vec<u8>>, part| mesh.view().stored(part).unwrap().map(|(_, bytes)| bytes.to_vec());
            assert_eq!(stored(&alone, AssetPart::HighLod), stored(&original, lod.part()));
            assert_eq!(stored(&alone, AssetPart::Skin), stored(&original, AssetPart::Skin));
            assert_eq!(stored(&alone, AssetPart::PhysicsConvex), stored(&original, AssetPart::PhysicsConvex));
            alone.validate(&mut |finding| assert_eq!(finding.severity, meshpeek::Severity::Info, "{finding}")).unwrap();
        }
    }
}

#[test]
fn describes_the_assets_of_a_container() {
    let model = sample("model");
    let told = entry(&["info", &model, "--json"]);
    let members = told["properties"]["members"].as_array().unwrap();
    assert_eq!((told["version"].as_str(), members.len()), (Some("slm"), 2));
    assert!(told["surfaces"].as_array().unwrap().iter().any(|surface| surface["asset"] == 1));
    let mesh = Mesh::open(std::fs::read(&model).unwrap()).unwrap();
    for (number, asset) in mesh.assets().enumerate() {
        let number = number.to_string();
        let dumped = json(&meshpeek(&["dump", &model, "--asset", &number, "--json"]));
        let positions = asset.level(Lod::High).unwrap().submesh(0).unwrap().positions().unwrap();
        assert_eq!(dumped["values"].as_array().unwrap().len(), positions.len());
        let alone = meshpeek(&["lod", &model, "--asset", &number, "--lod", "lowest", "-o", "-"]);
        assert_eq!(
            Mesh::open(alone.stdout).unwrap().level(Lod::High).unwrap().len(),
            asset.level(Lod::Lowest).unwrap().len()
        );
    }
    let beyond = meshpeek(&["dump", &model, "--asset", "2"]);
    assert_eq!(code(&beyond), 2);
    assert!(text(&beyond.stderr).contains("asset[2]"), "{}", text(&beyond.stderr));
}

#[test]
fn dumps_stored_and_decoded_values() {
    let arm = sample("arm");
    let mesh = Mesh::open(std::fs::read(&arm).unwrap()).unwrap();
    let submesh = mesh.level(Lod::Medium).unwrap().submesh(0).unwrap();
    let dump = |attribute: &str, raw: bool| {
        let mut arguments = vec!["dump", &arm, "--lod", "medium", "--attribute", attribute, "--json"];
        arguments.extend(raw.then_some("--raw"));
        json(&meshpeek(&arguments))["values"].clone()
    };
    let codes = |bytes: &[u8], width: usize| {
        let codes: Vec<u16> = bytes.as_chunks::<2>().0.iter().map(|code| u16::from_le_bytes(*code)).collect();
        json!(codes.chunks(width).collect::<Vec<_>>())
    };
    assert_eq!(dump("positions", true), codes(submesh.positions().unwrap().as_bytes(), 3));
    assert_eq!(dump("normals", true), codes(submesh.normals().unwrap().unwrap().as_bytes(), 3));
    assert_eq!(dump("uv0", true), codes(submesh.uvs().unwrap().unwrap().as_bytes(), 2));
    let weights = submesh.weights().unwrap().unwrap();
    let stored: Vec<Vec<(i16, u16)>> =
        weights.iter().map(|list| (0..list.len()).map(|one| list.raw(one).unwrap()).collect()).collect();
    assert_eq!(dump("weights", true), json!(stored));
    assert_eq!(dump("indices", false).as_array().unwrap().len(), submesh.triangle_count() * 3);
    let positions = dump("positions", false);
    for (value, position) in positions.as_array().unwrap().iter().zip(submesh.positions().unwrap().iter()) {
        let read: Vec<String> = value.as_array().unwrap().iter().map(ToString::to_string).collect();
        assert!(
            read.iter().zip(position).all(|(read, value)| read.parse::<f32>().unwrap().to_bits() == value.to_bits())
        );
    }
    let tangents = meshpeek(&["dump", &arm, "--attribute", "tangents"]);
    assert_eq!(code(&tangents), 2);
    let physics = json(&meshpeek(&["dump", &sample("ramp"), "--lod", "physics", "--json"]));
    assert_eq!(physics["lod"], "physics_mesh");
}

#[test]
fn tells_of_damage_and_of_the_rest() {
    let mut bytes = secondlife::bytes("quad.llmesh");
    let last = Mesh::open(bytes.clone()).unwrap().header().unwrap().block(AssetPart::HighLod).unwrap().unwrap().end;
    bytes[usize::try_from(last).unwrap() - 1] ^= 1;
    let (_folder, path) = scratch("adler.llmesh", &bytes);
    let output = meshpeek(&["info", &path, "--json", "--lod", "all"]);
    let told = json(&output)["files"][0].clone();
    assert_eq!(code(&output), 0);
    assert!(told["findings"].as_array().unwrap().iter().any(|finding| finding["rule"] == "SL05"));
    assert!(told["surfaces"].as_array().unwrap().iter().any(|surface| surface["lod"] == "low_lod"));
    assert_eq!(code(&meshpeek(&["dump", &path, "--lod", "low"])), 0);
    assert_eq!(code(&meshpeek(&["dump", &path, "--lod", "high"])), 3);
    assert_eq!(code(&meshpeek(&["validate", &path])), 1);
}

#[test]
fn leaves_out_what_is_not_there_only_when_told_to() {
    let whole = Mesh::open(secondlife::bytes("ramp.llmesh")).unwrap();
    let end = whole.header().unwrap().block(AssetPart::PhysicsMesh).unwrap().unwrap().end;
    let cut = &secondlife::bytes("ramp.llmesh")[..usize::try_from(end).unwrap() - 1];
    let (_folder, path) = scratch("cut.llmesh", cut);
    let refused = meshpeek(&["lod", &path, "--lod", "low", "-o", "-"]);
    assert_eq!((code(&refused), refused.stdout.len()), (2, 0));
    assert!(text(&refused.stderr).contains("physics_mesh") && text(&refused.stderr).contains("--allow-loss"));
    let given = meshpeek(&["lod", &path, "--lod", "low", "-o", "-", "--allow-loss"]);
    assert!(text(&given.stderr).contains("left out"));
    let alone = Mesh::open(given.stdout).unwrap();
    assert!(alone.header().unwrap().block(AssetPart::PhysicsMesh).unwrap().is_none());
    assert!(alone.level(Lod::High).is_ok());
}

#[test]
fn tells_each_fault_of_a_container_once_and_where() {
    let mut bytes = secondlife::bytes("model.slm");
    let whole = Mesh::open(bytes.clone()).unwrap();
    let end = whole.assets().nth(1).unwrap().header().unwrap().block(AssetPart::HighLod).unwrap().unwrap().end;
    bytes[usize::try_from(end).unwrap() - 1] ^= 1;
    let (_folder, path) = scratch("model.slm", &bytes);
    for verb in ["info", "validate"] {
        let told = entry(&[verb, &path, "--json"]);
        let faults = told["findings"].as_array().unwrap().iter().filter(|finding| finding["severity"] == "error");
        let faults: Vec<(&Value, &Value)> = faults.map(|finding| (&finding["rule"], &finding["region"])).collect();
        assert_eq!(faults, [(&json!("SL05"), &json!("asset[1].high_lod"))], "{verb}");
    }
}

#[test]
fn describes_no_more_than_can_be_looked_at() {
    let entry_of = |offset: i32, size: i32| {
        raw_assets::map(&[("offset", raw_assets::integer(offset)), ("size", raw_assets::integer(size))])
    };
    let placeholder = raw_assets::map(&[("NoGeometry", b"1".to_vec())]);
    let stored = raw_assets::zlib(&raw_assets::array(&vec![placeholder; 10_000]));
    let size = i32::try_from(stored.len()).unwrap();
    let bytes = [raw_assets::map(&[("high_lod", entry_of(0, size))]), stored].concat();
    let (_folder, path) = scratch("many.llmesh", &bytes);
    let told = entry(&["info", &path, "--json"]);
    assert_eq!(told["surfaces"].as_array().unwrap().len(), 4096);
    assert_eq!(told["properties"]["left_out"], json!({ "members": 0, "surfaces": 5904 }));
    assert_eq!(told["lods"][0]["submeshes"], 10_000);
}

#[test]
fn shows_the_header_of_a_newer_version() {
    let (_folder, path) = scratch("newer.llmesh", &raw_assets::newer_asset());
    let output = meshpeek(&["info", &path, "--json"]);
    let told = json(&output)["files"][0].clone();
    assert_eq!((code(&output), told["error"]["kind"].as_str()), (3, Some("unsupported")));
    assert_eq!(told["properties"]["version"], 1000);
}

#[test]
fn says_what_is_wrong_with_a_file_that_only_claims_to_be_one() {
    let (_folder, path) = scratch("array.llmesh", b"[\0\0\0\0]");
    let output = meshpeek(&["info", &path]);
    assert_eq!(code(&output), 3);
    assert!(text(&output.stderr).contains("a map as the header, found an array"), "{}", text(&output.stderr));
    for arguments in [
        &["dump", "data/unigine/cube_ms13.mesh", "--lod", "low"][..],
        &["dump", "data/unigine/cube_ms13.mesh", "--asset", "0"],
        &["lod", "data/unigine/cube_ms13.mesh", "--lod", "low", "-o", "-"],
    ] {
        let output = meshpeek(arguments);
        assert_eq!(code(&output), 2, "{arguments:?}");
        assert!(text(&output.stderr).contains("Second Life"), "{}", text(&output.stderr));
    }
    // A text that begins with a brace is not a Second Life mesh.
    let (_folder, path) = scratch("text.json", b"{\"high_lod\": 1}");
    assert!(text(&meshpeek(&["info", &path]).stderr).contains("a JSON document"));
}

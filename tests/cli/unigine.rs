//! Tests of the program with UNIGINE's animations and compressed meshes.

use crate::support::unigine::builder;
use meshpeek::model::Transform;
use meshpeek::unigine::{Animation, Generation, Mesh};
use serde_json::{Value, json};

use super::support::unigine::grid;
use super::support::unigine::raw_blocks::with_leaf_box;
use super::{code, json, meshpeek, sample, scratch, text};

const BEND: &str = "data/unigine/bend_an10.anim";
const WAVE: &str = "data/unigine/wave_an10.anim";
const RATED: &str = "data/unigine/wave_an13.anim";
const SKINNED: &str = "data/unigine/skinned_ms12.mesh";
const ROOM: &str = "data/unigine/room_ms14.mesh";

fn entry(arguments: &[&str]) -> Value {
    let output = meshpeek(&[arguments, &["--json"]].concat());
    json(&output)["files"][0].clone()
}

fn dumped(arguments: &[&str]) -> Value {
    let output = meshpeek(&[&["dump", "--json"], arguments].concat());
    assert_eq!(code(&output), 0, "{arguments:?}: {}", text(&output.stderr));
    json(&output)
}

fn refused(arguments: &[&str], expected: i32, says: &str) {
    let output = meshpeek(arguments);
    let said = text(&output.stderr);
    assert_eq!(code(&output), expected, "{arguments:?}: {said}");
    assert!(said.contains(says), "{arguments:?}: {said}");
}

/// Returns the transforms of the bones that the program printed.
#[allow(clippy::as_conversions, clippy::cast_possible_truncation, reason = "converts back to the original type")]
fn bones(document: &Value) -> Vec<Transform> {
    let floats = |list: &Value| -> Vec<f32> {
        list.as_array().unwrap().iter().map(|float| float.as_f64().unwrap() as f32).collect()
    };
    let three = |list: &Value| <[f32; 3]>::try_from(floats(list)).unwrap();
    let bones = document["bones"].as_array().unwrap().iter();
    let bones = bones.map(|bone| Transform {
        position: three(&bone["position"]),
        rotation: <[f32; 4]>::try_from(floats(&bone["rotation"])).unwrap(),
        scale: three(&bone["scale"]),
    });
    bones.collect()
}

/// Returns the transforms of the bones from the library.
fn expected(path: &str, frame: u32) -> Vec<Transform> {
    let file = Animation::open(std::fs::read(path).unwrap()).unwrap();
    let mut pose = vec![Transform::default(); file.bone_count()];
    file.animation(0).unwrap().pose(frame, &mut pose).unwrap();
    pose
}

#[test]
fn prints_any_frame() {
    for stem in ["wave_an10", "wave_an11", "wave_an12", "wave_an13"] {
        let path = sample(stem);
        for frame in [0, 5, 11] {
            let document = dumped(&[&path, "--pose", &frame.to_string()]);
            assert_eq!(bones(&document), expected(&path, frame), "{stem} {frame}");
            assert_eq!((&document["pose"], &document["clip"]), (&json!(frame), &json!(0)));
        }
        refused(&["dump", &path, "--pose", "12"], 2, "expected a number below 12");
    }
    let embedded = dumped(&[SKINNED, "--clip", "0", "--pose", "1"]);
    assert_eq!(embedded["bones"].as_array().unwrap().len(), 2);
    refused(&["dump", SKINNED, "--clip", "1", "--pose", "0"], 2, "animation[1]");
    refused(&["dump", &sample("still_an11"), "--pose", "0"], 2, "no frames");
}

#[test]
fn goes_between_frames_where_it_is_told_to() {
    let [before, after] = [5, 6].map(|frame| expected(WAVE, frame));
    let between = bones(&dumped(&[WAVE, "--pose", "5.25"]));
    for ((before, after), found) in before.iter().zip(&after).zip(&between) {
        assert_eq!(*found, before.interpolate(after, 0.25));
    }
    // Frame 5.25 of a file without a rate, and of a file with a rate of 30.
    assert_eq!(bones(&dumped(&[WAVE, "--time", "0.525", "--rate", "10"])), between);
    refused(
        &["dump", WAVE, "--time", "0.5"],
        2,
        "--time 0.5: the animation has no frame rate; give one, such as --rate 30",
    );
    let own = dumped(&[RATED, "--time", "0.2", "--rate", "1000"]);
    assert_eq!(bones(&own), bones(&dumped(&[RATED, "--pose", "6"])));
    assert_eq!((&own["time"], &own["rate"]), (&json!(0.2), &json!(30.0)));
    refused(&["dump", WAVE, "--pose", "11.5"], 2, "--pose: expected at most 11");
    refused(&["dump", WAVE, "--pose", "0", "--lod", "low"], 2, "does not go with --pose");
    refused(&["dump", WAVE, "--rate", "10"], 2, "--time");
    refused(&["dump", WAVE, "--time", "1", "--rate", "0"], 2, "greater than 0");
}

#[test]
fn puts_poses_on_meshes_and_into_the_model() {
    let own = dumped(&[BEND, "--pose", "1"]);
    let onto = dumped(&[BEND, "--pose", "1", "--onto", SKINNED]);
    // The mesh has the same bones.
    assert_eq!(onto["bones"], own["bones"]);
    assert_eq!(onto["onto"], SKINNED);
    refused(&["dump", WAVE, "--pose", "1", "--onto", SKINNED], 3, "`hand`, `arm`");
    let [own, onto] = [&[BEND, "--pose", "1.5"][..], &[BEND, "--pose", "1.5", "--onto", SKINNED]].map(dumped);
    assert_eq!(onto["bones"], own["bones"]);
    let model = dumped(&[BEND, "--pose", "0", "--model"]);
    let bones = model["bones"].as_array().unwrap();
    assert!(bones.iter().all(|bone| bone["model"].as_array().unwrap().len() == 4), "{model}");
    for stray in ["--model", "--onto"] {
        let arguments = ["dump", SKINNED, stray, SKINNED];
        let count = if stray == "--onto" { 4 } else { 3 };
        refused(&arguments[..count], 2, "needs --pose or --time");
    }
    refused(&["dump", WAVE], 2, "an animation has no surface");
    refused(&["dump", &sample("cube_ms13"), "--pose", "0"], 2, "animation[0]");
}

#[test]
fn tells_animations_beside_their_mesh() {
    let output = meshpeek(&["info", "--json", BEND, SKINNED, WAVE]);
    let files = json(&output)["files"].clone();
    let paths: Vec<&str> = files.as_array().unwrap().iter().map(|file| file["path"].as_str().unwrap()).collect();
    assert_eq!(paths, [BEND, SKINNED, WAVE]);
    let mesh = &files[0]["properties"]["mesh"];
    assert_eq!((&mesh["path"], &mesh["matched_bones"], &mesh["bones"]), (&json!(SKINNED), &json!(2), &json!(2)));
    // The only mesh is compared with the animation, and the output lists the bones that it lacks.
    let lacking = &files[2]["properties"]["mesh"];
    assert_eq!((&lacking["matched_bones"], &lacking["lacking_bones"][0]), (&json!(1), &json!("hand")));
    let words = text(&meshpeek(&["info", BEND, SKINNED]).stdout);
    assert!(words.contains("moves      data/unigine/skinned_ms12.mesh has 2 of 2 bones"), "{words}");
    assert!(words.find(SKINNED) < words.find(BEND), "the animation is printed after the mesh: {words}");
}

#[test]
fn tells_what_an_animation_says_of_itself() {
    let wave = entry(&["info", WAVE]);
    assert_eq!((&wave["version"], &wave["surfaces"]), (&json!("an10"), &json!([])));
    let moved = ["hand", "arm", "root", "хвост"];
    assert_eq!(
        wave["clips"],
        json!([{ "name": "wave", "frames": 12, "bones": 4, "rate": null, "seconds": null, "moved_bones": moved }])
    );
    let animation = &wave["properties"]["animations"][0];
    assert_eq!((&animation["flags"], &animation["interval"]), (&json!(127), &json!(64)));
    assert_eq!(animation["position_box"]["size"][0], 1.25);
    let rated = entry(&["info", RATED]);
    assert_eq!(rated["clips"][0]["rate"], json!(30.0));
    let told = &rated["properties"];
    assert_eq!(told["skeleton_guid"].as_str().unwrap().len(), 40);
    assert_eq!((&told["root_motion"], &told["unknown"]), (&json!(0), &json!("0".repeat(24))));
    assert_eq!(
        entry(&["info", SKINNED])["properties"]["animations"],
        json!([{ "name": "bend", "flags": 15, "position_box": null, "scale_box": null, "interval": 64, "index_bytes": 0 }])
    );
}

#[test]
fn inflates_what_it_is_asked_for() {
    let [all, none] = [&["info", ROOM][..], &["info", ROOM, "--lod", "none"]].map(entry);
    let touched = |entry: &Value| entry["touched_bytes"].as_u64().unwrap();
    assert!(touched(&none) < touched(&all));
    for (known, told) in all["surfaces"].as_array().unwrap().iter().zip(none["surfaces"].as_array().unwrap()) {
        for field in ["name", "vertices", "corners", "triangles", "morph_targets", "bounds", "geometry_block"] {
            assert_eq!(known[field], told[field], "{field}");
        }
        for field in ["attribute_vertices", "uv_sets", "colors", "weights"] {
            assert!(told[field].is_null() && !known[field].is_null(), "{field}");
        }
        assert_eq!(told["index_widths"], json!([known["index_widths"][0], null]));
    }
    let properties = &all["properties"];
    assert_eq!(properties["leaf_triangles"], 4);
    assert!(properties["memory_estimate"].as_u64().unwrap() > 0);
}

#[test]
fn dumps_trees_and_edges() {
    let mesh = Mesh::open(std::fs::read(ROOM).unwrap()).unwrap();
    let tree = mesh.tree(1).unwrap().unwrap();
    let lengths = [
        ("edges", tree.edges().len()),
        ("tree-corners", tree.corners().len()),
        ("tree-nodes", tree.nodes().len()),
        ("tree-boxes", tree.nodes().len()),
        ("tree-splits", tree.nodes().len()),
    ];
    for (attribute, length) in lengths {
        let values = dumped(&[ROOM, "--surface", "1", "--attribute", attribute])["values"].clone();
        assert_eq!(values.as_array().unwrap().len(), length, "{attribute}");
    }
    let nodes = dumped(&[ROOM, "--surface", "1", "--attribute", "tree-nodes", "--range", "0..1"]);
    let root = tree.nodes()[0];
    assert_eq!(nodes["values"][0], json!([root.axis, root.left, root.right, root.start, root.end]));
    refused(&["dump", &sample("cube_ms13"), "--attribute", "edges"], 2, "surface 0 has no edges");
}

#[test]
fn stores_blocks_as_it_is_told_to() {
    let folder = tempfile::tempdir().unwrap();
    let to = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let [kept, raw, again] = ["kept.mesh", "raw.mesh", "again.mesh"].map(to);
    let rewrite = |from: &str, to: &str, blocks: &str| {
        let output = meshpeek(&["rewrite", from, "-o", to, "--blocks", blocks, "--json"]);
        assert_eq!(code(&output), 0, "{}", text(&output.stderr));
        json(&output)["identical"].as_bool().unwrap()
    };
    assert!(rewrite(ROOM, &kept, "kept"));
    assert!(!rewrite(ROOM, &raw, "raw"));
    assert!(rewrite(&raw, &again, "raw"), "a verbatim block stays verbatim");
    assert!(std::fs::metadata(&raw).unwrap().len() > std::fs::metadata(ROOM).unwrap().len());
    for surface in ["0", "1", "2", "3", "4"] {
        for attribute in ["positions", "normals", "indices", "attribute-indices", "tree-boxes", "edges"] {
            let [one, other] = [ROOM, &raw].map(|path| dumped(&[path, "--surface", surface, "--attribute", attribute]));
            assert_eq!(one["values"], other["values"], "{surface} {attribute}");
        }
    }
    assert!(entry(&["info", &raw])["surfaces"][0]["geometry_block"]["verbatim"].as_bool().unwrap());
    // Nothing is compressed, so every array has a named region in the map.
    let map = text(&meshpeek(&["map", &raw]).stdout);
    assert!(map.contains("surface[1].target[0].positions") && map.contains("surface[1].tree.nodes"), "{map}");
    refused(&["rewrite", &sample("cube_ms13"), "-o", &to("x.mesh"), "--blocks", "raw"], 2, "only UNIGINE ms14");
}

#[test]
fn a_damaged_block_keeps_no_other_from_being_read() {
    let mut bytes = std::fs::read(ROOM).unwrap();
    let mesh = Mesh::open(bytes.clone()).unwrap();
    let [geometry, _] = mesh.blocks(0).unwrap().unwrap();
    let at = usize::try_from(geometry.start()).unwrap() + 20;
    bytes[at..at + 40].fill(0xff);
    let (_folder, path) = scratch("damaged.mesh", &bytes);
    refused(&["dump", &path, "--range", "0..1"], 3, "surface[0].geometry");
    dumped(&[&path, "--surface", "1", "--range", "0..1"]);
    let found = entry(&["validate", &path])["findings"].clone();
    let found: Vec<&Value> = found.as_array().unwrap().iter().filter(|found| found["severity"] == "error").collect();
    assert_eq!((found.len(), &found[0]["rule"]), (1, &json!("UG19")), "{found:?}");
    let output = meshpeek(&["info", &path]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("UG19"));
}

#[test]
fn a_loose_leaf_of_a_tree_is_no_failure() {
    let (_folder, raw) = scratch("raw.mesh", b"");
    assert_eq!(code(&meshpeek(&["rewrite", ROOM, "-o", &raw, "--force", "--blocks", "raw"])), 0);
    let sound = std::fs::read(&raw).unwrap();
    for (bytes, severity, expected) in
        [(with_leaf_box(&sound, |_, parent| parent), "info", 0), (with_leaf_box(&sound, |_, _| [0.0; 6]), "warning", 1)]
    {
        std::fs::write(&raw, bytes).unwrap();
        assert_eq!(code(&meshpeek(&["validate", &raw])), expected, "{severity}");
        let found = entry(&["validate", &raw])["findings"].clone();
        let found: Vec<&Value> = found.as_array().unwrap().iter().filter(|found| found["rule"] == "UG21").collect();
        assert!(!found.is_empty() && found.iter().all(|found| found["severity"] == severity), "{found:?}");
        assert_eq!(text(&meshpeek(&["validate", "-q", &raw]).stdout).contains("UG21"), expected == 1);
    }
}

#[test]
fn flags_that_nobody_knows_are_a_finding() {
    let mut bytes = std::fs::read(WAVE).unwrap();
    let keys = Animation::open(bytes.clone()).unwrap().animation(0).unwrap().keys_offset();
    bytes[usize::try_from(keys).unwrap()] |= 0x80;
    let (_folder, path) = scratch("odd.anim", &bytes);
    let output = meshpeek(&["validate", &path]);
    assert_eq!(code(&output), 1);
    assert!(text(&output.stdout).contains(&format!("UG08  animation[0].keys at byte {keys}")), "{output:?}");
    assert_eq!(dumped(&[&path, "--pose", "3"])["bones"], dumped(&[WAVE, "--pose", "3"])["bones"]);
}

/// The names of the surfaces of this sample tell levels of detail and a shadow proxy.
const TREE: &str = "data/unigine/tree_ms12.mesh";

#[test]
fn counts_the_most_detailed_level() {
    let tree = entry(&["info", TREE]);
    assert_eq!(tree["triangles"], 60);
    assert_eq!(
        tree["lods"],
        json!([
            { "name": "lod 0", "bytes": null, "inflated_bytes": null, "surfaces": 5, "triangles": 60 },
            { "name": "lod 1", "bytes": null, "inflated_bytes": null, "surfaces": 4, "triangles": 48 },
        ])
    );
    let surfaces = |entry: &Value, field: &str| -> Vec<Value> {
        entry["surfaces"].as_array().unwrap().iter().map(|surface| surface[field].clone()).collect()
    };
    assert_eq!(
        surfaces(&tree, "lod"),
        [json!(0), json!(0), json!(1), json!(null), json!(null), 0.into(), 0.into(), 1.into()]
    );
    let drawn = |drawn: [u8; 8]| drawn.map(|drawn| Value::from(drawn == 1));
    assert_eq!(surfaces(&tree, "drawn"), drawn([1, 1, 0, 0, 1, 1, 1, 0]));
    for (lod, triangles, shown) in
        [("0", 60, [1, 1, 0, 0, 1, 1, 1, 0]), ("1", 48, [1, 0, 1, 0, 1, 0, 0, 1]), ("7", 48, [1, 0, 1, 0, 1, 0, 0, 1])]
    {
        let found = entry(&["info", TREE, "--lod", lod]);
        assert_eq!(
            (&found["triangles"], surfaces(&found, "drawn")),
            (&json!(triangles), drawn(shown).to_vec()),
            "{lod}"
        );
    }
    assert_eq!(entry(&["info", TREE, "--lod", "all"])["triangles"], 96);
    let row = |arguments: &[&str]| {
        let output = meshpeek(
            &[&["ls", TREE, "--format", "json", "--columns", "triangles,lods,gpu_vertices"], arguments].concat(),
        );
        json(&output)["files"][0].clone()
    };
    assert_eq!(row(&[]), json!({ "triangles": 60, "lods": 2, "gpu_vertices": 5 * 24 }));
    assert_eq!(row(&["--lod", "medium"]), json!({ "triangles": 48, "lods": 2, "gpu_vertices": 4 * 24 }));
}

#[test]
fn lists_the_surfaces_of_one_level() {
    for (lod, listed, triangles) in [
        (&[][..], vec![0, 1, 4, 5, 6], 60),
        (&["--lod", "high"], vec![0, 1, 4, 5, 6], 60),
        (&["--lod", "1"], vec![0, 2, 4, 7], 48),
        (&["--lod", "lowest"], vec![0, 2, 4, 7], 48),
        (&["--lod", "all"], (0..8).collect(), 96),
    ] {
        let found = json(&meshpeek(&[&["ls", TREE, "--surfaces", "--json"], lod].concat()));
        let rows = found["files"].as_array().unwrap().iter();
        let indices: Vec<u64> = rows.map(|row| row["surface"].as_u64().unwrap()).collect();
        assert_eq!((indices, &found["totals"]["triangles"]), (listed, &json!(triangles)), "{lod:?}");
    }
    // A mesh without levels has a row for each surface.
    let rows = json(&meshpeek(&["ls", ROOM, "--surfaces", "--json"]));
    assert_eq!(rows["files"].as_array().unwrap().len(), entry(&["info", ROOM])["surfaces"].as_array().unwrap().len());
}

/// Writes a mesh with one quad for each name, in a new folder.
fn quads(names: &[&str]) -> (tempfile::TempDir, String) {
    let surfaces = names.iter().map(|name| grid(name, 1, false)).collect();
    scratch("quads.mesh", &builder::Mesh { surfaces, ..builder::Mesh::new(Generation::Ms12) }.to_bytes().unwrap())
}

#[test]
fn the_last_level_may_be_a_surface_of_its_own() {
    let (_folder, path) =
        quads(&["fir_bark_lod0", "fir_needles_lod0", "fir_bark_lod1", "fir_needles_lod1", "fir_card_LOD 2"]);
    let levels = |lod: &[&str]| {
        let found = entry(&[&["info", &path], lod].concat());
        (found["triangles"].as_u64().unwrap(), found["lods"].as_array().unwrap().len())
    };
    assert_eq!([&[][..], &["--lod", "1"], &["--lod", "2"]].map(levels), [(4, 3), (4, 3), (2, 3)]);
    let rows = json(&meshpeek(&["ls", &path, "--surfaces", "--json", "--lod", "2"]));
    assert_eq!((&rows["files"][0]["name"], &rows["files"][1]), (&json!("fir_card_LOD 2"), &Value::Null));
    assert_eq!(code(&meshpeek(&["view", &path, "-o", "-", "--size", "32", "--lod", "2"])), 0);
    refused(&["view", &path, "-o", "x.png", "--lod", "3"], 2, "it has lod 0, lod 1, lod 2");
}

#[test]
fn says_what_is_not_drawn_in_any_level() {
    for (names, hidden, triangles) in [
        (&["hull_LOD0", "hull", "hull_LOD1"][..], &["hull", "hull_LOD1"][..], 2),
        (&["hull", "mast", "ship_castshadow"], &["ship_castshadow"], 4),
        (&["hull_lod0", "hull_lod1", "flag_lod1"], &["hull_lod1"], 4),
        (&["shadow_a", "shadow_b"], &[], 4),
    ] {
        let (_folder, path) = quads(names);
        let printed = text(&meshpeek(&["info", &path]).stdout);
        let lines = printed.lines().filter(|line| line.ends_with("not drawn"));
        let found: Vec<&str> = lines.map(|line| line.split_whitespace().nth(1).unwrap()).collect();
        assert_eq!((&*found, &entry(&["info", &path])["triangles"]), (hidden, &json!(triangles)), "{names:?}");
        let rows = json(&meshpeek(&["ls", &path, "--surfaces", "--json"]));
        assert_eq!(rows["totals"]["triangles"], triangles, "{names:?}");
    }
}

/// Returns the names of the objects of an OBJ file that `convert` writes.
fn objects(arguments: &[&str]) -> Vec<String> {
    let (_folder, path) = scratch("tree.obj", b"");
    let output = meshpeek(&[&["convert", TREE, "-o", &path, "--force"], arguments].concat());
    assert_eq!(code(&output), 0, "{arguments:?}: {}", text(&output.stderr));
    let written = std::fs::read_to_string(&path).unwrap();
    written.lines().filter_map(|line| line.strip_prefix("o ")).map(str::to_owned).collect()
}

#[test]
fn takes_away_one_level() {
    let best = ["trunk_lod_0", "leaves_lod_0", "stone", "fruit_LOD0_01", "fruit_LOD0_02"];
    assert_eq!(objects(&[]), best);
    assert_eq!(objects(&["--lod", "high"]), best);
    assert_eq!(objects(&["--lod", "1"]), ["trunk_lod_0", "leaves_lod_1", "stone", "fruit_LOD1_"]);
    assert_eq!(objects(&["--surface", "leaves_shadow"]), ["leaves_shadow"]);
    refused(&["convert", TREE, "-o", "x.obj", "--lod", "2"], 2, "the mesh has no lod 2; it has lod 0, lod 1");
    refused(&["view", ROOM, "-o", "x.png", "--lod", "1"], 2, "the mesh has no levels of detail");

    let (folder, glb) = scratch("tree.gltf", b"");
    assert_eq!(code(&meshpeek(&["convert", TREE, "-o", &glb, "--force", "--lod", "all"])), 0);
    let document: Value = serde_json::from_slice(&std::fs::read(&glb).unwrap()).unwrap();
    let names: Vec<&Value> = document["scenes"].as_array().unwrap().iter().map(|scene| &scene["name"]).collect();
    assert_eq!(names, ["lod 0", "lod 1"]);

    let pictures = [&[][..], &["--lod", "0"], &["--lod", "1"], &["--surface", "0,1,4,5,6"]].map(|arguments| {
        let output = meshpeek(&[&["view", TREE, "-o", "-", "--size", "64"], arguments].concat());
        assert_eq!(code(&output), 0, "{}", text(&output.stderr));
        output.stdout
    });
    assert!(pictures[0] == pictures[1] && pictures[0] == pictures[3] && pictures[0] != pictures[2]);
    drop(folder);
}

#[test]
fn queries_one_level() {
    let hits = |arguments: &[&str]| {
        let ray = ["query", TREE, "ray", "--from", "0.1,0.2,9", "--direction", "0,0,-1", "--all", "--json"];
        let output = meshpeek(&[&ray, arguments].concat());
        assert_eq!(code(&output), 0, "{}", text(&output.stderr));
        let mut hit: Vec<u64> =
            json(&output)["hits"].as_array().unwrap().iter().map(|hit| hit["surface"].as_u64().unwrap()).collect();
        hit.sort_unstable();
        hit.dedup();
        hit
    };
    assert_eq!(hits(&[]), [0, 1]);
    assert_eq!(hits(&["--lod", "1"]), [0, 2]);
    assert_eq!(hits(&["--surface", "3"]), [3]);
    refused(&["query", TREE, "ray", "--from", "0,0,9", "--toward", "0,0,0", "--lod", "5"], 2, "no lod 5");
    refused(&["query", TREE, "ray", "--from", "0,0,9", "--toward", "0,0,0", "--lod", "physics"], 2, "Second Life");
    // All surfaces are compared, each once.
    let output = meshpeek(&["diff", TREE, TREE, "--json"]);
    assert_eq!(code(&output), 0, "{}", text(&output.stdout));
}

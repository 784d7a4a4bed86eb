//! Tests of output files: what the flat formats hold, names, folders and extensions.

use std::fs;
use std::path::Path;

use crate::support::unigine::bytes;
use crate::{code, json, meshpeek, scratch, text};

const GUARD: &str = "data/unreal/guard";
const CUBE: &str = "data/unigine/cube_ms13.mesh";
const TOYS: &str = "data/unreal/Toys/Classes/Toys.uc";

/// A temporary folder, in whose files the commands of a test write.
struct Place(tempfile::TempDir);

impl Place {
    /// Removes all files.
    fn clear(&self) {
        for entry in fs::read_dir(self.0.path()).unwrap() {
            fs::remove_file(entry.unwrap().path()).unwrap();
        }
    }

    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn at(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    fn is_empty(&self) -> bool {
        fs::read_dir(self.0.path()).unwrap().next().is_none()
    }
}

#[test]
fn what_a_format_never_holds_is_one_line() {
    let place = Place::new();
    for (name, line) in [
        ("g.stl", "STL holds triangles only: left out: 3 clips, 9 vertex frames, UVs, materials and names"),
        (
            "g.ply",
            "PLY holds vertices and triangles with one UV set: left out: 3 clips, 9 vertex frames, materials and names",
        ),
        (
            "g.obj",
            "OBJ holds surfaces at rest with one UV set: left out: 3 clips, 9 vertex frames and draw styles of materials",
        ),
    ] {
        let to = place.at(name);
        let arguments = ["convert", GUARD, "-o", &to, "--force"];
        let output = meshpeek(&arguments);
        let notes = text(&output.stderr);
        assert_eq!(code(&output), 0, "{notes}");
        assert_eq!(notes.lines().count(), 1, "{notes}");
        let [start, end] = [line, &notes].map(|line| line.split(": left out: ").next().unwrap().to_owned());
        assert_eq!(start, end);
        assert!(notes.contains("9 vertex frames") && notes.contains("clip"), "{notes}");
        let quiet = meshpeek(&[&arguments[..], &["--quiet"]].concat());
        assert_eq!((code(&quiet), text(&quiet.stderr)), (0, String::new()));
        let verbose = text(&meshpeek(&[&arguments[..], &["-v"]].concat()).stderr);
        assert!(verbose.contains("guard: not in the output: 9 vertex frames\n"), "{verbose}");
        assert!(verbose.ends_with(&notes), "{verbose}");
        let listed = json(&meshpeek(&[&arguments[..], &["--json"]].concat()));
        let losses = listed["files"][0]["losses"].as_array().unwrap();
        assert!(losses.iter().all(|loss| loss["by_format"] == true), "{losses:?}");
        assert!(losses.iter().any(|loss| loss["kind"] == "vertex-frames" && loss["text"] == "9 vertex frames"));
        // A frame that the command line chooses has no clips.
        let still = text(&meshpeek(&[&arguments[..], &["--frame", "2"]].concat()).stderr);
        assert!(!still.contains("frames") && !still.contains("clip"), "{still}");
    }
}

#[test]
fn what_a_mesh_loses_is_refused() {
    let place = Place::new();
    let mut damaged = bytes("cube_ms13");
    damaged[588] = 200;
    let (_scratch, mesh) = scratch("index.mesh", &damaged);
    for name in ["a.obj", "a.ply", "a.stl", "a.glb"] {
        let arguments = ["convert", &mesh, "-o", &place.at(name)];
        let output = meshpeek(&arguments);
        let errors = text(&output.stderr);
        assert!(code(&output) == 2 && errors.contains("would lack surface 0: "), "{name}: {errors}");
        assert!(errors.contains("--allow-loss leaves it out") && place.is_empty(), "{name}: {errors}");
        let output = meshpeek(&[&arguments[..], &["--allow-loss", "--json"]].concat());
        let losses = json(&output)["files"][0]["losses"].as_array().unwrap().clone();
        assert!(losses.iter().any(|loss| loss["kind"] == "triangles" && loss["by_format"] == false), "{losses:?}");
        place.clear();
    }
    // What the command line chose is no detail of the format.
    let bend = ["--animation", "data/unigine/bend_an10.anim"];
    let skinned = ["convert", "data/unigine/skinned_ms12.mesh", "-o", &place.at("a.stl")];
    assert_eq!(code(&meshpeek(&[&skinned[..], &bend].concat())), 2);
}

#[test]
fn a_folder_ends_with_a_count() {
    let place = Place::new();
    fs::create_dir(place.at("in")).unwrap();
    for name in ["a.mesh", "b.mesh"] {
        fs::write(place.at("in").as_str().to_owned() + "/" + name, bytes("skinned_ms12")).unwrap();
    }
    fs::write(place.at("in/c.mesh"), &bytes("cube_ms12")[..100]).unwrap();
    let arguments = ["convert", &place.at("in"), "--to", "stl", "-o", &place.at("new/deep")];
    let output = meshpeek(&arguments);
    let notes = text(&output.stderr);
    assert_eq!(code(&output), 3, "{notes}");
    assert!(notes.ends_with("2 written, 1 failed\n"), "{notes}");
    assert_eq!(notes.matches("STL holds triangles only: left out of 2 meshes: ").count(), 1, "{notes}");
    assert_eq!(notes.lines().count(), 3, "{notes}");
    let names: Vec<_> = fs::read_dir(place.at("new/deep")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 2);
    // Existing files are errors that name the source.
    let again = text(&meshpeek(&arguments).stderr);
    let source = place.at("in/a.mesh");
    assert!(again.contains(&format!("error: {source}: ")) && again.contains("a.stl: file exists"), "{again}");
    assert!(again.ends_with("0 written, 3 failed\n"), "{again}");
    let quiet = meshpeek(&[&arguments[..], &["--force", "-q"]].concat());
    assert_eq!(text(&quiet.stderr).lines().count(), 1, "only the error");
}

#[test]
fn several_meshes_need_a_folder() {
    let place = Place::new();
    let (two, all) = (place.at("two.glb"), place.at("all"));
    for more in [&[][..], &["--to", "glb"]] {
        let output = meshpeek(&[&["convert", CUBE, "data/unigine/skinned_ms12.mesh", "-o", &two], more].concat());
        let errors = text(&output.stderr);
        let advice = format!("name a folder: `-o {} --to glb`", place.at("two"));
        assert!(code(&output) == 2 && errors.contains(&advice) && place.is_empty(), "{errors}");
    }
    // A script with several meshes makes a folder, as `view` does.
    let output = meshpeek(&["convert", TOYS, "--to", "glb", "-o", &all]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    assert!(Path::new(&place.at("all/Ball.glb")).exists() && Path::new(&place.at("all/SpinningTop.glb")).exists());
    // One mesh is a file.
    let one = place.at("one");
    assert_eq!(code(&meshpeek(&["convert", TOYS, "--mesh", "Ball", "--to", "glb", "-o", &one])), 0);
    assert!(Path::new(&one).is_file());
}

#[test]
fn animations_are_patterns_and_folders() {
    let place = Place::new();
    fs::create_dir(place.at("clips")).unwrap();
    for (name, stem) in [("a.anim", "bend_an10"), ("b.anim", "wave_an10"), ("c.mesh", "cube_ms13")] {
        fs::write(place.at("clips") + "/" + name, bytes(stem)).unwrap();
    }
    fs::create_dir(place.at("none")).unwrap();
    fs::copy(CUBE, place.at("none/c.mesh")).unwrap();
    let clips = |animation: &str| {
        let to = place.at("out.json");
        let output = meshpeek(&[
            "convert",
            "data/unigine/skinned_ms12.mesh",
            "-o",
            &to,
            "--force",
            "--allow-loss",
            "--animation",
            animation,
        ]);
        assert_eq!(code(&output), 0, "{}", text(&output.stderr));
        let document: serde_json::Value = serde_json::from_slice(&fs::read(&to).unwrap()).unwrap();
        document["animations"].as_array().unwrap().len()
    };
    assert_eq!(clips(&place.at("clips/*.anim")), 2);
    assert_eq!(clips(&place.at("clips")), 2);
    assert_eq!(clips("data/unigine/bend_an1[0].anim"), 1);
    for (animation, part) in [("nothing*.anim", "no file matches"), (&place.at("none"), "expected files with clips")] {
        let arguments = ["convert", CUBE, "-o", &place.at("x.glb"), "--animation", animation];
        let output = meshpeek(&arguments);
        assert!(code(&output) > 1 && text(&output.stderr).contains(part), "{}", text(&output.stderr));
        let output = meshpeek(&["view", CUBE, "-o", &place.at("x.png"), "--animation", animation]);
        assert!(code(&output) > 1 && text(&output.stderr).contains(part), "{}", text(&output.stderr));
    }
    let drawn = place.at("pose.png");
    let skinned = ["view", "data/unigine/skinned_ms12.mesh", "-o", &drawn, "--size", "32", "--animation"];
    assert_eq!(code(&meshpeek(&[&skinned[..], &[&place.at("clips/*.anim")]].concat())), 0);
}

#[test]
fn missing_folders_of_outputs_are_made() {
    let place = Place::new();
    for (number, (verb, option, name)) in [
        (&["convert", CUBE][..], "-o", "x.glb"),
        (&["convert", CUBE], "-o", "x.obj"),
        (&["convert", "data/unigine/skinned_ms12.mesh", "--to", "stl"], "-o", "folder/"),
        (&["view", CUBE, "--size", "16"], "-o", "x.png"),
        (&["view", CUBE, "--size", "16", "--sheet"], "-o", "x.png"),
        (&["view", CUBE, "--size", "16"], "-o", "x.html"),
        (&["dump", CUBE], "-o", "x.npz"),
        (&["map", CUBE], "--svg", "x.svg"),
        (&["rewrite", CUBE], "-o", "x.mesh"),
        (&["lod", "data/secondlife/arm.llmesh", "--lod", "low"], "-o", "x.llmesh"),
        (&["validate", CUBE], "--write-baseline", "x.json"),
    ]
    .into_iter()
    .enumerate()
    {
        let to = place.at(&format!("new{number}/deep/{name}"));
        let output = meshpeek(&[verb, &[option, &to]].concat());
        assert_eq!(code(&output), 0, "{verb:?}: {}", text(&output.stderr));
        assert!(Path::new(&to).exists(), "{to}");
    }
    // A file in the place of a folder is an error.
    let (_scratch, file) = scratch("file", b"x");
    let output = meshpeek(&["convert", CUBE, "-o", &format!("{file}/x.glb")]);
    assert!(code(&output) == 3 && text(&output.stderr).contains(&format!("folder {file}")), "{}", text(&output.stderr));
}

/// A verb writes the extensions that it lists, and refuses all others with the verb that writes
/// them.
#[test]
fn each_verb_refuses_the_extensions_of_others() {
    let place = Place::new();
    let arm = "data/secondlife/arm.llmesh";
    let verbs: [(&[&str], &str, &[&str]); 9] = [
        (&["view", CUBE, "--size", "16"], "-o", &["png", "gif", "webp", "html", "htm"]),
        (&["view", CUBE, "--size", "16", "--turntable=2"], "-o", &["png", "apng", "gif"]),
        (&["view", CUBE, "--size", "16", "--sheet"], "-o", &["png"]),
        (&["convert", CUBE], "-o", &["glb", "gltf", "obj", "ply", "stl", "ezm", "ezb", "json"]),
        (&["dump", CUBE, "--attribute", "positions"], "-o", &["npy", "npz", "csv"]),
        (&["map", CUBE], "--svg", &["svg"]),
        (&["rewrite", CUBE], "-o", &["mesh"]),
        (&["lod", arm, "--lod", "low"], "-o", &["llmesh", "asset"]),
        (&["bench", CUBE, "--rounds", "1"], "--plot", &["svg"]),
    ];
    let extensions = [
        ("png", "meshpeek view"),
        ("apng", "meshpeek view"),
        ("gif", "meshpeek view"),
        ("webp", "meshpeek view"),
        ("html", "meshpeek view"),
        ("htm", "meshpeek view"),
        ("svg", "meshpeek map"),
        ("npy", "meshpeek dump"),
        ("npz", "meshpeek dump"),
        ("csv", "meshpeek dump"),
        ("glb", "meshpeek convert"),
        ("gltf", "meshpeek convert"),
        ("obj", "meshpeek convert"),
        ("ply", "meshpeek convert"),
        ("stl", "meshpeek convert"),
        ("ezm", "meshpeek convert"),
        ("ezb", "meshpeek convert"),
        ("json", "meshpeek convert"),
        ("mesh", "meshpeek rewrite"),
        ("anim", "meshpeek rewrite"),
        ("llmesh", "meshpeek rewrite"),
        ("slm", "meshpeek rewrite"),
        ("3d", "meshpeek rewrite"),
        ("fbx", ""),
        ("jpg", ""),
        ("JPEG", ""),
        ("mp4", ""),
        ("txt", ""),
        ("pdf", ""),
        ("blend", ""),
    ];
    for (verb, option, own) in verbs {
        for (extension, other) in extensions {
            let to = place.at(&format!("x.{extension}"));
            let arguments = [verb, &[option, &to]].concat();
            let is_own = own.contains(&extension);
            // The benchmark takes seconds.
            if is_own && verb[0] == "bench" {
                continue;
            }
            let output = meshpeek(&arguments);
            let errors = text(&output.stderr);
            if is_own {
                assert_eq!(code(&output), 0, "{arguments:?}: {errors}");
                place.clear();
                continue;
            }
            assert_eq!(code(&output), 2, "{arguments:?}: {errors}");
            if errors.contains("applies to pictures, and not to a page") {
                continue;
            }
            assert!(own.iter().all(|own| errors.contains(own)), "{arguments:?}: {errors}");
            // The verb itself writes it as another kind of file.
            let is_same = other.ends_with(verb[0]);
            assert!(is_same || errors.contains(other), "{arguments:?}: {errors}");
            assert!(place.is_empty(), "{arguments:?}");
        }
        // An extension that nobody knows is refused, unless the verb writes one format only.
        let output = meshpeek(&[verb, &[option, &place.at("x.unknown")]].concat());
        let is_single = ["rewrite", "lod"].contains(&verb[0]);
        assert_eq!(code(&output), if is_single { 0 } else { 2 }, "{verb:?}: {}", text(&output.stderr));
        place.clear();
    }
    for name in ["x.fbx", "x.jpg", "x.png"] {
        let output = meshpeek(&["convert", CUBE, "--to", "glb", "-o", &place.at(name)]);
        assert!(code(&output) == 2 && text(&output.stderr).contains("end the path with .glb"), "{name}");
        let output = meshpeek(&["view", CUBE, "--thumbnail", "-o", &place.at("x.jpg")]);
        assert_eq!(code(&output), 2, "{}", text(&output.stderr));
    }
    // A file manager gives a thumbnail a name of its own.
    assert_eq!(code(&meshpeek(&["view", CUBE, "--thumbnail", "-o", &place.at("x.A1B2C3")])), 0);
}

#[test]
fn pictures_have_the_format_of_their_name() {
    let place = Place::new();
    for (name, start) in [("a.png", &b"\x89PNG"[..]), ("a.gif", b"GIF89a"), ("a.webp", b"RIFF")] {
        for background in ["studio", "transparent"] {
            let to = place.at(name);
            let output = meshpeek(&["view", CUBE, "-o", &to, "--size", "64", "--background", background, "--force"]);
            assert_eq!(code(&output), 0, "{}", text(&output.stderr));
            let written = fs::read(&to).unwrap();
            assert!(written.starts_with(start), "{name}");
            assert_eq!(
                meshpeek(&["view", CUBE, "-o", &to, "--size", "64", "--background", background, "--force"])
                    .status
                    .code(),
                Some(0)
            );
            assert!(fs::read(&to).unwrap() == written, "{name}: the same bytes");
        }
    }
    let to = place.at("turn.gif");
    assert_eq!(code(&meshpeek(&["view", CUBE, "-o", &to, "--size", "32", "--turntable=6"])), 0);
    let movie = fs::read(&to).unwrap();
    // The delays are in the graphic control extensions, in hundredths of a second.
    let delays: Vec<u16> = movie
        .windows(8)
        .filter(|window| window[..3] == [0x21, 0xf9, 4] && window[7] == 0)
        .map(|window| u16::from_le_bytes([window[4], window[5]]))
        .collect();
    assert_eq!(delays, [4, 4, 5, 4, 4, 4], "25 hundredths for six pictures at 24 a second");
    assert!(movie.windows(11).any(|window| window == b"NETSCAPE2.0"), "it repeats");
}

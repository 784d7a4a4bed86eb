//! Tests of `convert`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::unigine::bytes;
use crate::{code, command, json, meshpeek, sample, scratch, text};

const GUARD: &str = "data/unreal/guard";
const CUBE: &str = "data/unigine/cube_ms13.mesh";
const BEND: &str = "data/unigine/bend_an10.anim";

/// Returns the JSON of a GLB file.
fn glb(path: &str) -> Value {
    let bytes = fs::read(path).unwrap();
    let length = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    assert_eq!((&bytes[..4], length(4), length(8)), (b"glTF".as_slice(), 2, bytes.len()));
    serde_json::from_slice(&bytes[20..20 + length(12)]).unwrap()
}

/// Returns the paths of all files below a folder, relative to it.
fn tree(folder: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if path.is_dir() {
            found.extend(tree(&path).into_iter().map(|inner| format!("{name}/{inner}")));
        } else {
            found.insert(name);
        }
    }
    found
}

#[test]
fn writes_each_format() {
    let folder = tempfile::tempdir().unwrap();
    for (name, others) in [
        ("guard.glb", &[][..]),
        ("guard.gltf", &["guard.bin"]),
        ("guard.obj", &["guard.mtl"]),
        ("guard.ply", &[]),
        ("guard.stl", &[]),
        ("guard.ezm", &[]),
        ("guard.ezb", &[]),
        ("guard.json", &[]),
    ] {
        let inner = folder.path().join(name.replace('.', "_"));
        fs::create_dir(&inner).unwrap();
        let to = inner.join(name);
        let output = meshpeek(&["convert", GUARD, "-o", to.to_str().unwrap(), "--allow-loss"]);
        assert_eq!(code(&output), 0, "{name}: {}", text(&output.stderr));
        let expected = others.iter().copied().chain([name]).map(str::to_owned).collect();
        assert_eq!(tree(&inner), expected);
        assert!(text(&output.stdout).starts_with(&format!("{}: ", to.display())), "{name}");
    }
}

#[test]
fn states_the_source_of_a_glb() {
    let (_folder, to) = scratch("old.glb", b"old");
    let output = meshpeek(&["convert", CUBE, "-o", &to]);
    assert_eq!((code(&output), fs::read(&to).unwrap()), (2, b"old".to_vec()), "an existing file is kept");
    assert!(text(&output.stderr).contains("--force"));
    assert_eq!(code(&meshpeek(&["convert", CUBE, "-o", &to, "--force"])), 0);
    let document = glb(&to);
    let source = &document["asset"]["extras"]["source"];
    assert_eq!(
        (&source["format"], &source["version"], &source["name"]),
        (&"unigine".into(), &"ms13".into(), &"cube_ms13".into())
    );
    let hash = xxhash_rust::xxh3::xxh3_128(&bytes("cube_ms13"));
    assert_eq!(source["hash"], format!("xxh3-128:{hash:032x}"));
    assert_eq!(document["asset"]["generator"], format!("meshpeek {}", env!("CARGO_PKG_VERSION")));
}

/// What is written on standard output ends at the limit, and no file is left.
#[test]
fn a_larger_output_needs_an_option() {
    let folder = tempfile::tempdir().unwrap();
    let to = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    for (arguments, limit) in [
        (["convert", CUBE, "-o", &to("a.glb"), "--quiet"], "1500"),
        (["convert", CUBE, "-o", &to("a.gltf"), "--quiet"], "500"),
        (["convert", CUBE, "-o", &to("a.stl"), "--allow-loss"], "600"),
        (["convert", CUBE, "-o", "-", "--to=json"], "600"),
        (["dump", CUBE, "-o", &to("a.npy"), "--quiet"], "200"),
        (["dump", CUBE, "-o", &to("a.npz"), "--quiet"], "1000"),
        (["dump", CUBE, "-o", &to("a.csv"), "--quiet"], "100"),
        (["dump", CUBE, "-o", "-", "--format=npz"], "1K"),
        (["dump", CUBE, "--attribute", "positions", "--quiet"], "20"),
    ] {
        let output = meshpeek(&[&arguments[..], &["--max-output", limit]].concat());
        let errors = text(&output.stderr);
        assert_eq!(code(&output), 2, "{arguments:?}: {errors}");
        assert!(errors.contains("--max-output SIZE allows a larger one"), "{arguments:?}: {errors}");
        assert!(tree(folder.path()).is_empty(), "{arguments:?}");
        assert_eq!(code(&meshpeek(&[&arguments[..], &["--max-output", "1M"]].concat())), 0, "{arguments:?}");
        for name in tree(folder.path()) {
            fs::remove_file(folder.path().join(name)).unwrap();
        }
    }
}

/// A file of kilobytes whose output would be large is refused by default.
#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn the_default_limit_of_an_output_depends_on_its_input() {
    use crate::support::secondlife::raw_assets::{asset, binary, codes, level, map, square};
    let hulls = map(&[("HullList", binary(&vec![1; 140_000])), ("Positions", codes(&vec![0; 3 * 140_000]))]);
    let (folder, path) =
        scratch("hulls.llmesh", &asset(&[("physics_convex", hulls), ("high_lod", level(&[square()]))]));
    let to = folder.path().join("a.glb").to_str().unwrap().to_owned();
    let output = meshpeek(&["convert", &path, "-o", &to, "--hulls", "--quiet"]);
    let errors = text(&output.stderr);
    assert!(code(&output) == 2 && errors.contains("would have more than 16"), "{errors}");
    assert!(!Path::new(&to).exists());
}

#[test]
fn names_the_option_that_does_not_apply() {
    let folder = tempfile::tempdir().unwrap();
    let to = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (obj, glb, mesh, none, mtl) = (to("a.obj"), to("a.glb"), to("a.mesh"), to("a"), to("a.mtl"));
    let (_other, low) = scratch("low.llmesh", b"");
    let done = meshpeek(&["lod", "data/secondlife/arm.llmesh", "--lod", "low", "-o", &low, "--force"]);
    assert_eq!(code(&done), 0, "{}", text(&done.stderr));
    for (arguments, expected) in [
        (vec![CUBE, "-o", &obj, "--quantized"], "--quantized"),
        (vec![CUBE, "-o", &obj, "--compress"], "--compress"),
        (vec![CUBE, "-o", &obj, "--lod", "all"], "--lod all"),
        (vec![CUBE, "-o", &glb, "--split", "1M"], "--split"),
        (vec![CUBE, "-o", &glb, "--lod", "low"], "--lod"),
        (vec![CUBE, "-o", &glb, "--surface", "7"], "below 1"),
        (vec![CUBE, "-o", &glb, "--clip", "3"], "there are none"),
        (vec![CUBE, "-o", &glb, "--asset", "2"], "below 1"),
        (vec![CUBE, "-o", &glb, "--frame", "1"], "animation[0]"),
        (vec![CUBE, "-o", &obj, "--clip", "3", "--allow-loss"], "there are none"),
        (vec![CUBE, "-o", &glb, "--frame", "1", "--animation", BEND], "--animation"),
        (vec![CUBE, "-o", &glb, "--animation", BEND], "bend_an10, which moves no bone"),
        (vec![CUBE, "-o", &glb, "--rate", "0"], "0.000001 to 1000000"),
        (vec![CUBE, "-o", &obj, "--to", "glb"], "end the path with .glb"),
        (vec![CUBE, "-o", &mesh, "--to", "glb", "--force"], "end the path with .glb"),
        (vec![GUARD, "-o", &mtl, "--to", "obj", "--allow-loss"], "another file of the output has this path"),
        (vec![CUBE, "-o", &glb, "--to", "fbx"], "fbx"),
        (vec![CUBE, "-o", &mesh], "meshpeek rewrite"),
        (vec![CUBE, "-o", &none], "--to"),
        (vec![CUBE, "-o", "-"], "--to"),
        (vec![CUBE, "-o", "-", "--to", "gltf"], "several files"),
        (vec![CUBE, CUBE, "-o", &none], "--to"),
        (vec![&low, "-o", &glb, "--lod", "medium"], "it has high_lod"),
        (vec![GUARD, "-o", &glb, "--frame", "99"], "0 to 9"),
    ] {
        let output = meshpeek(&[&["convert"][..], &arguments].concat());
        assert_eq!(code(&output), 2, "{arguments:?}: {}", text(&output.stderr));
        assert!(text(&output.stderr).contains(expected), "{arguments:?}: {}", text(&output.stderr));
        assert_eq!(tree(folder.path()), BTreeSet::new(), "{arguments:?}");
    }
    let output = meshpeek(&["convert", "missing.mesh", "-o", &glb]);
    assert_eq!((code(&output), tree(folder.path()).len()), (3, 0));
}

#[test]
fn converts_folders() {
    let (input, output) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let inner = input.path().join("deep/er");
    fs::create_dir_all(&inner).unwrap();
    fs::write(input.path().join("a.mesh"), bytes("cube_ms13")).unwrap();
    fs::write(input.path().join("a.anim"), bytes("wave_an10")).unwrap();
    fs::write(inner.join("b.mesh"), bytes("cube_ms12")).unwrap();
    fs::write(inner.join("broken.mesh"), &bytes("cube_ms12")[..100]).unwrap();
    let to = output.path().join("new");
    let arguments = ["convert", input.path().to_str().unwrap(), "--to", "glb", "-o", to.to_str().unwrap()];
    for jobs in ["1", "3"] {
        let done = meshpeek(&[&arguments[..], &["--jobs", jobs, "--force", "--json"]].concat());
        assert_eq!(code(&done), 3, "{}", text(&done.stderr));
        let expected = ["a.glb", "a.mesh.glb", "deep/er/b.glb"].map(str::to_owned);
        assert_eq!(tree(&to), BTreeSet::from(expected));
        let files = json(&done)["files"].as_array().unwrap().clone();
        let names = files.iter().map(|file| file["path"].as_str().unwrap().rsplit('/').next().unwrap().to_owned());
        assert_eq!(names.collect::<Vec<_>>(), ["a.anim", "a.mesh", "b.mesh", "broken.mesh"], "in order");
        assert!(files[3]["error"]["message"].as_str().unwrap().contains("broken.mesh"));
    }
    assert_eq!(code(&meshpeek(&arguments)), 3, "existing files are kept, which is worse than a damaged file");
}

/// An output never replaces another mesh, another output, or a part of it.
#[test]
fn outputs_of_a_folder_stay_apart() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    for name in ["in", "both", "out"] {
        fs::create_dir(path(name)).unwrap();
    }
    let convert = |input: &str, output: &str, rest: &[&str]| {
        let [input, output] = [input, output].map(|name| path(name).to_str().unwrap().to_owned());
        meshpeek(&[&["convert", &input, "-o", &output, "--allow-loss", "--force"], rest].concat())
    };
    // `x.gltf` has `x_0.bin` and `x_1.bin`, and `x_0.gltf` also has `x_0.bin`.
    fs::write(path("in/x.mesh"), bytes("skinned_ms12")).unwrap();
    fs::write(path("in/x_0.mesh"), bytes("cube_ms13")).unwrap();
    let output = convert("in", "out", &["--to", "gltf", "--split", "1500"]);
    let errors = text(&output.stderr);
    assert!(code(&output) == 2 && errors.contains("another file of the output has this path"), "{errors}");
    let written = tree(&path("out"));
    let [first, second] = [["x.gltf", "x_0.bin", "x_1.bin"].as_slice(), &["x_0.gltf", "x_0.bin"]]
        .map(|names| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>());
    assert!(written == first || written == second, "{written:?}");
    // The text file of the same name would be replaced.
    let flag = fs::read("data/ezmesh/flag.ezm").unwrap();
    fs::write(path("both/a.ezm"), &flag).unwrap();
    fs::copy("data/ezmesh/flag101.ezb", path("both/a.ezb")).unwrap();
    let output = convert("both", "both", &["--to", "ezm"]);
    assert_eq!(code(&output), 2);
    assert!(text(&output.stderr).contains("is another mesh of the input"), "{}", text(&output.stderr));
    // With one output for several meshes, none is written.
    let glb = path("one.glb");
    let output = meshpeek(&["convert", "data/unreal/Toys/Classes/Toys.uc", "-o", glb.to_str().unwrap()]);
    assert_eq!((code(&output), glb.exists()), (2, false), "{}", text(&output.stderr));
}

#[cfg(unix)]
#[test]
fn files_of_many_jobs_have_the_default_permissions() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let [input, output] = ["in", "out"].map(|name| folder.path().join(name));
    fs::create_dir(&input).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
    for number in 0..200 {
        fs::write(input.join(format!("{number}.mesh")), bytes("cube_ms13")).unwrap();
    }
    let arguments = ["convert", input.to_str().unwrap(), "-o", output.to_str().unwrap(), "--to", "glb", "--jobs", "16"];
    assert_eq!(code(&meshpeek(&arguments)), 0);
    assert_eq!(tree(&output).len(), 200);
    assert!(tree(&output).iter().all(|name| mode(&output.join(name)) & 0o777 == 0o644));
}

#[test]
fn writes_the_same_bytes_each_time() {
    let folder = tempfile::tempdir().unwrap();
    for stem in ["cube_ms13", "room_ms14", "skinned_ms12", "wave_an12"] {
        let [one, other] = ["one", "other"].map(|name| folder.path().join(format!("{stem}.{name}.glb")));
        for to in [&one, &other] {
            assert_eq!(code(&meshpeek(&["convert", &sample(stem), "-o", to.to_str().unwrap()])), 0);
        }
        assert!(fs::read(one).unwrap() == fs::read(other).unwrap(), "{stem}");
    }
    let stream = command(&["convert", CUBE, "--to", "glb", "-o", "-"]).output().unwrap();
    let to = folder.path().join("cube_ms13.glb");
    assert_eq!(code(&meshpeek(&["convert", CUBE, "-o", to.to_str().unwrap()])), 0);
    assert!(stream.stdout == fs::read(to).unwrap());
}

#[test]
fn adds_the_clips_of_other_files() {
    let (_folder, to) = scratch("none", b"");
    let to = format!("{to}.glb");
    let bend = ["--animation", "data/unigine/bend_an10.anim"];
    let arguments = ["convert", "data/unigine/skinned_ms12.mesh", "-o", &to, "--force"];
    let names = |document: &Value| {
        let animations = document["animations"].as_array().unwrap();
        animations.iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(code(&meshpeek(&arguments)), 0);
    let own = names(&glb(&to));
    let output = meshpeek(&[&arguments[..], &bend, &bend].concat());
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    assert_eq!(names(&glb(&to)).len(), own.len() + 2);
    let other = meshpeek(&[&arguments[..], &["--animation", "data/unigine/wave_an10.anim"]].concat());
    // Some bones differ.
    assert_eq!(code(&other), 0, "{}", text(&other.stderr));
    assert!(text(&other.stderr).contains("bones of clip"), "{}", text(&other.stderr));
    assert_eq!(names(&glb(&to)).len(), own.len() + 1);
}

#[test]
fn an_image_is_used_only_beside_the_output() {
    let folder = tempfile::tempdir().unwrap();
    let text = "<MeshSystem><Materials><Material name='skin' meta_data=''/></Materials><Meshes><Mesh name='a'>
        <vertexbuffer count='3' ctype='fff ff' semantic='position texcoord1'>0 0 0 0 0  1 0 0 1 0  0 1 0 0 1</vertexbuffer>
        <MeshSection material='../skin.png'><indexbuffer triangle_count='1'>0 1 2</indexbuffer></MeshSection>
        </Mesh></Meshes></MeshSystem>";
    let mesh = folder.path().join("a.ezm");
    fs::write(&mesh, text).unwrap();
    fs::write(folder.path().join("skin.png"), b"\x89PNG\r\n\x1a\n").unwrap();
    fs::create_dir(folder.path().join("other")).unwrap();
    for (output, expected) in [("a.glb", Some("skin.png")), ("other/a.glb", None)] {
        let to = folder.path().join(output);
        let done = meshpeek(&["convert", mesh.to_str().unwrap(), "-o", to.to_str().unwrap()]);
        assert_eq!(code(&done), 0, "{}", crate::text(&done.stderr));
        assert_eq!(glb(to.to_str().unwrap())["images"][0]["uri"].as_str(), expected, "{output}");
    }
}

/// A conversion that ends at any moment leaves the old files or none.
#[cfg(unix)]
#[test]
fn ended_at_any_moment_it_leaves_the_old_files_or_none() {
    use std::os::unix::process::ExitStatusExt as _;
    use std::process::Stdio;

    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("guard.gltf");
    let arguments = ["convert", GUARD, "-o", to.to_str().unwrap(), "--force"];
    assert_eq!(code(&meshpeek(&arguments)), 0);
    let whole = ["guard.gltf", "guard.bin"].map(|name| fs::read(folder.path().join(name)).unwrap());
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGKILL] {
        for delay in 0..10 {
            let mut child = command(&arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            std::thread::sleep(std::time::Duration::from_micros(delay * 400));
            crate::support::process::send_signal(&child, signal);
            let status = child.wait().unwrap();
            assert!(status.success() || status.signal() == Some(signal), "{status}");
            let found = ["guard.gltf", "guard.bin"].map(|name| fs::read(folder.path().join(name)).unwrap());
            assert!(found == whole, "{signal} after {delay}");
            if signal != libc::SIGKILL {
                assert_eq!(tree(folder.path()).len(), 2, "{signal} after {delay}: no other file stays");
            }
        }
    }
}

/// A full disk leaves the old file, and no other.
#[cfg(unix)]
#[test]
fn a_limit_for_the_size_of_a_file_leaves_the_old_file() {
    let (folder, to) = scratch("guard.glb", b"old");
    let program = command(&["convert", GUARD, "-o", &to, "--force"]);
    let output = crate::writes::through_shell("ulimit -f 1; exec \"$@\"", &program).output().unwrap();
    assert_eq!(code(&output), 3, "{}", text(&output.stderr));
    assert_eq!((fs::read(&to).unwrap(), tree(folder.path()).len()), (b"old".to_vec(), 1));
    assert!(text(&output.stderr).contains("guard.glb"), "{}", text(&output.stderr));
}

#[test]
fn vertex_colours_are_what_the_option_says() {
    let (_folder, to) = scratch("room.glb", b"");
    let room = sample("room_ms11");
    let (own, albedo, none) = ("_COLOR_0", "COLOR_0", "");
    for (colors, name) in [(None, own), (Some("data"), own), (Some("albedo"), albedo), (Some("none"), none)] {
        let mut arguments = vec!["convert", &room, "-o", &to, "--force"];
        arguments.extend(colors.into_iter().flat_map(|colors| ["--colors", colors]));
        let output = meshpeek(&arguments);
        let notes = text(&output.stderr);
        assert_eq!((code(&output), notes.contains("--colors albedo")), (0, name == own), "{notes}");
        let document = glb(&to);
        let parts = &document["meshes"][0]["primitives"];
        let names: Vec<&String> = parts[1]["attributes"].as_object().unwrap().keys().collect();
        assert_eq!(
            [own, albedo].map(|own| names.iter().any(|found| *found == own)),
            [own, albedo].map(|own| own == name)
        );
    }
    let (_folder, to) = scratch("room.ply", b"");
    for (colors, property) in [("data", "uchar data_red"), ("albedo", "uchar red"), ("none", "alpha")] {
        let output = meshpeek(&["convert", &room, "-o", &to, "--force", "--allow-loss", "--colors", colors]);
        assert_eq!(code(&output), 0);
        let ply = fs::read(&to).unwrap();
        let has = String::from_utf8_lossy(&ply).contains(property);
        assert_eq!(has, colors != "none", "{property}");
    }
}

/// Of several animation files, those of other skeletons are left out.
#[test]
fn animations_of_other_skeletons_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    fs::copy(BEND, path("bend.anim")).unwrap();
    let ezmesh = fs::read_to_string("data/ezmesh/flag.ezm").unwrap();
    for name in ["other1.ezm", "other2.ezm"] {
        fs::write(path(name), ezmesh.replace("cloth", name).replace("pole", name)).unwrap();
    }
    let written = tempfile::tempdir().unwrap();
    for name in ["out.glb", "out.ezm", "out.ezb"] {
        let output = written.path().join(name).to_str().unwrap().to_owned();
        let convert = |pattern: &str, more: &[&str]| {
            let skinned = "data/unigine/skinned_ms12.mesh";
            meshpeek(&[&["convert", skinned, "-o", &output, "--animation", &path(pattern), "--force"], more].concat())
        };
        let all = convert("*", &[]);
        let errors = text(&all.stderr);
        assert_eq!(code(&all), 0, "{name}: {errors}");
        assert!(errors.contains("the clips of 2 files, which move no bone of the mesh: other1, other2"), "{errors}");
        // If no file has bones of the mesh, the output has none of the requested clips.
        let none = convert("other*", &[]);
        assert_eq!(code(&none), 2, "{name}: {}", text(&none.stderr));
        assert_eq!(code(&convert("other*", &["--allow-loss"])), 0, "{name}");
    }
}

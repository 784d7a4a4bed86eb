//! Tests of the command line as a whole: a command without a verb, options of every verb, and the
//! errors of wrong commands.

use std::fs;

use serde_json::Value;

use crate::{code, command, json, meshpeek, sample, scratch, text};

#[test]
fn files_without_a_verb_are_described() {
    let cube = sample("cube_ms13");
    let expected = meshpeek(&["info", &cube, "--lod", "none"]).stdout;
    assert!(!expected.is_empty());
    for arguments in [&[&*cube, "--lod", "none"][..], &["--lod", "none", &cube], &["--", &cube]] {
        let output = meshpeek(arguments);
        assert_eq!((code(&output), text(&output.stdout)), (0, text(&expected)), "{arguments:?}");
    }
    // Values of options of every verb are not files.
    let output = meshpeek(&["--uv-divisor", "256", "--color=never", "data/unreal/guard", "--json"]);
    assert_eq!(json(&output)["files"][0]["path"], "data/unreal/guard");
    let output = command(&["guard"]).current_dir("data/unreal").output().unwrap();
    assert!(code(&output) == 0 && text(&output.stdout).contains("vertex frames"), "a stem is a file");
    // A missing file is an error about the file, and a word is one about the verb.
    let output = meshpeek(&["no/such.mesh"]);
    assert!(code(&output) == 3 && text(&output.stderr).contains("no/such.mesh"));
    let output = meshpeek(&["inof"]);
    assert!(code(&output) == 2 && text(&output.stderr).contains("unrecognized subcommand 'inof'"));
    assert!(text(&meshpeek(&["--version"]).stdout).starts_with("meshpeek "));
}

#[test]
fn options_may_be_repeated_and_colours_chosen() {
    let cube = sample("cube_ms13");
    let once = meshpeek(&["info", "-v", &cube]).stdout;
    assert_eq!(meshpeek(&["info", "-v", "-v", &cube, "--verbose"]).stdout, once);
    assert_eq!(json(&meshpeek(&["dump", &cube, "--range", "1", "--range", "2..4", "--json"]))["range"][1], 4);
    let colored = |arguments: &[&str]| {
        let output = command(&[arguments, &["info", &cube]].concat()).env_remove("NO_COLOR").output().unwrap();
        assert_eq!(code(&output), 0);
        output.stdout.contains(&0x1b)
    };
    assert!(colored(&["--color", "always"]) && colored(&["--color=always"]));
    assert!(!colored(&["--color", "never"]) && !colored(&["--color", "auto"]) && !colored(&[]));
    assert_eq!(code(&meshpeek(&["--color", "blue", "info", &cube])), 2);
}

#[test]
fn every_usage_error_is_json_with_json() {
    let cube = sample("cube_ms13");
    for arguments in [
        &["info"][..],
        &["info", &cube, "--nonsense"],
        &["nonsense", "word"],
        &["dump", &cube, "--attribute", "nothing"],
        &["dump", &cube, "--surface", "-1"],
        &["dump", &cube, "--range", "3..99"],
        &["dump", &cube, "--target", "1", "--attribute", "uv0"],
        &["map", &cube, "--at", "99999"],
        &["query", &cube, "ray"],
        &["rewrite", &cube],
        &["lod", &cube, "--lod", "low", "-o", "x.llmesh"],
        &["convert", &cube, "-o", "x.unknown"],
        &["view", &cube],
        &["view", &cube, "-o", "x.glb"],
        &["view", &cube, "-o", "x.png", "--background", "pink"],
        &["info", &cube, "--picture"],
        &["ls", "data", "--picture"],
        &["man", "nothing"],
        &["ls", "data", "--where", "triangles >"],
        &["ls", "data", "--columns", "nothing"],
        &["ls", "data", "--exclude", "["],
        &["bench", "--size", "x"],
        &["index", "data", "--exclude", "{"],
    ] {
        let output = meshpeek(&[arguments, &["--json"]].concat());
        assert_eq!(code(&output), 2, "{arguments:?}: {}", text(&output.stderr));
        let document = json(&output);
        assert_eq!((&document["schema"], &document["path"]), (&Value::from(1), &Value::Null), "{arguments:?}");
        assert_eq!(document["error"]["kind"], "usage", "{arguments:?}");
        let message = document["error"]["message"].as_str().unwrap();
        assert!(!message.is_empty() && !message.contains('\n') && !message.starts_with("error"), "{message}");
        // The same message is on standard error, and without --json there is no document.
        let words = message.split_whitespace().next().unwrap();
        assert!(text(&output.stderr).contains(words), "{arguments:?}");
        assert!(meshpeek(arguments).stdout.is_empty(), "{arguments:?}");
    }
    let output = meshpeek(&["dump", "--", "--json"]);
    assert!(code(&output) == 3 && output.stdout.is_empty(), "--json after -- is a file");
}

#[test]
fn a_foreign_extension_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let to = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    for (file, name, advice) in [
        ("data/unigine/cube_ms13.mesh", "o.glb", "meshpeek convert FILE -o"),
        ("data/unigine/cube_ms13.mesh", "o.OBJ", "meshpeek convert FILE -o"),
        ("data/unigine/cube_ms13.mesh", "o.anim", "rewrite writes .mesh, and not .anim"),
        ("data/unigine/cube_ms13.mesh", "o.fbx", "`meshpeek convert` makes"),
        ("data/unigine/cube_ms13.mesh", "o.npy", "`meshpeek dump FILE -o"),
        ("data/unigine/bend_an10.anim", "o.mesh", "rewrite writes .anim, and not .mesh"),
        ("data/ezmesh/flag.ezm", "o.ezb", "meshpeek convert FILE -o"),
        ("data/ezmesh/flag101.ezb", "o.ezm", "meshpeek convert FILE -o"),
        ("data/secondlife/arm.llmesh", "o.json", "meshpeek convert FILE -o"),
        ("data/unreal/guard_d.3d", "o.stl", "meshpeek convert FILE -o"),
        ("data/unreal/guard.uc", "o.3d", "rewrite writes .uc, and not .3d"),
    ] {
        let output = meshpeek(&["rewrite", file, "-o", &to(name)]);
        let message = text(&output.stderr);
        assert!(code(&output) == 2 && message.contains(advice) && message.contains(name), "{name}: {message}");
    }
    let output = meshpeek(&["lod", "data/secondlife/arm.llmesh", "--lod", "low", "-o", &to("lo.obj")]);
    assert!(code(&output) == 2 && text(&output.stderr).contains("lod writes .llmesh"), "{}", text(&output.stderr));
    for (arguments, part) in [
        (["map", "data/unigine/cube_ms13.mesh", "--svg"], "map --svg writes .svg"),
        (["validate", "data/unigine/cube_ms13.mesh", "--write-baseline"], "validate --write-baseline writes .json"),
    ] {
        let output = meshpeek(&[&arguments[..], &[&to("o.mesh"), "--force"]].concat());
        assert!(code(&output) == 2 && text(&output.stderr).contains(part), "{}", text(&output.stderr));
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "nothing was written");
    // Own, unknown and missing extensions are fine.
    for name in ["o.mesh", "o.bak", "o", "o.MESH2"] {
        let output = meshpeek(&["rewrite", "data/unigine/cube_ms13.mesh", "-o", &to(name)]);
        assert_eq!(code(&output), 0, "{name}: {}", text(&output.stderr));
    }
    assert_eq!(code(&meshpeek(&["lod", "data/secondlife/arm.llmesh", "--lod", "low", "-o", &to("a.asset")])), 0);
}

#[test]
fn files_that_are_not_meshes_are_named() {
    let stl = [&[b'x'; 80][..], &1_u32.to_le_bytes(), &[7; 50]].concat();
    let html = b"<!DOCTYPE html>\n<html><title>404 Not Found</title></html>";
    let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:0f\nsize 3\n";
    for (bytes, part) in [
        (&pointer[..], "a Git LFS pointer, which is not the mesh itself; run `git lfs pull`"),
        (html, "an HTML page"),
        (&[0; 64], "a file of zeros"),
        (b"", "expected a mesh, found an empty file"),
        (b"# a\nmtllib a.mtl\nv 1 2 3\n", "Wavefront OBJ"),
        (b"solid a\n facet normal 0 0 1\n", "STL text"),
        (&stl, "binary STL"),
        (b"{ \"asset\": { \"version\": \"2.0\" } }", "glTF"),
        (b"\x93NUMPY\x01\0v\0{", "a NumPy array"),
        (b"\x89PNG\r\n\x1a\n\0", "a PNG image"),
        (b"PK\x03\x04", "a ZIP archive"),
    ] {
        for name in ["file.mesh", "file.llmesh", "file.ezm", "file.ezb", "file.anim", "file.bin"] {
            let (_folder, path) = scratch(name, bytes);
            for verb in ["info", "validate", "map", "dump"] {
                let output = meshpeek(&[verb, &path]);
                let message = text(&output.stderr);
                let is_named = message.contains(part) || bytes.is_empty() && message.contains("empty");
                assert!(code(&output) == 3 && is_named, "{verb} {name}: expected {part} in {message}");
                assert!(message.contains(&path), "{message}");
            }
        }
    }
    // The files of an Unreal mesh have no magic number, but a pointer in their place is named.
    for (name, other) in [("box_d.3d", "box_a.3d"), ("box_a.3d", "box_d.3d")] {
        let (folder, path) = scratch(name, pointer);
        let sound = format!("data/unreal/guard_{}", &other[4..]);
        fs::copy(sound, folder.path().join(other)).unwrap();
        let message = text(&meshpeek(&["info", &path]).stderr);
        assert!(message.contains("git lfs pull") && message.contains(name), "{message}");
    }
    let (_folder, script) = scratch("Box.uc", pointer);
    assert!(text(&meshpeek(&["info", &script]).stderr).contains("git lfs pull"));
}

#[test]
fn wrong_verbs_and_options_have_fitting_tips() {
    for (verb, tip) in [
        ("render", "'view'"),
        ("show", "'view'"),
        ("export", "'convert'"),
        ("list", "'ls'"),
        ("check", "'validate'"),
        ("stats", "'info'"),
        ("compare", "'diff'"),
    ] {
        let output = meshpeek(&[verb, "data"]);
        let message = text(&output.stderr);
        assert!(code(&output) == 2 && message.contains(&format!("exists: {tip}")), "{verb}: {message}");
    }
    for (arguments, tip) in [
        (&["info", "data", "--allow-loss"][..], "--allow-loss is an option of rewrite, lod, convert"),
        (&["info", "data", "--jso"], "'--json'"),
        (&["convert", "data/unreal/guard", "x.glb"], "-o names the output: -o x.glb"),
        (&["rewrite", "data/unigine/cube_ms13.mesh", "x.mesh"], "-o names the output: -o x.mesh"),
    ] {
        let message = text(&meshpeek(arguments).stderr);
        assert!(message.contains(tip) && !message.contains("-- -"), "{arguments:?}: {message}");
    }
    let message = text(&meshpeek(&["info", "data", "--bogus"]).stderr);
    assert!(!message.contains("tip"), "{message}");
}

#[test]
fn negative_numbers_are_values_out_of_range() {
    let cube = "data/unigine/cube_ms13.mesh";
    for arguments in [
        &["dump", "data/unreal/guard", "--frame", "-1"][..],
        &["view", "data/unreal/guard", "--frame", "-1", "-o", "x.png"],
        &["convert", "data/unreal/guard", "--frame", "-2", "-o", "x.glb"],
        &["dump", "data/unigine/bend_an10.anim", "--pose", "-1"],
        &["dump", "data/unigine/bend_an10.anim", "--time", "-0.5"],
        &["ls", "data", "--limit", "-1"],
        &["ls", "data", "-n", "-1"],
        &["dump", cube, "--asset", "-1"],
        &["query", cube, "vertex", "--surface", "0", "--vertex", "-1"],
    ] {
        let output = meshpeek(arguments);
        let message = text(&output.stderr);
        assert!(code(&output) == 2 && message.contains("0 or more"), "{arguments:?}: {message}");
        assert!(!message.contains("tip"), "{arguments:?}: {message}");
    }
    for arguments in [&["view", "data", "-o", "x.png", "--columns", "-1"][..], &["convert", "data", "--jobs", "-1"]] {
        assert!(text(&meshpeek(arguments).stderr).contains("-1 is not in 1..=1024"), "{arguments:?}");
    }
    // A path may start with a hyphen after --, and options that take signs keep them.
    assert_eq!(code(&meshpeek(&["info", "--", "-1"])), 3);
    assert_eq!(code(&meshpeek(&["map", cube, "--at", "-1"])), 0);
}

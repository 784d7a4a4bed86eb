//! Tests of error messages: a number out of range names the number on the command line and the
//! count of the items, and an error about a path names the path on the command line.

use std::path::Path;

use crate::{code, meshpeek, sample, scratch, text};

/// Returns the message of a command that fails with an exit code.
fn failed(arguments: &[&str], expected: i32) -> String {
    let output = meshpeek(arguments);
    let message = text(&output.stderr);
    assert_eq!(code(&output), expected, "{arguments:?}: {message}");
    message
}

#[test]
fn a_number_out_of_range_is_named() {
    let nearest = ["nearest", "--point", "0,0,0"];
    let [room, blocks, skinned, morph, wave, still] =
        ["room_ms11", "room_ms14", "skinned_ms12", "morph_ms13", "wave_an10", "still_an11"].map(sample);
    let [guard, arm, rock, model, flag] = [
        "data/unreal/guard_d.3d",
        "data/secondlife/arm.llmesh",
        "data/secondlife/rock.llmesh",
        "data/secondlife/model.slm",
        "data/ezmesh/flag.ezm",
    ];
    let flag_binary = "data/ezmesh/flag101.ezb";
    let surfaces =
        [(&*room, 3), (&blocks, 5), (&skinned, 1), (guard, 5), (arm, 1), (model, 1), (flag, 1), (flag_binary, 1)];
    for (path, count) in surfaces {
        for asked in ["77", "4294967297"] {
            let expected = format!("]: expected a number below {count}, found {asked}; ");
            let surface = ["--surface", asked];
            for attribute in ["positions", "normals", "uv0", "weights", "indices", "tree-nodes", "types", "radius"] {
                let message = failed(&[&["dump", path, "--attribute", attribute][..], &surface].concat(), 2);
                assert!(
                    message.contains(&expected) && message.contains(&format!("[{asked}]")),
                    "{attribute}: {message}"
                );
            }
            for query in [
                &nearest[..],
                &["ray", "--from", "0,0,9", "--toward", "0,0,0"],
                &["overlap", "--min", "0,0,0", "--max", "1,1,1"],
                &["vertex", "--vertex", "0"],
            ] {
                let message = failed(&[&["query", path][..], query, &surface].concat(), 2);
                assert!(message.contains(&expected) && message.contains(&format!("[{asked}]")), "{query:?}: {message}");
            }
        }
    }
    let dump = |path, options: &[&'static str]| [&["dump", path][..], options].concat();
    let query = |path, options: &[&'static str]| [&["query", path][..], options].concat();
    let below = |count: u32, found: u64| format!("expected a number below {count}, found {found}; ");
    for (arguments, expected) in [
        (dump(&room, &["--target", "77"]), below(1, 77)),
        (dump(&morph, &["--target", "77", "--attribute", "normals"]), below(3, 77)),
        (dump(guard, &["--target", "4294967297"]), below(1, 4_294_967_297)),
        (dump(&skinned, &["--pose", "77"]), below(3, 77)),
        (dump(&wave, &["--pose", "4294967297"]), below(12, 4_294_967_297)),
        (dump(flag, &["--pose", "4294967297"]), below(4, 4_294_967_297)),
        (dump(&still, &["--pose", "77"]), "clip[0].frame: the clip has no frames; ".into()),
        (dump(&wave, &["--pose", "77.25"]), "expected at most 11, the last of 12 frames, found 77.25".into()),
        (dump(&still, &["--time", "77"]), "--time 77: the animation has 0 frames".into()),
        (dump(&room, &["--pose", "77"]), "--pose 77: expected animation[0], found 0 animations".into()),
        (dump(&skinned, &["--clip", "77", "--pose", "0"]), below(1, 77)),
        (dump(flag, &["--clip", "77", "--pose", "0"]), below(1, 77)),
        (dump(guard, &["--clip", "77"]), below(2, 77)),
        (dump(guard, &["--frame", "16777217"]), "the mesh has 10 frames, expected 0 to 9, found 16777217".into()),
        (dump(guard, &["--clip", "1", "--frame", "77"]), "the clip has 6 frames, expected 0 to 5, found 77".into()),
        (dump(model, &["--asset", "77"]), below(2, 77)),
        (dump(arm, &["--lod", "low", "--surface", "77"]), format!("surface[77]: {}", below(1, 77))),
        (dump(rock, &["--attribute", "hull", "--surface", "77"]), format!("hull[77]: {}", below(3, 77))),
        (dump(guard, &["--range", "77..78"]), "expected a range within 0..11, found 77..78".into()),
        (query(model, &["nearest", "--point", "0,0,0", "--asset", "77"]), below(2, 77)),
        (query(flag, &["nearest", "--point", "0,0,0", "--clip", "77"]), below(1, 77)),
        (
            query(flag, &["nearest", "--point", "0,0,0", "--frame", "16777217"]),
            "has 4 frames, expected 0 to 3, found 16777217".into(),
        ),
        (
            query(guard, &["vertex", "--vertex", "77"]),
            "surface 0 has 11 vertices, expected a lower number, found 77".into(),
        ),
        (vec!["lod", model, "--asset", "77", "--lod", "high", "-o", "-"], below(2, 77)),
        (vec!["map", &room, "--at", "99999"], "expected an offset from 0 to 9704, found 99999".into()),
    ] {
        let message = failed(&arguments, 2);
        assert!(message.contains(&expected), "{arguments:?}: expected {expected:?} in {message}");
    }
}

/// Every verb that reads a mesh, with options that let it fail only because of its input.
fn reading_verbs<'a>(path: &'a str, output: &'a str) -> Vec<Vec<&'a str>> {
    vec![
        vec!["info", path],
        vec!["validate", path],
        vec!["map", path],
        vec!["dump", path],
        vec!["query", path, "nearest", "--point", "0,0,0"],
        vec!["index", path],
        vec!["index", "--beside", path],
        vec!["index", "--clear", path],
        vec!["rewrite", path, "-o", output],
        vec!["lod", path, "--lod", "low", "-o", output],
        vec!["bench", path],
        vec!["dump", "data/unigine/bend_an10.anim", "--pose", "0", "--onto", path],
        vec!["query", "data/unigine/cube_ms13.mesh", "nearest", "--batch", path],
    ]
}

#[cfg(unix)]
#[test]
fn an_input_that_cannot_be_opened_is_named() {
    let (folder, file) = scratch("file.mesh", b"ms13");
    let below = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let output = below("output");
    std::fs::create_dir(folder.path().join("folder")).unwrap();
    let long = "x".repeat(300);
    let (missing, no_folder) = ("No such file or directory", "Not a directory");
    for (path, reason) in [
        (below("none.mesh"), missing),
        (below("none_d.3d"), missing),
        (below("none_a.3d"), missing),
        (below("none.uc"), missing),
        (below("none"), missing),
        (below("no/such/x.mesh"), missing),
        (below("no/such/x.llmesh"), missing),
        (below("no/such/x.ezm"), missing),
        (below("no/such/x_d.3d"), missing),
        (below("no/such/x_a.3d"), missing),
        (below("no/such/x.uc"), missing),
        (below("no/such/x"), missing),
        (format!("{file}/x.mesh"), no_folder),
        (format!("{file}/x_d.3d"), no_folder),
        (format!("{file}/x_a.3d"), no_folder),
        (format!("{file}/x.uc"), no_folder),
        (format!("{file}/x"), no_folder),
        (below(&format!("{long}.mesh")), "File name too long"),
        (below(&format!("{long}_a.3d")), "File name too long"),
        (below(&long), "File name too long"),
        ("no/such/x.mesh".into(), missing),
        ("no/such/x".into(), missing),
    ] {
        for arguments in reading_verbs(&path, &output) {
            let message = failed(&arguments, 3);
            let expected = format!("error: {path}: file: {reason} (os error ");
            assert!(message.starts_with(&expected), "{arguments:?}: {message}");
            assert_eq!(message.lines().count(), 1, "{arguments:?}: {message}");
        }
    }
    assert!(!Path::new(&output).exists());
    // A folder, an empty file and a pipe.
    std::fs::write(below("empty.mesh"), b"").unwrap();
    std::fs::write(below("empty_d.3d"), b"").unwrap();
    std::fs::write(below("empty_a.3d"), b"\0\0\0\0").unwrap();
    for pipe in ["pipe.mesh", "pipe_d.3d"] {
        crate::support::files::make_pipe(below(pipe).as_ref());
    }
    for (name, reason) in [
        ("folder", "found a directory"),
        ("empty.mesh", "found an empty file"),
        ("empty_d.3d", "found an empty file"),
        ("pipe.mesh", "found an empty file"),
        ("pipe_d.3d", "found a named pipe"),
    ] {
        for arguments in [["map", &below(name)], ["dump", &below(name)]] {
            let message = failed(&arguments, 3);
            assert!(message.starts_with(&format!("error: {}: ", below(name))), "{message}");
            assert!(message.contains(reason), "{message}");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_file_in_the_place_of_a_folder_is_named() {
    let (folder, file) = scratch("room_ms11.mesh", &crate::support::unigine::bytes("room_ms11"));
    let below = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    for (parent, reason) in [(format!("{file}/inner"), "Not a directory"), (file.clone(), "Not a directory")] {
        let output = format!("{parent}/box");
        for arguments in [
            vec!["rewrite", "data/unigine/cube_ms13.mesh", "-o", &output],
            vec!["rewrite", "data/unigine/cube_ms13.mesh", "-o", &output, "--force"],
            vec!["rewrite", "data/secondlife/quad.llmesh", "-o", &output],
            vec!["rewrite", "data/ezmesh/flag.ezm", "-o", &output],
            vec!["rewrite", "data/unreal/box_a.3d", "-o", &output],
            vec!["rewrite", "data/unreal/box_d.3d", "--pair", "-o", &output],
            vec!["rewrite", "data/unreal/box", "--pair", "--script", "-o", &output],
            vec!["lod", "data/secondlife/quad.llmesh", "--lod", "low", "-o", &output],
        ] {
            let message = failed(&arguments, 3);
            let expected = format!("error: {output}: cannot be written: folder {parent}: {reason} (os error ");
            assert!(message.starts_with(&expected), "{arguments:?}: {message}");
        }
        let plot = ["bench", &file, "--plot", &output, "--rounds", "1"];
        let message = failed(&plot, 3);
        let what =
            if parent == file { format!("{parent} is not a folder") } else { format!("folder {parent}: {reason}") };
        assert!(message.starts_with(&format!("error: {output}: cannot be written: {what}")), "{message}");
        let bench = ["bench", "--folder", &parent, "--size", "1K", "--rounds", "1"];
        let message = failed(&bench, 3);
        let expected = format!("error: {parent}: cannot create a folder in it: {reason} (os error ");
        assert!(message.starts_with(&expected) && !message.contains("meshpeek-bench"), "{message}");
        // The cache folder of `index`.
        let indexed =
            crate::command(&["index", &file]).env("XDG_CACHE_HOME", format!("{file}/cache")).output().unwrap();
        let message = text(&indexed.stderr);
        assert!(
            message.starts_with(&format!("error: {file}/cache/meshpeek: cannot be created: Not a directory")),
            "{message}"
        );
    }
    // A path that ends with a separator is a folder, even if the folder is missing.
    let message = failed(&["rewrite", "data/unigine/cube_ms13.mesh", "-o", &below("new/")], 2);
    assert!(message.contains("new/: expected a path to write a file to, found a folder"), "{message}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "litter");
}

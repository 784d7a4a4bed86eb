//! Tests of how folders and patterns are searched.

use std::fs;
use std::path::Path;

use crate::{bytes, code, command, json, meshpeek, text};

/// Makes a Git folder with sound meshes in hidden, ignored and ordinary places.
fn tree() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for path in [
        "a.mesh",
        "deep/b.mesh",
        "deep/.hidden.mesh",
        ".git/lfs/objects/aa/c.mesh",
        ".cache/d.mesh",
        "build/e.mesh",
        "deep/f.mesh",
        "old/g.mesh",
    ] {
        put(folder.path(), path, &bytes("cube_ms13"));
    }
    put(folder.path(), ".gitignore", b"build/\nf.mesh\n");
    put(folder.path(), ".git/HEAD", b"ref: refs/heads/main\n");
    folder
}

fn put(folder: &Path, path: &str, bytes: &[u8]) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

/// Returns the paths below a folder that a command reports, joined by blanks.
fn found(folder: &Path, arguments: &[&str]) -> String {
    let output = command(&[&["info", "--json"], arguments].concat()).current_dir(folder).output().unwrap();
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let files = json(&output)["files"].as_array().unwrap().clone();
    let paths = files.iter().map(|file| file["path"].as_str().unwrap().trim_start_matches("./").to_owned());
    paths.collect::<Vec<_>>().join(" ")
}

#[test]
fn hidden_and_ignored_files_are_skipped() {
    let folder = tree();
    let run = |arguments: &[&str]| found(folder.path(), arguments);
    assert_eq!(run(&["."]), "a.mesh deep/b.mesh old/g.mesh");
    assert_eq!(run(&[".", "--no-ignore"]), "a.mesh build/e.mesh deep/b.mesh deep/f.mesh old/g.mesh");
    let hidden = run(&[".", "--hidden"]);
    assert_eq!(hidden, ".cache/d.mesh .git/lfs/objects/aa/c.mesh a.mesh deep/.hidden.mesh deep/b.mesh old/g.mesh");
    assert_eq!(run(&[".", "--exclude", "old/**", "--exclude", "b.*"]), "a.mesh");
    assert_eq!(run(&[".", "--exclude", "old"]), "a.mesh deep/b.mesh");
    let pattern = run(&["*/*.mesh", "--exclude", "old"]);
    assert_eq!(pattern, "build/e.mesh deep/b.mesh deep/f.mesh", "an excluded folder of a pattern");
    // A named file or folder is read, whatever its name.
    assert_eq!(run(&["build", ".cache"]), "build/e.mesh .cache/d.mesh");
    assert_eq!(run(&["deep/.hidden.mesh", "deep/f.mesh"]), "deep/.hidden.mesh deep/f.mesh");
    // Patterns do not match hidden files either.
    assert_eq!(run(&["deep/*.mesh"]), "deep/b.mesh deep/f.mesh");
    assert_eq!(run(&["**/*.mesh", "--hidden", "--exclude", ".git/**"]).split(' ').count(), 7);
    assert_eq!(run(&["**/*.mesh", "--exclude", "deep/**"]), "a.mesh build/e.mesh old/g.mesh");
}

#[test]
fn every_verb_for_folders_walks_alike() {
    let folder = tree();
    let run = |arguments: &[&str]| command(arguments).current_dir(folder.path()).output().unwrap();
    let listed = run(&["ls", "--json"]);
    assert_eq!(json(&listed)["files"].as_array().unwrap().len(), 3);
    let validated = run(&["validate", ".", "--json", "--hidden", "--no-ignore"]);
    assert_eq!(json(&validated)["files"].as_array().unwrap().len(), 8);
    let converted = run(&["convert", ".", "--to", "stl", "-o", "out", "--allow-loss", "--json", "--exclude", "old"]);
    assert_eq!(json(&converted)["files"].as_array().unwrap().len(), 2, "{}", text(&converted.stderr));
    let wrong = run(&["info", ".", "--exclude", "[a"]);
    assert!(code(&wrong) == 2 && text(&wrong.stderr).contains("--exclude"), "{}", text(&wrong.stderr));
}

#[test]
fn a_pattern_that_matches_a_folder_has_one_error_at_most() {
    let folder = tree();
    fs::create_dir(folder.path().join("empty")).unwrap();
    let output = command(&["info", "emp*"]).current_dir(folder.path()).output().unwrap();
    let message = text(&output.stderr);
    assert!(code(&output) == 3 && message.contains("no mesh in this folder"), "{message}");
    assert!(!message.contains("no file matches"), "{message}");
}

#[cfg(unix)]
#[test]
fn links_to_folders_are_not_followed() {
    let folder = tree();
    for link in ["deep/up", "deep/again", "loop"] {
        std::os::unix::fs::symlink("..", folder.path().join(link)).unwrap();
    }
    assert_eq!(found(folder.path(), &["**/*.mesh"]), "a.mesh build/e.mesh deep/b.mesh deep/f.mesh old/g.mesh");
    assert_eq!(found(folder.path(), &["."]), "a.mesh deep/b.mesh old/g.mesh");
    // A folder that matches is searched once.
    assert_eq!(found(folder.path(), &["ol*"]), "old/g.mesh");
    assert_eq!(found(folder.path(), &["./d*p/**"]), "deep/b.mesh deep/f.mesh");
}

#[cfg(unix)]
#[test]
fn an_unreadable_folder_is_reported_as_such() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tree();
    let locked = folder.path().join("locked");
    put(folder.path(), "locked/x.mesh", &bytes("cube_ms13"));
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o0)).unwrap();
    if fs::read_dir(&locked).is_ok() {
        crate::support::skip("the superuser can read every folder");
        return;
    }
    for verb in ["info", "validate", "ls"] {
        let output = command(&[verb, "."]).current_dir(folder.path()).output().unwrap();
        let message = text(&output.stderr);
        assert!(code(&output) == 3 && message.contains("locked") && message.contains("denied"), "{verb}: {message}");
        assert!(text(&output.stdout).contains("a.mesh"), "{verb} describes the other files");
    }
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_mesh_of_two_files_is_reported_once() {
    let count = |arguments: &[&str]| {
        let output = command(&[&["info", "--json"], arguments].concat()).current_dir("data/unreal").output().unwrap();
        assert_eq!(code(&output), 0, "{}", text(&output.stderr));
        json(&output)["files"].as_array().unwrap().len()
    };
    assert_eq!(count(&["guard_d.3d", "guard_a.3d"]), 1);
    assert_eq!(count(&["guard_a.3d", "guard", "guard_d.3d", "guard.uc"]), 1);
    let all = count(&["."]);
    let mut names: Vec<String> = Vec::new();
    for entry in fs::read_dir("data/unreal").unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if Path::new(&name).extension().is_some_and(|extension| extension == "3d") {
            names.push(name);
        }
    }
    names.sort();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    assert_eq!(count(&names), count(&["*_d.3d"]), "as a shell expands *.3d");
    assert!(count(&["*.3d"]) * 2 <= names.len() + 1 && count(&["."]) == all);
    let rows = json(&meshpeek(&["ls", "data/unreal/guard_d.3d", "data/unreal/guard_a.3d", "--json"]));
    assert_eq!(rows["files"].as_array().unwrap().len(), 1);
    // The same single file may be named twice.
    let twice = meshpeek(&["info", "data/unigine/cube_ms13.mesh", "data/unigine/cube_ms13.mesh", "--json"]);
    assert_eq!(json(&twice)["files"].as_array().unwrap().len(), 2);
}

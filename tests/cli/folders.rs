//! Tests of how folders and patterns are searched.

use std::fs;
use std::path::Path;

#[cfg(unix)]
use crate::support::PATIENCE;
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
        let output = command(&[verb, ".", "-v"]).current_dir(folder.path()).output().unwrap();
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

/// Runs a command in a folder, and fails if it does not end.
#[cfg(unix)]
fn ends(folder: &Path, arguments: &[&str]) -> std::process::Output {
    let mut child = command(arguments);
    child.current_dir(folder).env("HOME", folder).env_remove("XDG_CONFIG_HOME").stdin(std::process::Stdio::null());
    let mut child = child.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap();
    let start = std::time::Instant::now();
    while child.try_wait().unwrap().is_none() {
        if start.elapsed() > PATIENCE {
            child.kill().unwrap();
            panic!("{arguments:?} waits");
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    child.wait_with_output().unwrap()
}

#[cfg(unix)]
fn pipe(path: &Path) {
    assert!(crate::support::process::process("mkfifo").arg(path).status().unwrap().success());
}

/// Puts an ignore file of each kind that is not used in the place of `name`, and returns the
/// reasons.
#[cfg(unix)]
fn each_unused(folder: &Path, name: &str, run: &dyn Fn() -> std::process::Output) {
    use std::os::unix::fs::symlink;
    let path = folder.join(name);
    let make: [(&str, &dyn Fn()); 5] = [
        ("links are not followed", &|| symlink("/dev/zero", &path).unwrap()),
        ("links are not followed", &|| symlink(folder.join("rules"), &path).unwrap()),
        ("it is not a regular file", &|| pipe(&path)),
        ("it is not a regular file", &|| fs::create_dir(&path).unwrap()),
        ("it is too large", &|| fs::write(&path, vec![b'*'; (64 << 10) + 1]).unwrap()),
    ];
    for (reason, make) in make {
        make();
        let output = run();
        let message = text(&output.stderr);
        let expected = format!("{name}: ignore file not used: {reason}");
        assert_eq!((code(&output), message.matches(&expected).count()), (0, 1), "{message}");
        if path.is_dir() && !path.is_symlink() { fs::remove_dir(&path) } else { fs::remove_file(&path) }.unwrap();
    }
}

#[cfg(unix)]
#[test]
fn only_small_regular_ignore_files_are_used() {
    let folder = tree();
    put(folder.path(), "rules", b"*.mesh\n");
    fs::create_dir(folder.path().join(".git/info")).unwrap();
    let list = || ends(folder.path(), &["ls", "."]);
    for name in [".ignore", "deep/.ignore", "deep/.gitignore", ".git/info/exclude"] {
        each_unused(folder.path(), name, &list);
    }
    // The files above the searched folder count, too.
    each_unused(folder.path(), ".ignore", &|| ends(folder.path(), &["ls", "deep"]));
    // A sound file in each of these places is used, and `--no-ignore` opens none.
    for name in [".ignore", "deep/.gitignore", ".git/info/exclude"] {
        put(folder.path(), name, b"\xef\xbb\xbf# rules\r\n\xff\n[\nb.mesh\r\n");
        assert_eq!(found(folder.path(), &["."]), "a.mesh old/g.mesh", "{name}");
        fs::remove_file(folder.path().join(name)).unwrap();
    }
    pipe(&folder.path().join(".ignore"));
    let all = ends(folder.path(), &["ls", ".", "--no-ignore"]);
    assert_eq!((code(&all), text(&all.stderr)), (0, String::new()));
}

#[cfg(unix)]
#[test]
fn every_verb_for_folders_passes_over_a_special_ignore_file() {
    let folder = tree();
    pipe(&folder.path().join("deep/.ignore"));
    std::os::unix::fs::symlink("/dev/zero", folder.path().join("old/.gitignore")).unwrap();
    for arguments in [
        &["ls"][..],
        &["info", "."],
        &["validate", "."],
        &["convert", ".", "--to", "stl", "-o", "out", "--allow-loss"],
        &["view", ".", "-o", "sheet.png"],
        &["diff", "deep", "old"],
        &["diff", ".", "."],
        &["ls", "d*", "old"],
    ] {
        let output = ends(folder.path(), arguments);
        let message = text(&output.stderr);
        assert!(code(&output) <= 1 && message.contains("ignore file not used: "), "{arguments:?}: {message}");
        assert!(message.lines().filter(|line| line.contains("ignore file")).count() <= 2, "{arguments:?}: {message}");
    }
    assert!(!text(&ends(folder.path(), &["ls", "--quiet"]).stderr).contains("ignore file"));
}

#[cfg(unix)]
#[test]
fn the_ignore_file_of_the_user_may_be_a_link_but_no_device() {
    let folder = tree();
    put(folder.path(), "rules", b"b.mesh\n");
    let list = |names: &str| {
        let output = ends(folder.path(), &["ls", ".", "--json"]);
        let files = json(&output)["files"].as_array().unwrap().clone();
        let paths: Vec<_> = files.iter().map(|file| file["path"].as_str().unwrap().trim_start_matches("./")).collect();
        assert_eq!(paths.join(" "), names, "{}", text(&output.stderr));
        text(&output.stderr)
    };
    let (config, all) = (folder.path().join(".gitconfig"), "a.mesh deep/b.mesh old/g.mesh");
    put(folder.path(), ".gitconfig", b"[core]\n\texcludesFile = ~/rules\n");
    assert_eq!(list("a.mesh old/g.mesh"), "");
    put(folder.path(), "plain", b"[core]\nexcludesfile = /dev/zero\n");
    fs::remove_file(&config).unwrap();
    std::os::unix::fs::symlink("plain", &config).unwrap();
    assert!(list(all).contains("/dev/zero: ignore file not used: it is not a regular file"));
    // A configuration that is a pipe or without an end counts as missing.
    for special in ["/dev/zero", "pipe"] {
        fs::remove_file(&config).unwrap();
        std::os::unix::fs::symlink(special, &config).unwrap();
        if special == "pipe" {
            pipe(&folder.path().join(special));
        }
        assert_eq!(list(all), "");
    }
    std::os::unix::fs::symlink(folder.path().join("rules"), folder.path().join("linked")).unwrap();
    fs::create_dir_all(folder.path().join(".config/git")).unwrap();
    fs::rename(folder.path().join("linked"), folder.path().join(".config/git/ignore")).unwrap();
    assert_eq!(list("a.mesh old/g.mesh"), "");
}

#[test]
fn ignore_files_apply_as_in_git() {
    let folder = tree();
    let list = |arguments: &[&str]| found(folder.path(), arguments);
    // A later rule and a deeper file win, and a folder that is kept is no longer hidden.
    put(folder.path(), "deep/.gitignore", b"!f.mesh\n!.hidden.mesh\n");
    assert_eq!(list(&["."]), "a.mesh deep/.hidden.mesh deep/b.mesh deep/f.mesh old/g.mesh");
    put(folder.path(), "deep/.ignore", b"f.mesh\n");
    assert_eq!(list(&["deep"]), "deep/.hidden.mesh deep/b.mesh");
    put(folder.path(), ".ignore", b"/a.mesh\n/deep/b.mesh\n");
    assert_eq!(list(&["deep", "old"]), "deep/.hidden.mesh old/g.mesh");
    assert_eq!(list(&["."]), "deep/.hidden.mesh old/g.mesh");
    // The files of Git end at the folder of the repository, and need one.
    fs::create_dir(folder.path().join("old/.git")).unwrap();
    put(folder.path(), ".gitignore", b"*.mesh\n");
    put(folder.path(), "deep/.gitignore", b"");
    assert_eq!(list(&["."]), "old/g.mesh");
    fs::remove_dir(folder.path().join("old/.git")).unwrap();
    fs::remove_dir_all(folder.path().join(".git")).unwrap();
    assert_eq!(list(&["."]), "build/e.mesh old/g.mesh");
}

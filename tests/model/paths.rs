//! Tests that an error about opening a file names the path that was passed, and the reason of the
//! operating system.
#![cfg(unix)]

use std::path::{Path, PathBuf};

use meshpeek::unreal::companions::Finder;
use meshpeek::{Error, ErrorKind, Map, io};

/// Opens a path with each function of the library that opens files, and returns the errors.
fn errors_of(path: &Path) -> Vec<(&'static str, Error)> {
    // SAFETY: No other process knows the file.
    let map = unsafe { meshpeek::Map::open(path) };
    let opened = [
        ("map", map.err()),
        ("read", meshpeek::read(path).err()),
        ("open_protected", Map::open_protected(path).err()),
        ("read_start", io::read_start(path, 8).err()),
    ];
    opened
        .into_iter()
        .map(|(name, error)| (name, error.unwrap_or_else(|| panic!("{name} opens {}", path.display()))))
        .collect()
}

/// Searches for the files of an Unreal mesh, and returns the errors.
fn errors_of_pair(path: &Path) -> [(&'static str, Error); 3] {
    [
        ("find", meshpeek::unreal::find(path).unwrap_err()),
        ("Finder::find", Finder::new().find(path).unwrap_err()),
        ("Finder::find_mesh", Finder::new().find_mesh(path, b"box").unwrap_err()),
    ]
}

fn expect_named(what: &str, error: &Error, path: &Path, reason: &str) {
    assert_eq!(error.path(), Some(path), "{what}: {error}");
    let message = error.to_string();
    assert!(message.starts_with(&format!("{}: ", path.display())) && message.contains(reason), "{what}: {message}");
}

#[test]
fn an_error_names_the_path() {
    let folder = tempfile::tempdir().unwrap();
    let below = |name: &str| folder.path().join(name);
    for name in ["file.mesh", "lone_d.3d", "lone_a.3d"] {
        std::fs::write(below(name), b"ms13").unwrap();
    }
    std::fs::create_dir(below("folder_d.3d")).unwrap();
    crate::support::files::make_pipe(&below("pipe_d.3d"));
    let long = "x".repeat(300);
    let (missing, no_folder) = ("No such file or directory (os error ", "Not a directory (os error ");
    let too_long = "File name too long (os error ";
    for (path, reason) in [
        (below("none.mesh"), missing),
        (below("no/such/x.mesh"), missing),
        (below("no/such/x_d.3d"), missing),
        (below("file.mesh/x.mesh"), no_folder),
        (below(&long), too_long),
        (below("folder_d.3d"), "found a directory"),
        (below("pipe_d.3d"), "found a named pipe"),
        (PathBuf::from("no/such/x.mesh"), missing),
    ] {
        for (what, error) in errors_of(&path) {
            expect_named(what, &error, &path, reason);
        }
    }
    for (path, reason) in [
        (below("none_d.3d"), missing),
        (below("none_a.3d"), missing),
        (below("none.uc"), missing),
        (below("none"), "expected none_d.3d and none_a.3d, or none.uc"),
        (below("no/such/x_d.3d"), missing),
        (below("no/such/x_a.3d"), missing),
        (below("no/such/x.uc"), missing),
        (below("no/such/x"), missing),
        (below("file.mesh/x_d.3d"), no_folder),
        (below("file.mesh/x"), no_folder),
        (below(&format!("{long}_d.3d")), too_long),
        (below("folder_d.3d"), "found a directory"),
        (below("pipe_d.3d"), "found a named pipe"),
        (PathBuf::from("no/such/x_a.3d"), missing),
        (PathBuf::from("no/such/x"), missing),
    ] {
        for (what, error) in errors_of_pair(&path) {
            expect_named(what, &error, &path, reason);
        }
    }
    // A pair names the file that the closure could not open, even if the closure does not.
    let pair = meshpeek::unreal::find(below("lone_d.3d")).unwrap();
    for wrong in [&pair.data, &pair.aniv] {
        let refused = || Error::custom(ErrorKind::Empty, "expected a mesh, found an empty file");
        let opened = pair.open(|path| if path == wrong { Err(refused()) } else { meshpeek::read(path) });
        expect_named("Pair::open", &opened.unwrap_err(), wrong, "found an empty file");
    }
}

#[test]
fn an_error_names_the_folder_that_cannot_be_listed() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("inner");
    std::fs::create_dir(&inner).unwrap();
    for name in ["box_d.3d", "box_a.3d", "box.uc"] {
        std::fs::write(inner.join(name), b"#exec MESH IMPORT MESH=box ANIVFILE=box_a.3d DATAFILE=box_d.3d\n").unwrap();
    }
    std::fs::set_permissions(&inner, std::fs::Permissions::from_mode(0o311)).unwrap();
    if std::fs::read_dir(&inner).is_ok() {
        crate::support::skip("the superuser can list every folder");
    } else {
        for name in ["box_d.3d", "box_a.3d", "box.uc", "box"] {
            let path = inner.join(name);
            let reason = format!("cannot list the folder {}: Permission denied (os error ", inner.display());
            for (what, error) in errors_of_pair(&path) {
                expect_named(what, &error, &path, &reason);
            }
        }
    }
    std::fs::set_permissions(&inner, std::fs::Permissions::from_mode(0o755)).unwrap();
    meshpeek::unreal::find(inner.join("box")).unwrap();
}

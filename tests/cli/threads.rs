//! Tests that every verb works if the system refuses threads.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::support::process::process;
use crate::support::unreal::data as unreal_data;
use crate::{bytes, code, text};

/// A user without rights. The limit for processes does not bind the administrator.
const NOBODY: u32 = 65_534;

/// A folder with the program and some meshes, which every user can read and write.
struct Workshop {
    folder: tempfile::TempDir,
    program: PathBuf,
}

impl Workshop {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (program, built) = (folder.path().join("meshpeek"), env!("CARGO_BIN_EXE_meshpeek"));
        if fs::hard_link(built, &program).is_err() {
            fs::copy(built, &program).unwrap();
        }
        for name in ["in", "in/deep", "out", "lone"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        let put = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
        put("in/cube.mesh", &bytes("cube_ms13"));
        put("in/deep/skinned.mesh", &bytes("skinned_ms12"));
        put("in/room.mesh", &bytes("room_ms14"));
        for name in ["guard_d.3d", "guard_a.3d"] {
            put(&format!("in/{name}"), &fs::read(unreal_data().join(name)).unwrap());
        }
        put("points", b"0 0 0\n1 1 1\n0.5 0 2\n");
        for name in [".", "in", "in/deep", "out", "lone"] {
            fs::set_permissions(folder.path().join(name), Permissions::from_mode(0o777)).unwrap();
        }
        Self { folder, program }
    }

    /// Makes a command, whose process cannot start threads if `is_limited` is true.
    fn command(&self, program: &Path, arguments: &[&str], is_limited: bool) -> Command {
        let mut command = process(if is_limited { Path::new("prlimit") } else { program });
        if is_limited {
            command.arg("--nproc=0").arg(program);
        }
        command.args(arguments).current_dir(self.folder.path()).env("HOME", self.folder.path());
        if self.folder.path().metadata().unwrap().uid() == 0 {
            command.uid(NOBODY);
        }
        command
    }

    fn run(&self, arguments: &[&str], is_limited: bool) -> Output {
        self.command(&self.program, arguments, is_limited).output().unwrap()
    }

    /// Returns whether the limit binds: a shell cannot start another process.
    fn has_limit(&self) -> bool {
        let shell = self.command(Path::new("/bin/sh"), &["-c", "/bin/true & wait $!"], true).output();
        shell.is_ok_and(|output| !output.status.success())
    }

    /// Returns the names and contents of the output files, and removes them.
    fn take_outputs(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let folder = self.folder.path().join("out");
        let files = walk(&folder).into_iter().map(|path| {
            let bytes = fs::read(&path).unwrap();
            (path.strip_prefix(&folder).unwrap().to_owned(), bytes)
        });
        let mut files: Vec<_> = files.collect();
        files.sort();
        for entry in folder.read_dir().unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }.unwrap();
        }
        files
    }
}

fn walk(folder: &Path) -> Vec<PathBuf> {
    let paths = folder.read_dir().unwrap().map(|entry| entry.unwrap().path());
    paths.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn every_verb_works_without_threads() {
    let shop = Workshop::new();
    if !shop.has_limit() {
        crate::support::skip("the number of processes cannot be limited");
        return;
    }
    let room = "in/room.mesh";
    for arguments in [
        &["info", "in"][..],
        &["ls", "in"],
        &["validate", "in"],
        &["map", room],
        &["dump", room, "-o", "out/a.npz"],
        &["rewrite", room, "-o", "out/room.mesh"],
        &["index", room],
        &["convert", room, "-o", "out/a.glb", "--allow-loss"],
        &["convert", room, "-o", "-", "--to", "glb"],
        &["convert", room, "-o", "out/a.obj", "--allow-loss"],
        &["convert", room, "-o", "out/a.ezb", "--allow-loss"],
        &["convert", room, "-o", "out/a.gltf", "--split", "1K"],
        &["convert", "in", "-o", "out", "--to", "glb", "--allow-loss"],
        &["view", room, "-o", "out/a.png"],
        &["view", "in", "-o", "out/sheet.png"],
        &["view", room, "-o", "out/a.html"],
        &["view", room, "--protocol", "blocks"],
        &["diff", room, "in/cube.mesh"],
        &["diff", room, room],
        &["diff", "in", "in/deep"],
        &["query", room, "nearest", "--batch", "points"],
    ] {
        let [free, limited] = [false, true].map(|is_limited| (shop.run(arguments, is_limited), shop.take_outputs()));
        let message = text(&limited.0.stderr);
        assert_eq!(code(&limited.0), code(&free.0), "{arguments:?}: {message}");
        assert!(code(&free.0) <= 1, "{arguments:?}: {message}");
        assert!(limited.0.stdout == free.0.stdout && limited.1 == free.1, "{arguments:?}: {message}");
    }
    // `bench` measures in processes of its own, which the system refuses, too.
    let output = shop.run(&["bench", room, "--rounds", "1"], true);
    let message = text(&output.stderr);
    assert!(code(&output) == 3 && message.contains("cannot be started"), "{message}");
}

//! Runs the command of the thumbnailer in a sandbox like those of file managers: `bwrap` without
//! graphics devices and without a network, where only the folder of the output can be written.

use std::fs;
use std::path::Path;
use std::process::Output;

use crate::PROGRAM;
use crate::support::process::process;
use crate::support::skip;

const THUMBNAILER: &str = include_str!("../../data/desktop/meshpeek.thumbnailer");
const SIZE: u32 = 256;

/// Runs a program in the sandbox.
fn sandboxed(out: &Path, program: &str, arguments: &[&str]) -> Option<Output> {
    let mut command = process("bwrap");
    command.args(["--ro-bind", "/", "/", "--dev", "/dev", "--unshare-all", "--die-with-parent", "--clearenv"]);
    command.arg("--bind").args([out, out]).arg("--chdir").arg(out).arg(program).args(arguments);
    command.output().ok()
}

/// Returns whether the sandbox works on this machine, is as tight as it should be, and has the
/// program and the input.
#[track_caller]
fn has_sandbox(input: &Path, out: &Path) -> bool {
    let script = "test ! -e /dev/dri && ! touch /sandbox-test 2>/dev/null && touch inside && rm inside && \
                  test -x \"$0\" && test -r \"$1\"";
    let arguments = ["-c", script, PROGRAM, input.to_str().unwrap()];
    let works = sandboxed(out, "/bin/sh", &arguments).is_some_and(|output| output.status.success());
    if !works {
        skip("bwrap is not installed, does not work here, or does not show the files");
    }
    works
}

/// Runs the command line of the thumbnailer file for a mesh, as file managers do.
fn thumbnail(input: &Path, out: &Path) -> Output {
    let line = THUMBNAILER.lines().find_map(|line| line.strip_prefix("Exec=meshpeek ")).unwrap();
    let size = SIZE.to_string();
    let target = out.join("thumbnail.png");
    let arguments = line.split(' ').map(|word| match word {
        "%s" => size.as_str(),
        "%o" => target.to_str().unwrap(),
        "%i" => input.to_str().unwrap(),
        word => word,
    });
    let arguments: Vec<&str> = arguments.collect();
    sandboxed(out, PROGRAM, &arguments).unwrap()
}

/// Returns the width and height of a PNG file.
fn png_size(bytes: &[u8]) -> [u32; 2] {
    assert!(bytes.starts_with(b"\x89PNG\r\n\x1a\n"), "{:?}", bytes.get(..8));
    [16, 20].map(|at| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()))
}

fn names(folder: &Path) -> Vec<String> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn a_thumbnail_needs_no_display_and_no_device() {
    let out = tempfile::tempdir().unwrap();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    if !has_sandbox(&data, out.path()) {
        return;
    }
    for sample in ["unigine/cube_ms13.mesh", "unreal/guard_d.3d", "ezmesh/crate.ezm", "secondlife/arm.llmesh"] {
        // Some file managers create the output file before, and all of them expect it replaced.
        fs::write(out.path().join("thumbnail.png"), b"").unwrap();
        let output = thumbnail(&data.join(sample), out.path());
        assert!(output.status.success(), "{sample}: {}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(names(out.path()), ["thumbnail.png"], "{sample}");
        let [width, height] = png_size(&fs::read(out.path().join("thumbnail.png")).unwrap());
        assert!(width.max(height) == SIZE && width.min(height) > 0, "{sample}: {width} x {height}");
    }
}

#[test]
fn a_file_manager_may_rename_the_mesh() {
    let (input, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    if !has_sandbox(input.path(), out.path()) {
        return;
    }
    // GNOME shows only the mesh to the thumbnailer, with another name and the same extension.
    let copy = input.path().join("gnome-desktop-file-to-thumbnail.mesh");
    fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("data/unigine/cube_ms13.mesh"), &copy).unwrap();
    let output = thumbnail(&copy, out.path());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(names(out.path()), ["thumbnail.png"]);
}

#[test]
fn a_damaged_mesh_leaves_no_thumbnail() {
    let (input, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    if !has_sandbox(input.path(), out.path()) {
        return;
    }
    let damaged = input.path().join("damaged.mesh");
    fs::write(&damaged, b"ms13 and not a mesh").unwrap();
    let output = thumbnail(&damaged, out.path());
    assert!(!output.status.success() && !output.stderr.is_empty());
    assert_eq!(names(out.path()), [""; 0]);
}

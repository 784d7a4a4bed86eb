//! Tests of `index`, and of `dump` with the sidecars that it writes.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, SystemTime};

use meshpeek::unigine::{AnimationGeneration, Generation};
use serde_json::Value;

use crate::support::sidecar::{animation, counts, mesh, motion, small_mesh, surface};
use crate::support::unigine::bytes;
use crate::support::unreal::data as unreal_data;
use crate::{code, command, data, json, sample, text};

/// A user with a cache and a folder of files.
pub struct User {
    pub folder: tempfile::TempDir,
}

impl User {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = command(arguments);
        command.env("XDG_CACHE_HOME", self.path("cache")).env("HOME", self.path("home"));
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Writes a file, and returns its path for the command line.
    pub fn file(&self, name: &str, bytes: &[u8]) -> String {
        fs::write(self.path(name), bytes).unwrap();
        self.path(name).to_str().unwrap().to_owned()
    }

    /// Runs `index`, which must succeed, and returns the entry of its only file.
    pub fn index(&self, arguments: &[&str]) -> Value {
        let output = self.run(&[&["index", "--json"], arguments].concat());
        assert_eq!(code(&output), 0, "{}", text(&output.stderr));
        json(&output)["files"][0].clone()
    }

    /// Returns the names in the cache.
    fn cached(&self) -> Vec<String> {
        names(&self.path("cache/meshpeek"))
    }

    /// Asserts that `dump` prints the same with and without a sidecar.
    fn dumps_alike(&self, arguments: &[&str]) {
        let [with, without] =
            [&["dump"][..], &["dump", "--no-sidecar"]].map(|dump| self.run(&[dump, arguments].concat()));
        assert!(with.stdout == without.stdout, "{arguments:?}");
        assert_eq!((code(&with), text(&with.stderr)), (code(&without), text(&without.stderr)), "{arguments:?}");
    }

    /// Returns whether `dump` uses a sidecar.
    pub fn uses(&self, path: &str) -> bool {
        let attribute = if Path::new(path).extension().unwrap() == "anim" { "--pose=0" } else { "--range=0..1" };
        let output = self.run(&["dump", path, attribute, "--verbose"]);
        assert_eq!(code(&output), 0, "{}", text(&output.stderr));
        text(&output.stderr).contains("using the sidecar")
    }
}

fn names(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn writes_into_the_cache() {
    let user = User::new();
    let path = user.file("city.mesh", &small_mesh());
    let told = user.index(&[&path]);
    let written = PathBuf::from(told["sidecar"].as_str().unwrap());
    assert_eq!(written.parent().unwrap(), user.path("cache/meshpeek"));
    assert_eq!(written.extension().unwrap(), "mpidx");
    assert_eq!(told["bytes"].as_u64().unwrap(), fs::metadata(&written).unwrap().len());
    assert_eq!((&told["path"], &told["records"]["sections"]), (&Value::from(path.as_str()), &Value::from(6)));
    assert_eq!(told["records"].as_object().unwrap().len(), 6);
    assert_eq!(user.cached().len(), 1);
    assert!(user.uses(&path));
    let line = text(&user.run(&["index", &path]).stdout);
    assert!(line.contains("city.mesh: ") && line.contains("6 sections, 3 weights, 5 weight blocks"), "{line}");
    assert_eq!(user.cached().len(), 1, "the second sidecar replaces the first");
    assert_eq!(text(&user.run(&["index", "--quiet", &path]).stdout), "");
    // Another path to the same file.
    let folder = user.folder.path().file_name().unwrap().to_str().unwrap();
    let roundabout = user.path(&format!("../{folder}/city.mesh"));
    assert!(user.uses(roundabout.to_str().unwrap()));
    // Only the home folder is known.
    let home = |verb: &[&str]| user.command(verb).env_remove("XDG_CACHE_HOME").output().unwrap();
    let output = home(&["index", &path, "--json"]);
    let place = json(&output)["files"][0]["sidecar"].as_str().unwrap().to_owned();
    let cache = if cfg!(target_os = "macos") { "home/Library/Caches/meshpeek" } else { "home/.cache/meshpeek" };
    assert_eq!(Path::new(&place).parent().unwrap(), user.path(cache));
    // A relative cache folder is ignored.
    let relative = user.command(&["index", &path, "--json"]).env("XDG_CACHE_HOME", "cache").output().unwrap();
    assert_eq!(json(&relative)["files"][0]["sidecar"], place.as_str());
    let neither = user.command(&["index", &path]).env_remove("XDG_CACHE_HOME").env_remove("HOME").output().unwrap();
    assert_eq!(code(&neither), 3);
    assert!(text(&neither.stderr).contains("set HOME or XDG_CACHE_HOME"), "{}", text(&neither.stderr));
}

#[test]
fn writes_beside_the_file_and_clears() {
    let user = User::new();
    let path = user.file("city.mesh", &small_mesh());
    let told = user.index(&["--beside", &path]);
    assert_eq!(told["sidecar"], format!("{path}.mpidx"));
    assert!(user.cached().is_empty() && user.uses(&path));
    user.dumps_alike(&[&path, "--surface", "2", "--attribute", "weights"]);
    user.index(&[&path]);
    let removed = user.index(&["--clear", &path]);
    assert_eq!(removed["removed"].as_array().unwrap().len(), 2);
    assert!(user.cached().is_empty() && !user.path("city.mesh.mpidx").exists() && !user.uses(&path));
    assert_eq!(user.index(&["--clear", &path])["removed"], Value::from(Vec::<Value>::new()));
    assert!(text(&user.run(&["index", "--clear", &path]).stdout).contains("had no sidecar"));
    assert_eq!(code(&user.run(&["index", "--clear", "--beside", &path])), 2);
}

#[test]
fn refuses_what_it_cannot_index() {
    let user = User::new();
    let mut child = user.command(&["index", "-"]).stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(&small_mesh()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(code(&output), 2);
    assert!(text(&output.stderr).contains("only a regular file can have a sidecar"), "{}", text(&output.stderr));
    // Standard input does not use the sidecar of a file named `-`.
    let mut child = user.command(&["index", "-"]);
    child.current_dir(user.folder.path()).stdin(Stdio::piped());
    user.file("-", &small_mesh());
    let mut child = child.spawn().unwrap();
    child.stdin.take().unwrap().write_all(&small_mesh()).unwrap();
    assert_eq!(code(&child.wait_with_output().unwrap()), 2);
    assert_eq!(code(&user.run(&["index", "no/such/file.mesh"])), 3);
    let file = small_mesh();
    let cut = user.file("cut.mesh", &file[..file.len() - 20]);
    let output = user.run(&["index", "--json", &cut]);
    assert_eq!(code(&output), 3);
    assert!(json(&output)["files"][0]["error"]["offset"].is_u64());
    let whole = user.file("whole.mesh", &file);
    assert_eq!(code(&user.run(&["index", &cut, &whole])), 3);
    assert_eq!(user.cached().len(), 1, "only the undamaged file has a sidecar");
}

#[test]
fn says_what_needs_none() {
    let user = User::new();
    let unreal = unreal_data().join("box_d.3d");
    let asset = data().parent().unwrap().join("secondlife/rock.llmesh");
    for path in [unreal.to_str().unwrap(), asset.to_str().unwrap(), &sample("room_ms14"), &sample("cube_ms15")] {
        let output = user.run(&["index", path]);
        assert_eq!(code(&output), 0, "{}", text(&output.stderr));
        assert!(text(&output.stdout).contains("needs no sidecar"), "{}", text(&output.stdout));
        assert_eq!(user.index(&[path])["sidecar"], Value::Null);
    }
    assert!(!user.path("cache").exists());
}

#[test]
fn keeps_trees_of_large_surfaces() {
    let user = User::new();
    // A single surface has a sidecar from 1,024 triangles on, for its tree. Everything else of it
    // is found without one.
    for (triangles, has_one) in [(1023, false), (1024, true)] {
        let mut only = surface("only", &[]);
        only.indices = [0, 1, 2].repeat(triangles);
        only.attribute_indices.clone_from(&only.indices);
        let path = user.file("only.mesh", &mesh(Generation::Ms13, vec![only], Vec::new()));
        let told = user.index(&[&path]);
        assert_eq!(told["sidecar"].is_string(), has_one, "{triangles} triangles: {told}");
        assert_eq!(user.uses(&path), has_one);
        if has_one {
            assert_eq!(told["records"]["trees"], 1, "{told}");
            user.dumps_alike(&[&path, "--attribute", "indices"]);
            let line = text(&user.run(&["index", &path]).stdout);
            assert!(line.ends_with(", 1 tree\n"), "{line}");
        }
    }
}

#[test]
fn a_cache_that_takes_nothing() {
    let user = User::new();
    let path = user.file("city.mesh", &small_mesh());
    // A file has the name that the folder needs.
    user.file("cache", b"");
    let output = user.run(&["index", &path]);
    assert_eq!(code(&output), 3);
    assert!(text(&output.stderr).contains("cannot be created"), "{}", text(&output.stderr));
    assert!(!user.uses(&path));
    fs::remove_file(user.path("cache")).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = user.path("cache/meshpeek");
        fs::create_dir_all(&folder).unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o555)).unwrap();
        let forbidden = File::create(folder.join("probe")).is_err();
        let _ = fs::remove_file(folder.join("probe"));
        if !forbidden {
            crate::support::skip("this user may write everywhere");
        }
        let output = user.run(&["index", &path]);
        assert_eq!(code(&output), if forbidden { 3 } else { 0 });
        assert_eq!(user.cached().len(), usize::from(!forbidden), "litter");
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let nowhere = user.command(&["index", &path]).env("XDG_CACHE_HOME", "/proc/nowhere").output().unwrap();
    assert_eq!(code(&nowhere), 3);
    user.dumps_alike(&[&path, "--surface", "2", "--attribute", "weights"]);
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_passed_over() {
    let user = User::new();
    let path = user.file("city.mesh", &small_mesh());
    let place = PathBuf::from(user.index(&[&path])["sidecar"].as_str().unwrap());
    let whole = user.path("elsewhere");
    fs::rename(&place, &whole).unwrap();
    let kinds: [&dyn Fn(&Path); 4] = [
        &|place| std::os::unix::fs::symlink(&whole, place).unwrap(),
        &|place| std::os::unix::fs::symlink(user.path("nothing"), place).unwrap(),
        &|place| crate::support::files::make_pipe(place),
        &|place| fs::create_dir(place).unwrap(),
    ];
    for (number, make) in kinds.iter().enumerate() {
        for place in [&place, &user.path("city.mesh.mpidx")] {
            make(place);
            assert!(!user.uses(&path), "kind {number}");
            user.dumps_alike(&[&path, "--surface", "2", "--attribute", "weights"]);
            let beside = place.starts_with(user.path("city.mesh.mpidx"));
            let output = if beside { user.run(&["index", "--beside", &path]) } else { user.run(&["index", &path]) };
            assert_eq!(code(&output), 3, "kind {number}");
            assert!(text(&output.stderr).contains("found a folder, a link"), "{}", text(&output.stderr));
            let metadata = fs::symlink_metadata(place).unwrap();
            assert!(!metadata.is_file(), "the old sidecar was replaced");
            if metadata.is_dir() { fs::remove_dir(place).unwrap() } else { fs::remove_file(place).unwrap() }
        }
    }
    assert!(!user.path("nothing").exists());
    fs::rename(&whole, &place).unwrap();
    assert!(user.uses(&path), "the sidecar is used again at its original path");
    // The sidecar of another file under this file's name, and random bytes.
    let other = user.file("other.mesh", &bytes("skinned_ms12"));
    let others = user.index(&[&other])["sidecar"].as_str().unwrap().to_owned();
    fs::copy(others, &place).unwrap();
    assert!(!user.uses(&path));
    fs::write(&place, vec![7; 10_000]).unwrap();
    assert!(!user.uses(&path));
    fs::write(&place, []).unwrap();
    assert!(!user.uses(&path));
    user.index(&[&path]);
    assert!(user.uses(&path));
}

#[test]
fn dumps_the_same_with_and_without() {
    let user = User::new();
    let mut paths = Vec::new();
    for stem in ["skinned_ms10", "skinned_ms12", "cube_ms13", "room_ms11"] {
        paths.push((user.file(&format!("{stem}.mesh"), &bytes(stem)), 1));
    }
    let surfaces = [70, 200, 3].map(|len| surface("skin", &counts(1, len)));
    let skinned = mesh(Generation::Ms12, surfaces.to_vec(), vec![motion(300, 2, false)]);
    paths.push((user.file("long.mesh", &skinned), 3));
    for (path, surfaces) in &paths {
        user.index(&[path]);
        // A single surface without weights is located without a sidecar.
        assert_eq!(user.uses(path), !path.contains("cube"), "{path}");
        for surface in (0..*surfaces).map(|surface: usize| surface.to_string()) {
            for attribute in
                ["positions", "normals", "tangents", "bitangents", "uv0", "uv1", "colors", "weights", "indices"]
            {
                user.dumps_alike(&[path, "--surface", &surface, "--attribute", attribute]);
            }
            user.dumps_alike(&[path, "--surface", &surface, "--attribute", "weights", "--raw", "--json"]);
        }
        user.dumps_alike(&[path, "--surface", "9"]);
    }
    let (long, _) = paths.last().unwrap();
    for frame in ["0", "150", "299", "300"] {
        user.dumps_alike(&[long, "--clip", "0", "--pose", frame]);
    }
    for generation in AnimationGeneration::ALL {
        let long = user.file(&format!("long_{}.anim", generation.magic()), &animation(generation, 700, 1));
        let short = user.file("wave.anim", &bytes(&format!("wave_{}", generation.magic())));
        for path in [long, short] {
            user.index(&[&path]);
            // A short animation is walked as fast.
            assert_eq!(user.uses(&path), path.contains("long"), "{path}");
            for frame in ["0", "11", "5.5", "699", "700"] {
                user.dumps_alike(&[&path, "--pose", frame, "--json"]);
            }
        }
    }
}

#[test]
fn what_has_changed_is_not_what_was_indexed() {
    let user = User::new();
    let skinned = |counts: [Vec<u8>; 2]| {
        let surfaces = counts.map(|counts| surface("skin", &counts));
        mesh(Generation::Ms12, surfaces.to_vec(), Vec::new())
    };
    let mut moved = counts(1, 100);
    let [one, other] = [moved.clone(), vec![3; 100]].map(|counts| skinned([counts, vec![2; 100]]));
    moved.rotate_left(1);
    let same = skinned([moved, vec![2; 100]]);
    assert!(same.len() == one.len() && same != one && other.len() != one.len());
    let path = user.file("city.mesh", &one);
    user.index(&[&path]);
    user.index(&["--beside", &path]);
    assert!(user.uses(&path));
    let modified = fs::metadata(&path).unwrap().modified().unwrap();
    let set = |time: SystemTime| File::options().append(true).open(&path).unwrap().set_modified(time).unwrap();
    let weights = |surface| [path.as_str(), "--surface", surface, "--attribute", "weights"];
    let both_alike = || {
        for surface in ["0", "1"] {
            user.dumps_alike(&weights(surface));
        }
    };
    // The content changed.
    fs::write(&path, &other).unwrap();
    assert!(!user.uses(&path));
    both_alike();
    // The modification time changed, with the original content.
    fs::write(&path, &one).unwrap();
    set(modified + Duration::from_secs(1));
    assert!(!user.uses(&path));
    // The original size and time: the sidecar next to the file matches again, and is verified.
    set(modified);
    assert!(user.uses(&path));
    user.dumps_alike(&weights("1"));
    // The same length and time with another content: verification detects that the sidecar next to
    // the file does not match.
    fs::write(&path, &same).unwrap();
    set(modified);
    both_alike();
    // The file was replaced by a file of the same name.
    let fresh = user.file("fresh.mesh", &other);
    fs::rename(fresh, &path).unwrap();
    assert!(!user.uses(&path));
    both_alike();
}

#[test]
fn builders_side_by_side() {
    let user = User::new();
    let path = user.file("city.mesh", &small_mesh());
    for _ in 0..5 {
        let mut builders = Vec::new();
        for _ in 0..4 {
            let mut builder = user.command(&["index", &path]);
            builders.push(builder.stdout(Stdio::null()).spawn().unwrap());
        }
        assert!(user.run(&["dump", &path, "--surface", "2", "--attribute", "weights"]).status.success());
        assert!(builders.into_iter().all(|mut builder| builder.wait().unwrap().success()));
        assert_eq!(user.cached().len(), 1, "litter");
        assert!(user.uses(&path));
    }
}

#[test]
fn reading_writes_nothing() {
    let user = User::new();
    let path = user.file("city.mesh", &small_mesh());
    let anim = user.file("wave.anim", &bytes("wave_an10"));
    let target = user.path("again.mesh");
    let target = target.to_str().unwrap();
    for arguments in [
        &["info", &path][..],
        &["info", "--json", &path, &anim],
        &["dump", &path, "--attribute", "weights"],
        &["dump", &anim, "--pose", "3"],
        &["query", &path, "nearest", "--point", "0,0,0"],
        &["validate", &path],
        &["map", &path],
        &["rewrite", &path, "-o", target],
        &["index", "--clear", &path],
        &["man", "index"],
    ] {
        let output = user.run(arguments);
        assert_eq!(code(&output), 0, "{arguments:?}: {}", text(&output.stderr));
        assert!(!user.path("cache").exists() && !user.path("home").exists(), "{arguments:?}");
    }
    let mut left = names(user.folder.path());
    left.sort_unstable();
    assert_eq!(left, ["again.mesh", "city.mesh", "wave.anim"]);
}
